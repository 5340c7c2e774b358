//! Arithmetic of times and intervals.

use crate::calendar::{DAY, add_months, add_months_millis};
use crate::column::{Column, Primitives, Rows, Stamps, compute, map2};
use crate::compile::{Call, Compiler};
use crate::failure::{Failure, Outcome};
use crate::program::{Kernel, Kind, NodeId};
use crate::stamp;
use crate::types::{Family, family};
use arrow_array::types::{Date32Type, Int32Type, Int64Type, Time32MillisecondType};
use sf_batch::arrow_type;
use sf_core::Result;
use sf_plan::DataType;

pub(crate) fn build(
    compiler: &mut Compiler<'_>,
    call: &Call<'_>,
    left: NodeId,
    right: NodeId,
) -> Result<Kind> {
    let minus = match call.function {
        "+" => false,
        "-" => true,
        _ => return Err(compiler.refuse(call)),
    };
    let (a, b) = (
        family(compiler.data_type(left)),
        family(compiler.data_type(right)),
    );
    let result = call.data_type.clone();
    let kernel = kernel(a, b, minus, &result).ok_or_else(|| compiler.refuse(call))?;
    Ok(Kind::Call(kernel, vec![left, right]))
}

fn kernel(a: Family, b: Family, minus: bool, result: &DataType) -> Option<Kernel> {
    let to = family(result);
    Some(match (a, b) {
        (Family::MonthInterval, Family::MonthInterval) if to == a => Box::new(move |x, _| {
            let f = move |l: i32, r: i32| l.wrapping_add(sign_months(minus, r));
            Ok(map2::<Int32Type, Int32Type, Int32Type>(&x[0], &x[1], f)?)
        }),
        (Family::TimeInterval, Family::TimeInterval) if to == a => Box::new(move |x, _| {
            let f = move |l: i64, r: i64| l.wrapping_add(sign(minus, r));
            Ok(map2::<Int64Type, Int64Type, Int64Type>(&x[0], &x[1], f)?)
        }),
        (Family::Date, Family::TimeInterval) if to == Family::Date => {
            Box::new(move |x, rows| date_and_days(x, rows, minus))
        }
        (Family::Date, Family::TimeInterval) if to == Family::Timestamp => {
            let result = result.clone();
            Box::new(move |x, rows| {
                let dates = Primitives::<Date32Type>::new(&x[0])?;
                let intervals = Primitives::<Int64Type>::new(&x[1])?;
                stamp::compute(&[&x[0], &x[1]], rows, &result, |row| {
                    let pair = dates.get(row).zip(intervals.get(row));
                    Ok(pair.map(|(date, interval)| {
                        let millis = i64::from(date) * DAY;
                        (millis.wrapping_add(sign(minus, interval)), 0)
                    }))
                })
            })
        }
        (Family::Date, Family::MonthInterval) if to == Family::Date => Box::new(move |x, _| {
            let f = move |date, months| add_months(date, sign_months(minus, months));
            Ok(map2::<Date32Type, Int32Type, Date32Type>(&x[0], &x[1], f)?)
        }),
        (Family::Time, Family::TimeInterval) if to == Family::Time => {
            let arrow = arrow_type(result);
            Box::new(move |x, rows| {
                let times = Primitives::<Time32MillisecondType>::new(&x[0])?;
                let intervals = Primitives::<Int64Type>::new(&x[1])?;
                compute::<Time32MillisecondType>(&[&x[0], &x[1]], rows, &arrow, |row| {
                    let pair = times.get(row).zip(intervals.get(row));
                    Ok(pair.map(|(time, interval)| {
                        let moved = i64::from(time) + DAY + sign(minus, interval % DAY);
                        (moved % DAY) as i32
                    }))
                })
            })
        }
        (Family::Timestamp | Family::TimestampLtz, Family::TimeInterval) if to == a => {
            let result = result.clone();
            Box::new(move |x, rows| {
                let stamps = Stamps::new(&x[0])?;
                let intervals = Primitives::<Int64Type>::new(&x[1])?;
                stamp::compute(&[&x[0], &x[1]], rows, &result, |row| {
                    let pair = stamps.get(row).zip(intervals.get(row));
                    Ok(pair.map(|((millis, nanos), interval)| {
                        (millis.wrapping_add(sign(minus, interval)), nanos)
                    }))
                })
            })
        }
        (Family::Timestamp | Family::TimestampLtz, Family::MonthInterval) if to == a => {
            let result = result.clone();
            Box::new(move |x, rows| {
                let stamps = Stamps::new(&x[0])?;
                let intervals = Primitives::<Int32Type>::new(&x[1])?;
                stamp::compute(&[&x[0], &x[1]], rows, &result, |row| {
                    let pair = stamps.get(row).zip(intervals.get(row));
                    Ok(pair.map(|((millis, nanos), months)| {
                        let months = sign_months(minus, months);
                        (add_months_millis(millis, months), nanos)
                    }))
                })
            })
        }
        (Family::Timestamp, Family::Timestamp) | (Family::TimestampLtz, Family::TimestampLtz)
            if minus && to == Family::TimeInterval =>
        {
            Box::new(|x, rows| {
                let (l, r) = (Stamps::new(&x[0])?, Stamps::new(&x[1])?);
                let arrow = arrow_type(&DataType::IntervalDayTime);
                compute::<Int64Type>(&[&x[0], &x[1]], rows, &arrow, |row| {
                    let pair = l.get(row).zip(r.get(row));
                    Ok(pair.map(|(l, r)| l.0.wrapping_sub(r.0)))
                })
            })
        }
        (Family::Date, Family::Date) if minus && to == Family::TimeInterval => Box::new(|x, _| {
            let f = |l: i32, r: i32| (i64::from(l) - i64::from(r)) * DAY;
            Ok(map2::<Date32Type, Date32Type, Int64Type>(&x[0], &x[1], f)?)
        }),
        _ => return None,
    })
}

fn sign(minus: bool, interval: i64) -> i64 {
    if minus {
        interval.wrapping_neg()
    } else {
        interval
    }
}

fn sign_months(minus: bool, months: i32) -> i32 {
    if minus { months.wrapping_neg() } else { months }
}

fn date_and_days(x: &[Column], rows: &Rows<'_>, minus: bool) -> Outcome<Column> {
    let dates = Primitives::<Date32Type>::new(&x[0])?;
    let intervals = Primitives::<Int64Type>::new(&x[1])?;
    let arrow = arrow_type(&DataType::Date);
    compute::<Date32Type>(&[&x[0], &x[1]], rows, &arrow, |row| {
        let Some((date, interval)) = dates.get(row).zip(intervals.get(row)) else {
            return Ok(None);
        };
        let days = i32::try_from(interval / DAY);
        let days = days.map_err(|_| Failure::at(row, "integer overflow"))?;
        Ok(Some(date.wrapping_add(sign_months(minus, days))))
    })
}
