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
    /// The code, for example HP0105; if omitted, all codes
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
        let code = self.code.as_deref().map(known).transpose()?;
        let text = match (self.format, code) {
            (_, Some(code)) if self.markdown => {
                page_of(code).map(|page| page.text.to_owned()).ok_or_else(|| {
                    anyhow!(
                        "{code} has no page of its own; `hotplate explain --markdown` has all codes"
                    )
                })?
            }
            (_, None) if self.markdown => codes::markdown(&crate::codes::every()),
            (Format::Text, None) => crate::codes::every().into_iter().map(line).collect(),
            (Format::Text, Some(code)) => in_full(code),
            (Format::Json, code) => {
                json::to_text(&codes::Explanations::of(code)).context("JSON cannot be written")?
            }
        };
        console.print(&text)?;
        Ok(ExitStatus::Done)
    }
}

fn known(id: &str) -> anyhow::Result<Code> {
    crate::codes::from_id(id).ok_or_else(|| {
        let ids = crate::codes::every().into_iter().map(|code| code.info().id);
        let suggestion = match did_you_mean(id, ids) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`hotplate explain` lists every code".to_owned(),
        };
        anyhow!("there is no code `{id}`; {suggestion}")
    })
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
