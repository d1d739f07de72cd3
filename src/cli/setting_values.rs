//! The options that the keys of `hotplate.toml` stand for.

use clap::Command;
use clap::builder::Arg;

use super::setting_effects::option;
use crate::config::Key;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command_without_help;
    use crate::cli::{Command, Console, Parsed, Verbosity, heat_release};
    use crate::config::{Config, KEYS, KeyKind, keys};
    use heat_template::hot::Release;
    use hotplate_project::{ProjectOptions, ReadOptions};
    use lossless_yaml::Limits;
    use source_files::MemoryFiles;
    use std::path::Path;

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

    /// The options of a command, without what no key stands for.
    fn options(of: &ProjectOptions) -> String {
        let ProjectOptions { check, compare, fail_on, context, hide } = of;
        let check = (
            (&check.deployment, &check.select, &check.ignore, &check.policy, &check.values),
            (check.heat.map(Release::heat), &check.types, &check.baseline),
        );
        let compare = (&compare.deployment, &compare.values, &compare.allow, compare.comment_side);
        let report = (keys::fail_on(&fail_on.join(",")), context.unwrap_or(3), hide);
        format!("{:#?}", (check, compare, report))
    }

    #[test]
    fn a_key_sets_what_its_option_sets() {
        let reading = ReadOptions { schema: heat_release(), limits: Limits::default() };
        let of = |arguments: &[&str]| {
            let parsed = super::super::parse(&arguments.iter().map(Into::into).collect::<Vec<_>>());
            let Ok(Parsed::Command(cli, ..)) = parsed else { panic!("{arguments:?}") };
            cli.command
        };
        for key in
            KEYS.iter().filter(|key| [None, Some("check"), Some("diff")].contains(&key.table))
        {
            let value = match (key.kind, key.name) {
                (KeyKind::Number, _) => "7",
                (KeyKind::OneOf(values), _) => values.last().expect("a value"),
                (_, "heat") => "train",
                (_, "select" | "ignore") => "HP12",
                (_, "fail-on") => "replace",
                (_, "hide") => "OS::Nova::Server.metadata",
                _ => "some",
            };
            let toml = match key.kind {
                KeyKind::Number => value.to_owned(),
                KeyKind::PathOfUrl => format!("{{'http://host/a' = '{value}'}}"),
                KeyKind::Words | KeyKind::CommaList | KeyKind::Paths => format!("['{value}']"),
                _ => format!("'{value}'"),
            };
            let table = key.table.map(|table| format!("[{table}]\n")).unwrap_or_default();
            let path = Path::new("hotplate.toml");
            let text = format!("{table}{} = {toml}\n", key.name);
            let files: MemoryFiles = [(path, text)].into_iter().collect();
            let config = Config::open(path, &files, true, true);
            let (of_key, findings) = ProjectOptions::of(&config, reading);
            assert_eq!((config.findings.len(), findings.len()), (0, 0), "{}", key.full_name());
            let url = if key.kind == KeyKind::PathOfUrl { "http://host/a=" } else { "" };
            let option = format!("--{}={url}{value}", key.name);
            let mut of_options = ProjectOptions::new(reading);
            let is_of = |command: &str| {
                commands_of(&command_without_help(), key).contains(&command.to_owned())
            };
            if is_of("check")
                && let Command::Check(check) = of(&["hotplate", "check", "--no-config", &option])
            {
                of_options.check = check.options();
            }
            if is_of("diff")
                && let Command::Diff(diff) =
                    of(&["hotplate", "diff", "a", "b", "--no-config", &option])
            {
                of_options.compare = diff.comparison();
                let console = Console::plain(std::io::sink(), std::io::sink(), Verbosity::Quiet);
                let report = diff.options(&console);
                of_options.context = Some(report.context);
                of_options.hide = report.hide;
                if key.name == "fail-on" {
                    assert_eq!(report.fail_on, keys::fail_on(value).expect("an impact"));
                    of_options.fail_on = vec![value.to_owned()];
                }
            }
            assert_eq!(options(&of_key), options(&of_options), "{}", key.full_name());
        }
    }
}
