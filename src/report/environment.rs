//! The effective environment, as text and JSON.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map as Object, Value as Json};

use super::json::Finding;
use super::{SourceLocator, SourceRange, escape};
use heat_engine::environment::sections::{DEFAULTS, PARAMETERS, REGISTRY};
use heat_engine::environment::{
    ARGUMENT_SOURCE_NAME, EarlierOutcome, Environment, EnvironmentMap, EnvironmentNode,
};
use source_diagnostics::{Diagnostic, MASK, ShowSecrets, Span};

/// The JSON of `hotplate env`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EnvironmentReport {
    /// Every section as Heat has it after merging.
    environment: Object<String, Json>,
    /// The resource registry as Heat loads it: without entries that a null removed.
    registry: Object<String, Json>,
    /// The origin of every value.
    values: Vec<EnvironmentValue>,
    /// The files that templates and environments refer to.
    files: Vec<String>,
    diagnostics: Vec<Finding>,
}

/// A value of the environment.
#[derive(Debug, Serialize, JsonSchema)]
struct EnvironmentValue {
    /// The keys that lead to it.
    path: Vec<String>,
    value: Json,
    /// Whether it is hidden, encrypted, or for a name that no known template declares; `value` is then `******`
    /// unless `--show-secrets` is given.
    secret: bool,
    place: Option<SourceRange>,
    overrode: Vec<OverriddenValue>,
}

/// A value of an earlier environment, and how this one replaced it.
#[derive(Debug, Serialize, JsonSchema)]
struct OverriddenValue {
    value: Json,
    /// `overrides`, `merged with` or `chosen from`.
    outcome: &'static str,
    place: Option<SourceRange>,
}

/// A value of an environment with the keys that lead to it.
struct EnvironmentLeaf<'e> {
    path: Vec<&'e str>,
    node: &'e EnvironmentNode,
    secret: bool,
}

impl EnvironmentReport {
    /// Builds the report of an environment and its findings.
    pub fn new(
        environment: &Environment,
        findings: &[Diagnostic],
        show_secrets: Option<ShowSecrets>,
        places: &mut SourceLocator<'_>,
    ) -> Self {
        let is_secret =
            |name: &str| show_secrets.is_none() && environment.secrecy().is_secret(name);
        let sections = environment.sections.iter().map(|(name, node)| {
            let value = match node.as_map() {
                Some(map) if is_about_parameters(name) => {
                    let pairs = map.iter().map(|(name, node)| (name, shown(node, is_secret(name))));
                    Json::Object(pairs.map(|(name, value)| (name.clone(), value)).collect())
                }
                _ => shown(node, is_about_parameters(name) && show_secrets.is_none()),
            };
            (name.clone(), value)
        });
        let values = leaves(environment, show_secrets).into_iter().map(|leaf| EnvironmentValue {
            path: leaf.path.iter().map(|&key| key.to_owned()).collect(),
            value: shown(leaf.node, leaf.secret),
            secret: leaf.secret,
            place: places.locate(leaf.node.key),
            overrode: leaf
                .node
                .earlier
                .iter()
                .map(|earlier| OverriddenValue {
                    value: shown(&earlier.node, leaf.secret),
                    outcome: outcome(earlier.outcome),
                    place: places.locate(earlier.node.key),
                })
                .collect(),
        });
        let values = values.collect();
        EnvironmentReport {
            environment: sections.collect(),
            registry: object(&environment.registry.to_tree()),
            values,
            files: environment.files.iter().map(|file| file.location.to_string()).collect(),
            diagnostics: Finding::all(findings, places),
        }
    }
}

/// Writes section by section: each value on a line, with its place, and the values it replaced below it.
pub fn text(
    environment: &Environment,
    show_secrets: Option<ShowSecrets>,
    places: &mut SourceLocator<'_>,
) -> String {
    let leaves = leaves(environment, show_secrets);
    let (dim, plain) = (anstyle::Style::new().dimmed(), anstyle::Reset);
    let mut text = String::new();
    let mut section = "";
    for leaf in &leaves {
        let [name, path @ ..] = leaf.path.as_slice() else { continue };
        if *name != section {
            section = name;
            text.push_str(&format!("{name}:\n"));
        }
        let mut line = |start: &str, node: &EnvironmentNode| {
            let value = shown(node, leaf.secret).to_string();
            let start = escape::on_one_line(start).into_owned();
            let value = escape::on_one_line(&value).into_owned();
            let place = match places.name(node.key.source) {
                _ if node.key == Span::NOWHERE => String::new(),
                ARGUMENT_SOURCE_NAME => format!("  {dim}# -P{plain}"),
                file => {
                    let file = escape::on_one_line(file).into_owned();
                    format!("  {dim}# {file}:{}{plain}", places.positions(node.key).0.line)
                }
            };
            text.push_str(&format!("  {start}{value}{place}\n"));
        };
        let key = if path.is_empty() { String::new() } else { format!("{}: ", path.join("/")) };
        line(&key, leaf.node);
        for earlier in &leaf.node.earlier {
            line(&format!("  {} ", outcome(earlier.outcome)), &earlier.node);
        }
    }
    text
}

fn is_about_parameters(section: &str) -> bool {
    section == PARAMETERS || section == DEFAULTS
}

/// Every value with a place: a parameter as a whole, and each entry of the registry.
fn leaves(
    environment: &Environment,
    show_secrets: Option<ShowSecrets>,
) -> Vec<EnvironmentLeaf<'_>> {
    let mut leaves = Vec::new();
    for (section, node) in &environment.sections {
        let may_be_secret = show_secrets.is_none() && is_about_parameters(section);
        match node.as_map() {
            Some(map) if section == REGISTRY => registry(&mut vec![section], map, &mut leaves),
            Some(map) => leaves.extend(map.iter().map(|(name, node)| {
                let secret = may_be_secret && environment.secrecy().is_secret(name);
                EnvironmentLeaf { path: vec![section, name], node, secret }
            })),
            None if node.is_truthy() => {
                leaves.push(EnvironmentLeaf { path: vec![section], node, secret: may_be_secret });
            }
            None => {}
        }
    }
    leaves
}

fn registry<'e>(
    path: &mut Vec<&'e str>,
    map: &'e EnvironmentMap,
    leaves: &mut Vec<EnvironmentLeaf<'e>>,
) {
    for (key, node) in map {
        path.push(key);
        match node.as_map() {
            Some(map) => registry(path, map, leaves),
            None => leaves.push(EnvironmentLeaf { path: path.clone(), node, secret: false }),
        }
        path.pop();
    }
}

fn shown(node: &EnvironmentNode, secret: bool) -> Json {
    if secret { MASK.into() } else { node.to_json() }
}

fn object(map: &EnvironmentMap) -> Object<String, Json> {
    map.iter().map(|(key, node)| (key.clone(), node.to_json())).collect()
}

fn outcome(outcome: EarlierOutcome) -> &'static str {
    match outcome {
        EarlierOutcome::Overridden => "overrides",
        EarlierOutcome::Merged => "merged with",
        EarlierOutcome::Candidate => "chosen from",
    }
}
