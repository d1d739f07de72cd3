//! What the commands that read templates have in common.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Console, ExitStatus};
use heat_template::dialect::unread_secrets;
use lossless_yaml::{Document, Limits, decode_into, read};
use source_diagnostics::{Diagnostic, SourceMap};
use source_files::{
    DEFAULT_MAX_SIZE, Disk, FileSource, FoundFiles, WithStdin, display_name, find, is_named_jinja,
};

/// Options about how much a file may hold.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct ReadLimits {
    /// The largest file that is read, in bytes; 4 GiB at most
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_MAX_SIZE)]
    max_size: u64,
    /// How deep lists and maps may nest; 1000 at most
    #[arg(long, value_name = "LEVELS", default_value_t = Limits::default().depth)]
    max_depth: usize,
    /// How many keys and values a file may hold, every alias followed; a long text counts as one for each
    /// 64 bytes, and what is nested more than 16 levels deep for each four more. Aliases and merge keys may add a
    /// twentieth of it
    #[arg(long, value_name = "NODES", default_value_t = Limits::default().nodes)]
    max_nodes: usize,
}

impl ReadLimits {
    pub(super) fn limits(self) -> Limits {
        let bytes = usize::try_from(self.max_size).unwrap_or(usize::MAX);
        Limits { depth: self.max_depth, nodes: self.max_nodes, bytes }
    }

    /// The largest file that is read.
    pub(super) fn max_size(self) -> u64 {
        self.max_size
    }

    /// Files on disk, and standard input as `-`.
    pub(super) fn files(self) -> WithStdin<Disk> {
        WithStdin::new(Disk::new(self.max_size), self.max_size, std::io::stdin())
    }
}

/// Whether a finding says that a file cannot be read since it is a Jinja2 template.
pub(super) fn is_jinja(finding: &Diagnostic, path: &Path) -> bool {
    finding.code == lossless_yaml::codes::JINJA
        || is_named_jinja(path) && finding.code == lossless_yaml::codes::YAML_SYNTAX
}

/// Reads one file and shows why if that fails; the sources know the file then.
pub(super) fn document(
    path: &Path,
    bounds: ReadLimits,
    sources: &mut SourceMap,
    console: &mut Console,
) -> Result<Document, ExitStatus> {
    read_document(path, bounds, sources).map_err(|finding| {
        console.diagnostics(&[*finding], sources);
        ExitStatus::Failed
    })
}

/// Reads one file; the sources know it then.
pub(super) fn read_document(
    path: &Path,
    bounds: ReadLimits,
    sources: &mut SourceMap,
) -> Result<Document, Box<Diagnostic>> {
    let name = display_name(path).into_owned();
    let bytes = bounds.files().read_content(path).map_err(|error| error.diagnostic())?;
    let source = sources.next_id();
    let document = decode_into(sources, name, bytes)
        .and_then(|(source, text)| read(source, text, &bounds.limits()));
    if document.is_err() {
        let secrets = unread_secrets(source, sources.text(source));
        sources.mask(&secrets);
    }
    document
}

/// Which files a command looks at.
#[derive(Clone, Debug, Args)]
pub(super) struct Selection {
    /// Templates, folders to search for templates, or `-` for standard input; the current folder where
    /// none is named
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Skip files that are not templates, also where they are named: for hooks, which name whatever has
    /// changed
    #[arg(long)]
    skip_non_templates: bool,
}

impl Selection {
    /// The files that are meant.
    pub(super) fn find(&self, files: &dyn FileSource) -> FoundFiles {
        let mut found = find(files, &or_here(self.paths.clone()));
        if self.skip_non_templates {
            found.inputs.iter_mut().for_each(|input| input.is_explicit = false);
        }
        found
    }
}

/// The paths that a command got, or the current folder.
pub(super) fn or_here(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    if paths.is_empty() { vec![PathBuf::from(".")] } else { paths }
}
