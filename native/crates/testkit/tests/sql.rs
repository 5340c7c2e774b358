//! Native SQL through the C ABI. One test, alone in its process, because it reads process-wide counters.

use prost::Message;
use sf_plan::proto::{
    BinaryRows, Calc, DataType, Expression, Field, Form, NotNullEnforcer, Operator, Reader, Writer,
    data_type::Root, expression, form, operator, reader,
};
use sf_testkit::last_error;
use std::ptr::null_mut;
use streamfusion::budget::{SfBudget, sf_budget_free, sf_budget_new, sf_budget_used};
use streamfusion::sql::batch::{SfBatch, sf_batch_free, sf_batch_kinds, sf_batch_retain};
use streamfusion::sql::frame::{SfFrame, sf_frame_free, sf_frame_read, sf_frame_write};
use streamfusion::sql::operator::{
    SfOperator, sf_operator_flush, sf_operator_free, sf_operator_new, sf_operator_process,
};
use streamfusion::sql::plan::sf_plan_check;
use streamfusion::sql::reader::{SfReader, sf_reader_free, sf_reader_new, sf_reader_read};
use streamfusion::sql::slab::{SfSlab, sf_slab_free, sf_slab_new, sf_slab_reserve};
use streamfusion::sql::writer::{SfWriter, sf_writer_free, sf_writer_new, sf_writer_write};
use streamfusion::status::{
    SF_ERR_CLOSED, SF_ERR_CORRUPT, SF_ERR_MEMORY, SF_ERR_UNSUPPORTED, SF_ERR_USER, SF_OK,
    sf_charged_bytes, sf_live_handles,
};

const ROW_BYTES: usize = 16;

/// Rows of one BIGINT.
fn row_type() -> DataType {
    let field = Field {
        name: "v".to_owned(),
        r#type: Some(DataType {
            root: Root::Bigint.into(),
            nullable: true,
            ..DataType::default()
        }),
    };
    DataType {
        root: Root::Row.into(),
        children: vec![field],
        ..DataType::default()
    }
}

fn identity() -> Operator {
    let input = Expression {
        r#type: row_type().children[0].r#type.clone(),
        kind: Some(expression::Kind::Input(0)),
    };
    plan(operator::Kind::Calc(Calc {
        input: Some(row_type()),
        condition: None,
        projection: vec![input],
    }))
}

fn not_null() -> Operator {
    plan(operator::Kind::NotNullEnforcer(NotNullEnforcer {
        input: Some(row_type()),
        columns: vec![0],
        drop: false,
    }))
}

fn plan(kind: operator::Kind) -> Operator {
    Operator {
        description: "the operator of this test".to_owned(),
        session: None,
        kind: Some(kind),
    }
}

/// Flink's BinaryRowData of one BIGINT.
fn row(kind: u8, value: Option<i64>) -> [u8; ROW_BYTES] {
    let mut row = [0; ROW_BYTES];
    row[0] = kind;
    row[1] = u8::from(value.is_none());
    row[8..].copy_from_slice(&value.unwrap_or(0).to_le_bytes());
    row
}

/// The handles of one task.
struct Task {
    budget: *mut SfBudget,
    slab: *mut SfSlab,
    reader: *mut SfReader,
    writer: *mut SfWriter,
}

impl Task {
    fn new(limit: i64) -> Self {
        let reader = Reader {
            output: Some(row_type()),
            kind: Some(reader::Kind::BinaryRows(BinaryRows {})),
            ..Reader::default()
        };
        let value = Form {
            columns: vec![0],
            kind: Some(form::Kind::BinaryRows(BinaryRows {})),
            ..Form::default()
        };
        let writer = Writer {
            input: Some(row_type()),
            value: Some(value),
            ..Writer::default()
        };
        let (reader, writer) = (reader.encode_to_vec(), writer.encode_to_vec());
        let budget = sf_budget_new(limit);
        // SAFETY: the budget lives, and the plans have their lengths.
        let task = unsafe {
            Self {
                budget,
                slab: sf_slab_new(budget),
                reader: sf_reader_new(budget, reader.as_ptr(), reader.len() as i32),
                writer: sf_writer_new(writer.as_ptr(), writer.len() as i32),
            }
        };
        assert!(!task.slab.is_null() && !task.reader.is_null() && !task.writer.is_null());
        task
    }

    fn operator(&self, plan: &Operator) -> *mut SfOperator {
        let bytes = plan.encode_to_vec();
        // SAFETY: the budget lives, and the plan has its length.
        unsafe { sf_operator_new(self.budget, bytes.as_ptr(), bytes.len() as i32) }
    }

    fn read(&self, rows: &[[u8; ROW_BYTES]]) -> Result<*mut SfBatch, i32> {
        let mut out = [0_i64; 5];
        // SAFETY: the handles live, the slab has room for the rows, and `out` has its places.
        unsafe {
            let bytes = (rows.len() * ROW_BYTES) as i32;
            let status = sf_slab_reserve(self.slab, bytes, rows.len() as i32, out.as_mut_ptr());
            if status != SF_OK {
                return Err(status);
            }
            let (at, offsets) = (out[0] as *mut [u8; ROW_BYTES], out[1] as *mut i32);
            for (i, row) in rows.iter().enumerate() {
                at.add(i).write(*row);
                offsets.add(i + 1).write(((i + 1) * ROW_BYTES) as i32);
            }
            let records = rows.len() as i32;
            match sf_reader_read(self.reader, self.slab, records, out.as_mut_ptr()) {
                SF_OK => {
                    assert_eq!((out[1], out[3]), (rows.len() as i64, 0));
                    Ok(out[0] as *mut SfBatch)
                }
                status => Err(status),
            }
        }
    }

    fn write(&self, batch: *mut SfBatch) -> Vec<[u8; ROW_BYTES]> {
        let mut out = [0_i64; 6];
        // SAFETY: the handles live, and what the writer points at lives until its next call.
        unsafe {
            assert_eq!(sf_writer_write(self.writer, batch, out.as_mut_ptr()), SF_OK);
            let bytes = std::slice::from_raw_parts(out[0] as *const u8, out[1] as usize);
            assert_eq!(out[5], 0, "there are no keys");
            let rows = bytes.chunks_exact(ROW_BYTES).map(|row| row.try_into());
            rows.collect::<Result<_, _>>().expect("rows of one size")
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        // SAFETY: they live, and are not used again.
        unsafe {
            sf_slab_free(self.slab);
            sf_reader_free(self.reader);
            sf_writer_free(self.writer);
            sf_budget_free(self.budget);
        }
    }
}

fn process(operator: *mut SfOperator, batch: *mut SfBatch) -> Result<*mut SfBatch, i32> {
    let mut out = [0_i64; 3];
    // SAFETY: the handles live, the batch is not used again, and `out` has its places.
    match unsafe { sf_operator_process(operator, null_mut(), 0, batch, 0, out.as_mut_ptr()) } {
        SF_OK => Ok(out[0] as *mut SfBatch),
        status => Err(status),
    }
}

#[test]
fn batches_cross_and_nothing_is_left() {
    rows_go_through_an_operator();
    an_error_takes_the_batch_too();
    what_cannot_run_is_refused_with_a_reason();
    memory_has_a_limit();
    a_batch_crosses_as_bytes();
    closed_handles_and_wrong_numbers_are_errors();
}

fn assert_nothing_is_left() {
    assert_eq!((sf_live_handles(), sf_charged_bytes()), (0, 0));
}

fn rows_go_through_an_operator() {
    let task = Task::new(1 << 20);
    let operator = task.operator(&identity());
    let rows = [row(0, Some(1)), row(1, None), row(3, Some(-1))];
    let batch = task.read(&rows).expect("read");
    let mut kinds = [9; 3];
    let mut out = [7_i64; 3];
    // SAFETY: the handles live until they are freed or taken, and `out` has its places.
    unsafe {
        assert_eq!(sf_batch_kinds(batch, kinds.as_mut_ptr(), 3), SF_OK);
        assert_eq!(kinds, [0, 1, 3]);
        let retained = sf_batch_retain(batch);
        let used = sf_budget_used(task.budget);
        let result = process(operator, batch).expect("processed");
        assert_eq!(task.write(result), rows);
        sf_batch_free(result);
        assert_eq!(
            task.write(retained),
            rows,
            "the other owner's is still there"
        );
        assert_eq!(
            sf_budget_used(task.budget),
            used,
            "shared memory is charged once"
        );
        sf_batch_free(retained);
        assert!(sf_budget_used(task.budget) < used);
        assert_eq!(
            sf_operator_flush(operator, null_mut(), 0, out.as_mut_ptr()),
            SF_OK
        );
        assert_eq!(out[0], 0, "nothing is held back");
        sf_operator_free(operator);
    }
    drop(task);
    assert_nothing_is_left();
}

fn an_error_takes_the_batch_too() {
    let task = Task::new(1 << 20);
    let operator = task.operator(&not_null());
    let batch = task.read(&[row(0, Some(1)), row(0, None)]).expect("read");
    assert!(process(operator, batch).is_err());
    assert!(
        last_error().contains("the operator of this test"),
        "{}",
        last_error()
    );
    // It is of the data: the operator goes on.
    let batch = task.read(&[row(0, Some(1))]).expect("read");
    let result = process(operator, batch).expect("processed");
    // SAFETY: they live, and are not used again.
    unsafe {
        sf_batch_free(result);
        sf_operator_free(operator);
    }
    drop(task);
    assert_nothing_is_left();
}

fn what_cannot_run_is_refused_with_a_reason() {
    let mut unknown = identity();
    if let Some(operator::Kind::Calc(calc)) = &mut unknown.kind {
        calc.input = Some(DataType::default());
    }
    let check = |plan: &[u8]| {
        // SAFETY: the plan has its length.
        unsafe { sf_plan_check(2, plan.as_ptr(), plan.len() as i32) }
    };
    assert_eq!(check(&identity().encode_to_vec()), SF_OK);
    assert_eq!(check(&unknown.encode_to_vec()), SF_ERR_UNSUPPORTED);
    assert_eq!(last_error(), "a type without a native form");
    let task = Task::new(1 << 20);
    assert!(task.operator(&unknown).is_null());
    drop(task);
    assert_nothing_is_left();
}

fn memory_has_a_limit() {
    let task = Task::new(1 << 12);
    let rows = vec![row(0, Some(1)); 180];
    assert_eq!(task.read(&rows), Err(SF_ERR_MEMORY));
    assert!(
        last_error().contains("the memory of native SQL"),
        "{}",
        last_error()
    );
    let batch = task.read(&rows[..10]).expect("a small one fits");
    // SAFETY: it lives, and is not used again.
    unsafe { sf_batch_free(batch) };
    drop(task);
    assert_nothing_is_left();
}

fn a_batch_crosses_as_bytes() {
    let task = Task::new(1 << 20);
    let rows = [row(0, Some(1)), row(2, None)];
    let batch = task.read(&rows).expect("read");
    let row_type = row_type().encode_to_vec();
    let mut out = [0_i64; 3];
    // SAFETY: the handles live until they are freed, and `out` has its places.
    unsafe {
        assert_eq!(sf_frame_write(task.budget, batch, out.as_mut_ptr()), SF_OK);
        let frame = out[0] as *mut SfFrame;
        let bytes = std::slice::from_raw_parts(out[1] as *const u8, out[2] as usize);
        let mut read = |bytes: &[u8]| {
            let (at, len) = (row_type.as_ptr(), row_type.len() as i32);
            let (frame, frame_len) = (bytes.as_ptr(), bytes.len() as i32);
            let status = sf_frame_read(task.budget, at, len, frame, frame_len, out.as_mut_ptr());
            (status, out[0] as *mut SfBatch)
        };
        let (status, there) = read(bytes);
        assert_eq!(status, SF_OK);
        assert_eq!(task.write(there), rows);
        assert_eq!(read(&bytes[1..]).0, SF_ERR_CORRUPT);
        sf_frame_free(frame);
        sf_batch_free(there);
        sf_batch_free(batch);
    }
    drop(task);
    assert_nothing_is_left();
}

fn closed_handles_and_wrong_numbers_are_errors() {
    let task = Task::new(1 << 20);
    let operator = task.operator(&identity());
    assert_eq!(process(operator, null_mut()), Err(SF_ERR_CLOSED));
    let batch = task.read(&[row(0, Some(1))]).expect("read");
    assert_eq!(process(null_mut(), batch), Err(SF_ERR_CLOSED));
    let mut out = [0_i64; 5];
    // SAFETY: the handles live; the number of records is what is tested.
    unsafe {
        for records in [-1, 2, i32::MAX] {
            let status = sf_reader_read(task.reader, task.slab, records, out.as_mut_ptr());
            assert_eq!(status, SF_ERR_USER, "{records} records");
        }
        sf_operator_free(operator);
    }
    drop(task);
    assert_nothing_is_left();
}
