//! Memory budgets.

use crate::status::{SF_OK, closed, free_handle, guard, guard_pointer, into_handle};
use sf_core::{Error, MemoryBudget};
use std::sync::Arc;

/// A slot's budget; stores keep their own reference.
pub struct SfBudget(pub(crate) Arc<MemoryBudget>);

/// Makes a budget; null when the limit is negative.
#[unsafe(no_mangle)]
pub extern "C" fn sf_budget_new(limit_bytes: i64) -> *mut SfBudget {
    guard_pointer(|| {
        if limit_bytes < 0 {
            return Err(Error::user(format!(
                "a memory budget of {limit_bytes} bytes"
            )));
        }
        Ok(into_handle(SfBudget(MemoryBudget::new(limit_bytes))))
    })
}

/// Changes the limit; what is in use stays. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_budget_set_limit(budget: *mut SfBudget, limit_bytes: i64) -> i32 {
    guard(|| {
        // SAFETY: the module's contract.
        unsafe { budget.as_ref() }
            .ok_or_else(|| closed("budget"))?
            .0
            .set_limit(limit_bytes);
        Ok(SF_OK)
    })
}

/// Bytes in use; 0 for null. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_budget_used(budget: *mut SfBudget) -> i64 {
    // SAFETY: the module's contract.
    unsafe { budget.as_ref() }.map_or(0, |budget| budget.0.used())
}

/// Bytes that may be used; 0 for null. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_budget_limit(budget: *mut SfBudget) -> i64 {
    // SAFETY: the module's contract.
    unsafe { budget.as_ref() }.map_or(0, |budget| budget.0.limit())
}

/// Drops this reference; stores keep theirs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_budget_free(budget: *mut SfBudget) -> i32 {
    // SAFETY: the module's contract.
    unsafe { free_handle(budget) }
}
