//! LIKE.

use crate::regexp::LINE_ENDS;
use crate::text;
use memchr::memmem;
use sf_core::Result;
use sf_plan::unsupported;

/// A pattern, in the form that Flink's code takes for it: some work on bytes, others on the decoded string.
#[derive(Debug)]
pub(crate) enum Like {
    Equal(Vec<u8>),
    Prefix(Vec<u8>),
    Suffix(Vec<u8>),
    Contains(Vec<u8>),
    Chain(Chain),
    /// Patterns with `_` and with an escaped `%`.
    Regex(Box<regex::Regex>),
}

/// Pieces between `%`.
#[derive(Debug)]
pub(crate) struct Chain {
    begin: Option<Vec<u8>>,
    middle: Vec<Vec<u8>>,
    end: Option<Vec<u8>>,
    least: usize,
    /// Of a pattern without pieces: whether it matches the empty text only.
    only_empty: bool,
}

impl Like {
    /// A pattern and its escape character. Such that Flink fails for are refused.
    pub fn new(pattern: &str, escape: Option<&str>) -> Result<Self> {
        let escape = escape.filter(|escape| !escape.is_empty());
        let refuse = || unsupported(format!("function LIKE with the pattern {pattern}"));
        let escape = match escape.map(|escape| escape.encode_utf16().count()) {
            None => None,
            Some(1) => escape.and_then(|escape| escape.chars().next()),
            Some(_) => return Err(refuse()),
        };
        if escape == Some('\0') {
            return Err(refuse());
        }
        // The pattern with escapes taken away, as long as none of them stands before '%'.
        let mut plain = Some(String::new());
        let mut regex = String::from("^(?:");
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            if Some(character) == escape {
                let next = characters.next().ok_or_else(refuse)?;
                if next != '%' && next != '_' && Some(next) != escape {
                    return Err(refuse());
                }
                if next == '%' {
                    plain = None;
                }
                if let Some(plain) = &mut plain {
                    plain.push(next);
                }
                regex.push_str(&regex::escape(next.encode_utf8(&mut [0; 4])));
            } else {
                match character {
                    '_' => {
                        plain = None;
                        regex.push_str(&format!("[^{LINE_ENDS}]"));
                    }
                    '%' => regex.push_str("(?s:.*)"),
                    other => regex.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
                }
                if let Some(plain) = &mut plain {
                    plain.push(character);
                }
            }
        }
        if let Some(plain) = plain {
            return Ok(Self::quick(&plain));
        }
        regex.push_str(r")\z");
        let regex = regex::Regex::new(&regex).map_err(|_| refuse())?;
        Ok(Self::Regex(Box::new(regex)))
    }

    fn quick(pattern: &str) -> Self {
        let bytes = |text: &str| text.as_bytes().to_vec();
        let free = |text: &str| !text.is_empty() && !text.contains('%');
        if free(pattern) {
            return Self::Equal(bytes(pattern));
        }
        if let Some(text) = pattern.strip_suffix('%').filter(|text| free(text)) {
            return Self::Prefix(bytes(text));
        }
        if let Some(text) = pattern.strip_prefix('%') {
            if free(text) {
                return Self::Suffix(bytes(text));
            }
            if let Some(text) = text.strip_suffix('%').filter(|text| free(text)) {
                return Self::Contains(bytes(text));
            }
        }
        let (left, right) = (!pattern.starts_with('%'), !pattern.ends_with('%'));
        let pieces = pattern.split('%').filter(|piece| !piece.is_empty());
        let pieces: Vec<&str> = pieces.collect();
        let mut chain = Chain {
            begin: None,
            middle: Vec::new(),
            end: None,
            least: pieces.iter().map(|piece| piece.len()).sum(),
            only_empty: pieces.is_empty() && (left || right),
        };
        for (index, piece) in pieces.iter().enumerate() {
            if left && index == 0 {
                chain.begin = Some(bytes(piece));
            } else if right && index == pieces.len() - 1 {
                chain.end = Some(bytes(piece));
            } else {
                chain.middle.push(bytes(piece));
            }
        }
        Self::Chain(chain)
    }

    pub fn matches(&self, value: &[u8]) -> bool {
        match self {
            Self::Equal(text) => value == text,
            Self::Prefix(text) => value.starts_with(text),
            Self::Suffix(text) => value.ends_with(text),
            Self::Contains(text) => memmem::find(value, text).is_some(),
            Self::Chain(chain) => chain.matches(value),
            Self::Regex(regex) => regex.is_match(&text::java(value)),
        }
    }
}

impl Chain {
    fn matches(&self, value: &[u8]) -> bool {
        if value.len() < self.least || (self.only_empty && !value.is_empty()) {
            return false;
        }
        let mut rest = value;
        if let Some(begin) = &self.begin {
            match rest.strip_prefix(begin.as_slice()) {
                Some(after) => rest = after,
                None => return false,
            }
        }
        if let Some(end) = &self.end {
            match rest.strip_suffix(end.as_slice()) {
                Some(before) => rest = before,
                None => return false,
            }
        }
        for piece in &self.middle {
            match memmem::find(rest, piece) {
                Some(at) => rest = &rest[at + piece.len()..],
                None => return false,
            }
        }
        true
    }
}
