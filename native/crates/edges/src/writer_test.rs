use crate::EdgeWriter;
use arrow_array::{Array, ArrayRef, Int64Array};
use sf_batch::{Batch, RecordBuffer, Writer};
use sf_core::Result;
use std::sync::Arc;

/// Writes the first column as decimal digits.
struct Digits;

impl Writer for Digits {
    fn write(&mut self, batch: &Batch, out: &mut RecordBuffer) -> Result<()> {
        let column = batch.column(0)?.as_any().downcast_ref::<Int64Array>();
        for value in column.expect("integers").values() {
            out.bytes.extend(value.to_string().bytes());
            out.end()?;
        }
        Ok(())
    }
}

/// Writes one record less than there are rows.
struct Short;

impl Writer for Short {
    fn write(&mut self, batch: &Batch, out: &mut RecordBuffer) -> Result<()> {
        Digits.write(&batch.slice(1, batch.rows() - 1), out)
    }
}

fn batch(kinds: Option<&[i8]>) -> Batch {
    let column: ArrayRef = Arc::new(Int64Array::from(vec![10, 20, 30, 40]));
    Batch::new(4, vec![column], kinds.map(|kinds| kinds.to_vec().into())).unwrap()
}

fn all(records: &RecordBuffer) -> Vec<Option<&[u8]>> {
    (0..records.ends.len()).map(|i| records.get(i)).collect()
}

#[test]
fn rows_that_take_back_have_a_key_and_no_value() {
    let mut writer = EdgeWriter::of(
        String::new(),
        Box::new(Digits),
        Some(Box::new(Digits)),
        true,
    );
    let written = writer.write(&batch(Some(&[0, 1, 2, 3]))).unwrap();
    assert_eq!(
        all(&written.values),
        [Some(&b"10"[..]), None, Some(b"30"), None]
    );
    assert_eq!(
        all(&written.keys),
        [Some(&b"10"[..]), Some(b"20"), Some(b"30"), Some(b"40")]
    );
    let inserts = writer.write(&batch(None)).unwrap();
    assert_eq!(
        all(&inserts.values),
        [Some(&b"10"[..]), Some(b"20"), Some(b"30"), Some(b"40")]
    );
}

#[test]
fn kinds_are_not_looked_at_without_upserts() {
    let mut writer = EdgeWriter::of(String::new(), Box::new(Digits), None, false);
    let written = writer.write(&batch(Some(&[0, 1, 2, 3]))).unwrap();
    assert_eq!(
        all(&written.values),
        [Some(&b"10"[..]), Some(b"20"), Some(b"30"), Some(b"40")]
    );
    assert!(written.keys.ends.is_empty());
}

#[test]
fn a_format_that_loses_a_record_is_found_out() {
    let mut writer = EdgeWriter::of(String::new(), Box::new(Short), None, false);
    assert!(
        writer
            .write(&batch(None))
            .is_err_and(|e| e.message().contains("3 values"))
    );
    assert!(writer.write(&batch(Some(&[9, 0, 0, 0]))).is_err());
}
