//! The parts of a definition other than its properties.
//!
//! Heat's rules: `docs/heat.md#what-is-compared`, `docs/heat.md#descriptions-in-an-update`.

use super::DefinitionPair;
use super::definition::{ResourceDefinition, ResourceImplementation};
use super::plugins::ReplacementRule;
use crate::comparison::{ChangeReason, DefinitionPart, DisplayValue, Impact, Pair, Places};
use crate::update_rules::UpdateRule;
use crate::values::{self, Ternary, ValueContext};
use heat_engine::eval::typed_properties::{self, TypedProperties};
use heat_engine::eval::{EvalResult, Value};
use source_diagnostics::Span;

impl DefinitionPair<'_> {
    /// The differences other than those of the properties.
    pub(super) fn parts(
        &self,
        by: &ResourceImplementation<'_>,
        rules: &[ReplacementRule],
    ) -> Vec<ChangeReason> {
        let found = [
            self.metadata(rules),
            self.depends_on(),
            self.deletion_policy(),
            self.update_policy(by),
            self.condition(),
            self.description(),
        ];
        found.into_iter().flatten().collect()
    }

    fn metadata(&self, rules: &[ReplacementRule]) -> Option<ChangeReason> {
        let (was, is) = (self.old.metadata(), self.new.metadata());
        let (impact, why) =
            match (self.equality(was, is), rules.contains(&ReplacementRule::ByMetadata)) {
                (Ternary::Yes, _) => return None,
                (truth, true) => {
                    let rule = "a change of `metadata` replaces it".to_owned();
                    let impact = match truth {
                        Ternary::Unknown => Impact::MayReplace,
                        Ternary::Yes | Ternary::No => Impact::Replace,
                    };
                    (impact, UpdateRule::PluginRule { rule })
                }
                (_, false) if is_empty(was) && is_empty(is) => {
                    (Impact::NoopUpdate, UpdateRule::Spelling)
                }
                (_, false) => (Impact::Update, UpdateRule::Definition),
            };
        let place = |it: &ResourceDefinition<'_>| Some(it.source()?.metadata.as_ref()?.span);
        Some(self.part(
            DefinitionPart::Metadata,
            impact,
            why,
            (DisplayValue::of_outcome(was), DisplayValue::of_outcome(is)),
            place,
        ))
    }

    fn depends_on(&self) -> Option<ChangeReason> {
        let (was, is) = (&self.old.resource.depends_on, &self.new.resource.depends_on);
        let place = |it: &ResourceDefinition<'_>| it.source()?.depends_on_span;
        // An empty list is equivalent to none but is another definition.
        if was == is && place(self.old).is_some() == place(self.new).is_some() {
            return None;
        }
        let equal = was.iter().all(|it| is.contains(it)) && is.iter().all(|it| was.contains(it));
        let (impact, why) = if equal {
            (Impact::NoopUpdate, UpdateRule::Spelling)
        } else {
            (Impact::Update, UpdateRule::Definition)
        };
        let names = |names: &[smol_str::SmolStr]| match names {
            [] => DisplayValue::Absent,
            names => {
                DisplayValue::Value(Value::list(names.iter().cloned().map(Value::Text).collect()))
            }
        };
        Some(self.part(DefinitionPart::DependsOn, impact, why, (names(was), names(is)), place))
    }

    fn deletion_policy(&self) -> Option<ChangeReason> {
        let given = |it: &ResourceDefinition<'_>| {
            it.has_deletion_policy().then(|| Ok(it.resource.deletion_policy.clone()))
        };
        let (was, is) = (given(self.old), given(self.new));
        if self.equality(was.as_ref(), is.as_ref()) == Ternary::Yes {
            return None;
        }
        let policy = |it: &ResourceDefinition<'_>| Ok(it.resource.deletion_policy.clone());
        let (impact, why) = match self.equality(Some(&policy(self.old)), Some(&policy(self.new))) {
            Ternary::Yes => (Impact::NoopUpdate, UpdateRule::Spelling),
            Ternary::No | Ternary::Unknown => (Impact::Update, UpdateRule::Definition),
        };
        let values =
            (DisplayValue::of_outcome(was.as_ref()), DisplayValue::of_outcome(is.as_ref()));
        let place = |it: &ResourceDefinition<'_>| it.source()?.deletion_policy_span;
        Some(self.part(DefinitionPart::DeletionPolicy, impact, why, values, place))
    }

    fn update_policy(&self, by: &ResourceImplementation<'_>) -> Option<ChangeReason> {
        let (was, is) = (self.old.update_policy(), self.new.update_policy());
        if self.equality(was, is) == Ternary::Yes {
            return None;
        }
        let (impact, why) = if self.is_same_policy(was, is, by) {
            (Impact::NoopUpdate, UpdateRule::Spelling)
        } else {
            (Impact::Update, UpdateRule::Definition)
        };
        let place = |it: &ResourceDefinition<'_>| Some(it.source()?.update_policy.as_ref()?.span);
        Some(self.part(
            DefinitionPart::UpdatePolicy,
            impact,
            why,
            (DisplayValue::of_outcome(was), DisplayValue::of_outcome(is)),
            place,
        ))
    }

    /// The condition is true on both sides: only its spelling can differ.
    fn condition(&self) -> Option<ChangeReason> {
        let (was, is) =
            (self.old.resource.condition.as_ref(), self.new.resource.condition.as_ref());
        if self.equality(was, is) == Ternary::Yes {
            return None;
        }
        let place = |it: &ResourceDefinition<'_>| Some(it.source()?.condition.as_ref()?.span);
        let values = (DisplayValue::of_outcome(was), DisplayValue::of_outcome(is));
        Some(self.part(
            DefinitionPart::Condition,
            Impact::NoopUpdate,
            UpdateRule::Spelling,
            values,
            place,
        ))
    }

    /// Heat uses the description only if it serves as a property, which is reported there.
    fn description(&self) -> Option<ChangeReason> {
        let (was, is) = (&self.old.resource.description, &self.new.resource.description);
        if was == is {
            return None;
        }
        let text = |text: &Option<smol_str::SmolStr>| match text {
            None => DisplayValue::Absent,
            Some(text) => DisplayValue::Value(Value::Text(text.clone())),
        };
        let place = |it: &ResourceDefinition<'_>| Some(it.source()?.description.as_ref()?.span);
        let values = (text(was), text(is));
        Some(self.part(
            DefinitionPart::Description,
            Impact::None,
            UpdateRule::Documentation,
            values,
            place,
        ))
    }

    /// Whether the plugin treats two differently written update policies as equal.
    fn is_same_policy(
        &self,
        old: Option<&EvalResult>,
        new: Option<&EvalResult>,
        by: &ResourceImplementation<'_>,
    ) -> bool {
        let known = |part: Option<&EvalResult>| match part {
            None => Some(Value::Null),
            Some(Ok(value)) => Some(value.clone()),
            Some(Err(_)) => None,
        };
        let (Some(was), Some(is)) = (known(old), known(new)) else { return false };
        let ResourceImplementation::Plugin(_, info) = by else {
            return is_empty(old) && is_empty(new);
        };
        match (
            typed_properties::update_policy(Some(&was), info),
            typed_properties::update_policy(Some(&is), info),
        ) {
            (Some(TypedProperties::Each(was)), Some(TypedProperties::Each(is))) => was
                .iter()
                .zip(&is)
                .all(|((_, was), (_, is))| self.equality(Some(was), Some(is)) == Ternary::Yes),
            _ => is_empty(old) && is_empty(new),
        }
    }

    pub(super) fn part(
        &self,
        part: DefinitionPart,
        impact: Impact,
        why: UpdateRule,
        (old, new): (DisplayValue, DisplayValue),
        place: impl Fn(&ResourceDefinition<'_>) -> Option<Span>,
    ) -> ChangeReason {
        let places = Places { old: place(self.old), new: place(self.new) };
        let mut changes = Vec::new();
        if let (DisplayValue::Value(old), DisplayValue::Value(new)) = (&old, &new)
            && impact < Impact::NoopUpdate
            && !matches!(part, DefinitionPart::Property(_))
        {
            let context =
                ValueContext { parameter_renames: Some(self.names), ..ValueContext::default() };
            changes = values::changes(old, new, &context);
            changes.iter_mut().for_each(|change| change.places = places);
        }
        ChangeReason { part, impact, rule: why, value: Pair { old, new }, places, changes }
    }
}

fn is_empty(part: Option<&EvalResult>) -> bool {
    match part {
        None => true,
        Some(Ok(value)) => matches!(value.unsealed(), Value::Map(map) if map.is_empty()),
        Some(Err(_)) => false,
    }
}
