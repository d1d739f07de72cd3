//! What kind of value an expression can have, as far as the template tells.

use super::expr::{Expr, ExprKind, ParameterRef};
use super::stack::{ParameterType, Stack};

/// A set of kinds that a value may be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape(u8);

impl Shape {
    /// Null.
    pub const NULL: Shape = Shape(1);
    /// Text.
    pub const TEXT: Shape = Shape(2);
    /// A number.
    pub const NUMBER: Shape = Shape(4);
    /// A truth value.
    pub const BOOLEAN: Shape = Shape(8);
    /// A list.
    pub const LIST: Shape = Shape(16);
    /// A map.
    pub const MAP: Shape = Shape(32);
    /// Anything.
    pub const ANY: Shape = Shape(63);

    /// Both sets together.
    pub const fn or(self, other: Shape) -> Shape {
        Shape(self.0 | other.0)
    }

    /// True if every value of this set is in `other`.
    pub fn within(self, other: Shape) -> bool {
        self.0 & !other.0 == 0
    }

    /// True if some value of this set is in `other`.
    pub fn may_be(self, other: Shape) -> bool {
        self.0 & other.0 != 0
    }
}

/// What is known of resource types: answered by the schema, asked by the model.
pub trait TypeFacts {
    /// What an attribute of a resource type is; [`Shape::ANY`] where nothing is known.
    fn attribute(&self, resource_type: &str, attribute: &str) -> Shape;
    /// True for types that have members and hand the paths of attributes on to them.
    fn has_members(&self, resource_type: &str) -> bool;
    /// True where it makes a difference for an attribute whether its path is handed to the resource
    /// or followed in the whole attribute.
    fn path_matters(&self, resource_type: &str, attribute: &str) -> bool;
    /// True where a resource type is known to refuse a map with the one key `key`: for the property
    /// at `path`, or for all of its properties where the path is empty. Names lead to a property and
    /// to the members of maps, `None` to the items of a list.
    fn refuses_map(&self, resource_type: &str, path: &[Option<&str>], key: &str) -> bool;
}

/// The shape of the values of a parameter type. A `json` parameter may hold anything.
pub fn parameter_shape(kind: ParameterType) -> Shape {
    match kind {
        ParameterType::Text => Shape::TEXT,
        ParameterType::Number => Shape::NUMBER.or(Shape::BOOLEAN),
        ParameterType::TextList => Shape::LIST,
        ParameterType::Json => Shape::ANY,
        ParameterType::Boolean => Shape::BOOLEAN,
    }
}

/// The shape of a parameter with its path.
pub fn parameter_ref_shape(parameter: &ParameterRef, stack: &Stack) -> Shape {
    let Some(name) = parameter.name.as_text() else { return Shape::ANY };
    let kind = match stack.parameters.get(name) {
        Some(declared) => declared.kind,
        None if name.starts_with("OS::") => Some(ParameterType::Text),
        None => None,
    };
    match (kind, parameter.path.len()) {
        (Some(kind), 0) => parameter_shape(kind),
        // An item of a list of texts, a character of a text, or the empty text.
        (Some(ParameterType::Text | ParameterType::TextList), _) => Shape::TEXT,
        (Some(ParameterType::Number | ParameterType::Boolean), _) => Shape::TEXT,
        (Some(ParameterType::Json) | None, _) => Shape::ANY,
    }
}

/// What `expr` can be.
pub fn shape_of(expr: &Expr, stack: &Stack, facts: &dyn TypeFacts) -> Shape {
    match &expr.kind {
        ExprKind::Null => Shape::NULL,
        ExprKind::Bool(_)
        | ExprKind::Condition(_)
        | ExprKind::Equals(_)
        | ExprKind::Not(_)
        | ExprKind::And(_)
        | ExprKind::Or(_)
        | ExprKind::Contains(_) => Shape::BOOLEAN,
        ExprKind::Int(_) | ExprKind::Float(_) => Shape::NUMBER,
        ExprKind::Text(_)
        | ExprKind::File(_)
        | ExprKind::Join(_)
        | ExprKind::Replace(_)
        | ExprKind::AssertText(_)
        | ExprKind::Hash(_)
        | ExprKind::Url(_) => Shape::TEXT,
        ExprKind::List(_)
        | ExprKind::Zones(_)
        | ExprKind::Repeat(_)
        | ExprKind::Concat(_)
        | ExprKind::ConcatUnique(_) => Shape::LIST,
        ExprKind::Map(_)
        | ExprKind::MergeMaps(_)
        | ExprKind::ReplaceInMap(_)
        | ExprKind::MemberList(_) => Shape::MAP,
        ExprKind::Parameter(parameter) => parameter_ref_shape(parameter, stack),
        // The id is null for some types before they exist.
        ExprKind::Resource(_) => Shape::TEXT.or(Shape::NULL),
        ExprKind::Attribute(attribute) => {
            let resource_type = attribute
                .resource
                .as_text()
                .and_then(|name| stack.resources.get(name))
                .and_then(|resource| resource.kind.as_ref());
            let whole = match (&attribute.attribute, resource_type) {
                (None, _) => Shape::MAP,
                (Some(name), Some(kind)) => match name.as_text() {
                    Some(name) => facts.attribute(&kind.text, name),
                    None => Shape::ANY,
                },
                (Some(_), None) => Shape::ANY,
            };
            if attribute.path.is_empty() { whole.or(Shape::NULL) } else { Shape::ANY }
        }
        ExprKind::Split(split) => {
            let pieces = if split.index.is_some() { Shape::TEXT } else { Shape::LIST };
            match split.policy {
                super::SplitPolicy::TextOnly => pieces,
                super::SplitPolicy::NullStays => {
                    if shape_of(&split.text, stack, facts).may_be(Shape::NULL) {
                        pieces.or(Shape::NULL)
                    } else {
                        pieces
                    }
                }
            }
        }
        ExprKind::Filter(_) => Shape::LIST.or(Shape::TEXT).or(Shape::NULL),
        ExprKind::Choose(choice) => {
            let then = shape_of(&choice.then, stack, facts);
            match &choice.otherwise {
                Some(otherwise) => then.or(shape_of(otherwise, stack, facts)),
                None => then.or(Shape::NULL),
            }
        }
        ExprKind::Facade(super::FacadePart::DeletionPolicy) => Shape::TEXT,
        ExprKind::Facade(_) => Shape::MAP,
        ExprKind::Bytes(_)
        | ExprKind::Date(_)
        | ExprKind::Set(_)
        | ExprKind::Lookup(_)
        | ExprKind::Select(_)
        | ExprKind::Yaql(_)
        | ExprKind::Computed(_)
        | ExprKind::Invalid(_) => Shape::ANY,
    }
}
