//! Flink's strings are bytes. What Java makes of them where a function works on `String`, and how Flink counts
//! characters.

use std::borrow::Cow;

/// Bytes of the character that begins with this byte, by Flink's rule: a byte that cannot begin one counts as one.
pub(crate) fn char_bytes(first: u8) -> usize {
    match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => 1,
    }
}

/// Characters by Flink's rule.
pub(crate) fn char_count(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let mut count = 0;
    let mut at = 0;
    while at < text.len() {
        at += char_bytes(text[at]);
        count += 1;
    }
    count
}

/// Where the character at a position begins; the length of the text when it has fewer.
pub(crate) fn char_offset(text: &[u8], from: usize, characters: usize) -> usize {
    let mut at = from;
    for _ in 0..characters {
        if at >= text.len() {
            break;
        }
        at += char_bytes(text[at]);
    }
    at.min(text.len())
}

/// Characters `begin` to `end`, without the last.
pub(crate) fn substring(text: &[u8], begin: usize, end: usize) -> &[u8] {
    if end <= begin || begin >= text.len() {
        return &[];
    }
    let start = char_offset(text, 0, begin);
    let stop = char_offset(text, start, end - begin);
    &text[start..stop]
}

/// The string that Java decodes: what is not UTF-8 becomes U+FFFD, in the portions of the JDK's decoder.
pub(crate) fn java(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(decode(bytes)),
    }
}

const REPLACEMENT: char = '\u{fffd}';

fn continues(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 8);
    let mut rest = bytes;
    while let Some(first) = rest.first() {
        let (character, taken) = match first {
            0..0x80 => (char::from(*first), 1),
            0xc2..=0xdf => match rest.get(1) {
                Some(second) if continues(*second) => (scalar(&rest[..2]), 2),
                _ => (REPLACEMENT, 1),
            },
            0xe0..=0xef => three(rest),
            0xf0..=0xf7 => four(rest),
            _ => (REPLACEMENT, 1),
        };
        text.push(character);
        rest = &rest[taken.min(rest.len())..];
    }
    text
}

/// The character that well-formed bytes stand for; a surrogate is replaced as one.
fn scalar(bytes: &[u8]) -> char {
    let first = u32::from(bytes[0]) & (0x7f >> bytes.len());
    let code = bytes[1..].iter();
    let code = code.fold(first, |code, byte| (code << 6) | u32::from(byte & 0x3f));
    char::from_u32(code).unwrap_or(REPLACEMENT)
}

fn three(rest: &[u8]) -> (char, usize) {
    let bad_second = |second: u8| !continues(second) || (rest[0] == 0xe0 && second & 0xe0 == 0x80);
    match rest {
        [_, second, third, ..] if !bad_second(*second) && continues(*third) => {
            (scalar(&rest[..3]), 3)
        }
        [_, second, ..] if bad_second(*second) => (REPLACEMENT, 1),
        // The third byte is bad or the end is reached.
        [_, _, ..] => (REPLACEMENT, 2),
        _ => (REPLACEMENT, 1),
    }
}

fn four(rest: &[u8]) -> (char, usize) {
    let first = rest[0];
    let bad_second = |second: u8| {
        first > 0xf4
            || !continues(second)
            || (first == 0xf0 && second < 0x90)
            || (first == 0xf4 && second & 0xf0 != 0x80)
    };
    match rest {
        [_, second, ..] if bad_second(*second) => (REPLACEMENT, 1),
        [_, _, third, fourth, ..] if continues(*third) && continues(*fourth) => {
            (scalar(&rest[..4]), 4)
        }
        [_, _, third, ..] if continues(*third) => (REPLACEMENT, 3),
        [_, _, ..] => (REPLACEMENT, 2),
        _ => (REPLACEMENT, 1),
    }
}

/// Whether Flink's fast path for upper and lower case takes the bytes as they are: no byte begins a longer character.
fn single_bytes(text: &[u8]) -> bool {
    text.iter().all(|byte| char_bytes(*byte) == 1)
}

/// Flink's LOWER.
pub(crate) fn lower(text: &[u8], out: &mut Vec<u8>) {
    if single_bytes(text) {
        out.extend(text.iter().map(u8::to_ascii_lowercase));
    } else {
        out.extend_from_slice(java(text).to_lowercase().as_bytes());
    }
}

/// Flink's UPPER.
pub(crate) fn upper(text: &[u8], out: &mut Vec<u8>) {
    if single_bytes(text) {
        out.extend(text.iter().map(u8::to_ascii_uppercase));
    } else {
        out.extend_from_slice(java(text).to_uppercase().as_bytes());
    }
}
