//! A snapshot as Flink's canonical rows: per key group, per state, a list's chunks joined.

use crate::out::Page;
use sf_core::Result;
use sf_store::{Frozen, FrozenRow, Position, StateKind, join_chunks};

/// Reads a frozen store in the order (key group, state).
#[derive(Debug, Default)]
pub(crate) struct CanonicalReader {
    group: usize,
    state: usize,
    position: Position,
    /// Chunks of the list state at hand, sorted by key and place; `None` before they are gathered.
    /// Their lifetime is that of the snapshot's chunks, which the owner of both keeps.
    chunks: Option<Vec<FrozenRow<'static>>>,
    next_chunk: usize,
}

impl CanonicalReader {
    /// Fills a page: `[i64 unused][i32 n]`, entries
    /// `[i32 key group][i32 state][i32 key length][i32 value length][key][value]`. 0: no row is left.
    ///
    /// # Safety
    /// Always the same `frozen`, which outlives the reader.
    pub(crate) unsafe fn fill(&mut self, frozen: &mut Frozen, out: &mut [u8]) -> Result<i32> {
        let mut page = Page::new(out);
        while let Some(group) = frozen.groups().get(self.group) {
            let Some(info) = frozen.states().get(self.state) else {
                frozen.release(self.group);
                (self.group, self.state) = (self.group + 1, 0);
                continue;
            };
            if group.live_rows(self.state as u16) > 0 {
                frozen.load(self.group)?;
                let full = match info.kind {
                    // SAFETY: the caller's promise.
                    StateKind::List => unsafe { self.lists(frozen, &mut page) },
                    _ => self.rows(frozen, &mut page),
                };
                if full {
                    break;
                }
            }
            self.state += 1;
            self.position = Position::default();
        }
        Ok(match page.is_empty() && !page.refused() {
            true => 0,
            false => page.finish(0),
        })
    }

    /// Rows of a state that is no list; says whether the page is full.
    fn rows(&mut self, frozen: &Frozen, page: &mut Page<'_>) -> bool {
        let mut rows = frozen.rows(self.group, false, Some(self.state as u16), self.position);
        loop {
            self.position = rows.position();
            let Some(row) = rows.next() else { return false };
            if !self.entry(frozen, page, row.key, &[row]) {
                return true;
            }
        }
    }

    /// Rows of a list state; says whether the page is full.
    unsafe fn lists(&mut self, frozen: &Frozen, page: &mut Page<'_>) -> bool {
        if self.chunks.is_none() {
            let rows = frozen.rows(
                self.group,
                false,
                Some(self.state as u16),
                Position::default(),
            );
            // SAFETY: keys and values lie in chunks that `frozen` pins, and it outlives the reader.
            let rows = rows.map(|row| unsafe {
                std::mem::transmute::<FrozenRow<'_>, FrozenRow<'static>>(row)
            });
            let mut chunks: Vec<_> = rows.collect();
            chunks.sort_unstable_by(|a, b| (a.key, a.seq).cmp(&(b.key, b.seq)));
            self.chunks = Some(chunks);
            self.next_chunk = 0;
        }
        let chunks = self.chunks.take().unwrap_or_default();
        while let Some(first) = chunks.get(self.next_chunk) {
            let rest = &chunks[self.next_chunk..];
            let same = rest
                .iter()
                .take_while(|chunk| chunk.key == first.key)
                .count();
            if !self.entry(frozen, page, first.key, &rest[..same]) {
                self.chunks = Some(chunks);
                return true;
            }
            self.next_chunk += same;
        }
        false
    }

    fn entry(
        &self,
        frozen: &Frozen,
        page: &mut Page<'_>,
        key: &[u8],
        pieces: &[FrozenRow<'_>],
    ) -> bool {
        let joined =
            |sum, piece: &FrozenRow<'_>| sf_codec::list::joined_len(sum, piece.value.len());
        let value_len = pieces.iter().fold(0, joined);
        let Some(out) = page.entry(16 + key.len() + value_len) else {
            return false;
        };
        out.i32(frozen.groups()[self.group].key_group() as i32);
        out.i32(self.state as i32);
        out.i32(key.len() as i32);
        out.i32(value_len as i32);
        out.bytes(key);
        join_chunks(pieces.iter().map(|piece| piece.value), out.space(value_len));
        true
    }
}
