use super::{
    HEADER_BITS, cell, is_compact_decimal, is_compact_timestamp, padded, row_fixed_size, row_header,
};
use crate::{RowKind, RowView};
use sf_core::{Error, Result};

/// Writes one `BinaryRowData` after the other, to the byte as Flink's `BinaryRowWriter`; keeps its memory.
///
/// Fields are set once and in order (values of variable length stand behind each other in the order they were set). Fields
/// that are not set are zero, not NULL. Positions are below the arity.
#[derive(Debug, Clone)]
pub struct RowBuilder {
    bytes: Vec<u8>,
    arity: usize,
}

/// A `BinaryRowData` whose fields of fixed length are overwritten where they stand.
#[derive(Debug)]
pub struct RowMut<'a> {
    bytes: &'a mut [u8],
    arity: usize,
}

macro_rules! fixed_setters {
    ($($(#[$doc:meta])* $name:ident($type:ty);)*) => {
        $($(#[$doc])*
        #[inline]
        pub fn $name(&mut self, pos: usize, value: $type) {
            self.not_null(pos);
            let bytes = value.to_le_bytes();
            self.slot(pos)[..bytes.len()].copy_from_slice(&bytes);
        })*
    };
}

macro_rules! common_setters {
    () => {
        /// NULL of any type, as `RowDataSerializer` writes it: the slot is zero.
        #[inline]
        pub fn set_null(&mut self, pos: usize) {
            let bit = pos + HEADER_BITS;
            self.slot(pos).fill(0);
            self.bytes[bit / 8] |= 1 << (bit % 8);
        }

        /// BOOLEAN.
        #[inline]
        pub fn set_boolean(&mut self, pos: usize, value: bool) {
            self.set_tiny_int(pos, value.into());
        }

        fixed_setters! {
            /// TINYINT.
            set_tiny_int(i8);
            /// SMALLINT.
            set_small_int(i16);
            /// INTEGER, DATE, TIME and INTERVAL YEAR TO MONTH.
            set_int(i32);
            /// BIGINT, INTERVAL DAY TO SECOND, DECIMAL of at most 18 digits (unscaled), TIMESTAMP of at most milliseconds.
            set_big_int(i64);
            /// FLOAT, with the bits of its NaN.
            set_float(f32);
            /// DOUBLE, with the bits of its NaN.
            set_double(f64);
        }

        #[inline]
        fn not_null(&mut self, pos: usize) {
            let bit = pos + HEADER_BITS;
            self.bytes[bit / 8] &= !(1 << (bit % 8));
        }

        #[inline]
        fn slot(&mut self, pos: usize) -> &mut [u8] {
            debug_assert!(pos < self.arity, "field {pos} of {}", self.arity);
            let at = row_header(self.arity) + 8 * pos;
            &mut self.bytes[at..at + 8]
        }
    };
}

impl RowBuilder {
    /// A builder of rows of `arity` fields; the first one is started, of kind INSERT.
    pub fn new(arity: usize) -> Self {
        let bytes = vec![0; row_fixed_size(arity)];
        Self { bytes, arity }
    }

    /// Forgets the row and starts the next one.
    pub fn start(&mut self, kind: RowKind) {
        self.bytes.clear();
        self.bytes.resize(row_fixed_size(self.arity), 0);
        self.bytes[0] = kind as u8;
    }

    /// The row as it is; fails beyond 2 GiB.
    pub fn row(&self) -> Result<&[u8]> {
        if self.bytes.len() > i32::MAX as usize {
            let length = self.bytes.len();
            return Err(Error::user(format!(
                "a row of {length} bytes; 2 GiB is the most"
            )));
        }
        Ok(&self.bytes)
    }

    common_setters!();

    /// CHAR, VARCHAR, BINARY and VARBINARY.
    pub fn set_binary(&mut self, pos: usize, value: &[u8]) {
        if cell::is_inline(value.len()) {
            cell::put_inline(self.slot(pos), value);
        } else {
            self.set_section(pos, value);
        }
    }

    /// The bytes of a ROW, ARRAY, MAP or MULTISET.
    pub fn set_section(&mut self, pos: usize, value: &[u8]) {
        let offset = self.append(value);
        cell::put_offset(self.slot(pos), offset, value.len() as u32);
    }

    /// The unscaled value of a DECIMAL of this precision.
    pub fn set_decimal(&mut self, pos: usize, value: i128, precision: u8) {
        if is_compact_decimal(precision) {
            return self.set_big_int(pos, value as i64);
        }
        let (bytes, length) = cell::decimal_bytes(value);
        let offset = self.append(&bytes);
        cell::put_offset(self.slot(pos), offset, length as u32);
    }

    /// A TIMESTAMP or TIMESTAMP_LTZ of this precision: milliseconds, and nanoseconds of the millisecond.
    pub fn set_timestamp(&mut self, pos: usize, millis: i64, nanos: i32, precision: u8) {
        if is_compact_timestamp(precision) {
            return self.set_big_int(pos, millis);
        }
        let offset = self.append(&millis.to_le_bytes());
        cell::put_offset(self.slot(pos), offset, nanos as u32);
    }

    /// NULL of a DECIMAL of more than 18 digits, as Flink's generated code writes it: with 16 bytes kept for a value.
    pub fn reserve_decimal(&mut self, pos: usize) {
        self.set_null(pos);
        let offset = self.append(&[0; 16]);
        cell::put_offset(self.slot(pos), offset, 0);
    }

    /// NULL of a TIMESTAMP of more than milliseconds, as Flink's generated code writes it: with 8 bytes kept for a value.
    pub fn reserve_timestamp(&mut self, pos: usize) {
        self.set_null(pos);
        let offset = self.append(&[0; 8]);
        cell::put_offset(self.slot(pos), offset, 0);
    }

    /// Appends to the variable part; where that begins.
    fn append(&mut self, value: &[u8]) -> usize {
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(value);
        self.bytes.resize(padded(self.bytes.len()), 0);
        offset
    }
}

impl<'a> RowMut<'a> {
    /// A row of `arity` fields; fails when the bytes are too few for their slots.
    pub fn new(bytes: &'a mut [u8], arity: usize) -> Result<Self> {
        RowView::new(bytes, arity)?;
        Ok(Self { bytes, arity })
    }

    /// The row, to read.
    pub fn view(&self) -> Result<RowView<'_>> {
        RowView::new(self.bytes, self.arity)
    }

    /// Sets the kind.
    pub fn set_kind(&mut self, kind: RowKind) {
        self.bytes[0] = kind as u8;
    }

    common_setters!();
}
