//! Formats of `java.time.format.DateTimeFormatter` that give numbers and literal text.

use crate::civil::Civil;

/// A part of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(Vec<u8>),
    /// A field and how many letters it has.
    Field(Field, usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    /// `u`.
    Year,
    /// `y`.
    YearOfEra,
    Month,
    Day,
    Hour,
    /// `h`: 1 to 12.
    ClockHour,
    /// `K`: 0 to 11.
    HalfDayHour,
    /// `k`: 1 to 24.
    ClockHourOfDay,
    Minute,
    Second,
    Fraction,
}

/// A format without text that depends on a locale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Format {
    parts: Vec<Part>,
    /// Milliseconds of the smallest unit shown; 0 when fractions are.
    unit: i64,
}

impl Format {
    /// The format; `None` when it has letters that stand for text, or is not a format of Java.
    pub fn new(text: &str) -> Option<Self> {
        let mut parts: Vec<Part> = Vec::new();
        let mut literal = String::new();
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\'' => {
                    // Two quotes are one; else all up to the next single quote stands for itself.
                    if characters.next_if_eq(&'\'').is_some() {
                        literal.push('\'');
                        continue;
                    }
                    loop {
                        match characters.next()? {
                            '\'' if characters.next_if_eq(&'\'').is_some() => literal.push('\''),
                            '\'' => break,
                            other => literal.push(other),
                        }
                    }
                }
                '[' | ']' | '{' | '}' | '#' => return None,
                letter if letter.is_ascii_alphabetic() => {
                    let mut count = 1;
                    while characters.next_if_eq(&letter).is_some() {
                        count += 1;
                    }
                    if !literal.is_empty() {
                        parts.push(Part::Literal(std::mem::take(&mut literal).into_bytes()));
                    }
                    parts.push(Part::Field(field(letter, count)?, count));
                }
                other => literal.push(other),
            }
        }
        if !literal.is_empty() {
            parts.push(Part::Literal(literal.into_bytes()));
        }
        let unit = parts.iter().map(|part| match part {
            Part::Literal(_) => i64::MAX,
            Part::Field(Field::Year | Field::YearOfEra | Field::Month | Field::Day, _) => {
                crate::calendar::DAY
            }
            Part::Field(Field::Minute, _) => 60_000,
            Part::Field(Field::Second, _) => 1000,
            Part::Field(Field::Fraction, _) => 0,
            Part::Field(_, _) => 3_600_000,
        });
        let unit = unit.min().unwrap_or(i64::MAX);
        Some(Self { parts, unit })
    }

    /// What of a time the format can tell apart: equal for equal texts.
    pub fn shown(&self, millis: i64, nanos: i32) -> (i64, i32) {
        match self.unit {
            0 => (millis, nanos),
            unit => (millis.div_euclid(unit), 0),
        }
    }

    /// Appends a time.
    pub fn write(&self, millis: i64, nanos: i32, out: &mut Vec<u8>) {
        let time = Civil::of(millis, nanos);
        for part in &self.parts {
            match part {
                Part::Literal(text) => out.extend_from_slice(text),
                Part::Field(field, count) => field.write(&time, *count, out),
            }
        }
    }
}

fn field(letter: char, count: usize) -> Option<Field> {
    let two = |field| (count <= 2).then_some(field);
    match letter {
        'u' if count <= 19 => Some(Field::Year),
        'y' if count <= 19 => Some(Field::YearOfEra),
        'M' => two(Field::Month),
        'd' => two(Field::Day),
        'H' => two(Field::Hour),
        'h' => two(Field::ClockHour),
        'K' => two(Field::HalfDayHour),
        'k' => two(Field::ClockHourOfDay),
        'm' => two(Field::Minute),
        's' => two(Field::Second),
        'S' if count <= 9 => Some(Field::Fraction),
        _ => None,
    }
}

impl Field {
    fn write(self, time: &Civil, count: usize, out: &mut Vec<u8>) {
        let number = match self {
            Self::Year => return year(time.year, count, out),
            Self::YearOfEra => {
                let year_of_era = if time.year > 0 {
                    time.year
                } else {
                    1 - time.year
                };
                return year(year_of_era, count, out);
            }
            Self::Month => time.month,
            Self::Day => time.day,
            Self::Hour => time.hour,
            Self::ClockHour => (time.hour + 11) % 12 + 1,
            Self::HalfDayHour => time.hour % 12,
            Self::ClockHourOfDay => (time.hour + 23) % 24 + 1,
            Self::Minute => time.minute,
            Self::Second => time.second,
            Self::Fraction => {
                let digits = format!("{:09}", time.nano);
                out.extend_from_slice(&digits.as_bytes()[..count]);
                return;
            }
        };
        out.extend_from_slice(format!("{number:0count$}").as_bytes());
    }
}

/// Two letters: the last two digits. Else as many digits as letters at least, and from four letters on a sign for more.
fn year(year: i64, count: usize, out: &mut Vec<u8>) {
    if count == 2 {
        let short = year.unsigned_abs() % 100;
        out.extend_from_slice(format!("{short:02}").as_bytes());
        return;
    }
    let digits = format!("{:0count$}", year.unsigned_abs());
    if year < 0 {
        out.push(b'-');
    } else if count >= 4 && digits.len() > count {
        out.push(b'+');
    }
    out.extend_from_slice(digits.as_bytes());
}
