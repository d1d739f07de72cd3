//! The files around those that `check` was run on: what they refer to must not be removed or renamed by a fix.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::check_file::{FileChecker, FileOutcome};
use super::configuration::Configuration;
use super::deployment::{DeploymentOptions, configured_environments};
use heat_engine::environment::Location;
use hotplate_check::CheckRun;
use source_diagnostics::SourceLocator;
use source_files::{FoundFiles, InputFile, PathKind, display_name};

/// Adds what other files of the project refer to in files with unused parameters, whose fixes would be errors there: all files
/// below the configuration; without one, those in the folders around each file, up to the top of the work tree.
pub(super) fn add_neighbors(
    checker: &FileChecker<'_>,
    deployment: &DeploymentOptions,
    found: &FoundFiles,
    configuration: &Configuration,
    run: &mut CheckRun,
) -> anyhow::Result<()> {
    let files = checker.files;
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut sources_with_unused: BTreeSet<&str> = BTreeSet::new();
    for (finding, sources) in run.findings() {
        if let Some(span) = finding.span()
            && finding.code == hotplate_check::codes::UNUSED_PARAMETER
        {
            names.extend(sources.text(span.source).get(span.range()).map(str::to_owned));
            sources_with_unused.insert(sources.name(span.source));
        }
    }
    if sources_with_unused.is_empty() {
        return Ok(());
    }
    // Finding the top of a work tree starts git: once for each tree.
    let mut tops: Vec<PathBuf> = Vec::new();
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    for name in sources_with_unused {
        let path = files.absolute(Path::new(name));
        // Who passes a parameter names it; an environment maps a type to the file.
        names.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
        let folder = path.parent().unwrap_or(&path);
        if configuration.is_none() && !folders.contains(folder) {
            if !tops.iter().any(|top| folder.starts_with(top)) {
                tops.push(files.work_tree(folder).unwrap_or_else(|| folder.to_owned()));
            }
            let is_inside = |it: &&Path| tops.iter().any(|top| it.starts_with(top));
            folders.extend(folder.ancestors().take_while(is_inside).map(Path::to_owned));
        }
    }
    let neighbors: Vec<PathBuf> = match configuration {
        Some(config) => {
            let found = source_files::find(files, std::slice::from_ref(&config.folder));
            found.inputs.into_iter().map(|input| input.path).collect()
        }
        None => {
            let names = |folder: &PathBuf| {
                let names = files.path_components(folder).into_iter();
                names.map(|name| folder.join(name)).collect::<Vec<_>>()
            };
            let paths = folders.iter().flat_map(names);
            paths.filter(|path| files.kind(path) == Some(PathKind::File)).collect()
        }
    };
    let own = found.inputs.iter().map(|input| &input.path);
    let own = own.chain(deployment.environment_paths());
    // Time grows with the files, not with the names: a name is looked up by the first of its words.
    let first_words = || names.iter().map(|name| words(name).next());
    let (named, has_name_without_words): (HashSet<&str>, bool) =
        (first_words().flatten().collect(), first_words().any(|word| word.is_none()));
    // What an environment of a deployment passes is known from its template.
    let configured = configured_environments(configuration);
    let own: HashSet<PathBuf> = own.chain(&configured).map(|path| files.absolute(path)).collect();
    let CheckRun { templates, outside, .. } = run;
    let mut places: Vec<SourceLocator<'_>> =
        templates.iter().map(|it| SourceLocator::new(&it.sources)).collect();
    let mut nested_in: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, template) in templates.iter().enumerate() {
        template.nested.keys().for_each(|url| nested_in.entry(url).or_default().push(at));
    }
    for path in neighbors {
        if own.contains(&files.absolute(&path)) {
            continue;
        }
        let Ok(bytes) = files.read_content(&path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let is_named = |name: &str| named.contains(name);
        if !has_name_without_words && !words(&text).any(is_named) {
            continue;
        }
        let path = source_files::shown_path(files, &path);
        let input = InputFile { path, is_explicit: false, folders: Vec::new() };
        let location = Location::from_argument(&input.path, files);
        let nested_in = nested_in.get(location.url());
        for chosen in deployment.each_of(&input.path, configuration, files) {
            // A nested template was checked in the template that nests it. To deploy many of them on their own, each with a registry
            // that maps to all of them, takes the square of the time.
            let mut nested_in = nested_in.into_iter().flatten().copied();
            if let Some(at) = nested_in.find(|at| templates[*at].deployment == chosen.index) {
                outside.add_nested(&templates[at], location.url(), &mut places[at]);
                continue;
            }
            match checker.check(&input, &chosen)? {
                FileOutcome::Checked(template) => outside.add_template(&template),
                FileOutcome::Environment(environment) => {
                    outside.add_environment(&display_name(&input.path), environment);
                }
                FileOutcome::Other | FileOutcome::Jinja => {}
            }
        }
    }
    Ok(())
}

/// The words of a text: letters, digits, `_` and `-`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_' && it != '-')
        .filter(|it| !it.is_empty())
}
