//! The attributes that a stack requests from its resources; they decide which outputs groups have.

use indexmap::IndexMap;

use super::EvalResult;
use super::Value;
use super::expression::{Evaluator, ExprCheck};
use super::groups::AttributePath;
use heat_template::ir::{AttributeFetch, Expr, ExprKind};

/// The requested attributes by resource. An empty path stands for the map of all attributes.
pub(super) type RequestedAttributes = IndexMap<String, Vec<AttributePath>>;

impl Evaluator<'_> {
    /// Adds the attributes that an expression requests; parts that cannot be computed are skipped.
    pub(super) fn collect_requested(&self, expr: &Expr, asked: &mut RequestedAttributes) {
        // Collecting attributes cannot fail.
        let _ = self.check_once(ExprCheck::CollectRequested, expr, || {
            self.collect_requested_here(expr, asked);
            Ok(())
        });
    }

    fn collect_requested_here(&self, expr: &Expr, asked: &mut RequestedAttributes) {
        if let ExprKind::Choose(choice) = &expr.kind {
            let condition = self.choice(expr, choice).map(|found| found.reveal().0);
            let branches = match (condition, &choice.otherwise) {
                (Ok(Value::Bool(true)), _) => vec![&choice.then],
                (Ok(Value::Bool(false)), otherwise) => otherwise.iter().collect(),
                (Ok(_), otherwise) => std::iter::once(&choice.then).chain(otherwise).collect(),
                (Err(_), _) => Vec::new(),
            };
            branches.into_iter().for_each(|branch| self.collect_requested(branch, asked));
            return;
        }
        expr.for_each_child(|child| self.collect_requested(child, asked));
        if let ExprKind::Attribute(reference) = &expr.kind
            && let Ok(name) = self.value(&reference.resource)
            && let Value::Text(name) = name.unsealed()
            && let Ok(path) = self.requested_path(reference)
        {
            let found = asked.entry(name.to_string()).or_default();
            if !path.iter().any(Value::holds_unknown) && !found.contains(&path) {
                found.push(path);
            }
        }
    }

    fn requested_path(
        &self,
        reference: &heat_template::ir::AttributeRef,
    ) -> EvalResult<AttributePath> {
        let Some(attribute) = &reference.attribute else { return Ok(Vec::new()) };
        let mut path = vec![self.value(attribute)?.reveal().0];
        if reference.fetch == AttributeFetch::PathToResource {
            for part in &reference.path {
                match self.item(part)? {
                    Value::Elided => {}
                    part => path.push(part.reveal().0),
                }
            }
        }
        Ok(path)
    }
}
