//! The state `accState`: Flink's name, keys and bytes.

use super::plan::Plan;
use super::rows::StoreKeys;
use sf_core::{Error, Result};
use sf_store::{StateKind, Store, Ttl};
use std::ops::Range;

/// Name of the value state with the accumulators.
pub(super) const ACCUMULATORS: &str = "accState";

/// A state of the operator, as Flink's operator registers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateUse {
    /// Flink's name.
    pub name: String,
    /// How its rows are organised.
    pub kind: StateKind,
}

/// All states of a plan, in the order in which Flink's operator registers them.
pub(super) fn states_of(plan: &Plan) -> Vec<StateUse> {
    let mut states = Vec::new();
    for (call, _) in &plan.maps {
        states.push(StateUse {
            name: format!("agg{call}$map"),
            kind: StateKind::Map,
        });
    }
    for view in 0..plan.views.len() {
        let name = format!("distinctAcc_{view}");
        let null = format!("{name}_null_state");
        states.push(StateUse {
            name,
            kind: StateKind::Map,
        });
        states.push(StateUse {
            name: null,
            kind: StateKind::Value,
        });
    }
    states.push(StateUse {
        name: ACCUMULATORS.to_owned(),
        kind: StateKind::Value,
    });
    states
}

/// The number of a state that the backend has registered.
pub(super) fn number_of(store: &Store, state: &StateUse) -> Result<i32> {
    let name = &state.name;
    let known = store.states().iter().position(|info| info.name == *name);
    let number = known.ok_or_else(|| {
        Error::internal(format!("state '{name}' is not registered with the backend"))
    })?;
    match store.states()[number].kind == state.kind {
        true => Ok(number as i32),
        false => Err(Error::internal(format!(
            "state '{name}' is not of kind {:?}",
            state.kind
        ))),
    }
}

/// Stamps of values that expire: milliseconds in front of the value, big-endian, as `TtlSerializer` writes them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    /// Milliseconds that a value lives; 0: for ever.
    pub ttl: i64,
    /// Flink's time.
    pub now: i64,
}

/// Bytes of a stamp.
const STAMP: usize = 8;

impl Clock {
    /// Appends the stamp of a value that is written now.
    pub fn stamp(&self, out: &mut Vec<u8>) {
        if self.ttl > 0 {
            out.extend_from_slice(&self.now.to_be_bytes());
        }
    }

    /// The value behind its stamp; `None` when it has expired. Fails when the stamp is not there.
    pub fn living<'v>(&self, value: &'v [u8]) -> Result<Option<&'v [u8]>> {
        if self.ttl <= 0 {
            return Ok(Some(value));
        }
        let ttl = Ttl {
            millis: self.ttl,
            offset: 0,
            sweep: false,
            filter_full_snapshots: false,
        };
        let behind = value.get(STAMP..).ok_or_else(|| {
            let length = value.len();
            Error::corrupt(format!("a value of {length} bytes lacks its time stamp"))
        })?;
        Ok((!ttl.expired(value, self.now)).then_some(behind))
    }
}

/// The serialized accumulators of groups, copied out of the store.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    bytes: Vec<u8>,
    rows: Vec<Option<Range<usize>>>,
}

impl Loaded {
    /// Looks every group up.
    pub fn new(store: &mut Store, state: i32, keys: &StoreKeys, clock: Clock) -> Result<Self> {
        let mut loaded = Self::default();
        let mut failed = None;
        store.get_batch(state, keys.batch(), |group, value| {
            let value = value.map_or(Ok(None), |value| clock.living(value));
            let value = value.unwrap_or_else(|error| {
                failed.get_or_insert((group, error));
                None
            });
            loaded.rows.push(value.map(|value| {
                let begin = loaded.bytes.len();
                loaded.bytes.extend_from_slice(value);
                begin..loaded.bytes.len()
            }));
        })?;
        match failed {
            None => Ok(loaded),
            Some((_, error)) => Err(error),
        }
    }

    /// What is stored of a group: a row behind its length.
    pub fn get(&self, group: usize) -> Option<&[u8]> {
        self.rows[group].clone().map(|range| &self.bytes[range])
    }

    /// Of each group, whether something is stored.
    pub fn there(&self) -> Vec<bool> {
        self.rows.iter().map(Option::is_some).collect()
    }
}

/// Accumulators on their way into the store.
#[derive(Debug, Default)]
pub(super) struct Saving {
    groups: Vec<usize>,
    bytes: Vec<u8>,
    /// Of each of `groups`: its bytes, or `None` when the group is gone.
    rows: Vec<Option<Range<usize>>>,
}

impl Saving {
    /// Saves the accumulator of a group, a `BinaryRowData`.
    pub fn put(&mut self, group: usize, row: &[u8], clock: Clock) {
        let begin = self.bytes.len();
        clock.stamp(&mut self.bytes);
        self.bytes
            .extend_from_slice(&(row.len() as u32).to_be_bytes());
        self.bytes.extend_from_slice(row);
        self.groups.push(group);
        self.rows.push(Some(begin..self.bytes.len()));
    }

    /// Removes the accumulator of a group.
    pub fn remove(&mut self, group: usize) {
        self.groups.push(group);
        self.rows.push(None);
    }

    /// Writes all of it.
    pub fn write(self, store: &mut Store, state: i32, keys: &StoreKeys) -> Result<()> {
        let value = |row: usize, _: Option<&[u8]>| {
            let range = self.rows[row].clone();
            range.map(|range| &self.bytes[range])
        };
        if self.groups.len() == keys.len() && self.groups.is_sorted() {
            return store.update_batch(state, keys.batch(), value);
        }
        let some = keys.select(self.groups.iter().copied())?;
        store.update_batch(state, some.batch(), value)
    }
}
