//! Everything that the store holds for one key group, and how it grows.

use crate::arena::{Arena, Funding, charge_for_rows};
use crate::deaths::DeathLog;
use crate::members::{FIRST_HEAP_BYTES, MemberList};
use crate::record::{EXTENDED, Extension, FRESH, NewRecord, Record, TOMBSTONE};
use crate::spill::SpillArea;
use crate::table::{Ref, Table};
use sf_core::{Charge, MemoryBudget};
use std::hash::BuildHasher;
use std::sync::Arc;

/// What all operations of a store share.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) budget: Arc<MemoryBudget>,
    /// Epoch that is being written; starts at 1, grows with each snapshot.
    pub(crate) epoch: u32,
    /// Epoch of the last completed incremental checkpoint, 0 without one.
    pub(crate) base_epoch: u32,
    /// Whether a later checkpoint may be a delta, so that deletions must be remembered.
    pub(crate) deltas_possible: bool,
    /// Where rows go that do not fit the budget.
    pub(crate) spill: Option<Arc<SpillArea>>,
    /// How deletions are remembered.
    pub(crate) memory_of_deletions: MemoryOfDeletions,
}

/// How a later delta learns what died.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryOfDeletions {
    /// A record says which key was deleted; a newer row replaces an older one by itself.
    Tombstones,
    /// A log says which records died, of those that an earlier epoch wrote.
    Log,
}

/// What an operation lacks; nothing was changed. [`KeyGroup::satisfy`] provides it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Room in the arena for a record of that many bytes.
    Room(usize),
    /// The same for a tombstone, which must not fail: removing is how users make room.
    Tombstone(usize),
    /// Growth of the table of rows.
    Table,
    /// Growth of the table of prefixes.
    Prefixes,
    /// Growth of the array of member lists.
    Lists,
    /// Growth of one member list.
    Members(u32),
    /// A record in memory that is in a file.
    Resident(Ref),
    /// Growth of the log of deaths, which must not fail: removing is how users make room.
    Deaths,
    /// A new epoch, since the ordinals of this one are used up.
    Epoch,
    /// Growth of the timer heap (the store's, not the key group's).
    Timers,
    /// More rows to delete than a bounded call may.
    Shorten(u32),
}

/// Bytes charged for each place in the array of member lists.
pub(crate) const LIST_BYTES: usize = size_of::<MemberList>() + size_of::<u32>() + FIRST_HEAP_BYTES;

/// Result of an operation that never waits and never allocates.
pub(crate) type Op<T> = std::result::Result<T, Need>;

const HASHER: foldhash::fast::FixedState = foldhash::fast::FixedState::with_seed(0x5f3d_17a9);

/// The hash of key bytes. Fixed for all processes: nothing that is stored depends on it.
#[inline]
pub(crate) fn hash_of(key: &[u8]) -> u32 {
    (HASHER.hash_one(key) >> 32) as u32
}

/// Rows of one state in one key group.
#[derive(Debug)]
pub(crate) struct StateRows {
    /// Row by its whole key (value, map, timer).
    pub(crate) table: Table,
    /// Member list number + 1 by `[key][namespace]` (map, list).
    pub(crate) prefixes: Table,
    pub(crate) lists: Vec<MemberList>,
    pub(crate) free_lists: Vec<u32>,
    /// Records written in this epoch: the next one's ordinal.
    pub(crate) written: u32,
    pub(crate) deaths: DeathLog,
    /// For `lists`, the first heap allocation of each place in it, and what open ones have grown by.
    list_charge: Charge,
}

impl StateRows {
    fn new(budget: &Arc<MemoryBudget>) -> Self {
        Self {
            table: Table::new(budget),
            prefixes: Table::new(budget),
            lists: Vec::new(),
            free_lists: Vec::new(),
            written: 0,
            deaths: DeathLog::new(budget),
            list_charge: Charge::none(budget),
        }
    }

    pub(crate) fn charged(&self) -> i64 {
        self.table.charged()
            + self.prefixes.charged()
            + self.list_charge.bytes()
            + self.deaths.charged()
    }

    #[inline]
    pub(crate) fn has_list_room(&self) -> bool {
        !self.free_lists.is_empty() || self.lists.len() < self.lists.capacity()
    }

    /// Opens the member list of a new prefix; there must be room.
    pub(crate) fn open_list(&mut self, prefix_hash: u32) -> u32 {
        let list = MemberList::new(prefix_hash);
        debug_assert_eq!(list.heap_bytes(), FIRST_HEAP_BYTES);
        let number = match self.free_lists.pop() {
            Some(number) => {
                self.lists[number as usize] = list;
                number
            }
            None => {
                self.lists.push(list);
                self.lists.len() as u32 - 1
            }
        };
        self.prefixes.insert(prefix_hash, number + 1);
        number
    }

    /// Drops a member list that has no member left.
    pub(crate) fn close_list(&mut self, number: u32) {
        let list = std::mem::take(&mut self.lists[number as usize]);
        let grown = list.heap_bytes() - FIRST_HEAP_BYTES;
        self.list_charge
            .shrink_to(self.list_charge.bytes() as usize - grown);
        if let Some(bucket) = self
            .prefixes
            .find(list.prefix_hash, |found| found == number + 1)
        {
            self.prefixes.remove(bucket);
        }
        self.free_lists.push(number);
    }
}

/// Records of a key group and the tables of its states.
#[derive(Debug)]
pub(crate) struct KeyGroup {
    pub(crate) arena: Arena,
    pub(crate) states: Vec<StateRows>,
}

impl KeyGroup {
    pub(crate) fn new(budget: &Arc<MemoryBudget>, usual_chunk: usize) -> Self {
        Self {
            arena: Arena::new(budget, usual_chunk),
            states: Vec::new(),
        }
    }

    pub(crate) fn add_state(&mut self, budget: &Arc<MemoryBudget>) {
        self.states.push(StateRows::new(budget));
    }

    /// Bytes of the budget that this key group holds (pinned chunks of snapshots not counted).
    pub(crate) fn charged(&self) -> usize {
        self.arena.allocated()
            + self
                .states
                .iter()
                .map(|rows| rows.charged() as usize)
                .sum::<usize>()
    }

    /// The member list of a prefix.
    #[inline]
    pub(crate) fn list_of(&self, state: u16, prefix_hash: u32, prefix: &[u8]) -> Op<Option<u32>> {
        let rows = &self.states[state as usize];
        let mut spilled = None;
        let bucket = rows.prefixes.find(prefix_hash, |number| {
            let list = &rows.lists[number as usize - 1];
            list.first().is_some_and(|reference| {
                if !self.arena.is_resident(reference) {
                    spilled = Some(reference);
                    return true;
                }
                let record = self.arena.record(reference);
                record.key().get(..record.extension().prefix_len as usize) == Some(prefix)
            })
        });
        if let Some(reference) = spilled {
            return Err(Need::Resident(reference));
        }
        Ok(bucket
            .and_then(|bucket| rows.prefixes.at(bucket))
            .map(|number| number - 1))
    }

    /// The record of a member, if it is in memory.
    #[inline]
    pub(crate) fn resident(&self, reference: Ref) -> Op<Record> {
        match self.arena.is_resident(reference) {
            true => Ok(self.arena.record(reference)),
            false => Err(Need::Resident(reference)),
        }
    }

    /// The bucket of a row by its whole key.
    #[inline]
    pub(crate) fn find(&self, state: u16, hash: u32, key: &[u8]) -> Op<Option<usize>> {
        let arena = &self.arena;
        let mut spilled = None;
        let bucket = self.states[state as usize].table.find(hash, |reference| {
            if !arena.is_resident(reference) {
                spilled = Some(reference);
                return true;
            }
            arena.record(reference).key() == key
        });
        match spilled {
            // Whether it is the row of this key can be said only when it is back.
            Some(reference) => Err(Need::Resident(reference)),
            None => Ok(bucket),
        }
    }

    /// The row in a bucket that [`KeyGroup::find`] gave.
    #[inline]
    pub(crate) fn row(&self, state: u16, bucket: usize) -> (Ref, Record) {
        let reference = self.states[state as usize]
            .table
            .at(bucket)
            .expect("bucket was found");
        (reference, self.arena.record(reference))
    }

    /// Gives a living row a new value: in place when it was written in this epoch and fits, else as a new
    /// record, whose reference is returned for the tables.
    #[inline]
    pub(crate) fn rewrite(&mut self, context: &Context, old: Ref, value: &[u8]) -> Op<Option<Ref>> {
        let record = self.arena.record(old);
        if record.write_epoch() == context.epoch && value.len() <= record.capacity() {
            // SAFETY: written in this epoch, so no snapshot sees it; the length was checked.
            unsafe { record.set_value(value) };
            return Ok(None);
        }
        self.replace(context, old, value, value.len()).map(Some)
    }

    /// Appends a new version of a row and marks the old one dead.
    pub(crate) fn replace(
        &mut self,
        context: &Context,
        old: Ref,
        value: &[u8],
        capacity: usize,
    ) -> Op<Ref> {
        let record = self.arena.record(old);
        let state = record.state();
        let same_epoch = record.write_epoch() == context.epoch;
        let logged = self.room_for_death(context, record)?;
        let new = NewRecord {
            state,
            ordinal: match same_epoch {
                true => record.ordinal(),
                false => self.next_ordinal(state),
            },
            flags: freshness(context, record),
            extension: record.has(EXTENDED).then(|| record.extension()),
            key: record.key(),
            value,
            capacity,
        };
        let reference = self.append(context, &new)?;
        if logged {
            self.states[state as usize].deaths.log(record);
        }
        self.arena.kill(old, context.epoch);
        Ok(reference)
    }

    /// Appends a record if there is room.
    #[inline]
    pub(crate) fn append(&mut self, context: &Context, new: &NewRecord<'_>) -> Op<Ref> {
        self.room_for(new)?;
        Ok(self.append_now(context, new))
    }

    /// Whether a record can be appended.
    #[inline]
    pub(crate) fn room_for(&self, new: &NewRecord<'_>) -> Op<()> {
        if !self.arena.has_room(new.size()) {
            return Err(Need::Room(new.size()));
        }
        match new.ordinal {
            u32::MAX => Err(Need::Epoch),
            _ => Ok(()),
        }
    }

    /// Appends a record; [`KeyGroup::room_for`] was asked before.
    #[inline]
    pub(crate) fn append_now(&mut self, context: &Context, new: &NewRecord<'_>) -> Ref {
        let rows = &mut self.states[new.state as usize];
        rows.written = rows.written.max(new.ordinal + 1);
        self.arena.append(context.epoch, new)
    }

    /// The ordinal of the next record of a state.
    #[inline]
    pub(crate) fn next_ordinal(&self, state: u16) -> u32 {
        self.states[state as usize].written
    }

    /// Whether a death must be logged; there is room for it then.
    #[inline]
    fn room_for_death(&self, context: &Context, record: Record) -> Op<bool> {
        let logged = context.memory_of_deletions == MemoryOfDeletions::Log
            && context.deltas_possible
            && record.write_epoch() < context.epoch;
        match logged && !self.states[record.state() as usize].deaths.has_room() {
            true => Err(Need::Deaths),
            false => Ok(logged),
        }
    }

    /// Marks a row dead and, where a checkpoint may hold it, leaves a tombstone or a line in the log.
    pub(crate) fn bury(&mut self, context: &Context, reference: Ref) -> Op<()> {
        let record = self.arena.record(reference);
        let tombstones = context.memory_of_deletions == MemoryOfDeletions::Tombstones;
        if self.room_for_death(context, record)? {
            self.states[record.state() as usize].deaths.log(record);
        } else if tombstones && context.deltas_possible && freshness(context, record) == 0 {
            let state = record.state();
            let tombstone = NewRecord {
                state,
                ordinal: self.next_ordinal(state),
                flags: TOMBSTONE,
                extension: record.has(EXTENDED).then(|| record.extension()),
                key: record.key(),
                value: &[],
                capacity: 0,
            };
            let size = tombstone.size();
            self.append(context, &tombstone)
                .map_err(|need| match need {
                    Need::Room(_) => Need::Tombstone(size),
                    other => other,
                })?;
        }
        self.arena.kill(reference, context.epoch);
        Ok(())
    }

    /// Takes a member out of its list, and the list out of the table when it was the last.
    pub(crate) fn leave_list(&mut self, state: u16, place: Extension) {
        let rows = &mut self.states[state as usize];
        let list = &mut rows.lists[place.owner as usize];
        list.remove(place.seq);
        if list.live() == 0 {
            rows.close_list(place.owner);
        }
    }

    /// Provides what an operation lacked. `false`: the budget does not allow it.
    pub(crate) fn satisfy(
        &mut self,
        context: &Context,
        state: u16,
        need: Need,
        funding: Funding,
    ) -> bool {
        let take = |bytes| match funding {
            Funding::SmallOverdraft => Some(context.budget.charge_overdraft(bytes)),
            _ => charge_for_rows(&context.budget, bytes),
        };
        let rows = &mut self.states[state as usize];
        match need {
            Need::Room(size) | Need::Tombstone(size) => {
                return self.arena.make_room(size, funding);
            }
            Need::Table | Need::Prefixes => {
                let table = if need == Need::Table {
                    &mut rows.table
                } else {
                    &mut rows.prefixes
                };
                return take(table.growth_bytes()).is_some_and(|charge| table.grow(charge));
            }
            Need::Lists => {
                let more = rows.lists.capacity().max(4);
                match take(more * LIST_BYTES) {
                    Some(charge) => rows.list_charge.absorb(charge),
                    None => return false,
                }
                rows.lists.reserve_exact(more);
                rows.free_lists
                    .reserve_exact(rows.lists.capacity() - rows.free_lists.len());
            }
            Need::Members(number) => {
                let list = &mut rows.lists[number as usize];
                let arena = &self.arena;
                let all_resident = || {
                    list.from(0)
                        .all(|(_, reference)| arena.is_resident(reference))
                };
                if list.next_seq() == u32::MAX && !all_resident() {
                    // New numbers would have to be written to records in files.
                    return false;
                }
                let before = list.heap_bytes();
                match take(list.grown_bytes() - before) {
                    Some(charge) => rows.list_charge.absorb(charge),
                    None => return false,
                }
                let planned = list.grown_bytes();
                list.grow(|reference, seq| {
                    if reference != 0 {
                        arena.record(reference).set_place(number, seq);
                    }
                });
                let surplus = planned.saturating_sub(list.heap_bytes());
                rows.list_charge
                    .shrink_to(rows.list_charge.bytes() as usize - surplus);
            }
            Need::Deaths => rows.deaths.grow(&context.budget),
            Need::Timers | Need::Shorten(_) | Need::Epoch | Need::Resident(_) => {
                unreachable!("the store provides these")
            }
        }
        true
    }
}

/// FRESH when no checkpoint can hold the record's key, else zero.
#[inline]
fn freshness(context: &Context, record: Record) -> u8 {
    if record.has(FRESH) && record.write_epoch() == context.epoch {
        FRESH
    } else {
        0
    }
}
