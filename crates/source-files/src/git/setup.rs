//! Sets up hotplate as git's diff driver for templates: attributes that select the files, and settings
//! that specify the command. Both can be removed again.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::GitError;
use super::command::{Git, to_path};
use crate::{EXTENSIONS, FileError, WriteEffects, remove, write_atomic};
use source_diagnostics::Diagnostic;

/// The default files, as patterns of an attributes file.
pub fn default_patterns() -> Vec<String> {
    let extensions = EXTENSIONS.iter().filter(|extension| extension.is_for_git);
    extensions.map(|extension| format!("*.{}", extension.name)).collect()
}

/// The lines of an attributes file that enclose hotplate's block. The first one also records what
/// undoing has to restore.
const BEGIN: &str = "# >>> hotplate git setup";
const END: &str = "# <<< hotplate git setup";
/// Set on the first line if the file did not exist before.
const NEW_FILE: &str = " (new file)";
/// Set on the first line if a line end was added to the file's last line.
const LINE_END: &str = " (line end added)";

/// The pattern of hunk headers: an entry of `hotplate ir --text`, or a key of the first two levels of YAML.
const FUNCTION_NAME: &str = "^((parameter|condition|resource|output) .*| {0,2}[A-Za-z_][^ :]*:.*)$";

/// The ref where git caches the output of textconv.
const CACHE: &str = "refs/notes/textconv/hotplate";

/// The scope of the setup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SetupScope {
    /// The repository of the working directory.
    #[default]
    Local,
    /// Every repository of the user.
    Global,
}

/// How hotplate replaces git's own diff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiffDriver {
    /// A patch of the templates' meaning, wherever git shows patches.
    #[default]
    Textconv,
    /// The impact on the running stack in `git diff`, and the patch of the meaning elsewhere.
    Diff,
}

/// The parameters of a setup.
#[derive(Clone, Debug)]
pub struct DriverSetup {
    /// The scope: this repository or all of the user's.
    pub scope: SetupScope,
    /// How git uses hotplate.
    pub driver: DiffDriver,
    /// The files, as patterns of an attributes file.
    pub patterns: Vec<String>,
    /// The command, quoted for a shell.
    pub program: String,
}

/// A step of the setup that was done, or would be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupStep {
    /// Lines are written to an attributes file.
    WriteAttributes(PathBuf, Vec<String>),
    /// hotplate's lines are removed from an attributes file.
    RemoveAttributes(PathBuf),
    /// An attributes file with no other lines is removed.
    RemoveFile(PathBuf),
    /// A side effect of a write, as a sentence.
    SideEffect(String),
    /// A git setting gets a value.
    SetSetting(String, String),
    /// A git setting is removed.
    UnsetSetting(String),
}

impl fmt::Display for SetupStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupStep::WriteAttributes(path, lines) => {
                write!(f, "{}: {}", path.display(), lines.join(", "))
            }
            SetupStep::RemoveAttributes(path) => write!(f, "{}: removed", path.display()),
            SetupStep::RemoveFile(path) => write!(f, "{}: removed", path.display()),
            SetupStep::SideEffect(sentence) => f.write_str(sentence),
            SetupStep::SetSetting(key, value) => write!(f, "git config {key}: {value}"),
            SetupStep::UnsetSetting(key) => write!(f, "git config {key}: removed"),
        }
    }
}

/// The reasons why the setup failed.
#[derive(Debug, Error)]
pub enum SetupError {
    /// git cannot be run or failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// An attributes file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A setting or block with hotplate's name was not written by hotplate.
    #[error("{what}")]
    Foreign {
        /// The reason, as a sentence.
        what: String,
    },
    /// A pattern that cannot be written to an attributes file.
    #[error("`{pattern}` is not a pattern for an attributes file")]
    Pattern {
        /// The pattern as the user typed it.
        pattern: String,
    },
}

impl SetupError {
    /// The error as a finding, with a suggestion.
    pub fn diagnostic(&self) -> Diagnostic {
        match self {
            SetupError::Git(error) => error.diagnostic(),
            SetupError::File(error) => error.diagnostic(),
            SetupError::Foreign { .. } => {
                Diagnostic::new(crate::codes::GIT_SETTING_FOREIGN, self.to_string())
                    .help("remove or change it by hand")
            }
            SetupError::Pattern { .. } => {
                Diagnostic::new(crate::codes::GIT_SETTING_FOREIGN, self.to_string())
                    .help("write it as in `.gitattributes`: `templates/**/*.yaml`")
            }
        }
    }
}

impl SetupScope {
    fn option(self) -> &'static str {
        match self {
            SetupScope::Local => "--local",
            SetupScope::Global => "--global",
        }
    }
}

impl DriverSetup {
    /// Sets up hotplate in the repository of `folder`, or for the user; returns the steps without those that
    /// were done already. With `dry_run` nothing is written.
    pub fn apply(&self, folder: &Path, dry_run: bool) -> Result<Vec<SetupStep>, SetupError> {
        let git = Git::new(folder);
        let path = attributes_file(&git, self.scope)?;
        let old = read(&path)?;
        let lines = self.lines()?;
        let new = with_block(old.as_deref(), &lines).map_err(|reason| foreign(&path, reason))?;
        let mut steps = Vec::new();
        for (key, wanted) in self.settings() {
            let stands = setting(&git, self.scope, key)?;
            if let Some(other) = stands.as_ref().filter(|it| !is_ours(key, it)) {
                let what = format!("`{key}` is set to `{other}`");
                return Err(SetupError::Foreign { what });
            }
            match (stands, wanted) {
                (Some(stands), Some(wanted)) if stands == wanted => {}
                (_, Some(wanted)) => steps.push(SetupStep::SetSetting(key.to_owned(), wanted)),
                (Some(_), None) => steps.push(SetupStep::UnsetSetting(key.to_owned())),
                (None, None) => {}
            }
        }
        if old.as_ref() != Some(&new) {
            if !dry_run {
                if let Some(folder) = path.parent() {
                    let refuse = |reason| FileError::writing(&path, reason);
                    fs::create_dir_all(folder).map_err(refuse)?;
                }
                steps.splice(0..0, side_effects(&write_atomic(&path, &new)?));
            }
            steps.insert(0, SetupStep::WriteAttributes(path, lines));
        }
        if !dry_run {
            configure(&git, self.scope, &steps)?;
        }
        Ok(steps)
    }

    fn lines(&self) -> Result<Vec<String>, SetupError> {
        let patterns = self.patterns.iter().map(|pattern| {
            let quoted = quoted(pattern);
            quoted.ok_or_else(|| SetupError::Pattern { pattern: pattern.clone() })
        });
        patterns.map(|pattern| Ok(format!("{} diff=hotplate", pattern?))).collect()
    }

    /// Every setting with its value; `None` for a setting to remove.
    fn settings(&self) -> [(&'static str, Option<String>); 4] {
        let program = &self.program;
        let diff = (self.driver == DiffDriver::Diff).then(|| format!("{program} diff"));
        [
            (SETTINGS[0], diff),
            (SETTINGS[1], Some(format!("{program} ir --text"))),
            (SETTINGS[2], Some("true".to_owned())),
            (SETTINGS[3], Some(FUNCTION_NAME.to_owned())),
        ]
    }
}

const SETTINGS: [&str; 4] = [
    "diff.hotplate.command",
    "diff.hotplate.textconv",
    "diff.hotplate.cachetextconv",
    "diff.hotplate.xfuncname",
];

/// Removes everything that [`DriverSetup::apply`] added; returns the steps that were necessary.
pub fn undo(scope: SetupScope, folder: &Path, dry_run: bool) -> Result<Vec<SetupStep>, SetupError> {
    let git = Git::new(folder);
    let path = attributes_file(&git, scope)?;
    let mut steps = Vec::new();
    if let Some(old) = read(&path)? {
        match without_block(&old).map_err(|reason| foreign(&path, reason))? {
            Some(RemainingFile::Text(rest)) => {
                let written = match dry_run {
                    true => WriteEffects::default(),
                    false => write_atomic(&path, &rest)?,
                };
                steps.push(SetupStep::RemoveAttributes(path));
                steps.extend(side_effects(&written));
            }
            Some(RemainingFile::NoFile) => {
                if !dry_run {
                    remove(&path)?;
                }
                steps.push(SetupStep::RemoveFile(path));
            }
            None => {}
        }
    }
    for key in SETTINGS {
        match setting(&git, scope, key)? {
            Some(stands) if is_ours(key, &stands) => {
                steps.push(SetupStep::UnsetSetting(key.to_owned()))
            }
            _ => {}
        }
    }
    if !dry_run {
        configure(&git, scope, &steps)?;
        if scope == SetupScope::Local {
            // The file may not exist.
            git.output(["update-ref", "-d", CACHE])?;
        }
    }
    Ok(steps)
}

/// The command by which git finds this program: its name if `PATH` leads to it, else its path,
/// quoted for a shell.
pub fn program(executable: &Path) -> String {
    let name = executable.file_name().unwrap_or(executable.as_os_str());
    let wanted = fs::canonicalize(executable).ok();
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find_map(|candidate| fs::canonicalize(candidate).ok());
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
    match (found, name.to_str()) {
        (Some(found), Some(name)) if Some(&found) == wanted.as_ref() && plain(name) => {
            name.to_owned()
        }
        _ => {
            let path = executable.to_string_lossy();
            if plain(&path) {
                path.into_owned()
            } else {
                format!("'{}'", path.replace('\'', r"'\''"))
            }
        }
    }
}

fn configure(git: &Git, scope: SetupScope, steps: &[SetupStep]) -> Result<(), GitError> {
    for step in steps {
        match step {
            SetupStep::SetSetting(key, value) => {
                git.run(["config", scope.option(), "--replace-all", key, value])?;
            }
            SetupStep::UnsetSetting(key) => {
                git.run(["config", scope.option(), "--unset-all", key])?;
            }
            SetupStep::WriteAttributes(..)
            | SetupStep::RemoveAttributes(_)
            | SetupStep::RemoveFile(_)
            | SetupStep::SideEffect(_) => {}
        }
    }
    Ok(())
}

fn side_effects(written: &WriteEffects) -> Vec<SetupStep> {
    written.findings().map(|finding| SetupStep::SideEffect(finding.message)).collect()
}

/// The effective value of a setting: the last one.
fn setting(git: &Git, scope: SetupScope, key: &str) -> Result<Option<String>, GitError> {
    let output = git.output(["config", scope.option(), "--null", "--get", key])?;
    if output.status.success() {
        let value = output.stdout.strip_suffix(b"\0").unwrap_or(&output.stdout);
        return Ok(Some(String::from_utf8_lossy(value).into_owned()));
    }
    // Exit status 1: there is no such setting; otherwise the file cannot be read.
    if output.status.code() == Some(1) { Ok(None) } else { Err(git.failed(&output.stderr)) }
}

/// Whether hotplate may have written a setting; an older version may have written another value.
fn is_ours(key: &str, value: &str) -> bool {
    match key {
        "diff.hotplate.command" => {
            value.ends_with("hotplate diff") || value.ends_with("hotplate' diff")
        }
        "diff.hotplate.textconv" => value.ends_with(" ir --text"),
        _ => true,
    }
}

/// The path of the attributes file. A repository may be untrusted, so links in it are not followed;
/// git does not follow them either. A link in the folder of the user's own settings is followed.
fn attributes_file(git: &Git, scope: SetupScope) -> Result<PathBuf, SetupError> {
    match scope {
        SetupScope::Local => {
            // Without a working tree, `--show-toplevel` fails with git's own error.
            let top = git.line(&["rev-parse", "--show-toplevel"])?;
            let path = to_path(&top).join(".gitattributes");
            let common = to_path(&git.line(&["rev-parse", "--git-common-dir"])?);
            for path in [&path, &git.folder().join(common).join("config")] {
                if fs::symlink_metadata(path).is_ok_and(|it| !it.is_file()) {
                    let what = format!("`{}` is not a regular file", path.display());
                    return Err(SetupError::Foreign { what });
                }
            }
            Ok(path)
        }
        SetupScope::Global => {
            let configured =
                git.output(["config", "--null", "--path", "--get", "core.attributesFile"])?;
            let configured = configured.stdout.strip_suffix(b"\0").filter(|path| !path.is_empty());
            if let Some(path) = configured {
                return Ok(to_path(path));
            }
            let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
            let folder = match (variable("XDG_CONFIG_HOME"), variable("HOME")) {
                (Some(folder), _) => PathBuf::from(folder),
                (None, Some(home)) => PathBuf::from(home).join(".config"),
                (None, None) => {
                    let reason = "`HOME` is not set".to_owned();
                    return Err(GitError::Failed { reason }.into());
                }
            };
            Ok(folder.join("git/attributes"))
        }
    }
}

/// The content of a file; `None` if it does not exist.
fn read(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(reason) if reason.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(reason) => Err(FileError::reading(path, reason)),
    }
}

fn foreign(path: &Path, reason: &str) -> SetupError {
    SetupError::Foreign { what: format!("{}: {reason}", path.display()) }
}

/// The rest of a file without hotplate's block.
#[derive(Debug, PartialEq, Eq)]
enum RemainingFile {
    Text(Vec<u8>),
    /// Nothing: the file did not exist before the setup.
    NoFile,
}

/// The byte range of hotplate's block, and the flags on its first line.
struct AttributesBlock {
    start: usize,
    end: usize,
    flags: String,
}

fn block(text: &[u8]) -> Result<Option<AttributesBlock>, &'static str> {
    let mut begun: Option<(usize, String)> = None;
    let mut at = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
        match (&begun, line.strip_prefix(BEGIN)) {
            (None, Some(flags)) => begun = Some((start, flags.to_owned())),
            (Some(_), Some(_)) => {
                return Err("a block of `hotplate git setup` begins inside another one");
            }
            (Some((start, flags)), None) if line == END => {
                return Ok(Some(AttributesBlock { start: *start, end, flags: flags.clone() }));
            }
            (_, None) => {}
        }
    }
    match begun {
        Some(_) => Err("the block of `hotplate git setup` has no end line"),
        None => Ok(None),
    }
}

/// The text of an attributes file with these lines as hotplate's block: in place of the old block, or at the end.
fn with_block(old: Option<&[u8]>, lines: &[String]) -> Result<Vec<u8>, &'static str> {
    let text = old.unwrap_or_default();
    let (before, after, flags) = match block(text)? {
        Some(block) => (&text[..block.start], &text[block.end..], block.flags),
        None => {
            let flag = match text.last() {
                None if old.is_none() => NEW_FILE,
                None | Some(b'\n') => "",
                Some(_) => LINE_END,
            };
            (text, &text[text.len()..], flag.to_owned())
        }
    };
    let mut new = before.to_vec();
    if new.last().is_some_and(|&last| last != b'\n') {
        new.push(b'\n');
    }
    new.extend(format!("{BEGIN}{flags}\n").bytes());
    for line in lines {
        new.extend(format!("{line}\n").bytes());
    }
    new.extend(format!("{END}\n").bytes());
    new.extend_from_slice(after);
    Ok(new)
}

/// The rest of an attributes file without hotplate's block; `None` if it has no such block.
fn without_block(text: &[u8]) -> Result<Option<RemainingFile>, &'static str> {
    let Some(block) = block(text)? else { return Ok(None) };
    let (mut before, after) = (&text[..block.start], &text[block.end..]);
    // Lines that were added behind the block since then need the line end.
    if block.flags == LINE_END && after.is_empty() {
        before = before.strip_suffix(b"\n").unwrap_or(before);
    }
    if block.flags == NEW_FILE && before.is_empty() && after.is_empty() {
        return Ok(Some(RemainingFile::NoFile));
    }
    Ok(Some(RemainingFile::Text([before, after].concat())))
}

/// A pattern quoted for an attributes file; `None` if it cannot be written there.
fn quoted(pattern: &str) -> Option<String> {
    // An attributes file supports neither negated patterns nor line ends.
    if pattern.is_empty() || pattern.starts_with('!') || pattern.contains(char::is_control) {
        return None;
    }
    if pattern.contains([' ', '"']) || pattern.starts_with('#') {
        return Some(format!("\"{}\"", pattern.replace('\\', r"\\").replace('"', "\\\"")));
    }
    Some(pattern.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Vec<String> {
        vec!["*.yaml diff=hotplate".to_owned()]
    }

    #[test]
    fn the_block_comes_and_goes_without_a_trace() {
        for old in [
            None,
            Some(&b""[..]),
            Some(b"*.sh text\n"),
            Some(b"*.sh text"),
            Some(b"*.sh text\r\n"),
            Some(b"\xff\n\n"),
        ] {
            let new = with_block(old, &lines()).expect("no block");
            assert_eq!(with_block(Some(&new), &lines()).as_ref(), Ok(&new), "again: {old:?}");
            let rest = old.map_or(RemainingFile::NoFile, |old| RemainingFile::Text(old.to_vec()));
            assert_eq!(without_block(&new), Ok(Some(rest)), "{old:?}");
        }
        assert_eq!(without_block(b"*.sh text\n"), Ok(None));
    }

    #[test]
    fn what_was_written_around_the_block_stays() {
        let mut text = with_block(Some(b"*.sh text"), &lines()).expect("no block");
        text.extend(b"*.py text\n");
        let rest = RemainingFile::Text(b"*.sh text\n*.py text\n".to_vec());
        assert_eq!(without_block(&text), Ok(Some(rest)));
        let mut text = with_block(None, &lines()).expect("no block");
        text.extend(b"*.py text\n");
        assert_eq!(without_block(&text), Ok(Some(RemainingFile::Text(b"*.py text\n".to_vec()))));
    }

    #[test]
    fn other_lines_take_the_place_of_the_old_ones() {
        let old = with_block(Some(b"a\n"), &lines()).expect("no block");
        let more = vec!["x diff=hotplate".to_owned()];
        let new = with_block(Some(&old), &more).expect("a block");
        let text = String::from_utf8(new).expect("text");
        assert_eq!(text, format!("a\n{BEGIN}\nx diff=hotplate\n{END}\n"));
    }

    #[test]
    fn a_block_without_an_end_is_left_alone() {
        let text = format!("{BEGIN}\n*.yaml diff=hotplate\n");
        assert!(with_block(Some(text.as_bytes()), &lines()).is_err());
        assert!(without_block(text.as_bytes()).is_err());
    }

    #[test]
    fn patterns_are_quoted_where_they_must_be() {
        for (pattern, written) in [
            ("*.yaml", Some("*.yaml")),
            ("my templates/*.yaml", Some("\"my templates/*.yaml\"")),
            ("#a", Some("\"#a\"")),
            ("a\"b", Some("\"a\\\"b\"")),
            ("!a", None),
            ("a\nb", None),
            ("", None),
        ] {
            assert_eq!(quoted(pattern).as_deref(), written, "{pattern:?}");
        }
    }

    #[test]
    fn only_what_looks_like_ours_is_ours() {
        assert!(is_ours("diff.hotplate.command", "'/my tools/hotplate' diff"));
        assert!(!is_ours("diff.hotplate.command", "meld"));
        assert!(is_ours("diff.hotplate.textconv", "hotplate ir --text"));
        assert!(!is_ours("diff.hotplate.textconv", "cat"));
    }
}
