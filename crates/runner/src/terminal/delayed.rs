//! A progress bar on a terminal, or one progress line per minute elsewhere.

use std::io::{IsTerminal, stderr};
use std::ops::Deref;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};
use padwise_report::text::with_thousands;

use super::bar::{counting_bar, left_text, rate_text};
use super::progress::about;
use super::{LINE_INTERVAL, say};

/// Quicker work shows no bar, so that it does not flicker.
const DELAY: Duration = Duration::from_secs(2);
/// Time between two updates, also while no step finishes.
const TICK: Duration = Duration::from_millis(250);

/// A bar that appears after a while and disappears when it is dropped. If standard error is not a terminal, it prints lines instead.
pub struct DelayedBar {
    bar: ProgressBar,
    /// Dropping it ends the thread that shows the bar.
    waiting: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A bar that counts `things`, with their rate and the time left. It appears at once.
pub fn progress_bar(length: u64, things: &str) -> DelayedBar {
    DelayedBar::after(Duration::ZERO, length, things)
}

impl DelayedBar {
    /// A bar that counts `things`, with their rate and the time left. It appears after two seconds.
    pub fn new(length: u64, things: &str) -> Self {
        DelayedBar::after(DELAY, length, things)
    }

    fn after(delay: Duration, length: u64, things: &str) -> Self {
        let bar = counting_bar(length, things);
        if stderr().is_terminal() {
            DelayedBar::shown_after(delay, bar, ProgressDrawTarget::stderr())
        } else {
            DelayedBar::in_lines(LINE_INTERVAL, bar, things, |line| say(line))
        }
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

    /// Prints a line after every interval.
    fn in_lines(
        interval: Duration,
        bar: ProgressBar,
        things: &str,
        print: impl Fn(&str) + Send + 'static,
    ) -> Self {
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let (waiting, ended) = mpsc::channel();
        let (shown, things) = (bar.clone(), things.to_owned());
        let thread = std::thread::spawn(move || {
            while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                if !shown.is_finished() {
                    print(&line(&shown, &things));
                }
            }
        });
        DelayedBar {
            bar,
            waiting: Some(waiting),
            thread: Some(thread),
        }
    }
}

/// For example `1,200/5,323 utterances, 310/s, about 13 s left`, and the bar's message.
fn line(bar: &ProgressBar, things: &str) -> String {
    let number = |count: u64| with_thousands(&count.to_string());
    let position = bar.position();
    let left = left_text(position, bar.eta().as_secs_f64());
    let message = match bar.message() {
        message if message.is_empty() => message,
        message => format!(" ({message})"),
    };
    format!(
        "{}/{} {things}, {}/s, {} left{message}",
        number(position),
        number(bar.length().unwrap_or(position)),
        rate_text(bar.per_sec()),
        about(&left),
    )
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
        DelayedBar::shown_after(delay, counting_bar(10, "plans"), target)
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

    #[test]
    fn without_a_terminal_there_is_one_line_per_interval() {
        let (sender, lines) = mpsc::channel();
        let print = move |line: &str| drop(sender.send(line.to_owned()));
        let bar = counting_bar(5323, "utterances");
        let shown = DelayedBar::in_lines(Duration::from_millis(5), bar, "utterances", print);
        assert_eq!(
            lines.recv().expect("a line"),
            "0/5,323 utterances, 0.0/s, – left"
        );
        shown.set_position(1200);
        shown.set_message("verifying a.pack");
        let line = lines
            .iter()
            .find(|line| line.starts_with("1,200/5,323 utterances, ") && line.ends_with(')'));
        let line = line.expect("a line");
        assert!(line.contains("/s, about "), "{line}");
        assert!(line.ends_with(" left (verifying a.pack)"), "{line}");
        drop(shown);
        assert!(lines.iter().count() < 1000, "the lines end with the bar");
    }

    #[test]
    fn quick_work_prints_no_line() {
        let (sender, lines) = mpsc::channel();
        let print = move |line: &str| drop(sender.send(line.to_owned()));
        let bar = counting_bar(10, "plans");
        drop(DelayedBar::in_lines(
            Duration::from_secs(60),
            bar,
            "plans",
            print,
        ));
        assert_eq!(lines.iter().count(), 0);
    }
}
