//! Ctrl-C, SIGTERM and SIGHUP: the process ends between two writes and reports which files it has written. SIGXFSZ, the limit on the
//! size of files, is an error of the write.

/// From now on these signals end the process after the writes in progress; a second one ends it
/// immediately. A signal that the parent process ignores (`nohup`) stays ignored.
#[cfg(unix)]
pub(super) fn watch() {
    unix::watch();
}

/// Without Unix signals there is nothing to handle.
#[cfg(not(unix))]
pub(super) fn watch() {}

#[cfg(unix)]
mod unix {
    use std::ffi::c_int;
    use std::io::{self, IsTerminal, Write};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::{flag, low_level};

    use source_files::hold_writes;

    pub(super) fn watch() {
        let ignored = ignored();
        let is_ignored = |signal: c_int| ignored >> (signal - 1) & 1 == 1;
        let watched: Vec<c_int> =
            [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal)).collect();
        // Without a handler, the signal that a file has reached the limit of `ulimit -f` ends the process in the middle of a write. With
        // one, the write fails, and its error is reported like that of a full disk.
        let _ = flag::register(SIGXFSZ, Arc::default());
        let ends_at_once = Arc::new(AtomicBool::new(false));
        for &signal in &watched {
            // If this fails, the signal has its default effect.
            let _ = flag::register_conditional_default(signal, Arc::clone(&ends_at_once));
        }
        let ends = Arc::clone(&ends_at_once);
        let thread = Signals::new(&watched).and_then(|mut signals| {
            std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
                if let Some(signal) = signals.forever().next() {
                    ends.store(true, Ordering::SeqCst);
                    end(signal);
                }
            })
        });
        if thread.is_err() {
            ends_at_once.store(true, Ordering::SeqCst);
        }
    }

    /// Ends the process as the signal does by default, so that its parent can see which one it was.
    fn end(signal: c_int) {
        let held = hold_writes();
        let name = low_level::signal_name(signal).unwrap_or("a signal");
        let done = match held.written {
            0 => "no file was changed".to_owned(),
            1 => "1 file was written, and it is complete; no other file was changed".to_owned(),
            count => format!(
                "{count} files were written, and each is complete; no other file was changed"
            ),
        };
        let mut err = io::stderr();
        // Replaces a progress bar.
        let start = if err.is_terminal() { "\r\x1b[2K" } else { "" };
        let _ = writeln!(err, "{start}stopped by {name}: {done}");
        let _ = low_level::emulate_default_handler(signal);
        drop(held);
    }

    /// The signals that were ignored when the process started, one bit each; zero on systems that do
    /// not report them.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
    }
}
