//! A progress bar for work that is usually quick: it appears only after two seconds.

use std::ops::Deref;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};

use super::progress::progress_bar;

/// Quicker work shows no bar, so that it does not flicker.
const DELAY: Duration = Duration::from_secs(2);
/// Time between two updates, also while no step finishes.
const TICK: Duration = Duration::from_millis(250);

/// A bar that appears after two seconds and disappears when it is dropped. Hidden unless standard error is a terminal.
pub struct DelayedBar {
    bar: ProgressBar,
    /// Dropping it ends the thread that shows the bar.
    waiting: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl DelayedBar {
    /// A bar that counts `things`, with their rate and the time left.
    pub fn new(length: u64, things: &str) -> Self {
        DelayedBar::shown_after(
            DELAY,
            progress_bar(length, things),
            ProgressDrawTarget::stderr(),
        )
    }

    fn shown_after(delay: Duration, bar: ProgressBar, target: ProgressDrawTarget) -> Self {
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let (waiting, ended) = mpsc::channel();
        let shown = bar.clone();
        let thread = std::thread::spawn(move || {
            if ended.recv_timeout(delay) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(target);
                shown.enable_steady_tick(TICK);
            }
        });
        DelayedBar {
            bar,
            waiting: Some(waiting),
            thread: Some(thread),
        }
    }
}

impl Deref for DelayedBar {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.bar
    }
}

impl Drop for DelayedBar {
    fn drop(&mut self) {
        self.waiting = None;
        if let Some(thread) = self.thread.take() {
            // It only shows the bar, so its end says nothing.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use indicatif::TermLike;

    use super::*;

    /// A terminal that keeps what is written to it.
    #[derive(Clone, Debug, Default)]
    struct Screen(Arc<Mutex<String>>);

    impl Screen {
        fn text(&self) -> String {
            self.0.lock().expect("a screen").clone()
        }
    }

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            100
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().expect("a screen").push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    fn bar(delay: Duration, screen: &Screen) -> DelayedBar {
        let target = ProgressDrawTarget::term_like(Box::new(screen.clone()));
        DelayedBar::shown_after(delay, progress_bar(10, "plans"), target)
    }

    #[test]
    fn quick_work_shows_no_bar_and_slow_work_shows_its_rate_and_the_time_left() {
        let quick = Screen::default();
        let shown = bar(Duration::from_secs(60), &quick);
        shown.inc(5);
        drop(shown);
        assert_eq!(quick.text(), "");
        let slow = Screen::default();
        let shown = bar(Duration::ZERO, &slow);
        for _ in 0..400 {
            // A bar that no step moves is drawn, too.
            if slow.text().contains("0/10 plans") {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        shown.inc(1);
        shown.tick();
        let text = slow.text();
        assert!(text.contains("0/10 plans, "), "{text}");
        assert!(text.contains("/s, ") && text.contains(" left"), "{text}");
    }
}
