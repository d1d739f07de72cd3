//! Tests of the meaning of CFN templates.

use crate::cfn::{CfnFormat, lower};
use crate::dialect::{self, Dialect};
use crate::hot::raise_expr;
use crate::ir::{ConstraintKind, Expr, ExprKind, ParameterType};
use lossless_yaml::{Document, Limits, json_writer, read};
use source_diagnostics::{Code, SourceId};

fn document(text: &str) -> Document {
    read(SourceId(0), text.into(), &Limits::default()).expect("YAML")
}

fn lowered(text: &str) -> dialect::LoweredTemplate {
    dialect::lower(&document(text)).expect("a template")
}

/// The value of an output of this expression in a template with some parameters, and the findings.
fn value(expression: &str) -> (Expr, Vec<Code>) {
    let text = format!(
        "AWSTemplateFormatVersion: 2010-09-09\nParameters: {{p: {{Type: String}}, l: {{Type: CommaDelimitedList}}}}\nMappings: {{M: {{a: {{b: 1}}}}}}\nResources: {{r: {{Type: 'OS::Heat::None'}}}}\nOutputs: {{o: {{Value: {expression}}}}}\n"
    );
    let lowered = lowered(&text);
    let codes = lowered.findings.iter().map(|finding| finding.code).collect();
    (lowered.stack.outputs["o"].value.clone().expect("a value"), codes)
}

/// The same, raised to the latest version of HOT.
fn spelled(expression: &str) -> String {
    let (value, _) = value(expression);
    let (data, _) = raise_expr(&value, crate::hot::Version::LATEST);
    json_writer::compact(&data).expect("JSON")
}

#[test]
fn what_hot_has_too_is_the_same_expression() {
    assert_eq!(spelled("{Ref: p}"), r#"{"get_param":"p"}"#);
    assert_eq!(spelled("{Ref: r}"), r#"{"get_resource":"r"}"#);
    assert_eq!(spelled("{'Fn::GetAtt': [r, a.b]}"), r#"{"get_attr":["r","a.b"]}"#);
    assert_eq!(spelled("{'Fn::Join': ['', [x]]}"), r#"{"list_join":["",["x"]]}"#);
    assert_eq!(spelled("{'Fn::Select': [1, {Ref: l}]}"), r#"{"get_param":["l",1]}"#);
    assert_eq!(spelled("{'Fn::If': [{'Fn::Not': [c]}, 1, 2]}"), r#"{"if":[{"not":"c"},1,2]}"#);
    let (value, _) = value("{get_param: p}");
    assert!(matches!(value.kind, ExprKind::Map(_)), "HOT's functions are data here");
}

#[test]
fn pseudo_parameters_are_those_of_the_model() {
    assert_eq!(spelled("{Ref: 'AWS::StackName'}"), r#"{"get_param":"OS::stack_name"}"#);
    assert_eq!(spelled("{Ref: 'AWS::Region'}"), r#""ap-southeast-1""#);
    let id = "{'Fn::Select': [2, {'Fn::Split': [/, {Ref: 'AWS::StackId'}]}]}";
    assert_eq!(spelled(id), r#"{"get_param":"OS::stack_id"}"#);
    let (_, codes) = value("{Ref: 'AWS::NoValue'}");
    assert_eq!(codes, [crate::codes::UNKNOWN_REFERENCE]);
}

#[test]
fn tables_are_looked_up() {
    let (value, _) = value("{'Fn::FindInMap': [M, {Ref: p}, b]}");
    let ExprKind::Lookup(lookup) = &value.kind else { panic!("{value:?}") };
    assert_eq!(lookup.table.as_text(), Some("M"));
    assert!(matches!(lookup.key.kind, ExprKind::Parameter(_)));
}

#[test]
fn what_only_aws_has_is_told_and_read() {
    let (value, codes) = value(r#"{'Fn::Sub': "${p} ${r.id} ${!x}"}"#);
    let ExprKind::Replace(replace) = &value.kind else { panic!("{value:?}") };
    let ExprKind::Map(params) = &replace.params.kind else { panic!("{replace:?}") };
    let names: Vec<_> = params.iter().filter_map(|pair| pair.key.as_text()).collect();
    assert_eq!(names, ["${p}", "${r.id}", "${!x}"]);
    assert_eq!(params[2].value.as_text(), Some("${x}"));
    assert_eq!(codes, [crate::codes::AWS_ONLY_FUNCTION]);
    assert_eq!(value_codes("{'Fn::ImportValue': x}"), [crate::codes::AWS_ONLY_FUNCTION]);
}

fn value_codes(expression: &str) -> Vec<Code> {
    value(expression).1
}

#[test]
fn short_tags_are_their_long_forms() {
    let short = spelled("[!Ref p, !GetAtt r.a.b, !Join ['', [!Ref l]], !Sub x, !Base64 {Ref: p}]");
    let long = spelled(
        "[{Ref: p}, {'Fn::GetAtt': [r, a.b]}, {'Fn::Join': ['', [{Ref: l}]]}, x, {'Fn::Base64': {Ref: p}}]",
    );
    assert_eq!(short, long);
    let document =
        document("AWSTemplateFormatVersion: 2010-09-09\nOutputs: {o: {Value: !Ref p}}\n");
    assert_eq!(document.findings()[0].code, lossless_yaml::codes::SHORT_TAG);
    let span = lowered(document.text()).stack.outputs["o"].value.as_ref().map(|value| value.span);
    assert_eq!(document.slice(span.expect("a value")), "!Ref p");
    for other in ["heat_template_version: 2018-08-31\n", "", "AWSTemplateFormatVersio: 1\n"] {
        let text = format!("{other}a: !Ref p\n");
        let refused = read(SourceId(0), text.into(), &Limits::default());
        assert_eq!(
            refused.map_err(|finding| finding.code).err(),
            Some(lossless_yaml::codes::YAML_VALUE),
            "{other}"
        );
    }
    let unknown = "AWSTemplateFormatVersion: 2010-09-09\na: !Nothing p\n";
    assert!(read(SourceId(0), unknown.into(), &Limits::default()).is_err());
}

#[test]
fn parameters_have_their_constraints_beside_them() {
    let lowered = lowered(
        "HeatTemplateFormatVersion: 2012-12-12\nParameters:\n  p: {Type: Number, NoEcho: 'TRUE', AllowedValues: [1], MaxValue: 3, ConstraintDescription: no more}\n  q: {Type: 'AWS::EC2::KeyPair::KeyName', NoEcho: 'no', Foo: 1}\n",
    );
    let parameter = &lowered.stack.parameters["p"];
    assert_eq!(parameter.kind, Some(ParameterType::Number));
    assert!(parameter.is_hidden());
    let kinds: Vec<_> = parameter.constraints.iter().map(|one| &one.kind).collect();
    assert!(matches!(kinds[..], [ConstraintKind::Range(_), ConstraintKind::AllowedValues(_)]));
    assert!(parameter.constraints.iter().all(|one| one.description.is_some()));
    assert!(!lowered.stack.parameters["q"].is_hidden());
    let codes: Vec<_> = lowered.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [crate::codes::UNKNOWN_PARAMETER_TYPE, crate::codes::UNKNOWN_KEY]);
}

#[test]
fn the_format_of_heat_has_no_conditions() {
    let text = "HeatTemplateFormatVersion: 2012-12-12\nConditions: {c: {'Fn::Equals': [1, 1]}}\nResources: {r: {Type: 'OS::Heat::None', Condition: c, UpdateReplacePolicy: Retain}}\nOutputs: {o: {Value: {'Fn::If': [c, 1, 2]}}}\n";
    let heat = lowered(text);
    assert_eq!(heat.template.dialect, Dialect::Cfn(CfnFormat::Heat));
    let codes: Vec<_> = heat.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(
        codes,
        [crate::codes::UNKNOWN_SECTION, crate::codes::IGNORED_KEY, crate::codes::IGNORED_KEY]
    );
    assert!(matches!(
        heat.stack.outputs["o"].value.as_ref().expect("a value").kind,
        ExprKind::Map(_)
    ));
    let text = text
        .replace("HeatTemplateFormatVersion: 2012-12-12", "AWSTemplateFormatVersion: 2010-09-09");
    let aws = lowered(&text);
    assert_eq!(aws.stack.conditions.len(), 1);
    assert!(aws.stack.resources["r"].condition.is_some());
}

#[test]
fn a_version_has_one_date() {
    let refused =
        |text: &str| dialect::lower(&document(text)).map_err(|finding| finding.code).err();
    assert_eq!(
        refused("AWSTemplateFormatVersion: 2012-12-12\n"),
        Some(crate::codes::UNKNOWN_VERSION)
    );
    assert_eq!(
        refused("HeatTemplateFormatVersion: 2010-09-09\n"),
        Some(crate::codes::UNKNOWN_VERSION)
    );
}

#[test]
fn what_heat_refuses_is_found() {
    let text = "AWSTemplateFormatVersion: 2010-09-09\nResources:\n  a: {Properties: []}\n  b: {Type: x, DependsOn: 1, DeletionPolicy: retain}\n  c: 5\nOutputs: {o: {value: 1}}\n";
    let document = document(text);
    let template = dialect::recognize(&document).expect("a template");
    let codes: Vec<_> =
        lower(&document, CfnFormat::Aws, template.node).findings.iter().map(|it| it.code).collect();
    assert_eq!(
        codes,
        [
            crate::codes::VALUE_SHAPE,
            crate::codes::MISSING_KEY,
            crate::codes::VALUE_SHAPE,
            crate::codes::DELETION_POLICY_UNKNOWN,
            crate::codes::VALUE_SHAPE,
            crate::codes::IGNORED_KEY,
            crate::codes::MISSING_KEY,
        ]
    );
}

#[test]
fn what_aliases_name_is_lowered_once() {
    let mut text =
        "HeatTemplateFormatVersion: '2012-12-12'\nOutputs:\n  o:\n    Value:\n      - &a0 x\n"
            .to_owned();
    for level in 1..50 {
        let inner = level - 1;
        let lists = format!("[*a{inner}, *a{inner}]");
        text.push_str(&format!("      - &a{level} {{'Fn::Join': [',', {lists}]}}\n"));
    }
    let limits = Limits { nodes: usize::MAX, ..Limits::default() };
    let document = read(SourceId(0), text.as_str().into(), &limits).expect("YAML");
    let stack = dialect::lower(&document).expect("a template").stack;
    let mut parts = 0;
    stack.outputs["o"].value.as_ref().expect("a value").walk(&mut |_| parts += 1);
    let nodes = document.nodes().len();
    assert!(parts > 200 && parts < 2 * nodes, "{parts} parts of {nodes} nodes");
}
