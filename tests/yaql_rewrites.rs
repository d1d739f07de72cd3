//! Rewrites that produce yaql, verified by evaluation: the old function and the replacing expression
//! have the same value.

use heat_engine::eval::{
    Budget, EvalResult, EvaluationInputs, NoFiles, ResourceStates, Value, evaluate,
    heat_yaql_options, parameters,
};
use heat_template::hot::{DocumentKind, Version, lower, recognize};
use heat_template::schema::Schema;
use hotplate_upgrade::{UpgradeOptions, upgrade};
use indexmap::IndexMap;
use lossless_yaml::{Limits, read};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Json, json};
use source_diagnostics::SourceId;

/// The value of the output `o` of a template whose parameters have their defaults.
fn output(text: &str) -> EvalResult {
    let document = read(SourceId(0), text.into(), &Limits::default()).expect("readable");
    let DocumentKind::Hot { version, node, .. } = recognize(&document) else { panic!("{text}") };
    let stack = lower(&document, version, node).stack;
    let identity = parameters::StackIdentity {
        stack_name: "name".to_owned(),
        stack_id: "id".to_owned(),
        project_id: "project".to_owned(),
    };
    let none = IndexMap::new();
    let given = parameters::ParameterInputs {
        schema: Schema::heat(),
        user_values: &none,
        environment_defaults: &none,
        identity: &identity,
        missing: parameters::MissingValuePolicy::Unknown,
        given: &[],
        level: 0,
        budget: &Budget::default(),
    };
    let parameters = parameters::evaluate(&stack, &given);
    let table = ResourceStates::new(&stack, Schema::heat(), false);
    let inputs = EvaluationInputs {
        schema: Schema::heat(),
        parameters: &parameters,
        runtime: &table,
        files: &NoFiles,
        facade: None,
        zones: None,
        level: 0,
        yaql: heat_yaql_options(),
        budget: &Budget::default(),
        recover: false,
    };
    evaluate(&stack, inputs).outputs.expect("outputs")["o"].value.clone()
}

/// A template of the first version whose output is `value`, and the same in a version with yaql.
fn both(parameters: &Json, value: &Json) -> (String, String) {
    let template = json!({
        "heat_template_version": "2013-05-23",
        "parameters": parameters,
        "outputs": {"o": {"value": value}},
    })
    .to_string();
    let document = read(SourceId(0), template.as_str().into(), &Limits::default()).expect("JSON");
    let options = UpgradeOptions::new(Schema::heat(), Version::V2016_10_14);
    let upgraded = upgrade(&document, &options, &Limits::default());
    let text = upgraded.text.unwrap_or_else(|| panic!("{template}: {:?}", upgraded.blockers));
    (template, text)
}

/// Both fail, or both have the same value.
fn alike(one: &EvalResult, other: &EvalResult) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one == other,
        (Err(_), Err(_)) => true,
        _ => false,
    }
}

/// Texts that are not JSON: `Fn::Select` takes an item of these.
fn word() -> impl Strategy<Value = Json> {
    "[a-zé ]{0,6}".prop_map(Json::from)
}

fn item() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![word(), any::<i16>().prop_map(Json::from), Just(Json::Bool(true))];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Json::from),
            vec(("[a-c]", inner), 0..3).prop_map(|pairs| Json::Object(pairs.into_iter().collect())),
        ]
    })
}

/// The results of Heat's engine for `Fn::Select` of a literal collection with each kind of index; `None` if
/// it fails.
#[test]
fn select_from_a_literal_collection_gives_what_heat_gives() {
    let map = json!({"a": "A", "1": "one", "": "empty", "n": null});
    let list = json!(["x", null, "z"]);
    let text = |text: &str| Some(json!(text));
    let null = Some(Json::Null);
    let trials = [
        ("string", json!("a"), text("A"), None),
        ("string", json!("missing"), text(""), None),
        ("string", json!(""), text("empty"), None),
        ("string", json!("n"), null.clone(), None),
        ("string", json!("1"), text("one"), null.clone()),
        ("string", json!("-1"), text(""), text("z")),
        ("string", json!("-4"), text(""), text("")),
        ("string", json!("7"), text(""), text("")),
        ("string", json!(" 2 "), text(""), text("z")),
        ("string", json!("+0"), text(""), text("x")),
        ("string", json!("1_0"), text(""), text("")),
        ("string", json!("\u{661}"), text(""), null.clone()),
        ("string", json!("0x1"), text(""), None),
        ("string", json!("1.0"), text(""), None),
        ("string", json!("{\"a\": 1}"), text(""), None),
        ("number", json!(0), None, text("x")),
        ("number", json!(2.7), None, text("z")),
        ("number", json!(-3), None, text("x")),
        ("number", json!(-4), None, text("")),
        ("number", json!(3), None, text("")),
        ("boolean", json!(true), None, null),
        ("boolean", json!(false), None, text("x")),
        ("json", json!({"a": 1}), None, None),
        ("json", json!([1]), None, None),
        ("comma_delimited_list", json!("a,b"), None, None),
    ];
    for (kind, index, of_map, of_list) in trials {
        let parameters = json!({"at": {"type": kind, "default": index}});
        for (collection, wanted) in [(&map, &of_map), (&list, &of_list)] {
            let value = json!({"Fn::Select": [{"get_param": "at"}, collection]});
            let (before, after) = both(&parameters, &value);
            let short = ["$.data.map.get(", "$.data.list[int("];
            assert!(short.iter().any(|short| after.contains(short)), "{after}");
            let (old, new) = (output(&before), output(&after));
            match wanted {
                None => assert!(old.is_err(), "{before}\n{old:?}"),
                Some(wanted) => {
                    let wanted = match wanted {
                        Json::String(text) => Value::text(text),
                        _ => Value::Null,
                    };
                    assert_eq!(old.as_ref(), Ok(&wanted), "{before}");
                    assert_eq!(new.as_ref(), Ok(&wanted), "{after}");
                }
            }
        }
    }
}

#[test]
fn select_from_a_literal_collection_of_short_items_is_exact() {
    let template = |item: &str| {
        format!(
            "heat_template_version: 2013-05-23\nparameters: {{p: {{type: string}}, q: {{type: string}}}}\n\
             outputs: {{o: {{value: {{Fn::Select: [{{get_param: p}}, {{a: b, c: {item}}}]}}}}}}\n"
        )
    };
    let options = UpgradeOptions {
        exact_only: true,
        ..UpgradeOptions::new(Schema::heat(), Version::V2016_10_14)
    };
    let upgraded = |item: &str| {
        let text = template(item);
        let document = read(SourceId(0), text.as_str().into(), &Limits::default()).expect("YAML");
        upgrade(&document, &options, &Limits::default()).text
    };
    assert!(upgraded("d").is_some_and(|text| text.contains("$.data.map.get(")));
    // The length of the text is unknown.
    assert_eq!(upgraded("{get_param: q}"), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn select_by_a_computed_index_takes_the_same_item(
        items in vec(item(), 0..5),
        index in -7_i64..7,
    ) {
        let parameters = json!({"at": {"type": "number", "default": index}});
        let value = json!({"Fn::Select": [{"get_param": "at"}, items]});
        let (before, after) = both(&parameters, &value);
        prop_assert!(after.contains("yaql"), "{after}");
        let (old, new) = (output(&before), output(&after));
        prop_assert!(alike(&old, &new), "{before}\n{old:?}\n{after}\n{new:?}");
        prop_assert!(old.is_ok());
    }

    #[test]
    fn select_of_a_computed_map_takes_the_same_item(
        pairs in vec(("[a-d]", "[a-z]{1,4}"), 0..5),
        key in "[a-e]",
    ) {
        let members: Vec<String> = (0..)
            .zip(&pairs)
            .flat_map(|(at, (key, value))| {
                [format!(".member.{at}.K={key}"), format!(".member.{at}.V={value}")]
            })
            .collect();
        let parameters = json!({"members": {"type": "json", "default": members}});
        let map = json!({"Fn::MemberListToMap": ["K", "V", {"get_param": "members"}]});
        let (before, after) = both(&parameters, &json!({"Fn::Select": [key, map]}));
        prop_assert!(after.contains("yaql"), "{after}");
        let (old, new) = (output(&before), output(&after));
        prop_assert!(alike(&old, &new), "{before}\n{old:?}\n{after}\n{new:?}");
        prop_assert!(old.is_ok());
    }

    #[test]
    fn a_list_of_members_becomes_the_same_map(
        names in (select(vec!["Name", "K", "key\"x", "é"]), select(vec!["Value", "V", "v\\w"])),
        pairs in vec(("[a-z=]{1,4}", "[a-z=.]{0,4}"), 0..7),
        stranger in option::of("[a-z]{1,5}=[a-z]{0,3}"),
    ) {
        let (key, value) = names;
        let members = (0..).zip(&pairs).flat_map(|(at, (one, other))| {
            [format!(".member.{at}.{key}={one}"), format!(".member.{at}.{value}={other}")]
        });
        let members: Vec<String> = members.chain(stranger).collect();
        let parameters = json!({"members": {"type": "json", "default": members}});
        let call = json!({"Fn::MemberListToMap": [key, value, {"get_param": "members"}]});
        let (before, after) = both(&parameters, &call);
        prop_assert!(after.contains("yaql"), "{after}");
        let (old, new) = (output(&before), output(&after));
        prop_assert!(alike(&old, &new), "{before}\n{old:?}\n{after}\n{new:?}");
        let Ok(Value::Map(map)) = old else { return Err(TestCaseError::fail(format!("{old:?}"))) };
        prop_assert!(pairs.is_empty() || !map.is_empty());
    }
}
