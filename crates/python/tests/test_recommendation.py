"""Recommendations."""

from pathlib import Path

import numpy as np
import padwise
import pytest

LENGTHS = padwise.profile_lengths("librispeech", 2000)


def test_known_corpora_get_semi_sorted_batches() -> None:
    found = padwise.recommend(LENGTHS)
    assert found["strategy"] == "semi-sorted:lrf=0.1,batch=16"
    assert found["summary"].startswith("Use `semi-sorted:lrf=0.1,batch=16`: predicted ")
    times = [row["epoch_seconds"] for row in found["predictions"]]
    assert times == sorted(times)
    padwise.BatchSampler(LENGTHS, found["strategy"])


def test_a_profile_can_be_a_file(tmp_path: Path) -> None:
    built_in = Path(__file__).parents[2] / "recommend" / "profiles" / "h200.json"
    file = tmp_path / "mine.json"
    file.write_bytes(built_in.read_bytes())
    assert padwise.recommend(LENGTHS, device=file) == padwise.recommend(LENGTHS)
    with pytest.raises(OSError):
        padwise.recommend(LENGTHS, device=tmp_path / "missing.json")
    file.write_text("{}")
    with pytest.raises(ValueError, match="padwise bench cost"):
        padwise.recommend(LENGTHS, device=file)


def test_memory_is_a_number_or_text() -> None:
    limited = padwise.recommend(LENGTHS, memory="100GB", min_randomness=0.0)
    assert limited == padwise.recommend(LENGTHS, memory=100 * 10**9, min_randomness=0.0)
    with pytest.raises(ValueError, match="longest utterance alone"):
        padwise.recommend(LENGTHS, memory=1000)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"batch_size": 0}, "batch_size is 0"),
        ({"min_randomness": 1.5}, "from 0 to 1"),
        ({"min_randomness": float("nan")}, "from 0 to 1"),
        ({"memory": "16"}, "16GB"),
        ({"memory": -1}, "memory is -1"),
        ({"device": "abacus"}, "unknown device profile"),
        ({"device": 3}, "device is 3"),
    ],
)
def test_bad_arguments_name_the_remedy(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        padwise.recommend(LENGTHS, **arguments)  # type: ignore[arg-type]


def test_bad_lengths_are_refused() -> None:
    for lengths in ([], [0, 5], [1.5, 2.0], np.zeros((2, 2), dtype=int)):
        with pytest.raises(ValueError):
            padwise.recommend(lengths)
