//! The parameters that the templates of a deployment declare, for merging and for reports.

use std::collections::{HashMap, HashSet};

use super::collect::{DeploymentFiles, FileContent};
use super::given_values::{GivenValue, MappedTypes};
use super::read::EnvironmentFile;
use super::registry::is_template_name;
use super::secret_parameters::SecretParameters;
use super::sections;
use super::tree::EnvironmentNode;
use heat_template::dialect::{
    LoweredTemplate, lower, secret_spans, unread_hidden_names, unread_hidden_values, unread_secrets,
};
use heat_template::ir::{GivenSecret, ParameterType, Stack};
use lossless_yaml::{Document, Limits, NodeId, as_sent, read, scan_values_of};
use source_diagnostics::{Diagnostic, SourceId, Span};

/// The declaration of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclaredType {
    /// A template declares it with this type.
    Type(ParameterType),
    /// No template declares it.
    Undeclared,
    /// Unknown, since there is no template.
    NoTemplate,
}

/// The types of all parameters of a deployment: in its template and in every template among its
/// files.
pub trait ParameterTypes {
    /// The declaration of a parameter.
    fn declared(&self, name: &str) -> DeclaredType;
}

/// The parameter declarations of the templates of a deployment.
#[derive(Clone, Debug, Default)]
pub struct ParameterDeclarations {
    parameters: HashMap<String, ParameterType>,
    /// The parameter names of the root template; `None` without one.
    root: Option<Vec<String>>,
    /// The parameters whose values reports must not show.
    pub(super) secrecy: SecretParameters,
    /// The spans of values in templates that reports must not show.
    secrets: Vec<Span>,
    values: Vec<(String, Span)>,
    /// The spans of values that a later key of the same name replaces, and of those that aliases refer to.
    replaced: Vec<Span>,
    mapped_types: MappedTypes,
    /// The values that templates give to nested ones.
    given: Vec<GivenValue>,
    /// How many of these are secret for the templates of this deployment alone.
    secret_given: usize,
    /// The spans of values that aliases in these refer to, and that a later key replaces.
    secret_elsewhere: Vec<Span>,
    /// The same of the other values.
    given_elsewhere: Vec<Span>,
    /// The texts in templates that are templates with hidden values.
    pub(super) inline: Vec<Span>,
}

/// The keys that declare the version of a template.
const VERSION_KEYS: [&str; 3] =
    ["heat_template_version", "HeatTemplateFormatVersion", "AWSTemplateFormatVersion"];

/// All that declares parameters or hides them.
pub(super) struct DeclarationInputs<'d> {
    pub(super) files: &'d DeploymentFiles,
    pub(super) root: Option<&'d Document>,
    /// The text of the root template if it cannot be parsed.
    pub(super) broken: Option<(SourceId, &'d str)>,
    pub(super) named: &'d [EnvironmentFile],
    /// The texts of those that cannot be parsed.
    pub(super) unread: Vec<&'d str>,
}

impl ParameterTypes for ParameterDeclarations {
    fn declared(&self, name: &str) -> DeclaredType {
        match (self.parameters.get(name), &self.root) {
            (Some(kind), _) => DeclaredType::Type(*kind),
            (None, Some(_)) => DeclaredType::Undeclared,
            (None, None) => DeclaredType::NoTemplate,
        }
    }
}

impl DeclarationInputs<'_> {
    /// The declarations of all files and of the root template, which comes last and has precedence.
    pub(super) fn read(
        self,
        encrypts_unread: bool,
        findings: &mut Vec<Diagnostic>,
    ) -> ParameterDeclarations {
        let mut declarations = ParameterDeclarations::default();
        for file in self.named {
            declarations.secrecy.encrypt(&file.sections);
            let registry = file.sections.get(sections::REGISTRY).and_then(EnvironmentNode::as_map);
            registry.into_iter().for_each(|registry| declarations.mapped_types.add(registry));
            // The text of a parameter may be the template of a stack.
            let values = [sections::PARAMETERS, sections::DEFAULTS].into_iter();
            let values = values.filter_map(|name| file.sections.get(name)?.as_map());
            let texts = values.flat_map(|map| map.values()).filter_map(EnvironmentNode::as_text);
            for text in texts.filter(|text| VERSION_KEYS.iter().any(|key| text.contains(key))) {
                for name in unread_hidden_names(&text) {
                    declarations.secrecy.declare(name, true);
                }
            }
        }
        self.unread.iter().for_each(|text| declarations.mapped_types.add_unread(text));
        declarations.secrecy.encrypt_unread(encrypts_unread);
        if self.files.unread().any(|(location, _)| is_template_name(location.url())) {
            declarations.secrecy.add_missing_template();
        }
        let mut givers: Vec<(&Document, usize)> = Vec::new();
        let mut unread: Vec<(SourceId, &str)> = self.broken.into_iter().collect();
        for file in self.files.iter() {
            match (&file.content, file.source) {
                (FileContent::Template(document), _) => {
                    declarations.template(document, findings);
                    givers.push((document, declarations.given.len()));
                }
                // It may be a template that cannot be parsed.
                (FileContent::Text(text), Some(source)) => {
                    if is_template_name(file.location.url()) {
                        declarations.secrecy.add_unread_template();
                    }
                    unread.push((source, text));
                }
                (FileContent::Text(_), None) | (FileContent::Base64(_), _) => {}
            }
        }
        for file in self.files.unsent() {
            if let FileContent::Template(document) = &file.content {
                let types = declarations.parameters.clone();
                declarations.template(document, &mut Vec::new());
                declarations.parameters = types;
                givers.push((document, declarations.given.len()));
            }
        }
        if let Some(document) = self.root {
            declarations.root = Some(declarations.template(document, findings));
            givers.push((document, declarations.given.len()));
        }
        for name in unread.iter().flat_map(|(_, text)| unread_hidden_names(text)) {
            declarations.secrecy.declare(name, true);
        }
        declarations.pass_on();
        let hidden: Vec<String> = declarations.secrecy.hidden().map(str::to_owned).collect();
        let hidden: Vec<&str> = hidden.iter().map(String::as_str).collect();
        for (source, text) in unread {
            declarations.secrets.extend(unread_hidden_values(source, text));
            declarations.secrets.extend(scan_values_of(source, text, &hidden));
        }
        let mut start = 0;
        for (document, end) in givers {
            let given = declarations.given[start..end].iter();
            let (secret, public): (Vec<_>, Vec<_>) =
                given.partition(|it| declarations.is_secret(it));
            declarations.secret_given += secret.len();
            let literals = |given: &[&GivenValue]| -> Vec<Span> {
                given.iter().flat_map(|it| &it.literals).copied().collect()
            };
            let (secret, public) = (literals(&secret), literals(&public));
            for (own, elsewhere) in [
                (secret, &mut declarations.secret_elsewhere),
                (public, &mut declarations.given_elsewhere),
            ] {
                if !own.is_empty() {
                    let places = secret_spans(document, &own);
                    let own: HashSet<Span> = own.into_iter().collect();
                    let nodes = (0..).map(NodeId).take(document.nodes().len());
                    let named = nodes.filter(|id| own.contains(&document.span(*id)));
                    // Expressions are found by the spans of the values alone, without anchors.
                    let targets = named.map(|id| document.span(document.resolve(id)));
                    let places = places.into_iter().chain(targets);
                    elsewhere.extend(places.filter(|it| !own.contains(it)));
                }
            }
            start = end;
        }
        declarations
    }
}

impl ParameterDeclarations {
    fn is_secret(&self, given: &GivenValue) -> bool {
        self.secrecy.is_given_secret(given.parameter.as_deref())
    }

    /// Hides the parameters whose whole value is given to hidden ones.
    pub(super) fn pass_on(&mut self) {
        let mut passing: Vec<&GivenValue> =
            self.given.iter().filter(|it| it.passed.is_some()).collect();
        loop {
            let before = passing.len();
            passing.retain(|it| {
                let is_secret = self.secrecy.is_passed_secret(it.parameter.as_deref());
                if let Some(name) = it.passed.as_deref().filter(|_| is_secret) {
                    self.secrecy.pass(name);
                }
                !is_secret
            });
            if passing.len() == before {
                return;
            }
        }
    }

    /// Marks the parameters and the values of a template that are secret although the template does not say so.
    pub(super) fn hide(&self, stack: &mut Stack) {
        self.secrecy.hide(stack);
        for given in self.mapped_types.given(stack).iter().filter(|given| self.is_secret(given)) {
            let spans = given.literals.iter().chain(&given.computed);
            stack.given_secrets.extend(spans.map(|span| (*span, GivenSecret::Value)));
        }
        // The text that an alias refers to is the same, wherever it stands.
        stack.given_secrets.extend(self.elsewhere().map(|span| (*span, GivenSecret::Value)));
        let inline = self.inline.iter().map(|span| (*span, GivenSecret::Template));
        stack.given_secrets.extend(inline);
    }

    /// Reads the templates that are texts in another one.
    fn inline_templates(&mut self, document: &Document, lowered: &LoweredTemplate) {
        let stacks = self.mapped_types.inline_templates(&lowered.stack);
        for texts in stacks.iter().filter(|texts| texts.len() > 1) {
            // Only together they are a template.
            for separator in ["", "\n"] {
                let text: Vec<&str> = texts.iter().map(|(text, _)| *text).collect();
                for name in unread_hidden_names(&text.join(separator)) {
                    self.secrecy.declare(name, true);
                }
            }
        }
        for (text, span) in stacks.into_iter().flatten() {
            let inner = read(SourceId(u32::MAX), as_sent(text).into(), &Limits::default());
            let inner = inner.ok().and_then(|inner| lower(&inner).ok());
            let parameters = inner.iter().flat_map(|inner| &inner.stack.parameters);
            let mut is_hiding = inner.is_none() && text.contains("hidden");
            for (name, parameter) in parameters {
                self.secrecy.declare(name, parameter.is_hidden());
                is_hiding |= parameter.is_hidden() && parameter.value_spans().next().is_some();
            }
            if is_hiding {
                self.inline.push(span);
                let start = span.start;
                let inside = unread_hidden_values(span.source, document.slice(span));
                let moved = |it: Span| Span { start: it.start + start, end: it.end + start, ..it };
                self.secrets.extend(inside.into_iter().map(moved));
            }
        }
    }

    fn template(&mut self, document: &Document, findings: &mut Vec<Diagnostic>) -> Vec<String> {
        let mut names = Vec::new();
        match lower(document) {
            Ok(lowered) => {
                let key = lowered.template.dialect.key_name("parameters");
                let section = document.root().and_then(|root| document.get(root, key));
                let section = section.map(|section| document.span(section));
                let inside = |finding: &&Diagnostic| match (section, finding.span()) {
                    (Some(section), Some(span)) => finding.is_error() && section.contains(span),
                    _ => false,
                };
                // Errors elsewhere in a template are not reported for environments.
                findings.extend(lowered.findings.iter().filter(inside).cloned());
                self.secrets.extend(lowered.secrets(document));
                self.replaced.extend(lowered.replaced_values(document));
                self.given.extend(self.mapped_types.given(&lowered.stack));
                self.inline_templates(document, &lowered);
                for (name, parameter) in &lowered.stack.parameters {
                    self.declare(name, parameter.kind, parameter.is_hidden());
                    let values = parameter.value_spans().map(|span| (name.clone(), span));
                    self.values.extend(values);
                    names.push(name.clone());
                }
            }
            Err(finding) => {
                self.secrets.extend(unread_secrets(document.source(), document.text()));
                self.secrecy.add_unread_template();
                findings.push(*finding);
            }
        }
        names
    }

    fn declare(&mut self, name: &str, kind: Option<ParameterType>, hidden: bool) {
        // A parameter without a type is an error in its template; treat it as text.
        let kind = kind.unwrap_or(ParameterType::Text);
        self.parameters.insert(name.to_owned(), kind);
        self.secrecy.declare(name, hidden);
    }

    /// The parameters of the root template; `None` without one.
    pub fn of_root(&self) -> Option<&[String]> {
        self.root.as_deref()
    }

    /// The spans of values in templates that reports must not show.
    pub(super) fn secrets(&self) -> impl Iterator<Item = Span> {
        let values = self.values.iter();
        let hidden = values.filter(|(name, _)| self.secrecy.is_hidden(name));
        let replaced = self.replaced.iter().filter(|_| self.secrecy.hides_from_outside());
        let given = self.given.iter().filter(|given| self.is_secret(given));
        let given = given.flat_map(|given| &given.literals);
        let hidden = hidden.map(|(_, span)| span);
        let values = self.secrets.iter().chain(hidden).chain(replaced).chain(given);
        values.chain(self.elsewhere()).copied()
    }

    /// The spans of secret values that aliases in given ones refer to, and that a later key replaces.
    fn elsewhere(&self) -> impl Iterator<Item = &Span> {
        // The other side of a comparison may hide more.
        let secret = || self.given.iter().filter(|given| self.is_secret(given)).count();
        let is_more = !self.given_elsewhere.is_empty() && secret() > self.secret_given;
        let more = self.given_elsewhere.iter().filter(move |_| is_more);
        self.secret_elsewhere.iter().chain(more)
    }
}
