use std::path::PathBuf;
use std::sync::Arc;

use super::super::program::Parts;
use super::super::{Options, Program};
use super::*;
