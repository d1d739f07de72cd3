//! Maps with one key that is the name of a function: their meaning in the declared version, and in
//! the version that interprets what the declared one cannot.
//!
//! Heat's rules: `docs/heat.md#what-a-function-call-is`, `docs/heat.md#the-function-tables`.

use super::CallSite;
use super::hot_dialect::HotDialect;
use super::lowerer::Lowerer;
use crate::hot::call;
use crate::hot::functions::{CallContext, FunctionMeaning, HotFunction};
use crate::hot::reinterpretation::{ReinterpretedPart, accepted_meaning, first_after};
use crate::hot::version::Version;
use crate::ir::{Expr, ExprKind};
use lossless_yaml::{Entry, NodeId};
use source_diagnostics::Span;

impl Lowerer<'_, HotDialect> {
    pub(super) fn one_key_map(
        &mut self,
        node: NodeId,
        entry: Entry,
        function: &'static HotFunction,
        place: CallContext,
    ) -> Expr {
        let span = self.document.span(node);
        let node = self.document.resolve(node);
        let declared = function.meaning(self.dialect.version, place);
        let read = self
            .dialect
            .reinterpretation
            .as_ref()
            .and_then(|it| it.meaning(node, function, place, declared));
        if read.is_some() {
            let since = |version| accepted_meaning(function, place, version).is_some();
            self.reinterpret_call(node, function, place, since);
        }
        let mut meaning = read.or(declared);
        let within = u32::from(read.is_some() && declared.is_none());
        if let Some(reading) = &mut self.dialect.reinterpretation {
            reading.depth += within;
        }
        let expr = match meaning {
            None => Expr { kind: ExprKind::Map([self.pair(entry, Some(place))].into()), span },
            Some(FunctionMeaning::If { optional }) => {
                let optional = optional || self.reads_two_arguments(node, entry, function);
                meaning = Some(FunctionMeaning::If { optional });
                Expr { kind: self.choice(function.name, entry, span, optional), span }
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
        if let Some(reading) = &mut self.dialect.reinterpretation {
            reading.depth -= within;
        }
        self.dialect.calls.push(CallSite { node, entry, function, meaning, place });
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
        let declared = self.dialect.version;
        if let Some(reading) = &mut self.dialect.reinterpretation {
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
        let last = self.dialect.reinterpretation.as_ref()?.version;
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
            && self
                .dialect
                .reinterpretation
                .as_ref()
                .is_some_and(|reading| optional(reading.version));
        if reads {
            self.reinterpret_call(node, function, CallContext::Value, optional);
        }
        reads
    }
}
