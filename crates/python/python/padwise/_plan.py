"""Plans: the batches of one epoch as NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypedDict, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from padwise import _padwise
from padwise._arguments import MAX_COUNT, as_lengths, strategy_text, whole_number

Integers = NDArray[np.int64]


class Item(TypedDict):
    """A sequence, or a chunk of it."""

    sequence: int
    """The index of the sequence."""
    start: int
    """The first frame; 0 for whole sequences."""
    length: int
    """The number of frames."""


class DroppedItem(Item):
    """An item that is in no batch."""

    reason: str
    """"last-batch", "longer-than-largest-bucket" or "shorter-than-minimum"."""


class Ledger(TypedDict):
    """The account of an epoch: every item is either in exactly one batch or dropped."""

    sequences: int
    """The number of sequences."""
    items: int
    """The number of items, batched or dropped: sequences, or chunks."""
    dropped: list[DroppedItem]
    """The items in no batch."""
    oversized: list[Item]
    """Items that exceed the frame budget. Each forms a batch alone."""


class Stats(TypedDict):
    """Statistics of a plan."""

    items: int
    """All items, batched or dropped."""
    batches: int
    zpr: float | None
    """Zero padding rate, from 0 to 1; None without batches."""
    abl: float | None
    """Average batch length in frames; None without batches."""
    pooled_padding: float | None
    """Padding divided by padded frames, from 0 to 1. Training time grows with it; None without batches."""
    valid_frames: int
    """Frames without padding."""
    padded_frames: int
    """Frames with padding."""
    largest_batch_frames: int
    """Padded frames of the largest batch. Memory grows with it."""
    largest_batch_items: int
    distinct_shapes: int
    adjacent_correlation: float | None
    """Lag-1 autocorrelation of padded lengths; None if it is undefined."""
    dropped: int
    """The number of items in no batch."""
    repeated_frames: int
    """Frames in two batched chunks, because chunks overlap."""


class Batch(NamedTuple):
    """One batch. The arrays are read-only views of the plan."""

    indices: Integers
    """The index of each item's sequence."""
    starts: Integers
    """The first frame of each item; 0 for whole sequences."""
    lengths: Integers
    """The frames of each item."""
    padded_length: int
    """The frames that every item is padded to."""


class _Batches(Sequence[Integers]):
    """Batches as arrays of sequence indices, which are views of one array."""

    def __init__(self, core: _padwise.Batches) -> None:
        self._core = core
        self.offsets: Integers = _read_only(core.offsets())
        """Batch `i` has the items from ``offsets[i]`` to ``offsets[i + 1]`` of the arrays below."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> Integers: ...
    @overload
    def __getitem__(self, index: slice) -> list[Integers]: ...
    def __getitem__(self, index: int | slice) -> Integers | list[Integers]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self.indices[self._items(index)]

    def __iter__(self) -> Iterator[Integers]:
        offsets = self.offsets.tolist()
        indices = self.indices
        return (indices[start:end] for start, end in zip(offsets, offsets[1:]))

    def batch(self, index: int) -> Batch:
        """The batch with the first frames, lengths and padded length of its items."""
        items = self._items(index)
        padded = int(self.padded_lengths[index])
        return Batch(self.indices[items], self.starts[items], self.lengths[items], padded)

    @property
    def batches(self) -> Sequence[Integers]:
        """The sequence indices of each batch, in training order: this object itself, under the name that Rust uses."""
        return self

    @cached_property
    def indices(self) -> Integers:
        """The sequence of every item, batch by batch."""
        return _read_only(self._core.indices())

    @cached_property
    def starts(self) -> Integers:
        """The first frame of every item, batch by batch. All are 0 without chunks."""
        return _read_only(self._core.starts())

    @cached_property
    def lengths(self) -> Integers:
        """The frames of every item, batch by batch."""
        return _read_only(self._core.lengths())

    @cached_property
    def padded_lengths(self) -> Integers:
        """The frames that the items of each batch are padded to."""
        return _read_only(self._core.padded_lengths())

    def _items(self, index: int) -> slice:
        batches = len(self)
        if not -batches <= index < batches:
            raise IndexError(f"batch {index} does not exist: there are {batches}")
        index %= batches
        return slice(int(self.offsets[index]), int(self.offsets[index + 1]))


class Shard(_Batches):
    """The batches of one rank. All ranks have the same number of steps."""

    def __init__(self, sharded: tuple[_padwise.Batches, list[int], list[int], list[int]], rank: int) -> None:
        super().__init__(sharded[0])
        self.rank = rank
        self.duplicated: list[int] = sharded[1]
        """The plan's batches that are trained twice, to complete the last step."""
        self.dropped: list[int] = sharded[2]
        """The plan's batches that no rank trains."""
        self.padded_frames_by_rank: list[int] = sharded[3]
        """The padded frames of every rank."""

    @cached_property
    def batch_indices(self) -> Integers:
        """The index of the plan's batch at each step."""
        return _read_only(self._core.steps())

    def __repr__(self) -> str:
        return f"<padwise.Shard of rank {self.rank}: {len(self)} steps>"


class Plan(_Batches):
    """The batches of one epoch, made by `plan`. ``plan[i]`` has the sequence indices of batch `i`."""

    def __init__(self, core: _padwise.Plan, strategy: str, seed: int, epoch: int) -> None:
        super().__init__(core.batches())
        self._plan = core
        self.strategy = strategy
        """The strategy with all defaults filled in."""
        self.seed = seed
        self.epoch = epoch

    @cached_property
    def stats(self) -> Stats:
        """Padding, memory and randomness."""
        return cast(Stats, self._plan.stats())

    @cached_property
    def ledger(self) -> Ledger:
        """Dropped and oversized items."""
        return cast(Ledger, self._plan.ledger())

    @cached_property
    def largest_batch(self) -> int | None:
        """The index of the batch with the most padded frames: try it on your device first. None without batches."""
        return self._plan.largest_batch()

    def pair_recurrence(self, next: Plan) -> float | None:
        """The fraction of pairs in a batch that share a batch again in `next`, the plan of another epoch.

        None if no batch has two items. Both plans must have the same lengths and the same items.
        """
        return self._plan.pair_recurrence(next._plan)

    def shard(self, rank: int, world_size: int) -> Shard:
        """The batches of one rank. All ranks get the same number of steps and similar work."""
        rank = whole_number("rank", rank, 0, MAX_COUNT)
        return Shard(self._plan.shard(rank, whole_number("world_size", world_size, 1, MAX_COUNT)), rank)

    def __repr__(self) -> str:
        return f"<padwise.Plan {self.strategy!r}, seed {self.seed}, epoch {self.epoch}: {len(self)} batches>"


def plan(lengths: ArrayLike, strategy: str, epoch: int = 0, seed: int = 0) -> Plan:
    """Plans one epoch. The result depends on nothing but the arguments, and is the same as in Rust.

    Args:
        lengths: The number of frames of every sequence.
        strategy: A strategy in its one-line form; `GRAMMAR` describes it.
        epoch: The epoch, from 0.
        seed: The seed of all epochs.

    Raises:
        ValueError: An argument is invalid, or the lengths cannot be planned with this strategy.

    >>> [batch.tolist() for batch in plan([120, 80, 300, 95], "sorted,batch=2")]
    [[1, 3], [0, 2]]
    """
    return plan_checked(
        as_lengths(lengths),
        strategy_text(strategy),
        whole_number("epoch", epoch),
        whole_number("seed", seed),
    )


def plan_checked(lengths: Any, strategy: str, epoch: int, seed: int) -> Plan:
    """Plans one epoch from arguments that are already checked."""
    return Plan(_padwise.plan(lengths, strategy, seed, epoch), _padwise.resolve(strategy), seed, epoch)


def _read_only(array: Integers) -> Integers:
    array.flags.writeable = False
    return array
