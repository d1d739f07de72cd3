//! The hooks of `.pre-commit-hooks.yaml`, run by pre-commit in a repository with files of all kinds.
//!
//! Only the source of hotplate is changed: the hooks run the binary under test instead of one that
//! pre-commit would build. `packaging/tests/test_hooks.py` runs the same hooks from the mirror that installs a wheel. pre-commit is `HOTPLATE_PRE_COMMIT`, or `pre-commit` on the `PATH`.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output};

use crate::cli::git::Repository;
use crate::cli::sandbox::{NEW, OLD};

/// The hooks' configuration as in a user's repository.
fn configuration() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".pre-commit-hooks.yaml");
    let hooks = std::fs::read_to_string(path).expect("the hooks");
    assert_eq!(hooks.matches("language: rust").count(), hooks.matches("- id: ").count());
    let hooks = hooks.replace("language: rust", "language: system").replace('\n', "\n      ");
    format!("repos:\n  - repo: local\n    hooks:\n      {}\n", hooks.trim_end())
}

/// A repository with the hooks.
struct Hooked {
    repository: Repository,
    program: OsString,
}

impl Hooked {
    /// Returns `None` if git or pre-commit is not installed.
    fn new(files: &[(&str, &str)]) -> Option<Self> {
        let program = std::env::var_os("HOTPLATE_PRE_COMMIT").unwrap_or("pre-commit".into());
        if !Command::new(&program).arg("--version").output().is_ok_and(|it| it.status.success()) {
            #[expect(clippy::print_stderr, reason = "who runs the tests wants to know")]
            {
                eprintln!("skipped: there is no pre-commit (`HOTPLATE_PRE_COMMIT` may name it)");
            }
            return None;
        }
        let configuration = configuration();
        let mut all = vec![(".pre-commit-config.yaml", configuration.as_str())];
        all.extend(files);
        let repository = Repository::new(&all)?;
        Some(Hooked { repository, program })
    }

    /// Runs one hook, or another command of pre-commit.
    fn run(&self, arguments: &[&str]) -> Output {
        let binary = assert_cmd::cargo::cargo_bin("hotplate");
        let mut path = vec![binary.parent().expect("a folder").to_owned()];
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let mut command = Command::new(&self.program);
        self.repository.isolated(&mut command);
        command
            .current_dir(self.repository.0.at(""))
            .env("PATH", std::env::join_paths(path).expect("paths"))
            .env("PRE_COMMIT_HOME", self.repository.0.at(".git/pre-commit"))
            .arg("run")
            .args(["--color", "never", "--verbose"])
            .args(arguments);
        command.output().expect("pre-commit")
    }

    /// Asserts the result of a hook on the staged files, and its output.
    fn assert(&self, hook: &str, passes: bool, says: &[&str]) {
        let output = self.run(&[hook]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.success(), passes, "{hook}: {text}");
        for what in says {
            assert!(text.contains(what), "{hook}: no {what:?} in {text}");
        }
    }
}

/// Files of other programs in a repository, on which no hook may fail.
const OTHERS: [(&str, &str); 7] = [
    ("charts/templates/web.yaml", "{{- if .Values.web }}\nkind: Deployment\n{{- end }}\n"),
    ("deploy/all.yaml", "kind: Service\n---\nkind: Deployment\n"),
    ("play.yml", "- hosts: all\n  vars: {x: heat_template_version}\n"),
    ("package.json", "{\"name\": \"web\", // a comment\n}\n"),
    ("tabs.yml", "a:\n\t- b\n"),
    ("empty.yaml", ""),
    ("env/production.yaml", "parameters: {flavor: m1.small}\n"),
];

fn server(image: &str) -> String {
    format!(
        "heat_template_version: 2021-04-16\nresources:\n  web: {{type: 'OS::Nova::Server', properties: {{image: {image}, flavor: f, networks: [{{network: n}}], user_data: {{get_file: ../boot.sh}}, user_data_update_policy: REPLACE}}}}\n"
    )
}

#[test]
fn files_of_other_programs_pass() {
    let Some(hooked) = Hooked::new(&[]) else { return };
    for (name, text) in OTHERS {
        hooked.repository.0.write(name, text);
    }
    hooked.repository.git("add -A");
    hooked.assert("hotplate-upgrade-check", true, &["no"]);
    hooked.assert("hotplate-diff", true, &[]);
    let all = hooked.run(&["--all-files"]);
    assert!(all.status.success(), "{}", String::from_utf8_lossy(&all.stdout));
}

#[test]
fn an_old_template_is_found_whatever_its_extension() {
    let Some(hooked) = Hooked::new(&OTHERS) else { return };
    for extension in ["yaml", "yml", "template", "hot", "heat", "HOT", "json"] {
        let name = format!("stacks/old.{extension}");
        hooked.repository.0.write(&name, OLD);
        hooked.repository.git("add -A");
        hooked.assert(
            "hotplate-upgrade-check",
            false,
            &[&format!("{name}: rewritten, 2013-05-23 -> ")],
        );
        hooked.repository.0.write(&name, NEW);
        hooked.repository.git("add -A");
        hooked.assert("hotplate-upgrade-check", true, &[]);
        hooked.repository.commit();
    }
    hooked.repository.0.write("stacks/broken.hot", "heat_template_version: 2021-04-16\na: [");
    hooked.repository.git("add -A");
    hooked.assert("hotplate-upgrade-check", false, &["error[HP0101]", "stacks/broken.hot:2:5"]);
}

#[test]
fn a_replaced_server_is_found_also_by_a_file_that_a_template_includes() {
    let web = server("one");
    let files = [OTHERS.as_slice(), &[("stacks/web.hot", &web), ("boot.sh", "one")]].concat();
    let Some(hooked) = Hooked::new(&files) else { return };
    hooked.assert("hotplate-diff", true, &[]);
    hooked.repository.0.write("boot.sh", "two");
    hooked.repository.git("add -A");
    hooked.assert("hotplate-diff", false, &["web"]);
    hooked.repository.commit();
    hooked.repository.0.write("stacks/web.hot", server("two").replace("web:", "other:"));
    hooked.repository.git("add -A");
    hooked.assert("hotplate-diff", false, &["stacks/web.hot"]);
}
