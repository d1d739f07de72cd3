//! The shape of the facts, as `data/heat-27.json` has them and as the rest of hotplate asks them.
//!
//! Unknown fields are denied: what `generate.py` writes is what is read here.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

/// A table of names in alphabetical order.
pub type Table<T> = IndexMap<&'static str, T>;

/// What a resource type is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourceType {
    /// What implements it. Two types of one plugin are one type under two names for Heat.
    pub plugin: Plugin,
    /// Whether it should still be used.
    #[serde(default)]
    pub support: Support,
    /// What a reference to such a resource is worth.
    pub reference: ReferenceRule,
    /// The resource is a stack of its own: a group, a nested stack.
    #[serde(default)]
    pub nested: bool,
    /// It can be signalled.
    #[serde(default)]
    pub signal: bool,
    /// `deletion_policy: Snapshot` is possible.
    #[serde(default)]
    pub snapshot: bool,
    /// The plugin has code for an update in place.
    #[serde(default)]
    pub handles_update: bool,
    /// Attributes beyond the listed ones are accepted, whatever their name.
    #[serde(default)]
    pub dynamic_attributes: bool,
    /// The plugin adds dependencies that the template does not show.
    #[serde(default)]
    pub implicit_dependencies: bool,
    /// The plugin's own say in whether an update replaces the resource.
    #[serde(default)]
    pub replace_rules: Vec<ReplaceRule>,
    /// The service that it talks to: `nova`, `neutron`, …
    pub client: Option<&'static str>,
    /// What the service's client calls such a thing.
    pub entity: Option<&'static str>,
    /// An extension that the service must have.
    pub required_extension: Option<&'static str>,
    /// The longest name that is made of stack and resource name, in characters.
    pub name_limit: Option<u32>,
    /// A failed check does not lead to a replacement.
    #[serde(default)]
    pub survives_failed_check: bool,
    /// How given properties become others before they are used; `None` where that depends on the
    /// values of other properties.
    #[serde(default = "no_translations")]
    pub translations: Option<Vec<Translation>>,
    /// Its properties.
    #[serde(default)]
    pub properties: Table<Property>,
    /// The keys of its `update_policy`.
    #[serde(default)]
    pub update_policy: Table<Property>,
    /// Its attributes.
    #[serde(default)]
    pub attributes: Table<Attribute>,
}

fn no_translations() -> Option<Vec<Translation>> {
    Some(Vec::new())
}

/// What implements a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plugin {
    /// A class, named from Heat's package of resources on.
    Class(&'static str),
    /// A template that is shipped with Heat.
    Template(&'static str),
}

/// The type of a property's or an attribute's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// A list.
    List,
    /// A map.
    Map,
    /// Whatever is given.
    Any,
}

/// A property, a member of a map property, or the items of a list property.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Property {
    /// The type that values are converted to.
    #[serde(rename = "type")]
    pub value_type: ValueType,
    /// It must be given.
    #[serde(default)]
    pub required: bool,
    /// A change is made in place. Only the flag of a top-level property counts.
    #[serde(default)]
    pub update_allowed: bool,
    /// A change is refused. Only the flag of a top-level property counts.
    #[serde(default)]
    pub immutable: bool,
    /// It is accepted and has no effect.
    #[serde(default)]
    pub unimplemented: bool,
    /// A value of another type is converted: a list or map to JSON text, one value to a list.
    #[serde(default)]
    pub allow_conversion: bool,
    /// The value if none is given; `None` if there is none (Heat has no other `null` default).
    pub default: Option<Value>,
    /// What a value must meet.
    #[serde(default)]
    pub constraints: Vec<PropertyConstraint>,
    /// Whether it should still be used.
    #[serde(default)]
    pub support: Support,
    /// What each item of a list is, where that is known.
    pub items: Option<Box<Property>>,
    /// The keys of a map, where they are known; none otherwise.
    #[serde(default)]
    pub members: Table<Property>,
}

/// What a value must meet.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PropertyConstraint {
    /// One of these.
    AllowedValues(Vec<Value>),
    /// A number between these, both included.
    Range(Bounds),
    /// Text, list or map of a length between these, both included.
    Length(Bounds),
    /// Text that this Python regular expression matches as a whole.
    AllowedPattern(String),
    /// The constraint of this name, see [`Schema::custom_constraints`](super::Schema).
    Custom(&'static str),
}

/// Limits, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// At least.
    pub min: Option<i64>,
    /// At most.
    pub max: Option<i64>,
}

/// An attribute.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Attribute {
    /// The type of its value; `None` where the plugin does not say.
    #[serde(rename = "type")]
    pub value_type: Option<ValueType>,
    /// Asked from the service each time.
    #[serde(default)]
    pub uncached: bool,
    /// Whether it should still be used.
    #[serde(default)]
    pub support: Support,
}

/// Whether something should still be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SupportStatus {
    /// Use it.
    #[default]
    Supported,
    /// It works and will go.
    Deprecated,
    /// Old templates still work with it; it is no longer shown.
    Hidden,
    /// It is not supported by the project.
    Unsupported,
}

/// The life of a type, a property or an attribute.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Support {
    /// Today's status.
    pub status: SupportStatus,
    /// The OpenStack release (`2014.1`) or Heat version (`5.0.0`) that it has it since.
    pub since: Option<&'static str>,
    /// What was before, latest first.
    #[serde(default)]
    pub previous: Vec<Support>,
    /// Types that the deprecation message names: what to use instead.
    #[serde(default)]
    pub see: Vec<&'static str>,
    /// The type that may take its place without the resource being replaced.
    pub substitute: Option<&'static str>,
}

/// What `get_resource` gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceRule {
    /// Once the resource exists.
    pub what: ReferenceValue,
    /// Before it exists.
    pub before_creation: BeforeCreation,
}

/// What `get_resource` gives for a resource that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceValue {
    /// The id that Heat keeps for the resource.
    PhysicalId(PhysicalId),
    /// The name that Heat makes of stack and resource name.
    PhysicalResourceName,
    /// A signed URL of the CloudFormation API.
    Ec2SignedUrl,
    /// The output `OS::stack_id` of the nested stack, else its ARN.
    NestedStackOutput,
    /// The ARN of a stack.
    StackArn,
    /// An IP address.
    IpAddress,
    /// The name in the template.
    LogicalName,
    /// The value that the resource made.
    GeneratedValue,
    /// A URL that signals.
    SignalUrl,
    /// The name of a workflow.
    WorkflowName,
}

/// What Heat keeps as the id of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhysicalId {
    /// What the service calls the id.
    ServiceId,
    /// A UUID that the service gave.
    ServiceUuid,
    /// The name that the service knows it by.
    ServiceName,
    /// The name that Heat makes of stack and resource name.
    PhysicalResourceName,
    /// The id of the nested stack.
    NestedStackId,
    /// Something else, see the plugin.
    Other,
    /// Nothing is kept.
    None,
}

/// What `get_resource` gives for a resource that does not exist yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BeforeCreation {
    /// The name in the template.
    LogicalName,
    /// `null`
    Null,
    /// The text `None`.
    TextNone,
    /// The name of a workflow.
    WorkflowName,
}

/// How a plugin decides on its own that an update replaces the resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplaceRule {
    /// It is asked at every update.
    AlwaysAsked,
    /// It is asked for a resource that failed: the service's state counts.
    AfterFailure,
    /// It looks at the changed properties.
    ByPropertyChange,
    /// It looks at the changed definition.
    ByDefinitionChange,
}

/// How a property is changed before it is used.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Translation {
    /// A name becomes an id.
    Resolve {
        /// The property; each item where a list is on the way.
        path: Vec<&'static str>,
        /// The plugin's lookup.
        finder: &'static str,
        /// What kind of thing is looked up, where the lookup serves several.
        entity: Option<&'static str>,
    },
    /// Another property's value is taken, if it is given.
    Replace {
        /// The property that gets the value.
        path: Vec<&'static str>,
        /// Where it comes from.
        with: ReplaceWith,
    },
    /// The property is dropped.
    Delete {
        /// The property.
        path: Vec<&'static str>,
    },
}

/// Where a replacing value comes from.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplaceWith {
    /// The property of this name beside the replaced one.
    Sibling(&'static str),
    /// The property at this path, from the resource's properties on.
    Property(Vec<&'static str>),
}
