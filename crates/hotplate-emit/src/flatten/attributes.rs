//! Resolves references to resources, outputs of nested stacks, and attributes of groups.

use std::sync::Arc;

use indexmap::IndexMap;

use super::builder::{FlatStackBuilder, NestedItem, NestedItemKind};
use super::expand::{ExpandedResource, ScopeId};
use super::rewrite::map;
use super::values::{null, step};
use heat_engine::eval::HeatGroup;
use heat_template::ir::{AttributeFetch, AttributeRef, Expr, ExprKind, InvalidCall, Shared};
use python_semantics::number::Integer;
use source_diagnostics::Span;

/// The output by which a nested stack sets its own reference ID.
const STACK_ID: &str = "OS::stack_id";

/// The budget that each member takes in a list of all members' values, each of which is an expression.
const VALUES_PER_MEMBER: u64 = 8;

/// A reference to an attribute.
#[derive(Clone, Copy)]
struct AttributeRequest<'e> {
    name: &'e str,
    path: &'e [Expr],
    fetch: AttributeFetch,
    span: Span,
}

impl FlatStackBuilder<'_, '_> {
    fn found(&self, scope: ScopeId, name: &str) -> Option<ExpandedResource> {
        self.tree.scopes[scope.0].nodes.get(name).cloned()
    }

    /// The reference ID of a resource.
    pub(super) fn reference(&mut self, scope: ScopeId, name: &str, expr: &Expr) -> Expr {
        match self.found(scope, name) {
            Some(node) => self.reference_to(&node, name, expr.span),
            None => expr.clone(),
        }
    }

    fn reference_to(&mut self, node: &ExpandedResource, name: &str, span: Span) -> Expr {
        match node {
            ExpandedResource::Resource { name, .. } => {
                Expr::new(ExprKind::Resource(Shared::new(Expr::text(name.as_str(), span))), span)
            }
            ExpandedResource::Absent => null(span),
            ExpandedResource::Stack(inner)
                if self.tree.scopes[inner.0].stack.outputs.contains_key(STACK_ID) =>
            {
                self.output(*inner, STACK_ID, &[], span)
            }
            ExpandedResource::Stack(_) => {
                lost("get_resource", name, "a nested stack has no ID in a flat stack", span)
            }
            ExpandedResource::Group(..) => {
                lost("get_resource", name, "a group has no ID in a flat stack", span)
            }
        }
    }

    /// An attribute of a resource, or the value at a path in it.
    pub(super) fn attribute(
        &mut self,
        scope: ScopeId,
        resource: &str,
        attribute: &AttributeRef,
        expr: &Expr,
    ) -> Expr {
        let Some(node) = self.found(scope, resource) else { return expr.clone() };
        let path: Vec<Expr> = attribute.path.iter().map(|part| self.rewrite(scope, part)).collect();
        let name = attribute.attribute.as_ref().map(|name| self.rewrite(scope, name));
        let span = expr.span;
        let name = match name {
            Some(name) => name,
            None => return self.all_attributes(&node, resource, expr),
        };
        if let ExpandedResource::Resource { name: flat, .. } = &node {
            let attribute = AttributeRef {
                resource: Expr::text(flat.as_str(), attribute.resource.span),
                attribute: Some(name),
                path,
                fetch: attribute.fetch,
            };
            return Expr::new(ExprKind::Attribute(Shared::new(attribute)), span);
        }
        let Some(name) = name.as_text() else {
            return lost("get_attr", resource, "the name of the attribute is computed", span);
        };
        let requested = AttributeRequest { name, path: &path, fetch: attribute.fetch, span };
        self.attribute_of(&node, resource, requested)
    }

    fn all_attributes(&mut self, node: &ExpandedResource, resource: &str, expr: &Expr) -> Expr {
        let span = expr.span;
        match node {
            ExpandedResource::Resource { name, .. } => {
                let mut all = expr.clone();
                if let ExprKind::Attribute(attribute) = &mut all.kind {
                    attribute.to_mut().resource =
                        Expr::text(name.as_str(), attribute.resource.span);
                }
                all
            }
            ExpandedResource::Absent => null(span),
            ExpandedResource::Stack(inner) => {
                let names: Vec<String> =
                    self.tree.scopes[inner.0].stack.outputs.keys().cloned().collect();
                let pairs = names.into_iter().map(|name| {
                    let value = self.output(*inner, &name, &[], span);
                    (name, value)
                });
                let pairs: Vec<_> = pairs.collect();
                map(pairs, span)
            }
            ExpandedResource::Group(..) => {
                lost("get_attr", resource, "a group has no map of all its attributes here", span)
            }
        }
    }

    fn attribute_of(
        &mut self,
        node: &ExpandedResource,
        resource: &str,
        requested: AttributeRequest<'_>,
    ) -> Expr {
        match node {
            ExpandedResource::Absent => null(requested.span),
            ExpandedResource::Resource { name, .. } => {
                let attribute = AttributeRef {
                    resource: Expr::text(name.as_str(), requested.span),
                    attribute: Some(Expr::text(requested.name, requested.span)),
                    path: requested.path.to_vec(),
                    fetch: requested.fetch,
                };
                Expr::new(ExprKind::Attribute(Shared::new(attribute)), requested.span)
            }
            ExpandedResource::Stack(inner) => match requested.name.strip_prefix("resource.") {
                Some(rest) => {
                    let nodes = Arc::clone(&self.tree.scopes[inner.0].nodes);
                    self.of_member(&nodes, resource, rest, requested)
                }
                None => self.output(*inner, requested.name, requested.path, requested.span),
            },
            ExpandedResource::Group(kind, members) => {
                self.group(*kind, members, resource, requested)
            }
        }
    }

    /// An attribute of one member: `resource.NAME` or `resource.NAME.ATTRIBUTE`.
    fn of_member(
        &mut self,
        nodes: &IndexMap<String, ExpandedResource>,
        resource: &str,
        rest: &str,
        requested: AttributeRequest<'_>,
    ) -> Expr {
        // The name of a member may contain dots.
        let split = |name: &String| match rest.strip_prefix(name.as_str())? {
            "" => Some(None),
            attribute => attribute.strip_prefix('.').map(Some),
        };
        let found = nodes.iter().find_map(|(name, node)| Some((name, node, split(name)?)));
        let Some((name, node, attribute)) = found else {
            return lost("get_attr", resource, "the group has no such member", requested.span);
        };
        let of_path = requested.path.first().and_then(Expr::as_text);
        match (attribute, of_path) {
            (Some(attribute), _) => {
                self.attribute_of(node, name, AttributeRequest { name: attribute, ..requested })
            }
            (None, Some(attribute)) => {
                let path = &requested.path[1..];
                self.attribute_of(
                    node,
                    name,
                    AttributeRequest { name: attribute, path, ..requested },
                )
            }
            (None, None) => self.reference_to(node, name, requested.span),
        }
    }

    fn group(
        &mut self,
        kind: HeatGroup,
        members: &IndexMap<String, ExpandedResource>,
        resource: &str,
        requested: AttributeRequest<'_>,
    ) -> Expr {
        let span = requested.span;
        // A list of all members' values is written at every place that refers to it.
        let values = VALUES_PER_MEMBER.saturating_mul(members.len() as u64);
        if self.tree.model.budget.spend(values).is_err() {
            return null(span);
        }
        let is_scaling = kind == HeatGroup::AutoScalingGroup;
        if let Some(rest) = requested.name.strip_prefix("resource.") {
            return self.of_member(members, resource, rest, requested);
        }
        match requested.name {
            "refs" => {
                let list = members.iter().map(|(name, node)| self.reference_to(node, name, span));
                let list = Expr::new(ExprKind::List(list.collect()), span);
                step(list, requested.path, &ExprKind::Null)
            }
            "refs_map" => {
                let pairs = members
                    .iter()
                    .map(|(name, node)| (name.clone(), self.reference_to(node, name, span)));
                let pairs: Vec<_> = pairs.collect();
                step(map(pairs, span), requested.path, &ExprKind::Null)
            }
            "removed_rsrc_list" => Expr::new(ExprKind::List([].into()), span),
            "current_size" if is_scaling => {
                let size = i64::try_from(members.len()).unwrap_or(i64::MAX);
                Expr::new(ExprKind::Int(Integer::Small(size)), span)
            }
            "attributes" | "outputs" if !is_scaling || requested.name == "outputs" => {
                let Some((name, path)) = requested.path.split_first() else {
                    return lost(
                        "get_attr",
                        resource,
                        "a group has no map of all its attributes here",
                        span,
                    );
                };
                let Some(name) = name.as_text() else {
                    return lost(
                        "get_attr",
                        resource,
                        "the name of the attribute is computed",
                        span,
                    );
                };
                let requested = AttributeRequest { name, path, ..requested };
                let pairs = members.iter().map(|(member, node)| {
                    (member.clone(), self.attribute_of(node, member, requested))
                });
                let pairs: Vec<_> = pairs.collect();
                map(pairs, span)
            }
            "outputs_list" if is_scaling => {
                let Some((name, path)) = requested.path.split_first() else {
                    return lost(
                        "get_attr",
                        resource,
                        "a group has no map of all its attributes here",
                        span,
                    );
                };
                let Some(name) = name.as_text() else {
                    return lost(
                        "get_attr",
                        resource,
                        "the name of the attribute is computed",
                        span,
                    );
                };
                self.list(members, AttributeRequest { name, path, ..requested })
            }
            _ if is_scaling => lost("get_attr", resource, "the group has no such attribute", span),
            _ => match requested.fetch {
                AttributeFetch::PathToResource => self.list(members, requested),
                // The list of all members' values, then the path into that list.
                AttributeFetch::WholeThenPath => {
                    let list = self.list(members, AttributeRequest { path: &[], ..requested });
                    step(list, requested.path, &ExprKind::Null)
                }
            },
        }
    }

    fn list(
        &mut self,
        members: &IndexMap<String, ExpandedResource>,
        requested: AttributeRequest<'_>,
    ) -> Expr {
        let items = members.iter().map(|(name, node)| self.attribute_of(node, name, requested));
        Expr::new(ExprKind::List(items.collect()), requested.span)
    }

    /// An output of a nested stack.
    fn output(&mut self, scope: ScopeId, name: &str, path: &[Expr], span: Span) -> Expr {
        let place = &self.tree.scopes[scope.0];
        let Some(output) = place.stack.outputs.get(name) else {
            return lost("get_attr", name, "the nested template has no such output", span);
        };
        if let Some(outputs) = &place.partial_deployment.evaluation.outputs
            && let Some(known) = outputs.get(name)
            && let Ok(value) = &known.value
            && let Some(known) = value.reveal().0.to_data_expr(span)
        {
            let found = step(known, path, &ExprKind::Null);
            let place = path
                .iter()
                .filter_map(Expr::as_text)
                .fold(name.to_owned(), |name, part| format!("{name}_{part}"));
            return self.share(scope, NestedItemKind::Output, &place, &[], found, None);
        }
        let Some(value) = &output.value else { return null(span) };
        let key = NestedItem { scope, kind: NestedItemKind::Output, name: name.to_owned() };
        let bound = match self.begin(&key) {
            Some(Some(bound)) => bound,
            Some(None) => return self.circular_reference(name, value),
            None => {
                let bound = self.rewrite(scope, value);
                self.end(key, bound)
            }
        };
        let found = step(bound.clone(), path, &ExprKind::Null);
        match super::values::weight(&found, super::rewrite::LONG_CALL) < super::rewrite::LONG_CALL {
            true => found,
            false => self.share(scope, NestedItemKind::Output, name, path, bound, None),
        }
    }
}

/// A call that cannot be resolved, as an expression that targets report as a loss.
fn lost(function: &str, subject: &str, why: &str, span: Span) -> Expr {
    let call = InvalidCall {
        function: function.into(),
        argument: Expr::text(subject, span),
        problem: format!("`{subject}`: {why}").into(),
        original_argument: None,
    };
    Expr::new(ExprKind::Invalid(Shared::new(call)), span)
}
