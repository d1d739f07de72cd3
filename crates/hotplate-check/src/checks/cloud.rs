//! The cloud that templates are checked for: its release of Heat, and the types that it has.

use super::{Check, Scope};
use std::collections::HashSet;

use crate::codes;
use crate::stacks::CheckedStack;
use heat_engine::eval::template_graph::ResolvedImplementation;
use heat_template::hot::{
    CallContext, DocumentKind, FunctionMeaning, Release, Version, features, functions,
    hot_function, lower, meaning, recognize,
};
use lossless_yaml::Document;
use source_diagnostics::{Diagnostic, Suggestions};

/// Types that the lists of a cloud lack, or have.
pub(crate) const TYPES: Check = Check {
    scope: Scope::Stack,
    codes: &[codes::NOT_IN_CLOUD],
    run: |it, found| {
        check_types(it.stack, &it.cloud.lists, found);
        accept_listed_types(it.stack, &it.cloud.lists, found);
    },
};

/// The version of the template in the release.
pub(crate) const VERSION: Check = Check {
    scope: Scope::Template,
    codes: &[codes::NOT_IN_RELEASE],
    run: |it, found| {
        if let Some(release) = it.cloud.release {
            check_version(it.stack, release, found);
        }
    },
};

/// The version, functions and keys of the text in the release and the cloud.
pub(crate) const DOCUMENT: Check = Check {
    scope: Scope::Template,
    codes: &[codes::FACTS_MISSING, codes::NOT_IN_CLOUD, codes::NOT_IN_RELEASE],
    run: |it, found| {
        if let Some(document) = it.document {
            check_document(document, it.cloud, found);
        }
    },
};

/// The facts about a cloud.
#[derive(Clone, Debug, Default)]
pub struct Cloud {
    /// The release of OpenStack; the newest one if `None`.
    pub release: Option<&'static Release>,
    /// What the cloud lists; nothing is known about a list that is empty.
    pub lists: CloudLists,
}

/// What the `openstack orchestration` commands of a cloud list, in any of their formats.
#[derive(Clone, Debug, Default)]
pub struct CloudLists {
    /// The names of `resource type list`.
    types: HashSet<String>,
    /// The names of `template function list`, for each list with the versions of HOT that it can be of.
    functions: Vec<(HashSet<String>, Vec<Version>)>,
    /// The versions of HOT of `template version list`.
    versions: HashSet<Version>,
}

/// A text without a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no resource types, versions or functions; `openstack orchestration resource type list`, `… template version list` and `… template function list VERSION` print them"
)]
pub struct NoList;

/// How commands write a version of HOT.
const VERSION_PREFIX: &str = "heat_template_version.";

impl CloudLists {
    /// Adds the list in a text: versions, functions (the first word of each line), or else types (every word with `::`).
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn add(&mut self, text: &str) -> Result<(), NoList> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, ':' | '_' | '.' | '-');
        let words = || text.split(|c: char| !is_part(c)).filter(|word| !word.is_empty());
        let versions: Vec<Version> = words()
            .filter_map(|word| Version::from_declaration(word.strip_prefix(VERSION_PREFIX)?))
            .map(|(version, _)| version)
            .collect();
        if !versions.is_empty() {
            self.versions.extend(versions);
            return Ok(());
        }
        let types: HashSet<String> = words()
            .filter(|word| word.contains("::") && hot_function(word).is_none())
            .map(str::to_owned)
            .collect();
        if !types.is_empty() {
            self.types.extend(types);
            return Ok(());
        }
        let firsts = text.lines().flat_map(|line| {
            let first = line.split(|c: char| !is_part(c)).find(|word| !word.is_empty());
            // JSON may have all of them on one line.
            let named = line.split("\"Functions\":").skip(1);
            first.into_iter().chain(named.filter_map(|rest| rest.split('"').nth(1)))
        });
        let functions: HashSet<String> =
            firsts.filter(|name| hot_function(name).is_some()).map(str::to_owned).collect();
        if functions.is_empty() {
            return Err(NoList);
        }
        let versions = versions_of(&functions);
        self.functions.push((functions, versions));
        Ok(())
    }
}

/// The versions of HOT whose functions are most like those of a list.
fn versions_of(listed: &HashSet<String>) -> Vec<Version> {
    let has = |version, name: &str| {
        [CallContext::Value, CallContext::Condition].into_iter().any(|place| {
            let meaning = meaning(name, version, place);
            meaning.is_some_and(|it| {
                !matches!(it, FunctionMeaning::Removed | FunctionMeaning::NotInCondition)
            })
        })
    };
    let distance = |version: &Version| {
        functions().filter(|it| has(*version, it.name) != listed.contains(it.name)).count()
    };
    let least = Version::all().map(|version| distance(&version)).min();
    Version::all().filter(|version| Some(distance(version)) == least).collect()
}

/// A type that hotplate does not know is no error if the cloud has it: what is unknown about it is a note.
pub(crate) fn accept_listed_types(
    stack: &CheckedStack<'_>,
    lists: &CloudLists,
    found: &mut [Diagnostic],
) {
    for resource in stack.resources() {
        let kind = resource.evaluated.kind.as_str();
        let Some(ResolvedImplementation::NotFound(error)) = resource.implementation else {
            continue;
        };
        if !lists.types.contains(kind) {
            continue;
        }
        let unknown = heat_engine::codes::UNKNOWN_RESOURCE_TYPE;
        let error = error.to_string();
        for finding in found.iter_mut().filter(|it| it.code == unknown && it.message == error) {
            let message = format!(
                "the properties and attributes of `{kind}`, which the cloud has, are unknown, so they are not checked"
            );
            let note = Diagnostic::new(codes::FACTS_MISSING, message);
            *finding = finding.span().into_iter().fold(note, Diagnostic::at);
        }
    }
}

/// Adds findings about types that the cloud does not have.
pub(crate) fn check_types(
    stack: &CheckedStack<'_>,
    lists: &CloudLists,
    found: &mut Vec<Diagnostic>,
) {
    let types = &lists.types;
    if types.is_empty() {
        return;
    }
    let mut names: Vec<&str> = types.iter().map(String::as_str).collect();
    names.sort_unstable();
    let mut suggestions = Suggestions::new(names);
    for resource in stack.resources() {
        let of_heat = match resource.implementation {
            Some(ResolvedImplementation::Shipped(_)) => true,
            Some(implementation) => implementation.plugin().is_some(),
            None => false,
        };
        let kind = resource.evaluated.kind.as_str();
        if !of_heat || types.contains(kind) {
            continue;
        }
        let message = format!("the cloud does not have the type `{kind}`");
        let finding = Diagnostic::new(codes::NOT_IN_CLOUD, message).at(resource.type_span);
        found.push(suggestions.suggest(finding, kind));
    }
    found.extend(suggestions.limit_finding());
}

/// Adds a finding if the release does not accept the version of the template.
pub(crate) fn check_version(
    stack: &CheckedStack<'_>,
    release: &Release,
    found: &mut Vec<Diagnostic>,
) {
    let format = &stack.stack().format;
    let newest = release.newest.date();
    // Dates are ordered as texts.
    if format.dialect == "hot" && format.version > newest {
        let version = format.version;
        let message = format!("OpenStack {release} does not accept version {version}");
        let finding = Diagnostic::new(codes::NOT_IN_RELEASE, message).at(format.span);
        found.push(finding.help(format!(
            "`hotplate upgrade --to {newest}` rewrites the template if that is possible"
        )));
    }
}

/// Findings about what a template uses and the cloud does not have: its version, and the functions, sections and keys of later
/// versions than the release accepts; functions that the list of its version does not have.
pub(crate) fn check_document(document: &Document, cloud: &Cloud, found: &mut Vec<Diagnostic>) {
    let DocumentKind::Hot { version, node, .. } = recognize(document) else { return };
    if !cloud.lists.versions.is_empty() && !cloud.lists.versions.contains(&version) {
        let message = format!("the cloud does not have version {version}");
        found.push(Diagnostic::new(codes::NOT_IN_CLOUD, message).at(document.span(node)));
    }
    let later = cloud.release.filter(|release| release.newest < version);
    if !cloud.lists.functions.is_empty()
        && cloud.lists.functions.iter().all(|(_, of)| !of.contains(&version))
    {
        let message = format!(
            "the functions that the cloud has in version {version} are unknown, so they are not checked"
        );
        let finding = Diagnostic::new(codes::FACTS_MISSING, message).at(document.span(node));
        found.push(finding.help(format!(
            "`openstack orchestration template function list {VERSION_PREFIX}{version}` prints them, for another `--types`"
        )));
    }
    let lists = || cloud.lists.functions.iter().filter(|(_, of)| of.contains(&version));
    if later.is_none() && lists().next().is_none() {
        // The functions of a version are those of every release that accepts it.
        return;
    }
    let lowered = lower(document, version, node);
    if let Some(release) = later {
        for feature in features(document, &lowered) {
            let since = feature.requirement.since;
            if since > release.newest {
                let message = format!("OpenStack {release} does not have the {}", feature.name);
                let finding = Diagnostic::new(codes::NOT_IN_RELEASE, message).at(feature.span);
                let brought = Release::that_brought(since);
                found.push(finding.help(format!("it exists since version {since} ({brought})")));
            }
        }
    }
    for call in lowered.calls.iter().filter(|call| call.meaning.is_some()) {
        let name = call.function.name;
        if lists().next().is_some() && lists().all(|(functions, _)| !functions.contains(name)) {
            let message = format!("the cloud does not have the function `{name}`");
            let span = document.span(call.entry.key);
            found.push(Diagnostic::new(codes::NOT_IN_CLOUD, message).at(span));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(text: &str) -> CloudLists {
        let mut lists = CloudLists::default();
        lists.add(text).expect("a list");
        lists
    }

    #[test]
    fn lists_are_read_in_any_format() {
        for text in ["| OS::A::B |", "[{\"Resource Type\": \"OS::A::B\"}]", "OS::A::B\n"] {
            assert_eq!(lists(text).types, HashSet::from(["OS::A::B".to_owned()]), "{text}");
        }
        for text in [
            "| heat_template_version.rocky | hot | heat_template_version.2018-08-31 |",
            "heat_template_version.2018-08-31 hot",
        ] {
            assert_eq!(lists(text).versions, HashSet::from([Version::V2018_08_31]), "{text}");
        }
        for text in [
            "| Functions | Description |\n| get_file | A function for `get_attr`. |\n| Fn::Join | A function. |\n",
            "[{\"Functions\": \"get_file\", \"Description\": \"As get_attr.\"}, {\"Functions\": \"Fn::Join\"}]",
            "get_file A function.\nFn::Join A function.\n",
            "\"get_file\",\"A function.\"\n\"Fn::Join\",\"get_attr\"\n",
        ] {
            let functions = HashSet::from(["get_file".to_owned(), "Fn::Join".to_owned()]);
            assert_eq!(lists(text).functions[0].0, functions, "{text}");
        }
        assert!(CloudLists::default().add("nothing").is_err());
    }

    #[test]
    fn a_list_of_functions_is_of_the_versions_that_have_them() {
        let of = |version: Version| {
            let places = [CallContext::Value, CallContext::Condition];
            let has = |name: &str| {
                places.into_iter().any(|place| {
                    !matches!(
                        meaning(name, version, place),
                        None | Some(FunctionMeaning::Removed | FunctionMeaning::NotInCondition)
                    )
                })
            };
            functions().filter(|it| has(it.name)).map(|it| it.name.to_owned()).collect()
        };
        for version in Version::all() {
            assert!(versions_of(&of(version)).contains(&version), "{version}");
        }
        // A function that the cloud lacks does not change the version.
        let mut functions: HashSet<String> = of(Version::V2016_10_14);
        functions.remove("yaql");
        assert_eq!(versions_of(&functions), [Version::V2016_10_14]);
    }
}
