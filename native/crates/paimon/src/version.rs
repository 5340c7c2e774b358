//! What a table consists of at one checkpoint: data files, dead rows, and where each living row is.

use crate::places::Places;
use crate::policy::{CompactionLimits, FileShape, choose};
use roaring::RoaringBitmap;
use sf_core::{Charge, MemoryBudget};
use sf_store::{Death, EpochRange, Frozen};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A data file. Never changes; which of its rows are dead is the version's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataFile {
    /// Unique within a table and the tables that it came from.
    pub number: u64,
    /// Bucket that all of its rows belong to.
    pub bucket: u32,
    /// Length.
    pub bytes: u64,
    /// Rows, dead ones included.
    pub rows: u64,
    /// Sequence number of the first row; the others follow.
    pub first_sequence: i64,
    /// Least key group of a row.
    pub first_key_group: u32,
    /// Greatest key group of a row.
    pub last_key_group: u32,
}

/// The rows of one key group in one file: all that lived, when it was written, of those written in some epochs.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) file: u64,
    pub(crate) epochs: Vec<EpochRange>,
    rows: UnitRows,
    _charge: Charge,
}

#[derive(Debug)]
enum UnitRows {
    /// By state.
    Placed(BTreeMap<u16, Places>),
    /// A restored file: a row's ordinal is its position.
    Positions,
}

impl Unit {
    /// A unit whose places are charged to `budget` whatever its limit.
    pub(crate) fn new(
        file: u64,
        epochs: Vec<EpochRange>,
        places: BTreeMap<u16, Places>,
        budget: &Arc<MemoryBudget>,
    ) -> Self {
        let bytes: usize = places.values().map(|p| p.heap_bytes() + 64).sum();
        Self {
            file,
            epochs,
            rows: UnitRows::Placed(places),
            _charge: budget.charge_overdraft(bytes),
        }
    }

    fn restored(file: u64, epoch: u32, budget: &Arc<MemoryBudget>) -> Self {
        Self {
            file,
            epochs: vec![EpochRange {
                after: epoch - 1,
                to: epoch,
            }],
            rows: UnitRows::Positions,
            _charge: Charge::none(budget),
        }
    }

    fn find(&self, state: u16, row: Death) -> Option<u32> {
        if !self.epochs.iter().any(|range| range.contains(row.epoch)) {
            return None;
        }
        match &self.rows {
            UnitRows::Placed(states) => states.get(&state)?.find(row),
            UnitRows::Positions => Some(row.ordinal),
        }
    }
}

/// A data file with its dead rows.
#[derive(Debug, Clone)]
pub struct LiveFile {
    /// The file.
    pub file: DataFile,
    /// Positions of its dead rows.
    pub dead: Arc<RoaringBitmap>,
}

/// The table at one checkpoint.
#[derive(Debug, Clone, Default)]
pub struct TableVersion {
    /// By number.
    pub(crate) files: BTreeMap<u64, LiveFile>,
    /// By slot of the key group.
    units: Vec<Vec<Arc<Unit>>>,
    /// Files that the next checkpoint writes again.
    rewrite: BTreeSet<u64>,
    /// By slot: the epochs whose rows the next checkpoint writes, on top of those after this version's.
    rewritten: Vec<Arc<[EpochRange]>>,
}

impl TableVersion {
    /// An empty table for so many key groups.
    pub(crate) fn empty(key_groups: usize) -> Self {
        Self {
            units: vec![Vec::new(); key_groups],
            rewritten: vec![Arc::default(); key_groups],
            ..Self::default()
        }
    }

    /// A restored table: the rows of the n-th file, from one on, belong to epoch n and have their positions as
    /// ordinals. `slot` is that of a key group.
    pub fn restored(
        (key_groups, buckets): (usize, u32),
        files: Vec<LiveFile>,
        slot: impl Fn(u32) -> Option<usize>,
        limits: &CompactionLimits,
        budget: &Arc<MemoryBudget>,
    ) -> Self {
        let mut version = Self::empty(key_groups);
        for (epoch, live) in (1..).zip(files) {
            let file = live.file;
            let key_groups = (file.first_key_group..=file.last_key_group)
                .filter(|key_group| key_group % buckets == file.bucket);
            for slot in key_groups.filter_map(&slot) {
                let unit = Unit::restored(file.number, epoch, budget);
                version.units[slot].push(Arc::new(unit));
            }
            version.files.insert(file.number, live);
        }
        version.plan_compaction(limits);
        version
    }

    /// The data files, by number.
    pub fn files(&self) -> impl Iterator<Item = &LiveFile> {
        self.files.values()
    }

    /// The greatest file number.
    pub(crate) fn last_number(&self) -> u64 {
        self.files.keys().next_back().copied().unwrap_or(0)
    }

    /// The epochs whose rows a checkpoint on top of this version, of `epoch`, writes.
    pub(crate) fn wanted(&self, slot: usize, epoch: u32) -> Arc<[EpochRange]> {
        let since = EpochRange::since(epoch);
        match &*self.rewritten[slot] {
            [] => [since].into(),
            again => again.iter().copied().chain([since]).collect(),
        }
    }

    /// The epochs of [`TableVersion::wanted`], up to `to`, neighbours joined.
    pub(crate) fn written(&self, slot: usize, since: u32, to: u32) -> Vec<EpochRange> {
        let mut epochs: Vec<EpochRange> = self.rewritten[slot].to_vec();
        epochs.push(EpochRange { after: since, to });
        epochs.sort_unstable();
        epochs.dedup_by(|next, range| {
            let joined = range.to == next.after;
            if joined {
                range.to = next.to;
            }
            joined
        });
        epochs
    }

    /// The version without what died since and without the files that are written again. Returns it and the
    /// number of rows that died.
    pub(crate) fn after(&self, frozen: &Frozen) -> (Self, u64) {
        let mut next = self.clone();
        let mut died: BTreeMap<u64, RoaringBitmap> = BTreeMap::new();
        for (slot, group) in frozen.groups().iter().enumerate() {
            for state in 0..frozen.states().len() as u16 {
                for death in group.deaths(state) {
                    let place = next.units[slot]
                        .iter()
                        .find_map(|unit| Some((unit.file, unit.find(state, death)?)));
                    if let Some((file, row)) = place {
                        died.entry(file).or_default().insert(row);
                    }
                }
            }
        }
        let mut rows = 0;
        for (number, died) in died {
            if let Some(live) = next.files.get_mut(&number) {
                rows += died.len();
                *Arc::make_mut(&mut live.dead) |= died;
            }
        }
        let again = std::mem::take(&mut next.rewrite);
        next.files
            .retain(|number, live| !again.contains(number) && live.dead.len() < live.file.rows);
        let Self { files, units, .. } = &mut next;
        for slot in units {
            slot.retain(|unit| files.contains_key(&unit.file));
        }
        (next, rows)
    }

    /// Adds a file that a checkpoint wrote.
    pub(crate) fn add(&mut self, file: DataFile, units: Vec<(usize, Unit)>) {
        let dead = Arc::default();
        self.files.insert(file.number, LiveFile { file, dead });
        for (slot, unit) in units {
            self.units[slot].push(Arc::new(unit));
        }
    }

    /// Decides what the next checkpoint writes again.
    pub(crate) fn plan_compaction(&mut self, limits: &CompactionLimits) {
        let shape = |live: &LiveFile| FileShape {
            number: live.file.number,
            bucket: live.file.bucket,
            rows: live.file.rows,
            dead: live.dead.len(),
        };
        let shapes: Vec<FileShape> = self.files.values().map(shape).collect();
        self.rewrite = choose(&shapes, limits);
        self.rewritten = self
            .units
            .iter()
            .map(|units| {
                let again = units
                    .iter()
                    .filter(|unit| self.rewrite.contains(&unit.file));
                again.flat_map(|unit| unit.epochs.iter().copied()).collect()
            })
            .collect();
    }
}
