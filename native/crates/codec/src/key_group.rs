//! From a key to its key group, as Flink does it.

/// Flink's `MathUtils.murmurHash(int)`: the key's `hashCode` spread over the non-negative ints.
#[inline]
pub fn murmur_hash(code: i32) -> i32 {
    let mut hash = (code as u32)
        .wrapping_mul(0xcc9e_2d51)
        .rotate_left(15)
        .wrapping_mul(0x1b87_3593);
    hash = hash
        .rotate_left(13)
        .wrapping_mul(5)
        .wrapping_add(0xe654_6b64);
    hash ^= 4;
    let mixed = finalize(hash) as i32;
    match mixed {
        i32::MIN => 0,
        negative if negative < 0 => -negative,
        positive => positive,
    }
}

/// Flink's `KeyGroupRangeAssignment.computeKeyGroupForKeyHash`.
///
/// `max_parallelism` is at least 1.
#[inline]
pub fn key_group_of_hash(key_hash: i32, max_parallelism: u32) -> u32 {
    murmur_hash(key_hash) as u32 % max_parallelism
}

/// Flink's `KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup`: the subtask that owns a key group.
///
/// `1 <= parallelism <= max_parallelism <= 32768`, `key_group < max_parallelism`.
#[inline]
pub fn subtask_of_key_group(key_group: u32, max_parallelism: u32, parallelism: u32) -> u32 {
    key_group * parallelism / max_parallelism
}

/// `BinaryRowData.hashCode`: Murmur3 by 4-byte words, seed 42, over a row whose length is a multiple
/// of 4 (Flink's `MurmurHashUtils.hashBytesByWords`).
#[inline]
pub fn binary_row_hash(row: &[u8]) -> i32 {
    debug_assert!(
        row.len().is_multiple_of(4),
        "a BinaryRow is a whole number of words"
    );
    let mut hash = 42_u32;
    for word in row.chunks_exact(4) {
        let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        hash ^= word
            .wrapping_mul(0xcc9e_2d51)
            .rotate_left(15)
            .wrapping_mul(0x1b87_3593);
        hash = hash
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xe654_6b64);
    }
    finalize(hash ^ row.len() as u32) as i32
}

/// `Long.hashCode`.
#[inline]
pub fn long_hash(value: i64) -> i32 {
    (value ^ ((value as u64) >> 32) as i64) as i32
}

#[inline]
fn finalize(mut hash: u32) -> u32 {
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}
