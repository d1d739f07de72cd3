//! Tests of `--target hot`.

use super::Hot;
use crate::{EmitOptions, EmitOutput, EmitRequest, Emitter as _, LossKind};
use heat_template::hot::Version;
use lossless_yaml::{Limits, read};
use source_diagnostics::SourceId;

fn rendered(text: &str, to: Option<Version>) -> EmitOutput {
    let document = read(SourceId(0), text.into(), &Limits::default()).expect("YAML");
    let options = EmitOptions { to, ..EmitOptions::default() };
    let request = EmitRequest {
        schema: heat_template::schema::Schema::heat(),
        document: &document,
        model: None,
        options: &options,
    };
    Hot.emit(&request).expect("HOT")
}

fn text(emitted: &EmitOutput) -> &str {
    &emitted.files[0].text
}

#[test]
fn comments_stay_with_what_they_are_about() {
    let source = "\
# licence

heat_template_version: newton # ours
resources:
  # the server
  r:
    properties:
      b: [1, {c: d}] # list
      # of e
      e: f # end
    # of the type
    type: OS::Heat::None
  # after all
outputs: {}
";
    let written = "\
# licence
heat_template_version: 2016-10-14  # ours
resources:
  # the server
  r:
    # of the type
    type: OS::Heat::None
    properties:
      b:  # list
        - 1
        - c: d
      # of e
      e: f  # end
# after all
";
    let emitted = rendered(source, None);
    assert_eq!(text(&emitted), written);
    assert!(emitted.losses.is_empty());
    assert_eq!(text(&rendered(written, None)), written);
}

#[test]
fn what_a_version_cannot_say_stands_in_a_comment() {
    let source = "\
heat_template_version: 2018-03-02
parameters:
  p:
    type: number
    tags: [a]
    constraints:
    - modulo: {step: 2, offset: 0}
resources:
  r:
    type: OS::Heat::None
    condition: c
    properties:
      m: {map_merge: [{get_param: p}]}
      s: {list_join: ['', [a, b]]}
";
    let emitted = rendered(source, Some(Version::V2013_05_23));
    let written = "\
heat_template_version: 2013-05-23
parameters:
  p:
    # lost: 2013-05-23 cannot express `tags`
    #   tags: [a]
    # lost: 2013-05-23 cannot express `modulo`
    #   modulo: {step: 2, offset: 0}
    type: number
resources:
  r:
    # lost: 2013-05-23 cannot express `condition`
    #   condition: c
    type: OS::Heat::None
    properties:
      # lost: 2013-05-23 cannot express `map_merge`
      #   {map_merge: [{get_param: p}]}
      m: null
      s: ab
";
    assert_eq!(text(&emitted), written);
    let kinds: Vec<_> = emitted.losses.iter().map(|loss| loss.kind).collect();
    use LossKind::{Function, Section};
    assert_eq!(kinds, [Section, Section, Section, Function]);
    assert_eq!(text(&rendered(written, None)), written);
}

#[test]
fn what_looks_like_a_call_stays_data() {
    let source = "heat_template_version: 2013-05-23\nresources:\n  r: {type: x, metadata: {digest: [md5, x]}}\n";
    let emitted = rendered(source, Some(Version::LATEST));
    assert!(text(&emitted).contains("map_replace"), "{}", text(&emitted));
    assert!(emitted.losses.is_empty());
}

#[test]
fn the_name_of_the_tables_is_free() {
    let source = "HeatTemplateFormatVersion: 2012-12-12\nParameters: {mappings: {Type: String}}\nMappings: {M: {a: {b: 1}}}\nOutputs: {o: {Value: {'Fn::FindInMap': [M, a, {Ref: mappings}]}}}\n";
    assert!(text(&rendered(source, None)).contains("  mappings_2:\n    type: json\n"));
}
