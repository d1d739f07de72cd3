//! What templates become, rule by rule.

use super::{Terraform, TerraformJson};
use crate::emit::testing::{Deployment, files_of};
