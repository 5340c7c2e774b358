//! The forms in which values are folded, and their ways in and out of Arrow arrays and rows.

use super::value::Value;
use arrow_array::builder::{BinaryBuilder, FixedSizeBinaryBuilder};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType, TimestampMicrosecondType,
    TimestampMillisecondType,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, PrimitiveArray,
};
use sf_batch::{RowBuilder, RowView};
use sf_core::{Error, Result};
use sf_plan::DataType;
use std::sync::Arc;

/// In what form values of a type are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Integers, booleans, dates and times, timestamps up to microseconds (in the unit of Arrow's array).
    Long,
    /// FLOAT.
    Float,
    /// DOUBLE.
    Double,
    /// Unscaled decimals; timestamps up to nanoseconds, in nanoseconds.
    Wide,
    /// Character and binary strings.
    Bytes,
}

impl Kind {
    /// The form of a type; `None` for types that are not ordered.
    pub fn of(data_type: &DataType) -> Option<Self> {
        use DataType::*;
        Some(match data_type {
            Boolean | TinyInt | SmallInt | Int | BigInt | Date | Time(_) | IntervalYearMonth
            | IntervalDayTime | Timestamp(0..=6) | TimestampLtz(0..=6) => Self::Long,
            Float => Self::Float,
            Double => Self::Double,
            Decimal(..) | Timestamp(_) | TimestampLtz(_) => Self::Wide,
            Char(_) | Varchar(_) | Binary(_) | Varbinary(_) => Self::Bytes,
            Array(_) | Multiset(_) | Map(..) | Row(_) | Null => return None,
        })
    }
}

const NANOS_PER_MILLI: i128 = 1_000_000;
const MICROS_PER_MILLI: i64 = 1_000;
const NANOS_PER_MICRO: i32 = 1_000;
/// Bytes of a timestamp with nanoseconds in Arrow's array.
const WIDE_TIMESTAMP: i32 = 12;

/// A kind of value with its ways in and out.
pub(super) trait Form<'a>: Value {
    /// All values of an array of this type.
    fn of_array(array: &'a dyn Array, data_type: &DataType) -> Result<Vec<Option<Self>>>;

    /// An array of this type.
    fn to_array(values: &[Option<Self>], data_type: &DataType) -> Result<ArrayRef>;

    /// A field of a row that is not NULL.
    fn of_row(row: RowView<'a>, pos: usize, data_type: &DataType) -> Result<Self>;

    /// A value from the bytes of its serializer; strings cannot outlive them.
    fn of_key(key: &[u8], data_type: &DataType) -> Option<Self>;

    /// Sets a field of a row.
    fn to_row(self, row: &mut RowBuilder, pos: usize, data_type: &DataType);
}

fn mismatch(array: &dyn Array, data_type: &DataType) -> Error {
    let found = array.data_type();
    Error::internal(format!("an array of {found} holds {data_type:?}"))
}

fn unexpected(data_type: &DataType) -> Error {
    Error::internal(format!(
        "{data_type:?} has another form in the group aggregate"
    ))
}

fn down<'a, A: Array + 'static>(array: &'a dyn Array, data_type: &DataType) -> Result<&'a A> {
    let found = array.as_any().downcast_ref::<A>();
    found.ok_or_else(|| mismatch(array, data_type))
}

/// Values of a primitive array.
fn values<T: ArrowPrimitiveType, V>(
    array: &dyn Array,
    data_type: &DataType,
    value: impl Fn(T::Native) -> V,
) -> Result<Vec<Option<V>>> {
    let array = down::<PrimitiveArray<T>>(array, data_type)?;
    Ok(match array.nulls() {
        None => array.values().iter().map(|v| Some(value(*v))).collect(),
        Some(_) => array.iter().map(|v| v.map(&value)).collect(),
    })
}

/// A primitive array of values.
fn array<T: ArrowPrimitiveType, V: Copy>(
    values: &[Option<V>],
    value: impl Fn(V) -> T::Native,
) -> PrimitiveArray<T> {
    values.iter().map(|v| v.map(&value)).collect()
}

impl<'a> Form<'a> for i64 {
    fn of_array(array: &'a dyn Array, data_type: &DataType) -> Result<Vec<Option<Self>>> {
        use DataType::*;
        match data_type {
            Boolean => {
                let array = down::<BooleanArray>(array, data_type)?;
                Ok(array.iter().map(|v| v.map(i64::from)).collect())
            }
            TinyInt => values::<Int8Type, _>(array, data_type, i64::from),
            SmallInt => values::<Int16Type, _>(array, data_type, i64::from),
            Int | IntervalYearMonth => values::<Int32Type, _>(array, data_type, i64::from),
            BigInt | IntervalDayTime => values::<Int64Type, _>(array, data_type, |v| v),
            Date => values::<Date32Type, _>(array, data_type, i64::from),
            Time(_) => values::<Time32MillisecondType, _>(array, data_type, i64::from),
            Timestamp(0..=3) | TimestampLtz(0..=3) => {
                values::<TimestampMillisecondType, _>(array, data_type, |v| v)
            }
            Timestamp(_) | TimestampLtz(_) => {
                values::<TimestampMicrosecondType, _>(array, data_type, |v| v)
            }
            other => Err(unexpected(other)),
        }
    }

    fn to_array(values: &[Option<Self>], data_type: &DataType) -> Result<ArrayRef> {
        use DataType::*;
        Ok(match data_type {
            Boolean => {
                let values = values.iter().map(|v| v.map(|v| v != 0));
                Arc::new(values.collect::<BooleanArray>())
            }
            TinyInt => Arc::new(array::<Int8Type, _>(values, |v| v as i8)),
            SmallInt => Arc::new(array::<Int16Type, _>(values, |v| v as i16)),
            Int | IntervalYearMonth => Arc::new(array::<Int32Type, _>(values, |v| v as i32)),
            BigInt | IntervalDayTime => Arc::new(array::<Int64Type, _>(values, |v| v)),
            Date => Arc::new(array::<Date32Type, _>(values, |v| v as i32)),
            Time(_) => Arc::new(array::<Time32MillisecondType, _>(values, |v| v as i32)),
            Timestamp(0..=3) | TimestampLtz(0..=3) => {
                Arc::new(array::<TimestampMillisecondType, _>(values, |v| v))
            }
            Timestamp(_) | TimestampLtz(_) => {
                Arc::new(array::<TimestampMicrosecondType, _>(values, |v| v))
            }
            other => return Err(unexpected(other)),
        })
    }

    fn of_row(row: RowView<'a>, pos: usize, data_type: &DataType) -> Result<Self> {
        use DataType::*;
        Ok(match data_type {
            Boolean => row.boolean(pos).into(),
            TinyInt => row.tiny_int(pos).into(),
            SmallInt => row.small_int(pos).into(),
            Int | Date | Time(_) | IntervalYearMonth => row.int(pos).into(),
            BigInt | IntervalDayTime => row.big_int(pos),
            Timestamp(p @ 0..=3) | TimestampLtz(p @ 0..=3) => row.timestamp(pos, *p)?.0,
            Timestamp(p) | TimestampLtz(p) => {
                let (millis, nanos) = row.timestamp(pos, *p)?;
                let micros = millis.checked_mul(MICROS_PER_MILLI);
                let micros = micros.and_then(|m| m.checked_add((nanos / NANOS_PER_MICRO).into()));
                micros.ok_or_else(|| {
                    Error::user(format!("a timestamp of {millis} ms in microseconds"))
                })?
            }
            other => return Err(unexpected(other)),
        })
    }

    fn of_key(key: &[u8], data_type: &DataType) -> Option<Self> {
        use DataType::*;
        Some(match data_type {
            Boolean | TinyInt => i8::from_be_bytes(key.try_into().ok()?).into(),
            SmallInt => i16::from_be_bytes(key.try_into().ok()?).into(),
            Int | Date | Time(_) | IntervalYearMonth => {
                i32::from_be_bytes(key.try_into().ok()?).into()
            }
            Timestamp(4..) | TimestampLtz(4..) => {
                let nanos = nanos_of_key(key)? / i128::from(NANOS_PER_MICRO);
                i64::try_from(nanos).ok()?
            }
            _ => i64::from_be_bytes(key.try_into().ok()?),
        })
    }

    fn to_row(self, row: &mut RowBuilder, pos: usize, data_type: &DataType) {
        use DataType::*;
        match data_type {
            Boolean => row.set_boolean(pos, self != 0),
            TinyInt => row.set_tiny_int(pos, self as i8),
            SmallInt => row.set_small_int(pos, self as i16),
            Int | Date | Time(_) | IntervalYearMonth => row.set_int(pos, self as i32),
            Timestamp(p @ 4..) | TimestampLtz(p @ 4..) => {
                let nanos = self.rem_euclid(MICROS_PER_MILLI) as i32 * NANOS_PER_MICRO;
                row.set_timestamp(pos, self.div_euclid(MICROS_PER_MILLI), nanos, *p);
            }
            _ => row.set_big_int(pos, self),
        }
    }
}

impl<'a> Form<'a> for f32 {
    fn of_array(array: &'a dyn Array, data_type: &DataType) -> Result<Vec<Option<Self>>> {
        values::<Float32Type, _>(array, data_type, |v| v)
    }

    fn to_array(values: &[Option<Self>], _: &DataType) -> Result<ArrayRef> {
        Ok(Arc::new(array::<Float32Type, _>(values, |v| v)))
    }

    fn of_row(row: RowView<'a>, pos: usize, _: &DataType) -> Result<Self> {
        Ok(row.float(pos))
    }

    fn of_key(key: &[u8], _: &DataType) -> Option<Self> {
        Some(Self::from_be_bytes(key.try_into().ok()?))
    }

    fn to_row(self, row: &mut RowBuilder, pos: usize, _: &DataType) {
        row.set_float(pos, self);
    }
}

/// Also of FLOAT, of which AVG keeps a DOUBLE sum.
impl<'a> Form<'a> for f64 {
    fn of_array(array: &'a dyn Array, data_type: &DataType) -> Result<Vec<Option<Self>>> {
        match data_type {
            DataType::Float => values::<Float32Type, _>(array, data_type, f64::from),
            _ => values::<Float64Type, _>(array, data_type, |v| v),
        }
    }

    fn to_array(values: &[Option<Self>], data_type: &DataType) -> Result<ArrayRef> {
        Ok(match data_type {
            DataType::Float => Arc::new(array::<Float32Type, _>(values, |v| v as f32)),
            _ => Arc::new(array::<Float64Type, _>(values, |v| v)),
        })
    }

    fn of_row(row: RowView<'a>, pos: usize, _: &DataType) -> Result<Self> {
        Ok(row.double(pos))
    }

    fn of_key(key: &[u8], _: &DataType) -> Option<Self> {
        Some(Self::from_be_bytes(key.try_into().ok()?))
    }

    fn to_row(self, row: &mut RowBuilder, pos: usize, _: &DataType) {
        row.set_double(pos, self);
    }
}

impl<'a> Form<'a> for i128 {
    fn of_array(array: &'a dyn Array, data_type: &DataType) -> Result<Vec<Option<Self>>> {
        if let DataType::Decimal(..) = data_type {
            return values::<Decimal128Type, _>(array, data_type, |v| v);
        }
        let array = down::<FixedSizeBinaryArray>(array, data_type)?;
        let value = |bytes: &[u8]| {
            let millis = bytes.first_chunk().map(|b| i64::from_le_bytes(*b));
            let nanos = bytes.last_chunk().map(|b| i32::from_le_bytes(*b));
            let (millis, nanos) = millis.zip(nanos)?;
            Some(i128::from(millis) * NANOS_PER_MILLI + i128::from(nanos))
        };
        Ok(array.iter().map(|v| v.and_then(value)).collect())
    }

    fn to_array(values: &[Option<Self>], data_type: &DataType) -> Result<ArrayRef> {
        let arrow = |e| Error::internal(format!("Arrow: {e}"));
        if let DataType::Decimal(precision, scale) = data_type {
            let array = array::<Decimal128Type, _>(values, |v| v);
            let array = array.with_precision_and_scale(*precision, *scale);
            return Ok(Arc::new(array.map_err(arrow)?));
        }
        let mut builder = FixedSizeBinaryBuilder::with_capacity(values.len(), WIDE_TIMESTAMP);
        for value in values {
            match value {
                None => builder.append_null(),
                Some(value) => {
                    let (millis, nanos) = millis_and_nanos(*value);
                    let mut bytes = [0; WIDE_TIMESTAMP as usize];
                    bytes[..8].copy_from_slice(&millis.to_le_bytes());
                    bytes[8..].copy_from_slice(&nanos.to_le_bytes());
                    builder.append_value(bytes).map_err(arrow)?;
                }
            }
        }
        Ok(Arc::new(builder.finish()))
    }

    fn of_row(row: RowView<'a>, pos: usize, data_type: &DataType) -> Result<Self> {
        match data_type {
            DataType::Decimal(precision, _) => row.decimal(pos, *precision),
            DataType::Timestamp(p) | DataType::TimestampLtz(p) => {
                let (millis, nanos) = row.timestamp(pos, *p)?;
                Ok(i128::from(millis) * NANOS_PER_MILLI + i128::from(nanos))
            }
            other => Err(unexpected(other)),
        }
    }

    fn of_key(key: &[u8], data_type: &DataType) -> Option<Self> {
        match data_type {
            DataType::Decimal(..=18, _) => Some(i64::from_be_bytes(key.try_into().ok()?).into()),
            DataType::Decimal(..) => {
                let (_, bytes) = key.split_first_chunk::<4>()?;
                let sign = if *bytes.first()? >= 0x80 { 0xff } else { 0 };
                let mut wide = [sign; 16];
                let begin = wide.len().checked_sub(bytes.len())?;
                wide[begin..].copy_from_slice(bytes);
                Some(Self::from_be_bytes(wide))
            }
            _ => nanos_of_key(key),
        }
    }

    fn to_row(self, row: &mut RowBuilder, pos: usize, data_type: &DataType) {
        match data_type {
            DataType::Timestamp(p) | DataType::TimestampLtz(p) => {
                let (millis, nanos) = millis_and_nanos(self);
                row.set_timestamp(pos, millis, nanos, *p);
            }
            DataType::Decimal(precision, _) => row.set_decimal(pos, self, *precision),
            _ => row.set_decimal(pos, self, 38),
        }
    }
}

fn nanos_of_key(key: &[u8]) -> Option<i128> {
    let (millis, nanos) = key.split_first_chunk()?;
    let nanos = i32::from_be_bytes(nanos.try_into().ok()?);
    Some(i128::from(i64::from_be_bytes(*millis)) * NANOS_PER_MILLI + i128::from(nanos))
}

pub(super) fn millis_and_nanos(nanos: i128) -> (i64, i32) {
    (
        nanos.div_euclid(NANOS_PER_MILLI) as i64,
        nanos.rem_euclid(NANOS_PER_MILLI) as i32,
    )
}

impl<'a> Form<'a> for &'a [u8] {
    fn of_array(array: &'a dyn Array, data_type: &DataType) -> Result<Vec<Option<Self>>> {
        Ok(down::<BinaryArray>(array, data_type)?.iter().collect())
    }

    fn to_array(values: &[Option<Self>], _: &DataType) -> Result<ArrayRef> {
        let bytes = values.iter().flatten().map(|v| v.len()).sum();
        if bytes > i32::MAX as usize {
            return Err(Error::user(format!(
                "one column of results of one batch has {bytes} bytes; 2 GiB is the most"
            )));
        }
        let mut builder = BinaryBuilder::with_capacity(values.len(), bytes);
        for value in values {
            builder.append_option(*value);
        }
        Ok(Arc::new(builder.finish()))
    }

    fn of_row(row: RowView<'a>, pos: usize, _: &DataType) -> Result<Self> {
        row.binary(pos)
    }

    fn of_key(_: &[u8], _: &DataType) -> Option<Self> {
        None
    }

    fn to_row(self, row: &mut RowBuilder, pos: usize, _: &DataType) {
        row.set_binary(pos, self);
    }
}
