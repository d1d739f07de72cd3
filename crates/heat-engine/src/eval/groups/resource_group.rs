//! `OS::Heat::ResourceGroup`: members that differ only in their index.
//!
//! Source: `heat.engine.resources.openstack.heat.resource_group`, Heat 27.0.1.
//!
//! Heat's rules: `docs/heat.md#members-of-a-resourcegroup`, `docs/heat.md#the-number-of-a-member`,
//! `docs/heat.md#get_attr-on-a-resourcegroup`.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::group_template::{GroupTemplateBuilder, MemberDefinition};
use super::{AttributePath, GroupMembers, GroupMemory, HeatGroup, member_count, unknown_members};
use crate::eval::properties::{
    PropertyValues, coerce, known_property, optional_property, required_property,
};
use crate::eval::{Budget, Failure, Value, python};
use heat_template::schema::ValueType;
use source_diagnostics::Span;

pub(super) fn members(
    properties: &PropertyValues,
    references: &[AttributePath],
    span: Span,
    effort: &Budget,
    memory: Option<&GroupMemory>,
) -> Result<GroupMembers, Failure> {
    let count = match known_property(properties, "count")? {
        None | Some(Value::Null) => Value::int(1),
        Some(value) => {
            coerce(value, ValueType::Integer, false).map_err(|raised| raised.at(span))?
        }
    };
    if matches!(count.unsealed(), Value::Unknown(_)) {
        return Ok(unknown_members(&count));
    }
    let definition = required_property(properties, "resource_def", ValueType::Map, span)?;
    if matches!(definition.unsealed(), Value::Unknown(_)) {
        return Ok(unknown_members(&definition));
    }
    let skipped = match removed_names(properties, span, memory)? {
        Ok(skipped) => skipped,
        Err(members) => return Ok(members),
    };
    let index_var = match optional_property(properties, "index_var", ValueType::String, span)? {
        // This property defaults to null.
        None => "%index%".into(),
        Some(_) if known_property(properties, "index_var")? == Some(&Value::Null) => {
            "%index%".into()
        }
        Some(value) => match value.unsealed() {
            Value::Text(text) => text.clone(),
            _ => return Ok(unknown_members(&value)),
        },
    };

    // Members of `definition` have their own types.
    let secret = matches!(definition, Value::Secret(_));
    let Value::Map(map) = definition.unsealed() else { return Ok(unknown_members(&definition)) };
    let parts: PropertyValues =
        map.iter().map(|(key, value)| (key.clone(), Ok(value.clone()))).collect();
    let kind = required_property(&parts, "type", ValueType::String, span)?;
    // A message may name the type of a member.
    let Value::Text(kind) = kind.sealed(secret) else { return Ok(unknown_members(&definition)) };
    let member_properties =
        optional_property(&parts, "properties", ValueType::Map, span)?.map(without_nulls);
    let metadata = optional_property(&parts, "metadata", ValueType::Map, span)?;

    let mut builder = GroupTemplateBuilder::new(span);
    let failed = |raised: python::PythonException| raised.at(span);
    let names = (0u64..).map(|number| number.to_string()).filter(|name| !skipped.contains(name));
    let metadata = metadata
        .map(|metadata| builder.embed(&metadata.sealed(secret)))
        .transpose()
        .map_err(failed)?;
    let is_numbered = member_properties.as_ref().is_some_and(|properties| {
        properties.any(&mut |part| matches!(part, Value::Text(text) if text.contains(&*index_var)))
    });
    for name in names.take(member_count(&count, span)?) {
        let numbered =
            member_properties.as_ref().map(|value| with_member_name(value, &index_var, &name));
        // Each member has a copy, which becomes part of a template.
        if is_numbered {
            effort.spend_on(numbered.iter().chain(&numbered)).map_err(failed)?;
        }
        let definition = MemberDefinition {
            kind: kind.clone(),
            properties: numbered
                .map(|value| if secret { secret_items(&value) } else { value })
                .map(|value| builder.embed_properties(&value))
                .transpose()
                .map_err(failed)?,
            metadata: metadata.clone(),
            ..MemberDefinition::default()
        };
        builder.member(&name, definition);
    }
    builder.outputs(HeatGroup::ResourceGroup, references)?;
    Ok(GroupMembers::Known(Box::new(builder.finish())))
}

/// The member names to skip. At creation these are all that the policies list; a group that runs skips what it has removed before, unless the
/// mode is `update`, and heeds only the names and references of its members.
pub(super) fn removed_names(
    properties: &PropertyValues,
    span: Span,
    memory: Option<&GroupMemory>,
) -> Result<Result<BTreeSet<String>, GroupMembers>, Failure> {
    let mut names = BTreeSet::new();
    if let Some(memory) = memory {
        let mode = optional_property(properties, "removal_policies_mode", ValueType::String, span)?;
        match mode.as_ref().map(Value::unsealed) {
            Some(Value::Text(mode)) if mode == "update" => {}
            Some(unknown @ Value::Unknown(_)) => return Ok(Err(unknown_members(unknown))),
            _ => names.clone_from(&memory.removed),
        }
    }
    let Some(policies) = optional_property(properties, "removal_policies", ValueType::List, span)?
    else {
        return Ok(Ok(names));
    };
    let Value::List(policies) = policies.unsealed() else {
        return Ok(Err(unknown_members(&policies)));
    };
    for policy in policies.iter() {
        let policy = coerce(policy, ValueType::Map, false).map_err(|raised| raised.at(span))?;
        let Value::Map(policy) = policy.unsealed() else {
            return Ok(Err(unknown_members(&policy)));
        };
        let parts: PropertyValues =
            policy.iter().map(|(key, value)| (key.clone(), Ok(value.clone()))).collect();
        let Some(list) = optional_property(&parts, "resource_list", ValueType::List, span)? else {
            continue;
        };
        let Value::List(list) = list.unsealed() else { return Ok(Err(unknown_members(&list))) };
        for name in list.iter() {
            if name.holds_unknown() {
                return Ok(Err(unknown_members(name)));
            }
            let name = python::str(name.unsealed()).map_err(|raised| raised.at(span))?;
            names.extend(match memory {
                Some(memory) => memory.name_of(&name),
                None => Some(name),
            });
        }
    }
    Ok(Ok(names))
}

/// Removes null properties; nested nulls stay.
fn without_nulls(properties: Value) -> Value {
    match &properties {
        Value::Map(map) if map.values().any(|value| *value == Value::Null) => {
            let kept = map.iter().filter(|(_, value)| **value != Value::Null);
            Value::Map(Arc::new(kept.map(|(key, value)| (key.clone(), value.clone())).collect()))
        }
        _ => properties,
    }
}

/// Replaces the index variable in every text of a value, but not in keys.
fn with_member_name(value: &Value, variable: &str, name: &str) -> Value {
    let holds = |part: &Value| matches!(part, Value::Text(text) if text.contains(variable));
    // Most values do not use the index, and are shared.
    if !value.any(&mut |part| holds(part) || matches!(part, Value::Unknown(_))) {
        return value.clone();
    }
    match value {
        Value::Text(text) => Value::text(text.replace(variable, name)),
        Value::List(_) | Value::Map(_) => {
            value.with_parts(|part| with_member_name(part, variable, name))
        }
        Value::Secret(inner) => with_member_name(inner, variable, name).sealed(true),
        other => other.clone(),
    }
}

fn secret_items(properties: &Value) -> Value {
    match properties {
        Value::Map(map) => {
            let sealed = map.iter().map(|(key, value)| (key.clone(), value.clone().sealed(true)));
            Value::Map(Arc::new(sealed.collect()))
        }
        other => other.clone().sealed(true),
    }
}

#[cfg(test)]
mod tests {
    use super::super::HeatGroup;
    use super::super::tests::of;
    use super::*;
    use heat_template::ir::ExprKind;

    fn texts(items: &[&str]) -> AttributePath {
        items.iter().copied().map(Value::text).collect()
    }

    #[test]
    fn members_are_numbered_around_those_that_are_removed() {
        let inner = of(
            HeatGroup::ResourceGroup,
            "{count: '2', resource_def: {type: T, properties: {a: null, n: [x%index%]}},
              removal_policies: [{resource_list: ['0', 2]}]}",
            &[],
        );
        let names: Vec<_> = inner.stack.resources.keys().collect();
        assert_eq!(names, ["1", "3"]);
        let Some(ExprKind::Map(pairs)) =
            inner.stack.resources["3"].properties.as_ref().map(|expr| expr.kind.clone())
        else {
            panic!("no map")
        };
        assert_eq!(pairs.len(), 1, "null is left out");
        let values: Vec<_> = inner.values.values().cloned().collect();
        let numbered = |text| Ok(Value::list(vec![Value::text(text)]));
        assert_eq!(values, [numbered("x1"), numbered("x3")]);
        assert_eq!(inner.stack.outputs.keys().collect::<Vec<_>>(), ["refs_map"]);
    }

    #[test]
    fn attributes_that_are_asked_for_become_outputs() {
        let references = [
            texts(&["refs"]),
            texts(&["name"]),
            texts(&["networks", "a"]),
            texts(&["attributes", "name"]),
            texts(&["resource.1.name"]),
            texts(&["resource.9.name"]),
            texts(&["resource.0"]),
            texts(&["removed_rsrc_list"]),
        ];
        let inner =
            of(HeatGroup::ResourceGroup, "{count: 2, resource_def: {type: T}}", &references);
        let names: Vec<_> = inner.stack.outputs.keys().collect();
        assert_eq!(
            names,
            ["refs", "name", "networks, a", "attributes, name", "resource.1.name", "refs_map"]
        );
    }

    #[test]
    fn what_looks_like_a_call_is_one_in_the_group() {
        let inner = of(
            HeatGroup::ResourceGroup,
            "resource_def: {type: T, properties: {a: {get_param: x}, b: {list_concat: [[]]}}}",
            &[],
        );
        let Some(ExprKind::Map(pairs)) =
            inner.stack.resources["0"].properties.as_ref().map(|expr| &expr.kind)
        else {
            panic!("no map")
        };
        let Some(name) = (match &pairs[0].value.kind {
            ExprKind::Parameter(parameter) => parameter.name.as_text(),
            _ => None,
        }) else {
            panic!("no call")
        };
        assert_eq!(name, "x");
        assert_eq!(inner.values.len(), 1, "`list_concat` came later than the version of groups");
    }
}
