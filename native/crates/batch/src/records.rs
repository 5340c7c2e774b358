use crate::Batch;
use sf_core::{Error, Result};

/// Byte records, one behind another: what a connector gives to a reader.
#[derive(Debug, Clone, Copy)]
pub struct Records<'a> {
    bytes: &'a [u8],
    /// One more than there are records, ascending.
    offsets: &'a [i32],
}

impl<'a> Records<'a> {
    /// `offsets.len() - 1` records in `bytes`; checks that the offsets ascend and fit.
    pub fn new(bytes: &'a [u8], offsets: &'a [i32]) -> Result<Self> {
        let fits = offsets.is_sorted()
            && offsets.first().is_some_and(|first| *first >= 0)
            && offsets
                .last()
                .is_some_and(|end| *end as usize <= bytes.len());
        if fits {
            Ok(Self { bytes, offsets })
        } else {
            Err(Error::user("the offsets of records do not fit their bytes"))
        }
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One record, below [`Self::len`].
    pub fn get(&self, index: usize) -> &'a [u8] {
        &self.bytes[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// All records in order.
    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }
}

/// Byte records that a writer has written; kept and used again from call to call.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct RecordBuffer {
    /// The records, one behind another.
    pub bytes: Vec<u8>,
    /// Where each record ends in `bytes`; the high bit ([`RecordBuffer::NONE`]) marks one that is not there at all (Kafka's null).
    pub ends: Vec<u32>,
}

impl RecordBuffer {
    /// The mark of a record that is not there.
    pub const NONE: u32 = 1 << 31;

    /// Forgets the records and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Ends the record whose bytes were appended since the last end. Fails beyond 2 GiB.
    pub fn end(&mut self) -> Result<()> {
        let end = self.bytes.len();
        if end >= Self::NONE as usize {
            return Err(Error::user(format!(
                "the records of one batch have {end} bytes; 2 GiB is the most"
            )));
        }
        self.ends.push(end as u32);
        Ok(())
    }

    /// Adds a record that is not there. Bytes appended since the last end are dropped.
    pub fn end_as_none(&mut self) {
        let end = self.ends.last().map_or(0, |end| end & !Self::NONE);
        self.bytes.truncate(end as usize);
        self.ends.push(end | Self::NONE);
    }

    /// One record, or `None` when it is not there; `index` below the number of ends.
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let begin = index
            .checked_sub(1)
            .map_or(0, |i| self.ends[i] & !Self::NONE);
        let end = self.ends[index];
        (end & Self::NONE == 0).then(|| &self.bytes[begin as usize..end as usize])
    }
}

/// Makes batches of records. Errors name the record's index in the call, so that a connector can name the offset.
pub trait Reader: Send {
    /// The rows of these records, in order; a record may give none (ignored errors) or more than one.
    fn read(&mut self, records: Records<'_>) -> Result<Batch>;
}

/// Makes records of batches: exactly one for each row.
pub trait Writer: Send {
    /// Appends one record for each row of the batch.
    fn write(&mut self, batch: &Batch, out: &mut RecordBuffer) -> Result<()>;
}
