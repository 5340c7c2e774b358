use crate::testing::*;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{ArrayRef, BooleanArray, Int32Array, Int64Array, StructArray, cast::AsArray};
use arrow_buffer::NullBuffer;
use sf_plan::proto::data_type::Root;
use sf_plan::proto::search::NullAs;
use sf_plan::proto::{self, literal::Value};
use std::sync::Arc;

fn boolean() -> proto::DataType {
    ty(Root::Boolean)
}

fn three() -> Vec<Option<bool>> {
    vec![Some(true), Some(false), None]
}

/// All pairs of the three values.
fn pairs() -> Vec<ArrayRef> {
    let (a, b): (Vec<_>, Vec<_>) = three()
        .into_iter()
        .flat_map(|a| three().into_iter().map(move |b| (a, b)))
        .unzip();
    vec![
        Arc::new(BooleanArray::from(a)),
        Arc::new(BooleanArray::from(b)),
    ]
}

fn booleans(array: &ArrayRef) -> Vec<Option<bool>> {
    array.as_boolean().iter().collect()
}

#[test]
fn and_and_or_are_three_valued() {
    let types = [boolean(), boolean()];
    let operands = || [input(0, boolean()), input(1, boolean())];
    let (t, f, n) = (Some(true), Some(false), None);
    let and = evaluate(&call("AND", boolean(), operands()), &types, pairs()).unwrap();
    assert_eq!(booleans(&and), [t, f, n, f, f, f, n, f, n]);
    let or = evaluate(&call("OR", boolean(), operands()), &types, pairs()).unwrap();
    assert_eq!(booleans(&or), [t, t, t, t, f, n, t, n, n]);
}

#[test]
fn tests_of_truth() {
    let (t, f, n) = (Some(true), Some(false), None);
    let column: ArrayRef = Arc::new(BooleanArray::from(three()));
    let of = |function: &str| {
        let expression = call(function, boolean(), [input(0, boolean())]);
        booleans(&evaluate(&expression, &[boolean()], vec![column.clone()]).unwrap())
    };
    assert_eq!(of("NOT"), [f, t, n]);
    assert_eq!(of("IS TRUE"), [t, f, f]);
    assert_eq!(of("IS NOT TRUE"), [f, t, t]);
    assert_eq!(of("IS FALSE"), [f, t, f]);
    assert_eq!(of("IS NOT FALSE"), [t, f, t]);
    assert_eq!(of("IS NULL"), [f, f, t]);
    assert_eq!(of("IS NOT NULL"), [t, t, f]);
}

/// 10 / a, which fails where a is 0.
fn quotient() -> proto::Expression {
    call(
        "/",
        ty(Root::Integer),
        [int(10), input(0, ty(Root::Integer))],
    )
}

#[test]
fn what_is_decided_is_not_evaluated() {
    let types = [ty(Root::Integer)];
    let column: ArrayRef = Arc::new(Int32Array::from(vec![Some(0), Some(5), None]));
    let not_zero = call("<>", boolean(), [input(0, ty(Root::Integer)), int(0)]);
    let zero = call("=", boolean(), [input(0, ty(Root::Integer)), int(0)]);
    let large = call(">", boolean(), [quotient(), int(1)]);
    let and = call("AND", boolean(), [not_zero.clone(), large.clone()]);
    let result = evaluate(&and, &types, vec![column.clone()]).unwrap();
    assert_eq!(booleans(&result), [Some(false), Some(true), None]);
    let or = call("OR", boolean(), [zero.clone(), large.clone()]);
    let result = evaluate(&or, &types, vec![column.clone()]).unwrap();
    assert_eq!(booleans(&result), [Some(true), Some(true), None]);
    // From left to right only.
    let wrong = call("AND", boolean(), [large, not_zero]);
    let error = evaluate(&wrong, &types, vec![column.clone()]).unwrap_err();
    assert_eq!(error.message(), "/ by zero in /(10, a), row 0 of the batch");

    let case = call(
        "CASE",
        ty(Root::Integer),
        [zero.clone(), int(-1), quotient()],
    );
    let result = evaluate(&case, &types, vec![column.clone()]).unwrap();
    let values: Vec<_> = result.as_primitive::<Int32Type>().iter().collect();
    assert_eq!(values, [Some(-1), Some(2), None]);
    let choice = call("IF", ty(Root::Integer), [zero, quotient(), int(1)]);
    let error = evaluate(&choice, &types, vec![column.clone()]).unwrap_err();
    assert_eq!(error.message(), "/ by zero in /(10, a), row 0 of the batch");
    // COALESCE is a plain function in Flink: all operands are evaluated.
    let first = call("COALESCE", ty(Root::Integer), [int(1), quotient()]);
    assert!(evaluate(&first, &types, vec![column]).is_err());
}

#[test]
fn case_takes_the_first_true_branch() {
    let types = [ty(Root::Bigint), ty(Root::Bigint)];
    let a = input(0, ty(Root::Bigint));
    let less = |bound| call("<", boolean(), [a.clone(), bigint(bound)]);
    let expression = call(
        "CASE",
        string(),
        [
            less(10),
            literal(character(5), Value::Bytes(b"small".to_vec())),
            less(100),
            call("CAST", string(), [input(1, ty(Root::Bigint))]),
            null(string()),
        ],
    );
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![Some(1), Some(50), Some(500), None])),
        Arc::new(Int64Array::from(vec![7, 8, 9, 10])),
    ];
    let result = evaluate(&expression, &types, columns).unwrap();
    assert_eq!(
        texts(&result),
        [Some("small".into()), Some("8".into()), None, None]
    );
}

#[test]
fn coalesce_takes_the_first_value() {
    let bigints = ty(Root::Bigint);
    let expression = call(
        "COALESCE",
        bigints.clone(),
        [
            input(0, bigints.clone()),
            input(1, bigints.clone()),
            bigint(-1),
        ],
    );
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![Some(1), None, None])),
        Arc::new(Int64Array::from(vec![Some(2), Some(3), None])),
    ];
    let result = evaluate(&expression, &[bigints.clone(), bigints], columns).unwrap();
    assert_eq!(result.as_primitive::<Int64Type>().values(), &[1, 3, -1]);
}

#[test]
fn a_field_of_a_null_row_is_null() {
    let rows = row(&[("x", ty(Root::Bigint)), ("y", string())]);
    let DataFields(fields) = fields_of(&rows);
    let column: ArrayRef = Arc::new(StructArray::new(
        fields,
        vec![
            Arc::new(Int64Array::from(vec![Some(1), Some(2), None])),
            strings(&[Some("a"), Some("b"), Some("c")]),
        ],
        Some(NullBuffer::from(vec![true, false, true])),
    ));
    let of = |index, data_type| {
        let expression = field(input(0, rows.clone()), index, data_type);
        evaluate(
            &expression,
            std::slice::from_ref(&rows),
            vec![column.clone()],
        )
        .unwrap()
    };
    let x = of(0, ty(Root::Bigint));
    let x: Vec<_> = x.as_primitive::<Int64Type>().iter().collect();
    assert_eq!(x, [Some(1), None, None]);
    assert_eq!(
        texts(&of(1, string())),
        [Some("a".into()), None, Some("c".into())]
    );
}

struct DataFields(arrow_schema::Fields);

fn fields_of(rows: &proto::DataType) -> DataFields {
    match sf_plan::DataType::from_proto(rows).unwrap() {
        sf_plan::DataType::Row(row) => DataFields(sf_batch::arrow_fields(row.fields())),
        other => panic!("{other:?}"),
    }
}

#[test]
fn search_of_points_ranges_and_null() {
    let bigints = ty(Root::Bigint);
    let column: ArrayRef = Arc::new(Int64Array::from(vec![
        Some(9_999),
        Some(10_000),
        Some(999_999),
        Some(1_000_000),
        None,
    ]));
    let range = proto::Range {
        lower: Some(value(Value::Integer(10_000))),
        upper: Some(value(Value::Integer(1_000_000))),
        upper_open: true,
        ..Default::default()
    };
    let of = |null_as| {
        let operand = input(0, bigints.clone());
        let expression = search(operand, bigints.clone(), vec![range.clone()], null_as);
        booleans(
            &evaluate(
                &expression,
                std::slice::from_ref(&bigints),
                vec![column.clone()],
            )
            .unwrap(),
        )
    };
    let (t, f) = (Some(true), Some(false));
    assert_eq!(of(NullAs::Null), [f, t, t, f, None]);
    assert_eq!(of(NullAs::True), [f, t, t, f, t]);
    assert_eq!(of(NullAs::False), [f, t, t, f, f]);

    let states = ["CA", "ID", "OR"].map(|state| point(Value::Bytes(state.into())));
    let operand = input(0, string());
    let expression = search(operand, character(2), states.to_vec(), NullAs::Null);
    let column = strings(&[Some("OR"), Some("O"), Some("ORE"), None]);
    let result = evaluate(&expression, &[string()], vec![column]).unwrap();
    assert_eq!(booleans(&result), [t, f, f, None]);
}

#[test]
fn equal_values_are_distinct_only_by_null() {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![Some(1), Some(1), None, None])),
        Arc::new(Int64Array::from(vec![Some(1), Some(2), Some(1), None])),
    ];
    let bigints = ty(Root::Bigint);
    let types = [bigints.clone(), bigints.clone()];
    let of = |function| {
        let operands = [input(0, bigints.clone()), input(1, bigints.clone())];
        let expression = call(function, boolean(), operands);
        booleans(&evaluate(&expression, &types, columns.clone()).unwrap())
    };
    let (t, f) = (Some(true), Some(false));
    assert_eq!(of("IS DISTINCT FROM"), [f, t, t, f]);
    assert_eq!(of("IS NOT DISTINCT FROM"), [t, f, f, t]);
    assert_eq!(of("="), [t, f, None, None]);
}
