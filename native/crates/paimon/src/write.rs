//! Writing a data file, in pieces as they are asked for.

use crate::columns::TableColumns;
use crate::compression::Compression;
use crate::guard;
use crate::row::TableRow;
use crate::schema;
use crate::stage::Stage;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::writer::SerializedFileWriter;
use sf_core::{Error, Result};
use std::sync::Arc;

/// A row group ends at the end of a key group once it holds so much, and at twice that anywhere. It is in memory as
/// a whole while it is written, and in each thread of a restore.
const GROUP_BYTES: usize = 2 * 1024 * 1024;
const GROUP_ROWS: usize = 64 * 1024;
/// Parquet counts the bytes of a page in 31 bits.
const MAX_FIELD: usize = 1 << 30;
/// Paimon's deletion vectors of 32 bits number rows as Java's `int`.
const MAX_ROWS: u64 = i32::MAX as u64;

/// What went into a data file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileTotals {
    /// Rows.
    pub rows: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Bytes of the rows, see [`TableRow::raw_len`].
    pub raw_bytes: u64,
}

/// Turns rows into the bytes of a data file. The caller pushes rows in ascending order of their key groups and
/// takes finished bytes from [`DataFileWriter::output`] as they come. Holds about one row group.
#[derive(Debug)]
pub struct DataFileWriter {
    columns: Arc<TableColumns>,
    writer: SerializedFileWriter<Vec<u8>>,
    taken: usize,
    stage: Stage,
    staged_bytes: usize,
    key_group: u32,
    next_sequence: i64,
    sums: Vec<u32>,
    totals: FileTotals,
}

impl DataFileWriter {
    /// A file whose rows have the sequence numbers from `first_sequence` on.
    pub fn new(
        columns: &Arc<TableColumns>,
        compression: Compression,
        first_sequence: i64,
    ) -> Result<Self> {
        let properties = schema::properties(compression);
        let writer = SerializedFileWriter::new(Vec::new(), columns.schema().clone(), properties);
        let mut writer = Self {
            columns: columns.clone(),
            writer: writer.map_err(failed)?,
            taken: 0,
            stage: Stage::new(columns),
            staged_bytes: 0,
            key_group: 0,
            next_sequence: first_sequence,
            sums: Vec::new(),
            totals: FileTotals::default(),
        };
        writer.writer.flush().map_err(|e| failed(e.into()))?;
        writer.totals.file_bytes = writer.writer.inner().len() as u64;
        Ok(writer)
    }

    /// Adds a row. [`sf_core::ErrorKind::User`] when it is too large for a data file.
    pub fn push(&mut self, row: &TableRow<'_>) -> Result<()> {
        let value = row.value.unwrap_or_default();
        let fields = [row.key, row.namespace, row.user_key, value];
        if fields.iter().any(|field| field.len() > MAX_FIELD) {
            return Err(Error::user(format!(
                "a key or value of state {} in key group {} has more than {MAX_FIELD} bytes: a Paimon \
                 checkpoint cannot hold it",
                row.state, row.key_group
            )));
        }
        if self.totals.rows == MAX_ROWS {
            return Err(Error::internal(format!(
                "a data file cannot hold more than {MAX_ROWS} rows"
            )));
        }
        if row.key_group < self.key_group || i32::try_from(row.key_group).is_err() {
            return Err(Error::internal(format!(
                "a row of key group {} comes after one of {}",
                row.key_group, self.key_group
            )));
        }
        if row.key_group != self.key_group {
            self.key_group = row.key_group;
            self.end_group_of(1)?;
        }
        let raw = row.raw_len();
        let typed = self.stage.push(row, &self.columns);
        self.staged_bytes += raw + typed;
        self.totals.raw_bytes += raw as u64;
        self.totals.rows += 1;
        self.end_group_of(2)
    }

    /// Ends the row group if it holds `times` as much as is wanted.
    fn end_group_of(&mut self, times: usize) -> Result<()> {
        let full = self.staged_bytes >= GROUP_BYTES * times;
        if full || self.stage.rows() >= GROUP_ROWS * times {
            return self.end_group();
        }
        Ok(())
    }

    fn end_group(&mut self) -> Result<()> {
        if self.stage.rows() == 0 {
            return Ok(());
        }
        let before = self.writer.inner().len();
        self.encode().map_err(failed)?;
        let bytes = &self.writer.inner()[before..];
        self.sums.push(crc32c::crc32c(bytes));
        self.totals.file_bytes += bytes.len() as u64;
        self.next_sequence += self.stage.rows() as i64;
        self.stage.clear();
        self.staged_bytes = 0;
        Ok(())
    }

    fn encode(&mut self) -> ParquetResult<()> {
        let mut group = self.writer.next_row_group()?;
        let mut position = 0;
        while let Some(mut column) = group.next_column()? {
            self.stage
                .write(position, &mut column, self.next_sequence)?;
            column.close()?;
            position += 1;
        }
        group.close()?;
        self.writer.flush().map_err(ParquetError::from)
    }

    /// Ends the file. Nothing may be pushed afterwards.
    pub fn finish(&mut self) -> Result<()> {
        self.end_group()?;
        let before = self.writer.inner().len();
        self.writer.finish().map_err(failed)?;
        let out = self.writer.inner_mut();
        let footer = out.split_off(before);
        guard::write(&self.sums, &footer, out);
        out.extend_from_slice(&footer);
        self.totals.file_bytes += (out.len() - before) as u64;
        Ok(())
    }

    /// Bytes that are ready.
    pub fn ready(&self) -> usize {
        self.writer.inner().len() - self.taken
    }

    /// Copies ready bytes into `target`; returns how many.
    pub fn output(&mut self, target: &mut [u8]) -> usize {
        let out = self.writer.inner_mut();
        let len = (out.len() - self.taken).min(target.len());
        target[..len].copy_from_slice(&out[self.taken..self.taken + len]);
        self.taken += len;
        if self.taken >= out.len() - self.taken {
            // Moves no more than was taken: what is kept never grows with the file.
            out.drain(..self.taken);
            self.taken = 0;
        }
        len
    }

    /// Bytes that the writer holds for its output.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.writer.inner().capacity()
    }

    /// What went in, and how many bytes are finished.
    pub fn totals(&self) -> FileTotals {
        self.totals
    }
}

fn failed(cause: ParquetError) -> Error {
    Error::internal(format!("a data file cannot be encoded: {cause}"))
}
