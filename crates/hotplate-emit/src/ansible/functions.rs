//! Lists and maps, and functions of them. A function that needs a loop becomes a variable of its own.

use super::expression::no_value;
use super::jinja::{JinjaExpr, quoted};
use super::scope::{TemplateScope, unsupported_function};
use crate::kit::{
    CollectionWriter, Expressed, Inexpressible, ListRun, MapEntry, Operands, TargetLanguage as _,
    key_text,
};
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind, Repeat};
use source_diagnostics::Span;

impl CollectionWriter for TemplateScope<'_> {
    fn list(&self, runs: Vec<ListRun<JinjaExpr>>) -> JinjaExpr {
        let lists = runs.into_iter().map(|run| match run {
            ListRun::Items(items) => {
                let items: Vec<String> = items.into_iter().map(|item| item.text).collect();
                format!("[{}]", items.join(", "))
            }
            ListRun::Optional { condition, item } => {
                format!("([{}] if {} else [])", item.text, condition.operand())
            }
        });
        sum(lists.collect())
    }

    fn map(&self, entries: Vec<MapEntry<JinjaExpr>>) -> JinjaExpr {
        let mut kept = Vec::new();
        let mut maybe = Vec::new();
        for MapEntry { key, value, condition } in entries {
            let entry = format!("{}: {}", quoted(&key).operand(), value.text);
            match condition {
                None => kept.push(entry),
                Some(condition) => {
                    maybe.push(format!("({{{entry}}} if {} else {{}})", condition.operand()));
                }
            }
        }
        let map = JinjaExpr::primary(format!("{{{}}}", kept.join(", ")), TypeSet::MAP);
        combined(map, &maybe)
    }

    /// The form of `Fn::Select` that also accepts JSON; a missing item yields the empty string.
    fn select(&self, collection: JinjaExpr, index: &Expr) -> Expressed<JinjaExpr> {
        let shape = collection.shape;
        let collection = match shape.intersects(TypeSet::TEXT) {
            false => collection,
            true if shape == TypeSet::TEXT => collection.filter("from_json", TypeSet::ANY),
            true => {
                let it = self.reusable(collection);
                let text = format!("{0} | from_json if {0} is string and {0} else {0}", it.text);
                JinjaExpr::operation(text, TypeSet::ANY)
            }
        };
        let item = self.step(collection, index, shape.is_subset(TypeSet::LIST))?;
        Ok(item.filter("default('', true)", TypeSet::ANY))
    }

    fn repeat(
        &self,
        repeat: &Repeat,
        lists: Vec<(String, JinjaExpr)>,
        _span: Span,
    ) -> Expressed<JinjaExpr> {
        let mut loops: Vec<(String, String, String)> = Vec::new();
        for (key, list) in lists {
            let letters = key.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            let mut variable = format!("each_{}", super::names::identifier(letters));
            while loops.iter().any(|(_, other, _)| *other == variable) {
                variable.push('_');
            }
            loops.push((key, variable, or_empty(list).text));
        }
        let replacements: Vec<(String, String)> =
            loops.iter().map(|(key, variable, _)| (key.clone(), variable.clone())).collect();
        let item = self.repeated(&repeat.template, &replacements)?;
        let heads: Vec<String> = match repeat.permutations {
            true => {
                loops.iter().map(|(_, it, list)| format!("{{% for {it} in {list} %}}")).collect()
            }
            false => {
                let names: Vec<&str> = loops.iter().map(|(_, it, _)| it.as_str()).collect();
                let lists: Vec<String> =
                    loops.iter().skip(1).map(|(_, _, list)| list.clone()).collect();
                let first = JinjaExpr::operation(loops[0].2.clone(), TypeSet::LIST).operand();
                let zipped = format!("{first} | zip({})", lists.join(", "));
                match names.as_slice() {
                    [one] => vec![format!("{{% for {one} in {} %}}", loops[0].2)],
                    names => vec![format!("{{% for {} in {zipped} %}}", names.join(", "))],
                }
            }
        };
        let text = format!(
            "{{% set made = namespace(list=[]) %}}{}{{% set made.list = made.list + [{item}] %}}{}\
             {{{{ made.list }}}}",
            heads.concat(),
            "{% endfor %}".repeat(heads.len())
        );
        Ok(self.helper("repeated", text, TypeSet::LIST))
    }

    fn merge(&self, maps: Operands<JinjaExpr>) -> JinjaExpr {
        let maps = match maps {
            Operands::Computed(maps) => {
                vec![format!("{} | list", maps.filter("reject('none')", TypeSet::LIST).text)]
            }
            Operands::Each(maps) => {
                let map = |map: JinjaExpr| match map.shape.intersects(TypeSet::NULL) {
                    true => map.filter("default({}, true)", TypeSet::MAP).text,
                    false => map.text,
                };
                maps.into_iter().map(map).collect()
            }
        };
        combined(JinjaExpr::primary("{}", TypeSet::MAP), &maps)
    }

    fn concat(&self, lists: Operands<JinjaExpr>) -> JinjaExpr {
        match lists {
            Operands::Computed(all) => {
                let all = all.filter("reject('none')", TypeSet::LIST).filter("list", TypeSet::LIST);
                all.filter("flatten(levels=1, skip_nulls=false)", TypeSet::LIST)
            }
            Operands::Each(lists) => {
                sum(lists.into_iter().map(|list| or_empty(list).operand()).collect())
            }
        }
    }

    fn distinct(&self, list: JinjaExpr) -> JinjaExpr {
        // Without this option, Ansible treats `a` and `A` as equal.
        list.filter("unique(case_sensitive=true)", TypeSet::LIST)
    }

    fn filter(&self, list: JinjaExpr, values: JinjaExpr) -> JinjaExpr {
        let filter = format!("reject('in', {})", or_empty(values).text);
        or_empty(list).filter(&filter, TypeSet::LIST).filter("list", TypeSet::LIST)
    }

    /// Replaces keys and values of a map by tables; what is not in a table stays.
    fn replace_in_map(
        &self,
        map: JinjaExpr,
        keys: Option<JinjaExpr>,
        values: Option<JinjaExpr>,
    ) -> JinjaExpr {
        let table = |table: Option<JinjaExpr>| table.map(|table| self.reusable(table).text);
        let (keys, values) = (table(keys), table(values));
        let key = match keys {
            None => "each_key".to_owned(),
            // A null replacement keeps the key.
            Some(table) => {
                format!(
                    "({table} or {{}}).get(each_key) if ({table} or {{}}).get(each_key) is not none \
                     else each_key"
                )
            }
        };
        let value = match values {
            None => "each_value".to_owned(),
            Some(table) => {
                format!(
                    "({table} or {{}}).get(each_value, each_value) if each_value is string \
                     else each_value"
                )
            }
        };
        let map = map.filter("default({}, true)", TypeSet::MAP).operand();
        let text = format!(
            "{{% set made = namespace(map={{}}) %}}{{% for each_key, each_value in {map}.items() %}}\
             {{% set made.map = made.map | combine({{({key}): {value}}}) %}}{{% endfor %}}\
             {{{{ made.map }}}}"
        );
        self.helper("replaced", text, TypeSet::MAP)
    }

    fn member_list(&self, span: Span) -> Box<Inexpressible> {
        let why = "its list is known only at deployment";
        unsupported_function("Fn::MemberListToMap", why, span)
    }

    fn yaql(&self, span: Span) -> Box<Inexpressible> {
        unsupported_function("yaql", "Ansible does not support yaql", span)
    }
}

impl TemplateScope<'_> {
    /// The body of a loop: placeholders are replaced in every string, one after the other.
    fn repeated(&self, expr: &Expr, replacements: &[(String, String)]) -> Expressed<String> {
        match &expr.kind {
            ExprKind::Text(text) => {
                if let [(key, variable)] = replacements
                    && text == key
                {
                    return Ok(variable.clone());
                }
                Ok(self.with_placeholders(
                    &self.concatenated(&self.text_parts(text)),
                    text,
                    replacements,
                ))
            }
            ExprKind::List(items) => {
                let items: Expressed<Vec<String>> =
                    items.iter().map(|item| self.repeated(item, replacements)).collect();
                Ok(format!("[{}]", items?.join(", ")))
            }
            ExprKind::Map(pairs) => {
                let mut out = Vec::new();
                for pair in pairs {
                    let key = key_text(&pair.key).ok_or_else(|| no_value(pair.key.span))?;
                    let key = self.with_placeholders(&quoted(&key), &key, replacements);
                    let value = self.repeated(&pair.value, replacements)?;
                    out.push(format!("({key}): {value}"));
                }
                Ok(format!("{{{}}}", out.join(", ")))
            }
            _ => {
                let code = self.expression(expr)?;
                if code.shape == TypeSet::TEXT {
                    return Ok(self.with_placeholders(&code, "", replacements));
                }
                if !code.shape.intersects(TypeSet::TEXT) {
                    return Ok(code.operand());
                }
                let it = self.reusable(code);
                let numbered = self.with_placeholders(&it, "", replacements);
                Ok(format!("({numbered} if {0} is string else {0})", it.text))
            }
        }
    }

    /// A string with placeholders replaced; if the string is known, only those that occur in it.
    fn with_placeholders(
        &self,
        code: &JinjaExpr,
        known: &str,
        replacements: &[(String, String)],
    ) -> String {
        let mut code = code.clone();
        let mut may_occur = known.is_empty();
        for (key, variable) in replacements {
            may_occur |= known.contains(key.as_str());
            // Heat also looks for the next placeholder inside the replaced value.
            if may_occur {
                let filter = format!("replace({}, {variable})", quoted(key).text);
                code = code.filter(&filter, TypeSet::TEXT);
            }
        }
        code.text
    }
}

/// Lists that are concatenated, of which every one is an operand.
fn sum(mut lists: Vec<String>) -> JinjaExpr {
    match lists.len() {
        0 => JinjaExpr::primary("[]", TypeSet::LIST),
        1 => JinjaExpr::primary(lists.remove(0), TypeSet::LIST),
        _ => JinjaExpr::operation(lists.join(" + "), TypeSet::LIST),
    }
}

/// A map with others merged into it.
fn combined(map: JinjaExpr, others: &[String]) -> JinjaExpr {
    match others {
        [] => map,
        others => map.filter(&format!("combine({})", others.join(", ")), TypeSet::MAP),
    }
}

/// A list, or an empty one in place of null.
fn or_empty(list: JinjaExpr) -> JinjaExpr {
    match list.shape.intersects(TypeSet::NULL) {
        true => list.filter("default([], true)", TypeSet::LIST),
        false => list,
    }
}
