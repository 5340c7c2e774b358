//! The operator against a model that keeps all rows and computes every result anew.

use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array};
use proptest::prelude::*;
use sf_batch::{Batch, RowKind};
use sf_core::{KeyGroupRange, MemoryBudget};
use sf_operators::{GroupAggregate, Operator};
use sf_plan::proto::{self, data_type::Root, group_aggregate::Phase};
use sf_store::Store;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Key, argument and filter of a row.
type Input = (i64, Option<i64>, Option<bool>);
/// Kind, key and results of a row.
type Output = (RowKind, i64, Vec<Option<i64>>);

fn data_type(root: Root) -> proto::DataType {
    let mut data_type = proto::DataType {
        nullable: true,
        ..proto::DataType::default()
    };
    data_type.set_root(root);
    data_type
}

fn row(fields: &[Root]) -> Option<proto::DataType> {
    let field = |root: &Root| proto::Field {
        name: String::new(),
        r#type: Some(data_type(*root)),
    };
    let mut row = data_type(Root::Row);
    row.children = fields.iter().map(field).collect();
    Some(row)
}

/// Function, whether it has an argument, whether it has a filter, whether it is distinct.
const RETRACTABLE: &[(&str, bool, bool, bool)] = &[
    ("COUNT", true, false, false),
    ("SUM", true, false, false),
    ("AVG", true, true, false),
    ("$SUM0", true, false, false),
    ("COUNT", true, false, true),
    ("SUM", true, true, true),
    ("MIN", true, false, false),
    ("MAX", true, true, false),
];
const APPENDED: &[(&str, bool, bool, bool)] = &[
    ("MIN", true, false, false),
    ("MAX", true, true, false),
    ("COUNT", false, true, false),
    ("SUM", true, false, false),
    ("COUNT", true, true, true),
    ("AVG", true, false, true),
];

fn plan(calls: &[(&str, bool, bool, bool)], retracts: bool, bundle: i64) -> proto::GroupAggregate {
    let call =
        |(function, argument, filter, distinct): &(&str, bool, bool, bool)| proto::AggregateCall {
            function: (*function).to_owned(),
            arguments: if *argument { vec![1] } else { vec![] },
            filter: if *filter { 2 } else { -1 },
            distinct: *distinct,
            retract: retracts,
            r#type: None,
        };
    let mut output = vec![Root::Bigint];
    output.extend(calls.iter().map(|_| Root::Bigint));
    proto::GroupAggregate {
        input: row(&[Root::Bigint, Root::Bigint, Root::Boolean]),
        output: row(&output),
        grouping: vec![0],
        calls: calls.iter().map(call).collect(),
        phase: Phase::Single.into(),
        generate_update_before: true,
        needs_retraction: retracts,
        record_counter: -1,
        mini_batch_size: bundle,
        ..proto::GroupAggregate::default()
    }
}

/// All results of a group, from all its rows.
fn results(calls: &[(&str, bool, bool, bool)], rows: &[Input]) -> Vec<Option<i64>> {
    let result = |(function, argument, filter, distinct): &(&str, bool, bool, bool)| {
        let passing = rows.iter().filter(|row| !filter || row.2 == Some(true));
        if !argument {
            return Some(passing.count() as i64);
        }
        let mut values: Vec<_> = passing.filter_map(|row| row.1).collect();
        if *distinct {
            values = values
                .into_iter()
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect();
        }
        let (sum, count) = (values.iter().sum::<i64>(), values.len() as i64);
        match *function {
            "COUNT" => Some(count),
            "$SUM0" => Some(sum),
            "SUM" => (count > 0).then_some(sum),
            "AVG" => (count > 0).then(|| sum / count),
            "MIN" => values.iter().min().copied(),
            "MAX" => values.iter().max().copied(),
            other => panic!("{other}"),
        }
    };
    calls.iter().map(result).collect()
}

/// What one change emits.
fn change(
    calls: &[(&str, bool, bool, bool)],
    groups: &mut BTreeMap<i64, Vec<Input>>,
    input: Input,
    adds: bool,
) -> Vec<Output> {
    let key = input.0;
    let rows = groups.entry(key).or_default();
    let before = results(calls, rows);
    let first = rows.is_empty();
    match adds {
        true => rows.push(input),
        false => {
            let at = rows
                .iter()
                .position(|row| *row == input)
                .expect("it is there");
            rows.remove(at);
        }
    }
    let after = results(calls, rows);
    match (first, rows.is_empty()) {
        (true, _) => vec![(RowKind::Insert, key, after)],
        (_, true) => {
            groups.remove(&key);
            vec![(RowKind::Delete, key, before)]
        }
        _ if before == after => vec![],
        _ => vec![
            (RowKind::UpdateBefore, key, before),
            (RowKind::UpdateAfter, key, after),
        ],
    }
}

fn batch(rows: &[(Input, RowKind)]) -> Batch {
    let key: ArrayRef = Arc::new(rows.iter().map(|row| Some(row.0.0)).collect::<Int64Array>());
    let value: ArrayRef = Arc::new(rows.iter().map(|row| row.0.1).collect::<Int64Array>());
    let filter: ArrayRef = Arc::new(rows.iter().map(|row| row.0.2).collect::<BooleanArray>());
    let kinds: Vec<_> = rows.iter().map(|row| row.1 as i8).collect();
    Batch::new(rows.len(), vec![key, value, filter], Some(kinds.into())).expect("made")
}

fn rows_of(batch: &Batch) -> Vec<Output> {
    let columns: Vec<_> = batch
        .columns()
        .iter()
        .map(|column| {
            let column = column.as_any().downcast_ref::<Int64Array>();
            column.expect("BIGINT")
        })
        .collect();
    let value = |column: &Int64Array, row: usize| column.is_valid(row).then(|| column.value(row));
    (0..batch.rows())
        .map(|row| {
            let results = columns[1..]
                .iter()
                .map(|column| value(column, row))
                .collect();
            (
                batch.kind(row).expect("kind"),
                columns[0].value(row),
                results,
            )
        })
        .collect()
}

fn made(message: &proto::GroupAggregate) -> (GroupAggregate, Store) {
    let operator = GroupAggregate::new("the aggregate", message).expect("supported");
    let range = KeyGroupRange::new(0, 15, 16).expect("valid");
    let mut store = Store::new(MemoryBudget::new(1 << 24), range, 4096).expect("made");
    for state in operator.states() {
        store
            .register(&state.name, state.kind, None)
            .expect("registered");
    }
    (operator, store)
}

fn inputs() -> impl Strategy<Value = Vec<Input>> {
    let input = (
        0..4_i64,
        proptest::option::weighted(0.8, -3..4_i64),
        proptest::option::weighted(0.8, any::<bool>()),
    );
    proptest::collection::vec(input, 0..80)
}

/// Lengths of batches, used round and round.
fn cuts() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(1..20_usize, 1..5)
}

fn cut<'a, T>(rows: &'a [T], cuts: &[usize]) -> Vec<&'a [T]> {
    let mut rest = rows;
    let mut all = Vec::new();
    for length in cuts.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (some, behind) = rest.split_at((*length).min(rest.len()));
        all.push(some);
        rest = behind;
    }
    all
}

proptest! {
    #[test]
    fn rows_come_and_go(inputs in inputs(), picks in proptest::collection::vec(any::<u32>(), 80), cuts in cuts()) {
        let (mut operator, mut store) = made(&plan(RETRACTABLE, true, 0));
        let (mut groups, mut there) = (BTreeMap::new(), Vec::new());
        let (mut changes, mut expected) = (Vec::new(), Vec::new());
        for (input, pick) in inputs.iter().zip(&picks) {
            if pick % 2 == 0 && !there.is_empty() {
                let old = there.remove(*pick as usize / 2 % there.len());
                let kind = if pick % 3 == 0 { RowKind::Delete } else { RowKind::UpdateBefore };
                changes.push((old, kind));
                expected.extend(change(RETRACTABLE, &mut groups, old, false));
            } else {
                let kind = if pick % 3 == 0 { RowKind::Insert } else { RowKind::UpdateAfter };
                there.push(*input);
                changes.push((*input, kind));
                expected.extend(change(RETRACTABLE, &mut groups, *input, true));
            }
        }
        let mut emitted = Vec::new();
        for rows in cut(&changes, &cuts) {
            let out = operator.process(Some(&mut store), 0, batch(rows)).expect("processed");
            emitted.extend(rows_of(&out));
        }
        prop_assert_eq!(emitted, expected);
        // Maps of MIN and MAX; one view, its map and that of NULL; then the accumulators. Nothing is left of groups that are gone.
        let with = |null: bool| groups.values().map(|rows| {
            rows.iter().map(|row| row.1).filter(|value| value.is_none() == null).collect::<BTreeSet<_>>().len() as u64
        }).sum::<u64>();
        prop_assert_eq!(store.rows(2), Ok(with(false)));
        prop_assert_eq!(store.rows(3), Ok(with(true)));
        prop_assert_eq!(store.rows(0), Ok(with(false)));
        prop_assert_eq!(store.rows(4), Ok(groups.len() as u64));
    }

    #[test]
    fn rows_only_come(inputs in inputs(), cuts in cuts()) {
        let (mut operator, mut store) = made(&plan(APPENDED, false, 0));
        let mut groups = BTreeMap::new();
        let expected: Vec<_> = inputs.iter()
            .flat_map(|input| change(APPENDED, &mut groups, *input, true))
            .collect();
        let rows: Vec<_> = inputs.iter().map(|input| (*input, RowKind::Insert)).collect();
        let mut emitted = Vec::new();
        for rows in cut(&rows, &cuts) {
            let out = operator.process(Some(&mut store), 0, batch(rows)).expect("processed");
            emitted.extend(rows_of(&out));
        }
        prop_assert_eq!(emitted, expected);
    }

    #[test]
    fn bundles_emit_each_key_once(inputs in inputs(), cuts in cuts(), bundle in 1..12_i64) {
        let (mut operator, mut store) = made(&plan(APPENDED, false, bundle));
        let mut groups: BTreeMap<i64, Vec<Input>> = BTreeMap::new();
        let mut expected: Vec<Vec<Output>> = Vec::new();
        for rows in inputs.chunks(bundle as usize) {
            let mut of_bundle = Vec::new();
            for key in rows.iter().map(|row| row.0).collect::<BTreeSet<_>>() {
                let all = groups.entry(key).or_default();
                let (first, before) = (all.is_empty(), results(APPENDED, all));
                all.extend(rows.iter().filter(|row| row.0 == key));
                let after = results(APPENDED, all);
                if first {
                    of_bundle.push((RowKind::Insert, key, after));
                } else if before != after {
                    of_bundle.push((RowKind::UpdateBefore, key, before));
                    of_bundle.push((RowKind::UpdateAfter, key, after));
                }
            }
            expected.push(of_bundle);
        }
        let rows: Vec<_> = inputs.iter().map(|input| (*input, RowKind::Insert)).collect();
        let mut emitted = Vec::new();
        for rows in cut(&rows, &cuts) {
            let out = operator.process(Some(&mut store), 0, batch(rows)).expect("processed");
            emitted.extend(rows_of(&out));
        }
        if let Some(out) = operator.flush(Some(&mut store)).expect("flushed") {
            emitted.extend(rows_of(&out));
        }
        prop_assert_eq!(operator.flush(Some(&mut store)).expect("flushed").map(|b| b.rows()), None);
        // Keys of a bundle come in the order of Java's map, which another test pins.
        let mut from = 0;
        for mut of_bundle in expected {
            let mut some = emitted[from..from + of_bundle.len()].to_vec();
            from += of_bundle.len();
            some.sort_by_key(|row| row.1);
            of_bundle.sort_by_key(|row| row.1);
            prop_assert_eq!(some, of_bundle);
        }
        prop_assert_eq!(from, emitted.len());
    }
}

#[test]
fn a_retraction_of_nothing_is_ignored() {
    let input = (1, Some(5), None);
    let kinds = [
        RowKind::Delete,
        RowKind::UpdateBefore,
        RowKind::Insert,
        RowKind::Delete,
    ];
    let changes: Vec<_> = kinds.iter().map(|kind| (input, *kind)).collect();
    let results = results(RETRACTABLE, &[input]);
    let expected = vec![
        (RowKind::Insert, 1, results.clone()),
        (RowKind::Delete, 1, results),
    ];
    for length in 1..=4 {
        let (mut operator, mut store) = made(&plan(RETRACTABLE, true, 0));
        let mut emitted = Vec::new();
        for rows in changes.chunks(length) {
            let out = operator.process(Some(&mut store), 0, batch(rows));
            emitted.extend(rows_of(&out.expect("processed")));
        }
        assert_eq!(emitted, expected, "batches of {length}");
        assert_eq!(store.rows(4), Ok(0));
    }
}

#[test]
fn errors_name_operator_and_row() {
    let (mut operator, mut store) = made(&plan(APPENDED, false, 0));
    let rows = [
        ((1, None, None), RowKind::Insert),
        ((2, None, None), RowKind::Delete),
    ];
    let error = operator
        .process(Some(&mut store), 0, batch(&rows))
        .expect_err("it retracts");
    assert!(
        error.message().starts_with("the aggregate: row 1 retracts"),
        "{error}"
    );

    let error = operator
        .process(None, 0, batch(&rows[..1]))
        .expect_err("no store");
    assert!(error.message().contains("was given no store"), "{error}");

    let (mut operator, _) = made(&plan(APPENDED, false, 0));
    let range = KeyGroupRange::new(0, 15, 16).expect("valid");
    let mut other = Store::new(MemoryBudget::new(1 << 24), range, 4096).expect("made");
    let error = operator
        .process(Some(&mut other), 0, batch(&rows[..1]))
        .expect_err("not registered");
    assert!(
        error
            .message()
            .contains("state 'distinctAcc_0' is not registered"),
        "{error}"
    );
}

#[test]
fn state_that_is_no_accumulator_is_an_error() {
    let (mut operator, mut store) = made(&plan(&APPENDED[..1], false, 0));
    let rows = [((1, Some(5), None), RowKind::Insert)];
    operator
        .process(Some(&mut store), 0, batch(&rows))
        .expect("processed");
    let mut keys = Vec::new();
    for group in 0..16 {
        store
            .scan_rows(0, group, 0, |row| {
                keys.push((group, row.key.to_vec()));
                true
            })
            .expect("scanned");
    }
    let [(group, key)] = &keys[..] else {
        panic!("{keys:?}")
    };
    while store.value_put(0, *group, key, b"short").expect("put") == sf_store::Door::NeedsReserve {
        store.reserve().expect("memory");
    }
    let error = operator
        .process(Some(&mut store), 0, batch(&rows))
        .expect_err("corrupt");
    assert_eq!(error.kind(), sf_core::ErrorKind::Corrupt);
    assert!(
        error
            .message()
            .starts_with("the aggregate: row 0: state of its key"),
        "{error}"
    );
}

#[test]
fn what_is_not_native_has_a_reason() {
    let reason = |change: &dyn Fn(&mut proto::GroupAggregate)| {
        let mut message = plan(RETRACTABLE, true, 0);
        change(&mut message);
        let error = GroupAggregate::new("", &message).expect_err("unsupported");
        assert_eq!(error.kind(), sf_core::ErrorKind::Unsupported, "{error}");
        error.message().to_owned()
    };
    let function = |name: &'static str| {
        move |message: &mut proto::GroupAggregate| message.calls[0].function = name.to_owned()
    };
    assert_eq!(reason(&function("LISTAGG")), "aggregate function LISTAGG");
    assert_eq!(
        reason(&|message| {
            message.calls[0].function = "MIN".to_owned();
            message.input = row(&[Root::Bigint, Root::Varchar, Root::Boolean]);
        }),
        "aggregate function MIN of VARCHAR over input that retracts"
    );
    assert_eq!(
        reason(&|message| message.mini_batch_size = 5),
        "mini-batch in one phase over input that retracts"
    );
    assert_eq!(
        reason(&|message| message.set_phase(Phase::Incremental)),
        "an incremental aggregate (of split DISTINCT)"
    );
    assert_eq!(
        reason(&|message| message.calls[4].arguments = vec![1, 0]),
        "COUNT(DISTINCT) of several columns"
    );
    assert_eq!(
        reason(&|message| message.calls[1].arguments = vec![2]),
        "aggregate function SUM of BOOLEAN"
    );
    assert_eq!(
        reason(&|message| {
            let double = row(&[Root::Bigint, Root::Double, Root::Boolean]);
            (message.mini_batch_size, message.input) = (5, double);
            message.set_phase(Phase::Local);
        }),
        "SUM(DISTINCT) of DOUBLE in two phases"
    );
    assert_eq!(
        reason(&|message| {
            message.needs_retraction = false;
            message.calls = vec![message.calls[4].clone(); 65];
        }),
        "more than 64 DISTINCT aggregates of one column"
    );
}
