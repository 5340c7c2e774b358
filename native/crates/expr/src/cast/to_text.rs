//! Casts to CHAR, VARCHAR and STRING.

use crate::calendar;
use crate::civil::{self, Civil};
use crate::column::{Bytes, Primitives, Stamps, Truth, write};
use crate::compile::Session;
use crate::decimal;
use crate::java_number::Text;
use crate::program::Kernel;
use crate::text;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType,
};
use sf_core::Result;
use sf_plan::DataType;

/// What a type's length does to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fit {
    /// Characters, `usize::MAX` for any number.
    length: usize,
    pads: bool,
}

impl Fit {
    fn of(to: &DataType, session: &Session) -> Self {
        let (length, pads) = match to {
            DataType::Char(n) => (*n, *n < i32::MAX),
            DataType::Varchar(n) => (*n, false),
            _ => (i32::MAX, false),
        };
        if session.legacy_cast || length == i32::MAX {
            return Self {
                length: usize::MAX,
                pads: false,
            };
        }
        Self {
            length: usize::try_from(length).unwrap_or(0),
            pads,
        }
    }

    fn apply(self, out: &mut Vec<u8>) {
        if self.length == usize::MAX {
            return;
        }
        let count = text::char_count(out);
        if count > self.length {
            let kept = text::char_offset(out, 0, self.length);
            out.truncate(kept);
        } else if self.pads {
            out.resize(out.len() + self.length - count, b' ');
        }
    }
}

/// Between strings: only a length can change the text.
pub(super) fn length(from: &DataType, to: &DataType, session: &Session) -> Option<Option<Kernel>> {
    let fit = Fit::of(to, session);
    let declared = match from {
        DataType::Char(n) | DataType::Varchar(n) => usize::try_from(*n).ok()?,
        _ => return None,
    };
    if fit.length == usize::MAX || (declared <= fit.length && !fit.pads) {
        return Some(None);
    }
    Some(Some(Box::new(move |arguments, rows| {
        let values = Bytes::new(&arguments[0])?;
        write(&[&arguments[0]], rows, |row, out| {
            let Some(value) = values.get(row) else {
                return Ok(false);
            };
            out.extend_from_slice(value);
            fit.apply(out);
            Ok(true)
        })
    })))
}

/// Bytes to STRING: what is not UTF-8 is replaced.
pub(super) fn decode() -> Kernel {
    Box::new(|arguments, rows| {
        let values = Bytes::new(&arguments[0])?;
        write(&[&arguments[0]], rows, |row, out| {
            let Some(value) = values.get(row) else {
                return Ok(false);
            };
            out.extend_from_slice(text::java(value).as_bytes());
            Ok(true)
        })
    })
}

fn primitive<T: ArrowPrimitiveType>(
    fit: Fit,
    f: impl Fn(T::Native, &mut Vec<u8>) + Send + Sync + 'static,
) -> Kernel {
    Box::new(move |arguments, rows| {
        let values = Primitives::<T>::new(&arguments[0])?;
        write(&[&arguments[0]], rows, |row, out| {
            let Some(value) = values.get(row) else {
                return Ok(false);
            };
            f(value, out);
            fit.apply(out);
            Ok(true)
        })
    })
}

fn display<T: ArrowPrimitiveType>(fit: Fit) -> Kernel
where
    T::Native: std::fmt::Display,
{
    primitive::<T>(fit, |value, out| {
        out.extend_from_slice(value.to_string().as_bytes());
    })
}

/// `None`: no such cast.
pub(super) fn kernel(from: &DataType, to: &DataType, session: &Session) -> Result<Option<Kernel>> {
    let fit = Fit::of(to, session);
    Ok(Some(match from {
        DataType::TinyInt => display::<Int8Type>(fit),
        DataType::SmallInt => display::<Int16Type>(fit),
        DataType::Int => display::<Int32Type>(fit),
        DataType::BigInt => display::<Int64Type>(fit),
        DataType::Float => primitive::<Float32Type>(fit, |value, out| value.write(out)),
        DataType::Double => primitive::<Float64Type>(fit, |value, out| value.write(out)),
        DataType::Decimal(_, scale) => {
            let scale = *scale;
            primitive::<Decimal128Type>(fit, move |value, out| decimal::plain(value, scale, out))
        }
        DataType::Boolean => boolean(fit, session.legacy_cast),
        DataType::Date => primitive::<Date32Type>(fit, |value, out| {
            let (year, month, day) = calendar::civil(value);
            date(year, month, day, out);
        }),
        DataType::Time(precision) => {
            let precision = *precision;
            primitive::<Time32MillisecondType>(fit, move |value, out| time(value, precision, out))
        }
        DataType::IntervalYearMonth => primitive::<Int32Type>(fit, months),
        DataType::IntervalDayTime => primitive::<Int64Type>(fit, interval),
        DataType::Timestamp(precision) => stamp(fit, *precision, None),
        DataType::TimestampLtz(precision) => {
            session.zone.check()?;
            stamp(fit, *precision, Some(session.zone.clone()))
        }
        _ => return Ok(None),
    }))
}

fn boolean(fit: Fit, legacy: bool) -> Kernel {
    Box::new(move |arguments, rows| {
        let truth = Truth::new(&arguments[0], rows.count)?;
        write(&[&arguments[0]], rows, |row, out| {
            let word: &[u8] = match (truth.yes.value(row), truth.no.value(row), legacy) {
                (true, _, false) => b"TRUE",
                (true, _, true) => b"true",
                (false, true, false) => b"FALSE",
                (false, true, true) => b"false",
                (false, false, _) => return Ok(false),
            };
            out.extend_from_slice(word);
            fit.apply(out);
            Ok(true)
        })
    })
}

fn stamp(fit: Fit, precision: u8, zone: Option<crate::zone::Zone>) -> Kernel {
    Box::new(move |arguments, rows| {
        let values = Stamps::new(&arguments[0])?;
        write(&[&arguments[0]], rows, |row, out| {
            let Some((millis, nanos)) = values.get(row) else {
                return Ok(false);
            };
            let local = match &zone {
                None => millis,
                Some(zone) => zone.local(millis, row)?,
            };
            timestamp(&Civil::of(local, nanos), precision, out);
            fit.apply(out);
            Ok(true)
        })
    })
}

/// `yyyy-MM-dd HH:mm:ss` and as many digits of the second as the precision says.
fn timestamp(time: &Civil, precision: u8, out: &mut Vec<u8>) {
    date(time.year as i32, time.month as i32, time.day as i32, out);
    out.push(b' ');
    civil::two(time.hour as i32, out);
    out.push(b':');
    civil::two(time.minute as i32, out);
    out.push(b':');
    civil::two(time.second as i32, out);
    if precision > 0 {
        out.push(b'.');
        let digits = format!("{:09}", time.nano);
        let kept = usize::from(precision).min(digits.len());
        out.extend_from_slice(&digits.as_bytes()[..kept]);
    }
}

/// The last four digits of the year, two of month and day.
fn date(year: i32, month: i32, day: i32, out: &mut Vec<u8>) {
    civil::digit(year / 1000, out);
    civil::digit(year / 100, out);
    civil::two(year, out);
    out.push(b'-');
    civil::two(month, out);
    out.push(b'-');
    civil::two(day, out);
}

/// `HH:mm:ss`, then a point and digits up to the last one that is not 0, one at least.
fn time(mut millis: i32, precision: u8, out: &mut Vec<u8>) {
    if millis < 0 {
        millis = millis.rem_euclid(calendar::DAY as i32);
    }
    civil::two(millis / 3_600_000, out);
    out.push(b':');
    civil::two(millis / 60_000 % 60, out);
    out.push(b':');
    civil::two(millis / 1000 % 60, out);
    if precision == 0 {
        return;
    }
    out.push(b'.');
    let mut rest = millis % 1000;
    for _ in 0..precision {
        civil::digit(rest / 100, out);
        rest = rest % 100 * 10;
        if rest == 0 {
            break;
        }
    }
}

fn months(months: i32, out: &mut Vec<u8>) {
    out.push(if months >= 0 { b'+' } else { b'-' });
    let months = months.unsigned_abs();
    out.extend_from_slice(format!("{}-{:02}", months / 12, months % 12).as_bytes());
}

fn interval(millis: i64, out: &mut Vec<u8>) {
    out.push(if millis >= 0 { b'+' } else { b'-' });
    let millis = millis.unsigned_abs();
    let (days, hours) = (millis / 86_400_000, millis / 3_600_000 % 24);
    let (minutes, seconds) = (millis / 60_000 % 60, millis / 1000 % 60);
    let rest = millis % 1000;
    let text = format!("{days} {hours:02}:{minutes:02}:{seconds:02}.{rest:03}");
    out.extend_from_slice(text.as_bytes());
}
