//! The order of a timer state: a binary heap over all key groups that knows where each timer sits.

use crate::table::Ref;
use sf_core::{Charge, MemoryBudget};
use std::sync::Arc;

const NOT_IN_HEAP: u32 = u32::MAX;
const FIRST_TIMERS: usize = 64;
/// Heap entry, slot, and the free list's place for when it is removed.
const BYTES_PER_TIMER: usize = size_of::<HeapEntry>() + size_of::<TimerSlot>() + size_of::<u32>();

#[derive(Debug, Clone, Copy)]
struct HeapEntry {
    timestamp: i64,
    slot: u32,
}

/// Where a timer's record is; `position` is its place in the heap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimerSlot {
    pub(crate) reference: Ref,
    pub(crate) key_group_slot: u32,
    position: u32,
}

/// Heap by timestamp; timers of one timestamp come in no promised order (as in Flink).
#[derive(Debug)]
pub(crate) struct TimerHeap {
    entries: Vec<HeapEntry>,
    slots: Vec<TimerSlot>,
    free: Vec<u32>,
    capacity: usize,
    charge: Charge,
}

impl TimerHeap {
    pub(crate) fn new(budget: &Arc<MemoryBudget>) -> Self {
        Self {
            entries: Vec::new(),
            slots: Vec::new(),
            free: Vec::new(),
            capacity: 0,
            charge: Charge::none(budget),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn charged(&self) -> i64 {
        self.charge.bytes()
    }

    /// Timers that fit before the next growth, those that are there included.
    pub(crate) fn room(&self) -> usize {
        self.capacity
    }

    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.entries.len() < self.capacity
    }

    /// Bytes that the next growth charges in addition.
    pub(crate) fn growth_bytes(&self) -> usize {
        self.capacity.max(FIRST_TIMERS) * BYTES_PER_TIMER
    }

    /// Doubles the room; `charge` covers [`TimerHeap::growth_bytes`].
    pub(crate) fn grow(&mut self, charge: Charge) {
        self.capacity += self.capacity.max(FIRST_TIMERS);
        self.entries
            .reserve_exact(self.capacity - self.entries.len());
        self.slots.reserve_exact(self.capacity - self.slots.len());
        self.free.reserve_exact(self.capacity - self.free.len());
        self.charge.absorb(charge);
    }

    /// The slot of the next timer to add, which its record has to carry.
    #[inline]
    pub(crate) fn next_slot(&self) -> u32 {
        self.free.last().copied().unwrap_or(self.slots.len() as u32)
    }

    /// Adds a timer; there must be room. Says whether it is the new head.
    pub(crate) fn push(&mut self, timestamp: i64, key_group_slot: usize, reference: Ref) -> bool {
        let position = self.entries.len() as u32;
        let entry = TimerSlot {
            reference,
            key_group_slot: key_group_slot as u32,
            position,
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = entry;
                slot
            }
            None => {
                self.slots.push(entry);
                self.slots.len() as u32 - 1
            }
        };
        self.entries.push(HeapEntry { timestamp, slot });
        self.sift_up(position as usize) == 0
    }

    /// The timer that fires first.
    #[inline]
    pub(crate) fn head(&self) -> Option<TimerSlot> {
        self.entries
            .first()
            .map(|entry| self.slots[entry.slot as usize])
    }

    /// The timer's record has moved.
    #[inline]
    pub(crate) fn moved(&mut self, slot: u32, reference: Ref) {
        self.slots[slot as usize].reference = reference;
    }

    /// Removes a timer; says whether it was the head.
    pub(crate) fn remove(&mut self, slot: u32) -> bool {
        let position = self.slots[slot as usize].position as usize;
        debug_assert_ne!(position as u32, NOT_IN_HEAP);
        self.slots[slot as usize].position = NOT_IN_HEAP;
        self.free.push(slot);
        let last = self
            .entries
            .pop()
            .expect("a timer that is removed is in the heap");
        if position < self.entries.len() {
            self.entries[position] = last;
            let at = self.sift_up(position);
            self.sift_down(at);
        }
        position == 0
    }

    /// Forgets all timers and frees the memory.
    pub(crate) fn clear(&mut self) {
        self.entries = Vec::new();
        self.slots = Vec::new();
        self.free = Vec::new();
        self.capacity = 0;
        self.charge.shrink_to(0);
    }

    fn sift_up(&mut self, mut at: usize) -> usize {
        let entry = self.entries[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.entries[parent].timestamp <= entry.timestamp {
                break;
            }
            self.put(at, self.entries[parent]);
            at = parent;
        }
        self.put(at, entry);
        at
    }

    fn sift_down(&mut self, mut at: usize) {
        let entry = self.entries[at];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.entries.len() {
                break;
            }
            if child + 1 < self.entries.len()
                && self.entries[child + 1].timestamp < self.entries[child].timestamp
            {
                child += 1;
            }
            if self.entries[child].timestamp >= entry.timestamp {
                break;
            }
            self.put(at, self.entries[child]);
            at = child;
        }
        self.put(at, entry);
    }

    #[inline]
    fn put(&mut self, at: usize, entry: HeapEntry) {
        self.entries[at] = entry;
        self.slots[entry.slot as usize].position = at as u32;
    }
}
