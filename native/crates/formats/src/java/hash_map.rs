//! The order in which a `java.util.HashMap` gives its entries: Flink's rows hold maps from JSON in that order.

use std::collections::HashMap;
use std::hash::Hash;

/// Puts entries with their keys' hash codes one after another into a `HashMap` and gives them as it iterates. Of equal keys the first
/// stays, with the last value.
pub(crate) fn order<K: Clone + Eq + Hash, V>(
    entries: Vec<(K, V)>,
    hash: impl Fn(&K) -> i32,
) -> Vec<(K, V)> {
    let mut places: HashMap<K, usize> = HashMap::with_capacity(entries.len());
    let mut kept: Vec<(K, V)> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        match places.get(&key) {
            Some(place) => kept[*place].1 = value,
            None => {
                places.insert(key.clone(), kept.len());
                kept.push((key, value));
            }
        }
    }
    // The table doubles beyond three quarters of its size; entries of one bucket stay in the order of their coming.
    let mut buckets = 16;
    while kept.len() * 4 > buckets * 3 {
        buckets *= 2;
    }
    kept.sort_by_key(|(key, _)| {
        let hash = hash(key) as u32;
        (hash ^ hash >> 16) as usize & (buckets - 1)
    });
    kept
}

/// `BinaryStringData.hashCode` of the string's bytes.
pub(crate) fn string_hash(bytes: &[u8]) -> i32 {
    let mix = |hash: u32, word: u32| {
        let word = word.wrapping_mul(0xcc9e_2d51).rotate_left(15);
        let hash = hash ^ word.wrapping_mul(0x1b87_3593);
        let hash = hash.rotate_left(13);
        hash.wrapping_mul(5).wrapping_add(0xe654_6b64)
    };
    let (words, rest) = bytes.as_chunks::<4>();
    let mut hash = words
        .iter()
        .fold(42, |hash, word| mix(hash, u32::from_le_bytes(*word)));
    hash = rest
        .iter()
        .fold(hash, |hash, byte| mix(hash, *byte as i8 as u32));
    hash ^= bytes.len() as u32;
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(0xc2b2_ae35);
    (hash ^ hash >> 16) as i32
}
