//! The values that a condition can have, over all values of the parameters.
//!
//! The values of a parameter that a condition can tell apart are finitely many: those that it is compared with, and one
//! that stands for all others; or all values that its type and its constraints allow. A condition is evaluated for every
//! combination. What it does not follow, such as `yaql` or a path into a JSON value, is unknown.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use crate::work_limit::WorkLimit;
use heat_engine::eval::{Budget, DeclaredConstraints, Value, python};
use heat_template::ir::{Expr, ExprKind, Parameter, ParameterType, Stack};
use heat_template::schema::Schema;
use source_diagnostics::Diagnostic;

/// The most combinations of values that are tried.
const MAX_COMBINATIONS: usize = 20_000;
/// The deepest chain of conditions that refer to each other.
const MAX_DEPTH: usize = 40;
/// The most parts of conditions that are evaluated for a template, each combination anew: about a fiftieth of a second.
const MAX_STEPS: u64 = 400_000;

/// The most numbers that are compared with each other.
const MAX_NUMBERS: usize = 1000;

/// The values that a condition can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcomes {
    can_be_true: bool,
    can_be_false: bool,
}

/// A condition with a known value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assumption<'s> {
    pub(super) condition: &'s Expr,
    pub(super) holds: bool,
}

/// Determines the outcomes of the conditions of a template.
pub(super) struct ConditionSolver<'s> {
    stack: &'s Stack,
    domains: HashMap<&'s str, Domain<'s>>,
    /// Conditions that are not followed.
    unknown: HashSet<&'s str>,
    /// The parameters of the conditions that others refer to.
    parameters_of: RefCell<HashMap<&'s str, Rc<BTreeSet<&'s str>>>>,
    work: RefCell<WorkLimit>,
}

/// The values of named conditions in one combination.
type NamedValues<'s> = RefCell<HashMap<&'s str, Option<bool>>>;

/// The values of a parameter that conditions can tell apart.
struct Domain<'s> {
    parameter: &'s Parameter,
    values: Vec<Value>,
    /// Whether it can have values besides those.
    has_others: bool,
}

/// The values of the parameters in one combination; `None` stands for a value besides those of the domain.
type Combination<'d> = HashMap<&'d str, Option<&'d Value>>;

impl Outcomes {
    pub(super) const BOTH: Outcomes = Outcomes { can_be_true: true, can_be_false: true };

    /// The only value, if there is only one.
    pub(super) fn constant(self) -> Option<bool> {
        (self.can_be_true != self.can_be_false).then_some(self.can_be_true)
    }

    pub(super) fn has(self, value: bool) -> bool {
        if value { self.can_be_true } else { self.can_be_false }
    }
}

impl<'s> ConditionSolver<'s> {
    pub(super) fn new(stack: &'s Stack, schema: &'static Schema, budget: &Budget) -> Self {
        let mut compared: HashMap<&str, Vec<Value>> = HashMap::new();
        for expr in stack.expressions() {
            expr.walk(&mut |expr: &'s Expr| {
                let ExprKind::Equals(sides) = &expr.kind else { return };
                let [one, other] = &**sides;
                for (name, value) in [(one, other), (other, one)] {
                    if let (Some(name), Some(value)) = (whole(name), Value::from_data_expr(value)) {
                        compared.entry(name).or_default().push(value);
                    }
                }
            });
        }
        let domain = |(name, parameter): (&'s String, &'s Parameter)| {
            let constraints = DeclaredConstraints::of(parameter, schema)?;
            let compared = compared.remove(name.as_str()).unwrap_or_default();
            let domain = Domain::new(parameter, &constraints, compared, budget)?;
            Some((name.as_str(), domain))
        };
        let domains = stack.parameters.iter().filter_map(domain).collect();
        ConditionSolver {
            stack,
            domains,
            unknown: HashSet::new(),
            parameters_of: RefCell::default(),
            work: RefCell::new(WorkLimit::new(MAX_STEPS)),
        }
    }

    /// The finding about conditions that were left out.
    pub(super) fn limit_finding(&self) -> Option<Diagnostic> {
        self.work.borrow().finding("conditions")
    }

    /// Does not follow this condition any more.
    pub(super) fn treat_as_unknown(&mut self, name: &'s str) {
        self.unknown.insert(name);
        // What refers to it depends on fewer parameters now, which costs less; its own are not wanted again.
        self.parameters_of.borrow_mut().remove(name);
    }

    /// The values that a condition can have where all assumptions hold.
    pub(super) fn outcomes(&self, assumptions: &[Assumption<'_>], condition: &Expr) -> Outcomes {
        let mut names = BTreeSet::new();
        let conditions = assumptions.iter().map(|it| it.condition).chain([condition]);
        conditions.for_each(|condition| self.parameters(condition, 0, &mut names));
        let mut sizes = names.iter().map(|name| self.domains[name].size());
        let Some(count) = sizes.try_fold(1_usize, usize::checked_mul) else {
            return Outcomes::BOTH;
        };
        // Without any possible value, the declaration is the problem.
        if count > MAX_COMBINATIONS || count == 0 {
            return Outcomes::BOTH;
        }
        let mut outcomes = Outcomes { can_be_true: false, can_be_false: false };
        for at in 0..count {
            if !self.work.borrow_mut().spend(1 + names.len() as u64) {
                self.work.borrow_mut().leave_out(condition.span);
                return Outcomes::BOTH;
            }
            let combination = self.combination(&names, at);
            let named = NamedValues::default();
            let value = |condition: &Expr| self.value(condition, &combination, &named, 0);
            if assumptions.iter().any(|it| value(it.condition) == Some(!it.holds)) {
                continue;
            }
            let value = value(condition);
            outcomes.can_be_true |= value != Some(false);
            outcomes.can_be_false |= value != Some(true);
            if outcomes == Outcomes::BOTH {
                break;
            }
        }
        // If the assumptions exclude each other, the outer condition is the problem.
        match outcomes {
            Outcomes { can_be_true: false, can_be_false: false } => Outcomes::BOTH,
            outcomes => outcomes,
        }
    }

    /// The combination of this number.
    fn combination<'d>(&'d self, names: &BTreeSet<&'s str>, mut number: usize) -> Combination<'d> {
        let value = |name: &&'s str| {
            let domain = &self.domains[name];
            let at = number % domain.size();
            number /= domain.size();
            (*name, domain.values.get(at))
        };
        names.iter().map(value).collect()
    }

    /// Adds the parameters that a condition depends on.
    fn parameters(&self, condition: &Expr, depth: usize, names: &mut BTreeSet<&'s str>) {
        if depth > MAX_DEPTH {
            return;
        }
        let mut parts = 0;
        condition.walk(&mut |expr: &Expr| {
            parts += 1;
            match &expr.kind {
                ExprKind::Condition(name) => names.extend(self.parameters_of(name, depth).iter()),
                ExprKind::Parameter(_) => {
                    let known = whole(expr).and_then(|name| self.domains.get_key_value(name));
                    names.extend(known.map(|(name, _)| *name));
                }
                _ => {}
            }
        });
        self.work.borrow_mut().spend(parts + names.len() as u64);
    }

    /// The parameters that a named condition depends on.
    fn parameters_of(&self, name: &str, depth: usize) -> Rc<BTreeSet<&'s str>> {
        let mut names = BTreeSet::new();
        let Some((name, condition)) = self.followed(name) else { return Rc::new(names) };
        if let Some(known) = self.parameters_of.borrow().get(name) {
            self.work.borrow_mut().spend(known.len() as u64);
            return Rc::clone(known);
        }
        if self.work.borrow().is_exhausted() {
            return Rc::new(names);
        }
        self.parameters(condition, depth + 1, &mut names);
        let names = Rc::new(names);
        self.parameters_of.borrow_mut().insert(name, Rc::clone(&names));
        names
    }

    fn followed(&self, name: &str) -> Option<(&'s str, &'s Expr)> {
        let (name, condition) = self.stack.conditions.get_key_value(name)?;
        (!self.unknown.contains(name.as_str())).then_some((name.as_str(), &condition.value))
    }

    /// The value of a condition; `None` if it is unknown.
    fn value(
        &self,
        condition: &Expr,
        values: &Combination<'_>,
        named: &NamedValues<'s>,
        depth: usize,
    ) -> Option<bool> {
        if depth > MAX_DEPTH || !self.work.borrow_mut().spend(1) {
            return None;
        }
        let value = |condition: &Expr| self.value(condition, values, named, depth + 1);
        match &condition.kind {
            ExprKind::Bool(value) => Some(*value),
            ExprKind::Condition(name) => {
                let (name, condition) = self.followed(name)?;
                if let Some(known) = named.borrow().get(name) {
                    return *known;
                }
                let found = value(condition);
                named.borrow_mut().insert(name, found);
                found
            }
            ExprKind::Parameter(_) => match values.get(whole(condition)?)? {
                Some(Value::Bool(value)) => Some(*value),
                _ => None,
            },
            ExprKind::Not(inner) => Some(!value(inner)?),
            ExprKind::And(members) => decided(members.iter().map(value), false),
            ExprKind::Or(members) => decided(members.iter().map(value), true),
            ExprKind::Equals(sides) => {
                let [one, other] = &**sides;
                self.equal(one, other, values)
            }
            _ => None,
        }
    }

    fn equal(&self, one: &Expr, other: &Expr, values: &Combination<'_>) -> Option<bool> {
        match (whole(one), whole(other)) {
            (Some(one), Some(other)) if one == other => self.domains.get(one).map(|_| true),
            (Some(one), Some(other)) => match (values.get(one)?, values.get(other)?) {
                (Some(one), Some(other)) => Some(python::equal(one, other)),
                // A value besides those of one domain can be in the other.
                _ => None,
            },
            (Some(name), None) => self.equals_literal(name, &Value::from_data_expr(other)?, values),
            (None, Some(name)) => self.equals_literal(name, &Value::from_data_expr(one)?, values),
            (None, None) => {
                Some(python::equal(&Value::from_data_expr(one)?, &Value::from_data_expr(other)?))
            }
        }
    }

    fn equals_literal(
        &self,
        name: &str,
        literal: &Value,
        values: &Combination<'_>,
    ) -> Option<bool> {
        let domain = self.domains.get(name)?;
        match values.get(name)? {
            Some(value) => Some(python::equal(value, literal)),
            // All values that it is compared with are in the domain, if it can have them.
            None if domain.is_followed(literal) => Some(false),
            None => None,
        }
    }
}

impl<'s> Domain<'s> {
    fn new(
        parameter: &'s Parameter,
        constraints: &DeclaredConstraints,
        compared: Vec<Value>,
        budget: &Budget,
    ) -> Option<Self> {
        if let Some(values) = constraints.possible_values(budget) {
            return Some(Domain { parameter, values, has_others: false });
        }
        let mut domain = Domain { parameter, values: Vec::new(), has_others: true };
        let mut texts = HashSet::new();
        for value in compared {
            // More are not tried, and finding each among the others would take too long.
            if domain.values.len() > MAX_COMBINATIONS {
                break;
            }
            let has_type = match domain.parameter.kind? {
                ParameterType::Text => matches!(value, Value::Text(_)),
                ParameterType::Number => {
                    matches!(value, Value::Int(_) | Value::Float(_) | Value::Bool(_))
                }
                // The values of the others are not followed.
                ParameterType::Boolean | ParameterType::TextList | ParameterType::Json => false,
            };
            let is_new = match &value {
                Value::Text(text) => texts.insert(text.clone()),
                value if domain.values.len() <= MAX_NUMBERS => {
                    !domain.values.iter().any(|known| python::equal(known, value))
                }
                // A number twice is tried twice.
                _ => true,
            };
            if has_type && is_new && constraints.violated_by(&value, budget).is_empty() {
                domain.values.push(value);
            }
        }
        (domain.parameter.kind != Some(ParameterType::Json)).then_some(domain)
    }

    fn size(&self) -> usize {
        self.values.len() + usize::from(self.has_others)
    }

    /// Whether a literal is equal to none but a value of the domain.
    fn is_followed(&self, literal: &Value) -> bool {
        match self.parameter.kind {
            // A list equals only lists.
            Some(ParameterType::TextList) => !matches!(literal, Value::List(_)),
            Some(_) => true,
            None => false,
        }
    }
}

/// The conjunction of values, or their disjunction, by the value that decides it.
fn decided(values: impl Iterator<Item = Option<bool>>, by: bool) -> Option<bool> {
    let mut is_known = true;
    for value in values {
        match value {
            Some(value) if value == by => return Some(by),
            Some(_) => {}
            None => is_known = false,
        }
    }
    is_known.then_some(!by)
}

/// The name of the parameter whose whole value an expression is.
fn whole(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Parameter(parameter) if parameter.path.is_empty() => parameter.name.as_text(),
        _ => None,
    }
}
