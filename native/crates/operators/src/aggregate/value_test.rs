use super::value::{Arithmetic, Value};

fn decimals(scale: u32, result_scale: u32) -> Arithmetic {
    Arithmetic {
        sum_bits: 64,
        result_bits: 64,
        scale,
        result_scale,
    }
}

#[test]
fn decimal_quotients_are_rounded_half_up() {
    let how = decimals(2, 6);
    assert_eq!(100_i128.per(3, how), Some(333_333));
    assert_eq!(200_i128.per(3, how), Some(666_667));
    assert_eq!((-200_i128).per(3, how), Some(-666_667));
    assert_eq!(200_i128.per(-3, how), Some(-666_667));
    assert_eq!(0_i128.per(7, how), Some(0));
    assert_eq!(1_i128.per(20_000, how), Some(1));
    assert_eq!(1_i128.per(20_001, how), Some(0));
}

#[test]
fn decimal_quotients_have_38_digits_first() {
    let how = decimals(0, 0);
    let (divisor, whole) = (i64::MAX, 10_i128.pow(19));
    // A little less than a half behind 20 digits is a half with 38 digits, and one without digits behind the point.
    let sum = i128::from(divisor) * whole + i128::from(divisor / 2);
    assert_eq!(sum.per(divisor, how), Some(whole + 1));
    assert_eq!(
        (sum - i128::from(divisor / 4)).per(divisor, how),
        Some(whole)
    );
    let greatest = 10_i128.pow(38) - 1;
    assert_eq!(greatest.per(1, how), Some(greatest));
    assert_eq!(greatest.per(1, decimals(0, 1)), None, "39 digits");
    assert_eq!(
        greatest.per(i64::MAX, how),
        Some(10_842_021_724_855_044_341)
    );
    assert_eq!(1_i128.per(i64::MAX, decimals(38, 38)), Some(0));
}

#[test]
fn decimal_sums_beyond_38_digits_are_null() {
    let how = decimals(4, 6);
    let greatest = 10_i128.pow(38) - 1;
    assert_eq!(greatest.plus(0, how), Some(greatest));
    assert_eq!(greatest.plus(1, how), None);
    assert_eq!(greatest.plus(greatest, how), None);
    assert_eq!((-greatest).minus(1, how), None);
}

#[test]
fn integers_wrap_as_in_java() {
    let narrow = Arithmetic {
        sum_bits: 8,
        result_bits: 16,
        ..decimals(0, 0)
    };
    assert_eq!(127_i64.plus(1, narrow), Some(-128));
    assert_eq!((-128_i64).minus(1, narrow), Some(127));
    assert_eq!(65_536_i64.per(1, narrow), Some(0));
    assert_eq!((-7_i64).per(2, decimals(0, 0)), Some(-3));
    assert_eq!(i64::MIN.per(-1, decimals(0, 0)), Some(i64::MIN));
    assert_eq!(i64::MAX.plus(1, decimals(0, 0)), Some(i64::MIN));
}
