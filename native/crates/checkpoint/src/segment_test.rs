use crate::*;
use proptest::prelude::*;
use sf_core::{ErrorKind, Result};

type Row = (u16, bool, u32, u32, Vec<u8>, Vec<u8>);

fn encode(groups: &[(u32, SectionKind, Vec<Row>)], compression: Compression) -> Vec<u8> {
    let mut encoder = SegmentEncoder::new(7, compression);
    let mut file = Vec::new();
    let mut take = |encoder: &mut SegmentEncoder| {
        let mut piece = vec![0; encoder.ready()];
        encoder.output(&mut piece);
        file.extend(piece);
    };
    for (key_group, kind, rows) in groups {
        encoder.begin_section(*key_group, *kind, *kind == SectionKind::Full);
        for (state, tombstone, prefix_len, seq, key, value) in rows {
            encoder.push(&SegmentRow {
                state: *state,
                tombstone: *tombstone,
                prefix_len: *prefix_len,
                seq: *seq,
                key,
                value,
            });
            take(&mut encoder);
        }
    }
    let worth_writing = encoder.finish();
    take(&mut encoder);
    let len = if worth_writing {
        encoder.totals().file_bytes
    } else {
        0
    };
    assert_eq!(file.len() as u64, len);
    file
}

fn index(file: &[u8]) -> Result<SegmentIndex> {
    let mut tail = SegmentIndex::TRAILER_LEN.min(file.len());
    loop {
        match SegmentIndex::parse(&file[file.len() - tail..], file.len() as u64)? {
            Ok(index) => return Ok(index),
            Err(needed) => {
                assert!(
                    needed > tail && needed <= file.len(),
                    "asks for {needed} of {}",
                    file.len()
                );
                tail = needed;
            }
        }
    }
}

fn decode(file: &[u8], piece: usize) -> Result<Vec<(u32, Row)>> {
    let mut rows = Vec::new();
    for section in index(file)?.sections {
        let (from, to) = (
            section.offset as usize,
            (section.offset + section.length) as usize,
        );
        let mut decoder =
            SectionDecoder::new("file-1", section.key_group, section.offset, section.length);
        for bytes in file[from..to].chunks(piece) {
            decoder.feed(bytes, |row| {
                let copy = (row.key.to_vec(), row.value.to_vec());
                let SegmentRow {
                    state,
                    tombstone,
                    prefix_len,
                    seq,
                    ..
                } = row;
                rows.push((
                    section.key_group,
                    (state, tombstone, prefix_len, seq, copy.0, copy.1),
                ));
                Ok(())
            })?;
        }
        assert_eq!(decoder.end()?, section.rows);
    }
    Ok(rows)
}

fn sample() -> Vec<(u32, SectionKind, Vec<Row>)> {
    vec![
        (0, SectionKind::Full, vec![]),
        (
            3,
            SectionKind::Delta,
            vec![(0, false, 0, 0, b"key".to_vec(), vec![5; 300])],
        ),
        (
            4,
            SectionKind::Full,
            vec![
                (1, true, 2, 9, b"ab".to_vec(), vec![]),
                (1, false, 2, 9, b"abc".to_vec(), b"value".to_vec()),
            ],
        ),
    ]
}

fn compressions() -> [Compression; 3] {
    [Compression::None, Compression::Lz4, Compression::Zstd]
}

#[test]
fn every_flipped_bit_is_refused() {
    for compression in compressions() {
        let file = encode(&sample(), compression);
        let good = decode(&file, 64).expect("reads");
        for at in 0..file.len() {
            let mut bad = file.clone();
            bad[at] ^= 1 << (at % 8);
            match decode(&bad, 64) {
                Err(error) => assert_eq!(error.kind(), ErrorKind::Corrupt, "byte {at}"),
                // The header's 24 bytes are for people and other tools; the footer repeats them.
                Ok(rows) => assert!(at < 24 && rows == good, "byte {at} of {}", file.len()),
            }
        }
    }
}

#[test]
fn every_truncation_is_refused() {
    let file = encode(&sample(), Compression::Lz4);
    for len in 0..file.len() {
        let error = decode(&file[..len], 64).expect_err("is cut off");
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{len}");
    }
}

#[test]
fn errors_name_file_key_group_and_offset() {
    let file = encode(&sample(), Compression::None);
    let section = index(&file).expect("reads").sections[1];
    let mut bad = file;
    bad[section.offset as usize + 40] ^= 1;
    let error = decode(&bad, 1000).expect_err("is flipped");
    let place = format!(
        "segment file-1, key group 3, offset {}: block checksum",
        section.offset
    );
    assert!(error.message().starts_with(&place), "{error}");
}

#[test]
fn a_later_version_is_refused_by_name() {
    let mut file = encode(&sample(), Compression::None);
    let version = file.len() - SegmentIndex::TRAILER_LEN + 20;
    file[version] = 9;
    let error = decode(&file, 64).expect_err("is unknown");
    assert!(error.message().contains("version 9 is not 1"), "{error}");
}

#[test]
fn blocks_cannot_be_swapped() {
    let row = |n: u8| (0, false, 0, 0, vec![n], vec![n; 90_000]);
    let file = encode(
        &[(1, SectionKind::Full, (0..6).map(row).collect())],
        Compression::None,
    );
    let good = decode(&file, 4096).expect("reads");
    assert_eq!(good.len(), 6);
    let section = index(&file).expect("reads").sections[0];
    let half = (section.length / 3) as usize;
    let from = section.offset as usize;
    let mut bad = file.clone();
    bad[from..from + half].copy_from_slice(&file[from + half..from + 2 * half]);
    bad[from + half..from + 2 * half].copy_from_slice(&file[from..from + half]);
    let error = decode(&bad, 4096).expect_err("blocks are swapped");
    assert!(
        error.message().contains("where block 0 is expected"),
        "{error}"
    );
}

#[test]
fn nothing_to_say_writes_nothing() {
    let mut encoder = SegmentEncoder::new(1, Compression::None);
    encoder.begin_section(0, SectionKind::Delta, false);
    encoder.begin_section(1, SectionKind::Full, false);
    assert!(!encoder.finish());
    assert_eq!(encoder.ready(), 0);
}

#[test]
fn a_long_file_is_not_kept_in_memory() {
    let mut encoder = SegmentEncoder::new(1, Compression::None);
    encoder.begin_section(0, SectionKind::Full, false);
    let (value, mut piece, mut len) = (vec![7; 1000], vec![0; 100_000], 0);
    for n in 0..50_000_u32 {
        let key = n.to_be_bytes();
        encoder.push(&SegmentRow {
            state: 0,
            tombstone: false,
            prefix_len: 0,
            seq: 0,
            key: &key,
            value: &value,
        });
        while encoder.ready() >= piece.len() {
            len += encoder.output(&mut piece);
        }
        assert!(
            encoder.held() < 1 << 20,
            "{} bytes are held after {len}",
            encoder.held()
        );
    }
    assert!(len > 49_000_000);
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let bytes = |max| proptest::collection::vec(any::<u8>(), 0..max);
    let row = (
        any::<u16>(),
        any::<bool>(),
        any::<u32>(),
        bytes(40),
        bytes(3000),
    );
    let row = row.prop_map(|(state, tombstone, seq, key, value)| {
        let value = if tombstone { vec![] } else { value };
        (state, tombstone, key.len() as u32, seq, key, value)
    });
    proptest::collection::vec(row, 0..120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rows_round_trip(
        groups in proptest::collection::btree_map(0..200_u32, (any::<bool>(), rows()), 0..5),
        compression in 0..3_usize,
        piece in 1..5000_usize,
    ) {
        let kind = |full| if full { SectionKind::Full } else { SectionKind::Delta };
        let groups: Vec<_> = groups.into_iter().map(|(g, (full, rows))| (g, kind(full), rows)).collect();
        let file = encode(&groups, compressions()[compression]);
        if groups.iter().all(|(_, kind, rows)| *kind == SectionKind::Delta && rows.is_empty()) {
            prop_assert!(file.is_empty());
        } else {
            let all: Vec<_> = groups
                .into_iter()
                .flat_map(|(group, _, rows)| rows.into_iter().map(move |row| (group, row)))
                .collect();
            prop_assert_eq!(decode(&file, piece), Ok(all));
        }
    }

    #[test]
    fn garbage_is_refused_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(decode(&bytes, 64).is_err());
        let mut decoder = SectionDecoder::new("x", 0, 0, bytes.len() as u64);
        let fed = decoder.feed(&bytes, |_| Ok(()));
        prop_assert!(fed.is_err() || decoder.end().is_err() || bytes.is_empty());
    }
}
