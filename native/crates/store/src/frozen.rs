//! What a snapshot reads: the chunks as they were when it began, shared with the store.

use crate::arena::{FrozenRecords, Home, SharedHome};
use crate::chunk::{ALIGN, Chunk};
use crate::deaths::{Death, Deaths};
use crate::key_group::{Context, KeyGroup, MemoryOfDeletions};
use crate::record::{Record, TOMBSTONE};
use crate::region::Words;
use crate::spill::DeadUnits;
use crate::state::{StateInfo, StateKind};
use crate::store::Store;
use sf_core::{Charge, MemoryBudget, Result};
use std::sync::{Arc, OnceLock};

/// A row as a snapshot sees it. Lengths are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrozenRow<'a> {
    /// Number of the state.
    pub state: u16,
    /// The row's key was deleted since the base (no value then).
    pub tombstone: bool,
    /// `[key][namespace]`, and for maps `[user key]`.
    pub key: &'a [u8],
    /// Length of `[key][namespace]`; zero for values and timers.
    pub prefix_len: u32,
    /// Place of a list's chunk, else zero or meaningless.
    pub seq: u32,
    /// Value bytes; a list's chunk is elements, joined.
    pub value: &'a [u8],
}

/// Rows that were written after the first of these epochs and up to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EpochRange {
    /// The epoch before the first one in it.
    pub after: u32,
    /// The last epoch in it.
    pub to: u32,
}

impl EpochRange {
    /// Every epoch there is or will be.
    pub const ALL: Self = Self::since(0);

    /// All epochs after `epoch`.
    pub const fn since(epoch: u32) -> Self {
        Self {
            after: epoch,
            to: u32::MAX,
        }
    }

    /// Whether an epoch is in it.
    #[inline]
    pub fn contains(&self, epoch: u32) -> bool {
        epoch > self.after && epoch <= self.to
    }

    fn meets(&self, first: u32, last: u32) -> bool {
        last > self.after && first <= self.to
    }
}

impl FrozenRow<'_> {
    fn of(record: Record) -> Self {
        let place = record.extension();
        Self {
            state: record.state(),
            tombstone: record.has(TOMBSTONE),
            key: record.key(),
            prefix_len: place.prefix_len,
            seq: place.seq,
            value: record.value(),
        }
    }
}

#[derive(Debug)]
struct Extent {
    home: Arc<SharedHome>,
    /// Records that had been moved to another chunk.
    left: DeadUnits,
    len: usize,
    /// What [`Frozen::load`] found.
    loaded: OnceLock<Loaded>,
}

#[derive(Debug)]
enum Loaded {
    Memory(Arc<Chunk>),
    ReadBack { words: Words, _charge: Charge },
}

impl Extent {
    /// The records from a byte offset on.
    fn records(&self, offset: usize) -> FrozenRecords<'_> {
        match self.loaded.get() {
            Some(Loaded::Memory(chunk)) => FrozenRecords::new(chunk, offset, self.len),
            Some(Loaded::ReadBack { words, .. }) => {
                FrozenRecords::read_back(words, offset, self.len)
            }
            None => unreachable!("`Frozen::load` comes before the rows"),
        }
    }
}

/// One key group of a snapshot.
#[derive(Debug)]
pub struct FrozenGroup {
    key_group: u32,
    /// Rows written in these epochs belong to the snapshot.
    wanted: Arc<[EpochRange]>,
    extents: Vec<Extent>,
    /// Living rows per state, at most (rows of a delta are fewer).
    rows: Vec<u64>,
    live_bytes: usize,
    /// What died since the base, by state; only of a store that logs it.
    deaths: Vec<Vec<Arc<Deaths>>>,
}

/// All key groups at the end of an epoch. May be read and dropped on any thread.
#[derive(Debug)]
pub struct Frozen {
    epoch: u32,
    groups: Vec<FrozenGroup>,
    states: Vec<StateInfo>,
    ttl_now: Option<i64>,
    budget: Arc<MemoryBudget>,
}

impl Store {
    /// Ends the epoch and pins what was written in it. `wanted` says per key group which epochs' rows are
    /// wanted; `deaths_since` from which epoch on deaths are; `ttl_now` leaves expired rows out of key groups
    /// that are wanted whole, where their state asks for it.
    ///
    /// Costs a reference count per chunk and state, nothing per row.
    pub fn freeze(
        &mut self,
        wanted: impl Fn(usize) -> Arc<[EpochRange]>,
        deaths_since: u32,
        ttl_now: Option<i64>,
    ) -> Frozen {
        let epoch = self.context.epoch;
        self.end_epoch();
        let kinds: Vec<StateKind> = self.states.iter().map(|state| state.kind).collect();
        let freeze = |(slot, group): (usize, &KeyGroup)| {
            let wanted = wanted(slot);
            let written = group.arena.slots().filter(|(_, chunk)| {
                wanted
                    .iter()
                    .any(|range| range.meets(chunk.min_epoch, chunk.max_epoch))
            });
            FrozenGroup {
                key_group: self.range.first() + slot as u32,
                wanted: Arc::clone(&wanted),
                extents: written
                    .map(|(_, slot)| Extent {
                        home: Arc::clone(&slot.home),
                        left: slot.dead.clone(),
                        len: slot.len,
                        loaded: OnceLock::new(),
                    })
                    .collect(),
                rows: (0..)
                    .zip(&kinds)
                    .map(|(state, kind)| group.live_rows(state, *kind))
                    .collect(),
                live_bytes: group.arena.live(),
                deaths: group
                    .states
                    .iter()
                    .map(|rows| rows.deaths.sealed_since(deaths_since).cloned().collect())
                    .collect(),
            }
        };
        let groups = self.groups.iter().enumerate().map(freeze).collect();
        Frozen {
            epoch,
            groups,
            states: self.states.clone(),
            ttl_now,
            budget: Arc::clone(&self.context.budget),
        }
    }

    /// Begins the next epoch.
    pub(crate) fn end_epoch(&mut self) {
        let Context { budget, epoch, .. } = &mut self.context;
        for rows in self.groups.iter_mut().flat_map(|group| &mut group.states) {
            rows.written = 0;
            rows.deaths.seal(*epoch, budget);
        }
        *epoch += 1;
    }

    /// Deaths are logged from now on, for checkpoints that know where rows lie ([`Frozen::placed_rows`]); such a
    /// store leaves no tombstones. For a store without rows.
    pub fn log_deaths(&mut self) {
        self.context.memory_of_deletions = MemoryOfDeletions::Log;
    }

    /// A later snapshot may be a delta from now on, so deletions are remembered; or it may not.
    pub fn set_deltas_possible(&mut self, possible: bool) {
        self.context.deltas_possible = possible;
        if !possible {
            self.forget_deletions(u32::MAX);
        }
    }

    /// Rows up to `epoch` are in a completed checkpoint; what died up to it is forgotten.
    pub fn advance_base(&mut self, epoch: u32) {
        self.context.base_epoch = self.context.base_epoch.max(epoch);
        self.forget_deletions(epoch);
    }

    fn forget_deletions(&mut self, epoch: u32) {
        for group in &mut self.groups {
            group.arena.forget_tombstones(epoch);
            for rows in &mut group.states {
                rows.deaths.forget(epoch, &self.context.budget);
            }
        }
    }
}

impl Frozen {
    /// The epoch that it shows the end of.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The states at that moment.
    pub fn states(&self) -> &[StateInfo] {
        &self.states
    }

    /// Key groups, ascending.
    pub fn groups(&self) -> &[FrozenGroup] {
        &self.groups
    }

    /// Holds the chunks of a key group and reads back what is in files, before its rows are asked for. What is read
    /// is charged, whatever the budget's limit. Until [`Frozen::release`].
    pub fn load(&self, group: usize) -> Result<()> {
        for extent in &self.groups[group].extents {
            if extent.loaded.get().is_some() {
                continue;
            }
            let loaded = match extent.home.get() {
                Home::Memory(chunk) => Loaded::Memory(chunk),
                Home::Disk(place) => Loaded::ReadBack {
                    words: place.read_all()?,
                    _charge: self.budget.charge_overdraft(place.len()),
                },
            };
            // One thread reads a snapshot: nobody else has set it.
            let _ = extent.loaded.set(loaded);
        }
        Ok(())
    }

    /// Lets go of what [`Frozen::load`] holds.
    pub fn release(&mut self, group: usize) {
        if let Some(group) = self.groups.get_mut(group) {
            for extent in &mut group.extents {
                extent.loaded.take();
            }
        }
    }

    /// Rows of a key group, which is loaded, that belong to the snapshot, those of one kind of record: tombstones, or
    /// living rows. Only rows of `state` if given. `position` is zero or from [`RowCursor::position`].
    pub fn rows(
        &self,
        group: usize,
        tombstones: bool,
        state: Option<u16>,
        position: Position,
    ) -> RowCursor<'_> {
        RowCursor {
            frozen: self,
            group: &self.groups[group],
            tombstones,
            state,
            position,
        }
    }

    fn is_expired(&self, record: Record) -> bool {
        let ttl = self.states[record.state() as usize]
            .ttl
            .filter(|ttl| ttl.filter_full_snapshots);
        match (ttl, self.ttl_now) {
            (Some(ttl), Some(now)) => ttl.expired(record.value(), now),
            _ => false,
        }
    }
}

impl FrozenGroup {
    /// The absolute key group.
    pub fn key_group(&self) -> u32 {
        self.key_group
    }

    /// Whether all rows belong to the snapshot, not only those since a base.
    pub fn is_full(&self) -> bool {
        *self.wanted == [EpochRange::ALL]
    }

    /// What died since the base, of one state. Empty unless the store logs deaths.
    pub fn deaths(&self, state: u16) -> impl Iterator<Item = Death> + '_ {
        let logs = self.deaths.get(state as usize).into_iter().flatten();
        logs.flat_map(|log| log.entries.iter().copied())
    }

    /// Whether rows of an epoch belong to the snapshot.
    #[inline]
    fn wants(&self, epoch: u32) -> bool {
        self.wanted.iter().any(|range| range.contains(epoch))
    }

    /// Rows of a state that lived, whether or not a delta holds them.
    pub fn live_rows(&self, state: u16) -> u64 {
        self.rows.get(state as usize).copied().unwrap_or(0)
    }

    /// Bytes of living records, whether or not a delta holds them.
    pub fn live_bytes(&self) -> usize {
        self.live_bytes
    }
}

/// Where a [`RowCursor`] stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Position {
    extent: usize,
    offset: usize,
}

/// Walks the rows of one frozen key group.
#[derive(Debug)]
pub struct RowCursor<'a> {
    frozen: &'a Frozen,
    group: &'a FrozenGroup,
    tombstones: bool,
    state: Option<u16>,
    position: Position,
}

impl RowCursor<'_> {
    /// Where the next row would be looked for.
    pub fn position(&self) -> Position {
        self.position
    }

    fn belongs(&self, record: Record) -> bool {
        record.has(TOMBSTONE) == self.tombstones
            && self.group.wants(record.write_epoch())
            && record.death().lived_at_end_of(self.frozen.epoch)
            && self.state.is_none_or(|state| state == record.state())
            && !(self.group.is_full() && self.frozen.is_expired(record))
    }
}

impl<'a> Iterator for RowCursor<'a> {
    type Item = FrozenRow<'a>;

    fn next(&mut self) -> Option<FrozenRow<'a>> {
        let group = self.group;
        while let Some(extent) = group.extents.get(self.position.extent) {
            let mut records = extent.records(self.position.offset);
            loop {
                let offset = records.offset();
                let Some(record) = records.next() else { break };
                self.position.offset = records.offset();
                if self.belongs(record) && !extent.left.contains(offset) {
                    return Some(FrozenRow::of(record));
                }
            }
            self.position = Position {
                extent: self.position.extent + 1,
                offset: 0,
            };
        }
        None
    }
}

/// Where a row of a snapshot is found, and what names it for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PlacedEntry {
    state: u16,
    epoch: u32,
    ordinal: u32,
    extent: u32,
    offset: u32,
}

/// The rows of one frozen key group, by state, epoch and ordinal.
#[derive(Debug)]
pub struct PlacedRows {
    group: usize,
    entries: Vec<PlacedEntry>,
    _charge: Charge,
}

impl Frozen {
    /// The rows of a key group, which is loaded, in the order in which a table lists them. Takes 20 bytes a row,
    /// charged whatever the budget's limit.
    pub fn placed_rows(&self, group: usize) -> PlacedRows {
        let frozen = &self.groups[group];
        let mut entries = Vec::new();
        for (extent, piece) in (0..).zip(&frozen.extents) {
            let mut records = piece.records(0);
            loop {
                let offset = records.offset();
                let Some(record) = records.next() else { break };
                if !record.has(TOMBSTONE)
                    && frozen.wants(record.write_epoch())
                    && record.death().lived_at_end_of(self.epoch)
                    && !(frozen.is_full() && self.is_expired(record))
                    && !piece.left.contains(offset)
                {
                    entries.push(PlacedEntry {
                        state: record.state(),
                        epoch: record.write_epoch(),
                        ordinal: record.ordinal(),
                        extent,
                        offset: (offset / ALIGN) as u32,
                    });
                }
            }
        }
        entries.sort_unstable();
        let bytes = entries.capacity() * size_of::<PlacedEntry>();
        PlacedRows {
            group,
            entries,
            _charge: self.budget.charge_overdraft(bytes),
        }
    }
}

impl PlacedRows {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What names the row: state, epoch and ordinal.
    pub fn name(&self, at: usize) -> (u16, u32, u32) {
        let entry = &self.entries[at];
        (entry.state, entry.epoch, entry.ordinal)
    }

    /// The row; `frozen` is what made this list.
    pub fn row<'a>(&self, frozen: &'a Frozen, at: usize) -> FrozenRow<'a> {
        let entry = &self.entries[at];
        let extent = &frozen.groups[self.group].extents[entry.extent as usize];
        let offset = entry.offset as usize * ALIGN;
        let record = extent
            .records(offset)
            .next()
            .expect("the list is of this snapshot");
        FrozenRow::of(record)
    }
}
