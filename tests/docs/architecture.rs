//! Checks `docs/ARCHITECTURE.md`: the dependencies between crates and modules are those of its tables, every crate and module has
//! a paragraph, and the list of files that a function touches is measured.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use heat_template::schema::{Schema, columns};

use super::{assert_fresh, page, root, sources, with_generated};

/// The folders of the crates' sources, the library's own first.
fn crates() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).expect("crates/");
    let mut crates: Vec<PathBuf> =
        crates.map(|entry| entry.expect("an entry").path().join("src")).collect();
    crates.sort();
    crates.insert(0, root().join("src"));
    crates
}

/// The modules that each module uses, with a place where it does. Crates of one job have no such modules; each
/// crate's table of codes is for all of its modules.
fn arrows() -> BTreeMap<(String, String), String> {
    let layered = modules();
    let mut arrows = BTreeMap::new();
    // The tests of a module may use what is built on it.
    for (inside, text) in code() {
        let parts = inside.components().map(|part| part.as_os_str().to_str().expect("text"));
        let mut parts = parts.skip_while(|part| *part != "src").skip(1);
        let Some(module) = parts.next().map(|name| name.trim_end_matches(".rs")) else { continue };
        if !layered.contains(module) {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            for rest in line.split("crate::").skip(1) {
                let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '_');
                let used = &rest[..end.unwrap_or(rest.len())];
                if used != module && layered.contains(used) {
                    let place = format!("{}:{}", inside.display(), number + 1);
                    arrows.entry((module.to_owned(), used.to_owned())).or_insert(place);
                }
            }
        }
    }
    arrows
}

/// The modules whose arrows the architecture states: the folders in crates that have several jobs.
fn modules() -> BTreeSet<String> {
    let several = [
        "src",
        "crates/heat-template/src",
        "crates/heat-engine/src",
        "crates/hotplate-project/src",
    ];
    let mut modules = BTreeSet::new();
    for folder in several {
        for entry in fs::read_dir(root().join(folder)).expect("sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                modules
                    .insert(path.file_name().expect("a name").to_str().expect("text").to_owned());
            }
        }
    }
    modules.insert("root_causes".to_owned());
    modules
}

/// A table of `docs/ARCHITECTURE.md` with this head: each name with those that it may use.
fn allowed(head: &str) -> BTreeMap<String, Vec<String>> {
    let page = page("docs/ARCHITECTURE.md");
    let rows = page.lines().skip_while(|line| *line != head).skip(2);
    let names = |cell: &str| -> Vec<String> {
        cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    rows.take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
            let [name, used] = cells[..] else { panic!("two cells: {line}") };
            (names(name).remove(0), names(used))
        })
        .collect()
}

const MODULES: &str = "| module | may use |";
const CRATES: &str = "| crate | depends on |";

#[test]
fn the_arrows_are_those_of_the_architecture() {
    let allowed = allowed(MODULES);
    let arrows = arrows();
    for ((module, used), place) in &arrows {
        let may = allowed.get(module).unwrap_or_else(|| panic!("{module} is not in the table"));
        assert!(may.contains(used), "{place}: `{module}` may not use `{used}`");
    }
    for (module, used) in &allowed {
        for used in used {
            let arrow = (module.clone(), used.clone());
            assert!(arrows.contains_key(&arrow), "`{module}` does not use `{used}` any more");
        }
    }
}

#[test]
fn the_arrows_never_lead_back() {
    let allowed = allowed(MODULES);
    let mut done: BTreeSet<&String> = BTreeSet::new();
    while done.len() < allowed.len() {
        let next = allowed
            .iter()
            .find(|(name, used)| !done.contains(name) && used.iter().all(|it| done.contains(it)));
        let Some((name, _)) = next else { panic!("a cycle beyond {done:?}") };
        done.insert(name);
    }
}

/// Cargo itself refuses cycles between crates; the page lists the dependencies.
#[test]
fn the_crates_depend_on_each_other_as_the_architecture_says() {
    let manifests = crates().into_iter().skip(1).map(|folder| folder.with_file_name("Cargo.toml"));
    let manifests = std::iter::once(root().join("Cargo.toml")).chain(manifests);
    let mut names = BTreeSet::new();
    let mut found = BTreeMap::new();
    for manifest in manifests {
        let text = fs::read_to_string(&manifest).expect("a manifest");
        let name = text.lines().find_map(|line| line.strip_prefix("name = ")).expect("a name");
        let name = name.trim_matches('"').to_owned();
        let section = text.lines().skip_while(|line| *line != "[dependencies]").skip(1);
        let section = section.take_while(|line| !line.starts_with('['));
        let used = section.filter_map(|line| line.strip_suffix(".workspace = true"));
        found.insert(name.clone(), used.map(str::to_owned).collect::<Vec<_>>());
        names.insert(name);
    }
    for used in found.values_mut() {
        used.retain(|used| names.contains(used));
        used.sort();
    }
    let mut allowed = allowed(CRATES);
    allowed.values_mut().for_each(|used| used.sort());
    assert_eq!(found, allowed);
}

#[test]
fn every_module_and_crate_is_described() {
    let page = page("docs/ARCHITECTURE.md");
    assert_eq!(modules(), allowed(MODULES).into_keys().collect());
    for name in modules().iter().chain(allowed(CRATES).keys()) {
        assert!(page.contains(&format!("\n**`{name}`** ")), "no paragraph about `{name}`");
    }
}

/// Every source file of every crate, by its path in the repository, without comments and without what only tests use.
fn code() -> Vec<(PathBuf, String)> {
    let mut codes = Vec::new();
    let mut test_modules: Vec<PathBuf> = Vec::new();
    for (path, text) in sources() {
        let path = path.strip_prefix(root()).expect("inside").to_owned();
        let is_root = ["mod.rs", "lib.rs", "main.rs"].iter().any(|name| path.ends_with(name));
        let folder = if is_root { path.parent().expect("a folder") } else { &*path };
        let folder = folder.with_extension("");
        let mut code = String::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            // The numbers of lines stay.
            if line.trim() != "#[cfg(test)]" {
                code += line.split("//").next().unwrap_or_default();
                code.push('\n');
                continue;
            }
            code.push_str("\n\n");
            match lines.next().and_then(|item| item.split_once("mod ")) {
                // A module of tests in the same file is the end of it.
                Some((_, module)) if module.ends_with('{') => break,
                Some((_, module)) => test_modules.push(folder.join(module.trim_end_matches(';'))),
                None => {}
            }
        }
        codes.push((path, code));
    }
    let is_test =
        |path: &Path| test_modules.iter().any(|it| path.with_extension("").starts_with(it));
    codes.retain(|(path, _)| !is_test(path));
    codes
}

/// The command line decides which release of Heat a command is about, and passes it on.
#[test]
fn only_the_command_line_chooses_the_release_of_heat() {
    let is_of_tests = |path: &Path| {
        path.starts_with("crates/deployment-testing")
            || path.iter().nth(2) == Some("tests".as_ref())
    };
    let chooses = |(path, code): (PathBuf, String)| {
        (code.contains("Schema::heat") && !is_of_tests(&path)).then_some(path)
    };
    let files: Vec<PathBuf> = code().into_iter().filter_map(chooses).collect();
    assert_eq!(files, [Path::new("src/cli/mod.rs")]);
}

/// The places in the code of some files, by their paths, that contain one of the words, without tests.
fn places_of(words: &[&str], is_meant: impl Fn(&str) -> bool) -> Vec<String> {
    let mut places = Vec::new();
    for (path, text) in code() {
        let path = path.to_string_lossy().replace('\\', "/");
        if !is_meant(&path) {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            if words.iter().any(|word| line.contains(word)) {
                places.push(format!("{path}:{}", number + 1));
            }
        }
    }
    places
}

#[test]
fn only_the_command_line_permits_to_show_secrets() {
    let word = "ShowSecrets::if_requested(";
    let (commands, others): (Vec<_>, Vec<_>) =
        places_of(&[word], |_| true).into_iter().partition(|place| place.starts_with("src/cli/"));
    assert_eq!(others, Vec::<String>::new());
    assert!(!commands.is_empty());
}

#[test]
fn only_commands_parse_a_command_line() {
    let is_other = |path: &str| !["src/cli/", "src/main.rs"].iter().any(|it| path.starts_with(it));
    let words = ["use clap", "clap::"];
    assert_eq!(places_of(&words, is_other), Vec::<String>::new());
    let called = ["src/language_server/", "crates/hotplate-project/"];
    let is_called = |path: &str| called.iter().any(|it| path.starts_with(it));
    assert_eq!(places_of(&["OsString"], is_called), Vec::<String>::new());
    assert!(!places_of(&words, |path| path.starts_with("src/cli/")).is_empty());
}

#[test]
fn reports_do_not_open_secrets() {
    let words = [".reveal(", ".unsealed(", "Value::Secret(inner)"];
    let reporting = ["src/report/", "src/language_server/", "crates/hotplate-project/src/policy/"];
    let is_report = |path: &str| reporting.iter().any(|module| path.starts_with(module));
    assert_eq!(places_of(&words, is_report), Vec::<String>::new());
    assert!(!places_of(&words, |path| path.starts_with("crates/hotplate-diff/")).is_empty());
}

/// The files that name a function of HOT, per folder.
fn files_of_a_function() -> String {
    let names = ["list_concat_unique", "concat_unique", "ConcatUnique", "Concat"];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut folders: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, code) in code() {
        if code.split(|c| !is_word(c)).any(|word| names.contains(&word)) {
            let folder = path.parent().expect("a folder").to_str().expect("text");
            let name = path.file_name().and_then(|name| name.to_str()).expect("text");
            folders.entry(folder.to_owned()).or_default().push(format!("`{name}`"));
        }
    }
    let count: usize = folders.values().map(Vec::len).sum();
    let rows =
        folders.iter().map(|(folder, names)| format!("| `{folder}` | {} |", names.join(", ")));
    let rows: Vec<String> = rows.collect();
    format!("| folder | {count} files |\n|---|---|\n{}\n", rows.join("\n"))
}

#[test]
fn the_files_that_a_function_touches_are_those_of_the_architecture() {
    let name = "docs/ARCHITECTURE.md";
    assert_fresh(name, &with_generated(&page(name), "function", &files_of_a_function()));
}

/// The columns of facts, with the number of types that have a row.
fn columns_of_facts() -> String {
    let row = |column: &columns::ColumnText| {
        let part = |word| column.comment(word).expect("a test of heat-facts demands it");
        let types = column.rows().count();
        format!("| `{}` | {} | {types} | {} |", column.name, part(""), part("Source: "))
    };
    let rows: Vec<String> = columns::ALL.iter().map(row).collect();
    format!("| column | content | types | source |\n|---|---|---|---|\n{}\n", rows.join("\n"))
}

/// The files whose code names types of Heat, by folder, with the number of types.
fn code_that_names_types() -> String {
    let mut folders: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, code) in code() {
        let quoted = code.split('"').skip(1).step_by(2);
        let types: BTreeSet<&str> = quoted
            .filter(|text| Schema::all().any(|it| it.types.known_name(text).is_some()))
            .collect();
        if !types.is_empty() {
            let parts = path.iter().map(|part| part.to_str().expect("text"));
            let parts: Vec<&str> = parts.collect();
            let at = parts.iter().position(|part| *part == "src").expect("a source");
            let files = folders.entry(parts[..=at].join("/")).or_default();
            files.push(format!("`{}` {}", parts[at + 1..].join("/"), types.len()));
        }
    }
    let row =
        |(folder, files): (&String, &Vec<String>)| format!("| `{folder}` | {} |", files.join(", "));
    let rows: Vec<String> = folders.iter().map(row).collect();
    let count: usize = folders.values().map(Vec::len).sum();
    format!(
        "| folder | {count} files, each with the types that it names |\n|---|---|\n{}\n",
        rows.join("\n")
    )
}

#[test]
fn the_page_of_facts_lists_columns_and_code() {
    let name = "crates/heat-facts/ARCHITECTURE.md";
    let listed = with_generated(&page(name), "columns", &columns_of_facts());
    assert_fresh(name, &with_generated(&listed, "code", &code_that_names_types()));
}
