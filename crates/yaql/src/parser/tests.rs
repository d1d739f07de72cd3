use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Result<Node, SyntaxError> {
    parse(text, &Options::default())
}

fn shown(text: &str) -> String {
    read(text).map_or_else(|error| error.message, |root| root.to_string())
}

/// The expected results are the constants of yaql 3, or the errors of Python's codec `unicode-escape`.
#[test]
fn quoted_texts_have_the_escapes_of_python() {
    for (text, wanted) in [
        (r"'a\'b'", "'a'b'"),
        (r#""a\"b""#, "'a\"b'"),
        (r"`a\`b\n\\`", r"'a`b\n\\'"),
        (r"'\n\x41\u00e9\U0001F600\101\7\q'", "'\nAé😀A\u{7}\\q'"),
        (r"'\777\1234'", "'ǿS4'"),
        (r"'\N{EM DASH}\N{em dash}\N{LINE FEED}\N{CJK UNIFIED IDEOGRAPH-4E00}'", "'——\n一'"),
        (r"'\x4' + '\u004' + '\N{}'", r"#operator_+(#operator_+('\x4', '\u004'), '\N{}')"),
        (
            r"'\xg1'",
            r"'unicodeescape' codec can't decode bytes in position 0-1: truncated \xXX escape",
        ),
        (
            r"'\u00eé'",
            r"'unicodeescape' codec can't decode bytes in position 0-4: truncated \uXXXX escape",
        ),
        (
            r"'\U00110000'",
            "'unicodeescape' codec can't decode bytes in position 0-9: illegal Unicode character",
        ),
        (
            r"'\N{EMDASH}'",
            "'unicodeescape' codec can't decode bytes in position 0-9: unknown Unicode character \
             name",
        ),
        ("'\\\n'", "Lexical error: illegal character ''' at position 0"),
        ("'a", "Lexical error: illegal character ''' at position 0"),
        (r"'a\'", "Lexical error: illegal character ''' at position 0"),
        ("'a\n'", "'a\n'"),
        ("a 'b\\n'", "Parse error: unexpected 'b\n' at position 2 of expression 'a 'b\\n''"),
        ("", "Parse error: unexpected end of statement"),
    ] {
        assert_eq!(shown(text), wanted, "{text}");
    }
    let half = read(r"'\ud83d\ude00'").expect("Python reads it");
    assert!(matches!(half.expr, Expr::HalfCharacter));
}

#[test]
fn every_part_knows_its_place() {
    let text = "ñ -> not $.f(1, , 'b', a => [2]) + ({x => -3}[0])";
    let root = read(text).expect("an expression");
    let places: Vec<_> = root.parts().map(|part| &text[part.span.clone()]).collect();
    let wanted = [
        text,
        "ñ",
        "not $.f(1, , 'b', a => [2]) + ({x => -3}[0])",
        "$.f(1, , 'b', a => [2]) + ({x => -3}[0])",
        "$.f(1, , 'b', a => [2])",
        "$",
        "f(1, , 'b', a => [2])",
        "1",
        "'b'",
        "a => [2]",
        "a",
        "[2]",
        "2",
        "({x => -3}[0])",
        "{x => -3}[0]",
        "{x => -3}",
        "x => -3",
        "x",
        "-3",
        "3",
        "0",
    ];
    assert_eq!(places, wanted);
}

#[test]
fn mistakes_know_their_place() {
    for (text, wanted) in [
        ("é + ?", "?"),
        ("é + f(1]", "]"),
        ("é 'b'", "'b'"),
        ("é + f(", ""),
        (r"é + 'a\xyz'", r"\xyz"),
        ("é + 'a", "'"),
    ] {
        let error = read(text).expect_err(text);
        assert_eq!(&text[error.span], wanted, "{text}");
    }
}

#[test]
fn no_depth_is_too_deep() {
    const MANY: usize = 30_000;
    let around =
        |before: &str, after: &str| format!("{}1{}", before.repeat(MANY), after.repeat(MANY));
    for text in [
        around("(", ")"),
        around("[", "]"),
        around("f(", ")"),
        around("{a => ", "}"),
        around("-", ""),
        around("not ", ""),
        around("", ".a"),
        around("", "->a"),
        around("", "+1"),
        around("", "[0]"),
    ] {
        let root = read(&text).expect("an expression");
        assert_eq!(root.span, 0..text.len());
        assert!(root.to_string().ends_with(if text.starts_with('(') { "1" } else { ")" }));
    }
    let error = read(&"(".repeat(MANY)).expect_err("nothing is closed");
    assert_eq!(error.message, "Parse error: unexpected end of statement");
}

#[test]
fn numbers_of_too_many_digits_are_refused_as_python_refuses_them() {
    assert!(read(&"9".repeat(4300)).is_ok());
    let error = read(&"9".repeat(4301)).expect_err("too long");
    assert_eq!(error.class, ExceptionClass::ValueError);
    let wanted = "Exceeds the limit (4300 digits) for integer string conversion: value has 4301 \
                  digits; use sys.set_int_max_str_digits() to increase the limit";
    assert_eq!(error.message, wanted);
}

const TOKENS: &[&str] = &[
    "1", "2.5", "'é'", "`x`", "$", "$é", "ñ", "f(", "(", ")", "[", "]", "{", "}", ",", ",", "=>",
    ".", "?.", "-", "not", "*", "and", "->", "true", " ", "?", "'",
];

proptest! {
    /// The byte range of a part parses as that part, and that of an error is within the text.
    #[test]
    fn the_bytes_of_a_part_read_as_this_part(
        tokens in proptest::collection::vec(proptest::sample::select(TOKENS), 0..14)
    ) {
        let text = tokens.join(" ");
        match read(&text) {
            Err(error) => prop_assert!(text.get(error.span).is_some()),
            Ok(root) => {
                for part in root.parts().filter(|part| !matches!(part.expr, Expr::Rule(..))) {
                    let own = &text[part.span.clone()];
                    let again = read(own).map_err(|error| TestCaseError::fail(error.message))?;
                    prop_assert_eq!(&again.span, &(0..own.len()));
                    prop_assert_eq!(again.to_string(), part.to_string());
                }
            }
        }
    }
}
