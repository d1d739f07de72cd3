//! The command `git`, run in a folder: nothing that a user configured changes what it prints.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::GitError;

/// What would change the answers, or ask other programs for them.
const CONFIGURATION: [&str; 7] = [
    "core.quotePath=false",
    "core.fsmonitor=false",
    "color.ui=false",
    "diff.relative=false",
    "diff.renameLimit=5000",
    "diff.ignoreSubmodules=none",
    "log.showSignature=false",
];

/// git in a folder. `GIT_DIR` and the like hold as they do for git itself: in a hook they say which
/// repository is meant.
#[derive(Clone, Debug)]
pub(super) struct Git {
    folder: PathBuf,
}

impl Git {
    pub(super) fn new(folder: &Path) -> Self {
        Git { folder: folder.to_owned() }
    }

    /// The folder in which it runs; empty for the current one.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The command, ready for arguments; nothing is written to the repository or fetched for it.
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
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .arg("--no-pager");
        for setting in CONFIGURATION {
            command.args(["-c", setting]);
        }
        command
    }

    /// Runs git to its end, whatever that is.
    pub(super) fn output<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Output, GitError> {
        self.command().args(arguments).output().map_err(|reason| self.not_started(&reason))
    }

    /// What git prints; an error where it fails.
    pub(super) fn run<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Vec<u8>, GitError> {
        let output = self.output(arguments)?;
        if output.status.success() { Ok(output.stdout) } else { Err(self.failed(&output.stderr)) }
    }

    /// The one line that git prints, without its end.
    pub(super) fn line(&self, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
        let mut line = self.run(arguments)?;
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        Ok(line)
    }

    pub(super) fn not_started(&self, reason: &io::Error) -> GitError {
        // A folder that does not exist fails in the same way as a command that does not.
        if !self.folder.as_os_str().is_empty() && !self.folder.is_dir() {
            return GitError::NotARepository { folder: self.folder.clone() };
        }
        let reason = match reason.kind() {
            io::ErrorKind::NotFound => "there is no such command".to_owned(),
            _ => reason.to_string(),
        };
        GitError::NotInstalled { reason }
    }

    /// The error that git's words tell.
    pub(super) fn failed(&self, said: &[u8]) -> GitError {
        let said = String::from_utf8_lossy(said);
        if said.contains("not a git repository") {
            return GitError::NotARepository { folder: self.folder.clone() };
        }
        let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
        let told = |line: &&str| line.starts_with("fatal: ") || line.starts_with("error: ");
        let line = lines.clone().find(told).or_else(|| lines.clone().next());
        let line = line.unwrap_or("it gave no reason");
        let plain = line.trim_start_matches("fatal: ").trim_start_matches("error: ");
        GitError::Failed { reason: plain.to_owned() }
    }
}

/// A path of git's as a path of the system: bytes where the system has bytes.
#[cfg(unix)]
pub(super) fn to_path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;

    OsStr::from_bytes(bytes).into()
}

/// A name of the system's as git writes it.
#[cfg(unix)]
pub(super) fn to_bytes(name: &OsStr) -> &[u8] {
    std::os::unix::ffi::OsStrExt::as_bytes(name)
}

/// A path of git's as a path of the system.
#[cfg(not(unix))]
pub(super) fn to_path(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// A name of the system's as git writes it.
#[cfg(not(unix))]
pub(super) fn to_bytes(name: &OsStr) -> &[u8] {
    name.to_str().unwrap_or_default().as_bytes()
}
