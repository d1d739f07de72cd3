//! Two deployments compared, beside evaluating them.
//!
//! `cargo bench --bench diff -- OLD NEW [ENVIRONMENT]…`, each a path; without any, the pair
//! `snapshots/diff-nested`. Every round reads both sides, evaluates them with
//! every nested stack, and compares them, in this process; the medians of evaluation and comparison
//! are printed, and how many times an evaluation of both takes as long as everything together.

#![expect(clippy::print_stdout, reason = "the figures are its output")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use heat_engine::environment::{
    Environment, EnvironmentInputs, FileAccess, Location, RootTemplate,
};
use heat_engine::eval::ResourceStates;
use heat_engine::eval::deployment::{self, Deployed, deploy};
use heat_engine::eval::template_graph::{Template, TemplateGraph};
use heat_template::hot::{DocumentKind, lower, recognize};
use heat_template::ir::Stack;
use heat_template::schema::Schema;
use hotplate::diff::{Comparison, DeploymentSide, Impact, SuppressionOptions, compare};
use lossless_yaml::{Document, Limits, decode_into, read};
use source_diagnostics::SourceMap;
use source_files::{Disk, FileSource};

const ROUNDS: usize = 7;

fn main() {
    let arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let mut paths: Vec<String> = arguments.collect();
    if paths.is_empty() {
        paths = ["old", "new"].map(|side| format!("snapshots/diff-nested/{side}.yaml")).to_vec();
    }
    let [old, new, environments @ ..] = paths.as_slice() else {
        println!("name an old and a new template, then environments");
        return;
    };
    let (mut reading, mut evaluating, mut comparing) = (Vec::new(), Vec::new(), Vec::new());
    let mut told = None;
    for _ in 0..ROUNDS {
        let disk = Disk::default();
        let mut sources = SourceMap::default();
        let start = Instant::now();
        let new_place = Location::from_argument(Path::new(new), &disk);
        let old_place = Location::from_argument(Path::new(old), &disk).standing_for(&new_place);
        let sides = [old_place, new_place]
            .map(|place| Opened::new(place, environments, &disk, &mut sources));
        reading.push(start.elapsed());
        let start = Instant::now();
        let deployed = [sides[0].deployed(), sides[1].deployed()];
        evaluating.push(start.elapsed());
        let start = Instant::now();
        let found = compare(
            &sides[0].side(&deployed[0]),
            &sides[1].side(&deployed[1]),
            &SuppressionOptions::default(),
            false,
        );
        comparing.push(start.elapsed());
        told = Some((deployed.map(|it| it.stack_count()), found.comparison));
    }
    if let Some((stacks, comparison)) = told {
        println!("{} and {} stacks: {}", stacks[0], stacks[1], shown(&comparison));
    }
    let [reading, evaluating, comparing] = [reading, evaluating, comparing].map(median);
    for (what, time) in [
        ("reading both", reading),
        ("evaluating both, nested", evaluating),
        ("comparing", comparing),
    ] {
        println!("  {what:<24} {:>9.2} ms", time.as_secs_f64() * 1e3);
    }
    let whole = evaluating + comparing;
    let ratio = whole.as_secs_f64() / evaluating.as_secs_f64();
    println!("evaluation and comparison take {ratio:.2} times as long as the evaluation");
}

fn shown(comparison: &Comparison) -> String {
    let count = |impact| {
        comparison.resources.iter().filter(|resource| resource.effective_impact == impact).count()
    };
    let counts = Impact::ALL.into_iter().map(|impact| (impact, count(impact)));
    let counts = counts.filter(|(_, count)| *count > 0);
    counts
        .map(|(impact, count)| format!("{count} {}", impact.name()))
        .collect::<Vec<_>>()
        .join(", ")
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// One side, read.
struct Opened {
    place: Location,
    environments: Vec<Location>,
    document: Document,
    environment: Environment,
    stack: Arc<Stack>,
    version: &'static str,
}

impl Opened {
    fn new(place: Location, environments: &[String], disk: &Disk, sources: &mut SourceMap) -> Self {
        let mut access = FileAccess::new(disk);
        let limits = Limits::default();
        let path = place.path().expect("a path");
        let bytes = disk.read(path).unwrap_or_else(|error| panic!("{error}"));
        let (id, text) = decode_into(sources, place.to_string(), bytes).expect("UTF-8");
        let document = read(id, text, &limits).expect("YAML");
        let environments: Vec<Location> = environments
            .iter()
            .map(|path| Location::from_argument(Path::new(path), disk))
            .collect();
        let request = EnvironmentInputs {
            environments: environments.clone(),
            ..EnvironmentInputs::new(Schema::heat())
        };
        let root = RootTemplate { location: &place, document: &document };
        let environment =
            Environment::load(&request, Some(root), &mut access, &limits, sources).expect("values");
        let (stack, version) = match recognize(&document) {
            DocumentKind::Hot { version, style, node } => {
                (Arc::new(lower(&document, version, node).stack), version.declaration(style))
            }
            DocumentKind::Cfn { .. } | DocumentKind::Other(_) | DocumentKind::Invalid(_) => {
                panic!("{place} is no template of HOT")
            }
        };
        Opened { place, environments, document, environment, stack, version }
    }

    fn deployed(&self) -> Deployed {
        let root = Template::root(&self.place, Arc::clone(&self.stack), self.version, Vec::new());
        deploy(&deployment::DeploymentRequest {
            templates: &TemplateGraph::new(&self.environment, root),
            table: &ResourceStates::new(&self.stack, Schema::heat(), false),
            fill: false,
            nested: true,
            bound: &heat_engine::eval::BoundParameters::All,
            yaql: heat_engine::eval::heat_yaql_options(),
            max_resources: usize::MAX,
            max_values: u64::MAX,
        })
    }

    fn side<'a>(&'a self, deployed: &'a Deployed) -> DeploymentSide<'a> {
        DeploymentSide {
            deployed,
            location: &self.place,
            document: &self.document,
            exists: true,
            environment: &self.environment,
            findings: &self.environment.findings,
            environments: &self.environments,
        }
    }
}
