//! The resources that a definition refers to, with computed names.
//!
//! Heat's rule: `docs/heat.md#what-makes-a-dependency`.

use std::collections::{BTreeSet, HashSet};

use super::expression::{Evaluator, NamedResource, fail};
use super::{EvalResult, Failure, HeatExceptionClass, PythonException, Value, python};
use heat_template::hot::FunctionMeaning;
use heat_template::ir::{AttributeFetch, Expr, ExprKind, Resource, SharedParts};

impl Evaluator<'_> {
    /// The names of the resources that `resource` depends on, as Heat determines them.
    pub(super) fn requires(&self, resource: &Resource) -> EvalResult<BTreeSet<String>> {
        if let Some(external) = &resource.external_id {
            let id = self.value(external)?;
            if python::truthy(&id) && !matches!(id.unsealed(), Value::Unknown(_)) {
                if resource.depends_on.is_empty() {
                    return Ok(BTreeSet::new());
                }
                let class = HeatExceptionClass::InvalidExternalResourceDependency;
                let message = "Invalid dependency with external resource.";
                let failure = Failure::new(class, message, external.span);
                return self.recover(Err(failure)).map(Option::unwrap_or_default);
            }
        }
        let mut names: BTreeSet<String> =
            resource.depends_on.iter().map(|name| name.text.to_string()).collect();
        let mut seen = HashSet::new();
        for expr in [&resource.properties, &resource.metadata].into_iter().flatten() {
            self.collect_references(expr, &mut names, &mut seen)?;
        }
        Ok(names)
    }

    /// The failures of determining the resources that the value of an output refers to. Heat ignores references that are
    /// incorrect until it computes the value.
    ///
    /// Heat's rule: `docs/heat.md#references-in-outputs`.
    pub(super) fn reference_failures(&self, value: &Expr) -> impl Iterator<Item = Failure> {
        let outcome = self.collect_references(value, &mut BTreeSet::new(), &mut HashSet::new());
        let ignored = [
            HeatExceptionClass::InvalidTemplateReference,
            HeatExceptionClass::InvalidTemplateAttribute,
        ];
        let failures: Vec<Failure> = self.take_recovered().chain(outcome.err()).collect();
        failures.into_iter().filter(move |it| !ignored.iter().any(|class| it.class == *class))
    }

    /// Adds the resources that an expression refers to, unless the expression is in `seen`.
    fn collect_references(
        &self,
        expr: &Expr,
        names: &mut BTreeSet<String>,
        seen: &mut HashSet<SharedParts>,
    ) -> EvalResult<()> {
        if expr.kind.shared_parts().is_some_and(|parts| !seen.insert(parts)) {
            return Ok(());
        }
        let mut outcome = Ok(());
        match &expr.kind {
            ExprKind::Choose(choice) => {
                let found = self.choice(expr, choice).map(|found| found.reveal().0);
                return match (found, &choice.otherwise) {
                    (Ok(Value::Bool(true)), _) => {
                        self.collect_references(&choice.then, names, seen)
                    }
                    (Ok(Value::Bool(false)), Some(otherwise)) => {
                        self.collect_references(otherwise, names, seen)
                    }
                    // Heat would see one of the two branches.
                    (Ok(Value::Unknown(_)), otherwise) => {
                        self.collect_references(&choice.then, names, seen)?;
                        otherwise
                            .iter()
                            .try_for_each(|expr| self.collect_references(expr, names, seen))
                    }
                    _ => Ok(()),
                };
            }
            _ => expr.for_each_child(|child| {
                if outcome.is_ok() {
                    outcome = self.collect_references(child, names, seen);
                }
            }),
        }
        outcome?;
        let name = match &expr.kind {
            ExprKind::Resource(name) => name,
            ExprKind::Attribute(attribute) => &attribute.resource,
            ExprKind::Invalid(call) if self.is_reference(call) => &call.argument,
            _ => return Ok(()),
        };
        let name = self.value(name)?;
        let named = self.recover(self.named_resource(expr, &name))?;
        if let Some(NamedResource::Resource(name)) = named {
            names.insert(name);
        }
        if let ExprKind::Attribute(attribute) = &expr.kind
            && attribute.fetch == AttributeFetch::PathToResource
        {
            // Heat collects the paths in a set.
            for part in &attribute.path {
                let value = self.item(part)?;
                if matches!(value.unsealed(), Value::List(_) | Value::Map(_) | Value::Set(_)) {
                    let raised = PythonException::unhashable(value.unsealed());
                    self.recover(Err::<(), _>(fail(part, raised)))?;
                }
            }
        }
        Ok(())
    }

    fn is_reference(&self, call: &heat_template::ir::InvalidCall) -> bool {
        self.dialect.meaning(&call.function, heat_template::hot::CallContext::Value)
            == Some(FunctionMeaning::Resource)
    }
}
