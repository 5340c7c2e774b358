use crate::described;
use sf_batch::{Batch, BinaryRowWriter, RecordBuffer, RowKind, Writer};
use sf_core::{Error, Result};
use sf_plan::proto::form::Kind;
use sf_plan::{RowType, proto};

/// A plan's `Writer`: the forms of value and key, and whether rows that take back have no value.
pub struct EdgeWriter {
    description: String,
    value: Box<dyn Writer>,
    key: Option<Box<dyn Writer>>,
    upsert: bool,
    records: WrittenRecords,
}

/// What a writer has written, valid until its next call: one record for each row.
#[derive(Debug, Default)]
pub struct WrittenRecords {
    /// The values; not there for rows that take back, when the writer is one of upserts.
    pub values: RecordBuffer,
    /// The keys; empty when records have none.
    pub keys: RecordBuffer,
}

impl EdgeWriter {
    /// A writer as the plan says; an unsupported one is refused with the reason.
    pub fn new(plan: &proto::Writer) -> Result<Self> {
        let input = RowType::try_from(plan.input.as_ref())?;
        let value = plan.value.as_ref();
        let value = value.ok_or_else(|| Error::internal("a writer without a form of values"))?;
        let key = plan.key.as_ref();
        Ok(Self::of(
            plan.description.clone(),
            form(value, &input)?,
            key.map(|key| form(key, &input)).transpose()?,
            plan.upsert,
        ))
    }

    pub(crate) fn of(
        description: String,
        value: Box<dyn Writer>,
        key: Option<Box<dyn Writer>>,
        upsert: bool,
    ) -> Self {
        Self {
            description,
            value,
            key,
            upsert,
            records: WrittenRecords::default(),
        }
    }

    /// Writes one record for each row; the result is valid until the next call.
    pub fn write(&mut self, batch: &Batch) -> Result<&WrittenRecords> {
        match self.try_write(batch) {
            Ok(()) => Ok(&self.records),
            Err(error) => Err(described(&self.description, &error)),
        }
    }

    fn try_write(&mut self, batch: &Batch) -> Result<()> {
        let WrittenRecords { values, keys } = &mut self.records;
        values.clear();
        keys.clear();
        if let Some(key) = &mut self.key {
            key.write(batch, keys)?;
            check_count(batch, keys, "keys")?;
        }
        match retracting(batch, self.upsert)? {
            Some(retracting) => write_upserts(&mut *self.value, batch, &retracting, values)?,
            None => self.value.write(batch, values)?,
        }
        check_count(batch, values, "values")
    }
}

/// Which rows take back, when that matters and there are some.
fn retracting(batch: &Batch, upsert: bool) -> Result<Option<Vec<bool>>> {
    let Some(kinds) = batch.kinds().filter(|_| upsert) else {
        return Ok(None);
    };
    let accumulates = kinds.iter().map(|kind| RowKind::from_byte(*kind));
    let retracting = accumulates.map(|kind| kind.map(|kind| !kind.is_accumulate()));
    let retracting: Vec<bool> = retracting.collect::<Result<_>>()?;
    Ok(retracting.contains(&true).then_some(retracting))
}

/// Values of the rows that add, none of the others: a format does not see the latter, whose fields may not suit it.
fn write_upserts(
    writer: &mut dyn Writer,
    batch: &Batch,
    retracting: &[bool],
    out: &mut RecordBuffer,
) -> Result<()> {
    let kept: Vec<u32> = (0..batch.rows() as u32)
        .filter(|row| !retracting[*row as usize])
        .collect();
    let mut dense = RecordBuffer::default();
    writer.write(&batch.take(&kept)?, &mut dense)?;
    let mut next = 0;
    for retracts in retracting {
        if *retracts {
            out.end_as_none();
            continue;
        }
        match dense.get(next) {
            Some(value) => {
                out.bytes.extend_from_slice(value);
                out.end()?;
            }
            None => out.end_as_none(),
        }
        next += 1;
    }
    Ok(())
}

fn check_count(batch: &Batch, records: &RecordBuffer, what: &str) -> Result<()> {
    let (rows, written) = (batch.rows(), records.ends.len());
    if rows == written {
        return Ok(());
    }
    Err(Error::internal(format!(
        "{written} {what} written of {rows} rows"
    )))
}

fn form(form: &proto::Form, input: &RowType) -> Result<Box<dyn Writer>> {
    match &form.kind {
        Some(Kind::BinaryRows(_)) => {
            let columns = form.columns.iter().map(|column| *column as usize);
            let columns: Vec<_> = columns.collect();
            Ok(Box::new(BinaryRowWriter::new(input, &columns)?))
        }
        Some(Kind::Json(_) | Kind::Csv(_) | Kind::Raw(_)) => sf_formats::writer_form(form, input),
        None => Err(Error::internal("a form without a format")),
    }
}
