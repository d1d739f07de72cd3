//! Where a command writes: results to standard output, all else to standard error.

use std::io::{self, BufWriter, IsTerminal, Write};

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use anyhow::Context;

use super::ColorMode;
use crate::report::escape::for_terminal;
use crate::report::text::{self, TerminalStyle};
use source_diagnostics::{Diagnostic, Severity, SourceMap};

/// How much a command says beside its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Errors only.
    Quiet,
    /// Errors, warnings, notes, summaries.
    #[default]
    Normal,
    /// What may help to understand a result, too.
    Verbose,
}

/// The two streams of a command.
#[derive(Debug)]
pub struct Console {
    out: Stream,
    err: Stream,
    verbosity: Verbosity,
}

impl Console {
    /// The streams of the process.
    pub fn new(color: ColorMode, verbosity: Verbosity) -> Self {
        let choice = match color {
            ColorMode::Auto => ColorChoice::Auto,
            ColorMode::Always => ColorChoice::Always,
            ColorMode::Never => ColorChoice::Never,
        };
        choice.write_global();
        Console {
            out: Stream {
                style: look(AutoStream::choice(&io::stdout()), terminal_size::terminal_size()),
                writer: BufWriter::new(Box::new(ClosableWriter::new(io::stdout()))),
            },
            err: Stream {
                style: look(
                    AutoStream::choice(&io::stderr()),
                    terminal_size::terminal_size_of(io::stderr()),
                ),
                writer: BufWriter::new(Box::new(ClosableWriter::new(io::stderr()))),
            },
            verbosity,
        }
    }

    /// Two streams of a caller's own, without colors.
    pub fn plain(
        out: impl Write + Send + 'static,
        err: impl Write + Send + 'static,
        verbosity: Verbosity,
    ) -> Self {
        let look = TerminalStyle { color: false, ..TerminalStyle::default() };
        Console {
            out: Stream { style: look, writer: BufWriter::new(Box::new(out)) },
            err: Stream { style: look, writer: BufWriter::new(Box::new(err)) },
            verbosity,
        }
    }

    /// How much to say.
    pub fn verbosity(&self) -> Verbosity {
        self.verbosity
    }

    /// How a report on standard output is to look.
    pub fn stream_style(&self) -> TerminalStyle {
        self.out.style
    }

    /// True if someone watches standard error and wants to know.
    pub fn shows_progress(&self) -> bool {
        self.verbosity > Verbosity::Quiet && io::stderr().is_terminal()
    }

    /// Writes a document to standard output: its bytes, whatever they are.
    pub fn document(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.out.writer.write_all(bytes).context(NO_OUTPUT)
    }

    /// Writes a part of a report to standard output. Its ANSI styles are left out where they are
    /// not wanted.
    pub fn print(&mut self, styled: &str) -> anyhow::Result<()> {
        self.out.print(styled).context(NO_OUTPUT)
    }

    /// Tells something on standard error, unless asked to be quiet.
    pub fn note(&mut self, styled: &str) {
        if self.verbosity > Verbosity::Quiet {
            self.always(styled);
        }
    }

    /// Tells something on standard error if asked to say more.
    pub fn detail(&mut self, styled: &str) {
        if self.verbosity == Verbosity::Verbose {
            self.always(styled);
        }
    }

    /// Shows findings on standard error; only errors if asked to be quiet.
    pub fn diagnostics(&mut self, diagnostics: &[Diagnostic], sources: &SourceMap) {
        let text = if self.verbosity == Verbosity::Quiet {
            let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
            text::render(errors, sources, self.err.style)
        } else {
            text::render(diagnostics, sources, self.err.style)
        };
        self.always(&text);
    }

    /// Tells what stopped the command.
    pub fn error(&mut self, error: &anyhow::Error) {
        let style = anstyle::AnsiColor::BrightRed.on_default().bold();
        self.always(&format!("{style}error{style:#}: {}\n", for_terminal(&format!("{error:#}"))));
    }

    /// Tells something on standard error in any case.
    pub(super) fn always(&mut self, styled: &str) {
        // In the order in which it was said, where both go to one terminal. If nobody can be told
        // that nobody can be told, nothing is left to do; the status says it.
        let _ = self.out.writer.flush();
        let _ = self.err.print(styled);
        let _ = self.err.writer.flush();
    }

    /// Writes out what is still held back.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        self.out.writer.flush().context(NO_OUTPUT)
    }
}

const NO_OUTPUT: &str = "standard output cannot be written";

/// How a stream's text is to look.
fn look(
    choice: ColorChoice,
    size: Option<(terminal_size::Width, terminal_size::Height)>,
) -> TerminalStyle {
    let default = TerminalStyle::default();
    // Room for the line numbers; and a window that is too narrow for anything is not obeyed.
    let width = size.map_or(default.width, |(width, _)| usize::from(width.0).max(60) - 10);
    TerminalStyle { color: choice != ColorChoice::Never, width }
}

/// A stream with its look.
struct Stream {
    writer: BufWriter<Box<dyn Write + Send>>,
    style: TerminalStyle,
}

impl Stream {
    fn print(&mut self, styled: &str) -> io::Result<()> {
        let plain = |byte: &u8| !byte.is_ascii_control() || matches!(byte, b'\n' | b'\t');
        if self.style.color || styled.as_bytes().iter().all(plain) {
            self.writer.write_all(styled.as_bytes())
        } else {
            write!(self.writer, "{}", strip_str(styled))
        }
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("look", &self.style).finish_non_exhaustive()
    }
}

/// A writer whose reader may leave: what is written after that goes nowhere, and that is no error.
/// The command does its work to the end (`hotplate upgrade --write . | head` writes every file)
/// and its status says what it found.
struct ClosableWriter<W> {
    inner: W,
    closed: bool,
}

impl<W: Write> ClosableWriter<W> {
    fn new(inner: W) -> Self {
        ClosableWriter { inner, closed: false }
    }

    /// The result of an operation, or `instead` if the reader has left.
    fn unless_closed<T>(&mut self, result: io::Result<T>, instead: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(instead)
            }
            other => other,
        }
    }
}

impl<W: Write> Write for ClosableWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        let result = self.inner.write(bytes);
        self.unless_closed(result, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = self.inner.flush();
        self.unless_closed(result, ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_leaves_is_no_error() {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let mut writer = BufWriter::new(ClosableWriter::new(writer));
        for _ in 0..3 {
            writer.write_all(b"text").expect("no error");
            writer.flush().expect("no error");
        }
    }

    #[test]
    fn other_errors_stay_errors() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let error = ClosableWriter::new(Full).write(b"text").expect_err("full");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
