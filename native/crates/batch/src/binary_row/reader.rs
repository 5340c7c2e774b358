use super::decode::{self, at_row, decode};
use super::source::check;
use super::view::RowView;
use crate::{Batch, Reader, Records};
use sf_core::Result;
use sf_plan::RowType;

/// Reads records that are `BinaryRowData`, one row each; the kind of a row is that of its header.
#[derive(Debug)]
pub struct BinaryRowReader {
    row: RowType,
}

impl BinaryRowReader {
    /// A reader of rows of this type; `Unsupported` when `BinaryRowData` cannot hold them.
    pub fn new(row: RowType) -> Result<Self> {
        row.fields().iter().try_for_each(|f| check(&f.data_type))?;
        Ok(Self { row })
    }
}

impl Reader for BinaryRowReader {
    fn read(&mut self, records: Records<'_>) -> Result<Batch> {
        let arity = self.row.fields().len();
        let mut kinds = Vec::new();
        for (row, record) in records.iter().enumerate() {
            let kind = RowView::new(record, arity).and_then(|view| view.kind());
            let kind = kind.map_err(|e| at_row(row, &e))? as i8;
            if kind != 0 && kinds.is_empty() {
                kinds.resize(records.len(), 0);
            }
            if let Some(place) = kinds.get_mut(row) {
                *place = kind;
            }
        }
        let fields = self.row.fields().iter().enumerate();
        let columns = fields.map(|(pos, field)| {
            let column = decode::Column {
                records,
                arity,
                pos,
            };
            decode(&field.data_type, &column)
        });
        let columns = columns.collect::<Result<_>>()?;
        let kinds = (!kinds.is_empty()).then(|| kinds.into());
        Batch::new(records.len(), columns, kinds)
    }
}
