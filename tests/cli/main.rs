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
mod jinja;
mod masking;
mod names;
mod patches;
mod reading;
mod rendering;
mod rules;
mod sandbox;
mod secrets;
mod targets;
mod upgrade;
mod upgrade_json;
mod versions;
mod writing;
mod yaql;
