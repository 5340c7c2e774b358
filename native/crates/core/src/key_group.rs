use crate::{Error, Result};

/// The key groups of one backend, both ends included, out of `max_parallelism` in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyGroupRange {
    first: u32,
    last: u32,
    max_parallelism: u32,
}

impl KeyGroupRange {
    /// Checks `0 <= first <= last < max_parallelism <= 32768` (Flink's upper bound).
    pub fn new(first: i32, last: i32, max_parallelism: i32) -> Result<Self> {
        if first < 0 || last < first || last >= max_parallelism || max_parallelism > 32_768 {
            return Err(Error::user(format!(
                "key-group range [{first}, {last}] of {max_parallelism} is not valid"
            )));
        }
        Ok(Self {
            first: first as u32,
            last: last as u32,
            max_parallelism: max_parallelism as u32,
        })
    }

    /// The smallest key group.
    pub fn first(&self) -> u32 {
        self.first
    }

    /// The greatest key group.
    pub fn last(&self) -> u32 {
        self.last
    }

    /// Key groups of the whole job.
    pub fn max_parallelism(&self) -> u32 {
        self.max_parallelism
    }

    /// How many key groups are in the range; never zero.
    pub fn count(&self) -> usize {
        (self.last - self.first + 1) as usize
    }

    /// Position of a key group within the range, `None` when it belongs to someone else.
    #[inline]
    pub fn slot(&self, key_group: i32) -> Option<usize> {
        let slot = (key_group as u32).wrapping_sub(self.first);
        (slot <= self.last - self.first).then_some(slot as usize)
    }
}
