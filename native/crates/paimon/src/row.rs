//! One row of the table.

/// A row of a state, borrowed from the store or from a data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableRow<'a> {
    /// Absolute key group (`kg`).
    pub key_group: u32,
    /// Number of the state (`st`).
    pub state: u16,
    /// Key, or key and namespace where neither has a fixed length (`k`).
    pub key: &'a [u8],
    /// Namespace (`ns`).
    pub namespace: &'a [u8],
    /// User key of a map, sequence of a list's chunk (`uk`).
    pub user_key: &'a [u8],
    /// Value (`v`).
    pub value: Option<&'a [u8]>,
    /// Timestamp of a timer (`ts`).
    pub timestamp: Option<i64>,
    /// Epoch of the checkpoint that wrote the row's file (`cp`).
    pub checkpoint: i64,
}

impl TableRow<'_> {
    /// What the row counts for when raw bytes are counted: its variable parts and a word each for the key
    /// group with the state, the epoch and the timestamp.
    pub fn raw_len(&self) -> usize {
        let value = self.value.map_or(0, <[u8]>::len);
        let timestamp = usize::from(self.timestamp.is_some()) * 8;
        16 + timestamp + self.key.len() + self.namespace.len() + self.user_key.len() + value
    }
}
