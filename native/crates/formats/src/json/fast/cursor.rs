use super::{MAX_NAME, Odd, Plain};
use crate::java::time::{self, Timestamp};
use crate::json::scan::string_stop;
use sf_plan::proto::TimestampFormat;

/// Longest number that is looked at here; Jackson refuses those of more than 1000 digits.
const MAX_NUMBER: usize = 1000;

/// Where in a record is read.
pub(super) struct Cursor<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) pos: usize,
}

impl<'a> Cursor<'a> {
    #[inline]
    pub(super) fn peek(&self) -> Plain<u8> {
        self.bytes.get(self.pos).copied().ok_or(Odd)
    }

    #[inline]
    pub(super) fn take(&mut self) -> Plain<u8> {
        let byte = self.peek()?;
        self.pos += 1;
        Ok(byte)
    }

    #[inline]
    pub(super) fn expect(&mut self, byte: u8) -> Plain<()> {
        if self.take()? == byte {
            Ok(())
        } else {
            Err(Odd)
        }
    }

    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.pos..]
    }

    #[inline]
    pub(super) fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.bytes.get(self.pos) {
            self.pos += 1;
        }
    }

    pub(super) fn literal(&mut self, word: &[u8]) -> Plain<()> {
        if !self.rest().starts_with(word) {
            return Err(Odd);
        }
        self.pos += word.len();
        Ok(())
    }

    /// An integer of up to 18 digits, perhaps in quotes.
    #[inline]
    pub(super) fn integer(&mut self, first: u8) -> Plain<i64> {
        let quoted = first == b'"';
        self.pos += usize::from(quoted);
        let negative = self.peek()? == b'-';
        self.pos += usize::from(negative);
        let rest = self.rest();
        let (mut value, mut count) = (0i64, 0);
        while let Some(digit) = rest
            .get(count)
            .map(|b| b.wrapping_sub(b'0'))
            .filter(|d| *d < 10)
        {
            if count == 18 {
                return Err(Odd);
            }
            value = value * 10 + i64::from(digit);
            count += 1;
        }
        let zero_first = count > 1 && rest[0] == b'0';
        if count == 0 || zero_first || matches!(rest.get(count), Some(b'.' | b'e' | b'E')) {
            return Err(Odd);
        }
        self.pos += count;
        if quoted {
            self.expect(b'"')?;
        }
        Ok(if negative { -value } else { value })
    }

    /// The text of a number.
    pub(super) fn number(&mut self) -> Plain<&'a [u8]> {
        let rest = self.rest();
        let mut at = usize::from(rest.first() == Some(&b'-'));
        let digits = |from: usize| {
            let digits = rest[from..]
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .count();
            if digits == 0 { Err(Odd) } else { Ok(digits) }
        };
        let whole = digits(at)?;
        if whole > 1 && rest[at] == b'0' {
            return Err(Odd);
        }
        at += whole;
        if rest.get(at) == Some(&b'.') {
            at += 1;
            at += digits(at)?;
        }
        if let Some(b'e' | b'E') = rest.get(at) {
            at += 1;
            at += usize::from(matches!(rest.get(at), Some(b'-' | b'+')));
            at += digits(at)?;
        }
        if at > MAX_NUMBER {
            return Err(Odd);
        }
        self.pos += at;
        Ok(&rest[..at])
    }

    /// Appends the text of a string behind its quote.
    #[inline]
    pub(super) fn string(&mut self, out: &mut Vec<u8>) -> Plain<()> {
        let rest = self.rest();
        let stop = string_stop(rest);
        if !stop.ascii || rest.get(stop.at) != Some(&b'"') {
            return self.odd_string(out);
        }
        out.extend_from_slice(&rest[..stop.at]);
        self.pos += stop.at + 1;
        Ok(())
    }

    /// A string with escapes or characters that are not ASCII.
    fn odd_string(&mut self, out: &mut Vec<u8>) -> Plain<()> {
        let begin = out.len();
        let mut ascii = true;
        loop {
            let rest = self.rest();
            let stop = string_stop(rest);
            out.extend_from_slice(&rest[..stop.at]);
            ascii &= stop.ascii;
            self.pos += stop.at;
            if self.take()? == b'"' {
                break;
            }
            let char = self.escape()?;
            out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
        }
        // Escapes are whole characters, hence they do not make others whole.
        if !ascii && std::str::from_utf8(&out[begin..]).is_err() {
            return Err(Odd);
        }
        Ok(())
    }

    /// The character of an escape behind its backslash.
    fn escape(&mut self) -> Plain<char> {
        Ok(match self.take()? {
            b'b' => '\u{8}',
            b't' => '\t',
            b'n' => '\n',
            b'f' => '\u{c}',
            b'r' => '\r',
            byte @ (b'"' | b'/' | b'\\') => byte as char,
            b'u' => {
                let unit = self.hex()?;
                if unit & 0xfc00 == 0xd800 {
                    self.literal(b"\\u")?;
                    let low = self.hex()?;
                    if low & 0xfc00 != 0xdc00 {
                        return Err(Odd);
                    }
                    let char = 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
                    return char::from_u32(char).ok_or(Odd);
                }
                return char::from_u32(unit).ok_or(Odd);
            }
            _ => return Err(Odd),
        })
    }

    fn hex(&mut self) -> Plain<u32> {
        let mut value = 0;
        for _ in 0..4 {
            value = value << 4 | (self.take()? as char).to_digit(16).ok_or(Odd)?;
        }
        Ok(value)
    }

    /// The text of a string behind its quote, if it is ASCII without escapes.
    pub(super) fn short_text(&mut self) -> Plain<&'a str> {
        let rest = self.rest();
        let stop = string_stop(rest);
        if !stop.ascii || rest.get(stop.at) != Some(&b'"') {
            return Err(Odd);
        }
        self.pos += stop.at + 1;
        std::str::from_utf8(&rest[..stop.at]).map_err(|_| Odd)
    }

    /// A timestamp behind its quote.
    #[inline]
    pub(super) fn timestamp(&mut self, format: TimestampFormat, instant: bool) -> Plain<Timestamp> {
        let between = if format == TimestampFormat::Iso8601 {
            b'T'
        } else {
            b' '
        };
        if let Some((value, used)) = fixed_timestamp(self.rest(), between, instant) {
            self.pos += used;
            return Ok(value);
        }
        time::parse_timestamp(self.short_text()?, format, instant).ok_or(Odd)
    }

    /// Skips a value of at most `depth` levels.
    pub(super) fn skip(&mut self, depth: usize) -> Plain<()> {
        match self.peek()? {
            b'"' => {
                self.pos += 1;
                self.skip_string(usize::MAX)
            }
            b'n' => self.literal(b"null"),
            b't' => self.literal(b"true"),
            b'f' => self.literal(b"false"),
            b'{' | b'[' if depth == 0 => Err(Odd),
            b'{' => {
                self.pos += 1;
                self.space();
                if self.peek()? == b'}' {
                    self.pos += 1;
                    return Ok(());
                }
                self.skip_fields(depth - 1)
            }
            b'[' => {
                self.pos += 1;
                self.space();
                if self.peek()? == b']' {
                    self.pos += 1;
                    return Ok(());
                }
                loop {
                    self.skip(depth - 1)?;
                    self.space();
                    match self.take()? {
                        b',' => self.space(),
                        b']' => return Ok(()),
                        _ => return Err(Odd),
                    }
                }
            }
            _ => self.number().map(|_| ()),
        }
    }

    /// Skips fields, of which there is one at least, and the brace behind them.
    pub(super) fn skip_fields(&mut self, depth: usize) -> Plain<()> {
        loop {
            self.expect(b'"')?;
            self.skip_string(MAX_NAME)?;
            self.space();
            self.expect(b':')?;
            self.space();
            self.skip(depth)?;
            self.space();
            match self.take()? {
                b',' => self.space(),
                b'}' => return Ok(()),
                _ => return Err(Odd),
            }
        }
    }

    fn skip_string(&mut self, most: usize) -> Plain<()> {
        let begin = self.pos;
        let mut ascii = true;
        loop {
            let rest = self.rest();
            let stop = string_stop(rest);
            ascii &= stop.ascii;
            self.pos += stop.at;
            if self.take()? == b'"' {
                break;
            }
            self.escape()?;
        }
        let text = &self.bytes[begin..self.pos - 1];
        if text.len() > most || !ascii && std::str::from_utf8(text).is_err() {
            return Err(Odd);
        }
        Ok(())
    }
}

/// A timestamp with seconds and at most nine digits behind them, all of whose parts are in range, and its closing quote. Gives how many
/// bytes that is.
#[inline]
fn fixed_timestamp(text: &[u8], between: u8, instant: bool) -> Option<(Timestamp, usize)> {
    let (head, tail) = text.split_first_chunk::<19>()?;
    let digit = |i: usize| head[i].wrapping_sub(b'0');
    let places = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18];
    let odd = places.iter().fold(false, |odd, i| odd | (digit(*i) > 9));
    let marks = [head[4], head[7], head[10], head[13], head[16]];
    if odd || marks != [b'-', b'-', between, b':', b':'] {
        return None;
    }
    let pair = |i: usize| i64::from(digit(i)) * 10 + i64::from(digit(i + 1));
    let (year, month, day) = (pair(0) * 100 + pair(2), pair(5), pair(8));
    let (hour, minute, second) = (pair(11), pair(14), pair(17));
    let (mut nanos, mut used) = (0i64, 19);
    if let [b'.', rest @ ..] = tail {
        let digits = rest.iter().take(9).take_while(|b| b.is_ascii_digit());
        let mut count = 0;
        for byte in digits {
            nanos = nanos * 10 + i64::from(byte - b'0');
            count += 1;
        }
        for _ in count..9 {
            nanos *= 10;
        }
        used += 1 + count;
    }
    if instant {
        (text.get(used) == Some(&b'Z')).then_some(())?;
        used += 1;
    }
    let fits = text.get(used) == Some(&b'"')
        && (1..=12).contains(&month)
        && day >= 1
        && (day <= 28 || day <= time::month_length(year, month))
        && hour < 24
        && minute < 60
        && second < 60;
    if !fits {
        return None;
    }
    let seconds = hour * 3600 + minute * 60 + second;
    let millis = time::days_from_civil(year, month, day) * time::DAY + seconds * 1000;
    let timestamp = Timestamp {
        millis: millis + nanos / 1_000_000,
        nanos: (nanos % 1_000_000) as i32,
    };
    Some((timestamp, used + 1))
}
