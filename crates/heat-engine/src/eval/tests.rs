//! Tests on whole stacks: known, unknown and secret values, and failures.

use indexmap::IndexMap;

use super::*;
use heat_template::hot::{DocumentKind, lower, recognize};
use heat_template::ir::Stack;
use heat_template::schema::Schema;
use lossless_yaml::{Limits, read};
use python_semantics::ExceptionClass;
use source_diagnostics::SourceId;

fn stack(text: &str) -> Stack {
    let limits = Limits { depth: 900, nodes: usize::MAX, ..Limits::default() };
    let document = read(SourceId(0), text.into(), &limits).expect("readable");
    match recognize(&document) {
        DocumentKind::Hot { version, node, .. } => lower(&document, version, node).stack,
        other => panic!("no template: {other:?}"),
    }
}

/// Evaluates a template; parameters have their defaults, hidden ones are secret, and those without
/// a default are unknown.
fn evaluated(text: &str, attrs: &[(&str, Value)], fill: bool) -> Evaluation {
    evaluated_within(text, attrs, fill, &Budget::default())
}

fn evaluated_within(
    text: &str,
    attrs: &[(&str, Value)],
    fill: bool,
    effort: &Budget,
) -> Evaluation {
    let stack = stack(text);
    let mut parameters = parameters::Parameters {
        values: IndexMap::new(),
        failures: Vec::new(),
        unchecked: Vec::new(),
    };
    for (name, parameter) in &stack.parameters {
        let value = match &parameter.default {
            Some(default) => Value::from_expr_as_sent(default),
            None => Value::Unknown(std::sync::Arc::new(Unknown::leaf(
                heat_template::ir::Expr::new(
                    heat_template::ir::ExprKind::Null,
                    parameter.name_span,
                ),
                Dependency::Parameter(name.clone()),
                0,
            ))),
        };
        parameters.values.insert(name.clone(), Ok(value.sealed(parameter.is_hidden())));
    }
    let mut table = ResourceStates::new(&stack, Schema::heat(), fill);
    table.extend(&Value::map(attrs.iter().cloned())).expect("a table");
    let files = IndexMap::from([("known.txt".to_owned(), "content".to_owned())]);
    let inputs = EvaluationInputs {
        schema: Schema::heat(),
        parameters: &parameters,
        runtime: &table,
        files: &files,
        facade: None,
        zones: None,
        level: 0,
        yaql: heat_yaql_options(),
        budget: effort,
        recover: false,
    };
    evaluate(&stack, inputs)
}

/// Evaluates the output `value` of a template that begins with these lines.
fn output(lines: &str, value: &str) -> EvalResult {
    let text =
        format!("heat_template_version: 2021-04-16\n{lines}\noutputs: {{o: {{value: {value}}}}}\n");
    let evaluation = evaluated(&text, &[], false);
    assert_eq!(evaluation.failures, [], "{value}");
    evaluation.outputs.expect("outputs")["o"].value.clone()
}

const SURROUNDINGS: &str = "
parameters:
  open: {type: string}
  word: {type: string, default: a}
  flag: {type: boolean, default: true}
  unset: {type: boolean}
  secret: {type: string, default: s3, hidden: true}
  tree: {type: json, default: {k: v, l: [1, 2]}}
resources:
  server: {type: OS::Nova::Server}
conditions:
  maybe: {get_param: unset}
  sure: true
";

fn get(value: &str) -> Value {
    output(SURROUNDINGS, value).expect(value)
}

fn dependencies(value: &Value) -> Vec<Dependency> {
    let mut found = Default::default();
    value.collect_dependencies(&mut found);
    found.into_iter().collect()
}

#[test]
fn what_is_not_known_stays_with_everything_that_it_depends_on() {
    let value = get("{list_join: ['', [{get_param: open}, {get_resource: server}, b]]}");
    assert!(matches!(value, Value::Unknown(_)));
    let open = Dependency::Parameter("open".into());
    assert_eq!(dependencies(&value), [open, Dependency::Resource("server".into())]);
    let value = get("{get_attr: [server, networks, {get_param: word}]}");
    let attribute = Dependency::Attribute("server".into(), Some("networks".into()));
    assert_eq!(dependencies(&value), [attribute]);
}

#[test]
fn structure_around_the_unknown_is_known() {
    for value in [
        "{a: {get_param: open}, b: 1}",
        "{map_merge: [{a: 2, b: 1}, {a: {get_param: open}}]}",
        "{map_replace: [{x: {get_param: open}, b: 1}, {keys: {x: a}}]}",
    ] {
        let Value::Map(map) = get(value) else { panic!("{value}") };
        assert!(matches!(map.get("a"), Some(Value::Unknown(_))), "{value}");
        assert_eq!(map.get("b"), Some(&Value::int(1)), "{value}");
    }
    for value in [
        "{list_concat: [[1], [{get_param: open}]]}",
        "{repeat: {for_each: {'%': [x, y]}, template: {get_param: open}}}",
    ] {
        let Value::List(items) = get(value) else { panic!("{value}") };
        assert_eq!(items.len(), 2, "{value}");
        assert!(matches!(items[1], Value::Unknown(_)), "{value}");
    }
    let unknown = get("{list_concat_unique: [[1], [{get_param: open}]]}");
    assert!(matches!(unknown, Value::Unknown(_)));
}

#[test]
fn an_unknown_condition_leaves_everything_open() {
    let value = get("{if: [maybe, {get_param: open}, {get_resource: server}]}");
    assert!(matches!(value, Value::Unknown(_)));
    assert_eq!(dependencies(&value).len(), 3);
    // An error in a branch that may not be taken is not reported.
    assert!(matches!(get("{if: [maybe, 1, {list_join: [',', [1]]}]}"), Value::Unknown(_)));
    assert_eq!(get("{if: [{or: [maybe, sure]}, 1, 2]}"), Value::int(1));
    assert_eq!(get("{if: [{and: [{not: sure}, maybe]}, 1, 2]}"), Value::int(2));
    let text = format!("heat_template_version: 2021-04-16\n{SURROUNDINGS}")
        .replace("{type: OS::Nova::Server}", "{type: T, condition: maybe}");
    let evaluation = evaluated(&text, &[], false);
    assert_eq!(evaluation.disabled_resources, [""; 0]);
    assert!(evaluation.resources.is_some_and(|resources| resources.contains_key("server")));
}

#[test]
fn yaql_is_not_known_but_its_data_is_looked_at() {
    let value = get("{yaql: {expression: $.data, data: {get_param: open}}}");
    assert_eq!(dependencies(&value), [Dependency::Parameter("open".into())]);
    assert!(output(SURROUNDINGS, "{yaql: {expression: 1}}").is_err());
}

#[test]
fn a_secret_taints_what_is_computed_from_it_and_nothing_else() {
    let Value::List(items) = get("[{get_param: secret}, {get_param: word}]") else {
        panic!("a list")
    };
    assert_eq!(items[0], Value::text("s3").sealed(true));
    assert_eq!(items[1], Value::text("a"));
    for value in [
        "{list_join: ['', [a, {get_param: secret}]]}",
        "{str_replace: {template: x, params: {x: {get_param: secret}}}}",
        "{digest: [md5, {get_param: secret}]}",
        "{get_param: [tree, {get_param: secret}]}",
        "{get_param: [secret, 0]}",
        "{if: [{equals: [{get_param: secret}, s3]}, 1, 2]}",
        "{contains: [s3, [{get_param: secret}]]}",
        "{repeat: {for_each: {'%': [{get_param: secret}]}, template: '%'}}",
        "{list_concat_unique: [[{get_param: secret}]]}",
    ] {
        assert!(matches!(get(value), Value::Secret(_)), "{value}");
    }
    let failure =
        output(SURROUNDINGS, "{list_join: [1, [{get_param: secret}]]}").expect_err("fails");
    assert!(!failure.message.contains("s3"));
}

#[test]
fn an_error_next_to_a_secret_keeps_its_message() {
    let message = |value: &str| {
        let failure = output(SURROUNDINGS, value).expect_err(value);
        assert!(!failure.safe_message().contains("s3"), "{value}: {}", failure.safe_message());
        failure.safe_message().to_owned()
    };
    for (value, words) in [
        ("{list_join: ['', [{get_param: secret}, 5]]}", "string, map or list not 5"),
        ("{map_merge: [{a: {get_param: secret}}, [1]]}", "[1] is type <class 'list'>"),
        ("{map_merge: [[{get_param: secret}]]}", "['******'] is type <class 'list'>"),
        ("{yaql: {expression: $.data.y, data: {x: {get_param: secret}}}}", "'y'"),
        ("{str_replace_strict: {template: x, params: {y: {get_param: secret}}}}", "template: y"),
        ("{if: [[{get_param: secret}], 1, 2]}", "Invalid condition \"['******']\""),
    ] {
        assert!(message(value).contains(words), "{value}: {}", message(value));
    }
    // Here the secret is the reason.
    assert_eq!(
        message("{get_resource: {get_param: secret}}"),
        "the hidden value names something that the template does not have"
    );
}

#[test]
fn failures_have_the_place_and_the_class_of_heat() {
    let class = |value: &str| output(SURROUNDINGS, value).expect_err(value).class;
    assert_eq!(class("{get_param: gone}"), HeatExceptionClass::UserParameterMissing);
    assert_eq!(class("{get_resource: gone}"), HeatExceptionClass::InvalidTemplateReference);
    assert_eq!(class("{get_file: gone}"), ExceptionClass::ValueError);
    assert_eq!(class("{resource_facade: metadata}"), ExceptionClass::AttributeError);
    assert_eq!(get("{get_file: known.txt}"), Value::text("content"));
    // An invalid call in one output fails all of them, unless nothing reads it.
    let text =
        "heat_template_version: 2021-04-16\noutputs: {a: {value: 1}, b: {value: {list_join: x}}}\n";
    let evaluation = evaluated(text, &[], false);
    assert_eq!(evaluation.outputs, None);
    assert_eq!(evaluation.failures[0].stage, EvaluationStage::Outputs);
    assert_eq!(get("{if: [sure, 1, {list_join: x}]}"), Value::int(1));
}

#[test]
fn conditions_that_need_each_other() {
    let text = "heat_template_version: pike\nconditions: {a: {not: b}, b: {not: a}, c: {equals: [1, 1]}}\n";
    let evaluation = evaluated(text, &[], false);
    let class = |name: &str| evaluation.conditions[name].as_ref().map_err(|failure| failure.class);
    assert_eq!(class("a"), Err(HeatExceptionClass::StackValidationFailed.into()));
    assert_eq!(class("b"), Err(HeatExceptionClass::StackValidationFailed.into()));
    assert_eq!(class("c"), Ok(&Value::Bool(true)));
}

#[test]
fn removed_calls_stay_as_they_are_written() {
    let value = get("{'Fn::Join': [{get_param: [word]}, {if: [sure, 1]}]}");
    let call = |function: &str, argument| {
        Value::Call(std::sync::Arc::new(UnresolvedCall { function: function.into(), argument }))
    };
    let word = call("get_param", Value::list(vec![Value::text("word")]));
    let choice = call("if", Value::list(vec![Value::text("sure"), Value::int(1)]));
    assert_eq!(value, Value::map([("Fn::Join", Value::list(vec![word, choice]))]));
}

#[test]
fn placeholders_and_tables() {
    let text = "heat_template_version: 2013-05-23
resources: {a: {type: T}, b: {type: T}}
outputs:
  whole: {value: {get_attr: [a, x, k, 0]}}
  odd: {value: {get_attr: [a, x, k, 1.5]}}
  given: {value: {get_attr: [b, x, 1]}}
  missing: {value: {get_attr: [b, x, '1']}}
  ref: {value: [{get_resource: a}, {get_resource: b}]}
";
    let entry = Value::map([
        ("ref", Value::text("id")),
        ("attrs", Value::map([("x", Value::list(vec![Value::Null, Value::int(7)]))])),
    ]);
    let evaluation = evaluated(text, &[("b", entry)], true);
    let outputs = evaluation.outputs.expect("outputs");
    let value = |name: &str| outputs[name].value.clone().expect(name);
    assert_eq!(value("whole"), Value::text("<<attr:a:x:k:0>>"));
    assert_eq!(value("odd"), Value::Null);
    assert_eq!(value("given"), Value::int(7));
    assert_eq!(value("missing"), Value::Null);
    assert_eq!(value("ref"), Value::list(vec![Value::text("<<res:a>>"), Value::text("id")]));
}

#[test]
fn a_resource_that_does_not_exist_yet() {
    let text = "heat_template_version: pike
resources: {a: {type: OS::Heat::Value}}
outputs: {o: {value: [{get_resource: a}, {get_attr: [a, value]}, {get_attr: [a]}]}}
";
    let entry = Value::map([("action", Value::text("INIT"))]);
    let evaluation = evaluated(text, &[("a", entry)], false);
    let expected = Value::list(vec![Value::text("a"), Value::Null, Value::Null]);
    assert_eq!(evaluation.outputs.expect("outputs")["o"].value, Ok(expected));
}

#[test]
fn resources_with_everything() {
    let text = "heat_template_version: 2021-04-16
conditions: {off: false}
resources:
  gone: {type: T, condition: off}
  r:
    type: T
    depends_on: [gone]
    deletion_policy: retain
    description: words
    properties: {80: x, kept: 1, dropped: {if: [off, 1]}}
    metadata: {m: {get_attr: [s, a]}}
  s: {type: T, external_id: abc, properties: {p: {get_resource: r}}}
";
    let evaluation = evaluated(text, &[], true);
    assert_eq!(evaluation.disabled_resources, ["gone"]);
    let resources = evaluation.resources.expect("resources");
    let r = &resources["r"];
    assert_eq!(r.deletion_policy, Value::text("Retain"));
    assert_eq!(r.requires, Ok(vec!["gone".to_owned(), "s".to_owned()]));
    let EvaluatedProperties::Each(each) = &r.properties else { panic!("each") };
    let keys: Vec<_> = each.keys().map(|key| key.as_text()).collect();
    assert_eq!(keys, [Some("80"), Some("kept")]);
    let s = &resources["s"];
    assert_eq!(s.deletion_policy, Value::text("Retain"));
    assert_eq!(s.requires, Ok(vec![]));
}

#[test]
fn sections_that_are_wrong() {
    let first = |text: &str| {
        let evaluation = evaluated(&format!("heat_template_version: pike\n{text}\n"), &[], false);
        evaluation
            .failures
            .iter()
            .map(|found| (found.stage, found.failure.class))
            .collect::<Vec<_>>()
    };
    let invalid = ErrorClass::from(HeatExceptionClass::StackValidationFailed);
    assert_eq!(
        first("extra: 1"),
        [(EvaluationStage::Template, HeatExceptionClass::InvalidTemplateSection.into())]
    );
    assert_eq!(
        first("resources: {r: {}}"),
        [(EvaluationStage::Template, invalid), (EvaluationStage::Resources, invalid)]
    );
    assert_eq!(
        first("resources: {r: {type: T, depends_on: [1]}}"),
        [(EvaluationStage::Resources, invalid)]
    );
    let all = [EvaluationStage::Conditions, EvaluationStage::Resources, EvaluationStage::Outputs]
        .map(|stage| (stage, invalid));
    assert_eq!(first("conditions: null"), all);
    assert_eq!(first("conditions: {c: name}"), [(EvaluationStage::Conditions, invalid)]);
    assert_eq!(first("outputs: {o: {}}"), [(EvaluationStage::Outputs, invalid)]);
    let loops = ErrorClass::from(ExceptionClass::RecursionError);
    let policy = "resources: {r: {type: T, deletion_policy: {get_resource: r}}}";
    assert_eq!(first(policy), [(EvaluationStage::Resources, loops)]);
}

#[test]
fn what_nests_too_deeply_or_grows_too_large_fails() {
    let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    let class = |value: &str| output("", value).map_err(|failure| failure.class);
    assert!(class(&nested(310)).is_ok());
    assert_eq!(class(&nested(600)).map(|_| ()), Err(ExceptionClass::RecursionError.into()));
    let hundred = format!("[{}]", ["a"; 101].join(", "));
    let product = format!(
        "{{repeat: {{template: abc, for_each: {{a: {hundred}, b: {hundred}, c: {hundred}}}}}}}"
    );
    assert_eq!(class(&product), Err(ExceptionClass::MemoryError.into()));
}

#[test]
fn what_aliases_name_is_evaluated_once() {
    let mut text = "heat_template_version: 2021-04-16
parameters: {open: {type: string}, flag: {type: boolean, default: true}}
conditions:
  c:
    and:
      - &c0 {not: {get_param: flag}}
"
    .to_owned();
    let mut lists = "outputs:\n  o:\n    value:\n      - &a0 [{get_param: open}, x]\n".to_owned();
    for level in 1..50 {
        let inner = level - 1;
        text.push_str(&format!("      - &c{level} {{or: [*c{inner}, *c{inner}]}}\n"));
        lists.push_str(&format!("      - &a{level} [*a{inner}, {{if: [c, x, *a{inner}]}}]\n"));
    }
    text.push_str(&lists);
    let effort = Budget::new(40 * text.lines().count() as u64);
    let evaluation = evaluated_within(&text, &[], false, &effort);
    assert_eq!(evaluation.failures, []);
    assert_eq!(evaluation.conditions["c"], Ok(Value::Bool(false)));
    let outputs = evaluation.outputs.expect("outputs");
    let Ok(Value::List(levels)) = &outputs["o"].value else { panic!("no list") };
    assert_eq!(levels.len(), 50);
    assert!(!effort.is_exhausted());
}
