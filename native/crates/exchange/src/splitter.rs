use sf_batch::{Batch, EncodedRows, NullForm, RowEncoder, check_key};
use sf_codec::key_group::{key_group_of_hash, subtask_of_key_group};
use sf_core::{Error, Result};
use sf_plan::RowType;

/// Gives each row to the channel that Flink's `KeyGroupStreamPartitioner` would give it to.
#[derive(Debug)]
pub struct Splitter {
    encoder: RowEncoder,
    keys: EncodedRows,
    max_parallelism: u32,
    /// Rows of each channel; kept for their memory.
    rows: Vec<Vec<u32>>,
}

impl Splitter {
    /// A splitter by the key of these columns among `channels` subtasks, `1 <= channels <= max_parallelism <= 32768`;
    /// `Unsupported` when the key cannot be encoded as Flink does. `max_parallelism` is the consumer's.
    pub fn new(row: &RowType, key: &[usize], max_parallelism: u32, channels: u32) -> Result<Self> {
        check_key(row, key)?;
        if channels == 0 || channels > max_parallelism || max_parallelism > 32_768 {
            return Err(Error::user(format!(
                "{channels} channels of {max_parallelism} key groups"
            )));
        }
        Ok(Self {
            encoder: RowEncoder::new(row, key, NullForm::Reserved)?,
            keys: EncodedRows::default(),
            max_parallelism,
            rows: vec![Vec::new(); channels as usize],
        })
    }

    /// The rows of each channel that gets any, by ascending channel; rows keep their order and kinds.
    pub fn split(&mut self, batch: &Batch) -> Result<Vec<(u32, Batch)>> {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        if self.rows.len() == 1 {
            return Ok(vec![(0, batch.clone())]);
        }
        self.encoder.encode(batch, &mut self.keys)?;
        self.rows.iter_mut().for_each(Vec::clear);
        let (max, channels) = (self.max_parallelism, self.rows.len() as u32);
        for row in 0..self.keys.len() {
            let key_group = key_group_of_hash(self.keys.hash(row), max);
            let channel = subtask_of_key_group(key_group, max, channels);
            self.rows[channel as usize].push(row as u32);
        }
        let taken = self.rows.iter().enumerate();
        let taken = taken.filter(|(_, rows)| !rows.is_empty());
        let taken = taken.map(|(channel, rows)| {
            let part = match rows.len() == batch.rows() {
                true => batch.clone(),
                false => batch.take(rows)?,
            };
            Ok((channel as u32, part))
        });
        taken.collect()
    }
}
