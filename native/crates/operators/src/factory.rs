use crate::aggregate::GroupAggregate;
use crate::calc::Calc;
use crate::not_null_enforcer::NotNullEnforcer;
use crate::operator::Operator;
use sf_core::{Error, Result};
use sf_plan::proto::{self, operator::Kind};

/// The operator of a plan. What has no native form is an error of kind `Unsupported` whose text is the reason for
/// users.
pub fn operator(plan: &proto::Operator) -> Result<Box<dyn Operator>> {
    let session = plan.session.clone().unwrap_or_default();
    let description = plan.description.as_str();
    let kind = plan.kind.as_ref();
    let kind = kind.ok_or_else(|| Error::internal("a plan of no operator"))?;
    Ok(match kind {
        Kind::Calc(calc) => Box::new(Calc::new(calc, &session, description)?),
        Kind::NotNullEnforcer(enforcer) => Box::new(NotNullEnforcer::new(enforcer, description)?),
        Kind::GroupAggregate(aggregate) => Box::new(GroupAggregate::new(description, aggregate)?),
    })
}
