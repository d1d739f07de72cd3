//! `hotplate rules`.

use hotplate_upgrade::RULES;
use predicates::prelude::*;
use predicates::str::{contains, is_empty, is_match, starts_with};

use crate::cli::sandbox::hotplate;

#[test]
fn every_rule_in_one_line_each() {
    let lines = is_match(r"\A([a-z0-9-]+ +\S.*\n)+\z").expect("a pattern");
    let assert = hotplate(&["rules"]).assert().code(0).stdout(lines).stderr(is_empty());
    let stdout = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    let names: Vec<_> = stdout.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, RULES.iter().map(|rule| rule.name).collect::<Vec<_>>());
}

#[test]
fn one_rule_in_full() {
    for rule in RULES {
        let text = starts_with(format!("{}: ", rule.name)).and(contains(rule.summary));
        hotplate(&["rules", rule.name]).assert().code(0).stdout(text).stderr(is_empty());
    }
}

#[test]
fn the_page_of_rules() {
    let page = starts_with("# ").and(contains("## "));
    hotplate(&["rules", "--markdown"]).assert().code(0).stdout(page).stderr(is_empty());
    let said = contains("cannot be used with");
    hotplate(&["rules", "join", "--markdown"]).assert().code(2).stdout(is_empty()).stderr(said);
}

#[test]
fn an_unknown_rule() {
    let said = "error: there is no rule `joim`; did you mean `join`?\n";
    hotplate(&["rules", "joim"]).assert().code(2).stdout(is_empty()).stderr(said);
    let said = "error: there is no rule `nonsense`; `hotplate rules` lists them\n";
    hotplate(&["rules", "nonsense"]).assert().code(2).stdout(is_empty()).stderr(said);
    let said = "error: there is no rule `a␛[31m`; `hotplate rules` lists them\n";
    hotplate(&["rules", "a\u{1b}[31m"]).assert().code(2).stdout(is_empty()).stderr(said);
}
