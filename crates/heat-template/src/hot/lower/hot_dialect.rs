//! Features of HOT that the CFN formats lack: keys, constraints and deletion policies by version.
//!
//! Heat's rules: `docs/heat.md#keys-of-a-resource`, `docs/heat.md#deletion-policies`,
//! `docs/heat.md#keys-of-an-output`, `docs/heat.md#one-constraint-per-entry`.

use super::CallSite;
use super::definitions::Definition;
use super::lowerer::{Lowerer, LoweringDialect};
use crate::hot::call::LoweringContext;
use crate::hot::functions::{CallContext, hot_function};
use crate::hot::keys::{self, VersionedKey};
use crate::hot::recognize::kind_name;
use crate::hot::reinterpretation::Reinterpretation;
use crate::hot::version::Version;
use crate::ir::{
    ConstraintKind, Expr, Parameter, ParameterConstraint, ParameterType, SpannedName, UnknownKey,
};
use lossless_yaml::{Entry, NodeId, NodeKind};
use source_diagnostics::{Diagnostic, Span, did_you_mean};

/// A version of HOT, with what is recorded while a template is lowered.
pub(super) struct HotDialect {
    pub(super) version: Version,
    /// The version that interprets what the declared one cannot.
    pub(super) reinterpretation: Option<Reinterpretation>,
    pub(super) calls: Vec<CallSite>,
    /// The index of the last finding that suggests a name, until it says that it is the last.
    pub(super) last_suggestion: Option<usize>,
}

impl HotDialect {
    pub(super) fn new(version: Version, reinterpretation: Option<Reinterpretation>) -> Self {
        HotDialect { version, reinterpretation, calls: Vec::new(), last_suggestion: None }
    }
}

impl LoweringDialect for HotDialect {
    const NAME: &'static str = "hot";

    fn date(&self) -> &'static str {
        self.version.date()
    }

    fn describe(&self) -> String {
        self.version.to_string()
    }

    fn is_pseudo_parameter(name: &str) -> bool {
        name.starts_with("OS::")
    }

    fn key_name(key: &'static str) -> &'static str {
        key
    }

    fn key(
        lowerer: &mut Lowerer<'_, Self>,
        definition: Definition,
        key: &SpannedName,
        node: NodeId,
    ) -> Option<&'static str> {
        let (table, what) = match definition {
            Definition::Template => (keys::SECTIONS, "section"),
            Definition::Parameter => (keys::PARAMETER, "parameter key"),
            Definition::Resource => (keys::RESOURCE, "resource key"),
            Definition::Output => (keys::OUTPUT, "output key"),
        };
        let find = |table: &'static [VersionedKey]| table.iter().find(|row| *row.0 == *key.text);
        if definition == Definition::Template
            && let Some((section, _)) = find(keys::EXTRA_SECTIONS)
        {
            let message = format!("only hotplate knows the section `{section}`; Heat refuses it");
            let finding = Diagnostic::new(crate::codes::SECTION_NOT_IN_HEAT, message).at(key.span);
            lowerer.report(finding.help("`--strip-capabilities` removes it from the result"));
            return Some(section);
        }
        if let Some((known, since)) = find(table)
            && (*since <= lowerer.dialect.version
                || (definition != Definition::Output || lowerer.may_reinterpret_outputs())
                    && lowerer.reinterpret_key(table, known, node, what))
        {
            return Some(known);
        }
        let finding = match definition {
            Definition::Template => {
                lowerer.unknown(crate::codes::UNKNOWN_SECTION, key, table, what)
            }
            Definition::Parameter | Definition::Resource => {
                let what = format!("key of a {}", definition.noun());
                lowerer.unknown(crate::codes::UNKNOWN_KEY, key, table, &what)
            }
            Definition::Output => {
                let message = format!("Heat ignores `{}` in an output", key.text);
                Diagnostic::new(crate::codes::IGNORED_KEY, message)
                    .at(key.span)
                    .help("Heat refuses it in a nested template")
            }
        };
        // The content of a misspelled section is read as that of the section that was meant.
        let document = lowerer.document;
        let is_absent =
            |name: &str| document.root().is_some_and(|root| document.get(root, name).is_none());
        let meant = finding.meant().filter(|_| definition == Definition::Template);
        let meant = meant.and_then(|meant| find_named(table, meant)).filter(|it| is_absent(it));
        lowerer.report(finding);
        meant
    }

    fn parameter_type(name: &str) -> Option<ParameterType> {
        ParameterType::from_hot_name(name)
    }

    fn unknown_parameter_type(written: &str) -> Diagnostic {
        let message = format!("`{written}` is not a parameter type");
        let finding = Diagnostic::new(crate::codes::UNKNOWN_PARAMETER_TYPE, message);
        let types = ["string", "number", "boolean", "json", "comma_delimited_list"];
        let meant = match written.to_lowercase().as_str() {
            "int" | "integer" | "float" | "double" | "num" => Some("number"),
            "list" | "array" | "commadelimitedlist" | "sequence" => Some("comma_delimited_list"),
            "map" | "dict" | "object" | "mapping" => Some("json"),
            "str" | "text" => Some("string"),
            "bool" => Some("boolean"),
            other => {
                types.into_iter().find(|it| *it == other).or_else(|| did_you_mean(other, types))
            }
        };
        match meant {
            Some(meant) => finding.did_you_mean(meant),
            None => finding,
        }
    }

    fn hidden(lowerer: &mut Lowerer<'_, Self>, node: NodeId) -> Expr {
        lowerer.data(node)
    }

    fn constraints(
        lowerer: &mut Lowerer<'_, Self>,
        key: SpannedName,
        node: NodeId,
        _declaration: &[Entry],
        parameter: &mut Parameter,
    ) {
        match lowerer.document.kind(node) {
            NodeKind::Sequence(items) => {
                let constraints = items.iter().map(|&item| lowerer.constraint(item));
                parameter.constraints.extend(constraints);
            }
            NodeKind::Null => {}
            _ => {
                lowerer.wrong_shape(&key, node, "a list");
                parameter.extensions.push(lowerer.extension(key, node));
            }
        }
    }

    fn has_deletion_policy(
        lowerer: &mut Lowerer<'_, Self>,
        text: &str,
        span: Span,
        node: NodeId,
    ) -> bool {
        let table = keys::DELETION_POLICIES;
        let version = lowerer.dialect.version;
        if keys::known(table, text, version)
            || lowerer.reinterpret_key(table, text, node, "deletion policy")
        {
            return true;
        }
        let message = format!("`{text}` is not a deletion policy of {version}");
        let finding = Diagnostic::new(crate::codes::DELETION_POLICY_UNKNOWN, message).at(span);
        let finding = match keys::since(table, text) {
            Some(since) => {
                finding.help(format!("this way to write it is available from version {since} on"))
            }
            None => lowerer.suggest(finding, text, table),
        };
        lowerer.report(finding);
        false
    }

    fn call(
        lowerer: &mut Lowerer<'_, Self>,
        node: NodeId,
        entry: Entry,
        place: CallContext,
    ) -> Option<Expr> {
        let function = hot_function(lowerer.document.str(entry.key)?)?;
        Some(lowerer.one_key_map(node, entry, function, place))
    }

    fn is_reinterpreting(&self) -> bool {
        self.reinterpretation.as_ref().is_some_and(|reading| reading.depth > 0)
    }
}

impl Lowerer<'_, HotDialect> {
    /// Heat ignores an unknown key of an output. It is interpreted only in a template that Heat refuses for
    /// other reasons and that defines conditions.
    fn may_reinterpret_outputs(&self) -> bool {
        let document = self.document;
        let conditions = || document.root().and_then(|root| document.get(root, "conditions"));
        self.dialect.reinterpretation.as_ref().is_some_and(|reading| reading.all)
            && conditions().is_some()
    }

    fn constraint(&mut self, node: NodeId) -> ParameterConstraint {
        let span = self.document.span(node);
        let mut constraint = ParameterConstraint {
            kind: ConstraintKind::Missing,
            description: None,
            extensions: Vec::new(),
            span,
        };
        let document = self.document;
        let entries = match document.kind(node) {
            NodeKind::Mapping(mapping) => &mapping.entries,
            kind => {
                let kind = kind_name(kind);
                let message = format!("a constraint must be a map, but this is {kind}");
                self.report(Diagnostic::new(crate::codes::VALUE_SHAPE, message).at(span));
                let name = SpannedName { text: "".into(), span };
                constraint.extensions.push(self.extension(name, node));
                return constraint;
            }
        };
        // Heat uses one kind per entry: the first in its own order, not in the order of the text.
        let used = |version: Version| {
            keys::CONSTRAINTS.iter().filter(|(_, since)| *since <= version).find_map(|(kind, _)| {
                entries.iter().position(|entry| document.str(entry.key) == Some(kind))
            })
        };
        let used = used(self.dialect.version).or_else(|| {
            let at = used(self.dialect.reinterpretation.as_ref()?.version)?;
            let key = entries[at].key;
            self.reinterpret_key(keys::CONSTRAINTS, document.str(key)?, key, "constraint")
                .then_some(at)
        });
        for (at, entry) in entries.iter().enumerate() {
            let key = self.name(entry.key);
            let value = self.data(entry.value);
            if Some(at) == used {
                constraint.kind = match &*key.text {
                    "modulo" => ConstraintKind::Modulo(value),
                    "range" => ConstraintKind::Range(value),
                    "length" => ConstraintKind::Length(value),
                    "allowed_values" => ConstraintKind::AllowedValues(value),
                    "allowed_pattern" => ConstraintKind::AllowedPattern(value),
                    "custom_constraint" => ConstraintKind::Custom(value),
                    other => unreachable!("constraint {other} is in the table and not lowered"),
                };
            } else if &*key.text == "description" {
                constraint.description = Some(value);
            } else {
                let since = keys::since(keys::CONSTRAINTS, &key.text);
                let later = since.filter(|since| *since > self.dialect.version);
                let finding = if let Some(since) = later {
                    let message = format!(
                        "`{}` is not available in version {}",
                        key.text, self.dialect.version
                    );
                    Diagnostic::new(crate::codes::IGNORED_KEY, message)
                        .help(format!("it is available from version {since} on"))
                } else if since.is_some() {
                    Diagnostic::new(
                        crate::codes::IGNORED_KEY,
                        format!("Heat uses one constraint per entry and ignores `{}`", key.text),
                    )
                    .help("write a separate entry for each constraint")
                } else {
                    let finding = Diagnostic::new(
                        crate::codes::UNKNOWN_KEY,
                        format!("`{}` is not a kind of constraint", key.text),
                    );
                    self.suggest(finding, &key.text, keys::CONSTRAINTS)
                };
                self.report(finding.at(key.span));
                constraint.extensions.push(UnknownKey { name: key, value });
            }
        }
        let is_unknown = |it: &UnknownKey| keys::since(keys::CONSTRAINTS, &it.name.text).is_none();
        // A constraint that is misspelled is not missing as well.
        if used.is_none() && !constraint.extensions.iter().any(is_unknown) {
            let finding =
                Diagnostic::new(crate::codes::NO_CONSTRAINT, "this entry contains no constraint");
            self.report(finding.at(span));
        }
        constraint
    }
}

/// The name of a key in its table.
fn find_named(table: &'static [VersionedKey], name: &str) -> Option<&'static str> {
    table.iter().find(|(key, _)| *key == name).map(|(key, _)| *key)
}
