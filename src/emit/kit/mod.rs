//! What several targets share: one form of each thing that is not about a format.

mod attachments;
mod expression;
mod inexpressible;
mod names;
mod residual;
mod source_comment;
mod text_resource;
mod uuid;

pub(in crate::emit) use attachments::Attachments;
pub(in crate::emit) use expression::{
    CollectionWriter, ConditionWriter, Connective, ListRun, MapEntry, Operands, ReferenceWriter,
    TargetLanguage, TextWriter, key_text, operation, translate, written_items,
};
pub(in crate::emit) use inexpressible::{Expressed, Inexpressible};
pub(in crate::emit) use names::{UniqueNames, identifier};
pub(in crate::emit) use residual::{ResidualWriter, translate_unknown};
pub(in crate::emit) use source_comment::{column_at, lost_comment};
pub(in crate::emit) use text_resource::TextResource;
pub(in crate::emit) use uuid::is_uuid;
