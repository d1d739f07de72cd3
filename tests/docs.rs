//! Checks the pages: examples are run, generated pages are up to date, the dependencies between crates and
//! modules are those of the architecture, and links have targets.
//!
//! `HOTPLATE_BLESS=1 cargo test --test all docs::` updates generated text.

mod architecture;
mod check_pages;
mod examples;
mod links;
mod schema_tables;
mod workflows;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hotplate::codes::every;
use hotplate::report::schemas::{self, PUBLISHED};
use hotplate::report::{codes, json, rules, targets, version_list, yaql};

use heat_template::schema::Schema;
use hotplate_upgrade::RULES;

use self::examples::hotplate;
use self::links::anchors;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Every page of the project.
fn pages() -> Vec<String> {
    let mut pages: Vec<String> =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "examples/README.md"]
            .map(Into::into)
            .into();
    pages.extend(texts(&["docs", "src", "crates"], &["md"]).into_iter().map(|(path, _)| {
        let path = path.strip_prefix(root()).expect("a path of the project");
        path.to_str().expect("a name").replace('\\', "/")
    }));
    // A guide is a part of a page in `docs/`, where its links count.
    pages.retain(|name| !name.ends_with("_guide.md"));
    pages.sort();
    pages
}

/// Compares a file with its generated content, or writes it.
fn assert_fresh(name: &str, generated: &str) {
    let stands = fs::read_to_string(root().join(name)).unwrap_or_default();
    if stands != generated && std::env::var_os("HOTPLATE_BLESS").is_some() {
        fs::write(root().join(name), generated).expect("a page that can be written");
        return;
    }
    assert!(
        stands == generated,
        "{name} is stale; `HOTPLATE_BLESS=1 cargo test --test all docs::` updates it:\n{}",
        similar::TextDiff::from_lines(stands.as_str(), generated).unified_diff()
    );
}

#[test]
fn generated_pages_are_fresh() {
    assert_fresh("docs/rules.md", &rules::markdown(RULES));
    assert_fresh("docs/diagnostics.md", &codes::markdown(&every()));
    assert_fresh("docs/versions.md", &version_list::markdown());
    assert_fresh("docs/targets.md", &targets::markdown(hotplate_emit::EMITTERS, Schema::heat()));
    assert_fresh("docs/yaql.md", &yaql::markdown());
    assert_fresh("docs/config.md", &hotplate::cli::config_page());
    assert_fresh("docs/commands.md", &hotplate::cli::commands_page());
    for published in PUBLISHED {
        let schema = json::to_text(&published.schema()).expect("a schema is JSON");
        assert_fresh(&format!("docs/schemas/{}.json", published.name), &schema);
    }
    let list = with_generated(&page("docs/json.md"), "schemas", &schemas::table());
    assert_fresh("docs/json.md", &list);
}

#[test]
fn generated_pages_are_what_the_commands_print() {
    for (arguments, name) in [
        (&["rules", "--markdown"][..], "docs/rules.md"),
        (&["explain", "--markdown"], "docs/diagnostics.md"),
        (&["versions", "--markdown"], "docs/versions.md"),
        (&["targets", "--markdown"], "docs/targets.md"),
        (&["yaql", "--markdown"], "docs/yaql.md"),
        (&["config", "--markdown"], "docs/config.md"),
    ] {
        let (output, status) = hotplate(arguments);
        assert_eq!((output, status), (page(name), Some(0)), "hotplate {}", arguments.join(" "));
    }
    for published in PUBLISHED {
        for command in published.commands {
            let option = format!("--{}", published.option);
            let arguments: Vec<&str> = command.split(' ').chain([option.as_str()]).collect();
            let expected = page(&format!("docs/schemas/{}.json", published.name));
            assert_eq!(hotplate(&arguments), (expected, Some(0)), "hotplate {command} {option}");
        }
    }
}

#[test]
fn every_schema_that_is_there_is_published() {
    let there = fs::read_dir(root().join("docs/schemas")).expect("docs/schemas");
    let there: BTreeSet<String> = there
        .map(|entry| entry.expect("a file").file_name().into_string().expect("a name"))
        .collect();
    let published = PUBLISHED.iter().map(|published| format!("{}.json", published.name));
    assert_eq!(there, published.collect());
}

#[test]
fn every_code_has_its_anchor_and_is_given_somewhere() {
    let anchors = anchors(&codes::markdown(&every()));
    let (tables, sources): (Vec<_>, Vec<_>) =
        sources().into_iter().partition(|(path, _)| path.ends_with("codes.rs"));
    let text = |files: Vec<(PathBuf, String)>| -> String {
        files.into_iter().map(|(_, text)| text).collect()
    };
    let (tables, sources) = (text(tables), text(sources));
    for code in every() {
        assert!(anchors.contains(&code.to_string().to_lowercase()), "{code} has no anchor");
        let row = tables.lines().find(|line| line.contains(&format!("= \"{code}\"")));
        let name = row.and_then(|row| row.split_whitespace().next()).expect("a row with a name");
        assert!(sources.contains(&format!("codes::{name}")), "nothing gives {code} ({name})");
    }
}

/// Every source file of every crate.
fn sources() -> Vec<(PathBuf, String)> {
    texts(&["src", "crates"], &["rs"])
}

/// The files below some folders whose names have one of these extensions.
fn texts(folders: &[&str], extensions: &[&str]) -> Vec<(PathBuf, String)> {
    let mut folders: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if extension.is_some_and(|extension| extensions.contains(&extension)) {
                let text = fs::read_to_string(&path).expect("a text file");
                texts.push((path, text));
            }
        }
    }
    texts.sort();
    texts
}

/// What mdBook does not build, nobody finds.
#[test]
fn every_page_is_in_the_contents() {
    let contents = page("docs/SUMMARY.md");
    for name in pages().iter().filter_map(|name| name.strip_prefix("docs/")) {
        let is_listed = name == "SUMMARY.md" || contents.contains(&format!("]({name})"));
        assert!(is_listed, "docs/{name} is not in docs/SUMMARY.md");
    }
}

#[test]
fn every_command_is_in_the_table_of_the_readme() {
    let (help, _) = hotplate(&["--help"]);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<&str> = commands
        .map_while(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.contains(&"upgrade"), "{help}");
    let readme = page("README.md");
    for command in commands {
        assert!(
            readme.contains(&format!("| `{command}")),
            "{command} is not in the README's table"
        );
    }
}

/// The text between `<!-- generated: NAME -->` and `<!-- end -->` is generated.
fn with_generated(page: &str, name: &str, generated: &str) -> String {
    let mark = format!("<!-- generated: {name} -->\n");
    let (before, rest) = page.split_once(&mark).unwrap_or_else(|| panic!("no mark for {name}"));
    let (_, after) = rest.split_once("<!-- end -->").expect("an end");
    format!("{before}{mark}\n{generated}\n<!-- end -->{after}")
}

#[test]
fn no_dependency_is_built_by_a_compiler_of_another_language() {
    let lock = page("Cargo.lock");
    for name in ["cc", "cmake", "bindgen", "nasm-rs", "psm"] {
        assert!(!lock.contains(&format!("name = \"{name}\"\n")), "{name}: `cargo tree -i {name}`");
    }
}
