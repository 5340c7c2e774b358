//! Casts among DATE, TIME, TIMESTAMP and TIMESTAMP_LTZ.

use crate::calendar::DAY;
use crate::column::{Primitives, Stamps, compute};
use crate::compile::Session;
use crate::failure::Outcome;
use crate::program::Kernel;
use crate::stamp::{self, Stamp};
use crate::zone::Zone;
use arrow_array::types::{Date32Type, Time32MillisecondType};
use sf_batch::arrow_type;
use sf_core::Result;
use sf_plan::DataType;

/// `None`: no such cast; `Some(None)`: values stay as they are.
pub(super) fn kernel(
    from: &DataType,
    to: &DataType,
    session: &Session,
) -> Result<Option<Option<Kernel>>> {
    use DataType::{Date, Time, Timestamp, TimestampLtz};
    let zoned = matches!(from, TimestampLtz(_)) != matches!(to, TimestampLtz(_));
    if zoned {
        session.zone.check()?;
    }
    let zone = session.zone.clone();
    let arrow = arrow_type(to);
    let result = to.clone();
    let kernel: Kernel = match (from, to) {
        (Timestamp(p) | TimestampLtz(p), Timestamp(q) | TimestampLtz(q)) => {
            // Digits that Flink would keep beyond the precision have no place in the narrower layouts.
            if *p > 6 && *q <= 6 {
                return Ok(None);
            }
            let truncate = (q < p).then_some(u32::from(*q));
            if !zoned && truncate.is_none() && arrow_type(from) == arrow {
                return Ok(Some(None));
            }
            let to_local = matches!(from, TimestampLtz(_));
            Box::new(move |arguments, rows| {
                let values = Stamps::new(&arguments[0])?;
                stamp::compute(&[&arguments[0]], rows, &result, |row| {
                    let Some((millis, nanos)) = values.get(row) else {
                        return Ok(None);
                    };
                    let millis = match (zoned, to_local) {
                        (false, _) => millis,
                        (true, true) => zone.local(millis, row)?,
                        (true, false) => zone.instant(millis, row)?,
                    };
                    let value = (millis, nanos);
                    Ok(Some(truncate.map_or(value, |to| cut(value, to))))
                })
            })
        }
        (Timestamp(_) | TimestampLtz(_), Date) => {
            Box::new(move |arguments, rows| {
                let values = Stamps::new(&arguments[0])?;
                compute::<Date32Type>(&[&arguments[0]], rows, &arrow, |row| {
                    let Some((millis, _)) = values.get(row) else {
                        return Ok(None);
                    };
                    // Without a zone Flink divides, so that a time before 1970 belongs to the day after.
                    Ok(Some(if zoned {
                        zone.local(millis, row)?.div_euclid(DAY) as i32
                    } else {
                        (millis / DAY) as i32
                    }))
                })
            })
        }
        (Timestamp(_) | TimestampLtz(_), Time(precision)) => {
            let precision = *precision;
            Box::new(move |arguments, rows| {
                let values = Stamps::new(&arguments[0])?;
                compute::<Time32MillisecondType>(&[&arguments[0]], rows, &arrow, |row| {
                    let Some((millis, _)) = values.get(row) else {
                        return Ok(None);
                    };
                    let of_day = if zoned {
                        zone.local(millis, row)?.rem_euclid(DAY)
                    } else {
                        millis % DAY
                    };
                    Ok(Some(cut_time(of_day as i32, precision)))
                })
            })
        }
        (Date, Timestamp(_) | TimestampLtz(_)) => Box::new(move |arguments, rows| {
            let values = Primitives::<Date32Type>::new(&arguments[0])?;
            stamp::compute(&[&arguments[0]], rows, &result, |row| {
                let millis = values.get(row).map(|date| i64::from(date) * DAY);
                place(millis, zoned, &zone, row)
            })
        }),
        (Time(_), Timestamp(_) | TimestampLtz(_)) => Box::new(move |arguments, rows| {
            let values = Primitives::<Time32MillisecondType>::new(&arguments[0])?;
            stamp::compute(&[&arguments[0]], rows, &result, |row| {
                place(values.get(row).map(i64::from), zoned, &zone, row)
            })
        }),
        (Time(_), Time(_)) => return Ok(None),
        _ => return Ok(None),
    };
    Ok(Some(Some(kernel)))
}

fn place(local: Option<i64>, zoned: bool, zone: &Zone, row: usize) -> Outcome<Option<Stamp>> {
    let Some(local) = local else {
        return Ok(None);
    };
    let millis = if zoned {
        zone.instant(local, row)?
    } else {
        local
    };
    Ok(Some((millis, 0)))
}

/// Flink's cut of a timestamp to fewer digits: nothing when the nanoseconds of the second, as a number, have no more
/// digits than that; below milliseconds towards 0.
pub(super) fn cut((millis, nanos): Stamp, precision: u32) -> Stamp {
    let of_second = millis.rem_euclid(1000) * 1_000_000 + i64::from(nanos);
    let digits = of_second.checked_ilog10().map_or(1, |log| log + 1);
    if digits <= precision {
        return (millis, nanos);
    }
    if precision <= 3 {
        let unit = 10_i64.pow(3 - precision);
        (millis / unit * unit, 0)
    } else {
        let unit = 10_i32.pow(9 - precision);
        (millis, nanos / unit * unit)
    }
}

/// A time of fewer digits.
pub(super) fn cut_time(millis: i32, precision: u8) -> i32 {
    let unit = match precision {
        0 => 1000,
        1 => 100,
        2 => 10,
        _ => 1,
    };
    millis / unit * unit
}
