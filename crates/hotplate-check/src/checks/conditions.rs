//! Conditions that are true or false for every value of the parameters, and branches that are never taken.
//!
//! Heat's rules: `docs/heat.md#conditions`, `docs/heat.md#if`.

mod solver;

use super::{Check, Scope};
use std::collections::HashSet;

use self::solver::{Assumption, ConditionSolver, Outcomes};
use crate::codes;
use crate::stacks::CheckedStack;
use heat_engine::eval::Budget;
use heat_template::ir::{Choice, Expr, ExprKind};
use heat_template::schema::Schema;
use source_diagnostics::{Diagnostic, Span};

/// Conditions that are always the same.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::BRANCH_NEVER_TAKEN, codes::CONSTANT_CONDITION],
    run: |it, found| check(it.stack, it.schema, it.budget, found),
};

/// The most parts of expressions that are visited for branches; parts that aliases name are visited at each place.
const MAX_PARTS: usize = 200_000;

/// Adds a finding for each condition whose value is always the same, and for each branch that is never taken though its
/// condition can be both.
pub(crate) fn check(
    stack: &CheckedStack<'_>,
    schema: &'static Schema,
    budget: &Budget,
    found: &mut Vec<Diagnostic>,
) {
    let stack = stack.stack();
    let mut solver = ConditionSolver::new(stack, schema, budget);
    for (name, condition) in &stack.conditions {
        // Who writes a constant means one.
        if matches!(condition.value.kind, ExprKind::Bool(_)) {
            solver.treat_as_unknown(name);
            continue;
        }
        let Some(value) = solver.outcomes(&[], &condition.value).constant() else { continue };
        // What depends on it is constant for the same reason.
        solver.treat_as_unknown(name);
        let message = format!("the condition `{name}` is always {value}");
        found.push(Diagnostic::new(codes::CONSTANT_CONDITION, message).at(condition.name_span));
    }
    let mut branches = Branches {
        solver: &solver,
        assumptions: Vec::new(),
        never: Vec::new(),
        taken: HashSet::new(),
        constant: Vec::new(),
        parts: 0,
    };
    for resource in stack.resources.values() {
        let parts = [&resource.properties, &resource.metadata, &resource.update_policy];
        branches.section(resource.condition.as_ref(), parts.into_iter().flatten());
    }
    for output in stack.outputs.values() {
        branches.section(output.condition.as_ref(), output.value.iter());
    }
    found.extend(solver.limit_finding());
    if branches.parts > MAX_PARTS {
        return;
    }
    let mut seen = HashSet::new();
    for (span, value) in branches.constant {
        if seen.insert(span) {
            let message = format!("this condition is always {value}");
            found.push(Diagnostic::new(codes::CONSTANT_CONDITION, message).at(span));
        }
    }
    for (branch, condition, value) in branches.never {
        // An alias can be taken at another place.
        if !branches.taken.contains(&branch) && seen.insert(branch) {
            let message = "this branch is never taken".to_owned();
            let finding = Diagnostic::new(codes::BRANCH_NEVER_TAKEN, message).at(branch);
            found.push(finding.related(condition, format!("always {value} here")));
        }
    }
}

/// Visits expressions with the conditions under which each part has a value.
struct Branches<'s, 'a> {
    solver: &'a ConditionSolver<'s>,
    assumptions: Vec<Assumption<'s>>,
    /// Branches that are not taken at some place: the branch, its condition, and the value of that.
    never: Vec<(Span, Span, bool)>,
    taken: HashSet<Span>,
    /// Conditions without a name whose value is always the same.
    constant: Vec<(Span, bool)>,
    parts: usize,
}

impl<'s> Branches<'s, '_> {
    /// A resource or an output: its parts matter only if its condition holds.
    fn section(&mut self, condition: Option<&'s Expr>, parts: impl Iterator<Item = &'s Expr>) {
        if let Some(condition) = condition {
            if self.without_name(condition)
                && let Some(value) = self.solver.outcomes(&[], condition).constant()
            {
                self.constant.push((condition.span, value));
            }
            self.assumptions.push(Assumption { condition, holds: true });
        }
        parts.for_each(|part| self.visit(part));
        self.assumptions.clear();
    }

    fn without_name(&self, condition: &Expr) -> bool {
        !matches!(condition.kind, ExprKind::Condition(_) | ExprKind::Bool(_))
    }

    fn visit(&mut self, expr: &'s Expr) {
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            self.parts += 1;
            if self.parts > MAX_PARTS {
                return;
            }
            match &expr.kind {
                ExprKind::Choose(choice) => self.choice(choice),
                _ => expr.for_each_child(|child| pending.push(child)),
            }
        }
    }

    fn choice(&mut self, choice: &'s Choice) {
        let condition = &choice.condition;
        let outcomes = match condition.kind {
            ExprKind::Bool(_) => Outcomes::BOTH,
            _ => self.solver.outcomes(&self.assumptions, condition),
        };
        match outcomes.constant() {
            Some(value) if self.without_name(condition) && self.is_constant(condition) => {
                self.constant.push((condition.span, value));
            }
            Some(value) => {
                let branch = if value { choice.otherwise.as_ref() } else { Some(&choice.then) };
                self.never.extend(branch.map(|branch| (branch.span, condition.span, value)));
            }
            None => {}
        }
        let branches = [(true, Some(&choice.then)), (false, choice.otherwise.as_ref())];
        for (holds, branch) in branches {
            let Some(branch) = branch.filter(|_| outcomes.has(holds)) else { continue };
            self.taken.insert(branch.span);
            self.assumptions.push(Assumption { condition, holds });
            self.visit(branch);
            self.assumptions.pop();
        }
    }

    fn is_constant(&self, condition: &Expr) -> bool {
        self.solver.outcomes(&[], condition).constant().is_some()
    }
}
