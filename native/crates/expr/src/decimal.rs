//! DECIMAL values: an unscaled `i128` and a scale. Intermediate results take 256 bits, which hold any product of two
//! values. Rounding is HALF_UP and what does not fit its precision is NULL, as in Flink.

use arrow_buffer::i256;
use std::cmp::Ordering;

/// Digits that Flink's division keeps.
const QUOTIENT_DIGITS: u32 = 38;

/// 10 to the power of `exponent`, at most 38.
pub(crate) fn pow10(exponent: u32) -> i128 {
    10_i128.pow(exponent)
}

/// 10 to the power of `exponent`, at most 76.
fn wide_pow10(exponent: u32) -> i256 {
    let low = exponent.min(38);
    let high = exponent - low;
    i256::from_i128(pow10(low)).wrapping_mul(i256::from_i128(pow10(high)))
}

/// Two's complement, big-endian; `None` for more than 128 bits.
pub(crate) fn from_big_endian(bytes: &[u8]) -> Option<i128> {
    if bytes.len() > 16 {
        return None;
    }
    let sign = bytes.first().is_some_and(|first| *first >= 0x80);
    let mut value = [if sign { 0xff } else { 0 }; 16];
    value[16 - bytes.len()..].copy_from_slice(bytes);
    Some(i128::from_be_bytes(value))
}

/// Number of decimal digits; 1 for 0.
pub(crate) fn digits(value: i128) -> u32 {
    value
        .unsigned_abs()
        .checked_ilog10()
        .map_or(1, |log| log + 1)
}

fn divide_half_up(value: i256, divisor: i256) -> i256 {
    let quotient = value.wrapping_div(divisor);
    let rest = value.wrapping_rem(divisor).wrapping_abs();
    if rest.wrapping_add(rest) < divisor.wrapping_abs() {
        return quotient;
    }
    if value.is_negative() != divisor.is_negative() {
        quotient.wrapping_sub(i256::ONE)
    } else {
        quotient.wrapping_add(i256::ONE)
    }
}

/// A value below 10^76 of scale `from` as one of scale `to`; `None` when it has more than `precision` digits then.
fn rescale_wide(value: i256, from: i32, to: i32, precision: u8) -> Option<i128> {
    let scaled = if to >= from {
        let factor = (to - from) as u32;
        if factor > 76 {
            return (value == i256::ZERO).then_some(0);
        }
        value.checked_mul(wide_pow10(factor))?
    } else {
        divide_half_up(value, wide_pow10((from - to).min(76) as u32))
    };
    let scaled = scaled.to_i128()?;
    (digits(scaled) <= u32::from(precision)).then_some(scaled)
}

/// A value of scale `from` as one of scale `to`; `None` when it has more than `precision` digits then.
pub(crate) fn rescale(value: i128, from: i8, to: i8, precision: u8) -> Option<i128> {
    let scaled = match i32::from(to) - i32::from(from) {
        0 => value,
        up @ 1..=38 => value.checked_mul(pow10(up as u32))?,
        down @ -38..0 => {
            let divisor = pow10(-down as u32);
            let (quotient, rest) = (value / divisor, (value % divisor).unsigned_abs());
            // Twice the rest stays below 2 * 10^38.
            if rest * 2 < divisor.unsigned_abs() {
                quotient
            } else {
                quotient + value.signum()
            }
        }
        _ => {
            return rescale_wide(i256::from_i128(value), from.into(), to.into(), precision);
        }
    };
    (scaled.unsigned_abs() < pow10(u32::from(precision).min(38)).unsigned_abs()).then_some(scaled)
}

/// Order of two values of any scale.
pub(crate) fn compare(a: i128, scale_a: i8, b: i128, scale_b: i8) -> Ordering {
    let shift = i32::from(scale_b) - i32::from(scale_a);
    let factor = |by: i32| pow10(by.unsigned_abs().min(38));
    // Where one side does not fit 128 bits it is the greater one in magnitude.
    if shift >= 0 {
        match a.checked_mul(factor(shift)) {
            Some(a) => a.cmp(&b),
            None => a.cmp(&0),
        }
    } else {
        match b.checked_mul(factor(shift)) {
            Some(b) => a.cmp(&b),
            None => 0.cmp(&b),
        }
    }
}

/// Precision and scale of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    pub precision: u8,
    pub scale: i8,
}

fn align(a: i128, scale_a: i8, b: i128, scale_b: i8) -> (i256, i256, i32) {
    let scale = scale_a.max(scale_b);
    let up = |value: i128, from: i8| {
        i256::from_i128(value).wrapping_mul(wide_pow10((scale - from) as u32))
    };
    (up(a, scale_a), up(b, scale_b), scale.into())
}

pub(crate) fn add(a: i128, scale_a: i8, b: i128, scale_b: i8, to: Form) -> Option<i128> {
    if scale_a == scale_b
        && let Some(sum) = a.checked_add(b)
    {
        return rescale(sum, scale_a, to.scale, to.precision);
    }
    let (a, b, scale) = align(a, scale_a, b, scale_b);
    rescale_wide(a.wrapping_add(b), scale, to.scale.into(), to.precision)
}

pub(crate) fn subtract(a: i128, scale_a: i8, b: i128, scale_b: i8, to: Form) -> Option<i128> {
    add(a, scale_a, -b, scale_b, to)
}

pub(crate) fn multiply(a: i128, scale_a: i8, b: i128, scale_b: i8, to: Form) -> Option<i128> {
    let scale = i32::from(scale_a) + i32::from(scale_b);
    if let Some(product) = a.checked_mul(b)
        && let Ok(scale) = i8::try_from(scale)
    {
        return rescale(product, scale, to.scale, to.precision);
    }
    let product = i256::from_i128(a).wrapping_mul(i256::from_i128(b));
    rescale_wide(product, scale, to.scale.into(), to.precision)
}

/// The quotient of 38 digits, then of the result's scale: rounded twice, as Flink does. `b` is not 0.
pub(crate) fn divide(a: i128, scale_a: i8, b: i128, scale_b: i8, to: Form) -> Option<i128> {
    if a == 0 {
        return Some(0);
    }
    // The digits of the integer quotient are those of `a` less those of `b`, or one more.
    let mut shift = QUOTIENT_DIGITS + digits(b) - digits(a) - 1;
    let (dividend, divisor) = (i256::from_i128(a), i256::from_i128(b));
    let shifted = |shift| dividend.wrapping_mul(wide_pow10(shift));
    let least = i256::from_i128(pow10(QUOTIENT_DIGITS - 1));
    if shifted(shift).wrapping_div(divisor).wrapping_abs() < least {
        shift += 1;
    }
    let quotient = divide_half_up(shifted(shift), divisor);
    let scale = i32::from(scale_a) - i32::from(scale_b) + shift as i32;
    rescale_wide(quotient, scale, to.scale.into(), to.precision)
}

/// The rest of the division; `Err` when its integer quotient has more than 38 digits. `b` is not 0.
pub(crate) fn remainder(
    a: i128,
    scale_a: i8,
    b: i128,
    scale_b: i8,
    to: Form,
) -> Result<Option<i128>, &'static str> {
    let (a, b, scale) = align(a, scale_a, b, scale_b);
    let quotient = a.wrapping_div(b);
    let limit = i256::from_i128(pow10(QUOTIENT_DIGITS));
    if quotient.wrapping_abs() >= limit {
        // Flink's quotient is cut to 38 digits, and what is left over must be below the divisor all the same.
        let mut kept = quotient.wrapping_abs();
        let mut cut = i256::ONE;
        while kept >= limit {
            kept = kept.wrapping_div(i256::from_i128(10));
            cut = cut.wrapping_mul(i256::from_i128(10));
        }
        if kept.wrapping_mul(cut) != quotient.wrapping_abs() {
            return Err("Division impossible");
        }
    }
    let rest = a.wrapping_rem(b);
    Ok(rescale_wide(rest, scale, to.scale.into(), to.precision))
}

/// The nearest double; for at most 18 digits as Flink computes it, by a division of doubles.
pub(crate) fn to_f64(value: i128, precision: u8, scale: i8) -> f64 {
    if precision <= 18 && (0..=18).contains(&scale) {
        return value as f64 / pow10(scale as u32) as f64;
    }
    // Rust's parser rounds correctly, as BigDecimal.doubleValue does.
    format!("{value}e{}", -i32::from(scale))
        .parse()
        .unwrap_or(f64::NAN)
}

/// Cut to an integer, then to 64 bits.
pub(crate) fn to_i64(value: i128, scale: i8) -> i64 {
    (value / pow10(scale.unsigned_abs().min(38).into())) as i64
}

/// Digits and exponent (`digits * 10^exponent`) as a DECIMAL; `None` when it does not fit.
pub(crate) fn from_digits(digits: i128, exponent: i32, to: Form) -> Option<i128> {
    if digits == 0 {
        return Some(0);
    }
    rescale_wide(
        i256::from_i128(digits),
        -exponent,
        to.scale.into(),
        to.precision,
    )
}

/// As BigDecimal.toPlainString.
pub(crate) fn plain(value: i128, scale: i8, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    let digits = value.unsigned_abs().to_string();
    let scale = usize::from(scale.max(0) as u8);
    let whole = digits.len().saturating_sub(scale);
    if whole == 0 {
        out.push(b'0');
    }
    out.extend_from_slice(&digits.as_bytes()[..whole]);
    if scale > 0 {
        out.push(b'.');
        out.resize(out.len() + scale.saturating_sub(digits.len()), b'0');
        out.extend_from_slice(&digits.as_bytes()[whole..]);
    }
}

/// The greatest integer that is not greater (`up`: the least that is not less), of scale 0.
pub(crate) fn integral(value: i128, scale: i8, up: bool) -> i128 {
    let divisor = pow10(scale.max(0) as u32);
    let floor = value.div_euclid(divisor);
    if up && value.rem_euclid(divisor) != 0 {
        floor + 1
    } else {
        floor
    }
}

/// Decimal digits (at most 76, without sign) and an exponent as a DECIMAL; `None` when it does not fit.
pub(crate) fn from_text_digits(digits: &str, exponent: i32, to: Form) -> Option<i128> {
    let ten = i256::from_i128(10);
    let value = digits.bytes().fold(i256::ZERO, |value, digit| {
        let digit = i256::from_i128(i128::from(digit - b'0'));
        value.wrapping_mul(ten).wrapping_add(digit)
    });
    // Further away no digit is left, or too many are.
    let scale = -exponent.clamp(-1_000, 1_000);
    rescale_wide(value, scale, to.scale.into(), to.precision)
}
