//! Conditions: CloudFormation evaluates them from parameters alone.

use super::inexpressible::unsupported_function;
use super::names::camel;
use super::tables::form;
use super::template_builder::{TemplateBuilder, ValueContext, call, reference};
use super::value::text_of;
use crate::kit::{Expressed, Inexpressible};
use crate::tree::{DataNode, DataTree};
use crate::{Loss, LossKind};
use heat_engine::eval::{Dependency, Operation, Term, Unknown, Value};
use heat_template::ir::{BinaryFunction, Condition, Expr, ExprKind, ParameterType};
use source_diagnostics::Span;

/// The maximum number of operands of `Fn::And` and `Fn::Or`.
const MAX_OPERANDS: usize = 10;

/// The type that Heat compares a value as: values of different types are never equal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ComparedType {
    Text,
    Number,
    Bool,
}

impl TemplateBuilder<'_> {
    /// Translates the named conditions of the template.
    pub(super) fn named_conditions(&mut self) {
        let stack = std::sync::Arc::clone(&self.module.stack);
        let mut named = Vec::with_capacity(stack.conditions.len());
        for (name, condition) in &stack.conditions {
            let id = self.condition_names.allocate(name);
            let value = self.fold(&condition.value, name);
            // All names are known before the first definition: written out, a chain of conditions would double with each.
            if let Ok(Value::Unknown(unknown)) = value.as_ref().map(Value::unsealed) {
                self.condition_by_digest.entry(unknown.digest()).or_insert(id.clone());
            }
            named.push((name, condition, id, value));
        }
        for (name, condition, id, value) in named {
            self.named_condition(name, condition, id, value);
        }
    }

    fn named_condition(
        &mut self,
        name: &str,
        condition: &Condition,
        id: String,
        value: Expressed<Value>,
    ) {
        let here = ValueContext::new(name, &id, "condition", condition.value.span);
        // The definition itself, not the name of an equal condition.
        let expressed = value.and_then(|value| self.condition(&value, here));
        let mut lines = self.comments.take_lines(condition.name_span);
        if expressed.is_err() {
            // The original in the comment contains the comments inside.
            self.comments.take_inside(condition.value.span);
        }
        lines.extend(self.comments.take_item(condition.name_span));
        let tree = match expressed {
            Ok(tree) => tree,
            Err(why) => {
                let parameter = self.demand("condition", None, here);
                let loss = why.loss(name).suggesting(format!(
                    "set the parameter `{parameter}` to whether the condition holds"
                ));
                lines.extend(self.report_loss(loss, condition.value.span));
                call("Fn::Equals", [reference(&parameter), DataTree::from("true")])
            }
        };
        self.condition_by_name.insert(name.to_owned(), id.clone());
        self.conditions.insert(id, tree.above(lines));
    }

    /// The condition of a resource or an output: its name in the result.
    pub(super) fn condition_of(
        &mut self,
        expr: &Expr,
        here: ValueContext<'_>,
    ) -> Expressed<String> {
        let name = match &expr.kind {
            ExprKind::Condition(name) | ExprKind::Text(name) => Some(name),
            _ => None,
        };
        if let Some(id) = name.and_then(|name| self.condition_by_name.get(name.as_str())) {
            return Ok(id.clone());
        }
        let value = self.fold(expr, "condition")?;
        self.condition_name(&value, ValueContext { span: expr.span, ..here })
    }

    /// The name of the condition with this value; the condition is added if there is none.
    pub(super) fn condition_name(
        &mut self,
        value: &Value,
        here: ValueContext<'_>,
    ) -> Expressed<String> {
        let base = match value.unsealed() {
            Value::Bool(true) | Value::Null => "Always".to_owned(),
            Value::Bool(false) => "Never".to_owned(),
            Value::Unknown(unknown) => {
                if let Some(id) = self.condition_by_digest.get(&unknown.digest()) {
                    return Ok(id.clone());
                }
                if let Some(name) = parameter_of(unknown)
                    && let Some(id) = self.parameters.get(name).cloned()
                {
                    return Ok(self.boolean_condition(&id));
                }
                format!("{}{}", here.id, camel(here.argument))
            }
            _ => return Err(self.not_a_condition(here.span)),
        };
        let tree = self.condition(value, here)?;
        if let Some((id, _)) = self.conditions.iter().find(|(_, there)| **there == tree) {
            return Ok(id.clone());
        }
        let id = self.condition_names.allocate(&base);
        if let Value::Unknown(unknown) = value.unsealed() {
            self.condition_by_digest.insert(unknown.digest(), id.clone());
        }
        self.conditions.insert(id.clone(), tree);
        Ok(id)
    }

    /// The condition that a boolean parameter is true.
    pub(super) fn boolean_condition(&mut self, parameter: &str) -> String {
        let tree = call("Fn::Equals", [reference(parameter), DataTree::from("true")]);
        let indexed = std::mem::replace(&mut self.indexed_conditions, self.conditions.len());
        for (id, there) in self.conditions.iter().skip(indexed) {
            self.condition_ids.entry(format!("{there:?}")).or_insert_with(|| id.clone());
        }
        if let Some(id) = self.condition_ids.get(&format!("{tree:?}")) {
            return id.clone();
        }
        let id = self.condition_names.allocate(&format!("Is{}", camel(parameter)));
        self.conditions.insert(id.clone(), tree);
        id
    }

    fn not_a_condition(&self, span: Span) -> Box<Inexpressible> {
        let message = "CloudFormation conditions compare only parameters and constants, with \
                       equals, not, and, or";
        unsupported_function("condition", message, span)
    }

    /// The definition of a condition.
    fn condition(&mut self, value: &Value, here: ValueContext<'_>) -> Expressed<DataTree> {
        let unknown = match value.unsealed() {
            Value::Bool(true) | Value::Null => return Ok(constant(true)),
            Value::Bool(false) => return Ok(constant(false)),
            Value::Unknown(unknown) => unknown,
            _ => return Err(self.not_a_condition(here.span)),
        };
        let Term::Call { operation, arguments } = unknown.term() else {
            let operand = self.operand(value, here)?;
            return Ok(call("Fn::Equals", [operand, DataTree::from("true")]));
        };
        match (operation, arguments.as_slice()) {
            (Operation::Convert(ParameterType::Boolean), [_]) => {
                let operand = self.operand(value, here)?;
                Ok(call("Fn::Equals", [operand, DataTree::from("true")]))
            }
            (Operation::Equals, [one, other]) => self.equals(one, other, here),
            (Operation::Not, [inner]) => {
                let inner = self.inner(inner, here)?;
                Ok(call("Fn::Not", [inner]))
            }
            (Operation::And, members) => self.members("Fn::And", &flatten(members), here),
            (Operation::Or, members) => self.members("Fn::Or", &flatten(members), here),
            (Operation::Binary(BinaryFunction::Contains), [value, sequence]) => {
                let Value::List(items) = sequence.unsealed() else {
                    return Err(self.not_a_condition(here.span));
                };
                let equal: Expressed<Vec<DataTree>> =
                    items.iter().map(|item| self.equals(value, item, here)).collect();
                Ok(combined("Fn::Or", equal?, false))
            }
            _ => Err(self.not_a_condition(unknown.expr.span)),
        }
    }

    /// A condition inside another one: a reference, if it has a name.
    fn inner(&mut self, value: &Value, here: ValueContext<'_>) -> Expressed<DataTree> {
        if let Value::Unknown(unknown) = value.unsealed()
            && let Some(id) = self.condition_by_digest.get(&unknown.digest())
        {
            return Ok(DataTree::map([("Condition", DataTree::from(id.as_str()))]));
        }
        self.condition(value, here)
    }

    fn members(
        &mut self,
        name: &str,
        members: &[Value],
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        let trees: Expressed<Vec<DataTree>> =
            members.iter().map(|member| self.inner(member, here)).collect();
        Ok(combined(name, trees?, name == "Fn::And"))
    }

    fn equals(
        &mut self,
        one: &Value,
        other: &Value,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        match (self.kind(one), self.kind(other)) {
            (Some(one), Some(other)) if one != other => return Ok(constant(false)),
            _ => {}
        }
        let one = self.operand(one, here)?;
        let other = self.operand(other, here)?;
        Ok(call("Fn::Equals", [one, other]))
    }

    /// An operand of a comparison: strings of parameters and constants.
    fn operand(&mut self, value: &Value, here: ValueContext<'_>) -> Expressed<DataTree> {
        if names_resources(value) {
            let message = "CloudFormation conditions cannot refer to resources";
            return Err(unsupported_function("condition", message, here.span));
        }
        match value.unsealed() {
            Value::Null => Ok(DataTree::from("")),
            Value::List(_) | Value::Map(_) => Err(self.not_a_condition(here.span)),
            Value::Unknown(unknown) => {
                let is_list = parameter_of(unknown)
                    .and_then(|name| self.module.stack.parameters.get(name))
                    .is_some_and(|parameter| parameter.kind == Some(ParameterType::TextList));
                if is_list {
                    return Err(self.not_a_condition(unknown.expr.span));
                }
                let tree = self.unknown(unknown, form("text"), here)?;
                if holds_choice(&tree) {
                    return Err(self.not_a_condition(unknown.expr.span));
                }
                Ok(tree)
            }
            known => Ok(DataTree::from(text_of(known).unwrap_or_default().as_str())),
        }
    }

    fn kind(&self, value: &Value) -> Option<ComparedType> {
        match value.unsealed() {
            Value::Text(_) => Some(ComparedType::Text),
            Value::Int(_) | Value::Float(_) => Some(ComparedType::Number),
            Value::Bool(_) => Some(ComparedType::Bool),
            Value::Unknown(unknown) => match unknown.term() {
                Term::Leaf { of: Dependency::Parameter(name), .. } => {
                    match self.module.stack.parameters.get(name)?.kind? {
                        ParameterType::Text => Some(ComparedType::Text),
                        ParameterType::Number => Some(ComparedType::Number),
                        ParameterType::Boolean => Some(ComparedType::Bool),
                        ParameterType::TextList | ParameterType::Json => None,
                    }
                }
                Term::Call { operation: Operation::Join | Operation::Replace(_), .. } => {
                    Some(ComparedType::Text)
                }
                Term::Leaf { .. } | Term::Call { .. } | Term::Opaque => None,
            },
            _ => None,
        }
    }

    /// The name of the condition of a resource or an output, or the comment that replaces it.
    pub(super) fn condition_or_comment(
        &mut self,
        expr: Option<&Expr>,
        here: ValueContext<'_>,
    ) -> (Option<String>, Vec<String>) {
        let Some(expr) = expr else { return (None, Vec::new()) };
        match self.condition_of(expr, here) {
            Ok(name) => (Some(name), Vec::new()),
            Err(why) => {
                let parameter = self.demand("condition", None, here.at("condition", expr.span));
                let suggestion = format!("set the parameter `{parameter}` to whether it holds");
                let lines =
                    self.report_loss(why.loss(here.owner).suggesting(suggestion), expr.span);
                (Some(self.boolean_condition(&parameter)), lines)
            }
        }
    }

    /// Reports a loss in the condition of something, and returns the comment.
    pub(super) fn report_lost_value(
        &mut self,
        message: String,
        here: ValueContext<'_>,
    ) -> Vec<String> {
        let loss =
            Loss::new(LossKind::Value, here.argument, message, here.span).with_owner(here.owner);
        self.report_loss(loss, here.span)
    }
}

fn flatten(members: &[Value]) -> Vec<Value> {
    match members {
        [single] => match single.unsealed() {
            Value::List(items) => items.to_vec(),
            other => vec![other.clone()],
        },
        other => other.to_vec(),
    }
}

/// The parameter, if a value is one without a path.
fn parameter_of(unknown: &Unknown) -> Option<&str> {
    match unknown.term() {
        Term::Leaf { of: Dependency::Parameter(name), .. } => Some(name),
        Term::Call { operation: Operation::Convert(_), arguments } => match arguments.first()? {
            Value::Unknown(inner) => parameter_of(inner),
            _ => None,
        },
        _ => None,
    }
}

fn names_resources(value: &Value) -> bool {
    let mut found = std::collections::BTreeSet::new();
    value.collect_dependencies(&mut found);
    found.iter().any(|of| {
        matches!(of, Dependency::Resource(_) | Dependency::Attribute(..) | Dependency::File(_))
    })
}

/// Whether a tree contains `Fn::If`, which is not allowed in a condition.
fn holds_choice(tree: &DataTree) -> bool {
    match &tree.kind {
        DataNode::Map(pairs) => {
            pairs.iter().any(|(name, inner)| name == "Fn::If" || holds_choice(inner))
        }
        DataNode::List(items) => items.iter().any(holds_choice),
        DataNode::Leaf(_) | DataNode::Comment => false,
    }
}

/// A condition that is always true or always false.
fn constant(holds: bool) -> DataTree {
    call(
        "Fn::Equals",
        [DataTree::from("true"), DataTree::from(if holds { "true" } else { "false" })],
    )
}

/// Combines conditions in nested calls, each with no more operands than CloudFormation accepts.
fn combined(name: &str, mut members: Vec<DataTree>, neutral: bool) -> DataTree {
    match members.len() {
        0 => return constant(neutral),
        1 => return members.remove(0),
        _ => {}
    }
    while members.len() > MAX_OPERANDS {
        members = members
            .chunks(MAX_OPERANDS)
            .map(|chunk| combined(name, chunk.to_vec(), neutral))
            .collect();
    }
    call(name, members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_ten_operands_are_nested() {
        let members = vec![constant(true); 23];
        let text = combined("Fn::And", members, true).to_yaml().expect("YAML");
        assert_eq!(text.matches("Fn::And").count(), 4);
        assert_eq!(text.matches("Fn::Equals").count(), 23);
        assert_eq!(combined("Fn::Or", Vec::new(), false), constant(false));
        assert_eq!(combined("Fn::Or", vec![constant(true)], false), constant(true));
    }
}
