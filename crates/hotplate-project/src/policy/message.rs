//! The message of a rule: text with yaql expressions in `{{…}}`.

use python_semantics::number::json_repr;
use yaql::{Data, Expression, Options};

/// The maximum length of a value in a message, in characters.
const MAX_VALUE_LENGTH: usize = 80;

/// A message with expressions.
#[derive(Clone, Debug)]
pub(super) struct MessageTemplate {
    parts: Vec<MessagePart>,
}

#[derive(Clone, Debug)]
enum MessagePart {
    Text(String),
    Value(Expression),
}

/// Why a message is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum MessageError {
    #[error("`{{{{` without `}}}}`")]
    Open,
    #[error("`{{{{{0}}}}}`: {1}")]
    Syntax(String, String),
}

impl MessageTemplate {
    pub(super) fn parse(text: &str, options: &Options) -> Result<Self, MessageError> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, inside)) = rest.split_once("{{") {
            let (expression, after) = inside.split_once("}}").ok_or(MessageError::Open)?;
            parts.push(MessagePart::Text(before.to_owned()));
            let parsed = Expression::parse(expression.trim(), options)
                .map_err(|error| MessageError::Syntax(expression.to_owned(), error.message))?;
            parts.push(MessagePart::Value(parsed));
            rest = after;
        }
        parts.push(MessagePart::Text(rest.to_owned()));
        Ok(MessageTemplate { parts })
    }

    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.parts.iter().filter_map(|part| match part {
            MessagePart::Text(_) => None,
            MessagePart::Value(expression) => Some(expression),
        })
    }

    /// The message for some data. Values that are unknown or hidden, and expressions that fail, are shown as `?`.
    pub(super) fn text(&self, data: &Data, options: &Options) -> String {
        let value = |expression: &Expression| match expression.evaluate(data, options) {
            Ok(value) => shown(&value),
            Err(_) => "?".to_owned(),
        };
        let parts = self.parts.iter().map(|part| match part {
            MessagePart::Text(text) => text.clone(),
            MessagePart::Value(expression) => value(expression),
        });
        parts.collect()
    }
}

/// A value, cut if it is long.
fn shown(value: &Data) -> String {
    let text = text(value);
    match text.char_indices().nth(MAX_VALUE_LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn text(value: &Data) -> String {
    match value {
        Data::Null => "null".to_owned(),
        Data::Bool(value) => value.to_string(),
        Data::Int(value) => value.to_string(),
        Data::Float(value) => json_repr(*value).into_owned(),
        Data::Text(text) => text.to_string(),
        Data::List(items) | Data::Tuple(items) | Data::Set(items) => {
            items.iter().map(text).collect::<Vec<_>>().join(", ")
        }
        Data::Map(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| format!("{}: {}", text(key), text(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        Data::DateTime { text, .. } | Data::TimeSpan { text, .. } | Data::Other { text, .. } => {
            text.clone()
        }
        Data::Unknown(_) => "?".to_owned(),
    }
}
