//! The state while a template of any dialect is lowered, and what a dialect lowers in its own way.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::SharedNodes;
use super::definitions::Definition;
use super::earlier::EarlierLowering;
use crate::hot::call::LoweringContext;
use crate::hot::functions::CallContext;
use crate::ir::{Expr, Parameter, ParameterType, SpannedName, Stack, TemplateFormat, UnknownKey};
use lossless_yaml::{Document, Entry, NodeId, ScalarOffsets};
use source_diagnostics::{Diagnostic, Span};

/// Heat's `max_template_size`, in characters.
const HEAT_MAX_SIZE: usize = 524_288;

/// The parts that a dialect lowers in its own way.
pub(crate) trait LoweringDialect: Sized {
    /// The name in [`TemplateFormat::dialect`].
    const NAME: &'static str;

    /// The date of the version.
    fn date(&self) -> &'static str;
    /// The dialect and its version, for messages.
    fn describe(&self) -> String;
    /// Whether this is a pseudo parameter, which Heat provides without a declaration.
    fn is_pseudo_parameter(name: &str) -> bool;
    /// The dialect's name of a key that HOT has, too.
    fn key_name(key: &'static str) -> &'static str;
    /// HOT's name of a key of a definition, whose node is `node`. A key that Heat does not use is reported.
    fn key(
        lowerer: &mut Lowerer<'_, Self>,
        definition: Definition,
        key: &SpannedName,
        node: NodeId,
    ) -> Option<&'static str>;
    fn parameter_type(name: &str) -> Option<ParameterType>;
    /// The finding for a type that Heat does not know.
    fn unknown_parameter_type(written: &str) -> Diagnostic;
    /// Lowers the key that hides a parameter.
    fn hidden(lowerer: &mut Lowerer<'_, Self>, node: NodeId) -> Expr;
    /// Lowers the constraints at a key of a parameter, whose declaration is `declaration`.
    fn constraints(
        lowerer: &mut Lowerer<'_, Self>,
        key: SpannedName,
        node: NodeId,
        declaration: &[Entry],
        parameter: &mut Parameter,
    );
    /// Whether the version has a deletion policy, in this spelling; reports one that it lacks.
    fn has_deletion_policy(
        lowerer: &mut Lowerer<'_, Self>,
        text: &str,
        span: Span,
        node: NodeId,
    ) -> bool;
    /// Lowers the map at `node`, whose only pair is `entry`, if it is a call.
    fn call(
        lowerer: &mut Lowerer<'_, Self>,
        node: NodeId,
        entry: Entry,
        place: CallContext,
    ) -> Option<Expr>;
    /// Whether the current node is inside a call that only another version interprets.
    fn is_reinterpreting(&self) -> bool {
        false
    }
}

/// The state while a template is lowered.
pub(crate) struct Lowerer<'d, D> {
    pub(crate) document: &'d Document,
    pub(crate) dialect: D,
    pub(crate) stack: Stack,
    pub(crate) findings: Vec<Diagnostic>,
    /// The finished stack, if a single part is lowered.
    pub(super) finished: Option<&'d Stack>,
    /// The same template in an earlier version, if there is one.
    pub(super) earlier: Option<EarlierLowering<'d>>,
    /// The names of the resources of an unfinished stack, collected on the first request.
    resource_names: OnceCell<HashSet<&'d str>>,
    pub(super) shared: SharedNodes,
}

impl<D: LoweringDialect> LoweringContext for Lowerer<'_, D> {
    fn report(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
    }

    fn parameter_type(&self, name: &str) -> Option<ParameterType> {
        self.finished.unwrap_or(&self.stack).parameters.get(name)?.kind
    }

    fn has_parameter(&self, name: &str) -> bool {
        self.finished.unwrap_or(&self.stack).parameters.contains_key(name)
    }

    fn has_resource(&self, name: &str) -> bool {
        if let Some(stack) = self.finished {
            return stack.resources.contains_key(name);
        }
        let document = self.document;
        let names = self.resource_names.get_or_init(|| {
            let section =
                document.root().and_then(|root| document.get(root, D::key_name("resources")));
            let entries = section.map(|section| document.entries(section)).unwrap_or_default();
            entries.iter().filter_map(|entry| document.str(entry.key)).collect()
        });
        names.contains(name)
    }

    fn is_pseudo_parameter(&self, name: &str) -> bool {
        D::is_pseudo_parameter(name)
    }

    fn dialect(&self) -> String {
        self.dialect.describe()
    }

    fn scalar_offsets(&self, scalar: Span, text: &str) -> Option<ScalarOffsets> {
        self.document.scalar_offsets(scalar, text)
    }
}

impl<'d, D: LoweringDialect> Lowerer<'d, D> {
    /// Lowers a whole template, whose version is the value at `version_node`.
    pub(crate) fn run(document: &'d Document, dialect: D, version_node: NodeId) -> Self {
        Self::run_with(document, dialect, version_node, None)
    }

    /// Like [`run`](Self::run), with what is known from an earlier version.
    pub(super) fn run_with(
        document: &'d Document,
        dialect: D,
        version_node: NodeId,
        earlier: Option<EarlierLowering<'d>>,
    ) -> Self {
        let span = document.span(version_node);
        let format = TemplateFormat { dialect: D::NAME, version: dialect.date(), span };
        let mut lowerer = Lowerer::new(document, dialect, format);
        lowerer.earlier = earlier;
        lowerer.size(span);
        lowerer.template();
        lowerer
    }

    /// A lowerer for the parts of a template.
    pub(super) fn new(document: &'d Document, dialect: D, format: TemplateFormat) -> Self {
        Lowerer {
            document,
            dialect,
            stack: Stack::empty(format),
            findings: Vec::new(),
            finished: None,
            earlier: None,
            resource_names: OnceCell::new(),
            shared: SharedNodes::default(),
        }
    }

    /// Warns about a template that Heat refuses to load unless its operator raises the limit.
    fn size(&mut self, version: Span) {
        let text = self.document.text();
        // Characters are counted only if there may be too many.
        if text.len() > HEAT_MAX_SIZE && text.chars().count() > HEAT_MAX_SIZE {
            let message = format!("the template has more than {HEAT_MAX_SIZE} characters");
            self.report(Diagnostic::new(crate::codes::LARGER_THAN_HEAT, message).at(version));
        }
    }

    /// A part that the model does not represent, as data.
    pub(crate) fn extension(&mut self, name: SpannedName, node: NodeId) -> UnknownKey {
        UnknownKey { value: self.data(node), name }
    }
}
