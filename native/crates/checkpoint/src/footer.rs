//! The two ends of a segment file: a header that names it and a footer that says where each key group is.

use crate::block::{le_u32, le_u64};
use crate::chain::SectionKind;
use sf_core::{Error, Result};

const HEADER_MAGIC: &[u8; 8] = b"SFSEGMNT";
const FOOTER_MAGIC: &[u8; 8] = b"SFSEGEND";
/// Version of the format that this code writes, and the only one that it reads.
const VERSION: u32 = 1;
pub(crate) const HEADER: usize = 24;
const ENTRY: usize = 32;
pub(crate) const TRAILER: usize = 40;

/// Where one key group's rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// Absolute key group.
    pub key_group: u32,
    /// Whether older segments matter for it.
    pub kind: SectionKind,
    /// First byte in the file.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
    /// Rows, tombstones included.
    pub rows: u64,
}

/// Header of a file: magic, version, segment number, CRC32C of these.
pub(crate) fn write_header(number: u64, out: &mut Vec<u8>) {
    let from = out.len();
    out.extend_from_slice(HEADER_MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&number.to_le_bytes());
    let crc = crc32c::crc32c(&out[from..]);
    out.extend_from_slice(&crc.to_le_bytes());
}

/// Footer: an entry per section, then the trailer.
pub(crate) fn write_footer(
    number: u64,
    footer_offset: u64,
    sections: &[Section],
    out: &mut Vec<u8>,
) {
    let from = out.len();
    for section in sections {
        out.extend_from_slice(&section.key_group.to_le_bytes());
        out.extend_from_slice(&u32::from(section.kind.code()).to_le_bytes());
        out.extend_from_slice(&section.offset.to_le_bytes());
        out.extend_from_slice(&section.length.to_le_bytes());
        out.extend_from_slice(&section.rows.to_le_bytes());
    }
    out.extend_from_slice(&footer_offset.to_le_bytes());
    out.extend_from_slice(&number.to_le_bytes());
    out.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(FOOTER_MAGIC);
    out.extend_from_slice(&[0; 4]);
    let crc = crc32c::crc32c(&out[from..]);
    out.extend_from_slice(&crc.to_le_bytes());
}

/// What the footer of a segment file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentIndex {
    /// Number of the segment.
    pub number: u64,
    /// Version of the format.
    pub version: u32,
    /// Key groups, ascending.
    pub sections: Vec<Section>,
}

impl SegmentIndex {
    /// Bytes at the end of a file that are enough to learn how many are needed.
    pub const TRAILER_LEN: usize = TRAILER;

    /// Reads the footer from the last bytes of a file of `file_len` bytes. `Ok(Err(n))`: the last `n` bytes
    /// are needed. Everything is checked: magic, version, checksum, and that the sections lie in the file,
    /// ascending and one right after the other.
    pub fn parse(tail: &[u8], file_len: u64) -> Result<std::result::Result<Self, usize>> {
        let fault = |what: &str| {
            Error::corrupt(format!(
                "footer at offset {}: {what}",
                file_len - TRAILER as u64
            ))
        };
        if file_len < (HEADER + TRAILER) as u64 {
            return Err(Error::corrupt(format!(
                "a segment of {file_len} bytes is cut off"
            )));
        }
        if tail.len() < TRAILER {
            return Ok(Err(TRAILER));
        }
        let trailer = &tail[tail.len() - TRAILER..];
        if &trailer[24..32] != FOOTER_MAGIC {
            // The magic sits after offset, number, count and version.
            return Err(fault("magic is wrong; the file is cut off or no segment"));
        }
        let (footer_offset, number) = (le_u64(trailer, 0), le_u64(trailer, 8));
        let (count, version) = (le_u32(trailer, 16) as usize, le_u32(trailer, 20));
        if version != VERSION {
            return Err(fault(&format!(
                "version {version} is not {VERSION}, the only one known"
            )));
        }
        let len = count
            .checked_mul(ENTRY)
            .and_then(|entries| entries.checked_add(TRAILER));
        let len = len.filter(|len| footer_offset.checked_add(*len as u64) == Some(file_len));
        let len = len.ok_or_else(|| fault("length does not fit the file"))?;
        if tail.len() < len {
            return Ok(Err(len));
        }
        let footer = &tail[tail.len() - len..];
        let crc = crc32c::crc32c(&footer[..len - 4]);
        if crc != le_u32(footer, len - 4) {
            return Err(fault(&format!(
                "checksum is {crc:08x}, the file says {:08x}",
                le_u32(footer, len - 4)
            )));
        }
        let mut sections: Vec<Section> = Vec::with_capacity(count);
        let mut next = HEADER as u64;
        for entry in footer[..len - TRAILER].chunks_exact(ENTRY) {
            let kind = SectionKind::from_code(le_u32(entry, 4))
                .ok_or_else(|| fault("section kind is unknown"))?;
            let section = Section {
                key_group: le_u32(entry, 0),
                kind,
                offset: le_u64(entry, 8),
                length: le_u64(entry, 16),
                rows: le_u64(entry, 24),
            };
            let ascending = sections
                .last()
                .is_none_or(|last| last.key_group < section.key_group);
            if section.offset != next || !ascending {
                return Err(fault("sections are not in order"));
            }
            next = section
                .offset
                .checked_add(section.length)
                .ok_or_else(|| fault("section is too long"))?;
            sections.push(section);
        }
        if next != footer_offset {
            return Err(fault("sections do not reach up to it"));
        }
        Ok(Ok(Self {
            number,
            version,
            sections,
        }))
    }
}
