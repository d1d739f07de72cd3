//! What is not known, as a term: a function of values, down to what only a cloud or a user knows.
//!
//! The expression of an [`Unknown`] is for people. The term is what it means: parameters are replaced
//! by what they are worth, and what has a value stands there as that value. Two terms that are equal
//! have the same value, whatever it is.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::value::{Dependency, Value};
use heat_template::ir::{AttributeFetch, Expr, ParameterType, ReplaceKeys};

/// How high a term may become. What is higher is kept as its digest alone: named conditions can refer
/// to each other in a chain of any length.
const MAX_HEIGHT: usize = 200;

/// A value that is not known, what it is computed by, and what it depends on.
#[derive(Clone)]
pub struct Unknown {
    /// The expression, as the template has it.
    pub expr: Arc<Expr>,
    /// What it depends on.
    pub depends_on: Arc<BTreeSet<Dependency>>,
    term: Term,
    digest: u64,
    height: usize,
}

/// What a value that is not known is made of.
#[derive(Clone)]
pub enum Term {
    /// Something that only a cloud or a user knows.
    Leaf {
        /// What.
        of: Dependency,
        /// How many stacks are around the one that it belongs to.
        level: usize,
    },
    /// A function of values, some of which are not known.
    Call {
        /// The function.
        operation: Operation,
        /// Its arguments.
        arguments: Vec<Value>,
    },
    /// Too much to be kept.
    Opaque,
}

/// A function with the order of its arguments. What only decides which arguments are refused is no
/// part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A value as a parameter of this type has it: the value.
    Convert(ParameterType),
    /// A path into the value of a parameter: the value, then the path.
    Path,
    /// A parameter whose name is not known: the name and the path, as one list.
    Parameter,
    /// A resource whose name is not known: the name.
    Resource,
    /// A path into an attribute: the attribute, then the path.
    AttributePath(AttributeFetch),
    /// An attribute where a name is not known: of the resource, of the attribute, the path.
    Attribute,
    /// A file whose name is not known: the name.
    File,
    /// An entry of a table: the tables, the keys.
    Lookup,
    /// An item that is looked for in text as well: the collection, the key.
    Select,
    /// Texts glued together: the lists, then the delimiter.
    Join,
    /// A text cut apart: the delimiter, the text, perhaps which piece.
    Split,
    /// Placeholders replaced: the template, the map of values.
    Replace(ReplaceKeys),
    /// A digest: the list of the algorithm and the text.
    Hash,
    /// A URL: the map of its parts.
    Url,
    /// A loop: what it runs over, what it repeats.
    Repeat {
        /// Every combination.
        permutations: bool,
    },
    /// What one round of a loop makes of a part of what it repeats: the part, the values of the
    /// placeholders.
    Round,
    /// Maps merged: the list of them.
    MergeMaps,
    /// Keys and values replaced: the list of the map and the replacements.
    ReplaceInMap,
    /// Lists appended: the list of them.
    Concat {
        /// Equal items once.
        unique: bool,
    },
    /// A list without some values: the values, the list.
    Filter,
    /// A map out of texts: the texts.
    MemberList(smol_str::SmolStr, smol_str::SmolStr),
    /// A yaql expression: the expression, the data.
    Yaql,
    /// A choice whose condition is not known: the condition, then those of the two values that there
    /// are.
    Choose {
        /// Whether there is a value where it holds.
        then: bool,
        /// Whether there is a value where it does not.
        otherwise: bool,
    },
    /// Equality: both sides.
    Equals,
    /// Negation: the condition.
    Not,
    /// All of them: the conditions that are not known.
    And,
    /// Any of them: the conditions that are not known.
    Or,
    /// Membership: the value, the sequence.
    Contains,
}

impl Unknown {
    /// Something that only a cloud or a user knows; `level` is the number of stacks around.
    pub fn leaf(expr: Expr, of: Dependency, level: usize) -> Self {
        let mut hasher = DefaultHasher::new();
        ("leaf", &of, level).hash(&mut hasher);
        Unknown {
            expr: Arc::new(expr),
            depends_on: Arc::new(BTreeSet::from([of.clone()])),
            term: Term::Leaf { of, level },
            digest: hasher.finish(),
            height: 1,
        }
    }

    /// A function of values.
    pub fn call(expr: impl Into<Arc<Expr>>, operation: Operation, arguments: Vec<Value>) -> Self {
        let mut depends_on = BTreeSet::new();
        arguments.iter().for_each(|argument| argument.collect_dependencies(&mut depends_on));
        let mut hasher = DefaultHasher::new();
        ("call", &operation).hash(&mut hasher);
        arguments.iter().for_each(|argument| hasher.write_u64(argument.digest()));
        let height = 1 + arguments.iter().map(height).max().unwrap_or_default();
        let opaque = height > MAX_HEIGHT;
        Unknown {
            expr: expr.into(),
            depends_on: Arc::new(depends_on),
            term: if opaque { Term::Opaque } else { Term::Call { operation, arguments } },
            digest: hasher.finish(),
            height: if opaque { 1 } else { height },
        }
    }

    /// The same without the values that it is made of, which may be secret.
    #[must_use]
    pub fn without_term(&self) -> Self {
        Unknown { term: Term::Opaque, ..self.clone() }
    }

    /// Something of which no more is known than what it depends on.
    pub fn opaque(expr: Expr, depends_on: BTreeSet<Dependency>) -> Self {
        let mut hasher = DefaultHasher::new();
        ("opaque", expr.as_text(), &depends_on).hash(&mut hasher);
        Unknown {
            expr: Arc::new(expr),
            depends_on: Arc::new(depends_on),
            term: Term::Opaque,
            digest: hasher.finish(),
            height: 1,
        }
    }

    /// The same value, yielded by another expression.
    #[must_use]
    pub fn with_expr(&self, expr: Expr) -> Self {
        Unknown { expr: Arc::new(expr), ..self.clone() }
    }

    /// What it is made of.
    pub fn term(&self) -> &Term {
        &self.term
    }

    /// Equal for what is computed by the same from the same.
    pub fn digest(&self) -> u64 {
        self.digest
    }
}

/// How high a value is.
fn height(value: &Value) -> usize {
    let highest = |items: &[Value]| 1 + items.iter().map(height).max().unwrap_or_default();
    match value {
        Value::Unknown(unknown) => unknown.height,
        Value::List(items) | Value::Set(items) => highest(items),
        Value::Map(map) => 1 + map.values().map(height).max().unwrap_or_default(),
        Value::Call(call) => 1 + height(&call.argument),
        Value::Secret(inner) => height(inner),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Text(_)
        | Value::Bytes(_)
        | Value::Date(_)
        | Value::Object(_)
        | Value::Elided => 1,
    }
}

// A term shares its parts, of which a path through it may meet one many times: what would walk through
// all of it looks at the digest.

impl PartialEq for Unknown {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
            && self.expr == other.expr
            && self.depends_on == other.depends_on
    }
}

impl std::fmt::Debug for Unknown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Unknown")
            .field("expr", &self.expr)
            .field("depends_on", &self.depends_on)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::ir::ExprKind;
    use source_diagnostics::Span;

    fn expr() -> Expr {
        Expr::new(ExprKind::Null, Span::NOWHERE)
    }

    fn not(value: &Value) -> Value {
        Value::Unknown(Arc::new(Unknown::call(expr(), Operation::Not, vec![value.clone()])))
    }

    #[test]
    fn a_chain_of_any_length_is_bounded_and_still_compared() {
        let leaf = |name: &str| {
            let of = Dependency::Parameter(name.to_owned());
            Value::Unknown(Arc::new(Unknown::leaf(expr(), of, 0)))
        };
        let chain = |name: &str| {
            let mut value = leaf(name);
            for _ in 0..200_000 {
                value = not(&value);
            }
            value
        };
        assert_eq!(chain("a").digest(), chain("a").digest());
        assert_ne!(chain("a").digest(), chain("b").digest());
    }

    #[test]
    fn what_is_shared_is_not_walked_through_again_and_again() {
        let mut value = Value::Unknown(Arc::new(Unknown::leaf(
            expr(),
            Dependency::Cloud("availability zones"),
            0,
        )));
        for _ in 0..150 {
            let operation = Operation::And;
            let arguments = vec![value.clone(), value.clone()];
            value = Value::Unknown(Arc::new(Unknown::call(expr(), operation, arguments)));
        }
        assert_eq!(value, value.clone());
        assert!(!format!("{value:?}").is_empty());
    }
}
