//! Command lines of OpenStack's clients: in documentation, scripts, Makefiles, CI files, settings of tox.

use std::path::{Path, PathBuf};

use super::shell_words::{self, ShellCommand};

/// A command line that deploys a template, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeployCommand {
    /// The file with the command line, and the line, from 1.
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    /// The folder that a `cd` before it names, relative to the one in which it starts.
    pub(crate) folder: Option<String>,
    pub(crate) template: String,
    pub(crate) environments: Vec<String>,
    /// The names of the parameters that it sets.
    pub(crate) parameters: Vec<String>,
}

/// Commands that deploy a template or show what that would do, after `openstack stack` and after `heat`.
const OPENSTACK_VERBS: [&str; 3] = ["create", "update", "adopt"];
const HEAT_VERBS: [&str; 4] = ["stack-create", "stack-update", "stack-adopt", "stack-preview"];

/// The command lines of a text.
pub(crate) fn commands_of(file: &Path, text: &str) -> Vec<DeployCommand> {
    if !text.contains("stack") {
        return Vec::new();
    }
    let (mut found, mut folder, mut folder_line) = (Vec::new(), None, 0);
    for command in shell_words::commands(text) {
        let ShellCommand { line, words } = command;
        // `sh 'openstack stack create …'` of other languages.
        for word in words.iter().filter(|word| word.contains(char::is_whitespace)) {
            let inner = commands_of(file, word).into_iter();
            found.extend(inner.map(|it| DeployCommand { line: line + it.line - 1, ..it }));
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        // In documentation it is the prompt of the administrator.
        if !is_documentation(file) && words.first().is_some_and(|word| word.starts_with('#')) {
            continue;
        }
        // A folder is entered for the rest of a line; in a script, for the rest of the script.
        if let Some(at) = words.iter().position(|word| *word == "cd") {
            folder = words.get(at + 1).map(|it| (*it).to_owned());
            folder_line = line;
        } else if let Some(deploy) = deploy_command(&words) {
            let is_script = file.extension().is_some_and(|it| it == "sh" || it == "bash");
            let folder = folder.clone().filter(|_| folder_line == line || is_script);
            found.push(DeployCommand { file: file.to_owned(), line, folder, ..deploy });
        }
    }
    found
}

/// Whether a text is written for people.
fn is_documentation(file: &Path) -> bool {
    let extension = file.extension().and_then(|it| it.to_str()).unwrap_or_default();
    let is_readme = file.file_name().is_some_and(|it| it.to_string_lossy().starts_with("README"));
    is_readme || ["md", "rst", "txt", "adoc"].contains(&extension)
}

/// The deployment in the words, if they deploy a template. The place is not set.
fn deploy_command(words: &[&str]) -> Option<DeployCommand> {
    let is_program = |word: &&str, name: &str| {
        let word = word.trim_start_matches(['@', '-', '$']);
        word.rsplit('/').next() == Some(name)
    };
    let after = |name: &str| words.iter().position(|word| is_program(word, name));
    let arguments = match (after("openstack"), after("heat")) {
        (Some(program), _) => {
            let stack = program + 1 + words[program + 1..].iter().position(|it| *it == "stack")?;
            let verb = words.get(stack + 1)?;
            if !OPENSTACK_VERBS.contains(verb) {
                return None;
            }
            &words[stack + 2..]
        }
        (None, Some(program)) => {
            let rest = &words[program + 1..];
            let verb = rest.iter().position(|it| HEAT_VERBS.contains(it))?;
            &rest[verb + 1..]
        }
        (None, None) => return None,
    };
    let mut deploy = DeployCommand {
        file: PathBuf::new(),
        line: 0,
        folder: None,
        template: String::new(),
        environments: Vec::new(),
        parameters: Vec::new(),
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let (option, attached) = match argument.split_once('=') {
            Some((option, value)) if option.starts_with("--") => (option, Some(value)),
            _ => (*argument, None),
        };
        let mut value = || attached.or_else(|| arguments.next().copied());
        match option {
            "-t" | "--template" | "-f" | "--template-file" => deploy.template = value()?.to_owned(),
            "-e" | "--environment" | "--environment-file" => {
                let environment = value()?.to_owned();
                if !deploy.environments.contains(&environment) {
                    deploy.environments.push(environment);
                }
            }
            "-P" | "--parameter" | "--parameters" => {
                let pairs = value()?.split(';').filter_map(|pair| pair.split_once('='));
                for name in pairs.map(|(name, _)| name.trim().to_owned()) {
                    if !deploy.parameters.contains(&name) {
                        deploy.parameters.push(name);
                    }
                }
            }
            _ => {}
        }
    }
    (!deploy.template.is_empty()).then_some(deploy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        let found = commands_of(Path::new("README.md"), text).into_iter();
        let shown = |it: DeployCommand| {
            let folder = it.folder.unwrap_or_default();
            format!(
                "{} {folder}|{} {:?} {:?}",
                it.line, it.template, it.environments, it.parameters
            )
        };
        found.map(shown).collect()
    }

    #[test]
    fn each_client_and_spelling_is_read() {
        let same = "1 |a.yaml [\"b.yaml\"] []";
        for line in [
            "openstack stack create -t a.yaml -e b.yaml demo",
            "$ openstack stack create demo --template a.yaml --environment b.yaml",
            "openstack --os-cloud x stack update --template=a.yaml --environment=b.yaml demo",
            "heat stack-create demo -f a.yaml -e b.yaml",
            "heat stack-update -f=x --template-file=a.yaml --environment-file=b.yaml demo",
            "run `openstack stack create -t a.yaml -e b.yaml demo` first",
            "    - openstack stack create -t \"a.yaml\" -e 'b.yaml' demo",
            "sh 'openstack stack create -t a.yaml -e b.yaml demo'",
            "\t@openstack stack create -t a.yaml \\\n\t  -e b.yaml demo",
            "/usr/bin/openstack stack create --wait -t a.yaml -e b.yaml demo | tee log",
        ] {
            assert_eq!(of(line), [same], "{line}");
        }
        for line in
            ["openstack server create -t a.yaml", "heat stack-list -f a", "the stack create -t a"]
        {
            assert!(of(line).is_empty(), "{line}");
        }
    }

    #[test]
    fn a_comment_of_a_script_is_no_command() {
        let text = "# openstack stack create -t a.yaml s\n";
        assert_eq!(of(text).len(), 1);
        assert!(commands_of(Path::new("deploy.sh"), text).is_empty());
    }

    #[test]
    fn folders_and_parameters_are_kept() {
        let text = "cd net && openstack stack create -t a.yaml -P 'k=v;n=1' -P z=$Z s\nopenstack stack create -t a.yaml s";
        assert_eq!(of(text), ["1 net|a.yaml [] [\"k\", \"n\", \"z\"]", "2 |a.yaml [] []"]);
    }
}
