//! Tables of expressions with the results of yaql from PyPI, one file an area.
//!
//! An expression is followed by its result, indented: the data as Python writes it, or the class and the
//! message of an exception. A line that begins with `==` begins a table and names it, with the options of its
//! expressions in parentheses; a line that begins with `#` is a comment.

use super::parser::parse;
use super::{Data, Expression, Failure, Options};

const FILES: [(&str, &str); 8] = [
    ("collections", include_str!("testing/collections.txt")),
    ("dates", include_str!("testing/dates.txt")),
    ("grammar", include_str!("testing/grammar.txt")),
    ("language", include_str!("testing/language.txt")),
    ("numbers", include_str!("testing/numbers.txt")),
    ("queries", include_str!("testing/queries.txt")),
    ("regex", include_str!("testing/regex.txt")),
    ("strings", include_str!("testing/strings.txt")),
];

#[test]
fn expressions_yield_what_yaql_yields() {
    let mut wrong = Vec::new();
    for (file, text) in FILES {
        let (mut options, mut data, mut is_tree) = (Options::default(), Data::Null, false);
        let mut expression = String::new();
        let mut lines =
            text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).peekable();
        while let Some(line) = lines.next() {
            if let Some(title) = line.strip_prefix("== ") {
                (options, data, is_tree) = options_of(title);
                continue;
            }
            if !expression.is_empty() {
                expression.push('\n');
            }
            expression.push_str(line);
            let Some(expected) = lines.next_if(|line| line.starts_with("    ")) else { continue };
            let found = match is_tree {
                true => parsed(&expression, &options),
                false => found(&expression, &options, &data),
            };
            if found.trim_end() != expected.trim() {
                wrong.push(format!("{file}: {expression}\n    {found}\nnot {}", expected.trim()));
            }
            expression.clear();
        }
        assert_eq!(expression, "", "{file}: an expression without a result");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The options and the data in the title of a table, and whether its results are the parsed expressions.
fn options_of(title: &str) -> (Options, Data, bool) {
    let (mut options, mut data, mut is_tree) = (Options::default(), Data::Null, false);
    let words = title.split_once('(').map_or("", |(_, words)| words.trim_end_matches(')'));
    for word in words.split(", ").filter(|word| !word.is_empty()) {
        match word {
            "data" => data = Data::Text("data".into()),
            "delegates" => options.delegates = true,
            "limited" => {
                (options.limit_iterators, options.memory_quota) = (Some(200), Some(10_000));
            }
            "now" => options.now = Some(NOW),
            "tree" => is_tree = true,
            "seed" => options.seed = Some(7),
            other => panic!("{title}: no option {other}"),
        }
    }
    (options, data, is_tree)
}

/// 2026-11-21 20:30:15.123456, a Saturday.
pub(super) const NOW: i64 = 1_795_293_015_123_456;

/// The `str()` of a parsed expression, or the message of its error.
fn parsed(expression: &str, options: &Options) -> String {
    parse(expression, options).map_or_else(|error| error.message, |root| root.to_string())
}

/// The result of an expression, or its failure.
pub(super) fn found(expression: &str, options: &Options, data: &Data) -> String {
    let parsed = match Expression::parse(expression, options) {
        Ok(parsed) => parsed,
        Err(error) => return format!("{}: {}", error.class.name(), error.message),
    };
    match parsed.evaluate(data, options) {
        Ok(data) => shown(&data),
        Err(Failure::Unknown) => "unknown".to_owned(),
        Err(Failure::Raised(raised)) => format!("{}: {}", raised.class.name(), raised.message),
    }
}

/// Data as Python writes it.
fn shown(data: &Data) -> String {
    let list = |items: &[Data]| items.iter().map(shown).collect::<Vec<_>>().join(", ");
    match data {
        Data::Null => "None".to_owned(),
        Data::Bool(true) => "True".to_owned(),
        Data::Bool(false) => "False".to_owned(),
        Data::Int(value) => value.to_string(),
        Data::Float(value) => format!("{value:?}"),
        Data::Text(text) => format!("'{text}'"),
        Data::List(items) => format!("[{}]", list(items)),
        Data::Tuple(items) => match &items[..] {
            [item] => format!("({},)", shown(item)),
            items => format!("({})", list(items)),
        },
        Data::Set(items) => format!("{{{}}}", list(items)),
        Data::Map(pairs) => {
            let pair = |(key, value): &(Data, Data)| format!("{}: {}", shown(key), shown(value));
            format!("{{{}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
        Data::DateTime { text, .. } | Data::TimeSpan { text, .. } | Data::Other { text, .. } => {
            text.clone()
        }
        Data::Unknown(number) => format!("?{number}"),
    }
}
