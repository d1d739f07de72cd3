//! Determines what a change of a template, its environment or its included files does to the running stack.
//!
//! Two deployments in, a [`Comparison`] out. See
//! `crates/hotplate-diff/ARCHITECTURE.md#comparison`, and `docs/heat.md#updates` for Heat's rules.

#![forbid(unsafe_code)]

pub mod affected;
pub mod codes;
mod compare;
mod comparison;
mod constraints;
mod dataflow;
mod entries;
mod environment;
mod equality;
mod existence;
mod fail_on;
mod findings;
mod hazards;
mod hidden_property;
mod impact;
mod input;
mod instance_groups;
mod lists;
mod member_spans;
mod mirrored_attributes;
mod name_order;
mod named;
mod old_resources;
mod parameters;
mod propagation;
mod refusals;
mod registry_reach;
mod renames;
mod rewritten;
mod roles;
mod scale_down;
mod secrets;
mod security;
#[cfg(test)]
mod single_template;
mod stages;
mod suppressions;
#[cfg(test)]
mod testing;
pub mod text_diff;
mod text_parts;
mod text_templates;
mod unread_files;
mod update_impact;
mod update_rules;
mod values;

pub use compare::{ComparisonResult, DeploymentSide, compare};
pub use comparison::*;
pub use fail_on::{
    DANGEROUS, FailOn, ResourceOutcome, SelectedChanges, Uncertainty, UnknownImpact,
    is_not_compared,
};
pub use findings::{FindingSide, SidedFinding, by_side};
pub use hazards::{
    Hazard, HazardKind, MachineEffect, MachineEffectKind, SharedEffect, SharedObject,
    shared_objects,
};
pub use hidden_property::{HiddenProperty, NotTypeAndProperty};
pub use impact::{PropertyUpdate, property_update, reference_property, update_rules};
pub use impact::{ResourceDefinition, RunningResource, RunningStack, StateEffect};
pub use rewritten::RewrittenPart;
pub use roles::{DataEffect, ResourceRole};
pub use security::{open_ports, secret_properties};
pub use suppressions::{CommentSide, ParseSuppressionError, SuppressionOptions, parse_suppression};
pub use update_rules::{HEAT, MemberOrder, UpdateRule};
