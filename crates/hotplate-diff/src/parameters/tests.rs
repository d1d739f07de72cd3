use super::*;

use crate::input::RenamedEntries;
use crate::testing::{TestDeployment, deployed, deployed_with};
use source_diagnostics::SourceMap;

fn of(
    old: &TestDeployment,
    new: &TestDeployment,
    renamed: &[(&str, &str)],
) -> Vec<ParameterChange> {
    let (old, new) = (old.side(), new.side());
    let flows = DataflowPair::new(old.deployed, new.deployed);
    let parameters =
        renamed.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect();
    let renamed = RenamedEntries { parameters, ..RenamedEntries::default() };
    let names = ParameterRenames::default();
    let (renamed, names) = (&renamed, &names);
    let input =
        ComparisonInput { old: &old, new: &new, flows: &flows, renamed, parameter_renames: names };
    compare(&input, &[])
}

fn roots(old: &str, new: &str) -> Vec<ParameterChange> {
    let (old, new) = crate::testing::pair(old, new);
    of(&old, &new, &[])
}

fn aspects(changes: &[ParameterChange]) -> Vec<(&str, Vec<ParameterAspect>)> {
    changes
        .iter()
        .map(|change| {
            let aspects = change.details.iter().map(|detail| detail.aspect).collect();
            (change.name.as_str(), aspects)
        })
        .collect()
}

#[test]
fn another_spelling_is_no_difference() {
    let old = "parameters:
  s: {type: string, default: 1, constraints: [{length: {max: 3}}]}
  l: {type: comma_delimited_list, default: 'a,b'}
  j: {type: json, default: '{\"a\": 1}', tags: [x, y]}
  i: {type: string, default: i, hidden: false}
";
    let new = "parameters:
  j: {type: json, default: {a: 1}, tags: [y, x]}
  i: {default: i, type: string}
  s: {type: string, default: '1', constraints: [{length: {max: '3', min: 0}}]}
  l: {type: comma_delimited_list, default: [a, b]}
";
    assert_eq!(aspects(&roots(old, new)), []);
}

#[test]
fn declarations_differ_in_their_aspects() {
    let old = "parameters:
  a: {type: string, default: '1', label: x}
  b: {type: string, default: x, constraints: [{allowed_values: [x, y]}]}
  c: {type: string, default: x}
  gone: {type: string, default: x}
";
    let new = "parameters:
  a: {type: number, default: 1, label: y}
  b: {type: string, default: y, immutable: true, constraints: [{allowed_values: [y]}]}
  c: {type: string, default: x, hidden: true, description: d}
  added: {type: string}
";
    let changes = roots(old, new);
    assert_eq!(
        aspects(&changes),
        [
            (
                "a",
                vec![
                    ParameterAspect::Type,
                    ParameterAspect::Default,
                    ParameterAspect::Documentation,
                    ParameterAspect::Value
                ]
            ),
            (
                "b",
                vec![
                    ParameterAspect::Default,
                    ParameterAspect::ConstraintTightened,
                    ParameterAspect::Immutable,
                    ParameterAspect::Value
                ]
            ),
            ("c", vec![ParameterAspect::Hidden, ParameterAspect::Documentation]),
            ("gone", vec![ParameterAspect::Type, ParameterAspect::Value]),
            ("added", vec![ParameterAspect::Type, ParameterAspect::Value]),
        ]
    );
    // The new declaration counts, and a new default is a new value.
    let refused: Vec<bool> = changes.iter().map(|change| change.refused).collect();
    assert_eq!(refused, [false, true, false, false, false]);
    assert_eq!(changes[3].change, EntryStatus::Removed);
    assert_eq!(changes[4].change, EntryStatus::Added);
}

#[test]
fn a_parameter_that_is_hidden_on_one_side_is_secret_on_both() {
    let old = "parameters: {p: {type: string, default: old}}";
    let new = "parameters: {p: {type: string, default: new, hidden: true}}";
    for changes in [roots(old, new), roots(new, old)] {
        for detail in &changes[0].details {
            if detail.aspect != ParameterAspect::Hidden {
                for value in [&detail.value.old, &detail.value.new] {
                    assert!(matches!(value, DisplayValue::Value(Value::Secret(_))), "{value:?}");
                }
            }
        }
    }
}

#[test]
fn constraints_that_state_values_of_a_hidden_parameter_are_secret() {
    let text = |hidden: &str, constraints: &str| {
        format!(
            "parameters: {{p: {{type: string, default: s3cret{hidden}, constraints: [{constraints}]}}}}"
        )
    };
    let kinds = [
        ("allowed_values: [s3cret]", true),
        ("allowed_pattern: s3cret", true),
        ("length: {min: 6}", false),
        ("custom_constraint: nova.keypair", false),
    ];
    for (constraint, is_secret) in kinds {
        let with = format!("{{{constraint}}}");
        for (old, new) in
            [(", hidden: true", ""), ("", ", hidden: true"), (", hidden: true", ", hidden: true")]
        {
            for changes in
                [roots(&text(old, &with), &text(new, "")), roots(&text(old, ""), &text(new, &with))]
            {
                let shown = format!("{:?}", changes[0].details);
                assert!(!shown.contains("s3cret"), "{shown}");
                assert_eq!(shown.contains("min") || shown.contains("nova"), !is_secret, "{shown}");
            }
        }
    }
}

#[test]
fn a_value_is_told_where_it_is_written_and_reaches_resources() {
    let root = "
parameters: {p: {type: string, default: d}, q: {type: string, default: q}}
resources:
  a: {type: OS::Nova::Server, properties: {name: {get_param: p}}}
  b: {type: OS::Nova::Server, properties: {name: {get_param: q}}}
";
    let mut sources = SourceMap::default();
    let old = deployed(&[("root.yaml", root)], &mut sources);
    let files = [("root.yaml", root), ("env.yaml", "parameters: {p: e}")];
    let new = deployed(&files, &mut sources);
    let changes = of(&old, &new, &[]);
    assert_eq!(aspects(&changes), [("p", vec![ParameterAspect::Value])]);
    assert_eq!(changes[0].affects, ["a"]);
    let place = changes[0].details[0].places.new.expect("a place");
    assert_eq!(sources.name(place.source), "env.yaml");
    let place = changes[0].details[0].places.old.expect("a place");
    assert_eq!(sources.name(place.source), "root.yaml");
}

#[test]
fn a_parameter_with_another_name_is_one_parameter() {
    let (old, new) = crate::testing::pair(
        "parameters: {a: {type: string, default: x, immutable: true}}",
        "parameters: {b: {type: string, default: y, immutable: true}}",
    );
    let changes = of(&old, &new, &[("a", "b")]);
    assert_eq!(aspects(&changes), [("b", vec![ParameterAspect::Default, ParameterAspect::Value])]);
    assert_eq!(changes[0].change, EntryStatus::Renamed { from: "a".to_owned() });
    assert!(!changes[0].refused, "Heat knows no such parameter before");
}

#[test]
fn nested_declarations_are_told_once_and_their_values_only_where_heat_refuses_them() {
    let root = |value: &str| {
        format!(
            "
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties: {{count: 2, resource_def: {{type: inner.yaml, properties: {{a: {value}}}}}}}
"
        )
    };
    let inner = |more: &str| format!("parameters: {{a: {{type: string{more}}}}}");
    let one = |value: &str, more: &str| {
        let (root, inner) = (root(value), inner(more));
        let files = [("root.yaml", root.as_str()), ("inner.yaml", inner.as_str())];
        deployed(&files, &mut SourceMap::default())
    };
    let changes = of(&one("x", ""), &one("y", ", default: d"), &[]);
    assert_eq!(aspects(&changes), [("g/0/a", vec![ParameterAspect::Default])]);
    let changes = of(&one("x", ""), &one("y", ", immutable: true"), &[]);
    let value = vec![ParameterAspect::Immutable, ParameterAspect::Value];
    assert_eq!(aspects(&changes), [("g/0/a", value), ("g/1/a", vec![ParameterAspect::Value])]);
    assert!(changes.iter().all(|change| change.refused));
}

#[test]
fn heat_compares_the_old_value_with_the_text_that_is_given() {
    let root = "
parameters: {n: {type: number, immutable: true, default: 1}, s: {type: string, immutable: true}}
";
    let mut sources = SourceMap::default();
    let mut one =
        |arguments: &[&str]| deployed_with(&[("root.yaml", root)], arguments, &mut sources);
    let (old, new) = (one(&["n=5", "s=x"]), one(&["n=5", "s=x"]));
    assert_eq!(aspects(&of(&old, &new, &[])), []);
    let (one, other) = (old.side(), new.side());
    let flows = DataflowPair::new(one.deployed, other.deployed);
    let (renamed, names) = (&RenamedEntries::default(), &ParameterRenames::default());
    let input = ComparisonInput {
        old: &one,
        new: &other,
        flows: &flows,
        renamed,
        parameter_renames: names,
    };
    let changes = mark_refused_spellings(&input, &[]);
    assert_eq!(aspects(&changes), [("n", vec![ParameterAspect::Value])]);
    assert!(changes[0].refused);
}

#[test]
fn what_an_immutable_parameter_changes_is_refused() {
    let text = |value: &str| {
        format!(
            "
parameters: {{p: {{type: string, default: {value}, immutable: true}}}}
resources:
  a: {{type: OS::Nova::Server, properties: {{name: {{get_param: p}}, image: i}}}}
  b: {{type: OS::Nova::Server, properties: {{name: b, image: i}}}}
"
        )
    };
    let (old, new) = crate::testing::pair(&text("x"), &text("y"));
    let changes = of(&old, &new, &[]);
    let flows = DataflowPair::new(old.side().deployed, new.side().deployed);
    let reason = |part| ChangeReason {
        part,
        impact: Impact::Update,
        rule: UpdateRule::Updatable,
        value: Pair::default(),
        places: Places::default(),
        changes: Vec::new(),
    };
    let change = |name: &str, part| DecidedResource {
        name: name.to_owned(),
        impact: Impact::Update,
        reasons: vec![reason(part)],
        ..DecidedResource::default()
    };
    let name = || DefinitionPart::Property("name".to_owned());
    let mut resources = [change("a", name()), change("b", name())];
    refuse_immutable_changes(&changes, &flows, &mut resources);
    let impacts = resources.each_ref().map(|resource| resource.impact);
    assert_eq!(impacts, [Impact::Refused, Impact::Update]);
    let why = UpdateRule::ImmutableParameter {
        parameter: "p".to_owned(),
        values: Some(("x".to_owned(), "y".to_owned())),
    };
    assert_eq!(resources[0].reasons[0].rule, why);
    let mut resources = [change("a", DefinitionPart::Property("image".to_owned()))];
    refuse_immutable_changes(&changes, &flows, &mut resources);
    assert_eq!(resources[0].impact, Impact::Update);
}
