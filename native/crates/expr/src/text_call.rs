//! Functions of strings.

use crate::column::{Bytes, Column, Primitives, Rows, compute, test, write};
use crate::compile::{Call, Compiler};
use crate::failure::Outcome;
use crate::like::Like;
use crate::program::{Kernel, Kind, NodeId};
use crate::regexp::Pattern;
use crate::text;
use crate::types::{Family, family};
use arrow_array::types::Int32Type;
use memchr::memmem;
use sf_batch::arrow_type;
use sf_core::Result;
use sf_plan::{DataType, unsupported};

pub(crate) fn build(compiler: &mut Compiler<'_>, call: &Call<'_>) -> Result<Kind> {
    let operands = call.operands.as_slice();
    let character = |id: &NodeId| family(compiler.data_type(*id)) == Family::Character;
    let int = |id: &NodeId| compiler.data_type(*id) == &DataType::Int;
    let kernel: Kernel = match (call.function, operands) {
        ("LOWER", [a]) if character(a) => Box::new(|x, rows| each(x, rows, text::lower)),
        ("UPPER", [a]) if character(a) => Box::new(|x, rows| each(x, rows, text::upper)),
        ("CHAR_LENGTH" | "CHARACTER_LENGTH", [a]) if character(a) => Box::new(|x, rows| {
            let values = Bytes::new(&x[0])?;
            let arrow = arrow_type(&DataType::Int);
            compute::<Int32Type>(&[&x[0]], rows, &arrow, |row| {
                Ok(values.get(row).map(|value| text::char_count(value) as i32))
            })
        }),
        ("SUBSTRING" | "SUBSTR", [a, b]) if character(a) && int(b) => Box::new(substring),
        ("SUBSTRING" | "SUBSTR", [a, b, c]) if character(a) && int(b) && int(c) => {
            Box::new(substring)
        }
        ("TRIM", [flag, seek, a]) if character(a) => {
            let kernel = trim(compiler, *flag, *seek);
            let kernel = kernel
                .ok_or_else(|| unsupported("function TRIM of characters that are computed"))?;
            return Ok(Kind::Call(kernel, vec![*a]));
        }
        ("||", [a, b]) if character(a) && character(b) => Box::new(concatenate_decoded),
        ("CONCAT", [_, ..]) if operands.iter().all(character) => Box::new(concatenate),
        ("POSITION" | "LOCATE", [a, b]) if character(a) && character(b) => Box::new(position),
        ("POSITION" | "LOCATE", [a, b, c]) if character(a) && character(b) && int(c) => {
            Box::new(position)
        }
        ("REPLACE", [a, b, c]) if character(a) && character(b) && character(c) => Box::new(replace),
        ("SPLIT_INDEX", [a, b, c]) if character(a) && int(c) => {
            let separator = separator(compiler, *b)
                .ok_or_else(|| unsupported("function SPLIT_INDEX with that separator"))?;
            return Ok(Kind::Call(split_index(separator), vec![*a, *c]));
        }
        ("LIKE" | "NOT LIKE", [a, b, ..]) if character(a) => {
            let pattern = compiler.constant_text(*b);
            let escape = match operands.get(2) {
                None => Some(None),
                Some(escape) => compiler.constant_text(*escape).map(Some),
            };
            let (Some(pattern), Some(escape)) = (pattern, escape) else {
                return Err(unsupported("function LIKE with a computed pattern"));
            };
            let like = Like::new(&pattern, escape.as_deref())?;
            let wanted = call.function == "LIKE";
            let kernel: Kernel = Box::new(move |x, rows| {
                let values = Bytes::new(&x[0])?;
                test(&[&x[0]], rows, |row| {
                    Ok(values.get(row).map(|value| like.matches(value) == wanted))
                })
            });
            return Ok(Kind::Call(kernel, vec![*a]));
        }
        ("REGEXP_EXTRACT", [a, b, rest @ ..]) if character(a) && rest.len() <= 1 => {
            let pattern = pattern(compiler, "REGEXP_EXTRACT", *b)?;
            let group = rest
                .first()
                .map_or(Some(0), |id| constant_int(compiler, *id));
            let group = group
                .ok_or_else(|| unsupported("function REGEXP_EXTRACT with a computed group"))?;
            return Ok(Kind::Call(extract(pattern, group), vec![*a]));
        }
        ("REGEXP", [a, b]) if character(a) => {
            let empty = compiler
                .constant_text(*b)
                .is_some_and(|text| text.is_empty());
            if empty {
                return Err(unsupported("function REGEXP with an empty pattern"));
            }
            let pattern = pattern(compiler, "REGEXP", *b)?;
            let kernel: Kernel = Box::new(move |x, rows| {
                let values = Bytes::new(&x[0])?;
                test(&[&x[0]], rows, |row| {
                    Ok(values
                        .get(row)
                        .map(|value| pattern.is_match(&text::java(value))))
                })
            });
            return Ok(Kind::Call(kernel, vec![*a]));
        }
        (
            "LIKE" | "NOT LIKE" | "REGEXP" | "REGEXP_EXTRACT" | "SPLIT_INDEX" | "LOWER" | "UPPER"
            | "CHAR_LENGTH" | "SUBSTRING" | "TRIM" | "||" | "CONCAT" | "POSITION" | "REPLACE",
            _,
        ) => {
            return Err(compiler.refuse(call));
        }
        _ => return Err(unsupported(format!("function {}", call.function))),
    };
    Ok(Kind::Call(kernel, operands.to_vec()))
}

fn pattern(compiler: &Compiler<'_>, function: &str, id: NodeId) -> Result<Pattern> {
    let text = compiler.constant_text(id);
    let text =
        text.ok_or_else(|| unsupported(format!("function {function} with a computed pattern")))?;
    Pattern::new(&text)
        .ok_or_else(|| unsupported(format!("function {function} with the pattern {text}")))
}

fn constant_int(compiler: &Compiler<'_>, id: NodeId) -> Option<i32> {
    let column = Column::Constant(compiler.constant(id)?.clone());
    let values = Primitives::<Int32Type>::new(&column).ok()?;
    values.get(0)
}

/// A function of one string that appends its result.
fn each(x: &[Column], rows: &Rows<'_>, f: fn(&[u8], &mut Vec<u8>)) -> Outcome<Column> {
    let values = Bytes::new(&x[0])?;
    write(&[&x[0]], rows, |row, out| {
        let Some(value) = values.get(row) else {
            return Ok(false);
        };
        f(value, out);
        Ok(true)
    })
}

/// SUBSTRING(text, from [, length]): from 1, from the end when below 0, and NULL for a length below 0.
fn substring(x: &[Column], rows: &Rows<'_>) -> Outcome<Column> {
    let arguments: Vec<&Column> = x.iter().collect();
    let values = Bytes::new(&x[0])?;
    let from = Primitives::<Int32Type>::new(&x[1])?;
    let lengths = x.get(2).map(Primitives::<Int32Type>::new).transpose()?;
    write(&arguments, rows, |row, out| {
        let length = match &lengths {
            None => Some(i32::MAX),
            Some(lengths) => lengths.get(row),
        };
        let (Some(value), Some(from), Some(length)) = (values.get(row), from.get(row), length)
        else {
            return Ok(false);
        };
        if length < 0 {
            return Ok(false);
        }
        let count = text::char_count(value) as i64;
        let begin = match from {
            1.. => i64::from(from) - 1,
            0 => 0,
            _ => count + i64::from(from),
        };
        if begin < 0 || begin >= count {
            return Ok(true);
        }
        let end = count.min(begin + i64::from(length));
        out.extend_from_slice(text::substring(value, begin as usize, end as usize));
        Ok(true)
    })
}

/// Which ends, and of which characters: constants both.
fn trim(compiler: &Compiler<'_>, flag: NodeId, seek: NodeId) -> Option<Kernel> {
    let (leading, trailing) = match compiler.constant_text(flag)?.as_str() {
        "BOTH" => (true, true),
        "LEADING" => (true, false),
        "TRAILING" => (false, true),
        _ => return None,
    };
    let seek = compiler.constant_text(seek)?.into_bytes();
    Some(Box::new(move |x, rows| {
        let values = Bytes::new(&x[0])?;
        write(&[&x[0]], rows, |row, out| {
            let Some(mut value) = values.get(row) else {
                return Ok(false);
            };
            if leading {
                value = &value[trimmed_left(value, &seek)..];
            }
            if trailing {
                value = &value[..trimmed_right(value, &seek)];
            }
            out.extend_from_slice(value);
            Ok(true)
        })
    }))
}

/// Whether a character stands somewhere in the characters to trim, as a part of their bytes.
fn sought(seek: &[u8], character: &[u8]) -> bool {
    memmem::find(seek, character).is_some()
}

fn trimmed_left(value: &[u8], seek: &[u8]) -> usize {
    let mut at = 0;
    while at < value.len() {
        let end = (at + text::char_bytes(value[at])).min(value.len());
        if !sought(seek, &value[at..end]) {
            break;
        }
        at = end;
    }
    at
}

fn trimmed_right(value: &[u8], seek: &[u8]) -> usize {
    let mut starts = Vec::new();
    let mut at = 0;
    while at < value.len() {
        starts.push(at);
        at += text::char_bytes(value[at]);
    }
    let mut end = value.len();
    for start in starts.into_iter().rev() {
        if !sought(seek, &value[start..end]) {
            break;
        }
        end = start;
    }
    end
}

/// `||`: of the strings that Java decodes.
fn concatenate_decoded(x: &[Column], rows: &Rows<'_>) -> Outcome<Column> {
    let (a, b) = (Bytes::new(&x[0])?, Bytes::new(&x[1])?);
    write(&[&x[0], &x[1]], rows, |row, out| {
        let (Some(a), Some(b)) = (a.get(row), b.get(row)) else {
            return Ok(false);
        };
        out.extend_from_slice(text::java(a).as_bytes());
        out.extend_from_slice(text::java(b).as_bytes());
        Ok(true)
    })
}

/// CONCAT: of the bytes; NULL when any is.
fn concatenate(x: &[Column], rows: &Rows<'_>) -> Outcome<Column> {
    let arguments: Vec<&Column> = x.iter().collect();
    let values = x.iter().map(Bytes::new).collect::<Result<Vec<_>>>()?;
    write(&arguments, rows, |row, out| {
        for value in &values {
            let Some(value) = value.get(row) else {
                return Ok(false);
            };
            out.extend_from_slice(value);
        }
        Ok(true)
    })
}

/// POSITION(text IN other [FROM character]): characters from 1, 0 for none.
fn position(x: &[Column], rows: &Rows<'_>) -> Outcome<Column> {
    let arguments: Vec<&Column> = x.iter().collect();
    let (seek, values) = (Bytes::new(&x[0])?, Bytes::new(&x[1])?);
    let from = x.get(2).map(Primitives::<Int32Type>::new).transpose()?;
    let arrow = arrow_type(&DataType::Int);
    compute::<Int32Type>(&arguments, rows, &arrow, |row| {
        let from = match &from {
            None => Some(1),
            Some(from) => from.get(row),
        };
        let (Some(seek), Some(value), Some(from)) = (seek.get(row), values.get(row), from) else {
            return Ok(None);
        };
        Ok(Some(index_of(value, seek, from.wrapping_sub(1)) + 1))
    })
}

/// The character at which another text begins, looked for from a character on; -1 for none, 0 for an empty text.
fn index_of(value: &[u8], seek: &[u8], from: i32) -> i32 {
    if seek.is_empty() {
        return 0;
    }
    let (mut at, mut character) = (0, 0);
    while at < value.len() && character < from {
        at += text::char_bytes(value[at]);
        character += 1;
    }
    while at < value.len() {
        if value[at..].starts_with(seek) {
            return character;
        }
        at += text::char_bytes(value[at]);
        character += 1;
    }
    -1
}

/// REPLACE: of the strings that Java decodes. An empty text is found between all characters of 16 bits.
fn replace(x: &[Column], rows: &Rows<'_>) -> Outcome<Column> {
    let (values, old, new) = (Bytes::new(&x[0])?, Bytes::new(&x[1])?, Bytes::new(&x[2])?);
    write(&[&x[0], &x[1], &x[2]], rows, |row, out| {
        let (Some(value), Some(old), Some(new)) = (values.get(row), old.get(row), new.get(row))
        else {
            return Ok(false);
        };
        let (value, old, new) = (text::java(value), text::java(old), text::java(new));
        if old.is_empty() && value.chars().any(|c| c.len_utf16() > 1) {
            let text = "REPLACE of an empty text in characters beyond 16 bits";
            return Err(crate::failure::Failure::unsupported(row, text));
        }
        out.extend_from_slice(value.replace(&*old, &new).as_bytes());
        Ok(true)
    })
}

/// What SPLIT_INDEX splits at.
enum Separator {
    Text(Vec<u8>),
    /// A code that is no character of one byte: the result is NULL.
    None,
}

fn separator(compiler: &Compiler<'_>, id: NodeId) -> Option<Separator> {
    if let Some(text) = compiler.constant_text(id) {
        // Flink splits at whitespace for an empty one.
        return (!text.is_empty()).then(|| Separator::Text(text.into_bytes()));
    }
    let code = constant_int(compiler, id)?;
    Some(match u8::try_from(code).map(char::from) {
        Ok(character) if code > 0 => Separator::Text(character.to_string().into_bytes()),
        _ => Separator::None,
    })
}

/// The part of a text at an index from 0; NULL beyond the last, and an empty text has none.
fn split_index(separator: Separator) -> Kernel {
    let finder = match &separator {
        Separator::Text(text) => Some((memmem::Finder::new(text).into_owned(), text.len())),
        Separator::None => None,
    };
    Box::new(move |x, rows| {
        let (values, indices) = (Bytes::new(&x[0])?, Primitives::<Int32Type>::new(&x[1])?);
        write(&[&x[0], &x[1]], rows, |row, out| {
            let (Some(value), Some(index), Some((finder, width))) =
                (values.get(row), indices.get(row), finder.as_ref())
            else {
                return Ok(false);
            };
            if value.is_empty() || index < 0 {
                return Ok(false);
            }
            let decoded = text::java(value);
            let mut rest = decoded.as_bytes();
            for _ in 0..index {
                match finder.find(rest) {
                    Some(at) => rest = &rest[at + width..],
                    None => return Ok(false),
                }
            }
            let end = finder.find(rest).unwrap_or(rest.len());
            out.extend_from_slice(&rest[..end]);
            Ok(true)
        })
    })
}

/// The group of the first match; NULL without one, and for a group that took no part or does not exist.
fn extract(pattern: Pattern, group: i32) -> Kernel {
    Box::new(move |x, rows| {
        let values = Bytes::new(&x[0])?;
        let mut locations = pattern.locations();
        write(&[&x[0]], rows, |row, out| {
            let (Some(value), Ok(group)) = (values.get(row), usize::try_from(group)) else {
                return Ok(false);
            };
            let text = text::java(value);
            match pattern.group(&text, group, &mut locations) {
                Some(found) => {
                    out.extend_from_slice(found.as_bytes());
                    Ok(true)
                }
                None => Ok(false),
            }
        })
    })
}
