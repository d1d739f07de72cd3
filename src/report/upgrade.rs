//! The report of an upgrade.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::json::Finding;
use super::{SourceLocator, SourceRange, escape};
use heat_template::hot::Version;
use hotplate_upgrade::{AppliedRewrite, FileUpgrade, RewriteEffect, Status, UpgradeBlocker};
use source_diagnostics::{Code, Diagnostic, MaskedSources};

/// The number of files by status; the counts add up to the number of files found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct UpgradeSummary {
    #[schemars(with = "BTreeMap<String, usize>")]
    counts: BTreeMap<Status, usize>,
    /// The number of skipped files that are Jinja2 templates.
    #[serde(skip)]
    jinja: usize,
    /// The number of files with a new text that are Jinja2 templates.
    #[serde(skip)]
    unseen: usize,
}

/// The facts about each file for the report of all.
#[derive(Clone, Debug, Default)]
pub struct UpgradeTotals {
    /// The number of files by status.
    pub summary: UpgradeSummary,
    rules: BTreeMap<&'static str, RuleCount>,
    /// The number of CFN templates that a search skipped.
    cfn: usize,
}

/// The effects of one rule in all files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleCount {
    /// The name of the rule, as listed by `hotplate rules`.
    pub rule: &'static str,
    /// The number of its rewrites in files with a new text.
    pub rewrites: usize,
    /// The number of rewrites that keep the value only under a condition.
    pub conditional: usize,
    /// The number of files with one of its rewrites.
    pub files: usize,
    /// The number of places where it is blocked.
    pub blocked: usize,
}

/// The report of all files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UpgradeReport {
    /// The number of files by status.
    pub summary: UpgradeSummary,
    /// The effects of each rule, the most frequent first.
    pub statistics: Vec<RuleCount>,
    /// Every file that was found.
    pub files: Vec<UpgradedFile>,
    /// Paths that do not exist, and folders that cannot be searched or contain no template.
    pub failures: Vec<Finding>,
}

/// A file in the report.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UpgradedFile {
    path: String,
    /// The version that it declares; `null` if unknown, and for an environment.
    #[schemars(with = "Option<String>")]
    from: Option<Version>,
    /// The version to upgrade or downgrade to.
    #[schemars(with = "String")]
    to: Version,
    status: Status,
    rewrites: Vec<RewriteEntry>,
    blockers: Vec<BlockedEntry>,
    diagnostics: Vec<Finding>,
}

/// A rewrite of the text.
#[derive(Debug, Serialize, JsonSchema)]
struct RewriteEntry {
    rule: &'static str,
    /// The place in the old text.
    place: Option<SourceRange>,
    old: String,
    new: String,
    /// `exact` if the value certainly stays the same, otherwise `conditional`.
    effect: &'static str,
    /// Why the value is the same, or under which condition.
    why: String,
    /// What an update of a running stack does, for a resource that gets another type; left out for other rewrites, and if both
    /// texts cannot be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    update: Option<UpdateEntry>,
}

/// What an update of a running stack does.
#[derive(Debug, Serialize, JsonSchema)]
struct UpdateEntry {
    resource: String,
    /// What happens to the resource, as `hotplate diff` calls it.
    impact: &'static str,
    /// The resources that change because of it.
    others: Vec<String>,
}

/// A place without a rewrite.
#[derive(Debug, Serialize, JsonSchema)]
struct BlockedEntry {
    rule: &'static str,
    #[schemars(with = "String")]
    code: Code,
    place: Option<SourceRange>,
    /// Other places with the same cause.
    related: Vec<SourceRange>,
    message: String,
    help: Vec<String>,
}

impl Default for UpgradeSummary {
    fn default() -> Self {
        let counts = Status::ALL.iter().map(|&status| (status, 0)).collect();
        UpgradeSummary { counts, jinja: 0, unseen: 0 }
    }
}

impl UpgradeSummary {
    /// Counts a file.
    pub fn add(&mut self, file: &FileUpgrade) {
        *self.counts.entry(file.upgrade.status).or_default() += 1;
        let mut findings = file.upgrade.findings.iter();
        let unseen =
            findings.any(|finding| finding.code == lossless_yaml::codes::JINJA_NOT_CHECKED);
        self.unseen += usize::from(unseen && file.upgrade.status.is_upgraded());
        self.jinja += usize::from(file.skipped_jinja().is_some());
    }

    /// Whether no file was counted.
    pub fn is_empty(&self) -> bool {
        self.counts.values().all(|&count| count == 0)
    }

    /// The counts as a sentence, with `upgraded` as the word for files with a new text; zero counts are omitted.
    pub fn sentence(&self, upgraded: &str) -> String {
        let files: usize = self.counts.values().sum();
        let mut counts = self.counts.clone();
        counts.entry(Status::Skipped).and_modify(|count| *count -= self.jinja);
        let (with_text, rest): (Vec<_>, Vec<_>) = counts
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .partition(|(status, _)| status.is_upgraded());
        let listed = |counts: &[(Status, usize)]| {
            let parts: Vec<String> =
                counts.iter().map(|&(status, count)| counted(status, count)).collect();
            parts.join(", ")
        };
        let mut parts = Vec::new();
        if !with_text.is_empty() {
            let count: usize = with_text.iter().map(|(_, count)| count).sum();
            parts.push(format!("{count} {upgraded} ({})", listed(&with_text)));
        }
        if !rest.is_empty() {
            parts.push(listed(&rest));
        }
        if self.jinja > 0 {
            let templates = if self.jinja == 1 { "template" } else { "templates" };
            parts.push(format!("{} Jinja2 {templates} (skipped)", self.jinja));
        }
        let unseen = match self.unseen {
            0 => String::new(),
            unseen => format!("; Jinja2 tags, in {unseen} of them, were not examined"),
        };
        let what = if files == 1 { "file" } else { "files" };
        format!("{files} {what}: {}{unseen}", parts.join(", "))
    }
}

fn counted(status: Status, count: usize) -> String {
    let what = match status {
        Status::DateOnly => "date only",
        Status::Rewritten => "rewritten",
        Status::Conditional => "conditional",
        Status::Unchanged => "unchanged",
        Status::Blocked => "blocked",
        Status::Invalid => "invalid (refused by Heat)",
        Status::Unproved => "not proven",
        Status::Unreadable => "unreadable",
        Status::Unwritable => "not writable",
        Status::Skipped if count == 1 => "not a HOT template (skipped)",
        Status::Skipped => "not HOT templates (skipped)",
    };
    format!("{count} {what}")
}

impl UpgradeTotals {
    /// Counts a file.
    pub fn add(&mut self, file: &FileUpgrade) {
        let FileUpgrade { upgrade, .. } = file;
        self.summary.add(file);
        let is_cfn = |found: &Diagnostic| found.code == heat_template::codes::CFN_TEMPLATE;
        self.cfn += usize::from(!file.is_explicit && upgrade.findings.iter().any(is_cfn));
        let mut seen = BTreeSet::new();
        let applied = if upgrade.status.is_upgraded() { &upgrade.rewrites[..] } else { &[] };
        for rewrite in applied {
            let count = self.rules.entry(rewrite.rule).or_default();
            count.rewrites += 1;
            count.conditional +=
                usize::from(matches!(rewrite.effect, RewriteEffect::Conditional(_)));
            count.files += usize::from(seen.insert(rewrite.rule));
        }
        for blocker in &upgrade.blockers {
            self.rules.entry(blocker.rule).or_default().blocked += 1;
        }
    }

    /// The effects of each rule, the most frequent first.
    fn statistics(&self) -> Vec<RuleCount> {
        let rules = self.rules.iter();
        let mut counts: Vec<RuleCount> =
            rules.map(|(rule, count)| RuleCount { rule, ..*count }).collect();
        counts.sort_by_key(|count| std::cmp::Reverse((count.rewrites, count.blocked)));
        counts
    }

    /// The statistics as a table.
    pub fn statistics_text(&self) -> String {
        let mut text = "rewrites  conditional  files  blocked  rule\n".to_owned();
        for RuleCount { rule, rewrites, conditional, files, blocked } in self.statistics() {
            let _ = writeln!(
                text,
                "{rewrites:>8}  {conditional:>11}  {files:>5}  {blocked:>7}  {rule}"
            );
        }
        text
    }

    /// Suggestions for files that a search skipped; empty if there are none.
    pub fn skipped(&self) -> String {
        cfn_templates(self.cfn)
    }
}

impl UpgradeReport {
    /// Builds the report of all files, in their order; failures concern no text.
    pub fn new(totals: UpgradeTotals, files: Vec<UpgradedFile>, failures: &[Diagnostic]) -> Self {
        let sources = MaskedSources::default();
        UpgradeReport {
            statistics: totals.statistics(),
            summary: totals.summary,
            files,
            failures: Finding::all(failures, &mut SourceLocator::new(&sources)),
        }
    }
}

impl UpgradedFile {
    /// The entry of a file.
    pub fn new(file: &FileUpgrade, places: &mut SourceLocator<'_>) -> Self {
        let upgrade = &file.upgrade;
        UpgradedFile {
            path: source_files::display_name(&file.path).into_owned(),
            from: upgrade.from,
            to: upgrade.to,
            status: upgrade.status,
            rewrites: upgrade
                .rewrites
                .iter()
                .map(|rewrite| rewrite_entry(rewrite, places))
                .collect(),
            blockers: upgrade
                .blockers
                .iter()
                .map(|blocker| blocked_entry(blocker, places))
                .collect(),
            diagnostics: Finding::all(&upgrade.findings, places),
        }
    }
}

fn rewrite_entry(rewrite: &AppliedRewrite, places: &mut SourceLocator<'_>) -> RewriteEntry {
    let (effect, why) = match &rewrite.effect {
        RewriteEffect::Exact => ("exact", "the same value for every valid input".to_owned()),
        RewriteEffect::Conditional(condition) => {
            ("conditional", format!("the same only if {condition}"))
        }
    };
    RewriteEntry {
        rule: rewrite.rule,
        place: places.locate(rewrite.span),
        old: rewrite.old.clone(),
        new: rewrite.new.clone(),
        effect,
        why,
        update: rewrite.update.as_ref().map(|it| UpdateEntry {
            resource: it.resource.clone(),
            impact: it.impact,
            others: it.others.clone(),
        }),
    }
}

fn blocked_entry(blocker: &UpgradeBlocker, places: &mut SourceLocator<'_>) -> BlockedEntry {
    let related = blocker.finding.related.iter();
    BlockedEntry {
        rule: blocker.rule,
        code: blocker.finding.code,
        place: blocker.finding.span().and_then(|span| places.locate(span)),
        related: related.filter_map(|label| places.locate(label.span)).collect(),
        message: blocker.finding.message.clone(),
        help: blocker.finding.help.clone(),
    }
}

/// Lines about the files of a folder that are not HOT templates; empty if there are none.
pub fn skipped_files(others: usize, cfn: usize) -> String {
    let others = match others {
        0 => String::new(),
        count => format!("{}\n", counted(Status::Skipped, count)),
    };
    others + &cfn_templates(cfn)
}

/// A line about the CFN templates of a folder; empty if there are none.
fn cfn_templates(count: usize) -> String {
    const WAY: &str = "`hotplate render --target hot FILE` converts one to HOT";
    match count {
        0 => String::new(),
        1 => format!("1 CFN template (skipped): {WAY}\n"),
        _ => format!("{count} CFN templates (skipped): {WAY}\n"),
    }
}

/// One line about the status of a file.
pub fn outcome(file: &FileUpgrade) -> String {
    let path = source_files::display_name(&file.path);
    let path = escape::on_one_line(&path);
    let upgrade = &file.upgrade;
    let outcome = counted(upgrade.status, 1).split_off("1 ".len());
    match upgrade.from {
        Some(from) if upgrade.status.is_upgraded() => {
            format!("{path}: {outcome}, {} -> {}\n", from.date(), upgrade.to)
        }
        _ => format!("{path}: {outcome}\n"),
    }
}

/// One line for each rewrite of a file: place, rule, old and new text.
pub fn rewrites(file: &FileUpgrade, places: &mut SourceLocator<'_>) -> String {
    let mut text = String::new();
    for rewrite in &file.upgrade.rewrites {
        let position = places.positions(rewrite.span).0;
        let path = source_files::display_name(&file.path);
        text.push_str(&format!(
            "{}:{}:{}: {} {} -> {}\n",
            escape::on_one_line(&path),
            position.line,
            position.column,
            rewrite.rule,
            escape::on_one_line(&rewrite.old),
            escape::on_one_line(&rewrite.new),
        ));
    }
    text
}
