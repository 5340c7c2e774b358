//! Native SQL operators: from batch to batch, with state in the store.

mod aggregate;
mod calc;
mod describe;
mod factory;
mod not_null_enforcer;
mod operator;

pub use aggregate::{GroupAggregate, StateUse};
pub use calc::Calc;
pub use factory::operator;
pub use not_null_enforcer::NotNullEnforcer;
pub use operator::Operator;

#[cfg(test)]
mod calc_test;
#[cfg(test)]
mod not_null_enforcer_test;
