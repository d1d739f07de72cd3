//! The steps of an upgrade: sites and rules, what the options allow, the new text, its proof.

use std::cell::Cell;
use std::collections::HashMap;

use super::dropped_spans::DroppedSpans;
use super::end_of_file::{moved_from_end, moved_to_end};
use super::modernize::{self, Modernize};
use super::rule::{
    self, PlannedRewrite, Rewrite, RewriteEffect, RuleContext, RuleOutcome, Site, TextChange,
};
use super::{
    AppliedRewrite, Status, Upgrade, UpgradeBlocker, UpgradeOptions, fragment, invalid, proof,
    render, rules, sites, strip_capabilities,
};
use heat_template::hot::{LoweredHot, Version};
use lossless_yaml::{Document, Entry, Limits, NodeId, NodeKind, as_sent};
use source_diagnostics::{Diagnostic, Span};

/// The upgrade of one template that Heat accepts.
pub(super) struct UpgradeEngine<'a> {
    pub(super) document: &'a Document,
    pub(super) options: &'a UpgradeOptions,
    pub(super) limits: &'a Limits,
    pub(super) from: Version,
    pub(super) node: NodeId,
}

impl UpgradeEngine<'_> {
    /// Plans the rewrites, applies them, and proves the result.
    pub(super) fn run(&self, declaration: &str, lowered: &LoweredHot, result: &mut Upgrade) {
        let (from, to) = (self.from, self.options.to);
        let mut planned = Vec::new();
        if self.document.str(self.node) != Some(declaration) {
            planned.push(PlannedRewrite {
                rule: rules::VERSION_RULE.name,
                rewrite: Rewrite::exact(
                    self.node,
                    vec![TextChange::Scalar { node: self.node, text: declaration.to_owned() }],
                ),
            });
        }
        if to != from {
            planned.extend(lowered.reinterpreted.iter().map(|part| PlannedRewrite {
                rule: rules::READ_AS_RULE.name,
                rewrite: rules::read_as(part, from, to),
            }));
            self.plan(lowered, &mut planned, &mut result.blockers);
        }
        if let Some(modernize) = &self.options.modernize {
            result.findings.extend(self.modernize(lowered, modernize, &mut planned));
        }
        if to != from || self.options.modernize.is_some() {
            self.prune(&mut planned, &mut result.blockers);
        }
        if self.options.strip_capabilities {
            let rule = rules::CAPABILITIES_RULE.name;
            match strip_capabilities::strip(self.document) {
                Some(Ok(rewrite)) => planned.push(PlannedRewrite { rule, rewrite }),
                Some(Err(blocked)) => result.blockers.push(blocker(rule, blocked)),
                None => {}
            }
        }
        if planned.is_empty() && result.blockers.is_empty() {
            return;
        }
        self.block_not_allowed(&planned, &mut result.blockers);
        result.blockers.sort_by_key(|blocker| blocker.finding.span());
        let blockers = std::mem::take(&mut result.blockers);
        result.blockers = group_by_cause(blockers, |blocker| &mut blocker.finding);
        result.findings.extend(lowered.findings.iter().cloned());

        let changes = planned.iter().flat_map(|planned| &planned.rewrite.changes);
        let renderer = render::Renderer::new(self.document, changes);
        result.rewrites = planned.iter().map(|it| applied(self.document, it, &renderer)).collect();
        result.rewrites.extend(renderer.declared().map(|(span, new)| AppliedRewrite {
            rule: rules::PARAMETER_RULE.name,
            span,
            old: self.document.slice(span).to_owned(),
            new: new.to_owned(),
            effect: RewriteEffect::Exact,
            resource: None,
            update: None,
        }));
        result
            .rewrites
            .sort_by_key(|applied| (applied.span.start, std::cmp::Reverse(applied.span.end)));
        if !result.blockers.is_empty() {
            result.status = Status::Blocked;
            return;
        }
        let edits = renderer.edits();
        let text = match edits.apply(self.document) {
            Ok(text) => text,
            Err(finding) => {
                result.status = Status::Unproved;
                result.findings.push(*finding);
                return;
            }
        };
        let rewrites: Vec<&Rewrite> = planned.iter().map(|planned| &planned.rewrite).collect();
        let prove = |text: &str| {
            let proposed = proof::ProposedText { text, edits: &edits, rewrites: &rewrites };
            proof::prove(self.document, lowered, &proposed, self.options, self.limits)
        };
        match prove(as_sent(&text)) {
            Ok(new_secrets) => {
                result.new_secrets = new_secrets;
                result.status = Status::upgraded(&result.rewrites);
                result.text = Some(text);
                result.edits = edits;
                if self.options.strip_capabilities {
                    result.findings.retain(|finding| {
                        finding.code != heat_template::codes::SECTION_NOT_IN_HEAT
                    });
                }
                result.findings.extend(lowered.hidden_defaults());
                let read_as =
                    rules::read_as_finding(&lowered.reinterpreted, self.document, from, to);
                result.findings.extend(read_as);
                let notes = rewrites.iter().filter_map(|rewrite| rewrite.note.clone());
                let conditional = result.rewrites.iter().filter_map(AppliedRewrite::condition);
                result.findings.extend(group_by_cause(notes.chain(conditional), |finding| finding));
            }
            Err(proof::ProofFailure::StillRefused) => {
                result.status = Status::Invalid;
                result.rewrites.clear();
                invalid::advise(&mut result.findings, (from, to), Diagnostic::is_error);
            }
            Err(failure) if prove(&text).is_ok() => {
                let at = failure.span().unwrap_or_else(|| self.document.span(self.node));
                result.status = Status::Blocked;
                result.blockers.push(blocker(rules::VERSION_RULE.name, moved_to_end(at)));
            }
            Err(failure) => self.unproved(lowered, &failure, result),
        }
    }

    /// Adds the rewrites for the release; those that the options do not allow are not needed for the version, so they
    /// block nothing. Returns what is left to do by hand.
    fn modernize(
        &self,
        lowered: &LoweredHot,
        modernize: &Modernize,
        planned: &mut Vec<PlannedRewrite>,
    ) -> Vec<Diagnostic> {
        let changes = planned.iter().flat_map(|planned| &planned.rewrite.changes);
        let replaced = changes.filter_map(|change| match change {
            TextChange::Node { node, .. } => Some(*node),
            _ => None,
        });
        let replaced = replaced.collect();
        let schema = self.options.schema;
        let plan = modernize::plan(self.document, lowered, schema, modernize, &replaced);
        let mut findings = plan.findings;
        for PlannedRewrite { rule, rewrite } in plan.rewrites {
            if !self.options.allows(rule) {
                continue;
            }
            if let (RewriteEffect::Conditional(condition), true) =
                (&rewrite.effect, self.options.exact_only)
            {
                let message =
                    format!("left as it is, since the rewrite is the same only if {condition}");
                findings.push(
                    Diagnostic::new(crate::codes::MODERNIZE_BY_HAND, message)
                        .labeled(self.document.span(rewrite.node), format!("rule `{rule}`"))
                        .help("without `--exact-only` it is rewritten"),
                );
                continue;
            }
            planned.push(PlannedRewrite { rule, rewrite });
        }
        group_by_cause(findings, |finding| finding)
    }

    /// Applies the rules to every site.
    fn plan(
        &self,
        lowered: &LoweredHot,
        planned: &mut Vec<PlannedRewrite>,
        blockers: &mut Vec<UpgradeBlocker>,
    ) {
        let spare = Cell::new(0);
        let spare_name = || loop {
            spare.set(spare.get() + 1);
            let name = format!("hotplate_literal_{}", spare.get());
            if !lowered.stack.parameters.contains_key(&name) {
                return name;
            }
        };
        let mut context = RuleContext {
            document: self.document,
            from: self.from,
            to: self.options.to,
            lowered,
            stack: &lowered.stack,
            facts: self.options.schema,
            forms: HashMap::new(),
            settled: HashMap::new(),
            spare_name: &spare_name,
        };
        let sites = sites::sites(self.document, lowered, self.options.to);
        for blocked in sites.conflicts {
            blockers.push(blocker(rules::RULES[rules::RULES.len() - 1].name, blocked));
        }
        for site in &sites.sites {
            let decided = rules::RULES
                .iter()
                .find_map(|rule| Some((rule.name, (rule.apply)(site, &context)?)));
            match decided {
                Some((rule, RuleOutcome::Rewrite(rewrite))) => {
                    let rewrite = *rewrite;
                    let out_of_reach = self
                        .out_of_reach(site, &rewrite)
                        .or_else(|| self.marked_twice(&rewrite, planned))
                        .or_else(|| self.unfinished(&rewrite));
                    if let Some(blocked) = out_of_reach {
                        blockers.push(blocker(rule, blocked));
                        continue;
                    }
                    if let Some(form) = &rewrite.form {
                        context.forms.insert(rewrite.node, form.clone());
                    }
                    if let Some(part) = rewrite.becomes {
                        context.settled.insert(rewrite.node, part);
                    }
                    planned.push(PlannedRewrite { rule, rewrite });
                }
                Some((rule, RuleOutcome::Blocked(blocked))) => {
                    blockers.push(blocker(rule, blocked))
                }
                None => {}
            }
        }
    }

    /// A blocker for a rewrite that would change more than its own node: text that an alias or a merge key brings in
    /// is used elsewhere too, and a duplicate key cannot be renamed only once.
    fn out_of_reach(&self, site: &Site<'_>, rewrite: &Rewrite) -> Option<rule::BlockedRewrite> {
        let document = self.document;
        let whole = document.span(rewrite.node);
        let outside = rewrite.changes.iter().any(|change| match change {
            TextChange::Scalar { node, .. } | TextChange::Node { node, .. } => {
                !whole.contains(document.span(*node))
            }
            TextChange::Delete { entry, .. } => !whole.contains(document.span(entry.key)),
            TextChange::Parameter { .. } => false,
        });
        let written_twice = rewrite.changes.iter().find_map(|change| match change {
            TextChange::Delete { map, entry } => {
                let NodeKind::Mapping(mapping) = document.kind(*map) else { return None };
                let name = document.str(entry.key);
                let same = |other: &&Entry| document.str(other.key) == name;
                (mapping.written().iter().filter(same).count() > 1).then_some(name?)
            }
            _ => None,
        });
        if let Some(name) = written_twice {
            let message = format!("the key `{name}` must be removed, but occurs twice here");
            return Some(rule::BlockedRewrite::new(whole, message).help("remove both by hand"));
        }
        let message = if outside {
            "this is shared with another part of the template through an alias or a merge key"
        } else if let Site::Call { call, .. } = site
            && !rewrite.changes.is_empty()
            && matches!(&document.node(call.node).kind,
                NodeKind::Mapping(mapping) if mapping.written_entries.is_some())
        {
            "the key occurs twice or comes from a merge key"
        } else {
            return None;
        };
        Some(rule::BlockedRewrite::new(whole, message).help("write the expression out here"))
    }

    /// A blocker for a rewritten expression with an anchor whose remaining part has one, too: a node has only one.
    /// A tag is dropped with the old form.
    fn marked_twice(
        &self,
        rewrite: &Rewrite,
        planned: &[PlannedRewrite],
    ) -> Option<rule::BlockedRewrite> {
        let document = self.document;
        let mark = |node: NodeId| {
            let start = document.span_with_properties(node).start;
            document.slice(Span { start, end: document.span(node).start, ..document.span(node) })
        };
        let replaced = |changed: NodeId| {
            let changes = planned.iter().flat_map(|planned| &planned.rewrite.changes);
            changes.rev().find_map(|change| match change {
                TextChange::Node { node, with } if *node == changed => Some(with),
                _ => None,
            })
        };
        for change in &rewrite.changes {
            let TextChange::Node { node, with } = change else { continue };
            // A tag is dropped with the node that it marked; an anchor stays.
            if !mark(*node).contains('&') {
                continue;
            }
            let mut with = Some(with);
            let mut inner = false;
            while let Some(fragment::Fragment::Node(part)) = with {
                inner |= mark(*part).contains('&');
                with = replaced(*part);
            }
            if !inner {
                continue;
            }
            let message =
                "the anchor of this expression and that of its part would mark the same node";
            let span = document.span_with_properties(*node);
            return Some(
                rule::BlockedRewrite::new(span, message).help("remove one of the anchors"),
            );
        }
        None
    }

    /// Removes rewrites and blockers in text that an outer rewrite drops. An alias that stays
    /// needs the part that it refers to.
    fn prune(&self, planned: &mut Vec<PlannedRewrite>, blockers: &mut Vec<UpgradeBlocker>) {
        let document = self.document;
        let replaced =
            planned.iter().flat_map(|planned| &planned.rewrite.changes).filter_map(|change| {
                let TextChange::Node { node, with } = change else { return None };
                let parts = with.nodes().into_iter();
                // An anchor is dropped with its part.
                let parts = parts.map(|part| document.span_with_properties(part)).collect();
                Some((document.span(*node), parts))
            });
        let left_out = DroppedSpans::new(replaced);
        planned.retain(|planned| !left_out.contains(document.span(planned.rewrite.node)));
        blockers
            .retain(|blocker| !blocker.finding.span().is_some_and(|span| left_out.contains(span)));
        if planned.iter().all(|planned| planned.rewrite.changes.is_empty()) {
            return;
        }
        let mut named = std::collections::HashSet::new();
        for (at, node) in document.nodes().iter().enumerate() {
            if let NodeKind::Alias(target) = node.kind
                && left_out.contains(document.span(target))
                && !left_out.contains(document.span(NodeId(at as u32)))
                && named.insert(target)
            {
                let message = "an alias elsewhere refers to this part, which would be removed";
                let blocked =
                    rule::BlockedRewrite::new(document.span_with_properties(target), message)
                        .help("write the part out instead of the alias");
                blockers.push(blocker(rules::RULES[rules::RULES.len() - 1].name, blocked));
            }
        }
    }

    /// Rewrites that the options do not allow block the whole file.
    fn block_not_allowed(&self, planned: &[PlannedRewrite], blockers: &mut Vec<UpgradeBlocker>) {
        for planned in planned {
            let span = self.document.span(planned.rewrite.node);
            let rule = planned.rule;
            let (message, help) = match &planned.rewrite.effect {
                _ if !self.options.allows(rule) => (
                    format!("the rule `{rule}` is not selected"),
                    format!("select it with `--select {rule}`, or omit `--ignore {rule}`"),
                ),
                RewriteEffect::Conditional(condition) if self.options.exact_only => {
                    (format!("the same only if {condition}"), how_to_check_condition(rule))
                }
                RewriteEffect::Exact | RewriteEffect::Conditional(_) => continue,
            };
            let finding = Diagnostic::new(crate::codes::UPGRADE_HELD_BACK, message)
                .labeled(span, format!("rule `{rule}`"))
                .help(help);
            blockers.push(UpgradeBlocker { rule: planned.rule, finding });
        }
    }

    fn unproved(&self, lowered: &LoweredHot, failure: &proof::ProofFailure, result: &mut Upgrade) {
        let shared =
            self.document.nodes().iter().any(|node| matches!(node.kind, NodeKind::Alias(_)));
        let refused = lowered.findings.iter().find(|finding| finding.is_error());
        let unfinished = self.unfinished_scalar().filter(|scalar| {
            let within = |span: Span| span.contains(*scalar) || scalar.contains(span);
            failure.span().is_some_and(within)
        });
        let at = |finding: Diagnostic| match failure.span() {
            Some(span) => finding.at(span),
            None => finding.at(self.document.span(self.node)),
        };
        let finding = if let Some(refused) = refused {
            let message =
                format!("Heat refuses the template before the upgrade: {}", refused.message);
            let finding = Diagnostic::new(crate::codes::UPGRADE_BLOCKED, message)
                .help("fix the template first");
            match refused.span() {
                Some(span) => finding.at(span),
                None => at(finding),
            }
        } else if let Some(scalar) = unfinished {
            let rule = rules::VERSION_RULE.name;
            result.status = Status::Blocked;
            result.blockers.push(blocker(rule, moved_from_end(scalar)));
            return;
        } else if shared {
            let message =
                "an alias shares this between parts of the template that need different rewrites";
            at(Diagnostic::new(crate::codes::UPGRADE_BLOCKED, message))
                .help("write the expression out in each of them")
        } else {
            result.status = Status::Unproved;
            let message = format!("the rewritten text was not proved: {}", failure.explain());
            result.findings.push(at(Diagnostic::new(crate::codes::PROOF_FAILED, message)));
            return;
        };
        result.status = Status::Blocked;
        let rule = rules::RULES[rules::RULES.len() - 1].name;
        result.blockers.push(UpgradeBlocker { rule, finding });
    }
}

/// A rewrite for reports: the bytes that its changes replace.
pub(super) fn applied(
    document: &Document,
    planned: &PlannedRewrite,
    renderer: &render::Renderer<'_>,
) -> AppliedRewrite {
    let spans = planned.rewrite.changes.iter().filter_map(|change| renderer.span_of(change));
    let span = spans
        .reduce(|one, other| Span {
            start: one.start.min(other.start),
            end: one.end.max(other.end),
            ..one
        })
        .unwrap_or_else(|| document.span(planned.rewrite.node));
    AppliedRewrite {
        rule: planned.rule,
        span,
        old: document.slice(span).to_owned(),
        new: renderer.after(span),
        effect: planned.rewrite.effect.clone(),
        resource: planned.rewrite.succession.as_ref().map(|it| it.resource.clone()),
        update: None,
    }
}

/// The help that says how to check the condition of a rewrite.
pub(super) fn how_to_check_condition(rule: &str) -> String {
    match rule {
        "group-attribute" => {
            "`openstack stack resource list -n 1 STACK` lists the members of the group".to_owned()
        }
        "type-successor" => {
            "`hotplate diff OLD NEW` shows what an update of a running stack replaces".to_owned()
        }
        _ => "`hotplate diff OLD NEW -e ENVIRONMENT` shows whether a value differs with your \
              parameters"
            .to_owned(),
    }
}

fn blocker(rule: &'static str, blocked: rule::BlockedRewrite) -> UpgradeBlocker {
    let mut finding = Diagnostic::new(crate::codes::UPGRADE_BLOCKED, blocked.message)
        .labeled(blocked.span, format!("rule `{rule}`"));
    finding.help.extend(blocked.help);
    UpgradeBlocker { rule, finding }
}

/// Merges findings with the same cause into one with all their spans, in the order of the first.
pub(super) fn group_by_cause<T>(
    items: impl IntoIterator<Item = T>,
    finding: impl Fn(&mut T) -> &mut Diagnostic,
) -> Vec<T> {
    let mut causes = indexmap::IndexMap::new();
    for mut item in items {
        let one = finding(&mut item);
        let label = one.primary.as_ref().map(|label| label.message.clone());
        let cause = (one.code, one.message.clone(), label, one.help.clone());
        match causes.entry(cause) {
            indexmap::map::Entry::Vacant(entry) => {
                entry.insert(item);
            }
            indexmap::map::Entry::Occupied(mut entry) => {
                let place = one.primary.take().into_iter();
                let places = place.chain(one.related.drain(..));
                finding(entry.get_mut()).related.extend(places);
            }
        }
    }
    causes.into_values().collect()
}
