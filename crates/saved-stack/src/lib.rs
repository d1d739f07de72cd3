//! The output of OpenStack's client about a running stack: the template, the environment, the files and the IDs of
//! the resources. [`SavedStackFiles`] recognizes each file by its content and gives them the place of a template, an
//! environment and included files on disk; [`SavedStack`] has the resources.
//!
//! `docs/leaving-heat.md` lists the commands that save a stack.

#![forbid(unsafe_code)]

mod cloud_drift;
mod cloud_lists;
pub mod codes;
mod content;
mod differences;
mod files;
mod group_size;
mod resources;
mod saved_data;
mod take_over;

pub use cloud_lists::{CloudLists, CloudObject, CloudPort, CloudSecurityRule};
pub use differences::{NotRunning, differences};
pub use files::{SavedStackFiles, with_saved_texts};
pub use resources::{SavedResource, SavedStack};
pub use take_over::TakeOver;

use serde_json::Value;

/// Heat's mask for the value of a hidden parameter.
const WITHHELD: &str = "******";

/// The text of a member, under the first of the names that it has.
fn text<'v>(row: &'v Value, names: &[&str]) -> Option<&'v str> {
    names.iter().find_map(|name| row.get(*name)).and_then(Value::as_str)
}
