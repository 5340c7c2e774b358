//! Columns to rows, one column after the other: sizes first, then the values of each column into all rows.

use super::decode::at_row;
use super::source::{Source, Values};
use super::{
    HEADER_BITS, array_fixed_size, array_header, cell, padded, row_fixed_size, row_header,
};
use crate::RecordBuffer;
use sf_core::{Error, Result};

/// What stands in the slot of a NULL whose type takes place in the variable part: a DECIMAL of more than 18 digits, a TIMESTAMP
/// of more than milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NullForm {
    /// Zero: `RowDataSerializer` of any row that is not a `BinaryRowData` yet.
    Zero,
    /// The offset of bytes kept for a later value: Flink's generated projections, and with them the keys of its operators.
    Reserved,
}

/// Where the rows of one call stand; kept from call to call for its memory.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// First byte of each row, and the end of the last.
    starts: Vec<usize>,
    /// Bytes of each row that are written, when rows differ in size.
    cursors: Vec<usize>,
}

impl Places {
    /// Appends all rows to `bytes`, each behind `gap` zero bytes; on an error `bytes` is as it was. `kinds` go into the headers.
    pub(super) fn encode(
        &mut self,
        columns: &[Source<'_>],
        rows: usize,
        kinds: Option<&[i8]>,
        (nulls, gap): (NullForm, usize),
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let begin = bytes.len();
        self.place(columns, rows, (nulls, gap), begin);
        let end = self.starts.last().map_or(begin, |end| *end);
        if end >= RecordBuffer::NONE as usize {
            return Err(Error::user(format!(
                "the rows of one batch have {end} bytes; 2 GiB is the most"
            )));
        }
        bytes.resize(end, 0);
        if let Some(kinds) = kinds {
            for (row, kind) in kinds.iter().enumerate() {
                bytes[self.starts[row] + gap] = *kind as u8;
            }
        }
        let header = row_header(columns.len());
        let mut columns = columns.iter().enumerate();
        let put = columns.try_for_each(|(pos, column)| {
            self.put_column(column, pos, header + 8 * pos, (nulls, gap), bytes)
        });
        if put.is_err() {
            bytes.truncate(begin);
        }
        put
    }

    /// Where the rows end, in order.
    pub(super) fn ends(&self) -> impl Iterator<Item = u32> + '_ {
        // Checked against 2 GiB by `encode`.
        self.starts.iter().skip(1).map(|end| *end as u32)
    }

    fn place(
        &mut self,
        columns: &[Source<'_>],
        rows: usize,
        (nulls, gap): (NullForm, usize),
        begin: usize,
    ) {
        let fixed = row_fixed_size(columns.len());
        self.starts.clear();
        self.starts.resize(rows + 1, gap + fixed);
        for column in columns.iter().filter(|column| column.is_variable()) {
            for (row, size) in self.starts[..rows].iter_mut().enumerate() {
                *size += match column.is_null(row) {
                    true => column.reserved(nulls),
                    false => column.variable_size(row),
                };
            }
        }
        let mut next = begin;
        for start in &mut self.starts {
            next += std::mem::replace(start, next);
        }
        self.cursors.clear();
        self.cursors.resize(rows, fixed);
    }

    fn put_column(
        &mut self,
        column: &Source<'_>,
        pos: usize,
        slot: usize,
        (nulls, gap): (NullForm, usize),
        bytes: &mut [u8],
    ) -> Result<()> {
        let rows = self.cursors.len();
        let starts = &self.starts;
        macro_rules! fixed {
            ($values:expr) => {
                for row in 0..rows {
                    if !column.is_null(row) {
                        let value = $values[row].to_le_bytes();
                        let at = starts[row] + gap + slot;
                        bytes[at..at + value.len()].copy_from_slice(&value);
                    }
                }
            };
        }
        match &column.values {
            Values::I8(values) => fixed!(values),
            Values::I16(values) => fixed!(values),
            Values::I32(values) => fixed!(values),
            Values::I64(values) => fixed!(values),
            Values::F32(values) => fixed!(values),
            Values::F64(values) => fixed!(values),
            _ => {
                for row in 0..rows {
                    if !column.is_null(row) {
                        let out = &mut bytes[starts[row] + gap..starts[row + 1]];
                        let cursor = &mut self.cursors[row];
                        let put = column.put(row, out, slot, cursor, false);
                        put.map_err(|e| at_row(row, &e))?;
                    }
                }
            }
        }
        let reserved = column.reserved(nulls);
        let bit = pos + HEADER_BITS;
        if column.nulls.is_none() {
            return Ok(());
        }
        for row in (0..rows).filter(|row| column.is_null(*row)) {
            let out = &mut bytes[starts[row] + gap..];
            out[bit / 8] |= 1 << (bit % 8);
            if reserved > 0 {
                let cursor = &mut self.cursors[row];
                cell::put_offset(&mut out[slot..slot + 8], *cursor, 0);
                *cursor += reserved;
            }
        }
        Ok(())
    }
}

impl Source<'_> {
    /// Whether values take place in the variable part.
    fn is_variable(&self) -> bool {
        use Values as V;
        match &self.values {
            V::Boolean(_) | V::I8(_) | V::I16(_) | V::I32(_) | V::I64(_) => false,
            V::F32(_) | V::F64(_) | V::CompactDecimal(_) => false,
            V::Bytes(_) | V::WideDecimal(_) | V::Micros(_) | V::Wide(_) => true,
            V::Array(..) | V::Map(..) | V::Row(_) => true,
        }
    }

    /// Bytes that a NULL keeps in the variable part.
    fn reserved(&self, nulls: NullForm) -> usize {
        match (&self.values, nulls) {
            (Values::WideDecimal(_), NullForm::Reserved) => 16,
            (Values::Micros(_) | Values::Wide(_), NullForm::Reserved) => 8,
            _ => 0,
        }
    }

    /// Bytes that a value, which is not NULL, takes in the variable part.
    fn variable_size(&self, row: usize) -> usize {
        match &self.values {
            Values::Bytes(values) => {
                let length = values.value_length(row) as usize;
                if cell::is_inline(length) {
                    0
                } else {
                    padded(length)
                }
            }
            Values::WideDecimal(_) => 16,
            Values::Micros(_) | Values::Wide(_) => 8,
            Values::Array(offsets, width, elements) => {
                elements.array_size(range(offsets, row), *width)
            }
            Values::Map(offsets, entries) => {
                let entries = entries.iter();
                let sizes = entries.map(|(width, e)| e.array_size(range(offsets, row), *width));
                padded(4 + sizes.sum::<usize>())
            }
            Values::Row(fields) => {
                let sizes = fields.iter().map(|field| field.size_or_null(row));
                row_fixed_size(fields.len()) + sizes.sum::<usize>()
            }
            _ => 0,
        }
    }

    fn size_or_null(&self, row: usize) -> usize {
        if self.is_null(row) {
            0
        } else {
            self.variable_size(row)
        }
    }

    fn array_size(&self, rows: std::ops::Range<usize>, width: usize) -> usize {
        let fixed = array_fixed_size(rows.len(), width);
        if !self.is_variable() {
            return fixed;
        }
        fixed + rows.map(|row| self.size_or_null(row)).sum::<usize>()
    }

    /// Writes a value, which is not NULL, into its slot of `out`, a row or array whose variable part is written up to `cursor`.
    fn put(
        &self,
        row: usize,
        out: &mut [u8],
        slot: usize,
        cursor: &mut usize,
        in_array: bool,
    ) -> Result<()> {
        let mut fixed = |bytes: &[u8]| out[slot..slot + bytes.len()].copy_from_slice(bytes);
        match &self.values {
            Values::Boolean(values) => fixed(&[values.value(row).into()]),
            Values::I8(values) => fixed(&values[row].to_le_bytes()),
            Values::I16(values) => fixed(&values[row].to_le_bytes()),
            Values::I32(values) => fixed(&values[row].to_le_bytes()),
            Values::I64(values) => fixed(&values[row].to_le_bytes()),
            // Flink's arrays have one NaN, its rows any.
            Values::F32(values) if in_array && values[row].is_nan() => {
                fixed(&0x7fc0_0000_u32.to_le_bytes());
            }
            Values::F64(values) if in_array && values[row].is_nan() => {
                fixed(&0x7ff8_0000_0000_0000_u64.to_le_bytes());
            }
            Values::F32(values) => fixed(&values[row].to_le_bytes()),
            Values::F64(values) => fixed(&values[row].to_le_bytes()),
            Values::CompactDecimal(values) => {
                let value = i64::try_from(values[row]);
                let value = value.map_err(|_| {
                    let value = values[row];
                    Error::internal(format!("{value} has more digits than its DECIMAL"))
                })?;
                fixed(&value.to_le_bytes());
            }
            Values::WideDecimal(values) => {
                let (bytes, length) = cell::decimal_bytes(values[row]);
                out[*cursor..*cursor + 16].copy_from_slice(&bytes);
                finish(out, slot, cursor, (length as u32, 16));
            }
            Values::Micros(values) => {
                let millis = values[row].div_euclid(1000).to_le_bytes();
                let nanos = values[row].rem_euclid(1000) as u32 * 1000;
                out[*cursor..*cursor + 8].copy_from_slice(&millis);
                finish(out, slot, cursor, (nanos, 8));
            }
            Values::Wide(values) => {
                let (millis, nanos) = values.value(row).split_at(8);
                out[*cursor..*cursor + 8].copy_from_slice(millis);
                finish(
                    out,
                    slot,
                    cursor,
                    (u32::from_le_bytes(cell::fixed(nanos, 0)), 8),
                );
            }
            Values::Bytes(values) => {
                let value = values.value(row);
                if cell::is_inline(value.len()) {
                    cell::put_inline(&mut out[slot..slot + 8], value);
                } else {
                    out[*cursor..*cursor + value.len()].copy_from_slice(value);
                    finish(out, slot, cursor, (value.len() as u32, padded(value.len())));
                }
            }
            Values::Array(offsets, width, elements) => {
                let part = &mut out[*cursor..];
                let size = elements.put_array(range(offsets, row), *width, part)?;
                finish(out, slot, cursor, (size as u32, padded(size)));
            }
            Values::Map(offsets, entries) => {
                let [(key_width, keys), (value_width, values)] = &**entries;
                let part = &mut out[*cursor..];
                let first = keys.put_array(range(offsets, row), *key_width, &mut part[4..])?;
                part[..4].copy_from_slice(&(first as u32).to_le_bytes());
                let part = &mut part[4 + first..];
                let second = values.put_array(range(offsets, row), *value_width, part)?;
                let size = 4 + first + second;
                finish(out, slot, cursor, (size as u32, padded(size)));
            }
            Values::Row(fields) => {
                let size = put_row(fields, row, &mut out[*cursor..])?;
                finish(out, slot, cursor, (size as u32, padded(size)));
            }
        }
        Ok(())
    }

    /// Writes an array to the front of `out`, which is zero; its size.
    fn put_array(
        &self,
        rows: std::ops::Range<usize>,
        width: usize,
        out: &mut [u8],
    ) -> Result<usize> {
        let count = rows.len();
        let header = array_header(count);
        let mut cursor = array_fixed_size(count, width);
        out[..4].copy_from_slice(&(count as u32).to_le_bytes());
        for (pos, row) in rows.enumerate() {
            if self.is_null(row) {
                out[4 + pos / 8] |= 1 << (pos % 8);
            } else {
                self.put(row, out, header + width * pos, &mut cursor, true)?;
            }
        }
        Ok(cursor)
    }
}

/// Writes a row, of kind INSERT, to the front of `out`, which is zero; its size.
fn put_row(fields: &[Source<'_>], row: usize, out: &mut [u8]) -> Result<usize> {
    let header = row_header(fields.len());
    let mut cursor = row_fixed_size(fields.len());
    for (pos, field) in fields.iter().enumerate() {
        if field.is_null(row) {
            let bit = pos + HEADER_BITS;
            out[bit / 8] |= 1 << (bit % 8);
        } else {
            field.put(row, out, header + 8 * pos, &mut cursor, false)?;
        }
    }
    Ok(cursor)
}

/// Points the slot to what was written at the cursor, and moves that on.
fn finish(out: &mut [u8], slot: usize, cursor: &mut usize, (size, taken): (u32, usize)) {
    cell::put_offset(&mut out[slot..slot + 8], *cursor, size);
    *cursor += taken;
}

fn range(offsets: &[i32], row: usize) -> std::ops::Range<usize> {
    offsets[row] as usize..offsets[row + 1] as usize
}
