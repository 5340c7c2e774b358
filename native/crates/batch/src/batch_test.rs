use crate::{Batch, RowKind};
use arrow_array::{Array, ArrayRef, Int64Array};
use arrow_buffer::BooleanBuffer;
use std::sync::Arc;

fn batch(values: &[i64], kinds: Option<&[i8]>) -> Batch {
    let column: ArrayRef = Arc::new(Int64Array::from(values.to_vec()));
    let kinds = kinds.map(|kinds| kinds.to_vec().into());
    Batch::new(values.len(), vec![column], kinds).unwrap()
}

fn values(batch: &Batch) -> Vec<i64> {
    let column = batch.column(0).unwrap().as_any();
    let column = column.downcast_ref::<Int64Array>().unwrap();
    column.values().to_vec()
}

#[test]
fn kinds_follow_their_rows() {
    let all = batch(&[10, 20, 30], Some(&[0, 1, 2]));
    let kept = all
        .filter(&BooleanBuffer::from(vec![true, false, true]))
        .unwrap();
    assert_eq!(
        (values(&kept), kept.kinds()),
        (vec![10, 30], Some(&[0, 2][..]))
    );
    let taken = all.take(&[2, 0, 2]).unwrap();
    assert_eq!(
        (values(&taken), taken.kinds()),
        (vec![30, 10, 30], Some(&[2, 0, 2][..]))
    );
    let slice = all.slice(1, 2);
    assert_eq!(
        (values(&slice), slice.kind(0).unwrap()),
        (vec![20, 30], RowKind::UpdateBefore)
    );
}

#[test]
fn inserts_joined_with_others_get_their_kind() {
    let joined = Batch::concat(&[batch(&[1, 2], None), batch(&[3], Some(&[3]))]).unwrap();
    assert_eq!(
        (values(&joined), joined.kinds()),
        (vec![1, 2, 3], Some(&[0, 0, 3][..]))
    );
    assert!(joined.kind(2).is_ok_and(|kind| !kind.is_accumulate()));
}

#[test]
fn lengths_that_differ_are_refused() {
    let column: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    assert!(Batch::new(2, vec![column], None).is_err());
    assert!(Batch::new(1, vec![], Some(vec![0, 0].into())).is_err());
    assert!(RowKind::from_byte(4).is_err());
}

#[test]
fn shared_memory_counts_once() {
    let one = batch(&[1; 1000], Some(&[0; 1000]));
    let bytes = one.memory_size();
    assert!((9000..9200).contains(&bytes), "{bytes}");
    let column = one.columns()[0].clone();
    let three = vec![column.clone(), column.slice(0, 1000), column];
    assert_eq!(one.with_columns(three).unwrap().memory_size(), bytes);
    assert_eq!(one.slice(5, 1).memory_size(), bytes);
    assert_eq!(
        one.with_columns(vec![]).unwrap().memory_size(),
        bytes - 8000
    );
}

#[test]
fn records_end_where_they_were_ended() {
    let mut out = crate::RecordBuffer::default();
    out.bytes.extend(b"ab");
    out.end().unwrap();
    out.bytes.extend(b"dropped");
    out.end_as_none();
    out.bytes.extend(b"c");
    out.end().unwrap();
    let all: Vec<_> = (0..3).map(|i| out.get(i)).collect();
    assert_eq!(all, [Some(&b"ab"[..]), None, Some(b"c")]);
    assert!(crate::Records::new(b"abc", &[0, 2, 4]).is_err());
}
