//! Walks the resources of a template and proposes the rewrites.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use super::members::{MemberDefinition, member_type};
use super::moves::{MoveForm, Renaming, ValueLimit, loop_keeps_keys, renamings};
use super::names::{KEEPS_MAPPING, exact_name, no_successor};
use super::successors::{SUCCESSORS, Succession, Successor, renamed};
use super::{Modernize, ModernizePlan, common, known_type, plugin_type};
use crate::codes;
use crate::upgrade::fragment::Fragment;
use crate::upgrade::rule::{Rewrite, RewriteEffect, TextChange};
use crate::upgrade::rules::{
    PROPERTY_NAME_RULE, PROPERTY_VALUE_RULE, SUCCESSOR_RULE, TYPE_NAME_RULE,
};
use crate::upgrade::value::to_value;
use heat_engine::eval::typed_properties::TranslatedItem;
use heat_template::hot::LoweredHot;
use heat_template::ir::types::{TypeSet, type_set_of};
use heat_template::ir::{Expr, ExprKind, Pair, UnaryFunction};
use heat_template::schema::{ResourceType, Schema, Support, SupportIn, SupportStatus};
use lossless_yaml::{Document, Entry, NodeId, NodeKind, Value};
use python_semantics::number::Integer;
use source_diagnostics::{Diagnostic, Span};

/// Plans the rewrites of a template; `replaced` are the nodes that other rewrites replace.
pub(in crate::upgrade) fn plan(
    document: &Document,
    lowered: &LoweredHot,
    schema: &'static Schema,
    modernize: &Modernize,
    replaced: &HashSet<NodeId>,
) -> ModernizePlan {
    let mut planner = Planner {
        document,
        lowered,
        schema,
        modernize,
        replaced,
        nodes: None,
        proposals: IndexMap::new(),
        findings: Vec::new(),
    };
    for (name, resource) in &lowered.stack.resources {
        let Some(kind) = &resource.kind else { continue };
        let properties = resource.properties.as_ref();
        planner.resource_type(&kind.text, kind.span, Some((name, properties)));
        planner.definition(&kind.text, properties);
    }
    planner.finish()
}

struct Planner<'a> {
    document: &'a Document,
    lowered: &'a LoweredHot,
    schema: &'static Schema,
    modernize: &'a Modernize,
    replaced: &'a HashSet<NodeId>,
    /// The scalars and the maps of the text by their spans, found when they are first needed.
    nodes: Option<NodesBySpan>,
    /// The proposals by the node that is rewritten.
    proposals: IndexMap<NodeId, Proposal>,
    findings: Vec<Diagnostic>,
}

#[derive(Default)]
struct NodesBySpan {
    scalars: HashMap<(u32, u32), NodeId>,
    maps: HashMap<(u32, u32), NodeId>,
}

struct Proposal {
    rule: &'static str,
    rewrite: Rewrite,
    /// In how many places of the template the node has the meaning for which it is rewritten.
    places: usize,
    /// The place of the whole that this is a part of: all of its parts are rewritten, or none.
    whole: Span,
}

impl Planner<'_> {
    /// A resource or a member of a group, without its type.
    fn definition(&mut self, kind: &str, properties: Option<&Expr>) {
        let Some(written) = properties else { return };
        let Some(info) = plugin_type(self.schema, self.modernize, kind) else { return };
        match MemberDefinition::of(kind, self.schema) {
            None => self.properties(&renamings(info, self.modernize.heat), written),
            Some(MemberDefinition::Definition(property)) => {
                if let Some(definition) = written.member(property) {
                    self.member(definition);
                } else if !matches!(written.kind, ExprKind::Map(_)) {
                    self.unseen(written, "the definition of the members");
                }
            }
            Some(MemberDefinition::Chain { types, properties }) => {
                let Some(ExprKind::List(kinds)) = written.member(types).map(|it| &it.kind) else {
                    self.unseen(written.member(types).unwrap_or(written), "the list of types");
                    return;
                };
                for kind in kinds {
                    if let Some(text) = kind.as_text() {
                        self.resource_type(text, kind.span, None);
                    }
                }
                let all = |kind: &Expr| {
                    let info = plugin_type(self.schema, self.modernize, kind.as_text()?)?;
                    Some(renamings(info, self.modernize.heat))
                };
                let of_all = common(kinds.iter().map(all));
                if let Some(written) = written.member(properties) {
                    self.properties(&of_all, written);
                }
            }
        }
    }

    fn member(&mut self, definition: &Expr) {
        match &definition.kind {
            ExprKind::Map(_) => {
                let Some(kind) = member_type(definition) else {
                    return self.unseen(definition, "the type of the members");
                };
                let text = kind.as_text().unwrap_or_default();
                self.resource_type(text, kind.span, None);
                self.definition(text, definition.member("properties"));
            }
            _ => self.unseen(definition, "the definition of the members"),
        }
    }

    fn properties(&mut self, renamings: &[Renaming], written: &Expr) {
        if !renamings.is_empty() {
            self.value(written, renamings, &mut Vec::new());
        }
    }

    fn value(&mut self, expr: &Expr, renamings: &[Renaming], scope: &mut Vec<&'static str>) {
        match &expr.kind {
            ExprKind::Map(pairs) => self.map(expr, pairs, renamings, scope),
            ExprKind::List(items) => {
                items.iter().for_each(|item| self.value(item, renamings, scope));
            }
            ExprKind::Choose(choice) => {
                self.value(&choice.then, renamings, scope);
                if let Some(otherwise) = &choice.otherwise {
                    self.value(otherwise, renamings, scope);
                }
            }
            ExprKind::Repeat(repeat)
                if loop_keeps_keys(repeat, renamings.iter().map(|it| &it.of)) =>
            {
                self.value(&repeat.template, renamings, scope);
            }
            ExprKind::Unary(UnaryFunction::Concat, lists) => self.value(lists, renamings, scope),
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::Bytes(_)
            | ExprKind::Date(_)
            | ExprKind::Set(_)
            | ExprKind::Invalid(_) => {}
            _ => self.computed(expr, renamings, scope),
        }
    }

    fn map(
        &mut self,
        map: &Expr,
        pairs: &[Pair],
        renamings: &[Renaming],
        scope: &mut Vec<&'static str>,
    ) {
        for renaming in renamings.iter().filter(|it| it.of.scope == *scope) {
            let has = |name: &str| pairs.iter().find(|pair| pair.key.as_text() == Some(name));
            let Some(pair) = has(renaming.old) else { continue };
            if has(renaming.new).is_some() {
                let message =
                    format!("`{}` and its old name `{}` are both set", renaming.new, renaming.old);
                let help = "Heat refuses both with a value; remove one of them";
                self.by_hand(pair.key.span, message, help);
            } else {
                self.rename(map, pair, renaming);
            }
        }
        for pair in pairs {
            let below = pair.key.as_text().and_then(|key| {
                let mut steps = renamings
                    .iter()
                    .filter(|it| it.of.scope.starts_with(scope))
                    .filter_map(|it| it.of.scope.get(scope.len()));
                steps.find(|step| **step == key)
            });
            if let Some(step) = below {
                scope.push(step);
                self.value(&pair.value, renamings, scope);
                scope.pop();
            }
        }
    }

    /// Proposes another name for a key, or says why it keeps its name.
    fn rename(&mut self, map: &Expr, pair: &Pair, renaming: &Renaming) {
        let Renaming { old, new, of } = renaming;
        let span = pair.key.span;
        let effect = match of.limit {
            ValueLimit::Any => RewriteEffect::Exact,
            ValueLimit::Data if pair.value.is_data() => RewriteEffect::Exact,
            ValueLimit::Data => {
                let message = format!("`{old}` keeps its old name: its value is computed");
                let help = format!(
                    "Heat moves the value of `{}` before it resolves functions, and refuses it then; write the value out to use `{new}`",
                    of.source
                );
                return self.by_hand(span, message, help);
            }
            ValueLimit::NotNull => match self.nullness(&pair.value) {
                Nullness::Never => RewriteEffect::Exact,
                Nullness::Always => {
                    let message = format!("`{old}` keeps its old name: its value is null");
                    let help = format!(
                        "remove `{old}`: with it the property has no value, with `{new}: null` it is an empty string"
                    );
                    return self.by_hand(span, message, help);
                }
                Nullness::Maybe => RewriteEffect::Conditional(format!(
                    "the value is not null (with `{old}: null` the property has no value, with `{new}: null` it is an empty string)"
                )),
            },
            ValueLimit::NotEmpty => match &pair.value.kind {
                ExprKind::Text(text) if !text.is_empty() => RewriteEffect::Exact,
                ExprKind::Resource(_) => RewriteEffect::Exact,
                ExprKind::Text(_) | ExprKind::Null => {
                    let message = format!("`{old}` has no effect: its value is empty");
                    return self.by_hand(span, message, "remove it".to_owned());
                }
                _ => RewriteEffect::Conditional(format!("`{old}` is not empty")),
            },
        };
        let Some(key) = self.scalar(span) else { return };
        let Some(map_node) = self.map_node(map.span) else { return };
        let NodeKind::Mapping(mapping) = self.document.kind(map_node) else { return };
        let entry = mapping.entries.iter().find(|it| it.key == key);
        let same = |it: &&Entry| self.document.str(it.key) == Some(*old);
        let (Some(entry), 0..=1) = (entry, mapping.written().iter().filter(same).count()) else {
            let message = format!("`{old}` occurs twice here");
            return self.by_hand(span, message, format!("keep one, as `{new}`"));
        };
        let mut changes = vec![TextChange::Scalar { node: key, text: (*new).to_owned() }];
        let rule = match of.form {
            MoveForm::Value => PROPERTY_NAME_RULE.name,
            MoveForm::Item(item) => {
                let node = entry.value;
                let value = self.moved(node, &pair.value, map_node);
                let Some(value) = value.filter(|_| !self.replaced.contains(&node)) else {
                    let message = format!(
                        "`{old}` keeps its old name: its value is an alias, or is rewritten, too"
                    );
                    let help = "run the command again with the result, or write the value out";
                    return self.by_hand(span, message, help);
                };
                let items = vec![item_of(item, value, map_node)];
                let with = Fragment::List { items, like: map_node };
                changes.push(TextChange::Node { node, with });
                PROPERTY_VALUE_RULE.name
            }
        };
        self.propose(rule, Rewrite::exact(key, changes).with_effect(effect), span);
    }

    /// The value of a property at another place; `None` for an alias.
    fn moved(&self, node: NodeId, value: &Expr, like: NodeId) -> Option<Fragment> {
        if self.document.resolve(node) != node || self.document.has_anchor(node) {
            return None;
        }
        if let Some(call) = self.lowered.calls.iter().find(|call| call.node == node) {
            let argument = Fragment::Node(call.entry.value);
            return Some(Fragment::call(call.function.name, argument, like));
        }
        to_value(value).map(Fragment::Literal)
    }

    /// A value that a function computes: old names in its arguments are not renamed.
    fn computed(&mut self, expr: &Expr, renamings: &[Renaming], scope: &[&'static str]) {
        let below: Vec<&Renaming> =
            renamings.iter().filter(|it| it.of.scope.starts_with(scope)).collect();
        if below.is_empty() {
            return;
        }
        let mut found = Vec::new();
        expr.walk(&mut |part: &Expr| {
            let ExprKind::Map(pairs) = &part.kind else { return };
            for pair in pairs {
                let old = below.iter().find(|it| pair.key.as_text() == Some(it.old));
                found.extend(old.map(|it| (pair.key.span, it.old, it.new)));
            }
        });
        if found.is_empty() {
            let names: Vec<String> = below.iter().map(|it| format!("`{}`", it.old)).collect();
            self.unseen(expr, &format!("whether this value contains {}", names.join(" or ")));
        }
        for (span, old, new) in found {
            let message = format!("`{old}` in an argument of a function keeps its name");
            let help = format!(
                "rename it to `{new}` where the result of the function has only one of both names"
            );
            self.by_hand(span, message, help);
        }
    }

    /// The type of a resource or of a member of a group; `owner` is the resource with its properties.
    fn resource_type(&mut self, kind: &str, span: Span, owner: Option<(&str, Option<&Expr>)>) {
        let heat = self.modernize.heat;
        let real = self.schema.real_name(kind);
        let exact = exact_name(self.schema, heat, kind);
        if self.modernize.maps(kind) || self.modernize.maps(&real) {
            if exact.is_some() {
                let message = format!("`{kind}` keeps its name: an environment maps it");
                self.by_hand(span, message, KEEPS_MAPPING);
            }
            return;
        }
        let Some(info) = known_type(self.schema, &real) else { return };
        if let Some(exact) = exact {
            if let Some(node) = self.scalar(span) {
                let changes = vec![TextChange::Scalar { node, text: exact.into_owned() }];
                self.propose(TYPE_NAME_RULE.name, Rewrite::exact(node, changes), span);
            }
            if info.support.substitute.is_some() {
                return;
            }
        }
        let SupportIn::Stage(stage) = info.support.in_release(heat) else { return };
        if !matches!(stage.status, SupportStatus::Deprecated | SupportStatus::Hidden) {
            return;
        }
        let row = SUCCESSORS.iter().find(|row| row.from == &*real);
        let row = row.filter(|row| {
            let new = self.schema.types.get(row.to);
            new.is_some_and(|new| new.support.in_release(heat).is_supported())
        });
        match (row, owner) {
            (Some(row), Some((name, properties))) => self.succeed(name, row, span, properties),
            (Some(row), None) => {
                let message = format!("the members of a group keep the type `{kind}`");
                let help =
                    format!("write `{}`, and check the attributes that the template reads", row.to);
                self.by_hand(span, message, help);
            }
            (None, _) => self.without_successor(kind, &real, info, stage, span),
        }
    }

    fn without_successor(
        &mut self,
        kind: &str,
        real: &str,
        info: &ResourceType,
        stage: &Support,
        span: Span,
    ) {
        let (message, help) =
            no_successor(self.schema, self.modernize.heat, kind, real, info, stage);
        self.by_hand(span, message, help);
    }

    /// Proposes the successor of a type with all names that differ.
    fn succeed(
        &mut self,
        name: &str,
        row: &'static Successor,
        span: Span,
        properties: Option<&Expr>,
    ) {
        let changes = match self.succession(name, row, properties) {
            Ok(changes) => changes,
            Err((at, problem)) => {
                let message = format!("`{}` does not become `{}`: {problem}", row.from, row.to);
                let help = "write the resource for the new type by hand; `hotplate schema` lists what it has".to_owned();
                return self.by_hand(at.unwrap_or(span), message, help);
            }
        };
        let also = row.condition.map_or_else(String::new, |it| format!("{it}, and "));
        let effect = RewriteEffect::Conditional(format!("{also}no stack with `{name}` is running"));
        let succession = Succession { resource: name.to_owned(), row };
        let Some(node) = self.scalar(span) else { return };
        let change = TextChange::Scalar { node, text: row.to.to_owned() };
        let rewrite =
            Rewrite::exact(node, vec![change]).with_effect(effect.clone()).succeeding(succession);
        self.propose(SUCCESSOR_RULE.name, rewrite, span);
        for (at, new, attribute) in changes {
            let Some(node) = self.scalar(at) else { continue };
            let change = TextChange::Scalar { node, text: new.to_owned() };
            let mut rewrite = Rewrite::exact(node, vec![change]).with_effect(effect.clone());
            if attribute {
                let new = Expr::new(ExprKind::Text(new.into()), Span::NOWHERE);
                rewrite = rewrite.declaring(at, new);
            }
            self.propose(SUCCESSOR_RULE.name, rewrite, span);
        }
    }

    /// The names that change with the type: their places, the new names, and whether they are attributes.
    #[expect(clippy::type_complexity, reason = "the parts of the only caller's loop")]
    fn succession(
        &self,
        name: &str,
        row: &'static Successor,
        properties: Option<&Expr>,
    ) -> Result<Vec<(Span, &'static str, bool)>, (Option<Span>, String)> {
        let Some(new) = self.schema.types.get(row.to) else {
            return Err((None, "it is unknown".to_owned()));
        };
        let mut changes = Vec::new();
        let mut given = Vec::new();
        match properties.map(|it| (&it.kind, it.span)) {
            None => {}
            Some((ExprKind::Map(pairs), _)) => {
                for pair in pairs {
                    let Some(old) = pair.key.as_text() else { continue };
                    let changed = renamed(row.properties, old);
                    let property = changed.unwrap_or(old);
                    if new.property(property).is_none() {
                        let problem = format!("it does not have the property `{old}`");
                        return Err((Some(pair.key.span), problem));
                    }
                    changes.extend(changed.map(|new| (pair.key.span, new, false)));
                    given.push(property);
                }
            }
            Some((_, span)) => return Err((Some(span), "the properties are computed".to_owned())),
        }
        let missing = new.properties.iter().find(|(name, it)| it.required && !given.contains(name));
        if let Some((missing, _)) = missing {
            return Err((None, format!("it requires the property `{missing}`")));
        }
        let mut problem = None;
        for expr in self.lowered.stack.expressions() {
            expr.walk(&mut |expr: &Expr| {
                let ExprKind::Attribute(reference) = &expr.kind else { return };
                match reference.resource.as_text() {
                    Some(resource) if resource == name => {}
                    Some(_) => return,
                    None => {
                        problem.get_or_insert((
                            expr.span,
                            "the name of the resource of an attribute is computed".to_owned(),
                        ));
                        return;
                    }
                }
                let Some(attribute) = &reference.attribute else {
                    problem.get_or_insert((
                        expr.span,
                        "the template reads all of its attributes".to_owned(),
                    ));
                    return;
                };
                let Some(old) = attribute.as_text() else {
                    problem.get_or_insert((
                        attribute.span,
                        "the name of an attribute is computed".to_owned(),
                    ));
                    return;
                };
                let changed = renamed(row.attributes, old);
                if new.attribute(changed.unwrap_or(old)).is_none() {
                    problem.get_or_insert((
                        attribute.span,
                        format!("it does not have the attribute `{old}`"),
                    ));
                }
                changes.extend(changed.map(|new| (attribute.span, new, true)));
            });
        }
        match problem {
            Some((span, problem)) => Err((Some(span), problem)),
            None => Ok(changes),
        }
    }

    fn nullness(&self, value: &Expr) -> Nullness {
        match &value.kind {
            ExprKind::Null => Nullness::Always,
            // Heat creates the resource first.
            ExprKind::Resource(_) => Nullness::Never,
            ExprKind::Choose(choice) => {
                let then = self.nullness(&choice.then);
                // Without it, the pair is left out.
                let otherwise = choice.otherwise.as_ref().map_or(then, |it| self.nullness(it));
                if then == otherwise { then } else { Nullness::Maybe }
            }
            _ => {
                let kinds = type_set_of(value, &self.lowered.stack, self.schema);
                if kinds.intersects(TypeSet::NULL) { Nullness::Maybe } else { Nullness::Never }
            }
        }
    }

    fn propose(&mut self, rule: &'static str, rewrite: Rewrite, whole: Span) {
        let node = rewrite.node;
        let proposal = self.proposals.entry(node);
        let proposal = proposal.or_insert(Proposal { rule, rewrite, places: 0, whole });
        proposal.places += 1;
    }

    fn by_hand(&mut self, span: Span, message: String, help: impl Into<String>) {
        let finding = Diagnostic::new(codes::MODERNIZE_BY_HAND, message).at(span).help(help);
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    fn unseen(&mut self, expr: &Expr, what: &str) {
        let message = format!("{what} is unknown: it is computed");
        let finding = Diagnostic::new(codes::MODERNIZE_UNSEEN, message).at(expr.span);
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    fn nodes(&mut self) -> &NodesBySpan {
        let document = self.document;
        self.nodes.get_or_insert_with(|| {
            let mut found = NodesBySpan::default();
            for (at, node) in document.nodes().iter().enumerate() {
                let (place, id) = ((node.start, node.end), NodeId(at as u32));
                match node.kind {
                    NodeKind::Text(_) => found.scalars.insert(place, id),
                    NodeKind::Mapping(_) => found.maps.insert(place, id),
                    _ => None,
                };
            }
            found
        })
    }

    fn scalar(&mut self, span: Span) -> Option<NodeId> {
        let found = self.nodes().scalars.get(&(span.start, span.end)).copied();
        if found.is_none() {
            self.by_hand(
                span,
                "this is written in a form that hotplate does not rewrite".to_owned(),
                "write it out as a plain key or text",
            );
        }
        found
    }

    fn map_node(&mut self, span: Span) -> Option<NodeId> {
        let own = self.nodes().maps.get(&(span.start, span.end)).copied();
        // An alias has a span of its own.
        let aliased = || {
            let document = self.document;
            let mut nodes = document.nodes().iter();
            let alias = nodes.find(|node| (node.start, node.end) == (span.start, span.end));
            match alias?.kind {
                NodeKind::Alias(target) => Some(target),
                _ => None,
            }
        };
        own.or_else(aliased)
    }

    /// Drops what an alias shares with places that do not want the rewrite.
    fn finish(mut self) -> ModernizePlan {
        let document = self.document;
        let aliases: Vec<(NodeId, NodeId)> = document
            .nodes()
            .iter()
            .enumerate()
            .filter_map(|(at, node)| match node.kind {
                NodeKind::Alias(target) => Some((NodeId(at as u32), target)),
                _ => None,
            })
            .collect();
        let mut dropped = HashSet::new();
        let mut memory = HashMap::new();
        for proposal in self.proposals.values() {
            let node = proposal.rewrite.node;
            if occurrences(document, &aliases, node, &mut memory) != proposal.places {
                dropped.insert(proposal.whole);
            }
        }
        let proposals = std::mem::take(&mut self.proposals);
        let mut rewrites = Vec::new();
        for proposal in proposals.into_values() {
            let Proposal { rule, rewrite, whole, .. } = proposal;
            let is_wanted =
                |places: &std::collections::BTreeSet<u32>| places.contains(&whole.start);
            if dropped.contains(&whole) {
                let message =
                    "an alias or a merge key shares this with a part in which it is something else";
                let help = "write it out in each of them";
                self.by_hand(document.span(rewrite.node), message.to_owned(), help);
            } else if self.modernize.places.as_ref().is_none_or(is_wanted) {
                rewrites.push((rule, rewrite));
            }
        }
        self.findings.sort_by_key(Diagnostic::span);
        ModernizePlan { rewrites, findings: self.findings }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Nullness {
    Never,
    Maybe,
    Always,
}

/// In how many places of the template a node occurs, through the aliases of the parts that contain it.
fn occurrences(
    document: &Document,
    aliases: &[(NodeId, NodeId)],
    node: NodeId,
    memory: &mut HashMap<NodeId, usize>,
) -> usize {
    if let Some(&known) = memory.get(&node) {
        return known;
    }
    let span = document.span(node);
    let mut count: usize = 1;
    for &(alias, target) in aliases {
        // An alias is behind the end of its anchor, so this ends.
        if document.span(target).contains(span) {
            count = count.saturating_add(occurrences(document, aliases, alias, memory));
        }
    }
    memory.insert(node, count);
    count
}

/// The text of an item that Heat creates of a value.
fn item_of(item: &TranslatedItem, value: Fragment, like: NodeId) -> Fragment {
    match item {
        TranslatedItem::Itself => value,
        TranslatedItem::Keyed(key, (other, number)) => {
            let number = Fragment::Literal(Value::Int(Integer::Small(*number)));
            Fragment::Map { pairs: vec![(key, value), (other, number)], like }
        }
    }
}
