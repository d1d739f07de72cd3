//! Looks types up in resource registries.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context as _, Result, anyhow, ensure};
use heat_engine::environment::registry::{HOOKS, Implementation, LookupError, NestedTemplate};
use heat_engine::environment::{Environment, EnvironmentInputs, FileAccess, Location, Registry};
use heat_template::schema::Schema;
use lossless_yaml::Limits;
use source_diagnostics::SourceMap;
use source_files::Disk;

use crate::paths;

/// Answers every line of `list`.
pub(crate) fn lookup_all(list: &str, out: &str) -> Result<()> {
    let mut lines = String::new();
    for line in paths(list)? {
        let question: serde_json::Value = serde_json::from_str(&line)?;
        let path = question["env"].as_str().ok_or_else(|| anyhow!("no env: {line}"))?;
        let disk = Disk::default();
        let environments = vec![Location::from_argument(path.as_ref(), &disk)];
        let request = EnvironmentInputs { environments, ..EnvironmentInputs::new(Schema::heat()) };
        let mut access = FileAccess::new(&disk);
        let environment = Environment::load(
            &request,
            None,
            &mut access,
            &Limits::default(),
            &mut SourceMap::default(),
        )?;
        let errors = environment.findings.iter().find(|finding| finding.is_error());
        ensure!(errors.is_none(), "{path}: {errors:?}");
        let asks = question["asks"].as_array().ok_or_else(|| anyhow!("no asks: {line}"))?;
        let answers: Result<Vec<_>> =
            asks.iter().map(|ask| lookup(&environment.registry, ask)).collect();
        writeln!(lines, "{}", serde_json::Value::from(answers?))?;
    }
    fs::write(out, lines).with_context(|| out.to_owned())
}

fn lookup(registry: &Registry, ask: &serde_json::Value) -> Result<serde_json::Value> {
    let text = |value: &serde_json::Value| -> Result<String> {
        Ok(value.as_str().ok_or_else(|| anyhow!("no text: {value}"))?.to_owned())
    };
    let mut registry = registry.clone();
    for parent in ask["through"].as_array().map(Vec::as_slice).unwrap_or_default() {
        let name = text(&parent[1])?;
        let child = match registry.lookup(&text(&parent[0])?, Some(&name)) {
            Ok(Implementation::Template(_, entry)) => registry.of_child(Some(&name), entry),
            _ => registry.of_child(Some(&name), None),
        };
        registry = child;
    }
    let name = text(&ask["name"])?;
    let found = match registry.lookup(&text(&ask["type"])?, Some(&name)) {
        Ok(Implementation::Plugin(name, _)) => ["plugin", name].map(str::to_owned),
        Ok(Implementation::Template(template, _)) => match template {
            NestedTemplate::File(location) => ["template".to_owned(), location.url().to_owned()],
            NestedTemplate::Key(key) => ["template".to_owned(), key],
            NestedTemplate::Shipped(name) => ["shipped", name].map(str::to_owned),
        },
        Ok(Implementation::Candidates(_)) => ["candidates", ""].map(str::to_owned),
        Err(LookupError::NotFound(_)) => ["none", ""].map(str::to_owned),
        Err(LookupError::Endless(_)) => ["endless", ""].map(str::to_owned),
    };
    let hooks: Vec<&str> =
        HOOKS.into_iter().filter(|hook| registry.hook(&name, hook).is_some()).collect();
    let mut actions: Vec<&str> = registry.restricted_actions(&name).into_keys().collect();
    actions.sort_unstable();
    Ok(serde_json::json!({ "found": found, "hooks": hooks, "actions": actions }))
}
