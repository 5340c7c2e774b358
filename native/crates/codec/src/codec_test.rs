use crate::key_group::{
    binary_row_hash, key_group_of_hash, long_hash, murmur_hash, subtask_of_key_group,
};
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
fn key_groups_are_flinks() {
    // Printed by Flink 2.2.1: (code, MathUtils.murmurHash, key group of 128, key group of 4096).
    for (code, hash, of_128, of_4096) in [
        (0, 593_689_054, 94, 2526),
        (1, 68_075_478, 86, 4054),
        (-1, 1_982_413_648, 80, 2896),
        (i32::MIN, 1_718_298_732, 108, 2156),
        (i32::MAX, 1_653_689_534, 62, 3262),
        (42, 1_134_849_565, 29, 3613),
        (31_337, 1_790_386_597, 37, 421),
        (-559_038_737, 1_047_277_220, 36, 3748),
    ] {
        assert_eq!(murmur_hash(code), hash);
        assert_eq!(
            (key_group_of_hash(code, 128), key_group_of_hash(code, 4096)),
            (of_128, of_4096)
        );
    }
}

#[test]
fn row_and_long_hashes_are_flinks() {
    // Printed by Flink 2.2.1: BinaryRowData of (long, string "key-" + long) and its hashCode.
    for (hex, hash) in [
        (
            "000000000000000000000000000000006b65792d30000085",
            1_599_435_185,
        ),
        (
            "000000000000000001000000000000006b65792d31000085",
            -1_473_532_389,
        ),
        (
            "0000000000000000ffffffffffffffff6b65792d2d310086",
            -882_819_963,
        ),
        (
            "0000000000000000000000000001000011000000180000006b65792d3130393935313136323737373600000000000000",
            2_104_912_996,
        ),
    ] {
        let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex");
        let row: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
        assert_eq!(binary_row_hash(&row), hash);
    }
    for (value, hash) in [
        (0, 0),
        (1, 1),
        (-1, 0),
        (i64::MIN, i32::MIN),
        (1 << 40, 256),
    ] {
        assert_eq!(long_hash(value), hash);
    }
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

#[test]
fn subtasks_own_flinks_ranges() {
    for (max, parallelism) in [(1_u32, 1), (128, 3), (128, 128), (129, 7), (32_768, 1000)] {
        for subtask in 0..parallelism {
            // KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex.
            let first = (subtask * max).div_ceil(parallelism);
            let last = ((subtask + 1) * max - 1) / parallelism;
            let owner = |key_group| subtask_of_key_group(key_group, max, parallelism);
            assert!((first..=last).all(|key_group| owner(key_group) == subtask));
        }
    }
}
