//! A safe way to call the C ABI, with the loops that the Java side has.

use crate::ModelEntry;
use std::collections::BTreeMap;
use streamfusion::{
    budget::{SfBudget, sf_budget_free, sf_budget_new, sf_budget_used},
    restore, row_door, scan, snapshot,
    snapshot::SfSnapshot,
    status,
    status::{SF_ABSENT, SF_NEEDS_RESERVE, SF_TOO_SMALL},
    store,
    store::SfStore,
};

/// Kind numbers of the ABI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    Value = 0,
    List = 1,
    Map = 2,
    Timer = 3,
}

/// One store with its budget. Every method panics on an error status, with the library's text.
#[derive(Debug)]
pub struct Driver {
    budget: *mut SfBudget,
    pub(crate) store: *mut SfStore,
}

/// A snapshot; free-standing, as for Java.
#[derive(Debug)]
pub struct Snapshot(pub(crate) *mut SfSnapshot);

/// A segment's number, its key groups' (key group, whole).
pub type SegmentParts = (i64, Vec<(i32, bool)>);

/// The last error of this thread.
pub fn last_error() -> String {
    let mut text = vec![0; 4096];
    // SAFETY: the buffer has that length.
    let len = unsafe { status::sf_last_error(text.as_mut_ptr(), text.len() as i32) };
    String::from_utf8_lossy(&text[..len as usize]).into_owned()
}

pub(crate) fn check(status: i32) -> i32 {
    assert!(status > SF_TOO_SMALL, "status {status}: {}", last_error());
    status
}

// SAFETY of every block below: the pointers are this driver's own, lengths are those of the slices.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Driver {
    /// A store for key groups 0 to `key_groups - 1`.
    pub fn new(limit: i64, key_groups: i32, chunk_bytes: i32) -> Self {
        Self::with_range(limit, key_groups, (0, key_groups - 1), chunk_bytes)
    }

    /// A store for some of the key groups.
    pub fn with_range(limit: i64, max: i32, range: (i32, i32), chunk_bytes: i32) -> Self {
        let budget = sf_budget_new(limit);
        let store = unsafe { store::sf_store_new(budget, max, range.0, range.1, chunk_bytes) };
        assert!(!store.is_null(), "{}", last_error());
        Self { budget, store }
    }

    /// Bytes charged.
    pub fn used(&self) -> i64 {
        unsafe { sf_budget_used(self.budget) }
    }

    /// Registers a state.
    pub fn register(&self, kind: Kind, name: &str) -> i32 {
        let len = name.len() as i32;
        check(unsafe { store::sf_state_register(self.store, kind as i32, name.as_ptr(), len, -1) })
    }

    /// Sets a state's time to live.
    pub fn set_ttl(&self, state: i32, millis: i64, offset: i32, flags: i32) {
        check(unsafe { store::sf_state_set_ttl(self.store, state, millis, offset, flags) });
    }

    /// Deletes every row of a state.
    pub fn clear_state(&self, state: i32) {
        check(unsafe { store::sf_state_clear_all(self.store, state) });
    }

    /// Background work; whether more waits.
    pub fn maintain(&self, now: i64) -> bool {
        check(unsafe { store::sf_store_maintain(self.store, now) }) == 1
    }

    /// The eight figures.
    pub fn stats(&self) -> [i64; 8] {
        let mut figures = [0; 8];
        check(unsafe { store::sf_store_stats(self.store, figures.as_mut_ptr(), 8) });
        figures
    }

    /// Panics inside; returns the status.
    pub fn test_panic(&self) -> i32 {
        unsafe { store::sf_test_panic(self.store) }
    }

    /// Repeats a bounded call as long as it needs memory; gives the status, errors included.
    pub fn try_call(&self, mut call: impl FnMut(*mut SfStore) -> i32) -> i32 {
        loop {
            match call(self.store) {
                SF_NEEDS_RESERVE => match unsafe { store::sf_store_reserve(self.store) } {
                    0 => {}
                    error => return error,
                },
                status => return status,
            }
        }
    }

    fn call(&self, call: impl FnMut(*mut SfStore) -> i32) -> i32 {
        check(self.try_call(call))
    }

    fn read(&self, mut call: impl FnMut(*mut SfStore, *mut u8, i32) -> i32) -> Option<Vec<u8>> {
        let mut out = vec![0; 16];
        loop {
            let cap = out.len() as i32;
            match self.call(|store| call(store, out.as_mut_ptr(), cap)) {
                SF_ABSENT => return None,
                len if len <= cap => {
                    out.truncate(len as usize);
                    return Some(out);
                }
                len => out.resize(len as usize, 0),
            }
        }
    }

    /// A value.
    pub fn get(&self, state: i32, kg: i32, key: &[u8]) -> Option<Vec<u8>> {
        let len = key.len() as i32;
        self.read(|s, out, cap| unsafe {
            row_door::sf_value_get(s, state, kg, key.as_ptr(), len, out, cap)
        })
    }

    /// Puts a value; the status.
    pub fn try_put(&self, state: i32, kg: i32, key: &[u8], value: &[u8]) -> i32 {
        let (k, v) = (key.len() as i32, value.len() as i32);
        self.try_call(|s| unsafe {
            row_door::sf_value_put(s, state, kg, key.as_ptr(), k, value.as_ptr(), v)
        })
    }

    /// Puts a value.
    pub fn put(&self, state: i32, kg: i32, key: &[u8], value: &[u8]) {
        check(self.try_put(state, kg, key, value));
    }

    /// Removes a value; whether it was there.
    pub fn remove(&self, state: i32, kg: i32, key: &[u8]) -> bool {
        let len = key.len() as i32;
        self.call(|s| unsafe { row_door::sf_value_remove(s, state, kg, key.as_ptr(), len) }) == 1
    }

    /// An entry of a map.
    pub fn map_get(&self, state: i32, kg: i32, prefix: &[u8], user_key: &[u8]) -> Option<Vec<u8>> {
        let key = [prefix, user_key].concat();
        let (p, k) = (prefix.len() as i32, key.len() as i32);
        self.read(|s, out, cap| unsafe {
            row_door::sf_map_get(s, state, kg, key.as_ptr(), p, k, out, cap)
        })
    }

    /// Puts an entry of a map.
    pub fn map_put(&self, state: i32, kg: i32, prefix: &[u8], user_key: &[u8], value: &[u8]) {
        let key = [prefix, user_key].concat();
        let (p, k, v) = (prefix.len() as i32, key.len() as i32, value.len() as i32);
        self.call(|s| unsafe {
            row_door::sf_map_put(s, state, kg, key.as_ptr(), p, k, value.as_ptr(), v)
        });
    }

    /// Removes an entry of a map; whether it was there.
    pub fn map_remove(&self, state: i32, kg: i32, prefix: &[u8], user_key: &[u8]) -> bool {
        let key = [prefix, user_key].concat();
        let (p, k) = (prefix.len() as i32, key.len() as i32);
        self.call(|s| unsafe { row_door::sf_map_remove(s, state, kg, key.as_ptr(), p, k) }) == 1
    }

    /// Removes all entries of a map.
    pub fn map_clear(&self, state: i32, kg: i32, prefix: &[u8]) {
        let len = prefix.len() as i32;
        while self.call(|s| unsafe { row_door::sf_map_clear(s, state, kg, prefix.as_ptr(), len) })
            > 0
        {}
    }

    /// Entries of a map.
    pub fn map_size(&self, state: i32, kg: i32, prefix: &[u8]) -> i32 {
        let len = prefix.len() as i32;
        self.call(|s| unsafe { row_door::sf_map_size(s, state, kg, prefix.as_ptr(), len) })
    }

    /// A page of a map's entries: the cursor to go on from (-1: end) and the entries.
    pub fn map_page(
        &self,
        state: i32,
        kg: i32,
        prefix: &[u8],
        cursor: i64,
        cap: usize,
    ) -> (i64, Vec<ModelEntry>) {
        let len = prefix.len() as i32;
        let page = self.page(cap, |s, out, cap| unsafe {
            scan::sf_map_scan(s, state, kg, prefix.as_ptr(), len, cursor, out, cap)
        });
        let mut reader = Reader(&page);
        let (next, n) = (reader.i64(), reader.i32());
        let entry = |reader: &mut Reader<'_>| {
            let (k, v) = (reader.i32(), reader.i32());
            (reader.bytes(k), reader.bytes(v))
        };
        (next, (0..n).map(|_| entry(&mut reader)).collect())
    }

    /// All keys of a key group.
    pub fn keys(&self, state: i32, kg: i32, cap: usize) -> Vec<Vec<u8>> {
        let (mut cursor, mut keys) = (0, Vec::new());
        while cursor >= 0 {
            let page = self.page(cap, |s, out, cap| unsafe {
                scan::sf_keys_scan(s, state, kg, cursor, out, cap)
            });
            let mut reader = Reader(&page);
            cursor = reader.i64();
            for _ in 0..reader.i32() {
                let len = reader.i32();
                keys.push(reader.bytes(len));
            }
        }
        keys.sort();
        keys
    }

    /// All rows of a key group: key, prefix length, value.
    pub fn rows(&self, state: i32, kg: i32, cap: usize) -> Vec<(Vec<u8>, i32, Vec<u8>)> {
        let (mut cursor, mut rows) = (0, Vec::new());
        while cursor >= 0 {
            let page = self.page(cap, |s, out, cap| unsafe {
                scan::sf_rows_scan(s, state, kg, cursor, out, cap)
            });
            let mut reader = Reader(&page);
            cursor = reader.i64();
            for _ in 0..reader.i32() {
                let (k, p, v) = (reader.i32(), reader.i32(), reader.i32());
                rows.push((reader.bytes(k), p, reader.bytes(v)));
            }
        }
        rows.sort();
        rows
    }

    fn page(&self, cap: usize, mut call: impl FnMut(*mut SfStore, *mut u8, i32) -> i32) -> Vec<u8> {
        let mut out = vec![0; cap];
        loop {
            match self.try_call(|store| call(store, out.as_mut_ptr(), out.len() as i32)) {
                SF_TOO_SMALL => {
                    let needed = Reader(&out).i64() as usize;
                    assert!(needed > out.len());
                    out.resize(needed, 0);
                }
                len => {
                    out.truncate(check(len) as usize);
                    return out;
                }
            }
        }
    }

    /// Adds to a list.
    pub fn list_add(&self, state: i32, kg: i32, key: &[u8], element: &[u8]) {
        let (k, e) = (key.len() as i32, element.len() as i32);
        self.call(|s| unsafe {
            row_door::sf_list_add(s, state, kg, key.as_ptr(), k, element.as_ptr(), e)
        });
    }

    /// A list's joined elements.
    pub fn list_get(&self, state: i32, kg: i32, key: &[u8]) -> Option<Vec<u8>> {
        let len = key.len() as i32;
        self.read(|s, out, cap| unsafe {
            row_door::sf_list_get(s, state, kg, key.as_ptr(), len, out, cap)
        })
    }

    /// Replaces a list.
    pub fn list_put(&self, state: i32, kg: i32, key: &[u8], joined: &[u8]) {
        let (k, e) = (key.len() as i32, joined.len() as i32);
        self.call(|s| unsafe {
            row_door::sf_list_put(s, state, kg, key.as_ptr(), k, joined.as_ptr(), e)
        });
    }

    /// Removes a list.
    pub fn list_clear(&self, state: i32, kg: i32, key: &[u8]) {
        let len = key.len() as i32;
        while self.call(|s| unsafe { row_door::sf_list_clear(s, state, kg, key.as_ptr(), len) }) > 0
        {
        }
    }

    /// Adds a timer: 0, 1 or 2.
    pub fn timer_add(&self, state: i32, kg: i32, element: &[u8]) -> i32 {
        let len = element.len() as i32;
        self.call(|s| unsafe { row_door::sf_timer_add(s, state, kg, element.as_ptr(), len) })
    }

    /// Removes a timer: 0, 1 or 2.
    pub fn timer_remove(&self, state: i32, kg: i32, element: &[u8]) -> i32 {
        let len = element.len() as i32;
        self.call(|s| unsafe { row_door::sf_timer_remove(s, state, kg, element.as_ptr(), len) })
    }

    /// The first timer.
    pub fn timer_peek(&self, state: i32) -> Option<Vec<u8>> {
        self.read(|s, out, cap| unsafe { row_door::sf_timer_peek(s, state, out, cap) })
    }

    /// Takes the first timer.
    pub fn timer_poll(&self, state: i32) -> Option<Vec<u8>> {
        self.read(|s, out, cap| unsafe { row_door::sf_timer_poll(s, state, out, cap) })
    }

    /// Begins a snapshot.
    pub fn snapshot(&self, id: i64, mode: i32, compression: i32, ttl_now: i64) -> Snapshot {
        let made =
            unsafe { snapshot::sf_snapshot_begin(self.store, id, mode, compression, ttl_now) };
        assert!(!made.is_null(), "{}", last_error());
        Snapshot(made)
    }

    /// Completes a checkpoint.
    pub fn complete(&self, id: i64) {
        check(unsafe { snapshot::sf_checkpoint_complete(self.store, id) });
    }

    /// Aborts a checkpoint.
    pub fn abort(&self, id: i64) {
        check(unsafe { snapshot::sf_checkpoint_abort(self.store, id) });
    }

    /// Restores key groups of this store from segments, as Java does: per key group from the last whole section
    /// on. With `go_on` later checkpoints build on it.
    pub fn restore(
        &self,
        ids: &[i32],
        chain: &[u8],
        files: &BTreeMap<i64, Vec<u8>>,
        range: (i32, i32),
        go_on: bool,
    ) -> Result<(), String> {
        let loader = unsafe { restore::sf_loader_new(self.store, ids.as_ptr(), ids.len() as i32) };
        assert!(!loader.is_null(), "{}", last_error());
        let outcome = load_all(loader, chain, files, range);
        check(unsafe { restore::sf_loader_free(loader) });
        outcome?;
        check(unsafe { restore::sf_restore_finish(self.store) });
        if go_on {
            let len = chain.len() as i32;
            check(unsafe { restore::sf_restore_chain(self.store, chain.as_ptr(), len) });
        }
        Ok(())
    }
}

#[allow(clippy::undocumented_unsafe_blocks)] // as above
fn load_all(
    loader: *mut restore::SfLoader,
    chain: &[u8],
    files: &BTreeMap<i64, Vec<u8>>,
    range: (i32, i32),
) -> Result<(), String> {
    let ok = |status: i32| {
        if status == 0 {
            Ok(())
        } else {
            Err(last_error())
        }
    };
    let segments = parse_chain(chain);
    for kg in range.0..=range.1 {
        let whole = |(_, parts): &SegmentParts| parts.contains(&(kg, true));
        let from = segments.iter().rposition(whole).unwrap_or(0);
        for (number, parts) in &segments[from..] {
            if !parts.iter().any(|(known, _)| *known == kg) {
                continue;
            }
            let (file, name) = (&files[number], format!("segment-{number}"));
            let sections = index_of(file, &name)?;
            let (_, offset, length) = *sections
                .iter()
                .find(|(known, ..)| *known == kg)
                .ok_or("no such section")?;
            let name_len = name.len() as i32;
            ok(unsafe {
                restore::sf_loader_section(loader, kg, offset, length, name.as_ptr(), name_len)
            })?;
            for piece in file[offset as usize..(offset + length) as usize].chunks(1000) {
                let len = piece.len() as i32;
                ok(unsafe { restore::sf_loader_feed(loader, piece.as_ptr(), len) })?;
            }
            ok(unsafe { restore::sf_loader_end(loader) })?;
        }
    }
    Ok(())
}

/// Key group, offset and length of a file's sections.
#[allow(clippy::undocumented_unsafe_blocks)] // as above
pub fn index_of(file: &[u8], name: &str) -> Result<Vec<(i32, i64, i64)>, String> {
    let mut tail = file.len().min(64);
    let mut out = vec![0; 1 << 16];
    loop {
        let bytes = &file[file.len() - tail..];
        let status = unsafe {
            restore::sf_segment_index(
                bytes.as_ptr(),
                tail as i32,
                file.len() as i64,
                name.as_ptr(),
                name.len() as i32,
                out.as_mut_ptr(),
                out.len() as i32,
            )
        };
        match status {
            0 => tail = (Reader(&out).i64() as usize).min(file.len()),
            len if len > 0 => break,
            _ => return Err(last_error()),
        }
    }
    let mut reader = Reader(&out[12..]);
    let entry = |reader: &mut Reader<'_>| {
        let (kg, _, offset, length, _) = (
            reader.i32(),
            reader.i32(),
            reader.i64(),
            reader.i64(),
            reader.i64(),
        );
        (kg, offset, length)
    };
    Ok((0..reader.i32()).map(|_| entry(&mut reader)).collect())
}

/// The segments of a description.
pub fn parse_chain(chain: &[u8]) -> Vec<SegmentParts> {
    let mut reader = Reader(chain);
    let segment = |reader: &mut Reader<'_>| {
        let number = reader.i64();
        let part = |reader: &mut Reader<'_>| {
            let part = (reader.i32(), reader.i32() == 1);
            reader.i64();
            part
        };
        (number, (0..reader.i32()).map(|_| part(reader)).collect())
    };
    (0..reader.i32()).map(|_| segment(&mut reader)).collect()
}

impl Drop for Driver {
    #[allow(clippy::undocumented_unsafe_blocks)] // as above
    fn drop(&mut self) {
        unsafe {
            store::sf_store_free(self.store);
            sf_budget_free(self.budget);
        }
    }
}

#[allow(clippy::undocumented_unsafe_blocks)] // as above
impl Snapshot {
    /// The segment file, empty when nothing is to be written.
    pub fn segment(&self) -> Vec<u8> {
        let (mut file, mut buffer) = (Vec::new(), vec![0; 700]);
        loop {
            let cap = buffer.len() as i32;
            match check(unsafe { snapshot::sf_snapshot_next(self.0, buffer.as_mut_ptr(), cap) }) {
                0 => return file,
                len => file.extend_from_slice(&buffer[..len as usize]),
            }
        }
    }

    /// The new segment's number (-1: none) and the description from the number of segments on.
    pub fn describe(&self) -> (i64, Vec<u8>) {
        let mut out = vec![0; 1 << 20];
        let cap = out.len() as i32;
        let len = check(unsafe { snapshot::sf_snapshot_describe(self.0, out.as_mut_ptr(), cap) });
        (Reader(&out[8..]).i64(), out[48..len as usize].to_vec())
    }

    /// Canonical rows in the order in which they come: (key group, state, key, value).
    pub fn canonical(&self, cap: usize) -> Vec<(i32, i32, Vec<u8>, Vec<u8>)> {
        let (mut rows, mut out) = (Vec::new(), vec![0; cap]);
        loop {
            let cap = out.len() as i32;
            match unsafe { snapshot::sf_snapshot_rows(self.0, out.as_mut_ptr(), cap) } {
                0 => return rows,
                SF_TOO_SMALL => {
                    let needed = Reader(&out).i64() as usize;
                    out.resize(needed, 0);
                }
                len => {
                    let mut reader = Reader(&out[8..check(len) as usize]);
                    for _ in 0..reader.i32() {
                        let (kg, state) = (reader.i32(), reader.i32());
                        let (k, v) = (reader.i32(), reader.i32());
                        rows.push((kg, state, reader.bytes(k), reader.bytes(v)));
                    }
                }
            }
        }
    }
}

impl Drop for Snapshot {
    #[allow(clippy::undocumented_unsafe_blocks)] // as above
    fn drop(&mut self) {
        unsafe { snapshot::sf_snapshot_free(self.0) };
    }
}

// SAFETY: a snapshot may be used from any thread, one at a time.
unsafe impl Send for Snapshot {}

pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl Reader<'_> {
    pub(crate) fn i32(&mut self) -> i32 {
        i32::from_le_bytes(self.bytes(4).try_into().expect("four bytes"))
    }

    pub(crate) fn i64(&mut self) -> i64 {
        i64::from_le_bytes(self.bytes(8).try_into().expect("eight bytes"))
    }

    pub(crate) fn bytes(&mut self, len: i32) -> Vec<u8> {
        let (taken, rest) = self.0.split_at(len as usize);
        self.0 = rest;
        taken.to_vec()
    }
}
