//! Chunks in files: what does not fit the memory budget goes to the local disk and comes back row by row.
//!
//! A file holds many chunks as they were in memory, of any key group: a process may have some thousand open files, and
//! state has many more chunks. It is unlinked as soon as it is open, so that it is gone with the last chunk in it, or
//! with the process; the room of a chunk that goes before is given back by itself. Each block of 4 KiB of a chunk has a checksum
//! (CRC32C), kept in memory; a read takes whole blocks and checks them.

use crate::record::{Record, TOMBSTONE};
use crate::region::Words;
use sf_core::{Charge, Error, MemoryBudget, Result};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

const BLOCK: usize = 4096;
/// A file that has so much is not added to.
const FILE_BYTES: u64 = 16 * 1024 * 1024;
const WORD: usize = size_of::<u64>();

/// The directory that a store spills to.
#[derive(Debug)]
pub(crate) struct SpillArea {
    directory: PathBuf,
    /// Files made so far.
    pub(crate) files: AtomicU64,
    /// The file that is added to, and where.
    newest: Mutex<Option<(Arc<File>, u64)>>,
    /// Bytes written and read so far.
    pub(crate) written: AtomicU64,
    pub(crate) read: AtomicU64,
}

/// Records of a chunk, by the unit at which they begin. A clone keeps those of its moment.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeadUnits(Arc<Vec<u64>>);

/// A chunk in a file.
#[derive(Debug)]
pub(crate) struct Place {
    file: Arc<File>,
    offset: u64,
    len: usize,
    sums: Vec<u32>,
    area: Arc<SpillArea>,
    _charge: Charge,
}

impl SpillArea {
    /// Spills to this directory, which is there.
    pub(crate) fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            files: AtomicU64::new(0),
            newest: Mutex::new(None),
            written: AtomicU64::new(0),
            read: AtomicU64::new(0),
        }
    }

    /// Writes chunks to a file.
    pub(crate) fn write(
        self: &Arc<Self>,
        chunks: &[&[u8]],
        budget: &Arc<MemoryBudget>,
    ) -> Result<Vec<Place>> {
        let room = chunks.iter().map(|chunk| room_of(chunk.len())).sum();
        let (file, mut offset) = self.room(room).map_err(|e| self.failed("write", &e))?;
        let mut spilled = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            let sums: Vec<u32> = chunk.chunks(BLOCK).map(crc32c::crc32c).collect();
            let bytes = sums.capacity() * size_of::<u32>() + size_of::<Place>();
            let place = Place {
                file: Arc::clone(&file),
                offset,
                len: chunk.len(),
                sums,
                area: Arc::clone(self),
                _charge: budget.charge_overdraft(bytes),
            };
            // In their places already: what a full disk took of them is given back.
            spilled.push(place);
            file.write_all_at(chunk, offset)
                .map_err(|e| self.failed("write", &e))?;
            self.written
                .fetch_add(chunk.len() as u64, Ordering::Relaxed);
            offset += room_of(chunk.len());
        }
        Ok(spilled)
    }

    /// A file and the offset from which on so many bytes of it are the caller's to write.
    fn room(&self, bytes: u64) -> io::Result<(Arc<File>, u64)> {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, offset) = match newest.take() {
            Some(newest) => newest,
            None => (self.create()?, 0),
        };
        let end = offset + bytes;
        if end < FILE_BYTES {
            *newest = Some((Arc::clone(&file), end));
        }
        Ok((file, offset))
    }

    fn create(&self) -> io::Result<Arc<File>> {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let path = self.directory.join(format!("{number}.spill"));
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)?;
        std::fs::remove_file(&path)?;
        Ok(Arc::new(file))
    }

    fn failed(&self, what: &str, cause: &io::Error) -> Error {
        Error::external(format!(
            "state does not fit the memory budget, and to {what} a file in {} failed: {cause}",
            self.directory.display()
        ))
    }
}

/// What a chunk takes of a file: whole blocks, which alone can be given back.
fn room_of(len: usize) -> u64 {
    len.next_multiple_of(BLOCK) as u64
}

impl Drop for Place {
    /// Gives back what the chunk takes of the disk. A file system that cannot do that keeps it until the file is gone.
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        {
            use std::os::fd::AsRawFd;
            let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
            let (from, len) = (self.offset as i64, room_of(self.len) as i64);
            // SAFETY: the file is open; nobody else has this part of it.
            unsafe { libc::fallocate64(self.file.as_raw_fd(), mode, from, len) };
        }
    }
}

impl DeadUnits {
    pub(crate) fn add(&mut self, unit: u32) {
        let words = Arc::make_mut(&mut self.0);
        let word = unit as usize / 64;
        if words.len() <= word {
            words.resize(word + 1, 0);
        }
        words[word] |= 1 << (unit % 64);
    }

    /// Whether the record at a byte offset is one of them.
    #[inline]
    pub(crate) fn contains(&self, offset: usize) -> bool {
        let unit = offset / WORD;
        let word = self.0.get(unit / 64);
        word.is_some_and(|word| word >> (unit % 64) & 1 == 1)
    }
}

impl Place {
    /// Bytes of the chunk.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[cfg(test)]
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// The whole chunk.
    pub(crate) fn read_all(&self) -> Result<Words> {
        let mut words = Vec::new();
        self.read_blocks(0, self.sums.len(), &mut words)?;
        let mut all = Words::zeroed(words.len())
            .ok_or_else(|| Error::memory("there is no memory to read a spilled chunk into"))?;
        all.copy_from_slice(&words);
        Ok(all)
    }

    /// Reads the record at a unit into `buffer`, and hands it to `take`.
    pub(crate) fn read_record<T>(
        &self,
        unit: u32,
        buffer: &mut Vec<u64>,
        take: impl FnOnce(Record) -> T,
    ) -> Result<T> {
        let offset = unit as usize * WORD;
        let first = offset / BLOCK;
        let within = offset - first * BLOCK;
        let blocks = self.sums.len();
        // The header may reach into the next block, and most records are short.
        let mut end = (first + 1 + usize::from(within + Record::HEADER_LEN > BLOCK)).min(blocks);
        loop {
            self.read_blocks(first, end, buffer)?;
            let bytes = size_of_val(&**buffer);
            if within + Record::HEADER_LEN > bytes {
                return Err(self.corrupt(offset, "a record's header is cut off"));
            }
            // SAFETY: so many bytes are there, the offset is a multiple of eight, and `spill` wrote a record there.
            let record = unsafe { Record::from_ptr(buffer.as_mut_ptr().cast::<u8>().add(within)) };
            let wanted = within + record.size();
            if wanted <= bytes {
                debug_assert!(!record.has(TOMBSTONE));
                return Ok(take(record));
            }
            if end == blocks || wanted > self.len - first * BLOCK {
                return Err(self.corrupt(offset, "a record is cut off"));
            }
            end = (first + wanted.div_ceil(BLOCK)).min(blocks);
        }
    }

    fn read_blocks(&self, first: usize, end: usize, buffer: &mut Vec<u64>) -> Result<()> {
        let (from, to) = (first * BLOCK, (end * BLOCK).min(self.len));
        buffer.clear();
        buffer.resize((to - from).div_ceil(WORD), 0);
        // SAFETY: the vector has at least so many bytes, all of them initialised.
        let bytes =
            unsafe { std::slice::from_raw_parts_mut(buffer.as_mut_ptr().cast::<u8>(), to - from) };
        self.file
            .read_exact_at(bytes, self.offset + from as u64)
            .map_err(|e| self.area.failed("read", &e))?;
        self.area
            .read
            .fetch_add(bytes.len() as u64, Ordering::Relaxed);
        for (block, sum) in bytes.chunks(BLOCK).zip(&self.sums[first..end]) {
            if crc32c::crc32c(block) != *sum {
                return Err(self.corrupt(from, "the checksum of a block is wrong"));
            }
        }
        Ok(())
    }

    fn corrupt(&self, offset: usize, what: &str) -> Error {
        Error::corrupt(format!(
            "spilled state in {}, offset {}: {what}",
            self.area.directory.display(),
            self.offset + offset as u64
        ))
    }
}
