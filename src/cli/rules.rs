//! `hotplate rules`: the rules of the upgrade.

use anyhow::anyhow;
use clap::Args;

use super::{Console, ExitStatus};
use hotplate_upgrade::{RULES, rule};
use source_diagnostics::did_you_mean;

/// List the rules of the upgrade, or explain one
#[derive(Debug, Args)]
pub(super) struct Rules {
    /// The rule; if omitted, all rules
    #[arg(value_name = "RULE")]
    rule: Option<String>,
    /// Print the documentation of all rules as Markdown
    #[arg(long, conflicts_with = "rule")]
    markdown: bool,
}

impl Rules {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let text = match &self.rule {
            _ if self.markdown => crate::report::rules::markdown(RULES),
            None => crate::report::rules::list(RULES),
            Some(name) => {
                let found = rule(name).ok_or_else(|| {
                    match did_you_mean(name, RULES.iter().map(|rule| rule.name)) {
                        Some(near) => anyhow!("there is no rule `{name}`; did you mean `{near}`?"),
                        None => anyhow!("there is no rule `{name}`; `hotplate rules` lists them"),
                    }
                })?;
                crate::report::rules::details(found)
            }
        };
        console.print(&text)?;
        Ok(ExitStatus::Done)
    }
}
