//! The objects of the provider that resources become, independent of the target's language.

use heat_template::ir::Expr;
use source_diagnostics::Span;

/// The objects that a resource of a template becomes.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceObjects {
    /// The objects, the main one first. Empty if the resource is a part
    /// of another one's object; then the reference names that object.
    pub objects: Vec<ProviderObject>,
    /// The counterpart of the resource's reference ID.
    pub reference: Argument,
}

/// An object of the provider.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderObject {
    /// The suffix after the resource's own name: empty for the main object, `rule_0` for another one.
    pub suffix: String,
    /// The provider's type, in Terraform's spelling: `openstack_compute_instance_v2`.
    pub kind: String,
    /// The arguments, in the order in which they are written. A name that occurs more than once stands
    /// for consecutive nested blocks, `Blocks` and `BlocksFor` mixed.
    pub arguments: Vec<(String, Argument)>,
    /// A computed list for each item of which one object is created; `Argument::Item` is the item.
    pub each: Option<Argument>,
    /// The condition under which the object exists: a choice between `Argument::Bool(true)` and
    /// `Argument::Bool(false)`.
    /// With `each` it applies to every item.
    pub only_if: Option<Argument>,
    /// Objects that must be created first, besides those that arguments refer to.
    pub after: Vec<ObjectRef>,
    /// The arguments whose changes do not matter once the object exists.
    pub ignores: Vec<String>,
    /// The place of the resource, or of the part of it that becomes this object.
    pub span: Span,
}

/// A reference to an object, by its resource and its index among the resource's objects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectRef {
    /// The name of the resource.
    pub resource: String,
    /// The index among the resource's objects.
    pub index: usize,
}

/// The value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// An expression of the template, converted to the argument's type.
    Expr(Expr, WantedType),
    /// A string that the provider requires and the template does not contain.
    Text(String),
    /// An integer that the provider requires and the template does not contain.
    Number(i64),
    /// A boolean that the provider requires and the template does not contain.
    Bool(bool),
    /// A list with a fixed number of items.
    List(Vec<Argument>),
    /// A map or an object.
    Map(Vec<(String, Argument)>),
    /// Consecutive nested blocks (`network { … }`).
    Blocks(Vec<Vec<(String, Argument)>>),
    /// A nested block for each item of a computed list; `Argument::Item` is the item. A null list
    /// has no items, and a null item yields no block.
    BlocksFor {
        /// The list, whose length is unknown until it is computed.
        list: Box<Argument>,
        /// The arguments of each block.
        block: Vec<(String, Argument)>,
    },
    /// A list with a value for each item of a computed list; null as in `BlocksFor`.
    ListFor {
        /// The list, whose length is unknown until it is computed.
        list: Box<Argument>,
        /// The value for each item.
        item: Box<Argument>,
    },
    /// The current item inside `each`, `BlocksFor` or `ListFor`, and a path into it; a missing item
    /// on the path yields null.
    Item(Vec<String>),
    /// An attribute of an object, which is known once the object exists.
    Attribute {
        /// The object whose attribute it is.
        object: ObjectRef,
        /// The attribute and the path into it.
        path: Vec<AttributeStep>,
    },
    /// An attribute that a data source looks up by a name.
    Lookup {
        /// The type of the data source: `openstack_networking_network_v2`.
        data: String,
        /// The argument that takes the name.
        by: String,
        /// The name to look up.
        name: Box<Argument>,
        /// The attribute to read.
        read: String,
    },
    /// A choice that depends on whether a string is a UUID: Heat accepts a name or an ID here, and which of
    /// the two it is becomes known with the value.
    NameOrId {
        /// The name or ID.
        value: Box<Argument>,
        /// The argument's value if it is an ID.
        id: Box<Argument>,
        /// The argument's value if it is a name.
        name: Box<Argument>,
    },
    /// A choice that depends on a condition of the template.
    Conditional {
        /// The name of a condition, or an expression in its place.
        condition: Expr,
        /// The value if the condition is true.
        then: Box<Argument>,
        /// The value if the condition is false.
        otherwise: Box<Argument>,
    },
    /// A choice that depends on whether the value at a path in the current item equals a string, or is null.
    ItemIs {
        /// The keys that lead from the item to the compared value.
        path: Vec<String>,
        /// The string to compare with; null if `None`.
        text: Option<String>,
        /// The value if they are equal.
        then: Box<Argument>,
        /// The value if they differ, or if the path leads nowhere.
        otherwise: Box<Argument>,
    },
    /// Whether any map in these lists has a string under a key; true if that cannot be expressed.
    AnyIs {
        /// The lists of maps to search.
        lists: Vec<Argument>,
        /// The key to look at.
        key: String,
        /// The string to compare with.
        text: String,
    },
    /// The values one after the other, as one string.
    Concatenated(Vec<Argument>),
    /// The index of the member that the object belongs to, as a string; only in definitions of members.
    Index,
    /// The first value that is not null.
    First(Vec<Argument>),
    /// A map with entries for each item of a list.
    MapFor {
        /// The list of items.
        list: Box<Argument>,
        /// The values of each item under these keys are the keys of its entries.
        keys: Vec<String>,
        /// The value for an item.
        item: Box<Argument>,
        /// Whether each key has the list of all its values, of a `First` each that is not empty; otherwise the last value wins.
        grouped: bool,
    },
    /// Null, which omits the argument.
    Null,
}

/// A step of a path into an attribute.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttributeStep {
    /// A key of a map.
    Key(String),
    /// An index of a list.
    Index(usize),
    /// All items of a list (`[*]`).
    All,
}

/// The type that an argument requires: Heat converts to it, the provider does not always.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedType {
    /// Any type, without conversion.
    Any,
    /// A string; Heat also accepts numbers and booleans.
    Text,
    /// A number; Heat also accepts a string of digits.
    Number,
    /// A boolean; Heat also accepts strings such as `true`.
    Bool,
    /// A list of strings.
    TextList,
    /// A map of strings.
    TextMap,
    /// A map of strings, in which other values are serialized to JSON.
    JsonMap,
}

impl Argument {
    /// Calls `visit` for every direct part of the argument.
    pub fn for_each_part<'a>(&'a self, mut visit: impl FnMut(&'a Argument)) {
        match self {
            Argument::Expr(..)
            | Argument::Text(_)
            | Argument::Number(_)
            | Argument::Bool(_)
            | Argument::Item(_)
            | Argument::Attribute { .. }
            | Argument::Index
            | Argument::Null => {}
            Argument::List(items)
            | Argument::Concatenated(items)
            | Argument::First(items)
            | Argument::AnyIs { lists: items, .. } => {
                items.iter().for_each(visit);
            }
            Argument::Map(pairs) => pairs.iter().for_each(|(_, value)| visit(value)),
            Argument::Blocks(blocks) => {
                blocks.iter().flatten().for_each(|(_, value)| visit(value));
            }
            Argument::BlocksFor { list, block } => {
                visit(list);
                block.iter().for_each(|(_, value)| visit(value));
            }
            Argument::Lookup { name, .. } => visit(name),
            Argument::NameOrId { value, id, name } => {
                [value, id, name].into_iter().for_each(|it| visit(it));
            }
            Argument::Conditional { then, otherwise, .. }
            | Argument::ItemIs { then, otherwise, .. } => {
                [then, otherwise].into_iter().for_each(|it| visit(it));
            }
            Argument::ListFor { list, item } | Argument::MapFor { list, item, .. } => {
                [list, item].into_iter().for_each(|it| visit(it));
            }
        }
    }

    /// The path into the current item that the argument uses; the first one if there are several.
    pub(super) fn item_path(&self) -> Option<&[String]> {
        if let Argument::Item(path) = self {
            return Some(path);
        }
        let mut found = None;
        self.for_each_part(|part| found = found.or_else(|| part.item_path()));
        found
    }

    /// Whether the argument refers to an attribute of an object.
    pub fn names(&self, resource: &str, index: usize) -> bool {
        let is_it = |object: &ObjectRef| object.resource == resource && object.index == index;
        let mut found = matches!(self, Argument::Attribute { object, .. } if is_it(object));
        self.for_each_part(|part| found |= part.names(resource, index));
        found
    }
}
