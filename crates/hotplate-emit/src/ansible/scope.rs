//! The state of translating one template: the names that expressions may use, and the helpers they need.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};

use indexmap::IndexMap;

use super::jinja::JinjaExpr;
use super::names::{VariableNames, identifier};
use super::teardown::Teardown;
use crate::kit::{Attachments, Inexpressible, Outdent, lost_comment};
use crate::mapping::TypeMapping;
use crate::{Comments, Losses, Module, ModuleId, RenderModel};
use heat_engine::eval::{HeatGroup, PartialEvaluator};
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind, Stack};
use heat_template::schema::Schema;
use source_diagnostics::Span;

/// The state that all templates of a run share.
pub(super) struct PlaybookContext<'a> {
    pub(super) model: &'a RenderModel<'a>,
    pub(super) names: VariableNames,
    pub(super) losses: RefCell<Losses>,
    /// The files for `lookup('file')`.
    pub(super) files: RefCell<Attachments>,
    /// Variables that the user must supply, with a description.
    pub(super) required_variables: RefCell<IndexMap<String, String>>,
    /// The variables of parameters, for each template in the order of the program's templates.
    pub(super) parameters: Vec<IndexMap<String, String>>,
    /// The parameters that the tasks of a finished template use, by the index of the template.
    pub(super) used_parameters: RefCell<HashMap<usize, BTreeSet<String>>>,
    /// The variables that hold the stack name, for each template.
    pub(super) stack_names: Vec<String>,
}

impl PlaybookContext<'_> {
    /// The variable of a parameter; `None` if the template is finished and nothing in it uses the parameter.
    pub(super) fn parameter_variable(&self, id: ModuleId, name: &str) -> Option<&str> {
        let used = self.used_parameters.borrow();
        let is_used = used.get(&id.0).is_none_or(|used| used.contains(name));
        self.parameters[id.0].get(name).map(String::as_str).filter(|_| is_used)
    }
}

/// A function call that cannot be expressed; what it computes can be, if its parameters are known while
/// rendering.
pub(super) fn unsupported_function(
    name: &str,
    message: impl Into<String>,
    span: Span,
) -> Box<Inexpressible> {
    Inexpressible::function(name, message, span)
        .suggesting("compute it while rendering: pass the parameters it needs to `--bake`")
}

/// The form that a resource takes in the playbook.
#[derive(Clone, Debug)]
pub(super) enum PlaybookForm {
    /// A task that registers what its module returns.
    Object(&'static TypeMapping),
    /// A variable that holds its value.
    Variable(TypeSet),
    /// Included tasks of a nested template; the variable holds its outputs.
    Nested(ModuleId),
    /// A part of another resource's task.
    Part,
    /// Nothing, for the given reason.
    Nothing(String),
}

#[derive(Clone, Debug)]
pub(super) struct PlaybookResource {
    /// The variable that refers to it.
    pub(super) variable: String,
    pub(super) form: PlaybookForm,
    /// The kind of group, if it is a group, whose members are created in a loop.
    pub(super) group: Option<HeatGroup>,
    /// Whether it holds a secret, which must not be logged.
    pub(super) is_secret: bool,
}

/// The index of a member, while the definition of a group's members is translated.
#[derive(Clone, Debug)]
pub(super) struct MemberIndex {
    /// The placeholder for the index in strings, such as `%index%`.
    pub(super) placeholder: String,
    /// The variable that holds the index.
    pub(super) variable: String,
}

impl MemberIndex {
    /// Whether the value of an expression depends on the member.
    pub(super) fn is_in(&self, expr: &Expr) -> bool {
        let mut found = false;
        expr.walk(&mut |part| {
            found |= !self.placeholder.is_empty()
                && matches!(&part.kind, ExprKind::Text(text) if text.contains(&self.placeholder));
        });
        found
    }
}

/// One template, while it is translated.
pub(super) struct TemplateScope<'a> {
    pub(super) playbook: &'a PlaybookContext<'a>,
    pub(super) id: ModuleId,
    pub(super) module: &'a Module,
    pub(super) evaluator: PartialEvaluator<'a>,
    pub(super) comments: Comments<'a>,
    pub(super) conditions: IndexMap<String, String>,
    pub(super) resources: RefCell<IndexMap<String, PlaybookResource>>,
    /// Variables that expressions need, with their values.
    pub(super) helpers: RefCell<Vec<(String, String)>>,
    /// Variables that hold the values of resources without a module.
    pub(super) value_variables: RefCell<Vec<(String, crate::tree::DataTree)>>,
    /// Whether the expression that was translated last names a secret.
    pub(super) mentions_secret: Cell<bool>,
    pub(super) index: RefCell<Option<MemberIndex>>,
    /// The variables of the mappings that are used.
    pub(super) mappings: RefCell<IndexMap<String, String>>,
    pub(super) teardown: RefCell<Teardown>,
}

impl<'a> TemplateScope<'a> {
    pub(super) fn stack(&self) -> &'a Stack {
        &self.module.stack
    }

    /// The resource types of the release of Heat.
    pub(super) fn schema(&self) -> &'static Schema {
        self.playbook.model.schema()
    }

    /// Allocates a name; in a nested template it is prefixed with the template's name.
    pub(super) fn name(&self, wish: &str) -> String {
        self.playbook.names.allocate(&name_in_module(self.playbook.model, self.id, wish))
    }

    /// Puts an expression into a variable of its own and returns a reference to it.
    pub(super) fn helper(&self, wish: &str, text: String, shape: TypeSet) -> JinjaExpr {
        let held = self.helpers.borrow().iter().find(|it| it.1 == text).map(|it| it.0.clone());
        let name = held.unwrap_or_else(|| {
            let name = self.name(wish);
            self.helpers.borrow_mut().push((name.clone(), text));
            name
        });
        JinjaExpr::primary(name, shape)
    }

    pub(super) fn mapping_variable(&self, mapping: &str, data: lossless_yaml::Value) -> JinjaExpr {
        let held = self.mappings.borrow().get(mapping).cloned();
        let name = held.unwrap_or_else(|| {
            let name = self.name(mapping);
            self.mappings.borrow_mut().insert(mapping.to_owned(), name.clone());
            self.value_variables.borrow_mut().push((name.clone(), data.into()));
            name
        });
        JinjaExpr::primary(name, TypeSet::MAP)
    }

    /// An expression that is short enough to be repeated: a helper variable where necessary.
    pub(super) fn reusable(&self, code: JinjaExpr) -> JinjaExpr {
        match code.is_simple() {
            true => code,
            false => self.helper("value", code.template(), code.shape),
        }
    }

    pub(super) fn stack_name(&self) -> JinjaExpr {
        let name = &self.playbook.stack_names[self.id.0];
        if self.id == ModuleId(0) {
            self.require(name, "the name of the stack");
        }
        JinjaExpr::primary(name.clone(), TypeSet::TEXT)
    }

    /// Records a variable that the user must supply.
    pub(super) fn require(&self, name: &str, what: &str) {
        self.playbook
            .required_variables
            .borrow_mut()
            .entry(name.to_owned())
            .or_insert_with(|| what.to_owned());
    }

    /// The name that Heat generates for a resource, without its random suffix.
    pub(super) fn generated_name(&self, resource: &str) -> Vec<super::jinja::TextPart> {
        use super::jinja::TextPart;
        let mut parts =
            vec![TextPart::Code(self.stack_name()), TextPart::Text(format!("-{resource}"))];
        if let Some(index) = &*self.index.borrow() {
            parts.push(TextPart::Text("-".to_owned()));
            parts.push(TextPart::Code(JinjaExpr::primary(index.variable.clone(), TypeSet::NUMBER)));
        }
        parts
    }

    /// Text with the placeholder of a group's index replaced.
    pub(super) fn text_parts(&self, text: &str) -> Vec<super::jinja::TextPart> {
        use super::jinja::TextPart;
        let index = self.index.borrow();
        let Some(index) = index.as_ref().filter(|it| !it.placeholder.is_empty()) else {
            return vec![TextPart::Text(text.to_owned())];
        };
        let mut parts = Vec::new();
        for (at, piece) in text.split(index.placeholder.as_str()).enumerate() {
            if at > 0 {
                parts.push(TextPart::Code(JinjaExpr::primary(
                    index.variable.clone(),
                    TypeSet::NUMBER,
                )));
            }
            parts.push(TextPart::Text(piece.to_owned()));
        }
        parts
    }

    /// Reports a loss that belongs to `owner`.
    pub(super) fn report_loss(&self, owner: &str, lost: &Inexpressible) {
        self.playbook.losses.borrow_mut().add(lost.loss(owner));
    }

    /// Reports a loss that removes the whole value it is part of.
    pub(super) fn report_omitted_value(&self, owner: &str, lost: &Inexpressible) {
        self.playbook.losses.borrow_mut().add(lost.loss(owner).dropping_whole_value());
    }

    /// The lines of a comment for a loss: the reason, and the original.
    pub(super) fn loss_comment(&self, lost: &Inexpressible, span: Span) -> Vec<String> {
        let original = self.playbook.model.snippet(span).unwrap_or_default();
        let omission = self.playbook.model.omission(&lost.subject, span);
        lost_comment(omission, &lost.message, original, Outdent::Common)
    }

    /// Takes the remaining comments of an item, without those inside what a comment shows as it was.
    pub(super) fn item_comments(&self, name_span: Span, shown: Option<Span>) -> Vec<String> {
        if let Some(shown) = shown {
            self.comments.take_inside(shown);
        }
        self.comments.take_item(name_span)
    }

    /// Adds a file to the playbook and returns its name.
    pub(super) fn add_file(&self, path: &str, text: String) -> String {
        self.playbook.files.borrow_mut().add_name(path, &text)
    }
}

/// A name in a template; names in nested templates are prefixed with the template's name.
pub(super) fn name_in_module(model: &RenderModel<'_>, id: ModuleId, wish: &str) -> String {
    match id {
        ModuleId(0) => identifier(wish),
        _ => format!("{}_{}", identifier(&model.module(id).name), wish),
    }
}
