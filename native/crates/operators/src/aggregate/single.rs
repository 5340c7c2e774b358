//! One phase without mini-batch: every row emits what it changes.

use super::GroupAggregate;
use super::distinct::Distinct;
use super::emission::Emission;
use super::fold::{Seen, accumulator, argument, effects_of, load_lanes};
use super::plan::Plan;
use super::rows::{Flow, Groups, Step, StoreKeys};
use super::state::{Loaded, Saving};
use sf_batch::{Batch, RowBuilder, RowKind};
use sf_core::Result;
use sf_store::Store;

impl GroupAggregate {
    /// Takes the rows one after the other, as far as one can see.
    pub(super) fn process_rows(&mut self, store: &mut Store, batch: &Batch) -> Result<Batch> {
        let numbers = self.numbers(store)?;
        let clock = self.clock();
        let plan = &self.plan;
        self.encoder.encode(batch, &mut self.keys)?;
        let groups = Groups::new(&self.keys);
        let keys = StoreKeys::new(&groups, &self.keys, store.range().max_parallelism())?;
        let loaded = Loaded::new(store, numbers.accumulators, &keys, clock)?;
        let mut lanes = load_lanes(plan, &groups, &loaded)?;

        let mut flow = Flow::new(groups.of_row, batch)?;
        if plan.counter.is_none() {
            flow.check_appends()?;
        }
        let mut there = loaded.there();
        flow.find_steps(
            &mut there,
            plan.counter.map(|counter| lanes[counter].counts()),
        );
        let backing = (keys.len(), Some((&mut *store, &keys)));
        let seen = Seen::new(plan, &numbers.views, clock, batch, &flow, backing)?;
        let mut changed = vec![false; batch.rows()];
        let mut maps = Vec::with_capacity(plan.maps.len());
        for ((number, view), states) in plan.maps.iter().zip(&numbers.maps) {
            let call = &plan.calls[*number];
            let effects = effects_of(call, batch, &flow, &seen.effects)?;
            let column = batch.column(view.column)?;
            let mut map = Distinct::new(view, *states, clock, column, vec![None], keys.len())?;
            let with = (&mut map, &mut Some((&mut *store, &keys)));
            let arg = argument(call, batch)?;
            lanes[*number].run_with_map(&flow, &effects, arg, &mut changed, with)?;
            maps.push(map);
        }
        let folded = lanes.iter_mut().zip(&plan.calls);
        for (lane, call) in folded.filter(|(_, call)| !call.function.keeps_map()) {
            let effects = effects_of(call, batch, &flow, &seen.effects)?;
            let changed = call.visible.then_some(&mut changed[..]);
            lane.run(&flow, &effects, argument(call, batch)?, changed)?;
        }
        let out = emission(plan, &flow, &changed).finish(plan, batch, &lanes)?;

        seen.write(store, &keys)?;
        maps.iter().try_for_each(|map| map.write(store, &keys))?;
        let mut touched = vec![false; keys.len()];
        for (group, step) in flow.groups.iter().zip(&flow.steps) {
            touched[*group as usize] |= *step != Step::Skip;
        }
        let mut saving = Saving::default();
        let mut row = RowBuilder::new(plan.arity);
        for group in 0..keys.len() {
            // What has expired goes too.
            match there[group] {
                true if touched[group] => {
                    let bytes = accumulator(plan, &lanes, group, &mut row)?;
                    saving.put(group, bytes, clock);
                }
                true => {}
                false => saving.remove(group),
            }
        }
        saving.write(store, numbers.accumulators, &keys)?;
        Ok(out)
    }
}

/// What Flink's `GroupAggFunction` emits for each row.
fn emission(plan: &Plan, flow: &Flow, changed: &[bool]) -> Emission {
    let mut emission = Emission::default();
    let rows = flow.steps.len();
    for (row, step) in flow.steps.iter().enumerate() {
        let (key, before, after) = (row as u32, row, rows + row);
        match step {
            Step::Skip => {}
            Step::First => emission.push(RowKind::Insert, key, after),
            // State that expires is to be refreshed downstream too.
            Step::Next if changed[row] || plan.ttl > 0 => {
                emission.update(plan, key, before, after);
            }
            Step::Next => {}
            Step::Last => emission.push(RowKind::Delete, key, before),
        }
    }
    emission
}
