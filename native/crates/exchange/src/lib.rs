//! Batches on their way to other tasks.
//!
//! The producing operator splits a batch by key group ([`Splitter`]), frames cross the network ([`FrameWriter`], [`FrameReader`]),
//! and the consuming operator joins what has become small ([`Coalescer`]). All are used by one task's thread at a time.

mod coalescer;
mod frame;
mod splitter;

pub use coalescer::Coalescer;
pub use frame::{FrameReader, FrameWriter};
pub use splitter::Splitter;
