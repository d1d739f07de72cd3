//! Examples for the help of each command: `#[command(after_help = help::UPGRADE)]`.
//!
//! An example is a line of two spaces, the command, at least two spaces, and a description. A test
//! parses every example. The columns are laid out anew for the width of the terminal.

use crate::report::wrap::{two_columns, wrapped};

/// Examples for `hotplate upgrade`.
pub const UPGRADE: &str = "\
Examples:
  hotplate upgrade stack.yaml                      Print the upgraded text of one template
  hotplate upgrade --diff templates/               Show what would change in every template of a folder
  hotplate upgrade --diff . | git apply            The same as `--write`, through a patch
  hotplate upgrade --write .                       Upgrade a repository in place
  hotplate upgrade --check .                       Change nothing; exit 1 if something would change
  hotplate upgrade --check --statistics .          Count rewrites and blocked places by rule
  hotplate upgrade --to queens stack.yaml          Upgrade to a version other than the latest
  hotplate upgrade --to 2024.1 stack.yaml          Upgrade to the latest version of this OpenStack release
  hotplate upgrade --exact-only --write .          Apply only exact rewrites
  hotplate upgrade --check --format json .         Report every rewrite and every blocker as JSON
  hotplate upgrade --strip-capabilities stack.yaml    Omit what Heat does not support
  git show HEAD:stack.yaml | hotplate upgrade -    Read standard input";

/// Examples for `hotplate check`.
pub const CHECK: &str = "\
Examples:
  hotplate check stack.yaml                        Find every mistake in a template
  hotplate check stack.yaml -e prod.yaml           With the values of an environment
  hotplate check .                                 Every template of a repository
  hotplate check --statistics .                    Count the findings of each code
  hotplate check --ignore deprecated .             Without what the release deprecates
  hotplate check --select HP1201 .                 Of everything that is no error, only unused parameters
  hotplate check --heat queens .                   For the Heat of an older release
  hotplate check --types types.json --types functions.json .    For what your own cloud lists
  hotplate check --write-baseline known.json .     Accept what is there today
  hotplate check --baseline known.json .           Report only what is new
  hotplate check --fail-on warning .               Exit 1 for warnings, too
  hotplate check --format sarif . > check.sarif    For code scanning";

/// Examples for `hotplate init`.
pub const INIT: &str = "\
Examples:
  hotplate init                                    Write `hotplate.toml` for the repository in the current folder
  hotplate init --diff                             Show what would be written
  hotplate init heat/ --diff | git apply           The same for a folder, through a patch";

/// Examples for `hotplate deployments`.
pub const DEPLOYMENTS: &str = "\
Examples:
  hotplate deployments                             Print the deployments of the repository, and how they are known
  hotplate deployments heat/                       Those of a folder
  hotplate deployments --format json               The same as JSON";

/// Examples for `hotplate render`.
pub const RENDER: &str = "\
Examples:
  hotplate render stack.yaml --target terraform -e prod.yaml -o terraform/    Write a folder for OpenTofu or Terraform
  hotplate render stack.yaml -t terraform --adopt resources.json -o terraform/    Adopt existing resources
  hotplate render stack.yaml -t terraform --names --ids=network    Take parameters for names, and one for an ID
  hotplate render stack.json -t terraform -o terraform/    Adopt a stack that `openstack stack export` saved
  hotplate render stack.yaml -t cfn --bake -e prod.yaml    Print CloudFormation with all values
  hotplate render stack.yaml -t pulumi --bake=size -P size=3    Fix one parameter, keep the others
  hotplate render old.template -t hot --to wallaby         Print a CFN template as HOT
  hotplate render stack.yaml -t markdown -o README.md      Document a template
  hotplate render stack.yaml -t ansible --strict           Fail if anything is lost
  hotplate render stack.yaml -t ansible -e prod.yaml --show-secrets -o out    Also write the values of hidden parameters
  hotplate render stack.yaml -t terraform -o out --format json    Report as JSON what could not be expressed
  hotplate render stack.yaml -t ./my-target                Use a target of your own
  hotplate render stack.yaml --target json                 Print the template as Heat's client sends it";

/// Examples for `hotplate schema`.
pub const SCHEMA: &str = "\
Examples:
  hotplate schema OS::Nova::Server                 Print properties, attributes and status of a type
  hotplate schema OS::Nova::Server networks        Only one property, with the parts of its value
  hotplate schema OS::Neutron::LBaaS::Pool --heat queens    As of an older release
  hotplate schema --search floating                Search types, properties and attributes
  hotplate schema OS::Nova::Server --format json    The same as JSON
  hotplate schema --json-schema > hot.json         Write a JSON Schema of templates for your editor";

/// Examples for `hotplate targets`.
pub const TARGETS: &str = "\
Examples:
  hotplate targets                                 List the targets of `hotplate render`
  hotplate targets --format json                   The same as JSON
  hotplate targets --markdown                      Print the table of types and functions for every target";

/// Examples for `hotplate targets list`.
pub const TARGETS_LIST: &str = "\
Examples:
  hotplate targets list                            List the targets of `hotplate render`";

/// Examples for `hotplate targets show`.
pub const TARGETS_SHOW: &str = "\
Examples:
  hotplate targets show dot                        Print how a target translates types and functions
  hotplate targets show ./my-target --format json    The same for a folder, as JSON";

/// Examples for `hotplate targets context`.
pub const TARGETS_CONTEXT: &str = "\
Examples:
  hotplate targets context stack.yaml --target ./my-target    Print the input of a target's templates
  hotplate targets context stack.yaml -e prod.yaml --target dot    With an environment
  hotplate targets context --schema                Print the JSON Schema of it";

/// Examples for `hotplate targets new`.
pub const TARGETS_NEW: &str = "\
Examples:
  hotplate targets new my-target                   Create a minimal working target";

/// Examples for `hotplate targets test`.
pub const TARGETS_TEST: &str = "\
Examples:
  hotplate targets test my-target                  Render the target's cases and compare
  hotplate targets test my-target web              Only the case `cases/web`
  hotplate targets test my-target --accept         Replace the expected files";

/// Examples for `hotplate ir`.
pub const IR: &str = "\
Examples:
  hotplate ir stack.yaml                           Print the intermediate representation as JSON
  hotplate ir stack.yaml | jq .resources           Select a part of it
  hotplate ir --text stack.yaml                    Print the meaning, one fact per line
  openstack stack template show web | hotplate ir -    Read standard input";

/// Examples for `hotplate parameters`.
pub const PARAMETERS: &str = "\
Examples:
  hotplate parameters stack.yaml                   Print what can be given to a template and to its nested templates
  hotplate parameters stack.yaml -e prod.yaml      With the origin of every value, and what is still missing
  hotplate parameters stack.yaml --new-environment > new.yaml    Write an environment to fill in
  hotplate parameters stack.yaml --format json     The same as JSON, with the place of every use";

/// Examples for `hotplate env`.
pub const ENV: &str = "\
Examples:
  hotplate env -e base.yaml -e prod.yaml stack.yaml    Print the merged environment, and the origin of each value
  hotplate env -e prod.yaml -P flavor=m1.large stack.yaml    With a parameter
  hotplate env -e prod.yaml --merge client stack.yaml    Merge as an old client does
  hotplate env -e prod.yaml --allow-path ../lib stack.yaml    Allow nested templates in another folder
  hotplate env -e prod.yaml --format json stack.yaml    The same as JSON";
/// Examples for `hotplate eval`.
pub const EVAL: &str = "\
Examples:
  hotplate eval stack.yaml                         Print the value of every property and output
  hotplate eval stack.yaml --format json           The same as JSON, with unknown values as expressions
  hotplate eval stack.yaml --fill                  Fill in values that are unknown before deployment
  hotplate eval stack.yaml --attrs running.json    Take references and attributes from a file
  hotplate eval stack.yaml -e prod.yaml --nested   With an environment, and every nested stack";

/// Examples for `hotplate yaql`.
pub const YAQL: &str = "\
Examples:
  hotplate yaql '[3, 1, 2].orderBy($)'             Print the value of an expression
  hotplate yaql '$.data.ports.select($.id)' --data ports.yaml    With a value of `data`
  hotplate yaql 'now().year' --now 2026-01-31      With a fixed time";

/// Examples for `hotplate diff`.
pub const DIFF: &str = "\
Examples:
  hotplate diff old.yaml new.yaml                  Show the effect of the change on each resource
  hotplate diff old.yaml new.yaml -e prod.yaml --old-P flavor=m1.small    With an environment and other old values
  hotplate diff deployed/ changed/                 Compare the templates of two folders, with everything that they read
  hotplate diff old.yaml new.yaml --steps steps/   Write a sequence of updates in which nothing is lost or refused
  hotplate diff /dev/null new.yaml                 Show what a new template creates
  hotplate diff --git main...HEAD                  Compare every template that a branch affects
  hotplate diff --git main...HEAD --fail-on dangerous    Exit 1 only for what certainly or possibly hurts
  hotplate diff --git main...HEAD -o html=diff.html -o json=diff.json    Write more formats in the same run
  hotplate diff --git HEAD templates/              Compare the last commit with the working tree, in a folder
  hotplate diff --staged                           Show the effect of the next commit";

/// Examples for `hotplate log`.
pub const LOG: &str = "\
Examples:
  hotplate log                                     Show the commits that change what Heat does, the newest first
  hotplate log --fail-on dangerous --since 2025-01-01    Only what certainly or possibly hurt since then
  hotplate log v1.0..main -- stacks/web.yaml:server    What happened to one resource, under all of its names
  hotplate log --format html > history.html        A page of resources by commits";

/// Examples for `hotplate report merge`.
pub const REPORT_MERGE: &str = "\
Examples:
  hotplate report merge diff-*.json                Show the reports of many jobs, the worst first
  hotplate report merge diff-*.json --format html > fleet.html    As a page";

/// Examples for `hotplate capabilities`.
pub const CAPABILITIES: &str = "\
Examples:
  hotplate capabilities list templates/            Show the available capabilities
  hotplate capabilities find -r -c deployment=puppet .    Find the templates that have a capability
  hotplate capabilities resolve stack.yaml -e prod.yaml -o build    Choose by `requires`, and write files for Heat";

/// Examples for `hotplate policy`.
pub const POLICY: &str = "\
Examples:
  hotplate check --policy policies templates/      Check templates against your own rules, too
  hotplate policy test policies                    Check the good and the bad templates of each rule
  hotplate policy explain policies ACME001         Show what a rule is about and what to do";

/// Examples for `hotplate policy test`.
pub const POLICY_TEST: &str = "\
Examples:
  hotplate policy test policies                    Check the good and the bad templates of each rule
  hotplate policy test policies --format json      The same as JSON";

/// Examples for `hotplate policy explain`.
pub const POLICY_EXPLAIN: &str = "\
Examples:
  hotplate policy explain policies                 Explain every rule
  hotplate policy explain policies ACME001         Explain one rule
  hotplate policy explain policies --format json    Every rule as JSON";

/// Examples for `hotplate capabilities find`.
pub const CAPABILITIES_FIND: &str = "\
Examples:
  hotplate capabilities find -r -c resource_type=My::Server .    Find the templates for a type
  hotplate capabilities find -c deployment=puppet -c ha=pacemaker lib    Find those that have both";

/// Examples for `hotplate capabilities list`.
pub const CAPABILITIES_LIST: &str = "\
Examples:
  hotplate capabilities list templates/            Show what the templates of a folder declare
  hotplate capabilities list -f a.yaml -f b.yaml    Show what two templates declare
  hotplate capabilities list -e prod.yaml          Show what the templates of a registry declare";

/// Examples for `hotplate capabilities resolve`.
pub const CAPABILITIES_RESOLVE: &str = "\
Examples:
  hotplate capabilities resolve stack.yaml -e prod.yaml -o build    Write everything as Heat takes it
  hotplate capabilities resolve -e prod.yaml       Print the registry, for templates without the section
  hotplate capabilities resolve -e prod.yaml --format json    Show which candidates were chosen

With `-o`, files keep their places relative to each other, and everything but `requires`, `capabilities` and the lists of
candidates stays as it is; of files with values of hidden or undeclared parameters, the copies can be read by their owner
only. What `-o` does not write are the parameters of the command line. Without `-o`, files are printed as URLs, so that
the environment works wherever it is stored.";

/// Examples for `hotplate git`.
pub const GIT: &str = "\
Examples:
  hotplate git setup                               Let `git diff` show the meaning of templates";

/// Examples for `hotplate lsp`.
pub const LSP: &str = "\
Examples:
  hotplate lsp                     What an editor starts; docs/editors.md has the settings of each editor
  hotplate lsp --log hotplate.log  Also write what is answered, and how long it takes";

/// Examples for `hotplate git setup`.
pub const GIT_SETUP: &str = "\
Examples:
  hotplate git setup                               Show the meaning of templates, in this repository
  hotplate git setup --driver diff                 Let `git diff` show the effect on the running stack
  hotplate git setup --pattern templates/*.yaml    For some files only
  hotplate git setup --global --dry-run            Print what would be done for every repository
  hotplate git setup --undo                        Remove the configuration";

/// Examples for `hotplate versions`.
pub const VERSIONS: &str = "\
Examples:
  hotplate versions templates/                     Count declared versions, and show which versions each template needs
  hotplate versions --format json .                The same as JSON, with the place of every feature
  hotplate versions --list                         List the versions of HOT and the OpenStack releases";

/// Examples for `hotplate rules`.
pub const RULES: &str = "\
Examples:
  hotplate rules                                   List the rules of the upgrade
  hotplate rules select                            Explain one of them";

/// Examples for `hotplate config`.
pub const CONFIG: &str = "\
Examples:
  hotplate config                                  Print every value in effect, and where it is from
  hotplate config check                            Only those of a command
  hotplate config check --fail-on note .           What a command line changes
  hotplate config --format json                    The same as JSON
  hotplate config --file-schema                    Print the JSON Schema of hotplate.toml, for editors";

/// Examples for `hotplate explain`.
pub const EXPLAIN: &str = "\
Examples:
  hotplate explain HP0105                          Explain the code of a finding
  hotplate explain HP10                            List the codes that begin like this
  hotplate explain duplicate                       List the codes whose explanation has the word
  hotplate explain                                 List every code";

/// Examples for `hotplate completions`.
pub const COMPLETIONS: &str = "\
Examples:
  hotplate completions bash > ~/.local/share/bash-completion/completions/hotplate    For Bash
  hotplate completions zsh > ~/.zfunc/_hotplate    For Zsh, with a folder of `fpath`
  hotplate completions fish > ~/.config/fish/completions/hotplate.fish    For Fish
  hotplate completions powershell >> $PROFILE      For PowerShell";

/// Examples for `hotplate man`.
pub const MAN: &str = "\
Examples:
  hotplate man | man -l -                          Read the manual page of hotplate
  hotplate man diff | man -l -                     Read that of a command
  hotplate man --output man/                       Write every page into a folder";

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
const LONG_HELP_ONLY: &[&str] = &[
    "new_file",
    "no_discovery",
    "allow",
    "allow_from",
    "allow_path",
    "config_from",
    "fill",
    "name_only",
    "old_environments",
    "old_parameters",
    "parameter_files",
    "show_secrets",
    "merge",
    "files_map",
    "old_parameter_file",
    "attrs",
    "limit_iterators",
    "memory_quota",
    "now",
    "seed",
    "max_resources",
    "max_values",
    "max_size",
    "max_depth",
    "max_nodes",
    "since",
    "skip_non_templates",
    "types",
    "write_baseline",
    "color",
    "config",
    "deployment",
    "environment",
    "version_style",
    "no_config",
    "no-exact-only",
    "no-modernize",
    "no-strict",
    "no-strip-capabilities",
    "trust_config",
    "context",
    "explain_match",
    "full",
    "marker",
    "link_base",
    "schema",
    "manifest-schema",
    "file-schema",
    "markdown",
];

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
        option.help_heading(heading(&id)).hide_short_help(LONG_HELP_ONLY.contains(&id.as_str()))
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
