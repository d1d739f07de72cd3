//! Upgrades many files in parallel: reads, upgrades and optionally writes each.

use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use super::modernize::mapped_in;
use super::{Status, Upgrade, UpgradeOptions, jinja, upgrade_hiding};
use heat_engine::environment::{HiddenByNested, sections::REGISTRY};
use heat_template::dialect::{read_candidate, secrets, unread_secrets};
use heat_template::ir::Stack;
use lossless_yaml::{Edits, Limits, MAX_DEPTH, read_all};
use source_diagnostics::{Diagnostic, SourceId};
use source_files::{FileSource, InputFile, is_named_jinja, is_stdin, write_atomic};

/// A file with the result of its upgrade.
#[derive(Debug)]
pub struct FileUpgrade {
    /// The path as the user typed it.
    pub path: PathBuf,
    /// True if the user named the file itself, so that it is an error if it is not a template.
    pub is_explicit: bool,
    /// True if it was found in a folder.
    pub in_folder: bool,
    /// The old text; empty if it cannot be read.
    pub text: Arc<str>,
    /// The result. The source id of its spans is 0.
    pub upgrade: Upgrade,
}

impl FileUpgrade {
    /// The reason why a Jinja2 template was skipped, if this is one.
    pub fn skipped_jinja(&self) -> Option<&Diagnostic> {
        let mut findings = self.upgrade.findings.iter();
        findings.find(|finding| finding.code == lossless_yaml::codes::JINJA_SKIPPED)
    }
}

/// What to do with a new text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpgradeAction {
    /// Return it to the caller.
    Keep,
    /// Write it to the file.
    Write,
}

/// The files per thread that are upgraded before their results are passed on.
const BATCH: usize = 512;

/// Upgrades every input: `finish` converts each result, on any thread, and `take` gets the converted
/// results in the order of the inputs, a batch while the next one is upgraded. No more than two batches are in memory.
/// A file that cannot be read or written is a finding; the other files are still processed.
pub fn upgrade_files<T: Send>(
    files: &dyn FileSource,
    inputs: &[InputFile],
    options: &UpgradeOptions,
    limits: &Limits,
    then: UpgradeAction,
    finish: impl Fn(FileUpgrade) -> T + Sync,
    mut take: impl FnMut(T) + Send,
) {
    let with_environments;
    let options = if let Some(modernize) = &options.modernize {
        let mut modernize = modernize.clone();
        modernize.mapped.par_extend(
            inputs.par_iter().flat_map_iter(|input| mapped_types_of(files, input, limits)),
        );
        with_environments = UpgradeOptions { modernize: Some(modernize), ..options.clone() };
        &with_environments
    } else {
        options
    };
    let upgraded = |input| finish(upgrade_file(files, input, options, limits, then));
    let mut ready: Vec<T> = Vec::new();
    for batch in inputs.chunks(BATCH * rayon::current_num_threads()) {
        let previous = std::mem::take(&mut ready);
        (ready, ()) = rayon::join(
            || batch.par_iter().with_max_len(1).map(upgraded).collect(),
            || previous.into_iter().for_each(&mut take),
        );
    }
    ready.into_iter().for_each(take);
}

/// The types that an input maps, if it is an environment: templates of the same run keep the names of these types. What cannot
/// be read is reported when the file is upgraded.
fn mapped_types_of(files: &dyn FileSource, input: &InputFile, limits: &Limits) -> Vec<String> {
    if is_stdin(&input.path) {
        return Vec::new();
    }
    let bytes = input.read(files).unwrap_or_default();
    if !bytes.windows(REGISTRY.len()).any(|part| part == REGISTRY.as_bytes()) {
        return Vec::new();
    }
    match read_candidate(SourceId(0), bytes, false, limits) {
        (_, Ok(document)) => mapped_in(&document).collect(),
        (text, Err(_)) => read_all(SourceId(0), &text, limits).iter().flat_map(mapped_in).collect(),
    }
}

fn upgrade_file(
    files: &dyn FileSource,
    input: &InputFile,
    options: &UpgradeOptions,
    limits: &Limits,
    then: UpgradeAction,
) -> FileUpgrade {
    let source = SourceId(0);
    let mut text: Arc<str> = Arc::from("");
    let named = input.is_explicit;
    // A result may be larger than its template, so the user's limits on reading do not apply to what
    // is written.
    let result = Limits { depth: MAX_DEPTH, bytes: usize::MAX, ..*limits };
    let outcome = load(files, source, input, limits, &mut text);
    let named_jinja = is_named_jinja(&input.path);
    let is_other = |finding: &Diagnostic| finding.code == heat_template::codes::NOT_A_TEMPLATE;
    let hidden_in = |text: &Arc<str>| {
        HiddenByNested::of_text(options.schema, files, &input.path, (source, text), &result)
    };
    let of_jinja = (named_jinja || outcome.as_ref().is_err_and(|finding| !is_other(finding)))
        .then(|| jinja::upgrade(source, &text, named_jinja, options, limits, &result))
        .flatten();
    let upgrade = match (of_jinja, outcome) {
        (Some(upgrade), _) => upgrade,
        (None, Ok(document)) => {
            let hide = |stack: &mut Stack| hidden_in(&text).hide(stack);
            let mut upgrade = upgrade_hiding(&document, options, &result, &hide);
            // Findings show lines, also of a template that is not upgraded.
            if upgrade.from.is_none() && !upgrade.findings.is_empty() {
                upgrade.secrets = secrets(&document);
            }
            upgrade
        }
        (None, Err(finding)) if is_other(&finding) => stopped(options, Status::Skipped, *finding),
        (None, Err(finding)) => {
            let secrets = unread_secrets(source, &text);
            Upgrade { secrets, ..stopped(options, Status::Unreadable, *finding) }
        }
    };
    let mut upgrade = upgrade;
    if upgrade.text.is_some() || !upgrade.findings.is_empty() {
        upgrade.secrets.extend(hidden_in(&text).spans);
        if let Some(new) = &upgrade.text {
            upgrade.new_secrets.extend(hidden_in(&new.as_str().into()).spans);
        }
    }
    let in_folder = !input.folders.is_empty();
    let mut result =
        FileUpgrade { path: input.path.clone(), is_explicit: named, in_folder, text, upgrade };
    if then == UpgradeAction::Write
        && let Some(new) = &result.upgrade.text
    {
        match write_atomic(&result.path, new.as_bytes()) {
            Ok(written) => result.upgrade.findings.extend(written.findings()),
            Err(error) => {
                result.upgrade.status = Status::Unwritable;
                result.upgrade.text = None;
                result.upgrade.findings.push(error.diagnostic());
            }
        }
    }
    result
}

fn load(
    files: &dyn FileSource,
    source: SourceId,
    input: &InputFile,
    limits: &Limits,
    text: &mut Arc<str>,
) -> Result<lossless_yaml::Document, Box<Diagnostic>> {
    let bytes = input.read(files).map_err(|error| Box::new(error.diagnostic()))?;
    let (decoded, document) = read_candidate(source, bytes, input.is_explicit, limits);
    *text = decoded;
    document
}

pub(super) fn stopped(options: &UpgradeOptions, status: Status, finding: Diagnostic) -> Upgrade {
    Upgrade {
        from: None,
        to: options.to,
        status,
        text: None,
        rewrites: Vec::new(),
        blockers: Vec::new(),
        findings: vec![finding],
        secrets: Vec::new(),
        new_secrets: Vec::new(),
        edits: Edits::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use heat_template::hot::Version;
    use source_files::MemoryFiles;

    #[test]
    fn results_come_in_order_and_are_not_collected() {
        let batch = BATCH * rayon::current_num_threads();
        let paths: Vec<PathBuf> =
            (0..5 * batch + 1).map(|at| PathBuf::from(format!("{at}.yaml"))).collect();
        let text = "heat_template_version: 2013-05-23\n";
        let files: MemoryFiles = paths.iter().map(|path| (path.as_path(), text)).collect();
        let inputs: Vec<InputFile> = paths
            .iter()
            .map(|path| InputFile { path: path.clone(), is_explicit: true, folders: Vec::new() })
            .collect();
        let options = UpgradeOptions::new(heat_template::schema::Schema::heat(), Version::LATEST);
        let (alive, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let finish = |file| {
            most.fetch_max(alive.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            file
        };
        let mut taken = Vec::new();
        let take = |file: FileUpgrade| {
            alive.fetch_sub(1, Ordering::SeqCst);
            taken.push(file.path);
        };
        let limits = Limits::default();
        upgrade_files(&files, &inputs, &options, &limits, UpgradeAction::Keep, finish, take);
        assert_eq!(taken, paths);
        let most = most.into_inner();
        assert!(most <= 2 * batch, "{most} results at once");
    }
}
