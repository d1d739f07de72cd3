//! Heat's two CFN formats: their keys and functions as tables, and lowering a document to the neutral
//! model, raising it back.
//!
//! `HeatTemplateFormatVersion: 2012-12-12` is Heat's own; `AWSTemplateFormatVersion: 2010-09-09` has
//! conditions as well. A CloudFormation feature that Heat lacks is a finding; where its meaning is
//! clear (`Fn::Sub`, `{Condition: name}`) it is lowered all the same, so that such a template can be
//! rendered as HOT. Source: `heat.engine.cfn`, Heat 27.0.1.

mod format;
mod functions;
pub mod keys;
mod lower;
mod node;
mod pseudo_parameters;
mod raise;
mod substitution;

pub use format::CfnFormat;
pub use functions::{CfnFunction, CfnMeaning, cfn_function, functions};
pub use keys::{is_output_key, is_parameter_key, is_resource_key, is_section};
pub use lower::{LoweredCfn, lower};
pub use node::{CfnNode, CfnNodeKind, CfnPair, Unsupported, UnsupportedKind};
pub use pseudo_parameters::{PSEUDO, REGION};
pub use raise::{KnownValues, RaisedCfn, raise};
