//! Parameters with a constraint, in a table of types, constraints, places that hide them and values: no command prints a
//! value, a default or an allowed value of one, whether the value fits or not.

use crate::cli::sandbox::Sandbox;

/// What no output may have: in texts, and in numbers.
const TOKENS: [&str; 2] = ["qz7v4k9x", "73918264"];

/// The types, each with a value of it and one of another type.
const TYPES: [(&str, [&str; 2]); 5] = [
    ("string", ["qz7v4k9x", "{a: qz7v4k9x}"]),
    ("number", ["73918264", "qz7v4k9x"]),
    ("boolean", ["qz7v4k9x", "[qz7v4k9x]"]),
    ("json", ["{a: qz7v4k9x}", "'{qz7v4k9x'"]),
    ("comma_delimited_list", ["'qz7v4k9x,b'", "{a: qz7v4k9x}"]),
];

/// Constraints, which no value above meets. The values that they allow are secrets, too.
const CONSTRAINTS: [&str; 8] = [
    "",
    "{allowed_values: [a, qz7v4k9xb, 739182641]}",
    "{allowed_pattern: 'qz7v4k9xb'}",
    "{allowed_pattern: 'qz7v4k9xb('}",
    "{length: {max: 3}}",
    "{range: {max: 3}}",
    "{modulo: {step: 10, offset: 1}}",
    "{custom_constraint: net_cidr}",
];

/// What hides the parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
enum HiddenBy {
    Template,
    /// A nested template that declares parameters of the same names.
    NestedName,
    /// A nested template whose parameters get their values.
    NestedValue,
    /// The same on the old side of a comparison only.
    OldTemplate,
    OldNestedName,
    OldNestedValue,
}

/// What gives the parameters their values.
#[derive(Clone, Copy, Debug, PartialEq)]
enum GivenBy {
    Default,
    Parameters,
    ParameterDefaults,
}

/// The names of the parameters, each with its type and constraint.
fn parameters() -> Vec<(String, usize, &'static str)> {
    let of_type = |kind: usize| {
        let constraints = CONSTRAINTS.iter().enumerate();
        constraints
            .map(move |(at, constraint)| (format!("{}{at}", TYPES[kind].0), kind, *constraint))
    };
    (0..TYPES.len()).flat_map(of_type).collect()
}

/// A template that declares the parameters under these names, and gives the values to the nested template.
fn template(prefix: &str, is_hidden: bool, default: Option<usize>, resources: &str) -> String {
    let declared = parameters().into_iter().map(|(name, kind, constraint)| {
        let (kind, values) = TYPES[kind];
        let hidden = if is_hidden { ", hidden: true" } else { "" };
        let default = default.map_or(String::new(), |at| format!(", default: {}", values[at]));
        format!(
            "  {prefix}{name}: {{type: {kind}{hidden}{default}, constraints: [{constraint}]}}\n"
        )
    });
    let declared: String = declared.collect();
    format!("heat_template_version: 2018-08-31\nparameters:\n{declared}resources:\n{resources}")
}

fn sandbox(hider: HiddenBy, given: GivenBy, value: usize) -> Sandbox {
    use HiddenBy::{NestedName, NestedValue, OldNestedName, OldNestedValue, OldTemplate, Template};
    let passes = matches!(hider, NestedValue | OldNestedValue);
    let passed = parameters().into_iter().filter(|_| passes);
    let passed: String =
        passed.map(|(name, ..)| format!("      x{name}: {{get_param: {name}}}\n")).collect();
    let default = (given == GivenBy::Default).then_some(value);
    let side = |is_old: bool| {
        let in_template = hider == Template || is_old && hider == OldTemplate;
        let in_nested = match hider {
            NestedName | NestedValue => true,
            OldNestedName | OldNestedValue => is_old,
            Template | OldTemplate => false,
        };
        let note = if is_old { "old" } else { "new" };
        let resources = format!(
            "  kid:\n    type: child.yaml\n    properties:\n      note: {note}\n{passed}  v: {{type: OS::Heat::Value, properties: {{value: {note}}}}}\n"
        );
        let prefix = if passes { "x" } else { "" };
        let child = template(prefix, in_nested, None, "  i: {type: OS::Heat::Value}\n").replacen(
            "parameters:\n",
            "parameters:\n  note: {type: string}\n",
            1,
        );
        [template("", in_template, default, &resources), child]
    };
    let values = parameters().into_iter().map(|(name, kind, _)| {
        let value = TYPES[kind].1[value];
        format!("  {name}: {value}\n")
    });
    let values: String = values.collect();
    let environment = match given {
        GivenBy::Default => "{}\n".to_owned(),
        GivenBy::Parameters => format!("parameters:\n{values}"),
        GivenBy::ParameterDefaults => format!("parameter_defaults:\n{values}"),
    };
    let [[old, old_child], [new, child]] = [side(true), side(false)];
    Sandbox::new(&[
        ("root.yaml", new),
        ("child.yaml", child),
        ("old/root.yaml", old),
        ("old/child.yaml", old_child),
        ("env.yaml", environment),
    ])
}

#[test]
fn no_command_prints_what_violates_a_constraint_of_a_hidden_parameter() {
    use HiddenBy::{NestedName, NestedValue, OldNestedName, OldNestedValue, OldTemplate, Template};
    let both = [
        "diff old/root.yaml root.yaml --old-e env.yaml -e env.yaml",
        "diff old/root.yaml root.yaml --old-e env.yaml -e env.yaml --format json --full",
        "diff root.yaml old/root.yaml --old-e env.yaml -e env.yaml --format html --context 99",
    ];
    let one = [
        "check root.yaml -e env.yaml --select all",
        "check root.yaml --select all --format sarif",
        "eval root.yaml -e env.yaml --nested",
        "parameters root.yaml -e env.yaml",
        "env root.yaml -e env.yaml",
        "versions root.yaml",
        "upgrade root.yaml --check",
        "ir root.yaml --text",
        "render root.yaml -t cfn -e env.yaml --strict",
        "render root.yaml -t hot --to 2013-05-23",
    ];
    let mut findings = 0;
    for hider in [Template, NestedName, NestedValue, OldTemplate, OldNestedName, OldNestedValue] {
        let is_old = matches!(hider, OldTemplate | OldNestedName | OldNestedValue);
        for given in [GivenBy::Default, GivenBy::Parameters, GivenBy::ParameterDefaults] {
            for value in 0..2 {
                let sandbox = sandbox(hider, given, value);
                let commands = both.iter().chain(if is_old { &[][..] } else { &one[..] });
                for command in commands {
                    let output = sandbox.hotplate(command).output().expect("it runs");
                    let [out, error] = [&output.stdout, &output.stderr]
                        .map(|it| String::from_utf8_lossy(it).into_owned());
                    // A converted template keeps its own texts.
                    let is_template = command.starts_with("render");
                    let text = if is_template { error } else { format!("{out}{error}") };
                    findings += text.matches("hidden").count();
                    for token in TOKENS {
                        let shown = text.lines().find(|line| line.contains(token));
                        assert_eq!(shown, None, "{hider:?}, {given:?}, {value}: {command}");
                    }
                }
            }
        }
    }
    assert!(findings > 2000, "{findings} words about what is hidden");
}
