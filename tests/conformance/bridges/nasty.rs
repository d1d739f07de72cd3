//! Writes values as YAML.

use std::fs;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use lossless_yaml::yaml::writer;
use lossless_yaml::{Value, json_writer};
use source_diagnostics::Diagnostic;

use crate::notation::parse;
use crate::said;

/// Answers every line of `tsv`.
pub(crate) fn nasty(tsv: &str, out: &str) -> Result<()> {
    let mut lines = String::new();
    for line in fs::read_to_string(tsv).with_context(|| tsv.to_owned())?.lines() {
        let mut columns = line.splitn(3, '\t');
        let (Some(name), Some(_), Some(notation)) =
            (columns.next(), columns.next(), columns.next())
        else {
            bail!("{tsv}: a line has three columns: {line}");
        };
        let mut rest = notation;
        let value = parse(&mut rest).with_context(|| format!("{name}: {notation}"))?;
        ensure!(rest.is_empty(), "{name}: {rest} is left over");
        let failed = |finding: Box<Diagnostic>| anyhow!("{name}: {}", said(&finding));
        let block = writer::write(&value, &writer::YamlOptions::default()).map_err(failed)?;
        let flow = writer::flow(&value).map_err(failed)?;
        let answer =
            Value::map([("name", name.into()), ("block", block.into()), ("flow", flow.into())]);
        lines.push_str(&json_writer::compact(&answer).map_err(failed)?);
        lines.push('\n');
    }
    fs::write(out, lines).with_context(|| out.to_owned())
}
