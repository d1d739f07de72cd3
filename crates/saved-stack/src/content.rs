//! Recognizes a saved file by its content.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::cloud_lists::{ID, NAME};
use lossless_yaml::{Document, Limits, NodeId, NodeKind, Syntax, decode, read};
use source_diagnostics::{Diagnostic, SourceId};

/// The content of a saved file, with the command of OpenStack's client that prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ContentKind {
    /// `stack export`, `stack abandon`
    Export,
    /// `stack template show`
    Template,
    /// `stack environment show`
    Environment,
    /// `stack show`
    Stack,
    /// `stack file list`
    Files,
    /// `stack resource list`
    Resources,
    /// `port list`
    Ports,
    /// `security group rule list`
    SecurityRules,
    /// `server list`, `network list` and the lists of other objects with names; `server show` and others
    Objects,
    /// A list without rows, of whatever
    Nothing,
}

impl ContentKind {
    /// The name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            ContentKind::Export => "exported stacks",
            ContentKind::Template => "templates",
            ContentKind::Environment => "environments",
            ContentKind::Stack => "descriptions of a stack",
            ContentKind::Files => "lists of files",
            ContentKind::Resources => "lists of resources",
            ContentKind::Ports => "lists of ports",
            ContentKind::SecurityRules => "lists of security group rules",
            ContentKind::Objects => "lists of objects",
            ContentKind::Nothing => "empty lists",
        }
    }

    /// Whether a saved stack may have several files of the kind.
    pub(super) fn may_repeat(self) -> bool {
        match self {
            ContentKind::Ports
            | ContentKind::SecurityRules
            | ContentKind::Objects
            | ContentKind::Nothing => true,
            ContentKind::Export
            | ContentKind::Template
            | ContentKind::Environment
            | ContentKind::Stack
            | ContentKind::Files
            | ContentKind::Resources => false,
        }
    }

    fn of(data: &Value) -> Option<ContentKind> {
        match data {
            Value::Array(rows) => ContentKind::of_rows(rows),
            Value::Object(map) => ContentKind::of_map(map),
            _ => None,
        }
    }

    fn of_rows(rows: &[Value]) -> Option<ContentKind> {
        let has = |key: &str| rows.iter().any(|row| row.get(key).is_some());
        if rows.is_empty() {
            return Some(ContentKind::Nothing);
        }
        if has("resource_name") || has("physical_resource_id") {
            return Some(ContentKind::Resources);
        }
        if has("MAC Address") || has("mac_address") {
            return Some(ContentKind::Ports);
        }
        if has("IP Protocol") || has("ip_protocol") {
            return Some(ContentKind::SecurityRules);
        }
        rows.iter().any(is_object).then_some(ContentKind::Objects)
    }

    fn of_map(map: &Map<String, Value>) -> Option<ContentKind> {
        const VERSIONS: [&str; 3] =
            ["heat_template_version", "HeatTemplateFormatVersion", "AWSTemplateFormatVersion"];
        const SECTIONS: [&str; 4] =
            ["parameters", "parameter_defaults", "resource_registry", "event_sinks"];
        let has = |key: &str| map.contains_key(key);
        if has("template") && (has("resources") || has("environment")) {
            Some(ContentKind::Export)
        } else if VERSIONS.iter().any(|key| has(key)) {
            Some(ContentKind::Template)
        } else if has("stack_name") && (has("stack_status") || has("id")) {
            Some(ContentKind::Stack)
        } else if has("stack_user_project_id") && has("resources")
            || map.get("resources").is_some_and(has_states)
        {
            // An export without a template, of which only the resources can be used.
            Some(ContentKind::Export)
        } else if SECTIONS.iter().any(|key| has(key)) {
            Some(ContentKind::Environment)
        } else if map.get("id").is_some_and(Value::is_string) && has("name") {
            Some(ContentKind::Objects)
        } else {
            let is_file = |(url, text): (&String, &Value)| url.contains("://") && text.is_string();
            (!map.is_empty() && map.iter().all(is_file)).then_some(ContentKind::Files)
        }
    }
}

/// Whether these are resources as an export has them: each has an ID or a state.
fn has_states(resources: &Value) -> bool {
    let has_state =
        |it: &Value| ["resource_id", "status", "action"].iter().any(|key| it.get(*key).is_some());
    resources.as_object().is_some_and(|map| map.values().all(has_state))
}

/// Whether a row is an object with a name.
fn is_object(row: &Value) -> bool {
    let has = |names: [&str; 2]| names.iter().any(|name| row.get(*name).is_some());
    has(ID) && has(NAME)
}

/// A saved file that was read.
pub(super) struct Content {
    pub(super) kind: ContentKind,
    pub(super) document: Document,
    pub(super) data: Value,
}

impl Content {
    /// Reads the bytes of a file; `None` if it contains nothing that is recognized.
    pub(super) fn read(
        bytes: Vec<u8>,
        limits: &Limits,
    ) -> Result<Option<Content>, Box<Diagnostic>> {
        let source = SourceId(0);
        let text: Arc<str> = decode(source, bytes)?.into();
        let document = read(source, text, limits)?;
        let Some(root) = document.root() else { return Ok(None) };
        let data = data(&document, root);
        Ok(ContentKind::of(&data).map(|kind| Content { kind, document, data }))
    }

    /// Whether the bytes are a file that only a saved stack has.
    pub(super) fn is_of_stack(bytes: Vec<u8>, limits: &Limits) -> bool {
        let kind = Content::read(bytes, limits).ok().flatten().map(|content| content.kind);
        matches!(kind, Some(ContentKind::Export | ContentKind::Stack | ContentKind::Resources))
    }

    /// The node at a key of the root.
    pub(super) fn member(&self, key: &str) -> Option<NodeId> {
        self.document.get(self.document.root()?, key)
    }

    /// The text of the file in which only a value is left, at the same lines and columns.
    pub(super) fn only(&self, node: NodeId) -> String {
        let span = self.document.span(node);
        let mut text = blank(&self.document.text()[..span.start as usize]);
        text.push_str(self.document.slice(span));
        text
    }

    /// The same text without the entries of a map that are not wanted. They become blanks, so that the rest keeps its lines and columns.
    pub(super) fn without(
        &self,
        text: &mut String,
        map: NodeId,
        is_unwanted: &mut dyn FnMut(&str, NodeId) -> bool,
    ) {
        for entry in self.document.entries(map) {
            let Some(key) = self.document.str(entry.key) else { continue };
            if !is_unwanted(key, entry.value) {
                continue;
            }
            let start = self.document.span(entry.key).start as usize;
            let mut end = self.document.span(entry.value).end as usize;
            let mut start_of_gap = start;
            if self.document.syntax() == Syntax::Json
                || text[..start].trim_end().ends_with([',', '{'])
            {
                let rest = &text[end..];
                let behind = rest.trim_start();
                if behind.starts_with(',') {
                    end += rest.len() - behind.len() + 1;
                } else if text[..start].trim_end().ends_with(',') {
                    start_of_gap = text[..start].trim_end().len() - 1;
                }
            }
            let gap = blank(&text[start_of_gap..end]);
            text.replace_range(start_of_gap..end, &gap);
        }
    }
}

/// A text of the same number of bytes with nothing but blanks and line ends.
fn blank(text: &str) -> String {
    text.bytes()
        .map(|byte| if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { ' ' })
        .collect()
}

/// The data of a node. What JSON cannot hold becomes its text.
pub(super) fn data(document: &Document, node: NodeId) -> Value {
    match document.kind(node) {
        NodeKind::Null => Value::Null,
        NodeKind::Bool(value) => Value::Bool(*value),
        NodeKind::Sequence(_) => {
            document.items(node).iter().map(|item| data(document, *item)).collect()
        }
        NodeKind::Mapping(_) => {
            let entries = document.entries(node).iter();
            let key = |node: NodeId| match document.str(node) {
                Some(key) => key.to_owned(),
                None => document.slice(document.span(node)).to_owned(),
            };
            let pairs = entries.map(|it| (key(it.key), data(document, it.value)));
            Value::Object(pairs.collect())
        }
        NodeKind::Int(_)
        | NodeKind::Float(_)
        | NodeKind::Text(_)
        | NodeKind::Bytes(_)
        | NodeKind::Date(_)
        | NodeKind::Set(_)
        | NodeKind::Pairs(_)
        | NodeKind::Alias(_) => match document.str(node) {
            Some(text) => Value::String(text.to_owned()),
            None => {
                let written = document.slice(document.span(node));
                serde_json::from_str(written).unwrap_or_else(|_| Value::String(written.to_owned()))
            }
        },
    }
}
