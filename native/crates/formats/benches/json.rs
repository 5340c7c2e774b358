//! Nexmark events from JSON to batches and back.

use criterion::{Criterion, Throughput};
use sf_batch::{RecordBuffer, Records};
use sf_plan::RowType;
use sf_plan::proto::{self, data_type::Root};
use std::hint::black_box;

/// Events of a batch; of 50, one is a person, three are auctions, the others bids.
const EVENTS: usize = 5_000;

fn field(name: &str, root: Root, precision: i32, children: Vec<proto::Field>) -> proto::Field {
    let data_type = proto::DataType {
        root: root.into(),
        nullable: true,
        length: i32::MAX,
        precision,
        scale: 0,
        children,
    };
    proto::Field {
        name: name.into(),
        r#type: Some(data_type),
    }
}

/// The table of the Nexmark queries.
fn events_type() -> proto::DataType {
    let bigint = |name| field(name, Root::Bigint, 0, Vec::new());
    let string = |name| field(name, Root::Varchar, 0, Vec::new());
    let time = |name| field(name, Root::Timestamp, 3, Vec::new());
    let person = vec![
        bigint("id"),
        string("name"),
        string("emailAddress"),
        string("creditCard"),
        string("city"),
        string("state"),
        time("dateTime"),
        string("extra"),
    ];
    let auction = vec![
        bigint("id"),
        string("itemName"),
        string("description"),
        bigint("initialBid"),
        bigint("reserve"),
        time("dateTime"),
        time("expires"),
        bigint("seller"),
        bigint("category"),
        string("extra"),
    ];
    let bid = vec![
        bigint("auction"),
        bigint("bidder"),
        bigint("price"),
        string("channel"),
        string("url"),
        time("dateTime"),
        string("extra"),
    ];
    let fields = vec![
        field("event_type", Root::Integer, 0, Vec::new()),
        field("person", Root::Row, 0, person),
        field("auction", Root::Row, 0, auction),
        field("bid", Root::Row, 0, bid),
    ];
    let row = field("", Root::Row, 0, fields);
    row.r#type.unwrap_or_default()
}

fn event(i: usize) -> String {
    let time = format!(
        "2026-01-01 {:02}:{:02}:{:02}.{:02}{}",
        i / 3600 % 24,
        i / 60 % 60,
        i % 60,
        i % 100,
        // The last digit is none that would not be written.
        1 + i % 9
    );
    let extra = "lkjhgfdsapoiuytrewqmnbvcxz".repeat(1 + i % 3);
    match i % 50 {
        0 => format!(
            "{{\"event_type\":0,\"person\":{{\"id\":{i},\"name\":\"Peter Jones\",\"emailAddress\":\"nhd@xcat.com\",\"creditCard\":\"4111 1111 1111 \
             {i:04}\",\"city\":\"Portland\",\"state\":\"OR\",\"dateTime\":\"{time}\",\"extra\":\"{extra}\"}},\"auction\":null,\"bid\":null}}"
        ),
        1..=3 => format!(
            "{{\"event_type\":1,\"person\":null,\"auction\":{{\"id\":{i},\"itemName\":\"pc wkxdo\",\"description\":\"odvhy bcrlmwnq\",\"initialBid\":{},\
             \"reserve\":{},\"dateTime\":\"{time}\",\"expires\":\"{time}\",\"seller\":{},\"category\":{},\"extra\":\"{extra}\"}},\"bid\":null}}",
            i * 7,
            i * 11,
            1000 + i,
            10 + i % 5
        ),
        _ => format!(
            "{{\"event_type\":2,\"person\":null,\"auction\":null,\"bid\":{{\"auction\":{},\"bidder\":{},\"price\":{},\"channel\":\"Google\",\
             \"url\":\"https://www.nexmark.com/googl/item.htm?query=1\",\"dateTime\":\"{time}\",\"extra\":\"{extra}\"}}}}",
            1000 + i,
            2000 + i,
            i * 13
        ),
    }
}

fn json(criterion: &mut Criterion) {
    let (mut bytes, mut offsets) = (Vec::new(), vec![0]);
    for i in 0..EVENTS {
        bytes.extend(event(i).bytes());
        offsets.push(bytes.len() as i32);
    }
    let plan = proto::Reader {
        output: Some(events_type()),
        kind: Some(proto::reader::Kind::Json(proto::JsonReader::default())),
        ..Default::default()
    };
    let mut reader = sf_formats::reader(&plan).expect("a reader");
    let records = Records::new(&bytes, &offsets).expect("records");
    let batch = reader.read(records).expect("a batch");

    let form = proto::Form {
        columns: vec![0, 1, 2, 3],
        kind: Some(proto::form::Kind::Json(proto::JsonWriter::default())),
        ..Default::default()
    };
    let row = RowType::try_from(Some(&events_type())).expect("a row type");
    let mut writer = sf_formats::writer_form(&form, &row).expect("a writer");
    let mut out = RecordBuffer::default();
    writer.write(&batch, &mut out).expect("records");
    assert!(out.bytes == bytes, "what was read is written again");

    let mut group = criterion.benchmark_group("json");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("decode", |bencher| {
        bencher.iter(|| black_box(reader.read(black_box(records)).expect("a batch")));
    });
    group.bench_function("encode", |bencher| {
        bencher.iter(|| {
            out.clear();
            writer.write(black_box(&batch), &mut out).expect("records");
        });
    });
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    json(&mut criterion);
    criterion.final_summary();
}
