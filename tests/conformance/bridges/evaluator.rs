//! The bridge between the conformance harness and hotplate's evaluation: the values of one template
//! after the other, with what the judge says of parameters.
//!
//! ```text
//! evaluator REQUESTS ANSWERS
//! ```
//!
//! REQUESTS has a JSON object per line: `template` (its text), `parameters` (values as the judge
//! encodes them), and of the judge's own keys `attrs`, `facade`, `files`, `fill`, `azs`. ANSWERS gets a
//! JSON object per line: what `hotplate eval --format json --show-secrets` prints, or
//! `{"unread": reason}`.

#![forbid(unsafe_code)]

use std::fs;

use anyhow::{Context as _, Result, anyhow, bail};
use heat_engine::eval::parameters::Parameters;
use heat_engine::eval::{
    Budget, ErrorClass, EvaluationInputs, Facade, Failure, Key, Map, ResourceStates, Value,
    evaluate, heat_yaql_options,
};
use heat_template::dialect::lower;
use heat_template::schema::Schema;
use hotplate::report::eval::{EvalReportOptions, evaluation_to_data};
use indexmap::IndexMap;
use lossless_yaml::{Limits, Value as Data, as_sent, json_writer, read};
use source_diagnostics::{Diagnostic, ShowSecrets, SourceId, Span};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [requests, answers] = arguments.as_slice() else {
        bail!("usage: evaluator REQUESTS ANSWERS")
    };
    let mut lines = String::new();
    for line in fs::read_to_string(requests).with_context(|| requests.clone())?.lines() {
        let answer = match parsed(line).and_then(|request| answer(&request)) {
            Ok(answer) => answer,
            Err(error) => Data::map([("unread", Data::from(error.to_string()))]),
        };
        lines.push_str(&json_writer::compact(&answer).map_err(said)?);
        lines.push('\n');
    }
    fs::write(answers, lines).with_context(|| answers.clone())
}

fn said(finding: impl std::ops::Deref<Target = Diagnostic>) -> anyhow::Error {
    anyhow!("{}: {}", finding.code, finding.message)
}

fn parsed(text: &str) -> Result<Data> {
    let document = read(SourceId(0), text.into(), &Limits::default()).map_err(said)?;
    let root = document.root().context("nothing to read")?;
    Data::copy_of(document.data(root), &Limits::default()).map_err(said)
}

fn answer(request: &Data) -> Result<Data> {
    let Some(Data::Text(template)) = request.get("template") else { bail!("no template") };
    let document = read(SourceId(0), as_sent(template).into(), &Limits::default()).map_err(said)?;
    let lowered = lower(&document).map_err(said)?;
    let stack = &lowered.stack;
    let field = |name: &str| request.get(name).map_or(Value::Null, decoded);
    let mut parameters =
        Parameters { values: IndexMap::new(), failures: Vec::new(), unchecked: Vec::new() };
    if let Some(Data::Map(pairs)) = request.get("parameters") {
        for (name, value) in pairs {
            let Data::Text(name) = name else { continue };
            parameters.values.insert(name.clone(), outcome(value)?);
        }
    }
    // The model knows the parts of CFN's pseudo parameters under the names of HOT's.
    if let Some(Ok(Value::Text(arn))) = parameters.values.get("AWS::StackId").cloned() {
        let parts: Vec<&str> = arn.split([':', '/']).collect();
        if let [_, _, _, _, project, _, name, id] = parts.as_slice() {
            let known = [("project_id", project), ("stack_name", name), ("stack_id", id)];
            for (name, value) in known {
                parameters.values.insert(format!("OS::{name}"), Ok(Value::text(*value)));
            }
        }
    }
    let fill = field("fill") == Value::Bool(true);
    let mut table = ResourceStates::new(stack, Schema::heat(), fill);
    match field("attrs") {
        Value::Null => {}
        attrs => table.extend(&attrs).map_err(|what| anyhow!("attrs: {what}"))?,
    }
    let facade = match field("facade") {
        Value::Map(map) if !map.is_empty() => {
            let part = |name: &str| map.get(name).cloned().unwrap_or(Value::Null);
            Some(Facade {
                metadata: part("metadata"),
                deletion_policy: part("deletion_policy"),
                update_policy: part("update_policy"),
            })
        }
        _ => None,
    };
    let mut files = IndexMap::new();
    if let Value::Map(map) = field("files") {
        for (name, text) in map.iter() {
            if let (Some(name), Value::Text(text)) = (name.as_text(), text) {
                files.insert(name.to_owned(), text.to_string());
            }
        }
    }
    let zones = match field("azs") {
        Value::List(zones) => zones
            .iter()
            .filter_map(
                |zone| if let Value::Text(zone) = zone { Some(zone.to_string()) } else { None },
            )
            .collect(),
        _ => vec!["nova".to_owned()],
    };
    let inputs = EvaluationInputs {
        schema: Schema::heat(),
        parameters: &parameters,
        runtime: &table,
        files: &files,
        facade: facade.as_ref(),
        zones: Some(&zones),
        level: 0,
        yaql: heat_yaql_options(),
        budget: &Budget::default(),
        recover: false,
    };
    Ok(evaluation_to_data(
        &evaluate(stack, inputs),
        EvalReportOptions { show_secrets: ShowSecrets::if_requested(true), nested: false },
    ))
}

fn outcome(value: &Data) -> Result<std::result::Result<Value, Failure>> {
    let Some(error) = value.get("$error") else { return Ok(Ok(decoded(value))) };
    let Some(Data::Text(name)) = error.get("type") else { bail!("an error without a type") };
    let class = ErrorClass::from_name(name).with_context(|| name.clone())?;
    Ok(Err(Failure::new(class, "the judge says so", Span::new(SourceId(0), 0, 0))))
}

/// A value out of the judge's encoding.
fn decoded(data: &Data) -> Value {
    match data {
        Data::List(items) => Value::list(items.iter().map(decoded).collect()),
        Data::Map(pairs) => match pairs.as_slice() {
            [(Data::Text(mark), Data::Text(name))] if mark == "$float" => {
                Value::Float(name.parse().unwrap_or(f64::NAN))
            }
            [(Data::Text(mark), Data::List(pairs))] if mark == "$map" => {
                let mut map = Map::new();
                for pair in pairs {
                    if let Data::List(pair) = pair
                        && let [key, value] = pair.as_slice()
                        && let Some(key) = Key::from_value(&decoded(key))
                    {
                        map.insert(key, decoded(value));
                    }
                }
                Value::Map(map.into())
            }
            _ => {
                let pairs = pairs.iter().filter_map(|(key, value)| {
                    Some((Key::from_value(&Value::from(key))?, decoded(value)))
                });
                Value::Map(std::sync::Arc::new(pairs.collect()))
            }
        },
        other => Value::from(other),
    }
}
