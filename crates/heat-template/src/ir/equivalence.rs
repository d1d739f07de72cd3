//! Semantic equivalence: whether one stack yields the same values as another.
//!
//! [`refines`] compares two stacks, normalizing expressions as it goes: whatever worked
//! before must yield the same value after. It is directional, because newer functions accept more than
//! their predecessors: an item that had to be text and may now be a map makes no difference for any
//! input that worked. The proof of an upgrade relies on it.
//!
//! Where a rewrite is known to differ under a condition, the caller declares, for the old node,
//! the expression that must replace it; no other difference is accepted there.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write;

use super::types::{TypeFacts, TypeSet, type_set_of};
use super::{
    AttributeRef, Choice, ConstraintKind, DeletionPolicy, Expr, ExprKind, Join, JoinPolicy, Pair,
    Parameter, ParameterConstraint, ParameterRef, ParameterType, RepeatSources, Replace,
    ReplaceKeys, ReplaceValues, Resource, Shared, SharedParts, SplitPolicy, Stack, UnaryFunction,
    UnknownKey,
};
use source_diagnostics::Span;

/// A part of the second stack whose meaning differs from the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeaningDifference {
    /// The path of the part (`resources.server.properties.user_data`).
    pub path: String,
    /// The span in the first text.
    pub before: Option<Span>,
    /// The span in the second text.
    pub after: Option<Span>,
    /// The kind of the difference, in a few words.
    pub message: String,
}

/// The replacements that a caller declares: the span of an expression of the first stack, and the expression
/// that must replace it in the second. Parts of the replacement that come from the first stack keep their
/// spans, so that declarations nest.
pub type DeclaredChanges = HashMap<Span, Expr>;

/// Compares `after` with `before`: empty if every value that `before` yields equals the value that
/// `after` yields, except for the changes in `declared`.
pub fn refines(
    before: &Stack,
    after: &Stack,
    facts: &dyn TypeFacts,
    declared: &DeclaredChanges,
) -> Vec<MeaningDifference> {
    let mut comparison = Comparison {
        before,
        after,
        facts,
        declared,
        path: String::new(),
        differences: Vec::new(),
        known_equal: HashSet::new(),
    };
    comparison.stacks();
    comparison.differences
}

struct Comparison<'a> {
    before: &'a Stack,
    after: &'a Stack,
    facts: &'a dyn TypeFacts,
    declared: &'a DeclaredChanges,
    /// The current path, its names joined by dots.
    path: String,
    differences: Vec<MeaningDifference>,
    /// Parts that occur several times in both stacks and are known to be equivalent.
    known_equal: HashSet<(SharedParts, SharedParts)>,
}

impl Comparison<'_> {
    fn report(&mut self, before: Option<Span>, after: Option<Span>, message: impl Into<String>) {
        self.differences.push(MeaningDifference {
            path: self.path.clone(),
            before,
            after,
            message: message.into(),
        });
    }

    /// Appends a part to the current path; returns the previous length of the path.
    fn enter(&mut self, part: &str) -> usize {
        let outside = self.path.len();
        if outside > 0 {
            self.path.push('.');
        }
        self.path.push_str(part);
        outside
    }

    fn compare_at(&mut self, name: &str, compare: impl FnOnce(&mut Self)) {
        let outside = self.enter(name);
        compare(self);
        self.path.truncate(outside);
    }

    fn stacks(&mut self) {
        let (before, after) = (self.before, self.after);
        self.compare_at("description", |this| {
            this.optional(before.description.as_ref(), after.description.as_ref());
        });
        self.members(
            "capabilities",
            &before.capabilities,
            &after.capabilities,
            |this, one, other| {
                this.exprs(&one.value, &other.value);
            },
        );
        self.members("parameters", &before.parameters, &after.parameters, Self::parameter);
        self.compare_at("parameter_groups", |this| {
            if before.groups.len() != after.groups.len() {
                this.report(None, None, "the number of groups differs");
            }
            for (one, other) in before.groups.iter().zip(&after.groups) {
                this.exprs(&one.value, &other.value);
            }
        });
        self.members("mappings", &before.mappings, &after.mappings, |this, one, other| {
            this.exprs(&one.value, &other.value);
        });
        self.members("conditions", &before.conditions, &after.conditions, |this, one, other| {
            this.exprs(&one.value, &other.value);
        });
        self.members("resources", &before.resources, &after.resources, Self::resource);
        self.members("outputs", &before.outputs, &after.outputs, |this, one, other| {
            // Heat ignores the extensions of an output, so they are not compared.
            this.field("description", one.description.as_ref(), other.description.as_ref());
            this.field("value", one.value.as_ref(), other.value.as_ref());
            this.field("condition", one.condition.as_ref(), other.condition.as_ref());
        });
        self.extensions(&before.extensions, &after.extensions);
    }

    fn members<T>(
        &mut self,
        section: &str,
        before: &indexmap::IndexMap<String, T>,
        after: &indexmap::IndexMap<String, T>,
        mut compare: impl FnMut(&mut Self, &T, &T),
    ) {
        self.compare_at(section, |this| {
            let mut found = 0;
            for (at, (name, one)) in before.iter().enumerate() {
                // The order has no meaning here, but is nearly always the same.
                let other = match after.get_index(at) {
                    Some((same, other)) if same == name => Some(other),
                    _ => after.get(name),
                };
                found += usize::from(other.is_some());
                this.compare_at(name, |this| match other {
                    Some(other) => compare(this, one, other),
                    None => this.report(None, None, "is missing"),
                });
            }
            if found < after.len() {
                for name in after.keys().filter(|name| !before.contains_key(*name)) {
                    this.compare_at(name, |this| this.report(None, None, "is new"));
                }
            }
        });
    }

    fn field(&mut self, name: &str, before: Option<&Expr>, after: Option<&Expr>) {
        self.compare_at(name, |this| this.optional(before, after));
    }

    fn optional(&mut self, before: Option<&Expr>, after: Option<&Expr>) {
        match (before, after) {
            (None, None) => {}
            (Some(before), Some(after)) => self.exprs(before, after),
            (Some(before), None) => self.report(Some(before.span), None, "is missing"),
            (None, Some(after)) => self.report(None, Some(after.span), "is new"),
        }
    }

    fn extensions(&mut self, before: &[UnknownKey], after: &[UnknownKey]) {
        for one in before {
            let name = one.name.text.clone();
            self.compare_at(&name, |this| {
                match after.iter().find(|other| other.name.text == one.name.text) {
                    Some(other) => this.exprs(&one.value, &other.value),
                    None => this.report(Some(one.name.span), None, "is missing"),
                }
            });
        }
        for other in after {
            if !before.iter().any(|one| one.name.text == other.name.text) {
                let name = other.name.text.clone();
                self.compare_at(&name, |this| this.report(None, Some(other.name.span), "is new"));
            }
        }
    }

    fn parameter(&mut self, before: &Parameter, after: &Parameter) {
        if before.kind != after.kind {
            self.report(Some(before.name_span), Some(after.name_span), "the type differs");
        }
        self.field("label", before.label.as_ref(), after.label.as_ref());
        self.field("description", before.description.as_ref(), after.description.as_ref());
        self.field("default", before.default.as_ref(), after.default.as_ref());
        self.field("hidden", before.hidden.as_ref(), after.hidden.as_ref());
        self.field("immutable", before.immutable.as_ref(), after.immutable.as_ref());
        self.tags(before.tags.as_ref(), after.tags.as_ref());
        self.extensions(&before.extensions, &after.extensions);
        self.compare_at("constraints", |this| {
            if before.constraints.len() != after.constraints.len() {
                this.report(
                    Some(before.name_span),
                    Some(after.name_span),
                    "the number of constraints differs",
                );
            }
            for (one, other) in before.constraints.iter().zip(&after.constraints) {
                this.constraint(one, other);
            }
        });
    }

    /// Tags have no effect on a stack; a caller that drops them declares it.
    fn tags(&mut self, before: Option<&Expr>, after: Option<&Expr>) {
        if let (Some(tags), None) = (before, after)
            && self.declared.get(&tags.span).is_some_and(|left| left.kind == ExprKind::Null)
        {
            return;
        }
        self.field("tags", before, after);
    }

    fn constraint(&mut self, before: &ParameterConstraint, after: &ParameterConstraint) {
        self.optional(before.description.as_ref(), after.description.as_ref());
        // Heat ignores the other kinds of an entry, so extensions are not compared.
        match (&before.kind, &after.kind) {
            (ConstraintKind::Range(one), ConstraintKind::Range(other))
            | (ConstraintKind::Length(one), ConstraintKind::Length(other))
            | (ConstraintKind::Modulo(one), ConstraintKind::Modulo(other))
            | (ConstraintKind::AllowedValues(one), ConstraintKind::AllowedValues(other))
            | (ConstraintKind::AllowedPattern(one), ConstraintKind::AllowedPattern(other))
            | (ConstraintKind::Custom(one), ConstraintKind::Custom(other)) => {
                self.exprs(one, other);
            }
            (ConstraintKind::Missing, ConstraintKind::Missing) => {}
            _ => self.report(Some(before.span), Some(after.span), "the kind of constraint differs"),
        }
    }

    fn resource(&mut self, before: &Resource, after: &Resource) {
        if kind(before) != kind(after) {
            self.report(Some(before.name_span), Some(after.name_span), "the type differs");
        }
        self.field("properties", before.properties.as_ref(), after.properties.as_ref());
        self.field("metadata", before.metadata.as_ref(), after.metadata.as_ref());
        self.field("update_policy", before.update_policy.as_ref(), after.update_policy.as_ref());
        self.field("external_id", before.external_id.as_ref(), after.external_id.as_ref());
        self.field("condition", before.condition.as_ref(), after.condition.as_ref());
        self.field("description", before.description.as_ref(), after.description.as_ref());
        self.extensions(&before.extensions, &after.extensions);
        if !same_dependencies(before, after) {
            self.report(Some(before.name_span), Some(after.name_span), "the dependencies differ");
        }
        self.compare_at("deletion_policy", |this| {
            match (&before.deletion_policy, &after.deletion_policy) {
                (Some(DeletionPolicy::Other(one)), Some(DeletionPolicy::Other(other))) => {
                    this.exprs(one, other);
                }
                (one, other) if one == other => {}
                _ => this.report(
                    Some(before.name_span),
                    Some(after.name_span),
                    "the deletion policy differs",
                ),
            }
        });
    }

    /// Compares two expressions; the first may have a declared replacement.
    fn exprs(&mut self, before: &Expr, after: &Expr) {
        match self.declared.get(&before.span) {
            // A part of the first stack that moves up here may itself have a declared replacement.
            Some(expected) if expected.span != before.span => self.exprs(expected, after),
            Some(expected) => self.kinds(expected, after),
            None => self.kinds(before, after),
        }
    }

    fn list(&mut self, before: &[Expr], after: &[Expr], spans: (Span, Span)) {
        if before.len() != after.len() {
            let message = format!("{} items became {}", before.len(), after.len());
            return self.report(Some(spans.0), Some(spans.1), message);
        }
        for (at, (one, other)) in before.iter().zip(after).enumerate() {
            let outside = self.enter("");
            // Writing to a text cannot fail.
            let _ = write!(self.path, "{at}");
            self.exprs(one, other);
            self.path.truncate(outside);
        }
    }

    fn kinds(&mut self, before: &Expr, after: &Expr) {
        // The common parts of both stacks are the same, unless a replacement of a part of it is declared.
        if self.declared.is_empty() && is_same(before, after) {
            return;
        }
        let shared = before.kind.shared_parts().zip(after.kind.shared_parts());
        if shared.is_some_and(|pair| self.known_equal.contains(&pair)) {
            return;
        }
        let found = self.differences.len();
        self.compare_kinds(before, after);
        if let Some(pair) = shared
            && self.differences.len() == found
        {
            self.known_equal.insert(pair);
        }
    }

    fn compare_kinds(&mut self, before: &Expr, after: &Expr) {
        let spans = (before.span, after.span);
        // An assertion that a value is text does not change the value wherever it worked.
        if let ExprKind::AssertText(inner) = &before.kind {
            match &after.kind {
                ExprKind::AssertText(other) => return self.exprs(inner, other),
                _ => return self.exprs(inner, after),
            }
        }
        if let ExprKind::Unary(UnaryFunction::ReplaceInMap, operands) = &after.kind
            && !matches!(before.kind, ExprKind::Unary(UnaryFunction::ReplaceInMap, _))
            && let Some(pairs) = renamed(operands)
        {
            let after = Expr { kind: ExprKind::Map(pairs.into()), span: after.span };
            return self.kinds(before, &after);
        }
        if let (ExprKind::Select(one), ExprKind::Parameter(other)) = (&before.kind, &after.kind)
            && let Some(list) = self.list_of_texts(&one.collection)
            && let [index] = other.path.as_slice()
            && !self.shape(&one.index).intersects(TypeSet::NUMBER)
        {
            self.exprs(&list.name, &other.name);
            return self.exprs(&one.index, index);
        }
        // An expression that fails for every input may become anything.
        if let ExprKind::Select(selection) = &before.kind
            && let ExprKind::AssertText(inner) = &selection.collection.kind
            && !self.shape(inner).intersects(TypeSet::TEXT)
        {
            return;
        }
        let mut same = true;
        match (&before.kind, &after.kind) {
            (ExprKind::Null, ExprKind::Null) => {}
            (ExprKind::Bool(one), ExprKind::Bool(other)) => same = one == other,
            (ExprKind::Int(one), ExprKind::Int(other)) => same = one == other,
            (ExprKind::Float(one), ExprKind::Float(other)) => {
                same = one.to_bits() == other.to_bits();
            }
            (ExprKind::Text(one), ExprKind::Text(other))
            | (ExprKind::Date(one), ExprKind::Date(other))
            | (ExprKind::Condition(one), ExprKind::Condition(other)) => same = one == other,
            (ExprKind::Bytes(one), ExprKind::Bytes(other)) => same = one == other,
            (ExprKind::Facade(one), ExprKind::Facade(other)) => same = one == other,
            (ExprKind::List(one), ExprKind::List(other))
            | (ExprKind::Set(one), ExprKind::Set(other))
            | (ExprKind::And(one), ExprKind::And(other))
            | (ExprKind::Or(one), ExprKind::Or(other)) => self.list(one, other, spans),
            (ExprKind::Equals(one), ExprKind::Equals(other)) => {
                self.list(&**one, &**other, spans);
            }
            (ExprKind::Map(one), ExprKind::Map(other)) => self.maps(one, other, spans),
            (ExprKind::Parameter(one), ExprKind::Parameter(other)) => {
                self.exprs(&one.name, &other.name);
                self.list(&one.path, &other.path, spans);
            }
            (ExprKind::Attribute(one), ExprKind::Attribute(other)) => {
                self.exprs(&one.resource, &other.resource);
                self.optional(one.attribute.as_ref(), other.attribute.as_ref());
                self.list(&one.path, &other.path, spans);
                same = one.fetch == other.fetch || !self.fetch_matters(one);
            }
            (ExprKind::Resource(one), ExprKind::Resource(other))
            | (ExprKind::File(one), ExprKind::File(other))
            | (ExprKind::Zones(one), ExprKind::Zones(other))
            | (ExprKind::Not(one), ExprKind::Not(other)) => self.exprs(one, other),
            (ExprKind::Lookup(one), ExprKind::Lookup(other)) => {
                self.exprs(&one.table, &other.table);
                self.exprs(&one.key, &other.key);
                self.exprs(&one.item, &other.item);
            }
            (ExprKind::Select(one), ExprKind::Select(other)) => {
                self.exprs(&one.index, &other.index);
                self.exprs(&one.collection, &other.collection);
            }
            (ExprKind::Join(one), ExprKind::Join(other)) => {
                self.exprs(&one.delimiter, &other.delimiter);
                self.joined(one, other, spans);
                same = one.policy == other.policy
                    || other.policy == JoinPolicy::AnyItems
                    || self.only_texts(one);
            }
            (ExprKind::Split(one), ExprKind::Split(other)) => {
                self.exprs(&one.delimiter, &other.delimiter);
                self.exprs(&one.text, &other.text);
                self.optional(one.index.as_ref(), other.index.as_ref());
                same = match (one.policy, other.policy) {
                    (SplitPolicy::NullStays, SplitPolicy::TextOnly) => {
                        !self.shape(&one.text).intersects(TypeSet::NULL)
                    }
                    _ => true,
                };
            }
            (ExprKind::Replace(one), ExprKind::Replace(other)) => {
                self.exprs(&one.template, &other.template);
                self.exprs(&one.params, &other.params);
                same = self.replaces(one, other);
            }
            (ExprKind::Repeat(one), ExprKind::Repeat(other)) => {
                self.exprs(&one.template, &other.template);
                self.exprs(&one.for_each, &other.for_each);
                let sources = one.sources == other.sources
                    || other.sources == RepeatSources::ListsOrMaps
                    || self.only_lists(&one.for_each);
                same = sources && one.permutations == other.permutations;
            }
            (ExprKind::MemberList(one), ExprKind::MemberList(other)) => {
                same = one.key == other.key && one.value == other.value;
                self.exprs(&one.list, &other.list);
            }
            (ExprKind::Yaql(one), ExprKind::Yaql(other)) => {
                self.exprs(&one.expression, &other.expression);
                self.optional(one.data.as_ref(), other.data.as_ref());
            }
            (ExprKind::Choose(one), ExprKind::Choose(other)) => self.choices(one, other),
            (ExprKind::Unary(function, one), ExprKind::Unary(of, other)) if function == of => {
                self.exprs(one, other);
            }
            (ExprKind::Binary(function, one), ExprKind::Binary(of, other)) if function == of => {
                one.iter().zip(&**other).for_each(|(one, other)| self.exprs(one, other));
            }
            (ExprKind::Computed(one), ExprKind::Computed(other)) => {
                same = one.function == other.function;
                self.exprs(&one.arguments, &other.arguments);
            }
            (ExprKind::Invalid(one), ExprKind::Invalid(other)) => {
                same = one.function == other.function;
                self.exprs(&one.argument, &other.argument);
            }
            // A name that is data fails where it is written, and where a call returns it.
            (ExprKind::Invalid(one), ExprKind::Parameter(other)) => match &one.argument.kind {
                ExprKind::List(items)
                    if one.function == "get_param" && items.len() == other.path.len() + 1 =>
                {
                    self.exprs(&items[0], &other.name);
                    self.list(&items[1..], &other.path, spans);
                }
                _ => same = false,
            },
            (ExprKind::Invalid(one), ExprKind::Computed(other))
                if one.function == other.function.hot_name() =>
            {
                self.exprs(&one.argument, &other.arguments);
            }
            (ExprKind::Invalid(one), ExprKind::File(name)) if one.function == "get_file" => {
                self.exprs(&one.argument, name);
            }
            _ => same = false,
        }
        if !same {
            self.report(Some(spans.0), Some(spans.1), "the meaning differs");
        }
    }

    /// A parameter that is a list of texts: for every index that both interpret alike, `Fn::Select` and a
    /// path find the same item.
    fn list_of_texts<'e>(&self, expr: &'e Expr) -> Option<&'e ParameterRef> {
        match &expr.kind {
            ExprKind::Parameter(parameter) => {
                let declared = self.before.parameters.get(parameter.name.as_text()?)?;
                let whole = parameter.path.is_empty();
                (whole && declared.kind == Some(ParameterType::TextList)).then_some(&**parameter)
            }
            _ => None,
        }
    }

    fn choices(&mut self, before: &Choice, after: &Choice) {
        self.exprs(&before.condition, &after.condition);
        self.exprs(&before.then, &after.then);
        self.optional(before.otherwise.as_ref(), after.otherwise.as_ref());
    }

    fn maps(&mut self, before: &[Pair], after: &[Pair], spans: (Span, Span)) {
        if before.len() != after.len() {
            let message = format!("{} keys became {}", before.len(), after.len());
            return self.report(Some(spans.0), Some(spans.1), message);
        }
        for (at, one) in before.iter().enumerate() {
            // The order has no meaning in a map, but is nearly always the same.
            let other = match &after[at] {
                other if same_key(&one.key, &other.key) => Some(other),
                _ => after.iter().find(|other| same_key(&one.key, &other.key)),
            };
            let name = one.key.as_text().unwrap_or("?");
            let outside = self.enter(name);
            match other {
                Some(other) => self.exprs(&one.value, &other.value),
                None => self.report(Some(one.key.span), Some(spans.1), "is missing"),
            }
            self.path.truncate(outside);
        }
    }

    /// Compares joins; literal lists that are joined one after the other count as one list.
    fn joined(&mut self, before: &Join, after: &Join, spans: (Span, Span)) {
        let flat = |join: &Join| -> Option<Shared<[Expr]>> {
            let mut items = Vec::new();
            for list in &join.lists {
                match &list.kind {
                    ExprKind::List(list) => items.extend(list.iter().cloned()),
                    _ => return None,
                }
            }
            Some(items.into())
        };
        if before.lists.len() == after.lists.len() {
            return self.list(&before.lists, &after.lists, spans);
        }
        match (flat(before), flat(after)) {
            (Some(one), Some(other)) => self.list(&one, &other, spans),
            _ => self.report(Some(spans.0), Some(spans.1), "the lists differ"),
        }
    }

    fn shape(&self, expr: &Expr) -> TypeSet {
        type_set_of(expr, self.before, self.facts)
    }

    /// True if every item of a join is certainly text or null.
    fn only_texts(&self, join: &Join) -> bool {
        join.lists.iter().all(|list| match &list.kind {
            ExprKind::List(items) => items
                .iter()
                .all(|item| self.shape(item).is_subset(TypeSet::TEXT.union(TypeSet::NULL))),
            // A list of texts; null and other falsy values are not included.
            ExprKind::Parameter(_) | ExprKind::Split(_) => {
                self.shape(list).is_subset(TypeSet::LIST)
            }
            _ => false,
        })
    }

    fn only_lists(&self, for_each: &Expr) -> bool {
        match &for_each.kind {
            ExprKind::Map(pairs) => pairs
                .iter()
                .all(|pair| self.shape(&pair.value).is_subset(TypeSet::LIST.union(TypeSet::NULL))),
            _ => false,
        }
    }

    fn replaces(&self, before: &Replace, after: &Replace) -> bool {
        let scalars =
            TypeSet::TEXT.union(TypeSet::NUMBER).union(TypeSet::BOOLEAN).union(TypeSet::NULL);
        let values = before.values == after.values
            || after.values == ReplaceValues::Any
            || match &before.params.kind {
                ExprKind::Map(pairs) => {
                    pairs.iter().all(|pair| self.shape(&pair.value).is_subset(scalars))
                }
                _ => false,
            };
        // Weaker requirements on the placeholders accept everything that worked.
        let strictness = |keys| match keys {
            ReplaceKeys::MayBeMissing => 0,
            ReplaceKeys::MustOccur => 1,
            ReplaceKeys::MustOccurWithValue => 2,
        };
        values && strictness(after.keys) <= strictness(before.keys)
    }

    /// Whether this attribute's value depends on who applies its path.
    fn fetch_matters(&self, attribute: &AttributeRef) -> bool {
        !attribute.path.is_empty() && path_matters(attribute, self.before, self.facts)
    }
}

/// Whether the value of an attribute with a path depends on whether Heat or the resource applies the path. A computed
/// name may be any attribute.
pub fn path_matters(attribute: &AttributeRef, stack: &Stack, facts: &dyn TypeFacts) -> bool {
    let matters = |resource: &Resource| {
        let Some(kind) = &resource.kind else { return false };
        match attribute.attribute.as_ref().map(Expr::as_text) {
            Some(Some(name)) => facts.path_matters(&kind.text, name),
            Some(None) => facts.has_members(&kind.text),
            None => false,
        }
    };
    match attribute.resource.as_text() {
        Some(name) => stack.resources.get(name).is_some_and(matters),
        None => stack.resources.values().any(matters),
    }
}

fn kind(resource: &Resource) -> Option<&str> {
    resource.kind.as_ref().map(|kind| kind.text.as_str())
}

/// Whether both have the same dependencies; their order and repetition have no meaning.
/// Whether both are one allocation.
fn is_same(one: &Expr, other: &Expr) -> bool {
    match (&one.kind, &other.kind) {
        (ExprKind::List(one), ExprKind::List(other)) => one.is_same(other),
        (ExprKind::Map(one), ExprKind::Map(other)) => one.is_same(other),
        _ => false,
    }
}

fn same_dependencies(before: &Resource, after: &Resource) -> bool {
    fn names(resource: &Resource) -> impl Iterator<Item = &str> {
        resource.depends_on.iter().map(|dependency| dependency.text.as_str())
    }
    let set = |resource| names(resource).collect::<BTreeSet<_>>();
    names(before).eq(names(after)) || set(before) == set(after)
}

fn same_key(one: &Expr, other: &Expr) -> bool {
    match (&one.kind, &other.kind) {
        (ExprKind::Float(one), ExprKind::Float(other)) => one.to_bits() == other.to_bits(),
        (one, other) => one == other,
    }
}

/// The map that a literal renaming of keys yields: the form that prevents Heat from treating a map as
/// a call.
fn renamed(operands: &Expr) -> Option<Vec<Pair>> {
    let ExprKind::List(list) = &operands.kind else { return None };
    let [map, replacements] = list.as_slice() else { return None };
    let (ExprKind::Map(pairs), ExprKind::Map(replacements)) = (&map.kind, &replacements.kind)
    else {
        return None;
    };
    let [Pair { key, value: names }] = replacements.as_slice() else { return None };
    let (Some("keys"), ExprKind::Map(names)) = (key.as_text(), &names.kind) else { return None };
    let mut result: Vec<Pair> = Vec::with_capacity(pairs.len());
    for pair in pairs {
        let old = pair.key.as_text()?;
        let new = names.iter().find(|name| name.key.as_text() == Some(old)).map(|name| &name.value);
        let key = match new {
            Some(new) => Expr { kind: ExprKind::Text(new.as_text()?.into()), span: pair.key.span },
            None => pair.key.clone(),
        };
        let taken = |other: &Pair| same_key(&other.key, &key);
        if new.is_some() && (pairs.iter().any(taken) || result.iter().any(taken)) {
            return None;
        }
        result.push(Pair { key, value: pair.value.clone() });
    }
    Some(result)
}
