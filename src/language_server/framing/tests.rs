use super::*;
use proptest::prelude::*;

fn framed(body: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

fn request(id: i32) -> String {
    framed(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"a","params":{{"text":"ä: \n"}}}}"#))
}

/// The messages of a stream: `request 1`, `-32700 REASON`, …
fn read(bytes: &[u8]) -> Vec<String> {
    // As small as packets may be.
    let mut reader = MessageReader::new(io::BufReader::with_capacity(7, bytes));
    let mut all = Vec::new();
    while let Some(incoming) = reader.read().expect("memory can be read") {
        all.push(match incoming {
            Incoming::Message(Message::Request(it)) => format!("request {}", it.id),
            Incoming::Message(Message::Notification(it)) => format!("notification {}", it.method),
            Incoming::Message(Message::Response(it)) => format!("response {}", it.id),
            Incoming::Malformed(it) => format!("{} {}", it.code, it.reason),
        });
    }
    all
}

#[test]
fn messages_follow_each_other_with_every_spelling_of_a_header() {
    let body = r#"{"method":"b"}"#;
    for header in [
        "Content-Length: 14\r\n\r\n",
        "content-length:14\r\n\r\n",
        "CONTENT-LENGTH :  14 \n\n",
        "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 14\r\n\r\n",
        "Content-Length: 14\r\nX-Other: a: b\r\nContent-Length: 14\r\n\r\n",
        "\r\n\r\nContent-Length: 14\r\n\r\n",
    ] {
        let text = format!("{}{header}{body}{}", request(1), request(2));
        assert_eq!(read(text.as_bytes()), ["request 1", "notification b", "request 2"], "{header}");
    }
}

#[test]
fn something_else_is_reported_once_and_the_next_message_is_read() {
    let inner = r#"{"id":7,"method":"a"}"#;
    for (text, code) in [
        ("Content-Length: 99999999999\r\n\r\n".to_owned(), -32700),
        ("Content-Length: 99999999999999999999999999\r\n\r\n{}".to_owned(), -32700),
        ("Content-Length: -1\r\n\r\n{}".to_owned(), -32700),
        ("Content-Length: +2\r\n\r\n{}".to_owned(), -32700),
        ("Content-Length: 0x10\r\n\r\n{}".to_owned(), -32700),
        ("Content-Length: \r\n\r\n".to_owned(), -32700),
        (format!("Content-Length: 5\r\nContent-Length: 21\r\n\r\n{inner}"), -32700),
        (format!("Content-Type: a\r\n\r\n{inner}"), -32700),
        (format!("Content-Length 21\r\n\r\n{inner}"), -32700),
        (format!("GET / HTTP/1.1\r\nHost: a\r\n\r\n{inner}"), -32700),
        (inner.to_owned(), -32700),
        ("x".repeat(5000), -32700),
        ("Content-Length: 0\r\n\r\n".to_owned(), -32700),
        (framed("{\"a\": "), -32700),
        (framed(&"[".repeat(100_000)), -32700),
        // Too short and too long.
        (format!("Content-Length: 9\r\n\r\n{inner}"), -32700),
        (format!("Content-Length: 60\r\n\r\n{inner}"), -32700),
        (framed("[]"), -32600),
        (framed(&format!("[{inner}]")), -32600),
        (framed("5"), -32600),
        (framed("{}"), -32600),
        (framed(r#"{"id":3}"#), -32600),
        (framed(r#"{"id":3,"method":4}"#), -32600),
        (framed(r#"{"id":null,"method":"a"}"#), -32600),
        (framed(r#"{"id":1.5,"method":"a"}"#), -32600),
        (framed(r#"{"id":3000000000,"method":"a"}"#), -32600),
        (framed(r#"{"id":3,"result":1,"error":2}"#), -32600),
    ] {
        let all = read(format!("{}{text}{}{}", request(1), request(2), request(3)).as_bytes());
        let [first, malformed, rest @ ..] = &all[..] else { panic!("{text}: {all:?}") };
        assert_eq!(first, "request 1", "{text}");
        assert!(malformed.starts_with(&code.to_string()), "{text}: {malformed}");
        assert_eq!(rest, ["request 2", "request 3"], "{text}");
    }
    let bytes = [b"Content-Length: 2\r\n\r\n\xff\xfe".as_slice(), request(2).as_bytes()].concat();
    assert_eq!(read(&bytes), ["-32700 the body is not UTF-8: line 1, column 1", "request 2"]);
}

#[test]
fn each_of_several_malformed_messages_is_reported() {
    let pieces = [
        "Content-Length: 99999999999\r\nContent-Type: a\r\n\r\n",
        "Content-Length: a\r\n\r\n{}",
        "Content-Length: 2\r\n\r\n{]",
        "Content-Type: a\r\n\r\n",
        "Content-Length: -2\r\n\r\n",
        "Content-Length: 2\r\n\r\n[]",
        "Content-Length: 1000000000000\r\n\r\n",
    ];
    let all = read(format!("{}{}", pieces.concat(), request(1)).as_bytes());
    assert_eq!(all.len(), pieces.len() + 1, "{all:?}");
    assert_eq!(all.last().map(String::as_str), Some("request 1"));
}

#[test]
fn what_is_malformed_is_answered_before_more_comes() {
    /// A stream that must not be read beyond its text.
    struct Silent<'t>(&'t [u8]);
    impl Read for Silent<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            assert!(!self.0.is_empty(), "nothing more comes");
            self.0.read(buffer)
        }
    }
    for text in ["Content-Length: 99999999999\r\n", "hello\n", "Content-Length: 2\r\n\r\n{]"] {
        let mut reader = MessageReader::new(io::BufReader::new(Silent(text.as_bytes())));
        assert!(matches!(reader.read(), Ok(Some(Incoming::Malformed(_)))), "{text}");
    }
}

#[test]
fn the_answer_has_the_identifier_if_there_is_one() {
    for (body, id) in
        [(r#"{"id":"x","method":4}"#, json!("x")), (r#"{"id":3}"#, json!(3)), ("[", json!(null))]
    {
        let text = framed(body);
        let incoming = MessageReader::new(text.as_bytes()).read().expect("memory can be read");
        let Some(Incoming::Malformed(malformed)) = incoming else { panic!("{body}") };
        assert_eq!(malformed.answer()["id"], id);
        assert_eq!(malformed.answer()["error"]["code"], malformed.code);
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_their_end(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        read(&bytes);
    }

    #[test]
    fn a_message_after_any_bytes_is_read(
        pieces in proptest::collection::vec(prop_oneof![
            "[ -~]{0,20}",
            Just("\r\n".to_owned()),
            Just("Content-Length: ".to_owned()),
            Just("\n\n{}".to_owned()),
            (0..200_usize).prop_map(|it| it.to_string()),
        ], 0..12),
    ) {
        // A length of up to 999 bytes, or of 20 digits, may take some of the messages for its body.
        let rest: String = (1..=40).map(request).collect();
        let text = format!("{}\n{rest}", pieces.concat());
        let all = read(text.as_bytes());
        prop_assert_eq!(all.last().map(String::as_str), Some("request 40"));
    }

    #[test]
    fn one_changed_byte_costs_at_most_two_messages(
        at in 0..1000_usize, byte in any::<u8>(), is_removed in any::<bool>(),
    ) {
        let mut bytes: Vec<u8> = (1..=6).map(request).collect::<String>().into_bytes();
        let at = at % bytes.len();
        if is_removed {
            bytes.remove(at);
        } else {
            bytes[at] = byte;
        }
        let all = read(&bytes);
        let whole = (1..=6).filter(|id| all.contains(&format!("request {id}"))).count();
        prop_assert!(whole >= 4, "{all:?}");
    }
}
