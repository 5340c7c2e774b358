//! Which checkpoint the next one may build on.

use crate::chain::{Chain, Segment, rewrite_groups};
use std::collections::BTreeMap;

/// What the next incremental checkpoint writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Number of the new segment.
    pub segment: u64,
    /// Epoch that its deltas begin after; 0: everything is written.
    pub since_epoch: u32,
    /// Key groups to write whole nevertheless.
    pub rewrite: Vec<u32>,
    /// What the new segment is added to.
    pub base: Chain,
}

#[derive(Debug)]
struct Pending {
    epoch: u32,
    /// Known once the segment is written.
    chain: Option<Chain>,
}

/// The last completed checkpoint and those in flight, by checkpoint id.
#[derive(Debug, Default)]
pub struct ChainTracker {
    base: Option<(u32, Chain)>,
    pending: BTreeMap<i64, Pending>,
    last_segment: u64,
}

impl ChainTracker {
    /// Plans a checkpoint of `epoch`. With `anew` nothing of the base is used.
    pub fn plan(&mut self, id: i64, epoch: u32, key_groups: usize, anew: bool) -> Plan {
        self.last_segment += 1;
        self.pending.insert(id, Pending { epoch, chain: None });
        let base = self.base.as_ref().filter(|_| !anew);
        Plan {
            segment: self.last_segment,
            since_epoch: base.map_or(0, |(epoch, _)| *epoch),
            rewrite: base.map_or_else(Vec::new, |(_, chain)| rewrite_groups(chain, key_groups)),
            base: base.map(|(_, chain)| chain.clone()).unwrap_or_default(),
        }
    }

    /// A segment number for a file outside the chain.
    pub fn next_segment(&mut self) -> u64 {
        self.last_segment += 1;
        self.last_segment
    }

    /// The segment of a checkpoint is written (`None`: nothing had changed).
    pub fn written(&mut self, id: i64, base: &Chain, segment: Option<Segment>) {
        if let Some(pending) = self.pending.get_mut(&id) {
            pending.chain = Some(base.with(segment));
        }
    }

    /// The checkpoint is complete: it is the base from now on. Returns its epoch; `None` when it is unknown,
    /// older than the base, or was never written.
    pub fn complete(&mut self, id: i64) -> Option<u32> {
        let done = self.pending.remove(&id)?;
        self.pending.retain(|other, _| *other > id);
        let chain = done.chain?;
        if self
            .base
            .as_ref()
            .is_some_and(|(epoch, _)| *epoch >= done.epoch)
        {
            return None;
        }
        self.base = Some((done.epoch, chain));
        Some(done.epoch)
    }

    /// The checkpoint will not be completed.
    pub fn abort(&mut self, id: i64) {
        self.pending.remove(&id);
    }

    /// Goes on from a restored checkpoint, whose rows belong to `epoch`.
    pub fn restored(&mut self, epoch: u32, chain: Chain) {
        self.last_segment = self.last_segment.max(chain.last_number());
        self.base = Some((epoch, chain));
    }

    /// Whether a later checkpoint may be a delta.
    pub fn deltas_possible(&self) -> bool {
        self.base.is_some() || !self.pending.is_empty()
    }
}
