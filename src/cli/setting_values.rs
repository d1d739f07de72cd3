//! Whether the values of `hotplate.toml` are values of the options that its keys stand for.

use clap::Command;
use clap::builder::Arg;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::setting_effects::option;
use crate::codes;
use crate::config::{Config, ConfigValue, KEYS, Key, KeyKind};
use source_diagnostics::{Diagnostic, did_you_mean};

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
pub(super) fn wrong_values(config: &Config, root: &Command) -> Vec<Diagnostic> {
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
        KeyKind::Flag(_) => return None,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command_without_help;

    #[test]
    fn the_values_of_keys_are_those_of_options() {
        let root = command_without_help();
        for key in KEYS {
            let name = key.full_name();
            let option = checking_option(&root, key).unwrap_or_else(|| panic!("no option: {name}"));
            let takes_value = option.get_action().takes_values();
            assert_eq!(takes_value, !matches!(key.kind, KeyKind::Flag(_)), "{name}");
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
