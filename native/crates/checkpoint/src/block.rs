//! Blocks: some rows of one key group, compressed together, with a checksum.

use sf_core::{Error, Result};

/// How the rows of a block are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Stored as they are.
    None,
    /// LZ4 block format.
    Lz4,
    /// Zstandard, level 1.
    Zstd,
}

impl Compression {
    /// The number in files and in the C ABI.
    pub fn code(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Lz4 => 1,
            Self::Zstd => 2,
        }
    }

    /// The inverse of [`Compression::code`].
    pub fn from_code(code: u8) -> Option<Self> {
        [Self::None, Self::Lz4, Self::Zstd]
            .into_iter()
            .find(|known| known.code() == code)
    }
}

pub(crate) const BLOCK_MAGIC: u32 = 0x4b42_4653; // "SFBK" in the file
pub(crate) const BLOCK_HEADER: usize = 32;
/// A block is closed when its rows reach this many bytes.
pub(crate) const BLOCK_TARGET: usize = 128 * 1024;

/// Header of a block: magic, key group, number within the section, rows, raw length, stored length,
/// compression (0 when compressing did not help), CRC32C over the header before it and the stored bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockHeader {
    pub(crate) key_group: u32,
    pub(crate) number: u32,
    pub(crate) rows: u32,
    pub(crate) raw_len: u32,
    pub(crate) stored_len: u32,
    pub(crate) compression: u32,
    pub(crate) crc: u32,
}

impl BlockHeader {
    pub(crate) fn write(&self, stored: &[u8], out: &mut Vec<u8>) {
        let from = out.len();
        for word in [
            BLOCK_MAGIC,
            self.key_group,
            self.number,
            self.rows,
            self.raw_len,
            self.stored_len,
            self.compression,
        ] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        let crc = crc32c::crc32c_append(crc32c::crc32c(&out[from..]), stored);
        out.extend_from_slice(&crc.to_le_bytes());
        out.extend_from_slice(stored);
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<Self> {
        let word = |at: usize| le_u32(bytes, at * 4);
        if word(0) != BLOCK_MAGIC {
            return Err(Error::corrupt("block magic is wrong"));
        }
        let header = Self {
            key_group: word(1),
            number: word(2),
            rows: word(3),
            raw_len: word(4),
            stored_len: word(5),
            compression: word(6),
            crc: word(7),
        };
        if header.stored_len > header.raw_len {
            return Err(Error::corrupt("block lengths are impossible"));
        }
        Ok(header)
    }

    /// Checks the checksum over `header_bytes` (the first 28) and `stored`.
    pub(crate) fn check(&self, header_bytes: &[u8], stored: &[u8]) -> Result<()> {
        let crc = crc32c::crc32c_append(crc32c::crc32c(&header_bytes[..BLOCK_HEADER - 4]), stored);
        if crc == self.crc {
            return Ok(());
        }
        Err(Error::corrupt(format!(
            "block checksum is {crc:08x}, the file says {:08x}",
            self.crc
        )))
    }
}

/// Compresses rows; falls back to storing them when that is no larger.
pub(crate) fn compress(raw: &[u8], compression: Compression, out: &mut Vec<u8>) -> Compression {
    out.clear();
    let worked = match compression {
        Compression::None => false,
        Compression::Lz4 => {
            out.resize(lz4_flex::block::get_maximum_output_size(raw.len()), 0);
            match lz4_flex::block::compress_into(raw, out) {
                Ok(len) => {
                    out.truncate(len);
                    true
                }
                Err(_) => false,
            }
        }
        Compression::Zstd => match zstd::bulk::compress(raw, 1) {
            Ok(bytes) => {
                *out = bytes;
                true
            }
            Err(_) => false,
        },
    };
    if worked && out.len() < raw.len() {
        return compression;
    }
    out.clear();
    out.extend_from_slice(raw);
    Compression::None
}

/// The inverse of [`compress`].
pub(crate) fn decompress(
    stored: &[u8],
    code: u32,
    raw_len: usize,
    out: &mut Vec<u8>,
) -> Result<()> {
    out.clear();
    let compression = u8::try_from(code).ok().and_then(Compression::from_code);
    let len = match compression {
        Some(Compression::None) => {
            out.extend_from_slice(stored);
            Ok(stored.len())
        }
        Some(Compression::Lz4) => {
            out.resize(raw_len, 0);
            lz4_flex::block::decompress_into(stored, out).map_err(|e| e.to_string())
        }
        Some(Compression::Zstd) => {
            out.resize(raw_len, 0);
            zstd::bulk::decompress_to_buffer(stored, out.as_mut_slice()).map_err(|e| e.to_string())
        }
        None => Err(format!("compression {code} is unknown")),
    };
    match len {
        Ok(len) if len == raw_len => Ok(()),
        Ok(len) => Err(Error::corrupt(format!(
            "block holds {len} bytes, the file says {raw_len}"
        ))),
        Err(cause) => Err(Error::corrupt(format!(
            "block cannot be decompressed: {cause}"
        ))),
    }
}

/// Little-endian word; zero past the end.
pub(crate) fn le_u32(bytes: &[u8], at: usize) -> u32 {
    bytes
        .get(at..at + 4)
        .and_then(|word| word.try_into().ok())
        .map_or(0, u32::from_le_bytes)
}

/// Little-endian double word; zero past the end.
pub(crate) fn le_u64(bytes: &[u8], at: usize) -> u64 {
    bytes
        .get(at..at + 8)
        .and_then(|word| word.try_into().ok())
        .map_or(0, u64::from_le_bytes)
}
