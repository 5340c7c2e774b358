//! Status codes, the guard, and what is known of the last error.

use crate::store::SfStore;
use sf_core::{Error, ErrorKind, Result};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use std::sync::atomic::{AtomicI64, Ordering};

/// Done.
pub const SF_OK: i32 = 0;
/// No such row.
pub const SF_ABSENT: i32 = -1;
/// Call `sf_store_reserve`, then repeat the call.
pub const SF_NEEDS_RESERVE: i32 = -2;
/// The output does not fit; the needed capacity is in its first eight bytes.
pub const SF_TOO_SMALL: i32 = -3;
/// The caller asked for something that cannot be.
pub const SF_ERR_USER: i32 = -10;
/// The environment failed.
pub const SF_ERR_EXTERNAL: i32 = -11;
/// A fault of the library; the store is poisoned.
pub const SF_ERR_INTERNAL: i32 = -12;
/// The memory budget is used up.
pub const SF_ERR_MEMORY: i32 = -13;
/// The handle is null.
pub const SF_ERR_CLOSED: i32 = -14;
/// Bytes that were read back are not what was written.
pub const SF_ERR_CORRUPT: i32 = -15;
/// A plan asks for what has no native form; the text is the reason.
pub const SF_ERR_UNSUPPORTED: i32 = -16;

const ABI_VERSION: u32 = 1;

static LIVE_HANDLES: AtomicI64 = AtomicI64::new(0);
static PANIC_HOOK: Once = Once::new();

thread_local! {
    static LAST_ERROR: RefCell<(i32, String)> = const { RefCell::new((SF_OK, String::new())) };
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Version of the ABI; the Java side asks for exactly its own.
#[unsafe(no_mangle)]
pub extern "C" fn sf_abi_version() -> u32 {
    ABI_VERSION
}

/// Copies the hex SHA-256 of the C header that the library was built with; returns its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_abi_fingerprint(out: *mut u8, cap: i32) -> i32 {
    // SAFETY: the module's contract.
    unsafe { copy_text(env!("SF_HEADER_SHA256"), out, cap) }
}

/// Copies as much as fits of the last error's text of this thread (UTF-8); returns its whole length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_last_error(out: *mut u8, cap: i32) -> i32 {
    // SAFETY: the module's contract.
    LAST_ERROR.with_borrow(|(_, text)| unsafe { copy_text(text, out, cap) })
}

/// Status of the last call of this thread that failed; for functions that return a pointer.
#[unsafe(no_mangle)]
pub extern "C" fn sf_last_status() -> i32 {
    LAST_ERROR.with_borrow(|(status, _)| *status)
}

/// Budgets, stores, snapshots and loaders of this process that are not freed.
#[unsafe(no_mangle)]
pub extern "C" fn sf_live_handles() -> i64 {
    LIVE_HANDLES.load(Ordering::Relaxed)
}

/// Bytes charged to all budgets of this process.
#[unsafe(no_mangle)]
pub extern "C" fn sf_charged_bytes() -> i64 {
    sf_core::charged_bytes()
}

unsafe fn copy_text(text: &str, out: *mut u8, cap: i32) -> i32 {
    let len = text.len().min(usize::try_from(cap).unwrap_or(0));
    if !out.is_null() {
        // SAFETY: the caller's buffer has `cap` bytes.
        unsafe { out.copy_from_nonoverlapping(text.as_ptr(), len) };
    }
    text.len() as i32
}

/// Gives a value to Java as an opaque handle.
pub(crate) fn into_handle<T>(value: T) -> *mut T {
    LIVE_HANDLES.fetch_add(1, Ordering::Relaxed);
    Box::into_raw(Box::new(value))
}

/// Takes back what a handle owns; nothing when it is null.
///
/// # Safety
/// The handle came from [`into_handle`] and is not used again.
pub(crate) unsafe fn take_handle<T>(handle: *mut T) -> Option<T> {
    if handle.is_null() {
        return None;
    }
    LIVE_HANDLES.fetch_sub(1, Ordering::Relaxed);
    // SAFETY: the caller's promise.
    Some(*unsafe { Box::from_raw(handle) })
}

/// Frees a handle; null is ignored.
///
/// # Safety
/// The handle came from [`into_handle`] and is not used again.
pub(crate) unsafe fn free_handle<T>(handle: *mut T) -> i32 {
    guard(|| {
        if !handle.is_null() {
            // SAFETY: the caller's promise.
            drop(unsafe { Box::from_raw(handle) });
            LIVE_HANDLES.fetch_sub(1, Ordering::Relaxed);
        }
        Ok(SF_OK)
    })
}

/// Runs an export's body; turns errors and panics into a status.
#[inline]
pub(crate) fn guard(body: impl FnOnce() -> Result<i32>) -> i32 {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => remember(error),
        Err(_) => remember(panicked()),
    }
}

/// As [`guard`], for exports that return a pointer.
pub(crate) fn guard_pointer<T>(body: impl FnOnce() -> Result<*mut T>) -> *mut T {
    PANIC_HOOK.call_once(|| {
        let printing = take_hook();
        set_hook(Box::new(move |info| {
            remember_panic(info);
            printing(info);
        }));
    });
    let mut made = std::ptr::null_mut();
    guard(|| {
        made = body()?;
        Ok(SF_OK)
    });
    made
}

/// A handle that a panic makes unusable.
pub(crate) trait Poisonable {
    /// Its name in messages.
    const WHAT: &'static str;

    /// Text of the panic.
    fn poison(&mut self) -> &mut Option<String>;
}

/// As [`guard`], with what a handle owns; refuses a closed or poisoned one, and poisons it when the body panics.
///
/// # Safety
/// `handle` is null or a living one that no other thread uses.
#[inline]
pub(crate) unsafe fn guard_owned<T: Poisonable>(
    handle: *mut T,
    body: impl FnOnce(&mut T) -> Result<i32>,
) -> i32 {
    // SAFETY: the caller's promise.
    let Some(owned) = (unsafe { handle.as_mut() }) else {
        return remember(closed(T::WHAT));
    };
    if let Some(cause) = owned.poison() {
        let what = T::WHAT;
        return remember(Error::internal(format!(
            "the {what} failed before: {cause}"
        )));
    }
    match catch_unwind(AssertUnwindSafe(|| body(owned))) {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => remember(error),
        Err(_) => {
            let error = panicked();
            *owned.poison() = Some(error.message().to_owned());
            remember(error)
        }
    }
}

/// As [`guard_owned`], with a store.
///
/// # Safety
/// `store` is null or a living store that no other thread uses.
#[inline]
pub(crate) unsafe fn guard_store(
    store: *mut SfStore,
    body: impl FnOnce(&mut SfStore) -> Result<i32>,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { guard_owned(store, body) }
}

/// The error for a null handle.
#[cold]
pub(crate) fn closed(what: &str) -> Error {
    Error::new(ErrorKind::Closed, format!("the native {what} is closed"))
}

#[cold]
fn panicked() -> Error {
    Error::internal(format!("native code panicked: {}", LAST_PANIC.take()))
}

fn remember_panic(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let place = info
        .location()
        .map(|at| format!(" at {}:{}", at.file(), at.line()));
    LAST_PANIC.set(format!(
        "{}{}",
        text.unwrap_or("unknown"),
        place.unwrap_or_default()
    ));
}

#[cold]
fn remember(error: Error) -> i32 {
    let status = match error.kind() {
        ErrorKind::User => SF_ERR_USER,
        ErrorKind::External => SF_ERR_EXTERNAL,
        ErrorKind::Internal => SF_ERR_INTERNAL,
        ErrorKind::Memory => SF_ERR_MEMORY,
        ErrorKind::Closed => SF_ERR_CLOSED,
        ErrorKind::Corrupt => SF_ERR_CORRUPT,
        ErrorKind::Unsupported => SF_ERR_UNSUPPORTED,
    };
    LAST_ERROR.set((status, error.message().to_owned()));
    status
}

/// The bytes that a caller's pointer and length mean.
///
/// # Safety
/// `bytes` points at `len` readable bytes that do not change meanwhile, or `len` is not positive.
#[inline]
pub(crate) unsafe fn input<'a>(bytes: *const u8, len: i32) -> Result<&'a [u8]> {
    match len {
        0 => Ok(&[]),
        1.. if !bytes.is_null() => {
            // SAFETY: the caller's promise.
            Ok(unsafe { std::slice::from_raw_parts(bytes, len as usize) })
        }
        _ => Err(Error::user(format!(
            "a byte array at {bytes:p} of length {len}"
        ))),
    }
}

/// The buffer that a caller's pointer and capacity mean.
///
/// # Safety
/// `out` points at `cap` bytes that only this call uses.
#[inline]
pub(crate) unsafe fn output<'a>(out: *mut u8, cap: i32) -> Result<&'a mut [u8]> {
    if out.is_null() || cap < 16 {
        return Err(Error::user(format!(
            "an output buffer at {out:p} of {cap} bytes; 16 are the least"
        )));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts_mut(out, cap as usize) })
}
