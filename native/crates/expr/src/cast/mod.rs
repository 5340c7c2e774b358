//! CAST and TRY_CAST by Flink's rules.

mod from_text;
mod number;
mod time;
mod to_text;

use crate::column::{Bytes, Column, write};
use crate::compile::Session;
use crate::program::Kernel;
use crate::types::{Family, family, is_numeric, sql};
use sf_batch::arrow_type;
use sf_core::Result;
use sf_plan::{DataType, unsupported};

/// What becomes of a value that a rule cannot cast. Only the rules for strings can fail so; a number that does not fit
/// a DECIMAL is NULL by either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnFailure {
    /// CAST.
    Error,
    /// TRY_CAST, CAST in the legacy mode, and the branches of CASE.
    Null,
}

/// The cast between two types; `None` when values stay as they are.
pub(crate) fn kernel(
    from: &DataType,
    to: &DataType,
    session: &Session,
    on_failure: OnFailure,
) -> Result<Option<Kernel>> {
    if from == to {
        return Ok(None);
    }
    if from == &DataType::Null {
        let arrow = arrow_type(to);
        return Ok(Some(Box::new(move |_, _| Ok(Column::null(&arrow)))));
    }
    let (a, b) = (family(from), family(to));
    let found = match (a, b) {
        (Family::Character, Family::Character) => to_text::length(from, to, session),
        (Family::Bytes, Family::Bytes) | (Family::Character, Family::Bytes) => bytes(to, session),
        (Family::Bytes, Family::Character) if to == &DataType::Varchar(i32::MAX) => {
            Some(Some(to_text::decode()))
        }
        (_, Family::Character) => to_text::kernel(from, to, session)?.map(Some),
        (Family::Character, _) => from_text::kernel(to, session, on_failure)?.map(Some),
        _ if is_number(from) && is_number(to) => number::kernel(from, to),
        _ => time::kernel(from, to, session)?,
    };
    found.ok_or_else(|| {
        let (from, to) = (sql(from), sql(to));
        unsupported(format!("CAST of {from} to {to}"))
    })
}

fn is_number(data_type: &DataType) -> bool {
    is_numeric(data_type)
        || matches!(
            family(data_type),
            Family::Boolean | Family::MonthInterval | Family::TimeInterval
        )
}

/// REINTERPRET: the same physical value under another type.
pub(crate) fn reinterpret(from: &DataType, to: &DataType) -> Result<Option<Kernel>> {
    if from == to {
        return Ok(None);
    }
    // Marks of time attributes are no part of the types here; precisions must be those of one layout.
    let same = family(from) == family(to) && arrow_type(from) == arrow_type(to);
    let whole = matches!(
        (from, to),
        (DataType::Int, DataType::IntervalYearMonth)
            | (DataType::IntervalYearMonth, DataType::Int)
            | (DataType::BigInt, DataType::IntervalDayTime)
            | (DataType::IntervalDayTime, DataType::BigInt)
    );
    if same || whole {
        return Ok(None);
    }
    let (from, to) = (sql(from), sql(to));
    Err(unsupported(format!("REINTERPRET of {from} as {to}")))
}

/// To BINARY and VARBINARY, from bytes or from a string, which is the same array: cut, and padded with zeros for
/// BINARY.
fn bytes(to: &DataType, session: &Session) -> Option<Option<Kernel>> {
    let (length, pads) = match to {
        DataType::Binary(n) => (*n, *n < i32::MAX),
        DataType::Varbinary(n) => (*n, false),
        _ => return None,
    };
    if session.legacy_cast || length == i32::MAX {
        return Some(None);
    }
    let length = usize::try_from(length).ok()?;
    Some(Some(Box::new(move |arguments, rows| {
        let values = Bytes::new(&arguments[0])?;
        write(&[&arguments[0]], rows, |row, out| {
            let Some(value) = values.get(row) else {
                return Ok(false);
            };
            out.extend_from_slice(&value[..value.len().min(length)]);
            if pads {
                out.resize(length, 0);
            }
            Ok(true)
        })
    })))
}
