//! The session's time zone.

use crate::failure::{Failure, Outcome};
use chrono::{DateTime, NaiveDateTime, Offset, TimeZone};
use chrono_tz::Tz;
use sf_core::Result;
use sf_plan::unsupported;

/// A time zone by Java's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Milliseconds east of UTC.
    Fixed(i64),
    Named(Tz),
    /// Refused as soon as an expression needs it.
    Unknown(String),
}

/// 1900-01-01 and 2100-01-01: outside of these the tables of zones and Java's rules are not known to agree.
const KNOWN: std::ops::Range<i64> = -2_208_988_800_000..4_102_444_800_000;

impl Zone {
    /// The zone of a session; empty is UTC.
    pub fn new(name: &str) -> Result<Self> {
        if let Some(offset) = fixed(name) {
            return Ok(Self::Fixed(offset));
        }
        Ok(match name.parse::<Tz>() {
            Ok(zone) if name.contains('/') => Self::Named(zone),
            _ => Self::Unknown(name.to_owned()),
        })
    }

    /// Refuses a zone that is not understood.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Unknown(name) => Err(unsupported(format!("the time zone {name}"))),
            _ => Ok(()),
        }
    }

    /// Milliseconds east of UTC at an instant.
    fn offset(&self, millis: i64, row: usize) -> Outcome<i64> {
        match self {
            Self::Fixed(offset) => Ok(*offset),
            Self::Named(zone) => {
                let utc = naive(millis).filter(|_| KNOWN.contains(&millis));
                let utc = utc.ok_or_else(|| unknown(zone, row))?;
                Ok(seconds(&zone.offset_from_utc_datetime(&utc)))
            }
            Self::Unknown(name) => Err(unsupported(format!("the time zone {name}")).into()),
        }
    }

    /// Milliseconds of the clock in this zone at an instant.
    pub fn local(&self, millis: i64, row: usize) -> Outcome<i64> {
        Ok(millis.wrapping_add(self.offset(millis, row)?))
    }

    /// The instant at which the clock shows these milliseconds: the earlier of two; in a gap, by the offset before it.
    pub fn instant(&self, local: i64, row: usize) -> Outcome<i64> {
        let Self::Named(zone) = self else {
            return Ok(local.wrapping_sub(self.offset(local, row)?));
        };
        let time = naive(local).filter(|_| KNOWN.contains(&local));
        let time = time.ok_or_else(|| unknown(zone, row))?;
        let offset = match zone.offset_from_local_datetime(&time).earliest() {
            Some(offset) => seconds(&offset),
            None => self.offset(local - crate::calendar::DAY, row)?,
        };
        Ok(local - offset)
    }
}

fn unknown(zone: &Tz, row: usize) -> Failure {
    let text = format!("a time before 1900 or after 2099 in the time zone {zone}");
    Failure::unsupported(row, text)
}

fn naive(millis: i64) -> Option<NaiveDateTime> {
    DateTime::from_timestamp_millis(millis).map(|time| time.naive_utc())
}

fn seconds(offset: &impl Offset) -> i64 {
    i64::from(offset.fix().local_minus_utc()) * 1000
}

/// UTC, GMT, Z and offsets of hours and minutes, with UTC or GMT in front or not.
fn fixed(name: &str) -> Option<i64> {
    if matches!(name, "" | "Z" | "UTC" | "GMT" | "Etc/UTC" | "Etc/GMT") {
        return Some(0);
    }
    let offset = name.strip_prefix("UTC").or(name.strip_prefix("GMT"));
    let offset = offset.unwrap_or(name);
    let sign = match offset.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = offset[1..].split_once(':')?;
    let number = |text: &str| -> Option<i64> {
        let digits = text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| text.parse().ok())?
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 18 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60_000)
}
