//! Fuzz targets: what is promised of every input, tried on inputs that libFuzzer makes out of samples.
//!
//! One program holds all targets, so that hotplate is built and linked once; `HOTPLATE_FUZZ` names the one to run.
//! `fuzz/run` builds it, makes the samples and runs every target. A promise that is not kept is a panic.

#![no_main]

mod commands;
mod expressions;
mod parts;
mod texts;

#[path = "../../crates/lossless-yaml/tests/libyaml/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the tests use more of it")]
mod libyaml;
#[path = "../../tests/text_properties/mod.rs"]
mod text_properties;

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

/// Tries one input.
type Target = fn(&[u8]);

/// The targets by name.
const TARGETS: &[(&str, Target)] = &[
    ("read", texts::read),
    ("lower", texts::lower),
    ("upgrade", texts::upgrade),
    ("eval", commands::eval),
    ("diff", commands::diff),
    ("render", commands::render),
    ("target_folder", commands::target_folder),
    ("yaql", expressions::yaql),
    ("regex", expressions::regex),
];

static TARGET: OnceLock<Target> = OnceLock::new();

fuzz_target!(
    init: {
        let name = std::env::var("HOTPLATE_FUZZ").unwrap_or_default();
        let target = TARGETS.iter().find(|(known, _)| *known == name);
        let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
        let (_, target) = target.unwrap_or_else(|| panic!("HOTPLATE_FUZZ is not one of {names:?}"));
        TARGET.get_or_init(|| *target);
    },
    |data: &[u8]| {
        if let Some(target) = TARGET.get() {
            target(data);
        }
    }
);
