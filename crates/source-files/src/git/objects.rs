//! Reads the objects of a repository through one `git cat-file --batch` process per repository.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::command::Git;
use super::{GitError, ObjectProblem};

/// The process, started on the first request. Concurrent requests wait for each other.
#[derive(Debug)]
pub(super) struct ObjectReader {
    git: Git,
    process: Mutex<Option<CatFileProcess>>,
    /// Whether an object was found missing because the clone is partial: others are, too.
    is_partial: AtomicBool,
}

/// The result of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ObjectLookup {
    /// The object's id, type and bytes.
    Found { oid: String, kind: String, bytes: Vec<u8> },
    /// The object is larger than the limit.
    TooLarge,
    /// No object has this name.
    Missing,
    /// Several objects match the name.
    Ambiguous,
}

#[derive(Debug)]
struct CatFileProcess {
    child: Child,
    /// Closed first, so that the process ends.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Drop for CatFileProcess {
    fn drop(&mut self) {
        self.input = None;
        // It may be in the middle of printing an object that is not needed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl ObjectReader {
    pub(super) fn new(git: Git) -> Self {
        ObjectReader { git, process: Mutex::new(None), is_partial: AtomicBool::new(false) }
    }

    /// The object of a name, which may be any name that git accepts but must be one line; up to
    /// `limit` bytes.
    pub(super) fn read(&self, name: &str, limit: u64) -> Result<ObjectLookup, GitError> {
        if name.contains(['\n', '\0']) {
            return Ok(ObjectLookup::Missing);
        }
        let mut slot = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let process = match &mut *slot {
            Some(process) => process,
            empty => empty.insert(self.start()?),
        };
        let answer = process.request(name, limit);
        // Unread output would be taken for the next answer.
        if !matches!(
            answer,
            Ok(ObjectLookup::Found { .. } | ObjectLookup::Missing | ObjectLookup::Ambiguous)
        ) {
            *slot = None;
        }
        if matches!(answer, Ok(ObjectLookup::Missing) | Err(_))
            && let Some(problem) = self.problem(name)
        {
            return Err(GitError::UnreadableObject { object: format!("`{name}`"), problem });
        }
        answer
    }

    /// Why an object cannot be read; `None` if git knows no object of this name. The process for all objects says only that one is
    /// missing.
    fn problem(&self, name: &str) -> Option<ObjectProblem> {
        if self.is_partial.load(Ordering::Relaxed) && is_id(name) {
            return Some(ObjectProblem::NotFetched);
        }
        // It would be an option.
        if name.starts_with('-') {
            return None;
        }
        let mut command = self.git.command();
        command.args(["cat-file", "-p", name]).stdout(Stdio::null()).stderr(Stdio::piped());
        let output = command.output().ok()?;
        let problem = ObjectProblem::of(&String::from_utf8_lossy(&output.stderr));
        if problem == Some(ObjectProblem::NotFetched) {
            self.is_partial.store(true, Ordering::Relaxed);
        }
        problem
    }

    fn start(&self) -> Result<CatFileProcess, GitError> {
        let mut command = self.git.command();
        command.args(["cat-file", "--batch"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|reason| self.git.not_started(&reason))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => {
                Ok(CatFileProcess { child, input: Some(input), output: BufReader::new(output) })
            }
            _ => Err(ended()),
        }
    }
}

impl CatFileProcess {
    fn request(&mut self, name: &str, limit: u64) -> Result<ObjectLookup, GitError> {
        let input = self.input.as_mut().ok_or_else(ended)?;
        let question = format!("{name}\n");
        input.write_all(question.as_bytes()).and_then(|()| input.flush()).map_err(|_| ended())?;
        let mut header = Vec::new();
        self.output.read_until(b'\n', &mut header).map_err(|_| ended())?;
        if header.pop() != Some(b'\n') {
            return Err(ended());
        }
        let header = String::from_utf8_lossy(&header);
        if header.ends_with(" missing") {
            return Ok(ObjectLookup::Missing);
        }
        if header.ends_with(" ambiguous") {
            return Ok(ObjectLookup::Ambiguous);
        }
        let mut words = header.split(' ');
        let (Some(oid), Some(kind), Some(Ok(size)), None) =
            (words.next(), words.next(), words.next().map(str::parse::<u64>), words.next())
        else {
            return Err(GitError::Failed {
                reason: format!("unexpected output of `git cat-file`: `{header}`"),
            });
        };
        if size > limit {
            return Ok(ObjectLookup::TooLarge);
        }
        // The limit keeps the size within 32 bits.
        let mut bytes = vec![0; size as usize];
        self.output.read_exact(&mut bytes).map_err(|_| ended())?;
        self.output.read_exact(&mut [0]).map_err(|_| ended())?;
        Ok(ObjectLookup::Found { oid: oid.to_owned(), kind: kind.to_owned(), bytes })
    }
}

/// Whether a name is the whole id of an object.
fn is_id(name: &str) -> bool {
    matches!(name.len(), 40 | 64) && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn ended() -> GitError {
    GitError::Failed { reason: "`git cat-file` ended unexpectedly".to_owned() }
}
