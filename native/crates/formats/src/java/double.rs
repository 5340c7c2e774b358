use std::fmt::LowerExp;
use std::str::FromStr;

/// A binary floating-point type of Java.
pub(crate) trait Floating: Copy + PartialEq + LowerExp + FromStr {
    /// Bits of the significand with the hidden one.
    const SIGNIFICAND: i32;
    /// Exponent of the lowest bit of the smallest numbers.
    const LOWEST: i32;
    /// Exponent of the lowest bit of the greatest numbers.
    const HIGHEST: i32;

    /// `significand * 2^exponent`, exact.
    fn scaled(significand: u64, exponent: i32) -> Self;
    fn infinity() -> Self;
    fn nan() -> Self;
    fn negated(self) -> Self;
    /// Digits as the crate ryu writes them.
    fn shortest(self, buffer: &mut ryu::Buffer) -> &str;
    /// So small that the digits of a one-digit number can be nearer with two.
    fn is_tiny(self) -> bool;
    fn special(self) -> Option<&'static str>;
}

macro_rules! floating {
    ($type:ty, $significand:expr, $lowest:expr, $highest:expr, $tiny:expr) => {
        impl Floating for $type {
            const SIGNIFICAND: i32 = $significand;
            const LOWEST: i32 = $lowest;
            const HIGHEST: i32 = $highest;

            fn scaled(significand: u64, exponent: i32) -> Self {
                // Two steps, as 2^-1074 has no reciprocal.
                let half = exponent / 2;
                let power = |e: i32| (2.0 as $type).powi(e);
                significand as $type * power(half) * power(exponent - half)
            }
            fn infinity() -> Self {
                <$type>::INFINITY
            }
            fn nan() -> Self {
                <$type>::NAN
            }
            fn negated(self) -> Self {
                -self
            }
            fn shortest(self, buffer: &mut ryu::Buffer) -> &str {
                buffer.format_finite(self)
            }
            fn is_tiny(self) -> bool {
                self.abs() < $tiny
            }
            fn special(self) -> Option<&'static str> {
                if self.is_finite() {
                    None
                } else if self.is_nan() {
                    Some("NaN")
                } else if self > 0.0 {
                    Some("Infinity")
                } else {
                    Some("-Infinity")
                }
            }
        }
    };
}

floating!(f64, 53, -1074, 971, 1e-320);
floating!(f32, 24, -149, 104, 1e-42);

/// `Double.parseDouble` or `Float.parseFloat`.
pub(crate) fn parse<T: Floating>(text: &str) -> Option<T> {
    let text = text.trim_matches(|c| c <= ' ');
    let (negative, rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let value = match rest {
        "NaN" => T::nan(),
        "Infinity" => T::infinity(),
        _ => {
            let number = rest.strip_suffix(['f', 'F', 'd', 'D']);
            if rest.starts_with("0x") || rest.starts_with("0X") {
                parse_hexadecimal(&number.unwrap_or(rest)[2..])?
            } else {
                parse_decimal(number.unwrap_or(rest))?
            }
        }
    };
    Some(if negative { value.negated() } else { value })
}

/// Digits, a point somewhere, an exponent: what Rust reads is more than that.
fn parse_decimal<T: Floating>(text: &str) -> Option<T> {
    let (number, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    if let Some(exponent) = exponent {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        if exponent.is_empty() || !digits(exponent) {
            return None;
        }
    }
    text.parse().ok()
}

/// Hexadecimal digits, a point somewhere, `p` and a binary exponent.
fn parse_hexadecimal<T: Floating>(text: &str) -> Option<T> {
    let (number, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let hex = |text: &str| text.bytes().all(|b| b.is_ascii_hexdigit());
    if !hex(whole) || !hex(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // An exponent that no number of digits makes up for.
    let bound = 1 << 40;
    let power = digits.parse::<i64>().map_or(bound, |e| e.min(bound));
    let power = if exponent.starts_with('-') {
        -power
    } else {
        power
    };
    let (mut bits, mut exponent, mut lost) = (0u64, power - 4 * fraction.len() as i64, false);
    for digit in whole.bytes().chain(fraction.bytes()) {
        let digit = (digit as char).to_digit(16)?;
        if bits >> 60 == 0 {
            bits = bits << 4 | u64::from(digit);
        } else {
            lost |= digit != 0;
            exponent += 4;
        }
    }
    if bits == 0 {
        return Some(T::scaled(0, 0));
    }
    // Round half to even at the lowest bit that the type has there.
    let width = 64 - bits.leading_zeros() as i32;
    let drop = i64::from(width - T::SIGNIFICAND).max(i64::from(T::LOWEST) - exponent);
    let rounded = match drop {
        ..=0 => bits,
        1..=63 => {
            let kept = bits >> drop;
            let rest = bits & ((1 << drop) - 1);
            let half = 1 << (drop - 1);
            let up = rest > half || rest == half && (lost || kept & 1 == 1);
            kept + u64::from(up)
        }
        64 => u64::from(bits > 1 << 63 || bits == 1 << 63 && lost),
        _ => 0,
    };
    let exponent = exponent + drop.max(0);
    let width = 64 - i64::from(rounded.leading_zeros());
    if exponent + width > i64::from(T::HIGHEST + T::SIGNIFICAND) {
        return Some(T::infinity());
    }
    if rounded == 0 {
        return Some(T::scaled(0, 0));
    }
    Some(T::scaled(rounded, exponent as i32))
}

/// `Double.toString` or `Float.toString` as JDK 19 and later have it: the shortest digits that are read back as the same number, the
/// nearest of them, but two at least.
pub(crate) fn write<T: Floating>(value: T, out: &mut Vec<u8>) {
    if let Some(name) = value.special() {
        out.extend_from_slice(name.as_bytes());
        return;
    }
    let mut buffer = ryu::Buffer::new();
    let mut text = value.shortest(&mut buffer);
    let two;
    if value.is_tiny() {
        // Where the neighbours are so far away that two digits can be nearer than one.
        two = format!("{value:.1e}");
        let mantissa = text.split('e').next().unwrap_or(text);
        let one = mantissa.bytes().filter(u8::is_ascii_digit).count() == 1;
        if one && two.parse::<T>().is_ok_and(|v| v == value) {
            text = &two;
        }
    }
    if let Some(rest) = text.strip_prefix('-') {
        out.push(b'-');
        text = rest;
    }
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // Where the point stands behind the first of all digits.
    let point = whole.len() as i32 + exponent.parse::<i32>().unwrap_or(0);
    let mut digits = [0; 40];
    let mut count = 0;
    for digit in whole.bytes().chain(fraction.bytes()) {
        digits[count] = digit;
        count += 1;
    }
    let begin = digits[..count].iter().take_while(|d| **d == b'0').count();
    let end = count
        - digits[..count]
            .iter()
            .rev()
            .take_while(|d| **d == b'0')
            .count();
    if begin >= end {
        out.extend_from_slice(b"0.0");
        return;
    }
    let (digits, point) = (&digits[begin..end], point - begin as i32);
    write_digits(digits, point, out);
}

/// Significant digits of which `point` stand before the decimal point.
fn write_digits(digits: &[u8], point: i32, out: &mut Vec<u8>) {
    if (-2..=7).contains(&point) {
        if point <= 0 {
            out.extend_from_slice(b"0.");
            out.resize(out.len() + -point as usize, b'0');
            out.extend_from_slice(digits);
        } else if digits.len() <= point as usize {
            out.extend_from_slice(digits);
            out.resize(out.len() + point as usize - digits.len(), b'0');
            out.extend_from_slice(b".0");
        } else {
            out.extend_from_slice(&digits[..point as usize]);
            out.push(b'.');
            out.extend_from_slice(&digits[point as usize..]);
        }
        return;
    }
    out.push(digits[0]);
    out.push(b'.');
    out.extend_from_slice(if digits.len() > 1 { &digits[1..] } else { b"0" });
    out.push(b'E');
    out.extend_from_slice((point - 1).to_string().as_bytes());
}
