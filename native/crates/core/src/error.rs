use std::fmt;

/// Who has to act on an error. The numbers of the C ABI are assigned in `sf-ffi`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The caller asked for something that cannot be (wrong state kind, unknown id).
    User,
    /// The environment failed (a file, the operating system).
    External,
    /// A fault of this library; the store that met it is poisoned.
    Internal,
    /// The memory budget is used up.
    Memory,
    /// The object was closed, or its store was poisoned by an earlier panic.
    Closed,
    /// Bytes that were read back are not what was written.
    Corrupt,
    /// A plan asks for what has no native form; the text is the reason for users.
    Unsupported,
}

/// An error with the words that the user will read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// `Result` with [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of any kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// Shorthand for [`ErrorKind::User`].
    pub fn user(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::User, message)
    }

    /// Shorthand for [`ErrorKind::Internal`].
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// Shorthand for [`ErrorKind::External`].
    pub fn external(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::External, message)
    }

    /// Shorthand for [`ErrorKind::Memory`].
    pub fn memory(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Memory, message)
    }

    /// Shorthand for [`ErrorKind::Corrupt`].
    pub fn corrupt(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Corrupt, message)
    }

    /// Who has to act.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The text for the user.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
