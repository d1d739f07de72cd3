//! The mapping tables of targets, `targets/NAME/mapping.yaml`: the counterparts of each Heat type, its
//! properties and its attributes. A table holds only data; what it cannot express is a rule in the target's
//! code, which the table names.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The content of a `mapping.yaml`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// The schema that every name in the table was checked against, with its version.
    pub checked_against: String,
    /// The rows, by Heat type.
    pub types: IndexMap<String, TypeMapping>,
}

/// The counterpart of a type.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TypeMapping {
    /// The target's type; absent if there is no counterpart.
    pub to: Option<String>,
    /// The rule in the target's code that renders it, where a table is not enough.
    pub rule: Option<String>,
    /// Why there is no counterpart, or what differs: a sentence without a period.
    pub note: Option<String>,
    /// What the user can do if there is no counterpart.
    pub suggestion: Option<String>,
    /// The attribute of the counterpart that is Heat's reference ID; by default the target's usual one.
    pub reference: Option<String>,
    /// The rule that makes the resource a part of another one instead of an object of its own.
    pub part_of: Option<String>,
    /// The ID by which the target adopts an existing object, with placeholders in braces: `{id}` for the
    /// physical ID, `{argument}` for the value of an argument; by default the physical ID.
    pub adopt: Option<String>,
    /// Why an existing object cannot be adopted.
    pub not_adopted: Option<String>,
    /// Arguments that every such object has, unless a property sets them.
    pub constants: IndexMap<String, String>,
    /// The properties, in the order in which they are written.
    pub properties: IndexMap<String, PropertyMapping>,
    /// The counterparts of the attributes, by their names in Heat.
    pub attributes: IndexMap<String, AttributeMapping>,
}

/// The counterpart of a property.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PropertyMapping {
    /// The target's argument; absent if there is none.
    pub to: Option<String>,
    /// The rule in the target's code that translates it, where a table is not enough.
    pub rule: Option<String>,
    /// Why there is no counterpart, or what differs.
    pub note: Option<String>,
    /// The values that need no counterpart, with the reason: a sentence without a period. The key `any` stands
    /// for every value.
    pub no_effect: IndexMap<String, String>,
    /// The form of the target's argument: a name in the target's own table of forms, or the prefix of a rule (`cidr`) or
    /// of a subnet in the form that Neutron stores.
    pub holds: Option<String>,
    /// Replacements for values; a value that is not listed stays.
    pub values: IndexMap<String, String>,
    /// Whether the target requires it.
    pub required: bool,
    /// The data source that looks up the ID by a name, if Heat accepts a name or an ID and the target
    /// only an ID.
    pub lookup: Option<String>,
    /// How updates differ: a change replaces the object in the target where Heat may update it in place,
    /// or vice versa.
    pub differs: Option<String>,
    /// The attribute of the named object that the argument takes, if it is not the ID.
    pub wants: Option<String>,
    /// The argument of the data source that takes the object's ID, if `wants` is looked up by an ID.
    pub by_id: Option<String>,
    /// The argument of the data source that takes the name; by default `name`.
    pub by: Option<String>,
    /// The current name of the property, if this is a deprecated one.
    pub same_as: Option<String>,
    /// Whether Heat generates a name if none is given: the target gets `STACK-RESOURCE`, without Heat's
    /// random suffix.
    pub made: bool,
    /// Whether Heat's default differs from the target's and must be written.
    pub explicit: bool,
    /// Whether the counterpart would allow more without it: the resource is omitted if it cannot be
    /// expressed.
    pub restricts: bool,
    /// The type of the objects that the items become, besides the resource's own object.
    pub object: Option<String>,
    /// The suffix of the names of those objects.
    pub suffix: Option<String>,
    /// The argument of those objects that takes the reference of the resource's own object.
    pub parent: Option<String>,
    /// The ID by which the target adopts those objects, as for a type.
    pub adopt: Option<String>,
    /// The counterpart of an item that is not a map.
    pub item: Option<Box<PropertyMapping>>,
    /// Whether Heat serializes members of the map that are not strings to JSON.
    pub json: bool,
    /// The key in the argument `to`, which is a map, that the property becomes.
    pub key: Option<String>,
    /// The counterparts of members, for a map or a list of maps whose members have other names.
    pub members: IndexMap<String, PropertyMapping>,
}

/// The counterpart of an attribute.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AttributeMapping {
    /// The target's attribute; absent if there is none.
    pub to: Option<String>,
    /// The rule in the target's code that translates it, where a table is not enough.
    pub rule: Option<String>,
    /// Why there is no counterpart, or what differs.
    pub note: Option<String>,
}

impl Mapping {
    /// Reads a table that is embedded in the program.
    ///
    /// # Errors
    ///
    /// The text is not a valid table; the message says why.
    pub fn read(text: &str) -> Result<Self, String> {
        super::table_reader::read_embedded(text)
    }
}
