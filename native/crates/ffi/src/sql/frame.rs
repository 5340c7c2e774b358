//! Batches as bytes, for the network.

use crate::budget::SfBudget;
use crate::sql::batch::{SfBatch, budget_of, charge, give};
use crate::status::{SF_OK, closed, free_handle, guard, input, into_handle};
use sf_core::Charge;
use sf_exchange::{FrameReader, FrameWriter};
use sf_plan::{RowType, decode, proto};

/// The bytes of one batch.
pub struct SfFrame {
    bytes: Vec<u8>,
    /// Given back when the bytes are gone.
    _charge: Charge,
}

/// Writes a batch, which stays. `out` (three places): the handle of the frame, the address of its bytes, their number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_frame_write(
    budget: *mut SfBudget,
    batch: *mut SfBatch,
    out: *mut i64,
) -> i32 {
    guard(|| {
        // SAFETY: the module's contract.
        let (budget, batch) = unsafe { (budget_of(budget)?, batch.as_ref()) };
        let batch = batch.ok_or_else(|| closed("batch"))?;
        let mut bytes = Vec::new();
        FrameWriter::new(false)?.write(&batch.batch, &mut bytes)?;
        let frame = SfFrame {
            _charge: charge(budget, bytes.capacity(), "a frame")?,
            bytes,
        };
        let (at, length) = (frame.bytes.as_ptr() as i64, frame.bytes.len() as i64);
        // SAFETY: `out` has three places.
        unsafe {
            out.write(into_handle(frame) as i64);
            out.add(1).write(at);
            out.add(2).write(length);
        }
        Ok(SF_OK)
    })
}

/// Reads the batch of one whole frame. `row_type`: the message `DataType` of its rows. `out` (three places): the handle of
/// the batch, its rows, its bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_frame_read(
    budget: *mut SfBudget,
    row_type: *const u8,
    row_type_len: i32,
    frame: *const u8,
    frame_len: i32,
    out: *mut i64,
) -> i32 {
    guard(|| {
        // SAFETY: the module's contract; `out` has three places.
        unsafe {
            let budget = budget_of(budget)?;
            let row_type = decode::<proto::DataType>(input(row_type, row_type_len)?)?;
            let reader = FrameReader::new(&RowType::try_from(Some(&row_type))?);
            let batch = reader.read(input(frame, frame_len)?)?;
            give(SfBatch::charged(budget, batch)?, out);
        }
        Ok(SF_OK)
    })
}

/// Frees a frame.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_frame_free(frame: *mut SfFrame) -> i32 {
    // SAFETY: the module's contract.
    unsafe { free_handle(frame) }
}
