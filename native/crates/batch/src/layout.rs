use arrow_schema::{DataType as Arrow, Field as ArrowField, Fields, TimeUnit};
use sf_plan::{DataType, Field};
use std::sync::Arc;

/// Bytes of a TIMESTAMP of more than microseconds: milliseconds (i64), nanoseconds of the millisecond (i32).
pub const WIDE_TIMESTAMP: i32 = 12;

/// How Arrow holds a type; the table stands at the head of the crate.
pub fn arrow_type(data_type: &DataType) -> Arrow {
    match data_type {
        DataType::Char(_) | DataType::Varchar(_) | DataType::Binary(_) | DataType::Varbinary(_) => {
            Arrow::Binary
        }
        DataType::Boolean => Arrow::Boolean,
        DataType::Decimal(precision, scale) => Arrow::Decimal128(*precision, *scale),
        DataType::TinyInt => Arrow::Int8,
        DataType::SmallInt => Arrow::Int16,
        DataType::Int | DataType::IntervalYearMonth => Arrow::Int32,
        DataType::BigInt | DataType::IntervalDayTime => Arrow::Int64,
        DataType::Float => Arrow::Float32,
        DataType::Double => Arrow::Float64,
        DataType::Date => Arrow::Date32,
        DataType::Time(_) => Arrow::Time32(TimeUnit::Millisecond),
        DataType::Timestamp(0..=3) | DataType::TimestampLtz(0..=3) => {
            Arrow::Timestamp(TimeUnit::Millisecond, None)
        }
        DataType::Timestamp(4..=6) | DataType::TimestampLtz(4..=6) => {
            Arrow::Timestamp(TimeUnit::Microsecond, None)
        }
        DataType::Timestamp(_) | DataType::TimestampLtz(_) => {
            Arrow::FixedSizeBinary(WIDE_TIMESTAMP)
        }
        DataType::Array(element) => Arrow::List(Arc::new(arrow_field("item", element))),
        DataType::Multiset(element) => {
            let count = Field::new("value", DataType::Int, false);
            map_type(element, &count)
        }
        DataType::Map(key, value) => map_type(key, value),
        DataType::Row(row) => Arrow::Struct(arrow_fields(row.fields())),
        DataType::Null => Arrow::Null,
    }
}

/// The fields of a row, as Arrow has them.
pub fn arrow_fields(fields: &[Field]) -> Fields {
    fields.iter().map(|f| arrow_field(&f.name, f)).collect()
}

/// One field under a name. All are nullable to Arrow: whether Flink's planner is right about NULL is not checked here.
pub fn arrow_field(name: &str, field: &Field) -> ArrowField {
    ArrowField::new(name, arrow_type(&field.data_type), true)
}

/// Pairs, as Arrow's own Map refuses NULL keys and Flink's does not.
fn map_type(key: &Field, value: &Field) -> Arrow {
    let pair: Fields = vec![arrow_field("key", key), arrow_field("value", value)].into();
    let entries = ArrowField::new("entries", Arrow::Struct(pair), false);
    Arrow::List(Arc::new(entries))
}
