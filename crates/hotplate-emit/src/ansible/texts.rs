//! Functions that return strings: joins, replacements, splits, digests, URLs.

use super::expression::JSON;
use super::jinja::{JinjaExpr, TextPart, quoted};
use super::scope::{TemplateScope, unsupported_function};
use crate::kit::{Expressed, TargetLanguage as _, TextWriter, key_text, written_items};
use crate::placeholders::{Placeholders, TextSegment};
use heat_template::ir::types::TypeSet;
use heat_template::ir::{
    Expr, ExprKind, Join, JoinPolicy, Pair, ParameterType, Replace, ReplaceKeys, Split,
};
use source_diagnostics::Span;

const SCALAR: TypeSet =
    TypeSet::TEXT.union(TypeSet::NUMBER).union(TypeSet::BOOLEAN).union(TypeSet::NULL);
const DATA: TypeSet = TypeSet::LIST.union(TypeSet::MAP);

impl TextWriter for TemplateScope<'_> {
    fn text(&self, text: &str) -> JinjaExpr {
        self.concatenated(&self.text_parts(text))
    }

    fn join(&self, join: &Join) -> Expressed<JinjaExpr> {
        if let Some(parts) = self.joined_parts(join) {
            return Ok(self.concatenated(&parts?));
        }
        let delimiter = self.expression(&join.delimiter)?;
        let mut lists = Vec::new();
        for list in &join.lists {
            lists.push(self.texts(list, join.policy)?);
        }
        let list = match lists.as_slice() {
            [one] => one.clone(),
            lists => {
                let lists: Vec<String> = lists.iter().map(JinjaExpr::operand).collect();
                JinjaExpr::operation(lists.join(" + "), TypeSet::LIST)
            }
        };
        Ok(list.filter(&format!("join({})", delimiter.text), TypeSet::TEXT))
    }

    /// Replaces placeholders in a string that is unknown while rendering. All but the last are first replaced by a
    /// private-use character, which texts do not contain, so that inserted values are not searched again.
    fn replace(&self, replace: &Replace, span: Span) -> Expressed<JinjaExpr> {
        if let Some(parts) = self.replaced_parts(replace, span) {
            return Ok(self.concatenated(&parts?));
        }
        let ExprKind::Map(pairs) = &replace.params.kind else {
            let message = "the placeholders are computed";
            return Err(unsupported_function("str_replace", message, span));
        };
        let mut values = Vec::new();
        for pair in pairs {
            let key = key_text(&pair.key).filter(|key| !key.is_empty());
            let key = key.ok_or_else(|| {
                unsupported_function("str_replace", "Heat rejects an empty placeholder", span)
            })?;
            if pair.value.is_optional_item() {
                let message = "a placeholder depends on a condition";
                return Err(unsupported_function("str_replace", message, span));
            }
            values.push((key, self.concatenated(&self.item_parts(&pair.value)?)));
        }
        let lost = |why: String| unsupported_function("str_replace", why, span);
        let placeholders = Placeholders::new(values).map_err(lost)?;
        let filter = |key: &str, value: &str| format!("replace({key}, {value})");
        let mark = |at: usize| format!("'\\u{:04x}'", 0xE000 + at % 0x1900);
        let mut filters = Vec::new();
        if let Some(((last, value), others)) = placeholders.pairs().split_last() {
            let others = || others.iter().enumerate();
            filters.extend(others().map(|(at, (key, _))| filter(&quoted(key).text, &mark(at))));
            filters.push(filter(&quoted(last).text, &value.text));
            filters.extend(others().map(|(at, (_, value))| filter(&mark(at), &value.text)));
        }
        let code = self.expression(&replace.template)?;
        Ok(match filters.is_empty() {
            true => code,
            false => code.filter(&filters.join(" | "), TypeSet::TEXT),
        })
    }

    fn split(&self, text: JinjaExpr, delimiter: JinjaExpr, split: &Split) -> Expressed<JinjaExpr> {
        let shape = if split.index.is_some() { TypeSet::TEXT } else { TypeSet::LIST };
        let cut = |text: &JinjaExpr| {
            JinjaExpr::primary(format!("{}.split({})", text.operand(), delimiter.text), shape)
        };
        let pick = |pieces: JinjaExpr| -> Expressed<JinjaExpr> {
            let Some(index) = &split.index else { return Ok(pieces) };
            let index = match index.as_text().and_then(|text| text.trim().parse::<i64>().ok()) {
                Some(number) => number.to_string(),
                None => {
                    let code = self.expression(index)?;
                    if code.shape == TypeSet::NUMBER && index.is_literal() {
                        code.text
                    } else {
                        code.filter("int", TypeSet::NUMBER).text
                    }
                }
            };
            Ok(pieces.item(&index, TypeSet::TEXT))
        };
        if !text.shape.intersects(TypeSet::NULL) {
            return pick(cut(&text));
        }
        let it = self.reusable(text);
        let pieces = pick(cut(&it))?;
        let code = format!("{} if {} is not none else none", pieces.text, it.text);
        Ok(JinjaExpr::operation(code, shape.union(TypeSet::NULL)))
    }

    /// The digest of a string encoded as latin-1, the encoding that Heat uses.
    fn hash(&self, algorithm: &Expr, text: JinjaExpr, span: Span) -> Expressed<JinjaExpr> {
        let algorithm = match algorithm.as_text().map(str::to_lowercase) {
            Some(name) => quoted(&name).text,
            None => self.expression(algorithm)?.filter("lower", TypeSet::TEXT).text,
        };
        if algorithm.contains("shake_") {
            return Err(unsupported_function("digest", "Heat rejects this algorithm", span));
        }
        let bytes =
            JinjaExpr::primary(format!("{}.encode('latin-1')", text.operand()), TypeSet::ANY);
        Ok(bytes.filter(&format!("hash({algorithm})"), TypeSet::TEXT))
    }

    fn url(&self, pairs: &[Pair], span: Span) -> Expressed<JinjaExpr> {
        let lost = |why: &str| unsupported_function("make_url", why, span);
        let find = |name: &str| {
            let pair = pairs.iter().rev().find(|pair| pair.key.as_text() == Some(name));
            pair.map(|pair| &pair.value).filter(|value| value.as_text() != Some(""))
        };
        // Separators depend on whether a part is empty.
        let given = |name: &str| find(name).map(|it| self.expression(it)).transpose();
        let encoded = |code: JinjaExpr, plus: bool| {
            let code = code.filter("string", TypeSet::TEXT).filter("urlencode", TypeSet::TEXT);
            if plus { code.filter("replace('%20', '+')", TypeSet::TEXT) } else { code }
        };
        let text = |text: &str| TextPart::Text(text.to_owned());
        let mut out = Vec::new();
        if let Some(scheme) = given("scheme")? {
            out.extend([TextPart::Code(scheme), text(":")]);
        }
        let names = ["username", "password", "host", "port"];
        let has_host = names.iter().any(|name| find(name).is_some());
        let whole =
            |code: JinjaExpr| encoded(code, false).filter("replace('/', '%2F')", TypeSet::TEXT);
        if has_host || find("scheme").is_some() {
            out.push(text("//"));
        }
        let (username, password) = (given("username")?, given("password")?);
        let has_user = username.is_some() || password.is_some();
        out.extend(username.map(|it| TextPart::Code(whole(it))));
        if let Some(password) = password {
            out.extend([text(":"), TextPart::Code(whole(password))]);
        }
        if has_user {
            out.push(text("@"));
        }
        if let Some(host) = given("host")? {
            let it = self.reusable(host);
            let bracketed = format!(
                "'[' ~ {0} ~ ']' if ':' in {0} and not {0}.startswith('[') else {0}",
                it.text
            );
            out.push(TextPart::Code(match find("host").and_then(Expr::as_text) {
                Some(known) if !known.contains([':', '[']) => it,
                _ => JinjaExpr::operation(bracketed, TypeSet::TEXT),
            }));
        }
        if let Some(port) = given("port")? {
            out.extend([text(":"), TextPart::Code(port)]);
        }
        if let Some(path) = find("path") {
            match path.as_text() {
                Some(known) if known.starts_with('/') || !has_host => {
                    out.push(TextPart::Code(encoded(self.expression(path)?, false)));
                }
                Some(_) => {
                    out.extend([text("/"), TextPart::Code(encoded(self.expression(path)?, false))]);
                }
                None => {
                    let it = self.reusable(encoded(self.expression(path)?, false));
                    let slash = if has_host {
                        format!("{0} if {0}.startswith('/') or not {0} else '/' ~ {0}", it.text)
                    } else {
                        it.text.clone()
                    };
                    out.push(TextPart::Code(JinjaExpr::operation(slash, TypeSet::TEXT)));
                }
            }
        }
        if let Some(query) = find("query") {
            let ExprKind::Map(pairs) = &query.kind else {
                return Err(lost("its query is computed"));
            };
            for (at, pair) in pairs.iter().enumerate() {
                let key = key_text(&pair.key).ok_or_else(|| lost("a key is not a string"))?;
                out.push(text(if at == 0 { "?" } else { "&" }));
                out.push(TextPart::Code(encoded(quoted(&key), true)));
                out.push(text("="));
                out.push(TextPart::Code(encoded(self.expression(&pair.value)?, true)));
            }
        }
        if let Some(fragment) = given("fragment")? {
            out.extend([text("#"), TextPart::Code(encoded(fragment, false))]);
        }
        Ok(self.concatenated(&out))
    }
}

impl TemplateScope<'_> {
    /// The parts of a string whose structure is known while rendering; `None` where it is not.
    pub(super) fn parts(&self, expr: &Expr) -> Option<Expressed<Vec<TextPart>>> {
        match &expr.kind {
            ExprKind::Text(text) => Some(Ok(self.text_parts(text))),
            ExprKind::Join(join) => self.joined_parts(join),
            ExprKind::Replace(replace) => self.replaced_parts(replace, expr.span),
            _ => None,
        }
    }

    /// The parts of one item of a joined string.
    fn item_parts(&self, expr: &Expr) -> Expressed<Vec<TextPart>> {
        if let Some(code) = self.constant(expr)
            && !matches!(expr.kind, ExprKind::File(_))
            && !expr.is_literal()
        {
            return Ok(vec![TextPart::Code(self.as_text(code))]);
        }
        match self.parts(expr) {
            Some(parts) => parts,
            None => Ok(vec![TextPart::Code(self.as_text(self.expression(expr)?))]),
        }
    }

    /// A value as Heat inserts it into a string. Jinja does the same, except with null, which becomes nothing
    /// inside a string, and with maps and lists.
    fn as_text(&self, code: JinjaExpr) -> JinjaExpr {
        if code.shape.is_subset(SCALAR) {
            return code;
        }
        if code.shape.is_subset(DATA) {
            return code.filter(JSON, TypeSet::TEXT);
        }
        let it = self.reusable(code);
        let test = format!("{0} is mapping or ({0} is sequence and {0} is not string)", it.text);
        let text = format!("({0} | {JSON}) if {test} else {0}", it.text);
        JinjaExpr::operation(text, SCALAR)
    }

    fn joined_parts(&self, join: &Join) -> Option<Expressed<Vec<TextPart>>> {
        let delimiter = join.delimiter.as_text()?;
        let items = written_items(join)?;
        let mut parts = Vec::new();
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                parts.extend(self.text_parts(delimiter));
            }
            match self.item_parts(item) {
                Ok(more) => parts.extend(more),
                Err(lost) => return Some(Err(lost)),
            }
        }
        Some(Ok(parts))
    }

    /// Placeholders are searched in Heat's order, the longest first; inserted values are not searched
    /// again.
    fn replaced_parts(&self, replace: &Replace, span: Span) -> Option<Expressed<Vec<TextPart>>> {
        let known = self.evaluator.constant(&replace.template)?;
        let template = super::jinja::text_of(&known)?;
        let ExprKind::Map(pairs) = &replace.params.kind else { return None };
        if pairs.iter().any(|pair| pair.value.is_optional_item()) {
            return None;
        }
        let lost = |why: String| unsupported_function("str_replace", why, span);
        let mut values: Vec<(String, Vec<TextPart>)> = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let Some(key) = key_text(&pair.key).filter(|key| !key.is_empty()) else {
                let message = "Heat rejects a placeholder that is not a string";
                return Some(Err(unsupported_function("str_replace", message, span)));
            };
            match self.item_parts(&pair.value) {
                Ok(parts) => values.push((key, parts)),
                Err(lost) => return Some(Err(lost)),
            }
        }
        let placeholders = match Placeholders::new(values) {
            Ok(placeholders) => placeholders,
            Err(why) => return Some(Err(lost(why))),
        };
        let values = placeholders.pairs();
        let weight = |parts: &Vec<TextPart>| parts.iter().map(TextPart::bytes).sum();
        let cuts = match placeholders.segments(template, &self.evaluator, weight) {
            Ok(cuts) => cuts,
            Err(why) => return Some(Err(lost(why))),
        };
        let mut found = vec![false; values.len()];
        let mut parts = Vec::new();
        for cut in cuts {
            match cut {
                TextSegment::Text(text) => parts.extend(self.text_parts(text)),
                TextSegment::Value(number) => {
                    found[number] = true;
                    parts.extend(values[number].1.iter().cloned());
                }
            }
        }
        if replace.keys != ReplaceKeys::MayBeMissing
            && let Some(at) = found.iter().position(|it| !it)
        {
            let message =
                format!("Heat fails here, because `{}` does not occur in the text", values[at].0);
            return Some(Err(unsupported_function("str_replace_strict", message, span)));
        }
        Some(Ok(parts))
    }

    /// A list with every item converted to a string.
    fn texts(&self, list: &Expr, policy: JoinPolicy) -> Expressed<JinjaExpr> {
        if let ExprKind::List(items) = &list.kind
            && !items.iter().any(Expr::is_optional_item)
        {
            let items: Expressed<Vec<String>> = items
                .iter()
                .map(|item| Ok(self.concatenated(&self.item_parts(item)?).text))
                .collect();
            return Ok(JinjaExpr::primary(format!("[{}]", items?.join(", ")), TypeSet::LIST));
        }
        let code = self.expression(list)?;
        if self.holds_texts(list) {
            return Ok(code);
        }
        let each = match policy {
            JoinPolicy::TextItems => "'' if each is none else each".to_owned(),
            JoinPolicy::AnyItems => {
                format!("'' if each is none else each if each is string else each | {JSON}")
            }
        };
        let text = format!(
            "{{% set made = namespace(list=[]) %}}{{% for each in {} %}}{{% set made.list = made.list + \
             [{each}] %}}{{% endfor %}}{{{{ made.list }}}}",
            code.filter("default([], true)", TypeSet::LIST).text
        );
        Ok(self.helper("texts", text, TypeSet::LIST))
    }

    /// Whether every item of a list is a string.
    fn holds_texts(&self, list: &Expr) -> bool {
        match &list.kind {
            ExprKind::Parameter(reference) => {
                let declared =
                    reference.name.as_text().and_then(|name| self.stack().parameters.get(name));
                reference.path.is_empty()
                    && declared.is_some_and(|it| it.kind == Some(ParameterType::TextList))
            }
            ExprKind::Split(split) => {
                split.index.is_none() && self.shape(&split.text) == TypeSet::TEXT
            }
            ExprKind::Unary(function, lists) if function.concatenates() => match &lists.kind {
                ExprKind::List(lists) => lists.iter().all(|it| self.holds_texts(it)),
                _ => false,
            },
            ExprKind::List(items) => items.iter().all(|item| self.shape(item) == TypeSet::TEXT),
            ExprKind::Repeat(repeat) => self.shape(&repeat.template) == TypeSet::TEXT,
            _ => false,
        }
    }
}
