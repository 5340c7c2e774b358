use super::JsonWriter;
use crate::testing::{Text, batch, bytes, row_type};
use crate::value::Value;
use sf_batch::{RecordBuffer, Writer};
use sf_plan::proto::json_writer::MapNullKey;
use sf_plan::{DataType, RowType, proto};
use std::collections::HashMap;

pub(super) fn options(letters: &str) -> proto::JsonWriter {
    let null_key = match letters {
        "D" => MapNullKey::Drop,
        "L" => MapNullKey::Literal,
        _ => MapNullKey::Fail,
    };
    proto::JsonWriter {
        timestamp_format: i32::from(letters.contains('I')),
        map_null_key: null_key.into(),
        map_null_key_literal: "nu\"ll".into(),
        decimal_as_plain_number: letters.contains('p'),
        ignore_null_fields: letters.contains('n'),
    }
}

fn write_one(row: &RowType, letters: &str, value: &Value) -> Option<Vec<u8>> {
    let columns = (0..row.fields().len()).collect();
    let mut writer = JsonWriter::new(&options(letters), columns, row).unwrap();
    let mut out = RecordBuffer::default();
    let batch = batch(row, std::slice::from_ref(value));
    writer.write(&batch, &mut out).ok()?;
    out.get(0).map(<[u8]>::to_vec)
}

#[test]
fn writes_what_flink_writes() {
    let (mut types, mut differences, mut count) = (HashMap::new(), Vec::new(), 0);
    for line in include_str!("../../tests/fixtures/json_encode.txt").lines() {
        let (kind, rest) = line.split_once(' ').unwrap();
        let (number, rest) = rest.split_once(' ').unwrap();
        if kind == "T" {
            types.insert(number.to_owned(), row_type(rest));
            continue;
        }
        let row = &types[number];
        let [letters, value, expected] = rest.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let value = Text(value).value(&DataType::Row(row.clone()));
        let written = write_one(row, letters, &value);
        let expected = (expected != "E").then(|| bytes(expected));
        count += 1;
        if written != expected {
            let text =
                |bytes: Option<Vec<u8>>| bytes.map(|b| String::from_utf8_lossy(&b).into_owned());
            differences.push(format!(
                "{letters} {value:?}: {:?} for {:?}",
                text(written),
                text(expected)
            ));
        }
    }
    assert!(count > 1000, "{count} cases");
    assert!(
        differences.is_empty(),
        "{}:\n{}",
        differences.len(),
        differences[..differences.len().min(40)].join("\n")
    );
}
