//! The references to files in a template or an environment.

use std::ops::Range;
use std::path::{Path, PathBuf};

use heat_engine::environment::registry::{
    ACTIONS_KEY, BASE_URL, HOOKS_KEY, RESOURCES, is_template_name,
};
use heat_engine::environment::sections::REGISTRY;
use heat_engine::environment::{BaseFolder, Location, file_references};
use lossless_yaml::{Document, NodeId, NodeKind};
use smol_str::SmolStr;
use source_diagnostics::Span;

use super::written::written;
use crate::language_server::file_view::{FileContent, FileView};

/// A reference to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::language_server) struct FileLink {
    /// The bytes of the reference, without quotes.
    pub(in crate::language_server) bytes: Range<usize>,
    /// The absolute path of the file, which may not exist.
    pub(in crate::language_server) path: PathBuf,
}

/// The entry of an environment's registry for a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::language_server) struct RegistryTarget {
    /// The type, or a pattern that ends with `*`.
    pub(in crate::language_server) kind: SmolStr,
    pub(in crate::language_server) implementation: TypeTarget,
    /// The bytes of the type.
    pub(in crate::language_server) bytes: Range<usize>,
}

/// The implementation of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::language_server) enum TypeTarget {
    Type(SmolStr),
    /// A template, by its absolute path.
    File(PathBuf),
}

/// The references to files that exist or not, in the order of the text.
pub(super) fn links(view: &FileView, document: &Document) -> Vec<FileLink> {
    let folder = Location::of_absolute(&view.path).folder();
    let mut links = match view.content {
        FileContent::Template(_) => {
            let references = file_references(document).into_iter();
            references
                .filter_map(|(reference, span)| link(document, &folder, reference, span))
                .collect()
        }
        FileContent::Environment => entries(&view.path, document)
            .into_iter()
            .filter_map(|entry| {
                let folder = entry.folder.as_ref().unwrap_or(&folder);
                is_template_name(entry.reference)
                    .then(|| link(document, folder, entry.reference, entry.span))?
            })
            .collect(),
        FileContent::RefusedTemplate | FileContent::Other => Vec::new(),
    };
    links.sort_by_key(|it: &FileLink| it.bytes.start);
    links.dedup();
    links
}

fn link(document: &Document, folder: &BaseFolder, reference: &str, span: Span) -> Option<FileLink> {
    let bytes = written(document, span, reference)?;
    Some(FileLink { bytes, path: resolved(folder, reference)? })
}

/// The absolute path of a file that a reference leads to.
pub(super) fn resolved(folder: &BaseFolder, reference: &str) -> Option<PathBuf> {
    folder.resolve(reference).absolute()
}

/// The entries of an environment's registry for types, for all resources or for some.
pub(super) fn registry(view: &FileView, document: &Document) -> Vec<RegistryTarget> {
    let own = Location::of_absolute(&view.path).folder();
    let target = |entry: RegistryEntry<'_>| {
        let folder = entry.folder.as_ref().unwrap_or(&own);
        let implementation = match is_template_name(entry.reference) {
            true => TypeTarget::File(resolved(folder, entry.reference)?),
            false => TypeTarget::Type(entry.reference.into()),
        };
        Some(RegistryTarget {
            kind: entry.kind.into(),
            implementation,
            bytes: entry.kind_span.range(),
        })
    };
    entries(&view.path, document).into_iter().filter_map(target).collect()
}

/// An entry of a registry that is a text.
struct RegistryEntry<'d> {
    kind: &'d str,
    kind_span: Span,
    reference: &'d str,
    span: Span,
    /// The folder of the reference, if `base_url` names one.
    folder: Option<BaseFolder>,
}

/// The entries of a registry at all levels: those of single resources are behind `resources`.
fn entries<'d>(path: &Path, document: &'d Document) -> Vec<RegistryEntry<'d>> {
    let mut found = Vec::new();
    let registry = document.root().and_then(|root| document.get(root, REGISTRY));
    let mut open: Vec<(NodeId, Option<BaseFolder>)> =
        registry.map(|it| (it, None)).into_iter().collect();
    // Aliases may lead around in a circle.
    let mut left = document.nodes().len();
    while let Some((map, folder)) = open.pop() {
        let base = document.get(map, BASE_URL).and_then(|it| document.str(it));
        let base = base.map(|base| match base.contains("://") {
            true => BaseFolder::of_url(base),
            false => Location::of_absolute(path)
                .resolve(&format!("{}/-", base.trim_end_matches('/')))
                .folder(),
        });
        let folder = base.or(folder);
        for entry in document.entries(map) {
            let Some(less) = left.checked_sub(1) else { return found };
            left = less;
            let Some(kind) = document.str(entry.key) else { continue };
            if [BASE_URL, HOOKS_KEY, ACTIONS_KEY].contains(&kind) {
                continue;
            }
            let mut add = |node: NodeId| {
                if let Some(reference) = document.str(node) {
                    let (kind_span, span) = (document.span(entry.key), document.span(node));
                    found.push(RegistryEntry {
                        kind,
                        kind_span,
                        reference,
                        span,
                        folder: folder.clone(),
                    });
                }
            };
            match document.kind(entry.value) {
                NodeKind::Mapping(_) if kind == RESOURCES || map != registry.unwrap_or(map) => {
                    open.push((entry.value, folder.clone()));
                }
                // The candidates of a type.
                NodeKind::Sequence(items) => items.iter().for_each(|item| add(*item)),
                _ => add(entry.value),
            }
        }
    }
    found
}
