//! Open-addressing hash table of record references: eight bytes a slot, so one cache line holds eight
//! candidates, growth never touches a record, and a bucket number is a scan cursor.

use crate::region::Words;
use sf_core::{Charge, MemoryBudget};
use std::sync::Arc;

/// Reference to something in a table: a record in an arena, or a member list. Never zero.
pub(crate) type Ref = u32;

const FIRST_SLOTS: usize = 8;

/// Linear probing, at most three quarters full, removal by shifting back.
#[derive(Debug)]
pub(crate) struct Table {
    /// `hash << 32 | reference`; zero is empty.
    slots: Words,
    len: usize,
    charge: Charge,
}

impl Table {
    pub(crate) fn new(budget: &Arc<MemoryBudget>) -> Self {
        Self {
            slots: Words::none(),
            len: 0,
            charge: Charge::none(budget),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Slots, empty ones included; cursors run below it.
    pub(crate) fn buckets(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn charged(&self) -> i64 {
        self.charge.bytes()
    }

    /// What the slot refers to, `None` when empty.
    #[inline]
    pub(crate) fn at(&self, bucket: usize) -> Option<Ref> {
        match self.slots[bucket] as u32 {
            0 => None,
            reference => Some(reference),
        }
    }

    /// Whether one more entry fits without growth.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        (self.len + 1) * 4 <= self.slots.len() * 3
    }

    /// The bucket of the entry with this hash that `is_it` accepts.
    #[inline]
    pub(crate) fn find(&self, hash: u32, mut is_it: impl FnMut(Ref) -> bool) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut bucket = hash as usize & mask;
        loop {
            let slot = self.slots[bucket];
            if slot == 0 {
                return None;
            }
            if (slot >> 32) as u32 == hash && is_it(slot as u32) {
                return Some(bucket);
            }
            bucket = (bucket + 1) & mask;
        }
    }

    /// Adds an entry that is not there; there must be room.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u32, reference: Ref) {
        debug_assert!(self.has_room() && reference != 0);
        place(
            &mut self.slots,
            u64::from(hash) << 32 | u64::from(reference),
        );
        self.len += 1;
    }

    /// Lets a bucket refer to something else with the same hash.
    #[inline]
    pub(crate) fn set(&mut self, bucket: usize, reference: Ref) {
        let slot = &mut self.slots[bucket];
        *slot = *slot & !0xffff_ffff | u64::from(reference);
    }

    /// Empties a bucket and closes the gap.
    pub(crate) fn remove(&mut self, bucket: usize) {
        let mask = self.slots.len() - 1;
        let mut gap = bucket;
        let mut next = bucket;
        loop {
            next = (next + 1) & mask;
            let slot = self.slots[next];
            if slot == 0 {
                break;
            }
            let home = (slot >> 32) as usize & mask;
            // The entry may move to the gap unless its home lies behind the gap, cyclically.
            if (next.wrapping_sub(home) & mask) >= (next.wrapping_sub(gap) & mask) {
                self.slots[gap] = slot;
                gap = next;
            }
        }
        self.slots[gap] = 0;
        self.len -= 1;
    }

    /// Bytes that the next growth charges.
    pub(crate) fn growth_bytes(&self) -> usize {
        (self.slots.len() * 2).max(FIRST_SLOTS) * size_of::<u64>()
    }

    /// Doubles the table; `charge` is for [`Table::growth_bytes`]. Old memory is freed. `false`: the system
    /// has no more memory, and nothing is changed.
    pub(crate) fn grow(&mut self, charge: Charge) -> bool {
        let Some(mut slots) = Words::zeroed((self.slots.len() * 2).max(FIRST_SLOTS)) else {
            return false;
        };
        self.slots
            .iter()
            .filter(|slot| **slot != 0)
            .for_each(|slot| place(&mut slots, *slot));
        self.slots = slots;
        self.charge = charge;
        true
    }
}

#[inline]
fn place(slots: &mut [u64], slot: u64) {
    let mask = slots.len() - 1;
    let mut bucket = (slot >> 32) as usize & mask;
    while slots[bucket] != 0 {
        bucket = (bucket + 1) & mask;
    }
    slots[bucket] = slot;
}
