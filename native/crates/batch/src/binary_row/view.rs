use super::{HEADER_BITS, array_header, cell, row_fixed_size, row_header};
use crate::RowKind;
use sf_core::{Error, Result};

/// One `BinaryRowData`, read where it stands.
///
/// Positions are below the arity (else a panic). Values of fields that are NULL are zero or empty, as in Flink: ask
/// [`Self::is_null`] first. Offsets that lead out of the row are errors.
#[derive(Debug, Clone, Copy)]
pub struct RowView<'a> {
    bytes: &'a [u8],
    arity: usize,
}

impl<'a> RowView<'a> {
    /// A row of `arity` fields; fails when the bytes are too few for their slots.
    pub fn new(bytes: &'a [u8], arity: usize) -> Result<Self> {
        let least = row_fixed_size(arity);
        if bytes.len() < least {
            let length = bytes.len();
            return Err(Error::corrupt(format!(
                "a row of {arity} fields has {length} bytes, not {least} or more"
            )));
        }
        Ok(Self { bytes, arity })
    }

    /// What `RowDataSerializer` writes: the length as a big-endian int, then the row, then nothing.
    pub fn from_serialized(bytes: &'a [u8], arity: usize) -> Result<Self> {
        let row = bytes.split_first_chunk::<4>();
        let row = row.filter(|(length, row)| u32::from_be_bytes(**length) as usize == row.len());
        let (_, row) = row.ok_or_else(|| {
            let length = bytes.len();
            Error::corrupt(format!("{length} bytes are not a row behind its length"))
        })?;
        Self::new(row, arity)
    }

    /// All its bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Number of fields.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// Its kind.
    pub fn kind(&self) -> Result<RowKind> {
        RowKind::from_byte(self.bytes[0] as i8)
    }

    /// Whether a field is NULL.
    #[inline]
    pub fn is_null(&self, pos: usize) -> bool {
        debug_assert!(pos < self.arity, "field {pos} of {}", self.arity);
        is_set(self.bytes, pos + HEADER_BITS)
    }

    /// BOOLEAN.
    #[inline]
    pub fn boolean(&self, pos: usize) -> bool {
        self.bytes[self.slot(pos)] != 0
    }

    /// TINYINT.
    #[inline]
    pub fn tiny_int(&self, pos: usize) -> i8 {
        self.bytes[self.slot(pos)] as i8
    }

    /// SMALLINT.
    #[inline]
    pub fn small_int(&self, pos: usize) -> i16 {
        i16::from_le_bytes(self.fixed(pos))
    }

    /// INTEGER, DATE, TIME and INTERVAL YEAR TO MONTH.
    #[inline]
    pub fn int(&self, pos: usize) -> i32 {
        i32::from_le_bytes(self.fixed(pos))
    }

    /// BIGINT and INTERVAL DAY TO SECOND.
    #[inline]
    pub fn big_int(&self, pos: usize) -> i64 {
        i64::from_le_bytes(self.fixed(pos))
    }

    /// FLOAT, with the bits of its NaN.
    #[inline]
    pub fn float(&self, pos: usize) -> f32 {
        f32::from_le_bytes(self.fixed(pos))
    }

    /// DOUBLE, with the bits of its NaN.
    #[inline]
    pub fn double(&self, pos: usize) -> f64 {
        f64::from_le_bytes(self.fixed(pos))
    }

    /// CHAR, VARCHAR, BINARY and VARBINARY.
    #[inline]
    pub fn binary(&self, pos: usize) -> Result<&'a [u8]> {
        cell::bytes(self.bytes, self.slot(pos))
    }

    /// The unscaled value of a DECIMAL of this precision.
    #[inline]
    pub fn decimal(&self, pos: usize, precision: u8) -> Result<i128> {
        if self.is_null(pos) {
            return Ok(0);
        }
        cell::decimal(self.bytes, self.slot(pos), precision)
    }

    /// A TIMESTAMP or TIMESTAMP_LTZ of this precision: milliseconds, and nanoseconds of the millisecond.
    #[inline]
    pub fn timestamp(&self, pos: usize, precision: u8) -> Result<(i64, i32)> {
        cell::timestamp(self.bytes, self.slot(pos), precision)
    }

    /// A ROW of `arity` fields that is not NULL.
    pub fn row(&self, pos: usize, arity: usize) -> Result<RowView<'a>> {
        RowView::new(cell::section(self.bytes, self.slot(pos))?, arity)
    }

    /// An ARRAY that is not NULL, of elements of `width` bytes.
    pub fn array(&self, pos: usize, width: usize) -> Result<ArrayView<'a>> {
        ArrayView::new(cell::section(self.bytes, self.slot(pos))?, width)
    }

    /// A MAP or MULTISET that is not NULL.
    pub fn map(&self, pos: usize) -> Result<MapView<'a>> {
        MapView::new(cell::section(self.bytes, self.slot(pos))?)
    }

    #[inline]
    fn slot(&self, pos: usize) -> usize {
        debug_assert!(pos < self.arity, "field {pos} of {}", self.arity);
        row_header(self.arity) + 8 * pos
    }

    #[inline]
    fn fixed<const N: usize>(&self, pos: usize) -> [u8; N] {
        cell::fixed(self.bytes, self.slot(pos))
    }
}

/// One `BinaryArrayData`, read where it stands.
#[derive(Debug, Clone, Copy)]
pub struct ArrayView<'a> {
    bytes: &'a [u8],
    count: usize,
    width: usize,
}

impl<'a> ArrayView<'a> {
    /// An array whose elements take `width` bytes (1, 2, 4 or 8); fails when the bytes are too few for them.
    pub fn new(bytes: &'a [u8], width: usize) -> Result<Self> {
        let count = bytes.first_chunk().map(|count| i32::from_le_bytes(*count));
        let count = count.and_then(|count| usize::try_from(count).ok());
        let count = count.filter(|n| array_header(*n) + n * width <= bytes.len());
        let count = count.ok_or_else(|| {
            let length = bytes.len();
            Error::corrupt(format!(
                "{length} bytes are too few for an array and its elements"
            ))
        })?;
        Ok(Self {
            bytes,
            count,
            width,
        })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All its bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Whether an element is NULL.
    #[inline]
    pub fn is_null(&self, pos: usize) -> bool {
        debug_assert!(pos < self.count, "element {pos} of {}", self.count);
        is_set(self.bytes, pos + 32)
    }

    /// Where the element begins in [`Self::bytes`].
    #[inline]
    pub(super) fn at(&self, pos: usize) -> usize {
        array_header(self.count) + self.width * pos
    }
}

/// One `BinaryMapData`, read where it stands.
#[derive(Debug, Clone, Copy)]
pub struct MapView<'a> {
    keys: &'a [u8],
    values: &'a [u8],
}

impl<'a> MapView<'a> {
    /// A map; fails when the bytes are too few for its keys.
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        let split = bytes.split_first_chunk::<4>();
        let split = split.and_then(|(size, rest)| {
            let size = u32::from_le_bytes(*size) as usize;
            rest.split_at_checked(size)
        });
        let (keys, values) = split.ok_or_else(|| {
            let length = bytes.len();
            Error::corrupt(format!("{length} bytes are too few for a map and its keys"))
        })?;
        Ok(Self { keys, values })
    }

    /// Keys, of `key` bytes each, and values, of `value` bytes; fails when they are not equally many.
    pub fn entries(&self, key: usize, value: usize) -> Result<(ArrayView<'a>, ArrayView<'a>)> {
        let keys = ArrayView::new(self.keys, key)?;
        let values = ArrayView::new(self.values, value)?;
        if keys.len() != values.len() {
            let (keys, values) = (keys.len(), values.len());
            return Err(Error::corrupt(format!(
                "a map of {keys} keys and {values} values"
            )));
        }
        Ok((keys, values))
    }
}

#[inline]
fn is_set(bytes: &[u8], bit: usize) -> bool {
    bytes[bit / 8] >> (bit % 8) & 1 == 1
}
