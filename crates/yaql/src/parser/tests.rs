use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Result<Node, SyntaxError> {
    parse(text, &Options::default())
}

fn shown(text: &str) -> String {
    read(text).map_or_else(|error| error.message, |root| root.to_string())
}

/// The expected results are `str(engine(text))` of yaql 3.
#[test]
fn operators_bind_as_the_table_says() {
    for (text, wanted) in [
        ("1 + 2 * 3", "#operator_+(1, #operator_*(2, 3))"),
        ("1 - 2 - 3", "#operator_-(#operator_-(1, 2), 3)"),
        ("1 -> 2 -> 3", "#operator_->(1, #operator_->(2, 3))"),
        ("-a.b", "#unary_operator_-(#operator_.('a', 'b'))"),
        ("-$[0]", "#unary_operator_-(#indexer($, 0))"),
        ("$.a[0].b", "#operator_.(#indexer(#operator_.($, 'a'), 0), 'b')"),
        ("not a = b and c", "#operator_and(#unary_operator_not(*equal('a', 'b')), 'c')"),
        // An operator is compared with the preceding one only, not with those further out.
        ("1 + not 2 = 3", "#operator_+(1, #unary_operator_not(*equal(2, 3)))"),
        (
            "1 + not 2 * 3 + 4",
            "#operator_+(1, #unary_operator_not(#operator_+(#operator_*(2, 3), 4)))",
        ),
        ("a.not b.c", "#operator_.('a', #unary_operator_not(#operator_.('b', 'c')))"),
        ("a in b = c", "*equal(#operator_in('a', 'b'), 'c')"),
        ("a != b", "*not_equal('a', 'b')"),
        ("a =~ b !~ c", "#operator_!~(#operator_=~('a', 'b'), 'c')"),
        ("(1)", "1"),
        ("{a => 1}.b", "#operator_.(#map('a' => 1), 'b')"),
        ("not(a)", "not('a')"),
        ("- -1", "#unary_operator_-(#unary_operator_-(1))"),
    ] {
        assert_eq!(shown(text), wanted, "{text}");
    }
}

/// Expected as above. An omitted argument is `NoValue`.
#[test]
fn lists_of_arguments_have_holes_but_no_end_in_one() {
    for (text, wanted) in [
        ("f()", "f()"),
        ("f(,1)", "f(<NoValue>, 1)"),
        ("f(,,1)", "f(<NoValue>, <NoValue>, 1)"),
        ("f(1,,2)", "f(1, <NoValue>, 2)"),
        ("f(1,,,2)", "f(1, <NoValue>, <NoValue>, 2)"),
        ("f(1, a => 2, b => 3)", "f(1, 'a' => 2, 'b' => 3)"),
        ("f(1,, a => 2)", "f(1, <NoValue>, 'a' => 2)"),
        ("f(,1,, a => 2)", "f(<NoValue>, 1, <NoValue>, 'a' => 2)"),
        ("[1 + 1 => 2]", "#list(#operator_+(1, 1) => 2)"),
        ("$[,1]", "#indexer($, <NoValue>, 1)"),
        ("f(1,)", "Parse error: unexpected ')' at position 4 of expression 'f(1,)'"),
        ("f(1,,)", "Parse error: unexpected ')' at position 5 of expression 'f(1,,)'"),
        ("f(,)", "Parse error: unexpected ')' at position 3 of expression 'f(,)'"),
        ("f(a=>1,)", "Parse error: unexpected ')' at position 7 of expression 'f(a=>1,)'"),
        (
            "f(a=>1,,b=>2)",
            "Parse error: unexpected ',' at position 7 of expression 'f(a=>1,,b=>2)'",
        ),
        ("f(a=>1, 2)", "Parse error: unexpected ')' at position 9 of expression 'f(a=>1, 2)'"),
        ("f(,a=>1)", "Parse error: unexpected '=>' at position 4 of expression 'f(,a=>1)'"),
        ("f(1,,,a=>1)", "Parse error: unexpected '=>' at position 7 of expression 'f(1,,,a=>1)'"),
        ("f(a=>b=>c)", "Parse error: unexpected '=>' at position 6 of expression 'f(a=>b=>c)'"),
        ("f(a=>,1)", "Parse error: unexpected ',' at position 5 of expression 'f(a=>,1)'"),
        ("f(1]", "Parse error: unexpected ']' at position 3 of expression 'f(1]'"),
    ] {
        assert_eq!(shown(text), wanted, "{text}");
    }
}

#[test]
fn words_and_numbers_end_where_python_ends_them() {
    for (text, wanted) in [
        ("1.", "Parse error: unexpected end of statement"),
        (".5", "Parse error: unexpected '.' at position 0 of expression '.5'"),
        ("1.5.2", "#operator_.(1.5, 2)"),
        ("007", "7"),
        ("1a", "Lexical error: illegal character '1' at position 0"),
        ("1.5a", "Lexical error: illegal character '5' at position 2"),
        ("1_0", "Lexical error: illegal character '1' at position 0"),
        ("٣٤.٥", "34.5"),
        ("x²", "'x²'"),
        ("²x", "'²x'"),
        ("ключ(é)", "ключ('é')"),
        ("_a", "'_a'"),
        ("__a", "Lexical error: illegal character '_' at position 0"),
        ("__a()", "__a()"),
        ("true(null)", "true(None)"),
        ("nullify", "'nullify'"),
        ("f (1)", "Parse error: unexpected '(' at position 2 of expression 'f (1)'"),
        ("$ + $1 + $_a", "#operator_+(#operator_+($, $1), $_a)"),
        ("a ? b", "Lexical error: illegal character '?' at position 2"),
        ("1\u{a0}", "Lexical error: illegal character '\u{a0}' at position 1"),
        ("é + 😀", "Lexical error: illegal character '😀' at position 4"),
        // The first error is reported.
        ("a b ?", "Parse error: unexpected 'b' at position 2 of expression 'a b ?'"),
        ("a true", "Parse error: unexpected 'True' at position 2 of expression 'a true'"),
        ("a 'b\\n'", "Parse error: unexpected 'b\n' at position 2 of expression 'a 'b\\n''"),
        ("", "Parse error: unexpected end of statement"),
        ("a => b", "Parse error: unexpected '=>' at position 2 of expression 'a => b'"),
        ("$(1)", "Parse error: unexpected '(' at position 1 of expression '$(1)'"),
    ] {
        assert_eq!(shown(text), wanted, "{text}");
    }
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
    ] {
        assert_eq!(shown(text), wanted, "{text}");
    }
    let half = read(r"'\ud83d\ude00'").expect("Python reads it");
    assert!(matches!(half.expr, Expr::HalfCharacter));
}

/// Expected as above, from engines that allow delegates.
#[test]
fn delegates_have_a_grammar_of_their_own() {
    let delegates = Options { delegates: true, ..Options::default() };
    for (text, wanted) in [
        ("$(1)", "#call($, 1)"),
        ("$.a(1)", "#operator_.($, a(1))"),
        ("$.$a(1)(,2)", "#call(#call(#operator_.($, $a), 1), <NoValue>, 2)"),
        ("1 + f (2)", "#call(#operator_+(1, 'f'), 2)"),
    ] {
        let root = parse(text, &delegates).map(|root| root.to_string());
        assert_eq!(root.as_deref(), Ok(wanted), "{text}");
    }
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
