//! Upgrades from one version of HOT to another: changes only the bytes that have to change, with a
//! proof that the template keeps its meaning.
//!
//! Each rewrite is a [`Rule`] in a file of its own under `rules/`. A change of version touches only
//! the parts whose meaning differs in the target version: the engine finds these sites, the rules decide what
//! to do with them, `render` turns that into bytes, and `proof` checks the result.

#![forbid(unsafe_code)]

pub mod codes;
mod comments;
mod document_changes;
mod dropped_spans;
mod end_of_file;
mod engine;
mod environment;
mod fragment;
mod invalid;
mod jinja;
mod layout;
mod modernize;
mod proof;
mod render;
mod repository;
mod rounds;
mod rule;
mod rules;
mod sites;
mod status;
mod strip_capabilities;
mod value;

pub use document_changes::{DocumentChange, changed_text, edits as document_edits};
pub use modernize::{Modernize, mapped_types};
pub use repository::{FileUpgrade, UpgradeAction, upgrade_files};
pub use rule::{RewriteEffect, Rule};
pub use rules::{RULES, rule};
pub use status::Status;

use end_of_file::last_block_scalar;
use engine::{UpgradeEngine, how_to_check_condition};

use heat_engine::environment::sections::is_environment;
use heat_template::dialect::reading_findings;
use heat_template::hot::{
    CAPABILITIES, DocumentKind, LoweredHot, Version, VersionStyle, lower_as, recognize,
    secret_spans,
};
use heat_template::ir::Stack;
use heat_template::schema::Schema;
use lossless_yaml::{Document, Edits, Limits, as_sent, read};
use source_diagnostics::{Diagnostic, Span};

/// The options of an upgrade.
#[derive(Clone, Debug)]
pub struct UpgradeOptions {
    /// The resource types of the release of Heat.
    pub schema: &'static Schema,
    /// The target version.
    pub to: Version,
    /// How to write the version, by date or by name; `None` for the style of the file.
    pub style: Option<VersionStyle>,
    /// Reject rewrites that keep the value only under a condition.
    pub exact_only: bool,
    /// Remove the section `capabilities`, which Heat does not know.
    pub strip_capabilities: bool,
    /// Keep the version that a template declares; `to` does not count then.
    pub keep_version: bool,
    /// Also rewrite what the release of Heat deprecates or hides.
    pub modernize: Option<Modernize>,
    /// The names of the rules to apply; empty for all.
    pub select: Vec<&'static str>,
    /// The names of the rules not to apply.
    pub ignore: Vec<&'static str>,
}

impl UpgradeOptions {
    /// The default options for a release of Heat: every rule, to version `to`.
    pub fn new(schema: &'static Schema, to: Version) -> Self {
        UpgradeOptions {
            schema,
            to,
            style: None,
            exact_only: false,
            strip_capabilities: false,
            keep_version: false,
            modernize: None,
            select: Vec::new(),
            ignore: Vec::new(),
        }
    }

    fn allows(&self, rule: &str) -> bool {
        (self.select.is_empty() || self.select.contains(&rule)) && !self.ignore.contains(&rule)
    }
}

/// A rewrite that was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedRewrite {
    /// The name of its rule.
    pub rule: &'static str,
    /// The bytes of the old text that it replaces.
    pub span: Span,
    /// The old bytes at `span`.
    pub old: String,
    /// The new text; the same as `old` if only the meaning changes.
    pub new: String,
    /// The effect on the value.
    pub effect: RewriteEffect,
    /// The resource that gets another type.
    pub resource: Option<String>,
    /// What an update of a running stack does then, if both texts were compared.
    pub update: Option<ResourceUpdate>,
}

/// What an update of a running stack does to a resource, and because of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceUpdate {
    /// The name of the resource.
    pub resource: String,
    /// The word of `diff` for it.
    pub impact: &'static str,
    /// The full names of the resources that change because of it.
    pub others: Vec<String>,
    /// The same in words, without a full stop.
    pub sentence: String,
}

impl AppliedRewrite {
    /// The finding about a rewrite that keeps the value under a condition, if its rule
    /// has no finding of its own.
    fn condition(&self) -> Option<Diagnostic> {
        let RewriteEffect::Conditional(condition) = &self.effect else { return None };
        if self.rule == rules::READ_AS_RULE.name {
            return None;
        }
        let message = format!("the same only if {condition}");
        let finding = Diagnostic::new(crate::codes::UPGRADE_CONDITIONAL, message);
        let finding = finding.labeled(self.span, format!("rule `{}`", self.rule));
        Some(finding.help(how_to_check_condition(self.rule)))
    }
}

/// The reason why a file is not upgraded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpgradeBlocker {
    /// The name of the rule that found no rewrite.
    pub rule: &'static str,
    /// The finding with the span, the reason and a suggestion.
    pub finding: Diagnostic,
}

/// The result of the upgrade of one file.
#[derive(Clone, Debug)]
pub struct Upgrade {
    /// The declared version, if it is a HOT template.
    pub from: Option<Version>,
    /// The version to upgrade or downgrade to.
    pub to: Version,
    /// Whether the file could be upgraded, and with which kinds of rewrites.
    pub status: Status,
    /// The new text, if there is one.
    pub text: Option<String>,
    /// The rewrites, in the order of the text; if the file is blocked, those that would have been applied.
    pub rewrites: Vec<AppliedRewrite>,
    /// The blockers, in the order of the text.
    pub blockers: Vec<UpgradeBlocker>,
    /// The findings other than rewrites and blockers.
    pub findings: Vec<Diagnostic>,
    /// The spans of the old text that reports must not show: defaults of hidden parameters.
    pub secrets: Vec<Span>,
    /// The same in the new text.
    pub new_secrets: Vec<Span>,
    /// The edits that turn the old text into the new one.
    edits: Edits,
}

impl Upgrade {
    /// The edits that turn the old text into the new one.
    pub fn edits(&self) -> &Edits {
        &self.edits
    }
}

/// Upgrades (or downgrades) a template. With [`UpgradeOptions::modernize`], an environment gets new names of types in its registry.
///
/// `limits` apply to reading the new text. A new text is returned only if it is proved to have the meaning of
/// the old one.
pub fn upgrade(document: &Document, options: &UpgradeOptions, limits: &Limits) -> Upgrade {
    upgrade_hiding(document, options, limits, &|_| {})
}

/// Upgrades a template. `hide` marks what is secret in it although the template does not say so.
fn upgrade_hiding(
    document: &Document,
    options: &UpgradeOptions,
    limits: &Limits,
    hide: &dyn Fn(&mut Stack),
) -> Upgrade {
    upgrade_part(document, TemplateExtent::Whole(hide), options, limits)
}

/// How much of a template a document shows.
#[derive(Clone, Copy)]
enum TemplateExtent<'h> {
    /// All of it; the function marks what is secret in it although the template does not say so.
    Whole(&'h dyn Fn(&mut Stack)),
    /// A view of a Jinja2 template: what it refers to may be declared in what is masked.
    View,
}

fn upgrade_part(
    document: &Document,
    extent: TemplateExtent<'_>,
    options: &UpgradeOptions,
    limits: &Limits,
) -> Upgrade {
    // Heat's client strips the text, so a block scalar at the end loses its line end.
    let sent = as_sent(document.text());
    if let Some(stripped) = document.text().get(sent.len()..)
        && !stripped.is_empty()
        && last_block_scalar(document, sent.len()).is_some()
        && let Ok(as_sent) = read(document.source(), sent.into(), limits)
    {
        let mut result = upgrade_as_sent(&as_sent, extent, options, limits);
        if let Some(text) = &mut result.text {
            text.push_str(stripped);
        }
        return result;
    }
    upgrade_as_sent(document, extent, options, limits)
}

fn upgrade_as_sent(
    document: &Document,
    extent: TemplateExtent<'_>,
    options: &UpgradeOptions,
    limits: &Limits,
) -> Upgrade {
    let result = upgrade_once(document, extent, options, limits);
    // A version is upgraded in one round, and places are those of the first text.
    match &options.modernize {
        Some(modernize) if modernize.places.is_none() => {
            let limits = Limits { bytes: usize::MAX, ..*limits };
            let again = |text: &Document| upgrade_once(text, extent, options, &limits);
            rounds::to_fixed_point(document, &limits, result, again)
        }
        _ => result,
    }
}

fn upgrade_once(
    document: &Document,
    extent: TemplateExtent<'_>,
    options: &UpgradeOptions,
    limits: &Limits,
) -> Upgrade {
    let mut result = Upgrade {
        from: None,
        to: options.to,
        status: Status::Unchanged,
        text: None,
        rewrites: Vec::new(),
        blockers: Vec::new(),
        findings: reading_findings(document),
        secrets: Vec::new(),
        new_secrets: Vec::new(),
        edits: Edits::new(),
    };
    let kind = recognize(document);
    if let (DocumentKind::Other(_), Some(modernize)) = (&kind, &options.modernize)
        && is_environment(document)
    {
        environment::upgrade(document, options, modernize, limits, &mut result);
        return result;
    }
    let (from, style, node) = match kind {
        DocumentKind::Hot { version, style, node } => (version, style, node),
        DocumentKind::Cfn { key, span, .. } => {
            result.status = Status::Skipped;
            let message = format!("`{key}` marks a CFN template, which is not upgraded");
            let finding = Diagnostic::new(heat_template::codes::CFN_TEMPLATE, message).at(span);
            result
                .findings
                .push(finding.help("`hotplate render --target hot FILE` converts it to HOT"));
            return result;
        }
        DocumentKind::Other(finding) => {
            result.status = Status::Skipped;
            result.findings.push(*finding);
            return result;
        }
        DocumentKind::Invalid(finding) => {
            let is_read = finding.code != lossless_yaml::codes::RECURSIVE_ALIAS;
            result.status = if is_read { Status::Invalid } else { Status::Unreadable };
            if !result.findings.contains(&finding) {
                result.findings.push(*finding);
            }
            return result;
        }
    };
    result.from = Some(from);
    let kept;
    let options = if options.keep_version {
        kept = UpgradeOptions { to: from, ..options.clone() };
        result.to = from;
        &kept
    } else {
        options
    };
    let declaration = options.to.declaration(options.style.unwrap_or(style));
    let strips = options.strip_capabilities
        && document.root().is_some_and(|root| document.get(root, CAPABILITIES).is_some());
    let lowered = lower_as(document, from, node, options.to, options.schema);
    let lowered = invalid::with_consequences(lowered, options.schema);
    result.secrets = secrets(document, &lowered);
    let refused = invalid::persistent_errors(document, &lowered, (from, node), options);
    let refused = refused.or_else(|| match extent {
        TemplateExtent::Whole(hide) => invalid::errors_of_names(&lowered, from, options, hide),
        TemplateExtent::View => None,
    });
    if let Some(refused) = refused {
        result.status = Status::Invalid;
        result.findings.extend(refused);
        return result;
    }
    if document.str(node) == Some(declaration) && !strips && options.modernize.is_none() {
        return result;
    }
    UpgradeEngine { document, options, limits, from, node }.run(declaration, &lowered, &mut result);
    result
}

/// The spans of values that reports must not show.
fn secrets(document: &Document, lowered: &LoweredHot) -> Vec<Span> {
    secret_spans(document, &lowered.stack.secret_spans().collect::<Vec<_>>())
}
