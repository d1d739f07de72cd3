//! Suppressions: changes that the command line and comments of the templates permit.
//!
//! `--allow TYPE|NAME[:IMPACT]` applies to resources of a type or with a name. A comment
//! `# hotplate: allow IMPACT REASON` applies to the resource that contains it or follows it: in
//! the new template, or in the old one for deleted resources. [`CommentSide::Base`] uses only comments of the old
//! template, so that a change cannot permit itself.

use std::collections::{HashMap, HashSet};

use super::DeploymentSide;
use super::comparison::{Comparison, Impact, Pair, SecurityChange, Suppression, SuppressionTarget};
use super::dataflow::{Dataflow, ROOT, StackId};
use super::fail_on::UnknownImpact;
use super::input::ComparisonInput;
use super::stages::PropagatedResource;
use heat_engine::environment::FileContent;
use lossless_yaml::{Document, NodeId};
use source_diagnostics::{Diagnostic, Span, did_you_mean};

/// The side whose comments count as suppressions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CommentSide {
    /// Only comments of the old template count.
    Base,
    /// Comments of the new template count, and those of the old one for deleted resources.
    #[default]
    Head,
}

/// The suppressions that a comparison respects.
#[derive(Clone, Copy, Debug, Default)]
pub struct SuppressionOptions<'a> {
    /// The suppressions from the command line.
    pub from_options: &'a [Suppression],
    /// The side whose comments count.
    pub comment_side: CommentSide,
}

/// The text that the name of a deployment follows.
const DEPLOYMENT: &str = "deployment:";

/// Why a suppression cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseSuppressionError {
    /// It names no type or resource.
    #[error("name a type or a resource: `TYPE`, `NAME`, `TYPE:IMPACT` or `NAME:IMPACT`")]
    MissingName,
    /// The part after the colon is not an impact.
    #[error(transparent)]
    UnknownImpact(#[from] UnknownImpact),
}

/// Parses an argument of `--allow`. Types contain `::`, and resource names may contain a colon:
/// the part after the last colon is an impact if it is the name of one, or similar to one.
pub fn parse_suppression(argument: &str) -> Result<Suppression, ParseSuppressionError> {
    let argument = argument.trim();
    // `deployment:replace` is an impact on a resource.
    if let Some(name) = argument.strip_prefix(DEPLOYMENT)
        && !name.is_empty()
        && Impact::from_name(name).is_err()
    {
        let target = SuppressionTarget::Deployment(name.to_owned());
        return Ok(Suppression { target, impact: None, reason: None, span: None, used: false });
    }
    let (name, impact) = match argument.rsplit_once(':') {
        Some((name, _)) if name.ends_with(':') => (argument, None),
        Some((name, word)) => match Impact::from_name(word) {
            Ok(impact) => (name, Some(impact)),
            Err(unknown) if unknown.suggestion.is_some() || word.is_empty() || word == "none" => {
                return Err(unknown.into());
            }
            Err(_) => (argument, None),
        },
        None => (argument, None),
    };
    if name.is_empty() || name.chars().all(|c| c == ':') {
        return Err(ParseSuppressionError::MissingName);
    }
    let covers = SuppressionTarget::Named(name.to_owned());
    Ok(Suppression { target: covers, impact, reason: None, span: None, used: false })
}

/// Whether a resource has this type (before the change, if it was there), this full name, or a name that ends with this part.
pub(super) fn matches_name(resource: &str, kind: &Pair<Option<String>>, name: &str) -> bool {
    let last = resource.rsplit('/').next();
    // A change that gives a resource another type cannot choose one that is allowed.
    let kind = kind.old.as_deref().or(kind.new.as_deref());
    resource == name || last == Some(name) || kind == Some(name)
}

impl Suppression {
    /// The deployment whose removal it permits.
    pub fn deployment(&self) -> Option<&str> {
        match &self.target {
            SuppressionTarget::Deployment(name) => Some(name),
            SuppressionTarget::Named(_) | SuppressionTarget::Comment(_) => None,
        }
    }

    /// Whether it applies to what happens to a resource. Permitting a replacement also permits a possible
    /// one.
    fn applies_to(&self, resource: &PropagatedResource) -> bool {
        let covers = match &self.target {
            SuppressionTarget::Named(name) => resource.matches_name(name),
            SuppressionTarget::Comment(whole) => resource.decided.name == *whole,
            SuppressionTarget::Deployment(_) => false,
        };
        covers && allows_impact(self.impact, resource.effective_impact)
    }
}

impl Comparison {
    /// Removes suppressions, none of which is used.
    pub fn retain_suppressions(&mut self, is_kept: impl Fn(&Suppression) -> bool) {
        let mut kept = 0;
        let positions: Vec<usize> = self
            .suppressions
            .iter()
            .map(|it| {
                kept += usize::from(is_kept(it));
                kept.saturating_sub(1)
            })
            .collect();
        self.suppressions.retain(is_kept);
        for at in self.resources.iter_mut().flat_map(|it| &mut it.suppressions) {
            *at = positions[*at];
        }
    }
}

fn allows_impact(allowed: Option<Impact>, impact: Impact) -> bool {
    match (allowed, impact) {
        // An unknown change cannot be permitted.
        (_, Impact::None | Impact::NotCompared) => false,
        // A change without effect needs no suppression.
        (None, Impact::NoopUpdate) => false,
        (None, _) => true,
        (Some(Impact::Replace), Impact::MayReplace)
        | (Some(Impact::Delete), Impact::MayDelete)
        | (Some(Impact::Create), Impact::MayCreate) => true,
        (Some(allowed), impact) => allowed == impact,
    }
}

/// The suppressions of a comparison.
pub(super) struct AppliedSuppressions {
    /// Every suppression, used or not.
    pub(super) all: Vec<Suppression>,
    /// The positions of those that apply to each resource.
    pub(super) of_resources: Vec<Vec<usize>>,
    /// Unused suppressions, and comments that look like a suppression but are invalid.
    pub(super) findings: Vec<Diagnostic>,
}

/// Finds the suppressions, and the resources that they apply to.
pub(super) fn apply(
    resources: &[PropagatedResource],
    security: &[SecurityChange],
    input: &ComparisonInput<'_>,
    permissions: &SuppressionOptions<'_>,
) -> AppliedSuppressions {
    let mut findings = Vec::new();
    // What permits that a deployment is removed applies to no comparison.
    let of_options = permissions.from_options.iter().filter(|it| it.deployment().is_none());
    let mut suppressions: Vec<Suppression> = of_options.cloned().collect();
    suppressions.extend(from_comments(resources, input, permissions.comment_side, &mut findings));
    let widened = |resource: &PropagatedResource, suppression: &Suppression| {
        let name = &resource.decided.name;
        suppression.impact.is_none()
            && security.iter().any(|it| it.access.may_widen() && it.resource == *name)
    };
    let mut of_resources = vec![Vec::new(); resources.len()];
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (which, resource) in resources.iter().enumerate() {
        by_name.entry(&resource.decided.name).or_default().push(which);
    }
    let all: Vec<usize> = (0..resources.len()).collect();
    for (at, suppression) in suppressions.iter_mut().enumerate() {
        let concerned = match &suppression.target {
            SuppressionTarget::Named(_) | SuppressionTarget::Deployment(_) => &all,
            SuppressionTarget::Comment(whole) => match by_name.get(whole.as_str()) {
                Some(concerned) => concerned,
                None => continue,
            },
        };
        for &which in concerned {
            let resource = &resources[which];
            if suppression.applies_to(resource) {
                suppression.used = true;
                of_resources[which].push(at);
            } else if let SuppressionTarget::Named(name) = &suppression.target
                && resource.matches_name(name)
                && widened(resource, suppression)
            {
                suppression.used = true;
            }
        }
    }
    let unused = suppressions.iter().filter(|it| !it.used).map(|it| unused(it, resources));
    findings.extend(unused);
    AppliedSuppressions { all: suppressions, of_resources, findings }
}

/// The finding about an unused suppression.
fn unused(suppression: &Suppression, resources: &[PropagatedResource]) -> Diagnostic {
    let what = match suppression.impact {
        Some(impact) => format!("no `{}`", impact.name()),
        None => "nothing".to_owned(),
    };
    let name = match &suppression.target {
        SuppressionTarget::Named(name)
        | SuppressionTarget::Comment(name)
        | SuppressionTarget::Deployment(name) => name,
    };
    let finding = Diagnostic::new(
        source_diagnostics::codes::SUPPRESSION_UNUSED,
        format!("there is {what} of `{name}` to allow"),
    );
    if let Some(place) = suppression.span {
        return finding.at(place);
    }
    if let Some(resource) = resources.iter().find(|resource| resource.matches_name(name)) {
        let (name, impact) = (&resource.decided.name, resource.effective_impact.name());
        return finding.help(format!("what happens to `{name}` is `{impact}`"));
    }
    let resources = || resources.iter().map(|it| &it.decided);
    let kinds = resources().flat_map(|it| [&it.kind.new, &it.kind.old]).flatten();
    let lasts = resources().filter_map(|it| it.name.rsplit('/').next());
    let names = resources().map(|it| it.name.as_str()).chain(kinds.map(String::as_str));
    match did_you_mean(name, names.chain(lasts)) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding,
    }
}

// --- comments ------------------------------------------------------------------------------------

/// A comment that permits an impact.
struct SuppressionComment {
    impact: Impact,
    reason: String,
    span: Span,
    /// The resource that it is in or before, in its template.
    resource: String,
}

/// The suppressions in comments: one per resource that they apply to, and one for each unused
/// comment.
fn from_comments(
    resources: &[PropagatedResource],
    input: &ComparisonInput<'_>,
    from: CommentSide,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Suppression> {
    let mut suppressions = Vec::new();
    // What comments of the new template would permit if they counted.
    let mut withheld: Vec<Suppression> = Vec::new();
    let at: HashMap<&str, usize> =
        resources.iter().enumerate().map(|(at, it)| (it.decided.name.as_str(), at)).collect();
    for (side, flow, is_new) in
        [(input.new, &input.flows.new, true), (input.old, &input.flows.old, false)]
    {
        let mut read: HashMap<Option<&str>, Vec<SuppressionComment>> = HashMap::new();
        // Whether a comment applies to a change, and the first resource that it belongs to.
        let mut used: HashMap<Span, (bool, Option<Suppression>)> = HashMap::new();
        let mut order = Vec::new();
        for id in flow.ids() {
            let Some((url, document)) = template_document(side, flow, id) else { continue };
            let comments = read.entry(url).or_insert_with(|| {
                let mut found = Vec::new();
                let comments = comments(document, &mut found);
                // Unused comments of the old template need no warning.
                if is_new {
                    findings.extend(found);
                }
                comments
            });
            for comment in comments.iter() {
                let whole = flow.full_name(id, &comment.resource);
                let state = used.entry(comment.span).or_insert_with(|| {
                    order.push(comment.span);
                    (false, None)
                });
                for name in defined_resources(flow, id, &comment.resource) {
                    let Some(resource) = at.get(name.as_str()).map(|at| &resources[*at]) else {
                        continue;
                    };
                    if !allows_impact(Some(comment.impact), resource.effective_impact) {
                        continue;
                    }
                    let counts = match from {
                        CommentSide::Base => !is_new,
                        CommentSide::Head => is_new || !has_resource(&input.flows.new, &name),
                    };
                    if counts {
                        state.0 = true;
                        suppressions.push(suppression(comment, name));
                    } else if is_new {
                        state.0 = true;
                        withheld.push(suppression(comment, name));
                    }
                }
                // An unused comment of the old template is not reported.
                if is_new && !state.0 && state.1.is_none() {
                    state.1 = Some(suppression(comment, whole));
                }
            }
        }
        for place in order {
            if let Some((false, Some(suppression))) = used.remove(&place) {
                suppressions.push(suppression);
            }
        }
    }
    // One finding per comment, unless the old template contains the same one.
    let counted: HashSet<(&SuppressionTarget, Option<Impact>)> =
        suppressions.iter().map(|it| (&it.target, it.impact)).collect();
    withheld.retain(|it| !counted.contains(&(&it.target, it.impact)));
    withheld.dedup_by_key(|it| it.span);
    findings.extend(withheld.iter().map(comment_of_new_side));
    suppressions
}

/// The finding about a comment that does not count because the old template does not contain it.
fn comment_of_new_side(suppression: &Suppression) -> Diagnostic {
    let message = "this comment is part of the change that it permits and does not count";
    let help = "a change does not permit itself: only comments of the base count. Merge the comment first, or, if the approver reads it, use `--allow-from head`";
    let finding = Diagnostic::new(crate::codes::SUPPRESSION_IN_CHANGE, message).help(help);
    match suppression.span {
        Some(place) => finding.at(place),
        None => finding,
    }
}

fn suppression(comment: &SuppressionComment, whole: String) -> Suppression {
    Suppression {
        target: SuppressionTarget::Comment(whole),
        impact: Some(comment.impact),
        reason: Some(comment.reason.clone()),
        span: Some(comment.span),
        used: false,
    }
}

fn has_resource(flow: &Dataflow<'_>, whole: &str) -> bool {
    let found = flow.find(whole);
    found.is_some_and(|(id, name)| {
        flow.stack(id).evaluation.resources.as_ref().is_some_and(|all| all.contains_key(name))
    })
}

/// The template of a stack, with its URL unless it is the root stack.
pub(super) fn template_document<'a>(
    side: &'a DeploymentSide<'_>,
    flow: &Dataflow<'a>,
    id: StackId,
) -> Option<(Option<&'a str>, &'a Document)> {
    if id == ROOT {
        return Some((None, side.document));
    }
    let url = flow.stack(id).node.url()?;
    match &side.environment.files.get(url)?.content {
        FileContent::Template(document) => Some((Some(url), document)),
        FileContent::Text(_) | FileContent::Base64(_) => None,
    }
}

/// The full names of the resources in a definition: the resource, and members without a template of their own.
fn defined_resources(flow: &Dataflow<'_>, id: StackId, name: &str) -> Vec<String> {
    let mut found = vec![flow.full_name(id, name)];
    let Some(inner) = flow.inner(id, name) else { return found };
    let stack = flow.stack(inner);
    if stack.node.url().is_none() {
        for member in stack.stack.resources.keys() {
            found.extend(defined_resources(flow, inner, member));
        }
    }
    found
}

/// The lines of a resource in a template.
struct ResourceLines<'d> {
    name: &'d str,
    /// The first and the last line.
    lines: (u32, u32),
    /// The column where its key starts.
    column: u32,
}

/// The comments of a template that permit an impact.
fn comments(document: &Document, findings: &mut Vec<Diagnostic>) -> Vec<SuppressionComment> {
    let mut found = Vec::new();
    let (mut extents, mut lines) = (None, None);
    for comment in document.comments() {
        let place = Span::new(document.source(), comment.start, comment.end);
        let text = document.slice(place).trim_start_matches('#').trim();
        let Some(rest) = text.strip_prefix("hotplate:").map(str::trim) else { continue };
        let (word, rest) = split(rest);
        if word != "allow" {
            if did_you_mean(word, ["allow"]).is_some() {
                let message = format!("`{word}` is not a hotplate comment");
                findings.push(
                    Diagnostic::new(crate::codes::SUPPRESSION_UNKNOWN, message)
                        .at(place)
                        .help("did you mean `allow`?"),
                );
            }
            continue;
        }
        let (word, rest) = split(rest);
        let impact = match Impact::from_name(word.trim_end_matches([':', ','])) {
            Ok(impact) => impact,
            Err(unknown) => {
                let message = match word {
                    "" => "the comment does not name the impact to allow".to_owned(),
                    word => format!("`{word}` is not an impact"),
                };
                let finding = Diagnostic::new(crate::codes::SUPPRESSION_UNKNOWN, message).at(place);
                findings.push(match unknown.suggestion {
                    Some(near) => finding.help(format!("did you mean `{near}`?")),
                    None => finding.help("write `# hotplate: allow replace REASON`"),
                });
                continue;
            }
        };
        let reason = rest.trim_start_matches(|c: char| "-–—:,;".contains(c) || c.is_whitespace());
        if reason.is_empty() {
            let message = format!("allowing `{}` needs a reason", impact.name());
            let help = format!("write `# hotplate: allow {} REASON`", impact.name());
            findings.push(
                Diagnostic::new(source_diagnostics::codes::SUPPRESSION_WITHOUT_REASON, message)
                    .at(place)
                    .help(help),
            );
            continue;
        }
        let extents = extents.get_or_insert_with(|| self::resource_lines(document));
        let lines = lines.get_or_insert_with(|| CommentLines::of(document.text()));
        match resource_of_comment(document, extents, lines, comment.start) {
            Some(resource) => found.push(SuppressionComment {
                impact,
                reason: reason.to_owned(),
                span: place,
                resource: resource.to_owned(),
            }),
            None => {
                let message = "the comment is not at a resource";
                findings.push(
                    Diagnostic::new(source_diagnostics::codes::SUPPRESSION_UNUSED, message)
                        .at(place),
                );
            }
        }
    }
    found
}

/// The first word, and the rest.
fn split(text: &str) -> (&str, &str) {
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim()),
        None => (text, ""),
    }
}

fn resource_lines(document: &Document) -> Vec<ResourceLines<'_>> {
    let resources = document.root().and_then(|root| document.get(root, "resources"));
    let Some(resources) = resources else { return Vec::new() };
    let extent = |key: NodeId, value: NodeId| {
        let (start, end) = (document.span(key).start, document.span(value).end);
        let first = document.position(start);
        // A block may end after its last line.
        let text = document.text()[start as usize..end.max(start) as usize].trim_end();
        let last = document.position(start + u32::try_from(text.len()).unwrap_or(0));
        let name = document.str(key)?;
        Some(ResourceLines { name, lines: (first.line, last.line), column: first.column })
    };
    let entries = document.entries(resources).iter();
    let mut extents: Vec<ResourceLines<'_>> =
        entries.filter_map(|entry| extent(entry.key, entry.value)).collect();
    extents.sort_by_key(|extent| extent.lines);
    extents
}

/// The resource that a comment belongs to: the one whose lines contain it, or the one that follows with
/// only comments in between, unless the comment is indented like the preceding lines.
fn resource_of_comment<'e>(
    document: &Document,
    extents: &[ResourceLines<'e>],
    lines: &CommentLines,
    start: u32,
) -> Option<&'e str> {
    let at = document.position(start);
    let behind = extents.partition_point(|extent| extent.lines.0 <= at.line);
    let (before, after) = (behind.checked_sub(1).map(|it| &extents[it]), extents.get(behind));
    if let Some(extent) = before.filter(|extent| at.line <= extent.lines.1) {
        return Some(extent.name);
    }
    // Lines are counted from 1: these are the lines after the comment's, up to that of the key.
    let leads = after.filter(|extent| {
        at.column <= extent.column && lines.are_comments(at.line, extent.lines.0 - 1)
    });
    let trails = before.filter(|extent| {
        at.column > extent.column && lines.are_comments_or_blank(extent.lines.1, at.line)
    });
    leads.or(trails).map(|extent| extent.name)
}

/// How many lines of a text, up to each, are something else than a comment.
struct CommentLines {
    not_comments: Vec<u32>,
    /// Neither comments nor blank.
    content: Vec<u32>,
}

impl CommentLines {
    fn of(text: &str) -> Self {
        let mut lines = CommentLines { not_comments: vec![0], content: vec![0] };
        let [mut not_comments, mut content] = [0, 0];
        for line in text.lines().map(str::trim_start) {
            let is_comment = line.starts_with('#');
            not_comments += u32::from(!is_comment);
            content += u32::from(!is_comment && !line.is_empty());
            lines.not_comments.push(not_comments);
            lines.content.push(content);
        }
        lines
    }

    /// Whether all lines after the first `from` ones, up to that with the number `to`, are comments.
    fn are_comments(&self, from: u32, to: u32) -> bool {
        Self::are_none(&self.not_comments, from, to)
    }

    /// The same, or blank.
    fn are_comments_or_blank(&self, from: u32, to: u32) -> bool {
        Self::are_none(&self.content, from, to)
    }

    fn are_none(counts: &[u32], from: u32, to: u32) -> bool {
        let up_to = |line: u32| counts.get(line as usize).or(counts.last());
        from >= to || up_to(from) == up_to(to)
    }
}

#[cfg(test)]
mod tests;
