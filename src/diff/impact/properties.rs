//! The properties: which differ as the plugin reads them, and what each difference leads to.
//!
//! Heat's rule: `docs/heat.md#properties-of-an-update`.

use indexmap::{IndexMap, IndexSet};

use super::super::comparison::{Impact, Pair, Part, Reason, Shown, ValueChange};
use super::super::values::{self, Context, Truth};
use super::super::why::Why;
use super::Change;
use super::definition::{Definition, Implemented, Parameters};
use super::deployments::changed_inputs;
use super::plugins::{self, Rule, View};
use heat_engine::eval::typed::{self, Typed};
use heat_engine::eval::{Outcome, Properties, Value};
use heat_template::ir::ExprKind;
use heat_template::schema::{Property, ResourceType};
use source_diagnostics::Span;

/// No value.
pub(super) const NOTHING: Outcome = Ok(Value::Null);

impl Change<'_> {
    /// What differs in the properties, and what the plugin says at every update.
    pub(super) fn properties(&self, by: &Pair<Implemented<'_>>, rules: &[Rule]) -> Vec<Reason> {
        let info = match &by.new {
            Implemented::Plugin(_, info) => Some(*info),
            Implemented::Template(_, Parameters::Shipped(info)) => Some(*info),
            Implemented::Template(..) | Implemented::Nothing => None,
        };
        let typed = (self.old.typed(&by.old), self.new.typed(&by.new));
        let mut reasons = match &typed {
            (Some(Typed::Each(old)), Some(Typed::Each(new))) => {
                let mut reasons = self.each(&by.new, info, rules, &Pair { old, new });
                let always = rules.iter().filter_map(|rule| {
                    let say = plugins::at_every_update(*rule, old, new)?;
                    let place = |_: &Definition<'_>| None;
                    let nothing = (Shown::Absent, Shown::Absent);
                    Some(self.part(Part::Resource, say.impact, say.why, nothing, place))
                });
                reasons.extend(always);
                reasons
            }
            (None, _) | (_, None) => self.unread(&by.new),
            (Some(old), Some(new)) => self.whole(by, info, old, new),
        };
        let is_written = |it: &Definition<'_>| {
            let properties = it.written().and_then(|it| it.properties.as_ref());
            properties.is_some_and(|it| it.kind != ExprKind::Null)
        };
        // An empty map is no property more than none, and yet another definition.
        let is_property = |it: &Reason| matches!(it.part, Part::Property(_) | Part::Properties);
        if is_written(self.old) != is_written(self.new) && !reasons.iter().any(is_property) {
            let values = (Shown::Absent, Shown::Absent);
            let part =
                self.part(Part::Properties, Impact::NoopUpdate, Why::Spelling, values, place);
            reasons.push(part);
        }
        reasons
    }

    /// Each property that differs, or is only written otherwise.
    fn each(
        &self,
        by: &Implemented<'_>,
        info: Option<&ResourceType>,
        rules: &[Rule],
        typed: &Pair<&View>,
    ) -> Vec<Reason> {
        let raw = Pair { old: raw(self.old), new: raw(self.new) };
        let names = names(&raw, typed.new);
        let mut changed = IndexMap::new();
        for name in names.iter().filter(|name| typed.new.contains_key(**name)) {
            let (was, is) = (of(typed.old, name), of(typed.new, name));
            match self.sameness(Some(was), Some(is)) {
                // What fails on the old side has changed, says Heat.
                Truth::Yes if was.is_err() => {
                    changed.insert((*name).to_owned(), Truth::No);
                }
                Truth::Yes => {}
                truth => {
                    changed.insert((*name).to_owned(), truth);
                }
            }
        }
        let is_given = |name: &str| raw.new.get(name).is_some_and(|it| *it != NOTHING);
        let change = plugins::Change {
            old: typed.old,
            new: typed.new,
            changed: &changed,
            is_given: &is_given,
        };
        let kind = by.name(self.new.written_type());
        let moved = info.map(typed::moved).unwrap_or_default();
        let mut reasons = Vec::new();
        for (name, truth) in &changed {
            let (was, is) = (of(typed.old, name), of(typed.new, name));
            let property = info.and_then(|info| info.property(name));
            let inputs = (name == "input_values" && rules.contains(&Rule::Inputs))
                .then(|| changed_inputs((self.old, typed.old), (self.new, typed.new)));
            let says = rules.iter().filter_map(|rule| change.by(*rule, name));
            let says = says.chain(inputs.flatten());
            let says = says.min_by_key(|say| say.impact);
            let (impact, why) = decided(by, name, &kind, property, *truth, says, is);
            // A property that nobody has written is fed by another one, or by the description.
            let written = |side: &IndexMap<&str, Outcome>| side.contains_key(name.as_str());
            let is_description = name == "description" && !(written(&raw.old) || written(&raw.new));
            let place = |it: &Definition<'_>| {
                if is_description {
                    return Some(it.written()?.description.as_ref()?.span);
                }
                let sources = moved.iter().filter(|(_, to)| to == name).map(|(from, _)| *from);
                let mut sources = std::iter::once(name.as_str()).chain(sources);
                sources.find_map(|name| it.property_place(name))
            };
            let part =
                if is_description { Part::Description } else { Part::Property(name.clone()) };
            let fails = was.is_err() && self.sameness(Some(was), Some(is)) == Truth::Yes;
            let (impact, why) = match (is_description, fails) {
                (true, _) => (impact, Why::DescriptionServes),
                (false, true) => (Impact::Refused, Why::Fails),
                (false, false) if is.is_err() => (Impact::Refused, Why::NoValue),
                (false, false) => (impact, why),
            };
            let values = (told(was, written(&raw.old)), told(is, written(&raw.new)));
            let mut reason = self.part(part, impact, why, values, place);
            reason.changes = self.inside(name, &kind, was, is);
            reasons.push(reason);
        }
        let spelled = names.iter().filter(|name| {
            let feeds = moved.iter().any(|(from, to)| from == *name && changed.contains_key(*to));
            !changed.contains_key(**name) && !feeds
        });
        for name in spelled {
            let (was, is) = (raw.old.get(name), raw.new.get(name));
            if self.sameness(was, is) == Truth::Yes {
                continue;
            }
            let place = |it: &Definition<'_>| it.property_place(name);
            let part = Part::Property((*name).to_owned());
            let values = (Shown::of(was), Shown::of(is));
            reasons.push(self.part(part, Impact::NoopUpdate, Why::Spelling, values, place));
        }
        reasons
    }

    /// Properties that nobody can read: of a template that is not there, of a type that nothing
    /// implements.
    fn unread(&self, by: &Implemented<'_>) -> Vec<Reason> {
        let (impact, why) = match by {
            Implemented::Template(template, _) => {
                (Impact::MayReplace, Why::InsideUnknown { template: template.clone() })
            }
            Implemented::Plugin(..) | Implemented::Nothing => (Impact::MayReplace, Why::Unresolved),
        };
        let raw = Pair { old: raw(self.old), new: raw(self.new) };
        let names: IndexSet<&str> = raw.new.keys().chain(raw.old.keys()).copied().collect();
        let mut reasons = Vec::new();
        for name in names {
            let (was, is) = (raw.old.get(name), raw.new.get(name));
            if self.sameness(was, is) == Truth::Yes {
                continue;
            }
            let place = |it: &Definition<'_>| it.property_place(name);
            let part = Part::Property(name.to_owned());
            let values = (Shown::of(was), Shown::of(is));
            reasons.push(self.part(part, impact, why.clone(), values, place));
        }
        reasons
    }

    /// Properties that one function yields on a side, which does not tell them.
    fn whole(
        &self,
        by: &Pair<Implemented<'_>>,
        info: Option<&ResourceType>,
        old: &Typed,
        new: &Typed,
    ) -> Vec<Reason> {
        let outcome = |typed: &Typed| match typed {
            Typed::Unknown(value) => Ok(value.clone()),
            Typed::Failed(failure) => Err(failure.clone()),
            // As different from what is not known as anything.
            Typed::Each(_) => NOTHING,
        };
        let (was, is) = (outcome(old), outcome(new));
        if self.sameness(Some(&was), Some(&is)) == Truth::Yes {
            return Vec::new();
        }
        let updatable = match (&by.new, info) {
            (_, Some(info)) => info.properties.values().all(|it| it.update_allowed),
            (Implemented::Template(..), None) => true,
            (Implemented::Plugin(..) | Implemented::Nothing, None) => false,
        };
        let impact = if updatable { Impact::Update } else { Impact::MayReplace };
        let values = (Shown::of(Some(&was)), Shown::of(Some(&is)));
        vec![self.part(Part::Properties, impact, Why::Unresolved, values, place)]
    }

    /// What differs inside the values of a property.
    fn inside(&self, name: &str, kind: &str, old: &Outcome, new: &Outcome) -> Vec<ValueChange> {
        let (Ok(old), Ok(new)) = (old, new) else { return Vec::new() };
        let written = Pair { old: self.old.property(name), new: self.new.property(name) };
        let names = Some(self.names);
        values::changes(old, new, &Context { kind: Some(kind), name: Some(name), written, names })
    }
}

/// What the change of one property leads to.
pub(super) fn decided(
    by: &Implemented<'_>,
    name: &str,
    kind: &str,
    property: Option<&Property>,
    truth: Truth,
    says: Option<plugins::Say>,
    new: &Outcome,
) -> (Impact, Why) {
    let named = (name.to_owned(), kind.to_owned());
    let perhaps = |certain| if truth == Truth::Unknown { Impact::MayReplace } else { certain };
    // The parameters of a template are properties that can all be updated, those of a shipped one too.
    let is_template = by.parameters().is_some();
    let flags = property.filter(|_| !is_template);
    if flags.is_some_and(|it| it.immutable) {
        let (property, kind) = named;
        return (perhaps(Impact::Refused), Why::Immutable { property, kind });
    }
    let own = match flags {
        Some(it) if !it.update_allowed => {
            let (property, kind) = named;
            (perhaps(Impact::Replace), Why::NotUpdatable { property, kind })
        }
        Some(_) | None if new.is_err() => (Impact::Update, Why::NoValue),
        Some(_) => (Impact::Update, Why::Updatable),
        None => (Impact::Update, Why::NestedParameter),
    };
    match says {
        Some(say) if say.impact < own.0 => (say.impact, say.why),
        // A policy explains as well why nothing worse happens.
        Some(say) if say.impact == Impact::Update && own.0 == Impact::Update => own_or(say, own),
        _ => own,
    }
}

fn own_or(say: plugins::Say, own: (Impact, Why)) -> (Impact, Why) {
    if own.1 == Why::NoValue { own } else { (say.impact, say.why) }
}

/// A property of a view; no value where the view has no such property.
fn of<'v>(view: &'v View, name: &str) -> &'v Outcome {
    view.get(name).unwrap_or(&NOTHING)
}

/// A property as reports show it: absent where nobody gives it and nothing fills it in.
fn told(outcome: &Outcome, is_written: bool) -> Shown {
    match outcome {
        Ok(Value::Null) if !is_written => Shown::Absent,
        outcome => Shown::of(Some(outcome)),
    }
}

/// The properties as they are given.
pub(super) fn raw<'d>(definition: &Definition<'d>) -> IndexMap<&'d str, Outcome> {
    match &definition.resource.properties {
        Properties::Each(each) => {
            let named = each.iter().filter_map(|(key, it)| Some((key.as_text()?, it.clone())));
            named.filter(|(_, it)| *it != Ok(Value::Elided)).collect()
        }
        Properties::Whole(Ok(value)) => match value.open() {
            Value::Map(map) => {
                let secret = matches!(value, Value::Secret(_));
                let named = map.iter().filter_map(|(key, it)| Some((key.as_text()?, it)));
                named.map(|(name, it)| (name, Ok(it.clone().sealed(secret)))).collect()
            }
            _ => IndexMap::new(),
        },
        Properties::Whole(Err(_)) => IndexMap::new(),
    }
}

/// All properties: those of the new side as they are written, those of the old side, the others.
fn names<'n>(raw: &Pair<IndexMap<&'n str, Outcome>>, view: &'n View) -> IndexSet<&'n str> {
    let written = raw.new.keys().chain(raw.old.keys()).copied();
    written.chain(view.keys().map(String::as_str)).collect()
}

/// Where all properties are written.
fn place(definition: &Definition<'_>) -> Option<Span> {
    Some(definition.written()?.properties.as_ref()?.span)
}
