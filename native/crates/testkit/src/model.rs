//! The keyed store as plain collections.

use std::collections::{BTreeMap, BTreeSet};

/// User key and value.
pub type ModelEntry = (Vec<u8>, Vec<u8>);

/// Rows of one state. Keys are `[key][namespace]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelState {
    /// Value by key.
    Values(BTreeMap<Vec<u8>, Vec<u8>>),
    /// Elements, joined by ',', by key.
    Lists(BTreeMap<Vec<u8>, Vec<u8>>),
    /// Entries (user key, value) by key, in insertion order.
    Maps(BTreeMap<Vec<u8>, Vec<ModelEntry>>),
    /// Elements.
    Timers(BTreeSet<Vec<u8>>),
}

/// States by number, each by key group. A snapshot of a model is its clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    /// By state number and key group.
    pub states: BTreeMap<(i32, i32), ModelState>,
}

/// One row of a snapshot: (key group, state, key, value), keys of maps with the user key.
type Row = (i32, i32, Vec<u8>, Vec<u8>);

impl Model {
    /// The values of a value state.
    pub fn values(&mut self, state: i32, key_group: i32) -> &mut BTreeMap<Vec<u8>, Vec<u8>> {
        let empty = || ModelState::Values(BTreeMap::new());
        match self.states.entry((state, key_group)).or_insert_with(empty) {
            ModelState::Values(rows) => rows,
            _ => panic!("state {state} is no value state"),
        }
    }

    /// The lists of a list state.
    pub fn lists(&mut self, state: i32, key_group: i32) -> &mut BTreeMap<Vec<u8>, Vec<u8>> {
        let empty = || ModelState::Lists(BTreeMap::new());
        match self.states.entry((state, key_group)).or_insert_with(empty) {
            ModelState::Lists(rows) => rows,
            _ => panic!("state {state} is no list state"),
        }
    }

    /// The maps of a map state.
    pub fn maps(&mut self, state: i32, key_group: i32) -> &mut BTreeMap<Vec<u8>, Vec<ModelEntry>> {
        let empty = || ModelState::Maps(BTreeMap::new());
        match self.states.entry((state, key_group)).or_insert_with(empty) {
            ModelState::Maps(rows) => rows,
            _ => panic!("state {state} is no map state"),
        }
    }

    /// The elements of a timer state.
    pub fn timers(&mut self, state: i32, key_group: i32) -> &mut BTreeSet<Vec<u8>> {
        let empty = || ModelState::Timers(BTreeSet::new());
        match self.states.entry((state, key_group)).or_insert_with(empty) {
            ModelState::Timers(rows) => rows,
            _ => panic!("state {state} is no timer state"),
        }
    }

    /// Adds elements to a list.
    pub fn list_add(&mut self, state: i32, key_group: i32, key: &[u8], element: &[u8]) {
        let list = self
            .lists(state, key_group)
            .entry(key.to_vec())
            .or_default();
        if !list.is_empty() {
            list.push(b',');
        }
        list.extend_from_slice(element);
    }

    /// Sets (`Some`) or removes an entry of a map; one that is there keeps its place.
    pub fn map_set(
        &mut self,
        state: i32,
        key_group: i32,
        prefix: &[u8],
        user_key: &[u8],
        value: Option<&[u8]>,
    ) -> bool {
        let maps = self.maps(state, key_group);
        let map = maps.entry(prefix.to_vec()).or_default();
        let at = map.iter().position(|(known, _)| known == user_key);
        match (at, value) {
            (Some(at), Some(value)) => map[at].1 = value.to_vec(),
            (None, Some(value)) => map.push((user_key.to_vec(), value.to_vec())),
            (Some(at), None) => drop(map.remove(at)),
            (None, None) => {}
        }
        if map.is_empty() {
            maps.remove(prefix);
        }
        at.is_some()
    }

    /// All rows, sorted.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for ((state, key_group), content) in &self.states {
            let mut row = |key: &[u8], value: &[u8]| {
                rows.push((*key_group, *state, key.to_vec(), value.to_vec()));
            };
            match content {
                ModelState::Values(map) | ModelState::Lists(map) => {
                    map.iter().for_each(|(key, value)| row(key, value));
                }
                ModelState::Maps(maps) => {
                    for (prefix, map) in maps {
                        map.iter()
                            .for_each(|(key, value)| row(&[&prefix[..], key].concat(), value));
                    }
                }
                ModelState::Timers(timers) => timers.iter().for_each(|timer| row(timer, &[])),
            }
        }
        rows.sort();
        rows
    }
}
