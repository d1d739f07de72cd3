//! Expresses `Fn::Select` in yaql, for the versions that have yaql but no longer `Fn::Select`.
//!
//! For what Heat does with every kind of index and collection, see the table of the tests in
//! `upgrade/rules/select.rs`.

use crate::ir::types::{TypeFacts, TypeSet, type_set_of};
use crate::ir::{
    AttributeRef, Expr, ExprKind, Pair, ParameterType, Selection, Shared, Stack, YaqlCall,
};
use source_diagnostics::Span;

use super::python_int;

/// The reason why no later form selects from a collection: `Fn::Select` parses text as JSON, a path indexes its
/// characters, and yaql treats it as empty.
pub fn obstacle(collection: &Expr, stack: &Stack, facts: &dyn TypeFacts) -> Option<&'static str> {
    let containers = TypeSet::LIST.union(TypeSet::MAP);
    let shape = type_set_of(collection, stack, facts);
    match &collection.kind {
        ExprKind::Parameter(parameter) => {
            let name = parameter.name.as_text()?;
            match stack.parameters.get(name).and_then(|declared| declared.kind) {
                Some(ParameterType::Text) => Some(TEXT_PARAMETER),
                Some(ParameterType::TextList) if !parameter.path.is_empty() => Some(
                    "`Fn::Select` parses an item of this list as JSON, which no later form does",
                ),
                Some(ParameterType::Number | ParameterType::Boolean) => Some(SCALAR),
                None if name.starts_with("OS::") => Some(TEXT),
                Some(ParameterType::TextList | ParameterType::Json) | None => None,
            }
        }
        ExprKind::Attribute(attribute) if attribute.path.is_empty() => {
            match (shape.intersects(containers), shape.intersects(TypeSet::TEXT)) {
                (true, _) => None,
                (false, true) => {
                    Some("`Fn::Select` parses this attribute as JSON, which no later form does")
                }
                (false, false) => Some(SCALAR),
            }
        }
        ExprKind::Resource(_) => {
            Some("`Fn::Select` parses the id of a resource as JSON, which no later form does")
        }
        ExprKind::Attribute(_) | ExprKind::Split(_) | ExprKind::Select(_) | ExprKind::Text(_) => {
            None
        }
        _ => (!shape.intersects(containers.union(TypeSet::NULL))).then_some(TEXT),
    }
}

/// The reason for a parameter of type `string`, which can be solved by changing its type.
pub const TEXT_PARAMETER: &str =
    "`Fn::Select` parses this parameter as JSON; a path would index its characters";
const TEXT: &str = "`Fn::Select` parses this string as JSON, which no later form does";
const SCALAR: &str = "`Fn::Select` of a number or boolean fails in Heat";

/// Whether only the value itself shows if this index into an attribute is a key or a position, as for
/// `'0'`: a path uses one or the other, yaql checks the value.
pub fn is_ambiguous(
    attribute: &AttributeRef,
    index: &Expr,
    stack: &Stack,
    facts: &dyn TypeFacts,
) -> bool {
    let shape = match &attribute.path.is_empty() {
        true => {
            let whole = ExprKind::Attribute(Shared::new(attribute.clone()));
            type_set_of(&Expr::new(whole, Span::NOWHERE), stack, facts)
        }
        false => TypeSet::ANY,
    };
    let is_known =
        [TypeSet::LIST, TypeSet::MAP].iter().any(|kind| shape.is_subset(kind.union(TypeSet::NULL)));
    !is_known && may_be_position(index)
}

/// Whether an index may be a position in a list and a key of a map.
pub fn may_be_position(index: &Expr) -> bool {
    match &index.kind {
        ExprKind::Text(text) => python_int(text).is_some(),
        ExprKind::Null | ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) => false,
        _ => true,
    }
}

/// A yaql expression that selects as `Fn::Select` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct YaqlSelection {
    /// The text of the expression, over `collection` and `index` as keys of `$.data`.
    pub expression: &'static str,
    /// The key of the collection in `$.data`.
    pub collection: &'static str,
    /// The key of the index in `$.data`.
    pub index: &'static str,
    /// The condition under which the value is the same; `None` if it always is, for every index that Heat accepts.
    pub condition: Option<&'static str>,
}

/// For a literal map: any key works, a missing key yields the empty string.
const MAP: &str = "$.data.map.get($.data.key, \"\")";

/// For a literal list: an index out of range yields the empty string, a negative one counts from the end.
const LIST: &str = "switch(int($.data.index) < len($.data.list) and int($.data.index) >= -len($.data.list) \
     => $.data.list[int($.data.index)], true => \"\")";

/// For any collection but JSON text: null and the empty string yield the empty string, and so do maps
/// and lists without the item.
const ANY: &str = "switch($.data.from = null or isString($.data.from) => \"\", \
     isDict($.data.from) => $.data.from.get($.data.at, \"\"), \
     int($.data.at) < len($.data.from) and int($.data.at) >= -len($.data.from) \
     => $.data.from[int($.data.at)], \
     true => \"\")";

const LIMITS: &str = "the selected item stays within yaql's limits of 200 items and 10,000 bytes";
const LIMITS_AND_NO_JSON: &str = "the selected collection is not a JSON string, and stays within yaql's \
     limits of 200 items and 10,000 bytes";

/// The longest text that is certainly within yaql's limit, which counts Python's objects.
const SHORT: usize = 1000;

impl YaqlSelection {
    /// The yaql expression for selecting from a collection with any index.
    pub fn of(collection: &Expr) -> Self {
        let (expression, name, index, items): (_, _, _, Vec<&Expr>) = match &collection.kind {
            ExprKind::Map(pairs) => {
                (MAP, "map", "key", pairs.iter().map(|pair| &pair.value).collect())
            }
            ExprKind::List(items) => (LIST, "list", "index", items.iter().collect()),
            _ => {
                let condition = Some(LIMITS_AND_NO_JSON);
                return YaqlSelection {
                    expression: ANY,
                    collection: "from",
                    index: "at",
                    condition,
                };
            }
        };
        // The limits apply to the selected item, not to the collection.
        let condition = (!items.into_iter().all(is_small)).then_some(LIMITS);
        YaqlSelection { expression, collection: name, index, condition }
    }

    /// The call of `yaql` that replaces the selection, with its collection and index as data.
    pub fn call(&self, selection: &Selection, span: Span) -> Expr {
        let nowhere = |kind| Expr::new(kind, Span::NOWHERE);
        let pair = |name: &str, value: &Expr| Pair {
            key: nowhere(ExprKind::Text(name.into())),
            value: value.clone(),
        };
        let call = YaqlCall {
            expression: nowhere(ExprKind::Text(self.expression.into())),
            data: Some(nowhere(ExprKind::Map(
                [pair(self.collection, &selection.collection), pair(self.index, &selection.index)]
                    .into(),
            ))),
            text_offsets: None,
        };
        Expr::new(ExprKind::Yaql(Shared::new(call)), span)
    }
}

/// Whether an item is a literal within yaql's limits.
fn is_small(item: &Expr) -> bool {
    match &item.kind {
        ExprKind::Null | ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) => true,
        ExprKind::Text(text) => text.len() <= SHORT,
        _ => false,
    }
}
