//! The functions: what one input value does to an accumulator.

use super::value::{Arithmetic, Value};

/// An aggregate function over values of some kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    /// COUNT(*).
    CountRows,
    /// COUNT of what is not NULL.
    Count,
    /// SUM of input that never retracts.
    Sum,
    /// SUM with a count beside it, so that it can become NULL again.
    SumWithRetract,
    /// SUM that begins with zero.
    Sum0,
    /// AVG.
    Avg,
    /// MIN of input that never retracts.
    Min,
    /// MAX of input that never retracts.
    Max,
    /// MIN beside a map of all values; the count is that of its keys.
    MinWithRetract,
    /// MAX beside a map of all values.
    MaxWithRetract,
}

/// What a function keeps of one group: the fields of Flink's accumulator, of which it may use one or both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Accumulator<T> {
    /// Sum, least or greatest.
    pub value: Option<T>,
    /// Values that are not NULL, or rows.
    pub count: i64,
}

impl Function {
    /// Whether the value is a field of the accumulator.
    pub fn keeps_value(self) -> bool {
        !matches!(self, Self::CountRows | Self::Count)
    }

    /// Whether the count is; it stands behind the value.
    pub fn keeps_count(self) -> bool {
        matches!(
            self,
            Self::CountRows | Self::Count | Self::SumWithRetract | Self::Avg
        )
    }

    /// Whether a map of all values belongs to it; value and count are then in one field, a row.
    pub fn keeps_map(self) -> bool {
        matches!(self, Self::MinWithRetract | Self::MaxWithRetract)
    }

    /// Whether an extreme value is replaced by another one.
    pub fn prefers<T: Value>(self, value: T, best: T) -> bool {
        match self {
            Self::MaxWithRetract => best.precedes(value),
            _ => value.precedes(best),
        }
    }

    /// The accumulator of a new group.
    pub fn initial<T: Value>(self) -> Accumulator<T> {
        let zero = matches!(self, Self::Sum0 | Self::Avg);
        Accumulator {
            value: zero.then_some(T::ZERO),
            count: 0,
        }
    }

    /// Takes an input value in; when `retract` is set, out.
    #[inline]
    pub fn step<T: Value>(
        self,
        acc: &mut Accumulator<T>,
        arg: Option<T>,
        retract: bool,
        how: Arithmetic,
    ) {
        let one = if retract { -1_i64 } else { 1 };
        if self == Self::CountRows {
            acc.count = acc.count.wrapping_add(one);
            return;
        }
        let Some(arg) = arg else { return };
        acc.count = acc.count.wrapping_add(one);
        let before = acc.value;
        acc.value = match self {
            Self::CountRows | Self::Count => before,
            Self::Sum | Self::SumWithRetract if !retract => match before {
                None => Some(arg),
                Some(sum) => sum.plus(arg, how),
            },
            Self::Sum | Self::SumWithRetract => before.unwrap_or(T::ZERO).minus(arg, how),
            // A sum that overflowed is NULL for good: NULL plus anything.
            Self::Sum0 | Self::Avg if !retract => before.and_then(|sum| sum.plus(arg, how)),
            Self::Sum0 | Self::Avg => before.and_then(|sum| sum.minus(arg, how)),
            // These need their map: see the lane.
            Self::MinWithRetract | Self::MaxWithRetract => before,
            Self::Min => match before {
                Some(least) if !arg.less(least) => before,
                _ => Some(arg),
            },
            Self::Max => match before {
                Some(greatest) if !greatest.less(arg) => before,
                _ => Some(arg),
            },
        };
    }

    /// Takes another accumulator of the same function in.
    #[inline]
    pub fn merge<T: Value>(self, acc: &mut Accumulator<T>, other: Accumulator<T>, how: Arithmetic) {
        acc.count = acc.count.wrapping_add(other.count);
        let before = acc.value;
        acc.value = match self {
            Self::CountRows | Self::Count => None,
            Self::MinWithRetract | Self::MaxWithRetract => before,
            Self::Sum0 | Self::Avg => match (before, other.value) {
                (Some(sum), Some(more)) => sum.plus(more, how),
                _ => None,
            },
            Self::Sum | Self::SumWithRetract => match (before, other.value) {
                (Some(sum), Some(more)) => sum.plus(more, how),
                (sum, more) => sum.or(more),
            },
            Self::Min => match (before, other.value) {
                (Some(least), Some(more)) if !more.less(least) => before,
                (least, more) => more.or(least),
            },
            Self::Max => match (before, other.value) {
                (Some(greatest), Some(more)) if !greatest.less(more) => before,
                (greatest, more) => more.or(greatest),
            },
        };
    }

    /// The result; that of COUNT is an integer.
    #[inline]
    pub fn result<T: Value>(self, acc: &Accumulator<T>, how: Arithmetic) -> Option<T> {
        match self {
            Self::CountRows | Self::Count => T::of_count(acc.count),
            Self::Sum | Self::Sum0 | Self::Min | Self::Max => acc.value,
            Self::MinWithRetract | Self::MaxWithRetract => acc.value.filter(|_| acc.count > 0),
            Self::SumWithRetract => acc.value.filter(|_| acc.count != 0),
            Self::Avg if acc.count == 0 => None,
            Self::Avg => acc.value.and_then(|sum| sum.per(acc.count, how)),
        }
    }
}
