//! Compares the properties as the plugin converts them, and decides the effect of each difference.
//!
//! Heat's rule: `docs/heat.md#properties-of-an-update`.

use indexmap::{IndexMap, IndexSet};

use super::DefinitionPair;
use super::definition::{ResourceDefinition, ResourceImplementation, TemplateProperties};
use super::deployments::changed_inputs;
use super::plugins::{self, PropertyView, ReplacementRule};
use crate::comparison::{ChangeReason, DefinitionPart, DisplayValue, Impact, Pair, ValueChange};
use crate::update_rules::UpdateRule;
use crate::values::{self, Ternary, ValueContext};
use heat_engine::eval::typed_properties::{self, TypedProperties};
use heat_engine::eval::{EvalResult, EvaluatedProperties, Value};
use heat_template::ir::ExprKind;
use heat_template::schema::{Property, ResourceType};
use source_diagnostics::Span;

/// The absence of a value.
pub(super) const NO_VALUE: EvalResult = Ok(Value::Null);

impl DefinitionPair<'_> {
    /// The differences of the properties, and the outcomes of rules that hold at every update.
    pub(super) fn properties(
        &self,
        by: &Pair<ResourceImplementation<'_>>,
        rules: &[ReplacementRule],
    ) -> Vec<ChangeReason> {
        let info = match &by.new {
            ResourceImplementation::Plugin(_, info) => Some(*info),
            ResourceImplementation::Template(_, TemplateProperties::Shipped(info)) => Some(*info),
            ResourceImplementation::Template(..) | ResourceImplementation::Unknown => None,
        };
        let typed = (self.old.typed_properties(&by.old), self.new.typed_properties(&by.new));
        let mut reasons = match &typed {
            (Some(TypedProperties::Each(old)), Some(TypedProperties::Each(new))) => {
                let mut reasons = self.changed_properties(&by.new, info, rules, &Pair { old, new });
                let always = rules.iter().filter_map(|rule| {
                    let say = plugins::unconditional_outcome(*rule, old, new)?;
                    let place = |_: &ResourceDefinition<'_>| None;
                    let nothing = (DisplayValue::Absent, DisplayValue::Absent);
                    Some(self.part(DefinitionPart::Resource, say.impact, say.rule, nothing, place))
                });
                reasons.extend(always);
                reasons
            }
            (None, _) | (_, None) => self.unreadable_properties(&by.new),
            (Some(old), Some(new)) => self.computed_properties(by, info, old, new),
        };
        let is_written = |it: &ResourceDefinition<'_>| {
            let properties = it.source().and_then(|it| it.properties.as_ref());
            properties.is_some_and(|it| it.kind != ExprKind::Null)
        };
        // An empty map is equivalent to no properties but is another definition.
        let is_property = |it: &ChangeReason| {
            matches!(it.part, DefinitionPart::Property(_) | DefinitionPart::Properties)
        };
        if is_written(self.old) != is_written(self.new) && !reasons.iter().any(is_property) {
            let values = (DisplayValue::Absent, DisplayValue::Absent);
            let part = self.part(
                DefinitionPart::Properties,
                Impact::NoopUpdate,
                UpdateRule::Spelling,
                values,
                properties_span,
            );
            reasons.push(part);
        }
        reasons
    }

    /// Each property that differs, or that is only written differently.
    fn changed_properties(
        &self,
        by: &ResourceImplementation<'_>,
        info: Option<&ResourceType>,
        rules: &[ReplacementRule],
        typed: &Pair<&PropertyView>,
    ) -> Vec<ChangeReason> {
        let raw = Pair { old: raw_properties(self.old), new: raw_properties(self.new) };
        let names = property_names(&raw, typed.new);
        let is_declared = |name: &str| match by {
            ResourceImplementation::Template(_, TemplateProperties::Declared(stack)) => {
                stack.parameters.contains_key(name)
            }
            ResourceImplementation::Template(
                _,
                TemplateProperties::Shipped(_) | TemplateProperties::Unknown,
            )
            | ResourceImplementation::Plugin(..)
            | ResourceImplementation::Unknown => typed.new.contains_key(name),
        };
        let mut changed = IndexMap::new();
        for name in names.iter().filter(|name| is_declared(name)) {
            let (was, is) = (property_of(typed.old, name), property_of(typed.new, name));
            match self.equality(Some(was), Some(is)) {
                // Heat treats a value that fails on the old side as changed.
                Ternary::Yes if was.is_err() => {
                    changed.insert((*name).to_owned(), Ternary::No);
                }
                Ternary::Yes => {}
                truth => {
                    changed.insert((*name).to_owned(), truth);
                }
            }
        }
        let is_given = |name: &str| raw.new.get(name).is_some_and(|it| *it != NO_VALUE);
        let change = plugins::PropertyChanges {
            old: typed.old,
            new: typed.new,
            changed: &changed,
            is_specified: &is_given,
        };
        let kind = by.name(self.new.written_type());
        let moved = info.map(typed_properties::translated_properties).unwrap_or_default();
        let mut reasons = Vec::new();
        for (name, truth) in &changed {
            let (was, is) = (property_of(typed.old, name), property_of(typed.new, name));
            let property = info.and_then(|info| info.property(name));
            let inputs = (name == "input_values" && rules.contains(&ReplacementRule::Inputs))
                .then(|| changed_inputs((self.old, typed.old), (self.new, typed.new)));
            let outcome = rules.iter().filter_map(|rule| change.apply(*rule, name));
            let outcome = outcome.chain(inputs.flatten());
            let outcome = outcome.min_by_key(|it| it.impact);
            let (impact, why) = property_impact(by, name, &kind, property, *truth, outcome, is);
            // A property that is not written gets its value from another property or from the description.
            let written = |side: &IndexMap<&str, EvalResult>| side.contains_key(name.as_str());
            let is_description = name == "description" && !(written(&raw.old) || written(&raw.new));
            let place = |it: &ResourceDefinition<'_>| {
                if is_description {
                    return Some(it.source()?.description.as_ref()?.span);
                }
                let sources = moved.iter().filter(|(_, to)| to == name).map(|(from, _)| *from);
                let mut sources = std::iter::once(name.as_str()).chain(sources);
                sources.find_map(|name| it.property_span(name))
            };
            let part = if is_description {
                DefinitionPart::Description
            } else {
                DefinitionPart::Property(name.clone())
            };
            let fails = was.is_err() && self.equality(Some(was), Some(is)) == Ternary::Yes;
            let (impact, why) = match (is_description, fails) {
                (true, _) => (impact, UpdateRule::DescriptionServes),
                (false, true) => (Impact::Refused, UpdateRule::Fails),
                (false, false) if is.is_err() => (Impact::Refused, UpdateRule::NoValue),
                (false, false) => (impact, why),
            };
            let values =
                (display_property(was, written(&raw.old)), display_property(is, written(&raw.new)));
            let mut reason = self.part(part, impact, why, values, place);
            reason.changes = self.nested_changes(name, &kind, was, is);
            reasons.push(reason);
        }
        let spelled = names.iter().filter(|name| {
            let feeds = moved.iter().any(|(from, to)| from == *name && changed.contains_key(*to));
            !changed.contains_key(**name) && !feeds
        });
        for name in spelled {
            let (was, is) = (raw.old.get(name), raw.new.get(name));
            if self.equality(was, is) == Ternary::Yes {
                continue;
            }
            let place = |it: &ResourceDefinition<'_>| it.property_span(name);
            let part = DefinitionPart::Property((*name).to_owned());
            let values = (DisplayValue::of_outcome(was), DisplayValue::of_outcome(is));
            let why = match is_declared(name) {
                true => UpdateRule::Spelling,
                false => UpdateRule::PluginRule { rule: "no property of this type".to_owned() },
            };
            reasons.push(self.part(part, Impact::NoopUpdate, why, values, place));
        }
        reasons
    }

    /// Properties that cannot be compared: the template is missing, or nothing implements the
    /// type.
    fn unreadable_properties(&self, by: &ResourceImplementation<'_>) -> Vec<ChangeReason> {
        let (impact, why) = match by {
            ResourceImplementation::Template(template, _) => {
                (Impact::MayReplace, UpdateRule::InsideUnknown { template: template.clone() })
            }
            ResourceImplementation::Plugin(..) | ResourceImplementation::Unknown => {
                let kind = self.new.written_type().to_owned();
                (Impact::MayReplace, UpdateRule::UnknownType { kind })
            }
        };
        self.written_properties(impact, &why)
    }

    /// The properties that are written with other values, whatever Heat makes of them.
    pub(super) fn written_properties(&self, impact: Impact, why: &UpdateRule) -> Vec<ChangeReason> {
        let raw = Pair { old: raw_properties(self.old), new: raw_properties(self.new) };
        let names: IndexSet<&str> = raw.new.keys().chain(raw.old.keys()).copied().collect();
        let mut reasons = Vec::new();
        for name in names {
            let (was, is) = (raw.old.get(name), raw.new.get(name));
            if self.equality(was, is) == Ternary::Yes {
                continue;
            }
            let place = |it: &ResourceDefinition<'_>| it.property_span(name);
            let part = DefinitionPart::Property(name.to_owned());
            let values = (DisplayValue::of_outcome(was), DisplayValue::of_outcome(is));
            let mut reason = self.part(part, impact, why.clone(), values, place);
            if let (Some(was), Some(is)) = (was, is) {
                reason.changes = self.nested_changes(name, self.new.written_type(), was, is);
            }
            reasons.push(reason);
        }
        reasons
    }

    /// Properties that one function returns on a side and whose values are unknown.
    fn computed_properties(
        &self,
        by: &Pair<ResourceImplementation<'_>>,
        info: Option<&ResourceType>,
        old: &TypedProperties,
        new: &TypedProperties,
    ) -> Vec<ChangeReason> {
        let outcome = |typed: &TypedProperties| match typed {
            TypedProperties::Unknown(value) => Ok(value.clone()),
            TypedProperties::Failed(failure) => Err(failure.clone()),
            // An unknown value may differ from anything.
            TypedProperties::Each(_) => NO_VALUE,
        };
        let (was, is) = (outcome(old), outcome(new));
        if self.equality(Some(&was), Some(&is)) == Ternary::Yes {
            return Vec::new();
        }
        let updatable = match (&by.new, info) {
            (_, Some(info)) => info.properties.values().all(|it| it.update_allowed),
            (ResourceImplementation::Template(..), None) => true,
            (ResourceImplementation::Plugin(..) | ResourceImplementation::Unknown, None) => false,
        };
        let impact = if updatable { Impact::Update } else { Impact::MayReplace };
        let values = (DisplayValue::of_outcome(Some(&was)), DisplayValue::of_outcome(Some(&is)));
        vec![self.part(
            DefinitionPart::Properties,
            impact,
            UpdateRule::Unresolved,
            values,
            properties_span,
        )]
    }

    /// The differences inside the values of a property.
    fn nested_changes(
        &self,
        name: &str,
        kind: &str,
        old: &EvalResult,
        new: &EvalResult,
    ) -> Vec<ValueChange> {
        let (Ok(old), Ok(new)) = (old, new) else { return Vec::new() };
        let written = Pair { old: self.old.property(name), new: self.new.property(name) };
        let names = Some(self.names);
        values::changes(
            old,
            new,
            &ValueContext {
                resource_type: Some(kind),
                name: Some(name),
                written,
                parameter_renames: names,
            },
        )
    }
}

/// The effect of a change of one property.
pub(super) fn property_impact(
    by: &ResourceImplementation<'_>,
    name: &str,
    kind: &str,
    property: Option<&Property>,
    truth: Ternary,
    outcome: Option<plugins::RuleOutcome>,
    new: &EvalResult,
) -> (Impact, UpdateRule) {
    let named = (name.to_owned(), kind.to_owned());
    let possibly = |certain| if truth == Ternary::Unknown { Impact::MayReplace } else { certain };
    // All properties that are parameters of a template can be updated, also those of a template that Heat ships.
    let is_template = by.parameters().is_some();
    let flags = property.filter(|_| !is_template);
    if flags.is_some_and(|it| it.immutable) {
        let (property, kind) = named;
        return (possibly(Impact::Refused), UpdateRule::Immutable { property, kind });
    }
    let own = match flags {
        Some(it) if !it.update_allowed => {
            let (property, kind) = named;
            (possibly(Impact::Replace), UpdateRule::NotUpdatable { property, kind })
        }
        Some(_) | None if new.is_err() => (Impact::Update, UpdateRule::NoValue),
        Some(_) => (Impact::Update, UpdateRule::Updatable),
        None => (Impact::Update, UpdateRule::NestedParameter),
    };
    match outcome {
        Some(say) if say.impact < own.0 => (say.impact, say.rule),
        // A policy also explains why the effect is not worse.
        Some(say) if say.impact == Impact::Update && own.0 == Impact::Update => own_or(say, own),
        _ => own,
    }
}

fn own_or(say: plugins::RuleOutcome, own: (Impact, UpdateRule)) -> (Impact, UpdateRule) {
    if own.1 == UpdateRule::NoValue { own } else { (say.impact, say.rule) }
}

/// A property of a view; null if the view has no such property.
fn property_of<'v>(view: &'v PropertyView, name: &str) -> &'v EvalResult {
    view.get(name).unwrap_or(&NO_VALUE)
}

/// A property for display: absent if it is neither specified nor has a default.
fn display_property(outcome: &EvalResult, is_written: bool) -> DisplayValue {
    match outcome {
        Ok(Value::Null) if !is_written => DisplayValue::Absent,
        outcome => DisplayValue::of_outcome(Some(outcome)),
    }
}

/// The properties as specified, before conversion.
pub(super) fn raw_properties<'d>(
    definition: &ResourceDefinition<'d>,
) -> IndexMap<&'d str, EvalResult> {
    match &definition.resource.properties {
        EvaluatedProperties::Each(each) => {
            let named = each.iter().filter_map(|(key, it)| Some((key.as_text()?, it.clone())));
            named.filter(|(_, it)| *it != Ok(Value::Elided)).collect()
        }
        EvaluatedProperties::Whole(Ok(value)) => match value.unsealed() {
            Value::Map(map) => {
                let secret = matches!(value, Value::Secret(_));
                let named = map.iter().filter_map(|(key, it)| Some((key.as_text()?, it)));
                named.map(|(name, it)| (name, Ok(it.clone().sealed(secret)))).collect()
            }
            _ => IndexMap::new(),
        },
        EvaluatedProperties::Whole(Err(_)) => IndexMap::new(),
    }
}

/// All property names: those of the new side as written, those of the old side, then the others.
fn property_names<'n>(
    raw: &Pair<IndexMap<&'n str, EvalResult>>,
    view: &'n PropertyView,
) -> IndexSet<&'n str> {
    let written = raw.new.keys().chain(raw.old.keys()).copied();
    written.chain(view.keys().map(String::as_str)).collect()
}

fn properties_span(definition: &ResourceDefinition<'_>) -> Option<Span> {
    Some(definition.source()?.properties.as_ref()?.span)
}
