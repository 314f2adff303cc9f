"""A recommended strategy for given lengths and a device."""

from __future__ import annotations

import json
import os
import pathlib
import re
from typing import Any, TypedDict

from numpy.typing import ArrayLike

from padwise import _padwise
from padwise._arguments import MAX_COUNT, MAX_U64, as_lengths, excerpt, whole_number

_UNITS = {"kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}


class Prediction(TypedDict):
    """The predictions for one strategy."""

    strategy: str
    epoch_seconds: float
    """Training time of an epoch."""
    speed_up: float
    """Speed relative to random batches of the same size."""
    peak_bytes: int | None
    """Memory of the largest batch that can occur, if the device profile has memory."""
    padding: float
    """Padding divided by all frames, from 0 to 1."""
    steps: int
    """Batches per epoch."""
    randomness: float
    """Share of the pairs in a batch that are new in the next epoch."""
    dropped: int
    """Items that an epoch leaves out."""
    on_front: bool
    """Whether no other strategy is both faster and more random."""
    sampled: bool
    """Whether the numbers come from a sample of a large corpus."""
    evidence: dict[str, Any]
    """What trained records say about its accuracy."""


class Recommendation(TypedDict):
    """A recommended strategy, the reasons, and all predictions."""

    strategy: str
    """The strategy to use."""
    summary: str
    """The recommendation in one sentence."""
    reason: str
    risk: str
    """What trained records say about its accuracy."""
    runner_up: str | None
    toml: str
    """Rows for a config of the command `padwise run`."""
    device: str
    """The device and model whose times are predicted."""
    device_error_percent: float
    """The largest error of predicted step times, on shapes that the device profile was not fitted to."""
    predictions: list[Prediction]
    """All strategies, the fastest first."""


def recommend(
    lengths: ArrayLike,
    *,
    batch_size: int = 16,
    device: str | os.PathLike[str] = "h200",
    memory: int | str | None = None,
    min_randomness: float = 0.8,
    chunks: bool = False,
) -> Recommendation:
    """Recommends a strategy for these lengths, without training.

    Args:
        lengths: The number of frames of every sequence.
        batch_size: Sequences per batch.
        device: A built-in device profile, or a JSON file that ``padwise bench cost --out FILE.json`` wrote.
        memory: The most memory of a training step, in bytes or for example "16GB".
        min_randomness: The least share of pairs in a batch that are new in every epoch, from 0 to 1.
        chunks: Whether sequences may be cut into chunks, which needs a label for every frame.

    Raises:
        ValueError: An argument is invalid, or nothing fits into the memory.
        OSError: The device profile cannot be read.

    >>> found = recommend([100, 900, 150, 800, 400, 600] * 50, batch_size=4)
    >>> found["strategy"].startswith("semi-sorted")
    True
    """
    array = as_lengths(lengths)
    batch_size = whole_number("batch_size", batch_size, 1, MAX_COUNT)
    share = _share(min_randomness)
    name = os.fspath(device) if isinstance(device, (str, os.PathLike)) else ""
    if not isinstance(name, str) or not name:
        raise ValueError(f"device is {excerpt(device)}: pass a name such as 'h200', or the path of a JSON file")
    profile = pathlib.Path(name).read_bytes() if name.endswith(".json") else None
    answer = json.loads(
        _padwise.recommend(array, batch_size, name, profile, _bytes(memory), share, bool(chunks))
    )
    advice = answer["advice"]
    return {
        "strategy": advice["line"],
        "summary": advice["summary"],
        "reason": advice["reason"],
        "risk": advice["risk"],
        "runner_up": advice["runner_up"],
        "toml": advice["toml"],
        "device": answer["device"],
        "device_error_percent": answer["device_error_percent"],
        "predictions": answer["predictions"],
    }


def _share(value: Any) -> float:
    try:
        share = float(value)
    except Exception:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"min_randomness is {excerpt(value)}: pass a number from 0 to 1")
    return share


def _bytes(memory: Any) -> int | None:
    if memory is None:
        return None
    if not isinstance(memory, str):
        return whole_number("memory", memory, 1, MAX_U64)
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?b)\s*", memory, re.ASCII | re.IGNORECASE)
    amount = float(found[1]) * _UNITS[found[2].lower()] if found else 0.0
    if not 1 <= amount < 1e18:
        raise ValueError(f"memory is {excerpt(memory)}: pass bytes, or text such as '16GB'")
    return int(amount)
