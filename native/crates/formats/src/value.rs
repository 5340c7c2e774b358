/// One value outside of a column: what the exact, slow ways of reading make.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// Integers of all widths, dates, times, intervals, and timestamps in the unit of their column.
    Int(i64),
    Float(f32),
    Double(f64),
    /// Strings and binaries.
    Bytes(Vec<u8>),
    /// Unscaled.
    Decimal(i128),
    /// A timestamp of more than microseconds: milliseconds, nanoseconds of the millisecond.
    Wide(i64, i32),
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
    Row(Vec<Value>),
}
