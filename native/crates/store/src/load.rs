//! Filling an empty store from checkpoints: rows come per key group, oldest segment first.

use crate::arena::{Funding, Moment};
use crate::compact::Owners;
use crate::key_group::{Context, KeyGroup, Need, Op, hash_of};
use crate::record::{EXTENDED, Extension, FRESH, NewRecord};
use crate::residency::LEAST_BATCH;
use crate::state::{StateInfo, StateKind};
use crate::store::Store;
use crate::timer_heap::TimerHeap;
use sf_core::{Error, Result};
use std::sync::Arc;

/// The epoch that all rows loaded from segments belong to.
pub const LOADED_EPOCH: u32 = 1;

/// A row of a segment.
#[derive(Debug, Clone, Copy)]
pub struct LoadedRow<'a> {
    /// Number of the state in this store.
    pub state: u16,
    /// Deletes the row instead.
    pub tombstone: bool,
    /// `[key][namespace]`, and for maps `[user key]`.
    pub key: &'a [u8],
    /// Length of `[key][namespace]` (maps).
    pub prefix_len: u32,
    /// Place of a list's chunk.
    pub seq: u32,
    /// Value bytes.
    pub value: &'a [u8],
}

/// Loads rows into single key groups. Several may work on one store from several threads at once, each
/// on key groups of its own.
#[derive(Debug)]
pub struct GroupLoader {
    store: *mut Store,
    groups: *mut KeyGroup,
    context: Context,
    states: Vec<StateInfo>,
    /// None: timers are put in order when all is loaded.
    heaps: Vec<Option<TimerHeap>>,
    /// Where records from files are read to.
    buffer: Vec<u64>,
    /// Slots of the key groups that it works on, of a store that spills.
    own: Vec<usize>,
}

// SAFETY: it touches only the key groups it is told to; the caller of `new` keeps those apart.
unsafe impl Send for GroupLoader {}

impl GroupLoader {
    /// # Safety
    /// Until the loader is dropped the store stays where it is and is used through loaders only, and no
    /// two loaders work on one key group.
    pub unsafe fn new(store: *mut Store) -> Self {
        // SAFETY: the caller gives a living store; these fields are not changed while loaders exist.
        let (context, states, groups) = unsafe {
            (
                &(*store).context,
                (*store).states.clone(),
                (&raw mut (*store).groups),
            )
        };
        let context = Context {
            budget: Arc::clone(&context.budget),
            epoch: LOADED_EPOCH,
            base_epoch: 0,
            deltas_possible: false,
            spill: context.spill.clone(),
            memory_of_deletions: context.memory_of_deletions,
        };
        // SAFETY: as above; only the address of the first key group is taken.
        let groups = unsafe { (*groups).as_mut_ptr() };
        Self {
            store,
            groups,
            context,
            heaps: states.iter().map(|_| None).collect(),
            buffer: Vec::new(),
            own: Vec::new(),
            states,
        }
    }

    /// The kind of a state.
    pub fn kind(&self, state: u16) -> Result<StateKind> {
        let info = self.states.get(state as usize);
        let info = info.ok_or_else(|| Error::corrupt(format!("a row of state number {state}")))?;
        Ok(info.kind)
    }

    fn slot(&self, key_group: u32) -> Result<usize> {
        // SAFETY: the range is never changed.
        let range = unsafe { (*self.store).range };
        range.slot(key_group as i32).ok_or_else(|| {
            Error::user(format!(
                "key group {key_group} is not in this store's range"
            ))
        })
    }

    /// Loads one row of a table, under its epoch and ordinal. No other row has its key.
    pub fn load_placed(
        &mut self,
        key_group: u32,
        row: LoadedRow<'_>,
        epoch: u32,
        ordinal: u32,
    ) -> Result<()> {
        self.context.epoch = epoch;
        let slot = self.slot(key_group)?;
        let state = row.state as usize;
        let known = self.states.get(state).map(|info| info.kind);
        // SAFETY: the slot is in bounds and this loader is the only one that works on it.
        let group = unsafe { &mut *self.groups.add(slot) };
        let before = group.states.get_mut(state).map_or(0, |rows| {
            rows.written = ordinal;
            rows.table.len()
        });
        self.load(key_group, row)?;
        // SAFETY: as above.
        let group = unsafe { &*self.groups.add(slot) };
        if known != Some(StateKind::List) && group.states[state].table.len() == before {
            return Err(Error::corrupt(format!(
                "a key of state '{}' is in the table twice",
                self.states[state].name
            )));
        }
        Ok(())
    }

    /// Frees memory of another key group of this loader, in turn; what an operation in one needs stays.
    fn spill_own(&mut self, slot: usize, begun: Moment) -> Result<bool> {
        let Self {
            context,
            states,
            heaps,
            groups,
            own,
            ..
        } = self;
        let Some(area) = context.spill.clone() else {
            return Ok(false);
        };
        let owners = &mut Owners { states, heaps };
        for _ in 0..own.len() {
            own.rotate_left(1);
            // SAFETY: as for `load`: this loader loaded rows into the key group.
            let group = unsafe { &mut *groups.add(own[0]) };
            let begun = (own[0] == slot).then_some(begun);
            if group.spill(context, owners, &area, LEAST_BATCH, begun)? > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The memory that is used is another loader's, which gives it back as soon as it needs more.
    fn overdraw(&mut self, slot: usize, state: u16, need: Need) -> Result<bool> {
        let Self {
            context,
            states,
            heaps,
            groups,
            buffer,
            ..
        } = self;
        if context.spill.is_none() {
            return Ok(false);
        }
        let owners = &mut Owners { states, heaps };
        // SAFETY: as for `load`.
        let group = unsafe { &mut *groups.add(slot) };
        group.try_to(
            context,
            owners,
            state,
            need,
            buffer,
            Funding::SmallOverdraft,
        )
    }

    /// Loads one row.
    pub fn load(&mut self, key_group: u32, row: LoadedRow<'_>) -> Result<()> {
        let Some(info) = self.states.get(row.state as usize) else {
            return Err(Error::corrupt(format!(
                "a row of state number {}",
                row.state
            )));
        };
        let kind = info.kind;
        if row.prefix_len as usize > row.key.len() {
            return Err(Error::corrupt("a row's prefix is longer than its key"));
        }
        let slot = self.slot(key_group)?;
        if self.context.spill.is_some() && self.own.last() != Some(&slot) {
            self.own.retain(|own| *own != slot);
            self.own.push(slot);
        }
        let mut begun = None;
        loop {
            // SAFETY: the slot is in bounds and this loader is the only one that works on it.
            let group = unsafe { &mut *self.groups.add(slot) };
            let Err(need) = group.load(&self.context, kind, row) else {
                return Ok(());
            };
            let Self {
                context,
                states,
                heaps,
                buffer,
                ..
            } = self;
            let owners = &mut Owners { states, heaps };
            let begun = *begun.get_or_insert_with(|| group.arena.moment());
            if !group.provide(context, owners, row.state, need, buffer, begun)?
                && !self.spill_own(slot, begun)?
                && !self.overdraw(slot, row.state, need)?
            {
                break;
            }
        }
        let budget = &self.context.budget;
        let (used, limit) = (budget.used(), budget.limit());
        Err(Error::memory(format!(
            "state '{}' does not fit when it is restored: {used} of the {limit} bytes of the slot's \
             memory budget are in use",
            self.states[row.state as usize].name
        )))
    }
}

impl Store {
    /// Goes on with an epoch after those of a restored table.
    pub fn begin_epoch_after(&mut self, restored: u32) {
        self.begin_epoch(restored + 1);
    }

    fn begin_epoch(&mut self, epoch: u32) {
        self.end_epoch();
        self.context.epoch = self.context.epoch.max(epoch);
    }

    /// Ends loading: puts timers in order and begins a new epoch.
    pub fn finish_loading(&mut self) -> Result<()> {
        // Growth may move timers of any state: their records know no places in heaps before all of a state are in its heap.
        let heaps: Vec<_> = self.heaps.iter_mut().map(Option::take).collect();
        for (state, heap) in heaps.into_iter().enumerate() {
            let Some(mut heap) = heap else {
                continue;
            };
            let timers: usize = self
                .groups
                .iter()
                .map(|group| group.states[state].table.len())
                .sum();
            heap.clear();
            while heap.room() < timers {
                let charge = self.charge_heap(state as u16, heap.growth_bytes())?;
                heap.grow(charge);
            }
            for (slot, group) in self.groups.iter().enumerate() {
                group.timers_into_heap(&mut heap, state as u16, slot);
            }
            self.heaps[state] = Some(heap);
        }
        let loaded = self.groups.iter().map(|group| group.arena.last_epoch());
        let loaded = loaded.max().unwrap_or(0).max(LOADED_EPOCH);
        self.begin_epoch(loaded + 1);
        Ok(())
    }
}

impl KeyGroup {
    fn load(&mut self, context: &Context, kind: StateKind, row: LoadedRow<'_>) -> Op<()> {
        let LoadedRow {
            state,
            tombstone,
            key,
            value,
            ..
        } = row;
        match (kind, tombstone) {
            (StateKind::Value, false) => self.value_put(context, state, hash_of(key), key, value),
            (StateKind::Value, true) => self
                .value_remove(context, state, hash_of(key), key)
                .map(drop),
            (StateKind::Map, false) => self.map_put(
                context,
                state,
                hash_of(key),
                key,
                row.prefix_len as usize,
                value,
            ),
            (StateKind::Map, true) => self.map_remove(context, state, hash_of(key), key).map(drop),
            (StateKind::List, false) => self.load_chunk(context, row),
            (StateKind::List, true) => {
                if let Some(number) = self.list_of(state, hash_of(key), key)?
                    && let Some(chunk) =
                        self.states[state as usize].lists[number as usize].get(row.seq)
                {
                    let place = self.resident(chunk)?.extension();
                    self.bury(context, chunk)?;
                    self.leave_list(state, place);
                }
                Ok(())
            }
            (StateKind::Timer, false) => self.load_timer(context, state, key),
            (StateKind::Timer, true) => {
                if let Some(bucket) = self.find(state, hash_of(key), key)? {
                    let (reference, _) = self.row(state, bucket);
                    self.bury(context, reference)?;
                    self.states[state as usize].table.remove(bucket);
                }
                Ok(())
            }
        }
    }

    fn load_timer(&mut self, context: &Context, state: u16, element: &[u8]) -> Op<()> {
        let hash = hash_of(element);
        if self.find(state, hash, element)?.is_some() {
            return Ok(());
        }
        if !self.states[state as usize].table.has_room() {
            return Err(Need::Table);
        }
        let new = NewRecord {
            state,
            ordinal: self.next_ordinal(state),
            flags: FRESH | EXTENDED,
            extension: Some(Extension::default()),
            key: element,
            value: &[],
            capacity: 0,
        };
        let reference = self.append(context, &new)?;
        self.states[state as usize].table.insert(hash, reference);
        Ok(())
    }

    fn load_chunk(&mut self, context: &Context, row: LoadedRow<'_>) -> Op<()> {
        let LoadedRow {
            state,
            key: prefix,
            seq,
            value,
            ..
        } = row;
        let prefix_hash = hash_of(prefix);
        let known = self.list_of(state, prefix_hash, prefix)?;
        let rows = &mut self.states[state as usize];
        if let Some(number) = known {
            if let Some(old) = rows.lists[number as usize].get(seq) {
                self.resident(old)?;
                if let Some(moved) = self.rewrite(context, old, value)? {
                    self.states[state as usize].lists[number as usize].set(seq, moved);
                }
                return Ok(());
            }
            if !rows.lists[number as usize].has_room() {
                return Err(Need::Members(number));
            }
        } else if !rows.prefixes.has_room() {
            return Err(Need::Prefixes);
        } else if !rows.has_list_room() {
            return Err(Need::Lists);
        }
        let prefix_len = prefix.len() as u32;
        let mut new = NewRecord {
            state,
            ordinal: rows.written,
            flags: FRESH,
            extension: Some(Extension {
                prefix_len,
                seq,
                ..Extension::default()
            }),
            key: prefix,
            value,
            capacity: value.len(),
        };
        self.room_for(&new)?;
        let rows = &mut self.states[state as usize];
        let owner = known.unwrap_or_else(|| rows.open_list(prefix_hash));
        new.extension = Some(Extension {
            prefix_len,
            owner,
            seq,
        });
        let reference = self.append_now(context, &new);
        self.states[state as usize].lists[owner as usize].insert(seq, reference);
        Ok(())
    }
}
