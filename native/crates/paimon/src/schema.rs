//! The Parquet schema of a data file: Paimon's key-value file in its thin form, that is sequence number, kind of
//! the row, then the table's columns. Readers resolve columns by name; the field ids are those of Paimon 2.0.

use crate::columns::{ColumnType, FIRST_TYPED_FIELD, TypedColumn};
use crate::compression::Compression;
use parquet::basic::{Encoding, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::file::properties::{
    EnabledStatistics, WriterProperties, WriterPropertiesPtr, WriterVersion,
};
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use sf_core::{Error, Result};
use std::sync::Arc;

/// `SpecialFields.SEQUENCE_NUMBER` and `SpecialFields.VALUE_KIND` of Paimon.
pub(crate) const SEQUENCE: (&str, i32) = ("_SEQUENCE_NUMBER", i32::MAX - 1);
pub(crate) const KIND: (&str, i32) = ("_VALUE_KIND", i32::MAX - 2);

/// Columns before the typed ones, sequence and kind included.
pub(crate) const LEADING: usize = 2 + FIXED.len();

pub(crate) const KEY_GROUP: usize = 0;
pub(crate) const STATE: usize = 1;
pub(crate) const KEY: usize = 2;
pub(crate) const NAMESPACE: usize = 3;
pub(crate) const USER_KEY: usize = 4;
pub(crate) const VALUE: usize = 5;
pub(crate) const TIMESTAMP: usize = 6;
pub(crate) const CHECKPOINT: usize = 7;

/// A column that every table has. Its place in [`FIXED`] is its field id.
pub(crate) struct FixedColumn {
    pub(crate) name: &'static str,
    pub(crate) physical: Physical,
    pub(crate) optional: bool,
}

const fn fixed(name: &'static str, physical: Physical, optional: bool) -> FixedColumn {
    FixedColumn {
        name,
        physical,
        optional,
    }
}

pub(crate) const FIXED: [FixedColumn; FIRST_TYPED_FIELD as usize] = [
    fixed("kg", Physical::INT32, false),
    fixed("st", Physical::INT32, false),
    fixed("k", Physical::BYTE_ARRAY, false),
    fixed("ns", Physical::BYTE_ARRAY, false),
    fixed("uk", Physical::BYTE_ARRAY, false),
    fixed("v", Physical::BYTE_ARRAY, true),
    fixed("ts", Physical::INT64, true),
    fixed("cp", Physical::INT64, true),
];

pub(crate) fn fixed_names() -> impl Iterator<Item = &'static str> {
    FIXED.iter().map(|column| column.name)
}

/// The schema with `typed` behind the fixed columns.
pub(crate) fn file_schema(typed: &[TypedColumn]) -> Result<TypePtr> {
    let tiny = LogicalType::integer(8, true);
    let mut fields = vec![
        field(SEQUENCE.0, SEQUENCE.1, Physical::INT64, None, false)?,
        field(KIND.0, KIND.1, Physical::INT32, Some(tiny), false)?,
    ];
    for (id, column) in (0..).zip(&FIXED) {
        fields.push(field(
            column.name,
            id,
            column.physical,
            None,
            column.optional,
        )?);
    }
    for column in typed {
        let (physical, logical) = parquet_type(column.column_type);
        fields.push(field(
            &column.name,
            column.field_id,
            physical,
            logical,
            true,
        )?);
    }
    let root = Type::group_type_builder("paimon_schema").with_fields(fields);
    root.build().map(Arc::new).map_err(impossible)
}

fn field(
    name: &str,
    id: i32,
    physical: Physical,
    logical: Option<LogicalType>,
    optional: bool,
) -> Result<TypePtr> {
    let repetition = if optional {
        Repetition::OPTIONAL
    } else {
        Repetition::REQUIRED
    };
    Type::primitive_type_builder(name, physical)
        .with_repetition(repetition)
        .with_logical_type(logical)
        .with_id(Some(id))
        .build()
        .map(Arc::new)
        .map_err(impossible)
}

fn impossible(cause: parquet::errors::ParquetError) -> Error {
    Error::user(format!(
        "the columns are no schema of a Parquet file: {cause}"
    ))
}

/// As Paimon's `ParquetSchemaConverter` has it.
fn parquet_type(column_type: ColumnType) -> (Physical, Option<LogicalType>) {
    match column_type {
        ColumnType::Boolean => (Physical::BOOLEAN, None),
        ColumnType::TinyInt => (Physical::INT32, Some(LogicalType::integer(8, true))),
        ColumnType::SmallInt => (Physical::INT32, Some(LogicalType::integer(16, true))),
        ColumnType::Int => (Physical::INT32, None),
        ColumnType::BigInt => (Physical::INT64, None),
        ColumnType::Float => (Physical::FLOAT, None),
        ColumnType::Double => (Physical::DOUBLE, None),
        ColumnType::String => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnType::Bytes => (Physical::BYTE_ARRAY, None),
        ColumnType::Date => (Physical::INT32, Some(LogicalType::Date)),
        ColumnType::Timestamp => (
            Physical::INT64,
            Some(LogicalType::timestamp(false, TimeUnit::MILLIS)),
        ),
    }
}

/// A page ends when it has so many bytes before it is compressed.
const PAGE_BYTES: usize = 256 * 1024;

/// How a file is written. Numbers that hardly change from row to row are packed as deltas, which leaves nothing
/// to compress. Bytes stay plain: Paimon 2.0.0 misreads DELTA_LENGTH_BYTE_ARRAY when a page is longer than a batch
/// (its reader takes lengths by the row of the batch). Only key group and state have statistics.
pub(crate) fn properties(compression: Compression) -> WriterPropertiesPtr {
    let mut builder = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_created_by(concat!("streamfusion version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(compression.codec())
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::PLAIN)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        // Of each column one is decoded at a time, and larger ones hardly compress better.
        .set_data_page_size_limit(PAGE_BYTES)
        // Pages end by their bytes.
        .set_data_page_row_count_limit(usize::MAX);
    let packed = [SEQUENCE.0, KIND.0, "kg", "st", "cp"];
    for name in packed {
        builder = builder
            .set_column_encoding(path(name), Encoding::DELTA_BINARY_PACKED)
            .set_column_compression(path(name), parquet::basic::Compression::UNCOMPRESSED);
    }
    for name in ["kg", "st"] {
        builder = builder.set_column_statistics_enabled(path(name), EnabledStatistics::Chunk);
    }
    Arc::new(
        builder
            .set_column_encoding(path("ts"), Encoding::DELTA_BINARY_PACKED)
            .build(),
    )
}

fn path(name: &str) -> ColumnPath {
    ColumnPath::new(vec![name.to_owned()])
}
