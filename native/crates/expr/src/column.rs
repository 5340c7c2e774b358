//! Values of an expression over the rows of a frame, and typed ways to read and build them.

use crate::failure::Outcome;
use arrow_array::builder::{BinaryBuilder, BooleanBuilder, PrimitiveBuilder};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BinaryArray, BooleanArray, FixedSizeBinaryArray,
    PrimitiveArray, StructArray, UInt32Array, cast::AsArray, new_null_array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::ArrowError;
use sf_core::{Error, Result};
use std::sync::Arc;

/// One value for each row, or one for all rows (an array of length 1).
#[derive(Debug, Clone)]
pub(crate) enum Column {
    Rows(ArrayRef),
    Constant(ArrayRef),
}

impl Column {
    pub fn array(&self) -> &ArrayRef {
        match self {
            Self::Rows(array) | Self::Constant(array) => array,
        }
    }

    pub fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_))
    }

    /// The array of `rows` values.
    pub fn into_array(self, rows: usize) -> Result<ArrayRef> {
        match self {
            Self::Rows(array) => Ok(array),
            Self::Constant(array) if array.is_null(0) => {
                Ok(new_null_array(array.data_type(), rows))
            }
            Self::Constant(array) => {
                let indices = UInt32Array::from(vec![0; rows]);
                arrow_select::take::take(&array, &indices, None).map_err(arrow_error)
            }
        }
    }

    /// One NULL for all rows.
    pub fn null(data_type: &arrow_schema::DataType) -> Self {
        Self::Constant(new_null_array(data_type, 1))
    }
}

/// Which rows of a frame an expression is evaluated for. Results at other rows mean nothing, and nothing may fail
/// there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub count: usize,
    /// `None`: all.
    pub selection: Option<&'a BooleanBuffer>,
}

impl Rows<'_> {
    pub fn selects(&self, row: usize) -> bool {
        self.selection.is_none_or(|selection| selection.value(row))
    }

    fn first(&self) -> Option<usize> {
        match self.selection {
            None => (self.count > 0).then_some(0),
            Some(selection) => selection.set_indices().next(),
        }
    }

    /// Rows of the result of a function of these arguments: 1 when all are constant.
    fn result_rows(&self, arguments: &[&Column]) -> (usize, bool) {
        let constant = arguments.iter().all(|argument| argument.is_constant());
        (if constant { 1 } else { self.count }, constant)
    }

    /// Calls `f` for each row of the result that counts, and with the row that an error shall name. `f` gets the row
    /// for reading arguments; `skip` is called for rows that do not count.
    pub fn each<S>(
        &self,
        arguments: &[&Column],
        state: &mut S,
        mut f: impl FnMut(&mut S, usize) -> Outcome<()>,
        mut skip: impl FnMut(&mut S),
    ) -> Outcome<()> {
        let (rows, constant) = self.result_rows(arguments);
        if constant {
            match self.first() {
                Some(row) => f(state, row)?,
                None => skip(state),
            }
            return Ok(());
        }
        for row in 0..rows {
            if self.selects(row) {
                f(state, row)?;
            } else {
                skip(state);
            }
        }
        Ok(())
    }
}

/// Wraps an array as constant when all arguments were.
pub(crate) fn column(array: ArrayRef, arguments: &[&Column]) -> Column {
    if arguments.iter().all(|argument| argument.is_constant()) {
        Column::Constant(array)
    } else {
        Column::Rows(array)
    }
}

/// Reads one kind of primitive values.
pub(crate) struct Primitives<'a, T: ArrowPrimitiveType> {
    array: &'a PrimitiveArray<T>,
    constant: bool,
}

impl<'a, T: ArrowPrimitiveType> Primitives<'a, T> {
    pub fn new(column: &'a Column) -> Result<Self> {
        let array = column.array().as_primitive_opt::<T>();
        Ok(Self {
            array: array.ok_or_else(|| mismatch::<T>(column))?,
            constant: column.is_constant(),
        })
    }

    pub fn get(&self, row: usize) -> Option<T::Native> {
        let row = if self.constant { 0 } else { row };
        self.array.is_valid(row).then(|| self.array.value(row))
    }
}

fn mismatch<T: ArrowPrimitiveType>(column: &Column) -> Error {
    let found = column.array().data_type();
    Error::internal(format!("a column of {found} where {} is due", T::DATA_TYPE))
}

/// Reads strings and bytes.
pub(crate) struct Bytes<'a> {
    array: &'a BinaryArray,
    constant: bool,
}

impl<'a> Bytes<'a> {
    pub fn new(column: &'a Column) -> Result<Self> {
        let array = column.array().as_binary_opt::<i32>();
        let found = column.array().data_type();
        Ok(Self {
            array: array
                .ok_or_else(|| Error::internal(format!("a column of {found} for a string")))?,
            constant: column.is_constant(),
        })
    }

    pub fn get(&self, row: usize) -> Option<&'a [u8]> {
        let row = if self.constant { 0 } else { row };
        self.array.is_valid(row).then(|| self.array.value(row))
    }
}

/// Which rows are true and which are false; a row that is neither is NULL.
#[derive(Debug, Clone)]
pub(crate) struct Truth {
    pub yes: BooleanBuffer,
    pub no: BooleanBuffer,
}

impl Truth {
    pub fn new(column: &Column, rows: usize) -> Result<Self> {
        let array = column.array().as_boolean_opt();
        let array = array.ok_or_else(|| Error::internal("a condition is not a BOOLEAN"))?;
        if column.is_constant() {
            let set = |set| {
                if set {
                    BooleanBuffer::new_set(rows)
                } else {
                    BooleanBuffer::new_unset(rows)
                }
            };
            let valid = array.is_valid(0);
            return Ok(Self {
                yes: set(valid && array.value(0)),
                no: set(valid && !array.value(0)),
            });
        }
        let values = array.values();
        Ok(match array.nulls() {
            None => Self {
                yes: values.clone(),
                no: !values,
            },
            Some(nulls) => Self {
                yes: values & nulls.inner(),
                no: &!values & nulls.inner(),
            },
        })
    }

    pub fn into_column(self) -> Column {
        let known = &self.yes | &self.no;
        let nulls = (known.count_set_bits() < known.len()).then(|| NullBuffer::new(known));
        Column::Rows(Arc::new(BooleanArray::new(self.yes, nulls)))
    }
}

/// Never NULL.
pub(crate) fn booleans(values: BooleanBuffer) -> Column {
    Column::Rows(Arc::new(BooleanArray::new(values, None)))
}

/// NULLs of the result where either is NULL.
fn union(left: &Column, right: &Column, rows: usize) -> Option<NullBuffer> {
    let nulls = |column: &Column| -> Option<NullBuffer> {
        let array = column.array();
        if column.is_constant() {
            array.is_null(0).then(|| NullBuffer::new_null(rows))
        } else {
            array.nulls().cloned()
        }
    };
    NullBuffer::union(nulls(left).as_ref(), nulls(right).as_ref())
}

/// A function that cannot fail of each value that is not NULL; computed for all rows.
pub(crate) fn map<A, O>(argument: &Column, f: impl Fn(A::Native) -> O::Native) -> Result<Column>
where
    A: ArrowPrimitiveType,
    O: ArrowPrimitiveType,
{
    let array = argument.array().as_primitive_opt::<A>();
    let array = array.ok_or_else(|| mismatch::<A>(argument))?;
    let values: Vec<O::Native> = array.values().iter().map(|value| f(*value)).collect();
    let result = PrimitiveArray::<O>::new(values.into(), array.nulls().cloned());
    Ok(column(Arc::new(result), &[argument]))
}

/// As [`map`], of two arguments.
pub(crate) fn map2<A, B, O>(
    left: &Column,
    right: &Column,
    f: impl Fn(A::Native, B::Native) -> O::Native,
) -> Result<Column>
where
    A: ArrowPrimitiveType,
    B: ArrowPrimitiveType,
    O: ArrowPrimitiveType,
{
    let a = left.array().as_primitive_opt::<A>();
    let a = a.ok_or_else(|| mismatch::<A>(left))?.values();
    let b = right.array().as_primitive_opt::<B>();
    let b = b.ok_or_else(|| mismatch::<B>(right))?.values();
    let values: Vec<O::Native> = match (left.is_constant(), right.is_constant()) {
        (false, true) => a.iter().map(|x| f(*x, b[0])).collect(),
        (true, false) => b.iter().map(|y| f(a[0], *y)).collect(),
        _ => a.iter().zip(b.iter()).map(|(x, y)| f(*x, *y)).collect(),
    };
    let nulls = union(left, right, values.len());
    let result = PrimitiveArray::<O>::new(values.into(), nulls);
    Ok(column(Arc::new(result), &[left, right]))
}

/// A predicate that cannot fail of two primitive arguments.
pub(crate) fn test2<A: ArrowPrimitiveType>(
    left: &Column,
    right: &Column,
    f: impl Fn(A::Native, A::Native) -> bool,
) -> Result<Column> {
    let a = left.array().as_primitive_opt::<A>();
    let a = a.ok_or_else(|| mismatch::<A>(left))?.values();
    let b = right.array().as_primitive_opt::<A>();
    let b = b.ok_or_else(|| mismatch::<A>(right))?.values();
    let values = match (left.is_constant(), right.is_constant()) {
        (false, true) => BooleanBuffer::collect_bool(a.len(), |i| f(a[i], b[0])),
        (true, false) => BooleanBuffer::collect_bool(b.len(), |i| f(a[0], b[i])),
        _ => BooleanBuffer::collect_bool(a.len(), |i| f(a[i], b[i])),
    };
    let nulls = union(left, right, values.len());
    let result = BooleanArray::new(values, nulls);
    Ok(column(Arc::new(result), &[left, right]))
}

/// A predicate of rows, NULL where it says so; called for rows that count only.
pub(crate) fn test(
    arguments: &[&Column],
    rows: &Rows<'_>,
    mut f: impl FnMut(usize) -> Outcome<Option<bool>>,
) -> Outcome<Column> {
    let mut builder = BooleanBuilder::with_capacity(rows.count);
    rows.each(
        arguments,
        &mut builder,
        |builder, row| {
            builder.append_option(f(row)?);
            Ok(())
        },
        |builder| builder.append_null(),
    )?;
    Ok(column(Arc::new(builder.finish()), arguments))
}

/// Primitive values of rows, NULL where `f` says so; called for rows that count only.
pub(crate) fn compute<O: ArrowPrimitiveType>(
    arguments: &[&Column],
    rows: &Rows<'_>,
    data_type: &arrow_schema::DataType,
    mut f: impl FnMut(usize) -> Outcome<Option<O::Native>>,
) -> Outcome<Column> {
    let mut builder = PrimitiveBuilder::<O>::with_capacity(rows.count);
    rows.each(
        arguments,
        &mut builder,
        |builder, row| {
            builder.append_option(f(row)?);
            Ok(())
        },
        |builder| builder.append_null(),
    )?;
    let array = builder.finish().with_data_type(data_type.clone());
    Ok(column(Arc::new(array), arguments))
}

/// Strings or bytes of rows: `f` appends to the buffer and says whether there is a value; called for rows that count
/// only.
pub(crate) fn write(
    arguments: &[&Column],
    rows: &Rows<'_>,
    mut f: impl FnMut(usize, &mut Vec<u8>) -> Outcome<bool>,
) -> Outcome<Column> {
    let builder = BinaryBuilder::with_capacity(rows.count, rows.count * 8);
    let mut state = (builder, Vec::new());
    rows.each(
        arguments,
        &mut state,
        |(builder, buffer), row| {
            buffer.clear();
            if f(row, buffer)? {
                builder.append_value(&buffer);
            } else {
                builder.append_null();
            }
            Ok(())
        },
        |(builder, _)| builder.append_null(),
    )?;
    let array = state.0.finish();
    Ok(column(Arc::new(array), arguments))
}

/// The same values with further NULLs.
pub(crate) fn hide(array: &ArrayRef, nulls: &NullBuffer) -> Result<ArrayRef> {
    if nulls.null_count() == 0 {
        return Ok(array.clone());
    }
    let union = NullBuffer::union(array.nulls(), Some(nulls));
    // The common kinds without the checks that building from parts of any kind makes.
    if let Some(bytes) = array.as_binary_opt::<i32>() {
        let (offsets, values, _) = bytes.clone().into_parts();
        let bytes = BinaryArray::try_new(offsets, values, union).map_err(arrow_error)?;
        return Ok(Arc::new(bytes));
    }
    if let Some(row) = array.as_struct_opt() {
        let (fields, columns, _) = row.clone().into_parts();
        let row = StructArray::try_new(fields, columns, union).map_err(arrow_error)?;
        return Ok(Arc::new(row));
    }
    let data = array.to_data().into_builder().nulls(union);
    Ok(arrow_array::make_array(data.build().map_err(arrow_error)?))
}

/// Timestamps of any precision: milliseconds since 1970 and nanoseconds of the millisecond.
pub(crate) enum Stamps<'a> {
    Millis(
        &'a PrimitiveArray<arrow_array::types::TimestampMillisecondType>,
        bool,
    ),
    Micros(
        &'a PrimitiveArray<arrow_array::types::TimestampMicrosecondType>,
        bool,
    ),
    Wide(&'a FixedSizeBinaryArray, bool),
}

impl<'a> Stamps<'a> {
    pub fn new(column: &'a Column) -> Result<Self> {
        let array = column.array();
        let constant = column.is_constant();
        if let Some(array) = array.as_primitive_opt() {
            return Ok(Self::Millis(array, constant));
        }
        if let Some(array) = array.as_primitive_opt() {
            return Ok(Self::Micros(array, constant));
        }
        match array.as_fixed_size_binary_opt() {
            Some(array) if array.value_length() == 12 => Ok(Self::Wide(array, constant)),
            _ => {
                let found = array.data_type();
                Err(Error::internal(format!(
                    "a column of {found} for a timestamp"
                )))
            }
        }
    }

    pub fn get(&self, row: usize) -> Option<(i64, i32)> {
        match self {
            Self::Millis(array, constant) => {
                let row = if *constant { 0 } else { row };
                array.is_valid(row).then(|| (array.value(row), 0))
            }
            Self::Micros(array, constant) => {
                let row = if *constant { 0 } else { row };
                let split = |micros: i64| {
                    (
                        micros.div_euclid(1000),
                        micros.rem_euclid(1000) as i32 * 1000,
                    )
                };
                array.is_valid(row).then(|| split(array.value(row)))
            }
            Self::Wide(array, constant) => {
                let row = if *constant { 0 } else { row };
                array.is_valid(row).then(|| wide(array.value(row)))
            }
        }
    }
}

fn wide(bytes: &[u8]) -> (i64, i32) {
    let mut millis = [0; 8];
    let mut nanos = [0; 4];
    millis.copy_from_slice(&bytes[..8]);
    nanos.copy_from_slice(&bytes[8..12]);
    (i64::from_le_bytes(millis), i32::from_le_bytes(nanos))
}

/// An error of an Arrow kernel: a fault of ours, as types were checked before.
pub(crate) fn arrow_error(error: ArrowError) -> Error {
    Error::internal(format!("Arrow: {error}"))
}
