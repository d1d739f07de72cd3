//! Deployments: which stacks contain which, and their inputs.

use deployment_testing::open;
use heat_engine::eval::deployment::{ChildStack, Deployed, deploy};
use heat_engine::eval::{BoundParameters, EvalResult, EvaluatedProperties, Key, Value};
use source_diagnostics::{Code, SourceMap};

/// Deploys `root.yaml` of these files, with `env.yaml` if there is one.
fn deployed(files: &[(&str, &str)], fill: bool) -> Deployed {
    let text = |(name, text): &(&str, &str)| match *name {
        name if name.ends_with(".yaml") && name != "env.yaml" => {
            format!("heat_template_version: rocky\n{text}")
        }
        _ => (*text).to_owned(),
    };
    let texts: Vec<String> = files.iter().map(text).collect();
    let named = files.iter().zip(&texts).map(|((name, _), text)| (*name, text.as_str()));
    let opened = open(&named.collect::<Vec<_>>(), &[], &mut SourceMap::default());
    let errors = opened.environment.findings.iter().filter(|finding| finding.is_error());
    let errors: Vec<_> = errors.collect();
    assert!(errors.is_empty() || files.len() < 2, "{errors:?}");
    opened.request(&BoundParameters::All, fill, deploy)
}

fn child<'d>(stack: &'d Deployed, name: &str) -> &'d Deployed {
    match stack.children.get(name) {
        Some(ChildStack::Stack(stack)) => stack,
        other => panic!("{name}: {other:?}"),
    }
}

fn parameter(stack: &Deployed, name: &str) -> EvalResult {
    stack.evaluation.parameters[name].clone()
}

fn output(stack: &Deployed, name: &str) -> EvalResult {
    stack.evaluation.outputs.as_ref().expect("outputs")[name].value.clone()
}

fn codes(stack: &Deployed) -> Vec<Code> {
    stack.findings().iter().map(|finding| finding.code).collect()
}

const INNER: &str = "parameters:
  a: {type: string}
  l: {type: comma_delimited_list, default: x}
outputs:
  o: {value: {list_join: ['-', [{get_param: a}, {list_join: ['+', {get_param: l}]}]]}}
";

#[test]
fn properties_become_parameters_and_outputs_become_attributes() {
    let files = [
        (
            "root.yaml",
            "resources:
  one: {type: lib/inner.yaml, properties: {a: 1, l: [y, z]}}
  two: {type: lib/inner.yaml, properties: {a: {get_attr: [one, o]}}}
outputs: {o: {value: {get_attr: [two, o]}}}
",
        ),
        ("lib/inner.yaml", INNER),
    ];
    let stack = deployed(&files, false);
    assert_eq!(parameter(child(&stack, "one"), "a"), Ok(Value::text("1")));
    assert_eq!(output(&stack, "o"), Ok(Value::text("1-y+z-x")));
    assert_eq!(child(&stack, "one").node.url(), Some("file:///lib/inner.yaml"));
    assert_eq!(codes(&stack), []);
    // Filled-in values are those of the reference implementation.
    let stack = deployed(&files, true);
    assert_eq!(output(&stack, "o"), Ok(Value::text("<<attr:two:o>>")));
    assert_eq!(stack.stack_count(), 3);
}

#[test]
fn a_child_has_the_registry_and_the_defaults_of_its_parent_but_not_its_parameters() {
    let stack = deployed(
        &[
            ("root.yaml", "parameters: {a: {type: string}}\nresources: {r: {type: My::T}}\n"),
            (
                "t.yaml",
                "parameters:
  a: {type: string}
  d: {type: string}
resources:
  same: {type: My::T}
  other: {type: My::U}
",
            ),
            ("u.yaml", ""),
            (
                "env.yaml",
                "parameters: {a: root}
parameter_defaults: {d: everywhere}
resource_registry:
  My::U: u.yaml
  resources: {r: {My::T: t.yaml}}
",
            ),
        ],
        false,
    );
    let inner = child(&stack, "r");
    assert!(matches!(parameter(inner, "a"), Ok(Value::Unknown(_))));
    assert_eq!(parameter(inner, "d"), Ok(Value::text("everywhere")));
    assert_eq!(child(inner, "other").node.url(), Some("file:///u.yaml"));
    // Within the template that implements the type, the type has its original meaning: none.
    assert_eq!(inner.children.keys().collect::<Vec<_>>(), ["other"]);
    let found = [heat_engine::codes::NESTED_REFUSED, heat_engine::codes::UNKNOWN_RESOURCE_TYPE];
    assert_eq!(codes(&stack), found, "`a` is not passed on, and `My::T` is unknown");
}

#[test]
fn members_of_groups_are_stacks_in_a_stack() {
    let stack = deployed(
        &[
            (
                "root.yaml",
                "parameters: {n: {type: number, default: 2}}
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties:
      count: {get_param: n}
      resource_def: {type: inner.yaml, properties: {a: 'no%index%'}}
  u:
    type: OS::Heat::ResourceGroup
    properties: {count: {get_attr: [g, removed_rsrc_list, 0]}, resource_def: {type: inner.yaml}}
outputs: {o: {value: {get_attr: [g, o]}}}
",
            ),
            ("inner.yaml", INNER),
        ],
        false,
    );
    let group = child(&stack, "g");
    assert_eq!(group.node.url(), None);
    assert_eq!(group.node.template.version, "2015-04-30");
    assert_eq!(parameter(child(group, "1"), "a"), Ok(Value::text("no1")));
    let names: Vec<_> = group.evaluation.parameters.keys().collect();
    assert_eq!(names, ["OS::stack_id", "OS::project_id", "OS::stack_name"]);
    let both = ["no0-x", "no1-x"].map(Value::text);
    assert_eq!(output(&stack, "o"), Ok(Value::list(both.to_vec())));
    assert!(matches!(stack.children["u"], ChildStack::Unknown(_)));
}

#[test]
fn a_stack_in_a_text_travels_with_absolute_names() {
    let stack = deployed(
        &[
            (
                "root.yaml",
                "resources:
  s: {type: OS::Heat::Stack, properties: {template: {get_file: lib/s.yaml}, parameters: {p: 1}}}
outputs: {o: {value: {get_attr: [s, outputs, o]}}}
",
            ),
            (
                "lib/s.yaml",
                "parameters: {p: {type: number}}
outputs: {o: {value: [{get_param: p}, {get_file: t.txt}]}}
",
            ),
            ("lib/t.txt", "text"),
        ],
        false,
    );
    assert_eq!(output(&stack, "o"), Ok(Value::list(vec![Value::int(1), Value::text("text")])));
    assert_eq!(codes(&stack), []);
}

#[test]
fn what_cannot_be_followed_is_found_where_it_is_named() {
    let root = "resources:
  missing: {type: no.yaml}
  unknown: {type: OS::Nova::Servr}
  shipped: {type: AWS::RDS::DBInstance}
  file: {type: OS::Heat::Value, properties: {value: {get_file: no.txt}}}
";
    let stack = deployed(&[("root.yaml", root)], true);
    // A missing file is detected when it is needed.
    let all = [heat_engine::codes::UNKNOWN_RESOURCE_TYPE, heat_engine::codes::NESTED_NOT_FOLLOWED];
    let mut found = codes(&stack);
    found.sort_by_key(|code| code.info().id);
    let mut expected = all.to_vec();
    expected.sort_by_key(|code| code.info().id);
    assert_eq!(found, expected);
    assert!(stack.findings().iter().all(|finding| finding.span().is_some()));
    let resources = stack.evaluation.resources.as_ref().expect("resources");
    let EvaluatedProperties::Each(each) = &resources["file"].properties else { panic!("whole") };
    assert_eq!(each[&Key::from("value")], Ok(Value::text("<<file:file:///no.txt>>")));
    let unfilled = deployed(&[("root.yaml", root)], false);
    let resources = unfilled.evaluation.resources.as_ref().expect("resources");
    let EvaluatedProperties::Each(each) = &resources["file"].properties else { panic!("whole") };
    assert!(matches!(each[&Key::from("value")], Ok(Value::Unknown(_))));
}

#[test]
fn properties_that_do_not_fit_make_no_stack() {
    let stack = deployed(
        &[
            (
                "root.yaml",
                "resources:
  r: {type: inner.yaml, properties: {a: {}}}
  s: {type: inner.yaml, properties: {a: x, b: y}}
",
            ),
            ("inner.yaml", INNER),
        ],
        false,
    );
    assert!(matches!(stack.children["r"], ChildStack::Failed(_)));
    assert_eq!(child(&stack, "s").stack_count(), 1);
    assert_eq!(
        codes(&stack),
        [heat_engine::codes::NESTED_REFUSED, heat_engine::codes::NESTED_REFUSED]
    );
}

#[test]
fn a_chain_without_an_end_is_cut() {
    let stack = deployed(
        &[
            ("root.yaml", "resources: {r: {type: My::T}}\n"),
            // The alias restores what the registry of a nested stack removes.
            ("t.yaml", "resources: {r: {type: My::U}}\n"),
            ("u.yaml", "resources: {r: {type: My::T}}\n"),
            ("env.yaml", "resource_registry: {'My::T': t.yaml, 'My::U': u.yaml}\n"),
        ],
        false,
    );
    // Each entry is removed below its own template, so the recursion ends.
    assert_eq!(stack.stack_count(), 3);
    assert_eq!(codes(&stack), [heat_engine::codes::UNKNOWN_RESOURCE_TYPE]);
    let group = "resources:
  r: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: 'GROUP'}}}
";
    let nested = (0..9).map(|level| {
        let text = group.replace("GROUP", &format!("t{}.yaml", level + 1));
        (format!("t{level}.yaml"), text)
    });
    let mut files: Vec<(String, String)> = nested.collect();
    files.push(("root.yaml".to_owned(), group.replace("GROUP", "t0.yaml")));
    files.push(("t9.yaml".to_owned(), String::new()));
    let files: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let found = codes(&deployed(&files, true));
    assert!(found.contains(&heat_engine::codes::DEEP_STACKS), "{found:?}");
    assert!(found.contains(&heat_engine::codes::STACKS_TOO_DEEP), "{found:?}");
}

#[test]
fn what_is_secret_stays_so_in_children() {
    let stack = deployed(
        &[
            (
                "root.yaml",
                "parameters: {p: {type: string, hidden: true, default: s}}
resources:
  r: {type: inner.yaml, properties: {a: {get_param: p}, l: [{get_param: p}]}}
  g:
    type: OS::Heat::ResourceGroup
    properties: {resource_def: {type: inner.yaml, properties: {a: {get_param: p}}}}
",
            ),
            ("inner.yaml", INNER),
        ],
        false,
    );
    for inner in [child(&stack, "r"), child(child(&stack, "g"), "0")] {
        assert_eq!(parameter(inner, "a"), Ok(Value::text("s").sealed(true)));
        assert!(output(inner, "o").expect("a value").holds_secret());
    }
}

#[test]
fn siblings_that_are_the_same_are_evaluated_once() {
    let root = "resources:
  g:
    type: OS::Heat::ResourceGroup
    properties: {count: 3, resource_def: {type: inner.yaml, properties: {a: x}}}
  h:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, resource_def: {type: inner.yaml, properties: {a: '%index%'}}}
";
    let stack = deployed(&[("root.yaml", root), ("inner.yaml", INNER)], true);
    let same = |group: &str, one: &str, other: &str| {
        std::ptr::eq(child(child(&stack, group), one), child(child(&stack, group), other))
    };
    assert!(same("g", "0", "2"));
    assert!(!same("h", "0", "1"));
}

#[test]
fn groups_and_nested_stacks_may_have_any_attribute() {
    let root = "resources:
  g: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: OS::Nova::Server}}}
  n: {type: inner.yaml, properties: {a: x}}
  s: {type: OS::Nova::Server}
  v:
    type: OS::Heat::Value
    properties: {value: [{get_attr: [g, name]}, {get_attr: [n, none]}, {get_attr: [s, none]}]}
";
    let stack = deployed(&[("root.yaml", root), ("inner.yaml", INNER)], false);
    let findings = stack.findings();
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!(finding.message, "the resource `s` has no attribute `none`");
}

#[test]
fn templates_are_lowered_once_and_shared_under_equal_registries() {
    let files = [
        (
            "root.yaml",
            "resources:
  one: {type: inner.yaml, properties: {a: 1}}
  two: {type: inner.yaml, properties: {a: 2}}
  named: {type: My::Inner, properties: {a: 3}}
  many: {type: OS::Heat::ResourceGroup, properties: {count: 1, resource_def: {type: inner.yaml, properties: {a: 4}}}}
",
        ),
        ("inner.yaml", INNER),
        ("env.yaml", "resource_registry: {My::Inner: inner.yaml}\n"),
    ];
    let stack = deployed(&files, false);
    let [one, two, named] = ["one", "two", "named"].map(|name| &child(&stack, name).node);
    let member = &child(child(&stack, "many"), "0").node;
    for shared in [two, member] {
        assert!(std::sync::Arc::ptr_eq(one, shared));
    }
    // Within a template that implements a type, the type has its previous meaning.
    assert!(!std::sync::Arc::ptr_eq(one, named));
    assert!(std::sync::Arc::ptr_eq(&one.template, &named.template));
}
