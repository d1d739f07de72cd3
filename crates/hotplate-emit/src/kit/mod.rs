//! Code that several targets share: one form of each thing that is not about a format.

mod attachments;
mod creation_order;
mod expression;
mod inexpressible;
mod map_key;
mod names;
mod residual;
mod source_comment;
mod template_order;
mod text_resource;
mod uuid;
mod waiting;

pub(crate) use attachments::{AttachmentNames, Attachments};
pub(crate) use creation_order::creation_order;
pub(crate) use expression::{
    CollectionWriter, ConditionWriter, Connective, ListRun, MapEntry, Operands, ReferenceWriter,
    TargetLanguage, TextWriter, key_text, operation, translate, written_items,
};
pub(crate) use inexpressible::{Expressed, Inexpressible};
pub(crate) use map_key::map_key_text;
pub(crate) use names::{UniqueNames, identifier};
pub(crate) use residual::{ResidualWriter, translate_unknown};
pub(crate) use source_comment::{
    Omission, Outdent, column_at, lost_comment, lost_value, original_lines,
};
pub(crate) use template_order::nested_templates_first;
pub(crate) use text_resource::TextResource;
pub(crate) use uuid::is_uuid;
pub(crate) use waiting::{ResourceDependencies, WaitGraph, awaited_objects, resource_dependencies};
