//! The structure of an evaluation's report, declared once for the data and for its JSON Schema.

use std::borrow::Cow;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::report::{SourcePoint, SourceRange};
use lossless_yaml::Value as Data;

/// A part of a report that can be converted to data.
pub(super) trait ToData {
    /// The part as data; `None` if its key is omitted.
    fn data(self) -> Option<Data>;
}

/// Declares parts with their keys, in the order of the report.
macro_rules! parts {
    ($(
        $(#[$about:meta])*
        $name:ident { $($(#[$field_about:meta])* $key:literal $field:ident: $type:ty,)* }
    )*) => {$(
        $(#[$about])*
        #[derive(Debug, JsonSchema)]
        pub struct $name {
            $($(#[$field_about])* #[schemars(rename = $key)] pub(super) $field: $type,)*
        }

        impl ToData for $name {
            fn data(self) -> Option<Data> {
                let mut pairs = Vec::new();
                $(pairs.extend(self.$field.data().map(|value| (Data::from($key), value)));)*
                Some(Data::Map(pairs))
            }
        }
    )*};
}

parts! {
    /// The values that Heat computes for a stack; after an error in the declarations of parameters, and for an
    /// unreadable template, only `ok` and `errors`.
    Stack {
        /// Whether Heat accepts the stack.
        "ok" ok: bool,
        /// The errors for which Heat refuses the stack, in Heat's order.
        "errors" errors: Vec<StackError>,
        /// The version key of the template and its value.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "version" version: Option<[String; 2]>,
        /// The file of a nested template.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "template" template: Option<String>,
        /// The values of parameters.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "parameters" parameters: Option<IndexMap<String, ReportValue>>,
        /// The values of conditions.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "conditions" conditions: Option<IndexMap<String, ReportValue>>,
        /// The resources whose conditions are true.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "resources" resources: Option<IndexMap<String, StackResource>>,
        /// The names of the other resources.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "disabled_resources" disabled_resources: Option<Vec<String>>,
        /// The outputs; `null` if Heat refuses the section.
        #[schemars(with = "Option<IndexMap<String, StackOutput>>")]
        #[schemars(skip_serializing_if = "Option::is_none")]
        "outputs" outputs: Option<Nullable<IndexMap<String, StackOutput>>>,
    }

    /// An error for which Heat refuses the stack.
    StackError {
        /// The class of Heat's exception; for an unreadable template, the code of the finding.
        "type" class: String,
        /// Heat's message, or that of the finding.
        "message" message: String,
        /// The stage in which Heat refuses it; `load` for an unreadable template.
        "stage" stage: String,
        /// The place in the source; `null` without a file.
        #[schemars(with = "Option<SourceRange>")]
        "place" place: Nullable<SourceRange>,
    }

    /// A resource of the stack, with the results of its functions.
    StackResource {
        /// The type as written.
        "type" kind: String,
        /// Its properties by name.
        "properties" properties: ReportValue,
        /// The section `metadata`, if the resource has one.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "metadata" metadata: Option<ReportValue>,
        /// The section `update_policy`, if the resource has one.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "update_policy" update_policy: Option<ReportValue>,
        /// `Delete`, `Retain` or `Snapshot`.
        "deletion_policy" deletion_policy: ReportValue,
        /// The names under `depends_on`.
        "depends_on" depends_on: Vec<String>,
        /// The id of an existing resource that it adopts.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "external_id" external_id: Option<ReportValue>,
        /// The condition under which Heat creates the resource, if it has one.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "condition" condition: Option<ReportValue>,
        /// The description, if the resource has one.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "description" description: Option<String>,
        /// The resources that it waits for.
        "requires" requires: Requires,
        /// Further resources that the plugin of its type makes it wait for, such as a port for the subnets of its
        /// network.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "implicit_dependencies" implicit_dependencies: Option<Vec<String>>,
        /// The errors of Heat's functions in it.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "function_errors" function_errors: Option<Vec<Refused>>,
        /// The stack that it represents, with `--nested`.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "nested" nested: Option<Nested>,
    }

    /// An output of the stack, with the results of its functions.
    StackOutput {
        /// The result of the output's `value`.
        "value" value: ReportValue,
        /// The description of the output.
        "description" description: ReportValue,
        /// Whether its condition is true.
        "enabled" enabled: ReportValue,
    }

    /// An exception of Heat.
    Refused {
        /// The name of the exception's class in Heat or Python.
        "type" class: String,
        /// The message of the exception, in Heat's words.
        "message" message: String,
    }

    /// Replaces a value that Heat fails to compute.
    Failed {
        /// The exception that Heat raises while it computes the value.
        "$error" error: Refused,
    }

    /// Replaces an unknown value.
    NotKnown {
        /// The facts about the value.
        "$unknown" unknown: Expression,
    }

    /// An unknown value.
    Expression {
        /// The expression that computes it, as HOT.
        "expr" expr: ReportValue,
        /// The parts that its value depends on.
        "depends_on" depends_on: Vec<DependsOn>,
    }

    /// Something that is known only at deployment; an attribute has the keys `resource` and `attribute`.
    #[derive(Default)]
    DependsOn {
        /// A parameter without a value.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "parameter" parameter: Option<String>,
        /// A resource whose id or attribute is known only at deployment.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "resource" resource: Option<String>,
        /// The attribute; `null` for all of them.
        #[schemars(with = "Option<String>")]
        #[schemars(skip_serializing_if = "Option::is_none")]
        "attribute" attribute: Option<Nullable<String>>,
        /// A file that could not be read.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "file" file: Option<String>,
        /// A property of the cloud.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "cloud" cloud: Option<String>,
    }
}

/// The resources that one waits for.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Requires {
    /// The names of these resources.
    Names(Vec<String>),
    /// Why they are unknown.
    Failed(Failed),
}

impl Stack {
    /// A stack with only its errors.
    pub(super) fn of(ok: bool, errors: Vec<StackError>) -> Self {
        Stack {
            ok,
            errors,
            version: None,
            template: None,
            parameters: None,
            conditions: None,
            resources: None,
            disabled_resources: None,
            outputs: None,
        }
    }
}

impl ToData for Requires {
    fn data(self) -> Option<Data> {
        match self {
            Requires::Names(names) => names.data(),
            Requires::Failed(failed) => failed.data(),
        }
    }
}

/// The stack that a resource represents.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Nested {
    /// The report of the nested stack.
    Stack(Box<Stack>),
    /// Its definition is unknown.
    NotKnown(NotKnown),
    /// Heat fails to create it.
    Failed(Failed),
}

impl ToData for Nested {
    fn data(self) -> Option<Data> {
        match self {
            Nested::Stack(stack) => stack.data(),
            Nested::NotKnown(unknown) => unknown.data(),
            Nested::Failed(failed) => failed.data(),
        }
    }
}

/// A value: JSON, with a special form for what JSON cannot express.
#[derive(Debug)]
pub struct ReportValue(pub(super) Data);

impl JsonSchema for ReportValue {
    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Any JSON value. A map with one of these keys, at any depth, represents something that JSON \
                cannot express or that is not a value: `$error` (Heat fails: `type`, `message`), `$unknown` (`expr`, \
                `depends_on`), `$unresolved` (a call that is not evaluated, with `args`), `$float` (`inf`, `-inf`, \
                `nan`), `$bytes` (base64), `$date`, `$set` (a list), `$map` (pairs of keys and values), \
                `$object` (a Python object, with `text`), `$elided`. A secret is `******`."
        })
    }
}

impl ToData for ReportValue {
    fn data(self) -> Option<Data> {
        Some(self.0)
    }
}

/// A value whose key is always present, `null` if there is none.
#[derive(Debug)]
pub struct Nullable<T>(pub(super) Option<T>);

impl<T: ToData> ToData for Nullable<T> {
    fn data(self) -> Option<Data> {
        Some(self.0.and_then(ToData::data).unwrap_or(Data::Null))
    }
}

impl<T: ToData> ToData for Option<T> {
    fn data(self) -> Option<Data> {
        self.and_then(ToData::data)
    }
}

impl<T: ToData> ToData for Vec<T> {
    fn data(self) -> Option<Data> {
        Some(Data::List(self.into_iter().filter_map(ToData::data).collect()))
    }
}

impl ToData for [String; 2] {
    fn data(self) -> Option<Data> {
        Vec::from(self).data()
    }
}

impl<T: ToData> ToData for IndexMap<String, T> {
    fn data(self) -> Option<Data> {
        let pairs = self.into_iter().filter_map(|(key, value)| Some((key, value.data()?)));
        Some(Data::map(pairs))
    }
}

impl ToData for bool {
    fn data(self) -> Option<Data> {
        Some(Data::Bool(self))
    }
}

impl ToData for String {
    fn data(self) -> Option<Data> {
        Some(Data::from(self))
    }
}

impl ToData for SourceRange {
    fn data(self) -> Option<Data> {
        let point = |point: SourcePoint| {
            let count = |count: u32| Data::from(i64::from(count));
            Data::map([
                ("line", count(point.line)),
                ("column", count(point.column)),
                ("byte", count(point.byte)),
            ])
        };
        let SourceRange { path, start, end } = self;
        Some(Data::map([("path", Data::from(path)), ("start", point(start)), ("end", point(end))]))
    }
}
