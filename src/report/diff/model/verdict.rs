//! The answer in short, in the order of what people fear.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use hotplate_diff::{Impact, ResourceRole};

/// The answer in short: the counts, what hurts most first, and the worst resources with their causes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// Whether anything differs or is not compared. An added or deleted template file alone is no difference, since no stack
    /// changes. Suppressions and `--fail-on` do not matter here.
    pub differs: bool,
    /// The parts of the first line of every report, in its order. Empty if there is nothing to say about a stack.
    pub parts: Vec<VerdictPart>,
    /// The worst resources, at most five; those that are only created or updated in place are not among them.
    pub worst: Vec<WorstResource>,
}

/// A part of the first line: a count with what is counted and what happens to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictPart {
    /// What it tells; the parts of a line are in this order.
    pub kind: VerdictKind,
    /// The impact that is counted; `null` if the part is about something else.
    pub impact: Option<Impact>,
    /// The count, without the things in `extra`.
    pub count: usize,
    /// The noun for what is counted, in the number of `count`: `servers`; `null` for things of several types.
    pub noun: Option<String>,
    /// What happens: `replaced`, `more access allowed`.
    pub phrase: String,
    /// The addition in parentheses: names, or configurations and nested stacks, which are not in `count`.
    pub extra: Option<String>,
    /// The part as it is printed: `3 servers replaced (+9 configurations)`.
    pub text: String,
}

/// The subject of a part of the verdict, the most feared first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictKind {
    /// Heat refuses the template, the update or a resource.
    Refused,
    /// Data is lost.
    DataLost,
    /// Data is lost if the resource is replaced, which is unknown.
    DataMayBeLost,
    /// The update leaves something behind, fails, or waits for what cannot come.
    Hazard,
    /// Servers or load balancers are deleted, replaced or rebuilt, or may be.
    Service,
    /// Machines stop, or are cut off from a disk or a network, or may be.
    Interruption,
    /// More access is allowed than before.
    Access,
    /// Something is not compared: its impact is unknown.
    NotCompared,
    /// What happens to all other resources.
    Resources,
    /// What happens to configurations and nested stacks, if nothing real has the same impact.
    Wrappers,
    /// What else the update does to machines: other addresses, deployments that run again, changes that do not reach them.
    MachineEffect,
    /// What happens to outputs.
    Outputs,
    /// Files that could not be read, and what is the same as written but depends on them.
    Unread,
    /// Heat refuses the template as it is, and as it was: the change alters nothing about that.
    RefusedBefore,
}

/// One of the worst resources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorstResource {
    /// The path of its template, as in `new`, or in `old` if there is no new one.
    pub template: String,
    /// The full name; `*` replaces the positions of several equal members of a group.
    pub resource: String,
    /// The number of resources: more than one for equal members of a group.
    pub count: usize,
    /// The type.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The decision for it, including the effects of changes of other resources.
    pub impact: Impact,
    /// What it is to those who run the stack.
    pub role: ResourceRole,
    /// The cause in short, without a full stop: `network: net-a → net-b`, `because port is replaced: network: net-a → net-b`.
    pub cause: Option<String>,
}
