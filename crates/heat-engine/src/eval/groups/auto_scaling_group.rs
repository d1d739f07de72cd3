//! `OS::Heat::AutoScalingGroup` at creation: `desired_capacity` members, or else `min_size`.
//!
//! Source: `heat.engine.resources.openstack.heat.autoscaling_group`, Heat 27.0.1. Heat gives the
//! members random names; here they are numbered from 0.
//!
//! Heat's rule: `docs/heat.md#autoscalinggroup`.

use super::group_template::{GROUP_TEMPLATE_VERSION, GroupTemplateBuilder, MemberDefinition};
use super::{AttributePath, GroupMembers, HeatGroup, member_count, unknown_members};
use crate::eval::properties::{PropertyValues, optional_property, required_property};
use crate::eval::{Failure, HeatExceptionClass, Value, python};
use heat_template::hot::deletion_policy;
use heat_template::schema::ValueType;
use python_semantics::ExceptionClass;
use smol_str::SmolStr;
use source_diagnostics::Span;

pub(super) fn members(
    properties: &PropertyValues,
    references: &[AttributePath],
    span: Span,
) -> Result<GroupMembers, Failure> {
    let definition = required_property(properties, "resource", ValueType::Map, span)?;
    let wanted = optional_property(properties, "desired_capacity", ValueType::Integer, span)?;
    let count = match wanted {
        Some(wanted) if python::truthy(wanted.unsealed()) => wanted,
        _ => required_property(properties, "min_size", ValueType::Integer, span)?,
    };
    if matches!(count.unsealed(), Value::Unknown(_)) {
        return Ok(unknown_members(&count));
    }
    let count = match count.unsealed() {
        // For Python, a negative number of members means none.
        Value::Int(number) if python::to_big(number).sign() == num_bigint::Sign::Minus => {
            Value::int(0)
        }
        _ => count,
    };
    let secret = matches!(definition, Value::Secret(_));
    let Value::Map(map) = definition.unsealed() else { return Ok(unknown_members(&definition)) };
    let parts: PropertyValues = map
        .iter()
        .map(|(key, value)| (key.clone(), Ok(value.clone().sealed(secret && can_be_secret(key)))))
        .collect();
    let wrong =
        |message: String| Failure::new(HeatExceptionClass::StackValidationFailed, message, span);
    let refused = |key: &str, kind: &str| {
        Failure::new(
            ExceptionClass::TypeError,
            format!("Resource member {key} type must be {kind}"),
            span,
        )
    };
    let part = |key: &str| parts.get(key).and_then(|value| value.as_ref().ok());
    let kind = match part("type") {
        // A message may name the type of a member.
        Some(Value::Secret(_)) => return Ok(unknown_members(&definition)),
        Some(Value::Text(kind)) => kind.clone(),
        Some(Value::Unknown(_)) => return Ok(unknown_members(&definition)),
        Some(_) => return Err(refused("type", "string")),
        None => {
            let message = "'Resource member is missing \"type\"'";
            return Err(Failure::new(ExceptionClass::KeyError, message, span));
        }
    };
    let mut builder = GroupTemplateBuilder::new(span);
    let failed = |raised: python::PythonException| raised.at(span);
    let mut embedded = |key: &str, each: bool| match part(key) {
        None => Ok(None),
        Some(value) => match value.unsealed() {
            Value::Map(_) | Value::Unknown(_) if each && !matches!(value, Value::Secret(_)) => {
                builder.embed_properties(value).map(Some).map_err(failed)
            }
            Value::Map(_) | Value::Unknown(_) => builder.embed(value).map(Some).map_err(failed),
            _ => Err(refused(key, "object")),
        },
    };
    let member_properties = embedded("properties", true)?;
    let metadata = embedded("metadata", false)?;
    let update_policy = embedded("update_policy", false)?;
    let depends_on: Vec<SmolStr> = match part("depends_on").map(Value::unsealed) {
        None => Vec::new(),
        Some(Value::Text(name)) => vec![name.clone()],
        Some(Value::List(names)) => names
            .iter()
            .map(|name| match name.unsealed() {
                Value::Text(name) => Ok(name.clone()),
                _ => Err(refused("depends_on", "a list of strings")),
            })
            .collect::<Result<_, _>>()?,
        Some(_) => return Err(refused("depends_on", "list or string")),
    };
    let deletion_policy = match part("deletion_policy") {
        None => None,
        Some(value) => match value.unsealed() {
            Value::Text(text) if deletion_policy(text, GROUP_TEMPLATE_VERSION).is_none() => {
                let shown = python::str_preview(value);
                return Err(wrong(format!("Invalid deletion policy \"{shown}\"")));
            }
            Value::Text(_) | Value::Unknown(_) => Some(builder.embed(value).map_err(failed)?),
            _ => return Err(refused("deletion_policy", "string")),
        },
    };
    for number in 0..member_count(&count, span)? {
        let definition = MemberDefinition {
            kind: kind.clone(),
            properties: member_properties.clone(),
            metadata: metadata.clone(),
            update_policy: update_policy.clone(),
            deletion_policy: deletion_policy.clone(),
            depends_on: depends_on.clone(),
        };
        builder.member(&number.to_string(), definition);
    }
    builder.outputs(HeatGroup::AutoScalingGroup, references)?;
    Ok(GroupMembers::Known(Box::new(builder.finish())))
}

/// Whether the value of a key can be secret; nothing is computed from types and names of dependencies.
fn can_be_secret(key: &crate::eval::Key) -> bool {
    key.as_text() != Some("depends_on")
}

#[cfg(test)]
mod tests {
    use super::super::HeatGroup;
    use super::super::tests::{made, of};
    use super::*;
    use crate::eval::ErrorClass;

    #[test]
    fn there_are_as_many_members_as_wanted_or_the_least() {
        for (sizes, count) in [
            ("desired_capacity: 3, min_size: 1", 3),
            ("desired_capacity: 0, min_size: '2'", 2),
            ("min_size: 1", 1),
        ] {
            let text = format!("{{{sizes}, max_size: 5, resource: {{type: T}}}}");
            let inner = of(HeatGroup::AutoScalingGroup, &text, &[]);
            assert_eq!(inner.stack.resources.len(), count);
            assert_eq!(inner.stack.outputs.keys().collect::<Vec<_>>(), ["refs_map"]);
        }
    }

    #[test]
    fn attributes_of_members_are_maps() {
        let texts =
            |items: &[&str]| items.iter().copied().map(Value::text).collect::<AttributePath>();
        let references =
            [texts(&["outputs_list", "name"]), texts(&["resource.0.id"]), texts(&["refs"])];
        let inner =
            of(HeatGroup::AutoScalingGroup, "{min_size: 1, resource: {type: T}}", &references);
        let names: Vec<_> = inner.stack.outputs.keys().collect();
        assert_eq!(names, ["outputs, name", "outputs, id", "refs_map"]);
    }

    #[test]
    fn a_definition_is_read_before_it_is_a_template() {
        let of = |resource: &str| {
            made(
                HeatGroup::AutoScalingGroup,
                &format!("{{min_size: 1, resource: {resource}}}"),
                &[],
            )
        };
        for (resource, class) in [
            ("{}", ErrorClass::from(ExceptionClass::KeyError)),
            ("{type: T, properties: null}", ExceptionClass::TypeError.into()),
            ("{type: T, deletion_policy: Keep}", HeatExceptionClass::StackValidationFailed.into()),
        ] {
            assert_eq!(of(resource).expect_err(resource).class, class);
        }
        // Heat ignores unknown keys, and drops dependencies on resources outside of the template.
        let Ok(GroupMembers::Known(inner)) = of("{type: T, condition: c, depends_on: x}") else {
            panic!("refused")
        };
        assert_eq!(inner.stack.resources["0"].depends_on, []);
    }
}
