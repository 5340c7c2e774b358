use super::fail::{Parsed, bad};
use std::borrow::Cow;

/// The text of a record in UTF-8, whatever Jackson takes its encoding for: it looks at byte order marks and at zeros among the first
/// four bytes.
pub(super) fn to_utf8(bytes: &[u8]) -> Parsed<Cow<'_, [u8]>> {
    match *bytes {
        [0, 0, 0xfe, 0xff, ..] => utf32(&bytes[4..], u32::from_be_bytes),
        [0xff, 0xfe, 0, 0, ..] => utf32(&bytes[4..], u32::from_le_bytes),
        [0, 0, 0xff, 0xfe, ..] | [0xfe, 0xff, 0, 0, ..] => {
            bad("Unsupported UCS-4 endianness detected")
        }
        [0xfe, 0xff, _, _, ..] => Ok(utf16(&bytes[2..], u16::from_be_bytes)),
        [0xff, 0xfe, _, _, ..] => Ok(utf16(&bytes[2..], u16::from_le_bytes)),
        [0xef, 0xbb, 0xbf, _, ..] => Ok(Cow::Borrowed(&bytes[3..])),
        [0, 0, 0, _, ..] => utf32(bytes, u32::from_be_bytes),
        [_, 0, 0, 0, ..] => utf32(bytes, u32::from_le_bytes),
        [0, _, 0, 0, ..] | [0, 0, _, 0, ..] => bad("Unsupported UCS-4 endianness detected"),
        [0, _, ..] => Ok(utf16(bytes, u16::from_be_bytes)),
        [_, 0, ..] => Ok(utf16(bytes, u16::from_le_bytes)),
        _ => Ok(Cow::Borrowed(bytes)),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'_, [u8]> {
    let (units, rest) = bytes.as_chunks::<2>();
    let chars = char::decode_utf16(units.iter().map(|b| unit(*b)));
    let mut text: String = chars
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    Cow::Owned(text.into_bytes())
}

fn utf32(bytes: &[u8], char: fn([u8; 4]) -> u32) -> Parsed<Cow<'_, [u8]>> {
    // What is left over at the end is not read.
    let (chars, _) = bytes.as_chunks::<4>();
    let text: Option<String> = chars.iter().map(|b| char::from_u32(char(*b))).collect();
    match text {
        Some(text) => Ok(Cow::Owned(text.into_bytes())),
        None => bad("Invalid UTF-32 character"),
    }
}
