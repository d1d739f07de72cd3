//! The parameters that the templates of a deployment declare: what a merge and a report ask.

use std::collections::HashMap;

use super::collect::{DeploymentFiles, FileContent};
use super::secret_parameters::SecretParameters;
use heat_template::dialect::{lower, unread_secrets};
use heat_template::ir::ParameterType;
use lossless_yaml::Document;
use source_diagnostics::{Diagnostic, Span};

/// How a parameter is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclaredType {
    /// By a template, with this type.
    Type(ParameterType),
    /// By none.
    Undeclared,
    /// There is no template that could be asked.
    NoTemplate,
}

/// The types of all parameters of a deployment: of its template and of every template among its
/// files.
pub trait ParameterTypes {
    /// How a parameter is declared.
    fn declared(&self, name: &str) -> DeclaredType;
}

/// What the templates of a deployment declare.
#[derive(Clone, Debug, Default)]
pub struct ParameterDeclarations {
    parameters: HashMap<String, ParameterType>,
    /// The names of the root template; `None` without one.
    root: Option<Vec<String>>,
    /// Whose values no report may show.
    pub(super) secrecy: SecretParameters,
    /// Where a template has a value that no report may show.
    secrets: Vec<Span>,
    /// Where the other defaults stand.
    defaults: Vec<(String, Span)>,
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
    /// What all files and the root template declare, this last, so that it has precedence.
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
                // It may be a template that cannot be read.
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
                // What is wrong elsewhere in a template is not a matter of environments.
                findings.extend(lowered.findings.iter().filter(inside).cloned());
                self.secrets.extend(lowered.secrets(document));
                for (name, parameter) in &lowered.stack.parameters {
                    self.declare(name, parameter.kind, parameter.is_hidden());
                    let default = parameter.default.as_ref();
                    self.defaults.extend(default.map(|default| (name.clone(), default.span)));
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
        // A parameter without a type is an error of its template; a text is the least surprise.
        let kind = kind.unwrap_or(ParameterType::Text);
        self.parameters.insert(name.to_owned(), kind);
        self.secrecy.declare(name, hidden);
    }

    /// The parameters of the root template; `None` without one.
    pub fn of_root(&self) -> Option<&[String]> {
        self.root.as_deref()
    }

    /// Where templates have values that no report may show.
    pub(super) fn secrets(&self) -> impl Iterator<Item = Span> {
        let defaults = self.defaults.iter();
        let encrypted = defaults.filter(|(name, _)| self.secrecy.is_encrypted(name));
        self.secrets.iter().copied().chain(encrypted.map(|(_, span)| *span))
    }
}
