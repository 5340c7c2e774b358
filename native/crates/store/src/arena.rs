//! Where the records of one key group lie: chunks that are only appended to. A chunk is in memory or, in a
//! store that spills, in a file; then its records cannot be touched before they are moved back.

use crate::chunk::{ALIGN, Chunk};
use crate::record::{NewRecord, Record, TOMBSTONE};
use crate::region::Words;
use crate::spill::{DeadUnits, Place};
use crate::table::Ref;
use sf_core::{Charge, MemoryBudget};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

mod files;

/// A reference is `chunk number << UNIT_BITS | offset in 8-byte units`.
const UNIT_BITS: u32 = 15;
const UNIT_MASK: u32 = (1 << UNIT_BITS) - 1;

/// Greatest and usual size of a chunk; a record that is larger gets one of its own.
pub(crate) const MAX_CHUNK: usize = (1 << UNIT_BITS) * ALIGN;
/// The first chunk of a key group; each next one is twice as large, up to the usual size.
const FIRST_CHUNK: usize = 4096;
/// Records begin behind the first unit, so that no reference is zero.
const FIRST_OFFSET: usize = ALIGN;

/// Where the memory of a new chunk comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Funding {
    /// The budget, or not at all.
    Budget,
    /// The budget's reserve: for compaction, which gives back more soon.
    Reserve,
    /// As little as will do, whatever the limit: for tombstones.
    SmallOverdraft,
}

/// Where a chunk's bytes are.
#[derive(Debug, Clone)]
pub(crate) enum Home {
    /// In memory.
    Memory(Arc<Chunk>),
    /// In a file.
    Disk(Arc<Place>),
}

/// The home of a chunk, for the store and its snapshots: it may move to a file while a snapshot waits to read it.
#[derive(Debug)]
pub(crate) struct SharedHome(Mutex<Home>);

impl SharedHome {
    /// Where the bytes are now. They stay there as long as the result is kept.
    pub(crate) fn get(&self) -> Home {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn set(&self, home: Home) -> Home {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut now, home)
    }
}

/// What is known of a chunk.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) home: Arc<SharedHome>,
    /// Of a chunk in a file: the records that were moved back to memory.
    pub(crate) dead: DeadUnits,
    /// Bytes in memory; 0 for a chunk in a file.
    capacity: usize,
    /// Grows from chunk to chunk.
    born: u64,
    /// Bytes written, the unused first unit included.
    pub(crate) len: usize,
    /// Bytes of living records and of tombstones that are still needed.
    pub(crate) live: usize,
    /// Of these, tombstones.
    pub(crate) tombstones: usize,
    /// Least and greatest write epoch of a record.
    pub(crate) min_epoch: u32,
    pub(crate) max_epoch: u32,
    /// Greatest write epoch of a tombstone.
    pub(crate) tombstone_epoch: u32,
}

/// A chunk that nothing is appended to, in the order of age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OldChunk {
    born: u64,
    pub(crate) number: u32,
}

/// A moment of an arena. What came to memory since is what an operation under way needs, all of it at once, perhaps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    born: u64,
    appended: [Option<u32>; 2],
}

/// Chunks of a key group; the newest is appended to.
#[derive(Debug)]
pub(crate) struct Arena {
    budget: Arc<MemoryBudget>,
    usual_chunk: usize,
    next_chunk: usize,
    chunks_made: u64,
    slots: Vec<Option<Slot>>,
    /// Base address per chunk number: the one load between a reference and its record.
    bases: Vec<*mut u8>,
    free: Vec<u32>,
    /// Chunks that lost their last living record, but for those that are appended to.
    drained: Vec<u32>,
    current: Option<u32>,
    /// A chunk that waits for one large record.
    large: Option<u32>,
    allocated: usize,
    live: usize,
    tombstones: usize,
    /// Bytes of spilled chunks, and of living records in them.
    spilled: usize,
    spilled_live: usize,
}

// SAFETY: the raw addresses point into chunks that the arena owns.
unsafe impl Send for Arena {}

impl Arena {
    pub(crate) fn new(budget: &Arc<MemoryBudget>, usual_chunk: usize) -> Self {
        Self {
            budget: Arc::clone(budget),
            usual_chunk,
            next_chunk: FIRST_CHUNK.min(usual_chunk),
            chunks_made: 0,
            slots: Vec::new(),
            bases: Vec::new(),
            free: Vec::new(),
            drained: Vec::new(),
            current: None,
            large: None,
            allocated: 0,
            live: 0,
            tombstones: 0,
            spilled: 0,
            spilled_live: 0,
        }
    }

    /// Size of most chunks.
    pub(crate) fn usual_chunk(&self) -> usize {
        self.usual_chunk
    }

    /// Bytes of all chunks in memory.
    pub(crate) fn allocated(&self) -> usize {
        self.allocated
    }

    /// Of [`Arena::live`], what is in memory.
    pub(crate) fn resident_live(&self) -> usize {
        self.live - self.spilled_live
    }

    /// Bytes of living records and needed tombstones.
    pub(crate) fn live(&self) -> usize {
        self.live
    }

    /// Greatest write epoch of a record.
    pub(crate) fn last_epoch(&self) -> u32 {
        let epochs = self.slots().map(|(_, slot)| slot.max_epoch);
        epochs.max().unwrap_or(0)
    }

    /// Bytes of tombstones that are still needed.
    pub(crate) fn tombstones(&self) -> usize {
        self.tombstones
    }

    /// The chunks and their numbers.
    pub(crate) fn slots(&self) -> impl Iterator<Item = (u32, &Slot)> {
        self.slots
            .iter()
            .enumerate()
            .filter_map(|(n, slot)| Some((n as u32, slot.as_ref()?)))
    }

    /// Whether a reference's record is in memory.
    #[inline]
    pub(crate) fn is_resident(&self, reference: Ref) -> bool {
        !self.bases[(reference >> UNIT_BITS) as usize].is_null()
    }

    /// The record that a reference points at. The reference must come from this arena and its record
    /// must be in memory and must not have been reclaimed; the latter holds for every reference in a table, list or
    /// heap.
    #[inline]
    pub(crate) fn record(&self, reference: Ref) -> Record {
        let base = self.bases[(reference >> UNIT_BITS) as usize];
        debug_assert!(!base.is_null());
        // SAFETY: chunks with living records stay allocated; the offset is where one was written.
        unsafe { Record::from_ptr(base.add((reference & UNIT_MASK) as usize * ALIGN)) }
    }

    /// Asks the processor to bring a record's first bytes near; zero asks for nothing.
    #[inline]
    pub(crate) fn prefetch(&self, reference: Ref) {
        if reference == 0 {
            return;
        }
        let base = self.bases[(reference >> UNIT_BITS) as usize];
        let at = base.wrapping_add((reference & UNIT_MASK) as usize * ALIGN);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch reads nothing that the program sees, whatever the address.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(at.cast());
            _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(64).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = at;
    }

    /// Whether [`Arena::append`] can take a record of `size` bytes.
    #[inline]
    pub(crate) fn has_room(&self, size: usize) -> bool {
        if size > self.largest_shared() {
            return self.large.is_some_and(|n| self.room(n) >= size);
        }
        self.current.is_some_and(|n| self.room(n) >= size)
    }

    /// Appends a record; there must be room.
    #[inline]
    pub(crate) fn append(&mut self, epoch: u32, new: &NewRecord<'_>) -> Ref {
        let size = new.size();
        let number = if size > self.largest_shared() {
            self.large.take()
        } else {
            self.current
        };
        let number = number.expect("has_room was asked before");
        let slot = self.slots[number as usize]
            .as_mut()
            .expect("chunk to append to is there");
        assert!(
            slot.capacity - slot.len >= size,
            "has_room was asked before"
        );
        let base = self.bases[number as usize];
        let offset = slot.len;
        slot.len += size;
        slot.live += size;
        slot.min_epoch = slot.min_epoch.min(epoch);
        slot.max_epoch = slot.max_epoch.max(epoch);
        if new.flags & TOMBSTONE != 0 {
            slot.tombstones += size;
            self.tombstones += size;
            slot.tombstone_epoch = slot.tombstone_epoch.max(epoch);
        }
        self.live += size;
        // SAFETY: room was checked, lengths are multiples of eight, snapshots stop at their frozen length.
        unsafe { Record::write(base.add(offset), epoch, new) };
        number << UNIT_BITS | (offset / ALIGN) as u32
    }

    /// The record is superseded, deleted or moved.
    #[inline]
    pub(crate) fn kill(&mut self, reference: Ref, epoch: u32) {
        let record = self.record(reference);
        record.death().die(epoch);
        let size = record.size();
        let number = reference >> UNIT_BITS;
        let slot = self.slots[number as usize].as_mut();
        let slot = slot.expect("a living record's chunk is there");
        slot.live -= size;
        self.live -= size;
        if record.has(TOMBSTONE) {
            slot.tombstones -= size;
            self.tombstones -= size;
        }
        if slot.live == 0 && self.current != Some(number) {
            // Has room: reserved when the chunk was added.
            self.drained.push(number);
        }
    }

    /// Makes room for a record of `size` bytes. `false` when the budget does not allow it.
    pub(crate) fn make_room(&mut self, size: usize, funding: Funding) -> bool {
        if self.has_room(size) {
            return true;
        }
        self.free_drained();
        if self.is_full() {
            return false;
        }
        let large = size > self.largest_shared();
        let bytes = if large {
            size + FIRST_OFFSET
        } else {
            self.next_chunk
                .max((size + FIRST_OFFSET).next_power_of_two())
        };
        let bytes = match funding {
            Funding::SmallOverdraft => bytes.min((size + FIRST_OFFSET).max(FIRST_CHUNK)),
            _ => bytes,
        };
        let charge = match funding {
            Funding::Budget => charge_for_rows(&self.budget, bytes),
            Funding::Reserve => self.budget.try_charge(bytes),
            Funding::SmallOverdraft => Some(self.budget.charge_overdraft(bytes)),
        };
        let Some(chunk) = charge.and_then(|charge| Chunk::new(bytes, charge)) else {
            return false;
        };
        let capacity = chunk.capacity();
        self.allocated += capacity;
        self.chunks_made += 1;
        let base = chunk.base();
        let slot = Slot {
            home: Arc::new(SharedHome(Mutex::new(Home::Memory(Arc::new(chunk))))),
            dead: DeadUnits::default(),
            capacity,
            born: self.chunks_made,
            len: FIRST_OFFSET,
            live: 0,
            tombstones: 0,
            min_epoch: u32::MAX,
            max_epoch: 0,
            tombstone_epoch: 0,
        };
        let number = self.free.pop().unwrap_or(self.slots.len() as u32);
        if number as usize == self.slots.len() {
            self.slots.push(Some(slot));
            self.bases.push(base);
            self.drained.reserve(self.slots.len());
        } else {
            self.slots[number as usize] = Some(slot);
            self.bases[number as usize] = base;
        }
        let replaced = match large {
            true => self.large.replace(number),
            false => self.current.replace(number),
        };
        self.drained
            .extend(replaced.filter(|replaced| self.is_drained(*replaced)));
        if !large {
            self.next_chunk = (self.next_chunk * 2).min(self.usual_chunk);
        }
        true
    }

    /// Bytes that the next chunk for a record of `size` bytes needs.
    pub(crate) fn room_bytes(&self, size: usize) -> usize {
        size.max(self.next_chunk) + FIRST_OFFSET
    }

    /// Whether the numbers of chunks are used up: 131072 chunks hold records of this key group.
    pub(crate) fn is_full(&self) -> bool {
        self.free.is_empty() && self.slots.len() >= 1 << (u32::BITS - UNIT_BITS)
    }

    /// Frees chunks without a living record. Returns the bytes freed (pinned ones follow their snapshot).
    pub(crate) fn free_drained(&mut self) -> usize {
        let before = self.allocated;
        while let Some(number) = self.drained.pop() {
            if self.is_drained(number) {
                self.release(number);
            }
        }
        before - self.allocated
    }

    /// Whether a chunk has no living record and none will be appended.
    fn is_drained(&self, number: u32) -> bool {
        self.slots[number as usize]
            .as_ref()
            .is_some_and(|slot| slot.live == 0)
            && self.current != Some(number)
            && self.large != Some(number)
    }

    /// Frees a chunk whose last living records were moved away; tombstones left in it are not needed.
    pub(crate) fn abandon(&mut self, number: u32) {
        self.release(number);
    }

    fn release(&mut self, number: u32) {
        if let Some(slot) = self.slots[number as usize].take() {
            self.live -= slot.live;
            self.tombstones -= slot.tombstones;
            self.allocated -= slot.capacity;
            if slot.capacity == 0 {
                self.spilled -= slot.len;
                self.spilled_live -= slot.live;
            }
            self.bases[number as usize] = std::ptr::null_mut();
            self.free.push(number);
        }
    }

    /// Tombstones up to `base` are needed no more.
    pub(crate) fn forget_tombstones(&mut self, base: u32) {
        for (number, slot) in self.slots.iter_mut().enumerate() {
            let Some(slot) = slot else { continue };
            if slot.tombstones > 0 && slot.tombstone_epoch <= base {
                slot.live -= slot.tombstones;
                self.live -= slot.tombstones;
                self.tombstones -= slot.tombstones;
                slot.tombstones = 0;
                if slot.live == 0 {
                    self.drained.push(number as u32);
                }
            }
        }
    }

    /// The chunk that gives most for least work: the deadest one that is at most `percent` live. Not one
    /// that a snapshot reads, for its memory would not come back.
    pub(crate) fn victim(&self, percent: usize) -> Option<u32> {
        self.slots()
            .filter(|(number, _)| self.current != Some(*number) && self.large != Some(*number))
            .filter(|(_, slot)| slot.live * 100 <= slot.len * percent)
            .filter(|(_, slot)| slot.capacity > 0 && Arc::strong_count(&slot.home) == 1)
            .min_by_key(|(_, slot)| slot.live * 1000 / slot.len)
            .map(|(number, _)| number)
    }

    /// References of all records of a chunk, living or not, in the order in which they were written.
    pub(crate) fn references(&self, number: u32) -> Vec<Ref> {
        let mut references = Vec::new();
        let len = self.slots[number as usize]
            .as_ref()
            .map_or(0, |slot| slot.len);
        let mut offset = FIRST_OFFSET;
        while offset < len {
            let reference = number << UNIT_BITS | (offset / ALIGN) as u32;
            references.push(reference);
            offset += self.record(reference).size();
        }
        references
    }

    #[inline]
    fn room(&self, number: u32) -> usize {
        self.slots[number as usize]
            .as_ref()
            .map_or(0, |slot| slot.capacity - slot.len)
    }

    #[inline]
    fn largest_shared(&self) -> usize {
        self.usual_chunk / 4
    }
}

/// The records of a frozen chunk, in the order in which they were written.
pub(crate) struct FrozenRecords<'a> {
    base: *const u8,
    offset: usize,
    len: usize,
    _chunk: PhantomData<&'a Chunk>,
}

impl<'a> FrozenRecords<'a> {
    /// `offset` zero begins at the first record.
    pub(crate) fn new(chunk: &'a Chunk, offset: usize, len: usize) -> Self {
        Self::at(chunk.base(), offset, len)
    }

    /// The records of a chunk that was read back from a file.
    pub(crate) fn read_back(chunk: &'a Words, offset: usize, len: usize) -> Self {
        debug_assert!(len <= size_of_val(&**chunk));
        Self::at(chunk.as_ptr().cast(), offset, len)
    }

    fn at(base: *const u8, offset: usize, len: usize) -> Self {
        Self {
            base,
            offset: offset.max(FIRST_OFFSET),
            len,
            _chunk: PhantomData,
        }
    }

    /// Where the next record begins, to go on from later.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }
}

impl Iterator for FrozenRecords<'_> {
    type Item = Record;

    #[inline]
    fn next(&mut self) -> Option<Record> {
        if self.offset >= self.len {
            return None;
        }
        // SAFETY: records lie one after the other up to the frozen length; the chunk is borrowed.
        let record = unsafe { Record::from_ptr(self.base.add(self.offset).cast_mut()) };
        self.offset += record.size();
        Some(record)
    }
}

/// Charges for rows and tables: what compaction needs for its copies is left alone.
pub(crate) fn charge_for_rows(budget: &Arc<MemoryBudget>, bytes: usize) -> Option<Charge> {
    budget.try_charge_leaving(bytes, (budget.limit() / 16).min(4 * MAX_CHUNK as i64))
}
