//! The parts of a definition beside its properties.
//!
//! Heat's rules: `docs/heat.md#what-is-compared`, `docs/heat.md#descriptions-in-an-update`.

use super::super::comparison::{Impact, Pair, Part, Reason, Shown};
use super::super::values::Truth;
use super::super::why::Why;
use super::Change;
use super::definition::{Definition, Implemented};
use super::plugins::Rule;
use heat_engine::eval::typed::{self, Typed};
use heat_engine::eval::{Outcome, Value};
use source_diagnostics::Span;

impl Change<'_> {
    /// What differs beside the properties.
    pub(super) fn parts(&self, by: &Implemented<'_>, rules: &[Rule]) -> Vec<Reason> {
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

    fn metadata(&self, rules: &[Rule]) -> Option<Reason> {
        let (was, is) = (self.old.metadata(), self.new.metadata());
        let (impact, why) = match (self.sameness(was, is), rules.contains(&Rule::ByMetadata)) {
            (Truth::Yes, _) => return None,
            (truth, true) => {
                let rule = "another `metadata` replaces it".to_owned();
                let impact = match truth {
                    Truth::Unknown => Impact::MayReplace,
                    Truth::Yes | Truth::No => Impact::Replace,
                };
                (impact, Why::PluginRule { rule })
            }
            (_, false) if is_empty(was) && is_empty(is) => (Impact::NoopUpdate, Why::Spelling),
            (_, false) => (Impact::Update, Why::Definition),
        };
        let place = |it: &Definition<'_>| Some(it.written()?.metadata.as_ref()?.span);
        Some(self.part(Part::Metadata, impact, why, (Shown::of(was), Shown::of(is)), place))
    }

    fn depends_on(&self) -> Option<Reason> {
        let (was, is) = (&self.old.resource.depends_on, &self.new.resource.depends_on);
        let place = |it: &Definition<'_>| it.written()?.depends_on_span;
        // An empty list names no more than none does, and yet is another definition.
        if was == is && place(self.old).is_some() == place(self.new).is_some() {
            return None;
        }
        let equal = was.iter().all(|it| is.contains(it)) && is.iter().all(|it| was.contains(it));
        let (impact, why) = if equal {
            (Impact::NoopUpdate, Why::Spelling)
        } else {
            (Impact::Update, Why::Definition)
        };
        let names = |names: &[smol_str::SmolStr]| match names {
            [] => Shown::Absent,
            names => Shown::Value(Value::list(names.iter().cloned().map(Value::Text).collect())),
        };
        Some(self.part(Part::DependsOn, impact, why, (names(was), names(is)), place))
    }

    fn deletion_policy(&self) -> Option<Reason> {
        let given = |it: &Definition<'_>| {
            it.gives_deletion_policy().then(|| Ok(it.resource.deletion_policy.clone()))
        };
        let (was, is) = (given(self.old), given(self.new));
        if self.sameness(was.as_ref(), is.as_ref()) == Truth::Yes {
            return None;
        }
        let policy = |it: &Definition<'_>| Ok(it.resource.deletion_policy.clone());
        let (impact, why) = match self.sameness(Some(&policy(self.old)), Some(&policy(self.new))) {
            Truth::Yes => (Impact::NoopUpdate, Why::Spelling),
            Truth::No | Truth::Unknown => (Impact::Update, Why::Definition),
        };
        let values = (Shown::of(was.as_ref()), Shown::of(is.as_ref()));
        let place = |it: &Definition<'_>| it.written()?.deletion_policy_span;
        Some(self.part(Part::DeletionPolicy, impact, why, values, place))
    }

    fn update_policy(&self, by: &Implemented<'_>) -> Option<Reason> {
        let (was, is) = (self.old.update_policy(), self.new.update_policy());
        if self.sameness(was, is) == Truth::Yes {
            return None;
        }
        let (impact, why) = if self.is_same_policy(was, is, by) {
            (Impact::NoopUpdate, Why::Spelling)
        } else {
            (Impact::Update, Why::Definition)
        };
        let place = |it: &Definition<'_>| Some(it.written()?.update_policy.as_ref()?.span);
        Some(self.part(Part::UpdatePolicy, impact, why, (Shown::of(was), Shown::of(is)), place))
    }

    /// It holds on both sides: only how it is put can differ.
    fn condition(&self) -> Option<Reason> {
        let (was, is) =
            (self.old.resource.condition.as_ref(), self.new.resource.condition.as_ref());
        if self.sameness(was, is) == Truth::Yes {
            return None;
        }
        let place = |it: &Definition<'_>| Some(it.written()?.condition.as_ref()?.span);
        let values = (Shown::of(was), Shown::of(is));
        Some(self.part(Part::Condition, Impact::NoopUpdate, Why::Spelling, values, place))
    }

    /// Heat looks at it only where it serves as a property, which is told there.
    fn description(&self) -> Option<Reason> {
        let (was, is) = (&self.old.resource.description, &self.new.resource.description);
        if was == is {
            return None;
        }
        let text = |text: &Option<smol_str::SmolStr>| match text {
            None => Shown::Absent,
            Some(text) => Shown::Value(Value::Text(text.clone())),
        };
        let place = |it: &Definition<'_>| Some(it.written()?.description.as_ref()?.span);
        let values = (text(was), text(is));
        Some(self.part(Part::Description, Impact::None, Why::Documentation, values, place))
    }

    /// Whether two update policies that are written otherwise are the same to the plugin.
    fn is_same_policy(
        &self,
        old: Option<&Outcome>,
        new: Option<&Outcome>,
        by: &Implemented<'_>,
    ) -> bool {
        let known = |part: Option<&Outcome>| match part {
            None => Some(Value::Null),
            Some(Ok(value)) => Some(value.clone()),
            Some(Err(_)) => None,
        };
        let (Some(was), Some(is)) = (known(old), known(new)) else { return false };
        let Implemented::Plugin(_, info) = by else { return is_empty(old) && is_empty(new) };
        match (typed::update_policy(Some(&was), info), typed::update_policy(Some(&is), info)) {
            (Some(Typed::Each(was)), Some(Typed::Each(is))) => was
                .iter()
                .zip(&is)
                .all(|((_, was), (_, is))| self.sameness(Some(was), Some(is)) == Truth::Yes),
            _ => is_empty(old) && is_empty(new),
        }
    }

    pub(super) fn part(
        &self,
        part: Part,
        impact: Impact,
        why: Why,
        (old, new): (Shown, Shown),
        place: impl Fn(&Definition<'_>) -> Option<Span>,
    ) -> Reason {
        Reason {
            part,
            impact,
            why,
            value: Pair { old, new },
            places: Pair { old: place(self.old), new: place(self.new) },
            changes: Vec::new(),
        }
    }
}

fn is_empty(part: Option<&Outcome>) -> bool {
    match part {
        None => true,
        Some(Ok(value)) => matches!(value.open(), Value::Map(map) if map.is_empty()),
        Some(Err(_)) => false,
    }
}
