//! What the store knows of a state.

use sf_codec::order::long_at;

/// How the rows of a state are organised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateKind {
    /// One row per key and namespace: value, reducing and aggregating states.
    Value,
    /// Joined elements per key and namespace.
    List,
    /// One row per user key.
    Map,
    /// A set of elements in the order of their first eight bytes.
    Timer,
}

/// Where a row keeps the time of its last access, and how long it may live after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ttl {
    /// Milliseconds; above zero.
    pub millis: i64,
    /// Where in the value the big-endian time is.
    pub offset: usize,
    /// Whether the store may delete expired rows in the background.
    pub sweep: bool,
    /// Whether full snapshots leave expired rows out.
    pub filter_full_snapshots: bool,
}

impl Ttl {
    /// Flink's rule (`TtlUtils.expired`): the row is gone once last access + ttl is not after `now`;
    /// a sum past the end of time never comes.
    pub fn expired(&self, value: &[u8], now: i64) -> bool {
        self.stamp(value)
            .is_some_and(|last| self.millis.min(i64::MAX.saturating_sub(last)) + last <= now)
    }

    /// The time of last access that a value carries, in milliseconds.
    pub fn stamp(&self, value: &[u8]) -> Option<i64> {
        long_at(value, self.offset)
    }
}

/// Name, organisation and time to live of a state.
#[derive(Debug, Clone)]
pub struct StateInfo {
    /// Flink's name of it; for error texts.
    pub name: String,
    /// How its rows are organised.
    pub kind: StateKind,
    /// Time to live, if the store knows one.
    pub ttl: Option<Ttl>,
}
