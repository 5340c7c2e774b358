//! Questions about types.

use sf_plan::DataType;

/// Kinds of types that functions tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Character,
    Bytes,
    Boolean,
    Decimal,
    /// TINYINT to BIGINT.
    Integer,
    /// FLOAT and DOUBLE.
    Approximate,
    Date,
    Time,
    Timestamp,
    TimestampLtz,
    MonthInterval,
    TimeInterval,
    Other,
}

pub(crate) fn family(data_type: &DataType) -> Family {
    match data_type {
        DataType::Char(_) | DataType::Varchar(_) => Family::Character,
        DataType::Binary(_) | DataType::Varbinary(_) => Family::Bytes,
        DataType::Boolean => Family::Boolean,
        DataType::Decimal(..) => Family::Decimal,
        DataType::TinyInt | DataType::SmallInt | DataType::Int | DataType::BigInt => {
            Family::Integer
        }
        DataType::Float | DataType::Double => Family::Approximate,
        DataType::Date => Family::Date,
        DataType::Time(_) => Family::Time,
        DataType::Timestamp(_) => Family::Timestamp,
        DataType::TimestampLtz(_) => Family::TimestampLtz,
        DataType::IntervalYearMonth => Family::MonthInterval,
        DataType::IntervalDayTime => Family::TimeInterval,
        _ => Family::Other,
    }
}

pub(crate) fn is_numeric(data_type: &DataType) -> bool {
    matches!(
        family(data_type),
        Family::Decimal | Family::Integer | Family::Approximate
    )
}

/// Precision of an exact number seen as DECIMAL of scale 0; of a DECIMAL its own.
pub(crate) fn decimal_form(data_type: &DataType) -> Option<(u8, i8)> {
    match data_type {
        DataType::TinyInt => Some((3, 0)),
        DataType::SmallInt => Some((5, 0)),
        DataType::Int => Some((10, 0)),
        DataType::BigInt => Some((19, 0)),
        DataType::Decimal(precision, scale) => Some((*precision, *scale)),
        _ => None,
    }
}

/// The type as SQL writes it, for reasons and messages.
pub(crate) fn sql(data_type: &DataType) -> String {
    match data_type {
        DataType::Char(n) => format!("CHAR({n})"),
        DataType::Varchar(i32::MAX) => "STRING".to_owned(),
        DataType::Varchar(n) => format!("VARCHAR({n})"),
        DataType::Boolean => "BOOLEAN".to_owned(),
        DataType::Binary(n) => format!("BINARY({n})"),
        DataType::Varbinary(i32::MAX) => "BYTES".to_owned(),
        DataType::Varbinary(n) => format!("VARBINARY({n})"),
        DataType::Decimal(p, s) => format!("DECIMAL({p}, {s})"),
        DataType::TinyInt => "TINYINT".to_owned(),
        DataType::SmallInt => "SMALLINT".to_owned(),
        DataType::Int => "INT".to_owned(),
        DataType::BigInt => "BIGINT".to_owned(),
        DataType::Float => "FLOAT".to_owned(),
        DataType::Double => "DOUBLE".to_owned(),
        DataType::Date => "DATE".to_owned(),
        DataType::Time(p) => format!("TIME({p})"),
        DataType::Timestamp(p) => format!("TIMESTAMP({p})"),
        DataType::TimestampLtz(p) => format!("TIMESTAMP_LTZ({p})"),
        DataType::IntervalYearMonth => "INTERVAL MONTH".to_owned(),
        DataType::IntervalDayTime => "INTERVAL SECOND".to_owned(),
        DataType::Array(_) => "ARRAY".to_owned(),
        DataType::Multiset(_) => "MULTISET".to_owned(),
        DataType::Map(..) => "MAP".to_owned(),
        DataType::Row(_) => "ROW".to_owned(),
        DataType::Null => "NULL".to_owned(),
    }
}
