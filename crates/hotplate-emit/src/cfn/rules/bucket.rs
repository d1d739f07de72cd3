//! Who may read an `AWS::S3::Bucket`: AWS accepts an access control list only with settings that allow one.

use super::server::boolean;
use crate::cfn::resource_builder::AwsResourceBuilder;
use crate::cfn::template_builder::TemplateBuilder;
use crate::cfn::value::text_of;
use crate::tree::DataTree;
use heat_engine::eval::Value;
use heat_template::ir::Expr;
use source_diagnostics::Span;

/// `AccessControl`: public as in Heat; otherwise omitted, since AWS buckets are private by default. Heat's
/// `AuthenticatedRead` means the project (`heat/engine/resources/aws/s3/s3.py`), in AWS everyone who has
/// an account.
pub(super) fn access_control(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    value: &Expr,
    whole: Span,
) {
    let owner = builder.planned.owner.clone();
    let known = template_builder.evaluator.constant(value);
    let message = match known.as_ref().and_then(text_of).as_deref() {
        Some(access @ ("PublicRead" | "PublicReadWrite")) => {
            builder.set("AccessControl", DataTree::from(access));
            let rule = DataTree::map([("ObjectOwnership", DataTree::from("ObjectWriter"))]);
            builder.set("OwnershipControls.Rules", DataTree::list([rule]));
            builder.set("PublicAccessBlockConfiguration.BlockPublicAcls", boolean(false));
            builder.set("PublicAccessBlockConfiguration.IgnorePublicAcls", boolean(false));
            return;
        }
        Some("Private" | "BucketOwnerRead" | "BucketOwnerFullControl") => return,
        Some("AuthenticatedRead") => {
            format!(
                "`AccessControl` of `{owner}` is omitted: in AWS everyone with an account could \
                 read the bucket"
            )
        }
        _ if known == Some(Value::Null) => return,
        _ => format!("`AccessControl` of `{owner}` is not known while rendering"),
    };
    let lines = template_builder.report_lost_item("AccessControl", message, whole, &owner);
    builder.comment(lines);
}
