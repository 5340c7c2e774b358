//! Values as plain Rust, to arrays and back, and the text form of the fixtures.

// Each file of tests uses a part.
#![allow(dead_code, clippy::unwrap_used)]

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer};
use proptest::prelude::*;
use sf_batch::{Batch, arrow_fields, arrow_type};
use sf_plan::{DataType, Field, RowType};
use std::sync::Arc;

/// A value of any type; maps and multisets are lists of rows of two.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(u32),
    Double(u64),
    Bytes(Vec<u8>),
    Decimal(i128),
    Timestamp(i64, i32),
    List(Vec<Value>),
    Row(Vec<Value>),
}

/// Key and value of a MAP, element and count of a MULTISET, as fields of a row.
fn pair(data_type: &DataType) -> Option<RowType> {
    let (key, value) = match data_type {
        DataType::Map(key, value) => (Field::clone(key), Field::clone(value)),
        DataType::Multiset(element) => {
            let count = Field::new("", DataType::Int, false);
            (Field::clone(element), count)
        }
        _ => return None,
    };
    Some(RowType::new([key, value]))
}

/// Whether values are integers.
fn is_integer(data_type: &DataType) -> bool {
    use DataType::*;
    matches!(
        data_type,
        TinyInt | SmallInt | Int | BigInt | Date | Time(_)
    ) || matches!(data_type, IntervalYearMonth | IntervalDayTime)
}

/// An array of the layout; children of NULL are NULL.
pub fn array_of(data_type: &DataType, values: &[Value]) -> ArrayRef {
    fn integers<T: ArrowPrimitiveType>(values: &[Value]) -> ArrayRef
    where
        T::Native: TryFrom<i64, Error: std::fmt::Debug>,
    {
        let values = values.iter().map(|value| match value {
            Value::Null => None,
            Value::Integer(i) => Some(T::Native::try_from(*i).unwrap()),
            Value::Timestamp(millis, 0) => Some(T::Native::try_from(*millis).unwrap()),
            other => panic!("{other:?}"),
        });
        Arc::new(values.collect::<PrimitiveArray<T>>())
    }
    fn optional<T>(
        values: &[Value],
        of: impl Fn(&Value) -> Option<T>,
    ) -> impl Iterator<Item = Option<T>> {
        values.iter().map(move |value| match value {
            Value::Null => None,
            some => Some(of(some).unwrap()),
        })
    }
    let valid = values.iter().map(|value| *value != Value::Null);
    let nulls = NullBuffer::from_iter(valid);
    match data_type {
        DataType::Boolean => {
            let values = optional(values, |v| match v {
                Value::Boolean(b) => Some(*b),
                _ => None,
            });
            Arc::new(values.collect::<BooleanArray>())
        }
        DataType::TinyInt => integers::<Int8Type>(values),
        DataType::SmallInt => integers::<Int16Type>(values),
        DataType::Int | DataType::IntervalYearMonth => integers::<Int32Type>(values),
        DataType::Date => integers::<Date32Type>(values),
        DataType::Time(_) => integers::<Time32MillisecondType>(values),
        DataType::BigInt | DataType::IntervalDayTime => integers::<Int64Type>(values),
        DataType::Timestamp(0..=3) | DataType::TimestampLtz(0..=3) => {
            integers::<TimestampMillisecondType>(values)
        }
        DataType::Timestamp(4..=6) | DataType::TimestampLtz(4..=6) => {
            let values = optional(values, |v| match v {
                Value::Timestamp(m, n) => Some(m * 1000 + i64::from(*n) / 1000),
                _ => None,
            });
            Arc::new(values.collect::<TimestampMicrosecondArray>())
        }
        DataType::Timestamp(_) | DataType::TimestampLtz(_) => {
            let values = optional(values, |v| match v {
                Value::Timestamp(m, n) => Some([&m.to_le_bytes()[..], &n.to_le_bytes()].concat()),
                _ => None,
            });
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(values, 12).unwrap())
        }
        DataType::Float => {
            let values = optional(values, |v| match v {
                Value::Float(bits) => Some(f32::from_bits(*bits)),
                _ => None,
            });
            Arc::new(values.collect::<Float32Array>())
        }
        DataType::Double => {
            let values = optional(values, |v| match v {
                Value::Double(bits) => Some(f64::from_bits(*bits)),
                _ => None,
            });
            Arc::new(values.collect::<Float64Array>())
        }
        DataType::Char(_) | DataType::Varchar(_) | DataType::Binary(_) | DataType::Varbinary(_) => {
            let values = optional(values, |v| match v {
                Value::Bytes(bytes) => Some(bytes.clone()),
                _ => None,
            });
            Arc::new(values.collect::<BinaryArray>())
        }
        DataType::Decimal(precision, scale) => {
            let values = optional(values, |v| match v {
                Value::Decimal(unscaled) => Some(*unscaled),
                _ => None,
            });
            let array = values.collect::<Decimal128Array>();
            Arc::new(array.with_precision_and_scale(*precision, *scale).unwrap())
        }
        DataType::Row(row) => {
            let columns = row.fields().iter().enumerate().map(|(pos, field)| {
                let column = values.iter().map(|value| match value {
                    Value::Row(fields) => fields[pos].clone(),
                    _ => Value::Null,
                });
                array_of(&field.data_type, &column.collect::<Vec<_>>())
            });
            let columns: Vec<_> = columns.collect();
            let fields = arrow_fields(row.fields());
            let array =
                StructArray::try_new_with_length(fields, columns, Some(nulls), values.len());
            Arc::new(array.unwrap())
        }
        DataType::Array(_) | DataType::Multiset(_) | DataType::Map(..) => {
            let lists = values.iter().map(|value| match value {
                Value::List(values) => values.as_slice(),
                _ => &[],
            });
            let offsets = OffsetBuffer::from_lengths(lists.clone().map(<[_]>::len));
            let elements: Vec<_> = lists.flatten().cloned().collect();
            let arrow_schema::DataType::List(field) = arrow_type(data_type) else {
                panic!("{data_type:?}");
            };
            let elements = match (data_type, pair(data_type)) {
                (DataType::Array(element), _) => array_of(&element.data_type, &elements),
                (_, pair) => {
                    let pairs = array_of(&DataType::Row(pair.unwrap()), &elements);
                    // The entries themselves are never NULL, and have the names of the layout.
                    let arrow_schema::DataType::Struct(fields) = field.data_type() else {
                        panic!("{data_type:?}");
                    };
                    let (columns, rows) = (pairs.as_struct().columns().to_vec(), pairs.len());
                    let pairs =
                        StructArray::try_new_with_length(fields.clone(), columns, None, rows);
                    Arc::new(pairs.unwrap())
                }
            };
            Arc::new(ListArray::try_new(field, offsets, elements, Some(nulls)).unwrap())
        }
        DataType::Null => Arc::new(NullArray::new(values.len())),
    }
}

/// What an array of the layout holds.
pub fn values_of(data_type: &DataType, array: &dyn Array) -> Vec<Value> {
    assert_eq!(array.data_type(), &arrow_type(data_type));
    let value = |row: usize| match data_type {
        DataType::Boolean => Value::Boolean(array.as_boolean().value(row)),
        DataType::TinyInt => Value::Integer(array.as_primitive::<Int8Type>().value(row).into()),
        DataType::SmallInt => Value::Integer(array.as_primitive::<Int16Type>().value(row).into()),
        DataType::Int | DataType::IntervalYearMonth => {
            Value::Integer(array.as_primitive::<Int32Type>().value(row).into())
        }
        DataType::Date => Value::Integer(array.as_primitive::<Date32Type>().value(row).into()),
        DataType::Time(_) => Value::Integer(
            array
                .as_primitive::<Time32MillisecondType>()
                .value(row)
                .into(),
        ),
        DataType::BigInt | DataType::IntervalDayTime => {
            Value::Integer(array.as_primitive::<Int64Type>().value(row))
        }
        DataType::Timestamp(0..=3) | DataType::TimestampLtz(0..=3) => Value::Timestamp(
            array.as_primitive::<TimestampMillisecondType>().value(row),
            0,
        ),
        DataType::Timestamp(4..=6) | DataType::TimestampLtz(4..=6) => {
            let micros = array.as_primitive::<TimestampMicrosecondType>().value(row);
            let nanos = micros.rem_euclid(1000) as i32 * 1000;
            Value::Timestamp(micros.div_euclid(1000), nanos)
        }
        DataType::Timestamp(_) | DataType::TimestampLtz(_) => {
            let bytes = array.as_fixed_size_binary().value(row);
            let (millis, nanos) = bytes.split_at(8);
            let millis = i64::from_le_bytes(millis.try_into().unwrap());
            Value::Timestamp(millis, i32::from_le_bytes(nanos.try_into().unwrap()))
        }
        DataType::Float => Value::Float(array.as_primitive::<Float32Type>().value(row).to_bits()),
        DataType::Double => Value::Double(array.as_primitive::<Float64Type>().value(row).to_bits()),
        DataType::Char(_) | DataType::Varchar(_) | DataType::Binary(_) | DataType::Varbinary(_) => {
            Value::Bytes(array.as_binary::<i32>().value(row).to_vec())
        }
        DataType::Decimal(..) => Value::Decimal(array.as_primitive::<Decimal128Type>().value(row)),
        DataType::Row(row_type) => {
            let columns = row_type.fields().iter().zip(array.as_struct().columns());
            let fields = columns.map(|(field, column)| {
                values_of(&field.data_type, &column.slice(row, 1)).remove(0)
            });
            Value::Row(fields.collect())
        }
        DataType::Array(element) => {
            let elements = array.as_list::<i32>().value(row);
            Value::List(values_of(&element.data_type, &elements))
        }
        DataType::Map(..) | DataType::Multiset(_) => {
            let entries = array.as_list::<i32>().value(row);
            let [keys, values] = entries.as_struct().columns() else {
                panic!("{entries:?}");
            };
            let pair = pair(data_type).unwrap();
            let keys = values_of(&pair.fields()[0].data_type, keys);
            let values = values_of(&pair.fields()[1].data_type, values);
            let pairs = keys.into_iter().zip(values);
            Value::List(pairs.map(|(k, v)| Value::Row(vec![k, v])).collect())
        }
        DataType::Null => Value::Null,
    };
    let rows = 0..array.len();
    let rows = rows.map(|row| match array.is_null(row) {
        true => Value::Null,
        false => value(row),
    });
    rows.collect()
}

/// The value as Flink's bytes keep it: its arrays, and with them its maps, have only one NaN.
pub fn with_one_nan(data_type: &DataType, value: &Value) -> Value {
    let element = |field: &Field, value: &Value| match value {
        Value::Float(bits) if f32::from_bits(*bits).is_nan() => Value::Float(0x7fc0_0000),
        Value::Double(bits) if f64::from_bits(*bits).is_nan() => {
            Value::Double(0x7ff8_0000_0000_0000)
        }
        other => with_one_nan(&field.data_type, other),
    };
    match (data_type, value, pair(data_type)) {
        (DataType::Array(field), Value::List(values), _) => {
            Value::List(values.iter().map(|value| element(field, value)).collect())
        }
        (_, Value::List(values), Some(pair)) => {
            let values = values.iter().map(|value| match value {
                Value::Row(fields) => {
                    let fields = pair.fields().iter().zip(fields);
                    Value::Row(fields.map(|(field, value)| element(field, value)).collect())
                }
                other => panic!("{other:?}"),
            });
            Value::List(values.collect())
        }
        (DataType::Row(row), Value::Row(fields), _) => {
            let fields = row.fields().iter().zip(fields);
            let fields = fields.map(|(field, value)| with_one_nan(&field.data_type, value));
            Value::Row(fields.collect())
        }
        (_, other, _) => other.clone(),
    }
}

/// A batch of rows, each a [`Value::Row`], without kinds.
pub fn batch_of(row: &RowType, rows: &[Value], kinds: Option<&[i8]>) -> Batch {
    let all = array_of(&DataType::Row(row.clone()), rows);
    let columns = all.as_struct().columns().to_vec();
    Batch::new(
        rows.len(),
        columns,
        kinds.map(|kinds| kinds.to_vec().into()),
    )
    .unwrap()
}

/// The rows of a batch, each a [`Value::Row`].
pub fn rows_of(row: &RowType, batch: &Batch) -> Vec<Value> {
    let columns = row.fields().iter().zip(batch.columns());
    let columns = columns.map(|(field, column)| values_of(&field.data_type, column));
    let columns: Vec<_> = columns.collect();
    let row = |i: usize| Value::Row(columns.iter().map(|column| column[i].clone()).collect());
    (0..batch.rows()).map(row).collect()
}

/// The text form of the fixtures.
pub struct Text<'a> {
    rest: &'a str,
}

impl<'a> Text<'a> {
    pub fn new(rest: &'a str) -> Self {
        Self { rest }
    }

    fn until(&mut self, ends: &[char]) -> &'a str {
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        text
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    pub fn row_type(text: &'a str) -> RowType {
        match Self::new(text).data_type() {
            DataType::Row(row) => row,
            other => panic!("{other:?}"),
        }
    }

    pub fn data_type(&mut self) -> DataType {
        let name = self.until(&['<', '>', '(', ',']);
        let mut numbers = vec![];
        if self.eat("(") {
            numbers.extend(
                self.until(&[')'])
                    .split(',')
                    .map(|n| n.parse::<u8>().unwrap()),
            );
            assert!(self.eat(")"));
        }
        let mut children = vec![];
        if self.eat("<") {
            while !self.eat(">") {
                let name = format!("f{}", children.len());
                children.push(Field::new(name, self.data_type(), true));
                self.eat(",");
            }
        }
        let child = |i: usize| Arc::new(children[i].clone());
        match name {
            "BOOLEAN" => DataType::Boolean,
            "TINYINT" => DataType::TinyInt,
            "SMALLINT" => DataType::SmallInt,
            "INT" => DataType::Int,
            "DATE" => DataType::Date,
            "TIME" => DataType::Time(3),
            "INTERVAL_YEAR_MONTH" => DataType::IntervalYearMonth,
            "INTERVAL_DAY_TIME" => DataType::IntervalDayTime,
            "BIGINT" => DataType::BigInt,
            "FLOAT" => DataType::Float,
            "DOUBLE" => DataType::Double,
            "CHAR" => DataType::Char(100),
            "VARCHAR" => DataType::Varchar(i32::MAX),
            "BINARY" => DataType::Binary(100),
            "VARBINARY" => DataType::Varbinary(i32::MAX),
            "DECIMAL" => DataType::Decimal(numbers[0], numbers[1] as i8),
            "TIMESTAMP" => DataType::Timestamp(numbers[0]),
            "TIMESTAMP_LTZ" => DataType::TimestampLtz(numbers[0]),
            "ARRAY" => DataType::Array(child(0)),
            "MULTISET" => DataType::Multiset(child(0)),
            "MAP" => DataType::Map(child(0), child(1)),
            "ROW" => DataType::Row(RowType::new(children)),
            other => panic!("{other}"),
        }
    }

    pub fn value(&mut self, data_type: &DataType) -> Value {
        if self.eat("~") {
            return Value::Null;
        }
        let mut values = vec![];
        match data_type {
            DataType::Row(row) => {
                assert!(self.eat("("));
                for field in row.fields() {
                    values.push(self.value(&field.data_type));
                    self.eat(";");
                }
                assert!(self.eat(")"));
                return Value::Row(values);
            }
            DataType::Array(_) | DataType::Map(..) | DataType::Multiset(_) => {
                let element = match (data_type, pair(data_type)) {
                    (DataType::Array(element), _) => element.data_type.clone(),
                    (_, pair) => DataType::Row(pair.unwrap()),
                };
                assert!(self.eat("["));
                while !self.eat("]") {
                    values.push(self.value(&element));
                    self.eat(";");
                }
                return Value::List(values);
            }
            _ => {}
        }
        let text = self.until(&[';', ')', ']']);
        match data_type {
            DataType::Boolean => Value::Boolean(text == "true"),
            DataType::Float => Value::Float(u32::from_str_radix(text, 16).unwrap()),
            DataType::Double => Value::Double(u64::from_str_radix(text, 16).unwrap()),
            DataType::Decimal(..) => Value::Decimal(text.parse().unwrap()),
            DataType::Timestamp(_) | DataType::TimestampLtz(_) => {
                let (millis, nanos) = text.split_once('/').unwrap();
                Value::Timestamp(millis.parse().unwrap(), nanos.parse().unwrap())
            }
            integer if is_integer(integer) => Value::Integer(text.parse().unwrap()),
            _ => Value::Bytes(unhex(text.strip_prefix('x').unwrap())),
        }
    }
}

/// Bytes of hexadecimal digits.
pub fn unhex(text: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).unwrap() as u8;
    let pairs = text.as_bytes().chunks_exact(2);
    pairs.map(|p| digit(p[0]) << 4 | digit(p[1])).collect()
}

fn simple_type() -> impl Strategy<Value = DataType> {
    prop_oneof![
        Just(DataType::Boolean),
        Just(DataType::TinyInt),
        Just(DataType::SmallInt),
        Just(DataType::Int),
        Just(DataType::IntervalYearMonth),
        Just(DataType::Date),
        Just(DataType::Time(3)),
        Just(DataType::BigInt),
        Just(DataType::IntervalDayTime),
        Just(DataType::Float),
        Just(DataType::Double),
        Just(DataType::Varchar(i32::MAX)),
        Just(DataType::Binary(5)),
        (1..=38_u8).prop_map(|p| DataType::Decimal(p, 0)),
        (0..=9_u8).prop_map(DataType::Timestamp),
        (0..=9_u8).prop_map(DataType::TimestampLtz),
    ]
}

fn field(name: usize, data_type: DataType) -> Field {
    Field::new(format!("f{name}"), data_type, true)
}

/// Rows of up to 70 fields, few of them nested.
pub fn any_row_type() -> impl Strategy<Value = RowType> {
    let nested = simple_type().prop_recursive(3, 12, 4, |inner| {
        let element = || inner.clone().prop_map(|t| Arc::new(field(0, t)));
        prop_oneof![
            element().prop_map(DataType::Array),
            element().prop_map(DataType::Multiset),
            (element(), element()).prop_map(|(k, v)| DataType::Map(k, v)),
            prop::collection::vec(inner.clone(), 0..4).prop_map(|t| DataType::Row(row_of(t))),
        ]
    });
    prop_oneof![
        8 => prop::collection::vec(nested, 0..5),
        1 => prop::collection::vec(simple_type(), 50..70),
    ]
    .prop_map(row_of)
}

fn row_of(types: Vec<DataType>) -> RowType {
    let fields = types.into_iter().enumerate();
    RowType::new(fields.map(|(i, t)| field(i, t)).collect::<Vec<_>>())
}

/// Any value of a type, NULL among them.
pub fn any_value(data_type: &DataType) -> BoxedStrategy<Value> {
    let some = match data_type {
        DataType::Boolean => any::<bool>().prop_map(Value::Boolean).boxed(),
        DataType::TinyInt => any::<i8>().prop_map(|i| Value::Integer(i.into())).boxed(),
        DataType::SmallInt => any::<i16>().prop_map(|i| Value::Integer(i.into())).boxed(),
        DataType::BigInt | DataType::IntervalDayTime => {
            any::<i64>().prop_map(Value::Integer).boxed()
        }
        integer if is_integer(integer) => {
            any::<i32>().prop_map(|i| Value::Integer(i.into())).boxed()
        }
        DataType::Float => any::<u32>().prop_map(Value::Float).boxed(),
        DataType::Double => any::<u64>().prop_map(Value::Double).boxed(),
        DataType::Decimal(precision, _) => {
            let end = 10_i128.pow((*precision).into());
            let wide = (1 - end..end).prop_map(Value::Decimal);
            let narrow = (0..u32::from(*precision)).prop_map(|p| Value::Decimal(-(10_i128.pow(p))));
            prop_oneof![wide, narrow].boxed()
        }
        DataType::Timestamp(precision) | DataType::TimestampLtz(precision) => {
            let unit = match precision {
                0..=3 => 1_000_000,
                4..=6 => 1000,
                _ => 1,
            };
            let end = i64::MAX / 1000;
            let parts = (1 - end..end, 0..1_000_000 / unit);
            parts
                .prop_map(move |(m, n)| Value::Timestamp(m, n * unit))
                .boxed()
        }
        DataType::Row(row) => {
            let fields: Vec<_> = row
                .fields()
                .iter()
                .map(|f| any_value(&f.data_type))
                .collect();
            fields.prop_map(Value::Row).boxed()
        }
        DataType::Array(element) => {
            let values = prop::collection::vec(any_value(&element.data_type), 0..40);
            values.prop_map(Value::List).boxed()
        }
        DataType::Map(..) | DataType::Multiset(_) => {
            let pair = pair(data_type).unwrap();
            let [key, value] = [0, 1].map(|i| any_value(&pair.fields()[i].data_type));
            let pairs = (key, value).prop_map(|(k, v)| Value::Row(vec![k, v]));
            prop::collection::vec(pairs, 0..5)
                .prop_map(Value::List)
                .boxed()
        }
        _ => prop::collection::vec(any::<u8>(), 0..20)
            .prop_map(Value::Bytes)
            .boxed(),
    };
    prop_oneof![1 => Just(Value::Null), 4 => some].boxed()
}

/// A row type, rows of it, and kinds or none.
pub fn any_rows() -> impl Strategy<Value = (RowType, Vec<Value>, Option<Vec<i8>>)> {
    any_row_type().prop_flat_map(|row| {
        let fields: Vec<_> = row
            .fields()
            .iter()
            .map(|f| any_value(&f.data_type))
            .collect();
        let rows = prop::collection::vec(fields.prop_map(Value::Row), 0..12);
        let rows = rows.prop_flat_map(|rows| {
            let kinds = prop::collection::vec(0..4_i8, rows.len());
            (Just(rows), prop::option::of(kinds))
        });
        rows.prop_map(move |(rows, kinds)| (row.clone(), rows, kinds))
    })
}
