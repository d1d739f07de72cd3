//! Builds one CloudFormation template.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::kit::{Expressed, Inexpressible, Omission, Outdent, column_at, lost_comment};
use indexmap::IndexMap;

use super::json_parameter::JsonPart;
use super::names::{LogicalIds, camel};
use super::nested::FinishedTemplate;
use super::plan::PlannedResource;
use super::tables::{ArgumentForm, form};
use crate::tree::DataTree;
use crate::{Comments, Loss, LossKind, Losses, Module, RenderModel};
use heat_engine::eval::{PartialEvaluator, Value};
use source_diagnostics::Span;

/// A CloudFormation template while it is built.
pub(super) struct TemplateBuilder<'p> {
    pub(super) model: &'p RenderModel<'p>,
    pub(super) module: &'p Module,
    pub(super) evaluator: PartialEvaluator<'p>,
    pub(super) comments: Comments<'p>,
    pub(super) losses: &'p mut Losses,
    /// The templates that are finished, by the index of their module.
    pub(super) finished: &'p HashMap<usize, FinishedTemplate>,
    /// The logical IDs of the template's parameters, by their names in Heat.
    pub(super) parameters: IndexMap<String, String>,
    /// Parameters whose values may have no meaning in AWS, with the form of the argument that uses them.
    pub(super) parameter_forms: IndexMap<String, &'static ArgumentForm>,
    /// The used parts of JSON parameters, by the name in Heat and the path.
    pub(super) json_parts: IndexMap<(String, Vec<String>), JsonPart>,
    /// Parameters that the Heat template does not declare.
    pub(super) extra_parameters: IndexMap<String, ExtraParameter>,
    /// Their names, by form and description.
    pub(super) extra_parameters_by_description: HashMap<(&'static str, String), Vec<String>>,
    pub(super) names: LogicalIds,
    /// The counterparts of resources; members of groups are named `GROUP.N`.
    pub(super) plan: IndexMap<String, PlannedResource<'p>>,
    /// Resources that belong to another one, by its logical ID.
    pub(super) helpers: HashMap<String, Vec<String>>,
    /// The subnets of each network, by their keys in the plan; collected on the first request, when the plan is
    /// complete.
    pub(super) subnets: OnceCell<HashMap<String, Vec<String>>>,
    /// The resources whose attribute `name` is read; collected on the first request.
    pub(super) read_names: OnceCell<HashSet<String>>,
    /// Tables of constants that `Fn::FindInMap` uses.
    pub(super) mappings: IndexMap<String, DataTree>,
    /// The definitions of conditions, in the order in which they are written.
    pub(super) conditions: IndexMap<String, DataTree>,
    /// The first of the conditions with a definition, by its form for debugging; the first `indexed_conditions` are there.
    pub(super) condition_ids: HashMap<String, String>,
    pub(super) indexed_conditions: usize,
    pub(super) condition_names: LogicalIds,
    pub(super) condition_by_digest: HashMap<u64, String>,
    pub(super) condition_by_name: HashMap<String, String>,
    /// Finished resources, by their logical IDs.
    pub(super) resources: Vec<(String, DataTree)>,
    /// The logical IDs of wait conditions that became handles, since nothing signals them.
    pub(super) replaced_conditions: BTreeSet<String>,
    /// Parameters of the root template whose present values would express more.
    pub(super) wanted_values: BTreeSet<String>,
    /// The resources that are being inlined where they are used.
    pub(super) in_progress: BTreeSet<String>,
    /// The number of nodes that were inlined.
    pub(super) inlined_nodes: usize,
}

/// So many resources may be inlined within each other.
const MAX_INLINED_DEPTH: usize = 100;
/// So many nodes may be inlined, more than a template of 1 MB has, the limit of CloudFormation.
const MAX_INLINED_NODES: usize = 200_000;

/// A parameter that the Heat template does not declare.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ExtraParameter {
    /// The name of its form.
    pub(super) form: &'static str,
    pub(super) description: String,
    pub(super) is_secret: bool,
    /// The Heat parameter whose default in the environment it receives, in every template, and the path of the
    /// part that it receives.
    pub(super) default_of: Option<(String, Vec<String>)>,
}

/// The context of a value: what it is written for.
#[derive(Clone, Copy)]
pub(super) struct ValueContext<'h> {
    /// The resource, output or condition, by its name in Heat.
    pub(super) owner: &'h str,
    /// The owner's name in the result.
    pub(super) id: &'h str,
    /// The property or argument that the value is for.
    pub(super) argument: &'h str,
    /// The place of the value in the Heat template.
    pub(super) span: Span,
    /// The condition of the owner.
    pub(super) condition: Option<&'h str>,
    /// Whether the value must not be absent.
    pub(super) required: bool,
    /// Whether it becomes part of a string.
    pub(super) in_text: bool,
    /// Whether an absent value becomes an empty string.
    pub(super) absent_is_text: bool,
    /// Whether CloudFormation resolves dynamic references to secrets here.
    pub(super) reads_secrets: bool,
    /// Whether the value is a secret or part of one.
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

    /// The context for this value: of a secret, no message, name or description shows anything.
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
    /// What `produce` makes of a resource that is inlined where it is used. `refused` is the loss if it cannot be, with the
    /// reason.
    pub(super) fn inlined(
        &mut self,
        name: &str,
        refused: impl FnOnce(&str) -> Box<Inexpressible>,
        produce: impl FnOnce(&mut Self) -> Expressed<DataTree>,
    ) -> Expressed<DataTree> {
        if self.in_progress.contains(name) {
            return Err(refused("refers to itself"));
        }
        if self.in_progress.len() >= MAX_INLINED_DEPTH {
            return Err(refused("is computed from too many others in a chain"));
        }
        if self.inlined_nodes >= MAX_INLINED_NODES {
            return Err(refused("is used too often, or is too large"));
        }
        self.in_progress.insert(name.to_owned());
        let produced = produce(self);
        self.in_progress.remove(name);
        if let Ok(tree) = &produced {
            self.inlined_nodes += tree.nodes();
        }
        produced
    }

    /// Reports a loss, and returns the comment that replaces what is lost.
    pub(super) fn report_loss(&mut self, loss: Loss, snippet: Span) -> Vec<String> {
        let snippet = self.span_with_closing_brackets(snippet);
        let original = self.model.snippet(snippet).unwrap_or_default();
        let column = column_at(self.module.document.text(), snippet.start, original);
        let omission = match loss.is_note() {
            true => Omission::WithoutEffect,
            false => self.model.omission(&loss.subject, loss.span),
        };
        let lines = lost_comment(omission, &loss.message, original, Outdent::Column(column));
        self.losses.add(loss);
        lines
    }

    /// A span extended by the closing brackets of what starts inside it: the pairs of a flow mapping end
    /// before its brackets.
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

    /// Reports why something is lost, together with the whole value that it is part of.
    pub(super) fn lose_why(
        &mut self,
        why: &Inexpressible,
        owner: &str,
        snippet: Span,
    ) -> Vec<String> {
        let loss = why.loss(owner).dropping_whole_value();
        self.report_loss(loss, snippet)
    }

    /// Adds a parameter for a value that AWS cannot hold. If it replaces a string it is named after that
    /// string, so that the same string always becomes the same parameter.
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

    /// Adds a parameter, unless there is an equal one, and returns its name.
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

    /// Reports a value of the template that AWS requires in another form, and adds a parameter for it.
    pub(super) fn missing(
        &mut self,
        form_name: &'static str,
        why: &str,
        here: ValueContext<'_>,
    ) -> DataTree {
        let (loss, tree) = self.required_parameter(form_name, why, here);
        self.losses.add(loss);
        tree
    }

    /// Notes a value that only AWS requires, so that the template cannot have it, and adds a parameter for it.
    pub(super) fn needed(
        &mut self,
        form_name: &'static str,
        why: &str,
        here: ValueContext<'_>,
    ) -> DataTree {
        let (loss, tree) = self.required_parameter(form_name, why, here);
        self.losses.add(loss.as_note());
        tree
    }

    fn required_parameter(
        &mut self,
        form_name: &'static str,
        why: &str,
        here: ValueContext<'_>,
    ) -> (Loss, DataTree) {
        let name = self.demand(form_name, None, here);
        let message = format!(
            "AWS requires {} for `{}` of `{}`: {why}",
            form(form_name).what(),
            here.argument,
            here.owner
        );
        let loss =
            Loss::new(LossKind::Value, here.argument, message, here.span).with_owner(here.owner);
        (loss.suggesting(format!("set the parameter `{name}`")), reference(&name))
    }
}

/// The first 40 characters of text that becomes part of a name.
fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// A call of `Ref`.
pub(super) fn reference(name: &str) -> DataTree {
    DataTree::map([("Ref", DataTree::from(name))])
}

/// A call of `Fn::GetAtt`.
pub(super) fn attribute_of(id: &str, attribute: &str) -> DataTree {
    call("Fn::GetAtt", [DataTree::from(id), DataTree::from(attribute)])
}

/// A function call with a list of arguments.
pub(super) fn call(name: &str, arguments: impl IntoIterator<Item = DataTree>) -> DataTree {
    DataTree::map([(name, DataTree::list(arguments))])
}

/// `AWS::NoValue`, which removes a property or an item.
pub(super) fn no_value() -> DataTree {
    reference("AWS::NoValue")
}
