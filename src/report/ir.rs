//! The meaning of a template as lines of text: one fact per line, so that a line diff shows which
//! facts differ. The position, the spelling and the version are left out: two
//! spellings of the same meaning give the same text. `git diff` shows templates in this form after
//! `hotplate git setup`.

pub mod json;

use source_diagnostics::{MASK, ShowSecrets, Span};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use indexmap::IndexMap;

use super::escape::for_terminal;
use heat_template::ir::{
    ComputedFunction, ConstraintKind, DeletionPolicy, Expr, ExprKind, FacadePart, GivenSecret,
    Parameter, ParameterConstraint, ParameterType, Resource, Stack, UnknownKey,
};
use python_semantics::number::Integer;

/// A call with more parts than this is split over several lines.
const MAX_INLINE_PARTS: usize = 12;

/// The facts of a stack. The defaults of hidden parameters, and what nested templates hide, are masked without
/// `show_secrets`.
pub fn to_text(stack: &Stack, show_secrets: Option<ShowSecrets>) -> String {
    let secrets = show_secrets.is_none().then_some(&stack.given_secrets);
    let secrets = secrets.filter(|secrets| !secrets.is_empty());
    let mut text = FactWriter { out: String::new(), secrets };
    if let Some(description) = &stack.description {
        text.value("description", description);
    }
    for (name, capability) in sorted(&stack.capabilities) {
        text.value(&format!("capability {}", shown(name)), &capability.value);
    }
    for (name, parameter) in sorted(&stack.parameters) {
        text.head("parameter", name);
        text.parameter(parameter, show_secrets);
    }
    for group in &stack.groups {
        text.value("group", &group.value);
    }
    for (name, mapping) in sorted(&stack.mappings) {
        text.value(&format!("mapping {}", shown(name)), &mapping.value);
    }
    for (name, condition) in sorted(&stack.conditions) {
        text.value(&format!("condition {}", shown(name)), &condition.value);
    }
    for (name, resource) in sorted(&stack.resources) {
        text.head("resource", name);
        text.resource(resource);
    }
    for (name, output) in sorted(&stack.outputs) {
        text.head("output", name);
        text.optional("description", output.description.as_ref());
        text.optional("condition", output.condition.as_ref());
        text.optional("value", output.value.as_ref());
        text.extensions("  ", &output.extensions);
    }
    text.extensions("", &stack.extensions);
    text.out
}

/// Sorts entries by name, since their order has no meaning.
fn sorted<T>(entries: &IndexMap<String, T>) -> Vec<(&str, &T)> {
    let mut sorted: Vec<_> = entries.iter().map(|(name, entry)| (name.as_str(), entry)).collect();
    sorted.sort_by_key(|(name, _)| *name);
    sorted
}

struct FactWriter<'s> {
    out: String,
    /// The parameters that nested templates hide.
    secrets: Option<&'s HashMap<Span, GivenSecret>>,
}

impl FactWriter<'_> {
    fn is_secret(&self, value: &Expr) -> bool {
        self.secrets.is_some_and(|secrets| secrets.contains_key(&value.span))
    }

    fn holds_secret(&self, value: &Expr) -> bool {
        let mut found = false;
        if self.secrets.is_none() {
            return found;
        }
        value.walk(&mut |part| found |= self.is_secret(part));
        found
    }

    fn head(&mut self, section: &str, name: &str) {
        self.line(&format!("{section} {}", shown(name)));
    }

    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn optional(&mut self, name: &str, value: Option<&Expr>) {
        if let Some(value) = value {
            self.value(&format!("  {name}"), value);
        }
    }

    fn extensions(&mut self, indent: &str, extensions: &[UnknownKey]) {
        let mut sorted: Vec<&UnknownKey> = extensions.iter().collect();
        sorted.sort_by_key(|extension| &extension.name.text);
        for extension in sorted {
            let name = shown(&extension.name.text);
            self.value(&format!("{indent}extension {name}"), &extension.value);
        }
    }

    fn parameter(&mut self, parameter: &Parameter, show_secrets: Option<ShowSecrets>) {
        if let Some(kind) = parameter.kind {
            self.line(&format!("  type {}", type_name(kind)));
        }
        self.optional("label", parameter.label.as_ref());
        self.optional("description", parameter.description.as_ref());
        match &parameter.default {
            Some(_) if parameter.is_hidden() && show_secrets.is_none() => {
                self.line(&format!("  default = {MASK}"));
            }
            default => self.optional("default", default.as_ref()),
        }
        if parameter.is_hidden() {
            self.line("  hidden");
        }
        self.optional("immutable", parameter.immutable.as_ref());
        self.optional("tags", parameter.tags.as_ref());
        for constraint in &parameter.constraints {
            self.constraint(constraint, parameter.is_hidden() && show_secrets.is_none());
        }
        self.extensions("  ", &parameter.extensions);
    }

    fn constraint(&mut self, constraint: &ParameterConstraint, is_masked: bool) {
        let (name, value) = match &constraint.kind {
            ConstraintKind::Range(value) => ("range", value),
            ConstraintKind::Length(value) => ("length", value),
            ConstraintKind::Modulo(value) => ("modulo", value),
            kind if is_masked && kind.shows_values() => {
                let name = kind.entry().map_or("", |(name, _)| name);
                return self.line(&format!("  constraint {name} = {MASK}"));
            }
            ConstraintKind::AllowedValues(value) => ("allowed_values", value),
            ConstraintKind::AllowedPattern(value) => ("allowed_pattern", value),
            ConstraintKind::Custom(value) => ("custom", value),
            ConstraintKind::Missing => return self.line("  constraint missing"),
        };
        self.value(&format!("  constraint {name}"), value);
        self.optional(&format!("constraint {name} description"), constraint.description.as_ref());
    }

    fn resource(&mut self, resource: &Resource) {
        if let Some(kind) = &resource.kind {
            self.line(&format!("  type {}", shown(&kind.text)));
        }
        self.optional("description", resource.description.as_ref());
        self.optional("condition", resource.condition.as_ref());
        self.optional("external_id", resource.external_id.as_ref());
        let needed: BTreeSet<&str> =
            resource.depends_on.iter().map(|name| name.text.as_str()).collect();
        for name in needed {
            self.line(&format!("  depends_on {}", shown(name)));
        }
        match &resource.deletion_policy {
            None => {}
            Some(DeletionPolicy::Delete) => self.line("  deletion_policy delete"),
            Some(DeletionPolicy::Retain) => self.line("  deletion_policy retain"),
            Some(DeletionPolicy::Snapshot) => self.line("  deletion_policy snapshot"),
            Some(DeletionPolicy::Other(value)) => self.value("  deletion_policy", value),
        }
        self.optional("update_policy", resource.update_policy.as_ref());
        self.optional("metadata", resource.metadata.as_ref());
        self.optional("properties", resource.properties.as_ref());
        self.extensions("  ", &resource.extensions);
    }

    /// Writes a value under a path: on one line if it is small, otherwise each part under its own path.
    fn value(&mut self, path: &str, value: &Expr) {
        match &value.kind {
            _ if self.is_secret(value) => self.line(&format!("{path} = {MASK}")),
            ExprKind::Text(text) if text.contains('\n') => {
                self.line(&format!("{path} ="));
                let indent = path.len() - path.trim_start().len() + 2;
                for line in text.split('\n') {
                    let blank = if line.is_empty() { "" } else { " " };
                    self.line(&format!("{:indent$}|{blank}{}", "", for_terminal(line)));
                }
            }
            ExprKind::List(items) if !items.is_empty() => {
                for (at, item) in items.iter().enumerate() {
                    self.value(&format!("{path}[{at}]"), item);
                }
            }
            ExprKind::Map(pairs) if !pairs.is_empty() => {
                let mut pairs: Vec<(String, &Expr)> =
                    pairs.iter().map(|pair| (key(&pair.key), &pair.value)).collect();
                pairs.sort_by(|one, other| one.0.cmp(&other.0));
                for (key, value) in pairs {
                    self.value(&format!("{path}.{key}"), value);
                }
            }
            _ if fits_in_a_line(value) && !self.holds_secret(value) => {
                self.line(&format!("{path} = {}", inline(value)))
            }
            kind => {
                let (name, parts) = call(kind);
                self.line(&format!("{path} = {name}"));
                for (label, part) in parts {
                    self.value(&format!("{path}.{name}.{label}"), part);
                }
            }
        }
    }
}

/// Whether an expression is small enough for one line; a text of several lines is not.
fn fits_in_a_line(value: &Expr) -> bool {
    let (mut parts, mut long) = (0, false);
    value.walk_places(&mut |part| {
        parts += 1;
        long |= part.as_text().is_some_and(|text| text.contains('\n'));
    });
    !long && parts <= MAX_INLINE_PARTS || call(&value.kind).1.is_empty()
}

fn inline(value: &Expr) -> String {
    let list = |items: &[Expr]| items.iter().map(inline).collect::<Vec<_>>().join(", ");
    match &value.kind {
        ExprKind::Null => "null".to_owned(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Int(Integer::Small(value)) => value.to_string(),
        ExprKind::Int(Integer::Big(digits)) => digits.to_string(),
        ExprKind::Float(value) => format!("{value:?}"),
        ExprKind::Text(text) => quoted(text),
        ExprKind::Date(text) => format!("date({})", quoted(text)),
        ExprKind::Bytes(bytes) => {
            let mut hex = String::new();
            for byte in bytes {
                // Writing to a `String` cannot fail.
                let _ = write!(hex, "{byte:02x}");
            }
            format!("bytes({hex})")
        }
        ExprKind::Set(items) => format!("set({})", list(items)),
        ExprKind::List(items) => format!("[{}]", list(items)),
        ExprKind::Map(pairs) => {
            let mut pairs: Vec<String> = pairs
                .iter()
                .map(|pair| format!("{}: {}", key(&pair.key), inline(&pair.value)))
                .collect();
            pairs.sort();
            format!("{{{}}}", pairs.join(", "))
        }
        ExprKind::Condition(name) => format!("condition({})", quoted(name)),
        ExprKind::Facade(part) => format!("facade({})", facade_name(*part)),
        kind => {
            let (name, parts) = call(kind);
            let parts: Vec<String> = parts.into_iter().map(|(_, part)| inline(part)).collect();
            format!("{name}({})", parts.join(", "))
        }
    }
}

/// The kind of a call with what distinguishes it from others of its kind, and its parts under the names of the JSON form.
/// No parts for data.
fn call(kind: &ExprKind) -> (String, Vec<(String, &Expr)>) {
    let qualifier = match kind {
        ExprKind::Set(_) | ExprKind::List(_) | ExprKind::Map(_) => {
            return (String::new(), Vec::new());
        }
        ExprKind::Repeat(it) => (!it.permutations).then(|| "permutations: false".to_owned()),
        ExprKind::MemberList(it) => Some(format!("{}, {}", shown(&it.key), shown(&it.value))),
        ExprKind::Computed(it) => Some(computed_name(it.function).to_owned()),
        ExprKind::Invalid(it) => Some(shown(&it.function)),
        _ => None,
    };
    let name = kind.name();
    let name = qualifier.map_or_else(|| name.to_owned(), |text| format!("{name}[{text}]"));
    (name, kind.named_parts())
}

fn computed_name(function: ComputedFunction) -> &'static str {
    match function {
        ComputedFunction::Parameter => "parameter",
        ComputedFunction::Hash => "hash",
        ComputedFunction::Split => "split",
        ComputedFunction::Not => "not",
    }
}

fn facade_name(part: FacadePart) -> &'static str {
    match part {
        FacadePart::Metadata => "metadata",
        FacadePart::DeletionPolicy => "deletion_policy",
        FacadePart::UpdatePolicy => "update_policy",
    }
}

fn type_name(kind: ParameterType) -> &'static str {
    match kind {
        ParameterType::Text => "text",
        ParameterType::Number => "number",
        ParameterType::TextList => "text_list",
        ParameterType::Json => "json",
        ParameterType::Boolean => "boolean",
    }
}

/// The key of a map in a path: plain if that is unambiguous.
fn key(key: &Expr) -> String {
    match &key.kind {
        ExprKind::Text(text) => shown(text),
        _ => inline(key),
    }
}

/// A name as it is, or quoted if it contains unusual characters.
fn shown(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-:/$%{}<>@*+".contains(c);
    if !name.is_empty() && name.chars().all(plain) || is_file_name(name) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// Whether a type is the name of a template file.
fn is_file_name(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c))
        && (name.ends_with(".yaml") || name.ends_with(".template"))
}

fn quoted(text: &str) -> String {
    for_terminal(&serde_json::Value::from(text).to_string()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::hot::{DocumentKind, lower, recognize};
    use lossless_yaml::{Limits, read};
    use source_diagnostics::SourceId;

    fn text_of(template: &str, show_secrets: Option<ShowSecrets>) -> String {
        let document = read(SourceId(0), template.into(), &Limits::default()).expect("YAML");
        let DocumentKind::Hot { version, node, .. } = recognize(&document) else {
            panic!("no template: {template}")
        };
        to_text(&lower(&document, version, node).stack, show_secrets)
    }

    #[test]
    fn two_spellings_of_one_meaning_give_the_same_text() {
        let block = "\
heat_template_version: 2018-08-31
# A comment.
parameters:
  size: {type: number, default: 1}
  names: {type: json}
resources:
  web:
    type: OS::Nova::Server
    depends_on: net
    properties:
      name: {list_join: ['-', [a, {get_param: [names, web]}]]}
      networks: [{port: {get_resource: port}}]
  net: {type: 'OS::Neutron::Net'}
  port: {type: 'OS::Neutron::Port', properties: {network: {get_resource: net}}}
";
        let json = r#"{"heat_template_version": "2016-04-08", "resources": {
  "port": {"properties": {"network": {"get_resource": "net"}}, "type": "OS::Neutron::Port"},
  "web": {"type": "OS::Nova::Server", "depends_on": ["net"], "properties": {
    "networks": [{"port": {"get_resource": "port"}}],
    "name": {"list_join": ["-", ["a", {"get_param": ["names", "web"]}]]}}},
  "net": {"type": "OS::Neutron::Net"}},
  "parameters": {"names": {"type": "json"}, "size": {"default": 1, "type": "number"}}}"#;
        let text = text_of(block, None);
        assert_eq!(text, text_of(json, None));
        assert_eq!(
            text,
            "\
parameter names
  type json
parameter size
  type number
  default = 1
resource net
  type OS::Neutron::Net
resource port
  type OS::Neutron::Port
  properties.network = resource(\"net\")
resource web
  type OS::Nova::Server
  depends_on net
  properties.name = join(\"-\", [\"a\", parameter(\"names\", \"web\")])
  properties.networks[0].port = resource(\"port\")
"
        );
    }

    #[test]
    fn long_texts_are_shown_line_by_line() {
        let template = "\
heat_template_version: 2018-08-31
resources:
  web:
    type: OS::Nova::Server
    properties:
      user_data:
        str_replace:
          params: {$host: {get_param: host}}
          template: |
            #!/bin/sh

            echo $host
";
        assert_eq!(
            text_of(template, None),
            "\
resource web
  type OS::Nova::Server
  properties.user_data = replace
  properties.user_data.replace.template =
    | #!/bin/sh
    |
    | echo $host
    |
  properties.user_data.replace.params.$host = parameter(\"host\")
"
        );
    }

    #[test]
    fn hidden_defaults_are_masked() {
        let template = "\
heat_template_version: 2018-08-31
parameters:
  password: {type: string, hidden: true, default: geheim}
";
        let masked = text_of(template, None);
        assert_eq!(masked, "parameter password\n  type text\n  default = ******\n  hidden\n");
        assert!(
            text_of(template, ShowSecrets::if_requested(true)).contains("default = \"geheim\"")
        );
    }

    #[test]
    fn control_characters_reach_no_terminal() {
        let template = "\
heat_template_version: 2018-08-31
outputs:
  \"a\\eb\": {value: \"x\\e[31m\\ny\\e[0m\"}
  c: {value: \"\\u202e\"}
";
        let text = text_of(template, None);
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
}
