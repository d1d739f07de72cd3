//! `hotplate schema`: what Heat knows about a resource type.

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use super::{Console, ExitStatus, Format, facts_of};
use crate::editor_schema::{environment_schema, template_schema};
use crate::report::json;
use crate::report::resource_types::{self as report, ResourceTypesReport};
use crate::resource_types::{FactsOfRelease, TypeDescription, search};
use heat_template::hot::{Release, requested_release};

/// Print the facts about a resource type: properties, updates, attributes, status
#[derive(Debug, Args)]
pub(super) struct Schema {
    /// The resource type, for example OS::Nova::Server; if omitted, all types
    #[arg(value_name = "TYPE")]
    kind: Option<String>,
    /// One property, or a part of its value (networks.port), or an attribute
    #[arg(value_name = "PROPERTY")]
    property: Option<String>,
    /// Search types, properties and attributes for a word
    #[arg(long, value_name = "WORD", conflicts_with = "kind")]
    search: Option<String>,
    /// Print a JSON Schema for editors, of templates or environments
    #[arg(
        long,
        value_name = "OF",
        value_enum,
        num_args = 0..=1,
        default_missing_value = "template",
        conflicts_with_all = ["kind", "search", "format"]
    )]
    json_schema: Option<SchemaSubject>,
    /// The release of OpenStack, by its name or number; the default is the newest one
    #[arg(long, value_name = "RELEASE", value_parser = requested_release)]
    heat: Option<&'static Release>,
    /// The format of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The subject of a JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SchemaSubject {
    /// HOT templates
    Template,
    /// Environments
    Environment,
}

impl Schema {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let facts = FactsOfRelease { schema: facts_of(self.heat), release: self.heat };
        if let Some(subject) = self.json_schema {
            let schema = match subject {
                SchemaSubject::Template => template_schema(facts),
                SchemaSubject::Environment => environment_schema(),
            };
            console.print(&format!("{schema}\n"))?;
            return Ok(ExitStatus::Done);
        }
        let described = match &self.kind {
            Some(kind) => Some(self.described(kind, facts)?),
            None => None,
        };
        let matches = match &described {
            Some(_) => Vec::new(),
            None => search(self.search.as_deref().unwrap_or_default(), facts),
        };
        let found = described.is_some() || !matches.is_empty();
        let report = ResourceTypesReport::new(facts, described.into_iter().collect(), matches);
        let width = console.stream_style().width;
        let text = match (self.format, report.types.first(), &self.property) {
            (Format::Json, ..) => json::to_text(&report).context("JSON cannot be written")?,
            (Format::Text, Some(described), None) => report::type_text(described, &report, width),
            (Format::Text, Some(described), Some(_)) => {
                report::part_text(described, &report, width)
            }
            (Format::Text, None, _) => report::matches_text(&report, width),
        };
        console.print(&text)?;
        Ok(if found { ExitStatus::Done } else { ExitStatus::Attention })
    }

    /// The type with the requested part.
    fn described(&self, kind: &str, facts: FactsOfRelease) -> anyhow::Result<TypeDescription> {
        let Some(described) = TypeDescription::new(kind, facts) else {
            match facts.schema.did_you_mean(kind) {
                Some(near) => bail!("there is no resource type `{kind}`; did you mean `{near}`?"),
                None => bail!(
                    "there is no resource type `{kind}`; `hotplate schema --search WORD` searches types, properties and attributes"
                ),
            }
        };
        let Some(part) = &self.property else { return Ok(described) };
        described.only(part).map_err(|near| {
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("`hotplate schema {kind}` lists them"),
            };
            anyhow::anyhow!("`{kind}` has neither a property nor an attribute `{part}`; {hint}")
        })
    }
}
