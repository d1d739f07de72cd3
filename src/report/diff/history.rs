//! The report of `hotplate log`: what each commit of a range does, and how often it happened to each resource.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anstyle::Style;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::causes::{Causes, own_reasons};
use super::model::{PartKind, Report, ResourceEntry};
use super::text::{TextWriter, style};
use super::{DiffReportOptions, labels, markdown, verdict};
use hotplate_diff::Impact;
use source_files::display_name;
use source_files::git::Commit;

/// The digits of an id that text shows.
const SHORT: usize = 9;
/// The most causes of one resource that are counted apart in text.
const MAX_CAUSES: usize = 3;

/// The JSON of `hotplate log`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HistoryReport {
    /// The commits that change what Heat does, or that could not be compared, the newest first.
    pub commits: Vec<CommitEntry>,
    /// The resources to which something happened, the worst first.
    pub resources: Vec<ResourceHistory>,
    /// The number of commits that were compared with their first parents.
    pub compared: usize,
    /// How many of the commits in `commits` could not be compared, or not as a whole.
    pub not_compared: usize,
}

/// A commit that changes what Heat does, or that could not be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitEntry {
    /// The whole id, in hexadecimal digits.
    pub commit: String,
    /// The name of the author.
    pub author: String,
    /// When the author wrote it, by ISO 8601.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
    /// The worst impact on a resource; `null` if none is affected.
    pub impact: Option<Impact>,
    /// The first line of the comparison.
    pub summary: String,
    /// The worst resource and the cause of what happens to it; `null` where nothing happens to a resource.
    pub cause: Option<String>,
    /// Whether a part of the change could not be compared.
    pub not_compared: bool,
    /// The resources to which something happens, the worst first.
    pub resources: Vec<ChangedResource>,
}

/// What a commit does to a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangedResource {
    /// The path of its template in the newest commit.
    pub template: String,
    /// Its name in the newest commit.
    pub resource: String,
    /// The type as the template writes it.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// What happens to it.
    pub impact: Impact,
    /// The deciding part: a property, or another part of the definition; `null` if nothing is named.
    pub part: Option<String>,
    /// The cause in short.
    pub cause: Option<String>,
    /// Whether it has another name after the commit, as the cause says.
    #[serde(skip)]
    is_renamed: bool,
}

/// How often something happened to a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResourceHistory {
    /// The path of its template in the newest commit.
    pub template: String,
    /// Its name in the newest commit.
    pub resource: String,
    /// The type as the template writes it.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The number of commits for each impact, the worst first.
    pub impacts: IndexMap<Impact, usize>,
    /// The number of commits for each cause of its worst impact, the most frequent first.
    pub causes: IndexMap<String, usize>,
}

/// The names of templates and resources in the newest commit, by those that they have in the commit that is read: a history is read
/// from the newest commit on.
#[derive(Debug, Default)]
pub struct NewestNames {
    templates: HashMap<String, String>,
    resources: HashMap<(String, String), String>,
}

impl NewestNames {
    /// The name of a template in the newest commit.
    pub fn template(&self, path: &Path) -> String {
        let name = display_name(path).into_owned();
        self.templates.get(&name).cloned().unwrap_or(name)
    }

    /// The name in the commit that is read of a file that has this one in the newest commit.
    pub fn then(&self, newest: &Path) -> PathBuf {
        let newest_name = display_name(newest);
        let then = self.templates.iter().find(|(_, is)| **is == newest_name);
        then.map_or_else(|| newest.to_owned(), |(was, _)| was.into())
    }

    /// The name of a resource in the newest commit, of a template by its name there. What is inside a renamed one is renamed, too.
    pub fn resource(&self, template: &str, name: &str) -> String {
        for (at, _) in
            name.match_indices('/').chain([(name.len(), "")]).collect::<Vec<_>>().iter().rev()
        {
            let key = (template.to_owned(), name[..*at].to_owned());
            if let Some(newest) = self.resources.get(&key) {
                return format!("{newest}{}", &name[*at..]);
            }
        }
        name.to_owned()
    }

    /// The renames of a commit: each file and each resource has its old name before it. The commit may have exchanged names.
    pub fn rename(&mut self, files: &[(PathBuf, PathBuf)], resources: &[(String, String, String)]) {
        let of_resources: Vec<_> = resources
            .iter()
            .map(|(template, old, new)| {
                let newest = self.resource(template, new);
                ((template.clone(), new), ((template.clone(), old.clone()), newest))
            })
            .collect();
        for ((template, new), _) in &of_resources {
            self.resources.remove(&(template.clone(), (*new).clone()));
        }
        self.resources.extend(of_resources.into_iter().map(|(_, renamed)| renamed));
        let of_files: Vec<(String, String)> = files
            .iter()
            .map(|(old, new)| (display_name(old).into_owned(), self.template(new)))
            .collect();
        for (_, new) in files {
            self.templates.remove(display_name(new).as_ref());
        }
        self.templates.extend(of_files);
    }
}

impl HistoryReport {
    /// Adds a commit with its comparison, and nothing if it changes nothing.
    pub fn add(&mut self, commit: &Commit, report: &Report, names: &NewestNames) {
        let counts = report.counts();
        let not_compared = counts.templates_not_compared
            + counts.environments_not_compared
            + counts.unread_files
            + counts.not_compared
            > 0;
        if !report.verdict().differs && !not_compared {
            return;
        }
        let mut resources = Vec::new();
        for template in report.templates().iter().filter(|it| labels::has_stack_changes(it)) {
            let causes = Causes::new(template);
            let path = names.template(Path::new(template.path()));
            for entry in labels::worst_first(template, false) {
                let is = entry.renamed_to.as_ref().unwrap_or(&entry.name);
                let resource = names.resource(&path, is);
                resources.push((verdict::order(entry), changed(entry, &causes, &path, resource)));
            }
        }
        resources.sort_by_key(|(order, _)| *order);
        let resources: Vec<ChangedResource> = resources.into_iter().map(|(_, it)| it).collect();
        self.not_compared += usize::from(not_compared);
        self.commits.push(CommitEntry {
            commit: commit.id.clone(),
            author: commit.author.clone(),
            date: commit.date.clone(),
            subject: commit.subject.clone(),
            impact: resources.iter().map(|it| it.impact).min(),
            summary: report.verdict().line(),
            cause: resources.first().map(ChangedResource::sentence),
            not_compared,
            resources,
        });
    }

    /// Counts what happened to each resource, after the last commit.
    pub fn finish(&mut self) {
        type Counted<'r> =
            (Option<&'r str>, IndexMap<Impact, usize>, IndexMap<(Impact, &'r str), usize>);
        let mut all: IndexMap<(&str, &str), Counted<'_>> = IndexMap::new();
        for it in self.commits.iter().flat_map(|it| &it.resources) {
            let entry = all.entry((&it.template, &it.resource)).or_default();
            entry.0 = entry.0.or(it.kind.as_deref());
            *entry.1.entry(it.impact).or_default() += 1;
            if let Some(part) = &it.part {
                *entry.2.entry((it.impact, part)).or_default() += 1;
            }
        }
        let rows = all.into_iter().map(|((template, resource), (kind, mut impacts, causes))| {
            impacts.sort_keys();
            let worst = impacts.keys().next().copied();
            let of_worst = causes.into_iter().filter(|((impact, _), _)| Some(*impact) == worst);
            let mut causes: Vec<(&str, usize)> =
                of_worst.map(|((_, part), count)| (part, count)).collect();
            causes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            ResourceHistory {
                template: template.to_owned(),
                resource: resource.to_owned(),
                kind: kind.map(str::to_owned),
                impacts,
                causes: causes.into_iter().map(|(part, count)| (part.to_owned(), count)).collect(),
            }
        });
        let mut rows: Vec<ResourceHistory> = rows.collect();
        rows.sort_by_key(|it| {
            it.impacts.iter().next().map(|(impact, count)| (*impact, std::cmp::Reverse(*count)))
        });
        self.resources = rows;
    }

    /// The last line: how many commits change what Heat does.
    pub(super) fn total(&self) -> String {
        let all = labels::counted_noun(self.compared, "commit");
        let changing = self.commits.iter().filter(|it| it.impact.is_some() || !it.not_compared);
        let changing = changing.count();
        let verb = if changing == 1 { "changes" } else { "change" };
        let total = format!("{changing} of {all} {verb} what Heat does");
        match self.not_compared {
            0 => total,
            count => format!("{total}; {count} could not be compared as a whole"),
        }
    }
}

fn changed(
    entry: &ResourceEntry,
    causes: &Causes<'_>,
    template: &str,
    resource: String,
) -> ChangedResource {
    let root = causes.root(entry);
    ChangedResource {
        template: template.to_owned(),
        resource,
        kind: entry.kind.clone().or_else(|| entry.old_type.clone()),
        impact: entry.effective_impact,
        part: own_reasons(root)
            .next()
            .filter(|it| it.part != PartKind::Resource)
            .map(labels::label),
        cause: causes.sentence(entry),
        is_renamed: entry.renamed_to.is_some() || entry.renamed_from.is_some(),
    }
}

impl ChangedResource {
    fn sentence(&self) -> String {
        let phrase = labels::impact_phrase(self.impact);
        match &self.cause {
            Some(cause) if self.is_renamed => cause.clone(),
            Some(cause) => format!("{} {phrase}: {cause}", self.resource),
            None => format!("{} {phrase}", self.resource),
        }
    }
}

impl CommitEntry {
    /// The first digits of the id.
    pub(super) fn short(&self) -> &str {
        self.commit.get(..SHORT).unwrap_or(&self.commit)
    }

    /// The day on which it was written.
    pub(super) fn day(&self) -> &str {
        self.date.split('T').next().unwrap_or_default()
    }
}

impl ResourceHistory {
    /// What happened how often: `replaced in 7 of 31 commits: 5 by user_data`.
    pub(super) fn sentence(&self, of: usize) -> String {
        let mut parts: Vec<String> = Vec::new();
        for (impact, count) in &self.impacts {
            parts.push(format!("{} in {count}", labels::impact_count_phrase(*impact)));
        }
        let causes: Vec<String> = self
            .causes
            .iter()
            .take(MAX_CAUSES)
            .map(|(part, count)| format!("{count} by `{part}`"))
            .collect();
        let all = format!("{} of {}", parts.join(", "), labels::counted_noun(of, "commit"));
        if causes.is_empty() { all } else { format!("{all}: {}", causes.join(", ")) }
    }
}

/// Renders the history for a terminal: a line a commit, with its message if verbose, then the resources that the user named.
pub fn history_text(
    report: &HistoryReport,
    is_selected: bool,
    options: &DiffReportOptions,
) -> String {
    let mut out = TextWriter::new(options);
    let width = report.commits.iter().map(|it| it.author.chars().count()).max().unwrap_or_default();
    let width = width.min(20);
    for commit in &report.commits {
        let author: String = commit.author.chars().take(width).collect();
        let head = format!("{} {} {author:<width$}  ", commit.short(), commit.day());
        let what = commit.cause.as_ref().map_or_else(String::new, |it| format!("; {it}"));
        let impact = commit.impact.map(style).unwrap_or_default();
        let parts = [(Style::new(), head), (impact, commit.summary.clone()), (Style::new(), what)];
        out.verbatim(0, &parts);
        if options.verbose {
            out.verbatim(2, &[(Style::new().dimmed(), commit.subject.clone())]);
        }
    }
    if is_selected {
        for row in &report.resources {
            let line = format!("{}: {}", row.resource, row.sentence(report.compared));
            out.line(0, &[(Style::new(), line)]);
        }
    }
    out.line(0, &[(Style::new().bold(), report.total())]);
    out.text
}

/// Renders the history as Markdown: a table of commits, and one of resources.
pub fn history_markdown(report: &HistoryReport) -> String {
    let mut out = format!("**{}**\n", report.total());
    if !report.commits.is_empty() {
        out.push_str(
            "\n| commit | date | author | what Heat does | first cause |\n|---|---|---|---|---|\n",
        );
    }
    let cell = |text: &str| markdown::sentence(text).replace('|', "\\|");
    for commit in &report.commits {
        out.push_str(&format!(
            "| `{}` | {} | {} | {} | {} |\n",
            commit.short(),
            commit.day(),
            cell(&commit.author),
            cell(&commit.summary),
            cell(commit.cause.as_deref().unwrap_or_default())
        ));
    }
    if !report.resources.is_empty() {
        out.push_str("\n| template | resource | what happened |\n|---|---|---|\n");
    }
    for row in &report.resources {
        out.push_str(&format!(
            "| {} | {} | {} |\n",
            cell(&row.template),
            cell(&row.resource),
            cell(&row.sentence(report.compared))
        ));
    }
    out
}
