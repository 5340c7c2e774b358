//! What can run.

use crate::sql::exchange::splitter;
use crate::status::{SF_OK, guard, input};
use sf_core::Error;
use sf_edges::{EdgeReader, EdgeWriter};
use sf_plan::{decode, proto};

/// Whether a plan can run: builds what it says and throws it away. Kinds: 0 `Reader`, 1 `Writer`, 2 `Operator`,
/// 3 `Exchange`. When it cannot, the status is `SF_ERR_UNSUPPORTED` and the text the reason, in words for users.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_plan_check(kind: i32, plan: *const u8, len: i32) -> i32 {
    guard(|| {
        // SAFETY: the module's contract.
        let plan = unsafe { input(plan, len)? };
        match kind {
            0 => drop(EdgeReader::new(&decode::<proto::Reader>(plan)?)?),
            1 => drop(EdgeWriter::new(&decode::<proto::Writer>(plan)?)?),
            2 => drop(sf_operators::operator(&decode::<proto::Operator>(plan)?)?),
            3 => drop(splitter(&decode::<proto::Exchange>(plan)?, 1, 1)?),
            _ => return Err(Error::user(format!("a plan of the unknown kind {kind}"))),
        }
        Ok(SF_OK)
    })
}
