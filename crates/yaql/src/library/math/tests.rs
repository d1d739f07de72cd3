use python_semantics::ExceptionClass;

use crate::{Data, Expression, Failure, Options};

/// The `str()` of a result, or the exception.
fn shown(expression: &str) -> Result<String, (ExceptionClass, String)> {
    let options = Options { seed: Some(7), ..Options::default() };
    let parsed = Expression::parse(expression, &options).expect(expression);
    match parsed.evaluate(&Data::Null, &options) {
        Ok(Data::Text(text)) => Ok(text.to_string()),
        Ok(other) => panic!("{expression}: {other:?}"),
        Err(Failure::Raised(raised)) => Err((raised.class, raised.message)),
        Err(Failure::Unknown) => panic!("{expression}: nothing is known"),
    }
}

type Row = (&'static str, Result<&'static str, (ExceptionClass, &'static str)>);

fn check(rows: &[Row]) {
    for (expression, expected) in rows {
        let expected =
            expected.map(str::to_owned).map_err(|(kind, words)| (kind, words.to_owned()));
        let whole = match expression.split_once("-> ") {
            Some((context, inner)) => format!("{context}-> str({inner})"),
            None => format!("str({expression})"),
        };
        assert_eq!(shown(&whole), expected, "{expression}");
    }
}

#[test]
fn numbers_are_pythons() {
    check(&[
        ("7 / 2", Ok("3")),
        ("-7 / 2", Ok("-4")),
        ("7.0 / 2", Ok("3.5")),
        ("-7 mod 3", Ok("2")),
        ("1 / 0", Err((ExceptionClass::ZeroDivisionError, "integer division or modulo by zero"))),
        ("2 + 3.5", Ok("5.5")),
        ("2 > 1.5", Ok("true")),
        ("9007199254740993 > 9007199254740992.0", Ok("true")),
        ("+5", Ok("5")),
        ("-(5)", Ok("-5")),
        ("abs(-2.5)", Ok("2.5")),
        ("int(null)", Ok("0")),
        ("int(' -1_0 ')", Ok("-10")),
        ("int(true)", Ok("1")),
        ("int(2.9)", Ok("2")),
        (
            "int([1])",
            Err((
                ExceptionClass::TypeError,
                "int() argument must be a string, a bytes-like object or a real number, not 'tuple'",
            )),
        ),
        (
            "int('x')",
            Err((ExceptionClass::ValueError, "invalid literal for int() with base 10: 'x'")),
        ),
        ("float(null)", Ok("0.0")),
        ("float('1e3')", Ok("1000.0")),
        ("float(true)", Ok("1.0")),
        (
            "float([])",
            Err((
                ExceptionClass::TypeError,
                "float() argument must be a string or a real number, not 'tuple'",
            )),
        ),
        ("float('x')", Err((ExceptionClass::ValueError, "could not convert string to float: 'x'"))),
        ("bitwiseAnd(true, false)", Ok("false")),
        ("bitwiseAnd(6, 12)", Ok("4")),
        ("bitwiseOr(6, 12)", Ok("14")),
        ("bitwiseXor(-6, 12)", Ok("-10")),
        ("bitwiseNot(6)", Ok("-7")),
        ("shiftBitsLeft(1, 70)", Ok("1180591620717411303424")),
        ("shiftBitsRight(-8, 2)", Ok("-2")),
        ("shiftBitsLeft(1, -1)", Err((ExceptionClass::ValueError, "negative shift count"))),
        ("max(8, 2)", Ok("8")),
        ("max('a', b)", Ok("b")),
        ("max(null, 1)", Ok("1")),
        ("min(8, 2)", Ok("2")),
        (
            "min(1, 'a')",
            Err((
                ExceptionClass::NoMatchingFunctionException,
                "No function \"#operator_>\" matches supplied arguments",
            )),
        ),
        ("def('#operator_>', true) -> max(1, 2)", Ok("2")),
        ("pow(3, 4)", Ok("81")),
        ("pow(2, -1)", Ok("0.5")),
        ("pow(3, 4, 5)", Ok("1")),
        (
            "pow(0, -1)",
            Err((ExceptionClass::ZeroDivisionError, "0.0 cannot be raised to a negative power")),
        ),
        (
            "pow(2, 3.0, 4)",
            Err((
                ExceptionClass::TypeError,
                "pow() 3rd argument not allowed unless all arguments are integers",
            )),
        ),
        ("sign(-2)", Ok("-1")),
        ("sign(0.0)", Ok("0")),
        ("round(2.5)", Ok("2.0")),
        ("round(2.675, 2)", Ok("2.67")),
        ("round(1250, -2)", Ok("1200")),
        ("isInteger(true)", Ok("false")),
        ("isInteger(1)", Ok("true")),
        ("isNumber(1.0)", Ok("true")),
        ("isNumber('1')", Ok("false")),
        (
            "1 + true",
            Err((
                ExceptionClass::NoMatchingFunctionException,
                "No function \"#operator_+\" matches supplied arguments",
            )),
        ),
    ]);
}

#[test]
fn random_numbers_are_pythons() {
    check(&[
        ("random()", Ok("0.32383276483316237")),
        (
            "[random(1, 6), random(-3, 3.0), random(0, 1000000000000000000000)]",
            Ok("(3, -2, 67347853917828622094)"),
        ),
        (
            "random(5, 3)",
            Err((ExceptionClass::ValueError, "empty range for randrange() (5, 4, -1)")),
        ),
        ("random(1.5, 3)", Err((ExceptionClass::ValueError, "non-integer arg 1 for randrange()"))),
        ("random(1, 2.5)", Err((ExceptionClass::ValueError, "non-integer stop for randrange()"))),
        (
            "random(a, 3)",
            Err((ExceptionClass::ValueError, "invalid literal for int() with base 10: 'a'")),
        ),
        (
            "random(1, a)",
            Err((ExceptionClass::TypeError, "can only concatenate str (not \"int\") to str")),
        ),
        (
            "random(null, 1)",
            Err((
                ExceptionClass::TypeError,
                "int() argument must be a string, a bytes-like object or a real number, not 'NoneType'",
            )),
        ),
        (
            "random(1, null)",
            Err((
                ExceptionClass::TypeError,
                "unsupported operand type(s) for +: 'NoneType' and 'int'",
            )),
        ),
        (
            "random(1, [])",
            Err((ExceptionClass::TypeError, "can only concatenate tuple (not \"int\") to tuple")),
        ),
    ]);
}

#[test]
fn nothing_is_known_without_a_seed_but_errors() {
    let options = Options::default();
    let of = |text| {
        let parsed = Expression::parse(text, &options).expect(text);
        parsed.evaluate(&Data::Null, &options)
    };
    assert_eq!(of("random()"), Err(Failure::Unknown));
    assert_eq!(of("random(1, 2)"), Err(Failure::Unknown));
    assert_eq!(
        of("random(2, 1)").map_err(|failure| failure.class()),
        Err(Some(ExceptionClass::ValueError))
    );
}
