//! The schema of resource types as the source of the model's type facts.

use crate::ir::types::{TypeFacts, TypeSet};
use crate::schema::{GroupKind, Schema, ValueType};

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
            Some(GroupKind::Members | GroupKind::Chain | GroupKind::Scaling) => true,
            // The outputs of a nested stack are ordinary values.
            Some(GroupKind::Template) | None => false,
        }
    }

    fn path_matters(&self, resource_type: &str, attribute: &str) -> bool {
        // `resource.NAME` is a reference, `resource.NAME.ATTRIBUTE` an attribute of the member.
        let member = attribute.strip_prefix("resource.");
        let of_member = member.is_some_and(|rest| rest.contains('.'));
        match self.group(resource_type) {
            _ if of_member => false,
            Some(GroupKind::Members | GroupKind::Chain) => attribute != "refs",
            Some(GroupKind::Scaling) => true,
            Some(GroupKind::Template) => member.is_some(),
            // A name that only an environment defines may refer to a template.
            None => member.is_some() && self.type_info(resource_type).is_none(),
        }
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
