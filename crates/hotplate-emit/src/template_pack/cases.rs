//! The test cases of a target: `cases/NAME/` holds a template, an optional environment and options, and the
//! expected result.

use std::path::{Path, PathBuf};

use super::files::CASES;
use crate::{EmitOutput, Loss};
use source_diagnostics::did_you_mean;
use source_files::{FileError, FileSource, PathKind, refuse_links};

/// The folder with the expected files.
pub const EXPECTED: &str = "expected";
/// The file with the expected losses, one on each line; a missing file means none.
pub const LOSSES: &str = "losses.txt";
/// The name for the single file of a target without paths.
const SINGLE_OUTPUT: &str = "output";
/// The file names that a case's template may have.
const TEMPLATES: [&str; 3] = ["template.yaml", "template.json", "template.template"];
/// The file name of a case's environment.
const ENVIRONMENT: &str = "environment.yaml";
/// The file with a case's options, as they would follow `hotplate render template.yaml`.
const OPTIONS: &str = "options";

/// A folder in a target's `cases/`: a template, with the files and losses that are expected.
#[derive(Debug)]
pub struct PackCase {
    /// The name of its folder.
    pub name: String,
    /// The folder of the target.
    target: PathBuf,
    /// The folder of the case.
    pub folder: PathBuf,
    /// The path of its template.
    pub template: PathBuf,
    /// The path of its environment, if it has one.
    pub environment: Option<PathBuf>,
    /// Further options, one argument each.
    pub options: Vec<String>,
}

/// A file that differs from what is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseDifference {
    /// The file, relative to the folder of the case.
    pub path: PathBuf,
    /// The expected text; `None` if no file is expected.
    pub expected: Option<String>,
    /// The actual text; `None` if there is no file.
    pub found: Option<String>,
}

/// Why test cases cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// A case has no template; the name of the case.
    #[error("the case `{0}` has no `template.yaml`")]
    NoTemplate(String),
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file is not valid UTF-8.
    #[error("`{}` is not UTF-8", .0.display())]
    NotText(PathBuf),
    /// A requested case does not exist.
    #[error("there is no case `{name}`{}", near.as_deref().map_or(String::new(), |near| format!("; did you mean `{near}`?")))]
    Unknown {
        /// The name on the command line.
        name: String,
        /// The most similar name of a case.
        near: Option<String>,
    },
}

/// Lists the cases of a target, sorted by name; if `names` is not empty, only those.
pub fn list(
    folder: &Path,
    wanted: &[String],
    files: &dyn FileSource,
) -> Result<Vec<PackCase>, CaseError> {
    let cases = folder.join(CASES);
    let names: Vec<String> = files
        .path_components(&cases)
        .into_iter()
        .filter(|name| files.kind(&cases.join(name)) == Some(PathKind::Folder))
        .collect();
    if let Some(unknown) = wanted.iter().find(|name| !names.contains(name)) {
        let near = did_you_mean(unknown, names.iter().map(String::as_str)).map(str::to_owned);
        return Err(CaseError::Unknown { name: unknown.clone(), near });
    }
    let chosen = names.into_iter().filter(|name| wanted.is_empty() || wanted.contains(name));
    chosen.map(|name| case(folder, name, files)).collect()
}

fn case(target: &Path, name: String, files: &dyn FileSource) -> Result<PackCase, CaseError> {
    let folder = target.join(CASES).join(&name);
    let there = |file: &str| {
        let path = folder.join(file);
        (files.kind(&path) == Some(PathKind::File)).then_some(path)
    };
    let Some(template) = TEMPLATES.into_iter().find_map(there) else {
        return Err(CaseError::NoTemplate(name));
    };
    let options = match there(OPTIONS) {
        None => Vec::new(),
        Some(path) => text(&path, files)?.split_whitespace().map(str::to_owned).collect(),
    };
    let environment = there(ENVIRONMENT);
    Ok(PackCase { name, target: target.to_owned(), template, environment, options, folder })
}

impl PackCase {
    /// Rejects a symbolic link on the path from the target to an expected file: `--accept` overwrites and
    /// removes such files.
    fn refuse_links(&self, path: &Path, files: &dyn FileSource) -> Result<(), FileError> {
        refuse_links(files, &self.target, &Path::new(CASES).join(&self.name).join(path))
    }
}

fn text(path: &Path, files: &dyn FileSource) -> Result<String, CaseError> {
    String::from_utf8(files.read(path)?).map_err(|_| CaseError::NotText(path.to_owned()))
}

/// The result of a case: its files, and its losses as text.
pub fn outcome(emitted: &EmitOutput) -> Vec<(PathBuf, String)> {
    let files = emitted.files.iter().map(|file| {
        let path = file.path.as_deref().unwrap_or(Path::new(SINGLE_OUTPUT));
        (Path::new(EXPECTED).join(path), file.text.clone())
    });
    let mut outcome: Vec<_> = files.collect();
    if !emitted.losses.is_empty() {
        outcome.push((LOSSES.into(), emitted.losses.iter().map(line).collect()));
    }
    outcome
}

fn line(loss: &Loss) -> String {
    let owner = loss.owner.as_deref().map_or(String::new(), |owner| format!(" of {owner}"));
    format!(
        "{} {} {}{owner}: {}\n",
        loss.kind.code(),
        loss.kind.label(),
        loss.subject,
        loss.message
    )
}

/// Compares the result of a case with what it expects.
pub fn compare(
    case: &PackCase,
    outcome: &[(PathBuf, String)],
    files: &dyn FileSource,
) -> Result<Vec<CaseDifference>, CaseError> {
    let mut differences = Vec::new();
    for (path, found) in outcome {
        case.refuse_links(path, files)?;
        let at = case.folder.join(path);
        let expected = match files.kind(&at) {
            Some(PathKind::File) => Some(text(&at, files)?),
            _ => None,
        };
        if expected.as_ref() != Some(found) {
            let found = Some(found.clone());
            differences.push(CaseDifference { path: path.clone(), expected, found });
        }
    }
    for path in expected(case, files)? {
        if !outcome.iter().any(|(found, _)| *found == path) {
            let expected = text(&case.folder.join(&path), files)?;
            if path == Path::new(LOSSES) && expected.is_empty() {
                continue;
            }
            differences.push(CaseDifference { path, expected: Some(expected), found: None });
        }
    }
    Ok(differences)
}

fn expected(case: &PackCase, files: &dyn FileSource) -> Result<Vec<PathBuf>, FileError> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(EXPECTED)];
    while let Some(inner) = folders.pop() {
        case.refuse_links(&inner, files)?;
        for name in files.path_components(&case.folder.join(&inner)) {
            let path = inner.join(name);
            match files.kind(&case.folder.join(&path)) {
                Some(PathKind::Folder) if path.components().count() < 20 => folders.push(path),
                Some(PathKind::File) => found.push(path),
                Some(PathKind::Folder) | None => {}
            }
        }
    }
    if files.kind(&case.folder.join(LOSSES)) == Some(PathKind::File) {
        found.push(LOSSES.into());
    }
    found.sort();
    found.iter().try_for_each(|path| case.refuse_links(path, files))?;
    Ok(found)
}
