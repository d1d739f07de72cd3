//! Finds and opens `hotplate.toml`, and decides which of its paths may be used.

use std::path::{Path, PathBuf};

use super::KeyKind::*;
use super::read::{self, ReadConfig};
use super::{Config, FILE_NAME};
use heat_engine::environment::FileAccess;
use lossless_yaml::decode_into;
use source_diagnostics::{Diagnostic, Span};
use source_files::{FileSource, find_upwards};

impl Config {
    /// The file of a folder on disk (the empty path is the current one), or of the nearest folder above it that has one. The search
    /// ends at the top of the git work tree, and without one where a folder belongs to somebody else.
    pub fn find(folder: &Path) -> Option<PathBuf> {
        find_upwards(folder, FILE_NAME)
    }

    /// The file of the current folder in a revision, or of the nearest folder above it that has one there.
    pub fn find_in(revision: &dyn FileSource) -> Option<PathBuf> {
        let (here, top) = (revision.absolute(Path::new("")), revision.work_tree(Path::new(""))?);
        let mut way = PathBuf::new();
        for folder in here.ancestors() {
            let path = way.join(FILE_NAME);
            if revision.kind(&path).is_some() {
                return Some(path);
            }
            if folder == top {
                return None;
            }
            way.push("..");
        }
        None
    }

    /// Reads a file. What is wrong with it is in the findings. Paths that lead out of the project are errors unless the file
    /// `is_trusted`.
    pub fn open(path: &Path, files: &dyn FileSource, is_named: bool, is_trusted: bool) -> Config {
        let mut config = Config { path: path.to_owned(), ..Config::default() };
        let parent = path.parent().unwrap_or(Path::new(""));
        let mut access = FileAccess::new(files);
        config.folder = access.allow_folder(parent);
        if !is_named && let Some(why) = access.refusal(path) {
            let message = format!("`{}` {why}", source_files::display_name(path));
            config.findings.push(Diagnostic::new(crate::codes::CONFIG_PATH_OUTSIDE, message));
            return config;
        }
        let name = source_files::display_name(path);
        let read = files.read(path).map_err(|error| Box::new(error.diagnostic()));
        let read = read.and_then(|bytes| {
            config.sources.read(|sources| {
                let read = decode_into(sources, name, bytes);
                let read = read.map(|(source, text)| read::read(source, &text));
                let secrets = read.as_ref().map(|it| it.secrets.clone()).unwrap_or_default();
                (read, secrets)
            })
        });
        let ReadConfig { settings, deployments, path_ignores, findings, .. } = match read {
            Ok(read) => read,
            Err(finding) => {
                config.findings.push(*finding);
                return config;
            }
        };
        config.settings = settings;
        config.deployments = deployments;
        config.path_ignores = path_ignores;
        config.findings = findings;
        let mut resolver =
            PathResolver { folder: parent, access, is_trusted, findings: Vec::new() };
        for setting in &mut config.settings {
            let key = setting.key.full_name();
            for value in &mut setting.values {
                let is_path = match setting.key.kind {
                    Path | Paths | PathOfUrl => true,
                    Target => value.text.contains('/'),
                    Flag(_) | Number | Word | Words | CommaList | OneOf(_) => false,
                };
                if is_path {
                    let path = resolver.resolve(Path::new(&value.text), &key, value.span);
                    value.text = path.to_string_lossy().into_owned();
                }
            }
        }
        for environment in config.deployments.iter_mut().flat_map(|it| &mut it.environments) {
            environment.path =
                resolver.resolve(&environment.path, "environments", environment.span);
        }
        config.findings.extend(resolver.findings);
        config
    }
}

/// Resolves the paths of a file.
struct PathResolver<'a> {
    /// The folder of the file, as it is shown.
    folder: &'a Path,
    /// The files that a template of the project could read.
    access: FileAccess<'a>,
    is_trusted: bool,
    findings: Vec<Diagnostic>,
}

impl PathResolver<'_> {
    /// The path relative to the current folder; a finding if the file may not name it.
    fn resolve(&mut self, path: &Path, key: &str, span: Span) -> PathBuf {
        let resolved = self.folder.join(path);
        if !self.is_trusted
            && let Some(why) = self.access.refusal(&resolved)
        {
            let message = format!("`{}` in `{key}` {why}", path.display());
            self.findings.push(
                Diagnostic::new(crate::codes::CONFIG_PATH_OUTSIDE, message)
                    .at(span)
                    .help("options of the command line may name it")
                    .help("`--trust-config` permits every path of the file, `--no-config` ignores the file"),
            );
        }
        resolved
    }
}
