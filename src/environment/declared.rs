//! The parameters that the templates of a deployment declare: what a merge and a report ask.

use std::collections::HashMap;

use super::collect::Files;
use crate::diagnostics::{Diagnostic, Span};
use crate::dialect::lower;
use crate::ir::ParameterType;
use crate::source::Document;

/// How a parameter is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declared {
    /// By a template, with this type.
    As(ParameterType),
    /// By none.
    Nowhere,
    /// There is no template that could be asked.
    Unasked,
}

/// The types of all parameters of a deployment: of its template and of every template among its
/// files.
pub trait ParameterTypes {
    /// How a parameter is declared.
    fn declared(&self, name: &str) -> Declared;
}

/// What the templates of a deployment declare.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    /// The type and whether it is hidden in some template.
    parameters: HashMap<String, (ParameterType, bool)>,
    /// The names of the root template; `None` without one.
    root: Option<Vec<String>>,
    /// Defaults of hidden parameters.
    secrets: Vec<Span>,
}

impl ParameterTypes for Declarations {
    fn declared(&self, name: &str) -> Declared {
        match (self.parameters.get(name), &self.root) {
            (Some((kind, _)), _) => Declared::As(*kind),
            (None, Some(_)) => Declared::Nowhere,
            (None, None) => Declared::Unasked,
        }
    }
}

impl Declarations {
    /// What all files and the root template declare, this last, so that it has precedence.
    pub(super) fn of(
        files: &Files,
        root: Option<&Document>,
        findings: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut declarations = Declarations::default();
        for file in files.iter() {
            if let super::collect::Content::Template(document) = &file.content {
                declarations.template(document, findings);
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
                let key = lowered.template.dialect.spelled("parameters");
                let section = document.root().and_then(|root| document.get(root, key));
                let section = section.map(|section| document.span(section));
                let inside = |finding: &&Diagnostic| match (section, finding.span()) {
                    (Some(section), Some(span)) => finding.is_error() && section.contains(span),
                    _ => false,
                };
                // What is wrong elsewhere in a template is not a matter of environments.
                findings.extend(lowered.findings.iter().filter(inside).cloned());
                self.secrets.extend(lowered.stack.secrets().map(|(_, span)| span));
                for (name, parameter) in &lowered.stack.parameters {
                    self.declare(name, parameter.kind, parameter.is_hidden());
                    names.push(name.clone());
                }
            }
            Err(finding) => findings.push(*finding),
        }
        names
    }

    fn declare(&mut self, name: &str, kind: Option<ParameterType>, hidden: bool) {
        // A parameter without a type is an error of its template; a text is the least surprise.
        let kind = kind.unwrap_or(ParameterType::Text);
        let declared = self.parameters.entry(name.to_owned()).or_insert((kind, hidden));
        *declared = (kind, declared.1 || hidden);
    }

    /// Whether a parameter is hidden in any template.
    pub fn is_hidden(&self, name: &str) -> bool {
        self.parameters.get(name).is_some_and(|(_, hidden)| *hidden)
    }

    /// The parameters of the root template; `None` without one.
    pub fn of_root(&self) -> Option<&[String]> {
        self.root.as_deref()
    }

    /// Where defaults of hidden parameters stand.
    pub fn secrets(&self) -> &[Span] {
        &self.secrets
    }
}
