//! The target that a user means: one by its name, or a folder.

use std::ops::Deref;
use std::path::Path;

use super::template_pack::{InvalidPack, TemplatePack};
use super::{EMITTERS, Emitter, aliases, emitter};
use source_diagnostics::did_you_mean;
use source_files::{FileSource, PathKind};

/// A target that was found.
pub enum ResolvedTarget {
    /// One of hotplate's own.
    BuiltIn(&'static dyn Emitter),
    /// A user's folder.
    TemplatePack(Box<TemplatePack>),
}

impl Deref for ResolvedTarget {
    type Target = dyn Emitter;

    fn deref(&self) -> &Self::Target {
        match self {
            ResolvedTarget::BuiltIn(emitter) => *emitter,
            ResolvedTarget::TemplatePack(target) => &**target,
        }
    }
}

/// Why there is no such target.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// Nothing has this name.
    #[error("there is no target `{name}`{}", suggestion(near.as_deref()))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What was probably meant.
        near: Option<String>,
    },
    /// The folder is not a target.
    #[error(transparent)]
    InvalidPack(InvalidPack),
}

fn suggestion(near: Option<&str>) -> String {
    match near {
        Some(near) => format!("; did you mean `{near}`?"),
        None => {
            let names: Vec<_> = EMITTERS.iter().map(|emitter| emitter.name()).collect();
            format!("; there are {}", names.join(", "))
        }
    }
}

/// The built-in target of this name, or the folder at this path: what has a `/` in it, or is there.
pub fn find_target(target: &str, files: &dyn FileSource) -> Result<ResolvedTarget, TargetError> {
    if let Some(emitter) = emitter(target) {
        return Ok(ResolvedTarget::BuiltIn(emitter));
    }
    let is_path = target.contains(['/', '\\']) || target == "." || target == "..";
    let path = Path::new(target);
    if is_path || files.kind(path) == Some(PathKind::Folder) {
        let folder = TemplatePack::read(path, files).map_err(TargetError::InvalidPack)?;
        return Ok(ResolvedTarget::TemplatePack(Box::new(folder)));
    }
    let names = EMITTERS.iter().map(|emitter| emitter.name());
    let names = names.flat_map(|name| std::iter::once(name).chain(aliases(name).iter().copied()));
    let near = did_you_mean(target, names);
    Err(TargetError::Unknown { name: target.to_owned(), near: near.map(str::to_owned) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use source_files::MemoryFiles;

    #[test]
    fn names_come_before_folders() {
        let files: MemoryFiles =
            [("dot/x", ""), ("mine/target.yaml", "name: [")].into_iter().collect();
        assert!(matches!(find_target("dot", &files), Ok(ResolvedTarget::BuiltIn(_))));
        assert!(matches!(find_target("./dot", &files), Err(TargetError::InvalidPack(_))));
        assert!(matches!(find_target("mine", &files), Err(TargetError::InvalidPack(_))));
        let Err(unknown) = find_target("mermaidd", &files) else { panic!("found") };
        assert_eq!(unknown.to_string(), "there is no target `mermaidd`; did you mean `mermaid`?");
    }
}
