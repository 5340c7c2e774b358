//! A checkpoint of a frozen store as data files and deletion vectors, a piece at a time.

use crate::columns::TableColumns;
use crate::compression::Compression;
use crate::deletion;
use crate::layout::{Sequence, StateLayout, table_row};
use crate::places::Places;
use crate::policy::CompactionLimits;
use crate::tracker::TablePlan;
use crate::version::{DataFile, TableVersion, Unit};
use crate::write::DataFileWriter;
use sf_core::{MemoryBudget, Result};
use sf_store::{Frozen, PlacedRows};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Rows written between two looks at how many bytes are ready.
const ROWS_PER_STEP: usize = 1024;

/// How tables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableOptions {
    /// Buckets; a row's is its key group modulo this.
    pub buckets: u32,
    /// A file that has reached so many bytes ends with its key group.
    pub target_file_bytes: u64,
    /// When files are written again.
    pub limits: CompactionLimits,
}

/// What the columns of a table are and how keys are split into them.
#[derive(Debug)]
pub struct TableLayout {
    /// Typed columns.
    pub columns: Arc<TableColumns>,
    /// By state; missing ones are not split.
    pub states: Vec<StateLayout>,
}

/// A bucket's deletion-vector index file.
#[derive(Debug, Default)]
pub struct BucketIndex {
    /// The file; empty when no row of the bucket is dead.
    pub bytes: Vec<u8>,
    /// Its entries by data file.
    pub entries: BTreeMap<u64, deletion::Entry>,
}

/// Sums over a checkpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TableTotals {
    /// Rows written.
    pub rows: u64,
    /// Rows of older files that died.
    pub died: u64,
    /// Bytes of new data files and of deletion vectors.
    pub file_bytes: u64,
    /// Bytes of the rows before compression.
    pub raw_bytes: u64,
}

/// A finished checkpoint.
#[derive(Debug)]
pub struct WrittenTable {
    /// The table as later checkpoints find it.
    pub version: Arc<TableVersion>,
    /// Deletion vectors by bucket.
    pub indexes: Vec<BucketIndex>,
    /// Numbers of the files that it wrote.
    pub new_files: Vec<u64>,
    /// What went in.
    pub totals: TableTotals,
}

struct OpenFile {
    number: u64,
    bucket: u32,
    writer: DataFileWriter,
    drained: u64,
    rows: u32,
    first_key_group: u32,
    last_key_group: u32,
    units: Vec<(usize, Unit)>,
    /// The key group that is being written, and its next row.
    group: Option<(usize, PlacedRows, usize)>,
    ended: bool,
}

/// Writes one checkpoint. Any one thread.
pub struct TableSnapshot {
    plan: TablePlan,
    options: TableOptions,
    layout: Arc<TableLayout>,
    compression: Compression,
    checkpoint_id: i64,
    budget: Arc<MemoryBudget>,
    /// Key groups that were not looked at yet, by bucket.
    order: VecDeque<(u32, usize)>,
    open: Option<OpenFile>,
    finished: Vec<(DataFile, Vec<(usize, Unit)>)>,
    totals: TableTotals,
    done: Option<Arc<WrittenTable>>,
}

impl TableSnapshot {
    /// A checkpoint of the rows that `plan` wants. `frozen` is the same at every call.
    pub fn new(
        plan: TablePlan,
        options: TableOptions,
        layout: Arc<TableLayout>,
        compression: Compression,
        checkpoint_id: i64,
        budget: Arc<MemoryBudget>,
    ) -> Self {
        Self {
            plan,
            options,
            layout,
            compression,
            checkpoint_id,
            budget,
            order: VecDeque::new(),
            open: None,
            finished: Vec::new(),
            totals: TableTotals::default(),
            done: None,
        }
    }

    /// What was written, after the last file.
    pub fn done(&self) -> Option<&Arc<WrittenTable>> {
        self.done.as_ref()
    }

    /// Begins the next data file: its number and bucket; `None` when there is no more. The bytes of the one
    /// before were all taken.
    pub fn next_file(&mut self, frozen: &mut Frozen) -> Result<Option<(u64, u32)>> {
        debug_assert!(self.open.is_none());
        if self.done.is_some() {
            return Ok(None);
        }
        if self.finished.is_empty() && self.order.is_empty() {
            self.order = self.key_groups_by_bucket(frozen);
        }
        while let Some((bucket, slot)) = self.order.pop_front() {
            let rows = placed_rows(frozen, slot)?;
            if rows.is_empty() {
                continue;
            }
            let number = self.plan.numbers.next();
            let key_group = frozen.groups()[slot].key_group();
            let mut file = OpenFile {
                number,
                bucket,
                writer: DataFileWriter::new(
                    &self.layout.columns,
                    self.compression,
                    first_sequence(number),
                )?,
                drained: 0,
                rows: 0,
                first_key_group: key_group,
                last_key_group: key_group,
                units: Vec::new(),
                group: None,
                ended: false,
            };
            self.begin_group(&mut file, frozen, slot, rows);
            self.open = Some(file);
            return Ok(Some((number, bucket)));
        }
        self.done = Some(Arc::new(self.finish(frozen)?));
        Ok(None)
    }

    /// Copies the next bytes of the file; 0 at its end.
    pub fn next(&mut self, frozen: &mut Frozen, out: &mut [u8]) -> Result<usize> {
        let Some(mut file) = self.open.take() else {
            return Ok(0);
        };
        while file.writer.ready() < out.len() && !file.ended {
            self.step(&mut file, frozen)?;
        }
        let len = file.writer.output(out);
        file.drained += len as u64;
        if len > 0 {
            self.open = Some(file);
            return Ok(len);
        }
        let totals = file.writer.totals();
        self.totals.rows += totals.rows;
        self.totals.file_bytes += totals.file_bytes;
        self.totals.raw_bytes += totals.raw_bytes;
        let data_file = DataFile {
            number: file.number,
            bucket: file.bucket,
            bytes: totals.file_bytes,
            rows: totals.rows,
            first_sequence: first_sequence(file.number),
            first_key_group: file.first_key_group,
            last_key_group: file.last_key_group,
        };
        self.finished.push((data_file, file.units));
        Ok(0)
    }

    fn key_groups_by_bucket(&self, frozen: &Frozen) -> VecDeque<(u32, usize)> {
        let buckets = self.options.buckets;
        let mut order: Vec<(u32, usize)> = frozen
            .groups()
            .iter()
            .enumerate()
            .map(|(slot, group)| (group.key_group() % buckets, slot))
            .collect();
        order.sort_unstable();
        order.into()
    }

    fn begin_group(&self, file: &mut OpenFile, frozen: &Frozen, slot: usize, rows: PlacedRows) {
        let mut places = BTreeMap::new();
        let mut at = 0;
        while at < rows.len() {
            let state = rows.name(at).0;
            let end = (at..rows.len()).find(|at| rows.name(*at).0 != state);
            let end = end.unwrap_or(rows.len());
            let names = (at..end).map(|at| (rows.name(at).1, rows.name(at).2));
            places.insert(state, Places::new(file.rows + at as u32, names));
            at = end;
        }
        let epochs = self
            .plan
            .base
            .written(slot, self.plan.since_epoch, frozen.epoch());
        let unit = Unit::new(file.number, epochs, places, &self.budget);
        file.units.push((slot, unit));
        file.last_key_group = frozen.groups()[slot].key_group();
        file.group = Some((slot, rows, 0));
    }

    fn step(&mut self, file: &mut OpenFile, frozen: &mut Frozen) -> Result<()> {
        if let Some((slot, rows, at)) = file.group.take() {
            let end = rows.len().min(at + ROWS_PER_STEP);
            let key_group = frozen.groups()[slot].key_group();
            for at in at..end {
                let row = rows.row(frozen, at);
                let state = row.state as usize;
                let layout = self.layout.states.get(state).copied().unwrap_or_default();
                let mut place = Sequence::default();
                let context = (key_group, self.checkpoint_id);
                let row = table_row(&row, &frozen.states()[state], layout, context, &mut place);
                file.writer.push(&row)?;
            }
            file.rows += (end - at) as u32;
            if end < rows.len() {
                file.group = Some((slot, rows, end));
            } else {
                frozen.release(slot);
            }
            return Ok(());
        }
        let bytes = file.drained + file.writer.ready() as u64;
        while bytes < self.options.target_file_bytes
            && let Some((_, slot)) = self.order.pop_front_if(|next| next.0 == file.bucket)
        {
            let rows = placed_rows(frozen, slot)?;
            if !rows.is_empty() {
                self.begin_group(file, frozen, slot, rows);
                return Ok(());
            }
        }
        file.writer.finish()?;
        file.ended = true;
        Ok(())
    }

    fn finish(&mut self, frozen: &Frozen) -> Result<WrittenTable> {
        let (mut version, died) = self.plan.base.after(frozen);
        let mut new_files = Vec::new();
        for (file, units) in self.finished.drain(..) {
            new_files.push(file.number);
            version.add(file, units);
        }
        version.plan_compaction(&self.options.limits);
        let indexes = (0..self.options.buckets)
            .map(|bucket| bucket_index(&version, bucket))
            .collect::<Result<Vec<_>>>()?;
        let index_bytes: usize = indexes.iter().map(|index| index.bytes.len()).sum();
        self.totals.died = died;
        self.totals.file_bytes += index_bytes as u64;
        Ok(WrittenTable {
            version: Arc::new(version),
            indexes,
            new_files,
            totals: self.totals,
        })
    }
}

/// The rows of a key group; what was read for it is released at once when there is none.
fn placed_rows(frozen: &mut Frozen, slot: usize) -> Result<PlacedRows> {
    frozen.load(slot)?;
    let rows = frozen.placed_rows(slot);
    if rows.is_empty() {
        frozen.release(slot);
    }
    Ok(rows)
}

/// Sequence numbers of files never meet: a file has less than 2^32 rows.
fn first_sequence(number: u64) -> i64 {
    (number << u32::BITS) as i64
}

fn bucket_index(version: &TableVersion, bucket: u32) -> Result<BucketIndex> {
    let files: Vec<_> = version
        .files()
        .filter(|live| live.file.bucket == bucket && !live.dead.is_empty())
        .collect();
    if files.is_empty() {
        return Ok(BucketIndex::default());
    }
    let vectors: Vec<_> = files.iter().map(|live| &*live.dead).collect();
    let (bytes, entries) = deletion::encode(&vectors)?;
    let numbers = files.iter().map(|live| live.file.number);
    Ok(BucketIndex {
        bytes,
        entries: numbers.zip(entries).collect(),
    })
}
