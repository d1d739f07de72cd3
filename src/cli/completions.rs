//! `hotplate completions`: scripts with which a shell completes commands, options and their values.
//!
//! A script asks hotplate itself, with the words of the command line and the name of the shell in [`VARIABLE`]. So the values
//! are those of the installed version, and the same in every shell.

use std::ffi::{OsStr, OsString};

use anyhow::Context;
use clap::builder::StyledStr;
use clap::{Arg, Args, Command, ValueEnum};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use clap_complete::env::{Bash, EnvCompleter, Fish, Powershell, Zsh};

use super::{Console, ExitStatus, command, heat_release, help};
use heat_template::hot::{Release, Version};
use hotplate_check::Group;
use hotplate_diff::FailOn;
use hotplate_emit::{EMITTERS, heat_types};

/// The environment variable with which the script of a shell asks for candidates.
const VARIABLE: &str = "HOTPLATE_COMPLETE";

/// Print a script with which a shell completes commands, options and values
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell that reads the script
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// A shell for which there is a script.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Shell {
    /// Bash 3.2 or later, with or without bash-completion
    Bash,
    /// Zsh, with `compinit`
    Zsh,
    /// Fish, from its folder of completions
    Fish,
    /// PowerShell 5 or later, on any system
    Powershell,
}

impl Completions {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        console.print(&self.shell.script()?)?;
        Ok(ExitStatus::Done)
    }
}

impl Shell {
    /// The shell whose script started this process. No other command line begins with `--`, so that a variable that somebody
    /// exported has no effect.
    pub(super) fn asking(arguments: &[OsString]) -> Option<Self> {
        if arguments.get(1)? != "--" {
            return None;
        }
        Shell::from_str(&std::env::var(VARIABLE).ok()?, false).ok()
    }

    fn completer(self) -> &'static dyn EnvCompleter {
        match self {
            Shell::Bash => &Bash,
            Shell::Zsh => &Zsh,
            Shell::Fish => &Fish,
            Shell::Powershell => &Powershell,
        }
    }

    fn script(self) -> anyhow::Result<String> {
        let (name, mut script) = ("hotplate", Vec::new());
        self.completer().write_registration(VARIABLE, name, name, name, &mut script)?;
        let script = String::from_utf8(script).context("the script is not text")?;
        Ok(match self {
            Shell::Bash => joining_words(&script),
            Shell::Zsh | Shell::Fish | Shell::Powershell => script,
        })
    }

    /// Prints the candidates for the last word of the command line that follows `--`.
    pub(super) fn answer(
        self,
        arguments: &[OsString],
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let line = arguments.iter().skip(2).cloned().collect();
        let mut command = with_values(command(help::terminal_width()));
        command.build();
        let (folder, mut candidates) = (std::env::current_dir().ok(), Vec::new());
        self.completer().write_complete(&mut command, line, folder.as_deref(), &mut candidates)?;
        // As it is: Bash gets control characters between candidates.
        console.document(&candidates)?;
        Ok(ExitStatus::Done)
    }
}

/// A value with its description, which shells show beside it.
type Candidate = (String, String);

type ListValues = fn() -> Vec<Candidate>;

/// The values that options and arguments accept, by the name under which the help shows them. Parsing does not use them: it
/// accepts more, and suggests what was probably meant.
const VALUES: &[(&str, ListValues)] = &[
    ("CODE", codes_and_groups),
    ("IMPACT,…", || FailOn::words().map(undescribed).collect()),
    (OR_FOLDER, || {
        EMITTERS.iter().map(|it| (it.name().to_owned(), it.summary().to_owned())).collect()
    }),
    ("RELEASE", || releases().collect()),
    ("RULE", || {
        let rules = hotplate_upgrade::RULES.iter();
        rules.map(|it| (it.name.to_owned(), it.summary.to_owned())).collect()
    }),
    ("TYPE", || heat_types(heat_release()).map(undescribed).collect()),
    ("VERSION", versions_and_releases),
];

/// The name of a value that may also be a folder.
const OR_FOLDER: &str = "NAME|DIR";

fn undescribed(value: &str) -> Candidate {
    (value.to_owned(), String::new())
}

fn codes_and_groups() -> Vec<Candidate> {
    let codes = crate::codes::every().into_iter().map(|code| code.info());
    let codes = codes.map(|info| (info.id.to_owned(), info.title.to_owned()));
    let groups =
        Group::ALL.into_iter().map(|it| (it.name().to_owned(), "group of codes".to_owned()));
    codes.chain(groups).collect()
}

/// The releases by number, or by name where they have none, the newest first.
fn releases() -> impl Iterator<Item = Candidate> {
    let releases = Release::all().iter().rev();
    releases.map(|it| (it.number.map_or(it.name.to_lowercase(), str::to_owned), it.to_string()))
}

fn versions_and_releases() -> Vec<Candidate> {
    let name = |version: Version| version.name().unwrap_or_default().to_owned();
    let versions = Version::all().rev().map(|it| (it.date().to_owned(), name(it)));
    versions.chain(releases()).collect()
}

/// The command whose options complete to [`VALUES`].
fn with_values(command: Command) -> Command {
    command.mut_args(with_candidates).mut_subcommands(with_values)
}

fn with_candidates(argument: Arg) -> Arg {
    let name = value_name(&argument);
    let Some((name, values)) = VALUES.iter().find(|(it, _)| *it == name) else { return argument };
    let argument = if name.ends_with(",…") { argument.value_delimiter(',') } else { argument };
    argument.add(ArgValueCompleter::new(move |current: &OsStr| {
        let typed = current.to_string_lossy();
        let candidates =
            values().into_iter().filter(|(value, _)| value.starts_with(typed.as_ref()));
        let folders =
            if *name == OR_FOLDER { PathCompleter::dir().complete(current) } else { Vec::new() };
        candidates.map(shown).chain(folders).collect::<Vec<_>>()
    }))
}

fn shown((value, description): Candidate) -> CompletionCandidate {
    let help = Some(description).filter(|it| !it.is_empty()).map(StyledStr::from);
    CompletionCandidate::new(value).help(help)
}

/// The name of an argument's value in the help.
fn value_name(argument: &Arg) -> String {
    match argument.get_value_names() {
        Some([name, ..]) => name.to_string(),
        _ => argument.get_id().as_str().to_uppercase(),
    }
}

/// The script for Bash, with a function around clap's that joins the parts of a resource type: Bash begins a new word at each
/// colon, and replaces only the last one.
fn joining_words(script: &str) -> String {
    let script = script.replace("-F _clap_complete_hotplate ", "-F _hotplate ");
    format!("{JOINING_WORDS}{script}")
}

/// Runs also in the Bash 3.2 of macOS.
const JOINING_WORDS: &str = r#"_hotplate() {
    local -a words
    local i last=-1
    for ((i = 0; i <= COMP_CWORD; i++)); do
        if [[ $i -gt 0 && (${COMP_WORDS[i]} == :* || ${COMP_WORDS[i - 1]} == *:) ]]; then
            words[last]+=${COMP_WORDS[i]}
        else
            words[++last]=${COMP_WORDS[i]}
        fi
    done
    local current=${words[last]}
    local -a COMP_WORDS=("${words[@]}")
    local COMP_CWORD=$last
    _clap_complete_hotplate "$1" "$current" "${words[last - 1]}"
    if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
        local typed=${current%"${current##*:}"}
        COMPREPLY=("${COMPREPLY[@]#"$typed"}")
    fi
}
"#;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::ValueHint;

    use super::*;

    /// The names of values that nobody can list: those of the user's own files, numbers, texts.
    const FREE: &str = "BYTES CASE COMMAND DATE EXPRESSION FORMAT=FILE ID ITEMS KEY=VALUE LEVELS N NAME NAME=PATH NAME=VALUE \
        TYPE.PROPERTY NODES NUMBER PATTERN PROPERTY RANGE RESOURCES REVISION REV[..REV] TIME TYPE|NAME[:IMPACT] URL \
        URL=PATH VALUES WORD";

    /// Every argument with a value, of every command.
    fn arguments(command: &Command) -> Vec<Arg> {
        let own = command.get_arguments().filter(|it| it.get_action().takes_values()).cloned();
        own.chain(command.get_subcommands().flat_map(arguments)).collect()
    }

    #[test]
    fn every_value_can_be_completed_or_is_free() {
        let mut command = command(80);
        command.build();
        let is_open = |it: &Arg| {
            it.get_possible_values().is_empty() && matches!(it.get_value_hint(), ValueHint::Unknown)
        };
        let open: BTreeSet<String> =
            arguments(&command).iter().filter(|it| is_open(it)).map(value_name).collect();
        let known = VALUES.iter().map(|(name, _)| *name).chain(FREE.split(' '));
        assert_eq!(open, known.map(str::to_owned).collect());
    }
}
