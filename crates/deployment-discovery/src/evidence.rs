//! Why a template is deployed with an environment.

use std::path::PathBuf;

use source_files::display_name;

/// Why a template is deployed with an environment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// A command line that deploys the template, or a task of Ansible.
    Command {
        /// The file with the command line.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The name of the environment is that of the template with an addition such as `-env`, or it stands in a folder for environments.
    Name,
    /// The only environment in the folder of the only template there.
    OnlyOne,
    /// The environment gives parameters of the template, no others, and all that must be given.
    Parameters,
    /// Nothing else maps these types, which the template uses.
    Registry {
        /// The types, in order.
        types: Vec<String>,
    },
}

impl std::fmt::Display for Evidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Evidence::Command { file, line } => {
                write!(f, "named in {}, line {line}", display_name(file))
            }
            Evidence::Name => f.write_str("named like the template"),
            Evidence::OnlyOne => f.write_str("the only environment beside the only template"),
            Evidence::Parameters => f.write_str("gives the parameters of the template"),
            Evidence::Registry { types } => match types.as_slice() {
                [one] => write!(f, "maps its type {one}"),
                several => write!(f, "maps {} of its types", several.len()),
            },
        }
    }
}
