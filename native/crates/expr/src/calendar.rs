//! Flink's calendar: its own arithmetic of 32 bits, with what it makes of times before 1970 and of far ones.

use std::num::Wrapping;

/// Milliseconds of a day.
pub(crate) const DAY: i64 = 86_400_000;
const EPOCH_JULIAN: i32 = 2_440_588;

type W = Wrapping<i32>;

/// Year, month and day of days since 1970, as Flink computes them.
pub(crate) fn civil(date: i32) -> (i32, i32, i32) {
    let w = |value: i32| Wrapping(value);
    let j: W = w(date) + w(EPOCH_JULIAN) + w(32044);
    let g = j / w(146_097);
    let dg = j % w(146_097);
    let c = (dg / w(36524) + w(1)) * w(3) / w(4);
    let dc = dg - c * w(36524);
    let b = dc / w(1461);
    let db = dc % w(1461);
    let a = (db / w(365) + w(1)) * w(3) / w(4);
    let da = db - a * w(365);
    let y = g * w(400) + c * w(100) + b * w(4) + a;
    let m = (da * w(5) + w(308)) / w(153) - w(2);
    let d = da - (m + w(4)) * w(153) / w(5) + w(122);
    let year = y - w(4800) + (m + w(2)) / w(12);
    let month = (m + w(2)) % w(12) + w(1);
    (year.0, month.0, d.0.wrapping_add(1))
}

fn julian_of(year: i32, month: i32, day: i32) -> i32 {
    let w = |value: i32| Wrapping(value);
    let a = (w(14) - w(month)) / w(12);
    let y = w(year) + w(4800) - a;
    let m = w(month) + w(12) * a - w(3);
    let days = w(day) + (w(153) * m + w(2)) / w(5) + w(365) * y + y / w(4) - y / w(100);
    (days + y / w(400) - w(32045)).0
}

/// Days since 1970, as Flink computes them.
pub(crate) fn days(year: i32, month: i32, day: i32) -> i32 {
    julian_of(year, month, day).wrapping_sub(EPOCH_JULIAN)
}

/// Units that EXTRACT, FLOOR and CEIL know: names of Calcite's TimeUnitRange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Millennium,
    Century,
    Decade,
    Year,
    IsoYear,
    Quarter,
    Month,
    Week,
    Day,
    DayOfWeek,
    IsoDayOfWeek,
    DayOfYear,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
    Epoch,
}

impl Unit {
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "MILLENNIUM" => Self::Millennium,
            "CENTURY" => Self::Century,
            "DECADE" => Self::Decade,
            "YEAR" => Self::Year,
            "ISOYEAR" => Self::IsoYear,
            "QUARTER" => Self::Quarter,
            "MONTH" => Self::Month,
            "WEEK" => Self::Week,
            "DAY" => Self::Day,
            "DOW" => Self::DayOfWeek,
            "ISODOW" => Self::IsoDayOfWeek,
            "DOY" => Self::DayOfYear,
            "HOUR" => Self::Hour,
            "MINUTE" => Self::Minute,
            "SECOND" => Self::Second,
            "MILLISECOND" => Self::Millisecond,
            "MICROSECOND" => Self::Microsecond,
            "NANOSECOND" => Self::Nanosecond,
            "EPOCH" => Self::Epoch,
            _ => return None,
        })
    }

    /// Milliseconds of units that are less than a day.
    pub fn millis(self) -> Option<i64> {
        Some(match self {
            Self::Hour => 3_600_000,
            Self::Minute => 60_000,
            Self::Second => 1000,
            Self::Millisecond => 1,
            _ => return None,
        })
    }
}

/// What EXTRACT gives of days since 1970; `None` for units of the time of day.
pub(crate) fn extract_from_date(unit: Unit, date: i32) -> Option<i64> {
    let (year, month, day) = civil(date);
    let julian = i64::from(date.wrapping_add(EPOCH_JULIAN));
    Some(match unit {
        Unit::Epoch => i64::from(date) * 86_400,
        Unit::Year => year.into(),
        Unit::Month => month.into(),
        Unit::Day => day.into(),
        Unit::IsoYear => {
            let week = iso_week(julian, year, month, day);
            let year = i64::from(year);
            if week == 1 && month == 12 {
                year + 1
            } else if month == 1 && week > 50 {
                year - 1
            } else {
                year
            }
        }
        Unit::Quarter => i64::from((month + 2) / 3),
        Unit::DayOfWeek => (julian + 1).rem_euclid(7) + 1,
        Unit::IsoDayOfWeek => julian.rem_euclid(7) + 1,
        Unit::Week => iso_week(julian, year, month, day),
        Unit::DayOfYear => julian - i64::from(julian_of(year, 1, 1)) + 1,
        Unit::Decade => i64::from(year / 10),
        Unit::Century if year > 0 => i64::from((year + 99) / 100),
        Unit::Century => i64::from((year - 99) / 100),
        Unit::Millennium if year > 0 => i64::from((year + 999) / 1000),
        Unit::Millennium => i64::from((year - 999) / 1000),
        _ => return None,
    })
}

fn first_monday(year: i32) -> i64 {
    let first = i64::from(julian_of(year, 1, 1));
    let day_of_week = (first + 1).rem_euclid(7);
    first + (11 - day_of_week) % 7 - 3
}

/// The number of the ISO week, by Flink's rules.
fn iso_week(julian: i64, year: i32, month: i32, day: i32) -> i64 {
    let day = i64::from(day);
    let of_week = julian.rem_euclid(7) + 1;
    let number = |monday: i64| i64::from((julian - monday) as i32 / 7 + 1);
    if month == 12 && day > 28 {
        if 31 - day + 4 > 7 - of_week && 31 - day + of_week >= 4 {
            number(first_monday(year))
        } else {
            1
        }
    } else if month == 1 && day < 5 {
        if 4 - day <= 7 - of_week && day - of_week >= -3 {
            1
        } else {
            number(first_monday(year.wrapping_sub(1)))
        }
    } else {
        number(first_monday(year))
    }
}

/// The first day (`floor`), or the first day after, of the unit that a date lies in, as Flink computes it; `None` for
/// units of less than a day.
pub(crate) fn round_date(unit: Unit, date: i32, floor: bool) -> Option<i32> {
    let julian = date.wrapping_add(EPOCH_JULIAN);
    let w = |value: i32| Wrapping(value);
    let (b, c) = if julian > 2_299_160 {
        let a = w(julian) + w(32044);
        let b = (w(4) * a + w(3)) / w(146_097);
        (b, a - b * w(146_097) / w(4))
    } else {
        (w(0), w(julian) + w(32082))
    };
    let d = (w(4) * c + w(3)) / w(1461);
    let e = c - (w(1461) * d) / w(4);
    let m = (w(5) * e + w(2)) / w(153);
    let day = (e - (w(153) * m + w(2)) / w(5) + w(1)).0;
    let mut month = (m + w(3) - w(12) * (m / w(10))).0;
    let mut quarter = (month + 2) / 3;
    let mut year = (b * w(100) + d - w(4800) + m / w(10)).0;
    Some(match unit {
        Unit::Millennium if floor => days(1000 * ((year + 999) / 1000) - 999, 1, 1),
        Unit::Millennium => days(1000 * ((year + 999) / 1000) + 1, 1, 1),
        Unit::Century if floor => days(100 * ((year + 99) / 100) - 99, 1, 1),
        Unit::Century => days(100 * ((year + 99) / 100) + 1, 1, 1),
        Unit::Decade if floor => days(10 * (year / 10), 1, 1),
        Unit::Decade => days(10 * (1 + year / 10), 1, 1),
        Unit::Year => {
            if !floor && (month > 1 || day > 1) {
                year += 1;
            }
            days(year, 1, 1)
        }
        Unit::Month => {
            if !floor && day > 1 {
                month += 1;
            }
            days(year, month, 1)
        }
        Unit::Quarter => {
            if !floor && (month > 1 || day > 1) {
                quarter += 1;
            }
            days(year, quarter * 3 - 2, 1)
        }
        Unit::Week => {
            let mut offset = julian.wrapping_add(1).rem_euclid(7);
            if !floor && offset > 0 {
                offset -= 7;
            }
            days(year, month, day).wrapping_sub(offset)
        }
        Unit::Day if floor => days(year, month, day),
        Unit::Day => days(year, month, day).wrapping_add(1),
        _ => return None,
    })
}

/// A date some months later, on the last day of the month when that is shorter.
pub(crate) fn add_months(date: i32, months: i32) -> i32 {
    let (mut year, month, day) = civil(date);
    let month = month.wrapping_add(months);
    year = year.wrapping_add(month.div_euclid(12));
    let mut month = month.rem_euclid(12);
    if month == 0 {
        year = year.wrapping_sub(1);
        month = 12;
    }
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    days(year, month, day.min(last))
}

/// As [`add_months`], of milliseconds since 1970.
pub(crate) fn add_months_millis(millis: i64, months: i32) -> i64 {
    let of_day = millis.rem_euclid(DAY);
    let date = (millis.wrapping_sub(of_day) / DAY) as i32;
    i64::from(add_months(date, months)) * DAY + of_day
}
