use crate::key_group::{binary_row_hash, key_group_of_hash, long_hash, murmur_hash};
use crate::order::{long_at, timestamp_from_bytes, timestamp_to_bytes};
use crate::{list, varint};
use proptest::prelude::*;

#[test]
fn timer_extremes_keep_their_order() {
    let times = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
    let bytes: Vec<_> = times.iter().map(|t| timestamp_to_bytes(*t)).collect();
    assert!(bytes.is_sorted());
    assert_eq!(
        bytes
            .iter()
            .map(|b| timestamp_from_bytes(b))
            .collect::<Vec<_>>(),
        times
    );
    assert_eq!(timestamp_from_bytes(&[]), i64::MIN);
}

#[test]
fn long_at_knows_its_end() {
    assert_eq!(long_at(&[9, 0, 0, 0, 0, 0, 0, 1, 2], 1), Some(258));
    assert_eq!(long_at(&[0; 8], 1), None);
    assert_eq!(long_at(&[0; 8], usize::MAX), None);
}

#[test]
fn joined_lengths() {
    assert_eq!(list::joined_len(0, 4), 4);
    assert_eq!(list::joined_len(4, 0), 4);
    assert_eq!(list::joined_len(2, 3), 6);
}

#[test]
fn varints_refuse_what_they_did_not_write() {
    for bytes in [
        &[][..],
        &[0x80],
        &[0xff, 0xff, 0xff, 0xff, 0x10],
        &[0x80; 6],
    ] {
        assert!(varint::read_u32(bytes, &mut 0).is_err(), "{bytes:?}");
    }
}

#[test]
fn murmur_is_never_negative_and_spreads() {
    // Values of Flink 2.2.1's MathUtils.murmurHash, see KeyGroupParityTest on the Java side.
    for code in [0, 1, -1, i32::MIN, i32::MAX, 42, 31_337] {
        assert!(murmur_hash(code) >= 0);
        assert!(key_group_of_hash(code, 128) < 128);
    }
    assert_eq!(long_hash(-1), 0);
    assert_eq!(long_hash(1 << 32), 1);
    assert_ne!(binary_row_hash(&[0; 16]), binary_row_hash(&[0; 8]));
}

proptest! {
    #[test]
    fn varints_round_trip(values in proptest::collection::vec(any::<u32>(), 0..20)) {
        let mut bytes = Vec::new();
        values.iter().for_each(|v| varint::write_u32(&mut bytes, *v));
        let mut at = 0;
        for value in values {
            prop_assert_eq!(varint::read_u32(&bytes, &mut at), Ok(value));
        }
        prop_assert_eq!(at, bytes.len());
    }

    #[test]
    fn timestamps_sort(a in any::<i64>(), b in any::<i64>()) {
        prop_assert_eq!(a.cmp(&b), timestamp_to_bytes(a).cmp(&timestamp_to_bytes(b)));
    }
}
