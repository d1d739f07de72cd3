//! Names in files: where each is declared and used, in one file and across the files of a project.
//!
//! Definitions, references, highlights and renames all read the same [`FileNames`]: the names that one file declares and uses, with
//! the bytes of the name itself. [`ProjectNames`] has those of every template and environment, and says which [`Symbol`]s a name in
//! one file stands for: a parameter in an environment is one of the templates that are deployed with it, a property of a nested
//! template's resource is a parameter of that template.

mod environment;
mod links;
mod nested;
mod project;
mod symbol;
mod template;
#[cfg(test)]
mod tests;
mod written;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use heat_engine::environment::fnmatch;
use smol_str::SmolStr;

pub(super) use links::{FileLink, RegistryTarget, TypeTarget};
pub(super) use nested::{NestedTemplate, TemplateName};
pub(super) use project::{NameCache, ProjectNames};
pub(super) use symbol::{NamePlace, Symbol};

use super::file_view::{FileContent, FileView};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum NameKind {
    Parameter,
    Resource,
    Condition,
    Output,
    Mapping,
}

impl NameKind {
    /// The word for it in messages.
    pub(super) fn noun(self) -> &'static str {
        match self {
            NameKind::Parameter => "parameter",
            NameKind::Resource => "resource",
            NameKind::Condition => "condition",
            NameKind::Output => "output",
            NameKind::Mapping => "mapping",
        }
    }
}

/// Whose name it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameOwner {
    /// The template in which it is written.
    ThisFile,
    /// The templates that implement a resource: an index into [`FileNames::nested`].
    Nested(usize),
    /// The root templates that are deployed with the environment in which it is written.
    Root,
    /// Every template of the stacks that are deployed with the environment in which it is written.
    Tree,
}

/// Whether a name is declared or used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameRole {
    Declaration,
    Use,
    /// A place that gives it a value: an environment, a property of the resource that nests its template.
    Value,
}

/// A place that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Occurrence {
    pub(super) kind: NameKind,
    pub(super) name: SmolStr,
    pub(super) owner: NameOwner,
    pub(super) role: NameRole,
    /// The bytes of the name, without quotes.
    pub(super) bytes: Range<usize>,
}

/// A name that cannot be followed to what it refers to, or that is not written as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UntracedName {
    pub(super) kind: NameKind,
    /// The name; `None` if any name is possible.
    pub(super) name: Option<SmolStr>,
    pub(super) owner: NameOwner,
    /// The bytes of what stands for the name.
    pub(super) bytes: Range<usize>,
    /// Why, as the end of a sentence that begins with the place.
    pub(super) reason: &'static str,
}

#[derive(Debug, Default)]
pub(super) struct FileNames {
    /// Whether the file is a template.
    pub(super) is_template: bool,
    /// In the order of the text.
    pub(super) occurrences: Vec<Occurrence>,
    pub(super) untraced: Vec<UntracedName>,
    /// The resources that other templates may implement.
    pub(super) nested: Vec<NestedTemplate>,
    /// The references to files.
    pub(super) links: Vec<FileLink>,
    /// The targets of types, in an environment's registry.
    pub(super) registry: Vec<RegistryTarget>,
    /// The part of the text that the reader could not read.
    pub(super) unread: Vec<Arc<str>>,
    /// The occurrences that declare a name, by their indices.
    declarations: HashMap<(NameKind, SmolStr), usize>,
}

impl FileNames {
    /// The names of a file; `None` for one that is neither a template nor an environment.
    pub(super) fn new(view: &FileView) -> Option<Self> {
        let document = view.document()?;
        let mut names = match &view.content {
            FileContent::Template(lowered) => template::names(document, &lowered.stack),
            FileContent::Environment => environment::names(document),
            FileContent::RefusedTemplate | FileContent::Other => return None,
        };
        names.links = links::links(view, document);
        names.registry = links::registry(view, document);
        let left_out = view.readable.left_out.iter();
        names.unread = left_out.filter_map(|it| Some(view.text.get(it.clone())?.into())).collect();
        names.occurrences.sort_by_key(|it| (it.bytes.start, it.bytes.end));
        names.occurrences.dedup();
        for (at, declared) in names.occurrences.iter().enumerate() {
            if declared.role == NameRole::Declaration {
                names.declarations.insert((declared.kind, declared.name.clone()), at);
            }
        }
        Some(names)
    }

    /// The names at an offset: several if one key is the name of several things.
    pub(super) fn at(&self, offset: usize) -> impl Iterator<Item = &Occurrence> {
        let before = self.occurrences.iter().take_while(move |it| it.bytes.start <= offset);
        before.filter(move |it| offset <= it.bytes.end)
    }

    /// Where the template declares a name.
    pub(super) fn declaration(&self, kind: NameKind, name: &SmolStr) -> Option<&Occurrence> {
        self.occurrences.get(*self.declarations.get(&(kind, name.clone()))?)
    }
}

impl UntracedName {
    /// Whether it may be a name.
    fn may_name(&self, name: &str) -> bool {
        self.name.as_ref().is_none_or(|it| it == name || fnmatch(name, it))
    }
}
