//! How much of a deployment a target renders without a loss.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Emitter, Loss, LossKind, RenderModel, ResourceImplementation, TargetSupport, type_support,
};
use heat_template::ir::{Expr, ExprKind, Resource, Stack};
use source_diagnostics::{Severity, Span, SpanIndex};

/// A count and its total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CoverageCount {
    /// The number without a loss.
    pub expressed: usize,
    /// The number with and without a loss.
    pub of: usize,
}

impl CoverageCount {
    fn count(&mut self, is_expressed: bool) {
        self.of += 1;
        self.expressed += usize::from(is_expressed);
    }
}

/// How much is rendered without a loss, over all templates of a deployment, each counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Coverage {
    /// Resources that are rendered.
    pub resources: CoverageCount,
    /// Resources that are rendered, of those whose type has a counterpart in the target's table.
    pub mapped: CoverageCount,
    /// Top-level properties of resources that are rendered with everything in them.
    pub properties: CoverageCount,
    /// Calls of functions, not counting references to attributes.
    pub functions: CoverageCount,
    /// References to attributes, each occurrence counted.
    pub attributes: CoverageCount,
    /// Parameters that are rendered with all their keys.
    pub parameters: CoverageCount,
    /// Outputs that are rendered with all their keys.
    pub outputs: CoverageCount,
}

impl Coverage {
    /// Counts what remains without the losses.
    pub fn measure(model: &RenderModel<'_>, emitter: &dyn Emitter, losses: &[Loss]) -> Self {
        let mut coverage = Coverage::default();
        for unit in &model.modules {
            let source = unit.document.source();
            let here =
                losses.iter().filter(|loss| loss.span.source == source && is_real_loss(loss));
            let here = LossIndex::new(here);
            let is_mapped = |resource: &str| match unit.implementations.get(resource) {
                Some(ResourceImplementation::ResourceType(kind)) => {
                    !matches!(type_support(emitter, kind), (_, TargetSupport::Unsupported(_)))
                }
                Some(ResourceImplementation::Template(_)) => true,
                Some(ResourceImplementation::Group { .. } | ResourceImplementation::Unknown(_))
                | None => false,
            };
            coverage.stack(&unit.stack, &here, &is_mapped);
        }
        coverage
    }

    fn stack(&mut self, stack: &Stack, losses: &LossIndex<'_>, is_mapped: &dyn Fn(&str) -> bool) {
        for (name, parameter) in &stack.parameters {
            self.parameters.count(!losses.owns(name, parameter.name_span));
        }
        for condition in stack.conditions.values() {
            self.calls(&condition.value, losses, false);
        }
        for (name, resource) in &stack.resources {
            self.resource(name, resource, losses, is_mapped(name));
        }
        for (name, output) in &stack.outputs {
            let inside = output.value.iter().any(|value| losses.touches(value.span));
            self.outputs.count(!inside && !losses.owns(name, output.name_span));
            if let Some(value) = &output.value {
                self.calls(value, losses, false);
            }
        }
    }

    fn resource(
        &mut self,
        name: &str,
        resource: &Resource,
        losses: &LossIndex<'_>,
        is_mapped: bool,
    ) {
        let kind = resource.kind.as_ref().map(|kind| kind.span);
        let is_lost = losses.resources.contains(name)
            || [Some(resource.name_span), kind]
                .into_iter()
                .flatten()
                .any(|span| losses.resource_spans.contains(&span));
        self.resources.count(!is_lost);
        if is_mapped {
            self.mapped.count(!is_lost);
        }
        let Some(properties) = &resource.properties else { return };
        match &properties.kind {
            ExprKind::Map(pairs) => {
                for pair in pairs {
                    let whole = Span { end: pair.value.span.end, ..pair.key.span };
                    let key = pair.key.as_text();
                    let by_name = key.is_some_and(|key| losses.properties.contains(&(name, key)));
                    let is_expressed = !is_lost && !by_name && !losses.touches(whole);
                    self.properties.count(is_expressed);
                    self.calls(&pair.value, losses, is_lost || by_name);
                }
            }
            _ => {
                self.properties.count(!is_lost && !losses.touches(properties.span));
                self.calls(properties, losses, is_lost);
            }
        }
        for expr in resource.metadata.iter().chain(&resource.update_policy) {
            self.calls(expr, losses, is_lost);
        }
    }

    fn calls(&mut self, expr: &Expr, losses: &LossIndex<'_>, is_lost: bool) {
        expr.walk_places(&mut |part| {
            let is_expressed = !is_lost && losses.places.containing(part.span).is_none();
            match &part.kind {
                ExprKind::Attribute(_) => self.attributes.count(is_expressed),
                kind if part.is_literal() || matches!(kind, ExprKind::Condition(_)) => {}
                _ => self.functions.count(is_expressed),
            }
        });
    }
}

/// Whether a loss counts: a note only reports a difference in what is rendered.
fn is_real_loss(loss: &Loss) -> bool {
    loss.kind != LossKind::Comment && !loss.is_note()
}

/// The losses of one template, indexed for counting.
struct LossIndex<'l> {
    places: SpanIndex,
    spans: HashSet<Span>,
    /// Names of parameters, conditions, resources and outputs with a lost section, value or function.
    owners: HashSet<&'l str>,
    /// Names of resources that are lost.
    resources: HashSet<&'l str>,
    resource_spans: HashSet<Span>,
    /// Lost properties: the resource and the property.
    properties: HashSet<(&'l str, &'l str)>,
}

impl<'l> LossIndex<'l> {
    fn new(losses: impl Iterator<Item = &'l Loss> + Clone) -> Self {
        let of = |kinds: &'static [LossKind]| {
            losses.clone().filter(move |loss| kinds.contains(&loss.kind))
        };
        let owner = |loss: &'l Loss| loss.owner.as_deref();
        let owned = of(&[LossKind::Section, LossKind::Value, LossKind::Function]);
        let property = |loss: &'l Loss| Some((owner(loss)?, loss.subject.as_str()));
        LossIndex {
            places: SpanIndex::new(losses.clone().map(|loss| loss.span).enumerate()),
            spans: losses.clone().map(|loss| loss.span).collect(),
            owners: owned.filter_map(owner).collect(),
            resources: of(&[LossKind::ResourceType]).filter_map(owner).collect(),
            // A security rule that is a resource of its own is dropped as a whole.
            resource_spans: losses
                .clone()
                .filter(|loss| {
                    loss.kind == LossKind::ResourceType || loss.severity == Severity::Error
                })
                .map(|loss| loss.span)
                .collect(),
            properties: of(&[LossKind::Property]).filter_map(property).collect(),
        }
    }

    /// Whether there is a loss inside a span, or around it.
    fn touches(&self, place: Span) -> bool {
        self.places.nested_with(place).is_some()
    }

    /// Whether there is a loss of something that belongs to a name in a section.
    fn owns(&self, name: &str, name_span: Span) -> bool {
        self.spans.contains(&name_span) || self.owners.contains(name)
    }
}
