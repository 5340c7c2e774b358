//! DISTINCT: which values a group has seen, in a map state that all calls on one column share.

use super::plan::View;
use super::rows::{Flow, Step, StoreKeys, hash_of};
use super::state::Clock;
use super::user_key::UserKeys;
use arrow_array::{Array, BooleanArray};
use hashbrown::HashTable;
use sf_core::{Error, Result};
use sf_store::{Door, Store};

/// The states of one view.
#[derive(Debug, Clone, Copy)]
pub(super) struct ViewStates {
    /// Values that are not NULL, each with its bits or counts.
    pub map: i32,
    /// The same of NULL.
    pub null: i32,
}

impl ViewStates {
    /// Of a view without states.
    pub const NONE: Self = Self { map: -1, null: -1 };
}

/// Where the values of earlier batches are; nowhere in the local phase.
pub(super) type Backing<'s> = Option<(&'s mut Store, &'s StoreKeys)>;

/// A value of a group.
#[derive(Debug)]
struct Entry {
    group: u32,
    /// How often the group had ended in this batch when the value came.
    life: u32,
    /// The row that brought it.
    row: u32,
    /// Whether the store has it.
    stored: bool,
    /// Whether it is there.
    present: bool,
    dirty: bool,
}

/// The values of one batch.
#[derive(Debug)]
pub(super) struct Distinct<'b> {
    view: &'b View,
    states: ViewStates,
    clock: Clock,
    keys: UserKeys,
    filters: Vec<Option<&'b BooleanArray>>,
    entries: Vec<Entry>,
    /// [`View::width`] numbers for each entry.
    numbers: Vec<i64>,
    table: HashTable<u32>,
    lives: Vec<u32>,
    scratch: Vec<u8>,
    /// Entries of each group; of [`Self::count_one`] only.
    members: Vec<Vec<u32>>,
}

impl<'b> Distinct<'b> {
    /// Of the values of `column`; `filters` are those of the view's calls.
    pub fn new(
        view: &'b View,
        states: ViewStates,
        clock: Clock,
        column: &dyn Array,
        filters: Vec<Option<&'b BooleanArray>>,
        groups: usize,
    ) -> Result<Self> {
        Ok(Self {
            view,
            states,
            clock,
            keys: UserKeys::new(column, &view.key_type)?,
            filters,
            entries: Vec::new(),
            numbers: Vec::new(),
            table: HashTable::new(),
            lives: vec![0; groups],
            scratch: Vec::new(),
            members: Vec::new(),
        })
    }

    /// Takes all rows; gives for each call of the view what each row does to it: 1 adds the value, -1 retracts it,
    /// 0 does nothing.
    pub fn run(&mut self, flow: &Flow, backing: &mut Backing<'_>) -> Result<Vec<Vec<i8>>> {
        let rows = flow.groups.len();
        let mut effects = vec![vec![0; rows]; self.view.filters.len()];
        for row in 0..rows {
            let step = flow.steps[row];
            let passes = |filter: &Option<&BooleanArray>| passes(*filter, row);
            if step != Step::Skip && self.filters.iter().any(passes) {
                let entry = self.entry(flow.groups[row], row, backing)?;
                match self.view.counts {
                    true => self.count(entry, row, flow.effects[row], &mut effects),
                    false => self.mark(entry, row, &mut effects),
                }
            }
            if step == Step::Last {
                let group = flow.groups[row] as usize;
                self.lives[group] += 1;
                if let Some((store, group_keys)) = backing {
                    clear(store, self.states, group_keys, group)?;
                }
            }
        }
        Ok(effects)
    }

    /// Marks the value for each call whose filter the row passes.
    fn mark(&mut self, entry: usize, row: usize, effects: &mut [Vec<i8>]) {
        let bits = &mut self.numbers[entry];
        let before = *bits;
        for (call, filter) in self.filters.iter().enumerate() {
            let bit = 1_i64 << call;
            if passes(*filter, row) && *bits & bit == 0 {
                *bits |= bit;
                effects[call][row] = 1;
            }
        }
        if *bits != before {
            let entry = &mut self.entries[entry];
            (entry.present, entry.dirty) = (true, true);
        }
    }

    /// Counts the value for each call whose filter the row passes.
    fn count(&mut self, entry: usize, row: usize, effect: i8, effects: &mut [Vec<i8>]) {
        let width = self.view.width();
        let counts = &mut self.numbers[entry * width..(entry + 1) * width];
        for (call, filter) in self.filters.iter().enumerate() {
            if !passes(*filter, row) {
                continue;
            }
            counts[call] = counts[call].wrapping_add(effect.into());
            effects[call][row] = match (effect, counts[call]) {
                (1, 1) => 1,
                (-1, 0) => -1,
                _ => 0,
            };
        }
        let entry = &mut self.entries[entry];
        entry.present = counts.iter().any(|count| *count != 0);
        entry.dirty = true;
    }

    /// Adds the row's value, which is not NULL, to a group (`effect` 1) or retracts it (-1): 1 when it is counted once
    /// now, -1 when no more.
    pub fn count_one(
        &mut self,
        group: u32,
        row: usize,
        effect: i8,
        backing: &mut Backing<'_>,
    ) -> Result<i8> {
        let known = self.entries.len();
        let number = self.entry(group, row, backing)?;
        if number == known {
            self.members.resize_with(self.lives.len(), Vec::new);
            self.members[group as usize].push(number as u32);
        }
        let count = &mut self.numbers[number];
        *count = count.wrapping_add(effect.into());
        let entry = &mut self.entries[number];
        (entry.present, entry.dirty) = (*count != 0, true);
        Ok(match (effect, *count) {
            (1, 1) => 1,
            (-1, 0) => -1,
            _ => 0,
        })
    }

    /// Forgets all values of a group.
    pub fn end_group(&mut self, group: u32, backing: &mut Backing<'_>) -> Result<()> {
        self.lives[group as usize] += 1;
        match backing {
            None => Ok(()),
            Some((store, group_keys)) => clear(store, self.states, group_keys, group as usize),
        }
    }

    /// Shows all values of a group: those of this batch as rows, others as the bytes of their serializer.
    pub fn visit(
        &self,
        group: u32,
        backing: &mut Backing<'_>,
        mut of_batch: impl FnMut(usize),
        mut of_store: impl FnMut(&[u8]),
    ) -> Result<()> {
        let life = self.lives[group as usize];
        let lives = |entry: &Entry| (entry.group, entry.life) == (group, life);
        let members = self.members.get(group as usize).into_iter().flatten();
        let entries = members.map(|number| &self.entries[*number as usize]);
        for entry in entries.filter(|entry| entry.present && lives(entry)) {
            of_batch(entry.row as usize);
        }
        let Some((store, group_keys)) = backing else {
            return Ok(());
        };
        let (key, key_group) = (
            group_keys.key(group as usize),
            group_keys.key_group(group as usize),
        );
        let mut failed = None;
        let mut cursor = (life == 0).then_some(0);
        while let Some(from) = cursor {
            cursor = insist(store, |store| {
                store.scan_map(self.states.map, key_group, key, from, |entry, length| {
                    let (user_key, value) = entry.split_at(length);
                    let known = self.table.find(hash_of(group, user_key), |number| {
                        let entry = &self.entries[*number as usize];
                        lives(entry) && self.keys.get(entry.row as usize) == Some(user_key)
                    });
                    let mut count = [0];
                    match decode(value, false, self.clock, &mut count) {
                        Ok(true) if known.is_none() => of_store(user_key),
                        Ok(_) => {}
                        Err(error) => failed = Some(error),
                    }
                    failed.is_none()
                })
            })?;
            if let Some(error) = failed {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Takes values that came with their numbers, as the map of another view: row `i` is value `i`, of group
    /// `groups[i]`. Gives the effects as [`Self::run`].
    pub fn merge(
        &mut self,
        groups: &[u32],
        numbers: &[i64],
        backing: &mut Backing<'_>,
    ) -> Result<Vec<Vec<i8>>> {
        let width = self.view.width();
        let mut effects = vec![vec![0; groups.len()]; self.view.filters.len()];
        for (row, (group, others)) in groups.iter().zip(numbers.chunks_exact(width)).enumerate() {
            let number = self.entry(*group, row, backing)?;
            let these = &mut self.numbers[number * width..(number + 1) * width];
            let entry = &mut self.entries[number];
            if !self.view.counts {
                let new = others[0] & !these[0];
                for (call, effects) in effects.iter_mut().enumerate() {
                    effects[row] = (new >> call & 1) as i8;
                }
                these[0] |= others[0];
                if new != 0 {
                    (entry.present, entry.dirty) = (true, true);
                }
                continue;
            }
            for (call, (this, other)) in these.iter_mut().zip(others).enumerate() {
                let merged = this.wrapping_add(*other);
                effects[call][row] = match (*this > 0, merged > 0) {
                    (true, false) => -1,
                    (false, true) => 1,
                    _ => 0,
                };
                *this = merged;
            }
            // Flink forgets a value that is counted once and no more; of several counts it keeps zeros here.
            entry.present = width > 1 || these[0] != 0;
            entry.dirty = true;
        }
        Ok(effects)
    }

    /// The values that are there, in the order in which they came: group, row that brought it, numbers.
    pub fn present(&self) -> impl Iterator<Item = (u32, u32, &[i64])> {
        let numbers = self.numbers.chunks_exact(self.view.width());
        let entries = self.entries.iter().zip(numbers);
        let there = entries.filter(|(entry, _)| entry.present);
        there.map(|(entry, numbers)| (entry.group, entry.row, numbers))
    }

    /// The entry of the row's value, read from the store unless the batch knows it.
    fn entry(&mut self, group: u32, row: usize, backing: &mut Backing<'_>) -> Result<usize> {
        let life = self.lives[group as usize];
        let (keys, entries) = (&self.keys, &self.entries);
        let key = keys.get(row);
        let hash = hash_of(group, key.unwrap_or_default());
        let same = |number: &u32| {
            let entry = &entries[*number as usize];
            (entry.group, entry.life) == (group, life) && keys.get(entry.row as usize) == key
        };
        if let Some(number) = self.table.find(hash, same) {
            return Ok(*number as usize);
        }
        let number = entries.len();
        let width = self.view.width();
        self.numbers.resize((number + 1) * width, 0);
        let (stored, present) = match backing {
            Some((store, group_keys)) if life == 0 => {
                self.read(store, group_keys, group as usize, row)?
            }
            // The group ended in this batch, and nothing is left of it; or there is no state.
            _ => (false, false),
        };
        self.entries.push(Entry {
            group,
            life,
            row: row as u32,
            stored,
            present,
            // What has expired is removed unless it is written again.
            dirty: stored && !present,
        });
        let (keys, entries) = (&self.keys, &self.entries);
        let again = |number: &u32| {
            let entry = &entries[*number as usize];
            hash_of(
                entry.group,
                keys.get(entry.row as usize).unwrap_or_default(),
            )
        };
        self.table.insert_unique(hash, number as u32, again);
        Ok(number)
    }

    /// Reads the last numbers from the store; whether it has the value, and whether that is there still.
    fn read(
        &mut self,
        store: &mut Store,
        group_keys: &StoreKeys,
        group: usize,
        row: usize,
    ) -> Result<(bool, bool)> {
        let key_group = group_keys.key_group(group);
        let user_key = self.keys.get(row);
        whole_key(&mut self.scratch, group_keys.key(group), user_key);
        let (key, states, clock) = (&self.scratch, self.states, self.clock);
        let last = self.numbers.len() - self.view.width();
        let numbers = &mut self.numbers[last..];
        insist(store, |store| {
            let is_null = user_key.is_none();
            let found = match is_null {
                true => store.value_get(states.null, key_group, key)?,
                false => store.map_get(states.map, key_group, key)?,
            };
            Ok(match found {
                Door::Done(None) => Door::Done((false, false)),
                Door::Done(Some(value)) => {
                    let present = decode(value, is_null, clock, numbers).map_err(|error| {
                        let message = format!("row {row}: {}", error.message());
                        Error::new(error.kind(), message)
                    })?;
                    Door::Done((true, present))
                }
                Door::NeedsReserve => Door::NeedsReserve,
            })
        })
    }

    /// `LongSerializer`'s bytes of one number, `ArrayDataSerializer`'s of several.
    fn encode(&self, entry: usize, out: &mut Vec<u8>) {
        let width = self.view.width();
        let numbers = &self.numbers[entry * width..(entry + 1) * width];
        if let [number] = numbers {
            out.extend_from_slice(&number.to_be_bytes());
            return;
        }
        let (begin, size) = (out.len(), array_size(width));
        out.extend_from_slice(&((size - size_of::<i32>()) as i32).to_be_bytes());
        out.extend_from_slice(&(width as i32).to_le_bytes());
        out.resize(begin + size_of::<i32>() + array_header(width), 0);
        for number in numbers {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.resize(begin + size, 0);
    }

    /// Writes what has changed.
    pub fn write(&self, store: &mut Store, group_keys: &StoreKeys) -> Result<()> {
        let (mut key, mut value) = (Vec::new(), Vec::new());
        for (number, entry) in self.entries.iter().enumerate() {
            let group = entry.group as usize;
            if !entry.dirty || entry.life != self.lives[group] {
                continue;
            }
            let key_group = group_keys.key_group(group);
            let user_key = self.keys.get(entry.row as usize);
            let (prefix, is_null) = (group_keys.key(group).len(), user_key.is_none());
            whole_key(&mut key, group_keys.key(group), user_key);
            let states = self.states;
            if !entry.present {
                if entry.stored {
                    insist(store, |store| match is_null {
                        true => store.value_remove(states.null, key_group, &key),
                        false => store.map_remove(states.map, key_group, &key),
                    })?;
                }
                continue;
            }
            value.clear();
            if !is_null {
                // A map's values stand behind the flag of NULL.
                value.push(0);
            }
            self.clock.stamp(&mut value);
            self.encode(number, &mut value);
            insist(store, |store| match is_null {
                true => store.value_put(states.null, key_group, &key, &value),
                false => store.map_put(states.map, key_group, &key, prefix, &value),
            })?;
        }
        Ok(())
    }
}

/// Removes all values of a group.
pub(super) fn clear(
    store: &mut Store,
    states: ViewStates,
    group_keys: &StoreKeys,
    group: usize,
) -> Result<()> {
    let (key, key_group) = (group_keys.key(group), group_keys.key_group(group));
    while insist(store, |store| store.map_clear(states.map, key_group, key))? > 0 {}
    if states.null != ViewStates::NONE.null {
        insist(store, |store| {
            store.value_remove(states.null, key_group, key)
        })?;
    }
    Ok(())
}

/// `[key][namespace]`, and the user key unless that is NULL.
fn whole_key(out: &mut Vec<u8>, group_key: &[u8], user_key: Option<&[u8]>) {
    out.clear();
    out.extend_from_slice(group_key);
    out.extend_from_slice(user_key.unwrap_or_default());
}

/// Reads the numbers of a value; says whether they are there and have not expired.
fn decode(value: &[u8], is_null: bool, clock: Clock, numbers: &mut [i64]) -> Result<bool> {
    let length = value.len();
    let corrupt = || Error::corrupt(format!("{length} bytes are no value of a DISTINCT view"));
    let value = match (is_null, value) {
        (true, value) | (false, [0, value @ ..]) => value,
        (false, [_]) => return Ok(false),
        _ => return Err(corrupt()),
    };
    let Some(value) = clock.living(value)? else {
        return Ok(false);
    };
    if let [number] = numbers {
        *number = i64::from_be_bytes(value.try_into().map_err(|_| corrupt())?);
        return Ok(true);
    }
    let width = numbers.len();
    let array = value.get(size_of::<i32>()..).ok_or_else(corrupt)?;
    let count = array.first_chunk().map(|count| i32::from_le_bytes(*count));
    if count != Some(width as i32) || value.len() != array_size(width) {
        return Err(corrupt());
    }
    let (elements, _) = array[array_header(width)..].as_chunks();
    for (number, element) in numbers.iter_mut().zip(elements) {
        *number = i64::from_le_bytes(*element);
    }
    Ok(true)
}

/// Whether a row passes a filter; NULL does not.
pub(super) fn passes(filter: Option<&BooleanArray>, row: usize) -> bool {
    filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row))
}

/// Bytes of a `BinaryArrayData` in front of its elements.
const fn array_header(count: usize) -> usize {
    4 + count.div_ceil(32) * 4
}

/// Bytes of an array of BIGINT behind its length.
const fn array_size(count: usize) -> usize {
    4 + (array_header(count) + 8 * count).next_multiple_of(8)
}

/// Repeats a call of the row door until it has what it needs.
fn insist<T>(store: &mut Store, mut call: impl FnMut(&mut Store) -> Result<Door<T>>) -> Result<T> {
    loop {
        match call(store)? {
            Door::Done(done) => return Ok(done),
            Door::NeedsReserve => store.reserve()?,
        }
    }
}
