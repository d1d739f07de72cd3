//! `hotplate yaql`: evaluates an expression on data.

use std::mem::ManuallyDrop;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::inputs::{ReadLimits, read_document};
use super::{Console, ExitStatus};
use crate::report::eval::{EvalReportOptions as Report, value_to_json, value_to_yaml};
use crate::report::yaql as report;
use heat_engine::eval::interpreter::{interpret, parse_datetime};
use heat_engine::eval::{Value, heat_yaql_options};
use source_diagnostics::MaskedSources;
use yaql::Options;

/// Evaluate one yaql expression, as Heat does
#[derive(Debug, Args)]
pub(super) struct Yaql {
    /// The expression
    #[arg(
        value_name = "EXPRESSION",
        allow_hyphen_values = true,
        required_unless_present_any = ["list", "markdown"]
    )]
    expression: Option<String>,
    /// The value of `data` in the template: a JSON or YAML file, or `-` for standard input
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    #[command(flatten)]
    yaql: YaqlOptions,
    /// Instead, list the functions with their parameters
    #[arg(long, conflicts_with_all = ["expression", "data", "format"])]
    list: bool,
    /// Instead, print a Markdown page; it describes the language in templates, its operators and functions
    #[arg(long, conflicts_with_all = ["expression", "data", "format", "list"])]
    markdown: bool,
    /// The format of the value
    #[arg(long, value_enum, default_value_t)]
    format: ValueFormat,
    #[command(flatten)]
    bounds: ReadLimits,
}

/// The format of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ValueFormat {
    /// YAML
    #[default]
    Yaml,
    /// JSON
    Json,
}

/// Options about the configuration of yaql in the cloud.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct YaqlOptions {
    /// The maximum number of items of a collection in a yaql expression, as in Heat's configuration; Heat's
    /// default is 200
    #[arg(long, value_name = "ITEMS")]
    limit_iterators: Option<usize>,
    /// The maximum memory of a value in a yaql expression, in bytes, as in Heat's configuration; Heat's
    /// default is 10000
    #[arg(long, value_name = "BYTES")]
    memory_quota: Option<usize>,
    /// The value of `now()` in a yaql expression, such as 2026-01-31T12:00:00Z; unknown if
    /// omitted
    #[arg(long, value_name = "TIME", value_parser = parse_datetime)]
    now: Option<i64>,
    /// The seed of random numbers in a yaql expression, as for Python's `random.seed`; random numbers are
    /// unknown if omitted
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

impl YaqlOptions {
    /// The configuration of yaql.
    pub(super) fn to_options(&self) -> Options {
        let settings = heat_yaql_options();
        Options {
            limit_iterators: self.limit_iterators.or(settings.limit_iterators),
            memory_quota: self.memory_quota.or(settings.memory_quota),
            now: self.now,
            seed: self.seed,
            ..settings.clone()
        }
    }
}

impl Yaql {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let Some(text) = &self.expression else {
            let page = if self.markdown { report::markdown() } else { report::list() };
            console.print(&page)?;
            return Ok(ExitStatus::Done);
        };
        let mut sources = MaskedSources::default();
        let expression = sources.add_public("expression".to_owned(), text.as_str().into());
        let data = match &self.data {
            None => Value::map::<&str>([]),
            Some(path) => {
                let limits = self.bounds.limits();
                let read = read_document(path, self.bounds, &mut sources).and_then(|document| {
                    let document = ManuallyDrop::new(document);
                    match document.root() {
                        Some(root) => lossless_yaml::Value::copy_of(document.data(root), &limits),
                        None => Ok(lossless_yaml::Value::Null),
                    }
                });
                match read.map(ManuallyDrop::new) {
                    Ok(data) => Value::from(&*data),
                    Err(finding) => {
                        console.diagnostics(&[*finding], &sources);
                        return Ok(ExitStatus::Failed);
                    }
                }
            }
        };
        // The process ends here; dropping large data would only take time.
        let data = ManuallyDrop::new(data);
        let answer = interpret(text, expression, &data, &self.yaql.to_options());
        console.diagnostics(&answer.findings, &sources);
        let Some(value) = answer.value else {
            return Ok(if answer.is_readable { ExitStatus::Attention } else { ExitStatus::Failed });
        };
        let text = match self.format {
            ValueFormat::Yaml => value_to_yaml(&value, Report::default())?,
            ValueFormat::Json => value_to_json(&value, Report::default())?,
        };
        console.document(text.as_bytes())?;
        Ok(ExitStatus::Done)
    }
}
