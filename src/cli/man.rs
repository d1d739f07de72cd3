//! `hotplate man`: the manual pages, which are made of the help.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::{Args, Command};
use clap_mangen::roff::{Roff, bold, roman};

use super::{Console, ExitStatus, all, command, help, subcommands};
use crate::report::escape::for_terminal;
use source_diagnostics::{MaskedSources, did_you_mean};
use source_files::{ExistingFiles, FileError, FileReaders, write_folder};

/// A width at which no line of the help is wrapped, since `man` wraps them itself.
const UNWRAPPED: usize = 10_000;

/// Print the manual page of hotplate or of one of its commands, or write all of them
#[derive(Debug, Args)]
pub(super) struct Man {
    /// The command, for example `targets test`; if omitted, hotplate itself
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// Write the pages of all commands into this folder, and replace those of the same name
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    output: Option<PathBuf>,
}

impl Man {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let mut root = command(UNWRAPPED);
        root.build();
        match &self.output {
            Some(folder) => match write_all(&root, folder)? {
                Ok(written) => console.note(&format!(
                    "{written} pages in `{}`\n",
                    for_terminal(&folder.display().to_string())
                )),
                Err(error) => {
                    console.diagnostics(&[error.diagnostic()], &MaskedSources::default());
                    return Ok(ExitStatus::Failed);
                }
            },
            None => console.print(&ManualPage::of(find(&root, &self.command)?)?.text)?,
        }
        Ok(ExitStatus::Done)
    }
}

/// Returns the number of pages.
fn write_all(root: &Command, folder: &Path) -> anyhow::Result<Result<usize, FileError>> {
    let pages = all(root).into_iter().map(ManualPage::of);
    let pages = pages.collect::<anyhow::Result<Vec<_>>>()?;
    let files: Vec<(&Path, &[u8])> =
        pages.iter().map(|page| (Path::new(&page.file), page.text.as_bytes())).collect();
    let written = write_folder(folder, &files, ExistingFiles::Replace, FileReaders::Umask);
    Ok(written.map(|_| files.len()))
}

/// The command that the words name.
fn find<'a>(root: &'a Command, words: &[String]) -> anyhow::Result<&'a Command> {
    words.iter().try_fold(root, |command, word| {
        command.find_subcommand(word).ok_or_else(|| {
            let suggestion = match did_you_mean(word, subcommands(command).map(Command::get_name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`hotplate --help` lists all commands".to_owned(),
            };
            anyhow!("there is no command `{word}`; {suggestion}")
        })
    })
}

/// A page for `man`.
struct ManualPage {
    /// The name of its file: `hotplate-diff.1`.
    file: String,
    /// The page, in the language of roff.
    text: String,
}

impl ManualPage {
    fn of(command: &Command) -> anyhow::Result<Self> {
        let without_help =
            command.clone().after_help("").after_long_help("").disable_help_subcommand(true);
        let page =
            clap_mangen::Man::new(without_help).manual("hotplate manual").source(source()).date("");
        let mut text = Vec::new();
        page.render_title(&mut text)?;
        page.render_name_section(&mut text)?;
        page.render_synopsis_section(&mut text)?;
        page.render_options_section(&mut text)?;
        if subcommands(command).next().is_some() {
            page.render_subcommands_section(&mut text)?;
        }
        let end = command.get_after_long_help().or_else(|| command.get_after_help());
        sections(&end.map(ToString::to_string).unwrap_or_default()).to_writer(&mut text)?;
        let text = String::from_utf8(text).context("a page is not text")?;
        Ok(ManualPage { file: page.get_filename(), text })
    }
}

fn source() -> String {
    format!("hotplate {}", env!("CARGO_PKG_VERSION"))
}

/// The end of a help text as sections: a line that ends with a colon begins one, a line of two columns is an item of a
/// list, and other lines are prose.
fn sections(help: &str) -> Roff {
    let mut roff = Roff::new();
    for line in help.lines() {
        if let Some(heading) = line.strip_suffix(':') {
            roff.control("SH", [heading.to_uppercase().as_str()]);
        } else if let Some((item, what)) = help::row(line) {
            roff.control("TP", []);
            roff.text([bold(item)]);
            roff.text([roman(what)]);
        } else if line.is_empty() {
            roff.control("PP", []);
        } else {
            roff.text([roman(line)]);
        }
    }
    roff
}
