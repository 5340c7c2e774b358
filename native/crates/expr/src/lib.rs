//! SQL expressions over Arrow columns, with the results of Flink 2.2.1.
//!
//! A [`Program`] is compiled from the expressions of one operator; equal parts are computed once. A [`Frame`] evaluates
//! it over the rows of a batch that are left by a filter. A selection of rows goes down through AND, OR, CASE and IF,
//! so that data that a function fails for fails exactly when Flink's generated code would have evaluated it.
//!
//! Functions are named as in the plan (`proto/plan.proto`); [`functions`] is the list. What has no native form is
//! refused when compiling, with the reason for users: formats, patterns and units that are not constants, regular
//! expressions that could mean something else to Java, text that depends on a locale, and users' functions.
//!
//! Strings are bytes and may be no UTF-8: functions that work on bytes in Flink do so here, others see what Java
//! decodes.

mod arithmetic;
mod calendar;
mod cast;
mod civil;
mod column;
mod compare;
mod compile;
mod date_format;
mod decimal;
mod failure;
mod java_number;
mod like;
mod literal;
mod logic;
mod program;
mod regexp;
mod search;
mod stamp;
mod temporal;
mod text;
mod text_call;
mod time_call;
mod types;
mod zone;

#[cfg(test)]
mod arithmetic_test;
#[cfg(test)]
mod cast_test;
#[cfg(test)]
mod flink_values_test;
#[cfg(test)]
mod logic_test;
#[cfg(test)]
mod nexmark_test;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod text_test;

pub use program::{Expr, Frame, Program};

/// The functions that have a native form for some types of operands, by their names in plans.
pub fn functions() -> &'static [&'static str] {
    &[
        "=",
        "<>",
        "<",
        "<=",
        ">",
        ">=",
        "IS DISTINCT FROM",
        "IS NOT DISTINCT FROM",
        "SEARCH",
        "AND",
        "OR",
        "NOT",
        "IS NULL",
        "IS NOT NULL",
        "IS TRUE",
        "IS NOT TRUE",
        "IS FALSE",
        "IS NOT FALSE",
        "CASE",
        "IF",
        "COALESCE",
        "+",
        "-",
        "*",
        "/",
        "MOD",
        "MINUS_PREFIX",
        "PLUS_PREFIX",
        "ABS",
        "FLOOR",
        "CEIL",
        "CAST",
        "TRY_CAST",
        "REINTERPRET",
        "LOWER",
        "UPPER",
        "CHAR_LENGTH",
        "CHARACTER_LENGTH",
        "SUBSTRING",
        "SUBSTR",
        "TRIM",
        "||",
        "CONCAT",
        "POSITION",
        "LOCATE",
        "REPLACE",
        "SPLIT_INDEX",
        "LIKE",
        "NOT LIKE",
        "REGEXP",
        "REGEXP_EXTRACT",
        "EXTRACT",
        "DATE_FORMAT",
    ]
}
