use super::fail::{Fail, Parsed, bad};
use super::tokens::{Token, Tokens};
use super::tree;
use crate::java::{decimal::BigDecimal, double, hash_map, integer, text, time};
use crate::value::Value;
use sf_core::{Error, Result};
use sf_plan::proto::TimestampFormat;
use sf_plan::{DataType, Field, RowType, unsupported};

/// Options of reading, as flink-json has them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    pub(super) ignore_errors: bool,
    pub(super) fail_on_missing: bool,
    pub(super) timestamps: TimestampFormat,
    /// Some column is a DECIMAL: trees are then read with exact numbers.
    pub(super) has_decimal: bool,
}

/// Makes values of tokens exactly as Flink's `JsonParserToRowDataConverters` do, token for token, also where a value is not what its
/// type asks for and the following tokens are then taken for something else.
#[derive(Debug)]
pub(super) struct Converter {
    pub(super) options: Options,
    pub(super) row: Fields,
}

/// Fields of a row.
#[derive(Debug)]
pub(super) struct Fields {
    /// Names in UTF-16, of which the last counts where there are two.
    names: Vec<Vec<u16>>,
    types: Vec<Conversion>,
    /// Different names.
    arity: usize,
}

#[derive(Debug)]
enum Conversion {
    Boolean,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Float,
    Double,
    String,
    Binary,
    Date,
    Time,
    Timestamp { precision: u8, instant: bool },
    Decimal { precision: u8, scale: i8 },
    Array(Box<Conversion>),
    Map(Box<Conversion>),
    Row(Fields),
}

impl Conversion {
    fn new(data_type: &DataType) -> Result<Self> {
        Ok(match data_type {
            DataType::Null => return Err(unsupported("a JSON value of type NULL")),
            DataType::Boolean => Self::Boolean,
            DataType::TinyInt => Self::TinyInt,
            DataType::SmallInt => Self::SmallInt,
            DataType::Int | DataType::IntervalYearMonth => Self::Int,
            DataType::BigInt | DataType::IntervalDayTime => Self::BigInt,
            DataType::Float => Self::Float,
            DataType::Double => Self::Double,
            DataType::Char(_) | DataType::Varchar(_) => Self::String,
            DataType::Binary(_) | DataType::Varbinary(_) => Self::Binary,
            DataType::Date => Self::Date,
            DataType::Time(_) => Self::Time,
            DataType::Timestamp(precision) => Self::Timestamp {
                precision: *precision,
                instant: false,
            },
            DataType::TimestampLtz(precision) => Self::Timestamp {
                precision: *precision,
                instant: true,
            },
            DataType::Decimal(precision, scale) => Self::Decimal {
                precision: *precision,
                scale: *scale,
            },
            DataType::Array(element) => Self::Array(Box::new(Self::new(&element.data_type)?)),
            DataType::Map(key, value) => {
                check_key(key)?;
                Self::Map(Box::new(Self::new(&value.data_type)?))
            }
            DataType::Multiset(element) => {
                check_key(element)?;
                Self::Map(Box::new(Self::Int))
            }
            DataType::Row(row) => Self::Row(Fields::new(row)?),
        })
    }
}

/// JSON has only strings for keys.
pub(super) fn check_key(key: &Field) -> Result<()> {
    match key.data_type {
        DataType::Char(_) | DataType::Varchar(_) => Ok(()),
        _ => Err(unsupported(
            "a JSON object for a map whose keys are not strings",
        )),
    }
}

impl Fields {
    pub(super) fn new(row: &RowType) -> Result<Self> {
        let fields = row.fields().iter();
        let names: Vec<Vec<u16>> = fields
            .clone()
            .map(|f| f.name.encode_utf16().collect())
            .collect();
        let types = fields
            .map(|f| Conversion::new(&f.data_type))
            .collect::<Result<_>>()?;
        let mut distinct: Vec<_> = names.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let arity = distinct.len();
        if arity != names.len() {
            return Err(unsupported("a row with two fields of one name"));
        }
        Ok(Self {
            names,
            types,
            arity,
        })
    }
}

impl Converter {
    /// The row for the current token; `Value::Null` for what is ignored.
    pub(super) fn root(&self, tokens: &mut Tokens<'_>) -> Parsed<Value> {
        self.nullable(tokens, |tokens| self.fields(&self.row, tokens))
    }

    fn nullable(
        &self,
        tokens: &mut Tokens<'_>,
        convert: impl FnOnce(&mut Tokens<'_>) -> Parsed<Value>,
    ) -> Parsed<Value> {
        if matches!(tokens.current(), None | Some(Token::Null)) {
            return Ok(Value::Null);
        }
        match convert(tokens) {
            Err(Fail::Data(_)) if self.options.ignore_errors => Ok(Value::Null),
            done => done,
        }
    }

    fn value(&self, conversion: &Conversion, tokens: &mut Tokens<'_>) -> Parsed<Value> {
        self.nullable(tokens, |tokens| self.not_null(conversion, tokens))
    }

    fn not_null(&self, conversion: &Conversion, tokens: &mut Tokens<'_>) -> Parsed<Value> {
        let int = |value| Ok(Value::Int(value));
        let token = tokens.current();
        let number = matches!(token, Some(Token::Int | Token::Float));
        match conversion {
            Conversion::Boolean => Ok(Value::Bool(match token {
                Some(Token::True) => true,
                Some(Token::False) => false,
                _ => parse_boolean(trimmed(tokens)?),
            })),
            Conversion::TinyInt if token == Some(Token::Int) => {
                int(bounded(get_int(tokens)?, i8::MIN.into(), i8::MAX.into())?)
            }
            Conversion::TinyInt => int(parse_int(tokens, i8::MIN.into(), i8::MAX.into())?),
            Conversion::SmallInt if token == Some(Token::Int) => {
                int(bounded(get_int(tokens)?, i16::MIN.into(), i16::MAX.into())?)
            }
            Conversion::SmallInt => int(parse_int(tokens, i16::MIN.into(), i16::MAX.into())?),
            Conversion::Int if number => int(get_int(tokens)?),
            Conversion::Int => int(parse_int(tokens, i32::MIN.into(), i32::MAX.into())?),
            Conversion::BigInt if number => int(get_long(tokens)?),
            Conversion::BigInt => int(parse_int(tokens, i64::MIN, i64::MAX)?),
            Conversion::Float => parse_floating(tokens).map(Value::Float),
            Conversion::Double => parse_floating(tokens).map(Value::Double),
            Conversion::String => {
                let text = self.string(tokens)?;
                Ok(text.map_or(Value::Null, |text| Value::Bytes(text::encode_utf8(&text))))
            }
            Conversion::Binary => tokens.binary().map(Value::Bytes),
            Conversion::Date => {
                let day = ascii(tokens)?.and_then(|text| time::parse_date(&text));
                // Cut to 32 bits, as Flink does.
                day.map_or_else(
                    || bad("Text could not be parsed as a date"),
                    |d| int(i64::from(d as i32)),
                )
            }
            Conversion::Time => {
                let seconds = ascii(tokens)?.and_then(|text| time::parse_time(&text));
                seconds.map_or_else(
                    || bad("Text could not be parsed as a time"),
                    |s| int(s * 1000),
                )
            }
            Conversion::Timestamp { precision, instant } => {
                let format = self.options.timestamps;
                let parsed = ascii(tokens)?;
                let parsed = parsed.and_then(|text| time::parse_timestamp(&text, format, *instant));
                parsed.map_or_else(
                    || bad("Text could not be parsed as a timestamp"),
                    |timestamp| timestamp_value(timestamp, *precision),
                )
            }
            Conversion::Decimal { precision, scale } => {
                let parsed = match token {
                    Some(Token::String) => BigDecimal::parse(trimmed(tokens)?.iter().copied()),
                    Some(Token::Int | Token::Float) => {
                        BigDecimal::parse(tokens.number().encode_utf16())
                    }
                    _ => None,
                };
                let unscaled = parsed.and_then(|parsed| parsed.to_unscaled(*precision, *scale));
                unscaled.map_or_else(
                    || bad("not a decimal number"),
                    |unscaled| Ok(unscaled.map_or(Value::Null, Value::Decimal)),
                )
            }
            Conversion::Array(element) => self.array(element, tokens),
            Conversion::Map(value) => self.map(value, tokens),
            Conversion::Row(fields) => self.fields(fields, tokens),
        }
    }

    fn string(&self, tokens: &mut Tokens<'_>) -> Parsed<Option<Vec<u16>>> {
        if matches!(
            tokens.current(),
            Some(Token::StartObject | Token::StartArray)
        ) {
            let tree = tree::write(tokens, self.options.has_decimal)?;
            tokens.clear_current();
            return Ok(Some(tree));
        }
        Ok(tokens.text()?.map(<[u16]>::to_vec))
    }

    fn key(&self, tokens: &mut Tokens<'_>) -> Parsed<Option<Vec<u16>>> {
        if matches!(tokens.current(), None | Some(Token::Null)) {
            return Ok(None);
        }
        match self.string(tokens) {
            Err(Fail::Data(_)) if self.options.ignore_errors => Ok(None),
            done => done,
        }
    }

    fn array(&self, element: &Conversion, tokens: &mut Tokens<'_>) -> Parsed<Value> {
        if tokens.current() != Some(Token::StartArray) {
            return bad("Illegal JSON array data...");
        }
        let mut values = Vec::new();
        while next(tokens)? != Some(Token::EndArray) {
            values.push(self.value(element, tokens)?);
        }
        Ok(Value::List(values))
    }

    fn map(&self, conversion: &Conversion, tokens: &mut Tokens<'_>) -> Parsed<Value> {
        if tokens.current() != Some(Token::StartObject) {
            return bad("Illegal JSON map data...");
        }
        let mut entries = Vec::new();
        while next(tokens)? != Some(Token::EndObject) {
            let key = self.key(tokens)?;
            tokens.next()?;
            entries.push((key, self.value(conversion, tokens)?));
        }
        // Keys are told apart as Java's strings, and hashed as bytes.
        let bytes = |key: &Vec<u16>| text::encode_utf8(key);
        let hash =
            |key: &Option<Vec<u16>>| key.as_ref().map_or(0, |k| hash_map::string_hash(&bytes(k)));
        let entries = hash_map::order(entries, hash).into_iter();
        let entries = entries.map(|(key, value)| {
            let key = key.map_or(Value::Null, |key| Value::Bytes(bytes(&key)));
            (key, value)
        });
        Ok(Value::Map(entries.collect()))
    }

    fn fields(&self, fields: &Fields, tokens: &mut Tokens<'_>) -> Parsed<Value> {
        if tokens.current() != Some(Token::StartObject) {
            return bad("Illegal JSON object data...");
        }
        let mut row = vec![Value::Null; fields.names.len()];
        let mut count = 0;
        tokens.next()?;
        while tokens.current() != Some(Token::EndObject) {
            if count >= fields.arity {
                skip_to_next_field(tokens)?;
                continue;
            }
            let name = tokens.text()?;
            let index = name.and_then(|name| fields.names.iter().position(|n| n == name));
            tokens.next()?;
            let Some(index) = index else {
                skip_to_next_field(tokens)?;
                continue;
            };
            match self.value(&fields.types[index], tokens) {
                Ok(value) => row[index] = value,
                Err(Fail::Data(why)) => {
                    let name = String::from_utf16_lossy(&fields.names[index]);
                    return bad(format!("Fail to deserialize at field: {name}. {why}"));
                }
                Err(fatal) => return Err(fatal),
            }
            tokens.next()?;
            count += 1;
        }
        if count < fields.arity && self.options.fail_on_missing {
            return bad("Some field is missing in the JSON data.");
        }
        Ok(Value::Row(row))
    }
}

/// The next token, which there may be none of after an error. Behind the end of everything, where Flink would go on for ever, it is an
/// error.
pub(super) fn next(tokens: &mut Tokens<'_>) -> Parsed<Option<Token>> {
    match tokens.next()? {
        None if tokens.is_finished() => Err(Fail::end()),
        token => Ok(token),
    }
}

fn skip_to_next_field(tokens: &mut Tokens<'_>) -> Parsed<()> {
    match tokens.current() {
        None => return Err(Fail::end()),
        Some(Token::StartObject | Token::StartArray) => {
            let mut depth = 1;
            while depth > 0 {
                match tokens.next()? {
                    Some(Token::EndArray | Token::EndObject) => depth -= 1,
                    Some(Token::StartArray | Token::StartObject) => depth += 1,
                    Some(_) => {}
                    None => return Err(Fail::end()),
                }
            }
        }
        Some(_) => {}
    }
    tokens.next()?;
    Ok(())
}

/// A timestamp in the unit of its column. Below a millisecond nothing is kept where the type has at most milliseconds, as Flink's
/// serializers do not keep it either; below a microsecond something would be lost that they keep.
fn timestamp_value(timestamp: time::Timestamp, precision: u8) -> Parsed<Value> {
    let time::Timestamp { millis, nanos } = timestamp;
    Ok(match precision {
        0..=3 => Value::Int(millis),
        4..=6 if nanos % 1000 != 0 => {
            return fatal(format!(
                "a timestamp with {nanos} ns behind its milliseconds for a TIMESTAMP({precision})"
            ));
        }
        4..=6 => {
            let micros = millis.checked_mul(1000);
            let micros = micros.and_then(|m| m.checked_add(i64::from(nanos / 1000)));
            match micros {
                Some(micros) => Value::Int(micros),
                None => {
                    return fatal(format!(
                        "a timestamp of {millis} ms for a column of microseconds, in which it has no place"
                    ));
                }
            }
        }
        _ => Value::Wide(millis, nanos),
    })
}

/// What `ignore-parse-errors` does not ignore: Flink has no error there.
fn fatal<T>(why: String) -> Parsed<T> {
    Err(Fail::Fatal(Error::user(why)))
}

fn trimmed<'t>(tokens: &'t mut Tokens<'_>) -> Parsed<&'t [u16]> {
    Ok(text::trim(tokens.text()?.unwrap_or(&[])))
}

fn ascii(tokens: &mut Tokens<'_>) -> Parsed<Option<String>> {
    Ok(tokens.text()?.and_then(text::ascii))
}

/// `Boolean.parseBoolean`.
fn parse_boolean(text: &[u16]) -> bool {
    text::ascii(text).is_some_and(|text| text.eq_ignore_ascii_case("true"))
}

fn parse_int(tokens: &mut Tokens<'_>, min: i64, max: i64) -> Parsed<i64> {
    integer::parse(trimmed(tokens)?, min, max)
        .map_or_else(|| bad("not an integer of the type's range"), Ok)
}

fn parse_floating<T: double::Floating>(tokens: &mut Tokens<'_>) -> Parsed<T> {
    let text = text::ascii(trimmed(tokens)?);
    let value = text.and_then(|text| double::parse(&text));
    value.map_or_else(|| bad("not a floating-point number"), Ok)
}

fn bounded(value: i64, min: i64, max: i64) -> Parsed<i64> {
    if (min..=max).contains(&value) {
        Ok(value)
    } else {
        bad("Numeric value out of range")
    }
}

/// Jackson's `getIntValue`: what stands behind the point is dropped.
fn get_int(tokens: &Tokens<'_>) -> Parsed<i64> {
    let number = tokens.number();
    if tokens.current() == Some(Token::Int) {
        let value = number
            .parse()
            .or_else(|_| bad("Numeric value out of range of int"))?;
        return bounded(value, i32::MIN.into(), i32::MAX.into());
    }
    match double::parse::<f64>(&number) {
        Some(value) if (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&value) => {
            Ok(value as i64)
        }
        _ => bad("Numeric value out of range of int"),
    }
}

/// Jackson's `getLongValue`.
fn get_long(tokens: &Tokens<'_>) -> Parsed<i64> {
    let number = tokens.number();
    if tokens.current() == Some(Token::Int) {
        return number
            .parse()
            .or_else(|_| bad("Numeric value out of range of long"));
    }
    match double::parse::<f64>(&number) {
        Some(value) if (i64::MIN as f64..=i64::MAX as f64).contains(&value) => Ok(value as i64),
        _ => bad("Numeric value out of range of long"),
    }
}
