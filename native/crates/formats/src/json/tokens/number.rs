use super::{Scope, Token, Tokens};
use crate::json::fail::{Parsed, bad};

/// Digits of the longest number that Jackson reads.
const MAX_NUMBER: usize = 1000;

/// Numbers, and words like `null`.
impl Tokens<'_> {
    pub(super) fn signed_number(&mut self) -> Parsed<Token> {
        let first = self.take()?;
        match first {
            b'0'..=b'9' => self.unsigned_number(first, true),
            b'.' => self.unexpected_value(first),
            b'I' => {
                match self.take()? {
                    b'N' => self.keyword(b"-INF", 3)?,
                    b'n' => self.keyword(b"-Infinity", 3)?,
                    _ => {}
                }
                bad("expected digit (0-9) to follow minus sign, for valid numeric value")
            }
            _ => bad("expected digit (0-9) to follow minus sign, for valid numeric value"),
        }
    }

    pub(super) fn unsigned_number(&mut self, first: u8, negative: bool) -> Parsed<Token> {
        if first == b'0' && self.peek().is_some_and(|next| next.is_ascii_digit()) {
            return bad("Leading zeroes not allowed");
        }
        self.text.clear();
        if negative {
            self.text.push(u16::from(b'-'));
        }
        self.text.push(u16::from(first));
        let digits = 1 + self.digits();
        match self.peek() {
            Some(b'.' | b'e' | b'E') => return self.float(digits),
            None => {}
            Some(_) => self.check_root_space()?,
        }
        if digits > MAX_NUMBER {
            return bad("Number value length exceeds the maximum allowed (1000)");
        }
        Ok(Token::Int)
    }

    fn float(&mut self, mut digits: usize) -> Parsed<Token> {
        if self.peek() == Some(b'.') {
            self.pos += 1;
            self.text.push(u16::from(b'.'));
            let fraction = self.digits();
            if fraction == 0 {
                // The character behind is read, if there is one.
                self.pos += usize::from(self.peek().is_some());
                return bad("Decimal point not followed by a digit");
            }
            digits += fraction;
        }
        if let Some(e @ (b'e' | b'E')) = self.peek() {
            self.pos += 1;
            self.text.push(u16::from(e));
            let mut next = self.take()?;
            if next == b'-' || next == b'+' {
                self.text.push(u16::from(next));
                next = self.take()?;
            }
            if !next.is_ascii_digit() {
                return bad("Exponent indicator not followed by a digit");
            }
            self.text.push(u16::from(next));
            digits += 1 + self.digits();
        }
        if self.peek().is_some() {
            self.check_root_space()?;
        }
        if digits > MAX_NUMBER {
            return bad("Number value length exceeds the maximum allowed (1000)");
        }
        Ok(Token::Float)
    }

    fn digits(&mut self) -> usize {
        let rest = &self.bytes[self.pos..];
        let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        self.text
            .extend(rest[..count].iter().map(|b| u16::from(*b)));
        self.pos += count;
        count
    }

    /// A number outside of everything must be followed by white space.
    fn check_root_space(&mut self) -> Parsed<()> {
        if self.context().scope != Scope::Root {
            return Ok(());
        }
        match self.take()? {
            b' ' | b'\t' | b'\n' => Ok(()),
            b'\r' => {
                self.pos -= 1;
                Ok(())
            }
            _ => bad("Expected space separating root-level values"),
        }
    }

    pub(super) fn literal(&mut self, word: &[u8]) -> Parsed<()> {
        self.keyword(word, 1)
    }

    /// The rest of a word whose first `from` bytes are read.
    fn keyword(&mut self, word: &[u8], from: usize) -> Parsed<()> {
        for expected in &word[from..] {
            if self.peek() != Some(*expected) {
                return self.invalid_token();
            }
            self.pos += 1;
        }
        match self.peek() {
            Some(next) if next >= b'0' && next != b']' && next != b'}' => {
                // Like Jackson, which takes the first byte for the second, this fails on what is not ASCII.
                let char = self.rest_of_char(next)?;
                if identifier_part(char) {
                    return self.invalid_token();
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn invalid_token<T>(&mut self) -> Parsed<T> {
        for _ in 0..256 {
            if self.peek().is_none() {
                break;
            }
            let byte = self.take()?;
            let char = self.rest_of_char(byte)?;
            if !identifier_part(char) {
                break;
            }
        }
        bad("Unrecognized token: was expecting a JSON value")
    }

    pub(super) fn unexpected_value(&mut self, byte: u8) -> Parsed<Token> {
        match byte {
            b']' | b',' | b'}' => return bad("expected a value"),
            b'N' => self.keyword(b"NaN", 1)?,
            b'I' => self.keyword(b"Infinity", 1)?,
            b'+' => {
                if self.take()? == b'I' {
                    match self.take()? {
                        b'N' => self.keyword(b"+INF", 3)?,
                        b'n' => self.keyword(b"+Infinity", 3)?,
                        _ => {}
                    }
                }
                return bad("JSON spec does not allow numbers to have plus signs");
            }
            // Jackson looks at the byte as if it were a character.
            _ if byte.is_ascii_alphabetic()
                || matches!(byte, b'_' | b'$' | 0xa2..=0xa5 | 0xaa | 0xb5 | 0xba)
                || byte >= 0xc0 && byte != 0xd7 && byte != 0xf7 =>
            {
                return self.invalid_token();
            }
            _ => {}
        }
        bad(
            "expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
        )
    }
}

/// `Character.isJavaIdentifierPart`, to know how far Jackson reads into a word it does not know.
fn identifier_part(char: u32) -> bool {
    match char {
        0x00..=0x08 | 0x0e..=0x1b | 0x7f..=0x9f | 0xad => true,
        0x20..=0x7e => {
            char::from(char as u8).is_ascii_alphanumeric() || char == 0x24 || char == 0x5f
        }
        0xa2..=0xa5 => true,
        _ => char::from_u32(char).is_some_and(char::is_alphanumeric),
    }
}
