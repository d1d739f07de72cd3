//! The bridge between the conformance harness and hotplate's yaql.
//!
//! ```text
//! yaql_bridge < REQUESTS > ANSWERS
//! yaql_bridge --table
//! ```
//!
//! A request is a JSON object per line: `expression`, `data` (encoded), perhaps `variables` (an object) and
//! `options` (by the names of `Options`; `heat` and `tests` stand for the sets that Heat and yaql's own
//! tests take). An answer is a JSON object per line, `{"value": encoded}` or
//! `{"error": class, "message": text, "at": [from, to]}`. With `seconds`, it is
//! `{"parse": nanoseconds, "evaluate": nanoseconds, "release": whether it is}` instead, each measured over
//! so many seconds. Answers are written as soon as no further request waits.
//!
//! `--table` writes what the library declares, an object per line.
//!
//! Encoded are: a whole number as `{"i": "12"}`, a floating point number by its bits as `{"f": "…"}`, a
//! tuple as `{"t": […]}`, a dictionary as `{"m": [[key, value], …]}`, a set as `{"s": […]}`, a date as
//! `{"d": [clock, offset]}`, a span of time as `{"span": "microseconds"}`, what is not known as
//! `{"u": number}`, anything else as `{"o": class, "text": …}`.

#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::hint::black_box;
use std::io::{self, BufRead as _, Write as _};
use std::time::{Duration, Instant};

use python_semantics::number::Integer;
use serde_json::{Value as Json, json};
use yaql::{Data, Expression, Failure, Options, function_catalog};

/// Parsed expressions that are kept.
const KEPT: usize = 5000;

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    if std::env::args().nth(1).as_deref() == Some("--table") {
        for line in declarations() {
            writeln!(out, "{line}")?;
        }
        return out.flush();
    }
    let mut parsed = HashMap::new();
    let mut requests = io::BufReader::new(io::stdin().lock());
    let mut line = String::new();
    while requests.read_line(&mut line)? > 0 {
        let answer = match serde_json::from_str::<Json>(&line) {
            Ok(request) if request.get("seconds").is_some() => speed(&request),
            Ok(request) => answer(&request, &mut parsed),
            Err(error) => json!({"error": "request", "message": error.to_string()}),
        };
        writeln!(out, "{answer}")?;
        if requests.buffer().is_empty() {
            out.flush()?;
        }
        line.clear();
    }
    out.flush()
}

type Parsed = HashMap<String, Expression>;

fn answer(request: &Json, parsed: &mut Parsed) -> Json {
    let options = options(&request["options"]);
    let text = request["expression"].as_str().unwrap_or_default();
    let key = format!("{} {text}", options.delegates);
    if parsed.len() >= KEPT {
        parsed.clear();
    }
    if !parsed.contains_key(&key) {
        match Expression::parse(text, &options) {
            Ok(expression) => parsed.insert(key.clone(), expression),
            Err(error) => {
                let at = [error.span.start, error.span.end];
                return json!({"error": error.class.name(), "message": error.message, "at": at});
            }
        };
    }
    let data = decoded(&request["data"]);
    let variables: Vec<_> = request["variables"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), decoded(value)))
        .collect();
    match parsed[&key].evaluate_with(&data, &variables, &options) {
        Ok(value) => json!({"value": encoded(&value)}),
        Err(failure) => failed(&failure),
    }
}

fn failed(failure: &Failure) -> Json {
    match failure {
        Failure::Unknown => json!({"error": "unknown"}),
        Failure::Raised(raised) => {
            let at = raised.span.as_ref().map(|span| [span.start, span.end]);
            json!({"error": raised.class.name(), "message": raised.message, "at": at})
        }
    }
}

/// How long it takes to parse and to evaluate an expression.
fn speed(request: &Json) -> Json {
    let options = options(&request["options"]);
    let text = request["expression"].as_str().unwrap_or_default();
    let data = decoded(&request["data"]);
    let seconds = Duration::from_secs_f64(request["seconds"].as_f64().unwrap_or(0.1));
    let parsed = match Expression::parse(text, &options) {
        Ok(parsed) => parsed,
        Err(error) => return json!({"error": error.class.name(), "message": error.message}),
    };
    if let Err(failure) = parsed.evaluate(&data, &options) {
        return failed(&failure);
    }
    let parse = timed(seconds, || drop(black_box(Expression::parse(text, &options))));
    let evaluate = timed(seconds, || drop(black_box(parsed.evaluate(&data, &options))));
    json!({"parse": parse, "evaluate": evaluate, "release": !cfg!(debug_assertions)})
}

/// Nanoseconds that a piece of work takes, on average over so much time.
fn timed(time: Duration, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut count = 0_u32;
    while count == 0 || start.elapsed() < time {
        for _ in 0..16 {
            work();
        }
        count += 16;
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(count)
}

/// What the library declares, without delegates and with them.
fn declarations() -> Vec<Json> {
    let mut lines = Vec::new();
    for delegates in [false, true] {
        let options = Options { delegates, ..Options::default() };
        for function in function_catalog::library_functions(&options) {
            let parameters = function.parameters.iter().map(|parameter| {
                json!({
                    "name": parameter.name, "kind": parameter.kind,
                    "nullable": parameter.nullable, "default": parameter.default,
                })
            });
            lines.push(json!({
                "delegates": delegates, "level": function.level, "name": function.name,
                "function": function.function, "method": function.method,
                "no_kwargs": function.no_kwargs, "parameters": parameters.collect::<Vec<_>>(),
            }));
        }
    }
    lines
}

fn options(given: &Json) -> Options {
    let mut options = Options::default();
    let Some(given) = given.as_object() else { return options };
    for (name, value) in given {
        let number = || value.as_u64().and_then(|number| usize::try_from(number).ok());
        let flag = value.as_bool().unwrap_or_default();
        match name.as_str() {
            "heat" => (options.limit_iterators, options.memory_quota) = (Some(200), Some(10_000)),
            "tests" => {
                (options.limit_iterators, options.memory_quota) = (Some(100), Some(20_000));
                (options.sets_to_lists, options.delegates) = (true, true);
            }
            "limit_iterators" => options.limit_iterators = number(),
            "memory_quota" => options.memory_quota = number(),
            "tuples_to_lists" => options.tuples_to_lists = flag,
            "sets_to_lists" => options.sets_to_lists = flag,
            "iterable_dicts" => options.iterable_dicts = flag,
            "delegates" => options.delegates = flag,
            "now" => options.now = value.as_i64(),
            "seed" => options.seed = value.as_u64(),
            _ => {}
        }
    }
    options
}

fn decoded(json: &Json) -> Data {
    let list =
        |json: &Json| -> Vec<Data> { json.as_array().into_iter().flatten().map(decoded).collect() };
    match json {
        Json::Null => Data::Null,
        Json::Bool(value) => Data::Bool(*value),
        Json::String(text) => Data::Text(text.as_str().into()),
        Json::Array(_) => Data::List(list(json)),
        Json::Number(_) => Data::Null,
        Json::Object(object) => {
            let Some((kind, value)) = object.iter().next() else { return Data::Null };
            let text = value.as_str().unwrap_or_default();
            match kind.as_str() {
                "i" => Data::Int(match text.parse() {
                    Ok(small) => Integer::Small(small),
                    Err(_) => Integer::Big(Box::new(text.parse().unwrap_or_default())),
                }),
                "f" => Data::Float(f64::from_bits(u64::from_str_radix(text, 16).unwrap_or(0))),
                "t" => Data::Tuple(list(value)),
                "s" => Data::Set(list(value)),
                "m" => Data::Map(
                    list(value)
                        .into_iter()
                        .filter_map(|pair| match pair {
                            Data::List(pair) => <[Data; 2]>::try_from(pair).ok(),
                            _ => None,
                        })
                        .map(|[key, value]| (key, value))
                        .collect(),
                ),
                "d" => Data::DateTime {
                    clock: value[0].as_i64().unwrap_or_default(),
                    offset: value[1].as_i64(),
                    text: String::new(),
                },
                "span" => Data::TimeSpan {
                    microseconds: text.parse().unwrap_or_default(),
                    text: String::new(),
                },
                "u" => Data::Unknown(value.as_u64().and_then(|n| n.try_into().ok()).unwrap_or(0)),
                _ => Data::Null,
            }
        }
    }
}

fn encoded(data: &Data) -> Json {
    let list = |items: &[Data]| Json::Array(items.iter().map(encoded).collect());
    match data {
        Data::Null => Json::Null,
        Data::Bool(value) => json!(value),
        Data::Int(value) => json!({"i": value.to_string()}),
        Data::Float(value) => json!({"f": format!("{:016x}", value.to_bits())}),
        Data::Text(text) => json!(text.as_str()),
        Data::List(items) => list(items),
        Data::Tuple(items) => json!({"t": list(items)}),
        Data::Set(items) => json!({"s": list(items)}),
        Data::Map(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| json!([encoded(key), encoded(value)]));
            json!({"m": pairs.collect::<Vec<_>>()})
        }
        Data::DateTime { clock, offset, .. } => json!({"d": [clock, offset]}),
        Data::TimeSpan { microseconds, .. } => json!({"span": microseconds.to_string()}),
        Data::Unknown(number) => json!({"u": number}),
        Data::Other { class, text } => json!({"o": class, "text": text}),
    }
}
