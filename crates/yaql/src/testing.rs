//! Tables of expressions with the results of yaql from PyPI.

use super::{Data, Expression, Failure, Options};

/// Compares the result of each expression, with null as its data, with the expected one. A failure is
/// expected as its class and message.
pub(super) fn assert_all(options: &Options, expected: &[(&str, &str)]) {
    for (expression, expected) in expected {
        assert_eq!(found(expression, options), *expected, "{expression}");
    }
}

fn found(expression: &str, options: &Options) -> String {
    let parsed = match Expression::parse(expression, options) {
        Ok(parsed) => parsed,
        Err(error) => return format!("{}: {}", error.class.name(), error.message),
    };
    match parsed.evaluate(&Data::Null, options) {
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
