//! Deployments of templates that files declare or imply: `hotplate.toml`, and for templates that it does not deploy, what their repository
//! implies.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::config::{Config, ConfiguredPath, Deployment, FILE_NAME};
use crate::deployment::DeploymentOptions;
use crate::review::OpenedRevisions;
use deployment_discovery::{FoundDeployment, discover};
use heat_template::schema::Schema;
use hotplate_diff::Pair;
use source_diagnostics::{Diagnostic, SourceId, Span};
use source_files::git::OpenedSide;
use source_files::{FileSource, PathPattern, from_here};

/// The most files of a repository in which deployments are looked for.
const MAX_FILES: usize = 20_000;

/// The configuration of a run, and what repositories imply.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    pub(crate) file: Option<Arc<Config>>,
    pub(crate) implied: Option<Arc<ImpliedDeployments>>,
    /// Whether the user says that a deployment has no other inputs than those that are named.
    pub is_closed: bool,
}

/// The deployments that repositories imply, as configurations without a file: each repository is searched once, when a template of it is
/// first looked for.
#[derive(Debug)]
pub struct ImpliedDeployments {
    schema: &'static Schema,
    /// The folder of the run, relative to the current one.
    folder: PathBuf,
    /// By the top of the repository.
    found: Mutex<HashMap<PathBuf, RepositoryDeployments>>,
    /// Whether only the repository of a revision counts, which was searched.
    is_complete: bool,
    /// Whether a `hotplate.toml` below the top of a repository may declare deployments.
    reads_files: bool,
}

/// The evidence of a repository about its deployments.
#[derive(Clone, Debug, Default)]
struct RepositoryDeployments {
    /// The files below its top that declare some, the nearest to their templates first.
    declared: Vec<Arc<Config>>,
    /// The implications of the other files.
    implied: Arc<Config>,
}

impl RepositoryDeployments {
    fn of(&self, template: &Path, files: &dyn FileSource) -> Arc<Config> {
        let has_it = |it: &&Arc<Config>| !it.deployments_of(template, files).is_empty();
        Arc::clone(self.declared.iter().find(has_it).unwrap_or(&self.implied))
    }
}

impl Configuration {
    /// A configuration without implied deployments; `None` without a file.
    pub fn new(file: Option<Config>) -> Self {
        Configuration { file: file.map(Arc::new), ..Configuration::default() }
    }

    /// The same with the deployments that repositories imply; `None` if these are not wanted.
    pub fn with_implied(&self, implied: Option<Arc<ImpliedDeployments>>) -> Self {
        Configuration { implied, ..self.clone() }
    }

    /// The same for a user who says that there are no other inputs than those that are named.
    pub fn closed(&self) -> Self {
        Configuration { is_closed: true, ..self.with_implied(None) }
    }

    /// The `hotplate.toml` in effect; `None` if there is none, or it is not wanted.
    pub fn file(&self) -> Option<&Config> {
        self.file.as_deref()
    }

    /// The same for both sides of a comparison of revisions, of which the base `decides` what the repository implies in a review, and
    /// the new side in local work.
    pub(crate) fn in_revisions(
        both: Pair<Self>,
        own: &Self,
        revisions: &OpenedRevisions,
        base_decides: bool,
    ) -> Pair<Self> {
        let Some(own) = &own.implied else { return both };
        let settings = (own.schema, own.reads_files);
        let (old, new) = (&revisions.old, &revisions.new);
        let (old, new) = if base_decides {
            ImpliedDeployments::of_revisions(old, new, settings)
        } else {
            let (new, old) = ImpliedDeployments::of_revisions(new, old, settings);
            (old, new)
        };
        Pair { old: both.old.with_implied(Some(old)), new: both.new.with_implied(Some(new)) }
    }

    /// What is implied where the file declares no deployment: who declares one says what the project deploys.
    fn implied(&self) -> Option<&ImpliedDeployments> {
        let declares = self.file().is_some_and(|it| !it.deployments.is_empty());
        self.implied.as_deref().filter(|_| !declares)
    }

    /// The configuration whose deployments a template has: the file if it declares any, else what the repository implies.
    pub(crate) fn deploying(&self, template: &Path, files: &dyn FileSource) -> Option<Arc<Config>> {
        match self.implied() {
            Some(implied) => implied.of(template, files),
            None => self.file.clone(),
        }
    }

    /// The file that declares the deployments of a template; `None` if none does.
    pub fn declaring(&self, template: &Path, files: &dyn FileSource) -> Option<Arc<Config>> {
        let of = self.deploying(template, files);
        of.filter(|it| it.deployments_of(template, files).iter().any(|it| it.evidence.is_none()))
    }

    /// The file, and what repositories imply: that of the folder of the run, and those that were searched before.
    pub fn all(&self, files: &dyn FileSource) -> Vec<Arc<Config>> {
        let implied = self.implied().map(|it| it.every(files)).unwrap_or_default();
        let implied = implied.into_iter().filter(|it| !it.deployments.is_empty());
        self.file.iter().cloned().chain(implied).collect()
    }

    /// The environments of all deployments, each once.
    pub fn every_environment(&self, files: &dyn FileSource) -> Vec<PathBuf> {
        DeploymentOptions::default().with_every_environment(&[self], files).environments
    }
}

impl ImpliedDeployments {
    /// Nothing is searched yet. `schema` says which types Heat has; `reads_files`, whether a `hotplate.toml` below the top of a
    /// repository may declare deployments.
    pub fn new(schema: &'static Schema, folder: &Path, reads_files: bool) -> Self {
        let folder = folder.to_owned();
        ImpliedDeployments {
            schema,
            folder,
            found: Mutex::default(),
            is_complete: false,
            reads_files,
        }
    }

    /// Those of two revisions: what the one that `decides` implies for both sides where these have the environments, and what the other
    /// one implies for templates about which the first says nothing.
    fn of_revisions(
        decides: &OpenedSide,
        other: &OpenedSide,
        (schema, reads_files): (&'static Schema, bool),
    ) -> (Arc<Self>, Arc<Self>) {
        let here = decides.files.absolute(Path::new(""));
        let root = decides.files.work_tree(Path::new("")).unwrap_or(here);
        let search_side = |side: &OpenedSide| {
            let paths = side.names.iter().map(|name| side.files.absolute(name)).collect();
            search(side.files.as_ref(), &root, paths, (schema, reads_files))
        };
        let ((declared, mut own), (_, mut others)) = (search_side(decides), search_side(other));
        let decided: Vec<String> =
            own.deployments.iter().flat_map(Deployment::patterns).map(str::to_owned).collect();
        let is_decided = |it: &&str| decided.iter().any(|own| own == it);
        others.deployments.retain(|it| !it.patterns().iter().any(is_decided));
        let there = |of: &Config, side: &OpenedSide| -> Vec<Deployment> {
            let is_there = |it: &&Deployment| {
                it.environments.iter().all(|it| side.files.kind(&it.path).is_some())
            };
            of.deployments.iter().filter(is_there).cloned().collect()
        };
        // A side on which a template cannot be read says nothing about it.
        let (of_own, of_others) = (there(&own, other), there(&others, decides));
        others.deployments.extend(of_own);
        own.deployments.extend(of_others);
        let fixed = |config: Config| {
            let (declared, implied) = (declared.clone(), Arc::new(config));
            let found = RepositoryDeployments { declared, implied };
            let found = Mutex::new(HashMap::from([(root.clone(), found)]));
            Arc::new(ImpliedDeployments {
                schema,
                folder: PathBuf::new(),
                found,
                is_complete: true,
                reads_files,
            })
        };
        (fixed(own), fixed(others))
    }

    /// The implications of a template's repository. That is the git work tree of the template; without one, the folder of the template.
    fn of(&self, template: &Path, files: &dyn FileSource) -> Option<Arc<Config>> {
        if files.is_stream(template) {
            return None;
        }
        let found = self.of_folder(files.absolute(template).parent()?, files)?;
        Some(found.of(template, files))
    }

    fn of_folder(&self, folder: &Path, files: &dyn FileSource) -> Option<RepositoryDeployments> {
        let root = files.work_tree(folder).unwrap_or_else(|| folder.to_owned());
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_complete {
            return found.get(&root).cloned();
        }
        let search = |root: &PathBuf| {
            let paths = files.project_files(root);
            let (declared, implied) = search(files, root, paths, (self.schema, self.reads_files));
            RepositoryDeployments { declared, implied: Arc::new(implied) }
        };
        Some(found.entry(root).or_insert_with_key(search).clone())
    }

    fn every(&self, files: &dyn FileSource) -> Vec<Arc<Config>> {
        self.of_folder(&files.absolute(&self.folder), files);
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let all = found.values();
        all.flat_map(|it| it.declared.iter().chain([&it.implied])).cloned().collect()
    }
}

/// The files below the top of a repository that declare deployments, and what it implies, as a configuration of that folder.
fn search(
    files: &dyn FileSource,
    root: &Path,
    paths: Vec<PathBuf>,
    (schema, reads_files): (&Schema, bool),
) -> (Vec<Arc<Config>>, Config) {
    // The file of the top is in effect already, or it is not wanted.
    let of_file = |path: &&PathBuf| {
        reads_files
            && path.file_name().is_some_and(|name| name == FILE_NAME)
            && path.parent().is_some_and(|folder| files.absolute(folder) != root)
    };
    let here = files.absolute(Path::new(""));
    let open = |path: &PathBuf| Config::open(&from_here(path, &here), files, false, false);
    let mut declared: Vec<Config> = paths.iter().filter(of_file).map(open).collect();
    // A broken file says nothing here; where it is in effect, it is reported.
    declared
        .retain(|it| !it.deployments.is_empty() && !it.findings.iter().any(Diagnostic::is_error));
    declared.sort_by_key(|it| std::cmp::Reverse(it.folder.components().count()));
    let found = if paths.len() > MAX_FILES {
        Vec::new()
    } else {
        discover(files, root, &paths, schema).deployments
    };
    // The command line alone decides about a deployment without environments.
    let found = found.into_iter().filter(|it| !it.environments.is_empty());
    let deployments = found.filter_map(|it| deployment(it, root, &here)).collect();
    let mut config = Config::default();
    (config.path, config.folder) = (root.to_owned(), root.to_owned());
    config.deployments = deployments;
    (declared.into_iter().map(Arc::new).collect(), config)
}

fn deployment(found: FoundDeployment, root: &Path, here: &Path) -> Option<Deployment> {
    let nowhere = Span::new(SourceId(0), 0, 0);
    let template = found.template.strip_prefix(root).ok()?;
    let evidence: Vec<String> =
        found.environments.iter().map(|it| it.evidence.to_string()).collect();
    let environment = |path: &Path| ConfiguredPath { path: from_here(path, here), span: nowhere };
    Some(Deployment {
        name: Some(found.name),
        templates: PathPattern::new(&PathPattern::escape(template)).into_iter().collect(),
        environments: found.environments.iter().map(|it| environment(&it.path)).collect(),
        given: found.parameters,
        evidence: Some(evidence),
        ..Deployment::new(nowhere)
    })
}
