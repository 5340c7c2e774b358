//! Casts from strings.

use super::{OnFailure, time};
use crate::calendar::{self, DAY};
use crate::civil;
use crate::column::{Bytes, compute, test};
use crate::compile::Session;
use crate::decimal::{self, Form};
use crate::failure::{Failure, Outcome};
use crate::java_number::{is_hexadecimal, readable};
use crate::program::Kernel;
use crate::stamp::{self, Stamp};
use crate::text;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType,
};
use sf_batch::arrow_type;
use sf_core::Result;
use sf_plan::DataType;

/// Why a text is not a value.
enum Reject {
    /// Flink refuses it, too.
    Wrong(String),
    /// Flink might take it.
    Unknown(&'static str),
}

type Parsed<T> = std::result::Result<T, Reject>;

/// `None`: no such cast.
pub(super) fn kernel(
    to: &DataType,
    session: &Session,
    on_failure: OnFailure,
) -> Result<Option<Kernel>> {
    Ok(Some(match to {
        DataType::TinyInt => number::<Int8Type>(to, on_failure, |text| {
            let value = integer(text, i32::MIN.into(), i32::MAX.into())?;
            i8::try_from(value).map_err(|_| malformed(text, "Overflow."))
        }),
        DataType::SmallInt => number::<Int16Type>(to, on_failure, |text| {
            let value = integer(text, i32::MIN.into(), i32::MAX.into())?;
            i16::try_from(value).map_err(|_| malformed(text, "Overflow."))
        }),
        DataType::Int => number::<Int32Type>(to, on_failure, |text| {
            let value = integer(text, i32::MIN.into(), i32::MAX.into())?;
            i32::try_from(value).map_err(|_| malformed(text, "Overflow."))
        }),
        DataType::BigInt => number::<Int64Type>(to, on_failure, |text| {
            let value = integer(text, i64::MIN.into(), i64::MAX.into())?;
            i64::try_from(value).map_err(|_| malformed(text, "Overflow."))
        }),
        DataType::Float => number::<Float32Type>(to, on_failure, float),
        DataType::Double => number::<Float64Type>(to, on_failure, float),
        DataType::Decimal(precision, scale) => {
            let form = Form {
                precision: *precision,
                scale: *scale,
            };
            number::<Decimal128Type>(to, on_failure, move |text| decimal(text, form))
        }
        DataType::Boolean => Box::new(move |arguments, rows| {
            let values = Bytes::new(&arguments[0])?;
            test(&[&arguments[0]], rows, |row| {
                let value = values.get(row);
                value.map_or(Ok(None), |value| settle(boolean(value), row, on_failure))
            })
        }),
        DataType::Date => number::<Date32Type>(to, on_failure, |text| {
            let text = text::java(text);
            date(&text).ok_or_else(|| Reject::Wrong(format!("For input string: '{text}'.")))
        }),
        DataType::Time(precision) => {
            let precision = *precision;
            number::<Time32MillisecondType>(to, on_failure, move |bytes| {
                let text = text::java(bytes);
                let millis = time_of_day(&text).ok_or_else(|| {
                    Reject::Wrong(format!(
                        "Invalid time format: '{text}'. Expected format: HH:mm:ss[.fff] where HH is 00-23, mm is 00-59, ss is 00-59"
                    ))
                })?;
                Ok(time::cut_time(millis, precision))
            })
        }
        DataType::Timestamp(precision) | DataType::TimestampLtz(precision) => {
            let zoned = matches!(to, DataType::TimestampLtz(_));
            if zoned {
                session.zone.check()?;
            }
            let (zone, precision, to) = (session.zone.clone(), *precision, to.clone());
            Box::new(move |arguments, rows| {
                let values = Bytes::new(&arguments[0])?;
                stamp::compute(&[&arguments[0]], rows, &to, |row| {
                    let Some(value) = values.get(row) else {
                        return Ok(None);
                    };
                    let parsed = timestamp(&text::java(value), precision);
                    let Some((millis, nanos)) = settle(parsed, row, on_failure)? else {
                        return Ok(None);
                    };
                    let millis = if zoned {
                        zone.instant(millis, row)?
                    } else {
                        millis
                    };
                    Ok(Some((millis, nanos)))
                })
            })
        }
        _ => return Ok(None),
    }))
}

fn number<T: ArrowPrimitiveType>(
    to: &DataType,
    on_failure: OnFailure,
    parse: impl Fn(&[u8]) -> Parsed<T::Native> + Send + Sync + 'static,
) -> Kernel {
    let arrow = arrow_type(to);
    Box::new(move |arguments, rows| {
        let values = Bytes::new(&arguments[0])?;
        compute::<T>(&[&arguments[0]], rows, &arrow, |row| {
            let value = values.get(row);
            value.map_or(Ok(None), |value| settle(parse(value), row, on_failure))
        })
    })
}

fn settle<T>(parsed: Parsed<T>, row: usize, on_failure: OnFailure) -> Outcome<Option<T>> {
    match parsed {
        Ok(value) => Ok(Some(value)),
        Err(Reject::Wrong(_)) if on_failure == OnFailure::Null => Ok(None),
        Err(Reject::Wrong(message)) => Err(Failure::at(row, message)),
        Err(Reject::Unknown(message)) => Err(Failure::unsupported(row, message)),
    }
}

fn malformed(text: &[u8], reason: &str) -> Reject {
    let text = text::java(text);
    Reject::Wrong(format!("For input string: '{text}'. {reason}"))
}

fn trim_spaces(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|b| *b != b' ').unwrap_or(text.len());
    let end = text
        .iter()
        .rposition(|b| *b != b' ')
        .map_or(start, |at| at + 1);
    &text[start..end]
}

/// Digits after a sign or none; what follows a point must be digits and does not count.
fn integer(text: &[u8], least: i128, greatest: i128) -> Parsed<i128> {
    let text = trim_spaces(text);
    if text.is_empty() {
        return Err(malformed(text, "Input is empty."));
    }
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() {
        return Err(malformed(
            text,
            "Input has only positive or negative symbol.",
        ));
    }
    let point = digits.iter().position(|b| *b == b'.');
    let (whole, fraction) = match point {
        Some(at) => (&digits[..at], &digits[at + 1..]),
        None => (digits, &digits[..0]),
    };
    let mut value: i128 = 0;
    for digit in whole {
        if !digit.is_ascii_digit() {
            return Err(malformed(text, "Invalid character found."));
        }
        value = value * 10 - i128::from(digit - b'0');
        if value < least {
            return Err(malformed(text, "Overflow."));
        }
    }
    if !fraction.iter().all(u8::is_ascii_digit) {
        return Err(malformed(text, "Invalid character found."));
    }
    let value = if negative { value } else { -value };
    if value > greatest {
        return Err(malformed(text, "Overflow."));
    }
    Ok(value)
}

fn float<T: std::str::FromStr>(bytes: &[u8]) -> Parsed<T> {
    let text = text::java(trim_spaces(bytes));
    if is_hexadecimal(&text) {
        return Err(Reject::Unknown("a hexadecimal number as text"));
    }
    let parsed = readable(&text).and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| Reject::Wrong(format!("For input string: \"{text}\"")))
}

fn boolean(text: &[u8]) -> Parsed<bool> {
    let mut lower = Vec::with_capacity(text.len());
    text::lower(text, &mut lower);
    match lower.as_slice() {
        b"t" | b"true" | b"y" | b"yes" | b"1" => Ok(true),
        b"f" | b"false" | b"n" | b"no" | b"0" => Ok(false),
        _ => {
            let text = text::java(text);
            Err(Reject::Wrong(format!("Cannot parse '{text}' as BOOLEAN.")))
        }
    }
}

fn decimal(text: &[u8], to: Form) -> Parsed<i128> {
    let value = if to.precision > 18 || text.len() > 18 {
        long_decimal(text, to)?
    } else {
        short_decimal(text, to)
    };
    value.ok_or_else(|| malformed(text, "Overflow."))
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t')
}

/// Flink's own parser, for at most 18 bytes. It takes a text without digits as 0, and a rounded value may have a digit
/// too many.
fn short_decimal(text: &[u8], to: Form) -> Option<i128> {
    let mut at = text.iter().position(|b| !is_blank(*b))?;
    let mut byte = text[at];
    let negative = byte == b'-';
    if negative || byte == b'+' {
        at += 1;
        if at == text.len() {
            return None;
        }
    }
    let (mut significand, mut length, mut point) = (0_i64, 0_i32, None);
    while at < text.len() {
        byte = text[at];
        at += 1;
        match byte {
            b'0'..=b'9' => {
                significand = significand * 10 + i64::from(byte - b'0');
                length += 1;
            }
            b'.' if point.is_some() => return None,
            b'.' => point = Some(length),
            _ => break,
        }
    }
    if negative {
        significand = -significand;
    }
    let mut exponent = 0_i32;
    if matches!(byte, b'e' | b'E') && at < text.len() {
        byte = text[at];
        let below = byte == b'-';
        if below || byte == b'+' {
            at += 1;
            if at == text.len() {
                return None;
            }
        }
        let mut digits = 0_i32;
        while at < text.len() {
            byte = text[at];
            at += 1;
            if !byte.is_ascii_digit() {
                break;
            }
            if digits < 40 {
                digits = digits * 10 + i32::from(byte - b'0');
            }
        }
        exponent = if below { -digits } else { digits };
    }
    exponent -= length - point.unwrap_or(length);
    if text[at..].iter().any(|b| !is_blank(*b)) {
        return None;
    }
    let change = exponent + i32::from(to.scale);
    if length + change > i32::from(to.precision) {
        return None;
    }
    if change >= 0 {
        return Some(i128::from(significand) * decimal::pow10(change as u32));
    }
    // Beyond 18 digits Flink's table of powers ends.
    if change < -18 {
        return None;
    }
    let unit = decimal::pow10(-change as u32);
    let half = if negative { -5 } else { 5 } * decimal::pow10((-change - 1) as u32);
    Some((i128::from(significand) + half) / unit)
}

/// As `BigDecimal`'s constructor reads it between blanks; `Ok(None)` when it does not fit.
fn long_decimal(bytes: &[u8], to: Form) -> Parsed<Option<i128>> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Ok(None);
    };
    let text = text.trim_matches([' ', '\n', '\t']);
    let wrong = || Reject::Wrong(format!("For input string: '{text}'. Not a DECIMAL."));
    if !text.is_ascii() {
        return Err(Reject::Unknown("a DECIMAL with digits that are not ASCII"));
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            // BigDecimal takes ten digits at most.
            let fits = (1..=10).contains(&digits.len());
            if !fits || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(wrong());
            }
            let magnitude: i64 = digits.parse().map_err(|_| wrong())?;
            let below = exponent.starts_with('-');
            (mantissa, if below { -magnitude } else { magnitude })
        }
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = whole.bytes().chain(fraction.bytes());
    if whole.len() + fraction.len() == 0 || !digits.all(|b| b.is_ascii_digit()) {
        return Err(wrong());
    }
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let exponent = exponent - fraction.len() as i64;
    // BigDecimal's scale is this with the other sign, and an `int`.
    let scale = i32::try_from(-exponent).map_err(|_| wrong())?;
    let mut exponent = scale.saturating_neg();
    if digits.is_empty() {
        return Ok(Some(0));
    }
    // 76 digits are more than any value has that fits; digits behind them can turn a half at most, and are kept as one.
    let mut kept = digits.as_bytes().to_vec();
    if kept.len() > 70 {
        let cut = kept.split_off(70);
        exponent = exponent.saturating_add(cut.len() as i32);
        if exponent > 38 {
            return Ok(None);
        }
        if cut.iter().any(|digit| *digit != b'0') {
            kept.push(b'1');
            exponent = exponent.saturating_sub(1);
        }
    }
    let text = String::from_utf8_lossy(&kept);
    let value = decimal::from_text_digits(&text, exponent, to);
    let negative = bytes.contains(&b'-') && text_is_negative(bytes);
    Ok(value.map(|value| if negative { -value } else { value }))
}

fn text_is_negative(bytes: &[u8]) -> bool {
    bytes.iter().find(|b| !is_blank(**b)) == Some(&b'-')
}

/// Java's `trim`.
fn trim(text: &str) -> &str {
    text.trim_matches(|c| c <= ' ')
}

/// A number of decimal digits only that fits an `int`.
fn whole(text: &str) -> Option<i32> {
    let text = trim(text);
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

/// `y`, `y-m` or `y-m-d`, and whatever follows a blank behind it.
fn date(text: &str) -> Option<i32> {
    let text = match text.find(' ') {
        Some(at) if at > 0 => &text[..at],
        _ => text,
    };
    let mut parts = text.splitn(3, '-');
    let year = whole(parts.next()?)?;
    let month = parts.next().map_or(Some(1), whole)?;
    let day = parts.next().map_or(Some(1), whole)?;
    let valid = (0..=9999).contains(&year) && (1..=12).contains(&month) && day >= 1;
    let length = civil::month_length(year.into(), month as u32) as i32;
    (valid && day <= length).then(|| calendar::days(year, month, day))
}

/// `H[:m[:s[.f]]]` with an offset behind it that is added. Flink looks for colons behind the sign of the offset as
/// well, and then finds no number: so do these slices.
fn time_of_day(text: &str) -> Option<i32> {
    let find = |character: char, from: usize| {
        let at = text.get(from..)?.find(character);
        at.map(|at| at + from)
    };
    let part = |from: usize, to: usize| text.get(from..to).and_then(whole);
    let length = text.len();
    let (zone, sign) = match (find('-', 0), find('+', 0)) {
        (Some(at), _) => (Some(at), -1),
        (None, at) => (at, 1),
    };
    let end = zone.unwrap_or(length);
    let (offset_hours, offset_minutes) = match zone.map(|zone| (zone, find(':', zone))) {
        None => (0, 0),
        Some((zone, None)) => (part(zone + 1, length)?, 0),
        Some((zone, Some(colon))) => (part(zone + 1, colon)?, part(colon + 1, length)?),
    };
    let (hour, minute, second, millis) = match find(':', 0) {
        None => (part(0, end)?, 0, 0, 0),
        Some(first) => match find(':', first + 1) {
            None => (part(0, first)?, part(first + 1, end)?, 0, 0),
            Some(next) => {
                let (hour, minute) = (part(0, first)?, part(first + 1, next)?);
                match find('.', next) {
                    None => (hour, minute, part(next + 1, end)?, 0),
                    Some(point) => {
                        let second = part(next + 1, point)?;
                        let digits = text.get(point + 1..end)?;
                        (hour, minute, second, fraction(trim(digits)))
                    }
                }
            }
        },
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let hour = hour.wrapping_add(offset_hours.wrapping_mul(sign));
    let minute = minute.wrapping_add(offset_minutes.wrapping_mul(sign));
    let time = hour.wrapping_mul(3_600_000);
    let time = time.wrapping_add(minute.wrapping_mul(60_000));
    Some(time.wrapping_add(second * 1000 + millis))
}

/// Three digits of a fraction, rounded by the fourth; what is no digit counts as 0.
fn fraction(text: &str) -> i32 {
    let characters: Vec<char> = text.chars().collect();
    let mut millis = 0;
    for (index, unit) in [100, 10, 1].into_iter().enumerate() {
        let Some(character) = characters.get(index) else {
            break;
        };
        millis += unit * character.to_digit(10).unwrap_or(0) as i32;
        if unit == 1 && characters.get(3).is_some_and(|next| *next >= '5') {
            millis += 1;
        }
    }
    millis
}

/// `yyyy-M-d` or `yyyy-M-d H:m:s[.f]`, by the formatter's smart rules: the last day of a month for a later one,
/// 24:00:00 for the next day. Fractions are cut to the precision.
fn timestamp(text: &str, precision: u8) -> Parsed<Stamp> {
    let wrong = || Reject::Wrong(format!("Text '{text}' could not be parsed"));
    parse_timestamp(text, precision).ok_or_else(wrong)
}

fn parse_timestamp(text: &str, precision: u8) -> Option<Stamp> {
    let (date, time) = match text.split_once(' ') {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let long = date.strip_prefix('+');
    let mut parts = long.unwrap_or(date).split('-');
    let year = parts.next()?;
    let fits = match long {
        None => year.len() == 4,
        Some(_) => (5..=19).contains(&year.len()),
    };
    if !fits || !year.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let year: i64 = year.parse().ok()?;
    let (month, day) = (short(parts.next()?)?, short(parts.next()?)?);
    let valid = (1..=999_999_999).contains(&year) && (1..=12).contains(&month);
    if parts.next().is_some() || !valid || !(1..=31).contains(&day) {
        return None;
    }
    let day = day.min(civil::month_length(year, month));
    let mut days = civil::days(year, month, day);
    let (mut of_day, mut nano) = (0_i64, 0_i64);
    if let Some(time) = time {
        let (clock, digits) = match time.split_once('.') {
            Some((clock, digits)) => (clock, digits),
            None => (time, ""),
        };
        let mut parts = clock.split(':');
        let hour = short(parts.next()?)?;
        let (minute, second) = (short(parts.next()?)?, short(parts.next()?)?);
        let digits_valid = digits.len() <= 9 && digits.bytes().all(|b| b.is_ascii_digit());
        if parts.next().is_some() || !digits_valid || minute > 59 || second > 59 {
            return None;
        }
        nano = format!("{digits:0<9}").parse().ok()?;
        let midnight = hour == 24 && minute == 0 && second == 0 && nano == 0;
        if hour > 23 && !midnight {
            return None;
        }
        days += i64::from(midnight);
        let hour = if midnight { 0 } else { hour };
        of_day = i64::from(hour * 3600 + minute * 60 + second) * 1000;
    }
    let unit = 10_i64.pow(9 - u32::from(precision.min(9)));
    let nano = nano / unit * unit;
    let millis = days * DAY + of_day + nano / 1_000_000;
    Some((millis, (nano % 1_000_000) as i32))
}

/// One or two digits.
fn short(text: &str) -> Option<u32> {
    let digits = matches!(text.len(), 1 | 2) && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}
