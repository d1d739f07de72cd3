//! A separate folder for each test, in which hotplate runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::Command;

/// hotplate in an environment without color settings, with a timeout.
pub(crate) fn hotplate(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("hotplate").expect("the binary");
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    command.timeout(Duration::from_secs(120)).args(arguments);
    command
}

/// A template of the oldest version with something to rewrite, and the rewritten one.
pub(crate) const OLD: &str = "\
heat_template_version: 2013-05-23
outputs:
  name: {value: {Fn::Join: ['-', [a, b]]}}  # kept
";
pub(crate) const NEW: &str = "\
heat_template_version: 2021-04-16
outputs:
  name: {value: {list_join: ['-', [a, b]]}}  # kept
";

/// A template that cannot be upgraded to the latest version, since nothing replaces its call.
pub(crate) const BLOCKED: &str = "\
heat_template_version: 2013-05-23
parameters:
  which: {type: string}
  items: {type: string}
outputs:
  one: {value: {Fn::Select: [{get_param: which}, {get_param: items}]}}
";

/// A temporary folder with files, removed on drop.
pub(crate) struct Sandbox(tempfile::TempDir);

impl Sandbox {
    pub(crate) fn new<B: AsRef<[u8]>>(files: &[(&str, B)]) -> Self {
        let sandbox = Sandbox(tempfile::tempdir().expect("a temporary folder"));
        for (name, bytes) in files {
            sandbox.write(name, bytes);
        }
        sandbox
    }

    /// The path of a file in the folder.
    pub(crate) fn at(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and creates its parent folders.
    pub(crate) fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    pub(crate) fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.at(name)).expect("a file")
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("text")
    }

    /// The names in the folder, including hidden ones, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> =
            names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// hotplate in this folder, with arguments separated by spaces.
    pub(crate) fn hotplate(&self, arguments: &str) -> Command {
        self.run(&arguments.split(' ').collect::<Vec<_>>())
    }

    /// hotplate in this folder, with these arguments.
    pub(crate) fn run(&self, arguments: &[&str]) -> Command {
        let mut command = hotplate(arguments);
        command.current_dir(self.0.path());
        command
    }

    /// The JSON that a command prints, which must exit with `status`.
    pub(crate) fn json(&self, arguments: &str, status: i32) -> serde_json::Value {
        let output = self.hotplate(arguments).assert().code(status).get_output().stdout.clone();
        serde_json::from_slice(&output).expect("JSON")
    }
}
