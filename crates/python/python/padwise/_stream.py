"""Streams: batches from sequences whose lengths are not known in advance."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypedDict, cast

from padwise import _padwise
from padwise._arguments import MAX_COUNT, MAX_U32, excerpt, strategy_text, whole_number


class StreamItem(NamedTuple):
    """An item of a stream: a sequence, or a chunk of it."""

    id: int
    """The id that was pushed."""
    start: int
    """The first frame; 0 for whole sequences."""
    length: int
    """The number of frames."""


class StreamDropped(NamedTuple):
    """An item that is in no batch."""

    id: int
    start: int
    length: int
    reason: str
    """"last-batch", "buffer-full" or "shorter-than-minimum"."""


class StreamBatch(NamedTuple):
    """A batch of a stream."""

    items: list[StreamItem]
    padded_length: int
    """The frames that every item is padded to."""


class StreamLedger(TypedDict):
    """The account of a stream: each received item is batched, dropped or still in the buffer."""

    received: int
    """Items received. Each chunk of a sequence counts."""
    batched: int
    """Items in batches, including batches that are not taken yet."""
    oversized: int
    """Batched items that exceed the frame budget."""
    dropped: dict[str, int]
    """The number of dropped items by reason."""


class StreamState(TypedDict):
    """The state of a `Stream`. It can be written as JSON."""

    sampler: dict[str, Any]
    samples_read: int


class Stream:
    """Builds batches of similar lengths through a bounded buffer, for ``torch.utils.data.IterableDataset``.

    `batch` is a generator that turns samples into batches:

    >>> stream = Stream("sorted,batch=2", buffer=4)
    >>> list(stream.batch(["four", "a", "three", "to"], length=len))
    [['a', 'to'], ['four', 'three']]

    `push`, `pop` and `finish` are the same in single steps, for programs that keep the samples themselves.

    Args:
        strategy: A strategy in its one-line form. Every strategy but ``bucketed:mxnet`` can be streamed.
        buffer: The maximum number of items that wait. A larger buffer gives less padding.
        seed: The seed of all epochs.
        epoch: The epoch. Make a new stream for every epoch.

    Raises:
        ValueError: An argument is invalid, or the strategy cannot be streamed.
    """

    def __init__(self, strategy: str, buffer: int, seed: int = 0, epoch: int = 0) -> None:
        text = strategy_text(strategy)
        self._stream = _padwise.Stream(
            text, whole_number("seed", seed), whole_number("epoch", epoch), whole_number("buffer", buffer, 1, MAX_COUNT)
        )
        self._is_chunked = ",chunk=" in _padwise.resolve(text)
        self._samples_read = 0

    @property
    def waiting(self) -> int:
        """The number of items in the buffer."""
        return self._stream.waiting

    @property
    def ledger(self) -> StreamLedger:
        """The account of all items."""
        return cast(StreamLedger, self._stream.ledger())

    def push(self, id: int, length: int) -> None:
        """Adds a sequence with this id and this number of frames. It can complete batches; `pop` returns them."""
        self._push(id, length)

    def pop(self) -> StreamBatch | None:
        """The next ready batch, or None."""
        batch = self._stream.pop()
        if batch is None:
            return None
        return StreamBatch([StreamItem(*item) for item in batch[0]], batch[1])

    def finish(self) -> None:
        """Ends the stream. The items in the buffer are batched or, with ``drop-last``, dropped."""
        self._stream.finish()

    def take_dropped(self) -> list[StreamDropped]:
        """The items dropped since the last call."""
        return [StreamDropped(*item) for item in self._stream.take_dropped()]

    def batch(self, samples: Iterable[Any], length: Callable[[Any], int] = len) -> Iterator[list[Any]]:
        """Yields batches of samples. With a chunk strategy these are lists of tuples ``(sample, start, length)``.

        After `load_state_dict`, pass the same samples from their beginning: those that were read before are read
        again, and only those that still wait are kept.

        Args:
            samples: The samples, in any order that is the same when you resume.
            length: Returns the number of frames of a sample.
        """
        kept: dict[int, tuple[Any, int]] = {}
        wanted, read = self._waiting_items(), self._samples_read
        iterator = iter(samples)
        for id in range(read):
            try:
                sample = next(iterator)
            except StopIteration:
                raise ValueError(f"there are {id} samples, but {read} were read before: pass the same samples") from None
            if id in wanted:
                kept[id] = sample, wanted[id]
        yield from self._ready(kept)
        for sample in iterator:
            kept[self._samples_read] = sample, self._push(self._samples_read, length(sample))
            self._samples_read += 1
            self._forget_dropped(kept)
            yield from self._ready(kept)
        self.finish()
        self._forget_dropped(kept)
        yield from self._ready(kept)

    def state_dict(self) -> StreamState:
        """The state to save in a checkpoint, between any two calls or batches."""
        return {"sampler": json.loads(self._stream.state()), "samples_read": self._samples_read}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues from a saved state, including its strategy, seed, epoch and buffer."""
        try:
            sampler = json.dumps(state["sampler"])
            read = whole_number("samples_read", state["samples_read"])
        except (TypeError, KeyError, RecursionError):
            raise ValueError(f"the state is {excerpt(state)}: pass what state_dict returned") from None
        self._stream = _padwise.Stream.resume(sampler)
        self._is_chunked = "items" in state["sampler"]["strategy"]
        self._samples_read = read

    def _push(self, id: int, length: int) -> int:
        number = whole_number("id", id)
        return self._stream.push(number, whole_number(f"the length of item {number}", length, 0, MAX_U32))

    def _waiting_items(self) -> dict[int, int]:
        """The number of items of each sequence that are in the buffer or in batches that are not taken."""
        state = json.loads(self._stream.state())
        items = [*state["buffer"], *(item for batch in state["ready"] for item in batch["items"])]
        counts: dict[int, int] = {}
        for item in items:
            counts[item["id"]] = counts.get(item["id"], 0) + 1
        return counts

    def _ready(self, kept: dict[int, tuple[Any, int]]) -> Iterator[list[Any]]:
        """The ready batches. A sample is forgotten with its last item."""
        while (batch := self._stream.pop()) is not None:
            samples = []
            for id, start, frames in batch[0]:
                sample = self._use(kept, id)
                samples.append((sample, start, frames) if self._is_chunked else sample)
            yield samples

    def _forget_dropped(self, kept: dict[int, tuple[Any, int]]) -> None:
        for id, *_ in self._stream.take_dropped():
            if id in kept:
                self._use(kept, id)

    @staticmethod
    def _use(kept: dict[int, tuple[Any, int]], id: int) -> Any:
        if id not in kept:
            raise ValueError(f"item {id} is in the state but not among the samples: pass the samples of the saved stream")
        sample, items = kept.pop(id)
        if items > 1:
            kept[id] = sample, items - 1
        return sample
