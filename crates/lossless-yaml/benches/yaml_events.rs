//! Events per second, compared with libyaml.
//!
//! `cargo bench --bench yaml_events`; `HOTPLATE_CORPUS=DIR` reads the YAML files under a folder
//! instead of the generated text. Both parsers go over all files in turns, so that other load of the
//! machine affects both alike; the medians are compared.

#![allow(clippy::print_stdout)]

#[path = "../tests/libyaml/mod.rs"]
#[allow(dead_code, unused_imports)]
mod libyaml;

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use lossless_yaml::yaml::{EventKind, Parser};

const ROUNDS: usize = 21;

fn main() {
    let texts = match std::env::var_os("HOTPLATE_CORPUS") {
        Some(folder) => read_folder(Path::new(&folder)),
        None => vec![generated(2_000_000)],
    };
    // Files that libyaml rejects would be measured up to different places.
    let texts: Vec<String> = texts
        .into_iter()
        .filter(|text| libyaml::Parser::new(text.as_bytes()).count_events().is_some())
        .collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let events: usize = texts.iter().map(|text| count_events(text)).sum();
    println!("{} texts, {bytes} bytes, {events} events, {ROUNDS} rounds", texts.len());

    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    for _ in 0..ROUNDS {
        ours.push(time(|| texts.iter().map(|text| count_events(text)).sum::<usize>()));
        theirs.push(time(|| {
            texts
                .iter()
                .filter_map(|text| libyaml::Parser::new(text.as_bytes()).count_events())
                .sum::<usize>()
        }));
    }
    let ours = median(ours);
    let theirs = median(theirs);
    let rate = |time: Duration| bytes as f64 / time.as_secs_f64() / 1e6;
    println!("hotplate   {:7.1} MB/s", rate(ours));
    println!("libyaml-rs {:7.1} MB/s", rate(theirs));
    println!("ratio      {:7.2}", theirs.as_secs_f64() / ours.as_secs_f64());
}

fn count_events(text: &str) -> usize {
    let mut parser = Parser::new(text);
    let mut count = 0;
    loop {
        let event = black_box(parser.next_event());
        count += 1;
        match event {
            Ok(event) if event.kind == EventKind::StreamEnd => return count,
            Ok(_) => {}
            Err(error) => panic!("{error} at {}", error.offset),
        }
    }
}

fn time(work: impl FnOnce() -> usize) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn read_folder(folder: &Path) -> Vec<String> {
    ignore::WalkBuilder::new(folder)
        .standard_filters(false)
        .build()
        .filter_map(Result::ok)
        .filter(|entry| {
            let extension = entry.path().extension().and_then(|extension| extension.to_str());
            matches!(extension, Some("yaml" | "yml" | "template" | "env"))
        })
        .filter_map(|entry| std::fs::read_to_string(entry.path()).ok())
        .collect()
}

/// A template of `size` bytes or a little more, with a bit of everything.
fn generated(size: usize) -> String {
    let mut text = String::from("heat_template_version: 2018-08-31\n\nresources:\n");
    let mut number = 0;
    while text.len() < size {
        number += 1;
        text.push_str(&format!(
            "  # The server number {number}.\n  server_{number}:\n    type: OS::Nova::Server\n    \
             properties:\n      name: {{list_join: ['-', [{{get_param: prefix}}, 'n{number}']]}}\n      \
             flavor: {{get_param: [flavors, \"size {number}\", 0]}}\n      networks:\n        - \
             network: private\n        - port: {{get_resource: port_{number}}}\n      user_data: |\n        \
             #!/bin/sh\n        set -e\n\n        echo \"number {number}\" > /etc/number\n      \
             description: >-\n        Folded over\n        two lines.\n\n"
        ));
    }
    text
}
