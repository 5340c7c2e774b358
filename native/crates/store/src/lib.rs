//! The keyed store.
//!
//! Rows are appended to chunks of memory, per key group; hash tables of eight-byte slots refer to them. A
//! row carries the epoch in which it was written, and, once superseded, the epoch in which it died. That
//! alone makes snapshots: [`Store::freeze`] ends an epoch and pins the chunks; whoever reads the
//! [`Frozen`] sees the rows that lived at that moment, all or those written since an earlier epoch,
//! while the task thread goes on writing behind them. A row of the current epoch is overwritten in place.
//!
//! The row door is the methods of [`Store`]; the batch door ([`KeyBatch`]) goes to the same tables.

mod arena;
mod batch;
mod chunk;
mod compact;
mod deaths;
mod frozen;
mod key_group;
mod list_rows;
mod load;
mod maintain;
mod map_rows;
mod members;
mod record;
mod region;
mod residency;
mod scan;
mod spill;
mod state;
mod store;
mod table;
mod timer_heap;
mod timer_rows;
mod value_rows;
pub mod visibility;

pub use batch::KeyBatch;
pub use deaths::Death;
pub use frozen::{EpochRange, Frozen, FrozenGroup, FrozenRow, PlacedRows, Position, RowCursor};
pub use list_rows::join as join_chunks;
pub use load::{GroupLoader, LOADED_EPOCH, LoadedRow};
pub use maintain::StoreStats;
pub use residency::SpillStats;
pub use scan::ScannedRow;
pub use state::{StateInfo, StateKind, Ttl};
pub use store::{Door, Store};
pub use timer_rows::TimerChange;

#[cfg(all(test, not(loom)))]
mod batch_test;

#[cfg(all(test, not(loom)))]
mod members_test;

#[cfg(all(test, not(loom)))]
mod spill_test;

#[cfg(all(test, not(loom)))]
mod table_test;

#[cfg(all(test, not(loom)))]
mod timer_heap_test;
