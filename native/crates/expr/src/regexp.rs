//! Regular expressions of Java, as far as they mean the same to the `regex` crate once written in its syntax.

use regex::{CaptureLocations, Regex};

/// What Java's `.` does not match, as the inside of a class.
pub(crate) const LINE_ENDS: &str = r"\n\r\x{85}\x{2028}\x{2029}";

/// A pattern of `java.util.regex`.
#[derive(Debug)]
pub(crate) struct Pattern {
    regex: Regex,
}

impl Pattern {
    /// The pattern; `None` when it has parts that this translation does not know to mean the same.
    pub fn new(pattern: &str) -> Option<Self> {
        let mut translation = Translation {
            rest: pattern,
            out: String::new(),
            depth: 0,
        };
        translation.alternatives()?;
        if !translation.rest.is_empty() {
            return None;
        }
        let regex = Regex::new(&translation.out).ok()?;
        Some(Self { regex })
    }

    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    pub fn locations(&self) -> CaptureLocations {
        self.regex.capture_locations()
    }

    /// A group of the first match.
    pub fn group<'t>(
        &self,
        text: &'t str,
        group: usize,
        locations: &mut CaptureLocations,
    ) -> Option<&'t str> {
        if group == 0 {
            return self.regex.find(text).map(|found| found.as_str());
        }
        self.regex.captures_read(locations, text)?;
        let (start, end) = locations.get(group)?;
        Some(&text[start..end])
    }
}

/// What is known of a translated part.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// Whether it can match the empty text.
    empty: bool,
    /// Whether it has a group that captures.
    captures: bool,
}

struct Translation<'p> {
    rest: &'p str,
    out: String,
    depth: usize,
}

/// Deeper nesting is not taken.
const DEPTH: usize = 50;

impl Translation<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.rest = &self.rest[character.len_utf8()..];
        Some(character)
    }

    fn accept(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Sequences with `|` between them; both engines prefer the left one.
    fn alternatives(&mut self) -> Option<Part> {
        let mut whole = self.sequence()?;
        while self.accept("|") {
            self.out.push('|');
            let part = self.sequence()?;
            whole.empty |= part.empty;
            whole.captures |= part.captures;
        }
        Some(whole)
    }

    fn sequence(&mut self) -> Option<Part> {
        let mut whole = Part {
            empty: true,
            captures: false,
        };
        while let Some(next) = self.peek() {
            if matches!(next, '|' | ')') {
                break;
            }
            let part = self.repeated()?;
            whole.empty &= part.empty;
            whole.captures |= part.captures;
        }
        Some(whole)
    }

    /// An atom and its quantifier. What may match nothing and what captures is not taken inside of a repetition: the
    /// engines need not agree there on where it ends and what the group is.
    fn repeated(&mut self) -> Option<Part> {
        let mut part = self.atom()?;
        let once = match self.peek() {
            Some('?') => true,
            Some('*' | '+' | '{') => false,
            _ => return Some(part),
        };
        if part.empty || (part.captures && !once) {
            return None;
        }
        let quantifier = self.take()?;
        self.out.push(quantifier);
        match quantifier {
            '*' | '?' => part.empty = true,
            '{' => {
                let (counts, rest) = self.rest.split_once('}')?;
                let (least, most) = counts.split_once(',').unwrap_or((counts, counts));
                let number = |text: &str| -> Option<u32> {
                    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
                    digits.then(|| text.parse().ok())?
                };
                let least = number(least)?;
                let most = if most.is_empty() {
                    None
                } else {
                    Some(number(most)?)
                };
                if least > 1000 || most.is_some_and(|most| most > 1000 || most < least) {
                    return None;
                }
                self.out.push_str(counts);
                self.out.push('}');
                part.empty = least == 0;
                self.rest = rest;
            }
            _ => {}
        }
        if self.accept("?") {
            self.out.push('?');
        }
        // Possessive quantifiers and repetitions of repetitions.
        if matches!(self.peek(), Some('+' | '*' | '?' | '{')) {
            return None;
        }
        Some(part)
    }

    fn atom(&mut self) -> Option<Part> {
        let one = Part {
            empty: false,
            captures: false,
        };
        match self.take()? {
            '(' => {
                let captures = if self.accept("?:") {
                    self.out.push_str("(?:");
                    false
                } else if self.peek() == Some('?') {
                    return None;
                } else {
                    self.out.push('(');
                    true
                };
                self.depth += 1;
                if self.depth > DEPTH {
                    return None;
                }
                let part = self.alternatives()?;
                self.depth -= 1;
                if !self.accept(")") {
                    return None;
                }
                self.out.push(')');
                Some(Part {
                    empty: part.empty,
                    captures: captures || part.captures,
                })
            }
            '^' => {
                // The begin of the text in both; a quantifier behind it is refused, as it matches nothing.
                self.out.push('^');
                Some(Part { empty: true, ..one })
            }
            '.' => {
                self.out.push_str(&format!("[^{LINE_ENDS}]"));
                Some(one)
            }
            '[' => {
                self.class()?;
                Some(one)
            }
            '\\' => {
                let escaped = self.escape(false)?;
                self.out.push_str(&escaped);
                Some(one)
            }
            // `$` also matches before a line end at the end of the text in Java.
            '$' | '*' | '+' | '?' | '{' | '}' | ']' => None,
            other => {
                self.literal(other);
                Some(one)
            }
        }
    }

    fn literal(&mut self, character: char) {
        self.out
            .push_str(&regex::escape(character.encode_utf8(&mut [0; 4])));
    }

    /// What follows a backslash: classes of ASCII, and marks that stand for themselves.
    fn escape(&mut self, in_class: bool) -> Option<String> {
        let set = |set: &str, negated: bool| match (in_class, negated) {
            (true, false) => Some(set.to_owned()),
            (true, true) => None,
            (false, false) => Some(format!("[{set}]")),
            (false, true) => Some(format!("[^{set}]")),
        };
        let space = r" \t\n\x0B\f\r";
        match self.take()? {
            'd' => set("0-9", false),
            'D' => set("0-9", true),
            'w' => set("a-zA-Z_0-9", false),
            'W' => set("a-zA-Z_0-9", true),
            's' => set(space, false),
            'S' => set(space, true),
            't' => Some(r"\t".to_owned()),
            'n' => Some(r"\n".to_owned()),
            'r' => Some(r"\r".to_owned()),
            'f' => Some(r"\f".to_owned()),
            mark if mark.is_ascii_punctuation() && !matches!(mark, '<' | '>') => {
                Some(regex::escape(mark.encode_utf8(&mut [0; 4])))
            }
            _ => None,
        }
    }

    /// A class of characters and ranges, without another class inside and without intersections.
    fn class(&mut self) -> Option<()> {
        self.out.push('[');
        if self.accept("^") {
            self.out.push('^');
        }
        let mut first = true;
        loop {
            let character = self.take()?;
            match character {
                ']' if first => return None,
                ']' => break,
                '[' | '&' if character == '[' || self.peek() == Some('&') => return None,
                '\\' => {
                    let escaped = self.escape(true)?;
                    // An escape as the bound of a range is not taken.
                    let range = self.peek() == Some('-') && !self.rest.starts_with("-]");
                    if range {
                        return None;
                    }
                    self.out.push_str(&escaped);
                }
                low => {
                    let range = self.peek() == Some('-') && !self.rest.starts_with("-]");
                    if range {
                        self.take()?;
                        let high = self.take()?;
                        // A range over the surrogates would match halves of characters in Java.
                        let over = low <= '\u{d7ff}' && high > '\u{d7ff}';
                        if matches!(high, '[' | '\\' | '&') || low > high || over {
                            return None;
                        }
                        self.class_literal(low);
                        self.out.push('-');
                        self.class_literal(high);
                    } else {
                        self.class_literal(low);
                    }
                }
            }
            first = false;
        }
        self.out.push(']');
        Some(())
    }

    fn class_literal(&mut self, character: char) {
        // The marks of the regex crate's own class syntax.
        if matches!(character, '-' | '^' | '~' | '&' | '[' | ']' | '\\') {
            self.out.push('\\');
        }
        self.out.push(character);
    }
}
