"""Checks of arguments. Every error is a ValueError that says what to do."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Lengths = NDArray[np.uint32]

MAX_U64 = 2**64 - 1
MAX_U32 = 2**32 - 1
# The largest size of a collection on every platform that NumPy supports.
MAX_COUNT = 2**31 - 1


def excerpt(value: Any) -> str:
    """The value for a message, in at most 200 characters."""
    try:
        text = repr(value)
    except Exception:
        text = f"a {type(value).__name__}"
    return text if len(text) <= 200 else f"{text[:200]}…"


def whole_number(name: str, value: Any, low: int = 0, high: int = MAX_U64) -> int:
    """The value as an int from `low` to `high`."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except Exception:
        raise ValueError(f"{name} is {excerpt(value)}: pass a whole number from {low} to {high}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} is {excerpt(number)}: pass a whole number from {low} to {high}")
    return number


def strategy_text(strategy: Any) -> str:
    """The strategy as text; it is parsed later."""
    if not isinstance(strategy, str):
        raise ValueError(f'strategy is {excerpt(strategy)}: pass text such as "semi-sorted:lrf=0.1,batch=16"')
    try:
        strategy.encode()
    except UnicodeEncodeError:
        raise ValueError(f"strategy is {excerpt(strategy)}: it is not valid Unicode") from None
    return strategy


def as_lengths(lengths: ArrayLike) -> Lengths:
    """A private copy of the lengths that nobody can change."""
    try:
        array = np.asarray(lengths)
    except Exception as error:
        raise ValueError(f"lengths cannot be converted to an array ({error}): pass one whole number per sequence") from None
    if array.ndim != 1:
        raise ValueError(
            f"lengths have {array.ndim} dimensions: pass a one-dimensional array, for example lengths.ravel()"
        )
    if array.size and array.dtype.kind not in "iu":
        raise ValueError(_not_whole(array))
    if array.size:
        _check_range(array)
    copy = array.astype(np.uint32, order="C", copy=True)
    copy.flags.writeable = False
    return copy


def _not_whole(array: NDArray[Any]) -> str:
    if array.dtype.kind == "f":
        bad = np.flatnonzero(~np.isfinite(array))
        if bad.size:
            return f"lengths[{bad[0]}] is {array[bad[0]]}: remove it from the corpus, and pass whole numbers of frames"
        return f"lengths have dtype {array.dtype}: pass whole numbers of frames, for example lengths.astype(int)"
    return f"lengths have dtype {array.dtype}: pass whole numbers of frames, one per sequence"


def _check_range(array: NDArray[Any]) -> None:
    """Reports what a uint32 cannot hold. The sampler checks the rest."""
    if array.dtype.kind == "i" and int(array.min()) < 0:
        index = int(np.argmax(array < 0))
        raise ValueError(
            f"lengths[{index}] is {array[index]}: every utterance needs at least one frame; remove it from the corpus"
        )
    if int(array.max()) > MAX_U32:
        index = int(np.argmax(array > MAX_U32))
        raise ValueError(f"lengths[{index}] is {array[index]}: an utterance can have at most {MAX_COUNT} frames")
