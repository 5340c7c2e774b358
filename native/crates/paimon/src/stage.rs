//! The rows of one row group, column by column, until they are encoded.

use crate::columns::{ColumnType, TableColumns, TypedColumn};
use crate::row::TableRow;
use crate::scalar::{Scalar, decode};
use crate::schema;
use bytes::Bytes;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::writer::SerializedColumnWriter;

/// So many values at a time are handed to Parquet where it wants an object per value.
const BATCH: usize = 1024;

/// Values of a column, one behind the other, without the rows that have none.
#[derive(Debug)]
enum Values {
    Boolean(Vec<bool>),
    Int(Vec<i32>),
    Long(Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Bytes(ByteValues),
}

#[derive(Debug, Default)]
struct ByteValues {
    data: Vec<u8>,
    ends: Vec<u32>,
}

impl ByteValues {
    fn push(&mut self, value: &[u8]) {
        self.data.extend_from_slice(value);
        self.ends.push(self.data.len() as u32);
    }
}

impl Values {
    fn of(column_type: ColumnType) -> Self {
        match column_type {
            ColumnType::Boolean => Self::Boolean(Vec::new()),
            ColumnType::TinyInt | ColumnType::SmallInt | ColumnType::Int | ColumnType::Date => {
                Self::Int(Vec::new())
            }
            ColumnType::BigInt | ColumnType::Timestamp => Self::Long(Vec::new()),
            ColumnType::Float => Self::Float(Vec::new()),
            ColumnType::Double => Self::Double(Vec::new()),
            ColumnType::String | ColumnType::Bytes => Self::Bytes(ByteValues::default()),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Boolean(values) => values.is_empty(),
            Self::Int(values) => values.is_empty(),
            Self::Long(values) => values.is_empty(),
            Self::Float(values) => values.is_empty(),
            Self::Double(values) => values.is_empty(),
            Self::Bytes(values) => values.ends.is_empty(),
        }
    }

    /// Bytes that the value takes; `None` when it is of another type.
    fn push(&mut self, value: Scalar<'_>) -> Option<usize> {
        match (self, value) {
            (Self::Boolean(values), Scalar::Boolean(value)) => values.push(value),
            (Self::Int(values), Scalar::Int(value)) => values.push(value),
            (Self::Long(values), Scalar::Long(value)) => values.push(value),
            (Self::Float(values), Scalar::Float(value)) => values.push(value),
            (Self::Double(values), Scalar::Double(value)) => values.push(value),
            (Self::Bytes(values), Scalar::Bytes(value)) => {
                values.push(value);
                return Some(value.len());
            }
            _ => return None,
        }
        Some(8)
    }

    fn clear(&mut self) {
        match self {
            Self::Boolean(values) => values.clear(),
            Self::Int(values) => values.clear(),
            Self::Long(values) => values.clear(),
            Self::Float(values) => values.clear(),
            Self::Double(values) => values.clear(),
            Self::Bytes(values) => {
                values.data.clear();
                values.ends.clear();
            }
        }
    }

    /// Encodes them; `levels` says which rows have one, `None`: all.
    fn write(
        &mut self,
        writer: &mut SerializedColumnWriter<'_>,
        levels: Option<&[i16]>,
    ) -> ParquetResult<()> {
        match (&mut *self, writer.untyped()) {
            (Self::Boolean(values), ColumnWriter::BoolColumnWriter(to)) => {
                to.write_batch(values, levels, None)?;
            }
            (Self::Int(values), ColumnWriter::Int32ColumnWriter(to)) => {
                to.write_batch(values, levels, None)?;
            }
            (Self::Long(values), ColumnWriter::Int64ColumnWriter(to)) => {
                to.write_batch(values, levels, None)?;
            }
            (Self::Float(values), ColumnWriter::FloatColumnWriter(to)) => {
                to.write_batch(values, levels, None)?;
            }
            (Self::Double(values), ColumnWriter::DoubleColumnWriter(to)) => {
                to.write_batch(values, levels, None)?;
            }
            (Self::Bytes(values), ColumnWriter::ByteArrayColumnWriter(to)) => {
                let data = Bytes::from(std::mem::take(&mut values.data));
                let mut start = 0;
                let mut next = values.ends.iter().map(|end| {
                    let value = data.slice(start as usize..*end as usize);
                    start = *end;
                    ByteArray::from(value)
                });
                let mut batch: Vec<ByteArray> = Vec::with_capacity(BATCH);
                match levels {
                    None => loop {
                        batch.clear();
                        batch.extend(next.by_ref().take(BATCH));
                        if batch.is_empty() {
                            break;
                        }
                        to.write_batch(&batch, None, None)?;
                    },
                    Some(levels) => {
                        for levels in levels.chunks(BATCH) {
                            let present = levels.iter().filter(|level| **level != 0).count();
                            batch.clear();
                            batch.extend(next.by_ref().take(present));
                            to.write_batch(&batch, Some(levels), None)?;
                        }
                    }
                }
            }
            _ => return Err(ParquetError::General("a column is of another type".into())),
        }
        Ok(())
    }
}

/// A column whose rows need not have a value.
#[derive(Debug)]
struct Optional {
    values: Values,
    /// A level per row up to the last one that has a value: 1 with, 0 without.
    levels: Vec<i16>,
}

impl Optional {
    fn new(values: Values) -> Self {
        let levels = Vec::new();
        Self { values, levels }
    }

    /// Gives row `row` a value; returns its bytes.
    fn push(&mut self, row: usize, value: Scalar<'_>) -> usize {
        let Some(bytes) = self.values.push(value) else {
            return 0;
        };
        self.levels.resize(row, 0);
        self.levels.push(1);
        bytes
    }

    fn write(
        &mut self,
        writer: &mut SerializedColumnWriter<'_>,
        rows: usize,
        absent: &[i16],
    ) -> ParquetResult<()> {
        if self.values.is_empty() {
            return self.values.write(writer, Some(absent));
        }
        self.levels.resize(rows, 0);
        self.values.write(writer, Some(&self.levels))
    }
}

/// Rows that wait for their row group to be full.
#[derive(Debug)]
pub(crate) struct Stage {
    rows: usize,
    key_groups: Values,
    states: Values,
    keys: Values,
    namespaces: Values,
    user_keys: Values,
    values: Optional,
    timestamps: Optional,
    checkpoints: Optional,
    typed: Vec<Optional>,
    absent: Vec<i16>,
    scratch: Vec<u8>,
}

impl Stage {
    pub(crate) fn new(columns: &TableColumns) -> Self {
        let bytes = || Values::of(ColumnType::Bytes);
        let of = |column: &TypedColumn| Optional::new(Values::of(column.column_type));
        Self {
            rows: 0,
            key_groups: Values::of(ColumnType::Int),
            states: Values::of(ColumnType::Int),
            keys: bytes(),
            namespaces: bytes(),
            user_keys: bytes(),
            values: Optional::new(bytes()),
            timestamps: Optional::new(Values::of(ColumnType::BigInt)),
            checkpoints: Optional::new(Values::of(ColumnType::BigInt)),
            typed: columns.typed().iter().map(of).collect(),
            absent: Vec::new(),
            scratch: Vec::new(),
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Adds a row; returns how many bytes its typed columns take.
    pub(crate) fn push(&mut self, row: &TableRow<'_>, columns: &TableColumns) -> usize {
        self.key_groups.push(Scalar::Int(row.key_group as i32));
        self.states.push(Scalar::Int(i32::from(row.state)));
        self.keys.push(Scalar::Bytes(row.key));
        self.namespaces.push(Scalar::Bytes(row.namespace));
        self.user_keys.push(Scalar::Bytes(row.user_key));
        if let Some(value) = row.value {
            self.values.push(self.rows, Scalar::Bytes(value));
        }
        if let Some(timestamp) = row.timestamp {
            self.timestamps.push(self.rows, Scalar::Long(timestamp));
        }
        self.checkpoints
            .push(self.rows, Scalar::Long(row.checkpoint));
        let mut bytes = 0;
        for position in columns.of_state(row.state) {
            let column = &columns.typed()[*position];
            if let Some(value) = decode(column, row, &mut self.scratch) {
                bytes += self.typed[*position].push(self.rows, value);
            }
        }
        self.rows += 1;
        bytes
    }

    /// Encodes column `position` of the file's schema. `first`: sequence number of the first row.
    pub(crate) fn write(
        &mut self,
        position: usize,
        writer: &mut SerializedColumnWriter<'_>,
        first: i64,
    ) -> ParquetResult<()> {
        let rows = self.rows;
        if position == 0 {
            let sequence = (0..rows as i64).map(|row| first + row);
            return Values::Long(sequence.collect()).write(writer, None);
        }
        if position == 1 {
            // Every row is an insertion.
            return Values::Int(vec![0; rows]).write(writer, None);
        }
        self.absent.resize(rows, 0);
        match position - 2 {
            schema::KEY_GROUP => self.key_groups.write(writer, None),
            schema::STATE => self.states.write(writer, None),
            schema::KEY => self.keys.write(writer, None),
            schema::NAMESPACE => self.namespaces.write(writer, None),
            schema::USER_KEY => self.user_keys.write(writer, None),
            schema::VALUE => self.values.write(writer, rows, &self.absent),
            schema::TIMESTAMP => self.timestamps.write(writer, rows, &self.absent),
            schema::CHECKPOINT => self.checkpoints.write(writer, rows, &self.absent),
            _ => self.typed[position - schema::LEADING].write(writer, rows, &self.absent),
        }
    }

    /// Forgets all rows and keeps the memory.
    pub(crate) fn clear(&mut self) {
        let plain = [
            &mut self.key_groups,
            &mut self.states,
            &mut self.keys,
            &mut self.namespaces,
            &mut self.user_keys,
        ];
        plain.into_iter().for_each(Values::clear);
        let fixed = [
            &mut self.values,
            &mut self.timestamps,
            &mut self.checkpoints,
        ];
        for column in fixed.into_iter().chain(&mut self.typed) {
            column.values.clear();
            column.levels.clear();
        }
        self.rows = 0;
    }
}
