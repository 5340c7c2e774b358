//! Fixtures of `tests/fixtures`: types, values and records as `Stock.java` writes them.

use crate::column::Column;
use crate::value::Value;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, TimestampMicrosecondType, TimestampMillisecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType as Arrow, TimeUnit};
use sf_batch::Batch;
use sf_plan::{DataType, Field, RowType};
use std::sync::Arc;

/// A text that is read from left to right.
pub(crate) struct Text<'a>(pub(crate) &'a str);

impl<'a> Text<'a> {
    fn eat(&mut self, token: &str) -> bool {
        self.0 = self.0.trim_start();
        let rest = self.0.strip_prefix(token);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn until(&mut self, ends: &[char]) -> &'a str {
        let at = self.0.find(ends).unwrap_or(self.0.len());
        let (head, tail) = self.0.split_at(at);
        self.0 = tail;
        head
    }

    fn name(&mut self) -> String {
        self.0 = self.0.trim_start();
        if self.eat("`") {
            let name = self.until(&['`']).to_owned();
            assert!(self.eat("`"));
            return name;
        }
        self.until(&[' ']).to_owned()
    }

    fn numbers(&mut self) -> Vec<u8> {
        let mut numbers = Vec::new();
        if self.eat("(") {
            while !self.eat(")") {
                numbers.push(self.until(&[',', ')']).trim().parse().unwrap());
                self.eat(",");
            }
        }
        numbers
    }

    fn element(&mut self) -> Arc<Field> {
        Arc::new(Field::new("", self.data_type(), true))
    }

    /// A type.
    pub(crate) fn data_type(&mut self) -> DataType {
        if self.eat("INTERVAL YEAR TO MONTH") {
            return DataType::IntervalYearMonth;
        }
        if self.eat("INTERVAL DAY TO SECOND(3)") {
            return DataType::IntervalDayTime;
        }
        self.0 = self.0.trim_start();
        let word = self.until(&['<', '>', '(', ',', ' ']);
        let numbers = self.numbers();
        match word {
            "NULL" => DataType::Null,
            "BOOLEAN" => DataType::Boolean,
            "TINYINT" => DataType::TinyInt,
            "SMALLINT" => DataType::SmallInt,
            "INT" => DataType::Int,
            "BIGINT" => DataType::BigInt,
            "FLOAT" => DataType::Float,
            "DOUBLE" => DataType::Double,
            "STRING" => DataType::Varchar(i32::MAX),
            "BYTES" => DataType::Varbinary(i32::MAX),
            "DATE" => DataType::Date,
            "TIME" => DataType::Time(numbers[0]),
            "TIMESTAMP" => DataType::Timestamp(numbers[0]),
            "TIMESTAMP_LTZ" => DataType::TimestampLtz(numbers[0]),
            "DECIMAL" => DataType::Decimal(numbers[0], numbers[1] as i8),
            _ => {
                assert!(self.eat("<"), "{word}");
                let made = match word {
                    "ARRAY" => DataType::Array(self.element()),
                    "MULTISET" => DataType::Multiset(self.element()),
                    "MAP" => {
                        let key = self.element();
                        assert!(self.eat(","));
                        DataType::Map(key, self.element())
                    }
                    "ROW" => {
                        let mut fields = Vec::new();
                        loop {
                            let name = self.name();
                            fields.push(Field::new(name, self.data_type(), true));
                            if !self.eat(",") {
                                break;
                            }
                        }
                        DataType::Row(RowType::new(fields))
                    }
                    _ => panic!("{word}"),
                };
                assert!(self.eat(">"));
                made
            }
        }
    }

    /// A value of a type.
    pub(crate) fn value(&mut self, data_type: &DataType) -> Value {
        if self.eat("~") {
            return Value::Null;
        }
        match data_type {
            DataType::Array(element) => {
                let mut values = Vec::new();
                assert!(self.eat("["));
                while !self.eat("]") {
                    values.push(self.value(&element.data_type));
                    self.eat(",");
                }
                Value::List(values)
            }
            DataType::Map(key, value) => self.map(&key.data_type, &value.data_type),
            DataType::Multiset(key) => self.map(&key.data_type, &DataType::Int),
            DataType::Row(row) => {
                assert!(self.eat("("));
                let fields = row.fields().iter().map(|field| {
                    let value = self.value(&field.data_type);
                    self.eat(",");
                    value
                });
                let row = Value::Row(fields.collect());
                assert!(self.eat(")"));
                row
            }
            _ => {
                let word = self.until(&[',', ']', '}', ')', '=', ';']);
                let bits = |word: &str| u64::from_str_radix(&word[1..], 16).unwrap();
                match data_type {
                    DataType::Boolean => Value::Bool(word == "t"),
                    DataType::Float => Value::Float(f32::from_bits(bits(word) as u32)),
                    DataType::Double => Value::Double(f64::from_bits(bits(word))),
                    DataType::Char(_)
                    | DataType::Varchar(_)
                    | DataType::Binary(_)
                    | DataType::Varbinary(_) => Value::Bytes(bytes(&word[1..])),
                    DataType::Decimal(..) => Value::Decimal(word.parse().unwrap()),
                    DataType::Timestamp(7..) | DataType::TimestampLtz(7..) => {
                        let (millis, nanos) = word.split_once(':').unwrap();
                        Value::Wide(millis.parse().unwrap(), nanos.parse().unwrap())
                    }
                    _ => Value::Int(word.parse().unwrap()),
                }
            }
        }
    }

    fn map(&mut self, key: &DataType, value: &DataType) -> Value {
        let mut entries = Vec::new();
        assert!(self.eat("{"));
        while !self.eat("}") {
            let key = self.value(key);
            assert!(self.eat("="));
            entries.push((key, self.value(value)));
            self.eat(",");
        }
        Value::Map(entries)
    }
}

/// A row type.
pub(crate) fn row_type(text: &str) -> RowType {
    match Text(text).data_type() {
        DataType::Row(row) => row,
        other => panic!("{other:?}"),
    }
}

/// Bytes in hexadecimal, with runs as `<byte*count>`.
pub(crate) fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.trim_start_matches('-');
    while !rest.is_empty() {
        if let Some(run) = rest.strip_prefix('<') {
            let (run, tail) = run.split_once('>').unwrap();
            let (byte, count) = run.split_once('*').unwrap();
            let byte = u8::from_str_radix(byte, 16).unwrap();
            bytes.resize(bytes.len() + count.parse::<usize>().unwrap(), byte);
            rest = tail;
        } else {
            bytes.push(u8::from_str_radix(&rest[..2], 16).unwrap());
            rest = &rest[2..];
        }
    }
    bytes
}

/// A batch of rows.
pub(crate) fn batch(row: &RowType, rows: &[Value]) -> Batch {
    let mut column = Column::new(&DataType::Row(row.clone()));
    for row in rows {
        column.append(row).unwrap();
    }
    Batch::new(rows.len(), column.finish_children().unwrap(), None).unwrap()
}

/// The rows of a batch as text.
pub(crate) fn rows(batch: &Batch, row: &RowType) -> Vec<String> {
    let each = (0..batch.rows()).map(|i| fields(batch.columns(), row, i));
    each.collect()
}

fn fields(columns: &[ArrayRef], row: &RowType, i: usize) -> String {
    let values = columns.iter().zip(row.fields());
    let values: Vec<_> = values.map(|(c, f)| value(c, &f.data_type, i)).collect();
    format!("({})", values.join(","))
}

fn value(array: &ArrayRef, data_type: &DataType, i: usize) -> String {
    if array.is_null(i) || array.data_type() == &Arrow::Null {
        return "~".into();
    }
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    match array.data_type() {
        Arrow::Boolean => if array.as_boolean().value(i) {
            "t"
        } else {
            "f"
        }
        .into(),
        Arrow::Int8 => array.as_primitive::<Int8Type>().value(i).to_string(),
        Arrow::Int16 => array.as_primitive::<Int16Type>().value(i).to_string(),
        Arrow::Int32 => array.as_primitive::<Int32Type>().value(i).to_string(),
        Arrow::Date32 => array.as_primitive::<Date32Type>().value(i).to_string(),
        Arrow::Time32(_) => array
            .as_primitive::<Time32MillisecondType>()
            .value(i)
            .to_string(),
        Arrow::Int64 => array.as_primitive::<Int64Type>().value(i).to_string(),
        Arrow::Timestamp(TimeUnit::Millisecond, _) => array
            .as_primitive::<TimestampMillisecondType>()
            .value(i)
            .to_string(),
        Arrow::Timestamp(..) => array
            .as_primitive::<TimestampMicrosecondType>()
            .value(i)
            .to_string(),
        Arrow::Float32 => {
            let value = array.as_primitive::<Float32Type>().value(i);
            format!(
                "f{:08x}",
                if value.is_nan() {
                    0x7fc0_0000
                } else {
                    value.to_bits()
                }
            )
        }
        Arrow::Float64 => {
            let value = array.as_primitive::<Float64Type>().value(i);
            let bits = if value.is_nan() {
                0x7ff8 << 48
            } else {
                value.to_bits()
            };
            format!("d{bits:016x}")
        }
        Arrow::Decimal128(..) => array.as_primitive::<Decimal128Type>().value(i).to_string(),
        Arrow::Binary => format!("x{}", hex(array.as_binary::<i32>().value(i))),
        Arrow::FixedSizeBinary(_) => {
            let (millis, nanos) = array.as_fixed_size_binary().value(i).split_at(8);
            let millis = i64::from_le_bytes(millis.try_into().unwrap());
            format!("{millis}:{}", i32::from_le_bytes(nanos.try_into().unwrap()))
        }
        Arrow::List(_) => {
            let values = array.as_list::<i32>().value(i);
            let each = 0..values.len();
            let (key, child) = match data_type {
                DataType::Array(element) => {
                    let values = each.map(|i| value(&values, &element.data_type, i));
                    return format!("[{}]", values.collect::<Vec<_>>().join(","));
                }
                DataType::Map(key, child) => (&key.data_type, &child.data_type),
                DataType::Multiset(key) => (&key.data_type, &DataType::Int),
                _ => panic!("{data_type:?}"),
            };
            let pairs = values.as_struct();
            let (keys, values) = (pairs.column(0), pairs.column(1));
            let pairs =
                each.map(|i| format!("{}={}", value(keys, key, i), value(values, child, i)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
        }
        Arrow::Struct(_) => {
            let DataType::Row(row) = data_type else {
                panic!("{data_type:?}")
            };
            fields(array.as_struct().columns(), row, i)
        }
        other => panic!("{other}"),
    }
}
