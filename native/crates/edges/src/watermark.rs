use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, TimestampMicrosecondType, TimestampMillisecondType};
use arrow_array::{Array, PrimitiveArray, types::ArrowPrimitiveType};
use arrow_schema::{DataType, TimeUnit};
use sf_core::{Error, Result};

/// The greatest value of a column of timestamps, in milliseconds; `None` when all are NULL. Flink's watermarks are those of
/// single rows, and a NULL is none.
pub fn greatest(column: &dyn Array) -> Result<Option<i64>> {
    match column.data_type() {
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            Ok(max(column.as_primitive::<TimestampMillisecondType>()))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            let micros = max(column.as_primitive::<TimestampMicrosecondType>());
            Ok(micros.map(|micros| micros.div_euclid(1000)))
        }
        DataType::Int64 => Ok(max(column.as_primitive::<Int64Type>())),
        other => Err(Error::internal(format!(
            "a watermark of the type {other:?}"
        ))),
    }
}

fn max<T: ArrowPrimitiveType<Native = i64>>(column: &PrimitiveArray<T>) -> Option<i64> {
    match column.null_count() {
        0 => column.values().iter().copied().max(),
        _ => column.iter().flatten().max(),
    }
}
