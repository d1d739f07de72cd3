//! The texts of a target's folder, wherever they are from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexmap::IndexMap;

use lossless_yaml::decode;
use source_diagnostics::{Diagnostic, SourceId, SourceMap};
use source_files::{FileSource, PathKind};

/// The manifest.
pub const MANIFEST: &str = "target.yaml";
/// The folder of a target's own cases.
pub const CASES: &str = "cases";
/// What a template's name ends with.
pub const TEMPLATE: &str = ".hbs";

/// Files of one target, and folders in each other: a link that leads back must end somewhere.
const MAX_FILES: usize = 1000;
const MAX_FOLDER_DEPTH: usize = 8;

/// A text with the name that findings know it by.
#[derive(Clone, Debug)]
pub struct PackFile {
    /// Its name within the run.
    pub source: SourceId,
    /// The text.
    pub text: Arc<str>,
}

/// The texts of a folder by their paths in it, with `/` between the parts.
#[derive(Clone, Debug, Default)]
pub struct PackFiles {
    /// The folder as the user knows it.
    pub folder: String,
    texts: IndexMap<String, PackFile>,
}

impl PackFiles {
    /// Texts that are part of the program.
    pub fn embedded(folder: &str, texts: &[(&str, &str)]) -> Self {
        let mut baked = PackFiles { folder: folder.to_owned(), texts: IndexMap::new() };
        for (path, text) in texts {
            baked.add((*path).to_owned(), (*text).into());
        }
        baked
    }

    /// Reads the manifest, the tables and the templates of a folder; its cases are left alone.
    pub fn read(folder: &Path, files: &dyn FileSource) -> Result<Self, (Self, Vec<Diagnostic>)> {
        let mut texts = PackFiles { folder: folder.display().to_string(), texts: IndexMap::new() };
        if files.kind(&folder.join(MANIFEST)) != Some(PathKind::File) {
            return Err((texts, vec![no_manifest(folder, files)]));
        }
        let mut findings = Vec::new();
        let real = files.absolute(folder);
        let mut folders = vec![(PathBuf::new(), 0)];
        while let Some((inner, depth)) = folders.pop() {
            for name in files.path_components(&folder.join(&inner)) {
                let path = inner.join(&name);
                let key = path.to_string_lossy().replace('\\', "/");
                let at = folder.join(&path);
                let kind = files.kind(&at);
                let is_wanted = match kind {
                    _ if name.starts_with('.') || key == CASES => false,
                    Some(PathKind::Folder) => true,
                    Some(PathKind::File) => is_read(&name),
                    None => false,
                };
                if is_wanted && !files.absolute(&at).starts_with(&real) {
                    let at = at.display();
                    let message =
                        format!("`{at}` is a link that leads out of the folder of the target");
                    findings.push(Diagnostic::new(crate::codes::TARGET_BROKEN, message));
                    continue;
                }
                match kind {
                    _ if !is_wanted => {}
                    Some(PathKind::Folder) if depth < MAX_FOLDER_DEPTH => {
                        folders.push((path, depth + 1))
                    }
                    Some(PathKind::File) => {
                        if texts.texts.len() == MAX_FILES {
                            let message =
                                format!("`{}` holds more than {MAX_FILES} files", folder.display());
                            findings.push(Diagnostic::new(crate::codes::TARGET_BROKEN, message));
                            return Err((texts, findings));
                        }
                        match files.read(&at) {
                            Ok(bytes) => texts.decode(key, bytes, &mut findings),
                            Err(error) => findings.push(error.diagnostic()),
                        }
                    }
                    _ => {}
                }
            }
        }
        texts.texts.sort_keys();
        if findings.is_empty() { Ok(texts) } else { Err((texts, findings)) }
    }

    fn decode(&mut self, path: String, bytes: Vec<u8>, findings: &mut Vec<Diagnostic>) {
        match decode(SourceMap::attached_id(self.texts.len()), bytes) {
            Ok(text) => self.add(path, text.into()),
            Err(not_text) => {
                self.add(path, not_text.shown.into());
                findings.push(*not_text.finding);
            }
        }
    }

    fn add(&mut self, path: String, text: Arc<str>) {
        let source = SourceMap::attached_id(self.texts.len());
        self.texts.insert(path, PackFile { source, text });
    }

    /// The text at a path.
    pub fn get(&self, path: &str) -> Option<&PackFile> {
        self.texts.get(path)
    }

    /// The templates: their names (paths without `.hbs`) and texts.
    pub fn templates(&self) -> impl Iterator<Item = (&str, &PackFile)> {
        self.texts.iter().filter_map(|(path, text)| Some((path.strip_suffix(TEMPLATE)?, text)))
    }

    /// The paths.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }

    /// The texts under the names that a user knows them by, in the order of their ids.
    pub fn attached(&self) -> Vec<(String, Arc<str>)> {
        let mut named: Vec<_> = self.texts.iter().collect();
        named.sort_by_key(|(_, text)| text.source);
        named
            .into_iter()
            .map(|(path, text)| {
                (format!("{}/{path}", self.folder.trim_end_matches('/')), Arc::clone(&text.text))
            })
            .collect()
    }
}

fn is_read(name: &str) -> bool {
    name.ends_with(TEMPLATE) || name.ends_with(".yaml")
}

fn no_manifest(folder: &Path, files: &dyn FileSource) -> Diagnostic {
    let shown = folder.display();
    match files.kind(folder) {
        Some(PathKind::Folder) => {
            let message = format!("`{shown}` is not a target: it has no `{MANIFEST}`");
            Diagnostic::new(crate::codes::TARGET_BROKEN, message)
                .help("`hotplate targets new DIR` writes a folder that works")
        }
        Some(PathKind::File) => {
            let message = format!("`{shown}` is a file, and a target is a folder");
            Diagnostic::new(crate::codes::TARGET_BROKEN, message)
        }
        None => {
            let missing = files.missing(folder).diagnostic();
            Diagnostic { code: crate::codes::TARGET_BROKEN, ..missing }
        }
    }
}
