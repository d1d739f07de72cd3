//! The options of `check` that change files.

use clap::Args;

use super::patches::{CurrentFolder, PatchText};
use super::{Console, ExitStatus};
use crate::check::{FixSafety, FixedFinding};
use crate::fix::FileFixes;
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

/// What became of the files.
#[derive(Default)]
pub(super) struct FixOutcome {
    pub(super) fixed: Vec<FixedFinding>,
    /// Whether a file could not be written.
    pub(super) is_failed: bool,
}

impl FixOptions {
    /// Whether files are written, with which fixes.
    pub(super) fn writes(&self) -> Option<FixSafety> {
        (!self.diff && (self.fix || self.unsafe_fixes)).then(|| self.safety())
    }

    fn safety(&self) -> FixSafety {
        if self.unsafe_fixes { FixSafety::Unsafe } else { FixSafety::Safe }
    }

    /// Writes the files.
    pub(super) fn write(
        &self,
        fixes: &[FileFixes],
        safety: FixSafety,
        console: &mut Console,
    ) -> anyhow::Result<FixOutcome> {
        let changed = || fixes.iter().filter_map(|file| Some((file, file.fixed(safety)?)));
        if changed().any(|(file, _)| is_stdin(&file.path)) {
            anyhow::bail!(
                "fixes need a file and cannot be written to standard input; `--diff` prints them"
            );
        }
        let mut outcome = FixOutcome::default();
        for (file, fixed) in changed() {
            match write_atomic(&file.path, fixed.text.as_bytes()) {
                Ok(written) => {
                    let effects: Vec<Diagnostic> = written.findings().collect();
                    console.diagnostics(&effects, &MaskedSources::default());
                    outcome.fixed.extend(fixed.fixed.iter().cloned());
                }
                Err(error) => {
                    console.diagnostics(&[error.diagnostic()], &MaskedSources::default());
                    outcome.is_failed = true;
                }
            }
        }
        outcome.fixed.sort_by_key(|it| {
            it.place.as_ref().map(|place| (place.path.clone(), place.start.byte))
        });
        Ok(outcome)
    }

    /// Prints the changes as patches. Files that would change need attention.
    pub(super) fn print(
        &self,
        fixes: &[FileFixes],
        files: &dyn FileSource,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let here = CurrentFolder::new(files);
        let mut status = ExitStatus::Done;
        let color = console.stream_style().color;
        for file in fixes {
            let Some(fixed) = file.fixed(self.safety()) else { continue };
            let mut sources = SourceMap::default();
            sources.add(display_name(&file.path), file.text.clone());
            let sources = sources.masked(&file.secrets);
            let old = PatchText { text: &file.text, secrets: file.secrets.clone() };
            let new = PatchText { text: &fixed.text, secrets: fixed.secrets.clone() };
            let patch = here.patch(files, &file.path, false, [old, new], color);
            let help = "`--fix` changes the file without printing it";
            status = status.max(patch.print(&file.path, help, &sources, console)?);
            status = status.max(ExitStatus::Attention);
        }
        Ok(status)
    }
}
