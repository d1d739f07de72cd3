//! A whole folder upgraded, beside PyYAML only loading the same files.
//!
//! `cargo bench --bench upgrade`. Every round upgrades a fresh copy of the corpus in place, in this
//! process, by the way that the command goes: finding, reading, lowering, rewriting, proving,
//! writing. It does so on all threads of the machine, and on one, finding included. In the same
//! round a Python process loads the same files with PyYAML's `CSafeLoader`, as Heat does, and
//! nothing else; its start is not counted. The medians are compared.
//!
//! * `HOTPLATE_CORPUS=DIR[:DIR…]`: folders to upgrade; without it the snapshots of this repository,
//!   many times over.
//! * `HOTPLATE_PYTHON=PROGRAM`: a Python with PyYAML; without it `python3`. If it has none, that
//!   half is left out.
//! * `TMPDIR=DIR`: where the copies are. On a disk that is slow to replace files this is what the
//!   figures show; a folder in memory shows hotplate.

#![expect(clippy::print_stdout, reason = "the figures are its output")]

use std::ffi::OsString;
use std::fs;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use heat_template::hot::{DocumentKind, Version, lower, recognize};
use heat_template::schema::Schema;
use hotplate::report::upgrade::UpgradeSummary;
use hotplate::upgrade::{FileUpgrade, UpgradeAction, UpgradeOptions, upgrade, upgrade_files};
use lossless_yaml::{Limits, decode, read};
use source_diagnostics::SourceId;
use source_files::{Disk, FileSource, FoundFiles, find, write_atomic};

const ROUNDS: usize = 9;

/// A corpus with fewer files is copied so often that it has as many.
const ENOUGH_FILES: usize = 1000;

fn main() {
    let corpus = Corpus::new();
    let results = corpus.fresh(|folder| work(folder, UpgradeAction::Keep));
    let bytes: usize = results.iter().map(|file| file.text.len()).sum();
    let mut summary = UpgradeSummary::default();
    results.iter().for_each(|file| summary.add(file));
    println!("{:.2} MB, {}", bytes as f64 / 1e6, summary.sentence("upgraded"));
    let originals: Vec<PathBuf> =
        results.iter().map(|file| corpus.original_of(&file.path)).collect();

    let mut python = Python::start(&originals);
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let (mut all_cores, mut one_core, mut pyyaml) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        all_cores.push(corpus.fresh(|folder| time(|| work(folder, UpgradeAction::Write))));
        one_core
            .push(corpus.fresh(|folder| {
                one_thread.install(|| time(|| work(folder, UpgradeAction::Write)))
            }));
        pyyaml.extend(python.as_mut().and_then(Python::load));
    }
    let rate = |time: Duration| bytes as f64 / time.as_secs_f64() / 1e6;
    let all_cores = median(all_cores);
    let one_core = median(one_core);
    let cores = rayon::current_num_threads();
    println!("medians of {ROUNDS} rounds, interleaved:");
    for (what, time) in
        [(format!("hotplate, {cores} threads"), all_cores), ("hotplate, 1 thread".into(), one_core)]
    {
        println!("  {what:<28} {:>9.1} ms {:>8.1} MB/s", millis(time), rate(time));
    }
    if pyyaml.is_empty() {
        println!("  no PyYAML with libyaml here (HOTPLATE_PYTHON names a Python that has it)");
    } else {
        let pyyaml = median(pyyaml);
        let what = "CSafeLoader, loading only";
        println!("  {what:<28} {:>9.1} ms {:>8.1} MB/s", millis(pyyaml), rate(pyyaml));
        let ratio = |ours: Duration| pyyaml.as_secs_f64() / ours.as_secs_f64();
        println!(
            "  ratio: {:.1} with {cores} threads, {:.1} with one",
            ratio(all_cores),
            ratio(one_core)
        );
    }
    // Finding looks at the folders on as many threads as its pool has.
    one_thread.install(|| stages(&corpus));
}

/// What `hotplate upgrade` does with a folder.
fn work(folder: &Path, then: UpgradeAction) -> Vec<FileUpgrade> {
    let files = Disk::default();
    let FoundFiles { inputs, .. } = find(&files, &[folder.to_owned()]);
    let options = UpgradeOptions::new(Schema::heat(), Version::LATEST);
    let (limits, mut results) = (Limits::default(), Vec::new());
    upgrade_files(&files, &inputs, &options, &limits, then, |file| file, |file| results.push(file));
    results
}

/// Where the time goes: every stage over the whole corpus on one thread, the medians.
fn stages(corpus: &Corpus) {
    const STAGES: [&str; 5] =
        ["find and read bytes", "parse", "lower", "plan, render, prove", "write"];
    let mut times: [Vec<Duration>; STAGES.len()] = Default::default();
    let mut again: [Vec<Duration>; 2] = Default::default();
    for _ in 0..ROUNDS {
        let mut spent = [Duration::ZERO; STAGES.len()];
        let mut of_proof = [Duration::ZERO; 2];
        corpus.fresh(|folder| one_by_one(folder, &mut spent, &mut of_proof));
        times.iter_mut().zip(spent).for_each(|(all, one)| all.push(one));
        again.iter_mut().zip(of_proof).for_each(|(all, one)| all.push(one));
    }
    let times = times.map(median);
    let [parse, lower] = again.map(median);
    let whole: Duration = times.iter().sum();
    println!("stages, one thread:");
    for (what, time) in STAGES.iter().zip(times) {
        let share = 100.0 * time.as_secs_f64() / whole.as_secs_f64();
        println!("  {what:<28} {:>9.1} ms {share:>7.0} %", millis(time));
    }
    println!(
        "  of the proof, parsing the new text takes {:.1} ms and lowering it {:.1} ms",
        millis(parse),
        millis(lower)
    );
}

fn one_by_one(folder: &Path, spent: &mut [Duration; 5], of_proof: &mut [Duration; 2]) {
    let files = Disk::default();
    let limits = Limits::default();
    let options = UpgradeOptions::new(Schema::heat(), Version::LATEST);
    let start = Instant::now();
    let FoundFiles { inputs, .. } = find(&files, &[folder.to_owned()]);
    spent[0] += start.elapsed();
    for (at, input) in inputs.iter().enumerate() {
        let source = SourceId(at as u32);
        let start = Instant::now();
        let bytes = files.read_content(&input.path);
        spent[0] += start.elapsed();
        let Ok(bytes) = bytes else { continue };
        let start = Instant::now();
        let document = decode(source, bytes)
            .map_err(Box::from)
            .and_then(|text| read(source, Arc::from(text), &limits));
        spent[1] += start.elapsed();
        let Ok(document) = document else { continue };
        let start = Instant::now();
        if let DocumentKind::Hot { version, node, .. } = recognize(&document) {
            black_box(lower(&document, version, node));
        }
        let lowering = start.elapsed();
        spent[2] += lowering;
        let start = Instant::now();
        let result = upgrade(&document, &options, &limits);
        // The upgrade lowers for itself.
        spent[3] += start.elapsed().saturating_sub(lowering);
        let Some(text) = result.text else { continue };
        let start = Instant::now();
        let _ = write_atomic(&input.path, text.as_bytes()).expect("a file that can be written");
        spent[4] += start.elapsed();

        let start = Instant::now();
        let new = read(source, Arc::from(text), &limits).expect("a proved text can be read");
        of_proof[0] += start.elapsed();
        let start = Instant::now();
        if let DocumentKind::Hot { version, node, .. } = recognize(&new) {
            black_box(lower(&new, version, node));
        }
        of_proof[1] += start.elapsed();
    }
}

/// The files of the corpus and a place for copies of them.
struct Corpus {
    folder: tempfile::TempDir,
}

impl Corpus {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let original = folder.path().join("original");
        let given: Vec<PathBuf> = match std::env::var_os("HOTPLATE_CORPUS") {
            Some(folders) => std::env::split_paths(&folders).collect(),
            None => vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots")],
        };
        let FoundFiles { inputs, folders, errors } = find(&Disk::default(), &given);
        assert!(errors.is_empty(), "{errors:?}");
        assert!(!inputs.is_empty(), "no files in {folders:?}");
        for copy in 0..ENOUGH_FILES.div_ceil(inputs.len()) {
            for input in &inputs {
                let number = *input.folders.first().expect("a folder");
                let name = input.path.strip_prefix(&folders[number]).expect("inside");
                let to = original.join(format!("{copy}/{number}")).join(name);
                fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
                // Not `fs::copy`: a corpus may be read-only, the copies may not.
                fs::write(to, fs::read(&input.path).expect("a file")).expect("a copy");
            }
        }
        Corpus { folder }
    }

    fn original(&self) -> PathBuf {
        self.folder.path().join("original")
    }

    fn changed(&self) -> PathBuf {
        self.folder.path().join("changed")
    }

    fn original_of(&self, path: &Path) -> PathBuf {
        self.original().join(path.strip_prefix(self.changed()).expect("inside"))
    }

    /// What `work` yields on a copy of the corpus.
    fn fresh<T>(&self, work: impl FnOnce(&Path) -> T) -> T {
        let changed = self.changed();
        copy_folder(&self.original(), &changed);
        let result = work(&changed);
        fs::remove_dir_all(changed).expect("a folder to remove");
        result
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.file_type().expect("a kind").is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

/// A Python process that loads a list of files on request.
struct Python {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

const LOADER: &str = r#"
import sys, time, yaml
loader = yaml.CSafeLoader
paths = open(sys.argv[1]).read().splitlines()
print("PyYAML", yaml.__version__, "on Python", sys.version.split()[0], flush=True)
for order in sys.stdin:
    start = time.perf_counter()
    for path in paths:
        with open(path, "rb") as file:
            try:
                yaml.load(file.read(), Loader=loader)
            except (yaml.YAMLError, ValueError):
                pass
    print(time.perf_counter() - start, flush=True)
"#;

impl Python {
    fn start(paths: &[PathBuf]) -> Option<Self> {
        let program = std::env::var_os("HOTPLATE_PYTHON").unwrap_or(OsString::from("python3"));
        let folder = paths.first()?.ancestors().find(|folder| folder.ends_with("original"))?;
        let list = folder.with_file_name("list");
        let lines: String = paths.iter().map(|path| format!("{}\n", path.display())).collect();
        fs::write(&list, lines).expect("a list of files");
        let mut child = Command::new(program)
            .args(["-c", LOADER])
            .arg(list)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let orders = child.stdin.take()?;
        let answers = BufReader::new(child.stdout.take()?);
        let mut python = Python { child, orders, answers };
        println!("{}", python.answer()?);
        Some(python)
    }

    fn answer(&mut self) -> Option<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line).ok()?;
        (!line.is_empty()).then(|| line.trim_end().to_owned())
    }

    fn load(&mut self) -> Option<Duration> {
        self.orders.write_all(b"load\n").ok()?;
        self.orders.flush().ok()?;
        Some(Duration::from_secs_f64(self.answer()?.parse().ok()?))
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
