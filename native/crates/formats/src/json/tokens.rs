mod base64;
mod number;
mod text;

use super::fail::{Fail, Parsed, bad};

/// What a JSON text consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    StartObject,
    EndObject,
    StartArray,
    EndArray,
    FieldName,
    String,
    Int,
    Float,
    True,
    False,
    Null,
}

/// Deepest nesting that Jackson reads.
const MAX_DEPTH: usize = 1000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Root,
    Array,
    Object,
}

/// An open object or array and how many entries it has begun, less one.
#[derive(Debug, Clone, Copy)]
struct Context {
    scope: Scope,
    index: i64,
}

/// A pull parser that gives the tokens and the errors of Jackson 2.18's parser of UTF-8 bytes.
///
/// After an error it stands where Jackson stands: with `ignore-parse-errors` Flink goes on asking for tokens, and what a row gets
/// then depends on it. Text is kept as UTF-16, as Java has it, for the same reason: escapes can make halves of surrogate pairs.
pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    pos: usize,
    current: Option<Token>,
    /// The value behind a field name, which is looked at together with the name.
    behind_name: Option<Token>,
    /// The current string was begun, and its text not looked at.
    string_open: bool,
    contexts: Vec<Context>,
    /// Text of the current string or number.
    text: Vec<u16>,
    /// The newest field name of the current scope and of those around it.
    names: Vec<Vec<u16>>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            pos: 0,
            current: None,
            behind_name: None,
            string_open: false,
            contexts: vec![Context {
                scope: Scope::Root,
                index: -1,
            }],
            text: Vec::new(),
            names: vec![Vec::new()],
        }
    }

    /// The current token; `None` before the first, behind the last, and after some errors.
    pub(super) fn current(&self) -> Option<Token> {
        self.current
    }

    /// Whether there is nothing left outside of everything.
    pub(super) fn is_finished(&self) -> bool {
        self.contexts.len() == 1 && self.pos == self.bytes.len()
    }

    /// Forgets the current token, as reading a whole tree does.
    pub(super) fn clear_current(&mut self) {
        self.current = None;
    }

    /// Goes to the next token and gives it.
    pub(super) fn next(&mut self) -> Parsed<Option<Token>> {
        if self.current == Some(Token::FieldName) {
            return self.after_name();
        }
        if self.string_open {
            self.skip_string()?;
        }
        let Some(byte) = self.skip_space_or_end()? else {
            self.current = None;
            return Ok(None);
        };
        match byte {
            b']' => return self.close(Scope::Array, Token::EndArray),
            b'}' => return self.close(Scope::Object, Token::EndObject),
            _ => {}
        }
        let context = self.context();
        context.index += 1;
        let comma = context.scope != Scope::Root && context.index > 0;
        let scope = context.scope;
        let byte = if comma {
            if byte != b',' {
                return bad("was expecting comma to separate entries");
            }
            self.skip_space()?
        } else {
            byte
        };
        if scope != Scope::Object {
            return self.value_outside_object(byte);
        }
        let name = self.name(byte)?;
        if let Some(last) = self.names.last_mut() {
            *last = name;
        }
        self.current = Some(Token::FieldName);
        let byte = self.skip_colon()?;
        if byte == b'"' {
            self.string_open = true;
            self.behind_name = Some(Token::String);
        } else {
            self.behind_name = Some(match byte {
                b'[' => Token::StartArray,
                b'{' => Token::StartObject,
                _ => self.scalar(byte)?,
            });
        }
        Ok(self.current)
    }

    fn after_name(&mut self) -> Parsed<Option<Token>> {
        let token = self.behind_name.take();
        match token {
            Some(Token::StartArray) => self.open(Scope::Array)?,
            Some(Token::StartObject) => self.open(Scope::Object)?,
            _ => {}
        }
        self.current = token;
        Ok(token)
    }

    fn value_outside_object(&mut self, byte: u8) -> Parsed<Option<Token>> {
        let token = match byte {
            b'"' => {
                self.string_open = true;
                Token::String
            }
            b'[' => {
                self.open(Scope::Array)?;
                Token::StartArray
            }
            b'{' => {
                self.open(Scope::Object)?;
                Token::StartObject
            }
            _ => self.scalar(byte)?,
        };
        self.current = Some(token);
        Ok(self.current)
    }

    fn scalar(&mut self, byte: u8) -> Parsed<Token> {
        match byte {
            b'-' => self.signed_number(),
            b'0'..=b'9' => self.unsigned_number(byte, false),
            b't' => self.literal(b"true").map(|()| Token::True),
            b'f' => self.literal(b"false").map(|()| Token::False),
            b'n' => self.literal(b"null").map(|()| Token::Null),
            _ => self.unexpected_value(byte),
        }
    }

    fn context(&mut self) -> &mut Context {
        let last = self.contexts.len() - 1;
        &mut self.contexts[last]
    }

    fn open(&mut self, scope: Scope) -> Parsed<()> {
        self.contexts.push(Context { scope, index: -1 });
        self.names.push(Vec::new());
        if self.contexts.len() - 1 > MAX_DEPTH {
            return bad("Document nesting depth exceeds the maximum allowed (1000)");
        }
        Ok(())
    }

    fn close(&mut self, scope: Scope, token: Token) -> Parsed<Option<Token>> {
        if self.context().scope != scope {
            return bad("Unexpected close marker");
        }
        self.contexts.pop();
        self.names.pop();
        self.current = Some(token);
        Ok(self.current)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    fn take(&mut self) -> Parsed<u8> {
        let Some(byte) = self.peek() else {
            return Err(Fail::end());
        };
        self.pos += 1;
        Ok(byte)
    }

    fn skip_space_or_end(&mut self) -> Parsed<Option<u8>> {
        loop {
            let Some(byte) = self.peek() else {
                if self.context().scope == Scope::Root {
                    return Ok(None);
                }
                return Err(Fail::end());
            };
            self.pos += 1;
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => {}
                0..b' ' => return bad("only regular white space is allowed between tokens"),
                b'/' => return bad("comments are not allowed"),
                _ => return Ok(Some(byte)),
            }
        }
    }

    fn skip_space(&mut self) -> Parsed<u8> {
        loop {
            match self.take()? {
                b' ' | b'\t' | b'\n' | b'\r' => {}
                0..b' ' => return bad("only regular white space is allowed between tokens"),
                b'/' => return bad("comments are not allowed"),
                byte => return Ok(byte),
            }
        }
    }

    fn skip_colon(&mut self) -> Parsed<u8> {
        if self.skip_space()? != b':' {
            return bad("was expecting a colon to separate field name and value");
        }
        self.skip_space()
    }
}
