//! Walking the rows of the living store, a piece at a time. A cursor is a bucket or sequence number;
//! it means something as long as no row is added or removed (a map's cursor: always).

use crate::key_group::{KeyGroup, hash_of};
use crate::list_rows::{join, length_of};
use crate::record::Record;
use crate::state::StateKind;
use crate::store::{Door, Store};
use crate::table::Table;
use sf_core::Result;

/// Rows of a map that are asked for ahead of the one that is read: they lie anywhere in memory.
const PREFETCHED: usize = 8;

/// A row of [`Store::scan_rows`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScannedRow<'a> {
    /// `[key][namespace]`, and for maps `[user key]`.
    pub key: &'a [u8],
    /// Length of `[key][namespace]`; the whole key unless the state is a map.
    pub prefix_len: usize,
    /// The value; a list's joined elements.
    pub value: &'a [u8],
}

impl KeyGroup {
    /// The table that a scan walks.
    fn scanned(&self, state: u16, by_prefix: bool) -> &Table {
        let rows = &self.states[state as usize];
        match by_prefix {
            true => &rows.prefixes,
            false => &rows.table,
        }
    }
}

impl Store {
    /// Hands entries of a map, from a cursor on and in insertion order, to `visit(entry, length of the user key
    /// in it)` until it says `false`; an entry is user key and value, one behind the other. Returns the cursor to go on from (that of the refused entry), `None` at the end. The
    /// cursor outlives changes: what is there throughout is seen once.
    pub fn scan_map(
        &mut self,
        state: i32,
        key_group: i32,
        prefix: &[u8],
        cursor: i64,
        mut visit: impl FnMut(&[u8], usize) -> bool,
    ) -> Result<Door<Option<i64>>> {
        let (state, slot) = self.locate(state, StateKind::Map, key_group)?;
        let group = &self.groups[slot];
        let number = match group.list_of(state, hash_of(prefix), prefix) {
            Ok(Some(number)) => number,
            Ok(None) => return Ok(Door::Done(None)),
            Err(need) => return self.door(state, slot, Err(need)),
        };
        let mut visited = 0;
        let from = u32::try_from(cursor).unwrap_or(u32::MAX);
        let members = group.states[state as usize].lists[number as usize].slice_from(from);
        members
            .iter()
            .take(PREFETCHED)
            .for_each(|member| group.arena.prefetch(member.1));
        for (at, (seq, reference)) in members.iter().enumerate() {
            if let Some(ahead) = members.get(at + PREFETCHED) {
                group.arena.prefetch(ahead.1);
            }
            if *reference == 0 {
                continue;
            }
            let record = match group.resident(*reference) {
                Ok(record) => record,
                // The entries before it are a page.
                Err(_) if visited > 0 => return Ok(Door::Done(Some(i64::from(*seq)))),
                Err(need) => return self.door(state, slot, Err(need)),
            };
            let user_key_len = record.key().len() - prefix.len();
            if !visit(&record.key_and_value()[prefix.len()..], user_key_len) {
                return Ok(Door::Done(Some(i64::from(*seq))));
            }
            visited += 1;
        }
        Ok(Door::Done(None))
    }

    /// Hands each distinct `[key][namespace]` (timers: each element) of a key group to `visit` until it says
    /// `false`; cursors as for [`Store::scan_map`], but no row may come or go in between.
    pub fn scan_keys(
        &mut self,
        state: i32,
        key_group: i32,
        cursor: i64,
        mut visit: impl FnMut(&[u8]) -> bool,
    ) -> Result<Option<i64>> {
        let kind = self.kind_of(state);
        self.scan(
            state,
            kind,
            key_group,
            cursor,
            matches!(kind, StateKind::List | StateKind::Map),
            |records| {
                let first = records[0];
                let key = match kind {
                    StateKind::Map => &first.key()[..first.extension().prefix_len as usize],
                    _ => first.key(),
                };
                visit(key)
            },
        )
    }

    /// Hands each row of a key group (a list as one row) to `visit` until it says `false`. Between calls the
    /// values of rows may be replaced, but no row may come or go.
    pub fn scan_rows(
        &mut self,
        state: i32,
        key_group: i32,
        cursor: i64,
        mut visit: impl FnMut(ScannedRow<'_>) -> bool,
    ) -> Result<Option<i64>> {
        let kind = self.kind_of(state);
        let mut joined = Vec::new();
        self.scan(
            state,
            kind,
            key_group,
            cursor,
            kind == StateKind::List,
            |records| {
                let key = records[0].key();
                let value = match records {
                    [only] => only.value(),
                    chunks => {
                        joined.resize(length_of(chunks.iter().copied()), 0);
                        join(chunks.iter().map(|chunk| chunk.value()), &mut joined);
                        &joined
                    }
                };
                let prefix_len = match kind {
                    StateKind::Map => records[0].extension().prefix_len as usize,
                    _ => key.len(),
                };
                visit(ScannedRow {
                    key,
                    prefix_len,
                    value,
                })
            },
        )
    }

    fn kind_of(&self, state: i32) -> StateKind {
        self.states
            .get(state as usize)
            .map_or(StateKind::Value, |info| info.kind)
    }

    fn scan(
        &mut self,
        state: i32,
        kind: StateKind,
        key_group: i32,
        cursor: i64,
        by_prefix: bool,
        mut visit: impl FnMut(&[Record]) -> bool,
    ) -> Result<Option<i64>> {
        let (state, slot) = self.locate(state, kind, key_group)?;
        let buckets = self.groups[slot].scanned(state, by_prefix).buckets();
        let mut records = Vec::new();
        for bucket in usize::try_from(cursor).unwrap_or(usize::MAX)..buckets {
            let Some(found) = self.groups[slot].scanned(state, by_prefix).at(bucket) else {
                continue;
            };
            self.insist(state, slot, |group, _, _| {
                records.clear();
                match (by_prefix, kind) {
                    (true, StateKind::List) => {
                        group.all_resident(state, found - 1)?;
                        records.extend(group.chunks_of(state, found - 1));
                    }
                    (true, _) => {
                        let list = &group.states[state as usize].lists[found as usize - 1];
                        if let Some(first) = list.first() {
                            records.push(group.resident(first)?);
                        }
                    }
                    (false, _) => {
                        let table = group.scanned(state, by_prefix);
                        let reference = table.at(bucket).unwrap_or(found);
                        records.push(group.resident(reference)?);
                    }
                }
                Ok(())
            })?;
            if !visit(&records) {
                return Ok(Some(bucket as i64));
            }
        }
        Ok(None)
    }
}
