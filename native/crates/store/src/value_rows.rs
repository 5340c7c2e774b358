//! Rows of value states: one row per `[key][namespace]`.

use crate::key_group::{Context, KeyGroup, Need, Op};
use crate::record::{FRESH, NewRecord, Record};

impl KeyGroup {
    /// The row of a key.
    #[inline]
    pub(crate) fn value_get(&self, state: u16, hash: u32, key: &[u8]) -> Op<Option<Record>> {
        let bucket = self.find(state, hash, key)?;
        Ok(bucket.map(|bucket| self.row(state, bucket).1))
    }

    /// Inserts or replaces.
    #[inline]
    pub(crate) fn value_put(
        &mut self,
        context: &Context,
        state: u16,
        hash: u32,
        key: &[u8],
        value: &[u8],
    ) -> Op<()> {
        if let Some(bucket) = self.find(state, hash, key)? {
            let (old, _) = self.row(state, bucket);
            if let Some(moved) = self.rewrite(context, old, value)? {
                self.states[state as usize].table.set(bucket, moved);
            }
            return Ok(());
        }
        if !self.states[state as usize].table.has_room() {
            return Err(Need::Table);
        }
        let new = NewRecord {
            state,
            ordinal: self.next_ordinal(state),
            flags: FRESH,
            extension: None,
            key,
            value,
            capacity: value.len(),
        };
        let reference = self.append(context, &new)?;
        self.states[state as usize].table.insert(hash, reference);
        Ok(())
    }

    /// Removes; says whether there was a row.
    #[inline]
    pub(crate) fn value_remove(
        &mut self,
        context: &Context,
        state: u16,
        hash: u32,
        key: &[u8],
    ) -> Op<bool> {
        let Some(bucket) = self.find(state, hash, key)? else {
            return Ok(false);
        };
        let (reference, _) = self.row(state, bucket);
        self.bury(context, reference)?;
        self.states[state as usize].table.remove(bucket);
        Ok(true)
    }
}
