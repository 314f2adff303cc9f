//! What can be wrong: with a strategy, with its one-line form, with the data it is given.

use thiserror::Error;

use crate::bounds::{MAX_CELLS, MAX_ITEMS, MAX_LENGTH, MAX_WORLD};

/// A strategy that no plan can follow: a parameter out of its range, or choices that exclude each other.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StrategyError {
    /// A count or a number of frames that must be at least 1 is 0, or is larger than any corpus.
    #[error("{parameter} is {value}: it must be {}", if *.value == 0 { "at least 1".to_string() } else { format!("at most {MAX_LENGTH}") })]
    OutOfRange {
        /// The name of the parameter in the one-line form.
        parameter: &'static str,
        /// The value it was given.
        value: u64,
    },
    /// The local randomisation factor is negative, infinite or not a number.
    #[error(
        "lrf is {value}: the local randomisation factor must be a finite number of at least 0 (0.1 is the paper's)"
    )]
    Lrf {
        /// The value it was given.
        value: f64,
    },
    /// Padding to the bucket's width without buckets.
    #[error(
        "pad=bucket needs a bucketed order: `{order}` has no bucket whose width batches could be padded to"
    )]
    NoBucketToPadTo {
        /// The order in its one-line form.
        order: String,
    },
    /// MXNet's default buckets with a frame budget.
    #[error(
        "bucketed:mxnet makes a bucket of every length that occurs at least batch-size times, and frames={budget} sets no batch size: use batch= or dynamic=, or other buckets"
    )]
    MxnetNeedsBatchSize {
        /// The frame budget.
        budget: u64,
    },
    /// A chunk step larger than the chunk, which would lose the frames between.
    #[error(
        "step={step} is larger than chunk={size}: the frames between chunks would be lost without trace; use a step of at most the chunk size"
    )]
    StepSkipsFrames {
        /// The chunk size.
        size: u32,
        /// The step.
        step: u32,
    },
    /// A minimum that no chunk reaches.
    #[error("min-chunk={minimum} is larger than chunk={size}: every chunk would be dropped")]
    MinimumOverSize {
        /// The chunk size.
        size: u32,
        /// The minimum.
        minimum: u32,
    },
}

impl StrategyError {
    /// Whether the value is from 1 to the largest length there can be.
    pub(crate) fn check_range(parameter: &'static str, value: impl Into<u64>) -> Result<(), Self> {
        let value = value.into();
        if (1..=u64::from(MAX_LENGTH)).contains(&value) {
            return Ok(());
        }
        Err(StrategyError::OutOfRange { parameter, value })
    }
}

/// A one-line strategy that cannot be read.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ParseStrategyError {
    /// Nothing between two commas, or nothing at all.
    #[error(
        "an empty part in strategy `{text}`: parts are joined by single commas, the order first"
    )]
    EmptyPart {
        /// The whole strategy.
        text: String,
    },
    /// The first part is not the name of an order, or a later one not that of an option.
    #[error("unknown {kind} `{name}`{}; {kind}s are {}", did_you_mean(.suggestion), .valid.join(", "))]
    UnknownName {
        /// What it should be the name of: `order` or `option`.
        kind: &'static str,
        /// What was given.
        name: String,
        /// The valid name that was probably meant, if any is similar.
        suggestion: Option<&'static str>,
        /// All valid names.
        valid: Vec<&'static str>,
    },
    /// An order's parameter that it does not have.
    #[error("`{order}` has no parameter `{name}`{}; write it as {usage}", did_you_mean(.suggestion))]
    UnknownParameter {
        /// The order.
        order: &'static str,
        /// What was given.
        name: String,
        /// The valid name that was probably meant, if any is similar.
        suggestion: Option<&'static str>,
        /// How the order is written.
        usage: &'static str,
    },
    /// An order without the parameter it needs.
    #[error("`{order}` needs a parameter; write it as {usage}")]
    MissingParameter {
        /// The order.
        order: &'static str,
        /// How the order is written.
        usage: &'static str,
    },
    /// An order or an option without the value it needs, or with one it does not take.
    #[error("`{part}`: write it as {usage}")]
    Form {
        /// The part as given.
        part: String,
        /// How it is written.
        usage: &'static str,
    },
    /// A value that is not of the kind its parameter takes.
    #[error("`{name}={value}`: {name} must be {expected}")]
    Value {
        /// The parameter.
        name: String,
        /// The value as given.
        value: String,
        /// What it must be.
        expected: &'static str,
    },
    /// The same choice made twice.
    #[error("`{second}` after `{first}`: {choice} can be chosen once")]
    Twice {
        /// The earlier part.
        first: String,
        /// The later part.
        second: String,
        /// What both choose.
        choice: &'static str,
    },
    /// An option that only means something beside another.
    #[error("`{part}` {reason}")]
    Orphan {
        /// The option.
        part: String,
        /// What it lacks.
        reason: &'static str,
    },
    /// Well written, but not a strategy that can be planned.
    #[error(transparent)]
    Invalid(#[from] StrategyError),
}

fn did_you_mean(suggestion: &Option<&'static str>) -> String {
    suggestion.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

/// Lengths that cannot be planned, or a question that a plan cannot answer.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PlanError {
    /// The strategy itself is at fault.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// No lengths at all.
    #[error("there are no lengths to plan: the corpus, or what a filter left of it, is empty")]
    Empty,
    /// A length of 0.
    #[error(
        "lengths[{index}] is 0: an utterance has at least one frame; remove it from the corpus"
    )]
    ZeroLength {
        /// Its index in the lengths, from 0.
        index: usize,
    },
    /// A length that is no length.
    #[error(
        "lengths[{index}] is {length}: more than the {MAX_LENGTH} frames that an utterance can have"
    )]
    LengthTooLarge {
        /// Its index in the lengths, from 0.
        index: usize,
        /// The length.
        length: u32,
    },
    /// More items than item numbers.
    #[error(
        "{items} items: a plan holds at most {MAX_ITEMS}; use larger chunks or plan the corpus in parts"
    )]
    TooManyItems {
        /// How many there are: of chunks, possibly more than a usize can count.
        items: u64,
    },
    /// MXNet's rule found no bucket.
    #[error(
        "bucketed:mxnet makes a bucket of every length that occurs at least {batch_size} times, and none does: use bucketed:width, count or optimal"
    )]
    NoFrequentLength {
        /// The batch size.
        batch_size: u32,
    },
    /// More work than finding optimal buckets may take.
    #[error(
        "bucketed:optimal={buckets} over {lengths} different lengths weighs {buckets} × {lengths} choices, more than {MAX_CELLS}: use fewer buckets, fewer lengths (longer frames, a smaller buffer), or bucketed:count"
    )]
    TooManyCells {
        /// How many buckets can be made: those asked for, or the number of lengths where that is smaller.
        buckets: usize,
        /// How many different lengths there are, or in a stream can be.
        lengths: usize,
    },
    /// A batch index past the end.
    #[error("batch {batch} of a plan of {batches}: resume at a batch from 0 to {batches}")]
    NoSuchBatch {
        /// The batch asked for.
        batch: usize,
        /// How many there are.
        batches: usize,
    },
    /// A rank outside its world.
    #[error("rank {rank} of a world of {world}: ranks count from 0, and a world has at least one")]
    NoSuchRank {
        /// The rank asked for.
        rank: usize,
        /// The number of ranks.
        world: usize,
    },
    /// More ranks than anybody has.
    #[error("a world of {world} ranks: there can be at most {MAX_WORLD}")]
    WorldTooLarge {
        /// The number of ranks.
        world: usize,
    },
    /// An order that needs the whole corpus.
    #[error("{order} cannot be streamed: {reason}")]
    NotForStreams {
        /// The order in its one-line form.
        order: String,
        /// Why not, and what to use instead.
        reason: &'static str,
    },
    /// An item of a stream whose length is no length.
    #[error("item {id} has {length} frames: an utterance has from 1 to {MAX_LENGTH}")]
    StreamLength {
        /// The item's id.
        id: u64,
        /// The length.
        length: u32,
    },
    /// A streaming buffer that cannot hold one batch.
    #[error(
        "a buffer of {capacity} items cannot hold one batch of {batch_size}: use at least {batch_size}"
    )]
    BufferTooSmall {
        /// The buffer's capacity.
        capacity: usize,
        /// What one batch needs.
        batch_size: u32,
    },
    /// A streaming sampler was given an item after it was told there are no more.
    #[error("item {id} was pushed after finish(): begin the next epoch with a new stream")]
    StreamFinished {
        /// The item's id.
        id: u64,
    },
}
