use super::{Token, Tokens};
use crate::json::fail::{Parsed, bad};

/// Binaries.
impl Tokens<'_> {
    /// Base64 text of the current string, as Jackson's variant MIME-NO-LINEFEEDS reads it. After an error the rest of the string
    /// is still to be skipped.
    pub(in crate::json) fn binary(&mut self) -> Parsed<Vec<u8>> {
        if self.current != Some(Token::String) || !self.string_open {
            return bad("Current token not VALUE_STRING, can not access as binary");
        }
        let bytes = self.base64()?;
        self.string_open = false;
        Ok(bytes)
    }

    fn base64(&mut self) -> Parsed<Vec<u8>> {
        const PADDING: i32 = -2;
        let mut out = Vec::new();
        loop {
            let mut byte = self.take()?;
            while byte <= b' ' {
                byte = self.take()?;
            }
            let mut bits = base64_bits(u16::from(byte));
            if bits < 0 {
                if byte == b'"' {
                    return Ok(out);
                }
                bits = self.base64_escape(byte, true)?;
                if bits < 0 {
                    continue;
                }
            }
            let mut data = bits;
            byte = self.take()?;
            bits = base64_bits(u16::from(byte));
            if bits < 0 {
                bits = self.base64_escape(byte, false)?;
            }
            data = data << 6 | bits;
            byte = self.take()?;
            bits = base64_bits(u16::from(byte));
            if bits < 0 {
                if bits != PADDING {
                    bits = self.base64_third(byte)?;
                }
                if bits == PADDING {
                    byte = self.take()?;
                    if byte != b'=' && self.base64_escape(byte, false)? != PADDING {
                        return bad("expected padding character '='");
                    }
                    out.push((data >> 4) as u8);
                    continue;
                }
            }
            data = data << 6 | bits;
            byte = self.take()?;
            bits = base64_bits(u16::from(byte));
            if bits < 0 {
                if bits != PADDING {
                    bits = self.base64_third(byte)?;
                }
                if bits == PADDING {
                    data >>= 2;
                    out.extend([(data >> 8) as u8, data as u8]);
                    continue;
                }
            }
            data = data << 6 | bits;
            out.extend([(data >> 16) as u8, (data >> 8) as u8, data as u8]);
        }
    }

    /// What stands in the third or fourth place and is no digit: the end is too early.
    fn base64_third(&mut self, byte: u8) -> Parsed<i32> {
        if byte == b'"' {
            self.pos -= 1;
            return bad("Unexpected end of base64-encoded String: it must be padded with '='");
        }
        self.base64_escape(byte, false)
    }

    fn base64_escape(&mut self, byte: u8, first: bool) -> Parsed<i32> {
        if byte != b'\\' {
            return bad("Illegal character in base64 content");
        }
        let char = self.escape()?;
        if char <= u16::from(b' ') && first {
            return Ok(-1);
        }
        match base64_bits(char) {
            -1 => bad("Illegal character in base64 content"),
            bits => Ok(bits),
        }
    }
}

/// Bits of a digit of base 64, -2 for the padding, -1 for anything else.
fn base64_bits(char: u16) -> i32 {
    match u8::try_from(char) {
        Ok(byte @ b'A'..=b'Z') => i32::from(byte - b'A'),
        Ok(byte @ b'a'..=b'z') => i32::from(byte - b'a') + 26,
        Ok(byte @ b'0'..=b'9') => i32::from(byte - b'0') + 52,
        Ok(b'+') => 62,
        Ok(b'/') => 63,
        Ok(b'=') => -2,
        _ => -1,
    }
}
