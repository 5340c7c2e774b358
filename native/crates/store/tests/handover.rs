//! Every interleaving of the task thread with a reader of a snapshot, by loom:
//! `RUSTFLAGS="--cfg loom" cargo test -p sf-store --test handover`.
#![cfg(loom)]

use loom::sync::Arc;
use loom::thread;
use sf_store::visibility::DeathMark;

/// Three records as one chunk holds them; the third is appended after the first snapshot.
struct Chunk([DeathMark; 3]);

fn visible(chunk: &Chunk, len: usize, epoch: u32) -> Vec<usize> {
    (0..len)
        .filter(|at| chunk.0[*at].lived_at_end_of(epoch))
        .collect()
}

#[test]
fn a_snapshot_sees_what_lived_when_it_began() {
    loom::model(|| {
        let chunk = Arc::new(Chunk([
            DeathMark::alive(),
            DeathMark::alive(),
            DeathMark::alive(),
        ]));
        // Epoch 1: records 0 and 1 are there, 1 is deleted at once. Then the snapshot of epoch 1 begins.
        chunk.0[1].die(1);
        let first = thread::spawn({
            let chunk = Arc::clone(&chunk);
            move || visible(&chunk, 2, 1)
        });
        // Epoch 2: record 0 is replaced by record 2. Then the snapshot of epoch 2 begins.
        chunk.0[0].die(2);
        let second = thread::spawn({
            let chunk = Arc::clone(&chunk);
            move || visible(&chunk, 3, 2)
        });
        // Epoch 3: record 2 is deleted.
        chunk.0[2].die(3);
        assert!((0..3).all(|at| !chunk.0[at].is_alive()));
        assert_eq!(first.join().expect("no panic"), [0]);
        assert_eq!(second.join().expect("no panic"), [2]);
    });
}
