//! The files of a deployment as Heat takes them, after the candidates of its resource registry are selected.
//!
//! Heat knows neither `capabilities` in templates nor `requires` and lists of candidates in environments. The tree has
//! the same files at the same places relative to each other: templates without the section, environments with the
//! selected candidates, everything else byte by byte. The result is read again and compared before it is returned.

mod environment_text;
mod proof;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::codes;
use heat_engine::environment::{
    Environment, FileContent, Location, MergeSide, file_references, is_relative_reference,
};
use heat_template::hot::{CAPABILITIES, DocumentKind, recognize};
use heat_template::schema::Schema;
use hotplate_upgrade::{UpgradeOptions, upgrade};
use lossless_yaml::{Document, Limits, read, read_yaml};
use source_diagnostics::{Diagnostic, SourceId, SourceMap, Span};

/// A deployment whose candidates are selected.
#[derive(Clone, Copy, Debug)]
pub struct SelectedDeployment<'d> {
    /// The template, if there is one.
    pub template: Option<(&'d Location, &'d Document)>,
    /// The environments and the files of the deployment.
    pub environment: &'d Environment,
    /// The texts as they were read, not masked.
    pub sources: &'d SourceMap,
    /// The side that merges the environments.
    pub merge: MergeSide,
    /// The release of Heat.
    pub schema: &'static Schema,
    /// The limits on reading the result.
    pub limits: &'d Limits,
}

/// Files that Heat takes as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolvedTree {
    /// The content of each file by its path in the tree.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
    /// The path of the template.
    pub template: Option<PathBuf>,
    /// The paths of the environments, in order.
    pub environments: Vec<PathBuf>,
}

/// The templates of a deployment that have the section `capabilities`, with the spans of its name.
pub fn with_capabilities(deployment: &SelectedDeployment<'_>) -> Vec<Span> {
    let nested = deployment.environment.files.iter().filter_map(|file| match &file.content {
        FileContent::Template(document) => Some(document.as_ref()),
        FileContent::Text(_) | FileContent::Base64(_) => None,
    });
    let root = deployment.template.map(|(_, document)| document);
    root.into_iter().chain(nested).filter_map(section).collect()
}

/// The span of the name of a template's section `capabilities`.
fn section(document: &Document) -> Option<Span> {
    Some(document.span(document.entry(document.root()?, CAPABILITIES)?.key))
}

/// The warning about templates of a resolved environment that still have the section; `None` if there are none.
pub fn sections_left(deployment: &SelectedDeployment<'_>) -> Option<Diagnostic> {
    let spans = with_capabilities(deployment);
    let (first, others) = spans.split_first()?;
    let message = match spans.len() {
        1 => {
            "Heat refuses a template of this registry: it has the section `capabilities`".to_owned()
        }
        count => format!(
            "Heat refuses {count} templates of this registry: they have the section `capabilities`"
        ),
    };
    let finding = Diagnostic::new(codes::CAPABILITIES_LEFT, message).at(*first);
    let finding = others.iter().fold(finding, |finding, span| finding.related(*span, ""));
    Some(finding.help("`-o DIR` writes the environments and the templates as Heat takes them"))
}

/// The tree, or the reasons why there is none.
pub fn resolved_tree(deployment: &SelectedDeployment<'_>) -> Result<ResolvedTree, Vec<Diagnostic>> {
    let mut builder = TreeBuilder {
        deployment,
        base: base_folder(deployment),
        tree: ResolvedTree::default(),
        findings: Vec::new(),
    };
    builder.build();
    let TreeBuilder { base, tree, mut findings, .. } = builder;
    if findings.is_empty() {
        findings.extend(proof::differences(deployment, &base, &tree));
    }
    if findings.is_empty() { Ok(tree) } else { Err(findings) }
}

/// The innermost folder that contains all files.
fn base_folder(deployment: &SelectedDeployment<'_>) -> PathBuf {
    let environment = deployment.environment;
    let locations = deployment.template.map(|(location, _)| location).into_iter();
    let locations = locations.chain(environment.named.iter().map(|file| &file.location));
    let locations = locations.chain(environment.files.iter().map(|file| &file.location));
    let mut folders = locations.filter_map(|it| Some(it.absolute()?.parent()?.to_owned()));
    let mut base = folders.next().unwrap_or_default();
    for folder in folders {
        while !folder.starts_with(&base) && base.pop() {}
    }
    base
}

struct TreeBuilder<'a, 'd> {
    deployment: &'a SelectedDeployment<'d>,
    base: PathBuf,
    tree: ResolvedTree,
    findings: Vec<Diagnostic>,
}

impl TreeBuilder<'_, '_> {
    fn build(&mut self) {
        let SelectedDeployment { template, environment, sources, .. } = *self.deployment;
        for file in environment.files.iter() {
            let bytes = match (&file.content, file.source) {
                (FileContent::Template(document), Some(source)) => {
                    self.references(&file.location, document);
                    self.template(document, source)
                }
                _ => Some(file.bytes(sources)),
            };
            if let Some(bytes) = bytes {
                self.add(&file.location, bytes);
            }
        }
        if let Some((location, document)) = template {
            self.references(location, document);
            if let Some(bytes) = self.template(document, document.source()) {
                self.tree.template = self.add(location, bytes);
            }
        }
        for file in &environment.named {
            let text = sources.text(file.source);
            let document = read_yaml(file.source, text.into(), self.deployment.limits);
            match document.and_then(|document| environment_text::resolved(file, &document)) {
                Ok(text) => {
                    let path = self.add(&file.location, text.into_bytes());
                    self.tree.environments.extend(path);
                }
                Err(finding) => self.findings.push(*finding),
            }
        }
    }

    /// Adds a file; returns its path in the tree.
    fn add(&mut self, location: &Location, bytes: Vec<u8>) -> Option<PathBuf> {
        let why = match path_in(location, &self.base) {
            None => "it is not in a folder",
            Some(path) => {
                let known = self.tree.files.entry(path.clone()).or_insert_with(|| bytes.clone());
                if *known == bytes {
                    return Some(path);
                }
                "it is used both as an environment and as another file"
            }
        };
        let message = format!("`{location}` cannot be written to the folder: {why}");
        self.findings.push(Diagnostic::new(codes::NOT_IN_TREE, message));
        None
    }

    /// Reports references that would lead out of the tree.
    fn references(&mut self, location: &Location, document: &Document) {
        for (reference, span) in file_references(document) {
            let known = self.deployment.environment.files.get(location.resolve(reference).url());
            if known.is_some() && !is_relative_reference(reference) {
                let message = "an absolute reference leads out of the written folder";
                let finding = Diagnostic::new(codes::NOT_IN_TREE, message).at(span);
                self.findings.push(finding.help("write the path relative to this template"));
            }
        }
    }

    /// A template without the section; `None` with findings if it cannot be removed.
    fn template(&mut self, document: &Document, source: SourceId) -> Option<Vec<u8>> {
        let text = self.deployment.sources.text(source);
        let DocumentKind::Hot { version, .. } = recognize(document) else {
            return Some(text.as_bytes().to_vec());
        };
        if section(document).is_none() {
            return Some(text.as_bytes().to_vec());
        }
        let whole = match read(source, text.into(), self.deployment.limits) {
            Ok(whole) => whole,
            Err(finding) => {
                self.findings.push(*finding);
                return None;
            }
        };
        let options = UpgradeOptions {
            strip_capabilities: true,
            ..UpgradeOptions::new(self.deployment.schema, version)
        };
        let stripped = upgrade(&whole, &options, self.deployment.limits);
        if stripped.text.is_none() {
            let blockers = stripped.blockers.into_iter().map(|blocker| blocker.finding);
            let errors = stripped.findings.into_iter().filter(Diagnostic::is_error);
            self.findings.extend(blockers.chain(errors));
            if self.findings.is_empty() {
                let message = "the section `capabilities` cannot be removed";
                let finding = Diagnostic::new(codes::NOT_IN_TREE, message);
                self.findings.extend(section(document).map(|span| finding.at(span)));
            }
        }
        stripped.text.map(String::into_bytes)
    }
}

/// The path of a file in the tree; `None` if it is outside.
fn path_in(location: &Location, base: &Path) -> Option<PathBuf> {
    Some(location.absolute()?.strip_prefix(base).ok()?.to_owned())
}
