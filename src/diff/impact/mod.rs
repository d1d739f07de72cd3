//! Heat's decision on one resource, references taken as unreplaced.
//!
//! Source: `docs/heat.md#order-of-the-decision` and the rules after it. The steps are Heat's: what
//! implements it, what it adopts, what the plugin says at every update, what differs in the
//! definitions, which properties differ as the plugin reads them.

mod changed;
mod definition;
mod deployments;
mod parts;
mod plugins;
mod properties;
#[cfg(test)]
mod tests;

use super::comparison::{Impact, Pair, Part, Reason, Shown};
use super::values::{Names, Truth, same_with};
use super::why::Why;
use heat_engine::eval::{Outcome, Value};

pub(super) use changed::{of_changed_part, replaces_reference};
pub(super) use definition::Definition;
use definition::{Implemented, Parameters};

/// What Heat does to a resource, and why.
#[derive(Clone, Debug)]
pub(in crate::diff) struct Judgement {
    /// What it does.
    pub(super) impact: Impact,
    /// Why, the worst first.
    pub(super) reasons: Vec<Reason>,
    /// Heat does it at every update of the stack: nothing of the resource differs. Where nothing else
    /// differs either, there is no update.
    pub(super) regardless: bool,
}

/// What an update does to a resource that is there on both sides.
/// `names` are the parameters without a value that have another name on the new side.
pub(super) fn judge(old: &Definition<'_>, new: &Definition<'_>, names: &Names) -> Judgement {
    let mut judgement = Change { old, new, names }.judge();
    judgement.reasons.sort_by_key(|reason| reason.impact);
    judgement
}

/// What an update does to a resource that is new.
pub(super) fn created(new: &Definition<'_>) -> Impact {
    if new.external_id().is_some() { Impact::Adopt } else { Impact::Create }
}

/// What an update does to a resource that is gone: the old definition counts. What is not known is
/// taken for the worst.
pub(super) fn removed(old: &Definition<'_>) -> Impact {
    match old.resource.deletion_policy.open() {
        Value::Text(policy) if policy == "Retain" => Impact::Retain,
        Value::Text(policy) if policy == "Snapshot" => Impact::Snapshot,
        _ => Impact::Delete,
    }
}

/// Both sides of a resource.
struct Change<'a> {
    old: &'a Definition<'a>,
    new: &'a Definition<'a>,
    names: &'a Names,
}

impl Change<'_> {
    fn judge(&self) -> Judgement {
        let by = Pair { old: self.old.implemented(), new: self.new.implemented() };
        let mut reasons = Vec::new();
        match succession(&by) {
            Succession::Same => {}
            Succession::Substitute => {
                reasons.push(self.of_type(Impact::Update, Why::SubstituteType));
            }
            Succession::Other => {
                let reason = self.of_type(Impact::Replace, Why::OtherType);
                return self.restricted(&by.new, vec![reason]);
            }
        }
        if let Some(reasons) = self.external() {
            return judgement(reasons);
        }
        let rules = match &by.new {
            Implemented::Plugin(_, info) if info.is_placeholder() => {
                return judgement(self.untouched());
            }
            Implemented::Plugin(name, _) => plugins::rules(name),
            Implemented::Template(..) | Implemented::Nothing => &[],
        };
        reasons.extend(self.other_name(&by));
        reasons.extend(self.properties(&by, rules));
        let serves = reasons.iter().any(|it| it.part == Part::Description);
        let parts = self.parts(&by.new, rules).into_iter();
        reasons.extend(parts.filter(|it| !serves || it.part != Part::Description));
        self.restricted(&by.new, reasons)
    }

    /// What is adopted on either side: Heat refuses another one, and never touches the same one.
    fn external(&self) -> Option<Vec<Reason>> {
        let (was, is) = (self.old.external_id(), self.new.external_id());
        if was.is_none() && is.is_none() {
            return None;
        }
        let impact = match self.sameness(was, is) {
            Truth::Yes => {
                let rest = self.untouched().into_iter();
                return Some(rest.map(|it| Reason { why: Why::External, ..it }).collect());
            }
            Truth::No => Impact::Refused,
            // Either it is refused or left alone.
            Truth::Unknown => Impact::MayReplace,
        };
        let place = |it: &Definition<'_>| Some(it.written()?.external_id.as_ref()?.span);
        Some(vec![Reason {
            part: Part::ExternalId,
            impact,
            why: Why::ExternalId,
            value: Pair { old: Shown::of(was), new: Shown::of(is) },
            places: Pair { old: place(self.old), new: place(self.new) },
            changes: Vec::new(),
        }])
    }

    /// What differs in a resource that Heat leaves alone whatever it is.
    fn untouched(&self) -> Vec<Reason> {
        if self.old.resource.properties == self.new.resource.properties {
            return Vec::new();
        }
        let place = |it: &Definition<'_>| Some(it.written()?.properties.as_ref()?.span);
        vec![Reason {
            part: Part::Properties,
            impact: Impact::None,
            why: Why::PluginRule { rule: "it is never updated".to_owned() },
            value: Pair { old: Shown::Absent, new: Shown::Absent },
            places: Pair { old: place(self.old), new: place(self.new) },
            changes: Vec::new(),
        }]
    }

    /// Another name of the same plugin, or another template.
    fn other_name(&self, by: &Pair<Implemented<'_>>) -> Option<Reason> {
        match (&by.old, &by.new) {
            (Implemented::Template(was, _), Implemented::Template(is, _)) if was != is => {
                Some(self.of_type(Impact::Update, Why::OtherTemplate))
            }
            (Implemented::Template(..), Implemented::Template(..)) => None,
            _ if self.old.resource.kind != self.new.resource.kind => {
                Some(self.of_type(Impact::NoopUpdate, Why::SameType))
            }
            _ => None,
        }
    }

    /// A reason about the type.
    fn of_type(&self, impact: Impact, why: Why) -> Reason {
        let place = |it: &Definition<'_>| Some(it.written()?.kind.as_ref()?.span);
        let text = |it: &Definition<'_>| Shown::Value(Value::text(it.written_type()));
        Reason {
            part: Part::Type,
            impact,
            why,
            value: Pair { old: text(self.old), new: text(self.new) },
            places: Pair { old: place(self.old), new: place(self.new) },
            changes: Vec::new(),
        }
    }

    /// Whether two parts of definitions are the same.
    fn sameness(&self, old: Option<&Outcome>, new: Option<&Outcome>) -> Truth {
        match (old, new) {
            (None, None) => Truth::Yes,
            (Some(Ok(old)), Some(Ok(new))) => same_with(old, new, self.names),
            (Some(Err(old)), Some(Err(new))) => (old.message == new.message).into(),
            (Some(Ok(value)), other) | (other, Some(Ok(value))) => match (value, other) {
                // What is not known may be null, which is the same as nothing.
                (Value::Unknown(_), None) => Truth::Unknown,
                _ => Truth::No,
            },
            _ => Truth::No,
        }
    }

    /// The decision, unless the environment forbids what it is. The registry of the new side counts.
    fn restricted(&self, by: &Implemented<'_>, mut reasons: Vec<Reason>) -> Judgement {
        let actions = self.new.stack.registry.restricted_actions(self.new.name);
        let own = worst(&reasons);
        let forbids = |action: &str| actions.contains_key(action);
        let is_touched = by.is_stack();
        let Some((action, impact)) = forbidden(own, is_touched, forbids) else {
            return judgement(reasons);
        };
        reasons.insert(
            0,
            Reason {
                part: Part::Resource,
                impact,
                why: Why::Restricted { action: action.to_owned() },
                value: Pair { old: Shown::Absent, new: Shown::Absent },
                places: Pair { old: None, new: actions.get(action).copied() },
                changes: Vec::new(),
            },
        );
        Judgement { regardless: is_regardless(&reasons), ..judgement(reasons) }
    }
}

/// What becomes of an impact whose action the environment forbids, with that action. `is_touched` are
/// resources that every update of their stack updates.
fn forbidden(
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
        Impact::Update | Impact::NoopUpdate if forbids("update") => {
            Some(("update", Impact::Refused))
        }
        Impact::None if is_touched && forbids("update") => Some(("update", Impact::Refused)),
        _ => None,
    }
}

/// How an implementation follows on another one.
enum Succession {
    /// It is the same class of Heat.
    Same,
    /// The old one names it as its substitute.
    Substitute,
    /// It is another one.
    Other,
}

fn succession(by: &Pair<Implemented<'_>>) -> Succession {
    match (&by.old, &by.new) {
        (Implemented::Plugin(was, _), Implemented::Plugin(is, _)) if was == is => Succession::Same,
        (Implemented::Plugin(_, was), Implemented::Plugin(is, _)) => {
            match was.support.substitute == Some(*is) {
                true => Succession::Substitute,
                false => Succession::Other,
            }
        }
        // All templates are of one class; of what is not known nobody can tell.
        (Implemented::Template(..), Implemented::Template(..))
        | (Implemented::Nothing, Implemented::Nothing) => Succession::Same,
        _ => Succession::Other,
    }
}

impl Implemented<'_> {
    /// Whether Heat updates it whenever the stack is updated and leaves the decision to its members.
    fn is_stack(&self) -> bool {
        match self {
            Implemented::Plugin(name, info) => info.nested || *name == "OS::Heat::Stack",
            Implemented::Template(..) => true,
            Implemented::Nothing => false,
        }
    }

    /// What a rule about properties names it.
    fn name(&self, written: &str) -> String {
        match self {
            Implemented::Plugin(name, _) => (*name).to_owned(),
            Implemented::Template(..) | Implemented::Nothing => written.to_owned(),
        }
    }

    /// The parameters of a template that are known.
    fn parameters(&self) -> Option<&Parameters<'_>> {
        match self {
            Implemented::Template(_, parameters) => Some(parameters),
            Implemented::Plugin(..) | Implemented::Nothing => None,
        }
    }
}

fn judgement(reasons: Vec<Reason>) -> Judgement {
    Judgement { impact: worst(&reasons), regardless: is_regardless(&reasons), reasons }
}

fn worst(reasons: &[Reason]) -> Impact {
    reasons.iter().map(|reason| reason.impact).min().unwrap_or(Impact::None)
}

/// Whether there are reasons, and all of them hold where nothing differs, too.
fn is_regardless(reasons: &[Reason]) -> bool {
    let mut told = reasons.iter().filter(|reason| reason.impact != Impact::None).peekable();
    let always = |it: &Reason| it.part == Part::Resource || it.why == Why::Fails;
    told.peek().is_some() && told.all(always)
}
