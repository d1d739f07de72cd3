//! Measures the reading of all files together.

use std::fs;
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use lossless_yaml::yaml::{EventKind, Parser};
use lossless_yaml::{Limits, decode, read_yaml};
use source_diagnostics::SourceId;

use crate::paths;

/// Interleaved rounds over all files; the best of each counts, since nothing but noise slows one down.
pub(crate) fn time(list: &str) -> Result<()> {
    const ROUNDS: usize = 25;
    let mut texts: Vec<Arc<str>> = Vec::new();
    for path in paths(list)? {
        let bytes = fs::read(&path).with_context(|| path.clone())?;
        if let Ok(text) = decode(SourceId(0), bytes) {
            texts.push(text.into());
        }
    }
    let megabytes = texts.iter().map(|text| text.len()).sum::<usize>() as f64 / 1e6;
    let mut events = Vec::new();
    let mut loads = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let count: usize = texts.iter().map(|text| count_events(text)).sum();
        events.push((start.elapsed(), count));
        let start = Instant::now();
        let nodes: usize = texts
            .iter()
            .filter_map(|text| read_yaml(SourceId(0), Arc::clone(text), &Limits::default()).ok())
            .map(|document| document.nodes().len())
            .sum();
        loads.push((start.elapsed(), nodes));
    }
    let speed = |rounds: &[(Duration, usize)]| {
        let best = rounds.iter().map(|(elapsed, _)| *elapsed).min().unwrap_or(Duration::MAX);
        megabytes / best.as_secs_f64()
    };
    let (events, loads) = (speed(&events), speed(&loads));
    let report = format!(
        "{} files, {megabytes:.2} MB: events {events:.0} MB/s, documents {loads:.0} MB/s, ratio {:.2}\n",
        texts.len(),
        loads / events,
    );
    std::io::stdout().write_all(report.as_bytes())?;
    Ok(())
}

fn count_events(text: &str) -> usize {
    let mut parser = Parser::new(text);
    let mut count = 0;
    while let Ok(event) = parser.next_event() {
        count += 1;
        if event.kind == EventKind::StreamEnd {
            break;
        }
    }
    count
}
