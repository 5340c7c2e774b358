//! Batches split, framed and joined again are the same rows.

#![allow(clippy::unwrap_used)]

#[path = "../../batch/tests/model/mod.rs"]
mod model;

use model::{Text, Value, any_rows, batch_of, rows_of};
use proptest::prelude::*;
use sf_batch::{Batch, EncodedRows, NullForm, RowEncoder, check_key};
use sf_codec::key_group::{key_group_of_hash, subtask_of_key_group};
use sf_core::ErrorKind;
use sf_exchange::{Coalescer, FrameReader, FrameWriter, Splitter};
use sf_plan::{DataType, RowType};

fn frame(batch: &Batch, compress: bool) -> Vec<u8> {
    let mut out = vec![];
    let mut writer = FrameWriter::new(compress).unwrap();
    writer.write(batch, &mut out).unwrap();
    out
}

fn kinds(batch: &Batch) -> Vec<i8> {
    (0..batch.rows())
        .map(|row| batch.kind(row).unwrap() as i8)
        .collect()
}

fn numbers(row: &RowType, values: std::ops::Range<i64>) -> Batch {
    let rows: Vec<_> = values
        .map(|i| Value::Row(vec![Value::Integer(i)]))
        .collect();
    batch_of(row, &rows, None)
}

#[test]
fn frames_follow_each_other() {
    let row = Text::row_type("ROW<BIGINT>");
    let (mut out, mut ends) = (vec![], vec![0]);
    let mut writer = FrameWriter::new(true).unwrap();
    for end in [3, 0, 1000] {
        writer.write(&numbers(&row, 0..end), &mut out).unwrap();
        ends.push(out.len());
    }
    let reader = FrameReader::new(&row);
    let frames = ends.windows(2).map(|ends| &out[ends[0]..ends[1]]);
    let lengths: Vec<_> = frames
        .map(|frame| reader.read(frame).unwrap().rows())
        .collect();
    assert_eq!(lengths, [3, 0, 1000]);
    // Small numbers compress well.
    assert!(ends[3] - ends[2] < 8 * 1000);
}

#[test]
fn columns_of_a_frame_share_its_memory() {
    let row = Text::row_type("ROW<BIGINT,VARCHAR,ARRAY<INT>,TIMESTAMP(9)>");
    let value = Text::new("(7;x0102030405060708;[1;~];5/6)").value(&DataType::Row(row.clone()));
    let batch = batch_of(&row, &vec![value; 100], Some(&[1; 100]));
    let frame = frame(&batch, false);
    let read = FrameReader::new(&row).read(&frame).unwrap();
    let bytes = read.memory_size();
    assert!(bytes <= frame.len(), "{bytes} of {}", frame.len());
}

#[test]
fn another_row_type_is_an_error() {
    let frame = frame(&numbers(&Text::row_type("ROW<BIGINT>"), 0..5), false);
    for other in [
        "ROW<BIGINT,BIGINT>",
        "ROW<ARRAY<BIGINT>>",
        "ROW<DECIMAL(38,0)>",
    ] {
        let error = FrameReader::new(&Text::row_type(other))
            .read(&frame)
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{other}");
    }
}

#[test]
fn keys_that_depend_on_their_source_are_refused() {
    for (row, good) in [
        ("ROW<DECIMAL(38,0)>", true),
        ("ROW<TIMESTAMP(9)>", true),
        ("ROW<ARRAY<TIMESTAMP(9)>>", true),
        ("ROW<ROW<BIGINT,VARCHAR>>", true),
        ("ROW<ROW<DECIMAL(19,0)>>", false),
        ("ROW<ARRAY<ROW<TIMESTAMP_LTZ(6)>>>", false),
        ("ROW<MAP<INT,INT>>", false),
        ("ROW<ROW<MULTISET<INT>>>", false),
    ] {
        let row_type = Text::row_type(row);
        let refused = check_key(&row_type, &[0]).map_err(|e| e.kind());
        assert_eq!(refused == Ok(()), good, "{row}");
        assert!(good || refused == Err(ErrorKind::Unsupported));
        assert_eq!(Splitter::new(&row_type, &[0], 128, 2).is_ok(), good);
    }
    let row = Text::row_type("ROW<INT>");
    for (max, channels) in [(128, 0), (2, 3), (32_769, 1)] {
        assert!(Splitter::new(&row, &[0], max, channels).is_err());
    }
}

#[test]
fn small_batches_are_joined_and_large_ones_pass() {
    let row = Text::row_type("ROW<BIGINT>");
    let mut coalescer = Coalescer::new(10, 1 << 20);
    assert!(coalescer.push(numbers(&row, 0..0)).unwrap().is_none());
    assert!(coalescer.flush().unwrap().is_none());
    assert!(coalescer.push(numbers(&row, 0..4)).unwrap().is_none());
    assert!(coalescer.held_bytes() >= 32);
    assert!(coalescer.push(numbers(&row, 4..9)).unwrap().is_none());
    let joined = coalescer.push(numbers(&row, 9..11)).unwrap().unwrap();
    assert_eq!(rows_of(&row, &joined), rows_of(&row, &numbers(&row, 0..11)));
    assert_eq!(coalescer.held_bytes(), 0);
    let large = numbers(&row, 0..10);
    let passed = coalescer.push(large.clone()).unwrap().unwrap();
    assert!(std::sync::Arc::ptr_eq(
        &passed.columns()[0],
        &large.columns()[0]
    ));
    // Bytes are enough, too.
    let mut by_bytes = Coalescer::new(usize::MAX, 100);
    assert!(by_bytes.push(numbers(&row, 0..13)).unwrap().is_some());
}

proptest! {
    #[test]
    fn frames_keep_batches(
        (row, rows, some) in any_rows(),
        cut in 0..4_usize,
        compress in any::<bool>(),
        (at, bit) in (any::<usize>(), 0..8_u8),
    ) {
        let batch = batch_of(&row, &rows, some.as_deref());
        let cut = cut.min(rows.len());
        let batch = batch.slice(cut, rows.len() - cut);
        let mut bytes = frame(&batch, compress);
        let reader = FrameReader::new(&row);
        // Frames may begin at any address.
        let moved = [&[0][..], &bytes].concat();
        let back = reader.read(&moved[1..]).unwrap();
        prop_assert_eq!(rows_of(&row, &back), &rows[cut..]);
        prop_assert_eq!(back.kinds(), batch.kinds());
        // No byte may change, and none be missing.
        let short = reader.read(&bytes[..at % bytes.len()]).unwrap_err();
        prop_assert_eq!(short.kind(), ErrorKind::Corrupt);
        let at = at % bytes.len();
        bytes[at] ^= 1 << bit;
        let flipped = reader.read(&bytes).unwrap_err();
        prop_assert_eq!(flipped.kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn channels_are_flinks(
        (row, rows, some) in any_rows(),
        channels in 1..9_u32,
        more in 0..200_u32,
        cut in 0..4_usize,
    ) {
        let key: Vec<_> = (0..row.fields().len()).filter(|i| check_key(&row, &[*i]).is_ok()).collect();
        let max = channels + more;
        let batch = batch_of(&row, &rows, some.as_deref());
        let cut = cut.min(rows.len());
        let batch = batch.slice(cut, rows.len() - cut);
        let mut splitter = Splitter::new(&row, &key, max, channels).unwrap();
        // Twice: nothing is left of a batch before.
        splitter.split(&batch).unwrap();
        let parts = splitter.split(&batch).unwrap();
        prop_assert!(parts.is_sorted_by(|a, b| a.0 < b.0));
        // What each row's own key says.
        let mut expected = vec![(vec![], vec![]); channels as usize];
        for i in 0..batch.rows() {
            let mut keys = EncodedRows::default();
            let mut encoder = RowEncoder::new(&row, &key, NullForm::Reserved).unwrap();
            encoder.encode(&batch.slice(i, 1), &mut keys).unwrap();
            let key_group = key_group_of_hash(keys.hash(0), max);
            let (values, kinds) = &mut expected[subtask_of_key_group(key_group, max, channels) as usize];
            values.push(rows[cut + i].clone());
            kinds.push(batch.kind(i).unwrap() as i8);
        }
        let mut found = vec![(vec![], vec![]); channels as usize];
        for (channel, part) in &parts {
            prop_assert!(!part.is_empty());
            found[*channel as usize] = (rows_of(&row, part), kinds(part));
        }
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn joined_batches_keep_their_order(
        (row, rows, some) in any_rows(),
        cuts in prop::collection::vec(0..12_usize, 0..5),
        min_rows in 1..9_usize,
    ) {
        let batch = batch_of(&row, &rows, some.as_deref());
        let mut cuts = cuts.into_iter().map(|cut| cut.min(rows.len())).collect::<Vec<_>>();
        cuts.extend([0, rows.len()]);
        cuts.sort_unstable();
        let mut coalescer = Coalescer::new(min_rows, usize::MAX);
        let mut out = vec![];
        for cut in cuts.windows(2) {
            let joined = coalescer.push(batch.slice(cut[0], cut[1] - cut[0])).unwrap();
            prop_assert!(joined.as_ref().is_none_or(|joined| joined.rows() >= min_rows));
            out.extend(joined);
        }
        out.extend(coalescer.flush().unwrap());
        let values: Vec<_> = out.iter().flat_map(|part| rows_of(&row, part)).collect();
        let all: Vec<_> = out.iter().flat_map(kinds).collect();
        prop_assert_eq!(values, rows);
        prop_assert_eq!(all, kinds(&batch));
    }
}
