//! SEARCH: Calcite's form of IN, NOT IN, BETWEEN and of comparisons with constants that belong together.

use crate::cast::OnFailure;
use crate::column::{Bytes, Primitives, Stamps, Truth, test};
use crate::compare::java_compare;
use crate::compile::{Call, Compiler};
use crate::decimal;
use crate::literal;
use crate::program::{Kernel, Kind};
use crate::types::{Family, decimal_form, family, sql};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType,
};
use sf_core::{Error, Result};
use sf_plan::proto::{Literal, search::NullAs};
use sf_plan::{DataType, unsupported};
use std::cmp::Ordering;
use std::ops::Bound;

/// Ranges in ascending order that do not overlap.
type Ranges<T> = Vec<(Bound<T>, Bound<T>)>;

pub(crate) fn build(compiler: &mut Compiler<'_>, call: &Call<'_>) -> Result<Kind> {
    let [needle] = compiler.operands(call)?;
    let search = call.search;
    let search = search.ok_or_else(|| Error::internal("a SEARCH has no ranges"))?;
    let bound = search.r#type.as_ref();
    let bound = bound.ok_or_else(|| Error::internal("the bounds of a SEARCH have no type"))?;
    let bound = DataType::from_proto(bound)?;
    let null = match search.null_as() {
        NullAs::Null => None,
        NullAs::True => Some(true),
        NullAs::False => Some(false),
    };
    let from = compiler.data_type(needle).clone();
    let refuse = || {
        let (from, bound) = (sql(&from), sql(&bound));
        unsupported(format!("function SEARCH of {from} among {bound}"))
    };
    let (a, b) = (family(&from), family(&bound));
    let ranges = |read: &dyn Fn(&Literal) -> Result<i64>| ranges(&search.ranges, read);
    let kernel: Kernel = match (a, b) {
        (Family::Integer, Family::Integer) => {
            let wide = compiler.convert(needle, &DataType::BigInt, OnFailure::Error)?;
            let ranges = ranges(&|value| integer(value, &bound))?;
            let kernel: Kernel = Box::new(move |arguments, rows| {
                let values = Primitives::<Int64Type>::new(&arguments[0])?;
                test(&[&arguments[0]], rows, |row| {
                    Ok(values.get(row).map_or(null, |v| Some(within(&ranges, &v))))
                })
            });
            return Ok(Kind::Call(kernel, vec![wide]));
        }
        (Family::Date, Family::Date) => {
            let ranges = ranges(&|value| integer(value, &bound))?;
            Box::new(move |arguments, rows| {
                let values = Primitives::<Date32Type>::new(&arguments[0])?;
                test(&[&arguments[0]], rows, |row| {
                    let value = values.get(row).map(i64::from);
                    Ok(value.map_or(null, |v| Some(within(&ranges, &v))))
                })
            })
        }
        (Family::Time, Family::Time) => {
            let ranges = ranges(&|value| integer(value, &bound))?;
            Box::new(move |arguments, rows| {
                let values = Primitives::<Time32MillisecondType>::new(&arguments[0])?;
                test(&[&arguments[0]], rows, |row| {
                    let value = values.get(row).map(i64::from);
                    Ok(value.map_or(null, |v| Some(within(&ranges, &v))))
                })
            })
        }
        (Family::Boolean, Family::Boolean) => {
            let ranges = ranges(&|value| {
                let array = literal::array(value, &bound)?;
                Ok(i64::from(array.as_boolean().value(0)))
            })?;
            Box::new(move |arguments, rows| {
                let truth = Truth::new(&arguments[0], rows.count)?;
                test(&[&arguments[0]], rows, |row| {
                    let (yes, no) = (truth.yes.value(row), truth.no.value(row));
                    let value = (yes || no).then_some(i64::from(yes));
                    Ok(value.map_or(null, |v| Some(within(&ranges, &v))))
                })
            })
        }
        (Family::Character, Family::Character) | (Family::Bytes, Family::Bytes) => {
            let ranges = crate::search::ranges(&search.ranges, &|value| {
                let array = literal::array(value, &bound)?;
                Ok(array.as_binary::<i32>().value(0).to_vec())
            })?;
            let texts = Texts::new(ranges);
            Box::new(move |arguments, rows| {
                let values = Bytes::new(&arguments[0])?;
                test(&[&arguments[0]], rows, |row| {
                    Ok(values.get(row).map_or(null, |v| Some(texts.contain(v))))
                })
            })
        }
        (Family::Timestamp, Family::Timestamp) | (Family::TimestampLtz, Family::TimestampLtz) => {
            let ranges = crate::search::ranges(&search.ranges, &|value| {
                let array = crate::column::Column::Constant(literal::array(value, &bound)?);
                let stamp = Stamps::new(&array)?.get(0);
                stamp.ok_or_else(|| Error::internal("NULL as a bound of a SEARCH"))
            })?;
            Box::new(move |arguments, rows| {
                let values = Stamps::new(&arguments[0])?;
                test(&[&arguments[0]], rows, |row| {
                    Ok(values.get(row).map_or(null, |v| Some(within(&ranges, &v))))
                })
            })
        }
        (Family::Approximate, Family::Approximate) if from == bound => {
            let ranges = crate::search::ranges(&search.ranges, &|value| {
                let array = literal::array(value, &bound)?;
                Ok(match array.as_primitive_opt::<Float32Type>() {
                    Some(array) => f64::from(array.value(0)),
                    None => array.as_primitive::<Float64Type>().value(0),
                })
            })?;
            let wide = compiler.convert(needle, &DataType::Double, OnFailure::Error)?;
            return Ok(Kind::Call(approximate(ranges, null), vec![wide]));
        }
        _ => {
            let (Some((precision, scale)), Some((_, bound_scale))) =
                (decimal_form(&from), decimal_form(&bound))
            else {
                return Err(refuse());
            };
            let ranges = crate::search::ranges(&search.ranges, &|value| {
                let array = literal::array(value, &bound)?;
                match array.as_primitive_opt::<Decimal128Type>() {
                    Some(array) => Ok(array.value(0)),
                    None => integer(value, &bound).map(i128::from),
                }
            })?;
            let to = DataType::Decimal(precision, scale);
            let needle = compiler.convert(needle, &to, OnFailure::Error)?;
            let kernel: Kernel = Box::new(move |arguments, rows| {
                let values = Primitives::<Decimal128Type>::new(&arguments[0])?;
                test(&[&arguments[0]], rows, |row| {
                    let inside = |v: i128| {
                        let compare =
                            |bound: &i128| decimal::compare(v, scale, *bound, bound_scale);
                        contains(&ranges, compare)
                    };
                    Ok(values.get(row).map_or(null, |v| Some(inside(v))))
                })
            });
            return Ok(Kind::Call(kernel, vec![needle]));
        }
    };
    Ok(Kind::Call(kernel, vec![needle]))
}

/// FLOAT and DOUBLE. Among points Flink looks up a set, by the bits of Double.doubleToLongBits; among ranges it
/// compares.
fn approximate(ranges: Ranges<f64>, null: Option<bool>) -> Kernel {
    let points = points(&ranges);
    let complement = points.is_none();
    let points = points.or_else(|| complemented_points(&ranges));
    Box::new(move |arguments, rows| {
        let values = Primitives::<Float64Type>::new(&arguments[0])?;
        test(&[&arguments[0]], rows, |row| {
            let inside = |v: f64| match &points {
                Some(points) => {
                    let found = points.iter().any(|p| java_compare(*p, v).is_eq());
                    found != complement
                }
                None => ranges.iter().any(|range| {
                    // A NaN lies in no range but the unbounded one.
                    let from = match range.0 {
                        Bound::Included(bound) => bound <= v,
                        Bound::Excluded(bound) => bound < v,
                        Bound::Unbounded => true,
                    };
                    from && match range.1 {
                        Bound::Included(bound) => v <= bound,
                        Bound::Excluded(bound) => v < bound,
                        Bound::Unbounded => true,
                    }
                }),
            };
            Ok(values.get(row).map_or(null, |v| Some(inside(v))))
        })
    })
}

fn points(ranges: &Ranges<f64>) -> Option<Vec<f64>> {
    let point = |range: &(Bound<f64>, Bound<f64>)| match range {
        (Bound::Included(a), Bound::Included(b)) if a.to_bits() == b.to_bits() => Some(*a),
        _ => None,
    };
    ranges.iter().map(point).collect()
}

/// The points that lie between ranges which cover all else.
fn complemented_points(ranges: &Ranges<f64>) -> Option<Vec<f64>> {
    let whole = matches!(ranges.first(), Some((Bound::Unbounded, _)))
        && matches!(ranges.last(), Some((_, Bound::Unbounded)));
    let gap = |pair: &[(Bound<f64>, Bound<f64>)]| match (pair[0].1, pair[1].0) {
        (Bound::Excluded(a), Bound::Excluded(b)) if a.to_bits() == b.to_bits() => Some(a),
        _ => None,
    };
    if !whole || ranges.len() < 2 {
        return None;
    }
    ranges.windows(2).map(gap).collect()
}

fn ranges<T>(
    messages: &[sf_plan::proto::Range],
    read: &dyn Fn(&Literal) -> Result<T>,
) -> Result<Ranges<T>> {
    let bound = |literal: &Option<Literal>, open: bool| {
        Ok(match literal {
            None => Bound::Unbounded,
            Some(literal) if literal.value.is_none() => {
                return Err(Error::internal("NULL as a bound of a SEARCH"));
            }
            Some(literal) if open => Bound::Excluded(read(literal)?),
            Some(literal) => Bound::Included(read(literal)?),
        })
    };
    let range = |range: &sf_plan::proto::Range| {
        let lower = bound(&range.lower, range.lower_open)?;
        Ok((lower, bound(&range.upper, range.upper_open)?))
    };
    messages.iter().map(range).collect()
}

fn integer(literal: &Literal, data_type: &DataType) -> Result<i64> {
    let array = literal::array(literal, data_type)?;
    let value = match data_type {
        DataType::TinyInt => array
            .as_primitive_opt::<Int8Type>()
            .map(|a| a.value(0).into()),
        DataType::SmallInt => array
            .as_primitive_opt::<Int16Type>()
            .map(|a| a.value(0).into()),
        DataType::Int => array
            .as_primitive_opt::<Int32Type>()
            .map(|a| a.value(0).into()),
        DataType::BigInt => array.as_primitive_opt::<Int64Type>().map(|a| a.value(0)),
        DataType::Date => array
            .as_primitive_opt::<Date32Type>()
            .map(|a| a.value(0).into()),
        DataType::Time(_) => array
            .as_primitive_opt::<Time32MillisecondType>()
            .map(|a| a.value(0).into()),
        _ => None,
    };
    value.ok_or_else(|| Error::internal("a bound of a SEARCH is no integer"))
}

/// Whether a value lies in a range, by how it compares with a bound.
fn between<T>(range: &(Bound<T>, Bound<T>), compare: impl Fn(&T) -> Ordering) -> bool {
    let from = match &range.0 {
        Bound::Included(bound) => compare(bound).is_ge(),
        Bound::Excluded(bound) => compare(bound).is_gt(),
        Bound::Unbounded => true,
    };
    from && match &range.1 {
        Bound::Included(bound) => compare(bound).is_le(),
        Bound::Excluded(bound) => compare(bound).is_lt(),
        Bound::Unbounded => true,
    }
}

fn within<T: Ord>(ranges: &Ranges<T>, value: &T) -> bool {
    contains(ranges, |bound| value.cmp(bound))
}

/// Strings. Calcite sorts them by UTF-16, so that only points can be looked up by bytes, once sorted again.
enum Texts {
    Points(Vec<Vec<u8>>),
    Ranges(Ranges<Vec<u8>>),
}

impl Texts {
    fn new(ranges: Ranges<Vec<u8>>) -> Self {
        let points = ranges.iter().map(|range| match range {
            (Bound::Included(a), Bound::Included(b)) if a == b => Some(a.clone()),
            _ => None,
        });
        match points.collect::<Option<Vec<_>>>() {
            Some(mut points) => {
                points.sort_unstable();
                Self::Points(points)
            }
            None => Self::Ranges(ranges),
        }
    }

    fn contain(&self, value: &[u8]) -> bool {
        match self {
            Self::Points(points) => points
                .binary_search_by(|point| point.as_slice().cmp(value))
                .is_ok(),
            Self::Ranges(ranges) => ranges
                .iter()
                .any(|range| between(range, |bound| value.cmp(bound.as_slice()))),
        }
    }
}

/// Whether a value lies in one of the ranges: in the last that does not begin behind it, or in none.
fn contains<T>(ranges: &Ranges<T>, compare: impl Fn(&T) -> Ordering) -> bool {
    let begins = |range: &(Bound<T>, Bound<T>)| match &range.0 {
        Bound::Included(bound) => compare(bound).is_ge(),
        Bound::Excluded(bound) => compare(bound).is_gt(),
        Bound::Unbounded => true,
    };
    let begun = ranges.partition_point(begins);
    begun > 0 && between(&ranges[begun - 1], compare)
}
