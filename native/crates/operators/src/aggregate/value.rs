//! Values of accumulators and their arithmetic, as the Java that Flink generates has it.

/// What of a function's types the arithmetic depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arithmetic {
    /// Bits of an integer sum: it wraps.
    pub sum_bits: u32,
    /// Bits of an integer or floating quotient.
    pub result_bits: u32,
    /// Scale of a decimal sum.
    pub scale: u32,
    /// Scale of a decimal quotient.
    pub result_scale: u32,
}

/// Digits of a DECIMAL, at most.
const DIGITS: u32 = 38;

/// One more than the greatest unscaled value of a DECIMAL.
const DECIMAL_END: i128 = 10_i128.pow(DIGITS);

/// A value that functions fold. `None` is what Flink makes NULL.
pub(super) trait Value: Copy {
    /// What sums begin with; of no use for bytes.
    const ZERO: Self;

    /// A count as a value; only integers are counts.
    fn of_count(_: i64) -> Option<Self> {
        None
    }

    /// Java's or Flink's `<`.
    fn less(self, other: Self) -> bool;

    /// `compareTo` of the boxed value, below zero.
    fn precedes(self, other: Self) -> bool {
        self.less(other)
    }

    /// `equals` of the boxed value.
    fn equals(self, other: Self) -> bool {
        self.same(other)
    }

    /// Equality of the generated `RecordEqualiser`.
    fn same(self, other: Self) -> bool;

    /// Sum, in the type of the sum.
    fn plus(self, other: Self, how: Arithmetic) -> Option<Self>;

    /// Difference, in the type of the sum.
    fn minus(self, other: Self, how: Arithmetic) -> Option<Self>;

    /// Quotient, in the type of the result; `count` is not zero.
    fn per(self, count: i64, how: Arithmetic) -> Option<Self>;
}

/// The low bits, sign-extended: a cast to a narrower Java integer.
fn narrow(value: i64, bits: u32) -> i64 {
    let above = 64 - bits;
    value << above >> above
}

impl Value for i64 {
    const ZERO: Self = 0;

    fn of_count(count: i64) -> Option<Self> {
        Some(count)
    }

    fn less(self, other: Self) -> bool {
        self < other
    }

    fn same(self, other: Self) -> bool {
        self == other
    }

    fn plus(self, other: Self, how: Arithmetic) -> Option<Self> {
        Some(narrow(self.wrapping_add(other), how.sum_bits))
    }

    fn minus(self, other: Self, how: Arithmetic) -> Option<Self> {
        Some(narrow(self.wrapping_sub(other), how.sum_bits))
    }

    fn per(self, count: i64, how: Arithmetic) -> Option<Self> {
        Some(narrow(self.wrapping_div(count), how.result_bits))
    }
}

impl Value for f32 {
    const ZERO: Self = 0.0;

    fn precedes(self, other: Self) -> bool {
        f64::from(self).precedes(f64::from(other))
    }

    fn equals(self, other: Self) -> bool {
        f64::from(self).equals(f64::from(other))
    }

    fn less(self, other: Self) -> bool {
        self < other
    }

    fn same(self, other: Self) -> bool {
        self == other
    }

    fn plus(self, other: Self, _: Arithmetic) -> Option<Self> {
        Some(self + other)
    }

    fn minus(self, other: Self, _: Arithmetic) -> Option<Self> {
        Some(self - other)
    }

    fn per(self, count: i64, _: Arithmetic) -> Option<Self> {
        Some((f64::from(self) / count as f64) as f32)
    }
}

impl Value for f64 {
    const ZERO: Self = 0.0;

    fn precedes(self, other: Self) -> bool {
        one_nan(self).total_cmp(&one_nan(other)).is_lt()
    }

    fn equals(self, other: Self) -> bool {
        one_nan(self).total_cmp(&one_nan(other)).is_eq()
    }

    fn less(self, other: Self) -> bool {
        self < other
    }

    fn same(self, other: Self) -> bool {
        self == other
    }

    fn plus(self, other: Self, _: Arithmetic) -> Option<Self> {
        Some(self + other)
    }

    fn minus(self, other: Self, _: Arithmetic) -> Option<Self> {
        Some(self - other)
    }

    fn per(self, count: i64, how: Arithmetic) -> Option<Self> {
        let quotient = self / count as f64;
        Some(match how.result_bits {
            32 => f64::from(quotient as f32),
            _ => quotient,
        })
    }
}

/// To Java's `compareTo` every NaN is the same, and the greatest.
fn one_nan(value: f64) -> f64 {
    if value.is_nan() { f64::NAN } else { value }
}

/// Unscaled decimals, and timestamps as nanoseconds.
impl Value for i128 {
    const ZERO: Self = 0;

    fn less(self, other: Self) -> bool {
        self < other
    }

    fn same(self, other: Self) -> bool {
        self == other
    }

    fn plus(self, other: Self, _: Arithmetic) -> Option<Self> {
        self.checked_add(other).and_then(decimal)
    }

    fn minus(self, other: Self, _: Arithmetic) -> Option<Self> {
        self.checked_sub(other).and_then(decimal)
    }

    fn per(self, count: i64, how: Arithmetic) -> Option<Self> {
        divide(self, how.scale, count, how.result_scale)
    }
}

/// The unsigned bytes of strings.
impl Value for &[u8] {
    const ZERO: Self = &[];

    fn less(self, other: Self) -> bool {
        self < other
    }

    fn same(self, other: Self) -> bool {
        self == other
    }

    fn plus(self, _: Self, _: Arithmetic) -> Option<Self> {
        None
    }

    fn minus(self, _: Self, _: Arithmetic) -> Option<Self> {
        None
    }

    fn per(self, _: i64, _: Arithmetic) -> Option<Self> {
        None
    }
}

fn decimal(value: i128) -> Option<i128> {
    (value.unsigned_abs() < DECIMAL_END.unsigned_abs()).then_some(value)
}

/// `DecimalDataUtils.divide` by a BIGINT: to 38 digits first, then to the scale of the result, half up both times.
fn divide(sum: i128, scale: u32, count: i64, result_scale: u32) -> Option<i128> {
    let divisor = u128::from(count.unsigned_abs());
    let (mut quotient, mut rest) = (sum.unsigned_abs() / divisor, sum.unsigned_abs() % divisor);
    // Digits behind the point of `quotient`; the digits in front of it are 38 at most.
    let mut places = scale;
    while rest != 0 && quotient < DECIMAL_END.unsigned_abs() / 10 {
        rest *= 10;
        quotient = quotient * 10 + rest / divisor;
        rest %= divisor;
        places += 1;
    }
    if rest * 2 >= divisor {
        quotient += 1;
    }
    if places > result_scale {
        quotient = match places - result_scale {
            drop @ ..=DIGITS => {
                let unit = 10_u128.pow(drop);
                quotient / unit + u128::from(quotient % unit >= unit / 2)
            }
            _ => 0,
        };
    }
    while places < result_scale {
        quotient = quotient.checked_mul(10)?;
        places += 1;
    }
    let value = i128::try_from(quotient).ok()?;
    decimal(if (sum < 0) == (count < 0) {
        value
    } else {
        -value
    })
}
