//! What Java's library does with text, numbers, dates and hash maps, as far as Flink's formats show it.

pub(crate) mod decimal;
pub(crate) mod double;
pub(crate) mod hash_map;
pub(crate) mod integer;
pub(crate) mod text;
pub(crate) mod time;
