//! The options of `check` that change files.

use std::collections::BTreeSet;

use clap::Args;

use super::patches::{CurrentFolder, PatchText};
use super::{Console, ExitStatus};
use crate::fix::FixedFile;
use hotplate_check::FixSafety;
use source_diagnostics::{Diagnostic, MaskedSources, SourceMap};
use source_files::{FileSource, display_name, is_stdin, write_atomic};

/// Options that change files.
#[derive(Clone, Debug, Args)]
pub(super) struct FixOptions {
    /// Change the files: apply the fixes that certainly keep what Heat does, then report what remains
    #[arg(long, conflicts_with = "write_baseline")]
    fix: bool,
    /// Also apply the fixes that change what Heat does, or may
    #[arg(long, conflicts_with = "write_baseline")]
    unsafe_fixes: bool,
    /// Print the fixes as a patch that `git apply` accepts in the current folder, instead of findings
    #[arg(short, long, conflicts_with_all = ["write_baseline", "format", "statistics"])]
    pub(super) diff: bool,
}

impl FixOptions {
    /// The fixes that are requested, to be written or printed.
    pub(super) fn requested(&self) -> Option<FixSafety> {
        let is_requested = self.fix || self.unsafe_fixes || self.diff;
        let safety = if self.unsafe_fixes { FixSafety::Unsafe } else { FixSafety::Safe };
        is_requested.then_some(safety)
    }

    /// Writes the files; returns those that could not be written.
    pub(super) fn write(
        files: &[FixedFile],
        console: &mut Console,
    ) -> anyhow::Result<BTreeSet<String>> {
        if files.iter().any(|file| is_stdin(&file.path)) {
            anyhow::bail!(
                "fixes need a file and cannot be written to standard input; `--diff` prints them"
            );
        }
        let mut failed = BTreeSet::new();
        for FixedFile { path, new, .. } in files {
            match write_atomic(path, new.text.as_bytes()) {
                Ok(written) => {
                    let effects: Vec<Diagnostic> = written.findings().collect();
                    console.diagnostics(&effects, &MaskedSources::default());
                }
                Err(error) => {
                    console.diagnostics(&[error.diagnostic()], &MaskedSources::default());
                    failed.insert(display_name(path).into_owned());
                }
            }
        }
        Ok(failed)
    }

    /// Prints the changes as patches. Files that would change need attention.
    pub(super) fn print(
        fixed: &[FixedFile],
        files: &dyn FileSource,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let here = CurrentFolder::new(files);
        let mut status = ExitStatus::Done;
        let color = console.stream_style().color;
        for FixedFile { path, old, old_secrets, new, .. } in fixed {
            let mut sources = SourceMap::default();
            sources.add(display_name(path), old.clone());
            let sources = sources.masked(old_secrets);
            let old = PatchText { text: old, secrets: old_secrets.clone() };
            let new = PatchText { text: &new.text, secrets: new.secrets.clone() };
            let patch = here.patch(files, path, false, [old, new], color);
            let help = "`--fix` changes the file without printing it";
            status = status.max(patch.print(path, help, &sources, console)?);
            status = status.max(ExitStatus::Attention);
        }
        Ok(status)
    }
}
