//! `OS::Heat::ResourceChain`: members of several types with the same properties, created in sequence.
//!
//! Source: `heat.engine.resources.openstack.heat.resource_chain`, Heat 27.0.1. How many members of a
//! concurrent chain are created at once depends on the number of engines; here there are enough.
//!
//! Heat's rule: `docs/heat.md#resourcechain`.

use super::group_template::{GroupTemplateBuilder, MemberDefinition};
use super::{AttributePath, GroupMembers, HeatGroup, MAX_MEMBERS, member_count, unknown_members};
use crate::eval::properties::{PropertyValues, optional_property, required_property};
use crate::eval::{Failure, HeatExceptionClass, Value, python};
use heat_template::schema::ValueType;
use source_diagnostics::Span;

pub(super) fn members(
    properties: &PropertyValues,
    references: &[AttributePath],
    span: Span,
) -> Result<GroupMembers, Failure> {
    let types = required_property(properties, "resources", ValueType::List, span)?;
    // A message may name the type of a member.
    let Value::List(types) = &types else { return Ok(unknown_members(&types)) };
    let concurrent = optional_property(properties, "concurrent", ValueType::Boolean, span)?;
    let concurrent = match concurrent.as_ref().map(Value::unsealed) {
        None => false,
        Some(Value::Bool(value)) => *value,
        Some(other) => return Ok(unknown_members(other)),
    };
    if types.len() > MAX_MEMBERS {
        member_count(&Value::int(i64::try_from(types.len()).unwrap_or(i64::MAX)), span)?;
    }
    let mut builder = GroupTemplateBuilder::new(span);
    let failed = |raised: python::PythonException| raised.at(span);
    let shared = optional_property(properties, "resource_properties", ValueType::Map, span)?
        .map(|value| builder.embed_properties(&value))
        .transpose()
        .map_err(failed)?;
    for (number, kind) in types.iter().enumerate() {
        let kind = match kind {
            Value::Text(kind) => kind.clone(),
            Value::Unknown(_) | Value::Secret(_) => return Ok(unknown_members(kind)),
            other => {
                let message = format!(
                    "The Resource Type ({}) could not be found.",
                    python::str(other).unwrap_or_default()
                );
                return Err(Failure::new(HeatExceptionClass::StackValidationFailed, message, span));
            }
        };
        let before = number.checked_sub(1).filter(|_| !concurrent);
        let definition = MemberDefinition {
            kind,
            properties: shared.clone(),
            depends_on: before.map(|number| number.to_string().into()).into_iter().collect(),
            ..MemberDefinition::default()
        };
        builder.member(&number.to_string(), definition);
    }
    builder.outputs(HeatGroup::ResourceChain, references)?;
    Ok(GroupMembers::Known(Box::new(builder.finish())))
}

#[cfg(test)]
mod tests {
    use super::super::HeatGroup;
    use super::super::tests::of;
    use super::*;

    #[test]
    fn each_member_waits_for_the_one_before() {
        let chain = |concurrent| {
            let text = format!(
                "{{resources: [A, B], concurrent: {concurrent}, resource_properties: {{a: 1}}}}"
            );
            let inner = of(HeatGroup::ResourceChain, &text, &[vec![Value::text("name")]]);
            let resources = inner.stack.resources.values();
            let found: Vec<_> = resources
                .map(|it| {
                    let before = it.depends_on.first().map(|name| name.text.to_string());
                    (it.kind.as_ref().map(|name| name.text.to_string()), before)
                })
                .collect();
            assert_eq!(inner.stack.outputs.keys().collect::<Vec<_>>(), ["name"]);
            found
        };
        let (a, b) = (Some("A".to_owned()), Some("B".to_owned()));
        assert_eq!(chain(false), [(a.clone(), None), (b.clone(), Some("0".to_owned()))]);
        assert_eq!(chain(true), [(a, None), (b, None)]);
    }
}
