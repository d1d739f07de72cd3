//! Reads `hotplate.toml`: every key has a row in a table, and everything else is an error with its place.

use std::path::PathBuf;

use source_diagnostics::{Code, Diagnostic, SourceId, Span, did_you_mean};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{
    self, DEPLOYMENT, DEPLOYMENT_KEYS, GIVEN, Key, KeyKind::*, PARAMETERS, PER_PATH_IGNORES,
};
use super::{ConfigValue, ConfiguredPath, Deployment, PathIgnores, Setting};
use crate::codes;
use heat_engine::environment::ConfiguredParameter;
use source_files::PathPattern;

/// The content of a file, with the findings about it.
#[derive(Debug, Default)]
pub(super) struct ReadConfig {
    pub(super) settings: Vec<Setting>,
    pub(super) deployments: Vec<Deployment>,
    pub(super) path_ignores: Vec<PathIgnores>,
    pub(super) findings: Vec<Diagnostic>,
    /// The spans of values of parameters, which no report may show.
    pub(super) secrets: Vec<Span>,
}

/// Reads the text of a file.
pub(super) fn read(source: SourceId, text: &str) -> ReadConfig {
    let mut reader = Reader { source, read: ReadConfig::default() };
    let (root, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let range = error.span().unwrap_or_default();
        let message = format!("not TOML: {}", error.message());
        reader.finding(codes::CONFIG_SYNTAX, message, reader.span(range));
    }
    if errors.is_empty() {
        reader.root(root.get_ref());
    } else {
        reader.read.secrets = possible_secrets(source, text);
    }
    reader.read
}

/// The values that may be those of parameters, in a text that cannot be parsed: all from the first line on that is not a
/// single known key, other than `parameters`.
fn possible_secrets(source: SourceId, text: &str) -> Vec<Span> {
    let is_table = |name: &str| {
        name == DEPLOYMENT || name == PER_PATH_IGNORES || keys::tables().any(|it| it == name)
    };
    let is_public = |name: &str| {
        let of_deployment = DEPLOYMENT_KEYS.iter().map(|key| key.name);
        let names = keys::KEYS.iter().map(|key| key.name).chain(of_deployment);
        names.filter(|known| *known != PARAMETERS).any(|known| known == name)
    };
    let (mut secrets, mut start, mut is_secret) = (Vec::new(), 0, false);
    for line in text.split_inclusive('\n') {
        let header = line.trim().strip_prefix('[').and_then(|body| body.strip_suffix(']'));
        let names = header.map(|names| names.trim_matches(['[', ']', ' ']));
        let is_known_header =
            names.is_some_and(|it| it.split('.').all(|name| is_table(name.trim())));
        let pair = line.split_once('=').filter(|_| !is_known_header);
        match pair {
            Some((name, value)) => is_secret |= !is_public(name.trim()) || value.contains('='),
            None => is_secret |= header.is_some() && !is_known_header,
        }
        if is_secret && !is_known_header && !line.trim().is_empty() {
            let value = pair.map_or(line, |(_, value)| value);
            let end = start + line.len();
            let value = end - value.len()..end - (line.len() - line.trim_end().len());
            secrets.push(Span::new(source, value.start as u32, value.end.max(value.start) as u32));
        }
        start += line.len();
    }
    secrets
}

/// The pairs of a table, in the order of the text.
fn pairs<'t, 'i>(
    table: &'t DeTable<'i>,
) -> Vec<(&'t Spanned<std::borrow::Cow<'i, str>>, &'t Spanned<DeValue<'i>>)> {
    let mut pairs: Vec<_> = table.iter().collect();
    pairs.sort_by_key(|(key, _)| key.span().start);
    pairs
}

struct Reader {
    source: SourceId,
    read: ReadConfig,
}

impl Reader {
    fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span::new(self.source, range.start as u32, range.end as u32)
    }

    fn finding(&mut self, code: Code, message: String, span: Span) -> &mut Diagnostic {
        self.read.findings.push(Diagnostic::new(code, message).at(span));
        let last = self.read.findings.len() - 1;
        &mut self.read.findings[last]
    }

    /// No report shows the texts in a value.
    fn hide(&mut self, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::Table(table) => table.values().for_each(|value| self.hide(value)),
            DeValue::Array(items) => items.iter().for_each(|item| self.hide(item)),
            _ => {
                let span = self.span(value.span());
                self.read.secrets.push(span);
            }
        }
    }

    /// The value has another form than its key needs.
    fn wrong(&mut self, key: &str, form: &str, value: &Spanned<DeValue<'_>>) {
        let message = format!("`{key}` must be {form}, not {}", form_of(value.get_ref()));
        self.finding(codes::CONFIG_VALUE, message, self.span(value.span()));
    }

    fn unknown<'k>(
        &mut self,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
        table: Option<&str>,
        known: impl Iterator<Item = &'k str>,
    ) {
        // It may be a misspelled `parameters`.
        self.hide(value);
        let name = key.get_ref();
        let known: Vec<&str> = known.collect();
        let near = did_you_mean(name, known.iter().copied());
        // A key of another table, such as `select` outside of `[check]`.
        let elsewhere: Vec<String> = keys::KEYS
            .iter()
            .filter(|key| key.name == name.as_ref() && key.table != table)
            .map(|key| match key.table {
                Some(table) => format!("`[{table}]`"),
                None => "the top of the file".to_owned(),
            })
            .collect();
        let inside = table.map_or_else(String::new, |table| format!(" in `{table}`"));
        let span = self.span(key.span());
        let finding =
            self.finding(codes::CONFIG_UNKNOWN_KEY, format!("unknown key `{name}`{inside}"), span);
        if !elsewhere.is_empty() {
            finding.help.push(format!("it belongs to {}", elsewhere.join(" or ")));
        } else if let Some(near) = near {
            finding.help.push(format!("did you mean `{near}`?"));
        } else {
            finding.help.push(format!("the keys are `{}`", known.join("`, `")));
        }
    }

    fn root(&mut self, table: &DeTable<'_>) {
        for (key, value) in pairs(table) {
            let name = key.get_ref().as_ref();
            if let Some(known) = keys::find(None, name) {
                self.setting(known, key, value);
            } else if name == DEPLOYMENT {
                self.deployments(value);
            } else if let Some(command) = keys::tables().find(|table| *table == name) {
                match value.get_ref() {
                    DeValue::Table(inner) => self.command(command, inner),
                    _ => self.wrong(name, "a table", value),
                }
            } else {
                let known = keys::KEYS.iter().filter(|key| key.table.is_none());
                let known = known.map(|key| key.name).chain(keys::tables()).chain([DEPLOYMENT]);
                self.unknown(key, value, None, known);
            }
        }
    }

    fn command(&mut self, command: &'static str, table: &DeTable<'_>) {
        for (key, value) in pairs(table) {
            let name = key.get_ref().as_ref();
            if let Some(known) = keys::find(Some(command), name) {
                self.setting(known, key, value);
            } else if command == "check" && name == PER_PATH_IGNORES {
                match value.get_ref() {
                    DeValue::Table(inner) => self.path_ignores(inner),
                    _ => self.wrong(name, "a table of patterns and lists", value),
                }
            } else {
                let known = keys::KEYS.iter().filter(|key| key.table == Some(command));
                let more = (command == "check").then_some(PER_PATH_IGNORES);
                self.unknown(key, value, Some(command), known.map(|key| key.name).chain(more));
            }
        }
    }

    fn setting(
        &mut self,
        key: &'static Key,
        name: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) {
        let full = key.full_name();
        let wrong = |reader: &mut Self| {
            reader.wrong(&full, key.kind.description(), value);
            None
        };
        let one = |reader: &Self, text: String| {
            Some(vec![ConfigValue { text, url: None, span: reader.span(value.span()) }])
        };
        let values = match (key.kind, value.get_ref()) {
            (Flag(_), DeValue::Boolean(flag)) => one(self, flag.to_string()),
            (Number, DeValue::Integer(number)) if number.radix() == 10 => {
                one(self, number.as_str().to_owned())
            }
            (OneOf(allowed), DeValue::String(text)) => {
                if !allowed.contains(&text.as_ref()) {
                    let span = self.span(value.span());
                    let message = format!("`{text}` is not a value of `{full}`");
                    let help = match did_you_mean(text, allowed.iter().copied()) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("the values are `{}`", allowed.join("`, `")),
                    };
                    self.finding(codes::CONFIG_VALUE, message, span).help.push(help);
                }
                one(self, text.to_string())
            }
            (Word | Path | Target, DeValue::String(text)) => one(self, text.to_string()),
            (Words | CommaList | Paths, DeValue::Array(items)) => {
                let texts = self.texts(&full, key.kind.description(), items.iter());
                Some(
                    texts
                        .into_iter()
                        .map(|(text, span)| ConfigValue { text, url: None, span })
                        .collect(),
                )
            }
            (PathOfUrl, DeValue::Table(map)) => {
                let mut values = Vec::new();
                for (url, path) in pairs(map) {
                    match path.get_ref() {
                        DeValue::String(text) => values.push(ConfigValue {
                            text: text.to_string(),
                            url: Some(url.get_ref().to_string()),
                            span: self.span(path.span()),
                        }),
                        _ => self.wrong(&full, key.kind.description(), path),
                    }
                }
                Some(values)
            }
            (
                Flag(_) | Number | OneOf(_) | Word | Path | Target | Words | CommaList | Paths
                | PathOfUrl,
                _,
            ) => wrong(self),
        };
        if let Some(values) = values {
            self.read.settings.push(Setting { key, values, span: self.span(name.span()) });
        }
    }

    /// The strings of a list.
    fn texts<'t, 'i: 't>(
        &mut self,
        key: &str,
        form: &str,
        items: impl Iterator<Item = &'t Spanned<DeValue<'i>>>,
    ) -> Vec<(String, Span)> {
        let mut texts = Vec::new();
        for item in items {
            match item.get_ref() {
                DeValue::String(text) => texts.push((text.to_string(), self.span(item.span()))),
                _ => self.wrong(key, form, item),
            }
        }
        texts
    }

    fn pattern(&mut self, text: &str, span: Span) -> Option<PathPattern> {
        match PathPattern::new(text) {
            Ok(pattern) => Some(pattern),
            Err(why) => {
                self.finding(codes::CONFIG_VALUE, format!("invalid pattern: {why}"), span);
                None
            }
        }
    }

    fn path_ignores(&mut self, table: &DeTable<'_>) {
        for (key, value) in pairs(table) {
            let span = self.span(key.span());
            let pattern = self.pattern(key.get_ref(), span);
            let words = match value.get_ref() {
                DeValue::Array(items) => {
                    self.texts(PER_PATH_IGNORES, "a table of lists of strings", items.iter())
                }
                _ => {
                    self.wrong(key.get_ref(), "a list of codes or groups", value);
                    continue;
                }
            };
            self.read.path_ignores.extend(pattern.map(|pattern| PathIgnores {
                pattern,
                words,
                span,
            }));
        }
    }

    fn deployments(&mut self, value: &Spanned<DeValue<'_>>) {
        let DeValue::Array(entries) = value.get_ref() else {
            self.hide(value);
            self.wrong(DEPLOYMENT, "a list of tables (`[[deployment]]`)", value);
            return;
        };
        for entry in entries.iter() {
            match entry.get_ref() {
                DeValue::Table(table) => self.deployment(table, entry.span()),
                _ => {
                    self.hide(entry);
                    self.wrong(DEPLOYMENT, "a list of tables (`[[deployment]]`)", entry);
                }
            }
        }
    }

    fn deployment(&mut self, table: &DeTable<'_>, range: std::ops::Range<usize>) {
        let mut deployment = Deployment::new(self.span(range));
        for (key, value) in pairs(table) {
            let name = key.get_ref().as_ref();
            let Some(known) = DEPLOYMENT_KEYS.iter().find(|known| known.name == name) else {
                let known = DEPLOYMENT_KEYS.iter().map(|key| key.name);
                self.unknown(key, value, Some(DEPLOYMENT), known);
                continue;
            };
            match (name, value.get_ref()) {
                ("template", DeValue::String(text)) => {
                    let pattern = self.pattern(text, self.span(value.span()));
                    deployment.templates.extend(pattern);
                }
                ("template", DeValue::Array(items)) => {
                    for (text, span) in self.texts(name, known.form, items.iter()) {
                        let pattern = self.pattern(&text, span);
                        deployment.templates.extend(pattern);
                    }
                }
                ("name", DeValue::String(text)) => deployment.name = Some(text.to_string()),
                ("environments", DeValue::Array(items)) => {
                    let paths = self.texts(name, known.form, items.iter()).into_iter();
                    deployment.environments = paths
                        .map(|(text, span)| ConfiguredPath { path: PathBuf::from(text), span })
                        .collect();
                }
                (GIVEN, DeValue::Array(items)) => {
                    let names = self.texts(name, known.form, items.iter()).into_iter();
                    deployment.given = names.map(|(text, _)| text).collect();
                }
                (PARAMETERS, DeValue::Table(inner)) => {
                    self.parameters(inner, known.form, &mut deployment);
                }
                _ => {
                    self.hide(value);
                    self.wrong(name, known.form, value);
                }
            }
        }
        let required = DEPLOYMENT_KEYS.iter().filter(|key| key.is_required);
        for key in required.filter(|key| table.get(key.name).is_none()) {
            let message = format!("a deployment needs `{}`", key.name);
            self.finding(codes::CONFIG_VALUE, message, deployment.span);
        }
        let same = |other: &&Deployment| other.name.is_some() && other.name == deployment.name;
        if let Some(other) = self.read.deployments.iter().find(same) {
            let first = other.span;
            let message = format!("two deployments are named `{}`", other.shown_name());
            let finding = Diagnostic::new(codes::CONFIG_VALUE, message).at(deployment.span);
            self.read.findings.push(finding.related(first, "the first one"));
        }
        self.read.deployments.push(deployment);
    }

    fn parameters(&mut self, table: &DeTable<'_>, form: &str, deployment: &mut Deployment) {
        for (key, value) in pairs(table) {
            let span = self.span(value.span());
            self.hide(value);
            let text = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Integer(number) => number.to_string(),
                DeValue::Float(number) => number.as_str().to_owned(),
                DeValue::Boolean(flag) => flag.to_string(),
                DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
                    self.wrong(&format!("parameters.{}", key.get_ref()), form, value);
                    continue;
                }
            };
            deployment.parameters.push(ConfiguredParameter {
                name: key.get_ref().to_string(),
                value: text,
                name_span: self.span(key.span()),
                value_span: span,
            });
        }
    }
}

/// The form of a value in words.
fn form_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
