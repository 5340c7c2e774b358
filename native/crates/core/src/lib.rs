//! What every other crate needs: [`Error`], [`KeyGroupRange`] and the [`MemoryBudget`].
//!
//! Nothing here knows about Flink's classes, files or the C ABI.

mod budget;
mod error;
mod key_group;

pub use budget::{Charge, MemoryBudget, charged_bytes};
pub use error::{Error, ErrorKind, Result};
pub use key_group::KeyGroupRange;

#[cfg(test)]
mod budget_test;
