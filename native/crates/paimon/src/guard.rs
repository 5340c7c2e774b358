//! The guard: checksums of everything that a reader of ours reads. Parquet has none for its footer and page
//! headers, so a data file holds them between its last row group and its footer, where nobody else looks.
//!
//! Little endian: `[u32 CRC32C of the row group]…`, then the trailer `[u32 row groups][u32 CRC32C of the footer
//! from its first byte to the end of the file]["SFPG"][u32 CRC32C of the guard up to here]`.

use sf_core::{Error, Result};

const MAGIC: [u8; 4] = *b"SFPG";
/// Bytes of the guard's trailer.
pub(crate) const GUARD_TRAILER: usize = 16;

/// Appends the guard.
pub(crate) fn write(group_sums: &[u32], footer: &[u8], out: &mut Vec<u8>) {
    let from = out.len();
    for sum in group_sums {
        out.extend_from_slice(&sum.to_le_bytes());
    }
    out.extend_from_slice(&(group_sums.len() as u32).to_le_bytes());
    out.extend_from_slice(&crc32c::crc32c(footer).to_le_bytes());
    out.extend_from_slice(&MAGIC);
    let sum = crc32c::crc32c(&out[from..]);
    out.extend_from_slice(&sum.to_le_bytes());
}

/// Reads the guard that ends where `before_footer` ends and checks it and the footer. `Ok(Err(n))`: its last `n`
/// bytes are needed.
pub(crate) fn read(
    before_footer: &[u8],
    footer: &[u8],
) -> Result<std::result::Result<Vec<u32>, usize>> {
    if before_footer.len() < GUARD_TRAILER {
        return Ok(Err(GUARD_TRAILER));
    }
    let trailer = &before_footer[before_footer.len() - GUARD_TRAILER..];
    if trailer[8..12] != MAGIC {
        return Err(Error::corrupt(
            "its guard is missing: the file is damaged or no StreamFusion wrote it",
        ));
    }
    let sum = crc32c::crc32c(footer);
    if sum != word(trailer, 4) {
        return Err(Error::corrupt(format!(
            "checksum is {sum:08x}, the file says {:08x}",
            word(trailer, 4)
        )));
    }
    let len = (word(trailer, 0) as usize)
        .checked_mul(4)
        .and_then(|sums| sums.checked_add(GUARD_TRAILER))
        .ok_or_else(|| Error::corrupt("its guard is too long"))?;
    if before_footer.len() < len {
        return Ok(Err(len));
    }
    let guard = &before_footer[before_footer.len() - len..];
    let sum = crc32c::crc32c(&guard[..len - 4]);
    if sum != word(guard, len - 4) {
        return Err(Error::corrupt(format!(
            "checksum of its guard is {sum:08x}, the file says {:08x}",
            word(guard, len - 4)
        )));
    }
    let sums = guard[..len - GUARD_TRAILER].chunks_exact(4);
    Ok(Ok(sums.map(|sum| word(sum, 0)).collect()))
}

/// Little-endian word; zero past the end.
pub(crate) fn word(bytes: &[u8], at: usize) -> u32 {
    let word = bytes.get(at..).and_then(<[u8]>::first_chunk);
    word.map_or(0, |word| u32::from_le_bytes(*word))
}

/// Bytes of a guard for so many row groups.
pub(crate) fn len(row_groups: usize) -> usize {
    row_groups * 4 + GUARD_TRAILER
}
