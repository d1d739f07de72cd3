//! What an expression of a template may name, and what it needs besides itself.

use std::cell::{Cell, RefCell};

use indexmap::IndexMap;

use super::super::mapping::TypeMapping;
use super::super::{Comments, Loss, LossKind, Losses, Module, ModuleId, RenderModel};
use super::jinja::{JinjaExpr, quoted, text_of};
use super::names::{VariableNames, identifier};
use heat_engine::eval::{GroupKind, PartialEvaluator};
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, Stack};
use source_diagnostics::Span;

/// What all templates of a run share.
pub(super) struct PlaybookContext<'a> {
    pub(super) model: &'a RenderModel<'a>,
    pub(super) names: VariableNames,
    pub(super) losses: RefCell<Losses>,
    /// Files for `lookup('file')`, by their names.
    pub(super) files: RefCell<IndexMap<String, String>>,
    /// Variables that a user must give: what they are.
    pub(super) required_variables: RefCell<IndexMap<String, String>>,
    /// The variables of parameters, for each template.
    pub(super) parameters: Vec<IndexMap<String, String>>,
    /// The variables that name the stack, for each template.
    pub(super) stack_names: Vec<String>,
}

/// Something that cannot be expressed, as long as it is not known what suffers from that.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Inexpressible {
    pub(super) kind: LossKind,
    pub(super) subject: String,
    pub(super) message: String,
    pub(super) span: Span,
    pub(super) suggestion: Option<String>,
}

impl Inexpressible {
    /// A call of a function.
    pub(super) fn function(subject: &str, message: impl Into<String>, span: Span) -> Self {
        Inexpressible {
            kind: LossKind::Function,
            subject: subject.to_owned(),
            message: message.into(),
            span,
            suggestion: Some(
                "compute it while rendering: `--bake` the parameters it needs".to_owned(),
            ),
        }
    }

    /// A loss that nothing can be done about here.
    pub(super) fn without_suggestion(
        kind: LossKind,
        subject: &str,
        message: impl Into<String>,
        span: Span,
    ) -> Self {
        Inexpressible {
            kind,
            subject: subject.to_owned(),
            message: message.into(),
            span,
            suggestion: None,
        }
    }

    fn loss(self, owner: &str) -> Loss {
        let mut loss =
            Loss::new(self.kind, self.subject, self.message, self.span).with_owner(owner);
        loss.suggestion = self.suggestion;
        loss
    }
}

/// What a resource is in the playbook.
#[derive(Clone, Debug)]
pub(super) enum PlaybookForm {
    /// A task that registers what its module returns.
    Object(&'static TypeMapping),
    /// A variable that has its value.
    Variable(TypeSet),
    /// Tasks of another template; the variable has its outputs.
    Nested(ModuleId),
    /// A part of another resource's task.
    Part,
    /// Nothing, for a reason.
    Nothing(String),
}

/// A resource in the playbook.
#[derive(Clone, Debug)]
pub(super) struct PlaybookResource {
    /// The variable of it.
    pub(super) variable: String,
    pub(super) form: PlaybookForm,
    /// It is many, made in a loop.
    pub(super) group: Option<GroupKind>,
    /// Whether it holds what must not be shown.
    pub(super) is_secret: bool,
}

/// The number of a member, while a group is made.
#[derive(Clone, Debug)]
pub(super) struct MemberIndex {
    /// What stands for it in texts.
    pub(super) placeholder: String,
    /// The variable with it.
    pub(super) variable: String,
}

/// One template.
pub(super) struct TemplateScope<'a> {
    pub(super) playbook: &'a PlaybookContext<'a>,
    pub(super) id: ModuleId,
    pub(super) module: &'a Module,
    pub(super) evaluator: PartialEvaluator<'a>,
    pub(super) comments: Comments<'a>,
    pub(super) conditions: IndexMap<String, String>,
    pub(super) resources: RefCell<IndexMap<String, PlaybookResource>>,
    /// Variables that expressions need, with their texts.
    pub(super) helpers: RefCell<Vec<(String, String)>>,
    /// Variables that hold what resources hold.
    pub(super) value_variables: RefCell<Vec<(String, super::super::tree::DataTree)>>,
    /// Whether what was said last names a secret.
    pub(super) mentions_secret: Cell<bool>,
    pub(super) index: RefCell<Option<MemberIndex>>,
}

impl<'a> TemplateScope<'a> {
    pub(super) fn stack(&self) -> &'a Stack {
        &self.module.stack
    }

    /// A name of this template's own: that of a nested one begins with the template's.
    pub(super) fn name(&self, wish: &str) -> String {
        self.playbook.names.allocate(&name_in_module(self.playbook.model, self.id, wish))
    }

    /// An expression under a name of its own.
    pub(super) fn helper(&self, wish: &str, text: String, shape: TypeSet) -> JinjaExpr {
        let held = self.helpers.borrow().iter().find(|it| it.1 == text).map(|it| it.0.clone());
        let name = held.unwrap_or_else(|| {
            let name = self.name(wish);
            self.helpers.borrow_mut().push((name.clone(), text));
            name
        });
        JinjaExpr::primary(name, shape)
    }

    /// An expression that can be written more than once.
    pub(super) fn reusable(&self, code: JinjaExpr) -> JinjaExpr {
        match code.is_simple() {
            true => code,
            false => self.helper("value", code.template(), code.shape),
        }
    }

    /// The name of the stack.
    pub(super) fn stack_name(&self) -> JinjaExpr {
        let name = &self.playbook.stack_names[self.id.0];
        if self.id == ModuleId(0) {
            self.require(name, "the name of the stack");
        }
        JinjaExpr::primary(name.clone(), TypeSet::TEXT)
    }

    /// A variable that a user must give.
    pub(super) fn require(&self, name: &str, what: &str) {
        self.playbook
            .required_variables
            .borrow_mut()
            .entry(name.to_owned())
            .or_insert_with(|| what.to_owned());
    }

    /// What Heat calls a resource, without the random end.
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

    /// A text, the number of the member put in.
    pub(super) fn text(&self, text: &str) -> Vec<super::jinja::TextPart> {
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

    /// Notes a loss of `owner`'s.
    pub(super) fn report_loss(&self, owner: &str, lost: Inexpressible) {
        self.playbook.losses.borrow_mut().add(lost.loss(owner));
    }

    /// Reports something because of which a whole value is left out.
    pub(super) fn report_omitted_value(&self, owner: &str, lost: Inexpressible) {
        self.playbook.losses.borrow_mut().add(lost.loss(owner).dropping_whole_value());
    }

    /// The lines of a comment for what is lost: why, and what stood there.
    pub(super) fn loss_comment(&self, lost: &Inexpressible, span: Span) -> Vec<String> {
        let mut lines = vec![format!("lost: {}", lost.message)];
        if let Some(snippet) = self.playbook.model.snippet(span) {
            let mut rest = snippet.trim_end().split('\n');
            lines.extend(rest.next().map(|line| format!("  {line}")));
            // The first line begins behind its indentation, and the others lose as much of theirs.
            let rest: Vec<&str> = rest.collect();
            let blanks = |line: &&str| line.len() - line.trim_start_matches(' ').len();
            let indent = rest.iter().filter(|line| !line.trim().is_empty()).map(blanks).min();
            let indent = indent.unwrap_or(0).saturating_sub(2);
            let cut = |line: &&str| format!("  {}", line.get(indent..).unwrap_or_default());
            lines.extend(rest.iter().map(cut));
        }
        lines
    }

    /// A file for the playbook, and its name.
    pub(super) fn file(&self, path: &str, text: String) -> String {
        let wish = path.rsplit(['/', '\\']).next().filter(|it| !it.is_empty()).unwrap_or("file");
        let wish: String = wish
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' })
            .collect();
        let mut files = self.playbook.files.borrow_mut();
        let mut name = wish.clone();
        let mut number = 2_usize;
        while files.get(&name).is_some_and(|held| *held != text) || name.starts_with("..") {
            name = format!("{number}_{}", wish.trim_start_matches('.'));
            number += 1;
        }
        files.insert(name.clone(), text);
        name
    }

    /// The value of an expression where it does not depend on what is given at deployment.
    pub(super) fn constant(&self, expr: &Expr) -> Option<JinjaExpr> {
        let value = self.evaluator.constant(expr)?;
        let index = self.index.borrow();
        // In the literal of a group's member the number is still to be put in.
        if let Some(index) = index.as_ref()
            && value
                .any(&mut |part| text_of(part).is_some_and(|it| it.contains(&index.placeholder)))
        {
            let text = text_of(&value)?;
            let number = format!("{} | string", index.variable);
            let filter = format!("replace({}, {number})", quoted(&index.placeholder).text);
            return Some(quoted(text).filter(&filter, TypeSet::TEXT));
        }
        super::jinja::literal(&value)
    }
}

/// A name in a template: those of nested templates begin with the template's name.
pub(super) fn name_in_module(program: &RenderModel<'_>, id: ModuleId, wish: &str) -> String {
    match id {
        ModuleId(0) => identifier(wish),
        _ => format!("{}_{}", identifier(&program.module(id).name), wish),
    }
}
