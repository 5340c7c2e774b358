//! Stores: life, states, upkeep, figures.

use crate::budget::SfBudget;
use crate::status::{
    Poisonable, SF_OK, closed, free_handle, guard_pointer, guard_store, input, into_handle,
};
use crate::table::Tables;
use sf_checkpoint::ChainTracker;
use sf_core::{Error, KeyGroupRange};
use sf_store::{StateKind, Store, Ttl};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A keyed store and what is known of its checkpoints. Used by the task thread only.
pub struct SfStore {
    pub(crate) store: Store,
    pub(crate) chains: Arc<Mutex<ChainTracker>>,
    /// How its checkpoints are tables, if they are.
    pub(crate) tables: Option<Tables>,
    /// Text of the panic that made the store unusable.
    pub(crate) poison: Option<String>,
    /// The last field: dropped when the memory of the others is free.
    pub(crate) lifetime: Arc<Lifetime>,
}

impl Poisonable for SfStore {
    const WHAT: &'static str = "store";

    fn poison(&mut self) -> &mut Option<String> {
        &mut self.poison
    }
}

/// Shared by a store and its snapshots, which hold its memory together. When the last of them has gone, and
/// before its handle counts as freed, what they have freed goes back to the operating system.
///
/// Each task has a thread of its own, and so an arena of glibc's allocator, which keeps what is freed: over many
/// jobs the process would grow.
#[derive(Debug)]
pub(crate) struct Lifetime(());

impl Drop for Lifetime {
    fn drop(&mut self) {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        {
            unsafe extern "C" {
                safe fn malloc_trim(pad: usize) -> i32;
            }
            malloc_trim(0);
        }
    }
}

/// Makes an empty store for the key groups `kg_first` to `kg_last` of `max_parallelism`.
/// `chunk_bytes`: usual size of a memory chunk, 4096 to 262144, 0: as the budget allows. Null on error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_store_new(
    budget: *mut SfBudget,
    max_parallelism: i32,
    kg_first: i32,
    kg_last: i32,
    chunk_bytes: i32,
) -> *mut SfStore {
    guard_pointer(|| {
        // SAFETY: the module's contract.
        let budget = unsafe { budget.as_ref() }.ok_or_else(|| closed("budget"))?;
        let range = KeyGroupRange::new(kg_first, kg_last, max_parallelism)?;
        let chunk = usize::try_from(chunk_bytes).unwrap_or(usize::MAX);
        let store = Store::new(Arc::clone(&budget.0), range, chunk)?;
        Ok(into_handle(SfStore {
            store,
            chains: Arc::default(),
            tables: None,
            poison: None,
            lifetime: Arc::new(Lifetime(())),
        }))
    })
}

/// Frees a store. Its snapshots live on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_store_free(store: *mut SfStore) -> i32 {
    // SAFETY: the module's contract.
    unsafe { free_handle(store) }
}

/// Rows that do not fit the budget go to files in a directory (UTF-8), which is there and stays while the store lives.
/// After `sf_store_keep_places`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_store_spill_to(
    store: *mut SfStore,
    directory: *const u8,
    len: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |SfStore { store, tables, .. }| {
            let directory = std::str::from_utf8(input(directory, len)?)
                .map_err(|_| Error::user("the path of the spill directory is not UTF-8"))?;
            if tables.is_none() {
                return Err(Error::user("only a store that keeps places can spill"));
            }
            store.spill_to(Path::new(directory))?;
            Ok(SF_OK)
        })
    }
}

/// Four figures, in bytes: in spill files, of living rows in them, written to and read from them so far. `n` is how many
/// fit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_store_spill_stats(store: *mut SfStore, out: *mut i64, n: i32) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let stats = store.store.spill_stats();
            let figures = [stats.spilled, stats.live, stats.written, stats.read];
            for (at, figure) in figures.into_iter().enumerate() {
                if at < usize::try_from(n).unwrap_or(0) {
                    out.add(at).write_unaligned(figure as i64);
                }
            }
            Ok(SF_OK)
        })
    }
}

/// Registers a state and returns its number. Kinds: 0 value, 1 list, 2 map, 3 timer. `want_id` -1: the next
/// free number; otherwise the number must be the next free one or already this state's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_state_register(
    store: *mut SfStore,
    kind: i32,
    name: *const u8,
    name_len: i32,
    want_id: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let name = String::from_utf8_lossy(input(name, name_len)?);
            let kind = match kind {
                0 => StateKind::Value,
                1 => StateKind::List,
                2 => StateKind::Map,
                3 => StateKind::Timer,
                _ => {
                    return Err(Error::user(format!(
                        "state '{name}' is of unknown kind {kind}"
                    )));
                }
            };
            Ok(store
                .store
                .register(&name, kind, usize::try_from(want_id).ok())? as i32)
        })
    }
}

/// Tells the store where a state's values keep the time of last access (big-endian milliseconds at byte
/// `ts_offset`) and how long they live after it. `ttl_millis` 0: not at all. Flags: 1 sweep expired rows
/// in the background, 2 leave them out of full snapshots. Without effect for lists and timers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_state_set_ttl(
    store: *mut SfStore,
    state: i32,
    ttl_millis: i64,
    ts_offset: i32,
    flags: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let ttl = Ttl {
                millis: ttl_millis,
                offset: usize::try_from(ts_offset).unwrap_or(0),
                sweep: flags & 1 != 0,
                filter_full_snapshots: flags & 2 != 0,
            };
            store.store.set_ttl(state, Some(ttl))?;
            Ok(SF_OK)
        })
    }
}

/// Deletes every row of a state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_state_clear_all(store: *mut SfStore, state: i32) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            store.store.clear_state(state)?;
            Ok(SF_OK)
        })
    }
}

/// Living rows of a state: values, list keys, map entries, timers. Negative: an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_state_rows(store: *mut SfStore, state: i32) -> i64 {
    let mut rows = 0;
    // SAFETY: the module's contract.
    let status = unsafe {
        guard_store(store, |store| {
            rows = store.store.rows(state)? as i64;
            Ok(SF_OK)
        })
    };
    if status == SF_OK {
        rows
    } else {
        i64::from(status)
    }
}

/// Provides what the last call that answered "needs reserve" lacked: memory from the budget, compaction when
/// it is short. Fails with a memory error that names the state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_store_reserve(store: *mut SfStore) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            store.store.reserve()?;
            Ok(SF_OK)
        })
    }
}

/// A bounded step of background work; `now_millis` is the TTL clock. Returns 1 when more is waiting.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_store_maintain(store: *mut SfStore, now_millis: i64) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            Ok(i32::from(store.store.maintain(now_millis)?))
        })
    }
}

/// Writes up to `n` figures: living rows, living bytes, charged bytes, timers, epoch, garbage bytes, tombstone
/// bytes, bytes compacted so far. Returns how many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_store_stats(store: *mut SfStore, out: *mut i64, n: i32) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let stats = store.store.stats();
            let figures = [
                stats.rows,
                stats.live_bytes,
                stats.allocated_bytes,
                stats.timers,
                stats.epoch,
                stats.garbage_bytes,
                stats.tombstone_bytes,
                stats.compacted_bytes,
            ];
            let n = figures.len().min(usize::try_from(n).unwrap_or(0));
            for (at, figure) in figures[..n].iter().enumerate() {
                out.add(at).write_unaligned(*figure as i64);
            }
            Ok(n as i32)
        })
    }
}

/// For tests: panics, so that the store is poisoned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_test_panic(store: *mut SfStore) -> i32 {
    // SAFETY: the module's contract.
    unsafe { guard_store(store, |_| panic!("test panic")) }
}
