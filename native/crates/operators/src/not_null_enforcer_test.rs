use crate::{NotNullEnforcer, Operator};
use arrow_array::{Array, ArrayRef, Int64Array, cast::AsArray, types::Int64Type};
use sf_batch::Batch;
use sf_plan::proto::{self, data_type::Root};
use std::sync::Arc;

fn plan(drop: bool) -> proto::NotNullEnforcer {
    let field = |name: &str| proto::Field {
        name: name.to_owned(),
        r#type: Some(proto::DataType {
            root: Root::Bigint.into(),
            nullable: true,
            ..Default::default()
        }),
    };
    proto::NotNullEnforcer {
        input: Some(proto::DataType {
            root: Root::Row.into(),
            children: vec![field("id"), field("other"), field("key")],
            ..Default::default()
        }),
        columns: vec![0, 2],
        drop,
    }
}

fn batch() -> Batch {
    let column = |values: Vec<Option<i64>>| -> ArrayRef { Arc::new(Int64Array::from(values)) };
    let columns = vec![
        column(vec![Some(1), Some(2), None]),
        column(vec![None, None, None]),
        column(vec![Some(1), None, Some(3)]),
    ];
    Batch::new(3, columns, Some(vec![0, 2, 3].into())).unwrap()
}

#[test]
fn the_first_null_is_an_error_in_flinks_words() {
    let mut enforcer = NotNullEnforcer::new(&plan(false), "ConstraintEnforcer[5]").unwrap();
    let error = enforcer.process(None, 0, batch()).unwrap_err();
    assert_eq!(
        error.message(),
        "Column 'key' is NOT NULL, however, a null value is being written into it. You can set job configuration 'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and drop such records silently. Row 1 of the batch (ConstraintEnforcer[5])"
    );
    let whole = batch().slice(0, 1);
    let passed = enforcer.process(None, 0, whole).unwrap();
    assert_eq!(passed.rows(), 1);
}

#[test]
fn rows_with_null_are_dropped_with_their_kinds() {
    let mut enforcer = NotNullEnforcer::new(&plan(true), "").unwrap();
    let left = enforcer.process(None, 0, batch()).unwrap();
    assert_eq!(
        left.column(0).unwrap().as_primitive::<Int64Type>().values(),
        &[1]
    );
    assert_eq!(left.kinds(), Some(&[0][..]));
    assert_eq!(left.column(1).unwrap().null_count(), 1);
}

#[test]
fn a_column_that_is_not_there_is_refused() {
    let plan = proto::NotNullEnforcer {
        columns: vec![3],
        ..plan(false)
    };
    let error = NotNullEnforcer::new(&plan, "").unwrap_err();
    assert_eq!(error.message(), "the input has no column 3");
}
