//! Where in a data file the rows of one state and key group are, by epoch and ordinal.
//!
//! A file lists them in that order, so only the order has to be kept: a position is an index.

use sf_store::Death;

/// Maps (epoch, ordinal) to the row's position in its file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Places {
    /// Neighbouring ordinals, as a row of runs. Little where most ordinals of an epoch are there.
    Runs(Box<[Run]>),
    /// Each ordinal by itself, with the index at which each epoch begins.
    Single {
        first_row: u32,
        epochs: Box<[(u32, u32)]>,
        ordinals: Box<[u32]>,
    },
}

/// `len` rows of one epoch with ordinals from `ordinal` on, at positions from `row` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    epoch: u32,
    ordinal: u32,
    row: u32,
    len: u32,
}

impl Places {
    /// Names come in ascending order; their rows lie one behind the other from `first_row` on.
    pub(crate) fn new(first_row: u32, names: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        let mut epochs: Vec<(u32, u32)> = Vec::new();
        let mut ordinals = Vec::new();
        for (index, (epoch, ordinal)) in (0..).zip(names) {
            match runs.last_mut() {
                Some(run) if run.epoch == epoch && run.ordinal + run.len == ordinal => run.len += 1,
                _ => runs.push(Run {
                    epoch,
                    ordinal,
                    row: first_row + index,
                    len: 1,
                }),
            }
            if epochs.last().is_none_or(|last| last.0 != epoch) {
                epochs.push((epoch, index));
            }
            ordinals.push(ordinal);
        }
        let single = size_of_val(&*epochs) + size_of_val(&*ordinals);
        if size_of_val(&*runs) <= single {
            return Self::Runs(runs.into());
        }
        Self::Single {
            first_row,
            epochs: epochs.into(),
            ordinals: ordinals.into(),
        }
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::Runs(runs) => size_of_val(&**runs),
            Self::Single {
                epochs, ordinals, ..
            } => size_of_val(&**epochs) + size_of_val(&**ordinals),
        }
    }

    /// The position of a row, if the file has it.
    pub(crate) fn find(&self, row: Death) -> Option<u32> {
        match self {
            Self::Runs(runs) => {
                let behind = runs
                    .partition_point(|run| (run.epoch, run.ordinal) <= (row.epoch, row.ordinal));
                let run = runs[..behind].last()?;
                let within = row.ordinal - run.ordinal;
                (run.epoch == row.epoch && within < run.len).then_some(run.row + within)
            }
            Self::Single {
                first_row,
                epochs,
                ordinals,
            } => {
                let at = epochs
                    .binary_search_by_key(&row.epoch, |(epoch, _)| *epoch)
                    .ok()?;
                let from = epochs[at].1 as usize;
                let to = epochs
                    .get(at + 1)
                    .map_or(ordinals.len(), |(_, index)| *index as usize);
                let within = ordinals[from..to].binary_search(&row.ordinal).ok()?;
                Some(first_row + (from + within) as u32)
            }
        }
    }
}
