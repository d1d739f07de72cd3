//! Strings with embedded values: `Fn::Join`, `Fn::Sub`, `Fn::Split`.

use super::inexpressible::unsupported_function;
use crate::emit::kit::{Expressed, map_key_text};
use indexmap::IndexMap;

use super::super::tree::{DataNode, DataTree};
use super::tables::{ArgumentForm, DataType, form};
use super::template_builder::{TemplateBuilder, ValueContext, call};
use super::value::{position, text_of};
use heat_engine::eval::{StringPart, Unknown, Value, python};

/// A string with embedded values, which becomes `Fn::Sub`.
#[derive(Default)]
pub(super) struct FnSub {
    parts: Vec<SubPart>,
    values: IndexMap<String, DataTree>,
}

/// A part of the string.
#[derive(Clone)]
enum SubPart {
    /// Literal text.
    Text(String),
    /// A variable, by its name.
    Variable(String),
}

impl FnSub {
    /// Appends literal text.
    pub(super) fn text(&mut self, text: &str) {
        match self.parts.last_mut() {
            _ if text.is_empty() => {}
            Some(SubPart::Text(before)) => before.push_str(text),
            Some(SubPart::Variable(_)) | None => self.parts.push(SubPart::Text(text.to_owned())),
        }
    }

    /// Appends a value that is known only at deployment.
    pub(super) fn tree(&mut self, tree: DataTree) {
        match shape_of(&tree) {
            SubArgument::Text(text) => self.text(text),
            SubArgument::Ref(name) if !self.values.contains_key(name) => self.variable(name),
            SubArgument::GetAtt(id, attribute) => self.variable(&format!("{id}.{attribute}")),
            SubArgument::Sub(text) => self.again(text),
            SubArgument::Ref(_) | SubArgument::Other => {
                let name = self.named(tree);
                self.variable(&name);
            }
        }
    }

    /// Appends the text of another `Fn::Sub`, whose variables are known here.
    fn again(&mut self, text: &str) {
        let mut rest = text;
        while let Some((before, (inner, after))) =
            rest.split_once("${").and_then(|(before, tail)| Some((before, tail.split_once('}')?)))
        {
            self.text(before);
            match inner.strip_prefix('!') {
                Some(literal) => self.text(&format!("${{{literal}}}")),
                None => self.variable(inner),
            }
            rest = after;
        }
        self.text(rest);
    }

    /// The name of the variable with this value, which is added if necessary.
    fn named(&mut self, tree: DataTree) -> String {
        if let Some((name, _)) = self.values.iter().find(|(_, value)| **value == tree) {
            return name.clone();
        }
        let taken = |name: &String| {
            self.parts.iter().any(|part| matches!(part, SubPart::Variable(it) if it == name))
        };
        let mut names = (self.values.len() + 1..).map(|at| format!("Value{at}"));
        let name = names.find(|name| !taken(name)).unwrap_or_default();
        self.values.insert(name.clone(), tree);
        name
    }

    fn variable(&mut self, name: &str) {
        self.parts.push(SubPart::Variable(name.to_owned()));
    }

    /// The finished value: a plain string, a single value or `Fn::Sub`.
    pub(super) fn finish(mut self) -> DataTree {
        match self.parts.as_slice() {
            [] => return DataTree::from(""),
            [SubPart::Text(text)] => return DataTree::from(text.as_str()),
            _ => {}
        }
        let mut text = String::new();
        for part in self.parts.clone() {
            match part {
                SubPart::Text(literal) => self.escape(&literal, &mut text),
                SubPart::Variable(name) => {
                    text.push_str("${");
                    text.push_str(&name);
                    text.push('}');
                }
            }
        }
        let text = DataTree::from(text.as_str());
        if self.values.is_empty() {
            return DataTree::map([("Fn::Sub", text)]);
        }
        call("Fn::Sub", [text, DataTree::map(self.values)])
    }

    /// Escapes `${name}` as `${!name}`. According to the user guide this applies to names only: any other `$`
    /// before a brace needs a variable.
    fn escape(&mut self, literal: &str, out: &mut String) {
        let mut rest = literal;
        while let Some((before, after)) = rest.split_once("${") {
            out.push_str(before);
            let name = after.split_once('}').map_or("", |(name, _)| name);
            let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || "_.:".contains(c));
            match is_name && !name.is_empty() {
                true => out.push_str("${!"),
                false => {
                    let dollar = self.named(DataTree::from("$"));
                    out.push_str(&format!("${{{dollar}}}{{"));
                }
            }
            rest = after;
        }
        out.push_str(rest);
    }
}

/// The form that a value takes inside `Fn::Sub`.
enum SubArgument<'t> {
    Text(&'t str),
    Ref(&'t str),
    GetAtt(&'t str, &'t str),
    /// An `Fn::Sub` without variables of its own.
    Sub(&'t str),
    Other,
}

fn leaf(tree: &DataTree) -> Option<&str> {
    match &tree.kind {
        DataNode::Leaf(lossless_yaml::Value::Text(text)) => Some(text),
        _ => None,
    }
}

fn shape_of(tree: &DataTree) -> SubArgument<'_> {
    if let Some(text) = leaf(tree) {
        return SubArgument::Text(text);
    }
    let DataNode::Map(pairs) = &tree.kind else { return SubArgument::Other };
    match pairs.as_slice() {
        [(name, value)] if name == "Ref" => {
            leaf(value).map_or(SubArgument::Other, SubArgument::Ref)
        }
        [(name, value)] if name == "Fn::Sub" => {
            leaf(value).map_or(SubArgument::Other, SubArgument::Sub)
        }
        [(name, value)] if name == "Fn::GetAtt" => match &value.kind {
            DataNode::List(items) => match items.as_slice() {
                [id, attribute] => match (leaf(id), leaf(attribute)) {
                    (Some(id), Some(attribute)) => SubArgument::GetAtt(id, attribute),
                    _ => SubArgument::Other,
                },
                _ => SubArgument::Other,
            },
            _ => SubArgument::Other,
        },
        _ => SubArgument::Other,
    }
}

impl TemplateBuilder<'_> {
    pub(super) fn join(
        &mut self,
        lists: &[Value],
        delimiter: &Value,
        unknown: &Unknown,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        let span = unknown.expr.span;
        let Value::Text(delimiter) = delimiter.unsealed() else {
            let message = "CloudFormation requires a delimiter that is known while rendering";
            return Err(unsupported_function("list_join", message, span));
        };
        let here = ValueContext { span, ..here }.text();
        let mut items = Vec::new();
        for list in lists {
            match list.unsealed() {
                Value::List(values) => {
                    for value in values.iter() {
                        items.push(self.text_value(value, here)?);
                    }
                }
                Value::Unknown(list) => {
                    let tree = self.unknown(list, form("texts"), here)?;
                    match tree.kind {
                        DataNode::List(inner) => items.extend(inner),
                        _ if lists.len() == 1 => {
                            return Ok(call(
                                "Fn::Join",
                                [DataTree::from(delimiter.as_str()), tree],
                            ));
                        }
                        _ => {
                            let glue = DataTree::from(delimiter.as_str());
                            items.push(call("Fn::Join", [glue, tree]));
                        }
                    }
                }
                Value::Null => {}
                _ => {
                    let message = "`Fn::Join` joins only lists";
                    return Err(unsupported_function("list_join", message, span));
                }
            }
        }
        if let [_] = items.as_slice() {
            return Ok(items.remove(0));
        }
        Ok(call("Fn::Join", [DataTree::from(delimiter.as_str()), DataTree::list(items)]))
    }

    /// Replaces placeholders in a string.
    pub(super) fn replace(
        &mut self,
        unknown: &Unknown,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        let span = unknown.expr.span;
        let Some(pieces) = unknown.string_parts() else {
            let message = "CloudFormation replaces placeholders only in a string that is known \
                           while rendering";
            return Err(unsupported_function("str_replace", message, span));
        };
        let here = ValueContext { span, ..here }.text();
        let mut sub = FnSub::default();
        for piece in pieces {
            match piece {
                StringPart::Text(text) => sub.text(&text),
                StringPart::Value(value) => sub.tree(self.text_value(&value, here)?),
            }
        }
        Ok(sub.finish())
    }

    /// A value that is embedded in a string.
    fn text_value(&mut self, value: &Value, here: ValueContext<'_>) -> Expressed<DataTree> {
        match value.unsealed() {
            Value::List(_) | Value::Map(_) => self.json(value, here),
            Value::Bool(_) => {
                Ok(DataTree::from(python::str(value.unsealed()).unwrap_or_default().as_str()))
            }
            value => self.value(value, form("text"), here),
        }
    }

    /// Serializes data to JSON the way Heat does.
    pub(super) fn json(&mut self, value: &Value, here: ValueContext<'_>) -> Expressed<DataTree> {
        let mut sub = FnSub::default();
        self.json_into(value, &mut sub, here.text())?;
        Ok(sub.finish())
    }

    fn json_into(
        &mut self,
        value: &Value,
        sub: &mut FnSub,
        here: ValueContext<'_>,
    ) -> Expressed<()> {
        let refused = || {
            let message = "the value cannot be written as JSON";
            unsupported_function("str_replace", message, here.span)
        };
        match value.unsealed() {
            Value::List(items) => {
                sub.text("[");
                for (at, item) in items.iter().enumerate() {
                    sub.text(if at > 0 { ", " } else { "" });
                    self.json_into(item, sub, here)?;
                }
                sub.text("]");
            }
            Value::Map(map) => {
                sub.text("{");
                for (at, (key, item)) in map.iter().enumerate() {
                    sub.text(if at > 0 { ", " } else { "" });
                    let key = python::json_dumps(&Value::text(map_key_text(key)), true);
                    sub.text(&key.map_err(|_| refused())?);
                    sub.text(": ");
                    self.json_into(item, sub, here)?;
                }
                sub.text("}");
            }
            Value::Unknown(_) => {
                let tree = self.value(value, form("text"), here)?;
                sub.text("\"");
                sub.tree(tree);
                sub.text("\"");
            }
            known => {
                let text = python::json_dumps(&known.reveal().0, true).map_err(|_| refused())?;
                sub.text(&text);
            }
        }
        Ok(())
    }

    /// Splits a string, or selects one item of the result.
    pub(super) fn split(
        &mut self,
        delimiter: &Value,
        text: &Value,
        index: Option<&Value>,
        unknown: &Unknown,
        wanted: &'static ArgumentForm,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        let span = unknown.expr.span;
        let Value::Text(delimiter) = delimiter.unsealed() else {
            let message = "CloudFormation requires a delimiter that is known while rendering";
            return Err(unsupported_function("str_split", message, span));
        };
        let text = self.value(text, form("text"), ValueContext { span, ..here }.text())?;
        let pieces = call("Fn::Split", [DataTree::from(delimiter.as_str()), text]);
        let index = match index.map(Value::unsealed) {
            None | Some(Value::Null) => {
                if matches!(wanted.shape, DataType::Texts | DataType::Data) {
                    return Ok(pieces);
                }
                let message = format!("the value is a list where AWS requires {}", wanted.what());
                return Err(unsupported_function("str_split", message, span));
            }
            Some(index) => position(index).ok_or_else(|| {
                let message = "CloudFormation selects only by a non-negative index that is known \
                               while rendering";
                unsupported_function("str_split", message, span)
            })?,
        };
        Ok(call("Fn::Select", [DataTree::from(index.to_string().as_str()), pieces]))
    }

    /// A URL, from its parts.
    pub(super) fn url(
        &mut self,
        parts: &Value,
        unknown: &Unknown,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        let span = unknown.expr.span;
        let no = |message: &str| unsupported_function("make_url", message, span);
        let Value::Map(parts) = parts.unsealed() else {
            return Err(no("the parts of the URL must be known while rendering"));
        };
        let here = ValueContext { span, ..here }.text();
        let part = |name: &str| {
            let value = parts.get(name).map(Value::unsealed);
            value.filter(|value| python::truthy(value))
        };
        // Whether these need URL encoding or brackets depends on their values.
        for name in ["username", "password", "query", "fragment"] {
            if part(name).is_some() {
                return Err(no(&format!("CloudFormation cannot URL-encode `{name}`")));
            }
        }
        let mut sub = FnSub::default();
        if let Some(scheme) = part("scheme") {
            sub.tree(self.text_value(scheme, here)?);
            sub.text(":");
        }
        if let Some(host) = part("host") {
            sub.text("//");
            let is_six = matches!(host, Value::Text(text) if text.contains(':'));
            sub.text(if is_six { "[" } else { "" });
            sub.tree(self.text_value(host, here)?);
            sub.text(if is_six { "]" } else { "" });
            if let Some(port) = part("port") {
                sub.text(":");
                sub.tree(self.text_value(port, here)?);
            }
        }
        match part("path") {
            None => {}
            Some(Value::Unknown(_)) => return Err(no("CloudFormation cannot URL-encode the path")),
            Some(path) => {
                let text = text_of(path).unwrap_or_default();
                let is_plain = |c: char| c.is_ascii_alphanumeric() || "/-._~".contains(c);
                if !text.chars().all(is_plain) {
                    return Err(no("the path has characters that need URL encoding"));
                }
                sub.text(if text.starts_with('/') { "" } else { "/" });
                sub.text(&text);
            }
        }
        Ok(sub.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::super::template_builder::{attribute_of, reference};
    use super::*;

    fn yaml(sub: FnSub) -> String {
        sub.finish().to_yaml().expect("YAML")
    }

    #[test]
    fn what_stands_in_a_text_is_a_variable_and_what_looks_like_one_stays() {
        let mut sub = FnSub::default();
        sub.text("echo ${HOME} ");
        sub.tree(reference("Name"));
        sub.tree(attribute_of("Server", "PrivateIp"));
        insta::assert_snapshot!(yaml(sub), @"Fn::Sub: echo ${!HOME} ${Name}${Server.PrivateIp}");
    }

    #[test]
    fn a_call_in_a_text_gets_a_name_once() {
        let mut sub = FnSub::default();
        let select = || call("Fn::Select", [DataTree::from("0"), reference("List")]);
        sub.tree(select());
        sub.text("-");
        sub.tree(select());
        insta::assert_snapshot!(yaml(sub), @r"
        Fn::Sub:
          - ${Value1}-${Value1}
          - Value1:
              Fn::Select:
                - '0'
                - Ref: List
        ");
    }

    #[test]
    fn a_dollar_before_a_brace_that_begins_no_name_is_a_value() {
        let mut sub = FnSub::default();
        sub.text("$");
        sub.text("{");
        sub.tree(reference("Name"));
        sub.text("} ${} ${!x} $");
        sub.tree(reference("Value1"));
        insta::assert_snapshot!(yaml(sub), @r"
        Fn::Sub:
          - ${Value2}{${Name}} ${Value2}{} ${Value2}{!x} $${Value1}
          - Value2: $
        ");
        let mut inner = FnSub::default();
        inner.text("${A} $");
        inner.tree(reference("Name"));
        let mut sub = FnSub::default();
        sub.text("<");
        sub.tree(inner.finish());
        insta::assert_snapshot!(yaml(sub), @"Fn::Sub: <${!A} $${Name}");
    }

    #[test]
    fn a_text_of_known_pieces_is_a_text() {
        let mut sub = FnSub::default();
        sub.text("a ${b}");
        sub.tree(DataTree::from(" c"));
        insta::assert_snapshot!(yaml(sub), @"a ${b} c");
    }
}
