/// `Long.parseLong` for a type of these bounds.
pub(crate) fn parse(text: &[u16], min: i64, max: i64) -> Option<i64> {
    let (negative, digits) = match text.first() {
        Some(0x2d) => (true, &text[1..]),
        Some(0x2b) => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0i128;
    for char in digits {
        value = value * 10 + i128::from(digit(*char)?);
        if value > 1 << 64 {
            return None;
        }
    }
    let value = if negative { -value } else { value };
    let value = i64::try_from(value).ok()?;
    (min..=max).contains(&value).then_some(value)
}

/// Zeros of the decimal digits of the Basic Multilingual Plane.
const ZEROS: [u16; 37] = [
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66,
    0xde6, 0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90,
    0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
];

/// `Character.digit(char, 10)`: digits of all scripts.
pub(crate) fn digit(char: u16) -> Option<u8> {
    let at = ZEROS.partition_point(|zero| *zero <= char).checked_sub(1)?;
    let digit = char - ZEROS[at];
    (digit < 10).then_some(digit as u8)
}
