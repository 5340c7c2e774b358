//! Memory for the bytes of row groups.

use bytes::Bytes;
use memmap2::MmapMut;
use sf_core::{Error, Result};
use std::sync::Arc;

/// More than a row group has unless a single row is large; such memory is not kept.
const KEPT: usize = 8 * 1024 * 1024;

/// The bytes of one row group after the other. It is mapped by itself: the general allocator would keep megabytes
/// for each thread that loads, also after its end.
#[derive(Debug, Default)]
pub struct RowGroupBytes {
    memory: Option<Arc<MmapMut>>,
    len: usize,
}

impl RowGroupBytes {
    /// Room for the `len` bytes of the next row group, in place of the last one's; they are to be overwritten.
    pub fn room(&mut self, len: usize) -> Result<&mut [u8]> {
        self.len = 0;
        let fits = |memory: &MmapMut| memory.len() >= len && memory.len() <= KEPT.max(len);
        // Never while somebody still reads the last one's.
        let reusable = self.memory.as_mut().and_then(Arc::get_mut);
        if !reusable.is_some_and(|memory| fits(memory)) {
            // First the old, then the new.
            self.memory = None;
            // Nothing cannot be mapped.
            let mapped = MmapMut::map_anon(len.max(1)).map_err(|e| {
                Error::memory(format!(
                    "the {len} bytes of a row group find no memory beside the budget: {e}"
                ))
            })?;
            self.memory = Some(Arc::new(mapped));
        }
        let memory = self.memory.as_mut().and_then(Arc::get_mut);
        let memory = memory.ok_or_else(|| Error::internal("a row group's memory is shared"))?;
        self.len = len;
        Ok(&mut memory[..len])
    }

    /// The bytes, not copied. To be dropped before there can be room for the next row group in the same memory.
    pub fn bytes(&self) -> Bytes {
        match &self.memory {
            Some(memory) => Bytes::from_owner(Mapped(Arc::clone(memory))).slice(..self.len),
            None => Bytes::new(),
        }
    }

    /// Bytes that are mapped.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.memory.as_ref().map_or(0, |memory| memory.len())
    }
}

struct Mapped(Arc<MmapMut>);

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
