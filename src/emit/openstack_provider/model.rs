//! What resources become in the provider, before it is spelled in any language.

use heat_template::ir::Expr;
use source_diagnostics::Span;

/// What a resource of a template becomes.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceObjects {
    /// The objects; the first one stands for the resource. There is none where the resource is a part
    /// of another one's object; then the reference names that object.
    pub objects: Vec<ProviderObject>,
    /// What the resource's reference id is.
    pub reference: Argument,
}

/// An object of the provider.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderObject {
    /// What is added to the resource's own name: nothing for the first, `rule_0` for another one.
    pub suffix: String,
    /// The provider's type, as Terraform spells it: `openstack_compute_instance_v2`.
    pub kind: String,
    /// Its arguments, in the order in which they are written. A name that comes more than once stands
    /// for nested blocks that follow each other, `Blocks` and `BlocksFor` mixed.
    pub arguments: Vec<(String, Argument)>,
    /// One object for each item of a list that is computed; `Argument::Item` is the item.
    pub each: Option<Argument>,
    /// The object is there only where this is true: a choice between `Argument::Bool(true)` and `Argument::Bool(false)`.
    /// With `each` it is asked of every item.
    pub only_if: Option<Argument>,
    /// Objects that must be there first, besides those that arguments name.
    pub after: Vec<ObjectRef>,
    /// Where the resource, or the part of it that becomes this object, is written.
    pub span: Span,
}

/// An object by the resource that it belongs to and its place among that one's objects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectRef {
    /// The resource.
    pub resource: String,
    /// The place.
    pub index: usize,
}

/// The value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// An expression of the template, converted to the argument's type.
    Expr(Expr, WantedType),
    /// Data that the provider needs and the template does not say.
    Text(String),
    /// A number.
    Number(i64),
    /// A truth value.
    Bool(bool),
    /// A list.
    List(Vec<Argument>),
    /// A map or an object.
    Map(Vec<(String, Argument)>),
    /// Nested blocks, one after the other (`network { … }`).
    Blocks(Vec<Vec<(String, Argument)>>),
    /// A nested block for each item of a list that is computed; `Argument::Item` is the item. A list
    /// that is null has no items, and an item that is null makes no block.
    BlocksFor {
        /// The list.
        list: Box<Argument>,
        /// What each block holds.
        block: Vec<(String, Argument)>,
    },
    /// A list with something made of each item of a list that is computed; null as in `BlocksFor`.
    ListFor {
        /// The list.
        list: Box<Argument>,
        /// What becomes of each item.
        item: Box<Argument>,
    },
    /// The item at hand, inside of `each`, `BlocksFor` or `ListFor`, and a path into it; what is missing
    /// on the way is null.
    Item(Vec<String>),
    /// What an object tells once it is there.
    Attribute {
        /// The object.
        object: ObjectRef,
        /// The attribute and the path in it.
        path: Vec<AttributeStep>,
    },
    /// What a data source finds by the name of a thing.
    Lookup {
        /// The data source: `openstack_networking_network_v2`.
        data: String,
        /// The argument that takes the name.
        by: String,
        /// The name.
        name: Box<Argument>,
        /// The attribute that is wanted.
        read: String,
    },
    /// One of two, by whether the text is a UUID: Heat takes a name or an id at this place, and which of
    /// the two it is shows only when the value is known.
    NameOrId {
        /// The name or id.
        value: Box<Argument>,
        /// Where it is an id.
        id: Box<Argument>,
        /// Where it is a name.
        name: Box<Argument>,
    },
    /// One of two, by a condition of the template.
    Conditional {
        /// The condition: a name of one, or an expression in its place.
        condition: Expr,
        /// Where it holds.
        then: Box<Argument>,
        /// Where it does not.
        otherwise: Box<Argument>,
    },
    /// One of two, by whether what stands at a path in the item at hand is a text, or null.
    ItemIs {
        /// The keys from the item to what is compared.
        path: Vec<String>,
        /// What it is compared with; null if none.
        text: Option<String>,
        /// Where it is.
        then: Box<Argument>,
        /// Where it is not, or nothing stands there.
        otherwise: Box<Argument>,
    },
    /// Whether a text stands under a key of any map in these lists; true where that cannot be expressed.
    AnyIs {
        /// The lists whose maps are looked at.
        lists: Vec<Argument>,
        /// The key under which the text may stand.
        key: String,
        /// What it is compared with.
        text: String,
    },
    /// Texts glued together.
    Concatenated(Vec<Argument>),
    /// The index of the member that the object belongs to, as text; only in definitions of members.
    Index,
    /// The first of these that is not null.
    First(Vec<Argument>),
    /// A map with something made of each item of a list.
    MapFor {
        /// The list.
        list: Box<Argument>,
        /// The key that becomes of an item.
        key: Box<Argument>,
        /// The value under the key.
        item: Box<Argument>,
        /// Under each key is the list of all its values; otherwise the last one counts.
        grouped: bool,
    },
    /// The argument is left out where this is null.
    Null,
}

/// A step into an attribute.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttributeStep {
    /// A key.
    Key(String),
    /// An index.
    Index(usize),
    /// Every item.
    All,
}

/// The type that an argument wants: Heat converts, the provider does not always.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedType {
    /// Whatever it is.
    Any,
    /// Text.
    Text,
    /// A number.
    Number,
    /// A truth value.
    Bool,
    /// A list of texts.
    TextList,
    /// A map of texts.
    TextMap,
    /// A map of texts, in which what is not text stands as JSON.
    JsonMap,
}

impl Argument {
    /// Calls `visit` on every direct part of the argument.
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
            Argument::ListFor { list, item } => [list, item].into_iter().for_each(|it| visit(it)),
            Argument::Lookup { name, .. } => visit(name),
            Argument::NameOrId { value, id, name } => {
                [value, id, name].into_iter().for_each(|it| visit(it));
            }
            Argument::Conditional { then, otherwise, .. }
            | Argument::ItemIs { then, otherwise, .. } => {
                [then, otherwise].into_iter().for_each(|it| visit(it));
            }
            Argument::MapFor { list, key, item, .. } => {
                [list, key, item].into_iter().for_each(|it| visit(it));
            }
        }
    }

    /// The path in the item at hand that it is made of, the first if there are several.
    pub(super) fn item_path(&self) -> Option<&[String]> {
        if let Argument::Item(path) = self {
            return Some(path);
        }
        let mut found = None;
        self.for_each_part(|part| found = found.or_else(|| part.item_path()));
        found
    }

    /// Whether an attribute of an object is anywhere in it.
    pub fn names(&self, resource: &str, index: usize) -> bool {
        let is_it = |object: &ObjectRef| object.resource == resource && object.index == index;
        let mut found = matches!(self, Argument::Attribute { object, .. } if is_it(object));
        self.for_each_part(|part| found |= part.names(resource, index));
        found
    }
}
