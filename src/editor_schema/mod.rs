//! JSON Schemas of templates and environments, for editors such as those that use yaml-language-server.
//!
//! A schema checks a file as text, without parameters, environments or nested templates: it may miss mistakes, but must not refuse
//! what Heat accepts. So a function is allowed for every value, a value may have every type that Heat converts, and of a resource only
//! the types in Heat's own source are described. `tests/conformance/parts/json_schema.py` compares it with Heat.
//!
//! The dialect is draft 7, which editors support best; keywords that only editors know (`deprecated`, `doNotSuggest`) are ignored
//! by others.

mod environment;
mod template;
mod values;

pub use environment::environment_schema;
pub use template::template_schema;

const DRAFT: &str = "http://json-schema.org/draft-07/schema#";

/// A reference to a definition.
fn reference(name: &str) -> serde_json::Value {
    serde_json::json!({ "$ref": format!("#/definitions/{name}") })
}
