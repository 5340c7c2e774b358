//! Checkpoints as tables, and reading them back.

use crate::out::{Out, too_small};
use crate::restore::{SfLoader, guard_loader, state_here, take_i32, take_i64};
use crate::snapshot::{SfSnapshot, guard_table};
use crate::status::{SF_OK, guard, guard_store, input, output};
use crate::store::SfStore;
use roaring::RoaringBitmap;
use sf_core::{Error, Result};
use sf_paimon::{
    BucketIndex, CompactionLimits, DataFile, DataFileIndex, LiveFile, StateLayout, TableColumns,
    TableLayout, TableOptions, TableTracker, TableVersion, WrittenTable, deletion, store_row,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The tracker, shared by the store and its snapshots.
pub(crate) type SharedTracker = Arc<Mutex<TableTracker>>;

/// What makes a store's checkpoints tables.
pub(crate) struct Tables {
    pub(crate) tracker: SharedTracker,
    pub(crate) options: TableOptions,
    pub(crate) layout: Arc<TableLayout>,
}

/// A data file that is being loaded.
pub(crate) struct OpenTable {
    epoch: u32,
    index: DataFileIndex,
    dead: RoaringBitmap,
    name: String,
}

/// The tracker; a panic elsewhere does not make its maps wrong.
pub(crate) fn lock(tracker: &Mutex<TableTracker>) -> MutexGuard<'_, TableTracker> {
    tracker.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on the checkpoints of this store, which has no row yet, are tables. Options:
/// `[i32 buckets][i64 target file bytes][i64 rows that a checkpoint may write again][i32 dead percent][i32 fan-in]`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_store_keep_places(
    store: *mut SfStore,
    options: *const u8,
    len: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |SfStore { store, tables, .. }| {
            let options = parse_options(input(options, len)?)
                .ok_or_else(|| Error::user("the options of tables are not as expected"))?;
            if store.stats().rows > 0 || store.epoch() > 1 {
                return Err(Error::user("the store is in use already"));
            }
            store.log_deaths();
            *tables = Some(Tables {
                tracker: Arc::new(Mutex::new(TableTracker::new(store.range().count()))),
                options,
                layout: Arc::new(TableLayout {
                    columns: Arc::new(TableColumns::new(Vec::new())?),
                    states: Vec::new(),
                }),
            });
            Ok(SF_OK)
        })
    }
}

fn parse_options(mut bytes: &[u8]) -> Option<TableOptions> {
    let bytes = &mut bytes;
    let options = TableOptions {
        buckets: u32::try_from(take_i32(bytes)?).ok().filter(|n| *n > 0)?,
        target_file_bytes: u64::try_from(take_i64(bytes)?).ok()?,
        limits: CompactionLimits {
            rows_per_checkpoint: u64::try_from(take_i64(bytes)?).ok()?,
            dead_percent: u64::try_from(take_i32(bytes)?).ok().filter(|n| *n > 0)?,
            fan_in: usize::try_from(take_i32(bytes)?).ok().filter(|n| *n > 1)?,
        },
    };
    bytes.is_empty().then_some(options)
}

/// How coming snapshots split keys and which typed columns they have: `[i32 n]` states, by number,
/// `[i32 namespace length or -1][i32 key length or -1]`, then the columns, as `sf_paimon::TableColumns` describes them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_store_columns(store: *mut SfStore, bytes: *const u8, len: i32) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |SfStore { tables, .. }| {
            let mut bytes = input(bytes, len)?;
            let states = parse_layouts(&mut bytes)
                .ok_or_else(|| Error::user("the layout of states is not as expected"))?;
            let columns = Arc::new(TableColumns::parse(bytes)?);
            let tables = tables
                .as_mut()
                .ok_or_else(|| Error::user("the store's checkpoints are no tables"))?;
            tables.layout = Arc::new(TableLayout { columns, states });
            Ok(SF_OK)
        })
    }
}

fn parse_layouts(bytes: &mut &[u8]) -> Option<Vec<StateLayout>> {
    (0..take_i32(bytes)?)
        .map(|_| {
            Some(StateLayout {
                namespace_len: usize::try_from(take_i32(bytes)?).ok(),
                key_len: usize::try_from(take_i32(bytes)?).ok(),
            })
        })
        .collect()
}

/// Begins the next data file of a table: `[i64 number][i32 bucket]`, its bytes are those of `sf_snapshot_next`.
/// Returns bytes written, 0: there is no more file, and the snapshot can be described.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_table_next_file(
    snapshot: *mut SfSnapshot,
    out: *mut u8,
    cap: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_table(snapshot, |table, frozen, checkpoint_id, tracker| {
            let bytes = output(out, cap)?;
            if bytes.len() < 12 {
                return Ok(too_small(bytes, 12));
            }
            if let Some((number, bucket)) = table.next_file(frozen)? {
                let mut out = Out::new(bytes);
                out.i64(number as i64);
                out.i32(bucket as i32);
                return Ok(out.len() as i32);
            }
            if let (Some(tracker), Some(done)) = (tracker, table.done()) {
                let version = Arc::clone(&done.version);
                lock(tracker).checkpoints.written(checkpoint_id, version);
            }
            Ok(0)
        })
    }
}

fn written(table: &sf_paimon::TableSnapshot) -> Result<&Arc<WrittenTable>> {
    let done = table.done();
    done.ok_or_else(|| Error::user("the table is not written yet"))
}

/// After the last data file: the deletion-vector index file of a bucket. Returns bytes written, 0: the bucket has
/// none, or "too small".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_table_index(
    snapshot: *mut SfSnapshot,
    bucket: i32,
    out: *mut u8,
    cap: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_table(snapshot, |table, _, _, _| {
            let out = output(out, cap)?;
            let bucket = usize::try_from(bucket).unwrap_or(usize::MAX);
            let index = written(table)?.indexes.get(bucket);
            let index: &BucketIndex =
                index.ok_or_else(|| Error::user("the table has no such bucket"))?;
            match out.get_mut(..index.bytes.len()) {
                Some(out) => {
                    out.copy_from_slice(&index.bytes);
                    Ok(index.bytes.len() as i32)
                }
                None => Ok(too_small(out, index.bytes.len().max(8))),
            }
        })
    }
}

/// After the last data file: `[i64 epoch][i64 rows written][i64 rows deleted][i64 file bytes][i64 raw bytes]`, then
/// `[i32 n]` data files of the checkpoint, by number: `[i64 number][i32 bucket][i32 is new][i64 bytes][i64 rows]`
/// `[i64 first sequence][i32 first key group][i32 last key group][i32 deletion vector's offset or -1][i32 its length]`
/// `[i64 dead rows]`. Returns bytes written, or "too small".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_table_describe(
    snapshot: *mut SfSnapshot,
    out: *mut u8,
    cap: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_table(snapshot, |table, frozen, _, _| {
            let bytes = output(out, cap)?;
            let done = written(table)?;
            let files = done.version.files().count();
            let needed = 44 + files * 64;
            if needed > bytes.len() {
                return Ok(too_small(bytes, needed));
            }
            let totals = done.totals;
            let mut out = Out::new(bytes);
            out.i64(i64::from(frozen.epoch()));
            for figure in [
                totals.rows,
                totals.died,
                totals.file_bytes,
                totals.raw_bytes,
            ] {
                out.i64(figure as i64);
            }
            out.i32(files as i32);
            for live in done.version.files() {
                describe_file(live, done, &mut out);
            }
            Ok(out.len() as i32)
        })
    }
}

fn describe_file(live: &LiveFile, done: &WrittenTable, out: &mut Out<'_>) {
    let file = live.file;
    let index = &done.indexes[file.bucket as usize];
    let vector = index.entries.get(&file.number);
    out.i64(file.number as i64);
    out.i32(file.bucket as i32);
    out.i32(i32::from(done.new_files.contains(&file.number)));
    out.i64(file.bytes as i64);
    out.i64(file.rows as i64);
    out.i64(file.first_sequence);
    out.i32(file.first_key_group as i32);
    out.i32(file.last_key_group as i32);
    out.i32(vector.map_or(-1, |entry| entry.offset as i32));
    out.i32(vector.map_or(0, |entry| entry.length as i32));
    out.i64(live.dead.len() as i64);
}

/// Reads the footer of a data file from its last `tail_len` bytes. Out: `[i32 n]` row groups
/// `[i64 offset][i64 length][i64 rows][i64 first row][i32 first key group][i32 last key group]`; returns bytes written, or
/// "too small". 0: the tail is too short, its needed length is in the first eight bytes. `name` is for error texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_table_footer(
    tail: *const u8,
    tail_len: i32,
    file_len: i64,
    name: *const u8,
    name_len: i32,
    out: *mut u8,
    cap: i32,
) -> i32 {
    // SAFETY: the module's contract.
    guard(|| unsafe {
        let (tail, bytes) = (input(tail, tail_len)?, output(out, cap)?);
        let name = String::from_utf8_lossy(input(name, name_len)?);
        let index = match footer(tail, file_len, &name)? {
            Ok(index) => index,
            Err(needed) => {
                too_small(bytes, needed);
                return Ok(0);
            }
        };
        let groups = index.row_groups();
        let needed = 4 + groups.len() * 40;
        if needed > bytes.len() {
            return Ok(too_small(bytes, needed.max(8)));
        }
        let mut out = Out::new(bytes);
        out.i32(groups.len() as i32);
        for group in groups {
            let (rows, first) = (u64::from(group.rows), u64::from(group.first_row));
            for word in [group.offset, group.length, rows, first] {
                out.i64(word as i64);
            }
            out.i32(group.first_key_group as i32);
            out.i32(group.last_key_group as i32);
        }
        Ok(out.len() as i32)
    })
}

fn footer(
    tail: &[u8],
    file_len: i64,
    name: &str,
) -> Result<std::result::Result<DataFileIndex, usize>> {
    let len = u64::try_from(file_len).unwrap_or(0);
    DataFileIndex::parse(tail, len).map_err(|e| in_file(&e, name))
}

fn in_file(error: &Error, name: &str) -> Error {
    Error::new(
        error.kind(),
        format!("data file {name}: {}", error.message()),
    )
}

/// Opens a data file in a loader; its rows belong to `epoch`. `tail` is long enough for the footer. `vector` is its
/// part of the deletion-vector index file, from the entry's offset on, empty without one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_loader_table(
    loader: *mut SfLoader,
    epoch: i32,
    tail: *const u8,
    tail_len: i32,
    file_len: i64,
    vector: *const u8,
    vector_len: i32,
    name: *const u8,
    name_len: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_loader(loader, |loader| {
            let name = String::from_utf8_lossy(input(name, name_len)?).into_owned();
            let index = footer(input(tail, tail_len)?, file_len, &name)?;
            let index = index.map_err(|needed| {
                Error::user(format!("data file {name}: its footer has {needed} bytes"))
            })?;
            loader.table = Some(OpenTable {
                epoch: u32::try_from(epoch).unwrap_or(0),
                index,
                dead: dead_rows(input(vector, vector_len)?).map_err(|e| in_file(&e, &name))?,
                name,
            });
            Ok(SF_OK)
        })
    }
}

fn dead_rows(vector: &[u8]) -> Result<RoaringBitmap> {
    match vector {
        [] => Ok(RoaringBitmap::new()),
        bytes => deletion::decode_part(bytes),
    }
}

/// Memory of the loader for the `len` bytes of a row group: written by the caller, valid until the loader's next
/// call. Null on error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_loader_row_group_bytes(loader: *mut SfLoader, len: i32) -> *mut u8 {
    let mut room = std::ptr::null_mut();
    // SAFETY: the module's contract.
    unsafe {
        guard_loader(loader, |loader| {
            let len = usize::try_from(len).map_err(|_| Error::user("a negative length"))?;
            room = loader.row_group.room(len)?.as_mut_ptr();
            Ok(SF_OK)
        });
    }
    room
}

/// Loads those rows of a row group that live and are of a key group in the range. Its bytes are what was written to
/// the memory that `sf_loader_row_group_bytes` gave last.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_loader_row_group(
    loader: *mut SfLoader,
    group: i32,
    first_key_group: i32,
    last_key_group: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_loader(loader, |loader| {
            let SfLoader {
                loader,
                states,
                table,
                row_group,
                ..
            } = loader;
            let table = table
                .as_ref()
                .ok_or_else(|| Error::user("no data file is open"))?;
            let wanted = first_key_group..=last_key_group;
            let mut key = Vec::new();
            let group = usize::try_from(group).unwrap_or(usize::MAX);
            table
                .index
                .read(group, row_group.bytes(), |at, row| {
                    if !wanted.contains(&(row.key_group as i32)) || table.dead.contains(at) {
                        return Ok(());
                    }
                    let state = state_here(states, row.state)?;
                    let kind = loader.kind(state)?;
                    let loaded = store_row(&row, state, kind, &mut key)?;
                    loader.load_placed(row.key_group, loaded, table.epoch, at)
                })
                .map_err(|e| in_file(&e, &table.name))?;
            Ok(SF_OK)
        })
    }
}

/// After `sf_restore_finish`: later incremental checkpoints build on the restored table. `desc`: `[i32 n]` data files in
/// the order of their epochs: `[i64 number][i32 bucket][i64 bytes][i64 rows][i64 first sequence][i32 first key group]`
/// `[i32 last key group][i32 length][deletion vector, as for sf_loader_table]`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_restore_table(store: *mut SfStore, desc: *const u8, len: i32) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |SfStore { store, tables, .. }| {
            let tables = tables
                .as_ref()
                .ok_or_else(|| Error::user("the store's checkpoints are no tables"))?;
            let files = parse_files(input(desc, len)?)?;
            let epoch = files.len() as u32;
            let range = store.range();
            let version = TableVersion::restored(
                (range.count(), tables.options.buckets),
                files,
                |key_group| range.slot(key_group as i32),
                &tables.options.limits,
                store.budget(),
            );
            store.begin_epoch_after(epoch);
            let mut tracker = lock(&tables.tracker);
            tracker.restored(epoch, version);
            store.advance_base(epoch);
            store.set_deltas_possible(true);
            Ok(SF_OK)
        })
    }
}

fn parse_files(mut bytes: &[u8]) -> Result<Vec<LiveFile>> {
    let cut_off = || Error::corrupt("the description of a table's files is cut off");
    let count = take_i32(&mut bytes).ok_or_else(cut_off)?;
    let mut files = Vec::new();
    for _ in 0..count {
        let (file, vector) = parse_file(&mut bytes).ok_or_else(cut_off)?;
        files.push(LiveFile {
            file,
            dead: Arc::new(dead_rows(vector)?),
        });
    }
    match bytes {
        [] => Ok(files),
        _ => Err(cut_off()),
    }
}

fn parse_file<'a>(bytes: &mut &'a [u8]) -> Option<(DataFile, &'a [u8])> {
    let file = DataFile {
        number: u64::try_from(take_i64(bytes)?).ok()?,
        bucket: u32::try_from(take_i32(bytes)?).ok()?,
        bytes: u64::try_from(take_i64(bytes)?).ok()?,
        rows: u64::try_from(take_i64(bytes)?).ok()?,
        first_sequence: take_i64(bytes)?,
        first_key_group: u32::try_from(take_i32(bytes)?).ok()?,
        last_key_group: u32::try_from(take_i32(bytes)?).ok()?,
    };
    let len = usize::try_from(take_i32(bytes)?).ok()?;
    Some((file, bytes.split_off(..len)?))
}
