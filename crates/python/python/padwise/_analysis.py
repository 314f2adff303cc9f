"""Padding, memory and randomness of strategies, computed from lengths alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict, cast

from numpy.typing import ArrayLike

from padwise import _padwise
from padwise._arguments import MAX_COUNT, as_lengths, strategy_text, whole_number


class Record(TypedDict):
    """The measures of one strategy with one seed. `padwise analyze` uses the same names."""

    strategy: str
    """The strategy as given."""
    resolved: str
    """The strategy with all defaults filled in."""
    seed: int
    error: str | None
    """Why the strategy cannot be planned for these lengths. All measures are then None."""
    items: int | None
    """Sequences or chunks, including dropped ones."""
    batches: int | None
    """Batches per epoch."""
    steps: int | None
    """Steps per rank and epoch."""
    zpr_percent: float | None
    """Zero padding rate: mean share of padding per batch."""
    abl: float | None
    """Average batch length: mean frames of the longest sequence."""
    pooled_padding_percent: float | None
    """Padding divided by all frames computed. Training time grows with it."""
    valid_frames: int | None
    """Frames without padding."""
    padded_frames: int | None
    """Frames with padding."""
    largest_batch_frames: int | None
    """Padded frames of the largest batch. Memory grows with it."""
    distinct_shapes: int | None
    """Number of distinct batch shapes."""
    pair_recurrence: float | None
    """Fraction of pairs that share a batch again in the next epoch."""
    adjacent_correlation: float | None
    """Lag-1 autocorrelation of batch lengths; 0 in random order."""
    dropped: int | None
    """Items dropped per epoch."""
    duplicated: int | None
    """Items trained twice, to give all ranks equal steps."""
    plan_seconds: float | None
    """Time of planning one epoch."""


_MEASURES = [name for name in Record.__annotations__ if name not in ("strategy", "resolved", "seed", "error")]


def analyze(
    lengths: ArrayLike,
    strategies: str | Iterable[str],
    *,
    seeds: int = 1,
    world_size: int = 1,
) -> list[Record]:
    """Measures strategies without training: one record per strategy and seed, for pandas or polars.

    Args:
        lengths: The number of frames of every sequence.
        strategies: One strategy or several.
        seeds: The number of seeds, counted from 0. Average over them: ``pandas.DataFrame(records).groupby("strategy")``.
        world_size: The number of ranks that share the batches.

    Raises:
        ValueError: An argument is invalid. A strategy that cannot be planned for these lengths gets a record with `error`.

    >>> records = analyze([120, 80, 300, 95], ["random,batch=2", "sorted,batch=2"])
    >>> [record["padded_frames"] for record in records][1]
    790
    """
    array = as_lengths(lengths)
    if isinstance(strategies, str):
        strategies = [strategies]
    try:
        texts = [strategy_text(strategy) for strategy in strategies]
    except TypeError:
        raise ValueError("strategies must be text or a list of texts") from None
    seeds = whole_number("seeds", seeds, 1, MAX_COUNT)
    world_size = whole_number("world_size", world_size, 1, MAX_COUNT)
    resolved = [_padwise.resolve(text) for text in texts]
    # Invalid lengths and ranks are errors of the call, not of a strategy.
    _padwise.plan(array, "sorted", 0, 0).shard(0, world_size)
    records: list[Record] = []
    for text, full in zip(texts, resolved):
        for seed in range(seeds):
            error, measures = None, dict.fromkeys(_MEASURES)
            try:
                measures = _padwise.measure(array, text, seed, world_size)
            except ValueError as reason:
                error = str(reason)
            record = {"strategy": text, "resolved": full, "seed": seed, "error": error, **measures}
            records.append(cast(Record, record))
    return records
