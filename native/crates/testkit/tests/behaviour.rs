//! What the C ABI promises beyond plain reads and writes.

use sf_testkit::{Driver, Kind, last_error};
use streamfusion::status::{SF_ERR_INTERNAL, SF_ERR_MEMORY, SF_ERR_USER};

const MIB: i64 = 1 << 20;

#[test]
fn the_budget_refuses_with_state_and_bytes_and_nothing_is_lost() {
    let db = Driver::new(4 * MIB, 2, 0);
    db.register(Kind::Value, "small");
    let large = db.register(Kind::Value, "large");
    let value = vec![7; 10_000];
    let mut rows = 0_i32;
    let status = loop {
        match db.try_put(large, rows % 2, &rows.to_be_bytes(), &value) {
            0 => rows += 1,
            status => break status,
        }
    };
    assert_eq!(status, SF_ERR_MEMORY);
    let text = last_error();
    assert!(
        text.contains("state 'large' needs ") && text.contains("of the 4194304 bytes"),
        "{text}"
    );
    assert!(rows > 300, "{rows} rows of 10 kB should fit in 4 MiB");
    assert!(db.used() <= 4 * MIB);
    for row in 0..rows {
        assert_eq!(
            db.get(large, row % 2, &row.to_be_bytes()),
            Some(value.clone())
        );
    }
    // What is deleted can be used again.
    for row in 0..rows / 2 {
        assert!(db.remove(large, row % 2, &row.to_be_bytes()));
    }
    for row in 0..rows / 3 {
        db.put(large, row % 2, &row.to_be_bytes(), &value);
    }
    assert!(db.used() <= 4 * MIB);
}

#[test]
fn garbage_of_updates_is_reclaimed_within_the_budget() {
    let db = Driver::new(8 * MIB, 4, 0);
    let state = db.register(Kind::Value, "v");
    // 2 MiB of rows, rewritten in 60 epochs: 120 MiB pass through.
    for round in 0..60_u8 {
        for row in 0..4_000_i32 {
            db.put(state, row % 4, &row.to_be_bytes(), &[round; 400]);
            if row % 512 == 0 {
                db.maintain(0);
            }
        }
        drop(db.snapshot(i64::from(round), 1, 0, i64::MIN));
    }
    let [rows, live, allocated, ..] = db.stats();
    assert_eq!(rows, 4000);
    assert!(allocated < 3 * live, "{allocated} allocated for {live}");
    assert!(
        (0..4_000_i32).all(|row| db.get(state, row % 4, &row.to_be_bytes()) == Some(vec![59; 400]))
    );
}

#[test]
fn a_panic_poisons_the_store_and_names_its_place() {
    let db = Driver::new(MIB, 1, 0);
    let state = db.register(Kind::Value, "v");
    assert_eq!(db.test_panic(), SF_ERR_INTERNAL);
    let text = last_error();
    assert!(
        text.contains("test panic") && text.contains("store.rs:"),
        "{text}"
    );
    assert_eq!(db.try_put(state, 0, b"k", b"v"), SF_ERR_INTERNAL);
    assert!(last_error().contains("the store failed before: native code panicked: test panic"));
}

#[test]
fn misuse_is_an_error_with_words() {
    let db = Driver::with_range(MIB, 128, (3, 5), 0);
    let state = db.register(Kind::Value, "v");
    assert_eq!(db.register(Kind::Value, "v"), state);
    assert_eq!(db.try_put(state, 6, b"k", b"v"), SF_ERR_USER);
    assert!(
        last_error().contains("state 'v': key group 6 is not in [3, 5]"),
        "{}",
        last_error()
    );
    assert_eq!(db.try_put(9, 3, b"k", b"v"), SF_ERR_USER);
    assert!(last_error().contains("there is no state number 9"));
    let list = db.register(Kind::List, "l");
    assert_eq!(db.try_put(list, 3, b"k", b"v"), SF_ERR_USER);
    assert!(last_error().contains("state 'l' is of kind List, it was used as Value"));
}

fn stamped(time: i64, value: u8) -> Vec<u8> {
    [&time.to_be_bytes()[..], &[value]].concat()
}

#[test]
fn expired_rows_are_swept_and_left_out_of_full_snapshots() {
    let db = Driver::new(4 * MIB, 2, 0);
    let (swept, kept) = (
        db.register(Kind::Value, "swept"),
        db.register(Kind::Value, "kept"),
    );
    let map = db.register(Kind::Map, "map");
    db.set_ttl(swept, 100, 0, 3);
    db.set_ttl(kept, 100, 0, 0);
    db.set_ttl(map, 100, 1, 3);
    for row in 0..2000_i32 {
        let value = stamped(i64::from(row), 1);
        db.put(swept, row % 2, &row.to_be_bytes(), &value);
        db.put(kept, row % 2, &row.to_be_bytes(), &value);
        db.map_put(
            map,
            row % 2,
            b"key",
            &row.to_be_bytes(),
            &[&[0], &value[..]].concat(),
        );
        // The map's null value has no time and stays.
        db.map_put(map, row % 2, b"null", &row.to_be_bytes(), &[1]);
    }
    // At 1100 rows stamped up to 1000 are expired (time + 100 is not after now).
    let count = |state: i32| {
        let rows = db.snapshot(-1, 2, 0, 1100).canonical(1 << 16);
        rows.into_iter().filter(|row| row.1 == state).count()
    };
    assert_eq!(
        (count(swept), count(kept), count(map)),
        (999, 2000, 999 + 2000)
    );
    for _ in 0..100 {
        db.maintain(1100);
    }
    let rows = |state| {
        (0..2)
            .map(|kg| db.rows(state, kg, 1 << 16).len())
            .sum::<usize>()
    };
    assert_eq!((rows(swept), rows(kept)), (999, 2000));
    assert_eq!(
        db.map_size(map, 0, b"key") + db.map_size(map, 1, b"key"),
        999
    );
    assert_eq!(db.map_size(map, 0, b"null"), 1000);
}

#[test]
fn large_rows_and_many_chunks_of_a_list() {
    let db = Driver::new(256 * MIB, 1, 0);
    let (value, list) = (db.register(Kind::Value, "v"), db.register(Kind::List, "l"));
    let large = vec![3; 20 << 20];
    db.put(value, 0, b"large", &large);
    db.put(value, 0, b"large", &large);
    assert_eq!(db.get(value, 0, b"large"), Some(large.clone()));
    let mut joined = Vec::new();
    for n in 0..5000_u32 {
        let element = [n as u8; 100];
        db.list_add(list, 0, b"k", &element);
        if n > 0 {
            joined.push(b',');
        }
        joined.extend(element);
        if n % 1000 == 0 {
            drop(db.snapshot(i64::from(n), 0, 0, i64::MIN));
        }
    }
    assert_eq!(db.list_get(list, 0, b"k"), Some(joined));
    db.list_put(list, 0, b"k", b"x");
    assert_eq!(db.list_get(list, 0, b"k"), Some(b"x".to_vec()));
    db.list_clear(list, 0, b"k");
    assert_eq!(db.list_get(list, 0, b"k"), None);
}

/// The task thread rewrites, moves and deletes rows while other threads read snapshots of them.
#[test]
fn snapshots_are_read_while_the_store_is_written() {
    let db = Driver::new(64 * MIB, 4, 4096);
    let state = db.register(Kind::Value, "v");
    let mut readers = Vec::new();
    for round in 0..30_u8 {
        for row in 0..1000_i32 {
            db.put(state, row % 4, &row.to_be_bytes(), &[round; 40]);
        }
        let snapshot = db.snapshot(i64::from(round), 2, 0, i64::MIN);
        readers.push(std::thread::spawn(move || {
            let rows = snapshot.canonical(4096);
            rows.len() == 1000 && rows.iter().all(|row| row.3 == [round; 40])
        }));
        for row in 0..500_i32 {
            db.remove(state, row % 4, &row.to_be_bytes());
            db.maintain(0);
        }
    }
    assert!(
        readers
            .into_iter()
            .all(|reader| reader.join().expect("no panic"))
    );
}

#[test]
fn damaged_segments_are_refused_by_name() {
    let db = Driver::new(MIB, 2, 0);
    let state = db.register(Kind::Value, "v");
    db.put(state, 1, b"key", b"value");
    let snapshot = db.snapshot(1, 0, 0, i64::MIN);
    let file = snapshot.segment();
    let (number, chain) = snapshot.describe();
    let restore = |file: Vec<u8>, ids: &[i32]| {
        let into = Driver::new(MIB, 2, 0);
        into.register(Kind::Value, "v");
        into.restore(ids, &chain, &[(number, file)].into(), (0, 1), false)
    };
    assert_eq!(restore(file.clone(), &[0]), Ok(()));
    let error = restore(file.clone(), &[-1]).expect_err("unknown state");
    assert!(
        error.contains("a row of state number 0, which is unknown"),
        "{error}"
    );
    let error = restore(file[..file.len() - 1].to_vec(), &[0]).expect_err("cut off");
    assert!(
        error.contains("segment segment-1: footer at offset "),
        "{error}"
    );
    let mut flipped = file;
    flipped[24 + 33] ^= 0x40;
    let error = restore(flipped, &[0]).expect_err("flipped");
    assert!(
        error.contains("segment segment-1, key group 1, offset 24: block checksum"),
        "{error}"
    );
}

/// A sweep that has to make room for its own tombstones by moving the rows it deletes.
#[test]
fn a_full_store_is_swept_and_cleared() {
    let db = Driver::new(4 * MIB, 4, 16384);
    let state = db.register(Kind::Value, "v");
    db.set_ttl(state, 100, 0, 1);
    let mut rows = 0_i32;
    while db.try_put(
        state,
        rows % 4,
        &rows.to_be_bytes(),
        &[&stamped(0, 1)[..], &[7; 200]].concat(),
    ) == 0
    {
        rows += 1;
    }
    let checkpoint = db.snapshot(1, 0, 0, i64::MIN);
    checkpoint.segment();
    drop(checkpoint);
    db.complete(1);
    // Every third row is young; replacing it leaves garbage in every chunk.
    let young = |row: &i32| row % 3 == 0;
    for row in (0..rows).filter(young) {
        assert!(db.remove(state, row % 4, &row.to_be_bytes()));
    }
    for row in (0..rows).filter(young) {
        db.put(state, row % 4, &row.to_be_bytes(), &stamped(1000, 2));
    }
    let expected = (0..rows).filter(young).count();
    let left = || {
        (0..4)
            .map(|kg| db.rows(state, kg, 1 << 16).len())
            .sum::<usize>()
    };
    for _ in 0..2000 {
        db.maintain(1050);
    }
    assert_eq!(left(), expected);
    assert!(
        (0..rows)
            .filter(young)
            .all(|row| db.get(state, row % 4, &row.to_be_bytes()) == Some(stamped(1000, 2)))
    );
    db.clear_state(state);
    assert_eq!(left(), 0);
    assert!(db.used() <= 4 * MIB + MIB, "{} bytes are used", db.used());
}

#[test]
fn a_map_that_shrank_is_iterated_without_its_past() {
    let db = Driver::new(64 * MIB, 1, 0);
    let map = db.register(Kind::Map, "m");
    for row in 0..50_000_i32 {
        db.map_put(map, 0, b"key", &row.to_be_bytes(), b"v");
    }
    for row in 1..49_999_i32 {
        assert!(db.map_remove(map, 0, b"key", &row.to_be_bytes()));
    }
    let (cursor, entries) = db.map_page(map, 0, b"key", 0, 4096);
    assert_eq!(
        (cursor, entries.len(), db.map_size(map, 0, b"key")),
        (-1, 2, 2)
    );
    db.map_put(map, 0, b"key", b"new", b"v");
    assert_eq!(db.map_page(map, 0, b"key", 0, 4096).1.len(), 3);
}
