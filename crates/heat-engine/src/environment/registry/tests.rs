use std::path::Path;

use super::*;
use crate::environment::read::resolved_registry;
use lossless_yaml::{Limits, read_yaml};
use source_diagnostics::SourceId;
use source_files::MemoryFiles;

fn load(text: &str) -> (Registry, Vec<Diagnostic>) {
    let document = read_yaml(SourceId(0), text.into(), &Limits::default()).expect("YAML");
    let env = Location::from_argument(Path::new("/e/env.yaml"), &MemoryFiles::default());
    let root = document.root().expect("a root");
    let (map, mut findings) = resolved_registry(&document, root, &env);
    let (registry, more) = Registry::load(Schema::heat(), &map);
    findings.extend(more);
    (registry, findings)
}

fn registry(text: &str) -> Registry {
    let (registry, findings) = load(text);
    assert_eq!(findings, [], "{text}");
    registry
}

fn shown(result: Result<Implementation<'_>, LookupError>) -> String {
    match result {
        Ok(Implementation::Plugin(name, _)) => name.to_owned(),
        Ok(Implementation::Template(NestedTemplate::File(location), _)) => location.to_string(),
        Ok(Implementation::Template(NestedTemplate::Key(key), _)) => key,
        Ok(Implementation::Template(NestedTemplate::Shipped(name), _)) => format!("<{name}>"),
        Ok(Implementation::Candidates(_)) => "candidates".to_owned(),
        Err(LookupError::NotFound(name)) => format!("no {name}"),
        Err(LookupError::Endless(name)) => format!("endless {name}"),
    }
}

fn found(text: &str, resource_type: &str) -> String {
    shown(registry(text).lookup(resource_type, Some("web")))
}

#[test]
fn the_first_in_order_wins() {
    for (text, resource_type, expected) in [
        ("{}", "OS::Nova::Server", "OS::Nova::Server"),
        ("{}", "OS::Quantum::Net", "OS::Neutron::Net"),
        ("{}", "OS::Metering::Alarm", "OS::Aodh::Alarm"),
        ("{}", "AWS::RDS::DBInstance", "<AWS_RDS_DBInstance.yaml>"),
        ("{}", "My::Type", "no My::Type"),
        ("{}", "file:///t/x.yaml", "file:///t/x.yaml"),
        ("{}", "x.yml", "no x.yml"),
        ("OS::Nova::Server: s.yaml", "OS::Nova::Server", "/e/s.yaml"),
        ("OS::Nova::Server: s.template", "OS::Nova::Server", "/e/s.template"),
        ("OS::Nova::Server: s.yml", "OS::Nova::Server", "OS::Nova::Server"),
        ("My::A: My::B\nMy::B: OS::Heat::None", "My::A", "OS::Heat::None"),
        // The star sorts before letters: the wider pattern wins, and even over the exact type.
        ("OS::*: OS::Heat::None\nOS::Nova::*: s.yaml", "OS::Nova::Server", "OS::Heat::None"),
        (
            "OS::Nova::*: OS::Heat::None\nOS::Nova::Server: s.yaml",
            "OS::Nova::Server",
            "OS::Heat::None",
        ),
        (
            "OS::Nova::Server: s.yaml\nOS::Nova::Server*: OS::Heat::None",
            "OS::Nova::Server",
            "/e/s.yaml",
        ),
        ("OS::Nova::*: s.yaml", "OS::Nova::Server", "OS::Nova::Server"),
        ("OS::*: OS::Heat::None", "OS::Heat::None", "OS::Heat::None"),
        ("My::Net::*: OS::Neutron::*", "My::Net::Port", "OS::Neutron::Port"),
        // Heat's own aliases do not lead back to the user's entries.
        ("OS::Neutron::Net: n.yaml", "OS::Quantum::Net", "OS::Neutron::Net"),
        // An entry with an unknown target is skipped.
        ("OS::Nova::Server: My::Missing", "OS::Nova::Server", "OS::Nova::Server"),
        ("My::A: My::B\nMy::B: My::A", "My::A", "endless My::A"),
        ("A::*: A::A::*", "A::x", "endless A::x"),
        ("\"*\": OS::Heat::None", "file:///t/x.yaml", "OS::Heat::None"),
        ("foo.yaml: OS::Heat::None", "foo.yaml", "foo.yaml"),
        (
            "resources: {web: {OS::Nova::Server: s.yaml}}\nOS::Nova::*: OS::Heat::None",
            "OS::Nova::Server",
            "/e/s.yaml",
        ),
        ("resources: {we*: {OS::Nova::Server: s.yaml}}", "OS::Nova::Server", "OS::Nova::Server"),
        ("My::A: [a.yaml, b.yaml]", "My::A", "candidates"),
        ("base_url: file:///lib\nMy::A: a.yaml", "My::A", "/lib/a.yaml"),
        ("resources: {web: {base_url: file:///w, My::A: a.yaml}}", "My::A", "/w/a.yaml"),
    ] {
        assert_eq!(found(text, resource_type), expected, "{text}: {resource_type}");
    }
}

#[test]
fn a_null_takes_away_what_stands_before_it() {
    let mut map =
        registry("My::A: OS::Heat::None\nMy::B: OS::Heat::None\nZ::C: OS::Heat::None").to_tree();
    map.insert("My::*".to_owned(), EnvironmentNode::new(EnvironmentValue::Null, Span::NOWHERE));
    let (registry, findings) = Registry::load(Schema::heat(), &map);
    assert_eq!(findings, []);
    let keys: Vec<String> = registry.to_tree().keys().cloned().collect();
    assert_eq!(keys, ["resources", "Z::C"]);
}

#[test]
fn hooks_and_actions_go_by_patterns() {
    let registry = registry(
        "resources:\n  web*: {hooks: pre-create, restricted_actions: [update]}\n  '*1': {restricted_actions: replace}",
    );
    assert!(registry.hook("web1", "pre-create").is_some());
    assert!(registry.hook("web1", "pre-update").is_none());
    assert!(registry.hook("db1", "pre-create").is_none());
    let actions = registry.restricted_actions("web1");
    assert_eq!(actions.keys().copied().collect::<Vec<_>>(), ["update", "replace"]);
    assert_eq!(registry.restricted_actions("db").len(), 0);
}

#[test]
fn scopes_are_found_by_every_kind_of_pattern_in_their_order() {
    let registry = registry(
        "resources:\n  '*b': {hooks: pre-delete}\n  web: {hooks: pre-create}\n  '[v-x]e?': {hooks: post-create}\n  'we*b': {hooks: pre-update}\n  '[web': {hooks: post-update}\n  'x]*': {hooks: post-delete}",
    );
    let hooks = |name| registry.words(name, HOOKS_KEY).map(|(hook, _)| hook).collect::<Vec<_>>();
    assert_eq!(hooks("web"), ["pre-delete", "pre-create", "post-create", "pre-update"]);
    assert_eq!(hooks("wb"), ["pre-delete"]);
    assert_eq!(hooks("we"), [""; 0]);
    assert_eq!(hooks("xé"), [""; 0]);
    assert_eq!(hooks("xea"), ["post-create"]);
    assert_eq!(hooks("[web"), ["pre-delete", "post-update"]);
    assert_eq!(hooks("x]é"), ["post-delete"]);
}

#[test]
fn what_heat_fails_on_is_found() {
    for text in [
        "My::A: 5",
        "My::A: null",
        "My::A: true",
        "My::A: [a.yaml, 5]",
        "resources: null",
        "resources: {web: x.yaml}",
        "resources: {web: null}",
        "resources: {web: {hooks: pre-delte}}",
        "resources: {web: {hooks: [pre-create, 5]}}",
        "resources: {web: {hooks: {a: b}}}",
        "resources: {web: {restricted_actions: delete}}",
    ] {
        let (_, findings) = load(text);
        assert!(!findings.is_empty(), "{text}");
        assert!(
            findings.iter().all(|f| f.code == crate::codes::REGISTRY_ENTRY && f.is_error()),
            "{text}"
        );
    }
}

#[test]
fn a_child_has_what_concerns_it() {
    let parent = registry(
        "OS::Nova::Server: server.yaml\n\
             resources: {we*: {inner: {hooks: pre-create}}, db: {other: {My::T: a.yaml}}, web: {inner: {My::T: b.yaml}}}",
    );
    let Ok(Implementation::Template(_, Some(entry))) =
        parent.lookup("OS::Nova::Server", Some("web"))
    else {
        panic!("no template")
    };
    let child = parent.of_child(Some("web"), Some(entry));
    assert_eq!(shown(child.lookup("OS::Nova::Server", None)), "OS::Nova::Server");
    // The client resolves files one level below `resources` only.
    assert_eq!(shown(child.lookup("My::T", Some("inner"))), "b.yaml");
    assert_eq!(shown(child.lookup("My::T", Some("other"))), "no My::T");
    // The scope of the exact name replaces that of the pattern.
    assert!(child.hook("inner", "pre-create").is_none());
    let sibling = parent.of_child(Some("went"), None);
    assert!(sibling.hook("inner", "pre-create").is_some());
}
