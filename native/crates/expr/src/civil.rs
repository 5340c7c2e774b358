//! Times as people read them, by the calendar of `java.time`.

use crate::calendar::DAY;

/// A time without zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Civil {
    pub year: i64,
    pub month: u32,
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
    /// Nanoseconds of the second.
    pub nano: u32,
}

impl Civil {
    /// The time of milliseconds since 1970 and nanoseconds of the millisecond.
    pub fn of(millis: i64, nanos: i32) -> Self {
        let (year, month, day) = date(millis.div_euclid(DAY));
        let of_day = millis.rem_euclid(DAY) as u32;
        Self {
            year,
            month,
            day,
            hour: of_day / 3_600_000,
            minute: of_day / 60_000 % 60,
            second: of_day / 1000 % 60,
            nano: of_day % 1000 * 1_000_000 + nanos.unsigned_abs(),
        }
    }
}

/// Year, month and day of days since 1970. Years begin in March here, so that leap days come last.
pub(crate) fn date(days: i64) -> (i64, u32, u32) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month as u32, day as u32)
}

/// Days since 1970.
pub(crate) fn days(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month = i64::from(month);
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * shifted + 2) / 5 + i64::from(day) - 1;
    let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
    era * 146_097 + of_era - 719_468
}

/// Days of a month.
pub(crate) fn month_length(year: i64, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The last decimal digit. Of negative numbers Flink writes the characters below '0', and so does this.
pub(crate) fn digit(value: i32, out: &mut Vec<u8>) {
    out.push((i32::from(b'0') + value % 10) as u8);
}

/// The last two decimal digits.
pub(crate) fn two(value: i32, out: &mut Vec<u8>) {
    digit(value / 10, out);
    digit(value, out);
}
