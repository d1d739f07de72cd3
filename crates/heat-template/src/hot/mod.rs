//! The HOT dialect: its versions, keys and functions as tables; lowering a document to the neutral
//! model and raising it back.

mod call;
mod facts;
mod features;
mod functions;
mod keys;
mod lower;
mod raise;
mod reading;
mod recognise;
mod release;
mod secrets;
mod selection;
pub mod survey;
mod version;

pub use call::NOT_IN_CONDITION;
pub use call::REMOVED;
pub(crate) use call::python_int;
pub use call::select_index;
pub use call::whole;
pub(crate) use call::{Context, apply, refuse};
pub use features::{Feature, Requirement, features, version_range};
pub use functions::{Function, Meaning, Place, function, functions, meaning};
pub use keys::CAPABILITIES;
pub use keys::constraint_is_known;
pub(crate) use keys::parameter_key_is_known;
pub use keys::{KEYS, Key, deletion_policy, is_resource_key, is_section};
pub use lower::lower_value;
pub use lower::{Call, Lowered, lower};
pub(crate) use lower::{HEAT_MAX_SIZE, SharedNodes, as_condition, hidden_defaults, name_of};
pub use raise::taken_for;
pub use raise::{Instead, Raised, Unsaid, raise, raise_data, raise_expr, raise_or};
pub use reading::{ReadAs, lower_as};
pub(crate) use recognise::kind_name;
pub use recognise::{Recognised, VERSION_KEYS, declares_version, recognise};
pub use release::{Release, requested_version};
pub use secrets::places as secret_places;
pub use selection::TEXT_PARAMETER;
pub use selection::YaqlSelection;
pub use selection::is_ambiguous;
pub use selection::may_be_position;
pub use selection::obstacle;
pub use version::{Version, VersionStyle};
