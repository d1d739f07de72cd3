use super::*;
use crate::eval::{Budget, Dependency, HeatExceptionClass};
use heat_template::hot::{DocumentKind, lower, recognize};
use lossless_yaml::{Limits, read};
use source_diagnostics::SourceId;

fn stack(body: &str) -> Stack {
    let text = format!("heat_template_version: rocky\n{body}");
    let document = read(SourceId(0), text.into(), &Limits::default()).expect("YAML");
    let DocumentKind::Hot { version, node, .. } = recognize(&document) else {
        panic!("no template")
    };
    lower(&document, version, node).stack
}

fn given(pairs: &[(&str, Value)]) -> IndexMap<String, SuppliedValue> {
    let given = |value: &Value| SuppliedValue { value: value.clone(), span: None, key: None };
    pairs.iter().map(|(name, value)| ((*name).to_owned(), given(value))).collect()
}

fn evaluated(
    body: &str,
    values: &[(&str, Value)],
    defaults: &[(&str, Value)],
    missing: MissingValuePolicy,
) -> Parameters {
    let identity = StackIdentity {
        stack_name: "name".to_owned(),
        stack_id: "id".to_owned(),
        project_id: "project".to_owned(),
    };
    let inputs = ParameterInputs {
        schema: heat_template::schema::Schema::heat(),
        user_values: &given(values),
        environment_defaults: &given(defaults),
        identity: &identity,
        missing,
        given: &["given".to_owned()],
        level: 0,
        budget: &Budget::default(),
    };
    evaluate(&stack(body), &inputs)
}

fn value(parameters: &Parameters, name: &str) -> Value {
    let value = parameters.values.get(name).expect("a parameter");
    value.clone().unwrap_or_else(|failure| panic!("{failure:?}"))
}

#[test]
fn a_default_is_not_the_value_of_a_parameter_that_is_given_where_the_stack_is_created() {
    let body = "parameters: {given: {type: string, default: a}, other: {type: string, default: a}}";
    let parameters = evaluated(body, &[], &[], MissingValuePolicy::Unknown);
    assert!(matches!(value(&parameters, "given"), Value::Unknown(_)));
    assert_eq!(value(&parameters, "other"), Value::text("a"));
    let known = [("given", Value::text("b"))];
    let parameters = evaluated(body, &known, &[], MissingValuePolicy::Unknown);
    assert_eq!(value(&parameters, "given"), Value::text("b"));
}

#[test]
fn pseudo_parameters_come_first_and_take_defaults_of_the_environment() {
    let defaults = [("OS::project_id", Value::int(5))];
    let parameters =
        evaluated("parameters: {p: {type: string}}", &[], &defaults, MissingValuePolicy::Unknown);
    let names: Vec<_> = parameters.values.keys().map(String::as_str).collect();
    assert_eq!(names, ["OS::stack_id", "OS::project_id", "OS::stack_name", "p"]);
    assert_eq!(value(&parameters, "OS::project_id"), Value::text("5"));
    assert!(matches!(value(&parameters, "p"), Value::Unknown(_)));
    assert_eq!(parameters.failures, []);
}

#[test]
fn values_go_before_defaults_of_the_environment_and_of_the_template() {
    let body = "parameters: {p: {type: number, default: 1}}";
    let of = |values: &[_], defaults: &[_]| {
        value(&evaluated(body, values, defaults, MissingValuePolicy::Error), "p")
    };
    assert_eq!(of(&[], &[]), Value::int(1));
    assert_eq!(of(&[], &[("p", Value::text("2"))]), Value::int(2));
    assert_eq!(of(&[("p", Value::text("3.5"))], &[("p", Value::text("2"))]), Value::Float(3.5));
    assert_eq!(of(&[("p", Value::Null)], &[("p", Value::Null)]), Value::int(1));
}

#[test]
fn lists_and_json_are_parsed() {
    let body = "parameters: {l: {type: comma_delimited_list}, j: {type: json}}";
    let values = [("l", Value::text("a,,b ")), ("j", Value::text("[1]"))];
    let parameters = evaluated(body, &values, &[], MissingValuePolicy::Error);
    let texts = ["a", "", "b "].map(Value::text);
    assert_eq!(value(&parameters, "l"), Value::list(texts.to_vec()));
    assert_eq!(value(&parameters, "j"), Value::list(vec![Value::int(1)]));
    let values = [("l", Value::int(1)), ("j", Value::text("{"))];
    let parameters = evaluated(body, &values, &[], MissingValuePolicy::Error);
    assert_eq!(parameters.failures.len(), 2);
    assert_eq!(parameters.reported().len(), 1);
}

#[test]
fn hidden_values_are_sealed_and_not_in_findings() {
    let body = "parameters:\n  p: {type: string, hidden: true, constraints: [{length: {max: 2}}]}";
    let parameters =
        evaluated(body, &[("p", Value::text("secret"))], &[], MissingValuePolicy::Error);
    assert_eq!(value(&parameters, "p"), Value::text("secret").sealed(true));
    let [finding] = &parameters.findings()[..] else { panic!("{:?}", parameters.findings()) };
    assert_eq!(finding.code, crate::codes::CONSTRAINT_VIOLATED);
    assert!(!finding.message.contains("secret"));
    assert_eq!(finding.related.len(), 1);
}

#[test]
fn secrets_are_not_told_by_failures() {
    let secret = || Value::text("hunter2").sealed(true);
    let body = "parameters: {p: {type: number}, q: {type: number, hidden: true, default: hunter2}}";
    let parameters = evaluated(body, &[("p", secret())], &[], MissingValuePolicy::Error);
    assert_eq!(parameters.failures.len(), 2);
    for failure in parameters.failures.iter().map(|failure| &failure.failure) {
        assert!(failure.message.contains("hunter2"));
        assert!(!failure.safe_message().contains("hunter2"));
    }
    for finding in parameters.findings() {
        assert!(!finding.message.contains("hunter2"), "{}", finding.message);
    }
    for name in ["p", "q"] {
        let failure = parameters.values[name].as_ref().expect_err("no number");
        assert!(!failure.safe_message().contains("hunter2"));
    }
}

#[test]
fn the_default_is_checked_where_a_value_is_given() {
    let body = "parameters:\n  p: {type: string, default: abc, constraints: [{length: {max: 2}}]}";
    let parameters = evaluated(body, &[("p", Value::text("a"))], &[], MissingValuePolicy::Error);
    let [failure] = &parameters.failures[..] else { panic!("{:?}", parameters.failures) };
    assert_eq!(failure.failure.class, HeatExceptionClass::InvalidSchemaError);
    let expected = "Parameter 'p' is invalid: Invalid default abc (length (3) is out of range \
                    (min: None, max: 2))";
    assert_eq!(failure.failure.message, expected);
}

#[test]
fn undeclared_parameters_are_named_with_what_was_meant() {
    let body = "parameters: {flavor: {type: string}}";
    let values = [("flavour", Value::text("m1")), ("flavor", Value::text("m1"))];
    let parameters = evaluated(body, &values, &[], MissingValuePolicy::Error);
    let [finding] = &parameters.findings()[..] else { panic!("{:?}", parameters.findings()) };
    assert_eq!(finding.code, crate::codes::UNKNOWN_PARAMETER);
    assert_eq!(finding.help, ["did you mean `flavor`?"]);
}

#[test]
fn a_declaration_that_heat_refuses_is_fatal() {
    for (body, message) in [
        ("parameters: {p: null}", "Invalid parameter (p), expected a mapping"),
        ("parameters: {p: {type: string, foo: 1}}", "Invalid key 'foo' for parameter (p)"),
        ("parameters: {p: {default: 1}}", "Missing parameter type for parameter: p"),
        ("parameters: {p: {type: String}}", "Invalid type (String)"),
        (
            "parameters: {p: {type: string, tags: x}}",
            "Tags property should be a list for parameter: p",
        ),
        (
            "parameters: {p: {type: string, constraints: {}}}",
            "Invalid parameter constraints for parameter p, expected a list",
        ),
        ("parameters: {p: {type: string, constraints: [{}]}}", "No constraint expressed"),
    ] {
        let parameters = evaluated(body, &[], &[], MissingValuePolicy::Error);
        let fatal = parameters.fatal().unwrap_or_else(|| panic!("{body}"));
        assert_eq!(fatal.failure.message, message);
    }
}

#[test]
fn made_up_values_heed_constraints() {
    let body = "parameters:
  a: {type: string, constraints: [{allowed_values: [x, y]}]}
  b: {type: string, constraints: [{length: {max: 3}}]}
  c: {type: string, constraints: [{length: {min: 14}}]}
  d: {type: number, constraints: [{range: {min: 3}}]}
  e: {type: comma_delimited_list}
  f: {type: json}
";
    let parameters = evaluated(body, &[], &[], MissingValuePolicy::Placeholder);
    assert_eq!(value(&parameters, "a"), Value::text("x"));
    assert_eq!(value(&parameters, "b"), Value::text("pb"));
    assert_eq!(value(&parameters, "c"), Value::text("<<param:c>>xxx"));
    assert_eq!(value(&parameters, "d"), Value::int(3));
    assert_eq!(value(&parameters, "e"), Value::list(vec![Value::text("<<param:e>>")]));
    assert_eq!(value(&parameters, "f"), Value::map::<&str>([]));
    assert_eq!(parameters.failures, []);
}

#[test]
fn what_is_unknown_in_a_value_stays_unknown() {
    let body =
        "parameters: {s: {type: string}, l: {type: comma_delimited_list}, o: {type: string}}";
    let unknown = value(&evaluated(body, &[], &[], MissingValuePolicy::Unknown), "o");
    let list = Value::list(vec![Value::int(1), unknown.clone()]);
    let values = [("s", list.clone()), ("l", list)];
    let parameters = evaluated(body, &values, &[], MissingValuePolicy::Unknown);
    let Value::Unknown(text) = value(&parameters, "s") else { panic!("known") };
    assert_eq!(*text.depends_on, [Dependency::Parameter("o".to_owned())].into());
    assert_eq!(value(&parameters, "l"), Value::list(vec![Value::text("1"), unknown]));
    assert_eq!(parameters.failures, []);
}

#[test]
fn what_cannot_be_checked_is_noted() {
    let body = "parameters: {p: {type: string, constraints: [{custom_constraint: nova.flavor}]}}";
    let parameters = evaluated(body, &[("p", Value::text("m1"))], &[], MissingValuePolicy::Error);
    let [finding] = &parameters.findings()[..] else { panic!("{:?}", parameters.findings()) };
    assert_eq!(finding.code, crate::codes::CONSTRAINT_NOT_CHECKED);
}

#[test]
fn groups_name_declared_parameters_once() {
    let with = |groups: &str| {
        let body = format!("parameters: {{p: {{type: string}}}}\nparameter_groups: {groups}");
        let parameters = evaluated(&body, &[], &[], MissingValuePolicy::Unknown);
        parameters.failures.first().map(|failure| failure.failure.message.clone())
    };
    assert_eq!(with("[{parameters: [p, OS::stack_id]}]"), None);
    let error = "Parameter Groups error: parameter_groups";
    let known = "does not reference a valid parameter.";
    for (groups, message) in [
        (
            "[{parameters: [OS::stack_name]}]",
            format!("{error}.: The grouped parameter OS::stack_name {known}"),
        ),
        (
            "[{label: g, parameters: [p, p]}]",
            format!("{error}.g: The p parameter must be assigned to one parameter group only."),
        ),
        (
            "[{label: '7'}]",
            format!("{error}[7]: The parameters must be provided for each parameter group."),
        ),
        ("{a: 1}", format!("{error}: The parameter_groups should be a list.")),
        ("[x]", "'str' object has no attribute 'get'".to_owned()),
    ] {
        assert_eq!(with(groups), Some(message), "{groups}");
    }
}
