//! Template files of nested stacks, each read and lowered once.

use std::sync::Arc;

use super::deployer::Deployer;
use crate::environment::{self, BaseFolder, Location};
use heat_template::ir::Stack;
use lossless_yaml::{Limits, as_sent, read};
use source_diagnostics::{Diagnostic, Span};

/// A nested template that is read and lowered.
pub(super) struct ChildTemplate {
    pub(super) stack: Arc<Stack>,
    pub(super) version: &'static str,
    pub(super) lowering_findings: Vec<Diagnostic>,
    pub(super) base: BaseFolder,
}

/// Reports that a file is not a template, at the offending place.
fn not_a_template(location: &Location, found: &Diagnostic) -> Diagnostic {
    let message = format!("`{location}` is not a template: {}", found.message);
    let mut finding = Diagnostic::new(crate::codes::NESTED_NOT_FOLLOWED, message);
    finding.primary.clone_from(&found.primary);
    finding.help.clone_from(&found.help);
    finding
}

impl Deployer<'_> {
    /// The template at a URL, lowered once.
    pub(super) fn template(&self, url: &str, span: Span) -> Result<Arc<ChildTemplate>, Diagnostic> {
        let cannot = |message: String| Diagnostic::new(crate::codes::NESTED_NOT_FOLLOWED, message);
        let Some(cell) = self.templates.get(url) else {
            let message = format!("the template `{url}` could not be read");
            return Err(cannot(message).at(span));
        };
        let nested = cell.get_or_init(|| {
            let Some(file) = self.files.get(url) else {
                return Err(cannot(format!("the template `{url}` could not be read")));
            };
            let location = &file.location;
            let document = match &file.content {
                environment::FileContent::Template(document) => document,
                environment::FileContent::Text(text) => {
                    let source = file.source.unwrap_or(Span::NOWHERE.source);
                    let broken = read(source, as_sent(text).into(), &Limits::default()).err();
                    return Err(match broken {
                        Some(found) => not_a_template(location, &found),
                        None => cannot(format!("`{location}` is not a template")),
                    });
                }
                environment::FileContent::Base64(_) => {
                    return Err(cannot(format!("`{location}` is not a template")));
                }
            };
            let lowered = self
                .request
                .environment
                .lower(document)
                .map_err(|found| not_a_template(location, &found))?;
            Ok(Arc::new(ChildTemplate {
                version: lowered.declaration(),
                stack: Arc::new(lowered.stack),
                lowering_findings: lowered.findings,
                base: location.folder(),
            }))
        });
        nested.clone().map_err(|finding| match finding.span() {
            Some(_) => finding.related(span, "it is referenced here"),
            None => finding.at(span),
        })
    }
}
