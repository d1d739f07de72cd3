//! Static types: the kinds of values that an expression can have, as far as the template shows.

use super::expr::{Expr, ExprKind, ParameterRef};
use super::stack::{ParameterType, Stack};

/// The set of possible kinds of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeSet(u8);

impl TypeSet {
    /// YAML's null.
    pub const NULL: TypeSet = TypeSet(1);
    /// A string.
    pub const TEXT: TypeSet = TypeSet(2);
    /// An integer or a float.
    pub const NUMBER: TypeSet = TypeSet(4);
    /// A boolean.
    pub const BOOLEAN: TypeSet = TypeSet(8);
    /// A list.
    pub const LIST: TypeSet = TypeSet(16);
    /// A map.
    pub const MAP: TypeSet = TypeSet(32);
    /// The set of all kinds.
    pub const ANY: TypeSet = TypeSet(63);

    /// The union of both sets.
    pub const fn union(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 | other.0)
    }

    /// True if this is a subset of `other`.
    pub fn is_subset(self, other: TypeSet) -> bool {
        self.0 & !other.0 == 0
    }

    /// True if the sets intersect.
    pub fn intersects(self, other: TypeSet) -> bool {
        self.0 & other.0 != 0
    }
}

/// Facts about resource types, which the schema provides to the model.
pub trait TypeFacts {
    /// The kind of an attribute of a resource type; [`TypeSet::ANY`] if it is unknown.
    fn attribute(&self, resource_type: &str, attribute: &str) -> TypeSet;
    /// True for types that have members and pass the paths of attributes on to them.
    fn has_members(&self, resource_type: &str) -> bool;
    /// True if the value of an attribute depends on whether its path is passed to the resource
    /// or applied to the whole attribute.
    fn path_matters(&self, resource_type: &str, attribute: &str) -> bool;
    /// True if a resource type is known to refuse a map with the single key `key`: for the property
    /// at `path`, or for all of its properties if the path is empty. Names lead to a property and
    /// to the members of maps, `None` to the items of a list.
    fn refuses_map(&self, resource_type: &str, path: &[Option<&str>], key: &str) -> bool;
}

/// The kinds of values of a parameter type. A `json` parameter may have any value.
pub fn parameter_type_set(kind: ParameterType) -> TypeSet {
    match kind {
        ParameterType::Text => TypeSet::TEXT,
        ParameterType::Number => TypeSet::NUMBER.union(TypeSet::BOOLEAN),
        ParameterType::TextList => TypeSet::LIST,
        ParameterType::Json => TypeSet::ANY,
        ParameterType::Boolean => TypeSet::BOOLEAN,
    }
}

/// The possible kinds of the value at a path in a parameter.
pub fn parameter_ref_type_set(parameter: &ParameterRef, stack: &Stack) -> TypeSet {
    let Some(name) = parameter.name.as_text() else { return TypeSet::ANY };
    let kind = match stack.parameters.get(name) {
        Some(declared) => declared.kind,
        None if name.starts_with("OS::") => Some(ParameterType::Text),
        None => None,
    };
    match (kind, parameter.path.len()) {
        (Some(kind), 0) => parameter_type_set(kind),
        // An item of a list of texts, a character of a text, or the empty string.
        (Some(ParameterType::Text | ParameterType::TextList), _) => TypeSet::TEXT,
        (Some(ParameterType::Number | ParameterType::Boolean), _) => TypeSet::TEXT,
        (Some(ParameterType::Json) | None, _) => TypeSet::ANY,
    }
}

/// The possible kinds of the value of `expr`.
pub fn type_set_of(expr: &Expr, stack: &Stack, facts: &dyn TypeFacts) -> TypeSet {
    match &expr.kind {
        ExprKind::Null => TypeSet::NULL,
        ExprKind::Bool(_)
        | ExprKind::Condition(_)
        | ExprKind::Equals(_)
        | ExprKind::Not(_)
        | ExprKind::And(_)
        | ExprKind::Or(_) => TypeSet::BOOLEAN,
        ExprKind::Int(_) | ExprKind::Float(_) => TypeSet::NUMBER,
        ExprKind::Text(_)
        | ExprKind::File(_)
        | ExprKind::Join(_)
        | ExprKind::Replace(_)
        | ExprKind::AssertText(_) => TypeSet::TEXT,
        ExprKind::List(_) | ExprKind::Zones(_) | ExprKind::Repeat(_) => TypeSet::LIST,
        ExprKind::Map(_) | ExprKind::MemberList(_) => TypeSet::MAP,
        ExprKind::Unary(function, _) => function.facts().values,
        ExprKind::Binary(function, _) => function.facts().values,
        ExprKind::Parameter(parameter) => parameter_ref_type_set(parameter, stack),
        // Before the resource exists, the id is null for some types.
        ExprKind::Resource(_) => TypeSet::TEXT.union(TypeSet::NULL),
        ExprKind::Attribute(attribute) => {
            let resource_type = attribute
                .resource
                .as_text()
                .and_then(|name| stack.resources.get(name))
                .and_then(|resource| resource.kind.as_ref());
            let whole = match (&attribute.attribute, resource_type) {
                (None, _) => TypeSet::MAP,
                (Some(name), Some(kind)) => match name.as_text() {
                    Some(name) => facts.attribute(&kind.text, name),
                    None => TypeSet::ANY,
                },
                (Some(_), None) => TypeSet::ANY,
            };
            if attribute.path.is_empty() { whole.union(TypeSet::NULL) } else { TypeSet::ANY }
        }
        ExprKind::Split(split) => {
            let pieces = if split.index.is_some() { TypeSet::TEXT } else { TypeSet::LIST };
            match split.policy {
                super::SplitPolicy::TextOnly => pieces,
                super::SplitPolicy::NullStays => {
                    if type_set_of(&split.text, stack, facts).intersects(TypeSet::NULL) {
                        pieces.union(TypeSet::NULL)
                    } else {
                        pieces
                    }
                }
            }
        }
        ExprKind::Choose(choice) => {
            let then = type_set_of(&choice.then, stack, facts);
            match &choice.otherwise {
                Some(otherwise) => then.union(type_set_of(otherwise, stack, facts)),
                None => then.union(TypeSet::NULL),
            }
        }
        ExprKind::Facade(super::FacadePart::DeletionPolicy) => TypeSet::TEXT,
        ExprKind::Facade(_) => TypeSet::MAP,
        ExprKind::Bytes(_)
        | ExprKind::Date(_)
        | ExprKind::Set(_)
        | ExprKind::Lookup(_)
        | ExprKind::Select(_)
        | ExprKind::Yaql(_)
        | ExprKind::Computed(_)
        | ExprKind::Invalid(_) => TypeSet::ANY,
    }
}
