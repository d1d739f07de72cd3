//! Input that would take time that grows faster than it does: everything is answered, and what was left out is reported.

use crate::cli::check::{HOT, findings};
use crate::cli::sandbox::Sandbox;

/// The codes of the findings about a template, each with its number of findings.
fn codes(template: &str) -> std::collections::BTreeMap<String, usize> {
    let sandbox = Sandbox::new(&[("t.yaml", format!("{HOT}{template}"))]);
    let mut codes = std::collections::BTreeMap::new();
    for (code, ..) in findings(&sandbox, "--max-resources 100000 t.yaml") {
        *codes.entry(code).or_default() += 1;
    }
    codes
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// Each condition names the next one twice: without memory, 38 of them would take 2^38 steps.
#[test]
fn conditions_that_double_are_solved_once() {
    let conditions = lines(38, |at| format!("  c{at}: {{or: [{{not: c{0}}}, c{0}]}}\n", at + 1));
    let template = |last: &str| {
        format!(
            "parameters: {{p: {{type: string}}}}\nconditions:\n{conditions}  c38: {{equals: [{last}, x]}}\n\
             resources: {{n: {{type: OS::Neutron::Net, condition: c0}}}}\n"
        )
    };
    // The first of them holds whatever the last one is.
    assert!(codes(&template("{get_param: p}")).contains_key("HP1206"), "a constant condition");
}

/// Of many names that are all alike, the first ones get a suggestion, and one finding says how many did not.
#[test]
fn misspelled_names_beside_names_that_are_alike() {
    let declared = lines(1500, |at| format!("  parameter_{at}: {{type: string, default: a}}\n"));
    let used = lines(1500, |at| {
        format!(
            "  n{at}: {{type: OS::Neutron::Net, properties: {{name: {{get_param: parametre_{at}}}}}}}\n"
        )
    });
    let found = codes(&format!("parameters:\n{declared}resources:\n{used}"));
    assert_eq!(found.get("HP0019"), Some(&1), "{found:?}");
    assert_eq!(found.get("HP0701"), Some(&1500), "{found:?}");
    // A parameter that a misspelled name may mean is not called unused.
    assert_eq!(found.get("HP1201"), None, "{found:?}");
}

/// Each placeholder would be searched in the whole text.
#[test]
fn placeholders_of_a_long_text() {
    let text = "ab cd ".repeat(20_000);
    let keys = lines(2000, |at| format!("k{at}z: v, "));
    let template = format!(
        "outputs:\n  o:\n    value:\n      str_replace:\n        template: {text}\n        params: {{{keys}}}\n"
    );
    assert_eq!(codes(&template).get("HP0019"), Some(&1));
    let short = template.replace(&text, "k1z ");
    let found = codes(&short);
    assert_eq!((found.get("HP0019"), found.contains_key("HP1208")), (None, true), "{found:?}");
}

/// A comment is found by its line, and a fix by its place: every one of many has its effect.
#[test]
fn many_comments_and_many_fixes_all_have_an_effect() {
    let parameters = lines(1000, |at| {
        format!(
            "  # hotplate: ignore HP1201 reason\n  a{at}: {{type: string}}\n  b{at}: {{type: string}}\n"
        )
    });
    let text =
        format!("{HOT}parameters:\n{parameters}resources: {{n: {{type: OS::Neutron::Net}}}}\n");
    let sandbox = Sandbox::new(&[("t.yaml", &text)]);
    let unused = findings(&sandbox, "t.yaml");
    assert_eq!(unused.len(), 1000, "{:?}", unused.first());
    sandbox.hotplate("check --unsafe-fixes t.yaml").assert().success();
    let fixed = sandbox.read("t.yaml");
    let fixed = String::from_utf8_lossy(&fixed).into_owned();
    assert_eq!(fixed.matches("  a").count(), 1000);
    assert!(!fixed.contains("  b"), "{fixed}");
}

/// Conditions that name each other deeper than Heat's recursion goes: an error, on each thread that evaluates them, and no crash.
/// Each condition uses the one before twice: there are as many paths as 2 to the power of their number.
#[test]
fn conditions_with_more_paths_than_anyone_can_walk() {
    let conditions = lines(60, |at| format!("  c{at}: {{or: [{{not: c{0}}}, c{0}]}}\n", at + 1));
    let template = |parameter: &str| {
        format!(
            "{HOT}parameters: {{p: {{type: string}}, q: {{type: string}}}}\nconditions:\n{conditions}  c60: {{equals: [{{get_param: {parameter}}}, x]}}\n\
             resources: {{n: {{type: OS::Neutron::Net, condition: c0}}}}\n"
        )
    };
    let sandbox = Sandbox::new(&[("p.yaml", template("p")), ("q.yaml", template("q"))]);
    for (command, status) in [
        ("upgrade --modernize --diff p.yaml", 0),
        ("check p.yaml", 0),
        ("diff p.yaml p.yaml", 0),
        ("diff p.yaml q.yaml", 1),
        ("render -t terraform p.yaml", 0),
    ] {
        sandbox.hotplate(command).assert().code(status);
    }
}

#[test]
fn conditions_deeper_than_any_stack() {
    let conditions = lines(3000, |at| format!("  c{at}: {{or: [{{not: c{0}}}, c{0}]}}\n", at + 1));
    let template = format!(
        "{HOT}parameters: {{p: {{type: string, default: a}}}}\nconditions:\n{conditions}  c3000: {{equals: [{{get_param: p}}, x]}}\n\
         resources: {{n: {{type: OS::Neutron::Net, condition: c0}}}}\n"
    );
    let sandbox = Sandbox::new(&[("t.yaml", template)]);
    for (command, status) in [
        ("upgrade --diff t.yaml", 0),
        ("upgrade --modernize --diff t.yaml", 0),
        ("check t.yaml", 1),
        ("eval t.yaml", 1),
        ("diff t.yaml t.yaml", 0),
        ("render -t cfn t.yaml", 1),
    ] {
        sandbox.hotplate(command).assert().code(status);
    }
}
