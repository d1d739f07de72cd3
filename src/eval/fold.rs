//! What single expressions of a stack are worth where parameters are not known: what a target that
//! lacks a function may write in the place of a call.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::expression::{Evaluator, Resources};
use super::inputs::{Content, Files, Inputs};
use super::parameters::Parameters;
use super::travel::{Seen, Travelling};
use super::{Dependency, Failure, Table, Unknown, Value};
use crate::environment::{self, Base};
use crate::ir::{Expr, ExprKind, ParameterRef, Stack};

/// The parameters that have values; every other one is not known, whatever its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fixed {
    /// All that have a value.
    #[default]
    All,
    /// These.
    Only(BTreeSet<String>),
}

impl Fixed {
    /// Whether the value of this parameter counts.
    pub fn holds(&self, parameter: &str) -> bool {
        match self {
            Fixed::All => true,
            Fixed::Only(names) => names.contains(parameter),
        }
    }
}

/// A parameter that is not known.
pub(super) fn open_parameter(name: &str, level: usize) -> Value {
    let span = crate::diagnostics::Span::NOWHERE;
    let text = Expr::new(ExprKind::Text(SmolStr::new(name)), span);
    let reference = ParameterRef { name: text, path: Vec::new(), by_ref: false };
    let expr = Expr::new(ExprKind::Parameter(Box::new(reference)), span);
    let of = Dependency::Parameter(name.to_owned());
    Value::Unknown(Arc::new(Unknown::leaf(expr, of, level)))
}

/// A stack with what is known of it.
#[derive(Debug)]
pub struct Folding<'a> {
    stack: &'a Stack,
    files: Travelling<'a>,
    base: Option<Base>,
    parameters: Parameters,
    table: Table,
    yaql: &'a super::yaql::Options,
}

impl<'a> Folding<'a> {
    /// Only `known` parameters have values. `base` is the folder of the template, to which the names
    /// of `files` are relative.
    pub fn new(
        stack: &'a Stack,
        files: &'a environment::Files,
        base: Option<Base>,
        known: &IndexMap<String, Value>,
        yaql: &'a super::yaql::Options,
    ) -> Self {
        let pseudo = ["OS::stack_name", "OS::stack_id", "OS::project_id"];
        let names = pseudo.into_iter().chain(stack.parameters.keys().map(String::as_str));
        let value =
            |name: &str| known.get(name).cloned().unwrap_or_else(|| open_parameter(name, 0));
        let values = names.map(|name| (name.to_owned(), Ok(value(name)))).collect();
        let parameters = Parameters { values, ..Parameters::default() };
        let table = Table::new(stack, false);
        Folding { stack, files: Travelling::new(files, false), base, parameters, table, yaql }
    }

    /// The value of an expression of the stack, parts of which may be unknown.
    pub fn value(&self, expr: &Expr) -> Result<Value, Failure> {
        let inputs = Inputs {
            parameters: &self.parameters,
            runtime: &self.table,
            files: self,
            facade: None,
            zones: None,
            level: 0,
            yaql: self.yaql,
        };
        let evaluator = Evaluator::new(self.stack, inputs);
        evaluator.read_conditions()?;
        let names: HashSet<&str> = self.stack.resources.keys().map(String::as_str).collect();
        *evaluator.resources.borrow_mut() = Resources::Enabled(names);
        evaluator.value(expr)
    }

    /// The value of an expression if all of it is known.
    pub fn constant(&self, expr: &Expr) -> Option<Value> {
        self.value(expr).ok().filter(|value| !value.holds_unknown())
    }
}

impl Files for Folding<'_> {
    fn located(&self, key: &str, path: &str) -> Option<SmolStr> {
        Seen { files: &self.files, base: self.base.as_ref() }.located(key, path)
    }

    fn content(&self, name: &str) -> Content {
        Seen { files: &self.files, base: self.base.as_ref() }.content(name)
    }
}
