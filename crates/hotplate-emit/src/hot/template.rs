//! Writes a template as HOT: every part in HOT's own order, with its comments, and with a comment in place
//! of everything that is lost.

use std::cell::Cell;
use std::sync::Arc;

use indexmap::IndexMap;

use super::key_value_spans::KeyValueSpans;
use super::loss;
use super::retention::Retention;
use super::substitutes::{Substitutes, tables_name};
use crate::comments::Comments;
use crate::kit::{Omission, Outdent, lost_comment};
use crate::tree::{DataNode, DataTree};
use crate::{EmitRequest, Loss, LossKind, Losses};
use heat_engine::environment::DeploymentFiles;
use heat_engine::eval::{KnownStack, PartialEvaluator, heat_yaql_options};
use heat_template::dialect::{Dialect, LoweredTemplate};
use heat_template::hot::{
    CAPABILITIES, HotLoss, Version, mistaken_for_call, raise_data, raise_with_alternatives,
};
use heat_template::ir::{
    ConstraintKind, DeletionPolicy, Expr, ExprKind, Output, Pair, Parameter, ParameterConstraint,
    ParameterGroup, Resource, Stack, UnknownKey,
};
use lossless_yaml::{Document, Value};
use source_diagnostics::Span;

/// Builds the template as a tree; what HOT cannot express is added to `losses`.
pub(super) fn write(
    request: &EmitRequest<'_>,
    lowered: &LoweredTemplate,
    version: Version,
    losses: &mut Losses,
) -> DataTree {
    let stack = &lowered.stack;
    let files = DeploymentFiles::default();
    let known = Arc::new(KnownStack::new(stack, request.schema, &IndexMap::new(), Arc::default()));
    let writer = HotWriter {
        version,
        dialect: lowered.template.dialect,
        document: request.document,
        comments: Comments::of_stack(Some(request.document), stack),
        places: KeyValueSpans::new(request.document),
        instead: Substitutes {
            schema: request.schema,
            stack,
            version,
            folding: PartialEvaluator::new(stack, &files, None, known, heat_yaql_options()),
            tables: tables_name(stack),
            looks_up: Cell::new(false),
        },
        losses,
        retains: request.options.retain,
    };
    writer.template(stack, request.options.strip_capabilities)
}

struct HotWriter<'a> {
    version: Version,
    dialect: Dialect,
    document: &'a Document,
    comments: Comments<'a>,
    places: KeyValueSpans,
    instead: Substitutes<'a>,
    losses: &'a mut Losses,
    /// Whether resources remain when their stack is deleted.
    retains: bool,
}

/// The first key of a template.
const VERSION: &str = "heat_template_version";

/// The pairs of a map, in the order in which they are written.
type Pairs = Vec<(String, DataTree)>;

impl HotWriter<'_> {
    fn template(mut self, stack: &Stack, strip_capabilities: bool) -> DataTree {
        let mut root = Pairs::new();
        let version = self.at_value(stack.format.span, |this| {
            DataTree::from(Value::Date(this.version.date().to_owned()))
        });
        root.push((VERSION.to_owned(), version));
        self.data(&mut root, "description", stack.description.as_ref());
        if !strip_capabilities && !stack.capabilities.is_empty() {
            self.section(&mut root, CAPABILITIES, |this| {
                this.members(&stack.capabilities, |this, capability| {
                    this.at_name(capability.name_span, |this| this.literal(&capability.value))
                })
            });
        }
        if !stack.groups.is_empty() {
            self.section(&mut root, "parameter_groups", |this| {
                let group = |this: &mut Self, group: &ParameterGroup| {
                    this.at_value(group.value.span, |this| this.literal(&group.value))
                };
                DataTree::list(stack.groups.iter().map(|it| group(this, it)).collect::<Vec<_>>())
            });
        }
        let parameters = root.len();
        if !stack.parameters.is_empty() {
            self.section(&mut root, "parameters", |this| {
                this.members(&stack.parameters, |this, parameter| {
                    this.at_name(parameter.name_span, |this| this.parameter(parameter))
                })
            });
        }
        if !stack.conditions.is_empty() {
            let says = self.version >= Version::V2016_10_14;
            self.section(&mut root, "conditions", |this| match says {
                true => this.members(&stack.conditions, |this, condition| {
                    this.at_name(condition.name_span, |this| this.value(&condition.value))
                }),
                false => {
                    let spans = stack.conditions.values().map(|condition| condition.name_span);
                    let unexpressed: Vec<_> =
                        spans.map(|span| this.section_loss("conditions", span)).collect();
                    let lines =
                        unexpressed.iter().flat_map(|unexpressed| this.report_loss(unexpressed));
                    DataTree::comment(lines.collect::<Vec<_>>())
                }
            });
        }
        if !stack.resources.is_empty() {
            self.section(&mut root, "resources", |this| {
                this.members(&stack.resources, |this, resource| {
                    this.at_name(resource.name_span, |this| this.resource(resource))
                })
            });
        }
        if !stack.outputs.is_empty() {
            self.section(&mut root, "outputs", |this| {
                this.members(&stack.outputs, |this, output| {
                    this.at_name(output.name_span, |this| this.output(output))
                })
            });
        }
        // Only now is it known whether anything is looked up in the tables.
        if self.instead.looks_up.get() {
            let tables = (self.instead.tables.clone(), self.tables(stack));
            match root.get_mut(parameters) {
                Some((name, DataTree { kind: DataNode::Map(pairs), .. }))
                    if name == "parameters" =>
                {
                    pairs.push(tables);
                }
                _ => root.insert(parameters, ("parameters".to_owned(), DataTree::map([tables]))),
            }
        }
        self.report_extensions(&mut root, &stack.extensions);
        let rest = self.comments.take_rest();
        if !rest.is_empty() {
            root.push((String::new(), DataTree::comment(rest)));
        }
        DataTree::map(root)
    }

    // --- comments --------------------------------------------------------------------------------

    /// Adds the comments of the value at `span` to what `make` builds.
    fn at_value(&mut self, span: Span, make: impl FnOnce(&mut Self) -> DataTree) -> DataTree {
        self.commented(self.places.key_of(span), span, make)
    }

    /// Adds the comments of the part whose name is at `name` to what `make` builds.
    fn at_name(&mut self, name: Span, make: impl FnOnce(&mut Self) -> DataTree) -> DataTree {
        self.commented(name, self.places.value_of(name), make)
    }

    /// Comments above and beside the key are taken first: all of a flow collection is on one line. Comments
    /// in the value that nothing inside takes belong to the whole value.
    fn commented(
        &mut self,
        key: Span,
        value: Span,
        make: impl FnOnce(&mut Self) -> DataTree,
    ) -> DataTree {
        let (mut lines, beside) = self.comments.take_around(key);
        let tree = make(self);
        let behind = Span { start: key.end.min(value.start), ..value };
        lines.extend(self.comments.take_inside(behind));
        lines.extend(self.comments.take_indented(key));
        tree.above(lines).beside(beside)
    }

    // --- parts -----------------------------------------------------------------------------------

    fn section(
        &mut self,
        root: &mut Pairs,
        name: &'static str,
        make: impl FnOnce(&mut Self) -> DataTree,
    ) {
        let key = self.dialect.key_name(name);
        let entry = self.document.root().and_then(|root| self.document.entry(root, key));
        let tree = match entry {
            Some(entry) => {
                let (key, value) = (self.document.span(entry.key), self.document.span(entry.value));
                self.commented(key, value, make)
            }
            None => make(self),
        };
        root.push((name.to_owned(), tree));
    }

    fn members<T>(
        &mut self,
        members: &IndexMap<String, T>,
        mut make: impl FnMut(&mut Self, &T) -> DataTree,
    ) -> DataTree {
        let pairs = members.iter().map(|(name, member)| (name.clone(), make(self, member)));
        DataTree::map(pairs.collect::<Pairs>())
    }

    fn data(&mut self, pairs: &mut Pairs, key: &str, value: Option<&Expr>) {
        if let Some(value) = value {
            let tree = self.at_value(value.span, |this| this.literal(value));
            pairs.push((key.to_owned(), tree));
        }
    }

    fn computed(&mut self, pairs: &mut Pairs, key: &str, value: Option<&Expr>) {
        if let Some(value) = value {
            let tree = self.at_value(value.span, |this| this.value(value));
            pairs.push((key.to_owned(), tree));
        }
    }

    /// The parameter that holds the tables of constants.
    fn tables(&mut self, stack: &Stack) -> DataTree {
        let mut pairs = Pairs::new();
        pairs.push(("type".to_owned(), DataTree::from("json")));
        pairs.push((
            "description".to_owned(),
            DataTree::from("constants that the template looks up"),
        ));
        self.section(&mut pairs, "mappings", |this| {
            this.members(&stack.mappings, |this, mapping| {
                this.at_name(mapping.name_span, |this| this.literal(&mapping.value))
            })
        });
        if let Some((key, _)) = pairs.last_mut() {
            *key = "default".to_owned();
        }
        DataTree::map(pairs)
    }

    fn parameter(&mut self, parameter: &Parameter) -> DataTree {
        let mut pairs = Pairs::new();
        if let Some(kind) = parameter.kind {
            let name = kind.hot_name();
            let key = self.dialect.key_name("type");
            let map = self.places.map_at(self.places.value_of(parameter.name_span));
            let tree = match map.and_then(|map| self.document.get(map, key)) {
                Some(node) => self.at_value(self.document.span(node), |_| DataTree::from(name)),
                None => DataTree::from(name),
            };
            pairs.push(("type".to_owned(), tree));
        }
        self.data(&mut pairs, "label", parameter.label.as_ref());
        self.data(&mut pairs, "description", parameter.description.as_ref());
        self.data(&mut pairs, "default", parameter.default.as_ref());
        self.data(&mut pairs, "hidden", parameter.hidden.as_ref());
        self.data(&mut pairs, "immutable", parameter.immutable.as_ref());
        if let Some(tags) = &parameter.tags {
            if self.version < Version::V2018_03_02 {
                self.lost_key(&mut pairs, "tags", tags.span);
            } else {
                self.data(&mut pairs, "tags", Some(tags));
            }
        }
        let mut constraints = Vec::new();
        for constraint in &parameter.constraints {
            match &constraint.kind {
                ConstraintKind::Modulo(operand) if self.version < Version::V2017_02_24 => {
                    self.lost_key(&mut pairs, "modulo", operand.span);
                }
                _ => constraints.push(self.constraint(constraint)),
            }
        }
        if !constraints.is_empty() {
            let tree = DataTree::list(constraints);
            let tree = match self.dialect {
                // The comments of the key itself.
                Dialect::Hot(_) => {
                    let key = parameter.constraints.first().map(|first| first.span);
                    self.around_list(key, tree)
                }
                Dialect::Cfn(_) => tree,
            };
            pairs.push(("constraints".to_owned(), tree));
        }
        for extension in &parameter.extensions {
            self.data(&mut pairs, &extension.name.text, Some(&extension.value));
        }
        DataTree::map(pairs)
    }

    fn constraint(&mut self, constraint: &ParameterConstraint) -> DataTree {
        let (name, operand) = match &constraint.kind {
            ConstraintKind::Range(operand) => ("range", operand),
            ConstraintKind::Length(operand) => ("length", operand),
            ConstraintKind::Modulo(operand) => ("modulo", operand),
            ConstraintKind::AllowedValues(operand) => ("allowed_values", operand),
            ConstraintKind::AllowedPattern(operand) => ("allowed_pattern", operand),
            ConstraintKind::Custom(operand) => ("custom_constraint", operand),
            // A template with such an entry has been rejected before.
            ConstraintKind::Missing => return DataTree::map(Pairs::new()),
        };
        let make = |this: &mut Self| {
            let mut pairs = Pairs::new();
            let tree = this.at_value(operand.span, |this| this.literal(operand));
            pairs.push((name.to_owned(), tree));
            this.data(&mut pairs, "description", constraint.description.as_ref());
            DataTree::map(pairs)
        };
        match self.dialect {
            Dialect::Hot(_) => self.at_value(constraint.span, make),
            Dialect::Cfn(_) => make(self),
        }
    }

    /// Adds the comments of a key whose value is the list that contains `item`.
    fn around_list(&mut self, item: Option<Span>, tree: DataTree) -> DataTree {
        match item.and_then(|item| self.places.list_of(item)) {
            Some(list) => self.at_value(list, |_| tree),
            None => tree,
        }
    }

    fn resource(&mut self, resource: &Resource) -> DataTree {
        let mut pairs = Pairs::new();
        if let Some(kind) = &resource.kind {
            let tree = self.at_value(kind.span, |_| DataTree::from(kind.text.as_str()));
            pairs.push(("type".to_owned(), tree));
        }
        self.data(&mut pairs, "description", resource.description.as_ref());
        for (key, value) in
            [("external_id", &resource.external_id), ("condition", &resource.condition)]
        {
            match value {
                Some(value) if self.version < Version::V2016_10_14 => {
                    self.lost_key(&mut pairs, key, value.span);
                }
                _ => self.computed(&mut pairs, key, value.as_ref()),
            }
        }
        if let Some(span) = resource.depends_on_span {
            let tree = self.at_value(span, |this| {
                let names = resource.depends_on.iter().map(|name| {
                    // A single name is not inside a list.
                    let place = if name.span == span { Span::NOWHERE } else { name.span };
                    this.at_value(place, |_| DataTree::from(name.text.as_str()))
                });
                DataTree::list(names.collect::<Vec<_>>())
            });
            pairs.push(("depends_on".to_owned(), tree));
        }
        let is_retained = self.retains && Retention::of(resource) != Retention::Inside;
        let retained = is_retained.then_some(&DeletionPolicy::Retain);
        if let Some(policy) = retained.or(resource.deletion_policy.as_ref()) {
            let span = resource.deletion_policy_span.unwrap_or(Span::NOWHERE);
            let tree = self.at_value(span, |this| match policy {
                DeletionPolicy::Delete => DataTree::from("Delete"),
                DeletionPolicy::Retain => DataTree::from("Retain"),
                DeletionPolicy::Snapshot => DataTree::from("Snapshot"),
                DeletionPolicy::Other(expr) => this.value(expr),
            });
            pairs.push(("deletion_policy".to_owned(), tree));
        }
        self.computed(&mut pairs, "update_policy", resource.update_policy.as_ref());
        self.computed(&mut pairs, "metadata", resource.metadata.as_ref());
        self.computed(&mut pairs, "properties", resource.properties.as_ref());
        self.report_extensions(&mut pairs, &resource.extensions);
        DataTree::map(pairs)
    }

    fn output(&mut self, output: &Output) -> DataTree {
        let mut pairs = Pairs::new();
        self.data(&mut pairs, "description", output.description.as_ref());
        match &output.condition {
            Some(condition) if self.version < Version::V2016_10_14 => {
                self.lost_key(&mut pairs, "condition", condition.span);
            }
            condition => self.computed(&mut pairs, "condition", condition.as_ref()),
        }
        self.computed(&mut pairs, "value", output.value.as_ref());
        self.report_extensions(&mut pairs, &output.extensions);
        DataTree::map(pairs)
    }

    /// Reports keys that Heat ignores, or rejects in HOT: they have no effect and no counterpart.
    fn report_extensions(&mut self, pairs: &mut Pairs, extensions: &[UnknownKey]) {
        for extension in extensions {
            let name = &extension.name;
            let message = match self.dialect {
                Dialect::Hot(_) => format!("Heat ignores `{}` here", name.text),
                Dialect::Cfn(_) => {
                    format!("Heat ignores `{}` here, and HOT has no such key", name.text)
                }
            };
            let span = Span { end: extension.value.span.end.max(name.span.end), ..name.span };
            let lines = self.loss_comment(&message, span);
            self.losses.add(Loss::new(LossKind::Section, name.text.as_str(), message, name.span));
            let tree = self.at_name(name.span, |_| DataTree::comment(lines));
            match pairs.first() {
                // Nothing follows at the end of the template.
                Some((first, _)) if first == VERSION => pairs.push((name.text.to_string(), tree)),
                _ => insert_comment(pairs, &name.text, tree),
            }
        }
    }

    // --- losses ----------------------------------------------------------------------------------

    fn section_loss(&self, what: &str, span: Span) -> HotLoss {
        let message = format!("{} cannot express {what}", self.version);
        HotLoss { what: what.to_owned(), is_value: false, is_dropped: false, message, span }
    }

    /// Reports a loss; returns the lines of the comment in its place.
    fn report_loss(&mut self, unexpressed: &HotLoss) -> Vec<String> {
        self.losses.add(loss(unexpressed, self.version));
        let whole = match unexpressed.is_value {
            true => unexpressed.span,
            false => {
                let key = self.places.key_of(unexpressed.span);
                let value = self.places.value_of(key);
                Span { end: value.end.max(key.end), ..key }
            }
        };
        self.loss_comment(&unexpressed.message, whole)
    }

    fn loss_comment(&self, message: &str, span: Span) -> Vec<String> {
        lost_comment(Omission::Lost, message, self.document.slice(span), Outdent::Column(0))
    }

    fn lost_key(&mut self, pairs: &mut Pairs, key: &str, span: Span) {
        let unexpressed = self.section_loss(&format!("`{key}`"), span);
        let tree = self.at_value(span, |this| DataTree::comment(this.report_loss(&unexpressed)));
        insert_comment(pairs, key, tree);
    }

    // --- values ----------------------------------------------------------------------------------

    /// Data in which nothing is interpreted as a function call.
    fn literal(&mut self, expr: &Expr) -> DataTree {
        match collection(expr, |_| false) {
            Some(found) => self.collected(found, Self::literal),
            None => DataTree::from(raise_data(expr)),
        }
    }

    fn value(&mut self, expr: &Expr) -> DataTree {
        let version = self.version;
        if let Some(found) = collection(expr, |pairs| mistaken_for_call(pairs, version).is_some()) {
            return self.collected(found, Self::value);
        }
        let (value, unexpressed) = raise_with_alternatives(expr, self.version, &self.instead);
        let mut lines = Vec::new();
        for (at, one) in unexpressed.iter().enumerate() {
            let remark = self.report_loss(one);
            // A loss inside another one is shown there.
            let around = |other: &HotLoss| other.span != one.span && other.span.contains(one.span);
            let again = unexpressed[..at].iter().any(|other| other.span == one.span);
            if !again && !unexpressed.iter().any(around) {
                lines.extend(remark);
            }
        }
        DataTree::from(value).above(lines)
    }

    fn collected(
        &mut self,
        found: Collection<'_>,
        make: fn(&mut Self, &Expr) -> DataTree,
    ) -> DataTree {
        match found {
            Collection::Map(pairs) => DataTree::map(
                pairs
                    .into_iter()
                    .map(|(key, value)| {
                        (key.to_owned(), self.at_value(value.span, |this| make(this, value)))
                    })
                    .collect::<Pairs>(),
            ),
            Collection::List(items) => DataTree::list(
                items
                    .iter()
                    .map(|item| self.at_value(item.span, |this| make(this, item)))
                    .collect::<Vec<_>>(),
            ),
        }
    }
}

/// A list, or a map that a tree can hold and that is not a function call.
fn collection<'e>(expr: &'e Expr, is_call: impl Fn(&[Pair]) -> bool) -> Option<Collection<'e>> {
    match &expr.kind {
        ExprKind::List(items) if !items.is_empty() => Some(Collection::List(items)),
        ExprKind::Map(pairs) if !pairs.is_empty() && !is_call(pairs) => {
            let pair = |pair: &'e Pair| Some((pair.key.as_text()?, &pair.value));
            pairs.iter().map(pair).collect::<Option<_>>().map(Collection::Map)
        }
        _ => None,
    }
}

/// Inserts a comment before everything else: after the last key, it would belong to the next part when
/// the text is parsed again.
fn insert_comment(pairs: &mut Pairs, key: &str, tree: DataTree) {
    let at = pairs.iter().take_while(|(_, tree)| tree.kind == DataNode::Comment).count();
    pairs.insert(at, (key.to_owned(), tree));
}

/// A list or map in which comments may stand.
enum Collection<'e> {
    Map(Vec<(&'e str, &'e Expr)>),
    List(&'e [Expr]),
}
