//! The deployments of a repository, as text, as JSON, and as a `hotplate.toml`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::escape::on_one_line;
use deployment_discovery::{Discovery, Evidence, FoundDeployment, Undecided};
use source_files::{PathPattern, display_name};

/// The JSON of `hotplate deployments`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeploymentsReport {
    /// The deployments that `hotplate.toml` declares, then those that the repository implies.
    pub deployments: Vec<DeploymentEntry>,
    /// The templates that are deployed on their own, and for which nothing names an environment.
    pub without_environment: Vec<String>,
    /// The templates that only others nest.
    pub nested: Vec<NestedEntry>,
    /// The templates for which several environments fit.
    pub undecided: Vec<UndecidedEntry>,
    /// The environments that belong to no deployment.
    pub unused_environments: Vec<String>,
    /// The files that may be templates or environments, and cannot be read.
    pub unreadable: Vec<String>,
}

/// A template with what it is deployed with.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeploymentEntry {
    /// The name for `--deployment`; no other deployment has it.
    pub name: String,
    /// The path of the template, which begins with the folder that was named.
    pub template: String,
    /// The environments, in the order in which they are merged.
    pub environments: Vec<EnvironmentEntry>,
    /// The names of parameters that are set besides.
    pub parameters: Vec<String>,
    /// The evidence: a command line, or the place in `hotplate.toml`; `null` if the environments do.
    pub evidence: Option<String>,
}

/// An environment of a deployment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EnvironmentEntry {
    /// The path of the file, which begins with the folder that was named.
    pub path: String,
    /// Why it belongs to the deployment.
    pub evidence: String,
}

/// A template that is not deployed on its own.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NestedEntry {
    /// The path of the template, which begins with the folder that was named.
    pub template: String,
    /// The templates that name it, and the environments that map a type to it.
    pub named_in: Vec<String>,
}

/// A template for which several environments fit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UndecidedEntry {
    /// The path of the template, which begins with the folder that was named.
    pub template: String,
    /// The paths of the environments, of which none is used.
    pub candidates: Vec<String>,
    /// The types that each of them maps; empty where they give parameters.
    pub types: Vec<String>,
}

fn shown(path: &Path) -> String {
    on_one_line(&display_name(path)).into_owned()
}

impl DeploymentsReport {
    /// The report of what a repository implies, behind what its configuration declares.
    pub fn new(declared: Vec<DeploymentEntry>, found: &Discovery) -> Self {
        let is_declared = |path: &Path| declared.iter().any(|it| it.template == shown(path));
        let implied = found.deployments.iter().filter(|it| !is_declared(&it.template));
        let implied: Vec<DeploymentEntry> = implied.map(entry).collect();
        let others = found.others.iter().filter(|path| !is_declared(path));
        let undecided = found.undecided.iter().filter(|it| !is_declared(&it.template));
        let used = declared.iter().flat_map(|it| &it.environments);
        let used: Vec<&String> = used.map(|it| &it.path).collect();
        let unused = found.unused.iter().map(|path| shown(path));
        DeploymentsReport {
            without_environment: others.map(|path| shown(path)).collect(),
            nested: found
                .nested
                .iter()
                .filter(|it| !is_declared(&it.template))
                .map(|it| NestedEntry {
                    template: shown(&it.template),
                    named_in: it.named_in.iter().map(|path| shown(path)).collect(),
                })
                .collect(),
            undecided: undecided
                .map(|it| UndecidedEntry {
                    template: shown(&it.template),
                    candidates: it.candidates.iter().map(|path| shown(path)).collect(),
                    types: it.types.clone(),
                })
                .collect(),
            unreadable: found.unreadable.iter().map(|path| shown(path)).collect(),
            unused_environments: unused.filter(|path| !used.contains(&path)).collect(),
            deployments: declared.into_iter().chain(implied).collect(),
        }
    }

    /// The report as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for deployment in &self.deployments {
            let DeploymentEntry { name, template, environments, parameters, evidence } = deployment;
            let name = on_one_line(name);
            let whole = evidence.as_ref().map(|it| format!(" ({it})")).unwrap_or_default();
            let _ = writeln!(text, "{name}: {template}{whole}");
            for environment in environments {
                // What names the deployment names its environments, too.
                let own = Some(&environment.evidence).filter(|it| Some(*it) != evidence.as_ref());
                let own = own.map(|it| format!(" ({it})")).unwrap_or_default();
                let _ = writeln!(text, "  -e {}{own}", environment.path);
            }
            for parameter in parameters {
                let _ = writeln!(text, "  -P {parameter}");
            }
        }
        let mut section = |title: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                let gap = if text.is_empty() { "" } else { "\n" };
                let _ = writeln!(text, "{gap}{title}:\n  {}", lines.join("\n  "));
            }
        };
        section("Templates without an environment", self.without_environment.clone());
        let nested =
            self.nested.iter().map(|it| format!("{} (in {})", it.template, first_of(&it.named_in)));
        section("Nested templates", nested.collect());
        let undecided = self.undecided.iter().map(|it| {
            let candidates = it.candidates.join(", ");
            match it.types.as_slice() {
                [] => format!("{}: {candidates}", it.template),
                [kind] => format!("{}: {candidates} map {kind}", it.template),
                types => format!("{}: {candidates} map {} of its types", it.template, types.len()),
            }
        });
        section(
            "Undecided: several environments fit; `hotplate init` writes them as comments",
            undecided.collect(),
        );
        section("Environments of no deployment", self.unused_environments.clone());
        section("Files that cannot be read; `hotplate check` says why", self.unreadable.clone());
        if text.is_empty() {
            text.push_str("no templates\n");
        }
        text
    }
}

/// The first of several names, and how many there are besides.
fn first_of(names: &[String]) -> String {
    match names {
        [first, rest @ ..] if !rest.is_empty() => format!("{first} and {} more", rest.len()),
        _ => names.concat(),
    }
}

fn entry(found: &FoundDeployment) -> DeploymentEntry {
    DeploymentEntry {
        name: found.name.clone(),
        template: shown(&found.template),
        environments: found
            .environments
            .iter()
            .map(|it| EnvironmentEntry {
                path: shown(&it.path),
                evidence: on_one_line(&it.evidence.to_string()).into_owned(),
            })
            .collect(),
        parameters: found.parameters.clone(),
        evidence: found.command.as_ref().map(|it| on_one_line(&it.to_string()).into_owned()),
    }
}

/// The deployments as tables of a `hotplate.toml` in a folder, each with its evidence as a comment; what is undecided as comments.
pub fn tables(folder: &Path, found: &[&FoundDeployment], undecided: &[&Undecided]) -> String {
    let text = |path: &Path| {
        let path = path.strip_prefix(folder).unwrap_or(path);
        quoted(&path.to_string_lossy())
    };
    let pattern =
        |path: &Path| quoted(&PathPattern::escape(path.strip_prefix(folder).unwrap_or(path)));
    let list =
        |paths: &mut dyn Iterator<Item = &Path>| paths.map(text).collect::<Vec<_>>().join(", ");
    let mut tables = String::new();
    for deployment in found {
        if let Some(command) = &deployment.command {
            let _ = writeln!(tables, "# {}", on_one_line(&command.to_string()));
        }
        for environment in &deployment.environments {
            if !matches!(environment.evidence, Evidence::Command { .. }) {
                let line = format!("{}: {}", shown(&environment.path), environment.evidence);
                let _ = writeln!(tables, "# {}", on_one_line(&line));
            }
        }
        let name = quoted(&deployment.name);
        let given: BTreeSet<&String> =
            deployment.parameters.iter().chain(&deployment.given).collect();
        if !given.is_empty() {
            tables.push_str(
                "# `given` names what is known when it is deployed; `parameters = { … }` may have the values that are no secrets.\n",
            );
        }
        let template = pattern(&deployment.template);
        let _ = writeln!(tables, "[[deployment]]\nname = {name}\ntemplate = {template}");
        let environments = list(&mut deployment.environments.iter().map(|it| it.path.as_path()));
        if !environments.is_empty() {
            let _ = writeln!(tables, "environments = [{environments}]");
        }
        if !given.is_empty() {
            let names: Vec<String> = given.into_iter().map(|name| quoted(name)).collect();
            let _ = writeln!(tables, "given = [{}]", names.join(", "));
        }
        tables.push('\n');
    }
    for it in undecided {
        let why = match it.types.as_slice() {
            [] => "several environments fit this template".to_owned(),
            types => format!("several environments map {}", types.join(", ")),
        };
        let candidates = list(&mut it.candidates.iter().map(PathBuf::as_path));
        let template = pattern(&it.template);
        let _ = writeln!(
            tables,
            "# {}: keep one of them, or write a table for each.\n# [[deployment]]\n# template = {template}\n# environments = [{candidates}]\n",
            on_one_line(&why)
        );
    }
    tables
}

/// A text as TOML writes it: as JSON does, but for one control character.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
