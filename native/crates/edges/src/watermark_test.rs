use crate::greatest;
use arrow_array::{Int32Array, TimestampMicrosecondArray, TimestampMillisecondArray};

#[test]
fn the_greatest_timestamp_is_found_and_null_is_none() {
    let some = TimestampMillisecondArray::from(vec![Some(-5), None, Some(-7)]);
    assert_eq!(greatest(&some).unwrap(), Some(-5));
    assert_eq!(
        greatest(&TimestampMillisecondArray::from(vec![None])).unwrap(),
        None
    );
    let dense = TimestampMillisecondArray::from(vec![1, 3, 2]);
    assert_eq!(greatest(&dense).unwrap(), Some(3));
    // A microsecond before 1970 lies in the millisecond before it.
    let micros = TimestampMicrosecondArray::from(vec![-1]);
    assert_eq!(greatest(&micros).unwrap(), Some(-1));
    assert!(greatest(&Int32Array::from(vec![1])).is_err());
}
