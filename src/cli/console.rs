//! The output of a command: results go to standard output, everything else to standard error.

use std::io::{self, BufWriter, IsTerminal, Write};

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use anyhow::Context;

use super::ColorMode;
use crate::report::escape::for_terminal;
use crate::report::text::{self, TerminalStyle};
use source_diagnostics::{Diagnostic, MaskedSources, Severity};

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
    /// The output that is held back, if any is.
    held: Option<HeldOutput>,
}

/// The most bytes for standard output that are held back.
const MOST_HELD: usize = 1 << 16;

/// Output that something printed later must precede: all messages, and, so that both streams keep their order on one
/// terminal, the first part of standard output.
#[derive(Debug, Default)]
pub struct HeldOutput {
    parts: Vec<HeldPart>,
    /// The bytes for standard output in `parts`; more than [`MOST_HELD`] once nothing more of it is held.
    out_bytes: usize,
}

#[derive(Debug)]
enum HeldPart {
    Document(Vec<u8>),
    Report(String),
    Message(String),
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
                style: look(
                    AutoStream::choice(&io::stdout()),
                    terminal_size::terminal_size(),
                    verbosity,
                ),
                writer: BufWriter::new(Box::new(ClosableWriter::new(io::stdout()))),
            },
            err: Stream {
                style: look(
                    AutoStream::choice(&io::stderr()),
                    terminal_size::terminal_size_of(io::stderr()),
                    verbosity,
                ),
                writer: BufWriter::new(Box::new(ClosableWriter::new(io::stderr()))),
            },
            verbosity,
            held: None,
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
            held: None,
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

    /// From now on holds the output back, until [`take_held`](Console::take_held). Messages are held without a limit,
    /// a report of more than a few pages is printed.
    pub fn hold(&mut self) {
        self.held = Some(HeldOutput::default());
    }

    /// Stops holding output back, and returns what is held, for [`release`](Console::release).
    pub fn take_held(&mut self) -> HeldOutput {
        self.held.take().unwrap_or_default()
    }

    /// Prints what was held back.
    pub fn release(&mut self, held: HeldOutput) -> anyhow::Result<()> {
        for part in held.parts {
            match part {
                HeldPart::Document(bytes) => self.document(&bytes)?,
                HeldPart::Report(styled) => self.print(&styled)?,
                HeldPart::Message(styled) => self.always(&styled),
            }
        }
        Ok(())
    }

    /// Holds a part of standard output back; returns false if it must be printed.
    fn holds(&mut self, bytes: usize, part: impl FnOnce() -> HeldPart) -> anyhow::Result<bool> {
        let Some(held) = self.held.as_mut().filter(|held| held.out_bytes <= MOST_HELD) else {
            return Ok(false);
        };
        held.out_bytes += bytes;
        if held.out_bytes <= MOST_HELD {
            held.parts.push(part());
            return Ok(true);
        }
        let (messages, reports) = std::mem::take(&mut held.parts)
            .into_iter()
            .partition(|part| matches!(part, HeldPart::Message(_)));
        held.parts = messages;
        self.release(HeldOutput { parts: reports, out_bytes: 0 })?;
        Ok(false)
    }

    /// Writes a document to standard output, byte by byte as it is.
    pub fn document(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        if self.holds(bytes.len(), || HeldPart::Document(bytes.to_vec()))? {
            return Ok(());
        }
        self.out.writer.write_all(bytes).context(NO_OUTPUT)
    }

    /// Writes a part of a report to standard output. ANSI styles are removed unless they are
    /// wanted.
    pub fn print(&mut self, styled: &str) -> anyhow::Result<()> {
        if self.holds(styled.len(), || HeldPart::Report(styled.to_owned()))? {
            return Ok(());
        }
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
    pub fn diagnostics(&mut self, diagnostics: &[Diagnostic], sources: &MaskedSources) {
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
        let held = self.take_held();
        // Only its messages: standard output may be what failed.
        let messages = held.parts.into_iter().filter(|part| matches!(part, HeldPart::Message(_)));
        let _ = self.release(HeldOutput { parts: messages.collect(), out_bytes: 0 });
        let style = anstyle::AnsiColor::BrightRed.on_default().bold();
        self.always(&format!("{style}error{style:#}: {}\n", for_terminal(&format!("{error:#}"))));
    }

    /// Writes a message to standard error in any case.
    pub(super) fn always(&mut self, styled: &str) {
        if styled.is_empty() {
            return;
        }
        if let Some(held) = &mut self.held {
            held.parts.push(HeldPart::Message(styled.to_owned()));
            return;
        }
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
    verbosity: Verbosity,
) -> TerminalStyle {
    let default = TerminalStyle::default();
    // Space for the line numbers; a width that is too small for any text is ignored.
    let width = size.map_or(default.width, |(width, _)| usize::from(width.0).max(60) - 10);
    TerminalStyle {
        color: choice != ColorChoice::Never,
        width,
        verbose: verbosity == Verbosity::Verbose,
    }
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

    /// A stream that a test can read.
    #[derive(Clone, Default)]
    struct Shared(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

    impl Shared {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().expect("a lock").clone()).expect("UTF-8")
        }
    }

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("a lock").write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn little_is_held_back_in_order() {
        let terminal = Shared::default();
        let mut console = Console::plain(terminal.clone(), terminal.clone(), Verbosity::Normal);
        console.hold();
        console.note("note\n");
        console.print("report\n").expect("no error");
        console.document(b"document\n").expect("no error");
        console.note("end\n");
        assert_eq!(terminal.text(), "");
        let held = console.take_held();
        console.note("summary\n");
        console.release(held).expect("no error");
        assert_eq!(terminal.text(), "summary\nnote\nreport\ndocument\nend\n");
    }

    #[test]
    fn a_long_report_is_not_held_back() {
        let (out, err) = (Shared::default(), Shared::default());
        let mut console = Console::plain(out.clone(), err.clone(), Verbosity::Normal);
        console.hold();
        let line = format!("{}\n", "a".repeat(MOST_HELD / 2));
        for _ in 0..4 {
            console.note("note\n");
            console.print(&line).expect("no error");
        }
        assert_eq!(out.text(), line.repeat(4));
        assert_eq!(err.text(), "");
        let held = console.take_held();
        console.note("summary\n");
        console.release(held).expect("no error");
        assert_eq!(out.text(), line.repeat(4));
        assert_eq!(err.text(), format!("summary\n{}", "note\n".repeat(4)));
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
