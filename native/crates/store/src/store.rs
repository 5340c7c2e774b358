//! The store of one backend and its row door.

use crate::arena::Moment;
use crate::key_group::{Context, KeyGroup, MemoryOfDeletions, Need, Op, hash_of};
use crate::list_rows::{join, length_of};
use crate::maintain::Sweeper;
use crate::record::Record;
use crate::state::{StateInfo, StateKind, Ttl};
use crate::timer_heap::TimerHeap;
use crate::timer_rows::TimerChange;
use sf_core::{Error, KeyGroupRange, MemoryBudget, Result};
use std::sync::Arc;

/// Answer of a bounded call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door<T> {
    /// It was done.
    Done(T),
    /// Nothing (or, for clears, only a part) was done: call [`Store::reserve`], then repeat.
    NeedsReserve,
}

/// Bytes of a record, at least.
const LEAST_RECORD: u64 = 32;

/// What a state may be numbered up to.
const MAX_STATES: usize = u16::MAX as usize;

/// Keyed state of one backend: all states, the key groups of a range.
///
/// One task thread owns it. Methods that answer with [`Door`] do bounded work without a lock: they allocate
/// nothing but the few bytes of a new member list, and return nothing large but such a list's. Keys are `[key][namespace]`, for maps `[key][namespace][user key]`.
#[derive(Debug)]
pub struct Store {
    pub(crate) context: Context,
    pub(crate) range: KeyGroupRange,
    pub(crate) states: Vec<StateInfo>,
    pub(crate) groups: Vec<KeyGroup>,
    pub(crate) heaps: Vec<Option<TimerHeap>>,
    pub(crate) sweeper: Sweeper,
    /// Where records from files are read to.
    pub(crate) buffer: Vec<u64>,
    /// Records that one operation asked for from files; nothing that fits in memory needs many.
    faults: u64,
    /// The key group of an operation that asked for records from files, and when it began.
    pub(crate) under_way: Option<(usize, Moment)>,
    pending: Option<(u16, usize, Need)>,
}

impl Store {
    /// An empty store. `chunk_bytes` is the usual size of a chunk, between 4 KiB and 256 KiB; 0: the
    /// greatest of which the newest chunks of all key groups take a small share of the budget.
    pub fn new(
        budget: Arc<MemoryBudget>,
        range: KeyGroupRange,
        chunk_bytes: usize,
    ) -> Result<Self> {
        let greatest = crate::arena::MAX_CHUNK;
        let usual_chunk = match chunk_bytes {
            0 => {
                let share = usize::try_from(budget.limit()).unwrap_or(0) / (range.count() * 16);
                share.clamp(16 * 1024, greatest) / 4096 * 4096
            }
            _ if (4096..=greatest).contains(&chunk_bytes) => chunk_bytes / 8 * 8,
            other => {
                return Err(Error::user(format!(
                    "a chunk of {other} bytes is not in [4096, {greatest}]"
                )));
            }
        };
        let groups = (0..range.count())
            .map(|_| KeyGroup::new(&budget, usual_chunk))
            .collect();
        let context = Context {
            budget,
            epoch: 1,
            base_epoch: 0,
            deltas_possible: false,
            spill: None,
            memory_of_deletions: MemoryOfDeletions::Tombstones,
        };
        Ok(Self {
            context,
            range,
            states: Vec::new(),
            groups,
            heaps: Vec::new(),
            sweeper: Sweeper::default(),
            buffer: Vec::new(),
            faults: 0,
            under_way: None,
            pending: None,
        })
    }

    /// The key groups of this store.
    pub fn range(&self) -> KeyGroupRange {
        self.range
    }

    /// The states, by number.
    pub fn states(&self) -> &[StateInfo] {
        &self.states
    }

    /// What its memory is charged to.
    pub fn budget(&self) -> &Arc<MemoryBudget> {
        &self.context.budget
    }

    /// The epoch that is being written.
    pub fn epoch(&self) -> u32 {
        self.context.epoch
    }

    /// The number of the state with this name, which is created unless it is there. A wanted number must
    /// be free or this state's.
    pub fn register(&mut self, name: &str, kind: StateKind, want: Option<usize>) -> Result<usize> {
        if let Some(number) = self.states.iter().position(|state| state.name == name) {
            let known = self.states[number].kind;
            if known != kind || want.is_some_and(|want| want != number) {
                return Err(Error::user(format!(
                    "state '{name}' is number {number} of kind {known:?} already"
                )));
            }
            return Ok(number);
        }
        let number = self.states.len();
        if number >= MAX_STATES || want.is_some_and(|want| want != number) {
            return Err(Error::user(format!(
                "state '{name}' cannot be number {want:?}, the next free one is {number}"
            )));
        }
        self.states.push(StateInfo {
            name: name.to_owned(),
            kind,
            ttl: None,
        });
        let heap = (kind == StateKind::Timer).then(|| TimerHeap::new(&self.context.budget));
        self.heaps.push(heap);
        for group in &mut self.groups {
            group.add_state(&self.context.budget);
        }
        Ok(number)
    }

    /// Sets or removes the time to live of a state.
    pub fn set_ttl(&mut self, state: i32, ttl: Option<Ttl>) -> Result<()> {
        let number = self.state_number(state)?;
        let expires = Self::expires(self.states[number as usize].kind);
        self.states[number as usize].ttl = ttl.filter(|ttl| expires && ttl.millis > 0);
        Ok(())
    }

    fn state_number(&self, state: i32) -> Result<u16> {
        match self.states.get(state as usize) {
            Some(_) => Ok(state as u16),
            None => Err(Error::user(format!("there is no state number {state}"))),
        }
    }

    /// Checks state, kind and key group; gives number and slot.
    #[inline]
    pub(crate) fn locate(
        &self,
        state: i32,
        kind: StateKind,
        key_group: i32,
    ) -> Result<(u16, usize)> {
        match (self.states.get(state as usize), self.range.slot(key_group)) {
            (Some(info), Some(slot)) if info.kind == kind => Ok((state as u16, slot)),
            _ => Err(self.misplaced(state, kind, key_group)),
        }
    }

    #[cold]
    fn misplaced(&self, state: i32, kind: StateKind, key_group: i32) -> Error {
        match self.states.get(state as usize) {
            None => Error::user(format!("there is no state number {state}")),
            Some(info) if info.kind != kind => Error::user(format!(
                "state '{}' is of kind {:?}, it was used as {kind:?}",
                info.name, info.kind
            )),
            Some(info) => Error::user(format!(
                "state '{}': key group {key_group} is not in [{}, {}]",
                info.name,
                self.range.first(),
                self.range.last()
            )),
        }
    }

    #[inline]
    pub(crate) fn door<T>(&mut self, state: u16, slot: usize, answer: Op<T>) -> Result<Door<T>> {
        match answer {
            Ok(done) => {
                self.faults = 0;
                Ok(Door::Done(done))
            }
            Err(need) => {
                self.pending = Some((state, slot, need));
                Ok(Door::NeedsReserve)
            }
        }
    }

    /// Provides what the last bounded call lacked; may allocate, compact and take long.
    pub fn reserve(&mut self) -> Result<()> {
        match self.pending.take() {
            Some((state, slot, need)) => self.provide(state, slot, need),
            None => Ok(()),
        }
    }

    /// Counts a record that an operation asks for. An operation that needs more of them at once than fit in memory
    /// would ask forever.
    pub(crate) fn count_fault(&mut self, state: u16, slot: usize) -> Result<()> {
        self.faults += 1;
        if self.faults == 1 || self.under_way.is_none_or(|(at, _)| at != slot) {
            self.under_way = Some((slot, self.groups[slot].arena.moment()));
        }
        let limit = self.context.budget.limit();
        match self.faults > limit.unsigned_abs() / LEAST_RECORD + 1 {
            true => Err(Error::memory(format!(
                "state '{}': the rows of one key do not fit the {limit} bytes of the slot's memory budget",
                self.states[state as usize].name
            ))),
            false => Ok(()),
        }
    }

    /// Repeats an operation until it has all it needs. Not for the critical path.
    pub(crate) fn insist<T>(
        &mut self,
        state: u16,
        slot: usize,
        mut operation: impl FnMut(&mut KeyGroup, &Context, &mut [Option<TimerHeap>]) -> Op<T>,
    ) -> Result<T> {
        loop {
            match operation(&mut self.groups[slot], &self.context, &mut self.heaps) {
                Ok(done) => {
                    self.faults = 0;
                    return Ok(done);
                }
                Err(need) => self.provide(state, slot, need)?,
            }
        }
    }

    /// The row of a value state.
    #[inline]
    pub fn value_get(
        &mut self,
        state: i32,
        key_group: i32,
        key: &[u8],
    ) -> Result<Door<Option<&[u8]>>> {
        let (state, slot) = self.locate(state, StateKind::Value, key_group)?;
        let answer = self.groups[slot].value_get(state, hash_of(key), key);
        let answer = answer.map(|found| found.map(Record::value));
        self.door(state, slot, answer)
    }

    /// Inserts or replaces a row of a value state.
    #[inline]
    pub fn value_put(
        &mut self,
        state: i32,
        key_group: i32,
        key: &[u8],
        value: &[u8],
    ) -> Result<Door<()>> {
        let (state, slot) = self.locate(state, StateKind::Value, key_group)?;
        let answer = self.groups[slot].value_put(&self.context, state, hash_of(key), key, value);
        self.door(state, slot, answer)
    }

    /// Removes a row of a value state; says whether there was one.
    #[inline]
    pub fn value_remove(&mut self, state: i32, key_group: i32, key: &[u8]) -> Result<Door<bool>> {
        let (state, slot) = self.locate(state, StateKind::Value, key_group)?;
        let answer = self.groups[slot].value_remove(&self.context, state, hash_of(key), key);
        self.door(state, slot, answer)
    }

    /// An entry of a map.
    #[inline]
    pub fn map_get(
        &mut self,
        state: i32,
        key_group: i32,
        key: &[u8],
    ) -> Result<Door<Option<&[u8]>>> {
        let (state, slot) = self.locate(state, StateKind::Map, key_group)?;
        let answer = self.groups[slot].value_get(state, hash_of(key), key);
        let answer = answer.map(|found| found.map(Record::value));
        self.door(state, slot, answer)
    }

    /// Inserts or replaces an entry of a map; `prefix_len` is the length of `[key][namespace]`.
    #[inline]
    pub fn map_put(
        &mut self,
        state: i32,
        key_group: i32,
        key: &[u8],
        prefix_len: usize,
        value: &[u8],
    ) -> Result<Door<()>> {
        let (state, slot) = self.locate(state, StateKind::Map, key_group)?;
        let (hash, group) = (hash_of(key), &mut self.groups[slot]);
        let answer = group.map_put(&self.context, state, hash, key, prefix_len, value);
        self.door(state, slot, answer)
    }

    /// Removes an entry of a map; says whether it was there.
    #[inline]
    pub fn map_remove(&mut self, state: i32, key_group: i32, key: &[u8]) -> Result<Door<bool>> {
        let (state, slot) = self.locate(state, StateKind::Map, key_group)?;
        let answer = self.groups[slot].map_remove(&self.context, state, hash_of(key), key);
        self.door(state, slot, answer)
    }

    /// Entries of a map.
    pub fn map_size(&mut self, state: i32, key_group: i32, prefix: &[u8]) -> Result<Door<u32>> {
        let (state, slot) = self.locate(state, StateKind::Map, key_group)?;
        let answer = self.groups[slot].map_size(state, prefix);
        self.door(state, slot, answer)
    }

    /// Removes up to 1024 entries of a map; returns how many are left.
    pub fn map_clear(&mut self, state: i32, key_group: i32, prefix: &[u8]) -> Result<Door<u32>> {
        let (state, slot) = self.locate(state, StateKind::Map, key_group)?;
        let answer = self.groups[slot].map_clear(&self.context, state, prefix);
        self.door(state, slot, answer)
    }

    /// Adds an element (or several, joined) to a list.
    #[inline]
    pub fn list_add(
        &mut self,
        state: i32,
        key_group: i32,
        key: &[u8],
        element: &[u8],
    ) -> Result<Door<()>> {
        let (state, slot) = self.locate(state, StateKind::List, key_group)?;
        let answer = self.groups[slot].list_add(&self.context, state, key, element);
        self.door(state, slot, answer)
    }

    /// Joins a list's elements into `out` if it is large enough; returns their length.
    #[inline]
    pub fn list_get(
        &mut self,
        state: i32,
        key_group: i32,
        key: &[u8],
        out: &mut [u8],
    ) -> Result<Door<Option<usize>>> {
        let (state, slot) = self.locate(state, StateKind::List, key_group)?;
        let answer = self.groups[slot].list_chunks(state, key).map(|chunks| {
            chunks.map(|chunks| {
                let len = length_of(chunks.clone());
                if let Some(out) = out.get_mut(..len) {
                    join(chunks.map(Record::value), out);
                }
                len
            })
        });
        self.door(state, slot, answer)
    }

    /// Replaces a list by joined elements.
    pub fn list_put(
        &mut self,
        state: i32,
        key_group: i32,
        key: &[u8],
        joined: &[u8],
    ) -> Result<Door<()>> {
        let (state, slot) = self.locate(state, StateKind::List, key_group)?;
        let answer = self.groups[slot].list_put(&self.context, state, key, joined);
        self.door(state, slot, answer)
    }

    /// Removes up to 1024 chunks of a list; returns how many are left.
    pub fn list_clear(&mut self, state: i32, key_group: i32, key: &[u8]) -> Result<Door<u32>> {
        let (state, slot) = self.locate(state, StateKind::List, key_group)?;
        let answer = self.groups[slot].list_clear(&self.context, state, key);
        self.door(state, slot, answer)
    }

    /// Adds a timer.
    pub fn timer_add(
        &mut self,
        state: i32,
        key_group: i32,
        element: &[u8],
    ) -> Result<Door<TimerChange>> {
        let (state, slot) = self.locate(state, StateKind::Timer, key_group)?;
        let heap = self.heaps[state as usize]
            .as_mut()
            .expect("a timer state has a heap");
        let answer = self.groups[slot].timer_add(&self.context, heap, state, slot, element);
        self.door(state, slot, answer)
    }

    /// Removes a timer.
    pub fn timer_remove(
        &mut self,
        state: i32,
        key_group: i32,
        element: &[u8],
    ) -> Result<Door<TimerChange>> {
        let (state, slot) = self.locate(state, StateKind::Timer, key_group)?;
        let heap = self.heaps[state as usize]
            .as_mut()
            .expect("a timer state has a heap");
        let answer = self.groups[slot].timer_remove(&self.context, heap, state, element);
        self.door(state, slot, answer)
    }

    /// The timer that fires first, over all key groups.
    pub fn timer_peek(&self, state: i32) -> Result<Option<&[u8]>> {
        let (state, _) = self.locate(state, StateKind::Timer, self.range.first() as i32)?;
        let heap = self.heaps[state as usize]
            .as_ref()
            .expect("a timer state has a heap");
        Ok(heap.head().map(|head| {
            self.groups[head.key_group_slot as usize]
                .arena
                .record(head.reference)
                .key()
        }))
    }

    /// Removes the timer that fires first and hands its bytes to `take`.
    pub fn timer_poll<T>(
        &mut self,
        state: i32,
        take: impl FnOnce(&[u8]) -> T,
    ) -> Result<Door<Option<T>>> {
        let (state, _) = self.locate(state, StateKind::Timer, self.range.first() as i32)?;
        let heap = self.heaps[state as usize]
            .as_mut()
            .expect("a timer state has a heap");
        let Some(head) = heap.head() else {
            return Ok(Door::Done(None));
        };
        let slot = head.key_group_slot as usize;
        let group = &mut self.groups[slot];
        let element = group.arena.record(head.reference).key();
        // The bytes stay where they are after the removal: chunks are freed in `reserve` and `maintain`.
        let answer = group
            .timer_remove(&self.context, heap, state, element)
            .map(|_| Some(take(element)));
        self.door(state, slot, answer)
    }

    /// Living rows of a state: values, list keys, map entries or timers.
    pub fn rows(&self, state: i32) -> Result<u64> {
        let number = self.state_number(state)?;
        let count = |group: &KeyGroup| group.live_rows(number, self.states[number as usize].kind);
        Ok(self.groups.iter().map(count).sum())
    }

    /// Deletes every row of a state.
    pub fn clear_state(&mut self, state: i32) -> Result<()> {
        let number = self.state_number(state)?;
        let kind = self.states[number as usize].kind;
        for slot in 0..self.groups.len() {
            let mut from = 0;
            // A removal may pull a row in front of where the search stands: it ends with a search of all.
            while let Some((bucket, reference)) = self.groups[slot]
                .row_from(number, kind, from)
                .or_else(|| self.groups[slot].row_from(number, kind, 0))
            {
                from = bucket;
                if !self.groups[slot].arena.is_resident(reference) {
                    self.provide(number, slot, Need::Resident(reference))?;
                    continue;
                }
                let record = self.groups[slot].arena.record(reference);
                self.delete_row(number, kind, slot, record)?;
            }
        }
        Ok(())
    }

    /// Deletes the row that a record of the tables belongs to.
    pub(crate) fn delete_row(
        &mut self,
        state: u16,
        kind: StateKind,
        slot: usize,
        record: Record,
    ) -> Result<()> {
        // A copy: what the deletion needs may be had by compacting the very chunk that holds the row.
        let (key, place) = (record.key().to_vec(), record.extension());
        let key = key.as_slice();
        self.insist(state, slot, |group, context, heaps| match kind {
            StateKind::Value => group
                .value_remove(context, state, hash_of(key), key)
                .map(drop),
            StateKind::Map => group
                .map_remove(context, state, hash_of(key), key)
                .map(drop),
            StateKind::List => group.list_drop_last(context, state, place.owner),
            StateKind::Timer => {
                let heap = heaps[state as usize]
                    .as_mut()
                    .expect("a timer state has a heap");
                group.timer_remove(context, heap, state, key).map(drop)
            }
        })
    }
}

impl KeyGroup {
    /// Living rows of a state.
    pub(crate) fn live_rows(&self, state: u16, kind: StateKind) -> u64 {
        let rows = &self.states[state as usize];
        match kind {
            StateKind::List => rows.prefixes.len() as u64,
            _ => rows.table.len() as u64,
        }
    }

    /// The first living record of a state from a bucket on, and its bucket.
    fn row_from(
        &self,
        state: u16,
        kind: StateKind,
        from: usize,
    ) -> Option<(usize, crate::table::Ref)> {
        let rows = &self.states[state as usize];
        let table = if kind == StateKind::List {
            &rows.prefixes
        } else {
            &rows.table
        };
        let found = (from..table.buckets()).find_map(|bucket| Some((bucket, table.at(bucket)?)));
        match (found, kind) {
            (Some((bucket, number)), StateKind::List) => {
                Some((bucket, rows.lists[number as usize - 1].first()?))
            }
            _ => found,
        }
    }
}
