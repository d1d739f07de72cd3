//! Substitutes for functions that a version of HOT does not have.
//!
//! HOT has no tables of constants (`Mappings`). An entry becomes its value if the template determines
//! the keys; otherwise it is looked up in a `json` parameter whose default holds the tables. For a
//! missing Heat returns the empty string there (`docs/heat.md#get_param`), and an error in a
//! table (`docs/heat.md#fnfindinmap`).

use std::cell::Cell;

use crate::kit::UniqueNames;
use heat_engine::eval::PartialEvaluator;
use heat_template::hot::{
    Alternatives, HotLoss, Version, YaqlSelection, float_to_int, is_ambiguous, obstacle,
};
use heat_template::ir::equivalence::path_matters;
use heat_template::ir::types::TypeFacts as _;
use heat_template::ir::{
    AttributeRef, Expr, ExprKind, Selection, Shared, Split, SplitPolicy, Stack,
};
use heat_template::schema::Schema;
use python_semantics::number::Integer;
use source_diagnostics::Span;

/// Decides which expression replaces another one.
pub(super) struct Substitutes<'a> {
    pub(super) schema: &'static Schema,
    pub(super) stack: &'a Stack,
    pub(super) version: Version,
    /// Evaluates what the template alone determines.
    pub(super) folding: PartialEvaluator<'a>,
    /// The name of the parameter that holds the tables.
    pub(super) tables: String,
    /// Whether anything is looked up in that parameter.
    pub(super) looks_up: Cell<bool>,
}

/// A unique name for the parameter that holds the tables.
pub(super) fn tables_name(stack: &Stack) -> String {
    let mut names: UniqueNames = stack.parameters.keys().chain(stack.resources.keys()).collect();
    names.allocate_numbered("mappings")
}

impl Alternatives for Substitutes<'_> {
    fn constant(&self, expr: &Expr) -> Option<Expr> {
        self.folding.constant(expr)?.to_data_expr(expr.span)
    }

    fn path_matters(&self, attribute: &AttributeRef) -> bool {
        path_matters(attribute, self.stack, self.schema)
    }

    fn expression(&self, expr: &Expr) -> Option<(Expr, Option<HotLoss>)> {
        match &expr.kind {
            ExprKind::Lookup(lookup) => {
                self.looks_up.set(true);
                let path = vec![lookup.table.clone(), lookup.key.clone(), lookup.item.clone()];
                Some((Expr::parameter(self.tables.as_str(), path, expr.span), None))
            }
            ExprKind::Select(select) => {
                let (collection, note) = match self.expression(&select.collection) {
                    Some(found) => found,
                    None => (select.collection.clone(), None),
                };
                let (chosen, own) = self.select(expr.span, &select.index, collection)?;
                Some((chosen, note.or(own)))
            }
            _ => None,
        }
    }
}

impl Substitutes<'_> {
    /// An item of a collection, selected by appending to the path of the collection.
    fn select(
        &self,
        span: Span,
        index: &Expr,
        collection: Expr,
    ) -> Option<(Expr, Option<HotLoss>)> {
        let unexpressed = |message: String| HotLoss {
            what: "Fn::Select".to_owned(),
            is_value: true,
            is_dropped: false,
            message,
            span,
        };
        let differs = |how: &str| {
            unexpressed(format!("{} expresses `Fn::Select` as a path: {how}", self.version))
        };
        let facts = self.schema;
        if let Some(why) = obstacle(&collection, self.stack, facts) {
            let message = format!("{} cannot express `Fn::Select` here: {why}", self.version);
            let dropped = HotLoss { is_dropped: true, ..unexpressed(message) };
            return Some((Expr::new(ExprKind::Null, span), Some(dropped)));
        }
        let has_yaql = self.version >= Version::V2016_10_14;
        let is_path = |attribute: &AttributeRef| {
            let kind = attribute.resource.as_text().and_then(|it| self.stack.resources.get(it));
            let kind = kind.and_then(|resource| resource.kind.as_ref());
            let has_members = kind.is_none_or(|kind| facts.has_members(&kind.text));
            !has_yaql || !has_members && !is_ambiguous(attribute, index, self.stack, facts)
        };
        match collection.kind {
            ExprKind::Parameter(mut reference) => {
                let is_table = reference.name.as_text() == Some(self.tables.as_str());
                reference.to_mut().path.push(position(index));
                let note = "a path does not parse a string as JSON";
                let note = (!is_table).then(|| differs(note));
                Some((Expr::new(ExprKind::Parameter(reference), span), note))
            }
            ExprKind::Attribute(mut reference)
                if reference.attribute.is_some() && is_path(&reference) =>
            {
                reference.to_mut().path.push(position(index));
                let note = "a missing item is null instead of the empty string, and a string is \
                            not parsed as JSON";
                Some((Expr::new(ExprKind::Attribute(reference), span), Some(differs(note))))
            }
            ExprKind::Split(split) if split.index.is_none() => {
                let split = Split {
                    index: Some(position(index)),
                    policy: SplitPolicy::NullStays,
                    ..split.into_inner()
                };
                let note = "a missing item is an error instead of the empty string";
                Some((Expr::new(ExprKind::Split(Shared::new(split)), span), Some(differs(note))))
            }
            _ if has_yaql => {
                let chosen = YaqlSelection::of(&collection);
                let selection = Selection { index: index.clone(), collection };
                let note = chosen.condition.map(|condition| {
                    let version = self.version;
                    unexpressed(format!(
                        "{version} expresses `Fn::Select` with yaql: the same only if {condition}"
                    ))
                });
                Some((chosen.call(&selection, span), note))
            }
            _ => None,
        }
    }
}

/// An index for a path: a number in a string becomes a number for lists; keys of maps
/// are never numbers.
fn position(index: &Expr) -> Expr {
    let number = match &index.kind {
        ExprKind::Text(text) => {
            text.parse::<i64>().ok().filter(|number| number.to_string() == *text)
        }
        ExprKind::Float(value) => float_to_int(*value),
        _ => None,
    };
    match number {
        Some(number) => Expr::new(ExprKind::Int(Integer::Small(number)), index.span),
        None => index.clone(),
    }
}
