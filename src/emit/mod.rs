//! Targets: a template as something else, and what that cannot say.
//!
//! An [`Emitter`] is one target; its code is in `src/emit/NAME.rs`, its tables and templates, if it
//! has any, in `targets/NAME/`. The targets of this version say everything that a template says, so
//! that nothing is lost; those to come report their losses as findings.

mod json;
mod yaml;

use std::path::PathBuf;

use crate::diagnostics::{Diagnostic, Span};
use crate::hot::CAPABILITIES;
use crate::ir::Stack;
use crate::source::{Data, Document, NodeRef, Shape};

/// What a target gets.
#[derive(Clone, Copy, Debug)]
pub struct Template<'a> {
    /// The text as a tree.
    pub document: &'a Document,
    /// What it means; `None` for a template in a dialect that is not lowered.
    pub stack: Option<&'a Stack>,
    /// Leave out the section `capabilities`, which Heat does not know.
    pub strip_capabilities: bool,
}

impl<'a> Template<'a> {
    /// The whole as data; `None` for an empty text.
    fn data(self) -> Option<Root<'a>> {
        let node = self.document.data(self.document.root()?);
        Some(Root { node, without: self.strip_capabilities.then_some(CAPABILITIES) })
    }
}

/// A template as data, a section of it perhaps left out.
#[derive(Clone, Copy)]
struct Root<'a> {
    node: NodeRef<'a>,
    /// The section that is left out; what is inside the root is whole.
    without: Option<&'static str>,
}

impl<'a> Root<'a> {
    fn whole(node: NodeRef<'a>) -> Self {
        Root { node, without: None }
    }
}

impl<'a> Data<'a> for Root<'a> {
    fn shape(self) -> Shape<'a> {
        self.node.shape()
    }

    fn item(self, index: usize) -> Option<Self> {
        self.node.item(index).map(Root::whole)
    }

    fn pair(self, index: usize) -> Option<(Self, Self)> {
        let pair = match self.without {
            None => self.node.pair(index),
            Some(section) => {
                let stays = |(key, _): &(NodeRef<'_>, _)| key.shape() != Shape::Text(section);
                self.node.pairs().filter(stays).nth(index)
            }
        };
        pair.map(|(key, value)| (Root::whole(key), Root::whole(value)))
    }

    fn span(self) -> Option<Span> {
        self.node.span()
    }

    fn too_deep(self) -> Box<Diagnostic> {
        self.node.too_deep()
    }
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
