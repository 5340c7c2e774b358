use crate::operator;
use arrow_array::{ArrayRef, Int32Array, Int64Array, cast::AsArray, types::Int64Type};
use sf_batch::Batch;
use sf_core::ErrorKind;
use sf_plan::proto::expression::Kind;
use sf_plan::proto::{self, data_type::Root, literal::Value};
use std::sync::Arc;

fn ty(root: Root) -> proto::DataType {
    proto::DataType {
        root: root.into(),
        nullable: true,
        ..Default::default()
    }
}

fn expression(root: Root, kind: Kind) -> proto::Expression {
    proto::Expression {
        r#type: Some(ty(root)),
        kind: Some(kind),
    }
}

fn input(index: i32, root: Root) -> proto::Expression {
    expression(root, Kind::Input(index))
}

fn int(value: i64) -> proto::Expression {
    let value = Some(Value::Integer(value));
    expression(Root::Integer, Kind::Literal(proto::Literal { value }))
}

fn call(function: &str, root: Root, operands: Vec<proto::Expression>) -> proto::Expression {
    let call = proto::Call {
        function: function.to_owned(),
        operands,
        search: None,
    };
    expression(root, Kind::Call(call))
}

/// Rows of a kind of event (INT) and a number (BIGINT).
fn plan(
    condition: Option<proto::Expression>,
    projection: Vec<proto::Expression>,
) -> proto::Operator {
    let field = |name: &str, root| proto::Field {
        name: name.to_owned(),
        r#type: Some(ty(root)),
    };
    let calc = proto::Calc {
        input: Some(proto::DataType {
            children: vec![field("event", Root::Integer), field("price", Root::Bigint)],
            ..ty(Root::Row)
        }),
        condition,
        projection,
    };
    proto::Operator {
        description: "Calc[3]".to_owned(),
        session: None,
        kind: Some(proto::operator::Kind::Calc(calc)),
    }
}

fn batch() -> Batch {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![Some(2), Some(0), Some(2), None])),
        Arc::new(Int64Array::from(vec![10, 0, 30, 0])),
    ];
    Batch::new(4, columns, Some(vec![0, 1, 2, 3].into())).unwrap()
}

fn bids() -> proto::Expression {
    call("=", Root::Boolean, vec![input(0, Root::Integer), int(2)])
}

#[test]
fn rows_that_pass_keep_their_kinds() {
    let doubled = call(
        "+",
        Root::Bigint,
        vec![input(1, Root::Bigint), input(1, Root::Bigint)],
    );
    let mut calc = operator(&plan(Some(bids()), vec![doubled, input(1, Root::Bigint)])).unwrap();
    let out = calc.process(None, 0, batch()).unwrap();
    let column = |index| {
        let column = out.column(index).unwrap();
        column.as_primitive::<Int64Type>().values().to_vec()
    };
    assert_eq!((column(0), column(1)), (vec![20, 60], vec![10, 30]));
    assert_eq!(out.kinds(), Some(&[0, 2][..]));
    let none = calc.process(None, 0, batch().slice(1, 1)).unwrap();
    assert_eq!((none.rows(), none.columns().len()), (0, 2));
}

#[test]
fn a_projection_fails_for_rows_that_are_left_only() {
    let quotient = || {
        let hundred = expression(
            Root::Bigint,
            Kind::Literal(proto::Literal {
                value: Some(Value::Integer(100)),
            }),
        );
        call("/", Root::Bigint, vec![hundred, input(1, Root::Bigint)])
    };
    let mut calc = operator(&plan(Some(bids()), vec![quotient()])).unwrap();
    let out = calc.process(None, 0, batch()).unwrap();
    assert_eq!(
        out.column(0).unwrap().as_primitive::<Int64Type>().values(),
        &[10, 3]
    );

    let unknown = call("IS NULL", Root::Boolean, vec![input(0, Root::Integer)]);
    let mut calc = operator(&plan(Some(unknown), vec![quotient()])).unwrap();
    let error = calc.process(None, 0, batch()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::User);
    assert_eq!(
        error.message(),
        "/ by zero in /(100, price), row 3 of the batch (Calc[3])"
    );
}

#[test]
fn without_a_condition_every_row_passes() {
    let mut calc = operator(&plan(None, vec![input(1, Root::Bigint)])).unwrap();
    let out = calc.process(None, 0, batch()).unwrap();
    assert_eq!((out.rows(), out.kinds()), (4, Some(&[0, 1, 2, 3][..])));
}

#[test]
fn what_is_not_supported_says_so() {
    let unknown = call("SOUNDEX", Root::Varchar, vec![input(1, Root::Bigint)]);
    let error = operator(&plan(None, vec![unknown])).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(error.message(), "function SOUNDEX");
}
