//! Lowers a document to the neutral model: the result of lowering.
//!
//! `lowerer` and what it uses lower the templates of every dialect; a [`LoweringDialect`] is what differs.
//! `hot_dialect`, `names` and `calls` are HOT's.
//!
//! Lowering continues after errors: what Heat refuses becomes a finding and, in the model, an
//! extension or an invalid call, so that no part of the text is lost.

mod calls;
mod definitions;
mod earlier;
mod expressions;
mod hot_dialect;
mod lowerer;
mod names;
mod parameters;
mod sections;
mod shared;

pub(crate) use self::definitions::Definition;
use self::earlier::EarlierLowering;
pub(crate) use self::expressions::as_condition;
pub(crate) use self::lowerer::{Lowerer, LoweringDialect};
use self::shared::SharedNodes;

use self::hot_dialect::HotDialect;
use super::functions::{CallContext, FunctionMeaning, HotFunction};
use super::reinterpretation::{Reinterpretation, ReinterpretedPart};
use super::version::Version;
use crate::ir::{Expr, Stack};
use lossless_yaml::{Document, Entry, NodeId};
use source_diagnostics::Diagnostic;

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
    lower_with(document, version, version_node, None)
}

/// Lowers a template like [`lower`], of which `before` is the same with another version and `earlier` the
/// result of lowering that. Definitions that are the same in both versions are taken from there; call sites
/// within them are not listed again.
pub fn lower_later(
    document: &Document,
    version: Version,
    version_node: NodeId,
    before: &Document,
    earlier: &LoweredHot,
) -> LoweredHot {
    let earlier = EarlierLowering::new(before, earlier, document, version);
    lower_from(document, version, version_node, None, earlier)
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
    let reinterpretation = lowered.reinterpretation.clone();
    let dialect = HotDialect::new(version, reinterpretation);
    let mut lowerer = Lowerer::new(document, dialect, lowered.stack.format.clone());
    // Only the names and types of the stack are used.
    lowerer.finished = Some(&lowered.stack);
    lowerer.value(node, place)
}

/// Lowers a template like [`lower`], with some parts interpreted by another version.
pub(super) fn lower_with(
    document: &Document,
    version: Version,
    version_node: NodeId,
    reinterpretation: Option<Reinterpretation>,
) -> LoweredHot {
    lower_from(document, version, version_node, reinterpretation, None)
}

fn lower_from(
    document: &Document,
    version: Version,
    version_node: NodeId,
    reinterpretation: Option<Reinterpretation>,
    earlier: Option<EarlierLowering<'_>>,
) -> LoweredHot {
    let dialect = HotDialect::new(version, reinterpretation);
    let lowerer = Lowerer::run_with(document, dialect, version_node, earlier);
    let Lowerer { stack, findings, dialect, .. } = lowerer;
    let HotDialect { calls, mut reinterpretation, .. } = dialect;
    let mut reinterpreted = Vec::new();
    if let Some(reading) = &mut reinterpretation {
        reinterpreted = std::mem::take(&mut reading.found);
        reinterpreted.sort_by_key(|part| document.span(part.node));
        // A node shared by aliases is interpreted once per context.
        reinterpreted.dedup();
        // Rules lower parts on their own, without the enclosing calls.
        let read = calls.iter().filter(|call| {
            call.meaning.is_some() && call.function.meaning(version, call.place).is_none()
        });
        reading.calls.extend(read.map(|call| call.node));
    }
    LoweredHot { stack, calls, findings, reinterpreted, reinterpretation }
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
