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
fn texts_are_pythons() {
    check(&[
        ("'b' > 'a'", Ok("true")),
        ("'\\u00df' < '\\U0001f600'", Ok("true")),
        ("'a' + 'b'", Ok("ab")),
        (
            "concat()",
            Err((ExceptionClass::AmbiguousFunctionException, "Ambiguous function \"concat\"")),
        ),
        ("'Straße'.toUpper()", Ok("STRASSE")),
        ("'日本'.len()", Ok("2")),
        ("len('')", Ok("0")),
        ("' a  b c '.split()", Ok("['a', 'b', 'c']")),
        ("' a  b c '.split(maxSplits => 1)", Ok("['a', 'b c ']")),
        ("' a  b c '.rightSplit(maxSplits => 1)", Ok("[' a  b', 'c']")),
        ("'a,b,,c'.split(',', 2)", Ok("['a', 'b', ',c']")),
        ("'a,b,,c'.rightSplit(',', 1)", Ok("['a,b,', 'c']")),
        ("'a'.split('')", Err((ExceptionClass::ValueError, "empty separator"))),
        ("'aaa'.split('aa')", Ok("['', 'a']")),
        ("[1, null, 'x', true].join('-')", Ok("1-null-x-true")),
        ("'-'.join([[1], 2.0])", Ok("(1,)-2.0")),
        ("def(str, 'x') -> [1, 2].join('')", Ok("x")),
        (
            "def(str, 5) -> [1, 2].join('')",
            Err((ExceptionClass::TypeError, "sequence item 0: expected str instance, int found")),
        ),
        ("str(null)", Ok("null")),
        ("str([true, null])", Ok("(True, None)")),
        ("'\\u001f a '.trim()", Ok("a")),
        ("'xaxbx'.trim('x')", Ok("axb")),
        ("'xax'.trimLeft('x')", Ok("ax")),
        ("'xax'.trimRight('x')", Ok("xa")),
        ("' '.norm()", Ok("null")),
        ("norm(null)", Ok("null")),
        ("isEmpty(' ')", Ok("true")),
        ("isEmpty(' ', false)", Ok("false")),
        ("'xx'.isEmpty(chars => x)", Ok("true")),
        ("'abaab'.replace('ab', 'c')", Ok("cac")),
        ("'abc'.replace('', '-', 2)", Ok("-a-bc")),
        ("'abc ab'.replace({ab => yy, abc => xx})", Ok("yyc yy")),
        ("'aTb'.replace({true => 1, b => null}, 1)", Ok("aTnull")),
        ("'aa'.replace('a', 'b', 0)", Ok("aa")),
        ("'ab' * 2", Ok("abab")),
        ("3 * 'x'", Ok("xxx")),
        ("'x' * -1", Ok("")),
        (
            "'x' * 100000000000000000000",
            Err((ExceptionClass::OverflowError, "cannot fit 'int' into an index-sized integer")),
        ),
        ("'x' * 1000000000000000000", Err((ExceptionClass::MemoryError, ""))),
        ("'b' in 'abc'", Ok("true")),
        ("'abcd'.substring(1)", Ok("bcd")),
        ("'abcd'.substring(-3, 2)", Ok("bc")),
        ("'abcd'.substring(-9, 7)", Ok("ab")),
        ("'日本語'.substring(1, 1)", Ok("本")),
        ("'cabcdab'.indexOf('ab', 2)", Ok("5")),
        ("'cabcdab'.indexOf('ab', -2)", Ok("5")),
        ("'cabcdab'.indexOf(sub => 'bc', start => 2, length => 2)", Ok("2")),
        ("'日本日'.lastIndexOf('日')", Ok("2")),
        ("'abc'.lastIndexOf('', 4)", Ok("-1")),
        ("'abc'.indexOf('', 9)", Ok("-1")),
        ("'cabcdbc'.lastIndexOf('bc', 2, 5)", Ok("5")),
        ("'ab'.toCharArray()", Ok("('a', 'b')")),
        (
            "characters(letters => true)",
            Err((ExceptionClass::AttributeError, "module 'string' has no attribute 'letters'")),
        ),
        ("characters().len()", Ok("0")),
        ("characters(octdigits => true, digits => true).orderBy($).join('')", Ok("0123456789")),
        ("characters(printable => true).len()", Ok("100")),
        ("isString('')", Ok("true")),
        ("isString(1)", Ok("false")),
        ("'abcd'.startsWith('xx', 'ab')", Ok("true")),
        ("'abcd'.startsWith()", Ok("false")),
        ("'abcd'.endsWith('cd')", Ok("true")),
        ("hex(255)", Ok("0xff")),
        ("hex(-123456789012345678901234567890)", Ok("-0x18ee90ff6c373e0ee4e3f0ad2")),
        (
            "hex(1.5)",
            Err((ExceptionClass::TypeError, "'float' object cannot be interpreted as an integer")),
        ),
        (
            "hex(null)",
            Err((
                ExceptionClass::TypeError,
                "'NoneType' object cannot be interpreted as an integer",
            )),
        ),
        (
            "'a' - 'b'",
            Err((
                ExceptionClass::NoMatchingFunctionException,
                "No function \"#operator_-\" matches supplied arguments",
            )),
        ),
    ]);
}
