//! What commands and stages cost, beside each other and beside what others do with the same files.
//!
//! `cargo bench --bench ratios [-- NAME…]`; a name selects the rows that contain it (`eval`, `stages`, `threads`, …).
//! The unit of the commands is instructions where valgrind is there, on one thread, and else processor time, the
//! medians of alternating rounds. Stages and threads are always times within this process.
//!
//! * `HOTPLATE_CORPUS=DIR[:DIR…]`: the folders; without it the snapshots of this repository, many times over.
//! * `HOTPLATE_BEFORE=PROGRAM`: an older hotplate; `HOTPLATE_BIN=PROGRAM`: another one instead of the one that was built;
//!   both as absolute paths, since the commands run in other folders.
//! * `HOTPLATE_PYTHON=PROGRAM`: a Python with PyYAML, which only loads the files; without it `python3`.
//! * `HOTPLATE_ORACLES=DIR`: where `tools/setup` has installed Heat's engine, which evaluates the templates.
//! * `TMPDIR=DIR`: where the copies are; a folder in memory measures hotplate instead of the disk.

#![expect(clippy::print_stdout, reason = "the figures are its output")]

mod common;
#[path = "../crates/lossless-yaml/tests/libyaml/mod.rs"]
#[allow(dead_code, unused_imports)]
mod libyaml;

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use heat_template::hot::{DocumentKind, Version, lower, recognize};
use heat_template::schema::Schema;
use hotplate_upgrade::{UpgradeAction, UpgradeOptions, upgrade, upgrade_files};
use lossless_yaml::yaml::{EventKind, Parser};
use lossless_yaml::{Document, Limits, read};
use source_diagnostics::SourceId;
use source_files::{Disk, FoundFiles, find};

/// The rounds of a time; instructions are the same in each.
const ROUNDS: usize = 9;

/// Snapshots are copied so often that there are as many files.
const ENOUGH_FILES: usize = 1000;

/// The commands: `.` is a copy of the folder, and `T` its largest template.
const COMMANDS: &[&str] = &[
    "--version",
    "versions .",
    "upgrade --check .",
    "upgrade --diff .",
    "upgrade --write .",
    "versions T",
    "eval T",
    "diff T T",
    "render -t terraform T -o out",
    "render -t pulumi T -o out",
    "render -t ansible T -o out",
    "render -t cfn T",
    "render -t heat-cfn T",
    "render -t hot T",
    "render -t dot T",
    "render -t mermaid T",
    "render -t markdown T",
];

const LOADER: &str = r#"
import sys, yaml
for path in open(sys.argv[1]).read().splitlines():
    with open(path, "rb") as file:
        try:
            yaml.load(file.read(), Loader=yaml.CSafeLoader)
        except (yaml.YAMLError, ValueError):
            pass
"#;

fn main() {
    let mut names: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    if names.first().is_some_and(|it| it == "--measure") {
        names.remove(0);
        common::measure(&names);
        return;
    }
    let is_wanted = |row: &str| names.is_empty() || names.iter().any(|name| row.contains(name));
    let folders: Vec<Folder> = match std::env::var_os("HOTPLATE_CORPUS") {
        Some(given) => std::env::split_paths(&given).map(|given| Folder::new(&given, 1)).collect(),
        None => vec![Folder::new(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots"),
            ENOUGH_FILES,
        )],
    };
    if is_wanted("stages") {
        stages(&folders);
    }
    if is_wanted("threads") {
        threads(&folders);
    }
    let commands: Vec<&str> = COMMANDS.iter().copied().filter(|row| is_wanted(row)).collect();
    if !commands.is_empty() {
        compare(&folders, &commands, &Others::new());
    }
}

/// A folder of the corpus.
struct Folder {
    name: String,
    /// The paths within the folder, and the contents.
    files: Vec<(PathBuf, Vec<u8>)>,
    /// The files that all parsers can read; others would be measured up to different places.
    texts: Vec<(PathBuf, String)>,
    /// The largest template.
    template: Option<PathBuf>,
}

impl Folder {
    fn new(given: &Path, enough: usize) -> Self {
        let FoundFiles { inputs, errors, .. } = find(&Disk::default(), &[given.to_owned()]);
        assert!(errors.is_empty() && !inputs.is_empty(), "{}: {errors:?}", given.display());
        let file = |copy: usize, path: &Path| {
            let name = path.strip_prefix(given).expect("inside");
            (Path::new(&copy.to_string()).join(name), fs::read(path).expect("a file"))
        };
        let files: Vec<(PathBuf, Vec<u8>)> = (0..enough.div_ceil(inputs.len()))
            .flat_map(|copy| inputs.iter().map(move |input| file(copy, &input.path)))
            .collect();
        let text = |(path, bytes): &(PathBuf, Vec<u8>)| {
            libyaml::Parser::new(bytes).count_events()?;
            let text = String::from_utf8(bytes.clone()).ok()?;
            parse(&text).map(|document| (path.clone(), text, document))
        };
        let readable: Vec<_> = files.iter().filter_map(text).collect();
        let is_hot = |document| matches!(recognize(document), DocumentKind::Hot { .. });
        let hot = readable.iter().filter(|(.., document)| is_hot(document));
        let template = hot.max_by_key(|(_, text, _)| text.len()).map(|(path, ..)| path.clone());
        let texts = readable.into_iter().map(|(path, text, _)| (path, text)).collect();
        let name = given.file_name().map_or("?".into(), |name| name.to_string_lossy());
        Folder { name: name.into_owned(), files, texts, template }
    }

    /// A fresh copy, which may be changed.
    fn copy(&self) -> tempfile::TempDir {
        let copy = tempfile::tempdir().expect("a temporary folder");
        for (path, bytes) in &self.files {
            let to = copy.path().join(path);
            fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
            fs::write(to, bytes).expect("a copy");
        }
        copy
    }
}

fn parse(text: &str) -> Option<Document> {
    read(SourceId(0), text.into(), &Limits::default()).ok()
}

/// The times of the stages, over those of libyaml's and of our event parser.
fn stages(folders: &[Folder]) {
    println!("stages, times on one thread, medians of {ROUNDS} alternating rounds:");
    println!("{:<34} {:<24} {:>9} {:>9} {:>9}", "folder", "stage", "ms", "/libyaml", "/events");
    let stages =
        ["libyaml, text to events", "text to events", "text to nodes", "lowering", "upgrade"];
    let options = UpgradeOptions::new(Schema::heat(), Version::LATEST);
    let mut totals = vec![0.0; stages.len()];
    for Folder { name, texts, .. } in folders {
        let documents: Vec<Document> = texts.iter().filter_map(|(_, text)| parse(text)).collect();
        let mut times = vec![Vec::new(); stages.len()];
        for _ in 0..ROUNDS {
            let of_texts =
                |work: &dyn Fn(&str)| time(|| texts.iter().for_each(|(_, text)| work(text)));
            let of_nodes = |work: &dyn Fn(&Document)| time(|| documents.iter().for_each(work));
            let round = [
                of_texts(&|text| {
                    black_box(libyaml::Parser::new(text.as_bytes()).count_events());
                }),
                of_texts(&events),
                of_texts(&|text| drop(black_box(parse(text)))),
                of_nodes(&|document| {
                    if let DocumentKind::Hot { version, node, .. } = recognize(document) {
                        black_box(lower(document, version, node));
                    }
                }),
                of_nodes(&|document| {
                    drop(black_box(upgrade(document, &options, &Limits::default())))
                }),
            ];
            times.iter_mut().zip(round).for_each(|(all, one)| all.push(one));
        }
        let times: Vec<f64> = times.into_iter().map(median).collect();
        totals.iter_mut().zip(&times).for_each(|(total, time)| *total += time);
        print_stages(name, &stages, &times);
    }
    print_stages("total", &stages, &totals);
}

fn print_stages(folder: &str, stages: &[&str], times: &[f64]) {
    for (stage, time) in stages.iter().zip(times) {
        let [libyaml, events] = [time / times[0], time / times[1]];
        println!("{folder:<34} {stage:<24} {time:>9.2} {libyaml:>9.2} {events:>9.2}");
    }
}

fn events(text: &str) {
    let mut parser = Parser::new(text);
    while parser.next_event().is_ok_and(|event| black_box(event).kind != EventKind::StreamEnd) {}
}

/// Whole upgrades in place: finding, reading, lowering, rewriting, proving, writing.
fn threads(folders: &[Folder]) {
    let pool =
        |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let pools = [pool(1), pool(0)];
    let cores = pools[1].current_num_threads();
    println!("\nupgrades in place, wall times, medians of {ROUNDS} alternating rounds:");
    println!(
        "{:<34} {:>9} {:>12} {:>11} {:>9}",
        "folder",
        "MB",
        "1 thread, ms",
        format!("{cores}, ms"),
        "ratio"
    );
    let options = UpgradeOptions::new(Schema::heat(), Version::LATEST);
    let mut total = [0.0; 3];
    let line = |name: &str, [size, one, all]: [f64; 3]| {
        println!("{name:<34} {size:>9.2} {one:>12.1} {all:>11.1} {:>9.2}", one / all);
    };
    for folder in folders {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for (pool, times) in pools.iter().zip(&mut times) {
                let copy = folder.copy();
                let (files, limits) = (Disk::default(), Limits::default());
                times.push(pool.install(|| {
                    time(|| {
                        let inputs = find(&files, &[copy.path().to_owned()]).inputs;
                        upgrade_files(
                            &files,
                            &inputs,
                            &options,
                            &limits,
                            UpgradeAction::Write,
                            |file| file,
                            drop,
                        );
                    })
                }));
            }
        }
        let size: usize = folder.texts.iter().map(|(_, text)| text.len()).sum();
        let [one, all] = times.map(median);
        let figures = [size as f64 / 1e6, one, all];
        total.iter_mut().zip(figures).for_each(|(total, figure)| *total += figure);
        line(&folder.name, figures);
    }
    line("total", total);
}

/// The programs beside hotplate; those that are not there are left out, with a line.
struct Others {
    counts_instructions: bool,
    before: Option<String>,
    python: Option<String>,
    /// The Python that has Heat's engine.
    engine: Option<String>,
}

impl Others {
    fn new() -> Self {
        let variable = |name| std::env::var(name).ok();
        let succeeds = |program: &str, argument| {
            let run = Command::new(program).arg(argument).stdout(Stdio::null()).status();
            run.is_ok_and(|status| status.success())
        };
        let counts_instructions = succeeds("valgrind", "--version");
        // `python3` may be a script that starts the Python.
        let python = Command::new(variable("HOTPLATE_PYTHON").unwrap_or("python3".to_owned()))
            .args(["-c", "import sys, yaml; yaml.CSafeLoader; print(sys.executable)"])
            .stderr(Stdio::null())
            .output();
        let python = python.ok().filter(|done| done.status.success());
        let python = python.map(|done| String::from_utf8_lossy(&done.stdout).trim().to_owned());
        let installed = concat!(env!("CARGO_MANIFEST_DIR"), "/target/oracles").to_owned();
        let engine = variable("HOTPLATE_ORACLES").unwrap_or(installed) + "/venv/bin/python";
        let engine = Some(engine).filter(|engine| Path::new(engine).exists());
        let before = variable("HOTPLATE_BEFORE");
        println!(
            "\ncommands, {}:",
            if counts_instructions {
                "millions of instructions on one thread (callgrind)".to_owned()
            } else {
                format!(
                    "processor time in ms, medians of {ROUNDS} alternating rounds (no valgrind here)"
                )
            }
        );
        for (is_there, what) in [
            (before.is_some(), "no HOTPLATE_BEFORE: the column `before/` is left out"),
            (
                python.is_some(),
                "no PyYAML with libyaml (HOTPLATE_PYTHON): the column `PyYAML/` is left out",
            ),
            (
                engine.is_some(),
                "no Heat engine (tools/setup, HOTPLATE_ORACLES): the column `Heat/` is left out",
            ),
        ] {
            if !is_there {
                println!("{what}");
            }
        }
        Others { counts_instructions, before, python, engine }
    }

    /// What a command costs in a folder; `None` if it fails or takes too long.
    fn cost(&self, folder: &Path, command: &[String]) -> Option<f64> {
        if !self.counts_instructions {
            return common::used(folder, command).map(|used| used.micros / 1e3);
        }
        let done = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .args(command)
            .current_dir(folder)
            .env("RAYON_NUM_THREADS", "1")
            .env("PYTHONHASHSEED", "0")
            .stdin(Stdio::null())
            .output()
            .ok()?;
        let told = String::from_utf8_lossy(&done.stderr);
        let count = told.lines().filter_map(|line| line.split_once("Collected : ")).next_back()?.1;
        done.status.code().filter(|code| *code < 2)?;
        Some(count.trim().parse::<f64>().ok()? / 1e6)
    }
}

/// How often Heat's engine evaluates a template in one process.
const EVALUATIONS: usize = 20;

fn compare(folders: &[Folder], commands: &[&str], others: &Others) {
    println!(
        "{:<34} {:<30} {:>9} {:>8} {:>8} {:>8} {:>8}",
        "folder", "command", "hotplate", "/version", "before/", "PyYAML/", "Heat/"
    );
    let version = [common::program().display().to_string(), "--version".to_owned()];
    let version = others.cost(Path::new("."), &version).expect("hotplate --version");
    let mut totals = vec![[0.0; 4]; commands.len()];
    for folder in folders {
        for (row, total) in commands.iter().zip(&mut totals) {
            let costs = costs(folder, row, others);
            print_costs(&folder.name, row, version, costs);
            // Where it fails, what others need does not count either.
            if costs[0].is_some() {
                total
                    .iter_mut()
                    .zip(costs)
                    .for_each(|(total, cost)| *total += cost.unwrap_or(f64::NAN));
            }
        }
    }
    for (row, total) in commands.iter().zip(totals) {
        print_costs(
            "total",
            row,
            version * folders.len() as f64,
            total.map(|it| Some(it).filter(|it| it.is_finite())),
        );
    }
}

fn print_costs(folder: &str, row: &str, version: f64, [ours, others @ ..]: [Option<f64>; 4]) {
    let Some(ours) = ours.filter(|ours| *ours > 0.0) else {
        println!("{folder:<34} {row:<30} {:>9}", "fails");
        return;
    };
    let [before, python, engine] =
        others.map(|other| other.map_or(String::new(), |other| format!("{:.2}", other / ours)));
    let start = ours / version;
    println!("{folder:<34} {row:<30} {ours:>9.2} {start:>8.2} {before:>8} {python:>8} {engine:>8}");
}

/// What a row costs hotplate, the one before, PyYAML and Heat's engine.
fn costs(folder: &Folder, row: &str, others: &Others) -> [Option<f64>; 4] {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let has = |word| row.split(' ').any(|it| it == word);
    let Some(template) = folder.template.as_deref().and_then(Path::to_str) else {
        return [None; 4];
    };
    let hotplate = |program: String| {
        let arguments = row.split(' ').map(|word| if word == "T" { template } else { word });
        [program].into_iter().chain(arguments.map(str::to_owned)).collect::<Vec<_>>()
    };
    let list = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str, content: &str| {
        let path = list.path().join(name);
        fs::write(&path, content).expect("a file");
        path.display().to_string()
    };
    let nothing = file("nothing", "");
    let paths: String = match (has("T"), has(".")) {
        (true, _) => format!("{template}\n"),
        (_, true) => folder.texts.iter().map(|(path, _)| format!("{}\n", path.display())).collect(),
        _ => String::new(),
    };
    let python = others.python.as_deref().filter(|_| !paths.is_empty());
    let load = |list: &str| python.map(|python| words(&[python, "-c", LOADER, list]));
    let request = serde_json::json!({"op": "resolve", "file": template, "fill": true});
    let engine = others.engine.as_deref().filter(|_| row.starts_with("eval"));
    let oracle = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/heat_oracle.py");
    let evaluate = |requests: &str| {
        // The requests are its standard input.
        let script = "import os, runpy, sys; oracle, requests = sys.argv[1:]; os.dup2(os.open(requests, os.O_RDONLY), 0); \
                      sys.argv = [oracle, 'batch']; runpy.run_path(oracle, run_name='__main__')";
        engine.map(|engine| words(&[engine, "-c", script, oracle, requests]))
    };
    let requests = file("requests", &format!("{request}\n").repeat(EVALUATIONS));
    // Each with the same without the work, which is subtracted, and how many times it does the work.
    let contestants = [
        (Some(hotplate(common::program().display().to_string())), None, 1),
        (others.before.clone().map(hotplate), None, 1),
        (load(&file("paths", &paths)), load(&nothing), 1),
        (evaluate(&requests), evaluate(&nothing), EVALUATIONS),
    ];
    let mut found = [const { Vec::new() }; 4];
    for _ in 0..if others.counts_instructions { 1 } else { ROUNDS } {
        for ((command, start, times), found) in contestants.iter().zip(&mut found) {
            let cost = |command: &Option<Vec<String>>| {
                others.cost(folder.copy().path(), command.as_deref()?)
            };
            let work = cost(command).map(|whole| whole - cost(start).unwrap_or(0.0));
            found.extend(work.map(|work| work / *times as f64));
        }
    }
    found.map(|costs| (!costs.is_empty()).then(|| median(costs)))
}

/// Milliseconds of wall time.
fn time<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(work());
    Duration::as_secs_f64(&start.elapsed()) * 1e3
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
