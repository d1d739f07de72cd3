//! The inputs of `hotplate diff` with many files: templates of two revisions or two folders, or the file that git passes
//! to an external diff.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::Args;
use rayon::prelude::*;

use super::inputs::ReadLimits;
use crate::report::diff::{InputRevision, Inputs};
use crate::report::escape::{for_terminal, on_one_line};
use crate::report::patch::{MaskedText, PatchPath, patch};
use heat_template::dialect::recognize;
use hotplate_diff::Pair;
use hotplate_diff::affected::{
    AffectedRoot, DeploymentsOf, GoneFinding, KnownFacts, Revision, affected,
};
use hotplate_project::{
    ComparedTemplate, Configuration, DeploymentOptions, OpenedRevisions, SideLocation,
};
use lossless_yaml::{decode, read};
use source_diagnostics::{Diagnostic, SourceId};
use source_files::git::external_diff::ExternalDiff;
use source_files::git::{ChangedFile, DiffSide, DiffSides, GitError, OpenedSide, Repository};
use source_files::{Disk, FileSource, compare_folders, shown_name};

/// The options that choose the revisions to compare.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct GitOptions {
    /// Compare the templates of two revisions; of one revision and the working tree; or, with three dots, from
    /// the merge base. The paths are then the files and folders to compare
    #[arg(long = "git", value_name = "REV[..REV]", allow_hyphen_values = true)]
    revisions: Option<String>,
    /// Compare what is staged; with the given revision, or by default with the last commit
    #[arg(long)]
    staged: bool,
}

/// Both sides of two revisions or two folders, and the templates that must be compared.
pub(super) struct ChangedTemplates {
    old: OpenedSide,
    new: OpenedSide,
    names: SideNames,
    /// The number of files that differ.
    changed: usize,
    roots: Vec<AffectedRoot>,
    /// Findings about templates of the old side, and their deployments, that are gone.
    gone: Vec<GoneFinding>,
}

/// The options about deployments, and the configurations of both sides of a review.
type ReviewedDeployments<'a> = (&'a DeploymentOptions, &'a Pair<Configuration>);

/// The kinds of the two sides.
enum SideNames {
    Revisions(DiffSides),
    Folders(Pair<PathBuf>),
}

impl GitOptions {
    /// The comparison of a revision with the working tree.
    pub(super) fn of(revision: &str) -> Self {
        GitOptions { revisions: Some(revision.to_owned()), staged: false }
    }

    /// Whether revisions are to be compared.
    pub(super) fn is_used(&self) -> bool {
        self.revisions.is_some() || self.staged
    }

    /// The repository of the current folder, and the sides that the options name.
    pub(super) fn sides(&self, bounds: ReadLimits) -> Result<(Repository, DiffSides), GitError> {
        let repository = Repository::open(Path::new(""), bounds.options().max_size())?;
        let sides = repository.sides(self.revisions.as_deref(), self.staged)?;
        Ok((repository, sides))
    }

    /// Opens both sides, and finds the files that differ.
    pub(super) fn open(&self, bounds: ReadLimits) -> Result<OpenedRevisions, GitError> {
        let (repository, sides) = self.sides(bounds)?;
        let (old, new) = (repository.open_side(&sides.old)?, repository.open_side(&sides.new)?);
        let changed = repository.changed(&sides)?;
        Ok(OpenedRevisions { sides, old, new, changed })
    }

    /// Whether two revisions may be named; [`GitOptions::sides`] knows.
    pub(super) fn may_be_range(&self) -> bool {
        self.revisions.as_ref().is_some_and(|typed| typed.contains(".."))
    }
}

/// Two arguments that name revisions of the repository of the current folder, and no files.
pub(super) fn names_of_revisions<'p>(
    old: &'p Path,
    new: &'p Path,
    bounds: ReadLimits,
) -> Option<(Cow<'p, str>, Cow<'p, str>)> {
    let files = bounds.files();
    let names = [old, new].map(|path| path.to_str().filter(|_| files.kind(path).is_none()));
    let [Some(old_name), Some(new_name)] = names else { return None };
    let range = format!("{old_name}..{new_name}");
    GitOptions::of(&range).sides(bounds).ok()?;
    Some((on_one_line(old_name), on_one_line(new_name)))
}

fn environments(options: &DeploymentOptions, files: &dyn FileSource) -> Vec<PathBuf> {
    let locations = options.environments(files).into_iter();
    locations.filter_map(|location| location.path().map(Path::to_owned)).collect()
}

impl ChangedTemplates {
    /// Finds the templates of two revisions to compare, `None` if that fails; returns the findings, too. `deployments` are those of
    /// the configurations of a review; `reading` has what was read of other revisions.
    pub(super) fn of_revisions(
        opened: OpenedRevisions,
        paths: &[PathBuf],
        options: &Pair<DeploymentOptions>,
        deployments: Option<ReviewedDeployments<'_>>,
        reading: (ReadLimits, &KnownFacts),
    ) -> (Option<Self>, Vec<Diagnostic>) {
        let OpenedRevisions { sides, old, new, changed } = opened;
        let names = SideNames::Revisions(sides);
        ChangedTemplates::find((old, new), names, &changed, (paths, deployments), options, reading)
    }

    /// Both sides.
    pub(super) fn sides(&self) -> Pair<&OpenedSide> {
        Pair { old: &self.old, new: &self.new }
    }

    /// Finds the templates of two folders on disk to compare; returns the findings, too.
    pub(super) fn of_folders(
        folders: Pair<&Path>,
        options: &Pair<DeploymentOptions>,
        bounds: ReadLimits,
    ) -> (Option<Self>, Vec<Diagnostic>) {
        let files = bounds.files();
        let found = compare_folders(&files, folders.old, folders.new);
        let side = |names| OpenedSide { files: Box::new(bounds.files()), names };
        let names = Pair { old: folders.old.to_owned(), new: folders.new.to_owned() };
        let (opened, mut findings) = ChangedTemplates::find(
            (side(found.old_names), side(found.new_names)),
            SideNames::Folders(names),
            &found.changed,
            (&[], None),
            options,
            (bounds, &KnownFacts::default()),
        );
        findings.extend(found.errors.into_iter().map(Diagnostic::from));
        (opened, findings)
    }

    fn find(
        (old, new): (OpenedSide, OpenedSide),
        names: SideNames,
        changed: &[ChangedFile],
        (paths, deployments): (&[PathBuf], Option<ReviewedDeployments<'_>>),
        options: &Pair<DeploymentOptions>,
        (bounds, known): (ReadLimits, &KnownFacts),
    ) -> (Option<Self>, Vec<Diagnostic>) {
        // Who chooses a deployment does not ask about the others.
        let is_chosen = deployments.map_or(&options.new, |(given, _)| given).is_chosen();
        let environments = Pair {
            old: environments(&options.old, old.files.as_ref()),
            new: environments(&options.new, new.files.as_ref()),
        };
        let nowhere = Path::new("");
        let folders = match &names {
            SideNames::Revisions(_) => Pair { old: nowhere, new: nowhere },
            SideNames::Folders(Pair { old, new }) => Pair { old: old.as_path(), new },
        };
        let sides = Pair {
            old: Revision::new(&old, &environments.old, folders.old),
            new: Revision::new(&new, &environments.new, folders.new),
        };
        let of =
            |side: &OpenedSide, path: &Path, choose: fn(&Pair<Configuration>) -> &Configuration| {
                let found = deployments.map(|(options, both)| {
                    options.deployed_as(path, choose(both), side.files.as_ref())
                });
                found.unwrap_or_default()
            };
        let of_old = |path: &Path| of(&old, path, |both| &both.old);
        let of_new = |path: &Path| of(&new, path, |both| &both.new);
        let deployments: Pair<DeploymentsOf<'_>> = Pair { old: &of_old, new: &of_new };
        let affected = affected(&sides, changed, paths, &deployments, &bounds.limits(), known);
        let findings = affected.findings_with_environments(is_chosen);
        // Nothing is compared if a path does not exist.
        let is_whole = affected.findings.is_empty();
        let (roots, gone) = (affected.roots, affected.gone);
        let found = ChangedTemplates { old, new, names, changed: changed.len(), roots, gone };
        (is_whole.then_some(found), findings)
    }

    /// Findings about templates of the old side, and their deployments, that are gone.
    pub(super) fn gone(&self) -> &[GoneFinding] {
        &self.gone
    }

    /// Adds the revisions or folders to the inputs of a report.
    pub(super) fn add_to(&self, inputs: &mut Inputs) {
        inputs.changed_files = Some(self.changed);
        let sides = match &self.names {
            SideNames::Revisions(sides) => sides,
            SideNames::Folders(Pair { old, new }) => {
                inputs.old.folder = Some(shown_name(&Disk::default(), old));
                inputs.new.folder = Some(shown_name(&Disk::default(), new));
                return;
            }
        };
        let revision = |side: &DiffSide| {
            let commit = match side {
                DiffSide::Revision { commit, .. } => commit.clone(),
                DiffSide::Index | DiffSide::WorkingTree => None,
            };
            Some(InputRevision { name: side.to_string(), commit })
        };
        inputs.old.revision = revision(&sides.old);
        inputs.new.revision = revision(&sides.new);
    }

    /// Compares every template, in order; each as often as it has deployments that the change affects.
    pub(super) fn compare(
        &self,
        compare: impl Fn(
            &AffectedRoot,
            &SideLocation<'_>,
            &SideLocation<'_>,
        ) -> anyhow::Result<Vec<ComparedTemplate>>
        + Sync,
    ) -> anyhow::Result<Vec<ComparedTemplate>> {
        let compared: anyhow::Result<Vec<Vec<ComparedTemplate>>> = self
            .roots
            .par_iter()
            .map(|root| {
                let Pair { old, new } = root.path.clone();
                compare(
                    root,
                    &SideLocation { files: self.old.files.as_ref(), template: old },
                    &SideLocation { files: self.new.files.as_ref(), template: new },
                )
            })
            .collect();
        Ok(compared?.into_iter().flatten().collect())
    }
}

/// The result of comparing the files that git passes.
pub(super) enum ExternalComparison {
    Template(Box<ComparedTemplate>),
    /// A text diff, for other files.
    Text(String),
}

/// Compares the files that git passes. Unless every existing side is a template, they are compared as text:
/// git shows the output in place of its own diff, and aborts if this fails.
pub(super) fn compare_external(
    external: &ExternalDiff,
    bounds: ReadLimits,
    color: bool,
    compare: impl Fn(&SideLocation<'_>, &SideLocation<'_>) -> anyhow::Result<ComparedTemplate>,
) -> anyhow::Result<ExternalComparison> {
    let name = external.new_path().display().to_string();
    if external.unmerged {
        return Ok(ExternalComparison::Text(format!("* Unmerged path {}\n", for_terminal(&name))));
    }
    let (old, new) = (
        external.old_files(bounds.options().max_size()),
        external.new_files(bounds.options().max_size()),
    );
    let content = |files: &dyn FileSource, path: &Path| -> anyhow::Result<Option<Vec<u8>>> {
        match files.kind(path) {
            None => Ok(None),
            Some(_) => match files.read(path) {
                Ok(bytes) => Ok(Some(bytes)),
                Err(error) => anyhow::bail!("{error}"),
            },
        }
    };
    let contents = [content(&old, external.old_path())?, content(&new, external.new_path())?];
    if contents.iter().flatten().all(|bytes| is_template(bytes, bounds)) {
        let place = |files, path: &Path, is_there: bool| SideLocation {
            files,
            template: is_there.then(|| path.to_owned()),
        };
        let compared = compare(
            &place(&old, external.old_path(), contents[0].is_some()),
            &place(&new, external.new_path(), contents[1].is_some()),
        )?;
        if compared.comparison.is_some() {
            return Ok(ExternalComparison::Template(Box::new(compared)));
        }
    }
    let [old, new] = contents.map(Option::unwrap_or_default);
    Ok(ExternalComparison::Text(match (String::from_utf8(old), String::from_utf8(new)) {
        (Ok(old), Ok(new)) => {
            patch(
                PatchPath::RelativeToRepository(external.new_path()),
                MaskedText::without_secrets(&old),
                MaskedText::without_secrets(&new),
                color,
            )
            .text
        }
        _ => format!("Binary files of {} differ\n", for_terminal(&name)),
    }))
}

fn is_template(bytes: &[u8], bounds: ReadLimits) -> bool {
    let text = decode(SourceId(0), bytes.to_vec()).ok();
    let document = text.and_then(|text| read(SourceId(0), text.into(), &bounds.limits()).ok());
    document.is_some_and(|document| recognize(&document).is_ok())
}
