//! The effect of the settings of `hotplate.toml` beside a command line.

use clap::builder::Arg;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches};

use super::inputs::ReadLimits;
use super::revisions::GitOptions;
use crate::config::{Config, KEYS, Key, KeyKind, Setting};

/// A command that the arguments name, with its part of them.
pub(super) struct NamedCommand<'a> {
    /// Its path of subcommands.
    pub(super) path: Vec<&'a str>,
    pub(super) command: &'a Command,
    pub(super) matches: Option<&'a ArgMatches>,
}

/// The outcome of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SettingEffect {
    /// The command does not have the option.
    NotForCommand,
    /// The command line has another value.
    Replaced,
    /// An option of the command line excludes it.
    Excluded(String),
    /// The change that is compared may contain it, and must not permit itself.
    OfChange,
    /// It has no effect without another option.
    Unneeded(&'static str),
    /// It is used.
    Used,
}

impl<'a> NamedCommand<'a> {
    /// The command of parsed arguments.
    pub(super) fn of(root: &'a Command, matches: &'a ArgMatches) -> Self {
        let mut named = NamedCommand { path: Vec::new(), command: root, matches: Some(matches) };
        while let Some((name, below)) = named.matches.and_then(ArgMatches::subcommand) {
            let Some(command) = named.command.find_subcommand(name) else { break };
            named.path.push(name);
            named.command = command;
            named.matches = Some(below);
        }
        named
    }

    pub(super) fn option(&self, key: &Key) -> Option<&'a Arg> {
        if key.table.is_some_and(|table| self.path != [table]) {
            return None;
        }
        option(self.command, key.name)
    }

    /// The revisions that the command compares, with the limits on reading.
    pub(super) fn revisions(&self) -> Option<(GitOptions, ReadLimits)> {
        let matches = self.matches.filter(|_| self.path == ["diff"])?;
        let git = GitOptions::from_arg_matches(matches).ok().filter(GitOptions::is_used)?;
        Some((git, ReadLimits::from_arg_matches(matches).ok()?))
    }

    /// The revision that gives the settings of `check`, as the old side of a comparison, with the limits on reading.
    pub(super) fn base_of_settings(&self) -> Option<(GitOptions, ReadLimits)> {
        let matches = self.matches.filter(|_| self.path == ["check"])?;
        let revision = matches.get_one::<String>("config_from")?;
        Some((GitOptions::of(revision), ReadLimits::from_arg_matches(matches).ok()?))
    }

    /// Whether the command line has `--allow-from`, and whether it names the base.
    fn allow_from(&self) -> Option<bool> {
        option(self.command, "allow-from").filter(|option| self.is_given(option))?;
        let values = self.matches.and_then(|matches| matches.get_raw("allow_from"));
        Some(values.into_iter().flatten().any(|value| value == "base"))
    }

    /// Whether the command line says that only the base permits changes (`--allow-from base`).
    pub(super) fn names_base(&self) -> bool {
        self.allow_from() == Some(true)
    }

    /// Whether only the base permits changes, as the command line or the configuration says.
    pub(super) fn is_base_wanted(&self, config: &Config) -> bool {
        if let Some(is_base) = self.allow_from() {
            return is_base;
        }
        let is_base = |it: &Setting| {
            it.key.full_name() == ALLOW_FROM && it.values.iter().any(|it| it.text == "base")
        };
        config.settings.iter().any(is_base)
    }

    /// Whether the change that `diff` compares may contain the file, which must not decide about itself.
    pub(super) fn is_of_change(&self, config: &Config) -> bool {
        self.path == ["diff"] && !config.is_of_base && self.is_base_wanted(config)
    }

    /// The configuration without deployments if they are not used.
    pub(super) fn without_unused_deployments(&self, mut config: Config) -> Config {
        if self.is_of_change(&config) {
            config.deployments.clear();
        }
        config
    }

    /// Whether a configuration can change what the command does.
    pub(super) fn is_configurable(&self) -> bool {
        self.path == ["deployments"] || KEYS.iter().any(|key| self.option(key).is_some())
    }

    /// Whether the deployments of a configuration concern the command.
    pub(super) fn uses_deployments(&self) -> bool {
        option(self.command, "deployment").is_some()
    }

    /// Whether the user wrote an option.
    pub(super) fn is_given(&self, option: &Arg) -> bool {
        let id = option.get_id().as_str();
        self.matches.is_some_and(|matches| {
            matches.try_contains_id(id).is_ok()
                && matches.value_source(id) == Some(ValueSource::CommandLine)
        })
    }

    /// Whether the user switched the option of a key off.
    pub(super) fn is_switched_off(&self, key: &Key) -> bool {
        let KeyKind::Flag(off) = key.kind else { return false };
        option(self.command, off).is_some_and(|option| self.is_given(option))
    }

    /// The outcome of the setting of a key.
    pub(super) fn effect(&self, key: &Key, config: &Config) -> SettingEffect {
        let Some(option) = self.option(key) else { return SettingEffect::NotForCommand };
        let needed =
            NEEDS.iter().find(|(command, name, _)| self.path == [*command] && *name == key.name);
        if let Some((command, _, needed)) = needed {
            let is_given = self::option(self.command, needed).is_some_and(|it| self.is_given(it));
            let is_set = |it: &Setting| {
                it.key.table == Some(*command)
                    && it.key.name == *needed
                    && it.values.iter().any(|value| value.text == "true")
                    && self.effect(it.key, config) == SettingEffect::Used
            };
            if !is_given && !config.settings.iter().any(is_set) {
                return SettingEffect::Unneeded(needed);
            }
        }
        if self.is_switched_off(key) || self.is_given(option) && !key.kind.is_extended() {
            return SettingEffect::Replaced;
        }
        if key.role.decides() && key.full_name() != ALLOW_FROM && self.is_of_change(config) {
            return SettingEffect::OfChange;
        }
        let excludes = |other: &&Arg| {
            let conflicts = |one: &Arg, of: &Arg| {
                self.command.get_arg_conflicts_with(of).iter().any(|it| it.get_id() == one.get_id())
            };
            self.is_given(other) && (conflicts(option, other) || conflicts(other, option))
        };
        match self.command.get_arguments().find(excludes) {
            Some(other) => {
                SettingEffect::Excluded(format!("--{}", other.get_long().unwrap_or_default()))
            }
            None => SettingEffect::Used,
        }
    }
}

/// The key with which a file on disk gives up its own say.
const ALLOW_FROM: &str = "diff.allow-from";

/// A command, an option of it that has a key, and the option without which it may not be given (clap does not say that).
const NEEDS: &[(&str, &str, &str)] = &[("upgrade", "heat", "modernize")];

/// The option of a command with a long name.
pub(super) fn option<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|option| option.get_long() == Some(name))
}

impl SettingEffect {
    /// Why a setting that concerns the command is not used; `None` if it is.
    pub(super) fn why_unused(&self) -> Option<String> {
        Some(match self {
            SettingEffect::NotForCommand | SettingEffect::Used => return None,
            SettingEffect::Replaced => "the command line has another value".to_owned(),
            SettingEffect::Excluded(by) => format!("`{by}` excludes it"),
            SettingEffect::OfChange => {
                "with `--allow-from base`, a change cannot permit itself".to_owned()
            }
            SettingEffect::Unneeded(by) => format!("it needs `--{by}`"),
        })
    }
}
