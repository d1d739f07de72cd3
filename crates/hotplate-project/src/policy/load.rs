//! Loads the rules of a folder, and reports every error in it.

use std::path::{Path, PathBuf};

use source_diagnostics::{CodeInfo, Consequence, Diagnostic, MaskedSources, Span};
use source_files::{FileSource, display_name};
use yaql::{Expression, Options};

use super::Policy;
use super::message::MessageTemplate;
use super::path::RulePath;
use super::rule::{PolicyRule, RuleFile, SelectFile, SelectedKind};
use hotplate_emit::table_reader;
use lossless_yaml::{Document, Limits, decode_into, read_yaml};

/// A folder that is not a policy, with the reasons.
#[derive(Debug, Default)]
pub struct BrokenPolicy {
    /// The errors.
    pub findings: Vec<Diagnostic>,
    /// The texts of the rules.
    pub sources: MaskedSources,
}

/// The options of yaql in conditions: without Heat's limits on collections, whose size is not the user's choice here. The steps
/// of an evaluation are limited in any case.
pub(super) fn yaql_options() -> Options {
    Options::default()
}

impl Policy {
    /// Reads the rules of folders: every file directly in them whose name ends with `.yaml` is a rule.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the folders and the rules.
    pub fn read(folders: &[PathBuf], files: &dyn FileSource) -> Result<Self, Box<BrokenPolicy>> {
        let mut loader = RuleLoader::default();
        for folder in folders {
            let names = files.path_components(folder);
            let rules = names.iter().filter(|name| name.ends_with(".yaml"));
            let before = loader.rules.len() + loader.broken.findings.len();
            for name in rules {
                loader.file(folder, name, files);
            }
            if loader.rules.len() + loader.broken.findings.len() == before {
                let message = format!("`{}` has no rules", display_name(folder));
                let finding = Diagnostic::new(hotplate_check::codes::POLICY_BROKEN, message);
                loader
                    .broken
                    .findings
                    .push(finding.help("a rule is a file `ID.yaml` in the folder"));
            }
        }
        match loader.broken.findings.is_empty() {
            true => Ok(Policy { rules: loader.rules }),
            false => Err(Box::new(loader.broken)),
        }
    }
}

#[derive(Default)]
struct RuleLoader {
    rules: Vec<PolicyRule>,
    broken: BrokenPolicy,
}

impl RuleLoader {
    fn file(&mut self, folder: &Path, name: &str, files: &dyn FileSource) {
        let path = folder.join(name);
        let bytes = match files.read_content(&path) {
            Ok(bytes) => bytes,
            Err(error) => return self.broken.findings.push(error.diagnostic()),
        };
        let shown = display_name(&path).into_owned();
        // A rule has no values of parameters.
        let document = self.broken.sources.read(|sources| {
            let read = decode_into(sources, shown, bytes);
            let read = read.and_then(|(source, text)| read_yaml(source, text, &Limits::default()));
            (read, Vec::new())
        });
        let read = document.and_then(|document| {
            if let Some(finding) = document.findings().first() {
                return Err(Box::new(table_reader::as_error(finding)));
            }
            table_reader::from_document::<RuleFile>(&document).map(|file| (document, file))
        });
        match read {
            Ok((document, file)) => {
                let stem = name.trim_end_matches(".yaml");
                let before = self.broken.findings.len();
                let rule = self.rule(folder, stem, &document, file);
                if self.broken.findings.len() == before {
                    self.rules.extend(rule);
                }
            }
            Err(finding) => self.report(*finding),
        }
    }

    fn report(&mut self, finding: Diagnostic) {
        self.broken
            .findings
            .push(Diagnostic { code: hotplate_check::codes::POLICY_BROKEN, ..finding });
    }

    fn broken(&mut self, message: impl Into<String>, span: Span) {
        self.report(Diagnostic::new(hotplate_check::codes::POLICY_BROKEN, message).at(span));
    }

    fn rule(
        &mut self,
        folder: &Path,
        stem: &str,
        document: &Document,
        file: RuleFile,
    ) -> Option<PolicyRule> {
        let at = |key: &str| key_span(document, key);
        if file.id != stem {
            self.broken(format!("the file of `{}` must be `{}.yaml`", file.id, file.id), at("id"));
        }
        if !is_rule_id(&file.id) {
            let message = "the id of a rule is upper-case letters followed by digits, such as ACME001, and does not start with `HP`";
            self.broken(message, at("id"));
        }
        if self.rules.iter().any(|rule| rule.id() == file.id) {
            self.broken(format!("another policy has a rule `{}`, too", file.id), at("id"));
        }
        let (kind, patterns) = self.selected(&file.select, at("select"))?;
        let path = match file.path.as_deref() {
            None => RulePath::default(),
            Some(text) => match RulePath::parse(text) {
                Some(path) => path,
                None => {
                    let message =
                        "a path is names separated by dots, each of which may be followed by `[*]`";
                    self.broken(message, at("path"));
                    return None;
                }
            },
        };
        let (key, condition, violated_by) = match (&file.require, &file.forbid) {
            (Some(condition), None) => ("require", condition, false),
            (None, Some(condition)) => ("forbid", condition, true),
            _ => {
                let message = "a rule has either `require` or `forbid`";
                self.broken(message, at("id"));
                return None;
            }
        };
        let sees_stack = condition.contains("stack");
        let condition = self.expression(condition, at(key))?;
        let message = match MessageTemplate::parse(&file.message, &yaql_options()) {
            Ok(message) => message,
            Err(error) => {
                self.broken(error.to_string(), at("message"));
                return None;
            }
        };
        for expression in message.expressions() {
            self.calls(expression, at("message"));
        }
        Some(PolicyRule {
            code: source_diagnostics::Code::of_policy(CodeInfo {
                id: &file.id,
                title: &file.title,
                severity: file.severity.into(),
                consequence: Consequence::Accepted,
                explanation: file.explanation.as_deref().unwrap_or(&file.title).trim(),
                policy: Some(&display_name(folder)),
            }),
            folder: folder.to_owned(),
            kind,
            patterns,
            path,
            condition,
            sees_stack,
            violated_by,
            message,
            help: file.help,
        })
    }

    fn selected(&mut self, select: &SelectFile, span: Span) -> Option<(SelectedKind, Vec<String>)> {
        let selected = [
            (SelectedKind::Resource, select.resources.clone()),
            (SelectedKind::Parameter, select.parameters.clone()),
            (SelectedKind::Output, select.outputs.clone()),
            (SelectedKind::Template, select.template.filter(|it| *it).map(|_| Vec::new())),
        ];
        let mut selected = selected.into_iter().filter_map(|(kind, it)| Some((kind, it?)));
        match (selected.next(), selected.next()) {
            (Some(only), None) => Some(only),
            _ => {
                let message = "`select` has one of `resources`, `parameters`, `outputs`, and `template: true`";
                self.broken(message, span);
                None
            }
        }
    }

    fn expression(&mut self, text: &str, span: Span) -> Option<Expression> {
        match Expression::parse(text, &yaql_options()) {
            Ok(expression) => {
                self.calls(&expression, span);
                Some(expression)
            }
            Err(error) => {
                self.broken(format!("invalid yaql expression: {}", error.message), span);
                None
            }
        }
    }

    /// Reports calls of functions that do not exist.
    fn calls(&mut self, expression: &Expression, span: Span) {
        for call in expression.unknown_calls(&yaql_options()) {
            self.broken(format!("yaql has no function `{}`", call.name), span);
        }
    }
}

/// Whether an id is one of a policy: letters, then digits, and not one of hotplate's own.
fn is_rule_id(id: &str) -> bool {
    let letters = id.trim_end_matches(|c: char| c.is_ascii_digit());
    let fits = |c: char| c.is_ascii_uppercase() || c == '-' || c == '_';
    letters.starts_with(|c: char| c.is_ascii_uppercase())
        && letters.chars().all(fits)
        && letters.len() < id.len()
        && !letters.starts_with("HP")
}

/// The span of the value of a key, or of the whole file without it.
fn key_span(document: &Document, key: &str) -> Span {
    let root = document.root();
    let value = root.and_then(|root| document.get(root, key)).or(root);
    value.map_or(Span::new(document.source(), 0, 0), |value| document.span(value))
}
