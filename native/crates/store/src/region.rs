//! Zeroed memory that goes back to the operating system as soon as it is freed.

use memmap2::MmapMut;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// From this size on memory is mapped by itself. Below it the general allocator wastes less.
const MAPPED_FROM: usize = 16 * 1024;
/// From this size on regions are mapped however many there are; when the system allows no more, the allocator is asked.
const FEW_FROM: usize = 64 * 1024;
/// So many smaller ones are mapped: a quarter of what Linux allows a process (`vm.max_map_count`), should none of
/// them be neighbours, which the kernel counts as one. The JVM needs mappings, too.
const MOST_SMALL: usize = 16 * 1024;

/// Smaller ones of this process.
static SMALL: Quota = Quota::new(MOST_SMALL);
/// A mapping takes whole pages.
static PAGE: LazyLock<usize> = LazyLock::new(page_bytes);

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
        let is_small = len < FEW_FROM;
        let is_mapped =
            len >= MAPPED_FROM && (!is_small || len.is_multiple_of(*PAGE) && SMALL.take());
        if is_mapped {
            if let Ok(mut mapping) = MmapMut::map_anon(len) {
                let base = NonNull::new(mapping.as_mut_ptr())?;
                return Some(Self {
                    base,
                    len,
                    mapping: Some(mapping),
                });
            }
            if is_small {
                SMALL.give();
            }
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
        if self.mapping.is_some() {
            if self.len < FEW_FROM {
                SMALL.give();
            }
        } else {
            // SAFETY: `zeroed` allocated it with this very layout.
            unsafe {
                let layout = Layout::from_size_align_unchecked(self.len, ALIGN);
                dealloc(self.base.as_ptr(), layout);
            }
        }
    }
}

/// How many of something there may be.
#[derive(Debug)]
pub(crate) struct Quota {
    taken: AtomicUsize,
    most: usize,
}

impl Quota {
    pub(crate) const fn new(most: usize) -> Self {
        Self {
            taken: AtomicUsize::new(0),
            most,
        }
    }

    /// Is there one more? Then it is taken.
    pub(crate) fn take(&self) -> bool {
        let one_more = |taken| (taken < self.most).then_some(taken + 1);
        self.taken
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more)
            .is_ok()
    }

    /// Gives one back that was taken.
    pub(crate) fn give(&self) {
        self.taken.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(unix)]
fn page_bytes() -> usize {
    // SAFETY: it only answers.
    let answer = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(answer).unwrap_or_default().max(4096)
}

#[cfg(not(unix))]
fn page_bytes() -> usize {
    4096
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
