use crate::describe::describe;
use crate::operator::Operator;
use arrow_array::Array;
use arrow_buffer::BooleanBuffer;
use sf_batch::Batch;
use sf_core::{Error, Result};
use sf_plan::{RowType, proto};
use sf_store::Store;

/// The part of a sink's ConstraintEnforcer that is about NOT NULL: rows with NULL in one of its columns are an error,
/// or left out.
#[derive(Debug)]
pub struct NotNullEnforcer {
    description: String,
    /// Positions and names, in the order of the plan: the first NULL is the one that the error names.
    columns: Vec<(usize, String)>,
    drop: bool,
}

impl NotNullEnforcer {
    /// Fails when a column is none of the input's.
    pub fn new(plan: &proto::NotNullEnforcer, description: &str) -> Result<Self> {
        let input = RowType::try_from(plan.input.as_ref())?;
        let column = |index: &i32| {
            let field = usize::try_from(*index).ok();
            let field = field.and_then(|index| Some((index, input.fields().get(index)?)));
            let field = field.map(|(index, field)| (index, field.name.clone()));
            field.ok_or_else(|| Error::internal(format!("the input has no column {index}")))
        };
        Ok(Self {
            description: description.to_owned(),
            columns: plan.columns.iter().map(column).collect::<Result<_>>()?,
            drop: plan.drop,
        })
    }

    fn enforce(&self, batch: Batch) -> Result<Batch> {
        let mut valid: Option<BooleanBuffer> = None;
        for (index, _) in &self.columns {
            if let Some(nulls) = batch.column(*index)?.logical_nulls() {
                let nulls = nulls.inner();
                valid = Some(valid.map_or_else(|| nulls.clone(), |valid| &valid & nulls));
            }
        }
        let Some(valid) = valid else {
            return Ok(batch);
        };
        if self.drop {
            return batch.filter(&valid);
        }
        match (!&valid).set_indices().next() {
            None => Ok(batch),
            Some(row) => Err(self.violation(&batch, row)?),
        }
    }

    fn violation(&self, batch: &Batch, row: usize) -> Result<Error> {
        let mut name = "";
        for (index, column) in &self.columns {
            let nulls = batch.column(*index)?.logical_nulls();
            if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                name = column;
                break;
            }
        }
        // The words are Flink's.
        Ok(Error::user(format!(
            "Column '{name}' is NOT NULL, however, a null value is being written into it. You can set job configuration 'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and drop such records silently. Row {row} of the batch"
        )))
    }
}

impl Operator for NotNullEnforcer {
    fn process(&mut self, _: Option<&mut Store>, _: usize, batch: Batch) -> Result<Batch> {
        self.enforce(batch)
            .map_err(|error| describe(&self.description, error))
    }
}
