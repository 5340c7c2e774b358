//! What the ways of processing share: accumulators in and out of their rows, and what each row does to each call.

use super::distinct::{Backing, Distinct, ViewStates, passes};
use super::lane::Lane;
use super::plan::{Call, Plan};
use super::rows::{Flow, Groups, StoreKeys};
use super::state::{Clock, Loaded};
use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray};
use sf_batch::{Batch, RowBuilder, RowKind, RowView};
use sf_core::{Error, Result};
use sf_store::Store;
use std::borrow::Cow;

/// Accumulators of all groups, as they are stored, or new.
pub(super) fn load_lanes<'c, 'a>(
    plan: &'c Plan,
    groups: &Groups,
    loaded: &'a Loaded,
) -> Result<Vec<Lane<'c, 'a>>> {
    let mut lanes = new_lanes(plan, groups.len());
    for (group, row) in groups.first_row.iter().enumerate() {
        if let Some(stored) = loaded.get(group) {
            load(plan, &mut lanes, group, stored).map_err(|error| {
                let message = format!("row {row}: state of its key: {}", error.message());
                Error::new(error.kind(), message)
            })?;
        }
    }
    Ok(lanes)
}

/// New accumulators.
pub(super) fn new_lanes<'c, 'a>(plan: &'c Plan, groups: usize) -> Vec<Lane<'c, 'a>> {
    let calls = plan.calls.iter();
    calls.map(|call| Lane::new(call, groups)).collect()
}

fn load<'a>(plan: &Plan, lanes: &mut [Lane<'_, 'a>], group: usize, stored: &'a [u8]) -> Result<()> {
    let row = RowView::from_serialized(stored, plan.arity)?;
    lanes.iter_mut().try_for_each(|lane| lane.load(group, row))
}

/// The row of a group's accumulator.
pub(super) fn accumulator<'r>(
    plan: &Plan,
    lanes: &[Lane<'_, '_>],
    group: usize,
    row: &'r mut RowBuilder,
) -> Result<&'r [u8]> {
    row.start(RowKind::Insert);
    for lane in lanes {
        lane.store(group, row);
    }
    // Of a view whose values stand in a state of their own, `NullSerializer` writes one zero, never in the slot itself.
    for view in plan.arity - plan.views.len()..plan.arity {
        row.set_section(view, &[0]);
    }
    row.row()
}

/// The column of a call's argument.
pub(super) fn argument<'a>(call: &Call, batch: &'a Batch) -> Result<Option<&'a dyn Array>> {
    let column = call.arg.map(|arg| batch.column(arg)).transpose()?;
    Ok(column.map(AsRef::as_ref))
}

/// What each row does to a call: 1 adds its argument, -1 retracts it, 0 does nothing. `distinct` has it for each view
/// and call.
pub(super) fn effects_of<'e>(
    call: &Call,
    batch: &Batch,
    flow: &'e Flow,
    distinct: &'e [Vec<Vec<i8>>],
) -> Result<Cow<'e, [i8]>> {
    if let Some((view, position)) = call.distinct {
        return Ok(Cow::Borrowed(&distinct[view][position]));
    }
    let Some(filter) = filter(call.filter, batch)? else {
        return Ok(Cow::Borrowed(&flow.effects));
    };
    let effects = flow.effects.iter().enumerate();
    let effects = effects.map(|(row, effect)| match passes(Some(filter), row) {
        true => *effect,
        false => 0,
    });
    Ok(Cow::Owned(effects.collect()))
}

fn filter(column: Option<usize>, batch: &Batch) -> Result<Option<&BooleanArray>> {
    let Some(column) = column else {
        return Ok(None);
    };
    let filter = batch.column(column)?.as_boolean_opt();
    let filter = filter.ok_or_else(|| Error::internal("a filter column is not BOOLEAN"))?;
    Ok(Some(filter))
}

/// The values that all views see, and the effects for each view and call.
#[derive(Debug)]
pub(super) struct Seen<'b> {
    pub views: Vec<Distinct<'b>>,
    pub effects: Vec<Vec<Vec<i8>>>,
}

impl<'b> Seen<'b> {
    /// Shows all rows to the views.
    pub fn new(
        plan: &'b Plan,
        views: &[ViewStates],
        clock: Clock,
        batch: &'b Batch,
        flow: &Flow,
        (groups, mut backing): (usize, Backing<'_>),
    ) -> Result<Self> {
        let mut seen = Self {
            views: Vec::new(),
            effects: Vec::new(),
        };
        for (view, states) in plan.views.iter().zip(views) {
            let filters = view.filters.iter().map(|column| filter(*column, batch));
            let filters = filters.collect::<Result<_>>()?;
            let column = batch.column(view.column)?;
            let mut distinct = Distinct::new(view, *states, clock, column, filters, groups)?;
            seen.effects.push(distinct.run(flow, &mut backing)?);
            seen.views.push(distinct);
        }
        Ok(seen)
    }

    /// Writes what has changed.
    pub fn write(&self, store: &mut Store, keys: &StoreKeys) -> Result<()> {
        self.views
            .iter()
            .try_for_each(|view| view.write(store, keys))
    }
}
