//! Arithmetic of numbers; that of times is in `temporal`.

use crate::cast::OnFailure;
use crate::column::{Column, Primitives, Rows, compute, map, map2};
use crate::compile::{Call, Compiler};
use crate::decimal::{self, Form};
use crate::failure::{Failure, Outcome};
use crate::program::{Kernel, Kind, NodeId};
use crate::temporal;
use crate::types::{Family, decimal_form, family, is_numeric};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type,
};
use sf_batch::arrow_type;
use sf_core::Result;
use sf_plan::DataType;

/// What Java's message of a division of integers by 0 says.
const BY_ZERO: &str = "/ by zero";

pub(crate) fn build(compiler: &mut Compiler<'_>, call: &Call<'_>) -> Result<Kind> {
    match call.function {
        "MINUS_PREFIX" | "PLUS_PREFIX" | "ABS" | "FLOOR" | "CEIL" => unary(compiler, call),
        function => {
            let [left, right] = compiler.operands(call)?;
            let interval = matches!(
                family(&call.data_type),
                Family::MonthInterval | Family::TimeInterval
            );
            if is_numeric(&call.data_type) || (interval && function == "*") {
                binary(compiler, call, left, right)
            } else {
                temporal::build(compiler, call, left, right)
            }
        }
    }
}

/// The arithmetic of one type of numbers, as Java's.
trait Number: ArrowPrimitiveType {
    fn add(a: Self::Native, b: Self::Native) -> Self::Native;
    fn subtract(a: Self::Native, b: Self::Native) -> Self::Native;
    fn multiply(a: Self::Native, b: Self::Native) -> Self::Native;
    /// `b` is not 0 for integers.
    fn divide(a: Self::Native, b: Self::Native) -> Self::Native;
    /// `b` is not 0 for integers.
    fn remainder(a: Self::Native, b: Self::Native) -> Self::Native;
    fn negate(a: Self::Native) -> Self::Native;
    fn abs(a: Self::Native) -> Self::Native;
    /// Whether a division by this value fails.
    fn fails(b: Self::Native) -> bool;
}

macro_rules! integer {
    ($($t:ty),*) => {$(
        impl Number for $t {
            fn add(a: Self::Native, b: Self::Native) -> Self::Native { a.wrapping_add(b) }
            fn subtract(a: Self::Native, b: Self::Native) -> Self::Native { a.wrapping_sub(b) }
            fn multiply(a: Self::Native, b: Self::Native) -> Self::Native { a.wrapping_mul(b) }
            fn divide(a: Self::Native, b: Self::Native) -> Self::Native { a.wrapping_div(b) }
            fn remainder(a: Self::Native, b: Self::Native) -> Self::Native { a.wrapping_rem(b) }
            fn negate(a: Self::Native) -> Self::Native { a.wrapping_neg() }
            fn abs(a: Self::Native) -> Self::Native { a.wrapping_abs() }
            fn fails(b: Self::Native) -> bool { b == 0 }
        }
    )*};
}

macro_rules! approximate {
    ($($t:ty),*) => {$(
        impl Number for $t {
            fn add(a: Self::Native, b: Self::Native) -> Self::Native { a + b }
            fn subtract(a: Self::Native, b: Self::Native) -> Self::Native { a - b }
            fn multiply(a: Self::Native, b: Self::Native) -> Self::Native { a * b }
            fn divide(a: Self::Native, b: Self::Native) -> Self::Native { a / b }
            fn remainder(a: Self::Native, b: Self::Native) -> Self::Native { a % b }
            fn negate(a: Self::Native) -> Self::Native { -a }
            fn abs(a: Self::Native) -> Self::Native { a.abs() }
            fn fails(_: Self::Native) -> bool { false }
        }
    )*};
}

integer!(Int8Type, Int16Type, Int32Type, Int64Type);
approximate!(Float32Type, Float64Type);

fn binary(
    compiler: &mut Compiler<'_>,
    call: &Call<'_>,
    left: NodeId,
    right: NodeId,
) -> Result<Kind> {
    let a = compiler.data_type(left).clone();
    let b = compiler.data_type(right).clone();
    if let DataType::Decimal(precision, scale) = call.data_type {
        let (Some((pa, sa)), Some((pb, sb))) = (decimal_form(&a), decimal_form(&b)) else {
            return Err(compiler.refuse(call));
        };
        let left = compiler.convert(left, &DataType::Decimal(pa, sa), OnFailure::Error)?;
        let right = compiler.convert(right, &DataType::Decimal(pb, sb), OnFailure::Error)?;
        let to = Form { precision, scale };
        let kernel = decimals(call.function, sa, sb, to, call.data_type.clone());
        let kernel = kernel.ok_or_else(|| compiler.refuse(call))?;
        return Ok(Kind::Call(kernel, vec![left, right]));
    }
    if call.function == "MOD" && a != b {
        return mixed_remainder(compiler, call, left, right);
    }
    let left = compiler.convert(left, &call.data_type, OnFailure::Error)?;
    let right = compiler.convert(right, &call.data_type, OnFailure::Error)?;
    let kernel = match call.data_type {
        DataType::TinyInt => number::<Int8Type>(call.function),
        DataType::SmallInt => number::<Int16Type>(call.function),
        DataType::Int | DataType::IntervalYearMonth => number::<Int32Type>(call.function),
        DataType::BigInt | DataType::IntervalDayTime => number::<Int64Type>(call.function),
        DataType::Float => number::<Float32Type>(call.function),
        DataType::Double => number::<Float64Type>(call.function),
        _ => None,
    };
    let kernel = kernel.ok_or_else(|| compiler.refuse(call))?;
    Ok(Kind::Call(kernel, vec![left, right]))
}

fn number<T: Number>(function: &str) -> Option<Kernel> {
    Some(match function {
        "+" => Box::new(|arguments, _| two::<T>(arguments, T::add)),
        "-" => Box::new(|arguments, _| two::<T>(arguments, T::subtract)),
        "*" => Box::new(|arguments, _| two::<T>(arguments, T::multiply)),
        "/" => Box::new(|arguments, rows| division::<T>(arguments, rows, T::divide)),
        "MOD" => Box::new(|arguments, rows| division::<T>(arguments, rows, T::remainder)),
        _ => return None,
    })
}

fn two<T: Number>(
    arguments: &[Column],
    f: impl Fn(T::Native, T::Native) -> T::Native,
) -> Outcome<Column> {
    Ok(map2::<T, T, T>(&arguments[0], &arguments[1], f)?)
}

/// A division: where a divisor is 0, only rows that count and have no NULL fail.
fn division<T: Number>(
    arguments: &[Column],
    rows: &Rows<'_>,
    f: impl Fn(T::Native, T::Native) -> T::Native,
) -> Outcome<Column> {
    let (a, b) = (&arguments[0], &arguments[1]);
    let divisors = b.array().as_primitive_opt::<T>();
    if divisors.is_some_and(|divisors| !divisors.values().iter().any(|b| T::fails(*b))) {
        return two::<T>(arguments, f);
    }
    let (x, y) = (Primitives::<T>::new(a)?, Primitives::<T>::new(b)?);
    compute::<T>(&[a, b], rows, b.array().data_type(), |row| {
        match x.get(row).zip(y.get(row)) {
            Some((_, y)) if T::fails(y) => Err(Failure::at(row, BY_ZERO)),
            pair => Ok(pair.map(|(x, y)| f(x, y))),
        }
    })
}

/// The rest of integers of different types: Flink leaves the left operand as it is, casts the right one to the type of
/// the result, computes in the wider of the two, and casts what comes out.
fn mixed_remainder(
    compiler: &mut Compiler<'_>,
    call: &Call<'_>,
    left: NodeId,
    right: NodeId,
) -> Result<Kind> {
    let integers = [
        compiler.data_type(left),
        compiler.data_type(right),
        &call.data_type,
    ]
    .iter()
    .all(|data_type| family(data_type) == Family::Integer);
    if !integers {
        let double = call.data_type == DataType::Double
            && family(compiler.data_type(left)) != Family::Decimal;
        if !double {
            return Err(compiler.refuse(call));
        }
        let left = compiler.convert(left, &DataType::Double, OnFailure::Error)?;
        let right = compiler.convert(right, &DataType::Double, OnFailure::Error)?;
        let kernel = number::<Float64Type>("MOD").ok_or_else(|| compiler.refuse(call))?;
        return Ok(Kind::Call(kernel, vec![left, right]));
    }
    let right = compiler.convert(right, &call.data_type, OnFailure::Error)?;
    let left = compiler.convert(left, &DataType::BigInt, OnFailure::Error)?;
    let right = compiler.convert(right, &DataType::BigInt, OnFailure::Error)?;
    let kernel = number::<Int64Type>("MOD").ok_or_else(|| compiler.refuse(call))?;
    let rest = compiler.insert(kernel, vec![left, right], DataType::BigInt);
    let rest = compiler.convert(rest, &call.data_type, OnFailure::Error)?;
    Ok(Kind::Alias(rest))
}

fn decimals(function: &str, sa: i8, sb: i8, to: Form, data_type: DataType) -> Option<Kernel> {
    type Operation = fn(i128, i8, i128, i8, Form) -> Option<i128>;
    let operation: Operation = match function {
        "+" => decimal::add,
        "-" => decimal::subtract,
        "*" => decimal::multiply,
        "/" | "MOD" => decimal::divide,
        _ => return None,
    };
    let divides = matches!(function, "/" | "MOD");
    let rest = function == "MOD";
    let arrow = arrow_type(&data_type);
    Some(Box::new(move |arguments, rows| {
        let (a, b) = (&arguments[0], &arguments[1]);
        let x = Primitives::<Decimal128Type>::new(a)?;
        let y = Primitives::<Decimal128Type>::new(b)?;
        compute::<Decimal128Type>(&[a, b], rows, &arrow, |row| {
            let Some((x, y)) = x.get(row).zip(y.get(row)) else {
                return Ok(None);
            };
            if divides && y == 0 {
                let zero = x == 0;
                let text = if zero {
                    "Division undefined"
                } else {
                    "Division by zero"
                };
                return Err(Failure::at(row, text));
            }
            if rest {
                return decimal::remainder(x, sa, y, sb, to).map_err(|e| Failure::at(row, e));
            }
            Ok(operation(x, sa, y, sb, to))
        })
    }))
}

fn unary(compiler: &mut Compiler<'_>, call: &Call<'_>) -> Result<Kind> {
    let [operand] = compiler.operands(call)?;
    let from = compiler.data_type(operand).clone();
    let rounds = matches!(call.function, "FLOOR" | "CEIL");
    if call.function == "PLUS_PREFIX" && from == call.data_type {
        return Ok(Kind::Alias(operand));
    }
    if rounds && family(&from) == Family::Integer && from == call.data_type {
        return Ok(Kind::Alias(operand));
    }
    if let DataType::Decimal(_, scale) = from {
        return decimal_unary(compiler, call, operand, scale);
    }
    if from != call.data_type {
        return Err(compiler.refuse(call));
    }
    let kernel = match from {
        DataType::TinyInt => one::<Int8Type>(call.function),
        DataType::SmallInt => one::<Int16Type>(call.function),
        DataType::Int | DataType::IntervalYearMonth => one::<Int32Type>(call.function),
        DataType::BigInt | DataType::IntervalDayTime => one::<Int64Type>(call.function),
        DataType::Float if rounds => floats::<Float32Type>(call.function, f32::floor, f32::ceil),
        DataType::Double if rounds => floats::<Float64Type>(call.function, f64::floor, f64::ceil),
        DataType::Float => one::<Float32Type>(call.function),
        DataType::Double => one::<Float64Type>(call.function),
        _ => None,
    };
    let kernel = kernel.ok_or_else(|| compiler.refuse(call))?;
    Ok(Kind::Call(kernel, vec![operand]))
}

fn one<T: Number>(function: &str) -> Option<Kernel> {
    Some(match function {
        "MINUS_PREFIX" => Box::new(|arguments, _| Ok(map::<T, T>(&arguments[0], T::negate)?)),
        "ABS" => Box::new(|arguments, _| Ok(map::<T, T>(&arguments[0], T::abs)?)),
        _ => return None,
    })
}

fn floats<T: Number>(
    function: &str,
    floor: fn(T::Native) -> T::Native,
    ceil: fn(T::Native) -> T::Native,
) -> Option<Kernel> {
    let f = if function == "FLOOR" { floor } else { ceil };
    Some(Box::new(move |arguments, _| {
        Ok(map::<T, T>(&arguments[0], f)?)
    }))
}

fn decimal_unary(
    compiler: &Compiler<'_>,
    call: &Call<'_>,
    operand: NodeId,
    scale: i8,
) -> Result<Kind> {
    let arrow = arrow_type(&call.data_type);
    let to_scale = match call.data_type {
        DataType::Decimal(_, to) => to,
        _ => return Err(compiler.refuse(call)),
    };
    let rounds = matches!(call.function, "FLOOR" | "CEIL");
    // FLOOR and CEIL give scale 0, the others keep theirs.
    if to_scale != if rounds { 0 } else { scale } {
        return Err(compiler.refuse(call));
    }
    let f: Box<dyn Fn(i128) -> i128 + Send + Sync> = match call.function {
        "MINUS_PREFIX" => Box::new(|value| -value),
        "ABS" => Box::new(i128::abs),
        "FLOOR" => Box::new(move |value| decimal::integral(value, scale, false)),
        "CEIL" => Box::new(move |value| decimal::integral(value, scale, true)),
        _ => return Err(compiler.refuse(call)),
    };
    let kernel: Kernel = Box::new(move |arguments, rows| {
        let values = Primitives::<Decimal128Type>::new(&arguments[0])?;
        compute::<Decimal128Type>(&[&arguments[0]], rows, &arrow, |row| {
            Ok(values.get(row).map(&f))
        })
    });
    Ok(Kind::Call(kernel, vec![operand]))
}
