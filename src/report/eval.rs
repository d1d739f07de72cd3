//! The values of a stack as data. The structure, and the format of what JSON cannot express, are those of
//! the conformance harness's reference implementation (see `crates/heat-engine/ARCHITECTURE.md#evaluation-of-a-stack`).

pub mod shape;

use indexmap::IndexMap;

use self::shape::{
    DependsOn, Expression, Failed, Nested, NotKnown, Nullable, Refused, ReportValue, Requires,
    StackError, StackOutput, StackResource, ToData,
};
pub use self::shape::{ReportValue as ShownValue, Stack};
use super::SourceLocator;
use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_engine::eval::parameters::ParameterStage;
use heat_engine::eval::{
    Dependency, EvalResult, EvaluatedOutput, EvaluatedProperties, EvaluatedResource, Evaluation,
    EvaluationStage, Failure, Key, StageFailure, Unknown, Value,
};
use heat_template::hot::{Version, raise_expr};
use lossless_yaml::yaml::writer;
use lossless_yaml::{Value as Data, json_writer};
use source_diagnostics::{Diagnostic, MASK, MaskedSources, ShowSecrets};

/// The content of a report.
#[derive(Clone, Copy, Debug, Default)]
pub struct EvalReportOptions {
    /// The permission to show secrets.
    pub show_secrets: Option<ShowSecrets>,
    /// Whether to include nested stacks.
    pub nested: bool,
}

/// A stack as data, with its nested stacks if requested.
pub fn to_data(stack: &Deployed, sources: &MaskedSources, options: EvalReportOptions) -> Data {
    to_map(deployed(stack, sources, options))
}

fn deployed(stack: &Deployed, sources: &MaskedSources, options: EvalReportOptions) -> Stack {
    let children = options.nested.then_some(&stack.children);
    let template = stack.node.url();
    one(&stack.evaluation, stack.node.template.version, template, children, sources, options)
}

/// A single stack as data; without sources, errors have no places.
pub fn evaluation_to_data(evaluation: &Evaluation, options: EvalReportOptions) -> Data {
    let version = evaluation.dialect.date();
    to_map(one(evaluation, version, None, None, &MaskedSources::default(), options))
}

/// A single value as data; unknown values are expressions of the latest version.
pub fn value_to_data(value: &Value, options: EvalReportOptions) -> Data {
    let sources = &MaskedSources::default();
    EvalReport { version: Version::LATEST, sources, options, is_expression_only: false }
        .value(value)
}

/// Converts a report to data.
fn to_map(stack: Stack) -> Data {
    stack.data().unwrap_or(Data::Null)
}

fn one(
    evaluation: &Evaluation,
    version: &str,
    template: Option<&str>,
    children: Option<&IndexMap<String, ChildStack>>,
    sources: &MaskedSources,
    options: EvalReportOptions,
) -> Stack {
    let report = EvalReport {
        version: evaluation.dialect.hot().unwrap_or(Version::LATEST),
        sources,
        options,
        is_expression_only: false,
    };
    let mut places = SourceLocator::new(sources);
    let failures = evaluation.failures.iter();
    let stack = Stack {
        version: Some([evaluation.dialect.version_key(), version].map(str::to_owned)),
        template: template.map(str::to_owned),
        ..Stack::of(
            evaluation.failures.is_empty(),
            failures.map(|found| report.stage_failure(found, &mut places)).collect(),
        )
    };
    // Without valid parameter declarations nothing else is reported.
    let is_fatal = |failure: &StageFailure| {
        failure.stage == EvaluationStage::Parameters(ParameterStage::Declaration)
    };
    if evaluation.failures.iter().any(is_fatal) {
        return stack;
    }
    let outcomes = |found: &IndexMap<String, EvalResult>| {
        found
            .iter()
            .map(|(name, value)| (name.clone(), ReportValue(report.outcome(value))))
            .collect()
    };
    let resources = evaluation.resources.as_ref().map(|resources| {
        let resources = resources.iter().map(|(name, resource)| {
            let child = children.and_then(|children| children.get(name));
            (name.clone(), report.resource(resource, child))
        });
        resources.collect()
    });
    let outputs = evaluation.outputs.as_ref().map(|outputs| {
        outputs.iter().map(|(name, output)| (name.clone(), report.output(output))).collect()
    });
    Stack {
        parameters: Some(outcomes(&evaluation.parameters)),
        conditions: Some(outcomes(&evaluation.conditions)),
        disabled_resources: resources.is_some().then(|| names(&evaluation.disabled_resources)),
        resources,
        outputs: Some(Nullable(outputs)),
        ..stack
    }
}

/// The report of a template that cannot be evaluated, as JSON, which is also YAML.
pub fn template_error_json(
    findings: &[Diagnostic],
    sources: &MaskedSources,
) -> anyhow::Result<String> {
    let mut places = SourceLocator::new(sources);
    let errors = findings.iter().filter(|finding| finding.is_error()).map(|finding| StackError {
        class: finding.code.to_string(),
        message: finding.message.clone(),
        stage: "load".to_owned(),
        place: Nullable(finding.span().and_then(|span| places.locate(span))),
    });
    with_message(json_writer::pretty(&to_map(Stack::of(false, errors.collect()))))
}

/// Renders an evaluation as JSON.
pub fn to_json(
    stack: &Deployed,
    sources: &MaskedSources,
    options: EvalReportOptions,
) -> anyhow::Result<String> {
    with_message(json_writer::pretty(&to_data(stack, sources, options)))
}

/// Renders an evaluation as YAML.
pub fn to_yaml(
    stack: &Deployed,
    sources: &MaskedSources,
    options: EvalReportOptions,
) -> anyhow::Result<String> {
    with_message(writer::write(&to_data(stack, sources, options), &writer::YamlOptions::default()))
}

/// Renders a single value as JSON.
pub fn value_to_json(value: &Value, options: EvalReportOptions) -> anyhow::Result<String> {
    with_message(json_writer::pretty(&value_to_data(value, options)))
}

/// Renders a single value on one line, as in the text of an evaluation: an unknown value is its expression.
pub(crate) fn value_to_line(value: &Value) -> anyhow::Result<String> {
    let report = EvalReport {
        version: Version::LATEST,
        sources: &MaskedSources::default(),
        options: EvalReportOptions::default(),
        is_expression_only: true,
    };
    with_message(json_writer::compact(&report.value(value)))
}

/// Renders a single value as YAML.
pub fn value_to_yaml(value: &Value, options: EvalReportOptions) -> anyhow::Result<String> {
    with_message(writer::write(&value_to_data(value, options), &writer::YamlOptions::default()))
}

/// Renders an evaluation as text, one line per entry of the stacks.
pub fn to_text(stack: &Deployed, options: EvalReportOptions) -> anyhow::Result<String> {
    let mut out = String::new();
    add_text(stack, options, "", &mut out)?;
    Ok(out)
}

/// Adds one stack, then its nested stacks; `path` leads to it.
fn add_text(
    stack: &Deployed,
    options: EvalReportOptions,
    path: &str,
    out: &mut String,
) -> anyhow::Result<()> {
    let evaluation = &stack.evaluation;
    let report = EvalReport {
        version: evaluation.dialect.hot().unwrap_or(Version::LATEST),
        sources: &MaskedSources::default(),
        options,
        is_expression_only: true,
    };
    if !path.is_empty() {
        out.push_str(&match stack.node.url() {
            Some(template) => format!("\nstack {path} ({template})\n"),
            None => format!("\nstack {path}\n"),
        });
    }
    let mut section = |title: &str, lines: Vec<(String, Data)>| -> anyhow::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        out.push_str(title);
        out.push('\n');
        for (name, value) in lines {
            out.push_str(&format!("  {name}: {}\n", with_message(json_writer::compact(&value))?));
        }
        Ok(())
    };
    let named = |found: &IndexMap<String, EvalResult>| {
        found.iter().map(|(name, value)| (name.clone(), report.outcome(value))).collect()
    };
    section("parameters", named(&evaluation.parameters))?;
    section("conditions", named(&evaluation.conditions))?;
    for (name, resource) in evaluation.resources.iter().flatten() {
        let mut lines: Vec<_> = match &resource.properties {
            EvaluatedProperties::Each(each) => {
                each.iter().map(|(key, value)| (key_text(key), report.outcome(value))).collect()
            }
            EvaluatedProperties::Whole(whole) => {
                vec![("properties".to_owned(), report.outcome(whole))]
            }
        };
        let child = stack.children.get(name).filter(|_| options.nested);
        let nested = child.and_then(|child| match child {
            ChildStack::Stack(_) => None,
            ChildStack::Unknown(unknown) => Some(report.unknown(unknown)),
            ChildStack::Failed(failure) => report.error(failure).data(),
        });
        lines.extend(nested.map(|nested| ("nested".to_owned(), nested)));
        section(&format!("resource {name} ({})", resource.kind), lines)?;
    }
    if !evaluation.disabled_resources.is_empty() {
        section(
            "disabled resources",
            vec![("names".to_owned(), texts(&evaluation.disabled_resources))],
        )?;
    }
    let outputs = evaluation.outputs.iter().flatten();
    section(
        "outputs",
        outputs.map(|(name, output)| (name.clone(), report.outcome(&output.value))).collect(),
    )?;
    for (name, child) in stack.children.iter().filter(|_| options.nested) {
        if let ChildStack::Stack(child) = child {
            add_text(child, options, &format!("{path}/{name}"), out)?;
        }
    }
    Ok(())
}

fn with_message(
    text: Result<String, Box<source_diagnostics::Diagnostic>>,
) -> anyhow::Result<String> {
    text.map_err(|finding| anyhow::anyhow!("{}", finding.message))
}

fn key_text(key: &Key) -> String {
    key.as_text().map_or_else(|| format!("{:?}", key.to_value()), str::to_owned)
}

fn names<T: AsRef<str>>(items: &[T]) -> Vec<String> {
    items.iter().map(|item| item.as_ref().to_owned()).collect()
}

fn texts<T: AsRef<str>>(items: &[T]) -> Data {
    Data::List(items.iter().map(|item| Data::from(item.as_ref())).collect())
}

struct EvalReport<'s> {
    version: Version,
    sources: &'s MaskedSources,
    options: EvalReportOptions,
    /// Whether an unknown value is shown only as an expression, without further details.
    is_expression_only: bool,
}

impl EvalReport<'_> {
    fn failure(&self, failure: &Failure) -> Refused {
        let message = match self.options.show_secrets {
            Some(permission) => failure.shown_message(permission),
            None => failure.safe_message(),
        };
        Refused { class: failure.class.name().to_owned(), message: message.to_owned() }
    }

    fn error(&self, found: &Failure) -> Failed {
        Failed { error: self.failure(found) }
    }

    fn stage_failure(&self, found: &StageFailure, places: &mut SourceLocator<'_>) -> StackError {
        let Refused { class, message } = self.failure(&found.failure);
        let place = Nullable(places.locate(found.failure.span));
        StackError { class, message, stage: found.stage.name().to_owned(), place }
    }

    fn outcome(&self, outcome: &EvalResult) -> Data {
        match outcome {
            Ok(value) => self.value(value),
            Err(failure) => self.error(failure).data().unwrap_or(Data::Null),
        }
    }

    fn value(&self, value: &Value) -> Data {
        match value {
            Value::Null => Data::Null,
            Value::Bool(value) => Data::Bool(*value),
            Value::Int(value) => Data::Int(value.clone()),
            Value::Float(value) if value.is_finite() => Data::Float(*value),
            Value::Float(value) => {
                let name = if value.is_nan() {
                    "nan"
                } else if *value > 0.0 {
                    "inf"
                } else {
                    "-inf"
                };
                Data::map([("$float", Data::from(name))])
            }
            Value::Text(text) => Data::from(text.as_str()),
            Value::Bytes(bytes) => Data::map([("$bytes", Data::from(base64(bytes)))]),
            Value::Date(text) => Data::map([("$date", Data::from(text.as_str()))]),
            Value::List(items) => Data::List(self.items(items)),
            Value::Set(items) => Data::map([("$set", Data::List(self.items(items)))]),
            Value::Map(map) if map.keys().all(|key| key.as_text().is_some()) => Data::Map(
                map.iter()
                    .map(|(key, value)| (Data::from(key_text(key)), self.value(value)))
                    .collect(),
            ),
            Value::Map(map) => {
                let pairs = map.iter().map(|(key, value)| {
                    Data::List(vec![self.value(&key.to_value()), self.value(value)])
                });
                Data::map([("$map", Data::List(pairs.collect()))])
            }
            Value::Unknown(unknown) => self.unknown(unknown),
            Value::Call(call) => Data::map([
                ("$unresolved", Data::from(call.function.as_str())),
                ("args", self.value(&call.argument)),
            ]),
            Value::Object(object) => Data::map([
                ("$object", Data::from(object.class)),
                ("text", Data::from(object.text.as_str())),
            ]),
            Value::Elided => Data::map([("$elided", Data::Bool(true))]),
            Value::Secret(secret) => match self.options.show_secrets {
                Some(permission) => self.value(secret.shown(permission)),
                None => Data::from(MASK),
            },
        }
    }

    fn items(&self, items: &[Value]) -> Vec<Data> {
        items.iter().map(|item| self.value(item)).collect()
    }

    fn unknown(&self, unknown: &Unknown) -> Data {
        let (expr, _) = raise_expr(&unknown.expr, self.version);
        if self.is_expression_only {
            return expr;
        }
        self.not_known(unknown, expr).data().unwrap_or(Data::Null)
    }

    fn not_known(&self, unknown: &Unknown, expr: Data) -> NotKnown {
        let depends_on = unknown.depends_on.iter().map(dependency).collect();
        NotKnown { unknown: Expression { expr: ReportValue(expr), depends_on } }
    }

    fn child(&self, child: &ChildStack) -> Nested {
        match child {
            ChildStack::Stack(stack) => {
                Nested::Stack(Box::new(deployed(stack, self.sources, self.options)))
            }
            ChildStack::Unknown(unknown) => {
                let (expr, _) = raise_expr(&unknown.expr, self.version);
                Nested::NotKnown(self.not_known(unknown, expr))
            }
            ChildStack::Failed(failure) => Nested::Failed(self.error(failure)),
        }
    }

    fn resource(&self, resource: &EvaluatedResource, child: Option<&ChildStack>) -> StackResource {
        let properties = match &resource.properties {
            EvaluatedProperties::Whole(whole) => self.outcome(whole),
            EvaluatedProperties::Each(each) if each.keys().all(|key| key.as_text().is_some()) => {
                Data::map(each.iter().map(|(key, value)| (key_text(key), self.outcome(value))))
            }
            EvaluatedProperties::Each(each) => {
                let pairs = each.iter().map(|(key, value)| {
                    Data::List(vec![self.value(&key.to_value()), self.outcome(value)])
                });
                Data::map([("$map", Data::List(pairs.collect()))])
            }
        };
        let optional = |value: &Option<EvalResult>| {
            value.as_ref().map(|value| ReportValue(self.outcome(value)))
        };
        let errors = resource.function_errors.iter().map(|found| self.failure(found));
        let errors: Vec<Refused> = errors.collect();
        StackResource {
            kind: resource.kind.to_string(),
            properties: ReportValue(properties),
            metadata: optional(&resource.metadata),
            update_policy: optional(&resource.update_policy),
            deletion_policy: ReportValue(self.value(&resource.deletion_policy)),
            depends_on: names(&resource.depends_on),
            external_id: optional(&resource.external_id),
            condition: optional(&resource.condition),
            description: resource.description.as_ref().map(ToString::to_string),
            requires: match &resource.requires {
                Ok(required) => Requires::Names(names(required)),
                Err(failure) => Requires::Failed(self.error(failure)),
            },
            implicit_dependencies: Some(names(&resource.implicit_dependencies))
                .filter(|names| !names.is_empty()),
            function_errors: (!errors.is_empty()).then_some(errors),
            nested: child.map(|child| self.child(child)),
        }
    }

    fn output(&self, output: &EvaluatedOutput) -> StackOutput {
        StackOutput {
            value: ReportValue(self.outcome(&output.value)),
            description: ReportValue(self.value(&output.description)),
            enabled: ReportValue(self.value(&output.enabled)),
        }
    }
}

fn dependency(dependency: &Dependency) -> DependsOn {
    let name = |name: &str| Some(name.to_owned());
    let none = DependsOn::default();
    match dependency {
        Dependency::Parameter(parameter) => DependsOn { parameter: name(parameter), ..none },
        Dependency::Resource(resource) => DependsOn { resource: name(resource), ..none },
        Dependency::Attribute(resource, attribute) => {
            let attribute = attribute.as_deref().map(str::to_owned);
            DependsOn { resource: name(resource), attribute: Some(Nullable(attribute)), ..none }
        }
        Dependency::File(file) => DependsOn { file: name(file), ..none },
        Dependency::Cloud(what) => DependsOn { cloud: name(what), ..none },
    }
}

/// Encodes binary data as Base64.
pub(super) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |group, byte| group << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let letter = LETTERS[(group >> (18 - 6 * at)) as usize & 63];
            out.push(if at <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_padded() {
        assert_eq!(base64(b""), "");
        assert_eq!(base64(b"a"), "YQ==");
        assert_eq!(base64(b"ab"), "YWI=");
        assert_eq!(base64(b"abc"), "YWJj");
        assert_eq!(base64(&[0xff, 0xef, 0xbe, 0xad]), "/+++rQ==");
    }

    #[test]
    fn what_json_cannot_hold_has_a_spelling() {
        let report = EvalReport {
            version: Version::LATEST,
            sources: &MaskedSources::default(),
            options: EvalReportOptions::default(),
            is_expression_only: false,
        };
        let mut map = heat_engine::eval::Map::new();
        map.insert(
            Key::from_value(&Value::int(1)).expect("a key"),
            Value::Float(f64::NEG_INFINITY),
        );
        let value = Value::list(vec![
            Value::Map(map.into()),
            Value::Bytes((*b"a").into()),
            Value::Elided,
            Value::text("s").sealed(true),
        ]);
        let text = json_writer::compact(&report.value(&value));
        let expected =
            r#"[{"$map":[[1,{"$float":"-inf"}]]},{"$bytes":"YQ=="},{"$elided":true},"******"]"#;
        assert_eq!(text.as_deref(), Ok(expected));
        let shown = EvalReport {
            options: EvalReportOptions {
                show_secrets: ShowSecrets::if_requested(true),
                nested: false,
            },
            ..report
        };
        assert_eq!(shown.value(&Value::text("s").sealed(true)), Data::from("s"));
    }
}
