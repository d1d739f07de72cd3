//! Targets that consist of a folder: a manifest, tables and handlebars templates. The built-in ones
//! are embedded in the program; a user's folder can do the same.
//!
//! `docs/targets.md` is the guide. `files` reads the files, `load` checks them,
//! `context` builds the context of templates, `helpers` are the helpers, `render` writes the result.

mod builtin;
pub mod cases;
pub mod context;
mod data;
pub mod files;
mod functions;
pub mod helpers;
mod load;
pub mod manifest;
mod nesting;
mod partials;
mod render;
pub mod skeleton;
mod state;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;

pub use builtin::BuiltInPack;
pub(super) use builtin::{DOT, MARKDOWN, MERMAID, SHELL};
pub use data::value_of;
use files::PackFiles;
use manifest::Manifest;

use super::mapping::Mapping;
use super::{EmitOutput, EmitRequest, Emitter, Losses, RenderModel, TargetSupport};
use source_diagnostics::{Diagnostic, Span};
use source_files::FileSource;

/// A target that consists of a folder.
#[derive(Debug)]
pub struct TemplatePack {
    /// The content of `target.yaml`.
    pub manifest: Manifest,
    /// The mapping table, if the manifest names one.
    pub mapping: Option<Mapping>,
    outlets: Vec<OutputFile>,
    /// The kinds of expressions that it has templates for.
    kinds: BTreeSet<String>,
    texts: PackFiles,
}

/// A file that the target writes.
#[derive(Debug)]
struct OutputFile {
    /// The name of its template.
    template: String,
    /// The span of its path in the manifest.
    path_span: Span,
}

/// A folder that is not a valid target, with the reasons.
#[derive(Debug, thiserror::Error)]
#[error("{}", findings.first().map_or("the target cannot be used", |it| it.message.as_str()))]
pub struct InvalidPack {
    /// All errors in the folder.
    pub findings: Vec<Diagnostic>,
    /// The texts that the findings refer to.
    pub texts: Vec<(String, Arc<str>)>,
}

impl InvalidPack {
    fn new((texts, findings): (PackFiles, Vec<Diagnostic>)) -> Self {
        InvalidPack { findings, texts: texts.attached() }
    }
}

impl TemplatePack {
    /// Reads a folder.
    ///
    /// # Errors
    ///
    /// The folder is not a valid target.
    pub fn read(folder: &Path, files: &dyn FileSource) -> Result<Self, InvalidPack> {
        PackFiles::read(folder, files).and_then(load::load).map_err(InvalidPack::new)
    }

    /// Loads a folder that is embedded in the program.
    pub fn embedded(folder: &str, texts: &[(&str, &str)]) -> Result<Self, InvalidPack> {
        load::load(PackFiles::embedded(folder, texts)).map_err(InvalidPack::new)
    }

    /// The context of its templates.
    pub fn context(&self, model: &RenderModel<'_>) -> Result<Json, Box<Diagnostic>> {
        render::context_of(self, model, &mut Losses::default())
    }
}

impl Emitter for TemplatePack {
    fn name(&self) -> &str {
        &self.manifest.name
    }

    fn summary(&self) -> &str {
        &self.manifest.summary
    }

    fn view(&self) -> Option<&str> {
        self.manifest.view.as_deref()
    }

    fn mapping(&self) -> Option<&Mapping> {
        self.mapping.as_ref()
    }

    fn template_pack(&self) -> Option<&TemplatePack> {
        Some(self)
    }

    fn texts(&self) -> Vec<(String, Arc<str>)> {
        self.texts.attached()
    }

    fn type_support(&self, name: &str) -> (Option<String>, TargetSupport) {
        let Some(mapping) = &self.mapping else {
            return (Some(name.to_owned()), TargetSupport::Full);
        };
        let Some(row) = mapping.types.get(name) else {
            return (
                None,
                TargetSupport::Unsupported("the mapping table has no row for this type".to_owned()),
            );
        };
        let lost = || {
            let lost = row.properties.iter().filter(|(_, it)| it.to.is_none() && it.rule.is_none());
            lost.map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>()
        };
        match (&row.to, &row.rule, &row.note) {
            (None, None, note) => (
                None,
                TargetSupport::Unsupported(
                    note.clone().unwrap_or("the target has no counterpart".to_owned()),
                ),
            ),
            (to, rule, note) => {
                let lost = lost();
                let says = match (note, lost.is_empty()) {
                    (Some(note), _) => TargetSupport::Partial(note.clone()),
                    (None, false) => TargetSupport::Partial(format!("without {}", lost.join(", "))),
                    (None, true) => TargetSupport::Full,
                };
                (to.clone().or_else(|| rule.clone()), says)
            }
        }
    }

    fn function_support(&self, function: &str) -> TargetSupport {
        if let Some(view) = &self.manifest.view {
            return TargetSupport::Partial(format!("leaves out {view}"));
        }
        let meaning = crate::hot_functions().find(|(name, _)| *name == function);
        let kinds = meaning.map(|(_, meaning)| functions::kinds(meaning)).unwrap_or_default();
        match kinds.into_iter().all(|kind| self.kinds.contains(kind)) {
            true => TargetSupport::Full,
            false => {
                TargetSupport::Partial("only if its value is known while rendering".to_owned())
            }
        }
    }

    fn emit(&self, request: &EmitRequest<'_>) -> Result<EmitOutput, Box<Diagnostic>> {
        match request.model {
            Some(model) => render::render(self, model),
            None => {
                let message = format!("{} renders a deployment", self.manifest.name);
                Err(Box::new(Diagnostic::new(crate::codes::TARGET_TEMPLATE, message)))
            }
        }
    }
}
