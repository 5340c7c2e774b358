use crate::testing::*;
use arrow_array::types::{
    Decimal128Type, Float32Type, Int8Type, Int32Type, Int64Type, TimestampMillisecondType,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, Float64Array, Int64Array,
    TimestampMillisecondArray, cast::AsArray,
};
use sf_core::ErrorKind;
use sf_plan::proto::{self, data_type::Root};
use std::sync::Arc;

fn cast(
    function: &str,
    from: proto::DataType,
    to: proto::DataType,
    array: ArrayRef,
) -> sf_core::Result<ArrayRef> {
    let expression = call(function, to, [input(0, from.clone())]);
    evaluate(&expression, &[from], vec![array])
}

fn some(values: &[&str]) -> Vec<Option<String>> {
    values
        .iter()
        .map(|value| Some((*value).to_owned()))
        .collect()
}

#[test]
fn strings_are_cut_and_padded_by_characters() {
    let column = strings(&[Some("äbc"), Some("ä"), Some("")]);
    let to = |to| texts(&cast("CAST", string(), to, column.clone()).unwrap());
    assert_eq!(to(varchar(2)), some(&["äb", "ä", ""]));
    assert_eq!(to(character(2)), some(&["äb", "ä ", "  "]));
    assert_eq!(to(string()), some(&["äbc", "ä", ""]));
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![12345, -7]));
    let result = cast("CAST", ty(Root::Bigint), character(3), numbers).unwrap();
    assert_eq!(texts(&result), some(&["123", "-7 "]));
    let flags: ArrayRef = Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]));
    let result = cast("CAST", ty(Root::Boolean), string(), flags).unwrap();
    assert_eq!(
        texts(&result),
        [Some("TRUE".into()), Some("FALSE".into()), None]
    );
}

#[test]
fn the_legacy_mode_neither_cuts_nor_fails() {
    let legacy = proto::Session {
        legacy_cast: true,
        ..session("UTC")
    };
    let of = |to| {
        let expression = call("CAST", to, [input(0, string())]);
        evaluate_in(
            &expression,
            &[string()],
            vec![strings(&[Some("abc")])],
            &legacy,
        )
        .unwrap()
    };
    assert_eq!(texts(&of(character(2))), some(&["abc"]));
    assert!(of(ty(Root::Integer)).is_null(0));
}

#[test]
fn a_text_that_is_no_number_fails_or_is_null() {
    let column = strings(&[Some(" 42 "), None, Some("4x")]);
    let tried = cast("TRY_CAST", string(), ty(Root::Integer), column.clone()).unwrap();
    let tried: Vec<_> = tried.as_primitive::<Int32Type>().iter().collect();
    assert_eq!(tried, [Some(42), None, None]);
    let error = cast("CAST", string(), ty(Root::Integer), column).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::User);
    assert_eq!(
        error.message(),
        "For input string: '4x'. Invalid character found. in CAST(a), row 2 of the batch"
    );
}

#[test]
fn numbers_are_cut_as_in_java() {
    let longs: ArrayRef = Arc::new(Int64Array::from(vec![300, -129, i64::MAX]));
    let tiny = cast("CAST", ty(Root::Bigint), ty(Root::Tinyint), longs.clone()).unwrap();
    assert_eq!(tiny.as_primitive::<Int8Type>().values(), &[44, 127, -1]);
    let float = cast("CAST", ty(Root::Bigint), ty(Root::Float), longs).unwrap();
    assert_eq!(float.as_primitive::<Float32Type>().value(2), 9.223_372e18);
    let doubles: ArrayRef = Arc::new(Float64Array::from(vec![1e20, -1.9, f64::NAN, 300.0]));
    let double = ty(Root::Double);
    let int = cast("CAST", double.clone(), ty(Root::Integer), doubles.clone()).unwrap();
    assert_eq!(
        int.as_primitive::<Int32Type>().values(),
        &[i32::MAX, -1, 0, 300]
    );
    // By way of an int: all its bits set give -1.
    let tiny = cast("CAST", double.clone(), ty(Root::Tinyint), doubles.clone()).unwrap();
    assert_eq!(tiny.as_primitive::<Int8Type>().values(), &[-1, -1, 0, 44]);
    let error = cast("CAST", double, decimal(10, 2), doubles).unwrap_err();
    assert_eq!(
        error.message(),
        "NaN is not a DECIMAL in CAST(a), row 2 of the batch"
    );
}

#[test]
fn a_decimal_that_does_not_fit_is_null() {
    let array = Decimal128Array::from(vec![99_995, 12_345]);
    let array: ArrayRef = Arc::new(array.with_precision_and_scale(5, 3).unwrap());
    let result = cast("CAST", decimal(5, 3), decimal(3, 2), array.clone()).unwrap();
    let result: Vec<_> = result.as_primitive::<Decimal128Type>().iter().collect();
    // 99.995 would be 100.00.
    assert_eq!(result, [None, None]);
    let result = cast("CAST", decimal(5, 3), decimal(4, 2), array.clone()).unwrap();
    let result: Vec<_> = result.as_primitive::<Decimal128Type>().iter().collect();
    assert_eq!(result, [None, Some(1235)]);
    let text = cast("CAST", decimal(5, 3), string(), array.clone()).unwrap();
    assert_eq!(texts(&text), some(&["99.995", "12.345"]));
    let whole = cast("CAST", decimal(5, 3), ty(Root::Bigint), array).unwrap();
    assert_eq!(whole.as_primitive::<Int64Type>().values(), &[99, 12]);
}

#[test]
fn zones_move_times_between_the_two_kinds_of_timestamps() {
    let array: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![0, 1_600_000_000_000]));
    let of = |from: proto::DataType, to, zone: &str| {
        let expression = call("CAST", to, [input(0, from.clone())]);
        evaluate_in(&expression, &[from], vec![array.clone()], &session(zone))
    };
    let local = of(timestamp_ltz(3), timestamp(3), "+05:30").unwrap();
    let local = local.as_primitive::<TimestampMillisecondType>();
    assert_eq!(local.values(), &[19_800_000, 1_600_019_800_000]);
    let text = of(timestamp_ltz(3), string(), "Europe/Berlin").unwrap();
    let expected = ["1970-01-01 01:00:00.000", "2020-09-13 14:26:40.000"];
    assert_eq!(texts(&text), some(&expected));
    let error = of(timestamp_ltz(3), string(), "PST8PDT").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(error.message(), "the time zone PST8PDT");
    // Without need for the zone it does not matter.
    assert!(of(timestamp(3), string(), "PST8PDT").is_ok());
}

#[test]
fn refused_casts_name_their_types() {
    let expression = call("CAST", timestamp(3), [input(0, timestamp(9))]);
    assert_eq!(
        refusal(&expression, &[timestamp(9)]),
        "CAST of TIMESTAMP(9) to TIMESTAMP(3)"
    );
    let expression = call("CAST", string(), [input(0, row(&[("x", string())]))]);
    assert_eq!(
        refusal(&expression, &[row(&[("x", string())])]),
        "CAST of ROW to STRING"
    );
}
