//! Rows of list states: the elements of one `[key][namespace]`, joined, cut into chunks. Adding touches
//! the last chunk only. A chunk's identity is its prefix and sequence; chunks are in no hash table.

use crate::key_group::{Context, KeyGroup, Need, Op, hash_of};
use crate::map_rows::DELETES_PER_CALL;
use crate::record::Record;
use sf_codec::list::{DELIMITER, joined_len};

/// A chunk of an older epoch below this size is written again together with the new element.
const SMALL: usize = 512;
/// A chunk grows up to this size, then a new one begins.
const FULL: usize = 4096;
/// Room of a new chunk, at least.
const FIRST_ROOM: usize = 32;

impl KeyGroup {
    /// Adds an element (or several, joined).
    pub(crate) fn list_add(
        &mut self,
        context: &Context,
        state: u16,
        prefix: &[u8],
        element: &[u8],
    ) -> Op<()> {
        let Some(number) = self.list_of(state, hash_of(prefix), prefix)? else {
            let room = element.len();
            return self
                .insert_member(context, state, prefix, prefix.len(), element, room)
                .map(drop);
        };
        let last = self.states[state as usize].lists[number as usize].last();
        let (seq, reference) = last.expect("a list that is in the table has a member");
        let record = self.resident(reference)?;
        let joined = joined_len(record.value().len(), element.len());
        let current = record.write_epoch() == context.epoch;
        if current && joined <= record.capacity() {
            // SAFETY: written in this epoch, so no snapshot sees it; the length was checked.
            unsafe { record.append_value(element) };
            return Ok(());
        }
        if joined <= FULL && (current || record.value().len() < SMALL) {
            let room = (joined * 2).clamp(FIRST_ROOM, FULL);
            let moved = self.replace(context, reference, record.value(), room)?;
            // SAFETY: the new version was written just now, with that much room.
            unsafe { self.arena.record(moved).append_value(element) };
            self.states[state as usize].lists[number as usize].set(seq, moved);
            return Ok(());
        }
        let room = (element.len() * 2)
            .clamp(FIRST_ROOM, FULL)
            .max(element.len());
        self.insert_member(context, state, prefix, prefix.len(), element, room)
            .map(drop)
    }

    /// Replaces the whole list by one chunk.
    pub(crate) fn list_put(
        &mut self,
        context: &Context,
        state: u16,
        prefix: &[u8],
        joined: &[u8],
    ) -> Op<()> {
        let Some(number) = self.list_of(state, hash_of(prefix), prefix)? else {
            let room = joined.len();
            return self
                .insert_member(context, state, prefix, prefix.len(), joined, room)
                .map(drop);
        };
        if self.states[state as usize].lists[number as usize].live() > 1 {
            return Err(Need::Shorten(number));
        }
        let last = self.states[state as usize].lists[number as usize].last();
        let (seq, reference) = last.expect("a list that is in the table has a member");
        self.resident(reference)?;
        if let Some(moved) = self.rewrite(context, reference, joined)? {
            self.states[state as usize].lists[number as usize].set(seq, moved);
        }
        Ok(())
    }

    /// Deletes the newest chunk of a list.
    pub(crate) fn list_drop_last(&mut self, context: &Context, state: u16, number: u32) -> Op<()> {
        let last = self.states[state as usize].lists[number as usize].last();
        let Some((_, reference)) = last else {
            return Ok(());
        };
        let place = self.resident(reference)?.extension();
        self.bury(context, reference)?;
        self.leave_list(state, place);
        Ok(())
    }

    /// The chunks of a list, oldest first.
    pub(crate) fn list_chunks(
        &self,
        state: u16,
        prefix: &[u8],
    ) -> Op<Option<impl Iterator<Item = Record> + Clone + '_>> {
        let Some(number) = self.list_of(state, hash_of(prefix), prefix)? else {
            return Ok(None);
        };
        self.all_resident(state, number)?;
        Ok(Some(self.chunks_of(state, number)))
    }

    /// Whether all members of a list are in memory.
    pub(crate) fn all_resident(&self, state: u16, number: u32) -> Op<()> {
        let list = &self.states[state as usize].lists[number as usize];
        let mut spilled = list
            .from(0)
            .filter(|(_, reference)| !self.arena.is_resident(*reference));
        match spilled.next() {
            Some((_, reference)) => Err(Need::Resident(reference)),
            None => Ok(()),
        }
    }

    /// The chunks of a member list, all of them in memory, oldest first.
    pub(crate) fn chunks_of(
        &self,
        state: u16,
        number: u32,
    ) -> impl Iterator<Item = Record> + Clone + '_ {
        let list = &self.states[state as usize].lists[number as usize];
        list.from(0)
            .map(|(_, reference)| self.arena.record(reference))
    }

    /// Removes chunks, a bounded number; returns how many are left.
    pub(crate) fn list_clear(&mut self, context: &Context, state: u16, prefix: &[u8]) -> Op<u32> {
        let Some(number) = self.list_of(state, hash_of(prefix), prefix)? else {
            return Ok(0);
        };
        for _ in 0..DELETES_PER_CALL {
            self.list_drop_last(context, state, number)?;
            // The last chunk takes the list with it, and its number may be another's.
            if self.list_of(state, hash_of(prefix), prefix)?.is_none() {
                return Ok(0);
            }
        }
        Ok(self.states[state as usize].lists[number as usize].live())
    }
}

/// Length of chunks joined.
pub(crate) fn length_of(chunks: impl Iterator<Item = Record>) -> usize {
    chunks.fold(0, |sum, chunk| joined_len(sum, chunk.value().len()))
}

/// Joins chunks into `out`, which has exactly that length.
pub fn join<'a>(values: impl Iterator<Item = &'a [u8]>, out: &mut [u8]) {
    let mut at = 0;
    for value in values {
        if at > 0 && !value.is_empty() {
            out[at] = DELIMITER;
            at += 1;
        }
        out[at..at + value.len()].copy_from_slice(value);
        at += value.len();
    }
}
