//! One template of CloudFormation while it is made.

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexMap;

use super::super::tree::DataTree;
use super::super::{Comments, Loss, LossKind, Losses, Module, RenderModel};
use super::inexpressible::Inexpressible;
use super::names::{LogicalIds, camel};
use super::nested::FinishedTemplate;
use super::plan::PlannedResource;
use super::tables::{ArgumentForm, form};
use heat_engine::eval::{PartialEvaluator, Value};
use source_diagnostics::Span;

/// A template while it is made.
pub(super) struct TemplateBuilder<'p> {
    pub(super) program: &'p RenderModel<'p>,
    pub(super) module: &'p Module,
    pub(super) evaluator: PartialEvaluator<'p>,
    pub(super) comments: Comments<'p>,
    pub(super) losses: &'p mut Losses,
    /// The templates that are made already.
    pub(super) finished: &'p HashMap<usize, FinishedTemplate>,
    /// The parameters of Heat, with the names that they have here.
    pub(super) parameters: IndexMap<String, String>,
    /// Parameters whose values AWS may have no meaning for, with what they are used for.
    pub(super) parameter_forms: IndexMap<String, &'static ArgumentForm>,
    /// Parameters that Heat does not have.
    pub(super) extra_parameters: IndexMap<String, ExtraParameter>,
    /// Their names by their forms and descriptions.
    pub(super) extra_parameters_by_description: HashMap<(&'static str, String), Vec<String>>,
    pub(super) names: LogicalIds,
    /// What becomes of resources; members of groups by `GROUP.N`.
    pub(super) plan: IndexMap<String, PlannedResource<'p>>,
    /// Tables of constants that something is looked up in.
    pub(super) mappings: IndexMap<String, DataTree>,
    /// Conditions, in order.
    pub(super) conditions: IndexMap<String, DataTree>,
    pub(super) condition_names: LogicalIds,
    pub(super) condition_by_digest: HashMap<u64, String>,
    pub(super) condition_by_name: HashMap<String, String>,
    /// Finished resources by their names.
    pub(super) resources: Vec<(String, DataTree)>,
    /// Values that stand for other values, and those that are being looked at.
    pub(super) in_progress: BTreeSet<String>,
}

/// A parameter that Heat does not have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ExtraParameter {
    /// What it holds.
    pub(super) form: &'static str,
    pub(super) description: String,
    pub(super) is_secret: bool,
    /// The parameter of Heat to which the environment gives its value everywhere.
    pub(super) default_of: Option<String>,
}

/// The place that something is written for.
#[derive(Clone, Copy)]
pub(super) struct ValueContext<'h> {
    /// The resource, output or condition in Heat's names.
    pub(super) owner: &'h str,
    /// Its name here.
    pub(super) id: &'h str,
    /// The argument.
    pub(super) argument: &'h str,
    /// Where Heat has it.
    pub(super) span: Span,
    /// The condition of the owner.
    pub(super) condition: Option<&'h str>,
    /// Whether it may not be absent.
    pub(super) required: bool,
    /// Inside of a text.
    pub(super) in_text: bool,
    /// Whether what is absent is an empty text there.
    pub(super) absent_is_text: bool,
    /// Whether CloudFormation reads secrets there.
    pub(super) reads_secrets: bool,
    /// Whether the value is a secret, or a part of one.
    pub(super) is_secret: bool,
}

impl<'h> ValueContext<'h> {
    pub(super) fn new(owner: &'h str, id: &'h str, argument: &'h str, span: Span) -> Self {
        ValueContext {
            owner,
            id,
            argument,
            span,
            condition: None,
            required: false,
            in_text: false,
            absent_is_text: false,
            reads_secrets: true,
            is_secret: false,
        }
    }

    pub(super) fn at(self, argument: &'h str, span: Span) -> Self {
        ValueContext { argument, span, ..self }
    }

    /// For this value: no message, name or description tells a secret.
    pub(super) fn for_value(self, value: &Value) -> Self {
        ValueContext { is_secret: self.is_secret || matches!(value, Value::Secret(_)), ..self }
    }

    pub(super) fn required(self) -> Self {
        ValueContext { required: true, ..self }
    }

    pub(super) fn text(self) -> Self {
        ValueContext { in_text: true, absent_is_text: true, ..self }
    }
}

impl TemplateBuilder<'_> {
    /// Reports what is lost, and returns the comment that stands for it.
    pub(super) fn report_loss(&mut self, loss: Loss, snippet: Span) -> Vec<String> {
        let mut lines = vec![format!("lost: {}", loss.message)];
        let snippet = self.span_with_closing_brackets(snippet);
        if let Some(text) = self.program.snippet(snippet) {
            lines.extend(self.outdented(text, snippet).into_iter().map(|line| format!("  {line}")));
        }
        self.losses.add(loss);
        lines
    }

    /// A span with the brackets that end what begins in it: the parts of a map in flow style end before
    /// them.
    fn span_with_closing_brackets(&self, span: Span) -> Span {
        let text = self.module.document.text();
        if span == Span::NOWHERE || span.source != self.module.document.source() {
            return span;
        }
        let Some(inside) = text.get(span.range()) else { return span };
        let count = |sign: char| inside.matches(sign).count();
        let mut open = count('{').saturating_sub(count('}'));
        let mut end = span.end;
        for (at, c) in text[span.end as usize..].char_indices() {
            match c {
                '}' if open > 0 => {
                    open -= 1;
                    end = span.end + at as u32 + 1;
                }
                c if c.is_whitespace() || c == ',' => {}
                _ => break,
            }
        }
        Span { end, ..span }
    }

    /// Reports why something is lost.
    pub(super) fn lose_why(
        &mut self,
        why: &Inexpressible,
        owner: &str,
        snippet: Span,
    ) -> Vec<String> {
        let loss = why.loss(owner).dropping_whole_value();
        self.report_loss(loss, snippet)
    }

    /// The lines of a snippet as they would be if it began at the margin.
    fn outdented(&self, text: &str, span: Span) -> Vec<String> {
        let whole = self.module.document.text();
        let before = whole.get(..span.start as usize).unwrap_or_default();
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        let column = line.chars().count();
        let cut = |line: &str| {
            let blanks = line.chars().take_while(|c| *c == ' ').count().min(column);
            line.chars().skip(blanks).collect::<String>()
        };
        let mut lines = text.trim_end().lines();
        let first = lines.next().map(str::to_owned);
        first.into_iter().chain(lines.map(cut)).collect()
    }

    /// A parameter that Heat does not have, for a value that AWS cannot hold: named by what it is for
    /// where it stands for a text, so that the same text is the same parameter.
    pub(super) fn demand(
        &mut self,
        form_name: &'static str,
        text: Option<&str>,
        here: ValueContext<'_>,
    ) -> String {
        let wanted = form(form_name);
        let name = match text {
            Some(text) => format!("{}{}", camel(form_name), short(&camel(text))),
            None => format!("{}{}", here.id, camel(here.argument)),
        };
        let description = match text {
            Some(text) => format!("{}, in place of \"{text}\"", wanted.what()),
            None => format!("{} for {} of {}", wanted.what(), here.argument, here.owner),
        };
        let is_secret = here.is_secret;
        let demand =
            ExtraParameter { form: form_name, description, is_secret, ..ExtraParameter::default() };
        self.add_demand(&name, demand)
    }

    /// Adds a parameter, unless there is the same one.
    pub(super) fn add_demand(&mut self, name: &str, demand: ExtraParameter) -> String {
        let alike = (demand.form, demand.description.clone());
        let alike = self.extra_parameters_by_description.entry(alike).or_default();
        if let Some(there) = alike.iter().find(|there| there.starts_with(name)) {
            return there.clone();
        }
        let name = self.names.allocate(name);
        alike.push(name.clone());
        self.extra_parameters.insert(name.clone(), demand);
        name
    }

    /// Reports that AWS wants something that Heat does not have, and makes a parameter of it.
    pub(super) fn missing(
        &mut self,
        form_name: &'static str,
        why: &str,
        here: ValueContext<'_>,
    ) -> DataTree {
        let name = self.demand(form_name, None, here);
        let message = format!(
            "AWS requires {} for `{}` of `{}`: {why}",
            form(form_name).what(),
            here.argument,
            here.owner
        );
        let loss =
            Loss::new(LossKind::Value, here.argument, message, here.span).with_owner(here.owner);
        self.losses.add(loss.way_out(format!("give the parameter `{name}`")));
        reference(&name)
    }
}

/// At most so many letters of a text that becomes a part of a name.
fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// `Ref`
pub(super) fn reference(name: &str) -> DataTree {
    DataTree::map([("Ref", DataTree::from(name))])
}

/// `Fn::GetAtt`
pub(super) fn attribute_of(id: &str, attribute: &str) -> DataTree {
    call("Fn::GetAtt", [DataTree::from(id), DataTree::from(attribute)])
}

/// A function of a list of arguments.
pub(super) fn call(name: &str, arguments: impl IntoIterator<Item = DataTree>) -> DataTree {
    DataTree::map([(name, DataTree::list(arguments))])
}

/// What takes a property or an item away.
pub(super) fn no_value() -> DataTree {
    reference("AWS::NoValue")
}
