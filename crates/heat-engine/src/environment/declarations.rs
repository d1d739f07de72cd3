//! The parameters that the templates of a deployment declare, for merging and for reports.

use std::collections::HashMap;

use super::collect::{DeploymentFiles, FileContent};
use super::secret_parameters::SecretParameters;
use heat_template::dialect::{lower, unread_secrets};
use heat_template::ir::ParameterType;
use lossless_yaml::Document;
use source_diagnostics::{Diagnostic, Span};

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
    /// The spans of all values in declarations, by parameter.
    values: Vec<(String, Span)>,
    /// The spans of values that a later key of the same name replaces, and of those that aliases refer to.
    replaced: Vec<Span>,
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

impl ParameterDeclarations {
    /// The declarations of all files and of the root template, which comes last and has precedence.
    pub(super) fn of(
        files: &DeploymentFiles,
        root: Option<&Document>,
        findings: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut declarations = ParameterDeclarations::default();
        for file in files.iter() {
            match (&file.content, file.source) {
                (FileContent::Template(document), _) => {
                    declarations.template(document, findings);
                }
                // It may be a template that cannot be parsed.
                (FileContent::Text(text), Some(source)) => {
                    declarations.secrets.extend(unread_secrets(source, text));
                }
                (FileContent::Text(_), None) | (FileContent::Base64(_), _) => {}
            }
        }
        if let Some(document) = root {
            declarations.root = Some(declarations.template(document, findings));
        }
        declarations
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
                for (name, parameter) in &lowered.stack.parameters {
                    self.declare(name, parameter.kind, parameter.is_hidden());
                    let values = parameter.value_spans().map(|span| (name.clone(), span));
                    self.values.extend(values);
                    names.push(name.clone());
                }
            }
            Err(finding) => {
                self.secrets.extend(unread_secrets(document.source(), document.text()));
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
        let hidden = values.filter(|(name, _)| self.secrecy.is_hidden_from_outside(name));
        let replaced = self.replaced.iter().filter(|_| self.secrecy.hides_from_outside());
        self.secrets.iter().chain(hidden.map(|(_, span)| span)).chain(replaced).copied()
    }
}
