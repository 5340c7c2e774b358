use super::{JsonReader, JsonWriter};
use crate::testing::{batch, row_type, rows};
use crate::value::Value;
use proptest::prelude::*;
use sf_batch::{Reader, RecordBuffer, Records, Writer};
use sf_core::Result;
use sf_plan::{RowType, proto};

const ROW: &str = "ROW<i INT, l BIGINT, d DOUBLE, b BOOLEAN, s STRING, p BYTES, n DECIMAL(20, 5), t TIMESTAMP(3), u TIMESTAMP(9), \
                   a ARRAY<STRING>, r ROW<x INT, y STRING, z ROW<w DOUBLE>>, m MAP<STRING, INT>>";

fn nullable(value: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Value> {
    prop_oneof![1 => Just(Value::Null), 7 => value]
}

fn text() -> impl Strategy<Value = Value> {
    nullable(any::<String>().prop_map(|text| Value::Bytes(text.into_bytes())))
}

fn int() -> impl Strategy<Value = Value> {
    nullable(any::<i32>().prop_map(|value| Value::Int(value.into())))
}

fn double() -> impl Strategy<Value = Value> {
    nullable(any::<f64>().prop_map(Value::Double))
}

fn row() -> impl Strategy<Value = Value> {
    let nested = (
        int(),
        text(),
        nullable(double().prop_map(|w| Value::Row(vec![w]))),
    );
    let nested = nullable(nested.prop_map(|(x, y, z)| Value::Row(vec![x, y, z])));
    let scalars = (
        int(),
        nullable(any::<i64>().prop_map(Value::Int)),
        double(),
        nullable(any::<bool>().prop_map(Value::Bool)),
        text(),
        nullable(any::<Vec<u8>>().prop_map(Value::Bytes)),
        nullable(
            (-99_999_999_999_999_999_999i128..=99_999_999_999_999_999_999).prop_map(Value::Decimal),
        ),
        // The years 0 to 9999 and others.
        nullable((-80_000_000_000_000i64..300_000_000_000_000).prop_map(Value::Int)),
        nullable(
            (-80_000_000_000_000i64..300_000_000_000_000, 0..1_000_000)
                .prop_map(|(m, n)| Value::Wide(m, n)),
        ),
    );
    let list = nullable(prop::collection::vec(text(), 0..4).prop_map(Value::List));
    let map = prop::collection::btree_map("[a-c]{0,2}", int(), 0..2);
    let map = map.prop_map(|map| {
        map.into_iter()
            .map(|(k, v)| (Value::Bytes(k.into_bytes()), v))
    });
    let map = nullable(map.prop_map(|map| Value::Map(map.collect())));
    (scalars, list, nested, map).prop_map(|((i, l, d, b, s, p, n, t, u), a, r, m)| {
        Value::Row(vec![i, l, d, b, s, p, n, t, u, a, r, m])
    })
}

fn write(row: &RowType, values: &[Value]) -> RecordBuffer {
    let columns = (0..row.fields().len()).collect();
    let mut writer = JsonWriter::new(&proto::JsonWriter::default(), columns, row).unwrap();
    let mut out = RecordBuffer::default();
    writer.write(&batch(row, values), &mut out).unwrap();
    out
}

fn read(row: &RowType, ignore: bool, record: &[u8]) -> Result<Vec<String>> {
    let options = proto::JsonReader {
        ignore_parse_errors: ignore,
        ..Default::default()
    };
    let mut reader = JsonReader::new(&options, row)?;
    let batch = reader.read(Records::new(record, &[0, record.len() as i32])?)?;
    Ok(rows(&batch, row))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_written_is_read_back(values in prop::collection::vec(row(), 1..5)) {
        let row = row_type(ROW);
        let written = write(&row, &values);
        let offsets: Vec<i32> = std::iter::once(0).chain(written.ends.iter().map(|e| *e as i32)).collect();
        let mut reader = JsonReader::new(&proto::JsonReader::default(), &row).unwrap();
        let back = reader.read(Records::new(&written.bytes, &offsets).unwrap()).unwrap();
        prop_assert_eq!(rows(&back, &row), rows(&batch(&row, &values), &row));
    }

    #[test]
    fn what_is_cut_off_gives_no_row(value in row(), at in any::<prop::sample::Index>()) {
        let row = row_type(ROW);
        let written = write(&row, &[value]).bytes;
        let cut = &written[..at.index(written.len())];
        let read_strictly = read(&row, false, cut);
        if cut.is_empty() {
            prop_assert_eq!(read_strictly.unwrap().len(), 0);
        } else {
            prop_assert!(read_strictly.is_err());
        }
        prop_assert_eq!(read(&row, true, cut).unwrap().len(), 0);
    }

    #[test]
    fn any_bytes_are_rows_or_errors(bytes in any::<Vec<u8>>(), text in "[\\[\\]{}:,\"\\\\ a-f0-9u.e+-]{0,40}") {
        let row = row_type("ROW<a INT, b STRING, c ROW<d ARRAY<DOUBLE>, e MAP<STRING, BOOLEAN>>>");
        for record in [&bytes[..], text.as_bytes(), format!("{{\"a\":{text}").as_bytes(), format!("{{\"c\":{{\"d\":{text}").as_bytes()] {
            let strict = read(&row, false, record);
            let lenient = read(&row, true, record).unwrap();
            // What is no error is the same for both.
            if let Ok(rows) = strict {
                prop_assert_eq!(rows, lenient);
            }
        }
    }

    #[test]
    fn both_ways_of_reading_agree(
        value in row(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(b"{}[]\",:\\ntf019-+.eE \n/u\xc3\xa4".to_vec())), 0..3),
    ) {
        let row = row_type(ROW);
        let mut record = write(&row, &[value]).bytes;
        for (at, byte) in changes {
            let at = at.index(record.len());
            record[at] = byte;
        }
        for ignore in [false, true] {
            let options = proto::JsonReader { ignore_parse_errors: ignore, ..Default::default() };
            let mut exact = JsonReader::new(&options, &row).unwrap();
            let exact = exact.read_exactly(&record).map(|batch| rows(&batch, &row));
            let read = read(&row, ignore, &record);
            prop_assert_eq!(read.ok(), exact.ok());
        }
    }
}
