//! Runs the command `git` in a folder so that no user configuration changes its output, and nothing
//! that the repository configures is executed. This is the only module that starts git.
//!
//! A repository may be untrusted, and so may its `.git/config`. Of the programs that git runs by configuration,
//! `core.hooksPath` and `core.fsmonitor` are overridden here, `--no-pager`, `--no-ext-diff` and `--no-textconv` are
//! passed, `GIT_ALLOW_PROTOCOL` forbids every transport (and with it `core.sshCommand`, remote helpers and
//! credential helpers), aliases never replace git's own commands, and [`Git::without_filters`] disables
//! filter drivers where git reads files of the working tree. Submodules have their own configuration, so
//! git must not read them.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::{GitError, ObjectProblem};

/// Settings that would change the output, or run other programs.
const CONFIGURATION: [&str; 7] = [
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.fsmonitor=false",
    "color.ui=false",
    "diff.relative=false",
    "diff.renameLimit=5000",
    "log.showSignature=false",
];

/// git in a folder. `GIT_DIR` and similar variables apply as for git itself: in a hook they specify the
/// repository.
#[derive(Clone, Debug)]
pub(super) struct Git {
    folder: PathBuf,
}

impl Git {
    pub(super) fn new(folder: &Path) -> Self {
        Git { folder: folder.to_owned() }
    }

    /// The folder in which git runs; empty for the current one.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The command without its arguments, set up so that it neither writes to the repository nor fetches.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new("git");
        if !self.folder.as_os_str().is_empty() {
            command.current_dir(&self.folder);
        }
        for variable in ["GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_TRACE", "GIT_LITERAL_PATHSPECS"]
        {
            command.env_remove(variable);
        }
        command
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .arg("--no-pager");
        for setting in CONFIGURATION {
            command.args(["-c", setting]);
        }
        command
    }

    /// The arguments that disable every configured filter driver, so that git compares files of
    /// the working tree unfiltered.
    pub(super) fn without_filters(&self) -> Result<Vec<OsString>, GitError> {
        let listed =
            self.output(["config", "--null", "--name-only", "--get-regexp", r"^filter\."])?;
        // Exit status 1: there is no such setting.
        if !matches!(listed.status.code(), Some(0 | 1)) {
            return Err(self.failed(&listed.stderr));
        }
        let mut drivers = BTreeSet::new();
        for key in listed.stdout.split(|&byte| byte == 0) {
            let end = key.iter().rposition(|&byte| byte == b'.').unwrap_or_default();
            drivers.extend(key.get(..end).filter(|driver| driver.starts_with(b"filter.")));
        }
        let mut arguments = Vec::new();
        for driver in drivers {
            if driver.contains(&b'=') {
                let driver = String::from_utf8_lossy(driver);
                let reason = format!(
                    "the filter `{driver}` cannot be disabled because its name contains `=`"
                );
                return Err(GitError::Failed { reason });
            }
            for setting in [".clean=", ".smudge=", ".process=", ".required=false"] {
                let mut argument = to_path(driver).into_os_string();
                argument.push(setting);
                arguments.extend(["-c".into(), argument]);
            }
        }
        Ok(arguments)
    }

    /// Runs git and returns its output, whatever its exit status.
    pub(super) fn output<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Output, GitError> {
        self.command().args(arguments).output().map_err(|reason| self.not_started(&reason))
    }

    /// Runs git and returns what it prints; an error if it fails.
    pub(super) fn run<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Vec<u8>, GitError> {
        let output = self.output(arguments)?;
        if output.status.success() { Ok(output.stdout) } else { Err(self.failed(&output.stderr)) }
    }

    /// Runs git and returns the single line that it prints, without its line end.
    pub(super) fn line(&self, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
        let mut line = self.run(arguments)?;
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        Ok(line)
    }

    pub(super) fn not_started(&self, reason: &io::Error) -> GitError {
        // A missing folder causes the same error as a missing command.
        if !self.folder.as_os_str().is_empty() && !self.folder.is_dir() {
            return GitError::NotARepository { folder: self.folder.clone() };
        }
        let reason = match reason.kind() {
            io::ErrorKind::NotFound => "the command is not installed".to_owned(),
            _ => reason.to_string(),
        };
        GitError::NotInstalled { reason }
    }

    /// The error that git's standard error output describes.
    pub(super) fn failed(&self, output: &[u8]) -> GitError {
        let output = String::from_utf8_lossy(output);
        if output.contains("not a git repository") {
            return GitError::NotARepository { folder: self.folder.clone() };
        }
        if let Some(problem) = ObjectProblem::of(&output) {
            let is_id =
                |word: &&str| word.len() >= 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
            let id = output.split_ascii_whitespace().find(is_id);
            let object = id.map_or_else(|| "an object".to_owned(), |id| format!("`{id}`"));
            return GitError::UnreadableObject { object, problem };
        }
        let lines = output.lines().map(str::trim).filter(|line| !line.is_empty());
        let is_error = |line: &&str| line.starts_with("fatal: ") || line.starts_with("error: ");
        let line = lines.clone().find(is_error).or_else(|| lines.clone().next());
        let line = line.unwrap_or("no reason given");
        let plain = line.trim_start_matches("fatal: ").trim_start_matches("error: ");
        GitError::Failed { reason: plain.to_owned() }
    }
}

/// Whether git tracks a file of the work tree `top`; false if git fails.
pub fn is_tracked(top: &Path, file: &Path) -> bool {
    let arguments = ["--literal-pathspecs", "ls-files", "--error-unmatch", "--"];
    let arguments = arguments.map(OsStr::new).into_iter().chain([file.as_os_str()]);
    Git::new(top).output(arguments).is_ok_and(|output| output.status.success())
}

/// A path from git as a path of the system, byte for byte.
#[cfg(unix)]
pub(super) fn to_path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;

    OsStr::from_bytes(bytes).into()
}

/// A file name of the system as git writes it.
#[cfg(unix)]
pub(super) fn to_bytes(name: &OsStr) -> &[u8] {
    std::os::unix::ffi::OsStrExt::as_bytes(name)
}

/// A path from git as a path of the system; bytes that are not UTF-8 are replaced.
#[cfg(not(unix))]
pub(super) fn to_path(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// A file name of the system as git writes it.
#[cfg(not(unix))]
pub(super) fn to_bytes(name: &OsStr) -> &[u8] {
    name.to_str().unwrap_or_default().as_bytes()
}
