//! What one command uses, measured in a process of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// The longest that a command may take.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// The processor time and the peak memory of a process.
pub(crate) struct Used {
    pub(crate) micros: f64,
    #[allow(dead_code, reason = "not every benchmark prints it")]
    pub(crate) bytes: f64,
}

/// The hotplate to measure: `HOTPLATE_BIN`, or the one that was built.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("HOTPLATE_BIN")
        .map_or(PathBuf::from(env!("CARGO_BIN_EXE_hotplate")), PathBuf::from)
}

/// Runs a command in a folder; `None` if it fails or takes too long. The caller's `main` must pass the arguments
/// after `--measure` to [`measure`].
pub(crate) fn used(folder: &Path, command: &[String]) -> Option<Used> {
    let me = std::env::current_exe().expect("this program");
    let done = Command::new(me)
        .arg("--measure")
        .args(command)
        .current_dir(folder)
        .output()
        .expect("a run");
    let printed = String::from_utf8_lossy(&done.stdout);
    let mut figures = printed.split_whitespace().map(|figure| figure.parse().expect("a figure"));
    Some(Used { micros: figures.next()?, bytes: figures.next()? })
}

/// Runs a command as the only child of this process, and prints what it used.
pub(crate) fn measure(command: &[String]) {
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a program");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        if start.elapsed() > LIMIT {
            child.kill().expect("a child");
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    assert!(status.code().is_some_and(|code| code < 2), "{command:?}: {status}");
    let used = getrusage(UsageWho::RUSAGE_CHILDREN).expect("what the child used");
    let micros = (used.user_time() + used.system_time()).num_microseconds();
    println!("{micros} {}", used.max_rss() * 1024);
}
