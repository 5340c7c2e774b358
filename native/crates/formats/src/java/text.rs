use std::borrow::Cow;

/// `String.getBytes(UTF_8)`: a half of a surrogate pair becomes a question mark.
pub(crate) fn encode_utf8(text: &[u16]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for char in char::decode_utf16(text.iter().copied()) {
        let char = char.unwrap_or('?');
        bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    }
    bytes
}

/// `String.trim`.
pub(crate) fn trim(text: &[u16]) -> &[u16] {
    let space = |c: &u16| *c <= u16::from(b' ');
    let begin = text.iter().take_while(|c| space(c)).count();
    let text = &text[begin..];
    let end = text.iter().rev().take_while(|c| space(c)).count();
    &text[..text.len() - end]
}

/// The text if it is ASCII.
pub(crate) fn ascii(text: &[u16]) -> Option<String> {
    let ascii = text.iter().all(|c| *c < 0x80);
    ascii.then(|| text.iter().map(|c| *c as u8 as char).collect())
}

/// `new String(bytes, UTF_8)` in UTF-8: what is malformed becomes U+FFFD, in the pieces in which Java replaces it.
pub(crate) fn decode_utf8(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(replace_malformed(bytes)),
    }
}

fn replace_malformed(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let valid = match std::str::from_utf8(rest) {
            Ok(_) => rest.len(),
            Err(e) => e.valid_up_to(),
        };
        text.push_str(&String::from_utf8_lossy(&rest[..valid]));
        rest = &rest[valid..];
        if !rest.is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
            rest = &rest[malformed(rest)..];
        }
    }
    text
}

/// Bytes of the malformed character at the begin.
fn malformed(bytes: &[u8]) -> usize {
    let follows = |i: usize| bytes.get(i).is_some_and(|b| b & 0xc0 == 0x80);
    let second = bytes.get(1).copied().unwrap_or(0);
    match bytes[0] {
        0xe0..=0xef => {
            if !follows(1) || bytes[0] == 0xe0 && second & 0xe0 == 0x80 {
                1
            } else if follows(2) {
                // A half of a surrogate pair.
                3
            } else {
                2
            }
        }
        first @ 0xf0..=0xf4 => {
            let bad_second = match first {
                0xf0 => !(0x90..=0xbf).contains(&second),
                0xf4 => second & 0xf0 != 0x80,
                _ => !follows(1),
            };
            match (bad_second, follows(2)) {
                (true, _) => 1,
                (_, false) => 2,
                _ => 3,
            }
        }
        _ => 1,
    }
}
