//! Evaluates the rules of a policy on the stacks of a deployment.

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::Arc;

use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_engine::eval::typed_properties::ValueStep;
use heat_template::ir::{Expr, Output, Parameter};
use source_diagnostics::{Diagnostic, Span};
use source_files::display_name;
use yaql::{Data, Failure, Options};

use super::Policy;
use super::data::{StackData, map, text};
use super::load::yaql_options;
use super::rule::{PolicyRule, SelectedKind};
use hotplate_check::{CheckedResource, CheckedStack, locate};

/// The most parts of stacks that the conditions of a policy may see in a deployment: a condition about the whole stack sees each of
/// its parts, for each part that it is about. A thousand resources, as many as Heat allows, may be compared with each other twice.
const MAX_PARTS_SEEN: u64 = 2_000_000;

/// The findings of a policy about a deployment.
#[derive(Debug, Default)]
pub struct PolicyFindings {
    /// Violated rules, undecided ones, and conditions that fail.
    pub findings: Vec<Diagnostic>,
    /// The number of parts for which a rule is undecided, since its condition depends on unknown or hidden values.
    pub undecided: usize,
}

impl Policy {
    /// Evaluates every rule on every stack.
    pub fn check(&self, deployed: &Deployed) -> PolicyFindings {
        let mut found = PolicyFindings::default();
        if self.rules.is_empty() {
            return found;
        }
        let mut seen = HashSet::new();
        let parts_left = Cell::new(MAX_PARTS_SEEN);
        for stack in CheckedStack::tree(deployed) {
            // What a template declares is the same wherever it is nested.
            let is_first = seen.insert(Arc::as_ptr(&stack.deployed.stack));
            let data = StackData::of(&stack);
            let whole = data.whole(&stack);
            let evaluation = StackEvaluation {
                // The parts of a stack are looked through once, not for each of them.
                options: Options { is_data_plain: whole.is_plain(), ..yaql_options() },
                declares: stack.is_written() && is_first,
                data,
                whole,
                parts_left: &parts_left,
                stack,
            };
            for rule in &self.rules {
                evaluation.rule(rule, &mut found);
            }
            evaluation.unknown_stacks(&mut found);
        }
        found
    }
}

struct StackEvaluation<'a> {
    options: Options,
    stack: CheckedStack<'a>,
    /// Whether parameters, outputs and the template itself are looked at here.
    declares: bool,
    data: StackData,
    whole: Data,
    parts_left: &'a Cell<u64>,
}

/// A part of a stack, as it is written.
enum SelectedPart<'a> {
    Resource(CheckedResource<'a>),
    Parameter(&'a Parameter),
    Output(&'a Output),
    Template,
}

impl StackEvaluation<'_> {
    fn rule(&self, rule: &PolicyRule, found: &mut PolicyFindings) {
        let template = self.stack.deployed.stack.as_ref();
        // The same data for all parts: only the part and the value differ, and the stack is not copied for each.
        let mut given = map([
            (rule.kind.name(), Data::Null),
            ("value", Data::Null),
            ("stack", self.whole.clone()),
        ]);
        match rule.kind {
            SelectedKind::Resource => {
                for (resource, data) in self.stack.resources().zip(&self.data.resources) {
                    let plugin = resource.implementation.and_then(|it| it.plugin());
                    let is_selected = rule.selects(&resource.evaluated.kind)
                        || plugin.is_some_and(|(name, _)| rule.selects(name));
                    if is_selected {
                        self.part(rule, &SelectedPart::Resource(resource), data, &mut given, found);
                    }
                }
            }
            _ if !self.declares => {}
            SelectedKind::Parameter => {
                for ((name, it), data) in template.parameters.iter().zip(&self.data.parameters) {
                    if rule.selects(name) {
                        self.part(rule, &SelectedPart::Parameter(it), data, &mut given, found);
                    }
                }
            }
            SelectedKind::Output => {
                for ((name, it), data) in template.outputs.iter().zip(&self.data.outputs) {
                    if rule.selects(name) {
                        self.part(rule, &SelectedPart::Output(it), data, &mut given, found);
                    }
                }
            }
            SelectedKind::Template => {
                self.part(rule, &SelectedPart::Template, &self.whole, &mut given, found);
            }
        }
    }

    /// Reports the resources whose stacks are unknown, such as groups of an unknown size: no rule is evaluated inside them.
    fn unknown_stacks(&self, found: &mut PolicyFindings) {
        let children = &self.stack.deployed.children;
        for resource in self.stack.resources() {
            if let Some(ChildStack::Unknown(_)) = children.get(resource.name) {
                found.undecided += 1;
                let message = format!(
                    "no rule is evaluated inside `{}`: its stack depends on unknown values",
                    resource.name
                );
                let finding = Diagnostic::new(hotplate_check::codes::POLICY_UNDECIDED, message);
                found.findings.push(finding.at(resource.type_span));
            }
        }
    }

    /// Evaluates a rule for a part, once for each value that its path leads to.
    fn part(
        &self,
        rule: &PolicyRule,
        part: &SelectedPart<'_>,
        data: &Data,
        given: &mut Data,
        found: &mut PolicyFindings,
    ) {
        let seen = 1 + u64::from(rule.sees_stack)
            * (self.data.resources.len() + self.data.parameters.len() + self.data.outputs.len())
                as u64;
        for (way, value) in rule.path.values(data) {
            let left = self.parts_left.get();
            self.parts_left.set(left.saturating_sub(seen));
            if left == 0 {
                found.undecided += 1;
                let message = format!(
                    "the rule {} is not evaluated here: the conditions of the policy have seen {MAX_PARTS_SEEN} parts of stacks",
                    rule.id()
                );
                let finding = Diagnostic::new(hotplate_check::codes::POLICY_UNDECIDED, message);
                found.findings.push(finding.at(self.span(part, &way)));
                continue;
            }
            if let Data::Map(pairs) = given {
                pairs[0] = (text(rule.kind.name()), data.clone());
                pairs[1] = (text("value"), value.clone());
            }
            let span = self.span(part, &way);
            match rule.condition.evaluate(given, &self.options) {
                Ok(Data::Bool(holds)) if holds == rule.violated_by => {
                    let message = rule.message.text(given, &self.options);
                    let finding = Diagnostic::new(rule.code, message).at(span);
                    found.findings.push(match &rule.help {
                        Some(help) => finding.help(help),
                        None => finding,
                    });
                }
                Ok(Data::Bool(_)) => {}
                Ok(Data::Unknown(_)) | Err(Failure::Unknown) => {
                    found.undecided += 1;
                    let message = format!(
                        "the rule {} is undecided: it depends on values that are unknown or hidden",
                        rule.id()
                    );
                    found.findings.push(
                        Diagnostic::new(hotplate_check::codes::POLICY_UNDECIDED, message).at(span),
                    );
                }
                Ok(_) => {
                    let message =
                        format!("the condition of {} is neither true nor false", rule.id());
                    found.findings.push(failed(rule, message, span));
                }
                Err(Failure::Raised(raised)) => {
                    let message = format!(
                        "the condition of {} fails: {} ({})",
                        rule.id(),
                        raised.message,
                        raised.class.name()
                    );
                    found.findings.push(failed(rule, message, span));
                }
            }
        }
    }

    /// Where a value is written; without one, the name of the part.
    fn span(&self, part: &SelectedPart<'_>, way: &[ValueStep]) -> Span {
        let key = match way.first() {
            Some(ValueStep::Key(key)) => key.as_str(),
            _ => "",
        };
        let rest = way.get(1..).unwrap_or_default();
        let inside = |part: Option<&Expr>| part.map(|it| locate(it, rest, false));
        match part {
            SelectedPart::Resource(resource) => {
                let definition = resource.definition;
                let written = match key {
                    "properties" => inside(resource.properties),
                    "metadata" => inside(definition.and_then(|it| it.metadata.as_ref())),
                    "deletion_policy" => definition.and_then(|it| it.deletion_policy_span),
                    "depends_on" => definition.and_then(|it| it.depends_on_span),
                    "type" | "written_type" => Some(resource.type_span),
                    _ => None,
                };
                let name = definition.filter(|_| self.stack.is_written()).map(|it| it.name_span);
                written.or(name).unwrap_or(resource.type_span)
            }
            SelectedPart::Parameter(parameter) => {
                let written = match key {
                    "default" => parameter.default.as_ref(),
                    "description" => parameter.description.as_ref(),
                    "label" => parameter.label.as_ref(),
                    "hidden" => parameter.hidden.as_ref(),
                    "immutable" => parameter.immutable.as_ref(),
                    "tags" => parameter.tags.as_ref(),
                    _ => None,
                };
                let constraint = match (key, rest.first()) {
                    ("constraints", Some(ValueStep::Item(at))) => parameter.constraints.get(*at),
                    _ => None,
                };
                let constraint = constraint.map(|constraint| constraint.span);
                inside(written).or(constraint).unwrap_or(parameter.name_span)
            }
            SelectedPart::Output(output) => {
                let written = match key {
                    "value" => output.value.as_ref(),
                    "description" => output.description.as_ref(),
                    _ => None,
                };
                inside(written).unwrap_or(output.name_span)
            }
            SelectedPart::Template => {
                let template = self.stack.deployed.stack.as_ref();
                let parameters = template.parameters.values().map(|it| it.name_span);
                let resources = template.resources.values().map(|it| it.name_span);
                let outputs = template.outputs.values().map(|it| it.name_span);
                let first = parameters.chain(resources).chain(outputs).next();
                let start = |span: Span| Span::new(span.source, 0, 0);
                first.map_or(Span::NOWHERE, start)
            }
        }
    }
}

/// A condition without a result is a mistake in the rule, which the part of the template only shows.
fn failed(rule: &PolicyRule, message: String, span: Span) -> Diagnostic {
    let file = rule.folder.join(format!("{}.yaml", rule.id()));
    let help = format!("correct the rule in `{}`", display_name(&file));
    Diagnostic::new(hotplate_check::codes::POLICY_FAILED, message).at(span).help(help)
}
