//! The option `--schema` of every command that prints JSON, which prints only the JSON Schema.

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::report::schemas::{PUBLISHED, PublishedSchema};

/// Adds an option for every published schema.
pub(super) fn with_options(mut command: Command) -> Command {
    for published in PUBLISHED {
        for path in published.commands {
            let path: Vec<&'static str> = path.split(' ').collect();
            command = with_option(command, &path, published);
        }
    }
    command
}

fn with_option(
    command: Command,
    path: &[&'static str],
    published: &'static PublishedSchema,
) -> Command {
    match path {
        [] => command.arg(option(published)),
        [first, rest @ ..] => {
            command.mut_subcommand(first, |below| with_option(below, rest, published))
        }
    }
}

fn option(published: &'static PublishedSchema) -> Arg {
    Arg::new(published.option)
        .long(published.option)
        .action(ArgAction::SetTrue)
        .exclusive(true)
        .help(format!("Print only the JSON Schema of {}", published.subject))
}

/// The schema that the arguments request, if any.
pub(super) fn requested(matches: &ArgMatches) -> Option<&'static PublishedSchema> {
    let mut path = Vec::new();
    let mut matches = matches;
    while let Some((name, below)) = matches.subcommand() {
        path.push(name);
        matches = below;
    }
    let path = path.join(" ");
    PUBLISHED.iter().find(|published| {
        published.commands.contains(&path.as_str()) && matches.get_flag(published.option)
    })
}
