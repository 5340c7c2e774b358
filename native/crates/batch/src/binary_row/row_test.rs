use crate::{RowBuilder, RowKind, RowMut, RowView};
use sf_core::ErrorKind;

#[test]
fn a_row_gives_what_was_set() {
    let mut row = RowBuilder::new(60);
    row.start(RowKind::UpdateAfter);
    row.set_big_int(0, i64::MIN);
    row.set_boolean(1, true);
    row.set_tiny_int(2, -1);
    row.set_small_int(3, i16::MIN);
    row.set_int(4, i32::MIN);
    row.set_float(5, f32::from_bits(0x7fc0_0001));
    row.set_double(6, -0.0);
    row.set_binary(7, b"1234567");
    row.set_binary(8, b"12345678\xff");
    row.set_decimal(9, -5, 18);
    row.set_decimal(10, -129, 19);
    row.set_timestamp(11, -1, 0, 3);
    row.set_timestamp(12, -1, 999_999, 9);
    row.set_null(59);
    let bytes = row.row().unwrap();
    let view = RowView::new(bytes, 60).unwrap();
    assert_eq!(view.kind().unwrap(), RowKind::UpdateAfter);
    assert_eq!(view.big_int(0), i64::MIN);
    assert!(view.boolean(1) && !view.is_null(1) && view.is_null(59));
    assert_eq!((view.tiny_int(2), view.small_int(3)), (-1, i16::MIN));
    assert_eq!(view.int(4), i32::MIN);
    assert_eq!(view.float(5).to_bits(), 0x7fc0_0001);
    assert_eq!(view.double(6).to_bits(), (-0.0_f64).to_bits());
    assert_eq!(view.binary(7).unwrap(), b"1234567");
    assert_eq!(view.binary(8).unwrap(), b"12345678\xff");
    assert_eq!(view.decimal(9, 18).unwrap(), -5);
    assert_eq!(view.decimal(10, 38).unwrap(), -129);
    assert_eq!(view.timestamp(11, 3).unwrap(), (-1, 0));
    assert_eq!(view.timestamp(12, 9).unwrap(), (-1, 999_999));
    // 60 fields need two words of null bits; the variable part has 16 + 16 + 8 bytes.
    assert_eq!(bytes.len(), 16 + 8 * 60 + 40);
    let length = (bytes.len() as u32).to_be_bytes();
    let serialized = [&length[..], bytes].concat();
    assert_eq!(
        RowView::from_serialized(&serialized, 60).unwrap().bytes(),
        bytes
    );
    assert!(RowView::from_serialized(&serialized[..99], 60).is_err());
}

#[test]
fn a_builder_forgets_the_row_before() {
    let mut row = RowBuilder::new(2);
    row.set_null(0);
    row.set_binary(1, &[0xff; 30]);
    row.start(RowKind::Insert);
    let fresh = RowBuilder::new(2);
    assert_eq!(row.row().unwrap(), fresh.row().unwrap());
}

#[test]
fn fields_change_in_place() {
    let mut row = RowBuilder::new(3);
    row.set_null(0);
    row.set_big_int(1, -1);
    row.set_binary(2, b"stays as it is");
    let mut bytes = row.row().unwrap().to_vec();
    let mut change = RowMut::new(&mut bytes, 3).unwrap();
    change.set_int(0, 7);
    change.set_null(1);
    change.set_kind(RowKind::Delete);
    assert_eq!(change.view().unwrap().int(0), 7);
    row.start(RowKind::Delete);
    row.set_int(0, 7);
    row.set_null(1);
    row.set_binary(2, b"stays as it is");
    assert_eq!(row.row().unwrap(), bytes);
}

#[test]
fn bytes_that_lead_out_of_the_row_are_errors() {
    let mut row = RowBuilder::new(1);
    row.set_binary(0, b"eight by");
    let good = row.row().unwrap().to_vec();
    assert!(RowView::new(&good[..15], 1).is_err());
    assert!(RowMut::new(&mut good.clone()[..15], 1).is_err());
    let broken = |at: usize, byte: u8| {
        let mut bad = good.clone();
        bad[at] = byte;
        let view = RowView::new(&bad, 1).unwrap();
        let kind = view.binary(0).unwrap_err().kind();
        assert_eq!(kind, ErrorKind::Corrupt, "byte {at}");
    };
    // One byte more, a start behind the end, an offset of nearly 2 GiB, nine bytes in the slot.
    broken(8, 9);
    broken(12, 25);
    broken(15, 0x7f);
    broken(15, 0x89);
    let view = RowView::new(&good, 1).unwrap();
    assert!(view.decimal(0, 38).is_ok() && view.row(0, 1).is_err());
    assert!(view.timestamp(0, 6).is_ok() && view.map(0).is_err());
    assert!(view.array(0, 8).is_err());
    row.start(RowKind::Insert);
    row.set_timestamp(0, 0, 1_000_000, 6);
    let view = RowView::new(row.row().unwrap(), 1).unwrap();
    assert!(view.timestamp(0, 6).is_err());
}
