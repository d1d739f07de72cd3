//! Templates with what targets make of them, one file a target.
//!
//! A line that begins with `==` begins a case and names it, one that begins with `--` a part of it:
//! - `file NAME`: a file of the deployment, whose first one is the root template
//! - `given NAME=VALUE`, `bake NAME`: a parameter on the command line
//! - `holds`, `lacks`: texts that the first file of the result has or does not have, one a line; an indented line
//!   continues the text before it, and `¶` stands for a line break
//! - `order`: texts that the first file has in this order; `begins`: one that it begins with; `once`: texts that it has once
//! - `output`: the text of the first file, or of the next one
//! - `holds NAME`, `output NAME` and so on: the same of the file with this name
//! - `loses KIND: SUBJECT`: a loss; `loses NUMBER` losses; `loses nothing` if there are only notes
//! - `losses`: all losses, one a line; `subjects WORDS`: those of all losses but notes
//! - `wanted NAMES`: the parameters whose values would express more

use crate::testing::rendered_files;
use crate::{EmitOutput, Emitter, Loss, OutputSyntax};

#[test]
fn ansible() {
    run(&crate::ansible::Ansible, None, include_str!("cases/ansible.txt"));
}

#[test]
fn cloudformation() {
    run(&crate::cfn::Cfn, Some(OutputSyntax::Yaml), include_str!("cases/cfn.txt"));
}

#[test]
fn heat_cfn() {
    run(&crate::heat_cfn::HeatCfn, None, include_str!("cases/heat_cfn.txt"));
}

#[test]
fn pulumi() {
    run(&crate::pulumi::Pulumi, None, include_str!("cases/pulumi.txt"));
}

#[test]
fn terraform() {
    run(&crate::terraform::HCL, None, include_str!("cases/terraform.txt"));
}

fn run(target: &dyn Emitter, syntax: Option<OutputSyntax>, cases: &str) {
    for case in cases.split("\n== ").filter(|case| !case.is_empty()) {
        let mut parts = format!("\n{case}").split("\n-- ").map(str::to_owned).collect::<Vec<_>>();
        let name = parts.remove(0).trim().trim_start_matches("== ").to_owned();
        let parts: Vec<(&str, &str, &str)> = parts.iter().map(|part| part_of(part)).collect();
        let emitted = emitted(target, syntax, &parts);
        assert!(parts.iter().any(|(kind, ..)| *kind == "file"), "{name} has no template");
        let mut outputs = emitted.files.iter().map(|file| file.text.as_str());
        for (kind, argument, text) in parts {
            let named = |name: &str| {
                let mut files = emitted.files.iter();
                let found = files
                    .find(|it| it.path.as_ref().is_some_and(|path| path.ends_with(name)))
                    .unwrap_or_else(|| panic!("{name} is not written"));
                found.text.as_str()
            };
            let file =
                || if argument.is_empty() { &emitted.files[0].text } else { named(argument) };
            match kind {
                "file" | "given" | "bake" => {}
                "holds" => {
                    let missing = texts(text).into_iter().find(|it| !file().contains(it));
                    assert_eq!(missing, None, "{name}: not in\n{}", file());
                }
                "lacks" => {
                    let found = texts(text).into_iter().find(|it| file().contains(it));
                    assert_eq!(found, None, "{name}: in\n{}", file());
                }
                "begins" => {
                    let found = texts(text).iter().all(|it| file().starts_with(it));
                    assert!(found, "{name}: {text} does not begin\n{}", file());
                }
                "once" => {
                    let found = texts(text).iter().all(|it| file().matches(it).count() == 1);
                    assert!(found, "{name}: {text} is not once in\n{}", file());
                }
                "order" => {
                    let places: Vec<_> = texts(text).iter().map(|it| file().find(it)).collect();
                    assert!(places.iter().all(Option::is_some), "{name}: {text} in\n{}", file());
                    assert!(places.is_sorted(), "{name}: {text} in\n{}", file());
                }
                "loses" => assert!(loses(&emitted, argument), "{name}: {:?}", emitted.losses),
                "losses" => {
                    let losses = emitted.losses.iter();
                    let shown = losses.map(|it| format!("{}: {}", it.kind.label(), it.message));
                    assert_eq!(shown.collect::<Vec<_>>().join("\n"), text.trim_end(), "{name}");
                }
                "output" => {
                    let output = match argument {
                        "" => outputs.next().expect("another file"),
                        file => named(file),
                    };
                    let output = output.trim_end();
                    let output = output.trim_start_matches("name: root\nruntime: yaml\n");
                    assert_eq!(output, text.trim_end(), "{name}");
                }
                "subjects" => {
                    let losses = emitted.losses.iter().filter(|loss| !loss.is_note());
                    let subjects: Vec<&str> = losses.map(|loss| loss.subject.as_str()).collect();
                    assert_eq!(subjects.join(" "), argument, "{name}");
                }
                "wanted" => {
                    let wanted: Vec<&str> = emitted.wanted_values.iter().map(|it| &**it).collect();
                    assert_eq!(wanted.join(" "), argument, "{name}");
                }
                other => panic!("{name}: no part `{other}`"),
            }
        }
    }
}

/// The kind of a part, the rest of its first line, and the other lines.
fn part_of(part: &str) -> (&str, &str, &str) {
    let (head, text) = part.split_once('\n').unwrap_or((part, ""));
    let (kind, argument) = head.split_once(' ').unwrap_or((head, ""));
    (kind, argument, text)
}

fn texts(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let line = &line.replace('¶', "\n");
        match found.last_mut() {
            Some(before) if line.starts_with(' ') => before.extend(["\n", line]),
            _ => found.push(line.clone()),
        }
    }
    found
}

fn loses(emitted: &EmitOutput, what: &str) -> bool {
    let mut losses = emitted.losses.iter();
    match what {
        "nothing" => losses.all(Loss::is_note),
        number if number.parse::<usize>().is_ok_and(|it| it == losses.len()) => true,
        what => losses.any(|loss| format!("{}: {}", loss.kind.label(), loss.subject) == what),
    }
}

fn emitted(
    target: &dyn Emitter,
    syntax: Option<OutputSyntax>,
    parts: &[(&str, &str, &str)],
) -> EmitOutput {
    let of = |wanted: &'static str| parts.iter().filter(move |(kind, ..)| *kind == wanted);
    let files: Vec<(&str, &str)> = of("file").map(|(_, name, text)| (*name, *text)).collect();
    let given: Vec<&str> = of("given").map(|(_, argument, _)| *argument).collect();
    let bake: Vec<&str> = of("bake").map(|(_, argument, _)| *argument).collect();
    rendered_files(target, syntax, &files, &given, &bake)
}
