//! Work between records: reclaiming memory, expiring rows, and what a full budget leads to.

use crate::arena::{Funding, charge_for_rows};
use crate::compact::{Owners, SHORT_VICTIM_PERCENT};
use crate::key_group::{KeyGroup, LIST_BYTES, Need};
use crate::state::StateKind;
use crate::store::Store;
use sf_core::{Charge, Error, Result};

/// Dead bytes of a key group from which on it is compacted: one in so many of its bytes.
const GARBAGE_SHARE: usize = 3;
/// A chunk that is at most so many percent live is worth copying in the background.
const VICTIM_PERCENT: usize = 60;
/// How far tombstones may pass the limit before garbage is looked for.
const OVERDRAFT: i64 = 4 * crate::arena::MAX_CHUNK as i64;
/// Key groups looked at, bytes freed and buckets swept by one step, at most.
const GROUPS_PER_STEP: usize = 16;
const FREED_PER_STEP: usize = 256 * 1024;
const BUCKETS_PER_STEP: usize = 512;

/// Where the background work goes on.
#[derive(Debug, Default)]
pub(crate) struct Sweeper {
    group: usize,
    sweep_group: usize,
    sweep_state: usize,
    sweep_bucket: usize,
    compacted: u64,
    spill_group: usize,
}

impl Sweeper {
    /// The key group that spills next, of so many.
    pub(crate) fn next_to_spill(&mut self, groups: usize) -> usize {
        self.spill_group = (self.spill_group + 1) % groups;
        self.spill_group
    }

    /// The sweep goes on with the first key group of the next state.
    fn next_state(&mut self, states: usize) {
        self.sweep_bucket = 0;
        self.sweep_group = 0;
        self.sweep_state = (self.sweep_state + 1) % states.max(1);
    }
}

/// Figures of a store; bytes are those of its budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreStats {
    /// Living rows of all states.
    pub rows: u64,
    /// Bytes of living records.
    pub live_bytes: u64,
    /// Bytes charged by the store, but for chunks that only snapshots hold.
    pub allocated_bytes: u64,
    /// Timers.
    pub timers: u64,
    /// The epoch that is being written.
    pub epoch: u64,
    /// Bytes of dead records in chunks, and of the unused ends of chunks.
    pub garbage_bytes: u64,
    /// Bytes of tombstones that are still needed.
    pub tombstone_bytes: u64,
    /// Bytes copied by compaction so far.
    pub compacted_bytes: u64,
}

impl Store {
    /// One bounded step of background work; `now` is Flink's TTL clock in milliseconds. Says whether more
    /// is waiting.
    pub fn maintain(&mut self, now: i64) -> Result<bool> {
        let more = self.reclaim_step()?;
        self.sweep_step(now)?;
        Ok(more)
    }

    fn reclaim_step(&mut self) -> Result<bool> {
        let mut freed = 0;
        for _ in 0..GROUPS_PER_STEP.min(self.groups.len()) {
            let slot = self.sweeper.group;
            self.sweeper.group = (slot + 1) % self.groups.len();
            freed += self.groups[slot].arena.free_drained();
            if self.groups[slot].is_wasteful() {
                freed += self.compact_one(slot, VICTIM_PERCENT).unwrap_or(0);
            }
            if self.context.spill.is_some() {
                self.clean_files(slot)?;
            }
            if freed >= FREED_PER_STEP {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Compacts one chunk of a key group; the bytes freed, `None` without a chunk worth it or room to copy.
    fn compact_one(&mut self, slot: usize, percent: usize) -> Option<usize> {
        let Self {
            groups,
            context,
            states,
            heaps,
            sweeper,
            ..
        } = self;
        let group = &mut groups[slot];
        let victim = group.arena.victim(percent)?;
        let before = group.arena.allocated();
        let mut owners = Owners { states, heaps };
        let copied = group.compact(context, &mut owners, victim)?;
        sweeper.compacted += copied as u64;
        Some(before.saturating_sub(group.arena.allocated()))
    }

    fn sweep_step(&mut self, now: i64) -> Result<()> {
        let mut buckets = BUCKETS_PER_STEP;
        let mut rounds = self.groups.len() * self.states.len();
        while buckets > 0 && rounds > 0 {
            let (slot, state) = (self.sweeper.sweep_group, self.sweeper.sweep_state);
            let info = self
                .states
                .get(state)
                .and_then(|info| Some((info.kind, info.ttl?)));
            let Some((kind, ttl)) = info.filter(|(_, ttl)| ttl.sweep) else {
                self.sweeper.next_state(self.states.len());
                rounds = rounds.saturating_sub(self.groups.len());
                continue;
            };
            let mut bucket = self.sweeper.sweep_bucket;
            let end = self.groups[slot].states[state]
                .table
                .buckets()
                .min(bucket + buckets);
            buckets -= end.saturating_sub(bucket).max(1);
            while bucket < end {
                let group = &self.groups[slot];
                // Rows in files are left alone: they cost no memory, and expire when they are read.
                let found = group.states[state].table.at(bucket);
                let record = found
                    .filter(|found| group.arena.is_resident(*found))
                    .map(|found| group.arena.record(found));
                match record.filter(|record| ttl.expired(record.value(), now)) {
                    // The removal may pull another row into this bucket: look at it again.
                    Some(record) => self.delete_row(state as u16, kind, slot, record)?,
                    None => bucket += 1,
                }
            }
            self.sweeper.sweep_bucket = bucket;
            if bucket >= self.groups[slot].states[state].table.buckets() {
                self.next_sweep();
                rounds -= 1;
            }
        }
        Ok(())
    }

    fn next_sweep(&mut self) {
        self.sweeper.sweep_bucket = 0;
        self.sweeper.sweep_group += 1;
        if self.sweeper.sweep_group >= self.groups.len() {
            self.sweeper.next_state(self.states.len());
        }
    }

    /// Provides what an operation lacked: from the budget, else from garbage, else fails.
    pub(crate) fn provide(&mut self, state: u16, slot: usize, need: Need) -> Result<()> {
        match need {
            Need::Shorten(number) => return self.shorten(state, slot, number),
            Need::Timers => return self.grow_heap(state),
            Need::Epoch => {
                self.end_epoch();
                return Ok(());
            }
            _ => {}
        }
        if self.context.spill.is_some() {
            return self.provide_by_spilling(state, slot, need);
        }
        let budget = &self.context.budget;
        if let Need::Tombstone(size) = need
            && budget.used() <= budget.limit() + OVERDRAFT
        {
            let arena = &mut self.groups[slot].arena;
            if arena.make_room(size, Funding::Budget)
                || arena.make_room(size, Funding::SmallOverdraft)
            {
                return Ok(());
            }
        }
        let met = |store: &mut Self| {
            store.groups[slot].satisfy(&store.context, state, need, Funding::Budget)
        };
        if met(self) || self.reclaim_until(met) {
            return Ok(());
        }
        if let Need::Tombstone(size) = need
            && self.groups[slot]
                .arena
                .make_room(size, Funding::SmallOverdraft)
        {
            return Ok(());
        }
        Err(self.out_of_memory(state, slot, need))
    }

    fn provide_by_spilling(&mut self, state: u16, slot: usize, need: Need) -> Result<()> {
        if let Need::Resident(_) = need {
            self.count_fault(state, slot)?;
        }
        let under_way = self.under_way.filter(|(at, _)| *at == slot);
        loop {
            if self.try_to(state, slot, need, Funding::Budget)? {
                return Ok(());
            }
            if self.spill_some(under_way)? || self.reclaim_some() {
                continue;
            }
            // What other stores of the slot have too much of is taken before they give it back.
            if self.context.budget.is_owed()
                && self.try_to(state, slot, need, Funding::SmallOverdraft)?
            {
                return Ok(());
            }
            return Err(self.out_of_memory(state, slot, need));
        }
    }

    /// Compacts until anything is free.
    fn reclaim_some(&mut self) -> bool {
        let before = self.context.budget.used();
        self.reclaim_until(|store| store.context.budget.used() < before)
    }

    /// Memory is short: frees what is dead, key group by key group, until a need is met.
    fn reclaim_until(&mut self, mut met: impl FnMut(&mut Self) -> bool) -> bool {
        loop {
            let mut freed = 0;
            for group in 0..self.groups.len() {
                freed += self.groups[group].arena.free_drained();
                while let Some(bytes) = self.compact_one(group, SHORT_VICTIM_PERCENT) {
                    freed += bytes;
                    if bytes == 0 {
                        break;
                    }
                }
                if met(self) {
                    return true;
                }
            }
            if freed == 0 {
                return false;
            }
        }
    }

    /// Leaves one chunk of a list that is about to be replaced.
    fn shorten(&mut self, state: u16, slot: usize, number: u32) -> Result<()> {
        while self.groups[slot].states[state as usize].lists[number as usize].live() > 1 {
            self.insist(state, slot, |group, context, _| {
                group.list_drop_last(context, state, number)
            })?;
        }
        Ok(())
    }

    fn grow_heap(&mut self, state: u16) -> Result<()> {
        let heap = self.heaps[state as usize].as_ref();
        let bytes = heap.expect("a timer state has a heap").growth_bytes();
        let charge = self.charge_heap(state, bytes)?;
        let heap = self.heaps[state as usize].as_mut();
        heap.expect("it is there").grow(charge);
        Ok(())
    }

    /// Charges for a heap of timers.
    pub(crate) fn charge_heap(&mut self, state: u16, bytes: usize) -> Result<Charge> {
        loop {
            if let Some(charge) = charge_for_rows(&self.context.budget, bytes) {
                return Ok(charge);
            }
            if !self.spill_some(None)? && !self.reclaim_some() {
                let budget = &self.context.budget;
                return match budget.is_owed() {
                    true => Ok(budget.charge_overdraft(bytes)),
                    false => Err(self.out_of_budget(state, bytes)),
                };
            }
        }
    }

    #[cold]
    fn out_of_memory(&self, state: u16, slot: usize, need: Need) -> Error {
        let group = &self.groups[slot];
        let rows = &group.states[state as usize];
        let bytes = match need {
            Need::Room(size) | Need::Tombstone(size) => group.arena.room_bytes(size),
            Need::Table => rows.table.growth_bytes(),
            Need::Prefixes => rows.prefixes.growth_bytes(),
            Need::Lists => rows.lists.capacity().max(4) * LIST_BYTES,
            Need::Members(number) => rows.lists[number as usize].grown_bytes(),
            Need::Resident(_) => group.arena.room_bytes(0),
            _ => 0,
        };
        if group.arena.is_full() {
            return Error::memory(format!(
                "state '{}': a key group holds all the memory pieces that it can; larger pieces or more \
                 key groups are needed",
                self.states[state as usize].name
            ));
        }
        self.out_of_budget(state, bytes)
    }

    fn out_of_budget(&self, state: u16, bytes: usize) -> Error {
        let (used, limit) = (self.context.budget.used(), self.context.budget.limit());
        Error::memory(format!(
            "state '{}' needs {bytes} more bytes, but {used} of the {limit} bytes of the slot's memory \
             budget are in use and no garbage is left to reclaim",
            self.states[state as usize].name
        ))
    }

    /// Figures for metrics.
    pub fn stats(&self) -> StoreStats {
        let mut stats = StoreStats {
            epoch: u64::from(self.context.epoch),
            compacted_bytes: self.sweeper.compacted,
            ..StoreStats::default()
        };
        for group in &self.groups {
            for (state, info) in self.states.iter().enumerate() {
                stats.rows += group.live_rows(state as u16, info.kind);
            }
            stats.live_bytes += group.arena.live() as u64;
            stats.allocated_bytes += group.charged() as u64;
            stats.garbage_bytes += (group.arena.allocated() - group.arena.resident_live()) as u64;
            stats.tombstone_bytes += group.arena.tombstones() as u64;
        }
        for heap in self.heaps.iter().flatten() {
            stats.timers += heap.len() as u64;
            stats.allocated_bytes += heap.charged() as u64;
        }
        stats
    }

    /// Whether the kind of a state lets its rows expire one by one.
    pub(crate) fn expires(kind: StateKind) -> bool {
        matches!(kind, StateKind::Value | StateKind::Map)
    }
}

impl KeyGroup {
    fn is_wasteful(&self) -> bool {
        let allocated = self.arena.allocated();
        (allocated - self.arena.resident_live()) * GARBAGE_SHARE > allocated
    }
}
