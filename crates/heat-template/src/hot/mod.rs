//! The HOT dialect: its versions, keys and functions as tables; lowering a document to the neutral
//! model and raising it back.

mod call;
pub mod compatibility;
mod facts;
mod features;
mod functions;
mod group_attribute;
pub mod keys;
mod lower;
mod raise;
mod recognize;
mod reinterpretation;
mod release;
mod secrets;
mod version;
mod yaql_selection;

pub use call::NOT_IN_CONDITION;
pub use call::REMOVED;
pub use call::float_to_int;
pub(crate) use call::python_int;
pub use call::select_index;
pub(crate) use call::{LoweringContext, invalid_call, lower_call};
pub use features::{Feature, VersionRequirement, features, version_range};
pub use functions::{CallContext, FunctionMeaning, HotFunction, functions, hot_function, meaning};
pub use group_attribute::{
    GroupAttribute, GroupValue, MemberCollection, MemberName, MemberValue, PathStep, path_problem,
};
pub use keys::CAPABILITIES;
pub use keys::constraint_is_known;
pub(crate) use keys::parameter_key_is_known;
pub use keys::{KEYS, VersionedKey, deletion_policy, is_resource_key, is_section};
pub use lower::lower_value;
pub use lower::{CallSite, LoweredHot, lower, lower_later};
pub(crate) use lower::{Definition, Lowerer, LoweringDialect, as_condition, hidden_defaults};
pub use raise::mistaken_for_call;
pub use raise::{
    Alternatives, HotLoss, RaisedHot, raise, raise_data, raise_expr, raise_with_alternatives,
};
pub use recognize::{DocumentKind, VERSION_KEYS, declares_version, may_declare_version, recognize};
pub use reinterpretation::{ReinterpretedPart, lower_as};
pub use release::{Release, requested_release, requested_version};
pub use secrets::secret_spans;
pub use version::{Version, VersionStyle};
pub use yaql_selection::TEXT_PARAMETER;
pub use yaql_selection::YaqlSelection;
pub use yaql_selection::is_ambiguous;
pub use yaql_selection::may_be_position;
pub use yaql_selection::obstacle;
