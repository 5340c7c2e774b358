use arrow_array::{Array, ArrayRef, BooleanArray, UInt32Array};
use arrow_buffer::{BooleanBuffer, Buffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_select::take::take;
use sf_core::{Error, Result};

/// What a row of a changelog does, with Flink's byte values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i8)]
pub enum RowKind {
    /// `+I`
    Insert = 0,
    /// `-U`
    UpdateBefore = 1,
    /// `+U`
    UpdateAfter = 2,
    /// `-D`
    Delete = 3,
}

impl RowKind {
    /// The kind of a byte value.
    pub fn from_byte(byte: i8) -> Result<Self> {
        Ok(match byte {
            0 => Self::Insert,
            1 => Self::UpdateBefore,
            2 => Self::UpdateAfter,
            3 => Self::Delete,
            _ => return Err(Error::corrupt(format!("{byte} is not a row kind"))),
        })
    }

    /// Whether the row adds (`+I`, `+U`) rather than retracts.
    pub fn is_accumulate(self) -> bool {
        matches!(self, Self::Insert | Self::UpdateAfter)
    }
}

/// Columns of equal length and the kind of each row; immutable and cheap to clone.
#[derive(Debug, Clone)]
pub struct Batch {
    rows: usize,
    columns: Vec<ArrayRef>,
    /// Row kinds; `None` when all rows are inserts.
    kinds: Option<ScalarBuffer<i8>>,
}

impl Batch {
    /// A batch of `rows` rows. Fails when a column or the kinds have another length.
    pub fn new(
        rows: usize,
        columns: Vec<ArrayRef>,
        kinds: Option<ScalarBuffer<i8>>,
    ) -> Result<Self> {
        let column = columns.iter().find(|column| column.len() != rows);
        let length = column.map(|column| column.len());
        let length = length.or(kinds.as_ref().map(|k| k.len()).filter(|n| *n != rows));
        if let Some(length) = length {
            return Err(Error::internal(format!(
                "a column of {length} rows in a batch of {rows}"
            )));
        }
        Ok(Self {
            rows,
            columns,
            kinds,
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The columns, in the order of the row type.
    pub fn columns(&self) -> &[ArrayRef] {
        &self.columns
    }

    /// One column.
    pub fn column(&self, index: usize) -> Result<&ArrayRef> {
        self.columns.get(index).ok_or_else(|| {
            let columns = self.columns.len();
            Error::internal(format!("column {index} of a batch of {columns}"))
        })
    }

    /// Byte values of all row kinds; `None` when all rows are inserts.
    pub fn kinds(&self) -> Option<&[i8]> {
        self.kinds.as_deref()
    }

    /// The kind of a row below [`Self::rows`].
    pub fn kind(&self, row: usize) -> Result<RowKind> {
        self.kinds
            .as_ref()
            .map_or(Ok(RowKind::Insert), |kinds| RowKind::from_byte(kinds[row]))
    }

    /// The same rows and kinds with other columns.
    pub fn with_columns(&self, columns: Vec<ArrayRef>) -> Result<Self> {
        Self::new(self.rows, columns, self.kinds.clone())
    }

    /// The rows whose bit is set.
    pub fn filter(&self, keep: &BooleanBuffer) -> Result<Self> {
        let kept = keep.count_set_bits();
        if kept == self.rows {
            return Ok(self.clone());
        }
        let mask = BooleanArray::new(keep.clone(), None);
        let filter = arrow_select::filter::FilterBuilder::new(&mask);
        let filter = filter.optimize().build();
        let columns = self.columns.iter();
        let columns = columns.map(|c| filter.filter(c).map_err(arrow_error));
        let columns = columns.collect::<Result<_>>()?;
        let kinds = self.kinds.as_ref().map(|kinds| {
            let kept = keep.set_indices().map(|row| kinds[row]);
            kept.collect()
        });
        Self::new(kept, columns, kinds)
    }

    /// The rows at these positions, in their order.
    pub fn take(&self, rows: &[u32]) -> Result<Self> {
        let indices = UInt32Array::from(rows.to_vec());
        let columns = self.columns.iter();
        let columns = columns.map(|c| take(c, &indices, None).map_err(arrow_error));
        let columns = columns.collect::<Result<_>>()?;
        let kinds = self.kinds.as_ref();
        let kinds = kinds.map(|kinds| rows.iter().map(|row| kinds[*row as usize]).collect());
        Self::new(rows.len(), columns, kinds)
    }

    /// `length` rows from `offset` on, without copying; must lie within the batch.
    pub fn slice(&self, offset: usize, length: usize) -> Self {
        Self {
            rows: length,
            columns: self
                .columns
                .iter()
                .map(|c| c.slice(offset, length))
                .collect(),
            kinds: self.kinds.as_ref().map(|k| k.slice(offset, length)),
        }
    }

    /// All rows of batches of one row type, in order; at least one batch.
    pub fn concat(batches: &[Batch]) -> Result<Self> {
        let [first, rest @ ..] = batches else {
            return Err(Error::internal("no batch to concatenate"));
        };
        if rest.is_empty() {
            return Ok(first.clone());
        }
        let rows = batches.iter().map(Batch::rows).sum();
        let columns = (0..first.columns.len()).map(|column| {
            let parts = batches.iter().map(|b| b.column(column).map(AsRef::as_ref));
            let parts: Vec<&dyn Array> = parts.collect::<Result<_>>()?;
            arrow_select::concat::concat(&parts).map_err(arrow_error)
        });
        let columns = columns.collect::<Result<_>>()?;
        let mixed = batches.iter().any(|batch| batch.kinds.is_some());
        let kinds = mixed.then(|| {
            let mut kinds = Vec::with_capacity(rows);
            for batch in batches {
                match batch.kinds() {
                    Some(some) => kinds.extend_from_slice(some),
                    None => kinds.resize(kinds.len() + batch.rows, RowKind::Insert as i8),
                }
            }
            ScalarBuffer::from(kinds)
        });
        Self::new(rows, columns, kinds)
    }

    /// Bytes of memory that keep this batch: each allocation once, however many columns share it, and whole, even when a slice
    /// uses a part. What two batches share counts in both.
    pub fn memory_size(&self) -> usize {
        let mut buffers = Vec::new();
        for column in &self.columns {
            add_buffers(&column.to_data(), &mut buffers);
        }
        let kinds = self.kinds.as_ref().map(|kinds| kinds.inner());
        buffers.extend(kinds.map(allocation));
        buffers.sort_unstable();
        buffers.dedup();
        buffers.into_iter().map(|(_, bytes)| bytes).sum()
    }
}

/// Where the allocation behind a buffer begins, and its bytes.
fn allocation(buffer: &Buffer) -> (usize, usize) {
    (buffer.data_ptr().as_ptr() as usize, buffer.capacity())
}

fn add_buffers(data: &ArrayData, buffers: &mut Vec<(usize, usize)>) {
    buffers.extend(data.buffers().iter().map(allocation));
    buffers.extend(data.nulls().map(|nulls| allocation(nulls.buffer())));
    for child in data.child_data() {
        add_buffers(child, buffers);
    }
}

/// An error of an Arrow kernel: a fault of ours, as the types were checked before.
pub(crate) fn arrow_error(error: arrow_schema::ArrowError) -> Error {
    Error::internal(format!("Arrow: {error}"))
}
