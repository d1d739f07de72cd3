//! The properties of a resource as its plugin reads them: moved by the plugin's translation rules,
//! converted to their types, with the defaults of every level.
//!
//! Source: `heat.engine.properties` and `heat.engine.translation`, Heat 27.0.1. Names that only a service
//! could resolve to an id stay as they are written.
//!
//! Heat's rules: `docs/heat.md#translation-rules`, `docs/heat.md#null-and-absent-properties`,
//! `docs/heat.md#description-as-a-property`.

mod validation;

pub use self::validation::{
    PropertyViolation, ValidationInputs, ValueStep, ViolationKind, property_violations,
    update_policy_violations,
};

use std::borrow::Cow;

use indexmap::IndexMap;

use super::nested_parameters::property_type;
use super::properties::{PropertyValues, coerce, default_from_json, known_property};
use super::{
    EvalResult, EvaluatedProperties, Failure, HeatExceptionClass, Key, Map, Value, python,
};
use heat_template::ir::Parameter;
use heat_template::schema::{
    Plugin, Property, PropertyConstraint, ReplaceWith, ResourceType, Table, Translation, ValueType,
};
use python_semantics::ExceptionClass;
use source_diagnostics::Span;

/// Whether a property has a constraint that needs no cloud.
pub fn is_constrained_offline(property: &Property) -> bool {
    property.constraints.iter().any(|constraint| match constraint {
        PropertyConstraint::AllowedValues(_)
        | PropertyConstraint::Range(_)
        | PropertyConstraint::Length(_)
        | PropertyConstraint::AllowedPattern(_) => true,
        PropertyConstraint::Custom(name) => super::constraints::is_checked_offline(name),
    })
}

/// Whether Heat takes a string for the address of a host.
pub fn is_ip_address(text: &str) -> bool {
    super::constraints::is_ip_address(text)
}

/// The properties of a resource by name, in schema order.
#[derive(Clone, Debug, PartialEq)]
pub enum TypedProperties {
    /// Each property by itself; null if it has no value.
    Each(IndexMap<String, EvalResult>),
    /// One function returns all properties, and its value is unknown.
    Unknown(Value),
    /// One function returns all properties, and it fails or does not return a map.
    Failed(Failure),
}

/// Reads the properties of a resource whose type is a plugin. The resource's `description` is used as the
/// property of that name if that property is absent and can be updated.
pub fn of_plugin(
    properties: &EvaluatedProperties,
    info: &ResourceType,
    description: Option<&str>,
) -> TypedProperties {
    let given = match each_property(properties) {
        Ok(given) => given,
        Err(whole) => return whole,
    };
    TypedProperties::Each(of_given(&given, info, description))
}

fn of_given(
    given: &PropertyValues,
    info: &ResourceType,
    description: Option<&str>,
) -> IndexMap<String, EvalResult> {
    let plain = PropertyReader { rules: Vec::new(), given, info, description };
    let reader = PropertyReader { rules: rules(info, &plain), ..plain };
    let names = info.properties.iter();
    names.map(|(name, it)| ((*name).to_owned(), reader.top_level(name, it))).collect()
}

/// Reads given properties of a plugin one by one. Errors in them are located at `span`.
pub(super) fn given_properties_of_plugin(
    given: &PropertyValues,
    info: &ResourceType,
    span: Span,
) -> IndexMap<String, EvalResult> {
    let mut read = of_given(given, info, None);
    for failure in read.values_mut().filter_map(|outcome| outcome.as_mut().err()) {
        if failure.span == Span::NOWHERE {
            failure.span = span;
        }
    }
    read
}

/// Reads the given properties of a resource whose type is a template with these parameters. Missing
/// properties are not reported, because the environment may define a default.
pub fn of_template(
    properties: &EvaluatedProperties,
    parameters: &IndexMap<String, Parameter>,
) -> TypedProperties {
    let given = match each_property(properties) {
        Ok(given) => given,
        Err(whole) => return whole,
    };
    let read = |name: &str, parameter: &Parameter| match self::known_property(&given, name)? {
        Some(value) => {
            let (kind, converts) = property_type(parameter.kind);
            coerce(value, kind, converts).map_err(|raised| raised.at(Span::NOWHERE))
        }
        None => Ok(Value::Null),
    };
    let names = given.keys().filter_map(|key| parameters.get_key_value(key.as_text()?));
    TypedProperties::Each(names.map(|(name, it)| (name.clone(), read(name, it))).collect())
}

/// Reads the `update_policy` of a resource whose type is a plugin. `None` if the plugin does not define one,
/// so that the policy stays as it is.
pub fn update_policy(policy: Option<&Value>, info: &ResourceType) -> Option<TypedProperties> {
    if info.update_policy.is_empty() {
        return None;
    }
    let whole = EvaluatedProperties::Whole(Ok(policy.cloned().unwrap_or(Value::Null)));
    let given = match each_property(&whole) {
        Ok(given) => given,
        Err(whole) => return Some(whole),
    };
    let reader = PropertyReader { rules: Vec::new(), given: &given, info, description: None };
    let names = info.update_policy.iter();
    let read = names.map(|(name, it)| ((*name).to_owned(), reader.top_level(name, it)));
    Some(TypedProperties::Each(read.collect()))
}

/// Properties whose values a plugin moves: where the value is written, and the property that receives it.
pub fn translated_properties(info: &ResourceType) -> Vec<(&'static str, &'static str)> {
    let top_level = |(from, to): (Vec<&'static str>, Vec<&'static str>)| match (&*from, &*to) {
        ([from], [to]) => Some((*from, *to)),
        _ => None,
    };
    property_moves(info).filter_map(top_level).collect()
}

/// The paths of properties whose values others get, with the paths of these; lists have no step. The value of a key in a map
/// that contains values of its siblings has the key as its last step.
pub fn property_moves(
    info: &ResourceType,
) -> impl Iterator<Item = (Vec<&'static str>, Vec<&'static str>)> {
    let listed = info.translations.iter().flatten().filter_map(|rule| {
        let Translation::Replace { path, with } = rule else { return None };
        let (name, above) = path.split_last()?;
        let from = match with {
            ReplaceWith::Sibling(sibling) => {
                let key = is_value_container(info, sibling).then_some(*name);
                above.iter().copied().chain([*sibling]).chain(key).collect()
            }
            ReplaceWith::Property(from) => from.clone(),
        };
        Some((from, path.clone()))
    });
    let of_values = value_translations(info);
    listed.chain(of_values.filter_map(|it| Some((vec![it.property], vec![it.into.as_ref()?.0]))))
}

/// A translation rule that applies only if a property has a value that is not empty.
pub struct ValueTranslation {
    plugin: &'static str,
    /// The source property, which is removed.
    pub property: &'static str,
    /// The list to which an item is appended, and the form of that item; `None` if the value has no effect.
    pub into: Option<(&'static str, TranslatedItem)>,
}

/// The form of an item that a translation appends to a list.
pub enum TranslatedItem {
    /// The value as it is.
    Itself,
    /// A map with the value under the first key, and a number under the second.
    Keyed(&'static str, (&'static str, i64)),
}

/// The rules that a plugin's `translation_rules` compute from values; the schema contains the others.
static VALUE_TRANSLATIONS: [ValueTranslation; 3] = [
    ValueTranslation {
        plugin: "openstack.neutron.router.Router",
        property: "l3_agent_id",
        into: Some(("l3_agent_ids", TranslatedItem::Itself)),
    },
    ValueTranslation {
        plugin: "openstack.heat.random_string.RandomString",
        property: "sequence",
        into: Some(("character_classes", TranslatedItem::Keyed("class", ("min", 1)))),
    },
    ValueTranslation {
        plugin: "openstack.magnum.baymodel.BayModel",
        property: "ssh_authorized_key",
        into: None,
    },
];

/// Maps that also contain the values of their sibling properties; the schema does not record this.
const VALUE_CONTAINERS: [(&str, &str); 1] = [("openstack.mistral.workflow.Workflow", "policies")];

/// The rules that a plugin computes from the values of properties.
pub fn value_translations(info: &ResourceType) -> impl Iterator<Item = &'static ValueTranslation> {
    VALUE_TRANSLATIONS.iter().filter(|it| Plugin::Class(it.plugin) == info.plugin)
}

/// Whether a property is a map that contains values of its sibling properties under their names.
pub fn is_value_container(info: &ResourceType, property: &str) -> bool {
    let mut containers = VALUE_CONTAINERS.iter();
    containers.any(|&(plugin, holder)| info.plugin == Plugin::Class(plugin) && holder == property)
}

/// A rule for the property at a path; list items do not add to the path.
struct TranslationRule<'a> {
    path: Cow<'a, [&'static str]>,
    action: TranslationAction<'a>,
}

enum TranslationAction<'a> {
    /// Appends an item to the list.
    Add(Value),
    /// Takes the value of another property.
    Replace(&'a ReplaceWith),
    Delete,
}

fn rules<'a>(info: &'a ResourceType, plain: &PropertyReader<'_>) -> Vec<TranslationRule<'a>> {
    let mut rules = Vec::new();
    // In the order in which Heat applies them to one property: add, replace, delete.
    for it in value_translations(info) {
        let Some(property) = info.property(it.property) else { continue };
        let Ok(value) = plain.top_level(it.property, property) else { continue };
        if !python::truthy(&value) {
            continue;
        }
        if let Some((list, item)) = &it.into {
            let item = match item {
                TranslatedItem::Itself => value,
                TranslatedItem::Keyed(key, (other, number)) => {
                    Value::map([(*key, value), (*other, Value::int(*number))])
                }
            };
            rules.push(TranslationRule {
                path: vec![*list].into(),
                action: TranslationAction::Add(item),
            });
        }
        rules.push(TranslationRule {
            path: vec![it.property].into(),
            action: TranslationAction::Delete,
        });
    }
    let listed = || info.translations.iter().flatten();
    rules.extend(listed().filter_map(|rule| match rule {
        Translation::Replace { path, with } => {
            Some(TranslationRule { path: path.into(), action: TranslationAction::Replace(with) })
        }
        Translation::Resolve { .. } | Translation::Delete { .. } => None,
    }));
    rules.extend(listed().filter_map(|rule| match rule {
        Translation::Delete { path } => {
            Some(TranslationRule { path: path.into(), action: TranslationAction::Delete })
        }
        Translation::Resolve { .. } | Translation::Replace { .. } => None,
    }));
    rules
}

/// Looks up a sibling property by name.
type SiblingLookup<'b> = &'b dyn Fn(&str) -> Result<Option<Value>, Failure>;

struct PropertyReader<'a> {
    rules: Vec<TranslationRule<'a>>,
    given: &'a PropertyValues,
    info: &'a ResourceType,
    description: Option<&'a str>,
}

impl PropertyReader<'_> {
    fn top_level(&self, name: &str, property: &Property) -> EvalResult {
        let beside = |name: &str| Ok(known_property(self.given, name)?.cloned());
        match self.member(property, &[name], beside(name), &beside)? {
            Value::Null if name == "description" && property.update_allowed => {
                Ok(self.description.map_or(Value::Null, Value::text))
            }
            value => Ok(value),
        }
    }

    fn rules_at<'s>(&'s self, path: &'s [&str]) -> impl Iterator<Item = &'s TranslationAction<'s>> {
        self.rules.iter().filter(move |rule| *rule.path == *path).map(|rule| &rule.action)
    }

    /// Whether a rule moves the value away from a property.
    fn is_taken(&self, path: &[&str]) -> bool {
        self.rules.iter().any(|rule| match &rule.action {
            TranslationAction::Add(_) => false,
            TranslationAction::Delete => *rule.path == *path,
            TranslationAction::Replace(ReplaceWith::Property(from)) => **from == *path,
            TranslationAction::Replace(ReplaceWith::Sibling(from)) => {
                self.part_of_sibling(rule, from).is_none()
                    && path.split_last().is_some_and(|(last, scope)| {
                        last == from && *scope == rule.path[..rule.path.len() - 1]
                    })
            }
        })
    }

    /// The key, if the value is a part of the sibling under the property's own name.
    fn part_of_sibling(&self, rule: &TranslationRule<'_>, sibling: &str) -> Option<&'static str> {
        rule.path.last().copied().filter(|_| is_value_container(self.info, sibling))
    }

    /// A property or a map member with the value `own`.
    fn member(
        &self,
        property: &Property,
        path: &[&str],
        own: Result<Option<Value>, Failure>,
        beside: SiblingLookup<'_>,
    ) -> EvalResult {
        let own = if self.is_taken(path) { None } else { own? };
        if let Some(value) = own {
            let value = self.translated(path, value, beside)?;
            return self.converted(property, path, &value);
        }
        if self.rules_at(path).next().is_some() {
            let value = self.translated(path, Value::Null, beside)?;
            if value != Value::Null || property.default.is_some() {
                let plain = PropertyReader { rules: Vec::new(), ..*self };
                return plain.converted(property, path, &value);
            }
        }
        if property.default.is_some() {
            self.converted(property, path, &Value::Null)
        } else if property.required {
            Err(not_assigned(path.last().copied().unwrap_or_default()))
        } else {
            Ok(Value::Null)
        }
    }

    /// Applies the rules for a path to a value.
    fn translated(&self, path: &[&str], value: Value, beside: SiblingLookup<'_>) -> EvalResult {
        let mut result = value;
        for rule in self.rules.iter().filter(|rule| *rule.path == *path) {
            result = match &rule.action {
                TranslationAction::Delete => Value::Null,
                TranslationAction::Add(item) => match result.unsealed() {
                    Value::Null => Value::list(vec![item.clone()]),
                    Value::List(items) => {
                        let items = items.iter().chain([item]).cloned().collect();
                        Value::list(items).sealed(matches!(result, Value::Secret(_)))
                    }
                    Value::Unknown(_) => result,
                    _ => {
                        return Err(invalid_value(
                            "cannot add an item to a value that is not a list",
                        ));
                    }
                },
                TranslationAction::Replace(with) => {
                    let other = match with {
                        ReplaceWith::Sibling(name) => {
                            let other = beside(name)?;
                            match self.part_of_sibling(rule, name) {
                                Some(part) => other.and_then(|other| value_at(&other, &[part])),
                                None => other,
                            }
                        }
                        ReplaceWith::Property(from) => self.untranslated(from)?,
                    };
                    let other = other.unwrap_or(Value::Null);
                    if is_certainly_set(&other) && is_certainly_set(&result) {
                        let names = path.join(".");
                        return Err(invalid_value(&format!(
                            "Cannot define the following properties at the same time: {names}"
                        )));
                    }
                    if other == Value::Null { result } else { other }
                }
            };
        }
        Ok(result)
    }

    /// The value at a path in the resource's properties, without applying rules.
    fn untranslated(&self, path: &[&'static str]) -> Result<Option<Value>, Failure> {
        let Some((first, rest)) = path.split_first() else { return Ok(None) };
        let Some(property) = self.info.property(first) else { return Ok(None) };
        let plain = PropertyReader { rules: Vec::new(), ..*self };
        Ok(value_at(&plain.top_level(first, property)?, rest))
    }

    /// A value converted to the type of a property; the default if it is null.
    fn converted(&self, property: &Property, path: &[&str], value: &Value) -> EvalResult {
        if let Value::Secret(inner) = value {
            let converted = self.converted(property, path, inner);
            let keep = |converted: Value| match converted == ***inner {
                true => value.clone(),
                false => converted.sealed(true),
            };
            return converted.map(keep).map_err(|it| it.sealed(true));
        }
        let default = match (value, property.value_type, &property.default) {
            (Value::Null, ValueType::Any, _) | (_, _, None) => None,
            (Value::Null, _, Some(default)) => Some(default_from_json(default)),
            _ => None,
        };
        // A default that is false in Python is the zero value whatever its type: a list may have an
        // empty map as its default.
        let is_map = property.value_type == ValueType::Map;
        let default = default.filter(|default| is_map || python::truthy(default));
        let value = default.as_ref().unwrap_or(value);
        let whole = coerce(value, property.value_type, property.allow_conversion)
            .map_err(|raised| raised.at(Span::NOWHERE))?;
        match (&whole, property.value_type) {
            (Value::List(items), ValueType::List) => {
                let Some(of_item) = &property.items else { return Ok(whole) };
                let nothing = |_: &str| Ok(None);
                let items = items
                    .iter()
                    .map(|item| self.member(of_item, path, Ok(Some(item.clone())), &nothing));
                Ok(Value::list(items.collect::<Result<_, _>>()?))
            }
            (Value::Map(map), ValueType::Map) if !property.members.is_empty() => {
                self.members(&property.members, path, map)
            }
            _ => Ok(whole),
        }
    }

    fn members(&self, members: &Table<Property>, path: &[&str], map: &Map) -> EvalResult {
        let beside = |name: &str| Ok(map.get(name).cloned());
        let read = |(name, property): (&&'static str, &Property)| {
            let path: Vec<&str> = path.iter().copied().chain([*name]).collect();
            let value = self.member(property, &path, beside(name), &beside)?;
            Ok((Key::from(*name), value))
        };
        let read: Result<Map, Failure> = members.iter().map(read).collect();
        Ok(Value::Map(read?.into()))
    }
}

/// The given properties, one by one.
fn each_property(
    properties: &EvaluatedProperties,
) -> Result<Cow<'_, PropertyValues>, TypedProperties> {
    match properties {
        EvaluatedProperties::Each(each) => Ok(Cow::Borrowed(each)),
        EvaluatedProperties::Whole(Err(failure)) => Err(TypedProperties::Failed(failure.clone())),
        EvaluatedProperties::Whole(Ok(value)) => match value.unsealed() {
            Value::Map(map) => {
                let secret = matches!(value, Value::Secret(_));
                let pairs = map.iter();
                let each = pairs.map(|(key, it)| (key.clone(), Ok(it.clone().sealed(secret))));
                Ok(Cow::Owned(each.collect()))
            }
            Value::Null | Value::Elided => Ok(Cow::Owned(PropertyValues::new())),
            Value::Unknown(_) => Err(TypedProperties::Unknown(value.clone())),
            _ => Err(TypedProperties::Failed(invalid_value("the properties are not a map"))),
        },
    }
}

/// The item at a path in a value.
fn value_at(value: &Value, path: &[&str]) -> Option<Value> {
    let mut value = value;
    let mut is_secret = false;
    for step in path {
        is_secret |= matches!(value, Value::Secret(_));
        match value.unsealed() {
            Value::Map(map) => value = map.get(*step)?,
            Value::Unknown(_) => break,
            _ => return None,
        }
    }
    Some(value.clone().sealed(is_secret))
}

/// Whether a value is known to be present and not empty.
fn is_certainly_set(value: &Value) -> bool {
    !matches!(value.unsealed(), Value::Unknown(_)) && python::truthy(value)
}

fn invalid_value(message: &str) -> Failure {
    Failure::new(HeatExceptionClass::StackValidationFailed, message, Span::NOWHERE)
}

fn not_assigned(name: &str) -> Failure {
    Failure::new(ExceptionClass::ValueError, format!("Property {name} not assigned"), Span::NOWHERE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::schema::Schema;

    fn read(kind: &str, given: &[(&str, Value)]) -> IndexMap<String, EvalResult> {
        let given = given.iter().map(|(key, value)| (Key::from(*key), Ok(value.clone())));
        let info = Schema::heat().type_info(kind).expect("known");
        match of_plugin(&EvaluatedProperties::Each(given.collect()), info, Some("d")) {
            TypedProperties::Each(each) => each,
            other => panic!("{other:?}"),
        }
    }

    fn texts(items: &[&str]) -> Value {
        Value::list(items.iter().copied().map(Value::text).collect())
    }

    #[test]
    fn defaults_are_filled_in_at_every_level() {
        let rules = Value::list(vec![Value::map([("port_range_min", Value::text("22"))])]);
        let group = read("OS::Neutron::SecurityGroup", &[("rules", rules)]);
        let rules = group["rules"].as_ref().expect("well");
        let Value::List(rules) = rules else { panic!("{rules:?}") };
        let Value::Map(rule) = &rules[0] else { panic!("no map") };
        assert_eq!(rule.get("port_range_min"), Some(&Value::int(22)));
        assert_eq!(rule.get("direction"), Some(&Value::text("ingress")));
        assert_eq!(rule.get("protocol"), Some(&Value::Null));
        assert_eq!(group["description"], Ok(Value::text("d")), "that of the resource");
    }

    #[test]
    fn null_is_the_default_or_the_zero_value_and_a_missing_value_is_none() {
        let net =
            read("OS::Neutron::Net", &[("admin_state_up", Value::Null), ("name", Value::Null)]);
        assert_eq!(net["admin_state_up"], Ok(Value::Bool(true)));
        assert_eq!(net["name"], Ok(Value::text("")));
        assert_eq!(net["shared"], Ok(Value::Bool(false)));
        assert_eq!(net["qos_policy"], Ok(Value::Null));
        // Its default is an empty map.
        let gateway = read("OS::Neutron::NetworkGateway", &[]);
        assert_eq!(gateway["connections"], Ok(Value::list(vec![])));
    }

    #[test]
    fn deprecated_properties_are_those_that_they_became() {
        let id = Value::text("n");
        let port = read("OS::Neutron::Port", &[("network_id", id.clone())]);
        assert_eq!(port["network"], Ok(id.clone()));
        assert_eq!(port["network_id"], Ok(Value::Null));
        let both = [("network_id", id.clone()), ("network", Value::text("m"))];
        assert!(read("OS::Neutron::Port", &both)["network"].is_err());
        let networks = Value::list(vec![Value::map([("uuid", id.clone())])]);
        let server = read("OS::Nova::Server", &[("networks", networks)]);
        let Ok(Value::List(networks)) = &server["networks"] else { panic!("{server:?}") };
        let Value::Map(network) = &networks[0] else { panic!("no map") };
        assert_eq!(network.get("network"), Some(&id));
        assert_eq!(network.get("uuid"), Some(&Value::Null));
        let info = Schema::heat().type_info("OS::Neutron::Port").expect("known");
        assert_eq!(translated_properties(info), [("network_id", "network")]);
    }

    #[test]
    fn rules_that_depend_on_values() {
        let router = read("OS::Neutron::Router", &[("l3_agent_id", Value::text("a"))]);
        assert_eq!(router["l3_agent_ids"], Ok(texts(&["a"])));
        assert_eq!(router["l3_agent_id"], Ok(Value::Null));
        let router = read("OS::Neutron::Router", &[("l3_agent_ids", texts(&["a"]))]);
        assert_eq!(router["l3_agent_ids"], Ok(texts(&["a"])));
        let random = read("OS::Heat::RandomString", &[("sequence", Value::text("digits"))]);
        assert_ne!(
            random,
            read("OS::Heat::RandomString", &[("sequence", Value::text("hexdigits"))])
        );
        for it in &VALUE_TRANSLATIONS {
            let types = &Schema::heat().types;
            assert!(types.values().any(|info| info.plugin == Plugin::Class(it.plugin)));
        }
    }

    #[test]
    fn policies_of_a_task_stand_in_a_map_or_beside_it() {
        let tasks = |task: Vec<(&str, Value)>| {
            let tasks = Value::list(vec![Value::map(task)]);
            read("OS::Mistral::Workflow", &[("type", Value::text("direct")), ("tasks", tasks)])
        };
        let within = Value::map([("timeout", Value::int(3))]);
        let name = || ("name", Value::text("t"));
        let one = tasks(vec![name(), ("policies", within)]);
        assert_eq!(one, tasks(vec![name(), ("timeout", Value::int(3))]));
        assert_ne!(one, tasks(vec![name()]));
        assert!(one["tasks"].is_ok());
    }

    #[test]
    fn a_required_property_that_is_missing_has_no_value() {
        assert!(read("OS::Nova::Server", &[])["flavor"].is_err());
    }
}
