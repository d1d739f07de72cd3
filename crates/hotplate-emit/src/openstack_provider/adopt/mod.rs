//! Adoption (`--adopt`): finds the objects of a deployment that already exist, and the IDs by which the
//! provider imports them.

mod adopter;
mod adoption;
mod flat;
mod ids;
mod not_read;
mod security_rules;

pub use adopter::adopt;
pub use adoption::{Adoption, GroupMember, ModuleObject, ModuleStep, ObjectImport};
pub use flat::adopt_flat;
