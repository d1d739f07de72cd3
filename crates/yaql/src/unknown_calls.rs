//! Static checks: errors in an expression that do not depend on its data.

use std::collections::HashSet;
use std::ops::Range;

use super::Options;
use super::function::{Function, Variadic};
use super::library::{Library, naming};
use super::tree::{Argument, Expr, Literal, Node, SyntaxNode};

#[cfg(test)]
mod tests;

/// A call of a function or method that neither the library nor the expression defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCall {
    /// The name that is called.
    pub name: String,
    /// Whether it is called on a value before a dot: methods and functions are separate.
    pub is_method: bool,
    /// Whether every evaluation reaches the call unless it fails before. Otherwise the call may never
    /// be made, as in the second operand of `and`.
    pub is_certain: bool,
    /// The byte range of the name in the text.
    pub span: Range<usize>,
}

/// The calls of unknown names, in text order.
pub(crate) fn unknown_calls(root: &SyntaxNode, options: &Options) -> Vec<UnknownCall> {
    let library = Library::of(options);
    let defined = DefinedFunctions::of(root);
    let mut found = Vec::new();
    let mut open = vec![PendingPart { part: root, is_method: false, is_certain: true }];
    while let Some(PendingPart { part, is_method, is_certain }) = open.pop() {
        if let Some((name, span)) = called(part) {
            let is_known = overloads(library, name, is_method).next().is_some()
                || (!is_method && defined.has(name));
            if !is_known {
                found.push(UnknownCall { name: name.to_owned(), is_method, is_certain, span });
            }
        }
        let first = open.len();
        children(library, part, is_method, |part, is_method, is_computed| {
            open.push(PendingPart { part, is_method, is_certain: is_certain && is_computed });
        });
        open[first..].reverse();
    }
    found
}

/// A part that is still to be checked.
struct PendingPart<'p> {
    part: &'p SyntaxNode,
    is_method: bool,
    is_certain: bool,
}

/// The name that a part calls as written, with its place.
fn called(part: &SyntaxNode) -> Option<(&str, Range<usize>)> {
    let Expr::Call(name, arguments) = &part.expr else { return None };
    // `call(name, …)` is a call of that name, unless it has a receiver.
    if name == CALL && arguments.len() <= 3 && named(arguments, "receiver").is_none() {
        let (called, node) = written_name(arguments)?;
        return Some((called, node.span.clone()));
    }
    Some((name, part.span.start..part.span.start + name.len()))
}

/// The function that calls another function by name.
const CALL: &str = "call";
/// The function that defines a function.
const DEF: &str = "def";

/// The functions that an expression defines.
enum DefinedFunctions {
    Names(HashSet<String>),
    /// Unknown, because a name is computed.
    Anything,
}

impl DefinedFunctions {
    fn of(root: &SyntaxNode) -> Self {
        let mut names = HashSet::new();
        for part in root.parts() {
            let Expr::Call(called, arguments) = &part.expr else { continue };
            let called = called.trim_end_matches('_');
            if called != DEF && called != CALL {
                continue;
            }
            match written_name(arguments) {
                Some((name, _)) if called == DEF => {
                    names.extend(naming::registered(name).map(|name| name.into_owned()));
                }
                Some((name, _)) if name.trim_end_matches('_') != DEF => {}
                _ => return DefinedFunctions::Anything,
            }
        }
        DefinedFunctions::Names(names)
    }

    fn has(&self, name: &str) -> bool {
        match self {
            DefinedFunctions::Names(names) => names.contains(name.trim_end_matches('_')),
            DefinedFunctions::Anything => true,
        }
    }
}

/// The first argument, or the one named `name`, if it is a constant text.
fn written_name(arguments: &[Argument]) -> Option<(&str, &Node)> {
    let first = arguments.first().and_then(Option::as_ref);
    let first = first.filter(|node| !matches!(node.expr, Expr::Rule(..)));
    let node = first.or_else(|| named(arguments, "name"))?;
    match &node.expr {
        Expr::Constant(Literal::Text(text)) | Expr::Keyword(text) => Some((text, node)),
        _ => None,
    }
}

fn named<'a>(arguments: &'a [Argument], wanted: &str) -> Option<&'a Node> {
    arguments.iter().flatten().find_map(|node| match &node.expr {
        Expr::Rule(source, value) => match &source.expr {
            Expr::Keyword(name) if name == wanted => Some(value),
            _ => None,
        },
        _ => None,
    })
}

/// The library's functions with a name.
fn overloads<'l>(
    library: &'l Library,
    name: &str,
    is_method: bool,
) -> impl Iterator<Item = &'static Function> + 'l {
    let name = name.trim_end_matches('_');
    library
        .find(name)
        .iter()
        .flatten()
        .copied()
        .filter(move |function| function.can_be_called(is_method))
}

/// Calls `see` for each child of a part, with whether it is called on a receiver and whether it is
/// computed whenever the part is.
fn children<'p>(
    library: &Library,
    part: &'p SyntaxNode,
    is_method: bool,
    mut see: impl FnMut(&'p SyntaxNode, bool, bool),
) {
    if let Expr::Binary(operator, left, right) = &part.expr {
        // These receive their operands uncomputed and then compute them.
        let is_right_certain = match operator.symbol {
            "." | "->" => Some(true),
            "?." | "and" | "or" => Some(false),
            _ => None,
        };
        if let Some(is_right_certain) = is_right_certain {
            let is_dot = matches!(operator.symbol, "." | "?.");
            see(left, false, true);
            see(right, is_dot && right.uses_receiver(), is_right_certain);
            return;
        }
    }
    let Some(name) = part.expr.function() else {
        part.expr.each_child(|child| see(child, false, true));
        return;
    };
    let functions: Vec<_> = overloads(library, name, is_method).collect();
    let mut position = usize::from(is_method);
    part.expr.each_argument(|node| {
        if let Some(node) = node {
            let is_computed = |function: &&Function| is_computed(function, position, node);
            see(node, false, !functions.is_empty() && functions.iter().all(is_computed));
        }
        position += 1;
    });
}

/// Whether a function's argument at a position is computed before the call.
fn is_computed(function: &Function, position: usize, argument: &SyntaxNode) -> bool {
    let parameters = function.parameters.iter();
    let taking = match &argument.expr {
        Expr::Rule(source, _) if !function.no_kwargs => {
            let Expr::Keyword(name) = &source.expr else { return false };
            let mut named = parameters.clone().filter(|known| known.variadic == Variadic::No);
            let named = named.find(|known| known.name == name);
            named.or_else(|| parameters.clone().find(|known| known.variadic == Variadic::Keyword))
        }
        _ => {
            let mut ones = parameters.clone().filter(|known| known.variadic == Variadic::No);
            let one = ones.nth(position);
            one.or_else(|| parameters.clone().find(|known| known.variadic == Variadic::Positional))
        }
    };
    taking.is_some_and(|parameter| !parameter.kind.is_lazy())
}
