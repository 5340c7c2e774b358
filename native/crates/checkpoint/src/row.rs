//! One row within a block.

use sf_codec::varint::{read_u32, write_u32};
use sf_core::{Error, Result};

const TOMBSTONE: u8 = 1;
const PLACED: u8 = 2;

/// A row of a segment, borrowed from the block or the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentRow<'a> {
    /// Number of the state.
    pub state: u16,
    /// The key was deleted.
    pub tombstone: bool,
    /// Length of `[key][namespace]` within the key; zero unless the state is a map or a list.
    pub prefix_len: u32,
    /// Place of a list's chunk.
    pub seq: u32,
    /// Key bytes.
    pub key: &'a [u8],
    /// Value bytes; empty for a tombstone.
    pub value: &'a [u8],
}

impl<'a> SegmentRow<'a> {
    /// Appends: state, flags, key length, (prefix length, sequence,) value length, key, value.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let placed = self.prefix_len != 0 || self.seq != 0;
        write_u32(out, u32::from(self.state));
        out.push((u8::from(self.tombstone) * TOMBSTONE) | (u8::from(placed) * PLACED));
        write_u32(out, self.key.len() as u32);
        if placed {
            write_u32(out, self.prefix_len);
            write_u32(out, self.seq);
        }
        if !self.tombstone {
            write_u32(out, self.value.len() as u32);
        }
        out.extend_from_slice(self.key);
        if !self.tombstone {
            out.extend_from_slice(self.value);
        }
    }

    /// Reads the row at `*at` and moves past it.
    pub(crate) fn read(bytes: &'a [u8], at: &mut usize) -> Result<Self> {
        let state = u16::try_from(read_u32(bytes, at)?)
            .map_err(|_| Error::corrupt("a row's state number is too large"))?;
        let flags = *bytes
            .get(*at)
            .ok_or_else(|| Error::corrupt("a row is cut off"))?;
        *at += 1;
        if flags & !(TOMBSTONE | PLACED) != 0 {
            return Err(Error::corrupt(format!(
                "a row has unknown flags {flags:#04x}"
            )));
        }
        let tombstone = flags & TOMBSTONE != 0;
        let key_len = read_u32(bytes, at)? as usize;
        let (prefix_len, seq) = match flags & PLACED {
            0 => (0, 0),
            _ => (read_u32(bytes, at)?, read_u32(bytes, at)?),
        };
        let value_len = if tombstone {
            0
        } else {
            read_u32(bytes, at)? as usize
        };
        let key = take(bytes, at, key_len)?;
        let value = take(bytes, at, value_len)?;
        if prefix_len as usize > key.len() {
            return Err(Error::corrupt("a row's prefix is longer than its key"));
        }
        Ok(Self {
            state,
            tombstone,
            prefix_len,
            seq,
            key,
            value,
        })
    }
}

fn take<'a>(bytes: &'a [u8], at: &mut usize, len: usize) -> Result<&'a [u8]> {
    let end = at.checked_add(len).filter(|end| *end <= bytes.len());
    let end = end.ok_or_else(|| Error::corrupt("a row is longer than its block"))?;
    let taken = &bytes[*at..end];
    *at = end;
    Ok(taken)
}
