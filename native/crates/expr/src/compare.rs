//! Comparisons.

use crate::cast::OnFailure;
use crate::column::{Bytes, Column, Primitives, Rows, Stamps, Truth, booleans, test, test2};
use crate::compile::{Call, Compiler};
use crate::decimal;
use crate::failure::Outcome;
use crate::program::{Kernel, Kind, NodeId};
use crate::types::{Family, decimal_form, family, is_numeric};
use arrow_array::Array;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType,
};
use sf_core::Result;
use sf_plan::DataType;
use std::cmp::Ordering;

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Op {
    fn of(function: &str) -> Option<Self> {
        Some(match function {
            "=" => Self::Equal,
            "<>" => Self::NotEqual,
            "<" => Self::Less,
            "<=" => Self::LessOrEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterOrEqual,
            _ => return None,
        })
    }

    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::NotEqual => ordering.is_ne(),
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

pub(crate) fn build(compiler: &mut Compiler<'_>, call: &Call<'_>) -> Result<Kind> {
    let [left, right] = compiler.operands(call)?;
    if let Some(op) = Op::of(call.function) {
        let (kernel, left, right) = kernel(compiler, call, op, left, right)?;
        return Ok(Kind::Call(kernel, vec![left, right]));
    }
    // Both operands are evaluated for all rows, as Flink's code does.
    let distinct = call.function == "IS DISTINCT FROM";
    let (kernel, new_left, new_right) = kernel(compiler, call, Op::Equal, left, right)?;
    let equal = compiler.insert(kernel, vec![new_left, new_right], DataType::Boolean);
    let kernel: Kernel = Box::new(move |arguments, rows| {
        let equal = Truth::new(&arguments[0], rows.count)?.yes;
        let both = |row: usize| {
            let null = |column: &Column| {
                let row = if column.is_constant() { 0 } else { row };
                column.array().is_null(row)
            };
            null(&arguments[1]) && null(&arguments[2])
        };
        let values = (0..rows.count).map(|row| (equal.value(row) || both(row)) != distinct);
        Ok(booleans(values.collect()))
    });
    Ok(Kind::Call(kernel, vec![equal, left, right]))
}

/// The comparison and its operands, converted to one type where Flink's code does.
fn kernel(
    compiler: &mut Compiler<'_>,
    call: &Call<'_>,
    op: Op,
    left: NodeId,
    right: NodeId,
) -> Result<(Kernel, NodeId, NodeId)> {
    let (a, b) = (
        compiler.data_type(left).clone(),
        compiler.data_type(right).clone(),
    );
    let (family_a, family_b) = (family(&a), family(&b));
    if is_numeric(&a) && is_numeric(&b) {
        if family_a == Family::Decimal || family_b == Family::Decimal {
            return decimal_kernel(compiler, op, left, right);
        }
        // As Java promotes the operands of a comparison.
        let common = match (&a, &b) {
            (DataType::Double, _) | (_, DataType::Double) => DataType::Double,
            (DataType::Float, _) | (_, DataType::Float) => DataType::Float,
            _ if a == b => a,
            _ => DataType::BigInt,
        };
        let left = compiler.convert(left, &common, OnFailure::Error)?;
        let right = compiler.convert(right, &common, OnFailure::Error)?;
        let kernel = match common {
            DataType::TinyInt => primitive::<Int8Type>(op),
            DataType::SmallInt => primitive::<Int16Type>(op),
            DataType::Int => primitive::<Int32Type>(op),
            DataType::BigInt => primitive::<Int64Type>(op),
            DataType::Float => primitive::<Float32Type>(op),
            _ => primitive::<Float64Type>(op),
        };
        return Ok((kernel, left, right));
    }
    if family_a != family_b {
        return Err(compiler.refuse(call));
    }
    let kernel = match family_a {
        Family::Character | Family::Bytes => bytes(op),
        Family::Boolean => Box::new(move |arguments: &[Column], rows: &Rows<'_>| {
            let (a, b) = (&arguments[0], &arguments[1]);
            let (x, y) = (Truth::new(a, rows.count)?, Truth::new(b, rows.count)?);
            let value = |truth: &Truth, row| {
                (truth.yes.value(row) || truth.no.value(row)).then(|| truth.yes.value(row))
            };
            test(&[a, b], rows, |row| {
                let (x, y) = (value(&x, row), value(&y, row));
                Ok(x.zip(y).map(|(x, y)| op.holds(x.cmp(&y))))
            })
        }),
        Family::Date => primitive::<Date32Type>(op),
        Family::Time => primitive::<Time32MillisecondType>(op),
        Family::MonthInterval => primitive::<Int32Type>(op),
        Family::TimeInterval => primitive::<Int64Type>(op),
        Family::Timestamp | Family::TimestampLtz => stamps(op),
        _ => return Err(compiler.refuse(call)),
    };
    Ok((kernel, left, right))
}

fn primitive<T: ArrowPrimitiveType>(op: Op) -> Kernel {
    Box::new(move |arguments, _| {
        let (a, b) = (&arguments[0], &arguments[1]);
        // NaN is unequal to all and neither less nor greater, and -0.0 equals 0.0: Java's primitives and Rust's agree.
        Ok(match op {
            Op::Equal => test2::<T>(a, b, |x, y| x == y),
            Op::NotEqual => test2::<T>(a, b, |x, y| x != y),
            Op::Less => test2::<T>(a, b, |x, y| x < y),
            Op::LessOrEqual => test2::<T>(a, b, |x, y| x <= y),
            Op::Greater => test2::<T>(a, b, |x, y| x > y),
            Op::GreaterOrEqual => test2::<T>(a, b, |x, y| x >= y),
        }?)
    })
}

/// Strings and bytes: unsigned bytes one by one.
fn bytes(op: Op) -> Kernel {
    Box::new(move |arguments, rows| {
        let (a, b) = (&arguments[0], &arguments[1]);
        let (x, y) = (Bytes::new(a)?, Bytes::new(b)?);
        test(&[a, b], rows, |row| {
            let pair = x.get(row).zip(y.get(row));
            Ok(pair.map(|(x, y)| match op {
                Op::Equal => x == y,
                Op::NotEqual => x != y,
                _ => op.holds(x.cmp(y)),
            }))
        })
    })
}

fn stamps(op: Op) -> Kernel {
    Box::new(move |arguments, rows| {
        let (a, b) = (&arguments[0], &arguments[1]);
        let (x, y) = (Stamps::new(a)?, Stamps::new(b)?);
        test(&[a, b], rows, |row| {
            let pair = x.get(row).zip(y.get(row));
            Ok(pair.map(|(x, y)| op.holds(x.cmp(&y))))
        })
    })
}

/// At least one operand is a DECIMAL: exact against exact numbers, by doubles against approximate ones.
fn decimal_kernel(
    compiler: &mut Compiler<'_>,
    op: Op,
    left: NodeId,
    right: NodeId,
) -> Result<(Kernel, NodeId, NodeId)> {
    let a = compiler.data_type(left).clone();
    let b = compiler.data_type(right).clone();
    let (Some((pa, sa)), Some((pb, sb))) = (decimal_form(&a), decimal_form(&b)) else {
        let decimal_left = matches!(a, DataType::Decimal(..));
        let left = compiler.convert(left, &DataType::Double, OnFailure::Error)?;
        let right = compiler.convert(right, &DataType::Double, OnFailure::Error)?;
        // As Double.compare(decimal, other): a total order, with NaN the greatest and -0.0 below 0.0.
        let kernel: Kernel = Box::new(move |arguments, rows| {
            let (a, b) = (&arguments[0], &arguments[1]);
            let x = Primitives::<Float64Type>::new(a)?;
            let y = Primitives::<Float64Type>::new(b)?;
            test(&[a, b], rows, |row| {
                let pair = x.get(row).zip(y.get(row));
                Ok(pair.map(|(x, y)| {
                    let ordering = if decimal_left {
                        java_compare(x, y)
                    } else {
                        java_compare(y, x).reverse()
                    };
                    op.holds(ordering)
                }))
            })
        });
        return Ok((kernel, left, right));
    };
    let left = compiler.convert(left, &DataType::Decimal(pa, sa), OnFailure::Error)?;
    let right = compiler.convert(right, &DataType::Decimal(pb, sb), OnFailure::Error)?;
    if sa == sb {
        return Ok((primitive::<Decimal128Type>(op), left, right));
    }
    let kernel: Kernel = Box::new(move |arguments, _| -> Outcome<Column> {
        let (a, b) = (&arguments[0], &arguments[1]);
        Ok(test2::<Decimal128Type>(a, b, |x, y| {
            op.holds(decimal::compare(x, sa, y, sb))
        })?)
    });
    Ok((kernel, left, right))
}

/// `Double.compare`.
pub(crate) fn java_compare(x: f64, y: f64) -> Ordering {
    // total_cmp, but for Java's one NaN.
    match (x.is_nan(), y.is_nan()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) => x.total_cmp(&y),
    }
}
