use crate::spill::SpillArea;
use crate::{Door, StateKind, Store};
use sf_core::{ErrorKind, KeyGroupRange, MemoryBudget};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A directory that is gone with the test.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sf-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("made");
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn put(store: &mut Store, key: u32) -> sf_core::Result<()> {
    while store.value_put(0, 0, &key.to_be_bytes(), &[key as u8; 200])? == Door::NeedsReserve {
        store.reserve()?;
    }
    Ok(())
}

fn get(store: &mut Store, key: u32) -> sf_core::Result<Option<Vec<u8>>> {
    loop {
        if let Door::Done(found) = store.value_get(0, 0, &key.to_be_bytes())? {
            return Ok(found.map(<[u8]>::to_vec));
        }
        store.reserve()?;
    }
}

fn spilling(directory: &Directory) -> Store {
    sharing(directory, MemoryBudget::new(1 << 20))
}

fn sharing(directory: &Directory, budget: Arc<MemoryBudget>) -> Store {
    let range = KeyGroupRange::new(0, 0, 1).expect("a range");
    let mut store = Store::new(budget, range, 16 << 10).expect("made");
    store.log_deaths();
    store.spill_to(&directory.0).expect("a directory");
    store.register("v", StateKind::Value, None).expect("new");
    store
}

fn check(store: &mut Store, keys: u32) {
    for key in 0..keys {
        let found = get(store, key).expect("reads");
        assert_eq!(found, Some(vec![key as u8; 200]));
    }
}

/// Two operators of one slot: whoever filled the budget first makes room for the other.
#[test]
fn the_stores_of_a_slot_share_its_budget() {
    const KEYS: u32 = 20_000;
    let (one, two) = (Directory::new("share-one"), Directory::new("share-two"));
    for second_is_late in [false, true] {
        let budget = MemoryBudget::new(1 << 20);
        let mut first = sharing(&one, Arc::clone(&budget));
        let early = (!second_is_late).then(|| sharing(&two, Arc::clone(&budget)));
        for key in 0..KEYS {
            put(&mut first, key).expect("spills");
        }
        let mut second = early.unwrap_or_else(|| sharing(&two, Arc::clone(&budget)));
        for key in 0..KEYS {
            put(&mut second, key).expect("gets its share");
            if key % 16 == 0 {
                put(&mut first, key).expect("gives way");
            }
        }
        let owed = budget.limit() / 4;
        assert!(budget.used() <= budget.limit() + owed);
        for store in [&mut first, &mut second] {
            let held = store.stats().allocated_bytes as i64;
            assert!(held < budget.limit() * 3 / 4, "{held} bytes");
            check(store, KEYS);
        }
        drop((first, second));
        assert_eq!(budget.used(), 0);
    }
}

#[test]
fn a_disk_that_fails_fails_the_write_and_nothing_is_lost() {
    let directory = Directory::new("failing");
    let mut store = spilling(&directory);
    std::fs::remove_dir(&directory.0).expect("removed");
    let (mut written, error) = (0, loop_until_error(&mut store));
    assert_eq!(error.1.kind(), ErrorKind::External);
    let text = error.1.message();
    assert!(
        text.contains("to write a file in") && text.contains("sf-failing"),
        "{text}"
    );
    // The disk is back: what was there still is, and the write goes through.
    std::fs::create_dir(&directory.0).expect("made");
    while written < error.0 {
        let found = get(&mut store, written).expect("in memory");
        assert_eq!(found, Some(vec![written as u8; 200]));
        written += 1;
    }
    for key in error.0..20_000 {
        put(&mut store, key).expect("spills");
    }
    check(&mut store, 20_000);
    assert!(store.spill_stats().spilled > 1 << 20);
    assert_eq!(
        std::fs::read_dir(&directory.0).expect("listed").count(),
        0,
        "files are unlinked while they are open"
    );
}

fn loop_until_error(store: &mut Store) -> (u32, sf_core::Error) {
    for key in 0.. {
        if let Err(error) = put(store, key) {
            return (key, error);
        }
    }
    unreachable!("memory ends");
}

#[test]
fn a_directory_that_is_not_there_is_refused() {
    let range = KeyGroupRange::new(0, 0, 1).expect("a range");
    let mut store = Store::new(MemoryBudget::new(1 << 20), range, 0).expect("made");
    let error = store
        .spill_to("/nowhere/at/all".as_ref())
        .expect_err("refused");
    assert!(error.message().contains("/nowhere/at/all"));
}

#[test]
fn a_file_has_many_chunks_and_gives_their_room_back() {
    let directory = Directory::new("many");
    let area = Arc::new(SpillArea::new(&directory.0));
    let budget = MemoryBudget::new(1 << 20);
    let chunk = [7; 16 << 10];
    // 24 MiB, 16 MiB a file.
    let mut places = Vec::new();
    for _ in 0..24 * 64 {
        places.extend(area.write(&[&chunk], &budget).expect("written"));
    }
    assert_eq!(area.files.load(Ordering::Relaxed), 2);
    let file = places[0].file().try_clone().expect("open");
    let taken = || file.metadata().expect("known").blocks() * 512;
    assert!(taken() >= 16 << 20);
    // The last one stays.
    drop(places.drain(..63));
    for place in &places {
        let words = place.read_all().expect("reads");
        assert!(words.iter().all(|word| word.to_le_bytes() == [7; 8]));
    }
    if cfg!(target_os = "linux") {
        assert!(taken() <= (15 << 20) + (1 << 19), "{} bytes", taken());
    }
}

#[test]
fn every_flipped_byte_of_a_spilled_chunk_is_found() {
    let directory = Directory::new("flipped");
    let area = Arc::new(SpillArea::new(&directory.0));
    let chunk: Vec<u8> = (0..10_000_u32).map(|n| n as u8).collect();
    let budget = MemoryBudget::new(1 << 20);
    let place = area
        .write(&[&[0; 64], &chunk], &budget)
        .expect("written")
        .remove(1);
    let back = place.read_all().expect("reads");
    let bytes: Vec<u8> = back.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(bytes[..chunk.len()], chunk);
    for offset in (0..chunk.len()).step_by(997) {
        place
            .file()
            .write_all_at(&[!chunk[offset]], 4096 + offset as u64)
            .expect("written");
        let error = place.read_all().expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(error.message().contains("checksum"), "{}", error.message());
        place
            .file()
            .write_all_at(&[chunk[offset]], 4096 + offset as u64)
            .expect("written");
    }
    place.file().set_len(1000).expect("cut off");
    assert_eq!(
        place.read_all().expect_err("refused").kind(),
        ErrorKind::External
    );
}
