use super::*;
use source_files::MemoryFiles;
use source_files::git::ChangeStatus;

/// Two revisions in memory and the files that differ between them.
struct Repository {
    files: Pair<MemoryFiles>,
    names: Pair<Vec<PathBuf>>,
    changed: Vec<ChangedFile>,
    environments: Pair<Vec<PathBuf>>,
}

impl Repository {
    /// Takes path, old text and new text of each file; an empty text means that the file does not exist.
    fn new(files: &[(&str, &str, &str)]) -> Self {
        let side = |of: &dyn Fn(&(&str, &str, &str)) -> String| -> (MemoryFiles, Vec<PathBuf>) {
            let here = files.iter().filter(|it| !of(it).is_empty());
            let memory = here.clone().map(|it| (it.0, of(it))).collect();
            let mut names: Vec<PathBuf> = here.map(|it| it.0.into()).collect();
            names.sort();
            (memory, names)
        };
        let (old, old_names) = side(&|it| it.1.to_owned());
        let (new, new_names) = side(&|it| it.2.to_owned());
        let changed = files.iter().filter(|(_, old, new)| old != new).map(|(path, old, new)| {
            let on = |text: &str| (!text.is_empty()).then(|| PathBuf::from(path));
            let (old_path, new_path) = (on(old), on(new));
            let status = match (&old_path, &new_path) {
                (None, _) => ChangeStatus::Added,
                (_, None) => ChangeStatus::Deleted,
                _ => ChangeStatus::Modified,
            };
            ChangedFile { status, old_path, new_path, is_link: false, is_submodule: false }
        });
        Repository {
            changed: changed.collect(),
            files: Pair { old, new },
            names: Pair { old: old_names, new: new_names },
            environments: Pair::default(),
        }
    }

    fn deployed_with(mut self, old: &[&str], new: &[&str]) -> Self {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect();
        self.environments = Pair { old: paths(old), new: paths(new) };
        self
    }

    fn affected(&self, paths: &[&str]) -> Affected {
        let side = |files, names, environments| Revision {
            files,
            candidates: names,
            environments,
            folder: std::path::Path::new(""),
        };
        let sides = Pair {
            old: side(&self.files.old as &dyn FileSource, &self.names.old, &self.environments.old),
            new: side(&self.files.new as &dyn FileSource, &self.names.new, &self.environments.new),
        };
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        let deployments: Pair<DeploymentsOf<'_>> =
            Pair { old: &|_| Vec::new(), new: &|_| Vec::new() };
        affected(
            &sides,
            &self.changed,
            &paths,
            &deployments,
            &Limits::default(),
            &KnownFacts::default(),
        )
    }

    /// The names of the templates to compare, each with the changed files that affect it.
    fn roots(&self, paths: &[&str]) -> Vec<String> {
        let affected = self.affected(paths);
        assert_eq!(affected.findings, []);
        let shown = |path: &PathBuf| path.display().to_string();
        let side = |path: &Option<PathBuf>| path.as_ref().map_or("-".to_owned(), shown);
        let roots = affected.roots.iter().map(|root| {
            let because: Vec<String> =
                root.causes.iter().chain(&root.environments).map(shown).collect();
            let (old, new) = (side(&root.path.old), side(&root.path.new));
            let name = if old == new { new } else { format!("{old} > {new}") };
            format!("{name}: {}", because.join(" "))
        });
        roots.collect()
    }
}

const HOT: &str = "heat_template_version: pike\n";

fn nests(names: &[&str]) -> String {
    let resources: String =
        names.iter().enumerate().map(|(at, name)| format!("  r{at}: {{type: {name}}}\n")).collect();
    format!("{HOT}resources:\n{resources}")
}

fn declares(name: &str) -> String {
    format!("{HOT}parameters: {{{name}: {{type: string}}}}\n")
}

#[test]
fn a_template_that_differs_is_compared_and_others_are_not() {
    let other = format!("{HOT}# other\n");
    let repository = Repository::new(&[
        ("a.yaml", HOT, &other),
        ("b.yaml", HOT, HOT),
        ("new.yaml", "", HOT),
        ("gone.yaml", HOT, ""),
        ("notes.md", "heat_template_version", "heat_template_version: x: y"),
        ("other.yaml", "a: 1", "a: 2"),
        ("no-extension", HOT, &other),
    ]);
    assert_eq!(
        repository.roots(&[]),
        [
            "a.yaml: a.yaml",
            "gone.yaml > -: gone.yaml",
            "- > new.yaml: new.yaml",
            "no-extension: no-extension",
        ]
    );
}

#[test]
fn what_nests_a_changed_file_is_compared_in_its_place() {
    let (root, middle) = (nests(&["lib/middle.yaml"]), nests(&["../deep.yaml"]));
    let script = format!("{HOT}outputs: {{o: {{value: {{get_file: run.sh}}}}}}\n");
    let repository = Repository::new(&[
        ("root.yaml", &root, &root),
        ("lib/middle.yaml", &middle, &middle),
        ("deep.yaml", &script, &script),
        ("run.sh", "old", "new"),
        ("alone.yaml", HOT, HOT),
    ]);
    assert_eq!(repository.roots(&[]), ["root.yaml: run.sh"]);
    // A template that the user names is compared by itself.
    assert_eq!(repository.roots(&["deep.yaml"]), ["deep.yaml: run.sh"]);
    // If the root is not selected, the outermost selected template is compared.
    assert_eq!(repository.roots(&["lib"]), ["lib/middle.yaml: run.sh"]);
}

#[test]
fn a_reference_counts_on_the_side_where_it_is_written() {
    let (with, without) = (nests(&["net.yaml"]), nests(&["OS::Heat::None"]));
    let repository = Repository::new(&[("root.yaml", &with, &without), ("net.yaml", HOT, "")]);
    assert_eq!(repository.roots(&[]), ["root.yaml: net.yaml root.yaml"]);
    // No template nests it any more, but the file still exists.
    let other = format!("{HOT}# other\n");
    let repository = Repository::new(&[("root.yaml", &with, &without), ("net.yaml", HOT, &other)]);
    assert_eq!(repository.roots(&[]), ["net.yaml: net.yaml", "root.yaml: net.yaml root.yaml"]);
}

#[test]
fn templates_that_nest_each_other_are_not_lost() {
    let (one, other) = (nests(&["b.yaml"]), nests(&["a.yaml"]));
    let changed = format!("{one}# changed\n");
    let repository = Repository::new(&[("a.yaml", &one, &changed), ("b.yaml", &other, &other)]);
    assert_eq!(repository.roots(&[]), ["a.yaml: a.yaml"]);
}

#[test]
fn a_renamed_template_has_two_paths() {
    let mut repository = Repository::new(&[("old.yaml", HOT, ""), ("new.yaml", "", HOT)]);
    repository.changed = vec![ChangedFile {
        status: ChangeStatus::Renamed,
        old_path: Some("old.yaml".into()),
        new_path: Some("new.yaml".into()),
        is_link: false,
        is_submodule: false,
    }];
    assert_eq!(repository.roots(&[]), ["old.yaml > new.yaml: new.yaml old.yaml"]);
}

#[test]
fn environments_reach_what_knows_their_names() {
    let (size, other) = (declares("size"), declares("other"));
    let uses = nests(&["My::Server"]);
    let files = |old: &'static str, new: &'static str| {
        let files: [(&str, &str, &str); 5] = [
            ("size.yaml", &size, &size),
            ("other.yaml", &other, &other),
            ("uses.yaml", &uses, &uses),
            ("server.yaml", HOT, HOT),
            ("env.yaml", old, new),
        ];
        Repository::new(&files)
    };
    let values = ("parameters: {size: 1}", "parameters: {size: 2}");
    let given = files(values.0, values.1).deployed_with(&["env.yaml"], &["env.yaml"]);
    assert_eq!(given.roots(&[]), ["size.yaml: env.yaml"]);
    let registry = "resource_registry: {My::*: Your::*, Your::Server: server.yaml}";
    let added = files("", registry).deployed_with(&["env.yaml"], &["env.yaml"]);
    assert_eq!(added.roots(&[]), ["uses.yaml: env.yaml"]);
    let broken = files("parameters: {size: 1}", "a: [").deployed_with(&["env.yaml"], &["env.yaml"]);
    let all = ["other.yaml", "server.yaml", "size.yaml", "uses.yaml"];
    assert_eq!(broken.roots(&[]), all.map(|name| format!("{name}: env.yaml")));
    let not_given = files(values.0, values.1).affected(&[]);
    assert_eq!(not_given.roots, []);
    assert_eq!(not_given.environments, [PathBuf::from("env.yaml")]);
}

#[test]
fn a_template_that_the_registry_names_is_nested() {
    let uses = nests(&["My::Server"]);
    let other = format!("{HOT}# other\n");
    let registry = "resource_registry: {My::Server: server.yaml}";
    let repository = || {
        Repository::new(&[
            ("uses.yaml", &uses, &uses),
            ("server.yaml", HOT, &other),
            ("env.yaml", registry, registry),
        ])
    };
    let given = repository().deployed_with(&["env.yaml"], &["env.yaml"]);
    assert_eq!(given.roots(&[]), ["uses.yaml: server.yaml"]);
    // Without the environment the mapping is unknown.
    assert_eq!(repository().roots(&[]), ["server.yaml: server.yaml"]);
    // Another list of environments is a change too.
    let replaced =
        Repository::new(&[("uses.yaml", &uses, &uses), ("env.yaml", registry, registry)]);
    let replaced = replaced.deployed_with(&[], &["env.yaml"]);
    assert_eq!(replaced.roots(&[]), ["uses.yaml: env.yaml"]);
}

#[test]
fn what_cannot_be_compared_is_told_of() {
    let cfn = "HeatTemplateFormatVersion: '2012-12-12'\n";
    let changed = format!("{cfn}# changed\n");
    let repository = Repository::new(&[
        ("cfn.yaml", cfn, &changed),
        ("broken.yaml", "heat_template_version: [", "heat_template_version: ["),
        ("worse.yaml", "heat_template_version: [", "heat_template_version: [["),
        ("breaks.yaml", HOT, "heat_template_version: ["),
        ("becomes.yaml", "parameters: {}", HOT),
    ]);
    assert_eq!(
        repository.roots(&[]),
        [
            "becomes.yaml: becomes.yaml",
            "breaks.yaml: breaks.yaml",
            "cfn.yaml: cfn.yaml",
            "worse.yaml: worse.yaml",
        ]
    );
    let missing = repository.affected(&["breakz.yaml"]);
    assert_eq!(missing.roots, []);
    assert_eq!(missing.findings[0].help, ["did you mean `breaks.yaml`?"]);
}
