//! Strings with embedded values: `Fn::Sub`.

use std::collections::BTreeSet;

use super::inexpressible::unsupported_function;
use crate::kit::{Expressed, map_key_text};
use indexmap::IndexMap;

use super::signal::{ends_in_command, with_aws_data};
use super::tables::form;
use super::template_builder::{TemplateBuilder, ValueContext, call};
use crate::tree::{DataNode, DataTree};
use heat_engine::eval::{Value, python};

/// The function that writes data as JSON; it needs the transform `AWS::LanguageExtensions`.
pub(super) const TO_JSON: &str = "Fn::ToJsonString";

/// A string with embedded values, which becomes `Fn::Sub`.
#[derive(Default)]
pub(super) struct FnSub {
    parts: Vec<SubPart>,
    values: IndexMap<String, DataTree>,
}

/// A part of the string.
#[derive(Clone)]
enum SubPart {
    Text(String),
    /// A variable, by its name.
    Variable(String),
}

impl FnSub {
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

    /// Writes the data of signals in AWS's form; whether that is clear of all of them.
    pub(super) fn translate_signals(&mut self) -> bool {
        let mut is_clear = true;
        for at in 0..self.parts.len().saturating_sub(2) {
            let [before, _, after] = &mut self.parts[at..at + 3] else { continue };
            if let (SubPart::Text(before), SubPart::Text(after)) = (before, after)
                && ends_in_command(before)
            {
                match with_aws_data(after) {
                    Some(data) => *after = data,
                    None => is_clear = false,
                }
            }
        }
        is_clear
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

impl DataTree {
    /// The known start of a string.
    pub(super) fn text_start(&self) -> &str {
        match &self.kind {
            DataNode::Leaf(lossless_yaml::Value::Text(text)) => text,
            DataNode::Map(pairs) => match pairs.as_slice() {
                [(name, inner)] if name == "Fn::Sub" => inner.text_start(),
                [(name, DataTree { kind: DataNode::List(arguments), .. })]
                    if name == "Fn::Join" =>
                {
                    arguments.get(1).map_or("", DataTree::text_start)
                }
                _ => "",
            },
            DataNode::List(items) => items.first().map_or("", DataTree::text_start),
            DataNode::Leaf(_) | DataNode::Comment => "",
        }
    }

    /// Collects the names that `Ref`, `Fn::GetAtt`, `Fn::Sub` and `DependsOn` refer to.
    pub(super) fn collect_references(&self, found: &mut BTreeSet<String>) {
        match &self.kind {
            DataNode::Map(pairs) => {
                for (name, inner) in pairs {
                    let names = match name.as_str() {
                        "Ref" => leaf(inner).into_iter().collect(),
                        "Fn::GetAtt" | "Fn::Sub" => {
                            inner.items().first().copied().and_then(leaf).into_iter().collect()
                        }
                        "DependsOn" => inner.items().into_iter().filter_map(leaf).collect(),
                        _ => Vec::new(),
                    };
                    if name == "Fn::Sub" {
                        let parts = names.iter().flat_map(|text| text.split("${").skip(1));
                        let names = parts.filter_map(|rest| rest.split(['}', '.']).next());
                        found.extend(names.map(str::to_owned));
                    } else {
                        found.extend(names.into_iter().map(str::to_owned));
                    }
                    inner.collect_references(found);
                }
            }
            DataNode::List(items) => items.iter().for_each(|item| item.collect_references(found)),
            DataNode::Leaf(_) | DataNode::Comment => {}
        }
    }

    /// Whether a function is called anywhere in it.
    pub(super) fn calls(&self, function: &str) -> bool {
        match &self.kind {
            DataNode::Map(pairs) => {
                pairs.iter().any(|(name, inner)| name == function || inner.calls(function))
            }
            DataNode::List(items) => items.iter().any(|item| item.calls(function)),
            DataNode::Leaf(_) | DataNode::Comment => false,
        }
    }

    /// The items of a list, or the value itself.
    fn items(&self) -> Vec<&DataTree> {
        match &self.kind {
            DataNode::List(items) => items.iter().collect(),
            _ => vec![self],
        }
    }
}

impl TemplateBuilder<'_> {
    /// A value that is embedded in a string.
    pub(super) fn text_value(
        &mut self,
        value: &Value,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
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
