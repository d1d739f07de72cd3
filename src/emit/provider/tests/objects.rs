//! What resources become.

use super::super::Catalog;
use super::super::model::{Argument, Object, Said};
use super::super::schema::{ArgumentInfo, ProviderSchema};
use crate::emit::Losses;
use crate::emit::testing::with_program;
use crate::schema::{Property, Schema, ValueType};
use crate::source::Value;
use indexmap::IndexMap;

/// What the resource `it` of a template becomes, and the messages of what is lost.
fn said(resources: &str) -> (Option<Said>, Vec<String>) {
    let template = format!(
        "heat_template_version: 2021-04-16\nparameters:\n  text: {{type: string}}\n  list: {{type: json}}\nresources:\n{resources}"
    );
    let mut out = (None, Vec::new());
    with_program(&[("root.yaml", &template)], &["text=x", "list=[]"], &[], |program, _| {
        let mut losses = Losses::default();
        let catalog = Catalog::new(program, program.root(), &mut losses);
        let messages = losses.as_slice().iter().map(|loss| loss.message.clone());
        out = (catalog.resource("it").cloned(), messages.collect());
    });
    out
}

/// Every argument is the provider's, of its nature, and none that it insists on is missing.
fn conforms(object: &Object) {
    let kind = ProviderSchema::get().resource(&object.kind).expect("a resource of the provider");
    arguments(&object.kind, &kind.arguments, &object.arguments);
}

fn arguments(place: &str, known: &IndexMap<String, ArgumentInfo>, given: &[(String, Argument)]) {
    for (name, value) in given {
        let info = known.get(name).unwrap_or_else(|| panic!("{place}: no argument {name}"));
        assert!(info.is_given(), "{place}.{name} is only told");
        let inner: Vec<&Vec<(String, Argument)>> = match value {
            Argument::Blocks(blocks) => blocks.iter().collect(),
            Argument::BlocksFor { block, .. } => vec![block],
            _ => Vec::new(),
        };
        assert_eq!(info.block.is_some(), !inner.is_empty(), "{place}.{name}");
        for block in inner {
            arguments(&format!("{place}.{name}"), info.block.as_ref().expect("a block"), block);
        }
        let repeats = given.iter().filter(|(other, _)| other == name).count();
        assert!(repeats == 1 || info.block.is_some(), "{place}.{name} comes twice");
    }
    for (name, info) in known {
        let is_there = given.iter().any(|(there, _)| there == name);
        assert!(!info.required || is_there, "{place}.{name} is missing");
    }
}

fn sample(property: &Property, depth: usize) -> Option<Value> {
    use crate::schema::Constraint;
    for constraint in &property.constraints {
        if let Constraint::AllowedValues(values) = constraint {
            return values.first().map(of_json);
        }
    }
    if depth > 3 {
        return None;
    }
    Some(match property.value_type {
        ValueType::String | ValueType::Any => {
            Value::Text("6f70656e-7374-4163-8b00-000000000001".to_owned())
        }
        ValueType::Integer | ValueType::Number => Value::Int(crate::source::Integer::Small(7)),
        ValueType::Boolean => Value::Bool(true),
        ValueType::List => {
            let item = property.items.as_deref().and_then(|items| sample(items, depth + 1));
            Value::List(vec![item.unwrap_or_else(|| Value::Text("10.0.0.7".to_owned()))])
        }
        ValueType::Map if property.members.is_empty() => {
            Value::map([("k", Value::Text("v".to_owned()))])
        }
        ValueType::Map => Value::map(
            property
                .members
                .iter()
                .filter(|(_, member)| member.support.status != crate::schema::Status::Hidden)
                .filter_map(|(name, member)| Some((*name, sample(member, depth + 1)?))),
        ),
    })
}

fn reference(resource: &str) -> Value {
    Value::map([("get_resource", Value::Text(resource.to_owned()))])
}

fn of_json(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::String(text) => Value::Text(text.clone()),
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(value) => {
            Value::Int(crate::source::Integer::Small(value.as_i64().unwrap_or_default()))
        }
        _ => Value::Null,
    }
}

const BESIDE: &str =
    "  address: {type: OS::Neutron::FloatingIP, properties: {floating_network: out}}
  server: {type: OS::Nova::Server, properties: {flavor: tiny}}
";

/// Every type with all of its properties: whatever is not lost is the provider's.
#[test]
fn every_type_with_every_property_makes_objects_that_the_provider_takes() {
    let mut made = 0;
    for (name, mapping) in &super::super::table::table().types {
        if mapping.to.is_none() {
            continue;
        }
        let info = Schema::heat().type_info(name).expect("a type");
        let properties = info
            .properties
            .iter()
            .filter(|(_, property)| property.support.status != crate::schema::Status::Hidden)
            .filter_map(|(name, property)| {
                // The address of a floating IP is told by a resource of the template only.
                let by_reference = mapping.properties[*name].wants.as_deref() == Some("address");
                let sample = match by_reference || *name == "server_id" {
                    true if by_reference => reference("address"),
                    true => reference("server"),
                    false => sample(property, 0)?,
                };
                Some((*name, sample))
            });
        let resource = Value::map([
            ("type", Value::Text(name.clone())),
            ("properties", Value::map(properties)),
        ]);
        let text = crate::source::json_writer::pretty(&resource).expect("written");
        let (said, losses) = said(&format!("{BESIDE}  it: {}", text.replace('\n', " ")));
        let said = said.unwrap_or_else(|| panic!("{name}: {losses:?}"));
        for object in &said.objects {
            conforms(object);
            made += 1;
        }
        for property in info.properties.keys() {
            let of_table = &mapping.properties[*property];
            let must =
                of_table.to.is_none() && of_table.rule.is_none() && of_table.object.is_none();
            if must
                && of_table.same_as.is_none()
                && info.properties[*property].support.status != crate::schema::Status::Hidden
            {
                let told = losses.iter().any(|loss| loss.contains(&format!("`{property}`")));
                assert!(told, "{name}.{property} is lost without a word");
            }
        }
    }
    assert!(made >= 80, "{made}");
}
