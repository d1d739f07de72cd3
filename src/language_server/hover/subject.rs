//! The hover of the name or value at a position.

use heat_engine::environment::Location;
use heat_template::cfn::CfnMeaning;
use heat_template::dialect::{Dialect, KeyTable};
use heat_template::hot::{FunctionMeaning, Release, Version};
use heat_template::schema::Schema;
use lossless_yaml::NodeId;

use super::values::ValueOf;
use crate::language_server::cursor::{Cursor, DocumentStep};
use crate::language_server::file_view::FileView;
use crate::language_server::place::{
    Call, Expected, Implementation, Name, Place, Places, PropertyPlace, property_markdown,
    scalar_argument, type_markdown,
};
use crate::language_server::snapshot::Snapshot;
use crate::resource_types::TypeDescription;

/// A position about which something is said.
pub(super) struct HoverRequest<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) view: &'a FileView,
    pub(super) places: Places<'a>,
    pub(super) cursor: Cursor,
}

impl HoverRequest<'_> {
    /// The facts as Markdown; empty if there are none.
    pub(super) fn text(&self, root: Place) -> String {
        let (path, containers) = (&self.cursor.path, &self.cursor.containers);
        match (path.split_last(), containers.split_last()) {
            (Some((DocumentStep::Key(key), outer)), Some((map, around))) if self.cursor.is_key => {
                let place = self.places.walk(root, outer, around);
                self.key(&place, *map, key)
            }
            _ => {
                let place = self.places.walk(root.clone(), path, containers);
                match (&place, self.yaql(root)) {
                    (Place::Data, Some(call)) => call,
                    _ => self.value(&place),
                }
            }
        }
    }

    fn key(&self, place: &Place, map: NodeId, key: &str) -> String {
        match place {
            Place::Template => self.of_table(KeyTable::Template, key, "section"),
            Place::Parameter => self.of_table(KeyTable::Parameter, key, "key of a parameter"),
            Place::Constraint => {
                self.of_table(KeyTable::Constraint, key, "constraint of a parameter")
            }
            Place::Output
                if self
                    .places
                    .dialect
                    .key(KeyTable::Output, key)
                    .is_some_and(|it| it.hot_name == "value") =>
            {
                self.value_of(map, key)
            }
            Place::Output => self.of_table(KeyTable::Output, key, "key of an output"),
            Place::Resource(definition) if definition.is_resource => {
                self.of_table(KeyTable::Resource, key, "key of a resource")
            }
            Place::Parameters => self.parameter(key),
            Place::Conditions => self.condition(key),
            Place::Resources => self.resource(key),
            Place::Outputs => self.output(key),
            Place::ParameterValues | Place::MergeStrategies => self.deployed_parameter(key),
            Place::Registry { .. } => self.resource_type(key),
            _ => self.part(&self.places.member(place, map, key), map, key),
        }
    }

    /// A property, a function, or another key whose value may be computed.
    fn part(&self, place: &Place, map: NodeId, key: &str) -> String {
        match place {
            Place::Argument(call, ..) if call.name == key => self.call(*call, map),
            Place::Value(Expected::Property(property)) => {
                joined([self.property(property), self.value_of(map, key)])
            }
            Place::Value(Expected::NestedParameter(view, name)) => {
                let template = view.template();
                let declaration = template.and_then(|it| it.stack.parameters.get(name));
                let declared =
                    declaration.map(|it| self.declaration(name, it.clone())).unwrap_or_default();
                joined([declared, self.value_of(map, key)])
            }
            Place::Value(_) => self.value_of(map, key),
            _ => String::new(),
        }
    }

    /// A scalar at a place.
    fn value(&self, place: &Place) -> String {
        let Some(text) = self.places.document.str(self.cursor.node) else { return String::new() };
        match place {
            Place::Version => self.version(),
            Place::ResourceType | Place::RegistryTarget => self.resource_type(text),
            Place::Condition => self.condition(text),
            Place::Name(Name::Parameter | Name::DeclaredParameter) => self.parameter(text),
            Place::Name(Name::Resource | Name::AttributeOwner) => self.resource(text),
            Place::Name(Name::ResourceOrParameter) => match self.places.resource(text) {
                Some(_) => self.resource(text),
                None => self.parameter(text),
            },
            Place::Name(Name::Attribute(owner)) => self.attribute(*owner, text),
            Place::Name(Name::Condition) => self.condition(text),
            Place::Argument(call, context, _) => self.value(&scalar_argument(*call, *context)),
            Place::FilePath => self.file(text),
            _ => String::new(),
        }
    }

    /// The yaql call in whose expression the position is.
    fn yaql(&self, root: Place) -> Option<String> {
        let outer = self.cursor.path.len().checked_sub(1)?;
        let place = self.places.walk(root, self.cursor.path.get(..outer)?, &self.cursor.containers);
        let Place::Argument(call, ..) = place else { return None };
        let is_yaql = call.meaning == CfnMeaning::Shared(FunctionMeaning::Yaql);
        let map = self.cursor.containers.get(self.cursor.containers.len().checked_sub(2)?)?;
        is_yaql.then(|| self.call(call, *map))
    }

    fn of_table(&self, table: KeyTable, name: &str, what: &str) -> String {
        let Some(key) = self.places.dialect.key(table, name) else { return String::new() };
        let since = match key.since {
            Some(Version::V2013_05_23) => "in every version of HOT".to_owned(),
            Some(since) => format!("since version {since} ({})", Release::that_brought(since)),
            None => format!("of {}", self.places.dialect),
        };
        format!("**{name}**: {what}, {since}")
    }

    fn version(&self) -> String {
        match self.places.dialect {
            Dialect::Hot(version) => {
                let names = version
                    .name()
                    .map(|name| format!(", also written `{name}`"))
                    .unwrap_or_default();
                format!(
                    "**HOT {version}**{names}: since OpenStack {}",
                    Release::that_brought(version)
                )
            }
            Dialect::Cfn(format) => format!("**{format}**: the only version of the format"),
        }
    }

    /// A function with its value, if the call is the map.
    fn call(&self, call: Call, map: NodeId) -> String {
        let notes: String = call.notes().iter().map(|note| format!("\n- {note}")).collect();
        let text = format!(
            "```yaml\n{}\n```\n{}, in {}.",
            call.signature(),
            call.summary(),
            self.places.dialect
        );
        let values = self.values_at(self.places.document.span(map).range(), ValueOf::Call);
        joined([text, notes, titled("Value", values)])
    }

    /// The values of what is behind a key.
    fn value_of(&self, map: NodeId, key: &str) -> String {
        let node = self.places.document.get(map, key);
        let values = node
            .map(|node| self.values_at(self.places.document.span(node).range(), ValueOf::Computed));
        titled("Value", values.unwrap_or_default())
    }

    fn property(&self, place: &PropertyPlace) -> String {
        let described = TypeDescription::new(place.kind, self.snapshot.project().facts());
        let Some(described) = described else { return String::new() };
        let all = if place.is_policy { &described.update_policy } else { &described.properties };
        let property = all.iter().find(|it| it.path == place.path);
        property
            .map(|it| format!("{}\n\n{}", property_markdown(it), place.kind))
            .unwrap_or_default()
    }

    /// A resource type, or a template that is used as one.
    pub(super) fn resource_type(&self, name: &str) -> String {
        match self.places.types.implementation(name) {
            Some(Implementation::Type(kind, _)) => {
                let described = TypeDescription::new(kind, self.snapshot.project().facts());
                let text = described.map(|it| type_markdown(&it)).unwrap_or_default();
                let schema: &Schema = self.places.types.schema();
                let alias = (kind != name && schema.real_name(name) != kind)
                    .then(|| format!("`{name}` is `{kind}` in the environment."));
                joined([alias.unwrap_or_default(), text])
            }
            Some(Implementation::Template(view)) => self.template(name, &view),
            None => String::new(),
        }
    }

    fn file(&self, reference: &str) -> String {
        let location = Location::of_absolute(&self.view.path).resolve(reference);
        let Some(path) = location.absolute() else { return String::new() };
        match source_files::FileSource::kind(self.snapshot.files(), &path) {
            Some(source_files::PathKind::File) => format!("The file `{}`", self.shown_path(&path)),
            Some(_) => format!("`{}` is no file", self.shown_path(&path)),
            None => format!("There is no file `{}`", self.shown_path(&path)),
        }
    }

    /// A path as the user sees it: from the folder of the project.
    pub(super) fn shown_path(&self, path: &std::path::Path) -> String {
        let inside = path.strip_prefix(&self.snapshot.session.root).unwrap_or(path);
        source_files::display_name(inside).into_owned()
    }
}

/// Paragraphs, without empty ones.
pub(super) fn joined(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

/// Lines with a title, if there are any.
pub(super) fn titled(title: &str, lines: String) -> String {
    if lines.is_empty() { lines } else { format!("{title}:\n{lines}") }
}
