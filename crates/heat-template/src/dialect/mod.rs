//! Templates of any dialect: recognizing and lowering a document, and the facts about its dialect.
//!
//! This is the entry point for stages that do not depend on the dialect of a template. The answers are
//! those of `hot` and `cfn`.

mod candidate;
mod keys;
#[cfg(test)]
mod tests;

pub use candidate::read_candidate;
pub use keys::{DialectKey, KeyTable};

use std::collections::HashSet;

use crate::cfn::{self, CfnFormat};
pub use crate::hot::secret_spans;
use crate::hot::{self, CallContext, DocumentKind, FunctionMeaning, Version, VersionStyle};
use crate::ir::{self, ExprKind, Stack};
use lossless_yaml::{
    Document, MarkedBlock, Node, NodeId, NodeKind, scan_marked_blocks, scan_values_of,
};
use source_diagnostics::{Diagnostic, SourceId, Span, redacted};

/// A dialect with its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// A version of HOT.
    Hot(Version),
    /// One of Heat's CFN formats.
    Cfn(CfnFormat),
}

/// The declaration of the version key about a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecognizedTemplate {
    /// The dialect with its version.
    pub dialect: Dialect,
    /// How the version is declared, by date or by name.
    pub style: VersionStyle,
    /// The node of the version's value.
    pub node: NodeId,
}

/// A template lowered to the neutral model.
#[derive(Clone, Debug)]
pub struct LoweredTemplate {
    /// The dialect, and where the version is declared.
    pub template: RecognizedTemplate,
    /// The stack in the intermediate representation.
    pub stack: Stack,
    /// The findings of lowering.
    pub findings: Vec<Diagnostic>,
}

/// Recognizes the dialect of a document. The error is `NotATemplate`, or why Heat refuses the template for its
/// version.
pub fn recognize(document: &Document) -> Result<RecognizedTemplate, Box<Diagnostic>> {
    match hot::recognize(document) {
        DocumentKind::Hot { version, style, node } => {
            Ok(RecognizedTemplate { dialect: Dialect::Hot(version), style, node })
        }
        DocumentKind::Cfn { key, node, .. } => {
            let date = document.str(node).unwrap_or_default();
            let known = CfnFormat::of_date(date).filter(|format| format.key() == key);
            match known {
                Some(format) => {
                    let style = VersionStyle::Date;
                    Ok(RecognizedTemplate { dialect: Dialect::Cfn(format), style, node })
                }
                None => {
                    let message = format!("`{key}` has no version of this date in Heat");
                    let finding = Diagnostic::new(crate::codes::UNKNOWN_VERSION, message);
                    let format = CfnFormat::ALL.into_iter().find(|format| format.key() == key);
                    let finding = finding.at(document.span(node));
                    Err(Box::new(match format {
                        Some(format) => {
                            finding.help(format!("the only version is `{}`", format.date()))
                        }
                        None => finding,
                    }))
                }
            }
        }
        DocumentKind::Other(finding) | DocumentKind::Invalid(finding) => Err(finding),
    }
}

/// Lowers a document to the neutral model. The error is that of [`recognize`].
pub fn lower(document: &Document) -> Result<LoweredTemplate, Box<Diagnostic>> {
    Ok(lower_recognized(document, recognize(document)?))
}

fn lower_recognized(document: &Document, template: RecognizedTemplate) -> LoweredTemplate {
    let (mut stack, mut findings) = match template.dialect {
        Dialect::Hot(version) => {
            let lowered = hot::lower(document, version, template.node);
            (lowered.stack, lowered.findings)
        }
        Dialect::Cfn(format) => {
            let lowered = cfn::lower(document, format, template.node);
            (lowered.stack, lowered.findings)
        }
    };
    findings.extend(long_paths(document, &stack));
    hide_aliases(document, &mut stack);
    LoweredTemplate { template, stack, findings }
}

/// Hides what aliases read from the defaults of hidden parameters: other parameters and expressions.
fn hide_aliases(document: &Document, stack: &mut Stack) {
    let nodes = (0..).map(NodeId).take(document.nodes().len());
    let aliases: Vec<NodeId> = nodes.filter(|id| document.resolve(*id) != *id).collect();
    if aliases.is_empty() {
        return;
    }
    let hidden = |it: &&ir::Parameter| it.is_hidden();
    let mut secrets = HashSet::new();
    for default in stack.parameters.values().filter(hidden).filter_map(|it| it.default.as_ref()) {
        default.walk(&mut |part| {
            secrets.insert(part.span);
        });
    }
    // An expression is at the place of the alias, its parts at theirs.
    let targets = |id: &NodeId| (document.span(*id), document.span(document.resolve(*id)));
    let places: Vec<(Span, Span)> = aliases.iter().map(targets).collect();
    // A hidden default may be an alias itself, and others may read the same.
    for (alias, target) in &places {
        secrets.extend(secrets.contains(alias).then_some(*target));
    }
    for (alias, target) in &places {
        secrets.extend(secrets.contains(target).then_some(*alias));
    }
    for parameter in stack.parameters.values_mut().filter(|it| !it.is_hidden()) {
        let mut is_secret = false;
        if let Some(default) = &parameter.default {
            default.walk(&mut |part| is_secret |= secrets.contains(&part.span));
        }
        parameter.is_hidden_elsewhere = is_secret;
    }
    stack.given_secrets.extend(secrets.into_iter().map(|span| (span, ir::GivenSecret::Value)));
}

/// Findings about references whose paths are longer than any value can be deep. In most targets each step of a path
/// nests one more function call.
fn long_paths(document: &Document, stack: &Stack) -> Vec<Diagnostic> {
    let deepest = document.limits().depth;
    let is_long =
        |node: &Node| matches!(&node.kind, NodeKind::Sequence(items) if items.len() > deepest);
    if !document.nodes().iter().any(is_long) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for expr in stack.expressions() {
        expr.walk(&mut |part| {
            let steps = match &part.kind {
                ExprKind::Parameter(parameter) => parameter.path.len(),
                ExprKind::Attribute(attribute) => attribute.path.len(),
                _ => 0,
            };
            if steps > deepest {
                let message =
                    format!("a path of {steps} steps into a value, and no value is so deep");
                let finding =
                    Diagnostic::new(lossless_yaml::codes::NESTING_TOO_DEEP, message).at(part.span);
                findings.push(finding.help(format!("`--max-depth` raises the limit of {deepest}")));
            }
        });
    }
    findings
}

impl LoweredTemplate {
    /// The version as the template declares it.
    pub fn declaration(&self) -> &'static str {
        self.template.declaration()
    }

    /// The spans of values that reports must not show.
    pub fn secrets(&self, document: &Document) -> Vec<Span> {
        secret_spans(document, &self.stack.secret_spans().collect::<Vec<_>>())
    }

    /// The spans of values in declarations that a later key of the same name replaces, and of those that aliases refer to.
    pub fn replaced_values(&self, document: &Document) -> Vec<Span> {
        let values = self.stack.parameters.values().flat_map(ir::Parameter::value_spans);
        let values: Vec<Span> = values.collect();
        let mut places = secret_spans(document, &values);
        let known: std::collections::HashSet<&Span> = values.iter().collect();
        places.retain(|place| !known.contains(place));
        places
    }

    /// A warning for each default of a hidden parameter, for output that replaces the template.
    pub fn hidden_defaults(&self) -> impl Iterator<Item = Diagnostic> {
        hot::hidden_defaults(&self.stack)
    }
}

impl RecognizedTemplate {
    /// The version as the template declares it.
    pub fn declaration(&self) -> &'static str {
        match self.dialect {
            Dialect::Hot(version) => version.declaration(self.style),
            Dialect::Cfn(format) => format.date(),
        }
    }
}

/// The spans of values that reports must not show: the defaults of hidden parameters; every default if
/// the document is not recognized as a template.
pub fn secrets(document: &Document) -> Vec<Span> {
    match recognize(document) {
        Ok(_) if !may_hide(document) => Vec::new(),
        Ok(template) => lower_recognized(document, template).secrets(document),
        Err(_) => unread_secrets(document.source(), document.text()),
    }
}

/// Whether a template may have a hidden parameter: a key of that name in either dialect, or keys that occur
/// twice, of which the document has only one.
fn may_hide(document: &Document) -> bool {
    let names = ["hidden", <CfnFormat as hot::LoweringDialect>::key_name("hidden")];
    let is_duplicate = |finding: &Diagnostic| finding.code == lossless_yaml::codes::DUPLICATE_KEY;
    document.findings().iter().any(is_duplicate)
        || document.nodes().iter().any(|node| match &node.kind {
            NodeKind::Text(text) => names.contains(&document.text_value(text)),
            _ => false,
        })
}

/// The findings of reading a template. Values that reports must not show are not quoted.
pub fn reading_findings(document: &Document) -> Vec<Diagnostic> {
    let found = document.findings();
    let secrets = if found.is_empty() { Vec::new() } else { secrets(document) };
    redacted(found, &secrets)
}

/// The keys that hide a parameter, or that may contain one.
const HIDING: [&str; 3] = ["hidden", "NoEcho", "<<"];
/// The keys of a declaration whose values a hidden parameter may have.
const VALUES: [&str; 6] =
    ["default", "Default", "allowed_values", "AllowedValues", "allowed_pattern", "AllowedPattern"];

/// The spans of values that reports must not show, as far as they can be found in a template that cannot be parsed and
/// whose nested templates are unknown: hidden values, and all that is given to nested templates.
pub fn unread_secrets(source: SourceId, text: &str) -> Vec<Span> {
    let mut spans = unread_hidden_values(source, text);
    let is_nested = |kind: &str| {
        let kind = kind.trim_matches(|c: char| c.is_whitespace() || "\"'{}[],".contains(c));
        let is_file = kind.ends_with(".yaml") || kind.ends_with(".template");
        let is_plugin = kind.starts_with("OS::") || kind.starts_with("AWS::");
        is_file || kind.contains("::") && !is_plugin || kind == "OS::Heat::Stack"
    };
    let types = scan_marked_blocks(text, &["type", "Type"]).into_iter();
    let nested = types.filter(|block| text[block.range.clone()].split_whitespace().any(is_nested));
    add_values_in(nested, source, text, &["properties", "Properties", "parameters"], &mut spans);
    spans
}

/// The spans of hidden values, as far as they can be found in a template that cannot be parsed: in each declaration that
/// may hide its parameter.
pub fn unread_hidden_values(source: SourceId, text: &str) -> Vec<Span> {
    // Lines with a percent sign in the first column may belong to any value.
    let mut spans = scan_values_of(source, text, &[]);
    let hiding = scan_marked_blocks(text, &HIDING).into_iter();
    add_values_in(hiding, source, text, &VALUES, &mut spans);
    spans
}

/// Adds the values of keys in blocks of a text.
fn add_values_in<'t>(
    blocks: impl Iterator<Item = MarkedBlock<'t>>,
    source: SourceId,
    text: &'t str,
    keys: &[&str],
    spans: &mut Vec<Span>,
) {
    for block in blocks {
        let start = u32::try_from(block.range.start).unwrap_or(u32::MAX);
        let inside = scan_values_of(source, &text[block.range], keys);
        let moved = |it: Span| Span { start: it.start + start, end: it.end + start, ..it };
        spans.extend(inside.into_iter().map(moved));
    }
}

/// The names of parameters that a template that cannot be parsed may hide.
pub fn unread_hidden_names(text: &str) -> impl Iterator<Item = &str> {
    let names = scan_marked_blocks(text, &HIDING).into_iter().flat_map(|block| block.names);
    let is_key = |name: &str| {
        matches!(name, "parameters" | "Parameters" | "constraints") || VALUES.contains(&name)
    };
    names.filter(move |name| !is_key(name))
}

impl Dialect {
    /// The dialect that a stack was read from.
    pub fn of(format: &ir::TemplateFormat) -> Dialect {
        if let Some(format) = CfnFormat::of_date(format.version).filter(|_| format.dialect == "cfn")
        {
            return Dialect::Cfn(format);
        }
        let declared = Version::from_declaration(format.version);
        Dialect::Hot(declared.map_or(Version::LATEST, |(version, _)| version))
    }

    /// The key that declares the version.
    pub fn version_key(self) -> &'static str {
        match self {
            Dialect::Hot(_) => "heat_template_version",
            Dialect::Cfn(format) => format.key(),
        }
    }

    /// The date of the version.
    pub fn date(self) -> &'static str {
        match self {
            Dialect::Hot(version) => version.date(),
            Dialect::Cfn(format) => format.date(),
        }
    }

    /// The version of HOT, if it is HOT.
    pub fn hot(self) -> Option<Version> {
        match self {
            Dialect::Hot(version) => Some(version),
            Dialect::Cfn(_) => None,
        }
    }

    /// The meaning of a map with the single key `name` at `place`, as far as HOT has a function of that
    /// meaning; `None` if it is data, or has a meaning that HOT lacks.
    pub fn meaning(self, name: &str, place: CallContext) -> Option<FunctionMeaning> {
        match self {
            Dialect::Hot(version) => hot::meaning(name, version, place),
            Dialect::Cfn(format) => match cfn::cfn_function(name)?.meaning(format, place)? {
                cfn::CfnMeaning::Shared(meaning) => Some(meaning),
                cfn::CfnMeaning::Parameter => Some(FunctionMeaning::Parameter),
                cfn::CfnMeaning::Attribute
                | cfn::CfnMeaning::Lookup
                | cfn::CfnMeaning::Not
                | cfn::CfnMeaning::Sub
                | cfn::CfnMeaning::ConditionName
                | cfn::CfnMeaning::NotInHeat => None,
            },
        }
    }

    /// Whether the dialect has conditions.
    pub fn has_conditions(self) -> bool {
        match self {
            Dialect::Hot(version) => version >= Version::V2016_10_14,
            Dialect::Cfn(format) => format.has_conditions(),
        }
    }

    /// The name in this dialect of a HOT key such as `resources`, `type`, `value`.
    pub fn key_name(self, key: &'static str) -> &'static str {
        match (self, key) {
            (Dialect::Hot(_), key) => key,
            (Dialect::Cfn(_), "conditions") => "Conditions",
            (Dialect::Cfn(_), "resources") => "Resources",
            (Dialect::Cfn(_), "outputs") => "Outputs",
            (Dialect::Cfn(_), "parameters") => "Parameters",
            (Dialect::Cfn(_), "type") => "Type",
            (Dialect::Cfn(_), key) => key,
        }
    }

    /// Whether Heat accepts a section of this name.
    pub fn is_section(self, name: &str) -> bool {
        match self {
            Dialect::Hot(version) => hot::is_section(name, version),
            Dialect::Cfn(format) => cfn::is_section(name, format),
        }
    }

    /// Whether Heat accepts this key in a resource; true for any key where Heat ignores unknown ones.
    pub fn accepts_resource_key(self, name: &str) -> bool {
        match self {
            Dialect::Hot(version) => hot::is_resource_key(name, version),
            Dialect::Cfn(_) => true,
        }
    }

    /// Whether some version of the dialect has this resource key.
    pub fn is_resource_key_in_any_version(self, name: &str) -> bool {
        match self {
            Dialect::Hot(_) => hot::is_resource_key(name, Version::LATEST),
            Dialect::Cfn(_) => cfn::is_resource_key(name, CfnFormat::Aws),
        }
    }

    /// Whether Heat uses this resource key instead of ignoring it.
    pub fn uses_resource_key(self, name: &str) -> bool {
        match self {
            Dialect::Hot(version) => hot::is_resource_key(name, version),
            Dialect::Cfn(format) => cfn::is_resource_key(name, format),
        }
    }

    /// Whether Heat accepts this key in a parameter.
    pub fn is_parameter_key(self, name: &str) -> bool {
        match self {
            Dialect::Hot(version) => hot::parameter_key_is_known(name, version),
            Dialect::Cfn(_) => cfn::is_parameter_key(name),
        }
    }

    /// The canonical name of a deletion policy written like this.
    pub fn deletion_policy(self, spelled: &str) -> Option<&'static str> {
        match self {
            Dialect::Hot(version) => hot::deletion_policy(spelled, version),
            // The oldest version of HOT has the same spellings.
            Dialect::Cfn(_) => hot::deletion_policy(spelled, Version::V2013_05_23),
        }
    }
}

impl std::fmt::Display for Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Dialect::Hot(version) => version.fmt(f),
            Dialect::Cfn(format) => format.fmt(f),
        }
    }
}
