//! The formatters of Flink's formats: `ISO_LOCAL_DATE`, `HH:mm:ss` with a fraction of up to nine digits, both joined by a blank (SQL) or
//! by `T` (ISO-8601), and a `Z` behind for instants.

use sf_plan::proto::TimestampFormat;

/// Milliseconds of a day.
pub(crate) const DAY: i64 = 86_400_000;

/// Days since 1970 of a day of the proleptic ISO calendar; `month` from 1 to 12.
#[inline]
pub(crate) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Years that begin in March, in eras of 400.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month and day of a day since 1970.
#[inline]
pub(crate) fn civil_from_days(days: i64) -> (i64, u8, u8) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    (year, month as u8, day as u8)
}

/// Days of a month.
#[inline]
pub(crate) fn month_length(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// A point in time: milliseconds since 1970 and nanoseconds of the millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timestamp {
    pub(crate) millis: i64,
    pub(crate) nanos: i32,
}

/// A date: days since 1970.
pub(crate) fn parse_date(text: &str) -> Option<i64> {
    let mut rest = Rest(text.as_bytes());
    let day = rest.date(true)?;
    rest.0.is_empty().then_some(day)
}

/// A time: its seconds of the day.
pub(crate) fn parse_time(text: &str) -> Option<i64> {
    let mut rest = Rest(text.as_bytes());
    let time = rest.time(false, false)?;
    rest.0.is_empty().then_some(time.seconds)
}

/// A timestamp, with a `Z` behind it if it is an instant.
pub(crate) fn parse_timestamp(
    text: &str,
    format: TimestampFormat,
    instant: bool,
) -> Option<Timestamp> {
    let iso = format == TimestampFormat::Iso8601;
    // Java's own formatter of a local date and time is strict and takes a small t; those that are put together are not, and do not.
    let own = iso && !instant;
    let mut rest = Rest(text.as_bytes());
    let day = rest.date(own)?;
    match (rest.take()?, iso) {
        (b'T', true) | (b' ', false) => {}
        (b't', true) if own => {}
        _ => return None,
    }
    let time = rest.time(iso, own)?;
    if instant && rest.take()? != b'Z' || !rest.0.is_empty() {
        return None;
    }
    let day = day + time.days;
    // Java wraps around beyond the range of 64 bits.
    let millis = day.wrapping_mul(DAY);
    let millis = millis.wrapping_add(time.seconds * 1000 + time.nanos / 1_000_000);
    Some(Timestamp {
        millis,
        nanos: (time.nanos % 1_000_000) as i32,
    })
}

struct Time {
    /// One for 24:00.
    days: i64,
    seconds: i64,
    nanos: i64,
}

/// What is not yet read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn take(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn literal(&mut self, literal: u8) -> Option<()> {
        (self.take()? == literal).then_some(())
    }

    /// Two digits.
    fn pair(&mut self) -> Option<i64> {
        let digit = |b: u8| b.is_ascii_digit().then(|| i64::from(b - b'0'));
        Some(digit(self.take()?)? * 10 + digit(self.take()?)?)
    }

    /// As many digits as there are, up to a number of them.
    fn digits(&mut self, most: usize) -> (i64, usize) {
        let count = self
            .0
            .iter()
            .take(most)
            .take_while(|b| b.is_ascii_digit())
            .count();
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        let value = digits
            .iter()
            .fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
        (value, count)
    }

    /// Four digits, or up to ten with a sign.
    fn year(&mut self) -> Option<i64> {
        let sign = self.0.first().copied().filter(|b| matches!(b, b'+' | b'-'));
        if sign.is_some() {
            self.take();
        }
        let (year, count) = self.digits(10);
        let fits = match sign {
            None => count == 4,
            Some(b'+') => count > 4,
            _ => count >= 4 && year != 0,
        };
        let year = if sign == Some(b'-') { -year } else { year };
        (fits && year.abs() <= 999_999_999).then_some(year)
    }

    /// A date as days since 1970; unless `strict`, a month's last day stands for those up to the 31st that it lacks.
    fn date(&mut self, strict: bool) -> Option<i64> {
        let year = self.year()?;
        self.literal(b'-')?;
        let month = self.pair()?;
        self.literal(b'-')?;
        let day = self.pair()?;
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        let last = month_length(year, month);
        if strict && day > last {
            return None;
        }
        Some(days_from_civil(year, month, day.min(last)))
    }

    /// A time; unless `strict`, 24:00 is the end of the day.
    fn time(&mut self, seconds_optional: bool, strict: bool) -> Option<Time> {
        let hour = self.pair()?;
        self.literal(b':')?;
        let minute = self.pair()?;
        let (mut second, mut nanos) = (0, 0);
        if !seconds_optional || self.0.first() == Some(&b':') {
            self.literal(b':')?;
            second = self.pair()?;
            if self.0.first() == Some(&b'.') {
                self.take();
                let (value, count) = self.digits(9);
                nanos = value * 10i64.pow(9 - count as u32);
            }
        }
        if !strict && (hour, minute, second, nanos) == (24, 0, 0, 0) {
            return Some(Time {
                days: 1,
                seconds: 0,
                nanos: 0,
            });
        }
        (hour < 24 && minute < 60 && second < 60).then_some(Time {
            days: 0,
            seconds: hour * 3600 + minute * 60 + second,
            nanos,
        })
    }
}

/// Writes a date.
pub(crate) fn write_date(days: i64, out: &mut Vec<u8>) {
    let (year, month, day) = civil_from_days(days);
    if (0..=9999).contains(&year) {
        out.extend_from_slice(&pair((year / 100) as u8));
        out.extend_from_slice(&pair((year % 100) as u8));
    } else if year < 0 {
        out.extend_from_slice(format!("-{:04}", -year).as_bytes());
    } else {
        out.extend_from_slice(format!("+{year}").as_bytes());
    }
    out.push(b'-');
    out.extend_from_slice(&pair(month));
    out.push(b'-');
    out.extend_from_slice(&pair(day));
}

/// Writes a time of a day with as many digits of the fraction as are needed.
pub(crate) fn write_time(seconds: i64, nanos: i64, out: &mut Vec<u8>) {
    let [h1, h0] = pair((seconds / 3600) as u8);
    let [m1, m0] = pair((seconds / 60 % 60) as u8);
    let [s1, s0] = pair((seconds % 60) as u8);
    out.extend_from_slice(&[h1, h0, b':', m1, m0, b':', s1, s0]);
    if nanos > 0 {
        let millis = (nanos / 1_000_000) as u32;
        let mut fraction = [b'.', 0, 0, 0, b'0', b'0', b'0', b'0', b'0', b'0'];
        fraction[1] = b'0' + (millis / 100) as u8;
        fraction[2..4].copy_from_slice(&pair((millis % 100) as u8));
        let mut rest = (nanos % 1_000_000) as u32;
        for place in fraction[4..].iter_mut().rev() {
            *place = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        let zeros = fraction.iter().rev().take_while(|b| **b == b'0').count();
        out.extend_from_slice(&fraction[..10 - zeros]);
    }
}

/// Two digits.
#[inline]
fn pair(value: u8) -> [u8; 2] {
    [b'0' + value / 10, b'0' + value % 10]
}
