//! The values of a stack as data: the shape, and the spelling of what JSON cannot hold, are those of
//! the judge that conformance asks (see `docs/ARCHITECTURE.md`, chapter «evaluate»).

use indexmap::IndexMap;

use super::{Place, Places, Point};
use crate::diagnostics::{Diagnostic, SourceMap};
use crate::eval::deployment::{Child, Deployed};
use crate::eval::parameters::Stage as ParameterStage;
use crate::eval::{
    Dependency, Evaluation, Failure, Key, Outcome, Output, Properties, Resource, Stage,
    StageFailure, Unknown, Value,
};
use crate::hot::{Version, raise_expr};
use crate::source::yaml::writer;
use crate::source::{Value as Data, json_writer};

/// What stands for a secret.
pub const HIDDEN: &str = "******";

/// What a report shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Secrets as they are.
    pub show_secrets: bool,
    /// The stacks that resources stand for.
    pub nested: bool,
}

/// A stack, and those below it where they are wanted, as data.
pub fn to_data(stack: &Deployed, sources: &SourceMap, options: Options) -> Data {
    let children = options.nested.then_some(&stack.children);
    let template = stack.template.as_deref();
    one(&stack.evaluation, &stack.version, template, children, sources, options)
}

/// A stack by itself as data; without sources there are no places of errors.
pub fn evaluation_to_data(evaluation: &Evaluation, options: Options) -> Data {
    one(evaluation, evaluation.dialect.date(), None, None, &SourceMap::default(), options)
}

/// A value by itself as data; what is not known as the latest version spells it.
pub fn value_to_data(value: &Value, options: Options) -> Data {
    let sources = &SourceMap::default();
    Report { version: Version::LATEST, sources, options, plain: false }.value(value)
}

fn one(
    evaluation: &Evaluation,
    version: &str,
    template: Option<&str>,
    children: Option<&IndexMap<String, Child>>,
    sources: &SourceMap,
    options: Options,
) -> Data {
    let report = Report {
        version: evaluation.dialect.hot().unwrap_or(Version::LATEST),
        sources,
        options,
        plain: false,
    };
    let mut root = Pairs::default();
    root.add("ok", Data::Bool(evaluation.failures.is_empty()));
    let mut places = Places::new(sources);
    let failures = evaluation.failures.iter();
    let failures = failures.map(|found| report.stage_failure(found, &mut places)).collect();
    root.add("errors", Data::List(failures));
    let version = [evaluation.dialect.version_key(), version];
    root.add("version", Data::List(version.map(Data::from).to_vec()));
    if let Some(template) = template {
        root.add("template", Data::from(template));
    }
    // Without the declarations of parameters nothing is said of the rest.
    let is_fatal =
        |failure: &StageFailure| failure.stage == Stage::Parameters(ParameterStage::Declaration);
    if evaluation.failures.iter().any(is_fatal) {
        return root.done();
    }
    let outcomes = |found: &IndexMap<String, Outcome>| {
        Data::map(found.iter().map(|(name, value)| (name.as_str(), report.outcome(value))))
    };
    root.add("parameters", outcomes(&evaluation.parameters));
    root.add("conditions", outcomes(&evaluation.conditions));
    if let Some(resources) = &evaluation.resources {
        let resources = resources.iter().map(|(name, resource)| {
            let child = children.and_then(|children| children.get(name));
            (name.as_str(), report.resource(resource, child))
        });
        root.add("resources", Data::map(resources));
        root.add("disabled_resources", texts(&evaluation.disabled_resources));
    }
    let outputs = evaluation.outputs.as_ref().map_or(Data::Null, |outputs| {
        Data::map(outputs.iter().map(|(name, output)| (name.as_str(), report.output(output))))
    });
    root.add("outputs", outputs);
    root.done()
}

/// What is said of a template that cannot be evaluated, as JSON, which is YAML, too.
pub fn refused(findings: &[Diagnostic], sources: &SourceMap) -> anyhow::Result<String> {
    let mut places = Places::new(sources);
    let errors = findings.iter().filter(|finding| finding.is_error()).map(|finding| {
        let mut pairs = Pairs::default();
        pairs.add("type", Data::from(finding.code.to_string()));
        pairs.add("message", Data::from(finding.message.as_str()));
        pairs.add("stage", Data::from("load"));
        pairs.add("place", place(finding.span().and_then(|span| places.place(span))));
        pairs.done()
    });
    let errors = Data::List(errors.collect());
    written(json_writer::pretty(&Data::map([("ok", Data::Bool(false)), ("errors", errors)])))
}

/// An evaluation as JSON.
pub fn to_json(stack: &Deployed, sources: &SourceMap, options: Options) -> anyhow::Result<String> {
    written(json_writer::pretty(&to_data(stack, sources, options)))
}

/// An evaluation as YAML.
pub fn to_yaml(stack: &Deployed, sources: &SourceMap, options: Options) -> anyhow::Result<String> {
    written(writer::write(&to_data(stack, sources, options), &writer::Options::default()))
}

/// A value by itself as JSON.
pub fn value_to_json(value: &Value, options: Options) -> anyhow::Result<String> {
    written(json_writer::pretty(&value_to_data(value, options)))
}

/// A value by itself as YAML.
pub fn value_to_yaml(value: &Value, options: Options) -> anyhow::Result<String> {
    written(writer::write(&value_to_data(value, options), &writer::Options::default()))
}

/// An evaluation for people: what the stacks have, one line each.
pub fn to_text(stack: &Deployed, options: Options) -> anyhow::Result<String> {
    let mut out = String::new();
    add_text(stack, options, "", &mut out)?;
    Ok(out)
}

/// Adds one stack, then those below it; `path` leads to it.
fn add_text(
    stack: &Deployed,
    options: Options,
    path: &str,
    out: &mut String,
) -> anyhow::Result<()> {
    let evaluation = &stack.evaluation;
    let report = Report {
        version: evaluation.dialect.hot().unwrap_or(Version::LATEST),
        sources: &SourceMap::default(),
        options,
        plain: true,
    };
    if !path.is_empty() {
        out.push_str(&match &stack.template {
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
            out.push_str(&format!("  {name}: {}\n", written(json_writer::compact(&value))?));
        }
        Ok(())
    };
    let named = |found: &IndexMap<String, Outcome>| {
        found.iter().map(|(name, value)| (name.clone(), report.outcome(value))).collect()
    };
    section("parameters", named(&evaluation.parameters))?;
    section("conditions", named(&evaluation.conditions))?;
    for (name, resource) in evaluation.resources.iter().flatten() {
        let mut lines: Vec<_> = match &resource.properties {
            Properties::Each(each) => {
                each.iter().map(|(key, value)| (key_text(key), report.outcome(value))).collect()
            }
            Properties::Whole(whole) => vec![("properties".to_owned(), report.outcome(whole))],
        };
        let child = stack.children.get(name).filter(|_| options.nested);
        if let Some(child @ (Child::Unknown(_) | Child::Failed(_))) = child {
            lines.push(("nested".to_owned(), report.child(child)));
        }
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
        if let Child::Stack(child) = child {
            add_text(child, options, &format!("{path}/{name}"), out)?;
        }
    }
    Ok(())
}

fn written(text: Result<String, Box<crate::diagnostics::Diagnostic>>) -> anyhow::Result<String> {
    text.map_err(|finding| anyhow::anyhow!("{}", finding.message))
}

fn key_text(key: &Key) -> String {
    key.as_text().map_or_else(|| format!("{:?}", key.to_value()), str::to_owned)
}

fn texts<T: AsRef<str>>(items: &[T]) -> Data {
    Data::List(items.iter().map(|item| Data::from(item.as_ref())).collect())
}

/// The pairs of a map under construction.
#[derive(Default)]
struct Pairs(Vec<(Data, Data)>);

impl Pairs {
    fn add(&mut self, key: &str, value: Data) {
        self.0.push((Data::from(key), value));
    }

    fn done(self) -> Data {
        Data::Map(self.0)
    }
}

/// A place as data, as all reports have it.
fn place(place: Option<Place>) -> Data {
    let Some(Place { path, start, end }) = place else { return Data::Null };
    let point = |point: Point| {
        let count = |count: u32| Data::from(i64::from(count));
        Data::map([
            ("line", count(point.line)),
            ("column", count(point.column)),
            ("byte", count(point.byte)),
        ])
    };
    Data::map([("path", Data::from(path)), ("start", point(start)), ("end", point(end))])
}

struct Report<'s> {
    version: Version,
    sources: &'s SourceMap,
    options: Options,
    /// What is not known is told as the expression that it is, and nothing about it.
    plain: bool,
}

impl Report<'_> {
    fn failure(&self, failure: &Failure) -> Pairs {
        let shows = self.options.show_secrets;
        let message = if shows { failure.message.as_str() } else { failure.shown() };
        let mut pairs = Pairs::default();
        pairs.add("type", Data::from(failure.class.name()));
        pairs.add("message", Data::from(message));
        pairs
    }

    fn error(&self, found: &Failure) -> Data {
        Data::map([("$error", self.failure(found).done())])
    }

    fn stage_failure(&self, found: &StageFailure, places: &mut Places<'_>) -> Data {
        let mut pairs = self.failure(&found.failure);
        pairs.add("stage", Data::from(found.stage.name()));
        pairs.add("place", place(places.place(found.failure.span)));
        pairs.done()
    }

    fn outcome(&self, outcome: &Outcome) -> Data {
        match outcome {
            Ok(value) => self.value(value),
            Err(failure) => self.error(failure),
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
            Value::Call(call) => {
                let mut pairs = Pairs::default();
                pairs.add("$unresolved", Data::from(call.function.as_str()));
                pairs.add("args", self.value(&call.argument));
                pairs.done()
            }
            Value::Object(object) => {
                let mut pairs = Pairs::default();
                pairs.add("$object", Data::from(object.class));
                pairs.add("text", Data::from(object.text.as_str()));
                pairs.done()
            }
            Value::Elided => Data::map([("$elided", Data::Bool(true))]),
            Value::Secret(inner) if self.options.show_secrets => self.value(inner),
            Value::Secret(_) => Data::from(HIDDEN),
        }
    }

    fn items(&self, items: &[Value]) -> Vec<Data> {
        items.iter().map(|item| self.value(item)).collect()
    }

    fn unknown(&self, unknown: &Unknown) -> Data {
        let (expr, _) = raise_expr(&unknown.expr, self.version);
        if self.plain {
            return expr;
        }
        let depends_on = unknown.depends_on.iter().map(dependency).collect();
        let mut pairs = Pairs::default();
        pairs.add("expr", expr);
        pairs.add("depends_on", Data::List(depends_on));
        Data::map([("$unknown", pairs.done())])
    }

    fn child(&self, child: &Child) -> Data {
        match child {
            Child::Stack(stack) => to_data(stack, self.sources, self.options),
            Child::Unknown(unknown) => self.unknown(unknown),
            Child::Failed(failure) => self.error(failure),
        }
    }

    fn resource(&self, resource: &Resource, child: Option<&Child>) -> Data {
        let mut pairs = Pairs::default();
        pairs.add("type", Data::from(resource.kind.as_str()));
        let properties = match &resource.properties {
            Properties::Whole(whole) => self.outcome(whole),
            Properties::Each(each) if each.keys().all(|key| key.as_text().is_some()) => {
                Data::map(each.iter().map(|(key, value)| (key_text(key), self.outcome(value))))
            }
            Properties::Each(each) => {
                let pairs = each.iter().map(|(key, value)| {
                    Data::List(vec![self.value(&key.to_value()), self.outcome(value)])
                });
                Data::map([("$map", Data::List(pairs.collect()))])
            }
        };
        pairs.add("properties", properties);
        let mut optional = |key: &str, value: &Option<Outcome>| {
            if let Some(value) = value {
                pairs.add(key, self.outcome(value));
            }
        };
        optional("metadata", &resource.metadata);
        optional("update_policy", &resource.update_policy);
        pairs.add("deletion_policy", self.value(&resource.deletion_policy));
        pairs.add("depends_on", texts(&resource.depends_on));
        let mut optional = |key: &str, value: &Option<Outcome>| {
            if let Some(value) = value {
                pairs.add(key, self.outcome(value));
            }
        };
        optional("external_id", &resource.external_id);
        optional("condition", &resource.condition);
        if let Some(description) = &resource.description {
            pairs.add("description", Data::from(description.as_str()));
        }
        let requires = match &resource.requires {
            Ok(names) => texts(names),
            Err(failure) => self.error(failure),
        };
        pairs.add("requires", requires);
        if !resource.function_errors.is_empty() {
            let errors = resource.function_errors.iter().map(|found| self.failure(found).done());
            pairs.add("function_errors", Data::List(errors.collect()));
        }
        if let Some(child) = child {
            pairs.add("nested", self.child(child));
        }
        pairs.done()
    }

    fn output(&self, output: &Output) -> Data {
        let mut pairs = Pairs::default();
        pairs.add("value", self.outcome(&output.value));
        pairs.add("description", self.value(&output.description));
        pairs.add("enabled", self.value(&output.enabled));
        pairs.done()
    }
}

fn dependency(dependency: &Dependency) -> Data {
    let named = |key: &str, name: &str| (key.to_owned(), Data::from(name));
    Data::map(match dependency {
        Dependency::Parameter(name) => vec![named("parameter", name)],
        Dependency::Resource(name) => vec![named("resource", name)],
        Dependency::Attribute(resource, attribute) => {
            let attribute = attribute.as_deref().map_or(Data::Null, Data::from);
            vec![named("resource", resource), ("attribute".to_owned(), attribute)]
        }
        Dependency::File(name) => vec![named("file", name)],
        Dependency::Cloud(what) => vec![named("cloud", what)],
    })
}

/// Binary data in text.
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
        let report = Report {
            version: Version::LATEST,
            sources: &SourceMap::default(),
            options: Options::default(),
            plain: false,
        };
        let mut map = crate::eval::Map::new();
        map.insert(Key::of(&Value::int(1)).expect("a key"), Value::Float(f64::NEG_INFINITY));
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
        let shown = Report { options: Options { show_secrets: true, nested: false }, ..report };
        assert_eq!(shown.value(&Value::text("s").sealed(true)), Data::from("s"));
    }
}
