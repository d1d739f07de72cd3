//! `OS::Heat::ResourceChain`: members of several types with the same properties, created in sequence.
//!
//! Source: `heat.engine.resources.openstack.heat.resource_chain`, Heat 27.0.1. How many members of a
//! concurrent chain are created at once depends on the number of engines; here there are enough.
//!
//! Heat's rule: `docs/heat.md#resourcechain`.

use super::group_template::{GroupTemplateBuilder, MemberDefinition, output_name};
use super::{AttributePath, GroupMembers, MAX_MEMBERS, member_count, unknown_members};
use crate::eval::properties::{PropertyValues, optional_property, required_property};
use crate::eval::{Failure, HeatExceptionClass, Value, python};
use heat_template::schema::ValueType;
use python_semantics::ExceptionClass;
use source_diagnostics::Span;

const REFS: &str = "refs";
const ATTRIBUTES: &str = "attributes";

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
    outputs(&mut builder, references, span)?;
    Ok(GroupMembers::Known(Box::new(builder.finish())))
}

fn outputs(
    builder: &mut GroupTemplateBuilder,
    references: &[AttributePath],
    span: Span,
) -> Result<(), Failure> {
    let names = builder.names();
    let failed = |raised: python::PythonException| raised.at(span);
    for reference in references {
        // Of the map of all attributes, only the members' ids are an output.
        let all = [Value::text(REFS)];
        let reference = if reference.is_empty() { &all[..] } else { reference };
        let [key, path @ ..] = reference else { continue };
        let Value::Text(key) = key.unsealed() else {
            let message = format!(
                "'{}' object has no attribute 'startswith'",
                python::type_name(key.unsealed())
            );
            return Err(Failure::new(ExceptionClass::AttributeError, message, span));
        };
        let value = if let Some(rest) = key.strip_prefix("resource.") {
            let (member, attribute) = match rest.split_once('.') {
                Some((member, attribute)) => (member, Some(Value::text(attribute))),
                None => (rest, None),
            };
            if !names.iter().any(|name| name == member) {
                continue;
            }
            let inner: Vec<Value> = attribute.into_iter().chain(path.iter().cloned()).collect();
            if inner.is_empty() {
                builder.reference(member)
            } else {
                builder.attribute(member, &inner).map_err(failed)?
            }
        } else if key == REFS {
            let items = names.iter().map(|name| builder.reference(name)).collect();
            builder.list(items)
        } else if key == ATTRIBUTES {
            if path.is_empty() {
                continue;
            }
            let mut pairs = Vec::with_capacity(names.len());
            for name in &names {
                pairs.push((name.clone(), builder.attribute(name, path).map_err(failed)?));
            }
            builder.map(pairs)
        } else {
            let mut items = Vec::with_capacity(names.len());
            for name in &names {
                items.push(builder.attribute(name, reference).map_err(failed)?);
            }
            builder.list(items)
        };
        builder.output(output_name(reference, span)?, value);
    }
    Ok(())
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
