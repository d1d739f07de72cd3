//! Hovers of the declarations of a template.

use std::collections::BTreeMap;

use heat_template::ir::{Expr, Parameter, ParameterType};
use lossless_yaml::NodeId;
use source_diagnostics::{MaskedSources, SourceLocator, Span};

use super::contexts::MAX_SHOWN;
use super::subject::{HoverRequest, joined, titled};
use super::values::{code, shown};
use crate::language_server::file_view::FileView;
use crate::language_server::place::{Implementation, attribute_markdown};
use crate::language_server::project::EvaluatedDeployment;
use crate::parameters::{DeploymentParameters, ListedParameter, ValueOrigin};
use crate::resource_types::TypeDescription;

impl HoverRequest<'_> {
    /// A parameter: its declaration, and where its value comes from in each deployment.
    pub(super) fn parameter(&self, name: &str) -> String {
        let stack = self.view.template().map(|template| &template.stack);
        let declaration = stack.and_then(|stack| stack.parameters.get(name));
        match declaration {
            Some(declaration) => joined([
                self.declaration(name, declaration.clone()),
                titled("Value", self.origins(name)),
            ]),
            None if self.places.dialect.pseudo_parameters().contains(&name) => {
                format!("**{name}**: Heat provides it")
            }
            None => String::new(),
        }
    }

    /// The declaration of a parameter; a default that is hidden is not shown.
    pub(super) fn declaration(&self, name: &str, mut declaration: Parameter) -> String {
        let roots = self.snapshot.roots_with(&self.view.path);
        declaration.is_encrypted |= roots.iter().any(|root| {
            let deployments = self.snapshot.deployments(root);
            deployments.iter().any(|it| it.environment.secrecy().is_hidden(name))
        });
        let kind = declaration.kind.map_or("of an unknown type", ParameterType::hot_name);
        let flags =
            [(declaration.is_hidden(), ", hidden"), (declaration.is_immutable(), ", immutable")];
        let flags: String =
            flags.iter().filter(|(is_set, _)| *is_set).map(|(_, word)| *word).collect();
        let description =
            declaration.description.as_ref().and_then(Expr::as_text).unwrap_or_default();
        let default = match &declaration.default {
            Some(_) if declaration.is_hidden() => "Default: hidden".to_owned(),
            Some(default) => {
                let value = heat_engine::eval::Value::from_expr_as_sent(default);
                format!("Default: {}", shown(&Ok(value)))
            }
            None => "No default: a value is required".to_owned(),
        };
        let constraints = declaration.constraints.iter().filter_map(|constraint| {
            let (kind, operand) = constraint.kind.entry()?;
            let value = shown(&Ok(heat_engine::eval::Value::from_expr_as_sent(operand)));
            Some(format!("- {kind}: {value}"))
        });
        // The values that a secret may have are a part of it.
        let constraints: Vec<String> = constraints.filter(|_| !declaration.is_hidden()).collect();
        let head = format!("**{name}**: {kind}{flags}");
        joined([
            head,
            description.to_owned(),
            default,
            titled("Constraints", constraints.join("\n")),
        ])
    }

    /// The value of a parameter with its origin, in each stack of the template.
    fn origins(&self, name: &str) -> String {
        let mut lines = Vec::new();
        let mut count = 0;
        for root in self.snapshot.roots_with(&self.view.path) {
            let deployments = self.snapshot.deployments(&root);
            let several = deployments.len() > 1;
            for evaluated in deployments.iter() {
                let EvaluatedDeployment { deployed, location, environment, sources, .. } =
                    evaluated;
                let listed = DeploymentParameters::new(deployed, location, environment, sources);
                let is_own = |file: Option<&str>| {
                    file.and_then(|file| self.snapshot.session.absolute(file)).as_ref()
                        == Some(&self.view.path)
                };
                let templates = listed.templates.iter().filter(|it| is_own(it.file.as_deref()));
                for template in templates {
                    let Some(parameter) = template.parameters.iter().find(|it| it.name == name)
                    else {
                        continue;
                    };
                    count += 1;
                    let deployment = evaluated.name.as_deref().filter(|_| several);
                    let nested = template.path.join("/");
                    let label = [deployment.unwrap_or_default(), &nested];
                    let label: Vec<&str> = label.into_iter().filter(|it| !it.is_empty()).collect();
                    let label = if label.is_empty() {
                        String::new()
                    } else {
                        format!("{}: ", label.join(", "))
                    };
                    lines.push(format!("- {label}{}", self.origin(parameter, sources)));
                }
            }
        }
        lines.truncate(MAX_SHOWN);
        lines.extend((count > MAX_SHOWN).then(|| format!("- and {} more", count - MAX_SHOWN)));
        lines.join("\n")
    }

    /// The value of a parameter, and where it is written.
    fn origin(&self, parameter: &ListedParameter<'_>, sources: &MaskedSources) -> String {
        let value = match parameter.value {
            _ if parameter.is_secret() => "hidden".to_owned(),
            Some(value) => shown(&Ok(value.clone())),
            None => "no value".to_owned(),
        };
        let place = parameter.origin_span.and_then(|span| self.place_of(span, sources));
        let at = place.map(|place| format!(" ({place})")).unwrap_or_default();
        match parameter.origin {
            ValueOrigin::Argument => format!("{value}, an argument{at}"),
            ValueOrigin::Configuration => format!("{value}, of the configuration{at}"),
            ValueOrigin::ParameterFile => format!("{value}, of a parameter file{at}"),
            ValueOrigin::Parameters => format!("{value}, of `parameters`{at}"),
            ValueOrigin::ParameterDefaults => format!("{value}, of `parameter_defaults`{at}"),
            ValueOrigin::Property => format!("{value}, of a property{at}"),
            ValueOrigin::Default => format!("{value}, the default"),
            ValueOrigin::Missing => "no value: Heat refuses the stack".to_owned(),
        }
    }

    fn place_of(&self, span: Span, sources: &MaskedSources) -> Option<String> {
        let place = SourceLocator::new(sources).locate(span)?;
        let path = self.snapshot.session.absolute(&place.path);
        let file = path.map_or(place.path, |path| self.shown_path(&path));
        Some(format!("{file}:{}", place.start.line))
    }

    /// A condition with its value.
    pub(super) fn condition(&self, name: &str) -> String {
        let stack = self.view.template().map(|template| &template.stack);
        if !stack.is_some_and(|stack| stack.conditions.contains_key(name)) {
            return String::new();
        }
        let values =
            self.each_value(|context| context.deployed.evaluation.conditions.get(name).cloned());
        joined([format!("**{name}**: a condition"), titled("Value", values)])
    }

    /// An output with its value.
    pub(super) fn output(&self, name: &str) -> String {
        let stack = self.view.template().map(|template| &template.stack);
        let Some(output) = stack.and_then(|stack| stack.outputs.get(name)) else {
            return String::new();
        };
        let description = output.description.as_ref().and_then(Expr::as_text).unwrap_or_default();
        let is_computed = output.value.as_ref().is_some_and(|value| !value.is_data());
        let values = self.each_line(|context| {
            let output = context.deployed.evaluation.outputs.as_ref()?.get(name)?;
            match output.enabled {
                heat_engine::eval::Value::Bool(false) => {
                    Some("nothing: its condition is false".to_owned())
                }
                _ => is_computed.then(|| shown(&output.value)),
            }
        });
        joined([format!("**{name}**: an output"), description.to_owned(), titled("Value", values)])
    }

    /// A resource: its type, and whether it is created.
    pub(super) fn resource(&self, name: &str) -> String {
        let Some(definition) = self.places.resource(name) else { return String::new() };
        let kind = self.places.type_of(definition).unwrap_or_default();
        let stack = self.view.template().map(|template| &template.stack);
        let resource = stack.and_then(|stack| stack.resources.get(name));
        let description = resource.and_then(|it| it.description.as_ref()).and_then(Expr::as_text);
        let created = match resource.and_then(|it| it.condition.as_ref()) {
            None => String::new(),
            Some(_) => self.each_line(|context| {
                let evaluation = &context.deployed.evaluation;
                let is_disabled = evaluation.disabled_resources.iter().any(|it| it == name);
                let is_known = evaluation.resources.is_some();
                is_known.then(|| {
                    if is_disabled { "no: its condition is false" } else { "yes" }.to_owned()
                })
            }),
        };
        let head = format!("**{name}**: {kind}");
        let head =
            joined([head, description.unwrap_or_default().to_owned(), titled("Created", created)]);
        joined([head, self.resource_type(kind)])
    }

    /// An attribute of the resource whose name is at a node.
    pub(super) fn attribute(&self, owner: NodeId, name: &str) -> String {
        let definition =
            self.places.document.str(owner).and_then(|owner| self.places.resource(owner));
        match definition.and_then(|definition| self.places.implementation(definition)) {
            Some(Implementation::Type(kind, _)) => {
                let described = TypeDescription::new(kind, self.snapshot.project().facts());
                let attributes = described.map(|it| it.attributes).unwrap_or_default();
                let attribute = attributes.iter().find(|it| it.name == name);
                attribute.map(|it| attribute_markdown(kind, it)).unwrap_or_default()
            }
            Some(Implementation::Template(view)) => {
                let stack = view.template().map(|template| &template.stack);
                let output = stack.and_then(|stack| stack.outputs.get(name));
                let description =
                    output.and_then(|it| it.description.as_ref()).and_then(Expr::as_text);
                let text =
                    |_| format!("**{name}**: an output of `{}`", self.shown_path(&view.path));
                joined([
                    output.map(text).unwrap_or_default(),
                    description.unwrap_or_default().to_owned(),
                ])
            }
            None => String::new(),
        }
    }

    /// A template that implements a type.
    pub(super) fn template(&self, name: &str, view: &FileView) -> String {
        let Some(template) = view.template() else { return String::new() };
        let stack = &template.stack;
        let list = |names: Vec<String>| names.join(", ");
        let parameters = stack.parameters.iter().map(|(name, parameter)| match parameter.default {
            Some(_) => code(name),
            None => format!("{} (required)", code(name)),
        });
        let (parameters, outputs): (Vec<String>, Vec<String>) =
            (parameters.collect(), stack.outputs.keys().map(|name| code(name)).collect());
        let line = |title: &str, names: Vec<String>| match names.is_empty() {
            true => String::new(),
            false => format!("{title}: {}", list(names)),
        };
        let description = stack.description.as_ref().and_then(Expr::as_text).unwrap_or_default();
        joined([
            format!("**{name}**: the template `{}`", self.shown_path(&view.path)),
            description.to_owned(),
            line("Parameters", parameters),
            line("Outputs", outputs),
        ])
    }

    /// A parameter of the templates that are deployed with this environment.
    pub(super) fn deployed_parameter(&self, name: &str) -> String {
        let mut found: BTreeMap<String, String> = BTreeMap::new();
        for root in self.snapshot.roots_with(&self.view.path) {
            let view = self.snapshot.view(&root);
            let stack =
                view.as_ref().and_then(|view| view.template()).map(|template| &template.stack);
            if let Some(declaration) = stack.and_then(|stack| stack.parameters.get(name)) {
                found.insert(self.shown_path(&root), self.declaration(name, declaration.clone()));
            }
        }
        let texts = found.into_iter().take(MAX_SHOWN);
        joined(texts.map(|(path, text)| format!("{text}\n\nIn `{path}`")))
    }
}
