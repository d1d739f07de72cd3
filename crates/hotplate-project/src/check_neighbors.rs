//! The files around those that `check` was run on: what they refer to must not be removed or renamed by a fix.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::check::Check;
use crate::check_file::FileOutcome;
use deployment_discovery::is_folder_of_environments;
use heat_engine::environment::Location;
use hotplate_check::CheckRun;
use source_diagnostics::SourceLocator;
use source_files::{FileSource, FoundFiles, InputFile, PathKind, display_name, may_be_environment};

impl Check<'_> {
    /// Adds what other files of the project refer to in files with unused parameters, whose fixes would be errors there: all files
    /// below the configuration; without one, those of the work tree, and without that, those in the folder of each file.
    pub fn add_neighbors(
        &self,
        files: &dyn FileSource,
        found: &FoundFiles,
        run: &mut CheckRun,
    ) -> anyhow::Result<()> {
        let (deployment, configuration) = (&self.options.deployment, self.deployed());
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
        let mut trees: Vec<PathBuf> = Vec::new();
        let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
        let mut file_names: BTreeSet<String> = BTreeSet::new();
        let mut own_folders: BTreeSet<PathBuf> = BTreeSet::new();
        for name in sources_with_unused {
            let path = files.absolute(Path::new(name));
            // Who passes a parameter names it; an environment maps a type to the file.
            file_names.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
            let folder = path.parent().unwrap_or(&path);
            own_folders.insert(folder.to_owned());
            let is_known = trees.iter().any(|tree| folder.starts_with(tree));
            if configuration.file().is_none() && !is_known && !folders.contains(folder) {
                match files.work_tree(folder) {
                    Some(tree) => trees.push(tree),
                    None => _ = folders.insert(folder.to_owned()),
                }
            }
        }
        trees.extend(configuration.file().map(|config| config.folder.clone()));
        names.extend(file_names.iter().cloned());
        let in_folder = |folder: &PathBuf| {
            let names = files.path_components(folder).into_iter();
            names.map(|name| folder.join(name)).collect::<Vec<_>>()
        };
        let is_one =
            |path: &PathBuf| may_be_environment(path) && files.kind(path) == Some(PathKind::File);
        let mut neighbors: Vec<PathBuf> =
            folders.iter().flat_map(in_folder).filter(is_one).collect();
        for tree in &trees {
            let all = files.project_files(tree);
            // A source that cannot be searched may still have names.
            let named =
                all.is_empty().then(|| source_files::find(files, std::slice::from_ref(tree)));
            let named = named.into_iter().flat_map(|it| it.inputs).map(|input| input.path);
            neighbors.extend(all.into_iter().filter(|path| may_be_environment(path)).chain(named));
        }
        let own = found.inputs.iter().map(|input| &input.path);
        let own = own.chain(&deployment.environments);
        // Time grows with the files, not with the names: a name is looked up by the first of its words.
        let first_words = || names.iter().map(|name| words(name).next());
        let (named, has_name_without_words): (HashSet<&str>, bool) =
            (first_words().flatten().collect(), first_words().any(|word| word.is_none()));
        // What an environment of a deployment passes is known from its template.
        let configured = configuration.every_environment(files);
        let own: HashSet<PathBuf> =
            own.chain(&configured).map(|path| files.absolute(path)).collect();
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
            // A template refers to another one by its name; what the registry maps, an environment names.
            let is_unrelated = text.contains("heat_template_version")
                && !file_names.iter().any(|name| text.contains(name.as_str()));
            let path = source_files::shown_path(files, &path);
            let input = InputFile { path, is_explicit: false, folders: Vec::new() };
            let location = Location::from_argument(&input.path, files);
            let nested_in = nested_in.get(location.url());
            for chosen in deployment.each_of(&input.path, configuration, files) {
                if is_unrelated && chosen.options.environments.is_empty() {
                    continue;
                }
                // A nested template was checked in the template that nests it. To deploy many of them on their own, each with a registry
                // that maps to all of them, takes the square of the time.
                let mut nested_in = nested_in.into_iter().flatten().copied();
                if let Some(at) = nested_in.find(|at| templates[*at].deployment == chosen.id) {
                    outside.add_nested(&templates[at], location.url(), &mut places[at]);
                    continue;
                }
                match self.check_file(files, &input, &chosen)? {
                    FileOutcome::Checked(template) => outside.add_template(&template),
                    FileOutcome::Environment(mut environment) => {
                        if !may_be_for(&files.absolute(&input.path), &own_folders) {
                            environment.parameters.clear();
                        }
                        outside.add_environment(&display_name(&input.path), environment);
                    }
                    FileOutcome::Other | FileOutcome::Jinja => {}
                }
            }
        }
        Ok(())
    }
}

/// Whether an environment may give parameters to a template in one of the folders: it is in the same folder, around or below it, or
/// among environments.
fn may_be_for(environment: &Path, folders: &BTreeSet<PathBuf>) -> bool {
    let Some(own) = environment.parent() else { return true };
    is_folder_of_environments(own)
        || folders.iter().any(|it| it.starts_with(own) || own.starts_with(it))
}

/// The words of a text: letters, digits, `_` and `-`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_' && it != '-')
        .filter(|it| !it.is_empty())
}
