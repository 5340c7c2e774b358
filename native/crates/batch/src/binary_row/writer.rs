use super::encode::{NullForm, Places};
use super::source::{Source, check};
use crate::{Batch, RecordBuffer, Writer};
use sf_codec::key_group::binary_row_hash;
use sf_core::{Error, Result};
use sf_plan::{DataType, RowType, unsupported};

/// Bytes of the length in front of a serialized row.
const PREFIX: usize = 4;

/// Columns of a batch, with their types.
#[derive(Debug)]
struct Columns(Vec<(usize, DataType)>);

impl Columns {
    fn new(row: &RowType, columns: &[usize]) -> Result<Self> {
        let typed = columns.iter().map(|column| {
            let field = row.fields().get(*column);
            let field = field.ok_or_else(|| {
                let fields = row.fields().len();
                Error::internal(format!("column {column} of a row of {fields}"))
            })?;
            check(&field.data_type)?;
            Ok((*column, field.data_type.clone()))
        });
        typed.collect::<Result<_>>().map(Self)
    }

    fn of<'a>(&self, batch: &'a Batch) -> Result<Vec<Source<'a>>> {
        let columns = self.0.iter();
        let columns = columns.map(|(column, t)| Source::new(t, batch.column(*column)?));
        columns.collect()
    }
}

/// Writes rows as `BinaryRowData`, to the byte as Flink's `RowDataSerializer` has them behind their length.
#[derive(Debug)]
pub struct BinaryRowWriter {
    columns: Columns,
    places: Places,
}

impl BinaryRowWriter {
    /// A writer of these columns; `Unsupported` when `BinaryRowData` cannot hold one of them.
    pub fn new(row: &RowType, columns: &[usize]) -> Result<Self> {
        let columns = Columns::new(row, columns)?;
        let places = Places::default();
        Ok(Self { columns, places })
    }
}

impl Writer for BinaryRowWriter {
    fn write(&mut self, batch: &Batch, out: &mut RecordBuffer) -> Result<()> {
        let columns = self.columns.of(batch)?;
        let form = (NullForm::Zero, 0);
        let (rows, kinds) = (batch.rows(), batch.kinds());
        self.places
            .encode(&columns, rows, kinds, form, &mut out.bytes)?;
        out.ends.extend(self.places.ends());
        Ok(())
    }
}

/// Some columns of a batch as `BinaryRowData` of kind INSERT: keys of state, and of an exchange.
#[derive(Debug)]
pub struct RowEncoder {
    columns: Columns,
    nulls: NullForm,
    places: Places,
}

impl RowEncoder {
    /// An encoder of these columns. Keys of Flink's operators have [`NullForm::Reserved`].
    pub fn new(row: &RowType, columns: &[usize], nulls: NullForm) -> Result<Self> {
        let columns = Columns::new(row, columns)?;
        let places = Places::default();
        Ok(Self {
            columns,
            nulls,
            places,
        })
    }

    /// Replaces what is in `out` by the rows of the batch.
    pub fn encode(&mut self, batch: &Batch, out: &mut EncodedRows) -> Result<()> {
        let columns = self.columns.of(batch)?;
        out.bytes.clear();
        out.ends.clear();
        let form = (self.nulls, PREFIX);
        self.places
            .encode(&columns, batch.rows(), None, form, &mut out.bytes)?;
        out.ends.extend(self.places.ends());
        let mut begin = 0;
        for end in &out.ends {
            let length = *end as usize - begin - PREFIX;
            out.bytes[begin..begin + PREFIX].copy_from_slice(&(length as u32).to_be_bytes());
            begin = *end as usize;
        }
        Ok(())
    }
}

/// Refuses columns whose bytes in Flink depend on where a value came from, so that they cannot be keys of native operators.
pub fn check_key(row: &RowType, columns: &[usize]) -> Result<()> {
    fn check_part(data_type: &DataType, top: bool) -> Result<()> {
        use DataType as T;
        match data_type {
            T::Map(..) | T::Multiset(_) => Err(unsupported("a key with a MAP or MULTISET")),
            T::Decimal(19.., _) | T::Timestamp(4..) | T::TimestampLtz(4..) if !top => {
                Err(unsupported(
                    "a key with a DECIMAL of more than 18 digits or a TIMESTAMP of more than milliseconds in a ROW",
                ))
            }
            T::Array(element) => match &element.data_type {
                nested @ (T::Array(_) | T::Row(_) | T::Map(..) | T::Multiset(_)) => {
                    check_part(nested, false)
                }
                _ => Ok(()),
            },
            T::Row(row) => {
                let mut fields = row.fields().iter();
                fields.try_for_each(|field| check_part(&field.data_type, !field.nullable))
            }
            _ => Ok(()),
        }
    }
    let columns = Columns::new(row, columns)?;
    let mut types = columns.0.iter();
    types.try_for_each(|(_, data_type)| check_part(data_type, true))
}

/// Rows that a [`RowEncoder`] wrote; kept and filled again from batch to batch.
#[derive(Debug, Default, Clone)]
pub struct EncodedRows {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl EncodedRows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A row, below [`Self::len`].
    #[inline]
    pub fn row(&self, index: usize) -> &[u8] {
        &self.serialized(index)[PREFIX..]
    }

    /// A row as `RowDataSerializer` writes it, and with it a key of state: behind its length, a big-endian int.
    #[inline]
    pub fn serialized(&self, index: usize) -> &[u8] {
        let begin = index.checked_sub(1).map_or(0, |i| self.ends[i]);
        &self.bytes[begin as usize..self.ends[index] as usize]
    }

    /// `BinaryRowData.hashCode` of a row.
    #[inline]
    pub fn hash(&self, index: usize) -> i32 {
        binary_row_hash(self.row(index))
    }
}
