//! Writing results into a caller's buffer.

use crate::status::SF_TOO_SMALL;

/// Fills a buffer from the front and remembers what would not fit.
pub(crate) struct Out<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl<'a> Out<'a> {
    pub(crate) fn new(bytes: &'a mut [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bytes written.
    pub(crate) fn len(&self) -> usize {
        self.at
    }

    /// Whether `more` bytes fit.
    #[inline]
    pub(crate) fn fits(&self, more: usize) -> bool {
        self.bytes.len() - self.at >= more
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.bytes[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    /// Leaves `len` bytes for the caller to fill.
    pub(crate) fn space(&mut self, len: usize) -> &mut [u8] {
        self.at += len;
        &mut self.bytes[self.at - len..self.at]
    }

    pub(crate) fn i32(&mut self, value: i32) {
        self.bytes(&value.to_le_bytes());
    }

    pub(crate) fn i64(&mut self, value: i64) {
        self.bytes(&value.to_le_bytes());
    }
}

/// The answer when a result of `needed` bytes does not fit.
pub(crate) fn too_small(out: &mut [u8], needed: usize) -> i32 {
    out[..8].copy_from_slice(&(needed as i64).to_le_bytes());
    SF_TOO_SMALL
}

/// A page of a scan: `[i64 cursor][i32 n]` and the entries.
pub(crate) struct Page<'a> {
    out: Out<'a>,
    entries: i32,
    /// Size of the first entry if that alone did not fit.
    refused: Option<usize>,
}

/// Bytes before the first entry.
const PAGE_HEADER: usize = 12;

impl<'a> Page<'a> {
    pub(crate) fn new(bytes: &'a mut [u8]) -> Self {
        let mut out = Out::new(bytes);
        out.i64(-1);
        out.i32(0);
        Self {
            out,
            entries: 0,
            refused: None,
        }
    }

    /// Room for an entry of `len` bytes, `None` when the page is full.
    #[inline]
    pub(crate) fn entry(&mut self, len: usize) -> Option<&mut Out<'a>> {
        if self.out.fits(len) {
            self.entries += 1;
            return Some(&mut self.out);
        }
        if self.entries == 0 {
            self.refused = Some(len);
        }
        None
    }

    /// Whether there is an entry.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// Whether the first entry did not fit.
    pub(crate) fn refused(&self) -> bool {
        self.refused.is_some()
    }

    /// The status: bytes written, or that the first entry did not fit.
    pub(crate) fn finish(self, cursor: i64) -> i32 {
        let Self {
            out,
            entries,
            refused,
        } = self;
        if let Some(len) = refused {
            return too_small(out.bytes, PAGE_HEADER + len);
        }
        out.bytes[..8].copy_from_slice(&cursor.to_le_bytes());
        out.bytes[8..PAGE_HEADER].copy_from_slice(&entries.to_le_bytes());
        out.at as i32
    }
}
