//! Rows of timer states: a set of elements (their bytes are the key) and their place in the heap.

use crate::key_group::{Context, KeyGroup, Need, Op, hash_of};
use crate::record::{Extension, FRESH, NewRecord};
use crate::timer_heap::TimerHeap;
use sf_codec::order::timestamp_from_bytes;

/// What a change did to a timer state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimerChange {
    /// The element was there already, or was not there to remove.
    Nothing,
    /// The set changed, its head did not.
    Changed,
    /// The set changed and so did its head.
    HeadChanged,
}

impl KeyGroup {
    /// Adds an element.
    pub(crate) fn timer_add(
        &mut self,
        context: &Context,
        heap: &mut TimerHeap,
        state: u16,
        slot: usize,
        element: &[u8],
    ) -> Op<TimerChange> {
        let hash = hash_of(element);
        if self.find(state, hash, element)?.is_some() {
            return Ok(TimerChange::Nothing);
        }
        if !self.states[state as usize].table.has_room() {
            return Err(Need::Table);
        }
        if !heap.has_room() {
            return Err(Need::Timers);
        }
        let extension = Extension {
            owner: heap.next_slot(),
            ..Extension::default()
        };
        let new = NewRecord {
            state,
            ordinal: self.next_ordinal(state),
            flags: FRESH,
            extension: Some(extension),
            key: element,
            value: &[],
            capacity: 0,
        };
        let reference = self.append(context, &new)?;
        self.states[state as usize].table.insert(hash, reference);
        Ok(
            match heap.push(timestamp_from_bytes(element), slot, reference) {
                true => TimerChange::HeadChanged,
                false => TimerChange::Changed,
            },
        )
    }

    /// Removes an element.
    pub(crate) fn timer_remove(
        &mut self,
        context: &Context,
        heap: &mut TimerHeap,
        state: u16,
        element: &[u8],
    ) -> Op<TimerChange> {
        let Some(bucket) = self.find(state, hash_of(element), element)? else {
            return Ok(TimerChange::Nothing);
        };
        let (reference, record) = self.row(state, bucket);
        let place = record.extension();
        self.bury(context, reference)?;
        self.states[state as usize].table.remove(bucket);
        Ok(match heap.remove(place.owner) {
            true => TimerChange::HeadChanged,
            false => TimerChange::Changed,
        })
    }

    /// Puts elements that a restore loaded into the heap.
    pub(crate) fn timers_into_heap(&self, heap: &mut TimerHeap, state: u16, slot: usize) {
        let table = &self.states[state as usize].table;
        for reference in (0..table.buckets()).filter_map(|bucket| table.at(bucket)) {
            let record = self.arena.record(reference);
            record.set_place(heap.next_slot(), 0);
            heap.push(timestamp_from_bytes(record.key()), slot, reference);
        }
    }
}
