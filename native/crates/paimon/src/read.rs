//! Reading a data file: its footer, then one row group at a time.

use crate::guard::{self, word};
use crate::row::TableRow;
use crate::schema;
use bytes::{Buf, Bytes};
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::file::statistics::Statistics;
use sf_core::{Error, Result};
use std::sync::Arc;

const MAGIC: &[u8; 4] = b"PAR1";
/// Length of the footer and magic.
const TRAILER: usize = 8;
/// Rows that are decoded at a time.
const BATCH: usize = 1024;

/// A run of rows that is read as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowGroup {
    /// First byte in the file.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
    /// Rows.
    pub rows: u32,
    /// Place of its first row in the file.
    pub first_row: u32,
    /// Smallest key group.
    pub first_key_group: u32,
    /// Greatest key group.
    pub last_key_group: u32,
}

/// What the footer of a data file says.
#[derive(Debug)]
pub struct DataFileIndex {
    metadata: ParquetMetaData,
    groups: Vec<RowGroup>,
    sums: Vec<u32>,
    /// Where the fixed columns are among the file's.
    leaves: [usize; schema::FIXED.len()],
}

impl DataFileIndex {
    /// Bytes at the end of a file that are enough to learn how many are needed.
    pub const TRAILER_LEN: usize = TRAILER;

    /// Reads the footer from the last bytes of a file of `file_len` bytes. `Ok(Err(n))`: the last `n` bytes are
    /// needed; this can happen three times. Everything is checked by checksums before it is decoded.
    pub fn parse(tail: &[u8], file_len: u64) -> Result<std::result::Result<Self, usize>> {
        if tail.len() as u64 > file_len || file_len < (MAGIC.len() + TRAILER) as u64 {
            return Err(Error::corrupt(format!(
                "a data file of {file_len} bytes is cut off"
            )));
        }
        if tail.len() < TRAILER {
            return Ok(Err(TRAILER));
        }
        let trailer = &tail[tail.len() - TRAILER..];
        let len = word(trailer, 0) as usize + TRAILER;
        let start = file_len.checked_sub(len as u64);
        if trailer[4..] != *MAGIC || start.is_none() {
            return Err(Error::corrupt(format!(
                "footer at offset {}: the file is cut off or no Parquet",
                file_len - TRAILER as u64
            )));
        }
        let start = start.unwrap_or_default();
        let fault = |e: Error| Error::corrupt(format!("footer at offset {start}: {}", e.message()));
        let (before, footer) = tail.split_at(tail.len().saturating_sub(len));
        let sums = guard::read(before, footer).map_err(fault)?;
        let sums = match sums {
            Ok(sums) => sums,
            Err(more) if more as u64 <= start => return Ok(Err(more + len)),
            Err(_) => return Err(fault(Error::corrupt("its guard is cut off"))),
        };
        let guard = guard::len(sums.len());
        Self::decode(&footer[..len - TRAILER], sums, start - guard as u64)
            .map(Ok)
            .map_err(fault)
    }

    fn decode(footer: &[u8], sums: Vec<u32>, groups_end: u64) -> Result<Self> {
        let metadata = ParquetMetaDataReader::decode_metadata(footer);
        let metadata = metadata.map_err(|e| Error::corrupt(e.to_string()))?;
        if metadata.num_row_groups() != sums.len() {
            return Err(Error::corrupt("its guard has another number of row groups"));
        }
        let leaves = find_leaves(&metadata)?;
        let mut groups = Vec::with_capacity(sums.len());
        let (mut offset, mut first_row) = (MAGIC.len() as u64, 0_u32);
        for group in metadata.row_groups() {
            let end = group.columns().iter().map(|column| {
                let (from, length) = column.byte_range();
                from.saturating_add(length)
            });
            let end = end.max().unwrap_or_default();
            let rows = u32::try_from(group.num_rows()).ok();
            let next_row = rows.and_then(|rows| first_row.checked_add(rows));
            let (Some(rows), Some(next_row), true) = (rows, next_row, end > offset) else {
                return Err(Error::corrupt("its row groups are impossible"));
            };
            let (first_key_group, last_key_group) = key_groups(group, leaves[schema::KEY_GROUP])?;
            groups.push(RowGroup {
                offset,
                length: end - offset,
                rows,
                first_row,
                first_key_group,
                last_key_group,
            });
            (offset, first_row) = (end, next_row);
        }
        if offset != groups_end {
            return Err(Error::corrupt("its row groups do not reach up to it"));
        }
        Ok(Self {
            metadata,
            groups,
            sums,
            leaves,
        })
    }

    /// The row groups in the order of their rows.
    pub fn row_groups(&self) -> &[RowGroup] {
        &self.groups
    }

    /// Hands every row of row group `group` to `each`, with its place in the file. `bytes` are those of the group;
    /// they are dropped before this returns.
    pub fn read(
        &self,
        group: usize,
        bytes: Bytes,
        mut each: impl FnMut(u32, TableRow<'_>) -> Result<()>,
    ) -> Result<()> {
        let Some(place) = self.groups.get(group) else {
            return Err(Error::internal(format!("row group {group} does not exist")));
        };
        let fault = |what: String| {
            Error::corrupt(format!(
                "row group {group} at offset {}: {what}",
                place.offset
            ))
        };
        if bytes.len() as u64 != place.length {
            return Err(fault(format!(
                "{} bytes where {} are expected",
                bytes.len(),
                place.length
            )));
        }
        let sum = crc32c::crc32c(&bytes);
        if sum != self.sums[group] {
            return Err(fault(format!(
                "checksum is {sum:08x}, the file says {:08x}",
                self.sums[group]
            )));
        }
        let undecodable = |e: ParquetError| fault(e.to_string());
        let mut columns = Columns::open(self, group, &bytes).map_err(undecodable)?;
        let mut done = 0;
        while done < place.rows {
            let rows = (place.rows - done).min(BATCH as u32);
            columns.fill(rows as usize).map_err(undecodable)?;
            let mut cursor = Cursor::default();
            for row in 0..rows {
                let row_of_file = place.first_row + done + row;
                let Some(row) = columns.row(row as usize, &mut cursor) else {
                    return Err(fault(format!("row {row_of_file} is impossible")));
                };
                if row.key_group < place.first_key_group || row.key_group > place.last_key_group {
                    return Err(fault(format!("row {row_of_file} has a foreign key group")));
                }
                each(row_of_file, row)?;
            }
            done += rows;
        }
        Ok(())
    }
}

fn find_leaves(metadata: &ParquetMetaData) -> Result<[usize; schema::FIXED.len()]> {
    let mut leaves = [0; schema::FIXED.len()];
    let descriptor = metadata.file_metadata().schema_descr();
    for (leaf, wanted) in leaves.iter_mut().zip(&schema::FIXED) {
        let found = descriptor.columns().iter().position(|column| {
            column.path().parts() == [wanted.name]
                && column.physical_type() == wanted.physical
                && column.max_rep_level() == 0
                && column.max_def_level() == i16::from(wanted.optional)
        });
        *leaf = found.ok_or_else(|| {
            Error::corrupt(format!(
                "column '{}' is missing or of another type",
                wanted.name
            ))
        })?;
    }
    Ok(leaves)
}

fn key_groups(group: &RowGroupMetaData, leaf: usize) -> Result<(u32, u32)> {
    let found = match group.column(leaf).statistics() {
        Some(Statistics::Int32(of)) => of.min_opt().copied().zip(of.max_opt().copied()),
        _ => None,
    };
    let found = found.and_then(|(min, max)| Some((min.try_into().ok()?, max.try_into().ok()?)));
    found
        .filter(|(min, max): &(u32, u32)| min <= max)
        .ok_or_else(|| Error::corrupt("a row group does not say which key groups it has"))
}

/// The fixed columns of a row group, a batch at a time.
struct Columns {
    key_group: Column<Int32Type>,
    state: Column<Int32Type>,
    key: Column<ByteArrayType>,
    namespace: Column<ByteArrayType>,
    user_key: Column<ByteArrayType>,
    value: Column<ByteArrayType>,
    timestamp: Column<Int64Type>,
    checkpoint: Column<Int64Type>,
}

/// How many values of the optional columns the rows so far had.
#[derive(Default)]
struct Cursor {
    value: usize,
    timestamp: usize,
    checkpoint: usize,
}

impl Columns {
    fn open(index: &DataFileIndex, group: usize, bytes: &Bytes) -> ParquetResult<Self> {
        let from = Group {
            metadata: index.metadata.row_group(group),
            leaves: &index.leaves,
            offset: index.groups[group].offset,
            bytes,
        };
        Ok(Self {
            key_group: from.column(schema::KEY_GROUP)?,
            state: from.column(schema::STATE)?,
            key: from.column(schema::KEY)?,
            namespace: from.column(schema::NAMESPACE)?,
            user_key: from.column(schema::USER_KEY)?,
            value: from.column(schema::VALUE)?,
            timestamp: from.column(schema::TIMESTAMP)?,
            checkpoint: from.column(schema::CHECKPOINT)?,
        })
    }

    fn fill(&mut self, rows: usize) -> ParquetResult<()> {
        self.key_group.fill(rows)?;
        self.state.fill(rows)?;
        self.key.fill(rows)?;
        self.namespace.fill(rows)?;
        self.user_key.fill(rows)?;
        self.value.fill(rows)?;
        self.timestamp.fill(rows)?;
        self.checkpoint.fill(rows)
    }

    /// `None`: it holds what no row of ours can.
    fn row(&self, row: usize, cursor: &mut Cursor) -> Option<TableRow<'_>> {
        Some(TableRow {
            key_group: u32::try_from(self.key_group.values[row]).ok()?,
            state: u16::try_from(self.state.values[row]).ok()?,
            key: self.key.values[row].data(),
            namespace: self.namespace.values[row].data(),
            user_key: self.user_key.values[row].data(),
            value: self.value.next(row, &mut cursor.value).map(|v| v.data()),
            timestamp: self.timestamp.next(row, &mut cursor.timestamp).copied(),
            checkpoint: *self.checkpoint.next(row, &mut cursor.checkpoint)?,
        })
    }
}

struct Group<'a> {
    metadata: &'a RowGroupMetaData,
    leaves: &'a [usize; schema::FIXED.len()],
    offset: u64,
    bytes: &'a Bytes,
}

impl Group<'_> {
    fn column<T: DataType>(&self, fixed: usize) -> ParquetResult<Column<T>> {
        let chunk = self.metadata.column(self.leaves[fixed]);
        let (start, length) = chunk.byte_range();
        let bytes = start.checked_sub(self.offset).and_then(|from| {
            let from = usize::try_from(from).ok()?;
            let to = from.checked_add(usize::try_from(length).ok()?)?;
            (from <= to && to <= self.bytes.len()).then(|| self.bytes.slice(from..to))
        });
        let bytes = bytes.ok_or_else(|| cut_off("a column is not in its row group"))?;
        let chunk_bytes = Chunk { bytes, start };
        let rows = usize::try_from(self.metadata.num_rows()).unwrap_or_default();
        let pages = SerializedPageReader::new(Arc::new(chunk_bytes), chunk, rows, None)?;
        Ok(Column {
            reader: ColumnReaderImpl::new(chunk.column_descr_ptr(), Box::new(pages)),
            values: Vec::new(),
            levels: Vec::new(),
            optional: chunk.column_descr().max_def_level() > 0,
        })
    }
}

/// One column: the values of a batch, and for an optional one which rows have one.
struct Column<T: DataType> {
    reader: ColumnReaderImpl<T>,
    values: Vec<T::T>,
    levels: Vec<i16>,
    optional: bool,
}

impl<T: DataType> Column<T> {
    fn fill(&mut self, rows: usize) -> ParquetResult<()> {
        self.values.clear();
        self.levels.clear();
        let (records, _, _) =
            self.reader
                .read_records(rows, Some(&mut self.levels), None, &mut self.values)?;
        let values = if self.optional {
            let present = self.levels.iter().filter(|level| **level != 0);
            if self.levels.len() == rows {
                present.count()
            } else {
                usize::MAX
            }
        } else {
            rows
        };
        if records != rows || self.values.len() != values {
            return Err(cut_off("a column has too few rows"));
        }
        Ok(())
    }

    /// The value of an optional column; rows have to be asked in order.
    fn next(&self, row: usize, cursor: &mut usize) -> Option<&T::T> {
        if self.levels[row] == 0 {
            return None;
        }
        let value = self.values.get(*cursor);
        *cursor += 1;
        value
    }
}

/// The bytes of one column, at their place of the file.
struct Chunk {
    bytes: Bytes,
    start: u64,
}

impl Chunk {
    fn at(&self, start: u64, length: Option<usize>) -> ParquetResult<Bytes> {
        let found = start.checked_sub(self.start).and_then(|from| {
            let from = usize::try_from(from).ok()?;
            let to = match length {
                Some(length) => from.checked_add(length)?,
                None => self.bytes.len(),
            };
            (from <= to && to <= self.bytes.len()).then(|| self.bytes.slice(from..to))
        });
        found.ok_or_else(|| cut_off("a page is not in its column"))
    }
}

impl Length for Chunk {
    fn len(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

impl ChunkReader for Chunk {
    type T = bytes::buf::Reader<Bytes>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(self.at(start, None)?.reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        self.at(start, Some(length))
    }
}

fn cut_off(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}
