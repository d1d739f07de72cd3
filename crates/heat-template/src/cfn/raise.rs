//! Raises the neutral model to Heat's two CFN formats.
//!
//! A template without conditions uses the Heat format, one with conditions the AWS format.
//! An expression for which the formats have no function is computed if its value is known while raising; if
//! not, the smallest enclosing part that can be omitted is omitted and reported.

mod condition;
mod expression;
mod optional_items;
mod parameter;

use std::collections::HashSet;

use super::node::{CfnNode, CfnNodeKind, CfnPair, Unsupported, UnsupportedKind};
use crate::ir::types::TypeFacts;
use crate::ir::{Choice, DeletionPolicy, Expr, ExprKind, Output, Resource, Shared, Stack};
use lossless_yaml::Value;
use source_diagnostics::Span;

/// Whether a map with this single key is a call in one of the formats, in values or conditions.
fn is_call(name: &str) -> bool {
    super::cfn_function(name).is_some()
}

/// The name of the mapping for data that Heat would treat as calls.
const LITERALS: &str = "Literals";
/// The key of the data in that mapping.
const LITERAL: &str = "value";

/// The values that are known while raising.
pub trait KnownValues {
    /// Whether the value of a parameter is inlined in the template.
    fn inlines_parameter(&self, parameter: &str) -> bool;
    /// The result of evaluating an expression with the known values; `None` if nothing of it is known. Its parts
    /// that are unknown are parameters, references and attributes, or calls with those as arguments.
    fn folded(&self, expr: &Expr) -> Option<Expr>;
    /// Facts about resource types.
    fn facts(&self) -> &dyn TypeFacts;
}

/// A template of one of the formats, by its sections.
#[derive(Clone, Debug, PartialEq)]
pub struct RaisedCfn {
    /// The version key: `HeatTemplateFormatVersion` or `AWSTemplateFormatVersion`.
    pub version_key: &'static str,
    /// The date of the version.
    pub version: &'static str,
    /// `Description`
    pub description: Option<CfnNode>,
    /// `Mappings`: those of the template, and one with data that would be calls anywhere else.
    pub mappings: Vec<CfnPair>,
    /// `Parameters`, those of the template first.
    pub parameters: Vec<CfnPair>,
    /// `Conditions`
    pub conditions: Vec<CfnPair>,
    /// `Resources`
    pub resources: Vec<CfnPair>,
    /// `Outputs`
    pub outputs: Vec<CfnPair>,
    /// Parts that cannot be expressed, or only approximately, in the order of the traversal.
    pub unsupported: Vec<Unsupported>,
}

/// Raises a stack to one of Heat's CFN formats.
pub fn raise(stack: &Stack, surroundings: &dyn KnownValues) -> RaisedCfn {
    let adopted = stack.resources.iter().filter(|(_, it)| it.external_id.is_some());
    let mut raiser = Raiser {
        stack,
        known_values: surroundings,
        omitted_resources: adopted.map(|(name, _)| name.as_str()).collect(),
        owner: String::new(),
        literals: Vec::new(),
        condition_parameters: Vec::new(),
        has_conditions: false,
        is_folded: false,
        unsupported: Vec::new(),
    };
    raiser.stack()
}

/// The state of raising a stack.
struct Raiser<'a> {
    stack: &'a Stack,
    known_values: &'a dyn KnownValues,
    omitted_resources: HashSet<&'a str>,
    /// The parameter, condition, resource or output that is being raised.
    owner: String,
    /// The data for the mapping of literals.
    literals: Vec<Value>,
    /// Parameters that replace conditions that cannot be expressed.
    condition_parameters: Vec<CfnPair>,
    has_conditions: bool,
    /// True if the expression is the result of folding, so that it is not folded again.
    is_folded: bool,
    unsupported: Vec<Unsupported>,
}

/// A value, or why it cannot be expressed.
type Result<T = CfnNode> = std::result::Result<T, Box<Unsupported>>;

impl<'a> Raiser<'a> {
    fn stack(&mut self) -> RaisedCfn {
        let stack = self.stack;
        let parameters = stack.parameters.iter().map(|(name, parameter)| {
            self.owner.clone_from(name);
            named(name, parameter.name_span, Ok(self.parameter(parameter)))
        });
        let mut parameters: Vec<CfnPair> = parameters.collect();
        for group in &stack.groups {
            self.owner.clear();
            self.record_omission(
                UnsupportedKind::Section,
                "parameter_groups",
                "CFN templates have no parameter groups",
                group.value.span,
            );
        }
        let conditions = stack.conditions.iter().map(|(name, condition)| {
            self.owner.clone_from(name);
            named(name, condition.name_span, Ok(self.condition(&condition.value)))
        });
        let conditions: Vec<CfnPair> = conditions.collect();
        let resources = stack.resources.iter().map(|(name, resource)| {
            self.owner.clone_from(name);
            let expressed = self.resource(resource);
            named(name, resource.name_span, self.record_loss(expressed))
        });
        let resources = resources.collect();
        let outputs = stack.outputs.iter().map(|(name, output)| {
            self.owner.clone_from(name);
            let expressed = self.output(output);
            named(name, output.name_span, self.record_loss(expressed))
        });
        let outputs = outputs.collect();
        parameters.append(&mut self.condition_parameters);
        let (version_key, version) = match self.has_conditions || !conditions.is_empty() {
            true => ("AWSTemplateFormatVersion", "2010-09-09"),
            false => ("HeatTemplateFormatVersion", "2012-12-12"),
        };
        RaisedCfn {
            version_key,
            version,
            description: stack.description.as_ref().map(data),
            mappings: self.mappings(),
            parameters,
            conditions,
            resources,
            outputs,
            unsupported: std::mem::take(&mut self.unsupported),
        }
    }

    fn mappings(&mut self) -> Vec<CfnPair> {
        let of_template = self.stack.mappings.iter();
        let of_template = of_template
            .map(|(name, mapping)| named(name, mapping.name_span, Ok(data(&mapping.value))));
        let mut mappings: Vec<CfnPair> = of_template.collect();
        let literals = std::mem::take(&mut self.literals);
        if literals.is_empty() {
            return mappings;
        }
        let row = |(at, value): (usize, Value)| {
            let row = CfnPair::new(LITERAL, CfnNode::data(value, Span::NOWHERE));
            CfnPair::new(&(at + 1).to_string(), CfnNode::map(vec![row], Span::NOWHERE))
        };
        let rows = literals.into_iter().enumerate().map(row).collect();
        mappings.push(CfnPair::new(&self.literals_name(), CfnNode::map(rows, Span::NOWHERE)));
        mappings
    }

    /// A name for the mapping of literals that no mapping of the template has.
    fn literals_name(&self) -> String {
        let mut name = LITERALS.to_owned();
        while self.stack.mappings.contains_key(&name) {
            name.push('_');
        }
        name
    }

    fn resource(&mut self, resource: &'a Resource) -> Result {
        if let Some(id) = &resource.external_id {
            let message =
                "CFN templates cannot refer to an existing resource: it would be created again";
            return Err(self.lose(UnsupportedKind::Resource, "external_id", message, id.span));
        }
        let mut pairs = PairsBuilder::default();
        if let Some(kind) = &resource.kind {
            pairs.add("Type", CfnNode::data(Value::Text(kind.text.to_string()), kind.span));
        }
        pairs.data("Description", resource.description.as_ref());
        if let Some(condition) = &resource.condition {
            self.has_conditions = true;
            pairs.add("Condition", self.condition(condition));
        }
        let there: Vec<_> = resource
            .depends_on
            .iter()
            .filter(|it| !self.omitted_resources.contains(&*it.text))
            .collect();
        if !there.is_empty() {
            let names =
                there.iter().map(|it| CfnNode::data(Value::Text(it.text.to_string()), it.span));
            pairs.add("DependsOn", CfnNode::list(names.collect()));
        }
        if let Some(policy) = &resource.deletion_policy {
            let expressed = match policy {
                DeletionPolicy::Delete => Ok(CfnNode::text("Delete")),
                DeletionPolicy::Retain => Ok(CfnNode::text("Retain")),
                DeletionPolicy::Snapshot => Ok(CfnNode::text("Snapshot")),
                DeletionPolicy::Other(expr) => self.deletion_policy(expr),
            };
            self.add(&mut pairs, "DeletionPolicy", expressed);
        }
        for (key, part) in [
            ("UpdatePolicy", &resource.update_policy),
            ("Metadata", &resource.metadata),
            ("Properties", &resource.properties),
        ] {
            if let Some(part) = part {
                let expressed = match key {
                    "Metadata" => self.value(part, true),
                    _ => self.section(part),
                };
                self.add(&mut pairs, key, expressed);
            }
        }
        Ok(pairs.done())
    }

    /// Raises a map of a resource, as far as it can be expressed.
    fn section(&mut self, expr: &'a Expr) -> Result {
        match &expr.kind {
            // Heat does not accept a call in place of the whole map, so there is no choice between two maps.
            ExprKind::Map(pairs) => self.pairs(&self.without_absent_pairs(pairs), expr.span, true),
            _ => self.value(expr, true),
        }
    }

    /// Raises a computed deletion policy with its values written as in CFN templates.
    fn deletion_policy(&mut self, expr: &Expr) -> Result {
        fn spelled(expr: &Expr) -> Expr {
            let word = expr.as_text().and_then(|word| match word {
                "delete" => Some("Delete"),
                "retain" => Some("Retain"),
                "snapshot" => Some("Snapshot"),
                _ => None,
            });
            let kind = match (word, &expr.kind) {
                (Some(word), _) => ExprKind::Text(word.into()),
                (None, ExprKind::Choose(choice)) => ExprKind::Choose(Shared::new(Choice {
                    condition: choice.condition.clone(),
                    then: spelled(&choice.then),
                    otherwise: choice.otherwise.as_ref().map(spelled),
                })),
                (None, kind) => kind.clone(),
            };
            Expr { kind, span: expr.span }
        }
        let word = spelled(expr);
        if !matches!(word.kind, ExprKind::Text(_) | ExprKind::Choose(_)) {
            let message = "CFN templates accept the policies `Delete`, `Retain` and `Snapshot` only with this capitalization";
            self.record_difference(UnsupportedKind::Section, "deletion_policy", message, expr.span);
        }
        self.value(&word, false)
    }

    fn output(&mut self, output: &'a Output) -> Result {
        let mut pairs = PairsBuilder::default();
        pairs.data("Description", output.description.as_ref());
        if let Some(condition) = &output.condition {
            self.has_conditions = true;
            pairs.add("Condition", self.condition(condition));
        }
        for extension in &output.extensions {
            let message = "Heat ignores this key, and CFN templates have no such key";
            self.record_difference(
                UnsupportedKind::Section,
                &extension.name.text,
                message,
                extension.name.span,
            );
        }
        if let Some(value) = &output.value {
            let value = self.value(&optional_items::null_if_absent(value), true);
            pairs.add("Value", value?);
        }
        Ok(pairs.done())
    }

    /// Adds a value, or why it cannot be expressed, under a key.
    fn add(&mut self, pairs: &mut PairsBuilder, key: &str, expressed: Result) {
        let value = self.record_loss(expressed);
        pairs.0.push(CfnPair { key: key.to_owned(), key_span: Span::NOWHERE, value });
    }

    /// Records a loss that no enclosing part can avoid.
    fn record_loss(&mut self, expressed: Result) -> Result {
        if let Err(unexpressed) = &expressed
            && !self.unsupported.contains(unexpressed)
        {
            self.unsupported.push((**unexpressed).clone());
        }
        expressed
    }

    /// Creates the record of something that cannot be expressed.
    fn lose(
        &self,
        what: UnsupportedKind,
        subject: &str,
        message: impl Into<String>,
        span: Span,
    ) -> Box<Unsupported> {
        let suggestion = match what {
            UnsupportedKind::Function => Some(
                "`--bake` writes the values of parameters into the result, so that this can be computed",
            ),
            UnsupportedKind::Attribute | UnsupportedKind::Section | UnsupportedKind::Resource => {
                None
            }
        };
        Box::new(Unsupported {
            kind: what,
            subject: subject.to_owned(),
            message: message.into(),
            span,
            suggestion: suggestion.map(Into::into),
            is_approximated: false,
            owner: self.owner.clone(),
        })
    }

    /// Records something that is omitted.
    fn record_omission(
        &mut self,
        what: UnsupportedKind,
        subject: &str,
        message: impl Into<String>,
        span: Span,
    ) {
        let unexpressed = self.lose(what, subject, message, span);
        self.unsupported.push(*unexpressed);
    }

    /// Records something that is expressed only approximately.
    fn record_difference(
        &mut self,
        what: UnsupportedKind,
        subject: &str,
        message: impl Into<String>,
        span: Span,
    ) {
        let unexpressed = self.lose(what, subject, message, span);
        let unexpressed = Unsupported { is_approximated: true, suggestion: None, ..*unexpressed };
        if !self.unsupported.contains(&unexpressed) {
            self.unsupported.push(unexpressed);
        }
    }
}

fn named(name: &str, key_span: Span, value: Result) -> CfnPair {
    CfnPair { key: name.to_owned(), key_span, value }
}

/// An expression as data, without calls.
fn data(expr: &Expr) -> CfnNode {
    let kind = match &expr.kind {
        ExprKind::List(items) => CfnNodeKind::List(items.iter().map(data).collect()),
        ExprKind::Map(pairs) => {
            let pair = |pair: &crate::ir::Pair| CfnPair {
                key: expression::key(&pair.key),
                key_span: pair.key.span,
                value: Ok(data(&pair.value)),
            };
            CfnNodeKind::Map(pairs.iter().map(pair).collect())
        }
        _ => CfnNodeKind::Data(expression::scalar(expr)),
    };
    CfnNode { kind, span: expr.span }
}

/// The pairs of a map under construction.
#[derive(Default)]
struct PairsBuilder(Vec<CfnPair>);

impl PairsBuilder {
    fn add(&mut self, key: &str, value: CfnNode) {
        self.0.push(CfnPair::new(key, value));
    }

    fn data(&mut self, key: &str, value: Option<&Expr>) {
        if let Some(value) = value {
            self.add(key, data(value));
        }
    }

    fn done(self) -> CfnNode {
        CfnNode::map(self.0, Span::NOWHERE)
    }
}

#[cfg(test)]
mod tests;
