//! The support of each target, for a terminal, as JSON, and as `docs/targets.md`. All of it comes from the
//! targets themselves; the text around it is in `targets_guide.md`.

use std::fmt::Write;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use similar::TextDiff;

use super::escape::for_terminal;
use heat_template::schema::Schema;
use hotplate_emit::template_pack::cases::{CaseDifference, PackCase};
use hotplate_emit::template_pack::{context, helpers};
use hotplate_emit::{Emitter, EmitterInput, TakeOver, TargetSupport};

/// A target in the list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TargetSummary {
    /// The name for `--target`.
    pub name: String,
    /// Other names that `--target` accepts for it.
    pub aliases: &'static [&'static str],
    /// The target's output, in a few words.
    pub summary: String,
    /// The omitted parts, for a target that shows a template and does not replace it.
    pub view: Option<String>,
    /// Whether it is a folder of templates, without code.
    pub is_folder: bool,
    /// The notations to choose from (`--syntax`).
    pub syntaxes: Vec<&'static str>,
    /// Whether it can adopt existing resources (`--adopt`).
    pub adopts: bool,
}

/// A target in full.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TargetDetails {
    /// The entry of the list.
    #[serde(flatten)]
    pub listed: TargetSummary,
    /// The schema that its table was checked against.
    pub checked_against: Option<String>,
    /// The support of every resource type.
    pub types: Vec<SupportEntry>,
    /// The support of every function.
    pub functions: Vec<SupportEntry>,
}

/// The support of a resource type or a function.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SupportEntry {
    /// The name in Heat.
    pub name: String,
    /// The counterpart in the target; `null` if there is none.
    pub to: Option<String>,
    /// `whole`, `partly` or `not`.
    pub says: &'static str,
    /// The difference, or why it is not supported.
    pub note: Option<String>,
}

impl SupportEntry {
    fn new(name: &str, to: Option<String>, says: TargetSupport) -> Self {
        let (says, note) = match says {
            TargetSupport::Full => ("whole", None),
            TargetSupport::Partial(note) => ("partly", Some(note)),
            TargetSupport::Unsupported(note) => ("not", Some(note)),
        };
        SupportEntry { name: name.to_owned(), to, says, note }
    }

    fn mark(&self) -> &'static str {
        match self.says {
            "whole" => "✓",
            "partly" => "~",
            _ => "–",
        }
    }
}

fn target_summary(emitter: &dyn Emitter) -> TargetSummary {
    TargetSummary {
        name: emitter.name().to_owned(),
        aliases: hotplate_emit::aliases(emitter.name()),
        summary: emitter.summary().to_owned(),
        view: emitter.view().map(str::to_owned),
        is_folder: emitter.template_pack().is_some(),
        syntaxes: emitter
            .syntaxes()
            .iter()
            .map(|syntax| match syntax {
                hotplate_emit::OutputSyntax::Yaml => "yaml",
                hotplate_emit::OutputSyntax::Json => "json",
            })
            .collect(),
        adopts: emitter.take_over() == TakeOver::Imports,
    }
}

/// The list of targets as data.
pub fn listed(emitters: &[&dyn Emitter]) -> Vec<TargetSummary> {
    emitters.iter().map(|emitter| target_summary(*emitter)).collect()
}

/// One line per target.
pub fn list(emitters: &[&dyn Emitter]) -> String {
    let width = emitters.iter().map(|emitter| emitter.name().len()).max().unwrap_or(0);
    let line = |emitter: &&dyn Emitter| {
        let aliases = hotplate_emit::aliases(emitter.name()).join(", ");
        let also = if aliases.is_empty() { aliases } else { format!(" (also: {aliases})") };
        format!("{:width$}  {}{also}\n", emitter.name(), for_terminal(emitter.summary()))
    };
    emitters.iter().map(line).collect()
}

/// A target in full, as data.
pub fn shown(emitter: &dyn Emitter, schema: &'static Schema) -> TargetDetails {
    let types = hotplate_emit::heat_types(schema).map(|name| {
        let (to, says) = hotplate_emit::type_support(emitter, name);
        SupportEntry::new(name, to, says)
    });
    let functions = hotplate_emit::hot_functions()
        .map(|(name, _)| SupportEntry::new(name, None, emitter.function_support(name)));
    TargetDetails {
        listed: target_summary(emitter),
        checked_against: emitter.mapping().map(|mapping| mapping.checked_against.clone()),
        types: types.collect(),
        functions: functions.collect(),
    }
}

/// A target in full, for a terminal.
pub fn text(shown: &TargetDetails) -> String {
    let listed = &shown.listed;
    let mut text = format!("{}: {}\n", listed.name, for_terminal(&listed.summary));
    let made_of = if listed.is_folder { "a folder" } else { "code and tables" };
    let _ = writeln!(text, "Implemented by {made_of}.");
    if let Some(schema) = &shown.checked_against {
        let _ = writeln!(text, "Checked against {}.", for_terminal(schema));
    }
    if let Some(view) = &listed.view {
        let _ = writeln!(text, "For viewing only; omits {}.", for_terminal(view));
    }
    if !listed.syntaxes.is_empty() {
        let _ = writeln!(text, "Notations: {}.", listed.syntaxes.join(", "));
    }
    let there = shown.types.iter().filter(|line| line.says != "not");
    let same = there.clone().all(|line| line.to.as_deref() == Some(&line.name));
    let everything = there.clone().count() == shown.types.len();
    if everything && same {
        text.push_str("\nResource types: all, as they are.\n");
    } else {
        let (supported, of) = (there.clone().count(), shown.types.len());
        let _ = writeln!(text, "\nResource types: {supported} of {of}.");
        lines(&mut text, &shown.types);
    }
    let whole = shown.functions.iter().all(|line| line.says == "whole");
    let (supported, of) =
        (shown.functions.iter().filter(|it| it.says != "not").count(), shown.functions.len());
    if whole {
        text.push_str("\nFunctions: all.\n");
    } else {
        let _ = writeln!(text, "\nFunctions: {supported} of {of}.");
        lines(&mut text, &shown.functions);
    }
    text
}

fn lines(text: &mut String, lines: &[SupportEntry]) {
    let width = lines.iter().map(|line| line.name.len()).max().unwrap_or(0);
    for line in lines {
        let mut row = format!("  {} {:width$}", line.mark(), line.name);
        if let Some(to) = &line.to {
            let _ = write!(row, "  {}", for_terminal(to));
        }
        if let Some(note) = &line.note {
            let _ = write!(row, "  ({})", for_terminal(note));
        }
        let _ = writeln!(text, "{}", row.trim_end());
    }
}

/// One line about the files written to a folder.
pub fn folder_written(folder: &str, files: usize) -> String {
    let shown = for_terminal(folder);
    format!("{files} files in `{shown}`; `hotplate targets test {shown}` tries them\n")
}

/// The result of a test case.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CaseReport {
    /// The name of the case.
    pub case: String,
    /// `passed`, `failed`, `accepted`, or `refused` if nothing was rendered.
    pub outcome: &'static str,
    /// The files that differ from the expected ones, each as a patch.
    pub differences: Vec<CaseDifferenceEntry>,
}

/// A file that differs from the expected one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CaseDifferenceEntry {
    /// The file in the folder of the case.
    pub file: String,
    /// The patch from the expected to the rendered file.
    pub patch: String,
}

impl CaseReport {
    /// The result of comparing the rendered files with the expected ones.
    pub fn new(case: &PackCase, differences: &[CaseDifference], accepted: bool) -> Self {
        let patch = |difference: &CaseDifference| {
            let (old, new) = (
                difference.expected.as_deref().unwrap_or_default(),
                difference.found.as_deref().unwrap_or_default(),
            );
            let file = difference.path.display().to_string();
            let diff = TextDiff::from_lines(old, new);
            let patch = diff.unified_diff().header(&file, "rendered").to_string();
            CaseDifferenceEntry { file, patch }
        };
        CaseReport {
            case: case.name.clone(),
            outcome: match (differences.is_empty(), accepted) {
                (true, _) => "passed",
                (false, true) => "accepted",
                (false, false) => "failed",
            },
            differences: differences.iter().map(patch).collect(),
        }
    }

    /// The result of a case of which nothing could be rendered.
    pub fn failed(case: &PackCase) -> Self {
        CaseReport { case: case.name.clone(), outcome: "refused", differences: Vec::new() }
    }
}

/// The results of cases, for a terminal.
pub fn case_results(outcomes: &[CaseReport]) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        let _ = writeln!(text, "{:8}  {}", outcome.outcome, for_terminal(&outcome.case));
        if outcome.outcome == "failed" {
            for patch in &outcome.differences {
                let lines = patch.patch.lines();
                text.extend(lines.map(|line| format!("    {}\n", for_terminal(line))));
            }
        }
    }
    let passed = outcomes.iter().filter(|it| matches!(it.outcome, "passed" | "accepted")).count();
    let _ = writeln!(text, "{passed} of {} cases passed", outcomes.len());
    text
}

// The page.

/// The text of the page; `<!-- NAME -->` marks generated parts.
const GUIDE: &str = include_str!("targets_guide.md");

/// The Markdown page.
pub fn markdown(emitters: &[&dyn Emitter], schema: &'static Schema) -> String {
    let takes_place = |emitter: &&&dyn Emitter| {
        emitter.view().is_none() && emitter.input() == EmitterInput::RenderModel
    };
    let programs: Vec<TargetDetails> =
        emitters.iter().filter(takes_place).map(|emitter| shown(*emitter, schema)).collect();
    GUIDE
        .replace("<!-- list -->\n", &list_table(emitters))
        .replace("<!-- types -->\n", &types_tables(&programs))
        .replace("<!-- functions -->\n", &functions_table(&programs))
        .replace("<!-- helpers -->\n", &helpers_table())
        .replace("<!-- context -->\n", &context_table())
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn list_table(emitters: &[&dyn Emitter]) -> String {
    let mut table = String::from(
        "| target | what it writes | adopts what runs | implemented by |\n|---|---|---|---|\n",
    );
    for emitter in emitters {
        let made_of = match emitter.template_pack() {
            Some(_) => format!(
                "a folder, [`targets/{0}`](../crates/hotplate-emit/targets/{0})",
                emitter.name()
            ),
            None => "code and tables".to_owned(),
        };
        let mut summary = cell(emitter.summary());
        if let Some(view) = emitter.view() {
            let _ = write!(summary, "; omits {}", cell(view));
        }
        let adopts = match (emitter.take_over(), emitter.view()) {
            (TakeOver::Imports, _) => "[by IDs](leaving-heat.md) (`--adopt`)",
            (TakeOver::FindsByName, _) => {
                "[by names](leaving-heat.md#other-targets) of the template"
            }
            (TakeOver::CreatesAgain, None) => "no, it creates again",
            (TakeOver::CreatesAgain, Some(_)) => "",
        };
        let _ = writeln!(table, "| `{}` | {summary} | {adopts} | {made_of} |", emitter.name());
    }
    table
}

/// Footnotes of a table, without duplicates.
#[derive(Default)]
struct Footnotes(IndexMap<String, ()>);

impl Footnotes {
    /// The content of a cell: the mark, and the number of the footnote.
    fn mark(&mut self, line: &SupportEntry) -> String {
        match &line.note {
            None => line.mark().to_owned(),
            Some(note) => {
                let (number, _) = self.0.insert_full(note.clone(), ());
                format!("{} <sup>{}</sup>", line.mark(), number + 1)
            }
        }
    }

    fn write(&self, page: &mut String) {
        for (number, note) in self.0.keys().enumerate() {
            let begin = if number == 0 { "\n" } else { "" };
            let _ = writeln!(page, "{begin}{}. {}", number + 1, cell(note));
        }
    }
}

fn head(page: &mut String, first: &str, programs: &[TargetDetails]) {
    let names: Vec<String> = programs.iter().map(|it| format!(" `{}` |", it.listed.name)).collect();
    let _ = writeln!(page, "| {first} |{}", names.concat());
    let _ = writeln!(page, "|---|{}", "---|".repeat(programs.len()));
}

/// A table for each family of types: `OS::Nova`.
fn types_tables(programs: &[TargetDetails]) -> String {
    let Some(first) = programs.first() else { return String::new() };
    let mut families: IndexMap<&str, Vec<usize>> = IndexMap::new();
    for (at, line) in first.types.iter().enumerate() {
        let family = line.name.rsplit_once("::").map_or(line.name.as_str(), |(family, _)| family);
        families.entry(family).or_default().push(at);
    }
    let mut page = String::new();
    for (family, rows) in families {
        let _ = writeln!(page, "### {family}\n");
        head(&mut page, "type", programs);
        let mut notes = Footnotes::default();
        for at in rows {
            let name = &first.types[at].name;
            let short = name.rsplit("::").next().unwrap_or(name);
            let _ = write!(page, "| `{short}` |");
            for program in programs {
                let line = &program.types[at];
                let mark = notes.mark(line);
                let _ = match &line.to {
                    Some(to) if to != name => write!(page, " {mark} `{}` |", cell(to)),
                    _ => write!(page, " {mark} |"),
                };
            }
            page.push('\n');
        }
        notes.write(&mut page);
        page.push('\n');
    }
    page
}

fn functions_table(programs: &[TargetDetails]) -> String {
    let Some(first) = programs.first() else { return String::new() };
    let mut page = String::new();
    head(&mut page, "function", programs);
    let mut notes = Footnotes::default();
    for (at, line) in first.functions.iter().enumerate() {
        let _ = write!(page, "| `{}` |", line.name);
        for program in programs {
            let _ = write!(page, " {} |", notes.mark(&program.functions[at]));
        }
        page.push('\n');
    }
    notes.write(&mut page);
    page
}

fn helpers_table() -> String {
    let mut table = String::from("| helper | result |\n|---|---|\n");
    for helper in helpers::helper_docs().values() {
        let _ = writeln!(table, "| `{}` | {} |", cell(&helper.usage), cell(&helper.what));
    }
    table
}

/// The fields of the context, from its schema.
fn context_table() -> String {
    let schema = context::schema().to_value();
    let mut page = String::new();
    let types = ["Unit", "Parameter", "Group", "Resource", "MadeBy", "Need", "Mapped"];
    let types = types.into_iter().chain(["MappedProperty", "Instance", "Node", "Edge", "Given"]);
    let of = |definition: &serde_json::Value, page: &mut String| {
        for (field, about) in definition["properties"].as_object().into_iter().flatten() {
            let what = about["description"].as_str().unwrap_or_default();
            // The fields of the intermediate representation are described there.
            if !what.is_empty() {
                let _ = writeln!(page, "| `{field}` | {} |", cell(what));
            }
        }
    };
    page.push_str("| top-level field | content |\n|---|---|\n");
    of(&schema, &mut page);
    for name in types {
        let definition = &schema["$defs"][name];
        let what = definition["description"].as_str().unwrap_or_default();
        let what = what.trim_end_matches('.');
        let _ = writeln!(page, "\n**{name}**: {what}.\n\n| field | content |\n|---|---|");
        of(definition, &mut page);
    }
    page
}
