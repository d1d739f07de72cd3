//! `hotplate eval`: the values that Heat would compute.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use indexmap::IndexMap;

use super::inputs::{Bounds, template};
use super::{Console, ExitStatus, help};
use crate::diagnostics::{Code, Diagnostic, SourceId, SourceMap, Span};
use crate::eval::parameters::{self, Identity, Missing, Parameters};
use crate::eval::{
    Dependency, Evaluation, Failure, Inputs, NoFiles, Table, Unknown, Value, evaluate,
};
use crate::files::FileSource;
use crate::hot::lower;
use crate::ir::{Expr, ExprKind, ParameterRef, Stack};
use crate::report::eval::{Options, to_json, to_text, to_yaml};
use crate::source::{as_sent, decode, read};

/// Print the values that Heat would compute for a template
#[derive(Debug, Args)]
#[command(after_help = help::EVAL)]
pub(super) struct Eval {
    /// The template, or `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A JSON file with the state of resources: `{"RESOURCE": {"attrs": …, "ref": …}}`
    #[arg(long, value_name = "FILE")]
    attrs: Option<PathBuf>,
    /// Invent a value for everything that only a cloud or a user knows
    #[arg(long)]
    fill: bool,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    /// Show the values of hidden parameters, and what is computed from them
    #[arg(long)]
    show_secrets: bool,
    #[command(flatten)]
    bounds: Bounds,
}

/// The format of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For programs that read YAML.
    Yaml,
}

impl Eval {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let mut sources = SourceMap::default();
        let template = match template(&self.file, self.bounds, &mut sources, console) {
            Ok(template) => template,
            Err(status) => return Ok(status),
        };
        // What the client leaves out is no node, so the tree has the same nodes.
        let sent = as_sent(template.document.text());
        let document = read(SourceId(0), sent.into(), &self.bounds.limits())
            .map_err(|finding| anyhow::anyhow!("{}", finding.message))?;
        let lowered = lower(&document, template.version, template.version_node);
        let stack = &lowered.stack;
        let mut table = Table::new(stack, self.fill);
        if let Some(path) = &self.attrs {
            let attrs = self.read_attrs(path)?;
            table.extend(&attrs).map_err(|what| {
                anyhow::anyhow!("{}: {what} must be a map", path.display())
            })?;
        }
        let parameters = parameters(stack, self.fill);
        let zones = ["nova".to_owned()];
        let inputs = Inputs {
            parameters: &parameters,
            runtime: &table,
            files: &NoFiles,
            facade: None,
            zones: self.fill.then_some(&zones),
        };
        let evaluation = evaluate(stack, inputs);
        let secrets: Vec<_> = stack.secrets().map(|(_, span)| span).collect();
        if !self.show_secrets {
            sources.mask(&secrets);
        }
        console.diagnostics(template.document.findings(), &sources);
        let findings = findings(&evaluation);
        console.diagnostics(&findings, &sources);
        let options = Options { show_secrets: self.show_secrets };
        let text = match self.format {
            ReportFormat::Text => to_text(&evaluation, options)?,
            ReportFormat::Json => to_json(&evaluation, options)?,
            ReportFormat::Yaml => to_yaml(&evaluation, options)?,
        };
        console.document(text.as_bytes())?;
        Ok(if findings.is_empty() { ExitStatus::Done } else { ExitStatus::Attention })
    }

    fn read_attrs(&self, path: &Path) -> anyhow::Result<Value> {
        let shown = path.display();
        let said = |finding: Box<Diagnostic>| anyhow::anyhow!("{shown}: {}", finding.message);
        let bytes = self.bounds.files().read_content(path);
        let bytes = bytes.map_err(|error| anyhow::anyhow!("{}", error.diagnostic().message))?;
        let text = decode(SourceId(0), bytes).map_err(|bad| said(bad.into()))?;
        let limits = self.bounds.limits();
        let document = read(SourceId(0), text.into(), &limits).map_err(said)?;
        let root = document.root().with_context(|| format!("{shown}: the file is empty"))?;
        let data = crate::source::Value::copy_of(document.data(root), &limits).map_err(said)?;
        Ok(Value::from(&data))
    }
}

/// Everything that has no value, as findings, each place once.
fn findings(evaluation: &Evaluation) -> Vec<Diagnostic> {
    let mut seen: Vec<(Span, &str)> = Vec::new();
    let mut findings = Vec::new();
    for Failure { class, message, span } in evaluation.all_failures() {
        if seen.contains(&(*span, message)) {
            continue;
        }
        seen.push((*span, message));
        let message = format!("{message} ({})", class.name());
        findings.push(Diagnostic::new(Code::NoValue, message).at(*span));
    }
    findings
}

/// The values of parameters without any environment: their defaults, or what is invented.
fn parameters(stack: &Stack, fill: bool) -> Parameters {
    let nothing = IndexMap::new();
    let identity = Identity {
        stack_name: "STACK_NAME".to_owned(),
        stack_id: "STACK_ID".to_owned(),
        project_id: "PROJECT_ID".to_owned(),
    };
    let inputs = parameters::Inputs {
        given: &nothing,
        defaults: &nothing,
        identity: &identity,
        missing: if fill { Missing::Invented } else { Missing::Unknown },
    };
    let mut parameters = parameters::evaluate(stack, &inputs);
    if !fill {
        // Who the stack is, nobody has said.
        for (name, value) in &mut parameters.values {
            if name.starts_with("OS::") && !stack.parameters.contains_key(name) {
                *value = Ok(untold(name, stack.format.span));
            }
        }
    }
    parameters
}

/// A pseudo parameter that has no value here.
fn untold(name: &str, span: Span) -> Value {
    let name_expr = Expr::new(ExprKind::Text(name.into()), span);
    let reference = ParameterRef { name: name_expr, path: Vec::new(), by_ref: false };
    Value::Unknown(std::sync::Arc::new(Unknown {
        expr: Expr::new(ExprKind::Parameter(Box::new(reference)), span),
        depends_on: [Dependency::Parameter(name.to_owned())].into(),
    }))
}
