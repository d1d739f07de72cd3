//! What several targets share: one form of each thing that is not about a format.

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

pub(in crate::emit) use attachments::{AttachmentNames, Attachments};
pub(in crate::emit) use creation_order::creation_order;
pub(in crate::emit) use expression::{
    CollectionWriter, ConditionWriter, Connective, ListRun, MapEntry, Operands, ReferenceWriter,
    TargetLanguage, TextWriter, key_text, operation, translate, written_items,
};
pub(in crate::emit) use inexpressible::{Expressed, Inexpressible};
pub(in crate::emit) use map_key::map_key_text;
pub(in crate::emit) use names::{UniqueNames, identifier};
pub(in crate::emit) use residual::{ResidualWriter, translate_unknown};
pub(in crate::emit) use source_comment::{
    Omission, Outdent, column_at, lost_comment, lost_value, original_lines,
};
pub(in crate::emit) use template_order::nested_templates_first;
pub(in crate::emit) use text_resource::TextResource;
pub(in crate::emit) use uuid::is_uuid;
pub(in crate::emit) use waiting::{
    ResourceDependencies, WaitGraph, awaited_objects, resource_dependencies,
};
