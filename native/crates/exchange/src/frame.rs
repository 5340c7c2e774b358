//! One batch as one frame. Numbers are little-endian:
//!
//! ```text
//! "SFX1" | CRC32C of all that follows (4) | length of the frame (4) | flags (4) | length of the message (4) | of the body (4)
//! message: Arrow's IPC metadata of one record batch | body: its buffers, as they are or as one LZ4 block
//! ```
//!
//! There is no schema: both ends know the row type. Row kinds are a last column of Int8, when not all are INSERT.

use arrow_array::cast::AsArray;
use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, Int8Array, RecordBatch, RecordBatchOptions};
use arrow_buffer::Buffer;
use arrow_ipc::writer::{
    DictionaryTracker, EncodedData, IpcDataGenerator, IpcWriteContext, IpcWriteOptions,
};
use arrow_ipc::{MetadataVersion, reader, root_as_message};
use arrow_schema::{ArrowError, DataType as Arrow, Field, Schema, SchemaRef};
use sf_batch::{Batch, RowKind, arrow_fields};
use sf_core::{Error, Result};
use sf_plan::RowType;
use std::collections::HashMap;
use std::sync::Arc;

const MAGIC: &[u8; 4] = b"SFX1";
const HEADER: usize = 24;
/// Where the checked part begins.
const CHECKED: usize = 8;
/// The body is one LZ4 block.
const LZ4: u32 = 1;
/// The last column holds row kinds.
const KINDS: u32 = 2;
/// Buffers begin at multiples of this in the body: the most that an Arrow value asks for.
const ALIGNMENT: usize = 16;

/// Writes frames; keeps its memory from one to the next.
pub struct FrameWriter {
    compress: bool,
    options: IpcWriteOptions,
    context: IpcWriteContext,
}

impl FrameWriter {
    /// A writer that compresses bodies with LZ4, or does not.
    pub fn new(compress: bool) -> Result<Self> {
        let options = IpcWriteOptions::try_new(ALIGNMENT, false, MetadataVersion::V5);
        Ok(Self {
            compress,
            options: options.map_err(internal)?,
            context: IpcWriteContext::default(),
        })
    }

    /// Appends the frame of a batch. Fails beyond 2 GiB; `out` is then as it was.
    pub fn write(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Result<()> {
        let begin = out.len();
        let written = self.try_write(batch, out);
        if written.is_err() {
            out.truncate(begin);
        }
        written
    }

    fn try_write(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Result<()> {
        let mut columns = batch.columns().to_vec();
        let mut flags = 0;
        if let Some(kinds) = batch.kinds() {
            columns.push(Arc::new(Int8Array::from(kinds.to_vec())) as ArrayRef);
            flags |= KINDS;
        }
        let encoded = self.encode(batch.rows(), columns)?;
        let EncodedData {
            ipc_message: message,
            arrow_data: body,
        } = encoded;
        let begin = out.len();
        out.extend_from_slice(&[0; HEADER]);
        out.extend_from_slice(&message);
        if self.compress {
            let compressed = lz4_flex::block::compress(&body);
            if compressed.len() < body.len() {
                flags |= LZ4;
                out.extend_from_slice(&compressed);
            }
        }
        if flags & LZ4 == 0 {
            out.extend_from_slice(&body);
        }
        let length = frame_size(out.len() - begin)?;
        let frame = &mut out[begin..];
        frame[..4].copy_from_slice(MAGIC);
        let body = frame_size(body.len())?;
        // The message is a part of the frame, and that is not too long.
        let numbers = [length, flags, message.len() as u32, body];
        for (place, number) in frame[CHECKED..HEADER].chunks_exact_mut(4).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let crc = crc32c::crc32c(&frame[CHECKED..]);
        frame[4..CHECKED].copy_from_slice(&crc.to_le_bytes());
        Ok(())
    }

    fn encode(&mut self, rows: usize, columns: Vec<ArrayRef>) -> Result<EncodedData> {
        let fields = columns.iter();
        let fields = fields.map(|column| Field::new("", column.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let records = RecordBatch::try_new_with_options(schema, columns, &options);
        let records = records.map_err(internal)?;
        let encoded = IpcDataGenerator::default().encode(
            &records,
            &mut DictionaryTracker::new(true),
            &self.options,
            &mut self.context,
        );
        // The layout has no dictionaries.
        encoded.map(|(_, batch)| batch).map_err(internal)
    }
}

/// Reads frames of one row type.
#[derive(Debug)]
pub struct FrameReader {
    inserts: SchemaRef,
    with_kinds: SchemaRef,
}

impl FrameReader {
    /// A reader of batches of these rows.
    pub fn new(row: &RowType) -> Self {
        let fields = arrow_fields(row.fields());
        let kinds = Field::new("", Arrow::Int8, false);
        let with_kinds = fields.iter().cloned().chain([Arc::new(kinds)]);
        Self {
            with_kinds: Arc::new(Schema::new(with_kinds.collect::<Vec<_>>())),
            inserts: Arc::new(Schema::new(fields)),
        }
    }

    /// The batch of one whole frame. `Corrupt` when the bytes are not what a writer wrote for this row type.
    pub fn read(&self, frame: &[u8]) -> Result<Batch> {
        let (message, body, flags) = parts(frame)?;
        let message = root_as_message(message).map_err(|e| corrupt(format!("metadata: {e}")))?;
        let records = message
            .header_as_record_batch()
            .ok_or_else(|| corrupt("no record batch"))?;
        let fits = |buffer: &arrow_ipc::Buffer| {
            let end = buffer.offset().checked_add(buffer.length());
            buffer.offset() >= 0
                && buffer.length() >= 0
                && end.is_some_and(|end| end as u64 <= body.len() as u64)
        };
        if !records.buffers().is_some_and(|all| all.iter().all(fits)) {
            return Err(corrupt("a buffer leads out of the body"));
        }
        let schema = match flags & KINDS {
            0 => &self.inserts,
            _ => &self.with_kinds,
        };
        let none = HashMap::new();
        let read = reader::read_record_batch(
            &body,
            records,
            schema.clone(),
            &none,
            None,
            &message.version(),
        );
        let read = read.map_err(|e| corrupt(format!("Arrow: {e}")))?;
        let mut columns = read.columns().to_vec();
        let kinds = match flags & KINDS {
            0 => None,
            _ => columns.pop(),
        };
        let kinds = kinds.map(|kinds| kinds.as_primitive::<Int8Type>().values().clone());
        for kind in kinds.iter().flat_map(|kinds| kinds.iter()) {
            RowKind::from_byte(*kind)?;
        }
        Batch::new(read.num_rows(), columns, kinds)
    }
}

/// Message, body and flags of a frame, checked.
fn parts(frame: &[u8]) -> Result<(&[u8], Buffer, u32)> {
    let Some((header, rest)) = frame.split_first_chunk::<HEADER>() else {
        let length = frame.len();
        return Err(corrupt(format!("{length} bytes")));
    };
    let number = |at: usize| {
        let bytes = [header[at], header[at + 1], header[at + 2], header[at + 3]];
        u32::from_le_bytes(bytes)
    };
    if header[..4] != *MAGIC {
        return Err(corrupt("another beginning"));
    }
    let (length, flags) = (number(8) as usize, number(12));
    if length != frame.len() {
        let found = frame.len();
        return Err(corrupt(format!("{found} bytes instead of {length}")));
    }
    if number(4) != crc32c::crc32c(&frame[CHECKED..]) {
        return Err(corrupt("a checksum that differs"));
    }
    let (message, body) = rest
        .split_at_checked(number(16) as usize)
        .ok_or_else(|| corrupt("a message that is too long"))?;
    let size = number(20) as usize;
    let body = match flags & LZ4 {
        0 if body.len() == size => Buffer::from(body),
        0 => return Err(corrupt("a body of another length")),
        _ => {
            let mut plain = vec![0; size];
            let read = lz4_flex::block::decompress_into(body, &mut plain);
            let read = read.map_err(|e| corrupt(format!("LZ4: {e}")))?;
            if read != size {
                return Err(corrupt("a body of another length"));
            }
            Buffer::from_vec(plain)
        }
    };
    if flags & !(LZ4 | KINDS) != 0 {
        return Err(corrupt("flags of a later version"));
    }
    Ok((message, body, flags))
}

fn frame_size(size: usize) -> Result<u32> {
    i32::try_from(size).map(|size| size as u32).map_err(|_| {
        Error::user(format!(
            "a batch of {size} bytes; 2 GiB is the most between tasks"
        ))
    })
}

fn corrupt(what: impl std::fmt::Display) -> Error {
    Error::corrupt(format!("the frame of a batch is damaged: {what}"))
}

fn internal(error: ArrowError) -> Error {
    Error::internal(format!("Arrow: {error}"))
}
