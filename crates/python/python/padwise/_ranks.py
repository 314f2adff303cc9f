"""Rank and number of ranks of this process."""

from __future__ import annotations

import os
import sys
from typing import Any

from padwise._arguments import MAX_COUNT, excerpt, whole_number


def find_rank(rank: Any, world_size: Any) -> tuple[int, int]:
    """The given rank and world size, or those of torch.distributed, or those of the environment, or one process."""
    if rank is None and world_size is None:
        return _from_torch() or _from_environment() or (0, 1)
    if rank is None or world_size is None:
        raise ValueError("pass both rank and world_size, or neither")
    # The sampler reports a rank that is too large.
    return whole_number("rank", rank, 0, MAX_COUNT), whole_number("world_size", world_size, 1, MAX_COUNT)


def _from_torch() -> tuple[int, int] | None:
    # Without torch in the process there is no process group, so torch is never imported here.
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return int(distributed.get_rank()), int(distributed.get_world_size())


def _from_environment() -> tuple[int, int] | None:
    rank, world_size = os.environ.get("RANK"), os.environ.get("WORLD_SIZE")
    if not rank and not world_size:
        return None
    if not rank or not world_size:
        missing = "WORLD_SIZE" if rank else "RANK"
        raise ValueError(f"the environment variable {missing} is not set: set both RANK and WORLD_SIZE, or pass rank and world_size")
    return _parse("RANK", rank), _parse("WORLD_SIZE", world_size)


def _parse(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise ValueError(f"the environment variable {name} is {excerpt(text)}: it must be a whole number; or pass rank and world_size")
    return int(text)
