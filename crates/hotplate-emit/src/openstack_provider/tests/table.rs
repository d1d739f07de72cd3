//! Every name in the table exists in the provider, and everything in Heat's schema is in the table.

use indexmap::IndexMap;

use crate::equivalents;
use crate::mapping::{PropertyMapping, TypeMapping};
use crate::openstack_provider::attributes;
use crate::openstack_provider::rules;
use crate::openstack_provider::schema::{ArgumentInfo, ProviderSchema, ProviderType};
use crate::openstack_provider::table::table;
use heat_template::schema::{
    Property, ReplaceWith, ResourceType, Schema, SupportStatus, Translation,
};

/// The types whose objects the provider creates.
fn mapped() -> impl Iterator<Item = (&'static str, &'static TypeMapping, &'static ResourceType)> {
    table().types.iter().filter(|(_, mapping)| mapping.to.is_some()).map(|(name, mapping)| {
        let info = Schema::heat()
            .type_info(name)
            .unwrap_or_else(|| panic!("{name}: not in Heat's schema"));
        (name.as_str(), mapping, info)
    })
}

fn resource(kind: &str) -> &'static ProviderType {
    ProviderSchema::get().resource(kind).unwrap_or_else(|| panic!("no resource {kind}"))
}

#[test]
fn the_table_is_checked_against_the_schema_beside_it() {
    let schema = ProviderSchema::get();
    assert_eq!(table().checked_against, format!("{} {}", schema.provider, schema.version));
    assert_eq!(mapped().count(), 75);
}

#[test]
fn every_argument_is_one_that_the_provider_takes() {
    for (name, mapping, _) in mapped() {
        let kind = resource(mapping.to.as_deref().expect("mapped"));
        let reference = mapping.reference.as_deref().unwrap_or("id");
        assert!(kind.arguments.contains_key(reference), "{name}: reference {reference}");
        for constant in mapping.constants.keys() {
            assert!(kind.arguments[constant].is_settable(), "{name}: {constant}");
        }
        for (property, it) in &mapping.properties {
            check(&format!("{name}.{property}"), it, &kind.arguments);
        }
    }
}

/// Checks a property whose `to` is among these arguments.
fn check(place: &str, it: &PropertyMapping, arguments: &IndexMap<String, ArgumentInfo>) {
    if let Some(data) = &it.lookup {
        let found = ProviderSchema::get().data_sources.get(data);
        let found = found.unwrap_or_else(|| panic!("{place}: no data source {data}"));
        let by = it.by.as_deref().unwrap_or("name");
        for requested in [Some(by), it.by_id.as_deref()].into_iter().flatten() {
            assert!(
                found.arguments[requested].is_settable(),
                "{place}: {data} is not looked up by {requested}"
            );
        }
        let read = it.wants.as_deref().unwrap_or("id");
        assert!(found.arguments.contains_key(read), "{place}: {data} does not return {read}");
    }
    if let Some(rule) = &it.rule {
        assert!(rules::of_property(rule).is_some(), "{place}: no rule {rule}");
    }
    if let Some(kind) = &it.object {
        let kind = resource(kind);
        if let Some(parent) = &it.parent {
            assert!(kind.arguments[parent].is_settable(), "{place}: {parent}");
        }
        let members = it.members.iter().map(|(name, it)| (name.as_str(), it));
        for (name, member) in members.chain(it.item.as_deref().map(|item| ("item", item))) {
            check(&format!("{place}.{name}"), member, &kind.arguments);
        }
    }
    let Some(to) = &it.to else { return };
    let info = arguments.get(to).unwrap_or_else(|| panic!("{place}: no argument {to}"));
    assert!(info.is_settable(), "{place}: {to} cannot be set");
    match (&info.block, &it.key) {
        (Some(block), Some(key)) => assert!(block[key].is_settable(), "{place}: {to}.{key}"),
        (Some(block), None) => {
            assert!(!it.members.is_empty(), "{place}: {to} is a block");
            for (name, member) in &it.members {
                check(&format!("{place}.{name}"), member, block);
            }
        }
        (None, Some(_)) => assert_eq!(
            info.kind,
            crate::openstack_provider::schema::ArgumentType::Map,
            "{place}: {to} has no keys"
        ),
        (None, None) => assert!(it.members.is_empty(), "{place}: {to} is not a block"),
    }
}

#[test]
fn every_attribute_is_one_that_the_provider_tells() {
    for (name, mapping, info) in mapped() {
        let kind = resource(mapping.to.as_deref().expect("mapped"));
        for (attribute, it) in &mapping.attributes {
            let place = format!("{name}.{attribute}");
            assert!(
                info.attributes.contains_key(attribute.as_str())
                    || equivalents::has_attribute(name, attribute),
                "{place}: not in Heat's schema"
            );
            if let Some(to) = &it.to {
                assert!(kind.arguments.contains_key(to), "{place}: no attribute {to}");
            }
            if let Some(rule) = &it.rule {
                assert!(attributes::rule_named(rule).is_some(), "{place}: no rule {rule}");
            }
            assert!(it.to.is_some() || it.rule.is_some() || it.note.is_some(), "{place}");
        }
    }
}

#[test]
fn everything_of_heats_is_expressed_or_has_a_reason() {
    for (name, mapping, info) in mapped() {
        for (property, heat) in &info.properties {
            let it = mapping.properties.get(*property);
            let it = it.unwrap_or_else(|| panic!("{name}.{property} is not in the table"));
            known(&format!("{name}.{property}"), it, heat);
        }
        for attribute in info.attributes.keys() {
            assert!(mapping.attributes.contains_key(*attribute), "{name}.{attribute}");
        }
        for property in mapping.properties.keys() {
            assert!(
                info.properties.contains_key(property.as_str()),
                "{name}.{property}: not in Heat's schema"
            );
        }
    }
}

/// Checks that the table has every member of a property, unless a rule handles all of them.
fn known(place: &str, it: &PropertyMapping, heat: &'static Property) {
    let is_expressed = it.to.is_some() || it.rule.is_some() || it.object.is_some();
    let has_reason =
        it.note.is_some() || it.same_as.is_some() || it.lookup.is_some() || it.wants.is_some();
    assert!(is_expressed || has_reason, "{place}: neither translated nor explained");
    let members = &heat.items.as_deref().unwrap_or(heat).members;
    if it.members.is_empty() || heat.support.status == SupportStatus::Hidden {
        return;
    }
    for (member, heat) in members {
        let it = it.members.get(*member);
        // What only a rule handles need not be in the table.
        if let Some(it) = it {
            known(&format!("{place}.{member}"), it, heat);
        } else {
            assert!(place.ends_with("block_device_mapping_v2"), "{place}.{member}");
        }
    }
}

/// The row at a path of properties.
fn at<'m>(mapping: &'m TypeMapping, path: &[&str]) -> Option<&'m PropertyMapping> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(mapping.properties.get(*first)?, |it, name| it.members.get(*name))
}

#[test]
fn old_names_are_those_that_heat_translates() {
    for (name, mapping, info) in mapped() {
        for translation in info.translations.iter().flatten() {
            let Translation::Replace { path, with } = translation else { continue };
            let old: Vec<&str> = match with {
                ReplaceWith::Property(old) => old.clone(),
                ReplaceWith::Sibling(sibling) => {
                    let mut old = path.clone();
                    if let Some(last) = old.last_mut() {
                        *last = sibling;
                    }
                    old
                }
            };
            // A separate rule handles the deprecated names of devices and of images in them.
            let Some(it) = at(mapping, &old) else {
                assert!(old[0].starts_with("block_device_mapping"), "{name}: {old:?}");
                continue;
            };
            assert_eq!(it.same_as.as_deref(), path.last().copied(), "{name}: {old:?}");
        }
    }
}

#[test]
fn names_that_heat_resolves_are_looked_up_or_it_is_told_why_not() {
    for (name, mapping, info) in mapped() {
        for translation in info.translations.iter().flatten() {
            let Translation::Resolve { path, .. } = translation else { continue };
            if !info.properties.contains_key(path[0]) {
                // OS::Neutron::ProviderNet inherits a rule for a property that it lacks.
                continue;
            }
            let it = at(mapping, path);
            let it = it.unwrap_or_else(|| panic!("{name}: {path:?} is not in the table"));
            let items = it.item.as_deref();
            let is_known = it.lookup.is_some()
                || items.is_some_and(|it| it.lookup.is_some())
                || it.rule.is_some()
                || it.note.is_some()
                || it.to.as_deref() == Some("endpoint_region");
            assert!(is_known, "{name}: {path:?}");
        }
    }
}

#[test]
fn what_cannot_be_imported_is_not_adopted() {
    for (name, mapping, _) in mapped() {
        let importable = resource(mapping.to.as_deref().expect("mapped")).importable;
        assert!(importable || mapping.not_adopted.is_some(), "{name}");
    }
}
