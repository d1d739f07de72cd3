//! Lowers a document to the neutral model: the result of lowering, and the state while it traverses
//! a template.
//!
//! Lowering continues after errors: what Heat refuses becomes a finding and, in the model, an
//! extension or an invalid call, so that no part of the text is lost.

mod calls;
mod definitions;
mod expressions;
mod hot_definitions;
mod names;
mod parameters;
mod sections;
mod shared;

pub(crate) use self::definitions::{Definition, DefinitionLowerer};
pub(crate) use self::expressions::as_condition;
pub(crate) use self::names::name_of;
pub(crate) use self::shared::SharedNodes;

use std::cell::OnceCell;
use std::collections::HashSet;

use super::call::LoweringContext;
use super::functions::{CallContext, FunctionMeaning, HotFunction};
use super::reinterpretation::{Reinterpretation, ReinterpretedPart};
use super::version::Version;
use crate::ir::{Expr, ParameterType, Stack, TemplateFormat};
use lossless_yaml::{Document, Entry, NodeId, ScalarOffsets};
use source_diagnostics::{Diagnostic, Span};

/// Heat's `max_template_size`, in characters.
pub(crate) const HEAT_MAX_SIZE: usize = 524_288;

/// A map with one key that is a function call in some version.
#[derive(Clone, Copy, Debug)]
pub struct CallSite {
    /// The node of the map.
    pub node: NodeId,
    /// Its single pair: the function's name and the argument.
    pub entry: Entry,
    /// The row of the function table.
    pub function: &'static HotFunction,
    /// The meaning in this version; `None` if the map is data here.
    pub meaning: Option<FunctionMeaning>,
    /// The context: a value or a condition.
    pub place: CallContext,
}

/// The result of lowering.
#[derive(Clone, Debug)]
pub struct LoweredHot {
    /// The stack in the intermediate representation.
    pub stack: Stack,
    /// Every map that is a call in some version, inner ones before the enclosing ones. A node
    /// shared by aliases is listed once as a value and once as a condition if it is used as both, and may be
    /// listed several times.
    pub calls: Vec<CallSite>,
    /// The findings of lowering.
    pub findings: Vec<Diagnostic>,
    /// The parts interpreted by the rules of another version, in the order of the text.
    pub reinterpreted: Vec<ReinterpretedPart>,
    /// The settings for interpreting parts by another version, if any.
    pub(crate) reinterpretation: Option<Reinterpretation>,
}

/// Lowers a template of `version`, whose value is at `version_node`, to the neutral model.
///
/// The document must be recognized as HOT; see [`recognize`](super::recognize).
pub fn lower(document: &Document, version: Version, version_node: NodeId) -> LoweredHot {
    Lowerer::run(document, version, version_node, None)
}

/// Lowers only the value at `node`, using the result of lowering the whole
/// document: for a rule that needs the meaning of a part.
pub fn lower_value(
    document: &Document,
    version: Version,
    lowered: &LoweredHot,
    node: NodeId,
    place: CallContext,
) -> Expr {
    // Only the names and types of the stack are used.
    let stack = &lowered.stack;
    let mut lowerer = Lowerer {
        document,
        version,
        reinterpretation: lowered.reinterpretation.clone(),
        stack: Stack::empty(stack.format.clone()),
        calls: Vec::new(),
        findings: Vec::new(),
        names: Some(stack),
        resource_names: OnceCell::new(),
        shared: SharedNodes::default(),
    };
    lowerer.value(node, place)
}

impl LoweredHot {
    /// A warning for each default of a hidden parameter, for output that replaces the template.
    pub fn hidden_defaults(&self) -> impl Iterator<Item = Diagnostic> {
        hidden_defaults(&self.stack)
    }
}

/// A warning for each default of a hidden parameter, for output that replaces the template.
pub(crate) fn hidden_defaults(stack: &Stack) -> impl Iterator<Item = Diagnostic> {
    stack.hidden_defaults().map(|(name, span)| {
        let message = format!("the result contains the default of the hidden parameter `{name}`");
        Diagnostic::new(crate::codes::HIDDEN_DEFAULT, message).at(span)
    })
}

pub(super) struct Lowerer<'d> {
    document: &'d Document,
    pub(super) version: Version,
    /// The version that interprets what the declared one cannot.
    reinterpretation: Option<Reinterpretation>,
    stack: Stack,
    calls: Vec<CallSite>,
    findings: Vec<Diagnostic>,
    /// The finished stack, if a single part is lowered.
    names: Option<&'d Stack>,
    /// The names of the resources of an unfinished stack, collected on the first request.
    resource_names: OnceCell<HashSet<&'d str>>,
    shared: SharedNodes,
}

impl LoweringContext for Lowerer<'_> {
    fn report(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
    }

    fn parameter_type(&self, name: &str) -> Option<ParameterType> {
        self.names.unwrap_or(&self.stack).parameters.get(name)?.kind
    }

    fn has_parameter(&self, name: &str) -> bool {
        self.names.unwrap_or(&self.stack).parameters.contains_key(name)
    }

    fn has_resource(&self, name: &str) -> bool {
        match self.names {
            Some(stack) => stack.resources.contains_key(name),
            None => {
                let document = self.document;
                let names = self.resource_names.get_or_init(|| {
                    let section = document.root().and_then(|root| document.get(root, "resources"));
                    let entries = section.map(|section| document.entries(section));
                    let keys = entries.unwrap_or_default().iter().map(|entry| entry.key);
                    keys.filter_map(|key| document.str(key)).collect()
                });
                names.contains(name)
            }
        }
    }

    fn is_pseudo_parameter(&self, name: &str) -> bool {
        name.starts_with("OS::")
    }

    fn dialect(&self) -> String {
        self.version.to_string()
    }

    fn scalar_offsets(&self, scalar: Span, text: &str) -> Option<ScalarOffsets> {
        self.document.scalar_offsets(scalar, text)
    }
}

impl<'d> Lowerer<'d> {
    /// Lowers a whole template.
    pub(super) fn run(
        document: &'d Document,
        version: Version,
        version_node: NodeId,
        reading: Option<Reinterpretation>,
    ) -> LoweredHot {
        let stack = Stack::empty(TemplateFormat {
            dialect: "hot",
            version: version.date(),
            span: document.span(version_node),
        });
        let mut lowerer = Lowerer {
            document,
            version,
            reinterpretation: reading,
            stack,
            calls: Vec::new(),
            findings: Vec::new(),
            names: None,
            resource_names: OnceCell::new(),
            shared: SharedNodes::default(),
        };
        lowerer.size(version_node);
        lowerer.template();
        let Lowerer { stack, calls, findings, reinterpretation: mut reading, .. } = lowerer;
        let mut read_as = Vec::new();
        if let Some(reading) = &mut reading {
            read_as = std::mem::take(&mut reading.found);
            read_as.sort_by_key(|part| document.span(part.node));
            // A node shared by aliases is interpreted once per context.
            read_as.dedup();
            // Rules lower parts on their own, without the enclosing calls.
            let read = calls.iter().filter(|call| {
                call.meaning.is_some() && call.function.meaning(version, call.place).is_none()
            });
            reading.calls.extend(read.map(|call| call.node));
        }
        LoweredHot { stack, calls, findings, reinterpreted: read_as, reinterpretation: reading }
    }

    /// Warns about a template that Heat refuses to load unless its operator raises the limit.
    fn size(&mut self, version_node: NodeId) {
        let text = self.document.text();
        // Characters are counted only if there may be too many.
        if text.len() > HEAT_MAX_SIZE && text.chars().count() > HEAT_MAX_SIZE {
            let message = format!("the template has more than {HEAT_MAX_SIZE} characters");
            let finding = Diagnostic::new(crate::codes::LARGER_THAN_HEAT, message);
            self.report(finding.at(self.document.span(version_node)));
        }
    }
}
