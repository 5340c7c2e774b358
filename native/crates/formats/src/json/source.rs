use super::write::FieldWriter;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType, TimestampMicrosecondType,
    TimestampMillisecondType,
};
use arrow_array::{Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray};
use arrow_buffer::NullBuffer;
use sf_core::{Error, Result};
use sf_plan::DataType;

/// A column to write from: its arrays looked up once for a batch.
pub(super) struct Source<'a> {
    nulls: Option<&'a NullBuffer>,
    pub(super) values: Values<'a>,
}

/// Values by how they are written.
pub(super) enum Values<'a> {
    Null,
    Bool(&'a BooleanArray),
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    F32(&'a [f32]),
    F64(&'a [f64]),
    Text(&'a BinaryArray),
    Binary(&'a BinaryArray),
    /// Unscaled, and the scale.
    Decimal(&'a [i128], i8),
    Date(&'a [i32]),
    Time(&'a [i32]),
    /// Timestamps, and whether they are instants.
    Millis(&'a [i64], bool),
    Micros(&'a [i64], bool),
    Wide(&'a FixedSizeBinaryArray, bool),
    List(&'a [i32], Box<Source<'a>>),
    Map(&'a [i32], Box<Source<'a>>, Box<Source<'a>>),
    Row(Vec<Source<'a>>),
}

impl<'a> Source<'a> {
    /// The column as a value of the field's type; an error if it has another layout.
    pub(super) fn new(array: &'a ArrayRef, field: &FieldWriter) -> Result<Self> {
        Self::of(array, &field.data_type, &field.children)
    }

    fn of(array: &'a ArrayRef, data_type: &DataType, children: &[FieldWriter]) -> Result<Self> {
        let values = match data_type {
            DataType::Null => Some(Values::Null),
            DataType::Boolean => array.as_boolean_opt().map(Values::Bool),
            DataType::TinyInt => primitive::<Int8Type>(array).map(Values::I8),
            DataType::SmallInt => primitive::<Int16Type>(array).map(Values::I16),
            DataType::Int | DataType::IntervalYearMonth => {
                primitive::<Int32Type>(array).map(Values::I32)
            }
            DataType::BigInt | DataType::IntervalDayTime => {
                primitive::<Int64Type>(array).map(Values::I64)
            }
            DataType::Float => primitive::<Float32Type>(array).map(Values::F32),
            DataType::Double => primitive::<Float64Type>(array).map(Values::F64),
            DataType::Char(_) | DataType::Varchar(_) => array.as_binary_opt().map(Values::Text),
            DataType::Binary(_) | DataType::Varbinary(_) => {
                array.as_binary_opt().map(Values::Binary)
            }
            DataType::Decimal(_, scale) => {
                primitive::<Decimal128Type>(array).map(|values| Values::Decimal(values, *scale))
            }
            DataType::Date => primitive::<Date32Type>(array).map(Values::Date),
            DataType::Time(_) => primitive::<Time32MillisecondType>(array).map(Values::Time),
            DataType::Timestamp(precision) => timestamps(array, *precision, false),
            DataType::TimestampLtz(precision) => timestamps(array, *precision, true),
            DataType::Array(_) => match array.as_list_opt::<i32>() {
                Some(list) => {
                    let elements = Self::new(list.values(), &children[0])?;
                    Some(Values::List(list.value_offsets(), Box::new(elements)))
                }
                None => None,
            },
            DataType::Map(..) | DataType::Multiset(_) => {
                let list = array.as_list_opt::<i32>();
                let pairs = list.and_then(|list| Some((list, list.values().as_struct_opt()?)));
                match pairs.map(|(list, pairs)| (list, pairs.columns())) {
                    Some((list, [keys, values])) => {
                        let keys = Self::of(keys, &DataType::Varchar(i32::MAX), &[])?;
                        let values = Self::new(values, &children[0])?;
                        let offsets = list.value_offsets();
                        Some(Values::Map(offsets, Box::new(keys), Box::new(values)))
                    }
                    _ => None,
                }
            }
            DataType::Row(_) => match array.as_struct_opt() {
                Some(row) => {
                    let fields = row.columns().iter().zip(children);
                    let fields = fields.map(|(column, field)| Self::new(column, field));
                    Some(Values::Row(fields.collect::<Result<_>>()?))
                }
                None => None,
            },
        };
        let Some(values) = values else {
            let layout = array.data_type();
            return Err(Error::internal(format!(
                "a column {layout} for {data_type:?}"
            )));
        };
        Ok(Self {
            nulls: array.nulls(),
            values,
        })
    }

    #[inline]
    pub(super) fn is_null(&self, row: usize) -> bool {
        self.nulls.is_some_and(|nulls| nulls.is_null(row))
    }
}

fn primitive<T: ArrowPrimitiveType>(array: &ArrayRef) -> Option<&[T::Native]> {
    array
        .as_primitive_opt::<T>()
        .map(|array| array.values().as_ref())
}

fn timestamps(array: &ArrayRef, precision: u8, instant: bool) -> Option<Values<'_>> {
    match precision {
        0..=3 => primitive::<TimestampMillisecondType>(array).map(|v| Values::Millis(v, instant)),
        4..=6 => primitive::<TimestampMicrosecondType>(array).map(|v| Values::Micros(v, instant)),
        _ => array
            .as_fixed_size_binary_opt()
            .map(|v| Values::Wide(v, instant)),
    }
}
