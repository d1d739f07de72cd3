//! The files of a target, embedded or read from a folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexmap::IndexMap;

use lossless_yaml::decode;
use source_diagnostics::{Diagnostic, SourceId, SourceMap};
use source_files::{FileSource, PathKind};

/// The file name of the manifest.
pub const MANIFEST: &str = "target.yaml";
/// The folder of a target's test cases.
pub const CASES: &str = "cases";
/// The extension of a template's file name.
pub const TEMPLATE: &str = ".hbs";

/// The maximum number of files of a target, and of nested folders: a link that leads back must end somewhere.
const MAX_FILES: usize = 1000;
const MAX_FOLDER_DEPTH: usize = 8;

/// A file, with the ID under which findings refer to it.
#[derive(Clone, Debug)]
pub struct PackFile {
    /// Its ID within the run.
    pub source: SourceId,
    /// The content of the file.
    pub text: Arc<str>,
}

/// The files of a folder by their relative paths, separated by `/`.
#[derive(Clone, Debug, Default)]
pub struct PackFiles {
    /// The path of the folder, as the user wrote it.
    pub folder: String,
    texts: IndexMap<String, PackFile>,
}

impl PackFiles {
    /// Files that are embedded in the program.
    pub fn embedded(folder: &str, texts: &[(&str, &str)]) -> Self {
        let mut built_in = PackFiles { folder: folder.to_owned(), texts: IndexMap::new() };
        for (path, text) in texts {
            built_in.add((*path).to_owned(), (*text).into());
        }
        built_in
    }

    /// Reads the manifest, the tables and the templates of a folder; test cases are skipped.
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
                    let message = format!(
                        "`{at}` is a symbolic link that leads out of the folder of the target"
                    );
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
                                format!("`{}` has more than {MAX_FILES} files", folder.display());
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

    /// The file at a relative path.
    pub fn get(&self, path: &str) -> Option<&PackFile> {
        self.texts.get(path)
    }

    /// The templates: their names (paths without `.hbs`) and files.
    pub fn templates(&self) -> impl Iterator<Item = (&str, &PackFile)> {
        self.texts.iter().filter_map(|(path, text)| Some((path.strip_suffix(TEMPLATE)?, text)))
    }

    /// The relative paths of all files.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }

    /// The contents with the paths that the user knows, in the order of their IDs.
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
                .help("`hotplate targets new DIR` creates a working target")
        }
        Some(PathKind::File) => {
            let message = format!("`{shown}` is a file, but a target is a folder");
            Diagnostic::new(crate::codes::TARGET_BROKEN, message)
        }
        None => {
            let missing = files.missing(folder).diagnostic();
            Diagnostic { code: crate::codes::TARGET_BROKEN, ..missing }
        }
    }
}
