//! Which data files the next checkpoint writes again, so that files, dead rows and deletion vectors stay few.

use std::collections::{BTreeMap, BTreeSet};

/// What is weighed of a data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileShape {
    /// The file's number.
    pub number: u64,
    /// Its bucket.
    pub bucket: u32,
    /// Its rows.
    pub rows: u64,
    /// Those of them that are dead.
    pub dead: u64,
}

/// Limits of the background compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionLimits {
    /// A file is written again when so many percent of its rows are dead.
    pub dead_percent: u64,
    /// So many files of like size in one bucket are written again as one.
    pub fan_in: usize,
    /// Living rows that one checkpoint writes again, at most; one file or one group of files always may.
    pub rows_per_checkpoint: u64,
}

impl Default for CompactionLimits {
    fn default() -> Self {
        Self {
            dead_percent: 50,
            fan_in: 6,
            rows_per_checkpoint: 1 << 20,
        }
    }
}

/// The files to write again. Each row is so written about once for each time that its file's size grows by
/// the fan-in, and once for each time that half of its file dies.
pub fn choose(files: &[FileShape], limits: &CompactionLimits) -> BTreeSet<u64> {
    let mut tasks: Vec<(u64, Vec<u64>)> = Vec::new();
    let mut tiers: BTreeMap<(u32, u32), Vec<&FileShape>> = BTreeMap::new();
    for file in files {
        let live = file.rows - file.dead;
        if file.dead * 100 >= file.rows * limits.dead_percent {
            tasks.push((live, vec![file.number]));
        } else {
            let tier = live.max(1).ilog(limits.fan_in.max(2) as u64);
            tiers.entry((file.bucket, tier)).or_default().push(file);
        }
    }
    for tier in tiers.into_values() {
        if tier.len() >= limits.fan_in {
            let live = tier.iter().map(|file| file.rows - file.dead).sum();
            tasks.push((live, tier.iter().map(|file| file.number).collect()));
        }
    }
    tasks.sort_unstable();
    let mut chosen = BTreeSet::new();
    let mut rows = 0;
    for (live, numbers) in tasks {
        if rows > 0 && rows + live > limits.rows_per_checkpoint {
            break;
        }
        rows += live;
        chosen.extend(numbers);
    }
    chosen
}
