//! A value for a hidden parameter of a nested template is in no report of the template that gives it.

use crate::cli::sandbox::Sandbox;

const HOT: &str = "heat_template_version: 2021-04-16\n";

fn root(word: &str, name: &str) -> String {
    format!(
        "{HOT}parameters:
  given: {{type: string, default: {word}-passed}}
resources:
  literal:
    type: user.yaml
    properties:
      name: {name}
      password: {word}-literal
  passed:
    type: user.yaml
    properties:
      name: {name}
      password: {{get_param: given}}
  glued:
    type: user.yaml
    properties:
      name: {name}
      password: {{list_join: ['', [x, {word}-glued]]}}
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      resource_def:
        type: user.yaml
        properties:
          name: {name}
          password: {word}-member
"
    )
}

#[test]
fn no_format_shows_it() {
    let user = |hidden: &str| {
        format!(
            "{HOT}parameters:
  name: {{type: string}}
  password: {{type: string, hidden: {hidden}}}
resources:
  user: {{type: OS::Keystone::User, properties: {{name: {{get_param: name}}, password: {{get_param: password}}}}}}
"
        )
    };
    // It is enough that one side hides it.
    for (old, new) in [("true", "true"), ("false", "true"), ("true", "false")] {
        let sandbox = Sandbox::new(&[
            ("old/root.yaml", root("alpha7", "ann")),
            ("new/root.yaml", root("omega9", "bea")),
            ("old/user.yaml", user(old)),
            ("new/user.yaml", user(new)),
        ]);
        for options in [
            "",
            "--verbose",
            "--stat",
            "--format json",
            "--format json --verbose",
            "--format markdown",
            "--format html",
            "--format github",
            "--format gitlab",
            "--format zuul",
            "--format sarif",
            "--format junit",
        ] {
            let command = format!("diff {options} old/root.yaml new/root.yaml --context 9");
            let output = sandbox.hotplate(&command).output().expect("hotplate");
            let text = format!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            for secret in ["alpha7", "omega9"] {
                let at = text.find(secret).map(|at| text[..at].lines().last().unwrap_or_default());
                assert_eq!(at, None, "{options}, hidden: {old} and {new}: {secret}");
            }
        }
        let text = sandbox.hotplate("diff old/root.yaml new/root.yaml --show-secrets").output();
        let text = String::from_utf8(text.expect("hotplate").stdout).expect("text");
        assert!(text.contains("alpha7-literal"), "{text}");
    }
}
