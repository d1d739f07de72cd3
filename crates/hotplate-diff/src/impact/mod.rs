//! Heat's decision on one resource, assuming that references do not change.
//!
//! Source: `docs/heat.md#order-of-the-decision` and the rules after it. The steps follow Heat:
//! the implementation, adoption, the plugin's rules for every update, differences of the definitions, and
//! the properties that differ after conversion by the plugin.

mod definition;
mod deployments;
mod description;
mod held_data;
mod part_impact;
mod parts;
mod plugins;
mod properties;
mod run_time_refusals;
mod running;
#[cfg(test)]
mod tests;

use super::comparison::{ChangeReason, DefinitionPart, DisplayValue, Impact, Pair, Places};
use super::update_rules::UpdateRule;
use super::values::{ParameterRenames, Ternary, same_with};
use heat_engine::eval::typed_properties::TypedProperties;
use heat_engine::eval::{EvalResult, Value};

pub use definition::ResourceDefinition;
use definition::{ResourceImplementation, TemplateProperties};
pub use description::{PropertyUpdate, property_update, update_rules};
pub(super) use held_data::HeldData;
pub use part_impact::reference_property;
pub(super) use part_impact::{
    has_reference_names, part_impact, reference_name, replaces_reference,
};
pub(super) use plugins::PropertyView;
pub(super) use run_time_refusals::lift as lift_run_time_refusals;
pub use running::{RunningResource, RunningStack, StateEffect};

/// The decision on a resource, with reasons.
#[derive(Clone, Debug)]
pub(crate) struct UpdateDecision {
    pub(super) impact: Impact,
    /// The reasons, the worst first.
    pub(super) reasons: Vec<ChangeReason>,
    /// Whether Heat does this at every update of the stack, without any difference. If nothing else
    /// differs either, there is no update.
    pub(super) unconditional: bool,
}

/// Decides what an update does to a resource that exists on both sides.
/// `names` are the parameters without a value that are renamed on the new side; `running` is the stack that runs, with the full name of
/// the resource in it.
pub(super) fn decide_update(
    old: &ResourceDefinition<'_>,
    new: &ResourceDefinition<'_>,
    names: &ParameterRenames,
    running: Option<(&RunningStack, &str)>,
) -> UpdateDecision {
    let mut judgement = DefinitionPair { old, new, names }.decide(running);
    judgement.reasons.sort_by_key(|reason| reason.impact);
    judgement
}

/// What an update does to a new resource.
pub(super) fn created_impact(new: &ResourceDefinition<'_>) -> Impact {
    if new.external_id().is_some() { Impact::Adopt } else { Impact::Create }
}

/// What an update does to a removed resource, based on the old definition. If something is unknown,
/// the worst case is assumed.
pub(super) fn removed_impact(old: &ResourceDefinition<'_>) -> Impact {
    match old.resource.deletion_policy.unsealed() {
        Value::Text(policy) if policy == "Retain" => Impact::Retain,
        Value::Text(policy) if policy == "Snapshot" => Impact::Snapshot,
        _ => Impact::Delete,
    }
}

/// Both sides of a resource.
struct DefinitionPair<'a> {
    old: &'a ResourceDefinition<'a>,
    new: &'a ResourceDefinition<'a>,
    names: &'a ParameterRenames,
}

impl DefinitionPair<'_> {
    fn decide(&self, running: Option<(&RunningStack, &str)>) -> UpdateDecision {
        let by = Pair { old: self.old.implementation(), new: self.new.implementation() };
        let mut reasons = Vec::new();
        match implementation_change(&by) {
            ImplementationChange::Same => {}
            ImplementationChange::Substitute => {
                reasons.push(self.type_reason(Impact::Update, UpdateRule::SubstituteType));
            }
            ImplementationChange::Other => {
                let (impact, rule) = (Impact::Replace, UpdateRule::OtherType);
                let mut reasons = vec![self.type_reason(impact, rule.clone())];
                // The text of a template may hold a value that only the other side hides.
                if !by.old.is_stack() && !by.new.is_stack() {
                    reasons.extend(self.written_properties(impact, &rule));
                }
                return self.apply_restrictions(&by.new, reasons);
            }
        }
        if let Some(reasons) = self.external_id_change() {
            return decision_of(reasons);
        }
        let rules = match &by.new {
            ResourceImplementation::Plugin(_, info) if info.is_placeholder() => {
                return decision_of(self.unmanaged_differences());
            }
            ResourceImplementation::Plugin(name, _) => plugins::rules(name),
            ResourceImplementation::Template(..) | ResourceImplementation::Unknown => &[],
        };
        reasons.extend(self.type_change(&by));
        reasons.extend(self.properties(&by, rules));
        let serves = reasons.iter().any(|it| it.part == DefinitionPart::Description);
        let parts = self.parts(&by.new, rules).into_iter();
        reasons.extend(parts.filter(|it| !serves || it.part != DefinitionPart::Description));
        self.mark_run_time_refusals(&by, &mut reasons);
        // One plugin updates its resource before Heat looks at the state.
        let is_updated_first =
            |it: &ChangeReason| it.part == DefinitionPart::Resource && it.impact == Impact::Update;
        if let Some((stack, name)) = running
            && let Some((impact, rule)) = stack.effect(name, &by.new)
            && !reasons.iter().any(is_updated_first)
        {
            let places =
                Places { old: Some(self.old.name_span()), new: Some(self.new.name_span()) };
            reasons.push(ChangeReason::new(DefinitionPart::Resource, impact, rule, places));
        }
        self.apply_restrictions(&by.new, reasons)
    }

    /// Marks what the plugin refuses while the update runs.
    fn mark_run_time_refusals(
        &self,
        by: &Pair<ResourceImplementation<'_>>,
        reasons: &mut Vec<ChangeReason>,
    ) {
        let ResourceImplementation::Plugin(name, _) = &by.new else { return };
        if !run_time_refusals::has_rows(name) {
            return;
        }
        let typed = (self.old.typed_properties(&by.old), self.new.typed_properties(&by.new));
        if let (Some(TypedProperties::Each(old)), Some(TypedProperties::Each(new))) = &typed {
            run_time_refusals::mark(name, old, new, reasons);
        }
    }

    /// Handles adoption: Heat refuses another `external_id`, and never touches an adopted resource.
    fn external_id_change(&self) -> Option<Vec<ChangeReason>> {
        let (was, is) = (self.old.external_id(), self.new.external_id());
        if was.is_none() && is.is_none() {
            return None;
        }
        let impact = match self.equality(was, is) {
            Ternary::Yes => {
                let rest = self.unmanaged_differences().into_iter();
                return Some(
                    rest.map(|it| ChangeReason { rule: UpdateRule::External, ..it }).collect(),
                );
            }
            Ternary::No => Impact::Refused,
            // An adopted resource is either refused or left alone.
            Ternary::Unknown => Impact::MayReplace,
        };
        let place = |it: &ResourceDefinition<'_>| Some(it.source()?.external_id.as_ref()?.span);
        Some(vec![ChangeReason {
            part: DefinitionPart::ExternalId,
            impact,
            rule: UpdateRule::ExternalId,
            value: Pair { old: DisplayValue::of_outcome(was), new: DisplayValue::of_outcome(is) },
            places: Places { old: place(self.old), new: place(self.new) },
            changes: Vec::new(),
        }])
    }

    /// The differences of a resource that Heat never touches.
    fn unmanaged_differences(&self) -> Vec<ChangeReason> {
        let rule = UpdateRule::PluginRule { rule: "it is never updated".to_owned() };
        self.written_properties(Impact::None, &rule)
    }

    /// The reason if the type name or the template differs but not the plugin.
    fn type_change(&self, by: &Pair<ResourceImplementation<'_>>) -> Option<ChangeReason> {
        match (&by.old, &by.new) {
            (ResourceImplementation::Template(was, _), ResourceImplementation::Template(is, _))
                if was != is =>
            {
                Some(self.type_reason(Impact::Update, UpdateRule::OtherTemplate))
            }
            (ResourceImplementation::Template(..), ResourceImplementation::Template(..)) => None,
            // What stands behind another name may be anything; behind the same one, a note says that it is not compared.
            (ResourceImplementation::Unknown, ResourceImplementation::Unknown)
                if self.old.leads_to() != self.new.leads_to() =>
            {
                let kind = self.new.written_type().to_owned();
                Some(self.type_reason(Impact::MayReplace, UpdateRule::UnknownType { kind }))
            }
            _ if self.old.resource.kind != self.new.resource.kind => {
                Some(self.type_reason(Impact::NoopUpdate, UpdateRule::SameType))
            }
            _ => None,
        }
    }

    /// A reason that concerns the type.
    fn type_reason(&self, impact: Impact, why: UpdateRule) -> ChangeReason {
        let place = |it: &ResourceDefinition<'_>| Some(it.source()?.kind.as_ref()?.span);
        let text =
            |it: &ResourceDefinition<'_>| DisplayValue::Value(Value::text(it.written_type()));
        ChangeReason {
            part: DefinitionPart::Type,
            impact,
            rule: why,
            value: Pair { old: text(self.old), new: text(self.new) },
            places: Places { old: place(self.old), new: place(self.new) },
            changes: Vec::new(),
        }
    }

    /// Compares two parts of definitions.
    fn equality(&self, old: Option<&EvalResult>, new: Option<&EvalResult>) -> Ternary {
        match (old, new) {
            (None, None) => Ternary::Yes,
            (Some(Ok(old)), Some(Ok(new))) => same_with(old, new, self.names),
            (Some(Err(old)), Some(Err(new))) => old.is_like(new).into(),
            (Some(Ok(value)), other) | (other, Some(Ok(value))) => match (value, other) {
                // An unknown value may be null, which counts as absent.
                (Value::Unknown(_), None) => Ternary::Unknown,
                _ => Ternary::No,
            },
            _ => Ternary::No,
        }
    }

    /// Applies `restricted_actions` of the environment, from the registry of the new side.
    fn apply_restrictions(
        &self,
        by: &ResourceImplementation<'_>,
        mut reasons: Vec<ChangeReason>,
    ) -> UpdateDecision {
        let actions = self.new.stack.node.registry.restricted_actions(self.new.name);
        let own = worst(&reasons);
        let forbids = |action: &str| actions.contains_key(action);
        let is_touched = by.is_stack();
        let Some((action, impact)) = forbidden_impact(own, is_touched, forbids) else {
            return decision_of(reasons);
        };
        let rule = UpdateRule::Restricted { action: action.to_owned() };
        let places = Places { old: None, new: actions.get(action).copied() };
        reasons.insert(0, ChangeReason::new(DefinitionPart::Resource, impact, rule, places));
        UpdateDecision { unconditional: is_unconditional(&reasons), ..decision_of(reasons) }
    }
}

/// The impact if the environment forbids its action, with that action. `is_touched` means that
/// every update of the stack updates the resource.
fn forbidden_impact(
    impact: Impact,
    is_touched: bool,
    forbids: impl Fn(&str) -> bool,
) -> Option<(&'static str, Impact)> {
    match impact {
        Impact::Replace if forbids("replace") => Some(("replace", Impact::Refused)),
        Impact::MayReplace if forbids("replace") && forbids("update") => {
            Some(("replace", Impact::Refused))
        }
        Impact::MayReplace if forbids("replace") => Some(("replace", Impact::MayReplace)),
        Impact::Rebuild | Impact::Update | Impact::NoopUpdate if forbids("update") => {
            Some(("update", Impact::Refused))
        }
        Impact::None if is_touched && forbids("update") => Some(("update", Impact::Refused)),
        _ => None,
    }
}

/// How the new implementation relates to the old one.
enum ImplementationChange {
    /// The same plugin class.
    Same,
    /// The old plugin declares the new one as its substitute.
    Substitute,
    Other,
}

fn implementation_change(by: &Pair<ResourceImplementation<'_>>) -> ImplementationChange {
    match (&by.old, &by.new) {
        (ResourceImplementation::Plugin(was, _), ResourceImplementation::Plugin(is, _))
            if was == is =>
        {
            ImplementationChange::Same
        }
        (ResourceImplementation::Plugin(_, was), ResourceImplementation::Plugin(is, _)) => {
            match was.support.substitute == Some(*is) {
                true => ImplementationChange::Substitute,
                false => ImplementationChange::Other,
            }
        }
        // All templates share one class; an unknown implementation cannot be compared.
        (ResourceImplementation::Template(..), ResourceImplementation::Template(..))
        | (ResourceImplementation::Unknown, ResourceImplementation::Unknown) => {
            ImplementationChange::Same
        }
        _ => ImplementationChange::Other,
    }
}

impl ResourceImplementation<'_> {
    /// Whether Heat updates it at every update of its stack and leaves the decision to its members.
    fn is_stack(&self) -> bool {
        match self {
            ResourceImplementation::Plugin(name, info) => info.nested || *name == "OS::Heat::Stack",
            ResourceImplementation::Template(..) => true,
            ResourceImplementation::Unknown => false,
        }
    }

    /// The name of the type for sentences about properties.
    fn name(&self, written: &str) -> String {
        match self {
            ResourceImplementation::Plugin(name, _) => (*name).to_owned(),
            ResourceImplementation::Template(..) | ResourceImplementation::Unknown => {
                written.to_owned()
            }
        }
    }

    /// The parameters of a template, if known.
    fn parameters(&self) -> Option<&TemplateProperties<'_>> {
        match self {
            ResourceImplementation::Template(_, parameters) => Some(parameters),
            ResourceImplementation::Plugin(..) | ResourceImplementation::Unknown => None,
        }
    }
}

fn decision_of(reasons: Vec<ChangeReason>) -> UpdateDecision {
    UpdateDecision { impact: worst(&reasons), unconditional: is_unconditional(&reasons), reasons }
}

fn worst(reasons: &[ChangeReason]) -> Impact {
    reasons.iter().map(|reason| reason.impact).min().unwrap_or(Impact::None)
}

/// Whether there are reasons, and all of them apply without any difference.
fn is_unconditional(reasons: &[ChangeReason]) -> bool {
    let mut effective = reasons.iter().filter(|reason| reason.impact != Impact::None).peekable();
    let always = |it: &ChangeReason| match it.rule {
        UpdateRule::Fails => true,
        UpdateRule::RunningState { .. } | UpdateRule::UnknownType { .. } => false,
        _ => it.part == DefinitionPart::Resource,
    };
    effective.peek().is_some() && effective.all(always)
}
