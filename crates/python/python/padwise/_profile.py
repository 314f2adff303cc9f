"""Lengths with the distribution of a known corpus, for trials without data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from padwise import _padwise
from padwise._arguments import MAX_COUNT, strategy_text, whole_number


def profile_lengths(name: str, count: int | None = None) -> NDArray[np.uint32]:
    """Lengths in frames with the distribution of a corpus.

    Args:
        name: "ljspeech", "chime4" or "librispeech".
        count: How many; by default as many as the corpus has.

    >>> profile_lengths("ljspeech").size
    10480
    """
    if not isinstance(name, str):
        raise ValueError(f"name is {name!r}: pass ljspeech, chime4 or librispeech")
    if count is not None:
        count = whole_number("count", count, 1, MAX_COUNT)
    return _padwise.profile_lengths(strategy_text(name), count)
