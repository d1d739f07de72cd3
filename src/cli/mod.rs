//! The command line: parses the arguments, runs a command, and returns its exit status.
//!
//! Each command is one file: a struct of arguments with its help, and a `run` method that calls the stages.
//! To add one, write the file, declare it here, and add its examples to [`help`] and a line to
//! `commands!` below.

mod capabilities;
mod check;
mod check_fix;
#[cfg(test)]
mod ci_examples;
mod commands_page;
mod completions;
mod config;
mod configuration;
mod console;
mod deployment;
mod deployments;
mod diff;
mod diff_output;
mod env;
mod eval;
mod explain;
mod git;
pub mod help;
mod init;
mod inputs;
mod interrupt;
mod ir;
mod json_schema_option;
mod log;
mod lsp;
mod man;
mod parameters;
mod patches;
mod policy;
mod progress;
mod render;
mod report;
mod revisions;
mod rules;
mod schema;
mod setting_effects;
mod setting_values;
mod status;
mod targets;
mod upgrade;
mod versions;
mod yaql;

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use anyhow::Context;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

pub use console::{Console, Verbosity};
pub use lsp::open_project;
pub use progress::Progress;
pub use status::ExitStatus;

use self::configuration::ConfigOptions;
use self::setting_effects::NamedCommand;
use crate::config::Config;
use crate::report::escape::for_terminal;
use crate::report::json;
use crate::report::schemas::PublishedSchema;
use heat_engine::eval::STACK_BYTES;
use heat_template::hot::Release;
use heat_template::schema::Schema;
use hotplate_project::Configuration;
use source_files::display_name;

/// Declares the commands, in the order of the help: for each its module and its arguments, which
/// have a method `run(self, &mut Console) -> anyhow::Result<ExitStatus>`; behind `configured`, one that also takes the
/// `&Configuration`.
macro_rules! commands {
    ($($module:ident::$name:ident $($configured:ident)?,)*) => {
        /// The subcommand to run.
        #[derive(Debug, Subcommand)]
        enum Command {
            $($name($module::$name),)*
        }

        impl Command {
            fn run(
                self,
                configuration: &Configuration,
                console: &mut Console,
            ) -> anyhow::Result<ExitStatus> {
                match self {
                    $(Command::$name(command) => {
                        run_command!(command, configuration, console $(, $configured)?)
                    })*
                }
            }
        }
    };
}

macro_rules! run_command {
    ($command:ident, $configuration:ident, $console:ident) => {
        $command.run($console)
    };
    ($command:ident, $configuration:ident, $console:ident, configured) => {
        $command.run($configuration, $console)
    };
}

commands! {
    check::Check configured,
    policy::Policy,
    upgrade::Upgrade configured,
    versions::Versions,
    rules::Rules,
    schema::Schema,
    render::Render configured,
    targets::Targets configured,
    ir::Ir,
    parameters::Parameters configured,
    env::Env configured,
    eval::Eval configured,
    yaql::Yaql,
    diff::Diff configured,
    log::Log configured,
    report::Report,
    capabilities::Capabilities,
    git::Git,
    lsp::Lsp configured,
    init::Init,
    deployments::Deployments configured,
    config::Config configured,
    explain::Explain,
    completions::Completions,
    man::Man,
}

/// Upgrades, transpiles and reviews OpenStack Heat templates (HOT), offline.
#[derive(Debug, Parser)]
#[command(name = "hotplate", version, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
struct Global {
    /// Colors in the output; `auto` uses them on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorMode,
    /// Print only errors besides the result
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print more details
    #[arg(short, long, global = true)]
    verbose: bool,
    #[command(flatten)]
    config: ConfigOptions,
}

/// When to use colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorMode {
    /// On a terminal, unless the environment says otherwise (`NO_COLOR`, `CLICOLOR`, `TERM`).
    #[default]
    Auto,
    /// Also in files and pipes.
    Always,
    /// Never.
    Never,
}

/// The format of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// The release of Heat that commands are about: the newest one. No other code asks for it; it is passed on from here.
fn heat_release() -> &'static Schema {
    Schema::heat()
}

/// The facts for a release that the user names.
fn facts_of(release: Option<&Release>) -> &'static Schema {
    release.map_or_else(heat_release, |release| Schema::nearest_to(release.heat()))
}

/// Runs the command of this process's arguments.
pub fn main() -> ExitCode {
    interrupt::watch();
    // Templates are evaluated on these threads. Without them, those that rayon starts later do the work.
    let _ = rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES).build_global();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(shell) = completions::Shell::asking(&arguments) {
        let mut console = Console::new(ColorMode::Never, Verbosity::Normal);
        return finish(shell.answer(&arguments, &mut console), console).into();
    }
    run(&arguments, Console::new).into()
}

/// Runs a command: `arguments` starts with the program's name; `console` creates the output.
/// Signals are not handled.
pub fn run(
    arguments: &[OsString],
    console: impl FnOnce(ColorMode, Verbosity) -> Console,
) -> ExitStatus {
    let (cli, configuration, unused) = match parse(arguments) {
        Ok(Parsed::Command(cli, configuration, unused)) => (*cli, configuration, unused),
        Ok(Parsed::InvalidConfiguration(config)) => {
            let mut console = console(requested_color(arguments), Verbosity::Normal);
            console.diagnostics(&config.findings, &config.sources);
            return ExitStatus::Failed;
        }
        Ok(Parsed::Schema(schema)) => {
            let mut console = console(requested_color(arguments), Verbosity::Normal);
            let printed = json::to_text(&schema.schema()).context("JSON cannot be written");
            let printed = printed.and_then(|text| console.print(&text));
            return finish(printed.map(|()| ExitStatus::Done), console);
        }
        // clap returns the help and the version as errors.
        Err(answer) => {
            let mut console = console(requested_color(arguments), Verbosity::Normal);
            let status = if answer.use_stderr() { ExitStatus::Failed } else { ExitStatus::Done };
            return finish(usage(&answer, &mut console).map(|()| status), console);
        }
    };
    let verbosity = match cli.global {
        Global { quiet: true, .. } => Verbosity::Quiet,
        Global { verbose: true, .. } => Verbosity::Verbose,
        Global { .. } => Verbosity::Normal,
    };
    let mut console = console(cli.global.color, verbosity);
    if let Some(config) = configuration.file() {
        console.detail(&format!("configuration: {}\n", for_terminal(&display_name(&config.path))));
    }
    console.note(&for_terminal(&unused));
    finish(cli.command.run(&configuration, &mut console), console)
}

/// The clap command, as arguments are parsed.
fn command_without_help() -> clap::Command {
    let command = help::with_examples(Cli::command(), "hotplate");
    json_schema_option::with_options(configuration::with_opposites(command))
}

/// The clap command with its help.
fn command(width: usize) -> clap::Command {
    let overview = help::overview(&command_without_help(), width);
    help::with_headings(command_without_help(), width).after_help(overview).term_width(width)
}

/// The commands below a command, without clap's own `help`.
fn subcommands(command: &clap::Command) -> impl Iterator<Item = &clap::Command> {
    command.get_subcommands().filter(|it| it.get_name() != "help")
}

/// A command and all commands below it.
fn all(command: &clap::Command) -> Vec<&clap::Command> {
    std::iter::once(command).chain(subcommands(command).flat_map(all)).collect()
}

/// The page about `hotplate.toml`, which needs the options that its keys stand for.
pub fn config_page() -> String {
    config::page()
}

/// The page about all commands, from their help.
pub fn commands_page() -> String {
    commands_page::page()
}

/// The parts that the arguments request.
enum Parsed {
    /// A command, with the configuration and lines about settings of it that are not used.
    Command(Box<Cli>, Configuration, String),
    /// Nothing: the configuration has errors.
    InvalidConfiguration(Box<Config>),
    /// Printing the schema of a command's JSON.
    Schema(&'static PublishedSchema),
}

fn parse(arguments: &[OsString]) -> Result<Parsed, clap::Error> {
    let mut command = command_without_help();
    let parsed = command.try_get_matches_from_mut(arguments);
    let is_incomplete = parsed.as_ref().is_err_and(configuration::may_be_completed);
    let mut matches = if is_incomplete {
        command = command_without_help().ignore_errors(true);
        command.try_get_matches_from_mut(arguments)
    } else {
        or_help(parsed, &mut command, arguments)
    }?;
    if let Some(schema) = json_schema_option::requested(&matches) {
        return Ok(Parsed::Schema(schema));
    }
    let named = NamedCommand::of(&command, &matches);
    let shows_configuration = named.path == ["config"];
    let (mut configuration, mut is_of_base) = (None, false);
    let options = ConfigOptions::of(&matches);
    if named.is_configurable() || shows_configuration {
        (configuration, is_of_base) = options.open_for(&named);
    }
    let (mut completed, mut unused) = (None, String::new());
    let uses_deployments = named.uses_deployments();
    if let Some(config) = configuration.take_if(|_| !shows_configuration) {
        if !config.findings.is_empty() {
            return Ok(Parsed::InvalidConfiguration(Box::new(config)));
        }
        completed = configuration::completed(arguments, &named, &config);
        unused = configuration::unused_settings(&named, &config);
        let config = named.without_unused_deployments(config);
        configuration = Some(config);
    }
    if is_incomplete || completed.is_some() {
        command = command_without_help();
        let arguments = completed.as_deref().unwrap_or(arguments);
        let parsed = command.try_get_matches_from_mut(arguments);
        matches = or_help(parsed, &mut command, arguments)?;
    }
    let mut cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    match &mut cli.command {
        Command::Diff(diff) => (diff.is_review, diff.choice) = (is_of_base, options.choice()),
        Command::Check(check) if is_of_base => {
            check.of_change = Some(options.with_implied(options.open(), uses_deployments));
        }
        _ => {}
    }
    let configuration = options.with_implied(configuration, uses_deployments);
    Ok(Parsed::Command(Box::new(cli), configuration, unused))
}

/// What parsing the arguments resulted in, with help if they request it or are wrong: most runs show none, and its headings take as
/// long as everything else in here.
fn or_help(
    parsed: Result<ArgMatches, clap::Error>,
    command: &mut clap::Command,
    arguments: &[OsString],
) -> Result<ArgMatches, clap::Error> {
    match parsed {
        Err(error) if error.kind() != clap::error::ErrorKind::DisplayVersion => {
            *command = self::command(help::terminal_width());
            command.try_get_matches_from_mut(arguments)
        }
        parsed => parsed,
    }
}

/// Prints the help, the version, or an error about the arguments.
fn usage(answer: &clap::Error, console: &mut Console) -> anyhow::Result<()> {
    let text = answer.render().ansi().to_string();
    if answer.use_stderr() {
        console.always(&text);
        Ok(())
    } else {
        console.print(&text)
    }
}

/// Flushes the output and reports the error that stopped the command.
fn finish(result: anyhow::Result<ExitStatus>, mut console: Console) -> ExitStatus {
    let result = result.and_then(|status| console.flush().map(|()| status));
    result.unwrap_or_else(|error| {
        console.error(&error);
        ExitStatus::Failed
    })
}

/// The color mode that the arguments request, determined without parsing them, so that errors in the arguments
/// are colored accordingly.
fn requested_color(arguments: &[OsString]) -> ColorMode {
    let options = arguments.iter().take_while(|argument| *argument != "--");
    let following = arguments.iter().skip(1).map(OsString::as_os_str);
    let given = options.zip(following.chain([OsStr::new("")])).find_map(|(option, next)| {
        let value = option.to_str()?.strip_prefix("--color")?;
        if value.is_empty() { next.to_str() } else { value.strip_prefix('=') }
    });
    given.and_then(|value| ColorMode::from_str(value, false).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_consistent() {
        command(80).debug_assert();
    }

    #[test]
    fn every_option_stands_under_its_heading() {
        let mut command = command(80);
        command.build();
        for command in all(&command) {
            for option in command.get_arguments().filter(|it| !it.is_positional()) {
                let id = option.get_id().as_str();
                let (name, heading) = (command.get_name(), option.get_help_heading());
                assert_eq!(heading, help::heading(id), "{name}: --{id}");
            }
        }
    }

    #[test]
    fn every_command_that_prints_json_publishes_its_schema() {
        fn check(command: &clap::Command, path: &str) {
            let formats = command.get_arguments().find(|it| it.get_id() == "format");
            let formats = formats.map(clap::Arg::get_possible_values).unwrap_or_default();
            let prints_json = formats.iter().any(|format| format.get_name() == "json");
            let has_option = command.get_arguments().any(|it| it.get_id() == "schema");
            assert!(has_option || !prints_json, "{path} has no row in report/schemas.rs");
            for below in command.get_subcommands() {
                check(below, &format!("{path} {}", below.get_name()));
            }
        }
        check(&command(80), "hotplate");
    }

    #[test]
    fn the_short_help_fits_a_screen() {
        let mut command = command(80);
        command.build();
        // The overview lists every command with an example.
        for command in all(&command).into_iter().skip(1) {
            let most = if command.get_name() == "diff" { 30 } else { 40 };
            let mut command = command.clone();
            let help = command.render_help().to_string();
            let lines = help.lines().count();
            assert!(lines <= most, "{}: {lines} lines\n{help}", command.get_name());
        }
    }

    #[test]
    fn help_fits_its_width_and_descriptions_stand_in_their_column() {
        for width in [80, 100] {
            let mut command = command(width);
            command.build();
            for command in all(&command) {
                let help = command.clone().render_long_help().to_string();
                for line in help.lines() {
                    let length = line.chars().count();
                    assert!(length <= width, "{}, {length}: {line}", command.get_name());
                }
                let Some((_, examples)) = help.split_once("\nExamples:\n") else { continue };
                let examples: Vec<&str> =
                    examples.lines().take_while(|it| !it.is_empty()).collect();
                let indent = |line: &str| line.len() - line.trim_start().len();
                // Where the description of an example begins: beside the command or below it.
                let columns = examples.iter().filter_map(|line| match indent(line) {
                    2 => Some(2 + line[2..].find("  ").map(|at| at + indent(&line[2 + at..]))?),
                    indent => Some(indent),
                });
                let columns: std::collections::BTreeSet<usize> = columns.collect();
                assert_eq!(columns.len(), 1, "{}: {columns:?}\n{help}", command.get_name());
            }
        }
    }

    /// The words of a command up to a pipe, split as by a shell; single quotes keep words together.
    fn words(command: &str) -> impl Iterator<Item = String> {
        let mut quoted = false;
        let mut words = vec![String::new()];
        for c in command.chars() {
            match c {
                '\'' => quoted = !quoted,
                '|' | '>' if !quoted => break,
                ' ' if !quoted => words.push(String::new()),
                c => {
                    if let Some(word) = words.last_mut() {
                        word.push(c);
                    }
                }
            }
        }
        words.into_iter().filter(|word| !word.is_empty())
    }

    #[test]
    fn every_command_has_examples_and_all_of_them_are_right() {
        let command = command_without_help();
        let nested = command.get_subcommands().flat_map(clap::Command::get_subcommands);
        for subcommand in command.get_subcommands().chain(nested) {
            let name = subcommand.get_name();
            let help = subcommand.get_after_help().map(ToString::to_string).unwrap_or_default();
            let examples: Vec<_> = help::examples(&help).collect();
            assert!(!examples.is_empty(), "{name} has no examples");
            for (example, _) in examples {
                let Some(at) = example.find("hotplate ") else { panic!("{name}: {example}") };
                let arguments: Vec<OsString> = words(&example[at..]).map(Into::into).collect();
                if let Err(error) = parse(&arguments) {
                    panic!("{example}: {error}");
                }
            }
        }
    }

    #[test]
    fn colours_are_found_in_wrong_arguments() {
        for (arguments, color) in [
            ("hotplate --color always nothing", ColorMode::Always),
            ("hotplate nothing --color=never", ColorMode::Never),
            ("hotplate --color", ColorMode::Auto),
            ("hotplate --color=sometimes", ColorMode::Auto),
            ("hotplate -- --color=never", ColorMode::Auto),
            ("hotplate --colour=never", ColorMode::Auto),
        ] {
            let words: Vec<OsString> = arguments.split(' ').map(Into::into).collect();
            assert_eq!(requested_color(&words), color, "{arguments}");
        }
    }
}
