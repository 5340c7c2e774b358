//! Scans: pages of `[i64 next cursor, -1 at the end][i32 n]` and n entries.

use crate::out::Page;
use crate::status::{SF_NEEDS_RESERVE, guard_store, input, output};
use crate::store::SfStore;
use sf_store::Door;

/// Critical: a page of a map's entries from a cursor on (first 0), in insertion order; entries are
/// `[i32 user key length][i32 value length][user key][value]`. Returns bytes written, "too small" or "needs
/// reserve". The cursor outlives changes of the map.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_map_scan(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    key: *const u8,
    prefix_len: i32,
    cursor: i64,
    out: *mut u8,
    cap: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let (prefix, out) = (input(key, prefix_len)?, output(out, cap)?);
            let mut page = Page::new(out);
            let next =
                store
                    .store
                    .scan_map(state, key_group, prefix, cursor, |entry, user_key| {
                        let Some(out) = page.entry(8 + entry.len()) else {
                            return false;
                        };
                        out.i32(user_key as i32);
                        out.i32((entry.len() - user_key) as i32);
                        out.bytes(entry);
                        true
                    })?;
            Ok(match next {
                Door::Done(next) => page.finish(next.unwrap_or(-1)),
                Door::NeedsReserve => SF_NEEDS_RESERVE,
            })
        })
    }
}

/// A page of a key group's keys: whole keys of a value state, each distinct `[key][namespace]` of a list or map,
/// elements of a timer state; entries are `[i32 length][bytes]`. No row may come or go between pages.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_keys_scan(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    cursor: i64,
    out: *mut u8,
    cap: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let mut page = Page::new(output(out, cap)?);
            let next = store.store.scan_keys(state, key_group, cursor, |key| {
                let Some(out) = page.entry(4 + key.len()) else {
                    return false;
                };
                out.i32(key.len() as i32);
                out.bytes(key);
                true
            })?;
            Ok(page.finish(next.unwrap_or(-1)))
        })
    }
}

/// A page of a key group's rows: `[i32 key length][i32 prefix length][i32 value length][key][value]`; a list is
/// one row with its elements joined. Between pages values may be replaced, but no row may come or go.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_rows_scan(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    cursor: i64,
    out: *mut u8,
    cap: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let mut page = Page::new(output(out, cap)?);
            let next = store.store.scan_rows(state, key_group, cursor, |row| {
                let Some(out) = page.entry(12 + row.key.len() + row.value.len()) else {
                    return false;
                };
                out.i32(row.key.len() as i32);
                out.i32(row.prefix_len as i32);
                out.i32(row.value.len() as i32);
                out.bytes(row.key);
                out.bytes(row.value);
                true
            })?;
            Ok(page.finish(next.unwrap_or(-1)))
        })
    }
}
