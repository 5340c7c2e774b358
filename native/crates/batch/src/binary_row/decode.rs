//! Rows to columns, one column after the other.

use super::cell;
use super::source::element_width;
use super::view::{ArrayView, MapView, RowView};
use super::{HEADER_BITS, row_header};
use crate::layout::{WIDE_TIMESTAMP, arrow_fields, arrow_type};
use crate::{Records, batch::arrow_error};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType, TimestampMicrosecondType,
    TimestampMillisecondType,
};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, ListArray, PrimitiveArray,
    StructArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType as Arrow;
use sf_core::{Error, Result};
use sf_plan::{DataType, Field, unsupported};
use std::sync::Arc;

/// The row or array that holds a value, and where in it the value's slot begins.
type Cell<'a> = (&'a [u8], usize);

/// Values of one column, wherever they stand.
pub(super) trait Cells<'a> {
    /// How many.
    fn len(&self) -> usize;

    /// Where a value stands; nothing for NULL.
    fn get(&self, index: usize) -> Option<Cell<'a>>;

    /// The row of the batch that the value belongs to.
    fn row(&self, index: usize) -> usize;
}

/// One field of records that are rows.
pub(super) struct Column<'a> {
    pub(super) records: Records<'a>,
    pub(super) arity: usize,
    pub(super) pos: usize,
}

/// One field of nested rows.
struct NestedColumn<'a, 'b> {
    rows: &'b [(Option<RowView<'a>>, usize)],
    arity: usize,
    pos: usize,
}

/// Elements of arrays: each with the row it belongs to.
struct Elements<'a>(Vec<(Option<Cell<'a>>, usize)>);

impl<'a> Cells<'a> for Column<'a> {
    fn len(&self) -> usize {
        self.records.len()
    }

    #[inline]
    fn get(&self, index: usize) -> Option<Cell<'a>> {
        field(self.records.get(index), self.arity, self.pos)
    }

    fn row(&self, index: usize) -> usize {
        index
    }
}

impl<'a> Cells<'a> for NestedColumn<'a, '_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn get(&self, index: usize) -> Option<Cell<'a>> {
        let row = self.rows[index].0.as_ref()?;
        field(row.bytes(), self.arity, self.pos)
    }

    fn row(&self, index: usize) -> usize {
        self.rows[index].1
    }
}

impl<'a> Cells<'a> for Elements<'a> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, index: usize) -> Option<Cell<'a>> {
        self.0[index].0
    }

    fn row(&self, index: usize) -> usize {
        self.0[index].1
    }
}

#[inline]
fn field(row: &[u8], arity: usize, pos: usize) -> Option<Cell<'_>> {
    let bit = pos + HEADER_BITS;
    let null = row[bit / 8] >> (bit % 8) & 1 == 1;
    (!null).then(|| (row, row_header(arity) + 8 * pos))
}

/// The values as an Arrow array of the layout. Rows must have their fixed part; all else is checked.
pub(super) fn decode<'a>(data_type: &DataType, cells: &impl Cells<'a>) -> Result<ArrayRef> {
    use DataType as T;
    Ok(match data_type {
        T::Null => return Err(unsupported("an untyped NULL")),
        T::Boolean => {
            let set = |i| cells.get(i).is_some_and(|(base, at)| base[at] != 0);
            let values = BooleanBuffer::collect_bool(cells.len(), set);
            Arc::new(BooleanArray::new(values, nulls(cells)))
        }
        T::TinyInt => fixed::<Int8Type, 1>(cells, i8::from_le_bytes),
        T::SmallInt => fixed::<Int16Type, 2>(cells, i16::from_le_bytes),
        T::Int | T::IntervalYearMonth => fixed::<Int32Type, 4>(cells, i32::from_le_bytes),
        T::Date => fixed::<Date32Type, 4>(cells, i32::from_le_bytes),
        T::Time(_) => fixed::<Time32MillisecondType, 4>(cells, i32::from_le_bytes),
        T::BigInt | T::IntervalDayTime => fixed::<Int64Type, 8>(cells, i64::from_le_bytes),
        T::Float => fixed::<Float32Type, 4>(cells, f32::from_le_bytes),
        T::Double => fixed::<Float64Type, 8>(cells, f64::from_le_bytes),
        T::Timestamp(0..=3) | T::TimestampLtz(0..=3) => {
            fixed::<TimestampMillisecondType, 8>(cells, i64::from_le_bytes)
        }
        T::Timestamp(p @ 4..=6) | T::TimestampLtz(p @ 4..=6) => {
            let micros = |base: &[u8], at| micros(cell::timestamp(base, at, *p)?);
            checked::<TimestampMicrosecondType>(cells, micros)?
        }
        T::Timestamp(p) | T::TimestampLtz(p) => wide_timestamps(*p, cells)?,
        T::Decimal(precision, scale) => {
            let values = |base: &[u8], at| cell::decimal(base, at, *precision);
            let values = primitive::<Decimal128Type>(cells, values)?;
            let values = values.with_precision_and_scale(*precision, *scale);
            Arc::new(values.map_err(arrow_error)?)
        }
        T::Char(_) | T::Varchar(_) | T::Binary(_) | T::Varbinary(_) => bytes(cells)?,
        T::Array(element) => arrays(data_type, element, cells)?,
        T::Multiset(element) => {
            let count = Field::new("value", DataType::Int, false);
            maps(data_type, [element, &count], cells)?
        }
        T::Map(key, value) => maps(data_type, [key, value], cells)?,
        T::Row(row) => rows(row.fields(), cells)?,
    })
}

fn nulls<'a>(cells: &impl Cells<'a>) -> Option<NullBuffer> {
    let valid = BooleanBuffer::collect_bool(cells.len(), |i| cells.get(i).is_some());
    let nulls = NullBuffer::new(valid);
    (nulls.null_count() > 0).then_some(nulls)
}

/// Values that cannot be wrong.
fn fixed<'a, T: ArrowPrimitiveType, const N: usize>(
    cells: &impl Cells<'a>,
    from: impl Fn([u8; N]) -> T::Native,
) -> ArrayRef {
    let value = |i| match cells.get(i) {
        Some((base, at)) => from(cell::fixed(base, at)),
        None => T::Native::default(),
    };
    let values: ScalarBuffer<_> = (0..cells.len()).map(value).collect();
    Arc::new(PrimitiveArray::<T>::new(values, nulls(cells)))
}

fn checked<'a, T: ArrowPrimitiveType>(
    cells: &impl Cells<'a>,
    from: impl Fn(&'a [u8], usize) -> Result<T::Native>,
) -> Result<ArrayRef> {
    Ok(Arc::new(primitive::<T>(cells, from)?))
}

fn primitive<'a, T: ArrowPrimitiveType>(
    cells: &impl Cells<'a>,
    from: impl Fn(&'a [u8], usize) -> Result<T::Native>,
) -> Result<PrimitiveArray<T>> {
    let mut values = Vec::with_capacity(cells.len());
    for i in 0..cells.len() {
        values.push(match cells.get(i) {
            Some((base, at)) => from(base, at).map_err(|e| at_row(cells.row(i), &e))?,
            None => T::Native::default(),
        });
    }
    Ok(PrimitiveArray::new(values.into(), nulls(cells)))
}

/// Flink keeps nanoseconds of a TIMESTAMP(6) that came from elsewhere; the layout has no room for them.
fn micros((millis, nanos): (i64, i32)) -> Result<i64> {
    let micros = millis.checked_mul(1000);
    let micros = micros.filter(|_| nanos % 1000 == 0);
    let micros = micros.and_then(|micros| micros.checked_add((nanos / 1000).into()));
    micros.ok_or_else(|| {
        Error::user(format!(
            "a TIMESTAMP of {millis} ms and {nanos} ns is not a number of microseconds, as its type says"
        ))
    })
}

fn wide_timestamps<'a>(precision: u8, cells: &impl Cells<'a>) -> Result<ArrayRef> {
    let mut values = Vec::with_capacity(cells.len() * WIDE_TIMESTAMP as usize);
    for i in 0..cells.len() {
        let (millis, nanos) = match cells.get(i) {
            Some((base, at)) => {
                cell::timestamp(base, at, precision).map_err(|e| at_row(cells.row(i), &e))?
            }
            None => (0, 0),
        };
        values.extend_from_slice(&millis.to_le_bytes());
        values.extend_from_slice(&nanos.to_le_bytes());
    }
    let (values, nulls) = (Buffer::from_vec(values), nulls(cells));
    let array = FixedSizeBinaryArray::try_new_with_len(WIDE_TIMESTAMP, values, nulls, cells.len());
    Ok(Arc::new(array.map_err(arrow_error)?))
}

fn bytes<'a>(cells: &impl Cells<'a>) -> Result<ArrayRef> {
    let mut offsets = Vec::with_capacity(cells.len() + 1);
    let mut values = Vec::new();
    offsets.push(0);
    for i in 0..cells.len() {
        if let Some((base, at)) = cells.get(i) {
            let value = cell::bytes(base, at).map_err(|e| at_row(cells.row(i), &e))?;
            values.extend_from_slice(value);
        }
        offsets.push(offset(values.len(), cells.row(i))?);
    }
    let offsets = OffsetBuffer::new(offsets.into());
    let array = BinaryArray::try_new(offsets, Buffer::from_vec(values), nulls(cells));
    Ok(Arc::new(array.map_err(arrow_error)?))
}

fn arrays<'a>(data_type: &DataType, element: &Field, cells: &impl Cells<'a>) -> Result<ArrayRef> {
    let width = element_width(&element.data_type);
    let view = |base: &'a [u8], at| ArrayView::new(cell::section(base, at)?, width);
    let (offsets, [elements]) = gather(cells, |base, at| Ok([view(base, at)?]))?;
    list(
        data_type,
        cells,
        offsets,
        decode(&element.data_type, &elements)?,
    )
}

fn maps<'a>(data_type: &DataType, fields: [&Field; 2], cells: &impl Cells<'a>) -> Result<ArrayRef> {
    let [key, value] = fields;
    let widths = [
        element_width(&key.data_type),
        element_width(&value.data_type),
    ];
    let (offsets, [keys, values]) = gather(cells, |base, at| {
        let map = MapView::new(cell::section(base, at)?)?;
        map.entries(widths[0], widths[1])
            .map(|(keys, values)| [keys, values])
    })?;
    let columns = vec![
        decode(&key.data_type, &keys)?,
        decode(&value.data_type, &values)?,
    ];
    let Arrow::List(pair) = arrow_type(data_type) else {
        return Err(Error::internal("a map is not laid out as a list"));
    };
    let Arrow::Struct(fields) = pair.data_type() else {
        return Err(Error::internal("a map is not laid out as pairs"));
    };
    let entries = StructArray::try_new(fields.clone(), columns, None).map_err(arrow_error)?;
    list(data_type, cells, offsets, Arc::new(entries))
}

fn list<'a>(
    data_type: &DataType,
    cells: &impl Cells<'a>,
    offsets: OffsetBuffer<i32>,
    elements: ArrayRef,
) -> Result<ArrayRef> {
    let Arrow::List(field) = arrow_type(data_type) else {
        return Err(Error::internal("a collection is not laid out as a list"));
    };
    let array = ListArray::try_new(field, offsets, elements, nulls(cells));
    Ok(Arc::new(array.map_err(arrow_error)?))
}

/// The elements of all arrays behind each other; `K` arrays of equal length for each value.
fn gather<'a, const K: usize>(
    cells: &impl Cells<'a>,
    views: impl Fn(&'a [u8], usize) -> Result<[ArrayView<'a>; K]>,
) -> Result<(OffsetBuffer<i32>, [Elements<'a>; K])> {
    let mut offsets = Vec::with_capacity(cells.len() + 1);
    let mut all = [const { Vec::new() }; K];
    offsets.push(0);
    let mut count = 0;
    for i in 0..cells.len() {
        let row = cells.row(i);
        if let Some((base, at)) = cells.get(i) {
            let views = views(base, at).map_err(|e| at_row(row, &e))?;
            count += views[0].len();
            for (elements, view) in all.iter_mut().zip(&views) {
                let cells = (0..view.len())
                    .map(|pos| (!view.is_null(pos)).then(|| (view.bytes(), view.at(pos))));
                elements.extend(cells.map(|cell| (cell, row)));
            }
        }
        offsets.push(offset(count, row)?);
    }
    Ok((OffsetBuffer::new(offsets.into()), all.map(Elements)))
}

fn rows<'a>(fields: &[Field], cells: &impl Cells<'a>) -> Result<ArrayRef> {
    let mut rows = Vec::with_capacity(cells.len());
    for i in 0..cells.len() {
        let row = cells.row(i);
        let view = cells.get(i).map(|(base, at)| {
            let view = cell::section(base, at).and_then(|bytes| RowView::new(bytes, fields.len()));
            view.map_err(|e| at_row(row, &e))
        });
        rows.push((view.transpose()?, row));
    }
    let nulls = nulls(cells);
    if fields.is_empty() {
        return Ok(Arc::new(StructArray::new_empty_fields(cells.len(), nulls)));
    }
    let columns = fields.iter().enumerate().map(|(pos, field)| {
        let (arity, rows) = (fields.len(), &rows);
        decode(&field.data_type, &NestedColumn { rows, arity, pos })
    });
    let columns = columns.collect::<Result<_>>()?;
    let array = StructArray::try_new(arrow_fields(fields), columns, nulls);
    Ok(Arc::new(array.map_err(arrow_error)?))
}

fn offset(count: usize, row: usize) -> Result<i32> {
    i32::try_from(count).map_err(|_| {
        Error::user(format!(
            "row {row}: a column of one batch has more than 2 GiB"
        ))
    })
}

/// The error with the row of the batch.
pub(super) fn at_row(row: usize, error: &Error) -> Error {
    Error::new(error.kind(), format!("row {row}: {error}"))
}
