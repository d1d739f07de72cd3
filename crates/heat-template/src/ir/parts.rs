//! The kinds of expressions with their names, and the parts of each: visiting, naming and replacing them.
//!
//! A kind has one row here; the struct of its operands, if it has one, another.

use super::expr::{
    AttributeRef, Choice, ComputedCall, Expr, ExprKind, InvalidCall, Join, Lookup, MemberList,
    Pair, ParameterRef, Repeat, Replace, Selection, Split, YaqlCall,
};
use super::functions::function_facts;
use super::shared::Shared;

/// Something that consists of expressions.
pub(super) trait Parts {
    /// Calls `visit` on each of them, in the order in which they are evaluated.
    fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr));
    /// Calls `visit` on each of them with its name in JSON, given the name of the whole.
    fn label<'a>(&'a self, name: &str, visit: &mut dyn FnMut(String, &'a Expr));
    /// Replaces each of them, in the same order.
    fn rebuild(&mut self, part: &mut dyn FnMut(&Expr) -> Expr);
}

impl Parts for Expr {
    fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
    }

    fn label<'a>(&'a self, name: &str, visit: &mut dyn FnMut(String, &'a Expr)) {
        visit(name.to_owned(), self);
    }

    fn rebuild(&mut self, part: &mut dyn FnMut(&Expr) -> Expr) {
        *self = part(self);
    }
}

impl<T: Parts> Parts for [T] {
    fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.iter().for_each(|part| part.visit(visit));
    }

    fn label<'a>(&'a self, name: &str, visit: &mut dyn FnMut(String, &'a Expr)) {
        for (at, part) in self.iter().enumerate() {
            part.label(&format!("{name}[{at}]"), visit);
        }
    }

    fn rebuild(&mut self, part: &mut dyn FnMut(&Expr) -> Expr) {
        self.iter_mut().for_each(|old| old.rebuild(part));
    }
}

impl<T: Parts> Parts for Option<T> {
    fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.iter().for_each(|part| part.visit(visit));
    }

    fn label<'a>(&'a self, name: &str, visit: &mut dyn FnMut(String, &'a Expr)) {
        self.iter().for_each(|part| part.label(name, visit));
    }

    fn rebuild(&mut self, part: &mut dyn FnMut(&Expr) -> Expr) {
        self.iter_mut().for_each(|old| old.rebuild(part));
    }
}

macro_rules! parts_of_a_list {
    ($($list:ty),*) => {$(
        impl Parts for $list {
            fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
                self[..].visit(visit);
            }

            fn label<'a>(&'a self, name: &str, visit: &mut dyn FnMut(String, &'a Expr)) {
                self[..].label(name, visit);
            }

            fn rebuild(&mut self, part: &mut dyn FnMut(&Expr) -> Expr) {
                self[..].rebuild(part);
            }
        }
    )*};
}

parts_of_a_list!(Vec<Expr>, [Expr; 2]);

macro_rules! parts_of_fields {
    ($($operands:ident { $($field:ident),* })*) => {$(
        impl Parts for $operands {
            fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
                $(self.$field.visit(visit);)*
            }

            fn label<'a>(&'a self, _: &str, visit: &mut dyn FnMut(String, &'a Expr)) {
                $(self.$field.label(stringify!($field), visit);)*
            }

            fn rebuild(&mut self, part: &mut dyn FnMut(&Expr) -> Expr) {
                $(self.$field.rebuild(part);)*
            }
        }
    )*};
}

parts_of_fields! {
    Pair { key, value }
    ParameterRef { name, path }
    AttributeRef { resource, attribute, path }
    Lookup { table, key, item }
    Selection { index, collection }
    Join { delimiter, lists }
    Split { delimiter, text, index }
    Replace { template, params }
    Repeat { template, for_each }
    MemberList { list }
    YaqlCall { expression, data }
    Choice { condition, then, otherwise }
    ComputedCall { arguments }
    InvalidCall { argument }
}

/// The parts of a kind, which other expressions may share.
trait SharedOperands: Parts {
    fn alias_address(&self) -> Option<usize>;
    fn mark_aliased(&mut self);
}

macro_rules! shared_operands {
    ($(<$($item:ident)?> $operands:ty),*) => {$(
        impl<$($item: Parts + Clone)?> Parts for Shared<$operands> {
            fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
                (**self).visit(visit);
            }

            fn label<'a>(&'a self, name: &str, visit: &mut dyn FnMut(String, &'a Expr)) {
                (**self).label(name, visit);
            }

            fn rebuild(&mut self, part: &mut dyn FnMut(&Expr) -> Expr) {
                self.to_mut().rebuild(part);
            }
        }

        impl<$($item: Parts + Clone)?> SharedOperands for Shared<$operands> {
            fn alias_address(&self) -> Option<usize> {
                self.alias_address()
            }

            fn mark_aliased(&mut self) {
                self.mark_aliased();
            }
        }
    )*};
}

shared_operands!(<T> T, <T> [T]);

macro_rules! kinds {
    (
        without operands: { $($leaf:ident $leaf_name:literal,)* }
        with operands: { $($kind:ident($parts:ident) $name:literal,)* }
    ) => {
        impl ExprKind {
            /// The names of all kinds in the JSON form.
            pub fn names() -> impl Iterator<Item = &'static str> {
                [$($leaf_name,)* $($name),*].into_iter().chain(function_facts().map(|facts| facts.kind))
            }

            /// The name of the kind in the JSON form.
            pub fn name(&self) -> &'static str {
                match self {
                    $(ExprKind::$leaf { .. } => $leaf_name,)*
                    $(ExprKind::$kind(_) => $name,)*
                    ExprKind::Unary(function, _) => function.facts().kind,
                    ExprKind::Binary(function, _) => function.facts().kind,
                }
            }

            fn operands(&self) -> Option<&dyn SharedOperands> {
                match self {
                    $(ExprKind::$kind($parts) => Some($parts),)*
                    ExprKind::Unary(_, argument) => Some(argument),
                    ExprKind::Binary(_, arguments) => Some(arguments),
                    $(ExprKind::$leaf { .. })|* => None,
                }
            }

            /// The name of the operand or of the list of operands; a struct has names for its fields.
            fn operands_name(&self) -> &'static str {
                match self {
                    $(ExprKind::$kind(_) => stringify!($parts),)*
                    ExprKind::Unary(function, _) => function.argument(),
                    ExprKind::Binary(..) $(| ExprKind::$leaf { .. })* => "",
                }
            }

            fn operands_mut(&mut self) -> Option<&mut dyn SharedOperands> {
                match self {
                    $(ExprKind::$kind($parts) => Some($parts),)*
                    ExprKind::Unary(_, argument) => Some(argument),
                    ExprKind::Binary(_, arguments) => Some(arguments),
                    $(ExprKind::$leaf { .. })|* => None,
                }
            }
        }
    };
}

kinds! {
    without operands: {
        Null "null",
        Bool "bool",
        Int "int",
        Float "float",
        Text "text",
        Bytes "bytes",
        Date "date",
        Facade "facade",
        Condition "condition",
    }
    with operands: {
        Set(items) "set",
        List(items) "list",
        Map(pairs) "map",
        Parameter(reference) "parameter",
        Resource(name) "resource",
        Attribute(reference) "attribute",
        File(name) "file",
        Zones(region) "zones",
        Lookup(lookup) "lookup",
        Select(selection) "select",
        Join(join) "join",
        Split(split) "split",
        Replace(replace) "replace",
        AssertText(value) "assert_text",
        Repeat(repeat) "repeat",
        MemberList(members) "member_list",
        Yaql(call) "yaql",
        Choose(choice) "choose",
        Equals(values) "equals",
        Not(condition) "not",
        And(conditions) "and",
        Or(conditions) "or",
        Computed(call) "computed",
        Invalid(call) "invalid",
    }
}

/// Identifies the parts of an expression that occurs several times, as long as one occurrence exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SharedParts(&'static str, usize);

impl ExprKind {
    /// The identity of the parts of an expression that occurs several times, through aliases. Two kinds with
    /// the same shared parts are equal.
    pub fn shared_parts(&self) -> Option<SharedParts> {
        // Few parts are shared, and only these need the name.
        let address = self.operands()?.alias_address()?;
        Some(SharedParts(self.name(), address))
    }

    /// Records that an alias may refer to these parts.
    pub(crate) fn mark_aliased(&mut self) {
        if let Some(operands) = self.operands_mut() {
            operands.mark_aliased();
        }
    }

    /// The direct parts with their names, for people: those of the JSON form, numbered in a list.
    pub fn named_parts(&self) -> Vec<(String, &Expr)> {
        if let ExprKind::Binary(function, arguments) = self {
            let names = function.arguments().map(str::to_owned);
            return names.into_iter().zip(&**arguments).collect();
        }
        let mut named = Vec::new();
        if let Some(operands) = self.operands() {
            operands.label(self.operands_name(), &mut |name, part| named.push((name, part)));
        }
        named
    }
}

impl Expr {
    /// Calls `visit` on every direct part of the expression, in the order in which it is evaluated.
    pub fn for_each_child<'a>(&'a self, mut visit: impl FnMut(&'a Expr)) {
        if let Some(operands) = self.kind.operands() {
            operands.visit(&mut visit);
        }
    }

    /// The same expression with `part` applied to every direct part, in the order of
    /// [`Expr::for_each_child`].
    #[must_use]
    pub fn with_parts(&self, part: &mut impl FnMut(&Expr) -> Expr) -> Expr {
        let mut expr = self.clone();
        if let Some(operands) = expr.kind.operands_mut() {
            operands.rebuild(part);
        }
        expr
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_schema() {
        let schema = serde_json::to_value(crate::ir::json::schema()).expect("JSON");
        let kinds = schema["$defs"]["Expr"]["oneOf"].as_array().expect("kinds");
        let mut kinds: Vec<_> = kinds
            .iter()
            .map(|kind| kind["properties"]["kind"]["const"].as_str().expect("a name"))
            .collect();
        let mut names: Vec<_> = ExprKind::names().collect();
        kinds.sort_unstable();
        names.sort_unstable();
        assert_eq!(kinds, names);
    }
}
