//! The pages of `docs/checks`: every code that only `check` reports has one, and its example shows what it says.

use std::collections::BTreeSet;
use std::fs;

use hotplate::codes::every;
use hotplate::report::check_pages::{CheckExample, page_of, pages};
use hotplate::report::codes::{list_of_pages, page_head, page_name};

use super::examples::hotplate;
use super::{assert_fresh, page, root};
use crate::cli::sandbox::Sandbox;

#[test]
fn every_code_of_check_has_a_page() {
    // The codes below are reported by other commands, too.
    // Those from HP1500 on are about the configuration, which has a page of its own.
    let of_templates = |id: &str| ("HP1000".."HP1500").contains(&id);
    for code in every().into_iter().filter(|code| of_templates(code.info().id)) {
        assert!(page_of(code).is_some(), "{code} has no page: add docs/checks/{code}.md");
    }
}

#[test]
fn the_pages_are_fresh() {
    assert_fresh("docs/checks/README.md", &list_of_pages());
    let mut names = BTreeSet::from(["README.md".to_owned()]);
    let mut navigation = String::new();
    for page in pages() {
        let name = page_name(page.code);
        // The head is that of the code's row; the rest is written by hand.
        let (_, rest) = page.text.split_once("\n## ").expect("a section");
        let text = format!("{}\n## {rest}", page_head(&page));
        assert_fresh(&format!("docs/checks/{name}"), &text);
        let title = text.lines().next().and_then(|line| line.strip_prefix("# "));
        let title = title.expect("a title");
        navigation.push_str(&format!("  - [{title}](checks/{name})\n"));
        names.insert(name);
    }
    let contents = page("docs/SUMMARY.md");
    let is_check = |line: &&str| line.starts_with("  - [HP");
    let others: String =
        contents.lines().filter(|it| !is_check(it)).map(|it| format!("{it}\n")).collect();
    let above = "- [Checks](checks/README.md)\n";
    let contents = others.replacen(above, &format!("{above}{navigation}"), 1);
    assert_fresh("docs/SUMMARY.md", &contents);
    let there = fs::read_dir(root().join("docs/checks")).expect("docs/checks");
    let there = there.map(|entry| entry.expect("an entry").file_name().into_string());
    assert_eq!(there.map(|name| name.expect("a name")).collect::<BTreeSet<_>>(), names);
    let (printed, status) = hotplate(&["explain", "HP1201", "--markdown"]);
    assert_eq!((printed, status), (page("docs/checks/HP1201.md"), Some(0)));
}

/// The findings that the command of an example prints: code, line and message.
fn findings(example: &CheckExample, files: &[(&str, &str)]) -> Vec<(String, u64, String)> {
    let sandbox = Sandbox::new(files);
    let output = sandbox.hotplate(&format!("{} --format json", example.command)).output();
    let report = output.expect("hotplate").stdout;
    let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    let findings = report["findings"].as_array().expect("findings").iter();
    let line = |finding: &serde_json::Value| finding["place"]["start"]["line"].as_u64();
    findings
        .map(|it| (text(&it["code"]), line(it).unwrap_or_default(), text(&it["message"])))
        .collect()
}

#[test]
fn the_examples_have_their_finding_and_the_corrected_ones_have_none() {
    let mut wrong = Vec::new();
    for page in pages() {
        let CheckExample { line, message, .. } = page.example;
        let expected = vec![(page.code.to_string(), u64::from(line), message.to_owned())];
        // What every command reports may have other findings beside it.
        let only_check = page.code.info().id >= "HP1000" && page.code.info().id < "HP1500";
        let own = |found: &(String, u64, String)| only_check || found.0 == page.code.to_string();
        let mut found = findings(&page.example, &page.example.files);
        found.retain(own);
        if found != expected {
            wrong.push(format!("{}: {found:?}", page.code));
        }
        let mut found = findings(&page.example, &page.example.fixed);
        found.retain(own);
        if !found.is_empty() {
            wrong.push(format!("{}, fixed: {found:?}", page.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
