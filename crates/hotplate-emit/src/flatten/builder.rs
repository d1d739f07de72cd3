//! Builds the flat stack, resource by resource.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::expand::{ExpandedResource, ScopeId, StackTree};
use super::member_number::with_member_number;
use super::rewrite::map;
use super::{FlatStack, Loss, LossKind, Losses, ResourceOrigin};
use crate::render_model::{ParameterValue, ResourceImplementation};
use heat_engine::eval::HeatGroup;
use heat_engine::eval::deployment::ChildStack;
use heat_template::ir::{
    Condition, DeletionPolicy, Dependency, Expr, ExprKind, Mapping, Output, Pair, Parameter,
    ParameterType, Resource, SpannedName, Stack,
};
use source_diagnostics::Span;

/// An item of a nested stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct NestedItem {
    pub(super) scope: ScopeId,
    pub(super) kind: NestedItemKind,
    pub(super) name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum NestedItemKind {
    Parameter,
    Output,
    Condition,
}

/// The flat stack while it is built.
pub(super) struct FlatStackBuilder<'a, 't> {
    pub(super) tree: &'t mut StackTree<'a>,
    pub(super) parameters: IndexMap<String, Parameter>,
    pub(super) values: IndexMap<String, ParameterValue>,
    pub(super) mappings: IndexMap<String, Mapping>,
    pub(super) conditions: IndexMap<String, Condition>,
    pub(super) resources: IndexMap<String, Resource>,
    pub(super) implementations: IndexMap<String, ResourceImplementation>,
    pub(super) origins: IndexMap<String, ResourceOrigin>,
    pub(super) helpers: HashMap<NestedItem, String>,
    pub(super) losses: Losses,
    finished: HashMap<NestedItem, Expr>,
    in_progress: HashSet<NestedItem>,
}

/// The properties that a resource inherits from the nested stacks around it.
#[derive(Clone, Default)]
struct Inherited {
    condition: Option<Expr>,
    depends_on: Vec<Dependency>,
    deletion_policy: Option<DeletionPolicy>,
}

/// The definition of a resource that is translated.
struct SourceResource<'a> {
    scope: ScopeId,
    /// The name of the resource, or of its group.
    name: String,
    resource: &'a Resource,
    path: Vec<String>,
}

/// Builds the whole stack.
pub(super) fn build(tree: &mut StackTree<'_>) -> FlatStack {
    let model = tree.model;
    let root = model.root();
    let mut values = model.parameter_values.clone();
    for name in root.stack.parameters.keys() {
        if let (false, Some(default)) = (values.contains_key(name), model.defaults.get(name)) {
            let known = model.full_deployment.evaluation.parameters.get(name);
            let value = match known {
                Some(Ok(value)) if !default.is_withheld => value.reveal().0,
                _ => default.value.clone(),
            };
            values.insert(name.clone(), ParameterValue { value, ..default.clone() });
        }
    }
    let mut writer = FlatStackBuilder {
        tree,
        parameters: root.stack.parameters.clone(),
        values,
        mappings: root.stack.mappings.clone(),
        conditions: root.stack.conditions.clone(),
        resources: IndexMap::new(),
        implementations: IndexMap::new(),
        origins: IndexMap::new(),
        helpers: HashMap::new(),
        losses: Losses::default(),
        finished: HashMap::new(),
        in_progress: HashSet::new(),
    };
    writer.scope(ScopeId(0), &Inherited::default());
    let mut outputs = IndexMap::new();
    for (name, output) in &root.stack.outputs {
        let value = output.value.as_ref().map(|value| writer.rewrite(ScopeId(0), value));
        let condition = output.condition.as_ref().map(|it| writer.rewrite(ScopeId(0), it));
        let condition = condition.filter(|it| it.kind != ExprKind::Bool(true));
        outputs.insert(name.clone(), Output { value, condition, ..output.clone() });
    }
    let stack = Stack {
        format: root.stack.format.clone(),
        description: root.stack.description.clone(),
        capabilities: root.stack.capabilities.clone(),
        parameters: writer.parameters,
        groups: root.stack.groups.clone(),
        mappings: writer.mappings,
        conditions: writer.conditions,
        resources: writer.resources,
        outputs,
        extensions: root.stack.extensions.clone(),
        given_secrets: root.stack.given_secrets.clone(),
    };
    FlatStack {
        module: root.with_stack(stack, writer.implementations),
        origins: writer.origins,
        parameter_values: writer.values,
        losses: writer.losses,
    }
}

impl<'a> FlatStackBuilder<'a, '_> {
    /// Starts an item and returns `None`. If it was started before, returns its value, or `Some(None)` if it is
    /// not finished, which means that it depends on itself.
    #[expect(clippy::option_option, reason = "not started, started, or finished")]
    pub(super) fn begin(&mut self, key: &NestedItem) -> Option<Option<Expr>> {
        if let Some(done) = self.finished.get(key) {
            return Some(Some(done.clone()));
        }
        (!self.in_progress.insert(key.clone())).then_some(None)
    }

    /// Finishes an item and stores its value.
    pub(super) fn end(&mut self, key: NestedItem, expr: Expr) -> Expr {
        self.in_progress.remove(&key);
        self.finished.insert(key, expr.clone());
        expr
    }

    fn scope(&mut self, scope: ScopeId, inherited: &Inherited) {
        let stack = self.tree.scopes[scope.0].stack;
        for (name, resource) in &stack.resources {
            let Some(node) = self.tree.scopes[scope.0].nodes.get(name).cloned() else { continue };
            let mut path = self.tree.scopes[scope.0].path.clone();
            path.push(name.clone());
            let written = SourceResource { scope, name: name.clone(), resource, path };
            self.node(&node, &written, inherited);
        }
    }

    fn node(
        &mut self,
        node: &ExpandedResource,
        written: &SourceResource<'a>,
        inherited: &Inherited,
    ) {
        match node {
            ExpandedResource::Absent => {}
            ExpandedResource::Resource { name, made_by } => {
                let own = self.inherited_by(written, inherited);
                let resource = self.resource(written, made_by, own);
                self.add(name, resource, made_by.clone(), written);
            }
            ExpandedResource::Stack(inner) => {
                let own = self.inherited_by(written, inherited);
                let uses_metadata = uses_resource_facade(self.tree.scopes[inner.0].stack);
                self.report_section_losses(written, !uses_metadata);
                self.scope(*inner, &own);
            }
            ExpandedResource::Group(kind, members) => {
                let own = self.inherited_by(written, inherited);
                self.report_section_losses(written, true);
                self.group_losses(*kind, written);
                self.members(*kind, members, written, &own);
            }
        }
    }

    fn add(
        &mut self,
        name: &str,
        resource: Resource,
        made_by: ResourceImplementation,
        written: &SourceResource<'_>,
    ) {
        let origin = ResourceOrigin {
            module: self.tree.scopes[written.scope.0].module,
            resource: written.name.clone(),
            path: written.path.clone(),
            is_helper: false,
        };
        self.resources.insert(name.to_owned(), resource);
        self.implementations.insert(name.to_owned(), made_by);
        self.origins.insert(name.to_owned(), origin);
    }

    /// The condition, dependencies and deletion policy of a resource, combined with the inherited ones.
    fn inherited_by(&mut self, written: &SourceResource<'_>, inherited: &Inherited) -> Inherited {
        let condition = written.resource.condition.as_ref();
        let condition = condition.map(|it| self.rewrite(written.scope, it));
        let condition = condition.filter(|it| it.kind != ExprKind::Bool(true));
        let condition = match (inherited.condition.clone(), condition) {
            (Some(outer), Some(own)) => {
                let span = own.span;
                Some(Expr::new(ExprKind::And([outer, own].into()), span))
            }
            (outer, own) => outer.or(own),
        };
        let mut depends_on = inherited.depends_on.clone();
        let mut known = depends_on.iter().map(|known| known.text.clone()).collect();
        let mut add = |dependency: &Dependency| {
            self.add_dependencies(written.scope, dependency, &mut known, &mut depends_on);
        };
        written.resource.depends_on.iter().for_each(&mut add);
        let module = self.tree.model.module(self.tree.scopes[written.scope.0].module);
        for name in module.dependencies(&written.name) {
            let dependency = SpannedName { text: name.into(), span: written.resource.name_span };
            add(&dependency);
        }
        let policy = match &written.resource.deletion_policy {
            Some(DeletionPolicy::Other(policy)) => {
                Some(DeletionPolicy::Other(self.rewrite(written.scope, policy)))
            }
            other => other.clone(),
        };
        // A nested stack that is retained retains its resources.
        let deletion_policy = match (&inherited.deletion_policy, policy) {
            (Some(outer), None | Some(DeletionPolicy::Delete)) => Some(outer.clone()),
            (_, own) => own,
        };
        Inherited { condition, depends_on, deletion_policy }
    }

    /// Adds every resource that a name stands for; `known` are the names of those that are there.
    fn add_dependencies(
        &self,
        scope: ScopeId,
        on: &Dependency,
        known: &mut HashSet<SmolStr>,
        found: &mut Vec<Dependency>,
    ) {
        let mut names = Vec::new();
        match self.tree.scopes[scope.0].nodes.get(on.text.as_str()) {
            Some(node) => self.leaves(node, &mut names),
            None => names.push(on.text.to_string()),
        }
        let names = names.into_iter().map(SmolStr::from).filter(|name| known.insert(name.clone()));
        found.extend(names.map(|text| SpannedName { text, span: on.span }));
    }

    fn leaves(&self, node: &ExpandedResource, found: &mut Vec<String>) {
        match node {
            ExpandedResource::Resource { name, .. } => found.push(name.clone()),
            ExpandedResource::Absent => {}
            ExpandedResource::Stack(scope) => {
                let nodes = self.tree.scopes[scope.0].nodes.values();
                nodes.for_each(|node| self.leaves(node, found));
            }
            ExpandedResource::Group(_, members) => {
                members.values().for_each(|node| self.leaves(node, found))
            }
        }
    }

    fn resource(
        &mut self,
        written: &SourceResource<'_>,
        made_by: &ResourceImplementation,
        own: Inherited,
    ) -> Resource {
        let found = written.resource;
        let scope = written.scope;
        let mut rewrite = |expr: &Option<Expr>| expr.as_ref().map(|it| self.rewrite(scope, it));
        Resource {
            name_span: found.name_span,
            kind: found.kind.clone().map(|kind| match made_by {
                ResourceImplementation::ResourceType(plugin) => {
                    SpannedName { text: plugin.clone(), span: kind.span }
                }
                ResourceImplementation::Template(_)
                | ResourceImplementation::Group { .. }
                | ResourceImplementation::Unknown(_) => kind,
            }),
            properties: rewrite(&found.properties),
            metadata: rewrite(&found.metadata),
            depends_on: own.depends_on,
            depends_on_span: found.depends_on_span,
            deletion_policy: own.deletion_policy,
            deletion_policy_span: found.deletion_policy_span,
            update_policy: rewrite(&found.update_policy),
            external_id: rewrite(&found.external_id),
            condition: own.condition,
            description: found.description.clone(),
            extensions: found.extensions.clone(),
        }
    }

    fn members(
        &mut self,
        kind: HeatGroup,
        members: &IndexMap<String, ExpandedResource>,
        written: &SourceResource<'a>,
        own: &Inherited,
    ) {
        let mut before: Option<&ExpandedResource> = None;
        for (member, node) in members {
            let mut own = own.clone();
            if kind == HeatGroup::ResourceChain && !is_concurrent(written.resource) {
                let mut names = Vec::new();
                before.iter().for_each(|node| self.leaves(node, &mut names));
                let span = written.resource.name_span;
                let names = names.into_iter().map(|name| SpannedName { text: name.into(), span });
                own.depends_on.extend(names);
            }
            before = Some(node);
            let mut path = written.path.clone();
            path.push(member.clone());
            match node {
                ExpandedResource::Absent | ExpandedResource::Group(..) => {}
                ExpandedResource::Stack(inner) => self.scope(*inner, &own),
                ExpandedResource::Resource { name, made_by } => {
                    let resource = self.member(kind, member, made_by, written, own);
                    let written = SourceResource {
                        scope: written.scope,
                        name: written.name.clone(),
                        resource: written.resource,
                        path,
                    };
                    self.add(name, resource, made_by.clone(), &written);
                }
            }
        }
    }

    fn member(
        &mut self,
        kind: HeatGroup,
        member: &str,
        made_by: &ResourceImplementation,
        written: &SourceResource<'a>,
        own: Inherited,
    ) -> Resource {
        use crate::render_model::property;
        let found = written.resource;
        let definition = match kind {
            HeatGroup::ResourceGroup => property(found, "resource_def"),
            HeatGroup::AutoScalingGroup => property(found, "resource"),
            HeatGroup::ResourceChain | HeatGroup::DeploymentGroup { .. } => None,
        };
        let part = |name: &str| definition.and_then(|definition| definition.member(name));
        let properties = match kind {
            HeatGroup::ResourceChain => property(found, "resource_properties"),
            _ => part("properties"),
        };
        let mark = match kind {
            HeatGroup::ResourceGroup => self.mark(written),
            _ => None,
        };
        let properties = properties.map(|it| self.rewrite(written.scope, it));
        let properties = properties.map(|it| match &mark {
            Some(mark) => with_member_number(&it, mark, member, self),
            None => it,
        });
        let metadata = part("metadata").map(|it| self.rewrite(written.scope, it));
        let kind_span = found.kind_span();
        let type_name = match made_by {
            ResourceImplementation::ResourceType(plugin) => plugin.clone(),
            ResourceImplementation::Template(_)
            | ResourceImplementation::Group { .. }
            | ResourceImplementation::Unknown(_) => {
                let group = self.tree.scopes[written.scope.0]
                    .partial_deployment
                    .children
                    .get(&written.name);
                let member = match group {
                    Some(ChildStack::Stack(group)) => group.stack.resources.get(member),
                    Some(ChildStack::Unknown(_) | ChildStack::Failed(_)) | None => None,
                };
                let kind = member.and_then(|member| member.kind.as_ref());
                kind.map(|kind| kind.text.clone()).unwrap_or_default()
            }
        };
        Resource {
            name_span: found.name_span,
            kind: Some(SpannedName { text: type_name, span: kind_span }),
            properties: properties.map(without_nulls),
            metadata,
            depends_on: own.depends_on,
            depends_on_span: found.depends_on_span,
            deletion_policy: own.deletion_policy,
            deletion_policy_span: found.deletion_policy_span,
            update_policy: None,
            external_id: None,
            condition: own.condition,
            description: found.description.clone(),
            extensions: Vec::new(),
        }
    }

    fn mark(&self, written: &SourceResource<'_>) -> Option<String> {
        super::expand::group_mark(
            self.tree.scopes[written.scope.0].partial_deployment,
            &written.name,
        )
    }

    /// Reports the sections of a resource that stands for others, which have no place of their own here.
    fn report_section_losses(&mut self, written: &SourceResource<'_>, metadata: bool) {
        let found = written.resource;
        let mut lose = |kind, subject: &str, span: Span, why: &str| {
            let message = format!("`{subject}` of `{}`: {why}", written.name);
            self.losses
                .add(Loss::new(kind, subject, message, span).with_owner(written.name.as_str()));
        };
        let why = "the nested stack is expanded into the flat stack";
        if let (true, Some(expr)) = (metadata, &found.metadata) {
            lose(LossKind::Section, "metadata", expr.span, why);
        }
        if let Some(expr) = &found.update_policy {
            lose(LossKind::Section, "update_policy", expr.span, why);
        }
        if let Some(expr) = &found.external_id {
            lose(LossKind::Section, "external_id", expr.span, why);
        }
    }

    /// Reports the properties of a group that do more than define its members.
    fn group_losses(&mut self, kind: HeatGroup, written: &SourceResource<'_>) {
        use crate::render_model::property;
        let lost: &[&str] = match kind {
            HeatGroup::AutoScalingGroup => &["min_size", "max_size", "cooldown", "rolling_updates"],
            HeatGroup::ResourceGroup
            | HeatGroup::ResourceChain
            | HeatGroup::DeploymentGroup { .. } => return,
        };
        for name in lost {
            if let Some(value) = property(written.resource, name) {
                let message = format!(
                    "`{name}` of `{}` has no effect: a flat stack does not scale",
                    written.name
                );
                let loss = Loss::new(LossKind::Property, *name, message, value.span);
                let loss = loss.with_owner(written.name.as_str());
                // Only scaling policies respect the others, and they are losses of their own.
                let matters = *name == "rolling_updates";
                self.losses.add(if matters { loss } else { loss.as_note() });
            }
        }
    }

    /// Adds a resource that holds a value, directly before the resource that uses it.
    pub(super) fn helper(
        &mut self,
        scope: ScopeId,
        name: &str,
        value: &Expr,
        kind: Option<ParameterType>,
    ) -> String {
        let mut path = self.tree.scopes[scope.0].path.clone();
        path.push(name.to_owned());
        let flat_name = self.tree.unique(&path);
        let span = value.span;
        let pairs = kind.map(|kind| ("type".to_owned(), Expr::text(kind.hot_name(), span)));
        let pairs = pairs.into_iter().chain([("value".to_owned(), value.clone())]);
        let resource = Resource {
            kind: Some(SpannedName { text: "OS::Heat::Value".into(), span }),
            properties: Some(map(pairs, span)),
            ..Resource::new(span)
        };
        self.resources.insert(flat_name.clone(), resource);
        self.implementations.insert(
            flat_name.clone(),
            ResourceImplementation::ResourceType("OS::Heat::Value".into()),
        );
        let unit = self.tree.scopes[scope.0].module;
        let origin =
            ResourceOrigin { module: unit, resource: name.to_owned(), path, is_helper: true };
        self.origins.insert(flat_name.clone(), origin);
        flat_name
    }
}

fn uses_resource_facade(stack: &Stack) -> bool {
    let mut found = false;
    for expr in stack.expressions() {
        expr.walk(&mut |part| {
            found |= matches!(part.kind, ExprKind::Facade(heat_template::ir::FacadePart::Metadata));
        });
    }
    found
}

fn is_concurrent(resource: &Resource) -> bool {
    let concurrent = crate::render_model::property(resource, "concurrent");
    concurrent.is_some_and(|it| match &it.kind {
        ExprKind::Bool(value) => *value,
        ExprKind::Text(text) => text.eq_ignore_ascii_case("true"),
        _ => false,
    })
}

/// Properties without those that are null, which Heat treats as absent.
fn without_nulls(mut properties: Expr) -> Expr {
    let is_null = |pair: &Pair| pair.value.kind == ExprKind::Null;
    if let ExprKind::Map(pairs) = &mut properties.kind
        && pairs.iter().any(is_null)
    {
        *pairs = pairs.iter().filter(|pair| !is_null(pair)).cloned().collect();
    }
    properties
}
