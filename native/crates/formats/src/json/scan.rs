//! Looking for bytes eight at a time.

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;
const QUOTES: u64 = LOW * b'"' as u64;
const BACKSLASHES: u64 = LOW * b'\\' as u64;

/// The high bit of the lowest zero byte of a word, and perhaps of bytes above it.
#[inline]
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(LOW) & !word & HIGH
}

/// Where a string's text stops.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stop {
    /// Index of the first quote or backslash; the length if there is none.
    pub(super) at: usize,
    /// All bytes before it are ASCII.
    pub(super) ascii: bool,
}

/// Finds the first quote or backslash.
#[inline]
pub(super) fn string_stop(bytes: &[u8]) -> Stop {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut high = 0;
    for (i, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let stop = zeros(word ^ QUOTES) | zeros(word ^ BACKSLASHES);
        if stop != 0 {
            let before = (stop & stop.wrapping_neg()) - 1;
            return Stop {
                at: i * 8 + stop.trailing_zeros() as usize / 8,
                ascii: (high | (word & before)) & HIGH == 0,
            };
        }
        high |= word;
    }
    let mut high = high & HIGH != 0;
    let at = words.len() * 8;
    for (i, byte) in rest.iter().enumerate() {
        if matches!(byte, b'"' | b'\\') {
            return Stop {
                at: at + i,
                ascii: !high,
            };
        }
        high |= *byte >= 0x80;
    }
    Stop {
        at: bytes.len(),
        ascii: !high,
    }
}

/// Length of the text before the first byte that Jackson escapes or, unless it is known to be UTF-8, that is not ASCII. Of UTF-8, it escapes
/// the characters of four bytes.
#[inline]
pub(super) fn plain_length(bytes: &[u8], utf8: bool) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // Bytes below 0x20 borrow here; so may their upper neighbours, but the lowest is right.
        let control = word.wrapping_sub(LOW * 0x20) & !word;
        let stop = zeros(word ^ QUOTES) | zeros(word ^ BACKSLASHES);
        let high = if utf8 {
            word & (word << 1) & (word << 2) & (word << 3)
        } else {
            word
        };
        let stop = (stop | control | high) & HIGH;
        if stop != 0 {
            return i * 8 + stop.trailing_zeros() as usize / 8;
        }
    }
    let end = if utf8 { 0xf0 } else { 0x80 };
    let plain = |b: &u8| (0x20..end).contains(b) && *b != b'"' && *b != b'\\';
    words.len() * 8 + rest.iter().take_while(|b| plain(b)).count()
}

/// A short text that is looked for again and again.
#[derive(Debug)]
pub(super) struct Pattern {
    bytes: Box<[u8]>,
    /// The text in words, and which bits of each count.
    words: Box<[(u64, u64)]>,
}

impl Pattern {
    pub(super) fn new(text: &[u8]) -> Self {
        let words = text.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let mask = u64::MAX >> (64 - chunk.len() * 8);
            (u64::from_le_bytes(word), mask)
        });
        Self {
            bytes: text.into(),
            words: words.collect(),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether the text stands at the begin of `rest`.
    #[inline]
    pub(super) fn begins(&self, rest: &[u8]) -> bool {
        let (chunks, _) = rest.as_chunks::<8>();
        if chunks.len() < self.words.len() {
            return rest.starts_with(&self.bytes);
        }
        let mut differs = 0;
        for ((word, mask), chunk) in self.words.iter().zip(chunks) {
            differs |= (u64::from_le_bytes(*chunk) ^ word) & mask;
        }
        differs == 0
    }
}
