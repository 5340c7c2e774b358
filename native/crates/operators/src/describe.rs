use sf_core::Error;

/// The error with the operator that it happened in.
pub(crate) fn describe(description: &str, error: Error) -> Error {
    if description.is_empty() {
        return error;
    }
    Error::new(error.kind(), format!("{error} ({description})"))
}
