//! The deletion vectors of a bucket, as Paimon's `DeletionVectorsIndexFile` (version 1, `BitmapDeletionVector`) has
//! them: `[u8 1]`, then per data file, big endian, `[i32 length of what follows without the checksum]
//! [i32 1581511376][Roaring bitmap, portable format][CRC32 of magic and bitmap]`.

use roaring::RoaringBitmap;
use sf_core::{Error, Result};

const VERSION: u8 = 1;
const MAGIC: [u8; 4] = 1_581_511_376_u32.to_be_bytes();
/// Length before and checksum behind.
const AROUND: usize = 8;

/// Where the vector of a data file is in the index file (`DeletionVectorMeta` of Paimon).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Offset of the length field.
    pub offset: u32,
    /// Bytes of magic and bitmap. The vector takes 8 more, see [`part_len`].
    pub length: u32,
    /// Dead rows.
    pub cardinality: u64,
}

/// Bytes that a vector of this [`Entry::length`] takes in the file, from [`Entry::offset`] on.
pub fn part_len(length: u32) -> u64 {
    u64::from(length) + AROUND as u64
}

/// The bytes of an index file with these vectors, and where each is.
pub fn encode(vectors: &[&RoaringBitmap]) -> Result<(Vec<u8>, Vec<Entry>)> {
    let bytes: usize = vectors.iter().map(|v| v.serialized_size()).sum();
    let size = 1 + bytes + vectors.len() * (AROUND + MAGIC.len());
    // Paimon has offsets and lengths as Java's `int`.
    if i32::try_from(size).is_err() {
        return Err(Error::user(format!(
            "the deletion vectors of a bucket take {size} bytes, more than a file of them can hold: use more buckets"
        )));
    }
    let mut out = Vec::with_capacity(size);
    out.push(VERSION);
    let mut entries = Vec::with_capacity(vectors.len());
    for vector in vectors {
        let offset = out.len();
        let length = (MAGIC.len() + vector.serialized_size()) as u32;
        out.extend_from_slice(&length.to_be_bytes());
        out.extend_from_slice(&MAGIC);
        vector
            .serialize_into(&mut out)
            .map_err(|e| Error::internal(format!("a deletion vector cannot be encoded: {e}")))?;
        let sum = crc32fast::hash(&out[offset + 4..]);
        out.extend_from_slice(&sum.to_be_bytes());
        entries.push(Entry {
            offset: offset as u32,
            length,
            cardinality: vector.len(),
        });
    }
    Ok((out, entries))
}

/// The vector at [`Entry::offset`] with [`Entry::length`] of an index file.
pub fn decode(file: &[u8], offset: u32, length: u32) -> Result<RoaringBitmap> {
    if file.first() != Some(&VERSION) {
        return Err(Error::corrupt("deletion vectors: the version is unknown"));
    }
    let from = offset as usize;
    let part = file.get(from..).and_then(|rest| {
        let len = usize::try_from(part_len(length)).ok()?;
        rest.get(..len)
    });
    let part = part.ok_or_else(|| fault(offset, "it is not in the file"))?;
    decode_part(part).map_err(|e| fault(offset, e.message()))
}

/// The vector that `part` is: the bytes from its length field to its checksum.
pub fn decode_part(part: &[u8]) -> Result<RoaringBitmap> {
    let body = part.len().checked_sub(AROUND).map(|len| &part[4..4 + len]);
    let body = body.ok_or_else(|| Error::corrupt("it is cut off"))?;
    let (length, sum) = (be_word(part, 0), be_word(part, part.len() - 4));
    if length as usize != body.len() {
        return Err(Error::corrupt(format!(
            "its length is {length}, {} is expected",
            body.len()
        )));
    }
    let computed = crc32fast::hash(body);
    if computed != sum {
        return Err(Error::corrupt(format!(
            "its checksum is {computed:08x}, the file says {sum:08x}"
        )));
    }
    let mut bitmap = body
        .strip_prefix(&MAGIC)
        .ok_or_else(|| Error::corrupt("its magic is wrong"))?;
    let vector = RoaringBitmap::deserialize_from(&mut bitmap)
        .map_err(|e| Error::corrupt(format!("its bitmap does not decode: {e}")))?;
    if !bitmap.is_empty() {
        return Err(Error::corrupt("there are bytes behind its bitmap"));
    }
    Ok(vector)
}

fn be_word(bytes: &[u8], at: usize) -> u32 {
    let word = bytes.get(at..).and_then(<[u8]>::first_chunk);
    word.map_or(0, |word| u32::from_be_bytes(*word))
}

fn fault(offset: u32, what: &str) -> Error {
    Error::corrupt(format!("deletion vector at offset {offset}: {what}"))
}
