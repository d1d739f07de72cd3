//! Functions that return lists and maps. A function that needs a loop becomes a variable of its own.

use super::expression::key_text;
use super::jinja::{JinjaExpr, quoted};
use super::scope::{TemplateScope, unsupported_function};
use crate::emit::kit::Expressed;
use heat_template::ir::types::TypeSet;
use heat_template::ir::{BinaryFunction, Expr, ExprKind, Repeat, UnaryFunction};

impl TemplateScope<'_> {
    /// Translates a function that returns a list or a map.
    pub(super) fn data_function(&self, expr: &Expr) -> Expressed<JinjaExpr> {
        match &expr.kind {
            ExprKind::Repeat(repeat) => self.repeat(repeat, expr),
            ExprKind::Unary(UnaryFunction::MergeMaps, maps) => self.merge(maps),
            ExprKind::Unary(UnaryFunction::ReplaceInMap, arguments) => {
                self.replace_in_map(arguments, expr)
            }
            ExprKind::Unary(UnaryFunction::Concat, lists) => self.concat(lists),
            ExprKind::Unary(UnaryFunction::ConcatUnique, lists) => {
                // Without this option, Ansible treats `a` and `A` as equal.
                Ok(self.concat(lists)?.filter("unique(case_sensitive=true)", TypeSet::LIST))
            }
            ExprKind::Binary(BinaryFunction::Filter, arguments) => self.filter(arguments),
            ExprKind::MemberList(_) => Err(unsupported_function(
                "Fn::MemberListToMap",
                "its list is known only at deployment",
                expr.span,
            )),
            _ => Err(unsupported_function("call", "Ansible has no equivalent", expr.span)),
        }
    }

    fn repeat(&self, repeat: &Repeat, expr: &Expr) -> Expressed<JinjaExpr> {
        let lost = |why: &str| unsupported_function("repeat", why, expr.span);
        let ExprKind::Map(pairs) = &repeat.for_each.kind else {
            return Err(lost("its loops are computed"));
        };
        let mut loops: Vec<(String, String, String)> = Vec::new();
        for pair in pairs {
            let key = key_text(&pair.key).ok_or_else(|| lost("a placeholder is not a string"))?;
            let mut variable = format!(
                "each_{}",
                super::names::identifier(
                    key.trim_matches(|c: char| { !c.is_ascii_alphanumeric() })
                )
            );
            while loops.iter().any(|(_, other, _)| *other == variable) {
                variable.push('_');
            }
            let list = self.expression(&pair.value)?;
            let list = match list.shape.intersects(TypeSet::NULL) {
                true => list.filter("default([], true)", TypeSet::LIST),
                false => list,
            };
            loops.push((key, variable, list.text));
        }
        if loops.is_empty() {
            return Err(lost("Heat rejects a loop without lists"));
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

    /// The body of a loop: placeholders are replaced in every string, one after the other.
    fn repeated(&self, expr: &Expr, replacements: &[(String, String)]) -> Expressed<String> {
        match &expr.kind {
            ExprKind::Text(text) => {
                if let [(key, variable)] = replacements
                    && text == key
                {
                    return Ok(variable.clone());
                }
                Ok(self.with_placeholders(&self.concatenated(&self.text(text)), text, replacements))
            }
            ExprKind::List(items) => {
                let items: Expressed<Vec<String>> =
                    items.iter().map(|item| self.repeated(item, replacements)).collect();
                Ok(format!("[{}]", items?.join(", ")))
            }
            ExprKind::Map(pairs) => {
                let mut out = Vec::new();
                for pair in pairs {
                    let key = key_text(&pair.key)
                        .ok_or_else(|| super::expression::no_value(pair.key.span))?;
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

    fn concat(&self, lists: &Expr) -> Expressed<JinjaExpr> {
        let ExprKind::List(lists) = &lists.kind else {
            let all = self.expression(lists)?;
            let all = all.filter("reject('none')", TypeSet::LIST).filter("list", TypeSet::LIST);
            return Ok(all.filter("flatten(levels=1, skip_nulls=false)", TypeSet::LIST));
        };
        let mut parts = Vec::new();
        for list in lists {
            let code = self.expression(list)?;
            parts.push(match code.shape.intersects(TypeSet::NULL) {
                true => format!("({})", code.filter("default([], true)", TypeSet::LIST).text),
                false => code.operand(),
            });
        }
        match parts.len() {
            0 => Ok(JinjaExpr::primary("[]", TypeSet::LIST)),
            1 => Ok(JinjaExpr::primary(parts.remove(0), TypeSet::LIST)),
            _ => Ok(JinjaExpr::operation(parts.join(" + "), TypeSet::LIST)),
        }
    }

    fn merge(&self, maps: &Expr) -> Expressed<JinjaExpr> {
        let empty = JinjaExpr::primary("{}", TypeSet::MAP);
        let ExprKind::List(maps) = &maps.kind else {
            let all = self.expression(maps)?.filter("reject('none')", TypeSet::LIST);
            return Ok(empty.filter(&format!("combine({} | list)", all.text), TypeSet::MAP));
        };
        let mut parts = Vec::new();
        for map in maps {
            let code = self.expression(map)?;
            parts.push(match code.shape.intersects(TypeSet::NULL) {
                true => code.filter("default({}, true)", TypeSet::MAP).text,
                false => code.text,
            });
        }
        match parts.is_empty() {
            true => Ok(empty),
            false => Ok(empty.filter(&format!("combine({})", parts.join(", ")), TypeSet::MAP)),
        }
    }

    fn filter(&self, [values, list]: &[Expr; 2]) -> Expressed<JinjaExpr> {
        let list = self.expression(list)?;
        let values = self.expression(values)?;
        let values = match values.shape.intersects(TypeSet::NULL) {
            true => values.filter("default([], true)", TypeSet::LIST),
            false => values,
        };
        let list = match list.shape.intersects(TypeSet::NULL) {
            true => list.filter("default([], true)", TypeSet::LIST),
            false => list,
        };
        let rest = list.filter(&format!("reject('in', {})", values.text), TypeSet::LIST);
        Ok(rest.filter("list", TypeSet::LIST))
    }

    /// Replaces keys and values of a map by tables; what is not in a table stays.
    fn replace_in_map(&self, arguments: &Expr, expr: &Expr) -> Expressed<JinjaExpr> {
        let lost = |why: &str| unsupported_function("map_replace", why, expr.span);
        let ExprKind::List(arguments) = &arguments.kind else {
            return Err(lost("its arguments are computed"));
        };
        let [map, tables] = arguments.as_slice() else { return Err(lost("Heat rejects it")) };
        let table = |name: &str| -> Expressed<Option<String>> {
            let ExprKind::Map(pairs) = &tables.kind else {
                return Err(lost("its replacements are computed"));
            };
            let found = pairs.iter().rev().find(|pair| pair.key.as_text() == Some(name));
            found.map(|pair| Ok(self.reusable(self.expression(&pair.value)?).text)).transpose()
        };
        let (keys, values) = (table("keys")?, table("values")?);
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
        let map = self.expression(map)?;
        let map = map.filter("default({}, true)", TypeSet::MAP).operand();
        let text = format!(
            "{{% set made = namespace(map={{}}) %}}{{% for each_key, each_value in {map}.items() %}}\
             {{% set made.map = made.map | combine({{({key}): {value}}}) %}}{{% endfor %}}\
             {{{{ made.map }}}}"
        );
        Ok(self.helper("replaced", text, TypeSet::MAP))
    }
}
