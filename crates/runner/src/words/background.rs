//! Decodes finished runs in a separate thread while the next run trains.
//!
//! The thread only computes. The coordinator receives what it found and records it.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result};
use padwise_decoder::WordErrors;
use padwise_experiment_config::WordsConfig;
use padwise_features::Corpus;
use padwise_features::pack::Pack;
use padwise_report::record::{DecodingRecord, WordsRow};

use super::{
    DecodingFacts, Recogniser, References, WordSettings, decode_set, decoding_pool, tuning,
};
use crate::corpora::View;

/// How long [`Background::wait`] waits.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The posteriors of a run.
#[derive(Clone, Debug)]
pub struct PosteriorFiles {
    /// The strategy.
    pub strategy: String,
    /// The seed.
    pub seed: u64,
    /// The epoch after which they were computed.
    pub epoch: u64,
    /// Posteriors of the test set.
    pub test: PathBuf,
    /// Posteriors of the validation set. They exist if the scale is not known yet.
    pub validation: PathBuf,
}

/// What the thread found.
pub enum DecodingResult {
    /// The scale was tuned.
    Tuned(Box<DecodingRecord>),
    /// A run was decoded.
    Decoded {
        /// Its files, which are not needed any more.
        files: PosteriorFiles,
        /// Its word errors.
        row: Box<WordsRow>,
        /// A line per utterance: its id and the words that were found.
        hypotheses: String,
    },
    /// A run could not be decoded.
    Failed {
        /// Its files.
        files: PosteriorFiles,
        /// The reason.
        message: String,
    },
}

/// What all runs share.
pub struct Shared {
    /// Lexicon, language model and network.
    pub recogniser: Recogniser,
    /// The settings.
    pub config: WordsConfig,
    /// Ids of the test utterances.
    pub ids: Vec<String>,
    /// Words of the test utterances.
    pub test: References,
    /// Words of the validation utterances by id.
    pub validation: HashMap<String, Vec<String>>,
    /// Duration of a frame in seconds.
    pub frame_seconds: f64,
}

/// The thread that decodes.
pub struct Background {
    tasks: Option<Sender<PosteriorFiles>>,
    found: Receiver<DecodingResult>,
    thread: Option<JoinHandle<()>>,
    /// Runs that were sent and not yet received.
    waiting: usize,
    /// Tells the thread to stop.
    stop: Arc<AtomicBool>,
}

impl Background {
    /// Starts the thread. `lm_scale` is the scale of the language model; without it, the first run tunes it. `leave` cores stay free.
    pub fn start(
        shared: Shared,
        facts: DecodingFacts,
        lm_scale: Option<f64>,
        leave: usize,
    ) -> Result<Self> {
        let (tasks, to_do) = channel::<PosteriorFiles>();
        let (send, found) = channel();
        let pool = decoding_pool(leave).context("cannot start threads for decoding")?;
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut decoding = Decoding {
                shared: &shared,
                facts,
                lm_scale,
                pool,
                stop: &flag,
            };
            for files in to_do {
                let send_tuned = |record: DecodingRecord| {
                    let _ = send.send(DecodingResult::Tuned(Box::new(record)));
                };
                let run = AssertUnwindSafe(|| decoding.run(files.clone(), send_tuned));
                let finished = catch_unwind(run).unwrap_or_else(|_| DecodingResult::Failed {
                    files,
                    message: "the decoder panicked; please report this".into(),
                });
                if send.send(finished).is_err() {
                    return;
                }
            }
        });
        Ok(Background {
            tasks: Some(tasks),
            found,
            thread: Some(thread),
            waiting: 0,
            stop,
        })
    }

    /// Queues a run.
    pub fn send(&mut self, files: PosteriorFiles) {
        if let Some(tasks) = &self.tasks
            && tasks.send(files).is_ok()
        {
            self.waiting += 1;
        }
    }

    /// Runs that are not decoded yet.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// The next result, without waiting for it.
    pub fn try_next(&mut self) -> Option<DecodingResult> {
        self.found
            .try_recv()
            .ok()
            .inspect(|found| self.count(found))
    }

    /// The next result; waits for it a moment.
    pub fn wait(&mut self) -> Option<DecodingResult> {
        let found = self.found.recv_timeout(POLL_INTERVAL).ok();
        found.inspect(|found| self.count(found))
    }

    /// Whether the thread has ended, which it does only by a panic.
    pub fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    fn count(&mut self, found: &DecodingResult) {
        if !matches!(found, DecodingResult::Tuned(_)) {
            self.waiting -= 1;
        }
    }
}

impl Drop for Background {
    /// Ends the thread after its current utterances.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.tasks = None;
        let (_, nobody) = channel();
        self.found = nobody;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Decoding<'a> {
    shared: &'a Shared,
    facts: DecodingFacts,
    /// The scale of the language model, once it is known.
    lm_scale: Option<f64>,
    pool: rayon::ThreadPool,
    stop: &'a AtomicBool,
}

impl Decoding<'_> {
    fn run(&mut self, files: PosteriorFiles, tuned: impl Fn(DecodingRecord)) -> DecodingResult {
        match self.try_run(&files, tuned) {
            Ok((row, hypotheses)) => DecodingResult::Decoded {
                files,
                row: Box::new(row),
                hypotheses,
            },
            Err(error) => DecodingResult::Failed {
                files,
                message: format!("{error:#}"),
            },
        }
    }

    fn try_run(
        &mut self,
        files: &PosteriorFiles,
        tuned: impl Fn(DecodingRecord),
    ) -> Result<(WordsRow, String)> {
        let shared = self.shared;
        let lm_scale = match self.lm_scale {
            Some(lm_scale) => lm_scale,
            None => {
                let record = self.tune(files)?;
                let lm_scale = record.lm_scale;
                tuned(record);
                *self.lm_scale.insert(lm_scale)
            }
        };
        let settings = WordSettings::new(&shared.config, lm_scale);
        let posteriors = Pack::open(&files.test)?;
        let positions = positions(&posteriors);
        let chosen = shared.ids.iter().map(|id| {
            let position = positions.get(id.as_str()).copied();
            position.with_context(|| format!("{}: no utterance {id}", files.test.display()))
        });
        let chosen: Vec<usize> = chosen.collect::<Result<_>>()?;
        let recogniser = &shared.recogniser;
        let found = decode_set(
            recogniser,
            &settings,
            &posteriors,
            &chosen,
            &self.pool,
            || self.should_continue(),
        )?;
        anyhow::ensure!(self.should_continue(), "interrupted");
        let (mut total, mut errors) = (WordErrors::default(), Vec::new());
        let mut hypotheses = String::new();
        for ((id, reference), words) in shared.ids.iter().zip(&shared.test.words).zip(&found.words)
        {
            let own = recogniser.errors(reference, words);
            errors.push(u32::try_from(own.edits())?);
            total += own;
            hypotheses += &format!("{id} {}\n", recogniser.text(words).join(" "));
        }
        let speech = found.frames as f64 * shared.frame_seconds;
        let row = WordsRow {
            strategy: files.strategy.clone(),
            seed: files.seed,
            epoch: files.epoch,
            utterances: chosen.len() as u64,
            words: total.words,
            substitutions: total.substitutions,
            deletions: total.deletions,
            insertions: total.insertions,
            decode_seconds: found.seconds,
            real_time_factor: found.seconds / speech.max(f64::MIN_POSITIVE),
            errors,
        };
        Ok((row, hypotheses))
    }

    fn should_continue(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    /// Tunes the scale on the validation posteriors of a run.
    fn tune(&self, files: &PosteriorFiles) -> Result<DecodingRecord> {
        let shared = self.shared;
        let pack = Arc::new(Pack::open(&files.validation)?);
        let known = |&at: &usize| shared.validation.contains_key(pack.id(at));
        let mut chosen: Vec<usize> = (0..pack.len()).filter(known).collect();
        // In the order of ids, so that a sample has all lengths and speakers.
        chosen.sort_by(|&one, &other| pack.id(one).cmp(pack.id(other)));
        let references = References {
            words: chosen
                .iter()
                .map(|&at| shared.validation[pack.id(at)].clone())
                .collect(),
        };
        let file = files.validation.display();
        anyhow::ensure!(references.count() > 0, "{file}: no words to tune on");
        let view = View::subset(pack, chosen);
        let tried = tuning::tune(
            &shared.recogniser,
            &shared.config,
            &view,
            &references,
            &self.pool,
            || self.should_continue(),
        )?;
        anyhow::ensure!(self.should_continue(), "interrupted");
        let best = tuning::best(&tried).context("the validation set is empty")?;
        let lm_scale = best.lm_scale;
        Ok(self.facts.record(&shared.config, lm_scale, tried))
    }
}

/// The position of each utterance in a pack.
fn positions(pack: &Pack) -> HashMap<&str, usize> {
    (0..pack.len()).map(|at| (pack.id(at), at)).collect()
}
