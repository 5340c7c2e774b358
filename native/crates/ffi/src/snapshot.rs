//! Snapshots and the life of checkpoints.

use crate::canonical::CanonicalReader;
use crate::out::{Out, too_small};
use crate::segment::SegmentWriter;
use crate::status::{SF_OK, closed, free_handle, guard, guard_store, into_handle, output};
use crate::store::{Lifetime, SfStore};
use crate::table::{self, SharedTracker};
use sf_checkpoint::{Chain, ChainTracker, Checkpoints, Compression, Written};
use sf_core::{Error, Result};
use sf_paimon::{TableSnapshot, TableVersion};
use sf_store::{EpochRange, Frozen};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A store as it was at one moment. Used by one thread at a time, any thread.
pub struct SfSnapshot {
    content: Content,
    frozen: Frozen,
    checkpoint_id: i64,
    /// Where the written chain is reported, unless no later checkpoint may build on this one.
    chains: Option<Arc<Mutex<ChainTracker>>>,
    /// The last field: dropped when the memory of the others is free.
    _lifetime: Arc<Lifetime>,
}

#[allow(clippy::large_enum_variant)] // one per snapshot, on the heap
enum Content {
    Segment {
        writer: SegmentWriter,
        chain: Option<Arc<Chain>>,
    },
    Rows(CanonicalReader),
    Table {
        table: TableSnapshot,
        tracker: Option<SharedTracker>,
    },
}

/// The tracker; a panic elsewhere does not make its maps wrong.
pub(crate) fn lock(chains: &Mutex<ChainTracker>) -> MutexGuard<'_, ChainTracker> {
    chains.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the epoch: a pointer swap. Modes: 0 what changed since the last completed checkpoint, 1 everything
/// as a segment that nothing builds on, 2 everything as rows (`sf_snapshot_rows`), 3 everything as a segment that
/// later checkpoints build on. A store with `sf_store_keep_places` has, in place of 0 and 3: 5 what changed, 7
/// everything as a table that later checkpoints build on, and also 6 everything as a table that nothing builds on.
/// Compression: 0 none, 1 LZ4 (segments), 2 Zstandard, 3 Snappy (tables). `ttl_now` (milliseconds) leaves expired
/// rows out of what is written whole; the least long: keep them. Null on error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_snapshot_begin(
    store: *mut SfStore,
    checkpoint_id: i64,
    mode: i32,
    compression: i32,
    ttl_now: i64,
) -> *mut SfSnapshot {
    let mut made = std::ptr::null_mut();
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            made = into_handle(begin(store, checkpoint_id, mode, compression, ttl_now)?);
            Ok(SF_OK)
        });
    }
    made
}

fn begin(
    store: &mut SfStore,
    checkpoint_id: i64,
    mode: i32,
    compression: i32,
    ttl_now: i64,
) -> Result<SfSnapshot> {
    let code = u8::try_from(compression).unwrap_or(u8::MAX);
    let ttl_now = (ttl_now != i64::MIN).then_some(ttl_now);
    if matches!(mode, 5..=7) {
        return begin_table(store, checkpoint_id, mode, code, ttl_now);
    }
    let compression = Compression::from_code(code);
    let compression = compression.ok_or_else(|| Error::user("the compression is unknown"))?;
    let SfStore {
        store,
        chains,
        tables,
        lifetime,
        ..
    } = store;
    if tables.is_some() && matches!(mode, 0 | 3) {
        return Err(Error::user(
            "the store's incremental checkpoints are tables",
        ));
    }
    let mut tracker = lock(chains);
    let plan = match mode {
        0 | 3 => tracker.plan(checkpoint_id, store.epoch(), mode == 3),
        1 | 2 => tracker.plan_apart(),
        _ => return Err(Error::user(format!("snapshot mode {mode} is unknown"))),
    };
    if tables.is_none() {
        store.set_deltas_possible(tracker.deltas_possible());
    }
    let first = store.range().first();
    let whole: Arc<[EpochRange]> = [EpochRange::ALL].into();
    let changes: Arc<[EpochRange]> = [EpochRange::since(plan.since_epoch)].into();
    let wanted = |slot: usize| match plan.rewrite.binary_search(&(first + slot as u32)) {
        Ok(_) => Arc::clone(&whole),
        Err(_) => Arc::clone(&changes),
    };
    let frozen = store.freeze(wanted, u32::MAX, ttl_now);
    let content = match mode {
        2 => Content::Rows(CanonicalReader::default()),
        _ => Content::Segment {
            writer: SegmentWriter::new(plan, compression),
            chain: None,
        },
    };
    let chains = matches!(mode, 0 | 3).then(|| Arc::clone(chains));
    Ok(SfSnapshot {
        content,
        frozen,
        checkpoint_id,
        chains,
        _lifetime: Arc::clone(lifetime),
    })
}

fn begin_table(
    store: &mut SfStore,
    checkpoint_id: i64,
    mode: i32,
    compression: u8,
    ttl_now: Option<i64>,
) -> Result<SfSnapshot> {
    let compression = sf_paimon::Compression::from_code(compression)
        .ok_or_else(|| Error::user("tables are not compressed this way"))?;
    let SfStore {
        store,
        tables,
        lifetime,
        ..
    } = store;
    let tables = tables
        .as_ref()
        .ok_or_else(|| Error::user("the store does not know where rows lie in tables"))?;
    let mut tracker = table::lock(&tables.tracker);
    let plan = match mode {
        6 => tracker.plan_apart(),
        _ => tracker.plan(checkpoint_id, store.epoch(), mode == 7),
    };
    store.set_deltas_possible(tracker.checkpoints.deltas_possible());
    let frozen = store.freeze(|slot| plan.wanted(slot), plan.since_epoch, ttl_now);
    let table = TableSnapshot::new(
        plan,
        tables.options,
        Arc::clone(&tables.layout),
        compression,
        checkpoint_id,
        Arc::clone(store.budget()),
    );
    Ok(SfSnapshot {
        content: Content::Table {
            table,
            tracker: (mode != 6).then(|| Arc::clone(&tables.tracker)),
        },
        frozen,
        checkpoint_id,
        chains: None,
        _lifetime: Arc::clone(lifetime),
    })
}

/// Runs an export on a snapshot that is a table.
pub(crate) unsafe fn guard_table(
    snapshot: *mut SfSnapshot,
    body: impl FnOnce(&mut TableSnapshot, &mut Frozen, i64, Option<&SharedTracker>) -> Result<i32>,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_snapshot(snapshot, |snapshot| match &mut snapshot.content {
            Content::Table { table, tracker } => body(
                table,
                &mut snapshot.frozen,
                snapshot.checkpoint_id,
                tracker.as_ref(),
            ),
            _ => Err(Error::user("the snapshot is not a table")),
        })
    }
}

unsafe fn guard_snapshot(
    snapshot: *mut SfSnapshot,
    body: impl FnOnce(&mut SfSnapshot) -> Result<i32>,
) -> i32 {
    // SAFETY: the module's contract.
    guard(|| body(unsafe { snapshot.as_mut() }.ok_or_else(|| closed("snapshot"))?))
}

/// The next bytes of the segment file, or of the data file that `sf_table_next_file` began; returns how many, 0
/// at the end. 0 at once: nothing is to be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_snapshot_next(
    snapshot: *mut SfSnapshot,
    out: *mut u8,
    cap: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_snapshot(snapshot, |snapshot| {
            let out = output(out, cap)?;
            let (writer, chain) = match &mut snapshot.content {
                Content::Segment { writer, chain } => (writer, chain),
                Content::Table { table, .. } => {
                    return Ok(table.next(&mut snapshot.frozen, out)? as i32);
                }
                Content::Rows(_) => return Err(Error::user("the snapshot is one of rows")),
            };
            let len = writer.next(&mut snapshot.frozen, out)?;
            if len == 0 && chain.is_none() {
                let whole = writer.plan().base.with(writer.segment());
                let written = Written::new(whole, snapshot.frozen.groups().len());
                *chain = Some(Arc::clone(&written.chain));
                if let Some(chains) = &snapshot.chains {
                    lock(chains).written(snapshot.checkpoint_id, written);
                }
            }
            Ok(len as i32)
        })
    }
}

/// The next rows in the order (key group, state): a page of
/// `[i32 key group][i32 state][i32 key length][i32 value length][key][value]`; a list is one row. Returns bytes
/// written, 0 at the end, or "too small".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_snapshot_rows(
    snapshot: *mut SfSnapshot,
    out: *mut u8,
    cap: i32,
) -> i32 {
    // SAFETY: the module's contract; reader and frozen store are freed together.
    unsafe {
        guard_snapshot(snapshot, |snapshot| {
            let out = output(out, cap)?;
            match &mut snapshot.content {
                Content::Rows(reader) => reader.fill(&mut snapshot.frozen, out),
                _ => Err(Error::user("the snapshot is not one of rows")),
            }
        })
    }
}

/// After the end of `sf_snapshot_next`:
/// `[i64 epoch][i64 new segment or -1][i64 rows][i64 tombstones][i64 file bytes][i64 raw bytes]`, then
/// `[i32 n]` segments of the checkpoint, oldest first: `[i64 number][i32 n]` key groups
/// `[i32 key group][i32 kind: 1 whole, 0 changes][i64 bytes]`. Returns bytes written, or "too small".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_snapshot_describe(
    snapshot: *mut SfSnapshot,
    out: *mut u8,
    cap: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_snapshot(snapshot, |snapshot| {
            let bytes = output(out, cap)?;
            let Content::Segment {
                writer,
                chain: Some(chain),
            } = &snapshot.content
            else {
                return Err(Error::user("the snapshot is not written yet"));
            };
            let groups: usize = chain
                .segments
                .iter()
                .map(|segment| segment.groups.len())
                .sum();
            let needed = 52 + chain.segments.len() * 12 + groups * 16;
            if needed > bytes.len() {
                return Ok(too_small(bytes, needed));
            }
            let totals = writer.totals();
            let mut out = Out::new(bytes);
            out.i64(i64::from(snapshot.frozen.epoch()));
            out.i64(writer.segment().map_or(-1, |segment| segment.number as i64));
            for figure in [
                totals.rows,
                totals.tombstones,
                totals.file_bytes,
                totals.raw_bytes,
            ] {
                out.i64(figure as i64);
            }
            out.i32(chain.segments.len() as i32);
            for segment in &chain.segments {
                out.i64(segment.number as i64);
                out.i32(segment.groups.len() as i32);
                for (key_group, part) in &segment.groups {
                    out.i32(*key_group as i32);
                    out.i32(i32::from(part.kind.code()));
                    out.i64(part.bytes as i64);
                }
            }
            Ok(out.len() as i32)
        })
    }
}

/// Frees a snapshot and the memory that only it held.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_snapshot_free(snapshot: *mut SfSnapshot) -> i32 {
    // SAFETY: the module's contract.
    unsafe { free_handle(snapshot) }
}

/// The checkpoint is complete: the next incremental one builds on it. Unknown ids are ignored. Task thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_checkpoint_complete(store: *mut SfStore, checkpoint_id: i64) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            settle(
                store,
                |chains| chains.complete(checkpoint_id),
                |tables| tables.complete(checkpoint_id),
            );
            Ok(SF_OK)
        })
    }
}

/// The checkpoint will not be completed. Unknown ids are ignored. Task thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_checkpoint_abort(store: *mut SfStore, checkpoint_id: i64) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let chain = |chains: &mut ChainTracker| {
                chains.abort(checkpoint_id);
                None
            };
            let table = |tables: &mut Checkpoints<_>| {
                tables.abort(checkpoint_id);
                None
            };
            settle(store, chain, table);
            Ok(SF_OK)
        })
    }
}

/// Tells the tracker of the store's kind of checkpoint; it answers with the epoch of a new base.
fn settle(
    SfStore {
        store,
        chains,
        tables,
        ..
    }: &mut SfStore,
    chain: impl FnOnce(&mut ChainTracker) -> Option<u32>,
    table: impl FnOnce(&mut Checkpoints<Arc<TableVersion>>) -> Option<u32>,
) {
    let (base, deltas_possible) = match tables {
        Some(tables) => {
            let checkpoints = &mut table::lock(&tables.tracker).checkpoints;
            (table(checkpoints), checkpoints.deltas_possible())
        }
        None => {
            let mut chains = lock(chains);
            (chain(&mut chains), chains.deltas_possible())
        }
    };
    if let Some(epoch) = base {
        store.advance_base(epoch);
    }
    store.set_deltas_possible(deltas_possible);
}
