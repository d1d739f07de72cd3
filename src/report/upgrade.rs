//! The report of an upgrade.

use std::fmt::Write;

use serde::Serialize;
use similar::ChangeTag;

use super::json::{Finding, Range};
use super::{Places, escape};
use crate::diagnostics::{Code, Diagnostic, Span};
use crate::hot::Version;
use crate::upgrade::{Applied, Blocker, Effect, FileUpgrade, Status};

/// How many files came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// With a new text.
    pub upgraded: usize,
    /// As the target wants them already.
    pub unchanged: usize,
    /// With something that has no rewrite.
    pub blocked: usize,
    /// That could not be read or proved.
    pub error: usize,
    /// That are no HOT template, or a Jinja2 template that is left as it is.
    pub skipped: usize,
    /// How many of those are Jinja2 templates.
    #[serde(skip)]
    pub jinja: usize,
    /// How many of those with a new text are Jinja2 templates.
    #[serde(skip)]
    pub unseen: usize,
}

/// The whole report.
#[derive(Debug, Serialize)]
pub struct Report {
    /// How many files came to what.
    pub summary: Summary,
    /// Every file that was found.
    pub files: Vec<File>,
    /// Paths that name nothing, folders that cannot be searched or hold no template.
    pub failures: Vec<Finding>,
}

/// A file of the report.
#[derive(Debug, Serialize)]
pub struct File {
    path: String,
    from: Option<Version>,
    to: Version,
    status: Status,
    rewrites: Vec<Rewrite>,
    blockers: Vec<Blocked>,
    diagnostics: Vec<Finding>,
}

#[derive(Debug, Serialize)]
struct Place {
    start: u32,
    end: u32,
    line: u32,
    column: u32,
}

#[derive(Debug, Serialize)]
struct Rewrite {
    rule: &'static str,
    span: Place,
    old: String,
    new: String,
    effect: &'static str,
    why: String,
}

#[derive(Debug, Serialize)]
struct Blocked {
    rule: &'static str,
    code: Code,
    span: Option<Place>,
    message: String,
    help: Vec<String>,
}

impl Summary {
    /// Counts files.
    pub fn of<'a>(files: impl IntoIterator<Item = &'a FileUpgrade>) -> Self {
        let mut summary = Summary::default();
        for file in files {
            match file.upgrade.status {
                Status::Upgraded => {
                    summary.upgraded += 1;
                    let mut findings = file.upgrade.findings.iter();
                    let unseen = findings.any(|finding| finding.code == Code::JinjaUnseen);
                    summary.unseen += usize::from(unseen);
                }
                Status::Unchanged => summary.unchanged += 1,
                Status::Blocked => summary.blocked += 1,
                Status::Error => summary.error += 1,
                Status::Skipped => {
                    summary.skipped += 1;
                    summary.jinja += usize::from(file.skipped_jinja().is_some());
                }
            }
        }
        summary
    }

    /// In words: what there is none of is left out.
    pub fn sentence(&self, upgraded: &str) -> String {
        let counts = [
            (self.upgraded, upgraded),
            (self.unchanged, "unchanged"),
            (self.blocked, "blocked"),
            (self.error, "with errors"),
            (self.skipped - self.jinja, "no HOT template"),
            (self.jinja, "skipped: Jinja2"),
        ];
        let parts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let unseen = match self.unseen {
            0 => String::new(),
            unseen => format!("; Jinja2 tags, in {unseen} of them, were not looked at"),
        };
        if parts.is_empty() { "no files".to_owned() } else { parts.join(", ") + &unseen }
    }
}

impl Report {
    /// The report of all files, in their order.
    pub fn new(files: &[FileUpgrade], failures: &[Diagnostic], places: &mut Places<'_>) -> Self {
        Report {
            summary: Summary::of(files),
            files: files.iter().map(|file| File::new(file, places)).collect(),
            failures: Finding::all(failures, places),
        }
    }
}

impl File {
    fn new(file: &FileUpgrade, places: &mut Places<'_>) -> Self {
        let upgrade = &file.upgrade;
        File {
            path: crate::files::display_name(&file.path).into_owned(),
            from: upgrade.from,
            to: upgrade.to,
            status: upgrade.status,
            rewrites: upgrade.rewrites.iter().map(|rewrite| rewritten(rewrite, places)).collect(),
            blockers: upgrade.blockers.iter().map(|blocker| blocked(blocker, places)).collect(),
            diagnostics: Finding::all(&upgrade.findings, places),
        }
    }
}

fn place(span: Span, places: &mut Places<'_>) -> Place {
    let range = Range::new(span, places);
    Place { start: span.start, end: span.end, line: range.start.line, column: range.start.column }
}

fn rewritten(rewrite: &Applied, places: &mut Places<'_>) -> Rewrite {
    let (effect, why) = match &rewrite.effect {
        Effect::Exact => ("exact", "the same value for every input that worked".to_owned()),
        Effect::Conditional(condition) => ("conditional", format!("the same only if {condition}")),
    };
    Rewrite {
        rule: rewrite.rule,
        span: place(rewrite.span, places),
        old: rewrite.old.clone(),
        new: rewrite.new.clone(),
        effect,
        why,
    }
}

fn blocked(blocker: &Blocker, places: &mut Places<'_>) -> Blocked {
    Blocked {
        rule: blocker.rule,
        code: blocker.finding.code,
        span: blocker.finding.span().map(|span| place(span, places)),
        message: blocker.finding.message.clone(),
        help: blocker.finding.help.clone(),
    }
}

/// A unified diff of one file; empty where nothing changes. Without colours it can be applied: lines
/// are what `patch` and git take for lines, which a lone carriage return does not end.
pub fn unified(path: &str, old: &str, new: &str, color: bool) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let diff = similar::TextDiff::from_slices(&old, &new);
    let mut text = String::new();
    let mut put = |style: anstyle::Style, line: &str| {
        let end = if line.ends_with('\n') { "" } else { "\n\\ No newline at end of file" };
        let line = line.strip_suffix('\n').unwrap_or(line);
        let _ = if color {
            writeln!(text, "{style}{line}{style:#}{end}")
        } else {
            writeln!(text, "{line}{end}")
        };
    };
    for (at, hunk) in diff.unified_diff().context_radius(3).iter_hunks().enumerate() {
        if at == 0 {
            put(anstyle::Style::new().bold(), &format!("--- {path}\n"));
            put(anstyle::Style::new().bold(), &format!("+++ {path}\n"));
        }
        put(anstyle::AnsiColor::Cyan.on_default(), &format!("{}\n", hunk.header()));
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Equal => (' ', anstyle::Style::new()),
                ChangeTag::Delete => ('-', anstyle::AnsiColor::Red.on_default()),
                ChangeTag::Insert => ('+', anstyle::AnsiColor::Green.on_default()),
            };
            put(style, &format!("{sign}{}", change.value()));
        }
    }
    text
}

/// A line for each rewrite of a file: its place, its rule, the old and the new text.
pub fn rewrites(file: &FileUpgrade, places: &mut Places<'_>) -> String {
    let mut text = String::new();
    for rewrite in &file.upgrade.rewrites {
        let place = place(rewrite.span, places);
        let path = crate::files::display_name(&file.path);
        text.push_str(&format!(
            "{}:{}:{}: {} {} -> {}\n",
            escape::on_one_line(&path),
            place.line,
            place.column,
            rewrite.rule,
            escape::on_one_line(&rewrite.old),
            escape::on_one_line(&rewrite.new),
        ));
    }
    text
}
