//! The target that a user means: one by its name, or a folder.

use std::ops::Deref;
use std::path::Path;

use super::folder::{Broken, FolderTarget};
use super::{EMITTERS, Emitter, aliases, emitter};
use source_diagnostics::did_you_mean;
use source_files::{FileSource, Kind};

/// A target that was found.
pub enum Found {
    /// One of hotplate's own.
    BuiltIn(&'static dyn Emitter),
    /// A user's folder.
    Folder(Box<FolderTarget>),
}

impl Deref for Found {
    type Target = dyn Emitter;

    fn deref(&self) -> &Self::Target {
        match self {
            Found::BuiltIn(emitter) => *emitter,
            Found::Folder(target) => &**target,
        }
    }
}

/// Why there is no such target.
#[derive(Debug, thiserror::Error)]
pub enum NotFound {
    /// Nothing has this name.
    #[error("there is no target `{name}`{}", instead(near.as_deref()))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What was probably meant.
        near: Option<String>,
    },
    /// The folder is not a target.
    #[error(transparent)]
    Broken(Broken),
}

fn instead(near: Option<&str>) -> String {
    match near {
        Some(near) => format!("; did you mean `{near}`?"),
        None => {
            let names: Vec<_> = EMITTERS.iter().map(|emitter| emitter.name()).collect();
            format!("; there are {}", names.join(", "))
        }
    }
}

/// The built-in target of this name, or the folder at this path: what has a `/` in it, or is there.
pub fn find(target: &str, files: &dyn FileSource) -> Result<Found, NotFound> {
    if let Some(emitter) = emitter(target) {
        return Ok(Found::BuiltIn(emitter));
    }
    let is_path = target.contains(['/', '\\']) || target == "." || target == "..";
    let path = Path::new(target);
    if is_path || files.kind(path) == Some(Kind::Folder) {
        let folder = FolderTarget::read(path, files).map_err(NotFound::Broken)?;
        return Ok(Found::Folder(Box::new(folder)));
    }
    let names = EMITTERS.iter().map(|emitter| emitter.name());
    let names = names.flat_map(|name| std::iter::once(name).chain(aliases(name).iter().copied()));
    let near = did_you_mean(target, names);
    Err(NotFound::Unknown { name: target.to_owned(), near: near.map(str::to_owned) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use source_files::Memory;

    #[test]
    fn names_come_before_folders() {
        let files: Memory = [("dot/x", ""), ("mine/target.yaml", "name: [")].into_iter().collect();
        assert!(matches!(find("dot", &files), Ok(Found::BuiltIn(_))));
        assert!(matches!(find("./dot", &files), Err(NotFound::Broken(_))));
        assert!(matches!(find("mine", &files), Err(NotFound::Broken(_))));
        let Err(unknown) = find("mermaidd", &files) else { panic!("found") };
        assert_eq!(unknown.to_string(), "there is no target `mermaidd`; did you mean `mermaid`?");
    }
}
