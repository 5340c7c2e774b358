use sf_batch::Batch;
use sf_core::Result;

/// Bytes that joined batches have at most: offsets of strings end at 2 GiB.
const MOST: usize = 1 << 30;

/// Joins small batches until they have enough rows or bytes. Order is kept.
///
/// The operator flushes before a watermark, a barrier and its end, and when nothing has come for a while.
#[derive(Debug)]
pub struct Coalescer {
    min_rows: usize,
    min_bytes: usize,
    held: Vec<Batch>,
    rows: usize,
    bytes: usize,
}

impl Coalescer {
    /// Holds batches back until they have `min_rows` rows or `min_bytes` bytes; with one row or byte none is held.
    pub fn new(min_rows: usize, min_bytes: usize) -> Self {
        Self {
            min_rows,
            min_bytes: min_bytes.min(MOST),
            held: Vec::new(),
            rows: 0,
            bytes: 0,
        }
    }

    /// Takes a batch; gives the joined one when it is large enough. Empty batches vanish.
    pub fn push(&mut self, batch: Batch) -> Result<Option<Batch>> {
        if batch.is_empty() {
            return Ok(None);
        }
        let bytes = batch.memory_size();
        if !self.held.is_empty() && self.bytes + bytes > MOST {
            let before = self.flush()?;
            self.hold(batch, bytes);
            return Ok(before);
        }
        self.hold(batch, bytes);
        if self.rows >= self.min_rows || self.bytes >= self.min_bytes {
            return self.flush();
        }
        Ok(None)
    }

    /// What is held, joined; nothing when there is no row.
    pub fn flush(&mut self) -> Result<Option<Batch>> {
        if self.held.is_empty() {
            return Ok(None);
        }
        let joined = Batch::concat(&self.held)?;
        self.held.clear();
        (self.rows, self.bytes) = (0, 0);
        Ok(Some(joined))
    }

    /// Bytes of memory that are held, to be charged.
    pub fn held_bytes(&self) -> usize {
        self.bytes
    }

    fn hold(&mut self, batch: Batch, bytes: usize) {
        self.rows += batch.rows();
        self.bytes += bytes;
        self.held.push(batch);
    }
}
