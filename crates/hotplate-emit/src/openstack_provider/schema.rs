//! The provider's schema, `targets/terraform/schema.json`, which `generate.py` next to it
//! derives from the provider's own schema.

use std::sync::OnceLock;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use super::model::{Argument, AttributeStep, WantedType};
use heat_template::ir::types::TypeSet;

/// The provider of the objects that OpenStack itself does not have, by the start of their types: its address and the
/// release that the schema is from.
pub const RANDOM_PROVIDER: (&str, &str, &str) = ("random", "hashicorp/random", "3.7.2");

const SCHEMA: &str = include_str!("../../targets/terraform/schema.json");

/// The provider's resources and data sources.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderSchema {
    /// The provider's address in registries, without the host.
    pub provider: String,
    /// The release that the schema is from.
    pub version: String,
    /// The resources, by their types in Terraform's spelling.
    pub resources: IndexMap<String, ProviderType>,
    /// The data sources, by their types in Terraform's spelling.
    pub data_sources: IndexMap<String, ProviderType>,
}

/// A resource or a data source.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderType {
    /// Its arguments and attributes, by name.
    pub arguments: IndexMap<String, ArgumentInfo>,
    /// Whether an existing object can be imported.
    #[serde(default)]
    pub importable: bool,
}

/// An argument or an attribute.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentInfo {
    /// The type of its value.
    #[serde(rename = "type")]
    pub kind: ArgumentType,
    /// Whether it must be set.
    #[serde(default)]
    pub required: bool,
    /// Whether the provider computes it.
    #[serde(default)]
    pub computed: bool,
    /// Whether it may be set.
    #[serde(default)]
    pub optional: bool,
    /// Whether it is sensitive.
    #[serde(default)]
    pub sensitive: bool,
    /// Whether a change replaces the object.
    #[serde(default)]
    pub force_new: bool,
    /// The default value; absent if the provider declares none.
    pub default: Option<Value>,
    /// The allowed values; empty if there is no restriction.
    #[serde(default)]
    pub choices: Vec<Value>,
    /// The maximum number of blocks.
    pub max_items: Option<u32>,
    /// Arguments of which exactly one must be set.
    #[serde(default)]
    pub exactly_one_of: Vec<String>,
    /// Arguments of which at least one must be set.
    #[serde(default)]
    pub at_least_one_of: Vec<String>,
    /// Arguments that must not be set together with it.
    #[serde(default)]
    pub conflicts_with: Vec<String>,
    /// Arguments that must be set together with it.
    #[serde(default)]
    pub required_with: Vec<String>,
    /// The minimum and maximum of a number.
    pub range: Option<(Option<i64>, Option<i64>)>,
    /// The type of items, unless they are strings.
    pub items: Option<String>,
    /// The arguments of a nested block, if it is one.
    pub block: Option<IndexMap<String, ArgumentInfo>>,
    /// The attributes of the objects in a computed list.
    pub object: Option<IndexMap<String, ArgumentInfo>>,
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentType {
    /// `TypeString` of Terraform's plugin SDK.
    String,
    /// `TypeInt` of Terraform's plugin SDK.
    Int,
    /// `TypeFloat` of Terraform's plugin SDK.
    Float,
    /// `TypeBool` of Terraform's plugin SDK.
    Bool,
    /// A list, or blocks.
    List,
    /// A list without order and duplicates, or blocks.
    Set,
    /// `TypeMap` of Terraform's plugin SDK.
    Map,
}

impl ProviderSchema {
    /// The schema of the release that the tables were checked against, parsed once.
    pub fn get() -> &'static ProviderSchema {
        static SCHEMA_READ: OnceLock<ProviderSchema> = OnceLock::new();
        SCHEMA_READ.get_or_init(|| {
            #[expect(clippy::expect_used, reason = "a part of the program, read by every test run")]
            serde_json::from_str(SCHEMA).expect("the schema has the layout of this file")
        })
    }

    /// A resource, by its type.
    pub fn resource(&self, kind: &str) -> Option<&ProviderType> {
        self.resources.get(kind)
    }

    /// An argument of a resource.
    pub fn argument(&self, kind: &str, name: &str) -> Option<&ArgumentInfo> {
        self.resources.get(kind)?.arguments.get(name)
    }

    /// The types of an attribute of a resource, and of its items if it is a list. What the provider
    /// computes is never null.
    pub fn attribute_types(&self, kind: &str, path: &[AttributeStep]) -> (TypeSet, TypeSet) {
        let mut fields = self.resource(kind).map(|kind| &kind.arguments);
        let mut found = (TypeSet::ANY, TypeSet::ANY);
        let mut may_be_null = false;
        for step in path {
            match step {
                AttributeStep::Key(key) if key == "id" => {
                    found = (TypeSet::TEXT, TypeSet::ANY);
                    fields = None;
                }
                AttributeStep::Key(key) => {
                    let Some(info) = fields.and_then(|fields| fields.get(key)) else {
                        return (TypeSet::ANY, TypeSet::ANY);
                    };
                    may_be_null |= !info.computed && !info.required;
                    fields = info.object.as_ref().or(info.block.as_ref());
                    let is_plain = fields.is_none() && info.items.is_none();
                    found = match info.kind {
                        ArgumentType::String => (TypeSet::TEXT, TypeSet::ANY),
                        ArgumentType::Int | ArgumentType::Float => (TypeSet::NUMBER, TypeSet::ANY),
                        ArgumentType::Bool => (TypeSet::BOOLEAN, TypeSet::ANY),
                        ArgumentType::List if is_plain => (TypeSet::LIST, TypeSet::TEXT),
                        ArgumentType::List => (TypeSet::LIST, TypeSet::ANY),
                        ArgumentType::Set | ArgumentType::Map => (TypeSet::ANY, TypeSet::ANY),
                    };
                }
                AttributeStep::Index(_) => {
                    may_be_null = true;
                    found = (found.1, TypeSet::ANY);
                }
                AttributeStep::All => return (TypeSet::ANY, TypeSet::ANY),
            }
        }
        match may_be_null {
            true => (found.0.union(TypeSet::NULL), found.1),
            false => found,
        }
    }
}

/// The missing arguments of a resource or block: those that are required, also because of others
/// that are set, and the first one of each set of which one is required.
pub(super) fn missing<'k>(
    known: &'k IndexMap<String, ArgumentInfo>,
    given: &[(String, Argument)],
) -> Vec<&'k str> {
    let is_there =
        |name: &str| given.iter().any(|(there, value)| there == name && *value != Argument::Null);
    let mut missing: Vec<&str> = Vec::new();
    for info in known.values() {
        for group in [&info.exactly_one_of, &info.at_least_one_of] {
            let first = group.first().filter(|_| !group.iter().any(|name| is_there(name)));
            missing.extend(first.map(String::as_str).filter(|name| !missing.contains(name)));
        }
    }
    for (name, info) in known {
        let others = info.required_with.iter().filter(|_| is_there(name)).map(String::as_str);
        let own = info.required.then_some(name.as_str());
        for wanted in own.into_iter().chain(others).filter(|wanted| !is_there(wanted)) {
            if known.contains_key(wanted) && !missing.contains(&wanted) {
                missing.push(wanted);
            }
        }
    }
    missing
}

impl ArgumentInfo {
    /// Whether a configuration may set it.
    pub fn is_settable(&self) -> bool {
        self.required || self.optional
    }

    /// The type that a value is converted to.
    pub fn wanted(&self) -> WantedType {
        match self.kind {
            ArgumentType::String => WantedType::Text,
            ArgumentType::Int | ArgumentType::Float => WantedType::Number,
            ArgumentType::Bool => WantedType::Bool,
            ArgumentType::List | ArgumentType::Set if self.items.is_none() => WantedType::TextList,
            ArgumentType::List | ArgumentType::Set => WantedType::Any,
            ArgumentType::Map => WantedType::TextMap,
        }
    }
}
