//! GROUP BY without windows: `StreamExecGroupAggregate`, and the local and global phase of mini-batches.
//!
//! A batch is taken apart by key once; each group's accumulator is read from the store once and written back once. In
//! between every function runs over its column ([`lane`]), and what comes out are the rows that Flink's operator emits for
//! each input row, in its order. State has Flink's names, keys and bytes ([`state`], [`distinct`]).

mod bundle;
mod distinct;
mod emission;
mod fold;
mod form;
mod function;
mod java_order;
mod lane;
mod plan;
mod rows;
mod single;
mod state;
mod user_key;
mod value;
mod view_map;

#[cfg(test)]
mod java_order_test;
#[cfg(test)]
mod value_test;

pub use state::StateUse;

use crate::Operator;
use distinct::ViewStates;
use java_order::JavaOrder;
use plan::Plan;
use sf_batch::{Batch, EncodedRows, NullForm, RowEncoder};
use sf_core::{Error, Result};
use sf_plan::proto::group_aggregate::Phase;
use sf_plan::{RowType, proto};
use sf_store::Store;
use state::Clock;

/// The operator. What it reports in errors begins with its description.
#[derive(Debug)]
pub struct GroupAggregate {
    description: String,
    plan: Plan,
    encoder: RowEncoder,
    keys: EncodedRows,
    numbers: Option<Numbers>,
    now: i64,
    /// Rows of the bundle that has begun.
    pending: Vec<Batch>,
    pending_rows: usize,
    order: JavaOrder,
}

/// Numbers of the states in the store.
#[derive(Debug, Clone)]
struct Numbers {
    accumulators: i32,
    maps: Vec<ViewStates>,
    views: Vec<ViewStates>,
}

impl GroupAggregate {
    /// The operator of a plan; errors of kind `Unsupported` say what has no native form.
    pub fn new(description: &str, message: &proto::GroupAggregate) -> Result<Self> {
        let plan = Plan::new(message)?;
        let input = RowType::try_from(message.input.as_ref())?;
        let encoder = RowEncoder::new(&input, &plan.grouping, NullForm::Reserved)?;
        Ok(Self {
            description: description.to_owned(),
            plan,
            encoder,
            keys: EncodedRows::default(),
            numbers: None,
            now: 0,
            pending: Vec::new(),
            pending_rows: 0,
            order: JavaOrder::default(),
        })
    }

    /// The states that the backend must have registered before the first batch, in the order in which Flink's operator
    /// registers them; none for the local phase.
    pub fn states(&self) -> Vec<StateUse> {
        match self.plan.phase {
            Phase::Local => Vec::new(),
            _ => state::states_of(&self.plan),
        }
    }

    fn clock(&self) -> Clock {
        Clock {
            ttl: self.plan.ttl,
            now: self.now,
        }
    }

    fn numbers(&mut self, store: &Store) -> Result<Numbers> {
        if let Some(numbers) = &self.numbers {
            return Ok(numbers.clone());
        }
        let states = state::states_of(&self.plan);
        let all = states.iter().map(|state| state::number_of(store, state));
        let all: Vec<_> = all.collect::<Result<_>>()?;
        let (accumulators, views) = all.split_last().ok_or_else(no_store)?;
        let (maps, views) = views.split_at(self.plan.maps.len());
        let maps = maps.iter().map(|map| ViewStates {
            map: *map,
            ..ViewStates::NONE
        });
        let (views, _) = views.as_chunks();
        let views = views.iter().map(|[map, null]| ViewStates {
            map: *map,
            null: *null,
        });
        let numbers = Numbers {
            accumulators: *accumulators,
            maps: maps.collect(),
            views: views.collect(),
        };
        Ok(self.numbers.insert(numbers).clone())
    }

    fn take(&mut self, mut store: Option<&mut Store>, batch: Batch) -> Result<Batch> {
        if self.plan.bundle == 0 {
            let store = store.ok_or_else(no_store)?;
            return self.process_rows(store, &batch);
        }
        let mut out = Vec::new();
        let mut begin = 0;
        while begin < batch.rows() {
            let room = self.plan.bundle - self.pending_rows;
            let rows = room.min(batch.rows() - begin);
            self.pending.push(batch.slice(begin, rows));
            self.pending_rows += rows;
            begin += rows;
            if self.pending_rows == self.plan.bundle {
                out.extend(self.end_bundle(store.as_deref_mut())?);
            }
        }
        match out.is_empty() {
            true => self.nothing(&batch),
            false => Batch::concat(&out),
        }
    }

    fn end_bundle(&mut self, store: Option<&mut Store>) -> Result<Option<Batch>> {
        if self.pending_rows == 0 {
            return Ok(None);
        }
        let batch = Batch::concat(&self.pending)?;
        self.pending.clear();
        self.pending_rows = 0;
        self.process_bundle(store, &batch).map(Some)
    }

    fn described<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| {
            let message = format!("{}: {}", self.description, error.message());
            Error::new(error.kind(), message)
        })
    }
}

fn no_store() -> Error {
    Error::internal("a group aggregate has state and was given no store")
}

impl Operator for GroupAggregate {
    fn process(&mut self, store: Option<&mut Store>, _: usize, batch: Batch) -> Result<Batch> {
        let result = self.take(store, batch);
        self.described(result)
    }

    fn flush(&mut self, store: Option<&mut Store>) -> Result<Option<Batch>> {
        let result = self.end_bundle(store);
        self.described(result)
    }

    fn set_time(&mut self, millis: i64) {
        self.now = millis;
    }
}
