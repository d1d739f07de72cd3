//! Facts about Heat's resource types, in two forms:
//!
//! - **Generated** ones ([`Schema`]): properties, attributes, constraints, what an update does, and the functions of each version; a
//!   file of `data/` for each release of Heat, written by `tools/generate/heat_types.py` from the installed engine. What earlier
//!   releases have follows from the history of each type, property and attribute, see `docs/heat.md#support-status`.
//! - **Read** ones ([`Column`]): what no class of Heat declares, read in its source by a person; a file of `data/columns/` for each
//!   subject, in which every type of every release has a row or stands among those without.
//!
//! `ARCHITECTURE.md` beside the manifest lists the columns with their sources.

#![forbid(unsafe_code)]

mod column;
mod group;
mod type_table;
mod types;

use std::borrow::Cow;
use std::sync::OnceLock;

use serde::Deserialize;

use source_diagnostics::did_you_mean;

mod rows;

pub use column::{Column, columns};
pub use group::{HeatGroup, MemberDefinition};
pub use rows::{
    BrokenUpdate, BrokenUpdateKind, DeletedIfEmpty, DeletionRefused, DiskList, HeldDataRow,
    NaturalKey, RemovedProperties, SecondObject, SignalRole, Unplugs, UpdateEffects,
};
pub use type_table::TypeTable;
pub use types::{
    Attribute, BeforeCreation, Bounds, FunctionNames, PhysicalId, Plugin, Property,
    PropertyConstraint, ReferenceRule, ReferenceValue, ReplaceRule, ReplaceWith, ResourceType,
    Successor, Support, SupportIn, SupportStatus, Table, Translation, ValueType, heat_version,
};

/// The releases of Heat whose facts are built in, the newest last: the major version of `openstack-heat`, and the facts.
const RELEASES: &[(u32, &str)] =
    &[(26, include_str!("../data/heat-26.json")), (27, include_str!("../data/heat-27.json"))];

/// The resource types of one release of Heat.
pub struct Schema {
    /// The release of Heat that the facts describe.
    pub heat: &'static str,
    /// Other names of types; if one ends with `*`, the rest of the name is kept.
    pub aliases: Table<&'static str>,
    /// The functions by the version of a template, or the name of one; those that a version only refuses are not among them.
    pub functions: Table<FunctionNames>,
    /// The names of Heat's custom constraints.
    pub custom_constraints: Vec<&'static str>,
    /// The resource types by name.
    pub types: TypeTable,
}

/// Shows the release alone: the facts are thousands of lines, and many types that are printed in tests hold them.
impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Schema").field("heat", &self.heat).finish_non_exhaustive()
    }
}

impl Schema {
    /// The facts about the newest release. Only the command line chooses a release; everything else gets it from
    /// there.
    pub fn heat() -> &'static Schema {
        Schema::parsed(RELEASES.len() - 1)
    }

    /// The facts about a release, by the major version of `openstack-heat`; `None` if they are not built in.
    pub fn of_release(number: u32) -> Option<&'static Schema> {
        RELEASES.iter().position(|(release, _)| *release == number).map(Schema::parsed)
    }

    /// The facts to judge a release by: its own, or those of the next release that has some, whose history says what came after it.
    pub fn nearest_to(number: u32) -> &'static Schema {
        let next = RELEASES.iter().position(|(release, _)| *release >= number);
        Schema::parsed(next.unwrap_or(RELEASES.len() - 1))
    }

    /// The facts of every release, the newest last.
    pub fn all() -> impl Iterator<Item = &'static Schema> {
        (0..RELEASES.len()).map(Schema::parsed)
    }

    /// The facts in a row of [`RELEASES`], parsed on first use.
    fn parsed(row: usize) -> &'static Schema {
        static SCHEMAS: [OnceLock<Schema>; RELEASES.len()] =
            [const { OnceLock::new() }; RELEASES.len()];
        SCHEMAS[row].get_or_init(|| {
            let next = (row + 1 < RELEASES.len()).then(|| Schema::parsed(row + 1));
            Schema::from_lines(RELEASES[row].1, next)
        })
    }

    /// The facts in a text that has each key and each type on a line of its own, the types at its end.
    fn from_lines(text: &'static str, next: Option<&'static Schema>) -> Schema {
        let mut lines = text.lines().filter_map(|line| {
            let (name, json) = line.strip_prefix('"')?.split_once("\":")?;
            Some((name, json.strip_suffix(',').unwrap_or(json)))
        });
        let mut head = Vec::new();
        for line in lines.by_ref().take_while(|(name, _)| *name != "types") {
            head.push(line);
        }
        let of = |wanted: &str| {
            let found = head.iter().find(|(name, _)| *name == wanted);
            found.map_or("null", |(_, json)| json)
        };
        Schema {
            heat: built_in(of("heat")),
            aliases: built_in(of("aliases")),
            custom_constraints: built_in(of("custom_constraints")),
            functions: built_in(of("functions")),
            types: TypeTable::new(lines, next.map(|next| (&next.types, next.heat))),
        }
    }

    /// The name that `name` is an alias of, or `name` itself: `OS::Quantum::Net` is
    /// `OS::Neutron::Net`.
    pub fn real_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        if let Some(&real) = self.aliases.get(name) {
            return Cow::Borrowed(real);
        }
        let by_wildcard = self.aliases.iter().find_map(|(alias, real)| {
            let rest = name.strip_prefix(alias.strip_suffix('*')?)?;
            Some(format!("{}{rest}", real.strip_suffix('*')?))
        });
        by_wildcard.map_or(Cow::Borrowed(name), Cow::Owned)
    }

    /// Whether Heat has types whose names begin as this one does, up to the first `::`.
    pub fn has_namespace(&self, name: &str) -> bool {
        let namespace = |name: &str| name.split_once("::").map(|(first, _)| first.to_owned());
        let own = namespace(name);
        own.is_some() && self.types.names().any(|it| namespace(it) == own)
    }

    /// The facts about a type, by its name or an alias of it. `None` also for nested templates
    /// and names that only an environment defines.
    pub fn type_info(&self, name: &str) -> Option<&ResourceType> {
        self.types.get(name).or_else(|| self.types.get(&self.real_name(name)))
    }

    /// The kind of group of resources of this type.
    pub fn group(&self, name: &str) -> Option<HeatGroup> {
        HeatGroup::of(&self.real_name(name))
    }

    /// True if resources of this type are made from a template: `resource.NAME` leads into it, and its outputs are ordinary attributes.
    pub fn is_template(&self, name: &str) -> bool {
        match self.type_info(name).map(|info| info.plugin) {
            Some(Plugin::Template(_)) => true,
            // Heat distinguishes a template from a type by the end of the name, case-sensitively.
            Some(Plugin::Class(_)) | None => {
                let name = self.real_name(name);
                name.ends_with(".yaml") || name.ends_with(".template")
            }
        }
    }

    /// The major version of the release of Heat that the facts describe.
    pub fn major(&self) -> u32 {
        heat_version(self.heat).unwrap_or_default()
    }

    /// What to use instead of something with this status, in a release by the major version of Heat: a successor that is
    /// deprecated itself is followed. `None` if Heat names nothing that the release has.
    pub fn successor(&self, status: &Support, heat: u32) -> Option<Successor> {
        let successor = status.successor.as_ref()?;
        let kind = match successor {
            Successor::Type(name) | Successor::PropertyOf(name, _) => *name,
            Successor::Service(prefix) => {
                self.types.names().find(|name| name.starts_with(prefix)).unwrap_or(prefix)
            }
            Successor::Properties(_) | Successor::Attribute(_) | Successor::Function(_) => {
                return Some(successor.clone());
            }
        };
        match self.types.get(kind)?.support.in_release(heat) {
            SupportIn::Absent => None,
            SupportIn::Stage(stage) if stage.status != SupportStatus::Supported => {
                let next = self.successor(stage, heat)?;
                Some(match (successor, next) {
                    // The types of both services do not correspond.
                    (Successor::Service(_), Successor::Type(next)) => Successor::Service(
                        next.rfind("::").and_then(|at| next.get(..at + 2)).unwrap_or(next),
                    ),
                    (_, next) => next,
                })
            }
            SupportIn::Stage(_) | SupportIn::BeforeRecords => Some(successor.clone()),
        }
    }

    /// The type that a misspelled name was probably meant to be.
    pub fn did_you_mean(&self, name: &str) -> Option<&'static str> {
        let current =
            |status| status == SupportStatus::Supported || status == SupportStatus::Deprecated;
        let (current, old): (Vec<_>, Vec<_>) =
            self.types.iter().partition(|(_, info)| current(info.support.status));
        // Supported types come first, so that they win over equally near old names.
        did_you_mean(name, current.into_iter().chain(old).map(|(name, _)| name))
    }
}

/// The examples of the README are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// A part of the built-in facts.
fn built_in<T: Deserialize<'static>>(json: &'static str) -> T {
    #[expect(clippy::expect_used, reason = "a part of the program, read by every test run")]
    serde_json::from_str(json).expect("the built-in facts match the types in types.rs")
}

impl ResourceType {
    /// The attribute of this name, including `show`, which every type has.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.get(name)
    }

    /// Whether the type is a placeholder: it accepts any property, has any attribute, and is never
    /// updated. Heat turns types that it no longer supports into placeholders.
    pub fn is_placeholder(&self) -> bool {
        self.dynamic_attributes && self.properties.is_empty()
    }

    /// Whether a release of Heat, by its major version, creates nothing for the type because its service is gone. Releases
    /// before that had properties that the facts no longer have.
    pub fn creates_nothing_in(&self, heat: u32) -> bool {
        self.placeholder_since.is_some_and(|since| since <= heat)
    }

    /// The top-level property of this name.
    pub fn property(&self, name: &str) -> Option<&Property> {
        self.properties.get(name)
    }

    /// The property at a path of names; list indices are omitted, so
    /// `["networks", "port"]` is the port of each network.
    pub fn property_at(&self, path: &[&str]) -> Option<&Property> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.property(first)?, |property, &name| {
            let map = property.items.as_deref().unwrap_or(property);
            map.members.get(name)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> &'static Schema {
        Schema::heat()
    }

    #[test]
    fn every_release_has_facts_of_its_own() {
        for (release, _) in RELEASES {
            let schema = Schema::of_release(*release).expect("a release of the table");
            assert!(schema.heat.starts_with(&format!("{release}.")), "{release}: {}", schema.heat);
        }
        assert!(RELEASES.is_sorted_by_key(|(release, _)| release));
        assert_eq!(Schema::nearest_to(8).major(), 26, "the oldest release with facts");
        assert_eq!(Schema::nearest_to(99).major(), Schema::heat().major());
        assert!(Schema::of_release(1).is_none());
    }

    /// The differences of the first two releases that have facts, as `tools/generate/heat_types.py` prints them.
    #[test]
    fn an_older_release_differs_from_the_next_one() {
        let of = |release| Schema::of_release(release).expect("a release of the table");
        let info = |release, kind: &str| of(release).type_info(kind).expect("known");
        let choices = |release, path: &[&str]| {
            let property = info(release, "OS::Neutron::IKEPolicy").property_at(path);
            match property.expect("known").constraints.as_slice() {
                [PropertyConstraint::AllowedValues(values)] => values.len(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!((choices(26, &["pfs"]), choices(27, &["pfs"])), (3, 20));
        // What came later is known to be later.
        let rules = |release| {
            let group = info(release, "OS::Neutron::SecurityGroup");
            let property = |path: &[&str]| group.property_at(path).expect("known");
            (
                property(&["stateful"]),
                property(&["rules", "description"]),
                property(&["rules", "protocol"]),
            )
        };
        let (stateful, description, protocol) = rules(26);
        assert!(stateful.support.in_release(26).is_absent() && !stateful.required);
        assert!(description.support.in_release(26).is_absent());
        assert!(protocol.constraints.is_empty() && !rules(27).2.constraints.is_empty());
        // Its service is gone since.
        let template = |release| info(release, "OS::Vitrage::Template");
        assert!(template(26).property("template_file").expect("known").required);
        assert!(template(27).is_placeholder() && !template(26).is_placeholder());
    }

    #[test]
    fn the_facts_are_whole() {
        // The figures that Heat 27.0.1 itself gives.
        let types = &schema().types;
        assert_eq!(schema().heat, "27.0.1");
        assert_eq!(types.len(), 201 + 2);
        let of_plugins = || types.values().filter(|t| matches!(t.plugin, Plugin::Class(_)));
        assert_eq!(of_plugins().map(|t| t.attributes.len()).sum::<usize>(), 570);
        assert_eq!(of_plugins().map(|t| t.properties.len()).sum::<usize>(), 1113);
        let updatable = of_plugins().flat_map(|t| t.properties.values());
        assert_eq!(updatable.filter(|property| property.update_allowed).count(), 615);
        assert_eq!(schema().custom_constraints.len(), 70);
        for constraint in
            types.values().flat_map(|t| all(&t.properties)).flat_map(|p| &p.constraints)
        {
            if let PropertyConstraint::Custom(name) = constraint {
                assert!(schema().custom_constraints.contains(name), "{name}");
            }
        }
    }

    /// Every property of a table, those inside others included.
    fn all(table: &'static Table<Property>) -> Vec<&'static Property> {
        let mut found: Vec<&Property> = table.values().collect();
        let mut next = 0;
        while let Some(&property) = found.get(next) {
            found.extend(property.members.values().chain(property.items.as_deref()));
            next += 1;
        }
        found
    }

    #[test]
    fn a_type_knows_its_properties_and_attributes() {
        let server = schema().type_info("OS::Nova::Server").expect("known");
        assert!(server.property("flavor").expect("known").update_allowed);
        assert_eq!(server.attribute("networks").expect("known").value_type, Some(ValueType::Map));
        assert_eq!(server.attribute("first_address").expect("known").value_type, None);
        assert_eq!(server.support.status, SupportStatus::Supported);
        assert_eq!(server.name_limit, Some(53));
        let port = server.property_at(&["networks", "port"]).expect("known");
        assert_eq!(port.value_type, ValueType::String);
        assert_eq!(port.constraints, [PropertyConstraint::Custom("neutron.port")]);
        assert!(server.property_at(&["networks", "prot"]).is_none());
        assert!(server.property_at(&[]).is_none());
        let rules = schema().type_info("OS::Neutron::RBACPolicy").expect("known");
        assert!(rules.translations.is_none(), "they depend on the values");
        let waits = schema().type_info("OS::Heat::None").expect("known");
        assert!(waits.translations.as_ref().is_some_and(Vec::is_empty));
    }

    #[test]
    fn aliases_lead_to_the_type() {
        assert_eq!(schema().real_name("OS::Quantum::Net"), "OS::Neutron::Net");
        assert_eq!(schema().real_name("OS::Metering::Alarm"), "OS::Aodh::Alarm");
        assert_eq!(schema().real_name("OS::Nova::Server"), "OS::Nova::Server");
        assert!(schema().type_info("OS::Quantum::Net").is_some());
        assert!(schema().type_info("OS::Quantum::Nothing").is_none());
    }

    #[test]
    fn placeholders_are_those_of_heat() {
        let placeholder = |name| schema().type_info(name).expect("known").is_placeholder();
        assert!(placeholder("OS::Heat::None") && placeholder("OS::Senlin::Cluster"));
        assert!(!placeholder("OS::Heat::WaitConditionHandle"), "without properties, and real");
        let all = schema().types.values().filter(|info| info.is_placeholder());
        assert_eq!(all.count(), 33);
    }

    #[test]
    fn successors_are_followed_and_are_those_of_the_release() {
        let advice = |name: &str, heat: u32| {
            let support = &schema().types.get(name).expect(name).support;
            let SupportIn::Stage(stage) = support.in_release(heat) else { return String::new() };
            schema().successor(stage, heat).map(|it| it.advice()).unwrap_or_default()
        };
        for (name, heat, expressed) in [
            ("OS::Neutron::LBaaS::Pool", 27, "use the type `OS::Octavia::Pool` instead"),
            ("OS::Neutron::LBaaS::Pool", 20, ""),
            ("OS::Neutron::Pool", 27, "use the types `OS::Octavia::*` instead"),
            ("OS::Neutron::Pool", 12, "use the types `OS::Neutron::LBaaS::*` instead"),
            (
                "OS::Neutron::RouterGateway",
                27,
                "use the property `external_gateway_info` of `OS::Neutron::Router` instead",
            ),
            ("OS::Glance::Image", 12, "use the type `OS::Glance::WebImage` instead"),
            ("OS::Glance::Image", 8, ""),
            ("OS::Sahara::Cluster", 27, ""),
        ] {
            assert_eq!(advice(name, heat), expressed, "{name} in {heat}");
        }
    }

    #[test]
    fn the_status_is_that_of_the_release() {
        let property = |path: &[&str], heat: u32| {
            let server = schema().type_info("OS::Nova::Server").expect("known");
            match server.property_at(path).expect("known").support.in_release(heat) {
                SupportIn::Stage(stage) => format!("{:?}", stage.status),
                SupportIn::BeforeRecords => "before".to_owned(),
                SupportIn::Absent => "absent".to_owned(),
            }
        };
        assert_eq!(property(&["personality"], 11), "before", "deprecated in 12, so it existed");
        assert_eq!(property(&["personality"], 12), "Deprecated");
        assert_eq!(property(&["networks", "uuid"], 2), "Deprecated");
        assert_eq!(property(&["networks", "subnet"], 4), "absent");
        assert_eq!(property(&["networks", "subnet"], 5), "Supported");
        let chain = &schema().type_info("OS::Neutron::PortPair").expect("known").support;
        assert!(chain.in_release(6).is_absent(), "first unsupported, in 7");
    }

    #[test]
    fn placeholders_have_a_beginning() {
        for (name, info) in schema().types.iter() {
            let gone = info.is_placeholder() && name != "OS::Heat::None";
            assert_eq!(info.placeholder_since.is_some(), gone, "{name}");
        }
    }

    #[test]
    fn near_names_are_proposed() {
        for (typed, meant) in [
            ("OS::Nova::Servr", Some("OS::Nova::Server")),
            ("OS::Neutron::Network", Some("OS::Neutron::Net")),
            ("OS::nova::server", Some("OS::Nova::Server")),
            ("OS::Neutron::FloatingIp", Some("OS::Neutron::FloatingIP")),
            ("My::Own::Thing", None),
        ] {
            assert_eq!(schema().did_you_mean(typed), meant, "{typed}");
        }
    }

    #[test]
    fn groups_are_told_from_other_stacks() {
        assert_eq!(schema().group("OS::Heat::ResourceGroup"), Some(HeatGroup::ResourceGroup));
        assert!(!schema().is_template("OS::Heat::ResourceGroup"));
        assert!(schema().is_template("lib/web.yaml"));
        assert!(!schema().is_template("lib/web.yml"), "Heat takes no such template");
        assert!(schema().type_info("OS::Heat::SoftwareDeploymentGroup").expect("known").nested);
        let templates =
            schema().types.iter().filter(|(_, info)| matches!(info.plugin, Plugin::Template(_)));
        for (name, _) in templates {
            assert!(schema().is_template(name) && schema().group(name).is_none(), "{name}");
        }
    }
}
