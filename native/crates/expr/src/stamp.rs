//! Building timestamps of any precision.

use crate::column::{Column, Rows, column};
use crate::failure::{Failure, Outcome};
use arrow_array::builder::{
    FixedSizeBinaryBuilder, TimestampMicrosecondBuilder, TimestampMillisecondBuilder,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType as Arrow, TimeUnit};
use sf_batch::arrow_type;
use sf_core::{Error, Result};
use sf_plan::DataType;
use std::sync::Arc;

/// Milliseconds since 1970 and nanoseconds of the millisecond.
pub(crate) type Stamp = (i64, i32);

enum Builder {
    Millis(TimestampMillisecondBuilder),
    Micros(TimestampMicrosecondBuilder),
    Wide(FixedSizeBinaryBuilder),
}

impl Builder {
    fn new(data_type: &DataType, capacity: usize) -> Result<Self> {
        Ok(match arrow_type(data_type) {
            Arrow::Timestamp(TimeUnit::Millisecond, _) => {
                Self::Millis(TimestampMillisecondBuilder::with_capacity(capacity))
            }
            Arrow::Timestamp(TimeUnit::Microsecond, _) => {
                Self::Micros(TimestampMicrosecondBuilder::with_capacity(capacity))
            }
            Arrow::FixedSizeBinary(width) => {
                Self::Wide(FixedSizeBinaryBuilder::with_capacity(capacity, width))
            }
            other => return Err(Error::internal(format!("{other} holds no timestamp"))),
        })
    }

    /// Fails for a time that the layout cannot hold.
    fn push(&mut self, value: Option<Stamp>) -> std::result::Result<(), &'static str> {
        match self {
            Self::Millis(builder) => builder.append_option(value.map(|(millis, _)| millis)),
            Self::Micros(builder) => {
                let micros = value.map(|(millis, nanos)| {
                    let micros = millis.checked_mul(1000)?;
                    micros.checked_add(i64::from(nanos / 1000))
                });
                match micros {
                    None => builder.append_null(),
                    Some(None) => return Err("the time is outside of what microseconds can hold"),
                    Some(micros) => builder.append_option(micros),
                }
            }
            Self::Wide(builder) => match value {
                None => builder.append_null(),
                Some((millis, nanos)) => {
                    let mut bytes = [0; 12];
                    bytes[..8].copy_from_slice(&millis.to_le_bytes());
                    bytes[8..].copy_from_slice(&nanos.to_le_bytes());
                    builder
                        .append_value(bytes)
                        .map_err(|_| "a timestamp has 12 bytes")?;
                }
            },
        }
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        let array: Arc<dyn Array> = match self {
            Self::Millis(builder) => Arc::new(builder.finish()),
            Self::Micros(builder) => Arc::new(builder.finish()),
            Self::Wide(builder) => Arc::new(builder.finish()),
        };
        array
    }
}

/// An array of these values.
pub(crate) fn array(
    data_type: &DataType,
    values: impl IntoIterator<Item = Option<Stamp>>,
) -> Result<ArrayRef> {
    let mut builder = Builder::new(data_type, 1)?;
    for value in values {
        builder.push(value).map_err(Error::internal)?;
    }
    Ok(builder.finish())
}

/// Timestamps of rows, NULL where `f` says so; called for rows that count only.
pub(crate) fn compute(
    arguments: &[&Column],
    rows: &Rows<'_>,
    data_type: &DataType,
    mut f: impl FnMut(usize) -> Outcome<Option<Stamp>>,
) -> Outcome<Column> {
    let mut builder = Builder::new(data_type, rows.count)?;
    rows.each(
        arguments,
        &mut builder,
        |builder, row| {
            let value = f(row)?;
            builder
                .push(value)
                .map_err(|message| Failure::unsupported(row, message))
        },
        |builder| {
            // Cannot fail: NULL fits every layout.
            let _ = builder.push(None);
        },
    )?;
    Ok(column(builder.finish(), arguments))
}
