//! The command `git`, run in a folder: nothing that a user configured changes what it prints, and nothing
//! that the repository configures is run. This is the only place that starts git.
//!
//! A repository may be anybody's, and its `.git/config` with it. Of what git runs by configuration,
//! `core.hooksPath` and `core.fsmonitor` are set here, `--no-pager`, `--no-ext-diff` and `--no-textconv` are
//! given, `GIT_ALLOW_PROTOCOL` forbids every transport (and with it `core.sshCommand`, remote helpers and
//! credential helpers), aliases never stand for commands of git's own, and [`Git::without_filters`] turns off
//! filter drivers where git reads files of the working tree. Submodules have a configuration of their own, so
//! that git must not look into them.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::GitError;

/// What would change the answers, or ask other programs for them.
const CONFIGURATION: [&str; 7] = [
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.fsmonitor=false",
    "color.ui=false",
    "diff.relative=false",
    "diff.renameLimit=5000",
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

    /// The arguments that turn off every filter driver of the configuration, so that git compares files of
    /// the working tree as they are.
    pub(super) fn without_filters(&self) -> Result<Vec<OsString>, GitError> {
        let listed =
            self.output(["config", "--null", "--name-only", "--get-regexp", r"^filter\."])?;
        // 1: there is none.
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
                let reason = format!("`{driver}` cannot be turned off, since `=` is in its name");
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

/// Whether git tracks a file of the work tree `top`; false where git cannot be asked.
pub fn is_tracked(top: &Path, file: &Path) -> bool {
    let arguments = ["--literal-pathspecs", "ls-files", "--error-unmatch", "--"];
    let arguments = arguments.map(OsStr::new).into_iter().chain([file.as_os_str()]);
    Git::new(top).output(arguments).is_ok_and(|output| output.status.success())
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
