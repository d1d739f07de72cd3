//! Which attributes of a resource change when its properties are updated in place.
//!
//! Source: `docs/heat.md#attributes-of-an-updated-resource`.

use std::sync::OnceLock;

use indexmap::IndexMap;

use heat_template::schema::{Column, PropertyConstraint, ResourceType, ValueType, columns};

/// How an attribute follows a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mirror {
    /// It is the property's value.
    Value,
    /// It is a list or map like the property's, in which the service fills in what is not given.
    Structure,
    /// The service derives it from the property and from more.
    Derived,
}

/// The attributes of a type, and the properties that they follow. An attribute follows the property of its own name, too; one
/// that is not named and has no such property stays the same in every update.
type Row = IndexMap<&'static str, Vec<&'static str>>;

/// The types with attributes besides `show` and properties that can be updated in place; `None` where every attribute may change.
static ROWS: Column<Option<Row>> = Column::new(columns::MIRRORED_ATTRIBUTES);

/// Keys of what a service shows of an object that no update changes.
const CONSTANT_KEYS: &[&str] =
    &["created", "created_at", "id", "project_id", "self", "tenant_id", "user_id", "uuid"];

/// Members of an attribute, and the member of the property that they follow: the property may have a name where the service has the
/// id.
const ID_MEMBERS: &[(&str, &str)] = &[("network_id", "network"), ("subnet_id", "subnet")];

/// Members of a property that no other member of the attribute follows.
const ISOLATED_MEMBERS: &[(&str, &str)] = &[("external_gateway_info", "enable_snat")];

/// Constraints on the form of a text. A property with any other custom constraint may hold a name where the attribute has the
/// id.
const FORMATS: &[&str] =
    &["cron_expression", "dns_domain", "dns_name", "ip_addr", "ip_or_cidr", "mac_addr", "net_cidr"];

/// The attributes of a resource, as they follow its properties.
#[derive(Clone, Copy, Default)]
pub(super) struct MirroredAttributes<'s> {
    info: Option<&'s ResourceType>,
    row: Option<&'static Row>,
}

impl<'s> MirroredAttributes<'s> {
    /// Those of a type; `name` is that of the plugin, after the resource registry is applied.
    pub(super) fn new(name: &str, info: &'s ResourceType) -> Self {
        // A type whose only attribute is `show` needs no row.
        let row = match ROWS.get(name) {
            Some(row) => row.as_ref(),
            None => (!has_own_attributes(info)).then(no_row),
        };
        MirroredAttributes { info: Some(info), row }
    }

    /// Those of a resource that represents a stack, without what it passes on from that stack.
    pub(super) fn beside_stack(name: &str) -> Self {
        MirroredAttributes {
            info: None,
            row: Some(ROWS.get(name).and_then(Option::as_ref).unwrap_or_else(no_row)),
        }
    }

    /// Every attribute may follow every property.
    pub(super) fn unknown() -> Self {
        MirroredAttributes::default()
    }

    /// The properties that can be updated in place; any name stands for those of an unknown type.
    pub(super) fn updatable_properties(&self) -> Vec<&'static str> {
        let Some(info) = self.info else { return vec![""] };
        info.properties.iter().filter(|(_, it)| it.update_allowed).map(|(name, _)| *name).collect()
    }

    /// How an attribute follows a property; `None` if it stays the same when that property is updated. `path` is what is read of it,
    /// with `None` for unknown steps.
    pub(super) fn mirror<S: AsRef<str>>(
        &self,
        attribute: &str,
        path: &[Option<S>],
        property: &str,
    ) -> Option<Mirror> {
        let Some(row) = self.row else { return Some(Mirror::Derived) };
        if attribute == "show" {
            return self.info.and_then(|info| self.shown(info, path, property));
        }
        if row.get(attribute).is_some_and(|of| of.contains(&property)) {
            return Some(Mirror::Derived);
        }
        let info = self.info.filter(|_| attribute == property)?;
        let Some(facts) = info.property(property) else {
            return Some(Mirror::Derived);
        };
        Some(match facts.value_type {
            ValueType::List | ValueType::Map => Mirror::Structure,
            _ if facts.constraints.iter().all(is_format) => Mirror::Value,
            _ => Mirror::Derived,
        })
    }

    /// How what the service shows of an object follows a property.
    fn shown<S: AsRef<str>>(
        &self,
        info: &ResourceType,
        path: &[Option<S>],
        property: &str,
    ) -> Option<Mirror> {
        let Some(Some(key)) = path.first() else { return Some(Mirror::Derived) };
        let key = key.as_ref();
        let follows = if CONSTANT_KEYS.contains(&key) {
            false
        } else if info.attribute(key).is_some() && key != "show" {
            self.mirror(key, &path[1..], property).is_some()
        } else {
            key == property || info.property(key).is_none()
        };
        follows.then_some(Mirror::Derived)
    }

    /// The attributes that follow a property; `None` for every attribute.
    pub(super) fn followers(&self, property: &str) -> Option<Vec<&'static str>> {
        let row = self.row?;
        let names = match self.info {
            Some(info) => info.attributes.keys().copied().collect(),
            None => row.keys().copied().collect::<Vec<_>>(),
        };
        let follows = |name: &&str| self.mirror::<&str>(name, &[], property).is_some();
        Some(names.into_iter().filter(follows).collect())
    }
}

/// The member of a property that a member of the attribute follows, and whether the two are the same value.
pub(super) fn followed_member(member: &str) -> (&str, bool) {
    let found = ID_MEMBERS.iter().find(|(id, _)| *id == member);
    found.map_or((member, true), |(_, name)| (*name, false))
}

/// Whether a change of a member of a property leaves every other member of the attribute as it is.
pub(super) fn is_isolated(property: &str, member: &str) -> bool {
    ISOLATED_MEMBERS.contains(&(property, member))
}

/// The row of a type whose attributes stay the same.
fn no_row() -> &'static Row {
    static EMPTY: OnceLock<Row> = OnceLock::new();
    EMPTY.get_or_init(Row::new)
}

fn has_own_attributes(info: &ResourceType) -> bool {
    info.dynamic_attributes || info.attributes.keys().any(|name| *name != "show")
}

fn is_format(constraint: &PropertyConstraint) -> bool {
    !matches!(constraint, PropertyConstraint::Custom(name) if !FORMATS.contains(name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use heat_template::schema::Schema;

    #[test]
    fn every_type_whose_attributes_can_change_has_a_row() {
        let is_followed = |info: &ResourceType| {
            has_own_attributes(info) && info.properties.values().any(|it| it.update_allowed)
        };
        let types = Schema::all().flat_map(|release| release.types.iter());
        let wanted: BTreeSet<&str> =
            types.filter(|(_, info)| is_followed(info)).map(|(name, _)| name).collect();
        assert_eq!(ROWS.iter().map(|(name, _)| name).collect::<BTreeSet<_>>(), wanted);
    }

    #[test]
    fn rows_name_attributes_and_updatable_properties_that_there_are() {
        for (kind, row) in ROWS.iter() {
            let info = Schema::heat().types.get(kind).expect(kind);
            for (attribute, properties) in row.iter().flatten() {
                assert!(info.attribute(attribute).is_some(), "{kind}: {attribute}");
                assert!(properties.is_sorted(), "{kind}: {attribute}");
                for property in properties {
                    let facts = info.property(property).expect(property);
                    assert!(facts.update_allowed, "{kind}: {property}");
                }
            }
        }
    }

    fn mirror(kind: &str, read: &str, property: &str) -> Option<Mirror> {
        let info = Schema::heat().types.get(kind).expect(kind);
        let mut steps = read.split('.');
        let attribute = steps.next().expect("a name");
        let path: Vec<Option<&str>> = steps.map(Some).collect();
        MirroredAttributes::new(kind, info).mirror(attribute, &path, property)
    }

    #[test]
    fn an_attribute_follows_the_property_of_its_name_and_those_of_its_row() {
        let of_port = |read, property| mirror("OS::Neutron::Port", read, property);
        assert_eq!(of_port("name", "name"), Some(Mirror::Value));
        assert_eq!(of_port("name", "tags"), None);
        assert_eq!(of_port("fixed_ips", "fixed_ips"), Some(Mirror::Structure));
        assert_eq!(of_port("fixed_ips", "no_fixed_ips"), Some(Mirror::Derived));
        assert_eq!(of_port("mac_address", "fixed_ips"), None);
        assert_eq!(of_port("security_groups", "security_groups"), Some(Mirror::Derived));
        let of_server = |read, property| mirror("OS::Nova::Server", read, property);
        assert_eq!(of_server("first_address", "networks"), Some(Mirror::Derived));
        assert_eq!(of_server("first_address", "image"), None);
        assert_eq!(of_server("networks", "networks"), Some(Mirror::Derived));
    }

    #[test]
    fn what_a_service_shows_follows_what_is_read_of_it() {
        let of_port = |read, property| mirror("OS::Neutron::Port", read, property);
        assert_eq!(of_port("show", "tags"), Some(Mirror::Derived));
        assert_eq!(of_port("show.id", "name"), None);
        assert_eq!(of_port("show.mac_address", "fixed_ips"), None);
        assert_eq!(of_port("show.fixed_ips.0.ip_address", "fixed_ips"), Some(Mirror::Derived));
        assert_eq!(of_port("show.revision_number", "name"), Some(Mirror::Derived));
        // A type with `show` alone.
        assert_eq!(mirror("OS::Octavia::PoolMember", "show.address", "weight"), None);
        assert_eq!(
            mirror("OS::Octavia::PoolMember", "show.weight", "weight"),
            Some(Mirror::Derived)
        );
    }

    #[test]
    fn every_attribute_of_a_type_without_a_row_may_change() {
        let kind = "OS::Heat::SoftwareDeployment";
        assert_eq!(mirror(kind, "anything", "config"), Some(Mirror::Derived));
        let info = Schema::heat().types.get(kind).expect(kind);
        assert_eq!(MirroredAttributes::new(kind, info).followers("config"), None);
    }
}
