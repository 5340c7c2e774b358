//! Checkpoints as tables through the C ABI.
// SAFETY of every block below: the pointers are the driver's own, lengths are those of the slices.
#![allow(clippy::undocumented_unsafe_blocks)]

use crate::driver::{Driver, Reader, Snapshot, check, last_error};
use std::collections::BTreeMap;
use std::path::Path;
use streamfusion::status::SF_TOO_SMALL;
use streamfusion::{restore, store, table};

/// A data file of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFile {
    /// Its number.
    pub number: i64,
    /// Its bucket.
    pub bucket: i32,
    /// Written by this checkpoint.
    pub new: bool,
    /// Length.
    pub bytes: i64,
    /// Rows, dead ones included.
    pub rows: i64,
    /// Sequence number of the first row.
    pub first_sequence: i64,
    /// Key groups of its rows.
    pub key_groups: (i32, i32),
    /// Its part of the deletion-vector index file.
    pub vector: Vec<u8>,
    /// Dead rows.
    pub dead: i64,
}

/// A table at one checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// Its data files, by number.
    pub files: Vec<TableFile>,
}

impl Driver {
    /// Makes the store's checkpoints tables.
    pub fn keep_places(&self, buckets: i32, target: i64, limit: i64, percent: i32, fan_in: i32) {
        let options = [
            &buckets.to_le_bytes()[..],
            &target.to_le_bytes(),
            &limit.to_le_bytes(),
            &percent.to_le_bytes(),
            &fan_in.to_le_bytes(),
        ]
        .concat();
        let len = options.len() as i32;
        check(unsafe { table::sf_store_keep_places(self.store, options.as_ptr(), len) });
    }

    /// Lets rows that do not fit the budget go to files.
    pub fn spill_to(&self, directory: &Path) {
        let path = directory.to_str().expect("the path is UTF-8");
        let len = path.len() as i32;
        check(unsafe { store::sf_store_spill_to(self.store, path.as_ptr(), len) });
    }

    /// Bytes in spill files, of living rows in them, written and read.
    pub fn spill_stats(&self) -> [i64; 4] {
        let mut figures = [0; 4];
        check(unsafe { store::sf_store_spill_stats(self.store, figures.as_mut_ptr(), 4) });
        figures
    }

    /// Restores key groups of this store from a table. With `go_on` later checkpoints build on it.
    pub fn restore_table(
        &self,
        ids: &[i32],
        table: &Table,
        files: &BTreeMap<i64, Vec<u8>>,
        range: (i32, i32),
        go_on: bool,
    ) -> Result<(), String> {
        let loader = unsafe { restore::sf_loader_new(self.store, ids.as_ptr(), ids.len() as i32) };
        assert!(!loader.is_null(), "{}", last_error());
        let outcome = (1..)
            .zip(&table.files)
            .try_for_each(|(epoch, file)| load(loader, epoch, file, &files[&file.number], range));
        check(unsafe { restore::sf_loader_free(loader) });
        outcome?;
        check(unsafe { restore::sf_restore_finish(self.store) });
        if go_on {
            let desc = table.description();
            let len = desc.len() as i32;
            check(unsafe { table::sf_restore_table(self.store, desc.as_ptr(), len) });
        }
        Ok(())
    }
}

fn load(
    loader: *mut restore::SfLoader,
    epoch: i32,
    file: &TableFile,
    bytes: &[u8],
    range: (i32, i32),
) -> Result<(), String> {
    let name = format!("data-{}", file.number);
    let (name_at, name_len) = (name.as_ptr(), name.len() as i32);
    let mut out = vec![0; 1 << 16];
    let mut tail = 8.min(bytes.len());
    let footer = loop {
        let footer = &bytes[bytes.len() - tail..];
        let (at, len, file_len) = (footer.as_ptr(), tail as i32, bytes.len() as i64);
        let (out_at, cap) = (out.as_mut_ptr(), out.len() as i32);
        match unsafe { table::sf_table_footer(at, len, file_len, name_at, name_len, out_at, cap) } {
            0 => tail = Reader(&out).i64() as usize,
            len if len > 0 => break footer,
            _ => return Err(last_error()),
        }
    };
    let ok = |status: i32| match status {
        0 => Ok(()),
        _ => Err(last_error()),
    };
    ok(unsafe {
        table::sf_loader_table(
            loader,
            epoch,
            footer.as_ptr(),
            footer.len() as i32,
            bytes.len() as i64,
            file.vector.as_ptr(),
            file.vector.len() as i32,
            name_at,
            name_len,
        )
    })?;
    let mut groups = Reader(&out);
    for group in 0..groups.i32() {
        let (offset, length) = (groups.i64() as usize, groups.i64() as usize);
        let (_, _) = (groups.i64(), groups.i64());
        let (first, last) = (groups.i32(), groups.i32());
        if last < range.0 || first > range.1 {
            continue;
        }
        let bytes = &bytes[offset..offset + length];
        let room = unsafe { table::sf_loader_row_group_bytes(loader, length as i32) };
        if room.is_null() {
            return Err(last_error());
        }
        unsafe { room.copy_from_nonoverlapping(bytes.as_ptr(), length) };
        ok(unsafe { table::sf_loader_row_group(loader, group, range.0, range.1) })?;
    }
    Ok(())
}

impl Table {
    /// What `sf_restore_table` takes.
    fn description(&self) -> Vec<u8> {
        let mut out = (self.files.len() as i32).to_le_bytes().to_vec();
        for file in &self.files {
            out.extend(file.number.to_le_bytes());
            out.extend(file.bucket.to_le_bytes());
            out.extend(file.bytes.to_le_bytes());
            out.extend(file.rows.to_le_bytes());
            out.extend(file.first_sequence.to_le_bytes());
            out.extend(file.key_groups.0.to_le_bytes());
            out.extend(file.key_groups.1.to_le_bytes());
            out.extend((file.vector.len() as i32).to_le_bytes());
            out.extend_from_slice(&file.vector);
        }
        out
    }
}

impl Snapshot {
    /// The new data files by number, and the table of the checkpoint.
    pub fn table(&self) -> (BTreeMap<i64, Vec<u8>>, Table) {
        let mut files = BTreeMap::new();
        let mut out = vec![0; 64];
        loop {
            let cap = out.len() as i32;
            if check(unsafe { table::sf_table_next_file(self.0, out.as_mut_ptr(), cap) }) == 0 {
                break;
            }
            let number = Reader(&out).i64();
            assert!(files.insert(number, self.segment()).is_none());
        }
        let description =
            self.grow(|out, cap| unsafe { table::sf_table_describe(self.0, out, cap) });
        let mut reader = Reader(&description[40..]);
        let table = Table {
            files: (0..reader.i32()).map(|_| self.file(&mut reader)).collect(),
        };
        (files, table)
    }

    fn file(&self, reader: &mut Reader<'_>) -> TableFile {
        let (number, bucket, new) = (reader.i64(), reader.i32(), reader.i32() == 1);
        let (bytes, rows, first_sequence) = (reader.i64(), reader.i64(), reader.i64());
        let key_groups = (reader.i32(), reader.i32());
        let (offset, length, dead) = (reader.i32(), reader.i32(), reader.i64());
        let vector = match usize::try_from(offset) {
            Ok(offset) => {
                let index = self
                    .grow(|out, cap| unsafe { table::sf_table_index(self.0, bucket, out, cap) });
                index[offset..offset + length as usize + 8].to_vec()
            }
            Err(_) => Vec::new(),
        };
        TableFile {
            number,
            bucket,
            new,
            bytes,
            rows,
            first_sequence,
            key_groups,
            vector,
            dead,
        }
    }

    fn grow(&self, mut call: impl FnMut(*mut u8, i32) -> i32) -> Vec<u8> {
        let mut out = vec![0; 64];
        loop {
            match call(out.as_mut_ptr(), out.len() as i32) {
                SF_TOO_SMALL => {
                    let needed = Reader(&out).i64() as usize;
                    out.resize(needed, 0);
                }
                len => {
                    out.truncate(check(len) as usize);
                    return out;
                }
            }
        }
    }
}
