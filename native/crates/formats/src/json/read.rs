use super::convert::{Converter, Fields, Options, next};
use super::encoding::to_utf8;
use super::fail::{Fail, Parsed, bad};
use super::fast::{self, Rows};
use super::tokens::{Token, Tokens};
use crate::column::{Column, Data};
use crate::java::text;
use crate::value::Value;
use sf_batch::{Batch, Reader, Records};
use sf_core::{Error, Result};
use sf_plan::{DataType, RowType, proto};

/// Reads JSON records: one row for each that is an object, one for each object of one that is an array, none for an empty one.
pub(crate) struct JsonReader {
    rows: Rows,
    converter: Converter,
    output: DataType,
    /// The rows so far: a column of rows.
    root: Column,
}

impl JsonReader {
    /// A reader of this row type. Unsupported are maps whose keys are not strings.
    pub(crate) fn new(options: &proto::JsonReader, output: &RowType) -> Result<Self> {
        let format = options.timestamp_format();
        if options.ignore_parse_errors && options.fail_on_missing_field {
            return Err(Error::user(
                "JSON format doesn't support failOnMissingField and ignoreParseErrors are both enabled.",
            ));
        }
        let row = DataType::Row(output.clone());
        let converter = Converter {
            options: Options {
                ignore_errors: options.ignore_parse_errors,
                fail_on_missing: options.fail_on_missing_field,
                timestamps: format,
                has_decimal: has_decimal(&row),
            },
            row: Fields::new(output)?,
        };
        Ok(Self {
            rows: Rows::new(output, format, options.fail_on_missing_field),
            converter,
            root: Column::new(&row),
            output: row,
        })
    }

    fn record(&mut self, record: &[u8]) -> Parsed<()> {
        let row = self.root.len();
        if let Data::Row(columns) = &mut self.root.data {
            if fast::read(&self.rows, columns, row, record).is_ok() {
                self.root.pushed();
                return Ok(());
            }
            self.root.truncate(row);
        }
        self.exact(record)
    }

    fn exact(&mut self, record: &[u8]) -> Parsed<()> {
        let text = to_utf8(record)?;
        let mut tokens = Tokens::new(&text);
        match tokens.next()? {
            Some(Token::StartObject) => self.row(&mut tokens),
            Some(Token::StartArray) => {
                while next(&mut tokens)? != Some(Token::EndArray) {
                    self.row(&mut tokens)?;
                }
                Ok(())
            }
            _ => bad("No content to map due to end-of-input"),
        }
    }

    fn row(&mut self, tokens: &mut Tokens<'_>) -> Parsed<()> {
        let value = self.converter.root(tokens)?;
        if value == Value::Null {
            // Flink gives a null in place of a row here, on which its operators fail; with ignored errors it is meant to give nothing.
            return if self.converter.options.ignore_errors {
                Ok(())
            } else {
                bad("null is not a row")
            };
        }
        self.root.append(&value).map_err(Fail::Fatal)
    }

    fn take(&mut self) -> Result<Batch> {
        let rows = self.root.len();
        let columns = self.root.finish_children();
        if columns.is_err() {
            self.root = Column::new(&self.output);
        }
        Batch::new(rows, columns?, None)
    }
}

impl JsonReader {
    /// Reads one record without the plain way.
    #[cfg(test)]
    pub(super) fn read_exactly(&mut self, record: &[u8]) -> Result<Batch> {
        self.read_by(
            Records::new(record, &[0, record.len() as i32])?,
            Self::exact,
        )
    }

    #[inline]
    fn read_by(
        &mut self,
        records: Records<'_>,
        read: impl Fn(&mut Self, &[u8]) -> Parsed<()>,
    ) -> Result<Batch> {
        for (index, record) in records.iter().enumerate() {
            if record.is_empty() {
                continue;
            }
            match read(self, record) {
                Ok(()) => {}
                Err(Fail::Data(_)) if self.converter.options.ignore_errors => {}
                Err(Fail::Data(why)) => {
                    self.root.truncate(0);
                    let text = text::decode_utf8(record);
                    return Err(Error::user(format!(
                        "Failed to deserialize JSON '{text}'. (record {index}: {why})"
                    )));
                }
                Err(Fail::Fatal(error)) => {
                    self.root.truncate(0);
                    let message = format!("record {index}: {}", error.message());
                    return Err(Error::new(error.kind(), message));
                }
            }
        }
        self.take()
    }
}

impl Reader for JsonReader {
    fn read(&mut self, records: Records<'_>) -> Result<Batch> {
        self.read_by(records, Self::record)
    }
}

fn has_decimal(data_type: &DataType) -> bool {
    match data_type {
        DataType::Decimal(..) => true,
        DataType::Array(child) | DataType::Multiset(child) => has_decimal(&child.data_type),
        DataType::Map(key, value) => has_decimal(&key.data_type) || has_decimal(&value.data_type),
        DataType::Row(row) => row.fields().iter().any(|f| has_decimal(&f.data_type)),
        _ => false,
    }
}
