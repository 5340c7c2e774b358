//! Alone in its process, because it reads the process's resident memory. Linux with glibc only: elsewhere the
//! allocator is left to itself.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

use sf_testkit::{Driver, Kind};

const ROWS: i32 = 60_000;
const ROW_BYTES: usize = 500;
/// Small chunks come from the allocator; large ones are mapped and go back to the system anyhow.
const CHUNK_BYTES: i32 = 4096;

/// Bytes of physical memory.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("there is /proc");
    let pages: usize = pages
        .split(' ')
        .nth(1)
        .and_then(|n| n.parse().ok())
        .expect("a number");
    pages * 4096
}

/// What is freed goes back to the system, also when a snapshot that another thread writes is the last to hold
/// it: the task's result may be known and its store gone by then.
#[test]
fn whoever_is_the_last_to_go_returns_the_memory() {
    let mut before = 0;
    for round in 0..6 {
        // A task has a thread of its own, and so its own part of the allocator's memory.
        let task = move || {
            let db = Driver::new(256 << 20, 2, CHUNK_BYTES);
            let state = db.register(Kind::Value, "v");
            (0..ROWS).for_each(|row| db.put(state, row % 2, &row.to_be_bytes(), &[1; ROW_BYTES]));
            (round % 2 == 1).then(|| db.snapshot(1, 2, 0, i64::MIN))
        };
        let snapshot = std::thread::spawn(task).join().expect("the task ends");
        if snapshot.is_some() {
            let held = resident().saturating_sub(before);
            assert!(
                held > ROWS as usize * ROW_BYTES / 2,
                "the snapshot pins its rows, {held}"
            );
        }
        drop(snapshot);
        if round == 0 {
            before = resident();
        }
        let kept = resident().saturating_sub(before);
        assert!(
            kept < ROWS as usize * ROW_BYTES / 8,
            "round {round}: {kept} bytes are kept"
        );
    }
}
