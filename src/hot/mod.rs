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

pub(crate) use call::{Context, NOT_IN_CONDITION, REMOVED, apply, refuse};
pub(crate) use call::{python_int, select_index, whole};
pub use features::{Feature, Requirement, features, version_range};
pub use functions::{Function, Meaning, Place, function, functions, meaning};
pub(crate) use keys::{CAPABILITIES, constraint_is_known, parameter_key_is_known};
pub use keys::{KEYS, Key, deletion_policy, is_resource_key, is_section};
pub use lower::{Call, Lowered, lower};
pub(crate) use lower::{
    HEAT_MAX_SIZE, SharedNodes, as_condition, hidden_defaults, lower_value, name_of,
};
pub(crate) use raise::taken_for;
pub use raise::{Instead, Raised, Unsaid, raise, raise_data, raise_expr, raise_or};
pub use reading::{ReadAs, lower_as};
pub(crate) use recognise::kind_name;
pub use recognise::{Recognised, VERSION_KEYS, declares_version, recognise};
pub use release::{Release, requested_version};
pub(crate) use secrets::places as secret_places;
pub(crate) use selection::{
    TEXT_PARAMETER, YaqlSelection, is_ambiguous, may_be_position, obstacle,
};
pub use version::{Version, VersionStyle};
