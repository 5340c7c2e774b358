//! JSON as flink-json 2.2 reads and writes it, with its default parser.
//!
//! Reading has two ways. [`fast`] takes what is well-formed and of the expected types straight into columns, and gives up on anything
//! else; [`convert`] over [`tokens`] then reads the record anew, doing what Flink and Jackson do in every case.

mod convert;
mod encoding;
mod escape;
mod fail;
mod fast;
mod read;
mod scan;
mod source;
mod tokens;
mod tree;
mod write;

pub(crate) use read::JsonReader;
pub(crate) use write::JsonWriter;

#[cfg(test)]
mod property_test;
#[cfg(test)]
mod read_test;
#[cfg(test)]
mod write_test;
