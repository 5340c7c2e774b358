//! The one rule by which a snapshot and the task thread share records without a lock.
//!
//! A record is written once, in one epoch. When a newer version replaces it, or it is deleted or moved,
//! the task thread marks it dead *in the epoch of that moment*. A snapshot of epoch `e` reads only
//! records that were there when it began, so for it a record lives unless it died in `e` or before. The
//! mark is the only word that both threads touch; whichever value the reader sees, it decides alike,
//! because marks made after the snapshot began carry a greater epoch.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU32, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU32, Ordering};

/// Epoch in which a record died; zero while it lives.
#[derive(Debug)]
#[repr(transparent)]
pub struct DeathMark(AtomicU32);

impl DeathMark {
    /// The mark of a living record.
    pub fn alive() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Task thread: the record died in `epoch` (greater than zero).
    #[inline]
    pub fn die(&self, epoch: u32) {
        self.0.store(epoch, Ordering::Relaxed);
    }

    /// Task thread: whether it lives now.
    #[inline]
    pub fn is_alive(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    /// Any thread: whether it lived at the end of `epoch`.
    #[inline]
    pub fn lived_at_end_of(&self, epoch: u32) -> bool {
        let died = self.0.load(Ordering::Relaxed);
        died == 0 || died > epoch
    }
}
