//! Rewrites `Fn::Select` in all of its forms.
//!
//! Heat's rules: `docs/heat.md#fnselect`, `docs/heat.md#get_param`, `docs/heat.md#get_attr`.

use crate::fragment::Fragment;
use crate::rule::{
    BlockedRewrite, PathForm, Rewrite, RewriteEffect, Rule, RuleContext, RuleOutcome, Site,
    TextChange,
};
use crate::value::{from_json, to_value};
use heat_template::hot::{
    CallSite, FunctionMeaning, TEXT_PARAMETER, YaqlSelection, is_ambiguous, may_be_position,
    obstacle, select_index,
};
use heat_template::hot::{GroupAttribute, GroupValue, MemberCollection, MemberValue};
use heat_template::ir::graph::referenced_resources;
use heat_template::ir::types::TypeSet;
use heat_template::ir::{
    AttributeFetch, AttributeRef, Expr, ExprKind, ParameterType, Selection, Shared, Split,
    SplitPolicy,
};
use heat_template::schema::HeatGroup;
use lossless_yaml::{NodeId, Value};
use python_semantics::number::Integer;
use source_diagnostics::{Diagnostic, Span};

pub(crate) static RULE: Rule = Rule {
    name: "select",
    summary: "`Fn::Select` becomes the item, a path, `str_split` with an index, or yaql",
    effect: "exact for literal collections and for parameters of type comma_delimited_list; \
             conditional for json parameters (strings in the value may be JSON), attributes (a missing item is \
             null instead of the empty string), splits (a missing piece is an error), and yaql whose \
             result may exceed 200 items or 10,000 bytes; a blocker for string parameters, which it parses as JSON",
    documentation: include_str!("select.md"),
    source: "Heat 27, cfn.functions.Select, hot.functions.GetParam, attributes.select_from_attribute",
    apply,
};

const JSON_INSIDE: &str = "the selected collection is not a JSON string";

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Call { call, target } = site else { return None };
    if call.meaning != Some(FunctionMeaning::Select) {
        return None;
    }
    let document = context.document;
    let select = Select { call, context, span: document.span(call.node) };
    match (target, document.items(call.entry.value)) {
        (Some(FunctionMeaning::Select), &[index, collection]) => select.stays(index, collection),
        (Some(FunctionMeaning::Select), _) => None,
        (_, &[index, collection]) => select.rewrite(index, collection),
        _ => select.blocked("Heat refuses these arguments of `Fn::Select`"),
    }
}

struct Select<'a> {
    call: &'a CallSite,
    context: &'a RuleContext<'a>,
    span: Span,
}

/// True for a literal that may be an index.
fn is_scalar(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Text(_)
    )
}

fn synthetic(kind: ExprKind) -> Expr {
    Expr::new(kind, Span::NOWHERE)
}

impl Select<'_> {
    fn blocked(&self, message: &str) -> Option<RuleOutcome> {
        BlockedRewrite::new(self.span, message).done()
    }

    fn replace(&self, with: Fragment) -> Rewrite {
        let node = self.call.node;
        Rewrite::exact(node, vec![TextChange::Node { node, with }])
    }

    /// Handles a target that has `Fn::Select` too. If it treats the literal collection as a call, the
    /// selected item is written instead.
    fn stays(&self, index: NodeId, collection: NodeId) -> Option<RuleOutcome> {
        let whole = self.context.lower(self.call.node);
        let ExprKind::Map(pairs) = self.context.lower(collection).kind else { return None };
        let [pair] = pairs.as_slice() else { return None };
        let settled = !matches!(whole.kind, ExprKind::Select(_)) || whole.span != self.span;
        (settled && self.context.target_has(pair.key.as_text()?))
            .then(|| self.settled(&whole, index, collection))
            .flatten()
    }

    fn rewrite(&self, index: NodeId, collection: NodeId) -> Option<RuleOutcome> {
        let whole = self.context.lower(self.call.node);
        // A selected literal item may be a selection itself, with its own span.
        let selection = match &whole.kind {
            ExprKind::Select(selection) if whole.span == self.span => selection,
            _ => return self.settled(&whole, index, collection),
        };
        let collected = &selection.collection;
        if let Some(why) = obstacle(collected, self.context.stack, self.context.facts) {
            let blocked = BlockedRewrite::new(self.span, why);
            return match why == TEXT_PARAMETER {
                true => {
                    blocked.help("make the parameter a `comma_delimited_list` or `json`").done()
                }
                false => blocked.done(),
            };
        }
        match &selection.collection.kind {
            ExprKind::Parameter(_) => self.parameter(selection, index, collection),
            ExprKind::Attribute(attribute) => {
                self.attribute(selection, attribute, index, collection)
            }
            ExprKind::Split(split) if split.index.is_none() => {
                self.split(selection, split, index, collection)
            }
            ExprKind::Select(_) => match self.form(collection) {
                Some(form) if form.function == "get_param" => {
                    self.parameter_path(selection, form, index)
                }
                Some(form) if !self.depends_on_value(&selection.index) => {
                    self.attribute_path(selection, form, index, TypeSet::ANY)
                }
                _ => self.yaql(selection, index, collection),
            },
            ExprKind::Text(text) => match from_json(text) {
                Some(value @ (Value::List(_) | Value::Map(_))) => {
                    self.item_of(&value, selection, index)
                }
                Some(Value::Null) => self.literal(Value::Text(String::new())),
                _ => self.blocked("`Fn::Select` of a string that is not JSON fails in Heat"),
            },
            ExprKind::List(_) | ExprKind::Map(_) if is_scalar(&selection.index) => {
                self.blocked("Heat refuses this index into this literal collection")
            }
            _ => self.yaql(selection, index, collection),
        }
    }

    /// Rewrites a selection that lowering has resolved to an item of the template or a path.
    fn settled(&self, whole: &Expr, index: NodeId, collection: NodeId) -> Option<RuleOutcome> {
        let document = self.context.document;
        if let ExprKind::Parameter(reference) = &whole.kind
            && whole.span == self.span
            && let Some(form) = self.form(collection)
        {
            let mut form = form;
            // A float that Heat truncates must be written as an integer in a path.
            let last = reference.path.last()?;
            form.parts.push(match &last.kind {
                ExprKind::Int(value)
                    if !matches!(self.context.lower(index).kind, ExprKind::Int(_)) =>
                {
                    Fragment::Literal(Value::Int(value.clone()))
                }
                _ => Fragment::Node(index),
            });
            form.meaning = whole.clone();
            return self.path(form, None);
        }
        let index = self.context.lower(index);
        let (written, collection) = (collection, self.context.settled(collection));
        let items = document.items(collection);
        let item = match select_index(&index) {
            Some(at) if !items.is_empty() => {
                let at = if at < 0 { at + items.len() as i64 } else { at };
                usize::try_from(at).ok().and_then(|at| items.get(at).copied())
            }
            _ => index.as_text().and_then(|key| {
                // The pair of a call is not an item.
                matches!(self.context.lower(collection).kind, ExprKind::Map(_))
                    .then(|| document.get(collection, key))
                    .flatten()
            }),
        };
        // A part from elsewhere may be copied, but not with its anchors.
        let shared = !document.span(self.call.node).contains(document.span(collection));
        let copied = |item| !document.has_anchor(item);
        let with = match item {
            Some(item) if !shared || copied(item) => Fragment::Node(item),
            _ => match to_value(whole) {
                Some(value) => Fragment::Literal(value),
                None => return self.blocked("the selected item is behind an alias"),
            },
        };
        let mut rewrite = self.replace(with);
        rewrite.becomes = item;
        rewrite.form = item.and_then(|item| self.form(item));
        rewrite.note = self.lost_dependencies(whole, written);
        rewrite.done()
    }

    /// A warning if the other items of a literal collection refer to resources that the item does
    /// not refer to: the old form waits for them.
    fn lost_dependencies(&self, whole: &Expr, collection: NodeId) -> Option<Diagnostic> {
        let all = self.context.lower(collection);
        let kept = referenced_resources(whole);
        let lost: Vec<&str> =
            referenced_resources(&all).into_iter().filter(|name| !kept.contains(name)).collect();
        if lost.is_empty() {
            return None;
        }
        let names = lost.join("`, `");
        let finding = Diagnostic::new(
            crate::codes::DEPENDENCY_LOST,
            format!("the other items are removed, so this no longer waits for `{names}`"),
        );
        Some(finding.at(self.span).help("add the resources that must exist first to `depends_on`"))
    }

    /// Rewrites as a value that the template alone determines.
    fn literal(&self, value: Value) -> Option<RuleOutcome> {
        let meaning = crate::value::to_expr(&value, self.span);
        self.replace(Fragment::Literal(value)).declaring(self.span, meaning).done()
    }

    /// Rewrites as an item of a literal JSON text.
    fn item_of(&self, value: &Value, selection: &Selection, index: NodeId) -> Option<RuleOutcome> {
        if !is_scalar(&selection.index) {
            let meaning = crate::value::to_expr(value, Span::NOWHERE);
            let selection = Selection { index: selection.index.clone(), collection: meaning };
            return self.yaql_over(&selection, index, Fragment::Literal(value.clone()));
        }
        let item = match value {
            Value::List(items) => match select_index(&selection.index) {
                Some(at) => {
                    let at = if at < 0 { at + items.len() as i64 } else { at };
                    usize::try_from(at).ok().and_then(|at| items.get(at))
                }
                None => return self.blocked("Heat refuses this index: it is not a number"),
            },
            _ => match selection.index.as_text() {
                Some(key) => value.get(key),
                None => return self.blocked("Heat refuses this key: it is not a string"),
            },
        };
        self.literal(item.cloned().unwrap_or_else(|| Value::Text(String::new())))
    }

    /// The path form of a collection: as written, or after an inner rewrite.
    fn form(&self, node: NodeId) -> Option<PathForm> {
        let document = self.context.document;
        let node = document.resolve(node);
        if let Some(form) = self.context.forms.get(&node) {
            return Some(form.clone());
        }
        let (name, argument) = self.context.single(node)?;
        let (function, parts) = match name {
            "get_param" | "get_attr" => {
                let items = document.items(argument);
                let parts = if items.is_empty() { vec![argument] } else { items.to_vec() };
                (if name == "get_param" { "get_param" } else { "get_attr" }, parts)
            }
            "Ref" => ("get_param", vec![argument]),
            _ => return None,
        };
        let parts = parts.into_iter().map(Fragment::Node).collect();
        Some(PathForm { function, parts, meaning: self.context.lower(node), condition: None })
    }

    fn path(&self, form: PathForm, condition: Option<String>) -> Option<RuleOutcome> {
        let list = Fragment::List { items: form.parts.clone(), like: self.call.entry.value };
        let mut rewrite = self
            .replace(Fragment::call(form.function, list, self.call.node))
            .with_effect(RewriteEffect::under(condition.clone()));
        if condition.is_some() {
            rewrite = rewrite.declaring(self.span, form.meaning.clone());
        }
        rewrite.form = Some(PathForm { condition, ..form });
        rewrite.done()
    }

    fn parameter(
        &self,
        selection: &Selection,
        index: NodeId,
        collection: NodeId,
    ) -> Option<RuleOutcome> {
        match self.form(collection) {
            Some(form) => self.parameter_path(selection, form, index),
            None => self.yaql(selection, index, collection),
        }
    }

    fn parameter_path(
        &self,
        selection: &Selection,
        mut form: PathForm,
        index: NodeId,
    ) -> Option<RuleOutcome> {
        let list_of_texts = match &form.meaning.kind {
            ExprKind::Parameter(parameter) => {
                parameter.path.is_empty()
                    && parameter
                        .name
                        .as_text()
                        .and_then(|name| self.context.stack.parameters.get(name))
                        .is_some_and(|declared| declared.kind == Some(ParameterType::TextList))
            }
            _ => false,
        };
        let mut conditions: Vec<String> = form.condition.take().into_iter().collect();
        if !list_of_texts && !conditions.iter().any(|condition| condition.contains(JSON_INSIDE)) {
            conditions.push(JSON_INSIDE.to_owned());
        }
        let (part, meant) = match &selection.index.kind {
            ExprKind::Float(value) => match heat_template::hot::float_to_int(*value) {
                Some(whole) => {
                    let whole = Integer::Small(whole);
                    (Fragment::Literal(Value::Int(whole.clone())), synthetic(ExprKind::Int(whole)))
                }
                None => return self.blocked("Heat refuses this index"),
            },
            _ => (Fragment::Node(index), selection.index.clone()),
        };
        let shape = self.context.shape(&selection.index);
        if !shape.is_subset(TypeSet::TEXT.union(TypeSet::BOOLEAN))
            && !matches!(selection.index.kind, ExprKind::Int(_) | ExprKind::Float(_))
        {
            conditions.push("the index is an integer or a string".to_owned());
        }
        form.parts.push(part);
        if let ExprKind::Parameter(parameter) = &mut form.meaning.kind {
            parameter.to_mut().path.push(meant);
        }
        form.meaning.span = self.span;
        let condition = (!conditions.is_empty()).then(|| conditions.join("; "));
        self.path(form, condition)
    }

    fn attribute(
        &self,
        selection: &Selection,
        attribute: &AttributeRef,
        index: NodeId,
        collection: NodeId,
    ) -> Option<RuleOutcome> {
        let kind = self.context.resource_type(&attribute.resource);
        let shape = self.context.shape(&selection.collection);
        let members = match kind {
            Some(kind) => self.context.facts.has_members(kind),
            None => true,
        };
        if members {
            let member = kind.and_then(|kind| self.member(kind, selection, attribute, collection));
            return match member {
                Some(form) => self.member_path(form),
                None if self.context.target_has("yaql") => self.yaql(selection, index, collection),
                None => BlockedRewrite::new(
                    self.span,
                    "a path would be passed to the members of the group",
                )
                .help("refer to the member: `resource.0.ATTRIBUTE`")
                .done(),
            };
        }
        let (stack, facts) = (self.context.stack, self.context.facts);
        if self.context.target_has("yaql")
            && is_ambiguous(attribute, &selection.index, stack, facts)
        {
            return self.yaql(selection, index, collection);
        }
        match self.form(collection) {
            Some(form) => self.attribute_path(selection, form, index, shape),
            None => self.yaql(selection, index, collection),
        }
    }

    /// Whether only the value itself shows if this is a key or an index, as for `'0'`, and yaql is
    /// available to check it.
    fn depends_on_value(&self, index: &Expr) -> bool {
        may_be_position(index) && self.context.target_has("yaql")
    }

    /// The path form for an item of the list of a group's member attributes: the attribute of one
    /// member, which is addressed by its index.
    fn member(
        &self,
        kind: &str,
        selection: &Selection,
        attribute: &AttributeRef,
        collection: NodeId,
    ) -> Option<PathForm> {
        let index = select_index(&selection.index).filter(|index| *index >= 0)?;
        let name = attribute.attribute.as_ref()?.as_text()?;
        let form = self.form(collection)?;
        if attribute.fetch == AttributeFetch::WholeThenPath {
            return None;
        }
        let requested =
            GroupAttribute::of(HeatGroup::of(kind)?, name, &attribute.path, attribute.fetch);
        let GroupValue::Members(
            MemberCollection::List,
            MemberValue::Attribute { name: Some(name), path },
        ) = requested.value
        else {
            return None;
        };
        let skipped = form.parts.len().checked_sub(path.len())?;
        let member = format!("resource.{index}.{name}");
        let mut parts =
            vec![form.parts.first()?.clone(), Fragment::Literal(Value::Text(member.clone()))];
        parts.extend(form.parts.get(skipped..)?.iter().cloned());
        let meaning = AttributeRef {
            resource: attribute.resource.clone(),
            attribute: Some(synthetic(ExprKind::Text(member.into()))),
            path: path.to_vec(),
            fetch: AttributeFetch::PathToResource,
        };
        let meaning = Expr::new(ExprKind::Attribute(Shared::new(meaning)), self.span);
        Some(PathForm { function: "get_attr", parts, meaning, condition: None })
    }

    fn member_path(&self, form: PathForm) -> Option<RuleOutcome> {
        let condition = "the group has this member (a missing one is null or an error instead of the \
                         empty string), and the attribute is not a JSON string";
        self.path(form, Some(condition.to_owned()))
    }

    fn attribute_path(
        &self,
        selection: &Selection,
        mut form: PathForm,
        index: NodeId,
        shape: TypeSet,
    ) -> Option<RuleOutcome> {
        let list =
            shape.is_subset(TypeSet::LIST.union(TypeSet::NULL)) && !shape.is_subset(TypeSet::NULL);
        let number = match &selection.index.kind {
            ExprKind::Float(_) => select_index(&selection.index),
            ExprKind::Text(_) if list => select_index(&selection.index),
            _ => None,
        };
        let (part, meant) = match number {
            Some(number) => {
                let number = Integer::Small(number);
                (Fragment::Literal(Value::Int(number.clone())), synthetic(ExprKind::Int(number)))
            }
            None => (Fragment::Node(index), selection.index.clone()),
        };
        form.parts.push(part);
        if let ExprKind::Attribute(attribute) = &mut form.meaning.kind {
            let attribute = attribute.to_mut();
            attribute.path.push(meant);
            attribute.fetch = AttributeFetch::PathToResource;
        }
        form.meaning.span = self.span;
        let condition = "the item exists (a missing one is null instead of the empty string), and the \
                         attribute is not a JSON string";
        self.path(form, Some(condition.to_owned()))
    }

    fn split(
        &self,
        selection: &Selection,
        split: &Split,
        index: NodeId,
        collection: NodeId,
    ) -> Option<RuleOutcome> {
        let document = self.context.document;
        let call = self.context.single(self.context.settled(collection));
        let Some(&[delimiter, text]) = call.map(|(_, argument)| document.items(argument)) else {
            return self.yaql(selection, index, collection);
        };
        if !self.context.target_has("str_split") {
            return BlockedRewrite::new(
                self.span,
                format!("{} has no function that splits a string", self.context.to),
            )
            .done();
        }
        let items = vec![Fragment::Node(delimiter), Fragment::Node(text), Fragment::Node(index)];
        let list = Fragment::List { items, like: self.call.entry.value };
        let meaning = Split {
            delimiter: split.delimiter.clone(),
            text: split.text.clone(),
            index: Some(selection.index.clone()),
            policy: SplitPolicy::NullStays,
        };
        let why = "the string has this many pieces (a missing piece is an error instead of the \
                   empty string)";
        self.replace(Fragment::call("str_split", list, self.call.node))
            .with_effect(RewriteEffect::Conditional(why.into()))
            .declaring(self.span, Expr::new(ExprKind::Split(Shared::new(meaning)), self.span))
            .done()
    }

    fn yaql(
        &self,
        selection: &Selection,
        index: NodeId,
        collection: NodeId,
    ) -> Option<RuleOutcome> {
        self.yaql_over(selection, index, Fragment::Node(collection))
    }

    fn yaql_over(
        &self,
        selection: &Selection,
        index: NodeId,
        collection: Fragment,
    ) -> Option<RuleOutcome> {
        if !self.context.target_has("yaql") {
            return BlockedRewrite::new(
                self.span,
                format!("{} has no function that selects from this collection", self.context.to),
            )
            .help("target 2016-10-14 or later, which has yaql")
            .done();
        }
        let like = self.call.node;
        let chosen = YaqlSelection::of(&selection.collection);
        let data = Fragment::Map {
            pairs: vec![(chosen.collection, collection), (chosen.index, Fragment::Node(index))],
            like,
        };
        let expression = Fragment::Literal(Value::Text(chosen.expression.to_owned()));
        let arguments =
            Fragment::Map { pairs: vec![("expression", expression), ("data", data)], like };
        self.replace(Fragment::call("yaql", arguments, like))
            .with_effect(RewriteEffect::under(chosen.condition.map(str::to_owned)))
            .declaring(self.span, chosen.call(selection, self.span))
            .done()
    }
}
