//! Checkpoints as Paimon tables, without any I/O: the bytes of a data file ([`DataFileWriter`],
//! [`DataFileIndex`]; described in `docs/formats/paimon-state.md`), its columns ([`TableColumns`]) and the
//! deletion vectors of a bucket ([`deletion`]).

mod columns;
mod compression;
pub mod deletion;
mod group_bytes;
mod guard;
mod layout;
mod places;
mod policy;
mod read;
mod row;
mod scalar;
mod schema;
mod snapshot;
mod stage;
mod tracker;
mod version;
mod write;

pub use columns::{Coding, ColumnType, Source, TableColumns, TypedColumn};
pub use compression::Compression;
pub use group_bytes::RowGroupBytes;
pub use layout::{StateLayout, store_row};
pub use policy::CompactionLimits;
pub use read::{DataFileIndex, RowGroup};
pub use row::TableRow;
pub use snapshot::{
    BucketIndex, TableLayout, TableOptions, TableSnapshot, TableTotals, WrittenTable,
};
pub use tracker::{TablePlan, TableTracker};
pub use version::{DataFile, LiveFile, TableVersion};
pub use write::{DataFileWriter, FileTotals};

#[cfg(test)]
mod columns_test;
#[cfg(test)]
mod deletion_test;
#[cfg(test)]
mod file_test;
#[cfg(test)]
mod group_bytes_test;
#[cfg(test)]
mod places_test;
#[cfg(test)]
mod policy_test;
#[cfg(test)]
mod scalar_test;
#[cfg(test)]
mod typed_test;
