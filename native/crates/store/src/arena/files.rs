//! Chunks that leave memory for files, and what is known of them there.

use super::{
    ALIGN, Arena, FIRST_CHUNK, FrozenRecords, Home, Moment, OldChunk, Place, Record, Ref,
    UNIT_BITS, UNIT_MASK,
};
use crate::region::Words;
use sf_core::Result;
use std::sync::Arc;

impl Arena {
    /// A record of a spilled chunk was moved to memory; `size` is the old one's.
    pub(crate) fn kill_spilled(&mut self, reference: Ref, size: usize) {
        let number = reference >> UNIT_BITS;
        let slot = self.slots[number as usize].as_mut();
        let slot = slot.expect("a living record's chunk is there");
        slot.dead.add(reference & UNIT_MASK);
        slot.live -= size;
        self.live -= size;
        self.spilled_live -= size;
        if slot.live == 0 {
            self.drained.push(number);
        }
    }

    /// The place of a record that is in a file: the chunk's, and the record's first unit in it.
    pub(crate) fn spilled(&self, reference: Ref) -> Option<(Arc<Place>, u32)> {
        let slot = self
            .slots
            .get((reference >> UNIT_BITS) as usize)?
            .as_ref()?;
        match slot.home.get() {
            Home::Disk(place) => Some((place, reference & UNIT_MASK)),
            Home::Memory(_) => None,
        }
    }

    /// The chunks in memory that nothing is appended to, the oldest first.
    pub(crate) fn by_age(&self) -> Vec<OldChunk> {
        let mut chunks: Vec<OldChunk> = self
            .slots()
            .map(|(number, slot)| OldChunk {
                born: slot.born,
                number,
            })
            .filter(|chunk| self.weight(*chunk).is_some())
            .collect();
        chunks.sort_unstable();
        chunks
    }

    /// Appends to a new chunk from now on, so that the newest may go to a file. `false`: nothing is in it.
    pub(crate) fn retire_newest(&mut self) -> bool {
        let Some(number) = self.current.take() else {
            return false;
        };
        self.drained
            .extend(Some(number).filter(|number| self.is_drained(*number)));
        self.next_chunk = FIRST_CHUNK.min(self.usual_chunk);
        true
    }

    /// What is the newest chunk now.
    pub(crate) fn moment(&self) -> Moment {
        Moment {
            born: self.chunks_made,
            appended: [self.current, self.large],
        }
    }

    /// Whether something may have been appended to a chunk since.
    pub(crate) fn is_since(moment: Moment, chunk: OldChunk) -> bool {
        chunk.born > moment.born || moment.appended.contains(&Some(chunk.number))
    }

    /// Bytes of a chunk in memory that nothing is appended to, and the share of it that lives, in percent. `None`:
    /// the chunk is no longer one.
    pub(crate) fn weight(&self, chunk: OldChunk) -> Option<(usize, usize)> {
        let number = Some(chunk.number);
        let slot = self.slots[chunk.number as usize].as_ref()?;
        let same = slot.born == chunk.born && slot.capacity > 0;
        (same && self.current != number && self.large != number)
            .then_some((slot.capacity, slot.live * 100 / slot.len))
    }

    /// Reads a spilled chunk; also where its living records are.
    pub(crate) fn living_in_file(&self, number: u32) -> Result<Option<(Words, Vec<Ref>)>> {
        let Some(slot) = &self.slots[number as usize] else {
            return Ok(None);
        };
        let Home::Disk(place) = slot.home.get() else {
            return Ok(None);
        };
        let words = place.read_all()?;
        let mut living = Vec::new();
        let mut records = FrozenRecords::read_back(&words, 0, slot.len);
        loop {
            let offset = records.offset();
            let Some(record) = records.next() else { break };
            if record.death().is_alive() && !slot.dead.contains(offset) {
                living.push(number << UNIT_BITS | (offset / ALIGN) as u32);
            }
        }
        Ok(Some((words, living)))
    }

    /// The record of a chunk that [`Arena::living_in_file`] read.
    pub(crate) fn read_back(words: &Words, reference: Ref) -> Option<Record> {
        let offset = (reference & UNIT_MASK) as usize * ALIGN;
        FrozenRecords::read_back(words, offset, size_of_val(&**words)).next()
    }

    /// What was written of a chunk in memory.
    pub(crate) fn bytes(&self, number: u32) -> &[u8] {
        let len = self.slots[number as usize]
            .as_ref()
            .map_or(0, |slot| slot.len);
        let base = self.bases[number as usize];
        assert!(!base.is_null(), "the chunk is in memory");
        // SAFETY: so much was written; the task thread, which alone writes, has the arena borrowed. A reader beside
        // it only reads.
        unsafe { std::slice::from_raw_parts(base, len) }
    }

    /// A chunk in memory was written to a file: its memory is given back, unless a snapshot is just reading it.
    pub(crate) fn move_to_disk(&mut self, number: u32, place: Place) {
        let slot = self.slots[number as usize].as_mut();
        let slot = slot.expect("the chunk is there");
        drop(slot.home.set(Home::Disk(Arc::new(place))));
        self.allocated -= std::mem::take(&mut slot.capacity);
        self.spilled += slot.len;
        self.spilled_live += slot.live;
        self.bases[number as usize] = std::ptr::null_mut();
    }

    /// Bytes in files, and bytes of living records in them.
    pub(crate) fn spilled_bytes(&self) -> (usize, usize) {
        (self.spilled, self.spilled_live)
    }

    /// The spilled chunk of which least lives, if less than half does.
    pub(crate) fn emptiest_spilled(&self) -> Option<u32> {
        self.slots()
            .filter(|(_, slot)| slot.capacity == 0 && slot.live * 2 < slot.len)
            .min_by_key(|(_, slot)| slot.live * 1000 / slot.len)
            .map(|(number, _)| number)
    }
}
