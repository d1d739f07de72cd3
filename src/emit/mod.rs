//! Targets: a template as something else, and what that cannot say.
//!
//! An [`Emitter`] is one target; its code is in `src/emit/NAME.rs`, its tables and templates, if it
//! has any, in `targets/NAME/`. The targets of this version say everything that a template says, so
//! that nothing is lost; those to come report their losses as findings.

mod json;
mod yaml;

use std::path::PathBuf;

use crate::diagnostics::Diagnostic;
use crate::ir::Stack;
use crate::source::Document;

/// What a target gets.
#[derive(Clone, Copy, Debug)]
pub struct Template<'a> {
    /// The text as a tree.
    pub document: &'a Document,
    /// What it means; `None` for a template in a dialect that is not lowered.
    pub stack: Option<&'a Stack>,
}

/// A file that a target writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Where, relative to the folder that the user chose; `None` for the one file of a target that
    /// writes no more.
    pub path: Option<PathBuf>,
    /// Its text.
    pub text: String,
}

/// What a target makes of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// The files, the main one first.
    pub files: Vec<File>,
    /// What the target cannot say.
    pub losses: Vec<Diagnostic>,
}

/// A target.
pub trait Emitter: Sync {
    /// The name that `--target` takes.
    fn name(&self) -> &'static str;

    /// What it writes, in one line.
    fn summary(&self) -> &'static str;

    /// Writes a template. An error is what makes the whole impossible; what the target merely cannot
    /// say is a loss.
    fn emit(&self, template: Template<'_>) -> Result<Emitted, Box<Diagnostic>>;
}

/// Every target.
pub static EMITTERS: &[&dyn Emitter] = &[&json::Json, &yaml::Yaml];

/// The target of this name.
pub fn emitter(name: &str) -> Option<&'static dyn Emitter> {
    EMITTERS.iter().copied().find(|emitter| emitter.name() == name)
}

impl Emitted {
    /// One file and no loss.
    fn whole(text: String) -> Self {
        Emitted { files: vec![File { path: None, text }], losses: Vec::new() }
    }
}
