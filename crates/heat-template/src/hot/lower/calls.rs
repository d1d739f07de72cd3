//! Maps with one key that is the name of a function: their meaning in the declared version, and in
//! the version that interprets what the declared one cannot.
//!
//! Heat's rules: `docs/heat.md#what-a-function-call-is`, `docs/heat.md#the-function-tables`.

use super::definitions::DefinitionLowerer;
use super::expressions::as_condition;
use super::{CallSite, Lowerer};
use crate::hot::call;
use crate::hot::functions::{CallContext, FunctionMeaning, HotFunction};
use crate::hot::reinterpretation::{ReinterpretedPart, accepted_meaning, first_after};
use crate::hot::version::Version;
use crate::ir::{Expr, ExprKind, Shared};
use lossless_yaml::{Entry, NodeId, NodeKind};
use source_diagnostics::{Severity, Span};

impl Lowerer<'_> {
    pub(super) fn one_key_map(
        &mut self,
        node: NodeId,
        entry: Entry,
        function: &'static HotFunction,
        place: CallContext,
    ) -> Expr {
        let span = self.document.span(node);
        let node = self.document.resolve(node);
        let declared = function.meaning(self.version, place);
        let read = self
            .reinterpretation
            .as_ref()
            .and_then(|it| it.meaning(node, function, place, declared));
        if read.is_some() {
            let since = |version| accepted_meaning(function, place, version).is_some();
            self.reinterpret_call(node, function, place, since);
        }
        let mut meaning = read.or(declared);
        let within = u32::from(read.is_some() && declared.is_none());
        if let Some(reading) = &mut self.reinterpretation {
            reading.depth += within;
        }
        let expr = match meaning {
            None => Expr { kind: ExprKind::Map([self.pair(entry, Some(place))].into()), span },
            Some(FunctionMeaning::If { optional }) => {
                let optional = optional || self.reads_two_arguments(node, entry, function);
                meaning = Some(FunctionMeaning::If { optional });
                Expr { kind: self.choice(entry, span, optional), span }
            }
            Some(known) => {
                let argument = self.value(entry.value, place);
                let refused = self.findings.len();
                let mut expr = call::lower_call(self, function.name, known, argument, span);
                if self.findings.len() > refused
                    && let ExprKind::Invalid(call) = &mut expr.kind
                {
                    if known == FunctionMeaning::Removed {
                        call.to_mut().original_argument = Some(self.data(entry.value));
                    } else if let Some((other, wider)) = self.lower_as_other_version(
                        node,
                        function,
                        known,
                        place,
                        call.argument.clone(),
                        span,
                    ) {
                        meaning = Some(other);
                        self.findings.remove(refused);
                        expr = wider;
                    }
                }
                expr
            }
        };
        if let Some(reading) = &mut self.reinterpretation {
            reading.depth -= within;
        }
        self.calls.push(CallSite { node, entry, function, meaning, place });
        expr
    }

    /// Records a call that the other version interprets; `accepts` determines which versions do.
    fn reinterpret_call(
        &mut self,
        node: NodeId,
        function: &HotFunction,
        place: CallContext,
        accepts: impl FnMut(Version) -> bool,
    ) {
        let declared = self.version;
        if let Some(reading) = &mut self.reinterpretation {
            let since = first_after(declared, reading.version, accepts);
            let place = match place {
                CallContext::Value => "",
                CallContext::Condition => " in a condition",
            };
            let name = format!("function `{}`{place}", function.name);
            reading.found.push(ReinterpretedPart { node, name, since });
        }
    }

    /// Lowers a call whose arguments this version refuses and the other one accepts.
    fn lower_as_other_version(
        &mut self,
        node: NodeId,
        function: &'static HotFunction,
        declared: FunctionMeaning,
        place: CallContext,
        argument: Expr,
        span: Span,
    ) -> Option<(FunctionMeaning, Expr)> {
        let last = self.reinterpretation.as_ref()?.version;
        let other = accepted_meaning(function, place, last).filter(|other| *other != declared)?;
        let findings = self.findings.len();
        let expr = call::lower_call(self, function.name, other, argument, span);
        if matches!(expr.kind, ExprKind::Invalid(_)) {
            self.findings.truncate(findings);
            return None;
        }
        self.reinterpret_call(node, function, place, |version| {
            accepted_meaning(function, place, version) == Some(other)
        });
        Some((other, expr))
    }

    /// Whether this `if` has two arguments, which the other version accepts and this one does not.
    fn reads_two_arguments(
        &mut self,
        node: NodeId,
        entry: Entry,
        function: &'static HotFunction,
    ) -> bool {
        let optional = |version| {
            function.meaning(version, CallContext::Value)
                == Some(FunctionMeaning::If { optional: true })
        };
        let reads = self.document.items(entry.value).len() == 2
            && self.reinterpretation.as_ref().is_some_and(|reading| optional(reading.version));
        if reads {
            self.reinterpret_call(node, function, CallContext::Value, optional);
        }
        reads
    }

    /// Lowers an `if`, the only function that decides which of its arguments are parsed; the first is a condition.
    fn choice(&mut self, entry: Entry, span: Span, optional: bool) -> ExprKind {
        let document = self.document;
        let items = match document.kind(entry.value) {
            NodeKind::Sequence(items) => &**items,
            _ => &[],
        };
        let wanted = if optional { 2..=3 } else { 3..=3 };
        if !wanted.contains(&items.len()) {
            let argument = self.value(entry.value, CallContext::Value);
            let form = "[condition, value_if_true, value_if_false]";
            return call::invalid_call(self, "if", argument, span, &format!("it takes {form}"));
        }
        let condition = self.value(items[0], CallContext::Condition);
        let found = self.findings.len();
        let then = self.value(items[1], CallContext::Value);
        let otherwise = items.get(2).map(|&node| self.value(node, CallContext::Value));
        // Heat never parses the branch that is not selected.
        for finding in self.findings[found..].iter_mut().filter(|finding| finding.is_error()) {
            finding.severity = Severity::Warning;
            finding.help.push("Heat refuses it only if this branch is selected".to_owned());
        }
        ExprKind::Choose(Shared::new(crate::ir::Choice {
            condition: as_condition(condition),
            then,
            otherwise,
        }))
    }
}
