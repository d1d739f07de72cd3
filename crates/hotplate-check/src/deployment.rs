//! One deployment of a template: evaluated with recovery, with the findings of every check.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::arguments::{Argument, arguments};
use super::assumed_members::assumed_members;
use super::input::{check, missing_parameters};
use super::listed_values::{ListedValues, listed_values};
use super::run::{Interface, NestedTemplates};
use super::{CheckedStack, CheckedTemplate, Cloud};
use heat_engine::environment::registry::{EntryTarget, RegistryEntry};
use heat_engine::environment::{Environment, Location};
use heat_engine::eval::deployment::{ChildStack, Deployed, DeploymentRequest, deploy};
use heat_template::ir::Stack;
use lossless_yaml::Document;
use source_diagnostics::Span;
use source_diagnostics::cancellation::until_time_limit;

/// A template with everything that it is deployed with.
#[derive(Clone, Copy, Debug)]
pub struct CheckedDeployment<'a> {
    /// The location of the template.
    pub location: &'a Location,
    /// The content of the template.
    pub document: &'a Document,
    /// The environment; its registry has the release of Heat that the checks are for.
    pub environment: &'a Environment,
    /// Whether the user gives any input. Without, values are given when the stack is created, and none is missing.
    pub has_input: bool,
    /// The types and functions of the user's cloud.
    pub cloud: &'a Cloud,
}

impl CheckedDeployment<'_> {
    /// The findings about the deployment without its sources, and its evaluation: `request` asks for every failure of the template.
    pub fn check(&self, request: &DeploymentRequest<'_>) -> (CheckedTemplate, Deployed) {
        let (environment, schema) = (self.environment, self.environment.registry.schema());
        let deployed = deploy(request);
        let mut findings = environment.findings.clone();
        let is_whole = until_time_limit(|| {
            check(&deployed, environment, self.document, self.cloud, &mut findings);
            let listed = listed_values(request, &deployed, schema, (&findings, ListedValues::All));
            findings.extend(listed);
            findings.extend(assumed_members(request, &deployed, schema, self.cloud));
        });
        let stacks = CheckedStack::tree(&deployed);
        let arguments = arguments(&stacks);
        let unused = findings.iter().filter(|it| it.code == crate::codes::UNUSED_PARAMETER);
        let unused: HashSet<_> = unused.filter_map(|it| Some(it.span()?.source)).collect();
        let source = deployed.stack.format.span.source;
        let mut interfaces = BTreeMap::new();
        for stack in &stacks {
            let (written, at) = (stack.stack(), stack.stack().format.span.source);
            if at == source || unused.contains(&at) {
                let url = stack.deployed.node.url().unwrap_or(self.location.url());
                let names = || written.parameters.keys().cloned().collect();
                interfaces
                    .entry(at)
                    .or_insert_with(|| Interface { url: url.into(), parameters: names() });
            }
        }
        let mut type_arguments: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for argument in arguments.iter().filter(|it| !it.names_file()) {
            type_arguments.entry(argument.kind.into()).or_default().insert(argument.name.into());
        }
        let missing = missing_parameters(&deployed, &environment.given);
        let unknown_parameters = missing.len();
        if self.has_input {
            findings.extend(missing);
        }
        let checked = CheckedTemplate {
            url: self.location.url().to_owned(),
            source: Some(source),
            nested: self.nested(&deployed),
            findings,
            unknown_parameters,
            mapped_types: mapped_types(environment),
            references: self.references(&arguments),
            defaults: self.defaults(),
            interfaces,
            type_arguments,
            declared: self.declared(&deployed),
            is_stopped: !is_whole,
            ..CheckedTemplate::default()
        };
        (checked, deployed)
    }

    /// The parameters that templates and environments pass to templates.
    fn references(&self, arguments: &[Argument<'_>]) -> BTreeMap<(String, String), Span> {
        let passed = arguments
            .iter()
            .filter_map(|it| Some(((it.url.clone()?, it.name.to_owned()), it.span)));
        let mut references: BTreeMap<_, _> = passed.collect();
        for (name, node) in self.environment.parameters() {
            let key = |url: &str| (url.to_owned(), name.to_owned());
            references.insert(key(self.location.url()), node.key);
        }
        references
    }

    fn defaults(&self) -> BTreeMap<String, Span> {
        let defaults = self.environment.parameter_defaults();
        defaults.map(|(name, node)| (name.to_owned(), node.key)).collect()
    }

    /// The environments, and the parameters in them that the template declares.
    fn declared(&self, deployed: &Deployed) -> (Vec<String>, BTreeMap<String, Span>) {
        let named = self.environment.named.iter().map(|it| it.location.url().to_owned());
        (named.collect(), declared(&deployed.stack, &self.passed()))
    }

    /// The templates below the template, each with the parameters of the environments that it declares.
    fn nested(&self, deployed: &Deployed) -> NestedTemplates {
        let mut nested = NestedTemplates::new();
        add_nested(deployed, &self.passed(), &mut nested);
        nested
    }

    fn passed(&self) -> HashSet<&str> {
        self.environment.parameters().map(|(name, _)| name).collect()
    }
}

/// Those of the names that a template declares as parameters.
fn declared(stack: &Stack, names: &HashSet<&str>) -> BTreeMap<String, Span> {
    let declared = stack.parameters.iter().filter(|(name, _)| names.contains(name.as_str()));
    declared.map(|(name, parameter)| (name.clone(), parameter.name_span)).collect()
}

/// The types that the environments map to something else.
fn mapped_types(environment: &Environment) -> BTreeSet<String> {
    let entries = environment.registry.entries().into_iter();
    let maps = |kind: &String, entry: &RegistryEntry| match &entry.target {
        EntryTarget::Type(target) => target != kind,
        EntryTarget::Template(_) | EntryTarget::Candidates(_) => true,
    };
    let mapped = entries.filter_map(|entry| entry.path.last().filter(|kind| maps(kind, entry)));
    mapped.cloned().collect()
}

/// Adds the templates below a stack.
fn add_nested(deployed: &Deployed, passed: &HashSet<&str>, nested: &mut NestedTemplates) {
    for child in deployed.children.values() {
        if let ChildStack::Stack(child) = child {
            if let Some(url) = child.node.url() {
                nested.entry(url.to_owned()).or_insert_with(|| declared(&child.stack, passed));
            }
            add_nested(child, passed, nested);
        }
    }
}
