//! Writers: batches to records.

use crate::sql::batch::SfBatch;
use crate::status::{
    Poisonable, SF_OK, closed, free_handle, guard_owned, guard_pointer, input, into_handle,
};
use sf_batch::RecordBuffer;
use sf_edges::EdgeWriter;
use sf_plan::{decode, proto};

/// A writer of one task. Used by one thread at a time.
pub struct SfWriter {
    writer: EdgeWriter,
    poison: Option<String>,
}

impl Poisonable for SfWriter {
    const WHAT: &'static str = "writer";

    fn poison(&mut self) -> &mut Option<String> {
        &mut self.poison
    }
}

/// Makes a writer of a plan (the message `Writer`). Null on error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_writer_new(plan: *const u8, len: i32) -> *mut SfWriter {
    guard_pointer(|| {
        // SAFETY: the module's contract.
        let plan = unsafe { input(plan, len)? };
        Ok(into_handle(SfWriter {
            writer: EdgeWriter::new(&decode::<proto::Writer>(plan)?)?,
            poison: None,
        }))
    })
}

/// Writes one record for each row; the batch stays. `out` (six places): of the values, then of the keys, the address of the
/// bytes, their number, and the address of the ends (32-bit; the high bit: there is no such record). Addresses are valid until
/// the next call; those of keys are 0 when records have none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_writer_write(
    writer: *mut SfWriter,
    batch: *mut SfBatch,
    out: *mut i64,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_owned(writer, |SfWriter { writer, .. }| {
            let batch = batch.as_ref().ok_or_else(|| closed("batch"))?;
            let written = writer.write(&batch.batch)?;
            say(&written.values, out);
            say(&written.keys, out.add(3));
            Ok(SF_OK)
        })
    }
}

/// # Safety
/// `out` has three places.
unsafe fn say(records: &RecordBuffer, out: *mut i64) {
    let places = match records.ends.is_empty() {
        true => [0; 3],
        false => [
            records.bytes.as_ptr() as i64,
            records.bytes.len() as i64,
            records.ends.as_ptr() as i64,
        ],
    };
    // SAFETY: the caller's promise.
    unsafe { out.copy_from_nonoverlapping(places.as_ptr(), places.len()) };
}

/// Frees a writer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_writer_free(writer: *mut SfWriter) -> i32 {
    // SAFETY: the module's contract.
    unsafe { free_handle(writer) }
}
