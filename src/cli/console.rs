//! The output of a command: results go to standard output, everything else to standard error.

use std::io::{self, BufWriter, IsTerminal, Write};

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use anyhow::Context;

use super::ColorMode;
use crate::report::escape::for_terminal;
use crate::report::text::{self, TerminalStyle};
use source_diagnostics::{Diagnostic, Severity, SourceMap};

/// How much a command prints besides its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Only errors.
    Quiet,
    /// Errors, warnings, notes and summaries.
    #[default]
    Normal,
    /// Additional details that help to understand a result.
    Verbose,
}

/// The output streams of a command.
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

    /// Two streams provided by the caller, without colors.
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

    /// How much to print.
    pub fn verbosity(&self) -> Verbosity {
        self.verbosity
    }

    /// The style of a report on standard output.
    pub fn stream_style(&self) -> TerminalStyle {
        self.out.style
    }

    /// Whether a progress bar is useful: standard error is a terminal and not quiet.
    pub fn shows_progress(&self) -> bool {
        self.verbosity > Verbosity::Quiet && io::stderr().is_terminal()
    }

    /// Writes a document to standard output, byte by byte as it is.
    pub fn document(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.out.writer.write_all(bytes).context(NO_OUTPUT)
    }

    /// Writes a part of a report to standard output. ANSI styles are removed unless they are
    /// wanted.
    pub fn print(&mut self, styled: &str) -> anyhow::Result<()> {
        self.out.print(styled).context(NO_OUTPUT)
    }

    /// Writes a message to standard error, unless the command is quiet.
    pub fn note(&mut self, styled: &str) {
        if self.verbosity > Verbosity::Quiet {
            self.always(styled);
        }
    }

    /// Writes a message to standard error if the command is verbose.
    pub fn detail(&mut self, styled: &str) {
        if self.verbosity == Verbosity::Verbose {
            self.always(styled);
        }
    }

    /// Writes findings to standard error; only errors if the command is quiet.
    pub fn diagnostics(&mut self, diagnostics: &[Diagnostic], sources: &SourceMap) {
        let text = if self.verbosity == Verbosity::Quiet {
            let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
            text::render(errors, sources, self.err.style)
        } else {
            text::render(diagnostics, sources, self.err.style)
        };
        self.always(&text);
    }

    /// Writes the error that stopped the command.
    pub fn error(&mut self, error: &anyhow::Error) {
        let style = anstyle::AnsiColor::BrightRed.on_default().bold();
        self.always(&format!("{style}error{style:#}: {}\n", for_terminal(&format!("{error:#}"))));
    }

    /// Writes a message to standard error in any case.
    pub(super) fn always(&mut self, styled: &str) {
        // Flushing keeps the order if both streams go to one terminal. An error here cannot be
        // reported anywhere; the exit status expresses it.
        let _ = self.out.writer.flush();
        let _ = self.err.print(styled);
        let _ = self.err.writer.flush();
    }

    /// Flushes the buffered output.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        self.out.writer.flush().context(NO_OUTPUT)
    }
}

const NO_OUTPUT: &str = "standard output cannot be written";

/// The style of a stream's text.
fn look(
    choice: ColorChoice,
    size: Option<(terminal_size::Width, terminal_size::Height)>,
) -> TerminalStyle {
    let default = TerminalStyle::default();
    // Space for the line numbers; a width that is too small for any text is ignored.
    let width = size.map_or(default.width, |(width, _)| usize::from(width.0).max(60) - 10);
    TerminalStyle { color: choice != ColorChoice::Never, width }
}

/// A stream with its style.
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

/// A writer whose reader may close the pipe: further output is discarded, which is not an error.
/// The command finishes its work (`hotplate upgrade --write . | head` writes every file)
/// and its exit status reflects the result.
struct ClosableWriter<W> {
    inner: W,
    closed: bool,
}

impl<W: Write> ClosableWriter<W> {
    fn new(inner: W) -> Self {
        ClosableWriter { inner, closed: false }
    }

    /// The result of an operation, or `instead` if the reader has closed the pipe.
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
