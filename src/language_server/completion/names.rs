//! Names of what a template declares.

use std::collections::BTreeSet;
use std::path::PathBuf;

use gen_lsp_types::CompletionItemKind;
use heat_engine::eval::HeatGroup;
use heat_template::dialect::{Dialect, KeyTable};
use heat_template::ir::Stack;
use lossless_yaml::NodeId;

use super::item::{Candidate, Content, Insert, Rank, escaped};
use super::request::CompletionRequest;
use super::types::parameters;
use crate::language_server::place::{Definition, Implementation, Name, attribute_markdown};
use crate::resource_types::{StatusIn, TypeDescription};

impl CompletionRequest<'_> {
    /// The names of a kind.
    pub(super) fn names(&self, name: Name) -> Vec<Candidate> {
        match name {
            Name::Parameter => self.parameters(true),
            Name::DeclaredParameter if self.is_environment() => self.parameter_names(),
            Name::DeclaredParameter => self.parameters(false),
            Name::Resource | Name::AttributeOwner => self.resources(),
            Name::ResourceOrParameter => {
                let mut found = self.resources();
                found.extend(self.parameters(true));
                found
            }
            Name::Attribute(owner) => self.attributes(owner),
            Name::Condition => self.section_names("conditions", CompletionItemKind::Event),
            Name::Mapping => self.section_names("mappings", CompletionItemKind::Constant),
        }
    }

    /// The resource whose attribute is meant, with a place for the attribute.
    pub(super) fn attribute_calls(&self) -> Vec<Candidate> {
        let call = |resource: Candidate| {
            let text = format!("[{}, ${{1:attribute}}]", escaped(&resource.label));
            Candidate { insert: Insert::FlowSnippet(text), ..resource }
        };
        self.resources().into_iter().map(call).collect()
    }

    fn parameters(&self, with_pseudo: bool) -> Vec<Candidate> {
        let document = self.document();
        let type_key = self.places.dialect.key_name("type");
        let section = self.places.section("parameters");
        let entries = section.map(|section| document.entries(section)).unwrap_or_default();
        let declared = entries.iter().filter_map(|entry| {
            let kind = document.get(entry.value, type_key).and_then(|it| document.str(it));
            let name = document.str(entry.key)?;
            Some(
                Candidate::text(name, CompletionItemKind::Variable)
                    .detail(kind.unwrap_or_default()),
            )
        });
        let pseudo = self.places.dialect.pseudo_parameters().iter().filter(|_| with_pseudo);
        let pseudo = pseudo.map(|name| {
            Candidate::text(*name, CompletionItemKind::Constant)
                .detail("of Heat")
                .rank(Rank::Function)
        });
        declared.chain(pseudo).collect()
    }

    fn resources(&self) -> Vec<Candidate> {
        let document = self.document();
        let section = self.places.section("resources");
        let entries = section.map(|section| document.entries(section)).unwrap_or_default();
        // A resource cannot refer to itself.
        let own = self.text.cursor.keys().get(1).copied();
        let is_other = |name: &str| {
            Some(name) != own
                || self.text.cursor.keys().first()
                    != Some(&self.places.dialect.key_name("resources"))
        };
        let candidates = entries.iter().filter_map(|entry| {
            let name = document.str(entry.key).filter(|name| is_other(name))?;
            let definition = Definition { node: entry.value, is_resource: true };
            let kind = self.places.type_of(definition).unwrap_or_default();
            Some(Candidate::text(name, CompletionItemKind::Module).detail(kind))
        });
        candidates.collect()
    }

    fn section_names(&self, hot_name: &'static str, kind: CompletionItemKind) -> Vec<Candidate> {
        let keys = self.places.dialect.keys(KeyTable::Template);
        let name =
            keys.iter().find(|key| key.hot_name == hot_name).map_or(hot_name, |key| key.name);
        let document = self.document();
        let section = document.root().and_then(|root| document.get(root, name));
        let entries = section.map(|section| document.entries(section)).unwrap_or_default();
        entries
            .iter()
            .filter_map(|it| document.str(it.key))
            .map(|it| Candidate::text(it, kind))
            .collect()
    }

    /// The attributes of the resource whose name is at a node.
    fn attributes(&self, owner: NodeId) -> Vec<Candidate> {
        let definition = self.document().str(owner).and_then(|name| self.places.resource(name));
        let Some(definition) = definition else { return vec![] };
        match self.places.implementation(definition) {
            Some(Implementation::Type(kind, _)) => {
                let facts = self.snapshot.project().facts();
                let described = TypeDescription::new(kind, facts);
                let attributes = described.map(|it| it.attributes).unwrap_or_default();
                let usable = attributes.iter().filter(|it| it.status.status != StatusIn::Absent);
                let own = usable.map(|attribute| {
                    Candidate::text(&attribute.name, CompletionItemKind::Field)
                        .detail(attribute.value_type.unwrap_or_default())
                        .documentation(attribute_markdown(kind, attribute))
                        .old(attribute.status.status != StatusIn::Supported)
                });
                let of_members = match HeatGroup::of(kind) {
                    Some(HeatGroup::ResourceGroup) => self.attribute_path(owner),
                    Some(_) | None => vec![],
                };
                let configured = self.config_outputs(definition);
                own.chain(of_members).chain(configured).collect()
            }
            Some(Implementation::Template(view)) => {
                view.template().map(|template| outputs(&template.stack)).unwrap_or_default()
            }
            None => vec![],
        }
    }

    /// The outputs of the configuration that a deployment of software applies: they are attributes of the deployment.
    fn config_outputs(&self, deployment: Definition) -> Vec<Candidate> {
        let document = self.document();
        let of_config = || {
            let config = document.get(self.places.part_of(deployment, "properties")?, "config")?;
            let name = document.str(document.get(config, "get_resource")?)?;
            let properties = self.places.part_of(self.places.resource(name)?, "properties")?;
            document.get(properties, "outputs")
        };
        let outputs = of_config().map(|outputs| document.items(outputs)).unwrap_or_default();
        let names =
            outputs.iter().filter_map(|output| document.str(document.get(*output, "name")?));
        let candidate = |name| {
            Candidate::text(name, CompletionItemKind::Field).detail("output of the configuration")
        };
        names.map(candidate).collect()
    }

    /// The target of a group's attribute: the attributes of its members.
    pub(super) fn attribute_path(&self, owner: NodeId) -> Vec<Candidate> {
        let definition = self.document().str(owner).and_then(|name| self.places.resource(name));
        let Some(definition) = definition else { return vec![] };
        let document = self.document();
        let properties = self.places.part_of(definition, "properties");
        let member = properties.and_then(|properties| {
            ["resource_def", "resource"].into_iter().find_map(|key| document.get(properties, key))
        });
        let Some(node) = member else { return vec![] };
        match self.places.implementation(Definition { node, is_resource: false }) {
            Some(Implementation::Type(_, info)) => {
                let names = info.attributes.keys();
                names.map(|name| Candidate::text(*name, CompletionItemKind::Field)).collect()
            }
            Some(Implementation::Template(view)) => {
                view.template().map(|template| outputs(&template.stack)).unwrap_or_default()
            }
            None => vec![],
        }
    }

    fn is_environment(&self) -> bool {
        self.document().root().is_some_and(|root| {
            heat_template::hot::VERSION_KEYS
                .iter()
                .all(|key| self.document().get(root, key).is_none())
        })
    }

    /// The templates that are deployed with this environment, and those that they nest.
    fn deployed(&self) -> BTreeSet<PathBuf> {
        let nesting = &self.snapshot.nesting;
        let roots = nesting.deployed_with(&self.view.path);
        let nests =
            |path: &&PathBuf| self.snapshot.roots_of(path).iter().any(|root| roots.contains(root));
        let nested: BTreeSet<PathBuf> = nesting.templates().filter(nests).cloned().collect();
        nested.into_iter().chain(roots.iter().cloned()).collect()
    }

    /// Calls a function with every template that is deployed with this environment.
    pub(super) fn with_deployed(&self, mut visit: impl FnMut(&Stack, Dialect)) {
        for path in self.deployed() {
            if let Some(view) = self.snapshot.view(&path)
                && let Some(template) = view.template()
            {
                visit(&template.stack, Dialect::of(&template.stack.format));
            }
        }
    }

    /// The parameters that an environment can set.
    pub(super) fn deployed_parameters(&self) -> Vec<Candidate> {
        let mut found = Vec::new();
        self.with_deployed(|stack, _| found.extend(parameters(stack)));
        found
    }

    fn parameter_names(&self) -> Vec<Candidate> {
        let names = self.deployed_parameters().into_iter();
        names.map(|it| Candidate::text(it.label, CompletionItemKind::Variable)).collect()
    }

    /// The resources for which the registry can have entries of their own.
    pub(super) fn deployed_resources(&self) -> Vec<Candidate> {
        let mut found = Vec::new();
        self.with_deployed(|stack, _| {
            found.extend(stack.resources.keys().map(|name| Candidate::key(name, Content::Map)));
        });
        found
    }

    /// The types that a registry can map: those that its templates use first.
    pub(super) fn registry_types(&self) -> Vec<Candidate> {
        let mut used = BTreeSet::new();
        self.with_deployed(|stack, _| {
            let kinds = stack.resources.values().filter_map(|resource| resource.kind.as_ref());
            used.extend(kinds.map(|kind| kind.text.to_string()));
        });
        let used =
            used.into_iter().map(|name| Candidate::key(name, Content::Scalar).rank(Rank::Required));
        let names = self.snapshot.project().facts().schema.types.names();
        used.chain(names.map(|name| Candidate::key(name, Content::Scalar))).collect()
    }
}

/// The outputs of a nested template as attributes of the resource that nests it.
fn outputs(stack: &Stack) -> Vec<Candidate> {
    let candidate = |(name, output): (&String, &heat_template::ir::Output)| {
        let description =
            output.description.as_ref().and_then(|it| it.as_text()).unwrap_or_default();
        Candidate::text(name, CompletionItemKind::Field).detail("output").documentation(description)
    };
    stack.outputs.iter().map(candidate).collect()
}
