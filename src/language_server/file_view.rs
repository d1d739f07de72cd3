//! The facts about one version of a file.

use std::path::PathBuf;
use std::sync::Arc;

use heat_engine::environment::sections::is_environment;
use heat_template::dialect::{Dialect, LoweredTemplate, lower};
use heat_template::hot::declares_version;
use lossless_yaml::{Document, Limits};
use source_diagnostics::Span;

use super::position::{ColumnUnit, LineStarts};
use super::recovery::ReadableText;

/// A file, as far as it can be read.
#[derive(Debug)]
pub(super) struct FileView {
    pub(super) path: PathBuf,
    /// The text that the user sees.
    pub(super) text: Arc<str>,
    pub(super) lines: LineStarts,
    pub(super) readable: ReadableText,
    pub(super) content: FileContent,
}

/// The kind of file.
#[derive(Debug)]
pub(super) enum FileContent {
    /// A template; the spans of the model are those of the text.
    Template(Box<LoweredTemplate>),
    /// A template that Heat refuses as a whole; `check` says why.
    RefusedTemplate,
    Environment,
    /// Something else, or a file that cannot be read.
    Other,
}

impl FileView {
    pub(super) fn new(path: PathBuf, text: Arc<str>, limits: &Limits) -> Self {
        let mut readable = ReadableText::new(&text, limits);
        let is_template = declares_version(text.as_bytes());
        let content = match &readable.document {
            Some(document) if is_environment(document) && !is_template => FileContent::Environment,
            Some(document) => match lower(document) {
                Ok(lowered) => FileContent::Template(Box::new(lowered)),
                Err(_) if is_template => FileContent::RefusedTemplate,
                Err(_) => FileContent::Other,
            },
            None => FileContent::Other,
        };
        if matches!(content, FileContent::Other) && !is_template {
            // A file of another program is not this server's business.
            readable.errors.clear();
        }
        FileView { path, lines: LineStarts::new(&text), text, readable, content }
    }

    /// The document of what can be read.
    pub(super) fn document(&self) -> Option<&Document> {
        self.readable.document.as_ref()
    }

    /// The template, if Heat accepts it as one.
    pub(super) fn template(&self) -> Option<&LoweredTemplate> {
        match &self.content {
            FileContent::Template(lowered) => Some(lowered),
            FileContent::RefusedTemplate | FileContent::Environment | FileContent::Other => None,
        }
    }

    /// The dialect of the template.
    pub(super) fn dialect(&self) -> Option<Dialect> {
        self.template().map(|lowered| Dialect::of(&lowered.stack.format))
    }

    /// Whether it is a template or an environment.
    pub(super) fn is_of_heat(&self) -> bool {
        !matches!(self.content, FileContent::Other) || !self.readable.errors.is_empty()
    }

    /// The key of the section of resources; the start of the text without one.
    pub(super) fn section_of_resources(&self) -> std::ops::Range<usize> {
        let section = self.dialect().map(|dialect| dialect.key_name("resources"));
        let entry = self.document().and_then(|it| it.entry(it.root()?, section?));
        let document = self.document();
        entry.zip(document).map_or(0..0, |(entry, it)| it.span(entry.key).range())
    }

    /// The range of a span of the text.
    pub(super) fn range(&self, span: Span, unit: ColumnUnit) -> gen_lsp_types::Range {
        self.lines.range(&self.text, span.range(), unit)
    }
}
