use crate::proto::{self, data_type::Root};
use sf_core::{Error, ErrorKind, Result};
use std::sync::Arc;

/// A type with its nullability: Flink's `LogicalType`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataType {
    /// CHAR(n), of `n` characters.
    Char(i32),
    /// VARCHAR(n); STRING is VARCHAR(i32::MAX).
    Varchar(i32),
    /// BOOLEAN.
    Boolean,
    /// BINARY(n).
    Binary(i32),
    /// VARBINARY(n); BYTES is VARBINARY(i32::MAX).
    Varbinary(i32),
    /// DECIMAL(precision, scale), precision 1 to 38.
    Decimal(u8, i8),
    /// TINYINT.
    TinyInt,
    /// SMALLINT.
    SmallInt,
    /// INTEGER.
    Int,
    /// BIGINT.
    BigInt,
    /// FLOAT.
    Float,
    /// DOUBLE.
    Double,
    /// DATE: days since 1970.
    Date,
    /// TIME(precision): milliseconds of the day.
    Time(u8),
    /// TIMESTAMP(precision), without time zone.
    Timestamp(u8),
    /// TIMESTAMP_LTZ(precision).
    TimestampLtz(u8),
    /// INTERVAL YEAR TO MONTH: months.
    IntervalYearMonth,
    /// INTERVAL DAY TO SECOND: milliseconds.
    IntervalDayTime,
    /// ARRAY.
    Array(Arc<Field>),
    /// MULTISET.
    Multiset(Arc<Field>),
    /// MAP of key and value.
    Map(Arc<Field>, Arc<Field>),
    /// ROW.
    Row(RowType),
    /// The type of an untyped NULL.
    Null,
}

/// A field of a row, or the element, key or value of a collection (then without name).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
    /// Whether it may be NULL.
    pub nullable: bool,
}

/// The fields of a row; cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowType {
    fields: Arc<[Field]>,
}

impl RowType {
    /// A row of these fields.
    pub fn new(fields: impl Into<Arc<[Field]>>) -> Self {
        Self {
            fields: fields.into(),
        }
    }

    /// The fields in order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }
}

impl Field {
    /// A field.
    pub fn new(name: impl Into<String>, data_type: DataType, nullable: bool) -> Self {
        Self {
            name: name.into(),
            data_type,
            nullable,
        }
    }

    /// What the message says; an error names what is missing.
    pub fn from_proto(field: &proto::Field) -> Result<Self> {
        let message = field
            .r#type
            .as_ref()
            .ok_or_else(|| Error::internal(format!("the field {} has no type", field.name)))?;
        Ok(Self::new(
            field.name.clone(),
            DataType::from_proto(message)?,
            message.nullable,
        ))
    }
}

impl TryFrom<Option<&proto::DataType>> for RowType {
    type Error = Error;

    fn try_from(message: Option<&proto::DataType>) -> Result<Self> {
        let message = message.ok_or_else(|| Error::internal("the plan has no row type"))?;
        match DataType::from_proto(message)? {
            DataType::Row(row) => Ok(row),
            other => Err(Error::internal(format!("{other:?} is not a row type"))),
        }
    }
}

impl DataType {
    /// What the message says; an error names what is not understood.
    pub fn from_proto(message: &proto::DataType) -> Result<Self> {
        let child = |i: usize| -> Result<Arc<Field>> {
            let field = message.children.get(i);
            let field = field.ok_or_else(|| Error::internal("a collection type has no element"))?;
            Field::from_proto(field).map(Arc::new)
        };
        let precision = message.precision as u8;
        Ok(match message.root() {
            Root::Char => Self::Char(message.length),
            Root::Varchar => Self::Varchar(message.length),
            Root::Boolean => Self::Boolean,
            Root::Binary => Self::Binary(message.length),
            Root::Varbinary => Self::Varbinary(message.length),
            Root::Decimal => Self::Decimal(precision, message.scale as i8),
            Root::Tinyint => Self::TinyInt,
            Root::Smallint => Self::SmallInt,
            Root::Integer => Self::Int,
            Root::Bigint => Self::BigInt,
            Root::Float => Self::Float,
            Root::Double => Self::Double,
            Root::Date => Self::Date,
            Root::Time => Self::Time(precision),
            Root::Timestamp => Self::Timestamp(precision),
            Root::TimestampLtz => Self::TimestampLtz(precision),
            Root::IntervalYearMonth => Self::IntervalYearMonth,
            Root::IntervalDayTime => Self::IntervalDayTime,
            Root::Array => Self::Array(child(0)?),
            Root::Multiset => Self::Multiset(child(0)?),
            Root::Map => Self::Map(child(0)?, child(1)?),
            Root::Row => {
                let fields: Result<Vec<_>> =
                    message.children.iter().map(Field::from_proto).collect();
                Self::Row(RowType::new(fields?))
            }
            Root::Null => Self::Null,
            Root::Unknown => return Err(unsupported("a type without a native form")),
        })
    }
}

/// The error for what has no native form; its text is the reason that users read.
pub fn unsupported(reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unsupported, reason)
}

/// A message from its bytes.
pub fn decode<M: prost::Message + Default>(bytes: &[u8]) -> Result<M> {
    M::decode(bytes).map_err(|e| Error::internal(format!("a plan cannot be read: {e}")))
}
