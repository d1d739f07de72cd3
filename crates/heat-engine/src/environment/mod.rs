//! The environment of a deployment: files, parameters and the resource registry, merged as Heat
//! merges them, each value with its span and the values that it overrode.
//!
//! See `docs/ARCHITECTURE.md`.

mod access;
mod arguments;
pub mod capabilities;
mod collect;
mod declarations;
mod denied_files;
mod fnmatch;
mod given_values;
mod location;
mod merge;
mod raw_address;
mod read;
pub mod registry;
mod secret_parameters;
pub mod sections;
mod tree;
mod url;

use std::collections::HashSet;
use std::sync::Arc;

use heat_template::dialect::{LoweredTemplate, lower};
use heat_template::ir::Stack;
use heat_template::schema::Schema;
use lossless_yaml::{Document, Limits};
use source_diagnostics::{Consequence, Diagnostic, SourceId, SourceMap, Span, Suggestions};

pub use access::{FileAccess, files_map};
pub use arguments::{
    ARGUMENT_SOURCE_NAME, ArgumentError, ConfiguredParameter, ConfiguredParameters, parameter_names,
};
pub use capabilities::{Candidate, CandidateList, CandidateMismatch, Capabilities};
pub use collect::{DeploymentFile, DeploymentFiles, FileContent, file_references};
use declarations::DeclarationInputs;
pub use declarations::{DeclaredType, ParameterDeclarations, ParameterTypes};
pub use denied_files::DeniedFiles;
pub use fnmatch::fnmatch;
pub use location::{BaseFolder, Location, is_relative_reference, normal};
pub use merge::MergeSide;
pub use read::{EnvironmentFile, WrittenValue, read_environment};
pub use registry::Registry;
pub use secret_parameters::SecretParameters;
pub use tree::{
    EarlierOutcome, EarlierValue, EnvironmentMap, EnvironmentNode, EnvironmentValue, as_json,
};

/// The user's input besides the template.
#[derive(Clone, Debug)]
pub struct EnvironmentInputs {
    /// The release of Heat that the deployment is for.
    pub schema: &'static Schema,
    /// The environment files (`-e`), in order.
    pub environments: Vec<Location>,
    /// The arguments of `-P`.
    pub parameters: Vec<String>,
    /// Parameters of a configuration, which arguments override.
    pub configured: Option<Arc<ConfiguredParameters>>,
    /// The arguments of `--parameter-file`.
    pub parameter_files: Vec<String>,
    /// The side that merges the environments.
    pub merge: MergeSide,
    /// The names of parameters whose values are only known where the stack is created.
    pub given: Vec<String>,
    /// Who says that a deployment has no other inputs.
    pub scope: InputScope,
    /// The location and the text of a template that cannot be parsed.
    pub broken_template: Option<(Location, SourceId)>,
}

/// Who says that a deployment has no other inputs than those that are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputScope {
    /// The user: there are no others, even if there are none.
    Closed,
    /// Who names environments names all of them; without one, there may be some.
    #[default]
    Named,
    /// Nobody: a repository implies these.
    Implied,
}

impl EnvironmentInputs {
    /// No input, for a release of Heat.
    pub fn new(schema: &'static Schema) -> Self {
        EnvironmentInputs {
            schema,
            environments: Vec::new(),
            parameters: Vec::new(),
            configured: None,
            parameter_files: Vec::new(),
            given: Vec::new(),
            scope: InputScope::default(),
            merge: MergeSide::default(),
            broken_template: None,
        }
    }
}

/// The template of a deployment.
#[derive(Clone, Copy, Debug)]
pub struct RootTemplate<'d> {
    /// The location of the template.
    pub location: &'d Location,
    /// The content of the template.
    pub document: &'d Document,
}

/// The merged environment, and the files that were read for it.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The environment files before the merge, in order; the lists of candidates are replaced by the selected ones.
    pub named: Vec<EnvironmentFile>,
    /// The source of [`EnvironmentInputs::configured`], if there is any.
    pub configuration: Option<SourceId>,
    /// Every section after the merge.
    pub sections: EnvironmentMap,
    /// The merged resource registry.
    pub registry: Registry,
    /// The lists of candidates in the registry, with the selection.
    pub candidate_lists: Vec<CandidateList>,
    /// The files that templates and environments refer to.
    pub files: DeploymentFiles,
    /// The parameter declarations of all templates.
    pub declarations: ParameterDeclarations,
    /// All findings. If one is an error, Heat refuses the environment.
    pub findings: Vec<Diagnostic>,
    /// True if every file that the user named could be read.
    pub complete: bool,
    /// The names of parameters that get a value where the stack is created, which is unknown here.
    pub given: Vec<String>,
    /// Whether somebody named the environments of the deployment, so that there are no others.
    pub is_whole: bool,
    /// Every value in the texts of the environments, even without effect.
    pub written_values: Vec<WrittenValue>,
}

impl Environment {
    /// Reads and merges everything. A file that cannot be read is skipped, with a finding.
    pub fn load(
        request: &EnvironmentInputs,
        root: Option<RootTemplate<'_>>,
        access: &mut FileAccess<'_>,
        limits: &Limits,
        sources: &mut SourceMap,
    ) -> Result<Self, ArgumentError> {
        let mut findings = Vec::new();
        let mut parameters = arguments::parameters(&request.parameters, sources)?;
        let configuration = request.configured.as_ref();
        let configuration =
            configuration.map(|it| arguments::add_configured(it, sources, &mut parameters));
        let locations = &request.environments;
        let template = root.map(|root| root.location);
        let broken = request.broken_template.as_ref();
        if let Some(template) = template.or(broken.map(|(location, _)| location)) {
            access.allow_template(template);
        }
        for named in locations {
            access.allow_environment(named);
        }
        arguments::parameter_files(
            &request.parameter_files,
            template,
            access,
            sources,
            &mut parameters,
            &mut findings,
        )?;
        let mut complete = findings.is_empty();
        let mut written = Vec::new();
        let mut encrypts_unread = false;
        let mut unread: Vec<(&Location, String)> = Vec::new();
        let mut read: Vec<EnvironmentFile> = Vec::new();
        for location in locations {
            let source = sources.next_id();
            match read_environment(location, access, limits, sources, &mut written, &mut findings) {
                Some(file) => read.push(file),
                // A file that does not exist has no text.
                None if sources.next_id() == source => {}
                None => {
                    let text = sources.text(source).to_owned();
                    encrypts_unread |= text.contains(sections::ENCRYPTED);
                    unread.push((location, text));
                }
            }
        }
        complete &= read.len() == locations.len();
        let mut collector = collect::FileCollector::new(access, limits, sources);
        if let Some(root) = root {
            collector.template(root.location, root.document);
        }
        let broken: Option<(SourceId, String)> = broken.map(|(location, source)| {
            let text = collector.sources.text(*source).to_owned();
            collector.broken_template(location, &text);
            (*source, text)
        });
        for (location, text) in &unread {
            collector.broken_template(location, text);
        }
        let choices = candidates(request.merge, &mut read, &mut collector);
        for file in &read {
            if let Some(registry) =
                file.sections.get(sections::REGISTRY).and_then(EnvironmentNode::as_map)
            {
                collector.registry(registry);
            }
        }
        collector.read_unsent();
        let files = collector.files;
        findings.extend(collector.findings);
        findings.extend(files.outside().finding(access.files()));
        let document = root.map(|root| root.document);
        let declarations = DeclarationInputs {
            files: &files,
            root: document,
            broken: broken.as_ref().map(|(source, text)| (*source, text.as_str())),
            named: &read,
            unread: unread.iter().map(|(_, text)| text.as_str()).collect(),
        };
        let declarations = declarations.read(encrypts_unread, &mut findings);
        let sections = merged(request.merge, &read, parameters, &declarations, &mut findings);
        let empty = EnvironmentMap::new();
        let registry =
            sections.get(sections::REGISTRY).and_then(EnvironmentNode::as_map).unwrap_or(&empty);
        let (registry, refused) = Registry::load(request.schema, registry);
        findings.extend(refused);
        findings.extend(wrong_shapes(&sections));
        let is_whole = match request.scope {
            InputScope::Closed => true,
            InputScope::Named => !read.is_empty(),
            InputScope::Implied => false,
        };
        if is_whole {
            let decided = |it: Diagnostic| match it.consequence() {
                Consequence::Incomplete => it.with_consequence(Consequence::Undecided),
                _ => it,
            };
            findings = findings.into_iter().map(decided).collect();
        }
        Ok(Environment {
            given: request.given.clone(),
            is_whole,
            named: read,
            configuration,
            sections,
            registry,
            candidate_lists: choices,
            files,
            declarations,
            findings,
            complete,
            written_values: written,
        })
    }

    /// The values of the section `parameters`, in order.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &EnvironmentNode)> {
        self.pairs(sections::PARAMETERS)
    }

    /// The values of `parameter_defaults`, which apply to every template of the deployment.
    pub fn parameter_defaults(&self) -> impl Iterator<Item = (&str, &EnvironmentNode)> {
        self.pairs(sections::DEFAULTS)
    }

    /// The capabilities that candidates of the registry must have.
    pub fn requires(&self) -> impl Iterator<Item = (&str, &EnvironmentNode)> {
        self.pairs(sections::REQUIRES)
    }

    fn pairs(&self, section: &str) -> impl Iterator<Item = (&str, &EnvironmentNode)> {
        let map = self.sections.get(section).and_then(EnvironmentNode::as_map);
        map.into_iter().flatten().map(|(name, node)| (name.as_str(), node))
    }

    /// The parameters whose values reports must not show.
    pub fn secrecy(&self) -> &SecretParameters {
        &self.declarations.secrecy
    }

    /// Shares the same with the environment of the other side of a comparison.
    pub fn share_secrecy_with(&mut self, other: &mut Environment) {
        let (own, other) = (&mut self.declarations, &mut other.declarations);
        // What a template of one side passes on may be hidden by the other side.
        for _ in 0..2 {
            own.secrecy.share_with(&mut other.secrecy);
            own.pass_on();
            other.pass_on();
        }
        own.secrecy.share_with(&mut other.secrecy);
    }

    /// Lowers a template of the deployment and hides the parameters that are to be encrypted.
    pub fn lower(&self, document: &Document) -> Result<LoweredTemplate, Box<Diagnostic>> {
        let mut lowered = lower(document)?;
        self.declarations.hide(&mut lowered.stack);
        Ok(lowered)
    }

    /// The parameters that have a value or a default here and are hidden, and those that are to be encrypted.
    pub fn hidden_names(&self) -> impl Iterator<Item = &str> {
        let given = self.parameters().chain(self.parameter_defaults()).map(|(name, _)| name);
        let hidden = given.filter(|name| self.secrecy().is_hidden(name));
        hidden.chain(self.secrecy().encrypted().iter().map(String::as_str))
    }

    /// The spans of all secret values, including overridden ones.
    pub fn secrets(&self) -> Vec<Span> {
        let is_secret = |name: &str| self.secrecy().is_secret(name);
        let values = self.parameters().chain(self.parameter_defaults());
        let secret = values.filter(|(name, _)| is_secret(name));
        let mut spans: Vec<Span> = secret.flat_map(|(_, node)| places(node)).collect();
        let written =
            self.written_values.iter().filter(|it| it.name.as_deref().is_none_or(is_secret));
        spans.extend(written.map(|it| it.span));
        spans.extend(self.declarations.secrets());
        spans.sort();
        spans.dedup();
        spans
    }

    /// The findings about values for parameters that the template does not declare.
    pub fn unknown_parameters(&self) -> Vec<Diagnostic> {
        let Some(declared) = self.declarations.of_root() else { return Vec::new() };
        let names: HashSet<&str> = declared.iter().map(String::as_str).collect();
        let mut suggestions = Suggestions::new(declared.iter().map(String::as_str));
        let unknown = self.parameters().filter(|(name, _)| !names.contains(name));
        let finding = |(name, node): (&str, &EnvironmentNode)| {
            let of_heat = format!("The Parameter ({name}) was not defined in template.");
            let message = format!("the template has no parameter `{name}`");
            let finding = Diagnostic::new(crate::codes::UNKNOWN_PARAMETER, message).at(node.key);
            let finding = Diagnostic { heat_message: Some(of_heat.into()), ..finding };
            suggestions.suggest(finding, name)
        };
        let mut found: Vec<Diagnostic> = unknown.map(finding).collect();
        found.extend(suggestions.limit_finding());
        found
    }
}

/// Parameters that the templates in a template hide in it, for commands without an environment.
#[derive(Clone, Debug, Default)]
pub struct HiddenByNested {
    declarations: ParameterDeclarations,
    /// The spans of secret values, in all of the templates.
    pub spans: Vec<Span>,
}

impl HiddenByNested {
    /// Reads the nested templates, and adds them to the sources, which have the text of the template itself: its document,
    /// or the source of a text that cannot be parsed.
    pub fn read(
        schema: &'static Schema,
        files: &dyn source_files::FileSource,
        path: &std::path::Path,
        template: Result<&Document, SourceId>,
        limits: &Limits,
        sources: &mut SourceMap,
    ) -> Self {
        let nests = match template {
            Ok(document) => {
                collect::template_names(document).next().is_some()
                    || !file_references(document).is_empty()
                    || document.text().contains(given_values::REMOTE_STACK)
            }
            Err(source) => {
                let text = sources.text(source);
                registry::TEMPLATE_SUFFIXES.iter().any(|suffix| text.contains(suffix))
            }
        };
        if !nests {
            return HiddenByNested::default();
        }
        let location = Location::from_argument(path, files);
        let root = template.ok().map(|document| RootTemplate { location: &location, document });
        let broken_template = template.err().map(|source| (location.clone(), source));
        let inputs = EnvironmentInputs { broken_template, ..EnvironmentInputs::new(schema) };
        let loaded = Environment::load(&inputs, root, &mut FileAccess::new(files), limits, sources);
        loaded.map_or_else(
            |_| HiddenByNested::default(),
            |environment| HiddenByNested {
                spans: environment.secrets(),
                declarations: environment.declarations,
            },
        )
    }

    /// Reads the templates that a text nests, which has an id in other sources. The spans are those in the text.
    pub fn of_text(
        schema: &'static Schema,
        files: &dyn source_files::FileSource,
        path: &std::path::Path,
        (id, text): (SourceId, &Arc<str>),
        limits: &Limits,
    ) -> Self {
        let mut sources = SourceMap::default();
        let source = sources.add(path.display().to_string(), Arc::clone(text));
        let document = lossless_yaml::read(source, Arc::clone(text), limits);
        let template = document.as_ref().map_err(|_| source);
        let mut hidden = Self::read(schema, files, path, template, limits, &mut sources);
        for spans in [&mut hidden.spans, &mut hidden.declarations.inline] {
            spans.retain(|span| span.source == source);
            spans.iter_mut().for_each(|span| span.source = id);
        }
        hidden
    }

    /// Marks what is secret in the template.
    pub fn hide(&self, stack: &mut Stack) {
        self.declarations.hide(stack);
    }
}

/// The spans of a value, of its parts and of the values that it overrode.
fn places(node: &EnvironmentNode) -> Vec<Span> {
    let mut places: Vec<Span> = node.places().collect();
    match &node.value {
        EnvironmentValue::List(items) => places.extend(items.iter().flat_map(self::places)),
        EnvironmentValue::Map(map) => places.extend(map.values().flat_map(self::places)),
        _ => {}
    }
    places
}

/// Replaces the lists of candidates with the selected ones.
fn candidates(
    merge: MergeSide,
    files: &mut [EnvironmentFile],
    collector: &mut collect::FileCollector<'_, '_>,
) -> Vec<CandidateList> {
    let registry = |file: &EnvironmentFile| -> bool {
        let registry = file.sections.get(sections::REGISTRY).and_then(EnvironmentNode::as_map);
        registry.is_some_and(capabilities::has_candidates)
    };
    if !files.iter().any(registry) {
        return Vec::new();
    }
    // Which lists have an effect and which capabilities are required depends on the merge, and the merge of
    // parameters depends on the selected templates. So the merge is done twice, and reported once.
    let types = ParameterDeclarations::default();
    let sections = merged(merge, files, EnvironmentMap::new(), &types, &mut Vec::new());
    let choices = capabilities::choose_candidates(&sections, collector);
    for file in files {
        if let Some(EnvironmentNode { value: EnvironmentValue::Map(registry), .. }) =
            file.sections.get_mut(sections::REGISTRY)
        {
            capabilities::replace(registry, &choices);
        }
    }
    choices
}

/// The sections after the merge.
fn merged(
    merge: MergeSide,
    files: &[EnvironmentFile],
    parameters: EnvironmentMap,
    types: &ParameterDeclarations,
    findings: &mut Vec<Diagnostic>,
) -> EnvironmentMap {
    match merge {
        MergeSide::Client => merge::merge_on_client(files, parameters, findings),
        MergeSide::Server => {
            let before = findings.len();
            let sections = merge::merge_on_server(files, parameters, types, findings);
            // Current clients merge, too, and discard the result; but the merge may fail.
            if !findings[before..].iter().any(Diagnostic::is_error) {
                merge::deep_update(files, findings);
            }
            sections
        }
    }
}

/// Findings about merged sections of the wrong type.
fn wrong_shapes(all: &EnvironmentMap) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let mut wrong = |node: &EnvironmentNode, message: String| {
        findings
            .push(Diagnostic::new(crate::codes::ENVIRONMENT_SECTION_SHAPE, message).at(node.span));
    };
    for name in [sections::DEFAULTS, sections::REQUIRES] {
        if let Some(node) = all.get(name)
            && node.as_map().is_none()
            && node.is_truthy()
        {
            wrong(node, format!("`{name}` must be a map, but this is {}", node.kind()));
        }
    }
    let Some(sinks) = all.get(sections::SINKS) else { return findings };
    match &sinks.value {
        EnvironmentValue::List(items) => {
            for sink in items {
                if let Some(message) = wrong_sink(sink) {
                    wrong(sink, message);
                }
            }
        }
        EnvironmentValue::Map(map) if map.is_empty() => {}
        EnvironmentValue::Text(text) if text.is_empty() => {}
        _ => wrong(sinks, format!("`event_sinks` must be a list, but this is {}", sinks.kind())),
    }
    findings
}

/// Why Heat refuses a value as an event sink; `None` if it is valid.
fn wrong_sink(sink: &EnvironmentNode) -> Option<String> {
    let Some(map) = sink.as_map() else {
        return Some(format!("an event sink must be a map, but this is {}", sink.kind()));
    };
    match map.get("type").map(|kind| &kind.value) {
        None => return Some("an event sink needs a `type`".to_owned()),
        Some(EnvironmentValue::Text(kind)) if kind == "zaqar-queue" => {}
        Some(_) => return Some("the only type of event sinks in Heat is `zaqar-queue`".to_owned()),
    }
    if !map.contains_key("target") {
        return Some("an event sink of type `zaqar-queue` needs a `target`".to_owned());
    }
    let unknown = map.keys().find(|key| !matches!(key.as_str(), "type" | "target" | "ttl"))?;
    Some(format!("an event sink of type `zaqar-queue` has no key `{unknown}`"))
}
