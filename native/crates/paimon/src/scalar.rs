//! Decoding typed columns from the bytes that Flink's serializers wrote. What does not decode has no value: the
//! columns of bytes hold the truth.

use crate::columns::{Coding, ColumnType, Source, TypedColumn};
use crate::row::TableRow;

/// A decoded value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scalar<'a> {
    Boolean(bool),
    /// `TINYINT`, `SMALLINT`, `INT`, `DATE`
    Int(i32),
    /// `BIGINT`, `TIMESTAMP(3)`
    Long(i64),
    Float(f32),
    Double(f64),
    /// `BYTES`, or a `STRING` as UTF-8
    Bytes(&'a [u8]),
}

/// The value of `column` in `row`; `scratch` is for a text that has to be converted.
pub(crate) fn decode<'a>(
    column: &TypedColumn,
    row: &TableRow<'a>,
    scratch: &'a mut Vec<u8>,
) -> Option<Scalar<'a>> {
    let source = match column.source {
        Source::Key => row.key,
        Source::Namespace => row.namespace,
        Source::UserKey => row.user_key,
        Source::Value => row.value?,
    };
    // Only timers have no value; their key is behind the time.
    let time = match (column.source, row.value) {
        (Source::Key, None) => size_of::<i64>(),
        _ => 0,
    };
    let bytes = source.get(time + column.skip as usize..)?;
    let (value, rest) = match column.coding {
        Coding::Scalar => scalar(column.column_type, bytes, false, scratch)?,
        Coding::SqlScalar => scalar(column.column_type, bytes, true, scratch)?,
        Coding::RowField { index, arity } => {
            let (row, rest) = prefixed(bytes)?;
            let field = row_field(column.column_type, row, index as usize, arity as usize)?;
            (field, rest)
        }
    };
    // After a key the namespace may follow; anywhere else more bytes mean that this is something else.
    (rest.is_empty() || column.source == Source::Key).then_some(value)
}

/// Reads one scalar; also returns what follows it. All numbers are big endian.
fn scalar<'a>(
    column_type: ColumnType,
    bytes: &'a [u8],
    sql: bool,
    scratch: &'a mut Vec<u8>,
) -> Option<(Scalar<'a>, &'a [u8])> {
    Some(match column_type {
        ColumnType::Boolean => {
            let (flag, rest) = bytes.split_first()?;
            (boolean(*flag)?, rest)
        }
        ColumnType::TinyInt => {
            let (byte, rest) = bytes.split_first()?;
            (Scalar::Int(i32::from(*byte as i8)), rest)
        }
        ColumnType::SmallInt => {
            let (word, rest) = bytes.split_first_chunk()?;
            (Scalar::Int(i32::from(i16::from_be_bytes(*word))), rest)
        }
        ColumnType::Int | ColumnType::Date => {
            let (word, rest) = bytes.split_first_chunk()?;
            (Scalar::Int(i32::from_be_bytes(*word)), rest)
        }
        ColumnType::BigInt | ColumnType::Timestamp => {
            let (word, rest) = bytes.split_first_chunk()?;
            (Scalar::Long(i64::from_be_bytes(*word)), rest)
        }
        ColumnType::Float => {
            let (word, rest) = bytes.split_first_chunk()?;
            (Scalar::Float(f32::from_be_bytes(*word)), rest)
        }
        ColumnType::Double => {
            let (word, rest) = bytes.split_first_chunk()?;
            (Scalar::Double(f64::from_be_bytes(*word)), rest)
        }
        ColumnType::String if sql => {
            let (text, rest) = prefixed(bytes)?;
            (utf8(text)?, rest)
        }
        ColumnType::String => string_value(bytes, scratch)?,
        ColumnType::Bytes => {
            let (value, rest) = prefixed(bytes)?;
            (Scalar::Bytes(value), rest)
        }
    })
}

fn boolean<'a>(flag: u8) -> Option<Scalar<'a>> {
    (flag <= 1).then_some(Scalar::Boolean(flag == 1))
}

fn utf8(text: &[u8]) -> Option<Scalar<'_>> {
    std::str::from_utf8(text).ok()?;
    Some(Scalar::Bytes(text))
}

/// Bytes after their length of four bytes, big endian.
fn prefixed(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let length = usize::try_from(i32::from_be_bytes(*length)).ok()?;
    rest.split_at_checked(length)
}

/// `StringValue.writeString`: length + 1 as a varint (0: null), then each UTF-16 unit as a varint.
fn string_value<'a>(bytes: &'a [u8], scratch: &'a mut Vec<u8>) -> Option<(Scalar<'a>, &'a [u8])> {
    let mut at = 0;
    let length = varint(bytes, &mut at)?.checked_sub(1)? as usize;
    // Most text is ASCII: then its units are its bytes.
    let (text, rest) = bytes[at..].split_at_checked(length)?;
    if text.is_ascii() {
        return Some((Scalar::Bytes(text), rest));
    }
    let mut units = 0;
    let next = std::iter::from_fn(|| {
        units += 1;
        (units <= length).then(|| varint(bytes, &mut at))
    });
    let mut complete = true;
    let known = next.map_while(|unit| {
        let unit = unit.and_then(|unit| u16::try_from(unit).ok());
        complete &= unit.is_some();
        unit
    });
    scratch.clear();
    for char in char::decode_utf16(known) {
        // Java allows half a surrogate pair, UTF-8 does not.
        scratch.extend_from_slice(char.ok()?.encode_utf8(&mut [0; 4]).as_bytes());
    }
    complete.then(|| (Scalar::Bytes(scratch), &bytes[at..]))
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let mut value = 0;
    for shift in [0, 7, 14, 21, 28] {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// A field of `BinaryRowData`, little endian: a byte of row kind and the null bits in whole words, then a word
/// per field, then what is longer than a word.
fn row_field(
    column_type: ColumnType,
    row: &[u8],
    index: usize,
    arity: usize,
) -> Option<Scalar<'_>> {
    let nulls = (arity + 8).div_ceil(64) * 8;
    if row.len() < nulls.checked_add(arity.checked_mul(8)?)? {
        return None;
    }
    let bit = index + 8;
    if row[bit / 8] & (1 << (bit % 8)) != 0 {
        return None;
    }
    let field: &[u8; 8] = row[nulls + index * 8..].first_chunk()?;
    let word = u64::from_le_bytes(*field);
    Some(match column_type {
        ColumnType::Boolean => boolean(field[0])?,
        ColumnType::TinyInt => Scalar::Int(i32::from(word as i8)),
        ColumnType::SmallInt => Scalar::Int(i32::from(word as i16)),
        ColumnType::Int | ColumnType::Date => Scalar::Int(word as i32),
        ColumnType::BigInt | ColumnType::Timestamp => Scalar::Long(word as i64),
        ColumnType::Float => Scalar::Float(f32::from_bits(word as u32)),
        ColumnType::Double => Scalar::Double(f64::from_bits(word)),
        ColumnType::String => utf8(row_bytes(row, nulls + index * 8, word)?)?,
        ColumnType::Bytes => Scalar::Bytes(row_bytes(row, nulls + index * 8, word)?),
    })
}

/// Up to seven bytes are in the field itself (its top bit says so); more are at an offset of the row.
fn row_bytes(row: &[u8], field: usize, word: u64) -> Option<&[u8]> {
    if word >> 63 == 1 {
        let length = (word >> 56 & 0x7f) as usize;
        return (length < 8).then(|| &row[field..field + length]);
    }
    let (offset, length) = ((word >> 32) as usize, word as u32 as usize);
    row.get(offset..offset.checked_add(length)?)
}
