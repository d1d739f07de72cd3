//! Rewrites of what the release of Heat deprecates or hides: properties that a plugin reads under another name, names of
//! types that are aliases, types of services that are gone.
//!
//! `plan` walks the definitions of a template and proposes rewrites by name; `normal_form` is the independent side: what
//! Heat's plugins read, by which the proof compares the new text with the old one.

mod environment;
mod moves;
mod names;
mod normal_form;
mod plan;
mod properties;
mod proposals;
mod successors;
mod types;

use std::collections::BTreeSet;

use super::rule::PlannedRewrite;
use heat_template::schema::{Plugin, ResourceType, Schema};
use source_diagnostics::Diagnostic;

pub use environment::mapped_types;
pub(super) use environment::{mapped_in, plan_registry, registry_targets};
pub(super) use normal_form::NormalForm;
pub(super) use plan::plan;
pub(super) use successors::Succession;

/// The rewrites for the release.
#[derive(Clone, Debug)]
pub struct Modernize {
    /// The major version of Heat that the result is for. Names that it does not have are not written.
    pub heat: u32,
    /// The types that an environment maps to another type or template, perhaps with a `*` at the end: the rules of
    /// Heat's own types do not apply to them.
    pub mapped: BTreeSet<String>,
    /// The first bytes of the keys and types that may be rewritten; all if `None`.
    pub places: Option<BTreeSet<u32>>,
}

/// The rewrites for a template.
pub(super) struct ModernizePlan {
    pub(super) rewrites: Vec<PlannedRewrite>,
    /// The steps by hand, and the parts that were not examined.
    pub(super) findings: Vec<Diagnostic>,
}

impl Modernize {
    /// Whether an environment decides what a type is.
    fn maps(&self, kind: &str) -> bool {
        self.mapped.iter().any(|name| match name.strip_suffix('*') {
            Some(start) => kind.starts_with(start),
            None => kind == name,
        })
    }
}

/// The facts about a type of Heat, if the registry does not map it to something else.
fn plugin_type(
    schema: &'static Schema,
    modernize: &Modernize,
    kind: &str,
) -> Option<&'static ResourceType> {
    if modernize.maps(kind) || modernize.maps(&schema.real_name(kind)) {
        return None;
    }
    known_type(schema, kind)
}

fn known_type(schema: &'static Schema, kind: &str) -> Option<&'static ResourceType> {
    schema.type_info(kind).filter(|info| matches!(info.plugin, Plugin::Class(_)))
}

/// The facts that apply to all of several types; nothing if one type is unknown.
fn common<T: PartialEq>(types: impl Iterator<Item = Option<Vec<T>>>) -> Vec<T> {
    let mut all: Option<Vec<T>> = None;
    for of_type in types {
        let of_type = of_type.unwrap_or_default();
        all = Some(match all {
            None => of_type,
            Some(all) => all.into_iter().filter(|it| of_type.contains(it)).collect(),
        });
    }
    all.unwrap_or_default()
}
