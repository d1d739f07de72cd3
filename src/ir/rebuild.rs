//! An expression with other parts.

use super::expr::{
    AttributeRef, Choice, ComputedCall, Expr, ExprKind, Filtering, Hashing, InvalidCall, Join,
    Lookup, MemberList, Membership, Pair, ParameterRef, Repeat, Replace, Selection, Split,
    YaqlCall,
};

impl Expr {
    /// The same expression with every direct part replaced by what `part` makes of it, in the order of
    /// [`Expr::for_each_child`].
    #[must_use]
    pub fn with_parts(&self, part: &mut impl FnMut(&Expr) -> Expr) -> Expr {
        let mut all = |items: &[Expr]| -> Vec<Expr> { items.iter().map(&mut *part).collect() };
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
            ExprKind::Parameter(parameter) => ExprKind::Parameter(Box::new(ParameterRef {
                name: part(&parameter.name),
                path: parameter.path.iter().map(&mut *part).collect(),
                by_ref: parameter.by_ref,
            })),
            ExprKind::Attribute(attribute) => ExprKind::Attribute(Box::new(AttributeRef {
                resource: part(&attribute.resource),
                attribute: attribute.attribute.as_ref().map(&mut *part),
                path: attribute.path.iter().map(&mut *part).collect(),
                fetch: attribute.fetch,
            })),
            ExprKind::Resource(inner) => ExprKind::Resource(Box::new(part(inner))),
            ExprKind::File(inner) => ExprKind::File(Box::new(part(inner))),
            ExprKind::Zones(inner) => ExprKind::Zones(Box::new(part(inner))),
            ExprKind::AssertText(inner) => ExprKind::AssertText(Box::new(part(inner))),
            ExprKind::Url(inner) => ExprKind::Url(Box::new(part(inner))),
            ExprKind::MergeMaps(inner) => ExprKind::MergeMaps(Box::new(part(inner))),
            ExprKind::ReplaceInMap(inner) => ExprKind::ReplaceInMap(Box::new(part(inner))),
            ExprKind::Concat(inner) => ExprKind::Concat(Box::new(part(inner))),
            ExprKind::ConcatUnique(inner) => ExprKind::ConcatUnique(Box::new(part(inner))),
            ExprKind::Not(inner) => ExprKind::Not(Box::new(part(inner))),
            ExprKind::Select(select) => ExprKind::Select(Box::new(Selection {
                index: part(&select.index),
                collection: part(&select.collection),
            })),
            ExprKind::Join(join) => ExprKind::Join(Box::new(Join {
                delimiter: part(&join.delimiter),
                lists: join.lists.iter().map(&mut *part).collect(),
                policy: join.policy,
            })),
            ExprKind::Split(split) => ExprKind::Split(Box::new(Split {
                delimiter: part(&split.delimiter),
                text: part(&split.text),
                index: split.index.as_ref().map(&mut *part),
                policy: split.policy,
            })),
            ExprKind::Replace(replace) => ExprKind::Replace(Box::new(Replace {
                template: part(&replace.template),
                params: part(&replace.params),
                values: replace.values,
                keys: replace.keys,
            })),
            ExprKind::Hash(hash) => ExprKind::Hash(Box::new(Hashing {
                algorithm: part(&hash.algorithm),
                value: part(&hash.value),
            })),
            ExprKind::Repeat(repeat) => ExprKind::Repeat(Box::new(Repeat {
                template: part(&repeat.template),
                for_each: part(&repeat.for_each),
                sources: repeat.sources,
                permutations: repeat.permutations,
            })),
            ExprKind::Filter(filter) => ExprKind::Filter(Box::new(Filtering {
                values: part(&filter.values),
                list: part(&filter.list),
            })),
            ExprKind::MemberList(members) => ExprKind::MemberList(Box::new(MemberList {
                key: members.key.clone(),
                value: members.value.clone(),
                list: part(&members.list),
            })),
            ExprKind::Yaql(yaql) => ExprKind::Yaql(Box::new(YaqlCall {
                expression: part(&yaql.expression),
                data: yaql.data.as_ref().map(&mut *part),
                written: yaql.written.clone(),
            })),
            ExprKind::Choose(choice) => ExprKind::Choose(Box::new(Choice {
                condition: part(&choice.condition),
                then: part(&choice.then),
                otherwise: choice.otherwise.as_ref().map(&mut *part),
            })),
            ExprKind::Equals(sides) => {
                ExprKind::Equals(Box::new([part(&sides[0]), part(&sides[1])]))
            }
            ExprKind::Contains(membership) => ExprKind::Contains(Box::new(Membership {
                value: part(&membership.value),
                sequence: part(&membership.sequence),
            })),
            ExprKind::Lookup(lookup) => ExprKind::Lookup(Box::new(Lookup {
                table: part(&lookup.table),
                key: part(&lookup.key),
                item: part(&lookup.item),
            })),
            ExprKind::Computed(call) => ExprKind::Computed(Box::new(ComputedCall {
                function: call.function,
                arguments: part(&call.arguments),
            })),
            ExprKind::Invalid(call) => ExprKind::Invalid(Box::new(InvalidCall {
                function: call.function.clone(),
                argument: part(&call.argument),
                problem: call.problem.clone(),
                written: call.written.clone(),
            })),
        };
        Expr::new(kind, self.span)
    }
}
