use crate::places::Places;
use proptest::prelude::*;
use sf_store::Death;
use std::collections::BTreeSet;

fn death((epoch, ordinal): (u32, u32)) -> Death {
    Death { epoch, ordinal }
}

fn check(first_row: u32, names: &BTreeSet<(u32, u32)>) {
    let places = Places::new(first_row, names.iter().copied());
    for (row, name) in (first_row..).zip(names) {
        assert_eq!(places.find(death(*name)), Some(row));
    }
    for epoch in 0..6 {
        for ordinal in 0..70 {
            let known = names.contains(&(epoch, ordinal));
            assert_eq!(places.find(death((epoch, ordinal))).is_some(), known);
        }
    }
}

#[test]
fn neighbours_take_one_run() {
    let names = (0..1000).map(|ordinal| (3, ordinal));
    let places = Places::new(7, names);
    assert!(matches!(&places, Places::Runs(runs) if runs.len() == 1));
    assert_eq!(places.find(death((3, 999))), Some(1006));
    assert_eq!(places.find(death((3, 1000))), None);
    assert_eq!(places.find(death((2, 5))), None);
}

#[test]
fn scattered_rows_take_four_bytes_each() {
    let places = Places::new(0, (0..1000).map(|ordinal| (1, ordinal * 2)));
    assert!(matches!(places, Places::Single { .. }));
    assert!(places.heap_bytes() < 4100);
    assert_eq!(places.find(death((1, 10))), Some(5));
    assert_eq!(places.find(death((1, 11))), None);
}

#[test]
fn nothing_finds_nothing() {
    check(5, &BTreeSet::new());
}

proptest! {
    #[test]
    fn every_row_is_found_and_no_other(
        first_row in 0..100_u32,
        names in proptest::collection::btree_set((0..6_u32, 0..70_u32), 0..200),
    ) {
        check(first_row, &names);
    }
}
