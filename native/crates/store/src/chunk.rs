//! A piece of raw memory that holds records one after the other.

use sf_core::Charge;
use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

/// Alignment of chunks and of the records in them.
pub(crate) const ALIGN: usize = 8;

/// Raw memory, shared by the store (which appends) and by snapshots (which read what was there when
/// they began). Its budget charge lives exactly as long as it.
///
/// Who may touch what: bytes past a snapshot's frozen length belong to the task thread; bytes before
/// it never change again, but for the atomic death mark of a record (see [`crate::record`]).
#[derive(Debug)]
pub(crate) struct Chunk {
    base: NonNull<u8>,
    capacity: usize,
    _charge: Charge,
}

// SAFETY: the memory is plain bytes owned by the chunk; the rule above keeps accesses apart.
unsafe impl Send for Chunk {}
// SAFETY: as for Send.
unsafe impl Sync for Chunk {}

impl Chunk {
    /// Uninitialised memory of `capacity` bytes; `None` when the allocator has no more.
    pub(crate) fn new(capacity: usize, charge: Charge) -> Option<Self> {
        let layout = Layout::from_size_align(capacity.max(ALIGN), ALIGN).ok()?;
        // SAFETY: the layout has a size above zero.
        let base = NonNull::new(unsafe { alloc(layout) })?;
        Some(Self {
            base,
            capacity: layout.size(),
            _charge: charge,
        })
    }

    /// Where the memory begins.
    #[inline]
    pub(crate) fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// Bytes in all.
    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: `new` allocated it with this very layout.
        unsafe {
            dealloc(
                self.base.as_ptr(),
                Layout::from_size_align_unchecked(self.capacity, ALIGN),
            );
        }
    }
}
