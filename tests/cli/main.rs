//! The command line as a shell sees it: arguments, both streams, exit status, and the files.

mod bad_files;
mod bad_templates;
mod capabilities;
mod cfn;
mod compared;
mod console;
mod deployments;
mod documents;
mod folders;
mod git;
mod hooks;
mod hostile;
mod jinja;
mod leaks;
mod masking;
mod names;
mod patches;
mod reading;
mod refusals;
mod rendering;
mod reviews;
mod rules;
mod sandbox;
mod secrets;
mod security_groups;
mod streams;
mod targets;
#[path = "../traffic/mod.rs"]
mod traffic;
mod undeclared;
mod upgrade;
mod upgrade_json;
mod versions;
mod writing;
mod yaql;
