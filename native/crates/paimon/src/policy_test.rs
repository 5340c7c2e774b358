use crate::policy::{CompactionLimits, FileShape, choose};
use std::collections::{BTreeMap, BTreeSet};

const LIMITS: CompactionLimits = CompactionLimits {
    dead_percent: 50,
    fan_in: 4,
    rows_per_checkpoint: 1000,
};

fn file(number: u64, rows: u64, dead: u64) -> FileShape {
    FileShape {
        number,
        bucket: 0,
        rows,
        dead,
    }
}

#[test]
fn a_file_that_is_half_dead_is_written_again() {
    assert_eq!(choose(&[file(1, 100, 50)], &LIMITS), BTreeSet::from([1]));
    assert_eq!(choose(&[file(1, 100, 49)], &LIMITS), BTreeSet::new());
}

#[test]
fn files_of_like_size_become_one_but_not_across_buckets() {
    let mut files: Vec<_> = (1..=4).map(|number| file(number, 20, 0)).collect();
    assert_eq!(choose(&files, &LIMITS), BTreeSet::from([1, 2, 3, 4]));
    files[3].bucket = 1;
    assert_eq!(choose(&files, &LIMITS), BTreeSet::new());
}

#[test]
fn what_is_written_again_at_once_is_bounded_but_never_nothing() {
    let files = [file(1, 5000, 4000), file(2, 500, 400), file(3, 1000, 600)];
    assert_eq!(
        choose(&files, &LIMITS),
        BTreeSet::from([2, 3]),
        "100 + 400 rows"
    );
    let files = [file(1, 9000, 4500), file(2, 9000, 4500)];
    assert_eq!(choose(&files, &LIMITS).len(), 1);
}

/// 500 checkpoints that each change 2 % of 100,000 rows: what there is of files, dead rows and work stays bounded.
#[test]
fn a_long_run_stays_bounded() {
    const KEYS: u64 = 100_000;
    const DIRTY: u64 = 2_000;
    let limits = CompactionLimits {
        rows_per_checkpoint: 50_000,
        ..LIMITS
    };
    let mut random = 1_u64;
    let mut next = move || {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        random >> 33
    };
    // By key the file that has it; by file its rows.
    let mut at = vec![0_u64; KEYS as usize];
    let mut rows = BTreeMap::from([(0, KEYS)]);
    let mut written = 0;
    for number in 1..=500_u64 {
        let live = at.iter().fold(BTreeMap::new(), |mut live, file| {
            *live.entry(*file).or_insert(0) += 1;
            live
        });
        let shapes: Vec<_> = rows
            .iter()
            .map(|(number, rows)| file(*number, *rows, rows - live.get(number).unwrap_or(&0)))
            .collect();
        let again = choose(&shapes, &limits);
        let mut dirty: BTreeSet<u64> = (0..DIRTY).map(|_| next() % KEYS).collect();
        dirty.extend((0..KEYS).filter(|key| again.contains(&at[*key as usize])));
        dirty.iter().for_each(|key| at[*key as usize] = number);
        rows.retain(|known, _| !again.contains(known));
        rows.insert(number, dirty.len() as u64);
        written += dirty.len() as u64;
        let all: u64 = rows.values().sum();
        assert!(all <= KEYS * 3, "{all} rows in files at {number}");
        assert!(rows.len() <= 40, "{} files at {number}", rows.len());
    }
    assert!(written < 500 * DIRTY * 6, "{written} rows written");
}
