//! Properties that a resource type refuses: unknown, missing and wrong ones, at every level.
//!
//! Heat stops at the first error; here each is a violation. A value that is partly unknown violates the schema only if
//! it does so whatever the unknown part is.
//!
//! Source: `heat.engine.properties`, Heat 27.0.1.

use heat_template::ir::types::TypeSet;
use heat_template::schema::{
    Property, PropertyConstraint, ReplaceWith, ResourceType, Schema, Table, ValueType,
};
use smol_str::SmolStr;

use super::{PropertyReader, TranslationAction, TypedProperties, each_property, rules, value_at};
use crate::eval::constraints::{Verdict, expectation, place_in_json, property as constraints};
use crate::eval::properties::{PropertyValues, coerce, known_property};
use crate::eval::python::PythonException;
use crate::eval::{
    Budget, Dependency, EvaluatedProperties, Key, Map, Operation, Term, Unknown, Value,
};

/// A step from a value to a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ValueStep {
    /// The value of a key of a map.
    Key(SmolStr),
    /// An item of a list.
    Item(usize),
    /// The value of an `if` whose condition is unknown, where it is true.
    Then,
    /// The value of an `if` whose condition is unknown, where it is false.
    Otherwise,
}

/// A way in which properties violate a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// The schema does not have this property; the one that is probably meant.
    Unknown(Option<String>),
    /// The map at the path is hidden and has a key that the schema does not have. The key is part of the secret.
    UnknownHidden,
    /// The map at the path does not have this property, which is required.
    Missing(String),
    /// The value cannot be converted to the type of the property.
    Type,
    /// The value violates a constraint of the property.
    Constraint,
    /// Two properties have a value that Heat uses as one.
    Conflict,
    /// Heat does not implement the property.
    Unimplemented,
}

/// An error in the properties of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyViolation {
    /// The steps from the properties to the value; for a missing property, to the map without it.
    pub path: Vec<ValueStep>,
    /// Which of Heat's rules the value breaks.
    pub kind: ViolationKind,
    /// Heat's message, or one without the value if that is secret.
    pub message: String,
}

/// The inputs of a validation, apart from the properties.
#[derive(Clone, Copy)]
pub struct ValidationInputs<'a> {
    /// The release of Heat.
    pub schema: &'static Schema,
    /// The kinds of values that an unknown value may have.
    pub kinds: &'a dyn Fn(&Unknown) -> TypeSet,
    /// How many values may be read.
    pub budget: &'a Budget,
}

/// Validates the properties of a resource whose type is a plugin.
pub fn property_violations(
    properties: &EvaluatedProperties,
    info: &ResourceType,
    inputs: ValidationInputs<'_>,
) -> Vec<PropertyViolation> {
    let given = match each_property(properties) {
        Ok(given) => given,
        Err(whole) => return whole_violation(&whole, properties, inputs).into_iter().collect(),
    };
    let plain = PropertyReader { rules: Vec::new(), given: &given, info, description: None };
    let reader = PropertyReader { rules: rules(info, &plain), ..plain };
    let is_hidden = matches!(properties, EvaluatedProperties::Whole(Ok(Value::Secret(_))));
    validate(&given, is_hidden, &info.properties, reader, inputs)
}

/// Why one function cannot return all properties. One that fails is reported where it does.
fn whole_violation(
    whole: &TypedProperties,
    properties: &EvaluatedProperties,
    inputs: ValidationInputs<'_>,
) -> Option<PropertyViolation> {
    let is_map = match (whole, properties) {
        (TypedProperties::Unknown(Value::Unknown(unknown)), _) => {
            (inputs.kinds)(unknown).intersects(TypeSet::MAP.union(TypeSet::NULL))
        }
        (TypedProperties::Failed(_), EvaluatedProperties::Whole(Ok(_))) => false,
        _ => true,
    };
    let message = "the properties are not a map".to_owned();
    (!is_map).then_some(PropertyViolation { path: Vec::new(), kind: ViolationKind::Type, message })
}

/// Validates the `update_policy` of a resource whose type is a plugin.
pub fn update_policy_violations(
    policy: &Value,
    info: &ResourceType,
    inputs: ValidationInputs<'_>,
) -> Vec<PropertyViolation> {
    let whole = EvaluatedProperties::Whole(Ok(policy.clone()));
    let Ok(given) = each_property(&whole) else { return Vec::new() };
    let reader = PropertyReader { rules: Vec::new(), given: &given, info, description: None };
    validate(&given, matches!(policy, Value::Secret(_)), &info.update_policy, reader, inputs)
}

fn validate(
    given: &PropertyValues,
    is_hidden: bool,
    schema: &Table<Property>,
    reader: PropertyReader<'_>,
    inputs: ValidationInputs<'_>,
) -> Vec<PropertyViolation> {
    // A property that failed is reported where its value is computed.
    let values = given.iter().map(|(key, value)| (key.clone(), value.clone().unwrap_or(UNDECIDED)));
    let mut validation =
        Validation { reader, inputs, path: Vec::new(), is_hidden, found: Vec::new() };
    validation.members(schema, &[], &values.collect());
    validation.found
}

/// In place of a value about which nothing is said.
const UNDECIDED: Value = Value::Elided;

struct Validation<'a> {
    reader: PropertyReader<'a>,
    inputs: ValidationInputs<'a>,
    path: Vec<ValueStep>,
    /// Whether the value at the path is part of a hidden one.
    is_hidden: bool,
    found: Vec<PropertyViolation>,
}

impl Validation<'_> {
    fn report(&mut self, kind: ViolationKind, message: String) {
        self.found.push(PropertyViolation { path: self.path.clone(), kind, message });
    }

    fn within(&mut self, step: ValueStep, check: impl FnOnce(&mut Self)) {
        self.path.push(step);
        check(self);
        self.path.pop();
    }

    /// The keys of a map; `names` lead to it in the schema.
    fn members(&mut self, schema: &Table<Property>, names: &[&str], given: &Map) {
        let mut misspelled = Vec::new();
        for key in given.keys() {
            let name = match key {
                Key::Text(name) => name.clone(),
                Key::Other(value) => crate::eval::python::str(value).unwrap_or_default().into(),
            };
            if !schema.contains_key(name.as_str()) {
                let known = schema.keys().copied();
                let near = source_diagnostics::did_you_mean(&name, known).map(str::to_owned);
                misspelled.extend(near.clone());
                if self.is_hidden {
                    let message = "Unknown property in a hidden value".to_owned();
                    self.report(ViolationKind::UnknownHidden, message);
                    continue;
                }
                let message = format!("Unknown Property {name}");
                self.within(ValueStep::Key(name), |it| {
                    it.report(ViolationKind::Unknown(near), message);
                });
            }
        }
        for (name, property) in schema {
            // A misspelled name is not missing as well.
            if misspelled.iter().any(|meant| meant == name) && !given.contains_key(*name) {
                continue;
            }
            let path: Vec<&str> = names.iter().copied().chain([*name]).collect();
            self.member(property, &path, given);
        }
    }

    fn member(&mut self, property: &Property, path: &[&str], given: &Map) {
        let name = path.last().copied().unwrap_or_default();
        let own = given.get(name);
        if property.unimplemented && own.is_some() {
            let message = format!("Property {name} not implemented yet");
            self.within(ValueStep::Key(name.into()), |it| {
                it.report(ViolationKind::Unimplemented, message);
            });
            return;
        }
        if self.reader.is_taken(path) {
            return;
        }
        let step = || ValueStep::Key(name.into());
        if let Some(other) = self.replacement(path, given) {
            let (place, value) = other;
            let both = own.filter(|own| super::is_certainly_set(own));
            if both.is_some() && super::is_certainly_set(&value) {
                let message = format!(
                    "Cannot define the following properties at the same time: {}, {}",
                    name, place
                );
                let place = ValueStep::Key(place.into());
                self.within(place, |it| it.report(ViolationKind::Conflict, message));
                return;
            } else if value != Value::Null {
                self.within(ValueStep::Key(place.into()), |it| it.value(property, path, &value));
                return;
            }
        }
        match own {
            Some(value) => self.within(step(), |it| it.value(property, path, value)),
            None if property.required && property.default.is_none() => {
                let message = format!("Property {name} not assigned");
                self.report(ViolationKind::Missing(name.to_owned()), message);
            }
            None => {}
        }
    }

    /// The property next to this one, or at the top, whose value replaces that at `path`, with the value.
    fn replacement(&self, path: &[&str], given: &Map) -> Option<(&'static str, Value)> {
        self.reader.rules.iter().filter(|rule| *rule.path == *path).find_map(|rule| {
            match &rule.action {
                TranslationAction::Replace(ReplaceWith::Sibling(name)) => {
                    let value = given.get(*name)?.clone();
                    match self.reader.part_of_sibling(rule, name) {
                        Some(part) => Some((*name, value_at(&value, &[part])?)),
                        None => Some((*name, value)),
                    }
                }
                TranslationAction::Replace(ReplaceWith::Property(from)) => {
                    let (first, rest) = from.split_first()?;
                    let value = known_property(self.reader.given, first).ok()??;
                    Some((*first, value_at(value, rest)?))
                }
                TranslationAction::Add(_) | TranslationAction::Delete => None,
            }
        })
    }

    fn value(&mut self, property: &Property, path: &[&str], value: &Value) {
        match value {
            Value::Elided => {}
            Value::Secret(inner) => {
                let outer = std::mem::replace(&mut self.is_hidden, true);
                self.value(property, path, inner);
                self.is_hidden = outer;
            }
            Value::Unknown(unknown) => self.unknown_value(property, path, unknown),
            value => self.known_value(property, path, value),
        }
    }

    fn unknown_value(&mut self, property: &Property, path: &[&str], unknown: &Unknown) {
        if let Term::Call { operation: Operation::Choose { then, otherwise }, arguments } =
            unknown.term()
        {
            let mut branches = arguments.iter().skip(1);
            for (step, exists) in [(ValueStep::Then, *then), (ValueStep::Otherwise, *otherwise)] {
                if let Some(value) = exists.then(|| branches.next()).flatten() {
                    self.within(step, |it| it.value(property, path, value));
                }
            }
            return;
        }
        // An attribute is null until the resource exists, and null in place of a map is an empty one.
        if property.value_type == ValueType::Map
            && matches!(unknown.term(), Term::Leaf { of: Dependency::Attribute(..), .. })
        {
            let missing = property.members.iter().filter(|(_, member)| {
                member.required && member.default.is_none() && property.default.is_none()
            });
            for (name, _) in missing {
                let message = format!("Property {name} not assigned");
                self.report(ViolationKind::Missing((*name).to_owned()), message);
            }
        }
        let kinds = (self.inputs.kinds)(unknown);
        if !kinds.intersects(accepted_kinds(property)) {
            let message = format!(
                "the value is always {}, but the property takes {}",
                kinds_in_words(kinds),
                type_in_words(property.value_type)
            );
            self.report(ViolationKind::Type, message);
        }
    }

    fn known_value(&mut self, property: &Property, path: &[&str], value: &Value) {
        let default = property.default.as_ref().filter(|_| *value == Value::Null);
        if default.is_some() {
            return;
        }
        let converted = match coerce(value, property.value_type, property.allow_conversion) {
            Ok(converted) => converted,
            Err(raised) if self.is_hidden => {
                let kind = type_in_words(property.value_type);
                let place = place_in_json(raised.safe_message());
                let place =
                    place.map_or_else(String::new, |place| format!(": invalid JSON, {place}"));
                return self
                    .report(ViolationKind::Type, format!("the hidden value is not {kind}{place}"));
            }
            Err(raised) => {
                return self.report(ViolationKind::Type, raised.safe_message().to_owned());
            }
        };
        let before = self.found.len();
        match (&converted, property.value_type) {
            (Value::List(items), ValueType::List) => {
                if let Some(of_item) = &property.items {
                    for (at, item) in items.iter().enumerate() {
                        self.within(ValueStep::Item(at), |it| match of_item.unimplemented {
                            true => it.report(
                                ViolationKind::Unimplemented,
                                format!("Property {at} not implemented yet"),
                            ),
                            false => it.value(of_item, path, item),
                        });
                    }
                }
            }
            (Value::Map(map), ValueType::Map) if !property.members.is_empty() => {
                self.members(&property.members, path, map);
            }
            _ => {}
        }
        if self.found.len() > before {
            return;
        }
        let ValidationInputs { schema, budget, .. } = self.inputs;
        for constraint in &property.constraints {
            let checked =
                constraints::check(constraint, &converted, property.value_type, schema, budget);
            if self.is_hidden && !matches!(checked, Ok(Verdict::Holds | Verdict::Unknown(_))) {
                self.report(ViolationKind::Constraint, hidden_violation(constraint, checked));
                continue;
            }
            match checked {
                Ok(Verdict::Holds | Verdict::Unknown(_)) => {}
                Ok(Verdict::Fails(message)) => self.report(ViolationKind::Constraint, message),
                Err(raised) => {
                    self.report(ViolationKind::Constraint, raised.safe_message().to_owned());
                }
            }
        }
    }
}

/// The kinds of values that Heat converts to the type of a property.
fn accepted_kinds(property: &Property) -> TypeSet {
    let scalar = TypeSet::TEXT.union(TypeSet::NUMBER).union(TypeSet::BOOLEAN);
    let own = match property.value_type {
        ValueType::String | ValueType::Integer | ValueType::Number => scalar,
        ValueType::Boolean => TypeSet::TEXT.union(TypeSet::BOOLEAN),
        ValueType::List if property.allow_conversion => TypeSet::LIST.union(TypeSet::TEXT),
        ValueType::List => TypeSet::LIST,
        ValueType::Map if property.allow_conversion => {
            TypeSet::MAP.union(TypeSet::TEXT).union(TypeSet::LIST)
        }
        ValueType::Map => TypeSet::MAP,
        ValueType::Any => TypeSet::ANY,
    };
    own.union(TypeSet::NULL)
}

/// What a hidden value does not do, without the value.
fn hidden_violation(
    constraint: &PropertyConstraint,
    checked: Result<Verdict, PythonException>,
) -> String {
    let message = match checked {
        Ok(Verdict::Fails(message)) => message,
        Ok(Verdict::Holds | Verdict::Unknown(_)) | Err(_) => String::new(),
    };
    let subject = match constraint {
        PropertyConstraint::Length(_) => "the length of the hidden value",
        _ => "the hidden value",
    };
    match (constraint, expectation(&message)) {
        (PropertyConstraint::Custom(name), _) => {
            format!("{subject} violates the constraint `{name}`")
        }
        (_, Some(expected)) => format!("{subject} {expected}"),
        (_, None) => format!("{subject} violates a constraint"),
    }
}

fn type_in_words(kind: ValueType) -> &'static str {
    match kind {
        ValueType::String => "a string",
        ValueType::Integer => "an integer",
        ValueType::Number => "a number",
        ValueType::Boolean => "a boolean",
        ValueType::List => "a list",
        ValueType::Map => "a map",
        ValueType::Any => "any value",
    }
}

fn kinds_in_words(kinds: TypeSet) -> String {
    let words = [
        (TypeSet::TEXT, "a string"),
        (TypeSet::NUMBER, "a number"),
        (TypeSet::BOOLEAN, "a boolean"),
        (TypeSet::LIST, "a list"),
        (TypeSet::MAP, "a map"),
    ];
    let words: Vec<&str> =
        words.iter().filter(|(kind, _)| kinds.intersects(*kind)).map(|(_, word)| *word).collect();
    words.join(" or ")
}
