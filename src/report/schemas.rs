//! The JSON Schemas that hotplate publishes: one table for `docs/schemas`, for the option `--schema` of
//! every command that prints JSON, and for the list in `docs/json.md`.

use std::fmt::Write;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use super::{
    capabilities, check, codes, config, deployments, diff, environment, eval, parameters, policy,
    render, resource_types, targets, upgrade, versions,
};
use crate::policy::RuleTest;
use heat_template::ir;
use hotplate_emit::template_pack::{context, manifest};

/// A published schema of the JSON that commands print.
#[derive(Debug)]
pub struct PublishedSchema {
    /// The name of the schema, and of its file in `docs/schemas`.
    pub name: &'static str,
    /// Incremented at most once per release, for any change of the JSON, including new keys.
    pub version: u32,
    /// The commands that print such JSON, each as a path of subcommands: `targets list`.
    pub commands: &'static [&'static str],
    /// The option of these commands that prints the schema.
    pub option: &'static str,
    /// The subject of the schema, as worded in `docs/json.md`.
    pub subject: &'static str,
    generate: fn() -> Schema,
}

/// The option that prints the schema of a command's JSON.
const SCHEMA: &str = "schema";

/// A row of the table: what a command prints with `--format json`.
macro_rules! report {
    ($name:literal $version:literal, $command:literal $(| $alias:literal)*: $report:ty) => {
        PublishedSchema {
            name: $name,
            version: $version,
            commands: &[$command $(, $alias)*],
            option: SCHEMA,
            subject: concat!("`hotplate ", $command, " --format json`"),
            generate: schema_of::<$report>,
        }
    };
}

/// Every published schema, in the order of the names.
pub static PUBLISHED: &[PublishedSchema] = &[
    report!("capabilities-find" 3, "capabilities find": capabilities::CapabilitiesMatches),
    report!("capabilities-list" 3, "capabilities list": capabilities::CapabilitiesList),
    report!("capabilities-resolve" 3, "capabilities resolve": capabilities::ResolvedRegistry),
    report!("check" 1, "check": check::CheckReport),
    report!("config" 1, "config": config::ConfigReport),
    PublishedSchema {
        name: "config-file",
        version: 1,
        commands: &["config"],
        option: "file-schema",
        subject: "`hotplate.toml`, the configuration",
        generate: config::file_schema,
    },
    report!("deployments" 1, "deployments": deployments::DeploymentsReport),
    report!("diff" 3, "diff": diff::Report),
    report!("env" 3, "env": environment::EnvironmentReport),
    report!("eval" 2, "eval": eval::Stack),
    report!("explain" 2, "explain": codes::Explanations),
    PublishedSchema {
        name: "ir",
        version: 2,
        commands: &["ir"],
        option: SCHEMA,
        subject: "`hotplate ir`",
        generate: ir::json::schema,
    },
    report!("log" 1, "log": diff::HistoryReport),
    report!("parameters" 1, "parameters": parameters::ParametersReport),
    report!("policy-explain" 1, "policy explain": Vec<policy::ExplainedRule>),
    report!("policy-test" 1, "policy test": Vec<RuleTest>),
    report!("render" 3, "render": render::RenderReport),
    report!("report-merge" 1, "report merge": diff::MergedReport),
    report!("schema" 1, "schema": resource_types::ResourceTypesReport),
    PublishedSchema {
        name: "target-context",
        version: 2,
        commands: &["targets context"],
        option: SCHEMA,
        subject: "`hotplate targets context`",
        generate: context::schema,
    },
    PublishedSchema {
        name: "target-manifest",
        version: 1,
        commands: &["targets context"],
        option: "manifest-schema",
        subject: "`target.yaml`, the manifest of a target",
        generate: manifest::schema,
    },
    report!("targets-list" 2, "targets list" | "targets": Vec<targets::TargetSummary>),
    report!("targets-show" 2, "targets show": targets::TargetDetails),
    report!("targets-test" 1, "targets test": Vec<targets::CaseReport>),
    report!("upgrade" 2, "upgrade": upgrade::UpgradeReport),
    report!("versions" 2, "versions": versions::VersionsJson<'static>),
    report!("yaql" 1, "yaql": eval::ShownValue),
];

/// The JSON Schema of serialized output: keys are required unless they may be omitted.
fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

impl PublishedSchema {
    /// The schema. It refuses keys that it does not describe.
    pub fn schema(&self) -> Schema {
        let mut schema = (self.generate)();
        refuse_unknown_keys(schema.ensure_object(), false);
        let id = format!("urn:hotplate:schema:{}:{}", self.name, self.version);
        schema.insert("$id".to_owned(), id.into());
        schema.insert("title".to_owned(), self.subject.into());
        schema
    }

    /// The command that prints the schema.
    pub fn command(&self) -> String {
        let command = self.commands.first().copied().unwrap_or_default();
        format!("hotplate {command} --{}", self.option)
    }
}

/// Refuses keys that a map's schema does not describe. A part of an alternative, which is `open`, describes
/// only some keys of a map; the enclosing map describes all of them.
fn refuse_unknown_keys(keywords: &mut Map<String, Value>, open: bool) {
    let is_part = |keyword: &str| matches!(keyword, "oneOf" | "anyOf" | "allOf");
    let describes = keywords.contains_key("properties");
    if describes && !open && !keywords.contains_key("additionalProperties") {
        let of_parts = keywords.keys().any(|keyword| is_part(keyword) || keyword == "$ref");
        let keyword = if of_parts { "unevaluatedProperties" } else { "additionalProperties" };
        keywords.insert(keyword.to_owned(), false.into());
    }
    for (keyword, operand) in keywords.iter_mut() {
        let (schemas, open): (Vec<&mut Value>, bool) = match (keyword.as_str(), operand) {
            (keyword, Value::Array(parts)) if is_part(keyword) => {
                (parts.iter_mut().collect(), open || describes)
            }
            ("properties" | "$defs", Value::Object(schemas)) => {
                (schemas.values_mut().collect(), false)
            }
            ("items" | "additionalProperties", schema) => (vec![schema], false),
            _ => continue,
        };
        for keywords in schemas.into_iter().filter_map(Value::as_object_mut) {
            refuse_unknown_keys(keywords, open);
        }
    }
}

/// The table of `docs/json.md`.
pub fn table() -> String {
    let mut table =
        String::from("| schema | version | describes | printed by |\n|---|---|---|---|\n");
    for published in PUBLISHED {
        let PublishedSchema { name, version, subject: what, .. } = published;
        let command = published.command();
        let _ = writeln!(
            table,
            "| [`{name}`](schemas/{name}.json) | {version} | {what} | `{command}` |"
        );
    }
    table
}
