//! Inputs of several files.
//!
//! A line `==> NAME <==` begins a file, which is what `tail -v -n +1 FILE…` prints. What stands before the first
//! such line is the main file.

use std::path::{Component, Path};

/// The most files that an input may have.
const MOST: usize = 24;

/// The files of an input: `main` first, then those that it names, each path within the folder.
pub fn of<'d>(data: &'d [u8], main: &'d str) -> Vec<(&'d str, &'d [u8])> {
    let mut files = vec![(main, &data[..0])];
    let (mut begin, mut at) = (0, 0);
    for line in data.split_inclusive(|byte| *byte == b'\n') {
        let end = at + line.len();
        if let Some(name) = name(line) {
            close(&mut files, &data[begin..at]);
            files.push((name, &data[..0]));
            begin = end;
        }
        at = end;
    }
    close(&mut files, &data[begin..]);
    files.retain(|(_, bytes)| !bytes.is_empty());
    files.truncate(MOST);
    files
}

fn close<'d>(files: &mut [(&str, &'d [u8])], bytes: &'d [u8]) {
    if let Some((_, last)) = files.last_mut() {
        *last = bytes;
    }
}

fn name(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line).ok()?;
    let name = line.trim_end().strip_prefix("==> ")?.strip_suffix(" <==")?;
    let simple = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    let is_inside = Path::new(name).components().all(|it| matches!(it, Component::Normal(_)));
    (!name.is_empty() && name.len() < 80 && name.chars().all(simple) && is_inside).then_some(name)
}

/// A number that an input stands for, by which it chooses among variants (FNV-1a).
pub fn choice(data: &[u8]) -> usize {
    let hash = data.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 33) as usize
}
