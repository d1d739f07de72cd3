//! The pseudo parameters of the CFN formats, in terms of those of the model.
//!
//! Source: `heat.engine.cfn.parameters`, Heat 27.0.1: the stack name is the same as in HOT, the stack id is an
//! ARN that contains HOT's id, and the region is a constant.

use crate::ir::{Expr, ExprKind, Join, JoinPolicy, ParameterRef, Shared};
use source_diagnostics::Span;

/// The pseudo parameters that Heat provides, in Heat's order.
pub const PSEUDO: [&str; 3] = ["AWS::StackId", "AWS::StackName", "AWS::Region"];

/// The value of `AWS::Region` in Heat.
pub const REGION: &str = "ap-southeast-1";

fn text(text: &str, span: Span) -> Expr {
    Expr::new(ExprKind::Text(text.into()), span)
}

fn parameter(name: &str, span: Span) -> Expr {
    let name = text(name, span);
    let reference = ParameterRef { name, path: Vec::new(), by_ref: true };
    Expr::new(ExprKind::Parameter(Shared::new(reference)), span)
}

/// The value of a pseudo parameter; `None` for any other name.
pub(super) fn neutral(name: &str, span: Span) -> Option<Expr> {
    match name {
        "AWS::StackName" => Some(parameter("OS::stack_name", span)),
        "AWS::Region" => Some(text(REGION, span)),
        "AWS::StackId" => {
            let items = vec![
                text("arn:openstack:heat::", span),
                parameter("OS::project_id", span),
                text(":stacks/", span),
                parameter("OS::stack_name", span),
                text("/", span),
                parameter("OS::stack_id", span),
            ];
            let lists = vec![Expr::new(ExprKind::List(items.into()), span)];
            let join = Join { delimiter: text("", span), lists, policy: JoinPolicy::TextItems };
            Some(Expr::new(ExprKind::Join(Shared::new(join)), span))
        }
        _ => None,
    }
}

/// The id of the stack itself, or of its project, if an expression extracts it from the ARN: the third
/// piece between slashes, the fifth between colons.
pub(super) fn stack_id_of(index: i64, pieces: &Expr) -> Option<Expr> {
    let ExprKind::Split(split) = &pieces.kind else { return None };
    let is_arn = neutral("AWS::StackId", split.text.span).is_some_and(|arn| arn == split.text);
    let name = match (split.delimiter.as_text(), index) {
        (Some("/"), 2) => "OS::stack_id",
        (Some(":"), 4) => "OS::project_id",
        _ => return None,
    };
    (is_arn && split.index.is_none()).then(|| parameter(name, split.text.span))
}
