use super::{Token, Tokens};
use crate::json::fail::{Fail, Parsed, bad};

/// Chars of the longest string that Jackson reads.
const MAX_STRING: usize = 20_000_000;
/// Bytes of the longest field name that Jackson reads.
const MAX_NAME: usize = 50_000;

/// Strings and names.
impl Tokens<'_> {
    /// Text of the current token in UTF-16; `None` without a token.
    pub(in crate::json) fn text(&mut self) -> Parsed<Option<&[u16]>> {
        const fn ascii<const N: usize>(text: &[u8; N]) -> [u16; N] {
            let mut wide = [0; N];
            let mut i = 0;
            while i < N {
                wide[i] = text[i] as u16;
                i += 1;
            }
            wide
        }
        const TRUE: &[u16] = &ascii(b"true");
        const FALSE: &[u16] = &ascii(b"false");
        const NULL: &[u16] = &ascii(b"null");
        let Some(token) = self.current else {
            return Ok(None);
        };
        Ok(Some(match token {
            Token::String => {
                if self.string_open {
                    self.string_open = false;
                    self.finish_string()?;
                }
                &self.text
            }
            Token::Int | Token::Float => &self.text,
            Token::FieldName => self.names.last().map_or(&[], Vec::as_slice),
            Token::True => TRUE,
            Token::False => FALSE,
            Token::Null => NULL,
            Token::StartObject => &[b'{' as u16],
            Token::EndObject => &[b'}' as u16],
            Token::StartArray => &[b'[' as u16],
            Token::EndArray => &[b']' as u16],
        }))
    }

    /// Text of the current number: ASCII.
    pub(in crate::json) fn number(&self) -> String {
        self.text.iter().map(|c| *c as u8 as char).collect()
    }

    fn finish_string(&mut self) -> Parsed<()> {
        self.text.clear();
        loop {
            let byte = self.take()?;
            match byte {
                b'"' => break,
                b'\\' => {
                    let char = self.escape()?;
                    self.text.push(char);
                }
                0..=0x7f => self.text.push(u16::from(byte)),
                0xc0..=0xdf => {
                    let char = self.continuation(u32::from(byte & 0x1f))?;
                    self.text.push(char as u16);
                }
                0xe0..=0xef => {
                    let char = self.continuation(u32::from(byte & 0xf))?;
                    let char = self.continuation(char)?;
                    self.text.push(char as u16);
                }
                0xf0..=0xf7 => {
                    let char = self.continuation(u32::from(byte & 7))?;
                    let char = self.continuation(char)?;
                    // Neither is too small a number refused nor too great a one.
                    let char = self.continuation(char)?.wrapping_sub(0x10000) as i32;
                    self.text.push((0xd800 | (char >> 10)) as u16);
                    self.text.push((0xdc00 | (char & 0x3ff)) as u16);
                }
                _ => return bad(format!("Invalid UTF-8 start byte 0x{byte:x}")),
            }
        }
        if self.text.len() > MAX_STRING {
            return bad("String value length exceeds the maximum allowed (20000000)");
        }
        Ok(())
    }

    pub(super) fn skip_string(&mut self) -> Parsed<()> {
        self.string_open = false;
        loop {
            let byte = self.take()?;
            let more = match byte {
                b'"' => return Ok(()),
                b'\\' => {
                    self.escape()?;
                    0
                }
                0..=0x7f => 0,
                0xc0..=0xdf => 1,
                0xe0..=0xef => 2,
                0xf0..=0xf7 => 3,
                _ => return bad(format!("Invalid UTF-8 start byte 0x{byte:x}")),
            };
            for _ in 0..more {
                self.continuation(0)?;
            }
        }
    }

    pub(super) fn escape(&mut self) -> Parsed<u16> {
        Ok(u16::from(match self.take()? {
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'f' => 12,
            b'r' => b'\r',
            byte @ (b'"' | b'/' | b'\\') => byte,
            b'u' => {
                let mut value = 0;
                for _ in 0..4 {
                    let Some(digit) = (self.take()? as char).to_digit(16) else {
                        return bad("expected a hex-digit for character escape sequence");
                    };
                    value = value << 4 | digit as u16;
                }
                return Ok(value);
            }
            byte => {
                self.rest_of_char(byte)?;
                return bad("Unrecognized character escape");
            }
        }))
    }

    fn continuation(&mut self, begun: u32) -> Parsed<u32> {
        let byte = self.take()?;
        if byte & 0xc0 != 0x80 {
            return bad(format!("Invalid UTF-8 middle byte 0x{byte:x}"));
        }
        Ok(begun << 6 | u32::from(byte & 0x3f))
    }

    /// Reads on to the end of a character, only to be able to speak of it.
    pub(super) fn rest_of_char(&mut self, first: u8) -> Parsed<u32> {
        let (mut char, more) = match first {
            0..=0x7f => (u32::from(first), 0),
            0xc0..=0xdf => (u32::from(first & 0x1f), 1),
            0xe0..=0xef => (u32::from(first & 0xf), 2),
            0xf0..=0xf7 => (u32::from(first & 7), 3),
            _ => return bad(format!("Invalid UTF-8 start byte 0x{first:x}")),
        };
        for _ in 0..more {
            char = self.continuation(char)?;
        }
        Ok(char)
    }

    pub(super) fn name(&mut self, first: u8) -> Parsed<Vec<u16>> {
        if first != b'"' {
            self.rest_of_char(first)?;
            return bad("was expecting double-quote to start field name");
        }
        // Escaped characters become UTF-8 first, each half of a surrogate pair for itself.
        let mut bytes = Vec::new();
        loop {
            match self.take()? {
                b'"' => break,
                b'\\' => match self.escape()? {
                    char @ 0..=0x7f => bytes.push(char as u8),
                    char @ 0x80..=0x7ff => {
                        bytes.extend([0xc0 | (char >> 6) as u8, 0x80 | (char & 0x3f) as u8]);
                    }
                    char => bytes.extend([
                        0xe0 | (char >> 12) as u8,
                        0x80 | (char >> 6 & 0x3f) as u8,
                        0x80 | (char & 0x3f) as u8,
                    ]),
                },
                byte => bytes.push(byte),
            }
        }
        if bytes.len() > MAX_NAME {
            return bad("Name length exceeds the maximum allowed (50000)");
        }
        decode_name(&bytes)
    }
}

/// A field name's characters; of the bytes only the structure is checked.
fn decode_name(bytes: &[u8]) -> Parsed<Vec<u16>> {
    let mut name = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        let (mut char, more) = match byte {
            0..=0x7f => (i32::from(*byte), 0),
            0xc0..=0xdf => (i32::from(byte & 0x1f), 1),
            0xe0..=0xef => (i32::from(byte & 0xf), 2),
            0xf0..=0xf7 => (i32::from(byte & 7), 3),
            _ => return bad(format!("Invalid UTF-8 start byte 0x{byte:x}")),
        };
        for _ in 0..more {
            let Some(next) = rest.next() else {
                return Err(Fail::end());
            };
            if next & 0xc0 != 0x80 {
                return bad(format!("Invalid UTF-8 middle byte 0x{next:x}"));
            }
            char = char << 6 | i32::from(next & 0x3f);
        }
        if more == 3 {
            char -= 0x10000;
            name.push((0xd800 + (char >> 10)) as u16);
            char = 0xdc00 | (char & 0x3ff);
        }
        name.push(char as u16);
    }
    Ok(name)
}
