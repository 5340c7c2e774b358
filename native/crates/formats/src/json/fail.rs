use sf_core::Error;
use std::borrow::Cow;

/// Why a record, or a part of it, could not be read.
#[derive(Debug)]
pub(super) enum Fail {
    /// The record is not what was expected: `ignore-parse-errors` ignores it.
    Data(Cow<'static, str>),
    /// Nothing that could be ignored: a limit of this library.
    Fatal(Error),
}

/// What was read, or why not.
pub(super) type Parsed<T> = Result<T, Fail>;

/// A failure of the data.
pub(super) fn bad<T>(why: impl Into<Cow<'static, str>>) -> Parsed<T> {
    Err(Fail::Data(why.into()))
}

impl Fail {
    /// The text ends too early.
    pub(super) fn end() -> Self {
        Self::Data("Unexpected end-of-input".into())
    }
}
