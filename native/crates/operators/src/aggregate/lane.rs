//! One function over all groups of a batch, column by column.

use super::distinct::{Backing, Distinct};
use super::form::{Form, Kind};
use super::function::{Accumulator, Function};
use super::plan::Call;
use super::rows::{Flow, Step};
use super::value::Value;
use arrow_array::{Array, ArrayRef};
use sf_batch::{RowBuilder, RowView};
use sf_core::{Error, Result};
use sf_plan::DataType;
use std::cell::Cell;

/// The accumulators of one call, one for each group, and the results before and after each row.
#[derive(Debug)]
pub(super) struct Fold<'c, T> {
    call: &'c Call,
    groups: Vec<Accumulator<T>>,
    /// Before row or group `i` at `i`, after it at `n + i`.
    results: Vec<Option<T>>,
}

/// A [`Fold`] of whatever form the call's values have.
#[derive(Debug)]
pub(super) enum Lane<'c, 'a> {
    Long(Fold<'c, i64>),
    Float(Fold<'c, f32>),
    Double(Fold<'c, f64>),
    Wide(Fold<'c, i128>),
    Bytes(Fold<'c, &'a [u8]>),
}

macro_rules! each {
    ($lane:expr, $fold:ident => $body:expr) => {
        match $lane {
            Lane::Long($fold) => $body,
            Lane::Float($fold) => $body,
            Lane::Double($fold) => $body,
            Lane::Wide($fold) => $body,
            Lane::Bytes($fold) => $body,
        }
    };
}

impl<'c, 'a> Lane<'c, 'a> {
    /// New accumulators for `groups` groups.
    pub fn new(call: &'c Call, groups: usize) -> Self {
        match call.kind {
            Kind::Long => Self::Long(Fold::new(call, groups)),
            Kind::Float => Self::Float(Fold::new(call, groups)),
            Kind::Double => Self::Double(Fold::new(call, groups)),
            Kind::Wide => Self::Wide(Fold::new(call, groups)),
            Kind::Bytes => Self::Bytes(Fold::new(call, groups)),
        }
    }

    /// Reads the accumulator of a group from its row.
    pub fn load(&mut self, group: usize, row: RowView<'a>) -> Result<()> {
        each!(self, fold => fold.load(group, row))
    }

    /// Writes the accumulator of a group.
    pub fn store(&self, group: usize, row: &mut RowBuilder) {
        each!(self, fold => fold.store(group, row));
    }

    /// Folds every row as its step says. With `changed`: keeps the results before and after each row, and marks the
    /// rows where they differ.
    pub fn run(
        &mut self,
        flow: &Flow,
        effects: &[i8],
        arg: Option<&'a dyn Array>,
        changed: Option<&mut [bool]>,
    ) -> Result<()> {
        each!(self, fold => fold.run(flow, effects, arg, changed))
    }

    /// As [`Self::run`], of a function that keeps a map of all values.
    pub fn run_with_map(
        &mut self,
        flow: &Flow,
        effects: &[i8],
        arg: Option<&'a dyn Array>,
        changed: &mut [bool],
        (map, backing): (&mut Distinct<'_>, &mut Backing<'_>),
    ) -> Result<()> {
        each!(self, fold => fold.run_with_map(flow, effects, arg, changed, (map, backing)))
    }

    /// Folds values of an array that is gone afterwards; strings are only counted.
    pub fn run_once(&mut self, flow: &Flow, effects: &[i8], values: &dyn Array) -> Result<()> {
        match self {
            Self::Long(fold) => fold.run(flow, effects, Some(values), None),
            Self::Float(fold) => fold.run(flow, effects, Some(values), None),
            Self::Double(fold) => fold.run(flow, effects, Some(values), None),
            Self::Wide(fold) => fold.run(flow, effects, Some(values), None),
            Self::Bytes(_) => Err(Error::internal(
                "MIN or MAX of distinct strings in two phases",
            )),
        }
    }

    /// Takes the accumulators of another lane of the same call in, group by group.
    pub fn merge(&mut self, other: &Lane<'_, 'a>) {
        match (self, other) {
            (Self::Long(one), Lane::Long(other)) => one.merge(other),
            (Self::Float(one), Lane::Float(other)) => one.merge(other),
            (Self::Double(one), Lane::Double(other)) => one.merge(other),
            (Self::Wide(one), Lane::Wide(other)) => one.merge(other),
            (Self::Bytes(one), Lane::Bytes(other)) => one.merge(other),
            _ => unreachable!("lanes of one call have one form"),
        }
    }

    /// The counts of all groups.
    pub fn counts(&self) -> Vec<i64> {
        each!(self, fold => fold.groups.iter().map(|acc| acc.count).collect())
    }

    /// Takes accumulators in that came as columns, the fields of one behind each other, a row for the group in `flow`.
    pub fn merge_columns(&mut self, flow: &Flow, columns: &'a [ArrayRef]) -> Result<()> {
        each!(self, fold => fold.merge_columns(flow, columns))
    }

    /// Keeps the results of all groups as those before the batch.
    pub fn keep_before(&mut self) {
        each!(self, fold => fold.keep_before());
    }

    /// Keeps the results of all groups as those after the batch, and marks the groups where they differ.
    pub fn keep_after(&mut self, changed: &mut [bool]) {
        each!(self, fold => fold.keep_after(changed));
    }

    /// The results at these positions: below the number of rows (or groups) before, from it on after.
    pub fn results(&self, at: &[u32]) -> Result<ArrayRef> {
        each!(self, fold => fold.results(at))
    }

    /// The fields of the accumulators of these groups, as columns.
    pub fn columns(&self, groups: &[u32], out: &mut Vec<ArrayRef>) -> Result<()> {
        each!(self, fold => fold.columns(groups, out))
    }
}

impl<'c, 'a, T: Form<'a>> Fold<'c, T> {
    fn new(call: &'c Call, groups: usize) -> Self {
        Self {
            call,
            groups: vec![call.function.initial(); groups],
            results: Vec::new(),
        }
    }

    fn load(&mut self, group: usize, row: RowView<'a>) -> Result<()> {
        let (function, mut pos) = (self.call.function, self.call.offset);
        let acc = &mut self.groups[group];
        if function.keeps_map() {
            let row = row.row(pos, NESTED)?;
            if !row.is_null(0) {
                acc.value = Some(T::of_row(row, 0, &self.call.value_type)?);
            }
            acc.count = row.big_int(1);
            return Ok(());
        }
        if function.keeps_value() {
            acc.value = match row.is_null(pos) {
                true => None,
                false => Some(T::of_row(row, pos, &self.call.value_type)?),
            };
            pos += 1;
        }
        if function.keeps_count() {
            acc.count = row.big_int(pos);
        }
        Ok(())
    }

    fn store(&self, group: usize, row: &mut RowBuilder) {
        let (function, mut pos) = (self.call.function, self.call.offset);
        let acc = &self.groups[group];
        if function.keeps_map() {
            let mut nested = RowBuilder::new(NESTED);
            match acc.value {
                None => nested.set_null(0),
                Some(value) => value.to_row(&mut nested, 0, &self.call.value_type),
            }
            nested.set_big_int(1, acc.count);
            nested.set_section(2, &[0]);
            row.set_section(pos, nested.row().unwrap_or_default());
            return;
        }
        if function.keeps_value() {
            match acc.value {
                None => row.set_null(pos),
                Some(value) => value.to_row(row, pos, &self.call.value_type),
            }
            pos += 1;
        }
        if function.keeps_count() {
            row.set_big_int(pos, acc.count);
        }
    }

    fn args(&self, arg: Option<&'a dyn Array>) -> Result<Vec<Option<T>>> {
        match (arg, self.call.function) {
            (None, _) => Ok(Vec::new()),
            // What is counted only is NULL or not.
            (Some(array), Function::CountRows | Function::Count) => {
                let rows = 0..array.len();
                Ok(rows
                    .map(|i| (!array.is_null(i)).then_some(T::ZERO))
                    .collect())
            }
            (Some(array), _) => T::of_array(array, &self.call.arg_type),
        }
    }

    fn run(
        &mut self,
        flow: &Flow,
        effects: &[i8],
        arg: Option<&'a dyn Array>,
        changed: Option<&mut [bool]>,
    ) -> Result<()> {
        let args = self.args(arg)?;
        let (function, how) = (self.call.function, self.call.arithmetic);
        let rows = flow.groups.len();
        let arg_of = |row: usize| args.get(row).copied().flatten();
        let Some(changed) = changed else {
            for (row, effect) in effects.iter().enumerate() {
                let acc = &mut self.groups[flow.groups[row] as usize];
                if *effect != 0 && flow.steps[row] != Step::Skip {
                    function.step(acc, arg_of(row), *effect < 0, how);
                }
                if flow.steps[row] == Step::Last {
                    *acc = function.initial();
                }
            }
            return Ok(());
        };
        self.results = vec![None; 2 * rows];
        let (before, after) = self.results.split_at_mut(rows);
        for (row, effect) in effects.iter().enumerate() {
            let step = flow.steps[row];
            if step == Step::Skip {
                continue;
            }
            let acc = &mut self.groups[flow.groups[row] as usize];
            before[row] = function.result(acc, how);
            if *effect != 0 {
                function.step(acc, arg_of(row), *effect < 0, how);
            }
            after[row] = function.result(acc, how);
            changed[row] |= !same(before[row], after[row]);
            if step == Step::Last {
                *acc = function.initial();
            }
        }
        Ok(())
    }

    fn run_with_map(
        &mut self,
        flow: &Flow,
        effects: &[i8],
        arg: Option<&'a dyn Array>,
        changed: &mut [bool],
        (map, backing): (&mut Distinct<'_>, &mut Backing<'_>),
    ) -> Result<()> {
        let args = self.args(arg)?;
        let (function, how) = (self.call.function, self.call.arithmetic);
        let rows = flow.groups.len();
        self.results = vec![None; 2 * rows];
        for (row, effect) in effects.iter().enumerate() {
            let (step, group) = (flow.steps[row], flow.groups[row]);
            if step == Step::Skip {
                continue;
            }
            let acc = &mut self.groups[group as usize];
            self.results[row] = function.result(acc, how);
            if let (Some(value), true) = (args[row], *effect != 0) {
                if *effect > 0
                    && (acc.count == 0
                        || acc.value.is_none_or(|best| function.prefers(value, best)))
                {
                    acc.value = Some(value);
                }
                let moved = map.count_one(group, row, *effect, backing)?;
                acc.count += i64::from(moved);
                if moved < 0 && acc.count == 0 {
                    acc.value = None;
                } else if moved < 0 && acc.value.is_some_and(|best| best.equals(value)) {
                    let data_type = &self.call.value_type;
                    acc.value = extreme(function, data_type, &args, group, (&*map, &mut *backing))?;
                    if acc.value.is_none() {
                        acc.count = 0;
                    }
                }
            }
            self.results[rows + row] = function.result(acc, how);
            changed[row] |= !same(self.results[row], self.results[rows + row]);
            if step == Step::Last {
                *acc = function.initial();
                map.end_group(group, backing)?;
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Fold<'_, T>) {
        let (function, how) = (self.call.function, self.call.arithmetic);
        for (acc, other) in self.groups.iter_mut().zip(&other.groups) {
            function.merge(acc, *other, how);
        }
    }

    fn merge_columns(&mut self, flow: &Flow, columns: &'a [ArrayRef]) -> Result<()> {
        let (function, how) = (self.call.function, self.call.arithmetic);
        let (mut values, mut counts) = (Vec::new(), Vec::new());
        let mut columns = columns.iter();
        if function.keeps_value() {
            let column = columns.next().ok_or_else(too_few)?;
            values = T::of_array(column, &self.call.value_type)?;
        }
        if function.keeps_count() {
            let column = columns.next().ok_or_else(too_few)?;
            counts = i64::of_array(column, &DataType::BigInt)?;
        }
        for (row, group) in flow.groups.iter().enumerate() {
            let other = Accumulator {
                value: values.get(row).copied().flatten(),
                count: counts.get(row).copied().flatten().unwrap_or(0),
            };
            function.merge(&mut self.groups[*group as usize], other, how);
        }
        Ok(())
    }

    fn keep_before(&mut self) {
        let (function, how) = (self.call.function, self.call.arithmetic);
        let groups = self.groups.iter();
        self.results = groups.map(|acc| function.result(acc, how)).collect();
    }

    fn keep_after(&mut self, changed: &mut [bool]) {
        let (function, how) = (self.call.function, self.call.arithmetic);
        for (group, acc) in self.groups.iter().enumerate() {
            let after = function.result(acc, how);
            changed[group] |= !same(self.results[group], after);
            self.results.push(after);
        }
    }

    fn results(&self, at: &[u32]) -> Result<ArrayRef> {
        let values: Vec<_> = at.iter().map(|i| self.results[*i as usize]).collect();
        T::to_array(&values, &self.call.result_type)
    }

    fn columns(&self, groups: &[u32], out: &mut Vec<ArrayRef>) -> Result<()> {
        let accs = || groups.iter().map(|group| &self.groups[*group as usize]);
        if self.call.function.keeps_value() {
            let values: Vec<_> = accs().map(|acc| acc.value).collect();
            out.push(T::to_array(&values, &self.call.value_type)?);
        }
        if self.call.function.keeps_count() {
            let counts: Vec<_> = accs().map(|acc| Some(acc.count)).collect();
            out.push(i64::to_array(&counts, &DataType::BigInt)?);
        }
        Ok(())
    }
}

/// Fields of the accumulator of a function with a map: the value, the number of keys, the map itself.
const NESTED: usize = 3;

/// The extreme value of all that a map has of a group.
fn extreme<'a, T: Form<'a>>(
    function: Function,
    data_type: &DataType,
    args: &[Option<T>],
    group: u32,
    (map, backing): (&Distinct<'_>, &mut Backing<'_>),
) -> Result<Option<T>> {
    let best = Cell::new(None);
    let corrupt = Cell::new(false);
    let offer = |value: T| {
        if best.get().is_none_or(|best| function.prefers(value, best)) {
            best.set(Some(value));
        }
    };
    let of_batch = |row: usize| args[row].into_iter().for_each(offer);
    let of_store = |key: &[u8]| match T::of_key(key, data_type) {
        Some(value) => offer(value),
        None => corrupt.set(true),
    };
    map.visit(group, backing, of_batch, of_store)?;
    match corrupt.get() {
        true => Err(Error::corrupt(format!("a key is no {data_type:?}"))),
        false => Ok(best.get()),
    }
}

pub(super) fn too_few() -> Error {
    Error::internal("a batch has fewer columns than the accumulators have fields")
}

fn same<T: Value>(one: Option<T>, other: Option<T>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => one.same(other),
        _ => false,
    }
}
