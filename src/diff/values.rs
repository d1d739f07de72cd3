//! What differs inside two values.

use std::collections::HashMap;

use super::comparison::{Pair, Places, Shown, Step, ValueChange};
use super::lists;
pub(super) use super::sameness::{Names, Truth, same, same_with};
use crate::diagnostics::Span;
use crate::eval::{Key, Map, Value, python};
use crate::ir::{Expr, ExprKind};

/// What is known of two values beside themselves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Context<'a> {
    /// The real type of the resource that they belong to.
    pub(super) kind: Option<&'a str>,
    /// The property that they are, or the key under which they stand.
    pub(super) name: Option<&'a str>,
    /// The expressions that yield them.
    pub(super) written: Pair<Option<&'a Expr>>,
    /// The names of parameters that are other on the new side.
    pub(super) names: Option<&'a Names>,
}

/// What differs inside two values: maps by their keys, lists as [`lists::align`] aligns them, all
/// else as a whole. An item that only stands elsewhere is one change, whose path ends in both of its
/// positions. A secret is one value.
pub(super) fn changes(old: &Value, new: &Value, context: &Context<'_>) -> Vec<ValueChange> {
    let none = Names::default();
    let mut walk = Walk {
        kind: context.kind,
        names: context.names.unwrap_or(&none),
        path: Vec::new(),
        found: Vec::new(),
    };
    let written =
        Pair { old: Written::of(context.written.old), new: Written::of(context.written.new) };
    walk.values(old, new, context.name, written);
    walk.found
}

/// Where a part of a value is written.
#[derive(Clone, Copy)]
enum Written<'a> {
    /// As this expression.
    As(&'a Expr),
    /// Somewhere inside: a function yields it.
    Within(Span),
    /// Nowhere.
    Nowhere,
}

impl<'a> Written<'a> {
    fn of(expr: Option<&'a Expr>) -> Self {
        expr.map_or(Written::Nowhere, Written::As)
    }

    fn span(self) -> Option<Span> {
        match self {
            Written::As(expr) => Some(expr.span),
            Written::Within(span) => Some(span),
            Written::Nowhere => None,
        }
    }

    fn under(self, key: &Key) -> Self {
        let Written::As(expr) = self else { return self };
        let within = Written::Within(expr.span);
        let ExprKind::Map(pairs) = &expr.kind else { return within };
        // Of equal keys the last counts.
        let found = pairs.iter().rev().find(|pair| match key.as_text() {
            Some(text) => pair.key.as_text() == Some(text),
            None => false,
        });
        found.map_or(within, |pair| Written::As(&pair.value))
    }

    fn at(self, position: usize) -> Self {
        let Written::As(expr) = self else { return self };
        let within = Written::Within(expr.span);
        let ExprKind::List(items) = &expr.kind else { return within };
        // An item that a condition takes away moves those after it.
        let vanishes = |item: &Expr| match &item.kind {
            ExprKind::Choose(choice) => choice.otherwise.is_none(),
            _ => false,
        };
        match items.get(position) {
            Some(item) if !items[..=position].iter().any(vanishes) => Written::As(item),
            _ => within,
        }
    }
}

struct Walk<'a> {
    kind: Option<&'a str>,
    names: &'a Names,
    path: Vec<Step>,
    found: Vec<ValueChange>,
}

impl<'a> Walk<'a> {
    fn same(&self, old: &Value, new: &Value) -> Truth {
        same_with(old, new, self.names)
    }

    fn found(&mut self, value: Pair<Shown>, written: Pair<Written<'_>>, unresolved: bool) {
        let places = Places { old: written.old.span(), new: written.new.span() };
        self.found.push(ValueChange { path: self.path.clone(), value, places, unresolved });
    }

    fn values(&mut self, old: &Value, new: &Value, name: Option<&str>, written: Pair<Written<'_>>) {
        let truth = self.same(old, new);
        match (truth, old, new) {
            (Truth::Yes, ..) => {}
            (_, Value::Map(one), Value::Map(other)) => self.maps(one, other, written),
            (_, Value::List(one), Value::List(other)) => self.lists(one, other, name, written),
            _ => {
                let value = Pair { old: shown(old), new: shown(new) };
                self.found(value, written, truth == Truth::Unknown);
            }
        }
    }

    /// In the order of the new map, each key that is gone after the one that stood before it.
    fn maps(&mut self, old: &Map, new: &Map, written: Pair<Written<'_>>) {
        let mut gone: HashMap<Option<&Key>, Vec<(&Key, &Value)>> = HashMap::new();
        let mut before = None;
        for (key, value) in old {
            if new.contains_key(key) {
                before = Some(key);
            } else {
                gone.entry(before).or_default().push((key, value));
            }
        }
        self.gone(gone.remove(&None), written.old);
        for (key, value) in new {
            self.path.push(Step::Key(key_text(key)));
            let place = written.new.under(key);
            match old.get(key) {
                Some(before) => {
                    let places = Pair { old: written.old.under(key), new: place };
                    self.values(before, value, key.as_text(), places);
                }
                None => {
                    let places = Pair { old: Written::Nowhere, new: place };
                    self.found(Pair { old: Shown::Absent, new: shown(value) }, places, false);
                }
            }
            self.path.pop();
            self.gone(gone.remove(&Some(key)), written.old);
        }
    }

    fn gone(&mut self, gone: Option<Vec<(&Key, &Value)>>, written: Written<'_>) {
        for (key, value) in gone.into_iter().flatten() {
            self.path.push(Step::Key(key_text(key)));
            let places = Pair { old: written.under(key), new: Written::Nowhere };
            self.found(Pair { old: shown(value), new: Shown::Absent }, places, false);
            self.path.pop();
        }
    }

    fn lists(
        &mut self,
        old: &[Value],
        new: &[Value],
        name: Option<&str>,
        written: Pair<Written<'_>>,
    ) {
        let rule = lists::rule(self.kind, name);
        let names = self.names;
        let equal = |one: &Value, other: &Value| {
            !names.is_empty() && one.holds_unknown() && same_with(one, other, names) == Truth::Yes
        };
        for item in lists::align(old, new, rule, &equal) {
            let pair =
                Pair { old: item.at.old.map(|at| &old[at]), new: item.at.new.map(|at| &new[at]) };
            let places = Pair {
                old: item.at.old.map_or(Written::Nowhere, |at| written.old.at(at)),
                new: item.at.new.map_or(Written::Nowhere, |at| written.new.at(at)),
            };
            self.path.push(Step::Item { at: item.at, by: item.by });
            match (pair.old, pair.new) {
                (Some(one), Some(other)) => {
                    if item.moved {
                        let value = Pair { old: shown(one), new: shown(other) };
                        self.found(value, places, false);
                    }
                    // A scalar that is other at its new place is one change.
                    let inside = [one, other]
                        .iter()
                        .all(|value| matches!(value, Value::Map(_) | Value::List(_)));
                    if !item.moved || inside {
                        self.values(one, other, name, places);
                    }
                }
                (one, other) => {
                    let or_none = |value: Option<&Value>| value.map_or(Shown::Absent, shown);
                    self.found(Pair { old: or_none(one), new: or_none(other) }, places, false);
                }
            }
            self.path.pop();
        }
    }
}

fn shown(value: &Value) -> Shown {
    Shown::Value(value.clone())
}

fn key_text(key: &Key) -> String {
    match key {
        Key::Text(text) => text.to_string(),
        Key::Other(value) => python::shown(value),
    }
}
