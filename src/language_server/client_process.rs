//! The process of the client, which may end without a word.

/// A process that was there when it was first looked for. A client in a container may name one that is nowhere to be seen.
pub(super) struct ClientProcess(i32);

impl ClientProcess {
    /// The process with a number, if it is there, and if the system can tell.
    pub(super) fn watched(number: i32) -> Option<Self> {
        let process = ClientProcess(number);
        process.is_alive().then_some(process)
    }

    /// Whether it is still there.
    #[cfg(unix)]
    pub(super) fn is_alive(&self) -> bool {
        let gone = rustix::io::Errno::SRCH;
        // The numbers of processes are positive.
        let number = Some(self.0).filter(|number| *number > 0);
        number
            .and_then(rustix::process::Pid::from_raw)
            .is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(gone))
    }

    /// Without Unix, the end of the input is all that tells of the end of a client.
    #[cfg(not(unix))]
    pub(super) fn is_alive(&self) -> bool {
        false
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_there_until_it_ends() {
        let own = i32::try_from(std::process::id()).expect("a number");
        assert!(ClientProcess::watched(own).is_some());
        let mut child = std::process::Command::new("sleep").arg("600").spawn().expect("`sleep`");
        let number = i32::try_from(child.id()).expect("a number");
        let process = ClientProcess::watched(number).expect("it runs");
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        assert!(!process.is_alive());
        assert!(ClientProcess::watched(number).is_none());
        assert!([0, -1].into_iter().all(|number| ClientProcess::watched(number).is_none()));
    }
}
