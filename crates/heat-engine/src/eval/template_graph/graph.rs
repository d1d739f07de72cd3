//! Finds, reads and lowers the templates of a deployment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::implementation::TemplateReference;
use super::node::{Template, TemplateFile, TemplateNode};
use crate::environment::{Environment, FileContent, Location, files_map};
use lossless_yaml::{Limits, as_sent, read};
use source_diagnostics::{Consequence, Diagnostic, Span};

/// The templates of a deployment. Nested ones are read and lowered when they are first asked for.
#[derive(Debug)]
pub struct TemplateGraph<'a> {
    environment: &'a Environment,
    root: Arc<TemplateNode>,
    /// Each nested template once, by its URL.
    templates: HashMap<&'a str, OnceLock<Result<Arc<Template>, Diagnostic>>>,
    /// The nodes of nested templates.
    nodes: Mutex<HashMap<TemplateReference, Arc<TemplateNode>>>,
}

impl<'a> TemplateGraph<'a> {
    /// The graph of the deployment of a template.
    pub fn new(environment: &'a Environment, root: Template) -> Self {
        let registry = Arc::new(environment.registry.clone());
        let files = environment.files.iter();
        TemplateGraph {
            environment,
            root: Arc::new(TemplateNode::new(Arc::new(root), registry)),
            templates: files.map(|file| (file.location.url(), OnceLock::new())).collect(),
            nodes: Mutex::default(),
        }
    }

    /// The environment of the deployment.
    pub fn environment(&self) -> &'a Environment {
        self.environment
    }

    /// The root template.
    pub fn root(&self) -> &Arc<TemplateNode> {
        &self.root
    }

    /// The nested template that a reference leads to: one node for equal registries.
    pub fn node(&self, reference: &TemplateReference) -> Result<Arc<TemplateNode>, Diagnostic> {
        if let Some(node) = self.nodes().get(reference) {
            return Ok(Arc::clone(node));
        }
        let TemplateReference { url, registry } = reference;
        let node = Arc::new(TemplateNode::new(self.template(url)?, Arc::clone(registry)));
        // Another thread may have been faster.
        Ok(Arc::clone(self.nodes().entry(reference.clone()).or_insert(node)))
    }

    fn nodes(&self) -> MutexGuard<'_, HashMap<TemplateReference, Arc<TemplateNode>>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The nested template at a URL.
    pub(in crate::eval) fn template(&self, url: &str) -> Result<Arc<Template>, Diagnostic> {
        match self.templates.get(url) {
            Some(template) => template.get_or_init(|| self.lowered(url).map(Arc::new)).clone(),
            None => Err(self.not_read(url)),
        }
    }

    fn not_read(&self, url: &str) -> Diagnostic {
        let name = self.environment.files.display_name(url);
        let finding = not_followed(format!("the template `{name}` could not be read"));
        if !self.environment.files.is_elsewhere(url) {
            return finding;
        }
        // What is on another machine, belongs to the deployment.
        let finding = finding.help(files_map(url));
        match self.environment.is_whole {
            true => finding,
            false => finding.with_consequence(Consequence::Incomplete),
        }
    }

    fn lowered(&self, url: &str) -> Result<Template, Diagnostic> {
        let Some(file) = self.environment.files.get(url) else {
            return Err(self.not_read(url));
        };
        let location = &file.location;
        let document = match &file.content {
            FileContent::Template(document) => document,
            FileContent::Text(text) => {
                let source = file.source.unwrap_or(Span::NOWHERE.source);
                let broken = read(source, as_sent(text).into(), &Limits::default()).err();
                return Err(match broken {
                    Some(found) => not_a_template(location, &found),
                    None => not_followed(format!("`{location}` is not a template")),
                });
            }
            FileContent::Base64(_) => {
                return Err(not_followed(format!("`{location}` is not a template")));
            }
        };
        let lowered =
            self.environment.lower(document).map_err(|found| not_a_template(location, &found))?;
        Ok(Template {
            version: lowered.declaration(),
            stack: Arc::new(lowered.stack),
            lowering_findings: lowered.findings,
            base: Some(location.folder()),
            file: Some(TemplateFile { location: location.clone(), document: Arc::clone(document) }),
        })
    }
}

fn not_followed(message: String) -> Diagnostic {
    Diagnostic::new(crate::codes::NESTED_NOT_FOLLOWED, message)
}

/// Reports that a file is not a template, at the offending place.
fn not_a_template(location: &Location, found: &Diagnostic) -> Diagnostic {
    let mut finding = not_followed(format!("`{location}` is not a template: {}", found.message));
    finding.primary.clone_from(&found.primary);
    finding.help.clone_from(&found.help);
    finding
}
