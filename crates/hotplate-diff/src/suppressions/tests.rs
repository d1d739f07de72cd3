use super::*;
use crate::compare;
use crate::testing::{TestDeployment, deployed};
use source_diagnostics::Code;
use source_diagnostics::SourceMap;

fn of(old: &TestDeployment, new: &TestDeployment, given: &[&str]) -> (Comparison, Vec<Diagnostic>) {
    let (old, new) = (old.side(), new.side());
    let given: Vec<Suppression> =
        given.iter().map(|text| parse_suppression(text).expect("a suppression")).collect();
    let permissions = SuppressionOptions { from_options: &given, ..SuppressionOptions::default() };
    let compared = compare(&old, &new, &permissions, None);
    (compared.comparison, compared.findings)
}

/// The names of resources with a suppression, and the codes of the findings, when `$` becomes something else
/// and only the new template has the comments.
fn suppressed(text: &str, given: &[&str]) -> (Vec<String>, Vec<Code>) {
    let mut sources = SourceMap::default();
    let old: String = text.replace('$', "old").lines().fold(String::new(), |all, line| {
        let code = line.split('#').next().unwrap_or_default();
        all + code + "\n"
    });
    let new = text.replace('$', "new");
    let old = deployed(&[("root.yaml", &old)], &mut sources);
    let new = deployed(&[("root.yaml", &new)], &mut sources);
    let (comparison, findings) = of(&old, &new, given);
    let names = comparison.resources.iter().filter(|it| !it.suppressions.is_empty());
    (names.map(|it| it.name.clone()).collect(), findings.iter().map(|it| it.code).collect())
}

#[test]
fn arguments_name_a_type_or_a_resource_and_perhaps_an_impact() {
    let parse = |text: &str| {
        parse_suppression(text).map(|suppression| (suppression.target, suppression.impact))
    };
    let named = |name: &str, impact| Ok((SuppressionTarget::Named(name.to_owned()), impact));
    assert_eq!(parse("server"), named("server", None));
    assert_eq!(parse("a/b:replace"), named("a/b", Some(Impact::Replace)));
    assert_eq!(parse("OS::Nova::Server"), named("OS::Nova::Server", None));
    let server = named("OS::Nova::Server", Some(Impact::MayReplace));
    assert_eq!(parse("OS::Nova::Server:may-replace"), server);
    assert_eq!(parse("My::replace"), named("My::replace", None));
    assert_eq!(parse("vlan:42"), named("vlan:42", None));
    for (wrong, near) in
        [("server:replce", Some("replace")), ("server:", None), ("server:none", None)]
    {
        match parse(wrong) {
            Err(ParseSuppressionError::UnknownImpact(unknown)) => {
                assert_eq!(unknown.suggestion, near, "{wrong}")
            }
            other => panic!("{wrong}: {other:?}"),
        }
    }
    for wrong in ["", " ", ":replace", "::"] {
        assert_eq!(parse(wrong), Err(ParseSuppressionError::MissingName), "{wrong}");
    }
}

const PLAIN: &str = "
resources:
  a: {type: OS::Neutron::Port, properties: {network: $}}
  b: {type: OS::Neutron::Net, properties: {name: $}}
";

#[test]
fn arguments_suppress_by_name_type_and_impact() {
    let of = |given: &[&str]| suppressed(PLAIN, given);
    let names = |names: &[&str]| names.iter().map(|&it| it.to_owned()).collect::<Vec<_>>();
    assert_eq!(of(&["a"]), (names(&["a"]), vec![]));
    assert_eq!(of(&["OS::Neutron::Net:update"]), (names(&["b"]), vec![]));
    let unused = vec![source_diagnostics::codes::SUPPRESSION_UNUSED];
    assert_eq!(of(&["a:update"]), (names(&[]), unused.clone()));
    assert_eq!(of(&["c", "a"]), (names(&["a"]), unused));
}

#[test]
fn comments_cover_what_they_stand_in_on_or_before() {
    for text in [
        "
resources:
  # hotplate: allow replace since it is so
  a: {type: OS::Neutron::Port, properties: {network: $}}
",
        "
resources:
  z: {type: OS::Heat::None}

  # hotplate: allow replace: since it is so
  # and another comment
  a:
    type: OS::Neutron::Port
    properties: {network: $}
",
        "
resources:
  a:
    type: OS::Neutron::Port
    properties:
      # hotplate: allow replace - since it is so
      network: $
",
        "
resources:
  a: {type: OS::Neutron::Port, properties: {network: $}}  # hotplate: allow replace so it is
  z: {type: OS::Heat::None}
",
        "
resources:
  a:
    type: OS::Neutron::Port
    properties: {network: $}
    # hotplate: allow replace since it is so
  z: {type: OS::Heat::None}
",
    ] {
        assert_eq!(suppressed(text, &[]), (vec!["a".to_owned()], vec![]), "{text}");
    }
}

#[test]
fn a_comment_without_effect_is_found() {
    for (comment, code) in [
        ("# hotplate: allow replace", source_diagnostics::codes::SUPPRESSION_WITHOUT_REASON),
        ("# hotplate: allow replace --", source_diagnostics::codes::SUPPRESSION_WITHOUT_REASON),
        ("# hotplate: allow replce so it is", crate::codes::SUPPRESSION_UNKNOWN),
        ("# hotplate: alow replace so it is", crate::codes::SUPPRESSION_UNKNOWN),
        ("# hotplate: allow", crate::codes::SUPPRESSION_UNKNOWN),
        ("# hotplate: allow update so it is", source_diagnostics::codes::SUPPRESSION_UNUSED),
    ] {
        let text = format!(
            "
resources:
  {comment}
  a: {{type: OS::Neutron::Port, properties: {{network: $}}}}
"
        );
        assert_eq!(suppressed(&text, &[]), (vec![], vec![code]), "{comment}");
    }
    let text = format!("# hotplate: allow replace for no resource\n{PLAIN}");
    assert_eq!(
        suppressed(&text, &[]),
        (vec![], vec![source_diagnostics::codes::SUPPRESSION_UNUSED])
    );
    let text = format!("# hotplate: something else\n{PLAIN}");
    assert_eq!(suppressed(&text, &[]), (vec![], vec![]));
}

#[test]
fn comments_of_nested_templates_and_of_groups_count() {
    let root = "
resources:
  # hotplate: allow replace members come and go
  g:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, resource_def: {type: OS::Neutron::Port, properties: {network: $}}}
  n1: {type: inner.yaml, properties: {network: $}}
  n2: {type: inner.yaml, properties: {network: same}}
";
    let inner = "
parameters: {network: {type: string}}
resources:
  p:
    # hotplate: allow replace it has no state
    type: OS::Neutron::Port
    properties: {network: {get_param: network}}
";
    let mut sources = SourceMap::default();
    let mut one = |to: &str| {
        let root = root.replace('$', to);
        deployed(&[("root.yaml", root.as_str()), ("inner.yaml", inner)], &mut sources)
    };
    let (old, new) = (one("old"), one("new"));
    let (comparison, findings) = of(&old, &new, &[]);
    assert_eq!(findings, []);
    let names = comparison.resources.iter().filter(|it| !it.suppressions.is_empty());
    let names: Vec<&str> = names.map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["g/0", "g/1", "n1/p"]);
    let suppression = &comparison.suppressions[comparison.resources[1].suppressions[0]];
    assert_eq!(suppression.reason.as_deref(), Some("members come and go"));
}

/// The names of resources with a suppression, and the codes of the findings, when only comments of the old
/// template count.
fn suppressed_by_base(old: &str, new: &str) -> (Vec<String>, Vec<Code>) {
    let (old, new) = crate::testing::pair(old, new);
    let permissions =
        SuppressionOptions { comment_side: CommentSide::Base, ..SuppressionOptions::default() };
    let compared = compare(&old.side(), &new.side(), &permissions, None);
    let resources = compared.comparison.resources.iter();
    let names = resources.filter(|it| !it.suppressions.is_empty()).map(|it| it.name.clone());
    (names.collect(), compared.findings.iter().map(|it| it.code).collect())
}

#[test]
fn a_change_cannot_allow_itself_where_the_base_has_to() {
    let comment = "  # hotplate: allow replace since it is so\n";
    let template = |comment: &str, network: &str| {
        format!(
            "resources:\n{comment}  a: {{type: OS::Neutron::Port, properties: {{network: {network}}}}}\n"
        )
    };
    let a = || vec!["a".to_owned()];
    for (old, new, expected) in [
        ("", comment, (vec![], vec![crate::codes::SUPPRESSION_IN_CHANGE])),
        (comment, comment, (a(), vec![])),
        (comment, "", (a(), vec![])),
        (
            "",
            "  # hotplate: allow update it is so\n",
            (vec![], vec![source_diagnostics::codes::SUPPRESSION_UNUSED]),
        ),
    ] {
        let found = suppressed_by_base(&template(old, "x"), &template(new, "y"));
        assert_eq!(found, expected, "{old:?} {new:?}");
    }
    // A deleted resource.
    let gone = suppressed_by_base(
        "resources:\n  # hotplate: allow delete a trial\n  a: {type: OS::Neutron::Net}\n",
        "resources: {}\n",
    );
    assert_eq!(gone, (a(), vec![]));
}

#[test]
fn what_is_gone_is_suppressed_by_the_old_template() {
    let old = "
resources:
  # hotplate: allow delete it was a trial
  a: {type: OS::Neutron::Net}
  # hotplate: allow update it was so
  b: {type: OS::Neutron::Net}
";
    let new = "resources: {b: {type: OS::Neutron::Net}}";
    let (old, new) = crate::testing::pair(old, new);
    let (comparison, findings) = of(&old, &new, &[]);
    assert_eq!(findings, []);
    assert_eq!(comparison.suppressions.len(), 1);
    assert!(comparison.suppressions[0].used);
}
