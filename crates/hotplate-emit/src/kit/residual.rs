//! The translation of values of which parts are unknown while rendering, for targets with few functions: an
//! operation is taken apart here, so that a target says only how each one is written.

use heat_engine::eval::{Dependency, Operation, Term, Unknown, Value};
use heat_template::ir::{BinaryFunction, ParameterType, UnaryFunction};

use super::{Expressed, Inexpressible};

type Written<W> = Expressed<<W as ResidualWriter>::Output>;

/// Writes the operations that a target has.
pub(crate) trait ResidualWriter {
    /// The target's text for a value that is known only at run time, or in part.
    type Output;

    /// An unknown value, and what it is written for.
    type Site<'h>: Copy;

    /// The loss of a function, by its name in HOT; empty for a value whose parts are unknown.
    fn unsupported(&self, function: &'static str, site: Self::Site<'_>) -> Box<Inexpressible>;

    /// Facts that only a cloud or the user knows.
    fn input(&mut self, input: &Dependency, site: Self::Site<'_>) -> Written<Self>;

    /// A value converted to the type of a parameter.
    fn convert(
        &mut self,
        kind: ParameterType,
        value: &Value,
        site: Self::Site<'_>,
    ) -> Written<Self>;

    fn path(&mut self, value: &Value, path: &[Value], site: Self::Site<'_>) -> Written<Self>;

    fn select(&mut self, collection: &Value, key: &Value, site: Self::Site<'_>) -> Written<Self>;

    fn join(&mut self, lists: &[Value], delimiter: &Value, site: Self::Site<'_>) -> Written<Self>;

    /// A template with placeholders, which the value takes apart ([`Unknown::string_parts`]).
    fn replace(&mut self, site: Self::Site<'_>) -> Written<Self>;

    /// A split text, or one part of it.
    fn split(
        &mut self,
        text: &Value,
        delimiter: &Value,
        index: Option<&Value>,
        site: Self::Site<'_>,
    ) -> Written<Self>;

    /// An entry of the mappings; the arguments start with them.
    fn lookup(&mut self, _arguments: &[Value], site: Self::Site<'_>) -> Written<Self> {
        Err(self.unsupported(Operation::Lookup.hot_name(), site))
    }

    /// A digest: a list of the algorithm and the text.
    fn hash(&mut self, _arguments: &Value, site: Self::Site<'_>) -> Written<Self> {
        Err(self.unsupported(BinaryFunction::Hash.facts().hot_name, site))
    }

    fn url(&mut self, _parts: &Value, site: Self::Site<'_>) -> Written<Self> {
        Err(self.unsupported(UnaryFunction::Url.facts().hot_name, site))
    }

    /// A choice, with the branches that have a value.
    fn choose(
        &mut self,
        condition: &Value,
        branches: [Option<&Value>; 2],
        site: Self::Site<'_>,
    ) -> Written<Self>;

    /// A condition in place of a value; `function` is its outermost one.
    fn truth(&mut self, function: &'static str, site: Self::Site<'_>) -> Written<Self> {
        Err(self.unsupported(function, site))
    }
}

/// Translates the unknown value of a site, or says why that is not possible.
pub(crate) fn translate_unknown<W: ResidualWriter>(
    writer: &mut W,
    unknown: &Unknown,
    site: W::Site<'_>,
) -> Written<W> {
    let (operation, arguments) = match unknown.term() {
        Term::Opaque => return Err(writer.unsupported("", site)),
        Term::Leaf { of, .. } => return writer.input(of, site),
        Term::Call { operation, arguments } => (operation, arguments.as_slice()),
    };
    match (operation, arguments) {
        (Operation::Convert(kind), [value]) => writer.convert(*kind, value, site),
        (Operation::Path | Operation::AttributePath(_), [value, path @ ..]) => {
            writer.path(value, path, site)
        }
        (Operation::Select, [collection, key]) => writer.select(collection, key, site),
        (Operation::Join, [lists @ .., delimiter]) => writer.join(lists, delimiter, site),
        (Operation::Replace(_), _) => writer.replace(site),
        (Operation::Split, [delimiter, text, index @ ..]) => {
            writer.split(text, delimiter, index.first(), site)
        }
        (Operation::Lookup, arguments) => writer.lookup(arguments, site),
        (Operation::Binary(BinaryFunction::Hash), [arguments]) => writer.hash(arguments, site),
        (Operation::Unary(UnaryFunction::Url), [parts]) => writer.url(parts, site),
        (Operation::Choose { then, otherwise }, [condition, branches @ ..]) => {
            let then = if *then { branches.first() } else { None };
            let otherwise = if *otherwise { branches.last() } else { None };
            writer.choose(condition, [then, otherwise], site)
        }
        (
            Operation::Equals
            | Operation::Not
            | Operation::And
            | Operation::Or
            | Operation::Binary(BinaryFunction::Contains),
            _,
        ) => writer.truth(operation.hot_name(), site),
        (operation, _) => Err(writer.unsupported(operation.hot_name(), site)),
    }
}
