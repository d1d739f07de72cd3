//! `hotplate explain`: what a code means.

use anyhow::{Context, anyhow};
use clap::Args;

use super::{Console, ExitStatus, Format};
use crate::report::check_pages::page_of;
use crate::report::wrap::wrapped;
use crate::report::{codes, json};
use source_diagnostics::{Code, Severity, did_you_mean};

/// Explain the code of a finding, or list every code
#[derive(Debug, Args)]
pub(super) struct Explain {
    /// The code, its beginning, or words of its explanation: HP0105, HP10, loop; if omitted, all codes
    code: Option<String>,
    /// Print a Markdown page: about the code, or with all codes
    #[arg(long, conflicts_with = "format")]
    markdown: bool,
    /// The format of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Explain {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let codes = match &self.code {
            Some(text) => found(text)?,
            None => crate::codes::every(),
        };
        let one = codes.first().copied().filter(|_| codes.len() == 1);
        let text = match (self.format, one) {
            (_, Some(code)) if self.markdown => {
                page_of(code).map(|page| page.text.to_owned()).ok_or_else(|| {
                    anyhow!(
                        "{code} has no page of its own; `hotplate explain --markdown` has all codes"
                    )
                })?
            }
            (_, None) if self.markdown => codes::markdown(&codes),
            (Format::Text, None) => codes.into_iter().map(line).collect(),
            (Format::Text, Some(code)) => in_full(code),
            (Format::Json, _) => {
                json::to_text(&codes::Explanations::of(&codes)).context("JSON cannot be written")?
            }
        };
        console.print(&text)?;
        Ok(ExitStatus::Done)
    }
}

/// The codes that begin with a text; without one, those whose explanation has each of its words, those with all in the title first.
fn found(text: &str) -> anyhow::Result<Vec<Code>> {
    let begins = |code: &Code| code.info().id.starts_with(&text.trim().to_uppercase());
    let mut codes: Vec<Code> = crate::codes::every().into_iter().filter(begins).collect();
    if codes.is_empty() {
        let text = text.to_lowercase();
        let has = |place: &str| text.split_whitespace().all(|it| place.to_lowercase().contains(it));
        codes = crate::codes::every();
        codes.retain(|code| has(&codes::searched_text(*code)));
        codes.sort_by_key(|code| !has(code.info().title));
    }
    if !codes.is_empty() && !text.trim().is_empty() {
        return Ok(codes);
    }
    let ids = crate::codes::every().into_iter().map(|code| code.info().id);
    let suggestion = match did_you_mean(text, ids) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`hotplate explain` lists every code".to_owned(),
    };
    Err(anyhow!("there is no code `{text}`; {suggestion}"))
}

/// One line about a code, for the list.
fn line(code: Code) -> String {
    let (info, style) = (code.info(), style(code.info().severity));
    format!("{style}{}{style:#}  {:<7}  {}\n", info.id, codes::severity(info.severity), info.title)
}

fn in_full(code: Code) -> String {
    let (info, style) = (code.info(), style(code.info().severity));
    let paragraph = wrapped(info.explanation, 80);
    let severity = codes::severity(info.severity);
    let mut text =
        format!("{style}{severity}[{}]{style:#}: {}\n\n{paragraph}\n", info.id, info.title);
    for (is_verbatim, part) in codes::page_parts(code) {
        text.push('\n');
        text.push_str(&if is_verbatim { part } else { format!("{}\n", wrapped(&part, 80)) });
    }
    text
}

/// The colors of findings in reports.
fn style(severity: Severity) -> anstyle::Style {
    match severity {
        Severity::Note => anstyle::AnsiColor::BrightGreen.on_default().bold(),
        Severity::Warning => anstyle::AnsiColor::Yellow.on_default().bold(),
        Severity::Error => anstyle::AnsiColor::BrightRed.on_default().bold(),
    }
}
