use crate::deletion::{Entry, decode, decode_part, encode, part_len};
use proptest::prelude::*;
use roaring::RoaringBitmap;
use sf_core::ErrorKind;

/// What pyroaring and zlib make of the vectors {1, 2, 70000}, {} and 10..1010 (as a run).
const PINNED: &str = "01000000225e43f2d03a300000020000000000010001000000180000001c0000000100020070117109b50c\
    0000000c5e43f2d03a300000000000005de5c7e9000000135e43f2d03b300000010000e70301000a00e70332b5b8fb";

fn vectors() -> [RoaringBitmap; 3] {
    let mut run: RoaringBitmap = (10..1010).collect();
    run.optimize();
    [
        [1, 2, 70_000].into_iter().collect(),
        RoaringBitmap::new(),
        run,
    ]
}

#[test]
fn a_file_is_what_other_libraries_write() {
    let vectors = vectors();
    let (file, entries) = encode(&vectors.each_ref()).unwrap();
    let hex: String = file.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, PINNED);
    let entry = |offset, length, cardinality| Entry {
        offset,
        length,
        cardinality,
    };
    assert_eq!(
        entries,
        [entry(1, 34, 3), entry(43, 12, 0), entry(63, 19, 1000)]
    );
    for (vector, entry) in vectors.iter().zip(entries) {
        assert_eq!(&decode(&file, entry.offset, entry.length).unwrap(), vector);
    }
}

#[test]
fn a_file_of_no_vectors_has_its_version_only() {
    assert_eq!(encode(&[]).unwrap(), (vec![1], vec![]));
}

#[test]
fn any_flipped_bit_is_found() {
    let vectors = vectors();
    let (mut file, entries) = encode(&vectors.each_ref()).unwrap();
    for bit in 0..file.len() * 8 {
        file[bit / 8] ^= 1 << (bit % 8);
        for (vector, entry) in vectors.iter().zip(&entries) {
            let found = decode(&file, entry.offset, entry.length);
            let part =
                entry.offset as usize..entry.offset as usize + part_len(entry.length) as usize;
            let hit = bit < 8 || part.contains(&(bit / 8));
            match found {
                Ok(found) => assert!(!hit && &found == vector, "bit {bit}"),
                Err(error) => {
                    assert!(hit, "bit {bit}: {error}");
                    assert_eq!(error.kind(), ErrorKind::Corrupt);
                }
            }
        }
        file[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn places_outside_the_file_are_corrupt() {
    let (file, entries) = encode(&vectors().each_ref()).unwrap();
    for (offset, length) in [(63, 20), (u32::MAX, 19), (1, u32::MAX), (62, 19), (0, 0)] {
        let error = decode(&file, offset, length).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(
            error.message().contains(&format!("offset {offset}")),
            "{error}"
        );
    }
    assert!(decode(&[], entries[0].offset, entries[0].length).is_err());
    for len in 0..20 {
        assert!(decode_part(&file[1..1 + len]).is_err());
    }
}

proptest! {
    #[test]
    fn vectors_are_read_as_they_were_written(
        rows in prop::collection::vec(prop::collection::vec(0..200_000_u32, 0..300), 0..5),
        runs in prop::collection::vec((0..100_000_u32, 0..70_000_u32), 0..3),
    ) {
        let mut vectors: Vec<RoaringBitmap> =
            rows.into_iter().map(|rows| rows.into_iter().collect()).collect();
        for (from, len) in runs {
            let mut run = RoaringBitmap::new();
            run.insert_range(from..from + len);
            run.optimize();
            vectors.push(run);
        }
        vectors.push([i32::MAX as u32 - 1].into_iter().collect());
        let (file, entries) = encode(&vectors.iter().collect::<Vec<_>>()).unwrap();
        for (vector, entry) in vectors.iter().zip(entries) {
            let found = decode(&file, entry.offset, entry.length).unwrap();
            prop_assert_eq!(&found, vector);
            prop_assert_eq!(found.len(), entry.cardinality);
        }
    }

    #[test]
    fn nothing_panics(anything in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = decode_part(&anything);
        // With a checksum that fits.
        let mut part = (anything.len() as u32 + 4).to_be_bytes().to_vec();
        part.extend(1_581_511_376_u32.to_be_bytes());
        part.extend(&anything);
        part.extend(crc32fast::hash(&part[4..]).to_be_bytes());
        let _ = decode_part(&part);
    }
}
