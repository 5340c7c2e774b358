//! A list's elements in one value: the bytes of each, joined by one delimiter byte, as Flink's
//! `ListDelimitedSerializer` writes and RocksDB's string-append operator merges them.

/// The byte between two elements. Element bytes may contain it; only a serializer can split.
pub const DELIMITER: u8 = b',';

/// Length of two joined pieces, either of which may be empty (then there is no delimiter).
#[inline]
pub fn joined_len(left: usize, right: usize) -> usize {
    left + right + usize::from(left > 0 && right > 0)
}
