//! Exchanges: a batch split by the tasks that its rows go to, and several batches as one.

use crate::budget::SfBudget;
use crate::sql::batch::{SfBatch, budget_of, give};
use crate::status::{
    Poisonable, SF_OK, closed, free_handle, guard, guard_owned, guard_pointer, input, into_handle,
};
use sf_batch::Batch;
use sf_core::{Error, MemoryBudget, Result};
use sf_exchange::Splitter;
use sf_plan::{RowType, decode, proto};
use std::sync::Arc;

/// Splits the batches of one output of a task. Used by its thread only.
pub struct SfSplitter {
    splitter: Splitter,
    channels: usize,
    budget: Arc<MemoryBudget>,
    poison: Option<String>,
}

impl Poisonable for SfSplitter {
    const WHAT: &'static str = "splitter";

    fn poison(&mut self) -> &mut Option<String> {
        &mut self.poison
    }
}

/// What a plan says, for so many key groups and channels.
pub(crate) fn splitter(plan: &proto::Exchange, key_groups: u32, channels: u32) -> Result<Splitter> {
    let keys: Vec<_> = plan.keys.iter().map(|key| *key as usize).collect();
    let row = RowType::try_from(plan.input.as_ref())?;
    Splitter::new(&row, &keys, key_groups, channels)
}

/// Makes a splitter of a plan (the message `Exchange`) for so many channels, whose tasks share the key groups of
/// `max_parallelism`. Its batches are charged to a budget. Null on error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_splitter_new(
    budget: *mut SfBudget,
    plan: *const u8,
    len: i32,
    max_parallelism: i32,
    channels: i32,
) -> *mut SfSplitter {
    guard_pointer(|| {
        // SAFETY: the module's contract.
        let (budget, plan) = unsafe { (budget_of(budget)?, input(plan, len)?) };
        let (Ok(groups), Ok(tasks)) = (u32::try_from(max_parallelism), u32::try_from(channels))
        else {
            return Err(Error::user(format!(
                "{channels} channels for {max_parallelism} key groups"
            )));
        };
        let splitter = splitter(&decode(plan)?, groups, tasks)?;
        Ok(into_handle(SfSplitter {
            splitter,
            channels: tasks as usize,
            budget: Arc::clone(budget),
            poison: None,
        }))
    })
}

/// Splits a batch, which stays. Returns the number of pieces, none of which is empty. `out` (four places for each channel):
/// of each piece its channel, handle, rows and bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_splitter_split(
    splitter: *mut SfSplitter,
    batch: *mut SfBatch,
    out: *mut i64,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_owned(splitter, |splitter| {
            let batch = batch.as_ref().ok_or_else(|| closed("batch"))?;
            let pieces = splitter.splitter.split(&batch.batch)?;
            if pieces.len() > splitter.channels {
                return Err(Error::internal("more pieces than channels"));
            }
            // All are charged before the first is given away: an error leaves none behind.
            let pieces = pieces
                .into_iter()
                .map(|(channel, piece)| Ok((channel, SfBatch::charged(&splitter.budget, piece)?)));
            let pieces = pieces.collect::<Result<Vec<_>>>()?;
            let count = pieces.len();
            for (place, (channel, piece)) in pieces.into_iter().enumerate() {
                out.add(4 * place).write(i64::from(channel));
                give(piece, out.add(4 * place + 1));
            }
            Ok(count as i32)
        })
    }
}

/// Frees a splitter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_splitter_free(splitter: *mut SfSplitter) -> i32 {
    // SAFETY: the module's contract.
    unsafe { free_handle(splitter) }
}

/// Joins batches of one row type in their order; they stay. `batches`: their handles. `out` (three places): handle, rows and
/// bytes of the result, which is charged to the budget.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_batches_concat(
    budget: *mut SfBudget,
    batches: *const i64,
    count: i32,
    out: *mut i64,
) -> i32 {
    guard(|| {
        let count = usize::try_from(count).unwrap_or(0);
        if batches.is_null() || count == 0 {
            return Err(Error::user("no batch to join"));
        }
        // SAFETY: the module's contract; the array has `count` handles of living batches.
        unsafe {
            let budget = budget_of(budget)?;
            let handles = std::slice::from_raw_parts(batches.cast::<*const SfBatch>(), count);
            let parts = handles.iter().map(|handle| {
                let part = handle.as_ref().ok_or_else(|| closed("batch"))?;
                Ok(part.batch.clone())
            });
            let whole = Batch::concat(&parts.collect::<Result<Vec<_>>>()?)?;
            give(SfBatch::charged(budget, whole)?, out);
        }
        Ok(SF_OK)
    })
}
