//! A program without a file system, such as a page in a browser, opens a project: all of its files are in memory.

use std::path::Path;

use heat_engine::eval::Value;
use heat_template::schema::Schema;
use hotplate_diff::Impact;
use hotplate_project::config::Config;
use hotplate_project::{OpenedBase, Project, ReadOptions};
use lossless_yaml::Limits;
use source_files::{MemoryFiles, find};

const SETTINGS: &str = "\
[check]
select = ['HP1201']

[[deployment]]
name = 'production'
template = 'web.yaml'
environments = ['production.yaml']
parameters = {size = '3'}
";

const WEB: &str = "\
heat_template_version: 2018-08-31
parameters:
  size: {type: number}
  flavor: {type: string}
resources:
  data: {type: My::Volume, properties: {size: {get_param: size}}}
  web: {type: OS::Nova::Server, properties: {flavor: {get_param: flavor}, image: cirros, networks: []}}
outputs:
  size: {value: {get_param: size}}
";

const PRODUCTION: &str = "\
parameters: {flavor: m1.small}
resource_registry: {'My::Volume': lib/volume.yaml}
";

const VOLUME: &str = "\
heat_template_version: 2018-08-31
parameters: {size: {type: number}}
resources:
  volume: {type: OS::Cinder::Volume, properties: {size: {get_param: size}, volume_tpe: fast}}
";

fn files(changes: &[(&str, &str)]) -> MemoryFiles {
    let own = [
        ("hotplate.toml", SETTINGS),
        ("web.yaml", WEB),
        ("production.yaml", PRODUCTION),
        ("lib/volume.yaml", VOLUME),
    ];
    own.iter().chain(changes).copied().collect()
}

fn open(files: &MemoryFiles) -> anyhow::Result<Project> {
    let config = Config::open(Path::new("hotplate.toml"), files, false, false);
    let reading = ReadOptions { schema: Schema::heat(), limits: Limits::default() };
    Project::new(Path::new(""), Some(config), reading)
}

#[test]
fn a_template_is_checked_with_its_deployment() {
    let files = files(&[]);
    let project = open(&files).expect("a project");
    let found = find(&files, &["web.yaml".into()]);
    let run = project.check(&files, &found, &files).expect("findings");
    let found: Vec<_> = run
        .findings()
        .map(|(finding, sources)| {
            let source = finding.span().map(|span| sources.name(span.source));
            (source.unwrap_or_default(), finding.code.info().id, finding.message.as_str())
        })
        .collect();
    // Apart from errors only `HP1201` is selected.
    assert_eq!(
        found,
        [("lib/volume.yaml", "HP1001", "`OS::Cinder::Volume` has no property `volume_tpe`")]
    );
}

#[test]
fn the_values_are_those_of_the_environment_and_the_configuration() {
    let files = files(&[]);
    let project = open(&files).expect("a project");
    let evaluated = project.evaluate(&files, Path::new("web.yaml"));
    let [production] = evaluated.as_slice() else { panic!("one deployment: {evaluated:?}") };
    assert_eq!(production.name.as_deref(), Some("production"));
    let outputs = production.deployed.evaluation.outputs.as_ref().expect("outputs");
    assert_eq!(outputs["size"].value, Ok(Value::Int(3.into())));
    assert_eq!(production.deployed.children.keys().collect::<Vec<_>>(), ["data"]);
}

#[test]
fn an_edit_is_compared_with_another_state_of_the_files() {
    let (old, edited) =
        (files(&[]), files(&[("production.yaml", &PRODUCTION.replace("m1.small", "m1.large"))]));
    let project = open(&edited).expect("a project");
    let base = OpenedBase::Revision { files: Box::new(old), id: String::new() };
    let compared = project.compare(&base, &edited, Path::new("web.yaml")).expect("a comparison");
    let [production] = compared.as_slice() else { panic!("one deployment") };
    let comparison = production.comparison.as_ref().expect("both are readable");
    let impacts: Vec<(&str, Impact)> = comparison
        .resources
        .iter()
        .map(|it| (it.name.as_str(), it.effective_impact))
        .filter(|(_, impact)| *impact != Impact::None)
        .collect();
    assert_eq!(impacts, [("web", Impact::Update)]);
}

#[test]
fn a_wrong_setting_says_where() {
    for (settings, why) in [
        ("heat = 'nothing'", "hotplate.toml:1: `heat`"),
        ("merge = 'both'", "hotplate.toml:1: `both` is not a value of `merge`"),
        ("[check]\nselect = ['HP99']", "hotplate.toml:2: `check.select`"),
        ("[check]\nbaseline = ''", "hotplate.toml:2: `` is not a value of `check.baseline`"),
        ("[check.per-path-ignores]\n'*' = ['HP99']", "hotplate.toml:2: `check.ignore`"),
        ("max-resources = -1", "hotplate.toml:1: `max-resources`: invalid digit found in string"),
        ("files-map = {'' = 'a'}", "hotplate.toml:1: `files-map`: expected URL=PATH"),
        ("[diff]\nfail-on = ['nothing']", "hotplate.toml:2: `diff.fail-on`"),
        ("[upgrade]\nselect = ['nothing']", "hotplate.toml:2: `upgrade.select`"),
        ("[render]\nto = '1999'", "hotplate.toml:2: `render.to`"),
        ("nothing = 1", "hotplate.toml:1: unknown key `nothing`"),
    ] {
        let error = open(&files(&[("hotplate.toml", settings)])).expect_err(settings).to_string();
        assert!(error.starts_with(why), "{settings}: {error}");
    }
}
