"""The batch sampler for PyTorch's DataLoader. It does not import torch."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import Any, TypedDict, cast

from numpy.typing import ArrayLike

from padwise import _padwise
from padwise._arguments import MAX_COUNT, as_lengths, excerpt, strategy_text, whole_number
from padwise._plan import Plan, Shard, plan_checked
from padwise._ranks import find_rank

# One below half of the range, so there is always a next epoch.
_MAX_EPOCH = 2**63 - 1
# Items are converted to Python integers this many batches at a time.
_BLOCK = 1024


class SamplerState(TypedDict):
    """The state of a `BatchSampler`. All but the first two entries identify the sampler that it belongs to."""

    epoch: int
    """The epoch to continue."""
    batch: int
    """The next batch of that epoch."""
    strategy: str
    seed: int
    world_size: int
    sequences: int
    lengths_crc32: int


class BatchSampler:
    """Yields the batches of an epoch as lists of indices, for ``DataLoader(dataset, batch_sampler=...)``.

    Every complete pass over the sampler is one epoch, and the next pass is the next epoch. `set_epoch` selects an epoch.
    All ranks have the same number of batches.

    With a chunk strategy the batches are lists of tuples ``(index, start, length)``, and the dataset's ``__getitem__``
    gets such a tuple.

    Args:
        lengths: The number of frames of every sequence.
        strategy: A strategy in its one-line form; `GRAMMAR` describes it.
        seed: The seed of all epochs. It must be the same on every rank.
        rank: The rank of this process. By default that of torch.distributed if it is initialised, otherwise the
            environment variable RANK, otherwise 0.
        world_size: The number of ranks. By default as for `rank`, with the variable WORLD_SIZE.

    Raises:
        ValueError: An argument is invalid, or the lengths cannot be planned with this strategy.

    >>> sampler = BatchSampler([120, 80, 300, 95], "sorted,batch=2", rank=0, world_size=1)
    >>> list(sampler)
    [[1, 3], [0, 2]]
    >>> sampler.epoch
    1
    """

    def __init__(
        self,
        lengths: ArrayLike,
        strategy: str,
        seed: int = 0,
        rank: int | None = None,
        world_size: int | None = None,
    ) -> None:
        self._lengths = as_lengths(lengths)
        self._strategy = _padwise.resolve(strategy_text(strategy))
        self._seed = whole_number("seed", seed)
        self._rank, self._world_size = find_rank(rank, world_size)
        self._is_chunked = ",chunk=" in self._strategy
        self._epoch = 0
        self._batch = 0
        # Where the next pass starts, after `load_state_dict`.
        self._resume_at = 0
        self._shard: tuple[int, Plan | Shard] | None = None
        self._lengths_crc32: int | None = None
        # Reports every error here and not in the first epoch.
        self._batches_of(0)

    @property
    def epoch(self) -> int:
        """The current epoch, or the next one between two passes."""
        return self._epoch

    @property
    def strategy(self) -> str:
        """The strategy with all defaults filled in."""
        return self._strategy

    @property
    def seed(self) -> int:
        """The seed."""
        return self._seed

    @property
    def rank(self) -> int:
        """The rank of this process."""
        return self._rank

    @property
    def world_size(self) -> int:
        """The number of ranks."""
        return self._world_size

    @property
    def sampler(self) -> BatchSampler:
        """The sampler itself: Lightning and Accelerate call ``batch_sampler.sampler.set_epoch``."""
        return self

    def set_epoch(self, epoch: int) -> None:
        """Selects the epoch of the next pass. The current epoch keeps its resumed position."""
        epoch = whole_number("epoch", epoch, 0, _MAX_EPOCH)
        if epoch != self._epoch:
            self._epoch, self._batch, self._resume_at = epoch, 0, 0

    def __len__(self) -> int:
        """The number of batches of the current epoch on this rank, including those before a resumed position."""
        return len(self._batches_of(self._epoch))

    def __iter__(self) -> Iterator[list[Any]]:
        # A generator starts with its first batch, so an iterator that nobody uses does not lose the position.
        epoch, start = self._epoch, self._resume_at
        self._resume_at = 0
        batches = self._batches_of(epoch)
        self._batch = start
        for first in range(start, len(batches), _BLOCK):
            offsets, items = self._block(batches, first)
            for begin, end in zip(offsets, offsets[1:]):
                self._batch += 1
                yield items[begin:end]
        if self._epoch == epoch:
            self._epoch, self._batch = epoch + 1, 0

    def state_dict(self, *, epoch: int | None = None, batch: int | None = None) -> SamplerState:
        """The state to save in a checkpoint.

        By default the position after the last batch that this sampler has yielded. A DataLoader with workers fetches
        batches ahead, so pass the position of your training loop, or use torchdata's StatefulDataLoader.

        Args:
            epoch: The epoch in training.
            batch: The number of batches of that epoch that are trained.
        """
        if (epoch is None) != (batch is None):
            raise ValueError("pass both epoch and batch, or neither")
        position = self._position(
            self._epoch if epoch is None else epoch, max(self._batch, self._resume_at) if batch is None else batch
        )
        return cast(SamplerState, {"epoch": position[0], "batch": position[1], **self._identity()})

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues from a saved state: the next pass yields the remaining batches of its epoch.

        Raises:
            ValueError: The state belongs to other lengths, another strategy, another seed or another number of ranks.
        """
        if not isinstance(state, Mapping):
            raise ValueError(f"the state is {excerpt(state)}: pass what state_dict returned")
        for name, own in self._identity().items():
            if name not in state:
                raise ValueError(f"the state has no `{name}`: pass what state_dict returned")
            if state[name] != own:
                raise ValueError(
                    f"the state was saved with {name} {excerpt(state[name])}, but this sampler has {own!r}: "
                    "make the sampler with the same arguments"
                )
        self._epoch, self._resume_at = self._position(state.get("epoch"), state.get("batch"))
        self._batch = self._resume_at

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_shard": None}

    def __repr__(self) -> str:
        return f"padwise.BatchSampler({self._strategy!r}, seed={self._seed}, rank={self._rank}, world_size={self._world_size})"

    def _position(self, epoch: Any, batch: Any) -> tuple[int, int]:
        """The position, checked. The end of an epoch is the start of the next one."""
        epoch = whole_number("epoch", epoch, 0, _MAX_EPOCH)
        batch = whole_number("batch", batch, 0, MAX_COUNT)
        if batch == 0:
            return epoch, 0
        batches = len(self._batches_of(epoch))
        _padwise.check_batch(batch, batches)
        return (epoch + 1, 0) if batch == batches else (epoch, batch)

    def _identity(self) -> dict[str, Any]:
        # Loaders may save the state after every batch, so the checksum is computed once.
        if self._lengths_crc32 is None:
            self._lengths_crc32 = zlib.crc32(self._lengths.tobytes())
        return {
            "strategy": self._strategy,
            "seed": self._seed,
            "world_size": self._world_size,
            "sequences": len(self._lengths),
            "lengths_crc32": self._lengths_crc32,
        }

    def _batches_of(self, epoch: int) -> Plan | Shard:
        if self._shard is None or self._shard[0] != epoch:
            batches: Plan | Shard
            batches = plan = plan_checked(self._lengths, self._strategy, epoch, self._seed)
            if self._world_size > 1 or self._rank > 0:
                batches = plan.shard(self._rank, self._world_size)
            self._shard = epoch, batches
        return self._shard[1]

    def _block(self, batches: Plan | Shard, first: int) -> tuple[list[int], list[Any]]:
        """The items of the batches from `first` on, and the first item of each batch."""
        offsets = batches.offsets[first : first + _BLOCK + 1]
        span = slice(int(offsets[0]), int(offsets[-1]))
        items: list[Any] = batches.indices[span].tolist()
        if self._is_chunked:
            items = list(zip(items, batches.starts[span].tolist(), batches.lengths[span].tolist()))
        return (offsets - offsets[0]).tolist(), items
