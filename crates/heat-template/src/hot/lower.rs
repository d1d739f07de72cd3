//! From a document to the neutral model: what lowering yields, and the state that it goes with through
//! a template.
//!
//! Lowering goes on where it can: what Heat refuses becomes a finding and, in the model, an
//! extension or an invalid call, so that nothing of the text is lost.

mod calls;
mod expressions;
mod names;
mod outputs;
mod parameters;
mod resources;
mod sections;
mod shapes;
mod shared;

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

/// A map with one key that is a function in this version or in another one.
#[derive(Clone, Copy, Debug)]
pub struct CallSite {
    /// The map.
    pub node: NodeId,
    /// Its one pair: the function's name and its argument.
    pub entry: Entry,
    /// The function.
    pub function: &'static HotFunction,
    /// What it means here; `None` where this version takes the map for data.
    pub meaning: Option<FunctionMeaning>,
    /// Where it stands.
    pub place: CallContext,
}

/// What lowering yields.
#[derive(Clone, Debug)]
pub struct LoweredHot {
    /// The model.
    pub stack: Stack,
    /// Every map that is a call in some version, inner ones before the ones around them. A node
    /// that aliases share is listed for a value and for a condition where it stands for both, and may be
    /// listed several times.
    pub calls: Vec<CallSite>,
    /// What was found on the way.
    pub findings: Vec<Diagnostic>,
    /// What is read as another version reads it, in the order of the text.
    pub reinterpreted: Vec<ReinterpretedPart>,
    /// How the other version was asked.
    pub(crate) reinterpretation: Option<Reinterpretation>,
}

/// Lowers a template of `version`, whose value stands at `version_node`, to the neutral model.
///
/// The document must have been recognised as HOT; see [`recognise`](super::recognise).
pub fn lower(document: &Document, version: Version, version_node: NodeId) -> LoweredHot {
    Lowerer::run(document, version, version_node, None)
}

/// Lowers the value at `node` alone, in the light of the whole that was lowered from the same
/// document: for a rule that asks what a part means.
pub fn lower_value(
    document: &Document,
    version: Version,
    lowered: &LoweredHot,
    node: NodeId,
    place: CallContext,
) -> Expr {
    // Only names and types of the stack are looked at.
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
    /// A warning for each default of a hidden parameter, for texts that take the template's place.
    pub fn hidden_defaults(&self) -> impl Iterator<Item = Diagnostic> {
        hidden_defaults(&self.stack)
    }
}

/// A warning for each default of a hidden parameter, for texts that take the template's place.
pub(crate) fn hidden_defaults(stack: &Stack) -> impl Iterator<Item = Diagnostic> {
    stack.hidden_defaults().map(|(name, span)| {
        let message = format!("the result holds the default of the hidden parameter `{name}`");
        Diagnostic::new(crate::codes::HIDDEN_DEFAULT, message).at(span)
    })
}

pub(super) struct Lowerer<'d> {
    document: &'d Document,
    pub(super) version: Version,
    /// The version that reads what this one cannot.
    reinterpretation: Option<Reinterpretation>,
    stack: Stack,
    calls: Vec<CallSite>,
    findings: Vec<Diagnostic>,
    /// The finished stack, where a part is lowered on its own.
    names: Option<&'d Stack>,
    /// The names of the resources of an unfinished stack, where something asked for one.
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
            // A node that aliases share is read once for each place.
            read_as.dedup();
            // Rules look at parts alone, without what is around them.
            let read = calls.iter().filter(|call| {
                call.meaning.is_some() && call.function.meaning(version, call.place).is_none()
            });
            reading.calls.extend(read.map(|call| call.node));
        }
        LoweredHot { stack, calls, findings, reinterpreted: read_as, reinterpretation: reading }
    }

    /// What Heat refuses to load unless its operator raised the limit.
    fn size(&mut self, version_node: NodeId) {
        let text = self.document.text();
        // Characters are counted only where there can be too many of them.
        if text.len() > HEAT_MAX_SIZE && text.chars().count() > HEAT_MAX_SIZE {
            let message = format!("the template has more than {HEAT_MAX_SIZE} characters");
            let finding = Diagnostic::new(crate::codes::LARGER_THAN_HEAT, message);
            self.report(finding.at(self.document.span(version_node)));
        }
    }
}
