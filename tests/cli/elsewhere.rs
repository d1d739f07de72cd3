//! Files of another machine, and URLs: unknown, not refused; the address of a file of the repository is that file.

use crate::cli::check::{HOT, findings};
use crate::cli::sandbox::Sandbox;

const NESTED: &str = "parameters: {a: {type: string}}\n";

/// A template that uses a file.
fn uses(file: &str, is_nested: bool) -> String {
    let resource = match is_nested {
        true => format!("{{type: '{file}', properties: {{a: b}}}}"),
        false => format!(
            "{{type: OS::Heat::SoftwareConfig, properties: {{config: {{get_file: '{file}'}}}}}}"
        ),
    };
    format!("{HOT}resources:\n  r: {resource}\noutputs: {{o: {{value: {{get_resource: r}}}}}}\n")
}

#[test]
fn what_is_on_another_machine_is_incomplete() {
    let elsewhere = "/no-such-folder/templates/net.yaml";
    let other = Sandbox::new(&[("net.yaml", format!("{HOT}{NESTED}"))]);
    let here = other.at("net.yaml");
    let here = here.to_str().expect("a path of text");
    for is_nested in [true, false] {
        for (file, arguments, status, needs_file) in [
            (elsewhere, "check .", 0, true),
            ("file:///no-such-folder/net.yaml", "check .", 0, true),
            ("https://example.org/net.yaml", "check .", 0, true),
            (elsewhere, "check . --fail-on incomplete", 1, true),
            (elsewhere, "check t.yaml -e env.yaml", 1, false),
            (elsewhere, "check t.yaml --no-discovery", 1, false),
            (here, "check .", 1, false),
            ("../../../no-such-folder/net.yaml", "check .", 1, false),
            (elsewhere, "check . --files-map file:///no-such-folder/templates/=lib", 0, false),
        ] {
            let sandbox = Sandbox::new(&[
                ("t.yaml", uses(file, is_nested)),
                ("env.yaml", "parameter_defaults: {}\n".into()),
                ("lib/net.yaml", format!("{HOT}{NESTED}")),
            ]);
            let output = sandbox.hotplate(arguments).output().expect("hotplate");
            let text = String::from_utf8_lossy(&output.stdout);
            let case = format!("{file} {arguments}: {text}");
            assert_eq!(output.status.code(), Some(status), "{case}");
            assert_eq!(
                text.contains("1 template needs a file that was not found"),
                needs_file,
                "{case}"
            );
            assert!(!needs_file || text.contains("--files-map"), "{case}");
        }
    }
}

#[test]
fn every_finding_about_content_that_is_elsewhere_advises_files_map() {
    for file in ["/no-such-folder/net.yaml", "https://example.org/net.yaml"] {
        let registry = format!("resource_registry: {{Acme::Net: '{file}'}}\n");
        let main = format!("{HOT}resources:\n  r: {{type: Acme::Net}}\n");
        let sandbox = Sandbox::new(&[("t.yaml", main), ("t.env.yaml", registry)]);
        let text = sandbox.json("check --format json .", 0).to_string();
        assert!(text.contains("--files-map"), "{text}");
        assert!(!text.contains("\"severity\":\"error\""), "{text}");
    }
}

#[test]
fn the_raw_address_of_a_file_of_the_repository_is_that_file() {
    for (address, codes) in [
        ("https://raw.githubusercontent.com/team/acme/main/lib/net.yaml", &["HP0704"][..]),
        ("https://opendev.org/team/acme/raw/branch/master/lib/net.yaml", &["HP0704"]),
        ("https://opendev.org/team/other/raw/branch/master/lib/net.yaml", &["HP0502"]),
        ("https://opendev.org/team/acme/raw/branch/master/.git/net.yaml", &["HP0502"]),
    ] {
        let text = uses(address, true).replace("a: b", "a: b, nope: c");
        let files = [
            ("t.yaml", text),
            ("lib/net.yaml", format!("{HOT}{NESTED}outputs: {{o: {{value: {{get_param: a}}}}}}\n")),
            (
                ".git/config",
                "[remote \"origin\"]\n\turl = https://example.org/team/acme.git\n".into(),
            ),
            (".git/net.yaml", format!("{HOT}{NESTED}")),
            (".git/HEAD", "ref: refs/heads/main\n".into()),
        ];
        let found = findings(&Sandbox::new(&files), "t.yaml");
        let found: Vec<String> = found.into_iter().map(|(code, ..)| code).collect();
        assert_eq!(found, codes, "{address}");
    }
}
