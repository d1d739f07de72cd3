//! Standard input and output as a connection.

use std::io::{self, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, select, unbounded};
use gen_lsp_types::{ExitNotification, Notification, Request, ShutdownRequest};
use lsp_server::{Connection, Message};
use serde_json::Value;

use super::framing::{Incoming, MessageReader};
use super::server::Log;

/// The messages that may be read before they are taken.
const READ_AHEAD: usize = 8;
/// How long the process may go on after `exit`, or after the end of the input.
const END_AFTER: Duration = Duration::from_millis(700);
/// How long the last messages may take.
const LAST_MESSAGES: Duration = Duration::from_millis(200);

/// Two threads that read standard input and write to standard output.
#[derive(Debug)]
pub struct StdioTransport {
    close: Sender<()>,
    closed: Receiver<()>,
}

impl StdioTransport {
    /// Starts the threads. What is not a message is answered and written to the log.
    ///
    /// # Errors
    ///
    /// If the system has no more threads.
    pub fn start(log: Arc<Log>) -> io::Result<(Connection, Self)> {
        // What the client does not read must not stop the server from reading `exit`.
        let (sender, written) = unbounded();
        let (refusals, written_refusals) = unbounded();
        let (read, receiver) = bounded(READ_AHEAD);
        let (close, closes) = bounded(1);
        let (is_closed, closed) = bounded(1);
        let writer = thread::Builder::new().name("lsp-writer".to_owned());
        writer.spawn(move || {
            // A client that is gone needs no message.
            let _ = write_all(&written, &written_refusals, &closes);
            let _ = is_closed.send(());
        })?;
        let reader = thread::Builder::new().name("lsp-reader".to_owned());
        reader.spawn(move || {
            let is_shut_down = read_all(&read, &refusals, &log);
            drop(read);
            // Whatever still computes, or waits for a disk.
            thread::sleep(END_AFTER);
            #[expect(clippy::exit, reason = "an editor waits for the end of the process")]
            std::process::exit(i32::from(!is_shut_down));
        })?;
        Ok((Connection { sender, receiver }, StdioTransport { close, closed }))
    }

    /// Writes what is left.
    pub fn finish(self) {
        let _ = self.close.send(());
        let _ = self.closed.recv_timeout(LAST_MESSAGES);
    }
}

/// Reads messages up to `exit`; whether `shutdown` was among them.
fn read_all(read: &Sender<Message>, refusals: &Sender<Value>, log: &Arc<Log>) -> bool {
    let mut reader = MessageReader::new(io::stdin().lock());
    let mut is_shut_down = false;
    loop {
        match reader.read() {
            Ok(Some(Incoming::Message(message))) => {
                let is_exit = match &message {
                    Message::Notification(it) => it.method == ExitNotification::METHOD.as_str(),
                    Message::Request(it) => {
                        is_shut_down |= it.method == ShutdownRequest::METHOD.as_str();
                        false
                    }
                    Message::Response(_) => false,
                };
                if read.send(message).is_err() || is_exit {
                    break;
                }
            }
            Ok(Some(Incoming::Malformed(malformed))) => {
                log(&format!("not a message: {malformed}"));
                let _ = refusals.send(malformed.answer());
            }
            Ok(None) => break,
            Err(why) => {
                log(&format!("standard input cannot be read: {why}"));
                break;
            }
        }
    }
    is_shut_down
}

/// Writes messages until it is closed, and then those that are left.
fn write_all(
    messages: &Receiver<Message>,
    refusals: &Receiver<Value>,
    closes: &Receiver<()>,
) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    loop {
        select! {
            recv(messages) -> message => match message {
                Ok(message) => message.write(&mut stdout)?,
                Err(_) => break,
            },
            recv(refusals) -> refusal => {
                if let Ok(refusal) = refusal {
                    write_refusal(&refusal, &mut stdout)?;
                }
            }
            recv(closes) -> _ => break,
        }
    }
    refusals.try_iter().try_for_each(|refusal| write_refusal(&refusal, &mut stdout))?;
    messages.try_iter().try_for_each(|message| message.write(&mut stdout))
}

fn write_refusal(refusal: &Value, stdout: &mut impl Write) -> io::Result<()> {
    let text = refusal.to_string();
    write!(stdout, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    stdout.flush()
}
