//! The output: which results are emitted, with which kinds.

use super::lane::Lane;
use super::plan::Plan;
use arrow_array::UInt32Array;
use arrow_select::take::take;
use sf_batch::{Batch, RowKind};
use sf_core::{Error, Result};

/// Rows of the output in order.
#[derive(Debug, Default)]
pub(super) struct Emission {
    kinds: Vec<i8>,
    /// Row of the input whose key the row has.
    rows: Vec<u32>,
    /// Position of its results in each lane.
    at: Vec<u32>,
}

impl Emission {
    /// Adds a row.
    #[inline]
    pub fn push(&mut self, kind: RowKind, row: u32, at: usize) {
        self.kinds.push(kind as i8);
        self.rows.push(row);
        self.at.push(at as u32);
    }

    /// Adds an update, with what it replaces when the plan asks for that.
    #[inline]
    pub fn update(&mut self, plan: &Plan, row: u32, before: usize, after: usize) {
        if plan.update_before {
            self.push(RowKind::UpdateBefore, row, before);
        }
        self.push(RowKind::UpdateAfter, row, after);
    }

    /// The batch of keys and results.
    pub fn finish(self, plan: &Plan, input: &Batch, lanes: &[Lane<'_, '_>]) -> Result<Batch> {
        let mut columns = Vec::with_capacity(plan.grouping.len() + lanes.len());
        let rows = UInt32Array::from(self.rows);
        for column in &plan.grouping {
            let key = take(input.column(*column)?, &rows, None);
            columns.push(key.map_err(|e| Error::internal(format!("Arrow: {e}")))?);
        }
        for (lane, _) in lanes
            .iter()
            .zip(&plan.calls)
            .filter(|(_, call)| call.visible)
        {
            columns.push(lane.results(&self.at)?);
        }
        let inserts = self.kinds.iter().all(|kind| *kind == RowKind::Insert as i8);
        let kinds = (!inserts).then(|| self.kinds.into());
        Batch::new(self.at.len(), columns, kinds)
    }
}
