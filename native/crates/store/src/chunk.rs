//! A piece of raw memory that holds records one after the other.

pub(crate) use crate::region::ALIGN;
use crate::region::Region;
use sf_core::Charge;

/// Raw memory, shared by the store (which appends) and by snapshots (which read what was there when
/// they began). Its budget charge lives exactly as long as it.
///
/// Who may touch what: bytes past a snapshot's frozen length belong to the task thread; bytes before
/// it never change again, but for the atomic death mark of a record (see [`crate::record`]).
#[derive(Debug)]
pub(crate) struct Chunk {
    region: Region,
    _charge: Charge,
}

impl Chunk {
    /// Memory of `capacity` bytes; `None` when the system has no more.
    pub(crate) fn new(capacity: usize, charge: Charge) -> Option<Self> {
        Some(Self {
            region: Region::zeroed(capacity)?,
            _charge: charge,
        })
    }

    /// Where the memory begins.
    #[inline]
    pub(crate) fn base(&self) -> *mut u8 {
        self.region.base()
    }

    /// Bytes in all.
    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        self.region.len()
    }
}
