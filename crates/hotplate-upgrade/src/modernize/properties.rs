//! Walks the properties of a resource and proposes the names that a plugin reads instead of discouraged ones.

use super::moves::{MoveForm, Renaming, ValueLimit, loop_keeps_keys};
use super::plan::Planner;
use crate::fragment::Fragment;
use crate::rule::{Rewrite, RewriteEffect, TextChange};
use crate::rules::{PROPERTY_NAME_RULE, PROPERTY_VALUE_RULE};
use crate::value::to_value;
use heat_engine::eval::typed_properties::TranslatedItem;
use heat_template::ir::types::{TypeSet, type_set_of};
use heat_template::ir::{Expr, ExprKind, Pair, UnaryFunction};
use lossless_yaml::{Entry, NodeId, NodeKind, Value};
use python_semantics::number::Integer;

impl Planner<'_> {
    /// The properties of a resource or a member.
    pub(super) fn properties(&mut self, renamings: &[Renaming], written: &Expr) {
        if !renamings.is_empty() {
            self.value(written, renamings, &mut Vec::new());
        }
    }

    fn value(&mut self, expr: &Expr, renamings: &[Renaming], scope: &mut Vec<&'static str>) {
        match &expr.kind {
            ExprKind::Map(pairs) => self.map(expr, pairs, renamings, scope),
            ExprKind::List(items) => {
                items.iter().for_each(|item| self.value(item, renamings, scope));
            }
            ExprKind::Choose(choice) => {
                self.value(&choice.then, renamings, scope);
                if let Some(otherwise) = &choice.otherwise {
                    self.value(otherwise, renamings, scope);
                }
            }
            ExprKind::Repeat(repeat)
                if loop_keeps_keys(repeat, renamings.iter().map(|it| &it.of)) =>
            {
                self.value(&repeat.template, renamings, scope);
            }
            ExprKind::Unary(UnaryFunction::Concat, lists) => self.value(lists, renamings, scope),
            ExprKind::Invalid(_) => {}
            _ if expr.is_literal() => {}
            _ => self.computed(expr, renamings, scope),
        }
    }

    fn map(
        &mut self,
        map: &Expr,
        pairs: &[Pair],
        renamings: &[Renaming],
        scope: &mut Vec<&'static str>,
    ) {
        for renaming in renamings.iter().filter(|it| it.of.scope == *scope) {
            let has = |name: &str| pairs.iter().find(|pair| pair.key.as_text() == Some(name));
            let Some(pair) = has(renaming.old) else { continue };
            if renaming.of.form == MoveForm::Part {
                self.part(pair, renaming);
            } else if has(renaming.new).is_some() {
                let message =
                    format!("`{}` and its old name `{}` are both set", renaming.new, renaming.old);
                let help = "Heat refuses both with a value; remove one of them";
                self.proposals.by_hand(pair.key.span, message, help);
            } else {
                self.rename(map, pair, renaming);
            }
        }
        for pair in pairs {
            let below = pair.key.as_text().and_then(|key| {
                let mut steps = renamings
                    .iter()
                    .filter(|it| it.of.scope.starts_with(scope))
                    .filter_map(|it| it.of.scope.get(scope.len()));
                steps.find(|step| **step == key)
            });
            if let Some(step) = below {
                scope.push(step);
                self.value(&pair.value, renamings, scope);
                scope.pop();
            }
        }
    }

    /// Reports a value in a map that the plugin reads from beside the map.
    fn part(&mut self, holder: &Pair, renaming: &Renaming) {
        let Renaming { old, new, .. } = renaming;
        let ExprKind::Map(pairs) = &holder.value.kind else {
            return self
                .proposals
                .unseen(&holder.value, &format!("whether `{old}` contains `{new}`"));
        };
        if let Some(pair) = pairs.iter().find(|pair| pair.key.as_text() == Some(new)) {
            let message = format!("`{new}` stays in `{old}`, which is deprecated");
            let help =
                format!("write it beside `{old}`, and remove `{old}` if nothing is left in it");
            self.proposals.by_hand(pair.key.span, message, help);
        }
    }

    /// Proposes another name for a key, or says why it keeps its name.
    fn rename(&mut self, map: &Expr, pair: &Pair, renaming: &Renaming) {
        let Renaming { old, new, of } = renaming;
        let span = pair.key.span;
        let effect = match of.limit {
            ValueLimit::Any => RewriteEffect::Exact,
            ValueLimit::Data if pair.value.is_data() => RewriteEffect::Exact,
            ValueLimit::Data => {
                let message = format!("`{old}` keeps its old name: its value is computed");
                let help = format!(
                    "Heat moves the value of `{}` before it resolves functions, and refuses it then; write the value out to use `{new}`",
                    of.source
                );
                return self.proposals.by_hand(span, message, help);
            }
            ValueLimit::NotNull => match self.nullness(&pair.value) {
                Nullness::Never => RewriteEffect::Exact,
                Nullness::Always => {
                    let message = format!("`{old}` keeps its old name: its value is null");
                    let help = format!(
                        "remove `{old}`: with it the property has no value, with `{new}: null` it is an empty string"
                    );
                    return self.proposals.by_hand(span, message, help);
                }
                Nullness::Maybe => RewriteEffect::Conditional(format!(
                    "the value is not null (with `{old}: null` the property has no value, with `{new}: null` it is an empty string)"
                )),
            },
            ValueLimit::NotEmpty => match &pair.value.kind {
                ExprKind::Text(text) if !text.is_empty() => RewriteEffect::Exact,
                ExprKind::Resource(_) => RewriteEffect::Exact,
                ExprKind::Text(_) | ExprKind::Null => {
                    let message = format!("`{old}` has no effect: its value is empty");
                    return self.proposals.by_hand(span, message, "remove it".to_owned());
                }
                _ => RewriteEffect::Conditional(format!("`{old}` is not empty")),
            },
        };
        let Some(key) = self.proposals.scalar(span) else { return };
        let Some(map_node) = self.proposals.map_node(map.span) else { return };
        let NodeKind::Mapping(mapping) = self.document.kind(map_node) else { return };
        let entry = mapping.entries.iter().find(|it| it.key == key);
        let same = |it: &&Entry| self.document.str(it.key) == Some(*old);
        let (Some(entry), 0..=1) = (entry, mapping.written().iter().filter(same).count()) else {
            let message = format!("`{old}` occurs twice here");
            return self.proposals.by_hand(span, message, format!("keep one, as `{new}`"));
        };
        let mut changes = vec![TextChange::Scalar { node: key, text: (*new).to_owned() }];
        let rule = match of.form {
            MoveForm::Value | MoveForm::Part => PROPERTY_NAME_RULE.name,
            MoveForm::Item(item) => {
                let node = entry.value;
                let value = self.moved(node, &pair.value, map_node);
                let Some(value) = value.filter(|_| !self.replaced.contains(&node)) else {
                    let message = format!(
                        "`{old}` keeps its old name: its value is an alias, or is rewritten, too"
                    );
                    let help = "run the command again with the result, or write the value out";
                    return self.proposals.by_hand(span, message, help);
                };
                let items = vec![item_of(item, value, map_node)];
                let with = Fragment::List { items, like: map_node };
                changes.push(TextChange::Node { node, with });
                PROPERTY_VALUE_RULE.name
            }
        };
        self.proposals.propose(rule, Rewrite::exact(key, changes).with_effect(effect), span);
    }

    /// The value of a property at another place; `None` for an alias.
    fn moved(&self, node: NodeId, value: &Expr, like: NodeId) -> Option<Fragment> {
        if self.document.resolve(node) != node || self.document.has_anchor(node) {
            return None;
        }
        if let Some(call) = self.lowered.calls.iter().find(|call| call.node == node) {
            let argument = Fragment::Node(call.entry.value);
            return Some(Fragment::call(call.function.name, argument, like));
        }
        to_value(value).map(Fragment::Literal)
    }

    /// A value that a function computes: old names in its arguments are not renamed.
    fn computed(&mut self, expr: &Expr, renamings: &[Renaming], scope: &[&'static str]) {
        let below = |it: &&Renaming| it.of.scope.starts_with(scope) && it.of.form != MoveForm::Part;
        let below: Vec<&Renaming> = renamings.iter().filter(below).collect();
        if below.is_empty() {
            return;
        }
        let mut found = Vec::new();
        expr.walk(&mut |part: &Expr| {
            let ExprKind::Map(pairs) = &part.kind else { return };
            for pair in pairs {
                let old = below.iter().find(|it| pair.key.as_text() == Some(it.old));
                found.extend(old.map(|it| (pair.key.span, it.old, it.new)));
            }
        });
        if found.is_empty() {
            let names: Vec<String> = below.iter().map(|it| format!("`{}`", it.old)).collect();
            self.proposals
                .unseen(expr, &format!("whether this value contains {}", names.join(" or ")));
        }
        for (span, old, new) in found {
            let message = format!("`{old}` in an argument of a function keeps its name");
            let help = format!(
                "rename it to `{new}` where the result of the function has only one of both names"
            );
            self.proposals.by_hand(span, message, help);
        }
    }

    fn nullness(&self, value: &Expr) -> Nullness {
        match &value.kind {
            ExprKind::Null => Nullness::Always,
            // Heat creates the resource first.
            ExprKind::Resource(_) => Nullness::Never,
            ExprKind::Choose(choice) => {
                let then = self.nullness(&choice.then);
                // Without it, the pair is left out.
                let otherwise = choice.otherwise.as_ref().map_or(then, |it| self.nullness(it));
                if then == otherwise { then } else { Nullness::Maybe }
            }
            _ => {
                let kinds = type_set_of(value, &self.lowered.stack, self.schema);
                if kinds.intersects(TypeSet::NULL) { Nullness::Maybe } else { Nullness::Never }
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Nullness {
    Never,
    Maybe,
    Always,
}

/// The text of an item that Heat creates of a value.
fn item_of(item: &TranslatedItem, value: Fragment, like: NodeId) -> Fragment {
    match item {
        TranslatedItem::Itself => value,
        TranslatedItem::Keyed(key, (other, number)) => {
            let number = Fragment::Literal(Value::Int(Integer::Small(*number)));
            Fragment::Map { pairs: vec![(key, value), (other, number)], like }
        }
    }
}
