//! Arrow batches with row kinds: what native operators pass to each other.
//!
//! | Flink | Arrow |
//! |---|---|
//! | CHAR, VARCHAR, BINARY, VARBINARY | Binary (Flink's strings may hold bytes that are not UTF-8) |
//! | BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE | Boolean, Int8, Int16, Int32, Int64, Float32, Float64 |
//! | DECIMAL(p, s) | Decimal128(p, s) |
//! | DATE | Date32 |
//! | TIME | Time32(ms) |
//! | TIMESTAMP(p), TIMESTAMP_LTZ(p), p <= 3 | Timestamp(ms), without zone |
//! | the same, p 4 to 6 | Timestamp(us), without zone |
//! | the same, p 7 to 9 | FixedSizeBinary(12): milliseconds (i64), nanoseconds of the millisecond (i32), little-endian |
//! | INTERVAL YEAR TO MONTH, DAY TO SECOND | Int32 (months), Int64 (milliseconds) |
//! | ARRAY, ROW | List, Struct |
//! | MAP, MULTISET | List of Struct(key, value), the value of a MULTISET being an Int32; a Map of Arrow has no NULL keys |
//! | NULL | Null |

mod batch;
mod binary_row;
mod layout;
mod records;

pub use batch::{Batch, RowKind};
pub use binary_row::{
    ArrayView, BinaryRowReader, BinaryRowWriter, EncodedRows, MapView, NullForm, RowBuilder,
    RowEncoder, RowMut, RowView, check_key,
};
pub use layout::{arrow_field, arrow_fields, arrow_type};
pub use records::{Reader, RecordBuffer, Records, Writer};

#[cfg(test)]
mod batch_test;
