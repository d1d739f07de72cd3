//! The shape of an evaluation's report: declared once, for the data and for its JSON Schema.

use std::borrow::Cow;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::report::{SourcePoint, SourceRange};
use lossless_yaml::Value as Data;

/// A part of a report.
pub(super) trait ToData {
    /// The part as data; `None` where its key is left out.
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
    /// What Heat computes for a stack; after an error in the declarations of parameters, and for a template
    /// that cannot be read, `ok` and `errors` only.
    Stack {
        /// Whether Heat accepts the stack.
        "ok" ok: bool,
        /// What Heat refuses, in Heat's order.
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
        /// The resources whose conditions hold.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "resources" resources: Option<IndexMap<String, StackResource>>,
        /// The names of the other resources.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "disabled_resources" disabled_resources: Option<Vec<String>>,
        /// The outputs; `null` where Heat refuses the section.
        #[schemars(with = "Option<IndexMap<String, StackOutput>>")]
        #[schemars(skip_serializing_if = "Option::is_none")]
        "outputs" outputs: Option<Nullable<IndexMap<String, StackOutput>>>,
    }

    /// A reason for which Heat refuses the stack.
    StackError {
        /// The class of Heat's exception; for a template that cannot be read the code of the finding.
        "type" class: String,
        /// Heat's message, or that of the finding.
        "message" message: String,
        /// The stage in which Heat refuses it, `load` for what cannot be read.
        "stage" stage: String,
        /// Where it is written; `null` for what stands in no file.
        #[schemars(with = "Option<SourceRange>")]
        "place" place: Nullable<SourceRange>,
    }

    /// A resource of the stack, with what its functions give.
    StackResource {
        /// Its type as it is written.
        "type" kind: String,
        /// Its properties by name.
        "properties" properties: ReportValue,
        /// The section `metadata` of the resource, where it has one.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "metadata" metadata: Option<ReportValue>,
        /// The section `update_policy` of the resource, where it has one.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "update_policy" update_policy: Option<ReportValue>,
        /// `Delete`, `Retain` or `Snapshot`.
        "deletion_policy" deletion_policy: ReportValue,
        /// The names under `depends_on`.
        "depends_on" depends_on: Vec<String>,
        /// The id of an existing resource that stands for it.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "external_id" external_id: Option<ReportValue>,
        /// The condition under which Heat makes the resource, where it has one.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "condition" condition: Option<ReportValue>,
        /// The description of the resource, where it has one.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "description" description: Option<String>,
        /// The resources that it waits for.
        "requires" requires: Requires,
        /// What Heat's functions refuse in it.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "function_errors" function_errors: Option<Vec<Refused>>,
        /// The stack that it stands for, with `--nested`.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "nested" nested: Option<Nested>,
    }

    /// An output of the stack, with what its functions give.
    StackOutput {
        /// What the output's `value` comes to.
        "value" value: ReportValue,
        /// The description of the output.
        "description" description: ReportValue,
        /// Whether its condition holds.
        "enabled" enabled: ReportValue,
    }

    /// An exception of Heat's.
    Refused {
        /// The name of the exception's class in Heat or Python.
        "type" class: String,
        /// The message of the exception, with Heat's words.
        "message" message: String,
    }

    /// In the place of a value that Heat fails to compute.
    Failed {
        /// The exception that Heat raises while it computes the value.
        "$error" error: Refused,
    }

    /// In the place of a value that is unknown.
    NotKnown {
        /// What is known of it.
        "$unknown" unknown: Expression,
    }

    /// A value that is unknown.
    Expression {
        /// The expression that it is the value of, as HOT.
        "expr" expr: ReportValue,
        /// What its value depends on.
        "depends_on" depends_on: Vec<DependsOn>,
    }

    /// Something that only a cloud or a user knows; an attribute has the keys `resource` and `attribute`.
    #[derive(Default)]
    DependsOn {
        /// A parameter without a value.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "parameter" parameter: Option<String>,
        /// A resource whose id or attribute only the cloud knows.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "resource" resource: Option<String>,
        /// Its attribute; `null` for all of them.
        #[schemars(with = "Option<String>")]
        #[schemars(skip_serializing_if = "Option::is_none")]
        "attribute" attribute: Option<Nullable<String>>,
        /// A file that could not be read.
        #[schemars(skip_serializing_if = "Option::is_none")]
        "file" file: Option<String>,
        /// A fact about the cloud.
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
    /// With nothing but what Heat refuses.
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

/// The stack that a resource stands for.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Nested {
    /// What `eval` reports of the nested stack.
    Stack(Box<Stack>),
    /// Its definition is unknown.
    NotKnown(NotKnown),
    /// Heat fails to make it.
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

/// A value: JSON as it is, but for what JSON cannot hold or what is no value.
#[derive(Debug)]
pub struct ReportValue(pub(super) Data);

impl JsonSchema for ReportValue {
    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Any JSON value. A map with one of these keys stands for what JSON cannot hold, or \
                what is no value, at any depth: `$error` (Heat fails: `type`, `message`), `$unknown` (`expr`, \
                `depends_on`), `$unresolved` (a call that stays a call, with `args`), `$float` (`inf`, `-inf`, \
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

/// What has a key in any case, and `null` where there is nothing.
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
