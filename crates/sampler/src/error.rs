//! Errors: invalid strategies, unreadable one-line forms, and data that cannot be planned.

use thiserror::Error;

use crate::bounds::{MAX_CELLS, MAX_ITEMS, MAX_LENGTH, MAX_WORLD};
use crate::excerpt::excerpt;

/// An invalid strategy: a parameter out of range, or options that exclude each other.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StrategyError {
    /// A count or a number of frames is 0 or above the maximum.
    #[error("{parameter} is {value}: it must be {}", if *.value == 0 { "at least 1".to_string() } else { format!("at most {MAX_LENGTH}") })]
    OutOfRange {
        /// The name of the parameter in the one-line form.
        parameter: &'static str,
        /// The given value.
        value: u64,
    },
    /// The local randomisation factor is negative, infinite or not a number.
    #[error(
        "lrf is {value}: the local randomisation factor must be finite and at least 0 (the paper uses 0.1)"
    )]
    Lrf {
        /// The given value.
        value: f64,
    },
    /// Padding to the bucket's width without buckets.
    #[error("pad=bucket needs a bucketed order, but `{order}` has no buckets")]
    NoBucketToPadTo {
        /// The order in its one-line form.
        order: String,
    },
    /// MXNet's default buckets with a frame budget.
    #[error(
        "bucketed:mxnet needs a batch size, but frames={budget} sets none: use batch= or dynamic=, or choose bucketed:width, count or optimal"
    )]
    MxnetNeedsBatchSize {
        /// The frame budget.
        budget: u64,
    },
    /// A chunk step larger than the chunk skips frames.
    #[error(
        "step={step} is larger than chunk={size}, which skips the frames in between: use a step of at most {size}"
    )]
    StepSkipsFrames {
        /// The chunk size.
        size: u32,
        /// The step.
        step: u32,
    },
    /// A minimum above the chunk size drops every chunk.
    #[error(
        "min-chunk={minimum} is larger than chunk={size}, which drops every chunk: use at most {size}"
    )]
    MinimumOverSize {
        /// The chunk size.
        size: u32,
        /// The minimum.
        minimum: u32,
    },
}

impl StrategyError {
    /// Checks that a value lies between 1 and the maximum length.
    pub(crate) fn check_range(parameter: &'static str, value: impl Into<u64>) -> Result<(), Self> {
        let value = value.into();
        if (1..=u64::from(MAX_LENGTH)).contains(&value) {
            return Ok(());
        }
        Err(StrategyError::OutOfRange { parameter, value })
    }
}

/// An error in the one-line form of a strategy.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ParseStrategyError {
    /// The text is empty, or nothing stands between two commas.
    #[error(
        "strategy `{}` has an empty part: write an order, then options, separated by single commas",
        excerpt(.text)
    )]
    EmptyPart {
        /// The whole strategy.
        text: String,
    },
    /// The first part does not name an order, or a later part does not name an option.
    #[error("unknown {kind} `{}`{}; {kind}s are {}", excerpt(.name), did_you_mean(.suggestion), .valid.join(", "))]
    UnknownName {
        /// `order` or `option`.
        kind: &'static str,
        /// The given name.
        name: String,
        /// The valid name that was probably meant, if any is similar.
        suggestion: Option<&'static str>,
        /// All valid names.
        valid: Vec<&'static str>,
    },
    /// The order does not have this parameter.
    #[error("`{order}` has no parameter `{}`{}; write it as {usage}", excerpt(.name), did_you_mean(.suggestion))]
    UnknownParameter {
        /// The order.
        order: &'static str,
        /// The given name.
        name: String,
        /// The valid name that was probably meant, if any is similar.
        suggestion: Option<&'static str>,
        /// How to write the order.
        usage: &'static str,
    },
    /// The order lacks its parameter.
    #[error("`{order}` needs a parameter; write it as {usage}")]
    MissingParameter {
        /// The order.
        order: &'static str,
        /// How to write the order.
        usage: &'static str,
    },
    /// An order or an option lacks its value, or has one that it does not take.
    #[error("`{}`: write it as {usage}", excerpt(.part))]
    Form {
        /// The part as given.
        part: String,
        /// How to write it.
        usage: &'static str,
    },
    /// A value of the wrong type.
    #[error("`{}={}`: {0} must be {expected}", excerpt(.name), excerpt(.value))]
    Value {
        /// The parameter.
        name: String,
        /// The value as given.
        value: String,
        /// The valid values.
        expected: &'static str,
    },
    /// Two options set the same thing.
    #[error("`{}` conflicts with `{}`: set {choice} only once", excerpt(.second), excerpt(.first))]
    Twice {
        /// The earlier part.
        first: String,
        /// The later part.
        second: String,
        /// What both options set.
        choice: &'static str,
    },
    /// An option that needs another option.
    #[error("`{}` {reason}", excerpt(.part))]
    Orphan {
        /// The option.
        part: String,
        /// Which option it needs.
        reason: &'static str,
    },
    /// The text is well formed, but the strategy is invalid.
    #[error(transparent)]
    Invalid(#[from] StrategyError),
}

fn did_you_mean(suggestion: &Option<&'static str>) -> String {
    suggestion.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

/// Lengths that cannot be planned, or an invalid request to a plan or a stream.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PlanError {
    /// The strategy is invalid.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// There are no lengths.
    #[error("no lengths to plan: the corpus is empty, or a filter removed every utterance")]
    Empty,
    /// A length of 0.
    #[error(
        "lengths[{index}] is 0: every utterance needs at least one frame; remove it from the corpus"
    )]
    ZeroLength {
        /// The index of the length, from 0.
        index: usize,
    },
    /// A length above the maximum.
    #[error("lengths[{index}] is {length}: an utterance can have at most {MAX_LENGTH} frames")]
    LengthTooLarge {
        /// The index of the length, from 0.
        index: usize,
        /// The length.
        length: u32,
    },
    /// More items than a plan can hold.
    #[error(
        "{items} items: a plan can have at most {MAX_ITEMS}; use larger chunks or split the corpus"
    )]
    TooManyItems {
        /// The number of items. Chunks can exceed the range of a `usize`.
        items: u64,
    },
    /// MXNet's rule found no bucket.
    #[error(
        "bucketed:mxnet found no bucket, because no length occurs at least {batch_size} times (the batch size): use bucketed:width, count or optimal"
    )]
    NoFrequentLength {
        /// The batch size.
        batch_size: u32,
    },
    /// The table for optimal buckets would be too large.
    #[error(
        "bucketed:optimal={buckets} over {lengths} distinct lengths needs a table of more than {MAX_CELLS} cells: use fewer buckets, bucketed:count, or fewer distinct lengths (longer frames, a smaller buffer)"
    )]
    TooManyCells {
        /// The number of buckets, at most one per distinct length.
        buckets: usize,
        /// The number of distinct lengths. In a stream this is an upper bound.
        lengths: usize,
    },
    /// A batch index past the end of the plan.
    #[error("batch {batch} does not exist: resume at a batch from 0 to {batches}")]
    NoSuchBatch {
        /// The requested batch.
        batch: usize,
        /// The number of batches.
        batches: usize,
    },
    /// A rank outside the world.
    #[error("rank {rank} of {world} is out of range: ranks count from 0")]
    NoSuchRank {
        /// The requested rank.
        rank: usize,
        /// The number of ranks.
        world: usize,
    },
    /// Too many ranks.
    #[error("{world} ranks: a plan can be sharded over at most {MAX_WORLD}")]
    WorldTooLarge {
        /// The number of ranks.
        world: usize,
    },
    /// An order that needs the whole corpus.
    #[error("{order} cannot be streamed: {reason}")]
    NotForStreams {
        /// The order in its one-line form.
        order: String,
        /// The reason, and what to use instead.
        reason: &'static str,
    },
    /// An item of a stream has an invalid length.
    #[error("item {id} has {length} frames: an utterance has from 1 to {MAX_LENGTH}")]
    StreamLength {
        /// The item's id.
        id: u64,
        /// The length.
        length: u32,
    },
    /// The stream's buffer is smaller than one batch.
    #[error(
        "a buffer of {capacity} items cannot hold one batch of {batch_size}: use at least {batch_size}"
    )]
    BufferTooSmall {
        /// The buffer's capacity.
        capacity: usize,
        /// The batch size.
        batch_size: u32,
    },
    /// An item was pushed after [`finish`](crate::StreamSampler::finish).
    #[error("item {id} was pushed after finish(): start the next epoch with a new stream")]
    StreamFinished {
        /// The item's id.
        id: u64,
    },
}
