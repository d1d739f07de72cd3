//! The neutral model (intermediate representation): what a template means, independent of its dialect.
//!
//! Dialects lower a [`Document`](lossless_yaml::Document) to a [`Stack`] and raise it back; every
//! other stage works only on the stack. Where an old form of a function behaves differently from
//! its successor, the difference is data on the node (a policy), so no stage needs to know
//! which version a template was written in. `docs/ir.md` is the guide, `docs/schemas/ir.json` the
//! generated JSON Schema.

mod expr;
mod functions;
mod parts;
mod shared;
mod stack;
mod walk;

pub mod equivalence;
pub mod graph;
pub mod json;
pub mod types;

pub use expr::{
    AttributeFetch, AttributeRef, Choice, ComputedCall, ComputedFunction, Expr, ExprKind,
    FacadePart, InvalidCall, Join, JoinPolicy, Lookup, MemberList, Pair, ParameterRef, Repeat,
    RepeatSources, Replace, ReplaceKeys, ReplaceValues, Selection, Split, SplitPolicy, YaqlCall,
};
pub use functions::{ArgumentForm, BinaryFunction, FunctionFacts, UnaryFunction, function_facts};
pub use parts::SharedParts;
pub use shared::Shared;
pub use stack::{
    Capability, Condition, ConstraintKind, DeletionPolicy, Dependency, GivenSecret, Mapping,
    Output, Parameter, ParameterConstraint, ParameterGroup, ParameterType, Resource, SpannedName,
    Stack, TemplateFormat, UnknownKey,
};
