//! Unsigned LEB128, at most five bytes for a `u32`.

use sf_core::{Error, Result};

/// Appends a number.
#[inline]
pub fn write_u32(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads a number at `*at` and moves past it. Fails at the end of the bytes and past 32 bits.
#[inline]
pub fn read_u32(bytes: &[u8], at: &mut usize) -> Result<u32> {
    let mut value = 0_u32;
    for shift in (0..35).step_by(7) {
        let byte = *bytes
            .get(*at)
            .ok_or_else(|| Error::corrupt("a number is cut off"))?;
        *at += 1;
        if shift == 28 && byte > 0x0f {
            break;
        }
        value |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(Error::corrupt("a number has more than 32 bits"))
}
