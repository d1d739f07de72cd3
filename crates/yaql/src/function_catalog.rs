//! A catalog of the library's functions as plain data, for comparisons and documentation.

use super::function::{CallForm, Function, Parameter, Variadic};
use super::library::Library;
use super::options::Options;

/// One overload of a library function.
#[derive(Clone, Debug)]
pub struct FunctionInfo {
    /// The number of levels that are searched before this one.
    pub level: usize,
    /// The name in expressions.
    pub name: &'static str,
    /// Whether it can be called without a receiver.
    pub function: bool,
    /// Whether it can be called on a receiver.
    pub method: bool,
    /// Whether pairs are positional arguments instead of named ones.
    pub no_kwargs: bool,
    /// The parameters in order.
    pub parameters: Vec<ParameterInfo>,
}

/// A parameter of a library function.
#[derive(Clone, Debug)]
pub struct ParameterInfo {
    /// The name for named arguments; `*` and `**` take all further arguments.
    pub name: &'static str,
    /// The name of its type in this implementation.
    pub kind: String,
    /// The type in words.
    pub type_description: &'static str,
    /// Whether null is accepted in addition to the type.
    pub null_is_extra: bool,
    /// Whether null is accepted.
    pub nullable: bool,
    /// The default value; `None` if the argument is required.
    pub default: Option<String>,
    /// The default as an expression, if it can be written.
    pub default_text: Option<String>,
}

/// All functions of the library that the options select, by name and level.
pub fn library_functions(options: &Options) -> Vec<FunctionInfo> {
    let library = Library::of(options);
    let mut names: Vec<_> = library.names().collect();
    names.sort_unstable();
    let levels = |name| library.find(name).iter().enumerate();
    names
        .into_iter()
        .flat_map(|name| {
            levels(name).flat_map(|(level, here)| here.iter().map(move |f| (level, f)))
        })
        .map(|(level, function)| declaration(level, function))
        .collect()
}

fn declaration(level: usize, function: &Function) -> FunctionInfo {
    FunctionInfo {
        level,
        name: function.name,
        function: function.form != CallForm::Method,
        method: function.form != CallForm::Function,
        no_kwargs: function.no_kwargs,
        parameters: function.parameters.iter().map(parameter).collect(),
    }
}

fn parameter(parameter: &Parameter) -> ParameterInfo {
    let optional = parameter.variadic == Variadic::No && parameter.default.value().is_some();
    ParameterInfo {
        name: parameter.name,
        kind: format!("{:?}", parameter.kind),
        type_description: parameter.kind.description(),
        null_is_extra: !parameter.kind.takes_null(),
        nullable: parameter.nullable,
        default: optional.then(|| format!("{:?}", parameter.default)),
        default_text: parameter.default.source_text(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_overload_is_declared_once() {
        let declared = library_functions(&Options::default());
        let dots = declared.iter().filter(|function| function.name == "#operator_.").count();
        assert!(dots >= 1);
        let spelled: std::collections::HashSet<_> =
            declared.iter().map(|function| format!("{function:?}")).collect();
        assert_eq!(spelled.len(), declared.len());
    }
}
