//! The row door: bounded calls, one row each, on the task thread.
//!
//! `key` is `[key][namespace]`, for maps `[key][namespace][user key]` with `prefix_len` the length of the
//! first two. Values and elements are copied, never kept.

use crate::status::{SF_ABSENT, SF_NEEDS_RESERVE, SF_OK, guard_store, input, output};
use crate::store::SfStore;
use sf_core::{Error, Result};
use sf_store::{Door, TimerChange};

/// Length of a value, which is copied if it fits; the caller grows its buffer and repeats otherwise.
#[inline]
fn copy_out(value: Option<&[u8]>, out: &mut [u8]) -> i32 {
    match value {
        Some(value) => {
            if let Some(out) = out.get_mut(..value.len()) {
                out.copy_from_slice(value);
            }
            value.len() as i32
        }
        None => SF_ABSENT,
    }
}

#[inline]
fn answer<T>(door: Door<T>, status: impl FnOnce(T) -> i32) -> i32 {
    match door {
        Door::Done(done) => status(done),
        Door::NeedsReserve => SF_NEEDS_RESERVE,
    }
}

fn timer_status(change: TimerChange) -> i32 {
    match change {
        TimerChange::Nothing => 0,
        TimerChange::Changed => 1,
        TimerChange::HeadChanged => 2,
    }
}

#[inline]
fn prefix(key: &[u8], prefix_len: i32) -> Result<usize> {
    match usize::try_from(prefix_len) {
        Ok(len) if len <= key.len() => Ok(len),
        _ => Err(Error::user(format!(
            "prefix of {prefix_len} bytes of a key of {}",
            key.len()
        ))),
    }
}

/// Critical: length of the value, which is copied if it fits in `cap`; or "absent", or "needs reserve".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_value_get(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    key: *const u8,
    key_len: i32,
    out: *mut u8,
    cap: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let out = output(out, cap)?;
            let value = store
                .store
                .value_get(state, key_group, input(key, key_len)?)?;
            Ok(answer(value, |value| copy_out(value, out)))
        })
    }
}

/// Critical: inserts or replaces. 0, or "needs reserve".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_value_put(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    key: *const u8,
    key_len: i32,
    value: *const u8,
    value_len: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let (key, value) = (input(key, key_len)?, input(value, value_len)?);
            Ok(answer(
                store.store.value_put(state, key_group, key, value)?,
                |()| SF_OK,
            ))
        })
    }
}

/// Critical: 1 removed, 0 there was none, or "needs reserve".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_value_remove(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    key: *const u8,
    key_len: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let removed = store
                .store
                .value_remove(state, key_group, input(key, key_len)?)?;
            Ok(answer(removed, i32::from))
        })
    }
}

/// Critical: an entry's value, as `sf_value_get`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_map_get(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    key: *const u8,
    prefix_len: i32,
    key_len: i32,
    out: *mut u8,
    cap: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let key = input(key, key_len)?;
            prefix(key, prefix_len)?;
            let out = output(out, cap)?;
            let value = store.store.map_get(state, key_group, key)?;
            Ok(answer(value, |value| copy_out(value, out)))
        })
    }
}

/// Critical: inserts or replaces an entry. 0, or "needs reserve".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_map_put(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    key: *const u8,
    prefix_len: i32,
    key_len: i32,
    value: *const u8,
    value_len: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let (key, value) = (input(key, key_len)?, input(value, value_len)?);
            let prefix_len = prefix(key, prefix_len)?;
            let done = store
                .store
                .map_put(state, key_group, key, prefix_len, value)?;
            Ok(answer(done, |()| SF_OK))
        })
    }
}

/// Critical: 1 removed, 0 there was none, or "needs reserve".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_map_remove(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    key: *const u8,
    prefix_len: i32,
    key_len: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let key = input(key, key_len)?;
            prefix(key, prefix_len)?;
            Ok(answer(
                store.store.map_remove(state, key_group, key)?,
                i32::from,
            ))
        })
    }
}

/// Critical: entries of a map, or "needs reserve".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_map_size(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    key: *const u8,
    prefix_len: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let size = store
                .store
                .map_size(state, key_group, input(key, prefix_len)?)?;
            Ok(answer(size, |size| i32::try_from(size).unwrap_or(i32::MAX)))
        })
    }
}

/// Critical: removes up to 1024 entries; returns how many are left, or "needs reserve".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_map_clear(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    key: *const u8,
    prefix_len: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let left = store
                .store
                .map_clear(state, key_group, input(key, prefix_len)?)?;
            Ok(answer(left, |left| i32::try_from(left).unwrap_or(i32::MAX)))
        })
    }
}

/// Critical: adds an element, or several joined by ','. 0, or "needs reserve".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_list_add(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    key: *const u8,
    key_len: i32,
    element: *const u8,
    element_len: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let (key, element) = (input(key, key_len)?, input(element, element_len)?);
            Ok(answer(
                store.store.list_add(state, key_group, key, element)?,
                |()| SF_OK,
            ))
        })
    }
}

/// Critical: length of the elements joined by ',', copied if they fit; or "absent", or "needs reserve".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_list_get(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    key: *const u8,
    key_len: i32,
    out: *mut u8,
    cap: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let (key, out) = (input(key, key_len)?, output(out, cap)?);
            let len = store.store.list_get(state, key_group, key, out)?;
            match len {
                Door::NeedsReserve => Ok(SF_NEEDS_RESERVE),
                Door::Done(None) => Ok(SF_ABSENT),
                Door::Done(Some(len)) => i32::try_from(len)
                    .map_err(|_| Error::user(format!("a list of {len} bytes is too large"))),
            }
        })
    }
}

/// Critical: replaces a list by elements joined by ','. 0, or "needs reserve".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_list_put(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    key: *const u8,
    key_len: i32,
    joined: *const u8,
    joined_len: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let (key, joined) = (input(key, key_len)?, input(joined, joined_len)?);
            Ok(answer(
                store.store.list_put(state, key_group, key, joined)?,
                |()| SF_OK,
            ))
        })
    }
}

/// Critical: removes up to 1024 chunks of a list; returns how many are left, or "needs reserve".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_list_clear(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    key: *const u8,
    key_len: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let left = store
                .store
                .list_clear(state, key_group, input(key, key_len)?)?;
            Ok(answer(left, |left| i32::try_from(left).unwrap_or(i32::MAX)))
        })
    }
}

/// Critical: adds an element, ordered by its first eight bytes. 0 was there, 1 added, 2 added as the
/// new head, or "needs reserve".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_timer_add(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    element: *const u8,
    element_len: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let change = store
                .store
                .timer_add(state, key_group, input(element, element_len)?)?;
            Ok(answer(change, timer_status))
        })
    }
}

/// Critical: removes an element. 0 was not there, 1 removed, 2 removed and it was the head, or "needs reserve".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_timer_remove(
    store: *mut SfStore,
    state: i32,
    key_group: i32,
    element: *const u8,
    element_len: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let change =
                store
                    .store
                    .timer_remove(state, key_group, input(element, element_len)?)?;
            Ok(answer(change, timer_status))
        })
    }
}

/// Critical: the smallest element over all key groups, as `sf_value_get`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_timer_peek(
    store: *mut SfStore,
    state: i32,
    out: *mut u8,
    cap: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            Ok(copy_out(store.store.timer_peek(state)?, output(out, cap)?))
        })
    }
}

/// Critical: as `sf_timer_peek`, and removes the element if it fits; or "needs reserve".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_timer_poll(
    store: *mut SfStore,
    state: i32,
    out: *mut u8,
    cap: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let out = output(out, cap)?;
            match store.store.timer_peek(state)? {
                Some(head) if head.len() > out.len() => return Ok(head.len() as i32),
                _ => {}
            }
            let polled = store
                .store
                .timer_poll(state, |head| copy_out(Some(head), out))?;
            Ok(answer(polled, |len| len.unwrap_or(SF_ABSENT)))
        })
    }
}
