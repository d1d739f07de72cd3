//! What the library declares, as plain data for those who compare it.

use super::function::{CallForm, Function, Parameter, Variadic};
use super::library::Library;
use super::options::Options;

/// A function: one overload of a name.
#[derive(Clone, Debug)]
pub struct FunctionInfo {
    /// How many levels of functions are asked before it.
    pub level: usize,
    /// The name that expressions call.
    pub name: &'static str,
    /// Whether it can be called without a receiver.
    pub function: bool,
    /// Whether it can be called on a receiver.
    pub method: bool,
    /// Whether pairs are arguments of their own instead of arguments with a name.
    pub no_kwargs: bool,
    /// What it takes, in order.
    pub parameters: Vec<ParameterInfo>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct ParameterInfo {
    /// The name by which arguments can be given; `*` and `**` take all further ones.
    pub name: &'static str,
    /// Its type, by our own name for it.
    pub kind: String,
    /// Its type in words.
    pub type_description: &'static str,
    /// Whether null is something besides what the type says.
    pub null_is_extra: bool,
    /// Whether null will do.
    pub nullable: bool,
    /// What it is without an argument, if it need not be given.
    pub default: Option<String>,
    /// The same as an expression writes it, if it can.
    pub default_text: Option<String>,
}

/// Every function of the library for these options, by name and level.
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
