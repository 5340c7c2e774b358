//! The bytes are what the serializers of Flink 2.2.1 printed.

use crate::columns::{Coding, ColumnType, Source, TypedColumn};
use crate::row::TableRow;
use crate::scalar::{Scalar, decode};
use proptest::prelude::*;

const LONG: i64 = -5_000_000_000;
const MILLIS: i64 = -1_234_567_890_123;
const TEXT: &str = "aä€😀z";
const ROW: &str = "0000007800000800000000000100000000000000fb00000000000000d4fe00000000000090eefeff00000000\
    000efad5feffffff0000c0bf00000000000000000000024031323334353637870b000000680000000102ff0000000083\
    35fb048ee0feffff000000000000000061c3a4e282acf09f98807a0000000000";

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.map(byte).collect()
}

fn column(column_type: ColumnType, coding: Coding, source: Source, skip: u32) -> TypedColumn {
    TypedColumn {
        name: "column".to_owned(),
        field_id: 8,
        column_type,
        source,
        state: None,
        coding,
        skip,
    }
}

fn row<'a>(key: &'a [u8], value: Option<&'a [u8]>) -> TableRow<'a> {
    TableRow {
        key_group: 0,
        state: 0,
        key,
        namespace: &[],
        user_key: &[],
        value,
        timestamp: None,
        checkpoint: 0,
    }
}

/// What a value of these bytes is, as text: the scalar borrows from more than one place.
fn value(column_type: ColumnType, coding: Coding, skip: u32, value: &[u8]) -> Option<String> {
    let column = column(column_type, coding, Source::Value, skip);
    let mut scratch = Vec::new();
    let found = decode(&column, &row(&[], Some(value)), &mut scratch);
    found.map(|scalar| format!("{scalar:?}"))
}

fn shown(scalar: Scalar<'_>) -> Option<String> {
    Some(format!("{scalar:?}"))
}

fn scalars() -> Vec<(ColumnType, &'static str, Scalar<'static>)> {
    vec![
        (ColumnType::Boolean, "01", Scalar::Boolean(true)),
        (ColumnType::TinyInt, "fb", Scalar::Int(-5)),
        (ColumnType::SmallInt, "fed4", Scalar::Int(-300)),
        (ColumnType::Int, "fffeee90", Scalar::Int(-70_000)),
        (ColumnType::Date, "fffeee90", Scalar::Int(-70_000)),
        (ColumnType::BigInt, "fffffffed5fa0e00", Scalar::Long(LONG)),
        (ColumnType::Float, "bfc00000", Scalar::Float(-1.5)),
        (ColumnType::Double, "4002000000000000", Scalar::Double(2.25)),
        (ColumnType::String, "067374617465", Scalar::Bytes(b"state")),
        (ColumnType::String, "01", Scalar::Bytes(b"")),
        (
            ColumnType::String,
            "0761e401ac41bdb00380bc037a",
            Scalar::Bytes(TEXT.as_bytes()),
        ),
        (
            ColumnType::Bytes,
            "000000030102ff",
            Scalar::Bytes(&[1, 2, 255]),
        ),
        (
            ColumnType::Timestamp,
            "fffffee08e04fb35",
            Scalar::Long(MILLIS),
        ),
    ]
}

#[test]
fn scalars_are_those_of_the_serializers() {
    for (column_type, hex, expected) in scalars() {
        let exact = bytes(hex);
        let found = value(column_type, Coding::Scalar, 0, &exact);
        assert_eq!(found, shown(expected), "{column_type:?}");
        let skipped = [&[7; 8], exact.as_slice()].concat();
        let found = value(column_type, Coding::Scalar, 8, &skipped);
        assert_eq!(found, shown(expected), "{column_type:?} behind a prefix");
    }
    let long = "x".repeat(200);
    let found = value(
        ColumnType::String,
        Coding::Scalar,
        0,
        &[&[0xc9, 1], long.as_bytes()].concat(),
    );
    assert_eq!(found, shown(Scalar::Bytes(long.as_bytes())));
    let sql = bytes("0000000b61c3a4e282acf09f98807a");
    let found = value(ColumnType::String, Coding::SqlScalar, 0, &sql);
    assert_eq!(found, shown(Scalar::Bytes(TEXT.as_bytes())));
}

#[test]
fn what_is_cut_off_or_longer_has_no_value() {
    for (column_type, hex, _) in scalars() {
        let exact = bytes(hex);
        for len in 0..exact.len() {
            let found = value(column_type, Coding::Scalar, 0, &exact[..len]);
            assert_eq!(found, None, "{column_type:?} of {len} bytes");
        }
        let longer = [exact.as_slice(), &[0]].concat();
        assert_eq!(value(column_type, Coding::Scalar, 0, &longer), None);
        assert_eq!(value(column_type, Coding::Scalar, 99, &exact), None);
    }
    // A null string, half a surrogate pair, a unit of more than 16 bits, a flag that is none.
    for hex in ["00", "0361bdb003", "02808004"] {
        assert_eq!(
            value(ColumnType::String, Coding::Scalar, 0, &bytes(hex)),
            None
        );
    }
    assert_eq!(value(ColumnType::Boolean, Coding::Scalar, 0, &[2]), None);
    let no_text = [0, 0, 0, 1, 0xff];
    assert_eq!(
        value(ColumnType::String, Coding::SqlScalar, 0, &no_text),
        None
    );
}

#[test]
fn a_namespace_may_follow_a_key() {
    let column = column(ColumnType::BigInt, Coding::Scalar, Source::Key, 0);
    let key = bytes("fffffffed5fa0e0001");
    let mut scratch = Vec::new();
    let found = decode(&column, &row(&key, Some(&[])), &mut scratch);
    assert_eq!(found, Some(Scalar::Long(LONG)));
}

#[test]
fn the_key_of_a_timer_follows_its_time() {
    let column = column(ColumnType::BigInt, Coding::Scalar, Source::Key, 0);
    let element = [&[0x80, 0, 0, 0, 0, 0, 0, 9][..], &7_i64.to_be_bytes(), &[0]].concat();
    let mut scratch = Vec::new();
    let found = decode(&column, &row(&element, None), &mut scratch);
    assert_eq!(
        found.map(|scalar| format!("{scalar:?}")),
        shown(Scalar::Long(7))
    );
}

#[test]
fn a_row_without_value_has_no_field() {
    let column = column(ColumnType::BigInt, Coding::Scalar, Source::Value, 0);
    assert_eq!(decode(&column, &row(&[1; 8], None), &mut Vec::new()), None);
}

fn field(column_type: ColumnType, index: u32, arity: u32, row: &[u8]) -> Option<String> {
    value(column_type, Coding::RowField { index, arity }, 0, row)
}

#[test]
fn fields_are_those_of_binary_row_data() {
    let row = bytes(ROW);
    let expected = [
        (ColumnType::Boolean, Scalar::Boolean(true)),
        (ColumnType::TinyInt, Scalar::Int(-5)),
        (ColumnType::SmallInt, Scalar::Int(-300)),
        (ColumnType::Int, Scalar::Int(-70_000)),
        (ColumnType::BigInt, Scalar::Long(LONG)),
        (ColumnType::Float, Scalar::Float(-1.5)),
        (ColumnType::Double, Scalar::Double(2.25)),
        (ColumnType::String, Scalar::Bytes(b"1234567")),
        (ColumnType::String, Scalar::Bytes(TEXT.as_bytes())),
        (ColumnType::Bytes, Scalar::Bytes(&[1, 2, 255])),
        (ColumnType::Timestamp, Scalar::Long(MILLIS)),
    ];
    for (index, (column_type, scalar)) in (0..).zip(expected) {
        let found = field(column_type, index, 12, &row);
        assert_eq!(found, shown(scalar), "field {index}");
    }
    assert_eq!(field(ColumnType::Int, 11, 12, &row), None, "it is null");
    // A row of more fields than it has room for.
    assert_eq!(field(ColumnType::Int, 3, 15, &row), None);
    for len in 0..row.len() {
        assert_eq!(field(ColumnType::Int, 3, 12, &row[..len]), None);
    }
}

#[test]
fn null_bits_of_many_fields_take_whole_words() {
    // 60 fields and the row kind need 68 bits: two words. Field 58 is null, the others are their index.
    let mut row = 496_u32.to_be_bytes().to_vec();
    row.extend(bytes("00000000000000000400000000000000"));
    for index in 0..60_u64 {
        row.extend(if index == 58 { 0 } else { index }.to_le_bytes());
    }
    for index in 0..60 {
        let expected = (index != 58).then(|| format!("Int({index})"));
        assert_eq!(field(ColumnType::Int, index, 60, &row), expected);
    }
}

proptest! {
    #[test]
    fn any_text_is_what_it_was(text in "\\PC{0,20}") {
        let units: Vec<u16> = text.encode_utf16().collect();
        let mut written = Vec::new();
        sf_codec::varint::write_u32(&mut written, units.len() as u32 + 1);
        for unit in units {
            sf_codec::varint::write_u32(&mut written, u32::from(unit));
        }
        let found = value(ColumnType::String, Coding::Scalar, 0, &written);
        prop_assert_eq!(found, shown(Scalar::Bytes(text.as_bytes())));
    }

    #[test]
    fn nothing_panics(
        anything in prop::collection::vec(any::<u8>(), 0..80),
        skip in 0..4_u32,
        index in 0..70_u32,
        more in 1..70_u32,
    ) {
        for code in 0..11 {
            let column_type = ColumnType::from_code(code).unwrap();
            let arity = index + more;
            for coding in [Coding::Scalar, Coding::SqlScalar, Coding::RowField { index, arity }] {
                value(column_type, coding, skip, &anything);
            }
            let mut row = ((anything.len() as u32).to_be_bytes()).to_vec();
            row.extend(&anything);
            field(column_type, index % 3, 3, &row);
        }
    }
}
