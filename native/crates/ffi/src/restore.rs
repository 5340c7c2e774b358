//! Reading segments back.

use crate::out::{Out, too_small};
use crate::snapshot::lock;
use crate::status::{SF_OK, closed, free_handle, guard, guard_store, input, into_handle, output};
use crate::store::SfStore;
use crate::table::OpenTable;
use sf_checkpoint::{
    Chain, GroupPart, SectionDecoder, SectionKind, Segment, SegmentIndex, SegmentRow, Written,
};
use sf_core::{Error, Result};
use sf_paimon::RowGroupBytes;
use sf_store::{GroupLoader, LOADED_EPOCH, LoadedRow};
use std::collections::BTreeMap;

/// Loads key groups into a store; one per thread.
pub struct SfLoader {
    pub(crate) loader: GroupLoader,
    /// State number here by state number in the file; `None`: unknown.
    pub(crate) states: Vec<Option<u16>>,
    section: Option<(u32, SectionDecoder)>,
    /// The data file that row groups are of.
    pub(crate) table: Option<OpenTable>,
    pub(crate) row_group: RowGroupBytes,
}

/// Reads the footer from the last `tail_len` bytes of a file of `file_len` bytes. Out:
/// `[i64 segment][i32 version][i32 n]`, per key group
/// `[i32 key group][i32 kind][i64 offset][i64 length][i64 rows]`; returns bytes written, or "too small". 0: the
/// tail is too short, its needed length is in the first eight bytes. `name` is for error texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_segment_index(
    tail: *const u8,
    tail_len: i32,
    file_len: i64,
    name: *const u8,
    name_len: i32,
    out: *mut u8,
    cap: i32,
) -> i32 {
    // SAFETY: the module's contract.
    guard(|| unsafe {
        let (tail, name, bytes) = (
            input(tail, tail_len)?,
            input(name, name_len)?,
            output(out, cap)?,
        );
        let index =
            SegmentIndex::parse(tail, u64::try_from(file_len).unwrap_or(0)).map_err(|e| {
                Error::new(
                    e.kind(),
                    format!("segment {}: {}", String::from_utf8_lossy(name), e.message()),
                )
            })?;
        let index = match index {
            Ok(index) => index,
            Err(needed) => {
                too_small(bytes, needed);
                return Ok(0);
            }
        };
        let needed = 16 + index.sections.len() * 32;
        if needed > bytes.len() {
            return Ok(too_small(bytes, needed));
        }
        let mut out = Out::new(bytes);
        out.i64(index.number as i64);
        out.i32(index.version as i32);
        out.i32(index.sections.len() as i32);
        for section in &index.sections {
            out.i32(section.key_group as i32);
            out.i32(i32::from(section.kind.code()));
            for word in [section.offset, section.length, section.rows] {
                out.i64(word as i64);
            }
        }
        Ok(out.len() as i32)
    })
}

/// Makes a loader. `id_map[number in the file]` is the state's number in this store, -1 when it has none. Until
/// all loaders are freed the store is used through them only, each on key groups of its own. Null on error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_loader_new(
    store: *mut SfStore,
    id_map: *const i32,
    n: i32,
) -> *mut SfLoader {
    let mut made = std::ptr::null_mut();
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            let ids =
                (0..usize::try_from(n).unwrap_or(0)).map(|at| id_map.add(at).read_unaligned());
            let states = ids.map(|id| u16::try_from(id).ok()).collect();
            let loader = GroupLoader::new(&raw mut store.store);
            made = into_handle(SfLoader {
                loader,
                states,
                section: None,
                table: None,
                row_group: RowGroupBytes::default(),
            });
            Ok(SF_OK)
        });
    }
    made
}

pub(crate) unsafe fn guard_loader(
    loader: *mut SfLoader,
    body: impl FnOnce(&mut SfLoader) -> Result<i32>,
) -> i32 {
    // SAFETY: the module's contract.
    guard(|| body(unsafe { loader.as_mut() }.ok_or_else(|| closed("loader"))?))
}

/// Begins a key group's section of the file `name`. Sections of a key group come oldest first, beginning with the
/// last whole one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_loader_section(
    loader: *mut SfLoader,
    key_group: i32,
    offset: i64,
    length: i64,
    name: *const u8,
    name_len: i32,
) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_loader(loader, |loader| {
            let name = String::from_utf8_lossy(input(name, name_len)?);
            let (Ok(key_group), Ok(offset), Ok(length)) = (
                u32::try_from(key_group),
                u64::try_from(offset),
                u64::try_from(length),
            ) else {
                return Err(Error::user(format!(
                    "segment {name}: negative place of a section"
                )));
            };
            let decoder = SectionDecoder::new(&name, key_group, offset, length);
            loader.section = Some((key_group, decoder));
            Ok(SF_OK)
        })
    }
}

/// The next bytes of the section, any number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_loader_feed(loader: *mut SfLoader, bytes: *const u8, len: i32) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_loader(
            loader,
            |SfLoader {
                 loader,
                 states,
                 section,
                 ..
             }| {
                let bytes = input(bytes, len)?;
                let (key_group, decoder) = section
                    .as_mut()
                    .ok_or_else(|| Error::user("no section was begun"))?;
                decoder.feed(bytes, |row| load(loader, states, *key_group, row))?;
                Ok(SF_OK)
            },
        )
    }
}

/// The number in this store of a state number in a file.
pub(crate) fn state_here(states: &[Option<u16>], in_file: u16) -> Result<u16> {
    let state = states.get(in_file as usize).copied().flatten();
    state
        .ok_or_else(|| Error::corrupt(format!("a row of state number {in_file}, which is unknown")))
}

fn load(
    loader: &mut GroupLoader,
    states: &[Option<u16>],
    key_group: u32,
    row: SegmentRow<'_>,
) -> Result<()> {
    let state = state_here(states, row.state)?;
    loader.load(
        key_group,
        LoadedRow {
            state,
            tombstone: row.tombstone,
            key: row.key,
            prefix_len: row.prefix_len,
            seq: row.seq,
            value: row.value,
        },
    )
}

/// Ends the section; fails when bytes are missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_loader_end(loader: *mut SfLoader) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_loader(loader, |loader| {
            let section = loader
                .section
                .take()
                .ok_or_else(|| Error::user("no section was begun"))?;
            section.1.end()?;
            Ok(SF_OK)
        })
    }
}

/// Frees a loader.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_loader_free(loader: *mut SfLoader) -> i32 {
    // SAFETY: the module's contract.
    unsafe { free_handle(loader) }
}

/// After all loaders are freed: puts timers in order. The store is usable afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_restore_finish(store: *mut SfStore) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |store| {
            store.store.finish_loading()?;
            Ok(SF_OK)
        })
    }
}

/// After `sf_restore_finish`: later incremental checkpoints build on the restored one. `desc` is what
/// `sf_snapshot_describe` wrote, from the number of segments on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sf_restore_chain(store: *mut SfStore, desc: *const u8, len: i32) -> i32 {
    // SAFETY: the module's contract.
    unsafe {
        guard_store(store, |SfStore { store, chains, .. }| {
            let chain = parse_chain(input(desc, len)?).ok_or_else(|| {
                Error::corrupt("the description of a checkpoint's segments is cut off")
            })?;
            let mut tracker = lock(chains);
            tracker.restored(LOADED_EPOCH, Written::new(chain, store.range().count()));
            store.advance_base(LOADED_EPOCH);
            store.set_deltas_possible(tracker.deltas_possible());
            Ok(SF_OK)
        })
    }
}

fn parse_chain(mut bytes: &[u8]) -> Option<Chain> {
    let segments = (0..take_i32(&mut bytes)?)
        .map(|_| {
            let number = u64::try_from(take_i64(&mut bytes)?).ok()?;
            let groups = (0..take_i32(&mut bytes)?)
                .map(|_| {
                    let key_group = u32::try_from(take_i32(&mut bytes)?).ok()?;
                    let kind = SectionKind::from_code(take_i32(&mut bytes)? as u32)?;
                    let bytes = u64::try_from(take_i64(&mut bytes)?).ok()?;
                    Some((key_group, GroupPart { kind, bytes }))
                })
                .collect::<Option<BTreeMap<_, _>>>()?;
            Some(Segment { number, groups })
        })
        .collect::<Option<Vec<_>>>()?;
    bytes.is_empty().then_some(Chain { segments })
}

pub(crate) fn take_i32(bytes: &mut &[u8]) -> Option<i32> {
    bytes
        .split_off(..4)
        .and_then(|word| word.try_into().ok())
        .map(i32::from_le_bytes)
}

pub(crate) fn take_i64(bytes: &mut &[u8]) -> Option<i64> {
    bytes
        .split_off(..8)
        .and_then(|word| word.try_into().ok())
        .map(i64::from_le_bytes)
}
