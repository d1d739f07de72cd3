//! The attributes that a stack requests from its resources; they decide which outputs groups have.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::expression::{Evaluator, ExprCheck};
use super::groups::AttributePath;
use super::validate::unknown_attribute;
use super::{EvalResult, Failure, HeatExceptionClass, KnownNames, Value};
use heat_template::ir::{AttributeFetch, Expr, ExprKind};

/// The requested attributes by resource. An empty path stands for the map of all attributes.
pub(super) type RequestedAttributes = IndexMap<String, Vec<AttributePath>>;

/// Collects the requested attributes, each once.
#[derive(Default)]
pub(super) struct RequestCollector {
    pub(super) requested: RequestedAttributes,
    /// The positions of the paths with the same [`key`], by resource.
    positions: HashMap<(String, String), Vec<usize>>,
}

impl RequestCollector {
    fn add(&mut self, resource: &str, path: AttributePath) {
        let paths = self.requested.entry(resource.to_owned()).or_default();
        if path.iter().any(Value::holds_unknown) {
            return;
        }
        let positions = self.positions.entry((resource.to_owned(), key(&path))).or_default();
        if !positions.iter().any(|at| paths[*at] == path) {
            positions.push(paths.len());
            paths.push(path);
        }
    }
}

/// A text that is the same for equal paths.
fn key(path: &AttributePath) -> String {
    let step = |value: &Value| match value {
        Value::Text(name) => name.to_string(),
        // A number is equal to another one of another type.
        _ => "*".to_owned(),
    };
    path.iter().map(step).collect::<Vec<_>>().join("\0")
}

impl Evaluator<'_> {
    /// Adds the attributes that an expression requests; parts that cannot be computed are skipped.
    pub(super) fn collect_requested(&self, expr: &Expr, collector: &mut RequestCollector) {
        self.visit_requested(expr, &mut |_, name, path| collector.add(name, path));
    }

    /// The failures of the attributes that an `update_policy` requests: Heat knows only those that other parts of the
    /// template request, too. A shared part that such a part contains as well has been visited.
    ///
    /// Heat's rule: `docs/heat.md#get_attr-where-it-never-works`.
    pub(super) fn failures_in_policy(
        &self,
        policy: &Expr,
        requested: &RequestedAttributes,
    ) -> Vec<Failure> {
        let mut failures = Vec::new();
        self.visit_requested(policy, &mut |expr, name, path| {
            let others = requested.get(name).map_or(&[][..], Vec::as_slice);
            let Some(attribute @ Value::Text(text)) = path.first() else { return };
            if !others.iter().any(|other| other.first().is_none_or(|it| it == attribute)) {
                let known = KnownNames::Attributes(self.attribute_names(name), name.to_owned());
                let failure = unknown_attribute(expr, name, text).of_unknown_name(text, known);
                let failure = failure.sealed(self.names_secret(expr));
                let class = HeatExceptionClass::StackValidationFailed.into();
                failures.push(Failure { class, ..failure });
            }
        });
        failures
    }

    /// Whether a reference to an attribute computes a name from a secret.
    fn names_secret(&self, expr: &Expr) -> bool {
        let ExprKind::Attribute(reference) = &expr.kind else { return false };
        let mut names = std::iter::once(&reference.resource).chain(&reference.attribute);
        names.any(|name| self.value(name).is_ok_and(|it| it.holds_secret()))
    }

    /// Calls `visit` for each reference to an attribute, with the name of the resource and the path of the attribute.
    fn visit_requested(&self, expr: &Expr, visit: &mut dyn FnMut(&Expr, &str, AttributePath)) {
        // Collecting attributes cannot fail.
        let _ = self.check_once(ExprCheck::CollectRequested, expr, || {
            self.visit_requested_here(expr, visit);
            Ok(())
        });
    }

    fn visit_requested_here(&self, expr: &Expr, visit: &mut dyn FnMut(&Expr, &str, AttributePath)) {
        if let ExprKind::Choose(choice) = &expr.kind {
            let condition = self.choice(expr, choice).map(|found| found.reveal().0);
            let branches = match (condition, &choice.otherwise) {
                (Ok(Value::Bool(true)), _) => vec![&choice.then],
                (Ok(Value::Bool(false)), otherwise) => otherwise.iter().collect(),
                (Ok(_), otherwise) => std::iter::once(&choice.then).chain(otherwise).collect(),
                (Err(_), _) => Vec::new(),
            };
            branches.into_iter().for_each(|branch| self.visit_requested(branch, visit));
            return;
        }
        expr.for_each_child(|child| self.visit_requested(child, visit));
        if let ExprKind::Attribute(reference) = &expr.kind
            && let Ok(name) = self.value(&reference.resource)
            && let Value::Text(text) = name.unsealed()
            && let Ok(path) = self.requested_path(reference)
        {
            visit(expr, text, path);
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
