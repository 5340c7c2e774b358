//! The C ABI.
//!
//! Every export runs inside one guard: an error becomes a negative status with its text kept for the
//! thread ([`status::sf_last_error`]); a panic does too, and poisons its store. Exports whose documentation
//! begins with "Critical:" do bounded work, without lock or growth (their one allocation is the few bytes of
//! a new member list), and may be linked with `Linker.Option.critical(true)`.
//!
//! Pointers: handles are those that the matching `_new`/`_begin` gave and that were not freed; byte
//! pointers have the length that follows them. That is the safety contract of all exports.
#![allow(clippy::missing_safety_doc)] // it is the same for all, and stands above

pub mod budget;
pub mod restore;
pub mod row_door;
pub mod scan;
pub mod snapshot;
pub mod sql;
pub mod status;
pub mod store;
pub mod table;

mod canonical;
mod out;
mod segment;
