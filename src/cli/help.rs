//! The help of the commands: their examples, and the headings of options. The columns are laid out anew for the width of the terminal.

use crate::report::wrap::{two_columns, wrapped};

const EXAMPLES: &str = include_str!("examples.txt");

/// Gives a command, and those below it, their examples.
pub(super) fn with_examples(command: clap::Command, path: &str) -> clap::Command {
    let command = command.mut_subcommands(|below| {
        let path = format!("{path} {}", below.get_name());
        with_examples(below, &path)
    });
    let of_path =
        |part: &str| Some(part.strip_prefix(path)?.strip_prefix('\n')?.trim_end().to_owned());
    match EXAMPLES.split("\n# ").find_map(of_path) {
        Some(examples) => command.after_help(format!("Examples:\n{examples}")),
        None => command,
    }
}

/// Options that are not under «Options», by their names in the source, with their headings.
/// This is a table because a heading declared in a struct of options would apply to everything after it.
const HEADINGS: &[(&str, &[&str])] = &[
    (
        "Deployment",
        &[
            "environments",
            "parameters",
            "parameter_files",
            "merge",
            "files_map",
            "allow_path",
            "clear_parameter",
            "existing",
            "deployment",
            "old_environments",
            "old_parameters",
            "old_parameter_file",
            "attrs",
            "fill",
        ],
    ),
    ("yaql", &["limit_iterators", "memory_quota", "now", "seed"]),
    ("Git", &["revisions", "staged"]),
    ("Limits", &["max_resources", "max_values", "max_size", "max_depth", "max_nodes"]),
    ("Global options", &["color", "quiet", "verbose", "config", "no_config", "trust_config"]),
];

/// Rarely used options, which only `--help` shows.
const LONG_HELP_ONLY: &str = "\
    new_file no_discovery allow allow_from hide allow_path clear_parameter existing config_from fill name_only \
    old_environments old_parameters parameter_files show_secrets merge files_map old_parameter_file attrs limit_iterators \
    memory_quota now seed max_resources max_values max_size max_depth max_nodes since skip_non_templates types \
    write_baseline color config deployment environment version_style no_config no-exact-only no-modernize no-strict \
    no-strip-capabilities trust_config context explain_match full marker link_base schema manifest-schema file-schema \
    markdown";

/// The last line of `-h`.
const MORE_HELP: &str = "All options and examples: --help";

/// The heading of an option, by its name in the source.
pub(super) fn heading(option: &str) -> Option<&'static str> {
    HEADINGS.iter().find(|(_, options)| options.contains(&option)).map(|(heading, _)| *heading)
}

/// The width of the widest help.
const MAX_WIDTH: usize = 100;

/// The width of a help text, which clap would choose as well: that of the terminal, of `COLUMNS`, or the maximum.
pub(super) fn terminal_width() -> usize {
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
    let width = terminal.or_else(columns).filter(|width| *width > 0);
    width.unwrap_or(MAX_WIDTH).min(MAX_WIDTH)
}

/// Puts every option under its heading and lays out the examples for a width, also in subcommands. `-h` shows the first
/// clause of an option's description, and no examples.
pub(super) fn with_headings(command: clap::Command, width: usize) -> clap::Command {
    let placed = |mut option: clap::Arg| {
        let id = option.get_id().as_str().to_owned();
        if let (Some(help), None) = (option.get_help().cloned(), option.get_long_help()) {
            let help = help.to_string();
            let short = help.split([';', ':']).next().unwrap_or(&help).to_owned();
            option = option.help(short).long_help(help);
        }
        option
            .help_heading(heading(&id))
            .hide_short_help(LONG_HELP_ONLY.split(' ').any(|it| it == id))
    };
    let examples = command.get_after_help().map(|help| laid_out(&help.to_string(), width));
    let command = match examples {
        Some(examples) => command.after_help(MORE_HELP).after_long_help(examples),
        None => command,
    };
    command.mut_args(placed).mut_subcommands(|command| with_headings(command, width))
}

/// The two columns of a line in a help text.
pub(super) fn row(line: &str) -> Option<(&str, &str)> {
    let (term, description) = line.strip_prefix("  ")?.split_once("  ")?;
    Some((term, description.trim_start()))
}

/// A help text for a width: rows of two columns (a command line and its description), and paragraphs.
fn laid_out(help: &str, width: usize) -> String {
    let kind = |line: &str| (row(line).is_some(), line.is_empty());
    let lines: Vec<&str> = help.lines().collect();
    let mut text = String::new();
    for block in lines.chunk_by(|a, b| kind(a) == kind(b) && !a.ends_with(':')) {
        let rows: Vec<_> = block.iter().filter_map(|line| row(line)).collect();
        if rows.is_empty() {
            text.push_str(&wrapped(&block.join(" "), width));
            text.push('\n');
        } else {
            text.push_str(&two_columns(&rows, width));
        }
    }
    text.truncate(text.trim_end().len());
    text
}

const STATUS: &str = "\
Exit status:
  0  done
  1  done, but the result needs attention
  2  unreadable input, or a usage error";

/// The examples in a help text as it stands in the source: the command line and the description.
pub(super) fn examples(help: &str) -> impl Iterator<Item = (&str, &str)> {
    help.lines().filter_map(row).filter(|(command, _)| command.contains("hotplate "))
}

/// The end of the general help: an example of each command, and the exit status. The helps of the commands are as they
/// stand in the source.
pub(super) fn overview(command: &clap::Command, width: usize) -> String {
    let helps = command.get_subcommands().filter_map(clap::Command::get_after_help);
    let helps: Vec<String> = helps.map(ToString::to_string).collect();
    let first: Vec<_> = helps.iter().filter_map(|help| examples(help).next()).collect();
    let examples = two_columns(&first, width);
    format!("Examples:\n{examples}\n{}", laid_out(STATUS, width))
}
