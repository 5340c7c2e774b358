//! Rows of map states: one row per entry, found by the whole `[key][namespace][user key]`, and a member
//! list per `[key][namespace]` for iteration in insertion order.

use crate::key_group::{Context, KeyGroup, Need, Op, hash_of};
use crate::record::{Extension, FRESH, NewRecord};
use crate::table::Ref;

/// Rows that one bounded call deletes at most.
pub(crate) const DELETES_PER_CALL: usize = 1024;

impl KeyGroup {
    /// Inserts or replaces an entry; `prefix_len` is the length of `[key][namespace]` within `key`.
    #[inline]
    pub(crate) fn map_put(
        &mut self,
        context: &Context,
        state: u16,
        hash: u32,
        key: &[u8],
        prefix_len: usize,
        value: &[u8],
    ) -> Op<()> {
        if let Some(bucket) = self.find(state, hash, key)? {
            let (old, record) = self.row(state, bucket);
            if let Some(moved) = self.rewrite(context, old, value)? {
                let place = record.extension();
                let rows = &mut self.states[state as usize];
                rows.table.set(bucket, moved);
                rows.lists[place.owner as usize].set(place.seq, moved);
            }
            return Ok(());
        }
        if !self.states[state as usize].table.has_room() {
            return Err(Need::Table);
        }
        let reference = self.insert_member(context, state, key, prefix_len, value, value.len())?;
        self.states[state as usize].table.insert(hash, reference);
        Ok(())
    }

    /// Appends a new row to the member list of its prefix, which is opened if need be.
    pub(crate) fn insert_member(
        &mut self,
        context: &Context,
        state: u16,
        key: &[u8],
        prefix_len: usize,
        value: &[u8],
        capacity: usize,
    ) -> Op<Ref> {
        let prefix = &key[..prefix_len];
        let prefix_hash = hash_of(prefix);
        let known = self.list_of(state, prefix_hash, prefix)?;
        let rows = &self.states[state as usize];
        match known {
            Some(number) if !rows.lists[number as usize].has_room() => {
                return Err(Need::Members(number));
            }
            None if !rows.prefixes.has_room() => return Err(Need::Prefixes),
            None if !rows.has_list_room() => return Err(Need::Lists),
            _ => {}
        }
        let mut extension = Extension {
            prefix_len: prefix_len as u32,
            ..Extension::default()
        };
        let mut new = NewRecord {
            state,
            ordinal: rows.written,
            flags: FRESH,
            extension: Some(extension),
            key,
            value,
            capacity,
        };
        self.room_for(&new)?;
        let rows = &mut self.states[state as usize];
        extension.owner = known.unwrap_or_else(|| rows.open_list(prefix_hash));
        extension.seq = rows.lists[extension.owner as usize].next_seq();
        new.extension = Some(extension);
        let reference = self.append_now(context, &new);
        self.states[state as usize].lists[extension.owner as usize].push(reference);
        Ok(reference)
    }

    /// Removes an entry; says whether it was there.
    #[inline]
    pub(crate) fn map_remove(
        &mut self,
        context: &Context,
        state: u16,
        hash: u32,
        key: &[u8],
    ) -> Op<bool> {
        let Some(bucket) = self.find(state, hash, key)? else {
            return Ok(false);
        };
        let (reference, record) = self.row(state, bucket);
        let place = record.extension();
        self.bury(context, reference)?;
        self.states[state as usize].table.remove(bucket);
        self.leave_list(state, place);
        Ok(true)
    }

    /// Entries of a map.
    pub(crate) fn map_size(&self, state: u16, prefix: &[u8]) -> Op<u32> {
        let list = self.list_of(state, hash_of(prefix), prefix)?;
        Ok(list.map_or(0, |number| {
            self.states[state as usize].lists[number as usize].live()
        }))
    }

    /// Removes entries, a bounded number; returns how many are left.
    pub(crate) fn map_clear(&mut self, context: &Context, state: u16, prefix: &[u8]) -> Op<u32> {
        let prefix_hash = hash_of(prefix);
        for _ in 0..DELETES_PER_CALL {
            let Some(number) = self.list_of(state, prefix_hash, prefix)? else {
                return Ok(0);
            };
            let first = self.states[state as usize].lists[number as usize].first();
            let Some(reference) = first else { return Ok(0) };
            let record = self.resident(reference)?;
            self.map_remove(context, state, hash_of(record.key()), record.key())?;
        }
        self.map_size(state, prefix)
    }
}
