//! Heat's decision on one resource.

use super::comparison::{Impact, Pair, Part, Reason, Shown};
use super::why::Why;
use crate::diagnostics::Span;
use crate::eval::deployment::{Child, Deployed};
use crate::eval::{Resource, Value};

/// A resource of one side, with what it is part of.
pub(super) struct Definition<'a> {
    pub(super) name: &'a str,
    pub(super) resource: &'a Resource,
    pub(super) stack: &'a Deployed,
}

impl<'a> Definition<'a> {
    /// A resource of a stack, if the stack has it.
    pub(super) fn new(stack: &'a Deployed, name: &'a str) -> Option<Self> {
        let resource = stack.evaluation.resources.as_ref()?.get(name)?;
        Some(Definition { name, resource, stack })
    }

    /// Where its name is written.
    pub(super) fn place(&self) -> Span {
        self.stack.stack.resources.get(self.name).map_or(Span::NOWHERE, |it| it.name_span)
    }

    /// Its type as the template writes it.
    pub(super) fn written_type(&self) -> &str {
        let written = self.stack.stack.resources.get(self.name).and_then(|it| it.kind.as_ref());
        written.map_or(self.resource.kind.as_str(), |kind| kind.text.as_str())
    }

    /// What became of the stack that it stands for.
    pub(super) fn child(&self) -> Option<&'a Child> {
        self.stack.children.get(self.name)
    }
}

/// What an update does to a resource that is there on both sides.
pub(super) fn judge(old: &Definition<'_>, new: &Definition<'_>) -> (Impact, Vec<Reason>) {
    let is_same = old.resource.properties == new.resource.properties;
    let _ = (old.child(), new.child());
    if is_same {
        return (Impact::None, Vec::new());
    }
    let reason = Reason {
        part: Part::Properties,
        impact: Impact::Update,
        why: Why::Updatable,
        value: Pair { old: Shown::Absent, new: Shown::Absent },
        places: Pair { old: Some(old.place()), new: Some(new.place()) },
        changes: Vec::new(),
    };
    (Impact::Update, vec![reason])
}

/// What an update does to a resource that is new.
pub(super) fn created(new: &Definition<'_>) -> Impact {
    if new.resource.external_id.is_some() { Impact::Adopt } else { Impact::Create }
}

/// What an update does to a resource that is gone.
pub(super) fn removed(old: &Definition<'_>) -> Impact {
    match old.resource.deletion_policy.open() {
        Value::Text(policy) if policy == "Retain" => Impact::Retain,
        Value::Text(policy) if policy == "Snapshot" => Impact::Snapshot,
        _ => Impact::Delete,
    }
}
