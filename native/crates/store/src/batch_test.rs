//! Row door and batch door, interleaved, against one model.

use crate::*;
use proptest::prelude::*;
use sf_core::{KeyGroupRange, MemoryBudget};
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
enum Step {
    RowPut(u8, u8),
    RowRemove(u8),
    Append(Vec<u8>),
    PutAll(Vec<u8>, u8),
    RemoveAll(Vec<u8>),
    GetAll(Vec<u8>),
    Maintain,
    Freeze,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let keys = || proptest::collection::vec(0..50_u8, 0..40);
    let step = prop_oneof![
        4 => (0..50_u8, any::<u8>()).prop_map(|(k, v)| Step::RowPut(k, v)),
        2 => (0..50_u8).prop_map(Step::RowRemove),
        3 => keys().prop_map(Step::Append),
        2 => (keys(), any::<u8>()).prop_map(|(k, v)| Step::PutAll(k, v)),
        1 => keys().prop_map(Step::RemoveAll),
        3 => keys().prop_map(Step::GetAll),
        1 => Just(Step::Maintain),
        1 => Just(Step::Freeze),
    ];
    proptest::collection::vec(step, 0..60)
}

/// A batch's columns.
fn columns(keys: &[u8]) -> (Vec<u8>, Vec<i32>, Vec<i32>) {
    let (mut bytes, mut offsets) = (Vec::new(), vec![0]);
    for key in keys {
        bytes.extend(std::iter::repeat_n(*key, 1 + *key as usize % 5));
        offsets.push(bytes.len() as i32);
    }
    (
        bytes,
        offsets,
        keys.iter().map(|key| i32::from(*key) % 4).collect(),
    )
}

fn row_key(key: u8) -> Vec<u8> {
    columns(&[key]).0
}

fn done<T>(store: &mut Store, mut call: impl FnMut(&mut Store) -> sf_core::Result<Door<T>>) -> T {
    loop {
        match call(store).expect("no error") {
            Door::Done(done) => return done,
            Door::NeedsReserve => store.reserve().expect("memory is there"),
        }
    }
}

proptest! {
    #[test]
    fn both_doors_see_the_same_rows(steps in steps()) {
        let range = KeyGroupRange::new(0, 3, 4).expect("valid");
        let mut store = Store::new(MemoryBudget::new(1 << 24), range, 4096).expect("made");
        store.register("s", StateKind::Value, None).expect("registered");
        let mut model: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
        for step in steps {
            match step {
                Step::RowPut(key, value) => {
                    let (bytes, value) = (row_key(key), vec![value; 30]);
                    let group = i32::from(key) % 4;
                    done(&mut store, |store| store.value_put(0, group, &bytes, &value));
                    model.insert(key, value);
                }
                Step::RowRemove(key) => {
                    let (bytes, group) = (row_key(key), i32::from(key) % 4);
                    let was = done(&mut store, |store| store.value_remove(0, group, &bytes));
                    prop_assert_eq!(was, model.remove(&key).is_some());
                }
                Step::Append(keys) => {
                    let (bytes, offsets, key_groups) = columns(&keys);
                    let batch = KeyBatch { bytes: &bytes, offsets: &offsets, key_groups: &key_groups };
                    store.update_batch(0, batch, |row, old| {
                        let mut new = old.unwrap_or_default().to_vec();
                        new.push(row as u8);
                        Some(new)
                    }).expect("no error");
                    for (row, key) in keys.iter().enumerate() {
                        model.entry(*key).or_default().push(row as u8);
                    }
                }
                Step::PutAll(keys, value) => {
                    let (bytes, offsets, key_groups) = columns(&keys);
                    let batch = KeyBatch { bytes: &bytes, offsets: &offsets, key_groups: &key_groups };
                    let value = vec![value; 10];
                    store.put_batch(0, batch, |_| &value).expect("no error");
                    keys.iter().for_each(|key| drop(model.insert(*key, value.clone())));
                }
                Step::RemoveAll(keys) => {
                    let (bytes, offsets, key_groups) = columns(&keys);
                    let batch = KeyBatch { bytes: &bytes, offsets: &offsets, key_groups: &key_groups };
                    store.update_batch(0, batch, |_, _| None::<Vec<u8>>).expect("no error");
                    keys.iter().for_each(|key| drop(model.remove(key)));
                }
                Step::GetAll(keys) => {
                    let (bytes, offsets, key_groups) = columns(&keys);
                    let batch = KeyBatch { bytes: &bytes, offsets: &offsets, key_groups: &key_groups };
                    let mut found = Vec::new();
                    store.get_batch(0, batch, |row, value| {
                        assert_eq!(row, found.len());
                        found.push(value.map(<[u8]>::to_vec));
                    }).expect("no error");
                    prop_assert_eq!(found, keys.iter().map(|k| model.get(k).cloned()).collect::<Vec<_>>());
                }
                Step::Maintain => drop(store.maintain(0)),
                Step::Freeze => drop(store.freeze(|_| [EpochRange::ALL].into(), 0, None)),
            }
            prop_assert_eq!(store.rows(0), Ok(model.len() as u64));
        }
        for key in 0..50 {
            let found = store.value_get(0, i32::from(key) % 4, &row_key(key)).expect("no error");
            prop_assert_eq!(found, Door::Done(model.get(&key).map(Vec::as_slice)));
        }
    }
}

#[test]
fn offsets_that_do_not_fit_are_refused() {
    let range = KeyGroupRange::new(0, 3, 4).expect("valid");
    let mut store = Store::new(MemoryBudget::new(1 << 20), range, 0).expect("made");
    store
        .register("s", StateKind::Value, None)
        .expect("registered");
    for offsets in [&[0][..], &[0, 2], &[1, 0], &[-1, 1], &[0, 1, 1]] {
        let batch = KeyBatch {
            bytes: b"k",
            offsets,
            key_groups: &[0],
        };
        assert!(store.get_batch(0, batch, |_, _| ()).is_err(), "{offsets:?}");
    }
    let batch = KeyBatch {
        bytes: b"k",
        offsets: &[0, 1],
        key_groups: &[9],
    };
    let error = store
        .get_batch(0, batch, |_, _| ())
        .expect_err("not in range");
    assert!(
        error.message().contains("key group 9 is not in [0, 3]"),
        "{error}"
    );
}
