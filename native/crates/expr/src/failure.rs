//! Why an evaluation stopped, and at which row.

use sf_core::{Error, ErrorKind};

/// Result of evaluating.
pub(crate) type Outcome<T> = std::result::Result<T, Failure>;

/// An error, the row of the frame that it is about, and the expression.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub error: Error,
    pub row: Option<usize>,
    pub expression: Option<String>,
}

impl Failure {
    /// Data that the expression cannot be computed for.
    pub fn at(row: usize, message: impl Into<String>) -> Self {
        Self {
            error: Error::user(message),
            row: Some(row),
            expression: None,
        }
    }

    /// Data for which stock Flink has an answer and this library has none: the task fails rather than guess.
    pub fn unsupported(row: usize, message: impl Into<String>) -> Self {
        Self {
            error: Error::new(ErrorKind::Unsupported, message),
            row: Some(row),
            expression: None,
        }
    }

    /// The error for the caller; `position` says where in the batch a row of the frame is.
    pub fn into_error(self, position: impl Fn(usize) -> usize) -> Error {
        let mut text = self.error.message().to_owned();
        if let Some(expression) = self.expression {
            text.push_str(" in ");
            text.push_str(&expression);
        }
        if let Some(row) = self.row {
            text.push_str(&format!(", row {} of the batch", position(row)));
        }
        Error::new(self.error.kind(), text)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            error,
            row: None,
            expression: None,
        }
    }
}
