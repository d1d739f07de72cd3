//! Unusual file names are shown on one line, without control characters.

use predicates::str::{contains, is_empty};

use crate::cli::sandbox::{NEW, OLD, Sandbox};

#[test]
fn spaces_and_dashes() {
    let sandbox = Sandbox::new(&[("my web.yaml", OLD), ("-x.yaml", OLD)]);
    sandbox.run(&["upgrade", "my web.yaml"]).assert().code(0).stdout(NEW);
    sandbox
        .run(&["upgrade", "--check", "--", "-x.yaml"])
        .assert()
        .code(1)
        .stdout(contains("-x.yaml: "));
    sandbox
        .run(&["upgrade", "-x.yaml"])
        .assert()
        .code(2)
        .stderr(contains("unexpected argument '-x'"));
    sandbox.run(&["upgrade", "--write", "."]).assert().code(0);
    assert_eq!((sandbox.text("my web.yaml"), sandbox.text("-x.yaml")), (NEW.into(), NEW.into()));
}

#[test]
fn an_empty_name() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    for command in ["upgrade", "versions", "ir"] {
        let said = contains("a value is required for ");
        sandbox.run(&[command, ""]).assert().code(2).stdout(is_empty()).stderr(said);
    }
}

#[cfg(unix)]
#[test]
fn control_characters() {
    const NAME: &str = "a\u{1b}[31mb\nc\u{202e}.yaml";
    const SHOWN: &str = "a␛[31mb␊c\u{fffd}.yaml";
    let sandbox = Sandbox::new(&[(NAME, OLD)]);
    let shown = |arguments: &[&str], status: i32| {
        let assert = sandbox.run(arguments).assert().code(status);
        let output = assert.get_output();
        let all = [&output.stdout[..], &output.stderr[..]].concat();
        let all = String::from_utf8(all).expect("text");
        assert!(!all.contains(['\u{1b}', '\u{202e}']), "{arguments:?}: {all:?}");
        assert!(!all.contains("b\nc"), "{arguments:?}: {all:?}");
        all
    };
    for (arguments, status) in [
        (&["upgrade", "--check", "-v", "."][..], 1),
        (&["upgrade", "--check", NAME], 1),
        (&["versions", "."], 0),
    ] {
        let all = shown(arguments, status);
        assert!(all.contains(SHOWN), "{arguments:?}: {all:?}");
    }
    let diff = shown(&["upgrade", "--diff", "."], 0);
    assert!(diff.contains(r#"+++ "b/a\033[31mb\012c\342\200\256.yaml""#), "{diff}");
    for arguments in
        [&["upgrade", "--check", "--format=json", "."][..], &["versions", "--format=json"]]
    {
        let all = shown(arguments, i32::from(arguments[0] == "upgrade"));
        assert!(all.contains(r#"a\u001b[31mb\nc\u202e.yaml"#), "{all}");
    }
    sandbox.write(NAME, "a: [");
    for command in ["upgrade", "versions", "ir"] {
        let all = shown(&[command, NAME], 2);
        assert!(all.contains(&format!(" --> {SHOWN}:1:5\n")), "{command}: {all}");
    }
    for command in ["upgrade", "versions", "ir"] {
        let all = shown(&[command, "no\u{1b}\n.yaml"], 2);
        assert!(all.contains("error[HP0001]: `no␛"), "{command}: {all}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let sandbox = Sandbox::new::<&str>(&[]);
    let name = OsStr::from_bytes(b"caf\xe9.yaml");
    sandbox.write(name, OLD);
    sandbox.hotplate("upgrade").arg(name).assert().code(0).stdout(NEW);
    let shown = contains("caf\u{fffd}.yaml: ");
    sandbox.hotplate("upgrade --check -v .").assert().code(1).stdout(shown.clone());
    sandbox.hotplate("versions .").assert().code(0).stdout(shown);
    sandbox.hotplate("upgrade --write .").assert().code(0);
    assert_eq!(sandbox.read(name), NEW.as_bytes());
}
