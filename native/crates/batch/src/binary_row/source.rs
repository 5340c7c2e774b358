//! Columns of a batch, seen as what a `BinaryRowData` needs of them.

use super::is_compact_decimal;
use crate::layout::WIDE_TIMESTAMP;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType, TimestampMicrosecondType,
    TimestampMillisecondType,
};
use arrow_array::{Array, BinaryArray, FixedSizeBinaryArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use sf_core::{Error, Result};
use sf_plan::{DataType, Field, unsupported};

/// One column, or the children of one.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) nulls: Option<&'a NullBuffer>,
    pub(super) values: Values<'a>,
}

/// Values by the way they are written. Slices begin with the first row of the column.
#[derive(Debug)]
pub(super) enum Values<'a> {
    Boolean(&'a BooleanBuffer),
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    F32(&'a [f32]),
    F64(&'a [f64]),
    Bytes(&'a BinaryArray),
    CompactDecimal(&'a [i128]),
    WideDecimal(&'a [i128]),
    /// Microseconds.
    Micros(&'a [i64]),
    /// Milliseconds and nanoseconds.
    Wide(&'a FixedSizeBinaryArray),
    /// Offsets of lists, width of their elements, elements.
    Array(&'a [i32], usize, Box<Source<'a>>),
    /// Offsets of lists; width and values of keys and of values.
    Map(&'a [i32], Box<[(usize, Source<'a>); 2]>),
    Row(Vec<Source<'a>>),
}

impl<'a> Source<'a> {
    /// A column of this type; fails when the array has another one.
    pub(super) fn new(data_type: &DataType, array: &'a dyn Array) -> Result<Self> {
        use DataType as T;
        let values = match data_type {
            T::Null => return Err(unsupported("an untyped NULL")),
            T::Boolean => Values::Boolean(
                array
                    .as_boolean_opt()
                    .ok_or_else(|| other(data_type, array))?
                    .values(),
            ),
            T::TinyInt => Values::I8(primitive::<Int8Type>(data_type, array)?),
            T::SmallInt => Values::I16(primitive::<Int16Type>(data_type, array)?),
            T::Int | T::IntervalYearMonth => Values::I32(primitive::<Int32Type>(data_type, array)?),
            T::Date => Values::I32(primitive::<Date32Type>(data_type, array)?),
            T::Time(_) => Values::I32(primitive::<Time32MillisecondType>(data_type, array)?),
            T::BigInt | T::IntervalDayTime => {
                Values::I64(primitive::<Int64Type>(data_type, array)?)
            }
            T::Float => Values::F32(primitive::<Float32Type>(data_type, array)?),
            T::Double => Values::F64(primitive::<Float64Type>(data_type, array)?),
            T::Char(_) | T::Varchar(_) | T::Binary(_) | T::Varbinary(_) => Values::Bytes(
                array
                    .as_binary_opt()
                    .ok_or_else(|| other(data_type, array))?,
            ),
            T::Decimal(precision, _) => {
                let values = primitive::<Decimal128Type>(data_type, array)?;
                match is_compact_decimal(*precision) {
                    true => Values::CompactDecimal(values),
                    false => Values::WideDecimal(values),
                }
            }
            T::Timestamp(0..=3) | T::TimestampLtz(0..=3) => {
                Values::I64(primitive::<TimestampMillisecondType>(data_type, array)?)
            }
            T::Timestamp(4..=6) | T::TimestampLtz(4..=6) => {
                Values::Micros(primitive::<TimestampMicrosecondType>(data_type, array)?)
            }
            T::Timestamp(_) | T::TimestampLtz(_) => {
                let values = array.as_fixed_size_binary_opt();
                let values = values.filter(|v| v.value_length() == WIDE_TIMESTAMP);
                Values::Wide(values.ok_or_else(|| other(data_type, array))?)
            }
            T::Array(element) => {
                let list = array
                    .as_list_opt::<i32>()
                    .ok_or_else(|| other(data_type, array))?;
                let (width, source) = Self::element(element, list.values())?;
                Values::Array(list.value_offsets(), width, Box::new(source))
            }
            T::Multiset(element) => {
                let count = Field::new("value", DataType::Int, false);
                Self::map(data_type, [element, &count], array)?
            }
            T::Map(key, value) => Self::map(data_type, [key, value], array)?,
            T::Row(row) => {
                let columns = array
                    .as_struct_opt()
                    .map(|row| row.columns())
                    .filter(|columns| columns.len() == row.fields().len())
                    .ok_or_else(|| other(data_type, array))?;
                let fields = row.fields().iter().zip(columns);
                let fields = fields.map(|(field, column)| Self::new(&field.data_type, column));
                Values::Row(fields.collect::<Result<_>>()?)
            }
        };
        let nulls = array.nulls();
        Ok(Self { nulls, values })
    }

    /// Whether a value is NULL.
    #[inline]
    pub(super) fn is_null(&self, row: usize) -> bool {
        self.nulls.is_some_and(|nulls| nulls.is_null(row))
    }

    fn element(field: &Field, array: &'a dyn Array) -> Result<(usize, Self)> {
        let width = element_width(&field.data_type);
        Ok((width, Self::new(&field.data_type, array)?))
    }

    fn map(data_type: &DataType, fields: [&Field; 2], array: &'a dyn Array) -> Result<Values<'a>> {
        let list = array.as_list_opt::<i32>();
        let pairs = list.and_then(|list| Some((list, list.values().as_struct_opt()?.columns())));
        let Some((list, [keys, values])) = pairs else {
            return Err(other(data_type, array));
        };
        let keys = Self::element(fields[0], keys)?;
        let values = Self::element(fields[1], values)?;
        Ok(Values::Map(list.value_offsets(), Box::new([keys, values])))
    }
}

/// Bytes of an element in the fixed part of an array.
pub(super) fn element_width(data_type: &DataType) -> usize {
    use DataType as T;
    match data_type {
        T::Boolean | T::TinyInt => 1,
        T::SmallInt => 2,
        T::Int | T::IntervalYearMonth | T::Date | T::Time(_) | T::Float => 4,
        _ => 8,
    }
}

/// Refuses what `BinaryRowData` cannot hold.
pub(super) fn check(data_type: &DataType) -> Result<()> {
    match data_type {
        DataType::Null => Err(unsupported("an untyped NULL")),
        DataType::Array(field) | DataType::Multiset(field) => check(&field.data_type),
        DataType::Map(key, value) => check(&key.data_type).and(check(&value.data_type)),
        DataType::Row(row) => row.fields().iter().try_for_each(|f| check(&f.data_type)),
        _ => Ok(()),
    }
}

fn primitive<'a, T: ArrowPrimitiveType>(
    data_type: &DataType,
    array: &'a dyn Array,
) -> Result<&'a [T::Native]> {
    let array = array
        .as_primitive_opt::<T>()
        .ok_or_else(|| other(data_type, array))?;
    Ok(array.values())
}

fn other(data_type: &DataType, array: &dyn Array) -> Error {
    let found = array.data_type();
    Error::internal(format!("a column of {data_type:?} is an Arrow {found}"))
}
