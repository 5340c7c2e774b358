//! How a row lies in a chunk: header, optional extension, key bytes, value bytes, slack.
//!
//! ```text
//!  0 write epoch u32 | 4 death mark u32 | 8 key length u32 | 12 value length u32
//! 16 size in 8-byte units u32 | 20 ordinal u32 | 24 state u16 | 26 flags u8 | 27 unused
//! 28 (only with EXTENDED) prefix length u32 | owner u32 | sequence u32
//!    key | value | slack up to the size
//! ```

use crate::visibility::DeathMark;
use std::slice;

/// No older version of this key can be in a checkpoint, as long as the epoch is still the write epoch.
pub(crate) const FRESH: u8 = 1;
/// Says that the key was deleted; has no value and is in no table.
pub(crate) const TOMBSTONE: u8 = 2;
/// The extension is there (rows of maps, lists and timers).
pub(crate) const EXTENDED: u8 = 4;

const HEADER: usize = 28;
const EXTENSION: usize = 12;

#[repr(C)]
struct Header {
    write_epoch: u32,
    death: DeathMark,
    key_len: u32,
    value_len: u32,
    units: u32,
    ordinal: u32,
    state: u16,
    flags: u8,
    unused: u8,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Extension {
    /// Length of the `[key][namespace]` part of the key bytes.
    pub(crate) prefix_len: u32,
    /// Member list (map, list) or heap slot (timer) that knows this record.
    pub(crate) owner: u32,
    /// Place within the member list; for lists also part of the row's identity.
    pub(crate) seq: u32,
}

/// What a new record consists of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewRecord<'a> {
    pub(crate) state: u16,
    /// Number among the records that the state wrote in this key group and epoch. With the write epoch it
    /// names a row for good, so that a checkpoint can find the place of one that it wrote earlier.
    pub(crate) ordinal: u32,
    pub(crate) flags: u8,
    pub(crate) extension: Option<Extension>,
    pub(crate) key: &'a [u8],
    pub(crate) value: &'a [u8],
    /// Room for the value, at least its length.
    pub(crate) capacity: usize,
}

impl NewRecord<'_> {
    /// Bytes that the record takes in a chunk.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        size_of_record(self.extension.is_some(), self.key.len(), self.capacity)
    }
}

/// Bytes that such a record takes in a chunk.
#[inline]
pub(crate) fn size_of_record(extended: bool, key_len: usize, capacity: usize) -> usize {
    let fixed = if extended { HEADER + EXTENSION } else { HEADER };
    (fixed + key_len + capacity).next_multiple_of(8)
}

/// Points at a record in a chunk that is still allocated.
#[derive(Clone, Copy)]
pub(crate) struct Record(*mut u8);

impl Record {
    /// Bytes that are enough to learn a record's size.
    pub(crate) const HEADER_LEN: usize = HEADER;

    /// # Safety
    /// `at` is where [`Record::write`] wrote, and the chunk lives as long as the result is used.
    #[inline]
    pub(crate) unsafe fn from_ptr(at: *mut u8) -> Self {
        Self(at)
    }

    /// Writes a record.
    ///
    /// # Safety
    /// `at` is 8-aligned, has `new.size()` bytes of room that no other thread reads.
    #[inline]
    pub(crate) unsafe fn write(at: *mut u8, epoch: u32, new: &NewRecord<'_>) -> Self {
        let size = new.size();
        let mut flags = new.flags;
        if new.extension.is_some() {
            flags |= EXTENDED;
        }
        // SAFETY: the caller grants `size` bytes at an aligned address; the parts lie within.
        unsafe {
            at.cast::<Header>().write(Header {
                write_epoch: epoch,
                death: DeathMark::alive(),
                key_len: new.key.len() as u32,
                value_len: new.value.len() as u32,
                units: (size / 8) as u32,
                ordinal: new.ordinal,
                state: new.state,
                flags,
                unused: 0,
            });
            if let Some(extension) = new.extension {
                at.add(HEADER).cast::<Extension>().write(extension);
            }
            let record = Self(at);
            let key_at = at.add(record.key_offset());
            key_at.copy_from_nonoverlapping(new.key.as_ptr(), new.key.len());
            key_at
                .add(new.key.len())
                .copy_from_nonoverlapping(new.value.as_ptr(), new.value.len());
            record
        }
    }

    #[inline]
    fn header(&self) -> &Header {
        // SAFETY: by the contract of `from_ptr` a header is here.
        unsafe { &*self.0.cast::<Header>() }
    }

    #[inline]
    fn key_offset(&self) -> usize {
        if self.header().flags & EXTENDED == 0 {
            HEADER
        } else {
            HEADER + EXTENSION
        }
    }

    #[inline]
    pub(crate) fn write_epoch(&self) -> u32 {
        self.header().write_epoch
    }

    #[inline]
    pub(crate) fn ordinal(&self) -> u32 {
        self.header().ordinal
    }

    #[inline]
    pub(crate) fn death(&self) -> &DeathMark {
        &self.header().death
    }

    #[inline]
    pub(crate) fn state(&self) -> u16 {
        self.header().state
    }

    #[inline]
    pub(crate) fn has(&self, flag: u8) -> bool {
        self.header().flags & flag != 0
    }

    /// Bytes in the chunk, slack included.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        self.header().units as usize * 8
    }

    /// The whole key bytes. The lifetime is the caller's: as long as the chunk is there.
    #[inline]
    pub(crate) fn key<'a>(self) -> &'a [u8] {
        // SAFETY: `write` put them there; they never change.
        unsafe {
            slice::from_raw_parts(
                self.0.add(self.key_offset()),
                self.header().key_len as usize,
            )
        }
    }

    /// The value bytes. As for [`Record::key`]; not to be held over an in-place change.
    #[inline]
    pub(crate) fn value<'a>(self) -> &'a [u8] {
        let header = self.header();
        // SAFETY: the value follows the key.
        unsafe {
            let at = self.0.add(self.key_offset() + header.key_len as usize);
            slice::from_raw_parts(at, header.value_len as usize)
        }
    }

    /// Key and value bytes, which lie one behind the other. As for [`Record::value`].
    #[inline]
    pub(crate) fn key_and_value<'a>(self) -> &'a [u8] {
        let header = self.header();
        let len = header.key_len as usize + header.value_len as usize;
        // SAFETY: `write` put them there.
        unsafe { slice::from_raw_parts(self.0.add(self.key_offset()), len) }
    }

    /// Room for the value.
    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        self.size() - self.key_offset() - self.header().key_len as usize
    }

    /// The extension, zero for records without.
    #[inline]
    pub(crate) fn extension(&self) -> Extension {
        if self.has(EXTENDED) {
            // SAFETY: the flag says that it is there.
            unsafe { *self.0.add(HEADER).cast::<Extension>() }
        } else {
            Extension::default()
        }
    }

    /// Sets owner and sequence; task thread, and only words that no snapshot reads
    /// (never the sequence of a list's record).
    pub(crate) fn set_place(self, owner: u32, seq: u32) {
        debug_assert!(self.has(EXTENDED));
        // SAFETY: the extension is there; owner and sequence are the task thread's.
        unsafe {
            let extension = self.0.add(HEADER).cast::<Extension>();
            (&raw mut (*extension).owner).write(owner);
            (&raw mut (*extension).seq).write(seq);
        }
    }

    /// Overwrites the value.
    ///
    /// # Safety
    /// No snapshot can see the record (its write epoch is the current one) and the value fits.
    #[inline]
    pub(crate) unsafe fn set_value(self, value: &[u8]) {
        debug_assert!(value.len() <= self.capacity());
        // SAFETY: by the contract the bytes are the task thread's alone and there is room.
        unsafe {
            let header = self.0.cast::<Header>();
            let at = self.0.add(self.key_offset() + (*header).key_len as usize);
            at.copy_from_nonoverlapping(value.as_ptr(), value.len());
            (&raw mut (*header).value_len).write(value.len() as u32);
        }
    }

    /// Appends `piece` to the value after a delimiter (none when the value is empty).
    ///
    /// # Safety
    /// As for [`Record::set_value`].
    #[inline]
    pub(crate) unsafe fn append_value(self, piece: &[u8]) {
        // SAFETY: as above.
        unsafe {
            let header = self.0.cast::<Header>();
            let old = (*header).value_len as usize;
            let mut at = self
                .0
                .add(self.key_offset() + (*header).key_len as usize + old);
            if old > 0 && !piece.is_empty() {
                at.write(sf_codec::list::DELIMITER);
                at = at.add(1);
            }
            at.copy_from_nonoverlapping(piece.as_ptr(), piece.len());
            let joined = sf_codec::list::joined_len(old, piece.len());
            (&raw mut (*header).value_len).write(joined as u32);
        }
    }
}
