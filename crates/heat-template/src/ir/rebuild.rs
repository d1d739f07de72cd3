//! Rebuilding an expression with other parts.

use super::Shared;
use super::expr::{
    AttributeRef, Choice, ComputedCall, Expr, ExprKind, InvalidCall, Join, Lookup, MemberList,
    Pair, ParameterRef, Repeat, Replace, Selection, Split, YaqlCall,
};

impl Expr {
    /// The same expression with `part` applied to every direct part, in the order of
    /// [`Expr::for_each_child`].
    #[must_use]
    pub fn with_parts(&self, part: &mut impl FnMut(&Expr) -> Expr) -> Expr {
        let mut all = |items: &[Expr]| -> Shared<[Expr]> { items.iter().map(&mut *part).collect() };
        let kind = match &self.kind {
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::Bytes(_)
            | ExprKind::Date(_)
            | ExprKind::Facade(_)
            | ExprKind::Condition(_) => return self.clone(),
            ExprKind::Set(items) => ExprKind::Set(all(items)),
            ExprKind::List(items) => ExprKind::List(all(items)),
            ExprKind::And(items) => ExprKind::And(all(items)),
            ExprKind::Or(items) => ExprKind::Or(all(items)),
            ExprKind::Map(pairs) => {
                let pairs = pairs.iter();
                let pairs =
                    pairs.map(|pair| Pair { key: part(&pair.key), value: part(&pair.value) });
                ExprKind::Map(pairs.collect())
            }
            ExprKind::Parameter(parameter) => ExprKind::Parameter(Shared::new(ParameterRef {
                name: part(&parameter.name),
                path: parameter.path.iter().map(&mut *part).collect(),
                by_ref: parameter.by_ref,
            })),
            ExprKind::Attribute(attribute) => ExprKind::Attribute(Shared::new(AttributeRef {
                resource: part(&attribute.resource),
                attribute: attribute.attribute.as_ref().map(&mut *part),
                path: attribute.path.iter().map(&mut *part).collect(),
                fetch: attribute.fetch,
            })),
            ExprKind::Resource(inner) => ExprKind::Resource(Shared::new(part(inner))),
            ExprKind::File(inner) => ExprKind::File(Shared::new(part(inner))),
            ExprKind::Zones(inner) => ExprKind::Zones(Shared::new(part(inner))),
            ExprKind::AssertText(inner) => ExprKind::AssertText(Shared::new(part(inner))),
            ExprKind::Not(inner) => ExprKind::Not(Shared::new(part(inner))),
            ExprKind::Select(select) => ExprKind::Select(Shared::new(Selection {
                index: part(&select.index),
                collection: part(&select.collection),
            })),
            ExprKind::Join(join) => ExprKind::Join(Shared::new(Join {
                delimiter: part(&join.delimiter),
                lists: join.lists.iter().map(&mut *part).collect(),
                policy: join.policy,
            })),
            ExprKind::Split(split) => ExprKind::Split(Shared::new(Split {
                delimiter: part(&split.delimiter),
                text: part(&split.text),
                index: split.index.as_ref().map(&mut *part),
                policy: split.policy,
            })),
            ExprKind::Replace(replace) => ExprKind::Replace(Shared::new(Replace {
                template: part(&replace.template),
                params: part(&replace.params),
                values: replace.values,
                keys: replace.keys,
            })),
            ExprKind::Repeat(repeat) => ExprKind::Repeat(Shared::new(Repeat {
                template: part(&repeat.template),
                for_each: part(&repeat.for_each),
                sources: repeat.sources,
                permutations: repeat.permutations,
            })),
            ExprKind::MemberList(members) => ExprKind::MemberList(Shared::new(MemberList {
                key: members.key.clone(),
                value: members.value.clone(),
                list: part(&members.list),
            })),
            ExprKind::Yaql(yaql) => ExprKind::Yaql(Shared::new(YaqlCall {
                expression: part(&yaql.expression),
                data: yaql.data.as_ref().map(&mut *part),
                text_offsets: yaql.text_offsets.clone(),
            })),
            ExprKind::Choose(choice) => ExprKind::Choose(Shared::new(Choice {
                condition: part(&choice.condition),
                then: part(&choice.then),
                otherwise: choice.otherwise.as_ref().map(&mut *part),
            })),
            ExprKind::Unary(function, inner) => {
                ExprKind::Unary(*function, Shared::new(part(inner)))
            }
            ExprKind::Binary(function, sides) => {
                ExprKind::Binary(*function, Shared::new([part(&sides[0]), part(&sides[1])]))
            }
            ExprKind::Equals(sides) => {
                ExprKind::Equals(Shared::new([part(&sides[0]), part(&sides[1])]))
            }
            ExprKind::Lookup(lookup) => ExprKind::Lookup(Shared::new(Lookup {
                table: part(&lookup.table),
                key: part(&lookup.key),
                item: part(&lookup.item),
            })),
            ExprKind::Computed(call) => ExprKind::Computed(Shared::new(ComputedCall {
                function: call.function,
                arguments: part(&call.arguments),
            })),
            ExprKind::Invalid(call) => ExprKind::Invalid(Shared::new(InvalidCall {
                function: call.function.clone(),
                argument: part(&call.argument),
                problem: call.problem.clone(),
                original_argument: call.original_argument.clone(),
            })),
        };
        Expr::new(kind, self.span)
    }
}
