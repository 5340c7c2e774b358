//! The keyed store as plain collections.

use std::collections::{BTreeMap, BTreeSet};

/// User key and value.
pub type ModelEntry = (Vec<u8>, Vec<u8>);

/// Rows of one state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelState {
    /// Value by key.
    Values(BTreeMap<Vec<u8>, Vec<u8>>),
    /// Elements by key.
    Lists(BTreeMap<Vec<u8>, Vec<Vec<u8>>>),
    /// Entries (user key, value) by prefix, in insertion order.
    Maps(BTreeMap<Vec<u8>, Vec<ModelEntry>>),
    /// Elements.
    Timers(BTreeSet<Vec<u8>>),
}

/// States by number. A snapshot of a model is its clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    /// By number.
    pub states: Vec<ModelState>,
}

impl Model {
    /// Sets or removes an entry of a map, keeping the place of one that is there.
    pub fn map_put(&mut self, state: usize, prefix: &[u8], user_key: &[u8], value: Option<&[u8]>) {
        let ModelState::Maps(maps) = &mut self.states[state] else {
            panic!("not a map state")
        };
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
    }
}
