//! Three-valued logic and the functions that choose among their operands.

use crate::cast::OnFailure;
use crate::column::{Column, Truth, booleans};
use crate::compile::{Call, Compiler};
use crate::program::{Kernel, Kind, NodeId};
use crate::types::{Family, family};
use arrow_array::{Array, BooleanArray};
use arrow_buffer::BooleanBuffer;
use sf_batch::arrow_type;
use sf_core::Result;
use sf_plan::DataType;
use std::sync::Arc;

pub(crate) fn build(compiler: &mut Compiler<'_>, call: &Call<'_>) -> Result<Kind> {
    let operands = &call.operands;
    Ok(match call.function {
        "AND" | "OR" => {
            if operands.is_empty() || !operands.iter().all(|id| is_boolean(compiler, *id)) {
                return Err(compiler.refuse(call));
            }
            if call.function == "AND" {
                Kind::And(operands.clone())
            } else {
                Kind::Or(operands.clone())
            }
        }
        "CASE" => {
            let Some((otherwise, branches)) = operands.split_last() else {
                return Err(compiler.refuse(call));
            };
            let conditions = branches.iter().step_by(2);
            let valid = branches.len().is_multiple_of(2) && !branches.is_empty();
            if !valid || !conditions.into_iter().all(|id| is_boolean(compiler, *id)) {
                return Err(compiler.refuse(call));
            }
            // A value that cannot be cast to the common type is NULL here, whatever the mode of casts.
            choice(compiler, branches, *otherwise, call, OnFailure::Null)?
        }
        "IF" => {
            let [condition, value, otherwise] = compiler.operands(call)?;
            if !is_boolean(compiler, condition) {
                return Err(compiler.refuse(call));
            }
            choice(
                compiler,
                &[condition, value],
                otherwise,
                call,
                OnFailure::Error,
            )?
        }
        "COALESCE" => {
            // Flink passes values on as they are: strings of any length, else values of the result's type.
            let text = family(&call.data_type) == Family::Character;
            let same = operands.iter().all(|id| {
                let data_type = compiler.data_type(*id);
                data_type == &call.data_type || (text && family(data_type) == Family::Character)
            });
            if operands.is_empty() || !same {
                return Err(compiler.refuse(call));
            }
            Kind::Call(coalesce(call.data_type.clone()), operands.clone())
        }
        "IS NULL" | "IS NOT NULL" => {
            let [operand] = compiler.operands(call)?;
            let wanted = call.function == "IS NULL";
            Kind::Call(is_null(wanted), vec![operand])
        }
        _ => {
            let [operand] = compiler.operands(call)?;
            if !is_boolean(compiler, operand) {
                return Err(compiler.refuse(call));
            }
            let kernel: Kernel = match call.function {
                "NOT" => Box::new(|arguments, rows| {
                    let truth = Truth::new(&arguments[0], rows.count)?;
                    let (yes, no) = (truth.no, truth.yes);
                    Ok(Truth { yes, no }.into_column())
                }),
                "IS TRUE" => is(|truth| truth.yes),
                "IS NOT TRUE" => is(|truth| !&truth.yes),
                "IS FALSE" => is(|truth| truth.no),
                "IS NOT FALSE" => is(|truth| !&truth.no),
                _ => return Err(compiler.refuse(call)),
            };
            Kind::Call(kernel, vec![operand])
        }
    })
}

fn is_boolean(compiler: &Compiler<'_>, id: NodeId) -> bool {
    compiler.data_type(id) == &DataType::Boolean
}

/// Conditions and values in turn, and the value for rows where no condition is true.
fn choice(
    compiler: &mut Compiler<'_>,
    branches: &[NodeId],
    otherwise: NodeId,
    call: &Call<'_>,
    on_failure: OnFailure,
) -> Result<Kind> {
    let branches = branches.chunks_exact(2).map(|pair| {
        let value = compiler.convert(pair[1], &call.data_type, on_failure)?;
        Ok((pair[0], value))
    });
    let branches = branches.collect::<Result<_>>()?;
    let otherwise = compiler.convert(otherwise, &call.data_type, on_failure)?;
    Ok(Kind::Case(branches, otherwise))
}

fn is(f: impl Fn(Truth) -> BooleanBuffer + Send + Sync + 'static) -> Kernel {
    Box::new(move |arguments, rows| Ok(booleans(f(Truth::new(&arguments[0], rows.count)?))))
}

fn is_null(wanted: bool) -> Kernel {
    Box::new(move |arguments, _| {
        let array = arguments[0].array();
        let nulls = array.logical_nulls();
        let values = match nulls {
            None if wanted => BooleanBuffer::new_unset(array.len()),
            None => BooleanBuffer::new_set(array.len()),
            Some(nulls) if wanted => !nulls.inner(),
            Some(nulls) => nulls.into_inner(),
        };
        let array = Arc::new(BooleanArray::new(values, None));
        Ok(crate::column::column(array, &[&arguments[0]]))
    })
}

/// The first value that is not NULL. As in Flink, all operands are evaluated for all rows: COALESCE is a plain function
/// there.
fn coalesce(data_type: DataType) -> Kernel {
    Box::new(move |arguments, rows| {
        let null = arrow_array::new_null_array(&arrow_type(&data_type), 1);
        let arrays = arguments.iter().map(|argument| argument.array().as_ref());
        let arrays: Vec<&dyn Array> = arrays.chain([null.as_ref()]).collect();
        let place = |row: usize| {
            let mut found = arguments.iter().enumerate().map(|(index, argument)| {
                let row = if argument.is_constant() { 0 } else { row };
                (index, row, argument.array().is_valid(row))
            });
            let found = found.find(|(_, _, valid)| *valid);
            found.map_or((arguments.len(), 0), |(index, row, _)| (index, row))
        };
        let places: Vec<_> = (0..rows.count).map(place).collect();
        let array = arrow_select::interleave::interleave(&arrays, &places);
        Ok(Column::Rows(array.map_err(crate::column::arrow_error)?))
    })
}
