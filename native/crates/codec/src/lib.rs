//! Encodings. Those that Flink also has (key groups, timers, joined lists) are equal to its bytes;
//! the tests pin them with values that Flink 2.2.1 printed.

pub mod key_group;
pub mod list;
pub mod order;
pub mod varint;

#[cfg(test)]
mod codec_test;
