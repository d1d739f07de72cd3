//! Comparisons of revisions, in real repositories created by `git`.

use std::process::Command;

use assert_cmd::assert::Assert;
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};

use crate::cli::sandbox::Sandbox;

pub(super) const HOT: &str = "heat_template_version: 2018-08-31\n";

pub(super) fn server(image: &str) -> String {
    format!(
        "{HOT}resources:\n  web: {{type: 'OS::Nova::Server', properties: {{image: {image}, flavor: f, networks: [{{network: n}}]}}}}\n"
    )
}

/// A folder that is a repository, independent of the user's git configuration.
pub(crate) struct Repository(pub(crate) Sandbox);

impl Repository {
    /// Returns `None` if git is not installed.
    pub(crate) fn new(files: &[(&str, &str)]) -> Option<Self> {
        if Command::new("git").arg("--version").output().is_err() {
            #[expect(clippy::print_stderr, reason = "who runs the tests wants to know")]
            {
                eprintln!("skipped: there is no git");
            }
            return None;
        }
        let repository = Repository(Sandbox::new(files));
        repository.git("init -q -b main .");
        repository.commit();
        Some(repository)
    }

    pub(crate) fn isolated(&self, command: &mut Command) {
        for variable in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX"] {
            command.env_remove(variable);
        }
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        command.env("XDG_CONFIG_HOME", self.0.at(".git/no-config"));
    }

    pub(crate) fn git_output(&self, arguments: &[&str]) -> std::process::Output {
        let mut command = Command::new("git");
        command.current_dir(self.0.at("")).arg("--no-pager").args(arguments);
        self.isolated(&mut command);
        for (variable, value) in [("NAME", "A"), ("EMAIL", "a@example.org")] {
            command.env(format!("GIT_AUTHOR_{variable}"), value);
            command.env(format!("GIT_COMMITTER_{variable}"), value);
        }
        command.output().expect("git")
    }

    pub(crate) fn git(&self, arguments: &str) -> String {
        let output = self.git_output(&arguments.split(' ').collect::<Vec<_>>());
        assert!(output.status.success(), "git {arguments}: {output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    pub(crate) fn commit(&self) {
        self.git("add -A");
        self.git("commit -q --allow-empty -m m");
    }

    pub(crate) fn hotplate(&self, arguments: &str) -> Assert {
        self.hotplate_in("", arguments)
    }

    pub(crate) fn hotplate_in(&self, folder: &str, arguments: &str) -> Assert {
        let mut command = self.0.hotplate(arguments);
        for variable in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX"] {
            command.env_remove(variable);
        }
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        command.env("XDG_CONFIG_HOME", self.0.at(".git/no-config"));
        command.current_dir(self.0.at(folder)).assert()
    }

    /// The templates of a comparison: their names, and whether each could be compared.
    fn templates(&self, arguments: &str, status: i32) -> Vec<String> {
        let assert = self.hotplate(&format!("diff --format json {arguments}")).code(status);
        let report: serde_json::Value =
            serde_json::from_slice(&assert.get_output().stdout).expect("JSON");
        let templates = report["templates"].as_array().expect("templates").iter();
        templates
            .map(|it| {
                let name = |side: &str| it[side].as_str().unwrap_or("-").to_owned();
                format!("{} {}", name("old"), name("new"))
            })
            .collect()
    }
}

#[test]
fn files_of_the_whole_repository_are_compared() {
    let web = format!(
        "{HOT}resources:\n  web: {{type: 'OS::Nova::Server', properties: {{image: i, flavor: f, networks: [{{network: n}}], user_data: {{get_file: ../../boot.sh}}}}}}\n"
    );
    let Some(repository) =
        Repository::new(&[("stacks/web/web.yaml", &web), ("boot.sh", "one"), ("stacks/x", "")])
    else {
        return;
    };
    repository.0.write("boot.sh", "two");
    repository.commit();
    for arguments in ["--git HEAD~..HEAD", "--git HEAD~", "--git HEAD~ --staged"] {
        for folder in ["", "stacks/web"] {
            repository
                .hotplate_in(folder, &format!("diff {arguments}"))
                .code(1)
                .stdout(contains("user_data"))
                .stderr(contains("HP0501").not());
        }
    }
}

#[test]
fn an_included_file_that_changed_is_named_without_the_secrets_in_it() {
    let template = format!(
        "{HOT}parameters: {{password: {{type: string, hidden: true, default: hunter2}}}}
resources:
  web:
    type: OS::Nova::Server
    properties:
      flavor: f
      image: i
      user_data: {{str_replace: {{template: {{get_file: boot.sh}}, params: {{WORD: {{get_param: password}}}}}}}}
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: 1
      resource_def:
        type: OS::Heat::SoftwareConfig
        properties:
          config: {{get_file: boot.sh}}
"
    );
    let script = |package: &str| format!("login WORD\ninstall {package}\necho done\n");
    let files = [("t.yaml", &*template), ("boot.sh", &*script("nginx"))];
    let Some(repository) = Repository::new(&files) else { return };
    repository.0.write("boot.sh", script("apache"));
    let output = repository.hotplate("diff --git HEAD").code(1).get_output().clone();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for line in [
        "      user_data (boot.sh):",
        "         login <password>",
        "        -install nginx",
        "        +install apache",
        "      config (boot.sh):",
        // The place is the property in the group's definition.
        "t.yaml:17",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(!text.contains("hunter2") && !text.contains("******"), "{text}");
    let full =
        repository.hotplate("diff --git HEAD --context 0 --full").code(1).get_output().clone();
    assert!(String::from_utf8_lossy(&full.stdout).contains("         echo done"));
}

#[test]
fn files_outside_of_the_repository_are_one_finding() {
    let including = |at: usize, image: &str| {
        format!(
            "{HOT}resources:\n  web: {{type: 'OS::Nova::Server', properties: {{image: {image}, flavor: f, networks: [{{network: n}}], user_data: {{get_file: ../../{at}/boot.sh}}}}}}\n"
        )
    };
    let Some(repository) = Repository::new(&[]) else { return };
    for image in ["one", "two"] {
        for at in 0..9 {
            repository.0.write(format!("stacks/{at}.yaml"), including(at, image));
        }
        repository.commit();
    }
    let outside = "files are outside of the allowed folders: ";
    for (format, names, count) in
        [("text", "", 9), ("markdown", "", 9), ("json", "stacks/3.yaml", 1)]
    {
        let arguments = format!("diff --git HEAD~..HEAD --format {format} -- {names}");
        let assert = repository.hotplate(arguments.trim_end());
        let output = assert.get_output();
        let text = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
        let text = text.concat();
        assert!(
            text.matches("HP0501").count() - text.matches("explain HP0501").count() <= 2,
            "{text}"
        );
        assert_eq!(text.contains(&format!("{count} {outside}")), count > 1, "{text}");
        assert!(text.contains("--allow-path .."), "{text}");
    }
}

#[test]
fn revisions_staged_changes_and_the_working_tree() {
    let nested = format!("{HOT}resources: {{s: {{type: server.yaml}}}}\n");
    let Some(repository) = Repository::new(&[
        ("root.yaml", &nested),
        ("server.yaml", &server("one")),
        ("other.yaml", HOT),
    ]) else {
        return;
    };
    repository.0.write("server.yaml", server("two"));
    repository.commit();
    // The root is compared instead of the templates that it nests.
    assert_eq!(repository.templates("--git HEAD~..HEAD", 1), ["root.yaml root.yaml"]);
    assert_eq!(repository.templates("--git HEAD~...HEAD", 1), ["root.yaml root.yaml"]);
    assert_eq!(repository.templates("--git HEAD", 0), [""; 0]);
    let named = repository.templates("--git HEAD~..HEAD server.yaml", 1);
    assert_eq!(named, ["server.yaml server.yaml"]);
    assert_eq!(repository.templates("--git HEAD~..HEAD other.yaml", 0), [""; 0]);
    repository.0.write("other.yaml", server("three"));
    assert_eq!(repository.templates("--git HEAD", 1), ["other.yaml other.yaml"]);
    assert_eq!(repository.templates("--staged", 0), [""; 0]);
    repository.git("add other.yaml");
    assert_eq!(repository.templates("--staged", 1), ["other.yaml other.yaml"]);
    // A server is rebuilt in the first one.
    let both = ["root.yaml root.yaml", "other.yaml other.yaml"];
    assert_eq!(repository.templates("--staged --git HEAD~", 1), both);
    repository.0.write("new.yaml", server("four"));
    repository.git("rm -qf other.yaml");
    repository.git("add new.yaml");
    // An added or deleted file changes no stack.
    assert_eq!(repository.templates("--staged", 0), ["- new.yaml", "other.yaml -"]);
    // Nothing is checked out or written.
    assert_eq!(repository.git("status --porcelain"), "A  new.yaml\nD  other.yaml\n");
}

#[test]
fn files_that_come_and_go_are_counted_apart() {
    let stays = "resources: {a: {type: 'OS::Heat::None'}, b: {type: 'OS::Heat::None'}}\n";
    let opens =
        "resources: {ip: {type: 'OS::Neutron::FloatingIP', properties: {floating_network: n}}}\n";
    let Some(repository) = Repository::new(&[
        ("web.yaml", &server("one")),
        ("gone.yaml", &format!("{HOT}{stays}")),
        ("moved.yaml", &format!("{HOT}{stays}outputs: {{o: {{value: 1}}}}\n")),
    ]) else {
        return;
    };
    repository.git("rm -q gone.yaml");
    repository.git("mv moved.yaml renamed.yaml");
    repository.0.write("new.yaml", format!("{HOT}{opens}"));
    repository.commit();
    let diff = "diff --git HEAD~..HEAD";
    let headline = "1 template added (1 resource), 1 removed (2 resources)";
    for fail_on in ["", " --fail-on widen", " --fail-on create,delete"] {
        repository
            .hotplate(&format!("{diff}{fail_on}"))
            .code(0)
            .stdout(starts_with(format!(
                "1 template not compared, no differences in 1 template; {headline}\n"
            )))
            .stdout(
                contains("+ new.yaml  1 resource\n").and(contains("- gone.yaml  2 resources\n")),
            )
            .stdout(contains("note: no stack is touched by a deleted template file"));
    }
    // A file that git reports as renamed is the same stack.
    let compared = repository.templates("--git HEAD~..HEAD", 0);
    assert_eq!(compared, ["moved.yaml renamed.yaml", "gone.yaml -", "- new.yaml"]);
    for (format, said) in [
        ("--stat", format!(" {headline}")),
        ("--format markdown", format!("; {headline}")),
        ("--format html", "1 removed (2 resources)".to_owned()),
        (
            "--format github",
            format!(
                "::notice title=hotplate diff::1 template not compared, no differences in 1 template; {headline}%0A"
            ),
        ),
        (
            "--format github",
            "::notice file=new.yaml,title=new.yaml added%3A 1 resource::".to_owned(),
        ),
        ("--format gitlab", "\"check_name\": \"hotplate/template/removed\"".to_owned()),
        ("--format sarif", "\"ruleId\": \"template/added\"".to_owned()),
        ("--format junit", "failures=\"0\"".to_owned()),
        ("--format json", "\"templates_removed\": 1".to_owned()),
        ("--verbose", "ip  OS::Neutron::FloatingIP".to_owned()),
    ] {
        let told = repository.hotplate(&format!("{diff} {format}")).code(0);
        let text = String::from_utf8_lossy(&told.get_output().stdout).into_owned();
        let said = said.trim_start();
        assert!(text.contains(said), "{format}: {said}: {text}");
    }
    // Changes of an existing stack are reported separately.
    repository.0.write("web.yaml", server("two"));
    repository.git("add web.yaml");
    repository
        .hotplate("diff --staged --git HEAD~")
        .code(1)
        .stdout(contains(format!(" in 1 of 2 templates; {headline}\n\nweb.yaml\n")));
    let markdown = repository.hotplate("diff --staged --git HEAD~ --format markdown").code(1);
    let markdown = String::from_utf8_lossy(&markdown.get_output().stdout).into_owned();
    assert!(
        markdown.find("### `web.yaml`") < markdown.find("<code>gone.yaml</code>"),
        "{markdown}"
    );
    let names = repository.hotplate("diff --staged --git HEAD~ --name-only").code(1);
    assert_eq!(String::from_utf8_lossy(&names.get_output().stdout), "web.yaml: web\n");
}

#[test]
fn a_report_says_what_was_compared() {
    let parameters = "parameters: {p: {type: string}, q: {type: string}, r: {type: string}}\n";
    let Some(repository) = Repository::new(&[
        ("web.yaml", &format!("{}{parameters}", server("one"))),
        ("env.yaml", "parameters: {q: x}\n"),
        ("notes.md", "one\n"),
    ]) else {
        return;
    };
    repository.0.write("web.yaml", format!("{}{parameters}", server("two")));
    repository.commit();
    let hash = |revision: &str| repository.git(&format!("rev-parse {revision}")).trim().to_owned();
    let (old, new) = (hash("HEAD~"), hash("HEAD"));
    let options = "-e env.yaml -P p=geheim";
    let line = format!(
        "compared HEAD~..HEAD ({}..{}), {},",
        &old[..7],
        &new[..7],
        "-e env.yaml -P p, template version 2018-08-31, value of 1 parameter unknown"
    );
    for format in [
        "--format text",
        "--stat",
        "--format markdown",
        "--format html",
        "--format github",
        "--format sarif",
        "--format junit",
        "--format json",
    ] {
        let told =
            repository.hotplate(&format!("diff --git HEAD~..HEAD {options} {format}")).code(1);
        let text = String::from_utf8_lossy(&told.get_output().stdout).into_owned();
        assert!(!text.contains("geheim"), "{format}: {text}");
        match format {
            "--format json" => {
                let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
                let inputs = &report["inputs"];
                assert_eq!(inputs["old"]["revision"]["commit"], old);
                assert_eq!(inputs["new"]["revision"]["name"], "HEAD");
                assert_eq!(inputs["new"]["parameters"], serde_json::json!(["p"]));
                assert_eq!(inputs["changed_files"], 1);
                let unknown = &report["templates"][0]["unknown_parameters"];
                assert_eq!(*unknown, serde_json::json!(["r"]));
            }
            "--format markdown" => assert!(text.contains("<sub>compared HEAD"), "{text}"),
            "--format html" => assert!(text.contains("compared HEAD~..HEAD"), "{text}"),
            _ => assert!(text.contains(&line), "{format}: {text}"),
        }
    }
    let filled = repository.hotplate("diff --git HEAD~ --fill").code(1);
    let text = String::from_utf8_lossy(&filled.get_output().stdout).into_owned();
    assert!(
        text.contains(&format!("compared HEAD~ ({}) with the working tree, ", &old[..7])),
        "{text}"
    );
    assert!(text.contains("unknown values filled in (--fill)"), "{text}");
    // Without anything to compare, the result is not a comparison without differences.
    repository.0.write("notes.md", "two\n");
    repository.commit();
    for format in ["text", "markdown", "html", "github", "junit"] {
        repository
            .hotplate(&format!("diff --git HEAD~..HEAD --format {format}"))
            .code(0)
            .stdout(contains("nothing compared: the 1 file that differs is not a template"));
    }
    repository
        .hotplate("diff --git HEAD..HEAD")
        .code(0)
        .stdout(starts_with("nothing compared: no file differs\n"));
}

#[test]
fn findings_belong_to_a_side() {
    let text = |image: &str, extra: &str| {
        format!(
            "{}  same: {{type: 'OS::Heat::Value', properties: {{value: 1, value: 2}}}}\n{extra}",
            server(image)
        )
    };
    let Some(repository) = Repository::new(&[("web.yaml", &text("one", ""))]) else { return };
    let twice = "{type: 'OS::Heat::None', metadata: {}, metadata: {}}";
    let extra = format!("# A line.\n  other: {twice}\n  another: {twice}\n");
    repository.0.write("web.yaml", text("two", &extra));
    repository.commit();
    let diff = "diff --git HEAD~..HEAD";
    let told = |options: &str| {
        let output =
            repository.hotplate(format!("{diff} {options}").trim()).code(1).get_output().clone();
        (
            String::from_utf8(output.stdout).expect("text"),
            String::from_utf8(output.stderr).expect("text"),
        )
    };
    // On the terminal, new findings are listed one per line, the others are counted.
    let (text, errors) = told("");
    assert_eq!(text.matches("HP0105").count(), 1, "{text}");
    assert!(text.contains("web.yaml:6:"), "{text}");
    assert!(text.contains("1 warning on both sides, unchanged (`--verbose` lists them)"), "{text}");
    assert_eq!(errors, "");
    let (_, errors) = told("--verbose");
    assert!(errors.matches("[HP0105]").count() >= 2 && errors.contains(" | "), "{errors}");
    // In the formats for code forges: only at lines of the new side, after the impacts.
    for format in ["github", "gitlab", "sarif"] {
        let (text, errors) = told(&format!("--format {format}"));
        let names = |key: &str| text.contains(&format!("duplicate key `{key}`"));
        assert!(names("metadata") && !names("value"), "{text}");
        // GitHub shows this many annotations of each level.
        let is_after = text.find("web is ") < text.find("duplicate key `metadata`");
        assert!(is_after || format == "github", "{text}");
        // Nothing is said twice: these formats contain the findings.
        assert_eq!(errors, "", "{format}");
    }
    let (json, _) = told("--format json");
    let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let findings = report["templates"][0]["findings"].as_array().expect("findings").clone();
    let sides: Vec<_> = findings.iter().map(|it| (&it["side"], &it["places"])).collect();
    let expected = [("new", 2), ("both", 1)].map(|(side, places)| (side.into(), places.into()));
    assert_eq!(
        sides,
        expected
            .iter()
            .map(|(a, b): &(serde_json::Value, serde_json::Value)| (a, b))
            .collect::<Vec<_>>()
    );
}

#[test]
fn each_side_has_its_own_environment() {
    let template = format!(
        "{HOT}parameters: {{image: {{type: string}}}}\n{}",
        server("{get_param: image}").replace(HOT, "")
    );
    let Some(repository) =
        Repository::new(&[("web.yaml", &template), ("prod.yaml", "parameters: {image: one}\n")])
    else {
        return;
    };
    repository.0.write("prod.yaml", "parameters: {image: two}\n");
    repository.commit();
    let compared = repository.templates("--git HEAD~..HEAD -e prod.yaml", 1);
    assert_eq!(compared, ["web.yaml web.yaml"]);
    repository
        .hotplate("diff --git HEAD~..HEAD --no-discovery")
        .code(1)
        .stderr(contains("HP0017").and(contains("`-e prod.yaml`")));
    repository
        .hotplate("diff --git HEAD~..HEAD")
        .code(1)
        .stdout(contains("with `prod.yaml` (gives the parameters of the template)"));
}

#[test]
fn a_change_of_a_file_that_may_not_be_read_is_not_passed() {
    let reads = |file: &str| server(&format!("{{get_file: {file}}}"));
    let Some(repository) = Repository::new(&[
        ("stacks/linked.yaml", &reads("boot.sh")),
        ("stacks/gone.yaml", &reads("../gone.sh")),
        ("gone.sh", "one"),
    ]) else {
        return;
    };
    let link = |to: &str| {
        let at = repository.0.at("stacks/boot.sh");
        drop(std::fs::remove_file(&at));
        std::os::unix::fs::symlink(to, at).expect("a link");
    };
    link("/outside/one");
    repository.git("rm -q gone.sh");
    repository.commit();
    link("/outside/two");
    repository.0.write("gone.sh", "two");
    repository.commit();
    for words in ["", " --fail-on delete", " --format junit", " --format markdown"] {
        let compared = repository.hotplate(&format!("diff --git HEAD~..HEAD{words}")).code(1);
        compared.stdout(contains("not compared").and(contains("web")));
    }
    let both = ["stacks/gone.yaml stacks/gone.yaml", "stacks/linked.yaml stacks/linked.yaml"];
    assert_eq!(repository.templates("--git HEAD~..HEAD --fail-on delete", 1), both);
}

#[test]
fn a_changed_template_whose_old_content_is_missing_is_not_compared() {
    let (one, two) = (server("one"), server("two"));
    let Some(repository) = Repository::new(&[("web.yaml", &one), ("other.yaml", &one)]) else {
        return;
    };
    repository.0.write("web.yaml", &two);
    repository.0.write("other.yaml", server("three"));
    repository.commit();
    // As in a partial clone.
    repository.0.write("web.yaml", server("four"));
    repository.commit();
    let blob = repository.git("rev-parse HEAD~:web.yaml");
    let (folder, name) = blob.trim().split_at(2);
    let object = repository.0.at(format!(".git/objects/{folder}/{name}"));
    std::fs::remove_file(object).expect("a loose object");
    let told = || contains("1 template not compared").and(contains("web.yaml\nnot compared"));
    // There is nothing else to compare.
    repository.hotplate("diff --git HEAD~..HEAD").code(2).stdout(told());
    repository.hotplate("diff --git HEAD~2..HEAD~").code(1).stdout(told());
}

#[test]
fn bad_revisions_end_with_a_finding() {
    let Some(repository) = Repository::new(&[("web.yaml", HOT)]) else { return };
    repository.git("branch release");
    for (revision, said) in [
        ("releaze", "error[HP0012]: `releaze` is not a revision"),
        ("main..no", "error[HP0012]: `no` is not a revision"),
        ("--output=x", "error[HP0012]: `--output=x` is not a revision"),
        ("HEAD:web.yaml", "is a blob, not a revision"),
    ] {
        repository
            .hotplate(&format!("diff --git {revision}"))
            .code(2)
            .stdout(is_empty())
            .stderr(contains(said));
    }
    repository.hotplate("diff --git releaze").stderr(contains("did you mean `release`?"));
    // A program always gets a report.
    let told = repository.hotplate("diff --git releaze --format json").code(2);
    let report: serde_json::Value =
        serde_json::from_slice(&told.get_output().stdout).expect("JSON");
    assert_eq!(report["findings"][0]["code"], "HP0012");
    assert_eq!(report["templates"], serde_json::json!([]));
    repository
        .hotplate("diff --git HEAD wep.yaml")
        .code(2)
        .stderr(contains("error[HP0001]").and(contains("did you mean `web.yaml`?")));
    let folder = Sandbox::new(&[("web.yaml", HOT)]);
    let mut command = folder.hotplate("diff --git HEAD");
    command.env_remove("GIT_DIR").env("GIT_CEILING_DIRECTORIES", folder.at(".."));
    command.assert().code(2).stderr(contains("error[HP0011]"));
    let mut command = folder.hotplate("diff --git HEAD");
    command.env("PATH", folder.at("no"));
    command.assert().code(2).stderr(contains("error[HP0010]"));
}

const WEB: &str =
    "heat_template_version: 2021-04-16\nresources:\n  a: {type: OS::Heat::RandomString}\n";

/// It belongs to no template, but whoever reads only the report must see it.
#[test]
fn an_environment_that_nothing_is_deployed_with_is_in_every_report() {
    let files = [("web.yaml", WEB), ("env.yaml", "parameters: {size: 1}\n")];
    let Some(repository) = Repository::new(&files) else { return };
    repository.0.write("env.yaml", "parameters: {size: 2}\n");
    let says = "`env.yaml` has changed, and no deployment is known to use it";
    for format in ["json", "markdown", "html", "github", "sarif", "junit", "zuul"] {
        let report = repository.hotplate(&format!("diff --git HEAD --format {format}"));
        let report = report.code(1).stdout(contains("HP0017"));
        // HTML shows what stands in backquotes as code.
        if format != "html" {
            report.stdout(contains("env.yaml").and(contains("no deployment is known to use it")));
        }
    }
    repository.hotplate("diff --git HEAD").code(1).stderr(contains(says));
}

/// `parameters` alone are also in files of other programs: without a template in the repository nothing can be deployed with them.
#[test]
fn parameters_alone_belong_to_another_program_where_no_template_is() {
    for (text, status) in [("parameters: {size: 1}\n", 0), ("parameter_defaults: {size: 1}\n", 1)] {
        let Some(repository) = Repository::new(&[("play.yaml", "- hosts: all\n")]) else { return };
        repository.0.write("env.yaml", text);
        repository.git("add -A");
        repository.hotplate("diff --git HEAD --staged").code(status);
    }
}
