//! Literals of plans as arrays of one value.

use crate::decimal;
use crate::stamp;
use arrow_array::types::Decimal128Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Float32Array, Float64Array, Int8Array,
    Int16Array, Int32Array, Int64Array, PrimitiveArray, Time32MillisecondArray, new_null_array,
};
use sf_batch::arrow_type;
use sf_core::{Error, Result};
use sf_plan::{DataType, proto::Literal, proto::literal::Value, unsupported};
use std::sync::Arc;

/// The value of a literal of a type.
pub(crate) fn array(literal: &Literal, data_type: &DataType) -> Result<ArrayRef> {
    let Some(value) = &literal.value else {
        return Ok(new_null_array(&arrow_type(data_type), 1));
    };
    let range =
        |value: &i64| Error::internal(format!("the literal {value} is not a {data_type:?}"));
    Ok(match (data_type, value) {
        (DataType::Boolean, Value::Boolean(v)) => Arc::new(BooleanArray::from(vec![*v])),
        (DataType::TinyInt, Value::Integer(v)) => Arc::new(Int8Array::from(vec![
            i8::try_from(*v).map_err(|_| range(v))?,
        ])),
        (DataType::SmallInt, Value::Integer(v)) => Arc::new(Int16Array::from(vec![
            i16::try_from(*v).map_err(|_| range(v))?,
        ])),
        (DataType::Int | DataType::IntervalYearMonth, Value::Integer(v)) => {
            Arc::new(Int32Array::from(vec![
                i32::try_from(*v).map_err(|_| range(v))?,
            ]))
        }
        (DataType::BigInt | DataType::IntervalDayTime, Value::Integer(v)) => {
            Arc::new(Int64Array::from(vec![*v]))
        }
        (DataType::Date, Value::Integer(v)) => Arc::new(Date32Array::from(vec![
            i32::try_from(*v).map_err(|_| range(v))?,
        ])),
        (DataType::Time(_), Value::Integer(v)) => {
            let millis = i32::try_from(*v).map_err(|_| range(v))?;
            Arc::new(Time32MillisecondArray::from(vec![millis]))
        }
        (DataType::Float, Value::Floating(v)) => Arc::new(Float32Array::from(vec![*v as f32])),
        (DataType::Double, Value::Floating(v)) => Arc::new(Float64Array::from(vec![*v])),
        (DataType::Decimal(..), Value::Decimal(bytes)) => {
            let unscaled = decimal::from_big_endian(bytes)
                .ok_or_else(|| Error::internal("a DECIMAL literal is too long"))?;
            let array = PrimitiveArray::<Decimal128Type>::from(vec![unscaled]);
            Arc::new(array.with_data_type(arrow_type(data_type)))
        }
        (DataType::Timestamp(_) | DataType::TimestampLtz(_), Value::Timestamp(v)) => {
            let value = Some((v.millisecond, v.nano_of_millisecond));
            stamp::array(data_type, [value])?
        }
        (
            DataType::Char(_) | DataType::Varchar(_) | DataType::Binary(_) | DataType::Varbinary(_),
            Value::Bytes(v),
        ) => Arc::new(BinaryArray::from_vec(vec![v])),
        _ => {
            let sql = crate::types::sql(data_type);
            return Err(unsupported(format!("a literal of the type {sql}")));
        }
    })
}

/// The literal as messages show it.
pub(crate) fn text(literal: &Literal) -> String {
    match &literal.value {
        None => "NULL".to_owned(),
        Some(Value::Boolean(v)) => v.to_string(),
        Some(Value::Integer(v)) => v.to_string(),
        Some(Value::Floating(v)) => format!("{v:?}"),
        Some(Value::Bytes(v)) => format!("'{}'", String::from_utf8_lossy(v)),
        Some(Value::Decimal(v)) => match decimal::from_big_endian(v) {
            Some(unscaled) => format!("{unscaled}:DECIMAL"),
            None => "DECIMAL".to_owned(),
        },
        Some(Value::Timestamp(v)) => format!("TIMESTAMP {}", v.millisecond),
    }
}
