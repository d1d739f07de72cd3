//! What a target's security groups let through, for the part `security`: takes a target, a template and the report of
//! `hotplate render --format json`, and prints the two templates for `hotplate diff`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program of the harness")]

#[path = "../../traffic/mod.rs"]
mod traffic;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, template, report] = arguments.as_slice() else {
        eprintln!("usage: traffic TARGET TEMPLATE REPORT");
        return ExitCode::from(2);
    };
    let text = |path: &str| std::fs::read_to_string(path).ok();
    let template = text(template).and_then(|text| traffic::yaml(&text));
    let report = text(report).and_then(|text| serde_json::from_str(&text).ok());
    let sides = match (template, report) {
        (Some(template), Some(report)) => traffic::sides(target, &template, &report),
        _ => None,
    };
    match sides {
        Some(sides) => {
            let sides = [
                ("old", sides.old),
                ("new", sides.new),
                ("groups", sides.groups.into_iter().collect()),
            ];
            println!(
                "{}",
                serde_json::Value::Object(
                    sides.map(|(key, it)| (key.to_owned(), it)).into_iter().collect()
                )
            );
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("the template or the report cannot be read");
            ExitCode::FAILURE
        }
    }
}
