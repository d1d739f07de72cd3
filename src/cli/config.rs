//! `hotplate config`: the values that are in effect, and where each is from.

use std::ffi::OsString;

use anyhow::Context;
use clap::{ArgMatches, Args};

use super::configuration::{self, ConfigOptions};
use super::setting_effects::{NamedCommand, SettingEffect};
use super::setting_values::{checking_option, commands_of};
use super::{Console, ExitStatus, Format, command_without_help};
use crate::config::{Config as ReadConfig, KEYS, Key};
use crate::report::config::{self as report, ConfiguredLists, EffectiveSetting, SettingOrigin};
use crate::report::json;
use hotplate_project::Configuration;
use source_diagnostics::Diagnostic;

/// Print the configuration in effect, and the origin of each value
#[derive(Debug, Args)]
pub(super) struct Config {
    /// A command with its arguments: only what applies to it, and what of the file it does not use
    #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
    /// Print the keys as a Markdown page
    #[arg(long, conflicts_with = "format")]
    markdown: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Config {
    pub(super) fn run(
        self,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let root = command_without_help();
        if self.markdown {
            console.print(&page())?;
            return Ok(ExitStatus::Done);
        }
        let none = ReadConfig::default();
        let matches = self.matches(&root)?;
        let named = match &matches {
            Some(matches) => Some(NamedCommand::of(&root, matches)),
            None => self.named(&root)?,
        };
        // A review has the configuration of its base; `check` uses the deployments of the change, too.
        let of_base = matches.as_ref().zip(named.as_ref()).and_then(|(matches, named)| {
            let options = ConfigOptions::of(matches);
            let (config, is_of_base) = options.open_for(named);
            let of_change = || options.open().filter(|_| named.path == ["check"]);
            is_of_base.then(|| (config, of_change()))
        });
        let (configuration, of_change) = match &of_base {
            Some((base, of_change)) => (base.as_ref(), of_change.as_ref()),
            None => (configuration.file(), None),
        };
        let config = configuration.unwrap_or(&none);
        let lists = ConfiguredLists {
            deployments: named.as_ref().is_none_or(NamedCommand::uses_deployments),
            path_ignores: named.as_ref().is_none_or(|named| named.path == ["check"]),
            of_change,
        };
        let settings: Vec<EffectiveSetting> =
            KEYS.iter().filter_map(|key| effective(key, config, &root, named.as_ref())).collect();
        match self.format {
            Format::Text => {
                console.diagnostics(&config.findings, &config.sources);
                console.print(&report::text(configuration, &settings, lists))?;
            }
            Format::Json => {
                let report = report::ConfigReport::new(configuration, &settings, lists);
                console.print(&json::to_text(&report).context("JSON cannot be written")?)?;
            }
        }
        let is_wrong = config.findings.iter().any(Diagnostic::is_error);
        Ok(if is_wrong { ExitStatus::Failed } else { ExitStatus::Done })
    }

    /// The matches of the command line that is given.
    fn matches(&self, root: &clap::Command) -> anyhow::Result<Option<ArgMatches>> {
        if self.command.len() < 2 {
            return Ok(None);
        }
        let arguments = configuration::with_program(&self.command);
        let matches = match root.clone().try_get_matches_from(&arguments) {
            Err(error) if configuration::may_be_completed(&error) => {
                root.clone().ignore_errors(true).try_get_matches_from(&arguments)
            }
            matches => matches,
        };
        matches.map(Some).map_err(|error| {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            anyhow::anyhow!("{}", line.trim_start_matches("error: ").to_owned())
        })
    }

    /// The command that is given without arguments.
    fn named<'a>(&'a self, root: &'a clap::Command) -> anyhow::Result<Option<NamedCommand<'a>>> {
        let Some(name) = self.command.first() else { return Ok(None) };
        let name = name.to_string_lossy();
        let Some(command) = root.find_subcommand(name.as_ref()) else {
            anyhow::bail!("there is no command `{name}`");
        };
        Ok(Some(NamedCommand { path: vec![command.get_name()], command, matches: None }))
    }
}

/// The page about the keys.
pub(super) fn page() -> String {
    let root = command_without_help();
    report::markdown(|key| (commands_of(&root, key), defaults(&root, key)))
}

/// The values of an option without the user.
fn defaults(root: &clap::Command, key: &Key) -> Vec<String> {
    let option = checking_option(root, key);
    let values = option.map(|option| option.get_default_values()).unwrap_or_default();
    values
        .iter()
        .map(|value| value.to_string_lossy().into_owned())
        .filter(|it| !it.is_empty())
        .collect()
}

/// The value of a key; `None` if it does not concern the command.
fn effective(
    key: &'static Key,
    config: &ReadConfig,
    root: &clap::Command,
    named: Option<&NamedCommand<'_>>,
) -> Option<EffectiveSetting> {
    let setting = config.settings.iter().find(|setting| setting.key.full_name() == key.full_name());
    let of_file: Vec<String> =
        setting.into_iter().flat_map(|it| &it.values).map(|value| value.argument()).collect();
    let place = setting.map(|setting| (setting.span, config.place(setting.span)));
    let effect = named.map_or(SettingEffect::Used, |named| named.effect(key, config));
    let written = named.and_then(|named| written(named, key)).unwrap_or_default();
    let new = |values: Vec<String>, origin, unused: Option<String>| {
        Some(EffectiveSetting { key, values, origin, place: place.clone(), unused })
    };
    let unused = effect.why_unused();
    match (effect, setting) {
        (SettingEffect::NotForCommand, _) => None,
        (SettingEffect::Replaced, Some(_)) => new(written, SettingOrigin::CommandLine, unused),
        (
            SettingEffect::Excluded(_) | SettingEffect::OfChange | SettingEffect::Unneeded(_),
            Some(_),
        ) => new(defaults(root, key), SettingOrigin::Default, unused),
        (SettingEffect::Used, Some(_)) if written.is_empty() => {
            new(of_file, SettingOrigin::File, None)
        }
        (SettingEffect::Used, Some(_)) => {
            new([written, of_file].concat(), SettingOrigin::CommandLineAndFile, None)
        }
        (_, None) if written.is_empty() => new(defaults(root, key), SettingOrigin::Default, None),
        (_, None) => new(written, SettingOrigin::CommandLine, None),
    }
}

/// The command line's value for a key.
fn written(named: &NamedCommand<'_>, key: &Key) -> Option<Vec<String>> {
    let option = named.option(key)?;
    if named.is_switched_off(key) {
        return Some(vec!["false".to_owned()]);
    }
    if !named.is_given(option) {
        return None;
    }
    let id = option.get_id().as_str();
    let raw = named.matches?.get_raw(id)?;
    let values: Vec<String> = raw.map(|value| value.to_string_lossy().into_owned()).collect();
    // An option without a value.
    Some(if values.is_empty() { vec!["true".to_owned()] } else { values })
}
