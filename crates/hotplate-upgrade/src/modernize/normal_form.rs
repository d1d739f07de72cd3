//! The stack as Heat's plugins see it: each property under the name that the plugin reads, each type under the name of
//! its implementation. Two texts of a template with the same normal form have the same translated properties.
//!
//! Heat's rule: `docs/heat.md#translation-rules`.

use std::borrow::Cow;

use super::moves::{MoveForm, PropertyMove, loop_keeps_keys, moves};
use super::plan::member_type;
use super::successors::Succession;
use super::{Modernize, known_type, plugin_type};
use heat_engine::eval::typed_properties::TranslatedItem;
use heat_template::ir::equivalence::DeclaredChanges;
use heat_template::ir::{Choice, Expr, ExprKind, Pair, Repeat, Shared, Stack, UnaryFunction};
use heat_template::schema::{HeatGroup, MemberDefinition, Schema};
use python_semantics::number::Integer;
use source_diagnostics::Span;

/// Computes the normal forms of both texts of a template. Two names of a property have the same one; in all else, a normal form
/// is as different as the stack, so that `ir::equivalence` compares it.
pub(crate) struct NormalForm<'a> {
    pub(crate) schema: &'static Schema,
    pub(crate) modernize: &'a Modernize,
    /// The types of resources that become others.
    pub(crate) successions: &'a [Succession],
    /// The declared meanings of parts, which get their normal form, too.
    pub(crate) declared: &'a mut DeclaredChanges,
}

impl NormalForm<'_> {
    pub(crate) fn of(&mut self, stack: &Stack) -> Stack {
        let mut stack = stack.clone();
        for (name, resource) in &mut stack.resources {
            let Some(kind) = &mut resource.kind else { continue };
            let mut properties = resource.properties.take();
            if let Some(succession) = self.successions.iter().find(|it| it.resource == *name) {
                kind.text = succession.row.to.into();
                properties = properties.map(|it| succession.renamed(&it));
            }
            resource.properties = properties.map(|it| self.properties(&kind.text, &it));
            kind.text = self.real_type(&kind.text).into();
        }
        stack
    }

    /// The name of the implementation of a type, unless an environment maps it.
    pub(crate) fn real_type<'k>(&self, kind: &'k str) -> Cow<'k, str> {
        if self.modernize.maps(kind) {
            return Cow::Borrowed(kind);
        }
        let real = self.schema.real_name(kind);
        match known_type(self.schema, &real).and_then(|info| info.support.substitute) {
            Some(substitute) => Cow::Borrowed(substitute),
            None => real,
        }
    }

    fn properties(&mut self, kind: &str, written: &Expr) -> Expr {
        let Some(info) = plugin_type(self.schema, self.modernize, kind) else {
            return written.clone();
        };
        match self.schema.group(kind).and_then(HeatGroup::members) {
            None => self.value(written, &moves(info), &mut Vec::new()),
            Some(MemberDefinition::Definition(property)) => {
                replaced(written, property, &mut |definition| self.member(definition))
            }
            Some(MemberDefinition::Chain { types, properties }) => {
                let Some(ExprKind::List(kinds)) = written.member(types).map(|it| &it.kind) else {
                    return written.clone();
                };
                let real = |kind: &Expr| match kind.as_text() {
                    Some(text) => Expr::new(ExprKind::Text(self.real_type(text).into()), kind.span),
                    None => kind.clone(),
                };
                let kinds: Vec<Expr> = kinds.iter().map(real).collect();
                let common = super::common(kinds.iter().map(|kind| {
                    let info = plugin_type(self.schema, self.modernize, kind.as_text()?)?;
                    Some(moves(info))
                }));
                let list = ExprKind::List(kinds.into());
                let written = replaced(written, types, &mut |it| Expr::new(list.clone(), it.span));
                replaced(&written, properties, &mut |it| self.value(it, &common, &mut Vec::new()))
            }
        }
    }

    /// The definition of a group's member.
    fn member(&mut self, definition: &Expr) -> Expr {
        let Some(kind) = member_type(definition).and_then(Expr::as_text) else {
            return definition.clone();
        };
        let definition = replaced(definition, "properties", &mut |it| self.properties(kind, it));
        let real = ExprKind::Text(self.real_type(kind).into());
        replaced(&definition, "type", &mut |it| Expr::new(real.clone(), it.span))
    }

    fn value(
        &mut self,
        expr: &Expr,
        moves: &[PropertyMove],
        scope: &mut Vec<&'static str>,
    ) -> Expr {
        if moves.is_empty() {
            return expr.clone();
        }
        if let Some(meaning) = self.declared.remove(&expr.span) {
            let meaning = self.value(&meaning, moves, scope);
            self.declared.insert(expr.span, meaning);
        }
        let mut each = |expr: &Expr| self.value(expr, moves, scope);
        let kind = match &expr.kind {
            ExprKind::List(items) => ExprKind::List(items.iter().map(each).collect()),
            ExprKind::Choose(choice) => ExprKind::Choose(Shared::new(Choice {
                condition: choice.condition.clone(),
                then: each(&choice.then),
                otherwise: choice.otherwise.as_ref().map(each),
            })),
            ExprKind::Repeat(repeat) if loop_keeps_keys(repeat, moves.iter()) => {
                let template = each(&repeat.template);
                ExprKind::Repeat(Shared::new(Repeat { template, ..(**repeat).clone() }))
            }
            ExprKind::Unary(UnaryFunction::Concat, lists) => {
                ExprKind::Unary(UnaryFunction::Concat, Shared::new(each(lists)))
            }
            ExprKind::Map(pairs) => ExprKind::Map(self.map(pairs, moves, scope).into()),
            _ => return expr.clone(),
        };
        Expr::new(kind, expr.span)
    }

    fn map(
        &mut self,
        pairs: &[Pair],
        moves: &[PropertyMove],
        scope: &mut Vec<&'static str>,
    ) -> Vec<Pair> {
        let mut pairs = pairs.to_vec();
        // A key of a map stays there, in both texts.
        let moved = |it: &&PropertyMove| it.scope == *scope && it.form != MoveForm::Part;
        for it in moves.iter().filter(moved) {
            let position = |pairs: &[Pair], name| {
                pairs.iter().position(|pair| pair.key.as_text() == Some(name))
            };
            // With both, Heat refuses one of the values: then they are not the same.
            let (Some(at), None) = (position(&pairs, it.source), position(&pairs, it.target))
            else {
                continue;
            };
            let Some(pair) = pairs.get_mut(at) else { continue };
            pair.key.kind = ExprKind::Text(it.target.into());
            if let MoveForm::Item(item) = it.form {
                let item = item_of(item, pair.value.clone());
                pair.value = Expr::new(ExprKind::List([item].into()), Span::NOWHERE);
            }
        }
        for pair in &mut pairs {
            let below = pair.key.as_text().and_then(|key| {
                let mut steps = moves.iter().filter_map(|it| it.scope.get(scope.len()));
                steps.find(|step| **step == key)
            });
            if let Some(step) = below {
                scope.push(step);
                pair.value = self.value(&pair.value, moves, scope);
                scope.pop();
            }
        }
        pairs
    }
}

/// The item that Heat creates of a value.
fn item_of(item: &TranslatedItem, value: Expr) -> Expr {
    let text = |text: &str| Expr::new(ExprKind::Text(text.into()), Span::NOWHERE);
    match item {
        TranslatedItem::Itself => value,
        TranslatedItem::Keyed(key, (other, number)) => {
            let number = Expr::new(ExprKind::Int(Integer::Small(*number)), Span::NOWHERE);
            let pairs = [Pair { key: text(key), value }, Pair { key: text(other), value: number }];
            Expr::new(ExprKind::Map(pairs.into()), Span::NOWHERE)
        }
    }
}

/// A map with another value for one of its keys; the same expression if it does not have the key.
fn replaced(expr: &Expr, key: &str, with: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
    let ExprKind::Map(pairs) = &expr.kind else { return expr.clone() };
    let pair = |pair: &Pair| match pair.key.as_text() {
        Some(name) if name == key => Pair { key: pair.key.clone(), value: with(&pair.value) },
        _ => pair.clone(),
    };
    let pairs: Vec<Pair> = pairs.iter().map(pair).collect();
    Expr::new(ExprKind::Map(pairs.into()), expr.span)
}
