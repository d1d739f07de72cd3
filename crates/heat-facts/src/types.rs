//! The types of the facts, in the layout of `data/heat-27.json`.
//!
//! Unknown fields are errors: these types match the output of `tools/generate/heat_layout.py` exactly.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

/// A table of names in alphabetical order.
pub type Table<T> = IndexMap<&'static str, T>;

/// The facts about a resource type.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourceType {
    /// The implementation. For Heat, two types with the same plugin are one type under two names.
    pub plugin: Plugin,
    /// The support status: supported, deprecated, hidden.
    #[serde(default)]
    pub support: Support,
    /// The value of a reference to such a resource (`get_resource`).
    pub reference: ReferenceRule,
    /// True if the resource is a nested stack, such as a group.
    #[serde(default)]
    pub nested: bool,
    /// True if it can be signaled.
    #[serde(default)]
    pub signal: bool,
    /// True if `deletion_policy: Snapshot` is allowed.
    #[serde(default)]
    pub snapshot: bool,
    /// True if the plugin implements an in-place update.
    #[serde(default)]
    pub handles_update: bool,
    /// True if attributes beyond the listed ones are accepted, with any name.
    #[serde(default)]
    pub dynamic_attributes: bool,
    /// True if the plugin adds dependencies that the template does not show.
    #[serde(default)]
    pub implicit_dependencies: bool,
    /// The plugin's own rules for when an update replaces the resource.
    #[serde(default)]
    pub replace_rules: Vec<ReplaceRule>,
    /// The service that it uses: `nova`, `neutron`, …
    pub client: Option<&'static str>,
    /// The name of the resource in the service's client.
    pub entity: Option<&'static str>,
    /// An API extension that the service must have.
    pub required_extension: Option<&'static str>,
    /// The maximum length in characters of the generated name (stack and resource name).
    pub name_limit: Option<u32>,
    /// True if a failed check does not lead to a replacement.
    #[serde(default)]
    pub survives_failed_check: bool,
    /// The major version of the first release of Heat that creates nothing for the type, if its service is gone.
    pub placeholder_since: Option<u32>,
    /// How properties are translated before they are used; `None` if that depends on the
    /// values of other properties.
    #[serde(default = "no_translations")]
    pub translations: Option<Vec<Translation>>,
    /// The properties by name.
    #[serde(default)]
    pub properties: Table<Property>,
    /// The keys of `update_policy`.
    #[serde(default)]
    pub update_policy: Table<Property>,
    /// The attributes by name.
    #[serde(default)]
    pub attributes: Table<Attribute>,
}

fn no_translations() -> Option<Vec<Translation>> {
    Some(Vec::new())
}

/// The names of the functions of a version.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct FunctionNames {
    /// Those in values.
    pub values: Vec<&'static str>,
    /// Those in conditions.
    pub conditions: Vec<&'static str>,
}

/// The implementation of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plugin {
    /// A class, by its path below Heat's package `resources`.
    Class(&'static str),
    /// A template that is shipped with Heat.
    Template(&'static str),
}

/// The type of a property's or an attribute's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    /// Heat's `String`.
    String,
    /// Heat's `Integer`.
    Integer,
    /// A number, integer or float.
    Number,
    /// Heat's `Boolean`.
    Boolean,
    /// Heat's `List`.
    List,
    /// Heat's `Map`.
    Map,
    /// A value of any type.
    Any,
}

/// A property, a member of a map property, or the items of a list property.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Property {
    /// The type that values are converted to.
    #[serde(rename = "type")]
    pub value_type: ValueType,
    /// True if it is required.
    #[serde(default)]
    pub required: bool,
    /// True if a change is an in-place update. Only the flag of a top-level property counts.
    #[serde(default)]
    pub update_allowed: bool,
    /// True if Heat refuses a change. Only the flag of a top-level property counts.
    #[serde(default)]
    pub immutable: bool,
    /// True if Heat accepts the property but it has no effect.
    #[serde(default)]
    pub unimplemented: bool,
    /// True if a value of another type is converted: a list or map to a JSON string, a single value to a list.
    #[serde(default)]
    pub allow_conversion: bool,
    /// The default value; `None` if there is none (Heat has no `null` default).
    pub default: Option<Value>,
    /// Constraints on the value.
    #[serde(default)]
    pub constraints: Vec<PropertyConstraint>,
    /// The support status: supported, deprecated, hidden.
    #[serde(default)]
    pub support: Support,
    /// The items of a list, if they are known.
    pub items: Option<Box<Property>>,
    /// The keys of a map, if they are known; empty otherwise.
    #[serde(default)]
    pub members: Table<Property>,
}

/// Constraints on the value.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PropertyConstraint {
    /// The value is one of these.
    AllowedValues(Vec<Value>),
    /// The value is a number within these bounds.
    Range(Bounds),
    /// The value is a string, list or map with a length within these bounds.
    Length(Bounds),
    /// The value is a string that this Python regular expression matches as a whole.
    AllowedPattern(String),
    /// The constraint of this name, see [`Schema::custom_constraints`](super::Schema).
    Custom(&'static str),
}

/// The bounds of a `Length` or `Range` constraint; both are allowed values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// The minimum; `None` for no lower bound.
    pub min: Option<i64>,
    /// The maximum; `None` for no upper bound.
    pub max: Option<i64>,
}

/// The facts about an attribute.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
#[serde(default)]
pub struct Attribute {
    /// The type of the value; `None` if the plugin does not declare it.
    #[serde(rename = "type")]
    pub value_type: Option<ValueType>,
    /// True if Heat queries the service on each access.
    pub uncached: bool,
    /// The support status: supported, deprecated, hidden.
    pub support: Support,
}

/// The support status of a type, a property or an attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SupportStatus {
    /// Supported without restriction.
    #[default]
    Supported,
    /// Deprecated: it works, but will be removed.
    Deprecated,
    /// Hidden: old templates still work with it, but it is no longer documented.
    Hidden,
    /// Not supported by the Heat project.
    Unsupported,
}

/// The support history of a type, a property or an attribute.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Support {
    /// The status in the Heat version that the facts describe.
    pub status: SupportStatus,
    /// The OpenStack release (`2014.1`) or Heat version (`5.0.0`) since which the status applies.
    pub since: Option<&'static str>,
    /// Heat's own message about the status.
    pub message: Option<String>,
    /// What to use instead, from Heat's messages.
    pub successor: Option<Successor>,
    /// The previous statuses, the latest first.
    #[serde(default)]
    pub previous: Vec<Support>,
    /// The type that a template can use instead without a replacement of the resource.
    pub substitute: Option<&'static str>,
}

/// What to use instead of something deprecated.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Successor {
    /// The type of this name.
    Type(&'static str),
    /// The types of a service, whose names begin with this: what each of them does differs.
    Service(&'static str),
    /// One of the properties of these names, next to the old one.
    Properties(Vec<&'static str>),
    /// A property of another type: the name of the type and of the property.
    PropertyOf(&'static str, &'static str),
    /// The attribute of this name, next to the old one.
    Attribute(&'static str),
    /// The function of this name.
    Function(&'static str),
}

/// The facts of a release of Heat about a type, a property or an attribute.
#[derive(Clone, Copy, Debug)]
pub enum SupportIn<'s> {
    /// The status in this release.
    Stage(&'s Support),
    /// It exists and is supported, since before Heat's records begin.
    BeforeRecords,
    /// The release does not have it yet.
    Absent,
}

impl Support {
    /// The status in a release of Heat, given by its major version.
    pub fn in_release(&self, heat: u32) -> SupportIn<'_> {
        let has_begun = |since: &str| heat_version(since).is_none_or(|since| since <= heat);
        let stage = self.stages().find(|stage| stage.since.is_none_or(has_begun));
        match (stage, self.stages().last()) {
            (Some(stage), _) => SupportIn::Stage(stage),
            // What Heat deprecates has existed before.
            (None, Some(first)) => match first.status {
                SupportStatus::Deprecated | SupportStatus::Hidden => SupportIn::BeforeRecords,
                SupportStatus::Supported | SupportStatus::Unsupported => SupportIn::Absent,
            },
            (None, None) => SupportIn::Absent,
        }
    }

    /// Heat's message in a release, by its major version: that of the status there, or of an earlier one that is not
    /// supported either.
    pub fn message_in(&self, heat: u32) -> Option<&str> {
        let SupportIn::Stage(current) = self.in_release(heat) else { return None };
        let stages = self.stages().skip_while(|stage| !std::ptr::eq(*stage, current));
        let mut stages = stages.take_while(|stage| stage.status != SupportStatus::Supported);
        stages.find_map(|stage| stage.message.as_deref())
    }

    /// The statuses, the latest first.
    pub fn stages(&self) -> impl Iterator<Item = &Support> {
        std::iter::once(self).chain(&self.previous)
    }
}

impl Successor {
    /// The advice to use it, as a sentence without a full stop.
    pub fn advice(&self) -> String {
        match self {
            Successor::Type(name) => format!("use the type `{name}` instead"),
            Successor::Service(prefix) => format!("use the types `{prefix}*` instead"),
            Successor::Properties(names) => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                format!("use the property {} instead", names.join(" or "))
            }
            Successor::PropertyOf(kind, name) => {
                format!("use the property `{name}` of `{kind}` instead")
            }
            Successor::Attribute(name) => format!("use the attribute `{name}` instead"),
            Successor::Function(name) => format!("use the function `{name}` instead"),
        }
    }
}

impl SupportIn<'_> {
    /// Whether nothing speaks against using it.
    pub fn is_supported(self) -> bool {
        match self {
            SupportIn::Stage(stage) => stage.status == SupportStatus::Supported,
            SupportIn::BeforeRecords => true,
            SupportIn::Absent => false,
        }
    }

    /// Whether the release does not have it yet.
    pub fn is_absent(self) -> bool {
        matches!(self, SupportIn::Absent)
    }
}

/// The major version of Heat of a `since`: from Liberty on it is in the text; releases before count backwards from Liberty's 5.
pub fn heat_version(since: &str) -> Option<u32> {
    let mut parts = since.split('.');
    let first: u32 = parts.next()?.parse().ok()?;
    if first < 2000 {
        return Some(first);
    }
    let half: u32 = parts.next()?.parse().ok()?;
    // Kilo, 2015.1, is the release before Liberty.
    ((first * 2 + half) + 4).checked_sub(2015 * 2 + 1)
}

/// The value of `get_resource`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceRule {
    /// The value once the resource exists.
    pub what: ReferenceValue,
    /// The value before the resource exists.
    pub before_creation: BeforeCreation,
}

/// The value of `get_resource` for a resource that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceValue {
    /// The id that Heat stores for the resource.
    PhysicalId(PhysicalId),
    /// The name that Heat generates from stack and resource name.
    PhysicalResourceName,
    /// A signed URL of the CloudFormation API.
    Ec2SignedUrl,
    /// The output `OS::stack_id` of the nested stack, else its ARN.
    NestedStackOutput,
    /// The ARN of a stack.
    StackArn,
    /// The IP address of the resource.
    IpAddress,
    /// The name in the template.
    LogicalName,
    /// The value that the resource generates.
    GeneratedValue,
    /// A URL that signals the resource.
    SignalUrl,
    /// The name of a workflow.
    WorkflowName,
}

/// The ID of a resource that Heat stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhysicalId {
    /// The id in the service.
    ServiceId,
    /// A UUID that the service generates.
    ServiceUuid,
    /// The name in the service.
    ServiceName,
    /// The name that Heat generates from stack and resource name.
    PhysicalResourceName,
    /// The id of the nested stack.
    NestedStackId,
    /// Another value, specific to the plugin.
    Other,
    /// Heat stores no id.
    None,
}

/// The value of `get_resource` for a resource that does not exist yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BeforeCreation {
    /// The name in the template.
    LogicalName,
    /// A null, Python's `None`.
    Null,
    /// The string `None`.
    TextNone,
    /// The name of a workflow.
    WorkflowName,
}

/// How a plugin's own code decides that an update replaces the resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplaceRule {
    /// Heat calls the plugin on every update.
    AlwaysAsked,
    /// Heat calls the plugin for a failed resource: the state in the service counts.
    AfterFailure,
    /// The plugin checks the changed properties.
    ByPropertyChange,
    /// The plugin checks the changed definition.
    ByDefinitionChange,
}

/// How a property is translated before it is used.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Translation {
    /// A name is resolved to an id.
    Resolve {
        /// The path of the property; lists on the path stand for each item.
        path: Vec<&'static str>,
        /// The lookup function of the client plugin.
        finder: &'static str,
        /// The kind of entity, if the lookup function supports several.
        entity: Option<&'static str>,
    },
    /// The value of another property is used, if it has one.
    Replace {
        /// The path of the property that gets the value.
        path: Vec<&'static str>,
        /// The source of the value.
        with: ReplaceWith,
    },
    /// The property is removed.
    Delete {
        /// The path of the property.
        path: Vec<&'static str>,
    },
}

/// The source of a replacement value.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplaceWith {
    /// The property of this name next to the replaced one.
    Sibling(&'static str),
    /// The property at this path, starting from the resource's properties.
    Property(Vec<&'static str>),
}
