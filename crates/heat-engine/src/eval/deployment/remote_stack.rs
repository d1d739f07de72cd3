//! `OS::Heat::Stack`, whose template is a text.

use std::sync::Arc;

use indexmap::IndexMap;
use python_semantics::ExceptionClass;

use super::ChildStack;
use super::child_resource::ChildResource;
use super::deployer::Deployer;
use super::stack_request::{Ancestors, StackRequest};
use crate::eval::parameters::SuppliedValue;
use crate::eval::properties::{self, PropertyValues};
use crate::eval::template_graph::{Template, TemplateNode};
use crate::eval::{Dependency, Failure, Term, Unknown, Value, python};
use heat_template::schema::ValueType;
use lossless_yaml::{Limits, as_sent, read};
use source_diagnostics::SourceId;

/// Whether the secrets in a value are texts of templates that hide values of their own: what is hidden there is known
/// from its declaration.
fn is_made_of_templates(value: &Value) -> bool {
    !value.any(&mut |part| {
        let Value::Secret(secret) = part else { return false };
        !match secret.origin().map(Unknown::term) {
            Some(Term::Leaf { of: Dependency::File(_), .. }) => true,
            Some(Term::Call { arguments, .. }) => arguments.iter().all(is_made_of_templates),
            _ => false,
        }
    })
}

impl Deployer<'_> {
    /// Evaluates an `OS::Heat::Stack`.
    pub(super) fn remote_stack(
        &self,
        child: &ChildResource<'_>,
        properties: &PropertyValues,
    ) -> Result<ChildStack, Failure> {
        let span = child.span;
        let template =
            properties::required_property(properties, "template", ValueType::String, span)?;
        let given = properties::optional_property(properties, "parameters", ValueType::Map, span)?;
        let given = given.unwrap_or_else(|| Value::map::<&str>([]));
        let Value::Text(text) = template.unsealed() else {
            return Ok(child.unknown_from_value(&template));
        };
        // The keys of a secret map would be names in findings.
        let Value::Map(given) = &given else {
            return Ok(child.unknown_from_value(&given));
        };
        let wrong = |message: &str| Failure::new(ExceptionClass::ValueError, message, span);
        // What is made of a hidden value would be quoted in clear from the stack's template.
        if !is_made_of_templates(&template) {
            return Ok(child.unknown_from_value(&template));
        }
        let document = read(SourceId(u32::MAX), as_sent(text).into(), &Limits::default())
            .map_err(|found| wrong(&found.message))?;
        let lowered = self
            .request
            .templates
            .environment()
            .lower(&document)
            .map_err(|found| wrong(&found.message))?;
        let version = lowered.declaration();
        let template = Template::generated(Arc::new(lowered.stack), version, lowered.findings);
        let mut pairs = IndexMap::with_capacity(given.len());
        for (key, value) in given.iter() {
            let name = python::str(&key.to_value()).map_err(|raised| raised.at(span))?;
            pairs.insert(name, SuppliedValue { value: value.clone(), span: Some(span), key: None });
        }
        let parent = child.parent;
        let registry = Arc::clone(&parent.node.registry);
        let node = TemplateNode::new(Arc::new(template), registry);
        Ok(ChildStack::Stack(Arc::new(self.evaluate_stack(&StackRequest {
            node: &Arc::new(node),
            parameter_values: &pairs,
            group_values: &IndexMap::new(),
            facade: Some(child.facade()),
            table: None,
            running: None,
            ancestors: Ancestors { depth: parent.ancestors.depth + 1, ..parent.ancestors },
            anchor: parent.anchor.or(Some(child.property_span("template"))),
        }))))
    }
}
