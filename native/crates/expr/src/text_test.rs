use crate::date_format::Format;
use crate::like::Like;
use crate::regexp::Pattern;
use crate::testing::*;
use arrow_array::{ArrayRef, BinaryArray, cast::AsArray};
use std::sync::Arc;

#[test]
fn patterns_that_java_might_read_otherwise_are_refused() {
    for pattern in [
        "a$",
        "a++",
        "a*+",
        "(?i)a",
        "(?=a)",
        "(?<!a)b",
        r"\bx",
        r"\1",
        "[a&&b]",
        "[[a]b]",
        r"\p{L}",
        "(a*)*",
        "(a|b)+",
        "(|a)+",
        "[]a]",
        "a{",
        "{",
        "a**",
        "^*",
        "[\u{1}-\u{ffff}]",
        "(a",
        "a)",
        r"\Qa",
        r"\x41",
        "[a",
        "a]",
    ] {
        assert!(Pattern::new(pattern).is_none(), "{pattern}");
    }
    let operands = [input(0, string()), text("a$")];
    let expression = call("REGEXP_EXTRACT", string(), operands);
    let reason = refusal(&expression, &[string()]);
    assert_eq!(reason, "function REGEXP_EXTRACT with the pattern a$");
    let operands = [input(0, string()), input(0, string())];
    let expression = call("REGEXP_EXTRACT", string(), operands);
    let reason = refusal(&expression, &[string()]);
    assert_eq!(reason, "function REGEXP_EXTRACT with a computed pattern");
}

#[test]
fn like_with_escapes() {
    let matches = |pattern, escape, value: &str| {
        Like::new(pattern, escape)
            .unwrap()
            .matches(value.as_bytes())
    };
    assert!(matches("a!%b", Some("!"), "a%b") && !matches("a!%b", Some("!"), "axb"));
    assert!(matches("a!_b", Some("!"), "a_b") && !matches("a!_b", Some("!"), "axb"));
    assert!(matches("a!!b", Some("!"), "a!b"));
    assert!(matches("_b", None, "äb") && !matches("_b", None, "\nb"));
    for (pattern, escape) in [("a!b", "!"), ("a!", "!"), ("a", "!!"), ("a", "\0")] {
        assert!(Like::new(pattern, Some(escape)).is_err(), "{pattern}");
    }
}

#[test]
fn formats_that_depend_on_a_locale_are_refused() {
    for format in [
        "MMM", "E", "a", "G", "[yyyy]", "yyyy'", "nn", "DDD", "z", "e", "w",
    ] {
        assert_eq!(Format::new(format), None, "{format}");
    }
}

#[test]
fn bytes_that_are_no_text_stay_or_are_replaced_as_in_flink() {
    let column: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"A\xff", b"\xc3\x84\xff"]));
    let of = |function| {
        let expression = call(function, string(), [input(0, string())]);
        let result = evaluate(&expression, &[string()], vec![column.clone()]).unwrap();
        let result = result.as_binary::<i32>();
        (result.value(0).to_vec(), result.value(1).to_vec())
    };
    // Without longer characters the bytes are taken one by one, else Java decodes them first.
    assert_eq!(
        of("LOWER"),
        (b"a\xff".to_vec(), "ä\u{fffd}".as_bytes().to_vec())
    );
    assert_eq!(
        of("UPPER"),
        (b"A\xff".to_vec(), "Ä\u{fffd}".as_bytes().to_vec())
    );
}

#[test]
fn split_index_by_a_code() {
    let of = |code| {
        let operands = [input(0, string()), int(code), int(1)];
        let expression = call("SPLIT_INDEX", string(), operands);
        let column = strings(&[Some("a,b,c"), Some("a"), Some("")]);
        texts(&evaluate(&expression, &[string()], vec![column]).unwrap())
    };
    assert_eq!(of(44), [Some("b".into()), None, None]);
    assert_eq!(of(0), [None, None, None]);
    assert_eq!(of(300), [None, None, None]);
}

#[test]
fn concatenation_and_null() {
    let columns = || {
        vec![
            strings(&[Some("a"), None]),
            strings(&[Some("b"), Some("c")]),
        ]
    };
    for function in ["||", "CONCAT"] {
        let operands = [input(0, string()), input(1, string())];
        let expression = call(function, string(), operands);
        let result = evaluate(&expression, &[string(), string()], columns()).unwrap();
        assert_eq!(texts(&result), [Some("ab".into()), None], "{function}");
    }
}
