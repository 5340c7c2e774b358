mod cursor;

use super::scan::{Pattern, string_stop};
use crate::column::{Column, Data};
use crate::java::decimal::BigDecimal;
use crate::java::time;
use cursor::Cursor;
use sf_plan::proto::TimestampFormat;
use sf_plan::{DataType, RowType};

/// The record is not one of the plain ones: it is to be read exactly.
#[derive(Debug)]
pub(super) struct Odd;

type Plain<T> = Result<T, Odd>;

/// Longest record that is looked at here; Jackson refuses strings of more than 20 million characters.
const MAX_RECORD: usize = 20_000_000;
/// Longest field name that is looked at here; Jackson refuses those of more than 50,000 bytes.
const MAX_NAME: usize = 50_000;
/// Deepest nesting that is skipped here; Jackson refuses more than 1000 levels.
const MAX_SKIPPED: usize = 64;

/// What is expected where.
#[derive(Debug)]
pub(super) struct Rows {
    fields: Vec<Field>,
    /// Names and their fields, by name.
    sorted: Vec<(Box<[u8]>, usize)>,
    fail_on_missing: bool,
}

#[derive(Debug)]
struct Field {
    /// Name in quotes and a colon, if it can stand in a text like this.
    key: Option<Pattern>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Boolean,
    Integer {
        min: i64,
        max: i64,
    },
    Floating,
    String,
    Date,
    Time,
    Timestamp {
        format: TimestampFormat,
        instant: bool,
        unit: Unit,
    },
    Decimal {
        precision: u8,
        scale: i8,
    },
    Array(Box<Kind>),
    Row(Rows),
    /// NULL or read exactly.
    Other,
}

#[derive(Debug, Clone, Copy)]
enum Unit {
    Millis,
    Micros,
    Wide,
}

impl Rows {
    pub(super) fn new(row: &RowType, format: TimestampFormat, fail_on_missing: bool) -> Self {
        let fields = row.fields().iter().map(|field| Field {
            key: (!field.name.contains(['"', '\\']))
                .then(|| Pattern::new(format!("\"{}\":", field.name).as_bytes())),
            kind: Kind::new(&field.data_type, format, fail_on_missing),
        });
        let names = row.fields().iter().enumerate();
        let mut sorted: Vec<_> = names.map(|(i, f)| (f.name.as_bytes().into(), i)).collect();
        sorted.sort_unstable();
        Self {
            fields: fields.collect(),
            sorted,
            fail_on_missing,
        }
    }
}

impl Kind {
    fn new(data_type: &DataType, format: TimestampFormat, fail_on_missing: bool) -> Self {
        let integer = |min, max| Self::Integer { min, max };
        let timestamp = |precision: &u8, instant| Self::Timestamp {
            format,
            instant,
            unit: match precision {
                0..=3 => Unit::Millis,
                4..=6 => Unit::Micros,
                _ => Unit::Wide,
            },
        };
        match data_type {
            DataType::Boolean => Self::Boolean,
            DataType::TinyInt => integer(i8::MIN.into(), i8::MAX.into()),
            DataType::SmallInt => integer(i16::MIN.into(), i16::MAX.into()),
            DataType::Int | DataType::IntervalYearMonth => {
                integer(i32::MIN.into(), i32::MAX.into())
            }
            DataType::BigInt | DataType::IntervalDayTime => integer(i64::MIN, i64::MAX),
            DataType::Float | DataType::Double => Self::Floating,
            DataType::Char(_) | DataType::Varchar(_) => Self::String,
            DataType::Date => Self::Date,
            DataType::Time(_) => Self::Time,
            DataType::Timestamp(precision) => timestamp(precision, false),
            DataType::TimestampLtz(precision) => timestamp(precision, true),
            DataType::Decimal(precision, scale) => Self::Decimal {
                precision: *precision,
                scale: *scale,
            },
            DataType::Array(element) => Self::Array(Box::new(Self::new(
                &element.data_type,
                format,
                fail_on_missing,
            ))),
            DataType::Row(row) => Self::Row(Rows::new(row, format, fail_on_missing)),
            _ => Self::Other,
        }
    }
}

/// Reads one record into the columns, in which it is row `row`. After an error they hold parts of it.
pub(super) fn read(rows: &Rows, columns: &mut [Column], row: usize, record: &[u8]) -> Plain<()> {
    // A zero would mean that the text is UTF-16.
    if !matches!(record, [b'{', second, ..] if *second != 0) || record.len() > MAX_RECORD {
        return Err(Odd);
    }
    let mut cursor = Cursor {
        bytes: record,
        pos: 1,
    };
    // What stands behind the object is not looked at, as Flink does not.
    cursor.row(rows, columns, row)
}

impl Cursor<'_> {
    /// The fields of an object behind its brace.
    fn row(&mut self, rows: &Rows, columns: &mut [Column], row: usize) -> Plain<()> {
        let (mut count, mut guess) = (0, 0);
        self.space();
        if self.peek()? == b'}' {
            self.pos += 1;
            return if rows.fail_on_missing && !rows.fields.is_empty() {
                Err(Odd)
            } else {
                Ok(())
            };
        }
        loop {
            if count == rows.fields.len() {
                return self.skip_fields(MAX_SKIPPED);
            }
            let key = rows.fields.get(guess).and_then(|field| field.key.as_ref());
            let index = match key {
                Some(key) if key.begins(self.rest()) => {
                    self.pos += key.bytes().len();
                    Some(guess)
                }
                _ => self.field(rows)?,
            };
            self.space();
            if let Some(index) = index {
                let column = &mut columns[index];
                if column.len() > row {
                    // The field is there twice.
                    return Err(Odd);
                }
                column.pad(row);
                self.value(&rows.fields[index].kind, column)?;
                count += 1;
                guess = index + 1;
            } else {
                self.skip(MAX_SKIPPED)?;
            }
            self.space();
            match self.take()? {
                b',' => self.space(),
                b'}' => break,
                _ => return Err(Odd),
            }
        }
        if rows.fail_on_missing && count < rows.fields.len() {
            return Err(Odd);
        }
        Ok(())
    }

    /// Reads a field's name and the colon; which field it is.
    fn field(&mut self, rows: &Rows) -> Plain<Option<usize>> {
        self.expect(b'"')?;
        let rest = self.rest();
        let stop = string_stop(rest);
        let name = &rest[..stop.at];
        if rest.get(stop.at) != Some(&b'"')
            || stop.at > MAX_NAME
            || !stop.ascii && std::str::from_utf8(name).is_err()
        {
            return Err(Odd);
        }
        self.pos += stop.at + 1;
        self.space();
        self.expect(b':')?;
        let place = rows.sorted.binary_search_by(|(n, _)| n.as_ref().cmp(name));
        Ok(place.ok().map(|place| rows.sorted[place].1))
    }

    /// Appends one value to its column.
    fn value(&mut self, kind: &Kind, column: &mut Column) -> Plain<()> {
        let first = self.peek()?;
        let len = column.len();
        if first == b'n' {
            self.literal(b"null")?;
            column.pad(len + 1);
            return Ok(());
        }
        match (kind, &mut column.data) {
            (Kind::Integer { min, max }, data) => {
                let value = self.integer(first)?;
                if value < *min || value > *max {
                    return Err(Odd);
                }
                match data {
                    Data::I64(values) => values.push(value),
                    Data::I32(values) => values.push(value as i32),
                    Data::I16(values) => values.push(value as i16),
                    Data::I8(values) => values.push(value as i8),
                    _ => return Err(Odd),
                }
            }
            (Kind::String, Data::Bytes(bytes)) => {
                match first {
                    b'"' => {
                        self.pos += 1;
                        self.string(&mut bytes.bytes)?;
                    }
                    b't' | b'f' => {
                        let word: &[u8] = if first == b't' { b"true" } else { b"false" };
                        self.literal(word)?;
                        bytes.bytes.extend_from_slice(word);
                    }
                    _ => bytes.bytes.extend_from_slice(self.number()?),
                }
                bytes.end();
            }
            (
                Kind::Timestamp {
                    format,
                    instant,
                    unit,
                },
                data,
            ) => {
                self.expect(b'"')?;
                let value = self.timestamp(*format, *instant)?;
                match (unit, data) {
                    (Unit::Millis, Data::I64(values)) => values.push(value.millis),
                    (Unit::Micros, Data::I64(values)) => {
                        if value.nanos % 1000 != 0 {
                            return Err(Odd);
                        }
                        let micros = value.millis.checked_mul(1000).ok_or(Odd)?;
                        let below = i64::from(value.nanos / 1000);
                        values.push(micros.checked_add(below).ok_or(Odd)?);
                    }
                    (Unit::Wide, Data::Wide(values)) => {
                        values.extend(value.millis.to_le_bytes());
                        values.extend(value.nanos.to_le_bytes());
                    }
                    _ => return Err(Odd),
                }
            }
            (Kind::Row(rows), Data::Row(columns)) => {
                self.expect(b'{')?;
                self.row(rows, columns, len)?;
            }
            (Kind::Boolean, Data::Bool(bits)) => {
                let value = first == b't';
                self.literal(if value { b"true" } else { b"false" })?;
                bits.append(value);
            }
            (Kind::Floating, Data::F64(values)) => {
                values.push(fast_float2::parse(self.number()?).map_err(|_| Odd)?);
            }
            (Kind::Floating, Data::F32(values)) => {
                values.push(fast_float2::parse(self.number()?).map_err(|_| Odd)?);
            }
            (Kind::Date, Data::I32(values)) => {
                self.expect(b'"')?;
                let day = time::parse_date(self.short_text()?).ok_or(Odd)?;
                values.push(day as i32);
            }
            (Kind::Time, Data::I32(values)) => {
                self.expect(b'"')?;
                let seconds = time::parse_time(self.short_text()?).ok_or(Odd)?;
                values.push(seconds as i32 * 1000);
            }
            (Kind::Decimal { precision, scale }, Data::Decimal(values)) => {
                let text = if first == b'"' {
                    self.pos += 1;
                    self.short_text()?.trim_matches(|c| c <= ' ').as_bytes()
                } else {
                    self.number()?
                };
                match decimal(text, *precision, *scale)? {
                    Some(value) => values.push(value),
                    None => {
                        column.pad(len + 1);
                        return Ok(());
                    }
                }
            }
            (Kind::Array(element), Data::List(offsets, child)) => {
                self.expect(b'[')?;
                self.elements(element, child)?;
                offsets.push(i32::try_from(child.len()).map_err(|_| Odd)?);
            }
            _ => return Err(Odd),
        }
        column.pushed();
        Ok(())
    }

    /// The elements of an array behind its bracket.
    fn elements(&mut self, element: &Kind, child: &mut Column) -> Plain<()> {
        self.space();
        if self.peek()? == b']' {
            self.pos += 1;
            return Ok(());
        }
        loop {
            self.value(element, child)?;
            self.space();
            match self.take()? {
                b',' => self.space(),
                b']' => return Ok(()),
                _ => return Err(Odd),
            }
        }
    }
}

/// A decimal number rounded to its type; `None` is NULL.
fn decimal(text: &[u8], precision: u8, scale: i8) -> Plain<Option<i128>> {
    let number = BigDecimal::parse(text.iter().map(|b| u16::from(*b))).ok_or(Odd)?;
    number.to_unscaled(precision, scale).ok_or(Odd)
}
