//! Ends an `mpirun` that passes on nothing from its workers any more, such as one that was stopped.
//!
//! Worker 0 sends a sign of life several times per deadline ([`send_signs_of_life`]). Silence counts only while the coordinator waits
//! for an event, and in short intervals. So a coordinator that is busy, or was suspended itself, does not blame `mpirun`.

use std::process::Child;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::lock;
use super::protocol::Event;

/// Signs of life per deadline.
const SIGNS: u32 = 8;

/// Intervals per deadline in which silence is counted.
const INTERVALS: u32 = 16;

/// How long `mpirun` may take to start the workers, in addition to the deadline.
const FOR_START: Duration = Duration::from_secs(30);

/// Sends signs of life from this process until it ends.
pub fn send_signs_of_life(deadline: Duration) {
    std::thread::spawn(move || {
        while Event::Alive.send().is_ok() {
            std::thread::sleep(deadline / SIGNS);
        }
    });
}

/// Watches for events of a process, and kills it at the deadline.
pub(super) struct SilenceWatch {
    state: Arc<Mutex<State>>,
    deadline: Duration,
    /// Ends the thread when it is dropped.
    _end: Sender<()>,
}

#[derive(Default)]
struct State {
    waiting: bool,
    heard_once: bool,
    /// Intervals of silence.
    silent: u32,
    killed: bool,
}

impl SilenceWatch {
    /// Watches a process. It may be silent for `deadline` after its first event.
    pub(super) fn start(child: &Arc<Mutex<Child>>, deadline: Duration) -> Self {
        Self::with_start(child, deadline, FOR_START)
    }

    fn with_start(child: &Arc<Mutex<Child>>, deadline: Duration, for_start: Duration) -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let (child, watched) = (child.clone(), state.clone());
        let interval = deadline / INTERVALS;
        let (end, ended) = mpsc::channel();
        std::thread::spawn(move || {
            let start = for_start.as_secs_f64() / interval.as_secs_f64();
            let before_first = INTERVALS.saturating_add(start.ceil() as u32);
            while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                let mut state = guard(&watched);
                if state.waiting {
                    state.silent += 1;
                }
                let most = if state.heard_once {
                    INTERVALS
                } else {
                    before_first
                };
                if state.silent >= most {
                    state.killed = true;
                    let _ = lock(&child).kill();
                    return;
                }
            }
        });
        SilenceWatch {
            state,
            deadline,
            _end: end,
        }
    }

    /// Notes that the coordinator waits for an event.
    pub(super) fn begin(&self) {
        let mut state = guard(&self.state);
        state.waiting = true;
        state.silent = 0;
    }

    /// Notes that the coordinator waits no more. `heard` if it got an event.
    pub(super) fn end(&self, heard: bool) {
        let mut state = guard(&self.state);
        state.waiting = false;
        state.heard_once |= heard;
    }

    /// Why the process was killed, if it was.
    pub(super) fn reason(&self) -> Option<String> {
        let seconds = self.deadline.as_secs_f64();
        guard(&self.state).killed.then(|| {
            format!("mpirun passed on no sign of life of worker 0 for {seconds} s and was killed")
        })
    }
}

fn guard(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;
    use std::time::Instant;

    use super::*;

    const DEADLINE: Duration = Duration::from_millis(320);

    fn sleeping() -> Arc<Mutex<Child>> {
        let child = Command::new("sleep").arg("100").spawn().expect("sleep");
        Arc::new(Mutex::new(child))
    }

    fn is_running(child: &Arc<Mutex<Child>>) -> bool {
        lock(child).try_wait().expect("a status").is_none()
    }

    #[test]
    fn a_silent_process_is_killed_at_the_deadline_after_its_first_event() {
        let child = sleeping();
        let watch = SilenceWatch::with_start(&child, DEADLINE, Duration::from_secs(60));
        watch.begin();
        std::thread::sleep(2 * DEADLINE);
        assert!(is_running(&child), "it has more time to start");
        watch.end(true);
        watch.begin();
        let start = Instant::now();
        let status = loop {
            if let Some(status) = lock(&child).try_wait().expect("a status") {
                break status;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        assert!(!status.success());
        assert!(start.elapsed() >= DEADLINE * (INTERVALS - 1) / INTERVALS);
        assert!(start.elapsed() < DEADLINE + Duration::from_secs(60));
        let reason = watch.reason().expect("a reason");
        assert!(reason.contains("for 0.32 s"), "{reason}");
    }

    #[test]
    fn a_busy_coordinator_does_not_count() {
        let child = sleeping();
        let watch = SilenceWatch::with_start(&child, DEADLINE, Duration::ZERO);
        watch.begin();
        watch.end(true);
        std::thread::sleep(2 * DEADLINE);
        assert!(is_running(&child));
        assert_eq!(watch.reason(), None);
        lock(&child).kill().expect("it runs");
        lock(&child).wait().expect("a status");
    }
}
