//! The content of the files of a project: templates, environments, command lines, and what environments give to templates.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use heat_template::schema::Schema;
use lossless_yaml::Limits;
use source_diagnostics::SourceId;
use source_files::{FileSource, may_be_environment, normal};

use super::commands::{DeployCommand, commands_of};
use super::file_facts::{EnvironmentFacts, FileFacts, TemplateFacts, facts_of, visit_texts};
use super::playbooks::tasks_of;

/// The most bytes of a file that is searched for command lines.
const MAX_SEARCHED: usize = 1 << 20;

/// A project, as far as it says what is deployed.
pub(crate) struct Project<'s> {
    schema: &'s Schema,
    pub(crate) templates: BTreeMap<PathBuf, TemplateFacts>,
    pub(crate) environments: BTreeMap<PathBuf, EnvironmentFacts>,
    pub(crate) commands: Vec<DeployCommand>,
    /// The files that may be templates or environments, and cannot be read.
    pub(crate) unreadable: Vec<PathBuf>,
}

impl<'s> Project<'s> {
    /// Reads the files of a project. What is no text is left out.
    pub(crate) fn read(files: &dyn FileSource, paths: &[PathBuf], schema: &'s Schema) -> Self {
        let mut project = Project {
            schema,
            templates: BTreeMap::new(),
            environments: BTreeMap::new(),
            commands: Vec::new(),
            unreadable: Vec::new(),
        };
        let mut sorted: Vec<PathBuf> = paths.iter().map(|path| normal(path)).collect();
        sorted.sort();
        sorted.dedup();
        for path in sorted {
            match files.read(&path).map(String::from_utf8) {
                Ok(Ok(text)) => project.add(path, text),
                Err(_) | Ok(Err(_)) if may_be_environment(&path) => project.unreadable.push(path),
                Err(_) | Ok(Err(_)) => {}
            }
        }
        project
    }

    fn add(&mut self, path: PathBuf, text: String) {
        let is_document = may_be_environment(&path);
        // An environment has sections, a playbook tasks, a CI file commands.
        let has_commands = text.len() <= MAX_SEARCHED && text.contains("stack");
        if is_document
            && (has_commands || text.contains("heat_template_version") || has_section(&text))
        {
            match lossless_yaml::read(SourceId(0), text.as_str().into(), &Limits::default()) {
                Ok(document) => {
                    match facts_of(&path, &document) {
                        Some(FileFacts::Template(facts)) => {
                            self.templates.insert(path, facts);
                            return;
                        }
                        Some(FileFacts::Environment(facts)) => {
                            self.environments.insert(path, facts);
                            return;
                        }
                        None => {}
                    }
                    if has_commands {
                        self.commands.extend(tasks_of(&path, &document));
                        visit_texts(&document, &mut |line, text| {
                            let found = commands_of(&path, text).into_iter();
                            // The first line of a block is below its header.
                            self.commands.extend(
                                found.map(|it| DeployCommand { line: line + it.line - 1, ..it }),
                            );
                        });
                    }
                    return;
                }
                Err(_) => {
                    // Jinja is no YAML, and Heat's files of it are rendered first.
                    if text.contains("heat_template_version") && !text.contains("{%") {
                        self.unreadable.push(path.clone());
                    }
                    if !has_commands {
                        return;
                    }
                }
            }
        }
        if has_commands {
            self.commands.extend(commands_of(&path, &text));
        }
    }

    /// The templates that others name, each with those that do, and those that an environment maps a type to.
    pub(crate) fn nested(&self) -> BTreeMap<&Path, BTreeSet<&Path>> {
        let mut nested: BTreeMap<&Path, BTreeSet<&Path>> = BTreeMap::new();
        for (path, facts) in &self.templates {
            for file in &facts.files {
                if let Some((file, _)) =
                    self.templates.get_key_value(file).filter(|(it, _)| *it != path)
                {
                    nested.entry(file).or_default().insert(path);
                }
            }
        }
        for (path, facts) in &self.environments {
            for target in facts.registry.values() {
                let file = normal(&path.parent().unwrap_or(Path::new("")).join(target));
                if let Some((file, _)) = self.templates.get_key_value(&file) {
                    nested.entry(file).or_default().insert(path);
                }
            }
        }
        nested
    }

    /// The types that a template and the templates that it nests use, and Heat does not have. Environments say which templates nest
    /// further ones.
    pub(crate) fn own_types(&self, root: &Path, environments: &[&Path]) -> BTreeSet<&str> {
        let (mut types, mut seen, mut open) =
            (BTreeSet::new(), BTreeSet::new(), vec![root.to_owned()]);
        while let Some(path) = open.pop() {
            let Some(facts) = self.templates.get(&path) else { continue };
            if !seen.insert(path.clone()) {
                continue;
            }
            open.extend(facts.files.iter().cloned());
            for kind in facts.types.iter().map(String::as_str) {
                for environment in environments {
                    let target = self.environments.get(*environment).and_then(|it| it.target(kind));
                    let folder = environment.parent().unwrap_or(Path::new(""));
                    open.extend(target.map(|target| normal(&folder.join(target))));
                }
                if self.schema.type_info(kind).is_none() {
                    types.insert(kind);
                }
            }
        }
        types
    }

    /// Whether the environment gives nothing that the template does not declare.
    pub(crate) fn is_declared(&self, template: &Path, environment: &Path) -> bool {
        let (Some(template), Some(environment)) =
            (self.templates.get(template), self.environments.get(environment))
        else {
            return false;
        };
        environment.parameters.iter().all(|name| template.parameters.contains_key(name))
    }

    /// Whether the environment gives every value that the template needs.
    pub(crate) fn is_complete(&self, template: &Path, environment: &Path) -> bool {
        self.not_supplied(template, &[environment]).is_empty()
    }

    /// The parameters of a template that need a value, which none of the environments gives.
    pub(crate) fn not_supplied(&self, template: &Path, environments: &[&Path]) -> Vec<String> {
        let facts = self.templates.get(template).into_iter().flat_map(|it| &it.parameters);
        let required = facts.filter(|(_, is_required)| **is_required).map(|(name, _)| name);
        let environments = || environments.iter().filter_map(|it| self.environments.get(*it));
        let gives = |name: &String| {
            environments().any(|it| it.parameters.contains(name) || it.defaults.contains(name))
        };
        required.filter(|name| !gives(name)).cloned().collect()
    }
}

impl EnvironmentFacts {
    /// What the environment maps a type to. Heat sorts what matches by name: the shortest name with a `*` wins, also over the whole name.
    pub(crate) fn target(&self, kind: &str) -> Option<&str> {
        let starting = |length: &usize| self.registry.get(&format!("{}*", kind.get(..*length)?));
        let pattern = self.pattern_lengths.iter().find_map(starting);
        pattern.or_else(|| self.registry.get(kind)).map(String::as_str)
    }
}

fn has_section(text: &str) -> bool {
    ["parameters", "parameter_defaults", "resource_registry"].iter().any(|name| text.contains(name))
}
