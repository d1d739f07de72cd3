//! Checks that links, anchors and the tests and modules that pages name exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use heat_template::schema::Schema;

use super::{page, pages, root, texts};

/// The anchors of a page's headings, as websites derive them.
pub(super) fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let headings = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase());
    headings
        .map(|heading| {
            let kept =
                heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.collect::<String>().replace(' ', "-")
        })
        .collect()
}

#[test]
fn links_lead_somewhere() {
    for name in pages() {
        let text = page(&name);
        for part in text.split("](").skip(1) {
            let Some((target, _)) = part.split_once(')') else { continue };
            if target.starts_with("http") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = match file {
                "" => root().join(&name),
                file => root().join(&name).with_file_name("").join(file),
            };
            assert!(path.exists(), "{name}: {target}");
            if !anchor.is_empty() {
                let anchors = anchors(&fs::read_to_string(path).expect("a page"));
                assert!(anchors.contains(anchor), "{name}: {target}");
            }
        }
    }
}

/// The anchors that a text names by the path of their page, `docs/NAME.md`: each page and anchor.
fn anchors_by_path(text: &str) -> Vec<(&str, &str)> {
    let end = |text: &str| {
        let past = text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'));
        past.unwrap_or(text.len())
    };
    let mut named = Vec::new();
    for rest in text.split("docs/").skip(1) {
        let (page, rest) = rest.split_at(end(rest));
        if let Some(rest) = rest.strip_prefix(".md#") {
            named.push((page, &rest[..end(rest)]));
        }
    }
    named
}

/// Comments refer to a page by its path from the root of the project, wherever they stand.
#[test]
fn anchors_that_the_source_names_exist() {
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut count = 0;
    for (path, text) in texts(&["src", "crates", "docs", "tests"], &["rs", "md", "py"]) {
        for (name, anchor) in anchors_by_path(&text) {
            let page_anchors = known
                .entry(name.to_owned())
                .or_insert_with(|| anchors(&page(&format!("docs/{name}.md"))));
            assert!(page_anchors.contains(anchor), "{}: {name}.md, {anchor}", path.display());
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}

/// The packages that rules of Heat are read from, with the version of each. A module of PyYAML stands
/// beside the module of Heat that uses it.
fn packages() -> [(&'static str, &'static str); 2] {
    [("heat/", Schema::heat().heat), ("heatclient/", "5.3.0")]
}

#[test]
fn every_rule_of_heat_names_its_module_and_version() {
    let page = page("docs/heat.md");
    let headings = page.lines().filter(|line| line.starts_with('#')).count();
    assert_eq!(anchors(&page).len(), headings, "two rules have one anchor");
    let mut count = 0;
    for rule in page.split("\n### ").skip(1) {
        let rule = rule.split("\n## ").next().unwrap_or_default();
        let (title, text) = rule.split_once('\n').unwrap_or((rule, ""));
        let sources: Vec<&str> = text.split("*Source:* ").skip(1).collect();
        let [source] = sources[..] else { panic!("{title}: {} sources", sources.len()) };
        let modules: Vec<&str> = source.split('`').skip(1).step_by(2).collect();
        let version = source.split_whitespace().last().and_then(|word| word.strip_suffix('.'));
        let names_module = packages().into_iter().any(|(package, read)| {
            let is_module = |word: &&str| word.starts_with(package) && word.ends_with(".py");
            modules.iter().any(is_module) && version == Some(read)
        });
        assert!(names_module, "{title}: no module with its version");
        count += 1;
    }
    assert!(count > 100, "{count}");
}

#[test]
fn every_promise_of_security_names_tests_that_exist() {
    let page = page("docs/security.md");
    let rows = page.lines().filter(|line| line.starts_with("| ")).skip(1);
    let mut count = 0;
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [_, _, tests] = cells[..] else { panic!("three cells: {row}") };
        let links: Vec<&str> = tests.split("[`").skip(1).collect();
        assert!(!links.is_empty(), "no test: {row}");
        for link in links {
            let named = link
                .split_once("`](")
                .and_then(|(name, rest)| Some((name, rest.split_once(')')?.0)));
            let (name, file) = named.unwrap_or_else(|| panic!("not a link: {link}"));
            let path = root().join("docs").join(file);
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
            count += 1;
            if file.ends_with(".py") {
                // unittest runs every method with such a name.
                let method = format!("    def {name}(self");
                assert!(name.starts_with("test_") && text.contains(&method), "{file}: {name}");
                continue;
            }
            let function = text.find(&format!("fn {name}("));
            let function = function.unwrap_or_else(|| panic!("{file} has no `{name}`"));
            // Tests declared by proptest have their attribute at the macro calls too.
            let before = &text[..function];
            let attribute = before.rfind("#[test]").unwrap_or_else(|| panic!("{name} is no test"));
            assert!(!before[attribute..].contains("\n}"), "{file}: {name} is no test");
        }
    }
    assert!(count > 20, "{count}");
}
