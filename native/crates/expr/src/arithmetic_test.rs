use crate::decimal::{self, Form};
use crate::testing::*;
use arrow_array::types::{Decimal128Type, Float64Type, Int8Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, Decimal128Array, Float64Array, Int8Array, Int32Array, Int64Array,
    cast::AsArray,
};
use proptest::prelude::*;
use sf_plan::proto::data_type::Root;
use sf_plan::proto::{self, literal::Value};
use std::sync::Arc;

fn big(values: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

#[test]
fn integers_wrap_as_in_java() {
    let types = [ty(Root::Bigint), ty(Root::Bigint)];
    let columns = vec![big(&[i64::MAX, i64::MIN, -7]), big(&[1, -1, 2])];
    let of = |function| {
        let operands = [input(0, ty(Root::Bigint)), input(1, ty(Root::Bigint))];
        let expression = call(function, ty(Root::Bigint), operands);
        let result = evaluate(&expression, &types, columns.clone()).unwrap();
        result.as_primitive::<Int64Type>().values().to_vec()
    };
    assert_eq!(of("+"), [i64::MIN, i64::MAX, -5]);
    assert_eq!(of("-"), [i64::MAX - 1, i64::MIN + 1, -9]);
    assert_eq!(of("*"), [i64::MAX, i64::MIN, -14]);
    assert_eq!(of("/"), [i64::MAX, i64::MIN, -3]);
    assert_eq!(of("MOD"), [0, 0, -1]);
    let column: ArrayRef = Arc::new(Int8Array::from(vec![-128, 127]));
    let tiny = ty(Root::Tinyint);
    for (function, expected) in [("MINUS_PREFIX", [-128, -127]), ("ABS", [-128, 127])] {
        let expression = call(function, tiny.clone(), [input(0, tiny.clone())]);
        let result = evaluate(
            &expression,
            std::slice::from_ref(&tiny),
            vec![column.clone()],
        )
        .unwrap();
        assert_eq!(result.as_primitive::<Int8Type>().values(), &expected);
    }
}

#[test]
fn the_rest_of_mixed_integers_is_computed_wide_and_cut() {
    let types = [ty(Root::Bigint)];
    let columns = vec![big(&[10_000_000_007, -5, i64::MIN])];
    let operands = [input(0, ty(Root::Bigint)), int(123)];
    let expression = call("MOD", ty(Root::Integer), operands);
    let result = evaluate(&expression, &types, columns).unwrap();
    let expected = [
        (10_000_000_007_i64 % 123) as i32,
        -5,
        (i64::MIN % 123) as i32,
    ];
    assert_eq!(result.as_primitive::<Int32Type>().values(), &expected);
}

#[test]
fn a_division_by_zero_fails_where_both_operands_are_values() {
    let types = [ty(Root::Integer), ty(Root::Integer)];
    let column = |values: Vec<Option<i32>>| -> ArrayRef { Arc::new(Int32Array::from(values)) };
    let operands = [input(0, ty(Root::Integer)), input(1, ty(Root::Integer))];
    let expression = call("/", ty(Root::Integer), operands);
    let columns = vec![column(vec![None, Some(4)]), column(vec![Some(0), None])];
    let result = evaluate(&expression, &types, columns).unwrap();
    assert_eq!(result.null_count(), 2);
    let columns = vec![
        column(vec![Some(1), Some(4)]),
        column(vec![Some(1), Some(0)]),
    ];
    let error = evaluate(&expression, &types, columns).unwrap_err();
    assert_eq!(error.message(), "/ by zero in /(a, b), row 1 of the batch");
}

#[test]
fn doubles_follow_ieee_and_compare_as_primitives() {
    let double = ty(Root::Double);
    let types = [double.clone(), double.clone()];
    let column = |values: Vec<f64>| -> ArrayRef { Arc::new(Float64Array::from(values)) };
    let columns = vec![
        column(vec![1.0, f64::NAN, -0.0, 5.5]),
        column(vec![0.0, f64::NAN, 0.0, -2.0]),
    ];
    let operands = || [input(0, double.clone()), input(1, double.clone())];
    let number = |function| {
        let expression = call(function, double.clone(), operands());
        let result = evaluate(&expression, &types, columns.clone()).unwrap();
        result.as_primitive::<Float64Type>().values().to_vec()
    };
    assert_eq!(number("/")[0], f64::INFINITY);
    assert_eq!(number("MOD")[3], 1.5);
    let boolean = |function| {
        let expression = call(function, ty(Root::Boolean), operands());
        let result = evaluate(&expression, &types, columns.clone()).unwrap();
        result
            .as_boolean()
            .iter()
            .map(|v| v.unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(boolean("="), [false, false, true, false]);
    assert_eq!(boolean("<>"), [true, true, false, true]);
    assert_eq!(boolean(">="), [true, false, true, true]);
}

fn dec(values: &[Option<i128>], precision: u8, scale: i8) -> ArrayRef {
    let array = Decimal128Array::from(values.to_vec());
    Arc::new(array.with_precision_and_scale(precision, scale).unwrap())
}

#[test]
fn the_product_of_nexmark_q1() {
    let rate = literal(
        decimal(4, 3),
        Value::Decimal(908_i32.to_be_bytes().to_vec()),
    );
    let product = call("*", decimal(24, 3), [rate, input(0, ty(Root::Bigint))]);
    let expression = call("CAST", decimal(23, 3), [product]);
    let columns = vec![big(&[1_000, -7, i64::MAX])];
    let result = evaluate(&expression, &[ty(Root::Bigint)], columns).unwrap();
    let result = result.as_primitive::<Decimal128Type>();
    let expected = [908_000, -6_356, 908 * i128::from(i64::MAX)];
    assert_eq!(result.values(), &expected);
    assert_eq!((result.precision(), result.scale()), (23, 3));
}

#[test]
fn what_does_not_fit_its_precision_is_null() {
    let types = [decimal(38, 0)];
    let columns = vec![dec(&[Some(10_i128.pow(38) - 1), Some(5)], 38, 0)];
    let operands = [input(0, decimal(38, 0)), input(0, decimal(38, 0))];
    for function in ["+", "*"] {
        let expression = call(function, decimal(38, 0), operands.clone());
        let result = evaluate(&expression, &types, columns.clone()).unwrap();
        assert!(result.is_null(0) && result.is_valid(1), "{function}");
    }
}

#[test]
fn decimals_compare_across_scales() {
    let types = [decimal(10, 2), decimal(38, 30)];
    let columns = vec![
        dec(&[Some(150), Some(150), Some(-150)], 10, 2),
        dec(
            &[
                Some(15 * 10_i128.pow(29)),
                Some(15 * 10_i128.pow(29) + 1),
                Some(0),
            ],
            38,
            30,
        ),
    ];
    let of = |function| {
        let operands = [input(0, types[0].clone()), input(1, types[1].clone())];
        let expression = call(function, ty(Root::Boolean), operands);
        let result = evaluate(&expression, &types, columns.clone()).unwrap();
        result
            .as_boolean()
            .iter()
            .map(|v| v.unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("="), [true, false, false]);
    assert_eq!(of("<"), [false, true, true]);
    let against_int = call("<", ty(Root::Boolean), [input(0, types[0].clone()), int(1)]);
    let result = evaluate(&against_int, &types, columns.clone()).unwrap();
    assert_eq!(
        result.as_boolean().values().iter().collect::<Vec<_>>(),
        [false, false, true]
    );
}

#[test]
fn divisions_of_decimals_are_rounded_half_up() {
    let to = Form {
        precision: 38,
        scale: 6,
    };
    // Printed by BigDecimal: 1/3, 2/3, -2/3, 1/8 at scale 6 and 2.
    assert_eq!(decimal::divide(1, 0, 3, 0, to), Some(333_333));
    assert_eq!(decimal::divide(2, 0, 3, 0, to), Some(666_667));
    assert_eq!(decimal::divide(-2, 0, 3, 0, to), Some(-666_667));
    let short = Form {
        precision: 38,
        scale: 2,
    };
    assert_eq!(decimal::divide(1, 0, 8, 0, short), Some(13));
    assert_eq!(decimal::divide(-1, 0, 8, 0, short), Some(-13));
    let operands = [input(0, decimal(5, 1)), input(1, decimal(5, 1))];
    let expression = call("/", decimal(11, 6), operands);
    let types = [decimal(5, 1), decimal(5, 1)];
    let columns = vec![dec(&[Some(1)], 5, 1), dec(&[Some(0)], 5, 1)];
    let error = evaluate(&expression, &types, columns).unwrap_err();
    assert!(
        error
            .message()
            .starts_with("Division by zero in /(a, b), row 0"),
        "{error}"
    );
}

#[test]
fn floor_and_ceil() {
    let of = |function, value| {
        let columns = vec![dec(&[Some(value)], 5, 2)];
        let expression = call(function, decimal(4, 0), [input(0, decimal(5, 2))]);
        let result = evaluate(&expression, &[decimal(5, 2)], columns).unwrap();
        result.as_primitive::<Decimal128Type>().value(0)
    };
    assert_eq!((of("FLOOR", 150), of("CEIL", 150)), (1, 2));
    assert_eq!((of("FLOOR", -150), of("CEIL", -150)), (-2, -1));
    assert_eq!((of("FLOOR", 200), of("CEIL", 200)), (2, 2));
}

#[test]
fn refused_with_types() {
    let operands = [input(0, decimal(5, 2)), input(1, ty(Root::Double))];
    let expression: proto::Expression = call("*", decimal(10, 2), operands);
    let reason = refusal(&expression, &[decimal(5, 2), ty(Root::Double)]);
    assert_eq!(reason, "function * of (DECIMAL(5, 2), DOUBLE)");
}

proptest! {
    /// Small numbers, so that a model in i128 can be exact.
    #[test]
    fn decimals_agree_with_a_model(
        a in -1_000_000_i128..1_000_000, b in -1_000_000_i128..1_000_000,
        sa in 0_i8..6, sb in 0_i8..6, scale in 0_i8..8,
    ) {
        let to = Form { precision: 38, scale };
        let unit = |scale: i8| 10_i128.pow(scale as u32);
        let round = |numerator: i128, denominator: i128| {
            let (n, d) = (numerator.abs(), denominator.abs());
            let sign = numerator.signum() * denominator.signum();
            sign * ((2 * n + d) / (2 * d))
        };
        let (x, y) = (a * unit(sb), b * unit(sa));
        let common = unit(sa) * unit(sb);
        prop_assert_eq!(decimal::add(a, sa, b, sb, to), Some(round((x + y) * unit(scale), common)));
        prop_assert_eq!(decimal::subtract(a, sa, b, sb, to), Some(round((x - y) * unit(scale), common)));
        prop_assert_eq!(decimal::multiply(a, sa, b, sb, to), Some(round(a * b * unit(scale), common)));
        prop_assert_eq!(decimal::compare(a, sa, b, sb), x.cmp(&y));
        if b != 0 {
            prop_assert_eq!(decimal::divide(a, sa, b, sb, to), Some(round(x * unit(scale), y)));
            let rest = decimal::remainder(a, sa, b, sb, to).unwrap();
            prop_assert_eq!(rest, Some(round((x % y) * unit(scale), common)));
        }
    }
}
