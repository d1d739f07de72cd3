//! The exit statuses, which are the same for every command.

use std::process::ExitCode;

use source_diagnostics::{Consequence, Diagnostic};

/// The result of a command; for several files, the highest one counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExitStatus {
    /// 0: done.
    #[default]
    Done,
    /// 1: done, but the result needs attention: something would change or is blocked, there are
    /// differences or findings, something was lost with `--strict`, or a value was dropped.
    Attention,
    /// 2: input that cannot be read, output that cannot be written, or wrong usage.
    Failed,
}

impl ExitStatus {
    /// The result of a command that read all of its input or not, with these findings about it.
    pub fn of(is_read: bool, findings: &[Diagnostic]) -> Self {
        // Heat creates a stack with such an output, but who asks for its value does not get it.
        let has_no_value = |it: &Diagnostic| it.consequence() == Consequence::OutputFails;
        match is_read {
            false => ExitStatus::Failed,
            true if findings.iter().any(|it| it.is_error() || has_no_value(it)) => {
                ExitStatus::Attention
            }
            true => ExitStatus::Done,
        }
    }

    /// The number that the shell receives.
    pub fn code(self) -> u8 {
        match self {
            ExitStatus::Done => 0,
            ExitStatus::Attention => 1,
            ExitStatus::Failed => 2,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        ExitCode::from(status.code())
    }
}
