//! Loads a folder as a target, and reports every error in it before anything is rendered.

use std::collections::BTreeSet;

use handlebars::{Handlebars, TemplateError, no_escape};

use super::files::{MANIFEST, PackFile, PackFiles, TEMPLATE};
use super::helpers::expression::{FOLDER, LOST};
use super::manifest::Manifest;
use super::nesting;
use super::partials;
use super::{OutputFile, TemplatePack};
use crate::mapping::Mapping;
use crate::table_reader;
use heat_template::ir::ExprKind;
use lossless_yaml::{Document, Limits, NodeId, read_yaml};
use source_diagnostics::{Diagnostic, LineIndex, Span, did_you_mean};

/// The folder with the templates of rules that a mapping table names.
pub(super) const RULES: &str = "rules/";

/// Loads the files of a folder as a target.
pub(super) fn load(texts: PackFiles) -> Result<TemplatePack, (PackFiles, Vec<Diagnostic>)> {
    let mut loader = PackLoader { texts: &texts, findings: Vec::new() };
    let loaded = loader.load();
    let findings = loader.findings;
    match loaded {
        Some((manifest, outlets, mapping)) if findings.is_empty() => {
            let kinds = texts.templates().filter_map(|(name, _)| name.strip_prefix(FOLDER));
            let kinds: BTreeSet<String> = kinds.map(str::to_owned).collect();
            Ok(TemplatePack { manifest, outlets, mapping, kinds, texts })
        }
        _ => Err((texts, findings)),
    }
}

/// A handlebars registry in strict mode that escapes nothing.
pub(super) fn empty_registry<'r>() -> Handlebars<'r> {
    let mut registry = Handlebars::new();
    registry.set_strict_mode(true);
    registry.register_escape_fn(no_escape);
    registry
}

struct PackLoader<'t> {
    texts: &'t PackFiles,
    findings: Vec<Diagnostic>,
}

impl PackLoader<'_> {
    fn load(&mut self) -> Option<(Manifest, Vec<OutputFile>, Option<Mapping>)> {
        let PackFile { source, text } = self.texts.get(MANIFEST)?.clone();
        let document = match read_yaml(source, text, &Limits::default()) {
            Ok(document) => document,
            Err(finding) => {
                self.findings.push(*finding);
                return None;
            }
        };
        if let Some(finding) = document.findings().first() {
            self.findings.push(table_reader::as_error(finding));
            return None;
        }
        let manifest: Manifest = match table_reader::from_document(&document) {
            Ok(manifest) => manifest,
            Err(finding) => {
                self.findings.push(*finding);
                return None;
            }
        };
        let mut manifest_of = ManifestPlace { document: &document };
        self.name(&manifest, &mut manifest_of);
        let mapping = self.mapping(&manifest, &manifest_of);
        let outlets = self.templates(&manifest, &manifest_of);
        self.expressions();
        Some((manifest, outlets, mapping))
    }

    fn broken(&mut self, message: impl Into<String>, span: Span) -> &mut Diagnostic {
        self.findings.push(Diagnostic::new(crate::codes::TARGET_BROKEN, message).at(span));
        let last = self.findings.len() - 1;
        &mut self.findings[last]
    }

    fn name(&mut self, manifest: &Manifest, place: &mut ManifestPlace<'_>) {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if manifest.name.is_empty() || !manifest.name.chars().all(fits) {
            let message = "the name of a target may only have lower-case letters, digits and `-`";
            self.broken(message, place.at(&["name"]));
        }
        if manifest.names.longest == 0 {
            self.broken("`longest` must be at least 1", place.at(&["names", "longest"]));
        }
        let prefix = &manifest.names.prefix;
        if !prefix.starts_with(|c: char| c.is_ascii_alphabetic()) {
            self.broken("`prefix` must start with a letter", place.at(&["names", "prefix"]));
        }
        let many = manifest.outputs.len() > 1;
        if manifest.outputs.is_empty() {
            self.broken("a target needs at least one output", place.at(&["outputs"]));
        }
        for (index, output) in manifest.outputs.iter().enumerate() {
            if output.path.is_none() && (many || output.each.is_some()) {
                let message = "a target with several files needs a `path` for each";
                self.broken(message, place.item("outputs", index, None));
            }
        }
    }

    fn mapping(&mut self, manifest: &Manifest, place: &ManifestPlace<'_>) -> Option<Mapping> {
        let path = manifest.mapping.as_ref()?;
        let Some(PackFile { source, text }) = self.texts.get(path).cloned() else {
            self.broken(format!("the folder has no file `{path}`"), place.at(&["mapping"]));
            return None;
        };
        let document = match read_yaml(source, text, &Limits::default()) {
            Ok(document) => document,
            Err(finding) => {
                self.findings.push(*finding);
                return None;
            }
        };
        let table = match document.findings().first() {
            Some(twice) => Err(Box::new(table_reader::as_error(twice))),
            None => table_reader::from_document::<Mapping>(&document),
        };
        let mapping = match table {
            Ok(mapping) => mapping,
            Err(finding) => {
                self.findings.push(*finding);
                return None;
            }
        };
        let place = ManifestPlace { document: &document };
        for (name, row) in &mapping.types {
            let mut rules = vec![(row.rule.as_ref(), vec!["types", name, "rule"])];
            for (property, it) in &row.properties {
                let path = vec!["types", name, "properties", property, "rule"];
                rules.push((it.rule.as_ref(), path));
            }
            for (attribute, it) in &row.attributes {
                let path = vec!["types", name, "attributes", attribute, "rule"];
                rules.push((it.rule.as_ref(), path));
            }
            for (rule, path) in rules {
                let Some(rule) = rule else { continue };
                let template = format!("{RULES}{rule}{TEMPLATE}");
                if self.texts.get(&template).is_none() {
                    let message = format!("the rule `{rule}` has no template `{template}`");
                    self.broken(message, place.at(&path));
                }
            }
        }
        Some(mapping)
    }

    /// Compiles every template, including those in the paths of outputs.
    fn templates(&mut self, manifest: &Manifest, place: &ManifestPlace<'_>) -> Vec<OutputFile> {
        let mut registry = empty_registry();
        for (name, text) in self.texts.templates() {
            if let Some(at) = nesting::too_deep(&text.text) {
                self.findings.push(nested(Span::new(text.source, at as u32, at as u32 + 1)));
            } else if let Err(error) = registry.register_template_string(name, &*text.text) {
                self.findings.push(syntax_error(&error, text));
            }
        }
        let templates = registry.get_templates();
        let mut wrong = partials::check(templates.iter());
        wrong.sort_by(|one, other| one.template.cmp(&other.template));
        for wrong in wrong {
            let Some(text) = self.texts.get(&format!("{}{TEMPLATE}", wrong.template)) else {
                continue;
            };
            let found = text.text.find("{{>").filter(|_| wrong.partial.is_empty());
            let found = found.or_else(|| place_of_partial(&text.text, &wrong.partial));
            let start = found.unwrap_or(0) as u32;
            let end = start + wrong.partial.len().min(text.text.len() - start as usize) as u32;
            self.findings.push(
                Diagnostic::new(crate::codes::TARGET_TEMPLATE, wrong.message).at(Span::new(
                    text.source,
                    start,
                    end,
                )),
            );
        }
        let mut outlets = Vec::new();
        for (index, output) in manifest.outputs.iter().enumerate() {
            let name = output.template.strip_suffix(TEMPLATE);
            let there = name.filter(|_| self.texts.get(&output.template).is_some());
            let path_span = place.item("outputs", index, Some("path"));
            match there {
                Some(name) => outlets.push(OutputFile { template: name.to_owned(), path_span }),
                None => {
                    let names: Vec<&str> = self.texts.paths().collect();
                    let templates = names.into_iter().filter(|path| path.ends_with(TEMPLATE));
                    let near = did_you_mean(&output.template, templates).map(str::to_owned);
                    let span = place.item("outputs", index, Some("template"));
                    let message = format!("the folder has no template `{}`", output.template);
                    let finding = self.broken(message, span);
                    finding.help.extend(near.map(|near| format!("did you mean `{near}`?")));
                }
            }
            let Some(path) = &output.path else { continue };
            if nesting::too_deep(path).is_some() {
                self.findings.push(nested(path_span));
            } else if let Err(error) = registry.register_template_string("path", path) {
                let message = format!("the path is not a valid template: {}", error.reason());
                let finding = Diagnostic::new(crate::codes::TARGET_TEMPLATE, message).at(path_span);
                self.findings.push(finding);
            }
        }
        outlets
    }

    fn expressions(&mut self) {
        let names: Vec<(String, Span)> = self
            .texts
            .templates()
            .filter(|(name, _)| name.starts_with(FOLDER))
            .map(|(name, text)| (name.to_owned(), Span::new(text.source, 0, 0)))
            .collect();
        for (name, span) in &names {
            let kind = &name[FOLDER.len()..];
            if name != LOST && ExprKind::names().all(|known| known != kind) {
                let near = did_you_mean(kind, ExprKind::names());
                let message = format!("unknown kind of expression `{kind}`");
                let finding = self.broken(message, *span);
                finding.help.extend(near.map(|near| format!("did you mean `{near}`?")));
            }
        }
        if let Some((_, span)) = names.first()
            && !names.iter().any(|(name, _)| name == LOST)
        {
            let message = format!(
                "`{LOST}{TEMPLATE}` is missing: the template for functions that cannot be expressed"
            );
            self.broken(message, *span);
        }
    }
}

/// Looks up spans in a document of maps.
struct ManifestPlace<'d> {
    document: &'d Document,
}

impl ManifestPlace<'_> {
    /// The span of the value that a path of keys leads to, or of its last existing parent.
    fn at(&self, keys: &[&str]) -> Span {
        let Some(mut node) = self.document.root() else {
            return Span::new(self.document.source(), 0, 0);
        };
        for key in keys {
            match self.document.get(node, key) {
                Some(next) => node = next,
                None => break,
            }
        }
        self.document.span(node)
    }

    /// The span of an item of a list at the root, or of one of its values.
    fn item(&self, list: &str, index: usize, key: Option<&str>) -> Span {
        let item = || -> Option<NodeId> {
            let list = self.document.get(self.document.root()?, list)?;
            let item = *self.document.items(list).get(index)?;
            Some(key.and_then(|key| self.document.get(item, key)).unwrap_or(item))
        };
        item().map_or_else(|| self.at(&[list]), |node| self.document.span(node))
    }
}

fn place_of_partial(text: &str, partial: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].find("{{") {
        let start = from + at + 2;
        let rest = text[start..].trim_start_matches(['~', '{', '#', '>', '*', ' ', '"', '\'']);
        if rest.starts_with(partial) {
            return Some(text.len() - rest.len());
        }
        from = start;
    }
    None
}

/// The error for a template that is not parsed, since parsing it could overflow the stack.
fn nested(place: Span) -> Diagnostic {
    let message = format!("the template has more than {} levels of nesting", nesting::MAX_NESTING);
    Diagnostic::new(crate::codes::TARGET_TEMPLATE, message)
        .at(place)
        .help("move a part to a separate file and `include` it")
}

fn syntax_error(error: &TemplateError, text: &PackFile) -> Diagnostic {
    let message = plain_message(&error.reason().to_string());
    let finding = Diagnostic::new(crate::codes::TARGET_TEMPLATE, message);
    let (line, column) = error.pos().unwrap_or((1, 1));
    finding.at(expression_span(text, line, column))
}

/// A message of handlebars on one line, with a lower-case first letter.
pub(super) fn plain_message(message: &str) -> String {
    let line = message.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = line.collect::<Vec<_>>().join(" ");
    let mut letters = line.chars();
    match letters.next() {
        Some(first) if letters.as_str().starts_with(|c: char| c.is_lowercase()) => {
            format!("{}{}", first.to_lowercase(), letters.as_str())
        }
        _ => line,
    }
}

/// The expression at a line and column, both counted from 1.
pub(super) fn expression_span(text: &PackFile, line: usize, column: usize) -> Span {
    let index = LineIndex::new(&text.text);
    let lines = text.text.lines().count().max(1);
    let line = line.clamp(1, lines);
    let range = index.line_range(&text.text, line as u32);
    let shown = &text.text[range.clone()];
    let at = shown.char_indices().nth(column.saturating_sub(1)).map_or(shown.len(), |(at, _)| at);
    let end = shown[at..].find("}}").map_or(shown.len(), |end| at + end + 2);
    Span::new(text.source, (range.start + at) as u32, (range.start + end) as u32)
}
