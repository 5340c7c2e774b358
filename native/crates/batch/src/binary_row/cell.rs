//! Values in a row or array (`base`), given where their slot begins.

use super::{is_compact_decimal, is_compact_timestamp};
use sf_core::{Error, Result};

/// Bytes that stand in the slot itself, at most.
const INLINE: usize = 7;
/// In the highest byte of a slot: the bytes stand in the slot.
const INLINE_MARK: u8 = 0x80;

/// `N` bytes at `at`, which the caller has checked to be there.
#[inline]
pub(super) fn fixed<const N: usize>(base: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&base[at..at + N]);
    bytes
}

/// The offset and size of a slot, checked to lie in `base`.
#[inline]
pub(super) fn section(base: &[u8], at: usize) -> Result<&[u8]> {
    let slot = u64::from_le_bytes(fixed(base, at));
    span(base, (slot >> 32) as usize, slot as u32 as usize)
}

/// Bytes of a string, in the slot or in the variable part.
#[inline]
pub(super) fn bytes(base: &[u8], at: usize) -> Result<&[u8]> {
    let mark = base[at + 7];
    if mark & INLINE_MARK == 0 {
        return section(base, at);
    }
    match (mark & !INLINE_MARK) as usize {
        length @ ..=INLINE => Ok(&base[at..at + length]),
        length => Err(Error::corrupt(format!("{length} bytes in a slot of 8"))),
    }
}

/// The unscaled value of a DECIMAL.
#[inline]
pub(super) fn decimal(base: &[u8], at: usize, precision: u8) -> Result<i128> {
    if is_compact_decimal(precision) {
        return Ok(i64::from_le_bytes(fixed(base, at)).into());
    }
    let bytes = section(base, at)?;
    if bytes.is_empty() || bytes.len() > 16 {
        let length = bytes.len();
        return Err(Error::corrupt(format!("a DECIMAL of {length} bytes")));
    }
    let sign = if bytes[0] >= 0x80 { 0xff } else { 0 };
    let mut wide = [sign; 16];
    wide[16 - bytes.len()..].copy_from_slice(bytes);
    Ok(i128::from_be_bytes(wide))
}

/// Milliseconds of a TIMESTAMP and the nanoseconds of the last one.
#[inline]
pub(super) fn timestamp(base: &[u8], at: usize, precision: u8) -> Result<(i64, i32)> {
    let slot = u64::from_le_bytes(fixed(base, at));
    if is_compact_timestamp(precision) {
        return Ok((slot as i64, 0));
    }
    let nanos = slot as i32;
    if !(0..1_000_000).contains(&nanos) {
        return Err(Error::corrupt(format!(
            "{nanos} nanoseconds in a millisecond"
        )));
    }
    let millis = span(base, (slot >> 32) as usize, 8)?;
    Ok((i64::from_le_bytes(fixed(millis, 0)), nanos))
}

fn span(base: &[u8], offset: usize, size: usize) -> Result<&[u8]> {
    base.get(offset..offset + size).ok_or_else(|| {
        let total = base.len();
        Error::corrupt(format!("{size} bytes at {offset} of {total}"))
    })
}

/// Writes up to 7 bytes into a slot.
#[inline]
pub(super) fn put_inline(slot: &mut [u8], bytes: &[u8]) {
    slot[..bytes.len()].copy_from_slice(bytes);
    slot[bytes.len()..7].fill(0);
    slot[7] = INLINE_MARK | bytes.len() as u8;
}

/// Whether bytes of this length go into the slot.
#[inline]
pub(super) fn is_inline(length: usize) -> bool {
    length <= INLINE
}

/// Writes an offset, and a size or the nanoseconds of a millisecond, into a slot.
#[inline]
pub(super) fn put_offset(slot: &mut [u8], offset: usize, size: u32) {
    slot[..4].copy_from_slice(&size.to_le_bytes());
    slot[4..8].copy_from_slice(&(offset as u32).to_le_bytes());
}

/// `BigInteger.toByteArray` at the front of 16 bytes, and how many they are.
#[inline]
pub(super) fn decimal_bytes(value: i128) -> ([u8; 16], usize) {
    let magnitude = if value < 0 { !value } else { value };
    let length = (128 - magnitude.leading_zeros() as usize) / 8 + 1;
    let mut bytes = [0; 16];
    bytes[..length].copy_from_slice(&value.to_be_bytes()[16 - length..]);
    (bytes, length)
}
