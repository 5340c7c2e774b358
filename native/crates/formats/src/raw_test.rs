use crate::testing::{bytes, row_type, rows};
use crate::{reader, writer_form};
use sf_batch::{Batch, RecordBuffer, Records};
use sf_core::{ErrorKind, Result};
use sf_plan::proto;

fn raw(charset: &str, little_endian: bool) -> proto::Raw {
    proto::Raw {
        little_endian,
        charset: charset.into(),
    }
}

/// A `ROW` of one column as a message.
fn message(root: proto::data_type::Root) -> proto::DataType {
    let field = proto::Field {
        name: "v".into(),
        r#type: Some(proto::DataType {
            root: root.into(),
            nullable: true,
            length: i32::MAX,
            ..Default::default()
        }),
    };
    proto::DataType {
        root: proto::data_type::Root::Row.into(),
        children: vec![field],
        ..Default::default()
    }
}

fn read(root: proto::data_type::Root, options: proto::Raw, records: &[&str]) -> Result<Batch> {
    let plan = proto::Reader {
        output: Some(message(root)),
        kind: Some(proto::reader::Kind::Raw(options)),
        ..Default::default()
    };
    let records: Vec<_> = records.iter().map(|record| bytes(record)).collect();
    let mut offsets = vec![0];
    for record in &records {
        offsets.push(offsets[offsets.len() - 1] + record.len() as i32);
    }
    reader(&plan)?.read(Records::new(&records.concat(), &offsets)?)
}

fn write(row: &str, options: proto::Raw, batch: &Batch) -> Result<RecordBuffer> {
    let form = proto::Form {
        columns: vec![0],
        kind: Some(proto::form::Kind::Raw(options)),
        ..Default::default()
    };
    let mut out = RecordBuffer::default();
    writer_form(&form, &row_type(row))?.write(batch, &mut out)?;
    Ok(out)
}

/// Reads records and writes them again.
fn check(root: proto::data_type::Root, row: &str, options: proto::Raw, cases: &[(&str, &str)]) {
    let records: Vec<_> = cases.iter().map(|case| case.0).collect();
    let batch = read(root, options.clone(), &records).unwrap();
    let expected: Vec<_> = cases.iter().map(|case| format!("({})", case.1)).collect();
    assert_eq!(rows(&batch, &row_type(row)), expected);
    let written = write(row, options, &batch).unwrap();
    for (i, record) in records.iter().enumerate() {
        assert_eq!(written.get(i), Some(&bytes(record)[..]));
    }
}

#[test]
fn values_are_their_bytes() {
    use proto::data_type::Root;
    let big = || raw("UTF-8", false);
    check(
        Root::Bigint,
        "ROW<v BIGINT>",
        big(),
        &[("0000000000000102", "258"), ("ffffffffffffffff", "-1")],
    );
    check(
        Root::Bigint,
        "ROW<v BIGINT>",
        raw("", true),
        &[("0201000000000000", "258")],
    );
    check(
        Root::Integer,
        "ROW<v INT>",
        big(),
        &[("80000000", "-2147483648")],
    );
    check(
        Root::Smallint,
        "ROW<v SMALLINT>",
        raw("", true),
        &[("fe00", "254")],
    );
    check(Root::Tinyint, "ROW<v TINYINT>", big(), &[("fe", "-2")]);
    check(
        Root::Boolean,
        "ROW<v BOOLEAN>",
        big(),
        &[("00", "f"), ("01", "t")],
    );
    check(
        Root::Float,
        "ROW<v FLOAT>",
        big(),
        &[("3f800000", "f3f800000")],
    );
    check(
        Root::Double,
        "ROW<v DOUBLE>",
        raw("", true),
        &[("000000000000f03f", "d3ff0000000000000")],
    );
    check(
        Root::Varbinary,
        "ROW<v BYTES>",
        big(),
        &[("00ff", "x00ff"), ("-", "x")],
    );
    check(
        Root::Varchar,
        "ROW<v STRING>",
        big(),
        &[("c3a4ff", "xc3a4ff"), ("-", "x")],
    );
    check(
        Root::Varchar,
        "ROW<v STRING>",
        raw("latin1", false),
        &[("e461", "xc3a461")],
    );
}

#[test]
fn what_has_no_bytes_is_refused_or_replaced() {
    use proto::data_type::Root;
    let error = read(Root::Integer, raw("UTF-8", false), &["00000001", "0001"]).unwrap_err();
    assert_eq!(
        error.message(),
        "Size of data received for deserializing INT type is not 4. (record 1)"
    );
    let refused = read(Root::Varchar, raw("EUC-JP", false), &["00"]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
    assert_eq!(
        read(Root::Date, raw("UTF-8", false), &["00"])
            .unwrap_err()
            .kind(),
        ErrorKind::Unsupported
    );
    let batch = read(
        Root::Varchar,
        raw("UTF-8", false),
        &["c3a4e282acf09f988061"],
    )
    .unwrap();
    let written = write("ROW<v STRING>", raw("US-ASCII", false), &batch).unwrap();
    assert_eq!(written.get(0), Some(&b"???a"[..]));
    let written = write("ROW<v STRING>", raw("ISO-8859-1", false), &batch).unwrap();
    assert_eq!(written.get(0), Some(&b"\xe4??a"[..]));
}

#[test]
fn null_is_no_record() {
    let null = crate::testing::batch(
        &row_type("ROW<v INT>"),
        &[crate::value::Value::Row(vec![crate::value::Value::Null])],
    );
    let written = write("ROW<v INT>", raw("UTF-8", false), &null).unwrap();
    assert_eq!(written.get(0), None);
}
