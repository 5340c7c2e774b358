//! Readers: records to batches.

use crate::budget::SfBudget;
use crate::sql::batch::{SfBatch, budget_of, give};
use crate::sql::slab::SfSlab;
use crate::status::{
    Poisonable, SF_OK, closed, free_handle, guard_owned, guard_pointer, input, into_handle,
};
use sf_core::MemoryBudget;
use sf_edges::EdgeReader;
use sf_plan::{decode, proto};
use std::sync::Arc;

/// A reader of one task. Used by one thread at a time.
pub struct SfReader {
    reader: EdgeReader,
    budget: Arc<MemoryBudget>,
    poison: Option<String>,
}

impl Poisonable for SfReader {
    const WHAT: &'static str = "reader";

    fn poison(&mut self) -> &mut Option<String> {
        &mut self.poison
    }
}

/// Makes a reader of a plan (the message `Reader`), whose batches are charged to a budget. Null on error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_reader_new(
    budget: *mut SfBudget,
    plan: *const u8,
    len: i32,
) -> *mut SfReader {
    guard_pointer(|| {
        // SAFETY: the module's contract.
        let (budget, plan) = unsafe { (budget_of(budget)?, input(plan, len)?) };
        Ok(into_handle(SfReader {
            reader: EdgeReader::new(&decode::<proto::Reader>(plan)?)?,
            budget: Arc::clone(budget),
            poison: None,
        }))
    })
}

/// Reads the first `records` records of a slab. `out` (five places): the handle of the batch, its rows, its bytes, 1 if it
/// has a watermark, and the watermark.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_reader_read(
    reader: *mut SfReader,
    slab: *mut SfSlab,
    records: i32,
    out: *mut i64,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_owned(reader, |SfReader { reader, budget, .. }| {
            let slab = slab.as_ref().ok_or_else(|| closed("slab"))?;
            let (batch, watermark) = reader.read(slab.records(records)?)?;
            give(SfBatch::charged(budget, batch)?, out);
            out.add(3).write(i64::from(watermark.is_some()));
            out.add(4).write(watermark.unwrap_or(i64::MIN));
            Ok(SF_OK)
        })
    }
}

/// Frees a reader.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_reader_free(reader: *mut SfReader) -> i32 {
    // SAFETY: the module's contract.
    unsafe { free_handle(reader) }
}
