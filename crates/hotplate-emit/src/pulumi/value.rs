//! Values in Pulumi YAML.

use crate::tree::{DataNode, DataTree};
use lossless_yaml::Value;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum PulumiValue {
    /// Data, in which strings are not escaped yet.
    Data(Value),
    /// A reference to a name, with a path: `server.accessIpV4`, `nets[0]`.
    Reference(String),
    /// A string with references in it.
    Text(Vec<TextPart>),
    /// A function call, as written.
    Call(DataTree),
    List(Vec<PulumiValue>),
    Map(Vec<(String, PulumiValue)>),
}

/// A part of a string.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TextPart {
    Text(String),
    /// The value of a reference.
    Reference(String),
    /// The result of a function call.
    Call(DataTree),
}

impl PulumiValue {
    pub(super) const NULL: PulumiValue = PulumiValue::Data(Value::Null);

    pub(super) fn text(text: impl Into<String>) -> Self {
        PulumiValue::Data(Value::Text(text.into()))
    }

    pub(super) fn call(name: &str, argument: DataTree) -> Self {
        PulumiValue::Call(DataTree::map([(name, argument)]))
    }

    /// Concatenates the parts of a string.
    pub(super) fn concatenated(parts: Vec<TextPart>) -> Self {
        let mut glued: Vec<TextPart> = Vec::new();
        for part in parts {
            match (glued.last_mut(), part) {
                (_, TextPart::Text(text)) if text.is_empty() => {}
                (Some(TextPart::Text(before)), TextPart::Text(text)) => before.push_str(&text),
                (_, part) => glued.push(part),
            }
        }
        match glued.as_slice() {
            [] => PulumiValue::text(""),
            [TextPart::Text(text)] => PulumiValue::text(text.as_str()),
            _ => PulumiValue::Text(glued),
        }
    }

    /// Whether the value is null.
    pub(super) fn is_null(&self) -> bool {
        *self == PulumiValue::NULL
    }

    /// Writes the value as data with escaped strings.
    pub(super) fn into_tree(self) -> DataTree {
        match self {
            PulumiValue::Data(value) => Value::into_tree(value),
            PulumiValue::Reference(path) => format!("${{{path}}}").as_str().into(),
            PulumiValue::Text(parts) => {
                if parts.iter().any(|part| matches!(part, TextPart::Call(_))) {
                    let parts = parts.into_iter().map(|part| match part {
                        TextPart::Text(text) => escaped(&text).as_str().into(),
                        TextPart::Reference(path) => format!("${{{path}}}").as_str().into(),
                        TextPart::Call(tree) => tree,
                    });
                    let arguments = DataTree::list(["".into(), DataTree::list(parts)]);
                    return DataTree::map([("fn::join", arguments)]);
                }
                let mut text = String::new();
                for part in parts {
                    match part {
                        TextPart::Text(part) => text.push_str(&escaped(&part)),
                        TextPart::Reference(path) => {
                            text.push_str("${");
                            text.push_str(&path);
                            text.push('}');
                        }
                        TextPart::Call(_) => {}
                    }
                }
                text.as_str().into()
            }
            PulumiValue::Call(tree) => tree,
            PulumiValue::List(items) => {
                DataTree::list(items.into_iter().map(PulumiValue::into_tree))
            }
            PulumiValue::Map(pairs) => DataTree::map(
                pairs.into_iter().map(|(key, value)| (escaped(&key), value.into_tree())),
            ),
        }
    }
}

trait IntoTree {
    fn into_tree(self) -> DataTree;
}

impl IntoTree for Value {
    fn into_tree(self) -> DataTree {
        match self {
            Value::Text(text) => escaped(&text).as_str().into(),
            Value::List(items) => {
                DataTree::new(DataNode::List(items.into_iter().map(IntoTree::into_tree).collect()))
            }
            Value::Map(pairs) => {
                let pairs = pairs.into_iter().map(|(key, value)| {
                    let key = match key {
                        Value::Text(text) => escaped(&text),
                        other => scalar(&other),
                    };
                    (key, value.into_tree())
                });
                DataTree::map(pairs.collect::<Vec<_>>())
            }
            other => other.into(),
        }
    }
}

/// A key that is not a string, as a string.
pub(super) fn scalar(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Text(text) | Value::Date(text) => text.clone(),
        Value::Bytes(_) | Value::List(_) | Value::Map(_) | Value::Set(_) | Value::Pairs(_) => {
            String::new()
        }
    }
}

/// Escapes a string so that nothing in it is a reference: Pulumi reads `$$` as `$`.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        escaped.push(letter);
        // The text after the end may start with `{` or `$`.
        if letter == '$' && matches!(letters.peek(), None | Some('$' | '{')) {
            escaped.push('$');
        }
    }
    escaped
}

/// Appends a step to a reference.
pub(super) fn at(path: &str, key: &str) -> String {
    let mut letters = key.chars();
    let is_name = letters.next().is_some_and(|it| it.is_ascii_alphabetic() || it == '_')
        && letters.all(|it| it.is_ascii_alphanumeric() || it == '_');
    match is_name {
        true => format!("{path}.{key}"),
        false => format!("{path}[\"{}\"]", key.replace('"', "\\\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yaml(form: PulumiValue) -> String {
        form.into_tree().to_yaml().expect("YAML")
    }

    #[test]
    fn dollars_are_doubled_where_pulumi_would_read_them() {
        for (text, spelled) in
            [("a$b", "a$b"), ("${x}", "$${x}"), ("$$", "$$$$"), ("$$ {", "$$$ {"), ("x$", "x$$")]
        {
            assert_eq!(escaped(text), spelled);
        }
        let parts = vec![TextPart::Text("cost $".into()), TextPart::Reference("n".into())];
        assert_eq!(yaml(PulumiValue::concatenated(parts)), "cost $$${n}\n");
    }

    #[test]
    fn texts_are_interpolated_and_calls_in_them_joined() {
        let parts = vec![TextPart::Text("a-".into()), TextPart::Reference("n[0]".into())];
        assert_eq!(yaml(PulumiValue::concatenated(parts.clone())), "a-${n[0]}\n");
        let call = DataTree::map([("fn::toJSON", "x".into())]);
        let parts = parts.into_iter().chain([TextPart::Call(call)]).collect();
        insta::assert_snapshot!(yaml(PulumiValue::concatenated(parts)), @"
        fn::join:
          - ''
          - - a-
            - ${n[0]}
            - fn::toJSON: x
        ");
        assert_eq!(yaml(PulumiValue::concatenated(vec![])), "''\n");
    }

    #[test]
    fn steps_that_are_no_names_are_quoted() {
        assert_eq!(at("a", "b_1"), "a.b_1");
        assert_eq!(at("a", "b-1"), "a[\"b-1\"]");
        assert_eq!(at("a", "0"), "a[\"0\"]");
    }
}
