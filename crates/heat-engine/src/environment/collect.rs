//! Collects the files that Heat's client sends along: those that templates and environments refer to.
//!
//! Heat's rules: `docs/heat.md#files-that-the-client-sends`,
//! `docs/heat.md#files-that-are-templates`, `docs/heat.md#files-that-are-not-text`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;

use super::access::FileAccess;
use super::denied_files::DeniedFiles;
use super::location::Location;
use super::registry::is_template_name;
use super::tree::{EnvironmentMap, EnvironmentValue};
use heat_template::hot::VERSION_KEYS;
use lossless_yaml::{Document, Limits, NodeId, NodeKind, as_sent, decode, read};
use source_diagnostics::{Code, Diagnostic, SourceId, SourceMap, Span};

/// The maximum depth of nested templates, below Python's recursion limit.
const MAX_TEMPLATE_DEPTH: usize = 100;

/// The files of a deployment, in the order of Heat's `files`.
#[derive(Clone, Debug, Default)]
pub struct DeploymentFiles {
    files: IndexMap<String, DeploymentFile>,
    denied: DeniedFiles,
    unreadable: IndexMap<String, (Location, Code)>,
    /// Templates that texts of templates name, but that are not sent along. They only say which values are secret.
    unsent: IndexMap<String, DeploymentFile>,
}

/// A file that a template or an environment refers to.
#[derive(Clone, Debug)]
pub struct DeploymentFile {
    /// The location of the file.
    pub location: Location,
    /// The id of its source, if it is text.
    pub source: Option<SourceId>,
    /// The content of the file.
    pub content: FileContent,
}

/// The content of a file.
#[derive(Clone, Debug)]
pub enum FileContent {
    /// A template, of any dialect.
    Template(Arc<Document>),
    /// A text that is not a template.
    Text(Arc<str>),
    /// A file that is not text, in base64 with line ends, as the client sends it.
    Base64(Arc<str>),
}

impl DeploymentFiles {
    /// The file with this URL.
    pub fn get(&self, url: &str) -> Option<&DeploymentFile> {
        self.files.get(url)
    }

    /// The files that were not read because access is denied.
    pub fn outside(&self) -> &DeniedFiles {
        &self.denied
    }

    /// The files that could not be read, each with the code of the error.
    pub fn unread(&self) -> impl Iterator<Item = (&Location, Code)> {
        self.unreadable.values().map(|(location, code)| (location, *code))
    }

    /// The name of a file for messages: the path as the user typed it, or the URL if the deployment refers to no such
    /// file.
    pub fn display_name(&self, url: &str) -> String {
        let unread = self.unreadable.get(url).map(|(location, _)| location);
        let location = unread.or_else(|| Some(&self.get(url)?.location));
        location.map_or_else(|| url.to_owned(), ToString::to_string)
    }

    /// Whether the content of a URL is not on this machine.
    pub fn is_elsewhere(&self, url: &str) -> bool {
        self.unreadable.get(url).is_some_and(|(_, code)| *code == crate::codes::URL_NOT_FETCHED)
    }

    /// Every file, in the order of Heat's `files`.
    pub fn iter(&self) -> impl Iterator<Item = &DeploymentFile> {
        self.files.values()
    }

    /// The templates that are named but not sent along, such as the members of a chain.
    pub(super) fn unsent(&self) -> impl Iterator<Item = &DeploymentFile> {
        self.unsent.values().filter(|file| !self.files.contains_key(file.location.url()))
    }
}

/// The content of a file, and the id of its source if it is text.
type ReadContent = (Option<SourceId>, FileContent);

/// Reads files as references to them are found.
pub(super) struct FileCollector<'a, 'f> {
    access: &'a FileAccess<'f>,
    limits: &'a Limits,
    pub(super) sources: &'a mut SourceMap,
    pub(super) files: DeploymentFiles,
    pub(super) findings: Vec<Diagnostic>,
    /// Every file that was read, by its URL, including those that are not sent along.
    read: HashMap<String, Result<ReadContent, Box<Diagnostic>>>,
    /// The URLs of the templates that enclose the current one.
    ancestors: Vec<String>,
    /// Templates that are named by a text that does not refer to a file for the client.
    named: Vec<Location>,
}

impl<'a, 'f> FileCollector<'a, 'f> {
    pub(super) fn new(
        access: &'a FileAccess<'f>,
        limits: &'a Limits,
        sources: &'a mut SourceMap,
    ) -> Self {
        let (files, findings, around) = (DeploymentFiles::default(), Vec::new(), Vec::new());
        let (read, named) = (HashMap::new(), Vec::new());
        FileCollector { access, limits, sources, files, findings, read, ancestors: around, named }
    }

    /// Collects everything that a template refers to, but not the template itself.
    pub(super) fn template(&mut self, location: &Location, document: &Document) {
        if document
            .findings()
            .iter()
            .any(|finding| finding.code == lossless_yaml::codes::RECURSIVE_ALIAS)
        {
            return;
        }
        let references = file_references(document);
        let folder = location.folder();
        let sent: HashSet<&str> = references.iter().map(|(reference, _)| *reference).collect();
        let named = template_names(document).filter(|name| !sent.contains(name));
        self.named.extend(named.map(|name| folder.resolve(name)));
        if references.is_empty() {
            return;
        }
        self.ancestors.push(location.url().to_owned());
        for (reference, span) in references {
            self.file(&folder.resolve(reference), span);
        }
        self.ancestors.pop();
    }

    /// Collects the templates whose names are in a template that cannot be parsed: they say which of its values are secret.
    pub(super) fn broken_template(&mut self, location: &Location, text: &str) {
        let is_between = |c: char| c.is_whitespace() || "\"'{}[],".contains(c);
        let names: HashSet<&str> =
            text.split(is_between).filter(|word| is_template_name(word)).collect();
        let (folder, known) = (location.folder(), self.findings.len());
        self.ancestors.push(location.url().to_owned());
        for name in names {
            let location = folder.resolve(name);
            if self.access.read(&location).is_ok() {
                self.file(&location, Span::NOWHERE);
            }
        }
        self.ancestors.pop();
        self.findings.truncate(known);
    }

    /// Reads the templates that are named but not sent along, and those that they refer to or name.
    pub(super) fn read_unsent(&mut self) {
        let known = self.findings.len();
        let sent = std::mem::take(&mut self.files);
        while let Some(location) = self.named.pop() {
            let url = location.url();
            let is_known = sent.files.contains_key(url) || self.files.files.contains_key(url);
            if !is_known && self.access.read(&location).is_ok() {
                self.file(&location, Span::NOWHERE);
            }
        }
        let unsent = std::mem::replace(&mut self.files, sent).files;
        self.files.unsent = unsent;
        self.findings.truncate(known);
    }

    /// Collects everything that the registry of an environment refers to, except candidates that were not selected.
    pub(super) fn registry(&mut self, registry: &EnvironmentMap) {
        for node in registry.values() {
            match &node.value {
                EnvironmentValue::File(location) => self.file(location, node.span),
                EnvironmentValue::Map(map) => self.registry(map),
                _ => {}
            }
        }
    }

    /// The content of a file that is referred to at `span`; `None` if it cannot be read.
    pub(super) fn content(&mut self, location: &Location, span: Span) -> Option<ReadContent> {
        let content = match self.read.get(location.url()) {
            Some(known) => known.clone(),
            None => {
                let bytes = self.access.read(location);
                let content = bytes.map(|bytes| self.decoded(location, bytes));
                self.read.insert(location.url().to_owned(), content.clone());
                content
            }
        };
        match content {
            Ok(content) => Some(content),
            Err(finding) => {
                let mut code = finding.code;
                if code == crate::codes::OUTSIDE_ALLOWED_FOLDERS {
                    let text = self.sources.text(span.source).get(span.range()).unwrap_or_default();
                    if self.files.denied.add(location, self.access, (span, text)) {
                        code = crate::codes::URL_NOT_FETCHED;
                    }
                } else {
                    self.findings.push(finding.labeled(span, "referred to here"));
                }
                let unread = (location.clone(), code);
                self.files.unreadable.insert(location.url().to_owned(), unread);
                None
            }
        }
    }

    fn decoded(&mut self, location: &Location, bytes: Vec<u8>) -> ReadContent {
        match String::from_utf8(bytes) {
            Ok(text) => {
                let text: Arc<str> = text.into();
                let id = self.sources.add(location.to_string(), Arc::clone(&text));
                let content = match template(id, &text, self.limits) {
                    Some(document) => FileContent::Template(Arc::new(document)),
                    None => FileContent::Text(text),
                };
                (Some(id), content)
            }
            Err(error) => (None, FileContent::Base64(base64_lines(error.as_bytes()).into())),
        }
    }

    /// Collects a file that is referred to at `span`.
    fn file(&mut self, location: &Location, span: Span) {
        if self.files.files.contains_key(location.url()) {
            return;
        }
        if self.ancestors.iter().any(|url| url == location.url()) {
            let message = format!("`{location}` contains itself");
            self.findings.push(Diagnostic::new(crate::codes::NESTING_CYCLE, message).at(span));
            return;
        }
        if self.ancestors.len() > MAX_TEMPLATE_DEPTH {
            let message =
                format!("templates are nested more than {MAX_TEMPLATE_DEPTH} levels deep");
            self.findings
                .push(Diagnostic::new(lossless_yaml::codes::NESTING_TOO_DEEP, message).at(span));
            return;
        }
        let Some((source, content)) = self.content(location, span) else { return };
        if let FileContent::Template(document) = &content {
            self.template(location, document);
        }
        let file = DeploymentFile { location: location.clone(), source, content };
        self.files.files.insert(location.url().to_owned(), file);
    }
}

/// The references to files in a template, as they are written: those for which the client looks.
pub fn file_references(document: &Document) -> Vec<(&str, Span)> {
    let mut references = Vec::new();
    if let Some(root) = document.root() {
        references_below(document, root, &mut HashSet::new(), &mut references);
    }
    references
}

/// The texts of a template that may be names of templates.
pub(super) fn template_names(document: &Document) -> impl Iterator<Item = &str> {
    let nodes = (0..).map(NodeId).take(document.nodes().len());
    let texts = nodes.clone().filter_map(|id| document.str(id));
    let named = texts.filter(|text| is_template_name(text));
    // Such an address may end in anything.
    let maps = nodes.filter_map(|id| match document.kind(id) {
        NodeKind::Mapping(mapping) => Some(&mapping.entries),
        _ => None,
    });
    let entries = maps.flatten().filter(|entry| document.str(entry.key) == Some("TemplateURL"));
    let addresses = entries.filter_map(|entry| document.str(entry.value));
    named.chain(addresses).filter(|text| !text.contains(char::is_whitespace))
}

/// Visits children first, then the references of the map itself: the order in which the client finds them.
fn references_below<'d>(
    document: &'d Document,
    id: NodeId,
    seen: &mut HashSet<NodeId>,
    references: &mut Vec<(&'d str, Span)>,
) {
    let id = document.resolve(id);
    match document.kind(id) {
        NodeKind::Sequence(items) if seen.insert(id) => {
            for &item in items {
                references_below(document, item, seen, references);
            }
        }
        NodeKind::Mapping(mapping) if seen.insert(id) => {
            for entry in &mapping.entries {
                references_below(document, entry.value, seen, references);
            }
            for entry in &mapping.entries {
                let key = document.str(entry.key);
                let Some(value) = document.str(entry.value) else { continue };
                if key == Some("get_file") || key == Some("type") && is_template_name(value) {
                    references.push((value, document.span(entry.value)));
                }
            }
        }
        _ => {}
    }
}

/// The document of a text that the client recognizes as a template.
fn template(source: SourceId, text: &Arc<str>, limits: &Limits) -> Option<Document> {
    // Every template contains one of these, and most other files contain none.
    if !VERSION_KEYS.iter().any(|key| text.contains(key)) {
        return None;
    }
    decode(source, text.as_bytes().to_vec()).ok()?;
    let document = read(source, as_sent(text).into(), limits).ok()?;
    let root = document.root()?;
    VERSION_KEYS.iter().any(|key| document.entry(root, key).is_some()).then_some(document)
}

impl DeploymentFile {
    /// The bytes of the file. `sources` must have the texts as they were read, not masked.
    pub fn bytes(&self, sources: &SourceMap) -> Vec<u8> {
        match (self.source, &self.content) {
            (Some(source), _) => sources.text(source).as_bytes().to_vec(),
            (None, FileContent::Base64(lines)) => from_base64(lines),
            (None, FileContent::Text(text)) => text.as_bytes().to_vec(),
            (None, FileContent::Template(document)) => document.text().as_bytes().to_vec(),
        }
    }
}

const BASE64_DIGITS: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Decodes what [`base64_lines`] encoded.
fn from_base64(lines: &str) -> Vec<u8> {
    let digits = lines.bytes().filter_map(|byte| BASE64_DIGITS.iter().position(|it| *it == byte));
    let mut bytes = Vec::with_capacity(lines.len() / 4 * 3);
    let (mut bits, mut count) = (0, 0);
    for digit in digits {
        bits = (bits << 6 | digit as u32) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

/// Encodes like Python's `base64.encodebytes`: lines of 76 characters.
pub(super) fn base64_lines(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 4 / 3 + bytes.len() / 57 + 4);
    for line in bytes.chunks(57) {
        for group in line.chunks(3) {
            let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            for place in 0..4 {
                let digit = BASE64_DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
                text.push(if place > group.len() { '=' } else { char::from(digit) });
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use source_files::MemoryFiles;

    fn collect(files: &[(&str, &str)]) -> (Vec<String>, Vec<Diagnostic>) {
        let files: MemoryFiles = files.iter().copied().collect();
        let root = Location::from_argument(Path::new("t/root.yaml"), &files);
        let mut access = FileAccess::new(&files);
        access.allow_template(&root);
        let (mut sources, limits) = (SourceMap::default(), Limits::default());
        let bytes = access.read_named(&root).expect("the root");
        let text = String::from_utf8(bytes).expect("text");
        let id = sources.add("t/root.yaml", text.as_str().into());
        let document = read(id, text.into(), &limits).expect("YAML");
        let mut collector = FileCollector::new(&access, &limits, &mut sources);
        collector.template(&root, &document);
        let names = collector.files.iter().map(|file| file.location.to_string()).collect();
        let outside = collector.files.outside().finding(&files);
        (names, collector.findings.into_iter().chain(outside).collect())
    }

    #[test]
    fn files_are_found_wherever_they_are_named() {
        let (names, findings) = collect(&[
            (
                "t/root.yaml",
                "heat_template_version: pike\nresources:\n  a: {type: lib/a.yaml}\n  b: {type: OS::Heat::None, properties: {x: {get_file: s.sh, y: 1}, type: b.yml}}\n",
            ),
            (
                "t/lib/a.yaml",
                "heat_template_version: pike\noutputs: {o: {value: {get_file: ../s.sh}, p: {get_file: t.sh}}}\n",
            ),
            ("t/lib/t.sh", "t"),
            ("t/s.sh", "s"),
        ]);
        // The files of a template precede it.
        assert_eq!(names, ["t/s.sh", "t/lib/t.sh", "t/lib/a.yaml"]);
        assert_eq!(findings, []);
    }

    #[test]
    fn circles_and_missing_files_are_found_and_the_rest_goes_on() {
        let (names, findings) = collect(&[
            (
                "t/root.yaml",
                "heat_template_version: pike\nresources:\n  a: {type: a.yaml}\n  b: {type: b.yaml}\n  c: {type: no.yaml}\n  d: {type: ../o.yaml}\n",
            ),
            ("t/a.yaml", "heat_template_version: pike\nresources: {a: {type: a.yaml}}\n"),
            ("t/b.yaml", "heat_template_version: pike\n"),
            ("o.yaml", "heat_template_version: pike\n"),
        ]);
        assert_eq!(names, ["t/a.yaml", "t/b.yaml"]);
        let codes: Vec<Code> = findings.iter().map(|finding| finding.code).collect();
        assert_eq!(
            codes,
            [
                crate::codes::NESTING_CYCLE,
                source_files::codes::FILE_NOT_FOUND,
                crate::codes::OUTSIDE_ALLOWED_FOLDERS
            ]
        );
    }

    #[test]
    fn what_is_no_text_is_sent_in_base_64() {
        assert_eq!(base64_lines(b""), "");
        assert_eq!(base64_lines(b"\xff"), "/w==\n");
        assert_eq!(base64_lines(b"\xff\x00"), "/wA=\n");
        assert_eq!(base64_lines(&[0xff; 58]).len(), 76 + 1 + 4 + 1);
        for length in [0, 1, 2, 3, 56, 57, 58, 200] {
            let bytes: Vec<u8> = (0..length).map(|at| (at * 37 + 200) as u8).collect();
            assert_eq!(from_base64(&base64_lines(&bytes)), bytes);
        }
    }
}
