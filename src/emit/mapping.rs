//! The mapping tables of targets, `targets/NAME/mapping.yaml`: what becomes of each Heat type, of its
//! properties and of its attributes. Data only; what a table cannot say is a rule in the target's code,
//! which the table names.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mapping table.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// The schema that every name in the table was checked against, with its version.
    pub checked_against: String,
    /// Heat types, in Heat's spelling.
    pub types: IndexMap<String, TypeMapping>,
}

/// What becomes of a type.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TypeMapping {
    /// The target's type; none where there is no counterpart.
    #[serde(default)]
    pub to: Option<String>,
    /// The rule of the target's code that makes it, where a table cannot.
    #[serde(default)]
    pub rule: Option<String>,
    /// Why there is no counterpart, or what differs: a sentence without a full stop.
    #[serde(default)]
    pub note: Option<String>,
    /// What a user can do where there is no counterpart.
    #[serde(default)]
    pub way_out: Option<String>,
    /// The attribute of the counterpart that is Heat's reference id; the target's usual one if none.
    #[serde(default)]
    pub reference: Option<String>,
    /// The resource is not an object of its own but a part of another one; the rule that says so.
    #[serde(default)]
    pub part_of: Option<String>,
    /// What the target takes to adopt an existing object, with places in braces: `{id}` for the
    /// physical id, `{argument}` for the value of an argument; the id itself if none.
    #[serde(default)]
    pub adopt: Option<String>,
    /// Why it cannot be adopted.
    #[serde(default)]
    pub not_adopted: Option<String>,
    /// Arguments that every such object has, and which no property says.
    #[serde(default)]
    pub constants: IndexMap<String, String>,
    /// Properties, in the order in which they are written.
    #[serde(default)]
    pub properties: IndexMap<String, PropertyMapping>,
    /// Attributes.
    #[serde(default)]
    pub attributes: IndexMap<String, AttributeMapping>,
}

/// What becomes of a property.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PropertyMapping {
    /// The target's argument.
    #[serde(default)]
    pub to: Option<String>,
    /// The rule of the target's code that says it, where a table cannot.
    #[serde(default)]
    pub rule: Option<String>,
    /// Why there is none, or what differs.
    #[serde(default)]
    pub note: Option<String>,
    /// What the target's argument holds: a name of the target's own table of forms.
    #[serde(default)]
    pub holds: Option<String>,
    /// What the value becomes; what is not listed stays.
    #[serde(default)]
    pub values: IndexMap<String, String>,
    /// The target insists on it.
    #[serde(default)]
    pub required: bool,
    /// Heat takes a name or an id, the target an id: the data source that finds it by its name.
    #[serde(default)]
    pub lookup: Option<String>,
    /// Changing it replaces the object in the target, where Heat may update it in place, or the other
    /// way round.
    #[serde(default)]
    pub differs: Option<String>,
    /// What is wanted is another attribute of the thing that is named than its id.
    #[serde(default)]
    pub wants: Option<String>,
    /// The argument of the data source that takes the id of the thing, where `wants` is asked by its id.
    #[serde(default)]
    pub by_id: Option<String>,
    /// The argument of the data source that takes the name; `name` if none.
    #[serde(default)]
    pub by: Option<String>,
    /// It is an old name of this property.
    #[serde(default)]
    pub same_as: Option<String>,
    /// Heat makes a name where none is given: it is `STACK-RESOURCE` in the target, without Heat's
    /// random end.
    #[serde(default)]
    pub made: bool,
    /// Heat's default differs from the target's and is written.
    #[serde(default)]
    pub explicit: bool,
    /// Without it the counterpart allows more: nothing is made of the resource where it cannot be expressed.
    #[serde(default)]
    pub restricts: bool,
    /// Every item becomes an object of this type, beside the resource's own.
    #[serde(default)]
    pub object: Option<String>,
    /// What the names of those objects end with.
    #[serde(default)]
    pub suffix: Option<String>,
    /// The argument of those objects that takes the reference of the resource's own.
    #[serde(default)]
    pub parent: Option<String>,
    /// What the target takes to adopt those objects, as for a type.
    #[serde(default)]
    pub adopt: Option<String>,
    /// What becomes of an item that is not a map.
    #[serde(default)]
    pub item: Option<Box<PropertyMapping>>,
    /// Heat hands over members of the map that are not text as JSON.
    #[serde(default)]
    pub json: bool,
    /// It is one thing of a map argument: the argument is `to`, the key is this.
    #[serde(default)]
    pub key: Option<String>,
    /// Properties of the maps in it, for a list or map whose members have other names.
    #[serde(default)]
    pub members: IndexMap<String, PropertyMapping>,
}

/// What becomes of an attribute.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttributeMapping {
    /// The target's attribute.
    #[serde(default)]
    pub to: Option<String>,
    /// The rule of the target's code that says it, where a table cannot.
    #[serde(default)]
    pub rule: Option<String>,
    /// Why there is none, or what differs.
    #[serde(default)]
    pub note: Option<String>,
}

impl Mapping {
    /// Reads a table. An error is what is wrong with it.
    pub fn read(text: &str) -> Result<Self, String> {
        super::table_reader::read_embedded(text)
    }
}
