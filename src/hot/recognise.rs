//! What a document is: a HOT template, a CFN template, or no template at all.

use super::keys;
use super::version::{Version, VersionStyle};
use crate::diagnostics::{Code, Diagnostic, Span};
use crate::source::{Document, NodeId, NodeKind};

/// The version keys of Heat's CFN-compatible formats.
const CFN_KEYS: [&str; 2] = ["HeatTemplateFormatVersion", "AWSTemplateFormatVersion"];

/// What a document is.
#[derive(Clone, Debug)]
pub enum Recognised {
    /// A HOT template.
    Hot {
        /// The declared version.
        version: Version,
        /// How it is declared.
        style: VersionStyle,
        /// The node of the version's value.
        node: NodeId,
    },
    /// A template in one of Heat's CFN formats.
    Cfn {
        /// The version key.
        key: &'static str,
        /// Where it stands.
        span: Span,
        /// The node of the version's value, a text.
        node: NodeId,
    },
    /// Not a template, for the reason in the finding.
    Other(Box<Diagnostic>),
    /// A template that Heat refuses for its version.
    Refused(Box<Diagnostic>),
}

/// Tells what `document` is, as Heat's loader does: of the three version keys exactly one must hold
/// a text (chapter 0).
pub fn recognise(document: &Document) -> Recognised {
    let Some(root) = document.root() else {
        let span = Span::new(document.source(), 0, 0);
        return other(span, "the file holds nothing but comments");
    };
    let span = document.span(root);
    // Nothing that follows aliases would come to an end.
    let recursive = |finding: &&Diagnostic| finding.code == Code::RecursiveAlias;
    if let Some(finding) = document.findings().iter().find(recursive) {
        return Recognised::Refused(Box::new(finding.clone()));
    }
    if !matches!(document.kind(root), NodeKind::Mapping(_)) {
        let what = kind_name(document.kind(root));
        return other(span, format!("the file is {what}, a template is a map"));
    }

    let declared: Vec<(&'static str, _)> = std::iter::once(keys::VERSION)
        .chain(CFN_KEYS)
        .filter_map(|key| document.entry(root, key).map(|entry| (key, entry)))
        .collect();
    let texts: Vec<_> =
        declared.iter().filter(|(_, entry)| document.str(entry.value).is_some()).collect();
    match (texts.as_slice(), declared.as_slice()) {
        ([], []) => {
            let start = Span { end: span.start, ..span };
            let mut finding = Diagnostic::new(
                Code::NotATemplate,
                format!("no `{}` among the keys of the file", keys::VERSION),
            )
            .at(start);
            if ["parameter_defaults", "resource_registry"]
                .iter()
                .any(|key| document.entry(root, key).is_some())
            {
                finding = finding.help("this looks like an environment; name the template instead");
            } else if document.entry(root, "resources").is_some() {
                finding =
                    finding.help(format!("add `{}: {}`", keys::VERSION, Version::LATEST.date()));
            }
            Recognised::Other(Box::new(finding))
        }
        ([], [(key, entry), ..]) => Recognised::Refused(Box::new(
            Diagnostic::new(Code::VersionNotText, format!("the value of `{key}` is not text"))
                .at(document.span(entry.value))
                .help("Heat takes a number or a null for no version at all; quote it"),
        )),
        ([(key, entry)], _) if *key != keys::VERSION => Recognised::Cfn {
            key,
            span: document.span(entry.key),
            node: document.resolve(entry.value),
        },
        ([(_, entry)], _) => {
            let text = document.str(entry.value).unwrap_or_default();
            match Version::from_declaration(text) {
                Some((version, style)) => {
                    Recognised::Hot { version, style, node: document.resolve(entry.value) }
                }
                None => Recognised::Refused(Box::new(
                    Diagnostic::new(
                        Code::UnknownVersion,
                        format!("Heat knows no template version `{}`", shorten(text)),
                    )
                    .at(document.span(entry.value))
                    .help(format!("the nearest is `{}`", Version::nearest(text))),
                )),
            }
        }
        ([(first, one), (second, two), ..], _) => Recognised::Refused(Box::new(
            Diagnostic::new(
                Code::AmbiguousVersion,
                format!("both `{first}` and `{second}` declare a version"),
            )
            .at(document.span(one.key))
            .related(document.span(two.key), "the other one"),
        )),
    }
}

fn other(span: Span, message: impl Into<String>) -> Recognised {
    Recognised::Other(Box::new(Diagnostic::new(Code::NotATemplate, message).at(span)))
}

fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// What a node is, with its article, for messages.
pub(crate) fn kind_name(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::Null => "null",
        NodeKind::Bool(_) => "a truth value",
        NodeKind::Int(_) | NodeKind::Float(_) => "a number",
        NodeKind::Text(_) => "a text",
        NodeKind::Bytes(_) => "binary data",
        NodeKind::Date(_) => "a date",
        NodeKind::Sequence(_) => "a list",
        NodeKind::Mapping(_) => "a map",
        NodeKind::Set(_) => "a set",
        NodeKind::Pairs(_) => "a list of pairs",
        NodeKind::Alias(_) => "an alias",
    }
}
