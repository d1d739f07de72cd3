//! The objects of a repository, asked from one `git cat-file --batch` per repository.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Mutex, PoisonError};

use super::GitError;
use super::command::Git;

/// The process, started when it is first asked for. Whoever asks waits for their turn.
#[derive(Debug)]
pub(super) struct ObjectReader {
    git: Git,
    process: Mutex<Option<CatFileProcess>>,
}

/// What became of a wish.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ObjectLookup {
    /// Its bytes, and what it is.
    Found { oid: String, kind: String, bytes: Vec<u8> },
    /// It has more bytes than wanted.
    TooLarge,
    /// Nothing has this name; in a partial clone perhaps only nothing here.
    Missing,
    /// Several objects have this name.
    Ambiguous,
}

#[derive(Debug)]
struct CatFileProcess {
    child: Child,
    /// Before the process ends, its input does.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Drop for CatFileProcess {
    fn drop(&mut self) {
        self.input = None;
        // It may be in the middle of an object that nobody wants.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl ObjectReader {
    pub(super) fn new(git: Git) -> Self {
        ObjectReader { git, process: Mutex::new(None) }
    }

    /// The object of a name, which may be anything that git takes for one but must be one line; up to
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
        // What is left unread would be taken for the next answer.
        if !matches!(
            answer,
            Ok(ObjectLookup::Found { .. } | ObjectLookup::Missing | ObjectLookup::Ambiguous)
        ) {
            *slot = None;
        }
        answer
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
            return Err(GitError::Failed { reason: format!("`git cat-file` said `{header}`") });
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

fn ended() -> GitError {
    GitError::Failed { reason: "`git cat-file` ended unexpectedly".to_owned() }
}
