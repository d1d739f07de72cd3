//! The configuration in effect, the page about the keys, and the schema of `hotplate.toml`.

use std::fmt::Write;

use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::escape::on_one_line;
use super::json::Finding;
use super::{SourceLocator, SourceRange};
use crate::config::keys::{
    DEPLOYMENT, DEPLOYMENT_KEYS, PER_PATH_IGNORES, PER_PATH_IGNORES_DOCUMENTATION, tables,
};
use crate::config::{Config, Deployment, KEYS, Key, KeyKind};
use source_diagnostics::Span;
use source_files::display_name;

/// Where a value is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SettingOrigin {
    /// Neither the file nor the command line has it.
    Default,
    /// The command line does not have it.
    File,
    /// The file does not have it, or its value is replaced.
    CommandLine,
    /// The command line adds to the list of the file.
    CommandLineAndFile,
}

/// A key with the value in effect.
#[derive(Debug)]
pub struct EffectiveSetting {
    /// The row of the key.
    pub key: &'static Key,
    /// The values; empty if there is no default.
    pub values: Vec<String>,
    /// Where they are from.
    pub origin: SettingOrigin,
    /// Where the file has the key: the span, and the path with the line.
    pub place: Option<(Span, String)>,
    /// Why the value of the file is not used.
    pub unused: Option<String>,
}

/// Which lists of the file concern the command.
#[derive(Clone, Copy, Debug)]
pub struct ConfiguredLists<'c> {
    /// The deployments.
    pub deployments: bool,
    /// The file of a change, if the other one is that of its base: its deployments are used, too.
    pub of_change: Option<&'c Config>,
    /// The codes that `check` ignores in some files.
    pub path_ignores: bool,
}

/// The configuration in effect.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigReport {
    /// The path of the file; `null` if there is none.
    path: Option<String>,
    /// Every key that stands for an option; if a command is given, those that apply to it.
    settings: Vec<SettingEntry>,
    /// The deployments of templates.
    deployments: Vec<DeploymentEntry>,
    /// The codes that `check` ignores in some files.
    per_path_ignores: Vec<PathIgnoresEntry>,
    /// The findings about the file.
    findings: Vec<Finding>,
}

/// A key that stands for an option.
#[derive(Debug, Serialize, JsonSchema)]
struct SettingEntry {
    /// The key with its table, `check.select`.
    key: String,
    /// The values, as the option takes them; empty if there is no default.
    values: Vec<String>,
    origin: SettingOrigin,
    /// Where the file has the key; `null` if it does not have it.
    place: Option<SourceRange>,
    /// Why the value of the file is not used; `null` if it is used, or the file has none.
    unused: Option<String>,
}

/// The deployments of templates.
#[derive(Debug, Serialize, JsonSchema)]
struct DeploymentEntry {
    name: Option<String>,
    templates: Vec<String>,
    environments: Vec<String>,
    /// The names of the parameters; their values may be secret.
    parameters: Vec<String>,
    place: Option<SourceRange>,
}

/// The codes that `check` ignores in the files of a pattern.
#[derive(Debug, Serialize, JsonSchema)]
struct PathIgnoresEntry {
    pattern: String,
    ignored: Vec<String>,
    place: Option<SourceRange>,
}

/// The deployments of the file, and those that a change adds to them; each with its file.
fn deployments<'c>(
    config: Option<&'c Config>,
    lists: ConfiguredLists<'c>,
) -> Vec<(&'c Config, &'c Deployment)> {
    let of = |it: Option<&'c Config>| {
        it.into_iter().flat_map(|config| config.deployments.iter().map(move |it| (config, it)))
    };
    let is_known = |it: &Deployment| {
        config.is_some_and(|config| config.deployments.iter().any(|own| own.is_same(it)))
    };
    let more = of(lists.of_change).filter(|(_, it)| !is_known(it));
    of(config).chain(more).filter(|_| lists.deployments).collect()
}

fn templates(deployment: &Deployment) -> Vec<String> {
    deployment.templates.iter().map(|pattern| pattern.text().to_owned()).collect()
}

fn environments(deployment: &Deployment) -> Vec<String> {
    deployment.environments.iter().map(|it| display_name(&it.path).into_owned()).collect()
}

fn parameters(deployment: &Deployment) -> Vec<String> {
    deployment.parameters.iter().map(|parameter| parameter.name.clone()).collect()
}

impl ConfigReport {
    /// The report about a file.
    pub fn new(
        config: Option<&Config>,
        settings: &[EffectiveSetting],
        lists: ConfiguredLists<'_>,
    ) -> Self {
        let none = Config::default();
        let file = config.unwrap_or(&none);
        let mut places = SourceLocator::new(&file.sources);
        let mut of_change = SourceLocator::new(&lists.of_change.unwrap_or(&none).sources);
        ConfigReport {
            path: config.map(|config| display_name(&config.path).into_owned()),
            settings: settings
                .iter()
                .map(|setting| SettingEntry {
                    key: setting.key.full_name(),
                    values: setting.values.clone(),
                    origin: setting.origin,
                    place: setting.place.as_ref().and_then(|(span, _)| places.locate(*span)),
                    unused: setting.unused.clone(),
                })
                .collect(),
            deployments: deployments(config, lists)
                .into_iter()
                .map(|(of, deployment)| DeploymentEntry {
                    name: deployment.name.clone(),
                    templates: templates(deployment),
                    environments: environments(deployment),
                    parameters: parameters(deployment),
                    place: match std::ptr::eq(of, file) {
                        true => places.locate(deployment.span),
                        false => of_change.locate(deployment.span),
                    },
                })
                .collect(),
            per_path_ignores: file
                .path_ignores
                .iter()
                .filter(|_| lists.path_ignores)
                .map(|ignores| PathIgnoresEntry {
                    pattern: ignores.pattern.text().to_owned(),
                    ignored: ignores.words.iter().map(|(word, _)| word.clone()).collect(),
                    place: places.locate(ignores.span),
                })
                .collect(),
            findings: Finding::all(&file.findings, &mut places),
        }
    }
}

/// One line for each value, with its origin behind it.
pub fn text(
    config: Option<&Config>,
    settings: &[EffectiveSetting],
    lists: ConfiguredLists<'_>,
) -> String {
    let mut lines: Vec<(String, String)> = Vec::new();
    for setting in settings {
        let values = match (setting.values.as_slice(), setting.key.kind) {
            ([], KeyKind::Flag(_)) => "false".to_owned(),
            ([], _) => "-".to_owned(),
            (values, _) => values.join(", "),
        };
        let place = setting.place.as_ref().map_or("", |(_, place)| place);
        let mut origin = match setting.origin {
            SettingOrigin::Default => "default".to_owned(),
            SettingOrigin::File => place.to_owned(),
            SettingOrigin::CommandLine => "command line".to_owned(),
            SettingOrigin::CommandLineAndFile => format!("command line, {place}"),
        };
        if let Some(why) = &setting.unused {
            let _ = write!(origin, "; {place} is not used: {why}");
        }
        lines.push((format!("{} = {values}", setting.key.full_name()), origin));
    }
    let mut text = match config {
        Some(config) => format!("{}\n\n", on_one_line(&display_name(&config.path))),
        None => format!("no {}\n\n", crate::config::FILE_NAME),
    };
    for (of, deployment) in deployments(config, lists) {
        let mut parts = vec![format!("deployment {}", deployment.shown_name())];
        let given = |option: &str, values: Vec<String>| -> Vec<String> {
            values.into_iter().map(|value| format!("{option} {value}")).collect()
        };
        parts.extend(
            deployment.name.is_some().then(|| format!("of {}", templates(deployment).join(", "))),
        );
        parts.extend(given("-e", environments(deployment)));
        // Their values may be secret.
        parts.extend(given("-P", parameters(deployment)));
        lines.push((parts.join(" "), of.place(deployment.span)));
    }
    let path_ignores = config.filter(|_| lists.path_ignores);
    let path_ignores =
        path_ignores.iter().flat_map(|of| of.path_ignores.iter().map(move |it| (of, it)));
    for (of, ignores) in path_ignores {
        let words: Vec<&str> = ignores.words.iter().map(|(word, _)| word.as_str()).collect();
        let line =
            format!("check.{PER_PATH_IGNORES}: {} = {}", ignores.pattern.text(), words.join(", "));
        lines.push((line, of.place(ignores.span)));
    }
    if settings.is_empty() && lines.is_empty() && !lists.deployments {
        text.push_str("the command does not use the file\n");
    }
    for (line, origin) in lines {
        let _ = writeln!(text, "{:<44}  # {}", on_one_line(&line), on_one_line(&origin));
    }
    text
}

const INTRODUCTION: &str = include_str!("config_guide.md");

/// The page about the file; `option` says which commands a key applies to, and its defaults.
pub fn markdown(option: impl Fn(&Key) -> (Vec<String>, Vec<String>)) -> String {
    let mut page = INTRODUCTION.to_owned();
    for table in std::iter::once(None).chain(tables().map(Some)) {
        let _ = match table {
            None => writeln!(page, "\n## Keys of several commands\n"),
            Some(table) => writeln!(page, "\n## `[{table}]`\n"),
        };
        page.push_str(match table {
            None => "| key | value | default | commands | meaning |\n|---|---|---|---|---|\n",
            Some(_) => "| key | value | default | meaning |\n|---|---|---|---|\n",
        });
        for key in KEYS.iter().filter(|key| key.table == table) {
            let (commands, defaults) = option(key);
            let form = match key.kind {
                KeyKind::OneOf(allowed) => format!("`\"{}\"`", allowed.join("\"`, `\"")),
                kind => kind.description().to_owned(),
            };
            let defaults: Vec<String> = defaults.iter().map(|it| format!("`{it}`")).collect();
            let extended =
                if key.kind.is_extended() { " The command line adds to it." } else { "" };
            let _ = write!(page, "| `{}` | {form} | {} | ", key.name, defaults.join(", "));
            if table.is_none() {
                let _ = write!(page, "`{}` | ", commands.join("`, `"));
            }
            let _ = writeln!(page, "{}{extended} |", key.documentation);
        }
        if table == Some("check") {
            let _ = writeln!(
                page,
                "| `{PER_PATH_IGNORES}` | a table of patterns and lists of strings |  | {PER_PATH_IGNORES_DOCUMENTATION} |"
            );
        }
    }
    let _ = writeln!(page, "\n## `[[{DEPLOYMENT}]]`\n\n| key | value | meaning |\n|---|---|---|");
    for key in &DEPLOYMENT_KEYS {
        let required = if key.is_required { " Required." } else { "" };
        let _ =
            writeln!(page, "| `{}` | {} | {}{required} |", key.name, key.form, key.documentation);
    }
    page
}

/// The schema of `hotplate.toml`, for editors.
pub fn file_schema() -> Schema {
    let texts = || json!({"type": "array", "items": {"type": "string"}});
    let mut root = Map::new();
    for table in std::iter::once(None).chain(tables().map(Some)) {
        let mut keys = Map::new();
        for key in KEYS.iter().filter(|key| key.table == table) {
            let mut schema = match key.kind {
                KeyKind::Flag(_) => json!({"type": "boolean"}),
                KeyKind::Number => json!({"type": "integer", "minimum": 0}),
                KeyKind::Word | KeyKind::Path | KeyKind::Target => json!({"type": "string"}),
                KeyKind::Words | KeyKind::CommaList | KeyKind::Paths => texts(),
                KeyKind::OneOf(allowed) => json!({"enum": allowed}),
                KeyKind::PathOfUrl => {
                    json!({"type": "object", "additionalProperties": {"type": "string"}})
                }
            };
            schema["description"] = key.documentation.into();
            keys.insert(key.name.to_owned(), schema);
        }
        match table {
            None => root = keys,
            Some(table) => {
                if table == "check" {
                    let ignores = json!({
                        "type": "object",
                        "additionalProperties": texts(),
                        "description": PER_PATH_IGNORES_DOCUMENTATION,
                    });
                    keys.insert(PER_PATH_IGNORES.to_owned(), ignores);
                }
                let description = format!("The options of `hotplate {table}`.");
                let table_schema =
                    json!({"type": "object", "description": description, "properties": keys});
                root.insert(table.to_owned(), table_schema);
            }
        }
    }
    root.insert(DEPLOYMENT.to_owned(), deployments_schema());
    json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": root,
    })
}

fn deployments_schema() -> Value {
    let mut keys = Map::new();
    for key in &DEPLOYMENT_KEYS {
        let mut schema = match key.name {
            "template" => json!({"anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}},
            ]}),
            "environments" => json!({"type": "array", "items": {"type": "string"}}),
            "parameters" => json!({
                "type": "object",
                "additionalProperties": {"type": ["string", "number", "boolean"]},
            }),
            _ => json!({"type": "string"}),
        };
        schema["description"] = key.documentation.into();
        keys.insert(key.name.to_owned(), schema);
    }
    let required: Vec<&str> =
        DEPLOYMENT_KEYS.iter().filter(|key| key.is_required).map(|key| key.name).collect();
    json!({
        "type": "array",
        "description": "What templates are deployed with.",
        "items": {"type": "object", "properties": keys, "required": required},
    })
}
