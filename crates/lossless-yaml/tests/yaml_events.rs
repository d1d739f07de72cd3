//! Compares our events with libyaml's, on samples and on mutations of them.
//!
//! `HOTPLATE_MUTATIONS=1000000` sets the number of mutated inputs, `HOTPLATE_SEEDS=DIR` adds the
//! YAML files under a folder to the samples that are mutated. Both parsers run in step: same events
//! in the same order, then the same error, so that an input counts as agreed only if all events
//! and errors are the same.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod libyaml;
mod yaml_samples;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use libyaml::{Outcome, compare, is_known_difference};

#[test]
fn seeds_agree() {
    let seeds = seeds();
    let mut accepted = 0;
    for text in &seeds {
        match compare(text) {
            Ok(Outcome::Accepted) => accepted += 1,
            Ok(Outcome::Rejected) => {}
            Err(difference) => panic!("{text:?}\n{difference}"),
        }
    }
    println!("{0} of {0} seeds agree ({accepted} accepted)", seeds.len());
    assert!(accepted * 2 > seeds.len());
}

#[test]
fn mutations_agree() {
    let count = match std::env::var("HOTPLATE_MUTATIONS") {
        Ok(count) => count.parse().expect("HOTPLATE_MUTATIONS is a number"),
        Err(_) => 20_000,
    };
    let seeds = seeds();
    let tally = Tally::default();
    let threads = 2;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (seeds, tally) = (&seeds, &tally);
            scope.spawn(move || {
                for number in (thread..count).step_by(threads) {
                    tally.add(&mutate(seeds, &mut Random::new(number as u64)));
                }
            });
        }
    });
    let mismatches = tally.mismatches.into_inner().unwrap();
    let agreed = tally.agreed.into_inner();
    println!(
        "{agreed} of {} mutated inputs agree ({} accepted, {} known differences left out)",
        agreed + mismatches.len(),
        tally.accepted.into_inner(),
        tally.known.into_inner(),
    );
    for (text, difference) in mismatches.iter().take(20) {
        println!("{text:?}\n{difference}\n");
    }
    assert!(mismatches.is_empty(), "{} mismatches", mismatches.len());
    assert!(agreed * 10 >= count * 9, "too few inputs were compared");
}

#[derive(Default)]
struct Tally {
    agreed: AtomicUsize,
    accepted: AtomicUsize,
    known: AtomicUsize,
    mismatches: Mutex<BTreeMap<String, String>>,
}

impl Tally {
    fn add(&self, bytes: &[u8]) {
        let Ok(text) = std::str::from_utf8(bytes) else {
            // We refuse these; libyaml must not accept them either.
            if libyaml::Parser::new(bytes).count_events().is_some() {
                self.report(String::from_utf8_lossy(bytes).into_owned(), "no UTF-8".to_owned());
            } else {
                self.agreed.fetch_add(1, Ordering::Relaxed);
            }
            return;
        };
        match compare(text) {
            Ok(outcome) => {
                self.agreed.fetch_add(1, Ordering::Relaxed);
                if outcome == Outcome::Accepted {
                    self.accepted.fetch_add(1, Ordering::Relaxed);
                }
            }
            Err(_) if is_known_difference(text) => {
                self.known.fetch_add(1, Ordering::Relaxed);
            }
            Err(_) => {
                let text = minimise(text);
                let difference = compare(&text).err().unwrap_or_default();
                self.report(text, difference);
            }
        }
    }

    fn report(&self, text: String, difference: String) {
        self.mismatches.lock().unwrap().insert(text, difference);
    }
}

/// Removes everything that is not needed for the difference.
fn minimise(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let mut size = chars.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < chars.len() {
            let mut shorter = chars.clone();
            shorter.drain(at..chars.len().min(at + size));
            let candidate: String = shorter.iter().collect();
            if compare(&candidate).is_err() && !is_known_difference(&candidate) {
                chars = shorter;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    chars.into_iter().collect()
}

fn seeds() -> Vec<String> {
    let mut seeds: Vec<String> = yaml_samples::SAMPLES.iter().map(|&text| text.into()).collect();
    // Keys at the limit of 1024 characters, where one character more or less matters.
    for len in [1023, 1024, 1025] {
        let key = "k".repeat(len);
        seeds.push(format!("a: b\n{key}: c\n"));
        seeds.push(format!("- [x, '{}': c]\n", &key[2..]));
        seeds.push(format!("[{{{}, [b]}}: c]\n", &key[8..]));
    }
    if let Some(folder) = std::env::var_os("HOTPLATE_SEEDS") {
        let mut paths: Vec<_> = ignore::WalkBuilder::new(folder)
            .standard_filters(false)
            .build()
            .filter_map(|entry| Some(entry.ok()?.into_path()))
            .filter(|path| path.extension().is_some_and(|end| end == "yaml" || end == "template"))
            .collect();
        paths.sort();
        seeds.extend(paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()));
    }
    seeds
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0xD134_2543_DE82_EF95))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (((mixed ^ (mixed >> 31)) as u128 * limit.max(1) as u128) >> 64) as usize
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

const INSERTS: &[&str] = &[
    ":",
    ": ",
    ":\n",
    " :",
    "-",
    "- ",
    "-\n",
    "?",
    "? ",
    ",",
    ", ",
    "[",
    "]",
    "{",
    "}",
    "[]",
    "{}",
    "#",
    " #",
    " # c",
    "&",
    "&a ",
    "&b-1 ",
    "*",
    "*a ",
    "*a",
    "!",
    "! ",
    "!t ",
    "!!str ",
    "!e!x ",
    "!<tag:x,2000:y> ",
    "|",
    "| ",
    "|\n",
    ">\n",
    "|+\n",
    "|-\n",
    ">2-\n",
    "|1\n",
    "|# c\n",
    "'",
    "''",
    "\"",
    "\"\"",
    "\\",
    "\\\n",
    "\\n",
    "\\x41",
    "\\u263a",
    "\\U0001F600",
    "\\ud800",
    "\\q",
    "\\\t",
    "%",
    "%YAML 1.1\n---\n",
    "%YAML 1.2\n",
    "%TAG !e! tag:e,2000:\n---\n",
    "%TAG ! !x\n",
    "@",
    "`",
    "~",
    "null",
    "yes",
    "0x1F",
    "\t",
    " ",
    "  ",
    "    ",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "---",
    "---\n",
    "--- ",
    "\n---\n",
    "...",
    "...\n",
    "\n...\n",
    "<<: ",
    "=",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    "\u{a0}",
    "é",
    "ü",
    "日本",
    "😀",
    "\0",
    "\u{7}",
    "\u{7f}",
    "\u{80}",
    "\u{fffe}",
    "\u{fffd}",
    "a",
    "b c",
    "%41",
    "x: ",
    "\n  ",
    "\n    - ",
    "\n- ",
];

/// One to four changes to a seed.
fn mutate(seeds: &[String], random: &mut Random) -> Vec<u8> {
    let mut bytes = window(&seeds[random.below(seeds.len())], random).to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(11) {
            0 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = b' ' + random.below(95) as u8;
                }
            }
            1 | 2 => insert(&mut bytes, at, random.pick(INSERTS)),
            3 => {
                let end = bytes.len().min(at + 1 + random.below(8));
                bytes.drain(at..end);
            }
            4 => {
                let line = line_at(&bytes, at);
                let copy = bytes[line.clone()].to_vec();
                bytes.splice(line.start..line.start, copy);
            }
            5 => {
                let line = line_at(&bytes, at);
                bytes.drain(line);
            }
            6 => {
                let other = window(&seeds[random.below(seeds.len())], random);
                let from = random.below(other.len() + 1);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            7 => {
                let line = line_at(&bytes, at);
                let blanks = random.pick(&[" ", "  ", "    ", "\t"]);
                insert(&mut bytes, line.start, blanks);
            }
            8 => {
                let line = line_at(&bytes, at);
                if bytes.get(line.start) == Some(&b' ') {
                    bytes.remove(line.start);
                }
            }
            9 => {
                let line_break = random.pick(&["\r\n", "\r", "\u{85}", "\u{2028}"]);
                let everywhere = random.below(2) == 0;
                bytes = break_lines(&bytes, line_break.as_bytes(), everywhere, random);
            }
            _ => {
                let end = bytes.len().min(at + 1);
                bytes.splice(at..end, random.pick(INSERTS).bytes());
            }
        }
    }
    bytes
}

fn insert(bytes: &mut Vec<u8>, at: usize, text: &str) {
    bytes.splice(at..at, text.bytes());
}

/// Whole lines of a long seed, all of a short one.
fn window<'s>(seed: &'s str, random: &mut Random) -> &'s [u8] {
    const SIZE: usize = 1200;
    let bytes = seed.as_bytes();
    if bytes.len() <= SIZE {
        return bytes;
    }
    let start = line_at(bytes, random.below(bytes.len() - SIZE)).start;
    let end = line_at(bytes, start + 1 + random.below(SIZE)).end;
    &bytes[start..end]
}

/// The line around `at`, including its line feed.
fn line_at(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let at = at.min(bytes.len());
    let start = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
    let end = bytes[at..].iter().position(|&byte| byte == b'\n');
    start..end.map_or(bytes.len(), |feed| at + feed + 1)
}

/// Other line breaks, in place of all line feeds or of some.
fn break_lines(bytes: &[u8], with: &[u8], everywhere: bool, random: &mut Random) -> Vec<u8> {
    let mut changed = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        if byte == b'\n' && (everywhere || random.below(4) == 0) {
            changed.extend_from_slice(with);
        } else {
            changed.push(byte);
        }
    }
    changed
}
