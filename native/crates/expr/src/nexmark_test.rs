//! The expressions of the Nexmark queries that are to run natively, as Flink plans them.

use crate::Program;
use crate::testing::*;
use arrow_array::types::{Decimal128Type, Int32Type, Int64Type, TimestampMillisecondType};
use arrow_array::{
    Array, ArrayRef, Int32Array, Int64Array, StructArray, TimestampMillisecondArray, cast::AsArray,
};
use arrow_buffer::NullBuffer;
use sf_batch::{Batch, arrow_fields};
use sf_plan::proto::data_type::Root;
use sf_plan::proto::search::NullAs;
use sf_plan::proto::{self, literal::Value};
use sf_plan::{DataType, Field, RowType};
use std::sync::Arc;

fn bigint_type() -> proto::DataType {
    ty(Root::Bigint)
}

fn boolean() -> proto::DataType {
    ty(Root::Boolean)
}

fn person() -> proto::DataType {
    row(&[("id", bigint_type()), ("dateTime", timestamp(3))])
}

fn bid() -> proto::DataType {
    row(&[
        ("auction", bigint_type()),
        ("price", bigint_type()),
        ("channel", string()),
        ("url", string()),
        ("dateTime", timestamp(3)),
    ])
}

/// event_type, person, auction (as person here) and bid.
fn types() -> [proto::DataType; 4] {
    [ty(Root::Integer), person(), person(), bid()]
}

fn input_type() -> RowType {
    let names = ["event_type", "person", "auction", "bid"];
    let types = types();
    let fields = types
        .iter()
        .zip(names)
        .map(|(data_type, name)| Field::new(name, DataType::from_proto(data_type).unwrap(), true));
    RowType::new(fields.collect::<Vec<_>>())
}

fn of_bid(index: i32) -> proto::Expression {
    let data_type = bid().children[index as usize].r#type.clone().unwrap();
    field(input(3, bid()), index, data_type)
}

fn event(of: i64) -> proto::Expression {
    call("=", boolean(), [input(0, ty(Root::Integer)), int(of)])
}

/// The rowtime column of every query, as TIMESTAMP(3).
fn rowtime() -> proto::Expression {
    let time = |index| field(input(index, person()), 1, timestamp(3));
    let case = call(
        "CASE",
        timestamp(3),
        [event(0), time(1), event(1), time(2), of_bid(4)],
    );
    let mark = call("REINTERPRET", timestamp(3), [case]);
    call("CAST", timestamp(3), [mark])
}

fn constant(of: &str) -> proto::Expression {
    literal(
        character(of.len() as i32),
        Value::Bytes(of.as_bytes().to_vec()),
    )
}

fn structure(data_type: &proto::DataType, columns: Vec<ArrayRef>, valid: &[bool]) -> ArrayRef {
    let DataType::Row(row) = DataType::from_proto(data_type).unwrap() else {
        panic!("a row");
    };
    let nulls = Some(NullBuffer::from(valid.to_vec()));
    Arc::new(StructArray::new(arrow_fields(row.fields()), columns, nulls))
}

fn times(values: [i64; 5]) -> ArrayRef {
    Arc::new(TimestampMillisecondArray::from(values.to_vec()))
}

const URL: &str = "https://www.nexmark.com/a/bc/item.htm?query=1&channel_id=77";

/// A person, an auction and three bids.
fn batch() -> Batch {
    let bids = [false, false, true, true, true];
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3, 4, 5]));
    let columns = vec![
        Arc::new(Int32Array::from(vec![0, 1, 2, 2, 2])) as ArrayRef,
        structure(
            &person(),
            vec![ids.clone(), times([1_000, 0, 0, 0, 0])],
            &[true, false, false, false, false],
        ),
        structure(
            &person(),
            vec![ids, times([0, 2_000, 0, 0, 0])],
            &[false, true, false, false, false],
        ),
        structure(
            &bid(),
            vec![
                Arc::new(Int64Array::from(vec![0, 0, 123, 124, 246])),
                Arc::new(Int64Array::from(vec![0, 0, 9_999, 10_000, 2_000_000])),
                strings(&[None, None, Some("Google"), Some("channel-7"), Some("BAIDU")]),
                strings(&[None, None, Some(URL), Some(URL), Some("https://a/b")]),
                times([
                    0,
                    0,
                    1_580_000_000_000,
                    1_580_030_000_000,
                    1_580_083_199_000,
                ]),
            ],
            &bids,
        ),
    ];
    Batch::new(5, columns, None).unwrap()
}

/// Columns of a Calc with this condition.
fn calc(condition: proto::Expression, projection: &[proto::Expression]) -> Vec<ArrayRef> {
    let expressions = std::iter::once(&condition).chain(projection);
    let program = Program::compile(expressions, &input_type(), &session("UTC")).unwrap();
    let batch = batch();
    let keep = program.frame(&batch, None).condition(0).unwrap();
    let mut frame = program.frame(&batch, Some(keep));
    let columns = (1..=projection.len()).map(|index| frame.evaluate(index, None));
    columns.collect::<Result<_, _>>().unwrap()
}

fn bigints(array: &ArrayRef) -> Vec<i64> {
    array.as_primitive::<Int64Type>().values().to_vec()
}

#[test]
fn q0_and_q10_rowtime_and_formats() {
    let program = Program::compile([&rowtime()], &input_type(), &session("UTC")).unwrap();
    let all = batch();
    let all = program.frame(&all, None).evaluate(0, None).unwrap();
    let all = all.as_primitive::<TimestampMillisecondType>();
    let expected = [
        1_000,
        2_000,
        1_580_000_000_000,
        1_580_030_000_000,
        1_580_083_199_000,
    ];
    assert_eq!(all.values(), &expected);

    let format = |of: &str| call("DATE_FORMAT", string(), [rowtime(), constant(of)]);
    let columns = calc(event(2), &[format("yyyy-MM-dd"), format("HH:mm")]);
    let expected = |texts: [&str; 3]| texts.map(|text| Some(text.to_owned())).to_vec();
    assert_eq!(
        texts(&columns[0]),
        expected(["2020-01-26", "2020-01-26", "2020-01-26"])
    );
    assert_eq!(texts(&columns[1]), expected(["00:53", "09:13", "23:59"]));
}

fn price_in_euro() -> proto::Expression {
    let rate = literal(decimal(4, 3), Value::Decimal(vec![0x03, 0x8c]));
    call("*", decimal(24, 3), [rate, of_bid(1)])
}

#[test]
fn q1_currency() {
    let price = call("CAST", decimal(23, 3), [price_in_euro()]);
    let columns = calc(event(2), &[of_bid(0), price]);
    assert_eq!(bigints(&columns[0]), [123, 124, 246]);
    let prices = columns[1].as_primitive::<Decimal128Type>();
    assert_eq!(
        prices.values(),
        &[9_999 * 908, 10_000 * 908, 2_000_000 * 908]
    );
}

#[test]
fn q2_selection() {
    let rest = call("MOD", ty(Root::Integer), [of_bid(0), int(123)]);
    let zero = call("=", boolean(), [rest, int(0)]);
    let columns = calc(
        call("AND", boolean(), [event(2), zero]),
        &[of_bid(0), of_bid(1)],
    );
    assert_eq!(bigints(&columns[0]), [123, 246]);
    assert_eq!(bigints(&columns[1]), [9_999, 2_000_000]);
}

#[test]
fn q14_calculation() {
    let hour = || call("EXTRACT", bigint_type(), [constant("HOUR"), rowtime()]);
    let between = |function, operands| call(function, boolean(), operands);
    let word = |of: &str| literal(varchar(9), Value::Bytes(of.as_bytes().to_vec()));
    let day = between(
        "AND",
        [
            between(">=", [hour(), int(8)]),
            between("<=", [hour(), int(18)]),
        ],
    );
    let night = between(
        "OR",
        [
            between("<=", [hour(), int(6)]),
            between(">=", [hour(), int(20)]),
        ],
    );
    let case = call(
        "CASE",
        varchar(9),
        [
            day,
            word("dayTime"),
            night,
            word("nightTime"),
            word("otherTime"),
        ],
    );
    let kind = call("CAST", string(), [case]);
    let condition = call(
        "AND",
        boolean(),
        [
            event(2),
            between(">", [price_in_euro(), int(1_000)]),
            between("<", [price_in_euro(), int(50_000_000)]),
        ],
    );
    let columns = calc(condition, &[kind]);
    let expected = ["nightTime", "dayTime", "nightTime"].map(|text| Some(text.to_owned()));
    assert_eq!(texts(&columns[0]), expected);

    let operands = [of_bid(2), constant("c")];
    let count = call("UDF", bigint_type(), operands);
    let error = Program::compile([&count], &input_type(), &session("UTC")).unwrap_err();
    assert_eq!(error.message(), "a user's function");
}

#[test]
fn q15_to_q17_filters() {
    let is_true = |expression| call("IS TRUE", boolean(), [expression]);
    let middle = proto::Range {
        lower: Some(value(Value::Integer(10_000))),
        upper: Some(value(Value::Integer(1_000_000))),
        upper_open: true,
        ..Default::default()
    };
    let middle = search(of_bid(1), ty(Root::Integer), vec![middle], NullAs::Null);
    let columns = calc(
        event(2),
        &[
            is_true(call("<", boolean(), [of_bid(1), int(10_000)])),
            is_true(middle),
            is_true(call(">=", boolean(), [of_bid(1), int(1_000_000)])),
        ],
    );
    let flags = columns.iter().map(|column| {
        let column = column.as_boolean();
        assert_eq!(column.null_count(), 0);
        column.values().iter().collect::<Vec<_>>()
    });
    let expected = [
        vec![true, false, false],
        vec![false, true, false],
        vec![false, false, true],
    ];
    assert_eq!(flags.collect::<Vec<_>>(), expected);
}

#[test]
fn q21_channel_ids() {
    let lower = || call("LOWER", string(), [of_bid(2)]);
    let operands = [of_bid(3), constant("(&|^)channel_id=([^&]*)"), int(2)];
    let id = || call("REGEXP_EXTRACT", string(), operands.clone());
    let names = ["apple", "baidu", "facebook", "google"];
    let points = names.map(|name| point(Value::Bytes(name.into()))).to_vec();
    let known = search(lower(), varchar(8), points, NullAs::Null);
    let found = call("IS NOT NULL", boolean(), [id()]);
    let either = call("OR", boolean(), [found, known]);
    let mut operands = Vec::new();
    for (number, name) in ["apple", "google", "facebook", "baidu"]
        .into_iter()
        .enumerate()
    {
        operands.push(call("=", boolean(), [lower(), text(name)]));
        operands.push(text(&number.to_string()));
    }
    operands.push(id());
    let channel = call("CASE", string(), operands);
    let columns = calc(call("AND", boolean(), [event(2), either]), &[channel]);
    let expected = ["1", "77", "3"].map(|text| Some(text.to_owned()));
    assert_eq!(texts(&columns[0]), expected);
}

#[test]
fn q22_directories() {
    let part = |index| {
        call(
            "SPLIT_INDEX",
            string(),
            [of_bid(3), constant("/"), int(index)],
        )
    };
    let columns = calc(event(2), &[part(3), part(4), part(5)]);
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(texts(&columns[0]), [some("a"), some("a"), some("b")]);
    assert_eq!(texts(&columns[1]), [some("bc"), some("bc"), None]);
    assert_eq!(texts(&columns[2])[2], None);
    assert_eq!(columns[2].null_count(), 1);
    let event_type = calc(event(2), &[input(0, ty(Root::Integer))]);
    assert_eq!(
        event_type[0].as_primitive::<Int32Type>().values(),
        &[2, 2, 2]
    );
}
