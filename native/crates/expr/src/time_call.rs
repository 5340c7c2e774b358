//! EXTRACT, DATE_FORMAT, and FLOOR and CEIL to a unit of time.

use crate::calendar::{DAY, Unit, extract_from_date, round_date};
use crate::column::{Column, Primitives, Rows, Stamps, compute, write};
use crate::compile::{Call, Compiler};
use crate::date_format::Format;
use crate::failure::Outcome;
use crate::program::{Kernel, Kind};
use crate::stamp;
use crate::types::{Family, family};
use arrow_array::types::{Date32Type, Int32Type, Int64Type, Time32MillisecondType};
use sf_batch::arrow_type;
use sf_core::Result;
use sf_plan::{DataType, unsupported};

pub(crate) fn build(compiler: &mut Compiler<'_>, call: &Call<'_>) -> Result<Kind> {
    match call.function {
        "EXTRACT" => extract(compiler, call),
        "DATE_FORMAT" => date_format(compiler, call),
        _ => round(compiler, call),
    }
}

fn unit(compiler: &Compiler<'_>, call: &Call<'_>, id: usize) -> Result<Unit> {
    let name = compiler.constant_text(id).unwrap_or_default();
    Unit::of(&name)
        .ok_or_else(|| unsupported(format!("function {} with the unit {name}", call.function)))
}

/// EXTRACT(unit, time), the unit a constant.
fn extract(compiler: &Compiler<'_>, call: &Call<'_>) -> Result<Kind> {
    let [unit_operand, operand] = compiler.operands(call)?;
    let unit = unit(compiler, call, unit_operand)?;
    if call.data_type != DataType::BigInt {
        return Err(compiler.refuse(call));
    }
    let kernel = match family(compiler.data_type(operand)) {
        Family::Timestamp => stamps(unit),
        Family::Date => extract_from_date(unit, 0)
            .map(|_| whole::<Date32Type>(move |date| extract_from_date(unit, date))),
        Family::Time => unit.millis().map(|millis| {
            whole::<Time32MillisecondType>(move |time| Some(date_part(time.into(), unit, millis)))
        }),
        Family::TimeInterval => interval_unit(unit),
        Family::MonthInterval => month_unit(unit),
        _ => None,
    };
    let kernel = kernel.ok_or_else(|| compiler.refuse(call))?;
    Ok(Kind::Call(kernel, vec![operand]))
}

/// The part of milliseconds that a unit below a day counts: the rest by the next unit, divided. Times before 1970 give
/// what Java's operators give: numbers below 0.
fn date_part(millis: i64, unit: Unit, size: i64) -> i64 {
    let factor = match unit {
        Unit::Hour => DAY,
        Unit::Minute => 3_600_000,
        Unit::Second => 60_000,
        _ => 1000,
    };
    millis % factor / size
}

fn whole<T: arrow_array::ArrowPrimitiveType>(
    f: impl Fn(T::Native) -> Option<i64> + Send + Sync + 'static,
) -> Kernel {
    let arrow = arrow_type(&DataType::BigInt);
    Box::new(move |x, rows| {
        let values = Primitives::<T>::new(&x[0])?;
        compute::<Int64Type>(&[&x[0]], rows, &arrow, |row| {
            Ok(values.get(row).and_then(&f))
        })
    })
}

fn interval_unit(unit: Unit) -> Option<Kernel> {
    let size = unit.millis();
    match unit {
        Unit::Day => Some(whole::<Int64Type>(|millis| Some(millis / DAY))),
        _ => size.map(|size| whole::<Int64Type>(move |v| Some(date_part(v, unit, size)))),
    }
}

/// Months: years are twelves of them, and what is left.
fn month_unit(unit: Unit) -> Option<Kernel> {
    let f: fn(i32) -> i32 = match unit {
        Unit::Year => |months| months / 12,
        Unit::Month => |months| months % 12,
        _ => return None,
    };
    Some(whole::<Int32Type>(move |months| Some(f(months).into())))
}

fn stamps(unit: Unit) -> Option<Kernel> {
    let f: Box<dyn Fn(i64, i32) -> i64 + Send + Sync> = match (unit, unit.millis()) {
        (_, Some(size)) => Box::new(move |millis, _| date_part(millis, unit, size)),
        (Unit::Microsecond, _) => {
            Box::new(|millis, nanos| millis % 1000 * 1000 + i64::from(nanos / 1000))
        }
        (Unit::Nanosecond, _) => {
            Box::new(|millis, nanos| millis % 1000 * 1_000_000 + i64::from(nanos))
        }
        (Unit::Epoch, _) => Box::new(|millis, _| millis / 1000),
        _ => {
            extract_from_date(unit, 0)?;
            // Flink divides: a time before 1970 belongs to the day after.
            Box::new(move |millis, _| {
                extract_from_date(unit, (millis / DAY) as i32).unwrap_or_default()
            })
        }
    };
    let arrow = arrow_type(&DataType::BigInt);
    Some(Box::new(move |x, rows| {
        let values = Stamps::new(&x[0])?;
        compute::<Int64Type>(&[&x[0]], rows, &arrow, |row| {
            Ok(values.get(row).map(|(millis, nanos)| f(millis, nanos)))
        })
    }))
}

/// DATE_FORMAT(time, format), the format a constant.
fn date_format(compiler: &Compiler<'_>, call: &Call<'_>) -> Result<Kind> {
    let [operand, format] = compiler.operands(call)?;
    let zone = match family(compiler.data_type(operand)) {
        Family::Timestamp => None,
        Family::TimestampLtz => {
            compiler.session.zone.check()?;
            Some(compiler.session.zone.clone())
        }
        _ => return Err(compiler.refuse(call)),
    };
    let text = compiler.constant_text(format);
    let text = text.ok_or_else(|| unsupported("function DATE_FORMAT with a computed format"))?;
    let format = Format::new(&text)
        .ok_or_else(|| unsupported(format!("function DATE_FORMAT with the format {text}")))?;
    let kernel: Kernel = Box::new(move |x, rows| {
        let values = Stamps::new(&x[0])?;
        let mut last: Option<(i64, i32)> = None;
        let mut text = Vec::new();
        write(&[&x[0]], rows, |row, out| {
            let Some((millis, nanos)) = values.get(row) else {
                return Ok(false);
            };
            let local = match &zone {
                None => millis,
                Some(zone) => zone.local(millis, row)?,
            };
            // Neighbours often share all that the format shows.
            let shown = format.shown(local, nanos);
            if last != Some(shown) {
                text.clear();
                format.write(local, nanos, &mut text);
                last = Some(shown);
            }
            out.extend_from_slice(&text);
            Ok(true)
        })
    });
    Ok(Kind::Call(kernel, vec![operand]))
}

/// FLOOR or CEIL of a time to a unit, which is a constant.
fn round(compiler: &Compiler<'_>, call: &Call<'_>) -> Result<Kind> {
    let [operand, unit_operand] = compiler.operands(call)?;
    let unit = unit(compiler, call, unit_operand)?;
    let floor = call.function == "FLOOR";
    let from = compiler.data_type(operand).clone();
    if from != call.data_type {
        return Err(compiler.refuse(call));
    }
    let known = match unit {
        Unit::Week | Unit::Quarter | Unit::Day | Unit::Month | Unit::Year => true,
        Unit::Millennium | Unit::Century | Unit::Decade => true,
        _ => unit.millis().is_some(),
    };
    let kernel: Kernel = match family(&from) {
        Family::Timestamp if known => Box::new(move |x, rows| {
            let values = Stamps::new(&x[0])?;
            stamp::compute(&[&x[0]], rows, &from, |row| {
                let rounded = values
                    .get(row)
                    .map(|(millis, nanos)| (round_millis(millis, nanos, unit, floor), 0));
                Ok(rounded)
            })
        }),
        Family::Date if known => Box::new(move |x, rows| round_dates(x, rows, unit, floor)),
        _ => return Err(compiler.refuse(call)),
    };
    Ok(Kind::Call(kernel, vec![operand]))
}

fn round_millis(millis: i64, nanos: i32, unit: Unit, floor: bool) -> i64 {
    let size = match unit {
        Unit::Day => Some(DAY),
        _ => unit.millis(),
    };
    match size {
        // Nanoseconds above 0 make a millisecond of their own for CEIL.
        Some(1) => millis.wrapping_add(i64::from(!floor && nanos > 0)),
        Some(size) if floor => millis.wrapping_sub(millis.rem_euclid(size)),
        Some(size) => {
            let above = millis.wrapping_add(size - 1);
            above.wrapping_sub(above.rem_euclid(size))
        }
        None => {
            let date = (millis / DAY) as i32;
            i64::from(round_date(unit, date, floor).unwrap_or(date)) * DAY
        }
    }
}

fn round_dates(x: &[Column], rows: &Rows<'_>, unit: Unit, floor: bool) -> Outcome<Column> {
    let values = Primitives::<Date32Type>::new(&x[0])?;
    let arrow = arrow_type(&DataType::Date);
    compute::<Date32Type>(&[&x[0]], rows, &arrow, |row| {
        // A date has no parts of a day to round.
        let rounded = |date| round_date(unit, date, floor).unwrap_or(date);
        Ok(values.get(row).map(rounded))
    })
}
