use crate::{Coding, ColumnType, Source, TableColumns, TypedColumn};
use proptest::prelude::*;
use sf_core::ErrorKind;

fn describe(columns: &[TypedColumn]) -> Vec<u8> {
    let mut out = Vec::new();
    let int = |out: &mut Vec<u8>, value: i32| out.extend(value.to_le_bytes());
    int(&mut out, columns.len() as i32);
    for column in columns {
        int(&mut out, column.name.len() as i32);
        out.extend(column.name.as_bytes());
        let (coding, index, arity) = match column.coding {
            Coding::Scalar => (0, -1, -1),
            Coding::RowField { index, arity } => (1, index as i32, arity as i32),
            Coding::SqlScalar => (2, 0, 0),
        };
        for value in [
            column.field_id,
            column.column_type.code(),
            column.source as i32,
            column.state.map_or(-1, i32::from),
            coding,
            index,
            arity,
            column.skip as i32,
        ] {
            int(&mut out, value);
        }
    }
    out
}

fn column(name: &str, field_id: i32, state: Option<u16>) -> TypedColumn {
    TypedColumn {
        name: name.to_owned(),
        field_id,
        column_type: ColumnType::BigInt,
        source: Source::Value,
        state,
        coding: Coding::RowField { index: 1, arity: 3 },
        skip: 8,
    }
}

#[test]
fn a_description_is_what_java_writes() {
    let mut columns = vec![column("a", 8, None), column("bß", 20, Some(7))];
    columns[1].coding = Coding::Scalar;
    columns[1].column_type = ColumnType::Timestamp;
    columns[1].source = Source::UserKey;
    columns.push(TypedColumn {
        coding: Coding::SqlScalar,
        ..column("c", 21, Some(3))
    });
    let description = describe(&columns);
    let parsed = TableColumns::parse(&description).unwrap();
    assert_eq!(parsed.typed(), columns);
    assert_eq!(parsed.of_state(7), [0, 1]);
    assert_eq!(parsed.of_state(3), [0, 2]);
    assert_eq!(parsed.of_state(4), [0]);
    for len in 0..description.len() {
        let error = TableColumns::parse(&description[..len]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::User);
    }
    let longer = [description.as_slice(), &[0]].concat();
    assert!(TableColumns::parse(&longer).is_err());
    assert!(TableColumns::parse(&[0; 4]).unwrap().typed().is_empty());
}

#[test]
fn columns_that_cannot_be_are_refused() {
    let refused = |columns: Vec<TypedColumn>, what: &str| {
        let error = TableColumns::new(columns).unwrap_err();
        assert!(error.message().contains(what), "{error}");
    };
    refused(vec![column("kg", 8, None)], "'kg': name is taken");
    refused(vec![column("_KEY_kg", 8, None)], "name is reserved");
    refused(vec![column("", 8, None)], "name is reserved");
    refused(vec![column("a", 8, None), column("a", 9, None)], "taken");
    refused(vec![column("a", 7, None)], "field id is taken");
    refused(vec![column("a", 8, None), column("b", 8, None)], "field id");
    refused(
        vec![TypedColumn {
            coding: Coding::RowField { index: 3, arity: 3 },
            ..column("a", 8, None)
        }],
        "field is none of the row's",
    );
}

proptest! {
    #[test]
    fn nothing_panics(anything in prop::collection::vec(any::<u8>(), 0..100), n in 0..3_i32) {
        let mut description = n.to_le_bytes().to_vec();
        description.extend(&anything);
        let _ = TableColumns::parse(&anything);
        let _ = TableColumns::parse(&description);
    }
}
