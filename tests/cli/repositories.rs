//! `hotplate deployments` and `hotplate init`.

use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};

use super::sandbox::Sandbox;

const WEB: &str = "heat_template_version: 2018-08-31\nparameters:\n  key: {type: string}\nresources:\n  a: {type: OS::Heat::RandomString}\n";
const KEY: &str = "parameters: {key: x}\n";

#[test]
fn evidence_is_printed_and_declared() {
    let sandbox = Sandbox::new(&[
        ("web.yaml", WEB),
        ("web.env", KEY),
        ("app/app.yaml", WEB),
        ("app/prod.yaml", KEY),
        ("app/README.md", "    openstack stack create -t app.yaml -e prod.yaml app\n"),
        ("lab/lab.yaml", WEB),
        ("lab/a.yaml", KEY),
        ("lab/b.yaml", "parameters: {key: x}\nparameter_defaults: {size: 1}\n"),
        ("lab/net.yaml", "heat_template_version: 2018-08-31\nresources: {}\n"),
    ]);
    let found = "\
app: app/app.yaml (named in app/README.md, line 1)
  -e app/prod.yaml
a: lab/lab.yaml
  -e lab/a.yaml (gives the parameters of the template)
b: lab/lab.yaml
  -e lab/b.yaml (gives the parameters of the template)
web: web.yaml
  -e web.env (named like the template)

Templates without an environment:
  lab/net.yaml
";
    sandbox.hotplate("deployments").assert().code(0).stdout(found).stderr(is_empty());
    let written = contains(
        "+[[deployment]]\n+name = \"web\"\n+template = \"web.yaml\"\n+environments = [\"web.env\"]\n",
    );
    let evidence = contains("+# web.env: named like the template\n");
    sandbox.hotplate("init --diff").assert().code(0).stdout(written.and(evidence));
    assert!(!sandbox.names().contains(&"hotplate.toml".to_owned()));
    sandbox.hotplate("init").assert().code(0).stdout(is_empty()).stderr(contains("added: 4"));
    sandbox.hotplate("config").assert().code(0);
    let declared = contains("web: web.yaml (hotplate.toml:");
    sandbox.hotplate("deployments").assert().code(0).stdout(declared);
}

#[test]
fn what_a_person_wrote_stays_and_nothing_is_added_twice() {
    let own = "# ours\nheat = \"caracal\"\n\n[[deployment]]\ntemplate = \"web.yaml\"\nparameters = { key = \"s3cr3t\" }";
    let files = [
        ("web.yaml", WEB),
        ("web.env", KEY),
        ("db.yaml", WEB),
        ("db.env", KEY),
        ("hotplate.toml", own),
    ];
    let sandbox = Sandbox::new(&files);
    let masked = contains("db.env").and(contains("s3cr3t").not()).and(contains("\"web\"").not());
    // The lines around the new ones have a value: what is printed is no patch.
    sandbox.hotplate("init --diff").assert().code(1).stdout(masked);
    sandbox.hotplate("init").assert().code(0);
    let text = sandbox.text("hotplate.toml");
    assert!(
        text.starts_with(own) && text.contains("db.env") && !text.contains("web.env"),
        "{text}"
    );
    sandbox.hotplate("init").assert().code(0).stderr(contains("nothing to add"));
    let again = sandbox.text("hotplate.toml");
    assert_eq!(text, again);
}

#[test]
fn candidates_are_comments_to_choose_from() {
    let files = [("web.yaml", WEB), ("web.env", KEY), ("web_params.yaml", KEY)];
    let sandbox = Sandbox::new(&files);
    sandbox.hotplate("init").assert().code(0);
    let text = sandbox.text("hotplate.toml");
    assert!(text.lines().all(|line| line.starts_with('#')), "{text}");
    assert!(text.contains("# environments = [\"web.env\", \"web_params.yaml\"]\n"), "{text}");
    sandbox.hotplate("init").assert().code(0).stderr(contains("nothing to add"));
}

#[test]
fn wrong_folders_and_files_are_errors() {
    let sandbox = Sandbox::new(&[("web.yaml", WEB), ("hotplate.toml", "[[deployment]\n")]);
    sandbox
        .hotplate("deployments web.yaml --no-config")
        .assert()
        .code(2)
        .stderr(contains("is not a folder"));
    sandbox
        .hotplate("deployments no --no-config")
        .assert()
        .code(2)
        .stderr(contains("does not exist"));
    sandbox.hotplate("init").assert().code(2).stderr(contains("HP1501"));
}

/// A name that is taken, a name that is a pattern, a list of tables, a link out of the project: what is written can be read, or nothing is.
#[test]
fn what_is_written_is_valid_and_inside_of_the_project() {
    let taken = "[[deployment]]\nname = \"web\"\ntemplate = \"other.yaml\"\n";
    let files =
        [("web.yaml", WEB), ("web.env", KEY), ("other.yaml", WEB), ("hotplate.toml", taken)];
    let sandbox = Sandbox::new(&files);
    sandbox.hotplate("init").assert().code(0);
    sandbox.hotplate("config").assert().code(0);
    assert!(sandbox.text("hotplate.toml").contains("name = \"web-2\"\n"));

    let readme = "openstack stack create -t '[ab].yaml' -e p.yaml x\n";
    let sandbox = Sandbox::new(&[("[ab].yaml", WEB), ("p.yaml", KEY), ("README.md", readme)]);
    sandbox.hotplate("init").assert().code(0);
    sandbox.hotplate("check .").assert().code(0).stderr(contains("HP1505").not());
    sandbox.hotplate("init").assert().code(0).stderr(contains("nothing to add"));

    let inline = "deployment = [{template = \"other.yaml\"}]\n";
    let files = [("web.yaml", WEB), ("web.env", KEY), ("hotplate.toml", inline)];
    let sandbox = Sandbox::new(&files);
    sandbox.hotplate("init").assert().code(2).stderr(contains("would not be valid"));
    assert_eq!(sandbox.text("hotplate.toml"), inline);

    let windows = "[check]\r\nfail-on = \"note\"\r\n";
    let files = [("web.yaml", WEB), ("web.env", KEY), ("hotplate.toml", windows)];
    let sandbox = Sandbox::new(&files);
    sandbox.hotplate("init").assert().code(0);
    let text = sandbox.text("hotplate.toml");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());

    #[cfg(unix)]
    {
        let files =
            [("in/web.yaml", WEB), ("in/web.env", KEY), ("out.toml", "heat = \"caracal\"\n")];
        let sandbox = Sandbox::new(&files);
        std::os::unix::fs::symlink("../out.toml", sandbox.at("in/hotplate.toml")).expect("a link");
        sandbox.hotplate("init in").assert().code(2).stderr(contains("HP1504"));
        assert_eq!(sandbox.text("out.toml"), "heat = \"caracal\"\n");
    }
}

const NEEDY: &str = "heat_template_version: 2018-08-31\nparameters:\n  key_name: {type: string}\n  size: {type: number}\n  \
                     spare: {type: string, default: x}\noutputs:\n  o: {value: [{get_param: key_name}, {get_param: size}, {get_param: spare}]}\n";

#[test]
fn what_no_file_gives_is_declared_as_given() {
    let files = [("web.yaml", NEEDY), ("web.env", "parameters: {size: 1}\n")];
    let sandbox = Sandbox::new(&files);
    sandbox.hotplate("init").assert().code(0);
    assert!(sandbox.text("hotplate.toml").contains("\ngiven = [\"key_name\"]\n"));
    sandbox.hotplate("check .").assert().code(0).stdout(contains("no findings"));
    sandbox.hotplate("init").assert().code(0).stderr(contains("nothing to add"));
}

#[test]
fn init_writes_the_file_that_is_named() {
    let files = [
        ("heat/web.yaml", NEEDY),
        ("heat/web.env", "parameters: {size: 1}\n"),
        ("other/db.yaml", NEEDY),
        ("other/db.env", "parameters: {size: 1}\n"),
    ];
    let sandbox = Sandbox::new(&files);
    let said = sandbox.hotplate("init --config heat/mine.toml").assert().code(0);
    said.stderr(
        contains("outside of its folder, which it cannot declare: 1").and(contains("added: 1")),
    );
    let text = sandbox.text("heat/mine.toml");
    assert!(text.contains("template = \"web.yaml\"\nenvironments = [\"web.env\"]"), "{text}");
    assert!(!sandbox.names().contains(&"hotplate.toml".to_owned()));
    sandbox.hotplate("check heat/web.yaml --config heat/mine.toml").assert().code(0);
}

#[test]
fn the_file_of_a_folder_is_found_from_the_top() {
    let declared = "[[deployment]]\nname = 'prod'\ntemplate = 'web.yaml'\nenvironments = ['values.yaml']\ngiven = ['key_name']\n";
    let files = [
        ("heat/web.yaml", NEEDY),
        ("heat/values.yaml", "parameters: {size: a}\n"),
        ("heat/web.env", "parameters: {size: 1}\n"),
        ("heat/hotplate.toml", declared),
        ("db.yaml", NEEDY),
        ("db.env", "parameters: {size: 1}\n"),
    ];
    let sandbox = Sandbox::new(&files);
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    // The value of the declared environment is wrong; that of the other templates is found by its name.
    let checked = sandbox.hotplate("check .").assert().code(1);
    checked.stdout(contains("heat/values.yaml:1").and(contains("db.yaml: with `db.env`")));
    sandbox.hotplate("eval heat/web.yaml").assert().stderr(contains("heat/hotplate.toml:1"));
    sandbox.hotplate("check heat/web.yaml --deployment prod").assert().code(1);
    let listed = sandbox.hotplate("deployments").assert().code(0);
    listed.stdout(contains("prod: heat/web.yaml (heat/hotplate.toml:1)"));
    // The file of the top that declares deployments says all.
    sandbox.write(
        "hotplate.toml",
        "[[deployment]]\ntemplate = 'db.yaml'\nenvironments = ['db.env']\ngiven = ['key_name']\n",
    );
    sandbox.hotplate("check .").assert().code(0);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let broken = "heat_template_version: 2018-08-31\nresources: {a: [}\n";
    let sandbox = Sandbox::new(&[
        ("broken.yaml", broken.as_bytes()),
        ("latin.env", b"parameters: {a: \xe9}\n"),
        ("notes.txt", b"\xe9"),
        ("jinja.yaml", b"heat_template_version: 2018-08-31\n{% for a in b %}\n- {{ a }: [\n"),
    ]);
    let listed = sandbox.hotplate("deployments").assert().code(0);
    listed.stdout(contains(
        "Files that cannot be read; `hotplate check` says why:\n  broken.yaml\n  latin.env\n",
    ));
}

#[test]
fn junit_fails_for_what_is_incomplete_if_that_fails() {
    let text = "heat_template_version: 2018-08-31\nresources: {a: {type: Acme::Net}}\n";
    let sandbox = Sandbox::new(&[("web.yaml", text)]);
    for (arguments, status, failures) in
        [("", 0, "failures=\"0\""), (" --fail-on incomplete", 1, "failures=\"1\"")]
    {
        let checked = sandbox.hotplate(&format!("check . --format junit{arguments}")).assert();
        checked.code(status).stdout(contains(failures));
    }
}
