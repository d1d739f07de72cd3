//! Lists and maps: written, repeated, merged, filtered, concatenated.

use std::collections::HashSet;

use super::expression::is_among;
use super::hcl::{Hcl, is_identifier};
use super::literal;
use super::scope::{LoopPlaceholders, ModuleScope, TypedHcl};
use crate::kit::{CollectionWriter, Expressed, Inexpressible, ListRun, MapEntry, Operands};
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind, Repeat, RepeatSources};
use source_diagnostics::Span;

impl CollectionWriter for ModuleScope<'_> {
    fn list(&self, runs: Vec<ListRun<TypedHcl>>) -> TypedHcl {
        let items = || {
            runs.iter().flat_map(|run| match run {
                ListRun::Items(items) => items.as_slice(),
                ListRun::Optional { item, .. } => std::slice::from_ref(item),
            })
        };
        let safe = items().all(|item| item.safe);
        let shape = literal::shapes(items());
        let mut lists: Vec<Hcl> = Vec::with_capacity(runs.len());
        for run in runs {
            lists.push(match run {
                ListRun::Items(items) => {
                    Hcl::List(items.into_iter().map(|item| item.hcl).collect())
                }
                ListRun::Optional { condition, item } => {
                    let item = Hcl::List(vec![item.hcl]);
                    Hcl::each_if("item", item, Hcl::name("item"), Some(condition.hcl))
                }
            });
        }
        let hcl = match lists.len() {
            0 => Hcl::List(lists),
            1 => lists.remove(0),
            _ => Hcl::call("concat", lists),
        };
        TypedHcl::list(hcl, shape).safe_if(safe)
    }

    fn map(&self, entries: Vec<MapEntry<TypedHcl>>) -> TypedHcl {
        let safe = entries.iter().all(|entry| entry.value.safe);
        let mut whole: Vec<(Hcl, Hcl)> = Vec::new();
        let mut parts: Vec<Hcl> = Vec::new();
        // Of equal keys the last one counts.
        let mut seen = HashSet::new();
        for MapEntry { key, value, condition } in entries.into_iter().rev() {
            let written = (self.with_loop_placeholders(&key), value.hcl);
            match condition {
                None if seen.insert(key) => whole.push(written),
                None => {}
                Some(condition) => {
                    let of = Hcl::Object(vec![written]);
                    parts.push(Hcl::entry_if(of, condition.hcl));
                }
            }
        }
        whole.reverse();
        let hcl = match parts.is_empty() {
            true => Hcl::Object(whole),
            false => {
                parts.push(Hcl::Object(whole));
                parts.reverse();
                Hcl::call("merge", parts)
            }
        };
        TypedHcl::new(hcl, TypeSet::MAP).safe_if(safe)
    }

    fn select(&self, collection: TypedHcl, index: &Expr) -> Expressed<TypedHcl> {
        let value = match collection.shape.intersects(TypeSet::TEXT) {
            // A string is parsed as JSON.
            true => {
                let decoded = Hcl::call("jsondecode", [collection.hcl.clone()]);
                Hcl::call("try", [decoded, collection.hcl])
            }
            false => collection.hcl,
        };
        let found = self.walk(value, std::slice::from_ref(index))?;
        Ok(TypedHcl::new(Hcl::call("try", [found, Hcl::text("")]), TypeSet::ANY))
    }

    /// Repeats a template for every combination of loop values, the first loop outermost; or for the n-th
    /// values of all lists together.
    fn repeat(
        &self,
        repeat: &Repeat,
        lists: Vec<(String, TypedHcl)>,
        span: Span,
    ) -> Expressed<TypedHcl> {
        let depth = self.loops.borrow().len();
        let mut loops: Vec<(String, String, TypedHcl)> = Vec::new();
        for (key, list) in lists {
            let name = loop_name(&key, depth, &loops);
            loops.push((key, name, list));
        }
        let maps = repeat.sources == RepeatSources::ListsOrMaps && repeat.permutations;
        let lists: Vec<Hcl> = loops.iter().map(|(.., list)| source(list, maps)).collect();
        let zips = !repeat.permutations && loops.len() > 1;
        let index = format!("index{depth}");
        let placeholders = loops.iter().zip(&lists).map(|((key, name, _), list)| {
            let value = match zips {
                true => list.clone().index(Hcl::name(index.clone())),
                false => Hcl::name(name.clone()),
            };
            (key.clone(), value)
        });
        let layer: LoopPlaceholders = placeholders.collect();
        self.replaces_inside(&repeat.template, &layer, span)?;
        let template = self.within(layer, || self.generate(&repeat.template))?;
        let items = template.shape;
        let mut hcl = template.hcl;
        if zips {
            let lengths = lists.iter().map(|list| Hcl::call("length", [list.clone()]));
            let length = Hcl::call("min", lengths.collect::<Vec<_>>());
            let range = Hcl::call("range", [length]);
            return Ok(TypedHcl::list(Hcl::each(index, range, hcl), items).safe_if(template.safe));
        }
        let last = loops.len() - 1;
        for (at, ((_, name, _), list)) in loops.iter().zip(lists).enumerate().rev() {
            let each = Hcl::each(name.clone(), list, hcl);
            hcl = match at == last {
                true => each,
                // Lists of lists become one list; `flatten` would take their items apart as well.
                false => Hcl::spread("concat", [Hcl::List(vec![]), each]),
            };
        }
        Ok(TypedHcl::list(hcl, items).safe_if(template.safe))
    }

    fn merge(&self, maps: Operands<TypedHcl>) -> TypedHcl {
        let (hcl, safe) = match maps {
            Operands::Computed(maps) => {
                (Hcl::spread("merge", [Hcl::Object(vec![]), maps.hcl]), maps.safe)
            }
            Operands::Each(maps) => {
                let safe = maps.iter().all(|map| map.safe);
                let maps = maps.into_iter().map(|map| map.hcl).filter(|map| *map != Hcl::Null);
                let maps: Vec<Hcl> = maps.collect();
                match maps.is_empty() {
                    true => (Hcl::Object(vec![]), safe),
                    false => (Hcl::call("merge", maps), safe),
                }
            }
        };
        TypedHcl::new(hcl, TypeSet::MAP).safe_if(safe)
    }

    fn concat(&self, lists: Operands<TypedHcl>) -> TypedHcl {
        let parts = match lists {
            Operands::Each(parts) => parts,
            Operands::Computed(lists) => {
                let all = Hcl::spread("concat", [Hcl::List(vec![]), lists.hcl]);
                return TypedHcl::list(all, TypeSet::ANY).safe_if(lists.safe);
            }
        };
        let mut expressed = Vec::new();
        let mut items = TypeSet::TEXT;
        let safe = parts.iter().all(|part| part.safe);
        for part in parts {
            if part.hcl == Hcl::Null {
                continue;
            }
            items = if part.is(TypeSet::LIST) { items.union(part.items) } else { TypeSet::ANY };
            expressed.push(match part.shape.intersects(TypeSet::NULL) {
                true => or_empty(part.hcl),
                false => part.hcl,
            });
        }
        let hcl = match expressed.is_empty() {
            true => Hcl::List(vec![]),
            false => Hcl::call("concat", expressed),
        };
        TypedHcl::list(hcl, items).safe_if(safe)
    }

    fn distinct(&self, list: TypedHcl) -> TypedHcl {
        if list.items.is_subset(TypeSet::TEXT) {
            return TypedHcl { hcl: Hcl::call("distinct", [list.hcl]), ..list };
        }
        // `distinct` converts all items to one type first, so that `1` and `"1"` would be equal.
        let encoded = |hcl: Hcl| Hcl::call("jsonencode", [hcl]);
        let texts = Hcl::each("other", Hcl::name("all"), encoded(Hcl::name("other")));
        let first = Hcl::call("index", [texts, encoded(Hcl::name("item"))]);
        let mut each = match Hcl::each("item", Hcl::name("all"), Hcl::name("item")) {
            Hcl::For(each) => each,
            other => return TypedHcl { hcl: other, ..list },
        };
        each.key_name = Some("at".to_owned());
        each.only_if = Some(Hcl::operation("==", first, Hcl::name("at")));
        let hcl = Hcl::bound("all", list.hcl.clone(), Hcl::For(each));
        TypedHcl { hcl, ..list }
    }

    fn filter(&self, list: TypedHcl, values: TypedHcl) -> TypedHcl {
        if values.hcl == Hcl::Null || list.hcl == Hcl::Null {
            return list;
        }
        let item = TypedHcl::new(Hcl::name("item"), list.items);
        let kept = Hcl::not(is_among(&item, &values));
        let each = Hcl::each_if("item", list.hcl.clone(), Hcl::name("item"), Some(kept));
        let hcl = match list.is(TypeSet::LIST) {
            true => each,
            // An empty value that is not a list stays.
            false => Hcl::call("try", [each, list.hcl.clone()]),
        };
        TypedHcl { hcl, ..list }
    }

    fn replace_in_map(
        &self,
        map: TypedHcl,
        keys: Option<TypedHcl>,
        values: Option<TypedHcl>,
    ) -> TypedHcl {
        let key = match keys {
            None => Hcl::name("key"),
            Some(keys) => {
                // A null replacement counts as absent.
                let found = keys.hcl.index(Hcl::name("key"));
                let own = Hcl::name("key");
                Hcl::call("try", [Hcl::call("coalesce", [found, own.clone()]), own])
            }
        };
        let value = match values {
            None => Hcl::name("value"),
            Some(TypedHcl { hcl: values, .. }) => {
                // Keys of objects are strings, so a number never equals one of them.
                let encoded = |name: &str| Hcl::call("jsonencode", [Hcl::name(name)]);
                let by_json = match &values {
                    Hcl::Object(pairs)
                        if pairs.iter().all(|(key, _)| matches!(key, Hcl::Text(_))) =>
                    {
                        let pairs = pairs.iter().map(|(key, value)| {
                            let Hcl::Text(text) = key else { return (key.clone(), value.clone()) };
                            let json = json_text(text);
                            (Hcl::text(json), value.clone())
                        });
                        Hcl::Object(pairs.collect())
                    }
                    _ => Hcl::map_of("old", "new", values, encoded("old"), Hcl::name("new")),
                };
                let found = by_json.index(encoded("value"));
                Hcl::call("try", [found, Hcl::name("value")])
            }
        };
        let hcl = Hcl::map_of("key", "value", map.hcl, key, value);
        TypedHcl::new(hcl, TypeSet::MAP).safe_if(map.safe)
    }

    fn member_list(&self, span: Span) -> Box<Inexpressible> {
        let why = "Terraform has no function for CFN member lists";
        Inexpressible::function("Fn::MemberListToMap", why, span)
    }

    fn yaql(&self, span: Span) -> Box<Inexpressible> {
        Inexpressible::function("yaql", "Terraform does not support yaql", span)
            .suggesting("use other functions, or pass the result as a parameter")
    }
}

impl ModuleScope<'_> {
    /// Heat also replaces placeholders in the results of the template's functions. That can be
    /// expressed only if they occur in the template's own strings.
    pub(super) fn replaces_inside(
        &self,
        template: &Expr,
        layer: &LoopPlaceholders,
        span: Span,
    ) -> Expressed<()> {
        let (mut computes, mut texts) = (false, String::new());
        template.walk(&mut |part| match &part.kind {
            ExprKind::Text(text) => {
                texts.push_str(text);
                texts.push('\n');
            }
            ExprKind::Parameter(_) | ExprKind::Attribute(_) | ExprKind::File(_) => computes = true,
            _ => {}
        });
        match computes && layer.iter().any(|(key, _)| !texts.contains(key.as_str())) {
            false => Ok(()),
            true => {
                let why = "the placeholder may occur only in values from outside the template";
                Err(Inexpressible::function("repeat", why, span))
            }
        }
    }
}

/// A list, or an empty one in place of null: `null[*]` is an error if null has a list type, as it
/// has next to a list in a conditional.
fn or_empty(list: Hcl) -> Hcl {
    let is_there = Hcl::operation("!=", Hcl::name("list"), Hcl::Null);
    let lists = Hcl::each_if("list", Hcl::List(vec![list]), Hcl::name("list"), Some(is_there));
    Hcl::spread("concat", [Hcl::List(vec![]), lists])
}

/// A string as Terraform's `jsonencode` writes it.
fn json_text(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    [("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("\u{2028}", "\\u2028")]
        .into_iter()
        .fold(json, |json, (plain, escaped)| json.replace(plain, escaped))
}

/// The list that a loop iterates over: a list itself, the keys of a map, nothing for null.
fn source(expressed: &TypedHcl, maps: bool) -> Hcl {
    let value = expressed.hcl.clone();
    if let (true, Hcl::Object(pairs)) = (maps, &value) {
        // In the order of the template, which `keys` would not keep.
        return Hcl::List(pairs.iter().map(|(key, _)| key.clone()).collect());
    }
    if expressed.is(TypeSet::LIST) {
        value
    } else if expressed.is(TypeSet::MAP) {
        Hcl::call("keys", [value])
    } else if value == Hcl::Null {
        Hcl::List(vec![])
    } else if maps {
        let keys = Hcl::call("keys", [value.clone()]);
        Hcl::call("try", [keys, Hcl::call("concat", [value]), Hcl::List(vec![])])
    } else {
        Hcl::call("try", [Hcl::call("concat", [value]), Hcl::List(vec![])])
    }
}

/// A name for the variable of a loop, derived from its placeholder if that has letters.
fn loop_name(key: &str, depth: usize, others: &[(String, String, TypedHcl)]) -> String {
    let letters: String = key.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let letters = letters.trim_matches('_');
    let base = match is_identifier(letters) && !WORDS.split(' ').any(|it| it == letters) {
        true => letters.to_owned(),
        false => "each_item".to_owned(),
    };
    let base = if depth == 0 { base } else { format!("{base}_{depth}") };
    let taken = |name: &str| others.iter().any(|(_, other, _)| other == name);
    let mut name = base.clone();
    let mut number = 2_usize;
    while taken(&name) {
        name = format!("{base}_{number}");
        number += 1;
    }
    name
}

/// Names with a meaning of their own, and those that other expressions bind.
const WORDS: &str = "for part in if var local module data count each path self terraform null true false item it key value all at \
    other host old new each_item";
