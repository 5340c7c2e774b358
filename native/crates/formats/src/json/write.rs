use super::convert::check_key;
use super::escape::escape;
use super::scan::plain_length;
use super::source::{Source, Values};
use crate::java::{decimal, double, text, time};
use sf_batch::{Batch, RecordBuffer, Writer};
use sf_core::{Error, Result};
use sf_plan::proto::{TimestampFormat, json_writer::MapNullKey};
use sf_plan::{DataType, Field, RowType, proto, unsupported};
use std::collections::HashMap;

/// Writes a JSON object for each row.
pub(crate) struct JsonWriter {
    /// Positions of the columns that are written.
    columns: Vec<usize>,
    fields: Vec<FieldWriter>,
    options: Options,
}

/// Options of writing, as flink-json has them.
#[derive(Debug)]
pub(super) struct Options {
    timestamps: TimestampFormat,
    null_key: MapNullKey,
    null_key_literal: String,
    plain_decimals: bool,
    ignore_nulls: bool,
}

/// A field of a row: its name as it is written, and its type.
#[derive(Debug)]
pub(super) struct FieldWriter {
    /// A comma, the name in quotes, a colon.
    key: Vec<u8>,
    pub(super) data_type: DataType,
    /// Fields of a row, of an array's elements' or a map's values' row.
    pub(super) children: Vec<FieldWriter>,
}

impl JsonWriter {
    /// A writer of these columns, named like this. Unsupported are maps whose keys are not strings.
    pub(crate) fn new(
        options: &proto::JsonWriter,
        columns: Vec<usize>,
        row: &RowType,
    ) -> Result<Self> {
        Ok(Self {
            columns,
            fields: field_writers(row.fields())?,
            options: Options {
                timestamps: options.timestamp_format(),
                null_key: options.map_null_key(),
                null_key_literal: options.map_null_key_literal.clone(),
                plain_decimals: options.decimal_as_plain_number,
                ignore_nulls: options.ignore_null_fields,
            },
        })
    }
}

fn field_writers(fields: &[Field]) -> Result<Vec<FieldWriter>> {
    let mut names: Vec<_> = fields.iter().map(|f| f.name.as_str()).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(unsupported("a JSON object with two fields of one name"));
    }
    let writers = fields.iter().map(|field| {
        let mut key = vec![b','];
        write_text(field.name.as_bytes(), &mut key);
        key.push(b':');
        Ok(FieldWriter {
            key,
            data_type: field.data_type.clone(),
            children: child_writers(&field.data_type)?,
        })
    });
    writers.collect()
}

fn child_writers(data_type: &DataType) -> Result<Vec<FieldWriter>> {
    let element = |field: &Field| {
        Ok(vec![FieldWriter {
            key: Vec::new(),
            data_type: field.data_type.clone(),
            children: child_writers(&field.data_type)?,
        }])
    };
    match data_type {
        DataType::Row(row) => field_writers(row.fields()),
        DataType::Array(child) => element(child),
        DataType::Map(key, value) => {
            check_key(key)?;
            element(value)
        }
        DataType::Multiset(key) => {
            check_key(key)?;
            element(&Field::new("", DataType::Int, false))
        }
        DataType::Null => Err(unsupported("a JSON value of type NULL")),
        _ => Ok(Vec::new()),
    }
}

impl Writer for JsonWriter {
    fn write(&mut self, batch: &Batch, out: &mut RecordBuffer) -> Result<()> {
        let columns = self.columns.iter().map(|column| batch.column(*column));
        let columns: Vec<_> = columns.collect::<Result<_>>()?;
        let sources = columns.iter().zip(&self.fields);
        let sources = sources.map(|(column, field)| Source::new(column, field));
        let sources: Vec<_> = sources.collect::<Result<_>>()?;
        let mut date = LastDate {
            day: i64::MIN,
            text: Vec::new(),
        };
        for row in 0..batch.rows() {
            let mut to = To {
                options: &self.options,
                date: &mut date,
                out: &mut out.bytes,
            };
            let written = to.fields(&self.fields, &sources, row);
            written.map_err(|error| {
                let message = format!(
                    "Could not serialize row {row} of the batch. {}",
                    error.message()
                );
                Error::new(error.kind(), message)
            })?;
            out.end()?;
        }
        Ok(())
    }
}

/// Where values are written to.
struct To<'a> {
    options: &'a Options,
    date: &'a mut LastDate,
    out: &'a mut Vec<u8>,
}

/// The day that was written last and its text: the next one is mostly the same.
struct LastDate {
    day: i64,
    text: Vec<u8>,
}

impl To<'_> {
    fn fields(&mut self, fields: &[FieldWriter], sources: &[Source<'_>], row: usize) -> Result<()> {
        let begin = self.out.len();
        for (field, source) in fields.iter().zip(sources) {
            let null = source.is_null(row);
            if null && self.options.ignore_nulls {
                continue;
            }
            self.out.extend_from_slice(&field.key);
            if null {
                self.out.extend_from_slice(b"null");
            } else {
                self.value(&field.children, source, row)?;
            }
        }
        // The brace stands in the place of the first comma.
        match self.out.get_mut(begin) {
            Some(first) => *first = b'{',
            None => self.out.push(b'{'),
        }
        self.out.push(b'}');
        Ok(())
    }

    fn nullable(
        &mut self,
        children: &[FieldWriter],
        source: &Source<'_>,
        row: usize,
    ) -> Result<()> {
        if source.is_null(row) {
            self.out.extend_from_slice(b"null");
            return Ok(());
        }
        self.value(children, source, row)
    }

    fn value(&mut self, children: &[FieldWriter], source: &Source<'_>, row: usize) -> Result<()> {
        match &source.values {
            Values::Null => self.out.extend_from_slice(b"null"),
            Values::Bool(bits) => {
                let word: &[u8] = if bits.value(row) { b"true" } else { b"false" };
                self.out.extend_from_slice(word);
            }
            Values::I8(values) => write_integer(values[row].into(), self.out),
            Values::I16(values) => write_integer(values[row].into(), self.out),
            Values::I32(values) => write_integer(values[row].into(), self.out),
            Values::I64(values) => write_integer(values[row], self.out),
            Values::F32(values) => write_floating(values[row], values[row].is_finite(), self.out),
            Values::F64(values) => write_floating(values[row], values[row].is_finite(), self.out),
            Values::Text(values) => write_text(values.value(row), self.out),
            Values::Binary(values) => write_base64(values.value(row), self.out),
            Values::Decimal(values, scale) => {
                decimal::write_unscaled(values[row], *scale, self.options.plain_decimals, self.out);
            }
            Values::Date(values) => {
                self.out.push(b'"');
                self.date(values[row].into());
                self.out.push(b'"');
            }
            Values::Time(values) => {
                let millis = values[row];
                if !(0..time::DAY as i32).contains(&millis) {
                    return Err(Error::user(format!("{millis} ms are not a time of a day")));
                }
                self.out.push(b'"');
                time::write_time(i64::from(millis / 1000), 0, self.out);
                self.out.push(b'"');
            }
            Values::Millis(values, instant) => self.timestamp(values[row], 0, *instant),
            Values::Micros(values, instant) => {
                let micros = values[row];
                let nanos = micros.rem_euclid(1000) * 1000;
                self.timestamp(micros.div_euclid(1000), nanos, *instant);
            }
            Values::Wide(values, instant) => {
                let Some((millis, nanos)) = values.value(row).split_first_chunk::<8>() else {
                    return Err(Error::internal("a timestamp of less than 8 bytes"));
                };
                let nanos = nanos.try_into().map_or(0, i32::from_le_bytes);
                self.timestamp(i64::from_le_bytes(*millis), nanos.into(), *instant);
            }
            Values::List(offsets, elements) => {
                self.out.push(b'[');
                for i in offsets[row]..offsets[row + 1] {
                    if i > offsets[row] {
                        self.out.push(b',');
                    }
                    self.nullable(&children[0].children, elements, i as usize)?;
                }
                self.out.push(b']');
            }
            Values::Map(offsets, keys, values) => {
                let entries =
                    self.entries(keys, offsets[row] as usize..offsets[row + 1] as usize)?;
                self.out.push(b'{');
                for (i, (key, entry)) in entries.iter().enumerate() {
                    if i > 0 {
                        self.out.push(b',');
                    }
                    write_text(key, self.out);
                    self.out.push(b':');
                    self.nullable(&children[0].children, values, *entry)?;
                }
                self.out.push(b'}');
            }
            Values::Row(sources) => self.fields(children, sources, row)?,
        }
        Ok(())
    }

    /// Keys of a map and where their values are: of equal keys the first place and the last value.
    fn entries(
        &self,
        keys: &Source<'_>,
        range: std::ops::Range<usize>,
    ) -> Result<Vec<(Vec<u8>, usize)>> {
        let Values::Text(texts) = &keys.values else {
            return Err(Error::internal("a map whose keys are not strings"));
        };
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut entries: Vec<(Vec<u8>, usize)> = Vec::with_capacity(range.len());
        for i in range {
            let key = match (keys.is_null(i), self.options.null_key) {
                (false, _) => text::decode_utf8(texts.value(i)).into_owned(),
                (true, MapNullKey::Drop) => continue,
                (true, MapNullKey::Literal) => self.options.null_key_literal.clone(),
                (true, MapNullKey::Fail) => {
                    return Err(Error::user(
                        "JSON format doesn't support to serialize map data with null keys. You can drop null key entries or encode \
                         null in literals by specifying map-null-key.mode option.",
                    ));
                }
            };
            let key = key.into_bytes();
            match places.get(&key) {
                Some(place) => entries[*place].1 = i,
                None => {
                    places.insert(key.clone(), entries.len());
                    entries.push((key, i));
                }
            }
        }
        Ok(entries)
    }

    fn date(&mut self, day: i64) {
        let last = &mut *self.date;
        if day != last.day {
            last.text.clear();
            time::write_date(day, &mut last.text);
            last.day = day;
        }
        self.out.extend_from_slice(&last.text);
    }

    fn timestamp(&mut self, millis: i64, nanos: i64, instant: bool) {
        self.out.push(b'"');
        self.date(millis.div_euclid(time::DAY));
        let iso = self.options.timestamps == TimestampFormat::Iso8601;
        self.out.push(if iso { b'T' } else { b' ' });
        let of_day = millis.rem_euclid(time::DAY);
        time::write_time(of_day / 1000, of_day % 1000 * 1_000_000 + nanos, self.out);
        if instant {
            self.out.push(b'Z');
        }
        self.out.push(b'"');
    }
}

/// A string: quotes, backslashes and control characters escaped, and characters beyond the Basic Multilingual Plane as surrogate pairs,
/// as Jackson does. What is not UTF-8 is replaced as Java does it.
pub(super) fn write_text(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let ascii = write_plain(bytes, false, out);
    let rest = &bytes[ascii..];
    if !rest.is_empty() {
        write_plain(text::decode_utf8(rest).as_bytes(), true, out);
    }
    out.push(b'"');
}

/// Writes the ASCII at the begin, or all of a text that is known to be UTF-8; how many bytes that was.
fn write_plain(bytes: &[u8], utf8: bool, out: &mut Vec<u8>) -> usize {
    let mut rest = bytes;
    loop {
        let plain = plain_length(rest, utf8);
        out.extend_from_slice(&rest[..plain]);
        rest = &rest[plain..];
        let Some((first, tail)) = rest.split_first() else {
            break;
        };
        if let Some(escape) = escape(*first) {
            out.extend_from_slice(escape.as_bytes());
            rest = tail;
            continue;
        }
        let four = rest.split_first_chunk::<4>();
        let Some((char, tail)) = four.filter(|_| utf8) else {
            break;
        };
        let pair = std::str::from_utf8(char).unwrap_or_default().encode_utf16();
        for unit in pair {
            out.extend_from_slice(b"\\u");
            out.extend([12, 8, 4, 0].map(|shift| HEX[(unit >> shift & 15) as usize]));
        }
        rest = tail;
    }
    bytes.len() - rest.len()
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

fn write_integer(value: i64, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    let mut buffer = [0; 40];
    out.extend_from_slice(decimal::digits(value.unsigned_abs().into(), &mut buffer));
}

fn write_floating<T: double::Floating>(value: T, finite: bool, out: &mut Vec<u8>) {
    if finite {
        double::write(value, out);
    } else {
        out.push(b'"');
        double::write(value, out);
        out.push(b'"');
    }
}

fn write_base64(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |bits: u32, shift: u32| DIGITS[(bits >> shift & 63) as usize];
    out.push(b'"');
    let (triples, rest) = bytes.as_chunks::<3>();
    for [a, b, c] in triples {
        let bits = u32::from_be_bytes([0, *a, *b, *c]);
        out.extend_from_slice(&[
            digit(bits, 18),
            digit(bits, 12),
            digit(bits, 6),
            digit(bits, 0),
        ]);
    }
    match rest {
        [a, b] => {
            let bits = u32::from_be_bytes([0, *a, *b, 0]);
            out.extend_from_slice(&[digit(bits, 18), digit(bits, 12), digit(bits, 6), b'=']);
        }
        [a] => {
            let bits = u32::from_be_bytes([0, *a, 0, 0]);
            out.extend_from_slice(&[digit(bits, 18), digit(bits, 12), b'=', b'=']);
        }
        _ => {}
    }
    out.push(b'"');
}
