//! `hotplate render`: a template in another notation.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;

use super::inputs::{Bounds, document};
use super::{Console, ExitStatus, help};
use crate::diagnostics::{Code, SourceMap, did_you_mean};
use crate::emit::{EMITTERS, Template, emitter};
use crate::hot::{Lowered, Recognised, lower, recognise, secrets};

/// Print a template as something else
#[derive(Debug, Args)]
#[command(after_help = help::RENDER)]
pub(super) struct Render {
    /// The template, or `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What to print: `json` or `yaml`
    #[arg(short, long, value_name = "NAME")]
    target: String,
    /// Leave out the section `capabilities`, which Heat does not know
    #[arg(long)]
    strip_capabilities: bool,
    #[command(flatten)]
    bounds: Bounds,
}

impl Render {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let emitter = emitter(&self.target).ok_or_else(|| {
            let names = EMITTERS.iter().map(|emitter| emitter.name());
            match did_you_mean(&self.target, names.clone()) {
                Some(near) => anyhow!("there is no target `{}`; did you mean `{near}`?", self.target),
                None => {
                    let names: Vec<_> = names.collect();
                    anyhow!("there is no target `{}`; there are {}", self.target, names.join(", "))
                }
            }
        })?;
        let mut sources = SourceMap::default();
        let document = match document(&self.file, self.bounds, &mut sources, console) {
            Ok(document) => document,
            Err(status) => return Ok(status),
        };
        let (lowered, refusal) = match recognise(&document) {
            Recognised::Hot { version, node, .. } => (Some(lower(&document, version, node)), None),
            // The notation of a template does not depend on its dialect or version.
            Recognised::Cfn { .. } => (None, None),
            Recognised::Refused(finding) | Recognised::Other(finding) => (None, Some(*finding)),
        };
        sources.mask(&secrets(&document));
        let mut findings = document.findings().to_vec();
        findings.extend(lowered.iter().flat_map(Lowered::hidden_defaults));
        if let Some(refusal) = &refusal
            && !findings.contains(refusal)
        {
            findings.push(refusal.clone());
        }
        console.diagnostics(&findings, &sources);
        let status = match refusal.map(|finding| finding.code) {
            None => ExitStatus::Done,
            Some(Code::NotATemplate | Code::RecursiveAlias) => return Ok(ExitStatus::Failed),
            // What Heat refuses for its version has another notation all the same.
            Some(_) => ExitStatus::Attention,
        };
        let strip_capabilities = self.strip_capabilities;
        let stack = lowered.as_ref().map(|lowered| &lowered.stack);
        match emitter.emit(Template { document: &document, stack, strip_capabilities }) {
            Ok(emitted) => {
                console.diagnostics(&emitted.losses, &sources);
                for file in &emitted.files {
                    console.document(file.text.as_bytes())?;
                }
                Ok(status)
            }
            Err(finding) => {
                console.diagnostics(&[*finding], &sources);
                Ok(ExitStatus::Failed)
            }
        }
    }
}
