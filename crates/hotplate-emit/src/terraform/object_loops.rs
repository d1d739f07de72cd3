//! Objects for the strings of a list: `for_each` over a set, with the template of a `repeat` written out.

use super::arguments::ArgumentContext;
use super::hcl::Hcl;
use super::scope::{LoopPlaceholders, ModuleScope, Multiplicity, ResourceForm};
use crate::openstack_provider::model::{Argument, ProviderObject};
use heat_template::ir::{Expr, ExprKind, ParameterType};

/// A loop over a parameter that is a list of strings. The rules of a stack that exists are all different, so the
/// strings are a set.
#[derive(Debug)]
pub(super) struct ObjectLoop<'o> {
    /// The map that is repeated.
    template: &'o Expr,
    placeholder: &'o str,
    /// The list of strings.
    list: Hcl,
}

impl ObjectLoop<'_> {
    /// The value of `for_each`.
    pub(super) fn set(&self) -> Hcl {
        Hcl::call("toset", [self.list.clone()])
    }

    /// The entry of the map at a path.
    pub(super) fn entry(&self, path: &[String]) -> Option<&Expr> {
        path.iter().try_fold(self.template, |found, key| found.member(key))
    }

    fn placeholders(&self) -> LoopPlaceholders {
        vec![(self.placeholder.to_owned(), Hcl::name("each.value"))]
    }
}

impl ModuleScope<'_> {
    /// The loop that creates an object of a resource for each string of a list; `None` if there is none, or if it must be a
    /// count.
    pub(super) fn object_loop<'o>(
        &self,
        owner: &str,
        object: &'o ProviderObject,
    ) -> Option<ObjectLoop<'o>> {
        let Some(Argument::Expr(Expr { kind: ExprKind::Repeat(repeat), span }, _)) = &object.each
        else {
            return None;
        };
        let ExprKind::Map(sources) = &repeat.for_each.kind else { return None };
        let [source] = &sources[..] else { return None };
        let ExprKind::Parameter(parameter) = &source.value.kind else { return None };
        let declared = self.module.stack.parameters.get(parameter.name.as_text()?)?;
        let is_list = declared.kind == Some(ParameterType::TextList);
        let is_map = matches!(repeat.template.kind, ExprKind::Map(_));
        let is_alone = matches!(
            self.resource_forms.get(owner),
            Some(ResourceForm::Objects(Multiplicity::One))
        );
        if !is_list || !is_map || !is_alone || declared.is_hidden() || !parameter.path.is_empty() {
            return None;
        }
        let list = self.generate(&source.value).ok()?.hcl;
        let found =
            ObjectLoop { template: &repeat.template, placeholder: source.key.as_text()?, list };
        self.replaces_inside(found.template, &found.placeholders(), *span).ok()?;
        let exists = self.exists_in(&found, owner, object)?;
        (matches!(exists, Hcl::Bool(_))).then_some(found)
    }

    /// Whether an object is in a loop none of whose items creates it.
    pub(super) fn is_never_created(&self, owner: &str, object: &ProviderObject) -> bool {
        let found = self.object_loop(owner, object);
        found.is_some_and(|it| self.exists_in(&it, owner, object) == Some(Hcl::Bool(false)))
    }

    /// Whether the loop creates the object.
    fn exists_in(
        &self,
        found: &ObjectLoop<'_>,
        owner: &str,
        object: &ProviderObject,
    ) -> Option<Hcl> {
        let Some(only_if) = &object.only_if else { return Some(Hcl::Bool(true)) };
        let context = ArgumentContext::for_attribute(owner, None).in_loop(found);
        self.in_loop(found, || self.argument_value(only_if, &context)).ok()?
    }

    /// Runs a translation with the placeholder of a loop.
    pub(super) fn in_loop<T>(&self, found: &ObjectLoop<'_>, run: impl FnOnce() -> T) -> T {
        self.within(found.placeholders(), run)
    }
}
