//! The threads that compute, so that no task keeps the others waiting.
//!
//! A few threads take the tasks in turn. A task that is still running after [`SLOW_AFTER`] is slow: another thread takes its place, while
//! further tasks about the same file wait for it. The number of threads is limited; if all of them have slow tasks, the time of the one
//! that runs longest is over. Each thread has its own threads for what it computes in parallel, so that a task never waits for the parts of
//! another one, and can be canceled with all of its parts.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use heat_engine::eval::STACK_BYTES;
use source_diagnostics::cancellation::{CancellationToken, Stopped};

/// After this time, a task is slow.
const SLOW_AFTER: Duration = Duration::from_millis(100);
/// The most threads for the parts of one task.
const MAX_PARALLEL: usize = 4;

/// Something to compute.
pub(super) struct Task {
    pub(super) id: TaskId,
    /// The file that it is about.
    pub(super) file: Option<PathBuf>,
    /// Its description for the user.
    pub(super) title: String,
    /// How long it may take.
    pub(super) limit: Duration,
    pub(super) work: Box<dyn FnOnce(&Lane) + Send>,
}

/// The number of a task.
pub(super) type TaskId = u64;

/// The threads on which one task computes at a time.
pub(super) struct Lane {
    token: CancellationToken,
    /// `None` if the system has no more threads.
    parallel: Option<rayon::ThreadPool>,
}

/// Threads for tasks.
pub(super) struct Workers(Arc<Shared>);

struct Shared {
    name: &'static str,
    /// The number of threads for tasks that are not slow.
    quick: usize,
    /// The number of all threads.
    most: usize,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Task>,
    running: Vec<Running>,
    threads: usize,
    idle: usize,
    is_closed: bool,
}

struct Running {
    id: TaskId,
    file: Option<PathBuf>,
    title: String,
    since: Instant,
    token: CancellationToken,
}

impl Running {
    fn is_slow(&self) -> bool {
        self.since.elapsed() >= SLOW_AFTER
    }
}

impl Queue {
    /// The first task that may run now.
    fn next(&self, quick: usize) -> Option<usize> {
        if self.running.iter().filter(|it| !it.is_slow()).count() >= quick {
            return None;
        }
        let is_held_up = |task: &Task| {
            task.file.is_some()
                && self.running.iter().any(|it| it.file == task.file && it.is_slow())
        };
        self.waiting.iter().position(|task| !is_held_up(task))
    }
}

impl Lane {
    fn new(name: &'static str) -> Self {
        let token = CancellationToken::default();
        token.enter();
        let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let entered = token.clone();
        let parallel = rayon::ThreadPoolBuilder::new()
            .num_threads(cores.min(MAX_PARALLEL))
            .stack_size(STACK_BYTES)
            .thread_name(move |number| format!("{name}-{number}"))
            .start_handler(move |_| entered.enter())
            .build();
        Lane { token, parallel: parallel.ok() }
    }

    /// Computes a part of the task, which can be canceled.
    pub(super) fn run<T: Send>(&self, compute: impl FnOnce() -> T + Send) -> Result<T, Stopped> {
        self.token.run(|| match &self.parallel {
            Some(parallel) => parallel.install(compute),
            None => compute(),
        })
    }

    /// Gives what remains of the task a time of its own.
    pub(super) fn begin(&self, limit: Duration) {
        self.token.begin(limit);
    }
}

impl Workers {
    /// No thread is started before there is a task.
    pub(super) fn new(name: &'static str, quick: usize, most: usize) -> Self {
        let (queue, changed) = Default::default();
        Workers(Arc::new(Shared { name, quick, most, queue, changed }))
    }

    /// Adds a task. One that cannot be started, since there are no threads, waits.
    pub(super) fn push(&self, task: Task) {
        self.0.lock().waiting.push_back(task);
        self.supervise();
    }

    /// Drops a task if it waits, and cancels it if it runs.
    pub(super) fn cancel(&self, id: TaskId) {
        let mut queue = self.0.lock();
        queue.waiting.retain(|task| task.id != id);
        queue.running.iter().filter(|it| it.id == id).for_each(|it| it.token.cancel());
    }

    /// Drops all tasks that wait, and cancels those that run.
    pub(super) fn cancel_all(&self) {
        let mut queue = self.0.lock();
        queue.waiting.clear();
        queue.running.iter().for_each(|it| it.token.cancel());
    }

    /// Whether a task runs that is slow.
    pub(super) fn is_slow(&self, id: TaskId) -> bool {
        self.0.lock().running.iter().any(|it| it.id == id && it.is_slow())
    }

    /// Whether a task waits because another one about its file is slow.
    pub(super) fn is_waiting(&self, id: TaskId) -> bool {
        self.0.lock().waiting.iter().any(|it| it.id == id)
    }

    /// Whether [`Workers::supervise`] has to be called from time to time.
    pub(super) fn is_busy(&self) -> bool {
        let queue = self.0.lock();
        !(queue.waiting.is_empty() && queue.running.is_empty())
    }

    /// The tasks that run for longer than a time, with their titles.
    pub(super) fn longer_than(&self, time: Duration) -> Vec<(TaskId, String)> {
        let queue = self.0.lock();
        let long = queue.running.iter().filter(|it| it.since.elapsed() >= time);
        long.map(|it| (it.id, it.title.clone())).collect()
    }

    /// Has what waits taken as soon as that is possible.
    pub(super) fn supervise(&self) {
        let shared = &self.0;
        let mut queue = shared.lock();
        if queue.next(shared.quick).is_none() {
            return;
        }
        if queue.idle > 0 {
            shared.changed.notify_one();
        } else if queue.threads < shared.most {
            queue.threads += 1;
            let own = Arc::clone(shared);
            let thread = thread::Builder::new().name(shared.name.to_owned());
            if thread.spawn(move || own.work()).is_err() {
                queue.threads -= 1;
            }
        } else if queue.running.iter().all(Running::is_slow)
            && let Some(longest) = queue.running.iter().min_by_key(|it| it.since)
        {
            longest.token.end_time();
        }
    }

    /// Cancels everything. The threads end by themselves.
    pub(super) fn close(&self) {
        let mut queue = self.0.lock();
        queue.is_closed = true;
        queue.waiting.clear();
        queue.running.iter().for_each(|it| it.token.cancel());
        self.0.changed.notify_all();
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The task of each thread.
    fn work(&self) {
        let lane = Lane::new(self.name);
        while let Some(task) = self.take(&lane) {
            let id = task.id;
            (task.work)(&lane);
            let mut queue = self.lock();
            queue.running.retain(|it| it.id != id);
            // A task about the same file may have waited.
            self.changed.notify_one();
        }
    }

    /// Waits for a task; `None` if this thread is not needed any more.
    fn take(&self, lane: &Lane) -> Option<Task> {
        let mut queue = self.lock();
        loop {
            if queue.is_closed {
                return None;
            }
            if let Some(at) = queue.next(self.quick)
                && let Some(task) = queue.waiting.remove(at)
            {
                lane.token.begin(task.limit);
                queue.running.push(Running {
                    id: task.id,
                    file: task.file.clone(),
                    title: task.title.clone(),
                    since: Instant::now(),
                    token: lane.token.clone(),
                });
                return Some(task);
            }
            // More threads are only needed beside slow tasks.
            if queue.idle >= self.quick {
                queue.threads -= 1;
                return None;
            }
            queue.idle += 1;
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.idle -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::{Receiver, Sender, unbounded};
    use source_diagnostics::cancellation::{Cancellation, checkpoint};

    const LONG: Duration = Duration::from_secs(600);
    /// A cap against hanging.
    const PATIENCE: Duration = Duration::from_secs(60);

    type Ends = (TaskId, Result<(), Cancellation>);

    fn task(
        id: TaskId,
        file: &str,
        ends: &Sender<Ends>,
        compute: impl FnOnce() + Send + 'static,
    ) -> Task {
        let ends = ends.clone();
        let work = Box::new(move |lane: &Lane| {
            let end = match lane.run(compute) {
                Ok(()) => Ok(()),
                Err(Stopped::Canceled(why)) => Err(why),
                Err(Stopped::Panicked(_)) => panic!("no panic"),
            };
            ends.send((id, end)).expect("a test that waits");
        });
        let file = Some(PathBuf::from(file));
        Task { id, file, title: String::new(), limit: LONG, work }
    }

    fn endless() {
        loop {
            checkpoint();
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// The next end of a task, while the workers are supervised.
    fn next(workers: &Workers, ends: &Receiver<Ends>) -> Ends {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            workers.supervise();
            if let Ok(end) = ends.recv_timeout(Duration::from_millis(10)) {
                return end;
            }
        }
        panic!("nothing ends");
    }

    #[test]
    fn slow_tasks_do_not_hold_up_others_and_the_oldest_ends_if_there_are_too_many() {
        let workers = Workers::new("test", 1, 3);
        let (sender, ends) = unbounded();
        for id in 0..2 {
            workers.push(task(id, &format!("slow-{id}"), &sender, endless));
        }
        workers.push(task(2, "quick", &sender, || ()));
        assert_eq!(next(&workers, &ends), (2, Ok(())));
        workers.push(task(3, "slow-3", &sender, endless));
        workers.push(task(4, "quick", &sender, || ()));
        assert_eq!(next(&workers, &ends), (0, Err(Cancellation::TimeLimit)));
        assert_eq!(next(&workers, &ends), (4, Ok(())));
        assert!(workers.0.lock().threads <= 3);
        workers.close();
        let mut rest = [next(&workers, &ends), next(&workers, &ends)];
        rest.sort_by_key(|(id, _)| *id);
        assert_eq!(rest, [1, 3].map(|id| (id, Err(Cancellation::Unwanted))));
    }

    #[test]
    fn a_file_with_a_slow_task_takes_one_thread() {
        let workers = Workers::new("test", 2, 4);
        let (sender, ends) = unbounded();
        workers.push(task(0, "slow", &sender, endless));
        while !workers.is_slow(0) {
            thread::sleep(Duration::from_millis(10));
        }
        for id in 1..9 {
            workers.push(task(id, "slow", &sender, endless));
        }
        workers.push(task(9, "quick", &sender, || ()));
        assert_eq!(next(&workers, &ends), (9, Ok(())));
        // Its answer is there before its thread is free.
        while workers.0.lock().running.len() > 1 {
            thread::sleep(Duration::from_millis(1));
        }
        assert!(workers.is_waiting(1));
        workers.cancel(1);
        workers.cancel(0);
        assert_eq!(next(&workers, &ends), (0, Err(Cancellation::Unwanted)));
        while workers.0.lock().running.is_empty() {
            thread::sleep(Duration::from_millis(10));
        }
        assert!(!workers.is_waiting(1) && !workers.is_slow(1));
    }

    #[test]
    fn the_parts_of_a_task_are_canceled_with_it() {
        use rayon::prelude::*;
        let workers = Workers::new("test", 1, 1);
        let (sender, ends) = unbounded();
        workers.push(task(0, "a", &sender, || {
            (0..64).into_par_iter().for_each(|_| endless());
        }));
        while !workers.is_slow(0) {
            thread::sleep(Duration::from_millis(10));
        }
        workers.cancel(0);
        assert_eq!(next(&workers, &ends), (0, Err(Cancellation::Unwanted)));
    }
}
