//! Native SQL: batches, and what makes, changes and writes them.
//!
//! Results of several numbers go into an array of 64-bit integers, whose length is said at each export.

pub mod batch;
pub mod exchange;
pub mod frame;
pub mod operator;
pub mod plan;
pub mod reader;
pub mod slab;
pub mod writer;
