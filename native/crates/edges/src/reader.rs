use crate::described;
use crate::watermark::greatest;
use sf_batch::{Batch, BinaryRowReader, Reader, Records};
use sf_core::{Error, Result};
use sf_expr::Expr;
use sf_plan::proto::reader::Kind;
use sf_plan::{RowType, proto};

/// A plan's `Reader`: a format, and the watermark of what it has read.
pub struct EdgeReader {
    description: String,
    reader: Box<dyn Reader>,
    watermark: Option<Expr>,
}

impl EdgeReader {
    /// A reader as the plan says; an unsupported one is refused with the reason.
    pub fn new(plan: &proto::Reader) -> Result<Self> {
        let row = RowType::try_from(plan.output.as_ref())?;
        let session = plan.session.clone().unwrap_or_default();
        let watermark = plan.watermark.as_ref();
        let watermark = watermark.map(|watermark| Expr::compile(watermark, &row, &session));
        Ok(Self {
            description: plan.description.clone(),
            watermark: watermark.transpose()?,
            reader: reader(plan, row)?,
        })
    }

    /// The rows of these records and the greatest watermark among them.
    pub fn read(&mut self, records: Records<'_>) -> Result<(Batch, Option<i64>)> {
        let read = self.reader.read(records);
        let read = read.and_then(|batch| {
            let watermark = self.watermark(&batch)?;
            Ok((batch, watermark))
        });
        read.map_err(|error| described(&self.description, &error))
    }

    fn watermark(&mut self, batch: &Batch) -> Result<Option<i64>> {
        match &self.watermark {
            Some(watermark) => greatest(&*watermark.evaluate(batch, None)?),
            None => Ok(None),
        }
    }
}

fn reader(plan: &proto::Reader, row: RowType) -> Result<Box<dyn Reader>> {
    match &plan.kind {
        Some(Kind::BinaryRows(_)) => Ok(Box::new(BinaryRowReader::new(row)?)),
        Some(Kind::Json(_) | Kind::Csv(_) | Kind::Raw(_)) => sf_formats::reader(plan),
        None => Err(Error::internal("a reader without a format")),
    }
}
