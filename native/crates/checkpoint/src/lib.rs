//! What a checkpoint consists of, without any I/O: the bytes of a segment file ([`SegmentEncoder`],
//! [`SectionDecoder`], [`SegmentIndex`]; described in `docs/formats/memory-segment.md`) and which segments
//! a checkpoint needs ([`Chain`], [`ChainTracker`]).

mod block;
mod chain;
mod decode;
mod encode;
mod footer;
mod row;
mod tracker;

pub use block::Compression;
pub use chain::{Chain, GroupPart, SectionKind, Segment, rewrite_groups};
pub use decode::SectionDecoder;
pub use encode::{SegmentEncoder, SegmentTotals};
pub use footer::{Section, SegmentIndex};
pub use row::SegmentRow;
pub use tracker::{ChainTracker, Checkpoints, Plan, Written};

#[cfg(test)]
mod chain_test;
#[cfg(test)]
mod segment_test;
