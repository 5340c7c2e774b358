//! Writing a segment file, in pieces as they are asked for.

use crate::block::{BLOCK_TARGET, BlockHeader, Compression, compress};
use crate::chain::SectionKind;
use crate::footer::{Section, write_footer, write_header};
use crate::row::SegmentRow;

/// What went into a segment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SegmentTotals {
    /// Living rows.
    pub rows: u64,
    /// Deleted keys.
    pub tombstones: u64,
    /// Bytes of rows before compression.
    pub raw_bytes: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
}

/// Turns rows into the bytes of a segment. The caller begins key groups in ascending order, pushes rows, and
/// takes finished bytes from [`SegmentEncoder::output`] as they come.
#[derive(Debug)]
pub struct SegmentEncoder {
    number: u64,
    compression: Compression,
    sections: Vec<Section>,
    rows: Vec<u8>,
    rows_in_block: u32,
    block_number: u32,
    stored: Vec<u8>,
    out: Vec<u8>,
    taken: usize,
    keep_empty: bool,
    finished: bool,
    totals: SegmentTotals,
}

impl SegmentEncoder {
    /// A segment with its header.
    pub fn new(number: u64, compression: Compression) -> Self {
        let mut out = Vec::new();
        write_header(number, &mut out);
        let totals = SegmentTotals {
            file_bytes: out.len() as u64,
            ..SegmentTotals::default()
        };
        Self {
            number,
            compression,
            sections: Vec::new(),
            rows: Vec::new(),
            rows_in_block: 0,
            block_number: 0,
            stored: Vec::new(),
            out,
            taken: 0,
            keep_empty: false,
            finished: false,
            totals,
        }
    }

    /// Rows of this key group follow. `keep_empty`: older segments have rows of it, so that a full section
    /// without rows says that they are gone.
    pub fn begin_section(&mut self, key_group: u32, kind: SectionKind, keep_empty: bool) {
        self.end_section();
        self.keep_empty = keep_empty;
        debug_assert!(
            self.sections
                .last()
                .is_none_or(|last| last.key_group < key_group)
        );
        self.block_number = 0;
        let offset = self.totals.file_bytes;
        self.sections.push(Section {
            key_group,
            kind,
            offset,
            length: 0,
            rows: 0,
        });
    }

    /// Adds a row to the key group that was begun.
    pub fn push(&mut self, row: &SegmentRow<'_>) {
        row.write(&mut self.rows);
        self.rows_in_block += 1;
        self.totals.rows += u64::from(!row.tombstone);
        self.totals.tombstones += u64::from(row.tombstone);
        if self.rows.len() >= BLOCK_TARGET {
            self.end_block();
        }
    }

    fn end_block(&mut self) {
        if self.rows_in_block == 0 {
            return;
        }
        let Some(section) = self.sections.last_mut() else {
            return;
        };
        let compression = compress(&self.rows, self.compression, &mut self.stored);
        let header = BlockHeader {
            key_group: section.key_group,
            number: self.block_number,
            rows: self.rows_in_block,
            raw_len: self.rows.len() as u32,
            stored_len: self.stored.len() as u32,
            compression: u32::from(compression.code()),
            crc: 0,
        };
        let before = self.out.len();
        header.write(&self.stored, &mut self.out);
        let written = (self.out.len() - before) as u64;
        section.length += written;
        section.rows += u64::from(self.rows_in_block);
        self.totals.file_bytes += written;
        self.totals.raw_bytes += self.rows.len() as u64;
        self.block_number += 1;
        self.rows.clear();
        self.rows_in_block = 0;
    }

    fn end_section(&mut self) {
        self.end_block();
        if self.sections.last().is_some_and(|last| last.rows == 0) && !self.keep_empty {
            self.sections.pop();
        }
    }

    /// Ends the file. `false` when there is nothing in it, so that it need not be written.
    pub fn finish(&mut self) -> bool {
        self.end_section();
        let offset = self.totals.file_bytes;
        let before = self.out.len();
        write_footer(self.number, offset, &self.sections, &mut self.out);
        self.totals.file_bytes += (self.out.len() - before) as u64;
        self.finished = !self.sections.is_empty();
        self.finished
    }

    /// Bytes that are ready. None before the first block is: an empty segment is not to be written.
    pub fn ready(&self) -> usize {
        if self.totals.raw_bytes == 0 && !self.finished {
            0
        } else {
            self.out.len() - self.taken
        }
    }

    /// Copies ready bytes into `target`; returns how many.
    pub fn output(&mut self, target: &mut [u8]) -> usize {
        let len = self.ready().min(target.len());
        target[..len].copy_from_slice(&self.out[self.taken..self.taken + len]);
        self.taken += len;
        if self.taken >= self.out.len() - self.taken {
            // Moves no more than was taken: what is kept never grows with the file.
            self.out.drain(..self.taken);
            self.taken = 0;
        }
        len
    }

    /// Bytes that the encoder holds for its output.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.out.capacity()
    }

    /// The sections written so far.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// What went in.
    pub fn totals(&self) -> SegmentTotals {
        self.totals
    }
}
