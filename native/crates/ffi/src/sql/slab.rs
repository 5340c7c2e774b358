//! Memory in which records are collected until a reader takes them.

use crate::budget::SfBudget;
use crate::sql::batch::{budget_of, charge};
use crate::status::{SF_OK, closed, free_handle, guard, guard_pointer, into_handle};
use sf_batch::Records;
use sf_core::{Charge, Error, MemoryBudget, Result};
use std::sync::Arc;

/// Records of bytes, one behind another, and where they end. Java writes into it.
pub struct SfSlab {
    budget: Arc<MemoryBudget>,
    bytes: Vec<u8>,
    /// The first is 0.
    offsets: Vec<i32>,
    charge: Charge,
}

impl SfSlab {
    /// The first `count` records.
    pub(crate) fn records(&self, count: i32) -> Result<Records<'_>> {
        let end = usize::try_from(count).unwrap_or(usize::MAX);
        let offsets = self.offsets.get(..=end.min(self.offsets.len()));
        let offsets = offsets.ok_or_else(|| {
            let room = self.offsets.len() - 1;
            Error::user(format!("{count} records in a slab with room for {room}"))
        })?;
        Records::new(&self.bytes, offsets)
    }

    fn reserve(&mut self, bytes: usize, records: usize) -> Result<()> {
        let records = records + 1;
        let more =
            bytes.saturating_sub(self.bytes.len()) + 4 * records.saturating_sub(self.offsets.len());
        if more == 0 {
            return Ok(());
        }
        self.charge.absorb(charge(&self.budget, more, "a slab")?);
        if bytes > self.bytes.len() {
            // Exactly: the charge is what is there. Java grows by doubling.
            self.bytes.reserve_exact(bytes - self.bytes.len());
            self.bytes.resize(bytes, 0);
        }
        if records > self.offsets.len() {
            self.offsets.reserve_exact(records - self.offsets.len());
            self.offsets.resize(records, 0);
        }
        Ok(())
    }
}

/// Makes an empty slab; null on error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_slab_new(budget: *mut SfBudget) -> *mut SfSlab {
    guard_pointer(|| {
        // SAFETY: the module's contract.
        let budget = unsafe { budget_of(budget)? };
        Ok(into_handle(SfSlab {
            budget: Arc::clone(budget),
            bytes: Vec::new(),
            offsets: vec![0],
            charge: charge(budget, 4, "a slab")?,
        }))
    })
}

/// Gives room for so many bytes and records at least; what was written stays. `out` (two places): the address of the bytes,
/// and that of the offsets (32-bit, one more than there are records, the first 0), valid until the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_slab_reserve(
    slab: *mut SfSlab,
    bytes: i32,
    records: i32,
    out: *mut i64,
) -> i32 {
    guard(|| {
        // SAFETY: the module's contract.
        let slab = unsafe { slab.as_mut() }.ok_or_else(|| closed("slab"))?;
        let (Ok(bytes), Ok(records)) = (usize::try_from(bytes), usize::try_from(records)) else {
            return Err(Error::user("a slab of a negative size"));
        };
        slab.reserve(bytes, records)?;
        // SAFETY: `out` has two places.
        unsafe {
            out.write(slab.bytes.as_mut_ptr() as i64);
            out.add(1).write(slab.offsets.as_mut_ptr() as i64);
        }
        Ok(SF_OK)
    })
}

/// Frees a slab.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_slab_free(slab: *mut SfSlab) -> i32 {
    // SAFETY: the module's contract.
    unsafe { free_handle(slab) }
}
