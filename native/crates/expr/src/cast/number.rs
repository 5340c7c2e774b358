//! Casts among numbers, BOOLEAN and intervals.

use crate::column::{Column, Primitives, Truth, compute, map, test};
use crate::decimal::{self, Form};
use crate::failure::{Failure, Outcome};
use crate::java_number::Text;
use crate::program::Kernel;
use crate::types::{Family, decimal_form, family};
use arrow_array::types::{
    ArrowPrimitiveType, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type,
};
use arrow_array::{ArrayRef, PrimitiveArray};
use sf_batch::arrow_type;
use sf_plan::DataType;
use std::sync::Arc;

/// A number as what Java's casts go through.
trait Number: ArrowPrimitiveType {
    fn to_i64(value: Self::Native) -> i64;
    fn to_f64(value: Self::Native) -> f64;
    fn to_f32(value: Self::Native) -> f32;
    /// Java's cast to `int`, which `byte` and `short` are cut from.
    fn to_i32(value: Self::Native) -> i32;
    fn from_i64(value: i64) -> Self::Native;
}

macro_rules! number {
    ($($t:ty => $native:ty),*) => {$(
        impl Number for $t {
            fn to_i64(value: $native) -> i64 { value as i64 }
            fn to_f64(value: $native) -> f64 { value as f64 }
            fn to_f32(value: $native) -> f32 { value as f32 }
            fn to_i32(value: $native) -> i32 { value as i32 }
            fn from_i64(value: i64) -> $native { value as $native }
        }
    )*};
}

number!(Int8Type => i8, Int16Type => i16, Int32Type => i32, Int64Type => i64, Float32Type => f32, Float64Type => f64);

/// `None`: no such cast; `Some(None)`: values stay as they are.
pub(super) fn kernel(from: &DataType, to: &DataType) -> Option<Option<Kernel>> {
    let (a, b) = (family(from), family(to));
    let interval = |family| matches!(family, Family::MonthInterval | Family::TimeInterval);
    if interval(a) || interval(b) {
        let allowed = match (from, to) {
            (DataType::IntervalYearMonth, DataType::Int)
            | (DataType::Int, DataType::IntervalYearMonth)
            | (DataType::IntervalDayTime, DataType::BigInt)
            | (DataType::BigInt, DataType::IntervalDayTime) => return Some(None),
            (DataType::TinyInt | DataType::SmallInt, _) => interval(b),
            (DataType::Int, DataType::IntervalDayTime) => true,
            _ => false,
        };
        if !allowed {
            return None;
        }
    }
    Some(Some(match (a, b) {
        (Family::Decimal, Family::Decimal) => decimal_to_decimal(from, to)?,
        (Family::Decimal, Family::Boolean) => decimal_to_boolean(),
        (Family::Boolean, Family::Boolean) => return Some(None),
        (Family::Decimal, _) => decimal_to_number(from, to)?,
        (Family::Boolean, _) => boolean_to_number(to)?,
        (Family::Integer, Family::Decimal) => integer_to_decimal(from, to)?,
        (Family::Approximate, Family::Decimal) => approximate_to_decimal(from, to)?,
        (_, Family::Boolean) => match from {
            DataType::TinyInt => to_boolean::<Int8Type>(),
            DataType::SmallInt => to_boolean::<Int16Type>(),
            DataType::Int => to_boolean::<Int32Type>(),
            DataType::BigInt => to_boolean::<Int64Type>(),
            DataType::Float => to_boolean::<Float32Type>(),
            DataType::Double => to_boolean::<Float64Type>(),
            _ => return None,
        },
        _ => match from {
            DataType::TinyInt => from_number::<Int8Type>(to)?,
            DataType::SmallInt => from_number::<Int16Type>(to)?,
            DataType::Int => from_number::<Int32Type>(to)?,
            DataType::BigInt => from_number::<Int64Type>(to)?,
            DataType::Float => from_number::<Float32Type>(to)?,
            DataType::Double => from_number::<Float64Type>(to)?,
            _ => return None,
        },
    }))
}

fn from_number<A: Number>(to: &DataType) -> Option<Kernel> {
    fn of<A: Number, O: ArrowPrimitiveType>(f: fn(A::Native) -> O::Native) -> Kernel {
        Box::new(move |arguments, _| Ok(map::<A, O>(&arguments[0], f)?))
    }
    Some(match to {
        DataType::TinyInt => of::<A, Int8Type>(|v| A::to_i32(v) as i8),
        DataType::SmallInt => of::<A, Int16Type>(|v| A::to_i32(v) as i16),
        DataType::Int | DataType::IntervalYearMonth => of::<A, Int32Type>(A::to_i32),
        DataType::BigInt | DataType::IntervalDayTime => of::<A, Int64Type>(A::to_i64),
        DataType::Float => of::<A, Float32Type>(A::to_f32),
        DataType::Double => of::<A, Float64Type>(A::to_f64),
        _ => return None,
    })
}

fn to_boolean<A: Number>() -> Kernel {
    Box::new(|arguments, rows| {
        let values = Primitives::<A>::new(&arguments[0])?;
        test(&[&arguments[0]], rows, |row| {
            Ok(values.get(row).map(|value| A::to_f64(value) != 0.0))
        })
    })
}

fn decimal_to_boolean() -> Kernel {
    Box::new(|arguments, rows| {
        let values = Primitives::<Decimal128Type>::new(&arguments[0])?;
        test(&[&arguments[0]], rows, |row| {
            Ok(values.get(row).map(|value| value != 0))
        })
    })
}

fn form(to: &DataType) -> Option<Form> {
    match to {
        DataType::Decimal(precision, scale) => Some(Form {
            precision: *precision,
            scale: *scale,
        }),
        _ => None,
    }
}

fn decimal_to_decimal(from: &DataType, to: &DataType) -> Option<Kernel> {
    let (_, scale) = decimal_form(from)?;
    let Form {
        precision,
        scale: to_scale,
    } = form(to)?;
    let arrow = arrow_type(to);
    Some(Box::new(move |arguments, rows| {
        let values = Primitives::<Decimal128Type>::new(&arguments[0])?;
        compute::<Decimal128Type>(&[&arguments[0]], rows, &arrow, |row| {
            let value = values.get(row);
            Ok(value.and_then(|value| decimal::rescale(value, scale, to_scale, precision)))
        })
    }))
}

fn integer_to_decimal(from: &DataType, to: &DataType) -> Option<Kernel> {
    fn of<A: Number>(form: Form, arrow: arrow_schema::DataType) -> Kernel {
        Box::new(move |arguments, rows| {
            let values = Primitives::<A>::new(&arguments[0])?;
            compute::<Decimal128Type>(&[&arguments[0]], rows, &arrow, |row| {
                let value = values.get(row).map(|value| i128::from(A::to_i64(value)));
                Ok(value.and_then(|value| decimal::rescale(value, 0, form.scale, form.precision)))
            })
        })
    }
    let (form, arrow) = (form(to)?, arrow_type(to));
    Some(match from {
        DataType::TinyInt => of::<Int8Type>(form, arrow),
        DataType::SmallInt => of::<Int16Type>(form, arrow),
        DataType::Int => of::<Int32Type>(form, arrow),
        DataType::BigInt => of::<Int64Type>(form, arrow),
        _ => return None,
    })
}

/// By way of the digits that Java writes, of a FLOAT as a double.
fn approximate_to_decimal(from: &DataType, to: &DataType) -> Option<Kernel> {
    fn of<A: Number>(form: Form, arrow: arrow_schema::DataType) -> Kernel {
        Box::new(move |arguments, rows| {
            let values = Primitives::<A>::new(&arguments[0])?;
            compute::<Decimal128Type>(&[&arguments[0]], rows, &arrow, |row| {
                let Some(value) = values.get(row).map(A::to_f64) else {
                    return Ok(None);
                };
                if !value.is_finite() {
                    let text = if value.is_nan() { "NaN" } else { "Infinity" };
                    return Err(Failure::at(row, format!("{text} is not a DECIMAL")));
                }
                let (digits, exponent) = value.shortest();
                let digits: i128 = digits.parse().unwrap_or(0);
                let digits = if value < 0.0 { -digits } else { digits };
                Ok(decimal::from_digits(digits, exponent, form))
            })
        })
    }
    let (form, arrow) = (form(to)?, arrow_type(to));
    Some(match from {
        DataType::Float => of::<Float32Type>(form, arrow),
        DataType::Double => of::<Float64Type>(form, arrow),
        _ => return None,
    })
}

fn decimal_to_number(from: &DataType, to: &DataType) -> Option<Kernel> {
    fn integer<O: Number>(scale: i8) -> Kernel {
        Box::new(move |arguments, _| {
            let f = |value| O::from_i64(decimal::to_i64(value, scale));
            Ok(map::<Decimal128Type, O>(&arguments[0], f)?)
        })
    }
    let (precision, scale) = decimal_form(from)?;
    Some(match to {
        DataType::TinyInt => integer::<Int8Type>(scale),
        DataType::SmallInt => integer::<Int16Type>(scale),
        DataType::Int => integer::<Int32Type>(scale),
        DataType::BigInt => integer::<Int64Type>(scale),
        DataType::Float => Box::new(move |arguments, _| {
            let f = |value| decimal::to_f64(value, precision, scale) as f32;
            Ok(map::<Decimal128Type, Float32Type>(&arguments[0], f)?)
        }),
        DataType::Double => Box::new(move |arguments, _| {
            let f = |value| decimal::to_f64(value, precision, scale);
            Ok(map::<Decimal128Type, Float64Type>(&arguments[0], f)?)
        }),
        _ => return None,
    })
}

fn boolean_to_number(to: &DataType) -> Option<Kernel> {
    fn of<O: ArrowPrimitiveType>(
        one: O::Native,
        zero: O::Native,
        arrow: arrow_schema::DataType,
    ) -> Kernel {
        Box::new(move |arguments, rows| -> Outcome<Column> {
            let truth = Truth::new(&arguments[0], rows.count)?;
            let values = (0..rows.count).map(|row| {
                let known = truth.yes.value(row) || truth.no.value(row);
                known.then(|| if truth.yes.value(row) { one } else { zero })
            });
            let array: PrimitiveArray<O> = values.collect();
            let array: ArrayRef = Arc::new(array.with_data_type(arrow.clone()));
            Ok(Column::Rows(array))
        })
    }
    let arrow = arrow_type(to);
    Some(match to {
        DataType::TinyInt => of::<Int8Type>(1, 0, arrow),
        DataType::SmallInt => of::<Int16Type>(1, 0, arrow),
        DataType::Int => of::<Int32Type>(1, 0, arrow),
        DataType::BigInt => of::<Int64Type>(1, 0, arrow),
        DataType::Float => of::<Float32Type>(1.0, 0.0, arrow),
        DataType::Double => of::<Float64Type>(1.0, 0.0, arrow),
        DataType::Decimal(precision, scale) => {
            // 1 may not fit: then it is NULL, which a cast of the whole column cannot say by a value.
            let one = decimal::rescale(1, 0, *scale, *precision)?;
            of::<Decimal128Type>(one, 0, arrow)
        }
        _ => return None,
    })
}
