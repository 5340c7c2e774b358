//! Plans of native operators: the protobuf messages ([`proto`]) and types as Flink's SQL has them ([`DataType`]).
//!
//! Nothing here computes. What is not understood is refused with [`unsupported`] errors, whose text is the reason that
//! users read in EXPLAIN.

/// The messages of `proto/plan.proto`.
#[allow(missing_docs, clippy::all)]
pub mod proto {
    include!(concat!(env!("OUT_DIR"), "/streamfusion.plan.rs"));
}

mod data_type;

pub use data_type::{DataType, Field, RowType, decode, unsupported};
