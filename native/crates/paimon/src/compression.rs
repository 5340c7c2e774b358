//! Compression of data files.

use parquet::basic::{Compression as Codec, ZstdLevel};

/// How the pages of a data file are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Stored as they are.
    None,
    /// Zstandard, level 1.
    Zstd,
    /// Snappy.
    Snappy,
}

impl Compression {
    /// The number in the C ABI. 1 is LZ4, which Parquet has in several incompatible forms: refused.
    pub fn code(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Zstd => 2,
            Self::Snappy => 3,
        }
    }

    /// The inverse of [`Compression::code`].
    pub fn from_code(code: u8) -> Option<Self> {
        [Self::None, Self::Zstd, Self::Snappy]
            .into_iter()
            .find(|known| known.code() == code)
    }

    pub(crate) fn codec(self) -> Codec {
        match self {
            Self::None => Codec::UNCOMPRESSED,
            // The default level is 1.
            Self::Zstd => Codec::ZSTD(ZstdLevel::default()),
            Self::Snappy => Codec::SNAPPY,
        }
    }
}
