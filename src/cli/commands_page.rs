//! The page about the commands, from the same descriptions as `--help`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use clap::CommandFactory;

use super::help::{examples, row};
use super::{Cli, command, command_without_help};

/// Options of every command.
const GUIDE: &str = include_str!("commands_guide.md");

/// An option that at least this many commands have is described once.
const COMMON: usize = 4;

/// The page `docs/commands.md`, in which an option of several commands is described once.
pub(super) fn page() -> String {
    let mut root = command(100);
    root.build();
    let commands = named(&root, &Cli::command(), "");
    let common = common_options(&commands);
    let mut text = format!("{GUIDE}\n## The commands\n\n| command | what it does |\n|---|---|\n");
    for (name, command) in &commands {
        let anchor = name.replace(' ', "-");
        let _ = writeln!(text, "| [`{name}`](#{anchor}) | {} |", about(command));
    }
    for (name, command) in &commands {
        let _ = writeln!(text, "\n## {name}\n\n{}.", about(command));
        let usage = (*command).clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ").replace("\n       ", "\n");
        let _ = writeln!(text, "\n```text\n{usage}\n```");
        let (shared, own): (Vec<_>, Vec<_>) =
            options(command).partition(|option| common.contains(&described(option)));
        if !own.is_empty() {
            let _ = write!(text, "\n| option | what it does |\n|---|---|\n{}", rows(&own));
        }
        let shared: Vec<String> = shared.into_iter().map(|it| format!("`{}`", short(it))).collect();
        if !shared.is_empty() {
            let _ = writeln!(text, "\n[Common options](#common-options): {}.", shared.join(", "));
        }
        text.push_str(&examples_of(name));
    }
    text.push_str("\n## Common options\n");
    for heading in ["Options", "Deployment", "yaql", "Git", "Limits"] {
        let of_heading =
            |option: &&clap::Arg| option.get_help_heading().unwrap_or("Options") == heading;
        let mut shown = BTreeSet::new();
        let all = commands.iter().flat_map(|(_, command)| options(command)).filter(of_heading);
        let all = all.filter(|option| common.contains(&described(option)));
        let all: Vec<_> = all.filter(|option| shown.insert(described(option))).collect();
        if !all.is_empty() {
            let table = rows(&all);
            let _ =
                write!(text, "\n### {heading}\n\n| option | what it does |\n|---|---|\n{table}");
        }
    }
    let global = root.get_arguments().filter(|option| option.is_global_set());
    let global = rows(&global.collect::<Vec<_>>());
    let _ =
        write!(text, "\n### Of every command\n\n| option | what it does |\n|---|---|\n{global}");
    text
}

/// Every command that does something, with its name after `hotplate`, in the order in which commands are declared.
fn named<'c>(
    command: &'c clap::Command,
    declared: &clap::Command,
    above: &str,
) -> Vec<(String, &'c clap::Command)> {
    let below = declared.get_subcommands().filter_map(|declared| {
        let command = command.find_subcommand(declared.get_name())?;
        Some((command, declared))
    });
    let all = below.flat_map(|(command, declared)| {
        let name = format!("{above} {}", command.get_name()).trim_start().to_owned();
        let nested = named(command, declared, &name);
        std::iter::once((name, command)).chain(nested)
    });
    all.collect()
}

fn about(command: &clap::Command) -> String {
    command.get_about().map(|about| cell(&about.to_string())).unwrap_or_default()
}

/// The options and arguments of a command, without those of every command.
fn options(command: &clap::Command) -> impl Iterator<Item = &clap::Arg> {
    let is_general =
        |it: &clap::Arg| it.is_global_set() || it.is_hide_set() || it.get_id() == "help";
    command.get_arguments().filter(move |it| !is_general(it))
}

/// The options that several commands have with the same description.
fn common_options(commands: &[(String, &clap::Command)]) -> BTreeSet<(String, String)> {
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for option in commands.iter().flat_map(|(_, command)| options(command)) {
        if !option.is_positional() {
            *counts.entry(described(option)).or_default() += 1;
        }
    }
    counts.into_iter().filter(|(_, count)| *count >= COMMON).map(|(option, _)| option).collect()
}

fn rows(options: &[&clap::Arg]) -> String {
    let rows = options.iter().map(|option| described(option));
    rows.map(|(name, text)| format!("| {name} | {text} |\n")).collect()
}

/// The shortest name of an option.
fn short(option: &clap::Arg) -> String {
    match (option.get_short(), option.get_long()) {
        (Some(short), _) => format!("-{short}"),
        (None, Some(long)) => format!("--{long}"),
        (None, None) => option.get_id().to_string(),
    }
}

/// The two cells of an option: its names with its values, and what it does.
fn described(option: &clap::Arg) -> (String, String) {
    let values = option.get_value_names().unwrap_or_default().join(" ");
    let takes_value = option.get_action().takes_values();
    let values = if takes_value { format!(" <{values}>") } else { String::new() };
    let mut names: Vec<String> =
        option.get_short().map(|it| format!("-{it}")).into_iter().collect();
    names.extend(option.get_long().map(|it| format!("--{it}")));
    names.extend(option.get_visible_aliases().into_iter().flatten().map(|it| format!("--{it}")));
    match names.last_mut() {
        Some(last) => last.push_str(&values),
        None => names.push(values.trim_start().to_owned()),
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{}`", cell(name))).collect();

    let help = option.get_long_help().or_else(|| option.get_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    let paragraphs: Vec<String> = help.split("\n\n").map(cell).collect();
    // clap drops the full stop of the first one.
    let mut text = paragraphs.join(". ");
    if takes_value && option.get_possible_values().iter().any(|value| !value.is_hide_set()) {
        let values = option.get_possible_values();
        let values = values.iter().filter(|value| !value.is_hide_set()).map(|value| {
            let help = value.get_help().map(|help| format!(" ({})", cell(&help.to_string())));
            format!("`{}`{}", value.get_name(), help.unwrap_or_default())
        });
        let _ = write!(text, ": {}", values.collect::<Vec<_>>().join(", "));
    }
    let defaults = option.get_default_values().iter().map(|value| value.to_string_lossy());
    let defaults: Vec<String> =
        defaults.filter(|it| !it.is_empty()).map(|it| format!("`{it}`")).collect();
    if takes_value && !defaults.is_empty() {
        let _ = write!(text, ". Default: {}", defaults.join(", "));
    }
    (names.join(", "), text)
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// The examples of a command, as a script with comments, and the paragraphs below them.
fn examples_of(name: &str) -> String {
    let root = command_without_help();
    let found = name.split(' ').try_fold(&root, |command, word| command.find_subcommand(word));
    let help = found.and_then(clap::Command::get_after_help).map(ToString::to_string);
    let help = help.unwrap_or_default();
    let script: Vec<String> =
        examples(&help).map(|(command, what)| format!("# {what}\n{command}\n")).collect();
    let mut text = String::new();
    if !script.is_empty() {
        let _ = write!(text, "\n```sh\n{}```\n", script.join("\n"));
    }
    let paragraphs = help.lines().filter(|line| row(line).is_none() && *line != "Examples:");
    let paragraphs: Vec<&str> = paragraphs.collect();
    for paragraph in paragraphs.split(|line| line.is_empty()).filter(|lines| !lines.is_empty()) {
        let _ = write!(text, "\n{}\n", paragraph.join("\n"));
    }
    text
}
