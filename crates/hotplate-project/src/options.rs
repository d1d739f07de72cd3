//! The options of commands and editors: plain values, whatever they were parsed from.

use std::path::{Path, PathBuf};

use anyhow::Context;

use heat_engine::eval::deployment::MAX_RESOURCES;
use heat_engine::eval::{MAX_VALUES, ResourceStates, Value, heat_yaql_options};
use heat_template::ir::Stack;
use heat_template::schema::Schema;
use lossless_yaml::{Limits, decode, read};
use source_diagnostics::{Diagnostic, SourceId};
use source_files::{Disk, FileSource, WithStdin};

/// How files are read.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// The facts about resource types.
    pub schema: &'static Schema,
    /// The bounds on each file.
    pub limits: Limits,
}

impl ReadOptions {
    /// Files on disk, and standard input as `-`.
    pub fn files(self) -> WithStdin<Disk> {
        WithStdin::new(Disk::new(self.max_size()), self.max_size(), std::io::stdin())
    }

    /// The maximum size of a file, in bytes.
    pub fn max_size(self) -> u64 {
        self.limits.bytes as u64
    }
}

/// The values that are known or invented before deployment, and the bounds of evaluations.
#[derive(Clone, Debug)]
pub struct ValueOptions {
    /// A JSON file with the state of resources.
    pub attrs: Option<PathBuf>,
    /// Whether a value is filled in for everything that is unknown before deployment.
    pub fill: bool,
    /// The maximum number of resources in a stack and its nested stacks.
    pub max_resources: usize,
    /// The maximum number of values that an evaluation may visit and create.
    pub max_values: u64,
    /// The configuration of yaql.
    pub yaql: yaql::Options,
}

impl Default for ValueOptions {
    fn default() -> Self {
        ValueOptions {
            attrs: None,
            fill: false,
            max_resources: MAX_RESOURCES,
            max_values: MAX_VALUES,
            yaql: heat_yaql_options().clone(),
        }
    }
}

impl ValueOptions {
    /// The known attributes and references of a stack's resources.
    /// It fails if the file cannot be read, or has another form.
    pub fn known_values(
        &self,
        files: &dyn FileSource,
        stack: &Stack,
        reading: ReadOptions,
    ) -> anyhow::Result<ResourceStates> {
        let mut table = ResourceStates::new(stack, reading.schema, self.fill);
        if let Some(path) = &self.attrs {
            let attrs = read_attrs(files, path, &reading.limits)?;
            table
                .extend(&attrs)
                .map_err(|what| anyhow::anyhow!("{}: {what} must be a map", path.display()))?;
        }
        Ok(table)
    }
}

fn read_attrs(files: &dyn FileSource, path: &Path, limits: &Limits) -> anyhow::Result<Value> {
    let shown = path.display();
    let failed = |finding: Box<Diagnostic>| anyhow::anyhow!("{shown}: {}", finding.message);
    let bytes = files.read_content(path);
    let bytes = bytes.map_err(|error| anyhow::anyhow!("{}", error.diagnostic().message))?;
    let text = decode(SourceId(0), bytes).map_err(|bad| failed(bad.into()))?;
    let document = read(SourceId(0), text.into(), limits).map_err(failed)?;
    let root = document.root().with_context(|| format!("{shown}: the file is empty"))?;
    let data = lossless_yaml::Value::copy_of(document.data(root), limits).map_err(failed)?;
    Ok(Value::from(&data))
}
