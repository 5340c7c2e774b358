//! Mini-batches: every key of a bundle emits once, in the order of Flink's bundle.

use super::GroupAggregate;
use super::distinct::{Distinct, ViewStates, clear};
use super::emission::Emission;
use super::fold::{Seen, accumulator, argument, effects_of, load_lanes, new_lanes};
use super::lane::{Lane, too_few};
use super::plan::{Plan, View};
use super::rows::{Flow, Groups, StoreKeys};
use super::state::{Clock, Loaded, Saving};
use super::view_map::{self, Entries};
use arrow_array::{Array, ArrayRef, UInt32Array};
use arrow_select::take::take;
use sf_batch::{Batch, RowBuilder, RowKind};
use sf_core::{Error, Result};
use sf_plan::proto::group_aggregate::Phase;
use sf_store::Store;

impl GroupAggregate {
    /// Takes a bundle.
    pub(super) fn process_bundle(
        &mut self,
        store: Option<&mut Store>,
        batch: &Batch,
    ) -> Result<Batch> {
        self.encoder.encode(batch, &mut self.keys)?;
        let groups = Groups::new(&self.keys);
        let hashes = groups.first_row.iter();
        let hashes: Vec<_> = hashes.map(|row| self.keys.hash(*row as usize)).collect();
        let order = self.order.of(&hashes);
        if self.plan.phase == Phase::Local {
            return local(&self.plan, batch, groups, &order);
        }
        let store = store.ok_or_else(super::no_store)?;
        self.update_groups(store, batch, groups, &order)
    }

    /// One phase, or the global one.
    fn update_groups(
        &mut self,
        store: &mut Store,
        batch: &Batch,
        groups: Groups,
        order: &[u32],
    ) -> Result<Batch> {
        let numbers = self.numbers(store)?;
        let clock = self.clock();
        let plan = &self.plan;
        let keys = StoreKeys::new(&groups, &self.keys, store.range().max_parallelism())?;
        let loaded = Loaded::new(store, numbers.accumulators, &keys, clock)?;
        let mut lanes = load_lanes(plan, &groups, &loaded)?;
        lanes.iter_mut().for_each(|lane| lane.keep_before());
        let Groups { of_row, first_row } = groups;
        let flow = Flow::new(of_row, batch)?;
        match plan.phase {
            Phase::Global => {
                merge(plan, batch, &flow, &mut lanes, keys.len())?;
                for (number, states) in numbers.views.iter().enumerate() {
                    let merging = Merging {
                        plan,
                        number,
                        clock,
                        groups: keys.len(),
                    };
                    let seen = merging.of_bundle(batch, &flow)?;
                    merging.add_to_state(&seen, *states, &mut lanes, (&mut *store, &keys))?;
                }
            }
            _ => {
                flow.check_appends()?;
                let backing = (keys.len(), Some((&mut *store, &keys)));
                let seen = Seen::new(plan, &numbers.views, clock, batch, &flow, backing)?;
                for (lane, call) in lanes.iter_mut().zip(&plan.calls) {
                    let effects = effects_of(call, batch, &flow, &seen.effects)?;
                    lane.run(&flow, &effects, argument(call, batch)?, None)?;
                }
                seen.write(store, &keys)?;
            }
        }
        let mut changed = vec![false; keys.len()];
        let mut unseen = vec![false; keys.len()];
        for (lane, call) in lanes.iter_mut().zip(&plan.calls) {
            let changed = if call.visible {
                &mut changed
            } else {
                &mut unseen
            };
            lane.keep_after(changed);
        }
        let counts = plan.counter.map(|counter| lanes[counter].counts());
        let there = loaded.there();
        let mut emission = Emission::default();
        let mut saving = Saving::default();
        let mut row = RowBuilder::new(plan.arity);
        for group in order.iter().map(|group| *group as usize) {
            let (key, before, after) = (first_row[group], group, keys.len() + group);
            if counts.as_ref().is_some_and(|counts| counts[group] == 0) {
                if there[group] {
                    emission.push(RowKind::Delete, key, before);
                }
                for states in &numbers.views {
                    clear(store, *states, &keys, group)?;
                }
                saving.remove(group);
                continue;
            }
            match there[group] {
                false => emission.push(RowKind::Insert, key, after),
                true if changed[group] || plan.ttl > 0 => {
                    emission.update(plan, key, before, after);
                }
                true => {}
            }
            saving.put(group, accumulator(plan, &lanes, group, &mut row)?, clock);
        }
        let out = emission.finish(plan, batch, &lanes)?;
        saving.write(store, numbers.accumulators, &keys)?;
        Ok(out)
    }

    /// No row, with the columns of the output.
    pub(super) fn nothing(&self, input: &Batch) -> Result<Batch> {
        let input = input.slice(0, 0);
        match self.plan.phase {
            Phase::Local => {
                let groups = Groups::default();
                local(&self.plan, &input, groups, &[])
            }
            _ => Emission::default().finish(&self.plan, &input, &new_lanes(&self.plan, 0)),
        }
    }
}

/// Merges accumulators that came as rows: those of one bundle with each other first, as Flink does. Distinct calls have
/// nothing to merge: the values that their view sees are added to them.
fn merge<'a>(
    plan: &Plan,
    batch: &'a Batch,
    flow: &Flow,
    lanes: &mut [Lane<'_, 'a>],
    groups: usize,
) -> Result<()> {
    let mut bundle = new_lanes(plan, groups);
    for ((lane, merged), call) in lanes.iter_mut().zip(&mut bundle).zip(&plan.calls) {
        if call.distinct.is_some() {
            continue;
        }
        let first = plan.grouping.len() + call.offset;
        let columns = batch.columns().get(first..first + call.fields());
        merged.merge_columns(flow, columns.ok_or_else(too_few)?)?;
        lane.merge(merged);
    }
    Ok(())
}

/// One view of the global phase.
struct Merging<'p> {
    plan: &'p Plan,
    number: usize,
    clock: Clock,
    groups: usize,
}

impl Merging<'_> {
    fn view(&self) -> &View {
        &self.plan.views[self.number]
    }

    fn distinct(&self, states: ViewStates, values: &ArrayRef) -> Result<Distinct<'_>> {
        let view = self.view();
        let filters = vec![None; view.filters.len()];
        Distinct::new(view, states, self.clock, values, filters, self.groups)
    }

    /// The views of one bundle in one.
    fn of_bundle(&self, batch: &Batch, flow: &Flow) -> Result<Entries> {
        let plan = self.plan;
        let column = plan.grouping.len() + plan.arity - plan.views.len() + self.number;
        let entries = view_map::decode(self.view(), batch.column(column)?, &flow.groups)?;
        let mut distinct = self.distinct(ViewStates::NONE, &entries.values)?;
        distinct.merge(&entries.groups, &entries.numbers, &mut None)?;
        let (mut groups, mut rows, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for (group, row, of_entry) in distinct.present() {
            groups.push(group);
            rows.push(row);
            numbers.extend_from_slice(of_entry);
        }
        let values = taken(&entries.values, &UInt32Array::from(rows))?;
        Ok(Entries {
            groups,
            values,
            numbers,
        })
    }

    /// Adds them to the state, and values that are new (or no more) to the calls.
    fn add_to_state(
        &self,
        seen: &Entries,
        states: ViewStates,
        lanes: &mut [Lane<'_, '_>],
        (store, keys): (&mut Store, &StoreKeys),
    ) -> Result<()> {
        let mut distinct = self.distinct(states, &seen.values)?;
        let mut backing = Some((&mut *store, keys));
        let effects = distinct.merge(&seen.groups, &seen.numbers, &mut backing)?;
        let flow = Flow::of_groups(seen.groups.clone());
        for (lane, call) in lanes.iter_mut().zip(&self.plan.calls) {
            match call.distinct {
                Some((number, position)) if number == self.number => {
                    lane.run_once(&flow, &effects[position], &seen.values)?;
                }
                _ => {}
            }
        }
        distinct.write(store, keys)
    }
}

fn taken(column: &dyn Array, rows: &UInt32Array) -> Result<ArrayRef> {
    take(column, rows, None).map_err(|e| Error::internal(format!("Arrow: {e}")))
}

/// The local phase: keys and accumulators of the bundle.
fn local(plan: &Plan, batch: &Batch, groups: Groups, order: &[u32]) -> Result<Batch> {
    let mut lanes = new_lanes(plan, groups.len());
    let rows = order.iter().map(|group| groups.first_row[*group as usize]);
    let rows = UInt32Array::from_iter_values(rows);
    let flow = Flow::new(groups.of_row, batch)?;
    if plan.counter.is_none() {
        flow.check_appends()?;
    }
    let mut columns = Vec::with_capacity(plan.grouping.len() + plan.arity);
    for column in &plan.grouping {
        columns.push(taken(batch.column(*column)?, &rows)?);
    }
    let clock = Clock { ttl: 0, now: 0 };
    let states = vec![ViewStates::NONE; plan.views.len()];
    let seen = Seen::new(plan, &states, clock, batch, &flow, (order.len(), None))?;
    for (lane, call) in lanes.iter_mut().zip(&plan.calls) {
        let effects = effects_of(call, batch, &flow, &seen.effects)?;
        lane.run(&flow, &effects, argument(call, batch)?, None)?;
        lane.columns(order, &mut columns)?;
    }
    for (view, distinct) in plan.views.iter().zip(&seen.views) {
        let values = batch.column(view.column)?;
        columns.push(view_map::encode(view, distinct, values, order)?);
    }
    Batch::new(order.len(), columns, None)
}
