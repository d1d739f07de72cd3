//! Functions of one or two arguments that have no policy: a row declares everything about one that the model,
//! HOT's lowering and raising, and the reports need. Only its versions (`hot/functions.rs`), its values (in
//! `heat-engine`) and its forms in targets are elsewhere.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::Shared;
use super::expr::{ComputedFunction, Expr};
use super::types::TypeSet;

/// A row of the table of functions.
#[derive(Debug)]
pub struct FunctionFacts {
    /// The kind of the expression in JSON.
    pub kind: &'static str,
    /// The function's name in HOT.
    pub hot_name: &'static str,
    /// The possible kinds of its value.
    pub values: TypeSet,
    /// True if its value consists of parts of an argument, unchanged.
    pub keeps_parts: bool,
    /// Why a call with other arguments is refused.
    pub problem: &'static str,
    /// Its value, in a few words.
    pub summary: &'static str,
}

/// Arguments that HOT accepts for a function of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentForm {
    /// A map, which is not computed.
    Map,
    /// A list, or an expression that yields one.
    List,
    /// A list of a map and its replacements, or an expression that yields one.
    MapAndReplacements,
}

macro_rules! unary_functions {
    ($($(#[$doc:meta])* $function:ident($argument:ident: $form:ident) { $($fact:ident: $value:expr,)* })*) => {
        /// A function of one argument.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum UnaryFunction { $($(#[$doc])* $function,)* }

        impl UnaryFunction {
            /// Every function of one argument.
            pub const ALL: &'static [UnaryFunction] = &[$(UnaryFunction::$function),*];

            /// The row of the function in this table.
            pub const fn facts(self) -> &'static FunctionFacts {
                match self {
                    $(UnaryFunction::$function => {
                        const FACTS: &FunctionFacts = &FunctionFacts { $($fact: $value,)* };
                        FACTS
                    })*
                }
            }

            /// The elements of the argument, as a name.
            pub const fn argument(self) -> &'static str {
                match self { $(UnaryFunction::$function => stringify!($argument),)* }
            }

            /// True if the value is a list of the items of several lists.
            pub fn concatenates(self) -> bool {
                let facts = self.facts();
                facts.keeps_parts && facts.values == TypeSet::LIST
            }

            /// The arguments that HOT accepts.
            pub const fn form(self) -> ArgumentForm {
                match self { $(UnaryFunction::$function => ArgumentForm::$form,)* }
            }
        }

        /// The JSON form of a call of a function of one argument.
        #[derive(Serialize, JsonSchema)]
        #[serde(tag = "kind", content = "value", rename_all = "snake_case")]
        enum UnaryJson<'e> { $($(#[$doc])* $function(&'e Expr),)* }

        /// The JSON form of a call.
        pub(super) fn serialize_unary<S: Serializer>(
            function: &UnaryFunction,
            argument: &Shared<Expr>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            match function {
                $(UnaryFunction::$function => UnaryJson::$function(argument),)*
            }
            .serialize(serializer)
        }
    };
}

macro_rules! binary_functions {
    ($($(#[$doc:meta])* $function:ident(
        $(#[$operands_doc:meta])*
        $operands:ident {
            $(#[$first_doc:meta])* $first:ident,
            $(#[$second_doc:meta])* $second:ident,
        },
        accepts_maps: $accepts_maps:expr,
        computed: $computed:expr
    ) { $($fact:ident: $value:expr,)* })*) => {
        /// A function of two arguments.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum BinaryFunction { $($(#[$doc])* $function,)* }

        impl BinaryFunction {
            /// Every function of two arguments.
            pub const ALL: &'static [BinaryFunction] = &[$(BinaryFunction::$function),*];

            /// The row of the function in this table.
            pub const fn facts(self) -> &'static FunctionFacts {
                match self {
                    $(BinaryFunction::$function => {
                        const FACTS: &FunctionFacts = &FunctionFacts { $($fact: $value,)* };
                        FACTS
                    })*
                }
            }

            /// The names of the arguments.
            pub const fn arguments(self) -> [&'static str; 2] {
                match self {
                    $(BinaryFunction::$function => [stringify!($first), stringify!($second)],)*
                }
            }

            /// Whether an argument may be a map.
            pub const fn accepts_maps(self) -> bool {
                match self { $(BinaryFunction::$function => $accepts_maps,)* }
            }

            /// The call whose list of arguments is computed; `None` if HOT does not accept that.
            pub const fn computed(self) -> Option<ComputedFunction> {
                match self { $(BinaryFunction::$function => $computed,)* }
            }
        }

        $(
            $(#[$operands_doc])*
            #[derive(Serialize, JsonSchema)]
            struct $operands<'e> {
                $(#[$first_doc])* $first: &'e Expr,
                $(#[$second_doc])* $second: &'e Expr,
            }
        )*

        /// The JSON form of a call of a function of two arguments.
        #[derive(Serialize, JsonSchema)]
        #[serde(tag = "kind", content = "value", rename_all = "snake_case")]
        enum BinaryJson<'e> { $($(#[$doc])* $function($operands<'e>),)* }

        /// The JSON form of a call.
        pub(super) fn serialize_binary<S: Serializer>(
            function: &BinaryFunction,
            arguments: &Shared<[Expr; 2]>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            let [first, second] = &**arguments;
            match function {
                $(BinaryFunction::$function => {
                    BinaryJson::$function($operands { $first: first, $second: second })
                })*
            }
            .serialize(serializer)
        }
    };
}

unary_functions! {
    /// A URL built from its parts (a map).
    Url(parts: Map) {
        kind: "url",
        hot_name: "make_url",
        values: TypeSet::TEXT,
        keeps_parts: false,
        problem: "it takes a map of the parts of a URL",
        summary: "a URL, from its parts",
    }
    /// Maps merged; later maps win. The operand is the list of maps.
    MergeMaps(maps: List) {
        kind: "merge_maps",
        hot_name: "map_merge",
        values: TypeSet::MAP,
        keeps_parts: true,
        problem: "it takes a list of maps",
        summary: "maps merged, later ones win",
    }
    /// A map with keys and values replaced: the operand is the list of the map and its replacements.
    ReplaceInMap(parts: MapAndReplacements) {
        kind: "replace_in_map",
        hot_name: "map_replace",
        values: TypeSet::MAP,
        keeps_parts: false,
        problem: "it takes [map, {keys: …, values: …}]",
        summary: "a map with keys and values replaced",
    }
    /// Lists concatenated. The operand is the list of lists.
    Concat(lists: List) {
        kind: "concat",
        hot_name: "list_concat",
        values: TypeSet::LIST,
        keeps_parts: true,
        problem: "it takes a list of lists",
        summary: "lists, concatenated",
    }
    /// Like `concat`, but equal items occur only once.
    ConcatUnique(lists: List) {
        kind: "concat_unique",
        hot_name: "list_concat_unique",
        values: TypeSet::LIST,
        keeps_parts: true,
        problem: "it takes a list of lists",
        summary: "lists, concatenated without duplicates",
    }
}

binary_functions! {
    /// The hexadecimal digest of a string.
    Hash(
        /// A digest of a string.
        Hashing {
            /// The algorithm's name in Python's `hashlib`, such as `sha256`.
            algorithm,
            /// The string, taken as latin-1.
            value,
        },
        accepts_maps: false,
        computed: Some(ComputedFunction::Hash)
    ) {
        kind: "hash",
        hot_name: "digest",
        values: TypeSet::TEXT,
        keeps_parts: false,
        problem: "it takes [algorithm, string]",
        summary: "the hexadecimal digest of a string",
    }
    /// A list without some values.
    Filter(
        /// A list without some values.
        Filtering {
            /// The values to remove.
            values,
            /// The list to filter.
            list,
        },
        accepts_maps: false,
        computed: None
    ) {
        kind: "filter",
        hot_name: "filter",
        values: TypeSet::LIST.union(TypeSet::TEXT).union(TypeSet::NULL),
        keeps_parts: true,
        problem: "it takes [values, list]",
        summary: "a list without some values",
    }
    /// Whether a sequence contains a value.
    Contains(
        /// Whether a list contains a value, or a string another string.
        Membership {
            /// The value to look for.
            value,
            /// The list or string to search.
            sequence,
        },
        accepts_maps: true,
        computed: None
    ) {
        kind: "contains",
        hot_name: "contains",
        values: TypeSet::BOOLEAN,
        keeps_parts: false,
        problem: "it takes [value, sequence]",
        summary: "whether a list contains a value, or a string another string",
    }
}

/// Every row of the table.
pub fn function_facts() -> impl Iterator<Item = &'static FunctionFacts> {
    let binary = BinaryFunction::ALL.iter().map(|function| function.facts());
    UnaryFunction::ALL.iter().map(|function| function.facts()).chain(binary)
}

pub(super) fn unary_schema(generator: &mut SchemaGenerator) -> Schema {
    UnaryJson::json_schema(generator)
}

pub(super) fn binary_schema(generator: &mut SchemaGenerator) -> Schema {
    BinaryJson::json_schema(generator)
}

/// Lists the kinds of functions beside the other kinds, where the derived schema has alternatives within an alternative.
pub(super) fn flatten_kinds(schema: &mut Schema) {
    let Some(Value::Array(kinds)) = schema.remove("anyOf") else { return };
    let kinds = kinds.into_iter().flat_map(|mut kind| match kind.get_mut("oneOf") {
        Some(Value::Array(functions)) => std::mem::take(functions),
        _ => vec![kind],
    });
    schema.insert("oneOf".to_owned(), kinds.collect());
}
