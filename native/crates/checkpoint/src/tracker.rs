//! Which checkpoint the next one may build on.

use crate::chain::{Chain, rewrite_groups};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the next incremental checkpoint writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Number of the new segment.
    pub segment: u64,
    /// Epoch that its deltas begin after; 0: everything is written.
    pub since_epoch: u32,
    /// Key groups to write whole nevertheless.
    pub rewrite: Arc<[u32]>,
    /// What the new segment is added to.
    pub base: Arc<Chain>,
}

/// The segments of a written checkpoint, and what the next one on top of it should write whole. Made on the
/// thread that writes, because both cost time that grows with the number of segments.
#[derive(Debug, Clone)]
pub struct Written {
    /// The checkpoint's segments.
    pub chain: Arc<Chain>,
    rewrite: Arc<[u32]>,
}

impl Written {
    /// A checkpoint of these segments, of a backend with so many key groups.
    pub fn new(chain: Chain, key_groups: usize) -> Self {
        let rewrite = rewrite_groups(&chain, key_groups).into();
        Self {
            chain: Arc::new(chain),
            rewrite,
        }
    }
}

#[derive(Debug)]
struct Pending<T> {
    epoch: u32,
    /// Known once the checkpoint is written.
    written: Option<T>,
}

/// The last completed checkpoint and those in flight, by checkpoint id. `T` is what is known of a written one.
#[derive(Debug)]
pub struct Checkpoints<T> {
    base: Option<(u32, T)>,
    pending: BTreeMap<i64, Pending<T>>,
}

impl<T> Default for Checkpoints<T> {
    fn default() -> Self {
        Self {
            base: None,
            pending: BTreeMap::new(),
        }
    }
}

impl<T> Checkpoints<T> {
    /// A checkpoint of `epoch` begins.
    pub fn begin(&mut self, id: i64, epoch: u32) {
        self.pending.insert(
            id,
            Pending {
                epoch,
                written: None,
            },
        );
    }

    /// What the next checkpoint may build on, and its epoch.
    pub fn base(&self) -> Option<(u32, &T)> {
        self.base.as_ref().map(|(epoch, written)| (*epoch, written))
    }

    /// The checkpoint is written, if there was anything to write.
    pub fn written(&mut self, id: i64, written: T) {
        if let Some(pending) = self.pending.get_mut(&id) {
            pending.written = Some(written);
        }
    }

    /// The checkpoint is complete: it is the base from now on. Returns its epoch; `None` when it is unknown,
    /// older than the base, or was never written.
    pub fn complete(&mut self, id: i64) -> Option<u32> {
        let done = self.pending.remove(&id)?;
        self.pending.retain(|other, _| *other > id);
        let written = done.written?;
        if self
            .base
            .as_ref()
            .is_some_and(|(epoch, _)| *epoch >= done.epoch)
        {
            return None;
        }
        self.base = Some((done.epoch, written));
        Some(done.epoch)
    }

    /// The checkpoint will not be completed.
    pub fn abort(&mut self, id: i64) {
        self.pending.remove(&id);
    }

    /// Goes on from a restored checkpoint, whose rows belong to epochs up to `epoch`.
    pub fn restored(&mut self, epoch: u32, written: T) {
        self.base = Some((epoch, written));
    }

    /// Whether a later checkpoint may be a delta.
    pub fn deltas_possible(&self) -> bool {
        self.base.is_some() || !self.pending.is_empty()
    }
}

/// [`Checkpoints`] of segment chains, which also numbers the segments.
#[derive(Debug, Default)]
pub struct ChainTracker {
    checkpoints: Checkpoints<Written>,
    last_segment: u64,
}

impl ChainTracker {
    /// Plans a checkpoint of `epoch`. With `anew` nothing of the base is used.
    pub fn plan(&mut self, id: i64, epoch: u32, anew: bool) -> Plan {
        self.checkpoints.begin(id, epoch);
        let plan = self.plan_apart();
        match self.checkpoints.base().filter(|_| !anew) {
            Some((since_epoch, base)) => Plan {
                since_epoch,
                rewrite: Arc::clone(&base.rewrite),
                base: Arc::clone(&base.chain),
                ..plan
            },
            None => plan,
        }
    }

    /// Plans a file outside the chain: everything, and nothing builds on it.
    pub fn plan_apart(&mut self) -> Plan {
        self.last_segment += 1;
        Plan {
            segment: self.last_segment,
            since_epoch: 0,
            rewrite: Arc::default(),
            base: Arc::default(),
        }
    }

    /// See [`Checkpoints::written`].
    pub fn written(&mut self, id: i64, written: Written) {
        self.checkpoints.written(id, written);
    }

    /// See [`Checkpoints::complete`].
    pub fn complete(&mut self, id: i64) -> Option<u32> {
        self.checkpoints.complete(id)
    }

    /// See [`Checkpoints::abort`].
    pub fn abort(&mut self, id: i64) {
        self.checkpoints.abort(id);
    }

    /// See [`Checkpoints::restored`].
    pub fn restored(&mut self, epoch: u32, written: Written) {
        self.last_segment = self.last_segment.max(written.chain.last_number());
        self.checkpoints.restored(epoch, written);
    }

    /// See [`Checkpoints::deltas_possible`].
    pub fn deltas_possible(&self) -> bool {
        self.checkpoints.deltas_possible()
    }
}
