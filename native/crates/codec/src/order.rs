//! Numbers whose bytes sort as the numbers do.

/// Bytes of a timer's timestamp: big-endian with the sign bit flipped (Flink's `TimerSerializer`).
#[inline]
pub fn timestamp_to_bytes(timestamp: i64) -> [u8; 8] {
    (timestamp ^ i64::MIN).to_be_bytes()
}

/// The inverse of [`timestamp_to_bytes`]; bytes that are missing at the end count as zero, so the
/// result orders any element as its first eight bytes do.
#[inline]
pub fn timestamp_from_bytes(bytes: &[u8]) -> i64 {
    let mut word = [0_u8; 8];
    let n = bytes.len().min(8);
    word[..n].copy_from_slice(&bytes[..n]);
    i64::from_be_bytes(word) ^ i64::MIN
}

/// The big-endian long that Flink's `LongSerializer` wrote at `offset`, if the bytes reach so far.
#[inline]
pub fn long_at(bytes: &[u8], offset: usize) -> Option<i64> {
    let word = bytes.get(offset..offset.checked_add(8)?)?;
    Some(i64::from_be_bytes(word.try_into().ok()?))
}
