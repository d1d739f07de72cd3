//! References to resources: which resources exist, their reference ids and attributes.
//!
//! Heat's rules: `docs/heat.md#get_resource`, `docs/heat.md#reference-ids-before-creation`,
//! `docs/heat.md#get_attr`, `docs/heat.md#unknown-attributes`.

use super::{Evaluator, ResourceScope, fail};
use crate::eval::{
    Dependency, EvalResult, Failure, HeatExceptionClass, KnownNames, Operation, PythonException,
    Value, python,
};
use heat_template::ir::equivalence::path_matters;
use heat_template::ir::{AttributeFetch, AttributeRef, Expr};
use python_semantics::ExceptionClass;

/// A resource that an expression names.
pub(in crate::eval) enum NamedResource {
    /// The stack has a resource of this name.
    Resource(String),
    Unknown,
}

impl Evaluator<'_> {
    /// The resource with a name; fails if the stack does not have it.
    pub(in crate::eval) fn named_resource(
        &self,
        expr: &Expr,
        name: &Value,
    ) -> EvalResult<NamedResource> {
        let secret = name.holds_secret();
        let missing = |name: &str| {
            let message = format!("The specified reference \"{name}\" (in unknown) is incorrect.");
            let failure =
                Failure::new(HeatExceptionClass::InvalidTemplateReference, message, expr.span);
            failure.of_unknown_name(name, KnownNames::Resources).sealed(secret)
        };
        let name = match name.unsealed() {
            Value::Unknown(_) => return Ok(NamedResource::Unknown),
            Value::Text(name) => name,
            list @ (Value::List(_) | Value::Map(_) | Value::Set(_)) => {
                return Err(fail(expr, PythonException::unhashable(list)));
            }
            other => return Err(missing(&python::repr_preview(other))),
        };
        match &*self.resources.borrow() {
            ResourceScope::Enabled(names) if names.contains(name.as_str()) => {
                Ok(NamedResource::Resource(name.to_string()))
            }
            ResourceScope::All if self.stack.resources.contains_key(name.as_str()) => {
                Ok(NamedResource::Resource(name.to_string()))
            }
            ResourceScope::Enabled(_) | ResourceScope::All => Err(missing(name)),
            ResourceScope::Failed(failure) => Err(failure.clone()),
            ResourceScope::Parsing => {
                let message = "maximum recursion depth exceeded";
                Err(Failure::new(ExceptionClass::RecursionError, message, expr.span))
            }
        }
    }

    pub(in crate::eval) fn reference(&self, expr: &Expr, name: &Value) -> EvalResult {
        let secret = name.holds_secret();
        match self.named_resource(expr, name)? {
            NamedResource::Unknown => Ok(self.unknown(expr, Operation::Resource, &[name])),
            NamedResource::Resource(name) => Ok(match self.inputs.runtime.reference(&name) {
                Some(value) => value.sealed(secret),
                None => self.unknown_for(expr, Dependency::Resource(name)),
            }),
        }
    }

    pub(super) fn attribute(&self, expr: &Expr, reference: &AttributeRef) -> EvalResult {
        let Some(attribute) = &reference.attribute else {
            let name = self.value(&reference.resource)?;
            return self.all_attributes(expr, &name);
        };
        // In the order in which Heat resolves them.
        let (path, attribute) = match reference.fetch {
            AttributeFetch::PathToResource => {
                let path = self.items(&reference.path)?;
                (Some(path), self.value(attribute)?)
            }
            AttributeFetch::WholeThenPath => (None, self.value(attribute)?),
        };
        let name = self.value(&reference.resource)?;
        let resource = match self.named_resource(expr, &name)? {
            NamedResource::Unknown => {
                let mut arguments = vec![&name, &attribute];
                arguments.extend(path.iter().flatten());
                return Ok(self.unknown(expr, Operation::Attribute, &arguments));
            }
            NamedResource::Resource(resource) => resource,
        };
        let runtime = self.inputs.runtime;
        if !runtime.is_ready(&resource, false) {
            return Ok(Value::Null);
        }
        if matches!(attribute.unsealed(), Value::Unknown(_)) {
            let mut arguments = vec![&name, &attribute];
            arguments.extend(path.iter().flatten());
            return Ok(self.unknown(expr, Operation::Attribute, &arguments));
        }
        let path = match path {
            Some(path) => path,
            None => {
                let fetch = AttributeFetch::WholeThenPath;
                let whole = runtime.attribute(&resource, attribute.unsealed(), &[], fetch);
                if whole.map_err(|problem| fail(expr, problem))? == Some(Value::Null) {
                    return Ok(Value::Null);
                }
                self.items(&reference.path)?
            }
        };
        let found = runtime
            .attribute(&resource, attribute.unsealed(), &path, reference.fetch)
            .map_err(|problem| fail(expr, problem))?;
        Ok(match found {
            Some(value) => value.sealed(attribute.holds_secret()),
            None => {
                // Dependencies are shown: one of a secret name is of all attributes, and the name leads into them.
                let secret = Some(&attribute).filter(|it| it.holds_secret());
                let is_secret = secret.is_some();
                let shown = python::str(attribute.unsealed()).unwrap_or_default();
                let shown = Some(shown).filter(|_| !is_secret);
                let own = self.unknown_for(expr, Dependency::Attribute(resource, shown));
                if path.is_empty() && !is_secret {
                    return Ok(own);
                }
                let operation = Operation::AttributePath(self.fetch(reference));
                let arguments: Vec<&Value> =
                    std::iter::once(&own).chain(secret).chain(&path).collect();
                self.unknown(expr, operation, &arguments).sealed(is_secret)
            }
        })
    }

    /// Who follows the path of an attribute (Heat or the resource), where that makes a difference.
    fn fetch(&self, reference: &AttributeRef) -> AttributeFetch {
        match reference.fetch {
            AttributeFetch::WholeThenPath
                if path_matters(reference, self.stack, self.inputs.schema) =>
            {
                AttributeFetch::WholeThenPath
            }
            AttributeFetch::WholeThenPath | AttributeFetch::PathToResource => {
                AttributeFetch::PathToResource
            }
        }
    }

    fn all_attributes(&self, expr: &Expr, name: &Value) -> EvalResult {
        let resource = match self.named_resource(expr, name)? {
            NamedResource::Unknown => return Ok(self.unknown(expr, Operation::Attribute, &[name])),
            NamedResource::Resource(resource) => resource,
        };
        if !self.inputs.runtime.is_ready(&resource, true) {
            return Ok(Value::Null);
        }
        let found = self.inputs.runtime.attributes(&resource);
        Ok(match found.map_err(|problem| fail(expr, problem))? {
            Some(value) => value,
            None => self.unknown_for(expr, Dependency::Attribute(resource, None)),
        })
    }
}
