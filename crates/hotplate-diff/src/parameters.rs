//! Compares parameters: their declarations, and their values in the deployment.
//!
//! Heat's rule: `docs/heat.md#immutable-parameters`.

use std::collections::{HashMap, HashSet};

use super::DeploymentSide;
use super::comparison::{
    ChangeReason, DefinitionPart, DisplayValue, EntryStatus, Impact, Pair, ParameterAspect,
    ParameterChange, ParameterDetail, Places,
};
use super::dataflow::{Dataflow, DataflowNode, DataflowPair, ROOT, StackId};
use super::equality::{ParameterRenames, Ternary, same, same_with};
use super::input::{ComparisonInput, ImpactIndex, TemplatePair, renames_within};
use super::stages::DecidedResource;
use super::update_rules::UpdateRule;
use super::{constraints, name_order};
use heat_engine::eval::deployment::Deployed;
use heat_engine::eval::parameters::coerce;
use heat_engine::eval::{EvalResult, Value, python};
use heat_template::ir::{Expr, Parameter, ParameterType};
use source_diagnostics::Span;

/// The parameters that differ, those of the root stack first. Declarations of nested templates are
/// compared once for each pair of templates; their values follow from the enclosing stacks and are
/// reported only if Heat refuses them. `resources` says what happens to the stacks.
pub(super) fn compare(
    input: &ComparisonInput<'_>,
    resources: &[DecidedResource],
) -> Vec<ParameterChange> {
    let mut changes = Vec::new();
    // Whether Heat may refuse a value of the templates that were compared before.
    let mut compared: HashMap<TemplatePair, bool> = HashMap::new();
    let impacts = ImpactIndex::of(resources);
    for ids in input.flows.stacks() {
        let stacks =
            Pair { old: input.flows.old.stack(ids.old), new: input.flows.new.stack(ids.new) };
        let before = compared.get(&input.templates(ids)).copied();
        if before == Some(false) {
            continue;
        }
        if before.is_none() {
            let refuses = stacks.new.stack.parameters.values().any(Parameter::is_immutable);
            compared.insert(input.templates(ids), refuses);
        }
        let walk = StackPair {
            input,
            ids,
            stacks,
            compares_declarations: before.is_none(),
            is_update: input.is_updated_stack(ids, &impacts),
        };
        walk.parameters(&mut changes);
    }
    changes
}

/// Adds the immutable parameters for which Heat refuses an update although no value differs: Heat compares the
/// old value with the new one as written, so that the text `5` (`-P n=5`) differs from the number 5. Not
/// reported if nothing else changes.
pub(super) fn mark_refused_spellings(
    input: &ComparisonInput<'_>,
    resources: &[DecidedResource],
) -> Vec<ParameterChange> {
    let impacts = ImpactIndex::of(resources);
    let mut changes = Vec::new();
    for ids in input.flows.stacks() {
        if !input.is_updated_stack(ids, &impacts) {
            continue;
        }
        let stack = input.flows.new.stack(ids.new);
        let old = input.flows.old.stack(ids.old);
        for (name, parameter) in &stack.stack.parameters {
            let Some(before) = old.stack.parameters.get(name) else { continue };
            let (Some(Ok(one)), Some(Ok(other))) = (value(old, name), value(stack, name)) else {
                continue;
            };
            if !parameter.is_immutable()
                || same_with(one, other, input.parameter_renames) != Ternary::Yes
            {
                continue;
            }
            let Some(given) = given_value(input.new, ids.new, name, parameter, other) else {
                continue;
            };
            if one.holds_unknown() || python::equal(one.unsealed(), given.unsealed()) {
                continue;
            }
            let is_configured =
                ids.new == ROOT && (input.old.is_configured(name) || input.new.is_configured(name));
            let secret = before.is_hidden() || parameter.is_hidden() || is_configured;
            let shown = |value: &Value| DisplayValue::Value(value.clone().sealed(secret));
            let place = |side: &DeploymentSide<'_>, parameter: &Parameter| {
                let written =
                    (ids.new == ROOT).then(|| value_span(side, name, parameter)).flatten();
                Some(written.unwrap_or(parameter.name_span))
            };
            changes.push(ParameterChange {
                name: input.flows.new.full_name(ids.new, name),
                change: EntryStatus::Changed,
                places: Places { old: Some(before.name_span), new: Some(parameter.name_span) },
                refused: true,
                details: vec![ParameterDetail {
                    aspect: ParameterAspect::Value,
                    value: Pair { old: shown(one), new: shown(&given) },
                    places: Places {
                        old: place(input.old, before),
                        new: place(input.new, parameter),
                    },
                }],
                affects: Vec::new(),
            });
        }
    }
    changes
}

/// The values of parameters for which Heat refuses the update, where no environment says whether the stack has one of them: the name of the
/// parameter, and the end of a sentence about its value.
pub(super) fn values_refused_now(input: &ComparisonInput<'_>) -> Vec<(String, String)> {
    let Pair { old, new } = Pair { old: input.old, new: input.new };
    let given: HashSet<&str> = new
        .environment
        .parameters()
        .chain(new.environment.parameter_defaults())
        .map(|(name, _)| name)
        .collect();
    let mut refused = Vec::new();
    for (name, parameter) in &new.deployed.stack.parameters {
        let Some(before) = old.deployed.stack.parameters.get(name) else { continue };
        let is_hidden = before.is_hidden() || parameter.is_hidden();
        if !is_hidden && !given.contains(name.as_str()) {
            let ends = constraints::values_refused_now(before, parameter);
            refused.extend(ends.into_iter().map(|end| (name.clone(), end)));
        }
    }
    refused
}

/// Sets the impact `Refused` for resources whose definitions differ because of parameters that
/// Heat refuses.
pub(super) fn refuse_immutable_changes(
    changes: &[ParameterChange],
    flows: &DataflowPair<'_>,
    resources: &mut [DecidedResource],
) {
    let at: HashMap<String, usize> =
        resources.iter().enumerate().map(|(at, it)| (it.name.clone(), at)).collect();
    for change in changes.iter().filter(|change| change.refused) {
        let start = change.name.rfind('/').map_or(0, |slash| slash + 1);
        let (path, name) = change.name.split_at(start);
        let mut reached: Vec<(String, DefinitionPart)> = Vec::new();
        for flow in [&flows.old, &flows.new] {
            if let Some(id) = flow.stack_at(path) {
                reached.extend(flow.reachable_parts([DataflowNode::Parameter(id, name.into())]));
            }
        }
        for (resource, part) in reached {
            let Some(resource) = at.get(&resource).map(|at| &mut resources[*at]) else { continue };
            let differs = |reason: &ChangeReason| {
                let is_part = match (&reason.part, &part) {
                    // A condition only decides whether the resource exists.
                    (DefinitionPart::Resource, DefinitionPart::Condition) => true,
                    (DefinitionPart::Properties, DefinitionPart::Property(_)) => true,
                    (one, other) => one == other,
                };
                is_part && !matches!(reason.impact, Impact::None | Impact::NoopUpdate)
            };
            let value =
                change.details.iter().find(|detail| detail.aspect == ParameterAspect::Value);
            let values = value.and_then(|detail| {
                Some((shown_value(&detail.value.old)?, shown_value(&detail.value.new)?))
            });
            let why = UpdateRule::ImmutableParameter { parameter: change.name.clone(), values };
            if !resource.reasons.iter().any(differs)
                || resource.reasons.iter().any(|reason| reason.rule == why)
            {
                continue;
            }
            let places = value.map(|detail| detail.places).unwrap_or_default();
            resource.reasons.insert(0, ChangeReason::new(part, Impact::Refused, why, places));
            resource.impact = Impact::Refused;
        }
    }
}

/// A value within a sentence; `None` if it is secret, unknown or long.
fn shown_value(value: &DisplayValue) -> Option<String> {
    const LONGEST: usize = 60;
    let DisplayValue::Value(value) = value else { return None };
    if value.holds_secret() || value.holds_unknown() {
        return None;
    }
    let text = match value {
        Value::Text(text) => text.to_string(),
        value => python::repr_preview(value),
    };
    (text.chars().count() <= LONGEST && !text.contains('\n')).then_some(text)
}

/// The value of an immutable parameter as Heat compares it, if that may differ from the parameter's
/// converted value.
fn given_value(
    side: &DeploymentSide<'_>,
    id: StackId,
    name: &str,
    parameter: &Parameter,
    value: &Value,
) -> Option<Value> {
    if id == ROOT {
        let mut given = side.environment.parameters();
        return given.find(|(given, _)| *given == name).map(|(_, node)| node.into());
    }
    // Heat's client sends lists as text.
    match (parameter.kind, value.unsealed()) {
        (Some(ParameterType::TextList), Value::List(items)) => {
            let texts: Vec<String> = items
                .iter()
                .map(|item| python::str(item.unsealed()).ok())
                .collect::<Option<_>>()?;
            Some(Value::text(texts.join(",")))
        }
        _ => None,
    }
}

fn value<'d>(stack: &'d Deployed, name: &str) -> Option<&'d EvalResult> {
    stack.evaluation.parameters.get(name)
}

/// The span of the value of a root stack's parameter.
fn value_span(side: &DeploymentSide<'_>, name: &str, parameter: &Parameter) -> Option<Span> {
    let node = |mut nodes: Box<
        dyn Iterator<Item = (&str, &heat_engine::environment::EnvironmentNode)> + '_,
    >| {
        nodes.find(|(given, node)| *given == name && !node.is_null()).map(|(_, node)| node.span)
    };
    node(Box::new(side.environment.parameters()))
        .or_else(|| node(Box::new(side.environment.parameter_defaults())))
        .or_else(|| parameter.default.as_ref().map(|default| default.span))
}

/// Two stacks at the same path.
struct StackPair<'a> {
    input: &'a ComparisonInput<'a>,
    ids: Pair<StackId>,
    stacks: Pair<&'a Deployed>,
    /// Whether the declarations of their templates are compared.
    compares_declarations: bool,
    /// Whether the new stack is an update of the old one.
    is_update: bool,
}

impl StackPair<'_> {
    fn parameters(&self, changes: &mut Vec<ParameterChange>) {
        let path = self.input.flows.new.path(self.ids.new);
        let stacks = Pair { old: &self.stacks.old.stack, new: &self.stacks.new.stack };
        let renamed = renames_within(&self.input.renamed.parameters, path, |old, new| {
            stacks.old.parameters.contains_key(old) && stacks.new.parameters.contains_key(new)
        });
        let was: HashSet<&str> = renamed.values().copied().collect();
        let names = name_order::merge_names(
            stacks.old.parameters.keys().map(String::as_str),
            stacks.new.parameters.keys().map(String::as_str),
        );
        for name in names {
            let old = stacks.old.parameters.get(name);
            match (old, stacks.new.parameters.get(name)) {
                (Some(old), Some(new)) => {
                    self.two_sided(Pair { old: name, new: name }, Pair { old, new }, changes);
                }
                (None, Some(new)) => match renamed.get(name) {
                    Some(&from) => {
                        let Some(old) = stacks.old.parameters.get(from) else { continue };
                        self.two_sided(Pair { old: from, new: name }, Pair { old, new }, changes);
                    }
                    None => self.one_sided(name, Pair { old: None, new: Some(new) }, changes),
                },
                (Some(old), None) if !was.contains(name) => {
                    self.one_sided(name, Pair { old: Some(old), new: None }, changes);
                }
                (Some(_), None) | (None, None) => {}
            }
        }
    }

    fn is_root(&self) -> bool {
        self.ids.new == ROOT
    }

    fn is_configured(&self, name: Pair<&str>) -> bool {
        let Pair { old, new } = Pair { old: self.input.old, new: self.input.new };
        self.is_root() && (old.is_configured(name.old) || new.is_configured(name.new))
    }

    fn whole(&self, name: &str) -> String {
        self.input.flows.new.full_name(self.ids.new, name)
    }

    fn reaches(&self, name: &str, is_gone: bool) -> Vec<String> {
        let (flow, id): (&Dataflow<'_>, _) = match is_gone {
            true => (&self.input.flows.old, self.ids.old),
            false => (&self.input.flows.new, self.ids.new),
        };
        flow.reachable_resources([DataflowNode::Parameter(id, name.into())])
    }

    /// A parameter that exists on one side only.
    fn one_sided(
        &self,
        name: &str,
        parameter: Pair<Option<&Parameter>>,
        changes: &mut Vec<ParameterChange>,
    ) {
        if !self.compares_declarations {
            return;
        }
        let mut details = Vec::new();
        let is_hidden =
            [parameter.old, parameter.new].into_iter().flatten().any(Parameter::is_hidden)
                || self.is_configured(Pair { old: name, new: name });
        let kind = |parameter: Option<&Parameter>| {
            parameter.map_or(DisplayValue::Absent, |parameter| shown_type(parameter.kind))
        };
        let span = |parameter: Option<&Parameter>| parameter.map(|parameter| parameter.name_span);
        let places = Places { old: span(parameter.old), new: span(parameter.new) };
        let value = Pair { old: kind(parameter.old), new: kind(parameter.new) };
        details.push(ParameterDetail { aspect: ParameterAspect::Type, value, places });
        if self.is_root() {
            let shown = |stack: &Deployed, parameter: Option<&Parameter>| match parameter {
                Some(_) => masked(DisplayValue::of_outcome(self::value(stack, name)), is_hidden),
                None => DisplayValue::Absent,
            };
            let place = |side: &DeploymentSide<'_>, parameter: Option<&Parameter>| {
                parameter.and_then(|parameter| value_span(side, name, parameter))
            };
            details.push(ParameterDetail {
                aspect: ParameterAspect::Value,
                value: Pair {
                    old: shown(self.stacks.old, parameter.old),
                    new: shown(self.stacks.new, parameter.new),
                },
                places: Places {
                    old: place(self.input.old, parameter.old),
                    new: place(self.input.new, parameter.new),
                },
            });
        }
        let is_gone = parameter.new.is_none();
        changes.push(ParameterChange {
            name: self.whole(name),
            change: if is_gone { EntryStatus::Removed } else { EntryStatus::Added },
            places,
            refused: false,
            details,
            affects: self.reaches(name, is_gone),
        });
    }

    /// A parameter that exists on both sides, perhaps under a new name.
    fn two_sided(
        &self,
        name: Pair<&str>,
        parameter: Pair<&Parameter>,
        changes: &mut Vec<ParameterChange>,
    ) {
        let is_hidden = parameter.old.is_hidden() || parameter.new.is_hidden();
        let is_renamed = name.old != name.new;
        let mut details = if self.compares_declarations {
            declaration_changes(parameter, is_hidden)
        } else {
            Vec::new()
        };
        let values =
            Pair { old: value(self.stacks.old, name.old), new: value(self.stacks.new, name.new) };
        let refused =
            !is_renamed && self.is_update && self.is_refused(name.new, parameter.new, values);
        let differs = differs(values, self.input.parameter_renames);
        // In a nested stack the value follows from the enclosing stack.
        if differs && self.is_root() || refused {
            let place = |side: &DeploymentSide<'_>, name: &str, parameter: &Parameter| {
                let root = self.is_root().then(|| value_span(side, name, parameter)).flatten();
                Some(root.unwrap_or(parameter.name_span))
            };
            let is_hidden = is_hidden || self.is_configured(name);
            details.push(ParameterDetail {
                aspect: ParameterAspect::Value,
                value: Pair {
                    old: masked(DisplayValue::of_outcome(values.old), is_hidden),
                    new: masked(DisplayValue::of_outcome(values.new), is_hidden),
                },
                places: Places {
                    old: place(self.input.old, name.old, parameter.old),
                    new: place(self.input.new, name.new, parameter.new),
                },
            });
        }
        if details.is_empty() && !(is_renamed && self.compares_declarations) {
            return;
        }
        let change = match is_renamed {
            true => EntryStatus::Renamed { from: name.old.to_owned() },
            false => EntryStatus::Changed,
        };
        let lands = is_renamed || differs && self.is_root() || refused;
        changes.push(ParameterChange {
            name: self.whole(name.new),
            change,
            places: Places {
                old: Some(parameter.old.name_span),
                new: Some(parameter.new.name_span),
            },
            refused,
            details,
            affects: if lands { self.reaches(name.new, false) } else { Vec::new() },
        });
    }

    /// Whether Heat refuses the new value: the new declaration makes the parameter immutable, and the
    /// value differs from the old one. A changed default counts if no value is given.
    fn is_refused(
        &self,
        name: &str,
        parameter: &Parameter,
        values: Pair<Option<&EvalResult>>,
    ) -> bool {
        let (Some(Ok(old)), Some(Ok(new))) = (values.old, values.new) else { return false };
        if !parameter.is_immutable()
            || same_with(old, new, self.input.parameter_renames) == Ternary::Yes
        {
            return false;
        }
        let new =
            given_value(self.input.new, self.ids.new, name, parameter, new).unwrap_or(new.clone());
        // An unknown value may be unchanged.
        let unknown = old.holds_unknown() || new.holds_unknown();
        !unknown && !python::equal(&old.reveal().0, &new.reveal().0)
    }
}

/// Whether two values differ or may differ.
pub(super) fn differs(values: Pair<Option<&EvalResult>>, names: &ParameterRenames) -> bool {
    match (values.old, values.new) {
        (Some(Ok(old)), Some(Ok(new))) => same_with(old, new, names) != Ternary::Yes,
        (Some(Err(old)), Some(Err(new))) => !old.is_like(new),
        (None, None) => false,
        (Some(_) | None, Some(_) | None) => true,
    }
}

fn masked(shown: DisplayValue, is_hidden: bool) -> DisplayValue {
    match shown {
        DisplayValue::Value(value) if !value.holds_unknown() => {
            DisplayValue::Value(value.sealed(is_hidden))
        }
        DisplayValue::Failed(_) if is_hidden => {
            DisplayValue::Failed("the reason would show a secret value".to_owned())
        }
        shown => shown,
    }
}

fn shown_type(kind: Option<ParameterType>) -> DisplayValue {
    kind.map_or(DisplayValue::Absent, |kind| DisplayValue::Value(Value::text(kind.hot_name())))
}

/// The differences between two declarations.
fn declaration_changes(parameter: Pair<&Parameter>, is_hidden: bool) -> Vec<ParameterDetail> {
    let Pair { old, new } = parameter;
    let mut details = Vec::new();
    let mut tell = |aspect, value: Pair<DisplayValue>, places: Places| {
        let places = Places {
            old: places.old.or(Some(old.name_span)),
            new: places.new.or(Some(new.name_span)),
        };
        details.push(ParameterDetail { aspect, value, places });
    };
    if old.kind != new.kind {
        let value = Pair { old: shown_type(old.kind), new: shown_type(new.kind) };
        tell(ParameterAspect::Type, value, Places::default());
    }
    let span = |expr: &Option<Expr>| expr.as_ref().map(|expr| expr.span);
    let default = |parameter: &Parameter| {
        let written = Value::from_expr_as_sent(parameter.default.as_ref()?);
        let coerced = parameter.kind.and_then(|kind| coerce(&written, kind).ok());
        Some(coerced.unwrap_or(written)).filter(|value| *value != Value::Null)
    };
    let defaults = Pair { old: default(old), new: default(new) };
    let is_same = match (&defaults.old, &defaults.new) {
        (Some(old), Some(new)) => same(old, new) == Ternary::Yes,
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    if !is_same {
        let shown = |value: Option<Value>| match value {
            Some(value) => DisplayValue::Value(value.sealed(is_hidden)),
            None => DisplayValue::Absent,
        };
        let value = Pair { old: shown(defaults.old), new: shown(defaults.new) };
        tell(
            ParameterAspect::Default,
            value,
            Places { old: span(&old.default), new: span(&new.default) },
        );
    }
    for detail in constraints::compare(old, new, is_hidden) {
        tell(detail.aspect, detail.value, detail.places);
    }
    let flag = |value| DisplayValue::Value(Value::Bool(value));
    if old.declares_hidden() != new.declares_hidden() {
        let value = Pair { old: flag(old.declares_hidden()), new: flag(new.declares_hidden()) };
        tell(
            ParameterAspect::Hidden,
            value,
            Places { old: span(&old.hidden), new: span(&new.hidden) },
        );
    }
    if old.is_immutable() != new.is_immutable() {
        let value = Pair { old: flag(old.is_immutable()), new: flag(new.is_immutable()) };
        let places = Places { old: span(&old.immutable), new: span(&new.immutable) };
        tell(ParameterAspect::Immutable, value, places);
    }
    for (aspect, old, new) in [
        (ParameterAspect::Tags, &old.tags, &new.tags),
        (ParameterAspect::Documentation, &old.label, &new.label),
        (ParameterAspect::Documentation, &old.description, &new.description),
    ] {
        let written = |expr: &Option<Expr>| {
            let value = expr.as_ref().map(Value::from_expr_as_sent);
            value.filter(|value| *value != Value::Null)
        };
        let (one, other) = (written(old), written(new));
        if sorted(aspect, &one) != sorted(aspect, &other) {
            let shown =
                |value: Option<Value>| value.map_or(DisplayValue::Absent, DisplayValue::Value);
            let value = Pair { old: shown(one), new: shown(other) };
            tell(aspect, value, Places { old: span(old), new: span(new) });
        }
    }
    details
}

/// Sorts tags, whose order is irrelevant.
fn sorted(aspect: ParameterAspect, value: &Option<Value>) -> Vec<Value> {
    match value {
        Some(Value::List(items)) if aspect == ParameterAspect::Tags => {
            let mut items = items.to_vec();
            items.sort_by_cached_key(python::repr_preview);
            items.dedup();
            items
        }
        other => other.iter().cloned().collect(),
    }
}

#[cfg(test)]
mod tests;
