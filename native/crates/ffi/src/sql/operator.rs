//! Operators: batches to batches.

use crate::budget::SfBudget;
use crate::sql::batch::{SfBatch, budget_of, give, take};
use crate::status::{
    Poisonable, SF_OK, free_handle, guard, guard_owned, guard_pointer, guard_store, input,
    into_handle,
};
use crate::store::SfStore;
use sf_batch::Batch;
use sf_core::{Error, MemoryBudget, Result};
use sf_operators::Operator;
use sf_plan::{decode, proto};
use sf_store::Store;
use std::sync::Arc;

/// An operator of one task. Used by its thread only.
pub struct SfOperator {
    description: String,
    operator: Box<dyn Operator>,
    budget: Arc<MemoryBudget>,
    poison: Option<String>,
}

impl Poisonable for SfOperator {
    const WHAT: &'static str = "operator";

    fn poison(&mut self) -> &mut Option<String> {
        &mut self.poison
    }
}

impl SfOperator {
    /// Says which operator failed, unless the error does so itself.
    fn named(&self, error: Error) -> Error {
        match error.message().contains(&self.description) {
            true => error,
            false => Error::new(
                error.kind(),
                format!("{}: {}", self.description, error.message()),
            ),
        }
    }
}

/// Makes an operator of a plan (the message `Operator`), whose batches are charged to a budget. Null on error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_operator_new(
    budget: *mut SfBudget,
    plan: *const u8,
    len: i32,
) -> *mut SfOperator {
    guard_pointer(|| {
        // SAFETY: the module's contract.
        let (budget, plan) = unsafe { (budget_of(budget)?, input(plan, len)?) };
        let plan = decode::<proto::Operator>(plan)?;
        Ok(into_handle(SfOperator {
            operator: sf_operators::operator(&plan)?,
            description: plan.description,
            budget: Arc::clone(budget),
            poison: None,
        }))
    })
}

/// Gives a batch to an input (0 or 1). The batch's handle is gone, also after an error. `store` is null for operators
/// without state; `now` is the time of Flink's TTL clock in milliseconds. `out` (three places): the handle of the batch
/// that comes out, its rows, its bytes; the handle is 0 when nothing comes out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_operator_process(
    operator: *mut SfOperator,
    store: *mut SfStore,
    number: i32,
    batch: *mut SfBatch,
    now: i64,
    out: *mut i64,
) -> i32 {
    let mut taken = None;
    let status = guard(|| {
        // SAFETY: the module's contract.
        taken = Some(unsafe { take(batch)? });
        Ok(SF_OK)
    });
    let Some(SfBatch { batch, .. }) = taken else {
        return status;
    };
    // SAFETY: the module's contract.
    unsafe {
        run(operator, store, now, out, |operator, store| {
            let out = operator.process(store, number.max(0) as usize, batch)?;
            Ok(Some(out))
        })
    }
}

/// Gives what the operator holds back, as `sf_operator_process` gives what comes out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_operator_flush(
    operator: *mut SfOperator,
    store: *mut SfStore,
    now: i64,
    out: *mut i64,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        run(operator, store, now, out, |operator, store| {
            operator.flush(store)
        })
    }
}

/// Runs a step of an operator with the store, if it has one; a panic poisons both.
///
/// # Safety
/// As the module's contract says; `out` has three places.
unsafe fn run(
    operator: *mut SfOperator,
    store: *mut SfStore,
    now: i64,
    out: *mut i64,
    step: impl FnOnce(&mut dyn Operator, Option<&mut Store>) -> Result<Option<Batch>>,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        let finish = |operator: &mut SfOperator, store: Option<&mut Store>| {
            operator.operator.set_time(now);
            let batch = step(&mut *operator.operator, store);
            let batch = batch.map_err(|error| operator.named(error))?;
            match batch.filter(|batch| !batch.is_empty()) {
                Some(batch) => give(SfBatch::charged(&operator.budget, batch)?, out),
                None => out.write(0),
            }
            Ok(SF_OK)
        };
        if store.is_null() {
            return guard_owned(operator, |operator| finish(operator, None));
        }
        let usable = guard_owned(operator, |_| Ok(SF_OK));
        if usable != SF_OK {
            return usable;
        }
        let operator = &mut *operator;
        let status = guard_store(store, |store| finish(operator, Some(&mut store.store)));
        operator.poison.clone_from(&(*store).poison);
        status
    }
}

/// Frees an operator; the store is its owner's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_operator_free(operator: *mut SfOperator) -> i32 {
    // SAFETY: the module's contract.
    unsafe { free_handle(operator) }
}
