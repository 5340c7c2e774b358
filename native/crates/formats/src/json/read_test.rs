use super::JsonReader;
use crate::testing::{bytes, row_type, rows};
use sf_batch::{Batch, Reader, Records};
use sf_core::Result;
use sf_plan::{RowType, proto};
use std::collections::HashMap;

fn options(letters: &str) -> proto::JsonReader {
    proto::JsonReader {
        ignore_parse_errors: letters.contains('i'),
        fail_on_missing_field: letters.contains('m'),
        timestamp_format: i32::from(letters.contains('I')),
    }
}

fn read(reader: &mut JsonReader, records: &[&[u8]]) -> Result<Batch> {
    let bytes = records.concat();
    let mut offsets = vec![0];
    for record in records {
        offsets.push(offsets[offsets.len() - 1] + record.len() as i32);
    }
    reader.read(Records::new(&bytes, &offsets).unwrap())
}

fn read_one(row: &RowType, letters: &str, record: &[u8]) -> String {
    let mut reader = JsonReader::new(&options(letters), row).unwrap();
    match read(&mut reader, &[record]) {
        Ok(batch) => rows(&batch, row).join(";"),
        Err(_) => "E".into(),
    }
}

/// What differs, of all lines of a fixture.
fn differences(fixture: &str) -> Vec<String> {
    let (mut types, mut differences, mut count) = (HashMap::new(), Vec::new(), 0);
    for line in fixture.lines() {
        let (kind, rest) = line.split_once(' ').unwrap();
        let (number, rest) = rest.split_once(' ').unwrap();
        if kind == "T" {
            types.insert(number.to_owned(), (rest, row_type(rest)));
            continue;
        }
        let (name, row) = &types[number];
        let mut words = rest.split(' ');
        let record = bytes(words.next().unwrap());
        for word in words {
            let (letters, expected) = word.split_once('=').unwrap();
            // Flink gives null for a row here, which no operator takes.
            let nulls = expected.split(';').any(|row| row == "N");
            let kept: Vec<_> = expected.split(';').filter(|row| *row != "N").collect();
            // And timestamps that are no number of microseconds in 64 bits.
            let beyond = expected.contains('O');
            let expected = match beyond || nulls && !letters.contains('i') {
                true => "E".to_owned(),
                false => kept.join(";"),
            };
            let read = read_one(row, letters, &record);
            count += 1;
            if read != expected {
                let record = String::from_utf8_lossy(&record[..record.len().min(200)]).into_owned();
                differences.push(format!("{name} {letters} {record}: {read} for {expected}"));
            }
        }
    }
    assert!(count > 1000, "{count} cases");
    differences
}

#[test]
fn reads_what_flink_reads() {
    let differences = differences(include_str!("../../tests/fixtures/json_decode.txt"));
    assert!(
        differences.is_empty(),
        "{}:\n{}",
        differences.len(),
        differences[..differences.len().min(40)].join("\n")
    );
}

#[test]
fn goes_on_after_errors_as_flink_does() {
    let differences = differences(include_str!("../../tests/fixtures/json_mutate.txt"));
    assert!(
        differences.is_empty(),
        "{}:\n{}",
        differences.len(),
        differences[..differences.len().min(40)].join("\n")
    );
}
