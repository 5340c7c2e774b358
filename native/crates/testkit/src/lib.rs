//! For tests of the other crates: models (plain collections that do what the store must do) and a safe
//! driver of the C ABI.

mod driver;
mod model;
mod table;

pub use driver::{Driver, Kind, SegmentParts, Snapshot, index_of, last_error, parse_chain};
pub use model::{Model, ModelEntry, ModelState};
pub use table::{Table, TableFile};
