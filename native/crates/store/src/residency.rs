//! Rows that do not fit the memory budget: the oldest chunks go to files, and a row that is asked for comes back.
//!
//! A key's hash stays in its table, so that a key that is not there costs no read. What is written or read moves to
//! the newest chunk: the oldest chunk is the one that was used least recently.

use crate::arena::{Arena, Funding, Moment, OldChunk};
use crate::compact::{Owners, freshness};
use crate::key_group::{Context, KeyGroup, Need};
use crate::record::{EXTENDED, NewRecord, Record};
use crate::spill::SpillArea;
use crate::state::StateKind;
use crate::store::Store;
use crate::table::Ref;
use sf_core::{Error, Result};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A chunk of which less lives is compacted in memory, not written to a file.
const WORTH_WRITING_PERCENT: usize = 60;
/// Share of the budget that is freed at once, and its least and greatest size.
const BATCH_SHARE: i64 = 32;
pub(crate) const LEAST_BATCH: usize = 256 * 1024;
const GREATEST_BATCH: usize = 32 * 1024 * 1024;
/// Files may hold so many times what lives in them, and as much again as the budget has memory.
const WASTE_FACTOR: usize = 2;

/// Figures of spilling, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpillStats {
    /// In files.
    pub spilled: u64,
    /// Of living rows in files.
    pub live: u64,
    /// Written to files so far.
    pub written: u64,
    /// Read from files so far.
    pub read: u64,
}

impl KeyGroup {
    /// Moves a record from a file to memory. `false`: the budget has no room.
    pub(crate) fn bring(
        &mut self,
        context: &Context,
        owners: &mut Owners<'_>,
        reference: Ref,
        buffer: &mut Vec<u64>,
        funding: Funding,
    ) -> Result<bool> {
        match self.arena.spilled(reference) {
            Some((place, unit)) => place.read_record(unit, buffer, |record| {
                self.adopt(context, owners, reference, record, funding)
            }),
            None => Ok(true),
        }
    }

    fn adopt(
        &mut self,
        context: &Context,
        owners: &mut Owners<'_>,
        old: Ref,
        record: Record,
        funding: Funding,
    ) -> bool {
        let new = NewRecord {
            state: record.state(),
            ordinal: record.ordinal(),
            flags: freshness(record),
            extension: record.has(EXTENDED).then(|| record.extension()),
            key: record.key(),
            value: record.value(),
            capacity: match record.write_epoch() == context.epoch {
                true => record.capacity(),
                false => record.value().len(),
            },
        };
        if !self.arena.make_room(new.size(), funding) {
            return false;
        }
        let moved = self.arena.append(record.write_epoch(), &new);
        self.arena.kill_spilled(old, record.size());
        self.redirect(owners, record, old, moved);
        true
    }

    /// Frees about so many bytes of memory; returns how many, 0 when there is nothing to free. What came to memory since
    /// `begun`, when an operation under way asked for its first record, stays there: the operation would ask for it again,
    /// and might do so for ever.
    pub(crate) fn spill(
        &mut self,
        context: &Context,
        owners: &mut Owners<'_>,
        area: &Arc<SpillArea>,
        wanted: usize,
        begun: Option<Moment>,
    ) -> Result<usize> {
        let before = self.arena.allocated();
        let mut freed = self.arena.free_drained();
        let mut batch = Vec::new();
        for chunk in self.arena.by_age() {
            if freed >= wanted {
                break;
            }
            let Some((bytes, live)) = self.arena.weight(chunk) else {
                continue;
            };
            if begun.is_some_and(|begun| Arena::is_since(begun, chunk)) {
                continue;
            }
            if live < WORTH_WRITING_PERCENT && self.compact(context, owners, chunk.number).is_some()
            {
                freed += bytes * (100 - live) / 100;
            } else if self.keep_timers(context, owners, chunk.number) {
                batch.push(chunk);
                freed += bytes;
            }
        }
        // A chunk whose last rows were timers may be gone by now.
        batch.retain(|chunk| self.arena.weight(*chunk).is_some());
        if !batch.is_empty() {
            let bytes = |chunk: &OldChunk| self.arena.bytes(chunk.number);
            let chunks: Vec<&[u8]> = batch.iter().map(bytes).collect();
            let places = area.write(&chunks, &context.budget)?;
            for (chunk, place) in batch.into_iter().zip(places) {
                self.arena.move_to_disk(chunk.number, place);
            }
        }
        self.arena.free_drained();
        Ok(before.saturating_sub(self.arena.allocated()))
    }

    /// Moves timers out of a chunk: the heap compares them all the time. `false`: there is no memory to move to.
    fn keep_timers(&mut self, context: &Context, owners: &mut Owners<'_>, number: u32) -> bool {
        if !owners.states.iter().any(|s| s.kind == StateKind::Timer) {
            return true;
        }
        for old in self.arena.references(number) {
            let record = self.arena.record(old);
            let timer = owners.states[record.state() as usize].kind == StateKind::Timer;
            if timer
                && record.death().is_alive()
                && self.move_record(context, owners, old, record).is_none()
            {
                return false;
            }
        }
        true
    }

    /// Provides what an operation that began at a moment lacked, with the means of this key group alone; `false`: it has
    /// none left.
    pub(crate) fn provide(
        &mut self,
        context: &Context,
        owners: &mut Owners<'_>,
        state: u16,
        need: Need,
        buffer: &mut Vec<u64>,
        begun: Moment,
    ) -> Result<bool> {
        loop {
            if self.try_to(context, owners, state, need, buffer, Funding::Budget)? {
                return Ok(true);
            }
            let freed = match &context.spill {
                Some(area) => self.spill(context, owners, area, LEAST_BATCH, Some(begun))? > 0,
                None => self.compact_any(context, owners),
            };
            if !freed {
                return Ok(false);
            }
        }
    }

    /// Provides what an operation lacked if there is memory for it.
    pub(crate) fn try_to(
        &mut self,
        context: &Context,
        owners: &mut Owners<'_>,
        state: u16,
        need: Need,
        buffer: &mut Vec<u64>,
        funding: Funding,
    ) -> Result<bool> {
        match need {
            Need::Resident(reference) => self.bring(context, owners, reference, buffer, funding),
            _ => Ok(self.satisfy(context, state, need, funding)),
        }
    }
}

impl Store {
    /// Rows that do not fit the budget go to files in this directory, which is there, and the budget is shared fairly with
    /// the slot's other stores that spill. For a store without states whose deletions are logged
    /// ([`Store::log_deaths`]).
    pub fn spill_to(&mut self, directory: &Path) -> Result<()> {
        if !directory.is_dir() {
            return Err(Error::user(format!(
                "state cannot be spilled to {}: it is no directory",
                directory.display()
            )));
        }
        if !self.states.is_empty() {
            return Err(Error::user("the store has states already"));
        }
        self.context.budget = self.context.budget.share();
        for group in &mut self.groups {
            *group = KeyGroup::new(&self.context.budget, group.arena.usual_chunk());
        }
        self.context.spill = Some(Arc::new(SpillArea::new(directory)));
        Ok(())
    }

    /// Provides what an operation lacked if there is memory for it.
    pub(crate) fn try_to(
        &mut self,
        state: u16,
        slot: usize,
        need: Need,
        funding: Funding,
    ) -> Result<bool> {
        let Self {
            groups,
            context,
            states,
            heaps,
            buffer,
            ..
        } = self;
        let owners = &mut Owners { states, heaps };
        groups[slot].try_to(context, owners, state, need, buffer, funding)
    }

    /// Memory is short: frees some by writing old chunks to files, a share of each key group in turn. The rows that an operation
    /// in a key group asked for stay.
    pub(crate) fn spill_some(&mut self, under_way: Option<(usize, Moment)>) -> Result<bool> {
        let Some(area) = self.context.spill.clone() else {
            return Ok(false);
        };
        let share = usize::try_from(self.context.budget.limit() / BATCH_SHARE).unwrap_or(0);
        let wanted = share.clamp(LEAST_BATCH, GREATEST_BATCH);
        let mut freed = 0;
        // The newest chunk of a key group goes when there is no other in any.
        for visit in 0..2 * self.groups.len() {
            let slot = self.sweeper.next_to_spill(self.groups.len());
            let in_use = under_way.is_some_and(|(at, _)| at == slot);
            if visit >= self.groups.len() && (in_use || !self.groups[slot].arena.retire_newest()) {
                continue;
            }
            let Self {
                groups,
                context,
                states,
                heaps,
                ..
            } = self;
            let owners = &mut Owners { states, heaps };
            let begun = under_way
                .filter(|(at, _)| *at == slot)
                .map(|(_, begun)| begun);
            freed += groups[slot].spill(context, owners, &area, LEAST_BATCH, begun)?;
            if freed >= wanted || (freed > 0 && visit + 1 >= self.groups.len()) {
                break;
            }
        }
        Ok(freed > 0)
    }

    /// Moves what lives of one chunk back to memory when files are mostly dead. Says whether it did.
    pub(crate) fn clean_files(&mut self, slot: usize) -> Result<bool> {
        let (spilled, live) = self.groups[slot].arena.spilled_bytes();
        let memory = usize::try_from(self.context.budget.limit()).unwrap_or(0);
        let allowed = live * WASTE_FACTOR + memory / self.groups.len();
        if spilled <= allowed {
            return Ok(false);
        }
        let Some(number) = self.groups[slot].arena.emptiest_spilled() else {
            return Ok(false);
        };
        let Self {
            groups,
            context,
            states,
            heaps,
            ..
        } = self;
        let owners = &mut Owners { states, heaps };
        let group = &mut groups[slot];
        let Some((words, living)) = group.arena.living_in_file(number)? else {
            return Ok(false);
        };
        let all_moved = living.into_iter().all(|reference| {
            Arena::read_back(&words, reference).is_some_and(|record| {
                group.adopt(context, owners, reference, record, Funding::Budget)
            })
        });
        if !all_moved {
            self.spill_some(None)?;
        }
        Ok(true)
    }

    /// Figures for metrics.
    pub fn spill_stats(&self) -> SpillStats {
        let mut stats = SpillStats::default();
        for group in &self.groups {
            let (spilled, live) = group.arena.spilled_bytes();
            stats.spilled += spilled as u64;
            stats.live += live as u64;
        }
        if let Some(area) = &self.context.spill {
            stats.written = area.written.load(Ordering::Relaxed);
            stats.read = area.read.load(Ordering::Relaxed);
        }
        stats
    }
}
