//! Resolves references to resources, outputs of nested stacks, and attributes of groups.

use std::sync::Arc;

use indexmap::IndexMap;

use super::builder::{FlatStackBuilder, NestedItem, NestedItemKind};
use super::expand::{ExpandedResource, ScopeId};
use super::rewrite::map;
use super::values::{null, step};
use heat_engine::eval::HeatGroup;
use heat_template::hot::{
    GroupAttribute, GroupValue, MemberCollection, MemberName, MemberValue, PathStep, path_problem,
};
use heat_template::ir::types::{TypeSet, type_set_of};
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
            ExpandedResource::Stack(inner) => {
                match MemberValue::of_resource(requested.name, requested.path) {
                    Some((name, value)) => {
                        let nodes = Arc::clone(&self.tree.scopes[inner.0].nodes);
                        match nodes.get(name) {
                            Some(node) => self.value_of(node, name, &value, requested.span),
                            None => {
                                let why = "the nested stack has no such resource";
                                lost("get_attr", resource, why, requested.span)
                            }
                        }
                    }
                    None => self.output(*inner, requested.name, requested.path, requested.span),
                }
            }
            ExpandedResource::Group(kind, members) => {
                self.group(*kind, members, resource, requested)
            }
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
        let attribute = GroupAttribute::of(kind, requested.name, requested.path, requested.fetch);
        let (stack, schema) = (self.tree.scopes[0].stack, self.tree.model.schema());
        let type_set = |step: &Expr| type_set_of(step, stack, schema);
        if let Some(why) = attribute.inexpressible(type_set) {
            return lost("get_attr", resource, why, span);
        }
        let names = || members.keys().map(String::as_str);
        let found = match &attribute.value {
            GroupValue::Members(MemberCollection::List, value) => {
                let items =
                    members.iter().map(|(name, node)| self.value_of(node, name, value, span));
                let mut items: Vec<Expr> = items.collect();
                if let Some(lost) = items.iter().find(|it| matches!(it.kind, ExprKind::Invalid(_)))
                {
                    return lost.clone();
                }
                if let [index, rest @ ..] = attribute.path
                    && let Some(index) = index.as_index()
                {
                    return match MemberName::Position(index).position(names()) {
                        Some(at) => self.followed(items.swap_remove(at), rest),
                        None => lost("get_attr", resource, "the group has no such member", span),
                    };
                }
                Expr::new(ExprKind::List(items.into()), span)
            }
            GroupValue::Members(_, value) => {
                let pairs = members
                    .iter()
                    .map(|(name, node)| (name.clone(), self.value_of(node, name, value, span)));
                let pairs: Vec<_> = pairs.collect();
                map(pairs, span)
            }
            GroupValue::Member(member, value) => {
                let found = member.position(names()).and_then(|at| members.get_index(at));
                match found {
                    Some((name, node)) => self.value_of(node, name, value, span),
                    None => {
                        return lost("get_attr", resource, "the group has no such member", span);
                    }
                }
            }
            GroupValue::Size => {
                let size = i64::try_from(members.len()).unwrap_or(i64::MAX);
                Expr::new(ExprKind::Int(Integer::Small(size)), span)
            }
            GroupValue::RemovedNames | GroupValue::Refused => {
                return lost("get_attr", resource, "the group has no such attribute", span);
            }
        };
        self.followed(found, attribute.path)
    }

    /// The value at a path in an attribute; a missing item yields null.
    fn followed(&self, found: Expr, path: &[Expr]) -> Expr {
        let (stack, schema) = (self.tree.scopes[0].stack, self.tree.model.schema());
        let types = |expr: &Expr| type_set_of(expr, stack, schema);
        let mut found = found;
        for part in path.chunks(1) {
            if let Some(why) = path_problem(types(&found), TypeSet::ANY, part, types) {
                return lost("get_attr", "path", why, found.span);
            }
            found = step(found, part, &ExprKind::Null);
        }
        found
    }

    /// A value of a member. The template of a group passes paths to its members.
    fn value_of(
        &mut self,
        node: &ExpandedResource,
        resource: &str,
        value: &MemberValue<'_, Expr>,
        span: Span,
    ) -> Expr {
        match *value {
            MemberValue::Reference => self.reference_to(node, resource, span),
            MemberValue::Attribute { name: Some(name), path } => {
                let fetch = AttributeFetch::PathToResource;
                self.attribute_of(node, resource, AttributeRequest { name, path, fetch, span })
            }
            MemberValue::Attribute { name: None, .. } => {
                lost("get_attr", resource, "the name of the attribute is computed", span)
            }
        }
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
            let found = self.followed(known, path);
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
        let found = self.followed(bound.clone(), path);
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
