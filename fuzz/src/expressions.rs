//! Expressions of yaql, and regular expressions by way of it.

use heat_engine::eval::interpreter::interpret;
use heat_engine::eval::{Value, heat_yaql_options};
use lossless_yaml::{Limits, decode, read};
use source_diagnostics::SourceId;
use yaql::{Data, Expression, Options};

use crate::parts::{choice, of};

/// Any expression on any data has one answer: the same twice.
pub fn yaql(data: &[u8]) {
    let files = of(data, "expression");
    let file = |name: &str| files.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes);
    let Some(Ok(text)) = file("expression").map(std::str::from_utf8) else { return };
    let text = text.trim_end_matches('\n');
    let given = file("data").unwrap_or(b"{a: [1, 2, {b: c}], d: text, e: null, f: 1.5}");
    let Ok(given) = decode(SourceId(0), given.to_vec()) else { return };
    let Ok(document) = read(SourceId(0), given.into(), &Limits::default()) else { return };
    let Some(root) = document.root() else { return };
    let Ok(value) = lossless_yaml::Value::copy_of(document.data(root), &Limits::default()) else {
        return;
    };
    let value = Value::from(&value);
    let seed = (choice(data) % 4 == 0).then_some(7);
    let options = Options { seed, now: seed.map(|_| 0), ..heat_yaql_options().clone() };
    let once = interpret(text, SourceId(0), &value, &options);
    for finding in &once.findings {
        for label in finding.primary.iter().chain(&finding.related) {
            assert!(text.get(label.span.range()).is_some(), "{:?} of {text:?}", label.span);
        }
    }
    let again = interpret(text, SourceId(0), &value, &options);
    assert_eq!(format!("{:?}", once.value), format!("{:?}", again.value), "{text:?}");
    let options = Options { delegates: true, ..options };
    if let Ok(parsed) = Expression::parse(text, &options) {
        let _ = parsed.unknown_calls(&options);
        let _ = parsed.evaluate(&Data::List(vec![Data::Null, Data::Text(text.into())]), &options);
    }
}

/// An operation on a pattern `$.pattern` and a text `$.text`.
const USES: [&str; 6] = [
    "regex($.pattern).search($.text)",
    "regex($.pattern, ignore_case => true, dot_all => true).searchAll($.text).toList()",
    "regex($.pattern, multi_line => true).split($.text, 3)",
    "regex($.pattern).replace($.text, '<\\\\g<0>>', 2)",
    "regex($.pattern, unicode => true).replaceBy($.text, $.value)",
    "regex($.pattern).matches($.text)",
];

/// Any pattern on any text has an answer; an escaped text matches itself.
pub fn regex(data: &[u8]) {
    let files = of(data, "pattern");
    let file = |name: &str| files.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes);
    let Some(Ok(pattern)) = file("pattern").map(std::str::from_utf8) else { return };
    let pattern = pattern.trim_end_matches('\n');
    let given = std::str::from_utf8(
        file("text").unwrap_or(b"The web-01.example.org, 10.0.0.1 and \xc3\xa9t\xc3\xa9\n"),
    );
    let Ok(text) = given else { return };
    let options =
        Options { limit_iterators: Some(200), memory_quota: Some(100_000), ..Options::default() };
    let both = Data::Map(vec![
        (Data::Text("pattern".into()), Data::Text(pattern.into())),
        (Data::Text("text".into()), Data::Text(text.into())),
    ]);
    let evaluate = |expression: &str| {
        let parsed = Expression::parse(expression, &options);
        let parsed = parsed.unwrap_or_else(|error| panic!("{expression}: {}", error.message));
        parsed.evaluate(&both, &options)
    };
    let _ = evaluate(USES[choice(data) % USES.len()]);
    let escaped = evaluate("regex(escapeRegex($.text)).matches($.text)");
    if let Ok(answer) = escaped {
        assert_eq!(answer, Data::Bool(true), "{text:?} escaped does not match itself");
    }
}
