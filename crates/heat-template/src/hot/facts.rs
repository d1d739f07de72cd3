//! The schema of resource types as the source of the model's type facts.

use super::group_attribute::{MemberName, path_matters};
use crate::ir::types::{TypeFacts, TypeSet};
use crate::schema::{HeatGroup, Schema, ValueType};

impl TypeFacts for Schema {
    fn attribute(&self, resource_type: &str, attribute: &str) -> TypeSet {
        let declared = self
            .type_info(resource_type)
            .and_then(|kind| kind.attribute(attribute))
            .and_then(|attribute| attribute.value_type);
        match declared {
            Some(ValueType::String) => TypeSet::TEXT,
            Some(ValueType::Integer | ValueType::Number) => TypeSet::NUMBER,
            Some(ValueType::Boolean) => TypeSet::BOOLEAN,
            Some(ValueType::List) => TypeSet::LIST,
            Some(ValueType::Map) => TypeSet::MAP,
            Some(ValueType::Any) | None => TypeSet::ANY,
        }
    }

    fn has_members(&self, resource_type: &str) -> bool {
        match self.group(resource_type) {
            Some(
                HeatGroup::ResourceGroup | HeatGroup::ResourceChain | HeatGroup::AutoScalingGroup,
            ) => true,
            // Deployment groups index the value of an attribute like any other resource.
            Some(HeatGroup::DeploymentGroup { .. }) | None => false,
        }
    }

    fn path_matters(&self, resource_type: &str, attribute: &str) -> bool {
        if let Some(group) = self.group(resource_type) {
            return path_matters(group, attribute);
        }
        // `resource.NAME` is a reference in a nested stack. A name that only an environment defines may refer to a template.
        MemberName::split(attribute).is_some_and(|(_, name)| name.is_none())
            && (self.is_template(resource_type) || self.type_info(resource_type).is_none())
    }

    fn refuses_map(&self, resource_type: &str, path: &[Option<&str>], key: &str) -> bool {
        let Some(kind) = self.type_info(resource_type) else { return false };
        let [first, rest @ ..] = path else { return !kind.properties.contains_key(key) };
        let Some(mut property) = first.and_then(|name| kind.properties.get(name)) else {
            return false;
        };
        for step in rest {
            let inner = match (step, property.value_type) {
                (Some(name), ValueType::Map) => property.members.get(*name),
                (None, ValueType::List) => property.items.as_deref(),
                _ => None,
            };
            // The members of this property are unknown.
            let Some(inner) = inner else { return false };
            property = inner;
        }
        match property.value_type {
            ValueType::String => !property.allow_conversion,
            ValueType::Integer | ValueType::Number | ValueType::Boolean | ValueType::List => true,
            ValueType::Map => !property.members.is_empty() && !property.members.contains_key(key),
            ValueType::Any => false,
        }
    }
}
