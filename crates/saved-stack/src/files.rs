//! A saved stack in the place of a template, an environment and the files that they include.

use std::path::{Path, PathBuf};

use super::content::{Content, ContentKind};
use super::{CloudLists, SavedStack, WITHHELD, resources, text};
use lossless_yaml::{Limits, NodeId, NodeKind, decode, read};
use source_diagnostics::{Diagnostic, Severity, SourceId};
use source_files::{FileSource, MemoryFiles, PathKind, WithTexts, display_name};

/// More files than a saved stack has: a folder with more is not searched for one.
const MAX_FILES_OF_FOLDER: usize = 24;
/// The sections of an environment that hold values of parameters.
const VALUE_SECTIONS: [&str; 2] = ["parameters", "parameter_defaults"];

/// A saved stack: one exported file, or several files that the client printed.
#[derive(Clone, Debug, Default)]
pub struct SavedStackFiles {
    /// The file or folder that the user named.
    pub path: PathBuf,
    /// The template, in [`WithTexts`](source_files::WithTexts); `None` if it was not saved.
    pub template: Option<PathBuf>,
    /// The environment, in [`WithTexts`](source_files::WithTexts); `None` if it was not saved.
    pub environment: Option<PathBuf>,
    /// The URLs of included files, each with its path in [`WithTexts`](source_files::WithTexts).
    pub urls: Vec<(String, PathBuf)>,
    /// The resources; `None` if they were not saved.
    pub stack: Option<SavedStack>,
    /// The lists of the cloud's services.
    pub lists: CloudLists,
    /// The hidden parameters whose values Heat withholds: they have one, which is unknown.
    pub withheld: Vec<String>,
    /// A saved part that cannot be used.
    pub findings: Vec<Diagnostic>,
    texts: MemoryFiles,
    seen: Vec<(ContentKind, PathBuf)>,
    description: Option<StackDescription>,
}

/// The output of `openstack stack show`, apart from the values of parameters.
#[derive(Clone, Debug)]
struct StackDescription {
    path: PathBuf,
    name: Option<String>,
    status: Option<String>,
}

impl SavedStackFiles {
    /// Reads what stands in the place of a template. `None` if it is none of these: an exported stack, or a folder with the saved template of
    /// a stack and its resources.
    ///
    /// # Errors
    ///
    /// If it is a saved stack that cannot be used.
    pub fn of_side(
        path: &Path,
        files: &dyn FileSource,
        limits: &Limits,
    ) -> Result<Option<Self>, Box<Diagnostic>> {
        let mut saved = match files.kind(path) {
            Some(PathKind::Folder) => {
                let names = files.path_components(path);
                if names.len() > MAX_FILES_OF_FOLDER {
                    return Ok(None);
                }
                let paths = names.iter().map(|name| path.join(name));
                let paths: Vec<PathBuf> = paths.filter(|it| is_saved_name(it)).collect();
                // Other JSON, such as `package.json` or templates, is in many folders.
                let is_of_stack = |it: &PathBuf| {
                    let data = files.read(it).ok().filter(|bytes| is_json(bytes));
                    data.is_some_and(|bytes| Content::is_of_stack(bytes, limits))
                };
                if !paths.iter().any(is_of_stack) {
                    return Ok(None);
                }
                // Templates and other files of a folder need not be readable.
                let mut saved = SavedStackFiles { path: path.to_owned(), ..Self::default() };
                for path in &paths {
                    saved.add(path, files, limits, false)?;
                }
                saved
            }
            Some(PathKind::File) if files.read(path).is_ok_and(|bytes| is_json(&bytes)) => {
                let mut saved = SavedStackFiles { path: path.to_owned(), ..Self::default() };
                saved.add(path, files, limits, false)?;
                saved
            }
            Some(PathKind::File) | None => return Ok(None),
        };
        saved.join_description()?;
        let is_stack =
            saved.template.is_some() && (saved.stack.is_some() || saved.has(ContentKind::Stack));
        Ok(is_stack.then_some(saved))
    }

    /// Reads the files and folders of `--adopt`.
    ///
    /// # Errors
    ///
    /// If one of them contains nothing of a saved stack, or two contain the same part of it.
    pub fn of_paths(
        paths: &[PathBuf],
        files: &dyn FileSource,
        limits: &Limits,
    ) -> Result<Self, Box<Diagnostic>> {
        let path = paths.first().cloned().unwrap_or_default();
        let mut saved = SavedStackFiles { path, ..SavedStackFiles::default() };
        for path in paths {
            if files.kind(path) == Some(PathKind::Folder) {
                let names = files.path_components(path);
                let known = saved.seen.len();
                for file in names.iter().map(|name| path.join(name)).filter(|it| is_saved_name(it))
                {
                    saved.add(&file, files, limits, false)?;
                }
                if saved.seen.len() == known {
                    return Err(unusable(&display_name(path), NOT_SAVED));
                }
            } else {
                saved.add(path, files, limits, true)?;
            }
        }
        saved.join_description()?;
        Ok(saved)
    }

    /// Adds what another saved stack has and this one lacks.
    pub fn extend(&mut self, other: SavedStackFiles) {
        self.template = self.template.take().or(other.template);
        self.environment = self.environment.take().or(other.environment);
        self.urls.extend(other.urls);
        self.stack = self.stack.take().or(other.stack);
        self.description = self.description.take().or(other.description);
        self.lists.extend(other.lists);
        self.withheld.extend(other.withheld);
        self.findings.extend(other.findings);
        self.texts.extend(other.texts);
    }

    /// The name of the stack, if it was saved.
    pub fn name(&self) -> Option<&str> {
        let of_resources = self.stack.as_ref().and_then(|it| it.name.as_deref());
        of_resources.or_else(|| self.description.as_ref()?.name.as_deref())
    }

    /// Gives the resources the name and the state of the description of their stack. Nothing but an empty list is a stack without resources.
    fn join_description(&mut self) -> Result<(), Box<Diagnostic>> {
        if self.stack.is_none() && self.seen.iter().all(|(kind, _)| kind.may_repeat()) {
            let is_empty = self.has(ContentKind::Nothing);
            self.stack = is_empty.then(SavedStack::default);
        }
        let (Some(stack), Some(description)) = (&mut self.stack, &self.description) else {
            return Ok(());
        };
        match (&stack.name, &description.name) {
            (Some(one), Some(other)) if one != other => {
                let what = format!(
                    "describes the stack `{other}`, and the resources are those of `{one}`; name one stack"
                );
                return Err(unusable(&display_name(&description.path), &what));
            }
            (_, name) => stack.name = stack.name.take().or(name.clone()),
        }
        stack.status = stack.status.take().or(description.status.clone());
        Ok(())
    }

    /// The part that an update of the stack with another template keeps (`openstack stack update --existing`): the environment without the parameters
    /// that the template does not declare, and the files that do not exist elsewhere.
    #[must_use]
    pub fn for_update(
        &self,
        template: &Path,
        files: &dyn FileSource,
        limits: &Limits,
    ) -> SavedStackFiles {
        let is_gone = |url: &str| {
            url.strip_prefix("file://").is_none_or(|path| files.kind(Path::new(path)).is_none())
        };
        let mut kept = SavedStackFiles { path: self.path.clone(), ..Self::default() };
        for (url, path) in self.urls.iter().filter(|(url, _)| is_gone(url)) {
            kept.texts.insert(path, self.texts.read(path).unwrap_or_default());
            kept.urls.push((url.clone(), path.clone()));
        }
        let Some(environment) = &self.environment else { return kept };
        let text = self.texts.read(environment).unwrap_or_default();
        let declared = files.read(template).ok().and_then(|text| declared_parameters(text, limits));
        let is_gone = |name: &str| {
            declared.as_ref().is_some_and(|declared| !declared.iter().any(|it| it == name))
        };
        let text = without_parameters(text, limits, &is_gone);
        kept.withheld = self.withheld.iter().filter(|it| !is_gone(it)).cloned().collect();
        let path = self.path.join("environment of the running stack");
        kept.texts.insert(&path, text);
        kept.environment = Some(path);
        kept
    }

    /// Whether a parameter has a value in its environment, even one that Heat withholds.
    pub fn has_value(&self, name: &str, limits: &Limits) -> bool {
        let text = self.environment.as_ref().and_then(|it| self.texts.read(it).ok());
        let content = text.and_then(|text| Content::read(text, limits).ok().flatten());
        let has = |content: &Content| {
            let values = content.member("parameters");
            values.is_some_and(|values| content.document.get(values, name).is_some())
        };
        self.withheld.iter().any(|it| it == name) || content.is_some_and(|it| has(&it))
    }

    /// Leaves the values of parameters out that are given in another way: in an update, these replace the values of the running stack.
    pub fn replace_parameters(&mut self, given: &[String], limits: &Limits) {
        self.withheld.retain(|it| !given.contains(it));
        let Some(environment) = self.environment.as_ref().filter(|_| !given.is_empty()) else {
            return;
        };
        let text = self.texts.read(environment).unwrap_or_default();
        let text = without_parameters(text, limits, &|name| given.iter().any(|it| it == name));
        let path = environment.with_file_name("environment apart from given parameters");
        self.texts.insert(&path, text);
        self.environment = Some(path);
    }

    fn has(&self, kind: ContentKind) -> bool {
        self.seen.iter().any(|(seen, _)| *seen == kind)
    }

    /// Adds a file. One that is not recognized is an error if it is required.
    fn add(
        &mut self,
        path: &Path,
        files: &dyn FileSource,
        limits: &Limits,
        is_required: bool,
    ) -> Result<(), Box<Diagnostic>> {
        let bytes = files.read_content(path).map_err(|error| Box::new(error.diagnostic()))?;
        let shown = display_name(path);
        let content = match Content::read(bytes, limits) {
            Ok(Some(content)) => content,
            Ok(None) if is_required => return Err(unusable(&shown, NOT_SAVED)),
            // The message of a reader may quote a part of a secret.
            Err(_) if is_required => {
                return Err(unusable(
                    &shown,
                    "is neither valid JSON nor valid YAML; is it complete?",
                ));
            }
            Ok(None) => return Ok(()),
            Err(_) => {
                let message = format!("`{shown}` in the folder cannot be read: it is not used");
                let mut finding = Diagnostic::new(crate::codes::SAVED_STACK_PARTIAL, message);
                finding.severity = Severity::Warning;
                self.findings.push(finding.help("is it complete? save it again"));
                return Ok(());
            }
        };
        let kind = content.kind;
        if let Some((_, other)) = self.seen.iter().find(|(seen, _)| *seen == kind)
            && !kind.may_repeat()
        {
            let what =
                format!("and `{}` are both {}; name one stack", display_name(other), kind.name());
            return Err(unusable(&shown, &what));
        }
        self.seen.push((kind, path.to_owned()));
        let rows = content.data.as_array().map(Vec::as_slice).unwrap_or_default();
        match kind {
            ContentKind::Export => self.add_export(path, &content)?,
            ContentKind::Template => self.template = Some(path.to_owned()),
            ContentKind::Environment => {
                let root = content.document.root();
                let text = root
                    .map(|root| self.values_of(&content, root, content.document.text().to_owned()));
                self.texts.insert(path, text.unwrap_or_default());
                self.environment = Some(path.to_owned());
            }
            ContentKind::Stack => self.add_stack(path, &content),
            ContentKind::Files => {
                if let Some(root) = content.document.root() {
                    self.add_files(path, &content, root)?;
                }
            }
            ContentKind::Resources => {
                let stack = resources::of_list(rows).map_err(|what| unusable(&shown, &what))?;
                self.stack = Some(stack);
            }
            ContentKind::Ports => {
                self.lists.add_ports(rows);
                self.lists.add_objects(shown.to_string(), rows);
            }
            ContentKind::SecurityRules => self.lists.add_rules(rows),
            ContentKind::Objects if content.data.is_object() => {
                self.lists.add_objects(shown.to_string(), std::slice::from_ref(&content.data));
            }
            ContentKind::Objects => self.lists.add_objects(shown.to_string(), rows),
            ContentKind::Nothing => {}
        }
        Ok(())
    }

    fn add_export(&mut self, path: &Path, content: &Content) -> Result<(), Box<Diagnostic>> {
        let shown = display_name(path);
        let map = |key: &str| match content.member(key) {
            None => Ok(None),
            Some(node) => match content.document.kind(node) {
                NodeKind::Mapping(_) => Ok(Some(node)),
                NodeKind::Null => Ok(None),
                _ => Err(unusable(&shown, &format!("has `{key}`, which is not a map"))),
            },
        };
        if let Some(template) = map("template")? {
            self.texts.insert(path, content.only(template));
            self.template = Some(path.to_owned());
        }
        if let Some(environment) = map("environment")? {
            let text = self.values_of(content, environment, content.only(environment));
            let virtual_path = path.join("environment");
            self.texts.insert(&virtual_path, text);
            self.environment = Some(virtual_path);
        }
        if let Some(files) = map("files")? {
            self.add_files(path, content, files)?;
        }
        let stack = content.data.as_object().and_then(resources::of_export);
        self.stack = Some(stack.ok_or_else(|| unusable(&shown, "has no map `resources`"))?);
        Ok(())
    }

    /// The description of a stack has its name, and the values of its parameters.
    fn add_stack(&mut self, path: &Path, content: &Content) {
        let given = |name: &str| text(&content.data, &[name]).map(str::to_owned);
        let (name, status) = (given("stack_name"), given("stack_status"));
        self.description = Some(StackDescription { path: path.to_owned(), name, status });
        let Some(parameters) = content.member("parameters") else { return };
        let is_map = matches!(content.document.kind(parameters), NodeKind::Mapping(_));
        if !is_map || self.environment.is_some() {
            return;
        }
        let mut text = content.only(parameters);
        let mut withheld = Vec::new();
        content.without(&mut text, parameters, &mut |name, value| {
            let is_hidden = content.document.str(value) == Some(WITHHELD);
            if is_hidden {
                withheld.push(name.to_owned());
            }
            is_hidden || name.starts_with("OS::") || name.starts_with("AWS::")
        });
        self.report_withheld(withheld);
        let virtual_path = path.join("environment");
        self.texts.insert(&virtual_path, format!("{{\"parameters\":{}}}", text.trim()));
        self.environment = Some(virtual_path);
    }

    fn add_files(
        &mut self,
        path: &Path,
        content: &Content,
        files: NodeId,
    ) -> Result<(), Box<Diagnostic>> {
        for (index, entry) in content.document.entries(files).iter().enumerate() {
            let text = content.document.str(entry.value);
            let (Some(url), Some(text)) = (content.document.str(entry.key), text) else {
                return Err(unusable(&display_name(path), "has a file that is not a text"));
            };
            let virtual_path = path.join("files").join(index.to_string());
            self.texts.insert(&virtual_path, text);
            self.urls.push((url.to_owned(), virtual_path));
        }
        Ok(())
    }

    /// The text of an environment without the values that Heat withholds.
    fn values_of(&mut self, content: &Content, environment: NodeId, mut text: String) -> String {
        let mut withheld = Vec::new();
        for section in VALUE_SECTIONS {
            let Some(values) = content.document.get(environment, section) else { continue };
            content.without(&mut text, values, &mut |name, value| {
                let is_hidden = content.document.str(value) == Some(WITHHELD);
                if is_hidden {
                    withheld.push(name.to_owned());
                }
                is_hidden
            });
        }
        self.report_withheld(withheld);
        text
    }

    fn report_withheld(&mut self, names: Vec<String>) {
        for name in &names {
            let message = format!(
                "`{}` does not contain the value of the hidden parameter `{name}`",
                display_name(&self.path)
            );
            let finding = Diagnostic::new(crate::codes::SAVED_STACK_PARTIAL, message)
                .help(format!("Heat shows stars in its place; supply it with `-P {name}=…`"));
            self.findings.push(finding);
        }
        self.withheld.extend(names);
    }
}

/// The text of an environment without the values of some parameters.
fn without_parameters(text: Vec<u8>, limits: &Limits, is_gone: &dyn Fn(&str) -> bool) -> Vec<u8> {
    let Ok(Some(content)) = Content::read(text.clone(), limits) else { return text };
    let Some(values) = content.member("parameters") else { return text };
    let mut text = content.document.text().to_owned();
    content.without(&mut text, values, &mut |name, _| is_gone(name));
    text.into_bytes()
}

/// The parameters that a template declares; `None` if it cannot be read.
fn declared_parameters(text: Vec<u8>, limits: &Limits) -> Option<Vec<String>> {
    let source = SourceId(0);
    let document = read(source, decode(source, text).ok()?.into(), limits).ok()?;
    let root = document.root()?;
    let parameters = document.get(root, "parameters").or_else(|| document.get(root, "Parameters"));
    let entries = parameters.map(|it| document.entries(it)).unwrap_or_default();
    Some(entries.iter().filter_map(|it| document.str(it.key).map(str::to_owned)).collect())
}

const NOT_SAVED: &str = "contains nothing of a saved stack";

fn unusable(name: &str, what: &str) -> Box<Diagnostic> {
    let message = format!("`{name}` {what}");
    let finding = Diagnostic::new(crate::codes::ADOPTION_UNUSABLE, message);
    Box::new(finding.help(
        "save the stack with `openstack stack export --output-file FILE STACK`, or with `openstack stack resource list \
         -n 9 -f json STACK`",
    ))
}

/// Whether a file of a folder may be a saved one.
fn is_saved_name(path: &Path) -> bool {
    let end = path.extension().and_then(|it| it.to_str());
    matches!(end, Some("json" | "yaml" | "yml"))
}

/// Whether a text may be JSON, which no usual template is.
fn is_json(bytes: &[u8]) -> bool {
    matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// The files of a source, with the texts of saved stacks.
pub fn with_saved_texts<'f, 's>(
    files: &'f dyn FileSource,
    saved: impl IntoIterator<Item = &'s SavedStackFiles>,
) -> WithTexts<'f> {
    let mut texts = MemoryFiles::default();
    for saved in saved {
        texts.extend(saved.texts.clone());
    }
    WithTexts::new(files, texts)
}
