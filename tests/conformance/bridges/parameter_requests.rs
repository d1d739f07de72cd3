//! Parameters for the judges: a request per line in, an answer in the oracle's notation per line out.

use std::fs;

use anyhow::{Context as _, Result, anyhow, bail};
use hotplate::diagnostics::{Diagnostic, SourceId};
use hotplate::eval::parameters::{Given, Identity, Inputs, Missing, Parameters, evaluate};
use hotplate::eval::{Effort, Key, Value};
use hotplate::hot::{Recognised, lower, recognise};
use hotplate::source::{self, Document, Limits, json_writer, read};
use indexmap::IndexMap;

/// Answers every line of `requests`: `{"template": text, "params": {…}, "defaults": {…}, "fill": …}`.
pub(crate) fn answer_all(requests: &str, out: &str) -> Result<()> {
    let mut lines = String::new();
    for line in fs::read_to_string(requests).with_context(|| requests.to_owned())?.lines() {
        let answer = match answer(line) {
            Ok(answer) => answer,
            Err(error) => source::Value::map([("refused", error.to_string().into())]),
        };
        lines.push_str(&json_writer::compact(&answer).map_err(said)?);
        lines.push('\n');
    }
    fs::write(out, lines).with_context(|| out.to_owned())
}

#[expect(clippy::boxed_local, reason = "for `map_err`")]
fn said(finding: Box<Diagnostic>) -> anyhow::Error {
    anyhow!("{}: {}", finding.code, finding.message)
}

fn load(text: &str) -> Result<Document> {
    read(SourceId(0), text.into(), &Limits::default()).map_err(said)
}

fn answer(request: &str) -> Result<source::Value> {
    let request = load(request)?;
    let root = request.root().context("an empty request")?;
    let request = source::Value::copy_of(request.data(root), &Limits::default()).map_err(said)?;
    let Some(source::Value::Text(template)) = request.get("template") else {
        bail!("a request has a template");
    };
    let template = load(template)?;
    let Recognised::Hot { version, node, .. } = recognise(&template) else {
        bail!("this is no template");
    };
    let stack = lower(&template, version, node).stack;
    let identity = Identity {
        stack_name: "STACK_NAME".to_owned(),
        stack_id: "STACK_ID".to_owned(),
        project_id: "PROJECT_ID".to_owned(),
    };
    let fill = request.get("fill") == Some(&source::Value::Bool(true));
    let inputs = Inputs {
        given: &given(request.get("params")),
        defaults: &given(request.get("defaults")),
        identity: &identity,
        missing: if fill { Missing::Invented } else { Missing::Refused },
        level: 0,
        effort: &Effort::default(),
    };
    Ok(encode(&evaluate(&stack, &inputs)))
}

fn given(values: Option<&source::Value>) -> IndexMap<String, Given> {
    let Some(source::Value::Map(pairs)) = values else { return IndexMap::new() };
    let pairs = pairs.iter().filter_map(|(name, value)| match name {
        source::Value::Text(name) => {
            Some((name.clone(), Given { value: Value::from(value), span: None, key: None }))
        }
        _ => None,
    });
    pairs.collect()
}

fn encode(parameters: &Parameters) -> source::Value {
    let reported = parameters.reported();
    let errors = reported.iter().map(|failure| {
        source::Value::map([
            ("type", failure.failure.class.name().into()),
            ("message", failure.failure.message.clone().into()),
            ("stage", failure.stage.name().into()),
        ])
    });
    let mut answer = vec![("errors", source::Value::List(errors.collect()))];
    let unchecked =
        parameters.unchecked.iter().map(|unchecked| unchecked.why.clone().into()).collect();
    answer.push(("unchecked", source::Value::List(unchecked)));
    if parameters.fatal().is_none() {
        let values = parameters.values.iter().map(|(name, value)| {
            let value = match value {
                Ok(value) => encode_value(value),
                Err(failure) => source::Value::map([(
                    "$error",
                    source::Value::map([("type", failure.class.name().into())]),
                )]),
            };
            (name.as_str(), value)
        });
        answer.push(("parameters", source::Value::map(values)));
    }
    source::Value::map(answer)
}

fn encode_value(value: &Value) -> source::Value {
    match value.open() {
        Value::Null => source::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => source::Value::Int(value.clone()),
        Value::Float(value) if value.is_finite() => (*value).into(),
        Value::Float(value) => {
            source::Value::map([("$float", value.to_string().to_lowercase().into())])
        }
        Value::Text(text) => text.to_string().into(),
        Value::List(items) => source::Value::List(items.iter().map(encode_value).collect()),
        Value::Map(map) if map.keys().all(|key| key.as_text().is_some()) => source::Value::Map(
            map.iter().map(|(key, value)| (encode_key(key), encode_value(value))).collect(),
        ),
        Value::Map(map) => {
            let pair = |(key, value): (&Key, &Value)| {
                source::Value::List(vec![encode_key(key), encode_value(value)])
            };
            source::Value::map([("$map", source::Value::List(map.iter().map(pair).collect()))])
        }
        other => source::Value::map([("$other", format!("{other:?}").into())]),
    }
}

fn encode_key(key: &Key) -> source::Value {
    encode_value(&key.to_value())
}
