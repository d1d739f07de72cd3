//! The effect of `hotplate.toml` on a command line: its settings are options that the user has not written.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command};

use super::heat_release;
use super::inputs::ReadLimits;
use super::revisions::GitOptions;
use super::setting_effects::{NamedCommand, SettingEffect, option};
use crate::config::{Config, KEYS, KeyKind, Setting};
use hotplate_project::{
    Configuration, ConfigurationChoice, ImpliedDeployments, NamedFiles, ProjectOptions, ReadOptions,
};
use lossless_yaml::Limits;
use source_files::git::DiffSide;
use source_files::{Disk, FileSource};

/// The options that choose the configuration.
#[derive(Clone, Debug, Args)]
pub(super) struct ConfigOptions {
    /// The configuration, instead of the `hotplate.toml` of the current folder or of the nearest one above it
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "no_config")]
    config: Option<PathBuf>,
    /// Do not use a configuration
    #[arg(long, global = true)]
    no_config: bool,
    /// Permit paths of the configuration that lead out of the project
    #[arg(long, global = true)]
    trust_config: bool,
    /// Look for no deployments in the repository (`hotplate deployments` lists them): what is named is all, and what is missing is an error
    #[arg(long, global = true)]
    no_discovery: bool,
}

impl ConfigOptions {
    /// The options among parsed arguments.
    pub(super) fn of(matches: &ArgMatches) -> Self {
        ConfigOptions {
            config: matches.get_one::<PathBuf>("config").cloned(),
            no_config: matches.get_flag("no_config"),
            trust_config: matches.get_flag("trust_config"),
            no_discovery: matches.get_flag("no_discovery"),
        }
    }

    /// Reads the configuration of the current folder; what is wrong with it is in its findings.
    pub(super) fn open(&self) -> Option<Config> {
        self.open_from(&Disk::default(), || Config::find(Path::new("")))
    }

    /// The configuration of a run, with the deployments that repositories imply, if the command uses deployments.
    pub(super) fn with_implied(
        &self,
        config: Option<Config>,
        uses_deployments: bool,
    ) -> Configuration {
        let is_used = uses_deployments && !self.no_discovery;
        let implied = is_used.then(|| {
            Arc::new(ImpliedDeployments::new(heat_release(), Path::new(""), !self.no_config))
        });
        let mut configuration = Configuration::new(config).with_implied(implied);
        configuration.is_closed = self.no_discovery;
        configuration
    }

    /// Where the configuration is from.
    pub(super) fn choice(&self) -> ConfigurationChoice {
        match &self.config {
            Some(_) => ConfigurationChoice::Named,
            None if self.no_config => ConfigurationChoice::Off,
            None => ConfigurationChoice::Found,
        }
    }

    /// Reads the configuration of a command, with whether it is that of a base: in a review, otherwise it is that of the current folder.
    pub(super) fn open_for(&self, named: &NamedCommand<'_>) -> (Option<Config>, bool) {
        if let Some((git, bounds)) = named.base_of_settings() {
            return (self.open_of_base(&git, bounds, true).flatten(), true);
        }
        let revisions = named.revisions();
        if let Some((git, bounds)) = &revisions
            && (git.may_be_range() || named.names_base())
            && let Some(config) = self.open_of_base(git, *bounds, named.names_base())
        {
            return (config, true);
        }
        let config = self.open();
        if let (Some((git, bounds)), Some(config)) = (&revisions, &config)
            && named.is_base_wanted(config)
            && let Some(config) = self.open_of_base(git, *bounds, true)
        {
            return (config, true);
        }
        (config, false)
    }

    /// Reads the configuration of the base, if the new side is a revision or the base is wanted. Revisions that cannot be opened are
    /// reported by the command.
    fn open_of_base(
        &self,
        git: &GitOptions,
        bounds: ReadLimits,
        is_wanted: bool,
    ) -> Option<Option<Config>> {
        let (repository, sides) = git.sides(bounds).ok()?;
        if !is_wanted && !matches!(sides.new, DiffSide::Revision { .. }) {
            return None;
        }
        let base = repository.open_side(&sides.old).ok()?;
        let config = match self.choice() {
            ConfigurationChoice::Named => {
                let change = repository.open_side(&sides.new).ok()?;
                let disk = Disk::default();
                let files = NamedFiles { base: &base, change: &change, disk: &disk };
                self.open_from(&files, || None)
            }
            ConfigurationChoice::Off => None,
            ConfigurationChoice::Found => {
                let files = base.files.as_ref();
                self.open_from(files, || Config::find_in(files))
            }
        };
        Some(config.map(|mut config| {
            config.is_of_base = true;
            config
        }))
    }

    fn open_from(
        &self,
        files: &dyn FileSource,
        find: impl FnOnce() -> Option<PathBuf>,
    ) -> Option<Config> {
        if self.no_config {
            return None;
        }
        let path = self.config.clone().or_else(find)?;
        let is_named = self.config.is_some();
        let mut config = Config::open(&path, files, is_named, self.trust_config);
        let reading = ReadOptions { schema: heat_release(), limits: Limits::default() };
        config.findings.extend(ProjectOptions::of(&config, reading).1);
        Some(config)
    }
}

/// The command line with the settings that apply to it; `None` if there are none.
pub(super) fn completed(
    arguments: &[OsString],
    named: &NamedCommand<'_>,
    config: &Config,
) -> Option<Vec<OsString>> {
    let used =
        config.settings.iter().filter(|it| named.effect(it.key, config) == SettingEffect::Used);
    let more: Vec<OsString> = used.flat_map(options_of).collect();
    if more.is_empty() {
        return None;
    }
    // Behind `--` are paths.
    let end = arguments.iter().position(|it| it == "--").unwrap_or(arguments.len());
    let (before, after) = arguments.split_at(end);
    Some([before, &more, after].concat())
}

/// A line for each setting that is for this command, and not used although the command line has no other value.
pub(super) fn unused_settings(named: &NamedCommand<'_>, config: &Config) -> String {
    let line = |setting: &Setting| {
        let effect = named.effect(setting.key, config);
        let why = match &effect {
            SettingEffect::Excluded(_) | SettingEffect::OfChange => effect.why_unused()?,
            SettingEffect::NotForCommand
            | SettingEffect::Replaced
            | SettingEffect::Unneeded(_)
            | SettingEffect::Used => return None,
        };
        let (place, key) = (config.place(setting.span), setting.key.full_name());
        Some(format!("{place}: `{key}` is not used: {why}\n"))
    };
    let deployment = config.deployments.first().filter(|_| named.is_of_change(config));
    let deployment = deployment
        .zip(SettingEffect::OfChange.why_unused())
        .map(|(it, why)| format!("{}: `deployment` is not used: {why}\n", config.place(it.span)));
    config.settings.iter().filter_map(line).chain(deployment).collect()
}

/// The arguments of a setting: one, or one for each item of a list; none for a flag that is `false`.
fn options_of(setting: &Setting) -> Vec<OsString> {
    let name = setting.key.name;
    let with = |value: &str| OsString::from(format!("--{name}={value}"));
    match setting.key.kind {
        KeyKind::Flag(_) => {
            let is_set = setting.values.iter().any(|value| value.text == "true");
            is_set.then(|| OsString::from(format!("--{name}"))).into_iter().collect()
        }
        KeyKind::CommaList => {
            let values: Vec<&str> =
                setting.values.iter().map(|value| value.text.as_str()).collect();
            vec![with(&values.join(","))]
        }
        KeyKind::Number
        | KeyKind::Word
        | KeyKind::Words
        | KeyKind::OneOf(_)
        | KeyKind::Path
        | KeyKind::Paths
        | KeyKind::PathOfUrl
        | KeyKind::Target => setting.values.iter().map(|value| with(&value.argument())).collect(),
    }
}

/// Adds an option for each option of a key that is only switched on, so that the command line can switch off what the
/// configuration switches on; the last one of both counts.
pub(super) fn with_opposites(command: Command) -> Command {
    KEYS.iter().fold(command, |command, key| {
        let (Some(table), KeyKind::Flag(off)) = (key.table, key.kind) else { return command };
        command.mut_subcommand(table, |command| {
            let on = option(&command, key.name).map(|on| on.get_id().clone());
            let help =
                format!("Switch `--{}` off, which the configuration may switch on", key.name);
            let off = Arg::new(off).long(off).action(ArgAction::SetTrue).help(help);
            command.arg(on.into_iter().fold(off, |off, on| off.overrides_with(on)))
        })
    })
}

/// Whether the arguments only lack something, which the configuration may have.
pub(super) fn may_be_completed(error: &clap::Error) -> bool {
    error.kind() == ErrorKind::MissingRequiredArgument
}

/// The arguments behind the program's name that are for `hotplate config` to explain.
pub(super) fn with_program(arguments: &[OsString]) -> Vec<OsString> {
    std::iter::once(OsStr::new("hotplate").to_owned()).chain(arguments.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command_without_help;

    /// The options that a configuration cannot set, with the reason.
    const WITHOUT_KEY: &[(&str, &str)] = &[
        (
            "what a run does and writes",
            "write check diff output steps force accept adopt retain bake names ids undo dry-run local global driver \
             pattern write-baseline fix unsafe-fixes new-environment",
        ),
        (
            "how a result is shown",
            "format statistics stat name-only explain-match full marker link-base markdown list text syntax nested \
             color quiet verbose help version schema manifest-schema file-schema json-schema",
        ),
        ("limits that protect from hostile input", "max-size max-depth max-nodes max-values"),
        ("what an editor starts", "log stdio"),
        ("what shows secrets", "show-secrets"),
        (
            "what templates are deployed with, which is the matter of `[[deployment]]`",
            "environment parameter parameter-file deployment old-e old-P old-parameter-file existing clear-parameter \
             attrs fill now seed",
        ),
        (
            "what is compared or searched",
            "git staged new-file first-parent capability search recursive file data skip-non-templates",
        ),
        (
            "which configuration is used",
            "config no-config no-discovery trust-config config-from since",
        ),
    ];

    fn options(command: &Command) -> Vec<String> {
        let own = command.get_arguments().filter_map(|option| option.get_long().map(str::to_owned));
        own.chain(command.get_subcommands().flat_map(options)).collect()
    }

    #[test]
    fn every_option_has_a_key_or_a_reason_not_to() {
        let mut root = command_without_help();
        root.build();
        let without = || WITHOUT_KEY.iter().flat_map(|(_, options)| options.split(' '));
        let known = options(&root);
        for option in &known {
            let has_key = KEYS.iter().any(|key| {
                key.name == option || matches!(key.kind, KeyKind::Flag(off) if off == option)
            });
            assert!(
                has_key || without().any(|it| it == option),
                "--{option} has neither a row in config/keys.rs nor a reason in this table"
            );
        }
        for option in without() {
            assert!(known.iter().any(|it| it == option), "there is no --{option}");
        }
    }
}
