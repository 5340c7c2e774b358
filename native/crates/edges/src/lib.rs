//! Where batches begin and end: what a plan's `Reader` and `Writer` mean, put together from formats.

mod reader;
mod watermark;
mod writer;

pub use reader::EdgeReader;
pub use watermark::greatest;
pub use writer::{EdgeWriter, WrittenRecords};

use sf_core::Error;

/// An error that says which part of the query it is of.
fn described(description: &str, error: &Error) -> Error {
    let text = format!("{description}: {}", error.message());
    Error::new(error.kind(), text)
}

#[cfg(test)]
mod watermark_test;
#[cfg(test)]
mod writer_test;
