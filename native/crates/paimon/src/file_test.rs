use crate::*;
use bytes::Bytes;
use proptest::prelude::*;
use sf_core::{ErrorKind, Result};
use std::sync::Arc;

/// A row that owns its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Row {
    pub(crate) key_group: u32,
    pub(crate) state: u16,
    pub(crate) key: Vec<u8>,
    pub(crate) namespace: Vec<u8>,
    pub(crate) user_key: Vec<u8>,
    pub(crate) value: Option<Vec<u8>>,
    pub(crate) timestamp: Option<i64>,
    pub(crate) checkpoint: i64,
}

impl Row {
    pub(crate) fn borrow(&self) -> TableRow<'_> {
        TableRow {
            key_group: self.key_group,
            state: self.state,
            key: &self.key,
            namespace: &self.namespace,
            user_key: &self.user_key,
            value: self.value.as_deref(),
            timestamp: self.timestamp,
            checkpoint: self.checkpoint,
        }
    }

    fn of(row: TableRow<'_>) -> Self {
        Self {
            key_group: row.key_group,
            state: row.state,
            key: row.key.to_vec(),
            namespace: row.namespace.to_vec(),
            user_key: row.user_key.to_vec(),
            value: row.value.map(<[u8]>::to_vec),
            timestamp: row.timestamp,
            checkpoint: row.checkpoint,
        }
    }
}

/// Takes what is ready in pieces of `piece` bytes.
fn drain(writer: &mut DataFileWriter, piece: usize, file: &mut Vec<u8>) {
    let mut buffer = vec![0; piece];
    loop {
        let ready = writer.ready();
        let len = writer.output(&mut buffer);
        assert_eq!(len, ready.min(piece));
        if len == 0 {
            return;
        }
        file.extend(&buffer[..len]);
    }
}

pub(crate) fn write(
    columns: TableColumns,
    compression: Compression,
    rows: &[Row],
    piece: usize,
) -> Vec<u8> {
    let mut writer = DataFileWriter::new(&Arc::new(columns), compression, 1 << 40).unwrap();
    let mut file = Vec::new();
    for row in rows {
        writer.push(&row.borrow()).unwrap();
        if writer.ready() > 0 {
            drain(&mut writer, piece, &mut file);
        }
    }
    writer.finish().unwrap();
    drain(&mut writer, piece, &mut file);
    let totals = FileTotals {
        rows: rows.len() as u64,
        file_bytes: file.len() as u64,
        raw_bytes: rows.iter().map(|row| row.borrow().raw_len() as u64).sum(),
    };
    assert_eq!(writer.totals(), totals);
    file
}

pub(crate) fn no_columns() -> TableColumns {
    TableColumns::new(Vec::new()).unwrap()
}

/// Reads the footer as a caller that asks for no more than it has to.
fn index(file: &[u8]) -> Result<DataFileIndex> {
    let mut tail = DataFileIndex::TRAILER_LEN.min(file.len());
    let mut rounds = 0;
    loop {
        let parsed = DataFileIndex::parse(&file[file.len() - tail..], file.len() as u64)?;
        match parsed {
            Ok(index) => return Ok(index),
            Err(needed) => {
                assert!(
                    needed > tail && needed <= file.len(),
                    "asks for {needed} of {}",
                    file.len()
                );
                (tail, rounds) = (needed, rounds + 1);
                assert!(rounds <= 3);
            }
        }
    }
}

fn read(file: &[u8]) -> Result<Vec<Row>> {
    let index = index(file)?;
    let mut rows = Vec::new();
    for (number, group) in index.row_groups().iter().enumerate() {
        assert_eq!(group.first_row as usize, rows.len());
        let bytes = &file[group.offset as usize..(group.offset + group.length) as usize];
        index.read(number, Bytes::copy_from_slice(bytes), |place, row| {
            assert_eq!(place as usize, rows.len());
            assert!((group.first_key_group..=group.last_key_group).contains(&row.key_group));
            rows.push(Row::of(row));
            Ok(())
        })?;
        assert_eq!(rows.len(), (group.first_row + group.rows) as usize);
    }
    Ok(rows)
}

fn small_rows() -> Vec<Row> {
    let rows = (0..20_u8).map(|n| Row {
        key_group: u32::from(n / 4),
        state: u16::from(n % 4),
        key: vec![n; usize::from(n)],
        namespace: vec![1; usize::from(n % 3)],
        user_key: b"user".repeat(usize::from(n % 2)),
        value: (n % 5 != 0).then(|| vec![n ^ 0x55; 12]),
        timestamp: (n % 4 == 3).then_some(i64::from(n) - 9),
        checkpoint: 42,
    });
    rows.collect()
}

const ALL: [Compression; 3] = [Compression::None, Compression::Zstd, Compression::Snappy];

#[test]
fn rows_are_read_as_they_were_written() {
    for compression in ALL {
        for piece in [1, 100, 1 << 20] {
            let file = write(no_columns(), compression, &small_rows(), piece);
            assert_eq!(read(&file).unwrap(), small_rows());
        }
    }
}

#[test]
fn a_file_without_rows_is_a_file() {
    let file = write(no_columns(), Compression::Zstd, &[], 100);
    assert_eq!(index(&file).unwrap().row_groups(), []);
}

#[test]
fn row_groups_end_with_key_groups_unless_these_are_large() {
    let row = |key_group, n: u32| Row {
        key_group,
        key: n.to_be_bytes().to_vec(),
        value: Some(vec![0; 4]),
        ..Row::default()
    };
    // 70,000 rows of two key groups, 200,000 of the third, one of the last.
    let groups = [(1, 0..30_000), (3, 30_000..70_000), (4, 70_000..270_000)];
    let mut rows: Vec<Row> = Vec::new();
    for (key_group, numbers) in groups {
        rows.extend(numbers.map(|n| row(key_group, n)));
    }
    rows.push(row(9, 0));
    let file = write(no_columns(), Compression::Zstd, &rows, 1 << 16);
    let index = index(&file).unwrap();
    let shape: Vec<_> = index
        .row_groups()
        .iter()
        .map(|group| {
            (
                group.first_key_group,
                group.last_key_group,
                group.first_row,
                group.rows,
            )
        })
        .collect();
    let limit = 128 * 1024;
    assert_eq!(
        shape,
        [
            (1, 3, 0, 70_000),
            (4, 4, 70_000, limit),
            (4, 4, 70_000 + limit, 200_000 - limit),
            (9, 9, 270_000, 1)
        ]
    );
    assert_eq!(read(&file).unwrap(), rows);
}

#[test]
fn row_groups_end_when_they_have_many_bytes() {
    let row = |key_group, length| Row {
        key_group,
        value: Some((0..length).map(|n: u32| (n % 251) as u8).collect()),
        ..Row::default()
    };
    let half = 1 << 19;
    let mut rows = vec![row(0, 3 * half), row(1, 2 * half), row(2, 20 * half)];
    rows.extend([row(2, 0), row(2, 5 * half), row(3, 1)]);
    for compression in ALL {
        let file = write(no_columns(), compression, &rows, 1 << 20);
        let index = index(&file).unwrap();
        let starts: Vec<u32> = index.row_groups().iter().map(|g| g.first_row).collect();
        assert_eq!(starts, [0, 2, 3, 5]);
        assert_eq!(read(&file).unwrap(), rows);
    }
}

#[test]
fn what_a_file_cannot_hold_is_refused() {
    let columns = Arc::new(no_columns());
    let mut writer = DataFileWriter::new(&columns, Compression::None, 0).unwrap();
    let huge = Row {
        value: Some(vec![0; (1 << 30) + 1]),
        ..Row::default()
    };
    let error = writer.push(&huge.borrow()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::User);
    let of = |key_group| Row {
        key_group,
        ..Row::default()
    };
    writer.push(&of(5).borrow()).unwrap();
    let error = writer.push(&of(4).borrow()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
}

#[test]
fn an_error_of_the_receiver_ends_the_reading() {
    let file = write(no_columns(), Compression::Zstd, &small_rows(), 100);
    let index = index(&file).unwrap();
    let group = index.row_groups()[0];
    let bytes = &file[group.offset as usize..(group.offset + group.length) as usize];
    let bytes = Bytes::copy_from_slice(bytes);
    let error = index.read(0, bytes.clone(), |row, _| match row {
        3 => Err(sf_core::Error::memory("full")),
        _ => Ok(()),
    });
    assert_eq!(error, Err(sf_core::Error::memory("full")));
    let error = index.read(0, bytes.slice(1..), |_, _| Ok(())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(index.read(1, bytes, |_, _| Ok(())).is_err());
}

#[test]
fn any_flipped_bit_is_found_or_harmless() {
    for compression in ALL {
        let rows = small_rows();
        let mut file = write(no_columns(), compression, &rows, 100);
        let mut harmless = 0;
        for bit in 0..file.len() * 8 {
            file[bit / 8] ^= 1 << (bit % 8);
            match read(&file) {
                Ok(found) => {
                    assert_eq!(found, rows, "bit {bit}");
                    harmless += 1;
                }
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Corrupt, "bit {bit}: {error}");
                    assert!(error.message().contains("offset"), "bit {bit}: {error}");
                }
            }
            file[bit / 8] ^= 1 << (bit % 8);
        }
        assert_eq!(harmless, 4 * 8, "only the magic at the start is not read");
    }
}

#[test]
fn a_file_that_is_cut_off_or_longer_is_corrupt() {
    let file = write(no_columns(), Compression::Zstd, &small_rows(), 100);
    for len in 0..file.len() {
        let error = read(&file[..len]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        // Cut off at its start.
        let error = read(&file[len + 1..]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }
    let longer = [file.as_slice(), &[0]].concat();
    assert!(read(&longer).is_err());
}

#[test]
fn writers_and_indexes_may_change_threads() {
    fn sent<T: Send>() {}
    fn shared<T: Send + Sync>() {}
    sent::<DataFileWriter>();
    shared::<DataFileIndex>();
    shared::<TableColumns>();
}

#[test]
fn output_is_not_held_when_it_is_taken() {
    let columns = Arc::new(no_columns());
    let mut writer = DataFileWriter::new(&columns, Compression::None, 0).unwrap();
    let mut buffer = vec![0; 64 * 1024];
    let row = Row {
        value: Some(vec![7; 100 * 1024]),
        ..Row::default()
    };
    for _ in 0..1000 {
        writer.push(&row.borrow()).unwrap();
        assert!(writer.ready() < 9 << 20, "{}", writer.ready());
        while writer.output(&mut buffer) > 0 {}
    }
    assert!(writer.held() < 40 << 20, "{}", writer.held());
}

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        10 => prop::collection::vec(any::<u8>(), 0..40),
        1 => Just(Vec::new()),
        1 => (any::<u8>(), 0..300_000_usize).prop_map(|(byte, len)| vec![byte; len]),
    ]
}

pub(crate) fn any_row() -> impl Strategy<Value = Row> {
    let place = (
        0..300_u32,
        prop_oneof![0..5_u16, any::<u16>()],
        any::<i64>(),
    );
    let timestamp = prop_oneof![
        Just(None),
        any::<i64>().prop_map(Some),
        Just(Some(i64::MIN)),
        Just(Some(i64::MAX))
    ];
    let parts = (any_bytes(), any_bytes(), any_bytes());
    let value = prop::option::of(any_bytes());
    (place, parts, value, timestamp).prop_map(
        |((key_group, state, checkpoint), (key, namespace, user_key), value, timestamp)| Row {
            key_group,
            state,
            key,
            namespace,
            user_key,
            value,
            timestamp,
            checkpoint,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_rows_are_read_as_they_were_written(
        mut rows in prop::collection::vec(any_row(), 0..60),
        repeated in 0..60_usize,
        code in prop::sample::select(vec![0, 2, 3]),
        piece in 1..5000_usize,
    ) {
        // Many rows of one key group: several batches and pages.
        if let Some(row) = rows.get(repeated).filter(|row| row.key.len() < 50).cloned() {
            rows.extend((0..3000_u32).map(|n| Row { user_key: n.to_be_bytes().to_vec(), value: None, ..row.clone() }));
        }
        rows.sort_by_key(|row| row.key_group);
        let compression = Compression::from_code(code).unwrap();
        let file = write(no_columns(), compression, &rows, piece);
        prop_assert_eq!(read(&file).unwrap(), rows);
    }

    #[test]
    fn a_damaged_file_is_corrupt(
        at in any::<prop::sample::Index>(),
        damage in prop::collection::vec(any::<u8>(), 1..20),
    ) {
        let rows = small_rows();
        let mut file = write(no_columns(), Compression::Zstd, &rows, 1000);
        let at = at.index(file.len());
        for (byte, new) in file[at..].iter_mut().zip(damage) {
            *byte = new;
        }
        match read(&file) {
            Ok(found) => prop_assert_eq!(found, rows),
            Err(error) => prop_assert_eq!(error.kind(), ErrorKind::Corrupt),
        }
    }

    #[test]
    fn no_bytes_panic(anything in prop::collection::vec(any::<u8>(), 0..200), length in 0..220_u32) {
        let mut file = anything.clone();
        file.extend(length.to_le_bytes());
        file.extend(b"PAR1");
        for file in [anything, file] {
            prop_assert!(read(&file).is_err());
        }
    }
}
