//! How time and memory grow with the input: every command and target, on inputs of growing size.
//!
//! `cargo bench --bench growth [-- NAME…] [--to SIZE]`. Each row of [`SHAPES`] makes an input of a size; each of its
//! commands runs as a process of its own. A line gives the processor time in microseconds and the
//! peak memory in bytes per unit, and the exponent between the last two sizes: 1.0 is linear. What
//! an empty input costs is subtracted. A command over a minute is stopped, and has no larger sizes.
//!
//! * `HOTPLATE_BIN=PROGRAM`: another hotplate to measure; without it the one that was built.

#![expect(clippy::print_stdout, reason = "the figures are its output")]

mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use common::{LIMIT, Used};

/// The largest exponent that is not marked.
const WANTED: f64 = 1.15;

/// A growing input: its files in a folder, and the commands that read them.
struct Shape {
    name: &'static str,
    /// Writes the input of a size.
    write: fn(&Path, usize),
    /// The arguments of each command, separated by blanks, from within the folder.
    commands: &'static [&'static str],
    /// The largest size.
    up_to: usize,
}

const SHAPES: &[Shape] = &[
    Shape {
        name: "resources",
        write: |folder, size| write(folder, "t.yaml", &resources(size, "m1.small")),
        commands: &[
            "versions t.yaml",
            "upgrade --check t.yaml",
            "upgrade --diff t.yaml",
            "eval --max-resources 1000000 t.yaml",
            "ir t.yaml",
            "render -t terraform --max-resources 1000000 t.yaml -o out",
            "render -t pulumi --max-resources 1000000 t.yaml -o out",
            "render -t ansible --max-resources 1000000 t.yaml -o out",
            "render -t cfn --max-resources 1000000 t.yaml",
            "render -t heat-cfn --max-resources 1000000 t.yaml",
            "render -t hot --max-resources 1000000 t.yaml",
            "render -t dot --max-resources 1000000 t.yaml",
            "render -t mermaid --max-resources 1000000 t.yaml",
            "render -t markdown --max-resources 1000000 t.yaml",
        ],
        up_to: 10_000,
    },
    Shape {
        name: "changes",
        write: |folder, size| {
            write(folder, "t.yaml", &resources(size, "m1.small"));
            write(folder, "new.yaml", &resources(size, "m1.large"));
        },
        commands: &[
            "diff --max-resources 1000000 t.yaml t.yaml",
            "diff --max-resources 1000000 t.yaml new.yaml",
            "diff --max-resources 1000000 --format json t.yaml new.yaml",
        ],
        up_to: 10_000,
    },
    Shape {
        name: "renames",
        write: |folder, size| {
            write(folder, "t.yaml", &resources(size, "m1.small"));
            write(folder, "new.yaml", &resources(size, "m1.small").replace("server", "node"));
        },
        commands: &["diff --max-resources 1000000 t.yaml new.yaml"],
        up_to: 10_000,
    },
    Shape {
        // Classes of resources that are equal but for their names, which are long and alike.
        name: "equal-renames",
        write: |folder, size| {
            write(folder, "t.yaml", &passwords(size, "internal", ""));
            write(folder, "new.yaml", &passwords(size, "external", ""));
        },
        commands: &["diff --max-resources 1000000 t.yaml new.yaml"],
        up_to: 10_000,
    },
    Shape {
        // Every resource has a new name and changes.
        name: "changed-renames",
        write: |folder, size| {
            write(folder, "t.yaml", &passwords(size, "internal", "a"));
            write(folder, "new.yaml", &passwords(size, "external", "b"));
        },
        commands: &["diff --max-resources 1000000 t.yaml new.yaml"],
        up_to: 10_000,
    },
    Shape {
        name: "chain",
        write: |folder, size| {
            write(folder, "t.yaml", &chain(size, "a"));
            write(folder, "new.yaml", &chain(size, "b"));
        },
        commands: &[
            "diff --max-resources 1000000 t.yaml new.yaml",
            "eval --max-resources 1000000 t.yaml",
        ],
        up_to: 4_000,
    },
    Shape {
        name: "groups",
        write: |folder, size| {
            let text = format!(
                "heat_template_version: 2021-04-16\nresources:\n  g:\n    type: OS::Heat::ResourceGroup\n    properties:\n      \
                 count: {size}\n      resource_def: {{type: OS::Heat::Value, properties: {{value: \"%index%\"}}}}\n"
            );
            write(folder, "t.yaml", &text);
        },
        commands: &[
            "eval --nested --max-resources 1000000 t.yaml",
            "diff --max-resources 1000000 t.yaml t.yaml",
            "render -t terraform --max-resources 1000000 t.yaml -o out",
        ],
        up_to: 10_000,
    },
    Shape {
        name: "nested",
        write: |folder, size| {
            let mut text = "heat_template_version: 2021-04-16\nresources:\n".to_owned();
            let mut registry = "resource_registry:\n".to_owned();
            for at in 0..size {
                let _ = writeln!(
                    text,
                    "  r{at}:\n    type: My::Type{at}\n    properties: {{name: n{at}}}"
                );
                let _ = writeln!(registry, "  My::Type{at}: child.yaml");
            }
            write(folder, "t.yaml", &text);
            write(folder, "e.yaml", &registry);
            let child = "heat_template_version: 2021-04-16\nparameters:\n  name: {type: string}\nresources:\n  v:\n    type: \
                         OS::Heat::Value\n    properties: {value: {get_param: name}}\n";
            write(folder, "child.yaml", child);
        },
        commands: &[
            "eval --nested --max-resources 1000000 -e e.yaml t.yaml",
            "diff --max-resources 1000000 -e e.yaml t.yaml t.yaml",
        ],
        up_to: 4_000,
    },
    Shape {
        name: "environment",
        write: |folder, size| {
            let mut text = "heat_template_version: 2021-04-16\nparameters:\n".to_owned();
            let mut environment = "parameters:\n".to_owned();
            for at in 0..size {
                let _ = writeln!(text, "  p{at}: {{type: string, default: d{at}}}");
                let _ = writeln!(environment, "  p{at}: v{at}");
            }
            write(folder, "t.yaml", &text);
            write(folder, "e.yaml", &environment);
        },
        commands: &["env -e e.yaml t.yaml", "eval -e e.yaml t.yaml"],
        up_to: 40_000,
    },
    Shape {
        name: "hidden",
        write: |folder, size| {
            let mut text = "heat_template_version: 2013-05-23\nparameters:\n".to_owned();
            for at in 0..size {
                let _ = writeln!(text, "  p{at}: {{type: string, hidden: true, default: d{at}}}");
            }
            write(folder, "t.yaml", &text);
        },
        commands: &["upgrade --diff t.yaml", "versions t.yaml"],
        up_to: 40_000,
    },
    Shape {
        name: "findings",
        write: |folder, size| {
            let mut text = "heat_template_version: 2013-05-23\nresources:\n".to_owned();
            for at in 0..size {
                let _ = writeln!(
                    text,
                    "  r{at}:\n    type: OS::Heat::Value\n    properties: {{value: {{get_param: p{at}}}}}"
                );
            }
            write(folder, "t.yaml", &text);
        },
        commands: &[
            "eval --max-resources 1000000 t.yaml",
            "upgrade --check t.yaml",
            "diff --max-resources 1000000 t.yaml t.yaml",
        ],
        up_to: 10_000,
    },
    Shape {
        name: "rules",
        write: |folder, size| {
            let rules = |first: usize| {
                let mut text = "heat_template_version: 2021-04-16\nresources:\n  g:\n    type: OS::Neutron::SecurityGroup\n    \
                                properties:\n      rules:\n"
                    .to_owned();
                for at in first..first + size {
                    let _ = writeln!(
                        text,
                        "      - {{protocol: tcp, port_range_min: {0}, port_range_max: {0}, remote_ip_prefix: 10.{1}.{2}.0/24}}",
                        1 + at % 60_000,
                        at / 250 % 250,
                        at % 250
                    );
                }
                text
            };
            write(folder, "t.yaml", &rules(0));
            write(folder, "new.yaml", &rules(1));
        },
        commands: &["diff t.yaml new.yaml", "render -t terraform t.yaml -o out"],
        up_to: 10_000,
    },
    Shape {
        name: "functions",
        write: |folder, size| {
            let items =
                |prefix: &str| (0..size).map(|at| format!("{prefix}{at}")).collect::<Vec<_>>();
            let text = format!(
                "heat_template_version: 2021-04-16\nresources:\n  r:\n    type: OS::Heat::Value\n    properties:\n      value:\n      \
                 - {{list_concat_unique: [[{}], [{}]]}}\n      - str_replace:\n          template: {}\n          params: {{{}}}\n",
                items("a").join(", "),
                items("b").join(", "),
                items("c").join(" "),
                items("c").iter().map(|name| format!("{name}: x")).collect::<Vec<_>>().join(", "),
            );
            write(folder, "t.yaml", &text);
        },
        commands: &["eval t.yaml", "render -t terraform t.yaml -o out"],
        up_to: 10_000,
    },
    Shape {
        name: "files",
        write: |folder, size| {
            for at in 0..size {
                let inside = folder.join(format!("templates/{}", at / 100));
                fs::create_dir_all(&inside).expect("a folder");
                write(
                    &inside,
                    &format!("t{at}.yaml"),
                    &resources(3, "m1.small").replace("2021-04-16", "2013-05-23"),
                );
            }
        },
        commands: &[
            "upgrade --check templates",
            "upgrade --diff templates",
            "upgrade --write templates",
            "versions templates",
        ],
        up_to: 10_000,
    },
];

fn main() {
    let mut arguments: Vec<String> =
        std::env::args().skip(1).filter(|it| it != "--bench").collect();
    if arguments.first().is_some_and(|it| it == "--measure") {
        arguments.remove(0);
        common::measure(&arguments);
        return;
    }
    let mut largest = usize::MAX;
    if let Some(at) = arguments.iter().position(|it| it == "--to") {
        largest = arguments[at + 1].parse().expect("a size");
        arguments.drain(at..at + 2);
    }
    println!(
        "{:<12} {:<58} {:>7} {:>9} {:>9} {:>9}",
        "input", "command", "size", "µs/unit", "B/unit", "exponent"
    );
    for shape in SHAPES {
        if !arguments.is_empty() && !arguments.iter().any(|name| name == shape.name) {
            continue;
        }
        for command in shape.commands {
            grow(shape, command, largest.min(shape.up_to));
        }
    }
}

/// Prints a line for each size of an input.
fn grow(shape: &Shape, command: &str, largest: usize) {
    let Some(nothing) = run(shape, command, 0) else { return };
    let mut previous: Option<(usize, f64)> = None;
    let mut sizes: Vec<usize> =
        [10, 100, 1000, 10_000, 100_000].into_iter().filter(|size| *size < largest).collect();
    sizes.push(largest);
    for size in sizes {
        let Some(used) = run(shape, command, size) else {
            println!(
                "{:<12} {command:<58} {size:>7} failed, or over {} s",
                shape.name,
                LIMIT.as_secs()
            );
            return;
        };
        let micros = (used.micros - nothing.micros).max(1.0);
        let bytes = (used.bytes - nothing.bytes).max(0.0);
        let exponent = previous
            .map(|(before, time)| (micros / time).ln() / (size as f64 / before as f64).ln());
        // A few milliseconds are start and chance.
        let is_certain = previous.is_some_and(|(_, time)| time > 5_000.0);
        let shown = exponent.filter(|_| is_certain).map_or(String::new(), |exponent| {
            format!("{exponent:.2}{}", if exponent > WANTED { " !" } else { "" })
        });
        let unit = size as f64;
        println!(
            "{:<12} {command:<58} {size:>7} {:>9.1} {:>9.0} {shown:>9}",
            shape.name,
            micros / unit,
            bytes / unit
        );
        previous = Some((size, micros));
    }
}

/// Runs a command on an input of a size; `None` if it takes too long.
fn run(shape: &Shape, command: &str, size: usize) -> Option<Used> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    (shape.write)(folder.path(), size);
    let words = command.split(' ').map(str::to_owned);
    let program = common::program().display().to_string();
    common::used(folder.path(), &[program].into_iter().chain(words).collect::<Vec<_>>())
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a file");
}

/// A network with a port and a server for each unit.
fn resources(size: usize, flavor: &str) -> String {
    let mut text = format!(
        "heat_template_version: 2021-04-16\nparameters:\n  flavor: {{type: string, default: {flavor}}}\n  image: {{type: string, default: \
         i}}\nresources:\n  net:\n    type: OS::Neutron::Net\n"
    );
    for at in 0..size / 2 {
        let _ = write!(
            text,
            "  port{at}:\n    type: OS::Neutron::Port\n    properties:\n      network: {{get_resource: net}}\n  server{at}:\n    type: \
             OS::Nova::Server\n    properties:\n      name: web-{at}\n      flavor: {{get_param: flavor}}\n      image: {{get_param: \
             image}}\n      networks:\n      - port: {{get_resource: port{at}}}\n"
        );
    }
    text
}

/// Resources with long names and one of 25 contents, or with their own if `salt` is not empty.
fn passwords(size: usize, network: &str, salt: &str) -> String {
    let mut text = "heat_template_version: 2021-04-16\nresources:\n".to_owned();
    for at in 0..size {
        let content = match salt {
            "" => format!("length: {}", 8 + at % 25),
            salt => format!("length: 8, salt: number {at} of many with {salt}"),
        };
        let _ = writeln!(
            text,
            "  overcloud_controller_password_for_the_{network}_api_{at}: {{type: OS::Heat::RandomString, properties: {{{content}}}}}"
        );
    }
    text
}

/// Resources that refer to the one before; the first one is replaced when `name` changes.
fn chain(size: usize, name: &str) -> String {
    let mut text = format!(
        "heat_template_version: 2021-04-16\nresources:\n  r0:\n    type: OS::Heat::RandomString\n    properties: {{salt: {name}}}\n"
    );
    for at in 1..size {
        let _ = writeln!(
            text,
            "  r{at}:\n    type: OS::Heat::RandomString\n    properties: {{salt: {{get_resource: r{}}}}}",
            at - 1
        );
    }
    text
}
