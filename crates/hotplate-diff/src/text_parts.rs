//! Texts with `<name>` in place of each part that is unknown or secret, and the names of such parts.

use std::collections::BTreeSet;

use heat_engine::eval::{Dependency, Operation, StringPart, Term, Unknown, Value};
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::ShowSecrets;

use super::comparison::TextParts;

/// A text with `<name>` in place of each part that is unknown or secret.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TextTemplate {
    pub(super) text: String,
    /// The names of the other parts, in order, whether they are secret, and what equals only equal parts.
    pub(super) parts: Vec<TextPart>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TextPart {
    name: String,
    is_secret: bool,
    digest: u64,
}

impl TextTemplate {
    pub(super) fn of(value: &Value, show_secrets: Option<ShowSecrets>) -> Option<Self> {
        let Some(parts) = value.text_parts(show_secrets) else {
            return is_text(value).then(|| TextTemplate::of_part(value));
        };
        let mut template = TextTemplate::default();
        for part in parts {
            match part {
                StringPart::Text(text) => template.text.push_str(&text),
                StringPart::Value(value) => template.push(&value),
            }
        }
        Some(template)
    }

    /// The template that consists of one part.
    pub(super) fn of_part(value: &Value) -> Self {
        let mut template = TextTemplate::default();
        template.push(value);
        template
    }

    fn push(&mut self, value: &Value) {
        let part = TextPart {
            name: name_of(value),
            is_secret: value.holds_secret(),
            digest: value.digest(),
        };
        self.text.push_str(&placeholder(&part.name));
        self.parts.push(part);
    }
}

impl TextParts {
    pub(super) fn of(old: &TextTemplate, new: &TextTemplate) -> Self {
        let all: BTreeSet<&TextPart> = old.parts.iter().chain(&new.parts).collect();
        let names = |is_secret: bool| -> Vec<String> {
            let names = all.iter().filter(|part| part.is_secret == is_secret);
            let names: BTreeSet<&String> = names.map(|part| &part.name).collect();
            names.into_iter().cloned().collect()
        };
        let values = |template: &TextTemplate, name: &str| -> Vec<u64> {
            let parts = template.parts.iter().filter(|part| part.name == name);
            parts.map(|part| part.digest).collect::<BTreeSet<_>>().into_iter().collect()
        };
        let differs = |name: &&String| {
            let (old, new) = (values(old, name), values(new, name));
            !old.is_empty() && !new.is_empty() && old != new
        };
        let (unknown, secret) = (names(false), names(true));
        let mut may_differ: Vec<String> =
            unknown.iter().chain(&secret).filter(differs).cloned().collect();
        // The same values in another order, or a file that cannot be read.
        if old.text == new.text && may_differ.is_empty() {
            may_differ = unknown.iter().chain(&secret).cloned().collect();
        }
        may_differ.sort();
        may_differ.dedup();
        TextParts { unknown, secret, may_differ }
    }
}

/// Whether an unknown value is a text of which nothing is known, such as the content of an unreadable file.
fn is_text(value: &Value) -> bool {
    let Value::Unknown(unknown) = value else { return false };
    match unknown.term() {
        Term::Leaf { of, .. } => matches!(of, Dependency::File(_)),
        Term::Call { operation, .. } => {
            matches!(operation, Operation::Join | Operation::Replace(_))
        }
        Term::Opaque => false,
    }
}

/// The replacement of a part in a text.
pub(super) fn placeholder(name: &str) -> String {
    format!("<{name}>")
}

/// The name of a value that is unknown or secret.
fn name_of(value: &Value) -> String {
    match value {
        Value::Unknown(unknown) => name_of_unknown(unknown),
        Value::Secret(secret) => match secret.origin() {
            Some(origin) => name_of_unknown(origin),
            None => "hidden".to_owned(),
        },
        value => {
            let mut found = BTreeSet::new();
            value.collect_dependencies(&mut found);
            names_of(&found)
        }
    }
}

/// The name of an unknown value: of the parameter, `port.fixed_ips` for an attribute.
pub(super) fn name_of_unknown(unknown: &Unknown) -> String {
    match (&unknown.expr.kind, unknown.term()) {
        (ExprKind::File(path), _) if path.as_text().is_some() => {
            path.as_text().unwrap_or_default().to_owned()
        }
        (_, Term::Leaf { of, .. }) => name_of_dependency(of),
        (_, Term::Call { operation, arguments }) if follows_path(operation) => {
            let Some((start, path)) = arguments.split_first() else {
                return names_of(&unknown.depends_on);
            };
            let mut name = name_of(start);
            for step in path {
                match step {
                    Value::Int(index) => name.push_str(&format!("[{index}]")),
                    Value::Text(key) => name.push_str(&format!(".{key}")),
                    _ => return names_of(&unknown.depends_on),
                }
            }
            name
        }
        // Of a text whose template is unknown, the name of the template.
        (_, Term::Call { operation: Operation::Replace(_), arguments }) => {
            match arguments.first() {
                Some(template @ Value::Unknown(_)) => name_of(template),
                _ => names_of(&unknown.depends_on),
            }
        }
        (_, Term::Call { .. } | Term::Opaque) => names_of_reads(unknown),
    }
}

/// The names of what an expression reads, each attribute with its path; of its inputs if they are others.
fn names_of_reads(unknown: &Unknown) -> String {
    let mut names = BTreeSet::new();
    let mut read = BTreeSet::new();
    unknown.expr.walk(&mut |expr: &Expr| {
        let ExprKind::Attribute(it) = &expr.kind else { return };
        let Some(resource) = it.resource.as_text() else { return };
        let Some(attribute) = it.attribute.as_ref().and_then(Expr::as_text) else { return };
        let mut name = format!("{resource}.{attribute}");
        for step in &it.path {
            match (&step.kind, step.as_text()) {
                (ExprKind::Int(index), _) => name.push_str(&format!("[{index}]")),
                (_, Some(key)) => name.push_str(&format!(".{key}")),
                _ => return,
            }
        }
        read.insert(Dependency::Attribute(resource.to_owned(), Some(attribute.to_owned())));
        names.insert(name);
    });
    match !read.is_empty() && *unknown.depends_on == read {
        true => names.into_iter().collect::<Vec<_>>().join(", "),
        false => names_of(&unknown.depends_on),
    }
}

/// Whether the first argument of an operation is a value, and the others are a path into it.
fn follows_path(operation: &Operation) -> bool {
    matches!(operation, Operation::Convert(_) | Operation::Path | Operation::AttributePath(_))
}

fn names_of(dependencies: &BTreeSet<Dependency>) -> String {
    let names: Vec<String> = dependencies.iter().map(name_of_dependency).collect();
    if names.is_empty() { "unknown".to_owned() } else { names.join(", ") }
}

fn name_of_dependency(dependency: &Dependency) -> String {
    match dependency {
        Dependency::Parameter(name) | Dependency::Resource(name) => name.clone(),
        Dependency::Attribute(resource, Some(attribute)) => format!("{resource}.{attribute}"),
        Dependency::Attribute(resource, None) => resource.clone(),
        Dependency::File(url) => url.rsplit('/').next().unwrap_or(url).to_owned(),
        Dependency::Cloud(what) => (*what).to_owned(),
    }
}
