//! JSON, CSV and raw records to and from Arrow batches, byte for byte as Flink's formats.

mod column;
mod java;
mod json;
mod raw;
mod value;

#[cfg(test)]
mod raw_test;
#[cfg(test)]
mod testing;

use sf_batch::{Reader, Writer};
use sf_core::{Error, Result};
use sf_plan::{Field, RowType, proto, unsupported};

/// A reader of records in JSON, CSV or raw. Unsupported are types and options that the format has no native form for.
pub fn reader(plan: &proto::Reader) -> Result<Box<dyn Reader>> {
    use proto::reader::Kind;
    let output = RowType::try_from(plan.output.as_ref())?;
    match &plan.kind {
        Some(Kind::Json(options)) => Ok(Box::new(json::JsonReader::new(options, &output)?)),
        Some(Kind::Raw(options)) => Ok(Box::new(raw::RawReader::new(options, &output)?)),
        Some(Kind::Csv(_)) => Err(unsupported("reading CSV")),
        Some(Kind::BinaryRows(_)) => Err(Error::internal("binary rows are no format of text")),
        None => Err(Error::internal("the plan of a reader has no format")),
    }
}

/// A writer of records in JSON, CSV or raw, of the form's columns of this row type. Unsupported are types and options that the format has no
/// native form for.
pub fn writer_form(form: &proto::Form, input: &RowType) -> Result<Box<dyn Writer>> {
    use proto::form::Kind;
    let (columns, row) = columns(form, input)?;
    match &form.kind {
        Some(Kind::Json(options)) => Ok(Box::new(json::JsonWriter::new(options, columns, &row)?)),
        Some(Kind::Raw(options)) => Ok(Box::new(raw::RawWriter::new(options, &columns, &row)?)),
        Some(Kind::Csv(_)) => Err(unsupported("writing CSV")),
        Some(Kind::BinaryRows(_)) => Err(Error::internal("binary rows are no format of text")),
        None => Err(Error::internal("the plan of a writer has no format")),
    }
}

/// The form's columns, and their types under the names that are written.
fn columns(form: &proto::Form, input: &RowType) -> Result<(Vec<usize>, RowType)> {
    let mut columns = Vec::new();
    let mut fields = Vec::new();
    for (i, column) in form.columns.iter().enumerate() {
        let field = usize::try_from(*column).ok().and_then(|column| {
            columns.push(column);
            input.fields().get(column)
        });
        let field = field
            .ok_or_else(|| Error::internal(format!("column {column} of a form is not there")))?;
        let name = form.names.get(i).unwrap_or(&field.name);
        fields.push(Field::new(name, field.data_type.clone(), field.nullable));
    }
    Ok((columns, RowType::new(fields)))
}
