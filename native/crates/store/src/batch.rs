//! The batch door: the same tables, a column of keys at a time.

use crate::key_group::hash_of;
use crate::record::Record;
use crate::state::StateKind;
use crate::store::Store;
use sf_core::{Error, Result};

/// A column of keys, each with its key group: what one native operator asks for at once.
#[derive(Debug, Clone, Copy)]
pub struct KeyBatch<'a> {
    /// Key bytes, one behind the other.
    pub bytes: &'a [u8],
    /// `n + 1` offsets into `bytes`, as Arrow has them.
    pub offsets: &'a [i32],
    /// `n` absolute key groups.
    pub key_groups: &'a [i32],
}

impl<'a> KeyBatch<'a> {
    /// Keys in the batch.
    pub fn len(&self) -> usize {
        self.key_groups.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.key_groups.is_empty()
    }

    fn check(&self) -> Result<()> {
        let fits = self.offsets.len() == self.len() + 1
            && self.offsets.is_sorted()
            && self.offsets.first().is_some_and(|first| *first >= 0)
            && self
                .offsets
                .last()
                .is_some_and(|last| *last as usize <= self.bytes.len());
        if fits {
            Ok(())
        } else {
            Err(Error::user(
                "the offsets of a key batch do not fit its bytes",
            ))
        }
    }

    fn key(&self, row: usize) -> &'a [u8] {
        &self.bytes[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }
}

impl Store {
    /// Looks up every key of a value state; `found` is told row number and value, in row order.
    ///
    /// Hashes first, then probes, so that the cache misses of neighbouring rows overlap.
    pub fn get_batch(
        &mut self,
        state: i32,
        keys: KeyBatch<'_>,
        mut found: impl FnMut(usize, Option<&[u8]>),
    ) -> Result<()> {
        keys.check()?;
        const STRIDE: usize = 16;
        for from in (0..keys.len()).step_by(STRIDE) {
            let rows = from..(from + STRIDE).min(keys.len());
            let mut probes = [(0_u16, 0_usize, Ok(None)); STRIDE];
            for row in rows.clone() {
                let (state, slot) = self.locate(state, StateKind::Value, keys.key_groups[row])?;
                let key = keys.key(row);
                let record = self.groups[slot].value_get(state, hash_of(key), key);
                probes[row - from] = (state, slot, record);
            }
            let in_memory = probes.iter().all(|(_, _, record)| record.is_ok());
            for row in rows {
                let (state, slot, record) = probes[row - from];
                let record = match record {
                    Ok(record) if in_memory => record,
                    // What comes back from a file may move what the other probes found.
                    _ => self.insist(state, slot, |group, _, _| {
                        group.value_get(state, hash_of(keys.key(row)), keys.key(row))
                    })?,
                };
                found(row, record.map(Record::value));
            }
        }
        Ok(())
    }

    /// Sets every key of a value state: `value(row, old value)` gives the new one, `None` removes the row.
    /// A key that occurs twice sees its first change.
    pub fn update_batch<V: AsRef<[u8]>>(
        &mut self,
        state: i32,
        keys: KeyBatch<'_>,
        mut value: impl FnMut(usize, Option<&[u8]>) -> Option<V>,
    ) -> Result<()> {
        keys.check()?;
        for row in 0..keys.len() {
            let (state, slot) = self.locate(state, StateKind::Value, keys.key_groups[row])?;
            let (key, hash) = (keys.key(row), hash_of(keys.key(row)));
            let old = self.insist(state, slot, |group, _, _| group.value_get(state, hash, key))?;
            match value(row, old.map(|record| record.value())) {
                Some(new) => self.insist(state, slot, |group, context, _| {
                    group.value_put(context, state, hash, key, new.as_ref())
                })?,
                None if old.is_some() => self.insist(state, slot, |group, context, _| {
                    group.value_remove(context, state, hash, key).map(drop)
                })?,
                None => {}
            }
        }
        Ok(())
    }

    /// Sets every key of a value state to the value of its row; returns when all are done.
    pub fn put_batch<'v>(
        &mut self,
        state: i32,
        keys: KeyBatch<'_>,
        value: impl Fn(usize) -> &'v [u8],
    ) -> Result<()> {
        self.update_batch(state, keys, |row, _| Some(value(row)))
    }
}
