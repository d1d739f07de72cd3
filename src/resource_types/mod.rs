//! What Heat knows about a resource type, for people and editors: its properties with what an update of each does, its
//! attributes, and its status by release.
//!
//! The facts are those of [`heat_template::schema`]; what an update does is decided by [`hotplate_diff`]. This module combines them
//! and says what they leave open.

mod describe;
mod property;
mod search;
mod status;
mod wording;

pub use describe::{AttributeDescription, ReferenceDescription, TypeDescription};
pub use property::{Constraint, PropertyDescription, UpdateDescription};
pub use search::{FactKind, FactMatch, search};
pub use status::{Stage, StatusDescription, StatusIn};

use heat_template::hot::Release;
use heat_template::schema::Schema;

/// The facts, and the release of Heat that they are wanted for.
#[derive(Clone, Copy, Debug)]
pub struct FactsOfRelease {
    /// The facts of one installed Heat, with the history that its source records.
    pub schema: &'static Schema,
    /// The release of OpenStack; that of the facts if `None`.
    pub release: Option<&'static Release>,
}

impl FactsOfRelease {
    /// The major version of the release's Heat.
    pub fn major(self) -> u32 {
        self.release.map_or(self.schema.major(), Release::heat)
    }

    /// The release of OpenStack, for messages.
    pub fn release_name(self) -> String {
        let release = self.release.or_else(|| Release::of_heat(self.schema.major()));
        release.map_or_else(|| format!("with Heat {}", self.schema.major()), ToString::to_string)
    }
}
