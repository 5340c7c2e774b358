//! What a snapshot reads: the chunks as they were when it began, shared with the store.

use crate::arena::FrozenRecords;
use crate::chunk::Chunk;
use crate::key_group::KeyGroup;
use crate::record::{Record, TOMBSTONE};
use crate::state::{StateInfo, StateKind};
use crate::store::Store;
use std::sync::Arc;

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

#[derive(Debug)]
struct Extent {
    chunk: Arc<Chunk>,
    len: usize,
}

/// One key group of a snapshot.
#[derive(Debug)]
pub struct FrozenGroup {
    key_group: u32,
    /// Rows written after this epoch belong to the snapshot; zero: all.
    since: u32,
    extents: Vec<Extent>,
    /// Living rows per state, at most (rows of a delta are fewer).
    rows: Vec<u64>,
    live_bytes: usize,
}

/// All key groups at the end of an epoch. May be read and dropped on any thread.
#[derive(Debug)]
pub struct Frozen {
    epoch: u32,
    groups: Vec<FrozenGroup>,
    states: Vec<StateInfo>,
    ttl_now: Option<i64>,
}

impl Store {
    /// Ends the epoch and pins what was written in it. `since` says per key group after which epoch rows
    /// are wanted (0: all of them); `ttl_now` leaves expired rows out where their state asks for it.
    ///
    /// Costs a reference count per chunk, nothing per row.
    pub fn freeze(&mut self, since: impl Fn(usize) -> u32, ttl_now: Option<i64>) -> Frozen {
        let epoch = self.context.epoch;
        self.context.epoch += 1;
        let kinds: Vec<StateKind> = self.states.iter().map(|state| state.kind).collect();
        let freeze = |(slot, group): (usize, &KeyGroup)| {
            let since = since(slot);
            let written = group
                .arena
                .slots()
                .filter(|(_, chunk)| chunk.max_epoch > since);
            FrozenGroup {
                key_group: self.range.first() + slot as u32,
                since,
                extents: written
                    .map(|(_, slot)| Extent {
                        chunk: Arc::clone(&slot.chunk),
                        len: slot.len,
                    })
                    .collect(),
                rows: (0..)
                    .zip(&kinds)
                    .map(|(state, kind)| group.live_rows(state, *kind))
                    .collect(),
                live_bytes: group.arena.live(),
            }
        };
        let groups = self.groups.iter().enumerate().map(freeze).collect();
        Frozen {
            epoch,
            groups,
            states: self.states.clone(),
            ttl_now,
        }
    }

    /// A later snapshot may be a delta from now on, so deletions leave tombstones; or it may not.
    pub fn set_deltas_possible(&mut self, possible: bool) {
        self.context.deltas_possible = possible;
        if !possible {
            for group in &mut self.groups {
                group.arena.forget_tombstones(u32::MAX);
            }
        }
    }

    /// Rows up to `epoch` are in a completed checkpoint; tombstones up to it are dropped.
    pub fn advance_base(&mut self, epoch: u32) {
        self.context.base_epoch = self.context.base_epoch.max(epoch);
        for group in &mut self.groups {
            group.arena.forget_tombstones(epoch);
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

    /// Rows of a key group that belong to the snapshot, those of one kind of record: tombstones, or
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
        self.since == 0
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
            && record.write_epoch() > self.group.since
            && record.death().lived_at_end_of(self.frozen.epoch)
            && self.state.is_none_or(|state| state == record.state())
            && !(self.group.since == 0 && self.frozen.is_expired(record))
    }
}

impl<'a> Iterator for RowCursor<'a> {
    type Item = FrozenRow<'a>;

    fn next(&mut self) -> Option<FrozenRow<'a>> {
        let group = self.group;
        while let Some(extent) = group.extents.get(self.position.extent) {
            let mut records = FrozenRecords::new(&extent.chunk, self.position.offset, extent.len);
            while let Some(record) = records.next() {
                self.position.offset = records.offset();
                if self.belongs(record) {
                    let place = record.extension();
                    return Some(FrozenRow {
                        state: record.state(),
                        tombstone: self.tombstones,
                        key: record.key(),
                        prefix_len: place.prefix_len,
                        seq: place.seq,
                        value: record.value(),
                    });
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
