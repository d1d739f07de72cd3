//! The consequence of a finding: decided where the finding is made, and shown by every command.

use super::Severity;

/// The consequence of a finding in Heat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Consequence {
    /// Heat or its client refuses the stack.
    StackRefused,
    /// Heat creates the stack, and reports an error in place of one output.
    OutputFails,
    /// Heat creates the stack, since nothing that it reads uses the condition that fails.
    ConditionFails,
    /// Heat creates the stack.
    Accepted,
    /// Unknown, since hotplate cannot read or compute a part.
    Undecided,
    /// Unknown, since something that belongs to the deployment was not given: Heat creates the stack with it, and refuses it without.
    Incomplete,
}

impl Consequence {
    /// The severity of a finding with this consequence, if it determines it.
    pub(crate) const fn severity(self) -> Option<Severity> {
        match self {
            Consequence::StackRefused | Consequence::Undecided => Some(Severity::Error),
            Consequence::OutputFails | Consequence::ConditionFails | Consequence::Incomplete => {
                Some(Severity::Warning)
            }
            Consequence::Accepted => None,
        }
    }

    /// Why Heat creates the stack in spite of a failure.
    pub(crate) const fn reason(self) -> Option<&'static str> {
        match self {
            Consequence::OutputFails => {
                Some("Heat creates the stack, and reports the error in place of the output")
            }
            Consequence::ConditionFails => {
                Some("Heat creates the stack, since nothing that it reads uses the condition")
            }
            Consequence::StackRefused
            | Consequence::Accepted
            | Consequence::Undecided
            | Consequence::Incomplete => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, CodeInfo, Diagnostic};

    #[allow(dead_code, unreachable_pub)]
    mod codes {
        crate::codes! {
            REFUSED = "X0001" Error "refused" "Heat refuses it.";
            UNREAD = "X0002" Error (Undecided) "not read" "Nobody has read it.";
            ADVICE = "X0003" Warning "advice" "Heat accepts it.";
        }
    }

    fn finding(code: Code) -> Diagnostic {
        Diagnostic::new(code, "a sentence")
    }

    #[test]
    fn a_code_has_the_consequence_of_its_row() {
        let of = |code: Code| -> (Consequence, bool) {
            let CodeInfo { consequence, .. } = *code.info();
            assert_eq!(finding(code).consequence(), consequence);
            (consequence, finding(code).refuses_stack())
        };
        assert_eq!(of(codes::REFUSED), (Consequence::StackRefused, true));
        assert_eq!(of(codes::UNREAD), (Consequence::Undecided, false));
        assert_eq!(of(codes::ADVICE), (Consequence::Accepted, false));
    }

    #[test]
    fn a_consequence_decides_the_severity_and_says_why() {
        let late = finding(codes::REFUSED).with_consequence(Consequence::OutputFails);
        assert_eq!((late.severity, late.refuses_stack()), (Severity::Warning, false));
        assert!(late.help[0].contains("in place of the output"), "{:?}", late.help);
        let less = Diagnostic { severity: Severity::Note, ..finding(codes::REFUSED) };
        assert_eq!(less.consequence(), Consequence::Accepted);
    }

    #[test]
    fn other_words_keep_the_consequence_and_the_words_of_heat() {
        let mut late = finding(codes::REFUSED).with_consequence(Consequence::OutputFails);
        late.heat_message = Some("Heat's words".into());
        late.reword(&finding(codes::UNREAD).help("do this"));
        assert_eq!((late.code, late.consequence()), (codes::UNREAD, Consequence::OutputFails));
        assert_eq!(late.severity, Severity::Warning);
        assert_eq!(late.help[0], "do this");
        assert_eq!(late.help.len(), 2);
        assert_eq!(late.heat_message.as_deref(), Some("Heat's words"));
    }
}
