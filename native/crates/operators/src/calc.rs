use crate::describe::describe;
use crate::operator::Operator;
use sf_batch::Batch;
use sf_core::Result;
use sf_expr::Program;
use sf_plan::{RowType, proto};
use sf_store::Store;

/// StreamExecCalc: rows that pass the condition, with the columns of the projection. Row kinds stay. The projection is
/// evaluated for the rows left only, and what it shares with other parts is computed once.
#[derive(Debug)]
pub struct Calc {
    description: String,
    program: Program,
    /// Whether the first expression of the program is the condition.
    filters: bool,
    /// Number of output columns.
    columns: usize,
}

impl Calc {
    /// Compiles the plan's expressions; those without native form are refused with their reason.
    pub fn new(plan: &proto::Calc, session: &proto::Session, description: &str) -> Result<Self> {
        let input = RowType::try_from(plan.input.as_ref())?;
        let expressions = plan.condition.iter().chain(&plan.projection);
        Ok(Self {
            description: description.to_owned(),
            program: Program::compile(expressions, &input, session)?,
            filters: plan.condition.is_some(),
            columns: plan.projection.len(),
        })
    }

    fn calculate(&self, batch: &Batch) -> Result<Batch> {
        let keep = if self.filters {
            let keep = self.program.frame(batch, None).condition(0)?;
            (keep.count_set_bits() < batch.rows()).then_some(keep)
        } else {
            None
        };
        let kinds = batch.kinds().map(|kinds| match &keep {
            None => kinds.iter().copied().collect(),
            Some(keep) => keep.set_indices().map(|row| kinds[row]).collect(),
        });
        let mut frame = self.program.frame(batch, keep);
        let first = usize::from(self.filters);
        let columns = (first..first + self.columns).map(|column| frame.evaluate(column, None));
        let columns = columns.collect::<Result<_>>()?;
        Batch::new(frame.rows(), columns, kinds)
    }
}

impl Operator for Calc {
    fn process(&mut self, _: Option<&mut Store>, _: usize, batch: Batch) -> Result<Batch> {
        self.calculate(&batch)
            .map_err(|error| describe(&self.description, error))
    }
}
