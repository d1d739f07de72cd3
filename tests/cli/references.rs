//! References that Heat refuses only in some places: in the values of conditions, in policies, and in outputs.
//!
//! Heat's rules: `docs/heat.md#circular-conditions`, `docs/heat.md#get_attr-where-it-never-works`,
//! `docs/heat.md#references-in-outputs`.

use predicates::prelude::*;
use predicates::str::contains;

use crate::cli::sandbox::Sandbox;

/// Runs `check` on a template with these sections; it must report this, as an error or, if `is_accepted`, as a warning.
fn assert_reported(version: &str, sections: &str, message: &str, is_accepted: bool) {
    let text = format!("heat_template_version: {version}\n{sections}\n");
    let sandbox = Sandbox::new(&[("a.yaml", &text)]);
    let reported = match is_accepted {
        true => contains(format!("warning[HP0701]: {message}")).and(contains("error[").not()),
        false => contains(format!("error[HP0701]: {message}"))
            .and(contains(format!("warning[HP0701]: {message}")).not()),
    };
    sandbox.hotplate("check a.yaml").assert().code(i32::from(!is_accepted)).stdout(reported);
}

/// Runs `check` on a template with these sections; it must report no error.
fn assert_accepted(version: &str, sections: &str) {
    let text = format!("heat_template_version: {version}\n{sections}\n");
    let sandbox = Sandbox::new(&[("a.yaml", &text)]);
    sandbox.hotplate("check a.yaml").assert().code(0).stdout(contains("HP0701").not());
}

#[test]
fn the_value_of_a_condition_counts_if_something_uses_the_condition() {
    const UNDECLARED: &str = "conditions:\n  c: {equals: [{get_param: nothing}, 1]}\n";
    const MESSAGE: &str = "there is no parameter `nothing`";
    let unused = [
        "resources:\n  a: {type: OS::Heat::None}",
        // Heat does not compute the condition that uses it either.
        "  d: {not: c}\nresources:\n  a: {type: OS::Heat::None}",
    ];
    for sections in unused {
        assert_reported("2018-08-31", &format!("{UNDECLARED}{sections}"), MESSAGE, true);
    }
    let used = [
        "resources:\n  a: {type: OS::Heat::None, condition: c}",
        "  d: {not: c}\nresources:\n  a: {type: OS::Heat::None, condition: d}",
        "resources:\n  a: {type: OS::Heat::Value, properties: {value: {if: [c, 1, 2]}}}",
        "outputs:\n  o: {value: 1, condition: c}",
        "outputs:\n  o: {value: {if: [c, 1, 2]}}",
    ];
    for sections in used {
        assert_reported("2018-08-31", &format!("{UNDECLARED}{sections}"), MESSAGE, false);
    }
    // The same mistake in another place is another finding.
    let both =
        "resources:\n  a: {type: OS::Heat::Value, properties: {value: {get_param: nothing}}}";
    let sections = format!("heat_template_version: 2018-08-31\n{UNDECLARED}{both}\n");
    let sandbox = Sandbox::new(&[("a.yaml", &sections)]);
    let run = sandbox.hotplate("check a.yaml").assert().code(1);
    run.stdout(contains(format!("warning[HP0701]: {MESSAGE}")))
        .stdout(contains(format!("error[HP0701]: {MESSAGE}")));
    let circle = "conditions:\n  c: {not: d}\n  d: {not: c}\n";
    let message = "Condition validation error: Circular definition for condition";
    let section = "resources:\n  a: {type: OS::Heat::None}";
    assert_reported("2018-08-31", &format!("{circle}{section}"), message, true);
    let section = "resources:\n  a: {type: OS::Heat::None, condition: c}";
    assert_reported("2018-08-31", &format!("{circle}{section}"), message, false);
}

#[test]
fn an_attribute_in_an_update_policy_must_be_requested_elsewhere() {
    const MEMBERS: &str = "\
resources:
  v: {type: OS::Heat::Value, properties: {value: 1}}
  a:
    type: OS::Heat::ResourceGroup
    properties: {count: 1, resource_def: {type: OS::Heat::None}}
    update_policy: {rolling_update: {max_batch_size: {get_attr: [v, value]}}}
outputs:
";
    const MESSAGE: &str = "the resource `v` has no attribute `value`";
    for output in ["o: {value: 1}", "o: {value: {get_attr: [v, show]}}"] {
        assert_reported("2018-08-31", &format!("{MEMBERS}  {output}"), MESSAGE, false);
    }
    for output in ["o: {value: {get_attr: [v, value, x]}}", "o: {value: {get_attr: [v]}}"] {
        assert_accepted("2018-08-31", &format!("{MEMBERS}  {output}"));
    }
}

#[test]
fn references_of_outputs_are_collected_before_the_validation() {
    const NONE: &str = "resources:\n  a: {type: OS::Heat::None}\noutputs:\n  o: {value: ";
    let refused = [
        ("{get_attr: [[a], show]}", "a name or a key is needed here, but the value is a list"),
        ("{get_attr: [a, show, {x: y}]}", "a name or a key is needed here, but the value is a map"),
        ("{get_resource: {get_param: nothing}}", "there is no parameter `nothing`"),
    ];
    for (value, message) in refused {
        assert_reported("2018-08-31", &format!("{NONE}{value}}}"), message, false);
    }
    assert_accepted("2013-05-23", &format!("{NONE}{{get_attr: [a, show, {{x: y}}]}}}}"));
    let property = "\
resources:
  a: {type: OS::Heat::Value, properties: {value: {a: 1}}}
  b: {type: OS::Heat::Value, properties: {value: {get_attr: [a, value, [x]]}}}";
    assert_reported(
        "2018-08-31",
        property,
        "a name or a key is needed here, but the value is a list",
        false,
    );
}
