//! The properties that a plugin reads under another name, from the facts about its translation rules.
//!
//! Heat's rules: `docs/heat.md#translation-rules`, `docs/heat.md#which-old-names-are-exact`.

use heat_engine::eval::typed_properties::{TranslatedItem, is_value_container, value_translations};
use heat_template::ir::{ExprKind, Repeat};
use heat_template::schema::{Property, PropertyConstraint, ReplaceWith, ResourceType, Translation};

/// The major version of the first Heat that translates properties: Liberty. Before, a property of another name is
/// another property, whose change may replace the resource.
const FIRST_HEAT_WITH_TRANSLATION: u32 = 5;

/// A property whose value the plugin reads under another name.
#[derive(Clone, PartialEq)]
pub(super) struct PropertyMove {
    /// The properties that lead to the map with both names; items of lists do not add to it.
    pub(super) scope: Vec<&'static str>,
    /// The property that Heat takes the value from.
    pub(super) source: &'static str,
    /// The property that the plugin reads.
    pub(super) target: &'static str,
    pub(super) form: MoveForm,
    /// For which values both names are the same.
    pub(super) limit: ValueLimit,
}

/// The outcome of the value.
#[derive(Clone, Copy)]
pub(super) enum MoveForm {
    /// It is the value of the target.
    Value,
    /// It is an item of the target, a list.
    Item(&'static TranslatedItem),
    /// The source is a map, of which the plugin reads the key with the target's name. Nothing writes it that way: the pair
    /// would have to leave the map, with its comments.
    Part,
}

/// For which values both names are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueLimit {
    Any,
    /// Heat does not convert a null that it moves, so the property stays null instead of getting its zero value.
    NotNull,
    /// Heat moves the value before it resolves functions, which it then refuses.
    Data,
    /// Heat ignores an empty value of the source.
    NotEmpty,
}

/// A move, written in the direction from the discouraged name to the supported one.
#[derive(Clone, PartialEq)]
pub(super) struct Renaming {
    pub(super) old: &'static str,
    pub(super) new: &'static str,
    pub(super) of: PropertyMove,
}

impl PartialEq for MoveForm {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (MoveForm::Value, MoveForm::Value) | (MoveForm::Part, MoveForm::Part) => true,
            (MoveForm::Item(one), MoveForm::Item(other)) => std::ptr::eq(*one, *other),
            (MoveForm::Value | MoveForm::Item(_) | MoveForm::Part, _) => false,
        }
    }
}

/// Every move of a type.
pub(super) fn moves(info: &ResourceType) -> Vec<PropertyMove> {
    let listed = info.translations.iter().flatten().filter_map(|rule| {
        let Translation::Replace { path, with } = rule else { return None };
        let (target, scope) = path.split_last()?;
        let mut form = MoveForm::Value;
        let (source, limit) = match with {
            ReplaceWith::Sibling(source) if is_value_container(info, source) => {
                form = MoveForm::Part;
                (*source, ValueLimit::Any)
            }
            ReplaceWith::Sibling(source) if scope.is_empty() => (*source, ValueLimit::Data),
            ReplaceWith::Sibling(source) => (*source, ValueLimit::NotNull),
            ReplaceWith::Property(from) => {
                let (source, from_scope) = from.split_last()?;
                if from_scope != scope || !scope.is_empty() {
                    return None;
                }
                (*source, ValueLimit::Any)
            }
        };
        let scope = scope.to_vec();
        Some(PropertyMove { scope, source, target, form, limit })
    });
    let of_values = value_translations(info).filter_map(|it| {
        let (target, item) = it.into.as_ref()?;
        let is_listed = info.property(it.property).is_some_and(allows_no_empty_value);
        let limit = if is_listed { ValueLimit::Any } else { ValueLimit::NotEmpty };
        let form = MoveForm::Item(item);
        Some(PropertyMove { scope: Vec::new(), source: it.property, target, form, limit })
    });
    listed.chain(of_values).collect()
}

/// Whether the constraints of a property exclude the empty string.
fn allows_no_empty_value(property: &Property) -> bool {
    property.constraints.iter().any(|it| match it {
        PropertyConstraint::AllowedValues(values) => {
            values.iter().all(|it| it.as_str() != Some(""))
        }
        _ => false,
    })
}

/// The moves from a name that a release discourages to one that it supports.
pub(super) fn renamings(info: &ResourceType, heat: u32) -> Vec<Renaming> {
    if heat < FIRST_HEAT_WITH_TRANSLATION {
        return Vec::new();
    }
    // `None` for a name that the release does not have yet.
    let is_supported = |path: &[&str], name: &str| {
        let path: Vec<&str> = path.iter().copied().chain([name]).collect();
        let support = info.property_at(&path)?.support.in_release(heat);
        (!support.is_absent()).then(|| support.is_supported())
    };
    let renaming = |of: PropertyMove| {
        let source = is_supported(&of.scope, of.source);
        let target = is_supported(&of.scope, of.target);
        match (source, target) {
            (Some(false), Some(true)) => Some(Renaming { old: of.source, new: of.target, of }),
            (Some(true), Some(false)) if of.form == MoveForm::Value => {
                Some(Renaming { old: of.target, new: of.source, of })
            }
            _ => None,
        }
    };
    moves(info).into_iter().filter_map(renaming).collect()
}

/// Whether a loop leaves the names of the moves as they are: it replaces its placeholders in keys, too.
pub(super) fn loop_keeps_keys<'m>(
    repeat: &Repeat,
    mut moves: impl Iterator<Item = &'m PropertyMove>,
) -> bool {
    let ExprKind::Map(pairs) = &repeat.for_each.kind else { return false };
    let placeholders: Option<Vec<&str>> = pairs.iter().map(|pair| pair.key.as_text()).collect();
    let Some(placeholders) = placeholders else { return false };
    let is_apart = |name: &str| placeholders.iter().all(|it| !name.contains(it));
    moves.all(|it| is_apart(it.source) && is_apart(it.target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::schema::{Plugin, Schema};

    fn of(kind: &str, heat: u32) -> Vec<(String, &'static str)> {
        let info = Schema::heat().type_info(kind).expect("known");
        let written = |it: Renaming| {
            let path: Vec<&str> = it.of.scope.iter().copied().chain([it.old]).collect();
            (path.join("."), it.new)
        };
        renamings(info, heat).into_iter().map(written).collect()
    }

    fn pair(old: &str, new: &'static str) -> (String, &'static str) {
        (old.to_owned(), new)
    }

    #[test]
    fn old_names_lead_to_supported_ones() {
        assert_eq!(
            of("OS::Neutron::Port", 27),
            [pair("network_id", "network"), pair("fixed_ips.subnet_id", "subnet")]
        );
        // Here the plugin reads the old name.
        assert_eq!(of("OS::Designate::Zone", 27), [pair("masters", "primaries")]);
        assert_eq!(of("OS::Heat::RandomString", 27), [pair("sequence", "character_classes")]);
        assert_eq!(of("OS::Neutron::Router", 27), [pair("l3_agent_id", "l3_agent_ids")]);
    }

    #[test]
    fn a_name_that_the_release_does_not_have_is_not_written() {
        let image =
            [pair("networks.uuid", "network"), pair("block_device_mapping_v2.image_id", "image")];
        assert_eq!(of("OS::Nova::Server", 27), image);
        assert_eq!(of("OS::Nova::Server", 7), image);
        assert_eq!(of("OS::Nova::Server", 6), image[..1]);
        assert_eq!(of("OS::Neutron::Port", 4), [], "Kilo does not translate");
    }

    /// Every rule of the facts is a move, or one of those that have no other name.
    #[test]
    fn no_rule_is_forgotten() {
        let mut others = std::collections::BTreeSet::new();
        for (name, info) in Schema::heat().types.iter() {
            assert!(matches!(info.plugin, Plugin::Class(_)) || moves(info).is_empty());
            let rules = info.translations.iter().flatten();
            let replaced = rules.filter(|rule| matches!(rule, Translation::Replace { .. })).count();
            let listed = moves(info).iter().filter(|it| it.form == MoveForm::Value).count();
            if replaced != listed {
                others.insert(name);
            }
            // No name leads to another old name, so one step is enough.
            let renamings = renamings(info, 27);
            for one in &renamings {
                assert!(
                    !renamings.iter().any(|it| it.of.scope == one.of.scope && it.old == one.new)
                );
            }
        }
        assert_eq!(others.into_iter().collect::<Vec<_>>(), ["OS::Mistral::Workflow"]);
    }
}
