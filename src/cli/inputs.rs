//! Options and helpers of the commands that read templates.

use std::path::{Path, PathBuf};

use clap::Args;

use super::heat_release;
use heat_engine::environment::HiddenByNested;
use heat_template::dialect::{secrets, unread_secrets};
use hotplate_project::ReadOptions;
use lossless_yaml::{Document, Limits, decode_into, read};
use source_diagnostics::{Diagnostic, MaskedSources};
use source_files::{DEFAULT_MAX_SIZE, Disk, FileSource, FoundFiles, WithStdin, display_name, find};

/// Options about limits on files.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct ReadLimits {
    /// The maximum size of a file, in bytes; at most 4 GiB
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_MAX_SIZE)]
    max_size: u64,
    /// The maximum nesting depth of lists and maps; at most 1000
    #[arg(long, value_name = "LEVELS", default_value_t = Limits::default().depth)]
    max_depth: usize,
    /// The maximum number of keys and values in a file, with aliases expanded; a long text counts as one for each
    /// 64 bytes, and each value nested more than 16 levels deep as four more. Aliases and merge keys may add
    /// at most a twentieth of it
    #[arg(long, value_name = "NODES", default_value_t = Limits::default().nodes)]
    max_nodes: usize,
}

impl ReadLimits {
    pub(super) fn limits(self) -> Limits {
        let bytes = usize::try_from(self.max_size).unwrap_or(usize::MAX);
        Limits { depth: self.max_depth, nodes: self.max_nodes, bytes }
    }

    /// How files are read for the release of Heat that commands are about.
    pub(super) fn options(self) -> ReadOptions {
        ReadOptions { schema: heat_release(), limits: self.limits() }
    }

    /// Files on disk, and standard input as `-`.
    pub(super) fn files(self) -> WithStdin<Disk> {
        self.options().files()
    }
}

/// Reads one file; adds it to the sources.
pub(super) fn read_document(
    path: &Path,
    bounds: ReadLimits,
    sources: &mut MaskedSources,
) -> Result<Document, Box<Diagnostic>> {
    read_document_from(&bounds.files(), path, bounds, sources)
}

/// Reads a document from a source of files.
pub(super) fn read_document_from(
    files: &dyn FileSource,
    path: &Path,
    bounds: ReadLimits,
    sources: &mut MaskedSources,
) -> Result<Document, Box<Diagnostic>> {
    let name = display_name(path).into_owned();
    let bytes = files.read_content(path).map_err(|error| error.diagnostic())?;
    sources.read(|sources| {
        let source = sources.next_id();
        let document = decode_into(sources, name, bytes)
            .and_then(|(source, text)| read(source, text, &bounds.limits()));
        let mut secrets = match &document {
            Ok(document) => secrets(document),
            Err(_) => unread_secrets(source, sources.text(source)),
        };
        if sources.next_id() != source {
            let template = document.as_ref().map_err(|_| source);
            let limits = bounds.limits();
            let hidden =
                HiddenByNested::read(heat_release(), files, path, template, &limits, sources);
            secrets.extend(hidden.spans);
        }
        (document, secrets)
    })
}

/// The files that a command processes.
#[derive(Clone, Debug, Args)]
pub(super) struct Selection {
    /// Templates, folders to search for templates, or `-` for standard input; the default is the current
    /// folder
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Skip files that are not templates even if they are named; for hooks, which pass all changed
    /// files
    #[arg(long)]
    skip_non_templates: bool,
}

impl Selection {
    pub(super) fn find(&self, files: &dyn FileSource) -> FoundFiles {
        let mut found = find(files, &or_here(self.paths.clone()));
        if self.skip_non_templates {
            found.inputs.iter_mut().for_each(|input| input.is_explicit = false);
        }
        found
    }
}

/// The given paths, or the current folder.
pub(super) fn or_here(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    if paths.is_empty() { vec![PathBuf::from(".")] } else { paths }
}
