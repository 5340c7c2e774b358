//! DISTINCT views between the phases: a map from value to numbers, as Flink's `MapView` travels.

use super::distinct::Distinct;
use super::plan::View;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BinaryArray, Int64Array, ListArray, StructArray, UInt32Array};
use arrow_buffer::OffsetBuffer;
use arrow_schema::DataType as Arrow;
use arrow_select::take::take;
use sf_batch::{
    Batch, BinaryRowReader, EncodedRows, NullForm, Reader, Records, RowEncoder, arrow_type,
};
use sf_core::{Error, Result};
use sf_plan::{DataType, Field, RowType};
use std::sync::Arc;

/// Bytes in front of a row.
const LENGTH: usize = size_of::<i32>();

/// Values of many groups, one entry each.
#[derive(Debug)]
pub(super) struct Entries {
    pub groups: Vec<u32>,
    pub values: ArrayRef,
    /// [`View::width`] of each entry.
    pub numbers: Vec<i64>,
}

/// `MapView` is a structured type of one field: a row of a map.
fn row_of(view: &View) -> (RowType, DataType) {
    let number = Field::new("", DataType::BigInt, false);
    let value = match view.width() {
        1 => number,
        _ => Field::new("", DataType::Array(number.into()), true),
    };
    let key = Field::new("", view.key_type.clone(), true);
    let map = DataType::Map(key.into(), value.into());
    let row = RowType::new(vec![Field::new("map", map.clone(), true)]);
    (row, map)
}

fn arrow_error(error: arrow_schema::ArrowError) -> Error {
    Error::internal(format!("Arrow: {error}"))
}

/// The column of a view for the global phase: what `groups` have seen of the column `values`.
pub(super) fn encode(
    view: &View,
    distinct: &Distinct<'_>,
    values: &dyn Array,
    groups: &[u32],
) -> Result<ArrayRef> {
    let mut of_group: Vec<Vec<(u32, &[i64])>> = vec![Vec::new(); groups.len()];
    for (group, row, numbers) in distinct.present() {
        of_group[group as usize].push((row, numbers));
    }
    let entries = || groups.iter().flat_map(|group| &of_group[*group as usize]);
    let rows: UInt32Array = entries().map(|(row, _)| Some(*row)).collect();
    let numbers: Vec<i64> = entries()
        .flat_map(|(_, numbers)| *numbers)
        .copied()
        .collect();
    let keys = take(values, &rows, None).map_err(arrow_error)?;
    let count = rows.len();
    let (row_type, map) = row_of(view);
    let Arrow::List(entry) = arrow_type(&map) else {
        return Err(Error::internal("a map is no list of entries"));
    };
    let Arrow::Struct(fields) = entry.data_type() else {
        return Err(Error::internal("entries of a map are no structs"));
    };
    let numbers: ArrayRef = Arc::new(Int64Array::from(numbers));
    let numbers = match fields[1].data_type() {
        Arrow::List(number) => {
            let lengths = OffsetBuffer::from_lengths(vec![view.width(); count]);
            Arc::new(
                ListArray::try_new(number.clone(), lengths, numbers, None).map_err(arrow_error)?,
            )
        }
        _ => numbers,
    };
    let entries = StructArray::try_new(fields.clone(), vec![keys, numbers], None);
    let entries = Arc::new(entries.map_err(arrow_error)?);
    let lengths = groups.iter().map(|group| of_group[*group as usize].len());
    let lengths = OffsetBuffer::from_lengths(lengths);
    let maps = ListArray::try_new(entry, lengths, entries, None).map_err(arrow_error)?;
    let batch = Batch::new(groups.len(), vec![Arc::new(maps)], None)?;
    let mut rows = EncodedRows::default();
    RowEncoder::new(&row_type, &[0], NullForm::Zero)?.encode(&batch, &mut rows)?;
    let views = (0..rows.len()).map(|row| rows.serialized(row));
    Ok(Arc::new(BinaryArray::from_iter_values(views)))
}

/// What a column of views says, row `i` being of group `groups[i]`.
pub(super) fn decode(view: &View, column: &dyn Array, groups: &[u32]) -> Result<Entries> {
    let column = column.as_binary_opt::<i32>();
    let column = column.ok_or_else(|| Error::internal("a DISTINCT view is no bytes"))?;
    let (mut bytes, mut offsets) = (Vec::new(), vec![0]);
    for row in 0..column.len() {
        let view = column
            .value(row)
            .get(LENGTH..)
            .ok_or_else(|| Error::corrupt(format!("row {row}: a DISTINCT view of no length")))?;
        bytes.extend_from_slice(view);
        let end = i32::try_from(bytes.len());
        offsets.push(end.map_err(|_| Error::user("DISTINCT views of one batch have 2 GiB"))?);
    }
    let (row_type, _) = row_of(view);
    let maps = BinaryRowReader::new(row_type)?.read(Records::new(&bytes, &offsets)?)?;
    let maps = maps.column(0)?.as_list_opt::<i32>();
    let maps = maps.ok_or_else(|| Error::internal("a map is no list of entries"))?;
    let mut of_entry = Vec::with_capacity(maps.values().len());
    for (row, group) in groups.iter().enumerate() {
        of_entry.resize(of_entry.len() + maps.value_length(row) as usize, *group);
    }
    let first = maps.value_offsets()[0] as usize;
    let entries = maps.values().slice(first, of_entry.len());
    let entries = entries.as_struct_opt();
    let entries = entries.ok_or_else(|| Error::internal("entries of a map are no structs"))?;
    let numbers = match entries.column(1).as_list_opt::<i32>() {
        None => longs(entries.column(1))?,
        Some(lists) => {
            let width = view.width() as i32;
            if let Some(row) = (0..lists.len()).find(|row| lists.value_length(*row) != width) {
                let length = lists.value_length(row);
                return Err(Error::corrupt(format!(
                    "{length} counts instead of {width} in a DISTINCT view"
                )));
            }
            let first = lists.value_offsets()[0] as usize;
            longs(&lists.values().slice(first, lists.len() * view.width()))?
        }
    };
    Ok(Entries {
        groups: of_entry,
        values: Arc::clone(entries.column(0)),
        numbers,
    })
}

fn longs(array: &ArrayRef) -> Result<Vec<i64>> {
    let array = array.as_primitive_opt::<Int64Type>();
    let array = array.ok_or_else(|| Error::internal("numbers of a view are no BIGINT"))?;
    Ok(array.values().to_vec())
}
