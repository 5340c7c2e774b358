//! Plans and columns for tests, in few words.

use crate::Expr;
use arrow_array::{Array, ArrayRef, BinaryArray, cast::AsArray};
use sf_batch::Batch;
use sf_core::{Error, Result};
use sf_plan::proto::data_type::Root;
use sf_plan::proto::{self, expression::Kind, literal::Value};
use sf_plan::{DataType, Field, RowType};
use std::sync::Arc;

pub(crate) fn ty(root: Root) -> proto::DataType {
    proto::DataType {
        root: root.into(),
        nullable: true,
        ..Default::default()
    }
}

pub(crate) fn string() -> proto::DataType {
    varchar(i32::MAX)
}

pub(crate) fn varchar(length: i32) -> proto::DataType {
    proto::DataType {
        length,
        ..ty(Root::Varchar)
    }
}

pub(crate) fn character(length: i32) -> proto::DataType {
    proto::DataType {
        length,
        ..ty(Root::Char)
    }
}

pub(crate) fn decimal(precision: i32, scale: i32) -> proto::DataType {
    proto::DataType {
        precision,
        scale,
        ..ty(Root::Decimal)
    }
}

pub(crate) fn timestamp(precision: i32) -> proto::DataType {
    proto::DataType {
        precision,
        ..ty(Root::Timestamp)
    }
}

pub(crate) fn timestamp_ltz(precision: i32) -> proto::DataType {
    proto::DataType {
        precision,
        ..ty(Root::TimestampLtz)
    }
}

pub(crate) fn row(fields: &[(&str, proto::DataType)]) -> proto::DataType {
    let fields = fields.iter().map(|(name, data_type)| proto::Field {
        name: (*name).to_owned(),
        r#type: Some(data_type.clone()),
    });
    proto::DataType {
        children: fields.collect(),
        ..ty(Root::Row)
    }
}

fn expression(data_type: proto::DataType, kind: Kind) -> proto::Expression {
    proto::Expression {
        r#type: Some(data_type),
        kind: Some(kind),
    }
}

pub(crate) fn input(index: i32, data_type: proto::DataType) -> proto::Expression {
    expression(data_type, Kind::Input(index))
}

pub(crate) fn field(
    of: proto::Expression,
    index: i32,
    data_type: proto::DataType,
) -> proto::Expression {
    let access = proto::FieldAccess {
        row: Some(Box::new(of)),
        index,
    };
    expression(data_type, Kind::Field(Box::new(access)))
}

pub(crate) fn call(
    function: &str,
    data_type: proto::DataType,
    operands: impl IntoIterator<Item = proto::Expression>,
) -> proto::Expression {
    let call = proto::Call {
        function: function.to_owned(),
        operands: operands.into_iter().collect(),
        search: None,
    };
    expression(data_type, Kind::Call(call))
}

pub(crate) fn value(value: Value) -> proto::Literal {
    proto::Literal { value: Some(value) }
}

pub(crate) fn literal(data_type: proto::DataType, of: Value) -> proto::Expression {
    expression(data_type, Kind::Literal(value(of)))
}

pub(crate) fn null(data_type: proto::DataType) -> proto::Expression {
    expression(data_type, Kind::Literal(proto::Literal { value: None }))
}

pub(crate) fn int(of: i64) -> proto::Expression {
    literal(ty(Root::Integer), Value::Integer(of))
}

pub(crate) fn bigint(of: i64) -> proto::Expression {
    literal(ty(Root::Bigint), Value::Integer(of))
}

pub(crate) fn text(of: &str) -> proto::Expression {
    literal(string(), Value::Bytes(of.as_bytes().to_vec()))
}

pub(crate) fn search(
    operand: proto::Expression,
    bound: proto::DataType,
    ranges: Vec<proto::Range>,
    null_as: proto::search::NullAs,
) -> proto::Expression {
    let call = proto::Call {
        function: "SEARCH".to_owned(),
        operands: vec![operand],
        search: Some(proto::Search {
            ranges,
            null_as: null_as.into(),
            r#type: Some(bound),
        }),
    };
    expression(ty(Root::Boolean), Kind::Call(call))
}

pub(crate) fn point(of: Value) -> proto::Range {
    proto::Range {
        lower: Some(value(of.clone())),
        upper: Some(value(of)),
        ..Default::default()
    }
}

/// A row type of columns `a`, `b` and so on.
pub(crate) fn row_type(types: &[proto::DataType]) -> RowType {
    let names = ["a", "b", "c", "d", "e", "f"];
    let fields = types
        .iter()
        .zip(names)
        .map(|(data_type, name)| Field::new(name, DataType::from_proto(data_type).unwrap(), true));
    RowType::new(fields.collect::<Vec<_>>())
}

pub(crate) fn session(zone: &str) -> proto::Session {
    proto::Session {
        local_time_zone: zone.to_owned(),
        legacy_cast: false,
    }
}

/// The expression over columns of these types.
pub(crate) fn evaluate(
    expression: &proto::Expression,
    types: &[proto::DataType],
    columns: Vec<ArrayRef>,
) -> Result<ArrayRef> {
    evaluate_in(expression, types, columns, &session("UTC"))
}

pub(crate) fn evaluate_in(
    expression: &proto::Expression,
    types: &[proto::DataType],
    columns: Vec<ArrayRef>,
    session: &proto::Session,
) -> Result<ArrayRef> {
    let rows = columns.first().map_or(1, |column| column.len());
    let batch = Batch::new(rows, columns, None)?;
    Expr::compile(expression, &row_type(types), session)?.evaluate(&batch, None)
}

pub(crate) fn strings(values: &[Option<&str>]) -> ArrayRef {
    let values = values.iter().map(|value| value.map(str::as_bytes));
    Arc::new(values.collect::<BinaryArray>())
}

/// Strings of an array.
pub(crate) fn texts(array: &ArrayRef) -> Vec<Option<String>> {
    let array = array.as_binary::<i32>();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    array.iter().map(|value| value.map(text)).collect()
}

/// The reason that an expression is refused for.
pub(crate) fn refusal(expression: &proto::Expression, types: &[proto::DataType]) -> String {
    let result = Expr::compile(expression, &row_type(types), &session("UTC"));
    let error: Error = result.expect_err("must be refused");
    assert_eq!(error.kind(), sf_core::ErrorKind::Unsupported, "{error}");
    error.message().to_owned()
}
