use crate::value::Value;
use arrow_array::types::{Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, BinaryArray, BooleanArray, Decimal128Array, FixedSizeBinaryArray,
    ListArray, NullArray, PrimitiveArray, StructArray, Time32MillisecondArray,
    TimestampMicrosecondArray, TimestampMillisecondArray,
};
use arrow_buffer::{
    ArrowNativeType, BooleanBufferBuilder, Buffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer,
};
use arrow_schema::{DataType as Arrow, Field as ArrowField, TimeUnit};
use sf_batch::arrow_type;
use sf_core::{Error, Result};
use sf_plan::{DataType, Field};
use std::sync::Arc;

/// Bytes of a value of [`Data::Wide`].
const WIDE: usize = 12;

/// A column that grows. Unlike Arrow's builders it can be cut back, when a record turns out to be bad, and children of a row may
/// lag behind: what they lack is NULL.
#[derive(Debug)]
pub(crate) struct Column {
    arrow: Arrow,
    valid: NullBufferBuilder,
    pub(crate) data: Data,
}

/// The values; a NULL has a place here, too.
#[derive(Debug)]
pub(crate) enum Data {
    Null,
    Bool(BooleanBufferBuilder),
    I8(Vec<i8>),
    I16(Vec<i16>),
    /// Also dates, times, intervals.
    I32(Vec<i32>),
    /// Also timestamps, intervals.
    I64(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Decimal(Vec<i128>),
    Wide(Vec<u8>),
    Bytes(Bytes),
    List(Vec<i32>, Box<Column>),
    Map(Vec<i32>, Box<Column>, Box<Column>),
    Row(Vec<Column>),
}

/// Byte strings, one behind another.
#[derive(Debug)]
pub(crate) struct Bytes {
    /// Begin of each and end of the last.
    offsets: Vec<i32>,
    pub(crate) bytes: Vec<u8>,
}

impl Bytes {
    /// Ends the string whose bytes were appended to [`Self::bytes`].
    #[inline]
    pub(crate) fn end(&mut self) {
        // Wraps beyond 2 GiB, which `Column::finish` sees.
        self.offsets.push(self.bytes.len() as i32);
    }

    #[inline]
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.end();
    }

    /// Drops what was appended to [`Self::bytes`] since the last end.
    pub(crate) fn drop_open(&mut self) {
        self.bytes.truncate(end(&self.offsets));
    }
}

impl Column {
    /// An empty column.
    pub(crate) fn new(data_type: &DataType) -> Self {
        let child = |field: &Field| Box::new(Self::new(&field.data_type));
        let arrow = arrow_type(data_type);
        let data = match data_type {
            DataType::Multiset(element) => {
                Data::Map(vec![0], child(element), Box::new(Self::new(&DataType::Int)))
            }
            DataType::Map(key, value) => Data::Map(vec![0], child(key), child(value)),
            DataType::Array(element) => Data::List(vec![0], child(element)),
            DataType::Row(row) => {
                let fields = row.fields().iter();
                Data::Row(fields.map(|f| Self::new(&f.data_type)).collect())
            }
            _ => match &arrow {
                Arrow::Boolean => Data::Bool(BooleanBufferBuilder::new(0)),
                Arrow::Int8 => Data::I8(Vec::new()),
                Arrow::Int16 => Data::I16(Vec::new()),
                Arrow::Int32 | Arrow::Date32 | Arrow::Time32(_) => Data::I32(Vec::new()),
                Arrow::Int64 | Arrow::Timestamp(..) => Data::I64(Vec::new()),
                Arrow::Float32 => Data::F32(Vec::new()),
                Arrow::Float64 => Data::F64(Vec::new()),
                Arrow::Decimal128(..) => Data::Decimal(Vec::new()),
                Arrow::FixedSizeBinary(_) => Data::Wide(Vec::new()),
                Arrow::Binary => Data::Bytes(Bytes {
                    offsets: vec![0],
                    bytes: Vec::new(),
                }),
                _ => Data::Null,
            },
        };
        Self {
            arrow,
            valid: NullBufferBuilder::new(0),
            data,
        }
    }

    /// Number of values.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.valid.len()
    }

    /// Says that a value was appended to the data.
    #[inline]
    pub(crate) fn pushed(&mut self) {
        self.valid.append_non_null();
    }

    /// Appends NULL until there are `len` values.
    #[inline]
    pub(crate) fn pad(&mut self, len: usize) {
        if self.len() < len {
            self.pad_data(len);
        }
    }

    fn pad_data(&mut self, len: usize) {
        let more = len - self.len();
        self.valid.append_n_nulls(more);
        let repeat = |offsets: &mut Vec<i32>| {
            let last = offsets[offsets.len() - 1];
            offsets.resize(len + 1, last);
        };
        match &mut self.data {
            Data::Bool(bits) => bits.append_n(more, false),
            Data::I8(values) => values.resize(len, 0),
            Data::I16(values) => values.resize(len, 0),
            Data::I32(values) => values.resize(len, 0),
            Data::I64(values) => values.resize(len, 0),
            Data::F32(values) => values.resize(len, 0.0),
            Data::F64(values) => values.resize(len, 0.0),
            Data::Decimal(values) => values.resize(len, 0),
            Data::Wide(values) => values.resize(len * WIDE, 0),
            Data::Bytes(bytes) => repeat(&mut bytes.offsets),
            Data::List(offsets, _) | Data::Map(offsets, ..) => repeat(offsets),
            Data::Null | Data::Row(_) => {}
        }
    }

    /// Drops the values from `len` on, and what was begun of the next.
    pub(crate) fn truncate(&mut self, len: usize) {
        if self.len() > len {
            self.valid.truncate(len);
        }
        match &mut self.data {
            Data::Null => {}
            Data::Bool(bits) => bits.truncate(len),
            Data::I8(values) => values.truncate(len),
            Data::I16(values) => values.truncate(len),
            Data::I32(values) => values.truncate(len),
            Data::I64(values) => values.truncate(len),
            Data::F32(values) => values.truncate(len),
            Data::F64(values) => values.truncate(len),
            Data::Decimal(values) => values.truncate(len),
            Data::Wide(values) => values.truncate(len * WIDE),
            Data::Bytes(bytes) => {
                bytes.offsets.truncate(len + 1);
                bytes.drop_open();
            }
            Data::List(offsets, child) => {
                offsets.truncate(len + 1);
                child.truncate(end(offsets));
            }
            Data::Map(offsets, key, value) => {
                offsets.truncate(len + 1);
                key.truncate(end(offsets));
                value.truncate(end(offsets));
            }
            Data::Row(children) => children.iter_mut().for_each(|c| c.truncate(len)),
        }
    }

    /// Appends a value. What has another type is an error.
    pub(crate) fn append(&mut self, value: &Value) -> Result<()> {
        let row = self.len();
        match (&mut self.data, value) {
            (_, Value::Null) => {
                self.pad(row + 1);
                return Ok(());
            }
            (Data::Bool(bits), Value::Bool(value)) => bits.append(*value),
            (Data::I8(values), Value::Int(value)) => values.push(*value as i8),
            (Data::I16(values), Value::Int(value)) => values.push(*value as i16),
            (Data::I32(values), Value::Int(value)) => values.push(*value as i32),
            (Data::I64(values), Value::Int(value)) => values.push(*value),
            (Data::F32(values), Value::Float(value)) => values.push(*value),
            (Data::F64(values), Value::Double(value)) => values.push(*value),
            (Data::Decimal(values), Value::Decimal(value)) => values.push(*value),
            (Data::Wide(values), Value::Wide(millis, nanos)) => {
                values.extend(millis.to_le_bytes());
                values.extend(nanos.to_le_bytes());
            }
            (Data::Bytes(bytes), Value::Bytes(value)) => bytes.push(value),
            (Data::List(offsets, child), Value::List(values)) => {
                values.iter().try_for_each(|value| child.append(value))?;
                offsets.push(child.len() as i32);
            }
            (Data::Map(offsets, keys, children), Value::Map(entries)) => {
                for (key, value) in entries {
                    keys.append(key)?;
                    children.append(value)?;
                }
                offsets.push(keys.len() as i32);
            }
            (Data::Row(children), Value::Row(values)) => {
                for (child, value) in children.iter_mut().zip(values) {
                    child.pad(row);
                    child.append(value)?;
                }
            }
            (_, value) => {
                let arrow = &self.arrow;
                return Err(Error::internal(format!("{value:?} for a column {arrow}")));
            }
        }
        self.pushed();
        Ok(())
    }

    /// Takes the fields of all rows out; the column, one of rows, is empty then.
    pub(crate) fn finish_children(&mut self) -> Result<Vec<ArrayRef>> {
        let len = self.len();
        self.valid.finish();
        match &mut self.data {
            Data::Row(children) => finish_children(children, len),
            _ => Err(Error::internal("a column without children")),
        }
    }

    /// Takes the values out as an array; the column is empty then.
    pub(crate) fn finish(&mut self) -> Result<ArrayRef> {
        let len = self.len();
        let nulls = self.valid.finish();
        let made: ArrayRef = match (&mut self.data, &self.arrow) {
            (Data::Bool(bits), _) => Arc::new(BooleanArray::new(bits.finish(), nulls)),
            (Data::I8(values), _) => Arc::new(primitive::<Int8Type>(values, nulls)),
            (Data::I16(values), _) => Arc::new(primitive::<Int16Type>(values, nulls)),
            (Data::I32(values), Arrow::Date32) => {
                Arc::new(arrow_array::Date32Array::new(taken(values), nulls))
            }
            (Data::I32(values), Arrow::Time32(_)) => {
                Arc::new(Time32MillisecondArray::new(taken(values), nulls))
            }
            (Data::I32(values), _) => Arc::new(primitive::<Int32Type>(values, nulls)),
            (Data::I64(values), Arrow::Timestamp(TimeUnit::Millisecond, _)) => {
                Arc::new(TimestampMillisecondArray::new(taken(values), nulls))
            }
            (Data::I64(values), Arrow::Timestamp(..)) => {
                Arc::new(TimestampMicrosecondArray::new(taken(values), nulls))
            }
            (Data::I64(values), _) => Arc::new(primitive::<Int64Type>(values, nulls)),
            (Data::F32(values), _) => Arc::new(primitive::<Float32Type>(values, nulls)),
            (Data::F64(values), _) => Arc::new(primitive::<Float64Type>(values, nulls)),
            (Data::Decimal(values), arrow) => {
                let array = Decimal128Array::new(taken(values), nulls);
                Arc::new(array.with_data_type(arrow.clone()))
            }
            (Data::Wide(values), _) => {
                let values = Buffer::from_vec(renewed(values));
                let array = FixedSizeBinaryArray::try_new(WIDE as i32, values, nulls);
                Arc::new(array.map_err(arrow_error)?)
            }
            (Data::Bytes(bytes), _) => {
                let values = renewed(&mut bytes.bytes);
                let offsets = offsets(&mut bytes.offsets, values.len())?;
                let array = BinaryArray::try_new(offsets, Buffer::from_vec(values), nulls);
                Arc::new(array.map_err(arrow_error)?)
            }
            (Data::List(ends, child), Arrow::List(field)) => {
                let offsets = offsets(ends, child.len())?;
                let child = child.finish()?;
                let array = ListArray::try_new(field.clone(), offsets, child, nulls);
                Arc::new(array.map_err(arrow_error)?)
            }
            (Data::Map(ends, key, value), Arrow::List(field)) => {
                let offsets = offsets(ends, key.len())?;
                let entries = Arc::new(entries(field, key.finish()?, value.finish()?)?);
                let array = ListArray::try_new(field.clone(), offsets, entries, nulls);
                Arc::new(array.map_err(arrow_error)?)
            }
            (Data::Row(children), Arrow::Struct(fields)) => {
                let columns = finish_children(children, len)?;
                let array = StructArray::try_new_with_length(fields.clone(), columns, nulls, len);
                Arc::new(array.map_err(arrow_error)?)
            }
            _ => Arc::new(NullArray::new(len)),
        };
        Ok(made)
    }
}

fn finish_children(children: &mut [Column], len: usize) -> Result<Vec<ArrayRef>> {
    let finish = |child: &mut Column| {
        child.pad(len);
        child.finish()
    };
    children.iter_mut().map(finish).collect()
}

fn entries(field: &ArrowField, key: ArrayRef, value: ArrayRef) -> Result<StructArray> {
    let Arrow::Struct(fields) = field.data_type() else {
        return Err(Error::internal("a map without entries"));
    };
    StructArray::try_new(fields.clone(), vec![key, value], None).map_err(arrow_error)
}

/// The values; room for as many and some more stays, as the next batch is mostly of the same size.
fn renewed<T>(values: &mut Vec<T>) -> Vec<T> {
    let room = Vec::with_capacity(values.len() + values.len() / 8);
    std::mem::replace(values, room)
}

fn taken<T: ArrowNativeType>(values: &mut Vec<T>) -> ScalarBuffer<T> {
    renewed(values).into()
}

fn primitive<T: ArrowPrimitiveType>(
    values: &mut Vec<T::Native>,
    nulls: Option<arrow_buffer::NullBuffer>,
) -> PrimitiveArray<T> {
    PrimitiveArray::new(taken(values), nulls)
}

fn offsets(offsets: &mut Vec<i32>, length: usize) -> Result<OffsetBuffer<i32>> {
    if length > i32::MAX as usize {
        offsets.truncate(1);
        return Err(Error::user(
            "the values of one column of a batch take more than 2 GiB; give smaller batches",
        ));
    }
    let taken = renewed(offsets);
    offsets.push(0);
    Ok(OffsetBuffer::new(taken.into()))
}

fn end(offsets: &[i32]) -> usize {
    offsets.last().map_or(0, |end| *end as usize)
}

fn arrow_error(error: arrow_schema::ArrowError) -> Error {
    Error::internal(format!("Arrow: {error}"))
}
