//! A resource type as a whole.

use schemars::JsonSchema;
use serde::Serialize;

use super::property::{PropertyLister, type_name};
use super::{FactsOfRelease, PropertyDescription, StatusDescription};
use heat_template::schema::{
    BeforeCreation, PhysicalId, Plugin, ReferenceRule, ReferenceValue, ResourceType,
};
use hotplate_check::rules_of;
use hotplate_diff::update_rules;
use source_diagnostics::did_you_mean;

/// The facts about a resource type in a release.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TypeDescription {
    /// The name under which Heat registers the implementation, such as `OS::Neutron::Port`.
    pub name: String,
    /// Other names of the type; `*` stands for the rest of the name.
    pub aliases: Vec<String>,
    /// The class of Heat's plugin, below `heat.engine.resources`, or the template that Heat ships.
    pub implementation: String,
    /// The service that it uses: `nova`, `neutron`, …
    pub service: Option<String>,
    /// An API extension that the service must have.
    pub required_extension: Option<String>,
    /// The support status in the release.
    pub status: StatusDescription,
    /// Whether the release creates nothing for it, because the service is gone.
    pub creates_nothing: bool,
    /// The value of a reference to such a resource (`get_resource`).
    pub reference: ReferenceDescription,
    /// Whether it is a nested stack.
    pub nested: bool,
    /// Whether it can be signaled.
    pub signal: bool,
    /// Whether `deletion_policy: Snapshot` is allowed.
    pub snapshot: bool,
    /// Whether Heat adds dependencies that the template does not show.
    pub implicit_dependencies: bool,
    /// The maximum length of the name that Heat generates.
    pub name_limit: Option<u32>,
    /// Rules about updates that do not depend on a single property.
    pub update_rules: Vec<String>,
    /// Rules about properties that belong together.
    pub property_rules: Vec<String>,
    /// The properties in alphabetical order, each followed by the parts of its value.
    pub properties: Vec<PropertyDescription>,
    /// The keys of `update_policy`.
    pub update_policy: Vec<PropertyDescription>,
    /// The attributes for `get_attr`, in alphabetical order.
    pub attributes: Vec<AttributeDescription>,
    /// Facts that are left open, and how to find them.
    pub unknown: Vec<String>,
}

/// The value of a reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReferenceDescription {
    /// The value once the resource exists.
    pub value: &'static str,
    /// The value before that, in a preview.
    pub before_creation: &'static str,
}

/// An attribute of a type.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AttributeDescription {
    /// The name that `get_attr` takes after the resource.
    pub name: String,
    /// The type of the value; `null` if the plugin does not declare it.
    #[serde(rename = "type")]
    pub value_type: Option<&'static str>,
    /// Whether Heat queries the service on each access.
    pub uncached: bool,
    /// The support status in the release.
    pub status: StatusDescription,
}

impl TypeDescription {
    /// The facts about a type, by its name or an alias; `None` if there is no such type.
    pub fn new(name: &str, facts: FactsOfRelease) -> Option<Self> {
        let schema = facts.schema;
        let real_name = schema.real_name(name);
        let (kind, info) =
            schema.types.get_key_value(name).or_else(|| schema.types.get_key_value(&real_name))?;
        let aliases = schema.aliases.iter().filter_map(|(alias, to)| match to.strip_suffix('*') {
            Some(prefix) => {
                Some(format!("{}{}", alias.strip_suffix('*')?, kind.strip_prefix(prefix)?))
            }
            None => (*to == kind).then(|| (*alias).to_owned()),
        });
        let rules = rules_of(kind);
        let lister = PropertyLister { kind, info, facts };
        let attribute =
            |(name, attribute): (&&str, &heat_template::schema::Attribute)| AttributeDescription {
                name: (*name).to_owned(),
                value_type: attribute.value_type.map(type_name),
                uncached: attribute.uncached,
                status: StatusDescription::new(&attribute.support, facts),
            };
        Some(TypeDescription {
            name: kind.to_owned(),
            aliases: aliases.collect(),
            implementation: match info.plugin {
                Plugin::Class(class) => class.to_owned(),
                Plugin::Template(file) => file.to_owned(),
            },
            service: info.client.map(str::to_owned),
            required_extension: info.required_extension.map(str::to_owned),
            status: StatusDescription::new(&info.support, facts),
            creates_nothing: info.creates_nothing_in(facts.major()),
            reference: reference(info.reference),
            nested: info.nested,
            signal: info.signal,
            snapshot: info.snapshot,
            implicit_dependencies: info.implicit_dependencies,
            name_limit: info.name_limit,
            update_rules: update_rules(kind, info),
            property_rules: rules.sentences,
            properties: lister.list(&info.properties, true),
            update_policy: lister.list(&info.update_policy, false),
            attributes: info.attributes.iter().map(attribute).collect(),
            unknown: unknown(kind, info, facts, rules.others),
        })
    }
}

impl TypeDescription {
    /// The description with nothing but one property with its parts, and the attribute of the same name.
    ///
    /// # Errors
    ///
    /// If there is neither; the name that was probably meant.
    pub fn only(mut self, part: &str) -> Result<Self, Option<String>> {
        let names: Vec<String> = self
            .properties
            .iter()
            .map(|property| property.path.replace("[]", ""))
            .chain(self.attributes.iter().map(|attribute| attribute.name.clone()))
            .collect();
        self.properties.retain(|property| property.is_within(part));
        self.attributes.retain(|attribute| attribute.name == part);
        self.update_policy.retain(|key| key.is_within(part));
        let name = part.replace("[]", "");
        let last = format!("`{}`", name.rsplit('.').next().unwrap_or(part));
        self.property_rules.retain(|rule| rule.contains(&last));
        if self.properties.is_empty() && self.attributes.is_empty() && self.update_policy.is_empty()
        {
            return Err(did_you_mean(part, names.iter().map(String::as_str)).map(str::to_owned));
        }
        Ok(self)
    }
}

/// The facts that are left open.
fn unknown(
    kind: &str,
    info: &ResourceType,
    facts: FactsOfRelease,
    other_rules: usize,
) -> Vec<String> {
    let page = if kind.starts_with("AWS::") { "cfn" } else { "openstack" };
    let mut unknown = vec![format!(
        "descriptions of properties and attributes: see `openstack orchestration resource type show {kind}` or \
         https://docs.openstack.org/heat/latest/template_guide/{page}.html#{kind}"
    )];
    if info.placeholder_since.is_some() {
        unknown.push(match info.creates_nothing_in(facts.major()) {
            true => "the properties that it had before its service was retired".to_owned(),
            false => format!(
                "its properties and attributes: Heat dropped them after OpenStack {}",
                facts.release_name()
            ),
        });
    }
    if info.dynamic_attributes && info.placeholder_since.is_none() {
        unknown.push("attributes that only the values of a resource determine".to_owned());
    }
    if info.translations.is_none() {
        unknown.push(
            "which names Heat resolves to ids, since that depends on other properties".to_owned(),
        );
    }
    let untyped = info.attributes.values().filter(|it| it.value_type.is_none()).count();
    if untyped > 0 {
        unknown
            .push(format!("the types of {untyped} attributes, which the plugin does not declare"));
    }
    if other_rules > 0 {
        unknown.push(format!(
            "{other_rules} further rules about properties, which no sentence here expresses: `hotplate check` checks them"
        ));
    }
    if facts.major() != facts.schema.major() {
        unknown.push(format!(
            "properties that OpenStack {} had and that Heat {} no longer has; the history of each fact is Heat's own",
            facts.release_name(),
            facts.schema.heat
        ));
    }
    unknown
}

fn reference(rule: ReferenceRule) -> ReferenceDescription {
    ReferenceDescription {
        value: match rule.what {
            ReferenceValue::PhysicalId(id) => match id {
                PhysicalId::ServiceId => "the id in the service",
                PhysicalId::ServiceUuid => "a UUID that the service generates",
                PhysicalId::ServiceName => "the name in the service",
                PhysicalId::PhysicalResourceName => "the name that Heat generates",
                PhysicalId::NestedStackId => "the id of the nested stack",
                PhysicalId::Other => "a value of the plugin",
                PhysicalId::None => "nothing, since Heat stores no id",
            },
            ReferenceValue::PhysicalResourceName => "the name that Heat generates",
            ReferenceValue::Ec2SignedUrl => "a signed URL of the CloudFormation API",
            ReferenceValue::NestedStackOutput => {
                "the output `OS::stack_id` of the nested stack, else its ARN"
            }
            ReferenceValue::StackArn => "the ARN of a stack",
            ReferenceValue::IpAddress => "the IP address",
            ReferenceValue::LogicalName => "the name in the template",
            ReferenceValue::GeneratedValue => "the value that it generates",
            ReferenceValue::SignalUrl => "a URL that signals it",
            ReferenceValue::WorkflowName => "the name of the workflow",
        },
        before_creation: match rule.before_creation {
            BeforeCreation::LogicalName => "the name in the template",
            BeforeCreation::Null => "null",
            BeforeCreation::TextNone => "the string `None`",
            BeforeCreation::WorkflowName => "the name of the workflow",
        },
    }
}
