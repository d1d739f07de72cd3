//! Lowers a CFN template to the neutral model, with the code of `hot::lower`: what the formats have that HOT has not.
//!
//! Heat's rules: `docs/heat.md#keys-of-the-cfn-formats`, `docs/heat.md#parameters-of-the-cfn-formats`.

mod calls;

use super::keys::{self, LENGTH, RANGE};
use super::{CfnFormat, PSEUDO};
use crate::hot::{
    CallContext, Definition, Lowerer, LoweringContext, LoweringDialect, Version, deletion_policy,
};
use crate::ir::{
    ConstraintKind, Expr, ExprKind, Pair, Parameter, ParameterConstraint, ParameterType,
    SpannedName, Stack,
};
use lossless_yaml::{Document, Entry, NodeId};
use source_diagnostics::{Diagnostic, Span, did_you_mean};

/// The result of lowering.
#[derive(Clone, Debug)]
pub struct LoweredCfn {
    /// The stack in the intermediate representation.
    pub stack: Stack,
    /// The findings of lowering.
    pub findings: Vec<Diagnostic>,
}

/// Lowers a template of `format`, whose version is the value at `version_node`, to the neutral model.
pub fn lower(document: &Document, format: CfnFormat, version_node: NodeId) -> LoweredCfn {
    let Lowerer { stack, findings, .. } = Lowerer::run(document, format, version_node);
    LoweredCfn { stack, findings }
}

/// A constraint of the model, given its value.
type ConstraintOf = fn(Expr) -> ConstraintKind;

/// The constraints of two limits with their keys, in the order in which Heat reads them; the model has a map.
const LIMITS: [(ConstraintOf, [&str; 2]); 2] =
    [(ConstraintKind::Range, RANGE), (ConstraintKind::Length, LENGTH)];

/// The other constraints, which Heat reads after those.
const OTHERS: [(ConstraintOf, &str); 2] = [
    (ConstraintKind::AllowedValues, "AllowedValues"),
    (ConstraintKind::AllowedPattern, "AllowedPattern"),
];

impl LoweringDialect for CfnFormat {
    const NAME: &'static str = "cfn";

    fn date(&self) -> &'static str {
        CfnFormat::date(*self)
    }

    fn describe(&self) -> String {
        self.to_string()
    }

    fn is_pseudo_parameter(name: &str) -> bool {
        PSEUDO.contains(&name)
    }

    fn key_name(key: &'static str) -> &'static str {
        keys::name_in_cfn(key)
    }

    fn key(
        lowerer: &mut Lowerer<'_, Self>,
        definition: Definition,
        key: &SpannedName,
        _node: NodeId,
    ) -> Option<&'static str> {
        use crate::codes::{IGNORED_KEY, UNKNOWN_KEY, UNKNOWN_SECTION};
        let table = match definition {
            Definition::Template => keys::SECTIONS,
            Definition::Parameter => keys::PARAMETER,
            Definition::Resource => keys::RESOURCE,
            Definition::Output => keys::OUTPUT,
        };
        let (format, name, what) = (lowerer.dialect, &key.text, definition.noun());
        let known = keys::name_in_hot(table, name, format);
        if known.is_none() {
            let (code, message) = match definition {
                Definition::Template => {
                    (UNKNOWN_SECTION, format!("`{name}` is not a section of {format}"))
                }
                Definition::Parameter => {
                    (UNKNOWN_KEY, format!("`{name}` is not a key of a {what} in Heat"))
                }
                Definition::Resource | Definition::Output => {
                    (IGNORED_KEY, format!("Heat ignores `{name}` in a {what}"))
                }
            };
            let finding = Diagnostic::new(code, message).at(key.span);
            let names = table.iter().map(|(name, ..)| *name);
            lowerer.report(match did_you_mean(name, names.filter(|near| **near != **name)) {
                Some(near) => finding.did_you_mean(near),
                None => finding,
            });
        }
        known
    }

    fn parameter_type(name: &str) -> Option<ParameterType> {
        ParameterType::ALL.into_iter().find(|kind| keys::type_name(*kind) == name)
    }

    fn unknown_parameter_type(written: &str) -> Diagnostic {
        let message = format!("`{written}` is not a parameter type in Heat");
        let types = "`String`, `Number`, `CommaDelimitedList`, `Json` and `Boolean`";
        Diagnostic::new(crate::codes::UNKNOWN_PARAMETER_TYPE, message)
            .help(format!("the types are {types}"))
    }

    fn hidden(lowerer: &mut Lowerer<'_, Self>, node: NodeId) -> Expr {
        // Heat compares the value, converted to text, with `true`.
        let written = lowerer.data(node);
        let hidden = match &written.kind {
            ExprKind::Bool(value) => *value,
            ExprKind::Text(text) => text.eq_ignore_ascii_case("true"),
            _ => false,
        };
        Expr { kind: ExprKind::Bool(hidden), span: written.span }
    }

    fn constraints(
        lowerer: &mut Lowerer<'_, Self>,
        _key: SpannedName,
        _node: NodeId,
        declaration: &[Entry],
        parameter: &mut Parameter,
    ) {
        // Each constraint is a key of the declaration; the first of these keys lowers all.
        if !parameter.constraints.is_empty() {
            return;
        }
        let document = lowerer.document;
        let find =
            |key: &str| declaration.iter().find(|entry| document.str(entry.key) == Some(key));
        let mut found = Vec::new();
        for (kind, keys) in LIMITS {
            let limits = keys.map(find);
            let Some(first) = limits.into_iter().flatten().next() else { continue };
            let pairs = ["min", "max"].into_iter().zip(limits).filter_map(|(name, entry)| {
                let Entry { key, value } = *entry?;
                let key = Expr::new(ExprKind::Text(name.into()), document.span(key));
                Some(Pair { key, value: lowerer.data(value) })
            });
            let limits = ExprKind::Map(pairs.collect());
            found.push((kind, Expr::new(limits, document.span(first.value))));
        }
        for (kind, key) in OTHERS {
            found.extend(find(key).map(|entry| (kind, lowerer.data(entry.value))));
        }
        let description = find("ConstraintDescription").map(|entry| lowerer.data(entry.value));
        let constraints = found.into_iter().map(|(kind, value)| ParameterConstraint {
            span: value.span,
            kind: kind(value),
            description: description.clone(),
            extensions: Vec::new(),
        });
        parameter.constraints = constraints.collect();
    }

    fn has_deletion_policy(
        lowerer: &mut Lowerer<'_, Self>,
        text: &str,
        span: Span,
        _node: NodeId,
    ) -> bool {
        // The oldest version of HOT has the same spellings.
        let is_known = deletion_policy(text, Version::V2013_05_23).is_some();
        if !is_known {
            let message = format!("`{text}` is not a deletion policy");
            let finding = Diagnostic::new(crate::codes::DELETION_POLICY_UNKNOWN, message);
            lowerer.report(finding.at(span));
        }
        is_known
    }

    fn call(
        lowerer: &mut Lowerer<'_, Self>,
        node: NodeId,
        entry: Entry,
        place: CallContext,
    ) -> Option<Expr> {
        lowerer.call(node, entry, place)
    }
}
