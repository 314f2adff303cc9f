//! What an experiment will do and need, told before anything is trained.

use padwise_model::BackendChoice;
use padwise_report::tables::{Style, TextTable};
use padwise_sampler::{PlanError, Sampler, Stats};

use super::Experiment;
use crate::record::ConfidenceInterval;
use crate::training::{Probed, estimate, host, nvidia};

/// Plans that are made of a strategy to find its largest batch: where order is random, so is that.
const MOST_PLANS: usize = 12;

/// Utterances of a batch that are named.
const NAMED: usize = 3;

/// What one strategy will do.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// The row's name.
    pub name: String,
    /// Figures of the plans.
    pub stats: Vec<Stats>,
    /// The largest batch.
    pub largest: Largest,
}

/// The batch that decides how much memory a strategy needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Largest {
    /// Items in it.
    pub items: usize,
    /// Frames that they are padded to.
    pub length: u32,
    /// Bytes that a step on it takes.
    pub bytes: u64,
    /// The ids of some of its utterances, the longest first.
    pub ids: Vec<String>,
}

impl Largest {
    pub(super) fn frames(&self) -> u64 {
        self.items as u64 * u64::from(self.length)
    }
}

impl Experiment {
    /// Plans a strategy for some of its seeds and epochs.
    pub fn forecast(&self, row: usize) -> Result<Forecast, PlanError> {
        let train = &self.config.train;
        let pairs = train
            .seeds
            .iter()
            .flat_map(|&seed| (0..train.epochs).map(move |epoch| (seed, epoch)));
        let mut stats = Vec::new();
        let mut largest = Largest::default();
        for (seed, epoch) in pairs.take(MOST_PLANS) {
            let found = self.largest(row, seed, epoch)?;
            if found.0.frames() > largest.frames() {
                largest = found.0;
            }
            stats.push(found.1);
        }
        Ok(Forecast {
            name: self.rows[row].name.clone(),
            stats,
            largest,
        })
    }

    /// The largest batch of one epoch, and the epoch's figures.
    fn largest(&self, row: usize, seed: u64, epoch: u64) -> Result<(Largest, Stats), PlanError> {
        let corpus = &self.split.training;
        let sampler = Sampler::new(self.rows[row].strategy.clone(), seed)?;
        let plan = sampler.plan(corpus.lengths(), epoch)?;
        let largest = plan.worst_batch().map(|batch| {
            let mut items: Vec<_> = batch.items().collect();
            items.sort_by_key(|item| std::cmp::Reverse(item.length));
            Largest {
                items: batch.len(),
                length: batch.padded_length(),
                bytes: estimate::step_bytes(&self.model(), batch.padded_frames()),
                ids: items
                    .iter()
                    .take(NAMED)
                    .map(|item| corpus.id(item.utterance).to_owned())
                    .collect(),
            }
        });
        Ok((largest.unwrap_or_default(), plan.stats()))
    }

    /// Memory that the device has left, where that can be told.
    pub fn memory(&self) -> Option<u64> {
        match self.config.train.backend.resolve().ok()? {
            BackendChoice::Cpu => host::available_bytes(),
            BackendChoice::Cuda => nvidia::gpu().ok().map(|gpu| gpu.free_bytes),
            _ => None,
        }
    }

    /// What is known of a largest batch that does not fit: which utterances, how much, and what would fit.
    pub fn too_large(&self, largest: &Largest, memory: u64) -> Option<String> {
        if largest.bytes <= memory {
            return None;
        }
        let fits = estimate::frames_within(&self.model(), memory);
        Some(format!(
            "{}, and there are {}; {}",
            self.words(largest),
            gigabytes(memory),
            remedy(fits, largest.length),
        ))
    }

    /// What to say beside the failure of a run that did not get past its largest batch.
    pub fn advice(&self, row: usize, seed: u64) -> String {
        let Ok((largest, _)) = self.largest(row, seed, 0) else {
            return String::new();
        };
        let words = self.words(&largest);
        match self
            .memory()
            .and_then(|bytes| self.too_large(&largest, bytes))
        {
            Some(problem) => format!("; {problem}"),
            None => format!("; it was on its largest batch first: {words}"),
        }
    }

    pub(super) fn words(&self, largest: &Largest) -> String {
        format!(
            "a batch of {} items padded to {} frames ({}{}) takes about {}",
            largest.items,
            largest.length,
            largest.ids.join(", "),
            if largest.items > largest.ids.len() {
                ", …"
            } else {
                ""
            },
            gigabytes(largest.bytes),
        )
    }
}

fn remedy(fits: u64, length: u32) -> String {
    let items = fits / u64::from(length.max(1));
    if items >= 1 {
        format!("batch={items} or frames={fits} in its line would fit")
    } else if fits > 0 {
        format!(
            "not even one utterance of that length fits: chunk={fits} in its line would, or a smaller model.hidden"
        )
    } else {
        "the model alone does not fit: use a smaller model.hidden".into()
    }
}

/// Bytes as people say them.
pub(crate) fn gigabytes(bytes: u64) -> String {
    format!("{:.2} GB", bytes as f64 / 1e9)
}

/// What every strategy will do, and what came of trying its largest batch, as a table.
pub fn forecast_table(forecasts: &[Forecast], probed: &[Probed]) -> String {
    let mut table = TextTable::new([
        "strategy",
        "batches",
        "ZPR %",
        "ABL",
        "dropped",
        "largest batch",
        "needs about",
        "took",
    ]);
    for (forecast, probed) in forecasts.iter().zip(probed) {
        let mean = |of: &dyn Fn(&Stats) -> Option<f64>, decimals: usize| {
            let mean = ConfidenceInterval::of(forecast.stats.iter().map(of)).mean;
            mean.map_or("–".into(), |mean| format!("{mean:.decimals$}"))
        };
        table.add_row([
            forecast.name.clone(),
            mean(&|stats| Some(stats.batches as f64), 0),
            mean(&|stats| stats.zpr.map(|zpr| 100.0 * zpr), 2),
            mean(&|stats| stats.abl, 1),
            mean(&|stats| Some(stats.dropped as f64), 0),
            format!("{} × {}", forecast.largest.items, forecast.largest.length),
            gigabytes(forecast.largest.bytes),
            match probed {
                Probed::Fits(Some(bytes)) => gigabytes(*bytes),
                Probed::Fits(None) => "fits".into(),
                Probed::Fails(_) => "does not fit".into(),
                Probed::TooSlow | Probed::NoRoom => "–".into(),
            },
        ]);
    }
    table.render(Style::Terminal)
}
