//! Translates expressions of a template into Jinja expressions with the value that Heat computes.

use super::jinja::{JinjaExpr, Precedence, TextPart, literal, quoted};
use super::scope::{TemplateScope, unsupported_function};
use crate::emit::kit::{Expressed, Inexpressible};
use heat_template::ir::types::{TypeSet, type_set_of};
use heat_template::ir::{
    BinaryFunction, Choice, Expr, ExprKind, FacadePart, Pair, ParameterRef, ParameterType,
    Selection, UnaryFunction,
};
use heat_template::schema::Schema;

/// The filter that serializes a value to JSON the way Heat does.
pub(super) const JSON: &str = "to_json(sort_keys=true)";

/// Methods of every Python dict: Jinja resolves `map.NAME` to them even where the key is absent.
const METHODS: &[&str] = &[
    "clear",
    "copy",
    "fromkeys",
    "get",
    "items",
    "keys",
    "pop",
    "popitem",
    "setdefault",
    "update",
    "values",
];

impl TemplateScope<'_> {
    /// The types that the value of an expression can have.
    pub(super) fn shape(&self, expr: &Expr) -> TypeSet {
        type_set_of(expr, self.stack(), Schema::heat())
    }

    pub(super) fn expression(&self, expr: &Expr) -> Expressed<JinjaExpr> {
        if !expr.is_literal()
            && !matches!(expr.kind, ExprKind::File(_) | ExprKind::Condition(_))
            && let Some(code) = self.constant(expr)
        {
            return Ok(code);
        }
        let mut code = self.call(expr)?;
        // A computed expression may repeat its arguments.
        if !expr.is_literal() {
            let spent = self.evaluator.spend(code.text.len() / 32);
            spent.map_err(|why| unsupported_function("call", why, expr.span))?;
        }
        if code.shape == TypeSet::ANY {
            code.shape = self.shape(expr);
        }
        Ok(code)
    }

    fn call(&self, expr: &Expr) -> Expressed<JinjaExpr> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Null => Ok(JinjaExpr::primary("none", TypeSet::NULL)),
            ExprKind::Bool(value) => Ok(JinjaExpr::primary(value.to_string(), TypeSet::BOOLEAN)),
            ExprKind::Int(_) | ExprKind::Float(_) => {
                let value = heat_engine::eval::Value::from_expr_as_sent(expr);
                literal(&value).ok_or_else(|| no_value(span))
            }
            ExprKind::Text(text) | ExprKind::Date(text) => Ok(self.concatenated(&self.text(text))),
            ExprKind::Bytes(_) | ExprKind::Set(_) => Err(no_value(span)),
            ExprKind::List(items) => self.list(items),
            ExprKind::Map(pairs) => self.map(pairs),
            ExprKind::Parameter(reference) => self.parameter(reference, span),
            ExprKind::Resource(name) => self.resource(name, span),
            ExprKind::Attribute(attribute) => self.attribute(attribute, span),
            ExprKind::File(name) => self.get_file(expr, name),
            ExprKind::Facade(part) => {
                let name = match part {
                    FacadePart::Metadata => "metadata",
                    FacadePart::DeletionPolicy => "deletion policy",
                    FacadePart::UpdatePolicy => "update policy",
                };
                let message = format!(
                    "tasks cannot read the {name} of the resource that their template implements"
                );
                Err(unsupported_function("resource_facade", message, span))
            }
            ExprKind::Zones(_) => Err(unsupported_function(
                "Fn::GetAZs",
                "no module lists the zones of a server",
                span,
            )),
            ExprKind::Select(select) => self.select(select),
            ExprKind::Join(_) | ExprKind::Replace(_) => match self.parts(expr) {
                Some(parts) => Ok(self.concatenated(&parts?)),
                None => self.text_function(expr),
            },
            ExprKind::AssertText(inner) => self.expression(inner),
            ExprKind::Split(_)
            | ExprKind::Binary(BinaryFunction::Hash, _)
            | ExprKind::Unary(UnaryFunction::Url, _) => self.text_function(expr),
            ExprKind::Repeat(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(BinaryFunction::Filter, _)
            | ExprKind::MemberList(_) => self.data_function(expr),
            ExprKind::Yaql(_) => {
                Err(unsupported_function("yaql", "Ansible does not support yaql", span))
            }
            ExprKind::Choose(choice) => self.choose(choice),
            ExprKind::Condition(name) => match self.conditions.get(name.as_str()) {
                Some(variable) => Ok(JinjaExpr::primary(variable.clone(), TypeSet::BOOLEAN)),
                None => {
                    let message = format!("there is no condition `{name}`");
                    Err(Inexpressible::function("if", message, span))
                }
            },
            ExprKind::Equals(sides) => {
                let [left, right] = &**sides;
                let text = format!("{} == {}", self.operand(left)?, self.operand(right)?);
                Ok(JinjaExpr::operation(text, TypeSet::BOOLEAN))
            }
            ExprKind::Not(inner) => {
                Ok(JinjaExpr::operation(format!("not {}", self.operand(inner)?), TypeSet::BOOLEAN))
            }
            ExprKind::And(parts) => self.operators(parts, " and "),
            ExprKind::Or(parts) => self.operators(parts, " or "),
            ExprKind::Binary(BinaryFunction::Contains, arguments) => {
                let [value, sequence] = &**arguments;
                let text = format!("{} in {}", self.operand(value)?, self.operand(sequence)?);
                Ok(JinjaExpr::operation(text, TypeSet::BOOLEAN))
            }
            ExprKind::Computed(_) => {
                let message = "its arguments as a whole are computed";
                Err(unsupported_function("call", message, span))
            }
            ExprKind::Invalid(call) => {
                let message = format!("Heat rejects `{}`: {}", call.function, call.problem);
                Err(Inexpressible::function(&call.function, message, span))
            }
            #[allow(unreachable_patterns, reason = "meanings that other dialects add")]
            _ => Err(unsupported_function("call", "Ansible has no equivalent", span)),
        }
    }

    /// Translates an expression to an operand of an operator, an index or a filter.
    pub(super) fn operand(&self, expr: &Expr) -> Expressed<String> {
        Ok(self.expression(expr)?.operand())
    }

    fn operators(&self, parts: &[Expr], operator: &str) -> Expressed<JinjaExpr> {
        let parts: Expressed<Vec<String>> = parts.iter().map(|it| self.operand(it)).collect();
        Ok(JinjaExpr::operation(parts?.join(operator), TypeSet::BOOLEAN))
    }

    /// A list; an item that its condition may remove is a list of its own, and the lists are concatenated.
    fn list(&self, items: &[Expr]) -> Expressed<JinjaExpr> {
        let mut runs: Vec<String> = Vec::new();
        let mut run: Vec<String> = Vec::new();
        for item in items {
            match item.optional_choice() {
                None => run.push(self.expression(item)?.text),
                Some(choice) => {
                    if !run.is_empty() {
                        runs.push(format!("[{}]", std::mem::take(&mut run).join(", ")));
                    }
                    let condition = self.operand(&choice.condition)?;
                    let then = self.expression(&choice.then)?.text;
                    runs.push(format!("([{then}] if {condition} else [])"));
                }
            }
        }
        if !run.is_empty() || runs.is_empty() {
            runs.push(format!("[{}]", run.join(", ")));
        }
        match runs.as_slice() {
            [one] => Ok(JinjaExpr::primary(one.clone(), TypeSet::LIST)),
            runs => Ok(JinjaExpr::operation(runs.join(" + "), TypeSet::LIST)),
        }
    }

    /// A map; an entry that its condition may remove is a map of its own, and the maps are combined.
    fn map(&self, pairs: &[Pair]) -> Expressed<JinjaExpr> {
        let mut kept = Vec::new();
        let mut maybe = Vec::new();
        for pair in pairs {
            let key = self.map_key(&pair.key)?;
            match pair.value.optional_choice() {
                None => kept.push(format!("{key}: {}", self.expression(&pair.value)?.text)),
                Some(choice) => {
                    let condition = self.operand(&choice.condition)?;
                    let then = self.expression(&choice.then)?.text;
                    maybe.push(format!("({{{key}: {then}}} if {condition} else {{}})"));
                }
            }
        }
        let map = JinjaExpr::primary(format!("{{{}}}", kept.join(", ")), TypeSet::MAP);
        match maybe.is_empty() {
            true => Ok(map),
            false => Ok(map.filter(&format!("combine({})", maybe.join(", ")), TypeSet::MAP)),
        }
    }

    /// A key as Heat's client sends it, which is always a string.
    fn map_key(&self, key: &Expr) -> Expressed<String> {
        Ok(quoted(&key_text(key).ok_or_else(|| no_value(key.span))?).operand())
    }

    /// A choice between two values.
    fn choose(&self, choice: &Choice) -> Expressed<JinjaExpr> {
        if let Some(heat_engine::eval::Value::Bool(known)) =
            self.evaluator.constant(&choice.condition)
        {
            let taken = if known { Some(&choice.then) } else { choice.otherwise.as_ref() };
            return taken
                .map_or(Ok(JinjaExpr::primary("none", TypeSet::NULL)), |it| self.expression(it));
        }
        let condition = self.expression(&choice.condition)?;
        let condition = match condition.precedence {
            Precedence::Operator if condition.text.contains(" if ") => condition.operand(),
            _ => condition.text,
        };
        let then = self.expression(&choice.then)?;
        let otherwise = match &choice.otherwise {
            Some(otherwise) => self.expression(otherwise)?,
            None => JinjaExpr::primary("none", TypeSet::NULL),
        };
        let shape = then.shape.union(otherwise.shape);
        let text = format!("{} if {condition} else {}", branch(&then), branch(&otherwise));
        Ok(JinjaExpr::operation(text, shape))
    }

    /// A parameter and a path into it; a missing item yields the empty string.
    fn parameter(
        &self,
        reference: &ParameterRef,
        span: source_diagnostics::Span,
    ) -> Expressed<JinjaExpr> {
        let Some(name) = reference.name.as_text() else {
            return Err(unsupported_function(
                "get_param",
                "the name of the parameter is computed",
                span,
            ));
        };
        let declared = self.stack().parameters.get(name);
        let code = match (self.playbook.parameters[self.id.0].get(name), name) {
            (Some(variable), _) => JinjaExpr::primary(variable.clone(), TypeSet::ANY),
            (None, "OS::stack_name") => self.stack_name(),
            (None, "OS::project_id") => {
                self.require("project_id", "the id of the project");
                JinjaExpr::primary("project_id", TypeSet::TEXT)
            }
            (None, _) => {
                let message = match name {
                    "OS::stack_id" => "a playbook has no stack, and so no stack ID".to_owned(),
                    _ => format!("there is no parameter `{name}`"),
                };
                return Err(unsupported_function("get_param", message, span));
            }
        };
        if declared.is_some_and(heat_template::ir::Parameter::is_hidden) {
            self.mentions_secret.set(true);
        }
        let mut code =
            JinjaExpr { shape: declared.map_or(code.shape, |it| kind_shape(it.kind)), ..code };
        let mut is_list = declared.is_some_and(|it| {
            matches!(it.kind, Some(ParameterType::TextList | ParameterType::Text))
        });
        for step in &reference.path {
            code = self.step(code, step, is_list)?;
            is_list = false;
        }
        match reference.path.is_empty() {
            true => Ok(code),
            false => {
                let is_text = declared.is_some_and(|it| it.kind != Some(ParameterType::Json));
                let shape = if is_text { TypeSet::TEXT } else { TypeSet::ANY };
                Ok(code.filter("default('')", shape))
            }
        }
    }

    /// One step into a value. A string of digits is an index if the value is a list.
    pub(super) fn step(&self, base: JinjaExpr, step: &Expr, is_list: bool) -> Expressed<JinjaExpr> {
        let digits = step.as_text().filter(|text| text.parse::<i64>().is_ok());
        if let Some(digits) = digits {
            let number = digits.trim_start_matches('+');
            if is_list {
                return Ok(base.item(number, TypeSet::ANY));
            }
            let by_key = base.item(&quoted(digits).text, TypeSet::ANY);
            let by_index = base.item(number, TypeSet::ANY);
            return Ok(by_key.filter(&format!("default({})", by_index.text), TypeSet::ANY));
        }
        if let Some(method) = step.as_text().filter(|text| METHODS.contains(text)) {
            let base = self.reusable(base);
            let found = base.item(&quoted(method).text, TypeSet::ANY).text;
            let text = format!("{found} if {} in {} else omitted_", quoted(method).text, base.text);
            // Jinja treats any missing key as an undefined name.
            return Ok(JinjaExpr::operation(text, TypeSet::ANY));
        }
        let index = self.expression(step)?;
        let index = if is_list && index.shape.intersects(TypeSet::TEXT) && !step.is_literal() {
            index.filter("int", TypeSet::NUMBER)
        } else {
            index
        };
        Ok(base.item(&index.text, TypeSet::ANY))
    }

    /// The form of `Fn::Select` that also accepts JSON; a missing item yields the empty string.
    fn select(&self, select: &Selection) -> Expressed<JinjaExpr> {
        let collection = self.expression(&select.collection)?;
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
        let item = self.step(collection, &select.index, shape.is_subset(TypeSet::LIST))?;
        Ok(item.filter("default('', true)", TypeSet::ANY))
    }

    /// The content of a file, which is copied next to the playbook.
    fn get_file(&self, expr: &Expr, name: &Expr) -> Expressed<JinjaExpr> {
        let Some(value) = self.evaluator.constant(expr) else {
            return Err(unsupported_function("get_file", "the file was not read", expr.span));
        };
        let Some(text) = super::jinja::text_of(&value) else { return Err(no_value(expr.span)) };
        let file = self.file(name.as_text().unwrap_or("file"), text.to_owned());
        let path = quoted(&format!("files/{file}")).text;
        let text =
            format!("lookup('ansible.builtin.file', playbook_dir ~ '/' ~ {path}, rstrip=false)");
        Ok(JinjaExpr::primary(text, TypeSet::TEXT))
    }

    /// Concatenates parts of a string into one expression.
    pub(super) fn concatenated(&self, parts: &[TextPart]) -> JinjaExpr {
        let parts: Vec<&TextPart> = parts
            .iter()
            .filter(|part| !matches!(part, TextPart::Text(text) if text.is_empty()))
            .collect();
        let piece = |part: &TextPart| match part {
            TextPart::Text(text) => quoted(text),
            TextPart::Code(code) if code.shape.intersects(TypeSet::NULL) => {
                let it = self.reusable(code.clone());
                JinjaExpr::operation(
                    format!("{0} if {0} is not none else ''", it.text),
                    TypeSet::TEXT,
                )
            }
            TextPart::Code(code) => code.clone(),
        };
        match parts.as_slice() {
            [] => quoted(""),
            [TextPart::Code(code)] if code.shape == TypeSet::TEXT => code.clone(),
            [TextPart::Text(text)] => quoted(text),
            [one] => {
                let code = piece(one);
                if code.shape == TypeSet::TEXT {
                    code
                } else {
                    code.filter("string", TypeSet::TEXT)
                }
            }
            parts => {
                let pieces: Vec<String> = parts.iter().map(|it| piece(it).operand()).collect();
                JinjaExpr::operation(pieces.join(" ~ "), TypeSet::TEXT)
            }
        }
    }
}

/// Translates a branch of an inline `if`.
fn branch(code: &JinjaExpr) -> String {
    match code.precedence {
        Precedence::Operator => code.operand(),
        Precedence::Primary | Precedence::Filter => code.text.clone(),
    }
}

fn kind_shape(kind: Option<ParameterType>) -> TypeSet {
    kind.map_or(TypeSet::ANY, heat_template::ir::types::parameter_type_set)
}

/// A key of a map as Heat's client sends it.
pub(super) fn key_text(key: &Expr) -> Option<String> {
    Some(match &key.kind {
        ExprKind::Text(text) | ExprKind::Date(text) => text.to_string(),
        ExprKind::Null => "null".to_owned(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Int(number) => number.to_string(),
        ExprKind::Float(_) => literal(&heat_engine::eval::Value::from_expr_as_sent(key))?.text,
        _ => return None,
    })
}

/// The error for a value that Ansible cannot hold.
pub(super) fn no_value(span: source_diagnostics::Span) -> Box<Inexpressible> {
    Inexpressible::value("value", "Ansible cannot hold such a value", span)
}
