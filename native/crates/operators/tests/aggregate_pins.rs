//! What stock Flink emits and keeps, row for row and byte for byte. Made by `fixtures/AggregatePins.java`.

use arrow_array::{Array, ListArray};
use sf_batch::{
    Batch, BinaryRowReader, BinaryRowWriter, Reader, RecordBuffer, Records, RowView, Writer,
};
use sf_core::{KeyGroupRange, MemoryBudget};
use sf_operators::{GroupAggregate, Operator};
use sf_plan::proto::{self, data_type::Root, group_aggregate::Phase};
use sf_plan::{DataType, Field, RowType};
use sf_store::Store;
use std::collections::BTreeSet;

/// Name of the state, key group, key and namespace, user key, value.
type StateRow = (String, i32, Vec<u8>, Vec<u8>, Vec<u8>);

/// One query.
#[derive(Debug, Default)]
struct Case {
    name: String,
    sql: String,
    description: String,
    input: Vec<proto::Field>,
    output: Vec<proto::Field>,
    /// Of the global phase: description and input of the local one.
    local: String,
    local_input: Vec<proto::Field>,
    rows: Vec<Row>,
    /// What the end of the last bundle emits.
    flushed: Vec<Vec<u8>>,
    state: BTreeSet<StateRow>,
}

/// An input row and what it emits.
#[derive(Debug, Default)]
struct Row {
    time: i64,
    bytes: Vec<u8>,
    emitted: Vec<Vec<u8>>,
}

fn hex(text: &str) -> Vec<u8> {
    let digit = |i: usize| u8::from_str_radix(&text[i..i + 2], 16).expect("hex");
    (0..text.len()).step_by(2).map(digit).collect()
}

fn field(line: &str) -> proto::Field {
    let (name, text) = line.split_once(' ').expect("name and type");
    let (text, nullable) = match text.strip_suffix(" NOT NULL") {
        Some(text) => (text, false),
        None => (text, true),
    };
    let (root, numbers) = match text.split_once('(') {
        // A view between the phases: bytes.
        Some(("RAW", _)) => ("RAW".to_owned(), Vec::new()),
        Some((root, rest)) => {
            let (numbers, behind) = rest.split_once(')').expect("closed");
            let numbers: Vec<i32> = numbers
                .split(", ")
                .map(|n| n.parse().expect("number"))
                .collect();
            (format!("{root}{behind}"), numbers)
        }
        None => (text.to_owned(), Vec::new()),
    };
    let number = |i: usize| numbers.get(i).copied().unwrap_or(0);
    let mut data_type = proto::DataType {
        nullable,
        ..proto::DataType::default()
    };
    let root = match root.as_str() {
        "STRING" | "VARCHAR" => Root::Varchar,
        "CHAR" => Root::Char,
        "BOOLEAN" => Root::Boolean,
        "TINYINT" => Root::Tinyint,
        "SMALLINT" => Root::Smallint,
        "INT" => Root::Integer,
        "BIGINT" => Root::Bigint,
        "FLOAT" => Root::Float,
        "DOUBLE" => Root::Double,
        "DECIMAL" => Root::Decimal,
        "RAW" => Root::Varbinary,
        "DATE" => Root::Date,
        "TIME" => Root::Time,
        "TIMESTAMP" => Root::Timestamp,
        "TIMESTAMP_LTZ" => Root::TimestampLtz,
        other => panic!("type {other}"),
    };
    data_type.set_root(root);
    (data_type.precision, data_type.scale, data_type.length) = (number(0), number(1), number(0));
    proto::Field {
        name: name.to_owned(),
        r#type: Some(data_type),
    }
}

fn cases() -> Vec<Case> {
    let text = include_str!("fixtures/aggregate.txt");
    let mut cases: Vec<Case> = Vec::new();
    let (mut time, mut flushing) = (0, false);
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "case" {
            (time, flushing) = (0, false);
            cases.push(Case {
                name: rest.to_owned(),
                ..Case::default()
            });
        }
        let Some(case) = cases.last_mut() else {
            continue;
        };
        match word {
            "sql" => case.sql = rest.to_owned(),
            "local-description" => case.local = rest.to_owned(),
            "local-input" => case.local_input.push(field(rest)),
            "flush" => flushing = true,
            "out" if flushing => case.flushed.push(hex(rest)),
            "description" => case.description = rest.to_owned(),
            "input" => case.input.push(field(rest)),
            "output" => case.output.push(field(rest)),
            "time" => time = rest.parse().expect("number"),
            "in" => case.rows.push(Row {
                time,
                bytes: hex(rest),
                emitted: Vec::new(),
            }),
            "out" => {
                let row = case.rows.last_mut().expect("a row came in");
                row.emitted.push(hex(rest));
            }
            "row" => {
                let parts: Vec<_> = rest.split(' ').collect();
                let [name, group, key, user_key, value] = parts[..] else {
                    panic!("{line}");
                };
                let user_key = if user_key == "-" {
                    Vec::new()
                } else {
                    hex(user_key)
                };
                let group = group.parse().expect("number");
                let row = (name.to_owned(), group, hex(key), user_key, hex(value));
                case.state.insert(row);
            }
            _ => {}
        }
    }
    cases
}

fn row_type(fields: &[proto::Field]) -> proto::DataType {
    let mut row = proto::DataType {
        children: fields.to_vec(),
        ..proto::DataType::default()
    };
    row.set_root(Root::Row);
    row
}

impl Case {
    fn ttl(&self) -> i64 {
        if self.name.ends_with("ttl") { 1000 } else { 0 }
    }

    fn phase(&self) -> Phase {
        match self.name.split_once(' ') {
            Some(("local", _)) => Phase::Local,
            Some(("global", _)) => Phase::Global,
            _ => Phase::Single,
        }
    }

    /// Rows of a bundle, as `AggregatePins` has them.
    fn bundle(&self) -> i64 {
        let bundles = self.phase() != Phase::Single || self.name.starts_with("bundle");
        if bundles { 5 } else { 0 }
    }

    /// The plan, from Flink's description of the operator.
    fn plan(&self) -> proto::GroupAggregate {
        let retracts = self.name.contains("retract");
        let global = self.phase() == Phase::Global;
        let (description, values) = match global {
            true => (&self.local, &self.local_input),
            false => (&self.description, &self.input),
        };
        let column_of = |fields: &[proto::Field], name: &str| {
            let column = fields.iter().position(|field| field.name == name);
            column.unwrap_or_else(|| panic!("{name} in {description}")) as i32
        };
        let inner = |description: &str, start: &str| {
            let (_, rest) = description.split_once(start)?;
            rest.split_once(']').map(|(inner, _)| inner.to_owned())
        };
        let grouping = inner(&self.description, "groupBy=[").map_or(Vec::new(), |names| {
            let names = names.split(", ");
            names.map(|name| column_of(&self.input, name)).collect()
        });
        let select = inner(description, "select=[").expect("calls");
        let mut calls = Vec::new();
        for call in select.split(", ") {
            let Some((call, name)) = call.split_once(" AS ") else {
                continue;
            };
            if self.phase() == Phase::Single && self.output.iter().all(|field| field.name != name) {
                continue;
            }
            let (call, filter) = match call.split_once(" FILTER ") {
                Some((call, filter)) => (call, column_of(values, filter)),
                None => (call, -1),
            };
            let (function, argument) = call
                .strip_suffix(')')
                .and_then(|call| call.split_once('('))
                .unwrap_or_else(|| panic!("{call} in {description}"));
            if function == "DISTINCT" {
                continue;
            }
            // "DISTINCT x" of one phase, "distinct$0 x" of two.
            let (distinct, argument) = match argument.split_once(' ') {
                Some((_, argument)) => (true, argument),
                None => (false, argument),
            };
            let arguments = match argument {
                "*" => Vec::new(),
                name => vec![column_of(values, name)],
            };
            calls.push(proto::AggregateCall {
                function: function.trim_end_matches("_RETRACT").to_owned(),
                arguments,
                filter,
                distinct,
                retract: retracts,
                r#type: None,
            });
        }
        // Flink describes the count that it adds in the local phase.
        if self.phase() != Phase::Single && retracts && !self.sql.contains("COUNT(*)") {
            let added = calls.pop().expect("a count");
            assert_eq!(
                (added.function.as_str(), added.arguments.len()),
                ("COUNT", 0)
            );
        }
        proto::GroupAggregate {
            input: Some(row_type(&self.input)),
            output: Some(row_type(&self.output)),
            local_input: global.then(|| row_type(&self.local_input)),
            calls,
            grouping,
            phase: self.phase().into(),
            generate_update_before: true,
            needs_retraction: retracts,
            record_counter: -1,
            mini_batch_size: self.bundle(),
            state_ttl_millis: self.ttl(),
        }
    }
}

fn read(reader: &mut BinaryRowReader, rows: &[Row]) -> Batch {
    let (mut bytes, mut offsets) = (Vec::new(), vec![0]);
    for row in rows {
        bytes.extend(&row.bytes);
        offsets.push(bytes.len() as i32);
    }
    let records = Records::new(&bytes, &offsets).expect("records");
    reader.read(records).expect("rows of Flink")
}

/// Feeds a case in batches of so many rows; what every batch emits, and the state in the end.
fn run(case: &Case, cut: usize) -> Store {
    let plan = case.plan();
    let mut operator = GroupAggregate::new(&case.name, &plan).expect(&case.name);
    let range = KeyGroupRange::new(0, 127, 128).expect("valid");
    let mut store = Store::new(MemoryBudget::new(1 << 26), range, 4096).expect("made");
    for state in operator.states() {
        store
            .register(&state.name, state.kind, None)
            .expect("registered");
    }
    let input = RowType::try_from(plan.input.as_ref()).expect("input");
    let output = RowType::try_from(plan.output.as_ref()).expect("output");
    let mut reader = BinaryRowReader::new(input.clone()).expect("reader");
    let columns: Vec<_> = (0..output.fields().len()).collect();
    let mut writer = BinaryRowWriter::new(&output, &columns).expect("writer");
    // Entries of a view come in the order of a heap map.
    let views = views_of(case, &input);
    let order_of = |rows: &[Vec<u8>]| -> Vec<Vec<u8>> {
        rows.iter().map(|row| without_order(row, &views)).collect()
    };
    let mut bytes_of = |out: Option<Batch>| -> Vec<Vec<u8>> {
        let mut records = RecordBuffer::default();
        if let Some(out) = out {
            writer.write(&out, &mut records).expect("written");
        }
        let record = |i| records.get(i).expect("there").to_vec();
        (0..records.ends.len()).map(record).collect()
    };
    for (number, rows) in case.rows.chunks(cut).enumerate() {
        operator.set_time(rows[0].time);
        let batch = read(&mut reader, rows);
        let out = operator.process(Some(&mut store), 0, batch);
        let emitted = bytes_of(Some(out.expect(&case.name)));
        let expected: Vec<_> = rows.iter().flat_map(|row| row.emitted.clone()).collect();
        compare(
            &order_of(&emitted),
            &order_of(&expected),
            &format!("{}: batch {number} of {cut}", case.name),
        );
    }
    let out = operator.flush(Some(&mut store)).expect(&case.name);
    compare(
        &order_of(&bytes_of(out)),
        &order_of(&case.flushed),
        &format!("{}: flush", case.name),
    );
    store
}

/// The row type of each column that holds views, as the local phase describes them: one map.
fn views_of(case: &Case, values: &RowType) -> Vec<Option<RowType>> {
    let view_of = |field: &proto::Field| {
        if field.r#type.as_ref()?.root() != Root::Varbinary {
            return None;
        }
        let name = &field.name;
        let (before, _) = case.description.split_once(&format!(") AS {name}"))?;
        let (_, column) = before.rsplit_once("DISTINCT(")?;
        let key = values.fields().iter().find(|field| field.name == column)?;
        let calls = case.description.matches(&format!("({name} ")).count();
        let number = Field::new("", DataType::BigInt, true);
        let value = match case.name.contains("retract") && calls > 1 {
            true => Field::new("", DataType::Array(number.into()), true),
            false => number,
        };
        let map = DataType::Map(key.clone().into(), value.into());
        Some(RowType::new(vec![Field::new("map", map, true)]))
    };
    let all: Vec<_> = case.output.iter().map(view_of).collect();
    let views = case.description.matches("DISTINCT(").count();
    let found = all.iter().flatten().count();
    assert!(
        case.phase() != Phase::Local || views == found,
        "{}",
        case.name
    );
    all
}

/// A row with the entries of its views behind it, sorted: Flink gives them in the order of a heap map.
fn without_order(row: &[u8], views: &[Option<RowType>]) -> Vec<u8> {
    let view = RowView::new(row, views.len()).expect("a row");
    let (mut row, mut entries) = (row.to_vec(), Vec::new());
    for (column, row_type) in views.iter().enumerate() {
        let Some(row_type) = row_type else { continue };
        let bytes = view.binary(column).expect("bytes");
        let (length, map) = bytes.split_first_chunk().expect("a length");
        assert_eq!(u32::from_be_bytes(*length) as usize, map.len());
        let mut reader = BinaryRowReader::new(row_type.clone()).expect("reader");
        let records = [0, map.len() as i32];
        let batch = reader.read(Records::new(map, &records).expect("one"));
        let batch = batch.expect("a view of Flink");
        let map = batch.column(0).expect("a map");
        let map = map.as_any().downcast_ref::<ListArray>().expect("a map");
        let map = map.value(0);
        let mut of_view: Vec<_> = (0..map.len())
            .map(|i| format!("{:?}", map.slice(i, 1)))
            .collect();
        of_view.sort();
        entries.extend(of_view);
        let begin = bytes.as_ptr() as usize - view.bytes().as_ptr() as usize;
        row[begin..begin + bytes.len()].fill(0);
    }
    row.extend(entries.iter().flat_map(|entry| entry.bytes()));
    row
}

fn compare(ours: &[Vec<u8>], flink: &[Vec<u8>], place: &str) {
    for (row, (ours, flink)) in ours.iter().zip(flink).enumerate() {
        assert!(
            ours == flink,
            "{place}: row {row}:\n{ours:02x?}\n{flink:02x?}"
        );
    }
    assert_eq!(ours.len(), flink.len(), "{place}");
}

/// State that has not expired.
fn state_of(case: &Case, store: &mut Store) -> BTreeSet<StateRow> {
    let mut all = BTreeSet::new();
    let states = store.states().to_vec();
    for (number, info) in states.iter().enumerate() {
        for group in 0..128 {
            let mut cursor = Some(0);
            while let Some(from) = cursor {
                let found = store.scan_rows(number as i32, group, from, |row| {
                    let (key, user_key) = row.key.split_at(row.prefix_len);
                    all.insert((
                        info.name.clone(),
                        group,
                        key.to_vec(),
                        user_key.to_vec(),
                        row.value.to_vec(),
                    ));
                    true
                });
                cursor = found.expect("scanned");
            }
        }
    }
    all.retain(|row| living(case, row));
    all
}

fn living(case: &Case, (name, _, _, _, value): &StateRow) -> bool {
    let offset = usize::from(name != "accState" && !name.ends_with("null_state"));
    let stamp = value[offset..]
        .first_chunk()
        .map(|b| i64::from_be_bytes(*b));
    let now = case.rows.last().map_or(0, |row| row.time);
    case.ttl() == 0 || stamp.expect("stamped") + case.ttl() > now
}

#[test]
fn rows_and_state_are_those_of_flink() {
    let cases = cases();
    assert!(cases.len() > 50, "{} cases", cases.len());
    for case in &cases {
        assert!(!case.rows.is_empty(), "{}", case.name);
        let mut expected = case.state.clone();
        expected.retain(|row| living(case, row));
        // Time stands still within a batch.
        let cuts: &[usize] = if case.ttl() > 0 { &[1] } else { &[1, 7, 1000] };
        for cut in cuts {
            let mut store = run(case, *cut);
            let found = state_of(case, &mut store);
            let differing: Vec<_> = found.symmetric_difference(&expected).take(4).collect();
            assert!(
                differing.is_empty(),
                "{} in batches of {cut}: {differing:02x?}",
                case.name
            );
        }
    }
}
