//! Which version of the table the next checkpoint builds on.

use crate::version::TableVersion;
use sf_checkpoint::Checkpoints;
use sf_store::EpochRange;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a checkpoint starts from.
#[derive(Debug, Clone)]
pub struct TablePlan {
    /// The version that it builds on; an empty one when it holds everything.
    pub base: Arc<TableVersion>,
    /// The epoch of that version; 0 without one.
    pub since_epoch: u32,
    /// Numbers files, for all checkpoints of a backend.
    pub numbers: FileNumbers,
}

impl TablePlan {
    /// The epochs whose rows the checkpoint writes, for the key group in `slot`.
    pub fn wanted(&self, slot: usize) -> Arc<[EpochRange]> {
        self.base.wanted(slot, self.since_epoch)
    }
}

/// Gives each data file of a backend a number of its own.
#[derive(Debug, Clone, Default)]
pub struct FileNumbers(Arc<AtomicU64>);

impl FileNumbers {
    pub(crate) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// The versions of completed and pending checkpoints.
#[derive(Debug)]
pub struct TableTracker {
    /// The life of checkpoints.
    pub checkpoints: Checkpoints<Arc<TableVersion>>,
    numbers: FileNumbers,
    empty: Arc<TableVersion>,
}

impl TableTracker {
    /// Nothing was written yet, of so many key groups.
    pub fn new(key_groups: usize) -> Self {
        Self {
            checkpoints: Checkpoints::default(),
            numbers: FileNumbers::default(),
            empty: Arc::new(TableVersion::empty(key_groups)),
        }
    }

    /// Plans a checkpoint of `epoch`. With `anew` nothing of the base is used.
    pub fn plan(&mut self, id: i64, epoch: u32, anew: bool) -> TablePlan {
        self.checkpoints.begin(id, epoch);
        match self.checkpoints.base().filter(|_| !anew) {
            Some((since_epoch, base)) => TablePlan {
                base: Arc::clone(base),
                since_epoch,
                numbers: self.numbers.clone(),
            },
            None => self.plan_apart(),
        }
    }

    /// Plans a table of everything that nothing builds on.
    pub fn plan_apart(&self) -> TablePlan {
        TablePlan {
            base: Arc::clone(&self.empty),
            since_epoch: 0,
            numbers: self.numbers.clone(),
        }
    }

    /// Goes on from a restored table, whose rows belong to epochs up to `epoch`.
    pub fn restored(&mut self, epoch: u32, version: TableVersion) {
        self.numbers
            .0
            .fetch_max(version.last_number(), Ordering::Relaxed);
        self.checkpoints.restored(epoch, Arc::new(version));
    }
}
