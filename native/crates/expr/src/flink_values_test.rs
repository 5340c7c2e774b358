//! Values printed by Flink 2.2.1 (`testdata/FlinkValues.java`), one case a line: what is asked, its arguments, the
//! answer.

use crate::calendar::{self, Unit};
use crate::decimal::{self, Form};
use crate::testing::*;
use crate::zone::Zone;
use crate::{java_number::Text, regexp::Pattern, text};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float64Type, Int8Type, Int32Type, Int64Type,
    Time32MillisecondType,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, Date32Array, Int32Array, Int64Array, Time32MillisecondArray,
    cast::AsArray,
};
use sf_core::{ErrorKind, Result};
use sf_plan::proto::data_type::Root;
use sf_plan::proto::{self, literal::Value};
use std::collections::BTreeMap;
use std::sync::Arc;

fn bytes(hex: &str) -> Vec<u8> {
    let hex = hex.strip_prefix('x').unwrap();
    let pairs = (0..hex.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    format!("x{}", digits.collect::<String>())
}

fn string_of(hex: &str) -> String {
    String::from_utf8(bytes(hex)).unwrap()
}

fn number<T: std::str::FromStr>(text: &str) -> T
where
    T::Err: std::fmt::Debug,
{
    text.parse().unwrap()
}

fn option(value: Option<impl ToString>) -> String {
    value.map_or("null".to_owned(), |value| value.to_string())
}

/// One column of one string.
fn column(value: &[u8]) -> ArrayRef {
    Arc::new(BinaryArray::from_vec(vec![value]))
}

fn written(array: &ArrayRef) -> String {
    let array = array.as_binary::<i32>();
    if array.is_null(0) {
        "null".to_owned()
    } else {
        hex(array.value(0))
    }
}

/// A cast of the string in the first argument.
fn cast_text(argument: &str, to: proto::DataType) -> Result<ArrayRef> {
    let expression = call("CAST", to, [input(0, string())]);
    evaluate(&expression, &[string()], vec![column(&bytes(argument))])
}

fn primitive<T: ArrowPrimitiveType>(array: Result<ArrayRef>) -> String
where
    T::Native: std::fmt::Display,
{
    match array {
        Ok(array) => array.as_primitive::<T>().value(0).to_string(),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::User, "{error}");
            "ERR".to_owned()
        }
    }
}

fn stamp_text(array: Result<ArrayRef>) -> String {
    match array {
        Ok(array) => {
            let column = crate::column::Column::Rows(array);
            let stamp = crate::column::Stamps::new(&column).unwrap().get(0);
            let (millis, nanos) = stamp.unwrap();
            format!("{millis}:{nanos}")
        }
        Err(_) => "ERR".to_owned(),
    }
}

fn stamps(millis: &str, nanos: &str) -> ArrayRef {
    let value = Some((number(millis), number(nanos)));
    let data_type = sf_plan::DataType::Timestamp(9);
    crate::stamp::array(&data_type, [value]).unwrap()
}

fn decimals(kind: &str, x: &[&str]) -> String {
    let (a, sa, b, sb): (i128, i8, i128, i8) =
        (number(x[0]), number(x[1]), number(x[2]), number(x[3]));
    let to = Form {
        precision: number(x[4]),
        scale: number(x[5]),
    };
    if matches!(kind, "divide" | "mod") && b == 0 {
        return "ERR".to_owned();
    }
    match kind {
        "add" => option(decimal::add(a, sa, b, sb, to)),
        "subtract" => option(decimal::subtract(a, sa, b, sb, to)),
        "multiply" => option(decimal::multiply(a, sa, b, sb, to)),
        "divide" => option(decimal::divide(a, sa, b, sb, to)),
        "mod" => match decimal::remainder(a, sa, b, sb, to) {
            Ok(value) => option(value),
            Err(_) => "ERR".to_owned(),
        },
        "compare" => (decimal::compare(a, sa, b, sb) as i8).to_string(),
        "rescale" => option(decimal::rescale(a, sa, to.scale, to.precision)),
        "integral" => decimal::to_i64(a, sa).to_string(),
        "to_double" => format!("{:x}", decimal::to_f64(a, to.precision, sa).to_bits()),
        _ => {
            let mut out = Vec::new();
            decimal::plain(a, sa, &mut out);
            String::from_utf8(out).unwrap()
        }
    }
}

fn time_of(x: &str, to: proto::DataType, from: proto::DataType, array: ArrayRef) -> String {
    let expression = call("CAST", to, [input(0, from.clone())]);
    let result = evaluate(&expression, &[from], vec![array]).unwrap();
    assert!(result.is_valid(0), "{x}");
    written(&result)
}

fn time(kind: &str, x: &[&str]) -> String {
    let precise = |root, precision: &str| proto::DataType {
        precision: number(precision),
        ..ty(root)
    };
    match kind {
        "date_text" => {
            let array = Arc::new(Date32Array::from(vec![number::<i32>(x[0])]));
            time_of(x[0], string(), ty(Root::Date), array)
        }
        "time_text" => {
            let array = Arc::new(Time32MillisecondArray::from(vec![number::<i32>(x[0])]));
            time_of(x[0], string(), precise(Root::Time, x[1]), array)
        }
        "months_text" => {
            let array = Arc::new(Int32Array::from(vec![number::<i32>(x[0])]));
            time_of(x[0], string(), ty(Root::IntervalYearMonth), array)
        }
        "interval_text" => {
            let array = Arc::new(Int64Array::from(vec![number::<i64>(x[0])]));
            time_of(x[0], string(), ty(Root::IntervalDayTime), array)
        }
        "timestamp_text" => {
            // The digits of a column's precision are its own.
            let all = time_of(x[0], string(), timestamp(9), stamps(x[0], x[1]));
            let text = string_of(&all);
            let kept = match number::<usize>(x[2]) {
                0 => text.len() - 10,
                precision => text.len() - 9 + precision,
            };
            hex(&text.as_bytes()[..kept])
        }
        "add_months" => calendar::add_months(number(x[0]), number(x[1])).to_string(),
        "extract" => {
            let unit = literal(string(), Value::Bytes(x[0].as_bytes().to_vec()));
            let expression = call("EXTRACT", ty(Root::Bigint), [unit, input(0, timestamp(9))]);
            let result = evaluate(&expression, &[timestamp(9)], vec![stamps(x[1], "0")]);
            primitive::<Int64Type>(result)
        }
        "floor" | "ceil" => {
            let unit = match x[0] {
                "86400000" => "DAY",
                "3600000" => "HOUR",
                "60000" => "MINUTE",
                "1000" => "SECOND",
                name => name,
            };
            assert!(Unit::of(unit).is_some(), "{unit}");
            let operands = [input(0, timestamp(9)), text(unit)];
            let expression = call(&kind.to_uppercase(), timestamp(9), operands);
            let result = evaluate(&expression, &[timestamp(9)], vec![stamps(x[1], "0")]);
            stamp_text(result).trim_end_matches(":0").to_owned()
        }
        "truncate" => {
            let precision: i32 = number(x[2]);
            let micros = number::<i32>(x[1]) / 1000 * 1000;
            if micros.to_string() != x[1] && precision <= 6 {
                // Such casts are refused.
                let expression = call("CAST", timestamp(precision), [input(0, timestamp(9))]);
                refusal(&expression, &[timestamp(9)]);
                return "refused".to_owned();
            }
            let expression = call("CAST", timestamp(precision), [input(0, timestamp(6))]);
            let data_type = sf_plan::DataType::Timestamp(6);
            let value = Some((number(x[0]), number(x[1])));
            let array = crate::stamp::array(&data_type, [value]).unwrap();
            stamp_text(evaluate(&expression, &[timestamp(6)], vec![array]))
        }
        _ => {
            let format = literal(string(), Value::Bytes(bytes(x[0])));
            let expression = call("DATE_FORMAT", string(), [input(0, timestamp(9)), format]);
            written(&evaluate(&expression, &[timestamp(9)], vec![stamps(x[1], x[2])]).unwrap())
        }
    }
}

fn from_text(kind: &str, x: &[&str]) -> String {
    match kind {
        "text_decimal" => {
            let to = decimal(number(x[1]), number(x[2]));
            primitive::<Decimal128Type>(cast_text(x[0], to))
        }
        "text_long" => primitive::<Int64Type>(cast_text(x[0], ty(Root::Bigint))),
        "text_int" => primitive::<Int32Type>(cast_text(x[0], ty(Root::Integer))),
        "text_byte" => primitive::<Int8Type>(cast_text(x[0], ty(Root::Tinyint))),
        "text_double" => match cast_text(x[0], ty(Root::Double)) {
            Ok(array) => format!(
                "{:x}",
                array.as_primitive::<Float64Type>().value(0).to_bits()
            ),
            Err(_) => "ERR".to_owned(),
        },
        "text_boolean" => match cast_text(x[0], ty(Root::Boolean)) {
            Ok(array) => array.as_boolean().value(0).to_string(),
            Err(_) => "ERR".to_owned(),
        },
        "text_date" => primitive::<Date32Type>(cast_text(x[0], ty(Root::Date))),
        "text_time" => {
            let to = proto::DataType {
                precision: number(x[1]),
                ..ty(Root::Time)
            };
            primitive::<Time32MillisecondType>(cast_text(x[0], to))
        }
        _ => stamp_text(cast_text(x[0], timestamp(number(x[1])))),
    }
}

fn of_text(kind: &str, x: &[&str]) -> String {
    let constant = |hex: &str| literal(string(), Value::Bytes(bytes(hex)));
    let a = || input(0, string());
    let evaluate_text = |expression: &proto::Expression, argument: &str| {
        evaluate(expression, &[string()], vec![column(&bytes(argument))]).unwrap()
    };
    match kind {
        "decode" => hex(text::java(&bytes(x[0])).as_bytes()),
        "lower" | "upper" => {
            let expression = call(&kind.to_uppercase(), string(), [a()]);
            written(&evaluate_text(&expression, x[0]))
        }
        "substring" => {
            let operands = [a(), int(number(x[1])), int(number(x[2]))];
            written(&evaluate_text(&call("SUBSTRING", string(), operands), x[0]))
        }
        "length" => {
            let expression = call("CHAR_LENGTH", ty(Root::Integer), [a()]);
            primitive::<Int32Type>(Ok(evaluate_text(&expression, x[0])))
        }
        "position" => {
            let operands = [constant(x[0]), a(), int(number(x[2]))];
            let expression = call("POSITION", ty(Root::Integer), operands);
            primitive::<Int32Type>(Ok(evaluate_text(&expression, x[1])))
        }
        "trim" => {
            let expression = call("TRIM", string(), [text("BOTH"), constant(x[1]), a()]);
            written(&evaluate_text(&expression, x[0]))
        }
        "split" => {
            let operands = [a(), constant(x[1]), int(number(x[2]))];
            written(&evaluate_text(
                &call("SPLIT_INDEX", string(), operands),
                x[0],
            ))
        }
        "replace" => {
            let operands = [a(), constant(x[1]), text("xy")];
            written(&evaluate_text(&call("REPLACE", string(), operands), x[0]))
        }
        _ => {
            let expression = call("LIKE", ty(Root::Boolean), [a(), constant(x[1])]);
            evaluate_text(&expression, x[0])
                .as_boolean()
                .value(0)
                .to_string()
        }
    }
}

fn answer(kind: &str, x: &[&str]) -> String {
    match kind {
        "double" | "float" => {
            let mut out = Vec::new();
            if kind == "double" {
                f64::from_bits(u64::from_str_radix(x[0], 16).unwrap()).write(&mut out);
            } else {
                f32::from_bits(u32::from_str_radix(x[0], 16).unwrap()).write(&mut out);
            }
            String::from_utf8(out).unwrap()
        }
        "from_double" => {
            let value = f64::from_bits(u64::from_str_radix(x[0], 16).unwrap());
            let array: ArrayRef = Arc::new(arrow_array::Float64Array::from(vec![value]));
            let to = decimal(number(x[1]), number(x[2]));
            let expression = call("CAST", to, [input(0, ty(Root::Double))]);
            let result = evaluate(&expression, &[ty(Root::Double)], vec![array]).unwrap();
            let value = result.as_primitive::<Decimal128Type>();
            option(value.is_valid(0).then(|| value.value(0)))
        }
        "local" | "instant" => {
            let zone = Zone::new(x[0]).unwrap();
            zone.check().unwrap();
            let millis = number(x[1]);
            let found = if kind == "local" {
                zone.local(millis, 0)
            } else {
                zone.instant(millis, 0)
            };
            found.unwrap().to_string()
        }
        "regexp" => {
            let pattern = Pattern::new(&string_of(x[0])).expect("a pattern of the safe kind");
            let subject = string_of(x[1]);
            let mut locations = pattern.locations();
            let group = pattern.group(&subject, number(x[2]), &mut locations);
            group.map_or("null".to_owned(), |found| hex(found.as_bytes()))
        }
        "add" | "subtract" | "multiply" | "divide" | "mod" | "compare" | "rescale" | "integral"
        | "to_double" | "plain" => decimals(kind, x),
        "decode" | "lower" | "upper" | "substring" | "length" | "position" | "trim" | "split"
        | "replace" | "like" => of_text(kind, x),
        _ if kind.starts_with("text_") => from_text(kind, x),
        _ => time(kind, x),
    }
}

#[test]
fn values_are_those_of_flink() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for line in include_str!("../testdata/flink_values.txt").lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [kind, arguments @ .., expected] = fields.as_slice() else {
            panic!("{line}");
        };
        let found = answer(kind, arguments);
        if found != *expected && found != "refused" {
            wrong.push(format!("{line} but {found}"));
        }
        *counts.entry(kind).or_default() += 1;
    }
    println!("{counts:?}");
    assert!(counts.values().sum::<usize>() > 10_000);
    let shown = wrong
        .iter()
        .take(60)
        .cloned()
        .collect::<Vec<_>>()
        .join("\n");
    assert!(wrong.is_empty(), "{} wrong:\n{shown}", wrong.len());
}
