//! Parameters, conditions, groups of parameters and values that nothing uses.

use super::{Check, Scope};
use std::collections::HashSet;

use super::misspelled_calls::FunctionNames;
use crate::arguments::Argument;
use crate::codes;
use crate::references::References;
use crate::stacks::CheckedStack;
use heat_engine::environment::registry::is_template_name;
use heat_engine::eval::template_graph::ResolvedImplementation;
use heat_template::ir::{Expr, ExprKind, Stack};
use heat_template::schema::{Column, columns};
use source_diagnostics::{Code, Diagnostic, Severity, Suggestions};

/// Parameters and conditions that nothing refers to.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::UNUSED_CONDITION, codes::UNUSED_PARAMETER],
    run: |it, found| check(it.stack, it.interfaces, found),
};

/// Groups without parameters.
pub(crate) const GROUPS: Check = Check {
    scope: Scope::Template,
    codes: &[codes::EMPTY_GROUP],
    run: |it, found| check_groups(it.stack, found),
};

/// Resources that provide a value that nothing uses.
pub(crate) const UNREFERENCED: Check = Check {
    scope: Scope::Template,
    codes: &[codes::UNUSED_VALUE],
    run: |it, found| {
        if let Some(references) = it.references {
            check_values(it.stack, references, found);
        }
    },
};

/// Types that have no effect of their own: they only provide a value.
static VALUES: Column<bool> = Column::new(columns::VALUES);

/// Adds a finding for each group without parameters.
pub(crate) fn check_groups(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    for group in &stack.stack().groups {
        let parameters = group.value.member("parameters").map(|it| &it.kind);
        if matches!(parameters, Some(ExprKind::List(items)) if items.is_empty()) {
            let message = "the parameter group contains no parameter".to_owned();
            found.push(Diagnostic::new(codes::EMPTY_GROUP, message).at(group.value.span));
        }
    }
}

/// Adds a finding for each resource that only provides a value, which nothing uses.
pub(crate) fn check_values(
    stack: &CheckedStack<'_>,
    references: &References<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let implementations = &stack.deployed.node.implementations;
    for (name, resource) in &stack.stack().resources {
        let plugin = implementations.get(name).and_then(|it| it.plugin());
        if let Some((kind, _)) = plugin.filter(|(kind, _)| VALUES.get(kind).is_some())
            && references.to(name).is_empty()
        {
            let message = format!("nothing uses the `{kind}` `{name}`");
            found.push(Diagnostic::new(codes::UNUSED_VALUE, message).at(resource.name_span));
        }
    }
    let kind = |name: &str| implementations.get(name).and_then(|it| it.plugin()).map(|it| it.0);
    let may_use =
        |name: &String| matches!(kind(name), Some("OS::Nova::Server" | "OS::Neutron::Port"));
    if !stack.stack().resources.keys().any(may_use) {
        return;
    }
    for (name, resource) in &stack.stack().resources {
        // One with a name can be used by it, also outside of the stack.
        let has_name = resource.properties.as_ref().is_some_and(|it| it.member("name").is_some());
        if kind(name) == Some("OS::Neutron::SecurityGroup")
            && !has_name
            && references.to(name).is_empty()
        {
            let message = format!("nothing uses the security group `{name}`");
            let finding = Diagnostic::new(codes::UNUSED_VALUE, message).at(resource.name_span);
            let finding = finding.help("name it in `security_groups` of a server or a port");
            found.push(Diagnostic { severity: Severity::Note, ..finding });
        }
    }
}

/// The parameters that templates must declare because of others: of a template that implements a type of the resource
/// registry, those that its users pass, whatever implements the type.
#[derive(Debug)]
pub(crate) struct Interfaces<'a> {
    /// The URLs of such templates with the parameters. A file that is named directly has no interface but its own.
    passed: HashSet<(&'a str, &'a str)>,
    /// The URLs of such templates, which may be passed nothing.
    implementing: HashSet<&'a str>,
}

impl<'a> Interfaces<'a> {
    /// The interfaces of all templates of a deployment.
    pub(crate) fn of(stacks: &[CheckedStack<'a>], arguments: &'a [Argument<'a>]) -> Self {
        let by_type = arguments.iter().filter(|it| !it.names_file());
        let passed = by_type.filter_map(|it| Some((it.url.as_deref()?, it.name))).collect();
        let implementing = stacks.iter().flat_map(|stack| stack.resources()).filter_map(|it| {
            match it.implementation {
                Some(ResolvedImplementation::Template(template)) => {
                    (!is_template_name(&it.evaluated.kind)).then_some(template.url.as_str())
                }
                _ => None,
            }
        });
        Interfaces { passed, implementing: implementing.collect() }
    }

    fn requires(&self, stack: &CheckedStack<'_>, parameter: &str) -> bool {
        let Some(url) = stack.deployed.node.url() else { return false };
        // A stand-in that does nothing has only an interface.
        let is_stand_in = stack.stack().resources.is_empty() && self.implementing.contains(url);
        is_stand_in || self.passed.contains(&(url, parameter))
    }
}

/// The findings about parts of templates that are not read.
const NOT_READ: [Code; 4] = [
    heat_template::codes::UNKNOWN_SECTION,
    heat_template::codes::SECTION_SHAPE,
    heat_template::codes::UNKNOWN_KEY,
    heat_template::codes::VALUE_SHAPE,
];

/// Adds a finding for each parameter and each condition that nothing refers to.
pub(crate) fn check(
    stack: &CheckedStack<'_>,
    interfaces: &Interfaces<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let checked = stack;
    // What is not read, such as the value of a misspelled key, may use everything.
    let read = &checked.deployed.node.template.lowering_findings;
    if read.iter().any(|finding| NOT_READ.contains(&finding.code)) {
        return;
    }
    let stack = checked.stack();
    let Some(uses) = Uses::of(stack) else { return };
    for (name, parameter) in &stack.parameters {
        if !uses.parameters.contains(name.as_str()) && !interfaces.requires(checked, name) {
            let message = format!("the parameter `{name}` is not used");
            found.push(Diagnostic::new(codes::UNUSED_PARAMETER, message).at(parameter.name_span));
        }
    }
    for (name, condition) in &stack.conditions {
        if !uses.conditions.contains(name.as_str()) {
            let message = format!("the condition `{name}` is not used");
            found.push(Diagnostic::new(codes::UNUSED_CONDITION, message).at(condition.name_span));
        }
    }
}

/// The names that the expressions of a template use.
struct Uses<'s> {
    parameters: HashSet<&'s str>,
    conditions: HashSet<&'s str>,
}

impl<'s> Uses<'s> {
    fn add(&mut self, name: Option<&'s str>) {
        self.parameters.extend(name);
        self.conditions.extend(name);
    }

    /// `None` if a name is computed, or a call is not understood: then everything may be used.
    fn of(stack: &'s Stack) -> Option<Self> {
        let mut uses = Uses { parameters: HashSet::new(), conditions: HashSet::new() };
        let mut is_certain = true;
        let mut suggestions = Suggestions::new(stack.parameters.keys().map(String::as_str));
        let mut functions = FunctionNames::of(stack);
        for expr in stack.expressions() {
            expr.walk(&mut |expr: &'s Expr| match &expr.kind {
                ExprKind::Parameter(parameter) => match parameter.name.as_text() {
                    // What is misspelled is not unused as well.
                    Some(name) => {
                        let is_declared = stack.parameters.contains_key(name);
                        let meant = (!is_declared).then(|| suggestions.nearest(name, None));
                        uses.parameters.insert(meant.flatten().unwrap_or(name));
                    }
                    None => is_certain = false,
                },
                ExprKind::Condition(name) => {
                    uses.conditions.insert(name);
                }
                ExprKind::Invalid(_) => is_certain = false,
                // What a misspelled function names is not unused as well.
                ExprKind::Map(_) | ExprKind::Text(_) => {
                    match functions.misspelled(expr).map(|near| near.argument) {
                        Some(Ok(argument)) => argument.walk(&mut |part| uses.add(part.as_text())),
                        Some(Err(text)) => uses.add(Some(text)),
                        None => {}
                    }
                }
                _ => {}
            });
        }
        // What was left out may be meant by a misspelled name.
        is_certain &= suggestions.limit_finding().is_none();
        is_certain.then_some(uses)
    }
}
