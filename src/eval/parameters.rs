//! The values of a stack's parameters: coerced, checked, in Heat's order.
//!
//! Source: `heat.engine.parameters`, `heat.engine.hot.parameters`, Heat 27.0.1 (chapter e).

use std::sync::Arc;

use indexmap::IndexMap;
use num_traits::ToPrimitive;

use super::constraints::{Constraint, Hint, Verdict};
use super::python::{self, Number, Raised};
use super::{Class, Dependency, Failure, Operation, Unknown, Value, parameter_groups};
use crate::cfn;
use crate::diagnostics::{Code, Diagnostic, Span, did_you_mean};
use crate::dialect::Dialect;
use crate::environment::Node;
use crate::ir::{Expr, ExprKind, Parameter, ParameterRef, ParameterType, Stack};

/// A value that somebody gives a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The value, not coerced yet; null is as good as none.
    pub value: Value,
    /// Where it is written, if it is written in a text.
    pub span: Option<Span>,
}

impl From<&Node> for Given {
    fn from(node: &Node) -> Self {
        Given { value: node.into(), span: Some(node.span) }
    }
}

/// What becomes of a parameter that has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It is symbolic.
    Unknown,
    /// It gets a value that is made up, as Heat's judge makes it up.
    Invented,
    /// It is Heat's error.
    Refused,
}

/// Who the stack is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name; the pseudo parameter is not there where it is empty.
    pub stack_name: String,
    /// Its id.
    pub stack_id: String,
    /// The id of its project.
    pub project_id: String,
}

/// All that decides on the values, besides the template.
#[derive(Clone, Debug)]
pub struct Inputs<'a> {
    /// The user's values, in the order in which they were given.
    pub given: &'a IndexMap<String, Given>,
    /// The environment's defaults.
    pub defaults: &'a IndexMap<String, Given>,
    /// Who the stack is.
    pub identity: &'a Identity,
    /// What becomes of a parameter that has no value.
    pub missing: Missing,
    /// How many stacks are around the one whose parameters these are.
    pub level: usize,
}

/// When Heat notices a failure. At each stage it stops at the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// While it reads the declarations: without them there are no values at all.
    Declaration,
    /// While it checks the values.
    Validation,
    /// While it checks `parameter_groups`.
    Groups,
}

impl Stage {
    /// The name that Heat's judge gives it.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Declaration => "parameters",
            Stage::Validation => "parameter validation",
            Stage::Groups => "parameter groups",
        }
    }
}

/// A failure of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterFailure {
    /// When Heat notices it.
    pub stage: Stage,
    /// The parameter, where it is about one.
    pub parameter: Option<String>,
    /// What Heat says, at the place where the value is written.
    pub failure: Failure,
    code: Code,
    /// The constraint that is violated: its key and its place.
    constraint: Option<(&'static str, Span)>,
    /// A name that was probably meant.
    meant: Option<String>,
}

/// A constraint of which nobody knows here whether the value satisfies it.
#[derive(Clone, Debug, PartialEq)]
pub struct Unchecked {
    /// The parameter.
    pub parameter: String,
    /// Why it is not known.
    pub why: String,
    /// Where the value is written.
    pub span: Span,
    constraint: (&'static str, Span),
    secret: bool,
}

/// The values of all parameters, and what is wrong with them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// The values in Heat's order, the pseudo parameters first.
    pub values: IndexMap<String, Result<Value, Failure>>,
    /// Everything that Heat refuses; of each stage the first is what Heat reports.
    pub failures: Vec<ParameterFailure>,
    /// What could not be checked.
    pub unchecked: Vec<Unchecked>,
}

/// The pseudo parameter that holds the id of the stack.
const STACK_ID: &str = "OS::stack_id";
const PROJECT_ID: &str = "OS::project_id";
const STACK_NAME: &str = "OS::stack_name";

/// The pseudo parameters that groups may name.
pub(super) const GROUPED_PSEUDO: [&str; 2] = [STACK_ID, PROJECT_ID];

/// The longest text that is made up; Heat's judge has no limit.
const LONGEST_INVENTED: i64 = 1 << 20;

impl Parameters {
    /// The failure that keeps Heat from giving any value.
    pub fn fatal(&self) -> Option<&ParameterFailure> {
        self.failures.iter().find(|failure| failure.stage == Stage::Declaration)
    }

    /// What Heat reports: the first failure of each stage, nothing past a fatal one.
    pub fn reported(&self) -> Vec<&ParameterFailure> {
        if let Some(fatal) = self.fatal() {
            return vec![fatal];
        }
        let first = |stage| self.failures.iter().find(|failure| failure.stage == stage);
        [first(Stage::Validation), first(Stage::Groups)].into_iter().flatten().collect()
    }

    /// Everything as findings.
    pub fn findings(&self) -> Vec<Diagnostic> {
        let failures = self.failures.iter().map(ParameterFailure::finding);
        failures.chain(self.unchecked.iter().map(Unchecked::finding)).collect()
    }
}

impl ParameterFailure {
    pub(super) fn new(stage: Stage, code: Code, failure: Failure) -> Self {
        ParameterFailure { stage, parameter: None, failure, code, constraint: None, meant: None }
    }

    /// The failure as a finding, which points at the value and at the constraint. The value of a
    /// hidden parameter is not in it.
    pub fn finding(&self) -> Diagnostic {
        let message = match (&self.parameter, self.constraint, self.failure.is_secret()) {
            (Some(name), Some((key, _)), true) => {
                format!("the hidden value of parameter `{name}` violates its `{key}`")
            }
            (Some(name), None, true) => {
                format!("the hidden value of parameter `{name}` does not fit its type")
            }
            _ => self.failure.message.trim_end_matches('.').to_owned(),
        };
        let mut finding = Diagnostic::new(self.code, message);
        if self.failure.span != Span::NOWHERE {
            finding = finding.at(self.failure.span);
        }
        if let Some((key, span)) = self.constraint {
            finding = finding.related(span, format!("this `{key}` does not hold"));
        }
        match &self.meant {
            Some(meant) => finding.help(format!("did you mean `{meant}`?")),
            None => finding,
        }
    }
}

impl Unchecked {
    /// A note of what could not be checked.
    pub fn finding(&self) -> Diagnostic {
        let (key, span) = self.constraint;
        let message = if self.secret {
            format!(
                "the `{key}` of parameter `{}`, whose value is hidden, is not checked",
                self.parameter
            )
        } else {
            format!("the `{key}` of parameter `{}` is not checked: {}", self.parameter, self.why)
        };
        let finding = Diagnostic::new(Code::ConstraintNotChecked, message);
        let finding = if self.span == Span::NOWHERE { finding } else { finding.at(self.span) };
        finding.related(span, "this constraint")
    }
}

/// A declaration that Heat accepts, with what was given for it.
struct Declared<'a> {
    name: &'a str,
    parameter: &'a Parameter,
    kind: ParameterType,
    constraints: Vec<Constraint>,
    /// The default of the declaration.
    default: Option<Given>,
    /// The default of the environment.
    user_default: Option<Given>,
    /// The user's value, or one that is made up.
    given: Option<Given>,
}

/// Computes the value of every parameter.
pub fn evaluate(stack: &Stack, inputs: &Inputs<'_>) -> Parameters {
    let mut out =
        Parameters { values: IndexMap::new(), failures: Vec::new(), unchecked: Vec::new() };
    for (name, value) in pseudo_parameters(stack, inputs) {
        out.values.insert(name.to_owned(), value);
    }
    let mut declared = Vec::with_capacity(stack.parameters.len());
    for (name, parameter) in &stack.parameters {
        match declare(stack, name, parameter, inputs) {
            Ok(parameter) => declared.push(parameter),
            Err(failure) => {
                out.values.insert(name.clone(), Err(failure.clone()));
                let failure =
                    ParameterFailure::new(Stage::Declaration, Code::ParameterRefused, failure);
                out.failures.push(ParameterFailure { parameter: Some(name.clone()), ..failure });
                continue;
            }
        }
        // Reserves the place.
        out.values.insert(name.clone(), Ok(Value::Null));
    }
    for (name, given) in inputs.given {
        if !stack.parameters.contains_key(name) {
            out.failures.push(undeclared(stack, name, given));
        }
    }
    for mut parameter in declared {
        if inputs.missing == Missing::Invented && parameter.raw().is_none() {
            parameter.given = Some(Given { value: parameter.invented(), span: None })
                .filter(|given| given.value != Value::Null);
        }
        let value = parameter.value(inputs.missing, inputs.level);
        out.values.insert(parameter.name.to_owned(), value);
        parameter.validate(inputs.missing, &mut out);
    }
    out.failures.extend(parameter_groups::check(stack));
    out
}

fn pseudo_parameters(
    stack: &Stack,
    inputs: &Inputs<'_>,
) -> Vec<(&'static str, Result<Value, Failure>)> {
    let Identity { stack_name, stack_id, project_id } = inputs.identity;
    let with_default = |name: &'static str, of: &'static str, value: &str| {
        match present(inputs.defaults.get(of)) {
            // The defaults of an environment reach these, too.
            Some(default) => {
                let span = default.span.unwrap_or(Span::NOWHERE);
                let text = to_type(&default.value, ParameterType::Text);
                (name, text.map_err(|raised| raised.at(span)))
            }
            None => (name, Ok(Value::text(value))),
        }
    };
    let mut all = Vec::new();
    let named = !stack_name.is_empty();
    if Dialect::of(&stack.format).hot().is_some() {
        all.push(with_default(STACK_ID, STACK_ID, stack_id));
        all.push(with_default(PROJECT_ID, PROJECT_ID, project_id));
        if named {
            all.push(with_default(STACK_NAME, STACK_NAME, stack_name));
        }
        return all;
    }
    let [arn, name, region] = cfn::PSEUDO;
    let id = format!("arn:openstack:heat::{project_id}:stacks/{stack_name}/{stack_id}");
    all.push(with_default(arn, arn, &id));
    if named {
        all.push(with_default(name, name, stack_name));
        all.push(with_default(region, region, cfn::REGION));
    }
    // The names by which the model knows the parts of these.
    all.push((STACK_ID, Ok(Value::text(stack_id.as_str()))));
    all.push((PROJECT_ID, Ok(Value::text(project_id.as_str()))));
    if named {
        all.push(with_default(STACK_NAME, name, stack_name));
    }
    all
}

fn present(given: Option<&Given>) -> Option<&Given> {
    given.filter(|given| *given.value.open() != Value::Null)
}

fn undeclared(stack: &Stack, name: &str, given: &Given) -> ParameterFailure {
    let message = format!("The Parameter ({name}) was not defined in template.");
    let span = given.span.unwrap_or(Span::NOWHERE);
    let failure = Failure::new(Class::UnknownUserParameter, message, span);
    let meant = did_you_mean(name, stack.parameters.keys().map(String::as_str));
    ParameterFailure {
        parameter: Some(name.to_owned()),
        meant: meant.map(str::to_owned),
        ..ParameterFailure::new(Stage::Validation, Code::UnknownParameter, failure)
    }
}

/// Reads a declaration as Heat does, up to the first thing that it refuses.
fn declare<'a>(
    stack: &Stack,
    name: &'a str,
    parameter: &'a Parameter,
    inputs: &Inputs<'_>,
) -> Result<Declared<'a>, Failure> {
    let refused = |message: String, span| Failure::new(Class::InvalidSchemaError, message, span);
    let dialect = Dialect::of(&stack.format);
    for extension in &parameter.extensions {
        if extension.name.span == parameter.name_span {
            // The reader marks a declaration that is not a map so.
            let message = format!("Invalid parameter ({name}), expected a mapping");
            return Err(refused(message, extension.value.span));
        }
        let key = &extension.name.text;
        if !dialect.is_parameter_key(key) {
            let message = format!("Invalid key '{key}' for parameter ({name})");
            return Err(refused(message, extension.name.span));
        }
    }
    let extension = |key: &str| {
        let mut extensions = parameter.extensions.iter();
        extensions.find(|extension| &*extension.name.text == key).map(|found| &found.value)
    };
    let kind = match (parameter.kind, extension(dialect.spelled("type"))) {
        (Some(kind), _) => Ok(kind),
        (None, Some(written)) => Err(written),
        (None, None) => {
            let message = format!("Missing parameter type for parameter: {name}");
            return Err(refused(message, parameter.name_span));
        }
    };
    if let Some(tags) = &parameter.tags
        && !matches!(tags.kind, ExprKind::List(_))
    {
        let message = format!("Tags property should be a list for parameter: {name}");
        return Err(refused(message, tags.span));
    }
    if let Some(written) = extension("constraints") {
        let message =
            format!("Invalid parameter constraints for parameter {name}, expected a list");
        return Err(refused(message, written.span));
    }
    let constraints = parameter
        .constraints
        .iter()
        .map(|entry| Constraint::build(entry).map_err(|(raised, span)| raised.at(span)))
        .collect::<Result<Vec<_>, _>>()?;
    let kind = kind.map_err(|written| {
        let shown = Value::of_data(written).and_then(|value| python::str(&value).ok());
        refused(format!("Invalid type ({})", shown.unwrap_or_default()), written.span)
    })?;
    let written = parameter
        .default
        .as_ref()
        .and_then(|expr| Some(Given { value: Value::of_data(expr)?, span: Some(expr.span) }));
    let user_default = inputs.defaults.get(name);
    // The judge writes the environment's defaults into the declarations before it makes up values.
    let default = match (inputs.missing, user_default) {
        (Missing::Invented, Some(default)) => Some(default.clone()),
        _ => written,
    };
    Ok(Declared {
        name,
        parameter,
        kind,
        constraints,
        default: present(default.as_ref()).cloned(),
        user_default: present(user_default).cloned(),
        given: present(inputs.given.get(name)).cloned(),
    })
}

/// A value as the type wants it, where Heat compares values: lists and JSON stay as they are.
pub(crate) fn to_type(value: &Value, kind: ParameterType) -> Result<Value, Raised> {
    let (converted, name) = match kind {
        ParameterType::Number => (python::number(value), "number"),
        ParameterType::Text => (python::str(value).map(Value::text), "string"),
        ParameterType::Boolean => {
            let text = python::str(value).map(Value::text);
            (text.and_then(|text| python::strict_bool(&text)).map(Value::Bool), "boolean")
        }
        ParameterType::TextList | ParameterType::Json => return Ok(value.clone()),
    };
    converted.or_else(|raised| match raised.class {
        Class::ValueError => {
            let value = python::str(value)?;
            let message = format!("Value \"{value}\" is invalid for data type \"{name}\".");
            Err(Raised::value(message))
        }
        _ => Err(raised),
    })
}

/// The list of a `comma_delimited_list`; items that are not known stay.
fn to_list(value: &Value) -> Result<Value, Raised> {
    match value {
        Value::List(items) => {
            let item = |item: &Value| match item {
                Value::Unknown(_) => Ok(item.clone()),
                Value::Secret(inner) => {
                    python::str(inner).map(|text| Value::text(text).sealed(true))
                }
                _ => python::str(item).map(Value::text),
            };
            Ok(Value::list(items.iter().map(item).collect::<Result<_, _>>()?))
        }
        Value::Text(text) if text.is_empty() => Ok(Value::list(Vec::new())),
        Value::Text(text) => Ok(Value::list(text.split(',').map(Value::text).collect())),
        Value::Bytes(_) => Err(Raised::kind("a bytes-like object is required, not 'str'")),
        other => Err(Raised::value(format!(
            "Value must be a comma-delimited list string: {}",
            no_split(other)
        ))),
    }
}

fn no_split(value: &Value) -> String {
    format!("'{}' object has no attribute 'split'", python::type_name(value))
}

fn to_json(value: &Value) -> Result<Value, Raised> {
    let parsed = match value {
        Value::Text(text) if text.is_empty() => return Ok(value.clone()),
        Value::Text(text) => python::json_loads(text),
        other => python::json_trip(other),
    };
    parsed.map_err(|raised| match raised.class {
        Class::ValueError | Class::TypeError => {
            Raised::value(format!("Value must be valid JSON: {}", raised.message))
        }
        _ => raised,
    })
}

/// A value as Heat keeps it for a parameter of a type.
pub(crate) fn coerce(value: &Value, kind: ParameterType) -> Result<Value, Raised> {
    match kind {
        ParameterType::Number => python::number(value),
        ParameterType::Boolean => python::str(value)
            .and_then(|text| python::strict_bool(&Value::text(text)))
            .map(Value::Bool),
        ParameterType::Text => to_type(value, kind),
        ParameterType::TextList => to_list(value),
        ParameterType::Json => to_json(value),
    }
}

impl Declared<'_> {
    /// The value that counts, not coerced.
    fn raw(&self) -> Option<&Given> {
        self.given.as_ref().or_else(|| self.fallback())
    }

    fn fallback(&self) -> Option<&Given> {
        self.user_default.as_ref().or(self.default.as_ref())
    }

    fn span_of(&self, given: &Given) -> Span {
        given.span.unwrap_or(self.parameter.name_span)
    }

    fn missing(&self) -> Failure {
        let message = format!("The Parameter ({}) was not provided.", self.name);
        Failure::new(Class::UserParameterMissing, message, self.parameter.name_span)
    }

    /// The parameter as an expression.
    fn expr(&self) -> Expr {
        let span = self.parameter.name_span;
        let name = Expr::new(ExprKind::Text(self.name.into()), span);
        let parameter = ParameterRef { name, path: Vec::new(), by_ref: false };
        Expr::new(ExprKind::Parameter(Box::new(parameter)), span)
    }

    /// What a value that is not known is for a parameter of this type.
    fn converted(&self, expr: Arc<Expr>, raw: Value) -> Value {
        let operation = Operation::Convert(self.kind);
        Value::Unknown(Arc::new(Unknown::call(expr, operation, vec![raw])))
    }

    /// The value where none is given.
    fn open(&self, level: usize) -> Value {
        let name = Dependency::Parameter(self.name.to_owned());
        let leaf = Unknown::leaf(self.expr(), name, level);
        self.converted(Arc::new(self.expr()), Value::Unknown(Arc::new(leaf)))
    }

    fn value(&self, missing: Missing, level: usize) -> Result<Value, Failure> {
        let Some(given) = self.raw() else {
            return match (missing, self.kind) {
                (Missing::Unknown, _) => Ok(self.open(level)),
                (_, ParameterType::Boolean) => Err(strict_none().at(self.parameter.name_span)),
                _ => Err(self.missing()),
            };
        };
        let raw = &given.value;
        let hidden = self.parameter.is_hidden();
        let secret = hidden || raw.holds_secret();
        let failed = |raised: Raised| raised.at(self.span_of(given)).sealed(secret);
        if !raw.holds_unknown() {
            // The parts of JSON and of lists keep their own secrets.
            let in_parts = matches!(self.kind, ParameterType::Json | ParameterType::TextList)
                && !matches!(raw, Value::Secret(_));
            if in_parts {
                return Ok(coerce(raw, self.kind).map_err(failed)?.sealed(hidden));
            }
            return Ok(coerce(&raw.reveal().0, self.kind).map_err(failed)?.sealed(secret));
        }
        let value = match self.kind {
            // Text stays what it is.
            ParameterType::Text if matches!(raw.open(), Value::Unknown(_)) => raw.clone(),
            _ if let Value::Unknown(unknown) = raw.open() => {
                let value = self.converted(Arc::clone(&unknown.expr), raw.open().clone());
                value.sealed(matches!(raw, Value::Secret(_)))
            }
            ParameterType::Json => to_json(raw).map_err(failed)?,
            ParameterType::TextList if items_are_whole(raw) => to_list(raw).map_err(failed)?,
            _ => self.converted(Arc::new(self.expr()), raw.clone()),
        };
        let is_unknown = matches!(value, Value::Unknown(_));
        Ok(value.sealed(hidden && !is_unknown))
    }

    /// The value that Heat's judge makes up where there is none.
    fn invented(&self) -> Value {
        let mark = Value::text(format!("<<param:{}>>", self.name));
        let mut value = match self.kind {
            ParameterType::Text => mark,
            ParameterType::Number => Value::int(1),
            ParameterType::Boolean => Value::Bool(true),
            ParameterType::TextList => Value::list(vec![mark]),
            ParameterType::Json => Value::map::<&str>([]),
        };
        for constraint in &self.constraints {
            match constraint.hint() {
                Some(Hint::Allowed(allowed)) => {
                    value = match self.kind {
                        ParameterType::TextList => Value::list(allowed[..1].to_vec()),
                        _ => allowed[0].clone(),
                    };
                }
                Some(Hint::Range(min, max)) => {
                    value = min.or(max).cloned().unwrap_or(Value::Null);
                }
                Some(Hint::Length(min, max)) => {
                    if let Value::Text(text) = &value {
                        value = Value::text(self.fitted(text, whole(min), whole(max)));
                    }
                }
                None => {}
            }
        }
        value
    }

    /// A text of a length within the bounds.
    fn fitted(&self, text: &str, min: Option<i64>, max: Option<i64>) -> String {
        let length = |text: &str| i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        let mut text = text.to_owned();
        if let Some(max) = max.filter(|max| length(&text) > *max) {
            text = format!("p{}", self.name);
            // A negative bound counts from the end, as Python's slices do.
            let keep = if max < 0 { (length(&text) + max).max(0) } else { max };
            text = text.chars().take(usize::try_from(keep).unwrap_or(0)).collect();
        }
        if let Some(min) = min {
            let more = min.min(LONGEST_INVENTED) - length(&text);
            text.extend(std::iter::repeat_n('x', usize::try_from(more).unwrap_or(0)));
        }
        text
    }

    /// Whether its value is a secret: it is hidden, or what is given for it was.
    fn holds_secret(&self) -> bool {
        let given = self.default.iter().chain(self.raw());
        self.parameter.is_hidden() || given.into_iter().any(|given| given.value.holds_secret())
    }

    fn report(
        &self,
        out: &mut Parameters,
        code: Code,
        raised: Raised,
        span: Span,
        constraint: Option<&Constraint>,
    ) {
        let message = match raised.class {
            Class::StackValidationFailed | Class::InvalidSchemaError => {
                format!("Parameter '{}' is invalid: {}", self.name, raised.message)
            }
            _ => raised.message,
        };
        let secret = self.holds_secret() && code != Code::ParameterMissing;
        let mut failure = Failure::new(raised.class, message, span).sealed(secret);
        failure.instead = failure
            .instead
            .map(|told| format!("Parameter '{}' is invalid: {told}", self.name).into());
        out.failures.push(ParameterFailure {
            parameter: Some(self.name.to_owned()),
            constraint: constraint.map(|constraint| (constraint.key(), constraint.span)),
            ..ParameterFailure::new(Stage::Validation, code, failure)
        });
    }

    /// Checks the declaration, its default and the value, up to the first of these that fails.
    fn validate(&self, missing: Missing, out: &mut Parameters) {
        let misfit = self.constraints.iter().find(|constraint| !constraint.is_for(self.kind));
        if let Some(constraint) = misfit {
            let message =
                format!("{} constraint invalid for {}", constraint.name(), type_name(self.kind));
            let raised = Raised::new(Class::InvalidSchemaError, message);
            self.report(out, Code::ParameterRefused, raised, constraint.span, None);
            return;
        }
        if let Some(default) = &self.default
            && let Err((raised, constraint)) = self.check_default(default)
        {
            let code = Code::ParameterDefault;
            self.report(out, code, raised, self.span_of(default), constraint);
            return;
        }
        let Some(given) = self.raw() else {
            if missing != Missing::Unknown {
                let failure = self.missing();
                let raised = Raised::new(failure.class, failure.message);
                self.report(out, Code::ParameterMissing, raised, failure.span, None);
            }
            return;
        };
        if given.value.holds_unknown() {
            return;
        }
        let span = self.span_of(given);
        let value = match self.checked(&given.value.reveal().0) {
            Ok(value) => value,
            Err(raised) => {
                self.report(out, Code::ParameterValue, raised, span, None);
                return;
            }
        };
        for constraint in &self.constraints {
            let violated = match constraint.check(&value, self.kind) {
                Ok(Verdict::Holds) => continue,
                Ok(Verdict::Unknown(why)) => {
                    out.unchecked.push(Unchecked {
                        parameter: self.name.to_owned(),
                        why,
                        span,
                        constraint: (constraint.key(), constraint.span),
                        secret: self.holds_secret(),
                    });
                    continue;
                }
                Ok(Verdict::Fails(message)) => invalid(message),
                Err(raised) if raised.class == Class::ValueError => invalid(raised.message),
                Err(raised) => raised,
            };
            self.report(out, Code::ConstraintViolated, violated, span, Some(constraint));
        }
    }

    /// The value that constraints see: as it was given, but for lists and JSON.
    fn checked(&self, raw: &Value) -> Result<Value, Raised> {
        let as_invalid = |raised: Raised| invalid(raised.message);
        match self.kind {
            ParameterType::Text => {}
            ParameterType::Number => drop(python::number(raw).map_err(as_invalid)?),
            ParameterType::Boolean => drop(python::strict_bool(raw).map_err(as_invalid)?),
            ParameterType::TextList | ParameterType::Json => {
                return coerce(raw, self.kind).map_err(|raised| match raised.class {
                    Class::ValueError => as_invalid(raised),
                    _ => raised,
                });
            }
        }
        Ok(raw.clone())
    }

    /// What Heat asks of a default even where it is not used: all but custom constraints.
    fn check_default(&self, default: &Given) -> Result<(), (Raised, Option<&Constraint>)> {
        if default.value.holds_unknown() {
            return Ok(());
        }
        let raw = default.value.reveal().0;
        let refused = |message| Raised::new(Class::InvalidSchemaError, message);
        let value = match (self.kind, &raw) {
            (ParameterType::TextList, Value::List(_)) => {
                to_list(&raw).map_err(|raised| (raised, None))?
            }
            // Here the empty text is a list of one empty text.
            (ParameterType::TextList, Value::Text(text)) => {
                Value::list(text.split(',').map(Value::text).collect())
            }
            (ParameterType::TextList, other) => {
                let message =
                    format!("Default must be a comma-delimited list string: {}", no_split(other));
                return Err((refused(message), None));
            }
            _ => raw.clone(),
        };
        for constraint in self.constraints.iter().filter(|constraint| !constraint.is_custom()) {
            let why = match constraint.check(&value, self.kind) {
                Ok(Verdict::Holds | Verdict::Unknown(_)) => continue,
                Ok(Verdict::Fails(message)) => message,
                Err(raised) => match raised.class {
                    Class::ValueError | Class::TypeError => raised.message,
                    _ => return Err((raised, Some(constraint))),
                },
            };
            let shown = python::str(&raw).map_err(|raised| (raised, Some(constraint)))?;
            return Err((refused(format!("Invalid default {shown} ({why})")), Some(constraint)));
        }
        Ok(())
    }
}

fn items_are_whole(value: &Value) -> bool {
    let Value::List(items) = value else { return false };
    items.iter().all(|item| matches!(item, Value::Unknown(_)) || !item.holds_unknown())
}

fn invalid(message: impl Into<String>) -> Raised {
    Raised::new(Class::StackValidationFailed, message)
}

/// What a boolean without a value raises.
fn strict_none() -> Raised {
    let none = python::strict_bool(&Value::text("None"));
    none.err().unwrap_or_else(|| Raised::value("None"))
}

/// The name of a type in HOT.
/// The type as HOT names it.
pub fn type_name(kind: ParameterType) -> &'static str {
    match kind {
        ParameterType::Text => "string",
        ParameterType::Number => "number",
        ParameterType::TextList => "comma_delimited_list",
        ParameterType::Json => "json",
        ParameterType::Boolean => "boolean",
    }
}

/// A bound of a length as a number.
fn whole(bound: Option<&Value>) -> Option<i64> {
    match python::as_number(bound?)? {
        Number::Int(value) => Some(value.to_i64().unwrap_or(i64::MAX)),
        Number::Float(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::SourceId;
    use crate::hot::{Recognised, lower, recognise};
    use crate::source::{Limits, read};

    fn stack(body: &str) -> Stack {
        let text = format!("heat_template_version: rocky\n{body}");
        let document = read(SourceId(0), text.into(), &Limits::default()).expect("YAML");
        let Recognised::Hot { version, node, .. } = recognise(&document) else {
            panic!("no template")
        };
        lower(&document, version, node).stack
    }

    fn given(pairs: &[(&str, Value)]) -> IndexMap<String, Given> {
        let given = |value: &Value| Given { value: value.clone(), span: None };
        pairs.iter().map(|(name, value)| ((*name).to_owned(), given(value))).collect()
    }

    fn evaluated(
        body: &str,
        values: &[(&str, Value)],
        defaults: &[(&str, Value)],
        missing: Missing,
    ) -> Parameters {
        let identity = Identity {
            stack_name: "name".to_owned(),
            stack_id: "id".to_owned(),
            project_id: "project".to_owned(),
        };
        let inputs = Inputs {
            given: &given(values),
            defaults: &given(defaults),
            identity: &identity,
            missing,
            level: 0,
        };
        evaluate(&stack(body), &inputs)
    }

    fn value(parameters: &Parameters, name: &str) -> Value {
        let value = parameters.values.get(name).expect("a parameter");
        value.clone().unwrap_or_else(|failure| panic!("{failure:?}"))
    }

    #[test]
    fn pseudo_parameters_come_first_and_take_defaults_of_the_environment() {
        let defaults = [("OS::project_id", Value::int(5))];
        let parameters =
            evaluated("parameters: {p: {type: string}}", &[], &defaults, Missing::Unknown);
        let names: Vec<_> = parameters.values.keys().map(String::as_str).collect();
        assert_eq!(names, ["OS::stack_id", "OS::project_id", "OS::stack_name", "p"]);
        assert_eq!(value(&parameters, "OS::project_id"), Value::text("5"));
        assert!(matches!(value(&parameters, "p"), Value::Unknown(_)));
        assert_eq!(parameters.failures, []);
    }

    #[test]
    fn values_go_before_defaults_of_the_environment_and_of_the_template() {
        let body = "parameters: {p: {type: number, default: 1}}";
        let of = |values: &[_], defaults: &[_]| {
            value(&evaluated(body, values, defaults, Missing::Refused), "p")
        };
        assert_eq!(of(&[], &[]), Value::int(1));
        assert_eq!(of(&[], &[("p", Value::text("2"))]), Value::int(2));
        assert_eq!(of(&[("p", Value::text("3.5"))], &[("p", Value::text("2"))]), Value::Float(3.5));
        assert_eq!(of(&[("p", Value::Null)], &[("p", Value::Null)]), Value::int(1));
    }

    #[test]
    fn lists_and_json_are_parsed() {
        let body = "parameters: {l: {type: comma_delimited_list}, j: {type: json}}";
        let values = [("l", Value::text("a,,b ")), ("j", Value::text("[1]"))];
        let parameters = evaluated(body, &values, &[], Missing::Refused);
        let texts = ["a", "", "b "].map(Value::text);
        assert_eq!(value(&parameters, "l"), Value::list(texts.to_vec()));
        assert_eq!(value(&parameters, "j"), Value::list(vec![Value::int(1)]));
        let values = [("l", Value::int(1)), ("j", Value::text("{"))];
        let parameters = evaluated(body, &values, &[], Missing::Refused);
        assert_eq!(parameters.failures.len(), 2);
        assert_eq!(parameters.reported().len(), 1);
    }

    #[test]
    fn hidden_values_are_sealed_and_not_in_findings() {
        let body =
            "parameters:\n  p: {type: string, hidden: true, constraints: [{length: {max: 2}}]}";
        let parameters = evaluated(body, &[("p", Value::text("secret"))], &[], Missing::Refused);
        assert_eq!(value(&parameters, "p"), Value::text("secret").sealed(true));
        let [finding] = &parameters.findings()[..] else { panic!("{:?}", parameters.findings()) };
        assert_eq!(finding.code, Code::ConstraintViolated);
        assert!(!finding.message.contains("secret"));
        assert_eq!(finding.related.len(), 1);
    }

    #[test]
    fn secrets_are_not_told_by_failures() {
        let secret = || Value::text("hunter2").sealed(true);
        let body =
            "parameters: {p: {type: number}, q: {type: number, hidden: true, default: hunter2}}";
        let parameters = evaluated(body, &[("p", secret())], &[], Missing::Refused);
        assert_eq!(parameters.failures.len(), 2);
        for failure in parameters.failures.iter().map(|failure| &failure.failure) {
            assert!(failure.message.contains("hunter2"));
            assert!(!failure.shown().contains("hunter2"));
        }
        for finding in parameters.findings() {
            assert!(!finding.message.contains("hunter2"), "{}", finding.message);
        }
        for name in ["p", "q"] {
            let failure = parameters.values[name].as_ref().expect_err("no number");
            assert!(!failure.shown().contains("hunter2"));
        }
    }

    #[test]
    fn the_default_is_checked_where_a_value_is_given() {
        let body =
            "parameters:\n  p: {type: string, default: abc, constraints: [{length: {max: 2}}]}";
        let parameters = evaluated(body, &[("p", Value::text("a"))], &[], Missing::Refused);
        let [failure] = &parameters.failures[..] else { panic!("{:?}", parameters.failures) };
        assert_eq!(failure.failure.class, Class::InvalidSchemaError);
        let expected = "Parameter 'p' is invalid: Invalid default abc (length (3) is out of range \
                        (min: None, max: 2))";
        assert_eq!(failure.failure.message, expected);
    }

    #[test]
    fn undeclared_parameters_are_named_with_what_was_meant() {
        let body = "parameters: {flavor: {type: string}}";
        let values = [("flavour", Value::text("m1")), ("flavor", Value::text("m1"))];
        let parameters = evaluated(body, &values, &[], Missing::Refused);
        let [finding] = &parameters.findings()[..] else { panic!("{:?}", parameters.findings()) };
        assert_eq!(finding.code, Code::UnknownParameter);
        assert_eq!(finding.help, ["did you mean `flavor`?"]);
    }

    #[test]
    fn a_declaration_that_heat_refuses_is_fatal() {
        for (body, message) in [
            ("parameters: {p: null}", "Invalid parameter (p), expected a mapping"),
            ("parameters: {p: {type: string, foo: 1}}", "Invalid key 'foo' for parameter (p)"),
            ("parameters: {p: {default: 1}}", "Missing parameter type for parameter: p"),
            ("parameters: {p: {type: String}}", "Invalid type (String)"),
            (
                "parameters: {p: {type: string, tags: x}}",
                "Tags property should be a list for parameter: p",
            ),
            (
                "parameters: {p: {type: string, constraints: {}}}",
                "Invalid parameter constraints for parameter p, expected a list",
            ),
            ("parameters: {p: {type: string, constraints: [{}]}}", "No constraint expressed"),
        ] {
            let parameters = evaluated(body, &[], &[], Missing::Refused);
            let fatal = parameters.fatal().unwrap_or_else(|| panic!("{body}"));
            assert_eq!(fatal.failure.message, message);
        }
    }

    #[test]
    fn made_up_values_heed_constraints() {
        let body = "parameters:
  a: {type: string, constraints: [{allowed_values: [x, y]}]}
  b: {type: string, constraints: [{length: {max: 3}}]}
  c: {type: string, constraints: [{length: {min: 14}}]}
  d: {type: number, constraints: [{range: {min: 3}}]}
  e: {type: comma_delimited_list}
  f: {type: json}
";
        let parameters = evaluated(body, &[], &[], Missing::Invented);
        assert_eq!(value(&parameters, "a"), Value::text("x"));
        assert_eq!(value(&parameters, "b"), Value::text("pb"));
        assert_eq!(value(&parameters, "c"), Value::text("<<param:c>>xxx"));
        assert_eq!(value(&parameters, "d"), Value::int(3));
        assert_eq!(value(&parameters, "e"), Value::list(vec![Value::text("<<param:e>>")]));
        assert_eq!(value(&parameters, "f"), Value::map::<&str>([]));
        assert_eq!(parameters.failures, []);
    }

    #[test]
    fn what_is_unknown_in_a_value_stays_unknown() {
        let body =
            "parameters: {s: {type: string}, l: {type: comma_delimited_list}, o: {type: string}}";
        let unknown = value(&evaluated(body, &[], &[], Missing::Unknown), "o");
        let list = Value::list(vec![Value::int(1), unknown.clone()]);
        let values = [("s", list.clone()), ("l", list)];
        let parameters = evaluated(body, &values, &[], Missing::Unknown);
        let Value::Unknown(text) = value(&parameters, "s") else { panic!("known") };
        assert_eq!(*text.depends_on, [Dependency::Parameter("o".to_owned())].into());
        assert_eq!(value(&parameters, "l"), Value::list(vec![Value::text("1"), unknown]));
        assert_eq!(parameters.failures, []);
    }

    #[test]
    fn what_cannot_be_checked_is_noted() {
        let body =
            "parameters: {p: {type: string, constraints: [{custom_constraint: nova.flavor}]}}";
        let parameters = evaluated(body, &[("p", Value::text("m1"))], &[], Missing::Refused);
        let [finding] = &parameters.findings()[..] else { panic!("{:?}", parameters.findings()) };
        assert_eq!(finding.code, Code::ConstraintNotChecked);
    }

    #[test]
    fn groups_name_declared_parameters_once() {
        let with = |groups: &str| {
            let body = format!("parameters: {{p: {{type: string}}}}\nparameter_groups: {groups}");
            let parameters = evaluated(&body, &[], &[], Missing::Unknown);
            parameters.failures.first().map(|failure| failure.failure.message.clone())
        };
        assert_eq!(with("[{parameters: [p, OS::stack_id]}]"), None);
        let error = "Parameter Groups error: parameter_groups";
        let known = "does not reference a valid parameter.";
        for (groups, message) in [
            (
                "[{parameters: [OS::stack_name]}]",
                format!("{error}.: The grouped parameter OS::stack_name {known}"),
            ),
            (
                "[{label: g, parameters: [p, p]}]",
                format!("{error}.g: The p parameter must be assigned to one parameter group only."),
            ),
            (
                "[{label: '7'}]",
                format!("{error}[7]: The parameters must be provided for each parameter group."),
            ),
            ("{a: 1}", format!("{error}: The parameter_groups should be a list.")),
            ("[x]", "'str' object has no attribute 'get'".to_owned()),
        ] {
            assert_eq!(with(groups), Some(message), "{groups}");
        }
    }
}
