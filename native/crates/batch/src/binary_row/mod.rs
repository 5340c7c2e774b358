//! Flink's `BinaryRowData`, `BinaryArrayData` and `BinaryMapData`, without a length in front. All numbers are little-endian.
//!
//! ```text
//! row:    kind (1) | null bits, from bit 8 on, rounded up to words of 8 | a slot of 8 bytes per field | variable part
//! array:  count (4) | null bits, rounded up to words of 4 | elements of 1, 2, 4 or 8 bytes, rounded up to 8 | variable part
//! map:    bytes of the keys (4) | array of the keys | array of the values
//! slot:   the value itself | offset (high 4 bytes) and size (low 4) of bytes in the variable part
//!         | up to 7 bytes of a string and 0x80 + their number in the highest byte
//! ```
//!
//! Offsets count from the first byte of the row or array. What stands in the variable part is padded with zeros to 8 bytes,
//! in the order of the fields. A DECIMAL of more than 18 digits has 16 bytes there, of which the first hold
//! `BigInteger.toByteArray`; a TIMESTAMP of more than milliseconds has its milliseconds there and the nanoseconds of the
//! millisecond in the place of the size. Flink compares keys of state as bytes: unused bytes are zero, and that matters.

mod builder;
mod cell;
mod decode;
mod encode;
mod reader;
mod source;
mod view;
mod writer;

pub use builder::{RowBuilder, RowMut};
pub use encode::NullForm;
pub use reader::BinaryRowReader;
pub use view::{ArrayView, MapView, RowView};
pub use writer::{BinaryRowWriter, EncodedRows, RowEncoder, check_key};

/// Bits in front of the null bits of a row: its kind.
const HEADER_BITS: usize = 8;

/// Bytes of a row's header and null bits.
const fn row_header(arity: usize) -> usize {
    (arity + 63 + HEADER_BITS) / 64 * 8
}

/// Bytes of a row in front of its variable part.
const fn row_fixed_size(arity: usize) -> usize {
    row_header(arity) + 8 * arity
}

/// Bytes of an array's count and null bits.
const fn array_header(count: usize) -> usize {
    4 + count.div_ceil(32) * 4
}

/// Bytes of an array in front of its variable part.
const fn array_fixed_size(count: usize, width: usize) -> usize {
    padded(array_header(count) + width * count)
}

/// `size` rounded up to a whole number of words.
const fn padded(size: usize) -> usize {
    size.next_multiple_of(8)
}

/// Whether a DECIMAL of this precision stands in its slot.
const fn is_compact_decimal(precision: u8) -> bool {
    precision <= 18
}

/// Whether a TIMESTAMP of this precision stands in its slot.
const fn is_compact_timestamp(precision: u8) -> bool {
    precision <= 3
}

#[cfg(test)]
mod row_test;
