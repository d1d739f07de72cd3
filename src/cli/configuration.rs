//! What `hotplate.toml` does to a command line: its settings are options that the user has not written.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::Arg;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command};

use crate::codes;
use crate::config::{Config, ConfigValue, KEYS, Key, KeyKind, Setting};
use source_diagnostics::{Diagnostic, did_you_mean};
use source_files::Disk;

/// The configuration of a run; `None` without a file.
pub(super) type Configuration = Option<Arc<Config>>;

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
}

/// A command that the arguments name, with its part of them.
pub(super) struct NamedCommand<'a> {
    /// Its path of subcommands.
    pub(super) path: Vec<&'a str>,
    pub(super) command: &'a Command,
    pub(super) matches: Option<&'a ArgMatches>,
}

/// What becomes of a setting.
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

    /// The option of a key, if the command has it.
    pub(super) fn option(&self, key: &Key) -> Option<&'a Arg> {
        if key.table.is_some_and(|table| self.path != [table]) {
            return None;
        }
        option(self.command, key.name)
    }

    /// Whether only the old revision may permit changes (`--allow-from base`).
    fn is_base_wanted(&self, config: &Config) -> bool {
        let of_user = option(self.command, "allow-from").filter(|option| self.is_given(option));
        if of_user.is_some() {
            let values = self.matches.and_then(|matches| matches.get_raw("allow_from"));
            return values.into_iter().flatten().any(|value| value == "base");
        }
        let is_base = |it: &Setting| {
            it.key.full_name() == "diff.allow-from" && it.values.iter().any(|it| it.text == "base")
        };
        config.settings.iter().any(is_base)
    }

    /// Whether a configuration can change what the command does.
    pub(super) fn is_configurable(&self) -> bool {
        KEYS.iter().any(|key| self.option(key).is_some())
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

    /// What becomes of the setting of a key.
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
            };
            if !is_given && !config.settings.iter().any(is_set) {
                return SettingEffect::Unneeded(needed);
            }
        }
        if self.is_given(option) && !key.kind.is_extended() {
            return SettingEffect::Replaced;
        }
        if key.table == Some("diff") && OF_CHANGE.contains(&key.name) && self.is_base_wanted(config)
        {
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

/// The keys of `diff` that permit changes.
const OF_CHANGE: [&str; 2] = ["allow", "fail-on"];

/// A command, an option of it that has a key, and the option without which it may not be given (clap does not say that).
const NEEDS: &[(&str, &str, &str)] = &[("upgrade", "heat", "modernize")];

fn option<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|option| option.get_long() == Some(name))
}

impl ConfigOptions {
    /// The options among parsed arguments.
    pub(super) fn of(matches: &ArgMatches) -> Self {
        ConfigOptions {
            config: matches.get_one::<PathBuf>("config").cloned(),
            no_config: matches.get_flag("no_config"),
            trust_config: matches.get_flag("trust_config"),
        }
    }

    /// Reads the configuration; what is wrong with it is in its findings.
    pub(super) fn open(&self, root: &Command) -> Option<Config> {
        if self.no_config {
            return None;
        }
        let path = self.config.clone().or_else(Config::find)?;
        let is_named = self.config.is_some();
        let mut config = Config::open(&path, &Disk::default(), is_named, self.trust_config);
        config.findings.extend(wrong_values(&config, root));
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
    config.settings.iter().filter_map(line).collect()
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

/// A setting as options.
fn options_of(setting: &Setting) -> Vec<OsString> {
    let name = setting.key.name;
    let with = |value: &str| OsString::from(format!("--{name}={value}"));
    match setting.key.kind {
        KeyKind::Flag => {
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

/// A command line that may lack required options, since the configuration may have them.
pub(super) fn without_requirements(root: Command) -> Command {
    KEYS.iter().filter_map(|key| Some((key.table?, key.name))).fold(root, |root, (table, name)| {
        root.mut_subcommand(table, |command| {
            command.mut_args(|option| match option.get_long() {
                Some(long) if long == name => option.required(false),
                _ => option,
            })
        })
    })
}

/// The commands that a key applies to.
pub(super) fn commands_of(root: &Command, key: &Key) -> Vec<String> {
    fn add(command: &Command, path: &mut Vec<String>, key: &Key, found: &mut Vec<String>) {
        let is_its = key.table.is_none_or(|table| *path == [table]);
        if !path.is_empty() && is_its && option(command, key.name).is_some() {
            found.push(path.join(" "));
        }
        for below in command.get_subcommands() {
            path.push(below.get_name().to_owned());
            add(below, path, key, found);
            path.pop();
        }
    }
    let mut found = Vec::new();
    add(root, &mut Vec::new(), key, &mut found);
    found
}

/// The option that checks the values of a key.
pub(super) fn checking_option<'a>(root: &'a Command, key: &Key) -> Option<&'a Arg> {
    let commands = commands_of(root, key);
    let mut command = root;
    for name in commands.first()?.split(' ') {
        command = command.find_subcommand(name)?;
    }
    option(command, key.name)
}

/// The values that the options do not accept.
fn wrong_values(config: &Config, root: &Command) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for setting in &config.settings {
        let Some(option) = checking_option(root, setting.key) else { continue };
        findings.extend(
            setting.values.iter().filter_map(|value| wrong_value(setting.key, option, value)),
        );
    }
    let Some(ignore) = KEYS.iter().find(|key| key.full_name() == "check.ignore") else {
        return findings;
    };
    let Some(option) = checking_option(root, ignore) else { return findings };
    for (word, span) in config.path_ignores.iter().flat_map(|ignores| &ignores.words) {
        let value = ConfigValue { text: word.clone(), url: None, span: *span };
        findings.extend(wrong_value(ignore, option, &value));
    }
    findings
}

fn wrong_value(key: &Key, option: &Arg, value: &ConfigValue) -> Option<Diagnostic> {
    let only = Arg::new("value").long("value").value_parser(option.get_value_parser().clone());
    let parsed = match key.kind {
        KeyKind::Flag => return None,
        // Reported where it is read.
        KeyKind::OneOf(allowed) if !allowed.contains(&value.text.as_str()) => return None,
        KeyKind::OneOf(_)
        | KeyKind::Number
        | KeyKind::Word
        | KeyKind::Words
        | KeyKind::CommaList
        | KeyKind::Path
        | KeyKind::Paths
        | KeyKind::PathOfUrl
        | KeyKind::Target => Command::new("hotplate")
            .arg(only)
            .try_get_matches_from(["hotplate".to_owned(), format!("--value={}", value.argument())]),
    };
    let error = parsed.err()?;
    let (message, help) = reason(&error, key, &value.text);
    let finding = Diagnostic::new(codes::CONFIG_VALUE, message).at(value.span);
    Some(help.into_iter().fold(finding, Diagnostic::help))
}

/// Why an option does not accept a value.
fn reason(error: &clap::Error, key: &Key, value: &str) -> (String, Option<String>) {
    let listed = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::Strings(words)) => words.clone(),
        Some(ContextValue::String(word)) => vec![word.clone()],
        _ => Vec::new(),
    };
    let name = key.full_name();
    match (error.kind(), std::error::Error::source(error)) {
        (ErrorKind::ValueValidation, Some(source)) => {
            // The sentences of options end with the proposal.
            let text = source.to_string();
            match text.split_once("; ") {
                Some((what, help)) => (format!("`{name}`: {what}"), Some(help.to_owned())),
                None => (format!("`{name}`: {text}"), None),
            }
        }
        _ => {
            let valid = listed(ContextKind::ValidValue);
            let near = did_you_mean(value, valid.iter().map(String::as_str));
            let help = match near {
                Some(near) => Some(format!("did you mean `{near}`?")),
                None if valid.is_empty() => None,
                None => Some(format!("the values are `{}`", valid.join("`, `"))),
            };
            (format!("`{value}` is not a value of `{name}`"), help)
        }
    }
}

/// Whether the arguments may lack an option that the configuration has.
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
    const WITHOUT_KEY: &[(&str, &[&str])] = &[
        (
            "what a run does and writes",
            &[
                "write",
                "check",
                "diff",
                "output",
                "force",
                "accept",
                "adopt",
                "bake",
                "undo",
                "dry-run",
                "local",
                "global",
                "driver",
                "pattern",
                "write-baseline",
                "fix",
                "unsafe-fixes",
                "new-environment",
            ],
        ),
        (
            "how a result is shown",
            &[
                "format",
                "statistics",
                "stat",
                "name-only",
                "explain-match",
                "marker",
                "markdown",
                "list",
                "text",
                "syntax",
                "nested",
                "color",
                "quiet",
                "verbose",
                "help",
                "version",
                "schema",
                "manifest-schema",
                "file-schema",
                "json-schema",
            ],
        ),
        (
            "limits that protect from hostile input",
            &["max-size", "max-depth", "max-nodes", "max-values"],
        ),
        ("what shows secrets", &["show-secrets"]),
        (
            "what templates are deployed with, which is the matter of `[[deployment]]`",
            &[
                "environment",
                "parameter",
                "parameter-file",
                "deployment",
                "old-e",
                "old-P",
                "old-parameter-file",
                "attrs",
                "fill",
                "now",
                "seed",
            ],
        ),
        (
            "what is compared or searched",
            &[
                "git",
                "staged",
                "capability",
                "search",
                "recursive",
                "file",
                "data",
                "skip-non-templates",
            ],
        ),
        ("which configuration is used", &["config", "no-config", "trust-config"]),
    ];

    fn options(command: &Command) -> Vec<String> {
        let own = command.get_arguments().filter_map(|option| option.get_long().map(str::to_owned));
        own.chain(command.get_subcommands().flat_map(options)).collect()
    }

    #[test]
    fn every_option_has_a_key_or_a_reason_not_to() {
        let mut root = command_without_help();
        root.build();
        let without = || WITHOUT_KEY.iter().flat_map(|(_, options)| options.iter().copied());
        let known = options(&root);
        for option in &known {
            let has_key = KEYS.iter().any(|key| key.name == option);
            assert!(
                has_key || without().any(|it| it == option),
                "--{option} has neither a row in config/keys.rs nor a reason in this table"
            );
        }
        for option in without() {
            assert!(known.iter().any(|it| it == option), "there is no --{option}");
        }
    }

    #[test]
    fn the_values_of_keys_are_those_of_options() {
        let root = command_without_help();
        for key in KEYS {
            let name = key.full_name();
            let option = checking_option(&root, key).unwrap_or_else(|| panic!("no option: {name}"));
            let takes_value = option.get_action().takes_values();
            assert_eq!(takes_value, key.kind != KeyKind::Flag, "{name}");
            let is_list = matches!(option.get_action(), clap::ArgAction::Append);
            let lists = [KeyKind::Words, KeyKind::Paths, KeyKind::PathOfUrl];
            assert_eq!(is_list, lists.contains(&key.kind), "{name}");
            let allowed: Vec<String> = option
                .get_possible_values()
                .iter()
                .map(|value| value.get_name().to_owned())
                .filter(|_| takes_value)
                .collect();
            match key.kind {
                KeyKind::OneOf(values) => assert_eq!(allowed, values, "{name}"),
                _ => assert!(allowed.is_empty(), "{name}: {allowed:?}"),
            }
        }
    }
}
