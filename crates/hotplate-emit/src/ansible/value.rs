//! Translates expressions into YAML data: lists and maps stay lists and maps, strings become templates.

use super::expression::no_value;
use super::jinja::{TextPart, literal_data, template};
use super::scope::TemplateScope;
use crate::kit::{Expressed, TargetLanguage as _, key_text};
use crate::tree::{DataNode, DataTree};
use heat_template::ir::{Expr, ExprKind, Pair};
use lossless_yaml::Value as Data;

impl TemplateScope<'_> {
    /// Translates an expression into data.
    pub(super) fn tree(&self, expr: &Expr) -> Expressed<DataTree> {
        match &expr.kind {
            ExprKind::List(items) if !items.is_empty() => {
                let mut out = Vec::new();
                for item in items {
                    let (above, beside) = self.comments.take_around(item.span);
                    out.push(self.tree(item)?.above(above).beside(beside));
                }
                Ok(DataTree::list(out))
            }
            ExprKind::Map(pairs) if !pairs.is_empty() => {
                let mut out = Vec::new();
                for pair in pairs {
                    let key = key_text(&pair.key).ok_or_else(|| no_value(pair.key.span))?;
                    out.push((key, self.pair(pair)?));
                }
                Ok(DataTree::new(DataNode::Map(out)))
            }
            ExprKind::List(_)
            | ExprKind::Map(_)
            | ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_) => {
                let value = heat_engine::eval::Value::from_expr_as_sent(expr);
                Ok(literal_data(&value).ok_or_else(|| no_value(expr.span))?.into())
            }
            _ => {
                if let Some(choice) = expr.optional_choice() {
                    let condition = self.operand(&choice.condition)?;
                    let then = self.expression(&choice.then)?.operand();
                    let text = format!("{{{{ {then} if {condition} else omit }}}}");
                    return Ok(Data::Text(text).into());
                }
                self.leaf(expr)
            }
        }
    }

    /// The value of a pair, with the comments of the pair.
    pub(super) fn pair(&self, pair: &Pair) -> Expressed<DataTree> {
        let (above, beside) = self.comments.take_around(pair.key.span);
        Ok(self.tree(&pair.value)?.above(above).beside(beside))
    }

    fn leaf(&self, expr: &Expr) -> Expressed<DataTree> {
        if !expr.is_literal()
            && !matches!(expr.kind, ExprKind::File(_) | ExprKind::Condition(_))
            && self.index.borrow().is_none()
            && let Some(value) = self.evaluator.constant(expr)
        {
            return Ok(literal_data(&value).ok_or_else(|| no_value(expr.span))?.into());
        }
        let text = match self.parts(expr) {
            Some(parts) => {
                let parts = parts?;
                let has_text =
                    parts.iter().any(|it| matches!(it, TextPart::Text(text) if !text.is_empty()));
                // A template that is a single expression keeps the type of its value, but a string is wanted.
                let is_one = parts.iter().filter(|it| matches!(it, TextPart::Code(_))).count() == 1;
                match is_one && !has_text {
                    true => self.concatenated(&parts).template(),
                    false => template(&parts),
                }
            }
            None => self.expression(expr)?.template(),
        };
        Ok(Data::Text(text).into())
    }
}
