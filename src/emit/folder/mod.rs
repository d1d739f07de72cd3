//! Targets that are nothing but a folder: a manifest, tables, handlebars templates. Those of
//! hotplate's own are part of the program; a user's folder has the same rights.
//!
//! `docs/targets.md` is the guide. [`texts`] are the files, [`load`] finds what is wrong with them,
//! [`context`] is what templates are given, [`helpers`] what they can call, [`render`] writes.

mod builtin;
pub mod cases;
pub mod context;
mod data;
mod functions;
pub mod helpers;
mod load;
pub mod manifest;
mod nesting;
mod partials;
mod render;
pub mod skeleton;
mod state;
pub mod texts;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;

pub use builtin::BuiltIn;
pub(super) use builtin::{DOT, MARKDOWN, MERMAID};
use manifest::Manifest;
use texts::Texts;

use super::mapping::Mapping;
use super::{Emitted, Emitter, Losses, Program, Request, Says};
use heat_template::hot::Meaning;
use source_diagnostics::{Diagnostic, Span};
use source_files::FileSource;

/// A target made of a folder.
#[derive(Debug)]
pub struct FolderTarget {
    /// Its manifest.
    pub manifest: Manifest,
    /// Its mapping table.
    pub mapping: Option<Mapping>,
    outlets: Vec<Outlet>,
    /// The kinds of expressions that it has templates for.
    kinds: BTreeSet<String>,
    texts: Texts,
}

/// Where a file of the target comes from.
#[derive(Debug)]
struct Outlet {
    /// The name of its template.
    template: String,
    /// Where its path is written in the manifest.
    path_span: Span,
}

/// A folder that is not a target, and why.
#[derive(Debug, thiserror::Error)]
#[error("{}", findings.first().map_or("the target cannot be used", |it| it.message.as_str()))]
pub struct Broken {
    /// What is wrong.
    pub findings: Vec<Diagnostic>,
    /// The texts that this points into.
    pub texts: Vec<(String, Arc<str>)>,
}

impl Broken {
    fn new((texts, findings): (Texts, Vec<Diagnostic>)) -> Self {
        Broken { findings, texts: texts.attached() }
    }
}

impl FolderTarget {
    /// Reads a folder.
    pub fn read(folder: &Path, files: &dyn FileSource) -> Result<Self, Broken> {
        Texts::read(folder, files).and_then(load::load).map_err(Broken::new)
    }

    /// A folder that is part of the program.
    pub fn baked(folder: &str, texts: &[(&str, &str)]) -> Result<Self, Broken> {
        load::load(Texts::baked(folder, texts)).map_err(Broken::new)
    }

    /// What its templates are given.
    pub fn context(&self, program: &Program<'_>) -> Result<Json, Box<Diagnostic>> {
        render::context_of(self, program, &mut Losses::default())
    }
}

impl Emitter for FolderTarget {
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

    fn folder(&self) -> Option<&FolderTarget> {
        Some(self)
    }

    fn texts(&self) -> Vec<(String, Arc<str>)> {
        self.texts.attached()
    }

    fn says_type(&self, name: &str) -> (Option<String>, Says) {
        let Some(mapping) = &self.mapping else { return (Some(name.to_owned()), Says::Whole) };
        let Some(row) = mapping.types.get(name) else {
            return (None, Says::Not("the table has no row for it".to_owned()));
        };
        let lost = || {
            let lost = row.properties.iter().filter(|(_, it)| it.to.is_none() && it.rule.is_none());
            lost.map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>()
        };
        match (&row.to, &row.rule, &row.note) {
            (None, None, note) => {
                (None, Says::Not(note.clone().unwrap_or("there is no counterpart".to_owned())))
            }
            (to, rule, note) => {
                let lost = lost();
                let says = match (note, lost.is_empty()) {
                    (Some(note), _) => Says::Partly(note.clone()),
                    (None, false) => Says::Partly(format!("without {}", lost.join(", "))),
                    (None, true) => Says::Whole,
                };
                (to.clone().or_else(|| rule.clone()), says)
            }
        }
    }

    fn says_function(&self, function: Meaning) -> Says {
        if let Some(view) = &self.manifest.view {
            return Says::Partly(format!("leaves out {view}"));
        }
        match functions::kinds(function).iter().all(|kind| self.kinds.contains(*kind)) {
            true => Says::Whole,
            false => Says::Partly("where its value is known while rendering".to_owned()),
        }
    }

    fn emit(&self, request: &Request<'_>) -> Result<Emitted, Box<Diagnostic>> {
        match request.program {
            Some(program) => render::render(self, program),
            None => {
                let message = format!("{} renders a deployment", self.manifest.name);
                Err(Box::new(Diagnostic::new(crate::codes::TARGET_TEMPLATE, message)))
            }
        }
    }
}
