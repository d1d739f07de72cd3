//! Finds a target: a built-in target by its name, or a folder by its path.

use std::ops::Deref;
use std::path::Path;

use super::template_pack::{InvalidPack, TemplatePack};
use super::{EMITTERS, Emitter, aliases, emitter};
use source_diagnostics::did_you_mean;
use source_files::{FileSource, PathKind};

/// A target that was found.
pub enum ResolvedTarget {
    /// A target that is part of hotplate.
    BuiltIn(&'static dyn Emitter),
    /// A folder of the user.
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

/// Why a target was not found.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// No target has this name, and no folder has this path.
    #[error("there is no target `{name}`{}", suggestion(near.as_deref()))]
    Unknown {
        /// The name or path that was requested.
        name: String,
        /// The most similar name of a target, if one is similar enough.
        near: Option<String>,
    },
    /// The folder is not a valid target.
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

/// Finds the built-in target of this name, or the folder at this path. A name with a `/`, or that of an
/// existing folder, is a path.
///
/// # Errors
///
/// There is no such target, or the folder is not a valid target.
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
