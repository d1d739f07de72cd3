//! The functions with the results of yaql from PyPI.

use crate::{Data, Expression, Failure, Options};

/// The result of an expression, or the class and the message of its exception.
fn of(expression: &str) -> String {
    let options = Options::default();
    let parsed = Expression::parse(expression, &options).expect(expression);
    match parsed.evaluate(&Data::Text("data".into()), &options) {
        Ok(found) => shown(&found),
        Err(Failure::Raised(raised)) => format!("{}: {}", raised.class.name(), raised.message),
        Err(Failure::Unknown) => "unknown".to_owned(),
    }
}

fn shown(data: &Data) -> String {
    match data {
        Data::Null => "null".to_owned(),
        Data::Bool(value) => value.to_string(),
        Data::Int(value) => value.to_string(),
        Data::Text(text) => format!("'{text}'"),
        Data::List(items) => {
            format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn functions_yield_what_yaql_yields() {
    for (expression, wanted) in [
        ("regex('a.c').matches('xabc')", "true"),
        ("'abc'.matches('A.c')", "false"),
        ("'abc' =~ regex('A.c', ignoreCase => true)", "true"),
        ("'abc' !~ 'b'", "false"),
        ("regex('a\nb$', false, true).matches('a\nb\nc')", "true"),
        ("regex('é(.)').search('aéb', [$.start, $2.value, $2.end])", "[1, 'b', 3]"),
        ("regex('(a)|b').search('b', [$2.value, $2.start])", "[null, -1]"),
        ("regex('a').search('x')", "null"),
        ("regex('.').searchAll('abc', $.value + x)", "['ax', 'bx', 'cx']"),
        ("regex('x*').searchAll('axb')", "['', 'x', '', '']"),
        ("regex('(,)|;').split('a,b;c')", "['a', ',', 'b', null, 'c']"),
        ("'a,b,c'.split(regex(','), maxSplit => 1)", "['a', 'b,c']"),
        ("regex(',').split('a,b', -1)", "['a,b']"),
        (r"regex('(?P<n>b)').replace('abab', '<\\g<n>\\1>', 1)", "'a<bb>ab'"),
        ("'abab'.replace(regex('x*'), '-')", "'-a-b-a-b-'"),
        ("'abc'.replaceBy(regex('.'), $.value.toUpper(), count => 2)", "'ABc'"),
        // Null omits a match.
        ("regex('b').replaceBy('abc', null)", "'ac'"),
        ("[regex('b').replaceBy('abc', $.value + x), $]", "['abxc', 'data']"),
        ("escapeRegex('a.b')", "'a\\.b'"),
        ("[isRegex(regex(a)), isRegex(a)]", "[true, false]"),
        ("str(regex(a, true))", "'re.compile('a', re.IGNORECASE)'"),
        ("regex('(?i)a') = regex('(?i)a', true)", "true"),
        ("[regex(a), regex(a), regex(b)].distinct().len()", "2"),
    ] {
        assert_eq!(of(expression), wanted, "{expression}");
    }
}

#[test]
fn functions_fail_as_yaql_fails() {
    for (expression, wanted) in [
        ("regex('(')", "error: missing ), unterminated subpattern at position 0"),
        ("regex('(?a)a')", "ValueError: ASCII and UNICODE flags are incompatible"),
        (r"regex(a).replace(a, '\\1')", "error: invalid group reference 1 at position 1"),
        (r"regex(a).replace(x, '\\g<n>')", "IndexError: unknown group name 'n'"),
        (
            "regex(a).replaceBy(xay, 1)",
            "TypeError: sequence item 1: expected str instance, int found",
        ),
        (
            "regex(a).split(a, 9223372036854775808)",
            "OverflowError: Python int too large to convert to C ssize_t",
        ),
        // yaql unpacks the captured text of a named group into a pair.
        (
            "regex('(?P<n>a)').search(a, $)",
            "ValueError: not enough values to unpack (expected 2, got 1)",
        ),
        (
            "regex('(?P<n>abc)').search(abc, $)",
            "ValueError: too many values to unpack (expected 2)",
        ),
        (
            "regex('(?P<n>b)?').search(a, $)",
            "TypeError: cannot unpack non-iterable NoneType object",
        ),
        ("regex('(?P<n>ab)').search(ab, $)", "IndexError: no such group"),
        ("regex('(?P<b>ab)').search(ab, [$a.value, $a.end])", "['b', 2]"),
        (
            "regex('(a+)+$').matches(a * 40 + b)",
            "MemoryError: the regular expression takes more than 20000000 steps",
        ),
    ] {
        assert_eq!(of(expression), wanted, "{expression}");
    }
}
