//! Flink's raw format: the bytes of one column.

use crate::column::{Column, Data};
use crate::java::text;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
};
use arrow_array::{Array, ArrayRef};
use sf_batch::{Batch, Reader, RecordBuffer, Records, Writer};
use sf_core::{Error, Result};
use sf_plan::{DataType, RowType, proto, unsupported};
use std::borrow::Cow;

/// How a value stands in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Text(Charset),
    Bytes,
    Boolean,
    I8,
    I16,
    I32,
    I64,
    F32,
    F64,
}

/// Encodings of characters; others are left to Flink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Charset {
    Utf8,
    Latin1,
    Ascii,
}

impl Form {
    /// The form of the only column.
    fn new(options: &proto::Raw, row: &RowType) -> Result<Self> {
        let [field] = row.fields() else {
            return Err(unsupported("the raw format with more than one column"));
        };
        Ok(match &field.data_type {
            DataType::Char(_) | DataType::Varchar(_) => Self::Text(Charset::new(&options.charset)?),
            DataType::Binary(_) | DataType::Varbinary(_) => Self::Bytes,
            DataType::Boolean => Self::Boolean,
            DataType::TinyInt => Self::I8,
            DataType::SmallInt => Self::I16,
            DataType::Int => Self::I32,
            DataType::BigInt => Self::I64,
            DataType::Float => Self::F32,
            DataType::Double => Self::F64,
            other => return Err(unsupported(format!("the raw format of {other:?}"))),
        })
    }

    /// Name in messages and number of bytes, where it is always the same.
    fn size(self) -> Option<(&'static str, usize)> {
        match self {
            Self::Text(_) | Self::Bytes => None,
            Self::Boolean => Some(("BOOLEAN", 1)),
            Self::I8 => Some(("TINYINT", 1)),
            Self::I16 => Some(("SMALLINT", 2)),
            Self::I32 => Some(("INT", 4)),
            Self::I64 => Some(("BIGINT", 8)),
            Self::F32 => Some(("FLOAT", 4)),
            Self::F64 => Some(("DOUBLE", 8)),
        }
    }
}

impl Charset {
    fn new(name: &str) -> Result<Self> {
        match name.to_ascii_uppercase().as_str() {
            "UTF-8" | "UTF8" => Ok(Self::Utf8),
            "ISO-8859-1" | "ISO8859_1" | "LATIN1" => Ok(Self::Latin1),
            "US-ASCII" | "ASCII" => Ok(Self::Ascii),
            _ => Err(unsupported(format!("the charset {name} of the raw format"))),
        }
    }

    /// The text in UTF-8.
    fn decode(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        let char = |byte: u8| match (self, byte) {
            (Self::Ascii, 0x80..) => char::REPLACEMENT_CHARACTER,
            (_, byte) => char::from(byte),
        };
        if self == Self::Utf8 || bytes.is_ascii() {
            return Cow::Borrowed(bytes);
        }
        let text: String = bytes.iter().map(|byte| char(*byte)).collect();
        Cow::Owned(text.into_bytes())
    }

    /// The bytes of a text in UTF-8; what the encoding lacks is a question mark.
    fn encode(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        if self == Self::Utf8 || bytes.is_ascii() {
            return Cow::Borrowed(bytes);
        }
        let end = if self == Self::Ascii {
            '\u{80}'
        } else {
            '\u{100}'
        };
        let text = text::decode_utf8(bytes);
        let byte = |char: char| if char < end { char as u8 } else { b'?' };
        Cow::Owned(text.chars().map(byte).collect())
    }
}

/// Makes a row of one column of each record.
pub(crate) struct RawReader {
    form: Form,
    little_endian: bool,
    column: Column,
}

impl RawReader {
    /// A reader of this row type. Unsupported are other than one column, types without bytes, and most charsets.
    pub(crate) fn new(options: &proto::Raw, output: &RowType) -> Result<Self> {
        let form = Form::new(options, output)?;
        Ok(Self {
            form,
            little_endian: options.little_endian,
            column: Column::new(&output.fields()[0].data_type),
        })
    }

    fn record(&mut self, record: &[u8]) -> Result<()> {
        if let Some((name, size)) = self.form.size()
            && record.len() != size
        {
            return Err(Error::user(format!(
                "Size of data received for deserializing {name} type is not {size}."
            )));
        }
        // The number in the low bytes.
        let mut bytes = [0; 8];
        for (i, byte) in record.iter().take(8).enumerate() {
            let place = if self.little_endian {
                i
            } else {
                record.len().min(8) - 1 - i
            };
            bytes[place] = *byte;
        }
        let bits = u64::from_le_bytes(bytes);
        match (&mut self.column.data, self.form) {
            (Data::Bytes(bytes), Form::Text(charset)) => bytes.push(&charset.decode(record)),
            (Data::Bytes(bytes), _) => bytes.push(record),
            (Data::Bool(values), _) => values.append(bits != 0),
            (Data::I8(values), _) => values.push(bits as i8),
            (Data::I16(values), _) => values.push(bits as i16),
            (Data::I32(values), _) => values.push(bits as i32),
            (Data::I64(values), _) => values.push(bits as i64),
            (Data::F32(values), _) => values.push(f32::from_bits(bits as u32)),
            (Data::F64(values), _) => values.push(f64::from_bits(bits)),
            _ => return Err(Error::internal("a raw column of another layout")),
        }
        self.column.pushed();
        Ok(())
    }
}

impl Reader for RawReader {
    fn read(&mut self, records: Records<'_>) -> Result<Batch> {
        for (index, record) in records.iter().enumerate() {
            if let Err(error) = self.record(record) {
                self.column.truncate(0);
                let message = format!("{} (record {index})", error.message());
                return Err(Error::new(error.kind(), message));
            }
        }
        Batch::new(records.len(), vec![self.column.finish()?], None)
    }
}

/// Writes the bytes of one column; no record for NULL.
pub(crate) struct RawWriter {
    form: Form,
    little_endian: bool,
    column: usize,
}

impl RawWriter {
    /// A writer of this column, the only one of the row type. Unsupported are the same as for reading.
    pub(crate) fn new(options: &proto::Raw, columns: &[usize], row: &RowType) -> Result<Self> {
        let form = Form::new(options, row)?;
        Ok(Self {
            form,
            little_endian: options.little_endian,
            column: columns.first().copied().unwrap_or(0),
        })
    }

    fn value(&self, array: &ArrayRef, row: usize, out: &mut Vec<u8>) -> Option<()> {
        let mut bytes = match self.form {
            Form::Text(charset) => {
                out.extend_from_slice(&charset.encode(array.as_binary_opt::<i32>()?.value(row)));
                return Some(());
            }
            Form::Bytes => {
                out.extend_from_slice(array.as_binary_opt::<i32>()?.value(row));
                return Some(());
            }
            Form::Boolean => [u8::from(array.as_boolean_opt()?.value(row))].to_vec(),
            Form::I8 => number::<Int8Type>(array, row)?.to_le_bytes().to_vec(),
            Form::I16 => number::<Int16Type>(array, row)?.to_le_bytes().to_vec(),
            Form::I32 => number::<Int32Type>(array, row)?.to_le_bytes().to_vec(),
            Form::I64 => number::<Int64Type>(array, row)?.to_le_bytes().to_vec(),
            Form::F32 => number::<Float32Type>(array, row)?.to_le_bytes().to_vec(),
            Form::F64 => number::<Float64Type>(array, row)?.to_le_bytes().to_vec(),
        };
        if !self.little_endian {
            bytes.reverse();
        }
        out.extend_from_slice(&bytes);
        Some(())
    }
}

fn number<T: ArrowPrimitiveType>(array: &ArrayRef, row: usize) -> Option<T::Native> {
    array.as_primitive_opt::<T>().map(|array| array.value(row))
}

impl Writer for RawWriter {
    fn write(&mut self, batch: &Batch, out: &mut RecordBuffer) -> Result<()> {
        let array = batch.column(self.column)?;
        for row in 0..batch.rows() {
            if array.is_null(row) {
                out.end_as_none();
                continue;
            }
            let written = self.value(array, row, &mut out.bytes);
            written.ok_or_else(|| Error::internal("a raw column of another layout"))?;
            out.end()?;
        }
        Ok(())
    }
}
