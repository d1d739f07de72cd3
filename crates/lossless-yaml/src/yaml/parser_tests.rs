use super::*;

fn events(text: &str) -> Result<Vec<Event<'_>>> {
    all_events(Parser::new(text))
}

fn all_events(mut parser: Parser<'_>) -> Result<Vec<Event<'_>>> {
    let mut events = Vec::new();
    loop {
        let event = parser.next_event()?;
        let last = event.kind == EventKind::StreamEnd;
        events.push(event);
        if last {
            return Ok(events);
        }
    }
}

/// The scalars: the bytes of their spans, and their values.
fn scalars(text: &str) -> Vec<(&str, String)> {
    let events = events(text).unwrap_or_else(|error| panic!("{text:?}: {error:?}"));
    events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Scalar { value, .. } => {
                Some((&text[event.start as usize..event.end as usize], value.to_string()))
            }
            _ => None,
        })
        .collect()
}

fn values(text: &str) -> Vec<String> {
    scalars(text).into_iter().map(|(_, value)| value).collect()
}

fn spans(text: &str) -> Vec<&str> {
    scalars(text).into_iter().map(|(span, _)| span).collect()
}

/// Problem, its offset, context, its offset.
fn failure(text: &str) -> (String, u32, String, u32) {
    match events(text) {
        Ok(_) => panic!("{text:?} is accepted"),
        Err(error) => {
            let (context, start) = error.context.unwrap_or_default();
            (error.problem.into(), error.offset, context.into(), start)
        }
    }
}

fn shape(text: &str) -> String {
    shape_of(Parser::new(text), text)
}

fn shape_of(parser: Parser<'_>, text: &str) -> String {
    let events = all_events(parser).unwrap_or_else(|error| panic!("{text:?}: {error:?}"));
    let signs = events.iter().map(|event| match &event.kind {
        EventKind::StreamStart | EventKind::StreamEnd => String::new(),
        EventKind::DocumentStart { explicit } => if *explicit { "---" } else { "(" }.to_owned(),
        EventKind::DocumentEnd { explicit } => if *explicit { "..." } else { ")" }.to_owned(),
        EventKind::Alias { name } => format!("*{name} "),
        EventKind::Scalar { value, .. } => format!("={value} "),
        EventKind::SequenceStart { .. } => "[".to_owned(),
        EventKind::SequenceEnd => "]".to_owned(),
        EventKind::MappingStart { .. } => "{".to_owned(),
        EventKind::MappingEnd => "}".to_owned(),
    });
    signs.collect()
}

#[test]
fn collections_nest_by_indentation_and_by_brackets() {
    assert_eq!(shape("a:\n- b\n- c: d\ne: [f, {g: h}]\n"), "({=a [=b {=c =d }]=e [=f {=g =h }]})");
    assert_eq!(shape("- - a\n  - b\n-\n- c"), "([[=a =b ]= =c ])");
    assert_eq!(shape("[a: b, ? c, d]"), "([{=a =b }{=c = }=d ])");
    assert_eq!(shape("{a, b: , ? c}"), "({=a = =b = =c = })");
    assert_eq!(shape("? a\n? b\n: c\n"), "({=a = =b =c })");
    assert_eq!(shape("a: {\n}\nb: [\n]\n"), "({=a {}=b []})");
}

#[test]
fn documents_are_told_apart() {
    assert_eq!(shape(""), "");
    assert_eq!(shape("# nothing\n"), "");
    assert_eq!(shape("---\n"), "---= )");
    assert_eq!(shape("a\n...\n---\nb\n--- c\n...\n"), "(=a ...---=b )---=c ...");
}

#[test]
fn spans_are_bytes_of_the_whole_text() {
    assert_eq!(spans("\u{feff}ä: 'b'\nc: \"d\" # e\n"), ["ä", "'b'", "c", "\"d\""]);
    assert_eq!(spans("a: b\n  c # d\ne: f \n"), ["a", "b\n  c", "e", "f"]);
    let list = events("  [ a ]").unwrap_or_default();
    assert_eq!((list[2].start, list[2].end), (2, 3));
    assert_eq!((list[4].start, list[4].end), (6, 7));
}

#[test]
fn an_empty_value_stands_after_its_indicator() {
    let empty: Vec<_> = events("a:\nb: # c\n")
        .unwrap_or_default()
        .iter()
        .filter(|event| event.start == event.end)
        .filter(|event| matches!(event.kind, EventKind::Scalar { .. }))
        .map(|event| event.start)
        .collect();
    assert_eq!(empty, [2, 5]);
}

#[test]
fn block_scalars_end_with_their_last_line() {
    assert_eq!(spans("|\n a\n\n\n"), ["|\n a\n"]);
    assert_eq!(spans("k: |- # c\n  a\n  b\n\n# d\n"), ["k", "|- # c\n  a\n  b\n"]);
    assert_eq!(spans("k: |+\n  a\n\n\nl: m"), ["k", "|+\n  a\n\n\n", "l", "m"]);
    assert_eq!(spans("k: >\nl: |\n\n\nm: |+\n\n"), ["k", ">\n", "l", "|\n", "m", "|+\n\n"]);
    assert_eq!(spans("|\n a"), ["|\n a"]);
    assert_eq!(spans("|"), ["|"]);
}

#[test]
fn block_scalars_have_libyaml_s_values() {
    assert_eq!(values("|\n a"), ["a"]);
    assert_eq!(values("|\n a\n"), ["a\n"]);
    assert_eq!(values("|\n  a\n   b\n\n  c\n"), ["a\n b\n\nc\n"]);
    assert_eq!(values("|1\n  a\n b\n"), [" a\nb\n"]);
    assert_eq!(values("|+\n a\n\n\n"), ["a\n\n\n"]);
    assert_eq!(values("|-\r\n a\r\n b\r\n"), ["a\nb"]);
    assert_eq!(values(">\n a\n b\n\n c\n  d\n e\n"), ["a b\nc\n d\ne\n"]);
    assert_eq!(values(">\n\n a\u{2028} b\u{85} c\n"), ["\na\u{2028}b c\n"]);
    assert_eq!(values("- |\n a\n- >+\n\n"), ["a\n", "\n"]);
}

#[test]
fn flow_scalars_fold() {
    assert_eq!(values("a\n b\n\n\n c"), ["a b\n\nc"]);
    assert_eq!(values("'a \n  b\n\n c '"), ["a b\nc "]);
    assert_eq!(values("\"a \\\n  b\\\n\n c\\n\n \""), ["a b\nc\n "]);
    assert_eq!(values("'it''s'"), ["it's"]);
    assert_eq!(values(r#""\x41\u00e9\U0001F600\N\_\/\e\0""#), ["Aé😀\u{85}\u{a0}/\u{1b}\0"]);
    assert_eq!(values("[a\tb, c:d, -e, 'f':g]"), ["a\tb", "c:d", "-e", "f", "g"]);
}

#[test]
fn values_that_stand_in_the_text_are_borrowed() {
    let text = "plain words: 'single'\n\"double\": |\n  one line\nb: >-\n  and another\n";
    for event in events(text).unwrap_or_default() {
        if let EventKind::Scalar { value, .. } = event.kind {
            assert!(matches!(value, Cow::Borrowed(_)), "{value:?}");
        }
    }
}

#[test]
fn properties_stand_before_the_span() {
    let text = "&a !!str b: !x &c\n  [ *a, !<y> 'd', &e ]";
    let mut seen = Vec::new();
    for event in events(text).unwrap_or_default() {
        let (EventKind::Scalar { properties, .. } | EventKind::SequenceStart { properties, .. }) =
            event.kind
        else {
            continue;
        };
        let properties = properties.expect("every node here has some");
        let (start, anchor) = (properties.start, properties.anchor);
        seen.push((start, anchor, properties.tag.map(String::from), event.start, event.end));
    }
    assert_eq!(
        seen,
        [
            (0, Some("a"), Some("tag:yaml.org,2002:str".to_owned()), 9, 10),
            (12, Some("c"), Some("!x".to_owned()), 20, 21),
            (26, None, Some("y".to_owned()), 31, 34),
            (36, Some("e"), None, 38, 38),
        ]
    );
}

#[test]
fn handles_hold_for_one_document() {
    let text = "%TAG !e! tag:e%2C2000:\n%TAG !! tag:other:\n--- [!e!a b, !!c d, !f g]\n";
    let tags: Vec<_> = events(text)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::Scalar { properties, .. } => properties?.tag.map(String::from),
            _ => None,
        })
        .collect();
    assert_eq!(tags, ["tag:e,2000:a", "tag:other:c", "!f"]);
    let (problem, offset, context, _) = failure("%TAG !e! x\n--- a\n--- !e!b c\n");
    assert_eq!((problem.as_str(), offset), ("found undefined tag handle", 21));
    assert_eq!(context, "while parsing a node");
    assert_eq!(failure("%TAG ! x\n%TAG ! y\n---\n").0, "found duplicate %TAG directive");
}

#[test]
fn comments_are_collected_wherever_they_stand() {
    let text = "# one\na: 'b # no' # two\r\nc: | # three\n  # no\n# four\nd: [e, # five\n  f#no]\n\
                '#no': x\ng: h\n  # six";
    let mut parser = Parser::new(text);
    while parser.next_event().is_ok_and(|event| event.kind != EventKind::StreamEnd) {}
    let comments: Vec<_> = parser
        .into_comments()
        .into_iter()
        .map(|comment| &text[comment.start as usize..comment.end as usize])
        .collect();
    assert_eq!(comments, ["# one", "# two", "# three", "# four", "# five", "# six"]);
}

#[test]
fn comments_beside_directives_count() {
    let text = "%YAML 1.1 # version\n--- # start\na\n... # end\n";
    let mut parser = Parser::new(text);
    while parser.next_event().is_ok_and(|event| event.kind != EventKind::StreamEnd) {}
    assert_eq!(parser.comments().len(), 3);
}

#[test]
fn simple_keys_may_have_1024_characters() {
    for wide in ["k", "é", "日"] {
        assert!(events(&format!("{}: v", wide.repeat(1024))).is_ok());
        assert!(events(&format!("[{}: v]", wide.repeat(1024))).is_ok());
        let (problem, ..) = failure(&format!("{}: v", wide.repeat(1025)));
        assert_eq!(problem, "mapping values are not allowed in this context");
        let (problem, _, context, start) = failure(&format!("a: b\n{}: v", wide.repeat(1025)));
        assert_eq!(problem, "could not find expected ':'");
        assert_eq!((context.as_str(), start), ("while scanning a simple key", 5));
    }
}

#[test]
fn columns_count_characters() {
    // If bytes were counted, `b` would be left of the block scalar's indentation or beside `é`.
    assert_eq!(shape("- é: a\n  b: c\n- - ü: d\n    e: f\n"), "([{=é =a =b =c }[{=ü =d =e =f }]])");
    assert_eq!(shape("é: {ä: b}\nc: d"), "({=é {=ä =b }=c =d })");
}

#[test]
fn errors_say_what_libyaml_says() {
    for (text, expected) in [
        ("a: b: c", ("mapping values are not allowed in this context", 4, "", 0)),
        ("[a\n", ("did not find expected ',' or ']'", 3, "while parsing a flow sequence", 0)),
        ("{a: b]", ("did not find expected ',' or '}'", 5, "while parsing a flow mapping", 0)),
        ("a: b\n c: d\n", ("mapping values are not allowed in this context", 7, "", 0)),
        (
            "- a\nb: c",
            ("did not find expected '-' indicator", 4, "while parsing a block collection", 0),
        ),
        ("a: 'b", ("found unexpected end of stream", 5, "while scanning a quoted scalar", 3)),
        ("é: \"\\q\"", ("found unknown escape character", 5, "while parsing a quoted scalar", 4)),
        (
            "a: @b",
            (
                "found character that cannot start any token",
                3,
                "while scanning for the next token",
                3,
            ),
        ),
        ("%YAML 2.0\n---\n", ("found incompatible YAML document", 0, "", 0)),
        ("%X\n---\n", ("found unknown directive name", 2, "while scanning a directive", 0)),
        ("a\u{1}", ("control characters are not allowed", 1, "", 0)),
        ("ab\u{fffe}", ("control characters are not allowed", 2, "", 0)),
        ("\u{9f}", ("control characters are not allowed", 0, "", 0)),
    ] {
        let (problem, offset, context, start) = failure(text);
        assert_eq!((problem.as_str(), offset, context.as_str(), start), expected, "{text:?}");
    }
}

#[test]
fn the_end_and_an_error_repeat() {
    let mut parser = Parser::new("a");
    while parser.next_event().is_ok_and(|event| event.kind != EventKind::StreamEnd) {}
    for _ in 0..3 {
        let end = Event { kind: EventKind::StreamEnd, start: 1, end: 1 };
        assert_eq!(parser.next_event(), Ok(end));
    }
    for text in ["[a, }", "a: 'b", "\u{0}", "{a: b, [}"] {
        let mut parser = Parser::new(text);
        let error = loop {
            if let Err(error) = parser.next_event() {
                break error;
            }
        };
        for _ in 0..3 {
            assert_eq!(parser.next_event(), Err(error.clone()), "{text:?}");
        }
    }
}

#[test]
fn depth_costs_no_stack_and_no_time() {
    const DEPTH: usize = 100_000;
    for (open, close) in
        [("[", "]"), ("{a: ", "}"), ("- ", ""), ("? ", ""), ("[a: ", "]"), ("{? ", "}")]
    {
        let open_only = open.repeat(DEPTH);
        let closed = format!("{open_only}x{}", close.repeat(DEPTH));
        let count = events(&closed).map(|events| events.len());
        assert!(count.clone().is_ok_and(|count| count > 2 * DEPTH), "{open:?}: {count:?}");
        assert_eq!(events(&open_only).is_err(), !close.is_empty(), "{open:?}");
    }
}

/// The events of the pure Python loader for a text that libyaml rejects.
fn pure_shape(text: &str) -> String {
    assert!(events(text).is_err(), "{text:?}");
    shape_of(Parser::with_dialect(text, PyYamlLoader::PurePython), text)
}

fn pure_refuses(text: &str) {
    assert!(events(text).is_ok(), "{text:?}");
    let events = all_events(Parser::with_dialect(text, PyYamlLoader::PurePython));
    assert!(events.is_err(), "{text:?}");
}

#[test]
fn the_pure_reader_takes_what_libyaml_refuses() {
    assert_eq!(pure_shape("%YAML 1.3\n--- a\n"), "---=a )");
    assert_eq!(pure_shape("%HEAT up to you\n--- a\n"), "---=a )");
    assert_eq!(pure_shape("[a:, b:]"), "([{=a = }{=b = }])");
    assert_eq!(pure_shape("[? : a]"), "([{= =a }])");
    assert_eq!(pure_shape("\"\\ud83d\""), "(=\u{fffd} )");
    assert_eq!(pure_shape("|\n \ta\n \tb\n"), shape("|1\n \ta\n \tb\n"));
    assert_eq!(pure_shape("!a,b c"), "(=c )");
}

#[test]
fn the_pure_reader_refuses_what_libyaml_takes() {
    for text in
        ["k:\ta", "a:\t|\n b", "a: b\t\nc: d", "|# c\n a", "%YAML 1.1# c\n---", "%YAML\t1.1\n---"]
    {
        pure_refuses(text);
    }
}
