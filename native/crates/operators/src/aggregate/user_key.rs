//! Keys of DISTINCT views, as the serializers of Flink's internal types write them.

use arrow_array::Array;
use sf_core::{Error, Result};
use sf_plan::DataType;

use super::form::{Form, Kind, millis_and_nanos};

/// The serialized values of a column.
#[derive(Debug)]
pub(super) struct UserKeys {
    bytes: Vec<u8>,
    /// Where each value ends.
    ends: Vec<u32>,
    nulls: Vec<bool>,
}

/// Digits of a DECIMAL that is written as a long.
const COMPACT_DECIMAL: u8 = 18;

impl UserKeys {
    /// All values of a column of this type.
    pub fn new(column: &dyn Array, data_type: &DataType) -> Result<Self> {
        let kind = Kind::of(data_type)
            .ok_or_else(|| Error::internal(format!("DISTINCT of {data_type:?}")))?;
        let mut keys = Self {
            bytes: Vec::with_capacity(column.len() * 8),
            ends: Vec::with_capacity(column.len()),
            nulls: Vec::with_capacity(column.len()),
        };
        match kind {
            Kind::Long => keys.add_all(column, data_type, |out, value: i64| match data_type {
                DataType::Boolean | DataType::TinyInt => out.push(value as u8),
                DataType::SmallInt => out.extend((value as i16).to_be_bytes()),
                DataType::Int
                | DataType::Date
                | DataType::Time(_)
                | DataType::IntervalYearMonth => out.extend((value as i32).to_be_bytes()),
                DataType::Timestamp(4..) | DataType::TimestampLtz(4..) => {
                    put_timestamp(out, i128::from(value) * 1_000);
                }
                _ => out.extend(value.to_be_bytes()),
            })?,
            Kind::Float => keys.add_all(column, data_type, |out, value: f32| {
                // Java writes every NaN alike.
                let value = if value.is_nan() {
                    f32::from_bits(0x7fc0_0000)
                } else {
                    value
                };
                out.extend(value.to_bits().to_be_bytes());
            })?,
            Kind::Double => keys.add_all(column, data_type, |out, value: f64| {
                let nan = f64::from_bits(0x7ff8_0000_0000_0000);
                let value = if value.is_nan() { nan } else { value };
                out.extend(value.to_bits().to_be_bytes());
            })?,
            Kind::Wide => keys.add_all(column, data_type, |out, value: i128| match data_type {
                DataType::Decimal(..=COMPACT_DECIMAL, _) => {
                    out.extend((value as i64).to_be_bytes());
                }
                DataType::Decimal(..) => {
                    let bytes = value.to_be_bytes();
                    let magnitude = if value < 0 { !value } else { value };
                    let length = (128 - magnitude.leading_zeros() as usize) / 8 + 1;
                    put_bytes(out, &bytes[16 - length..]);
                }
                _ => put_timestamp(out, value),
            })?,
            Kind::Bytes => keys.add_all(column, data_type, |out, value: &[u8]| {
                put_bytes(out, value);
            })?,
        }
        Ok(keys)
    }

    fn add_all<'a, T: Form<'a>>(
        &mut self,
        column: &'a dyn Array,
        data_type: &DataType,
        put: impl Fn(&mut Vec<u8>, T),
    ) -> Result<()> {
        for value in T::of_array(column, data_type)? {
            self.nulls.push(value.is_none());
            if let Some(value) = value {
                put(&mut self.bytes, value);
            }
            let end = u32::try_from(self.bytes.len());
            let end = end.map_err(|_| Error::user("the keys of one batch have more than 4 GiB"))?;
            self.ends.push(end);
        }
        Ok(())
    }

    /// The value of a row; `None` for NULL.
    #[inline]
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        if self.nulls[row] {
            return None;
        }
        let begin = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.bytes[begin as usize..self.ends[row] as usize])
    }
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u32).to_be_bytes());
    out.extend(bytes);
}

fn put_timestamp(out: &mut Vec<u8>, nanos: i128) {
    let (millis, nanos) = millis_and_nanos(nanos);
    out.extend(millis.to_be_bytes());
    out.extend(nanos.to_be_bytes());
}
