//! What other readers see in the typed columns, through the record API of the `parquet` crate.

use crate::file_test::{Row, write};
use crate::{Coding, ColumnType, Compression, Source, TableColumns, TypedColumn};
use bytes::Bytes;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use proptest::prelude::*;

const TYPES: i32 = 11;
/// Behind `_SEQUENCE_NUMBER`, `_VALUE_KIND` and the fixed columns.
const TYPED: usize = 10;

/// A value of each type, or none.
type Values = Vec<Option<Field>>;

fn any_value(column_type: ColumnType) -> BoxedStrategy<Field> {
    match column_type {
        ColumnType::Boolean => any::<bool>().prop_map(Field::Bool).boxed(),
        ColumnType::TinyInt => any::<i8>().prop_map(Field::Byte).boxed(),
        ColumnType::SmallInt => any::<i16>().prop_map(Field::Short).boxed(),
        ColumnType::Int => any::<i32>().prop_map(Field::Int).boxed(),
        ColumnType::BigInt => any::<i64>().prop_map(Field::Long).boxed(),
        ColumnType::Float => any::<f32>().prop_map(Field::Float).boxed(),
        ColumnType::Double => any::<f64>().prop_map(Field::Double).boxed(),
        ColumnType::String => "\\PC{0,12}".prop_map(Field::Str).boxed(),
        ColumnType::Bytes => prop::collection::vec(any::<u8>(), 0..12)
            .prop_map(|bytes| Field::Bytes(bytes.into()))
            .boxed(),
        ColumnType::Date => any::<i32>().prop_map(Field::Date).boxed(),
        ColumnType::Timestamp => any::<i64>().prop_map(Field::TimestampMillis).boxed(),
    }
}

fn types() -> impl Iterator<Item = ColumnType> {
    (0..TYPES).filter_map(ColumnType::from_code)
}

fn any_values() -> impl Strategy<Value = Values> {
    types()
        .map(|column_type| prop::option::of(any_value(column_type)))
        .collect::<Vec<_>>()
}

/// As a serializer of Flink's table runtime writes it.
fn scalar(value: &Field) -> Vec<u8> {
    match value {
        Field::Bool(value) => vec![u8::from(*value)],
        Field::Byte(value) => value.to_be_bytes().to_vec(),
        Field::Short(value) => value.to_be_bytes().to_vec(),
        Field::Int(value) | Field::Date(value) => value.to_be_bytes().to_vec(),
        Field::Long(value) | Field::TimestampMillis(value) => value.to_be_bytes().to_vec(),
        Field::Float(value) => value.to_be_bytes().to_vec(),
        Field::Double(value) => value.to_be_bytes().to_vec(),
        Field::Str(value) => prefixed(value.as_bytes()),
        Field::Bytes(value) => prefixed(value.data()),
        other => panic!("{other:?}"),
    }
}

fn prefixed(value: &[u8]) -> Vec<u8> {
    [&(value.len() as u32).to_be_bytes(), value].concat()
}

/// As `BinaryRowDataSerializer` writes a row of these fields.
fn binary_row(values: &Values) -> Vec<u8> {
    let nulls = (values.len() + 8).div_ceil(64) * 8;
    let mut row = vec![0; nulls + values.len() * 8];
    for (index, value) in values.iter().enumerate() {
        let at = nulls + index * 8;
        match value {
            None => row[(index + 8) / 8] |= 1 << (index % 8),
            Some(Field::Str(value)) => variable(&mut row, at, value.as_bytes()),
            Some(Field::Bytes(value)) => variable(&mut row, at, value.data()),
            Some(value) => {
                let mut little = scalar(value);
                little.reverse();
                row[at..at + little.len()].copy_from_slice(&little);
            }
        }
    }
    prefixed(&row)
}

fn variable(row: &mut Vec<u8>, at: usize, value: &[u8]) {
    if value.len() < 8 {
        row[at..at + value.len()].copy_from_slice(value);
        row[at + 7] = 0x80 | value.len() as u8;
        return;
    }
    let word = (row.len() as u64) << 32 | value.len() as u64;
    row[at..at + 8].copy_from_slice(&word.to_le_bytes());
    row.extend(value);
    row.resize(row.len().next_multiple_of(8), 0);
}

/// State 1 has the fields of a row in its value, state 2 + n one scalar of type n in its user key, every state
/// the BIGINT in its key.
fn columns() -> TableColumns {
    let column = |name: String, source, state, coding, column_type| TypedColumn {
        name,
        field_id: 0,
        column_type,
        source,
        state,
        coding,
        skip: 0,
    };
    let mut all = vec![column(
        "id".to_owned(),
        Source::Key,
        None,
        Coding::Scalar,
        ColumnType::BigInt,
    )];
    for column_type in types() {
        let index = column_type.code() as u32;
        let arity = TYPES as u32;
        let coding = Coding::RowField { index, arity };
        let name = format!("field_{index}");
        all.push(TypedColumn {
            skip: 8,
            ..column(name, Source::Value, Some(1), coding, column_type)
        });
        let state = Some(2 + index as u16);
        let name = format!("scalar_{index}");
        all.push(column(
            name,
            Source::UserKey,
            state,
            Coding::SqlScalar,
            column_type,
        ));
    }
    for (id, column) in (8..).zip(&mut all) {
        column.field_id = id;
    }
    TableColumns::new(all).unwrap()
}

fn table_of(all: &[(u32, i64, u16, Values)]) -> (Vec<Row>, Vec<Values>) {
    let mut rows = Vec::new();
    let mut expected = Vec::new();
    for (key_group, id, state, values) in all {
        let mut row = Row {
            key_group: *key_group,
            state: *state,
            key: id.to_be_bytes().to_vec(),
            value: Some(Vec::new()),
            ..Row::default()
        };
        let mut seen: Values = vec![None; 1 + 2 * TYPES as usize];
        seen[0] = Some(Field::Long(*id));
        if *state == 1 {
            row.value = Some([vec![9; 8], binary_row(values)].concat());
            for (index, value) in values.iter().enumerate() {
                seen[1 + 2 * index] = value.clone();
            }
        } else if let Some(value) = values.get(usize::from(*state).wrapping_sub(2)) {
            row.user_key = value.as_ref().map(scalar).unwrap_or_default();
            seen[2 + 2 * (usize::from(*state) - 2)] = value.clone();
        }
        rows.push(row);
        expected.push(seen);
    }
    (rows, expected)
}

fn seen_by_others(file: Vec<u8>) -> Vec<Values> {
    let reader = SerializedFileReader::new(Bytes::from(file)).unwrap();
    let rows = reader.get_row_iter(None).unwrap().enumerate();
    rows.map(|(number, row)| {
        let fields: Vec<Field> = row
            .unwrap()
            .into_columns()
            .into_iter()
            .map(|c| c.1)
            .collect();
        assert_eq!(fields[0], Field::Long((1 << 40) + number as i64));
        assert_eq!(fields[1], Field::Byte(0));
        let typed = fields[TYPED..].iter().cloned();
        typed
            .map(|field| (field != Field::Null).then_some(field))
            .collect()
    })
    .collect()
}

/// NaNs are equal when their bits are.
fn shown(rows: &[Values]) -> String {
    format!("{rows:?}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn typed_columns_hold_what_the_bytes_say(
        mut all in prop::collection::vec((0..5_u32, any::<i64>(), 0..14_u16, any_values()), 1..80),
        code in prop::sample::select(vec![0, 2, 3]),
    ) {
        all.sort_by_key(|(key_group, ..)| *key_group);
        let (rows, expected) = table_of(&all);
        let file = write(columns(), Compression::from_code(code).unwrap(), &rows, 5000);
        prop_assert_eq!(shown(&seen_by_others(file)), shown(&expected));
    }
}

#[test]
fn columns_without_a_value_take_nearly_nothing() {
    let rows: Vec<Row> = (0..50_000_i64)
        .map(|n| Row {
            key: n.to_le_bytes().to_vec(),
            value: Some(n.to_le_bytes().to_vec()),
            ..Row::default()
        })
        .collect();
    let plain = TableColumns::new(Vec::new()).unwrap();
    let wide: Vec<TypedColumn> = columns()
        .typed()
        .iter()
        .filter(|column| column.state.is_some())
        .cloned()
        .collect();
    let count = wide.len();
    let wide = TableColumns::new(wide).unwrap();
    let plain = write(plain, Compression::Zstd, &rows, 1 << 20).len();
    let wide = write(wide, Compression::Zstd, &rows, 1 << 20).len();
    assert!(wide - plain < count * 400, "{} bytes", wide - plain);
}
