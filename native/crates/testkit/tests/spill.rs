//! State that is larger than its memory.

use sf_testkit::{Driver, Kind, last_error};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

const KEY_GROUPS: i32 = 8;
const LIMIT: i64 = 4 << 20;

fn kg(key: u32) -> i32 {
    (key % KEY_GROUPS as u32) as i32
}

/// A directory for one store: names of files are unique among the files of one store only.
fn directory() -> PathBuf {
    static STORES: AtomicU32 = AtomicU32::new(0);
    let number = STORES.fetch_add(1, Ordering::Relaxed);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("spill-{number}"));
    std::fs::create_dir_all(&path).expect("made");
    path
}

fn store(range: (i32, i32)) -> Driver {
    let db = Driver::with_range(LIMIT, KEY_GROUPS, range, 16 << 10);
    db.keep_places(2, 1 << 20, 1 << 20, 50, 4);
    db.spill_to(&directory());
    assert_eq!(db.register(Kind::Value, "v"), 0);
    db
}

fn value(key: u32, version: u32) -> Vec<u8> {
    let mut value = vec![key as u8; 60 + key as usize % 50];
    value[..4].copy_from_slice(&version.to_le_bytes());
    value
}

/// A pseudo-random walk over the keys.
fn walk(seed: u32) -> impl Iterator<Item = u32> {
    let mut at = u64::from(seed) + 1;
    std::iter::repeat_with(move || {
        at = at
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (at >> 33) as u32
    })
}

#[test]
fn rows_of_many_times_the_budget_are_read_changed_and_removed() {
    const KEYS: u32 = 150_000;
    let db = store((0, KEY_GROUPS - 1));
    let mut model = BTreeMap::new();
    for key in 0..KEYS {
        db.put(0, kg(key), &key.to_be_bytes(), &value(key, 0));
        model.insert(key, 0);
        assert!(db.used() <= LIMIT + (1 << 20), "{} bytes", db.used());
    }
    let [spilled, live, written, _] = db.spill_stats();
    assert!(spilled > 2 * LIMIT && live > 2 * LIMIT && written >= spilled);
    for (at, key) in walk(1).map(|key| key % KEYS).take(100_000).enumerate() {
        let (group, bytes) = (kg(key), key.to_be_bytes());
        let expected = model.get(&key).map(|version| value(key, *version));
        match at % 5 {
            0 | 1 => assert_eq!(db.get(0, group, &bytes), expected),
            2 | 3 => {
                let version = at as u32;
                db.put(0, group, &bytes, &value(key, version));
                model.insert(key, version);
            }
            _ => {
                assert_eq!(db.remove(0, group, &bytes), expected.is_some());
                model.remove(&key);
            }
        }
        if at % 64 == 0 {
            db.maintain(0);
        }
        assert!(db.used() <= LIMIT + (1 << 20), "{} bytes", db.used());
    }
    for key in 0..KEYS {
        let expected = model.get(&key).map(|version| value(key, *version));
        assert_eq!(db.get(0, kg(key), &key.to_be_bytes()), expected);
    }
    let [spilled, live, ..] = db.spill_stats();
    assert!(
        spilled <= 2 * live + 2 * LIMIT,
        "{spilled} bytes for {live}"
    );
}

#[test]
fn files_whose_rows_are_mostly_gone_are_given_back() {
    const KEYS: u32 = 150_000;
    let db = store((0, KEY_GROUPS - 1));
    for key in 0..KEYS {
        db.put(0, kg(key), &key.to_be_bytes(), &value(key, 0));
    }
    let stays = |key: u32| (key / KEY_GROUPS as u32).is_multiple_of(10);
    for key in (0..KEYS).filter(|key| !stays(*key)) {
        assert!(db.remove(0, kg(key), &key.to_be_bytes()));
    }
    for _ in 0..2_000 {
        db.maintain(0);
    }
    let [spilled, live, ..] = db.spill_stats();
    assert!(spilled <= 2 * live + LIMIT, "{spilled} bytes for {live}");
    assert!(db.used() <= LIMIT + (1 << 20), "{} bytes", db.used());
    for key in 0..KEYS {
        let found = db.get(0, kg(key), &key.to_be_bytes());
        assert_eq!(found, stays(key).then(|| value(key, 0)));
    }
}

#[test]
fn checkpoints_of_spilled_rows_hold_every_row_and_restore_into_as_little_memory() {
    const KEYS: u32 = 60_000;
    let db = store((0, KEY_GROUPS - 1));
    for key in 0..KEYS {
        db.put(0, kg(key), &key.to_be_bytes(), &value(key, 0));
    }
    let mut model: BTreeMap<u32, u32> = (0..KEYS).map(|key| (key, 0)).collect();
    let mut files = BTreeMap::new();
    let mut last = None;
    for id in 1..=6 {
        let snapshot = db.snapshot(id, 5, 0, i64::MIN);
        let expected = model.clone();
        // While the snapshot waits, rows change and go to files.
        for key in walk(id as u32).map(|key| key % KEYS).take(8_000) {
            db.put(0, kg(key), &key.to_be_bytes(), &value(key, id as u32));
            model.insert(key, id as u32);
        }
        let (new, table) = snapshot.table();
        files.extend(new);
        drop(snapshot);
        db.complete(id);
        last = Some((table, expected));
    }
    assert!(db.spill_stats()[0] > 0);
    let (table, expected) = last.expect("written");
    for (range, go_on) in [((0, KEY_GROUPS - 1), true), ((2, 4), false)] {
        let restored = store(range);
        restored
            .restore_table(&[0], &table, &files, range, go_on)
            .expect("restores");
        for (key, version) in &expected {
            if kg(*key) >= range.0 && kg(*key) <= range.1 {
                let found = restored.get(0, kg(*key), &key.to_be_bytes());
                assert_eq!(found, Some(value(*key, *version)));
            }
        }
        let rows = restored.snapshot(9, 2, 0, i64::MIN).canonical(1 << 16);
        let wanted = expected
            .keys()
            .filter(|key| kg(**key) >= range.0 && kg(**key) <= range.1);
        assert_eq!(rows.len(), wanted.count());
    }
}

#[test]
fn maps_lists_and_timers_come_back_whole() {
    let db = store((0, KEY_GROUPS - 1));
    let (list, map, timer) = (
        db.register(Kind::List, "l"),
        db.register(Kind::Map, "m"),
        db.register(Kind::Timer, "t"),
    );
    for key in 0..2_000_u32 {
        let (group, prefix) = (kg(key), key.to_be_bytes());
        for n in 0..20_u8 {
            db.list_add(list, group, &prefix, &[n; 40]);
            db.map_put(map, group, &prefix, &[n], &[n; 90]);
        }
        db.timer_add(timer, group, &[&prefix[..], &[0; 8]].concat());
    }
    assert!(db.spill_stats()[0] > LIMIT);
    for key in (0..2_000_u32).rev() {
        let (group, prefix) = (kg(key), key.to_be_bytes());
        let joined = (0..20_u8).map(|n| [n; 40]).collect::<Vec<_>>().join(&b',');
        assert_eq!(db.list_get(list, group, &prefix), Some(joined));
        let (mut cursor, mut seen) = (0, Vec::new());
        while cursor >= 0 {
            let (next, entries) = db.map_page(map, group, &prefix, cursor, 1 << 12);
            seen.extend(entries.into_iter().map(|(user_key, _)| user_key[0]));
            cursor = next;
        }
        assert_eq!(seen, (0..20).collect::<Vec<_>>());
        assert_eq!(db.map_size(map, group, &prefix), 20);
        db.map_clear(map, group, &prefix);
        db.list_clear(list, group, &prefix);
    }
    let timers: Vec<_> = std::iter::from_fn(|| db.timer_poll(timer)).collect();
    assert_eq!(timers.len(), 2_000);
    assert!(timers.is_sorted());
}

/// A record of more than a quarter of a chunk has a chunk of its own: one that an operation asked for must not make
/// room for the next one that it asks for.
#[test]
fn large_rows_of_one_map_or_list_stay_until_the_operation_has_all_it_needs() {
    const SMALL: i64 = 400 << 10;
    const KEYS: u32 = 24;
    let open = || {
        let db = Driver::with_range(SMALL, 2, (0, 1), 16 << 10);
        db.keep_places(1, 1 << 20, 1 << 20, 50, 4);
        db.spill_to(&directory());
        (
            db.register(Kind::Map, "m"),
            db.register(Kind::List, "l"),
            db,
        )
    };
    let bytes = |key: u32, n: u32| {
        let len = 3_000 + (key * 7 + n * 13) as usize % 5 * 4_000;
        vec![(key + 31 * n) as u8; len]
    };
    let (map, list, db) = open();
    for n in 0..6_u32 {
        for key in 0..KEYS {
            let (group, prefix) = ((key % 2) as i32, key.to_be_bytes());
            db.map_put(map, group, &prefix, &n.to_be_bytes(), &bytes(key, n));
            db.list_add(list, group, &prefix, &bytes(key, n));
        }
    }
    assert!(db.spill_stats()[0] > 4 * SMALL);
    let (files, table) = db.snapshot(1, 5, 0, i64::MIN).table();
    let check = |db: &Driver| {
        for key in 0..KEYS {
            let (group, prefix) = ((key % 2) as i32, key.to_be_bytes());
            let elements: Vec<_> = (0..6).map(|n| bytes(key, n)).collect();
            assert_eq!(
                db.list_get(list, group, &prefix),
                Some(elements.join(&b','))
            );
            for n in 0..6_u32 {
                let found = db.map_get(map, group, &prefix, &n.to_be_bytes());
                assert_eq!(found, Some(bytes(key, n)));
            }
        }
        assert!(db.used() <= SMALL + (256 << 10), "{} bytes", db.used());
    };
    check(&db);
    drop(db);
    let (.., restored) = open();
    restored
        .restore_table(&[0, 1], &table, &files, (0, 1), true)
        .expect("restores");
    check(&restored);
}

#[test]
fn timers_are_in_order_after_a_restore_that_had_no_room_for_their_heaps() {
    const SMALL: i64 = 1100 << 10;
    const TIMERS: u32 = 2_500;
    let open = || {
        let db = Driver::with_range(SMALL, 2, (0, 1), 16 << 10);
        db.keep_places(1, 1 << 20, 1 << 20, 50, 4);
        db.spill_to(&directory());
        let states = (
            db.register(Kind::Timer, "t"),
            db.register(Kind::Timer, "u"),
            db.register(Kind::Value, "v"),
        );
        (db, states)
    };
    let (db, (first, second, value)) = open();
    let element = |n: u32| [&n.to_be_bytes()[..], &[7; 8]].concat();
    for n in 0..TIMERS {
        let group = (n % 2) as i32;
        db.timer_add(first, group, &element(n));
        db.timer_add(second, group, &element(TIMERS - n));
        db.put(value, group, &n.to_be_bytes(), &[n as u8; 1_500]);
    }
    let (files, table) = db.snapshot(1, 5, 0, i64::MIN).table();
    let (restored, _) = open();
    restored
        .restore_table(&[0, 1, 2], &table, &files, (0, 1), true)
        .expect("restores");
    for n in 0..TIMERS {
        let found = restored.get(value, (n % 2) as i32, &n.to_be_bytes());
        assert_eq!(found, Some(vec![n as u8; 1_500]));
    }
    for state in [first, second] {
        let expected: Vec<_> = std::iter::from_fn(|| db.timer_poll(state)).collect();
        let found: Vec<_> = std::iter::from_fn(|| restored.timer_poll(state)).collect();
        assert_eq!(found.len(), TIMERS as usize);
        assert_eq!(found, expected);
    }
}

#[test]
fn a_value_that_no_memory_can_hold_fails_and_loses_nothing() {
    let db = store((0, KEY_GROUPS - 1));
    db.put(0, 0, b"small", b"kept");
    let status = db.try_put(0, 0, b"huge", &vec![0; 2 * LIMIT as usize]);
    assert!(status < -3, "status {status}");
    assert!(last_error().contains("state 'v'"), "{}", last_error());
    assert_eq!(db.get(0, 0, b"small"), Some(b"kept".to_vec()));
}
