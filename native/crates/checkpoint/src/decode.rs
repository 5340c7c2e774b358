//! Reading one section of a segment file, in pieces of any size.

use crate::block::{BLOCK_HEADER, BlockHeader, decompress};
use crate::row::SegmentRow;
use sf_core::{Error, ErrorKind, Result};

/// Decodes the blocks of one section and hands out their rows. Errors name the place in the file.
#[derive(Debug)]
pub struct SectionDecoder {
    name: String,
    key_group: u32,
    offset: u64,
    remaining: u64,
    pending: Vec<u8>,
    raw: Vec<u8>,
    next_block: u32,
    rows: u64,
}

impl SectionDecoder {
    /// A section of `length` bytes at `offset` of the file called `name`.
    pub fn new(name: &str, key_group: u32, offset: u64, length: u64) -> Self {
        Self {
            name: name.to_owned(),
            key_group,
            offset,
            remaining: length,
            pending: Vec::new(),
            raw: Vec::new(),
            next_block: 0,
            rows: 0,
        }
    }

    /// Takes the next bytes of the section and hands every complete row to `load`.
    pub fn feed(
        &mut self,
        mut bytes: &[u8],
        mut load: impl FnMut(SegmentRow<'_>) -> Result<()>,
    ) -> Result<()> {
        if bytes.len() as u64 > self.remaining {
            return Err(self.at(Error::corrupt("more bytes than the section has")));
        }
        self.remaining -= bytes.len() as u64;
        while !bytes.is_empty() {
            let wanted = self.block_len()?;
            let missing = wanted - self.pending.len();
            let (now, rest) = bytes.split_at(missing.min(bytes.len()));
            self.pending.extend_from_slice(now);
            bytes = rest;
            if self.pending.len() == self.block_len()? {
                self.block(&mut load)?;
            }
        }
        Ok(())
    }

    /// Length of the block that is pending, as far as its header is known.
    fn block_len(&self) -> Result<usize> {
        if self.pending.len() < BLOCK_HEADER {
            return Ok(BLOCK_HEADER);
        }
        let header = BlockHeader::read(&self.pending).map_err(|e| self.at(e))?;
        Ok(BLOCK_HEADER + header.stored_len as usize)
    }

    fn block(&mut self, load: &mut impl FnMut(SegmentRow<'_>) -> Result<()>) -> Result<()> {
        let header = BlockHeader::read(&self.pending).map_err(|e| self.at(e))?;
        let (head, stored) = self.pending.split_at(BLOCK_HEADER);
        header.check(head, stored).map_err(|e| self.at(e))?;
        if header.key_group != self.key_group || header.number != self.next_block {
            return Err(self.at(Error::corrupt(format!(
                "block {} of key group {} where block {} is expected",
                header.number, header.key_group, self.next_block
            ))));
        }
        let mut raw = std::mem::take(&mut self.raw);
        decompress(
            stored,
            header.compression,
            header.raw_len as usize,
            &mut raw,
        )
        .map_err(|e| self.at(e))?;
        let mut at = 0;
        for _ in 0..header.rows {
            let row = SegmentRow::read(&raw, &mut at).map_err(|e| self.at(e))?;
            load(row).map_err(|e| {
                if e.kind() == ErrorKind::Corrupt {
                    self.at(e)
                } else {
                    e
                }
            })?;
        }
        if at != raw.len() {
            return Err(self.at(Error::corrupt("bytes behind the last row of a block")));
        }
        self.raw = raw;
        self.rows += u64::from(header.rows);
        self.next_block += 1;
        self.offset += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// Ends the section; fails when bytes are missing. Returns the rows read.
    pub fn end(&self) -> Result<u64> {
        if self.remaining > 0 || !self.pending.is_empty() {
            return Err(self.at(Error::corrupt("the section is cut off")));
        }
        Ok(self.rows)
    }

    fn at(&self, error: Error) -> Error {
        let Self {
            name,
            key_group,
            offset,
            ..
        } = self;
        Error::new(
            error.kind(),
            format!(
                "segment {name}, key group {key_group}, offset {offset}: {}",
                error.message()
            ),
        )
    }
}
