//! A template as HOT: every part in HOT's own order, its comments with it, and in the place of what is
//! lost a comment that says so.

use std::cell::Cell;

use indexmap::IndexMap;

use super::instead::{Substitutes, tables_name};
use super::loss;
use super::places::Places;
use crate::dialect::{Dialect, Lowered};
use crate::diagnostics::Span;
use crate::emit::comments::Comments;
use crate::emit::tree::{Branch, Tree};
use crate::emit::{Loss, LossKind, Losses, Request};
use crate::environment::Files;
use crate::eval::Folding;
use crate::hot::{CAPABILITIES, Unsaid, Version, raise_data, raise_or, taken_for};
use crate::ir::{
    Constraint, ConstraintKind, DeletionPolicy, Expr, ExprKind, Extension, Output, Parameter,
    ParameterType, Resource, Stack,
};
use crate::source::{Document, Value};

/// The template as a tree; what it cannot say goes to `losses`.
pub(super) fn write(
    request: &Request<'_>,
    lowered: &Lowered,
    version: Version,
    losses: &mut Losses,
) -> Tree {
    let stack = &lowered.stack;
    let files = Files::default();
    let writer = Writer {
        version,
        dialect: lowered.template.dialect,
        document: request.document,
        comments: Comments::new(Some(request.document)),
        places: Places::new(request.document),
        instead: Substitutes {
            version,
            folding: Folding::new(stack, &files, None, &IndexMap::new()),
            tables: tables_name(stack),
            looks_up: Cell::new(false),
        },
        losses,
    };
    writer.template(stack, request.options.strip_capabilities)
}

struct Writer<'a> {
    version: Version,
    dialect: Dialect,
    document: &'a Document,
    comments: Comments<'a>,
    places: Places,
    instead: Substitutes<'a>,
    losses: &'a mut Losses,
}

/// The pairs of a map in the order in which they are written.
type Pairs = Vec<(String, Tree)>;

impl Writer<'_> {
    fn template(mut self, stack: &Stack, strip_capabilities: bool) -> Tree {
        let mut root = Pairs::new();
        let version = Tree::from(Value::Date(self.version.date().to_owned()));
        let version = self.with_comments(stack.format.span, version);
        root.push(("heat_template_version".to_owned(), version));
        self.data(&mut root, "description", stack.description.as_ref());
        if !strip_capabilities && !stack.capabilities.is_empty() {
            let members = stack.capabilities.iter().map(|(name, capability)| {
                let tree = self.literal(&capability.value);
                (name.clone(), self.member(capability.name_span, tree))
            });
            let members = Tree::map(members.collect::<Pairs>());
            self.section(&mut root, CAPABILITIES, members);
        }
        if !stack.groups.is_empty() {
            let groups = stack.groups.iter().map(|group| {
                let tree = self.literal(&group.value);
                self.with_comments(group.value.span, tree)
            });
            let groups = Tree::list(groups.collect::<Vec<_>>());
            self.section(&mut root, "parameter_groups", groups);
        }
        let mut parameters = Pairs::new();
        for (name, parameter) in &stack.parameters {
            let tree = self.parameter(parameter);
            parameters.push((name.clone(), self.member(parameter.name_span, tree)));
        }
        // What is looked up shows only when everything else is written.
        let mut rest = Pairs::new();
        let mut conditions = Pairs::new();
        for (name, condition) in &stack.conditions {
            let tree = self.value(&condition.value);
            conditions.push((name.clone(), self.member(condition.name_span, tree)));
        }
        if self.version < Version::V2016_10_14 && !stack.conditions.is_empty() {
            let spans = stack.conditions.values().map(|condition| condition.name_span);
            for span in spans.collect::<Vec<_>>() {
                self.lose(&self.section_loss("conditions", span));
            }
        } else {
            self.members(&mut rest, "conditions", conditions);
        }
        let mut resources = Pairs::new();
        for (name, resource) in &stack.resources {
            let tree = self.resource(resource);
            resources.push((name.clone(), self.member(resource.name_span, tree)));
        }
        self.members(&mut rest, "resources", resources);
        let mut outputs = Pairs::new();
        for (name, output) in &stack.outputs {
            let tree = self.output(output);
            outputs.push((name.clone(), self.member(output.name_span, tree)));
        }
        self.members(&mut rest, "outputs", outputs);
        if self.instead.looks_up.get() {
            parameters.push((self.instead.tables.clone(), self.tables(stack)));
        }
        self.members(&mut root, "parameters", parameters);
        root.extend(rest);
        self.extensions(&mut root, &stack.extensions);
        let rest = self.comments.rest();
        if !rest.is_empty() {
            root.push((String::new(), Tree::remark(rest)));
        }
        Tree::map(root)
    }

    // --- comments --------------------------------------------------------------------------------

    /// With the comments above and beside the key of the value at `span`, then all that are left in
    /// the value.
    fn with_comments(&self, span: Span, tree: Tree) -> Tree {
        self.commented(self.places.key_of(span), span, tree)
    }

    /// The same for a part whose name stands at `name`.
    fn member(&self, name: Span, tree: Tree) -> Tree {
        self.commented(name, self.places.value_of(name), tree)
    }

    fn commented(&self, key: Span, value: Span, tree: Tree) -> Tree {
        let mut lines = self.comments.above(key);
        let beside = self.comments.beside(key);
        lines.extend(self.comments.inside(value));
        tree.above(lines).beside(beside)
    }

    // --- parts -----------------------------------------------------------------------------------

    fn section(&self, root: &mut Pairs, name: &'static str, tree: Tree) {
        let key = self.dialect.spelled(name);
        let entry = self.document.root().and_then(|root| self.document.entry(root, key));
        let tree = match entry {
            Some(entry) => {
                let (key, value) = (self.document.span(entry.key), self.document.span(entry.value));
                self.commented(key, value, tree)
            }
            None => tree,
        };
        root.push((name.to_owned(), tree));
    }

    fn members(&self, root: &mut Pairs, name: &'static str, members: Pairs) {
        if !members.is_empty() {
            self.section(root, name, Tree::map(members));
        }
    }

    fn data(&self, pairs: &mut Pairs, key: &str, value: Option<&Expr>) {
        if let Some(value) = value {
            let tree = self.literal(value);
            pairs.push((key.to_owned(), self.with_comments(value.span, tree)));
        }
    }

    fn computed(&mut self, pairs: &mut Pairs, key: &str, value: Option<&Expr>) {
        if let Some(value) = value {
            let tree = self.value(value);
            pairs.push((key.to_owned(), self.with_comments(value.span, tree)));
        }
    }

    /// The parameter that holds the tables of constants.
    fn tables(&self, stack: &Stack) -> Tree {
        let tables = stack.mappings.iter().map(|(name, mapping)| {
            let tree = self.literal(&mapping.value);
            (name.clone(), self.member(mapping.name_span, tree))
        });
        let mut pairs = Pairs::new();
        pairs.push(("type".to_owned(), Tree::from("json")));
        pairs.push(("description".to_owned(), Tree::from("constants that the template looks up")));
        self.section(&mut pairs, "mappings", Tree::map(tables.collect::<Pairs>()));
        if let Some((key, _)) = pairs.last_mut() {
            *key = "default".to_owned();
        }
        Tree::map(pairs)
    }

    fn parameter(&mut self, parameter: &Parameter) -> Tree {
        let mut pairs = Pairs::new();
        if let Some(kind) = parameter.kind {
            let name = match kind {
                ParameterType::Text => "string",
                ParameterType::Number => "number",
                ParameterType::TextList => "comma_delimited_list",
                ParameterType::Json => "json",
                ParameterType::Boolean => "boolean",
            };
            pairs.push(("type".to_owned(), Tree::from(name)));
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
        if !parameter.constraints.is_empty() {
            let constraints: Vec<Tree> =
                parameter.constraints.iter().map(|one| self.constraint(one)).collect();
            pairs.push(("constraints".to_owned(), Tree::list(constraints)));
        }
        for extension in &parameter.extensions {
            self.data(&mut pairs, &extension.name.text, Some(&extension.value));
        }
        Tree::map(pairs)
    }

    fn constraint(&mut self, constraint: &Constraint) -> Tree {
        let (name, operand) = match &constraint.kind {
            ConstraintKind::Range(operand) => ("range", operand),
            ConstraintKind::Length(operand) => ("length", operand),
            ConstraintKind::Modulo(operand) => ("modulo", operand),
            ConstraintKind::AllowedValues(operand) => ("allowed_values", operand),
            ConstraintKind::AllowedPattern(operand) => ("allowed_pattern", operand),
            ConstraintKind::Custom(operand) => ("custom_constraint", operand),
            // A template with such an entry is refused before.
            ConstraintKind::Missing => return Tree::map(Pairs::new()),
        };
        if name == "modulo" && self.version < Version::V2017_02_24 {
            let unsaid = self.section_loss("the constraint `modulo`", constraint.span);
            let lines = self.lose(&unsaid);
            return Tree::remark(lines);
        }
        let mut pairs = Pairs::new();
        let operand_tree = self.literal(operand);
        pairs.push((name.to_owned(), self.with_comments(operand.span, operand_tree)));
        self.data(&mut pairs, "description", constraint.description.as_ref());
        let tree = Tree::map(pairs);
        match self.dialect {
            Dialect::Hot(_) => self.with_comments(constraint.span, tree),
            Dialect::Cfn(_) => tree,
        }
    }

    fn resource(&mut self, resource: &Resource) -> Tree {
        let mut pairs = Pairs::new();
        if let Some(kind) = &resource.kind {
            let tree = Tree::from(kind.text.as_str());
            pairs.push(("type".to_owned(), self.with_comments(kind.span, tree)));
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
            let names = resource.depends_on.iter().map(|name| Tree::from(name.text.as_str()));
            let tree = Tree::list(names.collect::<Vec<_>>());
            pairs.push(("depends_on".to_owned(), self.with_comments(span, tree)));
        }
        let policy = match &resource.deletion_policy {
            Some(DeletionPolicy::Delete) => Some(Tree::from("Delete")),
            Some(DeletionPolicy::Retain) => Some(Tree::from("Retain")),
            Some(DeletionPolicy::Snapshot) => Some(Tree::from("Snapshot")),
            Some(DeletionPolicy::Other(expr)) => Some(self.value(expr)),
            None => None,
        };
        if let Some(tree) = policy {
            let span = resource.deletion_policy_span.unwrap_or(Span::NOWHERE);
            pairs.push(("deletion_policy".to_owned(), self.with_comments(span, tree)));
        }
        self.computed(&mut pairs, "update_policy", resource.update_policy.as_ref());
        self.computed(&mut pairs, "metadata", resource.metadata.as_ref());
        self.computed(&mut pairs, "properties", resource.properties.as_ref());
        self.extensions(&mut pairs, &resource.extensions);
        Tree::map(pairs)
    }

    fn output(&mut self, output: &Output) -> Tree {
        let mut pairs = Pairs::new();
        self.data(&mut pairs, "description", output.description.as_ref());
        match &output.condition {
            Some(condition) if self.version < Version::V2016_10_14 => {
                self.lost_key(&mut pairs, "condition", condition.span);
            }
            condition => self.computed(&mut pairs, "condition", condition.as_ref()),
        }
        self.computed(&mut pairs, "value", output.value.as_ref());
        self.extensions(&mut pairs, &output.extensions);
        Tree::map(pairs)
    }

    /// What Heat ignores, or refuses in HOT: it has no effect and no place.
    fn extensions(&mut self, pairs: &mut Pairs, extensions: &[Extension]) {
        for extension in extensions {
            let name = &extension.name;
            let message = match self.dialect {
                Dialect::Hot(_) => format!("Heat ignores `{}` here", name.text),
                Dialect::Cfn(_) => format!("Heat ignores `{}` here, and HOT has no such key", name.text),
            };
            let span = Span { end: extension.value.span.end.max(name.span.end), ..name.span };
            let lines = self.remark(&message, span);
            self.losses.add(Loss::new(LossKind::Section, name.text.as_str(), message, name.span));
            let tree = self.member(name.span, Tree::remark(lines));
            pairs.push((name.text.to_string(), tree));
        }
    }

    // --- losses ----------------------------------------------------------------------------------

    fn section_loss(&self, what: &str, span: Span) -> Unsaid {
        let message = format!("{} cannot say {what}", self.version);
        Unsaid { what: what.to_owned(), is_value: false, message, span }
    }

    /// Notes a loss; the lines that stand in its place.
    fn lose(&mut self, unsaid: &Unsaid) -> Vec<String> {
        self.losses.add(loss(unsaid, self.version));
        let whole = match unsaid.is_value {
            true => unsaid.span,
            false => {
                let key = self.places.key_of(unsaid.span);
                let value = self.places.value_of(key);
                Span { end: value.end.max(key.end), ..key }
            }
        };
        self.remark(&unsaid.message, whole)
    }

    fn remark(&self, message: &str, span: Span) -> Vec<String> {
        let snippet = self.document.slice(span).trim_end();
        let snippet = snippet.lines().map(|line| format!("  {line}"));
        std::iter::once(format!("lost: {message}")).chain(snippet).collect()
    }

    fn lost_key(&mut self, pairs: &mut Pairs, key: &str, span: Span) {
        let unsaid = self.section_loss(&format!("`{key}`"), span);
        let lines = self.lose(&unsaid);
        pairs.push((key.to_owned(), self.with_comments(span, Tree::remark(lines))));
    }

    // --- values ----------------------------------------------------------------------------------

    /// Data: nothing in it is taken for a call.
    fn literal(&self, expr: &Expr) -> Tree {
        match self.collection(expr, |_| false) {
            Some(Collection::Map(pairs)) => Tree::map(pairs.into_iter().map(|(key, value)| {
                let tree = self.literal(value);
                (key.to_owned(), self.with_comments(value.span, tree))
            })),
            Some(Collection::List(items)) => Tree::list(items.iter().map(|item| {
                let tree = self.literal(item);
                self.with_comments(item.span, tree)
            })),
            None => Tree::from(raise_data(expr)),
        }
    }

    fn value(&mut self, expr: &Expr) -> Tree {
        let version = self.version;
        match self.collection(expr, |pairs| taken_for(pairs, version).is_some()) {
            Some(Collection::Map(pairs)) => {
                let mut trees = Pairs::new();
                for (key, value) in pairs {
                    let tree = self.value(value);
                    trees.push((key.to_owned(), self.with_comments(value.span, tree)));
                }
                Tree::map(trees)
            }
            Some(Collection::List(items)) => {
                let mut trees = Vec::with_capacity(items.len());
                for item in items {
                    let tree = self.value(item);
                    trees.push(self.with_comments(item.span, tree));
                }
                Tree::list(trees)
            }
            None => {
                let (value, unsaid) = raise_or(expr, self.version, &self.instead);
                let lines: Vec<String> =
                    unsaid.iter().flat_map(|unsaid| self.lose(unsaid)).collect();
                Tree::from(value).above(lines)
            }
        }
    }

    /// A list, or a map that a tree can hold and that is no call.
    fn collection<'e>(
        &self,
        expr: &'e Expr,
        is_call: impl Fn(&[crate::ir::Pair]) -> bool,
    ) -> Option<Collection<'e>> {
        match &expr.kind {
            ExprKind::List(items) if !items.is_empty() => Some(Collection::List(items)),
            ExprKind::Map(pairs) if !pairs.is_empty() && !is_call(pairs) => {
                let pair = |pair: &'e crate::ir::Pair| Some((pair.key.as_text()?, &pair.value));
                pairs.iter().map(pair).collect::<Option<_>>().map(Collection::Map)
            }
            _ => None,
        }
    }
}

/// A list or map in which comments may stand.
enum Collection<'e> {
    Map(Vec<(&'e str, &'e Expr)>),
    List(&'e [Expr]),
}
