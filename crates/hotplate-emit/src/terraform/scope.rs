//! The context of a template's expressions: the names of its parameters, conditions and resources in the
//! module that it becomes.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use crate::kit::{Attachments, Expressed, Inexpressible, translate};
use indexmap::IndexMap;

use super::data_sources::DataSources;
use super::hcl::Hcl;
use super::module::FinishedModule;
use super::names::NamePool;
use crate::openstack_provider::{ObjectCatalog, model};
use crate::render_model::{Module, RenderModel};
use heat_engine::eval::PartialEvaluator;
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::Span;

/// A translated expression of the template.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TypedHcl {
    pub(super) hcl: Hcl,
    /// The types that its value can have.
    pub(super) shape: TypeSet,
    /// If it is a list, the types that its items can have.
    pub(super) items: TypeSet,
    /// Whether evaluating it never fails, so that it need not be guarded where its value is not used.
    pub(super) safe: bool,
}

impl TypedHcl {
    pub(super) fn new(hcl: Hcl, shape: TypeSet) -> Self {
        TypedHcl { hcl, shape, items: TypeSet::ANY, safe: true }
    }

    pub(super) fn text(hcl: Hcl) -> Self {
        TypedHcl::new(hcl, TypeSet::TEXT)
    }

    pub(super) fn list(hcl: Hcl, items: TypeSet) -> Self {
        TypedHcl { items, ..TypedHcl::new(hcl, TypeSet::LIST) }
    }

    pub(super) fn safe_if(mut self, safe: bool) -> Self {
        self.safe &= safe;
        self
    }

    pub(super) fn is(&self, shape: TypeSet) -> bool {
        self.shape.is_subset(shape)
    }
}

/// Placeholders of a loop that may occur in strings, with the values that replace them.
pub(super) type LoopPlaceholders = Vec<(String, Hcl)>;

/// The form of a resource in the module, for references to it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ResourceForm {
    /// Objects of the provider, as in the catalog, with their multiplicity.
    Objects(Multiplicity),
    /// A module call; `unit` is the index of its template.
    Module { name: String, unit: usize, copies: Multiplicity },
    /// A local value: an `OS::Heat::Value` or the text of a software configuration.
    Local { name: String, attribute: &'static str, shape: TypeSet },
    /// A message, which the data source with this label renders.
    Message { label: String, copies: Multiplicity },
    /// Nothing, for the given reason.
    Nothing(String),
}

/// How many instances of something exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Multiplicity {
    One,
    /// One or none, depending on a condition.
    Optional,
    /// The members of a group.
    Many,
}

/// The parts that the module needs besides the template's own items.
#[derive(Debug, Default)]
pub(super) struct ModuleNeeds {
    /// The files that the module reads.
    pub(super) files: Attachments,
    /// Whether it needs the data source of the project.
    pub(super) project: bool,
    /// Whether it needs the data source of the availability zones.
    pub(super) zones: bool,
    /// The additional local values of the module, by name.
    pub(super) locals: IndexMap<String, Hcl>,
}

/// Why a module has a variable that is not a parameter of the template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum VariableRole {
    /// The value of `OS::stack_name`.
    StackName,
    /// The value of `OS::stack_id`.
    StackId,
    /// The value from the environment for parameters of this name in nested templates.
    Default(String),
    /// A replacement for something that cannot be expressed.
    Fallback,
}

/// A variable that is not a parameter of the template.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ExtraVariable {
    pub(super) role: VariableRole,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) kind: &'static str,
    pub(super) sensitive: bool,
}

/// A template, as the context of its expressions.
pub(super) struct ModuleScope<'p> {
    pub(super) model: &'p RenderModel<'p>,
    pub(super) module: &'p Module,
    pub(super) is_root: bool,
    pub(super) evaluator: PartialEvaluator<'p>,
    /// The names of variables, by parameter.
    pub(super) variables: IndexMap<String, String>,
    /// The names of local values, by condition.
    pub(super) conditions: IndexMap<String, String>,
    pub(super) resource_forms: IndexMap<String, ResourceForm>,
    /// The labels of resources, data sources and modules, by resource.
    pub(super) labels: IndexMap<String, String>,
    pub(super) taken_variables: RefCell<NamePool>,
    pub(super) taken_locals: RefCell<NamePool>,
    pub(super) needs: RefCell<ModuleNeeds>,
    pub(super) loops: RefCell<Vec<LoopPlaceholders>>,
    pub(super) data: RefCell<DataSources>,
    /// The provider's objects of the template's resources.
    pub(super) catalog: &'p ObjectCatalog<'p>,
    /// The provider's objects of groups' members, by group.
    pub(super) members: IndexMap<String, model::ResourceObjects>,
    /// The types of groups' members, by group.
    pub(super) member_kinds: IndexMap<String, String>,
    /// The names of groups' members that exist, by group, where the group is written by their names.
    pub(super) member_names: IndexMap<String, Vec<String>>,
    /// Security rules that are dropped, by their resource and index among its objects, with the part that
    /// cannot be expressed.
    pub(super) dropped_rules: HashMap<(String, usize), Box<Inexpressible>>,
    /// The finished modules of nested templates, by index.
    pub(super) finished_modules: Rc<HashMap<usize, Rc<FinishedModule>>>,
    extras: RefCell<Vec<ExtraVariable>>,
    depth: Cell<usize>,
}

/// The maximum depth of nested functions.
pub(super) const MAX_EXPRESSION_DEPTH: usize = 200;

impl<'p> ModuleScope<'p> {
    pub(super) fn new(
        model: &'p RenderModel<'p>,
        unit: &'p Module,
        catalog: &'p ObjectCatalog<'p>,
        done: Rc<HashMap<usize, Rc<FinishedModule>>>,
    ) -> Self {
        let is_root = std::ptr::eq(unit, model.root());
        let stack = &unit.stack;
        let mut taken_variables = NamePool::default();
        let variables = stack.parameters.keys();
        let variables = variables
            .filter(|name| !(is_root && model.fixed.contains_key(*name)))
            .map(|name| (name.clone(), taken_variables.allocate(name)))
            .collect();
        let mut taken_locals = NamePool::default();
        let conditions = stack
            .conditions
            .keys()
            .map(|name| (name.clone(), taken_locals.allocate(name)))
            .collect();
        let mut labels = NamePool::default();
        let labels =
            stack.resources.keys().map(|name| (name.clone(), labels.allocate(name))).collect();
        ModuleScope {
            model,
            module: unit,
            is_root,
            evaluator: model.evaluator(unit),
            variables,
            conditions,
            resource_forms: IndexMap::new(),
            labels,
            taken_variables: RefCell::new(taken_variables),
            taken_locals: RefCell::new(taken_locals),
            needs: RefCell::default(),
            loops: RefCell::default(),
            data: RefCell::default(),
            catalog,
            members: IndexMap::new(),
            member_kinds: IndexMap::new(),
            member_names: IndexMap::new(),
            dropped_rules: HashMap::new(),
            finished_modules: done,
            extras: RefCell::default(),
            depth: Cell::new(0),
        }
    }

    /// The variables that are not parameters.
    pub(super) fn extras(&self) -> Vec<ExtraVariable> {
        self.extras.borrow().clone()
    }

    /// Adds a variable that is not a parameter, and returns its name; each role except the last exists once.
    pub(super) fn extra(
        &self,
        role: VariableRole,
        wanted: &str,
        description: String,
        kind: &'static str,
        sensitive: bool,
    ) -> String {
        let mut extras = self.extras.borrow_mut();
        if let Some(extra) =
            extras.iter().find(|it| role != VariableRole::Fallback && it.role == role)
        {
            return extra.name.clone();
        }
        let name = self.taken_variables.borrow_mut().allocate(wanted);
        extras.push(ExtraVariable { role, name: name.clone(), description, kind, sensitive });
        name
    }

    /// Adds a required variable in place of something that cannot be expressed, and returns its name.
    pub(super) fn fallback(&self, wanted: &str, description: &str, kind: &'static str) -> String {
        self.extra(VariableRole::Fallback, wanted, description.to_owned(), kind, false)
    }

    /// The label of a resource, data source or module.
    pub(super) fn label(&self, resource: &str) -> String {
        self.labels.get(resource).cloned().unwrap_or_else(|| NamePool::default().allocate(resource))
    }

    /// Translates an expression into Terraform's language.
    pub(super) fn generate(&self, expr: &Expr) -> Expressed<TypedHcl> {
        if self.depth.get() >= MAX_EXPRESSION_DEPTH {
            let why = "functions are nested too deep";
            return Err(Inexpressible::function("", why, expr.span));
        }
        self.depth.set(self.depth.get() + 1);
        let expressed = translate(self, expr);
        self.depth.set(self.depth.get() - 1);
        expressed
    }

    /// Whether an expression computes something, from nothing that only the deployment knows.
    pub(super) fn is_fixed(&self, expr: &Expr) -> bool {
        let mut fixed = true;
        let mut computes = false;
        expr.walk(&mut |part| match &part.kind {
            ExprKind::Parameter(parameter) => {
                computes = true;
                let name = parameter.name.as_text();
                let is_fixed = |name| self.is_root && self.model.fixed.contains_key(name);
                fixed &= name.is_some_and(is_fixed);
            }
            ExprKind::Resource(_)
            | ExprKind::Attribute(_)
            | ExprKind::Facade(_)
            | ExprKind::Zones(_)
            | ExprKind::Condition(_)
            | ExprKind::File(_) => fixed = false,
            _ => computes |= !part.is_literal(),
        });
        fixed && computes
    }

    /// Runs a function inside a loop with these placeholders.
    pub(super) fn within<T>(&self, layer: LoopPlaceholders, run: impl FnOnce() -> T) -> T {
        self.loops.borrow_mut().push(layer);
        let result = run();
        self.loops.borrow_mut().pop();
        result
    }

    /// Rejects a function with placeholders of a surrounding loop in its arguments: Heat resolves the
    /// function before they are replaced.
    pub(super) fn reject_loop_placeholders(
        &self,
        name: &str,
        parts: &[&Expr],
        span: Span,
    ) -> Expressed<()> {
        let loops = self.loops.borrow();
        let placeholders: Vec<&String> = loops.iter().flatten().map(|(key, _)| key).collect();
        let mut holds = false;
        for part in parts {
            part.walk(&mut |expr| {
                if let ExprKind::Text(text) = &expr.kind {
                    holds |= placeholders.iter().any(|key| text.contains(key.as_str()));
                }
            });
        }
        match holds {
            false => Ok(()),
            true => Err(Inexpressible::function(
                name,
                format!("Heat resolves `{name}` before it replaces the placeholder of the loop"),
                span,
            )),
        }
    }

    /// A string with the placeholders of surrounding loops replaced.
    pub(super) fn with_loop_placeholders(&self, text: &str) -> Hcl {
        let loops = self.loops.borrow();
        let mut parts = vec![Hcl::text(text)];
        // Placeholders of inner loops are replaced first.
        for layer in loops.iter().rev() {
            for (key, value) in layer {
                parts = parts.into_iter().flat_map(|part| cut(part, key, value)).collect();
            }
        }
        match parts.as_slice() {
            // A number in place of a whole string becomes a string.
            [value @ Hcl::Name(name)] if matches!(name.as_str(), "count.index" | "each.key") => {
                Hcl::Template(vec![super::hcl::TemplatePart::Value(value.clone())])
            }
            [one] => one.clone(),
            _ => Hcl::concatenated(parts),
        }
    }
}

fn cut(part: Hcl, key: &str, value: &Hcl) -> Vec<Hcl> {
    let Hcl::Text(text) = &part else { return vec![part] };
    if key.is_empty() || !text.contains(key) {
        return vec![part];
    }
    let mut parts = Vec::new();
    for (at, piece) in text.split(key).enumerate() {
        if at > 0 {
            parts.push(value.clone());
        }
        if !piece.is_empty() {
            parts.push(Hcl::text(piece));
        }
    }
    parts
}
