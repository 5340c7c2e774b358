//! Rows as Flink 2.2.1 wrote them (`fixtures/BinaryRows.java`), and any others there and back.

#![allow(clippy::unwrap_used)]

mod model;

use arrow_array::{Array, make_array};
use arrow_buffer::NullBuffer;
use model::{Text, Value, any_rows, batch_of, rows_of, unhex, with_one_nan};
use proptest::prelude::*;
use sf_batch::{
    Batch, BinaryRowReader, BinaryRowWriter, EncodedRows, NullForm, Reader, RecordBuffer, Records,
    RowEncoder, RowKind, Writer,
};
use sf_codec::key_group::key_group_of_hash;
use sf_core::ErrorKind;
use sf_plan::{DataType, RowType};

struct Case {
    row: RowType,
    kind: i8,
    value: Value,
    bytes: Vec<u8>,
    key: Vec<u8>,
    hash: i32,
    key_groups: [u32; 2],
    text: &'static str,
}

fn cases() -> Vec<Case> {
    let lines = include_str!("fixtures/binary_rows.txt").lines();
    let cases = lines.map(|text| {
        let parts: Vec<_> = text.split('\t').collect();
        let [kind, row, value, bytes, key, hash, of_128, of_32768] = parts[..] else {
            panic!("{text}");
        };
        let row = Text::row_type(row);
        let kinds = ["INSERT", "UPDATE_BEFORE", "UPDATE_AFTER", "DELETE"];
        Case {
            kind: kinds.iter().position(|k| *k == kind).unwrap() as i8,
            value: Text::new(value).value(&DataType::Row(row.clone())),
            row,
            bytes: unhex(bytes),
            key: unhex(key),
            hash: hash.parse().unwrap(),
            key_groups: [of_128.parse().unwrap(), of_32768.parse().unwrap()],
            text,
        }
    });
    cases.collect()
}

fn read(row: &RowType, records: &[&[u8]]) -> sf_core::Result<Batch> {
    let mut offsets = vec![0];
    offsets.extend(records.iter().scan(0, |end, record| {
        *end += record.len() as i32;
        Some(*end)
    }));
    let bytes = records.concat();
    let records = Records::new(&bytes, &offsets).unwrap();
    BinaryRowReader::new(row.clone()).unwrap().read(records)
}

fn write(row: &RowType, batch: &Batch) -> RecordBuffer {
    let columns: Vec<_> = (0..row.fields().len()).collect();
    let mut out = RecordBuffer::default();
    let mut writer = BinaryRowWriter::new(row, &columns).unwrap();
    writer.write(batch, &mut out).unwrap();
    out
}

fn encoder(row: &RowType, nulls: NullForm) -> RowEncoder {
    let columns: Vec<_> = (0..row.fields().len()).collect();
    RowEncoder::new(row, &columns, nulls).unwrap()
}

#[test]
fn rows_are_flinks_to_the_byte() {
    let cases = cases();
    assert!(cases.len() > 1700);
    for case in &cases {
        let batch = batch_of(
            &case.row,
            std::slice::from_ref(&case.value),
            Some(&[case.kind]),
        );
        let out = write(&case.row, &batch);
        assert_eq!(out.get(0), Some(&case.bytes[..]), "{}", case.text);
        let mut keys = EncodedRows::default();
        let mut encoder = encoder(&case.row, NullForm::Reserved);
        encoder.encode(&batch, &mut keys).unwrap();
        assert_eq!(keys.row(0), case.key, "{}", case.text);
        assert_eq!(keys.hash(0), case.hash, "{}", case.text);
        let groups = [128, 32768].map(|max| key_group_of_hash(keys.hash(0), max));
        assert_eq!(groups, case.key_groups, "{}", case.text);
    }
}

#[test]
fn flinks_rows_are_read() {
    for case in cases() {
        for bytes in [&case.bytes, &case.key] {
            let batch = read(&case.row, &[bytes]).unwrap();
            let expected = with_one_nan(&DataType::Row(case.row.clone()), &case.value);
            assert_eq!(rows_of(&case.row, &batch), [expected], "{}", case.text);
        }
        let batch = read(&case.row, &[&case.bytes]).unwrap();
        assert_eq!(batch.kind(0).unwrap() as i8, case.kind, "{}", case.text);
    }
}

#[test]
fn columns_are_chosen_and_kinds_stay_with_their_rows() {
    let row = Text::row_type("ROW<VARCHAR,DECIMAL(20,0),INT>");
    let rows: Vec<_> = ["(x6162636465666768;~;1)", "(~;5;2)", "(x;6;~)"]
        .iter()
        .map(|text| Text::new(text).value(&DataType::Row(row.clone())))
        .collect();
    let batch = batch_of(&row, &rows, Some(&[3, 0, 1]));
    let mut out = RecordBuffer::default();
    let mut writer = BinaryRowWriter::new(&row, &[2, 0]).unwrap();
    // What was there before stays.
    out.bytes.extend(b"before");
    out.end().unwrap();
    writer.write(&batch, &mut out).unwrap();
    let records: Vec<_> = (0..4).map(|i| out.get(i).unwrap()).collect();
    assert_eq!(records[0], b"before");
    let chosen = Text::row_type("ROW<INT,VARCHAR>");
    let read = read(&chosen, &records[1..]).unwrap();
    let expected: Vec<_> = ["(1;x6162636465666768)", "(2;~)", "(~;x)"]
        .iter()
        .map(|text| Text::new(text).value(&DataType::Row(chosen.clone())))
        .collect();
    assert_eq!(rows_of(&chosen, &read), expected);
    assert_eq!(read.kinds(), Some(&[3, 0, 1][..]));

    // The two forms of NULL: 16 bytes are kept, or not.
    let mut keys = EncodedRows::default();
    encoder(&row, NullForm::Reserved)
        .encode(&batch, &mut keys)
        .unwrap();
    let reserved: Vec<_> = (0..3).map(|i| keys.row(i).len()).collect();
    encoder(&row, NullForm::Zero)
        .encode(&batch, &mut keys)
        .unwrap();
    let zero: Vec<_> = (0..3).map(|i| keys.row(i).len()).collect();
    assert_eq!(
        (keys.len(), reserved, zero),
        (3, vec![56, 48, 48], vec![40, 48, 48])
    );
    // Keys are of kind INSERT, behind their length.
    assert!((0..3).all(|i| keys.row(i)[0] == RowKind::Insert as u8));
    assert_eq!(keys.serialized(0)[..4], [0, 0, 0, 40]);
    assert_eq!(&keys.serialized(0)[4..], keys.row(0));
}

#[test]
fn what_stands_below_null_is_not_written() {
    let row = Text::row_type("ROW<ROW<VARCHAR,INT>,ARRAY<VARCHAR>>");
    let text = "((x010203040506070809;7);[x010203040506070809])";
    let value = Text::new(text).value(&DataType::Row(row.clone()));
    let batch = batch_of(&row, &[value], None);
    let columns = batch.columns().iter().map(|column| {
        let hidden = column.to_data().into_builder();
        let hidden = hidden.nulls(Some(NullBuffer::new_null(1))).build();
        make_array(hidden.unwrap())
    });
    let hidden = batch.with_columns(columns.collect()).unwrap();
    let null = batch_of(&row, &[Value::Row(vec![Value::Null, Value::Null])], None);
    assert_eq!(write(&row, &hidden), write(&row, &null));
}

#[test]
fn faults_name_the_row() {
    let row = Text::row_type("ROW<INT,VARCHAR,ARRAY<VARCHAR>,TIMESTAMP(6)>");
    let value = Text::new("(1;x010203040506070809;[x010203040506070809];5/7000)");
    let value = { value }.value(&DataType::Row(row.clone()));
    let good = write(&row, &batch_of(&row, &[value], None));
    let good = good.get(0).unwrap();
    let fails = |bad: &[u8], kind: ErrorKind, text: &str| {
        let error = read(&row, &[good, bad]).unwrap_err();
        assert!(error.message().starts_with("row 1: "), "{error}");
        assert!(error.message().contains(text), "{error}");
        assert_eq!(error.kind(), kind);
    };
    let with = |at: usize, byte: u8| {
        let mut bad = good.to_vec();
        bad[at] = byte;
        bad
    };
    fails(&good[..39], ErrorKind::Corrupt, "39 bytes");
    fails(&with(0, 4), ErrorKind::Corrupt, "row kind");
    fails(&with(20, 0xff), ErrorKind::Corrupt, "9 bytes at 255");
    fails(&with(28, 0xfe), ErrorKind::Corrupt, "at 254");
    // The array at 56: its count, and the offset of its only element.
    fails(&with(56, 0xff), ErrorKind::Corrupt, "too few for an array");
    fails(&with(68, 0xff), ErrorKind::Corrupt, "9 bytes at 255 of 32");
    // 7000 ns become 7001: finer than the type says.
    fails(
        &with(32, 0x59),
        ErrorKind::User,
        "not a number of microseconds",
    );
}

#[test]
fn a_decimal_of_too_many_digits_writes_nothing() {
    let row = Text::row_type("ROW<INT,DECIMAL(18,0)>");
    let values = ["(1;5)", "(2;9223372036854775808)"];
    let values = values.map(|text| Text::new(text).value(&DataType::Row(row.clone())));
    let mut writer = BinaryRowWriter::new(&row, &[0, 1]).unwrap();
    let mut out = RecordBuffer::default();
    let error = writer
        .write(&batch_of(&row, &values, None), &mut out)
        .unwrap_err();
    assert!(
        error
            .message()
            .starts_with("row 1: 9223372036854775808 has"),
        "{error}"
    );
    assert_eq!(out, RecordBuffer::default());
}

#[test]
fn what_flink_cannot_write_is_refused() {
    let null = sf_plan::Field::new("f0", DataType::Null, true);
    let array = DataType::Array(null.clone().into());
    for data_type in [DataType::Null, array, DataType::Row(RowType::new([null]))] {
        let row = RowType::new([sf_plan::Field::new("f0", data_type, true)]);
        let reader = BinaryRowReader::new(row.clone()).unwrap_err();
        let writer = BinaryRowWriter::new(&row, &[0]).unwrap_err();
        assert_eq!(
            (reader.kind(), writer.kind()),
            (ErrorKind::Unsupported, ErrorKind::Unsupported)
        );
    }
    let row = Text::row_type("ROW<INT>");
    assert!(BinaryRowWriter::new(&row, &[1]).is_err());
    // An array of another type than the row says.
    let other = batch_of(
        &Text::row_type("ROW<BIGINT>"),
        &[Value::Row(vec![Value::Null])],
        None,
    );
    let mut writer = BinaryRowWriter::new(&row, &[0]).unwrap();
    assert!(writer.write(&other, &mut RecordBuffer::default()).is_err());
}

proptest! {
    #[test]
    fn any_rows_come_back((row, rows, kinds) in any_rows(), cut in 0..4_usize) {
        let batch = batch_of(&row, &rows, kinds.as_deref());
        let cut = cut.min(rows.len());
        let batch = batch.slice(cut, rows.len() - cut);
        let out = write(&row, &batch);
        let records: Vec<_> = (0..batch.rows()).map(|i| out.get(i).unwrap()).collect();
        let back = read(&row, &records).unwrap();
        let row_type = DataType::Row(row.clone());
        let expected: Vec<_> = rows[cut..].iter().map(|v| with_one_nan(&row_type, v)).collect();
        prop_assert_eq!(rows_of(&row, &back), expected);
        for i in 0..batch.rows() {
            prop_assert_eq!(back.kind(i).unwrap(), batch.kind(i).unwrap());
        }
        // What was read writes the same bytes, and is a key of the same bytes but for its kind.
        prop_assert_eq!(&write(&row, &back), &out);
        let mut keys = EncodedRows::default();
        encoder(&row, NullForm::Zero).encode(&batch, &mut keys).unwrap();
        for (i, record) in records.iter().enumerate() {
            prop_assert_eq!(&keys.row(i)[1..], &record[1..]);
        }
    }

    #[test]
    fn no_bytes_do_harm((row, rows, _) in any_rows(), at in any::<usize>(), byte in any::<u8>()) {
        let out = write(&row, &batch_of(&row, &rows, None));
        if rows.is_empty() {
            return Ok(());
        }
        let mut bad = out.get(0).unwrap().to_vec();
        let at = at % bad.len();
        bad[at] = byte;
        // Either an error or some rows that can be written; a panic is neither.
        if let Ok(batch) = read(&row, &[&bad]) {
            prop_assert_eq!(write(&row, &batch).ends.len(), 1);
        }
    }
}
