//! How a row of the store becomes a row of the table, and back.

use crate::row::TableRow;
use sf_codec::order::timestamp_from_bytes;
use sf_core::{Error, Result};
use sf_store::{FrozenRow, LoadedRow, StateInfo, StateKind};

/// What is known of `[key][namespace]` of a state: the length of one of the two, if it is fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StateLayout {
    /// Bytes of every namespace.
    pub namespace_len: Option<usize>,
    /// Bytes of every key.
    pub key_len: Option<usize>,
}

impl StateLayout {
    /// Key and namespace; all of it is key where neither length is fixed.
    fn split<'a>(&self, prefix: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        let at = match (self.namespace_len, self.key_len) {
            (Some(namespace), _) => prefix.len().checked_sub(namespace),
            (None, Some(key)) => Some(key),
            (None, None) => None,
        };
        prefix.split_at(at.unwrap_or(prefix.len()).min(prefix.len()))
    }
}

/// Room for the sequence of a list's chunk, which a table row borrows.
#[derive(Debug, Default)]
pub(crate) struct Sequence([u8; 4]);

/// The table row of a store row. `place` keeps what the row borrows.
pub(crate) fn table_row<'a>(
    row: &FrozenRow<'a>,
    info: &StateInfo,
    layout: StateLayout,
    (key_group, checkpoint): (u32, i64),
    place: &'a mut Sequence,
) -> TableRow<'a> {
    let ttl_stamp = || info.ttl.and_then(|ttl| ttl.stamp(row.value));
    let whole = match info.kind {
        StateKind::Map => &row.key[..row.prefix_len as usize],
        _ => row.key,
    };
    let (key, namespace) = match info.kind {
        StateKind::Timer => (whole, &[][..]),
        _ => layout.split(whole),
    };
    let user_key = match info.kind {
        StateKind::Map => &row.key[row.prefix_len as usize..],
        StateKind::List => {
            place.0 = row.seq.to_be_bytes();
            &place.0
        }
        StateKind::Value | StateKind::Timer => &[],
    };
    TableRow {
        key_group,
        state: row.state,
        key,
        namespace,
        user_key,
        value: (info.kind != StateKind::Timer).then_some(row.value),
        timestamp: match info.kind {
            StateKind::Timer => Some(timestamp_from_bytes(row.key)),
            StateKind::Value | StateKind::Map => ttl_stamp(),
            StateKind::List => None,
        },
        checkpoint,
    }
}

/// The store row of a table row; `key` is where its key is put together.
pub fn store_row<'a>(
    row: &TableRow<'a>,
    state: u16,
    kind: StateKind,
    key: &'a mut Vec<u8>,
) -> Result<LoadedRow<'a>> {
    key.clear();
    key.extend_from_slice(row.key);
    key.extend_from_slice(row.namespace);
    let prefix_len = key.len() as u32;
    let mut seq = 0;
    match kind {
        StateKind::Map => key.extend_from_slice(row.user_key),
        StateKind::List => {
            let bytes = row.user_key.try_into();
            let bytes = bytes
                .map_err(|_| Error::corrupt("the place of a list's chunk is not four bytes"))?;
            seq = u32::from_be_bytes(bytes);
        }
        StateKind::Value | StateKind::Timer => {}
    }
    if kind != StateKind::Timer && row.value.is_none() {
        return Err(Error::corrupt("a row has no value"));
    }
    Ok(LoadedRow {
        state,
        tombstone: false,
        key,
        prefix_len: match kind {
            StateKind::Map | StateKind::List => prefix_len,
            StateKind::Value | StateKind::Timer => 0,
        },
        seq,
        value: row.value.unwrap_or_default(),
    })
}
