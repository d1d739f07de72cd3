//! Raises conditions: in the AWS format, their operands are whole parameters.

use super::expression::{call, scalar};
use super::{PairsBuilder, Raiser, Result};
use crate::cfn::node::{CfnNode, CfnNodeKind, CfnPair, UnsupportedKind};
use crate::ir::{BinaryFunction, Expr, ExprKind, Pair};
use lossless_yaml::Value;

impl Raiser<'_> {
    /// Raises a condition. One that cannot be expressed becomes a parameter, since omitting it would fix its value.
    pub(super) fn condition(&mut self, expr: &Expr) -> CfnNode {
        self.has_conditions = true;
        let mut unexpressed = match self.condition_in_place(expr) {
            Ok(expressed) => return expressed,
            Err(unexpressed) => unexpressed,
        };
        let name = self.free_name();
        let mut parameter = PairsBuilder::default();
        parameter.add("Type", CfnNode::text("Boolean"));
        let text = format!("Whether the condition of {} holds", self.owner);
        parameter.add("Description", CfnNode::text(&text));
        self.condition_parameters.push(CfnPair::new(&name, parameter.done()));
        unexpressed.span = expr.span;
        unexpressed.is_approximated = false;
        unexpressed.message =
            format!("{}: the new parameter `{name}` decides it", unexpressed.message);
        unexpressed.suggestion = Some(format!("set `{name}` to true or false"));
        self.unsupported.push(*unexpressed);
        CfnNode::call("Ref", CfnNode::text(&name), expr.span)
    }

    /// A name for the parameter that is not in use.
    fn free_name(&self) -> String {
        let base = format!("Condition_{}", self.owner);
        let is_free = |name: &String| {
            !self.stack.parameters.contains_key(name)
                && !self.stack.resources.contains_key(name)
                && !self.condition_parameters.iter().any(|pair| pair.key == *name)
        };
        let numbered = (2_usize..).map(|number| format!("{base}_{number}"));
        std::iter::once(base.clone()).chain(numbered).find(is_free).unwrap_or(base)
    }

    /// Raises a condition if it can be expressed.
    pub(super) fn condition_in_place(&mut self, expr: &Expr) -> Result {
        let expressed = self.direct_condition(expr);
        match expressed {
            Err(unexpressed) if !self.is_folded => match self.known_values.folded(expr) {
                Some(folded) if matches!(folded.kind, ExprKind::Bool(_)) => {
                    Ok(CfnNode::data(scalar(&folded), expr.span))
                }
                _ => Err(unexpressed),
            },
            expressed => expressed,
        }
    }

    fn direct_condition(&mut self, expr: &Expr) -> Result {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Equals(sides) => {
                let one = self.operand(&sides[0])?;
                let other = self.operand(&sides[1])?;
                Ok(call("Fn::Equals", [one, other], span))
            }
            ExprKind::Not(inner) => {
                let inner = self.condition_in_place(inner)?;
                Ok(call("Fn::Not", [inner], span))
            }
            ExprKind::And(items) => self.conditions("Fn::And", items, expr),
            ExprKind::Or(items) => self.conditions("Fn::Or", items, expr),
            ExprKind::Binary(BinaryFunction::Contains, arguments) => {
                self.membership(arguments, expr)
            }
            _ => self.operand(expr),
        }
    }

    fn conditions(&mut self, name: &str, items: &[Expr], expr: &Expr) -> Result {
        let items: Result<Vec<CfnNode>> =
            items.iter().map(|item| self.condition_in_place(item)).collect();
        Ok(CfnNode::call(name, CfnNode::list(items?), expr.span))
    }

    /// Raises membership in a literal list as equality with one of its items.
    fn membership(&mut self, [value, sequence]: &[Expr; 2], expr: &Expr) -> Result {
        let span = expr.span;
        let folded = match sequence.kind {
            ExprKind::List(_) => None,
            _ => self.known_values.folded(sequence),
        };
        let sequence = folded.as_ref().unwrap_or(sequence);
        let ExprKind::List(items) = &sequence.kind else {
            let message = "CFN templates can express `contains` only for a literal list";
            return Err(self.lose(UnsupportedKind::Function, "contains", message, span));
        };
        let value = self.operand(value)?;
        let mut equal = Vec::with_capacity(items.len());
        for item in items {
            let item = self.operand(item)?;
            equal.push(call("Fn::Equals", [value.clone(), item], span));
        }
        Ok(match <[CfnNode; 1]>::try_from(equal) {
            Ok([one]) => one,
            Err(none) if none.is_empty() => CfnNode::data(Value::Bool(false), span),
            Err(several) => CfnNode::call("Fn::Or", CfnNode::list(several), span),
        })
    }

    /// Raises the operand of a condition.
    fn operand(&mut self, expr: &Expr) -> Result {
        let expressed = self.direct_operand(expr);
        match expressed {
            Err(unexpressed) if !self.is_folded => match self.known_values.folded(expr) {
                Some(folded) if folded.is_data() => {
                    self.is_folded = true;
                    let expressed = self.direct_operand(&folded);
                    self.is_folded = false;
                    expressed
                }
                _ => Err(unexpressed),
            },
            expressed => expressed,
        }
    }

    fn direct_operand(&mut self, expr: &Expr) -> Result {
        let span = expr.span;
        match &expr.kind {
            ExprKind::List(items) => {
                let items: Result<Vec<CfnNode>> =
                    items.iter().map(|item| self.operand(item)).collect();
                Ok(CfnNode { kind: CfnNodeKind::List(items?), span })
            }
            // A map that looks like a call would be a call here, too.
            ExprKind::Map(pairs) if expr.is_data() || looks_like_a_call(pairs) => {
                self.value(expr, false)
            }
            ExprKind::Map(pairs) => {
                let pair = |pair: &Pair| {
                    let value = self.operand(&pair.value)?;
                    let key = super::expression::key(&pair.key);
                    Ok(CfnPair { key, key_span: pair.key.span, value: Ok(value) })
                };
                let pairs: Result<Vec<CfnPair>> = pairs.iter().map(pair).collect();
                Ok(CfnNode::map(pairs?, span))
            }
            ExprKind::Lookup(lookup) => {
                let table = self.operand(&lookup.table)?;
                let key = self.operand(&lookup.key)?;
                let item = self.operand(&lookup.item)?;
                Ok(call("Fn::FindInMap", [table, key, item], span))
            }
            ExprKind::Parameter(parameter) => {
                let name = parameter.name.as_text();
                let is_whole = parameter.path.is_empty()
                    && name
                        .is_some_and(|name| !name.starts_with("OS::") || name == "OS::stack_name");
                if !is_whole {
                    let message = "conditions of CFN templates accept only whole parameters";
                    return Err(self.lose(UnsupportedKind::Function, "get_param", message, span));
                }
                self.value(expr, false)
            }
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::Bytes(_)
            | ExprKind::Date(_)
            | ExprKind::Set(_)
            | ExprKind::Condition(_) => Ok(CfnNode::data(scalar(expr), span)),
            ExprKind::Equals(_)
            | ExprKind::Not(_)
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Binary(BinaryFunction::Contains, _) => self.condition_in_place(expr),
            ExprKind::Yaql(_) => {
                let message = "CFN templates have no `yaql`";
                Err(self.lose(UnsupportedKind::Function, "yaql", message, span))
            }
            _ => {
                let message = "conditions of CFN templates do not have this function";
                Err(self.lose(UnsupportedKind::Function, "conditions", message, span))
            }
        }
    }
}

fn looks_like_a_call(pairs: &[Pair]) -> bool {
    matches!(pairs, [pair] if super::is_call(&super::expression::key(&pair.key)))
}
