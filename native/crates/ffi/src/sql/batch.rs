//! Batches on their way between operators.

use crate::budget::SfBudget;
use crate::status::{SF_OK, closed, free_handle, guard, guard_pointer, into_handle, take_handle};
use sf_batch::Batch;
use sf_core::{Charge, Error, MemoryBudget, Result};
use std::sync::Arc;

/// A batch, charged as long as someone holds it. It never changes; any thread may have it.
pub struct SfBatch {
    pub(crate) batch: Batch,
    /// Of all that share the columns; the field after them, so that it is given back last.
    charge: Arc<Charge>,
}

impl SfBatch {
    /// Charges a batch; fails when it does not fit.
    pub(crate) fn charged(budget: &Arc<MemoryBudget>, batch: Batch) -> Result<Self> {
        let charge = charge(budget, batch.memory_size(), "a batch")?;
        Ok(Self {
            batch,
            charge: Arc::new(charge),
        })
    }
}

/// Takes `bytes` of the budget of batches.
pub(crate) fn charge(budget: &Arc<MemoryBudget>, bytes: usize, what: &str) -> Result<Charge> {
    budget.try_charge(bytes).ok_or_else(|| {
        Error::memory(format!(
            "{what} of {bytes} bytes does not fit the memory of native SQL: {} of {} bytes are in use",
            budget.used(),
            budget.limit()
        ))
    })
}

/// The budget of a handle.
///
/// # Safety
/// As the module's contract says.
pub(crate) unsafe fn budget_of<'a>(budget: *mut SfBudget) -> Result<&'a Arc<MemoryBudget>> {
    // SAFETY: the caller's promise.
    let budget = unsafe { budget.as_ref() };
    Ok(&budget.ok_or_else(|| closed("budget"))?.0)
}

/// Gives a batch to Java: its handle, rows and bytes go into the first three places of `out`.
///
/// # Safety
/// `out` has at least three places.
pub(crate) unsafe fn give(batch: SfBatch, out: *mut i64) {
    let (rows, bytes) = (batch.batch.rows(), batch.charge.bytes());
    // SAFETY: the caller's promise.
    unsafe {
        out.write(into_handle(batch) as i64);
        out.add(1).write(rows as i64);
        out.add(2).write(bytes);
    }
}

/// Takes a batch back from Java, whose handle is then gone.
///
/// # Safety
/// The handle is null or a living one that is not used again.
pub(crate) unsafe fn take(batch: *mut SfBatch) -> Result<SfBatch> {
    // SAFETY: the caller's promise.
    unsafe { take_handle(batch) }.ok_or_else(|| closed("batch"))
}

/// One more handle of the same batch, which shares its memory. Null on error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_batch_retain(batch: *mut SfBatch) -> *mut SfBatch {
    guard_pointer(|| {
        // SAFETY: the module's contract.
        let batch = unsafe { batch.as_ref() }.ok_or_else(|| closed("batch"))?;
        Ok(into_handle(SfBatch {
            batch: batch.batch.clone(),
            charge: Arc::clone(&batch.charge),
        }))
    })
}

/// Copies the kinds of the rows, a byte each; 1 when all are inserts and nothing was copied. `cap`: at least the rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_batch_kinds(batch: *mut SfBatch, out: *mut u8, cap: i32) -> i32 {
    guard(|| {
        // SAFETY: the module's contract.
        let batch = unsafe { batch.as_ref() }.ok_or_else(|| closed("batch"))?;
        let Some(kinds) = batch.batch.kinds() else {
            return Ok(1);
        };
        if out.is_null() || usize::try_from(cap).unwrap_or(0) < kinds.len() {
            return Err(Error::user(format!(
                "{cap} bytes for the kinds of {} rows",
                kinds.len()
            )));
        }
        // SAFETY: the caller's buffer has `cap` bytes, which suffice.
        unsafe { out.copy_from_nonoverlapping(kinds.as_ptr().cast(), kinds.len()) };
        Ok(SF_OK)
    })
}

/// Frees a batch, on any thread; its memory goes when the last one that shares it does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_batch_free(batch: *mut SfBatch) -> i32 {
    // SAFETY: the module's contract.
    unsafe { free_handle(batch) }
}
