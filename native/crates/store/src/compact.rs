//! Reclaiming chunks: the living records of a mostly dead chunk are copied behind the newest ones.

use crate::arena::Funding;
use crate::key_group::{Context, KeyGroup, hash_of};
use crate::record::{EXTENDED, FRESH, NewRecord, Record, TOMBSTONE};
use crate::state::{StateInfo, StateKind};
use crate::table::Ref;
use crate::timer_heap::TimerHeap;

/// A chunk that is at most so many percent live is worth copying when memory is short.
pub(crate) const SHORT_VICTIM_PERCENT: usize = 90;

/// Tables outside the key group that know where records are.
pub(crate) struct Owners<'a> {
    pub(crate) states: &'a [StateInfo],
    pub(crate) heaps: &'a mut [Option<TimerHeap>],
}

impl KeyGroup {
    /// Moves the living records out of a chunk and frees it. `None` when there is no memory to move to;
    /// otherwise the bytes copied. Writes the records with their own write epoch, so that what was in a
    /// checkpoint stays clean and what was not stays dirty.
    pub(crate) fn compact(
        &mut self,
        context: &Context,
        owners: &mut Owners<'_>,
        chunk: u32,
    ) -> Option<usize> {
        let mut copied = 0;
        for old in self.arena.references(chunk) {
            let record = self.arena.record(old);
            if !record.death().is_alive() {
                continue;
            }
            if record.has(TOMBSTONE) {
                let settled = record.write_epoch() <= context.base_epoch;
                if settled || !context.deltas_possible {
                    continue;
                }
            }
            copied += self.move_record(context, owners, old, record)?;
        }
        self.arena.abandon(chunk);
        Some(copied)
    }

    /// Compacts one chunk if any has enough dead records; says whether it did.
    pub(crate) fn compact_any(&mut self, context: &Context, owners: &mut Owners<'_>) -> bool {
        let victim = self.arena.victim(SHORT_VICTIM_PERCENT);
        victim.is_some_and(|victim| self.compact(context, owners, victim).is_some())
    }

    pub(crate) fn move_record(
        &mut self,
        context: &Context,
        owners: &mut Owners<'_>,
        old: Ref,
        record: Record,
    ) -> Option<usize> {
        let capacity = match record.write_epoch() == context.epoch {
            true => record.capacity(),
            false => record.value().len(),
        };
        let new = NewRecord {
            state: record.state(),
            ordinal: record.ordinal(),
            flags: if record.has(TOMBSTONE) {
                TOMBSTONE
            } else {
                freshness(record)
            },
            extension: record.has(EXTENDED).then(|| record.extension()),
            key: record.key(),
            value: record.value(),
            capacity,
        };
        let size = new.size();
        if !self.arena.make_room(size, Funding::Reserve) {
            return None;
        }
        let moved = self.arena.append(record.write_epoch(), &new);
        self.arena.kill(old, context.epoch);
        if !record.has(TOMBSTONE) {
            self.redirect(owners, record, old, moved);
        }
        Some(size)
    }

    pub(crate) fn redirect(
        &mut self,
        owners: &mut Owners<'_>,
        record: Record,
        old: Ref,
        moved: Ref,
    ) {
        let state = record.state() as usize;
        let place = record.extension();
        let kind = owners.states[state].kind;
        let rows = &mut self.states[state];
        if kind != StateKind::List {
            let hash = hash_of(record.key());
            let bucket = rows.table.find(hash, |reference| reference == old);
            rows.table
                .set(bucket.expect("a living row is in its table"), moved);
        }
        match kind {
            StateKind::List | StateKind::Map => {
                rows.lists[place.owner as usize].set(place.seq, moved);
            }
            StateKind::Timer => {
                if let Some(heap) = owners.heaps[state].as_mut() {
                    heap.moved(place.owner, moved);
                }
            }
            StateKind::Value => {}
        }
    }
}

pub(crate) fn freshness(record: Record) -> u8 {
    if record.has(FRESH) { FRESH } else { 0 }
}
