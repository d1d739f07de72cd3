//! The settings of `hotplate.toml` as options: each row of the table of keys says how.

use crate::check::CheckOptions;
use crate::codes;
use crate::compare::CompareOptions;
use crate::config::{Config, ConfigValue, KEYS, Key, KeyKind, Setting};
use crate::deployment::DeploymentOptions;
use crate::options::{ReadOptions, ValueOptions};
use hotplate_diff::{CommentSide, HiddenProperty};
use source_diagnostics::Diagnostic;

/// The options that a project has for its commands.
#[derive(Clone, Debug)]
pub struct ProjectOptions {
    /// What `check` and the editor read and report.
    pub check: CheckOptions,
    /// What `diff` and the editor compare, and which changes are permitted.
    pub compare: CompareOptions,
    /// The criteria for which a comparison fails, as words.
    pub fail_on: Vec<String>,
    /// The number of context lines around a change of a long text, if it is set.
    pub context: Option<usize>,
    /// The properties whose updates in place are not shown.
    pub hide: Vec<HiddenProperty>,
}

impl ProjectOptions {
    /// The options without a configuration.
    pub fn new(reading: ReadOptions) -> Self {
        ProjectOptions {
            check: CheckOptions::new(reading),
            compare: CompareOptions::new(reading),
            fail_on: Vec::new(),
            context: None,
            hide: Vec::new(),
        }
    }

    /// The options with the settings of a configuration, and a finding for each value that is not one of its key.
    pub fn of(config: &Config, reading: ReadOptions) -> (Self, Vec<Diagnostic>) {
        let mut options = ProjectOptions::new(reading);
        let mut findings = Vec::new();
        for Setting { key, values, .. } in &config.settings {
            findings.extend(values.iter().filter_map(|value| options.set(key, value)));
        }
        let ignore = KEYS.iter().find(|key| key.full_name() == "check.ignore");
        let words = config.path_ignores.iter().flat_map(|ignores| &ignores.words);
        for ((word, span), ignore) in words.zip(ignore.into_iter().cycle()) {
            let value = ConfigValue { text: word.clone(), url: None, span: *span };
            findings.extend(ProjectOptions::new(reading).set(ignore, &value));
        }
        // A file that the change may contain does not decide about the change.
        if options.compare.comment_side == CommentSide::Base && !config.is_of_base {
            options.compare = CompareOptions::new(reading);
            options.compare.comment_side = CommentSide::Base;
            options.fail_on.clear();
        }
        (options, findings)
    }

    /// The inputs of checks and of comparisons.
    pub(crate) fn deployments(&mut self) -> impl Iterator<Item = &mut DeploymentOptions> {
        [&mut self.check.deployment, &mut self.compare.deployment].into_iter()
    }

    /// The bounds of the evaluations of checks and of comparisons.
    pub(crate) fn evaluations(&mut self) -> impl Iterator<Item = &mut ValueOptions> {
        [&mut self.check.values, &mut self.compare.values].into_iter()
    }

    /// Sets an option to a value; the finding says why it is not one of the key.
    fn set(&mut self, key: &Key, value: &ConfigValue) -> Option<Diagnostic> {
        let why = match key.kind {
            // Reported where it is read.
            KeyKind::OneOf(allowed) if !allowed.contains(&value.text.as_str()) => return None,
            KeyKind::Path | KeyKind::Paths if value.text.is_empty() => {
                format!("`` is not a value of `{}`", key.full_name())
            }
            _ => format!("`{}`: {}", key.full_name(), (key.set)(self, value).err()?),
        };
        // The sentences of options end with the proposal.
        let (message, help) = why.split_once("; ").unwrap_or((&why, ""));
        let finding = Diagnostic::new(codes::CONFIG_VALUE, message).at(value.span);
        Some(if help.is_empty() { finding } else { finding.help(help) })
    }
}
