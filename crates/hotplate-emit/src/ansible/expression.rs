//! Jinja expressions with the value that Heat computes, and conditions.

use super::jinja::{JinjaExpr, Precedence, TextPart, quoted, text_of};
use super::scope::{TemplateScope, unsupported_function};
use crate::kit::{
    ConditionWriter, Connective, Expressed, Inexpressible, TargetLanguage, translate,
};
use heat_engine::eval::{PartialEvaluator, Value};
use heat_template::ir::types::{TypeSet, type_set_of};
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::Span;

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

impl TargetLanguage for TemplateScope<'_> {
    type Output = JinjaExpr;

    const NAME: &'static str = "Ansible";

    const TAKES_KNOWN_BRANCHES: bool = true;

    fn evaluator(&self) -> &PartialEvaluator<'_> {
        &self.evaluator
    }

    fn prefers_value(&self, expr: &Expr) -> bool {
        !expr.is_literal() && !matches!(expr.kind, ExprKind::File(_) | ExprKind::Condition(_))
    }

    fn known(&self, value: &Value) -> Option<JinjaExpr> {
        let index = self.index.borrow();
        // In the literal of a group's member the index still has to be replaced.
        if let Some(index) = index.as_ref()
            && value
                .any(&mut |part| text_of(part).is_some_and(|it| it.contains(&index.placeholder)))
        {
            let text = text_of(value)?;
            let number = format!("{} | string", index.variable);
            let filter = format!("replace({}, {number})", quoted(&index.placeholder).text);
            return Some(quoted(text).filter(&filter, TypeSet::TEXT));
        }
        super::jinja::literal(value)
    }

    fn bytes(output: &JinjaExpr) -> usize {
        output.text.len()
    }

    fn expression(&self, expr: &Expr) -> Expressed<JinjaExpr> {
        let code = translate(self, expr)?;
        let shape = if code.shape == TypeSet::ANY { self.shape(expr) } else { code.shape };
        Ok(JinjaExpr { shape, ..code })
    }

    fn unsupported(&self, function: &str, why: String, span: Span) -> Box<Inexpressible> {
        unsupported_function(if function.is_empty() { "call" } else { function }, why, span)
    }

    fn no_literal(&self, data: &Expr) -> Box<Inexpressible> {
        no_value(data.span)
    }
}

impl ConditionWriter for TemplateScope<'_> {
    fn named_condition(&self, name: &str, span: Span) -> Expressed<JinjaExpr> {
        match self.conditions.get(name) {
            Some(variable) => Ok(JinjaExpr::primary(variable.clone(), TypeSet::BOOLEAN)),
            None => {
                Err(Inexpressible::function("if", format!("there is no condition `{name}`"), span))
            }
        }
    }

    fn choice(
        &self,
        condition: JinjaExpr,
        then: JinjaExpr,
        otherwise: Option<JinjaExpr>,
    ) -> JinjaExpr {
        let condition = match condition.precedence {
            Precedence::Operator if condition.text.contains(" if ") => condition.operand(),
            _ => condition.text,
        };
        let otherwise = otherwise.unwrap_or_else(|| JinjaExpr::primary("none", TypeSet::NULL));
        let shape = then.shape.union(otherwise.shape);
        let text = format!("{} if {condition} else {}", branch(&then), branch(&otherwise));
        JinjaExpr::operation(text, shape)
    }

    fn equals(&self, one: JinjaExpr, other: JinjaExpr) -> JinjaExpr {
        let text = format!("{} == {}", one.operand(), other.operand());
        JinjaExpr::operation(text, TypeSet::BOOLEAN)
    }

    fn not(&self, condition: JinjaExpr) -> JinjaExpr {
        JinjaExpr::operation(format!("not {}", condition.operand()), TypeSet::BOOLEAN)
    }

    fn connected(&self, conditions: Vec<JinjaExpr>, connective: Connective) -> JinjaExpr {
        let conditions: Vec<String> = conditions.iter().map(JinjaExpr::operand).collect();
        let operator = match connective {
            Connective::And => " and ",
            Connective::Or => " or ",
        };
        JinjaExpr::operation(conditions.join(operator), TypeSet::BOOLEAN)
    }

    fn contains(&self, value: JinjaExpr, sequence: JinjaExpr) -> JinjaExpr {
        let text = format!("{} in {}", value.operand(), sequence.operand());
        JinjaExpr::operation(text, TypeSet::BOOLEAN)
    }
}

impl TemplateScope<'_> {
    /// The types that the value of an expression can have.
    pub(super) fn shape(&self, expr: &Expr) -> TypeSet {
        type_set_of(expr, self.stack(), self.schema())
    }

    /// Translates an expression to an operand of an operator, an index or a filter.
    pub(super) fn operand(&self, expr: &Expr) -> Expressed<String> {
        Ok(self.expression(expr)?.operand())
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

/// The error for a value that Ansible cannot hold.
pub(super) fn no_value(span: source_diagnostics::Span) -> Box<Inexpressible> {
    Inexpressible::value("value", "Ansible cannot hold such a value", span)
}
