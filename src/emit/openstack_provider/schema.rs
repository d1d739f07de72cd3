//! What the provider takes and tells, `targets/terraform/schema.json`, which `generate.py` beside it
//! writes from the provider's own schema.

use std::sync::OnceLock;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use super::model::{Argument, WantedType};

const SCHEMA: &str = include_str!("../../../targets/terraform/schema.json");

/// The provider's resources and data sources.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderSchema {
    /// The provider's address in registries, without the host.
    pub provider: String,
    /// The release that the facts are from.
    pub version: String,
    /// Resources by their types, as Terraform spells them.
    pub resources: IndexMap<String, ProviderType>,
    /// Data sources.
    pub data_sources: IndexMap<String, ProviderType>,
}

/// A resource or a data source.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderType {
    /// What it takes and tells, by name.
    pub arguments: IndexMap<String, ArgumentInfo>,
    /// An existing object can be imported.
    #[serde(default)]
    pub importable: bool,
}

/// An argument or an attribute.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentInfo {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: ArgumentType,
    /// It must be given.
    #[serde(default)]
    pub required: bool,
    /// The provider tells it.
    #[serde(default)]
    pub computed: bool,
    /// It may be given.
    #[serde(default)]
    pub optional: bool,
    /// It is kept from readers.
    #[serde(default)]
    pub sensitive: bool,
    /// A change replaces the object.
    #[serde(default)]
    pub force_new: bool,
    /// The value where none is given.
    pub default: Option<Value>,
    /// The values that it may have.
    #[serde(default)]
    pub choices: Vec<Value>,
    /// How many blocks there may be.
    pub max_items: Option<u32>,
    /// Of these arguments, exactly one must be given.
    #[serde(default)]
    pub exactly_one_of: Vec<String>,
    /// Of these arguments, at least one must be given.
    #[serde(default)]
    pub at_least_one_of: Vec<String>,
    /// None of these may be given beside it.
    #[serde(default)]
    pub conflicts_with: Vec<String>,
    /// These must be given beside it.
    #[serde(default)]
    pub required_with: Vec<String>,
    /// The least and the greatest number that it may be.
    pub range: Option<(Option<i64>, Option<i64>)>,
    /// What items are, where they are not text.
    pub items: Option<String>,
    /// What a nested block holds, where it is one.
    pub block: Option<IndexMap<String, ArgumentInfo>>,
    /// What the objects in a list hold that is only told.
    pub object: Option<IndexMap<String, ArgumentInfo>>,
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentType {
    /// Text.
    String,
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// A truth value.
    Bool,
    /// A list, or blocks.
    List,
    /// A list without order and doubles, or blocks.
    Set,
    /// A map.
    Map,
}

impl ProviderSchema {
    /// The facts about the release that the tables were checked against.
    pub fn get() -> &'static ProviderSchema {
        static SCHEMA_READ: OnceLock<ProviderSchema> = OnceLock::new();
        SCHEMA_READ.get_or_init(|| {
            #[expect(clippy::expect_used, reason = "a part of the program, read by every test run")]
            serde_json::from_str(SCHEMA).expect("the facts have the layout of this file")
        })
    }

    /// A resource.
    pub fn resource(&self, kind: &str) -> Option<&ProviderType> {
        self.resources.get(kind)
    }

    /// An argument of a resource.
    pub fn argument(&self, kind: &str, name: &str) -> Option<&ArgumentInfo> {
        self.resources.get(kind)?.arguments.get(name)
    }
}

/// What is missing among the arguments of a resource or block: what must be given, also because of others
/// that are, and the first of those of which one must be.
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
    /// Whether a writer may give it.
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
