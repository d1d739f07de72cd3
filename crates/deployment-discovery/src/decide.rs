//! Weighs the evidence: what it decides without ambiguity is a deployment, the rest is named with its candidates.
//!
//! For each template that is deployed on its own, the first of these that says anything decides: command lines and tasks; names of environments; the
//! parameters that environments beside it give. Environments that map types which nothing else maps are added in any case, except to
//! a command line, which says all by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use source_files::normal;

use super::commands::DeployCommand;
use super::content::Project;
use super::evidence::Evidence;
use super::names::{NameMatch, is_beside, is_folder_of_environments, name_match};

/// The facts about the deployments of a project.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    /// The deployments, in the order of their templates.
    pub deployments: Vec<FoundDeployment>,
    /// The templates that are deployed on their own and have no deployment.
    pub others: Vec<PathBuf>,
    /// The templates that only others nest.
    pub nested: Vec<NestedTemplate>,
    /// The templates for which the evidence names several environments, of which none is used.
    pub undecided: Vec<Undecided>,
    /// The environments that belong to no deployment and are no candidates of one.
    pub unused: Vec<PathBuf>,
    /// The files that may be templates or environments, and cannot be read.
    pub unreadable: Vec<PathBuf>,
}

/// A template with what it is deployed with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundDeployment {
    /// A name that no other deployment has.
    pub name: String,
    /// The path of the template, as it was among the files of the project.
    pub template: PathBuf,
    /// The environments, in the order in which they are merged.
    pub environments: Vec<FoundEnvironment>,
    /// The names of parameters that the command line sets, whose values need not be known.
    pub parameters: Vec<String>,
    /// The names of the parameters that need a value, which no environment gives.
    pub given: Vec<String>,
    /// The command line, if there is one.
    pub command: Option<Evidence>,
}

/// An environment of a deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundEnvironment {
    /// The path of the file, as it was among the files of the project.
    pub path: PathBuf,
    /// Why it belongs to the deployment.
    pub evidence: Evidence,
}

/// A template that is not deployed on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedTemplate {
    /// The path of the template that is nested.
    pub template: PathBuf,
    /// The templates that name it, and the environments that map a type to it.
    pub named_in: Vec<PathBuf>,
}

/// A template for which the evidence does not decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// The path of the template that is left without a deployment.
    pub template: PathBuf,
    /// The environments that may belong to it.
    pub candidates: Vec<PathBuf>,
    /// The result of mapping them: the types that several of them map, or nothing for parameters.
    pub types: Vec<String>,
}

/// More environments that fit one template are a collection, not deployments of it.
const MAX_ALTERNATIVES: usize = 16;

/// Environments with a label: `None` for the only ones.
type Choice = Vec<(Option<String>, Vec<FoundEnvironment>)>;

/// The deployments of a project in a folder, to which their names are relative.
pub(super) fn decide(project: &Project<'_>, folder: &Path) -> Discovery {
    let mut decision = Decision::new(project);
    let nested = project.nested();
    let mut discovery = Discovery::default();
    for template in project.templates.keys() {
        let commands = decision.commands.remove(template.as_path()).unwrap_or_default();
        if !commands.is_empty() {
            discovery.deployments.extend(commands);
        } else if let Some(named_in) = nested.get(template.as_path()) {
            let named_in = named_in.iter().map(|path| (*path).to_owned()).collect();
            discovery.nested.push(NestedTemplate { template: template.clone(), named_in });
        } else {
            decision.root(template, &nested, &mut discovery);
        }
    }
    let candidates = discovery.undecided.iter().flat_map(|it| &it.candidates);
    let used = discovery.deployments.iter().flat_map(|it| &it.environments).map(|it| &it.path);
    let used: BTreeSet<&PathBuf> = used.chain(candidates).collect();
    let unused = project.environments.keys().filter(|path| !used.contains(path));
    discovery.unused = unused.cloned().collect();
    discovery.unreadable.clone_from(&project.unreadable);
    for found in &mut discovery.deployments {
        let environments = found.environments.iter().map(|it| it.path.as_path());
        found.given = project.not_supplied(&found.template, &environments.collect::<Vec<_>>());
    }
    name_apart(&mut discovery.deployments, folder);
    discovery
}

struct Decision<'p> {
    project: &'p Project<'p>,
    /// The evidence of command lines, by template.
    commands: BTreeMap<&'p Path, Vec<FoundDeployment>>,
    /// The environments whose names are those of templates.
    claimed: BTreeSet<&'p Path>,
}

impl<'p> Decision<'p> {
    fn new(project: &'p Project<'p>) -> Self {
        let mut commands: BTreeMap<&Path, Vec<FoundDeployment>> = BTreeMap::new();
        for command in &project.commands {
            let Some((template, found)) = resolve(project, command) else { continue };
            let known = commands.entry(template).or_default();
            let is_same = |it: &FoundDeployment| {
                it.environments
                    .iter()
                    .map(|it| &it.path)
                    .eq(found.environments.iter().map(|it| &it.path))
            };
            match known.iter_mut().find(|it| is_same(it)) {
                Some(same) => {
                    let new = found.parameters.into_iter();
                    let new: Vec<String> = new.filter(|it| !same.parameters.contains(it)).collect();
                    same.parameters.extend(new);
                }
                None => known.push(found),
            }
        }
        // A line of the documentation that leaves out the environments is an abbreviation of one that has them.
        for known in commands.values_mut() {
            if known.iter().any(|it| !it.environments.is_empty()) {
                known.retain(|it| !it.environments.is_empty());
            }
        }
        let is_claimed = |environment: &&Path| {
            project.templates.keys().any(|template| {
                matches!(
                    name_match(template, environment),
                    Some(NameMatch::Exact | NameMatch::Labeled(_))
                )
            })
        };
        let environments = project.environments.keys().map(PathBuf::as_path);
        Decision { project, commands, claimed: environments.filter(is_claimed).collect() }
    }

    /// Decides about a template that is deployed on its own, and that no command line names.
    fn root(
        &self,
        template: &Path,
        nested: &BTreeMap<&Path, BTreeSet<&Path>>,
        discovery: &mut Discovery,
    ) {
        let choice = self.by_name(template).or_else(|| self.by_parameters(template, nested));
        let choices = match choice {
            Some(Ok(choices)) => choices,
            Some(Err(candidates)) => {
                let template = template.to_owned();
                discovery.undecided.push(Undecided { template, candidates, types: Vec::new() });
                vec![(None, Vec::new())]
            }
            None => vec![(None, Vec::new())],
        };
        let mut has_deployment = false;
        for (label, chosen) in choices {
            let (environments, undecided) = self.with_registries(template, chosen);
            discovery.undecided.extend(undecided);
            if !environments.is_empty() {
                has_deployment = true;
                let name = label.unwrap_or_else(|| stem(template));
                discovery.deployments.push(FoundDeployment {
                    name,
                    template: template.to_owned(),
                    environments,
                    parameters: Vec::new(),
                    given: Vec::new(),
                    command: None,
                });
            }
        }
        if !has_deployment {
            discovery.others.push(template.to_owned());
        }
    }

    /// The evidence in the names of environments; an error with the candidates if they say several things.
    fn by_name(&self, template: &Path) -> Option<Result<Choice, Vec<PathBuf>>> {
        let (mut exact, mut labeled) = (Vec::new(), BTreeMap::<String, Vec<&Path>>::new());
        for environment in self.project.environments.keys() {
            match name_match(template, environment) {
                Some(NameMatch::Exact) => exact.push(environment.as_path()),
                Some(NameMatch::Labeled(label))
                    if !self.is_exact_of_another(template, environment) =>
                {
                    labeled.entry(label).or_default().push(environment);
                }
                _ => {}
            }
        }
        let of = |path: &Path| FoundEnvironment { path: path.to_owned(), evidence: Evidence::Name };
        let is_registry = |path: &&Path| {
            self.project.environments.get(*path).is_some_and(|it| it.parameters.is_empty())
        };
        if exact.is_empty() && labeled.is_empty() {
            return None;
        }
        if labeled.is_empty() {
            // One file may map the types, another one give the parameters.
            exact.sort_by_key(|path| !is_registry(path));
            if exact.iter().filter(|path| !is_registry(path)).count() > 1 {
                return Some(Err(exact.into_iter().map(Path::to_owned).collect()));
            }
            return Some(Ok(vec![(None, exact.iter().map(|path| of(path)).collect())]));
        }
        let is_alone = |path: &&Path| {
            self.project.is_declared(template, path) && self.project.is_complete(template, path)
        };
        let are_alternatives = labeled.values().all(|paths| paths.len() == 1)
            && exact.len() < 2
            && exact.iter().all(|path| is_alone(path) && labeled.values().flatten().all(is_alone));
        if !are_alternatives {
            let all = exact.iter().chain(labeled.values().flatten());
            return Some(Err(all.map(|path| (*path).to_owned()).collect()));
        }
        let unlabeled = exact.iter().map(|path| (None, vec![of(path)]));
        let labeled = labeled.iter().map(|(label, paths)| {
            (Some(label.clone()), paths.iter().map(|path| of(path)).collect())
        });
        Some(Ok(unlabeled.chain(labeled).collect()))
    }

    /// Whether a name with a label is the whole name of another template: `web-db.env` of `web-db.yaml`, not of `web.yaml`.
    fn is_exact_of_another(&self, template: &Path, environment: &Path) -> bool {
        let mut others = self.project.templates.keys().filter(|other| *other != template);
        others.any(|other| name_match(other, environment) == Some(NameMatch::Exact))
    }

    /// The evidence of environments beside a template; an error with the candidates if several fit.
    fn by_parameters(
        &self,
        template: &Path,
        nested: &BTreeMap<&Path, BTreeSet<&Path>>,
    ) -> Option<Result<Choice, Vec<PathBuf>>> {
        let project = self.project;
        let folder = template.parent()?;
        let beside: Vec<&Path> = project
            .environments
            .keys()
            .map(PathBuf::as_path)
            .filter(|path| {
                is_beside(template, path)
                    || matches!(name_match(template, path), Some(NameMatch::InFolder(_)))
            })
            .filter(|path| !self.claimed.contains(path))
            .collect();
        let gives = |path: &&&Path| {
            let facts = &project.environments[**path];
            !facts.parameters.is_empty() && project.is_declared(template, path)
        };
        let fitting: Vec<&Path> = beside.iter().filter(gives).copied().collect();
        let complete: Vec<&Path> =
            fitting.iter().filter(|path| project.is_complete(template, path)).copied().collect();
        let found = |path: &Path, evidence| FoundEnvironment { path: path.to_owned(), evidence };
        let names = |path: &Path| &project.environments[path].parameters;
        let owned =
            |paths: &[&Path]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        match complete.as_slice() {
            [one] => Some(Ok(vec![(None, vec![found(one, Evidence::Parameters)])])),
            [first, rest @ ..] => {
                let are_many = complete.len() > MAX_ALTERNATIVES;
                if are_many || rest.iter().any(|path| names(path) != names(first)) {
                    return Some(Err(owned(&complete)));
                }
                let each = complete
                    .iter()
                    .map(|path| (Some(stem(path)), vec![found(path, Evidence::Parameters)]));
                Some(Ok(each.collect()))
            }
            [] => {
                let is_root = |it: &&PathBuf| {
                    it.parent() == Some(folder) && !nested.contains_key(it.as_path())
                };
                let is_only_root = project.templates.keys().filter(is_root).count() == 1;
                match fitting.as_slice() {
                    [] => None,
                    [one] if is_only_root && beside.len() == 1 => {
                        Some(Ok(vec![(None, vec![found(one, Evidence::OnlyOne)])]))
                    }
                    several => Some(Err(owned(several))),
                }
            }
        }
    }

    /// The environments of a deployment with those that map the types which these leave open, and what several of them map.
    fn with_registries(
        &self,
        template: &Path,
        mut chosen: Vec<FoundEnvironment>,
    ) -> (Vec<FoundEnvironment>, Vec<Undecided>) {
        let project = self.project;
        let (mut added, mut several) = (0, BTreeMap::<Vec<&Path>, Vec<String>>::new());
        // Each round adds an environment, or ends.
        loop {
            let paths: Vec<&Path> = chosen.iter().map(|it| it.path.as_path()).collect();
            let is_mapped = |kind: &str| {
                paths.iter().any(|path| project.environments[*path].target(kind).is_some())
            };
            let open = project.own_types(template, &paths);
            let mut by_environment: BTreeMap<&Path, Vec<String>> = BTreeMap::new();
            several.clear();
            for kind in open.into_iter().filter(|kind| !is_mapped(kind)) {
                match self.nearest_mapping(template, kind).as_slice() {
                    [] => {}
                    [one] => by_environment.entry(one).or_default().push(kind.to_owned()),
                    all => several.entry(all.to_vec()).or_default().push(kind.to_owned()),
                }
            }
            if by_environment.is_empty() {
                break;
            }
            for (path, types) in by_environment {
                let evidence = Evidence::Registry { types };
                chosen.insert(added, FoundEnvironment { path: path.to_owned(), evidence });
                added += 1;
            }
        }
        let undecided = several.into_iter().map(|(candidates, types)| Undecided {
            template: template.to_owned(),
            candidates: candidates.into_iter().map(Path::to_owned).collect(),
            types,
        });
        (chosen, undecided.collect())
    }

    /// The environments nearest to a template that map a type, without parameters that it does not declare.
    fn nearest_mapping(&self, template: &Path, kind: &str) -> Vec<&'p Path> {
        let common = |path: &Path| {
            let folder = template.parent().unwrap_or(Path::new(""));
            let folder = folder.components();
            // A folder of environments stands for the one that it is in.
            let own = path.parent().unwrap_or(Path::new(""));
            let own = own.ancestors().find(|it| !is_folder_of_environments(it)).unwrap_or(own);
            folder.zip(own.components()).take_while(|(one, other)| one == other).count()
        };
        let mapping = self.project.environments.iter().filter(|(path, facts)| {
            facts.target(kind).is_some() && self.project.is_declared(template, path)
        });
        let all: Vec<(usize, &Path)> =
            mapping.map(|(path, _)| (common(path), path.as_path())).collect();
        let nearest = all.iter().map(|(depth, _)| *depth).max().unwrap_or_default();
        all.into_iter().filter(|(depth, _)| *depth == nearest).map(|(_, path)| path).collect()
    }
}

/// The deployment that a command line means, if its files are in the project.
fn resolve<'p>(
    project: &'p Project<'p>,
    command: &DeployCommand,
) -> Option<(&'p Path, FoundDeployment)> {
    let own = command.file.parent().unwrap_or(Path::new(""));
    let mut bases: Vec<PathBuf> = Vec::new();
    for folder in own.ancestors() {
        bases.extend(command.folder.as_ref().map(|name| folder.join(name)));
        bases.push(folder.to_owned());
        // A role of Ansible finds files in its folder for them.
        bases.extend(["files", "templates"].map(|name| folder.join(name)));
    }
    let in_base = |base: &Path, name: &str| normal(&base.join(name));
    let (base, (template, _)) = bases.iter().find_map(|base| {
        let found = project.templates.get_key_value(&in_base(base, &command.template))?;
        Some((base, found))
    })?;
    let evidence = Evidence::Command { file: command.file.clone(), line: command.line };
    let mut environments: Vec<FoundEnvironment> = Vec::new();
    for name in &command.environments {
        let all = std::iter::once(base).chain(&bases);
        let known =
            all.map(|base| in_base(base, name)).find(|it| project.environments.contains_key(it));
        // Without one of its environments it is another deployment.
        environments.push(FoundEnvironment { path: known?, evidence: evidence.clone() });
    }
    let deployment = FoundDeployment {
        name: stem(template),
        template: template.clone(),
        environments,
        parameters: command.parameters.clone(),
        given: Vec::new(),
        command: Some(evidence),
    };
    Some((template, deployment))
}

/// The name of a file without its last extension.
fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Gives deployments of the same name the names of their environments, their folders, or numbers.
fn name_apart(deployments: &mut [FoundDeployment], top: &Path) {
    let with_environment = |it: &FoundDeployment| {
        let last = it.environments.last().map(|it| stem(&it.path));
        last.map_or_else(|| it.name.clone(), |last| format!("{}-{last}", it.name))
    };
    let with_folder = |it: &FoundDeployment| {
        let template = it.template.strip_prefix(top).unwrap_or(&it.template);
        let folder = template.parent().unwrap_or(Path::new("")).to_string_lossy().replace('/', "-");
        if folder.is_empty() { it.name.clone() } else { format!("{folder}-{}", it.name) }
    };
    let steps: [&dyn Fn(&FoundDeployment) -> String; 2] = [&with_folder, &with_environment];
    for longer in steps {
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        deployments.iter().for_each(|it| *count.entry(it.name.clone()).or_default() += 1);
        for it in deployments.iter_mut().filter(|it| count[&it.name] > 1) {
            it.name = longer(it);
        }
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for it in deployments {
        let count = seen.entry(it.name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            it.name = format!("{}-{count}", it.name);
        }
    }
}
