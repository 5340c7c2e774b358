//! Zeroed memory that goes back to the operating system as soon as it is freed.

use memmap2::MmapMut;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// From this size on memory is mapped by itself. Below it the general allocator wastes less.
const MAPPED_FROM: usize = 64 * 1024;
/// Alignment of every region.
pub(crate) const ALIGN: usize = 8;

/// Zeroed bytes, 8-aligned. Large ones are mapped, so that what is freed is not kept by the allocator of
/// some thread: what a process holds stays what it has charged.
#[derive(Debug)]
pub(crate) struct Region {
    base: NonNull<u8>,
    len: usize,
    /// The mapping that `base` points to; `None`: from the general allocator.
    mapping: Option<MmapMut>,
}

// SAFETY: plain bytes owned by the region; who may touch which is up to its owner.
unsafe impl Send for Region {}
// SAFETY: as for Send.
unsafe impl Sync for Region {}

impl Region {
    /// At least eight bytes; `None` when the system has no more.
    pub(crate) fn zeroed(len: usize) -> Option<Self> {
        let len = len.max(ALIGN);
        if len >= MAPPED_FROM
            && let Ok(mut mapping) = MmapMut::map_anon(len)
        {
            let base = NonNull::new(mapping.as_mut_ptr())?;
            return Some(Self {
                base,
                len,
                mapping: Some(mapping),
            });
        }
        // A system may allow no more mappings but have memory left.
        let layout = Layout::from_size_align(len, ALIGN).ok()?;
        // SAFETY: the layout has a size above zero.
        let base = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Self {
            base,
            len,
            mapping: None,
        })
    }

    /// Where the bytes begin.
    #[inline]
    pub(crate) fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// Bytes in all.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if self.mapping.is_none() {
            // SAFETY: `zeroed` allocated it with this very layout.
            unsafe {
                let layout = Layout::from_size_align_unchecked(self.len, ALIGN);
                dealloc(self.base.as_ptr(), layout);
            }
        }
    }
}

/// A region of numbers.
#[derive(Debug)]
pub(crate) struct Words {
    first: NonNull<u64>,
    count: usize,
    /// Owns what `first` points to; `None` when there are no words.
    _region: Option<Region>,
}

// SAFETY: as for the region.
unsafe impl Send for Words {}
// SAFETY: as for the region.
unsafe impl Sync for Words {}

impl Words {
    /// No words, no memory.
    pub(crate) fn none() -> Self {
        Self {
            first: NonNull::dangling(),
            count: 0,
            _region: None,
        }
    }

    /// Zeros; `None` when the system has no more memory.
    pub(crate) fn zeroed(count: usize) -> Option<Self> {
        let region = Region::zeroed(count.checked_mul(size_of::<u64>())?)?;
        Some(Self {
            first: region.base.cast(),
            count,
            _region: Some(region),
        })
    }
}

impl Deref for Words {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        // SAFETY: the region has `count` aligned, initialised words, or there are none.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.count) }
    }
}

impl DerefMut for Words {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        // SAFETY: as above, and the words are borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr(), self.count) }
    }
}
