//! Updates and the hazards that they have.

use std::fmt::Write as _;

use crate::testing::{compared, deployed, pair};
use source_diagnostics::SourceMap;

/// The hazards as `resource kind`, with `?` for one that is not certain, in the order of resources.
fn hazards(old: &str, new: &str) -> String {
    told(&updated(old, new))
}

/// The comparison of resources, one a line.
fn updated(old: &str, new: &str) -> crate::Comparison {
    let text = |text: &str| {
        let entry = |it: &str| {
            let (name, definition) = it.split_once(": ").expect("a name");
            format!("  {name}: {{type: {definition}}}\n")
        };
        let entries: String =
            text.lines().map(str::trim).filter(|it| !it.is_empty()).map(entry).collect();
        format!("parameters: {{p: {{type: string}}, q: {{type: string}}}}\nresources:\n{entries}")
    };
    let (old, new) = pair(&text(old), &text(new));
    compared(&old.side(), &new.side())
}

/// The effects on machines as `resource kind@other`, in the order of resources.
fn machine_effects(old: &str, new: &str) -> String {
    let comparison = updated(old, new);
    let all = comparison.resources.iter();
    let all = all.flat_map(|it| it.machine_effects.iter().map(move |effect| (it, effect)));
    let all = all.map(|(it, effect)| {
        let mark = if effect.is_certain { "" } else { "?" };
        let on = effect.on.as_ref().map_or(String::new(), |on| format!("@{on}"));
        format!("{} {}{on}{mark}", it.name, effect.kind.name())
    });
    all.collect::<Vec<_>>().join(", ")
}

fn told(comparison: &crate::Comparison) -> String {
    let mut told = String::new();
    for resource in &comparison.resources {
        for it in &resource.hazards {
            let mark = if it.is_certain { "" } else { "?" };
            let separator = if told.is_empty() { "" } else { ", " };
            let _ = write!(told, "{separator}{} {}{mark}", resource.name, it.kind.name());
        }
    }
    told
}

/// Checks cases of a file: a line with what happens and the expected text, then the resources of the old side (`-`), of the new one (`+`),
/// and of both.
fn check(cases: &str, found: impl Fn(&str, &str) -> String) {
    let wrong = cases.split("\n\n").filter_map(|case| {
        let (head, resources) = case.split_once('\n').expect("resources");
        let (what, expected) = head.rsplit_once(": ").expect("a colon");
        let side = |other: char| -> String {
            let lines = resources.lines().filter(|it| !it.starts_with(other));
            lines.map(|it| format!("{}\n", &it[2..])).collect()
        };
        let found = found(&side('+'), &side('-'));
        let found = if found.is_empty() { "nothing" } else { &found };
        (found != expected).then(|| format!("{what}: {found}, expected {expected}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn what_an_update_does_to_machines() {
    check(include_str!("machine_effects.txt"), machine_effects);
}

#[test]
fn what_an_update_leaves_behind() {
    check(include_str!("left_behind.txt"), hazards);
}

#[test]
fn keys_are_the_same_across_stacks() {
    let link = "link: {type: OS::Neutron::FloatingIPAssociation, properties: {floatingip_id: ";
    let fip =
        "resources:\n  f: {type: OS::Neutron::FloatingIP, properties: {floating_network: n}}\n";
    let outside = format!("{fip}  {link}{{get_resource: f}}, port_id: x}}}}\n");
    let with_child =
        format!("{fip}  c: {{type: inner.yaml, properties: {{ip: {{get_resource: f}}}}}}\n");
    let inner = format!(
        "parameters: {{ip: {{type: string}}}}\nresources:\n  {link}{{get_param: ip}}, port_id: x}}}}\n"
    );
    let mut sources = SourceMap::default();
    let mut one =
        |root: &str| deployed(&[("root.yaml", root), ("inner.yaml", &inner)], &mut sources);
    let (outside, inside) = (one(&outside), one(&with_child));
    assert_eq!(told(&compared(&outside.side(), &inside.side())), "c/link race?");
    assert_eq!(told(&compared(&inside.side(), &outside.side())), "link race?");
}

#[test]
fn no_secret_is_in_a_sentence() {
    let text = |key: &str| {
        format!(
            "parameters: {{p: {{type: string, hidden: true, default: sesame}}}}\nresources: {{k: {{type: OS::Nova::KeyPair, properties: {{name: {{get_param: p}}, public_key: {key}}}}}}}\n"
        )
    };
    let (old, new) = pair(&text("x"), &text("y"));
    let comparison = compared(&old.side(), &new.side());
    let hazard = &comparison.resources[0].hazards[0];
    assert!(hazard.is_certain);
    assert!(!format!("{comparison:?}").contains("sesame"));
}
