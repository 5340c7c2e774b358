use super::convert::next;
use super::fail::{Parsed, bad};
use super::tokens::{Token, Tokens};
use crate::java::{decimal::BigDecimal, double};
use std::collections::HashMap;

/// The current object or array as Jackson's `JsonNode.toString` has it: without white space, numbers in Java's form, and of fields with
/// the same name only the last. Stands on its end afterwards.
pub(super) fn write(tokens: &mut Tokens<'_>, exact: bool) -> Parsed<Vec<u16>> {
    let mut out = Vec::new();
    value(tokens, exact, &mut out)?;
    Ok(out)
}

fn value(tokens: &mut Tokens<'_>, exact: bool, out: &mut Vec<u16>) -> Parsed<()> {
    match tokens.current() {
        Some(Token::StartObject) => {
            let mut fields: Vec<(Vec<u16>, Vec<u16>)> = Vec::new();
            let mut places: HashMap<Vec<u16>, usize> = HashMap::new();
            while next(tokens)? != Some(Token::EndObject) {
                let name = tokens.text()?.unwrap_or(&[]).to_vec();
                next(tokens)?;
                let mut text = Vec::new();
                value(tokens, exact, &mut text)?;
                match places.get(&name) {
                    Some(place) => fields[*place].1 = text,
                    None => {
                        places.insert(name.clone(), fields.len());
                        fields.push((name, text));
                    }
                }
            }
            out.push(u16::from(b'{'));
            for (i, (name, text)) in fields.iter().enumerate() {
                if i > 0 {
                    out.push(u16::from(b','));
                }
                quoted(name, out);
                out.push(u16::from(b':'));
                out.extend(text);
            }
            out.push(u16::from(b'}'));
        }
        Some(Token::StartArray) => {
            out.push(u16::from(b'['));
            let mut first = true;
            while next(tokens)? != Some(Token::EndArray) {
                if !first {
                    out.push(u16::from(b','));
                }
                first = false;
                value(tokens, exact, out)?;
            }
            out.push(u16::from(b']'));
        }
        Some(Token::String) => {
            let text = tokens.text()?.unwrap_or(&[]).to_vec();
            quoted(&text, out);
        }
        Some(Token::Int) => {
            let number = tokens.number();
            let number = if number == "-0" { "0" } else { &number };
            out.extend(number.encode_utf16());
        }
        Some(Token::Float) => float(&tokens.number(), exact, out)?,
        _ => out.extend_from_slice(tokens.text()?.unwrap_or(&[])),
    }
    Ok(())
}

fn float(number: &str, exact: bool, out: &mut Vec<u16>) -> Parsed<()> {
    let mut bytes = Vec::new();
    if exact {
        let Some(decimal) = BigDecimal::parse(number.encode_utf16()) else {
            return bad("not a decimal number");
        };
        decimal.strip_trailing_zeros().write(&mut bytes);
    } else if let Some(value) = double::parse::<f64>(number) {
        if value.is_finite() {
            double::write(value, &mut bytes);
        } else {
            bytes.push(b'"');
            double::write(value, &mut bytes);
            bytes.push(b'"');
        }
    }
    out.extend(bytes.iter().map(|b| u16::from(*b)));
    Ok(())
}

fn quoted(text: &[u16], out: &mut Vec<u16>) {
    out.push(u16::from(b'"'));
    for char in text {
        match u8::try_from(*char).ok().and_then(super::escape::escape) {
            Some(escape) => out.extend(escape.as_bytes().iter().map(|b| u16::from(*b))),
            None => out.push(*char),
        }
    }
    out.push(u16::from(b'"'));
}
