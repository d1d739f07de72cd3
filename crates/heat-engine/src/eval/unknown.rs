//! Unknown values as terms: functions of values, down to what only a cloud or a user knows.
//!
//! The expression of an [`Unknown`] is shown to people. The term is its meaning: parameters are replaced
//! by their values, and known parts by what they evaluate to. Equal terms have the
//! same value, whatever it is.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::value::{Dependency, Value};
use heat_template::hot::{Version, raise_expr};
use heat_template::ir::{
    AttributeFetch, BinaryFunction, Expr, ParameterType, ReplaceKeys, UnaryFunction,
};

/// Maximum height of a term. Higher terms are replaced by their digest: named conditions can refer to
/// each other in a chain of any length.
const MAX_HEIGHT: usize = 200;

/// An unknown value, with the expression that computes it and its dependencies.
#[derive(Clone)]
pub struct Unknown {
    /// The expression in the template.
    pub expr: Arc<Expr>,
    /// The unknown inputs it depends on.
    pub depends_on: Arc<BTreeSet<Dependency>>,
    term: Term,
    digest: u64,
    height: usize,
}

/// How an unknown value is computed.
#[derive(Clone)]
pub enum Term {
    /// An input that only a cloud or a user knows.
    Leaf {
        /// The input, such as a parameter or an attribute.
        of: Dependency,
        /// The number of stacks around the one that the input belongs to.
        level: usize,
    },
    /// A function of values, some of which are unknown.
    Call {
        /// What the function computes from the arguments.
        operation: Operation,
        /// The arguments, in the order that [`Operation`] documents.
        arguments: Vec<Value>,
    },
    /// A term that is too large to be kept.
    Opaque,
}

/// A function, with the order of its arguments. Details that only decide which arguments are rejected are
/// not included.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Conversion to a parameter type: the value.
    Convert(ParameterType),
    /// An item at a path in a parameter's value: the value, the path.
    Path,
    /// A parameter whose name is unknown: one list of the name and the path.
    Parameter,
    /// A resource whose name is unknown: the name.
    Resource,
    /// An item at a path in an attribute: the attribute, the path.
    AttributePath(AttributeFetch),
    /// An attribute for which a name is unknown: the resource, the attribute, the path.
    Attribute,
    /// A file whose name is unknown: the name.
    File,
    /// An entry of the mappings: the mappings, the keys.
    Lookup,
    /// An item of a collection or of JSON text: the collection, the key.
    Select,
    /// Joined texts: the lists, the delimiter.
    Join,
    /// A split text: the delimiter, the text, optionally the index of a part.
    Split,
    /// Replaced placeholders: the template, the map of values.
    Replace(ReplaceKeys),
    /// A loop: what it iterates over, the template.
    Repeat {
        /// Whether all combinations are used.
        permutations: bool,
    },
    /// One round of a loop for a part of the template: the part, the values of the
    /// placeholders.
    Round,
    /// A function of one argument: the argument.
    Unary(UnaryFunction),
    /// A function of two arguments: both, for a digest one list of both.
    Binary(BinaryFunction),
    /// A map from a member list: the texts.
    MemberList(smol_str::SmolStr, smol_str::SmolStr),
    /// A yaql expression: the expression, the data.
    Yaql,
    /// A choice with an unknown condition: the condition, then the values of the branches that have
    /// one.
    Choose {
        /// Whether the first branch has a value.
        then: bool,
        /// Whether the second branch has a value.
        otherwise: bool,
    },
    /// Equality: both operands.
    Equals,
    /// Negation: the condition.
    Not,
    /// Conjunction: the unknown conditions.
    And,
    /// Disjunction: the unknown conditions.
    Or,
}

impl Operation {
    /// The name of the function in HOT; for one that only CFN has, its name there.
    pub fn hot_name(&self) -> &'static str {
        match self {
            Operation::Convert(_) | Operation::Path | Operation::Parameter => "get_param",
            Operation::Resource => "get_resource",
            Operation::AttributePath(_) | Operation::Attribute => "get_attr",
            Operation::File => "get_file",
            Operation::Lookup => "Fn::FindInMap",
            Operation::Select => "Fn::Select",
            Operation::Join => "list_join",
            Operation::Split => "str_split",
            Operation::Replace(_) => "str_replace",
            Operation::Unary(function) => function.facts().hot_name,
            Operation::Binary(function) => function.facts().hot_name,
            Operation::Repeat { .. } | Operation::Round => "repeat",
            Operation::MemberList(..) => "Fn::MemberListToMap",
            Operation::Yaql => "yaql",
            Operation::Choose { .. } => "if",
            Operation::Equals => "equals",
            Operation::Not => "not",
            Operation::And => "and",
            Operation::Or => "or",
        }
    }
}

impl Unknown {
    /// An input that only a cloud or a user knows; `level` is the number of stacks around its stack.
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

    /// A function of values, some of which are unknown.
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

    /// A copy without the argument values, which may be secret.
    #[must_use]
    pub fn without_term(&self) -> Self {
        Unknown { term: Term::Opaque, ..self.clone() }
    }

    /// The value of an expression that fails, in an evaluation that continues; it equals that of the same expression only.
    pub(super) fn failed(expr: Expr) -> Self {
        let mut hasher = DefaultHasher::new();
        let (written, _) = raise_expr(&expr, Version::LATEST);
        ("failed", format!("{written:?}")).hash(&mut hasher);
        Unknown {
            expr: Arc::new(expr),
            depends_on: Arc::default(),
            term: Term::Opaque,
            digest: hasher.finish(),
            height: 1,
        }
    }

    /// An unknown value of which only the dependencies are known.
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

    /// A copy with another expression for the same value.
    #[must_use]
    pub fn with_expr(&self, expr: Expr) -> Self {
        Unknown { expr: Arc::new(expr), ..self.clone() }
    }

    /// How the value is computed.
    pub fn term(&self) -> &Term {
        &self.term
    }

    /// A digest of the term, equal for equal terms.
    pub fn digest(&self) -> u64 {
        self.digest
    }
}

/// The height of a value's term.
fn height(value: &Value) -> usize {
    match value {
        Value::Unknown(unknown) => unknown.height,
        Value::Secret(inner) => height(inner),
        known => {
            let mut highest = 0;
            known.any_part(|part| {
                highest = highest.max(height(part));
                false
            });
            1 + highest
        }
    }
}

// A traversal could visit shared parts of a term exponentially often, so whatever would traverse all of
// it uses the digest.

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
