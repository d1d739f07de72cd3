//! Parameters for the judges: a request per line in, a result in the oracle's format per line out.

use std::fs;

use anyhow::{Context as _, Result, anyhow, bail};
use heat_engine::eval::parameters::{
    MissingValuePolicy, ParameterInputs, Parameters, StackIdentity, SuppliedValue, evaluate,
};
use heat_engine::eval::{Budget, Key, Value};
use heat_template::hot::{DocumentKind, lower, recognize};
use heat_template::schema::Schema;
use indexmap::IndexMap;
use lossless_yaml::{Document, Limits, json_writer, read};
use source_diagnostics::{Diagnostic, ShowSecrets, SourceId};

/// Answers every line of `requests`: `{"template": text, "params": {…}, "defaults": {…}, "fill": …}`.
pub(crate) fn answer_all(requests: &str, out: &str) -> Result<()> {
    let mut lines = String::new();
    for line in fs::read_to_string(requests).with_context(|| requests.to_owned())?.lines() {
        let answer = match answer(line) {
            Ok(answer) => answer,
            Err(error) => lossless_yaml::Value::map([("refused", error.to_string().into())]),
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

fn answer(request: &str) -> Result<lossless_yaml::Value> {
    let request = load(request)?;
    let root = request.root().context("an empty request")?;
    let request =
        lossless_yaml::Value::copy_of(request.data(root), &Limits::default()).map_err(said)?;
    let Some(lossless_yaml::Value::Text(template)) = request.get("template") else {
        bail!("a request has a template");
    };
    let template = load(template)?;
    let DocumentKind::Hot { version, node, .. } = recognize(&template) else {
        bail!("this is no template");
    };
    let stack = lower(&template, version, node).stack;
    let identity = StackIdentity {
        stack_name: "STACK_NAME".to_owned(),
        stack_id: "STACK_ID".to_owned(),
        project_id: "PROJECT_ID".to_owned(),
    };
    let fill = request.get("fill") == Some(&lossless_yaml::Value::Bool(true));
    let inputs = ParameterInputs {
        schema: Schema::heat(),
        user_values: &given(request.get("params")),
        environment_defaults: &given(request.get("defaults")),
        identity: &identity,
        missing: if fill { MissingValuePolicy::Placeholder } else { MissingValuePolicy::Error },
        given: &[],
        level: 0,
        budget: &Budget::default(),
    };
    Ok(encode(&evaluate(&stack, &inputs)))
}

fn given(values: Option<&lossless_yaml::Value>) -> IndexMap<String, SuppliedValue> {
    let Some(lossless_yaml::Value::Map(pairs)) = values else { return IndexMap::new() };
    let pairs = pairs.iter().filter_map(|(name, value)| match name {
        lossless_yaml::Value::Text(name) => {
            Some((name.clone(), SuppliedValue { value: Value::from(value), span: None, key: None }))
        }
        _ => None,
    });
    pairs.collect()
}

fn encode(parameters: &Parameters) -> lossless_yaml::Value {
    let reported = parameters.reported();
    let show_secrets = ShowSecrets::if_requested(true);
    let errors = reported.iter().map(|failure| {
        let failure_itself = &failure.failure;
        let message = show_secrets
            .map_or(failure_itself.safe_message(), |it| failure_itself.shown_message(it));
        lossless_yaml::Value::map([
            ("type", failure_itself.class.name().into()),
            ("message", message.into()),
            ("stage", failure.stage.name().into()),
        ])
    });
    let mut answer = vec![("errors", lossless_yaml::Value::List(errors.collect()))];
    let unchecked =
        parameters.unchecked.iter().map(|unchecked| unchecked.why.clone().into()).collect();
    answer.push(("unchecked", lossless_yaml::Value::List(unchecked)));
    if parameters.fatal().is_none() {
        let values = parameters.values.iter().map(|(name, value)| {
            let value = match value {
                Ok(value) => encode_value(value),
                Err(failure) => lossless_yaml::Value::map([(
                    "$error",
                    lossless_yaml::Value::map([("type", failure.class.name().into())]),
                )]),
            };
            (name.as_str(), value)
        });
        answer.push(("parameters", lossless_yaml::Value::map(values)));
    }
    lossless_yaml::Value::map(answer)
}

fn encode_value(value: &Value) -> lossless_yaml::Value {
    match value.unsealed() {
        Value::Null => lossless_yaml::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => lossless_yaml::Value::Int(value.clone()),
        Value::Float(value) if value.is_finite() => (*value).into(),
        Value::Float(value) => {
            lossless_yaml::Value::map([("$float", value.to_string().to_lowercase().into())])
        }
        Value::Text(text) => text.to_string().into(),
        Value::List(items) => lossless_yaml::Value::List(items.iter().map(encode_value).collect()),
        Value::Map(map) if map.keys().all(|key| key.as_text().is_some()) => {
            lossless_yaml::Value::Map(
                map.iter().map(|(key, value)| (encode_key(key), encode_value(value))).collect(),
            )
        }
        Value::Map(map) => {
            let pair = |(key, value): (&Key, &Value)| {
                lossless_yaml::Value::List(vec![encode_key(key), encode_value(value)])
            };
            lossless_yaml::Value::map([(
                "$map",
                lossless_yaml::Value::List(map.iter().map(pair).collect()),
            )])
        }
        other => lossless_yaml::Value::map([("$other", format!("{other:?}").into())]),
    }
}

fn encode_key(key: &Key) -> lossless_yaml::Value {
    encode_value(&key.to_value())
}
