use super::integer::digit;

/// More digits than this Java cannot shift a number by.
const MAX_SHIFT: i64 = 646_456_992;

/// A `java.math.BigDecimal`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BigDecimal {
    negative: bool,
    /// Of the unscaled value, without zeros in front; none for zero.
    digits: Vec<u8>,
    scale: i64,
}

impl BigDecimal {
    /// `new BigDecimal(text)`.
    pub(crate) fn parse(text: impl IntoIterator<Item = u16>) -> Option<Self> {
        let mut rest = text.into_iter().peekable();
        let sign = |c: &u16| *c == u16::from(b'-') || *c == u16::from(b'+');
        let negative = rest.next_if(sign) == Some(u16::from(b'-'));
        let (mut digits, mut count, mut scale, mut point) = (Vec::new(), 0, 0i64, false);
        let mut exponent = None;
        while let Some(char) = rest.next() {
            if let Some(digit) = digit(char) {
                count += 1;
                scale += i64::from(point);
                if digit > 0 || !digits.is_empty() {
                    digits.push(digit);
                }
            } else if char == u16::from(b'.') && !point {
                point = true;
            } else if char == u16::from(b'e') || char == u16::from(b'E') {
                let negative = rest.next_if(sign) == Some(u16::from(b'-'));
                let value = parse_exponent(&mut rest)?;
                exponent = Some(if negative { -value } else { value });
            } else {
                return None;
            }
        }
        if count == 0 {
            return None;
        }
        let scale = scale - exponent.unwrap_or(0);
        i32::try_from(scale).ok()?;
        Some(Self {
            negative,
            digits,
            scale,
        })
    }

    /// `DecimalData.fromBigDecimal`: rounded half up to the scale; `Some(None)` (NULL) when there are too many digits then. `None`
    /// when Java fails.
    pub(crate) fn to_unscaled(&self, precision: u8, scale: i8) -> Option<Option<i128>> {
        if self.digits.is_empty() {
            return Some(Some(0));
        }
        let shift = i64::from(scale) - self.scale;
        if shift.abs() > MAX_SHIFT {
            return None;
        }
        let kept = self.digits.len() as i64 + shift;
        if kept > i64::from(precision) {
            return Some(None);
        }
        let mut value = 0i128;
        for i in 0..kept.max(0) {
            let digit = self.digits.get(i as usize).copied().unwrap_or(0);
            value = value * 10 + i128::from(digit);
        }
        if shift < 0 && kept >= 0 && self.digits[kept as usize] >= 5 {
            value += 1;
            if value == 10i128.pow(u32::from(precision)) {
                return Some(None);
            }
        }
        Some(Some(if self.negative { -value } else { value }))
    }

    /// `stripTrailingZeros`.
    pub(crate) fn strip_trailing_zeros(mut self) -> Self {
        let zeros = self.digits.iter().rev().take_while(|d| **d == 0).count();
        self.digits.truncate(self.digits.len() - zeros);
        self.scale -= zeros as i64;
        if self.digits.is_empty() {
            self.scale = 0;
        }
        self
    }

    /// `toString`.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let digits: Vec<u8> = match self.digits.as_slice() {
            [] => vec![b'0'],
            digits => digits.iter().map(|digit| digit + b'0').collect(),
        };
        let negative = self.negative && !self.digits.is_empty();
        write_digits(negative, &digits, self.scale, false, out);
    }
}

/// Writes an unscaled value: plain, with all its digits; or as `BigDecimal.stripTrailingZeros().toString()` has it.
pub(crate) fn write_unscaled(unscaled: i128, scale: i8, plain: bool, out: &mut Vec<u8>) {
    let mut buffer = [0; 40];
    let mut digits = digits(unscaled.unsigned_abs(), &mut buffer);
    let mut scale = i64::from(scale);
    if !plain {
        while let [kept @ .., b'0'] = digits {
            if kept.is_empty() {
                scale = 0;
                break;
            }
            digits = kept;
            scale -= 1;
        }
    }
    write_digits(unscaled < 0, digits, scale, plain, out);
}

/// The decimal digits of a value.
pub(crate) fn digits(value: u128, buffer: &mut [u8; 40]) -> &[u8] {
    let mut at = buffer.len();
    let mut high = value;
    // Division of 128 bits is slow: of 18 digits at a time the rest is done in 64.
    loop {
        let (mut low, more) = match u64::try_from(high) {
            Ok(low) => (low, false),
            Err(_) => {
                let low = (high % 1_000_000_000_000_000_000) as u64;
                high /= 1_000_000_000_000_000_000;
                (low, true)
            }
        };
        let end = at;
        while low >= 10 {
            let pair = (low % 100) as u8;
            low /= 100;
            buffer[at - 1] = b'0' + pair % 10;
            buffer[at - 2] = b'0' + pair / 10;
            at -= 2;
        }
        if low > 0 || end == at {
            at -= 1;
            buffer[at] = b'0' + low as u8;
        }
        if !more {
            return &buffer[at..];
        }
        while end - at < 18 {
            at -= 1;
            buffer[at] = b'0';
        }
    }
}

/// Digits in ASCII with a point before the last `scale`; unless plain, with an exponent where Java has one: if the scale is negative or
/// the value is below a millionth.
fn write_digits(negative: bool, digits: &[u8], scale: i64, plain: bool, out: &mut Vec<u8>) {
    if negative {
        out.push(b'-');
    }
    let adjusted = digits.len() as i64 - 1 - scale;
    if scale == 0 {
        out.extend_from_slice(digits);
    } else if scale > 0 && (plain || adjusted >= -6) {
        let whole = digits.len() as i64 - scale;
        if whole > 0 {
            out.extend_from_slice(&digits[..whole as usize]);
            out.push(b'.');
            out.extend_from_slice(&digits[whole as usize..]);
        } else {
            out.extend_from_slice(b"0.");
            out.resize(out.len() + (-whole) as usize, b'0');
            out.extend_from_slice(digits);
        }
    } else {
        out.push(digits[0]);
        if digits.len() > 1 {
            out.push(b'.');
            out.extend_from_slice(&digits[1..]);
        }
        if adjusted != 0 {
            out.push(b'E');
            if adjusted > 0 {
                out.push(b'+');
            }
            out.extend_from_slice(adjusted.to_string().as_bytes());
        }
    }
}

/// At most ten digits without the zeros in front, as Java has it.
fn parse_exponent(rest: &mut impl Iterator<Item = u16>) -> Option<i64> {
    let (mut value, mut seen) = (0i64, false);
    for char in rest {
        seen = true;
        value = value * 10 + i64::from(digit(char)?);
        if value > 9_999_999_999 {
            return None;
        }
    }
    seen.then_some(value)
}
