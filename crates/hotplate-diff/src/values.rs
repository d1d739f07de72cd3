//! Determines the differences inside two values.

use std::collections::HashMap;

use super::comparison::{DisplayValue, Pair, PathStep, Places, ValueChange};
pub(super) use super::equality::{ParameterRenames, Ternary, same, same_with};
use super::lists;
use super::name_order::merge_names;
use heat_engine::eval::{Key, Map, Value, python};
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::Span;

/// The facts about two values besides the values themselves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ValueContext<'a> {
    /// The resolved type of the resource that contains them.
    pub(super) resource_type: Option<&'a str>,
    /// The property or key whose values they are.
    pub(super) name: Option<&'a str>,
    /// The expressions that return them.
    pub(super) written: Pair<Option<&'a Expr>>,
    /// The parameters that are renamed on the new side.
    pub(super) parameter_renames: Option<&'a ParameterRenames>,
}

/// The differences inside two values: maps are compared by key, lists as [`lists::align`] aligns them, other
/// values as a whole. An item that only moved is one change, whose path ends with both of its
/// positions. A secret is one value.
pub(super) fn changes(old: &Value, new: &Value, context: &ValueContext<'_>) -> Vec<ValueChange> {
    let none = ParameterRenames::default();
    let mut walk = ValueDiff {
        kind: context.resource_type,
        names: context.parameter_renames.unwrap_or(&none),
        path: Vec::new(),
        found: Vec::new(),
    };
    let written =
        Pair { old: SourceExpr::of(context.written.old), new: SourceExpr::of(context.written.new) };
    walk.values(old, new, context.name, written);
    walk.found
}

/// The location of a part of a value in the template.
#[derive(Clone, Copy)]
enum SourceExpr<'a> {
    As(&'a Expr),
    /// Somewhere inside this span, because a function returns it.
    Within(Span),
    /// Not in the template.
    Nowhere,
}

impl<'a> SourceExpr<'a> {
    fn of(expr: Option<&'a Expr>) -> Self {
        expr.map_or(SourceExpr::Nowhere, SourceExpr::As)
    }

    fn span(self) -> Option<Span> {
        match self {
            SourceExpr::As(expr) => Some(expr.span),
            SourceExpr::Within(span) => Some(span),
            SourceExpr::Nowhere => None,
        }
    }

    /// Adds the names of the files that the expression includes.
    fn collect_files(self, files: &mut Vec<String>) {
        let SourceExpr::As(expr) = self else { return };
        expr.walk(&mut |part: &Expr| {
            if let ExprKind::File(path) = &part.kind
                && let Some(name) = path.as_text()
                && !files.iter().any(|known| known == name)
            {
                files.push(name.to_owned());
            }
        });
    }

    /// The expressions of a map's values, and the location of values without an expression.
    fn pairs(self) -> (HashMap<&'a str, &'a Expr>, Self) {
        let SourceExpr::As(expr) = self else { return (HashMap::new(), self) };
        let within = SourceExpr::Within(expr.span);
        let ExprKind::Map(pairs) = &expr.kind else { return (HashMap::new(), within) };
        // Of equal keys the last one counts.
        let pairs = pairs.iter().filter_map(|pair| Some((pair.key.as_text()?, &pair.value)));
        (pairs.collect(), within)
    }

    /// The expressions of a list's items, and the location of items without an expression. An item that a condition
    /// removes shifts those after it.
    fn items(self) -> (&'a [Expr], Self) {
        let SourceExpr::As(expr) = self else { return (&[], self) };
        let within = SourceExpr::Within(expr.span);
        let ExprKind::List(items) = &expr.kind else { return (&[], within) };
        let sure = items.iter().position(Expr::is_optional_item).unwrap_or(items.len());
        (&items[..sure], within)
    }
}

struct ValueDiff<'a> {
    kind: Option<&'a str>,
    names: &'a ParameterRenames,
    path: Vec<PathStep>,
    found: Vec<ValueChange>,
}

impl<'a> ValueDiff<'a> {
    fn same(&self, old: &Value, new: &Value) -> Ternary {
        same_with(old, new, self.names)
    }

    fn found(
        &mut self,
        value: Pair<DisplayValue>,
        written: Pair<SourceExpr<'_>>,
        unresolved: bool,
    ) {
        let places = Places { old: written.old.span(), new: written.new.span() };
        let mut files = Vec::new();
        [written.old, written.new].iter().for_each(|side| side.collect_files(&mut files));
        self.found.push(ValueChange {
            path: self.path.clone(),
            value,
            places,
            unresolved,
            files,
            text: None,
        });
    }

    fn values(
        &mut self,
        old: &Value,
        new: &Value,
        name: Option<&str>,
        written: Pair<SourceExpr<'_>>,
    ) {
        let truth = self.same(old, new);
        match (truth, old, new) {
            (Ternary::Yes, ..) => {}
            (_, Value::Map(one), Value::Map(other)) => self.maps(one, other, written),
            (_, Value::List(one), Value::List(other)) => self.lists(one, other, name, written),
            _ => {
                let value = Pair { old: shown(old), new: shown(new) };
                self.found(value, written, truth == Ternary::Unknown);
            }
        }
    }

    fn maps<'w>(&mut self, old: &Map, new: &Map, written: Pair<SourceExpr<'w>>) {
        let (old_pairs, new_pairs) = (written.old.pairs(), written.new.pairs());
        for key in merge_names(old.keys(), new.keys()) {
            let (one, other) = (old.get(key), new.get(key));
            let under = |(pairs, within): &(HashMap<&str, &'w Expr>, SourceExpr<'w>)| {
                let found = key.as_text().and_then(|key| pairs.get(key));
                found.map_or(*within, |value| SourceExpr::As(value))
            };
            let places = Pair {
                old: one.map_or(SourceExpr::Nowhere, |_| under(&old_pairs)),
                new: other.map_or(SourceExpr::Nowhere, |_| under(&new_pairs)),
            };
            self.path.push(PathStep::Key(key_text(key)));
            self.maybe_absent(one, other, key.as_text(), places);
            self.path.pop();
        }
    }

    /// Compares two values, one of which may be absent.
    fn maybe_absent(
        &mut self,
        old: Option<&Value>,
        new: Option<&Value>,
        name: Option<&str>,
        written: Pair<SourceExpr<'_>>,
    ) {
        match (old, new) {
            (Some(old), Some(new)) => self.values(old, new, name, written),
            (old, new) => {
                let or_none = |value: Option<&Value>| value.map_or(DisplayValue::Absent, shown);
                self.found(Pair { old: or_none(old), new: or_none(new) }, written, false);
            }
        }
    }

    fn lists(
        &mut self,
        old: &[Value],
        new: &[Value],
        name: Option<&str>,
        written: Pair<SourceExpr<'_>>,
    ) {
        let rule = lists::identity_rule(self.kind, name);
        let names = self.names;
        let equal = |one: &Value, other: &Value| {
            !names.is_empty() && one.holds_unknown() && same_with(one, other, names) == Ternary::Yes
        };
        let (old_items, new_items) = (written.old.items(), written.new.items());
        for item in lists::align(old, new, rule, &equal) {
            let pair =
                Pair { old: item.at.old.map(|at| &old[at]), new: item.at.new.map(|at| &new[at]) };
            let places = Pair {
                old: item.at.old.map_or(SourceExpr::Nowhere, |at| item_at(old_items, at)),
                new: item.at.new.map_or(SourceExpr::Nowhere, |at| item_at(new_items, at)),
            };
            self.path.push(PathStep::Item { at: item.at, by: item.matched });
            // A value that is neither a list nor a map is one change, whether it moved, differs, or both.
            let is_open =
                |value: Option<&Value>| matches!(value, Some(Value::Map(_) | Value::List(_)));
            if item.moved
                && let (Some(one), Some(other)) = (pair.old, pair.new)
            {
                self.found(Pair { old: shown(one), new: shown(other) }, places, false);
            }
            if !item.moved || (is_open(pair.old) && is_open(pair.new)) {
                self.maybe_absent(pair.old, pair.new, name, places);
            }
            self.path.pop();
        }
    }
}

fn item_at<'w>((items, within): (&'w [Expr], SourceExpr<'w>), at: usize) -> SourceExpr<'w> {
    items.get(at).map_or(within, SourceExpr::As)
}

fn shown(value: &Value) -> DisplayValue {
    DisplayValue::Value(value.clone())
}

fn key_text(key: &Key) -> String {
    match key {
        Key::Text(text) => text.to_string(),
        Key::Other(value) => python::repr_preview(value),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::comparison::MatchReason;
    use crate::single_template::{deployed, value};
    use heat_engine::eval::deployment::Deployed;
    use source_diagnostics::MASK;

    /// The changes, one per line: path, old, new.
    fn summaries(changes: &[ValueChange]) -> Vec<String> {
        let side = |shown: &DisplayValue| match shown {
            DisplayValue::Absent => "-".to_owned(),
            DisplayValue::Value(Value::Secret(_)) => MASK.to_owned(),
            DisplayValue::Value(Value::Unknown(_)) => "?".to_owned(),
            DisplayValue::Value(Value::Text(text)) => text.to_string(),
            DisplayValue::Value(value) => python::repr_preview(value),
            DisplayValue::Failed(why) => format!("({why})"),
        };
        let step = |step: &PathStep| match step {
            PathStep::Key(key) => format!(".{key}"),
            PathStep::Item { at, .. } => {
                let index = |at: Option<usize>| at.map_or("-".to_owned(), |at| at.to_string());
                let (old, new) = (index(at.old), index(at.new));
                if old == new { format!("[{old}]") } else { format!("[{old}>{new}]") }
            }
        };
        let line = |change: &ValueChange| {
            let path: String = change.path.iter().map(step).collect();
            let sure = if change.unresolved { " ?" } else { "" };
            format!("{path} {} {}{sure}", side(&change.value.old), side(&change.value.new))
        };
        changes.iter().map(line).collect()
    }

    fn differing(old: &str, new: &str) -> Vec<String> {
        let lines = "parameters: {p: {type: string}, h: {type: string, hidden: true, default: x}}
resources: {net: {type: OS::Neutron::Net}}";
        let (one, other) = (value("rocky", lines, old), value("rocky", lines, new));
        summaries(&changes(&one, &other, &ValueContext::default()))
    }

    #[test]
    fn maps_by_key_and_scalars_as_a_whole() {
        assert_eq!(differing("{a: 1, b: {c: x}}", "{b: {c: x}, a: true}"), [""; 0]);
        let found = differing("{a: 1, b: {c: x}, g: 0}", "{a: 2, n: 1, b: {c: y}}");
        assert_eq!(found, [".a 1 2", ".n - 1", ".b.c x y", ".g 0 -"]);
        assert_eq!(differing("a", "{b: 1}"), [" a {'b': 1}"]);
    }

    #[test]
    fn lists_by_item() {
        assert_eq!(differing("[a, b]", "[b]"), ["[0>-] a -"]);
        assert_eq!(differing("[a, b, c]", "[b, c, a]"), ["[0>2] a a"]);
        let found = differing("{x: [{name: a, v: 1}, {name: b, v: 1}]}", "{x: [{name: b, v: 2}]}");
        assert_eq!(found, [".x[0>-] {'name': 'a', 'v': 1} -", ".x[1>0].v 1 2"]);
    }

    #[test]
    fn what_is_not_known_is_compared_by_what_it_is() {
        assert_eq!(differing("[{get_param: p}, 1]", "[{get_param: p}, 2]"), ["[1] 1 2"]);
        assert_eq!(differing("{a: {get_param: p}}", "{a: x}"), [".a ? x ?"]);
        assert_eq!(differing("{a: {get_resource: net}}", "{a: {get_resource: net}}"), [""; 0]);
    }

    #[test]
    fn a_secret_stays_closed() {
        assert_eq!(differing("{a: {get_param: h}}", "{a: x}"), [""; 0]);
        assert_eq!(differing("{a: {get_param: h}}", "{a: y}"), [".a ****** y"]);
        let inside = "{a: {list_join: ['', [{get_param: h}, z]]}}";
        assert_eq!(differing("{a: {get_param: h}}", inside), [".a ****** ******"]);
    }

    #[test]
    fn each_change_has_its_places() {
        let text = |cidr: &str, name: &str| {
            format!(
                "heat_template_version: rocky
parameters: {{p: {{type: json, default: {{b: {name}}}}}}}
resources:
  net: {{type: T, properties: {{x: {{routes: [{{destination: d, nexthop: {cidr}}}], more: {{get_param: p}}}}}}}}
"
            )
        };
        let texts = (text("10.0.0.1", "u"), text("10.0.0.2", "v"));
        let (old, new) = (deployed(&texts.0), deployed(&texts.1));
        let written = |stack: &'_ Deployed| match &stack.stack.resources["net"]
            .properties
            .as_ref()
            .expect("properties")
            .kind
        {
            ExprKind::Map(pairs) => pairs[0].value.clone(),
            other => panic!("{other:?}"),
        };
        let property = |stack: &Deployed| {
            let resource = &stack.evaluation.resources.as_ref().expect("resources")["net"];
            match &resource.properties {
                heat_engine::eval::EvaluatedProperties::Each(each) => {
                    each["x"].clone().expect("a value")
                }
                heat_engine::eval::EvaluatedProperties::Whole(_) => panic!("a function"),
            }
        };
        let (one, other) = (written(&old), written(&new));
        let context = ValueContext {
            written: Pair { old: Some(&one), new: Some(&other) },
            ..ValueContext::default()
        };
        let found = changes(&property(&old), &property(&new), &context);
        let expected = [".routes[0].nexthop 10.0.0.1 10.0.0.2", ".more.b u v"];
        assert_eq!(summaries(&found), expected);
        let at = |text: &str, place: Option<Span>| {
            let span = place.expect("a place");
            text[span.start as usize..span.end as usize].to_owned()
        };
        assert_eq!(at(&texts.0, found[0].places.old), "10.0.0.1");
        assert_eq!(at(&texts.1, found[0].places.new), "10.0.0.2");
        assert_eq!(at(&texts.1, found[1].places.new), "{get_param: p}");
        let by = |step: &PathStep| match step {
            PathStep::Item { by, .. } => Some(by.clone()),
            PathStep::Key(_) => None,
        };
        let Some(MatchReason::Identity { keys, .. }) = found[0].path.iter().find_map(by) else {
            panic!("{found:?}")
        };
        assert_eq!(keys, ["destination"]);
    }

    // --- laws ------------------------------------------------------------------------------------

    fn any_value() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            (0..4i64).prop_map(Value::int),
            (0..4i32).prop_map(|number| Value::Float(f64::from(number) / 2.0)),
            "[a-c]{0,2}".prop_map(Value::text),
            "[a-c]{1,2}".prop_map(|text| Value::text(text).sealed(true)),
        ];
        scalar.prop_recursive(4, 40, 6, |inner| {
            let key = prop_oneof!["name", "id", "port", "ip_address", "subnet", "rules", "x", "y"];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::list),
                prop::collection::vec((key, inner), 0..5).prop_map(Value::map),
            ]
        })
    }

    fn sorted(changes: &[ValueChange]) -> Vec<String> {
        let mut lines: Vec<String> = changes.iter().map(|change| format!("{change:?}")).collect();
        lines.sort();
        lines
    }

    fn mirrored(change: &ValueChange) -> ValueChange {
        let turn = |step: &PathStep| match step {
            PathStep::Item { at, by } => {
                PathStep::Item { at: Pair { old: at.new, new: at.old }, by: by.clone() }
            }
            PathStep::Key(key) => PathStep::Key(key.clone()),
        };
        ValueChange {
            path: change.path.iter().map(turn).collect(),
            value: Pair { old: change.value.new.clone(), new: change.value.old.clone() },
            places: Places { old: change.places.new, new: change.places.old },
            ..change.clone()
        }
    }

    proptest! {
        #[test]
        fn nothing_differs_from_itself(value in any_value()) {
            prop_assert_eq!(changes(&value, &value, &ValueContext::default()), []);
        }

        #[test]
        fn there_are_changes_where_values_differ_and_only_there(
            old in any_value(),
            new in any_value(),
        ) {
            let found = changes(&old, &new, &ValueContext::default());
            prop_assert_eq!(found.is_empty(), same(&old, &new) == Ternary::Yes);
            prop_assert_eq!(same(&old, &new) == Ternary::Yes, python::is_or_equal(&old, &new));
            prop_assert!(found.iter().all(|change| !change.unresolved));
        }

        #[test]
        fn the_way_back_is_the_mirror_image(
            old in any_value(),
            new in any_value(),
            name in prop_oneof!["rules", "fixed_ips", "networks", "security_groups", "x"],
        ) {
            let context = ValueContext { name: Some(&name), ..ValueContext::default() };
            let there: Vec<_> = changes(&old, &new, &context).iter().map(mirrored).collect();
            let back = changes(&new, &old, &context);
            prop_assert_eq!(sorted(&there), sorted(&back));
        }

        #[test]
        fn a_shuffled_list_has_nothing_but_moved_items(
            items in prop::collection::vec(any_value(), 0..8),
            seed in any::<u64>(),
        ) {
            let mut shuffled = items.clone();
            shuffled.sort_by_key(|item| item.digest() ^ seed);
            let (old, new) = (Value::list(items), Value::list(shuffled));
            for change in changes(&old, &new, &ValueContext::default()) {
                prop_assert_eq!(change.path.len(), 1);
                let PathStep::Item { at, by } = &change.path[0] else { panic!("no item") };
                prop_assert_eq!(by, &MatchReason::Equal);
                prop_assert!(at.old.is_some() && at.new.is_some());
            }
        }
    }
}
