//! Which records died since the base, for a store whose checkpoints know where each row lies.

use crate::record::Record;
use sf_core::{Charge, MemoryBudget};
use std::sync::Arc;

/// A record that an earlier epoch wrote and that lives no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Death {
    /// The epoch that wrote it.
    pub epoch: u32,
    /// Its number among the records of its state, key group and epoch.
    pub ordinal: u32,
}

/// The deaths of one epoch, one state and one key group; shared by the store and its snapshots.
#[derive(Debug)]
pub(crate) struct Deaths {
    pub(crate) entries: Vec<Death>,
    _charge: Charge,
}

/// The deaths since the base, by the epoch in which they happened.
#[derive(Debug)]
pub(crate) struct DeathLog {
    open: Vec<Death>,
    charge: Charge,
    sealed: Vec<(u32, Arc<Deaths>)>,
}

/// Entries of a log that grows for the first time.
const FIRST_ENTRIES: usize = 16;

impl DeathLog {
    pub(crate) fn new(budget: &Arc<MemoryBudget>) -> Self {
        Self {
            open: Vec::new(),
            charge: Charge::none(budget),
            sealed: Vec::new(),
        }
    }

    /// Bytes charged for the open part.
    pub(crate) fn charged(&self) -> i64 {
        self.charge.bytes()
    }

    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.open.len() < self.open.capacity()
    }

    /// Remembers a death; there must be room.
    #[inline]
    pub(crate) fn log(&mut self, record: Record) {
        self.open.push(Death {
            epoch: record.write_epoch(),
            ordinal: record.ordinal(),
        });
    }

    /// Makes room, whatever the limit of the budget: eight bytes a row that was written again are little,
    /// and the rows themselves meet the limit.
    pub(crate) fn grow(&mut self, budget: &Arc<MemoryBudget>) {
        let more = self.open.capacity().max(FIRST_ENTRIES);
        let bytes = more * size_of::<Death>();
        let charge = budget.try_charge(bytes);
        self.charge
            .absorb(charge.unwrap_or_else(|| budget.charge_overdraft(bytes)));
        self.open.reserve_exact(more);
    }

    /// The epoch ends: what was logged belongs to it.
    pub(crate) fn seal(&mut self, epoch: u32, budget: &Arc<MemoryBudget>) {
        if self.open.is_empty() {
            return;
        }
        let deaths = Deaths {
            entries: std::mem::take(&mut self.open),
            _charge: std::mem::replace(&mut self.charge, Charge::none(budget)),
        };
        self.sealed.push((epoch, Arc::new(deaths)));
    }

    /// The deaths of ended epochs after `since`.
    pub(crate) fn sealed_since(&self, since: u32) -> impl Iterator<Item = &Arc<Deaths>> {
        self.sealed
            .iter()
            .filter(move |(epoch, _)| *epoch > since)
            .map(|(_, deaths)| deaths)
    }

    /// The base knows of deaths up to `epoch`.
    pub(crate) fn forget(&mut self, epoch: u32, budget: &Arc<MemoryBudget>) {
        self.sealed.retain(|(died, _)| *died > epoch);
        if epoch == u32::MAX {
            self.open = Vec::new();
            self.charge = Charge::none(budget);
        }
    }
}
