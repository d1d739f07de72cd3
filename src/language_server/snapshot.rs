//! All files of a project at one moment.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use gen_lsp_types::{
    Location, Position, Range, TextDocumentIdentifier, TextDocumentPositionParams, Uri,
};
use heat_engine::environment::{Location as FileLocation, normal};
use lossless_yaml::decode;
use source_diagnostics::SourceId;
use source_files::{Disk, FileSource};

use super::cache::Cache;
use super::client::ClientSupport;
use super::file_view::{FileContent, FileView};
use super::impact::FileImpact;
use super::names::{NameCache, ProjectNames};
use super::nesting::Nesting;
use super::open_files::OpenFiles;
use super::open_text::OpenText;
use super::position::ColumnUnit;
use super::project::{EvaluatedDeployment, OpenedBase, Project, ProjectError};
use super::settings::Settings;
use hotplate_check::CheckRun;

/// How long the base of the impact is taken for the one that was opened: a commit in another window is noticed after this time.
const BASE_IS_FRESH: Duration = Duration::from_secs(2);

/// The data that stay the same from one edit to the next.
pub(super) struct Session {
    pub(super) project: Box<dyn Project>,
    pub(super) settings: Settings,
    pub(super) client: ClientSupport,
    /// The unit of the columns of positions.
    pub(super) unit: ColumnUnit,
    /// The folder of the project: absolute.
    pub(super) root: PathBuf,
    /// The current folder of the process, from which the commands understand relative paths.
    pub(super) here: PathBuf,
    pub(super) disk: Arc<Disk>,
    /// The names in files, read again where the text is another one.
    pub(super) names: NameCache,
    /// The base of the impact, when it was last looked for.
    base: Mutex<Option<(Instant, BaseResult)>>,
}

/// The base of the impact, or why there is none.
type BaseResult = Result<Arc<OpenedBase>, ProjectError>;

/// All files at one moment, with what was computed of them. An edit makes another snapshot; requests that are being answered keep
/// theirs.
pub(super) struct Snapshot {
    pub(super) session: Arc<Session>,
    pub(super) nesting: Arc<Nesting>,
    open: Arc<HashMap<PathBuf, Arc<OpenText>>>,
    files: OpenFiles,
    views: Cache<PathBuf, Option<Arc<FileView>>>,
    deployments: Cache<PathBuf, Vec<EvaluatedDeployment>>,
    impacts: Cache<PathBuf, FileImpact>,
    pub(super) project_names: OnceLock<ProjectNames>,
    checks: Cache<PathBuf, Result<CheckRun, ProjectError>>,
}

impl Session {
    pub(super) fn new(
        project: Box<dyn Project>,
        settings: Settings,
        client: ClientSupport,
        unit: ColumnUnit,
        root: PathBuf,
    ) -> Self {
        let disk = Arc::new(Disk::default());
        let here = disk.absolute(Path::new(""));
        Session {
            project,
            settings,
            client,
            unit,
            root,
            here,
            disk,
            names: NameCache::default(),
            base: Mutex::new(None),
        }
    }

    /// The base of the impact.
    pub(super) fn base(&self) -> BaseResult {
        let mut known = self.base.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((when, base)) = &*known
            && when.elapsed() < BASE_IS_FRESH
        {
            return base.clone();
        }
        let last = known.as_ref().and_then(|(_, base)| base.as_ref().ok());
        let base = self.project.open_base(&self.settings.impact.base, last);
        *known = Some((Instant::now(), base.clone()));
        base
    }

    /// The path that a client's URI means; `None` for one that is not of a file.
    pub(super) fn path_of(&self, uri: &Uri) -> Option<PathBuf> {
        if !uri.0.starts_with("file:") {
            return None;
        }
        let location = FileLocation::from_argument(Path::new(&uri.0), &*self.disk);
        location.absolute()
    }

    /// The absolute path of a file that a finding or a template names; `None` for a URL that is not of a file.
    pub(super) fn absolute(&self, name: &str) -> Option<PathBuf> {
        if name.contains("://") {
            return FileLocation::from_argument(Path::new(name), &*self.disk).absolute();
        }
        (!name.starts_with('<')).then(|| normal(&self.here.join(name)))
    }
}

impl Snapshot {
    pub(super) fn new(
        session: Arc<Session>,
        nesting: Arc<Nesting>,
        open: HashMap<PathBuf, Arc<OpenText>>,
    ) -> Self {
        let open = Arc::new(open);
        let (disk, limits) = (Arc::clone(&session.disk), session.project.limits());
        let files = OpenFiles::new(disk, Arc::clone(&open), session.here.clone(), limits);
        Snapshot {
            session,
            nesting,
            open,
            files,
            views: Cache::default(),
            deployments: Cache::default(),
            impacts: Cache::default(),
            project_names: OnceLock::new(),
            checks: Cache::default(),
        }
    }

    /// The same files, of which nothing is computed yet.
    pub(super) fn again(&self) -> Self {
        let (session, nesting) = (Arc::clone(&self.session), Arc::clone(&self.nesting));
        Snapshot::new(session, nesting, HashMap::clone(&self.open))
    }

    pub(super) fn project(&self) -> &dyn Project {
        &*self.session.project
    }

    /// The files as the user sees them, each as far as it can be read.
    pub(super) fn files(&self) -> &OpenFiles {
        &self.files
    }

    pub(super) fn open(&self) -> impl Iterator<Item = &Arc<OpenText>> {
        self.open.values()
    }

    pub(super) fn open_text(&self, path: &Path) -> Option<&Arc<OpenText>> {
        self.open.get(path)
    }

    /// A file, open or on disk; `None` if it cannot be read or is not text.
    pub(super) fn view(&self, path: &Path) -> Option<Arc<FileView>> {
        let limits = self.project().limits();
        if let Some(open) = self.open.get(path) {
            return Some(Arc::clone(open.view(&limits)));
        }
        let view = self.views.get_or_compute(path.to_owned(), || {
            let bytes = self.files.read(path).ok()?;
            let text = decode(SourceId(0), bytes).ok()?;
            Some(Arc::new(FileView::new(path.to_owned(), text.into(), &limits)))
        });
        (*view).clone()
    }

    /// The file of a request.
    pub(super) fn view_of(&self, document: &TextDocumentIdentifier) -> Option<Arc<FileView>> {
        self.view(&self.session.path_of(&document.uri)?)
    }

    /// The file of a request, and the offset of its position.
    pub(super) fn at(&self, at: &TextDocumentPositionParams) -> Option<(Arc<FileView>, usize)> {
        let view = self.view_of(&at.text_document)?;
        let offset = self.offset(&view, at.position);
        Some((view, offset))
    }

    pub(super) fn offset(&self, view: &FileView, position: Position) -> usize {
        view.lines.offset(&view.text, position, self.session.unit)
    }

    /// The range of some bytes of a file.
    pub(super) fn range(&self, view: &FileView, bytes: std::ops::Range<usize>) -> Range {
        view.lines.range(&view.text, bytes, self.session.unit)
    }

    /// The URI of a file: the client's own for an open one.
    pub(super) fn uri(&self, path: &Path) -> Uri {
        let written = || Uri(FileLocation::of_absolute(path).url().to_owned());
        self.open.get(path).map_or_else(written, |open| open.uri.clone())
    }

    /// The place of some bytes of a file.
    pub(super) fn location(&self, view: &FileView, bytes: std::ops::Range<usize>) -> Location {
        Location::new(self.uri(&view.path), self.range(view, bytes))
    }

    /// The template at a path with each of its deployments, evaluated.
    pub(super) fn deployments(&self, template: &Path) -> Arc<Vec<EvaluatedDeployment>> {
        self.deployments
            .get_or_compute(template.to_owned(), || self.project().evaluate(&self.files, template))
    }

    /// The findings about a template, and about what it nests.
    pub(super) fn checked(&self, template: &Path) -> Arc<Result<CheckRun, ProjectError>> {
        self.checks.get_or_compute(template.to_owned(), || {
            self.project().check(&self.files, &[template.to_owned()])
        })
    }

    /// The outermost templates that nest a file; the file itself if none does.
    pub(super) fn roots_of(&self, path: &Path) -> Vec<PathBuf> {
        self.nesting.roots_of(path)
    }

    /// The templates that show what a file means: those that nest it, those that are deployed with it, or itself.
    pub(super) fn roots_with(&self, path: &Path) -> Vec<PathBuf> {
        let is_environment =
            self.view(path).is_some_and(|view| matches!(view.content, FileContent::Environment));
        if is_environment { self.nesting.deployed_with(path) } else { self.roots_of(path) }
    }

    /// The effect of the edits on the running stack, at the lines of a file.
    pub(super) fn impact(&self, path: &Path) -> Arc<FileImpact> {
        self.impacts.get_or_compute(path.to_owned(), || FileImpact::new(self, path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language_server::testing::TestProject;

    #[test]
    fn an_edit_reads_only_the_edited_text_again() {
        let project = TestProject::new(&[("a.yaml", "heat_template_version: 2018-08-31\n")]);
        let first = &project.snapshot;
        let path = project.path.with_file_name("b.yaml");
        let uri = Uri(format!("file://{}", path.display()));
        let other = Arc::new(OpenText::new(uri, path.clone(), 1, "outputs: {}\n"));
        let mut open = HashMap::clone(&first.open);
        open.insert(path.clone(), Arc::clone(&other));
        let second = Snapshot::new(Arc::clone(&first.session), Arc::default(), open.clone());
        let [a, b] = [&project.path, &path].map(|path| second.view(path).expect("open"));
        assert!(Arc::ptr_eq(&a, &first.view(&project.path).expect("open")));
        open.insert(path.clone(), Arc::new(other.edited(2, vec![], ColumnUnit::Utf16)));
        let third = Snapshot::new(Arc::clone(&first.session), Arc::default(), open);
        assert!(Arc::ptr_eq(&a, &third.view(&project.path).expect("open")));
        assert!(!Arc::ptr_eq(&b, &third.view(&path).expect("open")));
    }

    #[test]
    fn what_one_request_computes_the_next_one_has() {
        let project = TestProject::new(&[("a.yaml", "heat_template_version: 2018-08-31\n")]);
        let (snapshot, path) = (&project.snapshot, &project.path);
        assert!(Arc::ptr_eq(&snapshot.checked(path), &snapshot.checked(path)));
        assert!(Arc::ptr_eq(&snapshot.impact(path), &snapshot.impact(path)));
        assert!(Arc::ptr_eq(&snapshot.deployments(path), &snapshot.deployments(path)));
    }
}
